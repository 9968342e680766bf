# SPDX-License-Identifier: Apache-2.0
"""Generated pages: they show what a run produced, and nothing more."""

import re

import markdown
import pytest
import small

pytest.importorskip("material", reason="the extra `site` is not installed")

from cdna_evidence.site import pages  # noqa: E402
from cdna_evidence.site.content import RUN_FACETS, Content  # noqa: E402
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
    assert "# A plain claim about `count` &amp; &lt;more>" in text


@pytest.mark.parametrize("kind", ["survivors", "not_here", "model_only", "exceptions"])
def test_what_falsify_left_over_is_named(tmp_path, kind):
    entry = {"claim": "TST-001", "target": "gfx1250", "position": None, "leaf": "number", "change": "7 -> 8", "why": "every check let it pass"}
    document = small.results(small.record())
    document["falsify"] = {"leaves": 1, "mutants": 3, "killed": 2, "survivors": [], "not_here": [], "model_only": [], "exceptions": [], "date": "2026-11-29"}
    document["falsify"][kind] = [entry]
    html = rendered(Content(small.register(tmp_path), document), "evidence.md", "::falsify")
    assert f'id="falsify-{kind}"' in html and "7 -&gt; 8" in html
