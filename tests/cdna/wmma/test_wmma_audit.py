# SPDX-License-Identifier: Apache-2.0
"""The slots audit of gfx1250: branches, loops, high registers, what earns a slot, and what LLVM itself leaves out.

Expected numbers are those of LLVM 22.1.8's hazard pass (claims WMMA-050 to WMMA-078).
"""

import itertools
import re
import sys

import pytest

from cdna.wmma.audit import audit

F16 = "v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[16:23], v[64:71]"
I8 = "v_wmma_i32_16x16x64_iu8 v[64:71], v[0:7], v[16:23], v[64:71]"
SPARSE = "v_swmmac_f32_16x16x64_f16 v[64:71], v[0:7], v[16:31], v40"
F32 = "v_wmma_f32_16x16x4_f32 v[64:71], v[0:1], v[16:17], v[64:71]"
READ = "v_add_f32_e32 v200, v64, v201"


def gaps(text):
    """(line of the first, line of the second, via, missing) of what an audit finds."""
    found = audit(text).dependencies
    return [(item["first"]["line"], item["then"]["line"], item["via"], item["missing"]) for item in found]


def said(text, severity):
    return [item["message"] for item in audit(text).findings if item["severity"] == severity]


@pytest.mark.parametrize(
    "first, then, via, missing",
    [
        (F16, READ, "read", 4),
        (I8, READ, "read", 8),
        (SPARSE, READ, "read", 2),
        (F32, READ, None, 0),
        (F16, "v_mov_b32_e32 v71, 0", "waw", 4),
        (F16, "v_mov_b32_e32 v7, 0", "ab-war", 4),
        (F16, "v_mov_b32_e32 v23, 0", "ab-war", 4),
        (SPARSE, "v_mov_b32_e32 v40, 0", "ab-war", 2),
        (F16, "v_mov_b32_e32 v24, 0", None, 0),
        (F16, "v_wmma_f32_16x16x32_f16 v[80:87], v[64:71], v[16:23], v[80:87]", "ab", 5),
        (F16, "v_wmma_f32_16x16x32_f16 v[80:87], v[0:7], v[70:77], v[80:87]", "ab", 5),
        (F16, "v_swmmac_f32_16x16x64_f16 v[80:87], v[0:7], v[16:31], v64", "index", 5),
        (F16, F16, None, 0),
        (F16, "v_wmma_f32_16x16x32_f16 v[80:87], v[0:7], v[16:23], v[64:71]", None, 0),
        (F16, "v_wmma_f32_16x16x4_f32 v[80:87], v[64:65], v[0:1], v[80:87]", "ab", 1),
        (F32, "v_wmma_f32_16x16x32_f16 v[80:87], v[64:71], v[16:23], v[80:87]", "ab", 1),
        (F16, "v_fmac_f32_e32 v64, v200, v201", "read", 4),
        (F16, "v_cmp_eq_u32_e32 vcc_lo, v64, v200", "read", 4),
        (F16, "v_cmpx_eq_u32_e32 v200, v64", "read", 4),
        (F16, "v_readfirstlane_b32 s0, v64", "read", 4),
        (F16, "v_add_co_u32 v200, vcc_lo, v201, v64", "read", 4),
        (F16, "v_dual_mov_b32 v200, v201 :: v_dual_bitop2_b32 v203, v204, v64 bitop3:0x14", "read", 4),
        (F16, "v_dual_bitop2_b32 v203, v204, v64 bitop3:0x14 :: v_dual_mov_b32 v200, v201", "read", 4),
        (F16, "global_load_async_to_lds_b32 v200, v[64:65], off", "read", 4),
        (F16, "global_store_b32 v[200:201], v64, off", None, 0),
        (F16, "ds_store_b32 v200, v64", None, 0),
        (F16, "ds_load_b32 v64, v200", None, 0),
        (F16, "s_mov_b32 s64, 0", None, 0),
        ("v_exp_f32_e32 v64, v65", READ, "read", 1),
        ("v_exp_f32_e32 v64, v65", "v_mov_b32_e32 v65, 0", "war", 1),
        ("v_exp_f32_e32 v64, v65", F16, "read", 1),
        ("v_exp_f32_e32 v64, v65", "v_exp_f32_e32 v66, v64", None, 0),
        ("v_s_exp_f32 s3, s4", "v_add_f32_e32 v1, s3, v2", "read", 1),
        ("v_s_exp_f32 s3, s4", "v_readfirstlane_b32 s4, v2", "war", 1),
    ],
)
def test_ways_to_depend(first, then, via, missing):
    expected = [(1, 2, via, missing)] if via else []
    assert [item for item in gaps(f"{first}\n{then}\ns_endpgm") if item[2] == via] == expected
    assert via or gaps(f"{first}\n{then}\ns_endpgm") == []


@pytest.mark.parametrize(
    "line, slots",
    [
        ("v_nop", 1),
        ("v_mov_b32_e32 v250, v251", 1),
        ("v_exp_f32_e32 v250, v251", 1),
        ("v_dual_mov_b32 v250, v252 :: v_dual_mov_b32 v249, v253", 1),
        ("v_wmma_f32_16x16x4_f32 v[160:167], v[128:129], v[130:131], v[160:167]", 1),
        ("global_load_async_to_lds_b32 v250, v[252:253], off", 1),
        ("tensor_load_to_lds s[0:3], s[4:11]", 1),
        ("s_nop 7", 0),
        ("s_delay_alu instid0(VALU_DEP_1)", 0),
        ("s_set_vgpr_msb 0", 0),
        ("global_load_b32 v250, v[252:253], off", 0),
        ("ds_load_b32 v250, v252", 0),
        ("global_prefetch_b8 v[252:253], off", 0),
    ],
)
def test_what_earns_a_slot(line, slots):
    (found,) = audit(f"{F16}\n{line}\n{READ}\ns_endpgm").dependencies
    assert (found["needed"], found["present"], found["unit"]) == (4, slots, "slots")


@pytest.mark.parametrize(
    "modifiers, needed",
    [
        ("", 8),
        (" matrix_b_fmt:MATRIX_FMT_FP4", 8),
        (" matrix_a_fmt:MATRIX_FMT_BF8 matrix_b_fmt:MATRIX_FMT_FP6", 8),
        (" matrix_a_fmt:MATRIX_FMT_FP6 matrix_b_fmt:MATRIX_FMT_BF6", 4),
        (" matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4", 4),
        (" matrix_a_fmt:4 matrix_b_fmt:0x4", 4),  # llvm-mc writes both as MATRIX_FMT_FP4
        (" matrix_a_fmt:2 matrix_b_fmt:1", 8),
    ],
)
def test_formats_choose_the_class(modifiers, needed):
    for name, scales in (
        ("v_wmma_f32", ""),
        ("v_wmma_scale_f32", ", v50, v51"),
        ("v_wmma_scale16_f32", ", v[50:51], v[52:53]"),
    ):
        text = f"{name}_16x16x128_f8f6f4 v[64:71], v[0:15], v[16:31], v[64:71]{scales}{modifiers}\n{READ}"
        assert gaps(text) == [(1, 2, "read", needed)]


def test_where_ways_meet_the_message_says_so():
    """LLVM 22.1.8 enters each block once, and may have come by the longer way (WMMA-073)."""
    fork = f"{F16}\ns_cbranch_scc1 .La\ns_branch .Lb\n.La:\nv_nop\n.Lb:\n{READ}\ns_endpgm"
    for text, named in ((fork, True), (f"{F16}\ns_branch .Lb\n.Lb:\n{READ}\ns_endpgm", False)):
        (message,) = said(text, "error")
        assert ("WMMA-073" in message) == named


def test_what_a_source_calls_enough_is_a_warning():
    """One slot behind an FP8 product is enough on stepping B0, three are missing on A0 (ROCm/llvm-project#3197)."""
    fp8 = "v_wmma_f32_16x16x64_fp8_fp8 v[64:71], v[0:7], v[16:23], v[64:71]"
    (message,) = said(f"{fp8}\nv_nop\n{READ}\ns_endpgm", "warning")
    assert "3 missing" in message and "none is missing by WMMA-059, position rocm-b0" in message
    assert said(f"{fp8}\n{READ}\ns_endpgm", "error")  # here every source asks for one


def test_the_shortest_way_counts():
    skipped = f"{F16}\ns_cbranch_scc1 .Lon\n" + "v_nop\n" * 4 + f".Lon:\n{READ}\ns_endpgm"
    assert gaps(skipped) == [(1, 8, "read", 4)]
    loop = f".Lagain:\n{READ}\n{F16}\nv_nop\nv_nop\ns_cbranch_scc1 .Lagain\ns_endpgm"
    assert gaps(loop) == [(3, 2, "read", 2)]
    own = f".Lagain:\n{F16.replace('v[0:7]', 'v[64:71]')}\ns_cbranch_scc1 .Lagain\ns_endpgm"
    assert (2, 2, "ab", 5) in gaps(own)
    apart = f"s_cbranch_scc1 .Lother\n{F16}\ns_endpgm\n.Lother:\n{READ}\ns_endpgm"
    assert gaps(apart) == []


def test_high_registers_by_remark_and_by_mode():
    high = "v_wmma_f32_16x16x32_f16 v[64:71] /*v[320:327]*/, v[0:7], v[16:23], v[64:71] /*v[320:327]*/"
    text = f"s_set_vgpr_msb 0x50\n{high}\ns_set_vgpr_msb 0x5001\nv_mul_f32_e32 v200, v64 /*v320*/, v201\n"
    other = f"s_set_vgpr_msb 0x50\n{high}\ns_set_vgpr_msb 0x5000\nv_mul_f32_e32 v200, v64, v201\n"
    for one, expected in ((text, [(2, 4, "read", 4)]), (other, [])):
        assert gaps(one) == expected
        assert gaps(re.sub(r" ?/\*.*?\*/", "", one)) == expected


def test_a_group_that_is_not_known_is_said():
    text = f"s_cbranch_scc1 .Lon\ns_set_vgpr_msb 1\n.Lon:\n{READ}\ns_endpgm"
    (found,) = audit(text).findings
    assert (found["rule"], found["severity"], found["claim"]) == ("register-unknown", "warning", "VGPR-002")
    # Judged for each group that it may be.
    assert gaps(f"{F16}\n{text}") == [(1, 5, "read", 4)]
    assert gaps(f"s_set_vgpr_msb 0x50\n{F16}\ns_set_vgpr_msb 0\n{text}") == [(2, 7, "read", 4)]


def test_places_at_which_llvm_does_not_look_are_warnings():
    for then, claim in (
        ("v_dual_mov_b32 v0, v200 :: v_dual_mov_b32 v203, v201", "WMMA-074"),
        ("v_permlane16_swap_b32 v200, v0", "WMMA-074"),
        ("v_exp_f32_e32 v200, v64", "WMMA-078"),
    ):
        found = audit(f"{F16}\n{then}\ns_endpgm")
        assert [(item["missing"], item["hidden"]) for item in found.dependencies] == [(4, True)]
        assert [item["severity"] for item in found.findings] == ["warning"] and claim in found.findings[0]["message"]


def test_a_producer_of_another_class_hides_a_slower_one():
    both = "v_add_f32_e32 v200, v64, v100"
    text = f"{I8}\n{F16.replace('v[64:71]', 'v[100:107]')}\n{both}\ns_endpgm"
    assert gaps(text) == [(1, 3, "read", 7), (2, 3, "read", 4)]
    assert [item["hidden"] for item in audit(text).dependencies] == [True, False]
    # With the V_NOPs that LLVM writes, the one it does not see remains.
    written = text.replace(both, "v_nop\n" * 4 + both)
    assert [(item["missing"], item["hidden"]) for item in audit(written).dependencies] == [(3, True)]


@pytest.mark.parametrize(
    "first, then, claim, missing",
    [
        ("v_wmma_f32_16x16x64_fp8_fp8 v[64:71], v[0:7], v[16:23], v[64:71]", READ, "WMMA-059", 1),
        ("v_wmma_f32_16x16x128_f8f6f4 v[64:71], v[0:15], v[16:31], v[64:71]", READ, "WMMA-060", 4),
        ("v_wmma_bf16f32_16x16x32_bf16 v[64:67], v[0:7], v[16:23], v[32:39]", "v_mov_b32_e32 v32, 0", "WMMA-055", 0),
        (F16, "ds_load_b128 v[0:3], v200", "WMMA-068", 4),
    ],
)
def test_where_sources_differ_it_is_said(first, then, claim, missing):
    (found,) = audit(f"{first}\n{then}\ns_endpgm").disputed
    assert (found["claim"], found["result"]) == (claim, {"first_line": 1, "then_line": 2, "missing": missing})


def test_loads_from_memory_are_not_what_the_claim_of_lds_loads_is_about():
    assert audit(f"{F16}\nglobal_load_b32 v16, v[200:201], off\ns_endpgm").disputed == ()


@pytest.mark.parametrize("between, missing", [(0, 4), (3, 1), (4, None)])
def test_c_overwritten_is_a_warning_where_llvm_leaves_nothing(between, missing):
    """LLVM issue 222932: C of this product needs the 4 slots that A and B get; LLVM 22.1.8 leaves 0."""
    product = "v_wmma_bf16f32_16x16x32_bf16 v[64:67], v[0:7], v[16:23], v[32:39]"
    found = audit(f"{product}\n" + "v_nop\n" * between + "v_mov_b32_e32 v32, 0\ns_endpgm")
    if missing is None:
        assert found.findings == () and found.dependencies == ()
        return
    (finding,) = found.findings
    assert (finding["rule"], finding["severity"], finding["claim"]) == ("accumulator-overwritten", "warning", "WMMA-055")
    (entry,) = found.dependencies
    assert (entry["missing"], entry["hidden"]) == (missing, True) and f"{missing} missing" in finding["message"]


OTHER = F16.replace("_f32_16x16x32_f16", "_f32_16x16x32_bf16")
REUSE = F16 + " matrix_a_reuse"


@pytest.mark.parametrize(
    "lines, count",
    [
        ([F16, REUSE], 0),
        ([F16, F16 + " matrix_b_reuse", REUSE], 0),
        ([OTHER, REUSE], 1),
        ([OTHER, F16 + " matrix_b_reuse"], 1),
        ([F16, OTHER, REUSE], 1),
        ([REUSE], 1),
        # In a loop the last product of the round before stands in front too, and in the first round none does.
        ([F16, "again:", REUSE, "s_cbranch_scc1 again"], 0),
        (["again:", REUSE, F16, "s_cbranch_scc1 again"], 1),
        ([F16, "again:", REUSE, OTHER, "s_cbranch_scc1 again"], 1),
        # One way around a branch has another product last.
        ([F16, "s_cbranch_scc1 on", OTHER, "on:", REUSE], 1),
        ([OTHER, "s_cbranch_scc1 on", "v_nop", "on:", F16, REUSE], 0),
    ],
)
def test_reuse_is_for_the_same_instruction_only(lines, count):
    """CDNA5 guide §7.12: undefined unless the instruction before is the same."""
    found = [item for item in audit("\n".join([*lines, "s_endpgm"])).findings if item["rule"] == "reuse-behind-another"]
    assert len(found) == count
    assert {(item["severity"], item["claim"]) for item in found} <= {("warning", "GFX-012")}


@pytest.mark.parametrize("word, taken", [("matrix_a_fmt:MATRIX_FMT_FP4", True), ("matrix_a_fmt:4", True), ("matrix_a_fmt:FP4", False), ("matrix_a_fmt:7", False)])
def test_a_format_is_taken_as_assemblers_take_it(word, taken):
    found = audit(f"v_wmma_f32_16x16x128_f8f6f4 v[64:71], v[0:7], v[16:31], v[64:71] {word}\ns_endpgm").findings
    problems = [item for item in found if item["rule"] == "matrix-unknown"]
    assert bool(problems) is not taken
    assert taken or ("not understood" in problems[0]["message"] and problems[0]["severity"] == "error")


def test_what_is_not_understood_is_said():
    found = audit(
        "v_wmma_f32_16x16x8_f16 v[0:7], v[8:15], v[16:23], v[0:7]\nv_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0"
    ).findings
    assert [(item["rule"], item["severity"]) for item in found] == [("matrix-unknown", "error")] * 2
    found = audit("!!!\ns_branch nowhere\ns_endpgm").findings
    assert {item["rule"] for item in found} == {"not-read", "branch-unknown"}


def test_a_form_of_gfx12_is_a_warning():
    dense, sparse = (
        "v_wmma_f32_16x16x16_f16 v[80:87], v[88:91], v[92:95], v[80:87]",
        "v_swmmac_f32_16x16x32_f16 v[100:107], v[108:111], v[112:119], v120",
    )
    assert [item["rule"] for item in audit(f"{dense}\n{sparse}\n{F16}").findings] == ["matrix-older"] * 2
    assert "line 1: v_wmma_f32_16x16x16_f16 is a form of gfx12" in said(dense, "warning")[0]


@pytest.mark.parametrize(
    "between, missing",
    [
        # What LLVM 22.1.8 puts there for each (LANE-065).
        ("", 1),
        ("s_nop 3\n", 1),
        ("s_mov_b32 s9, 0\n", 1),
        ("ds_load_b32 v9, v8\n", 1),
        ("v_nop\n", 1),
        ("v_mov_b32 v9, v9\n", 0),
        ("v_mov_b32 v9, v9\nv_nop\n", 0),
    ],
)
def test_a_permlane_does_not_follow_a_compare_that_writes_exec(between, missing):
    for name in ("v_permlane16_b32 v2, v3, s0, s1", "v_permlane_bcast_b32 v2, v3, s0", "v_permlane16_swap_b32 v2, v3"):
        found = audit(f"v_cmpx_eq_u32_e32 v0, v1\n{between}{name}\ns_endpgm\n")
        assert [(item["missing"], item["claim"]) for item in found.dependencies] == [(1, "LANE-065")] * missing
        # The guide takes a v_nop for enough.
        assert [item["severity"] for item in found.findings] == ["warning" if between == "v_nop\n" else "error"] * missing
        assert len(found.disputed) == (between == "v_nop\n")
    assert gaps("v_cmpx_eq_u32 v0, v1\nv_readlane_b32 s0, v1, 0") == gaps("v_cmp_eq_u32 vcc_lo, v0, v1\n" + name) == []
    assert gaps(f".L0:\n{name}\nv_cmpx_eq_u32 v0, v1\ns_cbranch_scc1 .L0\ns_endpgm") == [(3, 2, "exec", 1)]
    assert gaps(f"v_cmpx_eq_u32 v0, v1\ns_cbranch_scc1 .L0\nv_mov_b32 v9, v9\n.L0:\n{name}") == [(1, 5, "exec", 1)]


def test_inline_assembly_is_marked():
    text = f"\t;;#ASMSTART\n\t{F16}\n\t;;#ASMEND\n\t{READ}\n\ts_endpgm\n"
    (found,) = audit(text).dependencies
    assert found["inline_asm"] == "first" and "inline assembly" in said(text, "error")[0]


def test_work_grows_with_the_text():
    """Counted in calls of functions, which are the same on every machine and under every load."""
    body = f"{F16}\n{F16.replace('v[0:7]', 'v[64:71]')}\n{READ}\ns_cbranch_scc1 .L%d\n.L%d:\n"

    def calls(copies):
        text, count = "".join(body % (i, i) for i in range(copies)), itertools.count()
        sys.setprofile(lambda *_: next(count))
        try:
            audit(text)
        finally:
            sys.setprofile(None)
        return next(count)

    assert calls(400) < 4.5 * calls(100)
