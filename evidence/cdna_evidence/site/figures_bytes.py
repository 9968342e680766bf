# SPDX-License-Identifier: Apache-2.0
"""Where each byte of a padded tile that hangs over two edges lands: memory above, LDS below, byte by byte."""

from cdna.tdm import pad, transfer, walk

from . import svg
from .marks import box, group
from .tree import h, table

ELEMENT = 2  # bytes; data_size 1
TILE, TENSOR, PITCH, START = (8, 4), (6, 3), 12, 16  # elements, elements left, elements a row, byte address of the tile
INTERVAL, AMOUNT = 4, 2  # DWORDs: a gap of 2 after every 4
LINE, CELL, HIGH, LEFT = 16, 19, 24, 40  # bytes a drawn line, pixels
UNTOUCHED = 0xEE


def fields():
    """Return the raw fields of the tile that is drawn."""
    return {
        "count": 1,
        "type": 2,
        "data_size": 1,
        "global_addr": START,
        "tile_dim0": TILE[0],
        "tile_dim1": TILE[1],
        "tensor_dim0": TENSOR[0],
        "tensor_dim1": TENSOR[1],
        "tensor_dim0_stride": PITCH,
        "pad_enable": 1,
        "pad_interval": pad.interval_code(INTERVAL),
        "pad_amount": pad.amount_code(AMOUNT),
    }


def landed():
    """Return what LDS holds afterwards, byte by byte: a memory address, "zero" or "gap".

    Every byte of memory holds its own address, so LDS tells where its bytes came from; memory addresses are below 128.
    """
    places = walk.lds_map(fields())
    size = max(place.lds for place in places) + ELEMENT
    memory = bytes(range(START + PITCH * TILE[1] * ELEMENT))
    lds = transfer.run(fields(), "load", [(0, memory)], bytes([UNTOUCHED]) * size).lds
    return ["gap" if byte == UNTOUCHED else byte if byte else "zero" for byte in lds]


def draw(here, options):
    """`::fig bytes`: the tile's bytes in memory, then the same bytes in LDS."""
    lds = landed()
    inside = {byte for byte in lds if isinstance(byte, int)}
    body = [svg.text(0, 12, "Memory: the tile's bytes, by address", "m b")]
    top = 22
    for row in range(TILE[1]):
        y = top + row * HIGH
        body.append(svg.text(0, y + 16, f"row {row}", "m q"))
        for i in range(TILE[0] * ELEMENT):
            address = START + row * PITCH * ELEMENT + i
            x = LEFT + i * CELL
            if address in inside:
                cell = box(x, y, CELL, HIGH, str(address), "f-tile", f"row {row}, memory byte {address}", "m s")
            else:
                cell = svg.rect(x, y, CELL, HIGH, "f-none", f"row {row}, memory byte {address}: past the bound, not read")
            body.append(group([cell], mark="memory", address=address))
    edge = LEFT + TENSOR[0] * ELEMENT * CELL
    foot = top + TENSOR[1] * HIGH
    body.append(svg.path([(edge, top - 4), (edge, foot), (LEFT - 4, foot)], "l edge"))
    note = top + TILE[1] * HIGH + 15
    body.append(svg.text(LEFT, note, "past the thick line: outside the tensor", "m q"))
    body.append(svg.text(0, note + 30, "LDS: what each byte holds afterwards", "m b"))
    top = note + 40
    for start in range(0, len(lds), LINE):
        y = top + start // LINE * HIGH
        body.append(svg.text(0, y + 16, f"+{start}", "m q"))
        body += _lds_line(lds, start, y)
    runs = _runs(lds)
    bottom = top + -(-len(lds) // LINE) * HIGH
    body.append(svg.text(LEFT, bottom + 15, "number: memory byte; 0: written as zero", "m q"))
    counts = {kind: sum(byte == kind for byte in lds) for kind in ("zero", "gap")}
    title = "A padded tile over two edges, byte by byte"
    desc = (
        f"A tile of {TILE[0]} by {TILE[1]} elements of {ELEMENT} bytes, with {TENSOR[0]} columns and {TENSOR[1]} rows of the tensor left, and a gap of "
        f"{AMOUNT * 4} bytes after every {INTERVAL * 4} bytes written. Of {len(lds)} bytes of LDS, {len(inside)} come from memory, {counts['zero']} become zero, "
        f"and {counts['gap']} lie in gaps and keep what they held. Zeros count as written bytes; after the last row no gap follows."
    )
    drawing = svg.svg(here.prefix(), LEFT + LINE * CELL + 2, bottom + 22, title, desc, body)
    same = h("div", h("p", desc), table(["LDS bytes", "hold"], [[span, words] for span, words in runs], label=title))
    return [(None, [drawing], same)]


def _lds_line(lds, start, y):
    """One line of LDS bytes; the bytes of a gap are drawn one by one and named together."""
    drawn, gap = [], []
    for i, byte in enumerate(lds[start : start + LINE]):
        x, at = LEFT + i * CELL, start + i
        if byte == "gap":
            gap.append(i)
            cell = svg.rect(x, y, CELL, HIGH, "f-pad", f"LDS byte {at}: gap, not written")
        elif byte == "zero":
            cell = box(x, y, CELL, HIGH, "0", "f-none", f"LDS byte {at}: written as zero", "m q")
        else:
            cell = box(x, y, CELL, HIGH, str(byte), "f-tile", f"LDS byte {at}: from memory byte {byte}", "m s")
        drawn.append(group([cell], mark="lds", at=at))
    if gap:
        first, wide = LEFT + gap[0] * CELL, len(gap) * CELL
        drawn.append(group([box(first, y, wide, HIGH, "gap, not written", "f-pad")], mark="gap-name"))
    return drawn


def _runs(lds):
    """Return [(span of LDS bytes, what it holds)], bytes that continue each other joined."""
    runs = []
    for at, byte in enumerate(lds):
        last = runs[-1] if runs else None
        goes_on = last and (byte == last[3] if isinstance(byte, str) or isinstance(last[3], str) else byte == last[3] + 1)
        if goes_on:
            runs[-1] = (last[0], at, last[2], byte)
        else:
            runs.append((at, at, byte, byte))
    words = {"gap": "a gap: not written, keeps what it held", "zero": "zero"}
    return [(f"{first} to {last}", words.get(start) or f"memory bytes {start} to {stop}") for first, last, start, stop in runs]
