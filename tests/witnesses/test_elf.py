# SPDX-License-Identifier: Apache-2.0
"""Reading flags and sections of an object: against a real one, and nothing but ValueError for anything else."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna_evidence.witnesses import elf

KERNEL = "define amdgpu_kernel void @k() {\n  ret void\n}\n"


def test_flags_and_sections_are_those_that_readelf_names(clang, tmp_path):
    if not shutil.which("readelf"):
        pytest.skip("readelf (binutils) is not on the path")
    path = tmp_path / "k.o"
    path.write_bytes(clang.compile_object("gfx950", KERNEL).data)
    told = subprocess.run(["readelf", "-hSW", str(path)], capture_output=True, text=True, check=False).stdout
    found = elf.read(path.read_bytes())
    assert f"Flags:                             0x{found.flags:x}" in told
    assert all(f" {name} " in told for name in found.sections if name)
    assert ".text" in found.sections


def test_the_lds_size_of_the_resource_word_counts_granules(clang):
    def units(size):
        source = (
            f"@a = internal addrspace(3) global [{size} x i8] poison\n"
            "define amdgpu_kernel void @k() {\n  store volatile i8 1, ptr addrspace(3) @a\n  ret void\n}\n"
        )
        return elf.lds_units(elf.read(clang.compile_object("gfx942", source, triple="amdgcn--").data))

    assert units(1) == 1 and units(65536) - units(65536 - 512) == 1


def test_an_object_that_writes_no_registers_is_refused(clang):
    with pytest.raises(ValueError, match="no LDS size"):
        elf.lds_units(elf.read(clang.compile_object("gfx950", KERNEL).data))


@given(st.binary(max_size=200), st.booleans())
def test_anything_else_is_a_value_error(data, headed):
    try:
        elf.read(b"\x7fELF\x02\x01" + data if headed else data)
    except ValueError:
        return
    assert headed
