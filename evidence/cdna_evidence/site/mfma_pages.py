# SPDX-License-Identifier: Apache-2.0
"""One page for each matrix instruction, found by its mnemonic: what it multiplies, who holds what, and what LLVM puts after it."""

import functools

from cdna.mfma import describe as described
from cdna.mfma import hazards, layouts, opcodes, passes

from . import card, figures_mfma
from .tree import h, rich, table

FOLDER = "mfma"
INDEX = "MFMA instructions, and the wait states after them"
COMPILER = "llvm-22.1.8"
# words, how the second depends on the first, the second (or the first, for what comes before), anchor
AFTER = (
    ("C is exactly D, same instruction", "exact", None, "same"),
    ("C is partly D, XDL consumer", "partial", "v_mfma_f32_16x16x16_f16", "xdl"),
    ("C is partly D, f32 consumer", "partial", "v_mfma_f32_16x16x4_f32", "sgemm"),
    ("C is partly D, f64 consumer", "partial", "v_mfma_f64_16x16x4_f64", "dgemm"),
    ("A or B of any matrix instruction", "ab", "v_mfma_f32_16x16x16_f16", "any"),
    ("a vector instruction reads D", "read", "valu", "valu"),
    ("a memory instruction reads D", "read", "store", "memory"),
    ("a vector instruction overwrites D", "waw", "valu", "valu"),
    ("a load overwrites D", "waw", "load", "load"),
    ("a vector instruction overwrites C", "c-war", "valu", "valu"),
)
BEFORE = (
    ("a vector instruction wrote A, B or C", "ab", "valu", "valu-before"),
    ("a vector instruction wrote EXEC", "exec", "valu-exec", "valu-before"),
)
MEANINGS = {
    "broadcast": "reads one block of A for several",
    "lanes": "takes B from other lanes",
    "negate": "turns the sign of A, B or C",
    "index-set": "chooses the set of positions in the index register",
    "format": "chooses the operand's format",
}


def mnemonics():
    """Return the mnemonics of all instructions, in the order of the model's table."""
    return [row.mnemonic for row in passes.MATRIX]


def generated():
    """Return [(source path, Markdown)] of the index and of every instruction's page."""
    found = [(f"{FOLDER}/index.md", f"---\ntitle: {INDEX}\n---\n\n# {INDEX}\n\n::mfma-index\n")]
    for name in mnemonics():
        text = f"---\ntitle: {name}\n---\n\n# `{name}`\n\n[All MFMA instructions](index.md)\n\n::mfma-instruction {name}\n"
        found.append((page_of(name), text))
    return found


def page_of(name):
    """Return the source path of an instruction's page."""
    return f"{FOLDER}/{name}.md"


def index(here, args):
    """Return the list of all instructions: `::mfma-index`."""
    rows = []
    for name in mnemonics():
        op = opcodes.opcode(name)
        link = h("a", h("code", name), href=here.link(page_of(name)))
        counts = " / ".join(_passes(target, op) if target in op.targets else "none" for target in ("gfx942", "gfx950"))
        states = " / ".join(_read_states(target, op) if target in op.targets else "none" for target in ("gfx942", "gfx950"))
        shape = f"{op.m} x {op.n} x {op.k}" + (f", {op.blocks} blocks" if op.blocks > 1 else "")
        rows.append([link, states, counts, shape, f"{op.a_type}, {op.b_type}", op.d_type, ", ".join(op.targets)])
    head = ["instruction", "wait states before VALU reads D", "passes", "M x N x K", "A, B", "D", "targets"]
    text = f"{len(rows)} instructions of gfx942 and gfx950, by mnemonic: what each multiplies, who holds what, and what LLVM puts after it."
    more = "Passes and wait states: gfx942 / gfx950. The states are what LLVM 22.1.8 inserts; an instruction's page has the other dependencies."
    return h("div", h("p", h("strong", text), " ", more), table(head, rows, label="matrix instructions", class_="cdna-opcodes"))


def _read_states(target, op):
    """The wait states between a product and a vector instruction that reads D; two numbers where the operands' width decides."""
    formats = (" cbsz:4 blgp:4", " cbsz:0 blgp:0") if op.a_type == "f8f6f4" else ("",)
    return " or ".join(str(hazards.waits(target, op.mnemonic + suffix, "valu", "read").states) for suffix in formats)


def _passes(target, op):
    if op.a_type == "f8f6f4":
        return f"{passes.passes(target, op.mnemonic, 4, 4)} or {passes.passes(target, op.mnemonic, 0, 0)}"
    return str(passes.passes(target, op.mnemonic))


def instruction(here, args):
    """Return the page of one instruction: `::mfma-instruction MNEMONIC`. Args: args: the mnemonic."""
    name = args.strip()
    op = opcodes.opcode(name)
    target = op.targets[-1]
    facts = described.describe(name, target)
    parts = [h("p", h("strong", _answer(op)))]
    parts += [_targets(op), _bytes(op)]
    parts += [h("h2", "What LLVM 22.1.8 inserts", id="waits")]
    parts += [h("p", "Wait states between this instruction and the next, or the one before: what one compiler inserts, none is a need of hardware.")]
    parts += [_waits(here, op)]
    parts += [h("h2", "Registers", id="registers"), _registers(facts)]
    if facts["modifiers"]:
        lines = [h("li", h("code", field), ": " + MEANINGS.get(meaning, meaning)) for field, meaning in facts["modifiers"].items()]
        parts += [h("h2", "Modifiers", id="modifiers"), h("ul", *lines)]
    parts += [h("h2", "Who holds what", id="layout"), *_grids(here, op, target)]
    known = [here.claim(item) for item in dict.fromkeys(facts["claims"]) if item in here.content.register.claims]
    parts += [h("h2", "Claims", id="claims"), h("ul", *[h("li", *rich(claim.title), " ", card.see(here, claim)) for claim in known])]
    return h("div", *parts, class_="cdna-instruction")


def _answer(op):
    product = f"{op.m} x {op.k} times {op.k} x {op.n}"
    text = f"{'Sparse: keeps two of four values of A. ' if op.sparse else ''}Multiplies {product}"
    text += f", {op.blocks} blocks side by side" if op.blocks > 1 else ""
    text += f", A {op.a_type}, B {op.b_type}, and adds {'D' if op.sparse else 'C'} of {op.d_type}"
    text += ", with a scale byte for 32 values along K" if op.scaled else ""
    return text + f". On {' and '.join(op.targets)}" + (" only." if len(op.targets) == 1 else ".")


def example(op):
    """Return one line of assembly of an instruction, its operands side by side from v0, C in the registers of D."""
    at, words = 0, []
    for matrix in ("D", "A", "B", *(("index",) if op.sparse else ()), *(("scale_a", "scale_b") if op.scaled else ())):
        count = opcodes.registers(op, matrix)
        at += at % 2  # tuples begin at an even register
        words.append(f"v[{at}:{at + count - 1}]" if count > 1 else f"v{at}")
        at += count
    if not op.sparse:
        words.insert(3, words[0])
    return f"{op.mnemonic} {', '.join(words)}"


@functools.lru_cache(maxsize=1)
def _encoded():
    """{(mnemonic, target): bytes as hex} as clang encodes the example lines, and clang's name; nothing where it is not here."""
    from cdna_evidence import witnesses

    try:
        clang = witnesses.get("clang")
    except witnesses.Missing:
        return {}, ""
    found = {}
    for target in ("gfx942", "gfx950"):
        ops = opcodes.opcodes(target)
        for op, answer in zip(ops, clang.assemble(target, [example(op) for op in ops]), strict=True):
            if answer.bytes:
                found[op.mnemonic, target] = answer.bytes.hex(" ")
    return found, f"{clang.name} {clang.version}"


def _bytes(op):
    """One line of assembly and the bytes that clang gives it on each target."""
    found, name = _encoded()
    targets = {}
    for target in op.targets:
        if (op.mnemonic, target) in found:
            targets.setdefault(found[op.mnemonic, target], []).append(target)
    if not targets:
        return h("p", h("code", example(op)))
    words = []
    for number, (code, where) in enumerate(targets.items()):
        words += ["; "] * (number > 0) + [h("code", code), " on " + " and ".join(where)]
    return h("p", h("code", example(op)), " is encoded ", *words, f" by {name}.")


def _targets(op):
    rows = []
    for target in ("gfx942", "gfx950"):
        if target not in op.targets:
            rows.append([target, "no", "", "", ""])
            continue
        cycles = opcodes.operations_per_cycle(op, target)
        rows.append([target, "yes", _passes(target, op), str(opcodes.operations(op)), str(cycles) if cycles else "no source"])
    return table(["target", "has it", "passes", "operations", "operations per CU and cycle"], rows, label="targets", class_="cdna-numbers")


def _registers(facts):
    rows = []
    for operand in facts["operands"]:
        count, bits = str(operand["registers"]), str(operand["bits"])
        if "formats" in operand:
            count = ", ".join(f"{item['registers']} ({item['format']})" for item in operand["formats"])
            bits = "by format"
        rows.append([operand["matrix"], f"{operand['rows']} x {operand['columns']}", bits, count])
    return table(["operand", "rows x columns", "bits an element", "registers of a lane"], rows, label="registers")


def _grids(here, op, target):
    shown = ["A", "D"] if op.a_type == op.b_type and not op.sparse else ["A", "B", "D"]
    shown += ["index"] if op.sparse else []
    shown += ["scale_a"] if op.scaled else []
    found = []
    for matrix in shown:
        where = layouts.layout(op.mnemonic, target, matrix)
        _, cells = figures_mfma.runs(where)
        words = figures_mfma.said(where, cells)
        drawn = h("div", here.raw(figures_mfma.grid(here.prefix(), where)), class_="cdna-draw", tabindex="0", role="group", aria_label=words)
        found.append(h("figure", h("p", figures_mfma.heading(where), class_="cdna-panel-title"), drawn, h("figcaption", words), class_="cdna-figure"))
    if "B" not in shown:
        found.append(h("p", "B lies as A does, with columns for rows."))
    if op.a_type == "f8f6f4":
        found.append(h("p", "Drawn for eight-bit operands, as this project reads them; the other position on their K order stands with the claim."))
    return found


def _waits(here, op):
    kinds = [("", "")] if op.a_type != "f8f6f4" else [(", an 8-bit operand", " cbsz:0 blgp:0"), (", no 8-bit operand", " cbsz:4 blgp:4")]
    rows = []
    for suffix, formats in kinds:
        for words, via, then, anchor in AFTER:
            if via == "c-war" and op.sparse:
                continue  # its C is its D, of which another row tells
            rows.append(_row(here, op, "next: " + words + suffix, via, op.mnemonic + formats, (then or op.mnemonic + formats), anchor + formats))
    for words, via, first, anchor in BEFORE:
        rows.append(_row(here, op, "before: " + words, via, first, op.mnemonic, anchor))
    return table(["dependency", "gfx942", "gfx950", "claim"], rows, label="wait states", class_="cdna-numbers")


def _row(here, op, words, via, first, then, anchor):
    cells, claim = [], None
    for target in ("gfx942", "gfx950"):
        if target not in op.targets:
            cells.append("")
            continue
        found = hazards.waits(target, first, then, via)
        claim = found.claim
        place = f"{via}-{anchor}-{target}-{COMPILER}".replace(" ", "-").replace(":", "")
        cells.append(h("a", str(found.states), id=place, href=f"#{place}", class_="cdna-state"))
    known = claim in here.content.register.claims
    return [words, *cells, card.see(here, here.claim(claim)) if known else ""]
