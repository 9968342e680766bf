# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma list` and `cdna mfma layout` on gfx1250: same documents as on the older targets, other instructions."""

import json

import pytest

from cdna_evidence.cli import main

LAYOUT = ["mfma", "layout", "v_wmma_f32_16x16x128_fp8_fp8", "--target", "gfx1250", "--matrix"]


def call(words, capsys):
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


def test_list(capsys):
    status, out, _ = call(["mfma", "list", "--target", "gfx1250", "--json"], capsys)
    found = json.loads(out)
    older = json.loads(call(["mfma", "list", "--target", "gfx950", "--json"], capsys)[1])
    assert status == 0 and set(found) == set(older)
    assert set(older["result"]["instructions"][0]) <= set(found["result"]["instructions"][0])
    assert len(found["result"]["instructions"]) == 65
    assert {"WMMA-006", "WMMA-009", "WMMA-011"} <= {item["claim"] for item in found["disputed"]}


def test_list_as_text(capsys):
    status, out, _ = call(["mfma", "list", "--target", "gfx1250"], capsys)
    assert status == 0 and out.rstrip().endswith("65 instructions")
    line = [line for line in out.splitlines() if line.startswith("v_wmma_f32_16x16x128_f8f6f4")][0]
    assert "A 8/12/16" in line and " - " in line


def test_disputed_place(capsys):
    """K 8 of row 3: Triton with sixteen values a load keeps it in lane 3, with eight it is in lane 19."""
    status, out, _ = call([*LAYOUT, "A", "--at", "3,8", "--json"], capsys)
    found = json.loads(out)
    assert status == 0 and found["result"]["lane"] == 3
    assert [(item["claim"], item["result"]["lane"]) for item in found["disputed"]] == [("WMMA-006", 19)]


@pytest.mark.parametrize("block, place", [(0, (0, [0, 7])), (3, (0, [24, 31])), (4, (1, [0, 7])), (7, (1, [24, 31]))])
def test_a_scale_of_sixteen_values_beyond_the_first_register(block, place, capsys):
    """CDNA5 guide §7.12.6.2: blocks 4 to 7 lie in the second register; where another position has none, it says so."""
    words = ["mfma", "layout", "v_wmma_scale16_f32_16x16x128_f8f6f4", "--target", "gfx1250", "--matrix", "scale_a"]
    status, out, err = call([*words, "--at", f"3,{block}", "--json"], capsys)
    assert status == 0, err
    found = json.loads(out)
    assert found["result"] == {"lane": 3, "vgpr": place[0], "bits": place[1]}
    assert [item["claim"] for item in found["disputed"]] == ["WMMA-015"]
    assert ("no such place" in found["disputed"][0]["result"].get("note", "")) is (block > 3)


def test_register(capsys):
    status, out, _ = call([*LAYOUT, "D", "--lane", "17", "--vgpr", "2", "--json"], capsys)
    elements = json.loads(out)["result"]["elements"]
    assert status == 0 and elements == [{"block": 0, "i": 10, "j": 1, "vgpr": 2, "bits": [0, 31]}]


def test_picture(capsys, tmp_path):
    name = tmp_path / "a.svg"
    status, _, _ = call([*LAYOUT, "A", "--svg", str(name)], capsys)
    assert status == 0 and name.read_text("utf-8").count("<rect") >= 16 * 128


@pytest.mark.parametrize(
    "words, said",
    [
        ([*LAYOUT, "A", "--table", "--cbsz", "1"], "cbsz=1: gfx1250 has no such modifier"),
        ([*LAYOUT, "A", "--table", "--scale-row", "1"], "scale_row=1"),
        ([*LAYOUT, "A", "--lane", "32", "--vgpr", "0"], "lane=32: 0 to 31"),
        ([*LAYOUT, "index", "--table"], "has A, B, C, D"),
        (
            ["mfma", "layout", "16x16x16_f16", "--target", "gfx942", "--matrix", "A", "--table", "--index-key", "1"],
            "only gfx1250",
        ),
    ],
)
def test_wrong_usage_is_one_line(words, said, capsys):
    status, out, err = call(words, capsys)
    assert (status, out) == (2, "") and said in err and err.count("\n") == 1


def test_help_lists_the_ways_to_depend_of_every_target(capsys):
    for words in (["mfma", "waits", "--help"], ["mfma", "waits", "--target", "gfx1250", "--help"]):
        with pytest.raises(SystemExit):
            main(words)
        out = capsys.readouterr().out
        assert "ab-war" in out and "scale-war" in out


@pytest.mark.parametrize(
    "first, then, via, slots, told",
    [
        # Slots as LLVM's hazard pass gave them to MIR; told: whether IR and MIR can be asked.
        ("v_wmma_i32_16x16x64_iu8", "valu", "read", 8, (True, True)),
        ("v_swmmac_f16_16x16x128_bf8_fp8", "v_wmma_scale16_f32_32x16x128_f4", "ab", 3, (True, True)),
        ("v_wmma_f32_16x16x16_f16", "valu", "read", 0, (False, True)),
        ("v_wmma_f32_16x16x32_f16", "salu", "read", 0, (False, True)),
    ],
)
def test_slots_are_asked_of_two_compilers(first, then, via, slots, told, capsys):
    words = ["mfma", "waits", "--target", "gfx1250", "--first", first, "--then", then, "--via", via, "--json"]
    status, out, _ = call(words, capsys)
    result = json.loads(out)["result"]
    assert status == 0 and result["slots"] == slots
    assert [(item["compiler"], item["how"]) for item in result["by_compiler"]] == [("clang", "LLVM IR"), ("llc", "MIR")]
    for item, can in zip(result["by_compiler"], told, strict=True):
        if item["version"] is None:
            continue  # not on this machine: the reason says so
        assert item["slots"] == (slots if can else None) and bool(item["reason"]) is not can


def test_what_the_guide_asks_for_stands_beside_it(capsys):
    """Numbers of the table in §7.12.1 of the CDNA5 guide; C is not in it."""
    words = ["mfma", "waits", "--target", "gfx1250", "--no-run", "--first", "v_wmma_f32_16x16x128_fp8_fp8", "--then"]
    for then, via, guide in (("valu", "read", 3), ("v_wmma_f32_16x16x32_f16", "ab", 4), ("v_wmma_f32_16x16x128_fp8_fp8", "exact", None)):
        asked = json.loads(call([*words, then, "--via", via, "--json"], capsys)[1])["result"]["manual"]
        assert asked == (None if guide is None else {"slots": guide, "claim": "GFX-011"})
    assert "the CDNA5 guide asks for 3  [GFX-011]" in call([*words, "valu", "--via", "read"], capsys)[1]


def test_formats_reach_the_compilers(capsys):
    """FP8 beside FP4 has eight slots, FP6 beside FP4 has four, by LLVM 22.1.8 in both ways."""
    for a_format, slots in (("fp8", 8), ("fp6", 4)):
        words = ["mfma", "waits", "--target", "gfx1250", "--first", "v_wmma_scale_f32_16x16x128_f8f6f4"]
        words += ["--a-format", a_format, "--b-format", "fp4", "--then", "valu", "--via", "read"]
        found = json.loads(call([*words, "--json"], capsys)[1])
        assert found["result"]["slots"] == slots and found["findings"] == []
        assert {item["slots"] for item in found["result"]["by_compiler"] if item["version"]} <= {slots}


def test_transcendental_reads_carry_what_newer_compilers_leave(capsys):
    words = ["mfma", "waits", "--target", "gfx1250", "--first", "v_wmma_f32_16x16x32_f16", "--then", "v_exp_f32", "--via", "read"]
    found = json.loads(call([*words, "--no-run", "--json"], capsys)[1])
    assert found["result"]["slots"] == 0 and found["result"]["by_compiler"] == []
    assert [(item["claim"], item["result"]["slots"]) for item in found["disputed"]] == [("WMMA-078", 4)]


@pytest.mark.parametrize("name", ["fp4", "FP4", "e2m1", "E2M1fn", "MATRIX_FMT_FP4", "4"])
@pytest.mark.parametrize(("target", "product"), [("gfx1250", "v_wmma_f32_16x16x128_f8f6f4"), ("gfx950", "v_mfma_f32_16x16x128_f8f6f4")])
def test_a_format_by_any_of_its_names(name, target, product, capsys):
    asked = ["mfma", "waits", "--target", target, "--first", product, "--then", "valu", "--via", "read", "--no-run", "--json"]
    answers = [json.loads(call([*asked, "--a-format", text, "--b-format", text], capsys)[1])["result"] for text in ("fp4", name)]
    assert answers[0] == answers[1]
    place = ["mfma", "layout", product, "--target", target, "--matrix", "A", "--at", "3,33", "--json", "--a-format"]
    assert len({call([*place, text], capsys)[1] for text in (name, "fp4")}) == 1


@pytest.mark.parametrize("name", ["fp5", "e4m3fnuz", "5", ""])
def test_a_format_that_is_none_is_refused_for_every_operand(name, capsys):
    product = "v_wmma_scale_f32_16x16x128_f8f6f4"
    for matrix in ("A", "D", "scale_a"):
        words = ["mfma", "layout", product, "--target", "gfx1250", "--matrix", matrix, "--at", "0,0", "--a-format", name]
        status, _, error = call(words, capsys)
        assert status == 2 and "fp8 (0), bf8 (1)" in error
