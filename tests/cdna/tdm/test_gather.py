# SPDX-License-Identifier: Apache-2.0
"""Lists of row numbers: order, promise, and how they split; expected values are counted by hand or by combinatorics."""

import itertools

import pytest

from cdna.tdm.gather import batches, bounds_promised, order_of, slots


def test_orders_by_hand():
    assert order_of([]) == order_of([7]) == order_of([1, 2, 9]) == "increasing"
    assert order_of([1, 1, 2]) == "non-decreasing"
    assert order_of([9, 2, 6, 2]) == "descending"


def test_orders_are_counted_right():
    found = [order_of(rows) for rows in itertools.product(range(4), repeat=3)]
    # Choices of three out of four, with and without repetition.
    assert found.count("increasing") == 4
    assert found.count("non-decreasing") == 20 - 4


def test_promise_needs_order_only_with_an_index_outside():
    assert bounds_promised([9, 2, 6, 2], 10)
    assert bounds_promised([2, 6, 12, 12], 10)
    assert not bounds_promised([12, 2], 10)


@pytest.mark.parametrize(("bits", "count"), [(16, 16), (32, 8)])
def test_slots(bits, count):
    assert slots(bits) == count


def test_batches_keep_order_and_choose_the_width():
    rows = [40 - i for i in range(20)]
    split = batches(rows)
    assert [len(batch.rows) for batch in split] == [16, 4]
    assert [row for batch in split for row in batch.rows] == rows
    assert [len(batch.rows) for batch in batches(rows, 32)] == [8, 8, 4]
    assert batches([65536])[0].index_bits == 32


@pytest.mark.parametrize(("rows", "bits", "text"), [([65536], 16, "0..65535"), ([-1], 32, "-1"), ([1], 8, "16 or 32")])
def test_refused(rows, bits, text):
    with pytest.raises(ValueError, match=text):
        batches(rows, bits)
