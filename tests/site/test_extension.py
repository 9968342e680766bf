# SPDX-License-Identifier: Apache-2.0
"""The Markdown extension: what it writes, what it leaves alone, and what it refuses."""

import markdown
import pytest
import small

pytest.importorskip("material", reason="the extra `site` is not installed")

from cdna_evidence.site.content import Content  # noqa: E402
from cdna_evidence.site.extension import ClaimsExtension, SiteError  # noqa: E402


@pytest.fixture
def content(tmp_path):
    """The small register without results."""
    return Content(small.register(tmp_path))


@pytest.fixture
def render(content):
    """A function from Markdown to HTML, as the page tdm/page.md of a site would be rendered."""

    def go(text, page="tdm/page.md"):
        extension = ClaimsExtension(content, page)
        extensions = [extension, "pymdownx.superfences", "tables", "toc", "attr_list", "md_in_html"]
        return markdown.Markdown(extensions=extensions).convert(text)

    return go


def test_a_claim_in_a_sentence_is_its_statement_with_its_id(render):
    html = render("Before. [[claim:TST-001]] After.")
    assert "The field <code>count</code> holds 7 and *not* _more_." in html
    assert '<a class="cdna-id" data-claim="TST-001" href="../claims/TST-001.md">' in html.replace("'", '"') or (
        'href="../claims/TST-001.md"' in html and 'data-claim="TST-001"' in html
    )
    assert html.index("Before.") < html.index("The field") < html.index("After.")


def test_a_key_names_the_same_claim(render):
    assert 'data-claim="TST-001"' in render("[[claim:test.plain]]")


def test_a_disputed_claim_says_first_what_is_safe(render):
    html = render("[[claim:TST-002]]")
    assert html.index("Write nine.") < html.index("It is 1.")
    assert "disputed" in html


def test_links_are_written_from_the_page(render):
    assert 'href="claims/TST-001.md"' in render("[[see:TST-001]]", page="index.md")
    assert 'href="TST-001.md"' in render("[[see:TST-001]]", page="claims/index.md")


@pytest.mark.parametrize("text", ["`[[claim:NOPE-001]]`", "```\n[[claim:NOPE-001]]\n\n::claim NOPE-001\n```", "    ::claim NOPE-001"])
def test_code_is_left_alone(render, text):
    html = render(text)
    assert "NOPE-001" in html and "cdna-" not in html


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[[claim:NOPE-001]]", "unknown claim 'NOPE-001'"),
        ("[[see:]]", "unknown claim ''"),
        ("::claim NOPE-001", "unknown claim 'NOPE-001'"),
        ("::claim TST-001\n\n::claim TST-001", "TST-001 stands twice"),
        ("Text\n::claim TST-001", "stands alone"),
        ("::fig nosuch | caption", "unknown figure 'nosuch'"),
        ("::fig ragged", "needs a caption"),
        ("::fig ragged wide=3 | caption", "unknown option wide"),
        ("::fig banks rows=999 | caption", "rows=999: 1..8"),
        ("::fig bits part=group9 | caption", "part=group9"),
    ],
)
def test_what_cannot_be_is_an_error_that_says_so(render, text, word):
    with pytest.raises(SiteError, match=word):
        render(text)


def test_a_cpp_name_is_not_a_directive(render):
    assert "::std::move" in render("::std::move")


def test_a_card_has_its_parts_in_order(render):
    html = render("::claim TST-002")
    order = ['id="TST-002"', "Safe under every reading", "It is 1.", "Does not say", "cdna-facets", "TST-002-positions", "TST-002-cite"]
    places = [html.index(word) for word in order]
    assert places == sorted(places)
    assert "<details" in html and " open" not in html.replace("open_", "")


def test_markup_in_the_register_stays_text(render):
    html = render("::claim TST-001")
    assert "A plain claim about <code>count</code> &amp; &lt;more&gt;" in html


def test_claims_named_in_a_boundary_are_links(render):
    assert 'href="../claims/TST-002.md">TST-002</a>' in render("::claim TST-001")


def test_small_cards_stand_once_each_at_the_end(render):
    html = render("[[claim:TST-001]] and [[see:TST-001]]")
    assert html.count("<template") == 1


def test_tables_scroll_inside_themselves(render):
    assert '<div aria-label="table" class="cdna-scroll"' in render("| a |\n|---|\n| b |") or "cdna-scroll" in render("| a |\n|---|\n| b |")


def test_uses_are_noted_outside_code(content):
    content.note_uses("tdm/a.md", "A", "[[claim:TST-001]] `[[claim:TST-002]]`\n\n```\n::claim TST-002\n```\n[[claim:NOPE-001]]")
    assert content.uses == {"TST-001": [("tdm/a.md", "A")]}
