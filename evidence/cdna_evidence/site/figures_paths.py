# SPDX-License-Identifier: Apache-2.0
"""The three ways from global memory to LDS, side by side, with what the model says each of them costs."""

from cdna.tdm import paths

from . import svg
from .marks import arrow, box, group
from .tree import h, table

COLUMN, GAP = 111, 6
NAMES = {
    "round-trip": ("register", "round trip"),
    "async": ("async copy", "to LDS"),
    "tdm": ("Tensor Data", "Mover"),
}
SHORT = {"round-trip": "round trip", "async": "async copy", "tdm": "TDM"}
SIZES = ((16, 64), (64, 128), (128, 256))  # rows, bytes a row: for the table
MEMORY, MIDDLE, LDS, COSTS = 46, 118, 190, 240  # where the parts of a column begin


def draw(here, options):
    """`::fig paths rows=64 row_bytes=128`: a tile on each path: where the data stops, and what the copy takes."""
    rows, row_bytes = int(options.pop("rows", "64")), int(options.pop("row_bytes", "128"))
    body, costs = [], []
    for i, path in enumerate(paths.PATHS):
        spent = paths.cost(path, rows, row_bytes)
        costs.append(spent)
        body.append(group(_column(i * (COLUMN + GAP), spent), path=path))
    width = 3 * COLUMN + 2 * GAP + 2
    title = f"Three paths to LDS for a tile of {rows} rows of {row_bytes} bytes"
    desc = " ".join(_sentence(spent) for spent in costs)
    drawing = svg.svg(here.prefix(), width, COSTS + 66, title, desc, body)
    head = ["", *[SHORT[path] for path in paths.PATHS]]
    lines = [
        ["copy instructions", *[str(paths.instructions(spent)) for spent in costs]],
        ["data stops in", *["VGPRs" if spent.data_vgprs else "nothing" for spent in costs]],
        ["VGPRs a lane: data + addresses", *[f"{spent.data_vgprs} + {spent.address_vgprs}" for spent in costs]],
        ["SGPRs of the descriptor", *[str(spent.descriptor_sgprs or "none") for spent in costs]],
        ["waits on", *[", ".join(spent.counters) for spent in costs]],
        ["addresses computed by", *[{"lane": "every lane"}.get(spent.addresses_by, f"the {spent.addresses_by}") for spent in costs]],
    ]
    scaling = [[f"{r} x {b}", *[str(paths.instructions(spent)) for spent in found]] for (r, b), found in paths.table(SIZES)]
    same = h(
        "div",
        table(head, lines, label=desc, stacked=True),
        h("p", "Copy instructions as the tile grows, 16 bytes a lane and 32 lanes a wave:"),
        table(["rows x bytes", *head[1:]], scaling, label="copy instructions by tile size", class_="cdna-numbers"),
    )
    return [(None, [drawing], same)]


def _column(x, spent):
    middle = x + COLUMN / 2
    top, below = NAMES[spent.path]
    shapes = [svg.text(middle, 14, top, "m b", "middle"), svg.text(middle, 30, below, "m b", "middle")]
    shapes.append(group([box(x + 1, MEMORY, COLUMN, 28, "global memory", "f-tensor")], mark="memory"))
    shapes.append(group([box(x + 1, LDS, COLUMN, 28, "LDS", "f-tile")], mark="lds"))
    if spent.data_vgprs:
        shapes.append(group([box(x + 1, MIDDLE, COLUMN, 28, "VGPRs", "f-addr")], mark="stop"))
        shapes.append(_flow(x, MEMORY + 28, MIDDLE, [f"{spent.loads} loads"]))
        shapes.append(_flow(x, MIDDLE + 28, LDS, [f"{spent.lds_stores} stores"]))
    elif spent.descriptor_sgprs:
        shapes.append(_flow(x, MEMORY + 28, LDS, [f"{spent.loads} load", "D# says what", "and where"]))
    else:
        shapes.append(_flow(x, MEMORY + 28, LDS, [f"{spent.loads} copies", "an address", "per lane"]))
    number = paths.instructions(spent)
    lines = [
        ("instructions", f"{number} instruction{'s' if number > 1 else ''}"),
        ("vgprs", f"{paths.vgprs(spent)} VGPRs"),
        ("sgprs", f"{spent.descriptor_sgprs} SGPRs" if spent.descriptor_sgprs else None),
        *[("counter", counter) for counter in spent.counters],
    ]
    y = COSTS
    for mark, words in lines:
        if words:
            shapes.append(group([svg.text(middle, y, words, "m b" if mark == "instructions" else "m", "middle")], mark=mark))
            y += 19
    return shapes


def _flow(x, top, bottom, words):
    """An arrow down the left of a column, with its words beside it."""
    at = x + 14
    first = (top + bottom) / 2 + 4 - 8 * (len(words) - 1)
    notes = [svg.text(at + 8, first + 16 * i, word, "m" if i == 0 else "m q s") for i, word in enumerate(words)]
    return group([arrow([(at, top), (at, bottom)]), *notes], mark="flow")


def _sentence(spent):
    name = " ".join(NAMES[spent.path])
    number = paths.instructions(spent)
    registers = f"{spent.data_vgprs} VGPRs of data and {spent.address_vgprs} of addresses" if spent.data_vgprs else f"{spent.address_vgprs} VGPRs of addresses"
    if spent.descriptor_sgprs:
        registers = f"{spent.descriptor_sgprs} SGPRs and no VGPR"
    return f"{name[0].upper()}{name[1:]}: {number} instruction{'s' if number > 1 else ''}, {registers}, waited on with {' and '.join(spent.counters)}."
