# SPDX-License-Identifier: Apache-2.0
"""The workgroup mask that a program not written here wrote."""

from cdna_evidence.checks import CannotTell, Check


class EncoderMask(Check):
    """MLIR was asked for workgroups 0, 2, 3 and 15.

    Shows: the mask that it wrote, and that the highest workgroup asked for is the field's last bit.
    Does not show: which workgroup of a device has which bit.
    """

    claim = "TDM-081"
    kind = "vector"
    witness = "tdm-words"
    binds = ("mask_bits", "mask_of_0_2_3_15")

    def observe(self, target, tools):
        for item in tools.vector("tdm-words")["descriptor_words"]:
            if item["id"] == "mlir_workgroup_mask":
                tools.origin(item["origin"])
                # Element size and flags start at bit 16 of the same word, so the mask is below it.
                word = int(item["group1_word0"], 16)
                mask = word & 0xFFFF
                bits = [bit for bit in range(16) if mask >> bit & 1]
                if bits != item["params"]["workgroups"]:
                    raise CannotTell("the word does not hold the workgroups asked for")
                return {"mask_bits": max(bits) + 1, "mask_of_0_2_3_15": f"0x{mask:04x}"}
        raise CannotTell("tdm-words: no entry mlir_workgroup_mask")
