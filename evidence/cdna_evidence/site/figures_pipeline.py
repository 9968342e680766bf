# SPDX-License-Identifier: Apache-2.0
"""The loop as a time table: what the engine fetches and what the wave computes in each slot; time runs downwards."""

from cdna.tdm import pipeline

from . import svg
from .marks import arrow, box, group
from .tree import h, table

TIME, FETCH, COMPUTE, WIDE, WIDTH = 0, 36, 222, 122, 346  # where the columns begin, and how wide they are
TOP, SLOT, PAD = 26, 46, 3
FILLS = ("f-tile", "f-addr", "f-stride", "f-mode")  # buffers A, B, C, D
# heading, tiles, compute, transfer, latency, buffers, the slot to read
PANELS = (
    ("Two buffers: the next tile comes while one is computed", 5, 1, 1, 0, 2, 2),
    ("One slot of latency, three buffers: two tiles ahead", 5, 1, 1, 1, 3, 3),
)


def draw(here, options):
    """`::fig pipeline`: with two buffers, and with a latency that takes a third."""
    return [_panel(here, *panel) for panel in PANELS]


def _panel(here, heading, tiles, compute, transfer, latency, buffers, read):
    slots = pipeline.timeline(tiles, compute, transfer, latency, buffers)
    waits = [pipeline.wait_limit(buffers, "after", tiles - 1 - slot.tile) for slot in slots]
    end = max(slot.compute_end for slot in slots)
    body = [svg.text(FETCH, 14, "engine fetches", "m b"), svg.text(COMPUTE, 14, "wave computes", "m b"), svg.text(TIME, 14, "slot", "m q s")]
    for number in range(end):
        body.append(svg.text(TIME + 6, _y(number) + SLOT / 2 + 4, number, "m q"))
    for slot, limit in zip(slots, waits, strict=True):
        fill, name = FILLS[slot.buffer], _letter(slot.buffer)
        fetch_end = slot.fetch_start + transfer
        words = f"tile {slot.tile} into {name}"
        tip = f"tile {slot.tile} is fetched into buffer {name}"
        body.append(group([_box(FETCH, slot.fetch_start, fetch_end, words, fill, tip)], mark="fetch", tile=slot.tile))
        words = [f"wait {limit}, then", f"tile {slot.tile} from {name}"]
        tip = f"tile {slot.tile} is computed on, from buffer {name}"
        body.append(group([_box(COMPUTE, slot.compute_start, slot.compute_end, words, fill, tip)], mark="compute", tile=slot.tile))
        start, to = (FETCH + WIDE, _y(fetch_end) - 10), (COMPUTE, _y(slot.compute_start) + 12)
        body.append(group([arrow([start, to])], mark="wait"))
    frame = svg.rect(FETCH - 5, _y(read), WIDTH - FETCH + 3, SLOT, "l edge")
    body.append(group([frame], mark="slot-read"))
    together = _together(slots, transfer)
    ahead = max(fetched - computed for computed, fetched in together)
    computed, fetched = next((c, f) for c, f in together if slots[c].compute_start <= read < slots[c].compute_end)
    desc = (
        f"In the framed slot the engine fetches tile {fetched} while the wave computes on tile {computed}. With {buffers} buffers in turn, the tile that arrives "
        f"never lands on the one that is read. An arrow leads from each tile to the computing that waits for it; wait N stands for s_wait_tensorcnt N."
    )
    drawing = svg.svg(here.prefix(), WIDTH, _y(end) + 6, heading, desc, body)
    rows = []
    for slot, limit in zip(slots, waits, strict=True):
        rows.append([str(slot.tile), _letter(slot.buffer), str(slot.fetch_start), str(limit), str(slot.compute_start)])
    settle = "tile" if ahead == 1 else "tiles"
    head = ["tile", "buffer", "fetch slot", "wait N", "compute slot"]
    note = f"The engine is {ahead} {settle} ahead. At the end the wait falls to 0: nothing newer is in flight that could be allowed."
    same = h("div", h("p", desc), table(head, rows, label=heading, class_="cdna-numbers"), h("p", note))
    return heading, [drawing], same


def _together(slots, transfer):
    """Return [(tile computed, tile that the engine begins to fetch meanwhile)]."""
    found = []
    for slot in slots:
        for other in slots:
            if slot.compute_start < other.fetch_start + transfer and other.fetch_start < slot.compute_end:
                found.append((slot.tile, other.tile))
    return found


def _box(x, first, last, words, fill, tip):
    return box(x, _y(first) + PAD, WIDE, _y(last) - _y(first) - 2 * PAD, words, fill, tip)


def _y(time):
    return TOP + time * SLOT


def _letter(buffer):
    return "ABCD"[buffer]
