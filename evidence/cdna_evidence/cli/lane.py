# SPDX-License-Identifier: Apache-2.0
"""`cdna lane`: what each lane of a wave holds after a permute, a swizzle, a DPP move or a swap."""

from . import lane_registers
from .lane_words import active_lanes, command_of, control, control_text, number, pattern, values
from .output import Usage, emit, parser

COMMANDS = ("permute", "bpermute", "swizzle", "dpp", "swap", *lane_registers.COMMANDS, "ballot")
USAGE = """usage: cdna lane COMMAND --target T [options] [--json]

  permute  --index EXPR   each lane pushes its value to the lane that its byte index names (ds_permute_b32)
  bpermute --index EXPR   each lane pulls the value of the lane that its byte index names (ds_bpermute_b32)
  swizzle  --pattern P    each lane pulls by a fixed pattern (ds_swizzle_b32): a number as in `offset:N`, or swizzle(SWAP,16)
  dpp      --control C    each lane pulls by a DPP control: row_shl:1, quad_perm:[1,0,3,2], row_mirror, or its code such as 0x111
  swap     --rows 16|32   the two registers after v_permlane16_swap_b32 or v_permlane32_swap_b32
  up, down, xor, bcast --by N [--width W]   inside groups of W lanes (v_permlane_up_b32 ..., gfx1250)
  index-gen --index EXPR [--width W]   byte indices for bpermute (v_permlane_idx_gen_b32, gfx1250)
  permlane16, permlanex16 --select LOW,HIGH   lane numbers, four bits each, for every row; of the other row (gfx1250)
                         --index EXPR in place of it: a number for each lane (the forms with _var)
  readlane --from N       one lane as a scalar (v_readlane_b32); readfirstlane: the lowest active one
  ballot                  mask and count of the active lanes
An instruction's own name is a command too, such as v_permlane_up_b32.

  --value EXPR   what each lane holds before (default: lane); for swap --second EXPR too (default: 1000+lane)
  --offset N     immediate byte offset of permute and bpermute (default 0)
  --active LIST  active lanes, such as 0-39 or 0,2,4-7, or a mask as EXEC holds it, such as 0xffff (default: all)
  --old EXPR     dpp, permlane16: what a lane without a source keeps (default 0); --bound-zero writes 0 there
  --fetch-inactive   gfx1250: bpermute (ds_bpermute_fi_b32), dpp and permlane16 read inactive lanes too
  --row-mask M, --bank-mask M   dpp: which rows, and which fours of each row, are written (default 0xf: all)
  --lane N       show one lane only; --strict refuses what an example must not hold

EXPR is an integer expression of `lane`, such as 4*(lane+1) or 4*min(lane+1,63). Byte indices are four times a lane number."""


def run(argv):
    """Run one `cdna lane` command; return the exit status.

    Raises: Usage: wrong usage.
    """
    if not argv:
        raise Usage(f"say which: {', '.join(COMMANDS)}; --help explains them")
    if argv[0] in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    command, implied = command_of(argv[0], COMMANDS)
    if any(word in ("-h", "--help") for word in argv[1:]):
        print(USAGE)
        return 0
    from cdna.lanes import LaneError

    implied = [] if implied and implied[0] in [word.partition("=")[0] for word in argv[1:]] else list(implied)
    options = _options(command).parse_args(_joined(implied + argv[1:]))
    try:
        if command == "index-gen":
            return lane_registers.run_index(options)
        if command in ("readlane", "readfirstlane"):
            return lane_registers.run_read(command, options)
        return {"swap": _swap, "ballot": _ballot}.get(command, _move)(command, options)
    except LaneError as error:
        raise Usage(str(error)) from None


_VALUED = ("--index", "--value", "--second", "--old", "--pattern", "--offset", "--control", "--select", "--by", "--from")


def _joined(words):
    """Tie an option to its value, so that an expression may start with a minus sign."""
    tied, queue = [], list(words)
    while queue:
        word = queue.pop(0)
        tied.append(f"{word}={queue.pop(0)}" if word in _VALUED and queue else word)
    return tied


def _options(command):
    options = parser("lane " + command, "", add_help=False)
    options.add_argument("--target", required=True)
    options.add_argument("--json", action="store_true")
    options.add_argument("--active")
    if command not in ("readlane", "readfirstlane"):
        options.add_argument("--lane", type=number)
    if command not in ("ballot", "index-gen"):
        options.add_argument("--value", default="lane")
    if command in ("permute", "bpermute", "index-gen"):
        options.add_argument("--index", required=True)
    if command in ("permute", "bpermute"):
        options.add_argument("--offset", type=number, default=0)
    if command == "swizzle":
        options.add_argument("--pattern", required=True)
    if command in ("permlane16", "permlanex16"):
        options.add_argument("--select")
        options.add_argument("--index")
    if command == "dpp":
        options.add_argument("--control", required=True)
        options.add_argument("--row-mask", type=number, default=15)
        options.add_argument("--bank-mask", type=number, default=15)
    if command in ("dpp", "permlane16", "permlanex16"):
        options.add_argument("--old")
        options.add_argument("--bound-zero", action="store_true")
    if command in ("bpermute", "dpp", "permlane16", "permlanex16"):
        options.add_argument("--fetch-inactive", action="store_true")
    if command in lane_registers.GROUPED:
        options.add_argument("--by", type=number, required=True)
    if command in lane_registers.GROUPED + ("index-gen",):
        options.add_argument("--width", type=number, default=32)
    if command == "readlane":
        options.add_argument("--from", type=number, required=True, dest="source")
    if command == "swap":
        options.add_argument("--rows", type=number, required=True)
        options.add_argument("--second", default="1000+lane")
    elif command in ("permute", "bpermute", "swizzle", "dpp", "ballot"):
        options.add_argument("--strict", action="store_true")
    return options


def _move(command, options):
    from cdna import lanes as model

    count = model.wave_lanes(options.target)
    active = active_lanes(options.active, count)
    before = values(options.value, count, "--value")
    result, indices, disputed = {"lanes": count}, None, []
    if command in ("permute", "bpermute"):
        if not 0 <= options.offset < 1 << 16:
            raise Usage(f"--offset {options.offset}: 0..65535, LANE-002")
        indices = values(options.index, count, "--index")
        if command == "permute":
            moved = model.permute(before, indices, options.offset, active, options.strict)
        else:
            if options.fetch_inactive and options.target != "gfx1250":
                raise model.LaneError("fetch_inactive", True, f"on gfx1250, not on {options.target}", "LANE-001")
            moved = model.bpermute(before, indices, options.offset, active, options.strict, options.fetch_inactive)
    elif command == "swizzle":
        result["pattern"] = pattern(options.pattern)
        moved = model.swizzle(before, result["pattern"], active, options.strict)
    elif command in lane_registers.COMMANDS:
        moved, disputed = lane_registers.moved_by(command, options, before, active)
    else:
        name, amount = control(options.control, options.target)
        result["control"] = control_text(name, amount)
        old = None if options.old is None else values(options.old, count, "--old")
        moved = model.dpp(
            before,
            name,
            amount,
            options.target,
            old,
            active,
            options.strict,
            options.bound_zero,
            options.row_mask,
            options.bank_mask,
            options.fetch_inactive,
        )
    result["values"] = list(moved.values)
    result["active"] = _mask(active, options.target)
    result["entries"] = [_entry(command, lane, indices, options, moved, count) for lane in range(count) if active[lane]]
    _cut(result, options.lane, count)
    text = None if options.json else _said(command, options, result) + _table(command, result, indices is not None)
    findings = _findings(command, moved.notes, options.target)
    return emit(f"lane {command}", options.target, result, findings, disputed, options.json, text)


def _said(command, options, result):
    """A first line that names what a code or a name stands for, where the reader gave it otherwise."""
    if command == "dpp" and result["control"] != options.control:
        return f"control {result['control']}\n"
    if command == "swizzle" and not options.pattern.strip().isalnum():
        return f"pattern {result['pattern']:#06x}\n"
    return ""


def _entry(command, lane, indices, options, moved, count):
    from cdna.lanes import source_lane

    entry = {"lane": lane}
    if indices is not None:
        entry["byte_index"] = indices[lane] + options.offset
        entry["writes_lane" if command == "permute" else "reads_lane"] = source_lane(
            indices[lane], count, options.offset
        )
    if command == "permute":
        entry["from_lane"] = moved.sources[lane]
    elif indices is None:
        entry["reads_lane"] = moved.sources[lane]
    entry["value"] = moved.values[lane]
    return entry


def _swap(command, options):
    from cdna import lanes as model

    count = model.wave_lanes(options.target)
    active = active_lanes(options.active, count)
    first, second = values(options.value, count, "--value"), values(options.second, count, "--second")
    after = model.swap(first, second, options.rows, options.target, active)
    result = {"lanes": count, "rows": options.rows, "first": list(after[0]), "second": list(after[1])}
    result["entries"] = [{"lane": i, "first": after[0][i], "second": after[1][i]} for i in range(count)]
    _cut(result, options.lane, count)
    text = None
    if not options.json:
        text = "\n".join(
            ["lane  first  second"]
            + [f"{item['lane']:4}  {item['first']:5}  {item['second']:6}" for item in result["entries"]]
        )
    return emit("lane swap", options.target, result, json=options.json, text=text)


def _ballot(command, options):
    from cdna import lanes as model

    active = active_lanes(options.active, model.wave_lanes(options.target))
    result = _mask(active, options.target)
    text = f"{result['count']} active lanes, mask {result['mask']}"
    findings = []
    low = bin(int(result["mask"], 16) & 0xFFFFFFFF).count("1")
    result["low_32_bits_count"] = low
    if low != result["count"]:
        text_of = f"the low 32 bits hold {low} of {result['count']} active lanes: the mask has {len(active)} bits"
        findings = [_finding("mask-of-64-bits", "info", text_of, "LANE-054")]
    return emit("lane ballot", options.target, result, findings, json=options.json, text=text)


def _mask(active, target):
    from cdna.lanes import ballot

    mask, count = ballot(active, target)
    return {"mask": f"0x{mask:0{len(active) // 4}x}", "count": count}


def _cut(result, lane, count):
    if lane is None:
        return
    if not 0 <= lane < count:
        raise Usage(f"--lane {lane}: 0..{count - 1}, LANE-054")
    result["entries"] = [item for item in result["entries"] if item["lane"] == lane]


MOST = 3  # findings of one rule that are printed one by one
_SEVERITY = {
    "several-writers": ("error", "LANE-052"),
    "index-wraps": ("warning", "LANE-051"),
    "index-unaligned": ("warning", "LANE-051"),
    "inactive-lane": ("info", "LANE-004"),
    "inactive-source": ("warning", "LANE-057"),
    "outside-group": ("warning", "LANE-060"),
    "fetch-out-of-row": ("warning", "LANE-064"),
}


_ON_GFX1250 = {"LANE-051": "LANE-058", "LANE-057": "LANE-058"}  # the claims of the older targets speak of 64 lanes
_OTHER = {"permlane16": "LANE-062", "permlanex16": "LANE-062"}  # by these an inactive source gives other values


def _findings(command, notes, target):
    """One finding for each of the first lanes of a rule; the others are counted."""
    found = []
    for rule, (severity, claim) in _SEVERITY.items():
        claim = _ON_GFX1250.get(claim, claim) if target == "gfx1250" else claim
        if rule == "inactive-source":
            claim = _OTHER.get(command, claim)
            if command == "dpp":
                claim = "LANE-064" if target == "gfx1250" else "LANE-055"
        texts = [text for name, _, text in notes if name == rule]
        for place, text in enumerate(texts[:MOST]):
            rest = len(texts) - MOST if place == MOST - 1 else 0
            found.append(_finding(rule, severity, text + (f"; and {rest} more lanes" if rest > 0 else ""), claim))
    return found


def _finding(rule, severity, message, claim):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": None}


def _table(command, result, indexed):
    other = {"permute": "writes_lane"}.get(command, "reads_lane")
    heads = ["lane"] + (["byte index"] if indexed else []) + [other.replace("_", " "), "holds"]
    rows = [heads]
    for item in result["entries"]:
        cells = [item["lane"]] + ([item["byte_index"]] if indexed else []) + [item[other], item["value"]]
        rows.append(["-" if cell is None else str(cell) for cell in cells])
    widths = [max(len(row[i]) for row in rows) for i in range(len(heads))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
