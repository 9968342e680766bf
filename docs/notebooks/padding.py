# SPDX-License-Identifier: Apache-2.0

# %% [markdown]
# # Choosing a padding for a transposing load
#
# **For rows of 256 bytes that are read with `ds_load_tr16_b128`, leave 8 DWORDs after each row: codes 5 and 7, a row stride of 288 bytes.
# It is the smallest gap with which the sixteen lanes that are served together ask for different banks and every address stays a multiple of 16 bytes. It costs 32 bytes a row.**
#
# That is bank arithmetic on groups that a library of AMD states ([LDS-054](../claims/LDS-054.md)); **nobody has published a measurement of them**. Triton chooses the same gap:
# twice the elements of a lane, so that two groups of eight lanes lie on different banks (triton-lang/triton 9741, whose sweep on a device counts no conflicts).
# How long a shared bank takes, nobody has said. A measurement would settle it: time one load for row strides from 256 to 512 bytes, and read the steps.
#
# The way of one element: descriptor, LDS byte, lane that reads it, lane that receives it, matrix operand.
# Claims used: [TDM-031](../claims/TDM-031.md) and [TDM-032](../claims/TDM-032.md) (the codes), [TDM-038](../claims/TDM-038.md) (where gaps fall),
# [LDS-002](../claims/LDS-002.md) (64 banks of four bytes), [LDS-004](../claims/LDS-004.md) (the loads exist), [TRN-053](../claims/TRN-053.md) (what each lane receives).
#
# ## The tile
#
# Operand B of a product has 32 rows (K) and 128 columns (N) of 16-bit elements, row after row: N is contiguous. The matrix instruction wants the neighbours along K in one lane.
# So the tile is loaded as it is, and turned on the way from LDS to the registers.

# %%
import struct

from IPython.display import HTML, display

from cdna.lds.banks import bank_of, conflict_degree
from cdna.tdm.copy import fields_of_copy
from cdna.tdm.pad import pad_plan
from cdna.tdm.transfer import run
from cdna.tdm.walk import lds_map

K, N, BYTES = 32, 128, 2
ROW = N * BYTES
BANKS, LANES, READ = 64, 32, 16  # banks of LDS, lanes of a wave, bytes that one lane reads

plan = pad_plan(ROW, 32, BYTES, K)
print(f"pad_interval code {plan.interval_code}  pad_amount code {plan.amount_code}")
print(f"row stride {plan.row_stride} bytes; the tile reserves {plan.reserved_bytes} instead of {K * ROW}")

# %% [markdown]
# ## From the descriptor to the LDS byte
#
# The descriptor holds the gap in DWORDs: 8 after every 64. `lds_map` lists where each element of the tile lands.

# %%
copy = {"element_bytes": BYTES, "base": 0, "tensor": [N, K], "tile": [N, K]}
padded = fields_of_copy({**copy, "pad": {"interval_dwords": ROW // 4, "amount_dwords": 8}})
packed = fields_of_copy(copy)


def places(fields):
    """LDS byte of element (k, n)."""
    return {(landing.at[1], landing.at[0]): landing.lds for landing in lds_map(fields)}


print("row  packed byte  bank   padded byte  bank")
for k in (0, 1, 2, 3, 15):
    a, b = places(packed)[k, 0], places(padded)[k, 0]
    print(f"{k:3} {a:12} {bank_of(a, BANKS):5} {b:13} {bank_of(b, BANKS):5}")

starts = [len({bank_of(places(fields)[k, 0], BANKS) for k in range(16)}) for fields in (packed, padded)]
print(f"16 rows start in {starts[0]} bank packed, in {starts[1]} banks padded")

# %% [markdown]
# ## From the LDS byte to the lane that reads it
#
# One `ds_load_tr16_b128` moves a square of 16 x 16 elements. Each of the 32 lanes reads 16 bytes, which are eight neighbours along N.
# An article by AMD's developers (*A Deep Dive into LDS Optimizations on AMD Instinct MI450 GPUs*, 28 August 2026) describes the exchange behind it: four groups of eight lanes, each an 8 x 8
# transpose of its own, where lane i of a group receives element i of all eight lanes. For lane i to end up with K = 8 * (i // 16) and up of column i % 16, the lanes must read like this:

# %%


def reads(lane):
    """(k, first n) of the eight elements that a lane reads, inside the square."""
    return lane % 8 + 8 * (lane // 16), 8 * (lane // 8 % 2)


def addresses(stride, n0=0, k0=0):
    return [(k0 + k) * stride + (n0 + n) * BYTES for k, n in map(reads, range(LANES))]


for lane in (0, 1, 7, 8, 15, 16, 31):
    k, n = reads(lane)
    print(f"lane {lane:2} reads row {k:2}, columns {n:2} to {n + 7:2}: byte {addresses(plan.row_stride)[lane]}")

# %% [markdown]
# ## What each gap costs and gives
#
# The degree is the number of different DWORDs that the busiest bank must deliver.
# A wave reads 32 * 16 bytes, which are 128 DWORDs, so over all lanes 2 is the least that 64 banks can do; over sixteen lanes it is 1.
#
# - *all lanes*: one number for the whole instruction, whatever the groups are.
# - *sixteen lanes*: the groups by which AMD's TensileLite counts, **stated and not measured** ([LDS-054](../claims/LDS-054.md)). The article above says that in terms of banks these loads
#   behave like plain ones, and gives sixteen lanes for the plain `ds_load_b128`; a review reply gives eight ([LDS-053](../claims/LDS-053.md)). What is free by sixteen is free by eight.

# %%


def degrees(stride):
    where = addresses(stride)
    halves = [conflict_degree(dwords(where[first : first + 16]), BANKS) for first in range(0, LANES, 16)]
    return conflict_degree(dwords(where), BANKS), max(halves)


def dwords(where):
    return [byte + 4 * i for byte in where for i in range(READ // 4)]


table = {amount: (ROW + 4 * amount, *degrees(ROW + 4 * amount)) for amount in range(0, 33, 4)}
print("gap DWORDs  row stride  all lanes  sixteen lanes  extra bytes of the tile")
for amount, (stride, every, sixteen) in table.items():
    print(f"{amount:10} {stride:11} {every:10} {sixteen:14} {4 * amount * K:14}")

best = min(amount for amount in table if table[amount][1:] == min(row[1:] for row in table.values()))
print(f"smallest gap with the least degree: {best} DWORDs")

# %% [markdown]
# Gaps that are no multiple of 4 DWORDs are missing from the table: with them, rows no longer start at a multiple of 16 bytes, and the published facts are about aligned reads.
# Packed, all 16 rows meet in the same eight banks. Sixteen lanes read eight rows, two pieces of four banks each. With 8 DWORDs a row starts eight banks further, so its two pieces
# end where the next row begins, and eight rows go once around. With 4 DWORDs the second piece of each row lies on the first of the next.
# Gaps of 16 and 32 DWORDs look generous and are worse: every fourth or every second row meets again.

# %% tags=["fold"]
SIZE = 5.4  # pixels of one bank


def text(x, y, words, anchor="start"):
    style = "fill:var(--ink,#1d2026);font-size:12px;font-family:monospace"
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" style="{style}">{words}</text>'


def heat(top, stride, name):
    """How many DWORDs each bank delivers, as blocks over the bank's number; and where the drawing ends."""
    asked = [0] * BANKS
    for byte in {place // 4 * 4 for place in dwords(addresses(stride))}:
        asked[bank_of(byte, BANKS)] += 1
    parts = [text(0, top + 12, f"{name}: stride {stride}, busiest bank {max(asked)}")]
    base = top + 22 + 7 * max(asked)
    for bank, count in enumerate(asked):
        for level in range(count):
            hot = "var(--f-hot,#b3261e)" if count > 2 else "var(--f-tile,#cfe0ff)"
            style = f"fill:{hot};stroke:var(--f-line,#5a606b);stroke-width:0.75"
            y = base - 7 - 7 * level
            parts.append(f'<rect x="{bank * SIZE:g}" y="{y}" width="{SIZE}" height="7" style="{style}"/>')
    line = "stroke:var(--f-line,#5a606b);stroke-width:1.25;fill:none"
    parts.append(f'<path d="M0 {base}L{BANKS * SIZE:g} {base}" style="{line}"/>')
    parts.append(text(0, base + 14, "bank 0"))
    parts += [text(bank * SIZE, base + 14, bank) for bank in (16, 32, 48)]
    return "".join(parts), base + 20


above, end = heat(0, ROW, "packed")
below, end = heat(end + 14, plan.row_stride, "8 DWORDs a row")
told = f"Packed, eight banks deliver {table[0][1]} DWORDs each and the others none. Padded, each of the 64 banks delivers {table[8][1]}."
drawing = (
    f'<svg class="cdna-svg" xmlns="http://www.w3.org/2000/svg" width="350" height="{end}" viewBox="0 0 350 {end}" role="img" '
    f'aria-labelledby="heat-t heat-d"><title id="heat-t">DWORDs that each bank delivers for one ds_load_tr16_b128</title>'
    f'<desc id="heat-d">{told}</desc>{above}{below}</svg>'
)
caption = f"One block is one DWORD that a bank must deliver for one load of the wave. {told}"
display(
    HTML(
        f'<figure class="cdna-figure"><div class="cdna-draw" tabindex="0" role="group" aria-label="Banks of one load">{drawing}</div><figcaption>{caption}</figcaption></figure>'
    )
)

# %% [markdown]
# ## From the lanes to the matrix operand
#
# The whole way once, with data: the engine loads the tile with its gaps, the lanes read, the groups exchange, and the product is compared with the plain triple loop.
# Two loads of four registers each give K 0 to 15 and K 16 to 31.

# %%
b = [[(7 * k + 3 * n) % 101 for n in range(N)] for k in range(K)]
memory = [(0, b"".join(struct.pack(f"<{N}H", *row) for row in b))]
outcome = run(padded, "load", memory, bytes(plan.reserved_bytes))
assert not outcome.faults


def ds_load_tr16_b128(lds, where):
    """Eight elements a lane, after the exchange in groups of eight lanes."""
    held = [struct.unpack_from("<8H", lds, byte) for byte in where]
    return [[held[lane // 8 * 8 + source][lane % 8] for source in range(8)] for lane in range(LANES)]


def operand(n0):
    """16 elements a lane: column n0 + lane % 16, half of K."""
    first, second = (ds_load_tr16_b128(outcome.lds, addresses(plan.row_stride, n0, k0)) for k0 in (0, 16))
    return [first[lane] + second[lane] for lane in range(LANES)]


got = operand(16)
print(f"lane  3 holds column 19, K 0 to 7:  {got[3][:8]}")
print(f"              from the matrix:      {[b[k][19] for k in range(8)]}")
for lane in range(LANES):
    half = 8 * (lane // 16)
    assert got[lane] == [b[k][16 + lane % 16] for k in [*range(half, half + 8), *range(16 + half, 24 + half)]]

a = [[(5 * m + k) % 17 for k in range(K)] for m in range(16)]
for n0 in range(0, N, 16):
    lanes = operand(n0)
    for m in range(16):
        for column in range(16):
            total = 0
            for half in (0, 1):
                ks = [*range(8 * half, 8 * half + 8), *range(16 + 8 * half, 24 + 8 * half)]
                total += sum(a[m][k] * value for k, value in zip(ks, lanes[column + 16 * half], strict=True))
            assert total == sum(a[m][k] * b[k][n0 + column] for k in range(K))
print(f"product equal to the triple loop for all {N} columns")

# %% [markdown]
# ## What this does not show
#
# - Cycles. A degree is no number of cycles, and the groups of these loads are stated, not measured ([LDS-054](../claims/LDS-054.md)).
# - The order of K inside an operand. A and B that are permuted alike multiply to the same product, so the check above cannot tell which order the hardware has.
#   The order here is column lane % 16, half lane // 16, as a public library's pull request says (ROCm/rocm-libraries 11762).
# - The exchange on a device. It is the published description, turned into Python, and what Triton 3.9.0 takes it to be ([TRN-053](../claims/TRN-053.md)); it is not measured here.
#   `ds_load_tr8_b64` exchanges in another pattern ([TRN-054](../claims/TRN-054.md)).
# - Rows of another length. A gap after every row needs rows of 8, 16, 32 ... or 1024 bytes; longer ones take [iterate](../tdm/iterate.md#a-gap-after-a-long-row).
#
# More: [Padding and banks](../tdm/padding.md).
