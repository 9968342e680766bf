# SPDX-License-Identifier: Apache-2.0
"""Finds waits that are missing, that do nothing, or that cannot be, over all paths of a program, loops included.

What it knows: which counter each instruction raises, in what order a class completes, registers by name, barriers, and
the roads into LDS. What it cannot know: addresses. Where the answer hangs on two buffers being the same, the severity
says how sure it is. It takes no credit from elapsed time, and follows no call or computed jump.
"""

from typing import NamedTuple

from cdna.targets import target_named
from cdna.waits.copies import one_buffer, runs_of
from cdna.waits.counters import PACKED, WaitError, counters_of, most_of, too_high, wait_text
from cdna.waits.dependencies import registers_of
from cdna.waits.events import UNKNOWN, all_sure, effect_of, foreign_counter, in_memory, is_copy, without_events
from cdna.waits.flow import is_kernel, solve, step
from cdna.waits.high_registers import high_registers, modes_of
from cdna.waits.lds import conflicts, keeps_open
from cdna.waits.leftovers import left_over, named
from cdna.waits.names import missing_on
from cdna.waits.program import read
from cdna.waits.state import (
    copy_state,
    is_pending,
    make_room,
    order_of,
    wait_of,
)
from cdna.waits.texts import finding_of
from cdna.waits.translation import judge_drain, judge_translation, turns_replay_on


class Report(NamedTuple):
    """What `check` returns: lists of dicts, and findings with rule, severity, message, claim, field."""

    missing: tuple
    useless: tuple
    out_of_range: tuple
    findings: tuple
    program: object
    effects: tuple  # one for each instruction


def check(text, target, shared=False, unsure_counts=False):
    """Return the Report on a text.

    Args: text: assembly or disassembly; target: gfx942, gfx950 or gfx1250; shared: True says that other waves read LDS,
      so that a missing barrier is an error and not a warning; unsure_counts: True takes a step of a counter on which
      sources differ (asynchronous copies on loadcnt and storecnt, cache operations) as one that is made.
    Raises: ValueError: unknown target.
    Claims: WAIT-001, WAIT-002, WAIT-003, WAIT-005, WAIT-009
    """
    program = read(text, target_named(target).wave_lanes)
    facts = facts_of(program, target, shared, unsure_counts)
    states = solve(program, facts)
    found = _Found([], [], [], [], {})
    for number in range(len(program.blocks)):
        if states[number] is not None:
            state = copy_state(states[number])
            for index in range(program.blocks[number].first, program.blocks[number].last + 1):
                _judge(state, index, facts, found)
                step(state, index, facts)
    for kind in ("atomic", "behind-copies", "overwrites", "store"):  # LLVM waits in front of the first for certain
        drained = found.noted.get(("once", kind))
        if drained:
            more = {
                "producers": sorted({pc for _, waiting, _ in drained for pc in waiting}),
                "users": [one for one, _, _ in drained],
                "drain": drained[0][2] if len(drained) == 1 else -1,
                "once": kind,
                "replay": facts["replay"],
            }
            rule, severity = "once-before-translation", "warning" if kind == "atomic" else "info"
            found.findings.append(finding_of(rule, severity, facts, drained[0][0], more["producers"][0], more))
    entered_whole = all([is_kernel(program, entry) for entry in program.entries])
    found.findings.extend(left_over(program, facts, entered_whole))
    order = {"error": 0, "warning": 1, "info": 2}
    findings = sorted(found.findings, key=lambda item: (order[item["severity"]], item["line"]))
    return Report(
        tuple(found.missing),
        tuple(found.useless),
        tuple(found.out_of_range),
        tuple(findings),
        program,
        tuple(facts["effects"]),
    )


def facts_of(program, target, shared, unsure_counts):
    """Return what does not depend on the path: registers, effects and waits of each instruction, and about buffers."""
    modes = None if target in PACKED else modes_of(program)
    registers = registers_of(program)
    if modes:
        registers = high_registers(program, registers)[0]
    effects = [effect_of(item, regs, target) for item, regs in zip(program.instructions, registers)]
    if program.split:
        effects = [in_memory(effect) for effect in effects]
    known = [counter.name for counter in counters_of(target)]
    foreign = {}
    for item in program.instructions:
        counter = foreign_counter(effects[item.index], known)
        if counter is not None:
            foreign[item.index] = counter
            effects[item.index] = without_events(effects[item.index])
    waits = [wait_of(item, target, program.symbols) for item in program.instructions]
    gone, asked = {}, {}
    for item in program.instructions:
        key = (item.mnemonic, item.modifiers)
        if key not in asked:
            asked[key] = missing_on(item, target)
        own_words = item.mnemonic == "s_barrier" or waits[item.index] is not None or effects[item.index].what == UNKNOWN
        if asked[key] and not own_words:
            gone[item.index] = asked[key]
    if unsure_counts:
        effects = [all_sure(effect) for effect in effects]
    stores = [
        item.index
        for item in program.instructions
        if effects[item.index].lds == "read" and effects[item.index].path != "ds"
    ]
    writers = [item.index for item in program.instructions if effects[item.index].lds in ("write", "both")]
    names = [item.mnemonic for item in program.instructions]
    runs, run_length = runs_of(program, effects)
    # A piece of a kernel, without its end, does not show how the kernel begins.
    replay = any([turns_replay_on(item, program.symbols) for item in program.instructions]) or "s_endpgm" not in names
    return {
        "replay": replay,
        "runs": runs,
        "run_of": {index: number for number in range(len(runs)) for index in runs[number]},
        "keeps_open": keeps_open(program, effects, shared),
        "run_length": run_length,
        "program": program,
        "target": target,
        "modes": modes,
        "shared": shared,
        "registers": registers,
        "effects": effects,
        "writers": writers,
        "foreign": foreign,
        "gone": gone,
        "waits": waits,
        "one_buffer": one_buffer(program, effects, registers),
        "many_stores": len(stores) > 1,
    }


class _Found(NamedTuple):
    missing: list
    useless: list
    out_of_range: list
    findings: list
    noted: dict  # what was said of LDS: (rule, producers)


def _judge(state, index, facts, found):
    """Report on one instruction in its state."""
    item, effect, wait = facts["program"].instructions[index], facts["effects"][index], facts["waits"][index]
    if item.mnemonic == "s_barrier" and facts["target"] not in PACKED:
        _not_here(index, {"why": "s_barrier_signal and s_barrier_wait"}, facts, found)
    if index in facts["foreign"]:
        _not_here(index, {"counter": facts["foreign"][index]}, facts, found)
    elif index in facts["gone"]:
        _not_here(index, {"gone": facts["gone"][index]}, facts, found)
    if wait is not None:
        _judge_wait(state, index, wait, facts, found)
        return
    make_room(state, effect, facts)  # as the step that follows does
    _judge_registers(state, index, effect, facts, found)
    _judge_lds(state, index, facts, found)
    if facts["target"] not in PACKED:
        judge_drain(state, index, item, effect, facts, found)
        judge_translation(state, index, item, effect, facts, found)


def _not_here(index, more, facts, found):
    """Note an instruction that the target does not have: once for each mnemonic, with the number of the others."""
    name, gone = facts["program"].instructions[index].mnemonic, more.get("gone")
    if (name, gone) not in found.noted:
        found.noted[(name, gone)] = True
        alike = [item.index for item in facts["program"].instructions if item.mnemonic == name]
        more["others"] = len([one for one in alike if gone is None or facts["gone"].get(one) == gone]) - 1
        found.findings.append(finding_of("not-on-target", "error", facts, index, None, more))


def _judge_registers(state, index, effect, facts, found):
    """Report registers named too early: one finding for the producers on the same counters, with the strictest wait."""
    early = _early(state, index, effect, facts)
    groups = {}
    for pc in sorted(early):
        groups.setdefault((early[pc][1], tuple(is_pending(state, pc))), []).append(pc)
    for reading, counters in sorted(groups):
        producers = groups[(reading, counters)]
        names = [name for pc in producers for name in early[pc][0]]
        lost = [name for pc in producers for name in early[pc][2]]
        strictest = sorted(producers, key=lambda pc: (_strictness(state, pc, facts), -pc))[0]
        rule = "read-before-result" if reading else "overwrite-before-result"
        _miss(found, facts, state, index, strictest, rule, "error", names, "", producers, lost)


def _judge_lds(state, index, facts, found):
    """Report what collides in LDS: one finding a rule, for the producer that needs the strictest wait; not twice for the same."""
    groups = {}
    for hit in conflicts(state, index, facts):
        groups.setdefault((hit["severity"], hit["rule"], hit["why"]), []).append(hit["producer"])
    for severity, rule, why in sorted(groups):
        producers = groups[(severity, rule, why)]
        if rule == "no-barrier":
            # Asked for once: the next user behind the same access would need the same barrier.
            producers = [pc for pc in producers if (rule, pc) not in found.noted]
            for pc in groups[(severity, rule, why)]:
                found.noted[(rule, pc)] = True
                if pc not in state["crossed"] and not is_pending(state, pc):
                    state["open"].pop(pc)
        key = (rule, tuple(producers))
        if producers and key not in found.noted:
            found.noted[key] = True
            strictest = sorted(producers, key=lambda pc: (_strictness(state, pc, facts), -pc))[0]
            _miss(found, facts, state, index, strictest, rule, severity, (), why, producers)


def _strictness(state, pc, facts):
    return min([_needed(state, pc, name, facts) for name in is_pending(state, pc)] or [99])


def _early(state, index, effect, facts):
    """Return {producer: (registers, reads, overwritten)} for registers that an instruction names while a result is on its way."""
    early = {}
    written = effect.written
    for name in named(effect, facts["registers"][index]):
        reading = name in effect.used or effect.merged
        for pc in state["regs"].get(name, ()):
            if not is_pending(state, pc):
                continue
            if name not in effect.used and name in written and _keeps_order(pc, index, facts):
                continue  # also where the load keeps the other half of the register
            registers, reads, lost = early.get(pc, ((), False, ()))
            early[pc] = (registers + (name,), reads or reading, lost if reading else lost + (name,))
    return early


def _keeps_order(pc, index, facts):
    """Return True when two loads into one register land in the order of their issue. Claims: WAIT-058"""
    if facts["target"] not in PACKED:
        return False
    first, then = facts["effects"][pc], facts["effects"][index]
    return (
        order_of(first, "vmcnt") == "vm"
        and order_of(then, "vmcnt") == "vm"
        and len(first.events) == 1
        and len(then.events) == 1
    )


def _miss(found, facts, state, index, pc, rule, severity, registers, why, producers=(), overwritten=()):
    """Note one missing wait: as a dict of the result, and as a finding."""
    counters = is_pending(state, pc)
    limits = [(name, _needed(state, pc, name, facts)) for name in counters]
    instructions = facts["program"].instructions
    seen = state["seen"].get(pc, (-1, -1, -1))
    barrier = state["crossed"].get(pc, seen[2]) if rule == "barrier-is-no-drain" else seen[2]
    more = {
        "limits": limits,
        "mixed": "asynccnt" in counters and _mixed(state, facts),
        "registers": registers,
        "overwritten": overwritten,
        "why": why,
        "right": seen[0],
        "other": seen[1],
        "barrier": barrier,
        "producers": producers,
    }
    found.findings.append(finding_of(rule, severity, facts, index, pc, more))
    found.missing.append(
        {
            "line": instructions[index].line,
            "text": instructions[index].text,
            "producer_line": instructions[pc].line,
            "producer": instructions[pc].text,
            "producer_lines": [instructions[one].line for one in producers or (pc,)],
            "rule": rule,
            "severity": severity,
            "registers": list(registers),
            "wait": " ".join([wait_text(name, count, facts["target"]) for name, count in limits]) or None,
            "counters": [{"counter": name, "at_most": count} for name, count in limits],
            "left_by_line": instructions[seen[0]].line if seen[0] >= 0 else None,
            "other_counter_line": instructions[seen[1]].line if seen[1] >= 0 and seen[0] < 0 else None,
            "barrier_line": instructions[barrier].line if barrier >= 0 else None,
            "back_edge": instructions[pc].line >= instructions[index].line,
        }
    )


def _mixed(state, facts):
    """Return True when asynchronous loads and stores may be outstanding together."""
    orders = [order_of(facts["effects"][pc], name) for name, pc in state["pend"] if name == "asynccnt"]
    return "async-load" in orders and "async-store" in orders


def _needed(state, pc, counter, facts):
    age = state["pend"][(counter, pc)]
    return min(age, most_of(facts["target"], counter) - 1)


def _judge_wait(state, index, wait, facts, found):
    instructions, target = facts["program"].instructions, facts["target"]
    if isinstance(wait, WaitError):
        rule = (
            "not-on-target"
            if "WAIT-010" in str(wait)
            else "count-out-of-range"
            if "0.." in str(wait)
            else "wait-not-known"
            if "not known" in str(wait)
            else "unreadable-wait"
        )
        if rule == "not-on-target":
            _not_here(index, {"why": str(wait)}, facts, found)
            return
        found.findings.append(finding_of(rule, "error", facts, index, None, {"why": str(wait)}))
        if rule == "count-out-of-range":
            found.out_of_range.append(
                {
                    "line": instructions[index].line,
                    "text": instructions[index].text,
                    "counter": str(wait).split("=")[0],
                    "count": None,
                    "most": None,
                }
            )
        return
    for name, count, most in too_high(wait, target):
        found.out_of_range.append(
            {
                "line": instructions[index].line,
                "text": instructions[index].text,
                "counter": name,
                "count": count,
                "most": most,
            }
        )
        found.findings.append(
            finding_of("count-out-of-range", "error", facts, index, None, {"why": f"{name}={count}: 0..{most}"})
        )
    if wait.unused:
        found.findings.append(finding_of("unused-bits", "warning", facts, index, None, {"why": hex(wait.unused)}))
    if wait.mnemonic in ("s_wait_alu", "s_wait_idle") or too_high(wait, target):
        return
    given = [
        (name, count) for name, count in wait.counts if target not in PACKED or count < most_of(target, name)
    ] or _spelled(wait, instructions[index])
    if any([count < state["upper"][name] for name, count in given]):
        _no_overlap(state, index, wait, facts, found)
        return
    busy = [(name, count, state["upper"][name]) for name, count in given if state["upper"][name]]
    if wait.mnemonic == "s_wait_tensorcnt" and _tensor_follows(index, facts):
        # Newer LLVM keeps the counter low in front of each transfer, whatever is outstanding.
        found.findings.append(finding_of("tensor-drain", "info", facts, index, None, {}))
        return
    severity = "error" if busy and len(given) < 3 and _kernel_like(state, target) else "warning"
    if wait.mnemonic == "s_wait_tensorcnt":
        severity = "warning"  # a compiler may have moved one away from its transfer
    found.useless.append(
        {
            "line": instructions[index].line,
            "text": instructions[index].text,
            "counters": [
                {"counter": name, "at_most": count, "outstanding": state["upper"][name]} for name, count in given
            ],
        }
    )
    found.findings.append(finding_of("wait-does-nothing", severity, facts, index, None, {"busy": busy, "given": given}))


def _kernel_like(state, target):
    return any([state["upper"][counter.name] < counter.most for counter in counters_of(target)])


def _tensor_follows(index, facts):
    """Return True where the next instruction that is no wait is a tensor transfer. Claims: WAIT-089"""
    after = index + 1
    while after < len(facts["waits"]) and facts["waits"][after] is not None:
        after += 1
    return after < len(facts["effects"]) and facts["effects"][after].path == "tensor"


def _spelled(wait, item):
    """Return the counts that the text of a packed wait names, where all of them are the largest."""
    named = [(name, count) for name, count in wait.counts if name in item.text]
    return named or list(wait.counts)


def _no_overlap(state, index, wait, facts, found):
    """Note a wait for a copy right behind it: nothing is done in the time that the copy takes."""
    if index and is_copy(facts["effects"][index - 1]) and not facts["program"].instructions[index].labels:
        for name, count in wait.counts:
            if count == 0 and state["pend"].get((name, index - 1)) == 0:
                found.findings.append(finding_of("no-work-between", "info", facts, index, index - 1, {}))
