# SPDX-License-Identifier: Apache-2.0
"""MLIR's lowering in the flydsl wheel: it agrees with our codec but for the errors that claims name."""

import random

import pytest

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import decode
from cdna_evidence.witnesses import Cache, Missing, get


@pytest.fixture(scope="module")
def flydsl(tmp_path_factory):
    try:
        return get("flydsl", cache=Cache(tmp_path_factory.mktemp("cache")))
    except Missing as missing:
        pytest.skip(str(missing))


def test_it_says_what_it_is(flydsl):
    assert flydsl.version == "0.5.0" and flydsl.package == "flydsl 0.5.0"
    assert flydsl.revision == "LLVM 24.0.0git 941a04e69ee8fe4c7a162b2f1e215aa8df867534"
    assert len(flydsl.digest) == 64


def shown(fields):
    """Fields that are not zero."""
    return {name: value for name, value in fields.items() if value not in (0, [], ())}


def copies(seed, count, rank_most):
    """Copies over ranks, element sizes, addresses, paddings, barriers, masks and iteration."""
    draw = random.Random(seed)
    result = []
    for _ in range(count):
        rank = draw.randint(1, rank_most)
        tile = [draw.randint(1, 300) for _ in range(rank)]
        tensor = [draw.randint(extent, 1 << draw.choice([10, 20, 31])) for extent in tile]
        strides = [draw.choice([1, 640, 1 << 20, (1 << 48) - 1, 40000000000]) for _ in range(rank - 1)]
        copy = {"element_bits": draw.choice([8, 16, 32, 64]), "base": draw.randint(0, 1 << 50)}
        copy.update(lds_addr=8 * draw.randint(0, 4000), tensor=tensor, strides=strides, tile=tile)
        copy["at"] = [draw.choice([0, 1, 7]) if extent > 7 else 0 for extent in tensor]
        kind = draw.choice(["plain", "pad", "barrier", "mask", "iterate"])
        if kind == "pad":
            interval = 2 << draw.randint(0, 7)
            copy["pad"] = {"interval_dwords": interval, "amount_dwords": draw.randint(1, 128)}
        if kind == "barrier":
            copy["barrier_addr"] = copy["lds_addr"] + 8 * draw.randint(0, 5000)
        if kind == "mask":
            copy["workgroup_mask"], copy["early_timeout"] = draw.randint(1, 65535), 1
        if kind == "iterate" and rank in (1, 2):
            step = {"lds_increment": draw.randint(0, 1 << 30), "global_increment": draw.randint(0, 1 << 47)}
            copy["iterate"] = {"count": draw.randint(1, 256), **step}
        result.append(copy)
    return result


def test_one_and_two_dimensions_agree(flydsl):
    asked = copies(1, 80, 2)
    for op in ("load", "store"):
        for copy, answer in zip(asked, flydsl.descriptor_words_of(asked, op), strict=True):
            assert answer.words, (copy, answer.outcome, answer.diagnostic)
            assert shown(decode(answer.words).fields) == shown(fields_of_copy(copy)), copy


def test_more_dimensions_agree_but_for_tile_dim3(flydsl):
    asked = [copy for copy in copies(2, 60, 5) if len(copy["tile"]) > 2 and "iterate" not in copy]
    for copy, answer in zip(asked, flydsl.descriptor_words_of(asked), strict=True):
        want = fields_of_copy(copy) | {"tile_dim3": copy["tile"][2]}
        assert shown(decode(answer.words).fields) == shown(want), copy


def test_gathers_agree_but_for_the_exchanged_bits(flydsl):
    base = {"element_bits": 16, "base": 1 << 40, "at": [5, 0], "tensor": [500, 70000], "strides": [512]}
    for bits, rows in ((16, [9, 2, 65535, 2]), (32, [9, 69999, 6, 2]), (16, list(range(16))), (32, list(range(8)))):
        copy = {**base, "tile": [64, len(rows)], "gather": {"indices": rows, "index_bits": bits}}
        words = list(flydsl.descriptor_words(copy).words)
        top = words[0] >> 30
        words[0] = words[0] & 0x3FFFFFFF | (top & 1) << 31 | (top >> 1) << 30
        assert shown(decode(words).fields) == shown(fields_of_copy(copy)), copy
        assert top == {16: 1, 32: 3}[bits]


def test_what_it_refuses_is_an_answer(flydsl):
    base = {"element_bits": 16, "base": 0, "tensor": [8] * 6, "strides": [8] * 5, "tile": [2] * 6}
    assert flydsl.descriptor_words(base).outcome == "rejected"
    assert flydsl.descriptor_words({**base, "tensor": [8], "strides": [], "tile": [2]}).outcome == "accepted"
