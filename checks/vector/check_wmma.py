# SPDX-License-Identifier: Apache-2.0
"""Register layouts of gfx1250 as programs not written here give them: Triton's linear layouts, rocJITsu's tests."""

from cdna.mfma.copy_as import bases
from cdna.wmma.layouts import layout, locate
from cdna.wmma.multiply import multiply
from cdna_evidence.checks import Check

STEM = "wmma-layouts"
EIGHT = "v_wmma_f32_16x16x128_fp8_fp8"
SIXTEEN = "v_wmma_f32_16x16x32_f16"
SHORT = "v_wmma_f32_16x16x64_fp8_fp8"


def element(row, lane, item):
    """Return (row, column) that Triton's bases give for an item of a lane."""
    at = [0, 0]
    for number, steps in ((lane, row["lane_bases"]), (item, row["reg_bases"])):
        for bit, step in enumerate(steps):
            if number >> bit & 1:
                at = [at[0] ^ step[0], at[1] ^ step[1]]
    return tuple(at)


def holder(row, i, j):
    """Return the (lane, item) to which Triton gives an element."""
    for lane in range(32):
        for item in range(2 ** len(row["reg_bases"])):
            if element(row, lane, item) == (i, j):
                return lane, item
    return -1, -1


def agrees(row, other=()):
    """Return whether Triton's bases are the model's."""
    return list(bases(layout(row["op"], "gfx1250", row["matrix"], other=other))) == [
        row["reg_bases"],
        row["lane_bases"],
    ]


def lanes_of(row, points):
    """Return the lanes to which Triton gives row or column 0 at each K."""
    return [holder(row, k, 0)[0] if row["matrix"] == "B" else holder(row, 0, k)[0] for k in points]


class Results(Check):
    """Where Triton puts an element of D of a 16x16 product, how many rows run on in a lane, and agreement with the model.

    Shows: the layout of Triton 3.9.0 for WMMA version 3.
    Does not show: hardware.
    """

    claim = "WMMA-003"
    kind = "vector"
    witness = STEM
    binds = ("rows_together", "d_row_13_column_5", "agree")

    def observe(self, target, tools):
        row = tools.rows(STEM, "triton", op=SIXTEEN, matrix="D")[0]
        lane, item = holder(row, 13, 5)
        return {
            "rows_together": len(set(element(row, 0, item)[0] for item in range(2 ** len(row["reg_bases"])))),
            "d_row_13_column_5": [lane, item, 0, 31],
            "agree": {"triton": len([one for one in tools.rows(STEM, "triton", matrix="D", op=SIXTEEN) if agrees(one)])},
        }


class Inputs(Check):
    """How many of Triton's layouts of A and B are the model's, each with the run of K that the model has.

    Shows: agreement for FP32, FP16 and FP8 operands, with Triton's values-a-load of 2, 8 and 16.
    Does not show: hardware; K lies as asked of Triton, not as found.
    """

    claim = "WMMA-004"
    kind = "vector"
    witness = STEM
    binds = ("agree",)

    def observe(self, target, tools):
        rows = [row for row in tools.rows(STEM, "triton") if row["matrix"] != "D"]
        return {"agree": {"triton": len([row for row in rows if agrees(row)]), "of": len(rows)}}


class EightBitRuns(Check):
    """Triton with sixteen values a load, and the anchors of the emulator's test after the change.

    Shows: two programs that fit this position.
    Does not show: hardware.
    """

    claim = "WMMA-006"
    kind = "vector"
    witness = STEM
    position = "runs-of-sixteen"
    width, which, other = 16, "after", ()
    binds = ("lanes", "agree")

    def observe(self, target, tools):
        row = tools.rows(STEM, "triton", op=EIGHT, matrix="A", k_width=self.width)[0]
        anchors = tools.rows(STEM, "anchors", op=EIGHT, which=self.which)[0]["anchors"]
        where = layout(EIGHT, "gfx1250", "A", other=self.other)
        good = [k for k, half, slot in anchors if locate(where, 0, k)[:3] == (16 * half, slot // 4, slot % 4 * 8)]
        return {
            "lanes": lanes_of(row, (0, 8, 16, 24, 32)),
            "agree": {"anchors": len(good), "triton": int(agrees(row, self.other))},
        }


class EightBitRunsOther(EightBitRuns):
    """Triton with eight values a load, and the anchors of the emulator's test before the change.

    Shows: two programs that fit this position.
    Does not show: hardware.
    """

    position = "runs-of-eight"
    width, which, other = 8, "before", ("WMMA-006",)


def through(a_row, b_row):
    """Return whether a product is right whose A and B are put where Triton's bases say, and read as the model reads."""
    a = [[(i * 32 + k) * 5 % 13 for k in range(32)] for i in range(16)]
    b = [[(k * 16 + j) * 7 % 11 for j in range(16)] for k in range(32)]
    where = {matrix: layout(SIXTEEN, "gfx1250", matrix) for matrix in ("A", "B")}

    def seen(row, matrix, values, by_row):
        found = [[0] * 16 for _ in range(32)] if by_row else [[0] * 32 for _ in range(16)]
        for i in range(len(found)):
            for j in range(len(found[0])):
                lane, vgpr, lo, _ = locate(where[matrix], i, j)
                x, y = element(row, lane, (32 * vgpr + lo) // 16)
                found[i][j] = values[x][y]
        return [found]

    right = [[[sum(a[i][k] * b[k][j] for k in range(32)) for j in range(16)] for i in range(16)]]
    left, top = seen(a_row, "A", a, False), seen(b_row, "B", b, True)
    return multiply(SIXTEEN, left, top, None, lambda code: code, lambda code: code) == right


class WidthOfLoads(Check):
    """FP16 operands as Triton lays them out with eight and with sixteen values a load: where K 8 lies, and which pairs multiply right.

    Shows: Triton's layouts, multiplied through the model's.
    Does not show: which order a device has.
    """

    claim = "WMMA-007"
    kind = "vector"
    witness = STEM
    binds = ("lane_of_k_8", "product_right")

    def observe(self, target, tools):
        rows = {
            (row["matrix"], row["k_width"]): row for row in tools.rows(STEM, "triton", op=SIXTEEN) if row["matrix"] != "D"
        }
        return {
            "lane_of_k_8": {
                "loads_of_8": lanes_of(rows["A", 8], [8])[0],
                "loads_of_16": lanes_of(rows["A", 16], [8])[0],
            },
            "product_right": {
                "both_8": through(rows["A", 8], rows["B", 8]),
                "both_16": through(rows["A", 16], rows["B", 16]),
                "mixed": through(rows["A", 8], rows["B", 16]),
            },
        }


class SmallRuns(Check):
    """Triton's FP4 operands, held as bytes of two values: where they lie along K, and agreement with the model.

    Shows: the layout that Triton uses for scaled FP4 products.
    Does not show: hardware.
    """

    claim = "WMMA-009"
    kind = "vector"
    witness = STEM
    position = "runs-of-thirty-two"
    binds = ("lanes_fp4", "agree")

    def observe(self, target, tools):
        rows = tools.rows(STEM, "triton_packed")
        row = [one for one in rows if one["matrix"] == "A" and "16x16" in one["op"]][0]
        return {
            "lanes_fp4": lanes_of(row, [k // 2 for k in (0, 4, 8, 16, 32)]),
            "agree": {"triton": len([one for one in rows if packed_agrees(one)])},
        }


def packed_agrees(row):
    """Return whether the model's bases are those of a packed row with K doubled and the half of a byte put first."""
    given = {"a_format": "fp4", "b_format": "fp4"} if "f8f6f4" in row["op"] else {}
    axis = 0 if row["matrix"] == "B" else 1
    doubled = []
    for steps in (row["reg_bases"], row["lane_bases"]):
        doubled.append([[step * 2 if at == axis else step for at, step in enumerate(one)] for one in steps])
    doubled[0] = [[1, 0] if axis == 0 else [0, 1]] + doubled[0]
    return list(bases(layout(row["op"], "gfx1250", row["matrix"], **given))) == doubled


class ScaleRows(Check):
    """Triton's layouts of scales: bytes a lane, byte of a block, and whether the upper lanes repeat the lower ones.

    Shows: that Triton fills both rows alike for sixteen rows, and needs all lanes for thirty-two.
    Does not show: hardware.
    """

    claim = "WMMA-013"
    kind = "vector"
    witness = STEM
    binds = ("bytes_per_lane", "byte_of_block", "upper_lanes_repeat")

    def observe(self, target, tools):
        rows = tools.rows(STEM, "triton_scales")
        found = {(row["op"], row["matrix"]): row for row in rows}
        size = {word: found[f"v_wmma_{word}_f32_16x16x128_f8f6f4", "scale_a"] for word in ("scale", "scale16")}
        wide = found["v_wmma_scale_f32_32x16x128_f4", "scale_a"]
        return {
            "bytes_per_lane": {word: 2 ** len(row["reg_bases"]) for word, row in size.items()},
            "byte_of_block": [holder(size["scale"], 0, n)[1] for n in range(4)],
            "upper_lanes_repeat": {
                "rows_16": element(size["scale"], 16, 0) == element(size["scale"], 0, 0),
                "rows_32": element(wide, 16, 0) == element(wide, 0, 0),
            },
        }


class ThirtyTwoRows(Check):
    """Where Triton puts the second sixteen rows of D, of packed FP4 A and of the scales of the 32x16 instruction.

    Shows: Triton's layouts.
    Does not show: hardware.
    """

    claim = "WMMA-017"
    kind = "vector"
    witness = STEM
    binds = ("a_row_19_k_0", "d_row_29_column_5", "scale_row_19_block_1")

    def observe(self, target, tools):
        a = tools.rows(STEM, "triton_packed", matrix="A", op="v_wmma_f32_32x16x128_f4")[0]
        d = tools.rows(STEM, "triton", matrix="D", op="v_wmma_f32_32x16x128_f4")[0]
        scale = tools.rows(STEM, "triton_scales", matrix="scale_a", op="v_wmma_scale_f32_32x16x128_f4")[0]
        lane, item = holder(a, 19, 0)
        other, register = holder(d, 29, 5)
        third, byte = holder(scale, 19, 1)
        return {
            "a_row_19_k_0": [lane, item // 4, 8 * (item % 4), 8 * (item % 4) + 3],
            "d_row_29_column_5": [other, register, 0, 31],
            "scale_row_19_block_1": [third, 0, 8 * byte, 8 * byte + 7],
        }


class ScaleSixteen(Check):
    """How many blocks a lane's scale16 operand holds in Triton's layout, and how many bits are left for each.

    Shows: eight blocks of sixteen values in a lane.
    Does not show: hardware; the width of the operand is the assembler's.
    """

    claim = "WMMA-015"
    kind = "vector"
    witness = STEM
    position = "one-byte"
    binds = ("blocks_in_operand",)

    def observe(self, target, tools):
        row = tools.rows(STEM, "triton_scales", matrix="scale_a", op="v_wmma_scale16_f32_16x16x128_f8f6f4")[0]
        return {"blocks_in_operand": 2 ** len(row["reg_bases"])}
