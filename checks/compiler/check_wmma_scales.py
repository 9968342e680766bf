# SPDX-License-Identifier: Apache-2.0
"""Which formats of operands and scales clang's assembler takes together in a scaled product of gfx1250."""

from cdna_evidence.checks import CannotTell, Check

# format: LLVM's word, registers of A and of B
FORMATS = {"fp8": ("FP8", "v[8:23]", "v[24:39]"), "fp6": ("FP6", "v[8:19]", "v[24:35]"), "fp4": ("FP4", "v[8:15]", "v[24:31]")}
SCALES = ("E8", "E5M3", "E4M3")


def line(a, b, scale_a, scale_b):
    """Return one scaled product as assembly."""
    (word_a, at_a, _), (word_b, _, at_b) = FORMATS[a], FORMATS[b]
    text = f"v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], {at_a}, {at_b}, v[0:7], v40, v41"
    text += f" matrix_a_fmt:MATRIX_FMT_{word_a} matrix_b_fmt:MATRIX_FMT_{word_b}"
    return text + f" matrix_a_scale_fmt:MATRIX_SCALE_FMT_{scale_a} matrix_b_scale_fmt:MATRIX_SCALE_FMT_{scale_b}"


class ScalePairs(Check):
    """Every pair of FP8, FP6 and FP4 with every pair of scale formats; a pair of formats on too few registers as control.

    Shows: what the assembler takes.
    Does not show: what the hardware multiplies.
    """

    claim = "WMMA-083"
    kind = "compiler"
    witness = "clang"
    binds = ("asked", "taken", "control")

    def observe(self, target, tools):
        asked = [line(a, b, one, two) for a in FORMATS for b in FORMATS for one in SCALES for two in SCALES]
        wrong = line("fp8", "fp8", "E8", "E8").replace("v[8:23]", "v[8:15]")
        answers = tools.clang.assemble(target, [*asked, wrong])
        if any(answer.accepted is None for answer in answers):
            raise CannotTell("the assembler gave no verdict")
        taken = [answer.accepted for answer in answers]
        return {"asked": len(asked), "taken": sum(taken[:-1]), "control": "accept" if taken[-1] else "reject"}
