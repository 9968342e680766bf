# SPDX-License-Identifier: Apache-2.0
"""What the service groups change: the worst degree of some row strides by the published groups and by neighbouring lanes."""

from cdna.lds import conflicts, search, service

from .tree import h, table

OP, ROWS = "ds_read_b128", 16


def degrees(stride):
    """Return the worst degrees (gfx942, gfx950, gfx942 with neighbouring lanes, gfx950 likewise) of one row stride in bytes."""
    found = []
    for other in (False, True):
        for target in ("gfx942", "gfx950"):
            groups = service.alternatives(target, OP)[0][2] if other else service.service(target, OP)
            addresses = search.pattern(stride, groups.width, sum(len(lanes) for lanes in groups.groups), ROWS)
            found.append(conflicts.conflicts(addresses, groups).worst)
    return tuple(found)


def shown(here, args):
    """Return the table of `::strides 128 144`: one line a stride."""
    rows = [[word, *[str(degree) for degree in degrees(int(word))]] for word in args.split()]
    head = ["row stride, bytes", "gfx942, published groups", "gfx950, published groups", "gfx942, 8 neighbouring lanes", "gfx950, 16 neighbouring lanes"]
    return h("div", table(head, rows, label="worst degree by row stride", class_="cdna-numbers"))
