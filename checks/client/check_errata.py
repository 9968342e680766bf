# SPDX-License-Identifier: Apache-2.0
"""Mistakes in documents, where a program not written here takes a side."""

from cdna_evidence.checks import CannotTell, Check


class MlSmallestBf6(Check):
    """Every code of float6_e3m2fn: the smallest positive one, and the value of the code that the table prints.

    Shows: ml_dtypes.
    Does not show: hardware.
    """

    claim = "ERR-073"
    kind = "client"
    witness = "ml_dtypes"
    binds = ("code", "denominator", "printed_code", "printed_code_sixteenths")

    def observe(self, target, tools):
        found = tools.witness("ml_dtypes").values("e3m2").values
        values = {code: float.fromhex(text) for code, text in enumerate(found)}
        smallest = min(value for value in values.values() if value > 0)
        printed = 0b000_11
        return {
            "code": next(code for code in values if values[code] == smallest),
            "denominator": int(1 / smallest),
            "printed_code": printed,
            "printed_code_sixteenths": int(values[printed] * 16),
        }


class TritonNativeFamilies(Check):
    """Which FP8 family Triton multiplies with FP8 instructions.

    Shows: Triton 3.9.0's choice, for E4M3 of both families.
    Does not show: hardware.
    """

    claim = "ERR-070"
    kind = "client"
    witness = "triton-dot"
    binds = ("fnuz_native", "ocp_native")

    def observe(self, target, tools):
        names = {"fnuz_native": "e4m3fnuz", "ocp_native": "e4m3fn"}
        found = {}
        for name, item in zip(names, tools.witness("triton-dot").chosen(target, list(names.values()))):
            if item.outcome != "accepted":
                raise CannotTell(f"{name}: {item.outcome}")
            found[name] = any("fp8" in one or "f8f6f4" in one for one in item.matrix)
        return found
