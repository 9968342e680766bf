# SPDX-License-Identifier: Apache-2.0
"""Triton 3.9.0 as a builder of descriptors: copies written as Gluon kernels for gfx1250, words read from its LLVM IR.

The address is a constant and there is one warp, so every word is constant. LDS begins at the tile, address 0.
"""

from cdna_evidence.descriptors import Unreadable
from cdna_evidence.descriptors.llvm_ir import descriptors_of_ir

from .encoder import Encoder, Refused, extents

NAME = "triton"
TITLE = "Triton (Gluon for gfx1250)"
ANSWERS = ("descriptor words",)
VERSION = "3.9.0"
HOW_TO_GET = f"make clients (or pip install triton=={VERSION})"

TYPES = {8: "ttgl.int8", 16: "ttgl.float16", 32: "ttgl.float32", 64: "ttgl.float64"}
MASKS = {0: (1, None), 0b11: (2, "[[%s]]"), 0b1111: (4, "[[%s], [%s]]")}


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    return Triton("triton", VERSION, "triton/_C/libtriton.so", "triton_worker.py", HOW_TO_GET, cache, fresh)


class Triton(Encoder):
    """Triton's compiler, from the Gluon front end to LLVM IR."""

    name = NAME

    def environment(self):
        """Return variables for the worker: nothing is taken from, or left in, a cache of Triton's own."""
        return {"TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": "triton-cache"}

    def source_of(self, copy, op):
        """Return a Gluon kernel that makes one copy.

        Triton places the barrier itself: any `barrier_addr` asks for one.

        Raises: Refused: iterate, early time-out, an address in LDS, a mask that is not a whole small cluster.
        """
        tile, tensor, at, strides = extents(copy)
        for key in ("iterate", "early_timeout", "lds_addr"):
            if copy.get(key):
                raise Refused(f"{key}: Triton's front end does not let it be chosen")
        if copy.get("element_bits") not in TYPES:
            raise Refused(f"element_bits={copy.get('element_bits')}: 8, 16, 32 or 64")
        if copy.get("workgroup_mask", 0) not in MASKS or (copy.get("workgroup_mask") and "gather" in copy):
            raise Refused("workgroup_mask: 0, 3 or 15 (a tile that every member of the cluster loads)")
        ctas, basis = MASKS[copy.get("workgroup_mask", 0)]
        zeros = ", ".join("0" * len(tile))
        cga = "" if basis is None else ", " + basis.replace("%s", zeros)
        kind, rank = TYPES[copy["element_bits"]], len(tile)
        order = list(range(rank - 1, -1, -1))
        if copy.get("pad"):
            pad = copy["pad"]
            scale = [[_units(pad["interval_dwords"], copy), _units(pad["amount_dwords"], copy)]]
            layout = f"ttgl.PaddedSharedLayout.with_identity_for({scale}, {tile}, {order}{cga})"
        else:
            layout = f"ttgl.SwizzledSharedLayout(1, 1, 1, {order}{cga})"
        lines = [
            f"    layout: ttgl.constexpr = {layout}",
            f"    smem = ttgl.allocate_shared_memory({kind}, {tile}, layout)",
        ]
        barrier = ""
        if copy.get("barrier_addr") is not None:
            shared = "" if basis is None else basis.replace("%s", "0")
            lines.append(f"    bar = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout({shared}))")
            lines.append("    mbarrier.init(bar, count=1)")
            barrier = ", mbarrier=bar"
        lines += [
            f"    base = ttgl.to_tensor({copy['base']}).to(ttgl.int64).to(ttgl.pointer_type({kind}))",
            f"    desc = tdm.make_tensor_descriptor(base=base, shape={tensor}, strides={strides}, "
            f"block_shape={tile}, layout=layout)",
        ]
        if copy.get("gather"):
            lines += _gather(copy["gather"], at, op, barrier)
        else:
            lines.append(f"    tdm.async_{op}(desc, {at}, smem{barrier})")
        return _HEAD.format(ctas=ctas) + "\n".join(lines) + "\n"

    def words_of(self, answer, copy):
        """Return the words of every call in Triton's IR. Raises: ValueError: a word is not constant."""
        try:
            found = descriptors_of_ir(answer)
        except Unreadable as error:
            raise ValueError(str(error)) from None
        for item in found:
            if None in item.words:
                raise ValueError(f"word {item.words.index(None)} is not constant")
        return tuple(item.words for item in found)


_HEAD = """\
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon.language.amd.cdna5 import mbarrier, tdm

CTAS = {ctas}


@gluon.jit
def kernel():
"""


def _units(dwords, copy):
    """Return DWORDs as elements, which is what Triton's layouts count."""
    if dwords * 32 % copy["element_bits"]:
        raise Refused(f"pad: {dwords} DWORDs are no whole number of {copy['element_bits']}-bit elements")
    return dwords * 32 // copy["element_bits"]


def _gather(gather, at, op, barrier):
    """Return lines that gather or scatter a list of rows, all of them in one thread's registers."""
    rows, bits = gather["indices"], gather.get("index_bits", 16)
    count = len(rows)
    if count & (count - 1) or bits not in (16, 32) or at[0]:
        raise Refused("gather: a power of two of 16- or 32-bit row numbers, and no row offset")
    chosen = "ar"
    for i, row in enumerate(rows):
        chosen = f"ttgl.where(ar == {i}, {int(row)}, {chosen})"
    verb = "gather" if op == "load" else "scatter"
    return [
        f"    spread: ttgl.constexpr = ttgl.SliceLayout(1, ttgl.BlockedLayout([{count}, 1], [1, 32], [1, 1], [1, 0]))",
        f"    ar = ttgl.arange(0, {count}, layout=spread)",
        f"    rows = ({chosen}).to(ttgl.int{bits})",
        f"    desc = tdm.update_tensor_descriptor(desc, add_offsets={at}"
        + (", pred=True" if op == "load" else "")
        + ", clamp_bounds=True)",
        f"    tdm.async_{verb}(desc, rows, smem{barrier})",
    ]
