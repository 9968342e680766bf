# SPDX-License-Identifier: Apache-2.0
"""Transposing loads: public problem TL-01 and the K sets of the audit."""

import json
import pathlib

import pytest

from cdna.lds import transpose

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases" / "public_problems.json"
PROBLEMS = {case["id"]: case for case in json.loads(CASES.read_text("utf-8"))["cases"]}


def test_problem_tl_01():
    wanted = PROBLEMS["TL-01"]["right_outcome"]
    for lane in PROBLEMS["TL-01"]["input"]["lanes"]:
        assert [list(pair) for pair in transpose.receives(lane)] == wanted[str(lane)]


@pytest.mark.parametrize("lane", range(64))
def test_the_formula_of_the_emulator(lane):
    """rocm-systems#10175: source lane ((l & ~15) or ((l >> 2) & 3)) + 4 * n, halfword l & 3."""
    expected = tuple((((lane & ~15) | ((lane >> 2) & 3)) + 4 * n, lane & 3) for n in range(4))
    assert transpose.receives(lane) == expected


def test_every_halfword_goes_somewhere_once():
    read = [[(lane, word) for word in range(4)] for lane in range(64)]
    got = [item for lane in transpose.transpose(read) for item in lane]
    assert sorted(got) == sorted(item for lane in read for item in lane)


def test_a_tile_of_four_rows_comes_out_as_columns():
    tile = {(row, column): 100 * row + column for row in range(4) for column in range(16)}
    addresses = transpose.tile_addresses(32)
    read = [[tile[address // 32, address % 32 // 2 + i] for i in range(4)] for address in addresses] * 4
    assert transpose.transpose(read)[7] == [7, 107, 207, 307]


def test_the_k_sets_of_the_audit():
    assert transpose.k_sets(16, 32) == ((0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15))
    assert transpose.k_sets(32, 16)[0] == (0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
    with pytest.raises(ValueError, match="multiple of 8"):
        transpose.k_sets(12, 32)


def test_forms():
    assert transpose.forms("gfx942") == ()
    assert [form.op for form in transpose.forms("gfx950") if form.published] == ["ds_read_b64_tr_b16"]
    assert (
        transpose.form_named("gfx1250", "ds_load_tr_b64").op
        == transpose.form_named("gfx1250", "ds_load_b64_tr_b8").op
        == "ds_load_tr8_b64"
    )
    assert transpose.form_named("gfx950", "ds_load_tr8_b64") is None
    with pytest.raises(ValueError, match=r"lane=64: 0\.\.63"):
        transpose.receives(64)
