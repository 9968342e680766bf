# SPDX-License-Identifier: Apache-2.0
"""Placeholders and bare numbers in statements; what may stand in values."""

import pytest

from cdna_evidence.register import load
from cdna_evidence.register.leaves import leaves, text_leaf
from cdna_evidence.register.models import ENUMERATIONS
from cdna_evidence.register.text import bare_numbers, fill, references


@pytest.mark.parametrize(
    "text",
    ["the field `tile_dim0` of gfx1250", "2D to 5D on CDNA5, gfx942 and MI300X", "`s[0:3]` and `v[12]`", "groups 2 and 3, group 0",
     "dimensions 0 and 1", "clang 22.1.8", "see §10.11 and table 67", "TDM-031 says so", "FP8 E4M3 and BF16", "{a} of {b[0]} in {c.d2}",
     "`s_wait_tensorcnt`", "a 2D tile", "B0 silicon", "tile_dim0-tile_dim2"],
)  # fmt: skip
def test_digits_in_names_are_no_numbers(text):
    assert bare_numbers(text) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("64 banks", ["64"]), ("`327680` bytes", ["327680"]), ("a 57-bit address", ["57"]), ("`pad_interval=9`", ["9"]), ("bits 30 and 31", ["30", "31"]),
     ("`s[0:3]` takes 4", ["4"]), ("1.5 times", ["1.5"]), ("0x80 bytes", ["0x80"]), ("16x16x32", ["16x16x32"]), ("8 of {n}", ["8"]), ("group 7", ["7"]),
     ("10D", ["10"]), ("up-to-128 bytes", ["128"]), ("64KiB", ["64"]), ("`a[0] = 5`", ["5"])],
)  # fmt: skip
def test_numbers_are_found(text, numbers):
    found = bare_numbers(text)

    assert len(found) == len(numbers), found
    assert all(got.rstrip(".,").startswith(want[:1]) for got, want in zip(found, numbers))


def test_placeholders_are_filled_and_braces_kept():
    values = {"gfx1250": {"codes": [2, 4], "banks": {"count": 64}, "on": True}}

    assert fill("{codes[1]} of {banks.count}, {on}, {{x}}, {codes}", values) == "4 of 64, yes, {x}, 2, 4"


def test_targets_that_differ_are_named():
    values = {"gfx942": {"n": 65536}, "gfx950": {"n": 163840}, "gfx1250": {"n": 65536}}

    assert fill("{n} bytes", values) == "65536 (gfx942, gfx1250), 163840 (gfx950) bytes"
    assert fill("LDS ({n})", values) == "LDS (65536 on gfx942, gfx1250; 163840 on gfx950)"


def test_references_are_listed_with_lone_braces():
    assert [name for name, _ in references("{a} {{ {b[0]} } {")] == ["a", "b[0]", "}", "{"]


def test_a_disputed_statement_is_filled_from_the_reading(tree):
    claim = load(tree.root).claims["TDM-002"]

    assert claim.statement_text() == "Sources disagree; this project reads 1."
    assert claim.statement_text(position="any-number") == "It may be up to 3 (gfx942), 7 (gfx950)."
    assert claim.statement_text(target="gfx950", position="any-number") == "It may be up to 7."
    assert claim.position_names() == ["must-be-one", "any-number"]
    assert claim.values_for("gfx950", "any-number") == {"one": 7}
    assert claim.values_for("gfx950") == {}


@pytest.mark.parametrize(
    "word", ["v_mfma_f32_32x32x8_f16", "tile_dim0", "count", "zero", "s[0:3]", "22.1.8", "00 01 ff", "0x12", "VIMAGE", "a/b/c.td", "HIP-TDM", "pad-odd"]
)
def test_names_and_declared_words_may_stand_in_values(word):
    assert text_leaf(word)


@pytest.mark.parametrize("word", ["because", "it is so", "zero or drop", "", " zero", "Zero.", "x" * 200 + "1", "…1", "a-b-c-d-e-f-g-h", "-", "1 2 3"])
def test_prose_may_not_stand_in_values(word):
    assert not text_leaf(word)


def test_each_word_stands_in_one_enumeration():
    words = [word for members in ENUMERATIONS.values() for word in members]

    assert len(words) == len(set(words))


def test_leaves_are_walked_in_order():
    values = {"a": [1, [2, 3]], "b": {"c": True, "d": "zero"}}

    assert list(leaves(values)) == [(("a", 0), 1), (("a", 1, 0), 2), (("a", 1, 1), 3), (("b", "c"), True), (("b", "d"), "zero")]
