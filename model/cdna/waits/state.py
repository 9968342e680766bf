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
from cdna.waits.names import likely_wait
from cdna.waits.registers import value_of

# A state is a dict:
#   pend     {(counter, instruction): age}          may be outstanding
#   regs     {register: (instructions)}             whose result it may be waiting for
#   xuse     {register: (instructions)}             who may have to read it again (gfx1250)
#   taken    {instruction: True}                    LLVM takes its address for translated, though nothing has waited for it
#   passed   {instruction: drain}                   was without its translation at a barrier, a jump that was taken or
#                                                   s_set_vgpr_msb, on every path
#   seen     {instruction: (right, other, barrier)} last wait on its counter, on another, last barrier, since its issue; -1 none
#   open     {LDS instruction: True}                no barrier since it was complete; kept only while that can matter
#   crossed  {LDS instruction: barrier}             was outstanding when the wave passed a barrier
#   upper    {counter: n}                           no path has more outstanding
#   copied, written                                 on every path a copy into LDS has completed, an LDS store was issued
#   vector                                          a vector access may be without its translation

_NAMES = ("asynccnt", "dscnt", "expcnt", "kmcnt", "lgkmcnt", "loadcnt", "storecnt", "tensorcnt", "vmcnt")  # sorted
_KEPT = 64  # of those who may have to read a register again: the counter holds no more, and the youngest decides


def start_state(target, known):
    """Return the state at an entry. Args: known: False where the caller may have left operations outstanding."""
    upper = {}
    for counter in counters_of(target):
        upper[counter.name] = 0 if known else counter.most
    return {
        "pend": {}, "regs": {}, "xuse": {}, "taken": {}, "passed": {}, "seen": {}, "open": {}, "crossed": {}, "upper": upper,
        "copied": False, "written": False, "vector": False,
    }  # fmt: skip


def copy_state(state):
    """Return a copy that can be changed."""
    copy = {}
    for key in state:
        copy[key] = dict(state[key]) if isinstance(state[key], dict) else state[key]
    return copy


def merge(into, other):
    """Merge another path's state into one; return True when that changed it."""
    changed = _merge_translated(into, other, "taken")
    changed = _merge_translated(into, other, "passed") or changed
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
        for index in set(other[table]) - set(into[table]):
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
    if other["vector"] and not into["vector"]:
        into["vector"] = True
        changed = True
    return changed


def _merge_translated(into, other, table):
    """Keep what holds on every path on which an access is without its translation; call it before the ages are merged."""
    before = dict(into[table])
    for pc in other[table]:
        if pc not in before and ("xcnt", pc) not in into["pend"]:
            into[table][pc] = other[table][pc]
    for pc in before:
        if pc not in other[table] and ("xcnt", pc) in other["pend"]:
            into[table].pop(pc)
    return into[table] != before


def settle(state):
    """Forget at the end of a block what is complete, so that a state stays as small as what is outstanding."""
    live = {}
    for _, pc in state["pend"]:
        live[pc] = True
    for table in ("regs", "xuse"):
        for name in list(state[table]):
            kept = tuple([pc for pc in state[table][name] if pc in live])
            if kept:
                state[table][name] = kept
            else:
                state[table].pop(name)
    for table in ("taken", "passed"):
        for pc in list(state[table]):
            if pc not in live:
                state[table].pop(pc)
    for pc in list(state["seen"]):
        if pc not in live and pc not in state["crossed"]:
            state["seen"].pop(pc)


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
                return WaitError(f"{name}{' ' if text else ''}{text}: the operand is not a number")
            return split_wait(name, value & 0xFFFF if value < 0 else value, target)
        if name in ("s_wait_alu", "s_wait_idle", "s_waitcnt_depctr"):
            return WaitError(f"{name} is not an instruction of {target}, WAIT-010") if target in PACKED else None
        if name[:6] == "s_wait":
            if name[:10] == "s_waitcnt_":
                return WaitError(f"{name} is not an instruction of {target}, WAIT-010")
            return WaitError(f"{name} is not known here: {likely_wait(name, target)}")
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


def make_room(state, effect, facts):
    """Drop what must have completed before an instruction can be issued: a full counter holds it back. Claims: WAIT-053"""
    for event in effect.events:
        if event.order and event.sure:
            _retire(state, event.counter, most_of(facts["target"], event.counter) - 1, facts)


def apply_wait(state, index, wait, facts):
    """Apply a Wait at an instruction."""
    target, effects, limits = facts["target"], facts["effects"], {}
    for name, count in wait.counts:
        if name in state["upper"] and count < most_of(target, name):
            limits[name] = count
    if limits:
        note_wait(state, index, limits)
    for name in sorted(limits):
        count = limits[name]
        before = [key for key in state["pend"] if key[0] == name]
        _retire(state, name, count, facts)
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


def pass_barrier(state, index):
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


def after_jump(state, index):
    """Return the state behind a jump that is taken."""
    behind = dict(state)
    behind["passed"] = dict(state["passed"])
    pass_drain(behind, index)
    return behind


def pass_drain(state, index):
    """Note who is without its translation at what may drain them: on that sources differ. Claims: WAIT-073"""
    for counter, pc in state["pend"]:
        if counter == "xcnt":
            state["passed"][pc] = index


def issue(state, index, effect, facts):
    """Apply the issue of an instruction: registers become pending, classes age, counters rise."""
    target, effects = facts["target"], facts["effects"]
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
    return [name for name in _NAMES if (name, index) in state["pend"]]


def _steps(effect, event):
    # Wide scalar loads step their counter twice on some targets: for an upper bound, always.
    return 2 if not event.order and event.counter in ("lgkmcnt", "kmcnt") else 1


def _retire(state, counter, count, facts):
    """Drop what a count is sure of: an age at least as high. What keeps no order has age 0, so only zero is sure of it."""
    for key in [key for key in state["pend"] if key[0] == counter and state["pend"][key] >= count]:
        state["pend"].pop(key)
        pc = key[1]
        if counter != "xcnt":
            _translated(state, pc, facts["effects"])
        if pc in state["open"] and pc not in facts["keeps_open"] and pc not in state["crossed"]:
            if not is_pending(state, pc):
                state["open"].pop(pc)  # complete, and no barrier is asked for behind it


def _translate(state, index, effect, effects):
    """Note address translation (XCNT): vector and scalar accesses do not have translations outstanding together."""
    kind = translation_of(effect)
    if not kind:
        return
    for key in list(state["pend"]) if kind == "vector" or state["vector"] else ():
        if key[0] == "xcnt" and key[1] != index:
            other = translation_of(effects[key[1]])
            if other != kind:
                state["pend"].pop(key)
            elif kind == "vector":
                state["pend"][key] += 1
    if kind == "vector":
        _take(state, index, effect)
    state["pend"][("xcnt", index)] = 0
    state["vector"] = kind == "vector"
    state["upper"]["xcnt"] = min(63, state["upper"]["xcnt"] + 1)
    for name in effect.used + (("exec_lo",) if kind == "vector" else ()):
        users = [one for one in state["xuse"].get(name, ())[-_KEPT:] if one != index and ("xcnt", one) in state["pend"]]
        state["xuse"][name] = tuple(sorted(users + [index]))


def _take(state, index, effect):
    """Note what LLVM takes for translated: where a vector access overwrites a register of an older one, that and the older ones. Claims: WAIT-072"""
    state["taken"].pop(index, None)
    state["passed"].pop(index, None)
    users = [pc for name in effect.written for pc in state["xuse"].get(name, ())]
    ages = [state["pend"][("xcnt", pc)] for pc in users if pc != index and ("xcnt", pc) in state["pend"]]
    if ages:
        for counter, pc in state["pend"]:
            if counter == "xcnt" and pc != index and state["pend"][(counter, pc)] >= min(ages):
                state["taken"][pc] = True


def translation_of(effect):
    """Return how an access is translated: "vector", "scalar", or "" for one that is not counted."""
    for event in effect.events:
        if event.counter == "tensorcnt" or not event.sure:
            return ""
        if effect.what in ("asynchronous barrier arrive", "global_inv"):
            return ""
        if event.counter in ("loadcnt", "storecnt", "asynccnt"):
            return "vector"
        if event.counter == "kmcnt" and effect.what in ("scalar load", "scalar store", "scalar atomic"):
            return "scalar"
    return ""


def _translated(state, index, effects):
    """An operation has completed: its address was translated, and those of older vector accesses too."""
    age = state["pend"].get(("xcnt", index))
    if age is None:
        return
    vector = translation_of(effects[index]) == "vector"
    for key in list(state["pend"]):
        if key[0] == "xcnt" and (
            key[1] == index or (vector and translation_of(effects[key[1]]) == "vector" and state["pend"][key] >= age)
        ):
            state["pend"].pop(key)
