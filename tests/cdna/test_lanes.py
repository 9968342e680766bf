# SPDX-License-Identifier: Apache-2.0
"""Moves between lanes, exhaustive where the space is small, against the CDNA4 guide's own examples and public cases."""

import json
import pathlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdna.lanes import (
    DPP,
    WAVES,
    LaneError,
    ballot,
    bpermute,
    dpp,
    dpp_source,
    permute,
    source_lane,
    swap,
    swizzle,
    swizzle_source,
)

CASES = {
    case["id"]: case
    for case in json.loads(
        (pathlib.Path(__file__).parents[1] / "data" / "cases" / "public_problems.json").read_text()
    )["cases"]
}
N64 = list(range(100, 164))
# The guide numbers lanes from 1 and in hexadecimal (DS_SWIZZLE_B32).
GUIDE_SWIZZLES = {
    0xC020: "2,3,4,5,6,7,8,9,a,b,c,d,e,f,10,11,12,13,14,15,16,17,18,19,1a,1b,1c,1d,1e,1f,20,1",
    0xC420: "20,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10,11,12,13,14,15,16,17,18,19,1a,1b,1c,1d,1e,1f",
    0xC021: "1,4,3,6,5,8,7,a,9,c,b,e,d,10,f,12,11,14,13,16,15,18,17,1a,19,1c,1b,1e,1d,20,1f,2",
    0xC421: "1f,2,1,4,3,6,5,8,7,a,9,c,b,e,d,10,f,12,11,14,13,16,15,18,17,1a,19,1c,1b,1e,1d,20",
    0xE000: "1,11,9,19,5,15,d,1d,3,13,b,1b,7,17,f,1f,2,12,a,1a,6,16,e,1e,4,14,c,1c,8,18,10,20",
    0xE010: "1,9,5,d,3,b,7,f,2,a,6,e,4,c,8,10,11,19,15,1d,13,1b,17,1f,12,1a,16,1e,14,1c,18,20",
}


def test_case_shift_wraps():
    case = CASES["PM-01"]
    lane, offset = case["input"]["lane"], case["input"]["offset"]
    index = 4 * (lane + offset)
    assert index == case["right_outcome"]["byte_index"]
    assert source_lane(index, 64) == case["right_outcome"]["reads_lane"]
    moved = bpermute(N64, [4 * (one + offset) for one in range(64)], strict=False)
    assert moved.sources[lane] == case["right_outcome"]["reads_lane"]
    assert [note[0] for note in moved.notes] == ["index-wraps"]


def test_case_five_bit_index():
    case = CASES["PM-02"]
    target, right = case["input"]["target_lane"], case["right_outcome"]
    assert 4 * target == right["byte_index"] and source_lane(right["byte_index"], 64) == target
    assert 4 * (target & 31) == right["wrong_masked_index"]
    assert source_lane(right["wrong_masked_index"], 64) == right["wrong_lane"]


def test_case_ballot():
    right = CASES["PM-03"]["right_outcome"]
    mask, count = ballot([lane < 40 for lane in range(64)], "gfx942")
    assert (count, mask) == (right["count"], int(right["mask"], 16))
    assert bin(mask & 0xFFFFFFFF).count("1") == right["wrong"]


def test_the_guides_examples_of_both_permutes():
    # Four lanes in the guide; the other sixty go straight.
    indices = [0, 0, 12, 4] + [4 * lane for lane in range(4, 64)]
    every = permute(N64, indices, strict=False).values
    assert list(every[:4]) == [101, 103, 0, 102]  # B, D, 0, C: of A and B the higher lane wins
    assert list(bpermute(N64, indices, strict=False).values[:4]) == [100, 100, 103, 101]  # A, A, D, B
    some = [False, True, False, True] + [True] * 60
    assert list(permute(N64, indices, active=some, strict=False).values[:4]) == [None, 103, None, 0]
    assert list(bpermute(N64, indices, active=some, strict=False).values[:4]) == [None, 0, None, 101]


@pytest.mark.parametrize("pattern", GUIDE_SWIZZLES)
def test_the_guides_examples_of_swizzles(pattern):
    wanted = [int(text, 16) - 1 for text in GUIDE_SWIZZLES[pattern].split(",")]
    assert [swizzle_source(pattern, lane) for lane in range(64)] == wanted + [32 + lane for lane in wanted]


@pytest.mark.parametrize("name", ["swap", "reverse", "broadcast"])
def test_the_guides_mask_tables(name):
    for size in (2, 4, 8, 16, 32):
        for lane in range(64):
            base, place = lane // size * size, lane % size
            if name == "swap":
                pattern, wanted = (size // 2) << 10 | 31, lane ^ size // 2
            elif name == "reverse":
                pattern, wanted = (size - 1) << 10 | 31, base + size - 1 - place
            else:
                pattern, wanted = (size - 1) << 5 | 32 - size, base + size - 1
            assert swizzle_source(pattern, lane) == wanted


def test_every_swizzle_pattern_stays_in_its_group():
    for pattern in range(0x10000):
        group = 4 if 0x8000 <= pattern < 0xC000 else 32
        assert all(swizzle_source(pattern, lane) // group == lane // group for lane in (0, 5, 31, 32, 63))


def test_every_single_index_of_a_pull():
    for index in range(-300, 600):
        assert bpermute(N64, [index] * 64, strict=False).values == (N64[index // 4 % 64],) * 64


@settings(max_examples=80, derandomize=True, deadline=None)
@given(st.permutations(range(64)))
def test_push_and_pull_undo_each_other(order):
    indices = [4 * lane for lane in order]
    pushed = permute(N64, indices).values
    assert list(bpermute(pushed, indices).values) == N64
    assert all(pushed[order[lane]] == N64[lane] for lane in range(64))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"active": [lane != 3 for lane in range(64)]}, "inactive lanes 3"),
        ({"indices": [4 * lane + 4 for lane in range(64)]}, "wraps to lane 0"),
        ({"indices": [4 * lane + (lane == 7) for lane in range(64)]}, "no multiple of 4"),
        ({"indices": [4 * (lane // 2) for lane in range(64)]}, "all write lane 0"),
        ({"indices": [-4] + [4 * lane for lane in range(1, 64)]}, "outside 0..255"),
        ({"offset": 4}, "wraps"),
    ],
)
def test_an_example_that_breaks_a_condition_is_refused(change, words):
    arguments = {"indices": [4 * lane for lane in range(64)], **change}
    indices = arguments.pop("indices")
    with pytest.raises(LaneError, match="LANE-004") as caught:
        permute(N64, indices, **arguments)
    assert words in str(caught.value)
    if "write" not in words:
        with pytest.raises(LaneError, match="strict=False"):
            bpermute(N64, indices, **arguments)


def test_a_broadcast_by_pull_is_an_example():
    assert bpermute(N64, [40] * 64).values == (110,) * 64


# ---- DPP


@pytest.mark.parametrize("target", [name for name, _ in WAVES])
def test_every_control_of_a_target_stays_in_its_reach(target):
    lanes = dict(WAVES)[target]
    for control, targets, kind in DPP:
        amounts = {"none": [None], "1": [1], "15 or 31": [15, 31], "list4": [[3, 1, 0, 2]], "list8": [[7, 0, 5, 1, 2, 2, 3, 4]]}
        for amount in amounts.get(kind) or range(int(kind.split("..")[0]), 16):
            if target not in targets:
                with pytest.raises(LaneError, match="not on " + target):
                    dpp(list(range(lanes)), control, amount, target)
                continue
            moved = dpp(list(range(lanes)), control, amount, target, old=[-1] * lanes)
            for lane in range(lanes):
                source = dpp_source(control, amount, lane, lanes)
                assert moved.values[lane] == (-1 if source is None else source)
                if control.startswith("row_") and control != "row_bcast" and source is not None:
                    assert source // 16 == lane // 16
                if control in ("quad_perm",):
                    assert source // 4 == lane // 4


def test_shifts_leave_a_hole_and_rotations_none():
    for amount in range(1, 16):
        left = [dpp_source("row_shl", amount, lane, 64) for lane in range(16)]
        right = [dpp_source("row_shr", amount, lane, 64) for lane in range(16)]
        turned = [dpp_source("row_ror", amount, lane, 64) for lane in range(16)]
        assert left == list(range(amount, 16)) + [None] * amount
        assert right == [None] * amount + list(range(16 - amount))
        assert turned == [(lane - amount) % 16 for lane in range(16)]


def test_a_wave_sum_with_shifts_and_broadcasts():
    # The use that the broadcasts exist for: an inclusive sum of 64 lanes in six steps, with row masks on the last two.
    total = [lane + 1 for lane in range(64)]
    for control, amount in (("row_shr", 1), ("row_shr", 2), ("row_shr", 4), ("row_shr", 8), ("row_bcast", 15), ("row_bcast", 31)):
        given = dpp(total, control, amount, "gfx950").values
        rows = {15: (1, 3), 31: (2, 3)}.get(amount, (0, 1, 2, 3)) if control == "row_bcast" else (0, 1, 2, 3)
        total = [total[lane] + (given[lane] if lane // 16 in rows else 0) for lane in range(64)]
    assert total == [(lane + 1) * (lane + 2) // 2 for lane in range(64)]


def test_a_disabled_source_keeps_the_old_value():
    active = [lane != 1 for lane in range(64)]
    moved = dpp(N64, "row_shl", 1, "gfx942", old=[7] * 64, active=active, strict=False)
    assert moved.values[0] == 7 and moved.values[1] is None and moved.values[2] == 103
    zero = dpp(N64, "row_shl", 1, "gfx942", old=[7] * 64, bound_zero=True)
    assert zero.values[15] == 0


# ---- swaps


def test_swaps_of_the_guide():
    first, second = list(range(64)), list(range(100, 164))
    one, two = swap(first, second, 16, "gfx950")
    assert list(one) == first[:16] + second[:16] + first[32:48] + second[32:48]
    assert list(two) == first[16:32] + second[16:32] + first[48:] + second[48:]
    one, two = swap(first, second, 32, "gfx950")
    assert list(one) == first[:32] + second[:32] and list(two) == first[32:] + second[32:]


def test_a_swap_twice_is_nothing_and_gfx1250_has_one():
    first, second = list(range(32)), list(range(100, 132))
    assert swap(*swap(first, second, 16, "gfx1250"), 16, "gfx1250") == (tuple(first), tuple(second))
    for rows, target in ((32, "gfx1250"), (16, "gfx942"), (32, "gfx942")):
        lanes = dict(WAVES)[target]
        with pytest.raises(LaneError, match="LANE-001"):
            swap([0] * lanes, [0] * lanes, rows, target)


def test_a_swap_of_gfx1250_writes_active_lanes_and_reads_all():
    """V_PERMLANE16_SWAP_B32 of the CDNA5 guide: EXEC decides about each write, and every lane is read."""
    first, second = list(range(32)), list(range(100, 132))
    active = [lane not in (2, 21) for lane in range(32)]
    one, two = swap(first, second, 16, "gfx1250", active)
    assert list(one) == [*range(16), *[lane if lane == 21 else 100 + lane - 16 for lane in range(16, 32)]]
    assert list(two) == [102 if lane == 2 else lane + 16 for lane in range(16)] + list(range(116, 132))
    with pytest.raises(LaneError, match="all lanes on gfx950"):
        swap(N64, N64, 16, "gfx950", [True] * 63 + [False])


# ---- errors


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda: swizzle(N64, 0x10000), "0..65535"),
        (lambda: dpp(N64, "row_shl", 16, "gfx950"), "1..15"),
        (lambda: dpp(N64, "row_up", 1, "gfx950"), "quad_perm"),
        (lambda: dpp(N64, "quad_perm", [0, 1, 2, 4], "gfx950"), "each 0..3"),
        (lambda: dpp(N64[:32], "row_mirror", None, "gfx950"), "64 on gfx950"),
        (lambda: dpp(N64, "row_mirror", 1, "gfx950"), "no number"),
        (lambda: permute(N64[:40], N64[:40]), "32 or 64"),
        (lambda: permute(N64, N64[:4]), "as many indices"),
        (lambda: permute(N64, [0] * 64, active=[True]), "active"),
        (lambda: swap(N64, N64, 8, "gfx950"), "16 or 32"),
        (lambda: swap(N64, N64[:32], 16, "gfx950"), "64 lanes each"),
        (lambda: ballot([True] * 32, "gfx950"), "64 on gfx950"),
        (lambda: ballot([True] * 32, "gfx90a"), "gfx942, gfx950, gfx1250"),
    ],
)
def test_errors_say_what_is_allowed(work, words):
    with pytest.raises(LaneError, match=words):
        work()


@pytest.mark.parametrize("masks, right", [((0xA, 0xC), True), ((0xF, 0xF), False)])
def test_a_running_sum_needs_the_row_masks(masks, right):
    """The scan of 64 ones: four shifts inside rows, then row_bcast 15 into rows 1 and 3 and row_bcast 31 into rows 2 and 3."""
    sums = [1] * 64
    steps = [("row_shr", 1, 0xF), ("row_shr", 2, 0xF), ("row_shr", 4, 0xF), ("row_shr", 8, 0xF)]
    for control, amount, mask in [*steps, ("row_bcast", 15, masks[0]), ("row_bcast", 31, masks[1])]:
        moved = dpp(sums, control, amount, "gfx942", [0] * 64, row_mask=mask).values
        sums = [mine + got for mine, got in zip(sums, moved, strict=True)]
    assert (sums == list(range(1, 65))) is right
    assert sums[63] == 64  # the total alone is right either way
