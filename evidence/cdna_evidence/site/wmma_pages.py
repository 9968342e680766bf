# SPDX-License-Identifier: Apache-2.0
"""One page for each matrix instruction of gfx1250, found by its mnemonic: what it multiplies, who holds what, what is disputed."""

from cdna.mfma.copy_as import names
from cdna.wmma import describe as described
from cdna.wmma import hazards, layouts, opcodes

from . import card, figures_mfma
from .tree import h, rich, table

FOLDER = "wmma"
TARGET = "gfx1250"
INDEX = "Matrix instructions of gfx1250"
# what follows, how it depends, the second instruction (None: the same again)
AFTER = (
    ("C is exactly D, same instruction", "exact", None),
    ("A or B of a matrix instruction is D", "ab", "v_wmma_f32_16x16x32_f16"),
    ("a vector instruction reads D", "read", "valu"),
    ("a vector instruction overwrites D", "waw", "valu"),
    ("a vector instruction overwrites A or B", "ab-war", "valu"),
)
MEANINGS = {
    "format": "chooses the operand's format",
    "index-set": "chooses the set of positions in the index register",
    "scale-row": "chooses the half of the lanes that gives the scales",
    "scale-format": "chooses the format of the scales",
}


def mnemonics():
    """Return the mnemonics of all instructions, in the order of the model's table."""
    return opcodes.mnemonics()


def page_of(name):
    """Return the source path of an instruction's page."""
    return f"{FOLDER}/{name}.md"


def generated():
    """Return [(source path, Markdown)] of the index and of every instruction's page."""
    found = [(f"{FOLDER}/index.md", f"---\ntitle: {INDEX}\n---\n\n# {INDEX}\n\n::wmma-index\n")]
    for name in mnemonics():
        back = f"[{INDEX}](index.md)"
        found.append((page_of(name), f"---\ntitle: {name}\n---\n\n# `{name}`\n\n{back}\n\n::wmma-instruction {name}\n"))
    return found


def index(here, args):
    """Return the list of all instructions: `::wmma-index`."""
    rows = []
    for op in opcodes.opcodes(TARGET):
        link = h("a", h("code", op.mnemonic), href=here.link(page_of(op.mnemonic)))
        counts = [f"{matrix} {opcodes.registers(op, matrix)}" for matrix in opcodes.matrices(op)]
        rows.append([link, f"{op.m} x {op.n} x {op.k}", f"{op.a_type}, {op.b_type}", op.d_type, ", ".join(counts)])
    head = ["instruction", "M x N x K", "A, B", "D", "registers of a lane"]
    text = f"{len(rows)} instructions of {TARGET}, by mnemonic: what each multiplies, who holds what, and what is disputed."
    return h("div", h("p", h("strong", text)), table(head, rows, label="matrix instructions of gfx1250", class_="cdna-opcodes"))


def instruction(here, args):
    """Return the page of one instruction: `::wmma-instruction MNEMONIC`. Args: args: the mnemonic."""
    op = opcodes.opcode(args.strip())
    facts = described.describe(op.mnemonic)
    parts = [h("p", h("strong", _answer(op))), h("h2", "Registers", id="registers"), _registers(facts)]
    if facts["modifiers"]:
        lines = [h("li", h("code", field), ": " + MEANINGS[meaning]) for field, meaning in facts["modifiers"].items()]
        parts += [h("h2", "Modifiers", id="modifiers"), h("ul", *lines)]
    parts += [h("h2", "Who holds what", id="layout"), *_grids(here, op)]
    parts += _waits(op)
    known = [here.claim(item) for item in dict.fromkeys(facts["claims"]) if item in here.content.register.claims]
    parts += [h("h2", "Claims", id="claims"), h("ul", *[h("li", *rich(claim.title), " ", card.see(here, claim)) for claim in known])]
    return h("div", *parts, class_="cdna-instruction")


def _answer(op):
    text = "Sparse: keeps two of four values of A. " if op.sparse else ""
    text += f"Multiplies {op.m} x {op.k} times {op.k} x {op.n}, A {op.a_type}, B {op.b_type}"
    text += f", and adds {'D' if op.sparse else 'C'} of {op.c_type}"
    text += f" to a D of {op.d_type}" if op.d_type != op.c_type else ""
    text += f", with a scale byte for {op.scale_block} values along K" if op.scale_block else ""
    return text + f". On {TARGET} only, in waves of {opcodes.LANES} lanes."


def _registers(facts):
    rows = []
    for operand in facts["operands"]:
        count, bits = str(operand["registers"]), str(operand["bits"])
        if "formats" in operand:
            count = ", ".join(f"{item['registers']} ({item['format']})" for item in operand["formats"])
            bits = "by format"
        rows.append([operand["matrix"], f"{operand['rows']} x {operand['columns']}", bits, count])
    return table(["operand", "rows x columns", "bits an element", "registers of a lane"], rows, label="registers")


def _grids(here, op):
    shown = ["A", "B", "D"] if op.sparse or op.m != op.n else ["A", "D"]
    shown += ["index"] if op.sparse else []
    shown += ["scale_a"] if op.scale_block else []
    found = []
    for matrix in shown:
        where = layouts.layout(op.mnemonic, TARGET, matrix)
        _, cells = figures_mfma.runs(where)
        words = figures_mfma.said(where, cells)
        heading = figures_mfma.heading(where).replace("blocks of 32", f"blocks of {op.scale_block}")
        drawn = h("div", here.raw(figures_mfma.grid(here.prefix(), where)), class_="cdna-draw", tabindex="0", role="group", aria_label=words)
        found.append(h("figure", h("p", heading, class_="cdna-panel-title"), drawn, h("figcaption", words), class_="cdna-figure"))
        found += [h("p", *line) for line in _others(here, op, matrix)]
    if "B" not in shown:
        found.append(h("p", "B lies as A does, with columns for rows."))
    if opcodes.chosen(op):
        found.append(h("p", "Drawn for eight-bit operands."))
    return found


def _others(here, op, matrix):
    """Return what is said of an operand whose layout is disputed: one example and the claim."""
    where = layouts.layout(op.mnemonic, TARGET, matrix)
    found = []
    for claim, position, other in layouts.other_positions(where, name=op.mnemonic, target=TARGET, matrix=matrix):
        mine, theirs = layouts.table(where), {row[:3]: row[3:] for row in layouts.table(other)}
        at, place = next((row[:3], row[3:]) for row in mine if row[:3] in theirs and theirs[row[:3]] != row[3:])
        axes = names(where)
        text = f"Disputed: {matrix} at {axes[1]} {at[1]}, {axes[2]} {at[2]} is drawn in {_place(place)}; "
        text += f"under the position {position} it is in {_place(theirs[at])}. "
        known = claim in here.content.register.claims
        found.append([text, card.see(here, here.claim(claim)) if known else claim])
    return found


def _place(place):
    lane, vgpr, low, high = place
    return f"lane {lane}, v{vgpr} bits {low} to {high}"


def _waits(op):
    """Return heading and table of the slots after the instruction; nothing where the rules do not name it."""
    if op.mnemonic not in hazards.names():
        return []
    rows = [[words, str(hazards.waits(op.mnemonic, then or op.mnemonic, via).slots)] for words, via, then in AFTER]
    text = "Slots of the vector ALU, eight-bit operands where the format is chosen. What one compiler inserts, not a need of hardware."
    heading = h("h2", "What LLVM 22.1.8 inserts", id="waits")
    return [heading, table(["next", "slots"], rows, label="slots after it", class_="cdna-numbers"), h("p", text)]
