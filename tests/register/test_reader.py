# SPDX-License-Identifier: Apache-2.0
"""The YAML subset: what it means, where it stands, and hostile files that must give messages and never a traceback."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdna_evidence.register.reader import MAX_BYTES, path_text, read_document


def read(text):
    return read_document(text if isinstance(text, bytes) else text.encode("utf-8"), "f.yml")


def test_plain_values_mean_what_they_look_like():
    document = read("a: 12\nb: -3\nc: 0x1F\nd: true\ne: false\nf: 22.1.8\ng: 2026-12-01\nh: '7'\ni: [1, two]\nj: >-\n  one\n  line\n")

    assert document.problems == []
    assert document.data == {
        "a": 12, "b": -3, "c": 31, "d": True, "e": False, "f": "22.1.8", "g": "2026-12-01", "h": "7", "i": [1, "two"], "j": "one line",
    }  # fmt: skip


def test_places_are_lines_and_columns_from_one():
    document = read("# c\n- a: x\n  b:\n    - y\n    - {c: é, d: z}\n")

    assert document.mark((0,)) == (2, 3)
    assert document.mark((0, "a")) == (2, 6)
    assert document.mark((0, "b", 1, "d")) == (5, 17)
    assert document.mark((0, "b", 1, "d"), key=True) == (5, 14)
    assert document.mark((0, "b", 9, "d")) == (4, 5)  # the nearest value around it
    assert path_text((0, "b", 1, "d")) == "[0].b[1].d"


REFUSED = {
    "yes": ("a: yes\n", "1:4: a=yes: text or a truth value"),
    "Off": ("- Off\n", "1:3: [0]=Off: text or a truth value"),
    "True": ("a: True\n", "1:4: a=True: text or a truth value"),
    "octal": ("a: 010\n", "1:4: a=010: an octal number to some readers"),
    "octal 1.2": ("a: 0o10\n", "1:4: a=0o10: an octal number to some readers"),
    "underscores": ("a: 1_000\n", "1:4: a=1_000: a number with underscores"),
    "base 60": ("a: 1:30\n", "1:4: a=1:30: a number in base 60"),
    "float": ("a: 2026.10\n", "1:4: a=2026.10: a floating-point number"),
    "exponent": ("a: 1e3\n", "1:4: a=1e3: a floating-point number"),
    "infinity": ("a: .inf\n", "1:4: a=.inf: a floating-point number"),
    "binary": ("a: 0b101\n", "1:4: a=0b101: a number to some readers"),
    "empty": ("a:\nb: 1\n", "1:3: a: empty: give a value or leave the field out"),
    "null": ("a: null\n", "1:4: a=null: empty"),
    "tilde": ("a: ~\n", "1:4: a=~: empty"),
    "long integer": ("a: 1" + "0" * 200 + "\n", "1:4: a=1000"),
    "duplicate key": ("a: 1\nb: 2\na: 3\n", "3:1: a: given twice; the first is in line 1"),
    "duplicate inside": ("x:\n  - {a: 1, a: 2}\n", "2:12: x[0].a: given twice; the first is in line 2"),
    "number as key": ("x: {1: 2}\n", "1:5: x=1: text as a key"),
    "truth as key": ("x: {on: 2}\n", "1:5: x=on: text or a truth value"),
    "list as key": ("? [a, b]\n: 1\n", "1:3: file=a list or mapping: text as a key"),
    "mapping as key": ("{a: 1}: 2\n", "1:1: file=a list or mapping: text as a key"),
    "anchor": ("a: &x [1]\n", "1:4: a=&x: no anchor and no tag"),
    "alias": ("a: &x 1\nb: *x\n", "2:4: b=*x: no alias"),
    "tag": ("a: !!python/object:os.system x\n", "1:4: a=tag:yaml.org,2002:python/object:os.system: no anchor and no tag"),
    "tag str": ("a: !!str 1\n", "1:4: a=tag:yaml.org,2002:str: no anchor and no tag"),
    "tab": ("a:\n\tb: 1\n", "2:1: line=a tab: spaces"),
    "tab inside": ("a: b\tc\n", "1:5: line=a tab: spaces"),
    "two documents": ("a: 1\n---\nb: 2\n", "2:1: file=a second document: one document per file"),
    "no YAML": ("a: [1, 2\nb: 3\n", "2:2: file: not readable as YAML"),
    "unknown escape": ('a: "\\q"\n', "1:5: file: not readable as YAML"),
    "bad bytes": (b"a: b\nc: \xff\n", "2:4: file=byte 0xff: UTF-8 text"),
    "utf-16": ("a: b\n".encode("utf-16"), "1:1: file=byte 0xff: UTF-8 text"),
    "NUL": (b"a: b\x00\n", "1:5: file=U+0000: text without control characters"),
    "escape sequence": ("a: \x1b[31m\n", "1:4: file=U+001B: text without control characters"),
    "deep": ("[" * 40 + "]" * 40, "nested deeper than 16 levels"),
    "unknown directive": ("%YAML 3.0\n---\na: 1\n", "not readable as YAML"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_readers_disagree_about_is_refused(name):
    text, message = REFUSED[name]

    problems = [str(item) for item in read(text).problems]

    assert any(message in line and line.startswith("f.yml:") for line in problems), problems


def test_one_refused_value_does_not_hide_another():
    document = read("a: yes\nb: 010\nc: 1\nc: 2\nd: *x\n")

    assert [item.line for item in document.problems] == [1, 2, 4, 5]
    assert document.data["c"] == 1


def test_what_was_refused_is_not_reported_again_by_the_models(tree):
    tree.change("revision: 1\n  status: active", "revision: 1_0\n  status: active")

    assert tree.problems() == [
        "evidence/claims/tdm.yml:17:13: [0].revision=1_0: a number with underscores to some readers: write plain digits, or quote it as text"
    ]


def test_an_alias_bomb_costs_nothing():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    document = read("\n".join(lines))

    # Written out, the last of them would hold 9 to the 12th of an x.
    assert len(document.problems) >= 12 and len(repr(document.data)) < 10_000


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_ends_in_messages(opening):
    document = read(opening * 20_000)

    assert document.problems
    assert len(document.problems) < 10


def test_a_huge_file_is_refused_unread():
    assert "at most" in str(read(b"x" * (MAX_BYTES + 1)).problems[0])


@given(st.text(alphabet=st.sampled_from(list("ab:-[]{}!&*'\"|>%@#?,\n \t0x1é~<=\\")), max_size=60))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_no_text_makes_the_reader_raise(text):
    document = read(text)

    assert document.problems or isinstance(document.data, (str, int, list, dict, type(None)))


@given(st.binary(max_size=80))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_no_bytes_make_the_reader_raise(content):
    read(content)


WRONG_SHAPES = ["", "x\n", "[]\n", "{}\n", "- x\n", "- [x]\n", "- {}\n", "- {id: [x]}\n", "- {id: 7}\n", "- id: TDM-001\n  values: [1]\n",
    "- id: TDM-001\n  evidence: {source: BOOK}\n", "- id: TDM-001\n  positions: yes\n", "- id: TDM-001\n  values: {gfx1250: 3}\n",
    "- id: TDM-001\n  targets: {gfx1250: 3}\n", "- id: TDM-001\n  targets: [[gfx1250]]\n", "- id: TDM-001\n  evidence: [x, 1, [y]]\n",
    "- id: TDM-001\n  evidence: [{source: BOOK, pin: [x]}]\n", "- {id: TDM-001, reading: x, withdrawn: x, reviews: x, superseded_by: {a: b}}\n"]  # fmt: skip


@pytest.mark.parametrize("text", WRONG_SHAPES)
@pytest.mark.parametrize("file", ["evidence/claims/other.yml", "evidence/sources/other.yml"])
def test_wrong_shapes_give_messages_and_no_traceback(tree, file, text):
    tree.write(file, text)
    empty_chapter = text in ("", "[]\n") and "claims" in file

    assert (tree.problems() == []) == empty_chapter
