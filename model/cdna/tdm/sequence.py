# SPDX-License-Identifier: Apache-2.0
"""What only several descriptors of one wave together show: what moved from one to the next, and what should have.

Descriptors are compared with the last one of the same shape (element size, tile, strides, mode, direction). An address
that moved by more rows than the tensor has left belongs to another tensor, and nothing is said.
"""

from .descriptor import GATHER_SLOTS, STRIDES, TENSOR_DIMS, TILE_DIMS, layout_of, mode_of, rank_of
from .finding import note, warning
from .pad import amount_bytes, interval_bytes, padded_offset, written_bytes
from .rules_modes import tile_bytes

SHAPE = ("data_size", "iterate_enable", "pad_enable", "pad_interval", "pad_amount") + TILE_DIMS + STRIDES
WALK_CLAIMS = ("TDM-024", "TDM-025", "TDM-025", "TDM-025", "TDM-025")


def sequence_findings(descriptors):
    """Return what a sequence of descriptors shows that none of them shows alone.

    Args: descriptors: list of (fields, op), in the order of issue; op: "load", "store" or None.
    Returns: list of (position in the list, Finding).
    Claims: TDM-019, TDM-020, TDM-024, TDM-025, TDM-038, TDM-047, TDM-106
    """
    found, walks, slots = [], [], []
    for i in range(len(descriptors)):
        fields, op = descriptors[i]
        if mode_of(fields) in ("null", "restore") or rank_of(fields) == 0 or not fields.get("tile_dim0", 0):
            continue
        key = [layout_of(fields), op] + [fields.get(name, 0) for name in SHAPE]
        same = [walk for walk in walks if walk[0] == key]
        if same:
            found += [(i, item) for item in _step(same[0], fields, i)]
        else:
            walks.append([key, fields, [fields.get(name, 0) for name in TENSOR_DIMS], fields, i])
        if op != "store" and layout_of(fields) != "iterate":
            found += [(i, item) for item in _landing(slots, key, fields, i)]
    return found


def _step(walk, fields, position):
    """Compare a descriptor with the last of its shape; `walk` is [key, last, what is truly left, first, position]."""
    last, left, origin = walk[1], walk[2], walk[4]
    bounds = [fields.get(name, 0) for name in TENSOR_DIMS]
    walk[1], walk[4] = fields, position
    moved = fields.get("global_addr", 0) - last.get("global_addr", 0)
    size = 1 << fields.get("data_size", 0)
    walk[2] = bounds
    if moved == 0 or moved % size:
        return []
    found = _carry(last, fields, origin) + _cut_stride(last, fields, moved // size, origin)
    if found:
        return found
    gathers = layout_of(fields) in GATHER_SLOTS
    rank = 1 if gathers else rank_of(fields)
    steps = _steps(abs(moved) // size, fields, rank)
    if steps is None or gathers and steps[0] >= fields.get("tensor_dim0_stride", 0):
        return []
    if moved < 0:
        return _backwards(last, fields, steps, origin)
    for i in range(rank):
        other = steps[i] >= left[i] and (i or any(steps[1:]) or rank == 1)
        if other:
            return []
    truly = [max(0, left[i] - steps[i]) if i < rank else bounds[i] for i in range(5)]
    if any(bounds[i] != truly[i] and bounds[i] != last.get(TENSOR_DIMS[i], 0) for i in range(rank)):
        return []  # bounds that were set anew: a tensor, or a part of one, of its own
    for i in range(rank):
        if bounds[i] != truly[i] and truly[i] < min(fields.get(TILE_DIMS[i], 0) or 1, bounds[i]):
            text = (
                f"the address moved {steps[i]} elements along dimension {i} since descriptor {origin + 1}, but "
                f"{TENSOR_DIMS[i]} is still {bounds[i]}: {truly[i]} are left, so a tile of "
                f"{fields.get(TILE_DIMS[i], 0) or 1} reaches past the tensor. Fix: take every step of the address, a "
                f"cluster member's part included, off the bound as well: {TENSOR_DIMS[i]}={truly[i]}"
            )
            found.append(warning("bound-not-moved", text, WALK_CLAIMS[i], TENSOR_DIMS[i]))
    walk[2] = truly
    return found


def _steps(elements, fields, rank):
    """Return how far along each dimension an offset leads, or None where a stride is 0."""
    strides = [1] + [fields.get(STRIDES[i], 0) for i in range(rank - 1)]
    if 0 in strides:
        return None
    result = [0] * rank
    for stride, i in sorted([(strides[i], i) for i in range(rank)], reverse=True):
        result[i], elements = elements // stride, elements % stride
    return result


def _backwards(last, fields, steps, origin):
    """An address before the last one: the first tile may have been the start of the tensor."""
    size, step = fields.get("tile_dim0", 0), steps[0]
    grown = fields.get("tensor_dim0", 0) - last.get("tensor_dim0", 0)
    if any(steps[1:]) or step % size == 0 or grown != step:
        return []
    text = (
        f"starts {step} elements before descriptor {origin + 1} with tensor_dim0 larger by as much: nothing protects the "
        "near end, so if that one was the start of a row, memory before it is read. Fix: an offset below 0 must not "
        "enlarge the bound; clamp the start, or write tensor_dim0=0"
    )
    return [warning("near-edge", text, "TDM-047", "tensor_dim0")]


def _carry(last, fields, origin):
    """An address that went back by almost 4 GiB: its low word was advanced without the carry."""
    one, other = last.get("global_addr", 0), fields.get("global_addr", 0)
    reach = (fields.get("tile_dim0", 0) + fields.get("tensor_dim0_stride", 0) * max(fields.get("tile_dim1", 0), 1)) * 4
    step = other + (1 << 32) - one
    if one >> 32 != other >> 32 or other >= one or step > reach << fields.get("data_size", 0):
        return []
    text = (
        f"the address went back by {one - other} bytes since descriptor {origin + 1}: a step of {step} bytes lost the "
        "carry out of the low word. Fix: advance words 2 and 3 together (s_add_nc_u64, or s_add_u32 with s_addc_u32)"
    )
    return [warning("address-carry-lost", text, "TDM-020", "global_addr")]


def _cut_stride(last, fields, moved, origin):
    """Rows or planes that the address steps by, against those that the stride names."""
    for i in (1, 2):
        others = [j for j in range(5) if j != i and fields.get(TENSOR_DIMS[j], 0) != last.get(TENSOR_DIMS[j], 0)]
        count = last.get(TENSOR_DIMS[i], 0) - fields.get(TENSOR_DIMS[i], 0)
        stride = fields.get(STRIDES[i - 1], 0)
        if others or count <= 0 or moved % count or not fields.get(TILE_DIMS[i], 0):
            continue
        true, lost = moved // count, moved // count - stride
        high = lost > 0 and lost & 0xFFFFFFFF == 0
        middle = i == 2 and lost > 0 and lost & ~0xFFFF0000 == 0 and stride & 0xFFFF0000 == 0
        if high or middle:
            what = "bits 16 to 31" if middle else "the bits above 32"
            text = (
                f"the address stepped {count} rows of dimension {i} at {true} elements each since descriptor "
                f"{origin + 1}, and {STRIDES[i - 1]} is {stride}: {what} of the pitch are missing. Fix: strides have 48 "
                "bits; split them into words only after they were computed in 64 bits"
            )
            return [warning("stride-cut", text, "TDM-019", STRIDES[i - 1])]
    return []


def _landing(slots, key, fields, position):
    """Where tiles of one shape go in LDS; `slots` holds [key, position, start, end, fields] of earlier loads."""
    start, size = fields.get("lds_addr", 0), tile_bytes(fields)
    interval = amount = 0
    if fields.get("pad_enable", 0):
        interval, amount = interval_bytes(fields.get("pad_interval", 0)), amount_bytes(fields.get("pad_amount", 0))
    end = start + written_bytes(size, interval, amount)
    earlier = [slot for slot in slots if slot[0] == key]
    slots.append([key, position, start, end, fields])
    found = []
    again = [slot for slot in earlier if slot[2] == start]
    crossed = [slot for slot in earlier if slot[2] != start and slot[2] < end and start < slot[3]]
    if crossed:
        other = crossed[-1]
        text = (
            f"LDS bytes {start} to {end - 1} cut into those of descriptor {other[1] + 1} ({other[2]} to {other[3] - 1}). "
            f"Fix: tiles of this shape need {end - start} bytes each, gaps included"
        )
        found.append(warning("lds-overlap", text, "TDM-106", "lds_addr"))
    elif len(again) == 1 and earlier[-1][2] != start and not _told_reuse(earlier):
        ring = len({slot[2] for slot in earlier})
        text = (
            f"the LDS slot of descriptor {again[0][1] + 1} is written again, in a ring of {ring}. Fix, if not so yet: at "
            f"most {ring - 1} loads in flight while a slot is read, and a barrier after s_wait_tensorcnt and the last "
            "LDS read where other waves read it"
        )
        found.append(note("lds-reuse", text, "TDM-106", "lds_addr"))
    if earlier and interval and not crossed:
        found += _wave_starts(earlier, fields, start, size, interval, amount)
    return found


def _told_reuse(earlier):
    return any(earlier[i][2] == earlier[j][2] for i in range(len(earlier)) for j in range(i))


def _wave_starts(earlier, fields, start, size, interval, amount):
    """Parts of one padded tile that follow each other without a gap, or that begin and end in different intervals."""
    first, count = earlier[0], len(earlier)
    whole = [first[2] + padded_offset(k * size, interval, amount) for k in range(count + 1)]
    dense = all(earlier[k][2] == first[2] + k * size for k in range(count)) and start == first[2] + count * size
    rows = fields.get("tensor_dim0_stride", 0) * max(fields.get("tile_dim1", 0), 1) << fields.get("data_size", 0)
    part = fields.get("global_addr", 0) - first[4].get("global_addr", 0) == count * rows
    right = whole[count]
    if part and [slot[2] for slot in earlier] + [start] == whole:
        return _crossing(count, size, interval, amount)
    if size >= interval or not dense or not part or right == start:
        return []
    if count and padded_offset((count - 1) * size, interval, amount) != (count - 1) * size:
        return []  # said before
    text = (
        f"parts of {size} bytes follow each other in LDS with no gap, so the padding of {amount} bytes after every "
        f"{interval} never acts: each descriptor counts from its own lds_addr. Fix: pad the total offset, "
        f"lds_addr={right} here, not each part"
    )
    return [warning("wave-start", text, "TDM-038", "lds_addr")]


def _crossing(count, size, interval, amount):
    """Parts that start where one padded tile would put them: is each of them padded as that tile would be?"""
    told = [
        padded_offset(k * size, interval, amount)
        not in (k * size, k * written_bytes(size, interval, amount), k * padded_offset(size, interval, amount))
        for k in range(count + 1)
    ]
    crossed = [k for k in range(count + 1) if k * size % interval and k * size % interval + size > interval]
    if not told[count] or not crossed or (any(told[:count]) and crossed[0] < count):
        return []  # tiles of their own may lie so as well; or said before
    text = (
        f"parts of {size} bytes start where one tile with a gap after every {interval} bytes would put them, and part "
        f"{crossed[0] + 1} begins inside an interval and ends in the next: its descriptor counts from its own lds_addr, so "
        "its gaps fall elsewhere than a reader of the whole tile expects. Fix: parts that begin where an interval does"
    )
    return [warning("wave-part-crosses", text, "TDM-038", "lds_addr")]
