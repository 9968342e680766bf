# SPDX-License-Identifier: Apache-2.0
"""Slots around matrix instructions of gfx1250, from the model's rules, for the pairs that compilers are asked about."""

from cdna.wmma import hazards, opcodes
from cdna_evidence.checks import Check
from cdna_evidence.witnesses import wmma_forms, wmma_pairs
from cdna_evidence.witnesses.matrix_pairs import answered

# The model has one rule for A and B, and one for what it reads: A, B and index.
VIAS = {"b": "ab", "b-war": "ab-war", "index-war": "ab-war"}


def slots(first, then, via):
    """Return the slots that the model answers for a pair in the words of wmma_pairs."""
    name, *formats = first.split()
    return hazards.waits(name, then.split()[0], VIAS.get(via, via), *formats).slots


def other(pair, position):
    """Return the slots that the model gives as another position of a pair; those of its rule where it gives none."""
    first, then, via = pair
    name, *formats = first.split()
    found = hazards.other_positions(name, *formats, via=VIAS.get(via, via), then=then.split()[0])
    return next((count for _, named, count in found if named == position), slots(*pair))


class _Pairs(Check):
    """The pairs of the claim, put to the model."""

    kind = "model"

    def observe(self, target, tools):
        asked = wmma_pairs.PAIRS[self.claim]
        return answered({key: asked[key] for key in self.binds}, lambda pair: slots(*pair))


class _Other(_Pairs):
    """The same, for a position that is not the model's own rule."""

    def observe(self, target, tools):
        asked = wmma_pairs.PAIRS[self.claim]
        return answered({key: asked[key] for key in self.binds}, lambda pair: other(pair, self.position))


class MatrixInputModel(_Pairs):
    """The model's slots before a result is A, B or index.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-050"
    binds = ("slots", "as_b", "as_index")


class ResultReadModel(_Pairs):
    """The model's slots before a vector ALU instruction reads.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-051"
    binds = ("slots",)


class ResultOverwrittenModel(_Pairs):
    """The model's slots before a vector ALU instruction overwrites.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-052"
    binds = ("slots",)


class InputOverwrittenModel(_Pairs):
    """The model's slots before an input is overwritten.

    Shows: the model's rule, one for A, B and index.
    Does not show: any compiler.
    """

    claim = "WMMA-053"
    binds = ("a", "b", "index")


class AccumulatorModel(_Pairs):
    """The model's slots where results meet as C or are overwritten.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-054"
    binds = ("slots", "control_a")


class AccumulatorOverwrittenModel(_Other):
    """What the model gives as the other position where C is overwritten.

    Shows: the model's rule.
    Does not show: whether the product comes out right.
    """

    claim = "WMMA-055"
    position = "counted-like-a-and-b"
    binds = ("slots",)


class OtherUnitsModel(_Pairs):
    """The model's slots before instructions of other units.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-056"
    binds = ("slots", "control_valu")


class SinglePrecisionModel(_Pairs):
    """The model's slots around the f32 product.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-057"
    binds = ("slots",)


class ClassesModel(_Pairs):
    """The model's slots of fourteen products.

    Shows: the model's classes.
    Does not show: any compiler.
    """

    claim = "WMMA-058"
    binds = ("read",)


class FourCyclesModel(_Pairs):
    """The model's answer for FP8 with K of 64.

    Shows: the model's rule for LLVM 22.1.8.
    Does not show: any compiler.
    """

    claim = "WMMA-059"
    position = "like-fp16"
    binds = ("read", "next_a")


class FourCyclesOtherModel(_Other):
    """What the model gives as the other position for FP8 with K of 64.

    Shows: the model's rule for stepping B0.
    Does not show: any compiler.
    """

    claim = "WMMA-059"
    position = "rocm-b0"
    binds = ("read", "next_a")


class EightBitModel(_Pairs):
    """The model's answer for f8f6f4 with FP8 on both sides.

    Shows: the model's rule for LLVM 22.1.8.
    Does not show: any compiler.
    """

    claim = "WMMA-060"
    position = "sixteen-cycles"
    binds = ("read", "next_a")


class EightBitOtherModel(_Other):
    """What the model gives as the other position for f8f6f4 with FP8 on both sides.

    Shows: the model's rule for stepping B0.
    Does not show: any compiler.
    """

    claim = "WMMA-060"
    position = "rocm-b0"
    binds = ("read", "next_a")


class LoadOverInputModel(_Other):
    """Whether the model names the careful position for an LDS load over an input.

    Shows: what the model passes on.
    Does not show: hardware.
    """

    claim = "WMMA-068"
    position = "kept-apart"
    binds = ("hazard",)

    def observe(self, target, tools):
        return {"hazard": other(wmma_pairs.PAIRS[self.claim]["slots"], self.position) > 0}


class OlderFormsModel(Check):
    """The model's slots in front of and behind every form of gfx12.

    Shows: the model's rule.
    Does not show: any compiler.
    """

    claim = "WMMA-075"
    kind = "model"
    binds = ("forms", "slots")

    def observe(self, target, tools):
        forms = [name for name in opcodes.mnemonics() if wmma_forms.form(name).older]
        asked = {
            "read": [slots(name, "valu", "read") for name in forms],
            "overwritten": [slots(name, "valu", "waw") for name in forms],
            "a_overwritten": [slots(name, "valu", "ab-war") for name in forms],
            "next_a": [slots(name, wmma_pairs.F16, "ab") for name in forms],
            "into_a": [slots(wmma_pairs.F16, name, "ab") for name in forms],
        }
        # No number where the forms differ.
        return {"forms": len(forms), "slots": {key: max(found) if min(found) == max(found) else -1 for key, found in asked.items()}}


class VersionModel(_Pairs):
    """The model's slots of eight products, and before a transcendental instruction.

    Shows: the model's rule, that of LLVM 22.1.8.
    Does not show: any compiler.
    """

    claim = "WMMA-078"
    position = "llvm-22"
    binds = ("read", "trans_read")


class VersionOtherModel(_Other):
    """What the model gives as the other position before a transcendental instruction.

    Shows: the model's rule for newer compilers.
    Does not show: any compiler.
    """

    claim = "WMMA-078"
    position = "amd-llvm-23"
    binds = ("read", "trans_read")
