# SPDX-License-Identifier: Apache-2.0
"""The bit-field figure of the descriptor, drawn from the model's field table: each group, each reading of groups 2 and 3."""

from cdna.tdm import descriptor

from . import svg
from .tree import h, table

# What a panel shows: name -> (title, layout, groups).
PANELS = {
    "group0": ("Group 0, in every mode", "dense", (0,)),
    "group1": ("Group 1, in every mode", "dense", (1,)),
    "dense": ("Groups 2 and 3, dense", "dense", (2, 3)),
    "iterate": ("Groups 2 and 3, iterating", "iterate", (2, 3)),
    "gather16": ("Groups 2 and 3, gathering with 16-bit indices", "gather16", (2, 3)),
    "gather32": ("Groups 2 and 3, gathering with 32-bit indices", "gather32", (2, 3)),
}
ROW, GAP, LEVEL, LEFT, TOP = 26, 8, 15, 40, 34


def colour(name):
    """Return the fill class of a field: the same object has the same colour in every figure."""
    if name.startswith("tile_dim"):
        return "f-tile"
    if name.endswith("_stride"):
        return "f-stride"
    if name.startswith("tensor_dim"):
        return "f-tensor"
    if name.startswith("pad_"):
        return "f-pad"
    if name in ("global_addr", "lds_addr", "atomic_barrier_address") or name.endswith("_increment"):
        return "f-addr"
    return "f-mode"


def pieces(field, per_row):
    """Return where a field stands: (word, row in the word, high bit, low bit of that row, bits of the field).

    Args: field: a descriptor.Field; per_row: 32 or 16 bits a row.
    """
    found, at, end = [], field.lo, field.lo + field.width
    while at < end:
        stop = min(end, (at // per_row + 1) * per_row)
        row = at // per_row
        found.append((row, stop - 1 - row * per_row, at - row * per_row, (stop - 1 - field.lo, at - field.lo)))
        at = stop
    return found


def panel(prefix, name, per_row, cell):
    """Return the drawing of one panel.

    Args: prefix: of its ids; name: key of PANELS; per_row: 32 or 16 bits a row; cell: pixels a bit.
    """
    title, layout, groups = PANELS[name]
    body, y = [], 0
    width = LEFT + per_row * cell + 2
    for group in groups:
        drawn, y = _group(layout, group, per_row, cell, y)
        body += drawn
    desc = "; ".join(f"group {f.group} bits {f.lo + f.width - 1} to {f.lo}: {f.name}" for f in fields(name))
    return svg.svg(prefix, width, y + 2, f"{title}, {per_row} bits a row", desc, body, f"bits{per_row}")


def fields(name):
    """Return the fields of a panel in bit order."""
    _, layout, groups = PANELS[name]
    return [field for field in descriptor.fields_of(layout) if field.group in groups]


def _group(layout, group, per_row, cell, y):
    words = descriptor.GROUP_WORDS[group]
    body = [svg.text(0, y + 13, f"group {group}", "b")]
    for bit in range(per_row):
        if bit % 4 == 0 or bit == per_row - 1:
            x = LEFT + (per_row - 1 - bit) * cell + cell / 2
            body.append(svg.text(x, y + TOP - 6, bit, "m s", "middle"))
    y += TOP
    rows = {}
    for field in descriptor.fields_of(layout):
        if field.group == group:
            for row, high, low, bits in pieces(field, per_row):
                rows.setdefault(row, []).append((high, low, bits, field))
    for group_, lo, width in descriptor.reserved_of(layout):
        if group_ == group:
            gap = descriptor.Field("reserved", group, lo, width, "", "literal", (), "")
            for row, high, low, bits in pieces(gap, per_row):
                rows.setdefault(row, []).append((high, low, bits, gap))
    halves = 32 // per_row
    for row in range(words * halves):
        label = f"w{row // halves}" + ("" if halves == 1 else (".lo", ".hi")[row % 2])
        body.append(svg.text(0, y + 17, label, "m q"))
        drawn, below = _row(sorted(rows.get(row, []), key=lambda item: item[1]), per_row, cell, y)
        body += drawn
        y += ROW + below + GAP
    return body, y


def _row(items, per_row, cell, y):
    """One row of bits: names inside where they fit, else on a line of their own below, each led to its bit."""
    body, called = [], []
    for high, low, bits, field in items:
        x, width = LEFT + (per_row - 1 - high) * cell, (high - low + 1) * cell
        whole = bits == (field.width - 1, 0)
        name = field.name if whole else f"{field.name} [{bits[0]}:{bits[1]}]"
        last = field.lo + field.width - 1
        tip = f"{field.name}: group {field.group} bits {last}:{field.lo}, words {field.lo // 32} to {last // 32}"
        fill = "f-none" if field.name == "reserved" else colour(field.name)
        body.append(svg.rect(x, y, width, ROW, fill, tip))
        if len(name) * svg.CHAR + 2 <= width:
            ink = "m q" if field.name == "reserved" else "m"
            body.append(svg.text(x + width / 2, y + 17, name, ink, "middle"))
        elif field.name == "reserved":
            continue
        else:
            called.append((x + width / 2, name))
    return _labels(body, called, LEFT + per_row * cell, y)


def _labels(body, called, right_edge, y):
    """Add the labels below a row and return the shapes with the height they took."""
    half = LEFT + (right_edge - LEFT) / 2
    ways = (lambda x: False, lambda x: True, lambda x: x >= half)
    placed = next((found for found in (_placed(called, way, right_edge) for way in ways) if found is not None), [])
    if called and not placed:
        raise ValueError(f"no room for the labels {', '.join(name for _, name in called)}")
    for level, x, name, left in placed:
        bottom = y + ROW + level * LEVEL + 10
        body.append(svg.path([(x, y + ROW), (x, bottom), (x - 4 if left else x + 4, bottom)]))
        body.append(svg.text(x - 6 if left else x + 6, bottom + 4, name, "m", "end" if left else "start"))
    return body, (max(level for level, *_ in placed) + 1) * LEVEL + 2 if placed else 0


def _placed(called, goes_left, right_edge):
    """Return [(level, x, name, left)] with each label on the highest free line, or None where one does not fit.

    A label runs to one side of its line. Of those that run to the right the rightmost stands highest, of those that run to
    the left the leftmost: so no line passes through a label.
    """
    right = sorted((item for item in called if not goes_left(item[0])), reverse=True)
    placed, taken = [], []
    for x, name in right + sorted(item for item in called if goes_left(item[0])):
        left = goes_left(x)
        length = 6 + len(name) * svg.CHAR
        low, high = (x - length, x) if left else (x, x + length)
        if low < 0 or high > right_edge + 2:
            return None
        lines = [n for n in range(len(called)) if not any(_touch(n, low, high, x, other) for other in taken)]
        if not lines:
            return None
        taken.append((lines[0], low, high, x))
        placed.append((lines[0], x, name, left))
    return placed


def _touch(level, low, high, x, other):
    """Whether a label at this level would touch another label, or one of the two lines the other's label."""
    other_level, other_low, other_high, other_x = other
    if level == other_level:
        return low - 3 <= other_high and other_low <= high + 3
    return other_low - 2 <= x <= other_high + 2 if level > other_level else low - 2 <= other_x <= high + 2


def field_table(here, name):
    """Return the same panel as a table: bits inside the group, name, how the value is encoded, range, claim."""
    rows = []
    several = len(PANELS[name][2]) > 1
    for field in fields(name):
        bits = f"{field.lo + field.width - 1}:{field.lo}" if field.width > 1 else str(field.lo)
        rows.append(
            [
                h("span", (f"{field.group}/" if several else "") + bits, class_="cdna-num"),
                h("code", field.name),
                [h("span", _holds(field)), h("br"), h("span", _range(field), class_="cdna-num cdna-quiet")],
                _claim(here, field.claim),
            ]
        )
    head = ["group/bits" if several else "bits", "field", "holds, and stands for", "claim"]
    return table(head, rows, label=PANELS[name][0], class_="cdna-fields")


def _holds(field):
    """How the value is held, in words: `pad_amount` holds DWORDs minus one."""
    unit = field.unit or "times"
    return {
        "literal": unit,
        "flag": "flag",
        "code": "code",
        "log2": f"log2 of {unit}",
        "minus-one": f"{unit} minus one",
        "power-of-two": f"code n for 2 << n {unit}",
        "shifted-3": "byte address / 8",
    }[field.coding]


def _range(field):
    top = (1 << field.width) - 1
    if field.coding == "flag":
        return "off, on"
    if field.width >= 32 and field.coding == "literal":
        return f"0 to 2^{field.width} - 1"
    return f"{descriptor.literal(field, 0)} to {descriptor.literal(field, top)}"


def _claim(here, identity):
    from . import card

    return card.see(here, here.claim(identity)) if identity else ""


def draw(here, options):
    """Return (list of drawings with their tables) for `::fig bits part=NAME`; without a part, every panel."""
    names = [options.pop("part")] if "part" in options else list(PANELS)
    found = []
    for name in names:
        if name not in PANELS:
            raise ValueError(f"part={name}: one of {', '.join(PANELS)}")
        wide, narrow = here.prefix(), here.prefix()
        drawings = [panel(wide, name, 32, 24), panel(narrow, name, 16, 20)]
        found.append((PANELS[name][0], drawings, field_table(here, name)))
    return found
