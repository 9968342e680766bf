# SPDX-License-Identifier: Apache-2.0
"""Gather: what programs not written here pack into a descriptor, and what a test of theirs expects in LDS."""

from cdna.tdm.descriptor import decode_group1
from cdna_evidence.checks import CannotTell, Check


class ListWritten(Check):
    """The field that holds the length of the list in MLIR's words, for lists of ten and of five indices.

    Shows: that MLIR counts the valid entries in one field, for both widths.
    Does not show: hardware.
    """

    claim = "TDM-067"
    kind = "vector"
    witness = "tdm-words"
    binds = ("count_field",)

    def observe(self, target, tools):
        holders = []
        for entry in tools.vector("tdm-words")["descriptor_words"]:
            if entry["id"] not in ("mlir_gather16_indices", "mlir_gather32_indices"):
                continue
            words = [0, 0, 0, 0, int(entry["expected"]["group1_word4"], 16), 0, 0, 0]
            fields = decode_group1(words).fields
            holders.append([name for name in fields if fields[name] == len(entry["row_indices"])])
            tools.origin(entry["origin"])
        if len(holders) != 2 or holders[0] != holders[1] or len(holders[0]) != 1:
            raise CannotTell(f"the length stands in {holders}")
        return {"count_field": holders[0][0]}


class EmulatorOrder(Check):
    """Where a test of AMD's emulator expects each row of a list of ten, two of them twice.

    Shows: what rocJITsu's test expects.
    Does not show: hardware.
    """

    claim = "TDM-068"
    kind = "vector"
    witness = "tdm-lds"
    binds = ("emulator_landed",)

    def observe(self, target, tools):
        entry = next(item for item in tools.vector("tdm-lds")["lds_contents"] if item["id"] == "rj_gather16")
        tools.origin(entry["origin"])
        fields = entry["fields_in_D_order_encoded"]
        memory = entry["memory_init"][0]["u32"]
        width, pitch = fields["tile_dim0"], fields["tensor_dim0_stride"]
        expected = {item["offset"] // 4: item["u32"] for item in entry["expected_lds"]}
        found = []
        for place in range(len(expected) // width):
            row = [expected[place * width + column] for column in range(width)]
            sources = [r for r in range(len(memory) // pitch) if memory[r * pitch : r * pitch + width] == row]
            if len(sources) != 1:
                raise CannotTell(f"LDS row {place} equals the rows {sources}")
            found.append(sources[0])
        return {"emulator_landed": found}
