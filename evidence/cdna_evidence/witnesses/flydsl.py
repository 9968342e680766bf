# SPDX-License-Identifier: Apache-2.0
"""MLIR's amdgpu dialect as a builder of descriptors: the lowering that the flydsl 0.5.0 wheel carries.

Copies are written as `amdgpu.make_dma_descriptor` and lowered by `convert-amdgpu-to-rocdl`; the result is integer
arithmetic, which is worked out for the addresses of the copy.
"""

from cdna_evidence.descriptors import Unreadable
from cdna_evidence.descriptors.mlir import descriptors_of_mlir

from .encoder import Encoder, Refused, extents

NAME = "flydsl"
TITLE = "MLIR's amdgpu dialect in the flydsl wheel"
ANSWERS = ("descriptor words",)
VERSION = "0.5.0"
HOW_TO_GET = f"make clients (or pip install flydsl=={VERSION})"
LIBRARY = "flydsl/_mlir/_mlir_libs/libFlyPythonCAPI.so.24.0git"

TYPES = {8: "i8", 16: "f16", 32: "f32", 64: "f64"}
_LDS = "#gpu.address_space<workgroup>"


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    return Flydsl("flydsl", VERSION, LIBRARY, "flydsl_worker.py", HOW_TO_GET, cache, fresh)


class Flydsl(Encoder):
    """The lowering `convert-amdgpu-to-rocdl` for gfx1250."""

    name = NAME

    def lowered(self, sources):
        """Return (outcome, text) for each module: what the lowering makes of it, or what it says."""
        return [item[:2] for item in self._answers(sources, [self._key(source) for source in sources])]

    def source_of(self, copy, op):
        """Return a module that makes one copy. Raises: Refused: what the dialect has no words for."""
        tile, tensor, at, strides = extents(copy)
        if copy.get("element_bits") not in TYPES:
            raise Refused(f"element_bits={copy.get('element_bits')}: 8, 16, 32 or 64")
        if any(item < 0 for item in at):
            raise Refused("at: the bounds are the caller's to work out, and these would be negative")
        kind, rank = TYPES[copy["element_bits"]], len(tile)
        text = _Text()
        sizes = "x".join(str(item) for item in tensor)
        memory = f"memref<{sizes}x{kind}, strided<{strides}>, 1>"
        lds = f"memref<{'x'.join(str(item) for item in tile)}x{kind}, {_LDS}>"
        start = ", ".join(text.index(item) for item in at)
        zeros = ", ".join([text.index(0)] * rank)
        gather = copy.get("gather")
        base = f"{'gather_' if gather else ''}dma_base"
        based = f"!amdgpu.tdm_{'gather_' if gather else ''}base<{kind}"
        based += f", i{gather.get('index_bits', 16)}>" if gather else ">"
        text.line(f"%b = amdgpu.make_{base} %g[{start}], %l[{zeros}] : {memory}, {lds} -> {based}")
        left = [max(0, whole - offset) for whole, offset in zip(tensor, at, strict=True)]
        parts = f"globalSize {left} globalStride {strides} sharedSize {tile}"
        if copy.get("pad"):
            amount, interval = text.i32(copy["pad"]["amount_dwords"]), text.i32(copy["pad"]["interval_dwords"])
            parts += f" padShared({amount} every {interval})"
        if copy.get("workgroup_mask"):
            bits = ", ".join("true" if copy["workgroup_mask"] >> i & 1 else "false" for i in range(16))
            text.line(f"%mask = arith.constant dense<[{bits}]> : vector<16xi1>")
            parts += " workgroupMask %mask"
            if copy.get("early_timeout"):
                text.line("%early = arith.constant true")
                parts += " earlyTimeout %early"
        if copy.get("barrier_addr") is not None:
            cell = copy["barrier_addr"] - copy.get("lds_addr", 0)
            if cell % 8 or cell < 0:
                raise Refused("barrier_addr: a multiple of 8 bytes after lds_addr")
            parts += f" atomicBarrier(%bar[{text.index(cell // 8)}] : {_BARRIERS})"
        if copy.get("iterate"):
            step = copy["iterate"]
            parts += f" iterate {text.index(step['global_increment'])}, {text.i32(step['lds_increment'])}, "
            parts += text.index(step["count"])
        if gather:
            text.line(_rows(gather))
            parts += f" : {based}, {_row_type(gather)}"
            text.line(f"%d = amdgpu.make_gather_dma_descriptor %b[%rows] {parts} -> !amdgpu.tdm_descriptor")
        else:
            text.line(f"%d = amdgpu.make_dma_descriptor %b {parts} : {based} -> !amdgpu.tdm_descriptor")
        verb = "load_to" if op == "load" else "store_from"
        text.line(f"amdgpu.tensor_{verb}_lds %d : !amdgpu.tdm_descriptor")
        arguments = f"%g: {memory}, %l: {lds}, %bar: {_BARRIERS}"
        return f"func.func @f({arguments}) {{\n" + "\n".join(text.lines) + "\nfunc.return\n}\n"

    def words_of(self, answer, copy):
        """Return the words of every operation, for the copy's addresses. Raises: ValueError: a word is not known."""
        addresses = {1: copy["base"], 3: copy.get("lds_addr", 0)}
        try:
            found = descriptors_of_mlir(answer, addresses)
        except Unreadable as error:
            raise ValueError(str(error)) from None
        for item in found:
            if None in item.words:
                raise ValueError(f"word {item.words.index(None)} is not known")
        return tuple(item.words for item in found)


_BARRIERS = f"memref<65536x!amdgpu.ds_barrier_state, {_LDS}>"


def _row_type(gather):
    # The number of valid rows is taken from the length of the vector, not from sharedSize.
    return f"vector<{len(gather['indices'])}xi{gather.get('index_bits', 16)}>"


def _rows(gather):
    bits = gather.get("index_bits", 16)
    slots = {16: 16, 32: 8}.get(bits)
    rows = list(gather["indices"])
    if slots is None or not 1 <= len(rows) <= slots:
        raise Refused("gather: up to 16 row numbers of 16 bits, or up to 8 of 32")
    # MLIR's constants are signed.
    signed = [row - (1 << bits) if row >> bits - 1 else row for row in rows]
    return f"%rows = arith.constant dense<{signed}> : {_row_type(gather)}"


class _Text:
    """Lines of a function body, with its constants."""

    def __init__(self):
        self.lines = []

    def line(self, text):
        self.lines.append(text)

    def _constant(self, value, kind):
        name = f"%{kind}_{value}"
        line = f"{name} = arith.constant {int(value)} : {kind}"
        if line not in self.lines:
            self.lines.append(line)
        return name

    def index(self, value):
        """Return the name of an index constant."""
        return self._constant(value, "index")

    def i32(self, value):
        """Return the name of a 32-bit constant."""
        return self._constant(value, "i32")
