# SPDX-License-Identifier: Apache-2.0
"""The scalar subtracts that shrink a bound, asked of a real assembler."""

from cdna_evidence.checks import CannotTell, Check


class SubtractForms(Check):
    """Which subtracts the assembler takes on the registers that hold the bound: words 1 and 2 of a group at s4.

    Shows: that the pair of these two words is refused by the 64-bit form, and an even pair is not.
    Does not show: what a compiler would choose, or time.
    """

    claim = "TDM-050"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        lines = {
            "one_subtract": "s_sub_co_u32 s5, s5, 0x100000",
            "subtract_with_borrow": "s_sub_co_ci_u32 s6, s6, 0",
            "odd_pair_64_bit": "s_sub_nc_u64 s[5:6], s[5:6], s[20:21]",
            "even_pair_64_bit": "s_sub_nc_u64 s[6:7], s[6:7], s[20:21]",
        }
        # The group itself is a legal operand, so the registers are those of a real descriptor.
        group = "tensor_load_to_lds s[0:3], s[4:11]"
        answers = tools.clang.assemble(target, [group, *lines.values()])
        if any(answer.accepted is None for answer in answers) or not answers[0].accepted:
            raise CannotTell("; ".join(f"{answer.text}: {answer.outcome}" for answer in answers))
        return {"accepted": {name: answer.accepted for name, answer in zip(lines, answers[1:])}}
