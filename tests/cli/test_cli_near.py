# SPDX-License-Identifier: Apache-2.0
"""What a command says to a name that is none: products for targets, slips in mnemonics, modifiers of the older targets."""

import json

import pytest

from cdna_evidence.cli import main

EVERY = (
    ["mfma", "list"],
    ["mfma", "layout", "16x16x16_f16", "--matrix", "A", "--table"],
    ["mfma", "waits", "--first", "valu", "--then", "valu", "--via", "read"],
    ["mfma", "audit", "-"],
    ["waits", "check", "-"],
    ["waits", "decode", "0"],
    ["lds", "info"],
    ["lds", "conflicts", "--op", "ds_read_b64", "--expr", "lane*8"],
    ["lds", "transpose"],
    ["lane", "permute", "--index", "1"],
    ["format", "native"],
    ["asm", "s_nop 0"],
)


def said(words, capsys):
    status = main(words)
    out, err = capsys.readouterr()
    return status, out + err


@pytest.mark.parametrize("words", EVERY, ids=[" ".join(words[:2]) for words in EVERY])
def test_every_command_knows_products(words, capsys):
    status, text = said([*words, "--target", "MI300X"], capsys)
    assert status == 2 and "MI300X is gfx942" in text and text.count("\n") == 1
    status, text = said([*words, "--target=mi450"], capsys)
    assert status == 2 and "mi450 is gfx1250" in text


@pytest.mark.parametrize(
    "name, hint",
    [
        ("gfx1251", "neighbour of gfx1250"),
        ("gfx1251", "WMMA-067, VGPR-011"),
        ("gfx12", "MI450 is gfx1250"),
        ("MI355X", "is gfx950"),
        ("mi-350", "is gfx950"),
        ("cdna4", "is gfx950"),
        ("CDNA3", "is gfx942"),
        ("GFX1250", "write gfx1250"),
        # MI325X and MI308X are of the MI300 series; gfx940 was the name of early units.
        ("MI325X", "is gfx942"),
        ("MI308X", "is gfx942"),
        ("gfx940", "is gfx942"),
        ("MI455X", "is gfx1250"),
        ("gfx942:sramecc+:xnack-", "write gfx942"),
        ("amdgcn-amd-amdhsa--gfx950", "write gfx950"),
        ("gfx1250-strict", "stepping A0"),
    ],
)
def test_hints(name, hint, capsys):
    assert hint in said(["lds", "info", "--target", name], capsys)[1]
    assert hint in said(["lds", "alloc", "64", "--target", name], capsys)[1]


def test_no_hint_where_the_target_is_not_the_matter(capsys):
    assert "neighbour" not in said(["asm", "s_nop 0", "--target", "gfx1251", "--witness", "nobody"], capsys)[1]
    assert said(["lds", "info", "--target", "gfx90a"], capsys)[1].rstrip().endswith("gfx942, gfx950, gfx1250")


@pytest.mark.parametrize(
    "words, meant",
    [
        (["mfma", "waits", "--target", "gfx1250", "--first", "v_wmma_f32_16x16x32_f61", "--then", "valu", "--via", "read"], "v_wmma_f32_16x16x32_f16"),
        (["mfma", "waits", "--target", "gfx1250", "--first", "v_wmma_f32_16x16x32_f16", "--then", "trnas", "--via", "read"], "trans"),
        (["mfma", "waits", "--target", "gfx942", "--first", "v_mfma_f32_16x16x16f61", "--then", "valu", "--via", "read"], "v_mfma_f32_16x16x16_f16"),
        (["mfma", "waits", "--target", "gfx950", "--first", "valu", "--then", "v_mfma_f32_16x16x32_f61", "--via", "ab"], "v_mfma_f32_16x16x32_f16"),
        (["mfma", "layout", "v_mfma_f32_32x32x8_f61", "--target", "gfx942", "--matrix", "A", "--table"], "v_mfma_f32_32x32x8_f16"),
        (["mfma", "layout", "v_wmma_f32_16x16x32_f61", "--target", "gfx1250", "--matrix", "A", "--table"], "v_wmma_f32_16x16x32_f16"),
        (["lds", "conflicts", "--target", "gfx1250", "--op", "ds_load_b12", "--expr", "lane*16"], "ds_load_b128"),
        (["lds", "conflicts", "--target", "gfx950", "--op", "ds_raed_b64", "--expr", "lane*8"], "ds_read_b64"),
        (["lds", "transpose", "--target", "gfx950", "--op", "ds_read_b64_tr_b61"], "ds_read_b64_tr_b16"),
    ],
)  # fmt: skip
def test_did_you_mean(words, meant, capsys):
    status, text = said(words, capsys)
    assert status in (1, 2) and "did you mean" in text and meant in text.split("did you mean")[1]


@pytest.mark.parametrize(
    "product, successors",
    [
        ("v_mfma_f32_16x16x16_f16", ["v_wmma_f32_16x16x32_f16"]),
        ("v_mfma_f32_32x32x16_fp8_fp8", ["v_wmma_f32_16x16x64_fp8_fp8", "v_wmma_f32_16x16x128_fp8_fp8"]),
        ("v_smfmac_f32_16x16x32_f16", ["v_swmmac_f32_16x16x64_f16"]),
    ],
)
def test_an_mfma_is_led_to_products_that_compilers_select(product, successors, capsys):
    """The forms with half of K are nearer by name, but no compiler selects them and newer assemblers refuse them."""
    for words in (["layout", product, "--matrix", "A", "--table"], ["waits", "--first", product, "--then", "valu", "--via", "read"]):
        guess = said(["mfma", *words, "--target", "gfx1250"], capsys)[1].split("did you mean")[-1]
        assert all(name in guess for name in successors)
        assert "16x16x16" not in guess and "16x16x32_fp8" not in guess


def test_a_form_that_no_compiler_selects_is_called_so(capsys):
    words = ["--target", "gfx1250", "--json"]
    for start in (["layout", "v_wmma_f32_16x16x16_f16", "--matrix", "A", "--at", "0,0"], ["waits", "--first", "v_wmma_f32_16x16x16_f16", "--then", "valu", "--via", "read", "--no-run"]):
        status, text = said(["mfma", *start, *words], capsys)
        assert status == 0 and [item["claim"] for item in json.loads(text)["findings"]] == ["WMMA-075"]
    assert "22 of them are forms of gfx12" in said(["mfma", "list", "--target", "gfx1250"], capsys)[1]
    assert "gfx12" not in said(["mfma", "list", "--target", "gfx950"], capsys)[1]


@pytest.mark.parametrize("word, command", [("wmma", "cdna mfma"), ("FP8", "cdna format"), ("permute", "cdna lane"), ("claims", "cdna claim list")])
def test_words_for_what_stands_under_another_command(word, command, capsys):
    status, text = said([word, "list"], capsys)
    assert status == 2 and text.rstrip().split("; try: ")[1].startswith(command)


def test_a_name_unlike_any_gets_no_guess(capsys):
    assert "did you mean" not in said(["lds", "conflicts", "--target", "gfx942", "--op", "zzz", "--expr", "lane"], capsys)[1]


@pytest.mark.parametrize("start", [["waits", "--first"], ["layout"]])
def test_double_precision_is_the_neighbours(start, capsys):
    rest = ["--then", "valu", "--via", "read"] if start[0] == "waits" else ["--matrix", "A", "--table"]
    status, text = said(["mfma", *start, "v_wmma_f64_16x16x4_f64", "--target", "gfx1250", *rest], capsys)
    assert status == 2 and "gfx1251 has one, WMMA-002, VGPR-011" in text and "did you mean" not in text


@pytest.mark.parametrize("option, instead", [("cbsz", "--a-format"), ("blgp", "--b-format")])
def test_modifiers_of_mfma_name_their_successors(option, instead, capsys):
    product = "v_wmma_f32_16x16x128_f8f6f4"
    for words in (["waits", "--first", product, "--then", "valu", "--via", "read"], ["layout", product, "--matrix", "A", "--table"]):
        status, text = said(["mfma", *words, "--target", "gfx1250", "--" + option, "1"], capsys)
        assert status == 2 and f"{option}=1" in text and instead in text


def test_a_claim_in_small_letters(capsys):
    status, text = said(["claim", "show", "wmma-051"], capsys)
    assert status == 0 and text.startswith("WMMA-051 ")
