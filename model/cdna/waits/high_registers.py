# SPDX-License-Identifier: Apache-2.0
"""VGPRs above v255 of gfx1250: `s_set_vgpr_msb` chooses, for each operand slot, the group of 256 that a name means.

A mode has one number for each slot (src0, src1, src2, dst): bit g is set where group g may be in force. One bit says that
the group is known; more say that paths differ, or that sources do. Use: `modes_of` once for a program, then `registers_of`
for each instruction with its mode. A remark of an assembler (`v0 /*v256*/`) is the reader's; here it is checked.
"""

from cdna.waits.registers import number_of, registers_in, value_of

SLOTS = ("src0", "src1", "src2", "dst")  # two bits each in the operand, src0 lowest. Claims: VGPR-002
START = (1, 1, 1, 1)  # group 0: at a kernel's entry, and at a function's by the compilers' convention
ANY = (15, 15, 15, 15)
GROUP = 256

_IN_MODE = (2, 4, 6, 0)  # where each slot's pair stands in the mode register, from bit 12: dst first, then the sources
_MSB_BIT = 12
_CALLS = ("s_swappc_b64", "s_swap_pc_i64", "s_call_b64", "s_call_i64")
_DST, _SRC = 3, (0, 1, 2)
_NO_SLOT = None


def modes_of(program):
    """Return the mode in front of each instruction of a Program, over all paths; None where nothing leads.

    Claims: VGPR-002, VGPR-007, VGPR-008
    """
    modes = [None] * len(program.instructions)
    if not any([changes(item) for item in program.instructions]):
        return [START] * len(program.instructions)
    before = [None] * len(program.blocks)
    for number in program.entries:
        before[number] = START
    work = list(program.entries)
    while work:
        number = work.pop()
        mode, block = before[number], program.blocks[number]
        for index in range(block.first, block.last + 1):
            modes[index] = mode
            previous = program.instructions[index - 1] if index > block.first else None
            mode = after(program.instructions[index], mode, program.symbols, previous)
        for follower in block.successors:
            both = mode if before[follower] is None else _either(before[follower], mode)
            if both != before[follower]:
                before[follower] = both
                work.append(follower)
    return modes


def high_registers(program, registers):
    """Return the registers of each instruction with their groups, and the numbers of instructions whose group is not known.

    Args: program: a Program; registers: for each instruction the registers of each operand, as `operand_registers` gives them.
    Returns: (registers, unknown); where the group is not known the registers of every possible group are there.
    """
    modes, found, unknown = modes_of(program), list(registers), []
    for item in program.instructions:
        mode = modes[item.index]
        if _plain(registers[item.index], mode):
            continue
        if not_known(item, program.symbols, mode):
            unknown.append(item.index)
        found[item.index] = registers_of(item, program.symbols, mode)
    return found, tuple(unknown)


def changes(item):
    """Return True when an instruction may change the groups, calls left aside."""
    return item.mnemonic == "s_set_vgpr_msb" or mode_write(item) is not None


def after(item, mode, symbols, previous=None):
    """Return the mode behind an instruction.

    Args: item: an Instruction; mode: in front of it; symbols: of the assembler; previous: the Instruction in front of it or
      None, because a write of the mode register may swallow the setting behind it.
    """
    if item.mnemonic in _CALLS:
        return START
    if item.mnemonic == "s_set_vgpr_msb":
        value = value_of(item.operands[0], symbols) if item.operands else None
        new = ANY if value is None else tuple([1 << (value >> (2 * slot) & 3) for slot in range(4)])
        return _either(mode, new) if previous is not None and mode_write(previous) is not None else new
    written = mode_write(item)
    if written is None:
        return mode
    first, width = written
    reaches = first < _MSB_BIT + 8 and first + width > _MSB_BIT
    if item.mnemonic == "s_setreg_b32":
        return ANY if reaches else mode
    value = value_of(item.operands[-1], symbols)
    if value is None:
        return ANY
    # Two readings: the write touches the bits that it names; or, as LLVM has it, bits 12 to 19 of the immediate always.
    named = _of_mode_bits(value << first >> _MSB_BIT) if reaches and first + width >= _MSB_BIT + 8 else mode
    if reaches and (first > _MSB_BIT or first + width < _MSB_BIT + 8):
        named = ANY
    return _either(named, _of_mode_bits(value >> _MSB_BIT))


def mode_write(item):
    """Return (first bit, width) that an instruction writes of the mode register, or None when it writes none of it."""
    if item.mnemonic not in ("s_setreg_b32", "s_setreg_imm32_b32") or len(item.operands) < 2:
        return None
    text = item.operands[0].replace(" ", "").lower()
    number = number_of(text)
    if number is not None:
        return (number >> 6 & 31, (number >> 11 & 31) + 1) if number & 63 == 1 else None
    if text[:6] != "hwreg(":
        return (0, 32)  # not readable: any bit
    parts = text[6:].strip(")").split(",")
    if parts[0] not in ("hw_reg_mode", "hw_reg_wave_mode", "1"):
        return None
    if len(parts) < 3:
        return (0, 32)
    first, width = number_of(parts[1]), number_of(parts[2])
    return (0, 32) if first is None or width is None else (first, width)


def registers_of(item, symbols, mode):
    """Return the registers of each operand of an instruction, a list of lists, high groups resolved.

    Args: item: an Instruction; symbols: of the assembler; mode: in front of it, None where it is not reached.
    Where a group is not known, or a remark names another one, the registers of every possible group are there.
    """
    lists = [registers_in(operand, symbols) for operand in item.operands]
    if _plain(lists, mode):
        return lists
    slots = slots_of(item)
    for place in range(len(lists)):
        if any([_is_vector(name) for name in lists[place]]):
            lists[place] = _in_groups(lists[place], _groups(mode, slots[place]))
    return lists


def not_known(item, symbols, mode):
    """Return why a VGPR of an instruction is not known: "paths", "remark" (another group than the mode), or ""."""
    why = ""
    lists = [registers_in(operand, symbols) for operand in item.operands]
    if mode is None or _plain(lists, mode):
        return why
    slots = slots_of(item)
    for place in range(len(lists)):
        named = [int(name[1:]) // GROUP for name in lists[place] if _is_vector(name)]
        groups = _groups(mode, slots[place])
        if named and len(groups) > 1:
            return "paths"
        if named and named[0] and named[0] not in groups:
            why = "remark"
    return why


def slots_of(item):
    """Return for each operand its slot, 0 to 3 as in SLOTS, or None for one that has no slot and means v0 to v255.

    As LLVM 22.1.8 prints them for every kind of gfx1250 instruction with vector operands; the scales of a matrix instruction
    have none, its code generator keeps them below v256. Claims: VGPR-002, VGPR-012
    """
    name, count = item.mnemonic, len(item.operands)
    if name[:6] == "v_dual":
        return _of_halves(item)
    if name[:2] == "v_":
        if name[:6] == "v_cmpx" and not _is_exec(item):
            order = _SRC
        elif "_co_" in name or name[:11] == "v_div_scale":
            order = (_DST, _NO_SLOT) + _SRC
        elif name[:15] == "v_wmma_ld_scale":
            order = ()
        else:
            order = (_DST,) + _SRC
    elif name[:7] == "buffer_" or name[:8] == "tbuffer_":
        order = (_DST, 0)  # loads, stores and atomics alike
    elif _has_result(item):
        order = (_DST,) + _SRC
    else:
        order = _SRC
    return [order[place] if place < len(order) else _NO_SLOT for place in range(count)]


def _of_halves(item):
    slots, place = [], 0
    for operand in item.operands:
        if operand[:6] == "v_dual":
            place = 0  # the second instruction of a pair begins here
        slots.append(((_DST,) + _SRC)[place] if place < 4 else _NO_SLOT)
        place += 1
    return slots


def _is_exec(item):
    return bool(item.operands) and item.operands[0] in ("exec", "exec_lo")


def _has_result(item):
    name = item.mnemonic
    if name[:3] == "ds_":
        if name in ("ds_append", "ds_consume") or "permute" in name or "swizzle" in name:
            return True
        return "_rtn" in name or name[:7] == "ds_load" or name[:7] == "ds_read"
    if "_load" in name:
        return True  # also asynchronous ones, whose first operand is an address in LDS
    if "_atomic" in name:
        returns = [word for word in item.modifiers if word[:3] == "th:" and "return" in word]
        return bool(returns) or (name[:5] != "flat_" and len(item.operands) == 4)
    return False


def _plain(lists, mode):
    """Return True when the names mean what they say: group 0 in force and no remark of another."""
    return (mode is None or mode == START) and not any([_high(name) for names in lists for name in names])


def _groups(mode, slot):
    if slot is None or mode is None:
        return (0,)
    return tuple([group for group in range(4) if mode[slot] >> group & 1])


def _in_groups(names, groups):
    found = []
    own = [int(name[1:]) // GROUP for name in names if _is_vector(name)][
        0
    ]  # the group of a remark; a tuple may run on into the next
    for name in names:
        if not _is_vector(name):
            choices = [name]
        else:
            number = int(name[1:])
            choices = [f"v{number + GROUP * (group - own)}" for group in groups]
            if own:
                choices.append(name)  # as a remark has it
        for choice in choices:
            if choice not in found:
                found.append(choice)
    return found


def _is_vector(name):
    return name[:1] == "v" and name[1:].isdigit()


def _high(name):
    return _is_vector(name) and int(name[1:]) >= GROUP


def _of_mode_bits(bits):
    return tuple([1 << (bits >> _IN_MODE[slot] & 3) for slot in range(4)])


def _either(one, other):
    return tuple([one[slot] | other[slot] for slot in range(4)])
