# SPDX-License-Identifier: Apache-2.0
"""TENSORcnt and the order of transfers, asked of the event model by enumerating everything that small programs may see."""

from cdna.tdm.events import (
    async_load,
    async_store,
    barrier,
    ds_read,
    global_store,
    search,
    tensor_load,
    tensor_store,
    wait,
)
from cdna.tdm.order import find, idle_waits, missing_waits, outstanding, surely_moved
from cdna_evidence.checks import Check

NEW = [("m0", "new"), ("m1", "new"), ("m2", "new")]
TWO_LOADS = [tensor_load("a", "m0"), tensor_load("b", "m1")]


def seen(program, **start):
    """Every value that each read of a program may see, as {(wave, operation): values}."""
    found = {}
    for outcome in search(program, **start)[0]:
        for wave, op, _, value in outcome.seen:
            found.setdefault((wave, op), set()).add(value)
    return found


def goes_wrong(program, reads=None, memory=NEW, lds=()):
    """Whether a program may see, or leave behind, something that was not meant."""
    return find(program, memory, lds, reads=reads).wrong is not None


def sure(*ops):
    """How many of a wave's transfers are sure at its end."""
    return len(surely_moved([list(ops)]))


class CounterWidth(Check):
    """A wave of the event model issues tensor loads without a wait; the most that can be outstanding is read off.

    Shows: that the model's counter holds what six bits hold.
    Does not show: the hardware's counter; the number was put into the model.
    """

    claim = "TDM-065"
    kind = "model"
    binds = ("width_bits", "most_outstanding")

    def observe(self, target, tools):
        most = max(outstanding([tensor_load("a", "m0")] * 300))
        return {"width_bits": len(f"{most:b}"), "most_outstanding": most}


class CounterSemantics(Check):
    """Two loads and a wait: how many are sure to have landed for each limit, over every execution of the model.

    Shows: what the rules of issue, completion and wait amount to.
    Does not show: hardware.
    """

    claim = "TDM-089"
    kind = "model"
    binds = ("most_outstanding", "sure", "sure_first")

    def observe(self, target, tools):
        limits = {"limit_zero": 0, "limit_one": 1, "limit_two": 2}
        return {
            "most_outstanding": max(outstanding(TWO_LOADS)),
            "sure": {name: sure(*TWO_LOADS, wait("tensor", limit)) for name, limit in limits.items()},
            "sure_first": surely_moved([TWO_LOADS + [wait("tensor", 1)]])[0],
        }


class OneStepForAllPieces(Check):
    """One load of several pieces; two reads look at two of them, before and after a wait.

    Shows: that the model's counter moves once, and that a mixture of old and new can be seen only before the wait.
    Does not show: how the engine splits a tile.
    """

    claim = "TDM-090"
    kind = "model"
    binds = ("pieces", "rise", "mixture_can_be_seen")

    def observe(self, target, tools):
        load = tensor_load(("a", "b", "c"), ("m0", "m1", "m2"))
        reads = [ds_read("a"), ds_read("b")]
        verdicts = {
            "before_the_wait": self._mixed([load] + reads),
            "after_the_wait": self._mixed([load, wait("tensor")] + reads),
        }
        return {"pieces": len(load.pieces), "rise": outstanding([load])[0], "mixture_can_be_seen": verdicts}

    def _mixed(self, wave):
        return any(len({item[3] for item in outcome.seen}) == 2 for outcome in search([wave], NEW)[0])


class WaitForZero(Check):
    """Loads and stores in flight, then a wait for none; and the smallest limit that holds nobody, found by search.

    Shows: the model's rule.
    Does not show: hardware.
    """

    claim = "TDM-091"
    kind = "model"
    binds = ("issued", "sure_after_zero", "smallest_idle_limit", "largest_idle_limit")

    def observe(self, target, tools):
        ops = [tensor_load("a", "m0"), tensor_store("b", "m1"), tensor_load("c", "m2"), tensor_store("d", "m3")]
        idle = [limit for limit in range(100) if idle_waits(ops + [wait("tensor", limit)])]
        first_run = [limit for i, limit in enumerate(idle) if limit == idle[0] + i]
        return {
            "issued": max(outstanding(ops)),
            "sure_after_zero": sure(*ops, wait("tensor", 0)),
            "smallest_idle_limit": min(idle),
            "largest_idle_limit": max(first_run),
        }


class LowSixBits(Check):
    """Two loads in flight and waits with operands around powers of two: which power holds as zero does.

    Shows: the model's rule for operands that the counter cannot reach.
    Does not show: hardware.
    """

    claim = "TDM-141"
    kind = "model"
    binds = ("bits_read", "largest", "sure")

    def observe(self, target, tools):
        held = [n for n in range(1, 16) if sure(*TWO_LOADS, wait("tensor", 1 << n)) == sure(*TWO_LOADS, wait("tensor"))]
        bits = min(held)
        largest = max(limit for limit in range(2 << bits) if not sure(*TWO_LOADS, wait("tensor", limit)) and limit < 1 << bits)
        offsets = {"largest": 0, "one_more": 1, "two_more": 2}
        return {
            "bits_read": bits,
            "largest": largest,
            "sure": {name: sure(*TWO_LOADS, wait("tensor", largest + more)) for name, more in offsets.items()},
        }


class OnePlaceTwice(Check):
    """Two loads into one place of LDS and a wait for both: how many values the place may hold afterwards.

    Shows: the model, for asynchronous and for tensor loads, with and without a wait between the two.
    Does not show: hardware.
    """

    claim = "TDM-143"
    kind = "model"
    binds = ("values_left",)

    def observe(self, target, tools):
        found = {}
        for prefix, load, counter in (("", async_load, "async"), ("tensor_", tensor_load, "tensor")):
            first, second, done = load("a", "m0"), load("a", "m1"), wait(counter)
            for name, between in (("no_wait", []), ("wait_between", [done])):
                memory = [("m0", "one"), ("m1", "other")]
                outcomes = seen([[first, *between, second, done, ds_read("a")]], memory=memory)
                found[prefix + name] = len(set.union(*outcomes.values()))
        return {"values_left": found}


class SameWaveOrder(Check):
    """Pairs of tensor transfers and a wait for one; and a load into the buffer that an outstanding store reads.

    Shows: that the model completes them in order and still lets their bytes cross.
    Does not show: whether a device lets them cross.
    """

    claim = "TDM-092"
    kind = "model"
    binds = ("sure_at_limit_one", "may_go_wrong")

    def observe(self, target, tools):
        kinds = {"load": tensor_load, "store": tensor_store}
        pairs = [(one, other) for one in kinds for other in kinds]
        found = {}
        for one, other in pairs:
            found[f"{one}_{other}"] = surely_moved(
                [[kinds[one]("a", "m0"), kinds[other]("b", "m1"), wait("tensor", 1)]]
            ).count(0)
        store, load = tensor_store("a", "m1"), tensor_load("a", "m0")
        return {
            "sure_at_limit_one": found,
            "may_go_wrong": {
                "load_over_an_outstanding_store": goes_wrong([[store, load]], lds=[("a", "old")]),
                "load_after_the_store_is_waited_for": goes_wrong([[store, wait("tensor"), load]], lds=[("a", "old")]),
            },
        }


class OtherWaves(Check):
    """One wave loads, another reads: every way in which the two may be kept apart.

    Shows: which of four programs may read old data under the model's rules.
    Does not show: hardware.
    """

    claim = "TDM-093"
    kind = "model"
    binds = ("old_data_can_be_read",)

    def observe(self, target, tools):
        load, done, meet, read = tensor_load("a", "m0"), wait("tensor"), barrier(), ds_read("a")
        programs = {
            "reader_waits": [[load], [done, read]],
            "barrier_without_wait": [[load, meet], [meet, read]],
            "wait_without_barrier": [[load, done], [read]],
            "wait_then_barrier": [[load, done, meet], [meet, read]],
        }
        return {"old_data_can_be_read": {name: goes_wrong(waves, [[], ["new"]]) for name, waves in programs.items()}}


class OtherMemory(Check):
    """An ordinary store, then a tensor load of the same place; the single waits that mend it are searched.

    Shows: that only a wait for the store's counter mends it in the model, and with which limit.
    Does not show: hardware, or what caches and scopes need besides.
    """

    claim = "TDM-094"
    kind = "model"
    binds = ("old_data_can_be_read", "mending_limit")

    def observe(self, target, tools):
        tail = [tensor_load("a", "m0"), wait("tensor"), ds_read("a")]
        store = global_store("m0", "newer")
        between = {"no_wait": [], "tensor_wait_between": [wait("tensor")], "store_wait_between": [wait("store")]}
        mends = missing_waits([[store] + tail], NEW)
        limits = sorted({limit for _, _, counter, limit in mends if counter == "store"})
        return {
            "old_data_can_be_read": {name: goes_wrong([[store] + ops + tail]) for name, ops in between.items()},
            "mending_limit": limits[0] if len(limits) == 1 == len(mends) else -1,
        }


class AgainstAsyncCounter(Check):
    """Pairs of transfers and a wait for one, with tensor transfers and with per-lane asynchronous copies.

    Shows: for which pairs the model makes sure of the older one.
    Does not show: hardware.
    """

    claim = "TDM-095"
    kind = "model"
    binds = ("sure_at_limit_one",)

    def observe(self, target, tools):
        pairs = {
            "tensor_store_load": (tensor_store, tensor_load, "tensor"),
            "async_store_load": (async_store, async_load, "async"),
            "async_load_store": (async_load, async_store, "async"),
            "async_load_load": (async_load, async_load, "async"),
            "async_store_store": (async_store, async_store, "async"),
        }
        found = {}
        for name, (one, other, counter) in pairs.items():
            found[name] = surely_moved([[one("a", "m0"), other("b", "m1"), wait(counter, 1)]]).count(0)
        return {"sure_at_limit_one": found}


class EndWaits(Check):
    """A tensor store is the last thing that a wave does: how many contents its memory can end with.

    Shows: that the model's program is over only when its transfers are.
    Does not show: hardware.
    """

    claim = "TDM-148"
    kind = "model"
    binds = ("endings",)

    def observe(self, target, tools):
        outcomes = search([[tensor_store("a", "m0")]], NEW, [("a", "stored")])[0]
        return {"endings": len({outcome.memory for outcome in outcomes})}
