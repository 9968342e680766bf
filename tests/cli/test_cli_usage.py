# SPDX-License-Identifier: Apache-2.0
"""What every command does alike with a missing command, a repeated option, an unknown target and a marked file."""

import json

import pytest

from cdna_evidence.cli import main


def call(words, capsys):
    status = main(words)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    "words",
    [[], ["tdm"], ["lds"], ["mfma"], ["lane"], ["format"], ["asm"], ["waits"], ["claim"], ["cite"], ["pins"], ["site"]],
)
def test_a_missing_command_is_said_on_standard_error(words, capsys):
    status, out, err = call(words, capsys)
    assert status == 2 and out == "" and err.strip() and "Traceback" not in err
    assert not words or err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["mfma", "layout", "16x16x16_f16", "--target", "gfx942", "--matrix", "A", "--at", "0,0", "--at=1,1"], "--at"),
        (["waits", "decode", "0", "--target", "gfx942", "--target", "gfx950"], "--target"),
        (["lane", "ballot", "--target", "gfx942", "--active", "0-3", "--active", "4"], "--active"),
        (["format", "encode", "e5m2", "--saturate", "--saturate", "--", "1"], "--saturate"),
        (["tdm", "pad", "--row-bytes", "64", "--row-bytes", "128", "--pad-bytes", "16"], "--row-bytes"),
    ],
)
def test_an_option_given_twice_is_refused_not_dropped(words, option, capsys):
    status, out, err = call([*words, "--json"], capsys)
    assert status == 2 and out == "" and f"option {option} is given twice" in err


def test_what_stands_after_two_hyphens_is_no_option(capsys):
    status, out, _ = call(["format", "encode", "e5m2", "--json", "--", "1", "1"], capsys)
    assert status == 0 and json.loads(out)["result"]["values"] == [1.0, 1.0]


@pytest.mark.parametrize(
    "words",
    [
        ["layout", "16x16x16_f16", "--matrix", "A", "--at", "0,0"],
        ["waits", "--first", "valu", "--then", "valu", "--via", "read"],
        ["list"],
        ["audit", "-"],
    ],
)
def test_an_unknown_target_is_answered_with_all_that_are_known(words, capsys):
    status, _, err = call(["mfma", *words, "--target", "gfx1251"], capsys)
    assert status == 2 and all(name in err for name in ("gfx1251", "gfx942", "gfx950", "gfx1250"))


def test_the_mark_that_some_editors_put_first_is_no_part_of_a_file(capsys, tmp_path):
    plain, marked = tmp_path / "plain.json", tmp_path / "marked.json"
    text = json.dumps({"fields": {"tile_dim0": 16}})
    plain.write_text(text, "utf-8")
    marked.write_text(text, "utf-8-sig")
    first = call(["tdm", "encode", str(plain), "--json"], capsys)
    assert first[0] == 0 and call(["tdm", "encode", str(marked), "--json"], capsys) == first


def test_a_word_is_not_read_as_bytes(capsys):
    """`0xbf800000` is s_nop 0 as a manual prints it; as bytes in memory order it would be a v_cndmask."""
    status, out, err = call(["disasm", "--target", "gfx950", "0xbf800000"], capsys)
    assert (status, out) == (2, "") and "00 00 80 bf" in err


@pytest.mark.parametrize("code", ["1_0", "0x1_0"])
def test_a_code_is_a_number_as_c_writes_it(code, capsys):
    status, out, err = call(["format", "decode", "e4m3fn", code], capsys)
    assert (status, out) == (2, "") and code in err
