# SPDX-License-Identifier: Apache-2.0
"""The slots of gfx1250. Expected numbers are those that LLVM 22.1.8's hazard pass gave to MIR, and LLVM's own test."""

import pytest

from cdna.wmma import hazards, opcodes

F16 = "v_wmma_f32_16x16x32_f16"


@pytest.mark.parametrize(
    ("first", "then", "via", "slots"),
    [
        (F16, F16, "ab", 5),
        (F16, "valu", "read", 4),
        (F16, "v_mul_f32", "waw", 4),
        (F16, "valu", "ab-war", 4),
        (F16, "valu", "c-war", 0),
        (F16, F16, "exact", 0),
        (F16, "v_wmma_bf16f32_16x16x32_bf16", "exact", 0),
        (F16, "v_exp_f32", "read", 0),
        (F16, "ds_load_b128", "ab-war", 0),
        ("v_wmma_i32_16x16x64_iu8", "valu", "read", 8),
        ("v_wmma_i32_16x16x64_iu8", F16, "ab", 9),
        ("v_swmmac_f32_16x16x64_f16", F16, "ab", 3),
        ("v_swmmac_f32_16x16x64_f16", "valu", "read", 2),
        ("v_wmma_f32_16x16x4_f32", F16, "ab", 1),
        ("v_wmma_f32_16x16x4_f32", "valu", "read", 0),
        ("v_wmma_f32_16x16x16_f16", "valu", "read", 0),
        (F16, "v_wmma_scale_f32_16x16x128_f8f6f4", "scale", 0),
        ("v_wmma_scale16_f32_32x16x128_f4", "valu", "scale-war", 0),
        ("v_wmma_i32_16x16x16_iu8", F16, "ab", 1),
        (F16, "v_swmmac_f32_16x16x32_f16", "index", 1),
    ],
)
def test_slots(first, then, via, slots):
    assert hazards.waits(first, then, via).slots == slots


def test_formats_choose_the_class():
    name = "v_wmma_scale_f32_16x16x128_f8f6f4"
    assert hazards.waits(name, "valu", "read", "fp8", "fp4").slots == 8
    assert hazards.waits(name, "valu", "read", "fp4", "fp4").slots == 4


def test_every_answer_names_a_claim():
    for name, claim, _ in hazards.RULES:
        assert claim.startswith(("WMMA-0", "LANE-0")) and hazards.about(name)


@pytest.mark.parametrize(
    ("first", "then", "via", "said"),
    [
        ("v_mfma_f32_16x16x16_f16", "valu", "read", "first="),
        ("v_wmma_f32_16x16x8_f16", "valu", "read", "not a matrix instruction of gfx1250"),
        (F16, "valu", "ab", "has no A"),
        (F16, F16, "index", "only SWMMAC"),
        (F16, F16, "scale", "has no block scales"),
        ("v_wmma_bf16f32_16x16x32_bf16", "v_wmma_bf16f32_16x16x32_bf16", "exact", "D has 4 registers and C 8"),
        (F16, "valu", "scale-war", "has no block scales"),
        ("v_wmma_scale_f32_32x16x128_f4", "global_store_b32", "scale-war", "overwrites the scale"),
        (F16, F16, "read", "which operand"),
        (F16, "valu", "sideways", "via="),
        (F16, "global_store_b32", "waw", "a store writes no register"),
        ("v_swmmac_f32_16x16x64_f16", "valu", "c-war", "is its result"),
    ],
)
def test_refusals(first, then, via, said):
    with pytest.raises(ValueError, match=said):
        hazards.waits(first, then, via)


def test_disputes_are_named():
    assert ("WMMA-059", "rocm-b0", 1) in hazards.other_positions("v_wmma_f32_16x16x64_fp8_fp8")
    assert ("WMMA-060", "rocm-b0", 4) in hazards.other_positions("v_wmma_f32_16x16x128_f8f6f4")
    assert ("WMMA-055", "counted-like-a-and-b", 4) in hazards.other_positions("v_wmma_bf16f32_16x16x32_bf16", via="c-war")
    assert hazards.other_positions(F16) == []


def test_names_are_those_of_the_opcodes_that_are_selected():
    known = set(opcodes.mnemonics())
    assert set(hazards.names()) <= known
    # What remains are the forms of gfx12 with half the K (WMMA-058).
    assert all("16x16x16_" in name or "x32_" in name or "x64_iu4" in name for name in known - set(hazards.names()))
