# SPDX-License-Identifier: Apache-2.0
"""What may be outstanding at one point of a program, over all paths that lead there.

An operation's age is how many younger operations of its ordered class were issued: while it is outstanding, so are they,
and the counter stands above its age. A wait for N or fewer is therefore sure of it when N is at most its age; for an
operation that keeps no order only N = 0 is. Where paths meet, the smallest age and the largest count are kept.
"""

from cdna.waits.counters import (
    PACKED,
    WaitError,
    counters_of,
    decode_operand,
    decode_word,
    encode_operand,
    most_of,
    opcode_places,
    split_wait,
)
from cdna.waits.registers import value_of

# A state is a dict:
#   pend     {(counter, instruction): age}          may be outstanding
#   regs     {register: (instructions)}             whose result it may be waiting for
#   xuse     {register: (instructions)}             who may have to read it again (gfx1250)
#   seen     {instruction: (right, other, barrier)} last wait on its counter, on another, last barrier, since its issue; -1 none
#   open     {LDS instruction: True}                no barrier since it was complete
#   crossed  {LDS instruction: barrier}             was outstanding when the wave passed a barrier
#   upper    {counter: n}                           no path has more outstanding
#   copied, written                                 on every path a copy into LDS has completed, an LDS store was issued


def start_state(target, known):
    """Return the state at an entry. Args: known: False where the caller may have left operations outstanding."""
    upper = {}
    for counter in counters_of(target):
        upper[counter.name] = 0 if known else counter.most
    return {
        "pend": {}, "regs": {}, "xuse": {}, "seen": {}, "open": {}, "crossed": {}, "upper": upper,
        "copied": False, "written": False,
    }  # fmt: skip


def copy_state(state):
    """Return a copy that can be changed."""
    copy = {}
    for key in state:
        copy[key] = dict(state[key]) if isinstance(state[key], dict) else state[key]
    return copy


def merge(into, other):
    """Merge another path's state into one; return True when that changed it."""
    changed = False
    for key in other["pend"]:
        age = other["pend"][key]
        if key not in into["pend"] or into["pend"][key] > age:
            into["pend"][key] = age
            changed = True
    for table in ("regs", "xuse"):
        for name in other[table]:
            mine = into[table].get(name, ())
            extra = tuple([one for one in other[table][name] if one not in mine])
            if extra:
                into[table][name] = tuple(sorted(mine + extra))
                changed = True
    for index in other["seen"]:
        mine = into["seen"].get(index)
        theirs = other["seen"][index]
        both = theirs if mine is None else tuple([max(a, b) for a, b in zip(mine, theirs)])
        if both != mine:
            into["seen"][index] = both
            changed = True
    for table in ("open", "crossed"):
        for index in other[table]:
            if index not in into[table]:
                into[table][index] = other[table][index]
                changed = True
    for name in other["upper"]:
        if other["upper"][name] > into["upper"][name]:
            into["upper"][name] = other["upper"][name]
            changed = True
    for flag in ("copied", "written"):
        if into[flag] and not other[flag]:
            into[flag] = False
            changed = True
    return changed


def wait_of(item, target, symbols):
    """Return the Wait of an instruction, None when it is none, or a WaitError when it is one that cannot be.

    Args: item: an Instruction. The operand may be a number, symbols, or vmcnt(1) & lgkmcnt(0).
    """
    name = item.mnemonic
    text = item.operands[0] if item.operands else ""
    try:
        if name == "s_waitcnt":
            if target not in PACKED:
                return WaitError(f"s_waitcnt is not an instruction of {target}: one opcode for each counter, WAIT-010")
            return decode_operand(_operand(text, target, symbols), target)
        if name == "s_wait_idle" and target not in PACKED:
            return decode_word(0xBF8A0000, target)
        if opcode_places(name) is not None or name in ("s_wait_samplecnt", "s_wait_bvhcnt", "s_wait_expcnt"):
            value = value_of(text, symbols)
            if target in PACKED or opcode_places(name) is None:
                return WaitError(f"{name} is not an instruction of {target}, WAIT-010")
            if value is None:
                return WaitError(f"{name} {text}: the operand is not a number")
            return split_wait(name, value & 0xFFFF if value < 0 else value, target)
        if name[:9] == "s_waitcnt":
            return WaitError(f"{name} is not an instruction of {target}, WAIT-010")
    except WaitError as error:
        return error
    return None


def _operand(text, target, symbols):
    value = value_of(text, symbols)
    if value is not None:
        return value & 0xFFFF if -0x8000 <= value < 0 else value
    counts, rest = {}, text.replace("&", " ").replace(",", " ").strip()
    while rest:
        name, paren, rest = rest.partition("(")
        inside, close, rest = rest.partition(")")
        name, count = name.strip(), value_of(inside, symbols)
        if not paren or not close or count is None:
            raise WaitError(f"s_waitcnt {text}: the operand is not readable")
        rest = rest.strip()
        if name[-4:] == "_sat":
            name = name[:-4]
            count = min(count, most_of(target, name))
        counts[name] = count
    if not counts:
        raise WaitError("s_waitcnt: no operand")
    return encode_operand(counts, target)


def make_room(state, effect, target, effects):
    """Drop what must have completed before an instruction can be issued: a full counter holds it back. Claims: WAIT-053"""
    for event in effect.events:
        if event.order and event.sure:
            _retire(state, event.counter, most_of(target, event.counter) - 1, effects)


def apply_wait(state, index, wait, target, effects):
    """Apply a Wait at an instruction."""
    limits = {}
    for name, count in wait.counts:
        if name in state["upper"] and count < most_of(target, name):
            limits[name] = count
    if limits:
        note_wait(state, index, limits)
    for name in sorted(limits):
        count = limits[name]
        before = [key for key in state["pend"] if key[0] == name]
        _retire(state, name, count, effects)
        for key in before:
            if key not in state["pend"] and effects[key[1]].lds in ("write", "both") and effects[key[1]].path != "ds":
                state["copied"] = True
        state["upper"][name] = min(state["upper"][name], count)


def note_wait(state, index, limits):
    """Remember for each outstanding operation whether a wait names its counter."""
    named = {}
    for counter, pc in state["pend"]:
        if counter != "xcnt":
            named[pc] = named.get(pc, False) or counter in limits
    for pc in named:
        right, other, barrier = state["seen"].get(pc, (-1, -1, -1))
        state["seen"][pc] = (index, other, barrier) if named[pc] else (right, index, barrier)


def pass_barrier(state, index, effects):
    """Apply a barrier: what is complete is safe for other waves from here on, what is outstanding is not. Claims: WAIT-002"""
    waiting = {}
    for counter, pc in state["pend"]:
        if counter != "xcnt":
            waiting[pc] = True
            right, other, _ = state["seen"].get(pc, (-1, -1, -1))
            state["seen"][pc] = (right, other, index)
    for pc in list(state["open"]):
        if pc in waiting:
            state["crossed"][pc] = index
        else:
            state["open"].pop(pc)
            if pc in state["crossed"]:
                state["crossed"].pop(pc)


def issue(state, index, effect, target, effects):
    """Apply the issue of an instruction: registers become pending, classes age, counters rise."""
    for event in effect.events:
        state["upper"][event.counter] = min(
            most_of(target, event.counter), state["upper"][event.counter] + _steps(effect, event)
        )
        if not event.sure:
            continue
        if event.order:
            for key in list(state["pend"]):
                if (
                    key[0] == event.counter
                    and key[1] != index
                    and order_of(effects[key[1]], event.counter) == event.order
                ):
                    state["pend"][key] += 1
        state["pend"][(event.counter, index)] = 0
    sure = [event for event in effect.events if event.sure]
    if sure:
        state["seen"][index] = (-1, -1, -1)
    for name in effect.written:
        state["regs"][name] = (index,)
    if effect.lds:
        state["open"][index] = True
        if index in state["crossed"]:
            state["crossed"].pop(index)
        if effect.path == "ds" and effect.lds != "read":
            state["written"] = True
    if target not in PACKED and effect.events:
        _translate(state, index, effect, effects)


def order_of(effect, counter):
    """Return the ordered class of an operation on a counter, "" for none."""
    for event in effect.events:
        if event.counter == counter:
            return event.order
    return ""


def is_pending(state, index):
    """Return the counters on which an operation may be outstanding, sorted."""
    return sorted([key[0] for key in state["pend"] if key[1] == index and key[0] != "xcnt"])


def _steps(effect, event):
    # Wide scalar loads step their counter twice on some targets: for an upper bound, always.
    return 2 if not event.order and event.counter in ("lgkmcnt", "kmcnt") else 1


def _retire(state, counter, count, effects):
    """Drop what a count is sure of: an age at least as high. What keeps no order has age 0, so only zero is sure of it."""
    for key in [key for key in state["pend"] if key[0] == counter and state["pend"][key] >= count]:
        state["pend"].pop(key)
        if counter != "xcnt":
            _translated(state, key[1], effects)


def _translate(state, index, effect, effects):
    """Note address translation (XCNT): vector and scalar accesses do not have translations outstanding together."""
    kind = _translation(effect)
    if not kind:
        return
    for key in list(state["pend"]):
        if key[0] == "xcnt" and key[1] != index:
            other = _translation(effects[key[1]])
            if other != kind:
                state["pend"].pop(key)
            elif kind == "vector":
                state["pend"][key] += 1
    state["pend"][("xcnt", index)] = 0
    state["upper"]["xcnt"] = min(63, state["upper"]["xcnt"] + 1)
    for name in effect.used + (("exec_lo", "exec_hi") if kind == "vector" else ()):
        state["xuse"][name] = tuple(sorted([one for one in state["xuse"].get(name, ()) if one != index] + [index]))


def _translation(effect):
    for event in effect.events:
        if event.counter == "tensorcnt" or not event.sure:
            return ""
        if event.counter in ("loadcnt", "storecnt", "asynccnt") and effect.what != "asynchronous barrier arrive":
            return "vector"
        if event.counter == "kmcnt" and effect.what in ("scalar load", "scalar store", "scalar atomic"):
            return "scalar"
    return ""


def _translated(state, index, effects):
    """An operation has completed: its address was translated, and those of older vector accesses too."""
    age = state["pend"].get(("xcnt", index))
    if age is None:
        return
    vector = _translation(effects[index]) == "vector"
    for key in list(state["pend"]):
        if key[0] == "xcnt" and (
            key[1] == index or (vector and _translation(effects[key[1]]) == "vector" and state["pend"][key] >= age)
        ):
            state["pend"].pop(key)


def register_waits(state, name):
    """Return the instructions whose result a register may still be waiting for."""
    return [pc for pc in state["regs"].get(name, ()) if is_pending(state, pc)]
