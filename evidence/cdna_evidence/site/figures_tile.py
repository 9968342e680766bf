# SPDX-License-Identifier: Apache-2.0
"""Figures of the copy itself: tile, tensor, stride and bound; the tile at an edge; the two worked examples.

Every number is what `cdna.tdm.transfer` answered when the page was made.
"""

from cdna.tdm import transfer, walk

from . import svg
from .tree import h, table

CELL = 26
ELEMENT = 2  # bytes; data_size 1
SENTINEL = 0xEEEE  # what memory and LDS hold where nothing is written


def fields_at(column, row, tile, tensor, pitch, base=0):
    """Return the raw fields of a two-byte 2D copy whose bounds are what is left from the tile on.

    Args: column, row: tile origin in elements; tile, tensor: (width, height); pitch: elements between rows; base: bytes.
    """
    return {
        "count": 1,
        "type": 2,
        "data_size": 1,
        "global_addr": base + ELEMENT * (column + row * pitch),
        "tile_dim0": tile[0],
        "tile_dim1": tile[1],
        "tensor_dim0": max(0, tensor[0] - column),
        "tensor_dim1": max(0, tensor[1] - row),
        "tensor_dim0_stride": pitch,
    }


def numbered(count):
    """Return memory in which each two-byte element holds its own number."""
    return b"".join(i.to_bytes(ELEMENT, "little") for i in range(count))


def elements(data):
    """Return bytes as two-byte numbers."""
    return [int.from_bytes(data[i : i + ELEMENT], "little") for i in range(0, len(data), ELEMENT)]


def loaded(fields, memory):
    """Return what a load leaves in LDS, as two-byte numbers, one after the other."""
    size = fields["tile_dim0"] * max(1, fields.get("tile_dim1", 0)) * ELEMENT
    return elements(transfer.run(fields, "load", [(0, memory)], bytes(size)).lds)


def describe(here, options):
    """`::fig tile`: what the tensor, the tile, the stride and the two bounds measure, on one grid."""
    tensor, pitch, at, tile = (11, 7), 14, (4, 2), (5, 3)
    fields = fields_at(*at, tile, tensor, pitch)
    places = {landing.address: landing for landing in walk.lds_map(fields)}
    cell, left, top = 22, 4, 46
    width, height = left + pitch * cell + 36, top + tensor[1] * cell + 58
    body = []
    for row in range(tensor[1]):
        for column in range(pitch):
            address = ELEMENT * (column + row * pitch)
            inside = column < tensor[0]
            fill = "f-tile" if address in places else "f-tensor" if inside else "f-none"
            tip = f"row {row}, column {column}, byte {address}" + ("" if inside else ": gap, not part of the tensor")
            body.append(svg.rect(left + column * cell, top + row * cell, cell, cell, fill, tip))
    first = [place for place in places.values() if place.at == (0, 0)][0]
    start_row, start_column = divmod(first.address // ELEMENT, pitch)
    x, y = left + start_column * cell, top + start_row * cell
    tile_width = fields["tile_dim0"] * cell
    body.append(f'<circle class="dot" cx="{x + cell / 2}" cy="{y + cell / 2}" r="4.5"/>')
    body.append(svg.text(left, 12, f"stride: {fields['tensor_dim0_stride']} elements, gap included", "m"))
    body.append(svg.measure(left, 22, left + fields["tensor_dim0_stride"] * cell, 22))
    below = top + tensor[1] * cell + 14
    body.append(svg.measure(x, below, x + fields["tensor_dim0"] * cell, below))
    body.append(svg.text(x, below + 18, f"tensor_dim0: {fields['tensor_dim0']}, from the tile on", "m"))
    bound = left + pitch * cell + 10
    body.append(svg.measure(bound, y, bound, y + fields["tensor_dim1"] * cell))
    body.append(svg.upright(bound + 10, y + fields["tensor_dim1"] * cell / 2, f"tensor_dim1: {fields['tensor_dim1']}", "m"))
    words = f"tile {fields['tile_dim0']} by {fields['tile_dim1']}"
    body.append(svg.text(x + tile_width / 2 + 4, y + cell + 16, words, "m b", "middle"))
    body.append(svg.text(left, 40, "tensor", "m"))
    body.append(svg.text(left + pitch * cell, 40, "gap", "m", "end"))
    body.append(svg.text(x, below + 38, f"dot: global_addr, byte {fields['global_addr']}", "m"))
    title = "Tensor, tile, stride and bound"
    desc = (
        f"A tensor of {tensor[0]} by {tensor[1]} elements whose rows start {pitch} elements apart. A tile of {tile[0]} by {tile[1]} starts "
        f"at column {at[0]}, row {at[1]}. tensor_dim0 is {fields['tensor_dim0']} and tensor_dim1 is {fields['tensor_dim1']}, both counted "
        f"from the tile's first element, where global_addr points."
    )
    names = ("global_addr", "tile_dim0", "tile_dim1", "tensor_dim0", "tensor_dim1", "tensor_dim0_stride")
    why = (
        f"{ELEMENT} bytes times ({at[0]} + {at[1]} rows of {pitch}): the tile's first element, not the tensor's",
        "columns the tile asks for",
        "rows the tile asks for",
        f"columns left from the tile on: {tensor[0]} - {at[0]}",
        f"rows left from the tile on: {tensor[1]} - {at[1]}",
        "elements from one row's start to the next, gap included",
    )
    rows = [[h("code", name), str(fields[name]), reason] for name, reason in zip(names, why, strict=True)]
    same = table(["field", "value", "what it measures"], rows, label=desc, stacked=True)
    return [(None, [svg.svg(here.prefix(), width, height, title, desc, body)], same)]


def edge(here, options):
    """`::fig edge`: one tile that hangs over two edges, as a load and as a store."""
    tensor, pitch, at, tile = (12, 5), 12, (8, 2), (7, 5)
    fields = fields_at(*at, tile, tensor, pitch)
    memory = numbered(pitch * (tensor[1] + 3))
    fill = SENTINEL.to_bytes(ELEMENT, "little")
    tile_bytes = numbered(1000)[2 * 500 : 2 * (500 + tile[0] * tile[1])]
    lds = loaded(fields, memory)
    after = elements(transfer.run(fields, "store", [(0, fill * (len(memory) // ELEMENT))], tile_bytes).memory[0][1])
    landings = {place.at: place for place in walk.lds_map(fields)}
    panels = []
    for op in ("load", "store"):
        body, left, top, moved = [], 2, 22, 0
        for row in range(tile[1]):
            for column in range(tile[0]):
                place = landings[column, row]
                x, y = left + column * CELL * 1.5, top + row * CELL
                inside = place.address is not None
                shown = lds[place.lds // ELEMENT] if op == "load" else ""
                if op == "store" and inside:
                    shown = after[place.address // ELEMENT]
                moved += inside
                what = {"load": "zero is written", "store": "nothing is written"}[op]
                tip = f"column {column}, row {row}: " + (f"{shown}" if inside else what)
                body.append(svg.rect(x, y, CELL * 1.5, CELL, "f-tile" if inside else "f-none", tip))
                if shown != "":
                    body.append(svg.text(x + CELL * 0.75, y + 17, shown, "m" if inside else "m q", "middle"))
                else:
                    body.append(svg.cross(x + 12, y + 7, CELL * 1.5 - 24, CELL - 14, "l q"))
        wide, high = fields["tensor_dim0"] * CELL * 1.5, fields["tensor_dim1"] * CELL
        body.append(svg.path([(left + wide, top - 4), (left + wide, top + high), (left - 2, top + high)], "l edge"))
        body.append(svg.text(left, 13, "in the tensor", "m"))
        body.append(svg.text(left + wide + 4, 13, "past its end", "m"))
        desc = (
            f"A tile of {tile[0]} by {tile[1]} where {fields['tensor_dim0']} columns and {fields['tensor_dim1']} rows are left. "
            f"{moved} of {tile[0] * tile[1]} elements lie inside. "
        )
        desc += {
            "load": "The others become zero in LDS.",
            "store": "The others are not written, and memory keeps what it had.",
        }[op]
        title = {"load": "The edge tile as a load: what LDS holds afterwards", "store": "The same tile as a store: what memory receives"}[op]
        drawing = svg.svg(here.prefix(), left * 2 + tile[0] * CELL * 1.5, top + tile[1] * CELL + 4, title, desc, body)
        panels.append((title, [drawing], h("p", desc)))
    return panels


def _strip(here, title, rows, boundary_word):
    """Rows of elements as they land: (label, values, how many came from inside, how many of those from the right row)."""
    cell, left, body, y = 20.5, 2, [], 0
    desc = []
    for label, values, inside, right in rows:
        body.append(svg.text(left, y + 13, label, "m"))
        for i, value in enumerate(values):
            fill = "f-tile" if i < right else "f-hot" if i < inside else "f-none"
            body.append(svg.rect(left + i * cell, y + 19, cell, CELL, fill))
            body.append(svg.text(left + (i + 0.5) * cell, y + 36, value, "m" + (" h" if fill == "f-hot" else ""), "middle"))
        y += CELL + 32
        desc.append(f"{label}: {' '.join(str(value) for value in values)}")
    return svg.svg(here.prefix(), left * 2 + 16 * cell, y - 6, title, ". ".join(desc), body)


def _printed(rows):
    lines = []
    for label, values, _, right in rows:
        cut = right if right < len(values) else None
        text = " ".join(f"{value:2d}" for value in values[:cut])
        if cut is not None:
            text += " | " + " ".join(f"{value:2d}" for value in values[cut:])
        lines += [label, "  " + text]
    return h("pre", h("code", "\n".join(lines)))


def column56(here, options):
    """`::fig column56`: a 16-wide tile at column 56 of 64, with the bound left alone and with the bound moved."""
    columns, start, wide = 64, 56, 16
    memory = numbered(columns * 3)
    rows = []
    for bound in (columns, columns - start):
        fields = fields_at(start, 0, (wide, 1), (columns, 3), columns)
        fields["tensor_dim0"] = bound
        inside = sum(place.address is not None for place in walk.lds_map(fields))
        word = "left at" if bound == columns else "moved to"
        rows.append((f"tensor_dim0 {word} {bound}", loaded(fields, memory), inside, columns - start))
    drawing = _strip(here, f"A tile of {wide} at column {start} of {columns}", rows, "next row")
    return [(f"Tile at column {start} of {columns}, tile_dim0 = {wide}", [drawing], _printed(rows))]


def ragged(here, options):
    """`::fig ragged`: 40 real columns in tiles of 16, the bound shrinking with each step."""
    columns, wide = 40, 16
    memory = numbered(64)
    rows = []
    for start in range(0, columns, wide):
        fields = fields_at(start, 0, (wide, 1), (columns, 1), 64)
        inside = sum(place.address is not None for place in walk.lds_map(fields))
        rows.append((f"column {start}, tensor_dim0 = {fields['tensor_dim0']}", loaded(fields, memory), inside, inside))
    drawing = _strip(here, f"{columns} columns in tiles of {wide}", rows, "past the end")
    return [(f"{columns} real columns, tile_dim0 = {wide}", [drawing], _printed(rows))]
