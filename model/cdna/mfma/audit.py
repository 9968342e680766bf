# SPDX-License-Identifier: Apache-2.0
"""Finds every dependency around matrix instructions that has fewer wait states than LLVM 22.1.8 would insert.

Reads assembly or `llvm-objdump -d` text, follows branches and loops, and takes the shortest way between two
instructions. It does not tell what hardware does, follows no call, and looks at no wait counters (`cdna waits check`).
Claims: MFMA-012, MFMA-014, MFMA-015.
"""

from typing import NamedTuple

from cdna.waits.program import operand_registers, read

from . import hazards
from .effects import effect
from .passes import check_target

_LANES = 64
# Longest distance that any rule asks for; older producers are forgotten.
_LONGEST = 20
_RULES = {}
for _rule, _claim, _text in hazards.RULES:
    _RULES[_rule] = (_claim, _text)


class Audit(NamedTuple):
    """dependencies: list of dicts; findings: rule, severity, message, claim, field, line; disputed: other positions;
    program: as read; regions: (first, last) lines of inline assembly."""

    dependencies: tuple
    findings: tuple
    disputed: tuple
    program: object
    regions: tuple


def audit(text, target):
    """Return the Audit of a program.

    Args: text: assembly or disassembly; target: gfx942 or gfx950. Raises: ValueError: unknown target.
    """
    check_target(target)
    program = read(text, _LANES)
    effects = [effect(item, operand_registers(item, program.symbols), target) for item in program.instructions]
    states = _solve(program, effects)
    found = {}
    for number in range(len(program.blocks)):
        if states[number] is not None:
            state, clock = dict(states[number]), 0
            for index in range(program.blocks[number].first, program.blocks[number].last + 1):
                _judge(state, clock, index, effects, target, found)
                _issue(state, clock, index, effects)
                clock += effects[index].states
    regions = asm_regions(text)
    return _report(program, effects, found, regions, target)


def asm_regions(text):
    """Return (first, last) line numbers, from 1, of the inline assembly that a compiler's output marks."""
    regions, start, number = [], None, 0
    for raw in text.split("\n"):
        number += 1
        word = raw.strip().strip(";#/ \t").split(" ")[0]
        if word in ("APP", "ASMSTART"):
            start = number
        elif word in ("NO_APP", "ASMEND") and start is not None:
            regions.append((start, number))
            start = None
    return tuple(regions)


def _solve(program, effects):
    """Return the state before each block: {(class, register): {producer: states since}}, or None if never reached."""
    before = [None] * len(program.blocks)
    work = []
    for entry in program.entries:
        before[entry] = {}
        work.append(entry)
    while work:
        number = work.pop()
        state, clock = dict(before[number]), 0
        for index in range(program.blocks[number].first, program.blocks[number].last + 1):
            _issue(state, clock, index, effects)
            clock += effects[index].states
        after = _aged(state, clock)
        for follower in program.blocks[number].successors:
            merged = _merged(before[follower], after)
            if merged is not None:
                before[follower] = merged
                work.append(follower)
    return before


def _aged(state, clock):
    """Return a state at the end of a block: when a producer was issued becomes how long ago that was."""
    after = {}
    for key in state:
        kept = {}
        for producer in state[key]:
            since = clock + state[key][producer]
            if since < _LONGEST:
                kept[producer] = since
        if kept:
            after[key] = kept
    return after


def _merged(old, new):
    """Return the shortest distances of two states, or None when the second adds nothing to the first."""
    if old is None:
        return new
    result, more = dict(old), False
    for key in new:
        for producer in new[key]:
            since = new[key][producer]
            if key not in result or producer not in result[key] or since < result[key][producer]:
                entry = dict(result.get(key, {}))
                entry[producer] = since
                result[key] = entry
                more = True
    return result if more else None


def _issue(state, clock, index, effects):
    """Enter one instruction. Values are minus the clock after it, so that adding the clock gives the states since."""
    one = effects[index]
    mark = {index: -(clock + one.states)}
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
    """Enter into `found` what the instruction depends on: (producer, consumer, rule) -> via, need, have, registers."""
    two = effects[index]

    def meet(kind, registers, via, need_of):
        for register in registers:
            for producer in state.get((kind, register), {}):
                answer = need_of(effects[producer])
                if answer is not None and answer[0]:
                    since = clock + state[kind, register][producer]
                    _enter(found, (producer, index, answer[1]), via, answer[0], since, register)

    if two.op.kind == "matrix":
        for via, registers in (("ab", two.ab), ("index", two.index), ("scale", two.scale)):
            meet("d", registers, via, lambda one: (_input(target, one), "matrix-input"))
        meet("d", two.c, "c", lambda one: _accumulator(target, one, two))
        meet("vector", two.reads, "read", lambda one: (2, "vector-input"))
        meet("exec", ("",), "exec", lambda one: (4, "exec-input"))
        meet("store", two.writes, "waw", lambda one: (_store(one), "store-data-overwritten"))
        return
    memory = two.op.kind in ("store", "load", "ds")
    vector = two.op.kind in ("valu", "trans", "dot", "fma64", "lane-swap", "valu-exec")
    if not memory and not vector:
        return
    read = hazards.result_memory_read if memory else hazards.result_read
    rule = "result-memory-read" if memory else "result-read"
    meet("d", two.reads, "read", lambda one: (read(target, one.op.family, one.op.passes), rule))
    meet("d", two.writes, "waw", lambda one: (_overwritten(target, one), "result-overwritten"))
    meet("c", two.writes, "c-war", lambda one: (_c_war(one), "accumulator-overwritten"))
    # A dot product reads the result of its own opcode as accumulator without a wait.
    meet("dot", two.ab if two.op.kind == "dot" else two.reads, "read", lambda one: (3, "dot-result"))
    for via, registers in (("read", two.c), ("waw", two.writes)):
        meet("dot", registers, via, lambda one: (0 if one.op.name == two.op.name else 3, "dot-result"))
    if vector:
        meet("store", two.writes, "waw", lambda one: (_store(one), "store-data-overwritten"))
        if two.op.kind != "trans":
            meet("trans", two.reads, "read", lambda one: (1, "trans-result"))
    if two.op.kind == "lane-swap":
        for kind in ("vector", "dot"):
            meet(kind, two.reads, "read", lambda one: (2, "lane-swap"))
        meet("exec", ("",), "exec", lambda one: (4 if one.op.kind == "valu-exec" else 0, "lane-swap"))
    if two.op.kind == "fma64":
        meet("dgemm", ("",), "independent", lambda one: (2, "fma64-after-dgemm"))


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


def _enter(found, key, via, need, since, register):
    if key not in found:
        found[key] = [via, need, since, [register]]
        return
    entry = found[key]
    entry[2] = min(entry[2], since)
    if register and register not in entry[3]:
        entry[3].append(register)


def _report(program, effects, found, regions, target):
    items = program.instructions
    dependencies, findings = [], []
    for key in sorted(found):
        producer, consumer, rule = key
        hidden = _hidden(program, effects, producer, consumer, rule)
        via, need, since, registers = found[key]
        if since >= need:
            continue
        one, two = items[producer], items[consumer]
        claim, about = _RULES[rule]
        inside = [_inside(one.line, regions), _inside(two.line, regions)]
        place = {(True, True): "both", (True, False): "first", (False, True): "then"}.get((inside[0], inside[1]))
        if via == "c":
            via = "exact" if rule == "accumulator-exact" else "partial"
        entry = {
            "first": {"line": one.line, "text": one.text},
            "then": {"line": two.line, "text": two.text},
            "via": via,
            "registers": [name for name in registers if name],
            "needed": need,
            "present": since,
            "missing": need - since,
            "rule": rule,
            "claim": claim,
            "inline_asm": place,
            "hidden": hidden,
        }
        dependencies.append(entry)
        findings.append(_finding(entry, about, need, effects[producer].scalar_offset))
    for one in effects:
        if one.problem:
            line = items[effects.index(one)].line
            findings.append(_note("matrix-unknown", "error", f"line {line}: {one.problem}", "MFMA-061", line))
    for line, text in program.unread:
        findings.append(_note("not-read", "info", f"line {line}: not an instruction this reads: {text}", None, line))
    for index in program.unknown_targets:
        line = items[index].line
        message = f"line {line}: the target of this branch is not in the text, so paths over it are not judged"
        findings.append(_note("branch-unknown", "warning", message, None, line))
    disputed = _disputed(program, effects, target)
    return Audit(tuple(dependencies), tuple(findings), disputed, program, regions)


def _hidden(program, effects, producer, consumer, rule):
    """Say whether a nearer matrix instruction of the same block writes another part of every operand concerned.

    LLVM 22.1.8 stops at that nearer one. Only within one block, where the order of the three is certain.
    """
    if rule not in ("matrix-input", "accumulator-overlap", "accumulator-exact", "result-read", "result-memory-read"):
        return False
    blocks = [block for block in program.blocks if block.first <= producer < consumer <= block.last]
    if not blocks:
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


def _finding(entry, about, need, scalar_offset):
    first, then = entry["first"], entry["then"]
    registers = ", ".join(entry["registers"]) or "EXEC"
    message = (
        f"line {then['line']}: {then['text'].split(' ')[0]} needs {need} wait states after line {first['line']}"
        f" ({first['text'].split(' ')[0]}, {registers}), {entry['present']} are there, {entry['missing']} missing:"
        f" {about}; LLVM 22.1.8 inserts {0 if scalar_offset else need}"
    )
    severity = "error"
    if scalar_offset:
        severity = "warning"
        message += ", later versions 1"
    if need == _LONGEST and entry["missing"] == 1:
        # LLVM 22.1.8 itself looks back 19 states only, so its own output may have this gap.
        severity = "warning"
        message += ", but does not see a producer exactly 19 states back (MFMA-051)"
    if entry["hidden"]:
        severity = "warning"
        message += ", but looks only at the nearest matrix instruction that writes a part of the operand (MFMA-075)"
    if entry["inline_asm"]:
        message += "; inline assembly, which LLVM does not look into (MFMA-012)"
    return _note(entry["rule"], severity, message, entry["claim"], then["line"])


def _note(rule, severity, message, claim, line):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": f"line {line}"}


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


def _inside(line, regions):
    for first, last in regions:
        if first < line < last:
            return True
    return False
