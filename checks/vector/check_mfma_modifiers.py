# SPDX-License-Identifier: Apache-2.0
"""Modifiers, the sparse index, scales and rates as AMD's calculator and Triton give them."""

import hashlib

from cdna.mfma.copy_as import bases
from cdna.mfma.layouts import layout, table
from cdna.mfma.opcodes import MatrixError, opcodes, operations_per_cycle
from cdna_evidence.checks import Check

STEM = "mfma-layouts"
SIXTEEN = "v_mfma_f32_16x16x16_f16"


def digest(rows):
    """Return the digest of a table, as the vector file defines it."""
    lines = [f"{b},{i},{j}->{lane},{vgpr},{lo},{hi}" for b, i, j, lane, vgpr, lo, hi in sorted(rows)]
    return hashlib.sha256(";".join(lines).encode()).hexdigest()


def agrees(row, target="gfx942"):
    """Return whether the model gives a table of the calculator in every entry, or refuses where it refuses."""
    given = {key: row[key] for key in ("cbsz", "abid", "blgp") if key in row}
    try:
        rows = table(layout(row["op"], target, row["matrix"], **given))
    except MatrixError:
        return row.get("refused", False)
    if row.get("refused"):
        return False
    return len(rows) == row["entries"] and digest(rows) == row["sha256"]


def triton_agrees(row, **formats):
    """Return whether Triton's bases are the model's."""
    registers_, lanes = bases(layout(row["op"], row["target"], row["matrix"], **formats))
    return registers_ == row["reg_bases"] and lanes == row["lane_bases"]


class ModifiersByCalculator(Check):
    """BLGP in AMD's calculator: for how many instructions, and agreement of every table with it.

    Shows: the calculator's list for gfx942.
    Does not show: that hardware ignores the field elsewhere.
    """

    claim = "MFMA-056"
    kind = "vector"
    witness = STEM
    position = "listed"
    targets = ("gfx942",)
    binds = ("lane_modifier_instructions", "sign_instructions", "tables_with_blgp")

    def observe(self, target, tools):
        listed = [row["op"] for row in tools.rows(STEM, "calculator_details", blgp=True)]
        rows = [row for row in tools.rows(STEM, "calculator_modifiers") if row.get("blgp")]
        return {
            "lane_modifier_instructions": len([op for op in listed if "_f64_" not in op]),
            "sign_instructions": len([op for op in listed if "_f64_" in op]),
            "tables_with_blgp": len([row for row in rows if "refused" not in row and agrees(row)]),
        }


class IndexByCalculator(Check):
    """The calculator's tables of A and of the index of every SMFMAC, with several sets of positions.

    Shows: agreement in every entry on gfx942.
    Does not show: the wide instructions of gfx950, which it does not know.
    """

    claim = "MFMA-057"
    kind = "vector"
    witness = STEM
    targets = ("gfx942",)
    binds = ("agree",)

    def observe(self, target, tools):
        plain = [
            row
            for row in tools.rows(STEM, "calculator")
            if row["op"].startswith("v_smfmac") and row["matrix"] in ("A", "index")
        ]
        chosen = [row for row in tools.rows(STEM, "calculator_modifiers") if row["matrix"] == "index"]
        return {
            "agree": {"tables": len([r for r in plain if agrees(r)]), "sets": len([r for r in chosen if agrees(r)])}
        }


class RatesByCalculator(Check):
    """Operations of a compute unit in a cycle, as AMD's calculator prints them, for some instructions and against all.

    Shows: the calculator's numbers, and that shape and passes give the same ones for every instruction.
    Does not show: what a product reaches.
    """

    claim = "MFMA-058"
    kind = "vector"
    witness = STEM
    binds = ("per_cycle", "agree")

    def observe(self, target, tools):
        rows = {row["op"]: row["per_cu_per_cycle"] for row in tools.rows(STEM, "calculator_details")}
        chosen = {
            "f16": SIXTEEN,
            "xf32": "v_mfma_f32_16x16x8_xf32",
            "f32": "v_mfma_f32_16x16x4_f32",
            "f64": "v_mfma_f64_16x16x4_f64",
            "i8": "v_mfma_i32_16x16x32_i8",
            "fp8": "v_mfma_f32_16x16x32_fp8_fp8",
            "sparse_f16": "v_smfmac_f32_16x16x32_f16",
            "sparse_fp8": "v_smfmac_f32_16x16x64_fp8_fp8",
        }
        good = [op for op in opcodes(target) if operations_per_cycle(op, target) == rows.get(op.mnemonic)]
        return {"per_cycle": {key: rows[name] for key, name in chosen.items()}, "agree": len(good)}


class BroadcastByCalculator(Check):
    """CBSZ and ABID in AMD's calculator: agreement of every table with them, and of every refusal.

    Shows: the calculator's tables for gfx942.
    Does not show: hardware; the CDNA4 guide words the rule otherwise.
    """

    claim = "MFMA-059"
    kind = "vector"
    witness = STEM
    position = "group-of-blocks"
    targets = ("gfx942",)
    binds = ("agree",)

    def observe(self, target, tools):
        rows = [row for row in tools.rows(STEM, "calculator_modifiers") if row["matrix"] == "A"]
        good = [row for row in rows if agrees(row)]
        return {
            "agree": {
                "tables": len([row for row in good if "refused" not in row]),
                "refused": len([row for row in good if "refused" in row]),
            }
        }


class ScalesByTriton(Check):
    """Triton's layout of the scales of A, in step with the model's.

    Shows: lane by lane, one byte each.
    Does not show: which byte of the register an instruction reads.
    """

    claim = "MFMA-060"
    kind = "vector"
    witness = STEM
    binds = ("lanes_of_row_0",)

    def observe(self, target, tools):
        found = {}
        for row in tools.rows(STEM, "triton", matrix="scale_a"):
            if triton_agrees(row):
                rows = len([basis for basis in row["lane_bases"] if basis[0]])
                found[f"rows_{2**rows}"] = [2**rows * kb for kb in range(2 ** (6 - rows))]
        return {"lanes_of_row_0": found}
