# SPDX-License-Identifier: Apache-2.0
"""Modifiers, the sparse index, scales and rates of matrix instructions, asked of the reference model."""

from cdna.mfma.layouts import layout, locate
from cdna.mfma.opcodes import MatrixError, index_sets, opcode, opcodes, operations_per_cycle, takes
from cdna_evidence.checks import Check

SIXTEEN = "v_mfma_f32_16x16x16_f16"
F8 = {16: "v_mfma_f32_16x16x128_f8f6f4", 32: "v_mfma_f32_32x32x64_f8f6f4"}
SCALED = {16: "v_mfma_scale_f32_16x16x128_f8f6f4", 32: "v_mfma_scale_f32_32x32x64_f8f6f4"}


def refuses(name, target, matrix, **modifiers):
    """Return whether the model refuses modifiers."""
    try:
        layout(name, target, matrix, **modifiers)
    except MatrixError:
        return True
    return False


class Modifiers(Check):
    """What CBSZ, ABID and BLGP mean for which instructions, in the model.

    Shows: the model under the calculator's list.
    Does not show: hardware.
    """

    claim = "MFMA-056"
    kind = "model"
    position = "listed"
    everywhere = False
    binds = ("lane_modifier_instructions", "sign_instructions", "lane_of_b_lane_0")

    def observe(self, target, tools):
        meanings = [dict(takes(op, self.everywhere)) for op in opcodes(target)]
        other = ("MFMA-056",) if self.everywhere else ()
        lanes = [
            locate(layout("v_mfma_f32_32x32x1_2b_f32", target, "B", blgp=code, other=other), 0, 0)[0] for code in range(8)
        ]
        return {
            "lane_modifier_instructions": len([item for item in meanings if item.get("blgp") == "lanes"]),
            "sign_instructions": len([item for item in meanings if item.get("blgp") == "negate"]),
            "lane_of_b_lane_0": lanes,
        }


class ModifiersEverywhere(Modifiers):
    """The same when BLGP moves the lanes of every dense instruction.

    Shows: the model under the manual's general rule.
    Does not show: hardware.
    """

    position = "every-dense"
    everywhere = True


class FormatCodes(Check):
    """The format that each code of CBSZ and BLGP chooses: seen in the width of an element of A.

    Shows: the model's widths by code.
    Does not show: the values of the formats.
    """

    claim = "MFMA-056"
    kind = "model"
    targets = ("gfx950",)
    binds = ("bits_by_code",)

    def observe(self, target, tools):
        widths = []
        for code in range(8):
            if not refuses(F8[16], target, "A", cbsz=code):
                place = locate(layout(F8[16], target, "A", cbsz=code), 0, 0)
                widths.append(place[3] - place[2] + 1)
        return {"bits_by_code": widths}


class SparseIndex(Check):
    """How many sets of positions the index register of each kind of SMFMAC holds, and where set by set they begin.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "MFMA-057"
    kind = "model"
    binds = ("sets", "first_bits", "bits_per_four")

    def observe(self, target, tools):
        sets, first = {}, {}
        for op in opcodes(target):
            if not op.sparse:
                continue
            wide = "wide_" if op.targets == ("gfx950",) else ""
            key = wide + ("eight_bit" if "8" in op.a_type else "sixteen_bit")
            sets.setdefault(key, set()).add(index_sets(op)[0])
            bits = []
            for chosen in range(16):
                if not refuses(op.mnemonic, target, "index", abid=chosen):
                    bits.append(locate(layout(op.mnemonic, target, "index", abid=chosen), 0, 0)[2])
            first.setdefault(key, []).append(bits)
        place = locate(layout("v_smfmac_f32_16x16x32_f16", target, "index"), 0, 0)
        return {
            "sets": {key: list(found)[0] if len(found) == 1 else sorted(found) for key, found in sets.items()},
            "first_bits": {
                key: lists[0] if all(item == lists[0] for item in lists) else [-1] for key, lists in first.items()
            },
            "bits_per_four": place[3] - place[2] + 1,
        }


class Rates(Check):
    """Operations of a compute unit in one cycle, from shape and passes in the model.

    Shows: the model's arithmetic for gfx942.
    Does not show: what a product reaches.
    """

    claim = "MFMA-058"
    kind = "model"
    binds = ("per_cycle",)

    def observe(self, target, tools):
        chosen = {
            "f16": SIXTEEN,
            "xf32": "v_mfma_f32_16x16x8_xf32",
            "f32": "v_mfma_f32_16x16x4_f32",
            "f64": "v_mfma_f64_16x16x4_f64",
            "i8": "v_mfma_i32_16x16x32_i8",
            "fp8": "v_mfma_f32_16x16x32_fp8_fp8",
            "sparse_f16": "v_smfmac_f32_16x16x32_f16",
            "sparse_fp8": "v_smfmac_f32_16x16x64_fp8_fp8",
        }
        return {"per_cycle": {key: operations_per_cycle(opcode(name), target) for key, name in chosen.items()}}


class BroadcastGroups(Check):
    """Which block of A is read for each of four, when 2**CBSZ neighbours share one.

    Shows: the model under this position.
    Does not show: hardware.
    """

    claim = "MFMA-059"
    kind = "model"
    position = "group-of-blocks"
    other = ()
    binds = ("two_of_four", "whole_wave")

    def observe(self, target, tools):
        return {"two_of_four": self._sources(target, 1, 1), "whole_wave": self._sources(target, 2, 1)}

    def _sources(self, target, cbsz, abid):
        """Return for each of four blocks of A the block that is read for it."""
        name = "v_mfma_f32_16x16x4_4b_f16"
        home = {locate(layout(name, target, "A"), 0, 0, block): block for block in range(4)}
        where = layout(name, target, "A", cbsz=cbsz, abid=abid, other=self.other)
        return [home[locate(where, 0, 0, block)] for block in range(4)]


class BroadcastLanes(BroadcastGroups):
    """The same when one run of 64 >> CBSZ lanes is read for all others.

    Shows: the model under this position.
    Does not show: hardware.
    """

    position = "lane-blocks"
    other = ("MFMA-059",)


class Scales(Check):
    """Which lane holds the scale of a row and a block along K, how long a block is, and which bits a byte choice names.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "MFMA-060"
    kind = "model"
    binds = ("block_k", "lanes_of_row_0", "first_bit_by_byte", "bits")

    def observe(self, target, tools):
        lanes, length = {}, set()
        for size, name in SCALED.items():
            op = opcode(name)
            where = layout(name, target, "scale_a")
            length.add(op.k // where.shape[2])
            other = layout(name, target, "scale_b")
            a = [locate(where, 0, kb)[0] for kb in range(where.shape[2])]
            b = [locate(other, kb, 0)[0] for kb in range(where.shape[2])]
            lanes[f"rows_{size}"] = a if a == b else [-1]
        bits = []
        for byte in range(8):
            if not refuses(SCALED[16], target, "scale_a", scale_byte=byte):
                bits.append(locate(layout(SCALED[16], target, "scale_a", scale_byte=byte), 0, 0)[2])
        one = locate(layout(SCALED[16], target, "scale_a"), 5, 2)
        return {
            "block_k": list(length)[0],
            "lanes_of_row_0": lanes,
            "first_bit_by_byte": bits,
            "bits": one[3] - one[2] + 1,
        }
