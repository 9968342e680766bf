# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma waits --target gfx1250`: the slots that the CDNA5 guide asks for and LLVM leaves after a matrix instruction."""

import argparse

from .mfma_waits import by_compilers, compiler_lines, differences, safe
from .near import did_you_mean
from .output import Usage, emit, parser

# Options of the older targets, whose instructions choose their formats by them.
FOREIGN = ("cbsz", "blgp", "then-cbsz", "then-blgp")


def refuse_foreign(name, value):
    """Refuse a modifier of MFMA that gfx1250 does not have, and name what it has instead. Args: value: None where not given."""
    if value is not None:
        option = {"cbsz": "--a-format", "blgp": "--b-format"}.get(name.removeprefix("then-"))
        instead = f"; the formats of f8f6f4 are chosen by {option} (fp8, bf8, fp6, bf6, fp4)" if option else ""
        raise Usage(f"{name.replace('-', '_')}={value}: gfx1250 has no such modifier{instead}, WMMA-001")


def run_waits(argv):
    """Say how many slots LLVM leaves between two instructions; returns 0.

    Raises: Usage: unknown instruction, not on the target, or no such dependency between the two.
    """
    from cdna.mfma.opcodes import MatrixError, format_of
    from cdna.wmma.hazards import CLASSES, FORMATS, UNIT, VIAS, about, operand, other_positions, waits
    from cdna.wmma.manual import asked

    words = parser("mfma waits", "What LLVM 22.1.8 inserts after a matrix instruction of gfx1250, in slots.")
    words.add_argument("--target", required=True, choices=("gfx1250",))
    words.add_argument("--first", required=True, metavar="OP", help="a mnemonic: v_wmma_... or v_swmmac_...")
    words.add_argument("--then", required=True, metavar="OP", help="a mnemonic, or one of " + ", ".join(CLASSES))
    words.add_argument("--via", required=True, metavar="VIA", help=", ".join(VIAS))
    for name in ("a", "b"):
        told = f"format of {name.upper()} of FIRST where it is f8f6f4: " + ", ".join(FORMATS)
        words.add_argument(f"--{name}-format", metavar="F", default="fp8", help=told)
    for name in FOREIGN:
        words.add_argument("--" + name, help=argparse.SUPPRESS)
    words.add_argument("--no-run", action="store_true", help="ask no compiler")
    words.add_argument("--json", action="store_true", help="one JSON document")
    given = words.parse_args(argv)
    for name in FOREIGN:
        refuse_foreign(name, getattr(given, name.replace("-", "_")))
    try:
        formats = (format_of(given.a_format, "a-format"), format_of(given.b_format, "b-format"))
    except MatrixError as error:
        raise Usage(str(error)) from None
    if given.first.startswith(("v_mfma", "v_smfmac")):
        said = f"first={given.first!r}: not on gfx1250, whose matrix instructions are v_wmma and v_swmmac; target: gfx942, gfx950"
        raise Usage(said + did_you_mean(said, (given.first,), selected(given.first)))
    try:
        answer = waits(given.first, given.then, given.via, *formats)
        one, two = operand(given.first, *formats), operand(given.then)
        others = other_positions(given.first, *formats, via=given.via, then=given.then)
        guide = asked(given.first, given.then, given.via, *formats)
    except ValueError as error:
        raise Usage(f"{error}{did_you_mean(str(error), (given.first, given.then), [*selected(), *CLASSES])}") from None
    executed = [] if given.no_run else _by_compiler(one, two, given.via, formats)
    result = {
        "slots": answer.slots,
        "unit": UNIT,
        "v_nop": answer.slots,
        "rule": answer.rule,
        "claim": answer.claim,
        "about": about(answer.rule),
        "manual": {"slots": guide.slots, "claim": guide.claim} if guide else None,
        "via": given.via,
        "first": _side(one),
        "then": _side(two),
        "by_compiler": executed,
    }
    more = [(claim, slots) for claim, _, slots in others] + ([(guide.claim, guide.slots)] if guide else [])
    result["safe"] = safe("slots", answer.slots, answer.claim, more)
    findings = older_forms(dict.fromkeys(op.name for op in (one, two))) + differences(executed, "slots", answer.slots, answer.claim)
    disputed = [{"claim": claim, "position": name, "result": {"slots": slots}} for claim, name, slots in others]
    return emit("mfma waits", given.target, result, findings, disputed, json=given.json, text=_text(result))


def selected(like=""):
    """Return the mnemonics to propose: every product of gfx1250 but the forms of gfx12; of an MFMA or SMFMAC its kind alone."""
    from cdna.wmma.hazards import older
    from cdna.wmma.opcodes import mnemonics

    kind = {"v_mf": "v_wmma_", "v_sm": "v_swmmac_"}.get(like.lower()[:4], "v_")
    return [name for name in mnemonics() if name.startswith(kind) and not older(name)]


def older_forms(names):
    """Return a warning for each name that is a form of gfx12."""
    from cdna.wmma.hazards import older

    said = "a form of gfx12: LLVM 22.1.8 assembles and never selects it here, and the manual does not list it; take the product with the long K"
    return [
        {"rule": "matrix-older", "severity": "warning", "message": f"{name} is {said}", "claim": "WMMA-075", "field": None}
        for name in names
        if older(name)
    ]


def _side(op):
    found = {"op": op.name, "kind": op.kind}
    if op.kind == "matrix":
        found.update(family=op.family, cycles=op.cycles, registers=op.registers)
    return found


def _text(result):
    count = result["slots"]
    lines = [f"{count} slot{'' if count == 1 else 's'}: " + (f"{count} x v_nop, or as many unrelated vector instructions" if count else "nothing to insert")]
    most = result["safe"]["slots"]
    if most > count:
        lines = [f"write {most} x v_nop: safe under every position; LLVM 22.1.8 leaves {count}"]
    for name in ("first", "then"):
        side = result[name]
        more = f", {side.get('family', side['kind'])}"
        more += f", {side['cycles']} cycles in LLVM 22.1.8" if side.get("cycles") else ""
        lines.append(f"{name:6}{side['op']}{more}")
    lines.append(f"rule  {result['rule']}: {result['about']}  [{result['claim']}]")
    guide = result["manual"]
    lines.append(f"the CDNA5 guide asks for {guide['slots']}  [{guide['claim']}]" if guide else "the CDNA5 guide's table does not have this case  [GFX-011]")
    lines += compiler_lines(result["by_compiler"], "slots")
    lines.append(f"The unit is {result['unit']} [WMMA-061]; what a compiler does and a guide asks, not hardware.")
    return "\n".join(lines)


def _by_compiler(one, two, via, formats):
    from cdna_evidence.witnesses import wmma_ir, wmma_mir

    sides = [_asked(one, formats), _asked(two, ("fp8", "fp8"))]

    def ask(name, witness):
        if name == "clang":
            return wmma_ir.ask(witness, "gfx1250", [(*sides, via)])[0]
        return wmma_mir.ask(witness, "gfx1250", [wmma_mir.asked(*sides, via)])[0]

    return by_compilers("slots", ask)


def _asked(op, formats):
    """Return a side of a pair as the witnesses take it: a mnemonic, with formats where it chooses them, or a word."""
    if op.kind != "matrix":
        return op.kind
    return op.name + (" " + " ".join(formats) if op.name.endswith("_f8f6f4") else "")
