# SPDX-License-Identifier: Apache-2.0
"""What one tensor instruction does to global memory and to LDS: load, store, gather, scatter, iterate.

The tile is walked with dimension 0 fastest and forms one dense stream of bytes. A row of the stream is one slice of
memory, so the work grows with the rows and not with the elements. LDS holds the stream from `lds_addr` on; padding
opens gaps in it. Positions where sources disagree are parameters, and the default is this project's reading:

- `iterate_bounds`: "fresh" tests every pass of an iteration against the bounds counted from that pass's own start;
  "advanced" counts them from the first tile's start. Facts: an emulator does the second; page faults that were
  reported from hardware fit the first. The default is "fresh": whoever relies on protection in later passes may lose.
- `store_padding`: "ignored" (default) or "applied" (what one encoder's comment says).
- `edge_reads`: "masked" (default) asks no memory for elements past the innermost bound; "touched" asks for them and
  throws the answer away, as one library reports of dense loads. LDS gets zeros either way; only faults differ.

Boundary: one workgroup. `workgroup_mask`, scope, temporal hints and time-outs change nothing here. The barrier cell in
LDS is not rewritten, because its layout is disputed (`cdna.lds.barrier`); the arrival is reported instead.
"""

from typing import NamedTuple

from .walk import Walk, bounds_of_pass, gaps_that_fit, is_null, padded, walk_of

OPS = ("load", "store")
ITERATE_BOUNDS = ("fresh", "advanced")
STORE_PADDING = ("ignored", "applied")
EDGE_READS = ("masked", "touched")
ADDRESS_END = 1 << 57


class Fault(NamedTuple):
    """One report of one operation: where it first went wrong, and how many bytes were not moved because of it."""

    space: str  # "memory": no memory was given there; "lds": outside the allocation
    address: int  # bytes
    length: int  # bytes of the whole operation in that space


class Outcome(NamedTuple):
    """Everything an instruction leaves behind."""

    lds: bytes
    memory: tuple  # (address, bytes) segments in the order given
    counter: int  # TENSORcnt of this instruction afterwards: it returns in every case
    barrier: tuple  # LDS byte addresses at which an arrival was sent
    faults: tuple


def run(
    fields, op, memory, lds, null_groups=(), iterate_bounds="fresh", store_padding="ignored", edge_reads="masked"
):
    """Carry out one tensor instruction on copies of memory and LDS.

    Args: fields: raw encoded descriptor fields (`count` 1 and `type` 2 when absent); op: "load" or "store";
      memory: (byte address, bytes) segments that do not overlap; lds: bytes of the allocation; null_groups: 2 and 3
      when the instruction names NULL for them; iterate_bounds, store_padding, edge_reads: see the module.
    Returns: an Outcome; the inputs are untouched. Bytes that fault are not moved, all others are.
    Raises: FieldError: a descriptor for context restore, a wrong `type`, more indices than the list holds;
      ValueError: overlapping memory or an unknown choice.
    Claims: TDM-014 to TDM-028, TDM-031 to TDM-038, TDM-043 to TDM-049, TDM-056, TDM-067 to TDM-080, TDM-110, TDM-128,
      TDM-151
    """
    _choice("op", op, OPS)
    _choice("iterate_bounds", iterate_bounds, ITERATE_BOUNDS)
    _choice("store_padding", store_padding, STORE_PADDING)
    _choice("edge_reads", edge_reads, EDGE_READS)
    segments = _segments(memory)
    if is_null(fields):
        return Outcome(bytes(lds), tuple(memory), 0, (), ())
    walk = _merged(walk_of(fields, op, null_groups, store_padding))
    size = len(lds)
    faults = {}
    if walk.counts[0] == 0:
        lds_after, memory_after = bytes(lds), tuple(memory)
    elif op == "load":
        lds_after, memory_after = bytes(_load(walk, segments, lds, faults, iterate_bounds, edge_reads)), tuple(memory)
    else:
        stored = [[low, high, bytearray(data)] for low, high, data in segments]
        _store(walk, stored, lds, faults, iterate_bounds)
        lds_after = bytes(lds)
        after = {low: bytes(data) for low, high, data in stored}
        memory_after = tuple([(low, after.get(low, b"")) for low, data in memory])
    barrier = ()
    if fields.get("atomic_barrier_enable", 0):
        cell = fields.get("atomic_barrier_address", 0) << 3
        barrier = (cell,)
        if cell + 8 > size:
            _fault(faults, "lds", cell, 8)
    found = [Fault(space, faults[space][0], faults[space][1]) for space in ("memory", "lds") if space in faults]
    return Outcome(lds_after, memory_after, 0, barrier, tuple(found))


def _merged(walk):
    """Return the same walk with rows that lie back to back in memory, and wholly in bounds, joined to longer ones."""
    while (
        len(walk.counts) > 1
        and walk.passes == 1
        and not walk.indices
        and walk.pitches[1] == walk.counts[0] * walk.element
        and walk.bounds[0] >= walk.counts[0]
        and walk.bounds[1] >= walk.counts[1]
        and walk.counts[1]
    ):
        joined = walk.counts[0] * walk.counts[1]
        walk = Walk(
            walk.element,
            (joined,) + walk.counts[2:],
            (joined,) + walk.bounds[2:],
            (walk.element,) + walk.pitches[2:],
            (),
            walk.base,
            walk.lds_addr,
            1,
            0,
            0,
            walk.interval,
            walk.amount,
        )
    return walk


def _load(walk, segments, lds, faults, iterate_bounds, edge_reads):
    out = bytearray(lds)
    gaps = gaps_that_fit(walk, len(lds))
    room = max(0, len(lds) - walk.lds_addr) - gaps * walk.amount
    row = walk.counts[0] * walk.element
    for step in range(walk.passes):
        start = step * walk.lds_step
        rows, valid, home, keep = _pass(walk, step, start, room, row, gaps, segments, faults, iterate_bounds)
        if not rows:
            continue
        tail = bytes(row - valid)
        if edge_reads == "touched" and not walk.indices:
            shift = valid if home is None else valid + home[0]
            for address in rows:
                for offset, length in () if address is None else _read(segments, address + shift, row - valid)[1]:
                    _fault(faults, "memory", address + shift + offset, length)
        missing = []
        if home is not None:
            data = home[2]
            if not isinstance(rows, range) and None in rows:
                blank = bytes(valid)
                parts = [blank if a is None else data[a : a + valid] for a in rows]
            else:
                parts = [data[a : a + valid] for a in rows]
        else:
            parts = []
            for i in range(len(rows)):
                part, absent = (bytes(valid), ()) if rows[i] is None else _read(segments, rows[i], valid)
                parts.append(part)
                for offset, length in absent:
                    missing.append((i * row + offset, length, rows[i] + offset))
        stream = tail.join(parts) + tail
        if len(stream) > keep:
            stream = stream[:keep]
        if missing:
            old = _collect(out, start, len(stream), walk, gaps)
            patched = bytearray(stream)
            for offset, length, address in missing:
                length = min(length, keep - offset)
                if length > 0:
                    patched[offset : offset + length] = old[offset : offset + length]
                    _fault(faults, "memory", address, length)
            stream = bytes(patched)
        for offset, place, length in _pieces(start, len(stream), walk, gaps):
            out[place : place + length] = stream[offset : offset + length]
    return out


def _store(walk, segments, lds, faults, iterate_bounds):
    gaps = gaps_that_fit(walk, len(lds))
    room = max(0, len(lds) - walk.lds_addr) - gaps * walk.amount
    row = walk.counts[0] * walk.element
    for step in range(walk.passes):
        start = step * walk.lds_step
        rows, valid, home, keep = _pass(walk, step, start, room, row, gaps, segments, faults, iterate_bounds)
        if not rows:
            continue
        stream = _collect(lds, start, min(keep, len(rows) * row), walk, gaps)
        offset = 0
        last = len(stream) - valid
        for address in rows:
            if address is not None:
                if home is not None and offset <= last:
                    home[2][address : address + valid] = stream[offset : offset + valid]
                else:
                    whole = address if home is None else address + home[0]
                    _write(segments, whole, stream[offset : min(offset + valid, len(stream))], faults)
            offset += row


def _pass(walk, step, start, room, row, gaps, segments, faults, iterate_bounds):
    """Return the row addresses of one pass, the bytes in bounds of a row, the segment that holds all of them (the
    addresses then count from its start) and how many bytes of the stream have a place in LDS."""
    bounds = bounds_of_pass(walk, step, iterate_bounds)
    total = 1
    for count in walk.counts[1:]:
        total *= count
    keep = total * row
    if keep and start + keep > room:
        first = max(start, room)
        place = walk.lds_addr + padded(first, walk.interval, walk.amount, gaps)
        _fault(faults, "lds", place, start + keep - first)
        keep = max(0, room - start)
    limit = -(-keep // row)
    valid = min(walk.counts[0], bounds[0]) * walk.element
    base = walk.base + step * walk.global_step
    if limit == 0 or valid == 0:
        return [None] * limit, 0, None, keep
    if walk.indices:
        used = [index for index in walk.indices[:limit] if index < bounds[1]]
        top = base + max(used) * walk.pitches[1] if used else base
        low = base + min(used) * walk.pitches[1] if used else base
    else:
        low = top = base
        for d in range(1, len(bounds)):
            top += max(0, min(walk.counts[d], bounds[d]) - 1) * walk.pitches[d]
    home = None
    for segment in segments:
        if segment[0] <= low and top + valid <= segment[1]:
            home = segment
            base -= segment[0]
            break
    if walk.indices:
        pitch = walk.pitches[1]
        rows = [base + index * pitch if index < bounds[1] else None for index in walk.indices[:limit]]
    else:
        rows = _rows(base, walk, bounds, limit)
    return rows, valid, home, keep


def _rows(base, walk, bounds, limit):
    rows = [base]
    inner = 1
    for count in walk.counts[1:]:
        inner *= count
    for d in range(len(bounds) - 1, 0, -1):
        count = walk.counts[d]
        inner //= count
        need = -(-limit // inner)
        reached = min(count, need)
        inside = min(reached, bounds[d])
        pitch = walk.pitches[d]
        if inside == reached and len(rows) == 1 and rows[0] is not None:
            first = rows[0]
            rows = range(first, first + reached * pitch, pitch) if pitch else [first] * reached
            continue
        outside = [None] * (reached - inside)
        nothing = [None] * reached
        steps = [i * pitch for i in range(inside)]
        wider = []
        for first in rows:
            if len(wider) >= need:
                break
            if first is None:
                wider.extend(nothing)
            else:
                wider.extend([first + far for far in steps])
                wider.extend(outside)
        rows = wider[:need]
    return rows


def _pieces(start, length, walk, gaps):
    """Return (offset in the stream part, LDS byte address, bytes) for each run without a gap inside."""
    if not walk.interval:
        return ((0, walk.lds_addr + start, length),)
    pieces = []
    offset = 0
    while offset < length:
        place = start + offset
        count = place // walk.interval
        if count >= gaps:
            count, size = gaps, length - offset
        else:
            size = min(walk.interval - place % walk.interval, length - offset)
        pieces.append((offset, walk.lds_addr + place + count * walk.amount, size))
        offset += size
    return pieces


def _collect(lds, start, length, walk, gaps):
    parts = [bytes(lds[place : place + size]) for offset, place, size in _pieces(start, length, walk, gaps)]
    return b"".join(parts)


def _read(segments, address, length):
    """Return the bytes at an address, zeros where nothing was given, and those places as (offset, length)."""
    out = bytearray(length)
    absent = []
    at = address
    end = address + length
    for low, high, data in segments:
        if at >= end:
            break
        if high <= at:
            continue
        if low >= end:
            break
        if low > at:
            absent.append((at - address, low - at))
            at = low
        stop = min(end, high)
        out[at - address : stop - address] = data[at - low : stop - low]
        at = stop
    if at < end:
        absent.append((at - address, end - at))
    return bytes(out), absent


def _write(segments, address, data, faults):
    at = address
    end = address + len(data)
    for low, high, held in segments:
        if at >= end or low >= end:
            break
        if high <= at:
            continue
        if low > at:
            _fault(faults, "memory", at, low - at)
            at = low
        stop = min(end, high)
        held[at - low : stop - low] = data[at - address : stop - address]
        at = stop
    if at < end:
        _fault(faults, "memory", at, end - at)


def _fault(faults, space, address, length):
    if space in faults:
        faults[space] = (faults[space][0], faults[space][1] + length)
    else:
        faults[space] = (address, length)


def _segments(memory):
    segments = []
    for address, data in memory:
        if address < 0 or address + len(data) > ADDRESS_END:
            raise ValueError(f"memory at {address}: {len(data)} bytes must lie below 2^57, TDM-019")
        if len(data):
            segments.append((address, address + len(data), data if isinstance(data, bytes) else bytes(data)))
    segments.sort()
    for i in range(1, len(segments)):
        if segments[i][0] < segments[i - 1][1]:
            raise ValueError(f"memory at {segments[i][0]} overlaps the segment at {segments[i - 1][0]}")
    return segments


def _choice(name, given, allowed):
    if given not in allowed:
        raise ValueError(f"{name}={given!r}: {' or '.join(allowed)}")
