# SPDX-License-Identifier: Apache-2.0
"""The questions about gfx1250 on a page: met ones link their claims, open ones say what would settle them; and the slots after a WMMA."""

import re

import markdown
import pytest
import small

pytest.importorskip("material", reason="the extra `site` is not installed")

from cdna_evidence.register import load  # noqa: E402
from cdna_evidence.site import scope_page  # noqa: E402
from cdna_evidence.site.content import Content  # noqa: E402
from cdna_evidence.site.extension import ClaimsExtension, SiteError  # noqa: E402

ROWS = """\
- {id: a.met, area: waits, say: "which counter", want: [compiler], state: met, by: [TST-001]}
- {id: b.open, area: waits, say: "how long", want: [record], state: open, settles: "a run of `x` on a device"}
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    content = Content(small.register(tmp_path))
    monkeypatch.setattr(scope_page.settings, "root", lambda: tmp_path)

    def made(text, rows=ROWS):
        (tmp_path / "evidence" / "scope-gfx1250.yml").write_text(rows, "utf-8")
        return markdown.Markdown(extensions=[ClaimsExtension(content, "cdna/page.md")]).convert(text)

    return made


def test_open_rows_say_what_would_settle_them(page):
    html = page("::scope open")
    assert "how long" in html and "a run of <code>x</code> on a device" in html
    assert "which counter" not in html
    assert "Of 2 questions 1 are open and 1 are met." in html


def test_met_rows_link_their_claims(page):
    html = page("::scope met")
    assert 'href="../claims/TST-001.md"' in html
    assert "how long" not in html


def test_both_have_a_column_for_the_state(page):
    html = page("::scope")
    assert re.findall(r'<td data-label="state">(\w+)</td>', html) == ["met", "open"]


@pytest.mark.parametrize(
    "row",
    [
        "{id: c, say: x, state: open}",
        "{id: c, say: x, state: met, by: []}",
        "{id: c, say: x, state: maybe, by: [TST-001]}",
    ],
)
def test_a_row_of_no_state_is_refused(page, row):
    with pytest.raises(ValueError, match="c: state="):
        page("::scope", rows=f"- {row}\n")


def test_an_unknown_claim_or_word_is_refused(page):
    with pytest.raises(SiteError, match="TST-999"):
        page("::scope", rows=ROWS.replace("TST-001", "TST-999"))
    with pytest.raises(ValueError, match="::scope shut"):
        page("::scope shut")


def test_slots_are_those_of_the_claims():
    """The claims' numbers are what a compiler inserted; the table shows the model's."""
    content = Content(load())
    html = markdown.Markdown(extensions=[ClaimsExtension(content, "cdna/page.md")]).convert("::wmma-slots")
    rows = {}
    for row in re.findall(r"<tr>(.*?)</tr>", html.split("<tbody>")[1], re.S):
        name = re.sub(r"<[^>]+>", "", row.split("</th>")[0]).strip()
        rows[name] = [int(number) for number in re.findall(r"<strong>(\d+)</strong>", row)]
    read = content.claim("WMMA-051").values["gfx1250"]["slots"]
    next_input = content.claim("WMMA-050").values["gfx1250"]["slots"]
    chain = content.claim("WMMA-054").values["gfx1250"]["slots"]["exact"]
    for name, kind in (
        ("FP16, BF16", "dense"),
        ("FP8 with K of 128", "dense"),
        ("integers, iu8", "dense_wide"),
        ("SWMMAC", "sparse"),
        ("SWMMAC of integers", "sparse_wide"),
    ):
        assert rows[name] == [read[kind], read[kind], next_input[kind], chain]
    guide = content.claim("GFX-011").values["gfx1250"]
    for name, asks in (("FP16, BF16", guide["vector"]["f16"]), ("FP8 with K of 128", guide["three"]["vector"]["fp8_k128"])):
        cell = html.split(f">{name}<")[1].split("</td>")[0]
        assert cell.endswith(f">{asks}, {asks + 1} before A, B")


def test_versions_show_what_compilers_answer_differently():
    html = markdown.Markdown(extensions=[ClaimsExtension(Content(load()), "cdna/page.md")]).convert(
        "::versions gfx1250"
    )
    head = re.findall(r'<th scope="col">(.*?)</th>', html)
    lds = html.split("Largest static LDS array")[1].split("</tr>")[0]
    answers = dict(re.findall(r'<td data-label="([^"]+)">([^<]*)</td>', lds))
    # LLVM 21.1.0 gave gfx1250 the limit of older targets, LLVM 22 its own; LLVM 20 does not know it.
    assert answers["LLVM 21.1.0"] == "65536"
    assert answers["LLVM 22.1.8"] == "327680"
    assert len(head) == len(set(head))
    assert [name for name in head if name.startswith(("LLVM 18", "LLVM 19", "LLVM 20"))] == []
    with pytest.raises(ValueError, match="::versions gfx9"):
        markdown.Markdown(extensions=[ClaimsExtension(Content(load()), "cdna/page.md")]).convert("::versions gfx9")
