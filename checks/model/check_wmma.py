# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx1250 asked of the reference model, by enumeration and by multiplying through the layouts."""

from cdna.mfma.opcodes import MatrixError, format_of
from cdna.wmma.layouts import layout, locate, table
from cdna.wmma.multiply import multiply
from cdna.wmma.opcodes import element_type, index_bits, index_sets, matrices, opcode, opcodes, registers
from cdna_evidence.checks import Check

SIXTEEN = "v_wmma_f32_16x16x32_f16"
F8 = "v_wmma_f32_16x16x128_f8f6f4"
WIDE = "v_wmma_scale_f32_32x16x128_f4"
SPARSE = "v_swmmac_f32_16x16x128_fp8_fp8"
KEYED = ("v_swmmac_f32_16x16x32_f16", "v_swmmac_f32_16x16x64_f16", SPARSE, "v_swmmac_i32_16x16x64_iu4")


def ask(name, matrix, **given):
    """Return the Layout of an operand on gfx1250."""
    return layout(name, "gfx1250", matrix, **given)


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
            "formula": {
                "sixteen_rows": all(op.m == 32 for op in bad),
                "thirty_two_rows": any(op.m == 32 for op in good),
            },
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
        return {
            "instructions": len(listed),
            "exact": good,
            "equal": {"with_c": good == len(listed), "without_c": bare > 0},
        }


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
