# SPDX-License-Identifier: Apache-2.0
"""Masks, meetings and reads of multicast loads, against words that MLIR wrote, encoders' limit and public problems."""

import json
import pathlib

import pytest

from cdna.tdm.descriptor import FieldError
from cdna.tdm.multicast import (
    check_launch,
    mask_of,
    members_of,
    reads,
    receivers,
    rendezvous,
    workgroup_number,
)

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases"


def test_problem_mc01_masks(problem):
    case = problem("MC-01")
    private, shared = case["input"]["shared_by"]
    told = case["right_outcome"]
    assert f"0x{mask_of(private):04x}" == told["private tile"]
    assert f"0x{mask_of(shared):04x}" == told["shared by workgroups 0 and 1"]


def test_problem_mc03_grid(problem):
    given = problem("MC-03")["input"]
    found = check_launch(0, given["cluster"], given["grid"])
    assert [(item.name, item.severity) for item in found] == [("grid-not-divisible", "error")]
    assert "121" in found[0].message and "2" in found[0].message
    assert check_launch(0, given["cluster"], [120, 1, 1]) == check_launch(0, [2, 2], [4, 4, 3]) == []


def test_mask_that_mlir_wrote():
    path = pathlib.Path(__file__).parents[3] / "evidence" / "vectors" / "tdm-words.json"
    entries = json.loads(path.read_text())["descriptor_words"]
    entry = next(item for item in entries if item["id"] == "mlir_workgroup_mask")
    assert mask_of(entry["params"]["workgroups"]) == int(entry["group1_word0"], 16) & 0xFFFF
    assert members_of(int(entry["group1_word0"], 16) & 0xFFFF) == entry["params"]["workgroups"]


def test_numbering_by_y_and_x():
    """OPUS: bit = y * ClusterDimX + x."""
    assert [workgroup_number(x, y, 4) for y in range(2) for x in range(4)] == list(range(8))
    with pytest.raises(ValueError, match="TDM-081"):
        workgroup_number(4, 0, 4)


def test_stores_ignore_the_mask():
    assert receivers(0b1011, "load", 0) == [0, 1, 3]
    assert receivers(0b1011, "store", 3) == [3]
    assert receivers(0, "load", 2) == [2]
    with pytest.raises(ValueError, match="load or store"):
        receivers(1, "gather", 0)


@pytest.mark.parametrize(
    "mask, cluster, names",
    [
        (0, (1, 1, 1), []),
        (3, (1, 1, 1), ["mask-without-cluster"]),
        (1, (1, 1, 1), ["mask-without-cluster"]),
        (3, (2, 1, 1), []),
        (0b100, (2, 1, 1), ["mask-beyond-cluster", "mask-of-one"]),
        (1, (2, 1, 1), ["mask-of-one"]),
        (3, (17, 1, 1), ["cluster-size"]),
    ],
)
def test_launches(mask, cluster, names):
    assert [item.name for item in check_launch(mask, cluster)] == names


def test_own_workgroup_should_be_named():
    assert [item.name for item in check_launch(0b110, (4, 1, 1), own=0)] == ["mask-without-own"]
    assert check_launch(0b110, (4, 1, 1), own=2) == []


def test_all_in_time_is_one_broadcast_when_the_last_has_asked():
    (only,) = rendezvous(0b111, [(2, 7), (0, 0), (1, 3)], time_out=10, read_time=2)
    assert only == (7, (0, 1, 2), True)
    (slow,) = rendezvous(0b111, [(2, 7), (0, 0), (1, 3)], time_out=10, read_time=9)
    assert slow.time == 9, "not before the data was read"


def test_latecomers():
    asked = [(0, 0), (1, 1), (2, 40), (3, 41)]
    assert [b.receivers for b in rendezvous(0b1111, asked, 10)] == [(0, 1), (2, 3)]
    assert [b.receivers for b in rendezvous(0b1111, asked, 10, late="alone")] == [(0, 1), (2,), (3,)]
    assert not rendezvous(0b1111, asked, 10)[0].complete
    with pytest.raises(ValueError, match="together or alone"):
        rendezvous(1, [], 1, late="never")


@pytest.mark.parametrize("late", ["together", "alone"])
@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("merge", [None, 1, 5])
def test_everyone_is_served_once(late, early, merge):
    asked = [(number, number * number) for number in range(16)]
    found = rendezvous(0xFFFF, asked, 20, 5, early, late, merge)
    served = [number for broadcast in found for number in broadcast.receivers]
    assert sorted(served) == list(range(16))
    for broadcast in found:
        assert broadcast.time >= max(number * number for number in broadcast.receivers)
        assert merge is None or len(broadcast.receivers) <= merge
    assert [broadcast.complete for broadcast in found].count(True) == 1 and found[-1].complete


def test_early_timeout_serves_who_is_there():
    asked = [(0, 0), (1, 2), (2, 8)]
    (first, second) = rendezvous(0b111, asked, 10, 3, early_timeout=True)
    assert (first.time, first.receivers, second.receivers) == (3, (0, 1), (2,))


def test_reads():
    """ART-A: one read for up to 16; OPUS and Triton: at most 5 requests merge."""
    assert [reads(n, True) for n in (1, 2, 16)] == [1, 1, 1]
    assert [reads(n, False) for n in (1, 2, 16)] == [1, 2, 16]
    assert [reads(n, True, 5) for n in (5, 6, 10, 11, 16)] == [1, 2, 2, 3, 4]
    with pytest.raises(ValueError, match="1..16"):
        reads(17, True)


def test_refusals():
    with pytest.raises(FieldError, match="workgroup_mask=16"):
        mask_of([0, 16])
    with pytest.raises(FieldError, match="0..65535"):
        members_of(1 << 16)
    for asked in ([(3, 0)], [(0, 0), (0, 1)]):
        with pytest.raises(ValueError, match="TDM-084"):
            rendezvous(0b11, asked, 5)
