# SPDX-License-Identifier: Apache-2.0
"""The loop that fetches the next tiles while one is computed on: what it takes to be right, and how long it runs.

A ring of buffers holds tiles; tile n lies in buffer n modulo their number. `Loop` says what a loop does, `program`
writes it as operations of waves, and `omissions` leaves each thing out in turn and reports the shortest run that reads a
wrong tile. `timeline` gives the slots of fetch and compute; `steady_step` and `buffers_needed` say what they settle to.

Parts of a right loop. alternate: `lds_addr` moves to the next buffer with every load. drain: the limit of the wait falls
as the loads run out. landed_barrier: a barrier after the wait, so that the other waves know. lds_wait: every wave waits
for its LDS reads before the buffer is given back. read_barrier: a barrier after the reads, before the buffer is filled.

Shapes of the loop, by where the next tensor load stands: "after" (wait, compute, issue), "before" (issue, wait,
compute) and "between" (wait, issue, compute). The last two must leave one buffer of the ring empty at first. In the last
one the barrier after the wait already stands between the reads of a buffer and its next load.

Boundary: times are inputs in any unit, one engine takes one tile after another, and nothing here was measured. The
registers of the descriptor are those of groups 0 and 1; only the arithmetic on them is modelled.
"""

from typing import NamedTuple

from . import events
from .order import find

SHAPES = ("after", "before", "between")
PARTS = ("alternate", "drain", "landed_barrier", "lds_wait", "read_barrier")


class Loop(NamedTuple):
    """What a pipelined loop does; made by `loop`."""

    tiles: int
    buffers: int
    waves: int  # the first one fetches, all read
    shape: str
    without: tuple  # the PARTS that it lacks


class Omission(NamedTuple):
    """One thing left out, and what comes of it."""

    part: str  # one of PARTS, or "carry", "borrow"
    tile: int  # the first tile that comes out wrong
    text: str
    claim: str
    trace: tuple  # Events to it; () for arithmetic


class Slot(NamedTuple):
    """One tile on the time axis."""

    tile: int
    buffer: int
    issued: int
    fetch_start: int
    landed: int
    compute_start: int
    compute_end: int


_CLAIMS = {
    "alternate": ("TDM-104", "every load lands in one buffer, over the tile that is read"),
    "drain": ("TDM-105", "the last wait still allows transfers, but nothing newer than the last tile is in flight"),
    "landed_barrier": ("TDM-093", "a wave reads a tile that another wave fetched and did not announce"),
    "lds_wait": ("TDM-106", "the buffer is filled again before an LDS read of it was done"),
    "read_barrier": ("TDM-106", "the buffer is filled again before every wave has read it"),
}


def loop(tiles=4, buffers=2, waves=1, shape="after", without=()):
    """Return a Loop, a right one unless parts are left out.

    Args: tiles: 1 or more; buffers: of the ring; waves: 1 or more; shape: one of SHAPES; without: some of PARTS.
    Raises: ValueError: a part, a shape or a ring that does not exist.
    Claims: TDM-102
    """
    _ring(buffers, shape)
    for part in without:
        if part not in PARTS:
            raise ValueError(f"without={part!r}: {', '.join(PARTS)}")
    if tiles < 1 or waves < 1:
        raise ValueError(f"tiles={tiles!r}, waves={waves!r}: 1 or more")
    return Loop(tiles, buffers, waves, shape, tuple(without))


def loads_before(buffers, shape="after"):
    """Return how many tiles a loop may fetch before its first wait.

    Args: buffers: 2 or more, or 1 for a loop that does not overlap; shape: one of SHAPES.
    Claims: TDM-102, TDM-106
    """
    _ring(buffers, shape)
    return buffers if shape == "after" else buffers - 1


def wait_limit(buffers, shape="after", left=None, loads_per_tile=1):
    """Return N of the `s_wait_tensorcnt N` that makes sure of the tile that is computed on next.

    Args: buffers, shape: the ring; left: tiles that come after it, None in the middle of a long loop; loads_per_tile:
      tensor instructions of one tile.
    Claims: TDM-102, TDM-105
    """
    _ring(buffers, shape)
    younger = buffers - 2 if shape == "between" else buffers - 1
    if left is not None and left < younger:
        younger = left
    return younger * loads_per_tile


def check_ring(buffers, loads_in_prologue, shape="between"):
    """Return what is wrong with a prologue, or "" when it leaves the buffer free that is filled next.

    Claims: TDM-106
    """
    most = loads_before(buffers, shape)
    if loads_in_prologue <= most:
        return ""
    slot = loads_in_prologue % buffers
    return f"loads_in_prologue={loads_in_prologue}: at most {most}; load {loads_in_prologue} goes into buffer {slot}, which is still to be read, TDM-106"


def program(made):
    """Return the waves of a loop, and the tiles that each wave must see.

    Args: made: a Loop.
    Returns: (list of waves, list of the values that each wave's reads must see), values named tile0, tile1, ...
    Claims: TDM-102, TDM-104 to TDM-106
    """
    waves = [[] for _ in range(made.waves)]
    ahead = loads_before(made.buffers, made.shape)
    issued = 0
    while issued < min(ahead, made.tiles):
        waves[0].append(_load(made, issued))
        issued += 1
    for n in range(made.tiles):
        following = n + ahead
        if made.shape == "before" and following < made.tiles:
            waves[0].append(_load(made, following))
        left = made.tiles - 1 - n if "drain" not in made.without else None
        waves[0].append(events.wait("tensor", wait_limit(made.buffers, made.shape, left)))
        if made.waves > 1 and "landed_barrier" not in made.without:
            _all(waves, events.barrier())
        if made.shape == "between" and following < made.tiles:
            waves[0].append(_load(made, following))
        _all(waves, events.ds_read(_buffer(made, n)))
        if "lds_wait" not in made.without:
            _all(waves, events.wait("ds"))
        if made.waves > 1 and "read_barrier" not in made.without:
            _all(waves, events.barrier())
        if made.shape == "after" and following < made.tiles:
            waves[0].append(_load(made, following))
    return waves, [["tile" + str(n) for n in range(made.tiles)]] * made.waves


def memory_of(made):
    """Return the memory that `program` reads from, as (place, value) pairs."""
    return [("m" + str(n), "tile" + str(n)) for n in range(made.tiles)]


def check(made):
    """Return the Report of `order.find` for a loop: `wrong` is None when every wave sees every tile.

    Claims: TDM-102, TDM-104 to TDM-106
    """
    waves, reads = program(made)
    return find(waves, memory_of(made), (), "free", reads)


def omissions(made):
    """Leave out the parts of a right loop one at a time, and report those without which a wrong tile may be read.

    Args: made: a Loop; its `without` does not matter.
    Returns: a list of Omission, in the order of PARTS.
    Claims: TDM-093, TDM-104 to TDM-106
    """
    found = []
    for part in PARTS:
        report = check(Loop(made.tiles, made.buffers, made.waves, made.shape, (part,)))
        if report.wrong is None:
            continue
        claim, text = _CLAIMS[part]
        found.append(Omission(part, _first_wrong(made, report.wrong), text, claim, report.trace))
    return found


def advance(low, high, step, carry=True):
    """Return words 2 and 3 of group 0 with the address moved on.

    Args: low, high: the words; step: bytes; carry: False for a lone 32-bit add on the low word, as in the listing.
    Claims: TDM-020, TDM-102
    """
    whole = low + step
    return whole & 0xFFFFFFFF, high + (whole >> 32 if carry else 0)


def shrink_bound(word1, word2, by, borrow=True):
    """Return words 1 and 2 of group 1 with tensor_dim0, which straddles them, made smaller.

    Args: word1, word2: the words; by: elements, not more than the bound; borrow: False for a lone subtract on word 1.
    Claims: TDM-050, TDM-102
    """
    less = word1 - (by << 16)
    borrowed = -(less >> 32) if borrow else 0
    return less & 0xFFFFFFFF, (word2 - borrowed) & 0xFFFFFFFF


def bound_of(word1, word2):
    """Return tensor_dim0 out of words 1 and 2 of group 1."""
    return word1 >> 16 | (word2 & 0xFFFF) << 16


def arithmetic_omissions(address, step_bytes, bound, step_elements, tiles):
    """Walk a row of tiles with a lone add and with a lone subtract, and report where each first goes wrong.

    Args: address: of the first tile, bytes; step_bytes, step_elements: from tile to tile; bound: tensor_dim0 of the
      first tile, elements; tiles: how many.
    Returns: a list of Omission for "carry" and "borrow".
    Claims: TDM-020, TDM-050, TDM-102
    """
    found = []
    low, high = address & 0xFFFFFFFF, address >> 32
    word1, word2 = (bound & 0xFFFF) << 16, bound >> 16
    carried = borrowed = False
    for n in range(1, tiles):
        low, high = advance(low, high, step_bytes, False)
        right = address + n * step_bytes
        if not carried and high << 32 | low != right:
            carried = True
            text = f"tile {n} is fetched from {high << 32 | low}, not from {right}: the add lost its carry"
            found.append(Omission("carry", n, text, "TDM-020", ()))
        right = bound - n * step_elements
        if right < 0:
            break
        word1, word2 = shrink_bound(word1, word2, step_elements, False)
        if not borrowed and bound_of(word1, word2) != right:
            borrowed = True
            text = f"tile {n} is bounded by {bound_of(word1, word2)} elements, not by {right}: the subtract lost its borrow"
            found.append(Omission("borrow", n, text, "TDM-050", ()))
    return found


def timeline(tiles, compute, transfer, latency=0, buffers=2):
    """Return the slots of a right loop.

    Args: tiles: how many; compute: time of one tile; transfer: time that the engine is busy with one; latency: time
      more until it has landed, in which the engine may start the next; buffers: of the ring, 1 for no overlap.
    Returns: a list of Slot; a buffer is filled again when the computing on it has ended.
    Claims: TDM-102, TDM-103, TDM-107
    """
    slots = []
    free = done = 0
    for n in range(tiles):
        issued = slots[n - buffers].compute_end if n >= buffers else 0
        start = max(issued, free)
        free = start + transfer
        landed = free + latency
        begin = max(landed, done)
        done = begin + compute
        slots.append(Slot(n, n % buffers, issued, start, landed, begin, done))
    return slots


def steady_step(compute, transfer, latency=0, buffers=2):
    """Return the time from tile to tile that a long loop settles to, as (numerator, denominator).

    The largest of: compute, transfer, and a buffer's whole round divided by the number of buffers. With two buffers and
    no latency that is the larger of compute and transfer.
    Claims: TDM-107
    """
    step = max(compute, transfer)
    whole = latency + transfer + compute
    return (whole, buffers) if whole > step * buffers else (step, 1)


def buffers_needed(compute, transfer, latency=0):
    """Return the fewest buffers with which a long loop runs at the larger of compute and transfer.

    Claims: TDM-107
    """
    return -(-(latency + transfer + compute) // max(compute, transfer))


def _ring(buffers, shape):
    if shape not in SHAPES:
        raise ValueError(f"shape={shape!r}: {', '.join(SHAPES)}")
    if buffers < (1 if shape == "after" else 2):
        raise ValueError(f"buffers={buffers!r}: {1 if shape == 'after' else 2} or more for shape {shape}, TDM-102")


def _buffer(made, n):
    return "B" + str(n % made.buffers if "alternate" not in made.without else 0)


def _load(made, n):
    return events.tensor_load(_buffer(made, n), "m" + str(n))


def _all(waves, op):
    for wave in waves:
        wave.append(op)


def _first_wrong(made, outcome):
    least = made.tiles
    for w in range(made.waves):
        seen = [value for wave, op, place, value in outcome.seen if wave == w]
        for n in range(len(seen)):
            if seen[n] != "tile" + str(n):
                least = min(least, n)
    return least
