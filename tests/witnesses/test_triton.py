# SPDX-License-Identifier: Apache-2.0
"""Triton builds descriptors for a wide sweep of copies: each decodes to the copy asked for, and the linter is silent."""

import random

import pytest

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import decode
from cdna.tdm.rules import findings_of
from cdna.tdm.sequence import sequence_findings
from cdna_evidence.witnesses import Cache, Missing, get


@pytest.fixture(scope="module")
def triton(tmp_path_factory):
    try:
        return get("triton", cache=Cache(tmp_path_factory.mktemp("cache")))
    except Missing as missing:
        pytest.skip(str(missing))


def test_it_says_what_it_is(triton):
    assert triton.version == "3.9.0" and triton.package == "triton 3.9.0"
    assert len(triton.digest) == 64 and triton.revision.startswith("LLVM 24.0.0git ")


def copies(seed, count):
    """Copies over ranks, element sizes, paddings, offsets, gathers, barriers and masks."""
    draw = random.Random(seed)
    result = []
    for _ in range(count):
        bits, rank = draw.choice([8, 16, 32, 64]), draw.randint(1, 5)
        tile = [1 << draw.randint(4, 7)] + [1 << draw.randint(0, 3) for _ in range(rank - 1)]
        tensor = [draw.randint(1, 3 * extent + 900) for extent in tile]
        strides, step = [], tensor[0]
        for extent in tensor[1:]:
            step += draw.choice([0, 0, 8, 512])
            strides.append(step)
            step *= extent
        copy = {"element_bits": bits, "base": draw.choice([0, 0x7F0012345600, 1 << 56]), "tensor": tensor}
        copy.update(strides=strides, tile=tile, at=[draw.choice([0, 1, extent, 2 * extent]) for extent in tile])
        kind = draw.choice(["plain", "pad", "gather", "barrier", "mask", "pad barrier"])
        if "pad" in kind:
            interval = draw.choice([4, 16, 32, 64, 128, 256])
            copy["pad"] = {"interval_dwords": interval, "amount_dwords": draw.choice([2, 4, 8, 64])}
        if kind == "gather" and rank == 2 and bits != 64:
            rows = 1 << draw.randint(0, 3)
            copy["tile"], copy["at"] = [tile[0], rows], [copy["at"][0], 0]
            indices = [draw.randint(0, min(tensor[1], 32767) - 1) for _ in range(rows)]
            copy["gather"] = {"indices": indices, "index_bits": draw.choice([16, 32])}
        if "barrier" in kind:
            copy["barrier_addr"] = 0
        if kind == "mask":
            copy["workgroup_mask"] = draw.choice([3, 15])
        result.append(copy)
    return result


def wanted(copy, words):
    """The fields that our codec gives the copy; Triton chooses the place of the barrier."""
    fields = fields_of_copy({key: value for key, value in copy.items() if key != "barrier_addr"})
    if "barrier_addr" in copy:
        got = decode(words).fields
        fields.update(atomic_barrier_enable=1, atomic_barrier_address=got["atomic_barrier_address"])
    return fields


def shown(fields):
    """Fields that are not zero."""
    return {name: value for name, value in fields.items() if value not in (0, [], ())}


def test_a_wide_sweep_of_loads(triton):
    asked = copies(1, 160)
    kinds = {key for copy in asked for key in copy} & {"pad", "gather", "barrier_addr", "workgroup_mask"}
    assert len(kinds) == 4 and {len(copy["tile"]) for copy in asked} == {1, 2, 3, 4, 5}
    for copy, answer in zip(asked, triton.descriptor_words_of(asked), strict=True):
        assert answer.words, (copy, answer.outcome, answer.diagnostic)
        descriptor = decode(answer.words)
        assert shown(descriptor.fields) == shown(wanted(copy, answer.words)), copy
        assert descriptor.reserved == ()
        cluster = {0: 1, 3: 2, 15: 4}[copy.get("workgroup_mask", 0)]
        alarms = [item for item in findings_of(descriptor, "load", cluster) if item.severity != "info"]
        assert alarms == [], copy


def test_stores_of_padded_tiles_are_widened_and_raise_no_alarm(triton):
    tile = [64, 16]
    for bits, at in ((16, [0, 0]), (16, [480, 990]), (32, [64, 16]), (8, [0, 0])):
        interval = tile[0] * bits // 32
        copy = {"element_bits": bits, "base": 1 << 40, "at": at, "tensor": [500, 1000], "strides": [512], "tile": tile}
        padded = {**copy, "pad": {"interval_dwords": interval, "amount_dwords": 4}}
        plain, widened = (decode(item.words) for item in triton.descriptor_words_of([copy, padded], "store"))
        gap = 4 * 32 // bits
        assert widened.fields["tile_dim0"] == plain.fields["tile_dim0"] + gap
        assert widened.fields["tensor_dim0"] == min(plain.fields["tensor_dim0"], tile[0])
        for descriptor in (plain, widened):
            assert [item for item in findings_of(descriptor, "store", 1) if item.severity != "info"] == []


def test_a_walk_over_a_matrix_is_a_right_sequence(triton):
    base = {"element_bits": 16, "base": 1 << 40, "tensor": [500, 100], "strides": [512], "tile": [64, 32]}
    tiles = [{**base, "at": [x, y]} for y in range(0, 128, 32) for x in range(0, 512, 64)]
    answers = triton.descriptor_words_of(tiles)
    sequence = [(decode(item.words).fields, "load") for item in answers]
    assert [item.rule for _, item in sequence_findings(sequence) if item.severity != "info"] == []


@pytest.mark.parametrize(
    "codes, rules", [((2, 1), {"pad-zero-codes", "pad-odd-dwords"}), ((2, 4), {"pad-mixed-codes"})]
)
def test_the_only_warnings_are_about_codes_that_sources_dispute(triton, codes, rules):
    pad = {"interval_dwords": codes[0], "amount_dwords": codes[1]}
    copy = {"element_bits": 32, "base": 0, "tensor": [500, 100], "strides": [512], "tile": [64, 32], "pad": pad}
    found = findings_of(decode(triton.descriptor_words(copy).words), "load", 1)
    assert {item.rule for item in found} == rules and {item.claim for item in found} == {"TDM-033"}


def test_before_the_tensor_the_bound_is_clamped(triton, problem):
    case = problem("TO-01")
    given = case["input"]
    copy = {"element_bits": 16, "base": 1 << 40, "at": [given["offset"], 0], "tensor": [given["tensor_dim0"], 8]}
    found = triton.descriptor_words({**copy, "strides": [64], "tile": [given["tile_dim0"], 1]})
    assert decode(found.words).fields["tensor_dim0"] == case["right_outcome"]["encoded_tensor_dim0"]


def test_a_row_longer_than_the_largest_interval_unpadded(triton, problem):
    case = problem("TP-06")
    given, right = case["input"], case["right_outcome"]
    tile = [given["inner_elements"], 4]
    copy = {"element_bits": 8 * given["dtype_bytes"], "base": 0, "tensor": tile, "strides": [tile[0]], "tile": tile}
    answer = triton.descriptor_words(copy)
    assert (answer.outcome == "accepted") is right["accepted"]
    assert answer.words[4] >> 20 == int(right["group1_word0_bits_20_31"], 16)


def test_what_it_refuses_is_an_answer(triton):
    base = {"element_bits": 16, "base": 0, "tensor": [8, 8], "strides": [8], "tile": [8, 3]}
    answers = triton.descriptor_words_of([base, {**base, "tile": [8, 4]}])
    assert [item.outcome for item in answers] == ["rejected", "accepted"]
    assert "power" in answers[0].diagnostic


@pytest.mark.parametrize(
    "changes",
    [{"iterate": {"count": 2}}, {"early_timeout": 1}, {"lds_addr": 8}, {"workgroup_mask": 5}, {"element_bits": 4}]
    + [{"pad": {"interval_dwords": 32, "amount_dwords": 1}, "element_bits": 64}],
)
def test_what_its_front_end_has_no_words_for(triton, changes):
    with pytest.raises(ValueError, match="[a-z_]+[:=]"):
        triton.descriptor_words({"element_bits": 16, "base": 0, "tensor": [8], "strides": [], "tile": [8]} | changes)
