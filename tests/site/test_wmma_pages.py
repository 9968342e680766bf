# SPDX-License-Identifier: Apache-2.0
"""The pages of gfx1250's matrix instructions: one for each mnemonic, with a drawing and what is disputed."""

import xml.etree.ElementTree as ET

import pytest
from markdown import Markdown

from cdna_evidence.register import load_all
from cdna_evidence.site import wmma_pages
from cdna_evidence.site.content import Content
from cdna_evidence.site.extension import ClaimsExtension


def rendered(path, text):
    """Return a page's HTML as the site's Markdown extension writes it."""
    extension = ClaimsExtension(Content(load_all()[0], {}, None))
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


def test_slots_only_where_the_rules_name_the_instruction():
    with_slots = [name for name in wmma_pages.mnemonics() if "slots after it" in _page(name)]
    assert "v_wmma_f32_16x16x32_f16" in with_slots and "v_wmma_f32_16x16x16_f16" not in with_slots


def _page(name):
    path = wmma_pages.page_of(name)
    return rendered(path, dict(wmma_pages.generated())[path]) if name.endswith("_f16") else ""
