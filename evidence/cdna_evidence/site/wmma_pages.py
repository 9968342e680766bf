# SPDX-License-Identifier: Apache-2.0
"""One page for each matrix instruction of gfx1250, found by its mnemonic: what it multiplies, who holds what, what is disputed."""

from cdna.mfma.copy_as import names
from cdna.wmma import describe as described
from cdna.wmma import hazards, layouts, manual, opcodes

from . import card, figures_mfma
from .tree import h, joined, rich, table

FOLDER = "wmma"
TARGET = "gfx1250"
INDEX = "WMMA instructions, and the slots after them"
# what follows, how it depends, the second instruction (None: the same again)
AFTER = (
    ("C is exactly D, same instruction", "exact", None),
    ("A or B of a matrix instruction is D", "ab", "v_wmma_f32_16x16x32_f16"),
    ("a vector instruction reads D", "read", "valu"),
    ("a vector instruction overwrites D", "waw", "valu"),
    ("a vector instruction overwrites A or B", "ab-war", "valu"),
)
# formats of A and B that differ in slots, where the instruction chooses them
FORMATS = ((", a side FP8 or BF8", "fp8", "fp4"), (", FP6 or BF6 on a side, none FP8", "fp6", "fp4"), (", FP4 on both sides", "fp4", "fp4"))
# The claims whose checks ask every product of a compiler: those that LLVM selects, and the forms of gfx12.
EVERY, OLDER = "WMMA-076", "WMMA-075"
MANUAL = "GFX-011"
MEANINGS = {
    "format": "chooses the operand's format",
    "index-set": "chooses the set of positions in the index register",
    "scale-row": "chooses the half of the lanes that gives the scales",
    "scale-format": "chooses the format of the scales",
    "sign": "says whether A and B are signed; without it both are unsigned",
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
    rows, selected = [], hazards.names()
    for op in opcodes.opcodes(TARGET):
        link = h("a", h("code", op.mnemonic), href=here.link(page_of(op.mnemonic)))
        counts = [f"{matrix} {opcodes.registers(op, matrix)}" for matrix in opcodes.matrices(op)]
        shape = f"{op.m} x {op.n} x {op.k}"
        # LLVM never selects the forms of gfx12, so its 0 for them is no advice.
        slots = _read_slots(op) if op.mnemonic in selected else h("span", "not selected ", _links(here, [OLDER]))
        rows.append([link, slots, shape, f"{op.a_type}, {op.b_type}", op.d_type, ", ".join(counts)])
    head = ["instruction", "slots before VALU reads D", "M x N x K", "A, B", "D", "registers of a lane"]
    text = f"{len(rows)} instructions of {TARGET}, by mnemonic: what each multiplies, who holds what, and what LLVM puts after it."
    more = "The slots are what LLVM 22.1.8 inserts; an instruction's page has the other dependencies and what is disputed."
    more += " Not selected: a form of gfx12, which this LLVM only assembles and the manual does not list; take the one with the long K."
    return h("div", h("p", h("strong", text), " ", more), table(head, rows, label="matrix instructions of gfx1250", class_="cdna-opcodes"))


def _read_slots(op):
    """The slots before a vector instruction reads D; two numbers where the formats of A and B decide."""
    formats = [item[1:] for item in FORMATS] if opcodes.chosen(op) else [("fp8", "fp8")]
    return " or ".join(dict.fromkeys(str(hazards.waits(op.mnemonic, "valu", "read", *pair).slots) for pair in formats))


def instruction(here, args):
    """Return the page of one instruction: `::wmma-instruction MNEMONIC`. Args: args: the mnemonic."""
    op = opcodes.opcode(args.strip())
    facts = described.describe(op.mnemonic)
    parts = [h("p", h("strong", _answer(op))), h("h2", "What LLVM 22.1.8 inserts", id="waits"), *_waits(here, op)]
    parts += [h("h2", "Registers", id="registers"), _registers(facts)]
    if facts["modifiers"]:
        lines = [h("li", h("code", field), ": " + MEANINGS[meaning]) for field, meaning in facts["modifiers"].items()]
        parts += [h("h2", "Modifiers", id="modifiers"), h("ul", *lines)]
    parts += [h("h2", "Who holds what", id="layout"), *_grids(here, op)]
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


def _waits(here, op):
    """Return the slots after the instruction by the model's rules, and which compilers wrote the same in the last run."""
    rows = []
    for suffix, *formats in FORMATS if opcodes.chosen(op) else (("", "fp8", "fp8"),):
        for words, via, then in AFTER:
            if via == "exact" and not op.sparse and op.c_type != op.d_type:
                continue  # D is narrower than C: no C is exactly this D
            asked = (op.mnemonic, then or op.mnemonic)
            answer = hazards.waits(*asked, via, *formats)
            others = hazards.other_positions(op.mnemonic, *formats, via=via, then=asked[1])
            named = dict.fromkeys([answer.claim, *[claim for claim, _, _ in others]])
            count = [h("strong", str(answer.slots)), "".join(f", or {slots}" for _, _, slots in others) or None]
            guide = manual.asked(*asked, via, *formats)
            rows.append([words + suffix, count, str(guide.slots) if guide else None, _links(here, named)])
    found = [table(["next", "slots", "the guide asks", "claim"], rows, label="slots after it", class_="cdna-numbers", stacked=True)]
    if any("or" in (row[1][1] or "") for row in rows):
        found.append(h("p", "“Or” is what other sources say; the first number is enough for both steppings."))
    if op.scale_block:
        found.append(h("p", "For the block scales the compiler leaves none. ", _links(here, ["WMMA-077"])))
    if not op.sparse and op.c_type != op.d_type:
        words = "C lies apart from D: leave the slots of A and B before a vector instruction overwrites C. "
        found.append(h("p", words, _links(here, ["WMMA-055"])))
    found.append(h("p", *_told(here, op)))
    return found


def _told(here, op):
    """Return the words on what the slots are, and on the compilers that were asked about this instruction in the last run."""
    claim = EVERY if op.mnemonic in hazards.names() else OLDER
    text = "A slot is a vector instruction or a V_NOP. The numbers are the rule of one compiler, not of the hardware"
    if claim == OLDER:
        text = "LLVM 22.1.8 assembles this form, which gfx12 had, and never selects it; the numbers are what its hazard pass would write"
    names = []
    for record in here.content.records(claim):
        if record["outcome"] == "passed" and record["kind"] == "compiler":
            names += [f"{record['witness']} {record['version']}"] if record["witness"] in ("clang", "llc") else []
    if names:
        text += "; " + " and ".join(sorted(set(names))) + " wrote the same in the last run"
    manual = [" What the manual asks for: ", _links(here, [MANUAL]), "."] if MANUAL in here.content.register.claims else []
    return [text + ". ", _links(here, [claim]), *manual]


def _links(here, claims):
    known = [claim for claim in claims if claim in here.content.register.claims]
    return joined([card.see(here, here.claim(claim)) for claim in known], " ")
