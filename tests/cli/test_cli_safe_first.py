# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma waits` says first what is safe by every source; other positions are told in words, not as JSON."""

import json

import pytest

from cdna_evidence.cli import main
from cdna_evidence.cli.disputed_text import line

F16 = "v_wmma_f32_16x16x32_f16"


def call(words, capsys):
    main(["mfma", "waits", "--no-run", *words])
    text = capsys.readouterr().out
    main(["mfma", "waits", "--no-run", *words, "--json"])
    return text, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "first, then, via, unit, reading, safe, because",
    [
        # What AMD's LLVM 23 and the CDNA5 guide ask for; LLVM issue 222932; rocm-libraries pull request 9384.
        (F16, "trans", "read", "slots", 0, 4, {"WMMA-078", "GFX-011"}),
        ("v_wmma_bf16f32_16x16x32_bf16", "valu", "c-war", "slots", 0, 4, {"WMMA-055"}),
        (F16, "ds", "ab-war", "slots", 0, 4, {"WMMA-068"}),
        (F16, "load", "ab-war", "slots", 0, 0, {"WMMA-056"}),
        (F16, "valu", "read", "slots", 4, 4, {"WMMA-051", "GFX-011"}),
        # Here the others ask for less.
        ("v_wmma_f32_16x16x64_fp8_fp8", "valu", "read", "slots", 4, 4, {"WMMA-051"}),
    ],
)
def test_slots_that_are_safe(first, then, via, unit, reading, safe, because, capsys):
    text, found = call(["--target", "gfx1250", "--first", first, "--then", then, "--via", via], capsys)
    result = found["result"]
    assert (result[unit], result["safe"][unit], set(result["safe"]["because"])) == (reading, safe, because)
    if safe > reading:
        assert text.splitlines()[0] == f"write {safe} x v_nop: safe under every position; LLVM 22.1.8 leaves {reading}"
    else:
        assert "safe under" not in text


@pytest.mark.parametrize(
    "target, first, then, via, reading, safe, because, nops",
    [
        # LLVM pull request 218363: the states of a partial overlap; table 38 of the CDNA4 guide.
        ("gfx950", "v_mfma_f32_16x16x32_bf8_bf8", "v_mfma_f32_16x16x32_f16", "exact", 0, 6, ["MFMA-020"], "s_nop 5"),
        ("gfx942", "v_mfma_f32_16x16x32_bf8_bf8", "v_mfma_f32_16x16x16_f16", "exact", 0, 5, ["MFMA-020"], "s_nop 4"),
        ("gfx950", "v_mfma_f64_16x16x4_f64", "valu", "waw", 11, 19, ["MFMA-081"], "s_nop 7 and s_nop 7 and s_nop 2"),
        ("gfx942", "v_mfma_f64_16x16x4_f64", "valu", "waw", 11, 11, ["MFMA-068"], None),
    ],
)
def test_wait_states_that_are_safe(target, first, then, via, reading, safe, because, nops, capsys):
    text, found = call(["--target", target, "--first", first, "--then", then, "--via", via], capsys)
    result = found["result"]
    assert (result["wait_states"], result["safe"]) == (reading, {"wait_states": safe, "because": because})
    wanted = f"write {nops} ({safe} wait states): safe under every position; LLVM 22.1.8 inserts {reading}"
    assert (text.splitlines()[0] == wanted) is (nops is not None)


GROUPS = [list(range(16)), list(range(16, 32))]


@pytest.mark.parametrize(
    "other, mine, told",
    [
        ({"worst": 16, "degree": [16, 16], "banks": 64, "groups": GROUPS}, {"worst": 8, "banks": 64, "groups": []}, "worst 16 (here 8), groups 0-15, 16-31"),
        ({"slots": 4}, {"slots": 0, "rule": "x"}, "slots 4 (here 0)"),
        ({"lane": 3, "bits": [0, 7]}, {"lane": 19, "bits": [0, 7]}, "lane 3 (here 19)"),
        ({"text": "a", "counters": ["asynccnt", "loadcnt"]}, {"instructions": []}, "a, counters asynccnt, loadcnt"),
        ({"fits": True}, {"fits": False}, "fits yes (here no)"),
        ({"missing": [{"line": 1}, {"line": 2}]}, {"missing": [{"line": 1}]}, "missing: 2 (here 1)"),
        ({"missing": [{"line": 4, "wait": "s_wait_loadcnt 0x0"}]}, {"missing": []}, "missing in line 4: s_wait_loadcnt 0x0"),
        ({"elements": [{"i": 3, "j": 24}, {"i": 3, "j": 25}]}, {"elements": [{"i": 3, "j": 8}, {"i": 3, "j": 25}]}, "elements: 1 of 2 differ, the first in j 24 (here 8)"),
        ({"masks": [{"mask": "0x003f", "reads": 2}]}, {"multicast": {}}, "masks: mask 0x003f, reads 2"),
        ({"rows": [[1], [2], [3]]}, {"rows": [[1], [2], [4]]}, "rows: 1 of 3 differ"),
        ({"slots": 4}, {"slots": 4}, "the same numbers"),
        ("refused", None, "refused"),
    ],
)  # fmt: skip
def test_another_position_in_words(other, mine, told):
    said = line({"claim": "LDS-053", "position": "sixteen", "result": other}, mine)
    assert said == f"disputed: LDS-053, position sixteen: {told}"


def test_a_long_answer_points_to_json():
    said = line({"claim": "X-001", "position": "p", "result": {f"field_{i}": i for i in range(200)}}, {})
    assert len(said) < 260 and said.endswith("(all: --json)")


@pytest.mark.parametrize(
    "words",
    [
        ["lds", "conflicts", "--target", "gfx1250", "--op", "ds_load_b128", "--expr", "lane*144"],
        ["lds", "alloc", "65536", "--target", "gfx950"],
        ["lds", "info", "--target", "gfx950"],
        ["waits", "covers", "--target", "gfx1250", "global_load_async_to_lds_b128"],
    ],
)
def test_no_json_among_words(words, capsys):
    main(words)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("disputed: ")]
    assert lines and not any(sign in line for line in lines for sign in '{}[]"')
