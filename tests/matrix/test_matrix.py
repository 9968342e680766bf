# SPDX-License-Identifier: Apache-2.0
"""The compiler matrix: kept answers against published ones, what is read off assembly, and what counts as news."""

import json
import platform
import re
import sys

import pytest

from cdna_evidence.cli import main
from cdna_evidence.matrix import code, columns, run, table
from cdna_evidence.matrix.questions import ALL, CHANGES, QUESTIONS, STATES, Cell, Question, change_of, put
from cdna_evidence.register import load
from cdna_evidence.witnesses import Missing
from cdna_evidence.witnesses.cache import Cache

# Measured apart from this code, each compiler by hand: clang of the ziglang wheels, version by version.
BY_HAND = {
    ("lds-limit", "gfx942"): ["65536"] * 5,
    ("lds-limit", "gfx950"): [None, None, "163840", "163840", "163840"],
    ("lds-limit", "gfx1250"): [None, None, None, "65536", "327680"],
    ("lds-granule", "gfx942"): ["512"] * 5,
    ("lds-granule", "gfx950"): [None, None, "2048", "2048", "2048"],
    ("lds-granule", "gfx1250"): [None, None, None, "512", "2048"],
    ("direct-builtin", "gfx942"): ["rejected", *["1, 2, 4"] * 4],
    ("direct-builtin", "gfx950"): [None, None, *["1, 2, 4, 12, 16"] * 3],
    ("e-flags", "gfx942"): ["0x54c"] * 5,
    ("e-flags", "gfx950"): [None, None, "0x54f", "0x54f", "0x54f"],
    ("e-flags", "gfx1250"): [None, None, None, "0x449", "0x549"],
    ("d-to-a", "gfx942"): ["7"] * 5,
    ("d-to-a", "gfx950"): [None, None, "8", "8", "8"],
    ("d-to-a-8", "gfx942"): ["11"] * 5,
    ("d-to-a-8", "gfx950"): [None, None, "12", "12", "12"],
    ("exact-c", "gfx942"): ["0"] * 5,
    ("self-chain", "gfx942"): ["2"] * 5,
    ("other-opcode", "gfx950"): [None, None, "0", "0", "0"],
    ("async-b128", "gfx1250"): [None, None, None, "rejected", "accepted"],
    ("has-tdm", "gfx1250"): [None, None, None, "rejected", "rejected"],
    ("permlane16-swap", "gfx1250"): [None, None, None, "rejected", "accepted"],
    ("transpose", "gfx950"): [None, None, "accepted", "accepted", "accepted"],
    ("dpp8", "gfx942"): ["rejected"] * 5,
}
CLANGS = ("clang-18", "clang-19", "clang-20", "clang-21", "clang-22")


@pytest.fixture(scope="module")
def kept():
    """The kept answers."""
    return table.load()


@pytest.mark.parametrize(("name", "target"), BY_HAND)
def test_kept_answers_are_those_found_by_hand(kept, name, target):
    row = next(row for row in kept.rows if (row.question.name, row.target) == (name, target))
    cells = dict(zip([column.name for column in kept.columns], row.cells, strict=True))
    told = [None if cells[clang]["state"] == "unknown-cpu" else table.answer(cells[clang]) for clang in CLANGS]
    assert told == BY_HAND[name, target]


def test_every_column_has_answers_with_version_digest_and_date(kept):
    assert [column.name for column in kept.columns] == list(columns.NAMES)
    for column in kept.columns:
        told = kept.answers[column.name]
        assert len(told["digest"]) == 64 and told["date"] and told["package"]
        major = re.search(r"LLVM (\d+)", column.title).group(1)
        assert told["version"].split(".")[0] == major


def test_every_question_has_a_cell_in_every_column_and_most_tell_something(kept):
    for row in kept.rows:
        assert all(cell is not None and cell["state"] in STATES for cell in row.cells)
        told = [cell for cell in row.cells if cell["state"] not in table.SILENT]
        assert len(told) >= 2, row.question.name
        assert all(cell["asked"] for cell in told)


def test_every_question_names_a_claim_of_the_register_and_of_its_target():
    register = load()
    for question in QUESTIONS:
        for target, claim in question.claims.items():
            assert claim in register.claims, f"{question.name}: {claim}"
            assert target in ALL


def test_a_compiler_asked_again_says_what_is_kept(kept, tmp_path):
    cache = Cache(tmp_path)
    for name in ("clang-22", "llvmlite-22"):
        column = columns.COLUMNS[columns.NAMES.index(name)]
        again = run.ask(column, cache)
        for question, row in again["cells"].items():
            for target, cell in row.items():
                held = kept.answers[name]["cells"][question][target]
                assert (cell["state"], cell["value"]) == (held["state"], held["value"]), (name, question, target)
        # The kept answers are those of the wheels for this platform.
        if (sys.platform, platform.machine()) == ("linux", "x86_64"):
            assert again["digest"] == kept.answers[name]["digest"]


def test_news_tells_that_gfx1250_was_half_finished(kept):
    news = {(item.row.question.name, item.row.target, item.after.name): item for item in kept.news()}
    item = news["lds-limit", "gfx1250", "llvmlite-22"]
    assert (item.before.name, item.old, item.new) == ("clang-21", "65536", "327680")
    assert "half finished" in item.change["text"]
    assert not any(name == "d-to-a" for name, _, _ in news)


def test_a_change_that_no_version_shows_yet_is_told_of_its_row_and_of_no_difference(kept):
    assert change_of("look-back", "gfx950")["link"].endswith("/222040")
    assert change_of("look-back", "gfx942") is None and change_of("look-back", "gfx950", "clang-22") is None
    # The rule asks for 20 and LLVM 22.1.8 leaves it at 19; a version that has the change makes this fail.
    row = next(row for row in kept.rows if (row.question.name, row.target) == ("look-back", "gfx950"))
    assert {table.answer(cell) for cell in row.cells if cell["state"] == "value"} == {"19"}


def test_a_change_names_questions_and_columns_that_exist():
    names = {question.name for question in QUESTIONS}
    for change in CHANGES:
        assert set(change["questions"]) <= names and set(change["after"]) <= set(columns.NAMES)


def made(states):
    """A table of one row with these answers of the LLVM columns; None is a CPU that is not known."""
    question = Question("q", "t", "", {"gfx950": "TDM-001"}, None)
    held = [column for column in columns.COLUMNS if column.line == "LLVM"][: len(states)]
    cells = tuple(
        {"state": "unknown-cpu" if state is None else "value", "value": state, "note": "", "asked": []}
        for state in states
    )
    return table.Table(tuple(held), {}, (table.Row(question, "gfx950", "TDM-001", cells),))


@pytest.mark.parametrize(
    ("states", "news", "since"),
    [
        (["a", "a", "a"], 0, ("a", 0, 2, None)),
        (["a", "b", "b"], 1, ("b", 1, 2, "a")),
        ([None, "a", "a"], 0, ("a", 1, 2, None)),
        (["a", None, "b"], 1, ("b", 2, 2, "a")),
        (["a", "b", "a"], 2, ("a", 2, 2, "b")),
    ],
)
def test_since_and_until(states, news, since):
    found = made(states)
    assert len(found.news()) == news
    now, first, last, _, old = found.since(found.rows[0])
    assert (now, found.columns.index(first), found.columns.index(last), old) == since


def test_a_row_that_nobody_answered_has_no_since():
    found = made([None, None])
    assert found.since(found.rows[0]) is None and found.news() == []


ASSEMBLY = """
k:
\tv_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11] ; comment v0
\ts_nop 4
.Lfill:
\tv_mov_b32_e32 v20, v21
\tv_add_f32_e32 v30, 1.0, {reader}
\ts_endpgm
"""


@pytest.mark.parametrize(("reader", "states"), [("v0", 6), ("v3", 6)])
def test_distance_counts_every_instruction_and_n_plus_one_for_a_nop(reader, states):
    assert code.distance(ASSEMBLY.format(reader=reader)) == states


@pytest.mark.parametrize("reader", ["v4", "v40", "a0", "s0"])
def test_distance_needs_a_reader_of_the_result(reader):
    with pytest.raises(ValueError, match="reads the result"):
        code.distance(ASSEMBLY.format(reader=reader))


def test_what_cannot_be_asked_is_not_run():
    class Nothing:
        pass

    for question in QUESTIONS:
        for target in question.claims:
            cell = put(question, Nothing(), target)
            assert isinstance(cell, Cell) and cell.state == "not-run" and cell.note


def test_answers_survive_folding(tmp_path):
    entry = {"input": "i", "outcome": "accepted", "output": "o", "command": "c"}
    cells = {"q": {"gfx950": {"state": "value", "value": "1", "note": "", "asked": [entry, entry]}}}
    answers = {
        "witness": "w",
        "version": "1",
        "revision": None,
        "digest": "d",
        "package": "p",
        "date": "x",
        "cells": cells,
    }
    file = tmp_path / "matrix.json"
    run.write(run.merge(run.read(file), {"clang-22": answers}), file)
    document = run.read(file)
    assert run.unfold(document, "clang-22") == answers
    assert sorted(document["texts"].values()) == ["accepted", "c", "i", "o"]
    again = run.merge(document, {"clang-21": answers})
    assert list(again["columns"]) == ["clang-21", "clang-22"] and run.unfold(again, "clang-22") == answers


def test_the_command_prints_the_kept_table(capsys):
    assert main(["matrix", "--json", "--versions", "clang-21,22.1.8"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == 1 and document["command"] == "matrix"
    assert [column["name"] for column in document["result"]["columns"]] == ["clang-21", "clang-22"]
    row = next(
        row for row in document["result"]["rows"] if (row["question"], row["target"]) == ("lds-limit", "gfx1250")
    )
    assert {name: cell["value"] for name, cell in row["cells"].items()} == {"clang-21": "65536", "clang-22": "327680"}
    assert main(["matrix"]) == 0 and "* differs" in capsys.readouterr().out


def test_wrong_use_is_told_in_one_line(capsys):
    for words in (["--versions", "clang-99"], ["--fetch", "nothing"], ["--nonsense"]):
        assert main(["matrix", *words]) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_a_version_asked_for_by_name_that_is_not_here_cannot_be_told(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(columns, "folder", lambda column: tmp_path / "nothing")
    assert main(["matrix", "--run", "--versions", "clang-21"]) == 3
    assert "cdna matrix --fetch clang-21" in capsys.readouterr().err


def test_a_debian_compiler_cannot_be_fetched():
    with pytest.raises(Missing, match="no Python package"):
        columns.fetch(columns.COLUMNS[columns.NAMES.index("debian-22")])
