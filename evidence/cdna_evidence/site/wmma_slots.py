# SPDX-License-Identifier: Apache-2.0
"""`::wmma-slots`: how many slots the CDNA5 guide asks for and LLVM 22.1.8 leaves after each kind of gfx1250 matrix instruction."""

from cdna.wmma import hazards, manual

from . import card
from .tree import h, joined, rich, table

# what the first instruction is, one of its kind, the format of A of f8f6f4 (or None), the format of B
KINDS = (
    ("FP16, BF16", "v_wmma_f32_16x16x32_f16", None, None),
    ("FP8 with K of 128", "v_wmma_f32_16x16x128_fp8_fp8", None, None),
    ("FP8 with K of 64", "v_wmma_f32_16x16x64_fp8_fp8", None, None),
    ("`f8f6f4`, a side FP8 or BF8", "v_wmma_f32_16x16x128_f8f6f4", "fp8", "fp4"),
    ("`f8f6f4`, FP6 or BF6 on a side, none FP8", "v_wmma_f32_16x16x128_f8f6f4", "fp6", "fp4"),
    ("`f8f6f4`, FP4 on both sides", "v_wmma_f32_16x16x128_f8f6f4", "fp4", "fp4"),
    ("`32x16x128_f4`", "v_wmma_f32_32x16x128_f4", None, None),
    ("integers, `iu8`", "v_wmma_i32_16x16x64_iu8", None, None),
    ("SWMMAC", "v_swmmac_f32_16x16x64_f16", None, None),
    ("SWMMAC of integers", "v_swmmac_i32_16x16x128_iu8", None, None),
    ("`16x16x4_f32`", "v_wmma_f32_16x16x4_f32", None, None),
)
NEXT = "v_wmma_f32_16x16x32_f16"
# what follows, the second instruction, how it depends, the claims that carry the column
AFTER = (
    ("VALU on D", "valu", "read", ("WMMA-051", "WMMA-052")),
    ("VALU over A, B", "valu", "ab-war", ("WMMA-053",)),
    ("D is A, B", NEXT, "ab", ("WMMA-050",)),
    ("D is C", None, "exact", ("WMMA-054",)),
)


def shown(here, args):
    """Return the table; a number that sources dispute carries the other one, and the last column the claim about it."""
    head = ["the product", "the guide asks", *[title for title, _, _, _ in AFTER], "see also"]
    rows = [_row(here, *kind) for kind in KINDS]
    rows.append(["claims", _links(here, [manual.CLAIM]), *[_links(here, claims) for _, _, _, claims in AFTER], None])
    return table(head, rows, class_="cdna-slots", label="slots after a WMMA", stacked=True)


def _links(here, claims):
    return joined([card.see(here, here.claim(claim)) for claim in claims], " ")


def _row(here, title, name, a_format, b_format):
    formats = (a_format or "fp8", b_format or "fp8")
    cells, named = [], []
    for _, then, via, usual in AFTER:
        answer = hazards.waits(name, then or name, via, *formats)
        others = hazards.other_positions(name, *formats, via=via, then=then or name)
        named += [claim for claim in [answer.claim, *[claim for claim, _, _ in others]] if claim not in usual]
        cells.append([h("strong", str(answer.slots)), "".join(f", or {slots}" for _, _, slots in others) or None])
    guide = manual.vector_slots(name, *formats)
    asks = "not in its table" if guide is None else f"{guide}, {guide + 1} before A, B"
    return [rich(title), asks, *cells, _links(here, dict.fromkeys(named))]
