# SPDX-License-Identifier: Apache-2.0
"""Generated pages: they show what a run produced, and nothing more."""

import re

import markdown
import pytest
import small
import yaml

pytest.importorskip("material", reason="the extra `site` is not installed")

from cdna_evidence.site import claim_page, evidence_page, pages  # noqa: E402
from cdna_evidence.site.content import FACETS, RUN_FACETS, Content  # noqa: E402
from cdna_evidence.site.extension import ClaimsExtension  # noqa: E402

BADGE = re.compile(r'cdna-chip cdna-glyph cdna-g-(\w+)"')


def rendered(content, path, text):
    """The HTML of one page."""
    body = text.split("---\n", 2)[2] if text.startswith("---") else text
    return markdown.Markdown(extensions=[ClaimsExtension(content, path), "tables", "toc"]).convert(body)


def every(content):
    """{path: HTML} of all generated pages and of the parts that hand-written pages use."""
    found = {path: rendered(content, path, text) for path, text in pages.generated(content)}
    for part in ("claim-index", "source-index", "counts", "run", "tools", "outcomes", "falsify", "report"):
        found[part] = rendered(content, "index.md", f"::{part}")
    return found


def test_no_results_no_badge(tmp_path):
    content = Content(small.register(tmp_path), None)
    html = every(content)
    badges = {name for page in html.values() for name in BADGE.findall(page)}
    assert badges <= {"cited", "disputed"}
    assert [content.counts()[facet] for facet in RUN_FACETS] == [0, 0, 0, 0]
    assert "No run is recorded here" in html["run"]


def test_empty_results_are_no_results(tmp_path):
    assert Content(small.register(tmp_path), small.results()).results is None


def test_a_passed_model_check_gives_one_badge(tmp_path):
    content = Content(small.register(tmp_path), small.results(small.record()))
    page = every(content)["claims/TST-001.md"]
    assert "modelled" in BADGE.findall(page)
    assert not {"executed", "corroborated", "measured"} & set(BADGE.findall(page))
    assert content.counts()["modelled"] == 1
    for words in ("It is seven.", "Hardware.", "reference model", "passed", "cdna check TST-001"):
        assert words in page


def test_a_failed_check_is_shown_as_failed(tmp_path):
    failed = small.record(outcome="failed", reason="number: observed 8, published 7")
    content = Content(small.register(tmp_path), small.results(failed))
    page = every(content)["claims/TST-001.md"]
    assert "failed" in BADGE.findall(page) and "modelled" not in BADGE.findall(page)
    assert "observed 8, published 7" in page
    assert content.counts()["modelled"] == 0


def test_a_run_of_an_older_revision_is_no_badge(tmp_path):
    content = Content(small.register(tmp_path), small.results(small.record(revision=1)))
    page = every(content)["claims/TST-001.md"]
    assert "modelled" not in BADGE.findall(page)
    assert "older revision" in page


def test_a_claim_page_has_everything_a_reader_needs(tmp_path):
    content = Content(small.register(tmp_path), small.results(small.record()))
    content.uses = {"TST-002": [("tdm/a.md", "A chapter")]}
    page = every(content)["claims/TST-002.md"]
    order = ["Safe under every reading", 'cdna-statement"', "Sources differ", "Does not say", "cdna-facets", 'id="positions"', 'id="checks"']
    order += ['id="evidence"', 'id="used"', 'id="cite"', 'id="history"', 'id="report"']
    places = [page.index(word) for word in order]
    assert places == sorted(places)
    assert "this project reads it so" in page and "A chapter" in page and 'href="../report.md"' in page


def test_a_source_page_lists_errata_and_citing_claims(tmp_path):
    page = every(Content(small.register(tmp_path)))["sources/SRC-1.md"]
    assert "eight" in page and "nine" in page and "It is counted." in page
    assert "TST-001" in page and "TST-002" in page and "first" in page


def test_the_report_address_is_a_setting(tmp_path):
    content = Content(small.register(tmp_path), None, "https://example.org/issues")
    assert 'href="https://example.org/issues"' in every(content)["claims/TST-001.md"]


def test_titles_are_text(tmp_path):
    text = dict(pages.generated(Content(small.register(tmp_path))))["claims/TST-001.md"]
    heading = next(line for line in text.splitlines() if line.startswith("# "))
    assert " A plain claim about `count` &amp; &lt;more> " in heading
    # The search takes the heading for the title, so the id stands in it; its anchor stays that of the title.
    assert ">TST-001:<" in heading and heading.endswith("{ #a-plain-claim-about-count-more }")


def test_the_search_weighs_a_guide_above_what_stands_behind_it(tmp_path):
    weights = {}
    for path, text in pages.generated(Content(small.register(tmp_path))):
        meta = yaml.safe_load(text.split("---\n")[1])
        weights.setdefault((path.split("/")[0], path.endswith("index.md")), set()).add(meta.get("search", {}).get("boost", 1))
    assert weights["mfma", True] == weights["wmma", True] == {1}
    for kind in ("claims", "mfma", "wmma"):
        assert max(weights["sources", False]) < min(weights[kind, False]) <= max(weights[kind, False]) < 1


def test_the_search_looks_into_statement_sources_and_positions_only(tmp_path):
    page = every(Content(small.register(tmp_path), small.results(small.record())))["claims/TST-002.md"]
    found = dict(re.findall(r'<h2( data-search-exclude="[^"]*")? id="([\w-]+)"', page)[i][::-1] for i in range(page.count("<h2")))
    assert {name for name, left_out in found.items() if not left_out} == {"positions", "evidence"}


def test_what_is_the_same_for_several_places_is_said_once():
    def place(target, **states):
        return target, None, {facet: {"state": states.get(facet, "no"), "text": f"{facet} so" if facet in states else "nothing", "detail": ""} for facet in FACETS}

    same = claim_page._alike([place("gfx942", cited="yes"), place("gfx950", cited="yes")])
    assert [(names, where) for names, where, _ in same] == [
        ("cited", ["gfx942", "gfx950"]),
        ("modelled, executed, corroborated, measured", ["gfx942", "gfx950"]),
    ]
    differ = claim_page._alike([place("gfx942", cited="yes"), place("gfx950", cited="yes", executed="yes")])
    assert {names: where for names, where, _ in differ} == {
        "cited": ["gfx942", "gfx950"],
        "executed": ["gfx950"],
        "modelled, executed, corroborated, measured": ["gfx942"],
        "modelled, corroborated, measured": ["gfx950"],
    }


def test_a_kept_output_names_who_gave_it_and_with_what():
    kept = {
        "a": {"origin": "Triton", "source": "triton 3.9.0, layouts of section 6.2", "rows": [{"origin": "Triton", "source": "triton 3.9.0 again"}]},
        "b": [{"origin": "aiter", "source": "ROCm/aiter e4048607a535ace3a2b51ded31b1c8c2d45c0879 csrc/x.hpp"}, {"origin": "An article"}],
        "c": {"origin": "ml_dtypes", "program": {"package": "ml_dtypes 0.6.0"}},
    }
    assert evidence_page.origins(kept) == {
        "Triton": ["triton 3.9.0"],
        "aiter": ["ROCm/aiter e4048607a535"],
        "An article": [],
        "ml_dtypes": ["ml_dtypes 0.6.0"],
    }


@pytest.mark.parametrize("kind", ["survivors", "not_here", "model_only", "exceptions"])
def test_what_falsify_left_over_is_named(tmp_path, kind):
    entry = {"claim": "TST-001", "target": "gfx1250", "position": None, "leaf": "number", "change": "7 -> 8", "why": "every check let it pass"}
    document = small.results(small.record())
    document["falsify"] = {"leaves": 1, "mutants": 3, "killed": 2, "survivors": [], "not_here": [], "model_only": [], "exceptions": [], "date": "2026-11-29"}
    document["falsify"][kind] = [entry]
    html = rendered(Content(small.register(tmp_path), document), "evidence.md", "::falsify")
    assert f'id="falsify-{kind}"' in html and "7 -&gt; 8" in html
