# SPDX-License-Identifier: Apache-2.0
"""Numbers as people write them, read exactly: 0.1, -1e-6, 0x1p-128, 2^-128, 3/8, 0.5*2^-127, inf, nan."""

import re

from .output import Usage

LONGEST = 200  # characters
LARGEST_POWER = 5000  # of two or ten, up or down
_DECIMAL = re.compile(r"(\d+)(?:\.(\d*))?(?:e([+-]?\d+))?\Z|\.(\d+)(?:e([+-]?\d+))?\Z", re.I | re.A)
_HEX = re.compile(r"0x([0-9a-f]*)(?:\.([0-9a-f]*))?(?:p([+-]?\d+))?\Z", re.I | re.A)
_POWER = re.compile(r"(\d+)(?:\^|\*\*)([+-]?\d+)\Z", re.A)


def number_of_text(text):
    """Return a text as an exact `cdna.rounding.Number`.

    Args: text: a decimal or hexadecimal number, a power such as 2^-128, products and quotients of these with * and /,
      inf or nan; a sign in front.
    Raises: Usage: anything else, or a number too long to be meant.
    """
    from cdna.rounding import Number

    if len(text) > LONGEST:
        raise Usage(f"VALUE: {len(text)} characters; at most {LONGEST}")
    bare = text.strip().lower().replace("_", "")
    negative = bare.startswith("-")
    bare = bare[1:] if bare[:1] in ("-", "+") else bare
    if bare in ("nan", "inf", "infinity"):
        return Number("nan" if bare == "nan" else "infinity", negative, 0, 1)
    numerator, denominator = 1, 1
    # Blanks may stand around operators; between digits they part numbers, and "1 2" is not 12.
    parts = re.split(r"(?<!\*)([*/])(?!\*)", re.sub(r"\s*(\*\*|[*/^])\s*", r"\1", bare.strip()))
    for place, part in enumerate(parts):
        if place % 2:
            continue
        over, under = _simple(part, text)
        if place and parts[place - 1] == "/":
            if not over:
                raise Usage(f"VALUE {text!r}: division by zero")
            over, under = under, over
        numerator, denominator = numerator * over, denominator * under
    return Number("finite", negative, numerator, denominator)


def _simple(text, whole):
    power = _POWER.match(text)
    if power:
        base, exponent = int(power[1]), _bounded(power[2], whole)
        if base not in (2, 10):
            raise Usage(f"VALUE {whole!r}: powers of 2 or 10")
        return (base**exponent, 1) if exponent >= 0 else (1, base**-exponent)
    match = _HEX.match(text)
    if match and (match[1] or match[2]):
        digits, fraction = match[1], match[2] or ""
        exponent = _bounded(match[3] or "0", whole) - 4 * len(fraction)
        return _scaled(int(digits + fraction, 16), 2, exponent)
    match = _DECIMAL.match(text)
    if match:
        digits, fraction, exponent = match[1] or "", (match[2] or "") + (match[4] or ""), match[3] or match[5] or "0"
        return _scaled(int(digits + fraction), 10, _bounded(exponent, whole) - len(fraction))
    raise Usage(f"VALUE {whole!r}: a number such as 0.1, -1e-6, 0x1p-128, 2^-128, 3/8, inf or nan")


def _scaled(number, base, exponent):
    return (number * base**exponent, 1) if exponent >= 0 else (number, base**-exponent)


def _bounded(text, whole):
    exponent = int(text)
    if abs(exponent) > LARGEST_POWER:
        raise Usage(f"VALUE {whole[:40]!r}: an exponent beyond {LARGEST_POWER}")
    return exponent
