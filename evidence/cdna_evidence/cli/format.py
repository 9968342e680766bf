# SPDX-License-Identifier: Apache-2.0
"""`cdna format`: number formats on the command line: what codes mean, what numbers become, what a target takes."""

import re

from .numbers_text import number_of_text
from .output import Usage, emit, parser

COMMANDS = ("decode", "encode", "table", "native", "scale")
USAGE = """usage: cdna format COMMAND ... [--json]

  decode NAME BYTE...         what codes mean: value, class, sign; options --scale BYTE (a block scale),
                              --scale-format e8m0|e4m3fn|e5m3 (of NVFP4 e4m3fn, else e8m0), and --packed: BYTE is
                              hexadecimal of any width and holds several codes, the first in its lowest bits
  encode NAME -- VALUE...     the codes of numbers; options --saturate, --random N (32 bits, for stochastic),
                              --rounding nearest-even|toward-zero|toward-positive|toward-negative|stochastic
  scale NAME -- MAGNITUDE...  the E8M0 scale of a block from the largest magnitude in it, by each rule that libraries
                              use; option --mode floor|even|ceil|rceil
  table NAME                  the format and its codes; 16 bits and more: its landmarks, --all for every 16-bit code
  native --target T [NAME]    the formats that the matrix instructions of a target take; with NAME: whether it does

NAME: e4m3fnuz e4m3fn e5m2fnuz e5m2 e2m3 e3m2 e2m1 e8m0 e5m3 bf16 fp16 xf32, or as ml_dtypes, PyTorch, MLIR, Triton or HIP
spell it. fp8, bf8 and e4m3 mean another format on gfx942 than on gfx950: they need --target.
BYTE is decimal or 0x, several apart by blanks or commas. VALUE and MAGNITUDE are exact: 0.1, -1e-6, 0x1p-128, 2^-128, 3/8, 0.5*2^-127, inf, nan."""
# Formats that a byte of scale can have.
SCALES = ("e8m0", "e4m3fn", "e5m3")
# The guides' tables are about conversions to these formats, each on the targets that have it.
MODE_BIT = {name: "gfx942 writes" for name in ("e4m3fnuz", "e5m2fnuz")}
MODE_BIT |= {name: "gfx950 and gfx1250 write" for name in ("e4m3fn", "e5m2")}
HARDWARE = "this with MODE bit FP16_OVFL clear, and the largest number with it set"


def run(argv):
    """Run one `cdna format` command; return the exit status.

    Raises: Usage: wrong usage.
    """
    if not argv:
        raise Usage(f"say which: {', '.join(COMMANDS)}; --help explains them")
    if argv[0] in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    if argv[0] not in COMMANDS:
        raise Usage(f"unknown command {argv[0][:40]!r}: {', '.join(COMMANDS)}")
    if any(word in ("-h", "--help") for word in argv[1 : argv.index("--") if "--" in argv else None]):
        print(USAGE)
        return 0
    from cdna.formats import FormatError

    try:
        return {"decode": _decode, "encode": _encode, "table": _table, "native": _native, "scale": _scale}[argv[0]](argv[1:])
    except FormatError as error:
        raise Usage(str(error)) from None


def _options(command):
    options = parser("format " + command, "", add_help=False)
    options.add_argument("--json", action="store_true")
    options.add_argument("--target")
    return options


def _target(options):
    if options.target is not None:
        from cdna.formats import native

        native(options.target)
    return options.target


def _decode(argv):
    from cdna.formats import decode, format_named

    options = _options("decode")
    options.add_argument("--scale")
    options.add_argument("--scale-format")
    options.add_argument("--packed", action="store_true")
    options.add_argument("name")
    options.add_argument("codes", nargs="+", metavar="BYTE")
    given = options.parse_args(argv)
    fmt = format_named(given.name, _target(given))
    if given.scale_format is not None and given.scale is None:
        raise Usage("--scale-format without --scale: the byte of the scale is missing")
    scale_format = _scale_format(given)
    scale = None if given.scale is None else decode(scale_format, _code(given.scale))
    if scale is not None and scale.code >> 7 and scale_format.name == "e4m3fn":
        raise Usage(f"--scale {given.scale}: a scale in e4m3fn has no sign: 0 to 0x7f")
    texts = [text for word in given.codes for text in word.replace(",", " ").split()]
    if not texts:
        raise Usage("no BYTE: cdna format decode NAME BYTE...")
    # A name such as float4_e2m1fn_x2 is that of a pair in a byte.
    pairs = fmt.bits == 4 and re.search(r"x2(_|$)|\bpk_", given.name.lower())
    found = [code for text in texts for code in (_unpacked(fmt, text, given.packed) if given.packed or pairs else [_code(text)])]
    entries = [_entry(fmt, decode(fmt, code), scale) for code in found]
    result = {"format": describe(fmt), "bytes": [item["byte"] for item in entries]}
    result["values"] = [item["value"] for item in entries]
    result["entries"] = entries
    if scale is not None:
        result["scale"] = {"format": scale_format.name, **_entry(scale_format, scale)}
    text = None if given.json else _columns(entries, fmt.name)
    return emit("format decode", given.target, result, _foreign(fmt, given.target), json=given.json, text=text)


def _unpacked(fmt, text, any_width):
    """Return the codes in a number, the lowest bits first.

    Args: any_width: as many bits as its hexadecimal digits have; else a byte.
    """
    whole, bits = _code(text), 8
    if any_width:
        if text[:2].lower() != "0x":
            raise Usage(f"code {text[:20]!r}: --packed takes hexadecimal, whose digits say how many bits there are")
        bits = 4 * len(text[2:])
    if whole < 0 or whole >> bits or bits % fmt.bits or bits > 4096:
        raise Usage(f"code {text[:20]!r}: {bits} bits, in codes of {fmt.bits}; write leading zeros")
    return [whole >> place & (1 << fmt.bits) - 1 for place in range(0, bits, fmt.bits)]


def _scale_format(given):
    """Return the Format of the scale byte: as named, else that of NVFP4, else E8M0."""
    from cdna.formats import format_named

    name = given.scale_format
    if name is None:
        name = "e4m3fn" if _nv(given.name) else "e8m0"
    elif name.lower() in ("e4m3", "ue4m3"):
        name = "e4m3fn"  # a scale is OCP's on every target that has one
    fmt = format_named(name, given.target)
    if fmt.name not in SCALES:
        raise Usage(f"--scale-format {name!r}: {', '.join(SCALES)}")
    return fmt


def _nv(name):
    """Return whether a name is NVFP4's, whose scale is no power of two."""
    return name.lower().startswith("nvfp4")


def _code(text):
    if not text.isascii() or "_" in text:  # Python reads 1_0 as ten
        raise Usage(f"code {text[:20]!r}: a number, decimal or 0x")
    try:
        return int(text, 0) if text[:1] != "0" or text[:2].lower() in ("0x", "0b") else int(text)
    except ValueError:
        raise Usage(f"code {text[:20]!r}: a number, decimal or 0x") from None


def _encode(argv):
    from cdna.formats import decode, format_named
    from cdna.rounding import encode, rounding_named

    options = _options("encode")
    options.add_argument("--saturate", action="store_true")
    options.add_argument("--rounding", default="nearest-even")
    options.add_argument("--random", default="0")
    options.add_argument("name")
    own, values = _apart(argv)
    given = options.parse_args(own)
    if not values:
        raise Usage("no VALUE: cdna format encode NAME -- VALUE...")
    fmt, rounding = format_named(given.name, _target(given)), rounding_named(given.rounding)
    entries, findings, disputed = [], [], []
    for text in values:
        number = number_of_text(text)
        done = encode(fmt, number, rounding, given.saturate, _code(given.random))
        if given.saturate and number.kind == "infinity" and fmt.special == "fnuz":
            other = _entry(fmt, decode(fmt, encode(fmt, number, saturate="finite").code))
            disputed.append({"claim": "FMT-061", "position": "nan", "result": {"given": text, **other}})
        entry = {"given": text, **_entry(fmt, decode(fmt, done.code))}
        entry.update(inexact=done.inexact, overflow=done.over, underflow=done.flushed)
        entries.append(entry)
        findings += _notes(fmt, text, done, number)
    result = {
        "format": describe(fmt),
        "rounding": rounding,
        "saturate": given.saturate,
        "bytes": [item["byte"] for item in entries],
        "values": [item["value"] for item in entries],
        "entries": entries,
    }
    text = None if given.json else _columns(entries, fmt.name)
    findings += _foreign(fmt, given.target)
    return emit("format encode", given.target, result, findings, disputed, given.json, text)


def _apart(argv):
    """Return (options and name, values): no value begins with two hyphens, and all stand after the name."""
    own, values, named, queue = [], [], False, list(argv)
    while queue:
        word = queue.pop(0)
        if word == "--":
            continue
        if word in ("--rounding", "--random", "--target", "--mode") and queue:
            own += [word, queue.pop(0)]
        elif word.startswith("--"):
            own.append(word)
        elif named:
            values.append(word)
        else:
            own.append(word)
            named = True
    return own, values


def _notes(fmt, text, done, number):
    shown = text[:30]
    positive = not number.negative and (number.kind == "infinity" or number.numerator > 0)
    if done.over == "nan" and fmt.special in ("scale", "unsigned") and not positive:
        lacks = "no zero and no sign" if fmt.special == "scale" else "no sign"
        return [_finding("no-such-number", "warning", f"{shown}: {fmt.name} has {lacks}; written as NaN", fmt.claim)]
    if done.over == "largest":
        return [_finding("saturated", "info", f"{shown} is beyond the range; written as the largest number", "FMT-058")]
    if done.over:
        message = f"{shown} is beyond the range; written as {done.over}; --saturate writes the largest number"
        findings = [_finding("overflow", "warning", message, "FMT-058")]
        if fmt.name in MODE_BIT:
            findings.append(_finding("hardware-overflow", "info", f"{MODE_BIT[fmt.name]} {HARDWARE}", "FMT-060"))
        return findings
    if done.flushed:
        return [_finding("underflow", "info", f"{shown} is too small and becomes zero", "FMT-057")]
    return []


def _scale(argv):
    from cdna.block_scale import MODES, mode_named, scale_of
    from cdna.formats import decode, format_named

    options = _options("scale")
    options.add_argument("--mode", "--rounding")
    options.add_argument("name")
    own, values = _apart(argv)
    given = options.parse_args(own)
    if not values:
        raise Usage("no MAGNITUDE: cdna format scale NAME -- MAGNITUDE...")
    if _nv(given.name):
        raise Usage(f"{given.name[:20]!r}: its scale is in E4M3; this is for E8M0 scales, such as those of mxfp4")
    fmt = format_named(given.name, _target(given))
    modes = MODES if given.mode is None else (mode_named(given.mode),)
    scale_format = format_named("e8m0")
    entries, rows = [], [["", *modes]]
    for text in values:
        number, entry = number_of_text(text), {"given": text}
        for mode in modes:
            found = scale_of(fmt, number, mode)
            entry[mode] = {**_entry(scale_format, decode(scale_format, found.code)), "clips": found.clips}
        entries.append(entry)
        shown = [f"{entry[mode]['byte']} {entry[mode]['exact']}" + " clips" * entry[mode]["clips"] for mode in modes]
        rows.append([text, *shown])
    result = {"format": describe(fmt), "scale_format": scale_format.name, "modes": list(modes), "entries": entries}
    findings = _foreign(fmt, given.target)
    if len(modes) > 1 and any(len({entry[mode]["byte"] for mode in modes}) > 1 for entry in entries):
        message = "the rules differ: quantize by the rule that the reader of the data expects"
        findings.append(_finding("rules-differ", "info", message, "FMT-067"))
    if any(entry[mode]["clips"] for entry in entries for mode in modes):
        message = "clips: the largest magnitude divided by the scale lies beyond the format and becomes its largest number"
        findings.append(_finding("clips", "info", message, "FMT-067"))
    text = None if given.json else _aligned(rows, fmt.name)
    return emit("format scale", given.target, result, findings, json=given.json, text=text)


def _table(argv):
    from cdna.formats import decode, format_named, infinity_code, largest, nan_code

    options = _options("table")
    options.add_argument("--all", action="store_true")
    options.add_argument("name")
    given = options.parse_args(argv)
    fmt = format_named(given.name, _target(given))
    if fmt.bits <= 8 or (given.all and fmt.bits <= 16):
        codes, whole = range(1 << fmt.bits), True
    else:
        one = fmt.bias << fmt.mantissa_bits
        sign = 1 << fmt.exponent_bits + fmt.mantissa_bits
        marks = [0, 1, (1 << fmt.mantissa_bits) - 1, 1 << fmt.mantissa_bits, one, sign]
        codes = [code << fmt.low for code in marks] + [largest(fmt), infinity_code(fmt), nan_code(fmt)]
        codes, whole = sorted(codes), False
    entries = [_entry(fmt, decode(fmt, code)) for code in codes]
    result = {"format": describe(fmt), "complete": whole, "entries": entries}
    text = None if given.json else _describe_text(result["format"]) + "\n\n" + _columns(entries, fmt.name)
    return emit("format table", given.target, result, _foreign(fmt, given.target), json=given.json, text=text)


def _native(argv):
    from cdna.formats import FORMATS, format_named, is_ambiguous, native

    options = _options("native")
    options.add_argument("names", nargs="*", metavar="NAME")
    given = options.parse_args(argv)
    if not given.target:
        raise Usage("native needs --target gfx942, gfx950 or gfx1250")
    rows = native(given.target)
    held = [name for name, _, _ in rows]
    result = {
        "native": held,
        "not_native": [fmt.name for fmt in FORMATS if fmt.name not in held],
        "fp8": format_named("fp8", given.target).name,
        "bf8": format_named("bf8", given.target).name,
        "uses": [{"format": name, "use": use, "claim": claim} for name, use, claim in rows],
    }
    result["torch"] = {"fp8": "float8_" + result["fp8"], "bf8": "float8_" + result["bf8"]}
    findings, asked = [], []
    for name in given.names:
        fmt = format_named(name, given.target)
        asked.append({"name": name, "format": fmt.name, "native": fmt.name in held})
        if is_ambiguous(name):
            message = f"{name} is {fmt.name} on {given.target}; it is another format on other targets"
            findings.append(_finding("name-depends-on-target", "info", message, _family(given.target)))
        findings += _foreign(fmt, given.target, "error")
    if given.names:
        result["asked"] = asked
    text = "\n".join(f"{name:9} {use:7} {claim}" for name, use, claim in rows)
    return emit("format native", given.target, result, findings, json=given.json, text=text)


def _foreign(fmt, target, severity="warning"):
    """Findings for a format that the matrix instructions of a target do not take."""
    from cdna.formats import NATIVE, native

    if target is None or fmt.name in [name for name, _, _ in native(target)]:
        return []
    homes = [name for name, rows in NATIVE if fmt.name in [row[0] for row in rows]]
    instead = ""
    if fmt.name.startswith(("e4m3", "e5m2")):
        from cdna.formats import format_named

        instead = "; use " + format_named("fp8" if fmt.name.startswith("e4m3") else "bf8", target).name
    message = f"{fmt.name} is not native on {target}, only on {', '.join(homes)}{instead}"
    other = "WMMA-016" if fmt.name == "e5m3" else "FMT-056"
    return [_finding("not-native", severity, message, _family(target) if instead else other)]


def _family(target):
    """Return the claim that says which FP8 family a target reads."""
    return "FMT-063" if target == "gfx1250" else "FMT-001"


def describe(fmt):
    """Return a Format as a dict: its fields and its limits, values as floats."""
    from cdna.formats import decode, infinity_code, largest, value_of

    lowest = 1 << fmt.low
    result = {
        "name": fmt.name,
        "bits": fmt.bits,
        "sign_bits": 0 if fmt.special in ("scale", "unsigned") else 1,
        "exponent_bits": fmt.exponent_bits,
        "mantissa_bits": fmt.mantissa_bits,
        "bias": fmt.bias,
        "max": value_of(decode(fmt, largest(fmt))),
        "min_normal": value_of(decode(fmt, 0 if fmt.special == "scale" else lowest << fmt.mantissa_bits)),
        "min_subnormal": None if fmt.special == "scale" else value_of(decode(fmt, lowest)),
        "infinity": _hex(fmt, infinity_code(fmt)),
        "nan": _nans(fmt),
        "negative_zero": fmt.special in ("finite", "fn", "ieee"),
        "claim": fmt.claim,
    }
    if fmt.low:
        result["stored_low_bits"] = fmt.low
    return result


def _nans(fmt):
    from cdna.formats import codes_of, nan_code

    if fmt.bits <= 8:
        return [_hex(fmt, code) for code in codes_of(fmt, "nan")]
    return [_hex(fmt, nan_code(fmt))]


def _hex(fmt, code):
    return None if code is None else f"0x{code:0{(fmt.bits + 3) // 4}x}"


def _entry(fmt, decoded, scale=None):
    from cdna.formats import exact_text, value_of

    if scale is not None:
        scaled = decoded._replace(
            kind=_product_kind(decoded.kind, scale.kind),
            mantissa=decoded.mantissa * scale.mantissa,
            exponent=decoded.exponent + scale.exponent,
        )
        return {**_entry(fmt, scaled), "unscaled": _json(value_of(decoded))}
    return {
        "byte": _hex(fmt, decoded.code),
        "value": _json(value_of(decoded)),
        "exact": exact_text(decoded),
        "class": decoded.kind,
        "sign": None if decoded.negative is None else "-" if decoded.negative else "+",
    }


def _product_kind(kind, by):
    """Return the kind of a number of one kind times a scale of another; scales have no infinity."""
    if "nan" in (kind, by) or (kind, by) == ("infinity", "zero"):
        return "nan"
    return "zero" if by == "zero" else kind


def _json(value):
    """Return a float as JSON holds it: NaN and the infinities as text."""
    if value != value:
        return "nan"
    return {float("inf"): "inf", -float("inf"): "-inf"}.get(value, value)


def _describe_text(known):
    lines = [
        f"{known['name']}: {known['bits']} bits: {known['sign_bits']} sign, {known['exponent_bits']} exponent, "
        f"{known['mantissa_bits']} mantissa; bias {known['bias']}",
        f"largest {known['max']!r}, smallest normal {known['min_normal']!r}, smallest subnormal "
        + ("none" if known["min_subnormal"] is None else repr(known["min_subnormal"])),
        f"NaN {', '.join(known['nan']) or 'none'}; infinity {known['infinity'] or 'none'}; minus zero "
        + ("yes" if known["negative_zero"] else "no"),
    ]
    return "\n".join(lines)


def _columns(entries, name):
    rows = []
    for item in entries:
        exact = item["exact"] if item["class"] not in ("nan", "infinity") else ""
        first = [item["given"]] if "given" in item else []
        rows.append([*first, item["byte"], str(item["value"]), exact, item["class"]])
    return _aligned(rows, name)


def _aligned(rows, name):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([name, *lines])


def _finding(rule, severity, message, claim):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": None}
