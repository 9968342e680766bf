# SPDX-License-Identifier: Apache-2.0
"""The wait states of the CDNA4 guide's table 38, asked of LLVM's hazard pass."""

from cdna_evidence.checks.pairs import LlcPairs
from cdna_evidence.witnesses import matrix_pairs as pairs


class GuideStates(LlcPairs):
    """The pairs of the guide's table, family by family, in MIR.

    Shows: how many states one compiler inserts where the guide asks for a number.
    Does not show: what hardware needs; exact chains, whose numbers the conversion lost.
    """

    claim = "MFMA-081"
    binds = (
        "matrix_input",
        "vector_read",
        "memory_read",
        "overwritten",
        "part_of_c",
        "c_overwritten",
        "inputs",
        "f64_large",
    )

    def asked(self, target):
        partial = {name + "_to_others": row for name, row in pairs.every(pairs.F32, "partial").items()}
        partial["xdl_to_xdl"] = pairs.every(pairs.F16, "partial", ("xdl",))["xdl"]
        overwritten = pairs.every("valu", "waw")
        large = overwritten["dgemm"].pop("large")
        return {
            "matrix_input": pairs.every(pairs.F16, "ab"),
            "vector_read": pairs.every("valu", "read"),
            "memory_read": pairs.every("store", "read"),
            "overwritten": overwritten,
            "part_of_c": partial,
            "c_overwritten": pairs.every("valu", "c-war", ("xdl",))["xdl"],
            "inputs": {"vector": ("valu", pairs.F16, "ab"), "exec": ("valu-exec", pairs.F16, "exec")},
            "f64_large": {"read": (pairs.F64, "valu", "read"), "overwritten": large},
        }
