# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma waits` and `cdna mfma audit`: what LLVM inserts between two instructions, and where a program has less."""

from .output import Usage, emit, parser, read_text

TARGETS = ("gfx942", "gfx950")


def run_waits(argv):
    """Say how many wait states LLVM puts between two instructions; returns 0.

    Raises: Usage: unknown instruction, not on the target, or no such dependency between the two.
    """
    if "gfx1250" in argv or "--target=gfx1250" in argv:
        from . import wmma_waits

        return wmma_waits.run_waits(argv)
    from cdna.mfma.hazards import CLASSES, VIAS, operand, other_positions, waits

    words = parser("mfma waits", "What LLVM 22.1.8 inserts between two instructions that depend on each other.")
    words.add_argument("--target", required=True, metavar="T", help="gfx942 or gfx950; gfx1250 answers in slots")
    several = "a mnemonic, or one of " + ", ".join(CLASSES)
    words.add_argument("--first", required=True, metavar="OP", help=several)
    words.add_argument("--then", required=True, metavar="OP", help=several)
    words.add_argument("--via", required=True, metavar="VIA", help=", ".join(VIAS))
    for name in ("cbsz", "blgp"):
        words.add_argument("--" + name, metavar="N", help=f"format code of FIRST where it is f8f6f4 ({name})")
        words.add_argument("--then-" + name, metavar="N", help=f"the same of THEN ({name})")
    for name in ("a", "b"):
        told = f"the same by name, {name.upper()} of FIRST: fp8 ... fp4"
        words.add_argument(f"--{name}-format", metavar="F", help=told)
    words.add_argument("--no-run", action="store_true", help="ask no compiler")
    words.add_argument("--json", action="store_true", help="one JSON document")
    given = words.parse_args(argv)
    _check_target(given.target)
    cbsz = given.cbsz if given.cbsz is not None else _code("a-format", given.a_format)
    blgp = given.blgp if given.blgp is not None else _code("b-format", given.b_format)
    first = _formats(given.first, cbsz, blgp)
    then = _formats(given.then, given.then_cbsz, given.then_blgp)
    try:
        answer = waits(given.target, first, then, given.via)
        sides = [operand(given.target, text) for text in (first, then)]
        others = other_positions(given.target, first, then, given.via)
    except ValueError as error:
        raise Usage(str(error)) from None
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
    findings = [_differs(item, answer) for item in executed if item["wait_states"] not in (None, answer.states)]
    disputed = [
        {"claim": claim, "position": position, "result": {"wait_states": states, "s_nop": nops(states)}}
        for claim, position, states in others
    ]
    return emit("mfma waits", given.target, result, findings, disputed, json=given.json, text=_waits_text(result))


def run_audit(argv):
    """Report every dependency around matrix instructions with too few wait states; returns 0, or 1 when there is one.

    Raises: Usage: unreadable file, no such target, or no instruction in the text.
    """
    from cdna.mfma.audit import audit

    words = parser("mfma audit", "Every dependency around matrix instructions with fewer states than LLVM inserts.")
    words.add_argument("file", metavar="FILE", help="assembly, or the output of llvm-objdump -d; - for standard input")
    words.add_argument("--target", required=True, metavar="T", help="gfx942 or gfx950")
    words.add_argument("--json", action="store_true", help="one JSON document")
    given = words.parse_args(argv)
    _check_target(given.target)
    found = audit(read_text(given.file), given.target)
    if not found.program.instructions:
        raise Usage(f"{given.file}: no instruction was read; give assembly or the output of llvm-objdump -d")
    counted = [item for item in found.program.instructions if item.mnemonic.startswith(("v_mfma", "v_smfmac"))]
    result = {
        "dependencies": list(found.dependencies),
        "instructions": len(found.program.instructions),
        "matrix_instructions": len(counted),
        "inline_asm": [{"first_line": first, "last_line": last} for first, last in found.regions],
    }
    text = f"{result['instructions']} instructions, {len(counted)} of them matrix instructions: "
    text += f"{len(found.dependencies)} unprotected" if found.dependencies else "every dependency is protected"
    disputed = found.disputed if given.json else found.disputed[:5]
    return emit("mfma audit", given.target, result, found.findings, disputed, json=given.json, text=text)


def nops(states):
    """Return the s_nop instructions that make a number of wait states, as LLVM writes them: at most s_nop 7 each."""
    found = []
    while states > 0:
        found.append(f"s_nop {min(states, 8) - 1}")
        states -= 8
    return found


def _check_target(target):
    if target not in TARGETS:
        raise Usage(f"target={target!r}: {', '.join(TARGETS)}")


def _formats(text, cbsz, blgp):
    for name, value in (("cbsz", cbsz), ("blgp", blgp)):
        if value is not None:
            text += f" {name}:{value}"
    return text


def _code(option, name):
    if name is None:
        return None
    names = ("fp8", "bf8", "fp6", "bf6", "fp4")
    if name not in names:
        raise Usage(f"{option}={name!r}: {', '.join(names)}")
    return names.index(name)


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
    for name in ("first", "then"):
        side = result[name]
        more = f", {side['family']}, {side['passes']} passes" if side["kind"] == "matrix" else f", {side['kind']}"
        lines.append(f"{name:6}{side['op']}{more}")
    lines.append(f"rule  {result['rule']}: {result['about']}  [{result['claim']}]")
    for item in result["by_compiler"]:
        said = "not told: " + item["reason"] if item["wait_states"] is None else f"inserts {item['wait_states']}"
        lines.append(f"{item['compiler']} {item['version'] or ''} ({item['how']}): {said}".replace("  ", " "))
    lines.append("A wait state is one instruction, s_nop N is N + 1 [MFMA-014]; what a compiler does, not hardware.")
    return "\n".join(lines)


def _differs(item, answer):
    message = f"{item['compiler']} {item['version']} inserts {item['wait_states']}, the rule of LLVM 22.1.8 says"
    message += f" {answer.states}"
    return {"rule": "compiler-differs", "severity": "warning", "message": message, "claim": answer.claim, "field": None}


def _by_compiler(target, first, then, sides, via):
    """Put the pair to the compilers that are here; each entry says how, and why where it was not told."""
    from cdna_evidence.witnesses import Missing, get, matrix, matrix_ir

    asked = [_asked(text, side) for text, side in zip((first, then), sides, strict=True)]
    found = []
    for name, how in (("clang", "LLVM IR"), ("llc", "MIR")):
        entry = {"compiler": name, "version": None, "how": how, "wait_states": None, "reason": "", "command": None}
        try:
            witness = get(name)
            entry["version"] = witness.version
            if name == "clang":
                told = matrix_ir.ask(witness, target, [(*asked, via)])[0]
                entry["wait_states"], entry["reason"], entry["command"] = told
            else:
                compiled, states = witness.wait_states(target, [("pair", matrix.pair(*asked, via))])
                entry["wait_states"], entry["command"] = states.get("pair"), compiled.command
                entry["reason"] = "" if states else f"{compiled.outcome}: {compiled.diagnostic}"
        except Missing as missing:
            entry["reason"] = str(missing)
        except ValueError as error:
            entry["reason"] = str(error)
        found.append(entry)
    return found


def _asked(text, side):
    """Return a side of a pair as the witnesses take it."""
    if side.kind != "matrix":
        return side.kind
    codes = dict(word.split(":") for word in text.split()[1:])
    return (side.name, int(codes.get("cbsz", 0)), int(codes.get("blgp", 0)))
