# SPDX-License-Identifier: Apache-2.0
"""Every command that a page shows, pasted into a shell with this environment's programs first, gives what is shown."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cdna_evidence import settings
from cdna_evidence.checks import Check
from cdna_evidence.checks.api import NotHere
from cdna_evidence.checks.tools import Tools
from cdna_evidence.register import load
from cdna_evidence.witnesses import Missing, get
from cdna_evidence.witnesses.cache import Cache

KERNEL = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  store i32 7, ptr addrspace(1) %p\n  ret void\n}\n"
OVER = (
    "@a = internal addrspace(3) global [163841 x i8] poison\n"
    "define amdgpu_kernel void @k() {\n  store volatile i8 1, ptr addrspace(3) @a\n  ret void\n}\n"
)
COPY = {
    "element_bits": 16,
    "base": 0x7F0012345600,
    "at": [128, 64],
    "tensor": [500, 1000],
    "strides": [512],
    "tile": [64, 64],
}
TENSOR = "tensor_load_to_lds s[0:3], s[4:11]"


@pytest.fixture(scope="module", autouse=True)
def reader(tmp_path_factory):
    """The cache of the reader who pastes: one for all lines, empty at first."""
    global CACHE
    CACHE = tmp_path_factory.mktemp("reader")


CACHE = None


def paste(command, folder):
    """Run a line as a reader would: a shell, this environment first on PATH, an empty folder."""
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    environment = {"PATH": path, "HOME": str(folder), "CDNA_EVIDENCE_CACHE": str(CACHE)}
    return subprocess.run(
        ["sh", "-c", command], capture_output=True, text=True, cwd=folder, env=environment, timeout=600, check=False
    )


def witness(name, folder):
    try:
        return get(name, cache=Cache(CACHE / "own"))
    except Missing as missing:
        if name in ("clang", "llvmlite", "rocm-llvm", "rocm-llvm-c"):
            raise  # they are in the locked requirements
        pytest.skip(str(missing))


def spaced(data):
    return data.hex(" ")


def listed(data):
    return "[" + ",".join(f"0x{byte:02x}" for byte in data) + "]"


@pytest.mark.parametrize(
    ("name", "write"), [("clang", listed), ("llvm-mc", listed), ("rocm-llvm-c", spaced), ("triton-llvm", spaced)]
)
def test_of_an_instruction(tmp_path, name, write):
    good, bad = witness(name, tmp_path).assemble("gfx1250", [TENSOR, "v_foo v0"])
    told = paste(good.command, tmp_path)
    assert told.returncode == 0 and write(good.bytes) in told.stdout
    told = paste(bad.command, tmp_path)
    assert told.returncode != 0 and "invalid instruction" in told.stderr + told.stdout


@pytest.mark.parametrize("name", ["llvm-mc", "rocm-llvm"])
def test_of_a_decoded_instruction(tmp_path, name):
    (found,) = witness(name, tmp_path).disassemble("gfx1250", bytes.fromhex("010071d00000007c00047c7c"))
    told = paste(found.command, tmp_path)
    assert told.returncode == 0 and " ".join(found.text.split()) in " ".join(told.stdout.split())


@pytest.mark.parametrize("name", ["clang", "llvmlite", "rocm-llvm-c", "triton-llvm"])
def test_of_a_compilation(tmp_path, name):
    compiler = witness(name, tmp_path)
    good, over = compiler.compile_ir("gfx950", KERNEL), compiler.compile_ir("gfx950", OVER)
    told = paste(good.command, tmp_path)
    assert told.returncode == 0 and told.stdout == good.assembly
    told = paste(over.command, tmp_path)
    assert told.returncode != 0 and "exceeds limit (163840)" in told.stderr


@pytest.mark.parametrize("name", ["clang", "llvmlite"])
def test_of_mir(tmp_path, name):
    found = witness(name, tmp_path).compile_mir("gfx950", KERNEL)
    told = paste(found.command, tmp_path)
    assert told.returncode == 0 and told.stdout.partition("body:")[2] == found.assembly.partition("body:")[2] != ""


@pytest.mark.parametrize("name", ["clang", "llvmlite", "rocm-llvm-c"])
def test_of_an_object(tmp_path, name):
    found = witness(name, tmp_path).compile_object("gfx950", KERNEL)
    told = paste(found.command, tmp_path)
    assert told.returncode == 0 and " ".join(told.stdout.split()) == spaced(found.data)


def test_of_c(tmp_path):
    source = "__attribute__((amdgpu_kernel)) void k(__attribute__((address_space(1))) int *p) { *p = 7; }\n"
    found = witness("clang", tmp_path).compile_c("gfx950", source)
    told = paste(found.command, tmp_path)
    assert told.returncode == 0 and told.stdout == found.assembly != ""


@pytest.mark.parametrize("name", ["triton", "flydsl"])
def test_of_descriptor_words(tmp_path, name):
    found = witness(name, tmp_path).descriptor_words(COPY)
    told = paste(found.command, tmp_path)
    assert told.returncode == 0 and told.stdout.split() == [f"{word:08x}" for word in found.words]


def test_of_wait_states(tmp_path):
    lines = ["$vgpr0 = V_MOV_B32_e32 1, implicit $exec"]
    found, states = witness("llc", tmp_path).wait_states("gfx950", [("f", lines)])
    told = paste(found.command, tmp_path)
    assert states == {"f": 0} and told.returncode == 0 and told.stdout == found.assembly


def sample():
    """Every file of compiler checks."""
    folder = settings.root() / "checks"
    return sorted(path.relative_to(folder).as_posix() for path in folder.glob("compiler/check_*.py"))


@pytest.fixture(scope="module")
def register():
    """The register: it names the targets of a check that names none."""
    return load()


@pytest.mark.parametrize("file", sample())
def test_of_the_records_of_checks(tmp_path, register, file):
    """The first check of a file: its commands run, and say something without a traceback; what is tested above, by kind."""
    path = settings.root() / "checks" / file
    spec = importlib.util.spec_from_file_location("sampled_" + path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [
        check
        for check in vars(module).values()
        if isinstance(check, type) and issubclass(check, Check) and check.__module__ == module.__name__ and check.claim
    ]
    assert found, f"{file} holds no check"
    tools = Tools(found[0].kind)
    try:
        found[0]().observe((found[0].targets or register.claims[found[0].claim].targets)[0], tools)
    except NotHere as missing:
        pytest.skip(str(missing))
    assert tools.commands, f"{file}::{found[0].__name__} ran a program and tells no command"
    for command in tools.commands[:2]:
        assert "\n" not in command
        told = paste(command, tmp_path)
        assert told.returncode in (0, 1) and "Traceback" not in told.stderr, (command, told.stderr)
        assert told.stdout.strip() or told.stderr.strip()


def test_no_command_names_this_machine(tmp_path):
    (found,) = witness("clang", tmp_path).assemble("gfx950", ["s_nop 0"])
    lite = witness("llvmlite", tmp_path).compile_ir("gfx950", KERNEL)
    for command in (found.command, lite.command):
        assert str(Path(sys.prefix)) not in command and str(tmp_path) not in command
