# SPDX-License-Identifier: Apache-2.0
"""What the CDNA5 guide asks for. Expected numbers are those of the table of its §7.12.1."""

import pytest

from cdna.wmma import hazards, manual

F16 = "v_wmma_f32_16x16x32_f16"
TABLE = [
    (F16, (), 4),
    ("v_wmma_bf16f32_16x16x32_bf16", (), 4),
    ("v_wmma_f16_16x16x64_bf8_fp8", (), 1),
    ("v_wmma_f32_16x16x128_bf8_bf8", (), 3),
    ("v_wmma_f32_16x16x128_f8f6f4", ("fp4", "fp4"), 1),
    ("v_wmma_f32_16x16x128_f8f6f4", ("fp8", "fp4"), 3),
    ("v_wmma_scale_f32_16x16x128_f8f6f4", ("fp6", "fp6"), 3),
    ("v_wmma_scale16_f32_32x16x128_f4", (), 3),
    ("v_wmma_i32_16x16x64_iu8", (), 8),
    ("v_swmmac_f32_16x16x64_f16", (), 2),
    ("v_swmmac_f16_16x16x128_fp8_bf8", (), 2),
    ("v_swmmac_i32_16x16x128_iu8", (), 4),
]


@pytest.mark.parametrize(("name", "formats", "slots"), TABLE)
def test_table(name, formats, slots):
    for then, via in (("valu", "read"), ("v_exp_f32", "read"), ("valu", "waw"), ("valu", "ab-war")):
        assert manual.asked(name, then, via, *formats) == (slots, "GFX-011")
    assert manual.asked(name, F16, "ab", *formats).slots == slots + 1


@pytest.mark.parametrize(
    ("first", "then", "via"),
    [
        (F16, F16, "exact"),
        (F16, "valu", "c-war"),
        (F16, "ds_load_b128", "ab-war"),
        (F16, "store", "read"),
        (F16, "v_wmma_scale_f32_16x16x128_f8f6f4", "scale"),
        ("v_wmma_f32_16x16x4_f32", "valu", "read"),
        (F16, "v_wmma_f32_16x16x4_f32", "ab"),
        ("v_wmma_f32_16x16x16_f16", "valu", "read"),
    ],
)
def test_what_the_table_does_not_have(first, then, via):
    assert manual.asked(first, then, via) is None


def test_llvm_leaves_no_fewer():
    for name in hazards.names():
        for fmt in hazards.FORMATS:
            for then, via in (("valu", "read"), ("valu", "waw"), ("valu", "ab-war"), (F16, "ab")):
                guide = manual.asked(name, then, via, fmt, fmt)
                assert guide is None or guide.slots <= hazards.waits(name, then, via, fmt, fmt).slots


def test_refusals():
    with pytest.raises(ValueError, match="GFX-011"):
        manual.vector_slots("v_add_f32")
    with pytest.raises(ValueError, match="via="):
        manual.asked(F16, "valu", "ab")
