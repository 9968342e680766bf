# SPDX-License-Identifier: Apache-2.0
"""Number formats as clang 22's assembler sees them: it knows instructions, and no format by name."""

from cdna_evidence.checks import Check
from cdna_evidence.checks.answers import accepted


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
