# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma waits --target gfx1250`: the slots that LLVM leaves after a matrix instruction of gfx1250."""

from .output import Usage, emit, parser

# How the pairs of the command line are asked of llc: via there, and the words of cdna_evidence.witnesses.wmma_mir.
_MATRIX_VIA = {"exact": "c", "partial": "c-partial", "ab": "a", "index": "index", "waw": "waw", "ab-war": "war-a"}
_OTHER_VIA = {"read": "read", "waw": "waw", "ab-war": "war-a", "c-war": "war-c"}
_WORDS = {"fp8": "f8", "bf8": "f8", "fp6": "f6", "bf6": "f6", "fp4": "f4"}


def run_waits(argv):
    """Say how many slots LLVM leaves between two instructions; returns 0.

    Raises: Usage: unknown instruction, not on the target, or no such dependency between the two.
    """
    from cdna.wmma.hazards import CLASSES, FORMATS, UNIT, VIAS, about, operand, other_positions, waits

    words = parser("mfma waits", "What LLVM 22.1.8 inserts after a matrix instruction of gfx1250, in slots.")
    words.add_argument("--target", required=True, choices=("gfx1250",))
    words.add_argument("--first", required=True, metavar="OP", help="a mnemonic: v_wmma_... or v_swmmac_...")
    words.add_argument("--then", required=True, metavar="OP", help="a mnemonic, or one of " + ", ".join(CLASSES))
    words.add_argument("--via", required=True, metavar="VIA", help=", ".join(VIAS))
    for name in ("a", "b"):
        told = f"format of {name.upper()} of FIRST where it is f8f6f4: " + ", ".join(FORMATS)
        words.add_argument(f"--{name}-format", metavar="F", default="fp8", help=told)
    words.add_argument("--no-run", action="store_true", help="ask no compiler")
    words.add_argument("--json", action="store_true", help="one JSON document")
    given = words.parse_args(argv)
    formats = (given.a_format, given.b_format)
    if given.first.startswith(("v_mfma", "v_smfmac")):
        raise Usage(f"first={given.first!r}: not on gfx1250, whose matrix instructions are v_wmma and v_swmmac; target: gfx942, gfx950")
    try:
        answer = waits(given.first, given.then, given.via, *formats)
        one, two = operand(given.first, *formats), operand(given.then)
        others = other_positions(given.first, *formats, via=given.via, then=given.then)
    except ValueError as error:
        raise Usage(str(error)) from None
    executed = [] if given.no_run else [_by_llc(one, two, given.via, formats)]
    result = {
        "slots": answer.slots,
        "unit": UNIT,
        "v_nop": answer.slots,
        "rule": answer.rule,
        "claim": answer.claim,
        "about": about(answer.rule),
        "via": given.via,
        "first": _side(one),
        "then": _side(two),
        "by_compiler": executed,
    }
    findings = [_differs(item, answer) for item in executed if item["slots"] not in (None, answer.slots)]
    disputed = [{"claim": claim, "position": name, "result": {"slots": slots}} for claim, name, slots in others]
    return emit("mfma waits", given.target, result, findings, disputed, json=given.json, text=_text(result))


def _side(op):
    found = {"op": op.name, "kind": op.kind}
    if op.kind == "matrix":
        found.update(family=op.family, cycles=op.cycles, registers=op.registers)
    return found


def _text(result):
    count = result["slots"]
    lines = [f"{count} slot{'' if count == 1 else 's'}: " + (f"{count} x v_nop, or as many unrelated vector instructions" if count else "nothing to insert")]
    for name in ("first", "then"):
        side = result[name]
        more = f", {side['family']}, {side['cycles']} cycles in LLVM 22.1.8" if side["kind"] == "matrix" else f", {side['kind']}"
        lines.append(f"{name:6}{side['op']}{more}")
    lines.append(f"rule  {result['rule']}: {result['about']}  [{result['claim']}]")
    for item in result["by_compiler"]:
        said = "not told: " + item["reason"] if item["slots"] is None else f"inserts {item['slots']}"
        lines.append(f"{item['compiler']} {item['version'] or ''} ({item['how']}): {said}".replace("  ", " "))
    lines.append(f"The unit is {result['unit']} [WMMA-061]; what a compiler does, not hardware.")
    return "\n".join(lines)


def _differs(item, answer):
    message = f"{item['compiler']} {item['version']} inserts {item['slots']}, the rule of LLVM 22.1.8 says {answer.slots}"
    return {"rule": "compiler-differs", "severity": "warning", "message": message, "claim": answer.claim, "field": None}


def _by_llc(one, two, via, formats):
    """Put the pair to llc, where it is installed; the entry says why where it was not told."""
    from cdna_evidence.witnesses import Missing, get, wmma_mir

    entry = {"compiler": "llc", "version": None, "how": "MIR", "slots": None, "reason": "", "command": None}
    first = one.name + (" " + " ".join(_WORDS[name] for name in formats) if one.name.endswith("_f8f6f4") else "")
    then = two.name if two.kind == "matrix" else {"ds": "ds-store" if via == "read" else "ds-load"}.get(two.kind, two.kind)
    if then.endswith("_f8f6f4"):
        then += " f8 f8"
    try:
        witness = get("llc")
        entry["version"] = witness.version
        if via == "independent":
            word = "independent"
        else:
            word = (_MATRIX_VIA if two.kind == "matrix" else _OTHER_VIA)[via]
        entry["slots"] = wmma_mir.slots(witness, "gfx1250", [wmma_mir.pair(first, then, word)])[0]
    except Missing as missing:
        entry["reason"] = str(missing)
    except KeyError:
        entry["reason"] = "this pair is not written as MIR here"
    except ValueError as error:
        entry["reason"] = str(error)
    return entry
