# SPDX-License-Identifier: Apache-2.0
"""Slots around matrix instructions of gfx1250: V_NOPs that LLVM writes between two instructions, as MIR and as LLVM IR.

Which pairs a claim asks about stands in one table, cdna_evidence.witnesses.wmma_pairs; here stands who is asked.
"""

from cdna_evidence.checks import Check
from cdna_evidence.checks.pairs import slots
from cdna_evidence.witnesses import wmma_pairs


class _Pairs(Check):
    """The pairs of the claim, put to llc where a check names no other compiler."""

    kind = "compiler"
    witness = "llc"

    def observe(self, target, tools):
        asked = wmma_pairs.PAIRS[self.claim]
        return slots(tools.witness(self.witness), target, {key: asked[key] for key in self.binds})


class MatrixInput(_Pairs):
    """Four classes of product whose result is A of an FP16 product, and one whose result is B and the index of SWMMAC.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-050"
    binds = ("slots", "as_b", "as_index")


class MatrixInputCompiled(MatrixInput):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: hardware.
    """

    witness = "clang"


class ResultRead(_Pairs):
    """Four classes of product whose result a vector addition reads.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-051"
    binds = ("slots",)


class ResultReadCompiled(ResultRead):
    """The same pairs as LLVM IR, and three products by their format.

    Shows: V_NOPs in clang's assembly.
    Does not show: hardware.
    """

    witness = "clang"
    binds = ("slots", "compiled")


class ResultOverwritten(_Pairs):
    """Four classes of product whose result a vector addition overwrites.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-052"
    binds = ("slots",)


class ResultOverwrittenCompiled(ResultOverwritten):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: hardware.
    """

    witness = "clang"


class InputOverwritten(_Pairs):
    """Four classes of product whose A, B or index a vector addition overwrites.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-053"
    binds = ("a", "b", "index")


class InputOverwrittenCompiled(InputOverwritten):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: hardware.
    """

    witness = "clang"


class Accumulator(_Pairs):
    """An FP16 product and another that reads or overwrites its registers as C, D or A; as a control one that reads it as A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: stalls of the hardware.
    """

    claim = "WMMA-054"
    binds = ("slots", "control_a")


class ChainCompiled(Accumulator):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: stalls of the hardware.
    """

    witness = "clang"
    binds = ("slots", "control_a", "compiled")


class AccumulatorOverwritten(_Pairs):
    """C of the product whose result lies elsewhere, overwritten by a vector addition, beside A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: whether the product comes out right.
    """

    claim = "WMMA-055"
    position = "no-slots"
    binds = ("slots", "control_a")


class AccumulatorOverwrittenCompiled(AccumulatorOverwritten):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: whether the product comes out right.
    """

    witness = "clang"


class AccumulatorOverwritten23(AccumulatorOverwritten):
    """The same pairs through the LLVM in AMD's wheel.

    Shows: V_NOPs of AMD's LLVM 23.
    Does not show: whether the product comes out right.
    """

    witness = "rocm-llvm-c"


class AccumulatorOverwritten24(AccumulatorOverwritten):
    """The same pairs through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: whether the product comes out right.
    """

    witness = "triton-llvm"


class OtherUnits(_Pairs):
    """An FP16 product and a transcendental instruction, a store, loads and an LDS load on its registers; a vector addition as control.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: that none is needed.
    """

    claim = "WMMA-056"
    binds = ("slots", "control_valu")


class OtherUnitsCompiled(OtherUnits):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: that none is needed.
    """

    witness = "clang"


class TranscendentalLater(_Pairs):
    """An FP16 product whose result a transcendental instruction reads, through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: which version began.
    """

    claim = "WMMA-056"
    witness = "triton-llvm"
    binds = ("llvm_24_trans_read",)


class SinglePrecision(_Pairs):
    """The f32 product as producer and as consumer.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-057"
    binds = ("slots",)


class SinglePrecisionCompiled(SinglePrecision):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: hardware.
    """

    witness = "clang"


class Classes(_Pairs):
    """Fourteen products, each read by a vector addition.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: latencies of hardware.
    """

    claim = "WMMA-058"
    binds = ("read",)


class ClassesCompiled(Classes):
    """The same pairs as LLVM IR; and a form of gfx12, assembled and as an intrinsic.

    Shows: V_NOPs in clang's assembly, and what assembler and code generator take.
    Does not show: latencies of hardware.
    """

    witness = "clang"
    binds = ("read", "gfx12_form")

    def observe(self, target, tools):
        asked = wmma_pairs.PAIRS[self.claim]["read"]
        older = "v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]"
        name = "@llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16"
        text = (
            f"declare <8 x float> {name}(<8 x half>, <8 x half>, <8 x float>)\n"
            "define <8 x float> @k(<8 x half> %a, <8 x half> %b, <8 x float> %c) {\n"
            f" %r = call <8 x float> {name}(<8 x half> %a, <8 x half> %b, <8 x float> %c)\n"
            " ret <8 x float> %r\n}\n"
        )
        read = slots(tools.clang, target, asked)
        taken = {
            "assembled": tools.clang.assemble(target, [older])[0].accepted,
            "selected": tools.clang.compile_ir(target, text).accepted,
            # That the products above were compiled shows that this target has products at all.
            "control": bool(read),
        }
        return {"read": read, "gfx12_form": {key: "accept" if value else "reject" for key, value in taken.items()}}


class FourCycles(_Pairs):
    """An FP8 product with K of 64, read by a vector addition and as A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-059"
    position = "like-fp16"
    binds = ("read", "next_a")


class FourCyclesCompiled(FourCycles):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: what a stepping needs.
    """

    witness = "clang"


class FourCyclesLater(FourCycles):
    """The same pairs through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: what a stepping needs.
    """

    position = "rocm-b0"
    witness = "triton-llvm"


class EightBitSides(_Pairs):
    """An f8f6f4 product with FP8 on both sides, read by a vector addition and as A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-060"
    position = "sixteen-cycles"
    binds = ("read", "next_a")


class EightBitSidesCompiled(EightBitSides):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: what a stepping needs.
    """

    witness = "clang"


class EightBitSidesLater(EightBitSides):
    """The same pairs through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: what a stepping needs.
    """

    position = "rocm-b0"
    witness = "triton-llvm"


class Unit(_Pairs):
    """An FP16 product, fillers of several kinds, and a vector read; how many fillers until nothing is added.

    Shows: what LLVM's hazard pass credits.
    Does not show: time.
    """

    claim = "WMMA-061"
    binds = ("added_after_three", "fewest_valu", "fewest_matrix")

    def observe(self, target, tools):
        llc = tools.witness("llc")
        found = slots(llc, target, wmma_pairs.PAIRS[self.claim])
        for key, fill in (("fewest_valu", "valu"), ("fewest_matrix", wmma_pairs.F16)):
            rest = slots(llc, target, {n: (wmma_pairs.F16, "valu", "read", fill, n) for n in range(12)})
            found[key] = min((n for n in rest if rest[n] == 0), default=-1)
        return found


class Neighbour(_Pairs):
    """The BF16 product read as A and by a vector addition, for gfx1250 and for gfx1251.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: later versions.
    """

    claim = "WMMA-067"
    binds = ("llvm_22",)


class NeighbourCompiled(Neighbour):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: later versions.
    """

    witness = "clang"


class NeighbourLater(Neighbour):
    """FP16, FP8 and f8f6f4 products for both targets, through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: hardware.
    """

    witness = "triton-llvm"
    binds = ("llvm_24",)


class LoadOverInput(_Pairs):
    """An LDS load and a vector addition that overwrite A of an FP16 product.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR, and whether it sees a hazard.
    Does not show: hardware.
    """

    claim = "WMMA-068"
    position = "no-slots"
    binds = ("slots", "control_valu", "hazard")

    def observe(self, target, tools):
        found = slots(tools.witness(self.witness), target, wmma_pairs.PAIRS[self.claim])
        return {**found, "hazard": found["slots"] > 0}


class LoadOverInputCompiled(LoadOverInput):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: hardware.
    """

    witness = "clang"


class Scales(_Pairs):
    """A result that is a block scale of the next product, and a scale overwritten by a vector addition; A as control.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: that none is needed.
    """

    claim = "WMMA-077"
    binds = ("result_is_scale", "scale_overwritten", "control")


class ScalesCompiled(Scales):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly.
    Does not show: that none is needed.
    """

    witness = "clang"


class Scales23(Scales):
    """The pairs of scales through the LLVM in AMD's wheel.

    Shows: V_NOPs of AMD's LLVM 23.
    Does not show: that none is needed.
    """

    witness = "rocm-llvm-c"


class Scales24(Scales):
    """The pairs of scales through the code generator of the triton wheel, with the result as A for control.

    Shows: V_NOPs of LLVM 24.
    Does not show: that none is needed.
    """

    witness = "triton-llvm"

    def observe(self, target, tools):
        found = super().observe(target, tools)
        # Its classes are others (WMMA-060): what counts here is that A gets slots at all.
        found["control"]["a_overwritten"] = found["control"]["a_overwritten"] > 0
        return found

    def judge(self, observed, values):
        control = {**values["control"], "a_overwritten": values["control"]["a_overwritten"] > 0}
        return super().judge(observed, {**values, "control": control})


class Version22(_Pairs):
    """Eight products read by a vector addition and one by a transcendental instruction, as LLVM IR.

    Shows: V_NOPs of clang 22.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-078"
    position = "llvm-22"
    witness = "clang"
    binds = ("read", "trans_read")


class Version23(Version22):
    """The same pairs through the LLVM in AMD's wheel.

    Shows: V_NOPs of AMD's LLVM 23.
    Does not show: what a stepping needs.
    """

    position = "amd-llvm-23"
    witness = "rocm-llvm-c"


class Version24(Version22):
    """The same pairs through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: what a stepping needs.
    """

    position = "llvm-24"
    witness = "triton-llvm"
