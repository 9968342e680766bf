# SPDX-License-Identifier: Apache-2.0
"""Who holds what of a matrix operand, and how the registers of two matrix instructions overlap."""

from cdna.mfma import hazards, layouts
from cdna.mfma.copy_as import names

from . import svg
from .marks import box, group
from .tree import h, table

CELL, HIGH, LEFT, TOP, GAP = 30, 20, 62, 34, 30
FILLS = ("f-tile", "f-stride", "f-mode", "f-tensor", "f-addr", "f-pad")
MOST_BLOCKS = 4
# operand -> what a run goes along, and what it is a part of
WORDS = {"A": ("K", "row"), "B": ("K", "column"), "C": ("rows", "column"), "D": ("rows", "column"), "index": ("K", "row")}
WORDS.update(scale_a=("K block", "row"), scale_b=("K block", "column"))


def runs(where):
    """Return (across, [(block, line, first, last, lane, first register, last register), ...]).

    Neighbours along one coordinate that one lane holds are one run. Args: where: a Layout. across: the coordinate (1 row,
    2 column) along which runs go: K for A and B, the rows for C and D.
    """
    along = 2 if where.matrix in ("A", "index", "scale_a") else 1
    lines = {}
    for block, i, j, lane, vgpr, _, high in layouts.table(where):
        at = (i, j)
        lines.setdefault((block, at[2 - along]), []).append((at[along - 1], lane, vgpr, vgpr + high // 32))
    found = []
    for (block, line), cells in sorted(lines.items()):
        run = None
        for place, lane, first, last in sorted(cells):
            if run and run[4] == lane and run[3] + 1 == place and 0 <= first - run[6] <= 1:
                run[3], run[6] = place, last
                continue
            run = [block, line, place, place, lane, first, last]
            found.append(run)
    return along, [tuple(run) for run in found]


def grid(prefix, where):
    """Return the drawing of an operand: a box for each run that one lane holds, with the number of the lane.

    A and B: one line a row of A or column of B, K across. C and D: columns across, runs of rows down.
    """
    along, found = runs(where)
    axes = names(where)
    blocks = min(where.shape[0], MOST_BLOCKS)
    spans = sorted({(run[2], run[3]) for run in found})
    others = sorted({run[1] for run in found})
    down = where.matrix in ("C", "D")  # columns across, rows down
    across, lines = (others, spans) if down else (spans, others)
    wide = CELL if down else max(CELL, 46)
    panel = len(lines) * HIGH + GAP
    body = []
    for block in range(blocks):
        top = TOP + block * panel
        corner = f"{axes[1]} \\ {axes[2]}" if down else f"{axes[3 - along]} \\ {axes[along]}"
        body.append(svg.text(0, top - 8, corner + (f", {block}" if where.shape[0] > 1 else ""), "m q"))
        for x, item in enumerate(across):
            body.append(svg.text(LEFT + (x + 0.5) * wide, top - 8, _span(item), "m s", "middle"))
        for y, item in enumerate(lines):
            body.append(svg.text(LEFT - 8, top + y * HIGH + 14, _span(item), "m s", "end"))
    for block, line, first, last, lane, low, high in found:
        if block >= blocks:
            continue
        column, row = (others.index(line), spans.index((first, last))) if down else (spans.index((first, last)), others.index(line))
        registers = f"v{low}" if low == high else f"v{low} to v{high}"
        tip = f"{WORDS[where.matrix][0]} {_span((first, last))} of {WORDS[where.matrix][1]} {line}: lane {lane}, {registers}"
        cell = box(LEFT + column * wide, TOP + block * panel + row * HIGH, wide, HIGH, str(lane), FILLS[lane // 16 % len(FILLS)], tip)
        body.append(group([cell], mark="held", block=block, line=line, first=first, last=last, lane=lane, low=low, high=high))
    title = f"{where.op.mnemonic}, {where.matrix}: which lane holds what"
    size = (LEFT + len(across) * wide + 4, TOP + blocks * panel - GAP + 4)
    return svg.svg(prefix, *size, title, said(where, found), body)


def _span(item):
    if isinstance(item, tuple):
        return str(item[0]) if item[0] == item[1] else f"{item[0]}-{item[1]}"
    return str(item)


def said(where, found):
    """Return in words how much one lane holds, and where lane 0 and the last lane begin."""
    first = next(run for run in found if run[4] == 0)
    count = len([run for run in found if run[4] == 0])
    along, line = WORDS[where.matrix]
    text = f"Lane 0 holds {along} {_span(first[2:4])} of {line} {first[1]}"
    text += f" and {count - 1} more such runs" if count > 1 else ""
    return text + "; boxes of one colour belong to the same sixteen lanes." + (f" {MOST_BLOCKS} of {where.shape[0]} blocks are drawn." if where.shape[0] > MOST_BLOCKS else "")


def draw(here, options):
    """`::fig lanegrid op=v_mfma_f32_16x16x16_f16 target=gfx942 matrices=A,B,D`: one panel an operand."""
    op, target = options.pop("op", "v_mfma_f32_16x16x16_f16"), options.pop("target", "gfx942")
    formats = {name: options.pop(name) for name in ("a_format", "b_format") if name in options}
    panels = []
    for matrix in options.pop("matrices", "A,B,D").split(","):
        where = layouts.layout(op, target, matrix, **formats)
        _, found = runs(where)
        panels.append((heading(where), [grid(here.prefix(), where)], h("p", said(where, found))))
    return panels


def heading(where):
    """Return the line above the drawing of an operand: what goes across and what down."""
    words = {"A": "A: one line a row, K across", "B": "B: one line a column, K across", "index": "Index of the kept values: one line a row of A, K across"}
    words.update(C="C: rows down, columns across", D="D: rows down, columns across; C lies the same way")
    words.update(scale_a="Scales of A: one line a row, blocks of 32 along K across", scale_b="Scales of B: one line a column, blocks of 32 along K across")
    return words[where.matrix]


OVERLAPS = (
    ("exact", "C reads exactly D", "C", 0, 4),
    ("partial", "C begins inside D", "C", 2, 4),
    ("ab", "A or B reads a part of D", "A", 2, 2),
)


def overlaps(op):
    """Return [(kind, words, operand, first register, registers, states on gfx942, on gfx950)] for D in v[0:3].

    Args: op: a mnemonic that both targets have and whose D takes four registers.
    """
    return [
        (kind, words, operand, first, count, *[hazards.waits(target, op, op, kind).states for target in ("gfx942", "gfx950")])
        for kind, words, operand, first, count in OVERLAPS
    ]


def draw_overlap(here, options):
    """`::fig overlap op=v_mfma_f32_16x16x16_f16`: D of one instruction, and the input of the next that overlaps it."""
    op = options.pop("op", "v_mfma_f32_16x16x16_f16")
    found, wide, left = overlaps(op), 44, 74
    body = [svg.text(left + (i + 0.5) * wide, 14, f"v{i}", "m s", "middle") for i in range(6)]
    body.append(svg.text(left + 6 * wide + 10, 14, "LLVM 22.1.8 inserts", "m s"))
    for line, (kind, words, operand, first, count, cdna3, cdna4) in enumerate(found):
        y = 22 + line * 78
        parts = [svg.text(0, y + 16, "first: D", "m q"), box(left, y, 4 * wide, 22, "D: v[0:3]", "f-tile")]
        parts += [svg.text(0, y + 44, f"next: {operand}", "m q")]
        parts.append(box(left + first * wide, y + 28, count * wide, 22, f"{operand}: v[{first}:{first + count - 1}]", "f-mode" if cdna3 == 0 else "f-hot", words, "m" if cdna3 == 0 else "m h"))
        parts += [svg.text(left + 6 * wide + 10, y + 16, f"{cdna3} on gfx942", "m"), svg.text(left + 6 * wide + 10, y + 44, f"{cdna4} on gfx950", "m")]
        body.append(group(parts, mark="overlap", kind=kind, first=first, count=count, gfx942=cdna3, gfx950=cdna4))
    title = f"Wait states between two {op}"
    words = "; ".join(f"{words}: {cdna3} on gfx942, {cdna4} on gfx950" for _, words, _, _, _, cdna3, cdna4 in found) + "."
    rows = [[words_, f"v[{first}:{first + count - 1}]", str(cdna3), str(cdna4)] for _, words_, _, first, count, cdna3, cdna4 in found]
    drawn = svg.svg(here.prefix(), left + 6 * wide + 150, 22 + 3 * 78 - 14, title, words, body)
    same = h("div", h("p", words), table(["dependency", "registers", "gfx942", "gfx950"], rows, label=words, class_="cdna-numbers"))
    return [(None, [drawn], same)]
