# SPDX-License-Identifier: Apache-2.0
"""What several descriptors show together: each trap fires on the slip, and not on the same walk done right."""

import pytest

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.sequence import sequence_findings

BASE = 0x7F0000000000
COPY = {"element_bits": 16, "base": BASE, "tensor": [100, 64], "strides": [512], "tile": [64, 16]}


def walk(*places, **changes):
    """Fields of the tiles of one tensor at several places, done right."""
    return [fields_of_copy({**COPY, **changes, "at": list(at)}) for at in places]


def found(tiles, op="load"):
    """(position, rule, claim) of what a sequence of loads shows."""
    return [(i, item.rule, item.claim) for i, item in sequence_findings([(fields, op) for fields in tiles])]


RIGHT = [
    walk((0, 0), (64, 0)),
    walk((0, 0), (64, 0), (0, 16), (64, 16), (0, 48)),
    walk((64, 16), (0, 0)),
    walk((0, 0), (0, 16), (0, 64), (0, 80)),
    walk((0, 0), (64, 0), tensor=[1000, 64], pad={"interval_dwords": 32, "amount_dwords": 4}),
    walk((0, 0, 0), (0, 0, 1), (64, 16, 1), tensor=[100, 64, 8], strides=[128, 8192], tile=[64, 16, 1]),
    walk((0,), (64,), (960,), tensor=[1000], strides=[], tile=[64]),
    walk((0, 0), (8, 8), strides=[1 << 40]),
]


@pytest.mark.parametrize("tiles", RIGHT, ids=range(len(RIGHT)))
def test_a_walk_done_right_is_silent(tiles):
    for i, fields in enumerate(tiles):
        fields["lds_addr"] = 8192 * i
    assert found(tiles) == []


@pytest.mark.parametrize("step", [(64, 0), (0, 56), (64, 56)])
def test_the_address_moved_and_the_bound_did_not(step):
    """Traps: triton pull request 10587, and a K tail."""
    first, last = walk((0, 0), step)
    stale = {**last, "tensor_dim0": first["tensor_dim0"], "tensor_dim1": first["tensor_dim1"], "lds_addr": 8192}
    claims = [claim for moved, claim in zip(step, ("TDM-024", "TDM-025"), strict=True) if moved]
    assert found([first, stale]) == [(1, "bound-not-moved", claim) for claim in claims]
    text = sequence_findings([(first, "load"), (stale, "load")])[0][1].message
    assert f"tensor_dim{0 if step[0] else 1}={last['tensor_dim0'] if step[0] else last['tensor_dim1']}" in text


def test_a_bound_left_too_large_inside_the_tensor_is_no_finding():
    first, second, third = walk((0, 0), (64, 0), (128, 0), tensor=[160, 64])
    stale = [{**fields, "tensor_dim0": 160, "lds_addr": 8192 * i} for i, fields in enumerate((first, second, third))]
    assert found(stale) == [(2, "bound-not-moved", "TDM-024")]


def test_a_cluster_member_whose_bound_was_forgotten(problem):
    case = problem("TO-03")
    given, right = case["input"], case["right_outcome"]
    copy = {"tensor": [given["columns"], 64], "tile": [given["block_per_member"], 16]}
    first, member = walk((0, 0), (given["block_per_member"] * given["member"], 0), **copy)
    assert member["tensor_dim0"] == right["tensor_dim0"]
    assert found([first, {**member, "lds_addr": 4096}]) == []
    wrong = {**member, "tensor_dim0": right["wrong"], "lds_addr": 4096}
    assert found([first, wrong]) == [(1, "bound-not-moved", "TDM-024")]


def test_another_tensor_is_no_finding():
    """A batch: the next matrix begins where the rows of this one end."""
    first = walk((0, 0))[0]
    other = {**first, "global_addr": first["global_addr"] + 64 * 512 * 2, "lds_addr": 8192}
    assert found([first, other]) == []
    assert found([first, {**first, "global_addr": 1 << 40, "lds_addr": 8192}]) == []


def test_the_column_of_a_gather_moves_its_bound():
    """Trap: triton pull request 9371."""
    gather = {"gather": {"indices": [1, 7, 9], "index_bits": 16}, "tile": [64]}
    first, second = walk((0, 0), (64, 0), **gather)
    second["lds_addr"] = 8192
    assert found([first, second]) == []
    assert found([first, {**second, "tensor_dim0": 100}]) == [(1, "bound-not-moved", "TDM-024")]


def test_a_negative_offset_that_enlarged_the_bound(problem):
    case = problem("TO-01")
    given, right = case["input"], case["right_outcome"]
    copy = {"tensor": [given["tensor_dim0"], 8], "tile": [given["tile_dim0"], 4]}
    first, clamped = walk((0, 0), (given["offset"], 0), **copy)
    assert clamped["tensor_dim0"] == right["encoded_tensor_dim0"]
    naive = {**first, "global_addr": first["global_addr"] + 2 * given["offset"], "lds_addr": 8192}
    naive["tensor_dim0"] = given["tensor_dim0"] - given["offset"]
    assert naive["tensor_dim0"] == right["naive_bound"]
    assert found([first, naive]) == [(1, "near-edge", "TDM-047")]


def test_a_stride_cut_to_32_bits(problem):
    case = problem("TD-01")
    given, right = case["input"], case["right_outcome"]
    stride = given["tensor_dim0_stride"]
    copy = {"tensor": [given["tensor_dim0"], given["tensor_dim1"]], "tile": given["tile"], "strides": [stride]}
    first, second = walk((0, 0), (0, 1), **copy)
    assert second["global_addr"] - first["global_addr"] == right["row1_byte_offset"]
    second["lds_addr"] = 8192
    assert found([first, second]) == []
    cut = [{**fields, "tensor_dim0_stride": stride & 0xFFFFFFFF} for fields in (first, second)]
    assert cut[1]["tensor_dim0_stride"] * 2 == right["truncated_row1_byte_offset"]
    assert found(cut) == [(1, "stride-cut", "TDM-019")]


def test_a_second_stride_without_its_middle_bits():
    """Composable Kernel at one revision: bits 16 to 31 are lost."""
    tiles = walk((0, 0, 0), (0, 0, 2), tensor=[64, 64, 8], strides=[512, 0x5_0003_1000], tile=[64, 16, 2])
    tiles[1]["lds_addr"] = 8192
    assert found(tiles) == []
    cut = [{**fields, "tensor_dim1_stride": 0x5_0003_1000 & ~0xFFFF0000} for fields in tiles]
    assert found(cut) == [(1, "stride-cut", "TDM-019")]


def test_a_carry_lost_at_4_gib():
    first = {**walk((0, 0))[0], "global_addr": 0x7F00FFFFFF80}
    step = 128
    right = {**first, "global_addr": first["global_addr"] + step, "tensor_dim0": 36, "lds_addr": 8192}
    assert found([first, right]) == []
    lost = {**right, "global_addr": right["global_addr"] - (1 << 32)}
    assert found([first, lost]) == [(1, "address-carry-lost", "TDM-020")]


def parts(count, chunk_rows, starts, interval=64, amount=4):
    """Parts of one padded tile, one a wave, with these LDS starts."""
    pad = {"interval_dwords": interval, "amount_dwords": amount}
    places = [(0, chunk_rows * wave) for wave in range(count)]
    tiles = walk(*places, tensor=[64, 1000], tile=[64, chunk_rows], strides=[64], pad=pad)
    return [{**fields, "lds_addr": start} for fields, start in zip(tiles, starts, strict=True)]


def test_the_start_of_each_wave(problem):
    case = problem("TP-07")
    given, right = case["input"], case["right_outcome"]
    chunk, interval = given["chunk_bytes"], given["pad_block_bytes"]
    assert (chunk, interval, given["wave"]) == (128, 256, 2)
    starts = [0, chunk, right["lds_start"], right["lds_start"] + chunk]
    assert found(parts(4, 1, starts, interval // 4, given["pad_bytes"] // 4)) == []
    wrong = [0, chunk, right["wrong_per_wave_formula"], right["wrong_per_wave_formula"] + chunk]
    tiles = parts(4, 1, wrong, interval // 4, given["pad_bytes"] // 4)
    assert found(tiles) == [(given["wave"], "wave-start", "TDM-038")]
    assert f"lds_addr={right['lds_start']} here" in sequence_findings([(t, "load") for t in tiles])[0][1].message


def test_tiles_that_cut_into_each_other():
    tiles = walk((0, 0), (0, 16), tensor=[64, 1000], strides=[64], pad={"interval_dwords": 32, "amount_dwords": 4})
    tiles[1]["lds_addr"] = 16 * 128  # the size without its gaps
    assert found(tiles) == [(1, "lds-overlap", "TDM-106")]
    assert "need 2288 bytes each" in sequence_findings([(t, "load") for t in tiles])[0][1].message


def test_a_ring_that_comes_around_is_mentioned_once():
    places = [(0, 16 * i) for i in range(7)]
    tiles = [{**fields, "lds_addr": 4096 * (i % 3)} for i, fields in enumerate(walk(*places, tensor=[64, 1000]))]
    assert found(tiles) == [(3, "lds-reuse", "TDM-106")]
    again = [{**fields, "lds_addr": 0} for fields in tiles]
    assert found(again) == []  # no ring


@pytest.mark.parametrize(
    "changes", [{"count": 0}, {"tile_dim0": 0}, {"type": 0}, {"tensor_dim0_stride": 0}, {"global_addr": BASE + 1}]
)
def test_odd_descriptors_do_no_harm(changes):
    first = walk((0, 0))[0]
    tiles = [first, {**first, **changes, "lds_addr": 8192}, {**first, "lds_addr": 16384}]
    assert found(tiles) == []
    assert found([]) == []
