# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma list` and `cdna mfma layout`: shapes of the answers, refusals, pictures and texts."""

import json
import xml.etree.ElementTree

import pytest

from cdna_evidence.cli import main

LAYOUT = ["mfma", "layout", "v_mfma_f32_32x32x8_f16", "--target", "gfx942", "--matrix"]
F8 = ["mfma", "layout", "v_mfma_f32_16x16x128_f8f6f4", "--target", "gfx950", "--matrix"]


def call(words, capsys):
    """Return (status, standard output, standard error)."""
    status = main(list(words))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def answer(words, capsys):
    status, out, err = call([*words, "--json"], capsys)
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["schema"] == 1 and document["findings"] == []
    return document


def test_at(capsys):
    """A 32x32 result: lane 37, item 5 is row 13, column 5 (reported in public, and in AMD's calculator)."""
    found = answer([*LAYOUT, "D", "--at", "13,5"], capsys)
    assert found["command"] == "mfma layout" and found["target"] == "gfx942" and found["disputed"] == []
    assert found["result"] == {"lane": 37, "vgpr": 5, "bits": [0, 31]}


def test_lane_and_register(capsys):
    found = answer([*LAYOUT, "A", "--lane", "33", "--vgpr", "1"], capsys)["result"]
    assert found == {
        "elements": [
            {"block": 0, "i": 1, "j": 6, "vgpr": 1, "bits": [0, 15]},
            {"block": 0, "i": 1, "j": 7, "vgpr": 1, "bits": [16, 31]},
        ]
    }


def test_table(capsys):
    rows = answer([*LAYOUT, "B", "--table"], capsys)["result"]["entries"]
    assert len(rows) == 8 * 32 and rows[0] == [0, 0, 0, 0, 0, 0, 15]
    assert rows == sorted(rows) and [0, 7, 31, 63, 1, 16, 31] in rows


def test_sixty_four_bits(capsys):
    words = ["mfma", "layout", "v_mfma_f64_16x16x4_f64", "--target", "gfx942", "--matrix", "C", "--at", "5,3"]
    assert answer(words, capsys)["result"] == {"lane": 19, "vgpr": 2, "bits": [0, 63]}
    assert answer([*words, "--blgp", "4"], capsys)["result"]["negate"] is True


def test_disputed_answers_come_along(capsys):
    found = answer([*F8, "A", "--at", "0,20"], capsys)
    assert found["result"] == {"lane": 16, "vgpr": 1, "bits": [0, 7]}
    other = {"lane": 0, "vgpr": 5, "bits": [0, 7]}
    assert found["disputed"] == [{"claim": "MFMA-053", "position": "contiguous", "result": other}]
    assert answer([*F8, "A", "--at", "0,20", "--a-format", "fp4"], capsys)["disputed"] == []
    assert answer([*F8, "A", "--at", "0,20", "--cbsz", "4"], capsys)["disputed"] == []
    assert answer([*F8, "A", "--at", "0,3"], capsys)["disputed"] == []
    words = ["mfma", "layout", "v_mfma_f32_16x16x4_4b_f16", "--target", "gfx942", "--matrix", "A", "--at", "0,0"]
    found = answer([*words, "--block", "2", "--cbsz", "1", "--abid", "1"], capsys)
    assert found["result"]["lane"] == 48 and found["disputed"][0]["result"]["lane"] == 32


def test_index_and_scales(capsys):
    words = ["mfma", "layout", "v_smfmac_f32_16x16x32_f16", "--target", "gfx942", "--matrix", "index", "--at", "2,31"]
    # Both are worked examples of the calculator's README.
    assert answer(words, capsys)["result"] == {"lane": 50, "vgpr": 0, "bits": [4, 7]}
    assert answer([*words, "--abid", "3"], capsys)["result"]["bits"] == [28, 31]
    words = ["mfma", "layout", "v_mfma_scale_f32_16x16x128_f8f6f4", "--target", "gfx950", "--matrix", "scale_a"]
    assert answer([*words, "--at", "15,3", "--scale-byte", "1"], capsys)["result"] == {
        "lane": 63,
        "vgpr": 0,
        "bits": [8, 15],
    }


@pytest.mark.parametrize(
    "style, part",
    [
        ("cpp", "int lane = "),
        ("triton", "lane_bases="),
        ("cute", "Layout<Shape<"),
        ("ck", "tile_distribution_encoding<"),
    ],
)
def test_copy_as(style, part, capsys):
    found = answer([*LAYOUT, "A", "--as", style], capsys)["result"]
    assert found["as"] == style and part in found["text"]
    status, out, err = call([*LAYOUT, "A", "--as", style], capsys)
    assert status == 0 and part in out


def test_picture(tmp_path, capsys):
    name = tmp_path / "a.svg"
    found = answer([*F8, "B", "--svg", str(name), "--b-format", "fp6"], capsys)["result"]
    assert found == {"svg": str(name)}
    root = xml.etree.ElementTree.fromstring(name.read_text("utf-8"))
    cells = [node for node in root.iter() if node.tag.endswith("rect")]
    assert len(cells) == 128 * 16
    status, out, err = call([*F8, "B", "--svg", str(tmp_path / "no" / "a.svg")], capsys)
    assert status == 2 and "No such file" in err


def test_text_for_people(capsys):
    assert call([*LAYOUT, "D", "--at", "13,5"], capsys)[1] == "lane 37, v5, bits 0 to 31\n"
    assert "D[13][5]" in call([*LAYOUT, "D", "--lane", "37", "--vgpr", "5"], capsys)[1]
    assert "A[31][7]         lane 63  v1[31:16]" in call([*LAYOUT, "A", "--table"], capsys)[1]
    broadcast = ["mfma", "layout", "v_mfma_f32_16x16x4_4b_f16", "--target", "gfx942", "--matrix", "A", "--cbsz", "2"]
    assert "no element is read from there" in call([*broadcast, "--lane", "63", "--vgpr", "0"], capsys)[1]
    assert "disputed: MFMA-053, position contiguous" in call([*F8, "A", "--at", "0,20"], capsys)[1]


@pytest.mark.parametrize(
    "more, said",
    [
        (["D"], "say what is wanted"),
        (["D", "--at", "1"], "--at 1: row and column"),
        (["D", "--at", "1,x"], "'x': a number"),
        (["D", "--at", "1,2", "--table"], "one of --at"),
        (["D", "--lane", "1"], "--lane and --vgpr go together"),
        (["D", "--block", "1", "--table"], "--block goes with --at"),
        (["D", "--at", "32,0"], "i=32: 0 to 31"),
        (["index", "--table"], "matrix=index: v_mfma_f32_32x32x8_f16 has A, B, C, D"),
        (["q", "--table"], "matrix=q: A, B, C, D, index"),
        (["D", "--as", "rust"], "as=rust: cpp, triton, cute, ck"),
        (["A", "--table", "--cbsz", "1"], "takes no cbsz, MFMA-056"),
        (["A", "--table", "--a-format", "fp8"], "no choice of formats"),
    ],
)
def test_wrong_usage_is_one_line(more, said, capsys):
    status, out, err = call([*LAYOUT, *more], capsys)
    assert (status, out) == (2, "") and said in err and err.count("\n") == 1


def test_unknown_instruction_and_target(capsys):
    for words, said in (
        (["mfma", "layout", "v_nothing", "--target", "gfx942", "--matrix", "A", "--table"], "op=v_nothing"),
        (["mfma", "layout", "16x16x16_f16", "--target", "gfx1100", "--matrix", "A", "--table"], "target=gfx1100"),
        (["mfma", "layout", "v_mfma_f32_16x16x16_f16", "--target", "gfx1250", "--matrix", "A", "--table"], "WMMA-001"),
        (["mfma", "layout", "16x16x32_f16", "--target", "gfx942", "--matrix", "A", "--table"], "only on gfx950"),
        (["mfma", "nothing"], "unknown command"),
    ):
        status, out, err = call(words, capsys)
        assert status == 2 and said in err and err.count("\n") == 1


def test_list(capsys):
    found = answer(["mfma", "list", "--target", "gfx950"], capsys)
    rows = {row["mnemonic"]: row for row in found["result"]["instructions"]}
    assert len(rows) == 68 and rows["v_mfma_f32_16x16x16_f16"]["shape"] == [16, 16, 16]
    assert {
        "claim": "MFMA-053",
        "position": "contiguous",
        "result": {"mnemonic": "v_mfma_f32_32x32x64_f8f6f4"},
    } in found["disputed"]
    status, out, err = call(["mfma", "list", "--target", "gfx942"], capsys)
    assert status == 0 and "46 instructions" in out and "disputed" not in out
    assert call(["mfma"], capsys)[0] == 2 and call(["mfma", "--help"], capsys)[0] == 0
