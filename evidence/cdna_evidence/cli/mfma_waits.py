# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma waits` and `cdna mfma audit`: what LLVM inserts between two instructions, and where a program has less."""

from .output import Usage, emit, parser

TARGETS = ("gfx942", "gfx950")
AUDITED = (*TARGETS, "gfx1250")


def run_waits(argv):
    """Say how many wait states LLVM puts between two instructions; returns 0.

    Raises: Usage: unknown instruction, not on the target, or no such dependency between the two.
    """
    if "gfx1250" in argv or "--target=gfx1250" in argv:
        from . import wmma_waits

        return wmma_waits.run_waits(argv)
    from cdna.mfma.hazards import CLASSES, VIAS, guide_asks, operand, other_positions, waits
    from cdna.wmma.hazards import VIAS as ON_GFX1250

    words = parser("mfma waits", "What LLVM 22.1.8 inserts between two instructions that depend on each other.")
    words.add_argument("--target", required=True, metavar="T", help="gfx942 or gfx950; gfx1250 answers in slots")
    several = "a mnemonic, or one of " + ", ".join(CLASSES)
    words.add_argument("--first", required=True, metavar="OP", help=several)
    words.add_argument("--then", required=True, metavar="OP", help=several)
    words.add_argument("--via", required=True, metavar="VIA", help=", ".join(VIAS) + "; gfx1250: " + ", ".join(ON_GFX1250))
    for name in ("cbsz", "blgp"):
        words.add_argument("--" + name, metavar="N", help=f"format code of FIRST where it is f8f6f4 ({name})")
        words.add_argument("--then-" + name, metavar="N", help=f"the same of THEN ({name})")
    for name in ("a", "b"):
        told = f"the same by name, {name.upper()} of FIRST: fp8 ... fp4"
        words.add_argument(f"--{name}-format", metavar="F", help=told)
    words.add_argument("--no-run", action="store_true", help="ask no compiler")
    words.add_argument("--json", action="store_true", help="one JSON document")
    given = words.parse_args(argv)
    _check_target(given.target, AUDITED)
    cbsz = given.cbsz if given.cbsz is not None else _code("a-format", given.a_format)
    blgp = given.blgp if given.blgp is not None else _code("b-format", given.b_format)
    first = _formats(given.first, cbsz, blgp)
    then = _formats(given.then, given.then_cbsz, given.then_blgp)
    try:
        answer = waits(given.target, first, then, given.via)
        sides = [operand(given.target, text) for text in (first, then)]
        others = other_positions(given.target, first, then, given.via)
    except ValueError as error:
        raise Usage(f"{error}{_near(given, str(error), CLASSES)}") from None
    executed = [] if given.no_run else _by_compiler(given.target, first, then, sides, given.via)
    result = {
        "wait_states": answer.states,
        "s_nop": nops(answer.states),
        "rule": answer.rule,
        "claim": answer.claim,
        "about": _about(answer.rule),
        "via": given.via,
        "first": _side(sides[0]),
        "then": _side(sides[1]),
        "by_compiler": executed,
    }
    findings = differences(executed, "wait_states", answer.states, answer.claim)
    guide = guide_asks(given.target, first, then, given.via)
    asked = [(claim, states) for claim, _, states in others] + ([(guide.claim, guide.states)] if guide else [])
    result["safe"] = safe("wait_states", answer.states, answer.claim, asked)
    if guide:
        message = f"the {guide.guide} guide asks for {guide.states} wait state{'s' * (guide.states != 1)} here, more than LLVM inserts: leave {guide.states}"
        findings.append({"rule": "guide-asks-more", "severity": "warning", "message": message, "claim": guide.claim, "field": "via"})
    if sides[0].kind in ("load", "ds") and given.via != "independent":
        message = f"what {sides[0].name} returns is waited for by a counter as well: see cdna waits covers {sides[0].name}"
        findings.append({"rule": "counter-too", "severity": "info", "message": message, "claim": "WAIT-001", "field": "first"})
    disputed = [
        {"claim": claim, "position": position, "result": {"wait_states": states, "s_nop": nops(states)}}
        for claim, position, states in others
    ]
    return emit("mfma waits", given.target, result, findings, disputed, json=given.json, text=_waits_text(result))


def run_audit(argv):
    """Report every dependency of a program with too few wait states or slots, by the rules here; returns 0, or 1 when there is one.

    Raises: Usage: unreadable file, no such target, or no instruction in the text.
    """
    words = parser(
        "mfma audit",
        "Every dependency between two instructions with less between than LLVM 22.1.8 leaves, by these rules and no others. "
        + " ".join(_told(target) for target in (TARGETS[-1], "gfx1250")),
    )
    words.add_argument("file", metavar="FILE", help="assembly, or the output of llvm-objdump -d; - for standard input")
    told = "gfx942 or gfx950, in wait states; gfx1250, in slots of the vector ALU"
    words.add_argument("--target", required=True, metavar="T", help=told)
    words.add_argument("--json", action="store_true", help="one JSON document")
    given = words.parse_args(argv)
    from .waits import generic_target, other_target, text_of, words_hint

    _check_target(given.target, AUDITED)
    text = text_of(given.file)
    if given.target == "gfx1250":
        from cdna.wmma.audit import audit
        from cdna.wmma.hazards import UNIT

        found, unit = audit(text), f"A slot is {UNIT} [WMMA-061]; what a compiler does, not hardware."
    else:
        from cdna.mfma.audit import audit

        found, unit = audit(text, given.target), ""
    if not found.program.instructions:
        more = words_hint(text) or "; give assembly or the output of llvm-objdump -d"
        raise Usage(f"{given.file}: no instruction was read{more}")
    matrix = ("v_wmma_", "v_swmmac_") if given.target == "gfx1250" else ("v_mfma", "v_smfmac")
    counted = [item for item in found.program.instructions if item.mnemonic.startswith(matrix)]
    result = {
        "dependencies": list(found.dependencies),
        "instructions": len(found.program.instructions),
        "matrix_instructions": len(counted),
        "inline_asm": [{"first_line": first, "last_line": last} for first, last in found.regions],
        "rules": looked_for(given.target),
    }
    said = f"{result['instructions']} instructions, {len(counted)} of them matrix instructions: "
    said += f"{len(found.dependencies)} unprotected" if found.dependencies else "every dependency is protected"
    more = any(item["result"].get("missing") for item in found.disputed) or any(item["rule"] == "guide-asks-more" for item in found.findings)
    if not found.dependencies and more:
        said += " as LLVM counts; another position asks for more, see below"
    if not found.dependencies:
        said += "\nlooked for, and nothing else: " + ", ".join(item["rule"] for item in result["rules"])
    elif unit:
        said += "\n" + unit
    disputed = found.disputed if given.json else found.disputed[:5]
    findings = other_target(text, given.target) + list(found.findings) + generic_target(text, given.target)
    return emit("mfma audit", given.target, result, findings, disputed, json=given.json, text=said)


def looked_for(target):
    """Return the rules that the audit of a target looks for: rule, claim, about."""
    if target == "gfx1250":
        from cdna.wmma.hazards import RULES
    else:
        from cdna.mfma.hazards import RULES
    nothing = ["matrix-order", "independent", "no-rule"]  # where LLVM inserts nothing
    if target == "gfx942":
        nothing.append("lane-swap")  # it has no such instruction
    return [{"rule": rule, "claim": claim, "about": about} for rule, claim, about in RULES if rule not in nothing]


def _told(target):
    """Return the rules of a target as a sentence for --help."""
    where = "gfx1250" if target == "gfx1250" else " and ".join(TARGETS)
    return f"On {where}: " + "; ".join(f"{item['rule']}, {item['about']}" for item in looked_for(target)) + "."


def nops(states):
    """Return the s_nop instructions that make a number of wait states, as LLVM writes them: at most s_nop 7 each."""
    found = []
    while states > 0:
        found.append(f"s_nop {min(states, 8) - 1}")
        states -= 8
    return found


def _check_target(target, allowed):
    if target not in allowed:
        raise Usage(f"target={target!r}: {', '.join(allowed)}")


def _formats(text, cbsz, blgp):
    for name, value in (("cbsz", cbsz), ("blgp", blgp)):
        if value is not None:
            text += f" {name}:{value}"
    return text


def _code(option, name):
    if name is None:
        return None
    from cdna.mfma.opcodes import FORMATS, MatrixError, format_of

    try:
        return FORMATS.index(format_of(name, option))
    except MatrixError as error:
        raise Usage(str(error)) from None


def _about(rule):
    from cdna.mfma.hazards import RULES

    return next(text for name, _, text in RULES if name == rule)


def _side(op):
    found = {"op": op.name, "kind": op.kind}
    if op.kind == "matrix":
        found.update(family=op.family, passes=op.passes, registers=op.registers)
    return found


def _waits_text(result):
    count = result["wait_states"]
    word = "state" if count == 1 else "states"
    lines = [f"{count} wait {word}: " + (" and ".join(result["s_nop"]) if count else "nothing to insert")]
    most = result["safe"]["wait_states"]
    if most > count:
        lines = [f"write {' and '.join(nops(most))} ({most} wait state{'s' * (most != 1)}): safe under every position; LLVM 22.1.8 inserts {count}"]
    for name in ("first", "then"):
        side = result[name]
        more = f", {side['family']}, {side['passes']} passes" if side["kind"] == "matrix" else f", {side['kind']}"
        lines.append(f"{name:6}{side['op']}{more}")
    lines.append(f"rule  {result['rule']}: {result['about']}  [{result['claim']}]")
    lines += compiler_lines(result["by_compiler"], "wait_states")
    lines.append("A wait state is one instruction, s_nop N is N + 1 [MFMA-014]; what a compiler does, not hardware.")
    return "\n".join(lines)


def safe(unit, count, claim, asked):
    """Return what is enough by every source: the largest number, and the claims that ask for it.

    Args: unit: key of the number; count, claim: of the answer; asked: (claim, number) of other positions and of a manual.
    """
    most = max([count, *(number for _, number in asked)])
    because = [name for name, number in [(claim, count), *asked] if number == most]
    return {unit: most, "because": list(dict.fromkeys(because))}


def _near(given, message, classes):
    from cdna.mfma.opcodes import opcodes

    from .near import did_you_mean

    return did_you_mean(message, (given.first, given.then), [op.mnemonic for op in opcodes(given.target)] + list(classes))


def compiler_lines(entries, unit):
    """Return a line of text for each entry of `by_compilers`."""
    lines = []
    for item in entries:
        said = "not told: " + item["reason"] if item[unit] is None else f"inserts {item[unit]}"
        lines.append(f"{item['compiler']} {item['version'] or ''} ({item['how']}): {said}".replace("  ", " "))
    return lines


def differences(entries, unit, count, claim):
    """Return a finding for each compiler that inserted another number than the rule says."""
    found = []
    for item in entries:
        if item[unit] not in (None, count):
            message = f"{item['compiler']} {item['version']} inserts {item[unit]}, the rule of LLVM 22.1.8 says {count}"
            finding = {"rule": "compiler-differs", "severity": "warning", "message": message}
            found.append({**finding, "claim": claim, "field": None})
    return found


def by_compilers(unit, ask):
    """Put a pair to the compilers that are here; each entry says how, and why where it was not told.

    Args: unit: key of the number in an entry; ask(name, witness): (number or None, reason, command), or a ValueError.
    """
    from cdna_evidence.witnesses import Missing, get

    found = []
    for name, how in (("clang", "LLVM IR"), ("llc", "MIR")):
        entry = {"compiler": name, "version": None, "how": how, unit: None, "reason": "", "command": None}
        try:
            witness = get(name)
            entry["version"] = witness.version
            entry[unit], entry["reason"], entry["command"] = ask(name, witness)
        except (Missing, ValueError) as error:
            entry["reason"] = str(error)
        found.append(entry)
    return found


def _by_compiler(target, first, then, sides, via):
    from cdna.mfma.hazards import as_read, waits, wide_store
    from cdna.mfma.vector_pairs import role, written_as
    from cdna_evidence.witnesses import matrix, matrix_ir

    asked = [_asked(text, side) for text, side in zip((first, then), sides, strict=True)]
    if not any(isinstance(side, tuple) for side in asked):
        asked = [written_as(sides[0].name) or asked[0], role(sides[1].name) or asked[1]]
    if sides[0].kind == "valu-exec" or (sides[0].kind == "valu" and via == "exec"):
        # v_cmpx writes EXEC and a scalar register; the compilers are asked about the one that is waited for longer.
        scalar = via == "read" and waits(target, first, then, via).states > waits(target, first, then, "exec").states
        asked[0] = "compare" if scalar else "valu-exec"

    via = as_read(sides[0], sides[1], via)

    def ask(name, witness):
        wide = sides[0].kind == "store"  # what the compilers are asked about: a store of 16 bytes
        if via in ("c-war", "waw") and sides[0].kind in ("store", "load") and wide_store(sides[0].name) != wide:
            raise ValueError(f"{sides[0].name}: the compilers are asked about a store of 16 bytes only")
        if name == "clang":
            return matrix_ir.ask(witness, target, [(*asked, via)])[0]
        compiled, states = witness.wait_states(target, [("pair", matrix.pair(*asked, via))])
        return states.get("pair"), "" if states else f"{compiled.outcome}: {compiled.diagnostic}", compiled.command

    return by_compilers("wait_states", ask)


def _asked(text, side):
    """Return a side of a pair as the witnesses take it."""
    if side.kind != "matrix":
        return side.kind
    codes = dict(word.split(":") for word in text.split()[1:])
    return (side.name, int(codes.get("cbsz", 0)), int(codes.get("blgp", 0)))
