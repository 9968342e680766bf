# SPDX-License-Identifier: Apache-2.0
"""LLVM libraries that are asked through LLVM's C interface: AMD's own, from two wheels. Assembler, IR, objects."""

import importlib.metadata
import mmap
import os
import re
import sys
from pathlib import Path

from . import clang, rocm
from .cache import Cache
from .face import Missing
from .served import HSA, Served

NAME = "rocm-llvm-c"
TITLE = "AMD's LLVM in the rocm-bindings-compiler wheel, as a compiler"
ANSWERS = ("assemble", "compile IR", "objects")
HOW_TO_GET = rocm.HOW_TO_GET
WORKER = Path(__file__).with_name("llvm_c_worker.py")
_VERSION = re.compile(rb"\b(\d+\.\d+\.\d+(?:git)?) ([0-9a-f]{40})\b")


class LlvmC(Served):
    """One libLLVM; `assemble`, `compile_ir`, `compile_many` and `compile_object` as in Served."""

    name = NAME
    how_to_get = HOW_TO_GET

    def assemble(self, target, lines, triple=HSA):
        """Return one Answer per line of assembler text; as Clang.assemble."""
        return self._assemble(target, lines, triple)

    def named(self, version, revision):
        """Return the version and revision that stand in the library's file, else those that were told."""
        with open(self.library, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as held:
            found = _VERSION.search(held)
            return (found.group(1).decode(), found.group(2).decode()) if found else (version, revision)


def find(cache=None, fresh=False):
    """Return the compiler side of the wheel that `rocm` decodes with; arguments and errors as in clang.find."""
    cache = cache or Cache(fresh=fresh)
    found = rocm.find(cache)
    return LlvmC(
        found.library, found.package, cache, _argv(found.library, rocm._stand_ins(clang.find(cache).program, cache))
    )


def in_folder(folder, cache):
    """Return the LLVM of rocm-llvm-python, installed into a folder of its own.

    Raises: Missing: it is not there, or does not load.
    """
    how = "pip install rocm-llvm-python==7.2.2.562.46"
    wheel = next(iter(importlib.metadata.distributions(name="rocm-llvm-python", path=[str(folder)])), None)
    if wheel is None:
        raise Missing("no rocm-llvm-python is in this folder", how)
    for file in wheel.files or ():
        if re.fullmatch(r"lib(LLVM|rocmllvm)[-.\w]*\.so[.\w]*", file.name):
            library = str(wheel.locate_file(file))
            if os.path.isfile(library):
                return LlvmC(library, f"rocm-llvm-python {wheel.version}", cache, _argv(library, ()))
    raise Missing("the wheel rocm-llvm-python holds no library for this machine", how)


def _argv(library, first):
    return [sys.executable, "-I", "-S", str(WORKER), library, ":".join(str(path) for path in first)]
