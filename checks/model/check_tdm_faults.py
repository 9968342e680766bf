# SPDX-License-Identifier: Apache-2.0
"""What the reference model reports when addresses lie where they may not, and that it goes on."""

from cdna.tdm.faults import report
from cdna.tdm.transfer import run
from cdna_evidence.checks import Check

BASE = 4096
TILE = {"global_addr": BASE, "data_size": 2, "tile_dim0": 4, "tile_dim1": 4, "tensor_dim0": 4, "tensor_dim1": 4}
TILE["tensor_dim0_stride"] = 4
BARRIER = {"atomic_barrier_enable": 1, "atomic_barrier_address": 2}


class WhatCounts(Check):
    """A tile inside, past the LDS allocation with and without reporting, and over each range that is not global memory.

    Shows: the reference model's reports for loads and stores.
    Does not show: hardware; where the ranges lie depends on the system.
    """

    claim = "TDM-109"
    kind = "model"
    binds = ("reports", "reports_of_a_store")

    def observe(self, target, tools):
        last_row = (BASE + 48, BASE + 64)
        cases = {
            "inside": {},
            "lds_outside": {"lds_size": 32},
            "lds_outside_reporting_off": {"lds_size": 32, "lds_reporting": False},
            "scratch": {"apertures": [("scratch", *last_row)]},
            "lds_aperture": {"apertures": [("lds-aperture", *last_row)]},
            "hole": {"apertures": [("hole", *last_row)]},
            "beside_the_hole": {"apertures": [("hole", BASE + 64, BASE + 128)]},
        }
        found = {op: {} for op in ("load", "store")}
        for op in found:
            for name in cases:
                found[op][name] = report(TILE, op, **dict({"lds_size": 64}, **cases[name])).memviol
        return {"reports": found["load"], "reports_of_a_store": found["store"]}


class OnceAndOn(Check):
    """A tile of which half has no place in LDS and two rows lie in the hole: reports, and what is moved all the same.

    Shows: the reference model: one report, the rest of the tile moved, the counter back, the arrive sent.
    Does not show: hardware.
    """

    claim = "TDM-110"
    kind = "model"
    binds = ("faulting_elements", "reports", "moved_elements", "counter_after", "arrives")

    def observe(self, target, tools):
        fields = dict(TILE, **BARRIER)
        hole = (BASE + 16, BASE + 32)
        found = report(fields, "load", 32, [("hole", *hole)])
        memory = bytes(range(1, 65))
        segments = [(BASE, memory[:16]), (BASE + 32, memory[32:])]
        outcome = run(fields, "load", segments, bytes(32))
        moved = [i for i in range(0, 32, 4) if outcome.lds[i : i + 4] == memory[i : i + 4]]
        return {
            "faulting_elements": found.elements,
            "reports": found.memviol,
            "moved_elements": len(moved),
            "counter_after": outcome.counter,
            "arrives": len(outcome.barrier),
        }
