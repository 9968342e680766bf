# SPDX-License-Identifier: Apache-2.0
"""The descriptors in a debugger's dump of scalar registers, such as rocgdb's `info registers s0-s19`.

Registers may come in any order; one that is told again begins the next dump. Where the text also holds the tensor
instruction, its operands say which registers are which group; else descriptors are looked for in register order.
"""

import re

from . import Found, Unreadable

_ONE = re.compile(
    r"^\s*(?:\(gdb\)\s*)?\$?(s|sgpr|ttmp)\[?(\d{1,3})\]?\s*[:=]?\s*"
    r"(0x[0-9A-Fa-f]+|[0-9A-Fa-f]{1,8}|-?\d+)(?:\s+\(?-?\d+\)?)?\s*(?:#.*|//.*)?$",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"^\s*\$?(s|sgpr|ttmp)\[(\d{1,3}):(\d{1,3})\]\s*[:=]?\s*(.+?)\s*$", re.IGNORECASE)
_OTHER = re.compile(
    r"^\s*(?:\(gdb\).*|\$?(?:v|a)\d+\b.*|(?:exec|vcc|scc|pc|m0|mode|status|trapsts|flat_scratch|xnack_mask|wave_id)\w*\b.*)$",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(r"\btensor_(load_to|store_from)_lds\s+(.*)", re.IGNORECASE)
_RANGE = re.compile(r"(s|ttmp)\[(\d+):(\d+)\]")


def is_register_dump(text):
    """Say whether a text tells registers by name, one a line."""
    lines = [line for line in text.splitlines() if line.strip()]
    told = sum(bool(_ONE.match(line) or _range_of(line)) for line in lines)
    return told > 0


def is_assembly(text):
    """Say whether a text holds one of the tensor instructions with its registers."""
    return any(_RANGE.search(found.group(2).lower()) for found in _INSTRUCTION.finditer(text))


def descriptors_of_registers(text):
    """Return the descriptors of a register dump, in register order, dump after dump.

    Args: text: lines such as `s0  0x00000001  1`, `s4 = 0x1` or `s[0:3]: 1 0 5600 80007f00` (hexadecimal). Numbers
      without 0x that stand one a line are all decimal or all hexadecimal, see `_base_of`.
    Returns: list of Found.
    Raises: Unreadable: a line is neither a register nor known to be something else, or nothing looks like one.
    """
    dumps, wanted, base = [{}], [], _base_of(text)
    for number, line in enumerate(text.splitlines(), 1):
        instruction = _INSTRUCTION.search(line)
        if instruction:
            wanted.append((instruction.group(1).lower(), _RANGE.findall(instruction.group(2).lower())))
            continue
        told = _registers_of(line, number, base)
        if any(register in dumps[-1] for register, _ in told):
            dumps.append({})
        dumps[-1].update(told)
    found = []
    for i, dump in enumerate(dumps):
        prefix = f"dump {i + 1}, " if len(dumps) > 1 else ""
        ours = _by_instruction(dump, wanted) or [item for run in _runs(dump) for item in _in_run(*run)]
        found += [item._replace(name=prefix + item.name) for item in ours]
    if not found:
        raise Unreadable("no run of 12 registers with 2 in the two top bits of the fourth, where a descriptor begins")
    return found


def _range_of(line):
    found = _SEVERAL.match(line)
    if not found:
        return None
    bank, low, high, rest = found.groups()
    words = rest.replace(",", " ").split()
    if int(high) - int(low) + 1 != len(words) or not all(re.fullmatch(r"(?:0x)?[0-9A-Fa-f]{1,8}", w) for w in words):
        return None
    return [((_bank(bank), int(low) + i), int(word, 16)) for i, word in enumerate(words)]


def _base_of(text):
    """Return 10 or 16 for the numbers without 0x: a debugger prints all of them in one base.

    The fourth word of a descriptor has its top bit set: in decimal it is negative or has 10 digits, in hexadecimal 8.
    Raises: Unreadable: some can only be decimal and others only hexadecimal.
    """
    decimal = hexadecimal = ""
    eight = False
    for line in text.splitlines():
        one = None if _range_of(line) else _ONE.match(line)
        value = one.group(3).lower() if one else "0x"
        if value.startswith("0x"):
            continue
        if value.startswith("-") or len(value) > 8:
            decimal = value
        elif not value.isdecimal() or (len(value) > 1 and value.startswith("0")):
            hexadecimal = value
        eight = eight or len(value) == 8
    if decimal and hexadecimal:
        raise Unreadable(f"{hexadecimal} is hexadecimal and {decimal} decimal: write 0x before what is hexadecimal")
    return 16 if hexadecimal or (eight and not decimal) else 10


def _registers_of(line, number, base):
    if not line.strip() or line.lstrip().startswith(("#", "//", ";")):
        return []
    several = _range_of(line)
    if several:
        return several
    one = _ONE.match(line)
    if one:
        bank, index, text = one.group(1), one.group(2), one.group(3).lower()
        value = int(text, 16 if text.startswith("0x") else base)
        if not -(1 << 31) <= value < 1 << 32:
            raise Unreadable(f"line {number}: {bank}{index} holds more than 32 bits")
        return [((_bank(bank), int(index)), value & 0xFFFFFFFF)]
    if _OTHER.match(line):
        return []
    raise Unreadable(f"line {number}: {line.strip()[:40]!r} is not a register and its value")


def _bank(name):
    return "ttmp" if name.lower() == "ttmp" else "s"


def _by_instruction(dump, wanted):
    """Return the descriptors whose registers the instructions name, of those that this dump holds in full."""
    found = []
    for verb, ranges in wanted:
        registers = [(bank, i) for bank, low, high in ranges for i in range(int(low), int(high) + 1)]
        if len(registers) in (12, 16, 20) and all(register in dump for register in registers):
            name = ", ".join(f"{bank}[{low}:{high}]" for bank, low, high in ranges)
            op = "load" if verb == "load_to" else "store"
            found.append(Found(name, tuple(dump[register] for register in registers), op))
    return found


def _runs(dump):
    """Yield (bank, first register, values) for each run of registers without a gap."""
    for bank in ("s", "ttmp"):
        numbers = sorted(index for name, index in dump if name == bank)
        start = 0
        for i in range(1, len(numbers) + 1):
            if i == len(numbers) or numbers[i] != numbers[i - 1] + 1:
                yield bank, numbers[start], [dump[bank, index] for index in numbers[start:i]]
                start = i


def _in_run(bank, first, values):
    if len(values) in (4, 12, 16, 20) and (len(values) < 16 or not _begins(values, 4)):
        return [Found(_name(bank, first, len(values)), tuple(values), None)]
    found, at = [], -first % 4
    while at + 12 <= len(values):
        if not _begins(values, at):
            at += 4
            continue
        wide = values[at] >> 31 or values[at + 4] >> 19 & 1 or values[at + 8] >> 16
        long = wide and at + 20 <= len(values) and not _begins(values, at + 12)
        count = 20 if long else 12
        found.append(Found(_name(bank, first + at, count), tuple(values[at : at + count]), None))
        at += count
    return found


def _begins(values, at):
    """Say whether a descriptor may begin here: type 2, its reserved bits zero, a count that is no restore."""
    if at + 12 > len(values):
        return False
    return values[at + 3] >> 25 == 0x40 and not values[at] & 0x3FFFF800 and values[at] & 3 < 2


def _name(bank, first, count):
    return f"{bank}[{first}:{first + count - 1}]"
