# SPDX-License-Identifier: Apache-2.0
"""The LLVM inside llvmlite: IR to assembly text and to objects, in bulk.

It has no assembler: inline assembly is copied into the text unchecked, and what holds it has no object.
"""

import importlib.metadata
import os
import sys
from pathlib import Path

from .cache import Cache
from .face import Missing
from .served import Served

NAME = "llvmlite"
TITLE = "LLVM in the llvmlite wheel"
ANSWERS = ("compile IR", "objects", "MIR out")
HOW_TO_GET = "pip install llvmlite==0.50.0 (or cdna-evidence[witnesses])"
WORKER = Path(__file__).with_name("llvmlite_worker.py")


class Llvmlite(Served):
    """One llvmlite; `compile_ir`, `compile_many`, `compile_mir` and `compile_object` as in Served."""

    name = NAME
    how_to_get = HOW_TO_GET


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    try:
        wheel = importlib.metadata.distribution("llvmlite")
    except importlib.metadata.PackageNotFoundError:
        raise Missing("the Python package llvmlite is not installed", HOW_TO_GET) from None
    return _made(str(wheel.locate_file("llvmlite/binding")), wheel.version, cache or Cache(fresh=fresh), "")


def in_folder(folder, cache):
    """Return the witness of a wheel that was installed into a folder of its own (`pip install --target`).

    Raises: Missing: it is not there, or does not load.
    """
    found = next(iter(importlib.metadata.distributions(name="llvmlite", path=[str(folder)])), None)
    if found is None:
        raise Missing("no llvmlite is in this folder", HOW_TO_GET)
    return _made(os.path.join(folder, "llvmlite", "binding"), found.version, cache, str(folder))


def _made(binding, version, cache, folder):
    for name in ("libllvmlite.so", "libllvmlite.dylib", "llvmlite.dll"):
        library = os.path.join(binding, name)
        if os.path.isfile(library):
            return Llvmlite(library, "llvmlite " + version, cache, [sys.executable, "-I", str(WORKER), folder])
    raise Missing("the Python package llvmlite holds no library for this machine", HOW_TO_GET)
