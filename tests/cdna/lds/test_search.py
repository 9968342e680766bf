# SPDX-License-Identifier: Apache-2.0
"""The searches against the one-pattern function, and public problems LB-05 and DL-08."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdna.lds import search
from cdna.lds.conflicts import conflicts
from cdna.lds.service import PUBLISHED, service


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PUBLISHED), st.integers(1, 300), st.integers(0, 7), st.sampled_from((8, 16, 32, 64)), st.data())
def test_all_gaps_at_once_equal_one_by_one(groups_of, row_dwords, code, rows, data):
    interval = search.INTERVALS[code]
    degrees = search.padding_degrees(groups_of, 4 * row_dwords, interval, rows)
    for amount in data.draw(st.lists(st.integers(0, 127), min_size=1, max_size=4)):
        one = search.one_padding(groups_of, 4 * row_dwords, interval, search.AMOUNTS[amount], rows)
        assert (degrees[amount] if degrees else None) == one


def test_problem_dl_08():
    assert [search.swizzled_element(1, column, 64, 8) for column in (0, 2, 4, 6)] == [72, 74, 76, 78]


@given(st.integers(0, 200), st.integers(1, 4), st.integers(0, 3), st.sampled_from((1, 2, 8)))
def test_a_swizzle_exchanges_and_loses_nothing(row, bits, shift, access):
    elements = access << bits
    found = [search.swizzled_element(row, column, elements, access, bits, shift) for column in range(elements)]
    assert sorted(found) == list(range(row * elements, (row + 1) * elements))


def test_a_swizzle_that_leaves_its_row_is_refused():
    with pytest.raises(ValueError, match="multiple of 8 accesses"):
        search.swizzled_element(0, 0, 32, 8)
    with pytest.raises(ValueError, match=r"column=64: 0\.\.63"):
        search.swizzled_element(0, 64, 64, 8)


def test_problem_lb_05():
    assert search.pad_parity(64, 16, 16) == (80, True) and search.pad_parity(64, 16, 32) == (96, False)


@pytest.mark.parametrize("stride", range(64, 400, 16))
def test_the_parity_rule_holds_for_neighbouring_lanes(stride):
    groups_of = service("gfx942", "ds_read_b128", "consecutive:8")
    degree = conflicts([lane * stride for lane in range(64)], groups_of).worst
    assert (degree == 1) == search.pad_parity(stride, 16, 0)[1]


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_the_best_are_really_that_good_and_cost_what_they_say(target):
    groups_of = service(target, "ds_read_b128")
    best = search.paddings(groups_of, 256)
    assert best[0].worst == 1 and best == sorted(
        best, key=lambda item: (item.worst, item.extra_bytes, item.interval_code, item.amount_code)
    )
    for item in best[:3]:
        packed = search.pattern(256, 16, 64, 16)
        places = [search.padded(byte, item.interval_bytes, item.amount_bytes) for byte in packed]
        assert conflicts(places, groups_of).worst == item.worst and not [place for place in places if place % 16]
        assert item.extra_bytes == search.padded(16 * 256 - 1, item.interval_bytes, item.amount_bytes) - (16 * 256 - 1)
    fewest = [item for item in search.swizzles(groups_of, 256) if item.worst == 1][0]
    assert (fewest.bits, fewest.shift) == ((3, 0) if target == "gfx942" else (4, 0))
    assert len(search.paddings(groups_of, 256, aligned_only=False)) == 7 * 128  # a gap after 8 bytes splits every read


@pytest.mark.parametrize(("op", "row_bytes", "step"), [("ds_read_b128", 256, 16), ("ds_read_b64", 128, 8)])
def test_a_padding_suits_every_part_of_the_row(op, row_bytes, step):
    """Eight bytes after every 64 of a row of 256 leave 16-byte reads from byte 64 on at odd multiples of eight."""
    found = search.paddings(service("gfx950", op), row_bytes)
    assert found
    for item in found:
        chunks = range(0, 16 * row_bytes, step)
        assert not [byte for byte in chunks if search.padded(byte, item.interval_bytes, item.amount_bytes) % step]


def test_a_whole_space_has_every_code():
    services = [service("gfx950", "ds_read_b128"), service("gfx942", "ds_read_b64")]
    space = search.padding_space(services, [128, 144])
    assert len(space) == 2 * 2 * 8 and {len(value) for value in space.values() if value} == {128}
    assert space["gfx950", "ds_read_b128", 128, 0] is None and space["gfx942", "ds_read_b64", 128, 0] is not None
