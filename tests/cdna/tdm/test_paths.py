# SPDX-License-Identifier: Apache-2.0
"""What a tile costs on each path: against the article's comparison and against counts made by walking the lanes."""

import pytest

from cdna.tdm.paths import PATHS, chunk_bytes, chunks_of, cost, instructions, table, vgprs

TILES = [(1, 16), (16, 128), (64, 128), (128, 128), (128, 512), (256, 512)]


def walked(rows, row_bytes, lane_bytes, lanes):
    """Give each lane the next piece of the tile, wave after wave, and count the waves' turns."""
    pieces = [(row, at) for row in range(rows) for at in range(0, row_bytes, lane_bytes)]
    turns = 0
    while pieces:
        pieces = pieces[lanes:]
        turns += 1
    return turns


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("lane_bytes", [4, 8, 16])
def test_chunks_are_the_turns_of_a_wave_over_the_tile(tile, lane_bytes):
    assert chunks_of(tile[0], tile[1], lane_bytes) == walked(tile[0], tile[1], lane_bytes, 32)


@pytest.mark.parametrize("tile", TILES)
def test_article_comparison(tile):
    """ART-A, table of the three ways: 2 per chunk plus waits, 1 per chunk, 1 in all; VGPRs both, addresses, none."""
    trip, copy, engine = [cost(path, *tile) for path in PATHS]
    turns = walked(*tile, 16, 32)
    assert [instructions(spent) for spent in (trip, copy, engine)] == [2 * turns, turns, 1]
    assert trip.waits >= 2
    assert trip.data_vgprs and trip.address_vgprs
    assert not copy.data_vgprs and copy.address_vgprs
    assert vgprs(engine) == 0
    assert [spent.addresses_by for spent in (trip, copy, engine)] == ["lane", "lane", "engine"]
    assert [spent.loops_by for spent in (trip, copy, engine)] == ["program", "program", "engine"]


def test_only_the_engine_does_not_grow_with_the_tile():
    rows = table(TILES)
    for i in range(len(PATHS)):
        counts = [instructions(costs[i]) for _, costs in rows]
        grows = any(a < b for a, b in zip(counts, counts[1:]))
        assert grows == (PATHS[i] != "tdm")
        assert counts == sorted(counts)


def test_fewer_chunks_in_flight_take_fewer_registers_and_more_waits():
    whole, half = cost("round-trip", 64, 128), cost("round-trip", 64, 128, in_flight=8)
    assert (whole.chunks, whole.data_vgprs, whole.waits) == (16, 64, 2)
    assert (half.data_vgprs, half.waits) == (32, 3)
    assert instructions(whole) == instructions(half)


def test_a_wave_moves_at_most_32_lanes_of_16_bytes():
    assert max(chunk_bytes(width) for width in (1, 4, 8, 16)) == 512


def test_descriptor_sizes():
    assert cost("tdm", 64, 128).descriptor_sgprs == 12
    assert cost("tdm", 64, 128, full=True).descriptor_sgprs == 20


@pytest.mark.parametrize(
    "call",
    [
        lambda: cost("dma", 1, 16),
        lambda: cost("tdm", 0, 16),
        lambda: cost("async", 4, 24),
        lambda: cost("async", 0, 16),
        lambda: cost("round-trip", 4, 16, in_flight=0),
        lambda: cost("round-trip", 4, 16, in_flight=2),
        lambda: chunk_bytes(12),
    ],
)
def test_refusals_name_what_is_allowed(call):
    with pytest.raises(ValueError):
        call()
