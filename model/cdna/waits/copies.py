# SPDX-License-Identifier: Apache-2.0
"""Whether the copies of a program into LDS all go to one buffer, and which of them lie in one run.

The text seldom says where a lane reads. What it says is where the copies go: M0 and the offset, a descriptor, an address
register. Where that never changes there is one buffer, and reading it beside an outstanding copy is wrong. Where it
changes, reading may be right: the wave may read one buffer while it fills the other.
"""

from cdna.waits.events import is_copy
from cdna.waits.registers import registers_in


def one_buffer(program, effects, registers):
    """Return True when all copies into LDS of a program go to one place, as far as the text tells.

    Args: program: a Program; effects, registers: of each of its instructions.
    """
    places = []
    for item in program.instructions:
        if is_copy(effects[item.index]):
            place = _place(item, effects[item.index])
            if place not in places:
                places.append(place)
    if len(places) > 1:
        return False
    changing = []
    for kind, operand, _ in places:
        if kind == "copy":
            changing = ["m0"]
        elif kind == "async":
            changing = list(operand[:1])
        else:
            changing = list(operand[1:2])
    return not any([_changes(program, registers, name) for name in changing])


def runs_of(program, effects):
    """Return the runs of copies (tuples of instruction numbers), and the greatest length that divides them all.

    A run: copies one after the other in a block, with no wait, barrier, LDS instruction or write of M0 between them.
    Args: program: a Program; effects: of each of its instructions. Tensor loads are not counted: each is a whole tile.
    """
    runs, shared = [], 0
    for block in program.blocks:
        run = []
        for index in range(block.first, block.last + 2):
            if index <= block.last and is_copy(effects[index]) and effects[index].path != "tensor":
                run.append(index)
                continue
            if index <= block.last and not _breaks(program.instructions[index], effects[index]):
                continue
            if run:
                runs.append(tuple(run))
                shared = _common(shared, len(run))
            run = []
    return tuple(runs), shared


def run_left(runs, shared, pending):
    """Return (finished, run length) of a run of copies of which a wait left only a part, or None.

    Args: runs, shared: see runs_of; pending: dict with the numbers of the copies that are outstanding.
    """
    broken = None
    for run in runs:
        left = len([one for one in run if one in pending])
        if left and left < len(run):
            broken = (len(run) - left, len(run), left)
    return None if broken is None or broken[2] % shared == 0 else broken[:2]


def _breaks(item, effect):
    if effect.lds or effect.events or item.mnemonic[:6] == "s_wait" or item.mnemonic[:9] == "s_barrier":
        return True
    return bool(item.operands) and item.operands[0] == "m0"


def _place(item, effect):
    offsets = tuple([word for word in item.modifiers if word[:6] == "offset"])
    if effect.path == "tensor":
        return (effect.path, tuple(_first_registers(item)), ())
    if effect.path == "async":
        return (effect.path, (item.operands[0],) if item.operands else (), offsets)
    return (effect.path, (), offsets)


def _first_registers(item):
    """Return the first two registers of a tensor descriptor: the second holds the LDS address."""
    return registers_in(item.operands[0], {})[:2] if item.operands else []


def _changes(program, registers, name):
    """Return True when a register is written with more than one value: two different writes, or one that depends on itself."""
    writes = []
    for item in program.instructions:
        if (
            not item.operands
            or item.mnemonic[:5] in ("s_cmp", "s_wai")
            or "store" in item.mnemonic
            or "write" in item.mnemonic
        ):
            continue
        if name not in registers[item.index][0] if registers[item.index] else True:
            continue
        text = item.mnemonic + " " + ",".join(item.operands[1:])
        others = [one for operand in registers[item.index][1:] for one in operand]
        if name in others:
            return True
        if text not in writes:
            writes.append(text)
        for other in others:
            if other != name and _varies(program, registers, other, item.index):
                return True
    return len(writes) > 1


def _varies(program, registers, name, before):
    """Return True when a source register is written more than once, or after its use."""
    count = 0
    for item in program.instructions:
        if (
            item.operands
            and registers[item.index]
            and name in registers[item.index][0]
            and item.mnemonic[:5] not in ("s_cmp", "s_wai")
        ):
            if item.index > before:
                return True
            count += 1
    return count > 1


def _common(one, other):
    while other:
        one, other = other, one % other
    return one
