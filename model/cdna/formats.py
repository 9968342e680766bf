# SPDX-License-Identifier: Apache-2.0
"""Number formats as bits: FP8 in its two families, FP6, FP4, the exponent-only scale, and the 16- and 32-bit ones.

Values are exact: a finite code is an integer times a power of two. Encoding is in `cdna.rounding`.
"""

from typing import NamedTuple

# What the codes with the largest exponent mean, and where NaN is.
FINITE = "finite"  # every code is a number: no NaN, no infinity
FN = "fn"  # all ones is NaN, no infinity
FNUZ = "fnuz"  # the code of minus zero is the only NaN, no infinity, no minus zero
IEEE = "ieee"  # the largest exponent holds infinity and NaN
SCALE = "scale"  # an exponent alone: no sign, no zero, all ones is NaN
UNSIGNED = "unsigned"  # as FN, but without a sign


class Format(NamedTuple):
    """One number format. `low` bits below the mantissa are stored and always zero (xf32 in a 32-bit register)."""

    name: str
    bits: int
    exponent_bits: int
    mantissa_bits: int
    bias: int
    special: str
    low: int
    claim: str


class Decoded(NamedTuple):
    """What one code means.

    kind: zero, subnormal, normal, infinity or nan; negative: the sign bit, None where the code has no sign;
    the value is mantissa * 2**exponent with that sign, for the finite kinds.
    """

    code: int
    kind: str
    negative: bool
    mantissa: int
    exponent: int


FORMATS = (
    Format("e4m3fnuz", 8, 4, 3, 8, FNUZ, 0, "FMT-051"),
    Format("e4m3fn", 8, 4, 3, 7, FN, 0, "FMT-051"),
    Format("e5m2fnuz", 8, 5, 2, 16, FNUZ, 0, "FMT-051"),
    Format("e5m2", 8, 5, 2, 15, IEEE, 0, "FMT-051"),
    Format("e2m3", 6, 2, 3, 1, FINITE, 0, "FMT-052"),
    Format("e3m2", 6, 3, 2, 3, FINITE, 0, "FMT-052"),
    Format("e2m1", 4, 2, 1, 1, FINITE, 0, "FMT-052"),
    Format("e8m0", 8, 8, 0, 127, SCALE, 0, "FMT-053"),
    Format("e5m3", 8, 5, 3, 15, UNSIGNED, 0, "FMT-066"),
    Format("bf16", 16, 8, 7, 127, IEEE, 0, "FMT-054"),
    Format("fp16", 16, 5, 10, 15, IEEE, 0, "FMT-054"),
    Format("xf32", 32, 8, 10, 127, IEEE, 13, "FMT-055"),
)

# Other spellings, after lower case and without blanks, hyphens, underscores and the prefixes below.
_ALIASES = {
    "e4m3fnuz": ("fnuze4m3", "fp8e4b8", "e4b8", "f8fnuz", "fp8fnuz", "float8fnuz", "f8n"),
    "e4m3fn": ("e4m3ocp", "ocpe4m3", "fp8e4nv", "e4nv", "f8ocp", "fp8ocp", "ocpfp8"),
    "e5m2fnuz": ("fnuze5m2", "fp8e5b16", "e5b16", "bf8fnuz", "bfloat8fnuz", "b8n"),
    "e5m2": ("e5m2ocp", "ocpe5m2", "fp8e5", "e5", "bf8ocp", "ocpbf8"),
    "e2m3": ("e2m3fn", "fp6"),
    "e3m2": ("e3m2fn", "bf6"),
    "e2m1": ("e2m1fn", "fp4", "mxfp4", "nvfp4", "f4", "pkfp4"),
    "e8m0": ("e8m0fnu", "ue8m0"),
    "e5m3": ("ue5m3",),
    "bf16": ("bfloat16", "nvbfloat16"),
    "fp16": ("f16", "float16", "half"),
    "xf32": ("xfloat32", "tf32"),
}
_PREFIXES = ("float8", "float6", "float4", "mxfp8", "mxfp6", "fp8", "fp6", "fp4", "bf8", "bf6", "f8", "f6", "f4")
_PREFIXES += ("mxfp4", "nvfp8", "nvfp4", "cudar8f", "cudar4f", "hipr8f", "hipr6f", "hipr4f")
_PREFIXES += ("hipblasltr8f", "hipblasltr6f", "hipblasltr4f", "hipblaslt", "kfloat8", "matrixfmt", "hip", "float")
# Words at the end of a type's name that say nothing of the format.
_ENDINGS = ("t", "type", "ext", "pk", "bexp", "storage")
# Prefixes whose formats are OCP's on every target, and names to replace by what they can mean.
_ALWAYS_OCP = ("mxfp8", "nvfp8", "cudar8f", "hipblaslt", "matrixfmt", "float")
_SAY = {"mxfp8": "mxfp8_e4m3 or mxfp8_e5m2", "mxfp6": "mxfp6_e2m3 or mxfp6_e3m2"}
_SAY["ue4m3"] = "e4m3fn; codes 0 to 0x7f are the same"
# MLIR's and ml_dtypes' name is that of a third format, which no target takes; safetensors writes F8_E4M3 for e4m3fn.
_THIRD = "has infinities in MLIR and ml_dtypes, which no target takes; say e4m3fnuz (gfx942) or e4m3fn (gfx950, gfx1250, safetensors)"
_SAY_CLAIMED = {name: (_THIRD, "FMT-062") for name in ("f8e4m3", "float8e4m3")}
# Names that say too little: which format they mean depends on the target.
_BY_TARGET = {name: ("e4m3fnuz", "e4m3fn") for name in ("e4m3", "fp8", "f8", "float8")}
_BY_TARGET.update({name: ("e5m2fnuz", "e5m2") for name in ("bf8", "bfloat8", "b8")})
_FNUZ_TARGETS = ("gfx942",)


class FormatError(ValueError):
    """A name, code or number that a format does not have; .field, .given, .allowed and .claim say which."""

    def __init__(self, field, given, allowed, claim):
        super().__init__(str(field) + "=" + str(given) + ": " + allowed + (", " + claim if claim else ""))
        self.field = field
        self.given = given
        self.allowed = allowed
        self.claim = claim


def format_named(name, target=None):
    """Return the Format of a name.

    Args: name: as here, or as ml_dtypes, PyTorch, MLIR, Triton or HIP spell it; target: such as gfx942, which decides
      what `fp8`, `bf8` and `e4m3` mean. What stands before a dot or two colons is left out: torch.float8_e4m3fnuz, cutlass::float_e4m3_t.
    Raises: FormatError: no such format, or a name that needs a target.
    Claims: FMT-001
    """
    bare = name.replace("::", ".").split(".")[-1].lower().replace("-", "_").replace(" ", "_")
    parts = [part for part in bare.split("_") if part]
    while len(parts) > 1 and parts[-1] in _ENDINGS:
        parts.pop()
    text = "".join(parts)
    for count in ("x2", "x4"):  # several numbers of the format, as in __hip_fp8x2_e4m3_fnuz
        text = text.replace(count, "")
    if text[:3] == "hip" and text[-4:] == "e4m3":
        text = "e4m3fn"  # HIP names its other format with _fnuz, on every target
    for known in FORMATS:
        if text == known.name or text in _ALIASES[known.name]:
            return known
    if text in _BY_TARGET:
        return _by_target(name, _BY_TARGET[text], target)
    if text in _SAY:
        raise FormatError("format", repr(name), "say " + _SAY[text], None)
    if text in _SAY_CLAIMED:
        raise FormatError("format", repr(name), *_SAY_CLAIMED[text])
    for prefix in _PREFIXES:
        if text.startswith(prefix) and len(text) > len(prefix):
            rest = text[len(prefix) :]
            if rest in _BY_TARGET:
                return _by_target(name, _BY_TARGET[rest], "gfx950" if prefix in _ALWAYS_OCP else target)
            for known in FORMATS:
                if rest == known.name or rest in _ALIASES[known.name]:
                    return known
            if prefix == "hip" and _known(rest):
                return format_named(rest, target)
    names = ", ".join([known.name for known in FORMATS])
    raise FormatError("format", repr(name), "no such format; " + names, None)


def _known(name):
    """Return whether a name means a format, on some target."""
    try:
        format_named(name, _FNUZ_TARGETS[0])
    except FormatError as error:
        return error.claim is not None
    return True


def _by_target(name, pair, target):
    if target is None:
        wanted = "say which: " + pair[0] + " (gfx942) or " + pair[1] + " (gfx950, gfx1250)"
        raise FormatError("format", repr(name), wanted, "FMT-001")
    return format_named(pair[0] if target in _FNUZ_TARGETS else pair[1])


def is_ambiguous(name):
    """Return whether a name means a different format on another target."""
    try:
        format_named(name)
    except FormatError as error:
        return error.claim == "FMT-001"
    return False


def decode(fmt, code):
    """Return the Decoded meaning of one code.

    Args: fmt: a Format, or its name; code: an integer of `fmt.bits` bits (xf32: the whole register).
    Raises: FormatError: more bits than the format has, or xf32 with low bits set.
    Claims: FMT-051, FMT-052, FMT-053, FMT-054, FMT-055, FMT-066
    """
    fmt = format_named(fmt) if isinstance(fmt, str) else fmt
    if code < 0 or code >> fmt.bits:
        allowed = fmt.name + " has " + str(fmt.bits) + " bits"
        if fmt.bits < 8:
            allowed += "; unpack what holds several (--packed), the lowest bits are the first code"
        raise FormatError("code", _hex(code), allowed, fmt.claim)
    if code & (1 << fmt.low) - 1:
        allowed = "the low " + str(fmt.low) + " bits of " + fmt.name + " are 0; encode rounds a number that has more"
        raise FormatError("code", _hex(code), allowed, fmt.claim)
    stored = code >> fmt.low
    mantissa = stored & (1 << fmt.mantissa_bits) - 1
    exponent = stored >> fmt.mantissa_bits & (1 << fmt.exponent_bits) - 1
    if fmt.special == SCALE:
        kind = "nan" if exponent == (1 << fmt.exponent_bits) - 1 else "normal"
        return Decoded(code, kind, None, 1, exponent - fmt.bias)
    negative = None if fmt.special == UNSIGNED else bool(stored >> fmt.exponent_bits + fmt.mantissa_bits)
    kind = _kind(fmt, negative, exponent, mantissa)
    if kind == "nan":
        return Decoded(code, kind, None if fmt.special == FNUZ else negative, 0, 0)
    if kind == "infinity":
        return Decoded(code, kind, negative, 0, 0)
    if exponent == 0:
        return Decoded(code, kind, negative, mantissa, 1 - fmt.bias - fmt.mantissa_bits)
    whole = mantissa | 1 << fmt.mantissa_bits
    return Decoded(code, kind, negative, whole, exponent - fmt.bias - fmt.mantissa_bits)


def _kind(fmt, negative, exponent, mantissa):
    if fmt.special == FNUZ and negative and exponent == 0 and mantissa == 0:
        return "nan"
    if exponent == (1 << fmt.exponent_bits) - 1:
        if fmt.special == IEEE:
            return "nan" if mantissa else "infinity"
        if fmt.special in (FN, UNSIGNED) and mantissa == (1 << fmt.mantissa_bits) - 1:
            return "nan"
    if exponent:
        return "normal"
    return "subnormal" if mantissa else "zero"


def value_of(decoded):
    """Return the value of a Decoded as a float: exact for every format here; NaN and infinities as floats."""
    if decoded.kind == "nan":
        return float("nan")
    size = float("inf") if decoded.kind == "infinity" else decoded.mantissa * 2.0**decoded.exponent
    return -size if decoded.negative else size


def exact_text(decoded):
    """Return a Decoded as text without rounding: `0.5` is `2^-1`, `448` is `7*2^6`."""
    sign = "-" if decoded.negative else ""
    if decoded.kind in ("nan", "infinity"):
        return "NaN" if decoded.kind == "nan" else sign + "infinity"
    if decoded.kind == "zero":
        return sign + "0"
    mantissa, exponent = decoded.mantissa, decoded.exponent
    while mantissa % 2 == 0:
        mantissa, exponent = mantissa // 2, exponent + 1
    if 0 <= exponent <= 16:
        return sign + str(mantissa << exponent)
    power = "2^" + str(exponent)
    return sign + (power if mantissa == 1 else str(mantissa) + "*" + power)


def largest(fmt):
    """Return the code of the largest finite number of a Format. Claims: FMT-051, FMT-052"""
    top = (1 << fmt.exponent_bits + fmt.mantissa_bits) - 1
    if fmt.special == IEEE:
        top -= 1 << fmt.mantissa_bits
    elif fmt.special in (FN, SCALE, UNSIGNED):
        top -= 1
    return top << fmt.low


def nan_code(fmt, negative=False):
    """Return the code that an encoder writes for NaN, or None: the format has none."""
    sign = 1 << fmt.exponent_bits + fmt.mantissa_bits
    ones = sign - 1
    if fmt.special == FINITE:
        return None
    if fmt.special == FNUZ:
        return sign
    if fmt.special in (SCALE, UNSIGNED):
        return ones
    if fmt.special == IEEE:
        ones = (((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits) + (1 << fmt.mantissa_bits - 1)
    return (ones + (sign if negative else 0)) << fmt.low


def infinity_code(fmt, negative=False):
    """Return the code of an infinity, or None: the format has none."""
    if fmt.special != IEEE:
        return None
    sign = (1 << fmt.exponent_bits + fmt.mantissa_bits) if negative else 0
    return (sign + (((1 << fmt.exponent_bits) - 1) << fmt.mantissa_bits)) << fmt.low


def codes_of(fmt, kind):
    """Return the list of codes of one kind. Args: kind: as in Decoded; not for formats above 16 bits."""
    return [code for code in range(1 << fmt.bits) if decode(fmt, code).kind == kind]


def native(target):
    """Return [(format name, use, claim)] that the instructions of a target take, in the order of FORMATS.

    Args: target: gfx942, gfx950 or gfx1250.
    Returns: use: "matrix" (operand of matrix instructions), "scale" (of their block scales).
    Raises: FormatError: no such target.
    Claims: FMT-001, FMT-056, FMT-063
    """
    for name, rows in NATIVE:
        if name == target:
            return list(rows)
    raise FormatError("target", repr(target), ", ".join([name for name, _ in NATIVE]), None)


_OCP = (
    ("e2m3", "matrix", "FMT-056"),
    ("e3m2", "matrix", "FMT-056"),
    ("e2m1", "matrix", "FMT-056"),
    ("e8m0", "scale", "FMT-056"),
    ("bf16", "matrix", "FMT-056"),
    ("fp16", "matrix", "FMT-056"),
)
NATIVE = (
    (
        "gfx942",
        (
            ("e4m3fnuz", "matrix", "FMT-001"),
            ("e5m2fnuz", "matrix", "FMT-001"),
            ("bf16", "matrix", "FMT-056"),
            ("fp16", "matrix", "FMT-056"),
            ("xf32", "matrix", "TGT-004"),
        ),
    ),
    ("gfx950", (("e4m3fn", "matrix", "FMT-001"), ("e5m2", "matrix", "FMT-001")) + _OCP),
    (
        "gfx1250",
        (("e4m3fn", "matrix", "FMT-063"), ("e5m2", "matrix", "FMT-063")) + _OCP[:4] + (("e5m3", "scale", "WMMA-016"),) + _OCP[4:],
    ),
)


def _hex(code):
    return hex(code) if code >= 0 else str(code)
