# SPDX-License-Identifier: Apache-2.0
"""Wait states where sources or versions differ, and where the hazard pass stands, asked of the reference model."""

from cdna.mfma.audit import audit
from cdna.mfma.hazards import other_positions
from cdna_evidence.checks import Check
from cdna_evidence.checks.pairs import ModelPairs, missing
from cdna_evidence.witnesses.matrix_pairs import PAIRS


class OtherOpcode(ModelPairs):
    """The model's answer for an exact chain of two opcodes, as LLVM 22.1.8 does it.

    Shows: the model follows LLVM 22.1.8.
    Does not show: what the silicon does.
    """

    claim = "MFMA-020"
    position = "llvm-22"
    binds = ("wait_states",)


class OtherOpcodeOpen(Check):
    """The model's other answer for an exact chain of two opcodes: the states of a partial overlap.

    Shows: what the rule of partial overlap gives for this pair.
    Does not show: that any compiler inserts it.
    """

    claim = "MFMA-020"
    position = "like-partial-overlap"
    kind = "model"
    binds = ("wait_states",)

    def observe(self, target, tools):
        found = other_positions(target, *PAIRS[self.claim]["wait_states"])
        states = [item[2] for item in found if item[0] == "MFMA-020"]
        return {"wait_states": states[0] if states else None}


class LookBack(Check):
    """A program with nineteen states between a 16-pass instruction and a reader is audited.

    Shows: that the audit misses what a look back of twenty would see.
    Does not show: hardware.
    """

    claim = "MFMA-051"
    position = "sees-all"
    kind = "model"
    binds = ("adjacent", "after_nineteen")

    def observe(self, target, tools):
        first = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], 0"
        read = "v_mov_b32 v60, v1"
        return {
            "adjacent": missing(target, first, read),
            "after_nineteen": missing(target, first, "s_nop 7", "s_nop 7", "s_nop 2", read),
        }


class NearestWriter(Check):
    """A C of sixteen registers, of which two instructions wrote different parts, is audited.

    Shows: the states the model misses for the farther writer.
    Does not show: hardware.
    """

    claim = "MFMA-075"
    kind = "model"
    binds = ("missing",)

    def observe(self, target, tools):
        return {
            "missing": missing(
                target,
                "v_mfma_f32_16x16x16_f16 v[0:3], v[40:41], v[42:43], 0",
                "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[44:45], v[46:47], 0",
                "v_mfma_f32_32x32x8_f16 v[64:79], v[40:41], v[42:43], v[0:15]",
            )
        }


class Fork(Check):
    """A program with a branch, four moves on one side and one on the other, is audited with either side written first.

    Shows: the states the model misses on the shorter way, and that each finding points to the claim.
    Does not show: what a compiler inserts; a compiler check of the same claim does.
    """

    claim = "MFMA-077"
    kind = "model"
    binds = ("by_the_rule", "pointed_to")

    def observe(self, target, tools):
        sides = {"long_side_first": (4, 1), "short_side_first": (1, 4)}
        straight = "\n".join([self.product, self.read])
        told = {name: self.pointed_to("\n".join(self.fork(*moves)), target) for name, moves in sides.items()}
        return {
            "by_the_rule": {name: missing(target, *self.fork(*moves)) for name, moves in sides.items()},
            "pointed_to": {**told, "straight": self.pointed_to(straight, target)},
        }

    product, read = "v_mfma_f32_16x16x16_f16 v[64:67], v[0:1], v[8:9], v[96:99]", "v_add_f32 v250, v64, v251"

    def fork(self, first, second):
        move = "v_mov_b32 v254, 0"
        sides = [move] * first, [move] * second
        return [self.product, "s_cbranch_scc1 other", *sides[0], "s_branch on", "other:", *sides[1], "on:", self.read]

    def pointed_to(self, text, target):
        return any("MFMA-077" in item["message"] for item in audit(text + "\ns_endpgm\n", target).findings)
