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
            place = _place(item, effects[item.index], registers[item.index])
            if place not in places:
                places.append(place)
    if len(places) > 1:
        return False
    changing, written = [], _writers(program, registers)
    for kind, operand, _ in places:
        if kind == "copy":
            changing = ["m0"]
        elif kind == "async":
            changing = list(operand[:1])
        else:
            changing = list(operand[1:2])
    return not any([_changes(program, registers, written, name) for name in changing])


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


def run_left(runs, run_of, shared, pending):
    """Return (finished, run length) of a run of copies of which a wait left only a part, or None.

    Args: runs, shared: see runs_of; run_of: {copy: number of its run}; pending: dict with the numbers of the copies that are
      outstanding.
    """
    broken = None
    for number in sorted({run_of[one] for one in pending if one in run_of}):
        run = runs[number]
        left = len([one for one in run if one in pending])
        if left and left < len(run):
            broken = (len(run) - left, len(run), left)
    return None if broken is None or broken[2] % shared == 0 else broken[:2]


def _breaks(item, effect):
    if effect.lds or effect.events or item.mnemonic[:6] == "s_wait" or item.mnemonic[:9] == "s_barrier":
        return True
    return bool(item.operands) and item.operands[0] == "m0"


def _place(item, effect, registers):
    offsets = tuple([word for word in item.modifiers if word[:6] == "offset"])
    if effect.path == "tensor":
        return (effect.path, tuple(_first_registers(item)), ())
    if effect.path == "async":
        return (effect.path, tuple(registers[0]) if registers else (), offsets)
    return (effect.path, (), offsets)


def _first_registers(item):
    """Return the first two registers of a tensor descriptor: the second holds the LDS address."""
    return registers_in(item.operands[0], {})[:2] if item.operands else []


def _writers(program, registers):
    """Return {register: instructions that name it first, in order}, comparisons and waits left out."""
    written = {}
    for item in program.instructions:
        if registers[item.index] and item.mnemonic[:5] not in ("s_cmp", "s_wai"):
            for name in registers[item.index][0]:
                written.setdefault(name, []).append(item.index)
    return written


def _changes(program, registers, written, name):
    """Return True when a register is written with more than one value: two different writes, or one that depends on itself."""
    writes = []
    for index in written.get(name, ()):
        item = program.instructions[index]
        if "store" in item.mnemonic or "write" in item.mnemonic:
            continue
        text = item.mnemonic + " " + ",".join(item.operands[1:])
        others = [one for operand in registers[item.index][1:] for one in operand]
        if name in others:
            return True
        if text not in writes:
            writes.append(text)
        if len(writes) > 1:
            return True
        for other in others:
            where = written.get(other, ())
            if other != name and (len(where) > 1 or (where and where[-1] > index)):
                return True  # a source that is written more than once, or after its use
    return False


def _common(one, other):
    while other:
        one, other = other, one % other
    return one
