# SPDX-License-Identifier: Apache-2.0
"""Number lines of the small formats: from the smallest to the largest value, on one scale of powers of two."""

import math

from cdna import formats

from . import svg
from .marks import group
from .tree import h, table

OCTAVE, HIGH, LEFT, TOP, STEP = 11, 18, 76, 30, 44
LOW, TOP_POWER = -18, 17
SHOWN = ("e4m3fnuz", "e4m3fn", "e5m2fnuz", "e5m2", "e2m3", "e3m2", "e2m1")


def facts(name):
    """Return what a line shows of a format: bits, bias, smallest values, largest, NaN and infinity codes as lists."""
    fmt = formats.format_named(name)
    finite = [(formats.value_of(one), one) for one in (formats.decode(fmt, code) for code in range(1 << fmt.bits)) if one.kind in ("normal", "subnormal")]
    above = sorted((value, one.kind, one.code) for value, one in finite if value > 0)
    return {
        "name": name,
        "bits": fmt.bits,
        "bias": fmt.bias,
        "smallest": above[0][0],
        "smallest_normal": next(value for value, kind, _ in above if kind == "normal"),
        "largest": above[-1][0],
        "one": next(code for value, _, code in above if value == 1.0),
        "nan": formats.codes_of(fmt, "nan"),
        "infinity": formats.codes_of(fmt, "infinity"),
        "minus_zero": any(formats.decode(fmt, code).negative for code in formats.codes_of(fmt, "zero")),
    }


def place(value):
    """Return the pixel of a positive value."""
    return LEFT + (math.log2(value) - LOW) * OCTAVE


def drawing(prefix, names, byte):
    """Return the lines: subnormal and normal range as boxes, 1.0 as a stroke, one byte of the 8-bit formats as a dot."""
    body = [svg.text(0, 12, "value", "m q")]
    for power in range(LOW + 2, TOP_POWER + 1, 8):
        x = place(2.0**power)
        body += [svg.text(x, 12, f"2^{power}", "m s", "middle"), svg.line(x, 16, x, TOP + len(names) * STEP - 8, "l q")]
    for line, name in enumerate(names):
        fact, y = facts(name), TOP + line * STEP
        begin, normal, end = place(fact["smallest"]), place(fact["smallest_normal"]), place(fact["largest"])
        parts = [svg.text(0, y + 13, name, "m")]
        parts.append(svg.rect(begin, y, max(1, normal - begin), HIGH, "f-pad", f"{name}: subnormal from {fact['smallest']:g}"))
        parts.append(svg.rect(normal, y, end - normal, HIGH, "f-tile", f"{name}: normal from {fact['smallest_normal']:g} to {fact['largest']:g}"))
        parts.append(svg.line(place(1.0), y - 2, place(1.0), y + HIGH + 2))
        parts.append(svg.text(end, y + HIGH + 13, f"{fact['largest']:g}", "m s", "middle"))
        if fact["bits"] == 8:
            value = formats.value_of(formats.decode(name, byte))
            x = place(value)
            tip = f"byte 0x{byte:02x} in {name} is {value:g}"
            dot = f'<circle class="f-tensor" cx="{svg.number(x)}" cy="{svg.number(y + HIGH / 2)}" r="5"><title>{tip}</title></circle>'
            parts.append(group([dot], mark="byte", value=f"{value:g}"))
            parts.append(svg.text(x, y + HIGH + 13, f"{value:g}", "m s", "middle"))
        body.append(group(parts, mark="line", format=name, largest=f"{fact['largest']:g}"))
    words = f"Positive values on a scale of powers of two: subnormal, then normal, up to the largest; the stroke is 1, the dot is byte 0x{byte:02x}."
    return svg.svg(prefix, place(2.0**TOP_POWER) + 8, TOP + len(names) * STEP, "Number lines of the small formats", words, body), words


def draw(here, options):
    """`::fig formats byte=0x38`: one line a format."""
    byte = int(options.pop("byte", "0x38"), 0)
    names = options.pop("names", ",".join(SHOWN)).split(",")
    drawn, words = drawing(here.prefix(), names, byte)
    rows = []
    for name in names:
        fact = facts(name)
        value = f"{formats.value_of(formats.decode(name, byte)):g}" if fact["bits"] == 8 else ""
        nan = listed(fact["nan"]) or "none"
        rows.append([name, str(fact["bias"]), f"{fact['smallest']:g}", f"{fact['largest']:g}", f"{fact['one']:02x}", value, nan, listed(fact["infinity"]) or "none", "yes" if fact["minus_zero"] else "no"])
    head = ["format", "bias", "smallest", "largest", "1.0 is", f"0x{byte:02x} is", "NaN", "infinity", "minus zero"]
    return [(None, [drawn], h("div", h("p", words), table(head, rows, label=words, class_="cdna-numbers")))]


def listed(codes):
    """Return codes as text, runs of three or more as first to last."""
    found, run = [], []
    for code in [*codes, None]:
        if run and code == run[-1] + 1:
            run.append(code)
            continue
        found += [f"{run[0]:02x}-{run[-1]:02x}"] if len(run) > 2 else [f"{one:02x}" for one in run]
        run = [] if code is None else [code]
    return ", ".join(found)
