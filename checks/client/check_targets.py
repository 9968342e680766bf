# SPDX-License-Identifier: Apache-2.0
"""What Triton offers for products of single-precision numbers on the two targets."""

from cdna_evidence.checks import CannotTell, Check


class TritonPrecisions(Check):
    """A product of single-precision numbers with each precision that can be asked for, compiled now.

    Shows: which precisions Triton 3.9.0 takes for the target, and with which matrix instructions.
    Does not show: how exact a result is, nor hardware.
    """

    claim = "TGT-007"
    kind = "client"
    witness = "triton-dot"
    binds = ("tf32_offered", "bf16x3_offered", "tf32_uses_xf32", "bf16x3_uses_bf16", "ieee_instruction")

    def observe(self, target, tools):
        program = tools.witness("triton-dot")
        found = {name: program.chosen(target, ["fp32"], name)[0] for name in ("tf32", "bf16x3", "ieee")}
        for name, item in found.items():
            if item.outcome not in ("accepted", "rejected"):
                raise CannotTell(f"{name}: {item.outcome}")
            if item.outcome == "rejected" and "must be one of" not in item.diagnostic:
                raise CannotTell(f"{name}: {item.diagnostic[-160:]}")
        if len(found["ieee"].matrix) != 1:
            raise CannotTell(f"single precision with {found['ieee'].matrix}")
        return {
            "tf32_offered": found["tf32"].outcome == "accepted",
            "bf16x3_offered": found["bf16x3"].outcome == "accepted",
            "tf32_uses_xf32": any("xf32" in one for one in found["tf32"].matrix),
            "bf16x3_uses_bf16": any("bf16" in one for one in found["bf16x3"].matrix),
            "ieee_instruction": found["ieee"].matrix[0],
        }
