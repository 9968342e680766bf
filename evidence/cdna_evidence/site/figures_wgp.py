# SPDX-License-Identifier: Apache-2.0
"""Where the engines sit: a record of what sources say (ARCH-002, TDM-118, TDM-121), with LDS numbers from the target."""

from cdna import targets

from . import svg
from .marks import arrow, box, group
from .tree import table

PAIRS, SIMDS_A_PAIR = 2, 2  # TDM-121, ARCH-002: no model holds these two
WIDE, GAP, EDGE = 152, 16, 8


def draw(here, options):
    """`::fig wgp`: one workgroup processor, from the SIMDs down to global memory."""
    target = targets.GFX1250
    kib, banks = target.lds_bytes // 1024, target.lds_banks
    width = 2 * EDGE + PAIRS * WIDE + (PAIRS - 1) * GAP
    body = [svg.rect(1, 1, width - 2, 268, "f-none"), svg.text(EDGE + 2, 18, "workgroup processor (WGP)", "m b")]
    block_top = 196
    for pair in range(PAIRS):
        left = EDGE + pair * (WIDE + GAP)
        simds = []
        for i in range(SIMDS_A_PAIR):
            each = (WIDE - 24) / SIMDS_A_PAIR
            simd = box(left + 8 + i * (each + 8), 36, each, 30, f"SIMD {pair * SIMDS_A_PAIR + i}", "f-stride")
            simds.append(group([simd], mark="simd"))
        body.append(group([svg.rect(left, 28, WIDE, 46, "f-none")], mark="pair"))
        body += simds
        middle = left + WIDE / 2
        body.append(group([arrow([(middle, 74), (middle, 106)])], mark="issue"))
        body.append(svg.text(middle + 7, 94, "descriptor", "m q"))
        body.append(group([box(left + 16, 106, WIDE - 32, 34, f"TDM {pair}", "f-mode", "Tensor Data Mover: one for each pair of SIMDs")], mark="engine"))
        body.append(group([arrow([(middle, 140), (middle, block_top)], both=True)], mark="tiles"))
        body.append(svg.text(middle + 7, 172, "tiles", "m q"))
    inner = width - 2 * EDGE
    split = inner * 0.62
    lds = [f"LDS, {kib} KiB", f"{banks} banks of {target.bank_bytes} bytes"]
    body.append(group([box(EDGE, block_top, split, 62, lds, "f-tile")], mark="lds"))
    body.append(group([box(EDGE + split, block_top, inner - split, 62, ["WGP", "cache"], "f-addr")], mark="cache"))
    middle = width / 2
    body.append(group([arrow([(middle, 269), (middle, 306)], both=True)], mark="path"))
    body.append(svg.text(middle + 10, 292, "cache hierarchy", "m q"))
    body.append(group([box(1, 306, width - 2, 34, "global memory", "f-tensor")], mark="memory"))
    title = "A workgroup processor and its two engines"
    desc = (
        f"{PAIRS} pairs of SIMDs, each with a Tensor Data Mover below it. The SIMDs hand descriptors to their engine. Both engines move tiles to and from "
        f"one block of LDS and WGP cache, and reach global memory through the cache hierarchy, in both directions."
    )
    drawing = svg.svg(here.prefix(), width, 342, title, desc, body)
    rows = [
        ["SIMDs", str(PAIRS * SIMDS_A_PAIR), f"in {PAIRS} pairs; they issue the instructions"],
        ["Tensor Data Movers", str(PAIRS), "one for each pair"],
        ["LDS", "1", f"{kib} KiB, {banks} banks of {target.bank_bytes} bytes; both engines write into it"],
        ["WGP cache", "1", "in one block with LDS, on the way to global memory"],
    ]
    return [(None, [drawing], table(["part", "how many", "what it is"], rows, label=desc, stacked=True))]
