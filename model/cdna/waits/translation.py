# SPDX-License-Identifier: Apache-2.0
"""Registers that an access may have to read again until its address is translated (XCNT of gfx1250).

Claims: WAIT-056, WAIT-073, WAIT-074, WAIT-079, WAIT-085, WAIT-088
"""

from cdna.waits.high_registers import mode_write
from cdna.waits.registers import value_of
from cdna.waits.results import results_of
from cdna.waits.texts import finding_of


def turns_replay_on(item, symbols):
    """Return True for a write that sets bit 25 of the mode register, the replay of several groups. Claims: WAIT-079"""
    written = mode_write(item)
    value = value_of(item.operands[-1], symbols) if written and item.mnemonic == "s_setreg_imm32_b32" else None
    if value is None:
        return False
    return written[0] <= 25 < written[0] + written[1] and bool(value >> (25 - written[0]) & 1)


def judge_drain(state, index, item, effect, facts, found):
    """Warn where every address has to be translated first, and note what must be done only once. Claims: WAIT-085, WAIT-088"""
    asked, once = wants_drain(item, facts["program"].symbols), done_once(item, effect)
    waiting = sorted([pc for counter, pc in state["pend"] if counter == "xcnt"]) if asked or once else []
    if not waiting:
        return
    if asked:
        found.findings.append(finding_of("drain-before", "warning", facts, index, waiting[-1], {"producers": waiting}))
        return
    others = [pc for pc in waiting if done_once(facts["program"].instructions[pc], facts["effects"][pc]) != "atomic"]
    if once == "atomic" and not others:
        return  # newer LLVM leaves the wait out between atomics
    kind = once
    if once == "atomic":
        overwrites = [pc for name in effect.written for pc in state["xuse"].get(name, ()) if pc in waiting]
        if all([facts["effects"][pc].path == "async" for pc in others]):
            kind = "behind-copies"
        elif overwrites:
            kind = "overwrites"
    found.noted.setdefault(("once", kind), []).append((index, waiting, _drain(state, waiting)))


def _drain(state, waiting):
    """Return the last instruction that may have drained the translations of all accesses given, -1 for none. Claims: WAIT-073"""
    passed = [state["passed"].get(pc, -1) for pc in waiting]
    return max(passed) if min(passed) >= 0 else -1


def done_once(item, effect):
    """Return "atomic" for one that reads and writes memory, "store" for one that may be an atomic or volatile store, else "".

    Such a store differs from an ordinary one in its scope alone, and one for the workgroup not even in that. Claims: WAIT-088
    """
    name = item.mnemonic
    if not effect.events or effect.lds or name.split("_")[0] not in ("global", "flat", "buffer", "scratch"):
        return ""
    if "_atomic" in name:
        return "atomic"
    scoped = [word for word in item.modifiers if word[:12] == "scope:scope_" and word != "scope:scope_cu"]
    return "store" if "_store" in name and scoped else ""


def wants_drain(item, symbols):
    """Return True where the manual asks for every address to be translated first. Claims: WAIT-085"""
    return item.mnemonic[:10] == "s_prefetch" or _sleeps_on(item, symbols)


def _sleeps_on(item, symbols):
    """Return True for a sleep without an end: bit 15 of its operand."""
    if item.mnemonic not in ("s_sleep", "s_monitor_sleep") or not item.operands:
        return False
    value = value_of(item.operands[0], symbols)
    return value is not None and bool(value >> 15 & 1)


def judge_translation(state, index, item, effect, facts, found):
    """Warn where a register that an access may have to read again is overwritten. Claims: WAIT-056"""
    results = list(results_of(item, facts["registers"][index])) + list(effect.written)
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
        more["drain"], more["replay"] = _drain(state, hits), facts["replay"]
        # No source shows that an asynchronous copy reads its registers again, and no compiler guards them.
        guarded = [one for one in hits if facts["effects"][one].path != "async"]
        more["taken"] = bool(guarded) and all([one in state["taken"] for one in guarded])
        severity = "info" if not guarded or more["taken"] else "warning"
        found.findings.append(finding_of("overwrite-before-translation", severity, facts, index, pc, more))
