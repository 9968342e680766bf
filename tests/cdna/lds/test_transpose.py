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


FORM = {form.op: form for form in transpose.forms("gfx1250")}


@pytest.mark.parametrize("op", FORM)
def test_every_element_of_gfx1250_goes_somewhere_once(op):
    places = FORM[op].result_bits // FORM[op].element_bits
    read = [[(lane, place) for place in range(places)] for lane in range(32)]
    got = [item for lane in transpose.transpose(read, FORM[op]) for item in lane]
    assert sorted(got) == sorted(item for lane in read for item in lane)


def test_the_halfword_map_of_amd_s_article():
    """Four groups of eight lanes; destination lane D0 has element 0 of S0 to S7, D1 element 1, D8 element 0 of S8 to S15."""
    for lane, first, element in ((0, 0, 0), (1, 0, 1), (8, 8, 0), (31, 24, 7)):
        assert transpose.receives(lane, FORM["ds_load_tr16_b128"]) == tuple((first + n, element) for n in range(8))


def test_the_byte_map_of_amd_s_article_by_its_eight_basis_positions():
    """Figure 4b gives (lane, register) -> (element, source lane) for each bit; XOR gives every other position."""
    lane_basis = {1: (1, 0), 2: (2, 0), 4: (4, 0), 8: (0, 4), 16: (0, 16)}
    place_basis = {1: (0, 1), 2: (0, 2), 4: (0, 8)}
    for lane in range(32):
        for place, pair in enumerate(transpose.receives(lane, FORM["ds_load_tr8_b64"])):
            element = source = 0
            for basis, number in ((lane_basis, lane), (place_basis, place)):
                for bit, (e, s) in basis.items():
                    if number & bit:
                        element, source = element ^ e, source ^ s
            assert pair == (source, element)


@pytest.mark.parametrize("lane", range(32))
def test_the_formulas_of_the_emulator_for_gfx1250(lane):
    """rocJITsu's ds_transpose.h, written from the reader's side where it is written from the writer's."""
    byte = tuple(((lane & ~15) + (lane >> 3 & 1) * 4 + (n & 3) + 8 * (n >> 2), lane & 7) for n in range(8))
    assert transpose.receives(lane, FORM["ds_load_tr8_b64"]) == byte
    # Groups of eight lanes: nibble i of group g goes to lane (g & 1) * 16 + i, DWORD g >> 1.
    nibble = {
        (group % 2 * 16 + i, group // 2 * 8 + k): (8 * group + k, i)
        for group in range(4)
        for i in range(16)
        for k in range(8)
    }
    assert transpose.receives(lane, FORM["ds_load_tr4_b64"]) == tuple(nibble[lane, place] for place in range(16))
    # Two passes over sixteen lanes each, four lanes of every eight.
    six = tuple((8 * (n // 4) + n % 4 + lane // 16 * 4, lane % 16) for n in range(16))
    assert transpose.receives(lane, FORM["ds_load_tr6_b96"]) == six


def test_the_rows_that_tensilelite_gives_to_the_lanes_come_out_in_order():
    """LdsPadding.py says which K and which column each lane reads; then each lane must hold neighbouring K of one column."""
    rows = (0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7)
    columns = (0, 0, 0, 0, 8, 8, 8, 8) * 2
    read = [[(rows[lane % 16] + lane // 16 * 16, columns[lane % 16] + i) for i in range(8)] for lane in range(32)]
    for lane, got in enumerate(transpose.transpose(read, FORM["ds_load_tr8_b64"])):
        assert got == [(lane // 16 * 16 + n, lane % 16) for n in range(8)]
    first = [lane // 16 * 8 + lane % 16 // 8 * 32 + lane % 8 for lane in range(32)]
    read = [[(first[lane], i) for i in range(16)] for lane in range(32)]
    for lane, got in enumerate(transpose.transpose(read, FORM["ds_load_tr4_b64"])):
        assert got == [(lane // 16 * 32 + n, lane % 16) for n in range(16)]


@pytest.mark.parametrize(
    "op, row, column",
    [
        ("ds_load_tr16_b128", lambda lane: lane % 8 + 8 * (lane // 16), lambda lane: 8 * (lane // 8 % 2)),
        ("ds_load_tr8_b64", lambda lane: lane % 4 + 4 * (lane // 8 % 2) + 8 * (lane // 16), lambda lane: 8 * (lane // 4 % 2)),
        ("ds_load_tr4_b64", lambda lane: lane % 8 + 8 * (lane // 16) + 16 * (lane // 8 % 2), lambda lane: 0),
    ],
)
def test_the_addresses_that_the_page_gives(op, row, column):
    """Lane l ends with column l mod 16 and as many neighbouring rows as it has places, the halves of the wave one after the other."""
    places = FORM[op].result_bits // FORM[op].element_bits
    read = [[(row(lane), column(lane) + i) for i in range(places)] for lane in range(32)]
    for lane, got in enumerate(transpose.transpose(read, FORM[op])):
        assert got == [(lane // 16 * places + n, lane % 16) for n in range(places)]


def test_forms():
    assert transpose.forms("gfx942") == ()
    assert [form.op for form in transpose.forms("gfx950") if form.routing] == ["ds_read_b64_tr_b16"]
    assert [form.op for form in transpose.forms("gfx1250") if form.origins < 2] == ["ds_load_tr6_b96"]
    with pytest.raises(ValueError, match="no public lane map"):
        transpose.receives(0, transpose.form_named("gfx950", "ds_read_b64_tr_b8"))
    with pytest.raises(ValueError, match=r"lane=32: 0\.\.31"):
        transpose.receives(32, FORM["ds_load_tr8_b64"])
    assert (
        transpose.form_named("gfx1250", "ds_load_tr_b64").op
        == transpose.form_named("gfx1250", "ds_load_b64_tr_b8").op
        == "ds_load_tr8_b64"
    )
    assert transpose.form_named("gfx950", "ds_load_tr8_b64") is None
    with pytest.raises(ValueError, match=r"lane=64: 0\.\.63"):
        transpose.receives(64)
