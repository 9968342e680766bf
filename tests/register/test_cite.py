# SPDX-License-Identifier: Apache-2.0
"""Citations and exports: id, revision, evidence state and one address, everywhere the same."""

import json
import re

import pytest

from cdna_evidence import export, settings
from cdna_evidence.cite import FORMS, citation, citations, state_text
from cdna_evidence.register import ledger, load


def record(**changes):
    base = {"claim": "TDM-001", "revision": 1, "target": "gfx1250", "position": None, "check": "checks/compiler/check_x.py::X", "kind": "compiler",
            "witness": "clang", "version": "22.1.8", "outcome": "passed", "reason": None, "date": "2026-12-01", "cached": False, "origin": []}  # fmt: skip
    return {**base, **changes}


def results(*records):
    return {"schema": 1, "run": {"date": "2026-12-01T00:00:00Z"}, "records": list(records)}


@pytest.fixture
def claim(tree):
    return load(tree.root).claims["TDM-001"]


def test_every_form_has_id_revision_address_and_state(claim, monkeypatch):
    monkeypatch.setenv("CDNA_SITE_URL", "http://localhost:8000/sub")
    found = citations(claim, results(record()))

    assert tuple(found) == FORMS
    assert found["url"] == "http://localhost:8000/sub/claims/TDM-001/"
    for form in ("markdown", "rst", "bibtex", "comment"):
        assert found["url"] in found[form]
        assert "TDM-001 r1" in found[form]
        assert "clang 22.1.8" in found[form]
    assert "\n" not in found["comment"] + found["markdown"] + found["rst"]
    assert found["bibtex"].startswith("@misc{TDM-001-r1,\n")


def test_a_version_goes_into_the_address(claim, monkeypatch):
    monkeypatch.delenv("CDNA_SITE_VERSION", raising=False)
    assert citation(claim, "url", version="2026.12") == settings.site_url() + "2026.12/claims/TDM-001/"
    monkeypatch.setenv("CDNA_SITE_VERSION", "2027.01")
    assert citation(claim, "url") == settings.site_url() + "2027.01/claims/TDM-001/"
    assert citation(claim, "url", version="") == settings.site_url() + "claims/TDM-001/"


def test_titles_are_escaped_where_a_form_needs_it(tree):
    tree.change("title: The interval is a code", "title: 'tile_dim0 & 100% of *all* [x] {y}'")
    claim = load(tree.root).claims["TDM-001"]

    assert r"tile\_dim0 \& 100\% of *all* [x] \{y\}" in citation(claim, "bibtex")
    assert r"tile\_dim0 & 100% of \*all\* \[x\]" in citation(claim, "markdown")
    assert r"tile\_dim0 & 100% of \*all\*" in citation(claim, "rst")
    bibtex = re.sub(r"\\[{}]", "", citation(claim, "bibtex"))
    assert bibtex.count("{") == bibtex.count("}")


def test_another_form_is_refused(claim):
    with pytest.raises(ValueError, match="form=apa: url, markdown, rst, bibtex, comment"):
        citation(claim, "apa")


def test_the_state_says_only_what_a_run_found(tree):
    register = load(tree.root)
    claim, disputed = register.claims["TDM-001"], register.claims["TDM-002"]

    assert "checks not run here" in state_text(claim, None)
    assert "executed" not in state_text(claim, results())
    assert "executed (encoded so by clang 22.1.8)" in state_text(claim, results(record()))
    assert "executed" not in state_text(claim, results(record(revision=2)))
    assert state_text(claim, results(record(outcome="failed"))).startswith("check failed (executed)")
    assert state_text(disputed, results()).startswith("disputed; ")


def test_checks_of_another_revision_are_not_checks_of_this_one(claim):
    (item,) = export.Results(results(record(revision=2))).checks(claim)

    assert (item["outcome"], item["outdated"]) == ("untested", "ran against r2")


@pytest.mark.parametrize("document", [None, {}, {"records": None}, {"records": [1, None, {}]}, {"run": None, "records": [{"claim": "TDM-001"}]}])
def test_results_are_read_defensively(claim, document):
    found = export.Results(document)

    assert all(item["outcome"] is None for item in found.checks(claim))
    assert found.note


def test_claims_json_has_every_claim_with_texts_filled_and_a_checksum(tree):
    register = load(tree.root)
    document = json.loads(json.dumps(export.claims_document(register)))
    first, second = document["claims"]

    assert first["statement"] == "The smallest code pads after 2 DWORDs and the largest after 8."
    assert first["checksum"] == ledger.checksum(register.claims["TDM-001"])
    assert first["evidence"][0]["access"] == "via"
    assert second["safe"] == "Write count 1."
    assert [position["says"] for position in second["positions"]][1] == "It may be up to 3 (gfx942), 7 (gfx950)."
    assert "{" not in first["statement"] + second["statement"]


def test_sources_json_names_who_cites(tree):
    document = json.loads(json.dumps(export.sources_document(load(tree.root))))

    assert {item["key"]: item["cited_by"] for item in document["sources"]} == {"BOOK": ["TDM-001", "TDM-002"], "MANUAL": ["TDM-001"]}
    assert document["sources"][1]["errata"][0]["claims"] == ["TDM-001"]


@pytest.mark.parametrize("url", ["ftp://x/", "https://", "https://a b/", "https://x/?q", "https://u@x/", "javascript:alert(1)"])
def test_an_address_that_is_none_is_refused(monkeypatch, url):
    monkeypatch.setenv("CDNA_SITE_URL", url)

    with pytest.raises(ValueError, match="CDNA_SITE_URL="):
        settings.site_url()


def test_the_root_is_the_clone_that_one_stands_in(tree, monkeypatch):
    monkeypatch.chdir(tree.root / "evidence" / "claims")

    assert settings.root() == tree.root
    assert settings.results_path() == tree.root / "build" / "results.json"
