# SPDX-License-Identifier: Apache-2.0
"""Products of gfx1250 as MIR and as LLVM IR. That they are well formed is judged by LLVM, and the two by each other."""

import subprocess

import pytest

from cdna.wmma import hazards, opcodes
from cdna_evidence.witnesses import Missing, get, matrix, wmma_forms, wmma_ir, wmma_mir, wmma_pairs

F16 = "v_wmma_f32_16x16x32_f16"
SCALED = "v_wmma_scale_f32_16x16x128_f8f6f4 fp8 fp4"
SPARSE = "v_swmmac_f32_16x16x64_f16"


def here(name):
    try:
        return get(name)
    except Missing as missing:
        pytest.skip(str(missing))


def test_every_product_is_well_formed_to_llvm():
    """LLVM's verifier of machine code finds nothing wrong with any product: operands, their order and their registers."""
    llc = here("llc")
    names = wmma_pairs.products(opcodes.mnemonics())
    text = "".join(matrix.function(f"p{i}", [wmma_mir.first(name)]) for i, name in enumerate(names))
    arguments = ["-mtriple=amdgcn", "-mcpu=gfx1250", "-run-pass=none", "-verify-machineinstrs", "-x", "mir", "-", "-o", "-"]
    good = subprocess.run([llc.program, *arguments], input=text, text=True, capture_output=True, check=False)
    assert good.returncode == 0, good.stderr[:500]
    # One register too few in A: the verifier sees it, so it would have seen it above.
    bad = text.replace("_".join(f"vgpr{i}" for i in range(16)), "_".join(f"vgpr{i}" for i in range(8)), 1)
    assert bad != text
    assert subprocess.run([llc.program, *arguments], input=bad, text=True, capture_output=True, check=False).returncode != 0


def test_examples_are_taken_by_the_assembler():
    clang = here("clang")
    names = opcodes.mnemonics()
    answers = clang.assemble("gfx1250", [wmma_forms.example(name) for name in names])
    assert [name for name, answer in zip(names, answers, strict=True) if not answer.accepted] == []


@pytest.mark.parametrize(
    "first, then, via",
    [
        (F16, "valu", "read"),
        (F16, SCALED, "ab"),
        (SCALED, SPARSE, "index"),
        (SPARSE, "valu", "index-war"),
        (F16, SCALED, "scale"),
        (SCALED, "valu", "scale-war"),
        (F16, F16, "exact"),
        (F16, F16, "partial"),
        (F16, F16, "waw"),
        (F16, F16, "ab-war"),
        (F16, F16, "independent"),
        ("v_wmma_bf16f32_16x16x32_bf16", "valu", "c-war"),
        (F16, "trans", "read"),
        (F16, "store", "read"),
        (F16, "load", "waw"),
        (F16, "ds", "ab-war"),
    ],
)
def test_both_ways_give_the_same(first, then, via):
    llc, clang = here("llc"), here("clang")
    by_mir = wmma_mir.ask(llc, "gfx1250", [wmma_mir.asked(first, then, via)])[0]
    by_ir = wmma_ir.ask(clang, "gfx1250", [(first, then, via)])[0]
    assert by_mir[0] is not None, by_mir[1]
    assert by_ir[0] == by_mir[0], by_ir[1]


@pytest.mark.parametrize(
    "first, then, via, said",
    [
        ("v_wmma_f32_16x16x16_f16", "valu", "read", "does not select"),
        (F16, "salu", "read", "no scalar instruction"),
        (F16, F16, "index", "has no index"),
        (F16, "valu", "scale-war", "has no scale"),
        (SPARSE, "valu", "c-war", "is its result"),
        ("v_wmma_bf16f32_16x16x32_bf16", "v_wmma_bf16f32_16x16x32_bf16", "exact", "ask for partial"),
        (F16, "store", "waw", "a store writes no register"),
        (F16, "valu", "sideways", "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_said(first, then, via, said):
    with pytest.raises(ValueError, match=said):
        builder = wmma_ir.matrix_ir.Builder()
        wmma_ir.pair(builder, "k", first, then, via)


@pytest.mark.parametrize("text", ["v_mfma_f32_16x16x16_f16", "v_wmma_f32_16x16x128_f8f6f4 fp8 f9"])
def test_no_form(text):
    with pytest.raises(ValueError):
        wmma_forms.form(text)


@pytest.mark.parametrize(
    "lines, said",
    [
        (["v_nop"], "in this order"),
        (["v_add_f32_e32 v1, v64, v2", f"{F16} v[64:71], v[0:7], v[16:23], v[64:71]"], "in this order"),
        ([f"{F16} v[40:47], v[0:7], v[16:23], v[40:47]", "v_add_f32_e32 v1, v40, v2"], "other registers"),
        ([f"{F16} v[64:71], v[0:7], v[16:23], v[64:71]", "v_mov_b32 v3, v4", "v_add_f32_e32 v1, v64, v2"], "stands between"),
    ],
)
def test_an_assembly_that_is_not_as_asked_is_refused(lines, said):
    with pytest.raises(ValueError, match=said):
        wmma_ir.between(lines, F16, "valu", "read")


def test_only_v_nops_count():
    lines = [f"{F16} v[64:71], v[0:7], v[16:23], v[64:71]", "s_delay_alu instid0(VALU_DEP_1)", "v_nop", "s_nop 7", "v_nop"]
    assert wmma_ir.between([*lines, "v_add_f32_e32 v1, v64, v2"], F16, "valu", "read") == 2


def test_every_product_that_llvm_selects_is_asked_with_every_format():
    pairs = wmma_pairs.every(hazards.names())["read"]
    chosen = [first for first, _, _ in pairs if "_f8f6f4 " in first]
    assert len(set(pairs)) == len(pairs) and len(chosen) == 3 * 5 * 5
