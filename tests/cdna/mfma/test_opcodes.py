# SPDX-License-Identifier: Apache-2.0
"""Shapes, types and registers of the matrix instructions; numbers from AMD's calculator and the CDNA4 guide, not from us."""

import json
import pathlib

import pytest

from cdna.mfma.describe import describe
from cdna.mfma.opcodes import (
    MatrixError,
    format_of,
    index_sets,
    matrices,
    on_target,
    opcode,
    opcodes,
    operations,
    operations_per_cycle,
    registers,
)

VECTORS = json.loads(
    (pathlib.Path(__file__).parents[3] / "evidence" / "vectors" / "mfma-layouts.json").read_text("utf-8")
)


def test_counts():
    """46 instructions are in AMD's calculator for CDNA3; the calculator names each of them."""
    theirs = {row["op"] for row in VECTORS["calculator_details"]["rows"]}
    assert {op.mnemonic for op in opcodes("gfx942")} == theirs and len(theirs) == 46
    only = [op.mnemonic for op in opcodes("gfx942") if op.targets == ("gfx942",)]
    assert only == ["v_mfma_f32_16x16x8_xf32", "v_mfma_f32_32x32x4_xf32"]
    assert len(opcodes("gfx950")) == 46 - 2 + 24


@pytest.mark.parametrize("row", VECTORS["calculator_details"]["rows"], ids=lambda row: row["op"])
def test_calculator_details(row):
    op = opcode(row["op"])
    assert operations(op) == row["operations"]
    assert operations_per_cycle(op, "gfx942") == row["per_cu_per_cycle"]
    assert operations_per_cycle(op, "gfx950") is None
    for matrix, count in row["registers"].items():
        assert registers(op, matrix) == count


@pytest.mark.parametrize(
    "name, target, kind, count",
    [
        ("v_mfma_f32_16x16x128_f8f6f4", "gfx950", "fp8", 8),  # guide, 7.1.5: 8, 6 and 4 registers
        ("v_mfma_f32_16x16x128_f8f6f4", "gfx950", "bf6", 6),
        ("v_mfma_f32_32x32x64_f8f6f4", "gfx950", "fp6", 6),
        ("v_mfma_f32_32x32x64_f8f6f4", "gfx950", "fp4", 4),
    ],
)
def test_format_widths(name, target, kind, count):
    op = on_target(name, target)
    assert registers(op, "A", kind, "fp8") == count and registers(op, "B", "fp8", kind) == count


def test_mixed_formats_have_widths_of_their_own():
    op = opcode("v_mfma_scale_f32_32x32x64_f8f6f4")
    assert (registers(op, "A", "fp8", "fp4"), registers(op, "B", "fp8", "fp4")) == (8, 4)
    assert registers(op, "D") == 16 and registers(op, "scale_a") == 1


def test_spellings():
    for name in ("16x16x16_f16", "v_mfma_f32_16x16x16f16", "__builtin_amdgcn_mfma_f32_16x16x16f16"):
        assert opcode(name).mnemonic == "v_mfma_f32_16x16x16_f16"
    assert opcode("v_mfma_f32_32x32x4_2b_f16")[1:5] == (32, 32, 4, 2)
    assert opcode("v_smfmac_f32_16x16x64_bf8_fp8")[5:8] == ("bf8", "fp8", "f32")
    assert opcode("v_mfma_scale_f32_16x16x128_f8f6f4").scaled


def test_index_sets():
    """Guide, 7.5: four sets of 8 bits, two of 16; wide forms two of 16 (its table) and one of 32."""
    assert index_sets(opcode("v_smfmac_f32_16x16x32_f16")) == (4, 8)
    assert index_sets(opcode("v_smfmac_i32_32x32x32_i8")) == (2, 16)
    assert index_sets(opcode("v_smfmac_f32_16x16x64_f16")) == (2, 16)
    assert index_sets(opcode("v_smfmac_f32_32x32x64_fp8_fp8")) == (1, 32)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: opcode("v_mfma_f32_1x1x1_f16"), "op=v_mfma_f32_1x1x1_f16: "),
        (lambda: on_target("v_mfma_f32_16x16x8_xf32", "gfx950"), "only on gfx942, MFMA-054"),
        (lambda: on_target("v_mfma_f32_16x16x16_f16", "gfx1250"), "target=gfx1250: gfx942 or gfx950"),
        (lambda: registers(opcode("v_smfmac_f32_16x16x32_f16"), "C"), "matrix=C: "),
        (lambda: index_sets(opcode("v_mfma_f32_16x16x16_f16")), "no index register"),
        (lambda: format_of("fp5", "a_format"), "a_format=fp5: fp8 (0), bf8 (1)"),
    ],
)
def test_refusals(call, said):
    with pytest.raises(MatrixError) as caught:
        call()
    assert said in str(caught.value)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_describe_speaks_of_every_instruction(target):
    for op in opcodes(target):
        found = describe(op.mnemonic, target)
        assert json.loads(json.dumps(found)) == found
        assert [item["matrix"] for item in found["operands"]] == list(matrices(op))
        assert ("MFMA-053" in [item["claim"] for item in found["disputed"]]) == op.mnemonic.endswith("f8f6f4")
    assert describe("v_mfma_f32_32x32x64_f8f6f4", "gfx950")["passes"] == {
        "without_8_bit_operand": 8,
        "with_8_bit_operand": 16,
    }
