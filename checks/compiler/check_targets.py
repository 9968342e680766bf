# SPDX-License-Identifier: Apache-2.0
"""What clang 22 holds the two targets to have: version numbers, LDS, conversions, matrix instructions, and forced features."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import taken
from cdna_evidence.checks.search import largest_lds

XF32 = """
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x8.xf32(<2 x float>, <2 x float>, <4 x float>, i32, i32, i32)
define <4 x float> @k(<2 x float> %a, <2 x float> %b, <4 x float> %c) {
  %r = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x8.xf32(<2 x float> %a, <2 x float> %b, <4 x float> %c, i32 0, i32 0, i32 0)
  ret <4 x float> %r
}
"""
ON, OFF = (("-Xclang", "-target-feature", "-Xclang", sign + "xf32-insts") for sign in "+-")
PLAIN = {
    "v_cvt_f32_fp8": "v0, v1",
    "v_cvt_f32_bf8": "v0, v1",
    "v_cvt_pk_fp8_f32": "v0, v1, v2",
    "v_cvt_sr_fp8_f32": "v0, v1, v2",
    "v_cvt_pk_fp9_f32": "v0, v1, v2",
}
SCALED = {
    "v_cvt_scalef32_pk_f32_fp8": "v[0:1], v2, v3",
    "v_cvt_scalef32_pk_fp8_f32": "v0, v1, v2, v3",
    "v_cvt_scalef32_pk_f32_fp4": "v[0:1], v2, v3",
    "v_cvt_scalef32_pk32_f32_fp6": "v[0:31], v[32:37], v38",
    "v_cvt_pk_bf16_f32": "v0, v1, v2",
}
FOUR, SIXTEEN = "v[0:3], v[4:{0}], v[16:{1}], v[0:3]", "v[0:15], v[16:{0}], v[24:{1}], v[0:15]"
MATRIX = {
    "v_mfma_f32_16x16x16_f16": FOUR.format(5, 17),
    "v_mfma_f32_32x32x8_bf16": SIXTEEN.format(17, 25),
    "v_mfma_f32_16x16x32_f16": FOUR.format(7, 19),
    "v_mfma_f32_32x32x16_f16": SIXTEEN.format(19, 27),
    "v_mfma_f32_16x16x32_bf16": FOUR.format(7, 19),
    "v_mfma_f32_32x32x16_bf16": SIXTEEN.format(19, 27),
    "v_mfma_i32_16x16x64_i8": FOUR.format(7, 19),
    "v_mfma_f32_16x16x128_f8f6f4": FOUR.format(11, 23),
    "v_mfma_f32_32x32x64_f8f6f4": SIXTEEN.format(23, 31),
    "v_mfma_scale_f32_16x16x128_f8f6f4": FOUR.format(11, 23) + ", v24, v25 op_sel_hi:[0,0,0]",
}


def accepted(clang, target, operands):
    """Return {mnemonic: accepted} for instructions given as {mnemonic: operands}."""
    answers = clang.assemble(target, [f"{name} {text}" for name, text in operands.items()])
    return {name: taken(item) for name, item in zip(operands, answers)}


def matrix_lines(done):
    """Return the matrix instructions in compiled code."""
    return re.findall(r"^\s+(v_mfma\S+ .*)$", done.assembly, re.MULTILINE)


class IsaVersion(Check):
    """The three numbers that the assembler gives as symbols, read from the immediate of an instruction that holds them.

    Shows: how clang 22 numbers the target.
    Does not show: hardware.
    """

    claim = "TGT-001"
    kind = "compiler"
    witness = "clang"
    binds = ("version",)

    def observe(self, target, tools):
        lines = [f"s_movk_i32 s0, .amdgcn.gfx_generation_{part}" for part in ("number", "minor", "stepping")]
        found = []
        for answer in tools.clang.assemble(target, lines):
            if not taken(answer) or answer.bytes[2:] != b"\x00\xb0":
                raise CannotTell(f"{answer.text}: {answer.diagnostic}")
            found.append(int.from_bytes(answer.bytes[:2], "little"))
        return {"version": found}


class AddressableLds(Check):
    """The largest array in LDS that compiles, found by bisection; one byte more is refused.

    Shows: the limit of one workgroup in clang 22.
    Does not show: what a device has.
    """

    claim = "TGT-002"
    kind = "compiler"
    witness = "clang"
    binds = ("bytes",)

    def observe(self, target, tools):
        return {"bytes": largest_lds(tools.clang, target)}


class Fp8Conversions(Check):
    """Conversions from and to FP8, with and without scale, and one that does not exist.

    Shows: what clang 22 assembles for the target.
    Does not show: which FP8 family an instruction reads.
    """

    claim = "TGT-003"
    kind = "compiler"
    witness = "clang"
    binds = ("plain", "scaled")

    def observe(self, target, tools):
        return {"plain": accepted(tools.clang, target, PLAIN), "scaled": accepted(tools.clang, target, SCALED)}


class Xf32Instructions(Check):
    """The XF32 matrix instructions, a single-precision one beside them, and the selection of their intrinsic.

    Shows: what clang 22 assembles and selects for the target by default.
    Does not show: hardware.
    """

    claim = "TGT-004"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "selected")

    def observe(self, target, tools):
        operands = {
            "v_mfma_f32_16x16x8_xf32": FOUR.format(5, 17),
            "v_mfma_f32_32x32x4_xf32": SIXTEEN.format(17, 25),
            "v_mfma_f32_16x16x4_f32": "v[0:3], v4, v5, v[0:3]",
        }
        return {
            "accepted": accepted(tools.clang, target, operands),
            "selected": taken(tools.clang.compile_ir(target, XF32)),
        }


class WideMatrix(Check):
    """Matrix instructions of the older shapes, of twice the K, on mixed small formats and with scales.

    Shows: what clang 22 assembles for the target.
    Does not show: hardware.
    """

    claim = "TGT-005"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        return {"accepted": accepted(tools.clang, target, MATRIX)}


class DefaultFeatures(Check):
    """One intrinsic, selected with the default features, with its feature forced on, and forced off.

    Shows: that the answer of clang 22 depends on the feature and not on the name of the target.
    Does not show: hardware.
    """

    claim = "TGT-006"
    kind = "compiler"
    witness = "clang"
    binds = ("default_selected", "forced_on", "forced_off")

    def observe(self, target, tools):
        clang = tools.clang
        return {
            "default_selected": taken(clang.compile_ir(target, XF32)),
            "forced_on": taken(clang.compile_ir(target, XF32, extra=ON)),
            "forced_off": taken(clang.compile_ir(target, XF32, extra=OFF)),
        }


class NoXf32ToFallBackOn(Check):
    """Whether the target has an XF32 instruction that a product of precision TF32 could use.

    Shows: that clang 22 assembles one or refuses it.
    Does not show: how TF32 is emulated.
    """

    claim = "TGT-007"
    kind = "compiler"
    witness = "clang"
    binds = ("tf32_uses_xf32",)

    def observe(self, target, tools):
        operands = {"v_mfma_f32_32x32x4_xf32": SIXTEEN.format(17, 25), "v_mfma_f32_16x16x16_f16": FOUR.format(5, 17)}
        found = accepted(tools.clang, target, operands)
        if not found["v_mfma_f32_16x16x16_f16"]:
            raise CannotTell("the instruction beside it is refused as well")
        return {"tf32_uses_xf32": found["v_mfma_f32_32x32x4_xf32"]}


class ForcedXf32(Check):
    """The intrinsic for gfx950 with and without its feature, and what is emitted, against gfx942.

    Shows: that clang 22 emits the instruction when it is told to.
    Does not show: that the chip has it.
    """

    claim = "TGT-008"
    kind = "compiler"
    witness = "clang"
    binds = ("emitted", "refused_by_default", "same_text_as_gfx942")

    def observe(self, target, tools):
        forced = tools.clang.compile_ir(target, XF32, extra=ON)
        other = tools.clang.compile_ir("gfx942", XF32)
        if not taken(forced) or not taken(other) or len(matrix_lines(forced)) != 1:
            raise CannotTell(f"{forced.outcome}, {other.outcome}")
        return {
            "emitted": matrix_lines(forced)[0].split()[0],
            "refused_by_default": not taken(tools.clang.compile_ir(target, XF32)),
            "same_text_as_gfx942": matrix_lines(forced) == matrix_lines(other),
        }
