# SPDX-License-Identifier: Apache-2.0
"""Triton 3.9.0 asked for a transposed read from LDS: which lane map its addresses need to be right.

The compiler chooses an address for each lane, and says by its stores which element of the tile each place of the
result is. Both together give the lane map that the compiler holds the instruction to have.
"""

import json
import shlex
from typing import NamedTuple

from . import lane_ir
from .encoder import Encoder

NAME = "triton-tr"
TITLE = "Triton (transposing LDS loads)"
ANSWERS = ("lane map",)
VERSION = "3.9.0"
HOW_TO_GET = f"make clients (or pip install triton=={VERSION})"
KERNELS = 1  # version of the kernels below and of the reading; part of every cache key
BASE = 65536  # where the kernels store
LANES = {"gfx950": 64, "gfx1250": 32}
BITS = {"b16": 16, "b8": 8, "b4": 4}

_START = """
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd import AMDWMMALayout
from triton.experimental.gluon.language.amd.gfx1250 import load_shared_fp4_repacked
CTAS, TARGET, LANES = 1, "{target}", {lanes}


@gluon.jit
def kernel():
"""
# A tile of one row a lane, whose columns lie together in LDS, each lane wanting its row.
_WIDE = """    shared: ttgl.constexpr = ttgl.SwizzledSharedLayout(1, 1, 1, [0, 1])
    layout: ttgl.constexpr = ttgl.DistributedLinearLayout({places}, {rows}, [], [], [{lanes}, {columns}])
    tile = ttgl.allocate_shared_memory(ttgl.{kind}, [{lanes}, {columns}], shared).load(layout)
    row = ttgl.arange(0, {lanes}, layout=ttgl.SliceLayout(1, layout))
    column = ttgl.arange(0, {columns}, layout=ttgl.SliceLayout(0, layout))
    out = ttgl.to_tensor(65536).to(ttgl.int64).to(ttgl.pointer_type(ttgl.{kind}))
    ttgl.store(out + row[:, None] * {columns} + column[None, :], tile)
"""
# 128 K of 16 columns, two columns a byte; the result has two K a byte, as the matrix instruction wants them.
_PACKED = """    shared: ttgl.constexpr = ttgl.SwizzledSharedLayout(1, 1, 1, [1, 0])
    layout: ttgl.constexpr = ttgl.DotOperandLayout(1, AMDWMMALayout(3, True, [], [], [16, 16, 64]), 16)
    tile = load_shared_fp4_repacked(ttgl.allocate_shared_memory(ttgl.int8, [128, 8], shared), layout)
    row = ttgl.arange(0, 64, layout=ttgl.SliceLayout(1, layout))
    column = ttgl.arange(0, 16, layout=ttgl.SliceLayout(0, layout))
    out = ttgl.to_tensor(65536).to(ttgl.int64).to(ttgl.pointer_type(ttgl.int8))
    ttgl.store(out + row[:, None] * 16 + column[None, :], tile)
"""
COLUMNS = {
    ("gfx950", "b16"): 4,
    ("gfx950", "b8"): 8,
    ("gfx1250", "b16"): 8,
    ("gfx1250", "b8"): 8,
    ("gfx1250", "b4"): 16,
}


def source_of(target, name):
    """Return the kernel of one element width. Raises: KeyError: nothing is asked of that width on that target."""
    lanes, columns = LANES[target], COLUMNS[target, name]
    start = _START.format(target=target, lanes=lanes)
    if name == "b4":
        return start + _PACKED
    places, rows = (
        [[0, 1 << i] for i in range(6) if 1 << i < columns],
        [[1 << i, 0] for i in range(6) if 1 << i < lanes],
    )
    kind = {"b16": "float16", "b8": "int8"}[name]
    return start + _WIDE.format(places=places, rows=rows, lanes=lanes, columns=columns, kind=kind)


class Moved(NamedTuple):
    """A lane map. opcode: such as tr8.b64; receives: per lane ((source lane, element), ...) in the order of places."""

    outcome: str
    opcode: str
    receives: tuple
    diagnostic: str
    command: str
    kept: bool = False


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    return TritonTr("triton", VERSION, "triton/_C/libtriton.so", "triton_worker.py", HOW_TO_GET, cache, fresh)


class TritonTr(Encoder):
    """Triton's compiler, from the Gluon front end to LLVM IR."""

    name = NAME

    def environment(self):
        """Return variables for the worker: nothing is taken from, or left in, a cache of Triton's own."""
        return {"TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": "triton-cache"}

    def moved(self, target, name):
        """Return the Moved of one element width: "b16" or "b8", on gfx1250 also "b4".

        Raises: KeyError: another target or name.
        """
        source = source_of(target, name)
        key = {**self._key(source), "kind": "lane map", "kernels": KERNELS}
        ((outcome, text, kept),) = self._answers([source], [key])
        command = (
            "printf '%s' " + shlex.quote(json.dumps([source])) + " | python -m cdna_evidence.witnesses.triton_worker"
        )
        if outcome != "accepted":
            return Moved(outcome, "", (), text, command, kept)
        try:
            opcode, receives = lane_map(text, target, name)
        except ValueError as error:
            return Moved("rejected", "", (), f"its output was not understood: {error}", command, kept)
        return Moved(outcome, opcode, receives, "", command, kept)


def lane_map(text, target, name):
    """Return (opcode, receives) that make the kernel of one element width right, from its IR.

    The first load is read; a kernel with more of them repeats it.

    Raises: ValueError: the IR does not say it, or no lane reads an element that is wanted.
    """
    lanes, bits, columns = LANES[target], BITS[name], COLUMNS[target, name]
    followed = [lane_ir.follow(text, lane) for lane in range(lanes)]
    if not followed[0][0]:
        raise ValueError("no transposing load")
    opcode = followed[0][0][0][0]
    width = int(opcode.rsplit("b", 1)[1])
    starts = [loads[0][1] * 8 for loads, _ in followed]
    readers = {start + at: (lane, at // bits) for lane, start in enumerate(starts) for at in range(0, width, bits)}
    if len(readers) != lanes * (width // bits):
        raise ValueError("two lanes read the same element")
    receives = []
    for _, stores in followed:
        places = {}
        for address, (load, byte) in stores.items():
            if load == 0:
                for bit, wanted in _wanted(address - BASE, bits, lanes, columns):
                    places[byte * 8 + bit] = wanted
        if sorted(at for at in places if at % bits == 0) != list(range(0, width, bits)):
            raise ValueError("some part of the result is not stored")
        if not set(places.values()) <= set(readers):
            raise ValueError("an element is wanted that no lane reads")
        receives.append(tuple(readers[places[at]] for at in range(0, width, bits)))
    return opcode, tuple(receives)


def _wanted(offset, bits, lanes, columns):
    """For one stored byte: pairs of (bit inside the byte, bit of LDS that must stand there)."""
    if bits == 4:
        row, column = divmod(offset, columns)
        return [(4 * half, (2 * row + half) * columns * bits + column * bits) for half in (0, 1)]
    size = bits // 8
    if offset % size:
        return []
    row, column = divmod(offset // size, columns)
    return [(0, (row + lanes * column) * bits)]
