# SPDX-License-Identifier: Apache-2.0
"""A wave of lanes coloured by service group, with the degree of each group for one pattern."""

from cdna.lds import conflicts, search, service

from . import svg
from .marks import box, group
from .tree import h, table

CELL, HIGH, TOP, PER_LINE = 20, 22, 20, 16
FILLS = ("f-tile", "f-stride", "f-addr", "f-mode", "f-tensor", "f-pad", "f-none")  # not f-hot: a group is no conflict


def drawing(one, addresses, prefix="service"):
    """Return the drawing of a Conflicts: sixteen lanes a line, each with the number of its group, and a line a group.

    Args: one: Conflicts of the pattern; addresses: one a lane, told on hover; prefix: makes ids unique.
    """
    groups = one.service.groups
    of_lane = {lane: i for i, lanes in enumerate(groups) for lane in lanes}
    body = [svg.text(0, 12, "lanes, each with its group", "m b")]
    for lane in sorted(of_lane):
        x, y = lane % PER_LINE * CELL, TOP + lane // PER_LINE * HIGH
        tip = f"lane {lane}, group {of_lane[lane]}, LDS byte {addresses[lane]}"
        body.append(
            group(
                [box(x, y, CELL, HIGH, str(of_lane[lane]), FILLS[of_lane[lane] % len(FILLS)], tip)],
                mark="lane",
                lane=lane,
                group=of_lane[lane],
            )
        )
    top = TOP + (len(of_lane) + PER_LINE - 1) // PER_LINE * HIGH + 22
    body.append(svg.text(0, top - 6, "group: DWORDs asked of its busiest bank", "m b"))
    for i, degree in enumerate(one.degrees):
        y = top + i * HIGH
        body.append(svg.text(0, y + 16, str(i), "m"))
        fill = "f-hot" if degree > max(1, one.least[i]) else "f-mode"
        # A bar of one cell a DWORD, shortened where the busiest bank is asked for more than fits a phone.
        width = min(max(1, degree), PER_LINE - 2) * CELL
        body.append(group([box(24, y, width, HIGH - 2, str(degree), fill)], mark="degree", group=i, degree=degree))
    desc = f"{one.service.op} on {one.service.target}: {len(groups)} groups over {one.service.banks} banks, worst degree {one.worst}."
    return svg.svg(
        prefix, PER_LINE * CELL + 2, top + len(groups) * HIGH + 2, f"Service groups of {one.service.op}", desc, body
    )


def draw(here, options):
    """`::fig service target=gfx950 op=ds_read_b128 row_bytes=144`: one panel by the published groups, one by neighbouring lanes."""
    target = options.pop("target", "gfx950")
    op = options.pop("op", "ds_read_b128")
    row_bytes = int(options.pop("row_bytes", "144"))
    rows = int(options.pop("rows", "16"))
    if not 1 <= rows <= 64 or row_bytes < 4 or row_bytes % 4:
        raise ValueError(f"rows={rows}, row_bytes={row_bytes}: 1 to 64 rows of a multiple of 4 bytes")
    published = service.service(target, op)
    addresses = search.pattern(row_bytes, published.width, sum(len(item) for item in published.groups), rows)
    panels = [(f"Published groups ({published.how})", published)]
    panels += [(f"Another reading: {note}", other) for _, _, other, note in service.alternatives(target, op)]
    return [_panel(here, heading, groups_of, addresses) for heading, groups_of in panels]


def _panel(here, heading, groups_of, addresses):
    one = conflicts.conflicts(addresses, groups_of)
    lines = [
        [str(i), ", ".join(str(lane) for lane in groups_of.groups[i]), str(one.degrees[i])]
        for i in range(len(groups_of.groups))
    ]
    words = f"{groups_of.basis}: worst degree {one.worst}."
    same = h("div", h("p", words), table(["group", "lanes", "degree"], lines, label=words, class_="cdna-numbers"))
    return heading, [drawing(one, addresses, here.prefix())], same
