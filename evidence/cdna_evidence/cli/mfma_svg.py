# SPDX-License-Identifier: Apache-2.0
"""The picture of who holds what: one cell an element, its lane as text, its register as shade."""

from cdna_evidence.site import svg

CELL, HIGH, LEFT, TOP, GAP = 26, 18, 44, 40, 30
SHADES = 8
STYLE = (
    "text{font:11px ui-monospace,monospace;fill:#1b1b1b}.c{stroke:#fff;stroke-width:1}"
    + "".join(f".r{step}{{fill:hsl({200 + 20 * step},55%,{90 - 5 * step}%)}}" for step in range(SHADES))
    + "@media (prefers-color-scheme:dark){text{fill:#eee}.c{stroke:#111}"
    + "".join(f".r{step}{{fill:hsl({200 + 20 * step},35%,{22 + 5 * step}%)}}" for step in range(SHADES))
    + "}"
)


def lane_grid(where, prefix="mfma"):
    """Return a standing SVG document of a layout: rows and columns of the operand, the lane in each cell.

    Args: where: a cdna.mfma Layout; prefix: of the ids inside.
    """
    from cdna.mfma.copy_as import names
    from cdna.mfma.layouts import table

    blocks, rows, columns = where.shape
    axes = names(where)
    heading = f"{where.op.mnemonic}, matrix {where.matrix}"
    body = [f"<style>{STYLE}</style>", svg.text(0, 12, heading)]
    panel = rows * HIGH + GAP
    for block in range(blocks):
        top = TOP + block * panel
        corner = f"{axes[1]} \\ {axes[2]}" + (f", block {block}" if blocks > 1 else "")
        body.append(svg.text(0, top - 6, corner))
        body += [
            svg.text(LEFT + (j + 0.5) * CELL, top - 6, j, anchor="middle")
            for j in range(columns)
            if columns > 4 or blocks == 1
        ]
        body += [svg.text(LEFT - 6, top + i * HIGH + 13, i, anchor="end") for i in range(rows)]
    for block, i, j, lane, vgpr, low, high in table(where):
        x, y = LEFT + j * CELL, TOP + block * panel + i * HIGH
        tip = f"{where.matrix}[{i}][{j}]: lane {lane}, v{vgpr} bits {low} to {high}"
        body.append(svg.rect(x, y, CELL, HIGH, f"c r{vgpr % SHADES}", tip))
        body.append(svg.text(x + CELL / 2, y + 13, lane, anchor="middle"))
    said = f"Each cell is one element, {axes[1]} down and {axes[2]} across; the number is its lane, the shade its register."
    return svg.svg(prefix, LEFT + columns * CELL + 4, TOP + blocks * panel, heading, said, body) + "\n"
