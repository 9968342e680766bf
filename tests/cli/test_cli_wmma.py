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
