# SPDX-License-Identifier: Apache-2.0
"""The pages of gfx1250's matrix instructions: one for each mnemonic, with a drawing and what is disputed."""

import xml.etree.ElementTree as ET

import pytest
from markdown import Markdown

from cdna_evidence.register import load_all
from cdna_evidence.site import wmma_pages
from cdna_evidence.site.content import Content
from cdna_evidence.site.extension import ClaimsExtension


def rendered(path, text, results=None):
    """Return a page's HTML as the site's Markdown extension writes it."""
    extension = ClaimsExtension(Content(load_all()[0], results or {}, None))
    extension.page = path
    return Markdown(extensions=[extension, "tables"]).convert(text.split("---\n", 2)[2])


def test_every_instruction_has_one_page():
    pages = dict(wmma_pages.generated())
    names = wmma_pages.mnemonics()
    assert len(names) == len(set(names)) and len(pages) == len(names) + 1
    assert all(wmma_pages.page_of(name) in pages for name in names)
    assert all(f"::wmma-instruction {name}\n" in pages[wmma_pages.page_of(name)] for name in names)


@pytest.mark.parametrize(
    "name, said",
    [
        ("v_wmma_f32_16x16x128_fp8_fp8", ["k 8 is drawn in lane 0", "runs-of-eight it is in lane 16", "WMMA-006"]),
        ("v_wmma_scale16_f32_32x16x128_f4", ["blocks of 16 along K", "two-bytes", "WMMA-014"]),
        ("v_swmmac_f32_16x16x128_fp8_fp8", ["as-dense it is in lane 16", "with-the-values", "and adds D of f32"]),
        ("v_wmma_bf16f32_16x16x32_bf16", ["adds C of f32 to a D of bf16", "in waves of 32 lanes"]),
        ("v_wmma_f32_16x16x16_f16", ["B lies as A does"]),
    ],
)
def test_page(name, said):
    page = dict(wmma_pages.generated())[wmma_pages.page_of(name)]
    html = rendered(wmma_pages.page_of(name), page)
    text = "".join(ET.fromstring(f"<x>{html}</x>").itertext()) if html.count("<svg") else ""
    assert html.count("<svg") >= 2
    for words in said:
        assert words in text or words in html


@pytest.mark.parametrize(
    "name, said",
    [
        # What LLVM's hazard pass gave to MIR: a vector read behind an integer product, a sparse one, a form of gfx12.
        ("v_wmma_i32_16x16x64_iu8", [("a vector instruction reads D", "8")]),
        ("v_swmmac_f32_16x16x64_f16", [("a vector instruction overwrites A or B", "2")]),
        ("v_wmma_f32_16x16x16_f16", [("a vector instruction reads D", "0"), ("A or B of a matrix instruction is D", "1")]),
        (
            "v_wmma_scale_f32_16x16x128_f8f6f4",
            [
                ("a vector instruction reads D, a side FP8 or BF8", "8, or 4"),
                ("a vector instruction reads D, FP6 or BF6 on a side, none FP8", "4"),
                ("a vector instruction reads D, FP4 on both sides", "4, or 1"),
            ],
        ),
    ],
)
def test_slots(name, said):
    rows = _slots(_page(name))
    for words, count in said:
        assert rows[words] == count


def test_the_index_marks_what_llvm_never_selects():
    html = rendered("wmma/index.md", dict(wmma_pages.generated())["wmma/index.md"])
    marked = [row for row in html.split("<tr") if "not selected" in row]
    names = [row.split("<code>")[1].split("</code>")[0] for row in marked]
    # The eleven dense and eleven sparse forms of gfx12 that WMMA-075's checks ask compilers for.
    assert len([name for name in names if name.startswith("v_wmma_")]) == 11 and len(names) == 22
    assert "v_wmma_f32_16x16x16_f16" in names and "v_wmma_f32_16x16x32_f16" not in names
    assert all("WMMA-075" in row for row in marked)


@pytest.mark.parametrize("name", ["v_wmma_i32_16x16x16_iu4", "v_swmmac_i32_16x16x64_iu4", "v_wmma_f32_16x16x4_f32"])
def test_forms_of_gfx12_have_slots_too(name):
    assert len(_slots(_page(name))) == len(wmma_pages.AFTER)


def test_c_is_never_exactly_a_narrower_result():
    assert not any("exactly" in words for words in _slots(_page("v_wmma_bf16f32_16x16x32_bf16")))


def test_compilers_are_named_only_after_a_run_that_passed():
    name = "v_wmma_f32_16x16x32_f16"
    record = {"claim": "WMMA-076", "target": "gfx1250", "position": None, "kind": "compiler", "check": "x", "revision": 1, "date": "2026-11-30"}
    record.update(witness="clang", version="22.1.8", cached=False, reason=None, tools=[{"name": "clang", "version": "22.1.8"}])
    for outcome, said in (("passed", True), ("failed", False)):
        html = _page(name, {"records": [{**record, "outcome": outcome}]})
        assert ("clang 22.1.8 wrote the same in the last run" in html) is said
    assert "wrote the same" not in _page(name)


def _slots(html):
    """Return {what comes next: slots} of a page's table."""
    part = html.split('id="waits"')[1]
    root = ET.fromstring("<table>" + part.split("<table", 1)[1].split(">", 1)[1].split("</table>")[0] + "</table>")
    rows = [["".join(cell.itertext()).strip() for cell in row] for row in root.iter("tr")]
    return {row[0]: row[1] for row in rows[1:]}


def _page(name, results=None):
    path = wmma_pages.page_of(name)
    return rendered(path, dict(wmma_pages.generated())[path], results)
