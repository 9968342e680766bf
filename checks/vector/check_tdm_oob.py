# SPDX-License-Identifier: Apache-2.0
"""Bounds: what tests that were not written here expect in LDS and in memory."""

from cdna_evidence.checks import Check


def entry_of(tools, name):
    """Return one entry of the LDS contents and note its origin."""
    entry = next(entry for entry in tools.vector("tdm-lds")["lds_contents"] if entry["id"] == name)
    tools.origin(entry["origin"])
    return entry


class EmulatorTestZeroes(Check):
    """Tests of AMD's emulator expect zeros over a marker for every element past the end, also when the bound is zero.

    Shows: what rocJITsu's tests expect of a load.
    Does not show: hardware.
    """

    claim = "TDM-043"
    kind = "vector"
    witness = "tdm-lds"
    binds = ("outside",)

    def observe(self, target, tools):
        empty = entry_of(tools, "rj_zero_extent")
        marked = int(empty["lds_init"]["fill_u32"], 16) != 0
        values = set(int(item["u32"], 16) for item in empty["expected_lds"])
        tall = entry_of(tools, "rj_3d_load")
        rows = tall["fields_in_D_order_encoded"]
        width, height = rows["tile_dim0"], rows["tile_dim1"]
        for item in tall["expected_lds"]:
            if item["offset"] // 4 // width % height >= rows["tensor_dim1"]:
                values.add(int(item["u32"], 16))
        return {"outside": "zero" if marked and values == {0} else "undefined"}


class EmulatorTestDrops(Check):
    """A test of AMD's emulator stores a tile over a corner and expects the neighbours unchanged.

    Shows: what rocJITsu's test expects of a store: the elements written and the marked ones left alone.
    Does not show: hardware.
    """

    claim = "TDM-044"
    kind = "vector"
    witness = "tdm-lds"
    binds = ("outside", "tile_elements", "written_elements")

    def observe(self, target, tools):
        entry = entry_of(tools, "rj_2d_oob_store")
        fields = entry["fields_in_D_order_encoded"]
        base = int(entry["memory_init"][0]["addr"], 16)
        before = {base + 4 * i: word for i, word in enumerate(entry["memory_init"][0]["u32"])}
        changed = [item for item in entry["expected_memory"] if before[int(item["addr"], 16)] != item["u32"]]
        kept = [item for item in entry["expected_memory"] if before[int(item["addr"], 16)] == item["u32"]]
        return {
            "outside": "drop" if kept else "undefined",
            "tile_elements": fields["tile_dim0"] * fields["tile_dim1"],
            "written_elements": len(changed),
        }
