# SPDX-License-Identifier: Apache-2.0
"""Pairs without a matrix instruction: every role as first and second, against llc; by mnemonic, as people ask."""

import pytest

from cdna.mfma import hazards, vector_pairs
from cdna_evidence.witnesses import Missing, get, matrix

FIRST = {
    "valu": "v_mov_b32",
    "trans": "v_rcp_f32",
    "scalar": "v_readfirstlane_b32",
    "compare": "v_cmp_eq_u32",
    "sdwa": "v_add_u16_sdwa",
    "valu-exec": "v_cmpx_eq_u32",
    "salu-exec": "s_mov_b64",
}
THEN = {
    "valu": "v_add_f32",
    "trans": "v_exp_f32",
    "lane-read": "v_readlane_b32",
    "first-lane": "v_readfirstlane_b32",
    "lane-write": "v_writelane_b32",
    "dpp": "v_mov_b32_dpp",
    "div-fmas": "v_div_fmas_f32",
    "load": "global_load_dword",
    "store": "global_store_dword",
    "ds": "ds_read_b32",
}


def pairs():
    """Return [(first word, then word, via, MIR)] of every pair that can be written."""
    found = []
    for first in FIRST:
        for then in THEN:
            via = "exec" if first.endswith("exec") else "read"
            try:
                found.append((first, then, via, matrix.pair(first, then, via)))
            except ValueError:
                continue  # no such dependency
    return found


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_every_pair_gets_what_llc_inserts(target):
    try:
        llc = get("llc")
    except Missing as missing:
        pytest.skip(str(missing))
    asked = pairs()
    assert len(asked) > 40
    _, states = llc.wait_states(target, [(f"pair{i}", item[3]) for i, item in enumerate(asked)])
    told = {
        f"pair{i}": hazards.waits(target, FIRST[one], THEN[two], via).states
        for i, (one, two, via, _) in enumerate(asked)
    }
    differ = {asked[int(name[4:])][:3]: (told[name], states[name]) for name in told if told[name] != states[name]}
    assert differ == {}


@pytest.mark.parametrize(
    ("first", "then", "via", "states"),
    [
        # iree-org/wave keeps these two apart in its own assembler, after wrong results on gfx940 and later.
        ("v_add_u32", "v_readfirstlane_b32", "read", 1),
        ("v_readfirstlane_b32", "v_add_u32", "read", 2),
        # llvm/llvm-project#100276: what SDWA wrote is read by the next instruction.
        ("v_add_u16_sdwa", "v_add_f32", "read", 1),
        ("v_readlane_b32", "buffer_load_dword", "read", 5),
        ("v_cmp_gt_f32", "v_div_fmas_f64", "read", 4),
        ("v_cmpx_eq_u32", "v_add_f32_dpp", "exec", 5),
        # What has no rule keeps its answer.
        ("v_mov_b32", "v_add_f32", "read", 0),
        ("v_mov_b32", "global_store_dword", "read", 0),
        ("v_readlane_b32", "v_readfirstlane_b32", "read", 0),
        ("v_mov_b32", "v_readlane_b32", "waw", 0),
    ],
)
def test_by_mnemonic(first, then, via, states):
    for target in ("gfx942", "gfx950"):
        answer = hazards.waits(target, first, then, via)
        assert (answer.states, answer.claim) == (states, "MFMA-076" if states else "MFMA-070")


def test_the_rules_before_keep_their_claims():
    """A dot product needs more than a lane read asks for, and a transcendental result has its own rule."""
    assert hazards.waits("gfx942", "v_dot4_i32_i8", "v_readlane_b32", "read").claim == "MFMA-074"
    assert hazards.waits("gfx942", "v_rcp_f32", "v_readlane_b32", "read").claim == "MFMA-071"
    assert hazards.waits("gfx942", "v_rcp_f32", "v_mov_b32_dpp", "read") == hazards.Waits(2, "vector-pair", "MFMA-076")
    assert hazards.waits("gfx950", "v_mov_b32", "v_permlane32_swap_b32", "read").claim == "MFMA-073"


def test_roles():
    assert vector_pairs.role("v_cmpx_eq_u32") == "" and vector_pairs.role("v_cmp_eq_u32") == "compare"
    assert vector_pairs.written_as("v_readlane_b32") == vector_pairs.written_as("v_readfirstlane_b32") == "scalar"
    assert vector_pairs.written_as("v_mov_b32_dpp") == ""


@pytest.mark.parametrize(
    ("then", "via", "mir", "states"),
    [
        ("v_div_fmas_f32", "read", "$vgpr4 = V_DIV_FMAS_F32_e64 0, $vgpr5, 0, $vgpr6, 0, $vgpr7, 0, 0, implicit $mode, implicit $vcc, implicit $exec", 4),
        ("v_writelane_b32", "read", "$vgpr4 = V_WRITELANE_B32 1, $sgpr0, $vgpr4", 4),
        ("v_mov_b32", "read", "$vgpr4 = V_MOV_B32_e32 $sgpr0, implicit $exec", 2),
        ("v_mov_b32", "independent", "$vgpr4 = V_MOV_B32_e32 $sgpr7, implicit $exec", 0),
        ("global_load_dword", "independent", "$vgpr4 = GLOBAL_LOAD_DWORD $vgpr6_vgpr7, 0, 0, implicit $exec", 5),
        ("v_readfirstlane_b32", "read", "$sgpr9 = V_READFIRSTLANE_B32 $vgpr4, implicit $exec", 4),
    ],
)
@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_a_compare_that_writes_exec_writes_a_scalar_register_too(target, then, via, mir, states):
    """v_cmpx of gfx942 and gfx950 has a destination beside EXEC, VCC in its short form; the longer wait counts."""
    assert hazards.waits(target, "v_cmpx_eq_u32", then, via).states == states
    try:
        llc = get("llc")
    except Missing as missing:
        pytest.skip(str(missing))
    short = "V_CMPX_EQ_U32_e32 $vgpr0, $vgpr1, implicit-def $vcc, implicit-def $exec, implicit $exec"
    wide = "$sgpr0_sgpr1 = V_CMPX_EQ_U32_e64 $vgpr0, $vgpr1, implicit-def $exec, implicit $exec"
    compiled, found = llc.wait_states(target, [("pair", [short if "$vcc" in mir else wide, mir])])
    assert compiled.accepted, compiled.diagnostic
    assert found == {"pair": states}
