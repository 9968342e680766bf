# SPDX-License-Identifier: Apache-2.0
"""`cdna asm`, `cdna disasm` and `cdna witnesses`: questions put to compilers that were not written here."""

import re

from cdna.targets import NEIGHBOURS, STEPPINGS, TARGETS

from .output import CannotTell, Usage, emit, parser, read_text

KNOWN = [target.name for target in TARGETS]
# Names that are no targets of the project: every compiler here has the first, one has the second.
OTHERS = [name for name, _ in NEIGHBOURS] + [name for name, _, _ in STEPPINGS]
MOST_LINES = 20000
MOST_BYTES = 1 << 16
_SEPARATORS = re.compile(r"[\s,;:_\[\](){}|]+")


def run_asm(argv):
    """Assemble text; one instruction a line or argument.

    Returns: 0 every line accepted, 1 one rejected, 3 one got no answer.
    Raises: Usage: no instruction, or no target that is known; CannotTell: no assembler is here.
    """
    options = parser("asm", "Assemble text with a real assembler and say what it answers, line by line.")
    _common(options)
    options.add_argument(
        "text", nargs="+", metavar="TEXT", help="one instruction each; - reads lines from standard input"
    )
    given = options.parse_args(argv)
    _check_target(given.target)
    lines = _lines(given.text)
    witness = _witness(given.witness, "assemble", given.fresh)
    try:
        answers = witness.assemble(given.target, lines)
    except ValueError as error:
        raise Usage(str(error)) from None
    rows = [
        dict({"text": line}, **_row(item, witness), printed=item.text if item.accepted else None)
        for line, item in zip(lines, answers, strict=True)
    ]
    return _finish("asm", given, witness, rows, answers)


def run_disasm(argv):
    """Disassemble bytes; what a decoder prints is put back through clang where clang is here.

    Returns: 0 everything is an instruction, 1 something is none, 3 no answer.
    Raises: Usage: the bytes are not hexadecimal; CannotTell: no disassembler is here.
    """
    options = parser("disasm", "Disassemble bytes in memory order, such as: 01 00 71 d0 00 00 00 7c 00 04 7c 7c")
    _common(options)
    options.add_argument(
        "bytes", nargs="+", metavar="BYTES", help="hexadecimal, any separators; - reads standard input"
    )
    given = options.parse_args(argv)
    _check_target(given.target)
    data = _bytes(given.bytes)
    witness = _witness(given.witness, "disassemble", given.fresh)
    from cdna_evidence.witnesses import Missing

    try:
        answers = witness.disassemble(given.target, data)
    except Missing as missing:
        raise CannotTell(str(missing)) from None
    rows = []
    offset = 0
    for item in answers:
        rows.append(dict({"offset": offset, "text": item.text or None}, **_row(item, witness)))
        offset += len(item.bytes or b"")
    _assemble_back(given, witness, answers, rows)
    return _finish("disasm", given, witness, rows, answers)


def run_witnesses(argv):
    """List the programs that serve as witnesses: here with version and digest, or not and how to get it.

    Returns: 0.
    """
    options = parser("witnesses", "Say which independent programs are here, and how to get the others.")
    options.add_argument("--json", action="store_true", help="one JSON document")
    given = options.parse_args(argv)
    from cdna_evidence.witnesses import available

    states = available()
    rows = [dict(state._asdict(), answers=list(state.answers)) for state in states]
    return emit("witnesses", None, {"witnesses": rows}, json=given.json, text=_table(states))


def _common(options):
    options.add_argument("--target", required=True, metavar="T", help="gfx942, gfx950 or gfx1250; also " + ", ".join(OTHERS))
    options.add_argument("--witness", metavar="W", help="see `cdna witnesses`; default: the first that can answer")
    options.add_argument("--fresh", action="store_true", help="ask again, whatever answers are kept")
    options.add_argument("--json", action="store_true", help="one JSON document")


def _check_target(target):
    if target not in KNOWN + OTHERS:
        notes = [f"{name} (neighbour of {beside})" for name, beside in NEIGHBOURS]
        notes += [f"{name} (stepping {step} of {of})" for name, of, step in STEPPINGS]
        raise Usage(f"target={target!r}: {', '.join(KNOWN)}; also {', '.join(notes)}")


def _lines(words):
    lines = []
    for word in words:
        if word != "-":
            lines.append(word)
            continue
        for line in read_text("-").splitlines():
            code = line.split(";")[0].split("//")[0].strip()
            if code:
                lines.append(line)
    if not lines:
        raise Usage("no instruction was given")
    if len(lines) > MOST_LINES:
        raise Usage(f"{len(lines)} lines: at most {MOST_LINES}")
    from cdna_evidence.witnesses.asmtext import check_line

    for number, line in enumerate(lines, 1):
        try:
            check_line(line)
        except ValueError as error:
            raise Usage(f"line {number}: {error}") from None
    return lines


def _bytes(words):
    text = " ".join(read_text("-") if word == "-" else word for word in words)
    data = bytearray()
    for part in _SEPARATORS.split(text):
        digits = part[2:] if part[:2] in ("0x", "0X") else part
        if not part:
            continue
        if not re.fullmatch(r"([0-9a-fA-F]{2})+", digits):
            raise Usage(f"bytes={part!r}: pairs of hexadecimal digits in memory order")
        if digits != part and len(digits) > 2:
            # 0x writes a number, which memory holds with its last byte first: read as bytes it would be another instruction.
            turned = bytes.fromhex(digits)[::-1].hex(" ")
            raise Usage(f"bytes={part!r}: a word; its bytes in memory order are {turned}")
        data += bytes.fromhex(digits)
    if not data:
        raise Usage("no bytes were given")
    if len(data) > MOST_BYTES:
        raise Usage(f"{len(data)} bytes: at most {MOST_BYTES}")
    return bytes(data)


def _witness(name, question, fresh):
    """Return the witness asked for by name, or the first here that answers this kind of question."""
    from cdna_evidence import witnesses

    known = witnesses.names()
    if name is not None and name not in known:
        raise Usage(f"witness={name!r}: {', '.join(known)}")
    try:
        if name is not None:
            found = witnesses.get(name, fresh=fresh)
            if not hasattr(found, question):
                raise Usage(f"witness={name!r} cannot {question}")
            return found
        if question == "disassemble":
            return witnesses.decoder(fresh=fresh)
    except witnesses.Missing as missing:
        raise CannotTell(str(missing)) from None
    reasons = []
    for candidate in known:
        try:
            found = witnesses.get(candidate, fresh=fresh)
        except witnesses.Missing as missing:
            reasons.append(missing)
            continue
        if hasattr(found, question):
            return found
    raise CannotTell("no assembler is here; to get one: " + ", or ".join(item.how_to_get for item in reasons))


def _row(item, witness):
    from cdna_evidence.witnesses import hex_bytes

    return {
        "outcome": item.outcome,
        "accepted": item.accepted,
        "bytes": hex_bytes(item.bytes),
        "diagnostic": item.diagnostic or None,
        "witness": witness.name,
        "version": witness.version,
        "kept": item.kept,
        "command": item.command,
    }


def _assemble_back(given, witness, answers, rows):
    """Add what clang says of the decoded text: an independent look where another program decoded it."""
    from cdna_evidence import witnesses

    for row in rows:
        row["assembled_back"] = None
    if witness.name == "clang" or not any(item.accepted for item in answers):
        return
    try:
        clang = witnesses.get("clang", fresh=given.fresh)
    except witnesses.Missing:
        return
    try:
        verdicts = clang.confirm(given.target, answers, f"{witness.name} {witness.version}")
    except ValueError:
        return
    for row, item, verdict in zip(rows, answers, verdicts, strict=True):
        if item.accepted:
            row["assembled_back"] = {
                "witness": clang.name,
                "version": clang.version,
                "same_bytes": verdict.accepted,
                "diagnostic": verdict.diagnostic,
            }


def _finish(command, given, witness, rows, answers):
    findings = []
    for number, (row, item) in enumerate(zip(rows, answers, strict=True), 1):
        if item.accepted:
            continue
        place = f"line {number}" if command == "asm" else f"offset {row['offset']}"
        newer = item.outcome == "unknown-target" and given.target in OTHERS and witness.name != "triton-llvm"
        hint = "; a newer LLVM knows it: --witness triton-llvm" if newer else ""
        findings.append(
            {
                "rule": f"{command}-{item.outcome}",
                "severity": "error" if item.outcome == "rejected" else "warning",
                "message": f"{place}: {item.outcome} by {witness.name} {witness.version}: {item.diagnostic}{hint}",
                "claim": None,
                "field": None,
            }
        )
    text = "\n".join(_line(command, row) for row in rows)
    source = getattr(witness, "package", None)
    kept = sum(item.kept for item in answers)
    text += f"\n{witness.name} {witness.version} ({source}), {len(answers) - kept} computed now, {kept} kept"
    status = emit(command, given.target, {"lines": rows}, findings, json=given.json, text=text)
    if status == 0 and any(item.accepted is None for item in answers):
        return 3
    return status


def _line(command, row):
    known = row["bytes"] or "-"
    text = row["text"] or "?"
    back = row.get("assembled_back")
    note = ""
    if command == "asm" and row["accepted"] and row["diagnostic"]:
        note = "  (" + row["diagnostic"] + ")"
    if back:
        note = (
            f"  ({back['witness']} {back['version']}: "
            + ("same bytes" if back["same_bytes"] else back["diagnostic"])
            + ")"
        )
    return f"{row['outcome']:9} {known:36} {text}{note}"


def _table(states):
    lines = []
    for state in states:
        if state.here:
            lines.append(f"{state.name:11} here     {state.version} ({state.package}), sha256 {state.digest[:16]}")
        else:
            lines.append(f"{state.name:11} not here {state.reason}")
            lines.append(f"{'':11}          to get it: {state.how_to_get}")
        lines.append(f"{'':11}          {state.title}: {', '.join(state.answers)}")
    return "\n".join(lines)
