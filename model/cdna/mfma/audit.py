# SPDX-License-Identifier: Apache-2.0
"""Finds every dependency between two instructions that has fewer wait states than the rules of LLVM 22.1.8 ask for.

Reads assembly or `llvm-objdump -d` text, follows branches and loops, and takes the shortest way between two
instructions. The rules are those of hazards.RULES, around matrix instructions and of the pairs of vector_pairs. It does
not tell what hardware does, follows no call, and looks at no wait counters (`cdna waits check`).
Claims: MFMA-012, MFMA-014, MFMA-015, MFMA-051, MFMA-075, MFMA-077, MFMA-079, MFMA-081, MFMA-084, WAIT-086.
"""

from cdna.waits import dependencies
from cdna.waits.dependencies import Audit, Rules, asm_regions, block_at, meet, note, ways_meet
from cdna.waits.program import read
from cdna.waits.registers import registers_in

from . import hazards, vector_pairs
from .effects import effect
from .passes import check_target

_LANES = 64
_UNIT = "wait states"
# Instructions, by the first word, whose last operand is a carry-in or a mask: one bit for each lane.
_CARRIES = ("v_addc", "v_subb", "v_subbrev", "v_cndmask")
# Longest distance that any rule asks for; older producers are forgotten.
_LONGEST = 20
# Not a rule of LLVM: a warning where the target's guide asks for more (MFMA-081, MFMA-084, WAIT-086).
GUIDE = "guide-asks-more"
_RULES = {}
for _rule, _claim, _text in hazards.RULES:
    _RULES[_rule] = (_claim, _text)


def audit(text, target):
    """Return the Audit of a program.

    Args: text: assembly or disassembly; target: gfx942 or gfx950. Raises: ValueError: unknown target.
    """
    check_target(target)
    program = read(text, _LANES)
    registers, known = dependencies.registers_of(program), {}
    effects = [effect(item, registers[item.index], target, known) for item in program.instructions]

    def enter(state, index, mark):
        _enter(state, effects[index], mark)

    def judge(state, clock, index, found):
        _judge(state, clock, index, effects, target, found)

    rules = Rules(tuple([one.states for one in effects]), _LONGEST, enter, judge)
    found = dependencies.unprotected(program, rules)
    return _report(program, effects, found, asm_regions(text), target)


def _enter(state, one, mark):
    """Enter what one instruction produces."""
    vector_pairs.enter(state, one, mark)
    if one.op.kind == "matrix":
        for register in one.writes:
            state["d", register] = mark
        if one.op.family == "XDL":
            for register in one.c:
                state["c", register] = mark
        if one.op.family == "DGEMM":
            state["dgemm", ""] = mark
        return
    if one.store_data:
        for register in one.store_data:
            state["store", register] = mark
    if one.exec_by == "vector":
        state["exec", ""] = mark
    if one.op.kind in ("valu", "trans", "dot", "fma64", "lane-swap", "valu-exec"):
        kind = {"dot": "dot", "trans": "trans"}.get(one.op.kind, "vector")
        for register in one.writes:
            state[kind, register] = mark
            if kind == "trans":
                state["vector", register] = mark


def _judge(state, clock, index, effects, target, found):
    """Enter into `found` what the instruction depends on."""
    two = effects[index]

    def ask(kind, registers, via, answer):
        meet(found, state, clock, index, (kind, registers, via, lambda producer: answer(effects[producer])))

    def guide(kind, registers, via):
        ask(kind, registers, via, lambda one: (_guide(target, one, two, via), GUIDE))

    vector_pairs.judge(ask, two)
    if two.op.kind == "matrix":
        guide("d", two.c, "partial")
        for via, registers in (("ab", two.ab), ("index", two.index), ("scale", two.scale)):
            ask("d", registers, via, lambda one: (_input(target, one), "matrix-input"))
        ask("d", two.c, "c", lambda one: _accumulator(target, one, two))
        ask("vector", two.reads, "read", lambda one: (2, "vector-input"))
        ask("exec", ("",), "exec", lambda one: (4, "exec-input"))
        ask("store", two.writes, "waw", lambda one: (_store(one), "store-data-overwritten"))
        return
    memory = two.op.kind in ("store", "load", "ds")
    vector = two.op.kind in ("valu", "trans", "dot", "fma64", "lane-swap", "valu-exec")
    if not memory and not vector:
        return
    read = hazards.result_memory_read if memory else hazards.result_read
    rule = "result-memory-read" if memory else "result-read"
    ask("d", two.reads, "read", lambda one: (read(target, one.op.family, one.op.passes), rule))
    ask("d", two.writes, "waw", lambda one: (_overwritten(target, one), "result-overwritten"))
    guide("d", two.writes, "waw")
    guide("store", two.writes, "waw")
    ask("c", two.writes, "c-war", lambda one: (_c_war(one), "accumulator-overwritten"))
    # A dot product reads the result of its own opcode as accumulator without a wait.
    ask("dot", two.ab if two.op.kind == "dot" else two.reads, "read", lambda one: (3, "dot-result"))
    for via, registers in (("read", two.c), ("waw", two.writes)):
        ask("dot", registers, via, lambda one: (0 if one.op.name == two.op.name else 3, "dot-result"))
    if vector:
        ask("store", two.writes, "waw", lambda one: (_store(one), "store-data-overwritten"))
    if two.side.copy or (vector and two.op.kind != "trans"):
        ask("trans", two.reads, "read", lambda one: (1, "trans-result"))
    if two.op.kind == "lane-swap":
        for kind in ("vector", "dot"):
            ask(kind, two.reads, "read", lambda one: (2, "lane-swap"))
        ask("exec", ("",), "exec", lambda one: (4 if one.op.name[:5] == "v_cmp" else 0, "lane-swap"))
    if two.op.kind == "fma64":
        ask("dgemm", ("",), "independent", lambda one: (2, "fma64-after-dgemm"))


def _guide(target, one, two, via):
    """Return the states of a guide that asks for more than LLVM inserts, or 0."""
    if via == "partial" and one.writes == two.c:
        return 0
    asked = hazards.guide_asks_of(target, one.op, two.op, via)
    return asked.states if asked else 0


def _store(one):
    return 1 if one.scalar_offset else 2


def _input(target, one):
    return hazards.matrix_input(target, one.op.family, one.op.passes)


def _overwritten(target, one):
    return hazards.result_overwritten(target, one.op.family, one.op.passes)


def _c_war(one):
    return hazards.accumulator_overwritten(one.op.family, one.op.passes)


def _accumulator(target, one, two):
    if one.writes == two.c:
        states = hazards.accumulator_exact(one.op, two.op)
        return states, "accumulator-exact"
    return hazards.accumulator_overlap(target, one.op.family, one.op.passes, two.op.family), "accumulator-overlap"


def _report(program, effects, found, regions, target):
    items = program.instructions
    unprotected, findings = [], []
    for key in sorted(found):
        met = found[key]
        if met[2] >= met[1]:
            continue
        producer, consumer, rule = key
        if rule == GUIDE:
            asked = hazards.guide_asks_of(target, effects[producer].op, effects[consumer].op, met[0])
            findings.append(_asked(asked, items[producer], items[consumer], met[2]))
            continue
        claim, about = _RULES[rule]
        if met[0] == "c":
            met[0] = "exact" if rule == "accumulator-exact" else "partial"
        entry = dependencies.dependency(items, regions, key, met, _UNIT)
        entry["claim"] = claim
        entry["hidden"] = _hidden(program, effects, producer, consumer, rule)
        unprotected.append(entry)
        found_here = _finding(entry, about, effects[producer].scalar_offset, ways_meet(program, producer, consumer))
        spared = _spared(items[producer], items[consumer], entry, program)
        if spared:
            found_here = dict(found_here, severity="warning", message=found_here["message"] + spared)
        findings.append(found_here)
    for index in range(len(effects)):
        if effects[index].problem:
            line = items[index].line
            findings.append(note("matrix-unknown", "error", f"line {line}: {effects[index].problem}", "MFMA-061", line))
    findings += dependencies.reading_notes(program)
    disputed = _disputed(program, effects, target)
    return Audit(tuple(unprotected), tuple(findings), disputed, program, regions)


def _asked(asked, first, then, present):
    """The finding where LLVM's own states are there and those that a guide asks for are not."""
    message = (
        f"line {then.line}: {then.mnemonic} comes {present} wait state{'s' * (present != 1)} after line {first.line} ({first.mnemonic}):"
        f" the {asked.guide} guide asks for {asked.states}, LLVM 22.1.8 inserts fewer; leave {asked.states}"
    )
    return note(GUIDE, "warning", message, asked.claim, then.line)


def _spared(first, then, entry, program):
    """Return why the guides of both targets ask for no wait state where LLVM inserts some, or "". Claims: MFMA-076."""
    if entry["rule"] != "vector-pair":
        return ""
    mask = registers_in(then.operands[-1], program.symbols) if then.operands else []
    if then.mnemonic[: then.mnemonic.find("_", 2)] in _CARRIES and not [one for one in entry["registers"] if one not in mask]:
        return "; the guides ask for none before a carry-in, and AMD's own kernels leave none before a mask"
    if [word for word in first.modifiers if word in ("dst_sel:word_0", "dst_sel:byte_0")]:
        return "; the guides ask for it where a result changes its place in the register, which this one does not"
    return ""


def _hidden(program, effects, producer, consumer, rule):
    """Say whether a nearer matrix instruction of the same block writes another part of every operand concerned.

    LLVM 22.1.8 stops at that nearer one. Only within one block, where the order of the three is certain.
    """
    if rule not in ("matrix-input", "accumulator-overlap", "accumulator-exact", "result-read", "result-memory-read"):
        return False
    if not producer < consumer <= block_at(program, producer).last:
        return False
    concerned = []
    for number, operand in enumerate(effects[consumer].operands):
        if number == 0 and not _reads_first(effects[consumer]):
            continue
        if _share(operand, effects[producer].writes):
            concerned.append(operand)
    for operand in concerned:
        between = [effects[index] for index in range(producer + 1, consumer)]
        if not [one for one in between if one.op.kind == "matrix" and _share(one.writes, operand)]:
            return False
    return bool(concerned)


def _reads_first(one):
    """Say whether an instruction reads its first operand."""
    if one.op.kind == "matrix":
        return one.c == one.operands[0] and bool(one.index)
    return bool(one.operands) and bool(one.operands[0]) and _share(one.operands[0], one.reads)


def _share(some, others):
    for name in some:
        if name in others:
            return True
    return False


def _finding(entry, about, scalar_offset, ways_meet):
    first, then, need = entry["first"], entry["then"], entry["needed"]
    registers = "".join([", " + name for name in entry["registers"]])
    if not registers and entry["rule"] != "fma64-after-dgemm":  # that one follows whatever the registers are
        registers = ", EXEC"
    message = (
        f"line {then['line']}: {then['text'].split(' ')[0]} needs {need} wait state{'s' * (need != 1)} after line {first['line']}"
        f" ({first['text'].split(' ')[0]}{registers}), {entry['present']} {'is' if entry['present'] == 1 else 'are'} there, {entry['missing']} missing:"
        f" {about}; LLVM 22.1.8 inserts {0 if scalar_offset else need}"
    )
    severity = "error"
    if scalar_offset:
        severity = "warning"
        message += ", later versions 1"
    elif ways_meet:
        # Compiled code has such places; they are gaps all the same, so this stays an error.
        message += ", but where ways of different length meet it may look at the longer one alone (MFMA-077)"
    if need == _LONGEST and entry["missing"] == 1:
        # LLVM 22.1.8 itself looks back 19 states only, so its own output may have this gap.
        severity = "warning"
        message += ", but does not see a producer exactly 19 states back (MFMA-051)"
    if entry["hidden"]:
        severity = "warning"
        message += ", but looks only at the nearest matrix instruction that writes a part of the operand (MFMA-075)"
    if entry["inline_asm"]:
        message += "; inline assembly, which LLVM does not look into (MFMA-012)"
    return note(entry["rule"], severity, message, entry["claim"], then["line"])


def _disputed(program, effects, target):
    """Return what the other position on chains of different opcodes would ask for, within straight-line code."""
    found = []
    for block in program.blocks:
        last, clock = {}, 0
        for index in range(block.first, block.last + 1):
            two = effects[index]
            if two.op.kind == "matrix":
                if two.c and two.c in last:
                    producer, since = last[two.c]
                    one = effects[producer]
                    need = hazards.accumulator_overlap(target, one.op.family, one.op.passes, two.op.family)
                    if one.op.name != two.op.name and clock - since < need:
                        lines = [program.instructions[producer].line, program.instructions[index].line]
                        result = {"first_line": lines[0], "then_line": lines[1], "missing": need - (clock - since)}
                        found.append({"claim": "MFMA-020", "position": "like-partial-overlap", "result": result})
                last[two.writes] = (index, clock + two.states)
            clock += two.states
    return tuple(found)
