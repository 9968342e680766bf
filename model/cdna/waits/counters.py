# SPDX-License-Identifier: Apache-2.0
"""Counters of outstanding operations per target, and the operands and words that wait for them.

gfx942 and gfx950 pack three counts into the 16-bit operand of one `s_waitcnt`. gfx1250 has one opcode for each counter
and two that wait for a pair. A wait holds the wave until at most as many operations as its count are outstanding; the
largest value of a field cannot be exceeded, so it waits for nothing.
"""

from typing import NamedTuple


class Counter(NamedTuple):
    """One counter: its name, the largest value its field holds, and the claim that carries it."""

    name: str
    most: int
    claim: str


class Wait(NamedTuple):
    """One decoded wait: mnemonic, (counter name, count) pairs, counters that it leaves free, bits that mean nothing, text."""

    mnemonic: str
    counts: tuple
    free: tuple
    unused: int
    text: str


class WaitError(ValueError):
    """A count, operand or word that does not exist on the target; the text says what is allowed."""


PACKED = ("gfx942", "gfx950")
SPLIT = ("gfx1250",)

# Counter, most, claim. The order is the order in which an assembler prints them.
_PACKED_COUNTERS = (
    Counter("vmcnt", 63, "WAIT-001"),
    Counter("expcnt", 7, "WAIT-001"),
    Counter("lgkmcnt", 15, "WAIT-001"),
)
# Counter name, then (bit of the operand, width, bit of the count) for each piece: vmcnt lies in two.
_PACKED_BITS = (
    ("vmcnt", ((0, 4, 0), (14, 2, 4))),
    ("expcnt", ((4, 3, 0),)),
    ("lgkmcnt", ((8, 4, 0),)),
)
_SPLIT_COUNTERS = (
    Counter("loadcnt", 63, "WAIT-051"),
    Counter("storecnt", 63, "WAIT-051"),
    Counter("dscnt", 63, "WAIT-051"),
    Counter("kmcnt", 31, "WAIT-051"),
    Counter("xcnt", 63, "WAIT-051"),
    Counter("asynccnt", 63, "WAIT-051"),
    Counter("tensorcnt", 63, "WAIT-051"),
)
# Upper half of the instruction word, mnemonic, (counter, bit of the operand) for each count.
_SPLIT_OPCODES = (
    (0xBFC0, "s_wait_loadcnt", (("loadcnt", 0),)),
    (0xBFC1, "s_wait_storecnt", (("storecnt", 0),)),
    (0xBFC5, "s_wait_xcnt", (("xcnt", 0),)),
    (0xBFC6, "s_wait_dscnt", (("dscnt", 0),)),
    (0xBFC7, "s_wait_kmcnt", (("kmcnt", 0),)),
    (0xBFC8, "s_wait_loadcnt_dscnt", (("loadcnt", 8), ("dscnt", 0))),
    (0xBFC9, "s_wait_storecnt_dscnt", (("storecnt", 8), ("dscnt", 0))),
    (0xBFCA, "s_wait_asynccnt", (("asynccnt", 0),)),
    (0xBFCB, "s_wait_tensorcnt", (("tensorcnt", 0),)),
)
_WAIT_ALU = 0xBF88
_WAIT_IDLE = 0xBF8A
_SWAITCNT = 0xBF8C
# Field of s_wait_alu, its lowest bit, its width; in the order in which an assembler prints them.
_ALU_FIELDS = (
    ("hold_cnt", 7, 1),
    ("sa_sdst", 0, 1),
    ("va_vdst", 12, 4),
    ("va_sdst", 9, 3),
    ("va_ssrc", 8, 1),
    ("va_vcc", 1, 1),
    ("vm_vsrc", 2, 3),
)


def counters_of(target):
    """Return the counters of a target.

    Args: target: gfx942, gfx950 or gfx1250.
    Raises: WaitError: unknown target.
    Claims: WAIT-001, WAIT-051
    """
    if target in PACKED:
        return _PACKED_COUNTERS
    if target in SPLIT:
        return _SPLIT_COUNTERS
    raise WaitError(f"target={target!r}: {', '.join(PACKED + SPLIT)}")


def most_of(target, name):
    """Return the largest count of a counter.

    Raises: WaitError: the target has no such counter.
    """
    for counter in counters_of(target):
        if counter.name == name:
            return counter.most
    known = [counter.name for counter in counters_of(target)]
    raise WaitError(f"{name}: {target} has {', '.join(known)}, {_claim(target)}")


def decode_operand(operand, target):
    """Return the Wait of a 16-bit operand of `s_waitcnt`.

    Args: operand: 0 to 0xffff; target: gfx942 or gfx950.
    Raises: WaitError: too large, or gfx1250, which has no such operand.
    Claims: WAIT-001, WAIT-010
    """
    if target not in PACKED:
        raise WaitError(
            f"s_waitcnt: {target} has one opcode for each counter, give the whole instruction word, WAIT-010"
        )
    if operand < 0 or operand > 0xFFFF:
        raise WaitError(f"operand={operand}: 0 to 0xffff, WAIT-001")
    counts, used = [], 0
    for name, pieces in _PACKED_BITS:
        count = 0
        for lo, width, at in pieces:
            mask = (1 << width) - 1
            count |= ((operand >> lo) & mask) << at
            used |= mask << lo
        counts.append((name, count))
    return _packed_wait(tuple(counts), target, operand & ~used)


def decode_word(word, target):
    """Return the Wait of one whole instruction word.

    Args: word: 32 bits, such as 0xbfc8011c, the last two bytes of the memory order on top; target: any.
    Raises: WaitError: not a wait instruction of the target.
    Claims: WAIT-001, WAIT-051
    """
    if word < 0 or word > 0xFFFFFFFF:
        raise WaitError(f"word={hex(word)}: 32 bits")
    top, operand = word >> 16, word & 0xFFFF
    if target in PACKED:
        if top == _SWAITCNT:
            return decode_operand(operand, target)
        raise WaitError(f"word={hex(word)}: no wait of {target}; s_waitcnt is 0xbf8c and its operand, WAIT-001")
    counters_of(target)
    for code, mnemonic, places in _SPLIT_OPCODES:
        if code == top:
            return _split_wait(mnemonic, places, operand, target)
    if top == _WAIT_IDLE:
        zeros = tuple([(counter.name, 0) for counter in _SPLIT_COUNTERS])
        return Wait("s_wait_idle", zeros, (), operand, "s_wait_idle")
    if top == _WAIT_ALU:
        return _alu_wait(operand)
    known = ", ".join([hex(code) for code, _, _ in _SPLIT_OPCODES])
    raise WaitError(
        f"word={hex(word)}: no wait of {target}; the upper half is one of {known}, 0xbf8a (idle) or 0xbf88 (alu)"
    )


def encode_operand(counts, target):
    """Return the 16-bit operand of `s_waitcnt` for some counts; a counter that is not given is not waited for.

    Args: counts: dict counter name -> most operations that may stay outstanding; target: gfx942 or gfx950.
    Raises: WaitError: unknown counter, or a count that does not fit its field.
    Claims: WAIT-001
    """
    if target not in PACKED:
        raise WaitError(f"s_waitcnt: not on {target}, WAIT-010")
    for name in counts:
        _fits(name, counts[name], target)
    operand = 0
    for name, pieces in _PACKED_BITS:
        count = counts[name] if name in counts else most_of(target, name)
        for lo, width, at in pieces:
            operand |= ((count >> at) & ((1 << width) - 1)) << lo
    return operand


def encode_words(counts, target):
    """Return instruction words that wait for some counts: one on gfx942 and gfx950; on gfx1250 as few as there are opcodes for.

    Args: counts: dict counter name -> most operations that may stay outstanding.
    Raises: WaitError: unknown counter, or a count that does not fit its field.
    Claims: WAIT-001, WAIT-051
    """
    if target in PACKED:
        return (_SWAITCNT << 16 | encode_operand(counts, target),)
    for name in counts:
        _fits(name, counts[name], target)
    words, done = [], []
    for pairs in (True, False):
        for code, _, places in _SPLIT_OPCODES:
            names = [name for name, _ in places]
            if (len(names) == 2) != pairs or not all([name in counts and name not in done for name in names]):
                continue
            operand = 0
            for name, at in places:
                operand |= counts[name] << at
            words.append(code << 16 | operand)
            done += names
    return tuple(words)


def wait_text(counter, count, target):
    """Return the instruction that waits for one counter, as an assembler prints it."""
    if target in PACKED:
        return f"s_waitcnt {counter}({count})"
    return f"s_wait_{counter} {hex(count)}"


def opcode_places(mnemonic):
    """Return the (counter, bit) pairs of a gfx1250 wait mnemonic, or None when it is no such wait."""
    for _, name, places in _SPLIT_OPCODES:
        if name == mnemonic:
            return places
    return None


def word_of(wait, target):
    """Return the instruction word of a Wait.

    Args: wait: not of s_wait_alu; target: one that has the instruction. Claims: WAIT-001, WAIT-051
    """
    counts = dict(wait.counts)
    if target in PACKED:
        return _SWAITCNT << 16 | encode_operand(counts, target) | wait.unused
    word = _WAIT_IDLE << 16
    for code, name, places in _SPLIT_OPCODES:
        if name == wait.mnemonic:
            word = code << 16
            for counter, at in places:
                word |= counts[counter] << at
    return word


def alu_word(text):
    """Return the instruction word of s_wait_alu with the named fields, as in `depctr_va_vdst(0)`; the others do not wait.

    Raises: WaitError: no such field, or a count that it cannot hold. Claims: WAIT-077
    """
    operand = 0
    for _, lo, width in _ALU_FIELDS:
        operand |= ((1 << width) - 1) << lo
    for part in text.replace("&", " ").replace(",", " ").split():
        field, _, count = part.partition("(")
        count = count[:-1]
        places = [(lo, (1 << width) - 1) for name, lo, width in _ALU_FIELDS if "depctr_" + name == field]
        if not places or part[-1] != ")" or not count.isdigit():
            names = ", ".join([name for name, _, _ in _ALU_FIELDS])
            raise WaitError(f"s_wait_alu {part}: a number, or depctr_NAME(N) of {names}, WAIT-077")
        lo, most = places[0]
        if int(count) > most:
            raise WaitError(f"{field}={count}: 0..{most}, WAIT-077")
        operand = operand & ~(most << lo) | int(count) << lo
    return _WAIT_ALU << 16 | operand


def waits_of(target):
    """Return the mnemonics of the waits of a target."""
    if target in PACKED:
        return ("s_waitcnt",)
    return tuple([name for _, name, _ in _SPLIT_OPCODES]) + ("s_wait_idle", "s_wait_alu")


def split_wait(mnemonic, operand, target):
    """Return the Wait of a gfx1250 mnemonic and its operand.

    Raises: WaitError: no such wait, or an operand beyond 16 bits.
    """
    if target not in SPLIT:
        raise WaitError(f"{mnemonic}: not on {target}, WAIT-010")
    if operand < 0 or operand > 0xFFFF:
        raise WaitError(f"operand={operand}: 0 to 0xffff, WAIT-051")
    places = opcode_places(mnemonic)
    if places is None:
        raise WaitError(f"{mnemonic}: no wait of {target}")
    return _split_wait(mnemonic, places, operand, target)


def too_high(wait, target):
    """Return [(counter, count, most)] for counts of a Wait that the counter cannot hold. Assemblers accept them.

    Claims: WAIT-051
    """
    if target not in SPLIT or wait.mnemonic in ("s_wait_alu", "s_wait_idle"):
        return []
    return [(name, count, most_of(target, name)) for name, count in wait.counts if count > most_of(target, name)]


def read_as(count, most):
    """Return the count that a wait acts on: the low bits of its operand, those that `most` has.

    Claims: GFX-008 (position low-bits), TDM-141
    """
    return count & most


def _fits(name, count, target):
    most = most_of(target, name)
    if count < 0 or count > most:
        raise WaitError(f"{name}={count}: 0..{most}, {_claim(target)}")


def _claim(target):
    return "WAIT-001" if target in PACKED else "WAIT-051"


def _packed_wait(counts, target, unused):
    shown = [f"{name}({count})" for name, count in counts if count < most_of(target, name)]
    free = tuple([name for name, count in counts if count >= most_of(target, name)])
    if not shown:
        shown = [f"{name}({count})" for name, count in counts]
    return Wait("s_waitcnt", counts, free, unused, "s_waitcnt " + " ".join(shown))


def _split_wait(mnemonic, places, operand, target):
    counts, used = [], 0
    for name, at in places:
        width = (
            8 if len(places) == 2 else 16
        )  # every bit that is written counts as the author's: ranges are checked apart
        mask = (1 << width) - 1
        used |= mask << at
        counts.append((name, (operand >> at) & mask))
    free = tuple([name for name, count in counts if read_as(count, most_of(target, name)) == most_of(target, name)])
    return Wait(mnemonic, tuple(counts), free, operand & ~used & 0xFFFF, f"{mnemonic} {hex(operand)}")


def _alu_wait(operand):
    counts, free, shown, used = [], [], [], 0
    for name, lo, width in _ALU_FIELDS:
        mask = (1 << width) - 1
        value = (operand >> lo) & mask
        used |= mask << lo
        counts.append((name, value))
        if value == mask:
            free.append(name)
        else:
            shown.append(f"depctr_{name}({value})")
    text = "s_wait_alu " + (" ".join(shown) if shown else hex(operand))
    return Wait("s_wait_alu", tuple(counts), tuple(free), operand & ~used & 0xFFFF, text)
