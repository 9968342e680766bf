# SPDX-License-Identifier: Apache-2.0
"""Service groups and conflicts: the publications' own lists and public problems LB-01, LB-05, LB-06 and LB-07."""

import json
import pathlib
import random

import pytest

from cdna.lds.conflicts import across_targets, conflicts, group_degree, misaligned, other_readings, rows_and_chunks
from cdna.lds.service import PUBLISHED, Unpublished, alternatives, op_name, safest, service

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases" / "public_problems.json"
PROBLEMS = {case["id"]: case for case in json.loads(CASES.read_text("utf-8"))["cases"]}


@pytest.mark.parametrize("item", PUBLISHED, ids=lambda item: f"{item.target}-{item.op}")
def test_groups_hold_every_lane_once(item):
    lanes = sorted(lane for group in item.groups for lane in group)
    assert lanes == list(range(32 if item.target == "gfx1250" else 64))
    assert item.sources and item.how in ("measured", "stated") and len({len(group) for group in item.groups}) == 1
    # A group's accesses fill the banks at most once, as every publication has it.
    assert len(item.groups[0]) * item.width <= item.banks * 4


def test_the_groups_of_triton_11365_by_its_own_lane_bases():
    """The description gives each group also as a span of lane bits, shifted: the list must be that span."""
    bit = [1 << i for i in range(6)]
    for target, basis, shifts in (
        (
            "gfx942",
            (bit[0], bit[1], bit[2] ^ bit[4]),
            (0, bit[5], bit[2], bit[5] ^ bit[2], bit[3], bit[5] ^ bit[3], bit[3] ^ bit[2], bit[5] ^ bit[3] ^ bit[2]),
        ),
        ("gfx950", (bit[0], bit[1], bit[2] ^ bit[3], bit[2] ^ bit[4]), (0, bit[5], bit[2], bit[5] ^ bit[2])),
    ):
        span = {0}
        for vector in basis:
            span |= {lane ^ vector for lane in span}
        expected = [tuple(sorted(lane ^ shift for lane in span)) for shift in shifts]
        assert [tuple(sorted(group)) for group in service(target, "ds_read_b128").groups] == expected


def test_problem_lb_01():
    wanted = PROBLEMS["LB-01"]["right_outcome"]["worst_degree"]
    for stride, degrees in wanted.items():
        addresses = rows_and_chunks(int(stride), 16, 64)
        for target in ("gfx942", "gfx950"):
            size = 8 if target == "gfx942" else 16
            assert conflicts(addresses, service(target, "ds_read_b128")).worst == degrees[target]
            assumed = service(target, "ds_read_b128", f"consecutive:{size}")
            assert conflicts(addresses, assumed).worst == degrees["if_consecutive_" + target]
            ((claim, position, _, other),) = other_readings(addresses, target, "ds_read_b128")
            assert (claim, position, other.worst) == ("LDS-051", "adjacent", degrees["if_consecutive_" + target])


def test_problem_lb_07():
    groups = service("gfx1250", "ds_load_b128").groups
    assert [[group[0], group[-1]] for group in groups] == PROBLEMS["LB-07"]["right_outcome"]


def test_a_layout_is_chosen_by_the_larger_groups():
    """AMD's article on MI450, newer than the case, says that sixteen lanes are served together."""
    ((claim, position, other, _),) = alternatives("gfx1250", "ds_load_b128")
    assert (claim, position) == ("LDS-053", "sixteen")
    assert [[group[0], group[-1]] for group in other.groups] == [[0, 15], [16, 31]]
    assert safest("gfx1250", "ds_load_b128") == other
    # Neither reading of gfx950 holds the other's groups, and what somebody assumes stays as it is.
    assert safest("gfx950", "ds_read_b128") == service("gfx950", "ds_read_b128")
    assert len(safest("gfx1250", "ds_load_b128", "consecutive:4").groups) == 8


def test_transposing_loads_split_in_two_when_an_address_is_crooked():
    for op in ("ds_load_tr4_b64", "ds_load_tr8_b64"):
        assert [len(group) for group in service("gfx1250", op).groups] == [32]
        assert [len(group) for group in service("gfx1250", op, crooked=True).groups] == [16, 16]
    assert service("gfx1250", "ds_load_tr16_b128", crooked=True) == service("gfx1250", "ds_load_tr16_b128")


def test_the_example_of_the_bank_count_of_four_byte_reads():
    """32 lanes 128 bytes apart: degree 32 on 32 banks and 16 on 64 (contradiction C4 of the facts)."""
    addresses = [128 * lane for lane in range(32)]
    assert group_degree(addresses, 4, 32) == 32 and group_degree(addresses, 4, 64) == 16


@pytest.mark.parametrize(
    "target, op",
    [
        ("gfx950", "ds_write_b128"),
        ("gfx950", "ds_write_b32"),
        ("gfx942", "ds_read_b96"),
        ("gfx1250", "ds_load_b64"),
        ("gfx1250", "ds_load_tr6_b96"),
    ],
)
def test_what_nobody_published_is_refused_unless_assumed(target, op):
    with pytest.raises(Unpublished, match=op) as caught:
        service(target, op)
    assert caught.value.known
    assumed = service(target, op, "consecutive:8")
    assert assumed.how == "assumed" and assumed.claim is None and len(assumed.groups[0]) == 8


@pytest.mark.parametrize("assume", ["consecutive", "consecutive:0", "consecutive:65", "even:8", "consecutive:x"])
def test_a_wrong_assumption_is_named(assume):
    with pytest.raises(ValueError, match="consecutive:N"):
        service("gfx950", "ds_write_b128", assume)


def test_names_follow_the_target():
    assert op_name("gfx1250", "ds_read_b128") == "ds_load_b128" and op_name("gfx942", "ds_store_b64") == "ds_write_b64"
    with pytest.raises(ValueError, match="ds_read_b32"):
        service("gfx950", "ds_bpermute_b32")


def test_an_old_swizzle_meets_again_on_64_banks():
    def addresses(count):
        return [(lane % 16) * 256 + ((lane // 16) ^ (lane % 8)) * 16 for lane in range(count)]

    found = {target: one.worst if one else why for target, one, why in across_targets(addresses, "ds_read_b128")}
    assert (found["gfx942"], found["gfx950"]) == (1, 2)


def test_an_assumption_holds_on_every_target_that_has_the_lanes():
    found = {
        target: (one.service.how if one else None, why)
        for target, one, why in across_targets(lambda count: [0] * count, "ds_write_b128", assume="consecutive:64")
    }
    assert found["gfx942"] == found["gfx950"] == ("assumed", None)
    assert found["gfx1250"][0] is None and "from 1 to 32" in found["gfx1250"][1]


def slow_degree(addresses, width, banks):
    """Byte by byte, with no shortcut."""
    asked = {}
    for address in addresses:
        for byte in range(address, address + width):
            asked.setdefault(byte // 4 % banks, set()).add(byte // 4)
    return max(len(words) for words in asked.values())


def test_against_a_count_byte_by_byte():
    rng = random.Random(3)
    for _ in range(200):
        groups_of = rng.choice(PUBLISHED)
        count = sum(len(group) for group in groups_of.groups)
        addresses = [rng.randrange(0, 4096, rng.choice((1, 4, 16))) for _ in range(count)]
        one = conflicts(addresses, groups_of)
        for i, group in enumerate(groups_of.groups):
            assert one.degrees[i] == slow_degree([addresses[lane] for lane in group], groups_of.width, groups_of.banks)
            assert one.least[i] <= one.degrees[i] <= one.worst


def test_inactive_lanes_and_one_address_for_all():
    groups_of = service("gfx942", "ds_read_b32")
    nobody = conflicts([None] * 64, groups_of)
    assert nobody.degrees == (0, 0) and nobody.busiest == (None, None)
    assert conflicts([512] * 64, groups_of).worst == 1
    with pytest.raises(ValueError, match="64 lanes"):
        conflicts([0] * 32, groups_of)
    with pytest.raises(ValueError, match=r"addresses\[1\]"):
        conflicts([0, -4] + [0] * 62, groups_of)
    assert misaligned([0, 8, None, 16], 16) == (1,) and misaligned([0, 12, 6], 12) == (2,)


def test_another_reading_of_four_byte_reads_has_32_banks():
    ((claim, position, other, _),) = alternatives("gfx950", "ds_read_b32")
    assert (claim, position, other.banks) == ("LDS-015", "by-opcode", 32)
    assert alternatives("gfx1250", "ds_load_b32") == []
