# SPDX-License-Identifier: Apache-2.0
"""The rules for wait states, one claim each, and the passes they follow from, asked of the reference model."""

from cdna.mfma.opcodes import opcodes
from cdna.mfma.passes import passes
from cdna_evidence.checks import Check
from cdna_evidence.checks.pairs import ModelPairs, missing


class PassTable(Check):
    """The model is asked for every matrix instruction of a target.

    Shows: how many there are.
    Does not show: that a compiler agrees; a compiler check of the same claim does.
    """

    claim = "MFMA-061"
    kind = "model"
    binds = ("instructions",)

    def observe(self, target, tools):
        return {"instructions": len(opcodes(target))}


class F8f6f4(Check):
    """The model's passes of the two f8f6f4 shapes for four pairs of operand formats.

    Shows: that one operand of eight bits is enough for the longer time.
    Does not show: hardware.
    """

    claim = "MFMA-062"
    kind = "model"
    binds = ("k128", "k64")

    def observe(self, target, tools):
        codes = {"fp8_fp8": (0, 0), "bf8_fp4": (1, 4), "fp4_fp4": (4, 4), "fp6_bf6": (2, 3)}
        return {
            "k128": {name: passes(target, "v_mfma_f32_16x16x128_f8f6f4", *code) for name, code in codes.items()},
            "k64": {name: passes(target, "v_mfma_scale_f32_32x32x64_f8f6f4", *code) for name, code in codes.items()},
        }


class MatrixInput(ModelPairs):
    """The model's states before A may be a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-063"
    binds = ("xdl", "sgemm", "dgemm")


class Overlap(ModelPairs):
    """The model's states before C may overlap a result in part, by the families of both.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-064"
    binds = ("xdl_to_xdl", "xdl_to_others", "sgemm_to_xdl", "sgemm_to_others", "dgemm_to_xdl", "dgemm_to_others")


class Exact(ModelPairs):
    """The model's states for exact chains of one opcode, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-065"
    binds = ("xdl", "sgemm", "dgemm")


class ResultRead(ModelPairs):
    """The model's states before a vector instruction may read a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-066"
    binds = ("xdl", "sgemm", "dgemm")


class ResultMemoryRead(ModelPairs):
    """The model's states before a store may read a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-067"
    binds = ("xdl", "sgemm", "dgemm")


class ResultOverwritten(ModelPairs):
    """The model's states before a load may overwrite a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-068"
    binds = ("xdl", "sgemm", "dgemm")


class Fma64(ModelPairs):
    """The model's states between an f64 matrix instruction and a multiply-add that shares no register with it.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-069"
    binds = ("small", "large")


class MatrixOrder(ModelPairs):
    """The model's states between matrix instructions that only overwrite, or share nothing.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-070"
    binds = ("overwrites_result", "overwrites_c", "independent")


class TransResult(ModelPairs):
    """The model's states between a transcendental instruction and a vector instruction that reads its result.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-071"
    binds = ("wait_states",)


class StoreData(Check):
    """A 16-byte store, and a vector instruction that overwrites its data, with nothing and a scalar one between, audited.

    Shows: the states the model misses, also behind a branch.
    Does not show: hardware.
    """

    claim = "MFMA-072"
    kind = "model"
    binds = ("adjacent", "after_one_scalar", "behind_a_branch")

    def observe(self, target, tools):
        store, move = "global_store_dwordx4 v[20:21], v[0:3], off", "v_mov_b32 v0, 0"
        scalar = "s_or_b64 exec, exec, s[0:1]"
        return {
            "adjacent": missing(target, store, move),
            "after_one_scalar": missing(target, store, scalar, move),
            "behind_a_branch": missing(target, "s_cbranch_execz .Lout", store, ".Lout: " + scalar, move),
        }


class LaneSwap(ModelPairs):
    """The model's states before a lane swap.

    Shows: the rule's numbers after a vector write of its operand, and after a vector compare that writes EXEC.
    Does not show: hardware.
    """

    claim = "MFMA-073"
    binds = ("after_vector", "after_exec")


class DotResult(ModelPairs):
    """The model's states between a dot product and an instruction of another opcode.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-074"
    binds = ("read", "overwritten")
