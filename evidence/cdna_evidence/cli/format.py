# SPDX-License-Identifier: Apache-2.0
"""`cdna format`: number formats on the command line: what codes mean, what numbers become, what a target takes."""

from .numbers_text import number_of_text
from .output import Usage, emit, parser

COMMANDS = ("decode", "encode", "table", "native")
USAGE = """usage: cdna format COMMAND ... [--json]

  decode NAME BYTE...         what codes mean: value, class, sign; option --scale BYTE (an E8M0 block scale)
  encode NAME -- VALUE...     the codes of numbers; options --saturate, --rounding nearest-even|toward-zero|stochastic,
                              --random N (32 bits, for stochastic)
  table NAME                  the format and its codes; 16 bits and more: its landmarks, --all for every 16-bit code
  native --target T [NAME]    the formats that the matrix instructions of a target take; with NAME: whether it does

NAME: e4m3fnuz e4m3fn e5m2fnuz e5m2 e2m3 e3m2 e2m1 e8m0 e5m3 bf16 fp16 xf32, or as ml_dtypes, PyTorch, MLIR, Triton or HIP
spell it. fp8, bf8 and e4m3 mean another format on gfx942 than on gfx950: they need --target.
BYTE is decimal or 0x. VALUE is exact: 0.1, -1e-6, 0x1p-128, 2^-128, 3/8, 0.5*2^-127, inf, nan."""
# The guide's table is about conversions to these two, and about this target.
MODE_BIT = ("e4m3fn", "e5m2")
HARDWARE = "gfx950 writes this with MODE bit FP16_OVFL clear, and the largest number with it set"


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
        return {"decode": _decode, "encode": _encode, "table": _table, "native": _native}[argv[0]](argv[1:])
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
    options.add_argument("name")
    options.add_argument("codes", nargs="+", metavar="BYTE")
    given = options.parse_args(argv)
    fmt = format_named(given.name, _target(given))
    scale = None if given.scale is None else decode("e8m0", _code(given.scale))
    entries = [_entry(fmt, decode(fmt, _code(text)), scale) for text in given.codes]
    result = {"format": describe(fmt), "bytes": [item["byte"] for item in entries]}
    result["values"] = [item["value"] for item in entries]
    result["entries"] = entries
    if scale is not None:
        result["scale"] = _entry(format_named("e8m0"), scale)
    text = None if given.json else _columns(entries, fmt.name)
    return emit("format decode", given.target, result, _foreign(fmt, given.target), json=given.json, text=text)


def _code(text):
    if not text.isascii() or "_" in text:  # Python reads 1_0 as ten
        raise Usage(f"code {text[:20]!r}: a number, decimal or 0x")
    try:
        return int(text, 0) if text[:1] != "0" or text[:2].lower() in ("0x", "0b") else int(text)
    except ValueError:
        raise Usage(f"code {text[:20]!r}: a number, decimal or 0x") from None


def _encode(argv):
    from cdna.formats import decode, format_named
    from cdna.rounding import encode

    options = _options("encode")
    options.add_argument("--saturate", action="store_true")
    options.add_argument("--rounding", default="nearest-even")
    options.add_argument("--random", default="0")
    options.add_argument("name")
    own, values = _apart(argv)
    given = options.parse_args(own)
    if not values:
        raise Usage("no VALUE: cdna format encode NAME -- VALUE...")
    fmt = format_named(given.name, _target(given))
    entries, findings, disputed = [], [], []
    for text in values:
        number = number_of_text(text)
        done = encode(fmt, number, given.rounding, given.saturate, _code(given.random))
        if given.saturate and number.kind == "infinity" and fmt.special == "fnuz":
            other = _entry(fmt, decode(fmt, encode(fmt, number, saturate="finite").code))
            disputed.append({"claim": "FMT-061", "position": "nan", "result": {"given": text, **other}})
        entry = {"given": text, **_entry(fmt, decode(fmt, done.code))}
        entry.update(inexact=done.inexact, overflow=done.over, underflow=done.flushed)
        entries.append(entry)
        findings += _notes(fmt, text, done, number)
    result = {
        "format": describe(fmt),
        "rounding": given.rounding,
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
        if word in ("--rounding", "--random", "--target") and queue:
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
        hardware = [_finding("hardware-overflow", "info", HARDWARE, "FMT-060")] if fmt.name in MODE_BIT else []
        return [_finding("overflow", "warning", message, "FMT-058"), *hardware]
    if done.flushed:
        return [_finding("underflow", "info", f"{shown} is too small and becomes zero", "FMT-057")]
    return []


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
        kind = "nan" if scale.kind == "nan" else decoded.kind
        scaled = decoded._replace(kind=kind, exponent=decoded.exponent + scale.exponent)
        return {**_entry(fmt, scaled), "unscaled": _json(value_of(decoded))}
    return {
        "byte": _hex(fmt, decoded.code),
        "value": _json(value_of(decoded)),
        "exact": exact_text(decoded),
        "class": decoded.kind,
        "sign": None if decoded.negative is None else "-" if decoded.negative else "+",
    }


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
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join([name, *lines])


def _finding(rule, severity, message, claim):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": None}
