# SPDX-License-Identifier: Apache-2.0
"""The three ways from global memory to LDS, counted by the reference model."""

from cdna.tdm import paths
from cdna_evidence.checks import Check

NAMES = {"round-trip": "round_trip", "async": "async", "tdm": "tdm"}


def costs(rows, row_bytes):
    """Costs of one tile by the names of the claims."""
    return {NAMES[name]: paths.cost(name, rows, row_bytes) for name in NAMES}


class PathCost(Check):
    """One tile of sixteen chunks in three ways: instructions, registers, and who does what.

    Shows: the reference model's count of the copy alone.
    Does not show: address arithmetic, time, or hardware.
    """

    claim = "TDM-116"
    kind = "model"
    binds = (
        "chunk_bytes",
        "tile_bytes",
        "tile_chunks",
        "instructions",
        "per_chunk",
        "least_waits",
        "data_vgprs",
        "lanes_compute_addresses",
        "program_loops_over_dimensions",
    )

    def observe(self, target, tools):
        rows, row_bytes = 16, 512
        spent, twice = costs(rows, row_bytes), costs(2 * rows, row_bytes)
        chunks = spent["async"].chunks
        grown = twice["async"].chunks - chunks
        total = {name: paths.instructions(spent[name]) for name in spent}
        return {
            "chunk_bytes": paths.chunk_bytes(),
            "tile_bytes": rows * row_bytes,
            "tile_chunks": chunks,
            "instructions": total,
            "per_chunk": {
                name: (paths.instructions(twice[name]) - total[name]) // grown
                for name in ("round_trip", "async", "tdm")
            },
            "least_waits": {name: spent[name].waits for name in spent},
            "data_vgprs": {name: spent[name].data_vgprs for name in spent},
            "lanes_compute_addresses": {name: spent[name].addresses_by == "lane" for name in spent},
            "program_loops_over_dimensions": {name: spent[name].loops_by == "program" for name in spent},
        }


class AsyncLanes(Check):
    """The widths that the model takes for a lane, found by trying one to forty bytes, and what a wave moves with them.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "TDM-117"
    kind = "model"
    binds = ("bytes_per_lane", "most_bytes", "lanes")

    def observe(self, target, tools):
        moved = {}
        for width in range(1, 41):
            try:
                moved[width] = paths.chunk_bytes(width)
            except ValueError:
                continue
        ratios = sorted(set(moved[width] // width for width in moved))
        return {
            "bytes_per_lane": sorted(moved),
            "most_bytes": max(moved.values()),
            "lanes": ratios[0] if len(ratios) == 1 else -1,
        }


class PathScaling(Check):
    """Tiles of 4, 16 and 64 chunks: copy instructions on each path.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "TDM-119"
    kind = "model"
    binds = ("chunks", "instructions")

    def observe(self, target, tools):
        tiles = [(rows, 512) for rows in (4, 16, 64)]
        found = paths.table(tiles)
        return {
            "chunks": [spent[1].chunks for _, spent in found],
            "instructions": {
                NAMES[name]: [paths.instructions(spent[i]) for _, spent in found] for i, name in enumerate(NAMES)
            },
        }
