# SPDX-License-Identifier: Apache-2.0
"""Encoding a number in a format: exact input, one rounding, and what happens beyond the largest finite number."""

from typing import NamedTuple

from cdna.formats import (
    FINITE,
    FNUZ,
    SCALE,
    UNSIGNED,
    FormatError,
    format_named,
    infinity_code,
    largest,
    nan_code,
)

ROUNDINGS = ("nearest-even", "toward-zero", "toward-positive", "toward-negative", "stochastic")
# Names of other libraries: OpenCL's and CUDA's suffixes, and plain words.
_SPELLINGS = {
    "nearest-even": ("rne", "rte", "rn", "nearest", "even"),
    "toward-zero": ("rtz", "rz", "truncate"),
    "toward-positive": ("rtp", "rp", "ru", "up", "ceil"),
    "toward-negative": ("rtn", "rm", "rd", "down", "floor"),
    "stochastic": ("sr",),
}
# Bits of the random number that stochastic rounding adds below the last mantissa bit.
RANDOM_BITS = 32


class Number(NamedTuple):
    """An exact number: numerator / denominator with a sign, or kind "infinity" or "nan"."""

    kind: str  # "finite", "infinity", "nan"
    negative: bool
    numerator: int
    denominator: int


class Encoded(NamedTuple):
    """What a number became: its code, whether the value changed, and how it left the range.

    over: None, or "largest", "infinity" or "nan": what a number beyond the largest finite one was written as;
    flushed: True where a number other than zero became zero.
    """

    code: int
    inexact: bool
    over: str
    flushed: bool


def number_of(value):
    """Return a float or integer as a Number, exactly.

    Raises: FormatError: neither.
    """
    if isinstance(value, Number):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Number("finite", value < 0, abs(value), 1)
    if not isinstance(value, float):
        raise FormatError("value", repr(value), "a number", None)
    if value != value:
        return Number("nan", False, 0, 1)
    negative = value < 0 or str(value)[0] == "-"  # of minus zero only the text tells
    part, exponent = abs(value), 0
    if part == float("inf"):
        return Number("infinity", negative, 0, 1)
    while part >= 9007199254740992.0:
        part, exponent = part / 2.0, exponent + 1
    while 0 < part < 8.673617379884035e-19:  # 2**-60
        part, exponent = part * 1152921504606846976.0, exponent - 60
    while part != int(part):
        part, exponent = part * 2.0, exponent - 1
    if exponent >= 0:
        return Number("finite", negative, int(part) << exponent, 1)
    return Number("finite", negative, int(part), 1 << -exponent)


def encode(fmt, value, rounding="nearest-even", saturate=False, random=0):
    """Return the Encoded form of a number.

    Args: fmt: a Format or its name; value: float, int or Number; rounding: one of ROUNDINGS, or another library's
      name of one; saturate: True numbers beyond the largest finite one, infinities included, as the largest, "finite" leaves
      infinities as they are without it; random: a 32-bit number, for "stochastic": it is added below the last mantissa bit, then the
      rest is cut off.
    Returns: Encoded. Without `saturate`, and beyond the range: infinity where the format has one, else NaN, else
      (FP6, FP4) the largest. Rounding toward zero, or toward the side where zero lies, never leaves the range.
    Raises: FormatError: NaN in a format without NaN; an unknown rounding.
    Claims: FMT-057, FMT-058, FMT-059, FMT-061, FMT-066
    """
    fmt = format_named(fmt) if isinstance(fmt, str) else fmt
    rounding = rounding_named(rounding)
    if random < 0 or random >> RANDOM_BITS:
        raise FormatError("random", str(random), "0..2^32-1", "FMT-059")
    number = number_of(value)
    if number.kind == "nan":
        code = nan_code(fmt, number.negative)
        if code is None:
            raise FormatError("value", "nan", fmt.name + " has no NaN", fmt.claim)
        return Encoded(code, False, None, False)
    zero = number.kind == "finite" and not number.numerator
    if (fmt.special == SCALE and (number.negative or zero)) or (fmt.special == UNSIGNED and number.negative and not zero):
        # A scale has no sign, and an exponent alone no zero.
        return Encoded(nan_code(fmt), True, "nan", False)
    if number.kind == "infinity":
        return _beyond(fmt, number.negative, saturate is True, True)
    if not number.numerator:
        return Encoded(_signed(fmt, 0, number.negative), False, None, False)
    code, inexact = _rounded(fmt, number, rounding, random)
    top = largest(fmt) >> fmt.low
    if code > top:
        if rounding == _cutting(number.negative) or rounding == "toward-zero":
            return Encoded(_signed(fmt, top, number.negative), True, "largest", False)
        return _beyond(fmt, number.negative, bool(saturate), False)
    return Encoded(_signed(fmt, code, number.negative), inexact, None, code == 0 and fmt.special != SCALE)


def rounding_named(name):
    """Return the member of ROUNDINGS that a name means: rtz, rp, up and the like too.

    Raises: FormatError: no such rounding.
    Claims: FMT-057
    """
    text = str(name).lower().replace("_", "-")
    for known in ROUNDINGS:
        if text == known or text in _SPELLINGS[known]:
            return known
    raise FormatError("rounding", repr(name), ", ".join(ROUNDINGS), "FMT-057")


def _cutting(negative):
    """Return the directed rounding that only cuts off, for numbers of a sign."""
    return "toward-positive" if negative else "toward-negative"


def _rounded(fmt, number, rounding, random):
    """Return (code without sign, whether the value changed); the code may lie beyond the largest."""
    lowest = (0 if fmt.special == SCALE else 1) - fmt.bias  # exponent of the smallest normal number
    exponent = max(log2_floor(number.numerator, number.denominator), lowest)
    quantum = exponent - fmt.mantissa_bits
    over, under = number.numerator << max(0, -quantum), number.denominator << max(0, quantum)
    count, rest = over // under, over % under
    if rounding == "nearest-even":
        if 2 * rest > under or (2 * rest == under and count & 1):
            count += 1
    elif rounding in ("toward-positive", "toward-negative"):
        count += 1 if rest and rounding != _cutting(number.negative) else 0
    elif rounding == "stochastic" and (rest << RANDOM_BITS) + random * under >= under << RANDOM_BITS:
        count += 1
    if fmt.special == SCALE:
        return max(0, exponent - lowest + count - 1), rest != 0 or count == 0
    return ((exponent - lowest) << fmt.mantissa_bits) + count, rest != 0


def _beyond(fmt, negative, saturate, infinite):
    infinity = infinity_code(fmt, negative)
    if saturate or fmt.special == FINITE:
        return Encoded(_signed(fmt, largest(fmt) >> fmt.low, negative), True, "largest", False)
    if infinity is not None:
        return Encoded(infinity, not infinite, None if infinite else "infinity", False)
    return Encoded(nan_code(fmt, negative), True, "nan", False)


def _signed(fmt, code, negative):
    if not negative or fmt.special in (SCALE, UNSIGNED) or (fmt.special == FNUZ and code == 0):
        return code << fmt.low
    return (code | 1 << fmt.exponent_bits + fmt.mantissa_bits) << fmt.low


def log2_floor(numerator, denominator):
    """Return floor(log2(numerator / denominator))."""
    guess = len(bin(numerator)) - len(bin(denominator))
    if guess >= 0:
        return guess if numerator >= denominator << guess else guess - 1
    return guess if numerator << -guess >= denominator else guess - 1
