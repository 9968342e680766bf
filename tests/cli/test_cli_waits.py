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


def test_a_count_beyond_the_counter_is_an_error(run):
    status, document = decode(run, "0xbfc70020", "gfx1250")
    assert status == 1
    assert [(item["rule"], item["claim"]) for item in document["findings"]] == [("count-out-of-range", "WAIT-051")]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("decode", "many", "--target", "gfx942"), "decimal or 0x"),
        (("decode", "0x10000", "--target", "gfx942"), "no wait of gfx942"),
        (("decode", "0x11c", "--target", "gfx1250"), "no wait of gfx1250"),
        (("decode", "0", "--target", "gfx90a"), "gfx942, gfx950, gfx1250"),
        (("decode", "0"), "--target"),
        (("check", "there-is-no-such-file", "--target", "gfx942"), "No such file"),
        ((), "decode|check"),
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
