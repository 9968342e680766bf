# SPDX-License-Identifier: Apache-2.0
"""Iteration as MLIR packs it into a descriptor."""

from cdna.tdm.descriptor import decode, encode, fields_of
from cdna_evidence.checks import CannotTell, Check


def words(tools):
    """The kept entry, and group 2 read with the iteration bit as MLIR set it and without."""
    known = tools.vector("tdm-words")["descriptor_words"]
    entry = next(item for item in known if item["id"] == "mlir_iterate")
    tools.origin(entry["origin"])
    group2 = [int(word, 16) for word in entry["group2"]] + [0] * 4
    plain = list(encode({}))
    iterating = list(plain)
    iterating[4] = int(entry["group1_word0"], 16)
    return entry["params"], decode(iterating + group2).fields, decode(plain + group2).fields


class PassesWritten(Check):
    """The number that MLIR writes for seven passes.

    Shows: that the field holds one less, in words of a program not written here.
    Does not show: hardware.
    """

    claim = "TDM-077"
    kind = "vector"
    witness = "tdm-words"
    binds = ("asked_passes", "written")

    def observe(self, target, tools):
        asked, fields, _ = words(tools)
        return {"asked_passes": asked["times"], "written": fields["iterate_count"]}


class FieldsWritten(Check):
    """Which dense fields hold what MLIR was asked to write for the two increments and the count.

    Shows: the overlay in words of a program not written here.
    Does not show: the unit of the increments.
    """

    claim = "TDM-078"
    kind = "vector"
    witness = "tdm-words"
    binds = ("taken",)

    def observe(self, target, tools):
        asked, iterating, dense = words(tools)
        wanted = {
            "lds_addr_increment": asked["lds_step"],
            "global_addr_increment": asked["global_step"],
            "iterate_count": asked["times"] - 1,
        }
        names = [field.name for field in fields_of("dense") if field.group == 2]
        taken = {}
        for name, value in wanted.items():
            holders = [other for other in names if dense[other] == value]
            if len(holders) != 1 or iterating[name] != value:
                raise CannotTell(f"{name}={value} stands in {holders}")
            taken[holders[0]] = name
        return {"taken": taken}
