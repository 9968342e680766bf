# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx1250 asked of the reference model, by enumeration and by multiplying through the layouts."""

from cdna.mfma.opcodes import MatrixError, format_of
from cdna.wmma.layouts import layout, locate, table
from cdna.wmma.multiply import multiply
from cdna.wmma.opcodes import element_type, index_bits, index_sets, matrices, opcode, opcodes, registers
from cdna_evidence.checks import Check

SIXTEEN = "v_wmma_f32_16x16x32_f16"
EIGHT = "v_wmma_f32_16x16x128_fp8_fp8"
F8 = "v_wmma_f32_16x16x128_f8f6f4"
SCALED = "v_wmma_scale_f32_16x16x128_f8f6f4"
SCALED16 = "v_wmma_scale16_f32_16x16x128_f8f6f4"
WIDE = "v_wmma_scale_f32_32x16x128_f4"
SPARSE = "v_swmmac_f32_16x16x128_fp8_fp8"
KEYED = ("v_swmmac_f32_16x16x32_f16", "v_swmmac_f32_16x16x64_f16", SPARSE, "v_swmmac_i32_16x16x64_iu4")


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


class Registers(Check):
    """The registers that the model gives the operands of every instruction, from shapes and element sizes.

    Shows: the model's counts.
    Does not show: what an assembler takes; another check asks one.
    """

    claim = "WMMA-001"
    kind = "model"
    binds = ("instructions", "registers")

    def observe(self, target, tools):
        found = {}
        for op in opcodes(target):
            found[op.mnemonic] = [registers(op, matrix) for matrix in ("A", "B", "D")]
            beside = [matrix for matrix in matrices(op) if matrix in ("index", "scale_a")]
            found[op.mnemonic] += [registers(op, matrix) for matrix in beside]
        return {"instructions": len(found), "registers": found}


class Gate(Check):
    """How many instructions the model has for a target: it refuses any but gfx1250.

    Shows: the model's gate.
    Does not show: a compiler's; another check asks one.
    """

    claim = "WMMA-002"
    kind = "model"
    binds = ("accepted",)

    def observe(self, target, tools):
        return {"accepted": 0 if refused(lambda: opcodes(target)) else len(opcodes(target))}


class Results(Check):
    """C and D of every 16x16 instruction against the plain formula, where two elements lie, and that the formula can fail.

    Shows: the reference model, exhaustively.
    Does not show: hardware.
    """

    claim = "WMMA-003"
    kind = "model"
    binds = ("instructions", "formula", "rows_together", "d_row_13_column_5", "packed_row_13_column_5")

    def observe(self, target, tools):
        good, bad = [], []
        for op in opcodes(target):
            rows = table(ask(op.mnemonic, "D"))
            bits = rows[0][6] - rows[0][5] + 1
            fits = all(
                i == lane // 16 * 8 + (32 * vgpr + lo) // bits and j == lane % 16 for _, i, j, lane, vgpr, lo, _ in rows
            )
            (good if op.m == 16 and fits else bad).append(op)
        column = [row[1] for row in table(ask(SIXTEEN, "D")) if row[3] == 0]
        return {
            "instructions": len(good),
            "formula": {"sixteen_rows": all(op.m == 32 for op in bad), "thirty_two_rows": any(op.m == 32 for op in good)},
            "rows_together": len(column) if column == list(range(len(column))) else 0,
            "d_row_13_column_5": list(locate(ask(SIXTEEN, "D"), 13, 5)),
            "packed_row_13_column_5": list(locate(ask("v_wmma_f16_16x16x32_f16", "D"), 13, 5)),
        }


class Inputs(Check):
    """A and B of every instruction: which lane a row or a column has, one place an element, no bit left over.

    Shows: the reference model, exhaustively, FP8 operands where the instruction chooses.
    Does not show: hardware, nor the order of K.
    """

    claim = "WMMA-004"
    kind = "model"
    binds = ("operands", "one_to_one", "rows_of_lane_3", "row_31_elsewhere")

    def observe(self, target, tools):
        count, single, named, wide = 0, True, True, False
        for op in opcodes(target):
            for matrix in ("A", "B"):
                rows = table(ask(op.mnemonic, matrix))
                count += 1
                places = set(row[3:] for row in rows)
                single = single and sum(hi - lo + 1 for _, _, lo, hi in places) == 1024 * registers(op, matrix)
                named = named and all(row[3] % 16 == row[1 if matrix == "A" else 2] % 16 for row in rows)
                wide = wide or any(row[1] == 31 and row[3] % 16 != 15 for row in rows if matrix == "A")
        third = sorted(set(row[1] for row in table(ask(WIDE, "A")) if row[3] % 16 == 3))
        found = {"operands": count, "one_to_one": single and named, "row_31_elsewhere": wide}
        return dict(found, rows_of_lane_3=third)


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


POINTS = (0, 8, 16, 24, 32)


def eights(other=()):
    """Return the lanes of FP8 values of row 0 at K 0, 8, 16, 24 and 32, in the plain and in the scaled instruction."""
    plain = lanes_at(ask(EIGHT, "A", other=other), POINTS)
    return {
        "lanes": plain,
        "same_in_b": lanes_at(ask(EIGHT, "B", other=other), POINTS) == plain,
        "lanes_k_64": lanes_at(ask("v_wmma_f32_16x16x64_fp8_fp8", "A", other=other), POINTS),
        "apart_in_b": lanes_at(ask(EIGHT, "B", other=other), POINTS) != plain,
    }


class EightBitRuns(Check):
    """In the model, from which lane eight-bit values of K=128 are read: runs of sixteen.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-006"
    kind = "model"
    position = "runs-of-sixteen"
    binds = ("lanes", "lanes_k_64", "same_in_b", "apart_in_b")

    def observe(self, target, tools):
        return eights()


class EightBitRunsOther(Check):
    """The same with runs of eight.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-006"
    kind = "model"
    position = "runs-of-eight"
    binds = ("lanes", "lanes_k_64", "same_in_b", "apart_in_b")

    def observe(self, target, tools):
        return eights(("WMMA-006",))


class FormatRegisters(Check):
    """The registers that the model gives A of f8f6f4 for each format code that it knows.

    Shows: the model's counts.
    Does not show: an assembler's.
    """

    claim = "WMMA-008"
    kind = "model"
    binds = ("registers_by_code", "codes", "formats")

    def observe(self, target, tools):
        op = opcode(F8)
        codes = [code for code in range(8) if not refused(lambda code=code: format_of(code, "a_format"))]
        return {
            "registers_by_code": [registers(op, "A", code) for code in codes],
            "codes": len(codes),
            "formats": {element_type(op, "A", code): code for code in codes},
        }


def small(other=()):
    """Return the lanes of FP4 and FP6 values of row 0 at five places along K."""
    points = (0, 4, 8, 16, 32)
    given = {"a_format": "fp4", "other": other}
    return {
        "lanes_fp4": lanes_at(ask(F8, "A", **given), points),
        "lanes_fp6": lanes_at(ask(F8, "A", a_format="bf6", other=other), points),
    }


class SmallRuns(Check):
    """In the model, from which lane FP4 and FP6 values are read: runs of thirty-two.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-009"
    kind = "model"
    position = "runs-of-thirty-two"
    binds = ("lanes_fp4", "lanes_fp6")

    def observe(self, target, tools):
        return small()


class SmallRunsOther(Check):
    """The same with runs of four.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-009"
    kind = "model"
    position = "runs-of-four"
    binds = ("lanes_fp4", "lanes_fp6")

    def observe(self, target, tools):
        return small(("WMMA-009",))


class IndexBits(Check):
    """How many bits of positions a lane needs, how many sets that makes, and in how many registers, in the model.

    Shows: two bits for each kept value of A, counted.
    Does not show: what index_key does where the model has one set.
    """

    claim = "WMMA-010"
    kind = "model"
    binds = ("bits_a_lane", "sets", "index_registers")

    def observe(self, target, tools):
        ops = [opcode(name) for name in KEYED]
        return {
            "bits_a_lane": {op.mnemonic: index_bits(op) for op in ops},
            "sets": {op.mnemonic: index_sets(op) for op in ops},
            "index_registers": {op.mnemonic: registers(op, "index") for op in ops},
        }


def sparse_b(other=()):
    """Return the lanes of column 0 of B of the K=128 SWMMAC, and whether the dense product lays B out alike."""
    where = ask(SPARSE, "B", other=other)
    dense = [row[1:] for row in table(ask(EIGHT, "B"))]
    return {"lanes": lanes_at(where, (0, 16, 32, 48, 64)), "as_dense": [row[1:] for row in table(where)] == dense}


class SparseB(Check):
    """In the model, B of the K=128 SWMMAC in runs of thirty-two.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-011"
    kind = "model"
    position = "runs-of-thirty-two"
    binds = ("lanes", "as_dense")

    def observe(self, target, tools):
        return sparse_b()


class SparseBOther(Check):
    """The same as the dense product has it.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-011"
    kind = "model"
    position = "as-dense"
    binds = ("lanes", "as_dense")

    def observe(self, target, tools):
        return sparse_b(("WMMA-011",))


def index_of(other=()):
    """Return the lanes of the positions of row 0 along K, and whether they are the lanes of the kept values."""
    points = (0, 32, 64, 96)
    where = ask(SPARSE, "index", other=other)
    return {
        "index_lanes": lanes_at(where, points),
        "value_lanes": lanes_at(ask(SPARSE, "A"), points),
        "together": [row[3] for row in table(where)] == [row[3] for row in table(ask(SPARSE, "A"))],
    }


class SparseIndex(Check):
    """In the model, the positions of the K=128 SWMMAC: one half of K in the lower lanes, the other in the upper.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-012"
    kind = "model"
    position = "halves-of-k"
    binds = ("index_lanes", "value_lanes", "together")

    def observe(self, target, tools):
        return index_of()


class SparseIndexOther(Check):
    """The same with the positions in the lanes of the values.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-012"
    kind = "model"
    position = "with-the-values"
    binds = ("index_lanes", "value_lanes", "together")

    def observe(self, target, tools):
        return index_of(("WMMA-012",))


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
        sizes = {"scale": 4 * registers(opcode(SCALED), "scale_a"), "scale16": 4 * registers(opcode(SCALED16), "scale_a")}
        return {
            "first_lane": [locate(ask(SCALED, "scale_a", scale_row=n), 0, 0)[0] for n in (0, 1)],
            "selectable": rows,
            "bytes_per_lane": sizes,
            "byte_of_block": [locate(ask(SCALED, "scale_b"), n, 0)[2] // 8 for n in range(4)],
        }


def row_of_wide(other=()):
    """Return what the model makes of ROW1 for thirty-two rows: a refusal, no change, or another place."""
    if refused(lambda: ask(WIDE, "scale_a", scale_row=1, other=other)):
        return {"row1_means": "reserved"}
    same = table(ask(WIDE, "scale_a", scale_row=1, other=other)) == table(ask(WIDE, "scale_a", other=other))
    return {"row1_means": "ignore" if same else "transfer"}


class RowOfWide(Check):
    """The model's answer to ROW1 for thirty-two rows of A: nothing changes.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-014"
    kind = "model"
    position = "ignored"
    binds = ("row1_means",)

    def observe(self, target, tools):
        return row_of_wide()


class RowOfWideOther(Check):
    """The same under the other position: the model refuses.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-014"
    kind = "model"
    position = "reserved"
    binds = ("row1_means",)

    def observe(self, target, tools):
        return row_of_wide(("WMMA-014",))


def sixteen(other=()):
    """Return the bits of a scale and how many blocks of K a lane's operand holds."""
    where = ask(SCALED16, "scale_a", other=other)
    return {
        "bits_of_scale": where.item_bits,
        "blocks_in_operand": where.shape[2],
        "operand_bits": 32 * registers(opcode(SCALED16), "scale_a"),
    }


class ScaleSixteen(Check):
    """A byte for sixteen values along K fills the operand with all blocks of K.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-015"
    kind = "model"
    position = "one-byte"
    binds = ("bits_of_scale", "blocks_in_operand", "operand_bits")

    def observe(self, target, tools):
        return sixteen()


class ScaleSixteenOther(Check):
    """With sixteen bits for a scale the operand has room for half the blocks.

    Shows: the reference model under this position.
    Does not show: hardware.
    """

    claim = "WMMA-015"
    kind = "model"
    position = "two-bytes"
    binds = ("bits_of_scale", "blocks_in_operand", "operand_bits")

    def observe(self, target, tools):
        return sixteen(("WMMA-015",))


class ThirtyTwoRows(Check):
    """Where the second sixteen rows of the 32x16 instruction lie in A, in D and in the scales.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "WMMA-017"
    kind = "model"
    binds = ("a_row_19_k_0", "d_row_29_column_5", "scale_row_19_block_1")

    def observe(self, target, tools):
        return {
            "a_row_19_k_0": list(locate(ask(WIDE, "A"), 19, 0)),
            "d_row_29_column_5": list(locate(ask(WIDE, "D"), 29, 5)),
            "scale_row_19_block_1": list(locate(ask(WIDE, "scale_a"), 19, 1)),
        }


class Multiply(Check):
    """Every instruction multiplies integers through its registers and gives the plain product, sparse and scaled too.

    Shows: the reference model; a product whose C was left out differs.
    Does not show: hardware, nor the rounding of its sums.
    """

    claim = "WMMA-018"
    kind = "model"
    binds = ("instructions", "exact", "equal")

    def observe(self, target, tools):
        good, bare = 0, 0
        listed = opcodes(target)
        for op in listed:
            wanted, found, without = products(op)
            good += found == wanted
            bare += without == wanted
        return {"instructions": len(listed), "exact": good, "equal": {"with_c": good == len(listed), "without_c": bare > 0}}


def products(op):
    """Return (plain product, the model's, the model's without C) of one instruction, for integers and powers of two."""
    kept = op.k // 2 if op.sparse else op.k
    a, b = values(op.mnemonic, 5, op.m, kept), values(op.mnemonic, 7, op.k, 16)
    c = [[[1 + i * 16 + j for j in range(16)] for i in range(op.m)]]
    given, full = {}, a[0]
    if op.sparse:
        at = [[[(0, 2, 1, 3)[2 * ((i + n // 2) % 2) + n % 2] for n in range(kept)] for i in range(16)]]
        full = [[0] * op.k for _ in range(16)]
        for i in range(16):
            for n in range(kept):
                full[i][n // 2 * 4 + at[0][i][n]] = a[0][i][n]
        given["positions"] = at
    weight = [[[1] * op.k for _ in range(16)] for _ in range(op.m)]
    if op.scale_block:
        blocks = op.k // op.scale_block
        given["scale_a"] = [[127 + (i + n) % 3 for n in range(blocks)] for i in range(op.m)]
        given["scale_b"] = [[127 + j * n % 4 for j in range(16)] for n in range(blocks)]
        for i in range(op.m):
            for j in range(16):
                steps = [(i + n) % 3 + j * n % 4 for n in range(blocks)]
                weight[i][j] = [2 ** steps[k // op.scale_block] for k in range(op.k)]
    plain = [
        [c[0][i][j] + sum(full[i][k] * b[0][k][j] * weight[i][j][k] for k in range(op.k)) for j in range(16)]
        for i in range(op.m)
    ]
    done = multiply(op.mnemonic, a, b, c, number, number, **given)[0]
    return plain, done, multiply(op.mnemonic, a, b, None, number, number, **given)[0]


class MixedAccumulator(Check):
    """Registers of C and D of the instructions that name BF16 results of an FP32 accumulator, in the model.

    Shows: the model's counts.
    Does not show: an assembler's.
    """

    claim = "WMMA-019"
    kind = "model"
    binds = ("wmma", "swmmac")

    def observe(self, target, tools):
        dense, sparse = opcode("v_wmma_bf16f32_16x16x32_bf16"), opcode("v_swmmac_bf16f32_16x16x64_bf16")
        return {
            "wmma": {"c": registers(dense, "C"), "d": registers(dense, "D")},
            "swmmac": {"d": registers(sparse, "D")},
        }
