# SPDX-License-Identifier: Apache-2.0
"""`cdna waits`: decode the operand or word of a wait, and find waits that are missing, useless or out of range."""

from cdna.waits.counters import PACKED, WaitError, decode_operand, decode_word, too_high
from cdna.waits.registers import number_of

from .output import Usage, emit, parser, read_text

TARGETS = ("gfx942", "gfx950", "gfx1250")
MOST_BYTES = 64 << 20


def run(argv):
    """Run `cdna waits decode` or `cdna waits check`.

    Returns: 0 nothing wrong, 1 an error finding.
    Raises: Usage: wrong words, an unreadable file, a value that is no wait.
    """
    options = parser("waits", "Decode a wait, or find waits that are missing, useless or out of range.")
    commands = options.add_subparsers(dest="command", required=True, metavar="decode|check")
    decode = commands.add_parser("decode", help="counters and text of an operand (gfx942, gfx950) or word (gfx1250)")
    decode.add_argument("value", metavar="VALUE", help="decimal or 0x: 0xf70, or 0xbfc8011c on gfx1250")
    check = commands.add_parser(
        "check", help="go through assembly or `llvm-objdump -d` text, branches and loops included"
    )
    check.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    check.add_argument("--shared", action="store_true", help="other waves read the LDS: a missing barrier is an error")
    for command in (decode, check):
        command.add_argument("--target", required=True, metavar="T", help="gfx942, gfx950 or gfx1250")
        command.add_argument("--json", action="store_true", help="one JSON document")
    given = options.parse_args(argv)
    if given.target not in TARGETS:
        raise Usage(f"target={given.target!r}: {', '.join(TARGETS)}")
    return _decode(given) if given.command == "decode" else _check(given)


def _decode(given):
    value = number_of(given.value.strip())
    if value is None:
        raise Usage(f"value={given.value!r}: a number, decimal or 0x")
    try:
        if given.target in PACKED and value <= 0xFFFF:
            wait, word = decode_operand(value, given.target), 0xBF8C0000 | value
        else:
            wait, word = decode_word(value, given.target), value
    except WaitError as error:
        raise Usage(str(error)) from None
    findings = [
        _finding(
            "count-out-of-range",
            "error",
            f"{name}={count}: 0..{most}; the assembler takes it, the counter cannot hold it",
            "WAIT-051",
            name,
        )
        for name, count, most in too_high(wait, given.target)
    ]
    if wait.unused:
        findings.append(
            _finding(
                "unused-bits",
                "warning",
                f"bits {hex(wait.unused)} of the operand mean nothing",
                _claim(given.target),
                None,
            )
        )
    counters = dict(wait.counts)
    result = {
        "word": f"{word:08x}",
        "bytes": word.to_bytes(4, "little").hex(" "),
        "mnemonic": wait.mnemonic,
        "counters": counters,
        "waits_for": [name for name, _ in wait.counts if name not in wait.free],
        "text": wait.text,
    }
    return emit("waits decode", given.target, result, findings, json=given.json, text=_told(wait, given.target))


def _told(wait, target):
    if wait.mnemonic == "s_wait_idle":
        return f"{wait.text}\n  waits until nothing is outstanding"
    lines = [wait.text]
    most = "up to {}" if wait.mnemonic != "s_wait_alu" else "field {}"
    for name, count in wait.counts:
        lines.append(
            f"  {name:10} "
            + (
                "does not wait"
                if name in wait.free
                else most.format(count) + " may stay outstanding"
                if wait.mnemonic != "s_wait_alu"
                else str(count)
            )
        )
    return "\n".join(lines)


def _check(given):
    from cdna.waits.events import unsure
    from cdna.waits.finder import check

    text = read_text(given.file)
    label = "standard input" if given.file == "-" else given.file
    if len(text) > MOST_BYTES:
        raise Usage(f"{label}: {len(text)} characters, at most {MOST_BYTES}")
    report = check(text, given.target, given.shared)
    program = report.program
    if not program.instructions:
        raise Usage(f"{label}: no instruction in it")
    result = {
        "instructions": len(program.instructions),
        "blocks": len(program.blocks),
        "loops": len(program.back_edges),
        "one_wave": program.one_wave,
        "missing": list(report.missing),
        "useless": list(report.useless),
        "out_of_range": list(report.out_of_range),
    }
    disputed = []
    if any(unsure(effect) for effect in report.effects):
        other = check(text, given.target, given.shared, unsure_counts=True)
        if other.missing != report.missing:
            disputed.append(
                {
                    "claim": "WAIT-060",
                    "position": "counted-on-both",
                    "result": {"missing": list(other.missing)},
                }
            )
    return emit("waits check", given.target, result, report.findings, disputed, json=given.json, text=_summary(result))


def _summary(result):
    counted = f"{result['instructions']} instructions, {result['blocks']} blocks, {result['loops']} loops"
    errors = [item for item in result["missing"] if item["severity"] == "error"]
    return f"{counted}: {len(errors)} waits missing, {len(result['useless'])} do nothing, {len(result['out_of_range'])} out of range"


def _claim(target):
    return "WAIT-001" if target in PACKED else "WAIT-051"


def _finding(rule, severity, message, claim, field):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": field}
