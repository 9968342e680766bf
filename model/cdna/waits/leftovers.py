# SPDX-License-Identifier: Apache-2.0
"""What is left to say at the end: results that nothing reads, jumps and lines that could not be followed."""

from cdna.waits.dependencies import unreadable
from cdna.waits.events import UNKNOWN
from cdna.waits.high_registers import mode_write, not_known
from cdna.waits.names import known_compute, known_memory
from cdna.waits.program import said_unexpanded
from cdna.waits.texts import finding_of


def left_over(program, facts, whole):
    """Return findings on loads without a reader, jumps out of the text, and lines that were not read.

    Args: program: a Program; facts: see finder.facts_of; whole: True when nothing runs after the program: only then is a
      result without a reader of no use.
    """
    found = []
    unused = _never_read(program, facts) if whole else []
    if unused:
        found.append(finding_of("never-read", "info", facts, unused[0], None, {"producers": unused}))
    for index in program.unknown_targets:
        found.append(finding_of("branch-not-followed", "warning", facts, index, None, {}))
    found.extend(_unread_registers(program, facts))
    if facts["modes"]:
        found.extend(_high(program, facts))
        found.extend(_expert(program, facts))
    found.extend(_unknown_names(program, facts))
    message, line = said_unexpanded(program)
    if message:
        note = {"rule": "not-expanded", "severity": "warning", "message": message, "claim": None}
        found.append(dict(note, field=f"line {line}", line=line))
    unread = list(program.unread)
    for item in program.instructions:
        if facts["effects"][item.index].what == UNKNOWN:
            unread.append((item.line, item.text))
    if unread:
        line, text = sorted(unread)[0]
        message = f"line {line}: {text[:60]!r} was not read as an instruction ({len(unread)} such lines): nothing is said about it"
        found.append(
            {
                "rule": "not-read",
                "severity": "warning",
                "message": message,
                "claim": None,
                "field": f"line {line}",
                "line": line,
            }
        )
    return found


def _unknown_names(program, facts):
    """Return findings on names that are not known: one for each memory name, one for all v_ and s_ names, which are taken as compute."""
    return _unknown_memory(program, facts) + _unknown_compute(program)


def _unknown_memory(program, facts):
    places = {}
    for item in program.instructions:
        if not known_memory(item.mnemonic) and facts["effects"][item.index].what != UNKNOWN:
            places.setdefault(item.mnemonic, []).append(item.index)
    found = []
    for name in sorted(places):
        first = places[name][0]
        line, what = program.instructions[first].line, facts["effects"][first].what
        message = f"line {line}: {name} is not known here ({len(places[name])} such line{'s' if len(places[name]) > 1 else ''}), taken as {what}: is the name right?"
        note = {"rule": "name-not-known", "severity": "warning", "message": message, "claim": None}
        found.append(dict(note, field=f"line {line}", line=line))
    return found


def _unknown_compute(program):
    waits = "s_wait"  # an unknown one is an error of its own
    strange = [item for item in program.instructions if not known_compute(item.mnemonic) and item.mnemonic[:6] != waits]
    if not strange:
        return []
    first = strange[0]
    message = f"line {first.line}: {first.mnemonic} is not known here ({len(strange)} such lines), taken as compute: it raises no counter"
    note = {"rule": "name-not-known", "severity": "info", "message": message, "claim": None}
    return [dict(note, field=f"line {first.line}", line=first.line)]


def _unread_registers(program, facts):
    """Return one finding on operands whose register could not be read: cut off, or with a symbol that the text does not define."""
    lost = [item.index for item in program.instructions if _result_lost(item, facts)]
    unclear = sorted(set(unreadable(program, facts["registers"]) + lost))
    if not unclear:
        return []
    more = {"kind": "text", "producers": unclear}
    return [finding_of("register-not-known", "warning", facts, unclear[0], None, more)]


def _result_lost(item, facts):
    """Return True where the first operand should be a register that receives a result, and none can be read in it."""
    effect, registers = facts["effects"][item.index], facts["registers"][item.index]
    if not registers or registers[0] or item.operands[0].lower() in ("null", "off"):
        return False
    return effect.what[-5:] == " load" or effect.what[-13:] == "with a result"


def _expert(program, facts):
    """Say once that expert scheduling mode is switched on: its waits are not judged here."""
    for item in program.instructions:
        text = item.operands[0].lower() if item.operands else ""
        if item.mnemonic == "s_setreg_imm32_b32" and "sched_mode" in text and item.operands[-1] not in ("0", "0x0"):
            return [finding_of("expert-mode", "info", facts, item.index, None, {})]
    return []


def _high(program, facts):
    """Return findings on the setting of the high registers: dropped ones, and the first operand whose group is not known."""
    found, unclear = [], {}
    for item in program.instructions:
        if item.mnemonic == "s_set_vgpr_msb" and item.index and not item.labels:
            before = program.instructions[item.index - 1]
            if mode_write(before) is not None:
                found.append(finding_of("setting-dropped", "error", facts, item.index, item.index - 1, {}))
        why = not_known(item, program.symbols, facts["modes"][item.index])
        if why:
            unclear.setdefault(why, []).append(item.index)
    for why in sorted(unclear):
        more = {"kind": why, "producers": unclear[why]}
        found.append(finding_of("register-not-known", "warning", facts, unclear[why][0], None, more))
    return found


def named(effect, registers):
    """Return all registers that an instruction names or uses without naming.

    Args: effect: its Effect; registers: the registers of each operand.
    """
    names = []
    for name in list(effect.used) + list(effect.written):
        if name not in names:
            names.append(name)
    for operand in registers:
        for name in operand:
            if name not in names:
                names.append(name)
    return names


def _never_read(program, facts):
    reads = []
    for block in program.blocks:
        names = {}
        for index in range(block.first, block.last + 1):
            _reads(facts, index, names)
        reads.append(names)
    after = _read_behind(program, reads)
    unused = []
    for number in range(len(program.blocks)):
        block, names = program.blocks[number], after[number]
        for index in range(block.last, block.first - 1, -1):
            effect = facts["effects"][index]
            if effect.written and effect.written != ("scc",) and "atomic" not in effect.what:
                if not any([name in names for name in effect.written]):
                    unused.append(index)
            _reads(facts, index, names)
    return sorted(unused)


def _read_behind(program, reads):
    """Return for each block the registers that some block which may follow reads, by going round until nothing changes."""
    after = [{} for _ in program.blocks]
    changed = True
    while changed:
        changed = False
        for number in range(len(program.blocks) - 1, -1, -1):
            mine = after[number]
            for follower in program.blocks[number].successors:
                for table in (reads[follower], after[follower]):
                    for name in table:
                        if name not in mine:
                            mine[name] = True
                            changed = True
    return after


def _reads(facts, index, names):
    effect = facts["effects"][index]
    for name in named(effect, facts["registers"][index]):
        if name not in effect.written or name in effect.used:
            names[name] = True
