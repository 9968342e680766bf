# SPDX-License-Identifier: Apache-2.0
"""The scale of a block by four rules, held against integer arithmetic on single-precision words as torchao and aiter do it."""

import struct

import pytest

from cdna.block_scale import MODES, scale_of
from cdna.formats import FormatError

# Power of two below the largest number, mantissa bits, largest number: as in torchao's and aiter's tables.
FORMATS = {
    "e4m3fn": (8, 3, 448.0),
    "e4m3fnuz": (7, 3, 240.0),
    "e5m2": (15, 2, 57344.0),
    "e2m3": (2, 3, 7.5),
    "e3m2": (4, 2, 28.0),
    "e2m1": (2, 1, 6.0),
}
# Every 7th bfloat16 and words around the borders of each binade, as single precision.
WORDS = sorted({word << 16 for word in range(0, 0x7F80, 7)} | {(e << 23) + d & 0x7FFFFFFF for e in range(1, 255, 9) for d in (-1, 0, 1)})


def single(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def word_of(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


def theirs(word, mode, below, mantissa_bits, most):
    """The byte by the rules as libraries write them: exponent fields, added bits, and a product in single precision."""
    if mode == "rceil":
        quotient = word_of(single(word) * single(word_of(1.0 / most)))
        field, rest = quotient >> 23, quotient & 0x7FFFFF
        return field + (rest > 0x400000 if field == 0 else rest != 0)
    if mode == "even":
        word = word + (1 << 22 - mantissa_bits) & 0xFF800000
    field = (word >> 23) + (1 if mode == "ceil" and word & 0x7FFFFF else 0)
    return min(max(field - 127 - below, -127), 128) + 127


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", FORMATS)
def test_each_rule_is_that_of_the_libraries(name, mode):
    for word in WORDS:
        assert scale_of(name, single(word), mode).code == theirs(word, mode, *FORMATS[name]), hex(word)


def test_the_example_of_a_report():
    """pytorch/ao#2035: a magnitude of 150 in E4M3FN: 126 by rceil, 127 by ceil."""
    assert (scale_of("e4m3fn", 150, "rceil").code, scale_of("e4m3fn", 150, "ceil").code) == (126, 127)


def test_the_border_of_even_is_seven_quarters_for_fp4():
    """vllm-project/vllm#43557: magnitudes from 1.75 * 2^n on take the next power of two, divided by four."""
    assert [scale_of("e2m1", number, "even").code for number in (6.75, 7.0)] == [127, 128]


def test_a_bound_is_not_doubled_at_a_power_of_two():
    """microsoft/onnxruntime#32122: the smallest power of two not below the quotient, also where it is one itself."""
    assert scale_of("e4m3fn", 448.0 * 4, "rceil").code == 129


def test_what_clips():
    assert [scale_of("e2m1", number).clips for number in (6.0, 6.001, 7.999, 8.0)] == [False, True, True, False]
    assert not any(scale_of("e2m1", number, mode).clips for number in (6.0, 6.001, 7.999, 8.0) for mode in ("ceil", "rceil"))


def test_names_of_the_rules():
    for ours, others in (("rceil", ("RoundUp", "round_up")), ("floor", ("RoundDown",)), ("even", ("even_round",))):
        assert {scale_of("e2m1", 7, other) for other in others} == {scale_of("e2m1", 7, ours)}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("e2m1", 1, "up"), "floor, even, ceil, rceil"),
        (("e2m1", -2), "0 and more"),
        (("e8m0", 2), "format of the elements"),
        (("e5m3", 2), "format of the elements"),
        (("bf16", 2), "8 bits or less"),
    ],
)
def test_errors(arguments, words):
    with pytest.raises(FormatError, match=words):
        scale_of(*arguments)


def test_ends_of_the_range():
    assert [scale_of("e2m1", number).code for number in (0, float("inf"), float("nan"), 2.0**-140)] == [0, 255, 255, 0]
