# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma`: matrix instructions, on gfx1250 WMMA. Here `list`; layouts and wait states stand next door."""

from .output import Usage, emit, parser

COMMANDS = {
    "list": "every matrix instruction of a target: shape, types, passes, registers",
    "layout": "where each element lies: lane, register and bits, and back; also as a picture and as others write it",
    "waits": "the wait states that LLVM puts between two instructions",
    "audit": "every dependency of a program that has too few wait states or slots",
}
USAGE = "usage: cdna mfma COMMAND ... [--json]\n\n" + "\n".join(f"  {name:7} {said}" for name, said in COMMANDS.items())


def run(argv):
    """Run one `cdna mfma` command; return the exit status.

    Raises: Usage: wrong usage.
    """
    if not argv:
        raise Usage(f"say which: {', '.join(COMMANDS)}; --help explains them")
    if argv[0] in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    if argv[0] not in COMMANDS:
        raise Usage(f"unknown command {argv[0]!r}: {', '.join(COMMANDS)}")
    if argv[0] == "list":
        return run_list(argv[1:])
    if argv[0] == "layout":
        from . import mfma_layout

        return mfma_layout.run_layout(argv[1:])
    from . import mfma_waits

    return getattr(mfma_waits, "run_" + argv[0])(argv[1:])


def run_list(argv):
    """Print every matrix instruction of a target; return the exit status."""
    words = parser("mfma list", "Every matrix instruction of a target.")
    words.add_argument("--target", required=True, choices=("gfx942", "gfx950", "gfx1250"))
    words.add_argument("--json", action="store_true", help="one JSON document")
    given = words.parse_args(argv)
    if given.target == "gfx1250":
        from cdna.wmma.describe import describe
        from cdna.wmma.opcodes import opcodes
    else:
        from cdna.mfma.describe import describe
        from cdna.mfma.opcodes import opcodes
    found = [describe(op.mnemonic, given.target) for op in opcodes(given.target)]
    disputed = [
        {"claim": item["claim"], "position": item["position"], "result": {"mnemonic": entry["mnemonic"]}}
        for entry in found
        for item in entry["disputed"]
    ]
    if not given.json:
        # For people the list is the answer; where a layout is disputed, `cdna mfma layout` says so.
        return emit("mfma list", given.target, None, text=_table(found))
    return emit("mfma list", given.target, {"instructions": found}, disputed=disputed, json=True)


def _older(names):
    """Return a line on the forms among them that no compiler selects for gfx1250, or none."""
    from cdna.wmma.hazards import older

    count = sum(older(name) for name in names)
    said = "forms of gfx12, which LLVM 22.1.8 assembles and never selects here: K of 16, sparse K of 32, and iu4  [WMMA-075]"
    return [f"{count} of them are {said}"] if count else []


def _table(found):
    lines = [f"{'instruction':38} {'M x N x K':>13} {'blocks':>6}  {'passes':>6}  registers"]
    for entry in found:
        passes = entry["passes"]
        if isinstance(passes, dict):
            passes = f"{passes['without_8_bit_operand']}/{passes['with_8_bit_operand']}"
        passes = "-" if passes is None else passes
        shape = "x".join(str(size) for size in entry["shape"])
        counts = [f"{item['matrix']} {_registers(item)}" for item in entry["operands"]]
        lines.append(f"{entry['mnemonic']:38} {shape:>13} {entry['blocks']:>6}  {passes!s:>6}  {', '.join(counts)}")
    lines += _older([entry["mnemonic"] for entry in found])
    lines.append(f"{len(found)} instructions")
    return "\n".join(lines)


def _registers(operand):
    counts = sorted({item["registers"] for item in operand.get("formats", [])}) or [operand["registers"]]
    return "/".join(str(count) for count in counts)
