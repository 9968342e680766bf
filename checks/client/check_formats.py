# SPDX-License-Identifier: Apache-2.0
"""Number formats as programs not written here know them: ml_dtypes computes them, Triton chooses instructions for them."""

import math
import re

from cdna_evidence.checks import CannotTell, Check

FP8 = ("e4m3fnuz", "e4m3fn", "e5m2fnuz", "e5m2")
SMALL = ("e2m3", "e3m2", "e2m1")


def values(tools, name):
    """Return the values of every code of a format, in order."""
    return [float("nan") if text == "nan" else float.fromhex(text) for text in tools.witness("ml_dtypes").values(name).values]


def cast(tools, name, numbers):
    """Return the codes that numbers become."""
    return list(tools.witness("ml_dtypes").codes(name, numbers).codes)


def codes(found, wanted):
    """Return the codes whose value is the wanted one; NaN is asked for with None."""
    if wanted is None:
        return [code for code, value in enumerate(found) if math.isnan(value)]
    return [code for code, value in enumerate(found) if value == wanted]


def power(value):
    """Return the exponent of a power of two."""
    part, exponent = math.frexp(value)
    if part != 0.5:
        raise CannotTell(f"{value} is no power of two")
    return exponent - 1


def minus_zero(found):
    """Return whether some code is minus zero."""
    return any(value == 0 and math.copysign(1.0, value) < 0 for value in found)


def native(tools, target, question, names=FP8):
    """Return {format: whether Triton chose an FP8 instruction} for products ("dot") or conversions ("cast")."""
    found = {}
    for name, item in zip(names, tools.witness("triton-dot").chosen(target, names, question)):
        if item.outcome != "accepted":
            raise CannotTell(f"{name}: {item.outcome}, {item.diagnostic[:120]}")
        chosen = item.matrix if question == "dot" else item.conversions
        # An FP8 instruction names fp8, bf8 or the mixed form; the others name a wider type.
        found[name] = any("fp8" in one or "bf8" in one or "f8f6f4" in one for one in chosen)
    return found


class TritonFamily(Check):
    """Products and conversions of each FP8 type, compiled for the target now.

    Shows: for which family Triton 3.9.0 chooses FP8 instructions; for the other it goes through wider types.
    Does not show: hardware.
    """

    claim = "FMT-001"
    kind = "client"
    witness = "triton-dot"
    binds = ("multiplied_as_fp8", "converted_by_instruction")

    def observe(self, target, tools):
        return {
            "multiplied_as_fp8": native(tools, target, "dot"),
            "converted_by_instruction": native(tools, target, "cast"),
        }


class TritonFamilyLater(Check):
    """Products and conversions of FP8 types, compiled for gfx1250 now; the product of E4M3FNUZ is left out, it takes minutes.

    Shows: for which family Triton 3.9.0 chooses FP8 instructions.
    Does not show: hardware.
    """

    claim = "FMT-063"
    kind = "client"
    witness = "triton-dot"
    binds = ("multiplied_as_fp8", "converted_by_instruction")

    def observe(self, target, tools):
        return {
            "multiplied_as_fp8": native(tools, target, "dot", FP8[1:]),
            "converted_by_instruction": native(tools, target, "cast"),
        }


class TritonModeBitLater(Check):
    """The mode register in kernels for gfx1250: one bit is written where they convert to FP8 and not where they multiply.

    Shows: which bit Triton 3.9.0 sets for its conversions.
    Does not show: what the bit does.
    """

    claim = "FMT-064"
    kind = "client"
    witness = "triton-dot"
    binds = ("mode_bit",)

    def observe(self, target, tools):
        def written(names, question):
            """Bits of MODE that every kernel writes."""
            found = None
            for item in tools.witness("triton-dot").chosen(target, names, question):
                if item.outcome != "accepted":
                    raise CannotTell(f"{item.outcome}, {item.diagnostic[:120]}")
                bits = {one.split(", ")[1] for one in item.mode if one.startswith("hwreg(HW_REG_WAVE_MODE, ")}
                found = bits if found is None else found & bits
            return found

        only = sorted(written(FP8, "cast") - written(("e4m3fn", "e5m2"), "dot"))
        if len(only) != 1:
            raise CannotTell(f"bits {only}")
        return {"mode_bit": int(only[0])}


class TritonNames(Check):
    """On which of two targets Triton has FP8 instructions for each of its type names.

    Shows: whose family a name of Triton 3.9.0 is.
    Does not show: hardware.
    """

    claim = "FMT-062"
    kind = "client"
    witness = "triton-dot"
    binds = ("own_family",)

    def observe(self, target, tools):
        names = {"e4m3fnuz": "fp8e4b8", "e5m2fnuz": "fp8e5b16", "e4m3fn": "fp8e4nv", "e5m2": "fp8e5"}
        found = {one: native(tools, one, "dot", tuple(names)) for one in ("gfx942", "gfx950")}
        homes = {names[name]: [one for one in found if found[one][name]] for name in names}
        if any(len(home) != 1 for home in homes.values()):
            raise CannotTell(f"{homes}")
        return {"own_family": {name: home[0] for name, home in homes.items()}}


class TritonModeBit(Check):
    """The bits of the mode register that Triton writes in kernels that convert to FP8.

    Shows: that Triton 3.9.0 sets one bit before its conversions, whether by instruction or in software.
    Does not show: what the bit does.
    """

    claim = "FMT-060"
    kind = "client"
    witness = "triton-dot"
    binds = ("mode_bit", "bit_value")

    def observe(self, target, tools):
        written = set()
        for item in tools.witness("triton-dot").chosen(target, FP8, "cast"):
            written |= set(item.mode)
        if len(written) != 1:
            raise CannotTell(f"register writes {sorted(written)}")
        register, bit, width = written.pop().replace("hwreg(", "").replace(")", "").split(", ")[:3]
        value = sorted({one.rpartition(", ")[2] for one in item.mode})[0]
        if register != "HW_REG_MODE" or width != "1":
            raise CannotTell(f"{register}, {width} bits")
        return {"mode_bit": int(bit), "bit_value": int(value)}


class _MlDtypes(Check):
    kind = "client"
    witness = "ml_dtypes"


class MlByteThirtyEight(_MlDtypes):
    """The byte 0x38 as the target's E4M3.

    Shows: ml_dtypes' value, as a fraction in lowest terms, and the bias that it implies.
    Does not show: hardware.
    """

    claim = "FMT-002"
    binds = ("byte", "exponent_field", "fraction", "bias", "numerator", "denominator")

    def observe(self, target, tools):
        found = values(tools, {"gfx942": "e4m3fnuz", "gfx950": "e4m3fn"}[target])
        byte = 0x38
        top, bottom = found[byte].as_integer_ratio()
        return {
            "byte": byte,
            "exponent_field": byte >> 3,
            "fraction": byte & 7,
            "bias": codes(found, 1.0)[0] >> 3,
            "numerator": top,
            "denominator": bottom,
        }


class MlOneNan(_MlDtypes):
    """Every byte of E5M2FNUZ.

    Shows: which bytes ml_dtypes takes for NaN, zero and infinities.
    Does not show: hardware.
    """

    claim = "FMT-003"
    binds = ("codes", "nan", "zero", "infinities")

    def observe(self, target, tools):
        found = values(tools, "e5m2fnuz")
        return {
            "codes": len(found),
            "nan": codes(found, None),
            "zero": codes(found, 0.0),
            "infinities": sum(math.isinf(value) for value in found),
        }


class MlFp8Codes(_MlDtypes):
    """Every byte of the four FP8 formats, summed up.

    Shows: ml_dtypes.
    Does not show: hardware.
    """

    claim = "FMT-051"
    binds = ("bias", "max", "max_code", "smallest_power", "nans", "infinities", "one_code", "minus_zero")

    def observe(self, target, tools):
        found = {name: values(tools, name) for name in FP8}
        finite = {name: [value for value in found[name] if math.isfinite(value)] for name in FP8}
        shift = {"e4m3fnuz": 3, "e4m3fn": 3, "e5m2fnuz": 2, "e5m2": 2}
        return {
            "bias": {name: codes(found[name], 1.0)[0] >> shift[name] for name in FP8},
            "max": {name: int(max(finite[name])) for name in FP8},
            "max_code": {name: codes(found[name], max(finite[name]))[0] for name in FP8},
            "smallest_power": {name: power(min(value for value in finite[name] if value > 0)) for name in FP8},
            "nans": {name: len(codes(found[name], None)) for name in FP8},
            "infinities": {name: sum(math.isinf(value) for value in found[name]) for name in FP8},
            "one_code": {name: codes(found[name], 1.0)[0] for name in FP8},
            "minus_zero": {name: minus_zero(found[name]) for name in FP8},
        }


class MlSmallCodes(_MlDtypes):
    """Every code of FP6 and FP4, summed up.

    Shows: ml_dtypes.
    Does not show: hardware.
    """

    claim = "FMT-052"
    binds = ("bits", "bias", "max_eighths", "smallest_sixteenths", "nans_and_infinities", "minus_zero")

    def observe(self, target, tools):
        found = {name: values(tools, name) for name in SMALL}
        mantissa = {"e2m3": 3, "e3m2": 2, "e2m1": 1}
        return {
            "bits": {name: len(found[name]).bit_length() - 1 for name in SMALL},
            "bias": {name: codes(found[name], 1.0)[0] >> mantissa[name] for name in SMALL},
            "max_eighths": {name: int(max(found[name]) * 8) for name in SMALL},
            "smallest_sixteenths": {n: int(min(value for value in found[n] if value > 0) * 16) for n in SMALL},
            "nans_and_infinities": {name: sum(not math.isfinite(value) for value in found[name]) for name in SMALL},
            "minus_zero": {name: minus_zero(found[name]) for name in SMALL},
        }


class MlScaleCodes(_MlDtypes):
    """Every byte of E8M0.

    Shows: ml_dtypes.
    Does not show: hardware.
    """

    claim = "FMT-053"
    binds = (
        "bias",
        "zero_byte",
        "power_of_zero_byte",
        "one_byte",
        "power_of_0x80",
        "nan",
        "negative_codes",
        "zero_codes",
    )

    def observe(self, target, tools):
        found = values(tools, "e8m0")
        lowest = min(value for value in found if not math.isnan(value))
        return {
            "bias": -power(lowest),
            "zero_byte": codes(found, lowest)[0],
            "power_of_zero_byte": power(found[0]),
            "one_byte": codes(found, 1.0)[0],
            "power_of_0x80": power(found[0x80]),
            "nan": codes(found, None),
            "negative_codes": sum(value < 0 for value in found),
            "zero_codes": sum(value == 0 for value in found),
        }


class MlSixteenBitCodes(_MlDtypes):
    """Every code of bfloat16, and of NumPy's float16, summed up.

    Shows: ml_dtypes and NumPy.
    Does not show: hardware.
    """

    claim = "FMT-054"
    binds = ("mantissa_bits", "bias", "one_code", "max_code", "max_fp16", "smallest_power", "nans", "infinities")

    def observe(self, target, tools):
        found = {name: values(tools, name) for name in ("bf16", "fp16")}
        finite = {name: [value for value in found[name] if math.isfinite(value)] for name in found}
        one = {name: codes(found[name], 1.0)[0] for name in found}
        mantissa = {name: -power(found[name][one[name] + 1] - 1.0) for name in found}
        return {
            "mantissa_bits": mantissa,
            "bias": {name: one[name] >> mantissa[name] for name in found},
            "one_code": one,
            "max_code": {name: codes(found[name], max(finite[name]))[0] for name in found},
            "max_fp16": int(max(finite["fp16"])),
            "smallest_power": {name: power(min(value for value in finite[name] if value > 0)) for name in found},
            "nans": {name: len(codes(found[name], None)) for name in found},
            "infinities": {name: sum(math.isinf(value) for value in found[name]) for name in found},
        }


class MlNearestEven(_MlDtypes):
    """Numbers on codes, on ties and too small for a format, cast; and a tie that two roundings produce.

    Shows: ml_dtypes' rounding of 32-bit floats.
    Does not show: hardware.
    """

    claim = "FMT-057"
    binds = ("numbers", "codes", "tiny_negative", "twice_rounded")

    def observe(self, target, tools):
        numbers = [128.0, 136.0, 200.0, 224.0, 240.0]
        return {
            "numbers": [int(number) for number in numbers],
            "codes": cast(tools, "e4m3fnuz", numbers),
            "tiny_negative": {name: cast(tools, name, [-(2.0**-20)])[0] for name in FP8},
            "twice_rounded": cast(tools, "e4m3fn", [1.0625])[0],
        }


class MlOverflow(_MlDtypes):
    """A number far beyond every format, cast; and the largest that is still rounded down.

    Shows: ml_dtypes, which does not saturate where a format has another way.
    Does not show: hardware.
    """

    claim = "FMT-058"
    binds = ("not_saturated", "last_kept")

    def observe(self, target, tools):
        numbers = [float(number) for number in range(448, 600)]
        kept = [n for n, code in zip(numbers, cast(tools, "e4m3fn", numbers)) if code == cast(tools, "e4m3fn", [448.0])[0]]
        return {
            "not_saturated": {name: cast(tools, name, [2.0**30])[0] for name in FP8 + SMALL},
            "last_kept": int(max(kept)),
        }


MLIR = {"fp4": "8xf4E2M1FN", "fp6": "16xf6E2M3FN", "fp8": "8xf8E4M3FN"}
CONVERSION = """func.func @f(%v: vector<{kind}>, %s: vector<4xf8E8M0FNU>) -> vector<{count}xf32> {{
  %r = amdgpu.scaled_ext_packed_matrix %v scale(%s) blockSize({block}) firstScaleLane({lane}) firstScaleByte({byte})
    : vector<{kind}>, vector<4xf8E8M0FNU> -> vector<{count}xf32>
  return %r : vector<{count}xf32>
}}
"""


def selections(tools, asked):
    """Return the selection that MLIR's lowering writes for each (format, block, first lane, first byte); None: refused."""
    texts = []
    for name, block, lane, byte in asked:
        kind = MLIR[name]
        texts.append(CONVERSION.format(kind=kind, count=kind.split("x")[0], block=block, lane=lane, byte=byte))
    found = []
    for outcome, text in tools.witness("flydsl").lowered(texts):
        written = re.findall(r"rocdl\.cvt\.scale\.pk\d+\.\S+ %\w+, %\w+\[(\d+)\]", text)
        if outcome not in ("accepted", "rejected") or (outcome == "accepted" and len(written) != 1):
            raise CannotTell(f"{outcome}: {text[:120]}")
        found.append(int(written[0]) if outcome == "accepted" else None)
    return found


class MlirHalves(Check):
    """The conversions of MLIR's amdgpu dialect in blocks of 32, with each byte to begin at.

    Shows: the selection for the first bytes, and at which bytes the dialect lets the two halves begin.
    Does not show: hardware. That the second half takes the next byte is the dialect's text.
    """

    claim = "FMT-071"
    kind = "client"
    witness = "flydsl"
    binds = ("selection", "first_bytes")

    def observe(self, target, tools):
        rows = {name: selections(tools, [(name, 32, 0, byte) for byte in range(4)]) for name in MLIR}
        firsts = {name: [byte for byte, item in enumerate(found) if item is not None] for name, found in rows.items()}
        return {"selection": {name: found[0] for name, found in rows.items()}, "first_bytes": firsts}


class MlirSelection(Check):
    """The conversions of MLIR's amdgpu dialect, lowered now with other places of the scales.

    Shows: the selection that the lowering writes for each.
    Does not show: hardware.
    """

    claim = "FMT-072"
    kind = "client"
    witness = "flydsl"
    position = "mlir"
    binds = ("half", "blocks_of_16", "byte_1")

    def observe(self, target, tools):
        asked = [("fp4", 32, 16, 0), ("fp4", 16, 0, 0), ("fp8", 16, 0, 0), ("fp8", 32, 0, 1)]
        half, small, large, byte = selections(tools, asked)
        return {"half": half, "blocks_of_16": {"fp4": small, "fp8": large}, "byte_1": byte}
