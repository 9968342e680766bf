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
from cdna.waits.events import all_sure, effect_of, foreign_counter, is_copy, without_events
from cdna.waits.flow import BARRIERS, is_kernel, results_of, solve, step
from cdna.waits.lds import conflicts
from cdna.waits.leftovers import left_over, named
from cdna.waits.program import operand_registers, read
from cdna.waits.state import (
    copy_state,
    is_pending,
    make_room,
    order_of,
    wait_of,
)
from cdna.waits.texts import finding_of


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
    registers = [operand_registers(item, program.symbols) for item in program.instructions]
    effects = [effect_of(item, regs, target) for item, regs in zip(program.instructions, registers)]
    known = [counter.name for counter in counters_of(target)]
    foreign = {}
    for item in program.instructions:
        counter = foreign_counter(effects[item.index], known)
        if counter is not None:
            foreign[item.index] = counter
            effects[item.index] = without_events(effects[item.index])
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
    return {
        "runs": runs,
        "run_length": run_length,
        "program": program,
        "target": target,
        "shared": shared,
        "registers": registers,
        "effects": effects,
        "writers": writers,
        "foreign": foreign,
        "waits": [wait_of(item, target, program.symbols) for item in program.instructions],
        "one_buffer": one_buffer(program, effects, registers),
        "many_stores": len(stores) > 1,
        "barriers": any([name in BARRIERS for name in names]),
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
        found.findings.append(
            finding_of("not-on-target", "error", facts, index, None, {"why": "s_barrier_signal and s_barrier_wait"})
        )
    if index in facts["foreign"]:
        found.findings.append(
            finding_of("not-on-target", "error", facts, index, None, {"counter": facts["foreign"][index]})
        )
    if wait is not None:
        _judge_wait(state, index, wait, facts, found)
        return
    probe = state
    if effect.events:
        probe = copy_state(state)
        make_room(probe, effect, facts["target"], facts["effects"])
    _judge_registers(probe, index, effect, facts, found)
    _judge_lds(probe, index, facts, found)
    if facts["target"] not in PACKED:
        _judge_translation(probe, index, item, effect, facts, found)


def _judge_registers(state, index, effect, facts, found):
    """Report registers named too early: one finding for the producers on the same counters, with the strictest wait."""
    early = _early(state, index, effect, facts)
    groups = {}
    for pc in sorted(early):
        groups.setdefault((early[pc][1], tuple(is_pending(state, pc))), []).append(pc)
    for reading, counters in sorted(groups):
        producers = groups[(reading, counters)]
        names = [name for pc in producers for name in early[pc][0]]
        strictest = sorted(producers, key=lambda pc: (_strictness(state, pc, facts), -pc))[0]
        rule = "read-before-result" if reading else "overwrite-before-result"
        _miss(found, facts, state, index, strictest, rule, "error", names, "", producers)


def _judge_lds(state, index, facts, found):
    """Report what collides in LDS: one finding a rule, for the producer that needs the strictest wait; not twice for the same."""
    groups = {}
    for hit in conflicts(state, index, facts):
        groups.setdefault((hit["severity"], hit["rule"], hit["why"]), []).append(hit["producer"])
    for severity, rule, why in sorted(groups):
        producers = groups[(severity, rule, why)]
        key = (rule, tuple(producers))
        if key not in found.noted:
            found.noted[key] = True
            strictest = sorted(producers, key=lambda pc: (_strictness(state, pc, facts), -pc))[0]
            _miss(found, facts, state, index, strictest, rule, severity, (), why, producers)


def _strictness(state, pc, facts):
    return min([_needed(state, pc, name, facts) for name in is_pending(state, pc)] or [99])


def _early(state, index, effect, facts):
    """Return {producer: (registers, reads)} for registers that an instruction names while a result is on its way."""
    early = {}
    written = effect.written
    for name in named(effect, facts["registers"][index]):
        reading = name in effect.used or effect.merged or not effect.written
        for pc in state["regs"].get(name, ()):
            if not is_pending(state, pc):
                continue
            if not reading and name in written and _keeps_order(pc, index, facts):
                continue
            registers, reads = early.get(pc, ((), False))
            early[pc] = (registers + (name,), reads or reading)
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


def _miss(found, facts, state, index, pc, rule, severity, registers, why, producers=()):
    """Note one missing wait: as a dict of the result, and as a finding."""
    counters = is_pending(state, pc)
    limits = [(name, _needed(state, pc, name, facts)) for name in counters]
    instructions = facts["program"].instructions
    seen = state["seen"].get(pc, (-1, -1, -1))
    barrier = state["crossed"].get(pc, seen[2]) if rule == "barrier-is-no-drain" else seen[2]
    more = {
        "limits": limits,
        "registers": registers,
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
            else "unreadable-wait"
        )
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
    severity = "error" if busy and len(given) < 3 and _kernel_like(state, target) else "warning"
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


def _judge_translation(state, index, item, effect, facts, found):
    """Warn where a register that an access may have to read again is overwritten. Claims: WAIT-056"""
    results = list(results_of(item, facts["registers"][index])) + list(effect.written)
    if "_cmpx" in item.mnemonic or "saveexec" in item.mnemonic:
        results += ["exec_lo"]
    kinds = [event.counter for event in effect.events]
    if "loadcnt" in kinds or "storecnt" in kinds or "asynccnt" in kinds:
        return  # vector accesses translate in order
    hits = {}
    for name in results:
        for pc in state["xuse"].get(name, ()):
            vector = "kmcnt" not in [event.counter for event in facts["effects"][pc].events]
            if ("xcnt", pc) not in state["pend"] or pc == index or ("kmcnt" in kinds and vector):
                continue  # a scalar access behind a vector access waits by itself
            hits[pc] = hits.get(pc, ()) + (name,)
    if hits:
        ages = [(state["pend"][("xcnt", pc)], -pc) for pc in hits]
        pc = -sorted(ages)[0][1]
        names = []
        for one in sorted(hits):
            names += [name for name in hits[one] if name not in names]
        more = {"registers": names, "limits": [("xcnt", state["pend"][("xcnt", pc)])], "producers": sorted(hits)}
        found.findings.append(finding_of("overwrite-before-translation", "warning", facts, index, pc, more))
