# SPDX-License-Identifier: Apache-2.0
"""Copies in plain terms against words that a compiler emitted for the same copy, and against public problem reports."""

import json
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.tdm.copy import CopyKeyError, fields_of_copy, member_offset, plan_copy, remaining, wave_share
from cdna.tdm.descriptor import FieldError, encode

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases"
VECTORS = {v["id"]: v for v in json.loads((CASES / "tdm_descriptor_words.json").read_text())["descriptor_words"]}

# The copies that the notes of the vectors describe (outermost first there, innermost first here).
COPIES = {
    "tritonc_load_bar": {
        "element_bits": 16,
        "base": 0,
        "at": [128, 32],
        "tensor": [4096, 1000],
        "strides": [4096],
        "tile": [64, 16],
        "pad": {"interval_dwords": 32, "amount_dwords": 4},
        "barrier_addr": 2288,
    },
    "tritonc_load_origin": {
        "element_bytes": 2,
        "base": 0,
        "at": [0, 0],
        "tensor": [4096, 1000],
        "tile": [64, 16],
        "pad": {"interval_dwords": 32, "amount_dwords": 4},
    },
    "tritonc_3d": {
        "element_bits": 16,
        "base": 0,
        "at": [3, 2, 1],
        "tensor": [300, 700, 7],
        "strides": [1, 500, 400000],
        "tile": [32, 16, 2],
    },
    "tritonc_5d": {
        "element_bytes": 4,
        "base": 0,
        "tensor": [64, 9, 7, 5, 65537],
        "strides": [640, 4480, 40320, 40000000000],
        "tile": [16, 1, 2, 4, 2],
    },
    "hip_2d_bf16_pad": {
        "element_bits": 16,
        "global_addr": 0x123456789ABC,
        "lds_addr": 256,
        "tensor": [4096, 1000],
        "strides": [4096],
        "tile": [64, 128],
        "pad": [{"interval_dwords": 32, "amount_dwords": 4}],
    },
}


def small(**changes):
    """Return a plain 2D copy with changes; None takes a key away."""
    copy = {"element_bytes": 2, "base": 4096, "at": [0, 0], "tensor": [64, 32], "strides": [64], "tile": [16, 4]}
    copy.update(changes)
    return {key: value for key, value in copy.items() if value is not None}


@pytest.mark.parametrize("name", COPIES)
def test_a_compiler_writes_the_same_words(name):
    words = encode(fields_of_copy(COPIES[name]))
    groups = VECTORS[name]["words"]
    expected = [int(word, 16) for group in ("group0", "group1", "group2", "group3") for word in groups[group]]
    assert list(words) + [0] * (20 - len(words)) == expected
    assert plan_copy(COPIES[name]).findings == []


def test_sub_byte_elements_are_rewritten_in_bytes(problem):
    case = problem("TD-08")
    bits = {"f4": 4, "f6": 6, "f8": 8, "bf16": 16}
    for kind in case["input"]["types"]:
        copy = {"element_bits": bits[kind], "base": 0, "tensor": [256], "tile": [case["input"]["elements_dim0"]]}
        found = fields_of_copy(copy)
        assert {name: found[name] for name in case["right_outcome"][kind]} == case["right_outcome"][kind]


def test_sub_byte_copies_move_address_bound_and_stride_in_bytes():
    copy = {"element_bits": 6, "base": 1000, "at": [8, 2], "tensor": [128, 10], "strides": [132], "tile": [16, 4]}
    found = fields_of_copy(copy)
    assert found["global_addr"] == 1000 + 8 * 6 // 8 + 2 * 132 * 6 // 8
    assert (found["tensor_dim0"], found["tensor_dim1"]) == (120 * 6 // 8, 8)
    assert (found["tile_dim0"], found["tile_dim1"], found["tensor_dim0_stride"]) == (12, 4, 99)
    copy = {"element_bits": 4, "global_addr": 0, "tensor": [64, 9], "strides": [64], "tile": [32, 3]}
    copy["iterate"] = {"count": 3, "lds_increment": 96, "global_increment": 192}
    found = fields_of_copy(copy)
    assert (found["iterate_count"], found["lds_addr_increment"], found["global_addr_increment"]) == (2, 48, 96)


@pytest.mark.parametrize(
    "bits, key, value, field",
    [
        (4, "tile", [15, 4], "tile[0]"),
        (6, "tile", [18, 4], "tile[0]"),
        (4, "tensor", [63, 32], "tensor[0]"),
        (6, "at", [2, 0], "at[0]"),
        (4, "strides", [65], "strides[0]"),
        (6, "iterate", {"count": 1, "lds_increment": 2}, "iterate.lds_increment"),
    ],
)
def test_sub_byte_elements_that_end_inside_a_byte(bits, key, value, field):
    with pytest.raises(FieldError) as raised:
        fields_of_copy(small(element_bytes=None, element_bits=bits, **{key: value}))
    assert raised.value.field == field


def test_negative_offset_gives_an_empty_tensor(problem):
    case = problem("TO-01")
    asked = case["input"]
    copy = {"element_bytes": 4, "base": 65536, "at": [asked["offset"]], "tensor": [asked["tensor_dim0"]]}
    plan = plan_copy(copy | {"tile": [asked["tile_dim0"]]})
    assert plan.fields["tensor_dim0"] == case["right_outcome"]["encoded_tensor_dim0"]
    assert plan.fields["global_addr"] == 65536
    assert [tuple(item)[:2] for item in plan.findings] == [("negative-offset", "warning")]
    assert plan.findings[0].claim == "TDM-047"
    assert f"= {case['right_outcome']['naive_bound']} " in plan.findings[0].message
    assert remaining(asked["tensor_dim0"], asked["offset"]) == 0


def test_one_dimension_before_the_tensor_leaves_the_other_bound_alone():
    found = fields_of_copy(small(at=[8, -1]))
    assert (found["tensor_dim0"], found["tensor_dim1"]) == (56, 0)
    assert found["global_addr"] == 4096 + 2 * 8


def test_offset_past_the_end_gives_zero():
    found = fields_of_copy(small(at=[80, 32]))
    assert (found["tensor_dim0"], found["tensor_dim1"]) == (0, 0)


def test_cluster_member_moves_address_and_bound(problem):
    case = problem("TO-03")
    asked = case["input"]
    at = member_offset(0, asked["member"], asked["block_per_member"])
    copy = small(tensor=[asked["columns"], 32], strides=[96], at=[at, 0], tile=[asked["block_per_member"], 4])
    found = fields_of_copy(copy)
    assert found["tensor_dim0"] == case["right_outcome"]["tensor_dim0"] != case["right_outcome"]["wrong"]
    assert found["global_addr"] == 4096 + 2 * at


def test_the_ragged_array_of_forty_columns():
    bounds = [fields_of_copy(small(tensor=[40, 32], at=[column, 0]))["tensor_dim0"] for column in (0, 16, 32)]
    assert bounds == [40, 24, 8]


def test_fewer_elements_than_waves(problem):
    case = problem("TD-03")
    share, active = wave_share(case["input"]["tile"][0], case["input"]["num_warps"])
    assert (share, active) == (case["right_outcome"]["per_warp_tile"], case["right_outcome"]["active_warps"])
    assert wave_share(10, 4) == (3, 4)
    assert wave_share(9, 4) == (3, 3)
    assert wave_share(0, 4) == wave_share(-20, 4) == (0, 0)  # a start past the end leaves nothing
    with pytest.raises(FieldError, match="waves=0: 1 or more"):
        wave_share(4, 0)


def test_two_padding_pairs_are_refused(problem):
    case = problem("TP-05")
    assert "single interval and a single amount" in case["right_outcome"]
    # [64:+8, 512:+16] in two-byte elements
    pairs = [{"interval_dwords": 32, "amount_dwords": 4}, {"interval_dwords": 256, "amount_dwords": 8}]
    with pytest.raises(FieldError, match="single pair"):
        fields_of_copy(small(pad=pairs))


def test_strides_default_to_a_packed_tensor():
    found = fields_of_copy({"element_bytes": 1, "base": 0, "at": [1, 2, 3], "tensor": [10, 20, 30], "tile": [2, 2, 2]})
    assert (found["tensor_dim0_stride"], found["tensor_dim1_stride"]) == (10, 200)
    assert found["global_addr"] == 1 + 20 + 600


def test_gather():
    copy = small(gather={"indices": [9, 2, 6, 2], "index_bits": 16}, tile=[16], at=[8, 0])
    found = fields_of_copy(copy)
    assert (found["gather_mode"], found["gather_index_size"], found["tile_dim1"]) == (1, 0, 4)
    assert (found["tensor_dim0"], found["tensor_dim1"]) == (56, 32)
    words = encode(found)
    assert (words[0], words[12], words[13]) == (0x80000001, 9 | 2 << 16, 6 | 2 << 16)
    found = fields_of_copy(small(gather={"indices": [70000], "index_bits": 32}, tile=[16, 1]))
    assert encode(found)[0] == 0xC0000001


def test_the_rest_of_the_fields():
    found = fields_of_copy(small(barrier_addr=524280, workgroup_mask=0x8001, early_timeout=True, lds_addr=64))
    assert (found["atomic_barrier_enable"], found["atomic_barrier_address"]) == (1, 65535)
    assert (found["workgroup_mask"], found["early_timeout"], found["lds_addr"]) == (0x8001, 1, 64)
    assert fields_of_copy(small(early_timeout=False))["early_timeout"] == 0
    assert fields_of_copy(small(iterate={"count": 256}))["iterate_count"] == 255


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"tile": [65536, 4]}, "tile[0]"),
        ({"tile": [16, 0]}, "tile[1]"),
        ({"tile": [16, 4, 1]}, "tensor"),
        ({"tile": [1] * 6, "tensor": [1] * 6}, "tile"),
        ({"tile": []}, "tile"),
        ({"tensor": [1 << 32, 32]}, "tensor[0]"),
        ({"tensor": [-1, 32]}, "tensor[0]"),
        ({"strides": [1 << 48]}, "strides[0]"),
        ({"strides": [2, 64]}, "strides[0]"),
        ({"strides": [64, 64, 64]}, "strides"),
        ({"at": [0]}, "at"),
        ({"at": [0.5, 0]}, "at[0]"),
        ({"base": 1 << 57}, "base"),
        ({"base": -8}, "base"),
        ({"base": (1 << 57) - 2, "at": [1, 0]}, "global_addr"),
        ({"base": "4096"}, "base"),
        ({"lds_addr": 1 << 32}, "lds_addr"),
        ({"element_bytes": 3}, "element_bytes"),
        ({"element_bytes": True}, "element_bytes"),
        ({"element_bytes": None, "element_bits": 128}, "element_bits"),
        ({"pad": {"interval_dwords": 512, "amount_dwords": 4}}, "interval_dwords"),
        ({"pad": {"interval_dwords": 32, "amount_dwords": 0}}, "amount_dwords"),
        ({"pad": {"interval_dwords": 32}}, "amount_dwords"),
        ({"pad": []}, "pad"),
        ({"gather": {"indices": [1] * 17}}, "gather.indices"),
        ({"gather": {"indices": []}}, "gather.indices"),
        ({"gather": {"indices": [1] * 9, "index_bits": 32}}, "gather.indices"),
        ({"gather": {"indices": [65536, 1, 1, 1]}}, "gather.indices[0]"),
        ({"gather": {"indices": [1, 2, 3, 4], "index_bits": 8}}, "gather.index_bits"),
        ({"gather": {"indices": [1, 2, 3]}}, "tile[1]"),
        ({"gather": {"indices": [1, 2, 3, 4]}, "at": [0, 1]}, "at[1]"),
        ({"iterate": {"count": 0}}, "iterate.count"),
        ({"iterate": {"count": 257}}, "iterate.count"),
        ({"iterate": {"count": 1, "global_increment": 1 << 48}}, "iterate.global_increment"),
        ({"iterate": {"count": 2}, "tile": [1] * 4, "tensor": [1] * 4, "strides": [1] * 3, "at": [0] * 4}, "tile"),
        ({"barrier_addr": 2284}, "barrier_addr"),
        ({"barrier_addr": 524288}, "barrier_addr"),
        ({"workgroup_mask": 65536}, "workgroup_mask"),
        ({"early_timeout": 2}, "early_timeout"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(changes, field):
    with pytest.raises(FieldError) as raised:
        fields_of_copy(small(**changes))
    assert not isinstance(raised.value, CopyKeyError)
    assert raised.value.field == field


@pytest.mark.parametrize(
    "copy",
    [
        small(stride=[64]),
        small(pad={"interval": 32}),
        small(gather={"rows": [1]}),
        small(iterate={"count": 1, "increment": 1}),
        small(global_addr=0),
        small(base=None),
        small(element_bits=16),
        small(element_bytes=None),
        small(tile=None),
        small(tensor="64"),
        small(base=None, at=None, global_addr=0, strides=None),
        small(pad=7),
        small(gather=[1]),
        small(iterate=1),
        small(gather={"indices": [1] * 4}, iterate={"count": 1}),
        [],
        None,
    ],
)
def test_keys_that_do_not_make_a_copy(copy):
    with pytest.raises(CopyKeyError):
        fields_of_copy(copy)


@given(st.integers(0, 1 << 32), st.integers(-(1 << 32), 1 << 33))
def test_what_remains_is_never_more_than_there_is(extent, offset):
    left = remaining(extent, offset)
    assert 0 <= left <= extent
    assert left == (len(range(offset, extent)) if offset >= 0 else 0)
