# SPDX-License-Identifier: Apache-2.0
"""Register layouts that programs not written here give: AMD's calculator, Triton, IREE and Composable Kernel."""

import hashlib

from cdna.mfma.copy_as import bases
from cdna.mfma.layouts import layout, locate, table
from cdna.mfma.opcodes import opcodes
from cdna_evidence.checks import Check

STEM = "mfma-layouts"
SIXTEEN = "v_mfma_f32_16x16x16_f16"


def digest(rows):
    """Return the digest of a table, as the vector file defines it."""
    lines = [f"{b},{i},{j}->{lane},{vgpr},{lo},{hi}" for b, i, j, lane, vgpr, lo, hi in sorted(rows)]
    return hashlib.sha256(";".join(lines).encode()).hexdigest()


def agrees(row, target):
    """Return whether the model gives a table of the calculator in every entry."""
    rows = table(layout(row["op"], target, row["matrix"]))
    return len(rows) == row["entries"] and digest(rows) == row["sha256"]


def places(rows):
    """Return {(block, i, j): place} of table rows."""
    return {tuple(row[:3]): tuple(row[3:]) for row in rows}


def triton_agrees(row, **formats):
    """Return whether Triton's bases are the model's."""
    registers_, lanes = bases(layout(row["op"], row["target"], row["matrix"], **formats))
    return registers_ == row["reg_bases"] and lanes == row["lane_bases"]


def iree_place(row, at):
    """Return (lane, item) of an element in IREE's description: outer, thread and element along each dimension."""
    lane, item = 0, 0
    for position, outer, thread, stride, element in zip(
        at, row["outer"], row["thread"], row["tstrides"], row["element"]
    ):
        lane += position // element % thread * stride
        item = item * outer + position // (element * thread)
    for position, element in zip(at, row["element"]):
        item = item * element + position % element
    return lane, item


def iree_agrees(row, other=()):
    """Return whether the model puts every element where IREE puts it: lane and number of the value in the lane."""
    formats = {key: row[key] for key in ("a_format", "b_format") if key in row}
    where = layout(row["op"], row["target"], row["matrix"], other=other, **formats)
    for _, i, j, lane, vgpr, lo, _ in table(where):
        if iree_place(row, (i, j)) != (lane, (32 * vgpr + lo) // where.item_bits):
            return False
    return True


def is_f8(row):
    """Say whether a row speaks of an operand whose order of K is disputed."""
    return row["op"].endswith("f8f6f4") and row["matrix"] in ("A", "B")


class SixteenEntries(Check):
    """Every entry of the calculator's 16x16x16 FP16 tables, dumped by another script, against the model.

    Shows: A, B and D of this instruction, entry by entry.
    Does not show: hardware.
    """

    claim = "MFMA-001"
    kind = "vector"
    witness = STEM
    targets = ("gfx942",)
    binds = ("elements", "a_row_3_k_6", "d_row_13_column_5")

    def observe(self, target, tools):
        counts, spots = {}, {}
        for row in tools.rows(STEM, "sample", op=SIXTEEN):
            theirs = places(row["entries"])
            ours = places(table(layout(SIXTEEN, target, row["matrix"])))
            counts[row["matrix"]] = len([at for at in theirs if ours.get(at) == theirs[at]])
            spots[row["matrix"]] = theirs
        return {
            "elements": counts,
            "a_row_3_k_6": list(spots["A"][0, 3, 6]),
            "d_row_13_column_5": list(spots["D"][0, 13, 5]),
        }


class WideByTritonAndIree(Check):
    """Triton's and IREE's 16x16x32 FP16 layouts: how many values a lane holds, and agreement with the model.

    Shows: A, B and D of this instruction as two compilers lay them out.
    Does not show: hardware.
    """

    claim = "MFMA-002"
    kind = "vector"
    witness = STEM
    binds = ("values_per_lane", "agree")

    def observe(self, target, tools):
        name = "v_mfma_f32_16x16x32_f16"
        triton = tools.rows(STEM, "triton", op=name, target=target)
        iree = tools.rows(STEM, "iree", op=name, target=target)
        return {
            "values_per_lane": {row["matrix"]: 2 ** len(row["reg_bases"]) for row in triton},
            "agree": {
                "triton": len([row for row in triton if triton_agrees(row)]),
                "iree": len([row for row in iree if iree_agrees(row)]),
            },
        }


class Tables(Check):
    """Every table of AMD's calculator (gfx942), and what Triton and IREE lay out, against the model.

    Shows: how many tables agree in every entry; FP8 operands of f8f6f4 are judged elsewhere.
    Does not show: hardware; the calculator knows no CDNA4.
    """

    claim = "MFMA-080"
    kind = "vector"
    witness = STEM
    binds = ("agree",)

    def observe(self, target, tools):
        triton = [
            row for row in tools.rows(STEM, "triton", target=target) if not is_f8(row) and "scale" not in row["matrix"]
        ]
        iree = [row for row in tools.rows(STEM, "iree", target=target) if not is_f8(row)]
        found = {
            "triton": len([row for row in triton if triton_agrees(row)]),
            "iree": len([row for row in iree if iree_agrees(row)]),
        }
        if target == "gfx942":
            tables = tools.rows(STEM, "calculator")
            found["calculator"] = len([row for row in tables if agrees(row, target)])
        return {"agree": found}


class FpEightHalves(Check):
    """Triton's FP8 layout with 16 values a load, and from which lane's scale each value of a test's row was scaled.

    Shows: two programs that fit this position; the second tells the order of K by scales that differ from lane to lane.
    Does not show: on what the test ran.
    """

    claim = "MFMA-053"
    kind = "vector"
    witness = STEM
    position = "two-halves"
    binds = ("lanes_of_runs", "agree")

    def observe(self, target, tools):
        triton = [row for row in tools.rows(STEM, "triton", target=target, k_width=16) if is_f8(row)]
        kept = tools.rows(STEM, "ck_scale_log")
        return {
            "lanes_of_runs": {
                f"rows_{size}": lanes_of_runs(triton, name)
                for size, name in ((16, "v_mfma_f32_16x16x128_f8f6f4"), (32, "v_mfma_f32_32x32x64_f8f6f4"))
            },
            "agree": {
                "triton": len([row for row in triton if triton_agrees(row)]),
                "scale_log": len([row for row in kept if scales_fit(row, target)]),
            },
        }


def lanes_of_runs(rows, name):
    """Return the lane of each run of 16 values of row 0 of A in Triton's bases."""
    row = [row for row in rows if row["op"] == name and row["matrix"] == "A"][0]
    found = {}
    for lane in range(64):
        for item in range(2 ** len(row["reg_bases"])):
            i = k = 0
            for number, basis in ((lane, row["lane_bases"]), (item, row["reg_bases"])):
                for bit, step in enumerate(basis):
                    if number >> bit & 1:
                        i, k = i ^ step[0], k ^ step[1]
            if i == 0:
                found.setdefault(k // 16, set()).add(lane)
    return [list(found[run])[0] if len(found[run]) == 1 else -1 for run in sorted(found)]


def scales_fit(row, target):
    """Return whether the model says of a kept row: byte n % 32 of lane row + M * (n // 32) is scaled from that lane.

    The model's answer: which K lies in that byte, and which lane holds the scale of the block of 32 around that K.
    """
    where = layout(row["op"], target, row["matrix"])
    size = where.shape[1] if row["matrix"] == "A" else where.shape[2]
    axis = 2 if row["matrix"] == "A" else 1
    scales = layout(row["op"], target, "scale_" + row["matrix"].lower())
    held = {(entry[3], 4 * entry[4] + entry[5] // 8): entry[axis] for entry in table(where)}
    for n in range(where.shape[axis]):
        k = held[row["row"] + size * (n // 32), n % 32]
        at = (row["row"], k // 32) if row["matrix"] == "A" else (k // 32, row["row"])
        if locate(scales, *at)[0] != row["scale_thread"][n // row["values_a_run"]]:
            return False
    return True


class FpEightContiguous(Check):
    """IREE's FP8 layouts against the model under the other position.

    Shows: how many of IREE's operands are contiguous.
    Does not show: hardware; without scales that differ the product is the same.
    """

    claim = "MFMA-053"
    kind = "vector"
    witness = STEM
    position = "contiguous"
    binds = ("agree",)

    def observe(self, target, tools):
        iree = [row for row in tools.rows(STEM, "iree", target=target) if is_f8(row)]
        return {"agree": {"iree": len([row for row in iree if iree_agrees(row, ("MFMA-053",))])}}


class WidthsByCalculator(Check):
    """The registers of A, B and D that AMD's calculator gives, against the model's.

    Shows: agreement for every instruction of gfx942.
    Does not show: gfx950.
    """

    claim = "MFMA-054"
    kind = "vector"
    witness = STEM
    targets = ("gfx942",)
    binds = ("instructions", "registers")

    def observe(self, target, tools):
        details = tools.rows(STEM, "calculator_details")
        found = {row["op"]: [row["registers"][matrix] for matrix in ("A", "B", "D")] for row in details}
        return {"instructions": len(found), "registers": found}


class WideSparseByCk(Check):
    """Composable Kernel's layout arguments of SMFMAC: into how many pieces A and B are cut.

    Shows: what this library uses for each sparse instruction of the target, in step with the model.
    Does not show: how the library's authors know.
    """

    claim = "MFMA-055"
    kind = "vector"
    witness = STEM
    binds = ("pieces", "agree")

    def observe(self, target, tools):
        wide = [op.mnemonic for op in opcodes(target) if op.sparse and op.targets == (target,)]
        rows = [row for row in tools.rows(STEM, "ck_tile") if row["op"] in wide]
        cuts = sorted(set((row["a_accesses"], row["b_accesses"]) for row in rows))
        good = [row for row in rows if self._same(row, target)]
        return {"pieces": {"A": cuts[0][0], "B": cuts[0][1]} if len(cuts) == 1 else {}, "agree": len(good)}

    def _same(self, row, target):
        """Rebuild B from the arguments: K is (pieces, lane groups, rest), piece and rest count inside the lane."""
        where = layout(row["op"], target, "B")
        rest = row["k_per_lane"] // row["b_accesses"]
        groups = where.shape[1] // row["k_per_lane"]
        for _, k, j, lane, vgpr, lo, _ in table(where):
            item = k // (rest * groups) * rest + k % rest
            if (lane, (32 * vgpr + lo) // where.item_bits) != (j + where.shape[2] * (k // rest % groups), item):
                return False
        return True
