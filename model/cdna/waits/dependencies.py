# SPDX-License-Identifier: Apache-2.0
"""How far apart dependent instructions are on the shortest way: the data flow that the audits of a program share.

A state says for each (kind, register) which instructions produced it and how long ago, in the unit of the audit: wait
states around MFMA, slots of the vector ALU around WMMA. What produces what, and what depends on it, are the rules of
each audit; they are given as two functions. Nothing here knows a target.
"""

from typing import NamedTuple

from cdna.waits.program import said_unexpanded
from cdna.waits.registers import registers_in


class Audit(NamedTuple):
    """dependencies: list of dicts; findings: rule, severity, message, claim, field, line; disputed: other positions;
    program: as read; regions: (first, last) lines of inline assembly."""

    dependencies: tuple
    findings: tuple
    disputed: tuple
    program: object
    regions: tuple

# Instructions, by the first letters, whose first operand is a register in any case.
_RESULT_FIRST = ("v_mov_", "v_mfma", "v_smfm", "v_wmma", "v_swmm")


class Rules(NamedTuple):
    """Rules of one audit.

    credit: for each instruction, how far it moves the clock; longest: distance at which a producer is forgotten;
    enter(state, index, mark): put what an instruction produces into the state, as state[kind, register] = mark;
    judge(state, clock, index, found): meet what an instruction depends on, see `meet`.
    """

    credit: tuple
    longest: int
    enter: object
    judge: object


def unprotected(program, rules):
    """Return all that was met: {(producer, consumer, rule): [via, needed, distance, registers]}, over every way there is."""
    states, found = _solve(program, rules), {}
    for number in range(len(program.blocks)):
        if states[number] is not None:
            _run(program.blocks[number], dict(states[number]), rules, found)
    return found


def meet(found, state, clock, index, dependency):
    """Enter into `found` each producer of some registers that asks for a distance.

    Args: index: the consumer; dependency: (kind, registers, via, ask), where ask(producer) gives (needed, rule).
    """
    kind, registers, via, ask = dependency
    last, entries = None, []
    for register in registers:
        producers = state.get((kind, register))
        if producers is None:
            continue
        if producers is not last:  # registers of one result share their mark, and so the answer
            last, entries = producers, []
            for producer in producers:
                needed, rule = ask(producer)
                if needed:
                    since, key = clock + producers[producer], (producer, index, rule)
                    if key not in found:
                        found[key] = [via, needed, since, []]
                    found[key][2] = min(found[key][2], since)
                    entries.append(found[key][3])
        for names in entries:
            if register not in names:
                names.append(register)


def registers_of(program):
    """Return the registers of each operand of each instruction; operands that are written alike share their list."""
    known, found = {}, []
    for item in program.instructions:
        operands = []
        for text in item.operands:
            if text not in known:
                known[text] = registers_in(text, program.symbols)
            operands.append(known[text])
        found.append(operands)
    return found


def block_at(program, index):
    """Return the block in which an instruction stands."""
    low, high = 0, len(program.blocks) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if program.blocks[middle].first <= index:
            low = middle
        else:
            high = middle - 1
    return program.blocks[low]


def ways_meet(program, producer, consumer):
    """Say whether ways from one instruction to the other meet in front of it, the way round a loop among them.

    A compiler may then look at one alone.
    """
    one, two = block_at(program, producer), block_at(program, consumer)
    if one == two and producer < consumer:
        return False
    start, goal = program.blocks.index(one), program.blocks.index(two)
    before, work = {start: []}, [start]
    while work:
        number = work.pop()
        for follower in program.blocks[number].successors:
            if follower not in before:
                before[follower] = []
                work.append(follower)
            before[follower].append(number)
    seen, work = {start: True, goal: True}, [goal]
    while work:
        entries = before[work.pop()]
        if len(entries) > 1:
            return True
        for number in entries:
            if number not in seen:
                seen[number] = True
                work.append(number)
    return False


def asm_regions(text):
    """Return (first, last) line numbers, from 1, of the inline assembly that a compiler's output marks."""
    regions, start, number = [], None, 0
    for raw in text.split("\n"):
        number += 1
        if "AP" not in raw and "ASM" not in raw:
            continue
        word = raw.strip().strip(";#/ \t").split(" ")[0]
        if word in ("APP", "ASMSTART"):
            start = number
        elif word in ("NO_APP", "ASMEND") and start is not None:
            regions.append((start, number))
            start = None
    return tuple(regions)


def dependency(items, regions, key, met, unit):
    """Return one dependency with too little between as a dict of the command's answer.

    Args: items: instructions; key, met: of `unprotected`; unit: what is counted.
    """
    one, two = items[key[0]], items[key[1]]
    via, needed, present, registers = met
    first, then = _inside(one.line, regions), _inside(two.line, regions)
    return {
        "first": {"line": one.line, "text": one.text},
        "then": {"line": two.line, "text": two.text},
        "via": via,
        "registers": [name for name in registers if name],
        "needed": needed,
        "present": present,
        "missing": needed - present,
        "unit": unit,
        "rule": key[2],
        "inline_asm": ("both" if then else "first") if first else "then" if then else None,
    }


def note(rule, severity, message, claim, line):
    """Return a finding of an audit."""
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": "line " + str(line)}


def unreadable(program, registers):
    """Return the numbers of the instructions with an operand whose register could not be read: cut off, or an unknown symbol.

    Args: registers: see registers_of.
    """
    found = []
    for item in program.instructions:
        named = registers[item.index]
        lost = item.mnemonic[:6] in _RESULT_FIRST and named and not named[0] and item.operands[0].lower() != "null"
        if lost or [name for names in named for name in names if name[:1] == "?"]:
            found.append(item.index)
    return found


def reading_notes(program):
    """Return the findings that tell what of the text could not be read or followed."""
    found = []
    unclear = [program.instructions[index] for index in unreadable(program, registers_of(program))]
    if unclear:
        line, name = unclear[0].line, unclear[0].mnemonic
        message = f"line {line}: a register of {name} is not readable ({len(unclear)} such line{'s'[: len(unclear) - 1]})"
        found.append(note("register-not-known", "warning", message + ": nothing is said about it", None, line))
    for line, text in program.unread:
        found.append(note("not-read", "info", f"line {line}: not an instruction this reads: {text}", None, line))
    message, line = said_unexpanded(program)
    if message:
        found.append(note("not-expanded", "warning", message, None, line))
    for index in program.unknown_targets:
        line = program.instructions[index].line
        message = f"line {line}: the target of this branch is not in the text, so paths over it are not judged"
        found.append(note("branch-unknown", "warning", message, None, line))
    return found


def _solve(program, rules):
    """Return the state before each block: {(kind, register): {producer: distance}}, or None if never reached."""
    before, waiting, work = [None] * len(program.blocks), {}, []
    for entry in program.entries:
        before[entry] = {}
        waiting[entry] = True
        work.append(entry)
    while work:
        number = work.pop()
        waiting.pop(number)
        state = dict(before[number])
        after = _aged(state, _run(program.blocks[number], state, rules, None), rules.longest)
        for follower in program.blocks[number].successors:
            merged = _merged(before[follower], after)
            if merged is not None:
                before[follower] = merged
                if follower not in waiting:
                    waiting[follower] = True
                    work.append(follower)
    return before


def _run(block, state, rules, found):
    """Go through a block; return the clock at its end. A value in the state, plus the clock, is the distance."""
    clock = 0
    for index in range(block.first, block.last + 1):
        if found is not None:
            rules.judge(state, clock, index, found)
        clock += rules.credit[index]
        rules.enter(state, index, {index: -clock})
    return clock


def _aged(state, clock, longest):
    """Return a state at the end of a block: when a producer was issued becomes how long ago that was."""
    after, aged = {}, {}
    for key in state:
        mark = state[key]
        if len(mark) == 1:
            # Most registers have one producer, and its registers share the mark.
            for producer in mark:
                since = clock + mark[producer]
            if since < longest:
                if (producer, since) not in aged:
                    aged[producer, since] = {producer: since}
                after[key] = aged[producer, since]
            continue
        kept = {}
        for producer in mark:
            since = clock + mark[producer]
            if since < longest:
                kept[producer] = since
        if kept:
            after[key] = kept
    return after


def _merged(old, new):
    """Return the shortest distances of two states, or None when the second adds nothing to the first."""
    if old is None:
        return new
    result = None
    for key in new:
        mark, had = new[key], old.get(key)
        if had is mark or had == mark:
            continue
        entry = None
        for producer in mark:
            since = mark[producer]
            if had is None or producer not in had or since < had[producer]:
                if entry is None:
                    entry = dict(had) if had else {}
                entry[producer] = since
        if entry is not None:
            if result is None:
                result = dict(old)
            result[key] = entry
    return result


def _inside(line, regions):
    for first, last in regions:
        if first < line < last:
            return True
    return False
