# SPDX-License-Identifier: Apache-2.0
"""The finder on small listings: each hazard, the same listing mended, and what must not be reported."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.waits.finder import check, facts_of
from cdna.waits.flow import solve
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


@pytest.mark.parametrize(
    ("target", "first", "then", "waits"),
    [
        # llc 22.1.8 puts a wait between the two only where a line says so.
        ("gfx942", "global_load_short_d16 v0, v[2:3], off", "global_load_short_d16_hi v0, v[4:5], off", False),
        ("gfx950", "global_load_short_d16 v0, v[2:3], off", "global_load_short_d16_hi v0, v[4:5], off", False),
        ("gfx942", "ds_read_u16_d16 v0, v2", "ds_read_u16_d16_hi v0, v2", True),
        ("gfx1250", "global_load_d16_b16 v0, v[2:3], off", "global_load_d16_hi_b16 v0, v[4:5], off", True),
        ("gfx1250", "ds_load_u16_d16 v0, v2", "ds_load_u16_d16_hi v0, v2", True),
    ],
)
def test_two_loads_into_the_halves_of_a_register(target, first, then, waits):
    assert errors(f"{first}\n{then}", target) == ["read-before-result"] * waits


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_without_lds_a_flat_access_is_one_of_memory(target):
    """What clang 22.1.8 writes with tgsplit, in order and with a wait for memory alone; else the two counters are needed."""
    text = (
        "flat_load_dword v2, v[8:9]\nflat_load_dword v3, v[4:5]\ns_waitcnt vmcnt(1)\nv_add_u32_e32 v10, 1, v2\n"
        "flat_store_dword v[4:5], v10\nflat_atomic_add v8, v[8:9], v1 sc0\ns_waitcnt vmcnt(0)\nv_add_u32_e32 v2, v8, v3"
    )
    assert errors(text + END + ".amdhsa_tg_split 1", target) == []
    for other in ("", ".amdhsa_tg_split 0"):
        assert errors(text + END + other, target).count("read-before-result") == 2


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


@pytest.mark.parametrize(
    ("target", "lines"),
    [
        ("gfx950", "ds_read_b32 v{0}, v1\nds_write_b32 v2, v{0}\ns_waitcnt lgkmcnt(0)\n"),
        ("gfx1250", "ds_load_b32 v{0}, v1\nds_store_b32 v2, v{0}\ns_wait_dscnt 0x0\n"),
        ("gfx1250", "global_load_b32 v{0}, v[92:93], off\nv_mov_b32 v92, v{0}\n"),
        ("gfx1250", "global_store_b32 v[92:93], v{0}, off\nds_add_u32 v1, v2\n"),
    ],
)
def test_what_is_remembered_does_not_grow_with_the_text(target, lines):
    """The work of one step goes with the size of the state; so a state must stay as small as what is outstanding."""
    sizes = []
    for rounds in (200, 400):
        text = "".join(lines.format(i % 90) for i in range(rounds)) + "end:\ns_endpgm\n"
        program = read(text, 64)
        state = solve(program, facts_of(program, target, False, False))[-1]
        tables = [value for value in state.values() if isinstance(value, dict)]
        sizes.append(sum(len(entry) if isinstance(entry, tuple) else 1 for table in tables for entry in table.values()))
    assert sizes[0] == sizes[1] < 2000


def test_a_barrier_is_asked_for_once():
    body = "buffer_load_dword v0, s[0:3], 0 offen lds\ns_waitcnt vmcnt(0)\nds_read_b32 v2, v1\n"
    found = [item for item in check(body * 3 + END, "gfx950").missing if item["rule"] == "no-barrier"]
    assert [(item["line"], item["producer_lines"]) for item in found] == [(3, [1]), (6, [4]), (9, [7])]


def test_the_history_of_one_path_is_not_told_of_another():
    """A wait that makes sure of a load on one path did not leave it outstanding on the other."""
    text = "global_load_b32 v3, v[2:3], off\ns_cbranch_scc1 on\ns_wait_loadcnt 0x0\non:\nv_mov_b32 v1, v3"
    (found,) = [item for item in check(text + END, "gfx1250").missing if item["registers"]]
    assert found["left_by_line"] is None


def test_a_register_that_is_cut_off_is_said_to_be_unreadable():
    found = check("global_load_b128 v[0:3], v[4:\n", "gfx1250").findings
    assert ("register-not-known", None) in [(item["rule"], item["claim"]) for item in found]


def test_expert_mode_is_said_to_be_not_judged():
    text = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 2"
    assert [(item["rule"], item["severity"]) for item in check(text + END, "gfx1250").findings] == [
        ("expert-mode", "info")
    ]
    assert check(text[:-1] + "0" + END, "gfx1250").findings == ()


REUSE = "global_load_b32 v0, v[2:3], off\n{}v_mov_b32 v2, v9\ns_wait_loadcnt 0x0\nv_mov_b32 v8, v0"
REPLAY = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n"


@pytest.mark.parametrize(
    ("text", "claim", "said"),
    [
        (REPLAY + REUSE.format(""), "WAIT-056", "s_wait_xcnt 0x0 comes first"),
        (REUSE.format(""), "WAIT-056", "only where replay is on, which this text does not switch on (WAIT-079)"),
        (
            REPLAY + REUSE.format("s_barrier_signal -1\n"),
            "WAIT-056",
            "not so if the barrier in line 3 drains the counter, on which sources differ (WAIT-073)",
        ),
        (
            REPLAY + "cluster_load_b32 v0, v[2:3], off\ns_mov_b32 m0, 0\ns_wait_loadcnt 0x0\nv_mov_b32 v8, v0",
            "WAIT-074",
            "overwrites m0",
        ),
        (
            REPLAY + "global_load_async_to_lds_b32 v0, v[2:3], off\nv_mov_b32 v2, v9",
            "WAIT-056",
            "LLVM writes no such wait behind asynchronous copies (WAIT-082)",
        ),
        (
            REPLAY + "global_store_b32 v[2:3], v0, off\ns_wait_loadcnt 0x0\nv_mov_b32 v0, v9",
            "WAIT-056",
            "overwrites v0, which the global store of line 2",
        ),
    ],
)
def test_the_question_of_xcnt_is_answered_in_one_message(text, claim, said):
    (found,) = [
        item for item in check(text + END, "gfx1250").findings if item["rule"] == "overwrite-before-translation"
    ]
    assert (found["severity"], found["claim"]) == ("info" if "WAIT-082" in said else "warning", claim)
    assert said in found["message"]


@pytest.mark.parametrize("wait", ["s_wait_xcnt 0x0\n", "s_wait_loadcnt 0x0\n", "s_wait_idle\n"])
def test_no_warning_behind_a_wait_that_drains_the_translations(wait):
    assert "overwrite-before-translation" not in [
        item["rule"] for item in check(REUSE.format(wait) + END, "gfx1250").findings
    ]


def test_the_other_half_of_an_address_gets_a_remark_as_llvm_writes_no_wait_there():
    loads = "global_load_b32 v1, v[2:3], off\n{}v_mov_b32 v3, v9\ns_wait_loadcnt 0x0\nv_add_f32 v8, v1, v2"
    younger = "global_load_b32 v2, v[4:5], off\n"

    def said(text):
        found = check(REPLAY + text + END, "gfx1250").findings
        return [item["severity"] for item in found if item["rule"] == "overwrite-before-translation"]

    assert said(loads.format(younger)) == ["info"]
    assert said(loads.format(younger.replace("v2", "v6"))) == ["warning"]
    # On one of two paths the younger load is not there: nothing takes the address for translated.
    assert said(loads.format("s_cbranch_scc1 on\n" + younger + "on:\n")) == ["warning"]


ATOMIC = "global_atomic_add_u32 v[4:5], v6, off\n"


def once(text):
    """Severities of what is said of accesses that must be done only once."""
    found = check(REPLAY + text + END, "gfx1250").findings
    assert all(item["claim"] == "WAIT-088" for item in found if item["rule"] == "once-before-translation")
    return [item["severity"] for item in found if item["rule"] == "once-before-translation"]


def test_atomics_behind_a_load_get_one_warning_that_names_their_lines():
    found = check(
        REPLAY + "global_load_b32 v0, v[2:3], off\n" + ATOMIC * 2 + "s_wait_loadcnt 0x0\nv_mov_b32 v8, v0" + END,
        "gfx1250",
    ).findings
    assert [(item["rule"], item["severity"], item["claim"]) for item in found] == [
        ("once-before-translation", "warning", "WAIT-088")
    ]
    assert "(lines 3, 4)" in found[0]["message"]
    assert "s_wait_xcnt 0x0 first" in found[0]["message"]


@pytest.mark.parametrize(
    "second",
    [
        ATOMIC,
        "flat_atomic_add_u32 v[4:5], v6\n",
        "buffer_atomic_add_u32 v6, v4, s[0:3], null offen\n",
        "global_atomic_cmpswap_b32 v[4:5], v[6:7], off\n",
    ],
)
@pytest.mark.parametrize(
    "first", ["global_store_b32 v[2:3], v0, off\n", "s_load_b32 s8, s[10:11], 0x0\n", "flat_load_b32 v0, v[2:3]\n"]
)
def test_what_writes_memory_only_once_needs_the_wait_of_llvm(first, second):
    assert once(first + second) == ["warning"]
    assert once(first + "s_wait_xcnt 0x0\n" + second) == []
    assert once(second) == []


def test_between_atomics_newer_llvm_writes_no_wait_and_none_is_asked_for():
    assert once(ATOMIC * 3) == []
    assert once("global_store_b32 v[2:3], v0, off\ns_wait_xcnt 0x0\n" + ATOMIC * 2) == []
    assert once(ATOMIC + "global_store_b32 v[2:3], v0, off\n" + ATOMIC) == ["warning"]


def test_a_store_with_a_scope_gets_a_remark_and_a_plain_one_none():
    store = "global_store_b32 v[2:3], v0, off\n"
    assert once(store + "global_store_b32 v[4:5], v1, off scope:SCOPE_SYS") == ["info"]
    assert once(store + "s_wait_xcnt 0x0\nglobal_store_b32 v[4:5], v1, off scope:SCOPE_SYS") == []
    assert once(store * 2) == []


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("s_wait_asyncnt 0", "s_wait_asynccnt?"),
        ("s_wait_tensorcount 0", "s_wait_tensorcnt?"),
        ("s_wait_loadcnt_dsct 0", "s_wait_loadcnt_dscnt?"),
        ("s_wait_vmcnt 0", "s_wait_loadcnt or s_wait_storecnt?"),
        ("s_wait_lgkmcnt 0", "s_wait_dscnt or s_wait_kmcnt?"),
    ],
)
def test_a_misspelt_wait_is_an_error_that_names_the_likely_one(line, meant):
    found = check(line + END, "gfx1250").findings
    assert [(item["rule"], item["severity"], item["claim"]) for item in found] == [
        ("wait-not-known", "error", "WAIT-070")
    ]
    assert found[0]["message"].endswith("did you mean " + meant)


@pytest.mark.parametrize("line", ["s_waitcn vmcnt(0)", "s_wait vmcnt(0)", "s_waitcntt 0"])
def test_a_misspelt_wait_of_the_older_targets_is_an_error(line):
    for target in ("gfx942", "gfx950"):
        found = check(line + END, target).findings
        assert [(item["rule"], item["severity"], item["claim"]) for item in found] == [
            ("wait-not-known", "error", "WAIT-010")
        ]


def test_an_unknown_memory_name_is_said_and_what_it_is_taken_for():
    text = "global_load_asynk_to_lds_b128 v0, v[2:3], off\n"
    found = [item for item in check(text * 2 + END, "gfx1250").findings if item["rule"] == "name-not-known"]
    assert [item["severity"] for item in found] == ["warning"]
    assert "2 such lines" in found[0]["message"]
    assert "taken as global load" in found[0]["message"]


@pytest.mark.parametrize(
    "transfer", ["tensor_load_to_lds s[0:3], s[4:11]\n", "tensor_store_from_lds s[0:3], s[4:11]\n"]
)
def test_a_drain_in_front_of_a_transfer_is_no_error(transfer):
    wait = transfer + "s_wait_tensorcnt 0xa\n"
    found = check(wait + transfer + END, "gfx1250").findings
    assert [(item["rule"], item["severity"]) for item in found] == [("tensor-drain", "info")]
    found = check(wait + "v_mov_b32 v0, v1" + END, "gfx1250").findings
    assert [(item["rule"], item["severity"]) for item in found] == [("wait-does-nothing", "warning")]


def test_loads_and_stores_of_the_async_counter_are_said_to_keep_no_order():
    load, store = "global_load_async_to_lds_b32 v0, v[2:3], off\n", "global_store_async_from_lds_b32 v[4:5], v6, off\n"
    use = "s_wait_asynccnt 0x1\nds_store_b32 v9, v8\nds_load_b32 v8, v9"
    for first, second, told in ((store, load, True), (store, "", False), (load, load, False)):
        found = [
            item
            for item in check(first + second + use + END, "gfx1250").findings
            if "leaves it outstanding" in item["message"]
        ]
        assert found
        assert any("(TDM-095)" in item["message"] for item in found) == told


@pytest.mark.parametrize(
    "line",
    [
        "global_loda_b32 v0, v[2:3], off",
        "ds_raed_b32 v0, v1",
        "image_load v0, v1, s[0:7]",
        "buffer_frobnicate v0, v1, s[0:3], 0",
    ],
)
def test_an_access_of_an_unknown_name_is_said_to_be_not_read(line):
    (found,) = check(line + END, "gfx950").findings
    assert (found["rule"], found["severity"]) == ("not-read", "warning")
    assert line in found["message"]


@pytest.mark.parametrize(
    "line",
    [
        "s_prefetch_data s[0:1], 0x0, null, 4",
        "s_prefetch_inst s[0:1], 0x0, null, 4",
        "s_sleep 0x8000",
        "s_monitor_sleep 0x8001",
    ],
)
def test_the_waits_for_translation_that_the_manual_asks_for(line):
    for access in ("global_load_b32 v0, v[2:3], off", "global_store_b32 v[2:3], v0, off", "s_load_b32 s4, s[2:3], 0x0"):
        for wait, told in (("", True), ("s_wait_xcnt 0x0\n", False)):
            found = check(f"{access}\n{wait}{line}" + END, "gfx1250").findings
            assert [(item["severity"], item["claim"]) for item in found if item["rule"] == "drain-before"] == [
                ("warning", "WAIT-085")
            ] * told


def test_a_sleep_with_an_end_needs_no_wait_for_translation():
    found = check("global_load_b32 v0, v[2:3], off\ns_sleep 0x7fff" + END, "gfx1250").findings
    assert "drain-before" not in [item["rule"] for item in found]


def test_an_asynchronous_arrive_keeps_order_with_asynchronous_loads():
    text = "global_load_async_to_lds_b32 v0, v[2:3], off\nds_atomic_async_barrier_arrive_b64 v4\ns_wait_asynccnt {}\nds_load_b32 v8, v9"
    assert errors(text.format("0x1"), "gfx1250") == []
    assert "lds-read-before-copy" in errors(text.format("0x2"), "gfx1250")


MARKS = """
global_load_async_to_lds_b32 v0, v[2:3], off
{}
global_load_async_to_lds_b32 v1, v[4:5], off
global_load_async_to_lds_b32 v1, v[6:7], off
{}
s_wait_asynccnt {}
ds_load_b32 v8, v0
"""


def test_the_marks_of_a_compiler_part_the_copies():
    """As newer LLVM prints `llvm.amdgcn.asyncmark`, WAIT-075: its count leaves the second group outstanding, and is right."""
    assert errors(MARKS.format("; asyncmark", "\t; asyncmark", "0x2"), "gfx1250") == []
    assert errors(MARKS.format("; asyncmark", "; asyncmark", "0x1"), "gfx1250") == []
    assert errors(MARKS.format("", "", "0x2"), "gfx1250") == ["lds-read-before-copy"]
    assert errors(MARKS.format("; asyncmark", "; asyncmark", "0x3"), "gfx1250")


REFILLS = [
    ("gfx942", "ds_read_b32 v1, v2", "s_waitcnt lgkmcnt(0)", "buffer_load_dword v3, s[0:3], 0 offen lds"),
    ("gfx950", "ds_read_b32 v1, v2", "s_waitcnt lgkmcnt(0)", "global_load_lds_dwordx4 v[4:5], off"),
    ("gfx950", "ds_add_rtn_u32 v1, v2, v3", "s_waitcnt lgkmcnt(0)", "global_load_lds_dwordx4 v[4:5], off"),
    ("gfx1250", "ds_load_b32 v1, v2", "s_wait_dscnt 0x0", "global_load_async_to_lds_b32 v0, v[4:5], off"),
    ("gfx1250", "ds_load_b32 v1, v2", "s_wait_dscnt 0x0", "cluster_load_async_to_lds_b32 v0, v[4:5], off"),
    ("gfx1250", "ds_load_b32 v1, v2", "s_wait_dscnt 0x0", "tensor_load_to_lds s[0:3], s[4:11]"),
    ("gfx1250", "tensor_store_from_lds s[0:3], s[4:11]", "s_wait_tensorcnt 0x0", "tensor_load_to_lds s[0:3], s[4:11]"),
]


def refills(lines, target, **options):
    """What is said of barriers in a listing: (severity, claim)."""
    found = check("\n".join(lines) + "\nv_mov_b32 v9, v1" + END, target, **options).findings
    return [(item["severity"], item["claim"]) for item in found if item["rule"] == "no-barrier"]


@pytest.mark.parametrize(("target", "read_", "wait", "copy"), REFILLS)
def test_a_refill_needs_the_barrier_for_the_other_waves(target, read_, wait, copy):
    barrier = ["s_barrier_signal -1", "s_barrier_wait -1"] if target == "gfx1250" else ["s_barrier"]
    assert refills([read_, wait, copy], target) == [("warning", "WAIT-087")]
    assert refills([read_, wait, copy], target, shared=True) == [("error", "WAIT-087")]
    assert refills([read_, wait, *barrier, copy], target, shared=True) == []
    assert refills([read_, wait, copy, "  - .max_flat_workgroup_size: 32"], target, shared=True) == []


def test_the_refill_in_the_next_turn_of_a_loop_is_seen():
    body = "buffer_load_dword v3, s[0:3], 0 offen lds\ns_waitcnt vmcnt(0)\ns_barrier\nds_read_b32 v1, v2\ns_waitcnt lgkmcnt(0)\n"
    turn = "again:\n" + body + "{}s_cbranch_scc1 again"
    assert refills([turn.format("")], "gfx950") == [("warning", "WAIT-087")]
    assert refills([turn.format("s_barrier\n")], "gfx950") == []


def test_a_refill_of_a_buffer_that_the_text_does_not_tell_is_a_remark():
    copy = "global_load_async_to_lds_b32 v0, v[4:5], off"
    lines = ["ds_load_b32 v1, v2", "s_wait_dscnt 0x0", copy, copy + " offset:64"]
    assert refills(lines, "gfx1250") == [("info", "WAIT-087")]
    assert refills(lines, "gfx1250", shared=True) == [("warning", "WAIT-087")]


@pytest.mark.parametrize(
    ("target", "first", "then", "said"),
    [
        ("gfx942", "global_load_dword v0, v[2:3], off", "v_mov_b32 v0, 0", "v_mov_b32 overwrites v0 before"),
        ("gfx942", "global_load_dword v0, v[2:3], off", "v_mov_b32 v1, v0", "v_mov_b32 reads v0 before"),
        ("gfx942", "global_load_dword v0, v[2:3], off", "v_add_u32 v0, v0, v1", "v_add_u32 reads v0 before"),
        ("gfx942", "global_load_dword v0, v[2:3], off", "v_fmac_f32 v0, v1, v2", "v_fmac_f32 reads v0 before"),
        ("gfx942", "global_load_dword v0, v[2:3], off", "v_mul_hi_u32 v0, v1, v2", "v_mul_hi_u32 overwrites v0 before"),
        ("gfx942", "global_load_dword v0, v[2:3], off", "v_mov_b32_dpp v0, v1 row_shr:1", "v_mov_b32 reads v0 before"),
        ("gfx942", "global_load_dword v0, v[2:3], off", "ds_read_b32 v0, v1", "ds_read_b32 overwrites v0 before"),
        ("gfx942", "global_load_dword v0, v[2:3], off", "ds_write_b32 v1, v0", "ds_write_b32 reads v0 before"),
        (
            "gfx942",
            "global_load_dwordx2 v[0:1], v[2:3], off",
            "v_mov_b32 v0, v1",
            "v_mov_b32 reads v1 and overwrites v0 before",
        ),
        ("gfx942", "s_load_dword s4, s[0:1], 0x0", "s_mov_b32 s4, 1", "s_mov_b32 overwrites s4 before"),
        ("gfx942", "s_load_dword s4, s[0:1], 0x0", "s_cmp_eq_u32 s4, 1", "s_cmp_eq_u32 reads s4 before"),
        ("gfx942", "s_load_dword s4, s[0:1], 0x0", "s_cmov_b32 s4, 1", "s_cmov_b32 reads s4 before"),
        (
            "gfx942",
            "global_load_dwordx4 v[0:3], v[8:9], off",
            "v_mfma_f32_4x4x1f32 v[0:3], v4, v5, v[12:15]",
            "overwrites v0, v1, v2, v3 before",
        ),
        (
            "gfx942",
            "global_load_dwordx4 v[0:3], v[8:9], off",
            "v_mfma_f32_4x4x1f32 v[0:3], v4, v5, v[0:3]",
            "reads v0, v1, v2, v3 before",
        ),
        (
            "gfx1250",
            "global_load_b32 v0, v[2:3], off",
            "v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v0, v6",
            "overwrites v0 before",
        ),
        (
            "gfx1250",
            "global_load_b32 v0, v[2:3], off",
            "v_dual_mov_b32 v4, v5 :: v_dual_fmac_f32 v0, v6, v7",
            "reads v0 before",
        ),
    ],
)
def test_read_and_overwritten_are_told_apart(target, first, then, said):
    found = check(f"{first}\n{then}" + END, target)
    (item,) = [item for item in found.findings if item["severity"] == "error"]
    assert said in item["message"]
    assert item["rule"] == ("read-before-result" if " reads " in item["message"] else "overwrite-before-result")


def test_a_name_that_no_assembler_knows_is_said_to_be_taken_as_compute(clang):
    names = ["v_foo_b32", "s_bar_u32", "v_ad_f32"]
    for target in ("gfx942", "gfx1250"):
        answers = clang.assemble(target, [f"{name} {name[0]}0, {name[0]}1, {name[0]}2" for name in names])
        assert not any(answer.accepted for answer in answers)
        text = "\n".join(f"{name} {name[0]}0, {name[0]}1, {name[0]}2" for name in names)
        found = [item for item in check(text + END, target).findings if item["rule"] == "name-not-known"]
        assert [(item["severity"], item["line"]) for item in found] == [("info", 1)]
        assert "v_foo_b32 is not known here (3 such lines), taken as compute" in found[0]["message"]


# One of each first word that a disassembly is likely to bring, and that an assembler takes on at least one target.
KNOWN = (
    "v_accvgpr_read_b32 v0, a1|v_add3_u32 v0, v1, v2, v3|v_alignbit_b32 v0, v1, v2, v3|v_bfe_u32 v0, v1, v2, v3|v_bitop3_b32 v0, v1, v2, v3"
    "|v_cmp_eq_u32 vcc, v0, v1|v_cndmask_b32 v0, v1, v2, vcc|v_cvt_f32_u32 v0, v1|v_div_fmas_f32 v0, v1, v2, v3|v_exp_f32 v0, v1"
    "|v_lshl_add_u32 v0, v1, v2, v3|v_mad_u32_u24 v0, v1, v2, v3|v_med3_f32 v0, v1, v2, v3|v_mbcnt_lo_u32_b32 v0, -1, v1|v_perm_b32 v0, v1, v2, v3"
    "|v_pk_add_f32 v[0:1], v[2:3], v[4:5]|v_prng_b32 v0, v1|v_readfirstlane_b32 s0, v1|v_tanh_f32 v0, v1|v_xad_u32 v0, v1, v2, v3"
    "|s_absdiff_i32 s0, s1, s2|s_bfm_b32 s0, s1, s2|s_bitset1_b32 s0, s1|s_brev_b32 s0, s1|s_clause 0x1|s_delay_alu 0|s_ff1_i32_b32 s0, s1|s_flbit_i32_b32 s0, s1"
    "|s_getpc_b64 s[0:1]|s_movk_i32 s0, 0x1|s_mul_hi_u32 s0, s1, s2|s_pack_ll_b32_b16 s0, s1, s2|s_setprio 1|s_sext_i32_i16 s0, s1|s_sleep 1|s_trap 2|s_wqm_b64 s[0:1], s[2:3]"
).split("|")


def test_what_an_assembler_takes_is_known(clang):
    taken = [clang.assemble(target, KNOWN) for target in ("gfx942", "gfx950", "gfx1250")]
    assert all(any(answers[place].accepted for answers in taken) for place in range(len(KNOWN)))
    for target in ("gfx942", "gfx950", "gfx1250"):
        assert "name-not-known" not in [item["rule"] for item in check("\n".join(KNOWN) + END, target).findings]


# As Triton writes it for gfx950: the copies in front of the loop are skipped where there is nothing to load.
SKIPPED = """
  s_cbranch_scc1 skip
  s_mov_b32 m0, s6
  buffer_load_dword v0, s[0:3], 0 offen lds
skip:
  s_nop 0
again:
{wait}
  s_barrier
  s_xor_b32 s6, s6, 0x4000
  s_mov_b32 m0, s6
  buffer_load_dword v0, s[0:3], 0 offen lds
half:
  ds_read_b128 v[4:7], v1
  s_waitcnt lgkmcnt(0)
  v_mfma_f32_16x16x16_f16 v[20:23], v[4:5], v[6:7], v[20:23]
  s_cbranch_vccnz half
  s_cbranch_scc1 again
"""


def test_a_skipped_first_copy_makes_no_error_of_the_buffer_that_was_waited_for():
    assert errors(SKIPPED.format(wait="  s_waitcnt vmcnt(0)"), "gfx950") == []
    assert "lds-read-before-copy" in errors(SKIPPED.format(wait=""), "gfx950")


JUMPS = "global_store_b128 v[2:3], v[18:21], off\n{}\nv_mov_b32 v2, 0\nv_mov_b32 v4, v2\nout:\ns_endpgm"


@pytest.mark.parametrize(
    "between, drained",
    [
        # llvm-project 198823: what changes the program counter drains; 213394 and 219206: a branch that is not taken does not.
        ("s_branch on\non:", True),
        ("s_cbranch_execz out", False),
        ("s_cbranch_scc1 on\ns_nop 0\ns_branch on\non:", True),
        ("s_cbranch_scc1 on\ns_nop 0\non:", False),
        ("s_branch on\non:\nglobal_store_b128 v[2:3], v[18:21], off", False),  # the younger one is behind the jump
    ],
)
def test_a_jump_that_is_taken_may_drain_the_translations(between, drained):
    (found,) = [
        item
        for item in check(JUMPS.format(between), "gfx1250").findings
        if item["rule"] == "overwrite-before-translation"
    ]
    assert found["severity"] == "warning"
    assert ("not so if the jump in line" in found["message"] and "WAIT-073" in found["message"]) is drained


@pytest.mark.parametrize(
    "between, drained",
    [
        # llvm-project, AMDGPULowerVGPREncoding: s_set_vgpr_msb waits until XCNT is zero, and what is issued behind it does not count.
        ("s_set_vgpr_msb 0", True),
        ("s_cbranch_scc1 on\ns_set_vgpr_msb 0\non:", False),
        ("s_cbranch_scc1 on\ns_nop 0\non:\ns_set_vgpr_msb 0", True),
        ("s_set_vgpr_msb 0\nglobal_store_b128 v[2:3], v[18:21], off", False),
    ],
)
def test_a_switch_of_register_groups_may_drain_the_translations(between, drained):
    (found,) = [
        item
        for item in check(JUMPS.format(between), "gfx1250").findings
        if item["rule"] == "overwrite-before-translation"
    ]
    assert found["severity"] == "warning"
    assert ("not so if the s_set_vgpr_msb in line" in found["message"] and "WAIT-073" in found["message"]) is drained


def test_a_drain_in_front_of_one_of_two_accesses_is_not_named():
    text = "global_store_b32 v[2:3], v0, off\ns_barrier_signal -1\nglobal_store_b32 v[2:3], v9, off\nv_mov_b32 v2, 0"
    (found,) = [item for item in check(text + END, "gfx1250").findings if item["severity"] == "warning"]
    assert found["rule"] == "overwrite-before-translation" and "not so if" not in found["message"]


@pytest.mark.parametrize("what", ["", "barrier", "s_set_vgpr_msb"])
def test_what_may_drain_the_translations_is_named_in_front_of_an_atomic_too(what):
    between = {"": "", "barrier": "s_barrier_signal -1\n", "s_set_vgpr_msb": "s_set_vgpr_msb 0\n"}[what]
    text = "global_store_b32 v[2:3], v0, off\n" + between + "global_atomic_add_u32 v[4:5], v1, off scope:SCOPE_DEV"
    (found,) = [item for item in check(text + END, "gfx1250").findings if item["rule"] == "once-before-translation"]
    assert ("not so if the" in found["message"]) is bool(what)
    assert f"not so if the {what} in line 2 drains the counter" in found["message"] or not what


@pytest.mark.parametrize(
    "target, line, said",
    [
        ("gfx950", "s_barrier_signal -1", "it belongs to gfx1250"),
        ("gfx950", "v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[16:23], v[64:71]", "it belongs to gfx1250"),
        ("gfx1250", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]", "it belongs to gfx942 and gfx950"),
        # ROCm/composable_kernel#2576, llvm-project 116680: three and four DWORDs came with gfx950, two never.
        ("gfx942", "global_load_lds_dwordx4 v[0:1], off", "it came with gfx950"),
        ("gfx950", "buffer_load_dwordx2 v0, s[0:3], 0 offen lds", "D2L-007"),
    ],
)
def test_an_instruction_that_the_target_lacks_is_named_once(target, line, said):
    found = [item for item in check(f"{line}\n{line}\ns_endpgm", target).findings if item["rule"] == "not-on-target"]
    assert [item["severity"] for item in found] == ["error"]
    assert said in found[0]["message"] and "1 more such line" in found[0]["message"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("global_load_dword vdata, vaddr, off\nv_mov_b32 v1, v2", "register-not-known"),
        ("ds_read_b32 v[vgprA], v1\nv_mov_b32 v2, v3", "register-not-known"),
        (".rept 4\nglobal_load_dword v0, v[2:3], off\n.endr\ns_waitcnt vmcnt(0)\nv_mov_b32 v1, v0", "not-expanded"),
    ],
)
def test_what_could_not_be_read_is_said(text, rule):
    assert rule in [item["rule"] for item in check(text + END, "gfx942").findings if item["severity"] == "warning"]


def test_a_result_that_is_dropped_or_named_by_a_symbol_is_readable():
    text = ".set vgprA, 7\nglobal_load_dword v[vgprA], v[2:3], off\ns_waitcnt vmcnt(0)\nv_mov_b32 v1, v7"
    assert [item["rule"] for item in check(text + END, "gfx942").findings if item["severity"] != "info"] == []
