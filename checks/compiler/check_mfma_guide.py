# SPDX-License-Identifier: Apache-2.0
"""The wait states of the guides' tables on matrix dependencies, asked of LLVM's hazard pass."""

from cdna_evidence.checks.pairs import LlcPairs


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


class GuideStatesOfCdna3(LlcPairs):
    """The pairs of the CDNA3 guide's table, family by family, in MIR.

    Shows: how many states one compiler inserts where the guide asks for a number.
    Does not show: what hardware needs; to which f64 pairs the last number of a row belongs.
    """

    claim = "MFMA-084"
    binds = (
        "matrix_input",
        "vector_read",
        "memory_read",
        "overwritten",
        "exact_c",
        "part_of_c",
        "f32_to_xdl",
        "c_overwritten",
        "exec",
        "f64_vector_read",
    )
