# SPDX-License-Identifier: Apache-2.0
"""The pipelined loop, asked of the event model by leaving its parts out, and of the timeline by laying out slots."""

from cdna.tdm.events import ds_read, tensor_load, wait
from cdna.tdm.order import find
from cdna.tdm.pipeline import (
    buffers_needed,
    check,
    check_ring,
    loop,
    omissions,
    program,
    timeline,
)
from cdna_evidence.checks import Check

TILES = [("m" + str(n), "tile" + str(n)) for n in range(6)]


def wrong(**parts):
    """Whether a loop may read a wrong tile."""
    return check(loop(**parts)).wrong is not None


class DoubleBuffer(Check):
    """The loop with two buffers as the model writes it, and the same with a wait for one transfer fewer.

    Shows: that the loads and the limit of the claim are those of a loop that enumerates as right, and that a larger limit is not.
    Does not show: hardware.
    """

    claim = "TDM-102"
    kind = "model"
    binds = ("loads_before_loop", "limit_in_loop", "tensor_loads_in_loop", "wrong_tile_can_be_read")

    def observe(self, target, tools):
        waves, reads = program(loop(tiles=5))
        ops = waves[0]
        waits = [i for i in range(len(ops)) if ops[i].kind == "wait" and ops[i].counter == "tensor"]
        turn = ops[waits[1] : waits[2]]
        larger = [op._replace(limit=op.limit + 1) if op.kind == "wait" and op.counter == "tensor" else op for op in ops]
        return {
            "loads_before_loop": len([op for op in ops[: waits[0]] if op.kind == "tensor_load"]),
            "limit_in_loop": turn[0].limit,
            "tensor_loads_in_loop": len([op for op in turn if op.kind == "tensor_load"]),
            "wrong_tile_can_be_read": {
                "right_loop": find([ops], TILES, reads=reads).wrong is not None,
                "limit_one_too_large": find([larger], TILES, reads=reads).wrong is not None,
            },
        }


class Overlap(Check):
    """A thousand copies without computing, laid out on the time axis; how long the engine was busy.

    Shows: the arithmetic of latency and overlap.
    Does not show: the latency or the speed of a device.
    """

    claim = "TDM-103"
    kind = "model"
    binds = ("busy_percent",)

    def observe(self, target, tools):
        cases = {
            "small_one_buffer": (100, 1),
            "small_two_buffers": (100, 2),
            "small_ten_buffers": (100, 10),
            "large_one_buffer": (8100, 1),
            "large_two_buffers": (8100, 2),
        }
        return {"busy_percent": {name: self._busy(*case) for name, case in cases.items()}}

    def _busy(self, transfer, buffers):
        slots = timeline(1000, 0, transfer, 900, buffers)
        copied = 500 * transfer
        return round(100 * copied / (slots[-1].fetch_start - slots[-501].fetch_start))


class LdsFlip(Check):
    """A loop whose loads all name one LDS address, against one that alternates.

    Shows: which of the two may read a wrong tile, and the first one that can come out wrong.
    Does not show: hardware.
    """

    claim = "TDM-104"
    kind = "model"
    binds = ("wrong_tile_can_be_read", "first_wrong_tile")

    def observe(self, target, tools):
        first = [item.tile for item in omissions(loop(tiles=4)) if item.part == "alternate"]
        return {
            "wrong_tile_can_be_read": {"address_alternates": wrong(), "one_address": wrong(without=("alternate",))},
            "first_wrong_tile": first[0],
        }


class Tail(Check):
    """A loop of four tiles with every limit for its last wait; how many tiles are right without the smaller limit.

    Shows: the largest limit with which the last tile is right, found by trying, and where the fixed limit fails.
    Does not show: hardware.
    """

    claim = "TDM-105"
    kind = "model"
    binds = ("limit_in_loop", "limit_at_end", "tiles", "tiles_right_without_it", "limits_of_a_ring_of_four")

    def observe(self, target, tools):
        waves, reads = program(loop(tiles=4))
        ops = waves[0]
        waits = [i for i in range(len(ops)) if ops[i].kind == "wait" and ops[i].counter == "tensor"]
        last = waits[-1]
        right = [
            limit
            for limit in range(4)
            if find([ops[:last] + [wait("tensor", limit)] + ops[last + 1 :]], TILES, reads=reads).wrong is None
        ]
        fails = [item.tile for item in omissions(loop(tiles=4)) if item.part == "drain"]
        return {
            "limit_in_loop": ops[waits[0]].limit,
            "limit_at_end": max(right),
            "tiles": len(waits),
            "tiles_right_without_it": fails[0],
            "limits_of_a_ring_of_four": [self._largest(n) for n in range(6)],
        }

    def _largest(self, n):
        """The largest limit of the wait before tile n of six in a ring of four, found by trying."""
        waves, reads = program(loop(tiles=6, buffers=4))
        ops = waves[0]
        at = [i for i in range(len(ops)) if ops[i].kind == "wait" and ops[i].counter == "tensor"][n]
        right = []
        for limit in range(5):
            if find([ops[:at] + [wait("tensor", limit)] + ops[at + 1 :]], TILES, reads=reads).wrong is None:
                right.append(limit)
        return max(right)


class ReuseHazard(Check):
    """A loop of two waves without its barrier, and without the wait for LDS reads; rings filled with more and more loads.

    Shows: which parts a right loop needs, and the most loads before the first read with which a ring enumerates as right.
    Does not show: hardware.
    """

    claim = "TDM-106"
    kind = "model"
    binds = ("wrong_tile_can_be_read", "most_before_first_read")

    def observe(self, target, tools):
        return {
            "wrong_tile_can_be_read": {
                "reads_waited_for_and_barrier": wrong(waves=2),
                "no_barrier": wrong(waves=2, without=("read_barrier",)),
                "reads_not_waited_for": wrong(waves=2, without=("lds_wait",)),
            },
            "most_before_first_read": {f"buffers_{buffers}": self._most(buffers) for buffers in (2, 3, 4)},
        }

    def _most(self, buffers):
        """The most loads before the first read when the next load is issued before it, found by trying.

        Every load is waited for, so that only the place of the load can go wrong.
        """
        right = []
        for ahead in range(1, buffers + 2):
            ops = [tensor_load("b" + str(n % buffers), "m" + str(n)) for n in range(ahead)]
            ops += [tensor_load("b" + str(ahead % buffers), "m" + str(ahead)), wait("tensor"), ds_read("b0")]
            if find([ops], TILES, reads=[["tile0"]]).wrong is None:
                right.append(ahead)
        told = [ahead for ahead in range(1, buffers + 2) if not check_ring(buffers, ahead, "between")]
        return max(right) if right == told else -1


class FreeWhen(Check):
    """Fifty tiles with three pairs of times; the distance of the last two, and the buffers that hide a latency.

    Shows: the arithmetic of the timeline; the number of buffers is found by trying.
    Does not show: times of a device.
    """

    claim = "TDM-107"
    kind = "model"
    binds = ("step", "buffers_needed")

    def observe(self, target, tools):
        pairs = {"compute_longer": (12, 5), "equal": (7, 7), "fetch_longer": (3, 11)}
        found = {"no_latency": self._fewest(10, 10, 0), "latency_100": self._fewest(10, 10, 100)}
        told = {"no_latency": buffers_needed(10, 10, 0), "latency_100": buffers_needed(10, 10, 100)}
        return {
            "step": {name: self._step(compute, fetch, 0, 2) for name, (compute, fetch) in pairs.items()},
            "buffers_needed": found if found == told else {name: -1 for name in found},
        }

    def _step(self, compute, fetch, latency, buffers):
        slots = timeline(50 * buffers + 1, compute, fetch, latency, buffers)
        whole = slots[-1].compute_start - slots[-1 - buffers].compute_start
        return whole // buffers if whole % buffers == 0 else whole / buffers

    def _fewest(self, compute, fetch, latency):
        buffers = 1
        while self._step(compute, fetch, latency, buffers) > max(compute, fetch):
            buffers += 1
        return buffers
