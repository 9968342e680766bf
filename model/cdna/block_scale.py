# SPDX-License-Identifier: Apache-2.0
"""Which power of two becomes the scale of a block, from the largest magnitude in it: the rules that libraries use."""

from typing import NamedTuple

from cdna.formats import FormatError, decode, format_named, largest
from cdna.rounding import Number, encode, log2_floor, number_of

MODES = ("floor", "even", "ceil", "rceil")
# The same rules by other names, after lower case and without hyphens and underscores.
_SPELLINGS = {
    "floor": ("ocp", "rounddown"),
    "even": ("evenround", "roundeven"),
    "ceil": ("ocpceil",),
    "rceil": ("roundup", "nvroundup"),
}


class Scale(NamedTuple):
    """code: the E8M0 byte; clips: whether the largest magnitude, divided by the scale, lies beyond the format."""

    code: int
    clips: bool


def scale_of(fmt, magnitude, mode="floor"):
    """Return the Scale of a block of numbers.

    Args: fmt: the Format of the elements or its name; magnitude: the largest magnitude in the block, float, int or
      Number; mode: one of MODES. With M = magnitude and F = the format's largest number:
      floor: 2**(floor(log2(M)) - floor(log2(F))); even: the same after M is rounded to the mantissa of the format;
      ceil: 2**(ceil(log2(M)) - floor(log2(F))); rceil: 2**ceil(log2(M / F)).
    Returns: Scale. A block of zeros gets byte 0, the smallest scale; NaN and infinity give NaN, byte 255.
    Raises: FormatError: an unknown mode, a negative magnitude, a format of scales or of more than 8 bits.
    Claims: FMT-067
    """
    fmt = format_named(fmt) if isinstance(fmt, str) else fmt
    mode = mode_named(mode)
    if fmt.special in ("scale", "unsigned") or fmt.bits > 8:
        raise FormatError("format", fmt.name, "the format of the elements, of 8 bits or less; the scale is E8M0", "FMT-067")
    number = number_of(magnitude)
    if number.kind != "finite":
        return Scale(255, False)
    if not number.numerator:
        return Scale(0, False)
    if number.negative:
        raise FormatError("magnitude", "negative", "0 and more: the largest magnitude of the block", "FMT-067")
    top = decode(fmt, largest(fmt))
    over, under = number.numerator, number.denominator
    if mode == "rceil":
        code = encode("e8m0", _ratio(over, under * top.mantissa, top.exponent), "toward-positive").code
    else:
        whole = log2_floor(top.mantissa, 1) + top.exponent
        if mode == "even" and _carries(over, under, fmt.mantissa_bits):
            over, under = _power(log2_floor(over, under) + 1)
        code = encode("e8m0", _ratio(over, under, whole), "toward-positive" if mode == "ceil" else "toward-zero").code
    # Compare the magnitude with the largest number at this scale, without a division.
    limit = _ratio(top.mantissa, 1, -(top.exponent + code - 127))
    clips = number.numerator * limit.denominator > limit.numerator * number.denominator
    return Scale(code, clips and code != 255)


def mode_named(name):
    """Return the member of MODES that a name means. Raises: FormatError: no such rule. Claims: FMT-067"""
    text = str(name).lower().replace("-", "").replace("_", "")
    for known in MODES:
        if text == known or text in _SPELLINGS[known]:
            return known
    raise FormatError("mode", repr(name), ", ".join(MODES), "FMT-067")


def _ratio(over, under, exponent):
    """Return over / under / 2**exponent as a Number."""
    return Number("finite", False, over << max(0, -exponent), under << max(0, exponent))


def _power(exponent):
    return (1 << exponent, 1) if exponent >= 0 else (1, 1 << -exponent)


def _carries(over, under, mantissa_bits):
    """Return whether rounding to so many mantissa bits gives the next power of two; a tie does, that code is even."""
    half_step = _power(log2_floor(over, under) - mantissa_bits - 1)
    edge = (1 << mantissa_bits + 2) - 1  # half steps from zero to the tie below the next power of two
    return over * half_step[1] >= edge * half_step[0] * under
