# SPDX-License-Identifier: Apache-2.0
"""Where the first column of a tile lies in LDS, packed and padded: bytes from the transfer model, banks from the bank model."""

from cdna import targets
from cdna.lds import banks
from cdna.tdm import pad, walk

from . import svg
from .tree import h, table

BANKS, BANK_BYTES = targets.GFX1250.lds_banks, targets.GFX1250.bank_bytes
SHOWN = (0, 1, 2, 3, 4, 5, 6, 7, None, 62, 63)
CELL, HIGH, LEFT, TOP = 26, 24, 50, 40


def draw(here, options):
    """`::fig banks rows=4 row_dwords=64 pad=1`: one panel packed, one with `pad` DWORDs after each row."""
    rows = int(options.pop("rows", "4"))
    row_dwords = int(options.pop("row_dwords", "64"))
    amount = int(options.pop("pad", "1"))
    if not 1 <= rows <= 8:
        raise ValueError(f"rows={rows}: 1..8")
    packed = {"count": 1, "type": 2, "data_size": 2, "tile_dim0": row_dwords, "tile_dim1": rows}
    packed.update(tensor_dim0=row_dwords, tensor_dim1=rows, tensor_dim0_stride=row_dwords)
    padded = dict(packed, pad_enable=1, pad_interval=pad.interval_code(row_dwords), pad_amount=pad.amount_code(amount))
    return [_panel(here, "Packed: no padding", packed), _panel(here, f"Padded: {amount} DWORD after each row", padded)]


def columns(fields):
    """Return [(row, LDS byte, bank)] of the elements of column 0.

    Args: fields: raw fields of a 2D copy.
    """
    found = [place for place in walk.lds_map(fields) if place.at[0] == 0]
    return [(place.at[1], place.lds, banks.bank_of(place.lds, BANKS)) for place in found]


def _panel(here, heading, fields):
    first = columns(fields)
    chosen = [bank for _, _, bank in first]
    owner = {place.lds // BANK_BYTES: place.at for place in walk.lds_map(fields)}
    last = max(owner)
    body = [svg.text(LEFT, 12, "bank", "m q")]
    for i, bank in enumerate(SHOWN):
        word = "…" if bank is None else bank
        body.append(svg.text(LEFT + (i + 0.5) * CELL, TOP - 8, word, "m s", "middle"))
    for line in range(last // BANKS + 1):
        y = TOP + line * HIGH
        body.append(svg.text(0, y + 16, f"+{line * BANKS * BANK_BYTES}", "m q"))
        for i, bank in enumerate(SHOWN):
            x = LEFT + i * CELL
            if bank is None:
                body.append(svg.text(x + CELL / 2, y + 16, "…", "m q", "middle"))
                continue
            body += _cell(x, y, line * BANKS + bank, owner, last, chosen)
    turns = max(chosen.count(bank) for bank in chosen)
    reads = ", ".join(str(bank) for bank in chosen)
    desc = (
        f"LDS drawn {BANKS} DWORDs a line, one column a bank. Column 0 of the tile's {len(first)} rows lies in banks {reads}. "
        f"At most {turns} of the reads share a bank."
    )
    height = TOP + (last // BANKS + 1) * HIGH + 4
    drawing = svg.svg(here.prefix(), LEFT + len(SHOWN) * CELL + 2, height, heading, desc, body)
    rows = [[f"row {row}", str(byte), str(bank)] for row, byte, bank in first]
    words = f"Column 0 lies in banks {reads}. " + (
        f"{turns} reads want one bank." if turns > 1 else "No two reads want the same bank."
    )
    same = h("div", h("p", words), table(["column 0 of", "LDS byte", "bank"], rows, label=desc, class_="cdna-numbers"))
    return heading, [drawing], same


def _cell(x, y, dword, owner, last, chosen):
    at = owner.get(dword)
    if dword > last:
        return [svg.rect(x, y, CELL, HIGH, "f-none")]
    if at is None:
        return [svg.rect(x, y, CELL, HIGH, "f-pad", f"DWORD {dword}: padding, not written"), svg.text(x + CELL / 2, y + 16, "pad", "m s", "middle")]
    tip = f"LDS byte {dword * BANK_BYTES}: row {at[1]}, column {at[0]}"
    if at[0]:
        return [svg.rect(x, y, CELL, HIGH, "f-tile", tip)]
    hot = chosen.count(dword % BANKS) > 1
    return [
        svg.rect(x, y, CELL, HIGH, "f-hot" if hot else "f-mode", tip),
        svg.text(x + CELL / 2, y + 16, f"r{at[1]}", "m h" if hot else "m", "middle"),
    ]
