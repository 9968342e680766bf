# SPDX-License-Identifier: Apache-2.0
"""`cdna waits`: decode the operand or word of a wait, say which wait covers an instruction, and find waits that are missing, useless or out of range."""

from contextlib import suppress

from cdna.waits.counters import PACKED, WaitError, alu_word, decode_operand, decode_word, read_as, too_high, word_of
from cdna.waits.program import read
from cdna.waits.registers import number_of
from cdna.waits.state import wait_of

from .output import Usage, cannot_tell, emit, parser, read_text

TARGETS = ("gfx942", "gfx950", "gfx1250")
GENERIC = {"gfx9-4-generic": ("gfx942", "gfx950"), "gfx12-5-generic": ("gfx1250",)}  # MFMA-085
_LINES = 8  # of a group of findings, in text
MOST_BYTES = 16 << 20  # some 60 times as much memory is needed, and a second for each 300 kB


def run(argv):
    """Run `cdna waits decode`, `cdna waits covers` or `cdna waits check`.

    Returns: 0 nothing wrong, 1 an error finding.
    Raises: Usage: wrong words, an unreadable file, a value that is no wait; CannotTell: an instruction that is not known.
    """
    options = parser(
        "waits",
        "Decode a wait, say which one covers an instruction, or find those that are missing, useless or out of range.",
    )
    commands = options.add_subparsers(dest="command", required=True, metavar="decode|covers|check")
    decode = commands.add_parser("decode", help="counters and text of an operand (gfx942, gfx950) or word (gfx1250)")
    told = "decimal or 0x: 0xf70, or 0xbfc8011c on gfx1250; or the text of a wait, or its four bytes as they stand in memory"
    decode.add_argument("value", metavar="VALUE", nargs="+", help=told)
    check = commands.add_parser(
        "check",
        help="go through assembly or `llvm-objdump -d` text, branches and loops included",
        description="Go through assembly or `llvm-objdump -d` text, branches and loops included. Every way through the branches counts, also one that two related conditions rule out. Judged are registers and LDS; waits of a release or acquire (around global_wb, global_inv, buffer_wbl2, buffer_inv) are not.",
    )
    check.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    check.add_argument("--shared", action="store_true", help="other waves read the LDS: a missing barrier is an error")
    covers = commands.add_parser("covers", help="which counters an instruction raises, and the wait to write")
    covers.add_argument("instruction", metavar="INSTRUCTION", nargs="+", help="a mnemonic, or a whole one in quotes")
    for command in (decode, covers, check):
        command.add_argument("--target", required=True, metavar="T", help="gfx942, gfx950 or gfx1250")
        command.add_argument("--json", action="store_true", help="one JSON document")
    given = options.parse_args(argv)
    if given.target not in TARGETS:
        raise Usage(f"target={given.target!r}: {', '.join(TARGETS)}")
    return {"decode": _decode, "covers": _covers, "check": _check}[given.command](given)


def _decode(given):
    try:
        value = _value(" ".join(given.value).strip(), given.target)
        if given.target in PACKED and value <= 0xFFFF:
            wait, word = decode_operand(value, given.target), 0xBF8C0000 | value
        else:
            wait, word = decode_word(value, given.target), value
    except WaitError as error:
        raise Usage(str(error)) from None
    high = too_high(wait, given.target)
    findings = [
        _finding(
            "count-out-of-range",
            "error",
            f"{name}={count}: 0..{most}; the assembler takes it, the counter cannot hold it; by the manual it acts as {read_as(count, most)}",
            "WAIT-051",
            name,
        )
        for name, count, most in high
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
    disputed, never = [], [name for name, _, _ in high]
    other = {"waits_for": [name for name in result["waits_for"] if name not in never]}
    if other["waits_for"] != result["waits_for"]:
        disputed.append({"claim": "GFX-008", "position": "whole-operand", "result": other})
    told = _told(wait, {name: read_as(count, most) for name, count, most in high})
    return emit("waits decode", given.target, result, findings, disputed, json=given.json, text=told)


def _value(text, target):
    """Return the number that is meant: an operand, or a whole word where a wait is given as text or as bytes.

    Raises: Usage: it is none of these; WaitError: it is no wait of the target.
    """
    value = number_of(text)
    if value is not None:
        return value
    if len(text) == 8 and text[:2].lower() == "bf":
        with suppress(ValueError):
            return int(text, 16)  # as llvm-objdump prints it
    parts = text.split()
    if len(parts) == 4 and all(len(part) == 2 for part in parts):
        with suppress(ValueError):
            return int.from_bytes(bytes.fromhex(text), "little")
    name, _, rest = text.lower().partition(" ")
    if name == "s_wait_alu" and rest.strip() and target not in PACKED:
        operand = number_of(rest.strip())
        return alu_word(rest) if operand is None or operand > 0xFFFF else 0xBF880000 | operand
    shown = text.lower() if text.lower().startswith("s_wait") else "s_waitcnt " + text.lower()
    items = read(shown, 64).instructions if "cnt" in shown[9:] or shown == text.lower() else ()
    wait = wait_of(items[0], target, {}) if len(items) == 1 else None
    if isinstance(wait, WaitError):
        raise wait
    if wait is None:
        raise Usage(f"value={text!r}: a number, decimal or 0x, or the text of a wait")
    return word_of(wait, target)


def _told(wait, acts_as):
    """Return the lines on a decoded wait. Args: acts_as: {counter: the count}, where the operand is too large."""
    if wait.mnemonic == "s_wait_idle":
        return f"{wait.text}\n  waits until nothing is outstanding"
    lines = [wait.text]
    for name, count in wait.counts:
        if name in wait.free:
            said = "does not wait"
        elif wait.mnemonic == "s_wait_alu":
            said = str(count)
        else:
            said = f"up to {acts_as.get(name, count)} may stay outstanding"
        lines.append(f"  {name:10} {said}")
    return "\n".join(lines)


def _covers(given):
    from cdna.waits.covers import covers
    from cdna.waits.names import copies

    from .near import did_you_mean

    found = []
    for text in given.instruction:
        one = covers(_mnemonic(text), given.target)
        if one is None:
            message = f"instruction={text!r}: not known here; give a mnemonic, or a whole instruction in quotes"
            message += did_you_mean(message, given.instruction, copies())
            cannot_tell(
                "waits covers", given.target, None, _finding("not-known", "error", message, None, None), given.json
            )
        found.append(one)
    findings, disputed = [], []
    for one in found:
        if one.missing:
            findings.append(_finding("not-on-target", "error", f"{one.text}: {one.missing}", "WAIT-010", one.text))
        names = [
            item["counter"] for item in one.unsure if item["counter"] not in [own["counter"] for own in one.counters]
        ]
        if one.counters and names:
            result = {"text": one.text, "counters": [item["counter"] for item in one.unsure]}
            disputed.append({"claim": "WAIT-060", "position": "counted-on-both", "result": result})
        elif names:
            message = f"{one.text}: whether it raises {names[0]} is not sure here; {one.unsure[0]['wait']} is right in both cases"
            claim = "WAIT-092" if one.text.startswith("buffer_inv") else None
            findings.append(_finding("counter-not-sure", "info", message, claim, one.text))
    result = {
        "instructions": [
            {
                "text": one.text,
                "what": one.what,
                "counters": [_counter(item) for item in one.counters],
                "xcnt": one.xcnt,
                "compiler_waits": one.when != "never" if one.when else None,
                "claims": list(one.claims),
            }
            for one in found
        ]
    }
    told = "\n".join([_covered(one, given.target) for one in found if not one.missing])
    return emit("waits covers", given.target, result, findings, disputed, json=given.json, text=told)


def _mnemonic(text):
    """Return the instruction that a builtin or an intrinsic is named after, any other text as it is."""
    for head in ("__builtin_amdgcn_", "llvm.amdgcn.", "@llvm.amdgcn."):
        if text.startswith(head):
            name = text[len(head) :].replace(".", "_")
            for word in ("raw_ptr_", "raw_", "struct_ptr_", "struct_"):
                name = name.removeprefix(word)
            return "global_load_lds" if name.startswith("load_to_lds") else name
    return text


def _counter(item):
    return {key: item[key] for key in ("counter", "wait", "in_order", "claim")}


def _covered(one, target):
    """Return the lines on one instruction: its waits, who writes them, and its registers."""
    from cdna.waits.covers import when_claims

    lines = [one.text if one.what == one.text else f"{one.text}: {one.what}"]
    if not one.counters:
        name = one.text.split(" ")[0].lower()
        said = "no counter that is sure" if one.unsure else "raises no counter: nothing to wait for"
        if name.startswith(("v_mfma", "v_smfmac", "v_wmma", "v_swmmac")):
            unit = "slots" if target == "gfx1250" else "wait states"
            said = f"raises no counter; how many {unit} the next one needs: cdna mfma waits --target {target} --first {name} ..."
        elif name.startswith("s_barrier") and "_isfirst" not in name:
            said = "raises no counter and waits for no memory operation: the waits stand in front of it"
            said += "" if target == "gfx1250" else _marks(["WAIT-002"])
        lines.append("  " + said)
    for item in one.counters:
        marks = _marks([item["claim"], item["order_claim"]])
        lines.append(f"  {item['wait']}: {_ORDER.get(item['order_claim']) or _ORDER[item['in_order']]}{marks}")
    if one.when:
        lines.append(f"  clang 22.1.8 {_WHEN[one.when]}{_marks(when_claims(one.when, target))}")
    xcnt = one.xcnt or {}
    if xcnt.get("kind"):
        named = ", ".join(xcnt["before_overwriting"])
        if " " not in one.text:
            named = "its registers" + (f" or {named}" if named else "")
        free = "; the next vector access may change them at once" if xcnt["kind"] == "vector" else ""
        writer = "LLVM writes it" if xcnt["compiler_waits"] else "LLVM writes none"
        lines.append(
            f"  {xcnt['wait']}, or the wait above, before {named} change{free}; {writer}{_marks(xcnt['claims'])}"
        )
    elif xcnt.get("claims") and not xcnt["wait_in_front"]:
        lines.append(f"  no s_wait_xcnt before its registers change{_marks(xcnt['claims'])}")
    if xcnt.get("wait_in_front"):
        why = "the manual asks for it, LLVM writes none  [WAIT-085]"
        if "WAIT-088" in xcnt["claims"]:
            why = "LLVM writes it behind any access but an atomic, so that it is not done twice  [WAIT-088]"
        lines.append(f"  {xcnt['wait_in_front']} in front of it: {why}")
    return "\n".join(lines)


_ORDER = {
    True: "in order, so the number of younger ones is enough too",
    False: "keeps no order, only zero tells",
    "TDM-095": "in order with its own kind, asynchronous loads and stores pass each other",
}
_WHEN = {
    "use": "writes it before the result is used",
    "read": "writes it before LDS is read, with exceptions",
    "fence": "writes it at a release fence",
    "never": "writes none: it is yours",
}


def _marks(claims):
    return "".join([f"  [{claim}]" for claim in claims if claim])


def _check(given):
    from cdna.waits.events import unsure
    from cdna.waits.finder import check

    text = text_of(given.file)
    label = "standard input" if given.file == "-" else given.file
    if len(text) > MOST_BYTES:
        raise Usage(f"{label}: {len(text)} characters, at most {MOST_BYTES}: check one kernel at a time")
    report = check(text, given.target, given.shared)
    program = report.program
    if not program.instructions:
        raise Usage(f"{label}: no instruction in it{words_hint(text)}")
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
        differing = _differing(report.missing, other.missing)
        if differing is not None:
            claim, position = ("WAIT-092", "counted") if given.target in PACKED else ("WAIT-060", "counted-on-both")
            disputed.append({"claim": claim, "position": position, "result": {"missing": differing}})
    findings = (other_target(text, given.target) or _other_waits(program, given.target)) + list(report.findings)
    if given.target == "gfx1250":
        from cdna.waits.cluster import signal_notes

        findings += signal_notes(program)
    result["findings_grouped"] = False  # the text groups them, this document lists each
    if not given.json:
        findings = _grouped(findings, program)
    return emit("waits check", given.target, result, findings, disputed, json=given.json, text=_summary(result))


def _grouped(findings, program):
    """Return findings for a reader: of warnings and remarks with one rule, claim and mnemonic the first, with the number and lines of the others."""
    names = {item.line: item.mnemonic for item in program.instructions}
    groups = {}
    for item in findings:
        key = (item["rule"], item["severity"], item["claim"], names.get(item.get("line")))
        if item["severity"] == "error" or item.get("line") is None:
            key = len(groups)  # an error stands for itself
        groups.setdefault(key, []).append(item)
    shown = []
    for first, *others in groups.values():
        message = first["message"]
        if others:
            lines = ", ".join(str(item["line"]) for item in others[:_LINES]) + (", ..." if len(others) > _LINES else "")
            message += f"; {len(others)} more such: line{'s' * (len(others) > 1)} {lines} (--json lists each)"
        shown.append({**first, "message": message})
    return shown


def text_of(name):
    """Return the text of a file; of a code object the message says how to make text of it."""
    try:
        return read_text(name)
    except Usage as error:
        if name != "-" and "not UTF-8" in str(error):
            with open(name, "rb") as stream:
                if stream.read(4) == b"\x7fELF":
                    raise Usage(f"{error}; a code object: check the output of `llvm-objdump -d {name}`") from None
        raise


def words_hint(text):
    """Return what to add to the refusal of a text without instructions, where they stand there as words."""
    return "; .long words are not decoded: assemble it and give the output of llvm-objdump -d" if ".long" in text else ""


def other_target(text, target):
    """Return a finding where the text itself names another target than the one that was asked for."""
    for word, line, named in _named_targets(text):
        if named != target and target not in GENERIC.get(named, ()):
            message = f"the text is for {named} ({word} in line {line}) and was checked as {target}: nothing below is to be trusted"
            return [_finding("other-target", "error", message, "WAIT-010", None)]
    return []


def generic_target(text, target):
    """Return a finding where the text is for several targets at once and lacks wait states that only another of them needs."""
    named = [name for _, _, name in _named_targets(text)]
    if target != "gfx942" or "gfx9-4-generic" not in named:
        return []
    message = "the text is for gfx9-4-generic, and LLVM leaves in it what gfx942 asks for, which is less: check it as gfx950 too"
    return [_finding("generic-target", "info", message, "MFMA-085", None)]


def _named_targets(text):
    """Yield (word, line, name) for each target that a text says it is for; the name without features such as :xnack-."""
    for word in (".amdgcn_target", "amdhsa.target:"):
        place = text.find(word)
        while place >= 0:
            line = text[place:].partition("\n")[0]
            # LLVM 24 names an environment where older versions leave it empty: amdhsa-unknown-gfx950, amdhsa--gfx950.
            named = line.rpartition("-gfx")[2].strip("\"' \r").partition(":")[0]
            if "-gfx" in line:
                yield word, text.count(chr(10), 0, place) + 1, "gfx" + named
            place = text.find(word, place + 1)


def _other_waits(program, target):
    """Return a finding where every wait of the text is one of the other generation: disassembly names no target."""
    names = {item.mnemonic for item in program.instructions}
    older = "s_waitcnt" in names
    newer = bool([name for name in names if name[:7] == "s_wait_" and name not in ("s_wait_idle", "s_wait_alu")])
    if older == newer or older == (target in PACKED):
        return []
    message = f"all waits of the text are those of {'gfx942 and gfx950' if older else 'gfx1250'}, and it was checked as {target}: nothing below is to be trusted"
    return [_finding("other-target", "error", message, "WAIT-010", None)]


def _differing(ours, theirs):
    """Return the waits of another position that ask for another count than ours, None where all ask for the same.

    A counter that only the other position counts adds nothing: the wait on the first one already makes sure of the access.
    """
    mine = {(item["line"], item["rule"], tuple(item["producer_lines"])): item for item in ours}
    found = []
    for item in theirs:
        own = mine.pop((item["line"], item["rule"], tuple(item["producer_lines"])), None)
        if own is None or own["counters"] != [
            one for one in item["counters"] if one["counter"] in [c["counter"] for c in own["counters"]]
        ]:
            found.append(item)
    return found if found or mine else None


def _summary(result):
    counted = f"{result['instructions']} instructions, {result['blocks']} blocks, {result['loops']} loops"
    errors = [item for item in result["missing"] if item["severity"] == "error"]
    return f"{counted}: {len(errors)} waits missing, {len(result['useless'])} do nothing, {len(result['out_of_range'])} out of range"


def _claim(target):
    return "WAIT-001" if target in PACKED else "WAIT-051"


def _finding(rule, severity, message, claim, field):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": field}
