# SPDX-License-Identifier: Apache-2.0
"""The descriptor at a glance: twelve registers that always mean the same, and eight that mean three things."""

from cdna.tdm import descriptor

from . import svg
from .figures_bits import colour
from .marks import group
from .tree import h, table

WORD, HIGH, STRIP = 43, 26, 62  # pixels a register, a strip, and from one strip to the next
# layout -> (heading, in a table)
LAST = (
    ("dense", "dense: outer dimensions", "outer dimensions of a 3D to 5D tile"),
    ("iterate", "iterate: increments and a count", "how far to step, and how often; a 3D bound stays"),
    ("gather16", "gather: a list of row numbers", "row numbers"),
)
# What fits into a piece, by field; the rest is told on hover and in the table.
SHORT = {
    "lds_addr": "LDS",
    "global_addr": "global address",
    "workgroup_mask": "mask",
    "tensor_dim0": "dim0",
    "tensor_dim1": "dim1",
    "tensor_dim0_stride": "stride0",
    "tensor_dim1_stride": "stride1",
    "tensor_dim2": "dim2",
    "tensor_dim3": "dim3",
    "tensor_dim4": "dim4",
    "tensor_dim2_stride": "stride2",
    "tensor_dim3_stride": "stride3",
    "lds_addr_increment": "LDS +",
    "global_addr_increment": "glob. +",
}


def draw(here, options):
    """`::fig registers`: all registers of the descriptor on one scale, the last eight once for each mode."""
    body = []
    body += _strip("dense", (0,), "group 0, always: where", 0, 0, "always")
    body += _strip("dense", (1,), "group 1, always: shape", 1, 4, "always")
    for i, (layout, heading, _) in enumerate(LAST):
        body += _strip(layout, (2, 3), ("groups 2 and 3, " if i == 0 else "or ") + heading, 2 + i, 12, "reading")
    always = descriptor.GROUP_WORDS[0] + descriptor.GROUP_WORDS[1]
    last = descriptor.GROUP_WORDS[2] + descriptor.GROUP_WORDS[3]
    title = "The registers of the descriptor"
    desc = (
        f"{always} registers always mean the same: group 0 and group 1, all that a 2D copy needs. The last {last}, groups 2 and 3, are read in one of "
        f"{len(LAST)} ways: dense, iterate, gather."
    )
    drawing = svg.svg(here.prefix(), 8 * WORD + 2, 5 * STRIP + 2, title, desc, body)
    rows = [
        ["group 0", _range(0, 4), "count, modes, LDS address, global address, type"],
        ["group 1", _range(4, 12), "mask, element size, flags, padding, extents and strides of 2D and 3D"],
    ]
    for layout, _, words in LAST:
        name = "gather" if layout.startswith("gather") else layout
        rows.append([f"groups 2 and 3, {name}", _range(12, 20), f"{words}: {_names(layout)}"])
    same = h("div", h("p", desc), table(["part", "registers", "holds"], rows, label=title, stacked=True))
    return [(None, [drawing], same)]


def _range(first, end):
    return f"{end - first} (s{first} to s{end - 1})"


def _names(layout):
    names = [field.name for field in descriptor.fields_of(layout) if field.group in (2, 3) and not _idle(field, layout)]
    if len(names) <= 7:
        return ", ".join(names)
    if layout.startswith("gather"):
        return f"{len(names)} of 16 bits each; with 32-bit numbers, 8"
    return ", ".join(names[:-1]) + " and " + names[-1]


def _idle(field, layout):
    """Whether a field has no meaning in that mode: iteration knows two and three dimensions only, TDM-005."""
    return layout == "iterate" and field.group == 3


def _strip(layout, groups, heading, row, first, kind):
    """One line of registers: numbers above, fields as pieces to scale, boundaries of registers marked below."""
    top = row * STRIP
    shapes, word = [svg.text(0, top + 12, heading, "m b")], 0
    y = top + 20
    for number in groups:
        words = descriptor.GROUP_WORDS[number]
        left = word * WORD
        pieces = [f for f in descriptor.fields_of(layout) if f.group == number and not _idle(f, layout)]
        idle = [f for f in descriptor.fields_of(layout) if f.group == number and _idle(f, layout)]
        gaps = [descriptor.Field("reserved", g, lo, wide, "", "literal", (), "") for g, lo, wide in descriptor.reserved_of(layout) if g == number]
        for field in sorted(pieces + gaps, key=lambda field: field.lo):
            shapes.append(_piece(field, left, y))
        shapes += [_piece(f._replace(name="not used"), left, y) for f in idle]
        for i in range(words):
            x = (word + i) * WORD
            mark = [svg.line(x + 1, y + HIGH, x + 1, y + HIGH + 5), svg.text(x + 4, y + HIGH + 12, f"s{first + word + i}", "m q s")]
            shapes.append(group(mark, mark="register"))
        word += words
    name = "gather" if layout.startswith("gather") else layout
    return [group(shapes, part=kind, layout=name, top=top)]


def _piece(field, left, y):
    x, wide = left + field.lo * WORD / 32, field.width * WORD / 32
    last = field.lo + field.width - 1
    tip = f"{field.name}: group {field.group} bits {last}:{field.lo}"
    fill = "f-none" if field.name in ("reserved", "not used") else colour(field.name)
    short = SHORT.get(field.name, field.name.rpartition("_")[2] if field.name.startswith("row_index") else "")
    shapes = [svg.rect(x + 1, y, wide, HIGH, fill, tip)]
    if short and len(short) * svg.CHAR <= wide + 1:
        shapes.append(svg.text(x + 1 + wide / 2, y + 17, short, "m s", "middle"))
    return group(shapes, mark="field", field=field.name)
