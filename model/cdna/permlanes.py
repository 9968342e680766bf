# SPDX-License-Identifier: Apache-2.0
"""Moves between lanes that stay in registers: the permlane instructions of gfx1250, and one lane read as a scalar.

The grouped ones (`v_permlane_bcast_b32`, `_up`, `_down`, `_xor`) work inside groups of lanes whose width a scalar gives.
What a lane gets whose source lies outside its group is disputed (LANE-060): `READINGS` names both, this project's first.
"""

from cdna.lanes import ROW, LaneError, Moved, wave_lanes

GROUPED = ("bcast", "up", "down", "xor")
READINGS = ("guide", "emulator")
_WORD = 1 << 32


def group_source(op, lane, amount, width, reading="guide"):
    """Return the lane that a grouped permlane reads for a lane, or None: zero comes instead, by the emulator alone.

    Args: op: of GROUPED; lane: 0 to 31; amount: which lane of the group, how many lanes, or the mask of xor; width:
      lanes of a group; reading: of READINGS. By the guide a lane without a source in its group keeps its own value;
      only xor also reads groups of lower lanes.
    Raises: LaneError: an unknown op or reading, an amount of more than 32 bits, or a width that is no power of two.
    Claims: LANE-060
    """
    lanes = wave_lanes("gfx1250")
    if op not in GROUPED:
        raise LaneError("op", repr(op), ", ".join(GROUPED), "LANE-060")
    if reading not in READINGS:
        raise LaneError("reading", repr(reading), ", ".join(READINGS), "LANE-060")
    if not 0 <= amount < _WORD:
        raise LaneError("amount", amount, "0..4294967295", "LANE-060")
    check_width(width, "LANE-060")
    base, place = lane // width * width, lane % width
    if op == "bcast":
        return base + amount % width
    if reading == "emulator":
        place = {"up": place - amount, "down": (place + amount) % _WORD, "xor": place ^ amount}[op]
        return base + place if 0 <= place < width else None
    if op == "up":
        return lane if place < amount else lane - amount
    if op == "down":
        return lane + amount if place + amount < width else lane
    source = lane ^ amount
    return lane if amount >= lanes or source >= base + width else source


def check_width(width, claim):
    """Raise LaneError unless a group may have so many lanes."""
    if width not in (1, 2, 4, 8, 16, 32):
        raise LaneError("width", width, "1, 2, 4, 8, 16 or 32; the guide leaves other groups undefined", claim)


def grouped(op, values, amount, width=32, active=None, reading="guide"):
    """Move values inside groups of lanes (`v_permlane_bcast_b32`, `v_permlane_up_b32`, `_down_`, `_xor_`; gfx1250).

    Args: values: one a lane, 32; active: which lanes are written, list of bools, default all: inactive ones are read
      all the same; the others as for `group_source`.
    Returns: Moved; a note for each active lane whose source lies outside its group.
    Raises: LaneError.
    Claims: LANE-060
    """
    active = _active(values, active, "gfx1250")
    result, sources, notes = [], [], []
    for lane in range(len(values)):
        source = group_source(op, lane, amount, width, reading)
        result.append(0 if source is None else values[source])
        sources.append(source)
        if active[lane] and group_source(op, lane, amount, width, "emulator") is None:
            text = "lane " + str(lane) + " asks beyond its group of " + str(width) + ": by the guide it "
            own = "keeps its own value" if source == lane else "reads lane " + str(source)
            notes.append(("outside-group", lane, text + own + ", an emulator gives 0"))
    return _moved(result, sources, active, notes)


def index_for(lane, index, width=32, reading="guide"):
    """Return what `v_permlane_idx_gen_b32` makes for a lane: by the guide the byte index of a lane of its own group.

    Args: lane: 0 to 31; index: lane number in the group, 32 bits; width: lanes of a group; reading: of READINGS.
    Raises: LaneError: as for `group_source`.
    Claims: LANE-061
    """
    if reading not in READINGS:
        raise LaneError("reading", repr(reading), ", ".join(READINGS), "LANE-061")
    if not 0 <= index < _WORD:
        raise LaneError("index", index, "0..4294967295", "LANE-061")
    check_width(width, "LANE-061")
    if reading == "emulator":
        return index ^ width
    return 4 * (lane // width * width + index % width)


def row_source(lane, select, cross=False):
    """Return the lane that `v_permlane16_b32`, or with `cross` `v_permlanex16_b32`, reads for a lane.

    Args: lane: 0 to 31; select: (low, high): two words of eight lane numbers, four bits each, from the lowest on; or a
      list of one number a lane, of which four bits count (the forms with `_var`).
    Claims: LANE-062
    """
    row = lane // ROW * ROW
    if cross:
        row = ROW - row
    if len(select) == 2:
        place = lane % ROW
        return row + (select[place // 8] >> 4 * (place % 8) & 15)
    return row + select[lane] % ROW


def permlane16(values, select, cross=False, old=None, active=None, fetch_inactive=False, bound_zero=False):
    """Pull by lane numbers inside a row of 16 lanes, or from the other row (`v_permlane16_b32`, `v_permlanex16_b32`).

    Args: values: one a lane, 32; select, cross: as for `row_source`; old: what a lane keeps whose source is inactive,
      one a lane, default 0; bound_zero: write 0 there instead; fetch_inactive: read inactive lanes too.
    Raises: LaneError: other numbers of lanes or words, or words of more than 32 bits.
    Claims: LANE-062
    """
    active = _active(values, active, "gfx1250")
    if len(select) not in (2, len(values)):
        raise LaneError("select", str(len(select)) + " numbers", "two words, or one number a lane", "LANE-062")
    for word in select:
        if not 0 <= word < _WORD:
            raise LaneError("select", word, "0..4294967295", "LANE-062")
    before = [0] * len(values) if old is None else list(old)
    result, sources, notes = [], [], []
    for lane in range(len(values)):
        source = row_source(lane, select, cross)
        if active[source] or fetch_inactive:
            result.append(values[source])
        else:
            if active[lane]:
                text = "lane " + str(lane) + " reads the inactive lane " + str(source)
                notes.append(("inactive-source", lane, text))
            result.append(0 if bound_zero else before[lane])
            source = None
        sources.append(source)
    return _moved(result, sources, active, notes)


def read_lane(values, number, target):
    """Return (value, lane) that `v_readlane_b32` reads, whether that lane is active or not.

    Args: values: one a lane; number: of the lane, 32 bits; what is past the wave wraps around.
    Raises: LaneError: another number of lanes, or more than 32 bits.
    Claims: LANE-063
    """
    _active(values, None, target)
    if not 0 <= number < _WORD:
        raise LaneError("lane", number, "0..4294967295", "LANE-063")
    lane = number % len(values)
    return values[lane], lane


def read_first_lane(values, target, active=None):
    """Return (value, lane) that `v_readfirstlane_b32` reads: of the lowest active lane, of lane 0 where none is.

    Claims: LANE-063
    """
    active = _active(values, active, target)
    lanes = [lane for lane in range(len(values)) if active[lane]]
    lane = lanes[0] if lanes else 0
    return values[lane], lane


def _active(values, active, target):
    lanes = wave_lanes(target)
    if len(values) != lanes:
        raise LaneError("values", str(len(values)) + " lanes", str(lanes) + " on " + target, "LANE-054")
    active = [True] * lanes if active is None else [bool(item) for item in active]
    if len(active) != lanes:
        raise LaneError("active", str(len(active)) + " lanes", str(lanes), "LANE-054")
    return active


def _moved(result, sources, active, notes):
    lanes = range(len(result))
    kept = [tuple([items[lane] if active[lane] else None for lane in lanes]) for items in (result, sources)]
    return Moved(kept[0], kept[1], tuple(notes))
