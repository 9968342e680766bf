# SPDX-License-Identifier: Apache-2.0
"""One read of global memory that fills the LDS of several workgroups: who receives comes from the multicast model."""

from cdna.tdm import multicast

from . import svg
from .marks import arrow, box, group
from .tree import h, table

WIDTH, HIGH = 346, 28
SHARED, CLUSTER, BOXES = 84, 150, 182  # where the shared load, the cluster and its workgroups begin
MERGED = 5  # most requests that two writers of kernels report to be merged into one read


def draw(here, options):
    """`::fig multicast workgroups=4,16`: one panel for each number of workgroups that share a tile."""
    counts = [int(word) for word in options.pop("workgroups", "4,16").split(",")]
    panels = [(f"{_word(count)} workgroups share the tile", [_panel(here, count)], None) for count in counts]
    rows = []
    for count in dict.fromkeys([1, 2, *counts]):
        mask = multicast.mask_of(range(count))
        rows.append([f"{count} workgroup{'s' if count > 1 else ''}", f"{mask:#06x}", *[str(number) for number in _reads(count)]])
    head = ["share a tile", "mask", "reads alone", "reads shared", f"if {MERGED} merge at most"]
    words = (
        "Every workgroup that the mask names issues the same load; the data goes out once, to all of them. "
        f"The mask has room for {multicast.MASK_BITS}. That at most {MERGED} requests merge into one read is what two writers of kernels report; "
        "the manual names no such number."
    )
    same = h("div", h("p", words), table(head, rows, label="reads of global memory by workgroups", stacked=True))
    # The words belong to all panels: they stand beside the first.
    return [(heading, drawings, same if i == 0 else h("p", _sentence(counts[i]))) for i, (heading, drawings, _) in enumerate(panels)]


def _reads(count):
    shared = multicast.reads(count, True)
    return multicast.reads(count, False), shared, multicast.reads(count, True, merge_most=MERGED)


def _sentence(count):
    mask = multicast.mask_of(range(count))
    return f"Mask {mask:#06x}: {multicast.reads(count, True)} read of global memory, {len(multicast.members_of(mask))} copies."


def _panel(here, count):
    mask = multicast.mask_of(range(count))
    sent = multicast.rendezvous(mask, [(number, 0) for number in range(count)], 0)
    body = [group([box(1, 1, WIDTH - 2, HIGH, "global memory", "f-tensor")], mark="memory")]
    across = [WIDTH * (i + 1) / (len(sent) + 1) for i in range(len(sent))]
    wide = 210 if len(sent) == 1 else 100
    each = (WIDTH - 20) / count
    foot = BOXES + 40
    body.append(group([svg.rect(1, CLUSTER, WIDTH - 2, foot + 26 - CLUSTER, "f-none")], mark="cluster"))
    body.append(svg.text(11, foot + 18, "one cluster; wg: workgroup" if each > 60 else "one cluster; number: workgroup", "m"))
    for x, broadcast in zip(across, sent, strict=True):
        body.append(group([arrow([(x, 1 + HIGH), (x, SHARED)])], mark="read"))
        body.append(svg.text(x + 8, 60, "1 read", "m b"))
        load = [f"one load, mask {mask:#06x}"] if wide > 150 else ["load"]
        body.append(group([box(x - wide / 2, SHARED, wide, HIGH, load, "f-mode")], mark="load"))
        for number in broadcast.receivers:
            to = 10 + (number + 0.5) * each
            start = x + (to - x) * min(1, (wide - 30) / (WIDTH - each))
            body.append(group([arrow([(start, SHARED + HIGH), (to, BOXES)])], mark="copy"))
    for number in range(count):
        name = ["LDS of", f"wg {number}"] if each > 60 else ["LDS", str(number)] if each > 28 else str(number)
        shape = box(10 + number * each + 1, BOXES, each - 2, 40, name, "f-tile", f"LDS of workgroup {number} of the cluster", "m" if each > 28 else "m s")
        body.append(group([shape], mark="workgroup"))
    title = f"One load shared by {count} workgroups"
    desc = _sentence(count) + " All of them are workgroups of one cluster."
    return svg.svg(here.prefix(), WIDTH, foot + 28, title, desc, body)


def _word(count):
    return {2: "Two", 4: "Four", 8: "Eight", 16: "Sixteen"}.get(count, str(count))
