# SPDX-License-Identifier: Apache-2.0
"""What Triton chose for FP8 types when it was last asked, kept for machines that do not have it."""

from cdna_evidence.checks import Check


class TritonFamilyKept(Check):
    """The kept choice of instructions for each FP8 type.

    Shows: for which family Triton 3.9.0 chose FP8 instructions on the target.
    Does not show: hardware.
    """

    claim = "FMT-001"
    kind = "vector"
    witness = "formats-triton"
    binds = ("multiplied_as_fp8", "converted_by_instruction")

    def observe(self, target, tools):
        document = tools.vector("formats-triton")
        tools.origin(document["origin"])
        rows = [row for row in document["chosen"] if row["target"] == target]
        return {
            "multiplied_as_fp8": self._native(rows, "dot", "matrix"),
            "converted_by_instruction": self._native(rows, "cast", "conversions"),
        }

    def _native(self, rows, question, field):
        wanted = [row for row in rows if row["question"] == question]
        marks = ("fp8", "bf8", "f8f6f4")
        return {row["format"]: any(mark in one for one in row[field] for mark in marks) for row in wanted}
