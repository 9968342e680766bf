# SPDX-License-Identifier: Apache-2.0
"""Products through the registers of gfx1250 against plain products, with values that differ from place to place."""

import random

import pytest

from cdna.mfma.opcodes import MatrixError
from cdna.wmma.multiply import compress, multiply
from cdna.wmma.opcodes import BITS, chosen, opcode, opcodes


def number(code):
    return code


def some(rng, rows, columns, most):
    return [[[rng.randrange(most) for _ in range(columns)] for _ in range(rows)]]


def plain(op, a, b, c, weight=lambda i, j, k: 1):
    return [
        [c[0][i][j] + sum(a[i][k] * b[0][k][j] * weight(i, j, k) for k in range(op.k)) for j in range(op.n)]
        for i in range(op.m)
    ]


@pytest.mark.parametrize("name", [op.mnemonic for op in opcodes()])
def test_every_instruction(name):
    op, rng = opcode(name), random.Random(name)
    most = 2 ** min(8, BITS.get(op.a_type, 8))
    b, c = some(rng, op.k, 16, most), some(rng, op.m, 16, 1000)
    given, weight = {}, lambda i, j, k: 1
    if op.sparse:
        full = [[0] * op.k for _ in range(16)]
        for row in full:
            for first in range(0, op.k, 4):
                for at in rng.sample(range(4), 2):
                    row[first + at] = rng.randrange(1, most)
        pairs = [compress(row) for row in full]
        a, given["positions"] = [[kept for kept, _ in pairs]], [[at for _, at in pairs]]
    else:
        a = some(rng, op.m, op.k, most)
        full = a[0]
    if op.scale_block:
        count = op.k // op.scale_block
        sa = [[rng.randrange(120, 134) for _ in range(count)] for _ in range(op.m)]
        sb = [[rng.randrange(120, 134) for _ in range(16)] for _ in range(count)]
        given.update(scale_a=sa, scale_b=sb)

        def weight(i, j, k):
            return 2.0 ** (sa[i][k // op.scale_block] + sb[k // op.scale_block][j] - 254)

    assert multiply(name, a, b, c, number, number, **given)[0] == plain(op, full, b, c, weight)


@pytest.mark.parametrize("a_format, b_format", [("fp8", "fp4"), ("bf6", "bf8"), ("fp4", "fp4"), ("fp6", "bf6")])
def test_formats(a_format, b_format):
    """Codes of small formats are numbers that a float holds: the sums are exact and equal those of decoded values."""
    name, rng = "v_wmma_f32_16x16x128_f8f6f4", random.Random(a_format + b_format)
    one = {"fp8": 0x38, "bf8": 0x3C, "fp6": 0x08, "bf6": 0x0C, "fp4": 0x2}  # the code of 1.0 in OCP and MX formats
    a = [[[one[a_format] if rng.random() < 0.3 else 0 for _ in range(128)] for _ in range(16)]]
    b = [[[one[b_format] if rng.random() < 0.3 else 0 for _ in range(16)] for _ in range(128)]]
    found = multiply(name, a, b, a_format=a_format, b_format=b_format)
    assert found[0] == [[sum(a[0][i][k] > 0 < b[0][k][j] for k in range(128)) for j in range(16)] for i in range(16)]
    assert chosen(opcode(name))


def test_integers_are_signed():
    a = [[[0xF] * 16 for _ in range(16)]]
    b = [[[2] * 16 for _ in range(16)]]
    assert multiply("v_wmma_i32_16x16x16_iu4", a, b)[0][3][4] == -32


def test_order_of_k_shows_only_where_something_ties_it():
    rng = random.Random(7)
    a, b = some(rng, 16, 128, 8), some(rng, 128, 16, 8)
    other = {"loaded": ("WMMA-006",)}
    for name, block, changes in (
        ("v_wmma_f32_16x16x128_f8f6f4", 0, False),
        ("v_wmma_scale_f32_16x16x128_f8f6f4", 32, False),
        ("v_wmma_scale16_f32_16x16x128_f8f6f4", 16, True),
    ):
        given = (
            {"scale_a": [[rng.randrange(124, 130) for _ in range(128 // block)] for _ in range(16)]} if block else {}
        )
        one = multiply(name, a, b, None, number, number, **given)
        assert (multiply(name, a, b, None, number, number, **given, **other) != one) is changes


@pytest.mark.parametrize(
    "name, given, said",
    [
        ("v_wmma_f32_16x16x32_f16", {"scale_a": [[127]]}, "reads no scales"),
        ("v_wmma_f32_16x16x32_f16", {"wrong": 1}, "option=wrong"),
        ("v_swmmac_f32_16x16x64_f16", {}, "positions=None"),
    ],
)
def test_refusals(name, given, said):
    op = opcode(name)
    a = [[[0] * (op.k // 2 if op.sparse else op.k) for _ in range(16)]]
    b = [[[0] * 16 for _ in range(op.k)]]
    with pytest.raises(MatrixError) as error:
        multiply(name, a, b, **given)
    assert said in str(error.value)
