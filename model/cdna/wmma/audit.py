# SPDX-License-Identifier: Apache-2.0
"""Finds every dependency around matrix instructions of gfx1250 with fewer slots than LLVM 22.1.8 would leave.

Reads assembly or `llvm-objdump -d` text, follows branches and loops, takes the shortest way between two instructions,
and follows `s_set_vgpr_msb`. A slot is a V_NOP or another vector ALU instruction. It does not tell what hardware does,
follows no call, and looks at no wait counters (`cdna waits check`).
Claims: WMMA-070, WMMA-071, WMMA-072, WMMA-073, WMMA-074, LANE-065.
"""

from cdna.waits import dependencies
from cdna.waits.dependencies import Audit, Rules, asm_regions, block_at, meet, note, ways_meet
from cdna.waits.high_registers import high_registers
from cdna.waits.program import read

from . import hazards
from .effects import effect, formats_of

_LANES = 32
_UNIT = "slots"
# Longest distance that a rule asks for, twice: V_NOPs in front of the consumer may stand for a nearer producer.
_LONGEST = 18
_BESIDE = ("matrix-input", "result-read", "result-overwritten", "input-overwritten")
_ONE_FIRST = ("matrix-input", "slow-input", "older-form", "trans-result")
# What LLVM puts between V_NOPs and their instruction later on.
_AFTERWARDS = ("s_set_vgpr_msb", "s_delay_alu")
_REUSE = ("matrix_a_reuse", "matrix_b_reuse")
_AFTER_CMPX = "permlane-after-cmpx"
_OWN_SEARCH = ("other-units", "accumulator-overwritten", "load-over-input")
# In this order LLVM 22.1.8 looks for a producer, and takes the first class that has one. Claims: WMMA-073.
_CLASSES = ("dense 8", "dense 16", "sparse 8", "sparse 16")


def audit(text):
    """Return the Audit of a gfx1250 program. Args: text: assembly or disassembly."""
    program = read(text, _LANES)
    registers, unknown = high_registers(program, dependencies.registers_of(program))
    known = {}
    effects = [effect(item, registers[item.index], known) for item in program.instructions]

    def enter(state, index, mark):
        _enter(state, effects[index], mark)

    classes = _classes(effects)

    def judge(state, clock, index, found):
        _judge(state, clock, index, effects, (found, classes, program))

    rules = Rules(tuple([one.slots for one in effects]), _LONGEST, enter, judge)
    found = dependencies.unprotected(program, rules)
    return _report(program, effects, found, asm_regions(text), unknown)


def _classes(effects):
    """Return the names of the classes of producers that a program has."""
    names = {}
    for one in effects:
        if one.group:
            names[one.group] = True
    return sorted(names)


def _enter(state, one, mark):
    """Enter what one instruction produces, by class: one of a slower class is felt for longer than a later one."""
    if one.op.kind == "matrix":
        result, inputs = "d " + one.group, "ab " + one.group
        for register in one.writes:
            state[result, register] = mark
        for register in one.ab + one.index:
            state[inputs, register] = mark
        if one.c != one.writes:
            for register in one.c:
                state["c", register] = mark
    elif one.op.kind == "trans":
        for register in one.writes:
            state["trans", register] = mark
        for register in one.reads:
            state["trans in", register] = mark
    elif one.op.name[:6] == "v_cmpx":
        state["exec", "exec_lo"] = mark


def _judge(state, clock, index, effects, into):
    """Enter into `found` what the instruction depends on. Args: into: found, names of classes, the program."""
    two, (found, classes, program) = effects[index], into

    def ask(kind, registers, via, answer):
        meet(found, state, clock, index, (kind, registers, via, lambda producer: answer(effects[producer].op)))

    def every(head, registers, via, answer):
        for name in classes if registers else ():
            ask(head + name, registers, via, answer)

    kind, results = two.op.kind, two.writes + two.unseen
    if kind == "matrix":
        for via, registers in (("ab", two.ab), ("index", two.index)):
            every("d ", registers, via, lambda op: _input(op, two.op))
    elif kind in ("valu", "trans"):
        said = "other-units" if kind == "trans" else ""
        every("d ", two.reads, "read", lambda op: (hazards.vector_use(op), said or "result-read"))
        every("d ", results, "waw", lambda op: (hazards.vector_use(op), said or "result-overwritten"))
        every("ab ", results, "ab-war", lambda op: (hazards.vector_use(op), said or "input-overwritten"))
        if kind == "valu":
            ask("c", results, "c-war", lambda op: (_apart(op), "accumulator-overwritten"))
    elif kind == "ds":  # of other loads WMMA-068 says nothing
        every("ab ", two.writes, "ab-war", lambda op: (hazards.vector_use(op), "load-over-input"))
    if kind in ("matrix", "valu"):
        ask("trans", two.reads, "read", lambda op: (1, "trans-result"))
        ask("trans in", results, "war", lambda op: (1, "trans-result"))
    if two.op.name[:10] == "v_permlane":
        # A V_NOP in front earns nothing here. Claims: LANE-065.
        slots = 1 + _nops_before(program, index)
        ask("exec", ("exec_lo",), "exec", lambda op: (slots, _AFTER_CMPX))


def _input(op, reader):
    """Return (slots, rule) before a matrix instruction may read a result as A, B or index."""
    if "older" in (op.family, reader.family):
        return 1, "older-form"
    if "f32" in (op.family, reader.family):
        return 1, "slow-input"
    return hazards.matrix_input(op), "matrix-input"


def _apart(op):
    """Return the slots that an open report asks for before C is overwritten, where C is not the result. Claims: WMMA-055."""
    return hazards.vector_use(op) if op.name == "v_wmma_bf16f32_16x16x32_bf16" else 0


def _report(program, effects, found, regions, unknown):
    items = program.instructions
    unprotected, findings, disputed, classes, known = [], [], [], _first_classes(program, effects, found), {}
    for key in sorted(found):
        needed, present = found[key][1], found[key][2]
        if present >= needed:
            continue
        producer, consumer, rule = key
        lines = {"first_line": items[producer].line, "then_line": items[consumer].line}
        if rule == "load-over-input":
            disputed.append(_position("WMMA-068", "kept-apart", needed - present, lines))
            continue
        if rule == "accumulator-overwritten":
            disputed.append(_position("WMMA-055", "no-slots", 0, lines))
        entry = dependencies.dependency(items, regions, key, found[key], _UNIT)
        entry["claim"] = [claim for name, claim, _ in hazards.RULES if name == rule][0]
        why = _unseen(effects, key, found[key], classes)
        entry["hidden"] = bool(why)
        meeting = not why and rule != _AFTER_CMPX and ways_meet(program, producer, consumer)
        unprotected.append(entry)
        others = _other_positions(items[producer], entry, lines, known) if effects[producer].op.kind == "matrix" else []
        if rule == _AFTER_CMPX and present:
            others.append(_position("LANE-065", "guide", 0, lines))
        findings.append(_finding(entry, why, meeting, [other for other in others if not other["result"]["missing"]]))
        disputed += others
    for index in range(len(effects)):
        line = items[index].line
        if effects[index].problem:
            findings.append(note("matrix-unknown", "error", f"line {line}: {effects[index].problem}", "WMMA-058", line))
        elif items[index].mnemonic[:6] in ("v_mfma", "v_smfm"):
            message = f"line {line}: {items[index].mnemonic} is not on gfx1250; for gfx942 and gfx950 name that target"
            findings.append(note("matrix-unknown", "error", message, "WMMA-002", line))
        elif effects[index].op.family == "older":
            message = f"line {line}: {items[index].mnemonic} is a form of gfx12: LLVM 22.1.8 assembles and never selects it here, and"
            message += " the manual does not list it; its slots are no advice, take the product with the long K"
            findings.append(note("matrix-older", "warning", message, "WMMA-075", line))
    for index in unknown:
        line = items[index].line
        message = (
            f"line {line}: which group of 256 vector registers this instruction means is not known (s_set_vgpr_msb"
        )
        message += " differs between ways here, or the mode register was written); it is judged for each that it may be"
        findings.append(note("register-unknown", "warning", message, "VGPR-002", line))
    findings += _reuse_notes(program)
    findings += dependencies.reading_notes(program)
    return Audit(tuple(unprotected), tuple(findings), tuple(disputed), program, regions)


def _first_classes(program, effects, found):
    """Return {consumer: class} that LLVM's search takes before it puts V_NOPs in front of the consumer.

    The one slot for a producer directly in front is put there first, and counts in that search.
    """
    seen, classes, started = {}, {}, {}
    for key in found:
        producer, consumer, rule = key
        via, needed, present, registers = found[key]
        if rule in _OWN_SEARCH or _blind(effects[consumer], via, registers):
            continue
        nops = _nops_before(program, consumer)
        if present == nops and rule in _ONE_FIRST:
            started[consumer] = 1
        if rule in _BESIDE:
            seen[key] = present - nops
    for key in seen:
        producer, consumer, _ = key
        if seen[key] + started.get(consumer, 0) < found[key][1]:
            place = _CLASSES.index(effects[producer].group)
            classes[consumer] = min(place, classes.get(consumer, place))
    return classes


def _nops_before(program, index):
    """Return the number of V_NOPs directly in front of an instruction, within its block."""
    count, first = 0, block_at(program, index).first
    while index > first:
        index -= 1
        name = program.instructions[index].mnemonic
        if name == "v_nop":
            count += 1
        elif name not in _AFTERWARDS:
            break
    return count


def _blind(two, via, registers):
    """Say whether the registers concerned are results at which LLVM 22.1.8 does not look."""
    if via not in ("waw", "ab-war", "war"):
        return False
    for name in registers:
        if name in two.writes:
            return False
    return True


def _unseen(effects, key, met, classes):
    """Return why LLVM 22.1.8 itself leaves fewer slots here, or an empty text."""
    producer, consumer, rule = key
    two = effects[consumer]
    if rule == "accumulator-overwritten":
        return "leaves none; an open report shows a wrong product (WMMA-055)"
    if rule == "other-units":
        return "does not look at transcendental instructions, later versions do (WMMA-078)"
    if _blind(two, met[0], met[3]):
        return "does not look at this result of the instruction (WMMA-074)"
    if rule in _BESIDE and classes.get(consumer, 9) < _CLASSES.index(effects[producer].group):
        return "stops at a producer of another class, which asks for less (WMMA-073)"
    return ""


def _finding(entry, why, meeting, enough):
    """Return the finding on a dependency: a warning where a compiler leaves fewer on purpose, an error elsewhere.

    Args: why: why LLVM 22.1.8 leaves fewer, or an empty text; meeting: ways meet in front of the second instruction;
    enough: the positions by which no slot is missing.
    """
    first, then, needed = entry["first"], entry["then"], entry["needed"]
    registers = ", ".join(entry["registers"])
    message = (
        f"line {then['line']}: {then['text'].split(' ')[0]} needs {needed} slot{'' if needed == 1 else 's'} after line"
        f" {first['line']} ({first['text'].split(' ')[0]}, {registers}), {entry['present']}"
        f" {'is' if entry['present'] == 1 else 'are'} there, {entry['missing']} missing: {hazards.about(entry['rule'])}"
    )
    if why:
        message += "; LLVM 22.1.8 " + why
    elif meeting:
        # Compiled code has such places; they are gaps all the same, so this stays an error.
        message += "; where ways of different length meet, LLVM 22.1.8 may look at the longer one alone (WMMA-073)"
    if entry["inline_asm"]:
        message += "; inline assembly, which LLVM does not look into"
    for other in enough:
        message += f"; none is missing by {other['claim']}, position {other['position']}"
    return note(entry["rule"], "warning" if why or enough else "error", message, entry["claim"], then["line"])


def _other_positions(item, entry, lines, known):
    """Return what other sources ask for where a dependency on a product is reported. Claims: WMMA-059, WMMA-060."""
    found, via = [], "ab" if entry["rule"] == "matrix-input" else "read"
    if entry["rule"] not in _BESIDE:
        return found
    formats = formats_of(item.modifiers)
    key = (item.mnemonic, formats[0], formats[1], via)
    if key not in known:
        then = "v_wmma_f32_16x16x32_f16" if via == "ab" else "valu"
        known[key] = hazards.other_positions(item.mnemonic, formats[0], formats[1], via, then)
    for claim, position, slots in known[key]:
        found.append(_position(claim, position, max(0, slots - entry["present"]), lines))
    return found


def _position(claim, position, missing, lines):
    result = {"missing": missing}
    result.update(lines)
    return {"claim": claim, "position": position, "result": result}


def _reuse_notes(program):
    """Return a warning for each reuse flag of which no like instruction stands in front on every way. Claims: GFX-012."""
    found, last = [], None
    for item in program.instructions:
        flags = [word for word in item.modifiers if word in _REUSE]
        if not flags:
            continue
        last = _last_products(program) if last is None else last
        others = [name or "no product" for name in sorted(last[item.index]) if name != item.mnemonic]
        if others:
            message = f"line {item.line}: {flags[0]} behind another instruction ({', '.join(others)}): by the manual it is"
            message += f" allowed behind the same one ({item.mnemonic}) only, and results are undefined otherwise; leave it out"
            found.append(note("reuse-behind-another", "warning", message, "GFX-012", item.line))
    return found


def _last_products(program):
    """Return for each instruction the names of the matrix instructions that may be the last in front; "" for none."""
    before, work = {}, []
    for entry in program.entries:
        before[entry] = {"": True}
        work.append(entry)
    found = [{}] * len(program.instructions)
    while work:
        number = work.pop()
        block, names = program.blocks[number], dict(before[number])
        for index in range(block.first, block.last + 1):
            found[index] = names
            if hazards.is_matrix(program.instructions[index].mnemonic):
                names = {program.instructions[index].mnemonic: True}
        for follower in block.successors:
            known = before.setdefault(follower, {})
            fresh = [name for name in names if name not in known]
            if fresh:
                for name in fresh:
                    known[name] = True
                work.append(follower)
    return found
