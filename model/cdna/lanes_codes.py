# SPDX-License-Identifier: Apache-2.0
"""How programs write a move between lanes: the codes of DPP controls, and the patterns behind the names of swizzles."""

from cdna.lanes import DPP, LaneError, wave_lanes

# The nine-bit code of a control: the first code, and how many there are. The amounts ascend with it.
_CODES = (
    ("row_shl", 0x101, 15),
    ("row_shr", 0x111, 15),
    ("row_ror", 0x121, 15),
    ("wave_shl", 0x130, 1),
    ("wave_rol", 0x134, 1),
    ("wave_shr", 0x138, 1),
    ("wave_ror", 0x13C, 1),
    ("row_mirror", 0x140, 0),
    ("row_half_mirror", 0x141, 0),
    ("row_newbcast", 0x150, 16),
    ("row_share", 0x150, 16),
    ("row_xmask", 0x160, 16),
)


def control_of_code(code, target):
    """Return (control, amount) of the number that `update_dpp` and the instruction word hold.

    Args: code: such as 0x111; target: 0x150 is row_newbcast on gfx942 and gfx950, row_share on gfx1250.
    Raises: LaneError: a number that stands for no control of the target.
    Claims: LANE-001, LANE-055
    """
    wave_lanes(target)
    if 0 <= code <= 0xFF:
        return "quad_perm", [code >> 2 * i & 3 for i in range(4)]
    found = None
    if code in (0x142, 0x143):
        found = ("row_bcast", 15 if code == 0x142 else 31)
    for name, first, count in _CODES:
        if first <= code < first + max(count, 1):
            start = 0 if count == 16 else 1
            here = (name, code - first + start if count else None)
            if found is None or target in [item[1] for item in DPP if item[0] == name][0]:
                found = here
    if found is None:
        allowed = "0 to 0xff, 0x101 to 0x10f, 0x111 to 0x11f, 0x121 to 0x12f, 0x140, 0x141, 0x150 to 0x15f"
        allowed += ", 0x160 to 0x16f" if target == "gfx1250" else ", 0x130, 0x134, 0x138, 0x13c, 0x142, 0x143"
        raise LaneError("control", hex(code) if code >= 0 else code, allowed + " on " + target, "LANE-055")
    return found


# Names of swizzle patterns as the assembler has them, with how many numbers each takes.
SWIZZLES = (
    ("quad_perm", 4),
    ("swap", 1),
    ("reverse", 1),
    ("broadcast", 2),
    ("rotate", 2),
    ("fft", 1),
    ("bitmask_perm", 1),
)


def swizzle_pattern(name, numbers):
    """Return the 16-bit pattern of a named swizzle, as in `offset:swizzle(SWAP,16)`.

    Args: name: of SWIZZLES; numbers: as the assembler takes them; of bitmask_perm one text of five characters, the
      highest bit first: 0 and 1 set a bit, p keeps it, i inverts it.
    Raises: LaneError: an unknown name, or numbers that it does not take.
    Claims: LANE-053
    """
    known = [count for given, count in SWIZZLES if given == name]
    if not known:
        raise LaneError("pattern", name, ", ".join([given for given, _ in SWIZZLES]), "LANE-053")
    if len(numbers) != known[0]:
        raise LaneError(name, numbers, str(known[0]) + " to give", "LANE-053")
    if name == "bitmask_perm":
        return _bitmask(numbers[0])
    if name == "quad_perm":
        _each(name, numbers, 0, 3)
        return 0x8000 | numbers[0] | numbers[1] << 2 | numbers[2] << 4 | numbers[3] << 6
    if name == "fft":
        _each(name, numbers, 0, 31)
        return 0xE000 | numbers[0]
    if name == "rotate":
        _each(name, numbers[:1], 0, 1)
        _each(name, numbers[1:], 0, 31)
        return 0xC000 | numbers[0] << 10 | numbers[1] << 5
    sizes = (1, 2, 4, 8, 16) if name == "swap" else (2, 4, 8, 16, 32)
    if numbers[0] not in sizes:
        raise LaneError(name, numbers[0], ", ".join([str(size) for size in sizes]), "LANE-053")
    if name == "swap":
        return numbers[0] << 10 | 31
    if name == "reverse":
        return (numbers[0] - 1) << 10 | 31
    _each(name, numbers[1:], 0, numbers[0] - 1)
    return numbers[1] << 5 | 32 - numbers[0]


def _each(name, numbers, least, most):
    for number in numbers:
        if not least <= number <= most:
            raise LaneError(name, number, str(least) + ".." + str(most), "LANE-053")


def _bitmask(text):
    """The and, or and xor masks of five characters, the highest bit first."""
    if len(text) != 5 or [letter for letter in text if letter not in "01pi"]:
        raise LaneError("bitmask_perm", repr(text), "five of the characters 0, 1, p and i", "LANE-053")
    keep = set_ = turn = 0
    for letter in text:
        keep, set_, turn = keep << 1, set_ << 1, turn << 1
        if letter in "pi":
            keep |= 1
        if letter == "1":
            set_ |= 1
        if letter == "i":
            turn |= 1
    return keep | set_ << 5 | turn << 10
