# SPDX-License-Identifier: Apache-2.0
"""A matrix multiply through the layouts equals plain sums; every element and every scale block has a value of its own."""

import random

import pytest

from cdna.mfma import multiply as module
from cdna.mfma.layouts import layout, table
from cdna.mfma.multiply import compress, decoder, gather, multiply, relabelling, scatter, signed
from cdna.mfma.opcodes import BITS, FORMATS, MatrixError, element_type, index_sets, opcodes

DENSE = [(target, op) for target in ("gfx942", "gfx950") for op in opcodes(target) if not op.sparse and not op.scaled]
SPARSE = [(target, op) for target in ("gfx942", "gfx950") for op in opcodes(target) if op.sparse]
SCALED = [op for op in opcodes("gfx950") if op.scaled]


def named(value):
    return getattr(value, "mnemonic", value)


def number(code):
    return code


def matrix(blocks, rows, columns, bits, rng):
    """Codes that differ from element to element as far as the bits allow."""
    count = blocks * rows * columns
    pool = [code % 2 ** min(bits, 16) for code in range(1, count + 1)]
    rng.shuffle(pool)
    values = iter(pool)
    return [[[next(values) for _ in range(columns)] for _ in range(rows)] for _ in range(blocks)]


def plain(op, a, b, c=None, scale_a=None, scale_b=None):
    """D by three loops, from whole matrices."""
    d = []
    for block in range(op.blocks):
        rows = []
        for i in range(op.m):
            row = []
            for j in range(op.n):
                total = c[block][i][j] if c else 0
                for k in range(op.k):
                    factor = 1
                    if scale_a:
                        factor = 2.0 ** (scale_a[i][k // 32] - 127 + scale_b[k // 32][j] - 127)
                    total += a[block][i][k] * b[block][k][j] * factor
                row.append(total)
            rows.append(row)
        d.append(rows)
    return d


@pytest.mark.parametrize("target, op", DENSE, ids=named)
def test_dense(target, op):
    rng = random.Random(1)
    kinds = {"a_format": "fp6", "b_format": "fp4"} if op.a_type == "f8f6f4" else {}
    a_bits = BITS[element_type(op, "A", "fp6", "fp4")]
    b_bits = BITS[element_type(op, "B", "fp6", "fp4")]
    a = matrix(op.blocks, op.m, op.k, a_bits, rng)
    b = matrix(op.blocks, op.k, op.n, b_bits, rng)
    c = matrix(op.blocks, op.m, op.n, 16, rng)
    assert multiply(op.mnemonic, target, a, b, c, number, number, **kinds) == plain(op, a, b, c)


@pytest.mark.parametrize("target, op", SPARSE, ids=named)
def test_sparse(target, op):
    rng = random.Random(2)
    a = matrix(1, op.m, op.k, BITS[op.a_type], rng)
    b = matrix(1, op.k, op.n, BITS[op.b_type], rng)
    for row in a[0]:
        for first in range(0, op.k, 4):
            for at in rng.sample(range(4), 2):
                row[first + at] = 0
    kept = [compress(row) for row in a[0]]
    options = {"positions": [[item[1] for item in kept]]}
    if index_sets(op)[0] > 1:  # another set of positions than the first, where there is one
        options["abid"] = 1
    d = multiply(op.mnemonic, target, [[item[0] for item in kept]], b, None, number, number, **options)
    assert d == plain(op, a, b)


@pytest.mark.parametrize("op", SCALED, ids=named)
@pytest.mark.parametrize("a_format", FORMATS)
def test_scaled(op, a_format):
    rng = random.Random(3)
    b_format = FORMATS[(FORMATS.index(a_format) + 3) % 5]
    a = matrix(1, op.m, op.k, BITS[a_format], rng)
    b = matrix(1, op.k, op.n, BITS[b_format], rng)
    blocks = op.k // 32
    scale_a = [[127 + (i * blocks + kb) % 7 - 3 for kb in range(blocks)] for i in range(op.m)]
    scale_b = [[127 + (kb * op.n + j) % 5 - 2 for j in range(op.n)] for kb in range(blocks)]
    options = {"a_format": a_format, "b_format": b_format, "scale_a": scale_a, "scale_b": scale_b}
    d = multiply(op.mnemonic, "gfx950", a, b, None, number, number, **options)
    assert d == plain(op, a, b, None, scale_a, scale_b)


def test_numbers_of_formats():
    """One FP8 byte is another number on each target; 0x38 is half on gfx942 and one on gfx950."""
    one = [[[0x38] * 32 for _ in range(16)]], [[[0x38] * 16 for _ in range(32)]]
    assert multiply("v_mfma_f32_16x16x32_fp8_fp8", "gfx942", *one)[0][3][5] == 32 * 0.25
    assert multiply("v_mfma_f32_16x16x32_fp8_fp8", "gfx950", *one)[0][3][5] == 32
    assert decoder("f64", "gfx942")(0xC000000000000000) == -2.0 and decoder("i8", "gfx942")(0xFF) == -1
    assert signed(0x80, 8) == -128 and signed(0x7F, 8) == 127


def test_scale_byte_255_is_not_a_number():
    op = SCALED[0]
    a = [[[1] * op.k for _ in range(op.m)]]
    b = [[[1] * op.n for _ in range(op.k)]]
    scales = [[255] + [127] * (op.k // 32 - 1)] + [[127] * (op.k // 32)] * (op.m - 1)
    d = multiply(op.mnemonic, "gfx950", a, b, None, number, number, scale_a=scales)
    assert d[0][0][0] != d[0][0][0] and d[0][1][0] == op.k


def test_broadcast_and_lane_choice():
    """CBSZ 2 and ABID 1 give every block the second block of A; BLGP 5 gives every column the lanes 16 to 31 of B."""
    op = "v_mfma_f32_16x16x4_4b_f16"
    rng = random.Random(4)
    a, b = matrix(4, 16, 4, 16, rng), matrix(4, 4, 16, 16, rng)
    whole = multiply(op, "gfx942", a, b, None, number, number, cbsz=2, abid=1)
    info = [item for _, item in DENSE if item.mnemonic == op][0]
    assert whole == plain(info, [a[1]] * 4, b)
    assert multiply(op, "gfx942", a, b, None, number, number, blgp=5) == plain(info, a, [b[1]] * 4)


def test_signs_of_f64():
    one = [[[1] * 4 for _ in range(16)]], [[[1] * 16 for _ in range(4)]], [[[10] * 16 for _ in range(16)]]
    for code, wanted in ((0, 14), (1, 6), (2, 6), (3, 14), (4, -6), (7, -6)):
        d = multiply("v_mfma_f64_16x16x4_f64", "gfx942", *one, number, number, blgp=code)
        assert d[0][7][9] == wanted


# ---- a wrong layout must fail wherever a product can show it


@pytest.mark.parametrize("matrix_name", ["A", "B", "D"])
def test_a_wrong_layout_fails(monkeypatch, matrix_name):
    """Read one operand through a table with rows and columns exchanged: the product is another one."""
    op = [item for _, item in DENSE if item.mnemonic == "v_mfma_f32_16x16x16_f16"][0]
    rng = random.Random(5)
    a, b = matrix(1, 16, 16, 16, rng), matrix(1, 16, 16, 16, rng)
    right = plain(op, a, b)
    assert multiply(op.mnemonic, "gfx942", a, b, None, number, number) == right
    calls = []

    def exchanged(where):
        rows = table(where)
        calls.append(where.matrix)
        if where.matrix == matrix_name and calls.count(matrix_name) > 1:
            places = {(row[1], row[2]): row[3:] for row in rows}
            return [row[:3] + places[row[2], row[1]] for row in rows]
        return rows

    monkeypatch.setattr(module, "table", exchanged)
    wrong = multiply(op.mnemonic, "gfx942", a, b, None, number, number)
    assert wrong != right and calls.count(matrix_name) > 1


def test_what_a_product_cannot_show():
    """Two orders of K that rename A, B and index alike give one product: the forms of FP8, and of eight-bit SMFMAC."""
    name = "v_mfma_f32_16x16x128_f8f6f4"
    one = relabelling(layout(name, "gfx950", "A"), layout(name, "gfx950", "A", other=("MFMA-053",)))
    two = relabelling(layout(name, "gfx950", "B"), layout(name, "gfx950", "B", other=("MFMA-053",)))
    assert one == two != list(range(128)) and sorted(one) == list(range(128))
    plain_a = layout(name, "gfx950", "A", a_format="fp4")
    assert relabelling(plain_a, layout(name, "gfx950", "A", a_format="fp4", other=("MFMA-053",))) == list(range(128))


def test_scatter_and_gather_are_inverse():
    for name, target, which in (
        ("v_mfma_f64_16x16x4_f64", "gfx942", "A"),
        ("v_smfmac_f32_16x16x64_f16", "gfx950", "index"),
    ):
        where = layout(name, target, which)
        rng = random.Random(6)
        shape = (where.shape[0], where.shape[1], where.shape[2] // where.per_item)
        values = [
            [[rng.getrandbits(where.item_bits) for _ in range(shape[2])] for _ in range(shape[1])]
            for _ in range(shape[0])
        ]
        assert gather(where, scatter(where, values)) == values


@pytest.mark.parametrize(
    "call, said",
    [
        (
            lambda: multiply("16x16x16_f16", "gfx942", [[[1] * 16] * 16], [[[1] * 16] * 15], None, number, number),
            "blocks, rows",
        ),
        (lambda: multiply("16x16x16_f16", "gfx942", [[[1 << 16] * 16] * 16], [[[1] * 16] * 16]), "a code of 16 bits"),
        (lambda: multiply("16x16x16_f16", "gfx942", [], [], None, nothing=1), "option=nothing"),
        (
            lambda: multiply("16x16x16_f16", "gfx942", [[[1] * 16] * 16], [[[1] * 16] * 16], scale_a=[[1]]),
            "reads no scales",
        ),
        (
            lambda: multiply("v_smfmac_f32_16x16x32_f16", "gfx942", [[[1] * 16] * 16], [[[1] * 16] * 32]),
            "positions=None",
        ),
        (lambda: compress([1, 2, 3, 0]), "at most two of four"),
    ],
)
def test_refusals(call, said):
    with pytest.raises(MatrixError) as caught:
        call()
    assert said in str(caught.value)
