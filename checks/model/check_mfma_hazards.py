# SPDX-License-Identifier: Apache-2.0
"""Wait states around four-pass matrix instructions, classes and conditions, asked of the reference model."""

from cdna.mfma.passes import passes
from cdna_evidence.checks import Check
from cdna_evidence.checks.pairs import ModelPairs, by_model, missing
from cdna_evidence.witnesses.matrix_pairs import PAIRS


class PassClass(Check):
    """The model's pass count of the 16x16x16 FP16 instruction.

    Shows: the number the model's rules use.
    Does not show: what a compiler or a device does.
    """

    claim = "MFMA-004"
    kind = "model"
    binds = ("passes",)

    def observe(self, target, tools):
        return {"passes": passes(target, "v_mfma_f32_16x16x16_f16")}


class DToAB(Check):
    """A program in which A of the second instruction is what the first wrote is audited.

    Shows: the states the model misses when there are none.
    Does not show: hardware.
    """

    claim = "MFMA-005"
    kind = "model"
    binds = ("wait_states",)

    def observe(self, target, tools):
        first = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0"
        found = {
            missing(target, first, f"v_mfma_f32_16x16x16_f16 v[20:23], {a}, {b}, 0")
            for a, b in (("v[2:3]", "v[30:31]"), ("v[30:31]", "v[0:1]"))
        }
        return {"wait_states": found.pop() if len(found) == 1 else sorted(found)}


class PartialC(ModelPairs):
    """The model's states for an accumulator that overlaps a 4-pass result in part, consumer of the same kind.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-006"
    binds = ("wait_states",)


class ExactC(ModelPairs):
    """The model's states for an accumulator that is exactly a 4-pass result, same opcode.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-007"
    binds = ("wait_states",)


class SelfChains(ModelPairs):
    """The model's states for exact chains of one opcode that are no zero.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-008"
    binds = ("two_pass", "f64_4x4x4")


class OtherClasses(ModelPairs):
    """The model's states of the five further classes for 2, 8 and 16 passes.

    Shows: the rules' numbers.
    Does not show: hardware.
    """

    claim = "MFMA-009"
    binds = ("vector_input", "exec_input", "result_read", "result_overwritten", "c_overwritten")


class RegisterExamples(Check):
    """Three programs on the registers of the example are audited: D v[0:3], then C v[0:3], C v[2:5] and A v[2:3].

    Shows: what the model misses with nothing between the two instructions.
    Does not show: hardware.
    """

    claim = "MFMA-010"
    kind = "model"
    binds = ("c_exact", "c_partial", "a_operand")

    def observe(self, target, tools):
        first = "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], 0"
        then = "v_mfma_f32_16x16x16_f16 v[20:23], {}, v[10:11], {}"
        return {
            "c_exact": missing(target, first, then.format("v[8:9]", "v[0:3]")),
            "c_partial": missing(target, first, then.format("v[8:9]", "v[2:5]")),
            "a_operand": missing(target, first, then.format("v[2:3]", "v[12:15]")),
        }


class Conditions(Check):
    """The model's states as one condition at a time is changed.

    Shows: that passes and the consumer's family change the number and the register bank does not.
    Does not show: hardware.
    """

    claim = "MFMA-015"
    kind = "model"
    binds = ("read_by_passes", "two_pass_consumer", "read_by_bank")

    def observe(self, target, tools):
        found = by_model(target, PAIRS[self.claim])
        found["read_by_bank"] = {
            "vgpr": missing(target, "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], 0", "v_mov_b32 v20, v1"),
            "agpr": missing(
                target, "v_mfma_f32_16x16x16_f16 a[0:3], v[8:9], v[10:11], 0", "v_accvgpr_read_b32 v20, a1"
            ),
        }
        return found


class VectorInput(ModelPairs):
    """The model's states between a vector instruction and the matrix instruction that reads what it wrote.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-016"
    binds = ("a", "c", "transcendental", "dot")


class ExecInput(ModelPairs):
    """The model's states between a write of EXEC and a matrix instruction.

    Shows: the rule's numbers for a vector and a scalar writer.
    Does not show: hardware.
    """

    claim = "MFMA-017"
    binds = ("vector", "scalar")


class ResultUse(ModelPairs):
    """The model's states before a 4-pass result is read or overwritten.

    Shows: the rules' numbers.
    Does not show: hardware.
    """

    claim = "MFMA-018"
    binds = ("vector_read", "store_read", "lds_read", "vector_overwrite", "load_overwrite")


class COverwritten(ModelPairs):
    """The model's states before C of a 4-pass instruction is overwritten.

    Shows: the rule's number, and that it does not hang on the writer.
    Does not show: hardware.
    """

    claim = "MFMA-019"
    binds = ("vector", "load")
