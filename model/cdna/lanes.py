# SPDX-License-Identifier: Apache-2.0
"""Moving values between the lanes of a wave: DS permutes and swizzle, DPP, and the swaps of half rows.

A value is anything; inactive lanes keep `None`. By default a function refuses what an example must not hold (an inactive
lane, an index out of range, two writers): `strict=False` shows what the operation does then.
"""

from typing import NamedTuple

ROW = 16
WAVES = (("gfx942", 64), ("gfx950", 64), ("gfx1250", 32))


class Moved(NamedTuple):
    """What an operation left. `values`: one a lane; `sources`: the lane each value came from, None for none;
    `notes`: (rule, lane, text) of what left the conditions of an example."""

    values: tuple
    sources: tuple
    notes: tuple


class LaneError(ValueError):
    """An index, a lane or a control that an operation does not take; .field, .given, .allowed and .claim say which."""

    def __init__(self, field, given, allowed, claim):
        super().__init__(str(field) + "=" + str(given) + ": " + allowed + ", " + claim)
        self.field = field
        self.given = given
        self.allowed = allowed
        self.claim = claim


def wave_lanes(target):
    """Return the number of lanes of a wave. Raises: LaneError: unknown target. Claims: ARCH-001, LANE-054"""
    for name, lanes in WAVES:
        if name == target:
            return lanes
    raise LaneError("target", repr(target), ", ".join([name for name, _ in WAVES]), "LANE-054")


def source_lane(byte_index, lanes, offset=0):
    """Return the lane that a byte index names.

    Args: byte_index: as in the address register, taken as 32 bits; lanes: of the wave; offset: the immediate, bytes.
    Returns: bytes past the last lane wrap around; the two low bits do not count.
    Claims: LANE-002, LANE-051, LANE-058
    """
    return ((byte_index + offset) % (1 << 32)) // 4 % lanes


def permute(values, indices, offset=0, active=None, strict=True):
    """Push: each active lane sends its value to the lane that its index names (`ds_permute_b32`).

    Args: values, indices: one a lane; indices in bytes, four a lane; offset: immediate, bytes; active: list of bools,
      default all; strict: refuse what an example must not hold.
    Returns: Moved; a lane that nothing was sent to holds 0; of several writers the highest lane wins.
    Raises: LaneError.
    Claims: LANE-002, LANE-004, LANE-051, LANE-052
    """
    active = _checked(values, indices, active)
    lanes, notes = len(values), _conditions(indices, offset, active, len(values))
    result, sources, writers = [0] * lanes, [None] * lanes, [[] for _ in range(lanes)]
    for lane in range(lanes):
        if active[lane]:
            to = source_lane(indices[lane], lanes, offset)
            writers[to].append(lane)
            result[to], sources[to] = values[lane], lane
    for lane in range(lanes):
        if len(writers[lane]) > 1:
            text = "lanes " + _listed(writers[lane]) + " all write lane " + str(lane)
            notes.append(("several-writers", lane, text))
    if strict:
        _refuse(notes)
    return Moved(_kept(result, active), _kept(sources, active), tuple(notes))


def bpermute(values, indices, offset=0, active=None, strict=True, fetch_inactive=False):
    """Pull: each active lane takes the value of the lane that its index names (`ds_bpermute_b32`).

    Args, raises: as for `permute`; fetch_inactive: read inactive lanes too, as `ds_bpermute_fi_b32` of gfx1250 does.
    Returns: Moved; from an inactive lane comes 0.
    Claims: LANE-002, LANE-004, LANE-051, LANE-057, LANE-058
    """
    active = _checked(values, indices, active)
    lanes, notes = len(values), _conditions(indices, offset, active, len(values))
    sources = [source_lane(indices[lane], lanes, offset) for lane in range(lanes)]
    return _pulled(values, sources, active, notes, strict, 0, fetch_inactive)


def swizzle(values, pattern, active=None, strict=True):
    """Pull by a fixed pattern inside groups of 4 or 32 lanes (`ds_swizzle_b32`).

    Args: pattern: the 16-bit offset, see `swizzle_source`; the others as for `permute`.
    Raises: LaneError: more than 16 bits, or as for `permute`.
    Claims: LANE-053
    """
    active = _checked(values, values, active)
    if pattern < 0 or pattern >> 16:
        raise LaneError("pattern", pattern, "0..65535", "LANE-053")
    sources = [swizzle_source(pattern, lane) for lane in range(len(values))]
    return _pulled(values, sources, active, _inactive(active), strict, 0)


def swizzle_source(pattern, lane):
    """Return the lane that a swizzle pattern reads for a lane.

    Args: pattern: from 0xe000 the FFT order, from 0xc000 a rotation, from 0x8000 four lane numbers for each four lanes,
      below: and (bits 4:0), or (9:5) and xor (14:10) masks on the lane's place in its 32.
    Claims: LANE-053
    """
    group, place, low = lane // 32 * 32, lane % 32, pattern & 31
    if pattern >= 0xE000:
        turned = 0
        for bit in range(5):
            turned |= (place >> bit & 1) << 4 - bit
        for bit in range(5):
            turned >>= low >> bit & 1
        return group + (turned | place & low)
    if pattern >= 0xC000:
        turn = pattern >> 5 & 31
        moved = place - turn if pattern & 0x400 else place + turn
        return group + (place & low | moved & ~low & 31)
    if pattern >= 0x8000:
        return lane // 4 * 4 + (pattern >> 2 * (lane % 4) & 3)
    return group + ((place & low | pattern >> 5 & 31) ^ pattern >> 10 & 31)


def dpp_source(control, amount, lane, lanes):
    """Return the lane that one DPP control reads for a lane, or None: there is none (the edge of a row or wave).

    Args: control: quad_perm, row_shl, row_shr, row_ror, row_mirror, row_half_mirror, row_bcast, row_newbcast, row_share,
      row_xmask, wave_shl, wave_shr, wave_rol, wave_ror or dpp8; amount: its number, or the list of quad_perm and dpp8.
    Claims: LANE-055
    """
    row, place = lane // ROW * ROW, lane % ROW
    if control == "quad_perm":
        return lane // 4 * 4 + amount[lane % 4]
    if control == "dpp8":
        return lane // 8 * 8 + amount[lane % 8]
    if control == "row_shl":
        return row + place + amount if place + amount < ROW else None
    if control == "row_shr":
        return row + place - amount if place >= amount else None
    if control == "row_ror":
        return row + (place - amount) % ROW
    if control == "row_mirror":
        return row + ROW - 1 - place
    if control == "row_half_mirror":
        return lane // 8 * 8 + 7 - lane % 8
    if control == "row_bcast":
        if amount == 15:
            return row - 1 if row else None
        return 31 if lane >= 32 else None
    if control in ("row_newbcast", "row_share"):
        return row + amount
    if control == "row_xmask":
        return row + (place ^ amount)
    if control in ("wave_shl", "wave_rol"):
        return lane + 1 if lane + 1 < lanes else (0 if control == "wave_rol" else None)
    return lane - 1 if lane else (lanes - 1 if control == "wave_ror" else None)


# name -> (targets, kind of amount); the amounts: a range, one of a few, a list, or none.
_OLD, _NEW, _ALL = ("gfx942", "gfx950"), ("gfx1250",), ("gfx942", "gfx950", "gfx1250")
DPP = (
    ("quad_perm", _ALL, "list4"),
    ("row_shl", _ALL, "1..15"),
    ("row_shr", _ALL, "1..15"),
    ("row_ror", _ALL, "1..15"),
    ("row_mirror", _ALL, "none"),
    ("row_half_mirror", _ALL, "none"),
    ("row_bcast", _OLD, "15 or 31"),
    ("row_newbcast", _OLD, "0..15"),
    ("row_share", _NEW, "0..15"),
    ("row_xmask", _NEW, "0..15"),
    ("wave_shl", _OLD, "1"),
    ("wave_shr", _OLD, "1"),
    ("wave_rol", _OLD, "1"),
    ("wave_ror", _OLD, "1"),
    ("dpp8", _NEW, "list8"),
)


def dpp(
    values,
    control,
    amount,
    target,
    old=None,
    active=None,
    strict=True,
    bound_zero=False,
    row_mask=15,
    bank_mask=15,
    fetch_inactive=False,
):
    """Pull by a DPP control inside rows of 16 lanes, or by one lane over the wave (`v_mov_b32_dpp`).

    Args: control, amount: as in `dpp_source`; target: decides which controls there are; old: what a lane without a
      source keeps, one a lane, default 0; bound_zero: write 0 there instead, which dpp8 always does; row_mask: bit r
      lets the lanes of row r be written; bank_mask: bit b those whose place in their row is 4 b to 4 b + 3, others keep
      `old`; fetch_inactive: read inactive lanes too (gfx1250 only).
    Raises: LaneError: a control that the target has not, or an amount or a mask it does not take; or as for `permute`.
    Claims: LANE-001, LANE-055, LANE-059, LANE-064
    """
    lanes = len(values)
    check_dpp(control, amount, target)
    for name, mask in (("row_mask", row_mask), ("bank_mask", bank_mask)):
        if not 0 <= mask <= 15 or control == "dpp8" and mask != 15:
            raise LaneError(name, mask, "15, dpp8 has no masks" if control == "dpp8" else "0..15", "LANE-059")
    if fetch_inactive and target != "gfx1250":
        raise LaneError("fetch_inactive", fetch_inactive, "on gfx1250, not on " + target, "LANE-064")
    if lanes != wave_lanes(target):
        raise LaneError("values", str(lanes) + " lanes", str(wave_lanes(target)) + " on " + target, "LANE-054")
    active = _checked(values, values, active)
    sources = [dpp_source(control, amount, lane, lanes) for lane in range(lanes)]
    notes = _inactive(active)
    before = [0] * lanes if old is None else list(old)
    kept = [0] * lanes if bound_zero or control == "dpp8" else before
    result = [0] * lanes
    for lane in range(lanes):
        source = sources[lane]
        if not (row_mask >> lane // ROW & 1 and bank_mask >> lane % ROW // 4 & 1):
            result[lane], sources[lane] = before[lane], None
        elif source is None:
            result[lane] = kept[lane]
            if fetch_inactive and active[lane]:
                text = "lane " + str(lane) + " has no lane to read in its row"
                notes.append(("fetch-out-of-row", lane, text + "; with fetch-inactive sources differ on what it gets"))
        elif active[source] or fetch_inactive:
            result[lane] = values[source]
        else:
            # A disabled source is like none at all.
            if active[lane]:
                notes.append(("inactive-source", lane, "lane " + str(lane) + " reads the inactive lane " + str(source)))
            result[lane], sources[lane] = kept[lane], None
    if strict:
        _refuse(notes)
    return Moved(_kept(result, active), _kept(sources, active), tuple(notes))


def check_dpp(control, amount, target):
    """Raise LaneError unless a target has a DPP control with that amount. Claims: LANE-001, LANE-055"""
    wave_lanes(target)
    known = [item for item in DPP if item[0] == control]
    if not known:
        raise LaneError("control", repr(control), ", ".join([item[0] for item in DPP]), "LANE-055")
    _, targets, kind = known[0]
    if target not in targets:
        raise LaneError("control", control, "on " + ", ".join(targets) + ", not on " + target, "LANE-001")
    if kind.startswith("list"):
        most, length = (3, 4) if kind == "list4" else (7, 8)
        right = isinstance(amount, (list, tuple)) and len(amount) == length
        if not right or [1 for item in amount if item < 0 or item > most]:
            allowed = str(length) + " lane numbers, each 0.." + str(most)
            raise LaneError(control, "nothing" if amount is None else amount, allowed, "LANE-055")
    elif kind == "none":
        if amount is not None:
            raise LaneError(control, amount, "no number", "LANE-055")
    else:
        allowed = (15, 31) if kind == "15 or 31" else (1,) if kind == "1" else range(int(kind.split("..")[0]), 16)
        if amount not in allowed:
            raise LaneError(control, "nothing" if amount is None else amount, kind, "LANE-055")


def swap(first, second, rows, target, active=None):
    """Exchange half of two registers (`v_permlane16_swap_b32`, `v_permlane32_swap_b32`).

    Args: first, second: the two registers, one value a lane; rows: 16: the odd rows of the first change places with the
      even rows of the second; 32: the upper half of the first with the lower half of the second; active: which lanes
      are written, list of bools, default all; every lane is read. Only gfx1250 may leave lanes out.
    Returns: (first, second) afterwards, two tuples.
    Raises: LaneError: a swap that the target has not, or inactive lanes elsewhere: their guide does not speak of them.
    Claims: LANE-001, LANE-056, LANE-066
    """
    lanes = wave_lanes(target)
    targets = {16: ("gfx950", "gfx1250"), 32: ("gfx950",)}
    if rows not in targets:
        raise LaneError("rows", rows, "16 or 32", "LANE-056")
    if target not in targets[rows]:
        raise LaneError("rows", rows, "on " + ", ".join(targets[rows]) + ", not on " + target, "LANE-001")
    if len(first) != lanes or len(second) != lanes:
        raise LaneError("values", str(len(first)) + " and " + str(len(second)), str(lanes) + " lanes each", "LANE-054")
    active = _checked(first, second, active)
    if target != "gfx1250" and not all(active):
        raise LaneError("active", _listed([i for i in range(lanes) if active[i]]), "all lanes on " + target, "LANE-056")
    one, two = list(first), list(second)
    for lane in range(lanes):
        if lane // rows % 2:
            if active[lane]:
                one[lane] = second[lane - rows]
            if active[lane - rows]:
                two[lane - rows] = first[lane]
    return tuple(one), tuple(two)


def ballot(active, target):
    """Return (mask, count) of the active lanes: bit i of the mask is lane i.

    Args: active: list of bools, one a lane of the target.
    Raises: LaneError: another number of lanes.
    Claims: LANE-054
    """
    if len(active) != wave_lanes(target):
        raise LaneError("active", str(len(active)) + " lanes", str(wave_lanes(target)) + " on " + target, "LANE-054")
    mask = 0
    for lane in range(len(active)):
        mask |= 1 << lane if active[lane] else 0
    return mask, len([1 for item in active if item])


def _pulled(values, sources, active, notes, strict, empty, fetch_inactive=False):
    result = []
    for lane in range(len(values)):
        source = sources[lane]
        if active[lane] and not active[source] and not fetch_inactive:
            notes.append(("inactive-source", lane, "lane " + str(lane) + " reads the inactive lane " + str(source)))
        result.append(values[source] if active[source] or fetch_inactive else empty)
    if strict:
        _refuse(notes)
    return Moved(_kept(result, active), _kept(sources, active), tuple(notes))


def _checked(values, indices, active):
    if len(values) not in (32, 64) or len(indices) != len(values):
        raise LaneError("values", str(len(values)) + " lanes", "32 or 64, and as many indices", "LANE-054")
    active = [True] * len(values) if active is None else [bool(item) for item in active]
    if len(active) != len(values):
        raise LaneError("active", str(len(active)) + " lanes", str(len(values)), "LANE-054")
    return active


def _inactive(active):
    off = [lane for lane in range(len(active)) if not active[lane]]
    return [("inactive-lane", off[0], "inactive lanes " + _listed(off))] if off else []


def _conditions(indices, offset, active, lanes):
    notes = _inactive(active)
    for lane in range(lanes):
        place = indices[lane] + offset
        if active[lane] and not 0 <= place < 4 * lanes:
            to = source_lane(indices[lane], lanes, offset)
            text = "lane " + str(lane) + ": byte index " + str(place) + " is outside 0.." + str(4 * lanes - 1)
            notes.append(("index-wraps", lane, text + " and wraps to lane " + str(to)))
        elif active[lane] and place % 4:
            text = "lane " + str(lane) + ": byte index " + str(place) + " is no multiple of 4; its low bits do not count"
            notes.append(("index-unaligned", lane, text))
    return notes


def _refuse(notes):
    if notes:
        allowed = "all lanes active, indices in range, one writer a destination; strict=False shows what happens then"
        raise LaneError("example", notes[0][2], allowed, "LANE-004")


def _kept(items, active):
    return tuple([items[lane] if active[lane] else None for lane in range(len(items))])


def _listed(lanes):
    shown = ", ".join([str(lane) for lane in lanes[:6]])
    return shown + (" and " + str(len(lanes) - 6) + " more" if len(lanes) > 6 else "")
