# SPDX-License-Identifier: Apache-2.0
"""`cdna lane`: what each lane of a wave holds after a permute, a swizzle, a DPP move or a swap."""

import re

from .expression import Expression, ExpressionError
from .output import Usage, emit, parser

COMMANDS = ("permute", "bpermute", "swizzle", "dpp", "swap", "ballot")
USAGE = """usage: cdna lane COMMAND --target T [options] [--json]

  permute  --index EXPR   each lane pushes its value to the lane that its byte index names (ds_permute_b32)
  bpermute --index EXPR   each lane pulls the value of the lane that its byte index names (ds_bpermute_b32)
  swizzle  --pattern N    each lane pulls by a fixed pattern (ds_swizzle_b32), N as in `offset:N`
  dpp      --control C    each lane pulls by a DPP control, such as row_shl:1, quad_perm:[1,0,3,2] or row_mirror
  swap     --rows 16|32   the two registers after v_permlane16_swap_b32 or v_permlane32_swap_b32
  ballot                  mask and count of the active lanes

  --value EXPR   what each lane holds before (default: lane); for swap --second EXPR too (default: 1000+lane)
  --offset N     immediate byte offset of permute and bpermute (default 0)
  --active LIST  active lanes, such as 0-39 or 0,2,4-7, or a mask as EXEC holds it, such as 0xffff (default: all)
  --old EXPR     dpp: what a lane without a source keeps (default 0); --bound-zero writes 0 there
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
    if argv[0] not in COMMANDS:
        raise Usage(f"unknown command {argv[0][:40]!r}: {', '.join(COMMANDS)}")
    if any(word in ("-h", "--help") for word in argv[1:]):
        print(USAGE)
        return 0
    from cdna.lanes import LaneError

    options = _options(argv[0]).parse_args(_joined(argv[1:]))
    try:
        return {"swap": _swap, "ballot": _ballot}.get(argv[0], _move)(argv[0], options)
    except LaneError as error:
        raise Usage(str(error)) from None


_VALUED = ("--index", "--value", "--second", "--old", "--pattern", "--offset")


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
    options.add_argument("--lane", type=_number)
    if command != "ballot":
        options.add_argument("--value", default="lane")
    if command in ("permute", "bpermute"):
        options.add_argument("--index", required=True)
        options.add_argument("--offset", type=_number, default=0)
    if command == "swizzle":
        options.add_argument("--pattern", type=_number, required=True)
    if command == "dpp":
        options.add_argument("--control", required=True)
        options.add_argument("--old")
        options.add_argument("--bound-zero", action="store_true")
        options.add_argument("--row-mask", type=_number, default=15)
        options.add_argument("--bank-mask", type=_number, default=15)
    if command == "swap":
        options.add_argument("--rows", type=_number, required=True)
        options.add_argument("--second", default="1000+lane")
    else:
        options.add_argument("--strict", action="store_true")
    return options


def _move(command, options):
    from cdna import lanes as model

    count = model.wave_lanes(options.target)
    active = _active(options.active, count)
    before = _values(options.value, count, "--value")
    result = {"lanes": count}
    if command in ("permute", "bpermute"):
        if not 0 <= options.offset < 1 << 16:
            raise Usage(f"--offset {options.offset}: 0..65535, LANE-002")
        indices = _values(options.index, count, "--index")
        work = model.permute if command == "permute" else model.bpermute
        moved = work(before, indices, options.offset, active, options.strict)
    elif command == "swizzle":
        indices = None
        moved = model.swizzle(before, options.pattern, active, options.strict)
    else:
        indices = None
        control, amount = _control(options.control)
        old = None if options.old is None else _values(options.old, count, "--old")
        moved = model.dpp(
            before,
            control,
            amount,
            options.target,
            old,
            active,
            options.strict,
            options.bound_zero,
            options.row_mask,
            options.bank_mask,
        )
    result["values"] = list(moved.values)
    result["active"] = _mask(active, options.target)
    result["entries"] = [_entry(command, lane, indices, options, moved, count) for lane in range(count) if active[lane]]
    _cut(result, options.lane, count)
    text = None if options.json else _table(command, result, indices is not None)
    return emit(f"lane {command}", options.target, result, _findings(moved.notes, options.target), json=options.json, text=text)


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
    if not all(_active(options.active, count)):
        raise Usage("--active: all lanes must be active for a swap here, LANE-056")
    first, second = _values(options.value, count, "--value"), _values(options.second, count, "--second")
    after = model.swap(first, second, options.rows, options.target)
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

    active = _active(options.active, model.wave_lanes(options.target))
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


def _values(text, count, option):
    try:
        compute = Expression(text)
        return [compute.at(lane=lane) for lane in range(count)]
    except ExpressionError as error:
        raise Usage(f"{option} {text[:60]!r}: {error}") from None


def _active(text, count):
    active = [text is None] * count
    if text is not None and re.fullmatch(r"0[xX][0-9a-fA-F]{1,400}", text.strip()):
        mask = int(text, 16)
        if mask >> count:
            raise Usage(f"--active: a mask of more than {count} bits, LANE-054")
        return [bool(mask >> lane & 1) for lane in range(count)]
    for part in [] if text is None else text.replace("..", "-").split(","):
        first, _, last = part.strip().partition("-")
        try:
            low, high = int(first), int(last or first)
        except ValueError:
            raise Usage(f"--active {part[:20]!r}: lane numbers, such as 0-39 or 0,2,4-7") from None
        if not 0 <= low <= high < count:
            raise Usage(f"--active {part.strip()[:20]}: lanes 0..{count - 1}, LANE-054")
        active[low : high + 1] = [True] * (high - low + 1)
    return active


def _control(text):
    """Return (name, amount) of `row_shl:1`, `quad_perm:[0,1,2,3]` or `row_mirror`."""
    name, colon, rest = text.strip().partition(":")
    rest = rest.strip()
    if not colon:
        return name, None
    try:
        if rest.startswith("[") and rest.endswith("]"):
            return name, [int(part, 0) for part in rest[1:-1].split(",")]
        return name, int(rest, 0)
    except ValueError:
        raise Usage(f"--control {text[:40]!r}: NAME, NAME:NUMBER or NAME:[NUMBER, ...]") from None


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
}


_ON_GFX1250 = {"LANE-051": "LANE-058", "LANE-057": "LANE-058"}  # the claims of the older targets speak of 64 lanes


def _findings(notes, target):
    """One finding for each of the first lanes of a rule; the others are counted."""
    found = []
    for rule, (severity, claim) in _SEVERITY.items():
        claim = _ON_GFX1250.get(claim, claim) if target == "gfx1250" else claim
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


def _number(text):
    try:
        return int(text, 0)
    except ValueError:
        import argparse

        raise argparse.ArgumentTypeError(f"{text[:20]!r}: a number, decimal or 0x") from None
