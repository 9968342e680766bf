# SPDX-License-Identifier: Apache-2.0
"""Slots around matrix instructions of gfx1250: V_NOPs that LLVM adds to pairs, as MIR through llc and as LLVM IR through clang."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.witnesses import wmma_mir

PRODUCERS = {
    "dense": "v_wmma_f32_16x16x32_f16",
    "dense_wide": "v_wmma_i32_16x16x64_iu8",
    "sparse": "v_swmmac_f32_16x16x64_f16",
    "sparse_wide": "v_swmmac_i32_16x16x128_iu8",
}
F16 = PRODUCERS["dense"]
F32 = "v_wmma_f32_16x16x4_f32"
FP8 = "v_wmma_f32_16x16x64_fp8_fp8"
F8F8 = "v_wmma_f32_16x16x128_f8f6f4 f8 f8"
BF16F32 = "v_wmma_bf16f32_16x16x32_bf16"
HEAD = """
declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x32.f16.v8f32.v16f16(i1, <16 x half>, i1, <16 x half>, i16, <8 x float>, i1, i1)
declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x64.fp8.fp8.v8f32.v8i32(<8 x i32>, <8 x i32>, i16, <8 x float>, i1, i1)
declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x128.f8f6f4.v8f32.v16i32.v16i32(i32, <16 x i32>, i32, <16 x i32>, i16, <8 x float>)
declare float @llvm.amdgcn.exp2.f32(float)
"""
PRODUCT = {
    "f16": ("<16 x half>", "@llvm.amdgcn.wmma.f32.16x16x32.f16.v8f32.v16f16(i1 0, {t} {a}, i1 0, {t} %b, i16 0, <8 x float> {c}, i1 0, i1 0)"),
    "fp8": ("<8 x i32>", "@llvm.amdgcn.wmma.f32.16x16x64.fp8.fp8.v8f32.v8i32({t} {a}, {t} %b, i16 0, <8 x float> {c}, i1 0, i1 0)"),
    "f8f6f4": ("<16 x i32>", "@llvm.amdgcn.wmma.f32.16x16x128.f8f6f4.v8f32.v16i32.v16i32(i32 0, {t} {a}, i32 0, {t} %b, i16 0, <8 x float> {c})"),
}  # fmt: skip


def slots(tools, target, asked):
    """Return a nested dict of (producer, consumer, via[, fill, count]) as V_NOPs that llc adds."""
    pairs = []

    def collect(item):
        if isinstance(item, dict):
            return {key: collect(value) for key, value in item.items()}
        pairs.append(item)
        return len(pairs) - 1

    shape = collect(asked)
    try:
        found = wmma_mir.slots(tools.witness("llc"), target, [wmma_mir.pair(*item) for item in pairs])
    except ValueError as error:
        raise CannotTell(str(error)) from None

    def fill(item):
        return {key: fill(value) for key, value in item.items()} if isinstance(item, dict) else found[item]

    return fill(shape)


def compiled(witness, target, kind, use):
    """Return the V_NOPs between a product written in LLVM IR and its use: read, trans, dual (its whole result), a or c."""
    kinds, call = PRODUCT[kind]
    first = "%r = call <8 x float> " + call.format(t=kinds, a="%a", c="%c")
    wide = kinds.split("x")[1].strip(" >")
    cast = f"%x = bitcast <8 x float> %r to {kinds}" if kinds != "<16 x i32>" else ""
    tail = {
        "read": ("float", "%e = extractelement <8 x float> %r, i32 0\n %q = fadd float %e, 1.0", "v_add_f32"),
        "trans": ("float", "%e = extractelement <8 x float> %r, i32 0\n %q = call float @llvm.amdgcn.exp2.f32(float %e)", "v_exp_f32"),
        "dual": ("<8 x float>", "%q = bitcast <8 x float> %r to <8 x float>", "v_dual_mov_b32"),
        "a": ("<8 x float>", cast + "\n %q = call <8 x float> " + call.format(t=kinds, a="%x", c="%c"), "v_wmma"),
        "c": ("<8 x float>", "%q = call <8 x float> " + call.format(t=kinds, a="%a", c="%r"), "v_wmma"),
    }[use]  # fmt: skip
    text = f"{HEAD}define {tail[0]} @k({kinds} %a, {kinds} %b, <8 x float> %c) {{\n {first}\n {tail[1]}\n ret {tail[0]} %q\n}}\n"
    done = witness.compile_ir(target, text)
    if not done.accepted:
        raise CannotTell(f"{done.outcome}: {done.diagnostic[:200]}")
    lines = [line.strip() for line in done.assembly.splitlines() if re.match(r"\s+v_", line)]
    start = next((i for i, line in enumerate(lines) if line.startswith("v_wmma")), None)
    stop = None if start is None else next((i for i in range(start + 1, len(lines)) if lines[i].startswith(tail[2])), None)
    if stop is None or any(line != "v_nop" for line in lines[start + 1 : stop]):
        raise CannotTell(f"the pair is not as written ({wide}): {lines[:12]}")
    return stop - start - 1


class MatrixInput(Check):
    """Four classes of product whose result is A of an FP16 product, and one whose result is B and the index of SWMMAC.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-050"
    kind = "compiler"
    witness = "llc"
    binds = ("slots", "as_b", "as_index")

    def observe(self, target, tools):
        asked = {
            "slots": {name: (op, F16, "a") for name, op in PRODUCERS.items()},
            "as_b": (F16, F16, "b"),
            "as_index": (F16, PRODUCERS["sparse"], "index"),
        }
        return slots(tools, target, asked)


class MatrixInputCompiled(Check):
    """An FP16 product whose result is A of the next, as LLVM IR.

    Shows: the V_NOPs in clang's assembly.
    Does not show: the other classes.
    """

    claim = "WMMA-050"
    kind = "compiler"
    witness = "clang"
    binds = ("as_b",)

    def observe(self, target, tools):
        return {"as_b": compiled(tools.clang, target, "f16", "a")}


class ResultRead(Check):
    """Four classes of product whose result a vector addition reads.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-051"
    kind = "compiler"
    witness = "llc"
    binds = ("slots",)

    def observe(self, target, tools):
        return slots(tools, target, {"slots": {name: (op, "valu", "read") for name, op in PRODUCERS.items()}})


class ResultOverwritten(Check):
    """Four classes of product whose result a vector addition overwrites.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-052"
    kind = "compiler"
    witness = "llc"
    binds = ("slots",)

    def observe(self, target, tools):
        return slots(tools, target, {"slots": {name: (op, "valu", "waw") for name, op in PRODUCERS.items()}})


class InputOverwritten(Check):
    """Four classes of product whose A, B or index a vector addition overwrites.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-053"
    kind = "compiler"
    witness = "llc"
    binds = ("a", "b", "index")

    def observe(self, target, tools):
        asked = {side: {name: (op, "valu", "war-" + side) for name, op in PRODUCERS.items()} for side in ("a", "b")}
        asked["index"] = {name: (PRODUCERS[name], "valu", "war-index") for name in ("sparse", "sparse_wide")}
        return slots(tools, target, asked)


class Accumulator(Check):
    """An FP16 product and another that reads or overwrites its registers as C, D or A; as a control one that reads it as A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: stalls of the hardware.
    """

    claim = "WMMA-054"
    kind = "compiler"
    witness = "llc"
    binds = ("slots", "control_a")

    def observe(self, target, tools):
        asked = {"exact": (F16, F16, "c"), "partial": (F16, F16, "c-partial"), "waw": (F16, F16, "waw"), "ab_war": (F16, F16, "war-a")}
        return slots(tools, target, {"slots": asked, "control_a": (F16, F16, "a")})


class AccumulatorOverwritten(Check):
    """C of the product whose result lies elsewhere, overwritten by a vector addition, beside A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: whether the product comes out right.
    """

    claim = "WMMA-055"
    kind = "compiler"
    position = "no-slots"
    witness = "llc"
    binds = ("slots", "control_a")

    def observe(self, target, tools):
        return slots(tools, target, {"slots": (BF16F32, "valu", "war-c"), "control_a": (BF16F32, "valu", "war-a")})


class OtherUnits(Check):
    """An FP16 product and a transcendental instruction, a store, loads and an LDS load on its registers; a vector addition as control.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: that none is needed.
    """

    claim = "WMMA-056"
    kind = "compiler"
    witness = "llc"
    binds = ("slots", "control_valu")

    def observe(self, target, tools):
        asked = {
            "trans_read": (F16, "trans", "read"),
            "store_read": (F16, "store", "read"),
            "load_address": (F16, "load", "read"),
            "ds_load_over_a": (F16, "ds-load", "war-a"),
            "load_over_a": (F16, "load", "war-a"),
        }
        return slots(tools, target, {"slots": asked, "control_valu": (F16, "valu", "read")})


class TranscendentalLater(Check):
    """An FP16 product whose result a transcendental instruction reads, through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: which version began.
    """

    claim = "WMMA-056"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("llvm_24_trans_read",)

    def observe(self, target, tools):
        return {"llvm_24_trans_read": compiled(tools.witness("triton-llvm"), target, "f16", "trans")}


class SinglePrecision(Check):
    """The f32 product as producer and as consumer.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: hardware.
    """

    claim = "WMMA-057"
    kind = "compiler"
    witness = "llc"
    binds = ("slots",)

    def observe(self, target, tools):
        asked = {"next_a": (F32, F16, "a"), "read": (F32, "valu", "read"), "overwritten": (F32, "valu", "waw"), "into_f32": (F16, F32, "a")}
        return slots(tools, target, {"slots": asked})


class Classes(Check):
    """Fourteen products, each read by a vector addition; and a form of gfx12, assembled and as an intrinsic.

    Shows: V_NOPs of LLVM's hazard pass, and what assembler and code generator take.
    Does not show: latencies of hardware.
    """

    claim = "WMMA-058"
    kind = "compiler"
    witness = "llc"
    binds = ("read", "gfx12_form")

    def observe(self, target, tools):
        names = {
            "f16": F16,
            "bf16f32": BF16F32,
            "fp8_k64": FP8,
            "fp8_k128": "v_wmma_f32_16x16x128_fp8_fp8",
            "iu8": PRODUCERS["dense_wide"],
            "f4_32x16": "v_wmma_f32_32x16x128_f4",
            "sparse_f16": PRODUCERS["sparse"],
            "sparse_fp8": "v_swmmac_f32_16x16x128_fp8_fp8",
            "sparse_iu8": PRODUCERS["sparse_wide"],
        }
        names.update({pair.replace(" ", "_"): "v_wmma_f32_16x16x128_f8f6f4 " + pair for pair in ("f8 f8", "f8 f4", "f6 f6", "f6 f4", "f4 f4")})
        found = slots(tools, target, {"read": {key: (name, "valu", "read") for key, name in names.items()}})
        found["gfx12_form"] = self._older(target, tools.clang)
        return found

    def _older(self, target, clang):
        answer = clang.assemble(target, ["v_wmma_f32_16x16x16_f16 v[0:7], v[8:11], v[12:15], v[0:7]"])[0]
        text = (
            "declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16(<8 x half>, <8 x half>, <8 x float>)\n"
            "define <8 x float> @k(<8 x half> %a, <8 x half> %b, <8 x float> %c) {\n"
            " %r = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v8f16(<8 x half> %a, <8 x half> %b, <8 x float> %c)\n"
            " ret <8 x float> %r\n}\n"
        )
        words = {"assembled": answer.accepted, "selected": clang.compile_ir(target, text).accepted}
        compiled(clang, target, "f16", "read")
        words["control"] = True
        return {key: "accept" if value else "reject" for key, value in words.items()}


class FourCycles(Check):
    """An FP8 product with K of 64, read by a vector addition and as A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-059"
    kind = "compiler"
    position = "like-fp16"
    witness = "llc"
    binds = ("read", "next_a")

    def observe(self, target, tools):
        return slots(tools, target, {"read": (FP8, "valu", "read"), "next_a": (FP8, F16, "a")})


class FourCyclesLater(Check):
    """The same pairs through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-059"
    kind = "compiler"
    position = "rocm-b0"
    witness = "triton-llvm"
    binds = ("read", "next_a")

    def observe(self, target, tools):
        witness = tools.witness("triton-llvm")
        return {"read": compiled(witness, target, "fp8", "read"), "next_a": compiled(witness, target, "fp8", "a")}


class EightBitSides(Check):
    """An f8f6f4 product with FP8 on both sides, read by a vector addition and as A.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-060"
    kind = "compiler"
    position = "sixteen-cycles"
    witness = "llc"
    binds = ("read", "next_a")

    def observe(self, target, tools):
        return slots(tools, target, {"read": (F8F8, "valu", "read"), "next_a": (F8F8, F16, "a")})


class EightBitSidesLater(Check):
    """The read through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-060"
    kind = "compiler"
    position = "rocm-b0"
    witness = "triton-llvm"
    binds = ("read",)

    def observe(self, target, tools):
        return {"read": compiled(tools.witness("triton-llvm"), target, "f8f6f4", "read")}


class Unit(Check):
    """An FP16 product, fillers of several kinds, and a vector read; how many fillers until nothing is added.

    Shows: what LLVM's hazard pass credits.
    Does not show: time.
    """

    claim = "WMMA-061"
    kind = "compiler"
    witness = "llc"
    binds = ("added_after_three", "fewest_valu", "fewest_matrix")

    def observe(self, target, tools):
        kinds = ("s_nop_7", "salu", "load", "valu", "v_nop")
        found = slots(tools, target, {"added_after_three": {kind: (F16, "valu", "read", kind, 3) for kind in kinds}})
        for key, fill in (("fewest_valu", "valu"), ("fewest_matrix", F16)):
            rest = slots(tools, target, {n: (F16, "valu", "read", fill, n) for n in range(12)})
            found[key] = min((n for n in rest if rest[n] == 0), default=-1)
        return found


class Neighbour(Check):
    """The BF16 product read as A and by a vector addition, for gfx1250 and gfx1251.

    Shows: V_NOPs of LLVM 22.
    Does not show: later versions.
    """

    claim = "WMMA-067"
    kind = "compiler"
    witness = "llc"
    binds = ("next_a", "read")

    def observe(self, target, tools):
        name = "v_wmma_f32_16x16x32_bf16"
        found = {one: slots(tools, one, {"next_a": (name, F16, "a"), "read": (name, "valu", "read")}) for one in (target, "gfx1251")}
        return {key: {one: found[one][key] for one in found} for key in ("next_a", "read")}


class LoadOverInput(Check):
    """An LDS load and a vector addition that overwrite A of an FP16 product.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR, and whether it sees a hazard.
    Does not show: hardware.
    """

    claim = "WMMA-068"
    kind = "compiler"
    position = "no-slots"
    witness = "llc"
    binds = ("hazard", "slots", "control_valu")

    def observe(self, target, tools):
        found = slots(tools, target, {"slots": (F16, "ds-load", "war-a"), "control_valu": (F16, "valu", "war-a")})
        return {"hazard": found["slots"] > 0, **found}


class ResultReadCompiled(Check):
    """Three products whose result a vector addition reads, as LLVM IR.

    Shows: the V_NOPs in clang's assembly.
    Does not show: sparse products.
    """

    claim = "WMMA-051"
    kind = "compiler"
    witness = "clang"
    binds = ("compiled",)

    def observe(self, target, tools):
        return {"compiled": {name: compiled(tools.clang, target, name, "read") for name in ("f16", "fp8", "f8f6f4")}}


class ChainCompiled(Check):
    """Two FP16 products, the second reading the first as C, and as A, as LLVM IR.

    Shows: the V_NOPs in clang's assembly.
    Does not show: stalls of the hardware.
    """

    claim = "WMMA-054"
    kind = "compiler"
    witness = "clang"
    binds = ("compiled",)

    def observe(self, target, tools):
        return {"compiled": {name: compiled(tools.clang, target, "f16", use) for name, use in (("exact", "c"), ("control_a", "a"))}}


class FourCyclesCompiled(Check):
    """An FP8 product with K of 64, read by a vector addition and as A, as LLVM IR.

    Shows: the V_NOPs in clang's assembly.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-059"
    kind = "compiler"
    position = "like-fp16"
    witness = "clang"
    binds = ("read", "next_a")

    def observe(self, target, tools):
        return {name: compiled(tools.clang, target, "fp8", use) for name, use in (("read", "read"), ("next_a", "a"))}


class EightBitSidesCompiled(Check):
    """An f8f6f4 product with FP8 on both sides, read by a vector addition, as LLVM IR.

    Shows: the V_NOPs in clang's assembly.
    Does not show: what a stepping needs.
    """

    claim = "WMMA-060"
    kind = "compiler"
    position = "sixteen-cycles"
    witness = "clang"
    binds = ("read",)

    def observe(self, target, tools):
        return {"read": compiled(tools.clang, target, "f8f6f4", "read")}


class DualIssue(Check):
    """An FP16 product whose whole result is moved by dual-issue instructions, and one that a single addition reads.

    Shows: the V_NOPs in clang's assembly.
    Does not show: other releases.
    """

    claim = "WMMA-062"
    kind = "compiler"
    witness = "clang"
    binds = ("slots", "single")

    def observe(self, target, tools):
        return {"slots": compiled(tools.clang, target, "f16", "dual"), "single": compiled(tools.clang, target, "f16", "read")}
