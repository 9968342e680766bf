# SPDX-License-Identifier: Apache-2.0
"""The finder on small listings: each hazard, the same listing mended, and what must not be reported."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.waits.finder import check, facts_of
from cdna.waits.program import read

DATA = Path(__file__).parents[2] / "data" / "waits"
END = "\ns_endpgm\n"


def errors(text, target, **options):
    return [item["rule"] for item in check(text + END, target, **options).findings if item["severity"] == "error"]


def asked(text, target):
    """The waits that the finder asks for."""
    return [item["wait"] for item in check(text + END, target).missing if item["severity"] == "error"]


# target, producer, consumer, the wait that mends it
PAIRS = [
    ("gfx942", "global_load_dword v0, v[2:3], off", "v_mov_b32_e32 v1, v0", "s_waitcnt vmcnt(0)"),
    ("gfx942", "buffer_load_dwordx4 v[4:7], v0, s[0:3], 0 offen", "v_add_f32 v1, v7, v2", "s_waitcnt vmcnt(0)"),
    ("gfx942", "scratch_load_dword v0, v1, off", "v_mov_b32 v9, v0", "s_waitcnt vmcnt(0)"),
    ("gfx942", "global_load_dword a0, v[2:3], off", "v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3]", "s_waitcnt vmcnt(0)"),
    ("gfx942", "flat_load_dword v0, v[2:3]", "v_mov_b32 v1, v0", "s_waitcnt lgkmcnt(0) s_waitcnt vmcnt(0)"),
    ("gfx942", "ds_read_b32 v0, v1", "v_mov_b32 v2, v0", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "ds_read_b32 v0, v1", "v_mov_b32 v0, v2", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "ds_read_b32 v0, v1", "global_store_dword v[4:5], v0, off", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "ds_add_rtn_u32 v0, v1, v2", "v_mov_b32 v3, v0", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "ds_swizzle_b32 v0, v1 offset:1", "v_mov_b32 v3, v0", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "s_load_dwordx2 s[4:5], s[0:1], 0x0", "s_add_u32 s6, s5, 1", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "s_load_dword vcc_lo, s[0:1], 0x0", "s_cbranch_vccz next\nnext:", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "s_memtime s[4:5]", "s_mov_b32 s6, s4", "s_waitcnt lgkmcnt(0)"),
    ("gfx942", "global_atomic_add v0, v[2:3], v4, off sc0", "v_mov_b32 v1, v0", "s_waitcnt vmcnt(0)"),
    ("gfx942", "buffer_atomic_add v0, v1, s[0:3], 0 offen sc0", "v_mov_b32 v9, v0", "s_waitcnt vmcnt(0)"),
    ("gfx950", "ds_read_b64_tr_b16 v[0:1], v2", "v_mov_b32 v3, v1", "s_waitcnt lgkmcnt(0)"),
    ("gfx950", "global_load_lds_dwordx4 v[0:1], off", "ds_read_b32 v2, v3", "s_waitcnt vmcnt(0)"),
    ("gfx950", "buffer_load_dword v0, s[0:3], 0 offen lds", "ds_read_b32 v2, v3", "s_waitcnt vmcnt(0)"),
    ("gfx1250", "global_load_b32 v0, v[2:3], off", "v_mov_b32 v1, v0", "s_wait_loadcnt 0x0"),
    ("gfx1250", "global_load_tr16_b128 v[0:3], v[4:5], off", "v_mov_b32 v9, v3", "s_wait_loadcnt 0x0"),
    ("gfx1250", "cluster_load_b32 v0, v[2:3], off", "v_mov_b32 v1, v0", "s_wait_loadcnt 0x0"),
    ("gfx1250", "flat_load_b32 v0, v[2:3]", "v_mov_b32 v1, v0", "s_wait_dscnt 0x0 s_wait_loadcnt 0x0"),
    (
        "gfx1250",
        "global_atomic_add_u32 v0, v[2:3], v4, off th:TH_ATOMIC_RETURN",
        "v_mov_b32 v1, v0",
        "s_wait_loadcnt 0x0",
    ),
    ("gfx1250", "ds_load_tr16_b128 v[0:3], v4", "v_mov_b32 v9, v3", "s_wait_dscnt 0x0"),
    ("gfx1250", "ds_atomic_barrier_arrive_rtn_b64 v[0:1], v2, v[4:5]", "v_mov_b32 v9, v1", "s_wait_dscnt 0x0"),
    ("gfx1250", "s_load_b64 s[4:5], s[0:1], 0x0", "s_mov_b32 s6, s5", "s_wait_kmcnt 0x0"),
    ("gfx1250", "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)", "s_mov_b32 s6, s5", "s_wait_kmcnt 0x0"),
    ("gfx1250", "s_get_barrier_state s4, -1", "s_mov_b32 s6, s4", "s_wait_kmcnt 0x0"),
    ("gfx1250", "s_barrier_signal_isfirst -1", "s_cbranch_scc0 next\nnext:", "s_wait_kmcnt 0x0"),
    (
        "gfx1250",
        "global_load_b32 v0, v[2:3], off",
        "v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v6, v0",
        "s_wait_loadcnt 0x0",
    ),
    ("gfx1250", "global_load_async_to_lds_b128 v0, v[2:3], off", "ds_load_b32 v8, v9", "s_wait_asynccnt 0x0"),
    ("gfx1250", "cluster_load_async_to_lds_b32 v0, v[2:3], off", "ds_load_b32 v8, v9", "s_wait_asynccnt 0x0"),
    ("gfx1250", "tensor_load_to_lds s[0:3], s[4:11]", "ds_load_b32 v8, v9", "s_wait_tensorcnt 0x0"),
    (
        "gfx1250",
        "tensor_load_to_lds s[0:3], s[4:11]",
        "global_store_async_from_lds_b32 v[2:3], v0, off",
        "s_wait_tensorcnt 0x0",
    ),
    (
        "gfx1250",
        "global_store_async_from_lds_b32 v[2:3], v0, off",
        "tensor_load_to_lds s[0:3], s[4:11]",
        "s_wait_asynccnt 0x0",
    ),
    ("gfx1250", "ds_store_b32 v0, v1", "tensor_store_from_lds s[0:3], s[4:11]", "s_wait_dscnt 0x0"),
]


@pytest.mark.parametrize(("target", "first", "then", "wait"), PAIRS)
def test_a_pair_without_a_wait_is_found_and_the_named_wait_mends_it(target, first, then, wait):
    (wanted,) = asked(f"{first}\n{then}", target)
    assert wanted == wait
    waits = wait.replace(" s_wait", "\ns_wait")
    assert errors(f"{first}\n{waits}\n{then}", target) == []


# s_barrier_wait is what lands the answer of s_barrier_signal_isfirst: that pair a barrier does mend.
@pytest.mark.parametrize(("target", "first", "then", "wait"), [pair for pair in PAIRS if "isfirst" not in pair[1]])
def test_a_barrier_mends_no_pair(target, first, then, wait):
    barrier = "s_barrier_signal -1\ns_barrier_wait -1" if target == "gfx1250" else "s_barrier"
    assert errors(f"{first}\n{barrier}\n{then}", target)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("gfx942", "global_atomic_add v[2:3], v4, off\nv_mov_b32 v4, 0"),
        ("gfx942", "global_store_dword v[2:3], v4, off\nv_mov_b32 v4, 0"),
        ("gfx942", "ds_write_b32 v0, v1\nds_read_b32 v2, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"),
        ("gfx942", "global_load_dword v0, v[2:3], off\nglobal_load_dword v0, v[4:5], off"),
        (
            "gfx942",
            "global_load_dword v0, v[2:3], off\nglobal_store_dword v[4:5], v9, off\ns_waitcnt vmcnt(1)\nv_mov_b32 v1, v0",
        ),
        ("gfx942", "ds_read_b32 v0, v1\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v0"),
        (
            "gfx942",
            "s_load_dword s4, s[0:1], 0x0\nds_read_b32 v0, v1\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v0",
        ),
        ("gfx1250", "global_load_b32 v0, v[2:3], off\nflat_load_b32 v1, v[4:5]\ns_wait_loadcnt 0x1\nv_mov_b32 v6, v0"),
        ("gfx1250", "s_barrier_signal_isfirst -1\ns_barrier_wait -1\ns_cbranch_scc0 next\nnext:"),
        ("gfx1250", "ds_load_b32 v0, v1\ns_wait_idle\nv_mov_b32 v2, v0"),
    ],
)
def test_what_is_right_is_left_alone(target, text):
    assert errors(text, target) == []


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("gfx1250", "global_load_b32 v0, v[2:3], off\nglobal_load_b32 v0, v[4:5], off"),
        (
            "gfx1250",
            "global_load_b32 v0, v[2:3], off\nglobal_store_b32 v[4:5], v9, off\ns_wait_loadcnt 0x1\nv_mov_b32 v1, v0",
        ),
        (
            "gfx942",
            "global_load_dword v0, v[2:3], off\nflat_load_dword v1, v[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v6, v0",
        ),
        (
            "gfx942",
            "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x8\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s6, s4",
        ),
        (
            "gfx1250",
            "global_load_async_to_lds_b32 v0, v[2:3], off\nglobal_store_async_from_lds_b32 v[4:5], v6, off\ns_wait_asynccnt 0x1\nds_load_b32 v8, v9",
        ),
        ("gfx942", "ds_read_b32 v0, v1\nglobal_load_lds_dword v[2:3], off\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v4, v0"),
    ],
)
def test_a_count_that_is_too_weak_is_found(target, text):
    assert errors(text, target)


LOOP = """
  global_load_dword v2, v[0:1], off
{before}
.LOOP:
{inside}
  v_add_f32 v3, v3, v2
  global_load_dword v2, v[0:1], off offset:64
  s_cbranch_scc1 .LOOP
"""


def test_the_back_edge_is_followed():
    wait = "  s_waitcnt vmcnt(0)"
    assert errors(LOOP.format(before="", inside=wait), "gfx950") == []
    found = check(LOOP.format(before=wait, inside="") + END, "gfx950").missing
    assert [(item["rule"], item["back_edge"]) for item in found] == [("read-before-result", True)]


def test_one_branch_without_the_wait_is_enough():
    text = "global_load_dword v0, v[2:3], off\ns_cbranch_scc1 skip\ns_waitcnt vmcnt(0)\nskip:\nv_mov_b32 v1, v0"
    assert errors(text, "gfx942") == ["read-before-result"]


PIPELINE = """
  s_mov_b32 s6, 0
  s_mov_b32 m0, s6
  buffer_load_dword v0, s[0:3], 0 offen lds
  s_xor_b32 s6, s6, 0x4000
again:
  s_mov_b32 m0, s6
  buffer_load_dword v0, s[0:3], 0 offen lds
  s_xor_b32 s6, s6, 0x4000
{wait}
  s_barrier
  ds_read_b128 v[4:7], v1
  s_waitcnt lgkmcnt(0)
  v_mfma_f32_16x16x16_f16 v[20:23], v[4:5], v[6:7], v[20:23]
  s_barrier
  s_cbranch_scc1 again
"""


def test_a_double_buffer_passes_and_a_count_one_higher_does_not():
    assert errors(PIPELINE.format(wait="  s_waitcnt vmcnt(1)"), "gfx950") == []
    assert "lds-read-before-copy" in errors(PIPELINE.format(wait="  s_waitcnt vmcnt(2)"), "gfx950")
    assert "lds-read-before-copy" in errors(PIPELINE.format(wait=""), "gfx950")


def test_a_ring_of_tensor_loads():
    ring = "tensor_load_to_lds s[0:3], s[4:11]\ntensor_load_to_lds s[12:15], s[16:23]\n{}\ns_barrier_signal -1\ns_barrier_wait -1\nds_load_b128 v[0:3], v4"
    assert errors(ring.format("s_wait_tensorcnt 0x1"), "gfx1250") == []
    assert errors(ring.format("s_wait_tensorcnt 0x2"), "gfx1250")
    assert errors(ring.format(""), "gfx1250")


@pytest.mark.parametrize(
    ("count", "right"), [(0, True), (5, True), (6, True), (7, False), (8, False), (9, False), (10, False)]
)
def test_a_wait_names_how_many_may_remain(count, right, problem):
    assert problem("WT-05")["right_outcome"]["vmcnt"] == 6
    copies = ["buffer_load_dwordx4 v0, s[0:3], 0 offen lds"] * 4
    loads = [f"global_load_dword v{10 + i}, v[4:5], off" for i in range(6)]
    text = "\n".join([*copies, *loads, f"s_waitcnt vmcnt({count})", "s_barrier", "ds_read_b128 v[20:23], v1"])
    assert ("lds-read-before-copy" not in errors(text, "gfx950")) == right


def test_a_full_counter_holds_back_the_next_access():
    younger = "\n".join(f"ds_read_b32 v{60 + i}, v16 offset:{4 * i}" for i in range(15))
    text = f"ds_read_b32 v51, v16\n{younger}\ns_waitcnt vmcnt(63) expcnt(7) lgkmcnt(15)\nv_perm_b32 v18, v51, v50, s77"
    assert errors(text, "gfx950") == []
    assert errors(text.replace("ds_read_b32 v60, v16 offset:0\n", ""), "gfx950") == ["read-before-result"]


@pytest.mark.parametrize("named", [True, False])
def test_waits_that_never_wait(named):
    reads = "\n".join(f"ds_read_b32 v{i + 2}, v1 offset:{4 * i}" for i in range(3))
    report = check(reads + "\ns_waitcnt lgkmcnt(3)" + ("\nv_mov_b32 v9, v2" if named else "") + END, "gfx950")
    assert [item["line"] for item in report.useless] == [4]
    assert report.useless[0]["counters"] == [{"counter": "lgkmcnt", "at_most": 3, "outstanding": 3}]


def test_a_function_may_be_entered_with_anything_outstanding():
    report = check("f:\ns_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\nv_mov_b32 v0, v1\ns_setpc_b64 s[30:31]\n", "gfx942")
    assert report.findings == ()


def test_a_call_starts_afresh():
    text = "global_load_dword v40, v[2:3], off\ns_swappc_b64 s[30:31], s[4:5]\nv_mov_b32 v1, v40"
    assert errors(text, "gfx942") == []


def test_instructions_of_the_other_target_are_named():
    assert errors("s_waitcnt 0\ns_barrier", "gfx1250") == ["not-on-target", "not-on-target"]
    assert errors("s_wait_loadcnt 0", "gfx942") == ["not-on-target"]


@pytest.mark.parametrize(
    "target, line",
    [
        ("gfx1250", "buffer_load_dword v0, s[0:3], 0 offen lds"),
        ("gfx1250", "global_load_lds_dword v[0:1], off"),
        ("gfx1250", "ds_gws_barrier v0 gds"),
        ("gfx950", "tensor_load_to_lds s[0:3], s[4:11]"),
        ("gfx950", "global_load_async_to_lds_b32 v0, v[2:3], off"),
        ("gfx942", "s_barrier_signal_isfirst -1"),
    ],
)
def test_an_instruction_whose_counter_the_target_lacks_is_named(target, line):
    assert errors(line + "\nds_read_b32 v9, v8", target) == ["not-on-target"]


def test_the_disassembly_of_a_compiled_kernel_passes_and_fails_without_a_wait():
    for name, target in (("lds_loop_gfx950.objdump", "gfx950"), ("pipelined_gfx1250.objdump", "gfx1250")):
        text = (DATA / name).read_text()
        assert check(text, target).findings == ()
        lines = [line for line in text.split("\n") if "s_waitcnt vmcnt" not in line and "s_wait_loadcnt" not in line]
        assert errors("\n".join(lines), target)


def test_sources_that_differ_on_a_counter_lead_to_two_answers():
    text = "global_load_b32 v0, v[2:3], off\nglobal_load_async_to_lds_b32 v8, v[4:5], off\nv_mov_b32 v9, v0" + END
    counts = [check(text, "gfx1250", unsure_counts=flag).missing[0]["counters"][0]["at_most"] for flag in (False, True)]
    assert counts == [0, 1]


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("gfx942", "ds_write_b32 v0, v1\ns_barrier\n{}ds_read_b32 v2, v3"),
        ("gfx950", "ds_write_b32 v0, v1\ns_barrier\ns_waitcnt lgkmcnt(0)\n{}ds_read_b32 v2, v3"),
        ("gfx1250", "ds_store_b32 v0, v1\ns_barrier_signal -1\ns_barrier_wait -1\n{}ds_load_b32 v2, v3"),
        ("gfx1250", "ds_load_b32 v2, v3\ns_barrier_signal -1\ns_barrier_wait -1\n{}ds_store_b32 v0, v1"),
    ],
)
def test_a_barrier_in_front_of_the_wait_is_found_and_a_second_barrier_mends_it(target, text):
    assert "barrier-is-no-drain" in errors(text.format(""), target)
    second = (
        "s_wait_dscnt 0x0\ns_barrier_signal -1\ns_barrier_wait -1\n"
        if target == "gfx1250"
        else "s_waitcnt lgkmcnt(0)\ns_barrier\n"
    )
    assert "barrier-is-no-drain" not in errors(text.format(second), target)


LINES = [
    "global_load_dword v0, v[2:3], off", "global_store_dword v[2:3], v0, off", "ds_read_b32 v1, v0", "ds_write_b32 v0, v1",
    "s_load_dword s4, s[0:1], 0x0", "v_add_u32 v2, v0, v1", "s_add_u32 s0, s4, s4", "s_waitcnt vmcnt(1)", "s_waitcnt lgkmcnt(0)",
    "s_barrier", "global_load_lds_dword v[2:3], off", "top:", "s_cbranch_scc1 top", "s_branch end", "end:", "flat_load_dword v3, v[2:3]",
]  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=30))
def test_any_program_comes_to_an_end_and_full_waits_leave_no_error_on_registers(lines):
    check("\n".join(lines) + END, "gfx942")
    waited = [
        part for line in lines for part in ((line,) if line.endswith(":") else ("s_waitcnt vmcnt(0) lgkmcnt(0)", line))
    ]
    found = [item["rule"] for item in check("\n".join(waited) + END, "gfx942").findings]
    assert not {
        "read-before-result",
        "overwrite-before-result",
        "lds-read-before-copy",
        "lds-refill-before-read",
    } & set(found)


@given(st.lists(st.sampled_from(LINES), max_size=20), st.integers(0, 19))
def test_one_more_full_wait_never_adds_a_missing_wait(lines, place):
    before = {
        (item["rule"], item["text"]) for item in check("\n".join(lines) + END, "gfx942").missing if item["registers"]
    }
    more = lines[:place] + ["s_waitcnt vmcnt(0) lgkmcnt(0)"] + lines[place:]
    after = {
        (item["rule"], item["text"]) for item in check("\n".join(more) + END, "gfx942").missing if item["registers"]
    }
    assert after <= before


def test_many_reads_beside_few_writes_are_not_walked_for_each_read():
    body = "ds_read_b128 v[8:11], v12\ns_waitcnt lgkmcnt(0)\n" * 3000
    facts = facts_of(read(body, 64), "gfx950", False, False)
    assert facts["writers"] == []
    late = "ds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\n" + body
    assert [item for item in check(late + END, "gfx950").findings if item["severity"] == "error"] == []
