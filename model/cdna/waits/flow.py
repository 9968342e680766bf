# SPDX-License-Identifier: Apache-2.0
"""Goes through a program: what one instruction changes, and the state in front of each block over all paths."""

from cdna.waits.counters import PACKED, WaitError, counters_of
from cdna.waits.results import results_of
from cdna.waits.state import (
    after_jump,
    apply_wait,
    copy_state,
    issue,
    make_room,
    merge,
    pass_barrier,
    pass_drain,
    settle,
    start_state,
)

BARRIERS = ("s_barrier", "s_barrier_signal", "s_barrier_signal_isfirst")
_CALLS = ("s_swappc_b64", "s_swap_pc_i64", "s_call_b64", "s_call_i64")
_RETURNS = ("s_setpc_b64", "s_set_pc_i64", "s_rfe_b64", "s_rfe_i64")


def solve(program, facts):
    """Return the state in front of each block: the union over all paths, found by going round until nothing changes."""
    states, waiting = [None] * len(program.blocks), {}
    work = []  # falling: the first in the text comes first, so that all paths to a block meet before it is gone through
    for number in program.entries:
        states[number] = start_state(facts["target"], is_kernel(program, number))
        waiting[number] = True
        _enter(work, number)
    while work:
        number = work.pop()
        waiting.pop(number, None)
        state = copy_state(states[number])
        block = program.blocks[number]
        for index in range(block.first, block.last + 1):
            step(state, index, facts)
        settle(state)
        for follower in block.successors:
            taken = follower != number + 1 or program.instructions[block.last].mnemonic == "s_branch"
            arriving = after_jump(state, block.last) if taken and facts["target"] not in PACKED else state
            if states[follower] is None:
                states[follower] = copy_state(arriving)
            elif not merge(states[follower], arriving):
                continue
            if follower not in waiting:
                waiting[follower] = True
                _enter(work, follower)
    return states


def _enter(work, number):
    """Put a number into a falling list, at its place."""
    low, high = 0, len(work)
    while low < high:
        middle = (low + high) // 2
        if work[middle] > number:
            low = middle + 1
        else:
            high = middle
    work.insert(low, number)


def is_kernel(program, start):
    """Return True when execution from a block never returns to a caller: then nothing is outstanding at its start."""
    stack, seen = [start], {}
    while stack:
        number = stack.pop()
        if number in seen:
            continue
        seen[number] = True
        block = program.blocks[number]
        if program.instructions[block.last].mnemonic in _RETURNS:
            return False
        stack += block.successors
    return True


def step(state, index, facts):
    """Change a state as one instruction does."""
    item, effect, wait = facts["program"].instructions[index], facts["effects"][index], facts["waits"][index]
    if wait is not None:
        if not isinstance(wait, WaitError):
            apply_wait(state, index, wait, facts)
        return
    if item.mnemonic in _CALLS:
        for table in ("pend", "regs", "xuse", "taken", "passed", "seen", "open", "crossed"):
            state[table] = {}
        for counter in counters_of(facts["target"]):
            state["upper"][counter.name] = counter.most
        return
    if item.mnemonic in BARRIERS:
        pass_barrier(state, index)
    if item.mnemonic in BARRIERS or item.mnemonic == "s_set_vgpr_msb":
        pass_drain(state, index)
    if item.mnemonic == "s_barrier_wait":
        _drop(state, "scc")
    make_room(state, effect, facts)
    for name in results_of(item, facts["registers"][index]):
        _drop(state, name)
    issue(state, index, effect, facts)


def _drop(state, name):
    for table in ("regs", "xuse"):
        if name in state[table]:
            state[table].pop(name)
