# SPDX-License-Identifier: Apache-2.0
"""The flow of a program: basic blocks, what may follow each, where execution may begin, and which edges close loops."""

from typing import NamedTuple


class Block(NamedTuple):
    """Instructions first to last without a branch between them, and the numbers of the blocks that may follow."""

    first: int
    last: int
    successors: tuple


_ENDS = ("s_endpgm", "s_endpgm_saved", "s_setpc_b64", "s_set_pc_i64", "s_rfe_b64", "s_rfe_i64", "s_code_end")
_CALLS = ("s_call_b64", "s_call_i64")


def blocks_of(found, targets):
    """Return the blocks and the numbers of those where execution may begin."""
    leaders = {0: True} if found else {}
    for item in found:
        if item.labels:
            leaders[item.index] = True
        if _leaves(item, targets) and item.index + 1 < len(found):
            leaders[item.index + 1] = True
    for source in targets:
        leaders[targets[source]] = True
    starts = sorted(leaders)
    number_at = {}
    for number in range(len(starts)):
        number_at[starts[number]] = number
    blocks = []
    for number in range(len(starts)):
        last = (starts[number + 1] if number + 1 < len(starts) else len(found)) - 1
        item = found[last]
        follows = []
        if item.index in targets and item.mnemonic not in _CALLS:
            follows.append(number_at[targets[item.index]])
        if item.mnemonic not in _ENDS and item.mnemonic != "s_branch" and last + 1 < len(found):
            if number_at[last + 1] not in follows:
                follows.append(number_at[last + 1])
        blocks.append(Block(starts[number], last, tuple(follows)))
    reached, entries = {}, []
    for number in range(len(blocks)):
        if number not in reached:
            # A block that nothing before it reaches is a further function, or is reached in a way the text does not show.
            if number == 0 or not _padding(found, blocks[number]):
                entries.append(number)
                _reach(blocks, number, reached)
    return tuple(blocks), tuple(entries)


def _padding(found, block):
    for index in range(block.first, block.last + 1):
        if found[index].mnemonic not in ("s_nop", "s_code_end", "v_nop"):
            return False
    return True


def _reach(blocks, start, reached):
    stack = [start]
    while stack:
        number = stack.pop()
        if number not in reached:
            reached[number] = True
            stack += blocks[number].successors


def _leaves(item, targets):
    name = item.mnemonic
    return name in _ENDS or name[:9] == "s_cbranch" or name == "s_branch" or item.index in targets


def back_edges_of(blocks, entries):
    """Return the edges that close loops: those to a block that is on the way to their start."""
    found, done = [], {}
    for entry in entries:
        if entry in done:
            continue
        stack, on_way = [(entry, 0)], {entry: True}
        while stack:
            number, step = stack.pop()
            if step < len(blocks[number].successors):
                stack.append((number, step + 1))
                target = blocks[number].successors[step]
                if target in on_way:
                    found.append((number, target))
                elif target not in done:
                    on_way[target] = True
                    stack.append((target, 0))
            else:
                done[number] = True
                on_way.pop(number)
    return tuple(sorted(found))
