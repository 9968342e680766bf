# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma audit --target gfx1250`: answers, their shape beside the other targets', exit statuses and refusals."""

import json

import pytest

from cdna_evidence.cli import main

F16 = "v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[16:23], v[64:71]"


@pytest.fixture
def call(capsys):
    def run(*words):
        status = main(["mfma", "audit", *words])
        out, err = capsys.readouterr()
        return status, json.loads(out) if "--json" in words and out else out, err

    return run


def write(tmp_path, text):
    path = tmp_path / "k.s"
    path.write_text(text)
    return str(path)


def test_a_missing_slot_is_an_error(call, tmp_path):
    path = write(tmp_path, f"{F16}\nv_nop\nv_add_f32 v100, v64, v64\ns_endpgm\n")
    status, document, _ = call(path, "--target", "gfx1250", "--json")
    assert (status, document["command"], document["target"]) == (1, "mfma audit", "gfx1250")
    (found,) = document["result"]["dependencies"]
    assert (found["needed"], found["present"], found["missing"], found["unit"]) == (4, 1, 3, "slots")
    assert (found["rule"], found["claim"]) == ("result-read", "WMMA-051")
    assert (document["result"]["instructions"], document["result"]["matrix_instructions"]) == (4, 1)
    (finding,) = document["findings"]
    assert finding["severity"] == "error" and "3 missing" in finding["message"]


def test_text_speaks_of_slots_and_never_of_wait_states(call, tmp_path):
    path = write(tmp_path, f"{F16}\ns_nop 7\nv_add_f32 v100, v64, v64\n")
    _, out, _ = call(path, "--target", "gfx1250")
    assert "needs 4 slots" in out and "s_nop earns nothing" in out and "wait state" not in out


def test_the_keys_are_those_of_the_other_targets(call, tmp_path):
    path = write(tmp_path, f"{F16}\nv_add_f32 v100, v64, v64\n")
    other = write(tmp_path / "..", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0\nv_add_f32 v10, v2, v2\n")
    _, slots, _ = call(path, "--target", "gfx1250", "--json")
    _, states, _ = call(other, "--target", "gfx942", "--json")
    assert slots["result"].keys() == states["result"].keys()
    assert slots["result"]["dependencies"][0].keys() == states["result"]["dependencies"][0].keys()
    assert states["result"]["dependencies"][0]["unit"] == "wait states"


def test_protected_is_said(call, tmp_path):
    path = write(tmp_path, f"{F16}\n" + "v_nop\n" * 4 + "v_add_f32 v100, v64, v64\n")
    status, out, _ = call(path, "--target", "gfx1250")
    assert status == 0 and "every dependency is protected" in out


def test_what_llvm_leaves_out_is_a_warning_and_no_failure(call, tmp_path):
    path = write(tmp_path, f"{F16}\nv_exp_f32 v100, v64\n")
    status, document, _ = call(path, "--target", "gfx1250", "--json")
    assert status == 0 and [item["severity"] for item in document["findings"]] == ["warning"]


@pytest.mark.parametrize("content", [b"", b"; nothing\n", b"\x7fELF\x00\xff\xfe"])
def test_nothing_to_read_is_wrong_usage(call, tmp_path, content):
    path = tmp_path / "k.s"
    path.write_bytes(content)
    status, _, err = call(str(path), "--target", "gfx1250")
    assert status == 2 and len(err.strip().splitlines()) == 1


def test_other_targets_are_named(call, tmp_path):
    status, _, err = call(write(tmp_path, F16), "--target", "gfx1201")
    assert status == 2 and "gfx942, gfx950, gfx1250" in err


def test_a_program_of_the_other_target_is_not_called_clean(call, tmp_path):
    path = write(tmp_path, f"{F16}\n")
    assert call(path, "--target", "gfx950")[0] == 1
    path = write(tmp_path, "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0\n")
    assert call(path, "--target", "gfx1250")[0] == 1


def test_a_text_that_names_another_target_is_not_trusted(call, tmp_path):
    """gfx1251 has slower products (WMMA-067), and its text reads alike."""
    path = write(tmp_path, f'.amdgcn_target "amdgcn-amd-amdhsa--gfx1251"\n{F16}\n')
    status, document, _ = call(path, "--target", "gfx1250", "--json")
    assert status == 1 and "gfx1251" in document["findings"][0]["message"]


def test_a_code_object_is_told_how_to_become_text(call, tmp_path):
    path = tmp_path / "k.o"
    path.write_bytes(b"\x7fELF\x02\x01\xff\xfe")
    status, _, err = call(str(path), "--target", "gfx1250")
    assert status == 2 and "llvm-objdump -d" in err


def test_protected_by_llvm_is_not_protected_by_all(call, tmp_path):
    """LLVM leaves nothing before an LDS load over A, a library keeps it away (rocm-libraries pull request 9384)."""
    path = write(tmp_path, f"{F16}\nds_load_b128 v[0:3], v200\n")
    status, out, _ = call(path, "--target", "gfx1250")
    assert status == 0 and "protected as LLVM counts; another position asks for more" in out.splitlines()[0]
    assert out.rstrip().endswith("disputed: WMMA-068, position kept-apart: missing 4, first line 1, then line 2")
