# SPDX-License-Identifier: Apache-2.0
"""Loading: what a register holds, how the work grows, and that ours is right."""

import itertools
import sys
from pathlib import Path

import pytest

from cdna_evidence.register import RegisterError, ledger, load, load_all
from cdna_evidence.register.target_names import written

ROOT = Path(__file__).resolve().parents[2]


def test_a_register_holds_claims_sources_and_vectors_in_order(tree):
    tree.write("evidence/vectors/words.json", '{"origin": "somebody", "vectors": []}')
    register = load(tree.root)

    assert list(register.claims) == ["TDM-001", "TDM-002"]
    assert list(register.sources) == ["BOOK", "MANUAL"]
    assert register.vectors == {"words": {"origin": "somebody", "vectors": []}}
    claim = register.claims["TDM-001"]
    assert (claim.file, claim.line, claim.chapter) == ("evidence/claims/tdm.yml", 3, "tdm")
    assert (claim.targets, claim.conditions) == (["gfx1250"], {})
    assert [name for name in register.chapters()] == ["tdm"]


def test_claims_are_found_by_id_key_and_old_key(tree):
    tree.change("key: tdm.count", "key: tdm.count\n  was: [tdm.how-many]")
    register = load(tree.root)

    assert {register.by_key(name).id for name in ("TDM-002", "tdm.count", "tdm.how-many")} == {"TDM-002"}
    with pytest.raises(KeyError):
        register.by_key("tdm")


def test_evidence_knows_how_it_was_read_and_its_pin(tree):
    tree.change("via: BOOK, ", "")
    register = load(tree.root)
    first, second = register.claims["TDM-001"].evidence
    (third,) = register.claims["TDM-002"].positions[0].evidence

    assert (first.access, first.pin, third.access) == ("unread", None, "read")
    assert second.pin == {
        "name": "table-one",
        "repository": "https://example.org/repo",
        "commit": "0123456789abcdef0123456789abcdef01234567",
        "path": "docs/manual.txt",
        "lines": [10, 24],
        "must_contain": ["pad_interval"],
    }
    assert [(claim.id, position) for claim, position, _ in register.citing("BOOK")] == [("TDM-002", "must-be-one"), ("TDM-002", "any-number")]


def test_steppings_are_kept(tree):
    tree.change("targets: [gfx1250]", "targets: {gfx1250: {stepping: [B0]}}")
    claim = load(tree.root).claims["TDM-001"]

    assert (claim.targets, claim.conditions) == (["gfx1250"], {"gfx1250": {"stepping": ["B0"]}})
    assert claim.steppings == ["B0"]


def test_a_position_may_speak_of_one_stepping(tree):
    tree.change("targets: [gfx942, gfx950]", "targets: [gfx950]")
    tree.change("values: {gfx942: {one: 1}, gfx950: {one: 1}}", "values: {gfx950: {one: 1}}")
    tree.change("values: {gfx942: {one: 3}, gfx950: {one: 7}}", "values: {gfx950: {one: 7}}")
    plain = ledger.checksum(load(tree.root).claims["TDM-002"])
    tree.change("says: It may be up to {one}.", "says: It may be up to {one}.\n      stepping: [A0, B1]")
    claim = load(tree.root).claims["TDM-002"]

    assert [position.stepping for position in claim.positions] == [[], ["A0", "B1"]]
    assert claim.steppings == ["A0", "B1"] and claim.conditions == {}
    assert ledger.checksum(claim) != plain, "a limit is part of the meaning"


def test_a_neighbour_is_named_beside_its_target(tree):
    tree.change("targets: [gfx1250]", "targets: [gfx1250, gfx1251]")
    tree.change("values: {gfx1250: {dwords: [2, 4, 8]}}", "values: {gfx1250: {dwords: [2, 4, 8]}, gfx1251: {dwords: [2, 4, 16]}}")
    claim = load(tree.root).claims["TDM-001"]

    assert written(claim.targets_given) == "gfx1250, gfx1251 (neighbour of gfx1250)"
    assert written({"gfx950": None, "gfx1250": {"stepping": ["A0", "B0"]}}) == "gfx950, gfx1250 (steppings A0, B0)"
    assert claim.statement_text() == "The smallest code pads after 2 DWORDs and the largest after 8 (gfx1250), 16 (gfx1251)."


def test_what_is_right_loads_beside_what_is_not(tree):
    tree.change("status: active", "status: activ")
    register, problems = load_all(tree.root)

    assert list(register.claims) == ["TDM-002"]
    assert len(problems) == 1
    with pytest.raises(RegisterError):
        load(tree.root)


def test_our_register_is_right_and_agrees_with_its_ledger():
    register = load(ROOT)

    assert [str(item) for item in ledger.ledger_problems(register)] == []
    assert len(register.claims) > 60


def test_twice_the_claims_are_twice_the_work(tree):
    """Counted in calls of functions, which are the same on every machine and under every load."""
    chapter = tree.read()

    def calls(copies):
        for number in range(copies):
            text = chapter.replace("id: TDM-00", f"id: TDM-{number + 10}").replace("key: tdm.", f"key: tdm.n{number}.")
            tree.write(f"evidence/claims/tdm{number}.yml", text)
        count = itertools.count()
        sys.setprofile(lambda *_: next(count))
        try:
            register = load(tree.root)
        finally:
            sys.setprofile(None)
        assert len(register.claims) == 2 * copies
        return next(count)

    (tree.root / tree.chapter).unlink()
    tree.change("claims: [TDM-001]", "claims: [TDM-101]", tree.manual)
    calls(1)  # the first time imports and compiles
    once = calls(20)
    assert calls(40) < 2.1 * once


@pytest.mark.parametrize("broken", ["\tkey: tdm.pad.interval", '  key: "tdm.pad.interval', "  key: &a tdm.pad.interval"])
def test_a_file_that_is_no_yaml_is_one_problem(tree, broken):
    """Its ids are still known: what names them elsewhere, as an erratum does, is not reported as well."""
    tree.change("  key: tdm.pad.interval", broken)
    with pytest.raises(RegisterError) as error:
        load(tree.root)

    assert len(error.value.problems) == 1
    assert error.value.problems[0].file == "evidence/claims/tdm.yml"


@pytest.mark.parametrize("content", ["", "- 1\n", "key: OTHER\n"])
def test_a_source_file_that_holds_no_source_is_said_in_that_file_only(tree, content):
    tree.write("evidence/sources/manual.yml", content)
    with pytest.raises(RegisterError) as error:
        load(tree.root)

    assert {problem.file for problem in error.value.problems} == {"evidence/sources/manual.yml"}


def test_a_claim_of_a_wrong_shape_has_its_other_problems_told_as_well(tree):
    """All at once: a wrong layer does not hide an unknown source and a number in the statement."""
    tree.change("layer: isa\n  statement: >-\n    The smallest", "layer: hardware\n  statement: >-\n    The smallest")
    tree.change("source: MANUAL, locator: table 63", "source: MANUEL, locator: table 63")
    tree.change("The smallest code pads", "The smallest of 8 codes pads")
    with pytest.raises(RegisterError) as error:
        load(tree.root)

    assert [problem.field for problem in error.value.problems] == ["layer", "statement", "evidence[0].source"]


def test_text_that_would_be_shown_in_another_order_is_refused(tree):
    """A direction override makes a reviewer see another statement than the one that is checked."""
    tree.change("title: The interval is a code", "title: The interval \u202e is a code")
    with pytest.raises(RegisterError) as error:
        load(tree.root)

    assert [(problem.line, problem.given) for problem in error.value.problems] == [(5, "U+202E")]
