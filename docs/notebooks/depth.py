# SPDX-License-Identifier: Apache-2.0

# %% [markdown]
# # How deep a pipeline must be
#
# **Buffers needed: latency plus transfer plus arithmetic of one tile, divided by the larger of the last two, rounded up.
# Fewer leave the wave waiting. More cost LDS and gain nothing.**
#
# All times are inputs, in any unit you like. No public source gives the latency or the rate of the engine on gfx1250, so put in what you measured.
# The numbers below are examples and say nothing about a device.
#
# Claims used: [TDM-107](../claims/TDM-107.md) (the step, and the buffers), [TDM-103](../claims/TDM-103.md) (what a second transfer in flight gains),
# [LDS-001](../claims/LDS-001.md) (the LDS of a workgroup), [TDM-065](../claims/TDM-065.md) (the counter has six bits).
#
# ## One tile, one answer
#
# A tile lands a latency after its transfer has ended, and the engine starts the next transfer meanwhile. A buffer is filled again when the arithmetic on it has ended.

# %%
from IPython.display import HTML, display

from cdna.targets import GFX1250
from cdna.tdm.pad import interval_bytes, reserved_bytes
from cdna.tdm.pipeline import buffers_needed, steady_step, timeline, wait_limit

latency, transfer, compute = 1500, 800, 1000
need = buffers_needed(compute, transfer, latency)
print("buffers needed:", need)
for buffers in range(1, need + 2):
    over, under = steady_step(compute, transfer, latency, buffers)
    step = over / under
    print(f"{buffers} buffers: {step:6.0f} from tile to tile, arithmetic {100 * compute / step:3.0f} percent of the time")

# %% [markdown]
# With two buffers a step takes 1650, although the arithmetic takes 1000. The fourth buffer makes it free; the fifth changes nothing.
#
# The formula against the simulated loop: the last steps of a long run.

# %%
for buffers in range(1, need + 2):
    slots = timeline(64, compute, transfer, latency, buffers)
    ends = [slot.compute_end for slot in slots]
    over, under = steady_step(compute, transfer, latency, buffers)
    span = 4 * buffers  # whole rounds of the ring
    assert (ends[-1] - ends[-1 - span]) * under == over * span
print("equal for 1 to", need + 1, "buffers")

# %% tags=["fold"]
SCALE = 0.026  # pixels a unit of time


def text(x, y, words, anchor="start"):
    style = "fill:var(--ink,#1d2026);font-size:12px;font-family:monospace"
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" style="{style}">{words}</text>'


def bar(x, y, width, fill, height=18):
    style = f"fill:{fill};stroke:var(--f-line,#5a606b);stroke-width:1.25"
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height}" style="{style}"/>'


def figure(name, title, told, width, height, body, caption):
    drawing = (
        f'<svg class="cdna-svg" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        f'aria-labelledby="{name}-t {name}-d"><title id="{name}-t">{title}</title><desc id="{name}-d">{told}</desc>{body}</svg>'
    )
    display(
        HTML(
            f'<figure class="cdna-figure"><div class="cdna-draw" tabindex="0" role="group" aria-label="{title}">{drawing}</div><figcaption>{caption}</figcaption></figure>'
        )
    )


def lanes(top, buffers, tiles=6):
    body = text(0, top + 14, f"{buffers} buffers")
    body += text(0, top + 38, "engine") + text(0, top + 62, "wave")
    for slot in timeline(tiles, compute, transfer, latency, buffers):
        x, y = 52 + slot.fetch_start * SCALE, 52 + slot.compute_start * SCALE
        body += bar(x, top + 24, transfer * SCALE, "var(--f-tensor,#ffe0b3)")
        body += bar(y, top + 48, compute * SCALE, "var(--f-tile,#cfe0ff)")
        body += text(x + transfer * SCALE / 2, top + 38, slot.tile, "middle")
        body += text(y + compute * SCALE / 2, top + 62, slot.tile, "middle")
    return body


ends = [timeline(6, compute, transfer, latency, buffers)[-1].compute_end for buffers in (2, 4)]
told = f"Six tiles take {ends[0]} with two buffers, with gaps between the computed tiles, and {ends[1]} with four, without gaps after the first."
figure(
    "slots",
    "Six tiles with two and with four buffers",
    told,
    52 + int(max(ends) * SCALE) + 8,
    160,
    lanes(0, 2) + lanes(84, 4),
    "Numbers are tiles, time runs to the right. " + told,
)

# %% [markdown]
# ## Depth over latency, for three tiles
#
# Transfer and arithmetic follow from the tile and two rates. The example: 16-bit operands A and B of a product with 128 x 128 results a workgroup and a K of 32, 64 or 128.
# The engine is assumed to move 32 bytes a cycle, and the matrix cores to make 1024 multiply-adds a cycle. Both are made up: change them.

# %%
RATE, MACS = 32, 1024  # bytes a cycle, multiply-adds a cycle: assumptions
M = N = 128
PAD = 16  # bytes after each row of K elements, see the notebook on padding


def tile(k):
    """(bytes moved, LDS bytes of one buffer, cycles of transfer, cycles of arithmetic) of both operands."""
    moved = (M + N) * k * 2
    row = k * 2
    assert row in [interval_bytes(code) for code in range(8)]
    held = reserved_bytes(moved, row, PAD)
    return moved, held, moved // RATE, M * N * k // MACS


shapes = {k: tile(k) for k in (32, 64, 128)}
print("  K  bytes  LDS of a buffer  transfer  arithmetic  buffers that fit")
for k, (moved, held, fetch, work) in shapes.items():
    print(f"{k:3} {moved:6} {held:16} {fetch:9} {work:11} {GFX1250.lds_bytes // held:17}")

# %%
LATENCIES = range(0, 8001, 1000)
print("latency" + "".join(f"   K={k}" for k in shapes))
for time in LATENCIES:
    row = [buffers_needed(work, fetch, time) for moved, held, fetch, work in shapes.values()]
    print(f"{time:7}" + "".join(f"{count:{4 + len(str(k))}}" + " " for count, k in zip(row, shapes, strict=True)))

# %% [markdown]
# A tile of twice the K takes twice as long, so it needs about half as many buffers for the same latency, and each takes about twice the LDS.
# The bytes in flight are what counts, not the buffers: they must cover the latency at the rate of the loop.
# What differs is the padding (a smaller share of longer rows), the grain, and the number of instructions in flight.

# %% tags=["fold"]
LEFT, TOP, WIDE, HIGH, MOST, LAST = 28, 16, 246, 220, 20, 8000


def at(time, count):
    return LEFT + time * WIDE / LAST, TOP + HIGH - count * HIGH / MOST


body = ""
line = "fill:none;stroke:var(--f-line,#5a606b);stroke-width:"
for count in range(0, MOST + 1, 4):
    x, y = at(0, count)
    body += f'<path d="M{x:g} {y:g}L{LEFT + WIDE} {y:g}" style="{line}0.5"/>' + text(x - 6, y + 4, count, "end")
for time in range(0, LAST + 1, 2000):
    body += text(at(time, 0)[0], TOP + HIGH + 18, time, "middle")
body += text(LEFT + WIDE / 2, TOP + HIGH + 36, "latency, cycles", "middle")
inks = ("var(--executed,#1f4fa8)", "var(--disputed,#7a4a00)", "var(--measured,#17643a)")
dashes = ("none", "8 4", "2 4")
told = []
for (k, (_, held, fetch, work)), ink, dash in zip(shapes.items(), inks, dashes, strict=True):
    points, before = [], None
    for time in range(0, LAST + 1, 20):
        count = buffers_needed(work, fetch, time)
        if before not in (None, count):
            points.append(at(time, before))
        points.append(at(time, count))
        before = count
    way = "L".join(f"{x:g} {y:g}" for x, y in points)
    body += f'<path d="M{way}" style="fill:none;stroke:{ink};stroke-width:2.5;stroke-dasharray:{dash}"/>'
    body += text(LEFT + WIDE + 6, at(LAST, before)[1] + 4, f"K={k}: {before}")
    fit = GFX1250.lds_bytes // held
    told.append(f"K={k}: {before} buffers, of {held} bytes each; {fit} fit")
figure(
    "depth",
    "Buffers needed over latency, for three tiles",
    "Steps that rise with the latency. At 8000 cycles: " + "; ".join(told) + ".",
    350,
    280,
    body,
    "Buffers needed (vertical) for three tiles. At 8000 cycles: " + "; ".join(told) + ".",
)

# %% [markdown]
# ## What sets the limit
#
# - **LDS.** Each buffer is a padded tile. 327680 bytes are the most that one workgroup gets.
# - **The counter.** `s_wait_tensorcnt` counts instructions of the wave, at most 63. Two tensor instructions a tile (A and B) halve that.
# - **The queue.** How many transfers an engine takes before issue stalls is not public.

# %%
print("  K  latency  needed  that fit  N in the loop, A and B by one wave")
for k, (_, held, fetch, work) in shapes.items():
    for time in (2000, 8000):
        count, fit = buffers_needed(work, fetch, time), GFX1250.lds_bytes // held
        waits = wait_limit(count, "after", loads_per_tile=2)
        verdict = waits if count <= fit and waits <= 63 else "does not fit"
        print(f"{k:3} {time:8} {count:7} {fit:9}  {verdict}")

# %% [markdown]
# Where it does not fit, another K does not help: the same bytes are in flight. More results a workgroup do help, because the arithmetic grows with M * N and the bytes with M + N.
# 256 x 256 results, K of 32, 8000 cycles:

# %%
M = N = 256
moved, held, fetch, work = tile(32)
count, fit = buffers_needed(work, fetch, 8000), GFX1250.lds_bytes // held
print(count, "buffers of", held, "bytes needed,", fit, "fit; transfer", fetch, "and arithmetic", work, "cycles")

# %% [markdown]
# ## What this does not show
#
# - Any time on a device. The rates are made up, and a second workgroup, other waves or the memory system may slow both sides.
# - Every loop. The formula takes a refill to be issued as soon as its buffer has been read. A loop that first waits for its next tile issues later,
#   and is slower where latency binds: [The pipeline](../tdm/pipeline.md#which-n-to-wait-for).
# - Bandwidth. Depth hides latency. Where the transfer is longer than the arithmetic, the transfer sets the pace at any depth ([TDM-103](../claims/TDM-103.md)).
