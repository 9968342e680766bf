# SPDX-License-Identifier: Apache-2.0
"""Registers named in operands: `v12`, `v[1:4]`, `s[sgprA+2:sgprA+5]`, `vcc`, `v0 /*v256*/`, and assembler symbols."""

_PAIRS = ("vcc", "exec", "flat_scratch", "xnack_mask")
_SINGLE = (
    "m0",
    "scc",
    "vcc_lo",
    "vcc_hi",
    "exec_lo",
    "exec_hi",
    "flat_scratch_lo",
    "flat_scratch_hi",
    "xnack_mask_lo",
    "xnack_mask_hi",
)
_FILES = ("v", "s", "a", "ttmp", "acc")
_DIGITS = "0123456789"
_LARGEST = 1 << 63  # of a value, as in an assembler
_DEEPEST = 50  # brackets and signs inside each other
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$.@"


def is_word(char):
    """Return True for a character of a name or number."""
    return char in _LETTERS or char in _DIGITS


def words_of(text):
    """Return the names, numbers and single other characters of a text, blanks dropped."""
    found, word = [], ""
    for char in text:
        if is_word(char):
            word += char
            continue
        if word:
            found.append(word)
            word = ""
        if char not in " \t":
            found.append(char)
    if word:
        found.append(word)
    return found


def number_of(word):
    """Return the integer that a word spells (decimal, 0x, 0b, 0o), or None."""
    body = word.lower()
    try:
        if body[:2] in ("0x", "0b", "0o"):
            return int(body, 0)
        for char in body:
            if char not in _DIGITS:
                return None
        return int(body) if body else None
    except ValueError:
        return None


def value_of(text, symbols):
    """Return the integer of an expression of numbers, symbols, + - * ( ) << |, or None where it is none or leaves 64 bits.

    Args: symbols: dict name -> integer.
    """
    words = words_of(text)
    if not words:
        return None
    value, rest = _sum(words, symbols, 0, 0)
    return value if value is not None and rest == len(words) else None


def registers_in(operand, symbols):
    """Return the registers that an operand names, such as ["v1", "v2"], in order, each once.

    Args: operand: one operand as written; symbols: assembler symbols.
    """
    head = operand.strip().split(":")[0]
    if ":" in operand and "[" not in head and " " not in head:
        return []  # a modifier, such as offset:16 or op_sel:[0,1]; v2 bitop3:0x14 is a register and a modifier
    words, found, at = words_of(operand), [], 0
    while at < len(words):
        word = words[at]
        names, at = _register_at(words, at, word, symbols)
        for name in names:
            if name not in found:
                found.append(name)
    return found


def _register_at(words, at, word, symbols):
    lower = word.lower()
    if lower[-2:] in (".l", ".h"):
        lower = lower[:-2]  # one half of a register
    if lower in _PAIRS:
        return [lower + "_lo", lower + "_hi"], at + 1
    if lower in _SINGLE:
        return [lower], at + 1
    if lower in _FILES and at + 1 < len(words) and words[at + 1] == "[":
        end = at + 2
        while end < len(words) and words[end] != "]":
            end += 1
        parts = " ".join(words[at + 2 : end]).split(":")
        first = value_of(parts[0], symbols)
        last = value_of(parts[-1], symbols)
        if first is None or last is None or last < first or last - first > 63:
            return ["?" + lower], end + 1
        return [_file(lower) + str(number) for number in range(first, last + 1)], end + 1
    for name in _FILES:
        if lower[: len(name)] == name and len(lower) > len(name):
            number = lower[len(name) :]
            if all([char in _DIGITS for char in number]):
                return [_file(name) + str(int(number)) if len(number) < 10 else "?" + name], at + 1
    return [], at + 1


def _file(name):
    return "a" if name == "acc" else name


def _sum(words, symbols, at, depth):
    value, at = _product(words, symbols, at, depth)
    while value is not None and at < len(words) and words[at] in ("+", "-", "|"):
        sign = words[at]
        other, at = _product(words, symbols, at + 1, depth)
        if other is None:
            return None, at
        value = _fits(value + other if sign == "+" else value - other if sign == "-" else value | other)
    return value, at


def _product(words, symbols, at, depth):
    value, at = _atom(words, symbols, at, depth)
    while value is not None and at < len(words) and words[at] in ("*", "<"):
        sign = words[at]
        if sign == "<":
            if at + 1 >= len(words) or words[at + 1] != "<":
                return None, at
            at += 1
        other, at = _atom(words, symbols, at + 1, depth)
        if other is None or (sign == "<" and (other < 0 or other > 64)):
            return None, at
        value = _fits(value * other if sign == "*" else value << other)
    return value, at


def _atom(words, symbols, at, depth):
    if at >= len(words) or depth > _DEEPEST:
        return None, at
    word = words[at]
    if word == "-":
        value, at = _atom(words, symbols, at + 1, depth + 1)
        return (None if value is None else -value), at
    if word == "(":
        value, at = _sum(words, symbols, at + 1, depth + 1)
        if at >= len(words) or words[at] != ")":
            return None, at
        return value, at + 1
    if word in symbols:
        return symbols[word], at + 1
    value = number_of(word)
    return (None if value is None else _fits(value)), at + 1


def _fits(value):
    return value if -_LARGEST <= value < 2 * _LARGEST else None
