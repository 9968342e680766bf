# SPDX-License-Identifier: Apache-2.0
"""Which banks one service group asks for: rows packed, rows with a gap after each, rows with an XOR swizzle."""

from cdna.lds import conflicts, search, service

from . import svg
from .marks import box, group
from .tree import h, table

CELL, HIGH, LEFT, TOP = 20, 20, 66, 40
ROWS = 16  # rows of the operand that the wave reads


def patterns(target, op, row_bytes, pad, bits):
    """Return [(name, heading, Conflicts, addresses)] of the three ways to lay the same rows out.

    Args: op: such as ds_read_b128; row_bytes: of a packed row; pad: bytes after each row; bits: of the XOR swizzle.
    """
    groups_of = service.service(target, op)
    width, count = groups_of.width, sum(len(lanes) for lanes in groups_of.groups)
    if groups_of.banks * 4 % width:
        raise ValueError(f"op={op}: an access whose {width} bytes divide the {groups_of.banks * 4} bytes of a line of banks")

    def swizzled(byte):
        row, column = byte // row_bytes, byte % row_bytes
        return search.swizzled_element(row, column, row_bytes, width, bits)

    ways = [
        ("packed", f"Packed: rows of {row_bytes} bytes", search.pattern(row_bytes, width, count, ROWS)),
        ("padded", f"Padded: {pad} bytes after each row", search.pattern(row_bytes + pad, width, count, ROWS)),
        ("swizzled", f"Swizzled: {width}-byte chunk xor (row mod {1 << bits})", search.pattern(row_bytes, width, count, ROWS, swizzled)),
    ]
    return [(name, heading, conflicts.conflicts(places, groups_of), places) for name, heading, places in ways]


def worst_group(one):
    """Return the number of the group with the highest degree, the first of them."""
    return one.degrees.index(max(one.degrees))


def drawing(prefix, heading, name, one, addresses):
    """Return one panel: a line for each lane of the worst group, a column for each bank slot as wide as one access."""
    width, banks = one.service.width, one.service.banks
    slots = banks * 4 // width
    number = worst_group(one)
    lanes = sorted(one.service.groups[number])
    slot = {lane: addresses[lane] // width % slots for lane in lanes}
    body = [svg.text(0, 12, "banks", "m q")]
    for i in range(0, slots, max(1, slots // 4)):
        body.append(svg.text(LEFT + i * CELL, TOP - 8, f"{i * width // 4}-", "m s"))
    held = {i: len({addresses[lane] for lane in lanes if slot[lane] == i}) for i in range(slots)}
    for line, lane in enumerate(lanes):
        y = TOP + line * HIGH
        body.append(svg.text(0, y + 14, f"lane {lane}", "m q"))
        for i in range(slots):
            x = LEFT + i * CELL
            if slot[lane] != i:
                body.append(svg.rect(x, y, CELL, HIGH, "f-none"))
                continue
            fill = "f-hot" if held[i] > 1 else "f-tile"
            tip = f"lane {lane} reads LDS byte {addresses[lane]}: banks {i * width // 4} to {(i + 1) * width // 4 - 1}"
            cell = box(x, y, CELL, HIGH, str(held[i]), fill, tip, "m h" if held[i] > 1 else "m")
            body.append(group([cell], mark="asked", lane=lane, slot=i, layout=name))
    words = said(one)
    return svg.svg(prefix, LEFT + slots * CELL + 2, TOP + len(lanes) * HIGH + 4, heading, words, body)


def said(one):
    """Return in words what the worst group does."""
    number = worst_group(one)
    lanes = len(one.service.groups[number])
    degree = one.degrees[number]
    if degree <= max(one.least):
        return f"No bank of group {number} is asked twice by its {lanes} lanes: degree {degree} in every group."
    return f"The busiest bank of group {number} must deliver {degree} DWORDs for its {lanes} lanes."


def draw(here, options):
    """`::fig bankmap target=gfx950 row_bytes=256 pad=32`: the worst service group of each layout."""
    target = options.pop("target", "gfx950")
    op = options.pop("op", "ds_read_b128")
    row_bytes, pad, bits = [int(options.pop(name, default)) for name, default in (("row_bytes", "256"), ("pad", "32"), ("bits", "3"))]
    panels = []
    for name, heading, one, addresses in patterns(target, op, row_bytes, pad, bits):
        lines = [[str(i), str(degree)] for i, degree in enumerate(one.degrees)]
        same = h("div", h("p", said(one)), table(["group", "degree"], lines, label=said(one), class_="cdna-numbers"))
        panels.append((heading, [drawing(here.prefix(), heading, name, one, addresses)], same))
    return panels
