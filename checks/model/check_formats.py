# SPDX-License-Identifier: Apache-2.0
"""Number formats, asked of the reference model: every code decoded, chosen numbers encoded."""

import math

from cdna.block_scale import scale_of
from cdna.convert_scale import scale_byte
from cdna.formats import FormatError, decode, format_named, native, value_of
from cdna.rounding import Number, encode
from cdna_evidence.checks import CannotTell, Check

FP8 = ("e4m3fnuz", "e4m3fn", "e5m2fnuz", "e5m2")
SMALL = ("e2m3", "e3m2", "e2m1")


def values(name, bits=8):
    """Return the values of every code of a format, in order."""
    return [value_of(decode(name, code)) for code in range(1 << bits)]


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


def refused(name):
    """Return whether a name of a format is refused without a target."""
    try:
        format_named(name)
    except FormatError:
        return True
    return False


class FamilyOfTarget(Check):
    """What a bare `fp8` and `bf8` mean for a target, and which FP8 formats the model lists as native there.

    Shows: the model's reading of the sources.
    Does not show: hardware.
    """

    claim = "FMT-001"
    kind = "model"
    binds = ("fp8", "bf8", "multiplied_as_fp8", "converted_by_instruction")

    def observe(self, target, tools):
        held = [name for name, use, _ in native(target) if use == "matrix"]
        own = {name: name in held for name in FP8}
        return {
            "fp8": format_named("fp8", target).name,
            "bf8": format_named("bf8", target).name,
            "multiplied_as_fp8": own,
            "converted_by_instruction": own,
        }


class ByteThirtyEight(Check):
    """The byte whose exponent field is 7 and whose fraction is 0, decoded as the target's E4M3.

    Shows: the model's value, as a fraction in lowest terms, and the bias that its neighbours imply.
    Does not show: hardware.
    """

    claim = "FMT-002"
    kind = "model"
    binds = ("byte", "exponent_field", "fraction", "bias", "numerator", "denominator")

    def observe(self, target, tools):
        found = values(format_named("e4m3", target).name)
        byte = 0x38
        top, bottom = found[byte].as_integer_ratio()
        # The code that is one has the bias as its exponent field.
        return {
            "byte": byte,
            "exponent_field": byte >> 3,
            "fraction": byte & 7,
            "bias": codes(found, 1.0)[0] >> 3,
            "numerator": top,
            "denominator": bottom,
        }


class OneNan(Check):
    """Every byte of E5M2FNUZ, decoded.

    Shows: which bytes the model takes for NaN, zero and infinities.
    Does not show: hardware.
    """

    claim = "FMT-003"
    kind = "model"
    binds = ("codes", "nan", "zero", "infinities")

    def observe(self, target, tools):
        found = values("e5m2fnuz")
        return {
            "codes": len(found),
            "nan": codes(found, None),
            "zero": codes(found, 0.0),
            "infinities": sum(math.isinf(value) for value in found),
        }


class Fp8Codes(Check):
    """Every byte of the four FP8 formats, decoded and summed up.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "FMT-051"
    kind = "model"
    binds = ("bias", "max", "max_code", "smallest_power", "nans", "infinities", "one_code", "minus_zero")

    def observe(self, target, tools):
        found = {name: values(name) for name in FP8}
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


class SmallCodes(Check):
    """Every code of FP6 and FP4, decoded and summed up; how many bits they have is found by asking for too large a code.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "FMT-052"
    kind = "model"
    binds = ("bits", "bias", "max_eighths", "smallest_sixteenths", "nans_and_infinities", "minus_zero")

    def observe(self, target, tools):
        bits = {name: self._bits(name) for name in SMALL}
        found = {name: values(name, bits[name]) for name in SMALL}
        mantissa = {"e2m3": 3, "e3m2": 2, "e2m1": 1}
        return {
            "bits": bits,
            "bias": {name: codes(found[name], 1.0)[0] >> mantissa[name] for name in SMALL},
            "max_eighths": {name: int(max(found[name]) * 8) for name in SMALL},
            "smallest_sixteenths": {n: int(min(value for value in found[n] if value > 0) * 16) for n in SMALL},
            "nans_and_infinities": {name: sum(not math.isfinite(value) for value in found[name]) for name in SMALL},
            "minus_zero": {name: minus_zero(found[name]) for name in SMALL},
        }

    def _bits(self, name):
        code = 1
        while True:
            try:
                decode(name, code)
            except FormatError:
                return code.bit_length() - 1
            code *= 2


class ScaleCodes(Check):
    """Every byte of E8M0, decoded.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "FMT-053"
    kind = "model"
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
        found = values("e8m0")
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


class ScaleWithMantissa(Check):
    """Every byte of E5M3, decoded and summed up.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "FMT-066"
    kind = "model"
    binds = (
        "exponent_bits",
        "mantissa_bits",
        "bias",
        "one_byte",
        "power_of_0x80",
        "max",
        "max_byte",
        "nan",
        "zero",
        "smallest_power",
        "smallest_normal_power",
        "negative_codes",
    )

    def observe(self, target, tools):
        found = values("e5m3")
        numbers = [value for value in found if not math.isnan(value)]
        one = codes(found, 1.0)[0]
        # Codes from one to two are as many as the mantissa has; the rest of the byte is exponent.
        mantissa = (codes(found, 2.0)[0] - one).bit_length() - 1
        normal = [code for code in range(256) if decode("e5m3", code).kind == "normal"]
        return {
            "exponent_bits": (len(found).bit_length() - 1) - mantissa,
            "mantissa_bits": mantissa,
            "bias": one >> mantissa,
            "one_byte": one,
            "power_of_0x80": power(found[0x80]),
            "max": int(max(numbers)),
            "max_byte": codes(found, max(numbers))[0],
            "nan": codes(found, None),
            "zero": codes(found, 0.0),
            "smallest_power": power(min(value for value in numbers if value > 0)),
            "smallest_normal_power": power(found[normal[0]]),
            "negative_codes": sum(math.copysign(1.0, value) < 0 for value in numbers),
        }



class SixteenBitCodes(Check):
    """Every code of BF16 and FP16, decoded and summed up.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "FMT-054"
    kind = "model"
    binds = (
        "exponent_bits",
        "mantissa_bits",
        "bias",
        "one_code",
        "max_code",
        "max_fp16",
        "smallest_power",
        "nans",
        "infinities",
    )

    def observe(self, target, tools):
        found = {name: values(name, 16) for name in ("bf16", "fp16")}
        return sixteen(found)


def sixteen(found):
    """Sum up the values of every code of 16-bit formats."""
    finite = {name: [value for value in found[name] if math.isfinite(value)] for name in found}
    one = {name: codes(found[name], 1.0)[0] for name in found}
    # The next code above one differs by one step of the mantissa.
    mantissa = {name: -power(found[name][one[name] + 1] - 1.0) for name in found}
    return {
        "exponent_bits": {name: 15 - mantissa[name] for name in found},
        "mantissa_bits": mantissa,
        "bias": {name: one[name] >> mantissa[name] for name in found},
        "one_code": one,
        "max_code": {name: codes(found[name], max(finite[name]))[0] for name in found},
        "max_fp16": int(max(finite["fp16"])),
        "smallest_power": {name: power(min(value for value in finite[name] if value > 0)) for name in found},
        "nans": {name: len(codes(found[name], None)) for name in found},
        "infinities": {name: sum(math.isinf(value) for value in found[name]) for name in found},
    }


class Xf32Codes(Check):
    """Codes of XF32 around one, and which low bits the model refuses.

    Shows: the model.
    Does not show: what hardware does with the low bits.
    """

    claim = "FMT-055"
    kind = "model"
    binds = (
        "exponent_bits",
        "mantissa_bits",
        "bias",
        "low_bits",
        "one_code",
        "next_after_one",
        "low_bit_refused",
        "low_bits_zero_refused",
    )

    def observe(self, target, tools):
        one, beyond = encode("xf32", 1).code, encode("xf32", 1.0 + 2.0**-30)
        step = next(1 << bit for bit in range(32) if not self._refused(one + (1 << bit)))
        above = decode("xf32", one + step)
        mantissa = -power(value_of(above) - 1.0)
        low = step.bit_length() - 1
        if beyond.code != one or not beyond.inexact:
            raise CannotTell("a number just above one is not rounded to it")
        return {
            "exponent_bits": 31 - mantissa - low,
            "mantissa_bits": mantissa,
            "bias": one >> mantissa + low,
            "low_bits": low,
            "one_code": one,
            "next_after_one": one + step,
            "low_bit_refused": self._refused(one + 1),
            "low_bits_zero_refused": self._refused(one),
        }

    def _refused(self, code):
        try:
            decode("xf32", code)
        except FormatError:
            return True
        return False


class NativeFormats(Check):
    """The formats that the model lists for the matrix instructions of a target, FP8 aside.

    Shows: the model's list.
    Does not show: hardware.
    """

    claim = "FMT-056"
    kind = "model"
    binds = ("accepted",)

    def observe(self, target, tools):
        held = [name for name, _, _ in native(target)]
        return {"accepted": {n: n in held for n in ("fp16", "bf16", "xf32", "e2m3", "e3m2", "e2m1", "e8m0")}}


class NearestEven(Check):
    """Numbers on codes, on ties and too small for a format, encoded; and one that two roundings would spoil.

    Shows: the model's rounding.
    Does not show: hardware.
    """

    claim = "FMT-057"
    kind = "model"
    binds = ("numbers", "codes", "tiny_negative", "twice_rounded", "once_rounded")

    def observe(self, target, tools):
        numbers = [128, 136, 200, 224, 240]
        # One and a sixteenth is a tie of E4M3FN; a little more is not, unless it is first rounded to a 32-bit float.
        tie = Number("finite", False, (17 << 40) + 16, 16 << 40)
        return {
            "numbers": numbers,
            "codes": [encode("e4m3fnuz", number).code for number in numbers],
            "tiny_negative": {name: encode(name, -1e-06).code for name in FP8},
            "twice_rounded": encode("e4m3fn", 1.0625).code,
            "once_rounded": encode("e4m3fn", tie).code,
        }


class Overflow(Check):
    """A number far beyond every format, encoded with and without saturation; and the largest one that is still rounded down.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "FMT-058"
    kind = "model"
    binds = ("not_saturated", "saturated", "last_kept")

    def observe(self, target, tools):
        names = FP8 + SMALL
        kept = [number for number in range(448, 600) if encode("e4m3fn", number).over is None]
        return {
            "not_saturated": {name: encode(name, 1e9).code for name in names},
            "saturated": {name: encode(name, 1e9, saturate=True).code for name in names},
            "last_kept": max(kept),
        }


class Stochastic(Check):
    """The random numbers for which a number between two codes goes up, found by bisection.

    Shows: the model.
    Does not show: which random bits an instruction takes.
    """

    claim = "FMT-059"
    kind = "model"
    binds = ("gap", "randoms", "first_up", "down_code", "up_code")

    def observe(self, target, tools):
        down = encode("e4m3fnuz", 132, "stochastic", random=0).code
        gap = value_of(decode("e4m3fnuz", down + 1)) - value_of(decode("e4m3fnuz", down))
        low, high = 0, self._most()
        if encode("e4m3fnuz", 132, "stochastic", random=high).code != down + 1:
            raise CannotTell("the largest random number does not go up")
        while high - low > 1:
            middle = (low + high) // 2
            if encode("e4m3fnuz", 132, "stochastic", random=middle).code == down:
                low = middle
            else:
                high = middle
        return {
            "gap": int(gap),
            "randoms": self._most() + 1,
            "first_up": high,
            "down_code": down,
            "up_code": encode("e4m3fnuz", 132, "stochastic", random=high).code,
        }

    def _most(self):
        bits = 1
        while bits < 80:
            try:
                encode("e4m3fnuz", 132, "stochastic", random=1 << bits)
            except FormatError:
                return (1 << bits) - 1
            bits += 1
        raise CannotTell("no limit on random numbers")


class ModeBit(Check):
    """What the model writes beyond the largest number with saturation, as with the bit set, and without, as with it clear.

    Shows: that the model's two ways are those of the guide's table.
    Does not show: hardware, nor which bit it is.
    """

    claim = "FMT-060"
    kind = "model"
    binds = ("bit_set", "bit_clear")

    def observe(self, target, tools):
        fp8, bf8 = format_named("fp8", target), format_named("bf8", target)
        infinity = float("inf")
        return {
            "bit_set": {
                "fp8_beyond": encode(fp8, 1e9, saturate=True).code,
                "fp8_infinity": encode(fp8, infinity, saturate=True).code,
                "bf8_beyond": encode(bf8, 1e9, saturate=True).code,
            },
            "bit_clear": {
                "fp8_beyond": encode(fp8, 1e9).code,
                "fp8_infinity": encode(fp8, infinity).code,
                "bf8_beyond": encode(bf8, 1e9).code,
                "bf8_infinity": encode(bf8, infinity).code,
            },
        }


class ModeBitLater(ModeBit):
    """The same with an infinity in BF8 too.

    Shows: that the model's two ways are those of the guide's table.
    Does not show: hardware, nor which bit it is.
    """

    claim = "FMT-064"

    def observe(self, target, tools):
        found = ModeBit.observe(self, target, tools)
        found["bit_set"]["bf8_infinity"] = encode(format_named("bf8", target), float("inf"), saturate=True).code
        return found


class FamilyLater(Check):
    """The formats that the names fp8 and bf8 mean for the target.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "FMT-063"
    kind = "model"
    binds = ("fp8", "bf8")

    def observe(self, target, tools):
        return {"fp8": format_named("fp8", target).name, "bf8": format_named("bf8", target).name}


class StochasticBits(Check):
    """The lowest bit of the random number that changes the result for some single-precision number, searched.

    Shows: which bits of its random number the model's result depends on.
    Does not show: which an instruction takes.
    """

    claim = "FMT-065"
    kind = "model"
    binds = ("lowest_bit", "bits")

    def observe(self, target, tools):
        lowest = {}
        for name in ("fp8", "bf8"):
            fmt = format_named(name, target)
            # The largest single-precision number below two: it goes up with the smallest random number of all.
            number = 2 - 2.0**-23
            still = encode(fmt, number, "stochastic", random=0).code
            lowest[name] = next(bit for bit in range(32) if encode(fmt, number, "stochastic", random=1 << bit).code != still)
        return {"lowest_bit": lowest, "bits": {name: 32 - bit for name, bit in lowest.items()}}


class ScaleOfBlock(Check):
    """Largest magnitudes of blocks, and the scale by each of four rules.

    Shows: the model's bytes, and where the magnitude then lies beyond the format.
    Does not show: what a library writes; tests hold the model against the arithmetic of one, bit for bit.
    """

    claim = "FMT-067"
    kind = "model"
    binds = ("asked", "floor", "even", "ceil", "rceil", "clips")

    def observe(self, target, tools):
        asked = {"e2m1": [5, 7, 13], "e4m3fn": [150, 449, 480], "e4m3fnuz": [232, 240]}
        modes = ("floor", "even", "ceil", "rceil")
        found = {mode: {name: [scale_of(name, n, mode).code for n in asked[name]] for name in asked} for mode in modes}
        clips = {mode: [scale_of("e2m1", number, mode).clips for number in asked["e2m1"]] for mode in modes}
        return {"asked": asked, "clips": clips, **found}


class BoundOfLibraries(Check):
    """The number whose byte is the largest one of E4M3FN, decoded in E4M3FNUZ, beside the format's own largest.

    Shows: that the bound libraries take is what the other family's largest byte means, and that a byte above it exists.
    Does not show: what the libraries do.
    """

    claim = "FMT-068"
    kind = "model"
    binds = ("largest", "largest_code", "bound", "bound_code", "ocp_largest", "ocp_code")

    def observe(self, target, tools):
        own = [value for value in values("e4m3fnuz") if not math.isnan(value)]
        ocp = [value for value in values("e4m3fn") if not math.isnan(value)]
        shared = values("e4m3fn").index(max(ocp))
        bound = values("e4m3fnuz")[shared]
        return {
            "largest": int(max(own)),
            "largest_code": encode("e4m3fnuz", max(own)).code,
            "bound": int(bound),
            "bound_code": encode("e4m3fnuz", bound).code,
            "ocp_largest": int(max(ocp)),
            "ocp_code": shared,
        }


# A format of each width: with selection 0 the tables have blocks of 32.
WIDTHS = {"fp4": "e2m1", "fp6": "e2m3", "fp8": "e4m3fn"}


class ScaleOfHalves(Check):
    """The place of the scale for each lane, by selections without blocks of 16.

    Shows: the model's reading of the tables.
    Does not show: hardware.
    """

    claim = "FMT-071"
    kind = "model"
    binds = ("selection", "byte_of_half", "lanes_read", "first_bytes")

    def observe(self, target, tools):
        places = {name: [scale_byte(fmt, 0, lane) for lane in range(32)] for name, fmt in WIDTHS.items()}
        for found in places.values():
            if [lane for lane, _ in found] != [*range(16), *range(16)]:
                raise CannotTell("the lanes of the scales are not 0 to 15 for both halves")
        whole = {"fp4": 4, "fp6": 4, "fp8": 8}
        firsts = {name: sorted({scale_byte(fmt, one, 0)[1] for one in range(whole[name])}) for name, fmt in WIDTHS.items()}
        return {
            "selection": {name: selection(fmt, 32, 0, 0) for name, fmt in WIDTHS.items()},
            "byte_of_half": {name: [found[0][1], found[16][1]] for name, found in places.items()},
            "lanes_read": [min(places["fp4"])[0], max(places["fp4"])[0]],
            "first_bytes": firsts,
        }


class SelectionByGuide(Check):
    """The selection for a place of the scales, searched among all.

    Shows: the model's reading of the tables.
    Does not show: hardware.
    """

    claim = "FMT-072"
    kind = "model"
    position = "guide"
    binds = ("half", "blocks_of_16", "byte_1")

    def observe(self, target, tools):
        return {
            "half": selection("e2m1", 32, 16, 0),
            "blocks_of_16": {"fp4": selection("e2m1", 16, 0, 0), "fp8": selection("e4m3fn", 16, 0, 0)},
            "byte_1": selection("e4m3fn", 32, 0, 1),
        }


def selection(fmt, block, lane, byte):
    """Return the first selection by which lane 0 reads a byte of a lane, in blocks of 32 or 16."""
    bit = 3 if fmt == "e4m3fn" else 2
    for found in range(16 if bit == 3 else 8):
        if (found >> bit & 1) == (block == 16) and scale_byte(fmt, found, 0) == (lane, byte):
            return found
    raise CannotTell(f"{fmt}: no selection for byte {byte} of lane {lane}")


class _Infinity(Check):
    claim = "FMT-061"
    kind = "model"
    binds = ("beyond_code", "infinity_code", "ocp_infinity_code")
    saturate = True

    def observe(self, target, tools):
        infinity = float("inf")
        return {
            "beyond_code": encode("e4m3fnuz", 1e9, saturate=self.saturate).code,
            "infinity_code": encode("e4m3fnuz", infinity, saturate=self.saturate).code,
            "ocp_infinity_code": encode("e4m3fn", infinity, saturate=True).code,
        }


class InfinitySaturates(_Infinity):
    """An infinity, cast with saturation.

    Shows: the model's reading.
    Does not show: hardware.
    """

    position = "largest"


class InfinityStays(_Infinity):
    """An infinity, cast with saturation of finite numbers only.

    Shows: the other reading, which the model also has.
    Does not show: hardware.
    """

    position = "nan"
    saturate = "finite"


class Names(Check):
    """Names of FP8 types: the bias of what they mean, which of them are refused without a target, whose family they are.

    Shows: the model's table of names.
    Does not show: what a program of another version means by them.
    """

    claim = "FMT-062"
    kind = "model"
    binds = ("bias", "needs_a_target", "own_family")

    def observe(self, target, tools):
        names = ("fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16")
        homes = {}
        for name in names:
            known = format_named(name).name
            homes[name] = [t for t in ("gfx942", "gfx950") if known in [row[0] for row in native(t)]]
        if any(len(home) != 1 for home in homes.values()):
            raise CannotTell(f"homes {homes}")
        return {
            "bias": {name: format_named(name).bias for name in names},
            "needs_a_target": {name: refused(name) for name in ("fp8", "bf8", "e4m3", "e5m2", "fp8e4nv")},
            "own_family": {name: home[0] for name, home in homes.items()},
        }
