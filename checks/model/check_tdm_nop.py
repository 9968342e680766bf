# SPDX-License-Identifier: Apache-2.0
"""Descriptors that move nothing, and extents of zero, by the model."""

from cdna.tdm.descriptor import rank_of
from cdna.tdm.transfer import run
from cdna_evidence.checks import Check

FIELDS = {
    "data_size": 2,
    "global_addr": 4096,
    "tile_dim0": 4,
    "tensor_dim0": 4,
    "atomic_barrier_enable": 1,
    "atomic_barrier_address": 16,
}
MEMORY = [(4096, bytes(range(1, 65)))]


def changes(fields):
    """(changed bytes of LDS by a load, of memory by a store, arrives of the load, counter afterwards)."""
    lds = b"\xee" * 64 + bytes(128)
    load, store = run(fields, "load", MEMORY, lds), run(fields, "store", MEMORY, lds)
    if load.faults or store.faults:
        raise ValueError(f"faults: {load.faults}, {store.faults}")
    in_lds = sum(a != b for a, b in zip(load.lds, lds, strict=True))
    in_memory = sum(a != b for a, b in zip(store.memory[0][1], MEMORY[0][1], strict=True))
    return in_lds, in_memory, len(load.barrier), max(load.counter, store.counter)


class TileDimZero(Check):
    """A load and a store with tile_dim0 zero, and the smallest tile_dim0 that moves something.

    Shows: changed bytes and the counter of the model.
    Does not show: whether a device sends the barrier arrive.
    """

    claim = "TDM-026"
    kind = "model"
    binds = ("lds_bytes", "memory_bytes", "counter_after", "smallest_move")

    def observe(self, target, tools):
        in_lds, in_memory, _, counter = changes(dict(FIELDS, tile_dim0=0))
        moving = [n for n in range(4) if changes(dict(FIELDS, tile_dim0=n))[0]]
        if not moving:
            raise ValueError("no extent moves anything")
        return {"lds_bytes": in_lds, "memory_bytes": in_memory, "counter_after": counter, "smallest_move": moving[0]}


class CountZero(Check):
    """The same descriptor with count zero and with count one, as a load and as a store.

    Shows: changed bytes, barrier arrives and the counter of the model.
    Does not show: hardware.
    """

    claim = "TDM-027"
    kind = "model"
    binds = ("lds_bytes", "memory_bytes", "arrivals", "arrivals_otherwise", "counter_after")

    def observe(self, target, tools):
        off, on = changes(dict(FIELDS, count=0)), changes(dict(FIELDS, count=1))
        if not on[0] or not on[1]:
            raise ValueError("the same descriptor with count one moves nothing either")
        return {
            "lds_bytes": off[0],
            "memory_bytes": off[1],
            "arrivals": off[2],
            "arrivals_otherwise": on[2],
            "counter_after": off[3],
        }


class HigherZeros(Check):
    """Zero and one in each of tile_dim1 to tile_dim4 of a one-row tile: rows moved, and the rank.

    Shows: loads by the model and its count of dimensions.
    Does not show: hardware, nor a zero below a used dimension.
    """

    claim = "TDM-028"
    kind = "model"
    binds = ("rows_when_zero", "rank_when_zero", "rank_when_one")

    def observe(self, target, tools):
        rows, ranks_zero, ranks_one = [], [], []
        for d in range(1, 5):
            bounds = {f"tensor_dim{e}": 2 for e in range(1, 5)}
            zero, one = dict(FIELDS, **bounds), dict(FIELDS, **bounds)
            zero[f"tile_dim{d}"] = 0
            one.update({f"tile_dim{e}": 1 for e in range(1, d + 1)})
            if changes(zero)[0] != changes(one)[0]:
                raise ValueError(f"tile_dim{d}: zero and one move different amounts")
            rows.append(changes(zero)[0] // 16)
            ranks_zero.append(rank_of(zero))
            ranks_one.append(rank_of(one))
        return {"rows_when_zero": rows, "rank_when_zero": ranks_zero, "rank_when_one": ranks_one}
