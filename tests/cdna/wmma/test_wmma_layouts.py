# SPDX-License-Identifier: Apache-2.0
"""Layouts of gfx1250 matrix instructions against Triton, the emulator's test anchors, other tellings of its formulas, and by enumeration."""

import json
import pathlib

import pytest

from cdna.mfma.copy_as import bases, copy_as
from cdna.mfma.opcodes import MatrixError
from cdna.wmma.layouts import OTHER, held, layout, locate, other_positions, table
from cdna.wmma.opcodes import FORMATS, TARGET, chosen, matrices, opcode, opcodes, registers

VECTORS = json.loads(
    (pathlib.Path(__file__).parents[3] / "evidence" / "vectors" / "wmma-layouts.json").read_text("utf-8")
)
ALL = [(op, matrix) for op in opcodes() for matrix in matrices(op)]
NAMES = [f"{op.mnemonic}-{matrix}" for op, matrix in ALL]


def named(row):
    return "-".join([row["op"], row["matrix"], str(row.get("k_width", row.get("which", "")))])


@pytest.mark.parametrize("op, matrix", ALL, ids=NAMES)
def test_one_to_one_and_full(op, matrix):
    """Every element has one place, no place is shared, and the operand's registers of 32 lanes are filled."""
    for kind in FORMATS if chosen(op) and matrix in "AB" else (None,):
        where = layout(op.mnemonic, TARGET, matrix, a_format=kind, b_format=kind)
        rows = table(where)
        assert len({row[:3] for row in rows}) == len(rows)
        places = {row[3:] for row in rows}
        assert len(places) * where.per_item == len(rows)
        bits = {(lane, 32 * vgpr + bit) for lane, vgpr, lo, hi in places for bit in range(lo, hi + 1)}
        assert len(bits) == sum(hi - lo + 1 for _, _, lo, hi in places)
        assert max(row[3] for row in rows) < 32
        if matrix in "ABCD":
            assert len(bits) == 1024 * registers(op, matrix, kind or "fp8", kind or "fp8")


@pytest.mark.parametrize("row", [row for row in VECTORS["triton"]["rows"]], ids=named)
def test_triton(row):
    """Triton's layout is ours where it was asked for our run of K, and differs otherwise."""
    runs = {"v_wmma_f32_16x16x4_f32": 2, "v_wmma_f32_16x16x32_f16": 8}
    mine = runs.get(row["op"], 16) == row["k_width"] if "k_width" in row else True
    same = list(bases(layout(row["op"], TARGET, row["matrix"]))) == [row["reg_bases"], row["lane_bases"]]
    assert same is mine
    if row["op"] == "v_wmma_f32_16x16x128_fp8_fp8" and row["k_width"] == 8:
        where = layout(row["op"], TARGET, row["matrix"], other=("WMMA-006",))
        assert list(bases(where)) == [row["reg_bases"], row["lane_bases"]]


@pytest.mark.parametrize("row", VECTORS["anchors"]["rows"], ids=named)
def test_anchors(row):
    """The anchors that the emulator's test had before a change, has after it, and has for sixty-four values."""
    where = layout(row["op"], TARGET, "A", other=("WMMA-006",) if row["which"] == "before" else ())
    for k, half, slot in row["anchors"]:
        assert locate(where, 5, k)[:3] == (5 + 16 * half, slot // 4, 8 * (slot % 4))


@pytest.mark.parametrize("name", [op.mnemonic for op in opcodes() if op.sparse])
def test_sparse_by_another_telling(name):
    """The sparse operands, told with shifts and masks over kept values as the emulator tells them."""
    op = opcode(name)
    wide = op.a_type in ("f16", "bf16")
    bits = {True: 16}.get(wide, 4 if op.a_type == "iu4" else 8)
    for _, i, k, lane, vgpr, lo, _ in table(layout(name, TARGET, "A")):
        kept = k // 4 * 2
        shift = 2 if op.k == 32 and wide else {32: 3, 64: 3, 128: 4}[op.k]
        assert lane == i + 16 * (kept >> shift & 1)
        slot = kept & (1 << shift) - 1 | (kept >> shift + 1) << shift
        assert (32 * vgpr + lo) // bits == slot
    for _, k, j, lane, vgpr, lo, _ in table(layout(name, TARGET, "B")):
        shift = 3 if op.k == 32 and wide else {32: 4, 64: 4, 128: 5}[op.k]
        assert lane == j + 16 * (k >> shift & 1)
        assert (32 * vgpr + lo) // bits == k & (1 << shift) - 1 | (k >> shift + 1) << shift


def test_index_of_the_long_forms():
    """Positions of the first half of K lie in lanes 0 to 15, in order; of the second half in lanes 16 to 31."""
    for name, entries in (("v_swmmac_f32_16x16x64_f16", 16), ("v_swmmac_f32_16x16x128_fp8_fp8", 32)):
        for _, i, k, lane, vgpr, lo, hi in table(layout(name, TARGET, "index")):
            kept = k // 4 * 2
            assert lane == i + 16 * (kept // entries) and hi == lo + 3
            assert 32 * vgpr + lo == 2 * (kept % entries)


def test_index_key():
    low, high = (layout("v_swmmac_f32_16x16x32_f16", TARGET, "index", index_key=key) for key in (0, 1))
    assert [row[5] + 16 for row in table(low)] == [row[5] for row in table(high)]
    with pytest.raises(MatrixError, match="index_key=1: 0 to 0"):
        layout("v_swmmac_f32_16x16x64_f16", TARGET, "index", index_key=1)


def test_scales():
    name = "v_wmma_scale16_f32_16x16x128_f8f6f4"
    assert locate(layout(name, TARGET, "scale_a"), 3, 5) == (3, 1, 8, 15)
    assert locate(layout(name, TARGET, "scale_b", scale_row=1), 5, 3) == (19, 1, 8, 15)
    wide = layout("v_wmma_scale_f32_32x16x128_f4", TARGET, "scale_a")
    assert locate(wide, 30, 2) == (30, 0, 16, 23)
    for row in VECTORS["triton_scales"]["rows"]:
        where = layout(row["op"], TARGET, row["matrix"])
        assert where.shape[2 if row["matrix"] == "scale_a" else 1] == 2 ** len(row["reg_bases"])
        assert (where.shape[1 if row["matrix"] == "scale_a" else 2] == 16) is (row["lane_bases"][4] == [0, 0])


@pytest.mark.parametrize("op, matrix", ALL, ids=NAMES)
def test_held_is_the_inverse(op, matrix):
    where = layout(op.mnemonic, TARGET, matrix)
    for block, i, j, lane, vgpr, lo, hi in table(where)[:: 97 if op.k > 16 else 13]:
        assert (block, i, j, vgpr, lo, hi) in held(where, lane, vgpr)


def test_held_refuses():
    where = layout("v_wmma_f32_16x16x32_f16", TARGET, "D")
    with pytest.raises(MatrixError, match="lane=32: 0 to 31"):
        held(where, 32, 0)
    with pytest.raises(MatrixError, match="vgpr=8: 0 to 7"):
        held(where, 0, 8)


@pytest.mark.parametrize(
    "given, claims",
    [
        ({"name": "v_wmma_f32_16x16x128_fp8_fp8", "matrix": "A"}, ["WMMA-006"]),
        ({"name": "v_wmma_f32_16x16x64_fp8_fp8", "matrix": "A"}, ["WMMA-006"]),
        ({"name": "v_wmma_i32_16x16x64_iu8", "matrix": "B"}, ["WMMA-006"]),
        ({"name": "v_wmma_f32_16x16x32_f16", "matrix": "A"}, []),
        ({"name": "v_wmma_f32_16x16x128_f8f6f4", "matrix": "B", "b_format": "bf6"}, ["WMMA-009"]),
        ({"name": "v_swmmac_i32_16x16x128_iu8", "matrix": "B"}, ["WMMA-011"]),
        ({"name": "v_swmmac_f32_16x16x64_bf16", "matrix": "index"}, ["WMMA-012"]),
        ({"name": "v_wmma_scale16_f32_16x16x128_f8f6f4", "matrix": "scale_a"}, ["WMMA-015"]),
        ({"name": "v_wmma_f32_16x16x128_fp8_fp8", "matrix": "D"}, []),
    ],
)
def test_other_positions(given, claims):
    where = layout(target=TARGET, **given)
    found = other_positions(where, target=TARGET, **given)
    assert [claim for claim, _, _ in found] == claims
    assert all(OTHER[claim] == position and table(other) != table(where) for claim, position, other in found)


@pytest.mark.parametrize(
    "given, said",
    [
        ({"matrix": "index"}, "matrix=index"),
        ({"matrix": "E"}, "matrix=E: A, B, C, D"),
        ({"a_format": "fp4"}, "no choice of formats, WMMA-008"),
        ({"scale_row": 1}, "scale_row=1"),
        ({"index_key": -1}, "index_key=-1"),
        ({"target": "gfx942"}, "target=gfx942"),
        ({"name": "v_wmma_f64_16x16x4_f64"}, "gfx1251 has one, WMMA-002, VGPR-011"),
        ({"name": "v_wmma_f32_16x16x32_f61"}, "WMMA-001"),
    ],
)
def test_refusals(given, said):
    wanted = dict({"name": "v_wmma_f32_16x16x32_f16", "target": TARGET, "matrix": "A"}, **given)
    with pytest.raises(MatrixError) as error:
        layout(**wanted)
    assert said in str(error.value)


def test_reserved_row_is_refused_under_that_position():
    name = "v_wmma_scale_f32_32x16x128_f4"
    assert table(layout(name, TARGET, "scale_a", scale_row=1)) == table(layout(name, TARGET, "scale_a"))
    with pytest.raises(MatrixError, match="WMMA-014"):
        layout(name, TARGET, "scale_a", scale_row=1, other=("WMMA-014",))


@pytest.mark.parametrize("style", ["cpp", "triton", "cute", "ck"])
def test_styles(style):
    """The words of others come from the same digits; the C++ expressions are run against the table."""
    where = layout("v_wmma_f32_16x16x128_fp8_fp8", TARGET, "A")
    text = copy_as(where, style)
    assert "v_wmma_f32_16x16x128_fp8_fp8" in text
    if style == "cpp":
        lines = [line[4:-1] for line in text.splitlines() if line.startswith("int ")]
        for _, i, k, lane, vgpr, lo, _ in table(where)[::31]:
            at = {"i": i, "k": k}
            for line in lines[2:]:
                name, expression = line.split(" = ")
                at[name] = eval(expression.replace("/", "//"), {}, at)
            assert (at["lane"], at["bit"]) == (lane, 32 * vgpr + lo)


@pytest.mark.parametrize(
    "name, formats, other, places",
    [
        # Places of row 0 as tables of the CDNA5 guide have them: K, lane, register, lowest bit.
        # 7.12.2, eight-bit values over 64, and over 128 as two of these.
        ("v_wmma_f32_16x16x64_fp8_fp8", {}, True, [(3, 0, 0, 24), (4, 0, 1, 0), (8, 16, 0, 0), (16, 0, 2, 0), (28, 16, 3, 0), (32, 0, 4, 0)]),
        ("v_wmma_f32_16x16x128_fp8_fp8", {}, True, [(8, 16, 0, 0), (16, 0, 2, 0), (64, 0, 8, 0)]),
        # 7.12.6.1, scaled products: eight, six and four bits.
        ("v_wmma_scale_f32_16x16x128_f8f6f4", {}, False, [(3, 0, 0, 24), (12, 0, 3, 0), (16, 16, 0, 0), (32, 0, 4, 0), (80, 16, 8, 0), (124, 16, 15, 0)]),
        ("v_wmma_scale_f32_16x16x128_f8f6f4", {"a_format": "fp6"}, False, [(0, 0, 0, 0), (32, 16, 0, 0), (64, 0, 6, 0), (96, 16, 6, 0)]),
        ("v_wmma_scale_f32_16x16x128_f8f6f4", {"a_format": "fp4"}, False, [(31, 0, 3, 28), (32, 16, 0, 0), (64, 0, 4, 0), (96, 16, 4, 0)]),
        # 7.12.2, sixteen and thirty-two bits.
        ("v_wmma_f32_16x16x32_f16", {}, False, [(1, 0, 0, 16), (8, 16, 0, 0), (16, 0, 4, 0), (24, 16, 4, 0)]),
        ("v_wmma_f32_16x16x4_f32", {}, False, [(1, 0, 1, 0), (2, 16, 0, 0), (3, 16, 1, 0)]),
    ],
)
def test_places_as_the_manual_has_them(name, formats, other, places):
    where = layout(name, TARGET, "A", other=("WMMA-006",) if other else (), **formats)
    assert [(k, *locate(where, 0, k)[:3]) for k, _, _, _ in places] == places
