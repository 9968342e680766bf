# SPDX-License-Identifier: Apache-2.0
"""Transposing LDS loads in the reference model: which K a call covers, and what each lane receives."""

from cdna.lds.transpose import form_named, k_sets, tile_addresses, transpose
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


class _Gfx1250Map(Check):
    """Elements that name their own lane and place, sent through the load."""

    kind = "model"
    binds = ("lane_0", "lane_9", "lane_20", "one_to_one", "k_by_guide")
    op = None
    # Which K lanes 0 to 31 read in the guide's figure, four lanes each, and the first of the rows that they read.
    runs = ()
    upper_rows = ()

    def observe(self, target, tools):
        form = form_named(target, self.op)
        places = form.result_bits // form.element_bits
        read = [[(lane, place) for place in range(places)] for lane in range(32)]
        got = transpose(read, form)
        found = {f"lane_{lane}": self._lane(lane, got[lane]) for lane in (0, 9, 20)}
        return dict(found, one_to_one=sorted(sum(got, [])) == sorted(sum(read, [])), k_by_guide=self._by_guide(form, places))

    def _by_guide(self, form, places):
        """The K of lanes 0 and 16, and whether every lane has the row of its number, when lanes read as the figure has it."""
        read = []
        for lane in range(32):
            k, row = self.runs[lane // 4] + lane % 4, 8 if lane // 4 in self.upper_rows else 0
            read.append([(row + place, k) for place in range(places)])
        got = transpose(read, form)
        return {
            "lane_0": [k for _, k in got[0]],
            "lane_16": [k for _, k in got[16]],
            "rows_are_lanes": all(row == lane % 16 for lane in range(32) for row, _ in got[lane]),
        }

    def _lane(self, lane, got):
        elements = {element for _, element in got}
        return {
            "lane": lane,
            "element": elements.pop() if len(elements) == 1 else -1,
            "sources": [source for source, _ in got],
        }


class Gfx1250B16Map(_Gfx1250Map):
    """Halfwords that name their own lane and place, sent through the 16-bit load of gfx1250.

    Shows: the model's lane map.
    Does not show: a device.
    """

    claim = "TRN-053"
    op = "ds_load_tr16_b128"
    runs = (0, 4, 0, 4, 8, 12, 8, 12)
    upper_rows = (2, 3, 6, 7)


class Gfx1250B8Map(_Gfx1250Map):
    """Bytes that name their own lane and place, sent through the 8-bit load of gfx1250.

    Shows: the model's lane map.
    Does not show: a device.
    """

    claim = "TRN-054"
    op = "ds_load_tr8_b64"
    runs = (0, 0, 4, 4, 8, 8, 12, 12)
    upper_rows = (1, 3, 5, 7)


class Gfx1250B4Map(_Gfx1250Map):
    """4-bit elements that name their own lane and place, sent through the 4-bit load of gfx1250.

    Shows: the model's lane map.
    Does not show: a device.
    """

    claim = "TRN-055"
    op = "ds_load_tr4_b64"
    runs = (0, 4, 16, 20, 8, 12, 24, 28)


class Gfx1250B6Map(_Gfx1250Map):
    """6-bit elements that name their own lane and place, sent through the 6-bit load of gfx1250.

    Shows: the model's lane map, which repeats one emulator.
    Does not show: a device, or that the emulator is right.
    """

    claim = "TRN-056"
    op = "ds_load_tr6_b96"
    runs = (0, 8, 4, 12, 16, 24, 20, 28)
