# SPDX-License-Identifier: Apache-2.0
"""Register layouts against the calculator's tables, the CDNA4 guide's tables (typed from it), Triton, IREE, and by enumeration."""

import hashlib
import json
import pathlib

import pytest

from cdna.mfma.copy_as import STYLES, ck_parts, copy_as, cpp, cute_modes, names
from cdna.mfma.layouts import count_items, held, layout, locate, other_positions, table
from cdna.mfma.opcodes import FORMATS, MatrixError, matrices, opcodes, registers

VECTORS = json.loads(
    (pathlib.Path(__file__).parents[3] / "evidence" / "vectors" / "mfma-layouts.json").read_text("utf-8")
)
ALL = [(target, op, matrix) for target in ("gfx942", "gfx950") for op in opcodes(target) for matrix in matrices(op)]
NAMES = [f"{target}-{op.mnemonic}-{matrix}" for target, op, matrix in ALL]


def digest(rows):
    lines = [f"{b},{i},{j}->{lane},{vgpr},{lo},{hi}" for b, i, j, lane, vgpr, lo, hi in sorted(rows)]
    return hashlib.sha256(";".join(lines).encode()).hexdigest()


def named(row):
    return "-".join([row["op"], row["matrix"]] + [f"{key}{row[key]}" for key in ("cbsz", "abid", "blgp") if key in row])


@pytest.mark.parametrize("row", VECTORS["calculator"]["rows"] + VECTORS["calculator_modifiers"]["rows"], ids=named)
def test_calculator(row):
    given = {key: row[key] for key in ("cbsz", "abid", "blgp") if key in row}
    if row.get("refused"):
        with pytest.raises(MatrixError):
            layout(row["op"], "gfx942", row["matrix"], **given)
        return
    rows = table(layout(row["op"], "gfx942", row["matrix"], **given))
    for entry in row.get("sample", []):
        assert tuple(entry) in rows
    assert len(rows) == row["entries"] and digest(rows) == row["sha256"]


@pytest.mark.parametrize("row", VECTORS["sample"]["rows"], ids=named)
def test_sample(row):
    where = layout(row["op"], "gfx942", row["matrix"])
    assert len(table(where)) == row["of"]
    for block, i, j, *place in row["entries"]:
        assert list(locate(where, i, j, block)) == place


@pytest.mark.parametrize("target, op, matrix", ALL, ids=NAMES)
def test_one_to_one_and_full(target, op, matrix):
    """Every element has one place, no place is shared, no bit of a matrix operand's registers is left over."""
    for kind in FORMATS if op.a_type == "f8f6f4" and matrix in "AB" else (None,):
        where = layout(op.mnemonic, target, matrix, a_format=kind, b_format=kind)
        rows = table(where)
        assert len({row[:3] for row in rows}) == len(rows)
        bits = {(row[3], 32 * row[4] + bit) for row in rows for bit in range(row[5], row[6] + 1)}
        assert len(bits) * where.per_item == sum(row[6] - row[5] + 1 for row in rows)
        if matrix in ("A", "B", "C", "D"):
            assert len(bits) == 64 * 32 * registers(op, matrix, kind or "fp8", kind or "fp8")


@pytest.mark.parametrize("target, op, matrix", ALL[::7], ids=NAMES[::7])
def test_back_and_forth(target, op, matrix):
    where = layout(op.mnemonic, target, matrix)
    rows = table(where)
    for row in rows[:: max(1, len(rows) // 40)]:
        assert locate(where, row[1], row[2], row[0]) == row[3:]
        assert row[:3] + row[4:] in held(where, row[3], row[4])


# From the CDNA4 guide, 7.1.5.1 and 7.5.1.3: (instruction, matrix, format, {(lane of row or column 0, register): K}).
GUIDE = [
    (
        "v_mfma_f32_16x16x128_f8f6f4",
        "A",
        "fp8",
        {(0, 0): 0, (16, 0): 16, (48, 3): 60, (0, 4): 64, (32, 4): 96, (48, 7): 124},
    ),
    ("v_mfma_f32_32x32x64_f8f6f4", "B", "fp8", {(0, 0): 0, (32, 0): 16, (0, 4): 32, (32, 4): 48}),
    ("v_mfma_f32_16x16x128_f8f6f4", "A", "fp4", {(0, 0): 0, (16, 0): 32, (32, 0): 64, (48, 0): 96}),
    ("v_mfma_f32_32x32x64_f8f6f4", "A", "fp4", {(0, 0): 0, (32, 0): 32}),
    ("v_mfma_f32_16x16x128_f8f6f4", "B", "fp6", {(0, 0): 0, (0, 3): 16, (16, 3): 48, (48, 0): 96}),
    ("v_mfma_f32_16x16x32_bf16", "A", None, {(0, 0): 0, (16, 1): 10, (32, 2): 20, (48, 3): 30}),
    ("v_mfma_i32_32x32x32_i8", "B", None, {(0, 3): 12, (32, 0): 16, (32, 3): 28}),
    ("v_smfmac_f32_16x16x64_f16", "B", None, {(0, 0): 0, (16, 0): 8, (0, 4): 32, (48, 7): 62}),
    ("v_smfmac_f32_32x32x32_bf16", "B", None, {(0, 4): 16, (32, 0): 8, (32, 7): 30}),
    ("v_smfmac_i32_16x16x128_i8", "B", None, {(16, 0): 16, (0, 4): 64, (48, 7): 124}),
    ("v_smfmac_f32_32x32x64_fp8_fp8", "B", None, {(32, 0): 16, (0, 4): 32, (32, 7): 60}),
]


@pytest.mark.parametrize(
    "name, matrix, kind, wanted", GUIDE, ids=lambda value: str(value) if isinstance(value, str) else ""
)
def test_guide(name, matrix, kind, wanted):
    where = layout(name, "gfx950", matrix, a_format=kind, b_format=kind)
    axis = 1 if matrix == "B" else 2
    for (lane, vgpr), k in wanted.items():
        first = [row for row in held(where, lane, vgpr) if row[3] == vgpr][0]
        assert first[axis] == k and first[3 - axis] == 0 and first[4] == 0


def test_six_bit_elements_cross_registers():
    """Guide, 7.1.4: item 1 in bits 11 to 6, the sixth value across the boundary at bit 32."""
    where = layout("v_mfma_f32_16x16x128_f8f6f4", "gfx950", "A", a_format="fp6")
    assert locate(where, 0, 1) == (0, 0, 6, 11)
    assert locate(where, 0, 5) == (0, 0, 30, 35)
    assert (0, 0, 5, 0, 30, 35) in held(where, 0, 0) and (0, 0, 5, 0, 30, 35) in held(where, 0, 1)


def test_sixty_four_bit_elements_take_two_registers():
    where = layout("v_mfma_f64_16x16x4_f64", "gfx942", "D")
    assert locate(where, 5, 3) == (19, 2, 0, 63)
    assert held(where, 19, 3) == held(where, 19, 2) == [(0, 5, 3, 2, 0, 63)]


def test_scales():
    """Guide, 7.2.1: lane 16 holds row 0 and K 32 to 63 of the 16-row form, row 16 and K 0 to 31 of the other."""
    small = layout("v_mfma_scale_f32_16x16x128_f8f6f4", "gfx950", "scale_a")
    large = layout("v_mfma_scale_f32_32x32x64_f8f6f4", "gfx950", "scale_a")
    assert held(small, 16, 0) == [(0, 0, 1, 0, 0, 7)] and held(large, 16, 0) == [(0, 16, 0, 0, 0, 7)]
    assert held(large, 63, 0) == [(0, 31, 1, 0, 0, 7)]
    third = layout("v_mfma_scale_f32_16x16x128_f8f6f4", "gfx950", "scale_b", scale_byte=2)
    assert locate(third, 3, 15) == (63, 0, 16, 23)


def test_format_codes_are_the_modifiers():
    one = layout("v_mfma_f32_16x16x128_f8f6f4", "gfx950", "A", cbsz=4)
    assert one == layout("v_mfma_f32_16x16x128_f8f6f4", "gfx950", "A", a_format="fp4")
    assert layout("v_mfma_f32_16x16x128_f8f6f4", "gfx950", "A", cbsz=4, a_format="fp4") == one


def test_signs_of_f64():
    """Guide, 7.1.6.4: bit 0 turns A, bit 1 B, bit 2 C."""
    for code in range(8):
        turned = [layout("v_mfma_f64_16x16x4_f64", "gfx942", matrix, blgp=code).negate for matrix in "ABCD"]
        assert turned == [bool(code & 1), bool(code & 2), bool(code & 4), False]


def test_other_positions():
    given = {"name": "v_mfma_f32_16x16x128_f8f6f4", "target": "gfx950", "matrix": "A"}
    assert [item[:2] for item in other_positions(layout(**given), **given)] == [("MFMA-053", "contiguous")]
    given = {"name": "v_mfma_f32_16x16x128_f8f6f4", "target": "gfx950", "matrix": "A", "a_format": "fp6"}
    assert other_positions(layout(**given), **given) == []
    given = {"name": "v_mfma_f32_16x16x4_4b_f16", "target": "gfx942", "matrix": "A", "cbsz": 1, "abid": 1}
    found = other_positions(layout(**given), **given)
    assert [item[:2] for item in found] == [("MFMA-059", "lane-blocks")]
    # Guide, 7.1.6.1: lane l reads lane l % 32 + 32.
    assert [locate(found[0][2], 0, 0, block)[0] for block in range(4)] == [32, 48, 32, 48]
    given.update(cbsz=2)
    assert other_positions(layout(**given), **given) == []


def test_a_register_that_nobody_reads():
    where = layout("v_mfma_f32_16x16x4_4b_f16", "gfx942", "A", cbsz=2, abid=2)
    assert held(where, 0, 0) == [] and len(held(where, 32, 0)) == 2 * 4


@pytest.mark.parametrize(
    "given, said",
    [
        ({"matrix": "E"}, "matrix=E: A, B, C, D, index"),
        ({"matrix": "index"}, "matrix=index: v_mfma_f32_16x16x16_f16 has A, B, C, D"),
        ({"cbsz": 1}, "cbsz=1: v_mfma_f32_16x16x16_f16 takes no cbsz, MFMA-056"),
        ({"blgp": 8}, "blgp=8: 0 to 7, MFMA-056"),
        ({"blgp": 1}, "the manual's general rule has no such limit, MFMA-056"),
        ({"a_format": "fp8"}, "a_format=fp8: v_mfma_f32_16x16x16_f16 has no choice of formats"),
        ({"name": "v_mfma_f32_16x16x4_4b_f16", "cbsz": 3}, "the 4 blocks, MFMA-059"),
        ({"name": "v_mfma_f32_16x16x4_4b_f16", "cbsz": 1, "abid": 2}, "abid=2: below 2 to the power of cbsz, here 2"),
        ({"name": "v_smfmac_f32_16x16x32_f16", "abid": 4}, "abid=4: 0 to 3, MFMA-057"),
    ],
)
def test_refusals(given, said):
    with pytest.raises(MatrixError) as caught:
        layout(**{"name": "v_mfma_f32_16x16x16_f16", "target": "gfx942", "matrix": "A", **given})
    assert said in str(caught.value)


def test_outside():
    where = layout("v_mfma_f32_16x16x16_f16", "gfx942", "A")
    for call, said in (
        (lambda: locate(where, 16, 0), "i=16: 0 to 15"),
        (lambda: locate(where, 0, -1), "j=-1: 0 to 15"),
        (lambda: locate(where, 0, 0, 1), "block=1: 0 to 0"),
        (lambda: held(where, 64, 0), "lane=64: 0 to 63"),
        (lambda: held(where, 0, 2), "vgpr=2: 0 to 1"),
    ):
        with pytest.raises(MatrixError, match=said):
            call()


# ---- copy as: each text is evaluated and compared with the table


def expected(where):
    """{(lane, item): coordinates} of a layout, the first coordinates where an item stands for several."""
    found = {}
    for row in table(where):
        item = (32 * row[4] + row[5] - where.first_bit) // where.item_bits
        found.setdefault((row[3], item), row[:3])
    return found


SOME = [
    ("v_mfma_f32_16x16x16_f16", "gfx942", "A"),
    ("v_mfma_f32_16x16x16_f16", "gfx942", "B"),
    ("v_mfma_f32_32x32x8_f16", "gfx942", "D"),
    ("v_mfma_f32_32x32x4_2b_f16", "gfx942", "D"),
    ("v_mfma_f32_16x16x1_4b_f32", "gfx942", "B"),
    ("v_mfma_f32_4x4x4_16b_f16", "gfx942", "D"),
    ("v_mfma_f64_4x4x4_4b_f64", "gfx942", "D"),
    ("v_mfma_f64_16x16x4_f64", "gfx950", "C"),
    ("v_mfma_f32_32x32x64_f8f6f4", "gfx950", "B"),
    ("v_smfmac_f32_16x16x64_f16", "gfx950", "A"),
    ("v_smfmac_f32_16x16x64_f16", "gfx950", "B"),
    ("v_smfmac_f32_16x16x64_f16", "gfx950", "index"),
    ("v_mfma_scale_f32_16x16x128_f8f6f4", "gfx950", "scale_b"),
]


@pytest.mark.parametrize("name, target, matrix", SOME)
def test_cpp_both_ways(name, target, matrix):
    where = layout(name, target, matrix)
    forth, back = cpp(where).split("// where element")
    read = [line[4:-1].split(" = ") for line in forth.splitlines() if line.startswith("int ")]
    find = [line[4:-1].split(" = ") for line in back.splitlines() if line.startswith("int ")]
    for (lane, item), at in expected(where).items():
        scope = {"lane": lane, "item": item}
        found = {"block": 0}
        for variable, text in read:
            found[variable] = eval(text.replace("/", "//"), {}, scope)
        assert tuple(found[axis] for axis in names(where)) == at
        scope = dict(zip(names(where), at, strict=True))
        told = {variable: eval(text.replace("/", "//"), {}, {**scope, "item": item}) for variable, text in find}
        assert (told["lane"], told["item"]) == (lane, item)
        assert told["bit"] == where.first_bit + item * where.item_bits


@pytest.mark.parametrize("name, target, matrix", SOME)
def test_triton_cute_and_ck_evaluate_to_the_table(name, target, matrix):
    where = layout(name, target, matrix)
    wanted = expected(where)
    text = copy_as(where, "triton").splitlines()[1]
    scope = {"DistributedLinearLayout": dict}
    built = eval(text, scope)
    (threads, thread_steps), (values, value_steps) = cute_modes(where)
    parts = ck_parts(where)
    first, second = (2, 1) if matrix in ("B", "scale_b") else (1, 2)
    for (lane, item), at in wanted.items():
        spot = [0] * len(built["shape"])
        for number, steps in ((lane, built["lane_bases"]), (item, built["reg_bases"])):
            for bit, step in enumerate(steps):
                if number >> bit & 1:
                    spot = [one ^ other for one, other in zip(spot, step, strict=True)]
        assert tuple(spot) == (at if where.shape[0] > 1 else at[1:])
        flat = mixed(lane, threads, thread_steps) + mixed(item, values, value_steps)
        assert flat == at[first] + at[second] * where.shape[first] + at[0] * where.shape[1] * where.shape[2]
        assert evaluate_ck(parts, lane, item) == tuple(
            at[axis] // (4 if axis == 2 and where.per_item == 4 else 1)
            for axis in ([0] if where.shape[0] > 1 else []) + [first, second]
        )


def mixed(number, sizes, strides):
    total = 0
    for size, stride in zip(sizes, strides, strict=True):
        total += number % size * stride
        number //= size
    return total


def evaluate_ck(parts, lane, item):
    """Evaluate a tile distribution encoding: P and Y are split over the H digits they name, slowest first."""
    sequences, p_major, p_minor, y_major, y_minor = parts
    digits = [[0] * len(sizes) for sizes in sequences]
    for number, majors, minors in ((lane, p_major, p_minor), (item, y_major, y_minor)):
        for major, minor in reversed(list(zip(majors, minors, strict=True))):
            size = sequences[major - 1][minor]
            digits[major - 1][minor] = number % size
            number //= size
        assert number == 0
    found = []
    for sizes, values in zip(sequences, digits, strict=True):
        total = 0
        for size, value in zip(sizes, values, strict=True):
            total = total * size + value
        found.append(total)
    return tuple(found)


def test_ck_is_written_as_ck_writes_it():
    """The encodings that ck_tile's warp_gemm_attribute_mfma.hpp builds for 32x32x8 (A) and for its C, typed from there."""
    a = copy_as(layout("v_mfma_f32_32x32x8_f16", "gfx942", "A"), "ck").splitlines()[1]
    assert a == (
        "tile_distribution_encoding<sequence<>, tuple<sequence<32>, sequence<2, 4>>, "
        "tuple<sequence<2, 1>>, tuple<sequence<0, 0>>, sequence<2>, sequence<1>>"
    )
    c = copy_as(layout("v_mfma_f32_16x16x16_f16", "gfx942", "C"), "ck").splitlines()[1]
    assert c == (
        "tile_distribution_encoding<sequence<>, tuple<sequence<1, 4, 4>, sequence<16>>, "
        "tuple<sequence<1, 2>>, tuple<sequence<1, 0>>, sequence<1, 1>, sequence<0, 2>>"
    )


@pytest.mark.parametrize(
    "row", VECTORS["triton"]["rows"], ids=lambda row: f"{row['op']}-{row['matrix']}-{row['k_width']}"
)
def test_triton_is_written_as_triton_writes_it(row):
    other = ("MFMA-053",) if row["k_width"] == 32 else ()
    where = layout(row["op"], row["target"], row["matrix"], other=other)
    text = copy_as(where, "triton")
    assert f"reg_bases={row['reg_bases']}, lane_bases={row['lane_bases']}, warp_bases=[], block_bases=[]" in text


@pytest.mark.parametrize("target, op, matrix", ALL, ids=NAMES)
def test_every_layout_has_every_text(target, op, matrix):
    where = layout(op.mnemonic, target, matrix)
    assert all(op.mnemonic in copy_as(where, style) for style in STYLES)


def test_copy_as_refusals():
    where = layout("v_mfma_f32_16x16x4_4b_f16", "gfx942", "A", cbsz=1)
    for text, wanted in (("cpp", "as=cpp: needs the layout without"), ("rust", "as=rust: cpp, triton, cute, ck")):
        with pytest.raises(MatrixError, match=wanted):
            copy_as(where, text)
    assert count_items(where) == 4
