# SPDX-License-Identifier: Apache-2.0
"""A gather as a picture: which row of the tensor lands in which row of LDS, and through which entry of the list."""

from cdna.tdm import transfer, walk

from . import svg
from .marks import arrow, box, group
from .tree import h, table

ROWS, COLUMNS, ELEMENT = 10, 4, 2  # the tensor drawn; bytes an element
CELL, HIGH, LABEL, TOP = 24, 23, 42, 26
LIST, LDS, WIDTH = 186, 246, 344  # where the list and LDS begin, and where the drawing ends
# One colour for each row that is asked for: fill of its cells, line of its arrows.
COLOURS = (("f-tile", "--executed"), ("f-stride", "--corroborated"), ("f-addr", "--failed"), ("f-mode", "--withdrawn"))


def fields_for(indices):
    """Return the raw fields of a gather of whole rows out of the tensor drawn.

    Args: indices: row numbers, up to 16.
    """
    return {
        "count": 1,
        "type": 2,
        "gather_mode": 1,
        "data_size": 1,
        "tile_dim0": COLUMNS,
        "tile_dim1": len(indices),
        "tensor_dim0": COLUMNS,
        "tensor_dim1": ROWS,
        "tensor_dim0_stride": COLUMNS,
        "row_indices": list(indices),
    }


def landed(fields):
    """Return what the model says of each LDS row: (place in the list, LDS byte, source row or None, its elements).

    Memory holds 10 * row + column, so an element tells where it came from.
    """
    memory = b"".join((10 * row + column).to_bytes(ELEMENT, "little") for row in range(ROWS) for column in range(COLUMNS))
    size = fields["tile_dim1"] * COLUMNS * ELEMENT
    lds = transfer.run(fields, "load", [(0, memory)], b"\xff" * size).lds
    found = []
    for place in walk.lds_map(fields):
        if place.at[0] == 0:
            row = lds[place.lds : place.lds + COLUMNS * ELEMENT]
            elements = [int.from_bytes(row[i : i + ELEMENT], "little") for i in range(0, len(row), ELEMENT)]
            source = None if place.address is None else place.address // (COLUMNS * ELEMENT)
            found.append((place.at[1], place.lds, source, elements))
    return found


def draw(here, options):
    """`::fig gather rows=9,2,6,2`: a tensor of ten rows, the list, and LDS in the order of the list."""
    indices = [int(word) for word in options.pop("rows", "9,2,6,2").split(",")]
    if not 1 <= len(indices) <= 8 or not all(0 <= index < ROWS for index in indices):
        raise ValueError(f"rows={indices}: 1 to 8 row numbers of 0..{ROWS - 1}")
    rows = landed(fields_for(indices))
    asked = list(dict.fromkeys(indices))
    colours = {row: COLOURS[i % len(COLOURS)] for i, row in enumerate(asked)}
    first = TOP + (ROWS - len(rows)) * HIGH / 2
    body = [svg.text(LABEL, 14, "tensor", "m b"), svg.text(LIST, first - 9, "list", "m b"), svg.text(LDS, first - 9, "LDS", "m b")]
    for row in range(ROWS):
        y = TOP + row * HIGH
        cells = [svg.text(0, y + 16, f"row {row}", "m" if row in colours else "m q")]
        for column in range(COLUMNS):
            fill = colours[row][0] if row in colours else "f-tensor"
            cells.append(box(LABEL + column * CELL, y, CELL, HIGH, str(10 * row + column), fill))
        body.append(group(cells, mark="tensor-row", row=row))
    for place, byte, source, elements in rows:
        y = first + place * HIGH
        fill, line = colours[source]
        middle = y + HIGH / 2
        body.append(group([box(LIST, y, 26, HIGH, str(indices[place]), fill, f"entry {place} of the list")], mark="entry"))
        cells = [box(LDS + i * CELL, y, CELL, HIGH, str(value), fill, f"LDS byte {byte + i * ELEMENT}") for i, value in enumerate(elements)]
        body.append(group(cells, mark="lds-row", byte=byte))
        start = (LABEL + COLUMNS * CELL, TOP + source * HIGH + HIGH / 2)
        body.append(group([arrow([start, (LIST, middle)], colour=line)], mark="read"))
        body.append(group([arrow([(LIST + 26, middle), (LDS, middle)], colour=line)], mark="write"))
    order = ", ".join(str(index) for index in indices)
    title = f"A gather of {len(indices)} rows"
    desc = f"The list reads {order}. LDS holds rows {', '.join(str(source) for _, _, source, _ in rows)} of the tensor, one after the other."
    drawing = svg.svg(here.prefix(), WIDTH, TOP + ROWS * HIGH + 4, title, desc, body)
    lines = [[str(place), str(indices[place]), str(byte), " ".join(str(value) for value in elements)] for place, byte, source, elements in rows]
    same = h("div", h("p", desc), table(["entry", "row number", "LDS byte", "LDS holds"], lines, label=desc, class_="cdna-numbers"))
    return [(None, [drawing], same)]
