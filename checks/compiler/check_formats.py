# SPDX-License-Identifier: Apache-2.0
"""Number formats as clang 22's assembler sees them: it knows instructions, and no format by name."""

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import accepted, instructions, taken, verdict


class SameMnemonic(Check):
    """FP8 conversions by mnemonic, and one made-up mnemonic that would name the family.

    Shows: that clang 22 takes the same mnemonics for both targets, so that they do not tell the family.
    Does not show: which family an instruction reads; this assembler knows none.
    """

    claim = "FMT-001"
    kind = "compiler"
    witness = "clang"
    binds = ("mnemonic", "mnemonic_accepted")

    def observe(self, target, tools):
        lines = {name: name + " v0, v1" for name in ("v_cvt_f32_fp8", "v_cvt_f32_bf8", "v_cvt_f32_fp8fnuz")}
        found = accepted(tools.clang, target, lines)
        return {"mnemonic": next(name for name in lines if found[name]), "mnemonic_accepted": found}


class MatrixFormats(Check):
    """One matrix instruction a format, FP8 aside; FP6 and FP4 by the format code of the mixed instruction.

    Shows: what clang 22 assembles for the target.
    Does not show: hardware, and that the code means the format that this check calls it.
    """

    claim = "FMT-056"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        mixed = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:{a}], v[12:{b}], v[0:3] cbsz:{code} blgp:{code}"
        lines = {
            "fp16": "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]",
            "bf16": "v_mfma_f32_16x16x16_bf16 v[0:3], v[4:5], v[6:7], v[0:3]",
            "xf32": "v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[6:7], v[0:3]",
            "e2m3": mixed.format(a=9, b=17, code=2),
            "e3m2": mixed.format(a=9, b=17, code=3),
            "e2m1": mixed.format(a=7, b=15, code=4),
            "e8m0": "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3], v20, v21 op_sel_hi:[0,0,0]",
        }
        if target == "gfx1250":
            mixed = "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:{a}], v[24:{b}], v[0:7] matrix_a_fmt:MATRIX_FMT_{code} matrix_b_fmt:MATRIX_FMT_{code}"
            lines.update(
                fp16="v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
                bf16="v_wmma_f32_16x16x32_bf16 v[0:7], v[8:15], v[16:23], v[0:7]",
                e2m3=mixed.format(a=19, b=35, code="FP6"),
                e3m2=mixed.format(a=19, b=35, code="BF6"),
                e2m1=mixed.format(a=15, b=31, code="FP4"),
                e8m0="v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[0:7], v40, v41",
            )
        return {"accepted": accepted(tools.clang, target, lines)}


CONVERSIONS = """declare i32 @llvm.amdgcn.cvt.pk.fp8.f32{0}(float, float, i32, i1)
declare i32 @llvm.amdgcn.cvt.sr.fp8.f32{0}(float, i32, i32, i32)
declare float @llvm.amdgcn.cvt.f32.fp8{0}(i32, i32)
define void @f(float %x, i32 %y, ptr %p) {{
 %a = call i32 @llvm.amdgcn.cvt.pk.fp8.f32{0}(float %x, float %x, i32 0, i1 false)
 %b = call i32 @llvm.amdgcn.cvt.sr.fp8.f32{0}(float %x, i32 %y, i32 0, i32 0)
 %c = call float @llvm.amdgcn.cvt.f32.fp8{0}(i32 %y, i32 0)
 store volatile i32 %a, ptr %p
 store volatile i32 %b, ptr %p
 store volatile float %c, ptr %p
 ret void
}}
"""
ENDS = {"plain": "", "e5m3": ".e5m3"}


class ClampedConversions(Check):
    """Conversions from and to FP8 and BF8 with a clamp, assembled.

    Shows: where clang 22 takes the clamp.
    Does not show: what hardware makes of it.
    """

    claim = "FMT-069"
    kind = "compiler"
    witness = "clang"
    binds = ("taken",)

    def observe(self, target, tools):
        lines = {f"v_cvt_{kind}_{small}_f32": "" for kind in ("pk", "sr") for small in ("fp8", "bf8")}
        lines = {name: name + " v0, v1, v2 clamp" for name in lines} | {"v_cvt_f32_fp8": "v_cvt_f32_fp8_e64 v0, v1 clamp"}
        answers = tools.clang.assemble(target, list(lines.values()))
        return {"taken": {name: verdict(answer) for name, answer in zip(lines, answers, strict=True)}}


class ClampIsE5m3(Check):
    """A conversion with and without clamp, assembled; LLVM's conversions to and from E4M3 and E5M3, compiled.

    Shows: which bit the clamp is, and for which of the two formats clang 22 sets it.
    Does not show: what hardware makes of it.
    """

    claim = "FMT-069"
    kind = "compiler"
    witness = "clang"
    binds = ("clamp_bit", "clamp_of_intrinsic")
    targets = ("gfx1250",)

    def observe(self, target, tools):
        pair = tools.clang.assemble(target, ["v_cvt_pk_fp8_f32 v0, v1, v2", "v_cvt_pk_fp8_f32 v0, v1, v2 clamp"])
        if not all(taken(answer) for answer in pair):
            raise CannotTell("the conversion is not assembled")
        words = [int.from_bytes(answer.bytes, "little") for answer in pair]
        differs = words[0] ^ words[1]
        if differs & differs - 1 or not differs:
            raise CannotTell("the clamp is not one bit")
        compiled = {name: tools.clang.compile_ir(target, CONVERSIONS.format(end)) for name, end in ENDS.items()}
        found = {name: [line for line in instructions(code) if line.startswith("v_cvt_")] for name, code in compiled.items()}
        clamps = {name: [line.endswith(" clamp") for line in lines] for name, lines in found.items()}
        return {"clamp_bit": differs.bit_length() - 1, "clamp_of_intrinsic": clamps}


SCALED = {
    "gfx950": {
        "to_small": "i32 @llvm.amdgcn.cvt.scalef32.pk.fp4.f32(i32 %i, float %x, float %x, {0} %s, i32 0)",
        "from_small": "<2 x float> @llvm.amdgcn.cvt.scalef32.pk.f32.fp4(i32 %i, {0} %s, i32 0)",
    },
    "gfx1250": {
        "to_small": "i32 @llvm.amdgcn.cvt.scalef32.pk8.fp4.f32(<8 x float> %v, {0} %s)",
        "from_small": "<8 x float> @llvm.amdgcn.cvt.scale.pk8.f32.fp4(i32 %i, {0} %s, i32 0)",
    },
}


class TypeOfScale(Check):
    """A conversion to FP4 and one from it, as LLVM IR, with a float and with an integer as the scale.

    Shows: which of the two types clang 22 takes for the scale.
    Does not show: which bits of it the hardware reads.
    """

    claim = "FMT-070"
    kind = "compiler"
    witness = "clang"
    binds = ("takes",)

    def observe(self, target, tools):
        types = {"float": "float", "integer": "i32"}
        asked = {way: {name: self.program(call.format(kind), kind) for name, kind in types.items()} for way, call in SCALED[target].items()}
        return {"takes": {way: {name: taken(tools.clang.compile_ir(target, text)) for name, text in texts.items()} for way, texts in asked.items()}}

    def program(self, call, kind):
        result, rest = call.split(" @")
        name, arguments = rest[:-1].split("(")
        kinds = ", ".join(argument.rsplit(" ", 1)[0] for argument in arguments.split(", "))
        return (
            f"declare {result} @{name}({kinds})\n"
            f"define {result} @f(i32 %i, float %x, <8 x float> %v, {kind} %s) {{\n"
            f" %r = call {call}\n ret {result} %r\n}}\n"
        )


class PlaceOfSelection(Check):
    """A conversion from FP4 assembled with selections 0 and 1.

    Shows: into which bit clang 22 writes the lowest bit of `scale_sel`.
    Does not show: what it does.
    """

    claim = "FMT-072"
    kind = "compiler"
    witness = "clang"
    binds = ("word_bit",)

    def observe(self, target, tools):
        line = "v_cvt_scale_pk8_f32_fp4 v[0:7], v10, v4 scale_sel:"
        pair = tools.clang.assemble(target, [line + "0", line + "1"])
        if not all(taken(answer) for answer in pair):
            raise CannotTell("the conversion is not assembled")
        words = [int.from_bytes(answer.bytes, "little") for answer in pair]
        return {"word_bit": (words[0] ^ words[1]).bit_length() - 1}
