# SPDX-License-Identifier: Apache-2.0
"""The pipelined loop: right ones, what each omission does, and the time axis against a simulation step by step."""

import itertools

import pytest

from cdna.tdm import events
from cdna.tdm.order import find
from cdna.tdm.pipeline import (
    SHAPES,
    advance,
    arithmetic_omissions,
    bound_of,
    buffers_needed,
    check,
    check_ring,
    loads_before,
    loop,
    memory_of,
    omissions,
    program,
    shrink_bound,
    steady_step,
    timeline,
    wait_limit,
)

RINGS = [(shape, buffers, waves) for shape in SHAPES for buffers in (2, 3, 4) for waves in (1, 2)]


@pytest.mark.parametrize("shape, buffers, waves", RINGS)
def test_right_loops_are_right(shape, buffers, waves):
    assert check(loop(tiles=5, buffers=buffers, waves=waves, shape=shape)).wrong is None


@pytest.mark.parametrize("shape, buffers", [(shape, buffers) for shape in SHAPES for buffers in (2, 3, 4)])
def test_the_wait_is_as_weak_as_it_can_be(shape, buffers):
    """One more than the limit, at any one of the waits, lets a wrong tile be read."""
    made = loop(tiles=6, buffers=buffers, shape=shape)
    waves, reads = program(made)
    ops = waves[0]
    for i in range(len(ops)):
        if ops[i].kind == "wait" and ops[i].counter == "tensor":
            weaker = ops[:i] + [events.wait("tensor", ops[i].limit + 1)] + ops[i + 1 :]
            assert find([weaker], memory_of(made), reads=reads).wrong is not None, i


def test_the_article_loop():
    """ART-A: two copies before the loop, S_WAIT_TENSORCNT 1 inside, tile n+2 issued after the compute."""
    assert (loads_before(2), wait_limit(2)) == (2, 1)
    waves, _ = program(loop(tiles=3))
    kinds = [
        op.kind + (str(op.limit) if op.kind == "wait" else "")
        for op in waves[0]
        if op.counter != "ds" or op.kind != "wait"
    ]
    assert kinds == ["tensor_load"] * 2 + ["wait1", "ds_read", "tensor_load", "wait1", "ds_read", "wait0", "ds_read"]


def test_what_the_listing_leaves_out():
    found = {item.part: item for item in omissions(loop(tiles=4, waves=2))}
    assert set(found) == {"alternate", "drain", "landed_barrier", "lds_wait", "read_barrier"}
    assert found["drain"].tile == 3, "without a smaller limit it is the last tile that is wrong"
    assert found["alternate"].tile == 0
    assert all(item.trace for item in found.values())
    assert [item.part for item in omissions(loop(tiles=4, waves=1))] == ["alternate", "drain", "lds_wait"]


def test_one_barrier_is_enough_when_the_load_comes_after_it():
    parts = [item.part for item in omissions(loop(tiles=4, buffers=3, waves=2, shape="between"))]
    assert "read_barrier" not in parts and "landed_barrier" in parts


def test_problem_tc01(problem):
    given = problem("TC-01")["input"]
    text = check_ring(given["num_buffers"], given["loads_in_prologue"])
    assert "at most 2" in text and "buffer 0" in text
    assert check_ring(given["num_buffers"], 2) == ""


def test_limits_of_a_ring_run_out_with_the_loads():
    assert [wait_limit(4, left=left) for left in (9, 3, 2, 1, 0)] == [3, 3, 2, 1, 0]
    assert wait_limit(3, loads_per_tile=2) == 4, "a tile of two instructions counts twice"
    assert wait_limit(3, "between") == 1


def test_the_carry_past_4_gib():
    assert advance(0xFFFFF800, 0x80000012, 0x1000) == (0x800, 0x80000013)
    assert advance(0xFFFFF800, 0x80000012, 0x1000, carry=False) == (0x800, 0x80000012)
    (lost,) = arithmetic_omissions((1 << 32) - 4096, 2048, 60000, 1024, 10)
    assert (lost.part, lost.tile) == ("carry", 2)


def test_the_borrow_of_a_bound_that_straddles_two_words():
    word1, word2 = 0x0001_1234, 0x0007_0001  # bound 0x00010001, neighbours 0x1234 and 7
    assert bound_of(word1, word2) == 0x10001
    less = shrink_bound(word1, word2, 2)
    assert bound_of(*less) == 0xFFFF and less[0] & 0xFFFF == 0x1234 and less[1] >> 16 == 7
    assert bound_of(*shrink_bound(word1, word2, 2, borrow=False)) == 0x1FFFF
    lost = [item for item in arithmetic_omissions(0, 64, 70000, 1000, 20) if item.part == "borrow"]
    assert lost[0].tile == next(n for n in range(20) if 70000 - n * 1000 < 65536)


def test_small_bounds_need_no_borrow():
    assert arithmetic_omissions(4096, 64, 65535, 1024, 64) == []


def ticks(tiles, compute, transfer, latency, buffers):
    """Step a clock: one engine, one matrix core, a ring of buffers; return when each tile's computing starts."""
    free_at = [0] * buffers
    engine, fetched, landed, started = 0, 0, {}, []
    core = 0
    for now in itertools.count():
        while (
            fetched < tiles
            and free_at[fetched % buffers] is not None
            and max(engine, free_at[fetched % buffers]) <= now
        ):
            engine = now + transfer
            landed[fetched] = engine + latency
            free_at[fetched % buffers] = None
            fetched += 1
        if core <= now and len(started) < tiles and landed.get(len(started), now + 1) <= now:
            free_at[len(started) % buffers] = core = now + compute
            started.append(now)
        if len(started) == tiles:
            return started


@pytest.mark.parametrize("compute, transfer", [(12, 5), (7, 7), (3, 11), (1, 9)])
@pytest.mark.parametrize("latency", [0, 20])
@pytest.mark.parametrize("buffers", [1, 2, 3, 5])
def test_timeline_against_a_clock(compute, transfer, latency, buffers):
    slots = timeline(12, compute, transfer, latency, buffers)
    assert [slot.compute_start for slot in slots] == ticks(12, compute, transfer, latency, buffers)
    top, bottom = steady_step(compute, transfer, latency, buffers)
    long = timeline(40 * buffers, compute, transfer, latency, buffers)
    assert (long[-1].compute_start - long[-1 - buffers].compute_start) * bottom == top * buffers


def test_no_buffer_is_filled_while_it_is_read():
    for slot, later in zip(timeline(9, 5, 4, 10, 3), timeline(9, 5, 4, 10, 3)[3:]):
        assert slot.buffer == later.buffer and later.fetch_start >= slot.compute_end


def test_copy_is_free_only_while_computing_takes_longer():
    """ART-A: effectively free as long as the math takes longer than the fetch."""
    assert [steady_step(*pair)[0] for pair in ((12, 5), (7, 7), (3, 11))] == [12, 7, 11]


@pytest.mark.parametrize("compute, transfer, latency", [(10, 10, 0), (10, 10, 100), (3, 11, 50), (40, 5, 900)])
def test_buffers_needed_is_the_fewest(compute, transfer, latency):
    need = buffers_needed(compute, transfer, latency)
    best = (max(compute, transfer), 1)
    assert steady_step(compute, transfer, latency, need) == best
    assert need == 1 or steady_step(compute, transfer, latency, need - 1) != best


def test_refusals():
    with pytest.raises(ValueError, match="after, before, between"):
        loop(shape="around")
    with pytest.raises(ValueError, match="2 or more"):
        loop(buffers=1, shape="before")
    with pytest.raises(ValueError, match="alternate"):
        loop(without=("flip",))
    with pytest.raises(ValueError, match="1 or more"):
        loop(tiles=0)
