# SPDX-License-Identifier: Apache-2.0
"""clang 22.1.8 as an assembler: encodings and gates that other people measured with llvm-mc 22.1.8."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

CASES = json.loads((Path(__file__).parents[1] / "data" / "cases" / "tdm_mc_encodings.json").read_text(encoding="utf-8"))
TARGETS = ("gfx942", "gfx950", "gfx1250")

# Accepted on gfx942, gfx950, gfx1250; measured with llvm-mc 22.1.8 (Debian package llvm-22).
GATES = """
Y-- v_mfma_f32_16x16x8_xf32 a[0:3], v[0:1], v[2:3], a[0:3]
-Y- v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]
-Y- v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]
YY- v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[2:3], a[0:3]
YY- v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]
YY- v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]
-Y- ds_read_b64_tr_b4 v[0:1], v2
-Y- ds_read_b64_tr_b8 v[0:1], v2
-Y- ds_read_b64_tr_b16 v[0:1], v2
-Y- ds_read_b96_tr_b6 v[0:2], v3
YY- global_load_lds_dword v[0:1], off
-Y- global_load_lds_dwordx3 v[0:1], off
-Y- global_load_lds_dwordx4 v[0:1], off
YY- buffer_load_dword v0, s[0:3], 0 offen lds
-Y- buffer_load_dwordx4 v0, s[0:3], 0 offen lds
YYY v_cvt_pk_fp8_f32 v0, v1, v2
YYY v_cvt_pk_f32_fp8 v[0:1], v2
YYY ds_read_b128 v[0:3], v4
YYY ds_read_addtid_b32 v0
--Y v_mov_b32_dpp v0, v1 dpp8:[0,1,2,3,4,5,6,7]
YYY v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf
YYY ds_swizzle_b32 v0, v1 offset:0x8000
YYY ds_permute_b32 v0, v1, v2
YYY ds_bpermute_b32 v0, v1, v2
YY- s_waitcnt 0
YY- s_barrier
--Y s_wait_dscnt 0
--Y s_wait_loadcnt 0
--Y s_barrier_signal -1
--Y tensor_load_to_lds s[0:3], s[4:11]
--Y tensor_store_from_lds s[0:3], s[4:11]
--Y s_wait_tensorcnt 0
--Y global_load_async_to_lds_b128 v0, v[2:3], off
--Y cluster_load_async_to_lds_b128 v0, v[2:3], off
--Y ds_atomic_async_barrier_arrive_b64 v0
--Y ds_load_tr16_b128 v[0:3], v4
--Y v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]
-Y- v_permlane32_swap_b32 v0, v1
-Y- v_dot2_f32_bf16 v0, v1, v2, v3
-YY v_permlane16_swap_b32 v0, v1
-YY v_bitop3_b32 v0, v1, v2, v3 bitop3:0x40
-YY v_prng_b32 v0, v1
--- s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_SAVE_WAVE_HAS_TDM)
"""
GATE_ROWS = [(row[:3], row[4:]) for row in GATES.strip().splitlines()]


def test_the_witness_says_what_it_is(clang):
    assert clang.version == "22.1.8"
    assert clang.package == "ziglang 0.17.1"
    assert len(clang.digest) == 64 and set(clang.digest) <= set("0123456789abcdef")


@pytest.mark.parametrize("case", CASES["mc_encodings"], ids=lambda case: case["asm"])
def test_encodings_of_llvm_mc(clang, case):
    (item,) = clang.assemble(CASES["target"], [case["asm"]])
    if "rejected" in case:
        assert item.accepted is False and item.bytes is None
        assert case["rejected"] in item.diagnostic
    else:
        assert item.accepted is True
        assert item.bytes == bytes(int(word, 16) for word in case["bytes"].split(","))


def test_every_encoding_in_one_batch_keeps_order_and_lines(clang):
    texts = [case["asm"] for case in CASES["mc_encodings"]]
    answers = clang.assemble(CASES["target"], texts)
    assert [item.accepted for item in answers] == ["rejected" not in case for case in CASES["mc_encodings"]]


@pytest.mark.parametrize("number, target", list(enumerate(TARGETS)))
def test_instruction_gates(clang, number, target):
    answers = clang.assemble(target, [text for _, text in GATE_ROWS])
    got = {text: "Y" if item.accepted else "-" for (_, text), item in zip(GATE_ROWS, answers, strict=True)}
    assert got == {text: marks[number] for marks, text in GATE_ROWS}
    assert {item.outcome for item in answers} == {"accepted", "rejected"}


def test_td06_vaddr4_is_null(clang):
    """Public problem TD-06 (llvm-project pull request 165917): the fifth address slot holds NULL, not zero."""
    text = "tensor_load_to_lds s[0:3], s[4:11], s[12:15], s[16:19]"
    (item,) = clang.assemble("gfx1250", [text])
    assert item.bytes.hex(" ") == "01 00 71 d0 00 00 00 7c 00 04 0c 10"
    assert item.bytes[7] == 0x7C
    (refused,) = clang.assemble("gfx1200", [text])
    assert refused.accepted is False


@pytest.mark.parametrize(
    "target, text, data",
    [
        ("gfx950", "global_load_lds_dwordx4 v[0:1], off", "0080f4dd"),
        ("gfx950", "global_load_lds_dwordx3 v[0:1], off", "0080f8dd"),
        # By LLVM's rule: or-mask 01000 and xor-mask 00010 over the kept bits 00111.
        ("gfx942", 'ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM, "01pip")', "07097ad801000000"),
        ("gfx1250", "s_wait_tensorcnt 64", "4000cbbf"),
        ("gfx1250", "s_wait_asynccnt 1", "0100cabf"),
        ("gfx1250", "tensor_load_to_lds s[0:3], s[4:11], s[12:15], s[12:15]", "010071d00000007c00040c0c"),
    ],
)
def test_single_encodings(clang, target, text, data):
    (item,) = clang.assemble(target, [text])
    assert item.bytes[: len(data) // 2].hex() == data


def test_too_few_groups_is_refused(clang):
    (item,) = clang.assemble("gfx1250", ["tensor_load_to_lds s[0:3], s[4:11], s[12:15]"])
    assert item.accepted is False and "too few operands" in item.diagnostic


def test_an_unknown_processor_is_no_rejection(clang):
    """cc1as only warns about an unknown processor and goes on with a generic one; `s_nop` would be accepted."""
    for item in clang.assemble("gfx9999", ["s_nop 0", "tensor_load_to_lds s[0:3], s[4:11]"]):
        assert item.outcome == "unknown-target"
        assert item.accepted is None and item.bytes is None
        assert "gfx9999" in item.diagnostic


def test_a_symbol_leaves_the_bytes_open(clang):
    (item,) = clang.assemble("gfx950", ["s_branch somewhere"])
    assert item.accepted is True and item.bytes is None
    assert "somewhere" in item.diagnostic


@pytest.mark.parametrize(
    "line",
    [
        "",
        "   ",
        "; only a comment",
        "s_nop 0\ns_nop 1",
        "s_nop 0\rs_nop 1",
        "s_nop 0\x00",
        "s_nop 0 /* and the next line",
        '.include "secret.s"',
        '  .incbin "secret"',
        ".if 1",
        ".macro m",
        ".set x, 5",
        "label: s_nop 0",
        "label:",
        "x = 5",
        "x=5",
        '# 7 "other"',
        's_nop "',
        's_nop 0 "01pip',
        "s_nop '\"01pip\"",
        "\ud800",
        "s_nop " + "0" * 5000,
    ],
)
def test_what_is_not_one_instruction_never_reaches_the_assembler(clang, line):
    with pytest.raises(ValueError):
        clang.assemble("gfx950", [line])


def test_an_instruction_may_have_comment_tab_and_modifiers(clang):
    lines = ["\ts_nop 0 ; comment", "v_mov_b32_dpp v0, v1 dpp8:[0,1,2,3,4,5,6,7] // comment", "s_endpgm"]
    assert [item.accepted for item in clang.assemble("gfx1250", lines)] == [True, True, True]


@pytest.mark.parametrize("target", ["", "gfx", "gfx1250 -o x", "../x", "native", None])
def test_a_target_is_a_processor_name(clang, target):
    with pytest.raises(ValueError):
        clang.assemble(target, ["s_nop 0"])


def test_a_large_batch_with_errors_in_it(clang):
    lines = [f"s_nop {number % 16}" if number % 7 else "s_nope" for number in range(2500)]
    answers = clang.assemble("gfx942", lines)
    assert [item.accepted for item in answers] == [bool(number % 7) for number in range(2500)]
    assert all(item.bytes[0] == number % 16 for number, item in enumerate(answers) if item.accepted)


def test_the_command_repeats_the_answer(clang):
    """Pasted into a shell where `python` has the wheel, the line gives the same bytes."""
    (item,) = clang.assemble("gfx1250", ["tensor_load_to_lds s[0:3], s[4:11]"])
    line = item.command.replace("python", sys.executable, 1)
    said = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=600).stdout
    assert "[" + ",".join(f"0x{byte:02x}" for byte in item.bytes) + "]" in said
    assert "\n" not in item.command
