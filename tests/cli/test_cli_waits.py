# SPDX-License-Identifier: Apache-2.0
"""`cdna waits` as other people script it: exit statuses, keys, and every public report of this area."""

import io
import json
import subprocess
import sys

import pytest

from cdna_evidence.cli import main

END = "\ns_endpgm\n"


@pytest.fixture
def run(capsys):
    def call(*words):
        status = main(["waits", *map(str, words)])
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.fixture
def check(run, tmp_path):
    def call(text, target, *words):
        path = tmp_path / "k.s"
        path.write_text(text + END)
        status, out, _ = run("check", path, "--target", target, "--json", *words)
        document = json.loads(out)
        assert document["command"] == "waits check"
        assert document["target"] == target
        assert set(document["result"]) >= {"missing", "useless", "out_of_range"}
        assert all(set(item) == {"rule", "severity", "message", "claim", "field"} for item in document["findings"])
        assert status == any(item["severity"] == "error" for item in document["findings"])
        return status, document

    return call


def decode(run, value, target):
    status, out, _ = run("decode", value, "--target", target, "--json")
    document = json.loads(out)
    assert document["schema"] == 1
    assert document["command"] == "waits decode"
    return status, document


@pytest.mark.parametrize(
    ("value", "target", "counters", "text"),
    [
        ("0x0f70", "gfx942", {"vmcnt": 0, "expcnt": 7, "lgkmcnt": 15}, "s_waitcnt vmcnt(0)"),
        ("3952", "gfx950", {"vmcnt": 0, "expcnt": 7, "lgkmcnt": 15}, "s_waitcnt vmcnt(0)"),
        ("0xc07f", "gfx950", {"vmcnt": 63, "expcnt": 7, "lgkmcnt": 0}, "s_waitcnt lgkmcnt(0)"),
        ("0xbf8cc07f", "gfx950", {"vmcnt": 63, "expcnt": 7, "lgkmcnt": 0}, "s_waitcnt lgkmcnt(0)"),
        ("0", "gfx942", {"vmcnt": 0, "expcnt": 0, "lgkmcnt": 0}, "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)"),
        ("0xbfc8011c", "gfx1250", {"loadcnt": 1, "dscnt": 28}, "s_wait_loadcnt_dscnt 0x11c"),
        ("0xbfcb0002", "gfx1250", {"tensorcnt": 2}, "s_wait_tensorcnt 0x2"),
    ],
)
def test_decode(run, value, target, counters, text):
    status, document = decode(run, value, target)
    assert status == 0
    assert document["result"]["counters"] == counters
    assert document["result"]["text"] == text


@pytest.mark.parametrize(
    ("words", "target", "wanted"),
    [
        # Operands as in composable_kernel and in the LLVM tests; the last word is that of rocm-libraries pull request 10653.
        (["s_waitcnt vmcnt(0)"], "gfx942", "bf8c0f70"),
        (["S_WAITCNT", "lgkmcnt(0)"], "gfx950", "bf8cc07f"),
        (["vmcnt(0)", "&", "lgkmcnt(0)"], "gfx950", "bf8c0070"),
        (["s_waitcnt 0x3952"], "gfx942", "bf8c3952"),
        (["70", "0f", "8c", "bf"], "gfx942", "bf8c0f70"),
        (["BF8C0F70"], "gfx942", "bf8c0f70"),  # as llvm-objdump prints it behind the address
        (["bfcb0002"], "gfx1250", "bfcb0002"),
        # llvm-mc 22.1.8 --show-encoding
        (["s_wait_alu 0xfffe"], "gfx1250", "bf88fffe"),
        (["s_wait_alu depctr_va_vdst(0)"], "gfx1250", "bf880f9f"),
        (["s_wait_alu", "depctr_va_vdst(0)", "depctr_va_ssrc(0)"], "gfx1250", "bf880e9f"),
        (["s_wait_alu depctr_vm_vsrc(3)"], "gfx1250", "bf88ff8f"),
        (["s_wait_alu depctr_hold_cnt(0)"], "gfx1250", "bf88ff1f"),
        (["1c 01 c8 bf"], "gfx1250", "bfc8011c"),
        (["s_wait_loadcnt_dscnt 0x11c"], "gfx1250", "bfc8011c"),
        (["s_wait_tensorcnt", "2"], "gfx1250", "bfcb0002"),
        (["s_wait_idle"], "gfx1250", "bf8a0000"),
    ],
)
def test_decode_takes_text_and_bytes(run, words, target, wanted):
    status, out, _ = run("decode", *words, "--target", target, "--json")
    assert status == 0
    assert json.loads(out)["result"]["word"] == wanted


@pytest.mark.parametrize(
    ("text", "target", "said"),
    [
        ("vmcnt(64)", "gfx942", "vmcnt=64: 0..63"),
        ("s_waitcnt vmcnt(0)", "gfx1250", "one opcode for each counter"),
        ("vscnt(0)", "gfx950", "gfx950 has vmcnt, expcnt, lgkmcnt"),
        ("s_wait_dscnt 0", "gfx942", "not an instruction of gfx942"),
        ("s_wait_loadcnt", "gfx1250", "s_wait_loadcnt: the operand is not a number"),
        ("v_mov_b32 v0, v1", "gfx942", "or the text of a wait"),
        ("s_wait_alu", "gfx1250", "or the text of a wait"),
    ],
)
def test_what_is_no_wait_of_the_target_is_said(run, text, target, said):
    status, out, err = run("decode", text, "--target", target)
    assert (status, out) == (2, "") and said in err and err.count("\n") == 1


def test_a_count_beyond_the_counter_is_an_error(run):
    status, document = decode(run, "0xbfc70020", "gfx1250")
    assert status == 1
    assert [(item["rule"], item["claim"]) for item in document["findings"]] == [("count-out-of-range", "WAIT-051")]


@pytest.mark.parametrize(
    ("word", "waits_for", "other"),
    [
        # CDNA5 guide, 15.5: a wait compares with bits 5:0 of its operand, bits 4:0 for kmcnt; an emulator with all of it.
        ("0xbfcb0040", ["tensorcnt"], [[]]),
        ("0xbfc70020", ["kmcnt"], [[]]),
        ("0xbfcb007f", [], []),
    ],
)
def test_what_a_count_beyond_the_counter_does_is_disputed(run, word, waits_for, other):
    _, document = decode(run, word, "gfx1250")
    assert document["result"]["waits_for"] == waits_for
    assert [(item["claim"], item["position"]) for item in document["disputed"]] == [("GFX-008", "whole-operand")] * len(other)
    assert [item["result"]["waits_for"] for item in document["disputed"]] == other


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("decode", "many", "--target", "gfx942"), "decimal or 0x"),
        (("decode", "0x10000", "--target", "gfx942"), "no wait of gfx942"),
        (("decode", "bf8cxyzw", "--target", "gfx942"), "decimal or 0x"),
        (("decode", "s_wait_alu depctr_va_vdst(16)", "--target", "gfx1250"), "0..15"),
        (("decode", "s_wait_alu depctr_va_dst(0)", "--target", "gfx1250"), "va_vdst, va_sdst"),
        (("decode", "s_wait_alu 0x10000", "--target", "gfx1250"), "depctr_NAME(N)"),
        (("decode", "s_wait_alu 0", "--target", "gfx942"), "not an instruction of gfx942"),
        (("decode", "0x11c", "--target", "gfx1250"), "no wait of gfx1250"),
        (("decode", "0", "--target", "gfx90a"), "gfx942, gfx950, gfx1250"),
        (("decode", "0"), "--target"),
        (("check", "there-is-no-such-file", "--target", "gfx942"), "No such file"),
        (("covers", "--target", "gfx942"), "INSTRUCTION"),
        ((), "decode|covers|check"),
    ],
)
def test_wrong_usage_is_one_line_and_status_2(run, words, said):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_a_file_without_instructions_is_unreadable_input(run, tmp_path):
    (tmp_path / "notes.txt").write_text("nothing to see\n")
    status, _, err = run("check", tmp_path / "notes.txt", "--target", "gfx942")
    assert status == 2
    assert "no instruction" in err
    (tmp_path / "bytes.bin").write_bytes(b"\xff\xfe\x00")
    assert run("check", tmp_path / "bytes.bin", "--target", "gfx942")[0] == 2


def test_standard_input(run, monkeypatch):
    class In:
        buffer = io.BytesIO(b"s_load_dword s4, s[0:1], 0x0\ns_mov_b32 s5, s4\ns_endpgm\n")

    monkeypatch.setattr(sys, "stdin", In)
    status, out, _ = run("check", "-", "--target", "gfx950")
    assert status == 1
    assert "Fix: s_waitcnt lgkmcnt(0)" in out


def test_the_command_runs_as_a_process(tmp_path):
    (tmp_path / "k.s").write_text("s_waitcnt vmcnt(0)\ns_endpgm\n")
    command = [sys.executable, "-c", "import sys; from cdna_evidence.cli import main; sys.exit(main())"]
    done = subprocess.run(
        [*command, "waits", "check", "k.s", "--target", "gfx942"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "does nothing" in done.stdout


def test_a_missing_barrier_is_a_warning_and_an_error_where_the_data_is_shared(check):
    text = "buffer_load_dword v0, s[0:3], 0 offen lds\nv_mov_b32 v5, 0\ns_waitcnt vmcnt(0)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v2"
    status, document = check(text, "gfx950")
    assert (status, [item["rule"] for item in document["findings"]]) == (0, ["no-barrier"])
    assert check(text, "gfx950", "--shared")[0] == 1


def test_where_sources_differ_the_other_answer_is_given_too(check):
    text = "global_load_b32 v0, v[2:3], off\nglobal_load_async_to_lds_b32 v8, v[4:5], off\nv_mov_b32 v9, v0"
    _, document = check(text, "gfx1250")
    assert document["result"]["missing"][0]["counters"] == [{"counter": "loadcnt", "at_most": 0}]
    (other,) = document["disputed"]
    assert (other["claim"], other["position"]) == ("WAIT-060", "counted-on-both")
    assert other["result"]["missing"][0]["counters"] == [{"counter": "loadcnt", "at_most": 1}]


# The public reports of this area.


def test_wt_02_more_arrays_than_are_tracked(check, problem):
    case = problem("WT-02")
    arrays = case["input"]["lds_arrays"]
    copies = "\n".join(
        f"s_movk_i32 m0, {hex(256 * i)}\nglobal_load_lds_dword v0, s[0:1] offset:{4 * i}" for i in range(arrays)
    )
    _, document = check(f"{copies}\nds_read_b32 v1, v2 offset:2304\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, v1", "gfx942")
    (missing,) = document["result"]["missing"]
    assert missing["wait"] == "s_waitcnt " + case["right_outcome"]["wait"]
    assert len(missing["producer_lines"]) == arrays


def test_wt_05_until_n_remain(check, problem):
    count = problem("WT-05")["right_outcome"]["vmcnt"]
    copies = ["buffer_load_dwordx4 v0, s[0:3], 0 offen lds"] * 4
    loads = [f"buffer_load_dword v{10 + i}, v4, s[4:7], 0 offen" for i in range(6)]
    rest = ["s_barrier", "ds_read_b128 v[20:23], v1", "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_add_f32 v1, v20, v10"]
    assert check("\n".join([*copies, *loads, f"s_waitcnt vmcnt({count})", *rest]), "gfx950")[0] == 0
    assert check("\n".join([*copies, *loads, f"s_waitcnt vmcnt({count + 1})", *rest]), "gfx950")[0] == 1


def test_wt_07_barrier_with_reads_pending(check, run, problem):
    right = problem("WT-07")["right_outcome"]
    word = int.from_bytes(bytes.fromhex(right["bytes"]), "little")
    status, document = decode(run, hex(word), "gfx1250")
    assert status == 0
    assert document["result"]["counters"] == {name: right[name] for name in ("loadcnt", "dscnt")}
    assert document["result"]["bytes"] == right["bytes"]
    reads = "\n".join(f"ds_load_b32 v{i}, v200 offset:{4 * i}" for i in range(40))
    text = reads + "\n{}\ns_barrier_signal -1\ns_barrier_wait -1\ntensor_load_to_lds s[0:3], s[4:11]"
    assert check(text.format("s_wait_loadcnt_dscnt 0x11c"), "gfx1250")[0] == 1
    assert check(text.format("s_wait_loadcnt_dscnt 0x100"), "gfx1250")[0] == 0


def test_wt_08_refill_before_the_read_finished(check):
    text = (
        "ds_read_b128 v[4:7], v1\n{}buffer_load_dwordx4 v0, s[0:3], 0 offen lds\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v8, v4"
    )
    status, document = check(text.format(""), "gfx950")
    assert status == 1
    assert document["result"]["missing"][0]["wait"] == "s_waitcnt lgkmcnt(0)"
    assert check(text.format("s_waitcnt lgkmcnt(0)\ns_barrier\n"), "gfx950")[0] == 0


@pytest.mark.parametrize(
    ("target", "read", "wait"),
    [("gfx950", "ds_read_b32", "s_waitcnt lgkmcnt({})"), ("gfx1250", "ds_load_b32", "s_wait_dscnt {}")],
)
def test_wt_10_a_count_that_does_not_wait(check, problem, target, read, wait):
    given = problem("WT-10")["input"]
    reads = "\n".join(f"{read} v{i + 2}, v1 offset:{4 * i}" for i in range(given["outstanding_reads"]))
    barrier = "s_barrier" if target == "gfx950" else "s_barrier_signal -1\ns_barrier_wait -1"
    assert check(f"{reads}\n{wait.format(given['dscnt'])}\n{barrier}", target)[0] == 1
    assert check(f"{reads}\n{wait.format(0)}\n{barrier}", target)[0] == 0


def test_wt_11_async_store_still_reading(check):
    text = "global_store_async_from_lds_b32 v[2:3], v0, off\n{}tensor_load_to_lds s[0:3], s[4:11]"
    status, document = check(text.format(""), "gfx1250")
    assert status == 1
    assert document["result"]["missing"][0]["wait"] == "s_wait_asynccnt 0x0"
    assert check(text.format("s_wait_asynccnt 0x0\n"), "gfx1250")[0] == 0
    assert check(text.format("s_wait_tensorcnt 0x0\n"), "gfx1250")[0] == 1


# Files that are not what they should be.


def test_a_code_object_is_told_how_to_become_text(run, tmp_path):
    (tmp_path / "k.o").write_bytes(b"\x7fELF\x02\x01\x01\xff")
    status, _, err = run("check", tmp_path / "k.o", "--target", "gfx950")
    assert status == 2
    assert "llvm-objdump -d" in err


def test_windows_line_ends(check):
    assert check("s_load_dword s4, s[0:1], 0x0\r\ns_mov_b32 s5, s4\r", "gfx950")[0] == 1


@pytest.mark.parametrize(
    ("text", "target", "said"),
    [
        (
            '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx942"\nv_nop',
            "gfx1250",
            "for gfx942 (.amdgcn_target in line 1) and was checked as gfx1250",
        ),
        ('\t.amdgcn_target "amdgcn-amd-amdhsa--gfx950:xnack-"\nv_nop', "gfx942", "for gfx950"),
        ("v_nop\namdhsa.target:   amdgcn-amd-amdhsa--gfx1250", "gfx950", "for gfx1250 (amdhsa.target: in line 2)"),
        # As LLVM 24 names it.
        ('\t.amdgcn_target "amdgpu12.50-amd-amdhsa-unknown-gfx1250"\nv_nop', "gfx950", "for gfx1250"),
        ('\t.amdgcn_target "amdgcn-amd-amdhsa--gfx9-4-generic"\nv_nop', "gfx1250", "for gfx9-4-generic"),
        ('\t.amdgcn_target "amdgcn-amd-amdhsa--gfx9-generic"\nv_nop', "gfx942", "for gfx9-generic"),
        ("s_waitcnt vmcnt(0)", "gfx1250", "all waits of the text are those of gfx942 and gfx950"),
        ("s_wait_dscnt 0x0", "gfx950", "all waits of the text are those of gfx1250"),
    ],
)
def test_a_text_for_another_target_is_said_to_be_one_first(check, text, target, said):
    status, document = check(text, target)
    assert status == 1
    assert document["findings"][0]["rule"] == "other-target"
    assert said in document["findings"][0]["message"]


def test_a_text_for_this_target_is_not_said_to_be_another(check):
    # LLVM's guide: the generic target's code runs on both.
    for name in ("amdgcn-amd-amdhsa--gfx950:xnack-", "amdgpu9.50-amd-amdhsa-unknown-gfx950", "amdgcn-amd-amdhsa--gfx9-4-generic"):
        assert check(f'\t.amdgcn_target "{name}"\ns_nop 0', "gfx950")[1]["findings"] == []
    assert check("s_nop 0", "gfx950")[1]["findings"] == []


def test_the_same_mnemonic_of_another_target_is_named_once(check):
    _, document = check("s_waitcnt vmcnt(0)\n" * 5 + "s_wait_loadcnt 0x0", "gfx1250")
    found = [item for item in document["findings"] if item["rule"] == "not-on-target"]
    assert len(found) == 1
    assert "4 more such lines" in found[0]["message"]


def test_too_large_a_text_is_refused_with_what_to_do(run, tmp_path, monkeypatch):
    monkeypatch.setattr("cdna_evidence.cli.waits.MOST_BYTES", 100)
    (tmp_path / "k.s").write_text("s_nop 0\n" * 20)
    status, _, err = run("check", tmp_path / "k.s", "--target", "gfx950")
    assert status == 2
    assert "at most 100: check one kernel at a time" in err


def test_sources_that_ask_for_the_same_wait_are_not_told_apart(check):
    _, document = check("global_load_async_to_lds_b32 v0, v[2:3], off\nds_load_b32 v8, v9", "gfx1250")
    assert document["result"]["missing"][0]["counters"] == [{"counter": "asynccnt", "at_most": 0}]
    assert document["disputed"] == []


def test_a_branch_to_a_label_that_is_not_there_is_named(check):
    _, document = check("s_cbranch_scc1 nowhere\ns_nop 0", "gfx950")
    assert [item["rule"] for item in document["findings"]] == ["branch-not-followed"]


def covers(run, target, *instructions):
    status, out, err = run("covers", *instructions, "--target", target, "--json")
    return status, json.loads(out), err


def test_covers_answers_for_several_instructions_in_order(run):
    texts = ["global_load_async_to_lds_b128", "s_load_b64 s[4:5], s[8:9], 0x0", "v_add_f32 v0, v1, v2"]
    status, document, _ = covers(run, "gfx1250", *texts)
    assert (status, document["command"], document["target"]) == (0, "waits covers", "gfx1250")
    found = document["result"]["instructions"]
    assert [item["text"] for item in found] == texts
    for item in found:
        assert set(item) == {"text", "what", "counters", "xcnt", "compiler_waits", "claims"}
        assert all(set(one) == {"counter", "wait", "in_order", "claim"} for one in item["counters"])
    assert [item["compiler_waits"] for item in found] == [False, True, None]
    assert found[0]["counters"] == [
        {"counter": "asynccnt", "wait": "s_wait_asynccnt 0x0", "in_order": True, "claim": "WAIT-054"}
    ]
    assert [one["in_order"] for one in found[1]["counters"]] == [False]
    assert found[2]["counters"] == []


def test_covers_shows_where_sources_differ(run):
    _, document, _ = covers(run, "gfx1250", "global_load_async_to_lds_b128", "global_load_b32")
    (other,) = document["disputed"]
    assert (other["claim"], other["position"]) == ("WAIT-060", "counted-on-both")
    assert other["result"] == {"text": "global_load_async_to_lds_b128", "counters": ["asynccnt", "loadcnt"]}
    assert "WAIT-060" in document["result"]["instructions"][0]["claims"]


def test_covers_says_that_an_instruction_belongs_to_another_target(run):
    status, document, _ = covers(run, "gfx942", "tensor_load_to_lds", "ds_read_b32")
    assert status == 1
    assert [(item["rule"], item["claim"]) for item in document["findings"]] == [("not-on-target", "WAIT-010")]
    assert "gfx1250" in document["findings"][0]["message"]
    assert [len(item["counters"]) for item in document["result"]["instructions"]] == [0, 1]
    assert "gfx950" in covers(run, "gfx942", "buffer_load_dwordx4 v0, s[0:3], 0 offen lds")[1]["findings"][0]["message"]


def test_covers_cannot_tell_of_a_name_that_it_does_not_know(run):
    status, out, err = run("covers", "ds_read_b32", "frobnicate", "--target", "gfx942")
    assert (status, out) == (3, "")
    assert "'frobnicate': not known here" in err
    assert err.count("\n") == 1
    status, document, _ = covers(run, "gfx942", "frobnicate")
    assert (status, document["result"], document["findings"][0]["rule"]) == (3, None, "not-known")


def test_covers_says_where_it_is_not_sure_of_a_counter(run):
    status, document, _ = covers(run, "gfx950", "buffer_inv sc1")
    assert (status, document["result"]["instructions"][0]["counters"]) == (0, [])
    assert [(item["rule"], item["severity"]) for item in document["findings"]] == [("counter-not-sure", "info")]
    assert document["findings"][0]["claim"] == "WAIT-092"


def test_an_invalidation_is_counted_where_guide_and_compiler_agree(check):
    """llc 22.1.8 waits for loadcnt 1 behind global_inv, as the CDNA5 guide counts; for vmcnt 0 behind buffer_inv."""
    text = "global_load_b32 v0, v[2:3], off\nglobal_inv scope:SCOPE_DEV\ns_wait_loadcnt 1\nv_mov_b32 v1, v0"
    status, document = check(text, "gfx1250")
    assert (status, document["disputed"]) == (0, [])
    text = "global_load_dword v0, v[2:3], off\nbuffer_inv sc1\ns_waitcnt vmcnt(1)\nv_mov_b32 v1, v0"
    status, document = check(text, "gfx942")
    assert status == 1
    assert document["disputed"] == [{"claim": "WAIT-092", "position": "counted", "result": {"missing": []}}]


def test_the_text_groups_what_is_alike_and_the_document_lists_each(run, check, tmp_path):
    copy = "global_load_async_to_lds_b128 v{0}, v[{1}:{2}], off\nv_add_u32 v{1}, v{1}, v90\n"
    text = "".join(copy.format(3 * i, 3 * i + 1, 3 * i + 2) for i in range(20))
    text += "v_mov_b32 v99, v98\ns_wait_asyncnt 0\ns_wait_asyncnt 0"
    status, document = check(text, "gfx1250")
    assert status == 1
    assert document["result"]["findings_grouped"] is False
    rules = [item["rule"] for item in document["findings"]]
    assert rules.count("overwrite-before-translation") == 20
    status, out, _ = run("check", tmp_path / "k.s", "--target", "gfx1250")
    assert status == 1
    said = [line for line in out.split("\n") if "WAIT-056" in line]
    assert len(said) == 1
    assert "19 more such: lines 4, 6, 8" in said[0]
    assert out.count("error: ") == 2


def test_the_help_says_what_is_not_judged(capsys):
    with pytest.raises(SystemExit):
        main(["waits", "check", "--help"])
    assert "global_wb" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "name", "counter"),
    [
        ("gfx1250", "__builtin_amdgcn_global_load_async_to_lds_b128", "asynccnt"),
        ("gfx1250", "llvm.amdgcn.tensor.load.to.lds", "tensorcnt"),
        ("gfx950", "llvm.amdgcn.raw.ptr.buffer.load.lds", "vmcnt"),
        ("gfx950", "buffer_load_dwordx4_lds", "vmcnt"),
        ("gfx942", "llvm.amdgcn.load.to.lds", "vmcnt"),
    ],
)
def test_covers_takes_the_builtin_for_the_instruction(run, target, name, counter):
    status, document, _ = covers(run, target, name)
    assert status == 0
    assert [item["counter"] for item in document["result"]["instructions"][0]["counters"]] == [counter]


def test_covers_names_the_copy_that_was_meant(run):
    status, _, err = run("covers", "global_load_async_lds_b128", "--target", "gfx1250")
    assert status == 3
    assert "did you mean global_load_async_to_lds_b128" in err


@pytest.mark.parametrize(
    ("target", "name", "said"),
    [
        ("gfx950", "v_mfma_f32_16x16x16_f16", "wait states the next one needs: cdna mfma waits --target gfx950"),
        ("gfx1250", "v_wmma_f32_16x16x32_f16", "slots the next one needs: cdna mfma waits --target gfx1250"),
        ("gfx950", "s_barrier", "waits for no memory operation"),
        ("gfx1250", "s_barrier_wait", "waits for no memory operation"),
    ],
)
def test_covers_says_what_a_matrix_instruction_and_a_barrier_need(run, target, name, said):
    status, out, _ = run("covers", name, "--target", target)
    assert status == 0
    assert said in out


@pytest.mark.parametrize("words", [["waits", "check"], ["mfma", "audit"]])
def test_machine_words_are_not_called_a_text_without_instructions(capsys, tmp_path, words):
    """Kernels of hipBLASLt are kept as .long words."""
    path = tmp_path / "k.s"
    path.write_text("k:\n.long 0xBF8CC07F\n.long 0xBF810000\n")
    assert main([*words, str(path), "--target", "gfx942"]) == 2
    said = capsys.readouterr().err
    assert ".long words are not decoded" in said and said.count("\n") == 1
