# SPDX-License-Identifier: Apache-2.0
"""Which way data goes in the two LDS permutes: the same indices, once as destinations and once as sources."""

from cdna import lanes

from . import svg
from .marks import arrow, box, group
from .tree import h, table

CELL, HIGH, LEFT, TOP, GAP = 38, 26, 60, 30, 62
SHOWN = 8


def moved(way, by, count):
    """Return the sources of each lane: (source lane, ...), for the index 4 * (lane + by) of a whole wave.

    Args: way: "permute" or "bpermute"; by: how many lanes on; count: lanes of a wave.
    """
    indices = [4 * ((lane + by) % count) for lane in range(count)]
    act = lanes.permute if way == "permute" else lanes.bpermute
    return act(list(range(count)), indices).sources


def drawing(prefix, way, by, count):
    """Return one panel: lanes before above, lanes after below, an arrow for every value among the lanes shown."""
    sources = moved(way, by, count)
    below = TOP + HIGH + GAP
    body = [svg.text(0, TOP + 17, "before", "m q"), svg.text(0, below + 17, "after", "m q"), svg.text(LEFT, 14, f"index = 4 * (lane + {by})", "m")]
    for lane in range(SHOWN):
        x = LEFT + lane * CELL
        body.append(group([box(x, TOP, CELL, HIGH, str(lane), "f-tile", f"lane {lane} holds {lane}")], mark="before", lane=lane))
        got = sources[lane]
        fill = "f-tile" if got < SHOWN else "f-none"
        body.append(group([box(x, below, CELL, HIGH, str(got), fill, f"lane {lane} gets the value of lane {got}")], mark="after", lane=lane, source=got))
    for lane in range(SHOWN):
        got = sources[lane]
        if got < SHOWN:
            ends = [(LEFT + (got + 0.5) * CELL, TOP + HIGH + 2), (LEFT + (lane + 0.5) * CELL, below - 3)]
            body.append(group([arrow(ends)], mark="move", lane=lane, source=got))
    return svg.svg(prefix, LEFT + SHOWN * CELL + 2, below + HIGH + 4, _title(way), said(way, by, sources), body)


def _title(way):
    return "ds_permute_b32: each lane sends" if way == "permute" else "ds_bpermute_b32: each lane fetches"


def said(way, by, sources):
    """Return in words what happens to lanes 0 and 3."""
    to = sources.index(3)
    if way == "permute":
        return f"The index names where a value goes: lane 3 sends to lane {to}, so lane {to} gets 3."
    return f"The index names where a value comes from: lane 3 fetches from lane {sources[3]}, so it gets {sources[3]}."


def draw(here, options):
    """`::fig permute by=1 target=gfx950`: the two directions for one index."""
    by = int(options.pop("by", "1"))
    count = lanes.wave_lanes(options.pop("target", "gfx950"))
    if not 1 <= by < SHOWN:
        raise ValueError(f"by={by}: 1..{SHOWN - 1}")
    panels = []
    for way in ("permute", "bpermute"):
        sources = moved(way, by, count)
        words = said(way, by, sources)
        rows = [[str(lane), str(4 * ((lane + by) % count)), str(sources[lane])] for lane in range(SHOWN)]
        same = h("div", h("p", words), table(["lane", "byte index", "holds the value of lane"], rows, label=words, class_="cdna-numbers"))
        panels.append((_title(way), [drawing(here.prefix(), way, by, count)], same))
    return panels
