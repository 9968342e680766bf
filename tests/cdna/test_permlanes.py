# SPDX-License-Identifier: Apache-2.0
"""Permlanes of gfx1250 against the shuffles of HIP, which want the same lanes, and the CDNA5 guide's own examples."""

import pytest

from cdna.lanes import LaneError, bpermute, dpp
from cdna.permlanes import group_source, grouped, index_for, permlane16, read_first_lane, read_lane

N32 = list(range(100, 132))
WIDTHS = (1, 2, 4, 8, 16, 32)
AMOUNTS = (0, 1, 2, 3, 5, 7, 8, 12, 15, 16, 31, 32, 40, 63, 64, 255, 1 << 31, (1 << 32) - 1)


def hip_lane(op, lane, amount, width):
    """The source lane as HIP's __shfl_up, __shfl_down and __shfl_xor compute it (amd_warp_functions.h)."""
    if op == "up":
        index = lane - amount
        return lane if index < (lane & ~(width - 1)) else index
    if op == "down":
        return lane if (lane & (width - 1)) + amount >= width else lane + amount
    index = lane ^ amount
    return lane if index >= (lane + width & ~(width - 1)) else index


@pytest.mark.parametrize("op", ["up", "down", "xor"])
@pytest.mark.parametrize("width", WIDTHS)
def test_grouped_permlanes_are_the_shuffles_of_hip(op, width):
    for amount in AMOUNTS:
        assert [group_source(op, lane, amount, width) for lane in range(32)] == [
            hip_lane(op, lane, amount, width) for lane in range(32)
        ], amount


@pytest.mark.parametrize("width", WIDTHS)
def test_a_broadcast_counts_the_low_bits_of_its_index(width):
    for index in AMOUNTS:
        moved = grouped("bcast", N32, index, width)
        assert list(moved.values) == [100 + (lane & ~(width - 1)) + (index & 63 & (width - 1)) for lane in range(32)]
        assert moved.notes == ()


def test_inactive_lanes_are_read_and_not_written():
    active = [lane not in (0, 9) for lane in range(32)]
    moved = grouped("up", N32, 1, 16, active)
    assert moved.values[1] == 100 and moved.values[0] is None and moved.values[10] == 109 and moved.values[9] is None


def test_only_what_lies_inside_a_group_is_alike_by_both_readings():
    for op in ("up", "down", "xor"):
        for width in WIDTHS:
            for amount in range(width):
                told = {lane for _, lane, _ in grouped(op, N32, amount, width).notes}
                other = grouped(op, N32, amount, width, reading="emulator").values
                mine = grouped(op, N32, amount, width).values
                assert {lane for lane in range(32) if mine[lane] != other[lane]} == told
                assert {other[lane] for lane in told} <= {0}
                assert not told or op != "xor"


def test_an_index_pulls_from_the_group_of_the_lane():
    for width in WIDTHS:
        made = [index_for(lane, 3 * lane + 1, width) for lane in range(32)]
        assert list(bpermute(N32, made).values) == [100 + (lane & ~(width - 1)) + (3 * lane + 1 & width - 1) for lane in range(32)]


WORDS = (0x87654321, 0x0FEDCBA9)


def test_the_guides_rotations():
    """V_PERMLANE16_B32: a rotation in each row; V_PERMLANEX16_B32: lane 15 gets lane 16, lane 31 lane 0."""
    assert list(permlane16(N32, WORDS).values) == [*N32[1:16], N32[0], *N32[17:32], N32[16]]
    across = permlane16(N32, WORDS, cross=True).values
    assert (across[15], across[31]) == (N32[16], N32[0])


@pytest.mark.parametrize("mask", range(32))
def test_any_exchange_by_xor_is_one_permlane(mask):
    """llvm/llvm-project#194565: permlane16 does masks 0 to 15, permlanex16 16 to 31."""
    places = [place ^ mask & 15 for place in range(16)]
    words = [sum(places[8 * half + i] << 4 * i for i in range(8)) for half in range(2)]
    moved = permlane16(N32, words, cross=mask > 15)
    assert list(moved.values) == [N32[lane ^ mask] for lane in range(32)]
    by_lane = permlane16(N32, [lane ^ mask | 0x70 for lane in range(32)], cross=mask > 15)
    assert by_lane.values == moved.values  # only four bits of a lane's own number count


def test_what_an_inactive_source_gives():
    active, old = [lane != 1 for lane in range(32)], [7] * 32
    plain = permlane16(N32, WORDS, False, old, active)
    assert plain.values[0] == 7 and plain.sources[0] is None and plain.values[1] is None
    assert [note[:2] for note in plain.notes] == [("inactive-source", 0)]
    assert permlane16(N32, WORDS, False, old, active, bound_zero=True).values[0] == 0
    assert permlane16(N32, WORDS, False, old, active, fetch_inactive=True).values[0] == N32[1]


def test_dpp8_gives_zero_for_an_inactive_lane_and_has_no_bound_control():
    """§7.9.2 of the CDNA5 guide: dpp8 reads zero from inactive lanes, the form with fetch-inactive reads them."""
    eight, active, old = [1, 0, 3, 2, 5, 4, 7, 6], [lane != 1 for lane in range(32)], [7] * 32
    assert dpp(N32, "dpp8", eight, "gfx1250", old, active, False).values[0] == 0
    assert dpp(N32, "dpp8", eight, "gfx1250", old, active, False, fetch_inactive=True).values[0] == N32[1]
    with pytest.raises(LaneError, match="on gfx1250, not on gfx950"):
        dpp(list(range(64)), "row_shl", 1, "gfx950", fetch_inactive=True)


def test_fetching_inactive_lanes_leaves_the_edge_of_a_row_open():
    moved = dpp(N32, "row_shl", 1, "gfx1250", [7] * 32, strict=False, fetch_inactive=True)
    assert [note[:2] for note in moved.notes] == [("fetch-out-of-row", 15), ("fetch-out-of-row", 31)]


@pytest.mark.parametrize(("target", "lanes"), [("gfx942", 64), ("gfx950", 64), ("gfx1250", 32)])
def test_one_lane_as_a_scalar(target, lanes):
    held = list(range(lanes))
    for number in (0, 5, 31, 32, 40, 63, 64, 70, (1 << 32) - 1):
        assert read_lane(held, number, target) == (number & lanes - 1, number & lanes - 1)
    for first in range(lanes):
        assert read_first_lane(held, target, [lane >= first for lane in range(lanes)]) == (first, first)
    assert read_first_lane(held, target, [False] * lanes) == (0, 0)


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: grouped("left", N32, 1), "bcast, up, down, xor"),
        (lambda: grouped("up", N32, 1, 24), "undefined"),
        (lambda: grouped("up", N32, 1, 64), "undefined"),
        (lambda: grouped("up", N32, 1, 0), "undefined"),
        (lambda: grouped("up", N32, -1), "0..4294967295"),
        (lambda: grouped("up", N32, 1, reading="mine"), "guide, emulator"),
        (lambda: grouped("up", list(range(64)), 1), "32 on gfx1250"),
        (lambda: index_for(0, 1 << 32), "0..4294967295"),
        (lambda: index_for(0, 1, 3), "undefined"),
        (lambda: permlane16(N32, [1, 2, 3]), "two words"),
        (lambda: permlane16(N32, [1 << 32, 0]), "0..4294967295"),
        (lambda: read_lane(N32, 0, "gfx950"), "64 on gfx950"),
        (lambda: read_lane(N32, -1, "gfx1250"), "0..4294967295"),
    ],
)
def test_what_is_refused_says_what_is_allowed(work, words):
    with pytest.raises(LaneError, match=words):
        work()
