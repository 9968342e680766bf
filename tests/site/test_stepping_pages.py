# SPDX-License-Identifier: Apache-2.0
"""Steppings and neighbours on pages and in the published data: shown at the target, at a position, and found by the filter."""

import re

import jsonschema
import markdown
import pytest
import small

pytest.importorskip("material", reason="the extra `site` is not installed")

from cdna_evidence import export  # noqa: E402
from cdna_evidence.register import load  # noqa: E402
from cdna_evidence.site import pages, schemas  # noqa: E402
from cdna_evidence.site.content import Content  # noqa: E402
from cdna_evidence.site.extension import ClaimsExtension  # noqa: E402


@pytest.fixture
def content(tmp_path):
    """The small register, with a neighbour, a position of one stepping, and a claim about A0."""
    small.register(tmp_path)
    chapter = tmp_path / "evidence/claims/test.yml"
    text = chapter.read_text("utf-8")
    first, second = text.split("- id: TST-002")
    third = first.replace("TST-001", "TST-003", 1).replace("test.plain", "test.first", 1)
    third = third.replace("targets: [gfx1250]", "targets: {gfx1250: {stepping: [A0]}}").replace("TST-002", "TST-001")
    first = first.replace("targets: [gfx1250]", "targets: [gfx1250, gfx1251]")
    first = first.replace("{gfx1250: {number: 7}}", "{gfx1250: {number: 7}, gfx1251: {number: 8}}")
    second = second.replace("{name: second,", "{name: second, stepping: [B0],")
    chapter.write_text(first + "- id: TST-002" + second + third, "utf-8")
    return Content(load(tmp_path))


@pytest.fixture
def html(content):
    def made(path):
        text = dict(pages.generated(content))[path]
        body = text.split("---\n", 2)[2] if text.startswith("---") else text
        return markdown.Markdown(extensions=[ClaimsExtension(content, path), "tables", "toc"]).convert(body)

    return made


def test_the_page_of_a_claim_says_which_stepping_it_is_about(html):
    assert "gfx1250 (stepping A0), revision 2" in html("claims/TST-003.md")
    assert "stepping" not in html("claims/TST-001.md")


def test_a_position_of_one_stepping_says_so_at_once_and_below(html):
    page = html("claims/TST-002.md")
    assert re.search(r"<li><strong>Stepping B0: </strong>It is 2\.", page)
    assert re.search(r">second</strong>, stepping B0 only", page)
    assert ">first</strong> (this project reads it so)" in page


def test_a_neighbour_is_called_one_and_has_a_column_of_its_own(html):
    page = html("claims/TST-001.md")
    assert "gfx1250, gfx1251 (neighbour of gfx1250)" in page
    assert "7 (gfx1250), 8 (gfx1251)" in page
    assert re.search(r"<th[^>]*>gfx1250</th>\s*<th[^>]*>gfx1251</th>", page)


def test_the_filter_finds_steppings_and_neighbours(content):
    text = markdown.Markdown(extensions=[ClaimsExtension(content, "index.md")]).convert("::claim-index")
    rows = re.findall(r'data-words="([^"]*)"', text)
    words = {row.split()[0]: row for row in rows}
    assert "stepping a0" in words["tst-003"] and "stepping b0" in words["tst-002"]
    assert "gfx1251" in words["tst-001"] and "neighbour" in words["tst-001"]
    assert "stepping" not in words["tst-001"] and "neighbour" not in words["tst-002"]


def test_published_claims_carry_steppings(content):
    first, second, third = [export.claim_record(claim) for claim in content.register.claims.values()]
    assert [position["stepping"] for position in second["positions"]] == [[], ["B0"]]
    assert third["conditions"] == {"gfx1250": {"stepping": ["A0"]}} and first["conditions"] == {}
    assert first["targets"] == ["gfx1250", "gfx1251"]
    position = schemas._claim()["positions"]["items"]
    for item in second["positions"]:
        jsonschema.validate(item, position)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**second["positions"][1], "stepping": "B0"}, position)


def test_a_list_of_claims_carries_them_too(content):
    entries = [export.claim_entry(claim, []) for claim in content.register.claims.values()]
    assert [entry["steppings"] for entry in entries] == [[], ["B0"], ["A0"]]
