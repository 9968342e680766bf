# SPDX-License-Identifier: Apache-2.0
"""The largest static LDS array that a real compiler accepts for each target."""

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import taken
from cdna_evidence.checks.search import largest, largest_lds


class LargestStaticArray(Check):
    """The largest array in address space 3 that compiles, found by bisection; one byte more is refused.

    Shows: the most LDS that clang lets one workgroup have.
    Does not show: what a device has, or how an allocation is rounded.
    """

    claim = "LDS-001"
    kind = "compiler"
    witness = "clang"
    binds = ("capacity_bytes",)

    def observe(self, target, tools):
        return {"capacity_bytes": largest_lds(tools.clang, target)}


class LargestOffset(Check):
    """The largest offset that the assembler takes in an LDS access, by bisection: plain, transposing and two-address ones.

    Shows: the width of the field, the same for every access tried.
    Does not show: what a device does beyond it.
    """

    claim = "LDS-058"
    kind = "compiler"
    witness = "clang"
    binds = ("most", "most_of_two")

    def observe(self, target, tools):
        load, store = ("ds_load", "ds_store") if target == "gfx1250" else ("ds_read", "ds_write")
        plain = [f"{load}_b128 v[0:3], v4", f"{load}_u8 v0, v4", f"{store}_b64 v4, v[0:1]"]
        plain += {"gfx950": ["ds_read_b64_tr_b16 v[0:1], v4"], "gfx1250": ["ds_load_tr16_b128 v[0:3], v4"]}.get(target, [])
        two = "ds_load_2addr_b64 v[0:3], v4" if target == "gfx1250" else "ds_read2_b64 v[0:3], v4"
        stride = "ds_load_2addr_stride64_b32 v[0:1], v4" if target == "gfx1250" else "ds_read2st64_b32 v[0:1], v4"
        return {
            "most": self._alike(tools.clang, target, [line + " offset:{}" for line in plain]),
            "most_of_two": self._alike(tools.clang, target, [line + " offset1:{}" for line in (two, stride)]),
        }

    def _alike(self, clang, target, lines):
        found = {largest(lambda offset, line=line: self._fits(clang, target, line.format(offset)), 1, 1 << 20) for line in lines}
        if len(found) != 1:
            raise CannotTell(f"the accesses differ: {sorted(found)}")
        return found.pop()

    def _fits(self, clang, target, line):
        (answer,) = clang.assemble(target, [line])
        return taken(answer)
