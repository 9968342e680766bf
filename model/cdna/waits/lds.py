# SPDX-License-Identifier: Apache-2.0
"""LDS used too early: by the wave itself, before its copy or store is complete, or by another wave across a barrier."""

from cdna.waits.copies import run_left
from cdna.waits.events import is_copy


def keeps_open(program, effects, shared):
    """Return {instruction: True} for the LDS accesses behind which a barrier may be asked for though they are complete.

    Args: effects: of each instruction; shared: see finder.facts_of. The rest is forgotten once complete.
    """
    kept = {}
    if program.one_wave:
        return kept
    copies = any([is_copy(effect) for effect in effects])
    for index in range(len(effects)):
        first = effects[index]
        if not first.lds:
            continue
        if is_copy(first):
            kept[index] = True
        elif first.lds in ("read", "both") and copies:
            kept[index] = True
        elif shared and first.lds in ("write", "both") and first.path == "ds":
            kept[index] = True
    return kept


def conflicts(state, index, facts):
    """Return what an instruction that touches LDS may collide with, as dicts.

    Args: state: the state in front of it; facts: see finder.facts_of.
    Returns: dicts with keys rule, severity, producer (instruction), counters, why.
    """
    effect = facts["effects"][index]
    if not effect.lds:
        return []
    found, pending = [], {}
    for counter, pc in state["pend"]:
        if counter != "xcnt":
            pending[pc] = sorted(pending.get(pc, []) + [counter])
    for pc in _colliding(state, effect, facts):
        other = facts["effects"][pc]
        if pc == index:
            continue
        waiting = pending.get(pc, [])
        if waiting and _own_wave(other, effect):
            found.append(_own(state, index, pc, waiting, pending, facts))
        elif pc in state["crossed"]:
            found.append(_crossed(state, index, pc, waiting, facts))
        elif not waiting:
            item = _no_barrier(index, pc, facts)
            if item:
                found.append(item)
    return found


# What an instruction collides with, by what it does to LDS itself.
_COLLIDES = {"read": ("write", "both"), "write": ("read", "both"), "both": ("read", "write", "both")}


def _colliding(state, effect, facts):
    """Return the open LDS accesses that one more collides with, in order; of many reads beside few writes, no walk over the reads."""
    if effect.lds == "read" and len(facts["writers"]) < len(state["open"]):
        return [pc for pc in facts["writers"] if pc in state["open"]]
    kinds = _COLLIDES[effect.lds]
    return sorted([pc for pc in state["open"] if facts["effects"][pc].lds in kinds])


def _own_wave(first, then):
    """Return True when the wave itself has to wait. LDS instructions of one wave keep their order among themselves."""
    if first.path == "ds" and then.path == "ds":
        return False
    return True


def _own(state, index, pc, waiting, pending, facts):
    first, then = facts["effects"][pc], facts["effects"][index]
    item = {"producer": pc, "counters": waiting, "severity": "error", "why": ""}
    if is_copy(first):
        item["rule"] = "lds-read-before-copy"
        elsewhere = state["copied"] and not facts["one_buffer"]
        if state["written"] or elsewhere:
            split = run_left(facts["runs"], facts["run_of"], facts["run_length"], pending)
            if split and state["seen"].get(pc, (-1, -1, -1))[0] >= 0:
                item["why"] = f"the wait is sure of {split[0]} of {split[1]} copies that belong together"
            else:
                item["severity"] = "info" if elsewhere else "warning"
                item["why"] = "right only where this reads what another copy or store has completed"
    elif first.lds == "read" and first.path == "ds":
        item["rule"] = "lds-refill-before-read"
        if not facts["one_buffer"]:
            item["severity"], item["why"] = "info", "right only where the copy goes to another buffer"
    elif first.lds == "read":
        item["rule"] = "lds-refill-before-store"
        if facts["many_stores"] or (is_copy(then) and not facts["one_buffer"]):
            item["severity"], item["why"] = "info", "right only where this goes to another buffer"
    else:
        item["rule"] = "lds-store-before-write"
    return item


def _crossed(state, index, pc, waiting, facts):
    first, then = facts["effects"][pc], facts["effects"][index]
    item = {"rule": "barrier-is-no-drain", "producer": pc, "counters": waiting, "severity": "error", "why": ""}
    copying = is_copy(first) or is_copy(then)
    if copying and not facts["one_buffer"] and (state["copied"] or is_copy(then)):
        item["severity"] = "info" if waiting else "warning"
        item["why"] = "right only where the two are different buffers"
    if facts["program"].one_wave:
        item["severity"], item["why"] = "info", "the workgroup is one wave"
    return item


def _no_barrier(index, pc, facts):
    first, then = facts["effects"][pc], facts["effects"][index]
    if facts["program"].one_wave:
        return None
    severity = "error" if facts["shared"] else "warning"
    if is_copy(first) and then.lds in ("read", "both"):
        return {
            "rule": "no-barrier",
            "producer": pc,
            "counters": [],
            "severity": severity,
            "why": "right only where no other wave reads what this wave copied",
        }
    if first.lds in ("read", "both") and is_copy(then):
        weaker = "warning" if facts["shared"] else "info"  # the text names several places: perhaps another buffer
        return {
            "rule": "no-barrier",
            "producer": pc,
            "counters": [],
            "severity": severity if facts["one_buffer"] else weaker,
            "why": "right only where no other wave still reads what the copy overwrites",
        }
    if facts["shared"] and first.lds in ("write", "both") and then.lds in ("read", "both") and first.path == "ds":
        return {
            "rule": "no-barrier",
            "producer": pc,
            "counters": [],
            "severity": severity,
            "why": "right only where no other wave reads what this wave stored",
        }
    return None
