# SPDX-License-Identifier: Apache-2.0
"""Programs that nobody here wrote, driven as evidence. Each tells its version, revision and file digest.

`get("clang")` returns a witness or raises `Missing`, which says why and how to get it. A witness module has NAME,
TITLE, ANSWERS, HOW_TO_GET and `find(cache=None, fresh=False)`; a further witness is one more module in `_MODULES`.
What a compiler does (crash, hang, flood) is an outcome of the one question and never an exception.
"""

import importlib

from .cache import Cache
from .face import OUTCOMES, TOLD, Answer, Compiled, Missing, Object, Status, Words, hex_bytes

__all__ = [
    "OUTCOMES",
    "TOLD",
    "Answer",
    "Cache",
    "Compiled",
    "Missing",
    "Object",
    "Status",
    "Words",
    "available",
    "decoder",
    "get",
    "hex_bytes",
    "names",
    "register",
    "unregister",
]

# The order is the order of `cdna witnesses`, and of choice where no witness is asked for by name.
_MODULES = {
    "clang": "clang",
    "llvmlite": "llvmlite",
    "llvm-mc": "llvm_mc",
    "llc": "llc",
    "rocm-llvm": "rocm",
    "rocm-llvm-c": "llvm_c",
    "triton-llvm": "triton_llvm",
    "triton": "triton",
    "triton-dot": "triton_dot",
    "triton-tr": "triton_tr",
    "flydsl": "flydsl",
    "ml_dtypes": "ml_dtypes",
}
_OTHERS = {}


def names():
    """Return the names of all witnesses, here or not."""
    return list(_MODULES) + [name for name in _OTHERS if name not in _MODULES]


def get(name, cache=None, fresh=False):
    """Return a witness by name.

    Args: name: one of `names()`; cache: a Cache, default the project's; fresh: True ignores kept answers.
    Raises: KeyError: no such name; Missing: it is not on this machine.
    """
    return _module(name).find(cache=cache, fresh=fresh)


def decoder(cache=None, fresh=False):
    """Return the first witness here that turns machine code into text by itself.

    Raises: Missing: none is here.
    """
    reasons = []
    for name in names():
        module = _module(name)
        if "disassemble" not in module.ANSWERS:
            continue
        try:
            return module.find(cache=cache, fresh=fresh)
        except Missing as missing:
            reasons.append(missing)
    reason = "no disassembler is here (" + "; ".join(item.reason for item in reasons) + ")"
    raise Missing(reason, ", or ".join(item.how_to_get for item in reasons))


def available(cache=None):
    """Return a Status per witness, in the order of `names()`: here with its version, or not and why."""
    return [_status(name, cache) for name in names()]


def register(name, module):
    """Add a witness, or stand in for one: an object with TITLE, ANSWERS, HOW_TO_GET and `find(cache, fresh)`."""
    _OTHERS[name] = module


def unregister(name):
    """Take back what `register` added."""
    _OTHERS.pop(name, None)


def _module(name):
    if name in _OTHERS:
        return _OTHERS[name]
    return importlib.import_module("." + _MODULES[name], __name__)


def _status(name, cache):
    module = _module(name)
    try:
        found = module.find(cache=cache)
    except Missing as missing:
        return Status(
            name, False, module.TITLE, module.ANSWERS, None, None, None, None, missing.reason, missing.how_to_get
        )
    return Status(
        name,
        True,
        module.TITLE,
        module.ANSWERS,
        found.version,
        found.revision,
        found.digest,
        found.package,
        None,
        module.HOW_TO_GET,
    )
