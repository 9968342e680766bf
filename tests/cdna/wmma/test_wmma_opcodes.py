# SPDX-License-Identifier: Apache-2.0
"""Instructions of gfx1250: names, types, registers (numbers from clang's assembler), and what `describe` says of each."""

import pytest

from cdna.mfma.describe import describe as describe_mfma
from cdna.mfma.opcodes import MatrixError
from cdna.wmma.describe import describe
from cdna.wmma.hazards import operand
from cdna.wmma.opcodes import index_sets, matrices, opcode, opcodes, operations, registers


@pytest.mark.parametrize(
    "name, counts",
    [
        ("v_wmma_f32_16x16x4_f32", {"A": 2, "B": 2, "C": 8, "D": 8}),
        ("v_wmma_f16_16x16x32_f16", {"A": 8, "B": 8, "C": 4, "D": 4}),
        ("v_wmma_bf16f32_16x16x32_bf16", {"A": 8, "B": 8, "C": 8, "D": 4}),
        ("v_wmma_f32_32x16x128_f4", {"A": 16, "B": 8, "C": 16, "D": 16}),
        ("v_wmma_scale16_f32_16x16x128_f8f6f4", {"A": 16, "D": 8, "scale_a": 2, "scale_b": 2}),
        ("v_swmmac_f16_16x16x128_fp8_bf8", {"A": 8, "B": 16, "D": 4, "index": 2}),
        ("v_swmmac_i32_16x16x32_iu4", {"A": 1, "B": 2, "D": 8, "index": 1}),
    ],
)
def test_registers(name, counts):
    assert {matrix: registers(opcode(name), matrix) for matrix in counts} == counts


@pytest.mark.parametrize(
    "said, name",
    [
        ("16x16x32_f16", "v_wmma_f32_16x16x32_f16"),
        ("f16_16x16x32_f16", "v_wmma_f16_16x16x32_f16"),
        ("16x16x64_iu8", "v_wmma_i32_16x16x64_iu8"),
        ("V_SWMMAC_F32_16X16X64_F16_e64", "v_swmmac_f32_16x16x64_f16"),
        ("__builtin_amdgcn_wmma_scale_f32_32x16x128_f4", "v_wmma_scale_f32_32x16x128_f4"),
        ("llvm.amdgcn.wmma.f32.16x16x4.f32.v8f32.v2f32", "v_wmma_f32_16x16x4_f32"),
        ("@llvm.amdgcn.swmmac.f32.16x16x64.f16.v8f32.v16f16.v32f16.i32", "v_swmmac_f32_16x16x64_f16"),
        ("rocdl.wmma.scale16.f32.16x16x128.f8f6f4", "v_wmma_scale16_f32_16x16x128_f8f6f4"),
    ],
)
def test_spellings(said, name):
    assert opcode(said).mnemonic == name
    if "wmma" in said.lower():
        assert operand(said).name == name


@pytest.mark.parametrize("name", ["v_mfma_f32_16x16x16_f16", "v_swmmac_f32_16x16x64_fp8_fp8", "", "v_wmma_"])
def test_unknown(name):
    with pytest.raises(MatrixError, match="WMMA-001"):
        opcode(name)


def test_other_targets_are_refused():
    for target in ("gfx942", "gfx950", "gfx1200", ""):
        with pytest.raises(MatrixError, match="WMMA-002"):
            opcodes(target)


def test_operations_and_sets():
    assert operations(opcode("v_wmma_f32_16x16x128_f8f6f4")) == 2 * 16 * 16 * 128
    assert [index_sets(opcode(f"v_swmmac_f32_16x16x{k}_f16")) for k in (32, 64)] == [2, 1]
    with pytest.raises(MatrixError, match="no index register"):
        index_sets(opcode("v_wmma_f32_16x16x32_f16"))


@pytest.mark.parametrize("op", opcodes(), ids=lambda op: op.mnemonic)
def test_describe_has_the_shape_of_mfma(op):
    """A reader of `mfma list --json` finds the same keys for every target."""
    found = describe(op.mnemonic)
    theirs = describe_mfma("v_mfma_f32_16x16x16_f16", "gfx942")
    assert set(theirs) <= set(found) and found["wave_lanes"] == 32
    assert [item["matrix"] for item in found["operands"]] == list(matrices(op))
    assert set(theirs["operands"][0]) <= set(found["operands"][0])
    assert {item["claim"] for item in found["disputed"]} <= set(found["claims"])
    assert len(found["claims"]) == len(set(found["claims"]))


def test_integer_products_alone_choose_signs():
    """§7.12 of the CDNA5 guide: NEG says of IU4 and IU8 operands, and of no others, whether they are signed."""
    signed = {op.mnemonic for op in opcodes("gfx1250") if describe(op.mnemonic)["modifiers"].get("neg_lo") == "sign"}
    assert signed == {op.mnemonic for op in opcodes("gfx1250") if op.mnemonic.endswith(("_iu4", "_iu8"))} and len(signed) == 8
