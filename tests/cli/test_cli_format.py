# SPDX-License-Identifier: Apache-2.0
"""`cdna format` as other programs script it: public cases, and input that is wrong on purpose."""

import contextlib
import io
import json
import math
import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdna_evidence.cli import main

CASES = {
    case["id"]: case
    for case in json.loads(
        (pathlib.Path(__file__).parents[1] / "data" / "cases" / "public_problems.json").read_text()
    )["cases"]
}
NAMES = ("e4m3fnuz", "e4m3fn", "e5m2fnuz", "e5m2", "e2m3", "e3m2", "e2m1", "e8m0", "bf16", "fp16", "xf32")


def call(*arguments):
    """Run `cdna format ...` in this process; return (exit status, output, message)."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["format", *arguments])
    return status, out.getvalue(), err.getvalue()


def asked(*arguments, status=0):
    """Return the JSON document of a call that must end so."""
    found, out, err = call(*arguments, "--json")
    assert (found, err) == (status, "")
    return json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def rules(document):
    return [(item["rule"], item["severity"]) for item in document["findings"]]


def test_document_shape():
    document = asked("decode", "e4m3fnuz", "0x38", "128", "0x81")
    assert list(document) == ["schema", "command", "target", "result", "findings", "disputed"]
    assert document["command"] == "format decode" and document["target"] is None
    first, second, third = document["result"]["entries"]
    assert first == {"byte": "0x38", "value": 0.5, "exact": "2^-1", "class": "normal", "sign": "+"}
    assert (second["value"], second["class"], second["sign"]) == ("nan", "nan", None)
    assert (third["class"], third["sign"], third["exact"]) == ("subnormal", "-", "-2^-10")
    assert document["result"]["bytes"] == ["0x38", "0x80", "0x81"]


def test_sign_of_zero():
    entries = asked("decode", "e4m3fn", "0", "0x80")["result"]["entries"]
    assert [(item["class"], item["sign"]) for item in entries] == [("zero", "+"), ("zero", "-")]
    assert math.copysign(1, entries[1]["value"]) == -1


def test_infinities_are_text():
    assert asked("decode", "e5m2", "0x7c", "0xfc")["result"]["values"] == ["inf", "-inf"]


# ---- public cases


def test_case_same_byte():
    case = CASES["F8-01"]
    for name, key in (("e4m3fnuz", "e4m3fnuz_gfx942"), ("e4m3fn", "e4m3fn_gfx950")):
        result = asked("decode", name, case["input"]["byte"])["result"]
        assert result["values"] == [case["right_outcome"][key]]
        assert result["format"]["max"] == case["right_outcome"]["max_fnuz" if "fnuz" in name else "max_fn"]
    by_target = [asked("decode", "fp8", "0x38", "--target", t)["result"]["values"] for t in ("gfx942", "gfx950")]
    assert by_target == [[0.5], [1.0]]


def test_case_small_negative():
    case = CASES["F8-02"]
    number = repr(case["input"]["value"])
    assert asked("encode", "e4m3fnuz", "--", number)["result"]["bytes"] == [case["right_outcome"]["fnuz_byte"]]
    assert asked("encode", "e4m3fn", "--", number)["result"]["bytes"] == [case["right_outcome"]["fn_byte"]]


def test_case_saturating_cast():
    case = CASES["F8-03"]
    numbers = [str(number) for number in case["input"]["values"]]
    wanted = [case["right_outcome"][number].split()[0] for number in numbers]
    assert asked("encode", "e4m3fnuz", "--saturate", "--", *numbers)["result"]["bytes"] == wanted


def test_case_format_of_the_device():
    case = CASES["F8-08"]
    result = asked("native", "--target", case["input"]["device"], "fp8")["result"]
    assert result["torch"]["fp8"] == case["right_outcome"]
    assert asked("native", "--target", "gfx950")["result"]["torch"]["fp8"] == "float8_e4m3fn"


def test_case_old_format_on_the_new_target():
    case = CASES["F8-10"]
    document = asked("native", "--target", case["input"]["target"], case["input"]["type"], status=1)
    assert rules(document) == [("not-native", "error")]
    assert "e4m3fn" in document["findings"][0]["message"] and document["findings"][0]["claim"] == "FMT-001"
    assert asked("native", "--target", "gfx942", case["input"]["type"])["findings"] == []


def test_case_names():
    for name, bias in (("fp8e4nv", 7), ("fp8e4b8", 8)):
        assert asked("table", name)["result"]["format"]["bias"] == bias


def test_case_scale_bytes():
    case = CASES["SC-03"]
    entries = asked("decode", "e8m0", *case["input"]["bytes"])["result"]["entries"]
    for byte, item in zip(case["input"]["bytes"], entries):
        wanted = case["right_outcome"][byte]
        assert item["exact"] == {"1.0": "1", "2.0": "2"}.get(wanted, wanted)


def test_case_scale_is_applied():
    case = CASES["SC-06"]
    encoded = asked("encode", "bf16", "--", f"{case['input']['bf16_value']}*2^-127")["result"]
    assert encoded["bytes"] == [case["right_outcome"]["bf16"]]
    assert encoded["entries"][0]["exact"] == case["right_outcome"]["value"]
    scaled = asked("decode", "bf16", "--scale", case["input"]["scale_byte"], "0x3f00")["result"]["entries"][0]
    assert scaled["exact"] == case["right_outcome"]["value"] and scaled["unscaled"] == 0.5


# ---- encode


def test_overflow_says_what_it_became_and_that_hardware_has_a_mode_bit():
    document = asked("encode", "e4m3fn", "--", "1e9", "-1e9", "448")
    assert document["result"]["bytes"] == ["0x7f", "0xff", "0x7e"]
    assert [item["overflow"] for item in document["result"]["entries"]] == ["nan", "nan", None]
    assert ("overflow", "warning") in rules(document) and ("hardware-overflow", "info") in rules(document)
    assert asked("encode", "e5m2", "--", "1e9")["result"]["values"] == ["inf"]
    assert asked("encode", "e2m1", "--", "1e9")["result"]["bytes"] == ["0x7"]


def test_an_infinity_under_saturation_is_disputed_for_fnuz():
    document = asked("encode", "e4m3fnuz", "--saturate", "--", "inf")
    assert document["result"]["bytes"] == ["0x7f"]
    assert [(d["claim"], d["position"], d["result"]["byte"]) for d in document["disputed"]] == [("FMT-061", "nan", "0x80")]
    assert asked("encode", "e4m3fn", "--saturate", "--", "inf")["disputed"] == []


@pytest.mark.parametrize("order", [("--json", "--"), ("--",), ()])
def test_negative_values_with_and_without_dashes(order):
    arguments = ["encode", "e4m3fn", *[word for word in order if word != "--json"], "-1", "-0.5"]
    assert asked(*arguments)["result"]["bytes"] == ["0xb8", "0xb0"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("0.1", "0x3dcd"),
        ("0x1p-128", "0x0020"),
        ("0x1.8p0", "0x3fc0"),
        ("2^-133", "0x0001"),
        ("2**3", "0x4100"),
        ("3/8", "0x3ec0"),
        ("1/3", "0x3eab"),
        ("-1e-3", "0xba83"),
        (".5", "0x3f00"),
        ("+5.", "0x40a0"),
        ("1e400", "0x7f80"),
        ("nan", "0x7fc0"),
        ("-inf", "0xff80"),
        ("10^2", "0x42c8"),
        ("3 / 8", "0x3ec0"),
        ("- 0.5 * 2 ** -3", "0xbd80"),
    ],
)
def test_ways_to_write_a_number(text, code):
    assert asked("encode", "bf16", "--", text)["result"]["bytes"] == [code]


def test_a_number_is_rounded_once_from_what_is_written():
    # A tie, and a hair more than a tie that no double can hold.
    numbers = ["1.0625", "1.0625000000000000000000000001"]
    assert asked("encode", "e4m3fn", "--", *numbers)["result"]["bytes"] == ["0x38", "0x39"]


def test_rounding_modes():
    for rounding, codes in (("nearest-even", ["0x78", "0x7a"]), ("toward-zero", ["0x78", "0x79"])):
        result = asked("encode", "e4m3fnuz", "--rounding", rounding, "--", "136", "152")["result"]
        assert (result["rounding"], result["bytes"]) == (rounding, codes)
    found = [
        asked("encode", "e4m3fnuz", "--rounding", "stochastic", "--random", word, "--", "132")["result"]["bytes"]
        for word in ("0", "0xbfffffff", "0xc0000000")
    ]
    assert found == [["0x78"], ["0x78"], ["0x79"]]


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.sampled_from(NAMES), st.data())
def test_what_is_decoded_encodes_again(name, data):
    bits = {"e2m3": 6, "e3m2": 6, "e2m1": 4, "bf16": 16, "fp16": 16, "xf32": 19}.get(name, 8)
    code = data.draw(st.integers(0, (1 << bits) - 1)) << (13 if name == "xf32" else 0)
    item = asked("decode", name, hex(code))["result"]["entries"][0]
    if item["class"] not in ("nan", "infinity"):
        assert asked("encode", name, "--", item["exact"])["result"]["bytes"] == [item["byte"]]


# ---- scales


def test_bytes_apart_by_commas():
    assert asked("decode", "e2m1", "7,5, 3", "0x1")["result"]["values"] == [6.0, 3.0, 1.5, 0.5]


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        # The even element is the low nibble (mxfp4_to_f32 of ROCm/aiter, aiter/utility/fp4_utils.py).
        (("torch.float4_e2m1fn_x2", "0x72", "0x1"), [1.0, 6.0, 0.5, 0.0]),
        (("f4x2_pk_t", "0x2f"), [-6.0, 1.0]),
        (("e2m1", "--packed", "0x76543210"), [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]),
        # Four six-bit codes in three bytes: 1 + 2 * 64 + 3 * 64^2 + 31 * 64^3.
        (("e2m3", "--packed", "0x7c3081"), [0.125, 0.25, 0.375, 7.5]),
        (("bf16", "--packed", "0x3f804000"), [2.0, 1.0]),
        (("e4m3fn", "--packed", "0x0038", "--scale", "128"), [2.0, 0.0]),
    ],
)
def test_several_codes_in_one_number(arguments, values):
    assert asked("decode", *arguments)["result"]["values"] == values


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        # Byte 0x39 is 1.125 in E4M3FN and 1.125 * 2^-8 in E5M3; as E8M0 it is 2^-70.
        (("nvfp4", "--scale", "0x39"), [6.75, -3.375]),
        (("e2m1", "--scale", "0x39", "--scale-format", "ue4m3"), [6.75, -3.375]),
        (("e2m1", "--scale", "0x39", "--scale-format", "e5m3"), [6.75 * 2.0**-8, -3.375 * 2.0**-8]),
        (("mxfp4", "--scale", "0x39"), [6 * 2.0**-70, -3 * 2.0**-70]),
        (("e2m1", "--scale", "0xff"), ["nan", "nan"]),
        (("nvfp4", "--scale", "0x7f"), ["nan", "nan"]),
        (("nvfp4", "--scale", "0"), [0.0, -0.0]),
    ],
)
def test_a_scale_is_read_in_its_format(arguments, values):
    assert asked("decode", *arguments, "7", "0xd")["result"]["values"] == values


def test_infinity_times_a_scale_of_zero():
    assert asked("decode", "e5m2", "--scale", "0", "--scale-format", "e5m3", "0x7c")["result"]["values"] == ["nan"]


def test_a_scale_that_must_not_be_too_small_rounds_up():
    assert asked("encode", "e8m0", "--rounding", "up", "--", "0.7", "1", "6/7")["result"]["bytes"] == ["0x7f"] * 3
    assert asked("encode", "e8m0", "--rounding", "RTZ", "--", "0.7")["result"]["rounding"] == "toward-zero"


def test_the_scale_of_a_block_by_each_rule():
    """pytorch/ao#2035: 150 in E4M3FN."""
    document = asked("scale", "e4m3fn", "150")
    (entry,) = document["result"]["entries"]
    assert [entry[mode]["byte"] for mode in document["result"]["modes"]] == ["0x7e", "0x7e", "0x7f", "0x7e"]
    assert rules(document) == [("rules-differ", "info")]
    one = asked("scale", "mxfp4", "--mode", "RoundUp", "--", "7", "12")
    assert [entry["rceil"]["byte"] for entry in one["result"]["entries"]] == ["0x80", "0x80"]
    assert one["result"]["modes"] == ["rceil"] and one["findings"] == []
    assert asked("scale", "mxfp4", "--rounding", "ceil", "--", "5")["result"]["modes"] == ["ceil"]


# ---- table, native


@pytest.mark.parametrize("name", NAMES)
def test_tables(name):
    result = asked("table", name)["result"]
    bits = result["format"]["bits"]
    assert result["complete"] == (bits <= 8)
    assert len(result["entries"]) == (1 << bits if bits <= 8 else 9)
    assert call("table", name)[0] == 0


def test_table_of_every_sixteen_bit_code():
    assert len(asked("table", "fp16", "--all")["result"]["entries"]) == 65536


def test_native_formats():
    held = {target: asked("native", "--target", target)["result"]["native"] for target in ("gfx942", "gfx950", "gfx1250")}
    assert "xf32" in held["gfx942"] and "xf32" not in held["gfx950"] + held["gfx1250"]
    assert "e2m1" in held["gfx950"] and "e2m1" not in held["gfx942"]
    for names in held.values():
        assert ("e4m3fnuz" in names) != ("e4m3fn" in names)


def test_a_foreign_format_is_a_warning_elsewhere():
    assert rules(asked("decode", "e4m3fnuz", "1", "--target", "gfx950")) == [("not-native", "warning")]


# ---- wrong on purpose


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say which"),
        (("decode",), "required"),
        (("decode", "fp8", "1"), "say which"),
        (("decode", "e9m9", "1"), "no such format"),
        (("decode", "e2m1", "16"), "4 bits"),
        (("decode", "e2m1", "x"), "a number"),
        (("decode", "e2m1", "-1"), ""),
        (("decode", "e4m3fn", "010"), ""),
        (("decode", "xf32", "0x3f800001"), "low 13 bits"),
        (("decode", "fp8", "1", "--target", "gfx90a"), "gfx942, gfx950, gfx1250"),
        (("encode", "e5m2"), "no VALUE"),
        (("encode", "e5m2", "--"), "no VALUE"),
        (("encode", "e5m2", "--", "one"), "a number such as"),
        (("encode", "e5m2", "--", "1 2"), "a number such as"),
        (("decode", "f8E4M3", "1", "--target", "gfx950"), "infinities"),
        (("encode", "e5m2", "--", "1/0"), "division by zero"),
        (("encode", "e5m2", "--", "1e99999"), "exponent beyond"),
        (("encode", "e5m2", "--", "2^9999999"), "exponent beyond"),
        (("encode", "e5m2", "--", "9" * 300), "characters"),
        (("encode", "e5m2", "--", "3^2"), "powers of 2 or 10"),
        (("encode", "e2m1", "--", "nan"), "no NaN"),
        (("encode", "e5m2", "--rounding", "sideways", "--", "1"), "nearest-even"),
        (("decode", "e2m1", ","), "no BYTE"),
        (("decode", "e2m1", "--packed", "18"), "hexadecimal"),
        (("decode", "e2m3", "--packed", "0x82082"), "20 bits, in codes of 6"),
        (("decode", "e2m1", "--packed", "0x"), "a number"),
        (("decode", "fp4x2", "0x172"), "8 bits"),
        (("decode", "e2m1", "--scale-format", "e5m3", "1"), "--scale"),
        (("decode", "e2m1", "--scale", "1", "--scale-format", "bf16", "1"), "e8m0, e4m3fn, e5m3"),
        (("decode", "nvfp4", "--scale", "0x80", "1"), "no sign"),
        (("scale", "e2m1"), "no MAGNITUDE"),
        (("scale", "e2m1", "--mode", "up", "1"), "floor, even, ceil, rceil"),
        (("scale", "e2m1", "--rounding", "nearest", "1"), "floor, even, ceil, rceil"),
        (("scale", "nvfp4", "--", "5"), "E4M3"),
        (("scale", "e2m1", "--", "-1"), "0 and more"),
        (("scale", "e8m0", "--", "1"), "format of the elements"),
        (("encode", "e5m2", "--random", "0x100000000", "--rounding", "stochastic", "--", "1"), "2^32-1"),
        (("native",), "--target"),
        (("native", "--target", "mi300"), "gfx942"),
        (("scales",), "unknown command"),
        (("scale",), "required"),
        (("table", "e5m2", "--tall"), "--tall"),
    ],
)
def test_wrong_usage_is_one_message(arguments, words):
    status, out, err = call(*arguments)
    if arguments == ("decode", "e4m3fn", "010"):
        assert status == 0  # decimal with a leading zero is ten
        return
    assert status == 2
    assert words in err and out == ""
    assert err.count("\n") <= 1 and "Traceback" not in err


def test_help():
    for arguments in (("--help",), ("decode", "--help"), ("encode", "-h")):
        status, out, _ = call(*arguments)
        assert status == 0 and out.startswith("usage: cdna format")


def test_text_for_people():
    status, out, _ = call("decode", "e8m0", "127")
    assert status == 0 and out.split() == ["e8m0", "0x7f", "1.0", "1", "normal"]


@pytest.mark.parametrize("command", ["encode", "decode"])
@pytest.mark.parametrize("text", ["\u0663", "\uff10.\uff15", "\u00b2"])
def test_digits_of_other_scripts_are_refused(command, text):
    status, _, error = call(command, "e4m3fn", "--", text)
    assert status == 2 and "a number" in error
