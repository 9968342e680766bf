# SPDX-License-Identifier: Apache-2.0
"""Slots around matrix instructions of gfx1250, from the model's rules."""

from cdna.wmma import hazards
from cdna_evidence.checks import Check

PRODUCERS = {
    "dense": "v_wmma_f32_16x16x32_f16",
    "dense_wide": "v_wmma_i32_16x16x64_iu8",
    "sparse": "v_swmmac_f32_16x16x64_f16",
    "sparse_wide": "v_swmmac_i32_16x16x128_iu8",
}
F16 = PRODUCERS["dense"]


def slots(first, then, via, formats=("fp8", "fp8")):
    """Return the slots that the model answers."""
    return hazards.waits(first, then, via, formats[0], formats[1]).slots


def every(then, via):
    """Return the slots of the four classes."""
    return {name: slots(op, then, via) for name, op in PRODUCERS.items()}


class MatrixInputModel(Check):
    """The model's slots before a result is A, B or index.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-050"
    kind = "model"
    binds = ("slots", "as_b", "as_index")

    def observe(self, target, tools):
        index = slots(F16, PRODUCERS["sparse"], "index")
        return {"slots": every(F16, "ab"), "as_b": slots(F16, F16, "ab"), "as_index": index}


class ResultReadModel(Check):
    """The model's slots before a vector ALU instruction reads.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-051"
    kind = "model"
    binds = ("slots",)

    def observe(self, target, tools):
        return {"slots": every("valu", "read")}


class ResultOverwrittenModel(Check):
    """The model's slots before a vector ALU instruction overwrites.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-052"
    kind = "model"
    binds = ("slots",)

    def observe(self, target, tools):
        return {"slots": every("valu", "waw")}


class InputOverwrittenModel(Check):
    """The model's slots before an input is overwritten.

    Shows: the model's rule, one for A, B and index.
    Does not show: any compiler.
    """

    claim = "WMMA-053"
    kind = "model"
    binds = ("a", "b", "index")

    def observe(self, target, tools):
        found = every("valu", "ab-war")
        return {"a": found, "b": every("v_add_f32", "ab-war"), "index": {name: found[name] for name in ("sparse", "sparse_wide")}}


class AccumulatorModel(Check):
    """The model's slots where results meet as C or are overwritten.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-054"
    kind = "model"
    binds = ("slots", "control_a")

    def observe(self, target, tools):
        found = {key: slots(F16, F16, key.replace("_", "-")) for key in ("exact", "partial", "waw", "ab_war")}
        return {"slots": found, "control_a": slots(F16, F16, "ab")}


class AccumulatorOverwrittenModel(Check):
    """What the model gives as the other position where C is overwritten.

    Shows: the model's rule.
    Does not show: whether the product comes out right.
    """

    claim = "WMMA-055"
    kind = "model"
    position = "counted-like-a-and-b"
    binds = ("slots",)

    def observe(self, target, tools):
        found = hazards.other_positions("v_wmma_bf16f32_16x16x32_bf16", via="c-war")
        return {"slots": next(count for claim, name, count in found if name == self.position)}


class OtherUnitsModel(Check):
    """The model's slots before instructions of other units.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-056"
    kind = "model"
    binds = ("slots", "control_valu")

    def observe(self, target, tools):
        asked = {
            "trans_read": ("trans", "read"),
            "store_read": ("store", "read"),
            "load_address": ("load", "read"),
            "ds_load_over_a": ("ds", "ab-war"),
            "load_over_a": ("load", "ab-war"),
        }
        found = {key: slots(F16, then, via) for key, (then, via) in asked.items()}
        return {"slots": found, "control_valu": slots(F16, "valu", "read")}


class SinglePrecisionModel(Check):
    """The model's slots around the f32 product.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-057"
    kind = "model"
    binds = ("slots",)

    def observe(self, target, tools):
        name = "v_wmma_f32_16x16x4_f32"
        return {
            "slots": {
                "next_a": slots(name, F16, "ab"),
                "read": slots(name, "valu", "read"),
                "overwritten": slots(name, "valu", "waw"),
                "into_f32": slots(F16, name, "ab"),
            }
        }


class ClassesModel(Check):
    """The model's slots of fourteen products.

    Shows: the model's classes.
    Does not show: any compiler.
    """

    claim = "WMMA-058"
    kind = "model"
    binds = ("read",)

    def observe(self, target, tools):
        names = {
            "f16": F16,
            "bf16f32": "v_wmma_bf16f32_16x16x32_bf16",
            "fp8_k64": "v_wmma_f32_16x16x64_fp8_fp8",
            "fp8_k128": "v_wmma_f32_16x16x128_fp8_fp8",
            "iu8": PRODUCERS["dense_wide"],
            "f4_32x16": "v_wmma_f32_32x16x128_f4",
            "sparse_f16": PRODUCERS["sparse"],
            "sparse_fp8": "v_swmmac_f32_16x16x128_fp8_fp8",
            "sparse_iu8": PRODUCERS["sparse_wide"],
        }
        found = {key: slots(name, "valu", "read") for key, name in names.items()}
        words = {"f8": "fp8", "f6": "fp6", "f4": "fp4"}
        for a, b in (("f8", "f8"), ("f8", "f4"), ("f6", "f6"), ("f6", "f4"), ("f4", "f4")):
            found[a + "_" + b] = slots("v_wmma_f32_16x16x128_f8f6f4", "valu", "read", (words[a], words[b]))
        return {"read": found}


class _Other(Check):
    kind = "model"
    name = None

    def observe(self, target, tools):
        found = {}
        for key, then, via in (("read", "valu", "read"), ("next_a", F16, "ab")):
            others = hazards.other_positions(self.name, via=via, then=then)
            found[key] = next((count for _, position, count in others if position == self.position), slots(self.name, then, via))
        return found


class FourCyclesModel(_Other):
    """The model's answer for FP8 with K of 64.

    Shows: the model's rule for LLVM 22.1.8.
    Does not show: any compiler.
    """

    claim = "WMMA-059"
    position = "like-fp16"
    name = "v_wmma_f32_16x16x64_fp8_fp8"
    binds = ("read", "next_a")


class FourCyclesOtherModel(_Other):
    """What the model gives as the other position for FP8 with K of 64.

    Shows: the model's rule for stepping B0.
    Does not show: any compiler.
    """

    claim = "WMMA-059"
    position = "rocm-b0"
    name = "v_wmma_f32_16x16x64_fp8_fp8"
    binds = ("read", "next_a")


class EightBitModel(_Other):
    """The model's answer for f8f6f4 with FP8 on both sides.

    Shows: the model's rule for LLVM 22.1.8.
    Does not show: any compiler.
    """

    claim = "WMMA-060"
    position = "sixteen-cycles"
    name = "v_wmma_f32_16x16x128_f8f6f4"
    binds = ("read", "next_a")


class EightBitOtherModel(_Other):
    """What the model gives as the other position for f8f6f4 with FP8 on both sides.

    Shows: the model's rule for stepping B0.
    Does not show: any compiler.
    """

    claim = "WMMA-060"
    position = "rocm-b0"
    name = "v_wmma_f32_16x16x128_f8f6f4"
    binds = ("read", "next_a")


class LoadOverInputModel(Check):
    """Whether the model names the careful position for an LDS load over an input, and not for a store.

    Shows: what the model passes on.
    Does not show: hardware.
    """

    claim = "WMMA-068"
    kind = "model"
    position = "kept-apart"
    binds = ("hazard",)

    def observe(self, target, tools):
        found = hazards.other_positions(F16, via="ab-war", then="ds")
        return {"hazard": any(position == self.position and count > 0 for _, position, count in found)}
