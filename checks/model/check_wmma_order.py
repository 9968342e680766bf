# SPDX-License-Identifier: Apache-2.0
"""The order of K, the sparse index and the scales of gfx1250 matrix instructions, asked of the reference model."""

from cdna.mfma.opcodes import MatrixError
from cdna.wmma.layouts import layout, locate, table
from cdna.wmma.multiply import multiply
from cdna.wmma.opcodes import opcode, registers
from cdna_evidence.checks import Check

EIGHT = "v_wmma_f32_16x16x128_fp8_fp8"
F8 = "v_wmma_f32_16x16x128_f8f6f4"
SCALED = "v_wmma_scale_f32_16x16x128_f8f6f4"
SCALED16 = "v_wmma_scale16_f32_16x16x128_f8f6f4"
WIDE = "v_wmma_scale_f32_32x16x128_f4"
SPARSE = "v_swmmac_f32_16x16x128_fp8_fp8"


def ask(name, matrix, **given):
    """Return the Layout of an operand on gfx1250."""
    return layout(name, "gfx1250", matrix, **given)


def lanes_at(where, points):
    """Return the lane that holds row 0 (or column 0) at each of these K."""
    return [locate(where, k, 0)[0] if where.matrix == "B" else locate(where, 0, k)[0] for k in points]


def refused(work):
    """Return whether the model refuses."""
    try:
        work()
    except MatrixError:
        return True
    return False


def number(code):
    """A code as the number it is written as."""
    return code


def values(name, salt, rows, columns):
    """Return small integers that differ from place to place, as codes[0][i][j]."""
    return [[[(i * columns + j) * salt % 13 for j in range(columns)] for i in range(rows)]]


class OrderOfK(Check):
    """What a product shows of the order of K: operands laid out under one position and read under the other.

    Shows: products through the reference model.
    Does not show: in which order a device keeps K.
    """

    claim = "WMMA-005"
    kind = "model"
    binds = ("product_changes",)

    def observe(self, target, tools):
        a, b = values(EIGHT, 5, 16, 128), values(EIGHT, 7, 128, 16)
        order = [(k * 5 + 3) % 128 for k in range(128)]
        mixed = [[[row[k] for k in order] for row in a[0]]]
        both = [[b[0][k] for k in order]]
        plain = multiply(EIGHT, a, b, None, number, number)
        found = {
            "both_alike": multiply(EIGHT, mixed, both, None, number, number) != plain,
            "both_other_runs": multiply(EIGHT, a, b, None, number, number, loaded=("WMMA-006",)) != plain,
            "a_alone": multiply(EIGHT, mixed, b, None, number, number) != plain,
        }
        for word, name, blocks in (("scales_of_32", SCALED, 4), ("scales_of_16", SCALED16, 8)):
            scales = {"scale_a": [[126 + (i + n) % 3 for n in range(blocks)] for i in range(16)]}
            one = multiply(name, a, b, None, number, number, **scales)
            found[word] = multiply(name, a, b, None, number, number, loaded=("WMMA-006",), **scales) != one
        kept = values(SPARSE, 5, 16, 64)
        pairs = ((0, 1), (0, 3), (1, 2), (2, 3))
        at = [[[pairs[(i + n // 2 * 7 // 5) % 4][n % 2] for n in range(64)] for i in range(16)]]
        one = multiply(SPARSE, kept, b, None, number, number, positions=at)
        for word, claim in (("sparse_b", "WMMA-011"), ("sparse_index", "WMMA-012")):
            found[word] = multiply(SPARSE, kept, b, None, number, number, positions=at, loaded=(claim,)) != one
        return {"product_changes": found}


class _Position(Check):
    """Asks the model for its own position, or, with the claim in `other`, for the other one."""

    kind = "model"
    other = ()


class EightBitRuns(_Position):
    """In the model, from which lane eight-bit values of K=128 are read: runs of sixteen.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-006"
    position = "runs-of-sixteen"
    binds = ("lanes", "lanes_k_64", "same_in_b", "apart_in_b")

    def observe(self, target, tools):
        points = (0, 8, 16, 24, 32)
        plain = lanes_at(ask(EIGHT, "A", other=self.other), points)
        return {
            "lanes": plain,
            "same_in_b": lanes_at(ask(EIGHT, "B", other=self.other), points) == plain,
            "lanes_k_64": lanes_at(ask("v_wmma_f32_16x16x64_fp8_fp8", "A", other=self.other), points),
            "apart_in_b": lanes_at(ask(EIGHT, "B", other=self.other), points) != plain,
        }


class EightBitRunsOther(EightBitRuns):
    """The same with runs of eight.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    position = "runs-of-eight"
    other = ("WMMA-006",)


class SmallRuns(_Position):
    """In the model, from which lane FP4 and FP6 values are read: runs of thirty-two.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-009"
    position = "runs-of-thirty-two"
    binds = ("lanes_fp4", "lanes_fp6")

    def observe(self, target, tools):
        points = (0, 4, 8, 16, 32)
        given = {"a_format": "fp4", "other": self.other}
        return {
            "lanes_fp4": lanes_at(ask(F8, "A", **given), points),
            "lanes_fp6": lanes_at(ask(F8, "A", a_format="bf6", other=self.other), points),
        }


class SmallRunsOther(SmallRuns):
    """The same with runs of four.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    position = "runs-of-four"
    other = ("WMMA-009",)


class SparseB(_Position):
    """In the model, B of the K=128 SWMMAC in runs of thirty-two.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-011"
    position = "runs-of-thirty-two"
    binds = ("lanes", "as_dense")

    def observe(self, target, tools):
        where = ask(SPARSE, "B", other=self.other)
        dense = [row[1:] for row in table(ask(EIGHT, "B"))]
        return {"lanes": lanes_at(where, (0, 16, 32, 48, 64)), "as_dense": [row[1:] for row in table(where)] == dense}


class SparseBOther(SparseB):
    """The same as the dense product has it.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    position = "as-dense"
    other = ("WMMA-011",)


class SparseIndex(_Position):
    """In the model, the positions of the K=128 SWMMAC: one half of K in the lower lanes, the other in the upper.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-012"
    position = "halves-of-k"
    binds = ("index_lanes", "value_lanes", "together")

    def observe(self, target, tools):
        points = (0, 32, 64, 96)
        where = ask(SPARSE, "index", other=self.other)
        return {
            "index_lanes": lanes_at(where, points),
            "value_lanes": lanes_at(ask(SPARSE, "A"), points),
            "together": [row[3] for row in table(where)] == [row[3] for row in table(ask(SPARSE, "A"))],
        }


class SparseIndexOther(SparseIndex):
    """The same with the positions in the lanes of the values.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    position = "with-the-values"
    other = ("WMMA-012",)


class ScaleRows(Check):
    """Which lanes the model reads scales from with each row, how many rows it takes, and how many bytes a lane holds.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "WMMA-013"
    kind = "model"
    binds = ("first_lane", "selectable", "bytes_per_lane", "byte_of_block")

    def observe(self, target, tools):
        rows = {}
        for side in ("a", "b"):
            rows[side] = sum(not refused(lambda s=side, n=n: ask(SCALED, "scale_" + s, scale_row=n)) for n in range(4))
        sizes = {
            "scale": 4 * registers(opcode(SCALED), "scale_a"),
            "scale16": 4 * registers(opcode(SCALED16), "scale_a"),
        }
        return {
            "first_lane": [locate(ask(SCALED, "scale_a", scale_row=n), 0, 0)[0] for n in (0, 1)],
            "selectable": rows,
            "bytes_per_lane": sizes,
            "byte_of_block": [locate(ask(SCALED, "scale_b"), n, 0)[2] // 8 for n in range(4)],
        }


class RowOfWide(_Position):
    """The model's answer to ROW1 for thirty-two rows of A: nothing changes.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-014"
    position = "ignored"
    binds = ("row1_means",)

    def observe(self, target, tools):
        if refused(lambda: ask(WIDE, "scale_a", scale_row=1, other=self.other)):
            return {"row1_means": "reserved"}
        same = table(ask(WIDE, "scale_a", scale_row=1, other=self.other)) == table(ask(WIDE, "scale_a", other=self.other))
        return {"row1_means": "ignore" if same else "transfer"}


class RowOfWideOther(RowOfWide):
    """The same under the other position: the model refuses.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    position = "reserved"
    other = ("WMMA-014",)


class ScaleSixteen(_Position):
    """A byte for sixteen values along K fills the operand with all blocks of K.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-015"
    position = "one-byte"
    binds = ("bits_of_scale", "blocks_in_operand", "operand_bits")

    def observe(self, target, tools):
        where = ask(SCALED16, "scale_a", other=self.other)
        return {
            "bits_of_scale": where.item_bits,
            "blocks_in_operand": where.shape[2],
            "operand_bits": 32 * registers(opcode(SCALED16), "scale_a"),
        }


class ScaleSixteenOther(ScaleSixteen):
    """With sixteen bits for a scale the operand has room for half the blocks.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    position = "two-bytes"
    other = ("WMMA-015",)
