# SPDX-License-Identifier: Apache-2.0
"""Transposing LDS loads in the reference model: which K a call covers, and what each lane receives."""

from cdna.lds.transpose import k_sets, tile_addresses, transpose
from cdna_evidence.checks import CannotTell, Check


class KCoverage(Check):
    """The K that each call fetches for a tile of 32 rows and 16 K, and that together they fetch each K once.

    Shows: the arithmetic of lanes that own neighbouring K.
    Does not show: hardware, or other tiles.
    """

    claim = "TRN-002"
    kind = "model"
    binds = ("k", "calls")

    def observe(self, target, tools):
        calls = [list(call) for call in k_sets(16, 32)]
        every = sorted(k for call in calls for k in call)
        if every != list(range(len(every))):
            raise CannotTell("some K is fetched twice or not at all")
        return {"k": len(every), "calls": calls}


class LaneMap(Check):
    """Halfwords that name their own lane and place, sent through the load; and a 4 x 16 tile, whose columns must come out.

    Shows: the model's lane map.
    Does not show: a device.
    """

    claim = "TRN-051"
    kind = "model"
    binds = ("lane_0", "lane_5", "lane_17", "one_to_one", "column_of_tile")

    def observe(self, target, tools):
        read = [[(lane, word) for word in range(4)] for lane in range(64)]
        got = transpose(read)
        found = {f"lane_{lane}": self._lane(lane, got[lane]) for lane in (0, 5, 17)}
        every = sorted(item for lane in got for item in lane)
        found["one_to_one"] = every == sorted(item for lane in read for item in lane)
        found["column_of_tile"] = self._columns()
        return found

    def _lane(self, lane, got):
        words = {word for _, word in got}
        return {
            "lane": lane,
            "halfword": words.pop() if len(words) == 1 else -1,
            "sources": [source for source, _ in got],
        }

    def _columns(self):
        """A tile of four rows of sixteen halfwords, each named by row and column: does lane c get column c?"""
        tile = [(row, column) for row in range(4) for column in range(16)]
        read = [[tile[address // 2 + i] for i in range(4)] for address in tile_addresses(32)] * 4
        return all(transpose(read)[lane] == [(row, lane) for row in range(4)] for lane in range(16))
