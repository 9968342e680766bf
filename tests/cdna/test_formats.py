# SPDX-License-Identifier: Apache-2.0
"""Number formats against ml_dtypes, code by code and number by number, and against public cases and the CDNA4 guide's table."""

import collections
import json
import math
import pathlib
import struct
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdna.formats import (
    FORMATS,
    FormatError,
    codes_of,
    decode,
    exact_text,
    format_named,
    infinity_code,
    is_ambiguous,
    largest,
    nan_code,
    native,
    value_of,
)
from cdna.rounding import Number, encode, number_of
from cdna_evidence import witnesses

CASES = {
    case["id"]: case
    for case in json.loads(
        (pathlib.Path(__file__).parents[1] / "data" / "cases" / "public_problems.json").read_text()
    )["cases"]
}
THEIRS = ("e4m3fnuz", "e4m3fn", "e5m2fnuz", "e5m2", "e2m3", "e3m2", "e2m1", "e8m0", "bf16", "fp16")
# CDNA4 ISA guide, §7.3, table 30: bias, largest, smallest normal, smallest subnormal.
GUIDE = {
    "fp16": (15, 65504, 2.0**-14, 2.0**-24),
    "e4m3fn": (7, 448, 2.0**-6, 2.0**-9),
    "e5m2": (15, 57344, 2.0**-14, 2.0**-16),
    "e2m3": (1, 7.5, 1.0, 0.125),
    "e3m2": (3, 28.0, 0.25, 0.0625),
    "e2m1": (1, 6.0, 1.0, 0.5),
}


@pytest.fixture(scope="module")
def ml_dtypes():
    return witnesses.get("ml_dtypes")


def same(one, other):
    return (math.isnan(one) and math.isnan(other)) or (one == other and math.copysign(1, one) == math.copysign(1, other))


@pytest.mark.parametrize("name", THEIRS)
def test_every_code_means_what_ml_dtypes_says(name, ml_dtypes):
    fmt = format_named(name)
    texts = ml_dtypes.values(name).values
    assert len(texts) == 1 << fmt.bits
    for code, text in enumerate(texts):
        theirs = float("nan") if text == "nan" else float.fromhex(text)
        assert same(value_of(decode(fmt, code)), theirs), hex(code)


@pytest.mark.parametrize("name", THEIRS)
def test_every_number_of_a_format_encodes_to_its_own_code(name):
    fmt = format_named(name)
    for code in range(1 << fmt.bits):
        found = decode(fmt, code)
        if found.kind != "nan":
            done = encode(fmt, value_of(found))
            assert (done.code, done.inexact, done.over) == (code, False, None)


@pytest.mark.parametrize("name", [name for name in THEIRS if name not in ("bf16", "fp16", "e8m0")])
def test_ties_and_their_neighbours_round_as_in_ml_dtypes(name, ml_dtypes):
    fmt = format_named(name)
    held = sorted({value_of(decode(fmt, c)) for c in range(1 << fmt.bits) if decode(fmt, c).kind not in ("nan", "infinity")})
    numbers = []
    for low, high in zip(held, held[1:]):
        middle = single((low + high) / 2)
        numbers += [middle, after(middle, 1), after(middle, -1)]
    numbers += [single(held[-1] * part) for part in (1.01, 1.03, 1.0625, 1.07, 1.125, 1.2, 2, 4, 1e9)]
    numbers += [-number for number in numbers]
    assert [encode(fmt, number).code for number in numbers] == list(ml_dtypes.codes(name, numbers).codes)


@pytest.mark.parametrize("name", THEIRS)
def test_random_single_precision_numbers_round_as_in_ml_dtypes(name, ml_dtypes):
    @settings(max_examples=60, derandomize=True, deadline=None)
    @given(st.lists(st.integers(0, (1 << 32) - 1), min_size=50, max_size=50))
    def check(words):
        numbers = [struct.unpack("<f", struct.pack("<I", word))[0] for word in words]
        numbers = [number for number in numbers if number == number]
        if name == "e8m0":
            # ml_dtypes 0.6.0 takes the second code for numbers just above the smallest: an error of its own.
            numbers = [number for number in numbers if not 2.0**-127 < number < 1.5 * 2.0**-127]
        ours = [encode(name, number).code for number in numbers]
        assert ours == list(ml_dtypes.codes(name, numbers).codes)

    check()


def test_ml_dtypes_still_rounds_the_smallest_scales_its_own_way(ml_dtypes):
    number = 1.125 * 2.0**-127
    assert encode("e8m0", number).code == 0
    assert ml_dtypes.codes("e8m0", [number]).codes == (1,)


@pytest.mark.parametrize("name", GUIDE)
def test_limits_are_those_of_the_guide(name):
    fmt = format_named(name)
    bias, most, normal, subnormal = GUIDE[name]
    assert fmt.bias == bias
    assert value_of(decode(fmt, largest(fmt))) == most
    assert min(value_of(decode(fmt, c)) for c in codes_of(fmt, "normal") if value_of(decode(fmt, c)) > 0) == normal
    assert min(value_of(decode(fmt, c)) for c in codes_of(fmt, "subnormal") if value_of(decode(fmt, c)) > 0) == subnormal


def test_special_codes_of_the_guide():
    assert codes_of(format_named("e4m3fn"), "nan") == [0x7F, 0xFF]
    assert codes_of(format_named("e5m2"), "nan") == [0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]
    assert codes_of(format_named("e5m2"), "infinity") == [0x7C, 0xFC]
    assert (infinity_code(format_named("fp16")), infinity_code(format_named("fp16"), True)) == (0x7C00, 0xFC00)


@pytest.mark.parametrize("name", ["e4m3fnuz", "e5m2fnuz"])
def test_fnuz_has_one_nan_and_no_minus_zero(name):
    fmt = format_named(name)
    assert codes_of(fmt, "nan") == [0x80] and codes_of(fmt, "zero") == [0]
    assert encode(fmt, -0.0).code == 0 and encode(fmt, -1e-30).code == 0
    assert nan_code(fmt) == nan_code(fmt, True) == 0x80


def test_the_same_byte_in_both_families_differs_by_two_but_for_exceptions():
    for fnuz, ocp, exceptions in (
        ("e4m3fnuz", "e4m3fn", {0x00, 0x7F, 0x80, 0xFF}),
        ("e5m2fnuz", "e5m2", {0x00, *range(0x7C, 0x81), *range(0xFC, 0x100)}),
    ):
        for code in range(256):
            one, other = value_of(decode(fnuz, code)), value_of(decode(ocp, code))
            assert (code in exceptions) == (not (other and math.isfinite(other) and one == other / 2)), hex(code)


# ---- public cases


def test_case_same_byte_two_values():
    case = CASES["F8-01"]
    byte, right = int(case["input"]["byte"], 16), case["right_outcome"]
    assert value_of(decode("e4m3fnuz", byte)) == right["e4m3fnuz_gfx942"]
    assert value_of(decode("e4m3fn", byte)) == right["e4m3fn_gfx950"]
    assert value_of(decode("e4m3fnuz", largest(format_named("e4m3fnuz")))) == right["max_fnuz"]
    assert value_of(decode("e4m3fn", largest(format_named("e4m3fn")))) == right["max_fn"]


def test_case_small_negative():
    case = CASES["F8-02"]
    assert encode("e4m3fnuz", case["input"]["value"]).code == int(case["right_outcome"]["fnuz_byte"], 16)
    assert encode("e4m3fn", case["input"]["value"]).code == int(case["right_outcome"]["fn_byte"], 16)


def test_case_cast_saturates():
    case = CASES["F8-03"]
    for number in case["input"]["values"]:
        wanted = int(case["right_outcome"][str(number)].split()[0], 16)
        assert encode("e4m3fnuz", number, saturate=True).code == wanted


def test_case_format_of_the_device():
    case = CASES["F8-08"]
    assert "float8_" + format_named("fp8", case["input"]["device"]).name == case["right_outcome"]


def test_case_fnuz_on_the_newer_target():
    case = CASES["F8-10"]
    name = format_named(case["input"]["type"]).name
    assert name not in [row[0] for row in native(case["input"]["target"])]
    assert name in [row[0] for row in native("gfx942")]


def test_case_names():
    assert (format_named("fp8e4nv").name, format_named("fp8e4nv").bias) == ("e4m3fn", 7)
    assert (format_named("fp8e4b8").name, format_named("fp8e4b8").bias) == ("e4m3fnuz", 8)


def test_case_scale_bytes():
    case = CASES["SC-03"]["right_outcome"]
    wanted = {"2^-127": 2.0**-127, "2^-126": 2.0**-126, "1.0": 1.0, "2.0": 2.0}
    for byte, text in case.items():
        found = decode("e8m0", int(byte, 16))
        assert found.kind == "nan" if text == "NaN" else value_of(found) == wanted[text]


def test_case_scale_is_a_product():
    case = CASES["SC-06"]
    scale = value_of(decode("e8m0", int(case["input"]["scale_byte"], 16)))
    done = encode("bf16", case["input"]["bf16_value"] * scale)
    assert done.code == int(case["right_outcome"]["bf16"], 16) and not done.inexact
    assert exact_text(decode("bf16", done.code)) == case["right_outcome"]["value"]


# ---- rounding, overflow


def test_rounding_toward_zero_never_leaves_the_range():
    assert encode("e4m3fn", 1e9, "toward-zero")._replace(inexact=True) == encode("e4m3fn", 1e9, saturate=True)
    assert encode("e4m3fnuz", 143, "toward-zero").code == 0x78
    assert encode("e4m3fnuz", -143, "toward-zero").code == 0xF8
    assert encode("e5m2", float("inf"), "toward-zero").code == 0x7C


@pytest.mark.parametrize("name", [name for name in THEIRS if name not in ("bf16", "fp16")])
def test_directed_rounding_takes_the_next_code_on_its_side(name, ml_dtypes):
    """Against the list of values that ml_dtypes gives: the smallest one not below a number, the largest one not above it."""
    held = sorted({float.fromhex(text) for text in ml_dtypes.values(name).values if text != "nan" and "inf" not in text})
    numbers = [(low + high) / 2 for low, high in zip(held, held[1:])] + [low + (high - low) / 64 for low, high in zip(held, held[1:])]
    for number in numbers + held:
        up, down = (value_of(decode(name, encode(name, number, way).code)) for way in ("toward-positive", "toward-negative"))
        assert up == min(value for value in held if value >= number)
        assert down == max(value for value in held if value <= number)
        assert value_of(decode(name, encode(name, number, "toward-zero").code)) == (up if number < 0 else down)


def test_directed_rounding_beyond_the_range():
    """IEEE 754, §7.4: toward the side of zero an overflow gives the largest number, toward the other one infinity."""
    assert [encode("e5m2", sign * 1e9, "toward-positive").code for sign in (1, -1)] == [0x7C, 0xFB]
    assert [encode("e5m2", sign * 1e9, "toward-negative").code for sign in (1, -1)] == [0x7B, 0xFC]
    assert encode("e5m2", 1e9, "toward-positive", saturate=True).code == 0x7B
    assert [encode("e8m0", 2.0**-140, way).code for way in ("toward-positive", "toward-negative")] == [0, 0]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("rtp", 0x80), ("RP", 0x80), ("up", 0x80), ("ceil", 0x80), ("rtz", 0x7F), ("down", 0x7F), ("rne", 0x7F), ("toward_zero", 0x7F)],
)
def test_roundings_by_other_names(name, wanted):
    assert encode("e8m0", 1.25, name).code == wanted


def test_stochastic_rounding_is_truncation_of_a_sum():
    for random, code in ((0, 0x78), (3 << 30, 0x79), ((3 << 30) - 1, 0x78), ((1 << 32) - 1, 0x79)):
        assert encode("e4m3fnuz", 132, "stochastic", random=random).code == code
    assert encode("e4m3fnuz", 128, "stochastic", random=(1 << 32) - 1).code == 0x78


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([fmt.name for fmt in FORMATS if fmt.name != "e8m0"]))
def test_the_result_is_a_nearest_code(number, name):
    done = encode(name, number, saturate=True)
    fmt = format_named(name)
    found = value_of(decode(fmt, done.code))
    if done.over is None and abs(number) > 0:
        for step in (-1, 1):
            other = done.code + (step << fmt.low)
            if 0 <= other < 1 << fmt.bits and decode(fmt, other).kind in ("zero", "subnormal", "normal"):
                assert abs(found - number) <= abs(value_of(decode(fmt, other)) - number)
    assert done.inexact == (found != number)


def test_one_rounding_from_the_exact_number():
    just_above_a_tie = Number("finite", False, (17 << 60) + 1, 16 << 60)
    assert encode("e4m3fn", just_above_a_tie).code == 0x39
    assert encode("e4m3fn", 1.0625).code == 0x38
    tenth = number_of(0.1)
    assert Fraction(tenth.numerator, tenth.denominator) == Fraction(0.1)


@pytest.mark.parametrize(("name", "pairs"), [("e4m3fn", 436), ("e5m2", 120), ("e4m3fnuz", 496), ("e5m2fnuz", 120)])
def test_as_many_sums_leave_the_range_as_on_a_device(name, pairs):
    """ROCm/rocm-systems#9556: ordered pairs of finite bytes whose sum is written as NaN or infinity, gfx950 and gfx942."""
    finite = [decode(name, code) for code in range(256)]
    held = [value_of(item) for item in finite if item.kind in ("zero", "subnormal", "normal")]
    sums = collections.Counter(first + second for first in held for second in held)
    assert sum(count for total, count in sums.items() if encode(name, total).over) == pairs


def test_mxfp4_numbers_of_a_report():
    """ROCm/aiter#974: with scale 126 one number lies on a tie; with 128 one half lies on it and the next one does not."""
    assert encode("e2m1", -0.625 * 2).code == 0xA
    assert encode("e2m1", 0.5 / 2).code == 0x0
    assert encode("e2m1", struct.unpack("<f", struct.pack("<I", 0x3F000003))[0] / 2).code == 0x1


def test_infinities_and_nan():
    for name in ("e4m3fn", "e4m3fnuz", "e5m2fnuz"):
        assert decode(name, encode(name, float("inf")).code).kind == "nan"
    assert encode("e5m2", float("-inf")).code == 0xFC
    assert encode("e5m2", float("inf"), saturate=True).code == 0x7B
    assert encode("e4m3fnuz", float("inf"), saturate="finite").code == 0x80
    for name in ("e2m3", "e3m2", "e2m1"):
        assert encode(name, float("inf")).code == largest(format_named(name))
        with pytest.raises(FormatError, match="no NaN"):
            encode(name, float("nan"))


def test_a_scale_has_no_zero_and_no_sign():
    assert encode("e8m0", 0).code == encode("e8m0", -1).code == 0xFF
    assert encode("e8m0", 0).over == "nan"


def test_the_scale_with_a_mantissa():
    """ROCm/rocm-libraries#7439: the values of its test; E5M3 was read as an exponent alone."""
    wanted = {0x00: 0.0, 0x01: 2.0**-17, 0x07: 0.875 * 2.0**-14, 0x08: 2.0**-14, 0x78: 1.0, 0x80: 2.0, 0xFE: 114688.0}
    assert {code: value_of(decode("e5m3", code)) for code in wanted} == wanted
    assert codes_of(format_named("e5m3"), "nan") == [0xFF] and codes_of(format_named("e5m3"), "zero") == [0]
    assert [decode("e5m3", code).negative for code in (0, 0x80, 0xFE)] == [None] * 3
    for code in range(255):
        assert encode("e5m3", value_of(decode("e5m3", code))).code == code
    assert encode("e5m3", 114688 + 4096).code == 0xFE and encode("e5m3", 131072).code == 0xFF
    assert encode("e5m3", 131072, saturate=True).code == 0xFE
    assert encode("e5m3", -1).code == 0xFF and encode("e5m3", -0.0).code == 0
    assert [row[:2] for row in native("gfx1250") if row[0] == "e5m3"] == [("e5m3", "scale")]
    assert "e5m3" not in [row[0] for row in native("gfx950")]


def test_xf32_is_single_precision_rounded_to_nineteen_bits():
    for number in (1.0, -2.5, 3 * 2.0**90, 2.0**-133, 1 + 2.0**-10):
        assert encode("xf32", number).code == struct.unpack("<I", struct.pack("<f", number))[0]
    for word in range(0x00000001, 0x7F7FE000, 0x0012D687):
        # Half of the dropped bits, less one, plus the last bit kept: to nearest even, in integers.
        wanted = word + 0xFFF + (word >> 13 & 1) & 0xFFFFE000
        assert encode("xf32", struct.unpack("<f", struct.pack("<I", word))[0]).code == wanted
    with pytest.raises(FormatError, match="low 13 bits"):
        decode("xf32", 0x3F800001)


# ---- names, errors


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("float8_e4m3fnuz", "e4m3fnuz"),
        ("f8E4M3FN", "e4m3fn"),
        ("__hip_fp8_e5m2_fnuz", "e5m2fnuz"),
        ("__hip_fp4_e2m1", "e2m1"),
        ("E4M3 FNUZ", "e4m3fnuz"),
        ("torch.float8_e4m3fn", "e4m3fn"),
        ("tl.float8e4b8", "e4m3fnuz"),
        # HIP has a type for each family; the one without a suffix is OCP on every target (ROCm's precision-support page).
        ("__hip_fp8_e4m3", "e4m3fn"),
        ("__hip_fp8_e5m2", "e5m2"),
        ("HIP_R_8F_E4M3", "e4m3fn"),
        ("HIP_R_8F_E4M3_FNUZ", "e4m3fnuz"),
        ("float6_e2m3fn", "e2m3"),
        ("float8_e8m0fnu", "e8m0"),
        ("bfloat16", "bf16"),
        ("half", "fp16"),
        ("torch.float4_e2m1fn_x2", "e2m1"),
        ("UE5M3", "e5m3"),
        ("CUDA_R_8F_E4M3", "e4m3fn"),
        # The guides' names of the two six-bit formats (CDNA4 §7.3, table 30).
        ("FP6", "e2m3"),
        ("BF6", "e3m2"),
        ("e5m2", "e5m2"),
        # hipBLASLt's page on types (quoted in ROCm/ROCm#6019): _fnuz on gfx942 only, the others on gfx950 and gfx12.
        ("hipblaslt_f8_fnuz", "e4m3fnuz"),
        ("hipblaslt_bf8", "e5m2"),
        ("HIPBLASLT_R_8F_E4M3_FNUZ", "e4m3fnuz"),
        # composable_kernel's two families, its scale and its packed FP4.
        ("f8_fnuz_t", "e4m3fnuz"),
        ("bf8_ocp_t", "e5m2"),
        ("e8m0_bexp_t", "e8m0"),
        ("f4x2_pk_t", "e2m1"),
        # LLVM's modifiers of gfx1250, whose FP8 is OCP; CUDA's and HIP's enumerators.
        ("MATRIX_FMT_FP8", "e4m3fn"),
        ("MATRIX_FMT_BF6", "e3m2"),
        ("__nv_fp8_e4m3", "e4m3fn"),
        ("CUDA_R_4F_E2M1", "e2m1"),
        ("HIP_R_6F_E2M3_EXT", "e2m3"),
        ("MXFP4_E2M1", "e2m1"),
        # CUTLASS, ATen, rocWMMA, TensileLite and ck_tile.
        ("cutlass::float_e4m3_t", "e4m3fn"),
        ("cutlass::float_ue8m0_t", "e8m0"),
        ("at::kFloat8_e4m3fnuz", "e4m3fnuz"),
        ("rocwmma::bfloat8_fnuz_t", "e5m2fnuz"),
        ("F8N", "e4m3fnuz"),
        ("ck_tile::pk_fp4_t", "e2m1"),
        # Vectors of HIP, CUDA and PTX are the format of their parts.
        ("__hip_fp8x2_e4m3_fnuz", "e4m3fnuz"),
        ("__hip_fp8x4_e5m2", "e5m2"),
        ("__hip_fp8x2_e4m3", "e4m3fn"),
        ("__nv_fp4x2_e2m1", "e2m1"),
        ("e2m1x2", "e2m1"),
        ("__nv_bfloat16", "bf16"),
    ],
)
def test_names_of_other_libraries(name, wanted):
    assert format_named(name).name == wanted


@pytest.mark.parametrize("name", ["fp8", "bf8", "e4m3", "FP8", "fp8_e4m3", "x.fp8", "ck_tile::fp8_t", "bfloat8_t", "B8"])
def test_a_name_that_says_too_little_needs_a_target(name):
    assert is_ambiguous(name)
    with pytest.raises(FormatError, match="say which"):
        format_named(name)
    assert format_named(name, "gfx942").special == "fnuz"
    assert format_named(name, "gfx950").special != "fnuz" and format_named(name, "gfx1250").special != "fnuz"


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
def test_block_scaled_formats_are_ocp_whatever_the_target(target):
    assert format_named("mxfp8_e4m3", target).name == "e4m3fn" and format_named("mxfp8_e5m2", target).name == "e5m2"
    for name in ("mxfp8", "mxfp6"):
        with pytest.raises(FormatError, match=f"{name}_"):
            format_named(name, target)


@pytest.mark.parametrize("name", ["f8E4M3", "float8_e4m3", "ml_dtypes.float8_e4m3", "F8_E4M3"])
def test_the_e4m3_with_infinities_is_none_of_the_targets(name):
    """ml_dtypes: 0x78 of float8_e4m3 is an infinity; safetensors writes F8_E4M3 for torch.float8_e4m3fn on every device."""
    for target in (None, "gfx942", "gfx950"):
        with pytest.raises(FormatError, match="infinities.*say e4m3fnuz"):
            format_named(name, target)
    assert not is_ambiguous(name)


def test_errors_say_what_is_allowed():
    for work, words in (
        (lambda: decode("e2m1", 16), "e2m1 has 4 bits"),
        (lambda: decode("e4m3fn", -1), "code=-1"),
        (lambda: format_named("e9m9"), "no such format"),
        (lambda: format_named("ue4m3"), "say e4m3fn"),
        (lambda: format_named("hip_e9m9"), "format='hip_e9m9': no such format"),
        (lambda: encode("e5m2", 1, "sideways"), "nearest-even"),
        (lambda: encode("e5m2", 1, "stochastic", random=1 << 32), "0..2\\^32-1"),
        (lambda: native("gfx90a"), "gfx942, gfx950, gfx1250"),
        (lambda: encode("e5m2", "1"), "a number"),
    ):
        with pytest.raises(FormatError, match=words):
            work()


def single(number):
    """Round to single precision."""
    return struct.unpack("<f", struct.pack("<f", number))[0] if abs(number) < 3e38 else math.copysign(3e38, number)


def after(number, step):
    """Return the next single-precision number, up or down in size."""
    word = struct.unpack("<i", struct.pack("<f", number))[0]
    moved = word + step if number else abs(step)
    return struct.unpack("<f", struct.pack("<i", moved))[0]
