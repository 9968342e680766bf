# SPDX-License-Identifier: Apache-2.0
"""The compilers of the matrix, oldest first within their line, and how each is had.

A compiler that is not part of the environment is installed into a folder of its own below the cache and can be removed
afterwards: `cdna matrix --fetch clang-21`.
"""

import importlib.metadata
import os
import subprocess
import sys
from typing import NamedTuple

from cdna_evidence.witnesses import Missing, clang, llvm_c, llvm_mc, llvmlite, triton_llvm
from cdna_evidence.witnesses.cache import default_folder


class Column(NamedTuple):
    """One compiler. name: for the command line; line: "LLVM" or "ROCm", within which neighbours are compared;
    title: headline; release: what carries it; wheel, version: of the Python package, or None for a Debian package."""

    name: str
    line: str
    title: str
    release: str
    wheel: str | None
    version: str | None


COLUMNS = (
    Column("clang-18", "LLVM", "LLVM 18.1.6", "clang in ziglang 0.13.0", "ziglang", "0.13.0"),
    Column("clang-19", "LLVM", "LLVM 19.1.7", "clang in ziglang 0.14.1", "ziglang", "0.14.1"),
    Column("clang-20", "LLVM", "LLVM 20.1.2", "clang in ziglang 0.15.2", "ziglang", "0.15.2"),
    Column("llvmlite-20", "LLVM", "LLVM 20.1.8", "llvmlite 0.47.0", "llvmlite", "0.47.0"),
    Column("clang-21", "LLVM", "LLVM 21.1.0", "clang in ziglang 0.16.0", "ziglang", "0.16.0"),
    Column("llvmlite-22", "LLVM", "LLVM 22.1.0", "llvmlite 0.50.0", "llvmlite", "0.50.0"),
    Column("clang-22", "LLVM", "LLVM 22.1.8", "clang in ziglang 0.17.1", "ziglang", "0.17.1"),
    Column("debian-22", "LLVM", "LLVM 22.1.8", "Debian package llvm-22 (assembler)", None, None),
    Column("triton-24", "LLVM", "LLVM 24git", "code generator in triton 3.9.0", "triton", "3.9.0"),
    Column("rocm-7.2", "ROCm", "ROCm 7.2 (LLVM 22git)", "ROCm 7.2.2, rocm-llvm-python 7.2.2.562.46", "rocm-llvm-python", "7.2.2.562.46"),
    Column("rocm-10.0", "ROCm", "ROCm 10.0 (LLVM 23git)", "ROCm 10.0, rocm-bindings-compiler 10.0.0.0.1.2", "rocm-bindings-compiler", "10.0.0.0.1.2"),
)  # fmt: skip
NAMES = tuple(column.name for column in COLUMNS)


def folder(column):
    """Return the folder that a fetched compiler stands in."""
    return default_folder() / "matrix" / f"{column.wheel}-{column.version}"


def get(column, cache):
    """Return the compiler of a column: from the environment where it has this version, else from its own folder.

    Raises: Missing: it is in neither.
    """
    if column.wheel is None:
        return llvm_mc.find(cache)
    how = f"cdna matrix --fetch {column.name}"
    own = folder(column)
    if column.wheel in ("ziglang", "llvmlite", "triton", "rocm-bindings-compiler") and _installed(column):
        module = {"ziglang": clang, "llvmlite": llvmlite, "triton": triton_llvm}.get(column.wheel, llvm_c)
        return module.find(cache)
    if not own.is_dir():
        raise Missing(f"{column.wheel} {column.version} is not installed", how)
    if column.wheel == "ziglang":
        program = own / "ziglang" / "zig"
        if not program.is_file():
            raise Missing(f"no program in {column.wheel} {column.version}", how)
        return clang.Clang(str(program), f"ziglang {column.version}", cache)
    module = {"llvmlite": llvmlite, "triton": triton_llvm}.get(column.wheel, llvm_c)
    return module.in_folder(own, cache)


def fetch(column):
    """Install a column's wheel into its folder.

    Raises: Missing: it is no wheel; OSError, subprocess.CalledProcessError: pip could not.
    """
    if column.wheel is None:
        raise Missing("this compiler is no Python package", llvm_mc.HOW_TO_GET)
    own = folder(column)
    own.parent.mkdir(parents=True, exist_ok=True)
    part = own.with_name("." + own.name)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary", ":all:", "--target", str(part), f"{column.wheel}=={column.version}"]
    subprocess.run(command, check=True)
    os.replace(part, own)


def _installed(column):
    try:
        return importlib.metadata.version(column.wheel) == column.version
    except importlib.metadata.PackageNotFoundError:
        return False
