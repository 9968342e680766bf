# SPDX-License-Identifier: Apache-2.0
"""Padding: the codes against other programs, the offsets against the manual's loop."""

import json
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.tdm.descriptor import FieldError
from cdna.tdm.pad import (
    amount_bytes,
    amount_code,
    codes,
    interval_bytes,
    interval_code,
    pad_plan,
    padded_offset,
    reserved_bytes,
    wave_start,
    written_bytes,
)

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases"
VECTORS = {v["id"]: v for v in json.loads((CASES / "tdm_descriptor_words.json").read_text())["descriptor_words"]}


def test_codes_as_the_manual_counts():
    assert [interval_code(dwords) for dwords in (2, 4, 8, 16, 32, 64, 128, 256)] == list(range(8))
    assert [amount_code(dwords) for dwords in (1, 2, 128)] == [0, 1, 127]
    assert [interval_bytes(code) for code in range(8)] == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert (amount_bytes(0), amount_bytes(127)) == (4, 512)


@pytest.mark.parametrize("dwords", [0, 1, 3, 24, 257, 512, -2, True, 2.0, "2", None])
def test_intervals_that_do_not_exist(dwords):
    with pytest.raises(FieldError, match="interval_dwords"):
        interval_code(dwords)


@pytest.mark.parametrize("dwords", [0, 129, -1, True, 1.5, None])
def test_amounts_that_do_not_exist(dwords):
    with pytest.raises(FieldError, match="amount_dwords"):
        amount_code(dwords)


@pytest.mark.parametrize(
    "function, bad", [(interval_bytes, 8), (interval_bytes, True), (amount_bytes, 128), (amount_bytes, -1)]
)
def test_codes_that_do_not_exist(function, bad):
    with pytest.raises(FieldError):
        function(bad)


def test_another_library_codes_the_same():
    vector = VECTORS["opus_pad_bf16"]
    params = vector["params"]
    size = params["element_bytes"]
    found = codes(params["interval_elements"] * size // 4, params["amount_elements"] * size // 4)
    assert found == {"pad_enable": 1} | vector["expected"]


def test_another_compiler_refuses_the_same():
    assert "1 dword" in VECTORS["flydsl_pad_reject"]["params"]
    with pytest.raises(FieldError):
        codes(1, 4)


@given(st.integers(0, 7), st.integers(0, 127), st.integers(0, 3), st.integers(0, 400))
def test_offsets_follow_the_loop_of_the_manual(interval, amount, data_size, elements):
    size = 1 << data_size
    address, stored, places = 0, 0, []
    for _ in range(elements):
        places += range(address, address + size)
        address += size
        stored += size
        if (stored >> 3) >= (1 << interval):
            stored = 0
            address += 4 * (amount + 1)
    found = [padded_offset(i, interval_bytes(interval), amount_bytes(amount)) for i in range(elements * size)]
    assert found == places
    end = places[-1] + 1 if places else 0
    assert written_bytes(len(places), interval_bytes(interval), amount_bytes(amount)) == end


def test_wave_start_when_a_chunk_is_smaller_than_the_interval(problem):
    case = problem("TP-07")
    asked = case["input"]
    found = wave_start(asked["wave"], asked["chunk_bytes"], asked["pad_block_bytes"], asked["pad_bytes"])
    assert found == case["right_outcome"]["lds_start"] != case["right_outcome"]["wrong_per_wave_formula"]


def test_growth_of_the_allocation(problem):
    case = problem("TP-08")
    asked = case["input"]
    assert "34800 bytes are written" in case["note"]
    arguments = (asked["unpadded_bytes"], asked["interval_bytes"], asked["pad_bytes"])
    assert reserved_bytes(*arguments) == case["right_outcome"]["padded_bytes"]
    assert written_bytes(*arguments) == 34800
    plan = pad_plan(asked["interval_bytes"], asked["pad_bytes"], 2, asked["unpadded_bytes"] // asked["interval_bytes"])
    assert (plan.written_bytes, plan.reserved_bytes) == (34800, case["right_outcome"]["padded_bytes"])


def test_the_last_gap_is_not_allocated_by_a_compiler():
    # 16 rows of 64 two-byte elements, 8 elements after every 64: the compiler puts its barrier at byte 2288.
    plan = pad_plan(128, 16, 2, 16)
    assert plan.written_bytes == 2288
    assert plan.reserved_bytes == 2304
    assert plan.row_starts[:3] == (0, 144, 288)
    assert (plan.interval_code, plan.amount_code, plan.row_stride) == (4, 3, 144)


def test_no_padding():
    plan = pad_plan(2048, 0, 2, 3)
    assert (plan.interval_code, plan.amount_code) == (None, None)
    assert (plan.row_starts, plan.written_bytes, plan.reserved_bytes) == ((0, 2048, 4096), 6144, 6144)


@pytest.mark.parametrize(
    "arguments, field",
    [
        ((2048, 16), "row_bytes"),
        ((96, 16), "row_bytes"),
        ((4, 4), "row_bytes"),
        ((2, 4), "row_bytes"),
        ((0, 0), "row_bytes"),
        ((256, 6), "pad_bytes"),
        ((256, 516), "pad_bytes"),
        ((256, -4), "pad_bytes"),
        ((256, 16, 3), "element_bytes"),
        ((257, 16, 2), "row_bytes"),
        ((256, 16, 2, 0), "rows"),
        ((256, 16, 2, 65536), "rows"),
        ((65536, 0, 1), "row_bytes"),
    ],
)
def test_plans_that_no_pair_of_codes_gives(arguments, field):
    with pytest.raises(FieldError) as raised:
        pad_plan(*arguments)
    assert raised.value.field == field


def test_a_refused_plan_says_what_else_gives_that_row_stride():
    with pytest.raises(FieldError, match="2 gaps of 16 bytes a row, one after every 1024 bytes"):
        pad_plan(2048, 32)
