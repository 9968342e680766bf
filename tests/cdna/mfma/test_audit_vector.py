# SPDX-License-Identifier: Apache-2.0
"""The audit of programs without matrix instructions: pairs by hand, drawn programs against llc, and kernels of clang.

The reason of a skip is the witness that is not installed.
"""

import random
import shutil
import subprocess

import pytest

from cdna.mfma import hazards, passes, scalar_effects, vector_pairs
from cdna.mfma.audit import audit
from cdna_evidence.witnesses import Missing, get, vector_kernels, vector_programs, wmma_programs

BOTH = ("gfx942", "gfx950")


def witness(name):
    try:
        return get(name)
    except Missing as missing:
        pytest.skip(str(missing))


def gaps(text, target="gfx942"):
    """What an audit finds: (line of the first, line of the second, needed, missing)."""
    found = audit(text, target).dependencies
    return sorted((item["first"]["line"], item["then"]["line"], item["needed"], item["missing"]) for item in found)


def test_the_program_that_was_called_protected():
    text = "v_mov_b32 v0, v1\nv_readfirstlane_b32 s0, v0\nv_writelane_b32 v3, s0, s1\nv_readlane_b32 s4, v3, s0\n"
    assert gaps(text) == [(1, 2, 1, 1), (2, 3, 2, 2), (2, 4, 4, 3), (3, 4, 1, 1)]
    (first, *_) = audit(text, "gfx942").findings
    assert (first["rule"], first["severity"], first["claim"]) == ("vector-pair", "error", "MFMA-076")


@pytest.mark.parametrize("target", BOTH)
@pytest.mark.parametrize(
    ("first", "then", "needed"),
    [
        # Written as people write, without suffixes; the numbers are those of the pairs as MIR (checks of the two claims).
        ("v_add_u32 v0, v1, v2", "v_mov_b32 v3, v0 row_shl:1", 2),
        ("v_add_u32 v0, v1, v2", "v_mov_b32_dpp v0, v3 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf", 2),
        ("v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v2, v3, v4, v5", 4),
        ("v_div_scale_f32 v0, vcc, v1, v2, v1", "v_div_fmas_f32 v2, v3, v4, v5", 4),
        ("v_cmp_eq_u32 vcc, v0, v1", "v_cndmask_b32 v2, v3, v4, vcc", 2),
        ("v_add_co_u32 v0, vcc, v1, v2", "v_addc_co_u32 v3, vcc, v4, v5, vcc", 2),
        ("v_mad_u64_u32 v[0:1], s[4:5], v2, v3, v[4:5]", "v_mov_b32 v9, s5", 2),
        ("v_readlane_b32 s4, v0, 3", "buffer_load_dword v1, v2, s[4:7], 0 offen", 5),
        ("v_readlane_b32 s8, v0, 3", "buffer_load_dword v1, v2, s[4:7], s8 offen", 5),
        ("v_readlane_b32 s4, v0, 3", "global_store_dword v1, v2, s[4:5]", 5),
        ("v_readlane_b32 s4, v0, 3", "scratch_load_dword v1, off, s4", 5),
        ("v_cmpx_eq_u32 vcc, v0, v1", "global_store_dword v[2:3], v4, off", 5),
        ("v_cmpx_eq_u32 vcc, v0, v1", "v_readfirstlane_b32 s0, v2", 4),
        ("v_cmp_eq_u32 exec, v0, v1", "v_mov_b32_dpp v2, v3 row_shr:1", 5),
        ("v_add_u16 v0, v1, v2 dst_sel:WORD_1", "v_mov_b32 v3, v0", 1),
        ("v_add_u16 v0, v1, v2 dst_sel:WORD_1", "v_mov_b32 v0, 0", 1),
        ("v_pk_add_f16 v0, v1, v2", "v_mov_b32 v3, v0", 1),
        ("v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", "v_mov_b32 v3, v1", 1),
        ("v_cvt_pk_fp8_f32 v0, v1, v2 op_sel:[0,0,1]", "v_mov_b32 v3, v0", 1),
        ("v_exp_f32 v0, v1", "global_load_lds_dword v[0:1], off", 1),
        ("s_mov_b32 m0, s0", "global_load_lds_dword v[0:1], off", 1),
        ("s_mov_b32 m0, s0", "buffer_load_dword v0, s[4:7], 0 offen lds", 1),
        ("s_add_u32 m0, s0, s1", "ds_write_addtid_b32 v0", 1),
        ("s_mov_b32 m0, s0", "s_movrels_b32 s1, s2", 1),
        ("s_mov_b32 m0, s0", "s_sendmsg sendmsg(MSG_INTERRUPT)", 1),
        ("s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0", "s_getreg_b32 s1, hwreg(1)", 2),
        ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0", 2),
        ("s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0", "s_rfe_b64 s[0:1]", 1),
    ],
)
def test_pairs_as_text(target, first, then, needed):
    """One state less than needed is one missing; with all of them nothing is."""
    assert gaps(f"{first}\n{then}", target) == [(1, 2, needed, needed)]
    assert gaps(f"{first}\n" + "s_nop 0\n" * (needed - 1) + then, target) == [(1, needed + 1, needed, 1)]
    assert gaps(f"{first}\ns_nop {needed - 1}\n{then}", target) == []


@pytest.mark.parametrize("target", BOTH)
@pytest.mark.parametrize(
    "text",
    [
        "v_readlane_b32 s0, v0, 3\ns_mov_b32 s1, s0",
        "v_readlane_b32 s0, v0, 3\ns_load_dword s1, s[0:1], 0x0",
        "v_readlane_b32 s0, v0, 3\nv_readfirstlane_b32 s1, v1",
        "v_cmp_eq_u32 vcc, v0, v1\ns_cbranch_vccz 1",
        "s_mov_b32 s0, 3\nv_mov_b32 v0, s0",
        "s_mov_b32 m0, s0\nds_read_b32 v0, v1",
        "s_cmp_eq_u32 m0, 3\ns_sendmsg sendmsg(MSG_INTERRUPT)",
        "v_cmpx_eq_u32 vcc, v0, v1\nds_write_b32 v2, v3",
        "v_add_u16 v0, v1, v2 dst_sel:DWORD\nv_mov_b32 v3, v0",
        "v_pk_add_f16 v0, v1, v2 op_sel_hi:[0,1]\nv_mov_b32 v3, v0",
        "v_pk_add_f16 v0, v1, v2\nglobal_store_dword v[2:3], v0, off",
        "v_cvt_pk_fp8_f32 v0, v1, v2\nv_mov_b32 v3, v0",
        "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\ns_getreg_b32 s1, hwreg(HW_REG_STATUS)",
        "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\nv_add_f32 v0, v1, v2",
    ],
)
def test_what_llvm_leaves_alone(target, text):
    assert gaps(text, target) == []


@pytest.mark.parametrize("target", BOTH)
def test_drawn_programs_get_the_wait_states_of_llvm(target):
    rng, programs, states = random.Random(21), {}, 0
    small = [row.mnemonic for row in passes.MATRIX if passes.result_registers(row.mnemonic) <= 16]
    products = [name for name in small if passes.has(target, name)]
    for number in range(50):
        programs[f"s{number}"] = vector_programs.straight(rng, 16, target)
        programs[f"t{number}"] = vector_programs.straight(rng, 16, target)
        programs[f"b{number}"] = vector_programs.branchy(rng, 6, target)
        programs[f"m{number}"] = vector_programs.mixed(rng, 7, target, products)
    found = wmma_programs.assembled(witness("llc"), target, programs, vector_programs.NO_XNACK)
    for name, (fixed, plain) in found.items():
        repaired = vector_programs.repaired(plain, audit, target)
        assert vector_programs.layout(repaired) == vector_programs.layout(fixed), name
        states += sum(count for count, _ in vector_programs.layout(fixed))
    assert states > 1000  # so the equality says something


@pytest.mark.parametrize("target", BOTH)
def test_behind_forks_with_code_on_both_sides_the_audit_asks_for_what_llvm_inserts_or_more(target):
    """LLVM may look at the longer of two ways alone (MFMA-077)."""
    rng, programs, nops = random.Random(22), {}, 0
    for number in range(60):
        before, one, other, behind = [vector_programs.lines(rng, count, target) for count in (3, 4, 1, 5)]
        programs[f"k{number}"] = [
            ((2, 1), [*before, "S_CBRANCH_SCC1 %bb.2, implicit $scc"]),
            ((3,), [*one, "S_BRANCH %bb.3"]),
            ((3,), other),
            ((), [*behind, "S_ENDPGM 0"]),
        ]
    found = wmma_programs.assembled(witness("llc"), target, programs, vector_programs.NO_XNACK)
    for name, (fixed, plain) in found.items():
        if any(line.startswith("s_nop") for line in plain):
            continue  # one that was drawn may be to spare
        for place in [number for number, line in enumerate(fixed) if line.startswith("s_nop")]:
            missing = [
                item["missing"] for item in audit("\n".join(fixed[:place] + fixed[place + 1 :]), target).dependencies
            ]
            assert max(missing, default=0) >= int(fixed[place].split()[1]) + 1, (name, place)
            nops += 1
    assert nops > 50


@pytest.mark.parametrize("target", BOTH)
def test_kernels_are_clean_and_miss_what_is_taken_out(target):
    nops = 0
    for name, code in vector_kernels.compiled(witness("clang"), target).items():
        assert audit("\n".join(code), target).dependencies == (), name
        bare = [line for line in code if not line.startswith("s_nop")]
        assert vector_programs.repaired(bare, audit, target) == code, name
        for place in [number for number, line in enumerate(code) if line.startswith("s_nop")]:
            missing = [
                item["missing"] for item in audit("\n".join(code[:place] + code[place + 1 :]), target).dependencies
            ]
            assert max(missing, default=0) == int(code[place].split()[1]) + 1, (name, place)
            nops += 1
    assert nops > 20


def test_hardware_registers_by_number_have_the_names_of_the_assembler():
    assembler = shutil.which("llvm-mc-22")
    if assembler is None:
        pytest.skip("llvm-mc of LLVM 22 is not installed; on Debian, apt-get install llvm-22")
    text = "".join(f"s_getreg_b32 s0, hwreg({number})\n" for number in range(64))
    words = [assembler, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942"]
    shown = subprocess.run(words, input=text, capture_output=True, text=True, check=True).stdout
    lines = [line.partition(",")[2].strip() for line in shown.splitlines() if "s_getreg" in line]
    assert len(lines) == 64
    for number, line in enumerate(lines):
        assert scalar_effects.hardware_register(f"hwreg({number}, 0, 4)") == scalar_effects.hardware_register(line)
        assert scalar_effects.hardware_register(str(number)) == scalar_effects.hardware_register(line)


@pytest.mark.parametrize(
    ("first", "then", "states", "claim"),
    [
        ("s_mov_b32", "s_sendmsg", 1, "MFMA-078"),
        ("s_mov_b32", "global_load_lds_dword", 1, "MFMA-078"),
        ("s_setreg_b32", "s_getreg_b32", 2, "MFMA-078"),
        ("s_setreg_b32", "s_rfe_b64", 1, "MFMA-078"),
        ("s_mov_b32", "v_mov_b32", 0, "MFMA-070"),
        ("v_pk_add_f16", "v_add_f32", 1, "MFMA-076"),
        ("v_pk_add_f16", "global_load_lds_dword", 1, "MFMA-076"),
        ("v_pk_add_f16", "global_store_dword", 0, "MFMA-070"),
        ("global_load_dword", "v_mov_b32_dpp", 2, "MFMA-076"),
        ("global_load_dword", "v_mov_b32", 0, "MFMA-070"),
        ("v_exp_f32", "global_load_lds_dword", 1, "MFMA-071"),
    ],
)
def test_one_pair_by_mnemonic(first, then, states, claim):
    for target in BOTH:
        answer = hazards.waits(target, first, then, "read")
        assert (answer.states, answer.claim) == (states, claim)


def test_the_table_has_no_line_behind_one_that_hides_it():
    for lines in vector_pairs.TABLE.values():
        names = [name for name, _ in lines]
        assert len(set(names)) == len(names) and all(count > 0 for _, count in lines)
