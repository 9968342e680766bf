# SPDX-License-Identifier: Apache-2.0
"""The rules for wait states, one claim each, and the passes they follow from, asked of the reference model."""

from cdna.mfma.audit import audit
from cdna.mfma.hazards import waits
from cdna.mfma.opcodes import opcodes
from cdna.mfma.passes import passes
from cdna_evidence.checks import Check
from cdna_evidence.witnesses import matrix_pairs as pairs


def model(target, asked):
    """The model's states for a nested dict of pairs."""
    return pairs.answered(asked, lambda pair: waits(target, *pair).states)


def missing(target, *lines):
    """States that an audit finds missing in front of the last line."""
    found = audit("\n".join(lines) + "\ns_endpgm\n", target)
    return max([item["missing"] for item in found.dependencies if item["then"]["line"] == len(lines)], default=0)


class _Model(Check):
    kind = "model"

    def asked(self, target):
        raise NotImplementedError

    def observe(self, target, tools):
        return model(target, self.asked(target))


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


class MatrixInput(_Model):
    """The model's states before A may be a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-063"
    binds = ("xdl", "sgemm", "dgemm")

    def asked(self, target):
        return pairs.every(pairs.F16, "ab")


class Overlap(_Model):
    """The model's states before C may overlap a result in part, by the families of both.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-064"
    binds = ("xdl_to_xdl", "xdl_to_others", "sgemm_to_xdl", "sgemm_to_others", "dgemm_to_xdl", "dgemm_to_others")

    def asked(self, target):
        to_xdl, others = pairs.every(pairs.F16, "partial"), pairs.every(pairs.F32, "partial")
        found = {}
        for name in ("xdl", "sgemm", "dgemm"):
            found[name + "_to_xdl"] = to_xdl[name]
            found[name + "_to_others"] = others[name]
        return found


class Exact(_Model):
    """The model's states for exact chains of one opcode, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-065"
    binds = ("xdl", "sgemm", "dgemm")

    def asked(self, target):
        return pairs.every(None, "exact")


class ResultRead(_Model):
    """The model's states before a vector instruction may read a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-066"
    binds = ("xdl", "sgemm", "dgemm")

    def asked(self, target):
        return pairs.every("valu", "read")


class ResultMemoryRead(_Model):
    """The model's states before a store may read a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-067"
    binds = ("xdl", "sgemm", "dgemm")

    def asked(self, target):
        return pairs.every("store", "read")


class ResultOverwritten(_Model):
    """The model's states before a load may overwrite a result, family by family.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-068"
    binds = ("xdl", "sgemm", "dgemm")

    def asked(self, target):
        return pairs.every("load", "waw")


class Fma64(_Model):
    """The model's states between an f64 matrix instruction and a multiply-add that shares no register with it.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-069"
    binds = ("small", "large")

    def asked(self, target):
        return pairs.every("v_fma_f64", "independent", ("dgemm",))["dgemm"]


class MatrixOrder(_Model):
    """The model's states between matrix instructions that only overwrite, or share nothing.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-070"
    binds = ("overwrites_result", "overwrites_c", "independent")

    def asked(self, target):
        return {
            "overwrites_result": (pairs.F16, pairs.F16, "waw"),
            "overwrites_c": (pairs.F16, pairs.F16, "c-war"),
            "independent": (pairs.F16, pairs.F16, "independent"),
        }


class TransResult(_Model):
    """The model's states between a transcendental instruction and a vector instruction that reads its result.

    Shows: the rule's number.
    Does not show: hardware.
    """

    claim = "MFMA-071"
    binds = ("wait_states",)

    def asked(self, target):
        return {"wait_states": ("trans", "valu", "read")}


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


class LaneSwap(_Model):
    """The model's states before a lane swap.

    Shows: the rule's numbers after a vector write of its operand, and after a vector compare that writes EXEC.
    Does not show: hardware.
    """

    claim = "MFMA-073"
    binds = ("after_vector", "after_exec")

    def asked(self, target):
        swap = "v_permlane32_swap_b32"
        return {"after_vector": ("v_mov_b32", swap, "read"), "after_exec": ("valu-exec", swap, "exec")}


class DotResult(_Model):
    """The model's states between a dot product and an instruction of another opcode.

    Shows: the rule's numbers.
    Does not show: hardware.
    """

    claim = "MFMA-074"
    binds = ("read", "overwritten")

    def asked(self, target):
        return {"read": ("v_dot4_i32_i8", "valu", "read"), "overwritten": ("v_dot4_i32_i8", "valu", "waw")}
