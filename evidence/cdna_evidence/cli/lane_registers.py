# SPDX-License-Identifier: Apache-2.0
"""`cdna lane` without LDS: the permlane instructions of gfx1250, and one lane read as a scalar."""

from .lane_words import active_lanes, values
from .output import Usage, emit

GROUPED = ("bcast", "up", "down", "xor")
CLAIMS = {"index-gen": "LANE-061", "permlane16": "LANE-062", "permlanex16": "LANE-062"}
COMMANDS = GROUPED + ("index-gen", "permlane16", "permlanex16", "readlane", "readfirstlane")


def moved_by(command, options, before, active):
    """Return (Moved, [disputed]) of a permlane.

    Raises: LaneError: another target, or what the instruction does not take; Usage.
    """
    from cdna import permlanes
    from cdna.lanes import LaneError

    if options.target != "gfx1250":
        claim = CLAIMS.get(command, "LANE-060")
        raise LaneError("command", command, f"on gfx1250, not on {options.target}, which has bpermute", claim)
    if command in GROUPED:
        moved = permlanes.grouped(command, before, options.by, options.width, active)
        other = permlanes.grouped(command, before, options.by, options.width, active, "emulator")
        return moved, _disputed("LANE-060", moved.values, other.values)
    if (options.select is None) == (options.index is None):
        raise Usage("give --select LOW,HIGH (two words of eight lane numbers) or --index EXPR (a number a lane, the _var form)")
    select = _words(options.select) if options.select else values(options.index, len(before), "--index")
    old = None if options.old is None else values(options.old, len(before), "--old")
    cross = command == "permlanex16"
    return permlanes.permlane16(before, select, cross, old, active, options.fetch_inactive, options.bound_zero), []


def _disputed(claim, mine, other):
    """The emulator's values, where they differ from the guide's."""
    if mine == other:
        return []
    return [{"claim": claim, "position": "emulator", "result": {"values": list(other)}}]


def _words(text):
    words = text.replace(",", " ").split()
    try:
        if len(words) == 2:
            return tuple(int(word, 0) for word in words)
    except ValueError:
        pass
    raise Usage(f"--select {text[:40]!r}: two words, the lower eight lanes first, such as 0x76543210,0xfedcba98")


def run_index(options):
    """Print the byte index that v_permlane_idx_gen_b32 makes for each lane, and the lane that a pull by it reads."""
    from cdna import lanes as model
    from cdna import permlanes

    count = model.wave_lanes(options.target)
    if options.target != "gfx1250":
        raise model.LaneError("command", "index-gen", f"on gfx1250, not on {options.target}, which has bpermute", "LANE-061")
    given = values(options.index, count, "--index")
    made = [permlanes.index_for(lane, given[lane], options.width) for lane in range(count)]
    other = [permlanes.index_for(lane, given[lane], options.width, "emulator") for lane in range(count)]
    entries = [
        {"lane": lane, "index": given[lane], "byte_index": made[lane], "reads_lane": model.source_lane(made[lane], count)}
        for lane in range(count)
    ]
    shown = entries if options.lane is None else [entries[_one(options.lane, count)]]
    result = {"lanes": count, "width": options.width, "values": made, "entries": shown}
    rows = [f"{item['lane']:4}  {item['index']:5}  {item['byte_index']:10}  {item['reads_lane']:10}" for item in shown]
    text = "\n".join(["lane  index  byte index  reads lane", *rows])
    return emit("lane index-gen", options.target, result, (), _disputed("LANE-061", made, other), options.json, text)


def run_read(command, options):
    """Print the one lane that v_readlane_b32 or v_readfirstlane_b32 reads."""
    from cdna import lanes as model
    from cdna import permlanes

    count = model.wave_lanes(options.target)
    active = active_lanes(options.active, count)
    before = values(options.value, count, "--value")
    findings = []
    if command == "readlane":
        value, lane = permlanes.read_lane(before, options.source, options.target)
        if lane != options.source:
            findings.append(_finding("lane-wraps", "warning", f"lane {options.source} is outside 0..{count - 1} and wraps to lane {lane}"))
        if not active[lane]:
            findings.append(_finding("inactive-source", "info", f"lane {lane} is inactive and is read all the same"))
    else:
        value, lane = permlanes.read_first_lane(before, options.target, active)
        if not any(active):
            findings.append(_finding("no-lane", "warning", "no lane is active: lane 0 is read"))
    result = {"lanes": count, "reads_lane": lane, "value": value}
    return emit(f"lane {command}", options.target, result, findings, (), options.json, f"reads lane {lane}, which holds {value}")


def _finding(rule, severity, message):
    return {"rule": rule, "severity": severity, "message": message, "claim": "LANE-063", "field": None}


def _one(lane, count):
    if not 0 <= lane < count:
        raise Usage(f"--lane {lane}: 0..{count - 1}, LANE-054")
    return lane
