# SPDX-License-Identifier: Apache-2.0

# %% [markdown]
# # Walking a ragged matrix
#
# **Move two numbers with each tile: the address of the tile's first element, and the bound, which is what is left of the matrix from there.
# The engine then fills the overhang with zeros on a load and leaves memory alone on a store. No tile needs code of its own.**
#
# The matrix has 40 columns and 10 rows; tiles have 16 columns and 4 rows. Neither divides evenly, so the last tile of a row hangs over by 8 columns
# and the last row of tiles by 2 rows. Everything below runs in the reference model of this project; nothing ran on a device.
#
# Claims used: [TDM-045](../claims/TDM-045.md) (the bound counts from the tile), [TDM-043](../claims/TDM-043.md) (loads give zero),
# [TDM-044](../claims/TDM-044.md) (stores drop), [TDM-046](../claims/TDM-046.md) (the 40 columns are the example of an article).
#
# ## The matrix
#
# Elements have 16 bits and hold 100 * row + column, so that each one tells where it came from. Row 0 holds the column numbers.

# %%
import struct

from IPython.display import HTML, display

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import encode
from cdna.tdm.transfer import run

COLUMNS, ROWS = 40, 10
WIDTH, HEIGHT = 16, 4  # of a tile, elements
BASE = 0x10000  # byte address of the matrix


def pack(values):
    return struct.pack(f"<{len(values)}H", *values)


def unpack(data):
    return list(struct.unpack(f"<{len(data) // 2}H", data))


values = [100 * row + column for row in range(ROWS) for column in range(COLUMNS)]
memory = [(BASE, pack(values))]  # these bytes and no others: touching any other is a fault in the model
print(len(memory[0][1]), "bytes of memory")

# %% [markdown]
# ## Nine tiles
#
# `fields_of_copy` takes the whole matrix and the tile's offset, and writes the fields that the engine reads.
# The engine is never told about the offset: only `global_addr`, `tensor_dim0` and `tensor_dim1` differ from tile to tile.

# %%
tiles = {}
print("column row   global_addr  tensor_dim0  tensor_dim1")
for row in range(0, ROWS, HEIGHT):
    for column in range(0, COLUMNS, WIDTH):
        fields = fields_of_copy(
            {
                "element_bytes": 2,
                "base": BASE,
                "at": [column, row],
                "tensor": [COLUMNS, ROWS],
                "tile": [WIDTH, HEIGHT],
            }
        )
        tiles[column, row] = fields
        bounds = fields["tensor_dim0"], fields["tensor_dim1"]
        print(f"{column:6} {row:3}  {fields['global_addr']:#11x}  {bounds[0]:11}  {bounds[1]:11}")

# %% [markdown]
# The bounds of the first row are 40, 24 and 8: what is left of 40 columns from columns 0, 16 and 32. They may be larger than the tile; that changes nothing.
# One past the end the bound would be 0, which is legal and means that nothing is inside.
#
# ## What lands in LDS
#
# LDS is filled with `0xFFFF` before each load, so a zero below was written by the engine.

# %%
BLANK = bytes([255]) * (WIDTH * HEIGHT * 2)


def load(fields):
    return run(fields, "load", memory, BLANK)


def show(data):
    for first in range(0, WIDTH * HEIGHT, WIDTH):
        print(" ".join(f"{value:4}" for value in unpack(data)[first : first + WIDTH]))


corner = load(tiles[32, 8])
show(corner.lds)
print("faults:", len(corner.faults))

# %% [markdown]
# Eight columns and two rows of the last tile are real. The rest is zero, and no byte outside the matrix was touched.
# The same holds for all nine:

# %%
for (column, row), fields in tiles.items():
    expected = [
        100 * y + x if x < COLUMNS and y < ROWS else 0
        for y in range(row, row + HEIGHT)
        for x in range(column, column + WIDTH)
    ]
    outcome = load(fields)
    assert unpack(outcome.lds) == expected and not outcome.faults, (column, row)
print("nine tiles, as a loop over rows and columns gives them; no fault")

# %% [markdown]
# ## What a forgotten bound does
#
# Leave both bounds at the size of the matrix, and move the address only. That is the commonest mistake.

# %%
forgotten = load({**tiles[32, 0], "tensor_dim0": COLUMNS, "tensor_dim1": ROWS})
show(forgotten.lds)
print("faults:", len(forgotten.faults), "- wrong data, and nobody is told")

last = load({**tiles[32, 8], "tensor_dim0": COLUMNS, "tensor_dim1": ROWS})
fault = last.faults[0]
print(f"last tile: {fault.length} bytes outside the matrix were asked for, the first at {fault.address:#x}")

# %% [markdown]
# Columns 40 to 47 do not exist. Rows lie back to back in memory, so the engine reads the start of the next row there: 100, 101 and so on.
# Only the last tile leaves the matrix. Even that goes unnoticed where the bytes behind the matrix happen to belong to something else.
#
# ## Which descriptor words move
#
# A descriptor of two dimensions has 12 words. Between two tiles of a row, two of them change.

# %%
before, after = encode(tiles[16, 0]), encode(tiles[32, 0])
for number in range(len(before)):
    if before[number] != after[number]:
        group, word = (0, number) if number < 4 else (1, number - 4)
        print(f"group {group} word {word}: {before[number]:08x} -> {after[number]:08x}")

# %% [markdown]
# Word 2 of group 0 is the low half of the address: it grows by 32 bytes. Word 1 of group 1 holds the low half of `tensor_dim0` in its upper 16 bits: 24 becomes 8.
# Two things are missing from this picture, because the matrix is small. An address that crosses 4 GiB carries into word 3 ([TDM-020](../claims/TDM-020.md)),
# and a bound of 65536 or more borrows from word 2 ([TDM-050](../claims/TDM-050.md)). The loop on [The pipeline](../tdm/pipeline.md#a-loop-that-holds) handles both.
#
# ## Storing back
#
# The same nine descriptors store. The overhang is dropped, so a second matrix with 64 guard bytes behind it comes out whole.

# %%
copy = bytes(len(values) * 2) + bytes([0xEE]) * 64
for fields in tiles.values():
    lds = load(fields).lds
    copy = run(fields, "store", [(BASE, copy)], lds).memory[0][1]
assert unpack(copy[: len(values) * 2]) == values
assert copy[len(values) * 2 :] == bytes([0xEE]) * 64
print("matrix equal, guard bytes untouched")

# %% tags=["fold"]
ACROSS, DOWN = 6, 20  # pixels of one column and of one row
STYLE = "stroke:var(--f-line,#5a606b);stroke-width:1.25;fill:"


def rect(x, y, w, h, fill, dashed=False):
    dash = ";stroke-dasharray:3 3" if dashed else ""
    return f'<rect x="{x}" y="{y}" width="{w}" height="{h}" style="{STYLE}{fill}{dash}"/>'


def text(x, y, words, anchor="middle"):
    style = "fill:var(--ink,#1d2026);font-size:12px;font-family:monospace"
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" style="{style}">{words}</text>'


parts = []
for column, row in tiles:
    x, y = 30 + column * ACROSS, 24 + row * DOWN
    wide, high = min(WIDTH, COLUMNS - column), min(HEIGHT, ROWS - row)
    parts.append(rect(x, y, WIDTH * ACROSS, HEIGHT * DOWN, "var(--f-none,#ffffff)", True))
    parts.append(rect(x, y, wide * ACROSS, high * DOWN, "var(--f-tile,#cfe0ff)"))
    parts.append(text(x + wide * ACROSS / 2, y + high * DOWN / 2 + 4, f"{wide} x {high}"))
    if wide < WIDTH:
        parts.append(text(x + (wide + WIDTH) * ACROSS / 2, y + HEIGHT * DOWN / 2 + 4, "zeros"))
for column in (0, 16, 32, 40, 48):
    parts.append(text(30 + column * ACROSS, 16, column))
for row in (0, 4, 8, 10, 12):
    parts.append(text(24, 28 + row * DOWN, row, "end"))
label = "Nine tiles over a matrix of 40 columns and 10 rows"
told = "Four tiles lie inside. Two hang over the right edge by 8 columns, two over the lower edge by 2 rows, and one over both."
drawing = (
    f'<svg class="cdna-svg" xmlns="http://www.w3.org/2000/svg" width="334" height="276" viewBox="0 0 334 276" role="img" '
    f'aria-labelledby="ragged-t ragged-d"><title id="ragged-t">{label}</title><desc id="ragged-d">{told}</desc>{"".join(parts)}</svg>'
)
caption = "Filled: elements that are read or written, columns x rows. Dashed: the overhang, zeros in LDS on a load and no access on a store."
display(
    HTML(
        f'<figure class="cdna-figure"><div class="cdna-draw" tabindex="0" role="group" aria-label="{label}">{drawing}</div><figcaption>{caption}</figcaption></figure>'
    )
)

# %% [markdown]
# ## What this does not show
#
# - A start before the matrix. Nothing tests the near end: write 0 for such a bound, and keep the address inside ([TDM-047](../claims/TDM-047.md)).
# - Hardware. The author of the article reports the 40-column case from one device; this page is arithmetic on the fields.
# - Time. How long a clipped tile takes is not public.
#
# More: [Edges](../tdm/edges.md), [Describing the copy](../tdm/describing.md).
