# SPDX-License-Identifier: Apache-2.0
"""Register layouts of matrix instructions, asked of the reference model by enumeration and by multiplying through them."""

import math

from cdna.mfma.layouts import layout, locate, table
from cdna.mfma.multiply import multiply, relabelling
from cdna.mfma.opcodes import matrices, opcode, opcodes, registers
from cdna_evidence.checks import CannotTell, Check

SIXTEEN = "v_mfma_f32_16x16x16_f16"
WIDE = "v_mfma_f32_16x16x32_f16"
F8 = {16: "v_mfma_f32_16x16x128_f8f6f4", 32: "v_mfma_f32_32x32x64_f8f6f4"}
SCALED = {16: "v_mfma_scale_f32_16x16x128_f8f6f4", 32: "v_mfma_scale_f32_32x32x64_f8f6f4"}


def places(rows):
    """Return the distinct places of a table's entries."""
    return set(tuple(row[3:]) for row in rows)


def values_of(name, target):
    """Return for A, B and D: values a lane, elements, and whether each element has a place of its own."""
    lanes, elements, once = {}, {}, True
    for matrix in ("A", "B", "D"):
        rows = table(layout(name, target, matrix))
        lanes[matrix] = len([row for row in rows if row[3] == 0])
        elements[matrix] = len(set(tuple(row[:3]) for row in rows))
        once = once and len(places(rows)) == len(rows)
    return lanes, elements, once


def runs(where, length):
    """Return the lanes of row or column 0 of an operand, one for each run of `length` values along K that share one."""
    found = []
    axis = 1 if where.matrix == "B" else 2
    rows = [row for row in table(where) if row[0] == 0 and row[3 - axis] == 0]
    for first in range(0, where.shape[axis], length):
        lanes = set(row[3] for row in rows if first <= row[axis] < first + length)
        found += list(lanes) if len(lanes) == 1 else [-1]
    return found


class SixteenBySixteen(Check):
    """The 16x16x16 FP16 layout holds every element of A, B and D once over 64 lanes, and where some elements lie.

    Shows: the reference model, exhaustively.
    Does not show: hardware.
    """

    claim = "MFMA-001"
    kind = "model"
    binds = ("values_per_lane", "elements", "held_once", "a_row_3_k_6", "d_row_13_column_5")

    def observe(self, target, tools):
        lanes, elements, once = values_of(SIXTEEN, target)
        return {
            "values_per_lane": lanes,
            "elements": elements,
            "held_once": once,
            "a_row_3_k_6": list(locate(layout(SIXTEEN, target, "A"), 3, 6)),
            "d_row_13_column_5": list(locate(layout(SIXTEEN, target, "D"), 13, 5)),
        }


class WideK(Check):
    """The 16x16x32 FP16 layout holds every element of A, B and D once over 64 lanes.

    Shows: the reference model, exhaustively.
    Does not show: hardware.
    """

    claim = "MFMA-002"
    kind = "model"
    binds = ("values_per_lane", "elements", "held_once")

    def observe(self, target, tools):
        lanes, elements, once = values_of(WIDE, target)
        return {"values_per_lane": lanes, "elements": elements, "held_once": once}


def formula(rows):
    """Return whether a table of A follows lane = row + 16 * (k // 4), item = k % 4, or one of D the like for rows."""
    return all(lane == i + 16 * (j // 4) and 32 * vgpr + lo == 16 * (j % 4) for _, i, j, lane, vgpr, lo, _ in rows)


class Conditions(Check):
    """Under which conditions the 16x16x16 FP16 formula holds in the model, and that each change breaks it.

    Shows: the reference model's tables against the plain formula.
    Does not show: hardware.
    """

    claim = "MFMA-013"
    kind = "model"
    binds = ("conditions", "holds")

    def observe(self, target, tools):
        op = opcode(SIXTEEN)
        rows = table(layout(SIXTEEN, target, "A"))
        blocks = "v_mfma_f32_16x16x4_4b_f16"
        last = max(row[3] for row in rows)
        conditions = {"wave_lanes": last + 1, "blocks": op.blocks, "m": op.m, "n": op.n}
        conditions.update(a_bits=rows[0][6] - rows[0][5] + 1, d_bits=32 * registers(op, "D") // 4)
        broadcast = table(layout(blocks, target, "A", cbsz=2, abid=1))
        moved = table(layout(blocks, target, "B", blgp=1))
        holds = {
            "as_stated": formula(rows),
            "four_blocks": formula(table(layout(blocks, target, "A"))),
            "thirty_two_rows": formula(table(layout("v_mfma_f32_32x32x8_f16", target, "A"))),
            "eight_bits": formula(table(layout("v_mfma_i32_16x16x32_i8", target, "A"))),
            "cbsz_set": broadcast == table(layout(blocks, target, "A")),
            "blgp_set": moved == table(layout(blocks, target, "B")),
        }
        return {"conditions": conditions, "holds": holds}


class Family(Check):
    """Every operand of every matrix instruction of a target: one place an element, and registers filled without a hole.

    Shows: the reference model, exhaustively, without modifiers.
    Does not show: hardware.
    """

    claim = "MFMA-080"
    kind = "model"
    binds = ("instructions", "operands", "one_to_one", "rows_together")

    def observe(self, target, tools):
        listed = opcodes(target)
        count, single = 0, True
        together = {}
        for op in listed:
            for matrix in matrices(op):
                where = layout(op.mnemonic, target, matrix)
                rows = table(where)
                count += 1
                single = single and len(places(rows)) * where.per_item == len(rows)
                if matrix == "D":
                    column = [row[1] for row in rows if row[0] == 0 and row[2] == 0 and row[3] == 0]
                    length = 1
                    while column[length - 1] + 1 in column:
                        length += 1
                    together.setdefault("f64" if op.d_type == "f64" else "others", set()).add(length)
        found = {key: list(lengths)[0] if len(lengths) == 1 else sorted(lengths) for key, lengths in together.items()}
        return {"instructions": len(listed), "operands": count, "one_to_one": single, "rows_together": found}


class Widths(Check):
    """The registers that the model gives A, B and D of every instruction of a target.

    Shows: the model's counts, from shape and element size.
    Does not show: what an assembler takes; another check asks one.
    """

    claim = "MFMA-054"
    kind = "model"
    binds = ("instructions", "registers")

    def observe(self, target, tools):
        listed = opcodes(target)
        found = {op.mnemonic: [registers(op, matrix) for matrix in ("A", "B", "D")] for op in listed}
        return {"instructions": len(listed), "registers": found}


def operand(name, target, matrix, salt):
    """Return small integers that differ from element to element, as codes[block][i][j]."""
    shape = layout(name, target, matrix).shape
    blocks, rows, columns = shape
    return [[[(i * columns + j) * salt % 97 for j in range(columns)] for i in range(rows)] for _ in range(blocks)]


def permuted(values, order, by_row):
    """Return an operand with its K reordered; by_row: K is the row (B), else the column (A)."""
    if by_row:
        return [[block[k] for k in order] for block in values]
    return [[[row[k] for k in order] for row in block] for block in values]


def number(code):
    """A code as the number it is written as."""
    return code


class OrderOfK(Check):
    """What a product shows of the order of K: nothing when A and B are reordered alike, something in other cases.

    Shows: products through the reference model with reordered operands.
    Does not show: in which order a device keeps K.
    """

    claim = "MFMA-052"
    kind = "model"
    binds = ("product_changes",)

    def observe(self, target, tools):
        a, b = operand(SIXTEEN, target, "A", 5), operand(SIXTEEN, target, "B", 7)
        order = [(k * 5 + 3) % 16 for k in range(16)]

        def product(left, right):
            return multiply(SIXTEEN, target, left, right, decode_a=number, decode_b=number)

        plain = product(a, b)
        changes = {
            "both_alike": product(permuted(a, order, False), permuted(b, order, True)) != plain,
            "a_alone": product(permuted(a, order, False), b) != plain,
            "rows_of_a": product([[a[0][15 - i] for i in range(16)]], b) != plain,
        }
        if target == "gfx950":
            changes.update(scales=self._scales(target), mixed_formats=self._mixed(target))
        return {"product_changes": changes}

    def _scales(self, target):
        """Reorder A and B alike across blocks of 32, with scales that differ from block to block."""
        name = SCALED[32]
        a, b = operand(name, target, "A", 5), operand(name, target, "B", 7)
        order = relabelling(layout(F8[32], target, "A"), layout(F8[32], target, "A", other=("MFMA-053",)))
        scales = {"scale_a": [[127, 128]] * 32, "scale_b": [[127] * 32, [130] * 32]}
        plain = multiply(name, target, a, b, decode_a=number, decode_b=number, **scales)
        other = multiply(
            name,
            target,
            permuted(a, order, False),
            permuted(b, order, True),
            decode_a=number,
            decode_b=number,
            **scales,
        )
        return plain != other

    def _mixed(self, target):
        """FP8 values put where one position has them, FP4 values where both have them, read back under the other."""
        order = relabelling(layout(F8[32], target, "A"), layout(F8[32], target, "A", other=("MFMA-053",)))
        a = operand(F8[32], target, "A", 5)
        b = [[[code % 16 for code in row] for row in block] for block in operand(F8[32], target, "A", 3)]
        b = [[[b[0][j][k] for j in range(32)] for k in range(64)]]
        formats = {"a_format": "fp8", "b_format": "fp4", "decode_a": number, "decode_b": number}
        return multiply(F8[32], target, a, b, **formats) != multiply(
            F8[32], target, permuted(a, order, False), b, **formats
        )


def f8_runs(target, formats, other):
    """Return the lanes of runs of 16 values along K of both f8f6f4 shapes, for A, where B has the same."""
    found = {}
    for size, name in F8.items():
        for kind in formats:
            a = runs(layout(name, target, "A", a_format=kind, b_format=kind, other=other), 16)
            b = runs(layout(name, target, "B", a_format=kind, b_format=kind, other=other), 16)
            found.setdefault(f"rows_{size}", {})[kind] = a if a == b else [-1]
    return found


class FpEightHalves(Check):
    """The model's FP8 operands of f8f6f4: two runs of 16 values a lane; FP6 and FP4 operands: 32 in a row.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "MFMA-053"
    kind = "model"
    position = "two-halves"
    other = ()
    binds = ("lanes_of_runs", "smaller_formats")

    def observe(self, target, tools):
        eight = f8_runs(target, ("fp8", "bf8"), self.other)
        return {
            "lanes_of_runs": {key: item["fp8"] if item["fp8"] == item["bf8"] else [-1] for key, item in eight.items()},
            "smaller_formats": f8_runs(target, ("fp6", "fp4"), self.other),
        }


class FpEightContiguous(FpEightHalves):
    """The same under the other position: FP8 operands hold 32 values in a row too.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    position = "contiguous"
    other = ("MFMA-053",)


class WideSparse(Check):
    """B of the wide SMFMAC instructions lies in two pieces, their A in one.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "MFMA-055"
    kind = "model"
    binds = ("b_lanes_of_runs", "a_lanes_of_runs")

    def observe(self, target, tools):
        cases = {
            "f16_k64": ("v_smfmac_f32_16x16x64_f16", 8),
            "f16_k32": ("v_smfmac_f32_32x32x32_f16", 8),
            "i8_k128": ("v_smfmac_i32_16x16x128_i8", 16),
            "i8_k64": ("v_smfmac_i32_32x32x64_i8", 16),
        }
        found = {"b_lanes_of_runs": {}, "a_lanes_of_runs": {}}
        for key, (name, length) in cases.items():
            found["b_lanes_of_runs"][key] = runs(layout(name, target, "B"), length)
            found["a_lanes_of_runs"][key] = runs(layout(name, target, "A"), length)
        return found


class DenormalsInAProduct(Check):
    """The smallest FP16 and BF16 numbers, code 1, in a product with one.

    Shows: that the model flushes neither operands nor results.
    Does not show: rounding, EXEC, or a device.
    """

    claim = "MFMA-083"
    kind = "model"
    binds = ("smallest_times_one",)

    def observe(self, target, tools):
        found = {}
        for name, product, one in (("fp16", "v_mfma_f32_16x16x16_f16", 0x3C00), ("bf16", "v_mfma_f32_16x16x16_bf16", 0x3F80)):
            left = [[[0] * 16 for _ in range(16)]]
            right = [[[one] * 16 for _ in range(16)]]
            left[0][3][5] = 1
            part, power = math.frexp(multiply(product, target, left, right)[0][3][7])
            if part != 0.5:
                raise CannotTell(f"{name}: no power of two")
            found[name] = power - 1
        return {"smallest_times_one": found}
