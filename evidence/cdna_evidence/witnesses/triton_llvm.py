# SPDX-License-Identifier: Apache-2.0
"""The AMD code generator inside the triton wheel: LLVM 24, asked for IR to assembly text and for its assembler."""

import importlib.metadata
import mmap
import os
import re
import sys
from pathlib import Path

from .cache import Cache
from .face import Missing
from .served import HSA, Served

NAME = "triton-llvm"
TITLE = "LLVM 24, the AMD code generator of the triton wheel"
ANSWERS = ("assemble", "compile IR")
HOW_TO_GET = "make clients (or pip install triton==3.9.0)"
WORKER = Path(__file__).with_name("triton_llvm_worker.py")
LIBRARY = "triton/backends/amd/lib/libtriton_amd_codegen.so"
# This code generator names the operating system's environment as well: amdgpu9.50-amd-amdhsa-unknown-gfx950.
_TARGET = re.compile(r'^\s*\.amdgcn_target\s+"[^"]*?-(gfx[^"]*)"', re.MULTILINE)
_VERSION = re.compile(rb"\b(\d+\.\d+\.\d+git)\b")


class TritonLlvm(Served):
    """Triton's code generator. It chooses its triple itself; objects and optimisation levels cannot be asked for."""

    name = NAME
    how_to_get = HOW_TO_GET

    def assemble(self, target, lines, triple=HSA):
        """Return one Answer per line of assembler text; as Clang.assemble."""
        return self._assemble(target, lines, triple)

    def target_of(self, text):
        """Return the processor that an assembly text says it is for, or None."""
        found = _TARGET.search(text)
        return found.group(1) if found else None

    def named(self, version, revision):
        """Return the version that stands in the library's file; it tells its revision, and no version."""
        with open(self.library, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as held:
            found = _VERSION.search(held)
            return (found.group(1).decode() if found else "unknown"), revision

    compile_object = None
    compile_mir = None


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    return in_folder("", cache or Cache(fresh=fresh))


def in_folder(folder, cache):
    """Return the code generator of a triton in a folder of its own, or of this environment for "".

    Raises: Missing: it is not there, or does not load.
    """
    path = [str(folder)] if folder else sys.path
    wheel = next(iter(importlib.metadata.distributions(name="triton", path=path)), None)
    if wheel is None:
        raise Missing("the Python package triton is not installed", HOW_TO_GET)
    library = str(wheel.locate_file(LIBRARY))
    if not os.path.isfile(library):
        raise Missing("the Python package triton holds no code generator for this machine", HOW_TO_GET)
    return TritonLlvm(library, f"triton {wheel.version}", cache, [sys.executable, "-I", str(WORKER), str(folder)])
