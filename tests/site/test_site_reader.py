# SPDX-License-Identifier: Apache-2.0
"""What a reader does in a real browser: types into the search, starts from a question, prints."""

import pytest

# What a kernel engineer types -> pages of which one must be among the first three.
SEARCHES = {
    "TDM-031": ("claims/TDM-031/",),
    "tile_dim0": ("claims/TDM-023/", "claims/TDM-026/"),
    "s_wait_tensorcnt": ("claims/TDM-066/", "tdm/ordering/", "cdna/waits/"),
    "v_wmma_f32_16x16x32_f16": ("wmma/v_wmma_f32_16x16x32_f16/",),
    "v_mfma_f32_32x32x8_f16": ("mfma/v_mfma_f32_32x32x8_f16/",),
    "ds_read_b64_tr_b16": ("claims/TRN-051/", "cdna/transpose/"),
    "bank conflict": ("claims/LDS-012/", "cdna/lds/"),
    "0x38 fp8": ("claims/FMT-002/", "cdna/formats/"),
    "xcnt": ("cdna/mi450/",),
    "s_wait_xcnt": ("cdna/mi450/", "claims/WAIT-072/"),
    "wait states mfma": ("mfma/",),
}
# A question of the front page -> where one click leads, and what must be seen there without scrolling.
QUESTIONS = {
    "How many slots after this WMMA?": ("cdna/mi450/#slots-after-a-wmma", "slots"),
    "Which counter protects this async copy?": ("cdna/mi450/", "s_wait_asynccnt"),
    "Do I need s_wait_xcnt here?": ("cdna/mi450/#when-s_wait_xcnt", "is overwritten"),
    "Who signals the cluster barrier?": ("cdna/mi450/#clusters", "one wave of each workgroup"),
    "How many wait states after this MFMA before a VALU reads D?": ("mfma/", "wait states before VALU reads D"),
    "Does global_load_lds of 16 bytes work on gfx942?": ("cdna/global-to-lds/#which-sizes", "global_load_lds_dwordx4"),
    "Which lanes conflict in ds_read_b128?": ("cdna/lds/#service-groups", "lanes, each with its group"),
}
ASK = "(words) => { const field = document.querySelector('.md-search__input'); field.value = words; field.dispatchEvent(new KeyboardEvent('keyup')); }"
ANSWERS = """() => [...document.querySelectorAll(".md-search-result__item")].slice(0, 3)
  .map((item) => new URL(item.querySelector("a").href).pathname.slice(1))"""
SEEN = """(words) => {
  const walk = document.createTreeWalker(document.querySelector(".md-content"), NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (node.parentElement.closest("template") || !node.data.includes(words)) continue;
    const box = node.parentElement.getBoundingClientRect();
    if (box.width && box.top >= 0 && box.bottom <= window.innerHeight) return true;
  }
  return false;
}"""


def test_the_search_answers_what_engineers_type(open_page):
    """The results come from the theme's own worker, so a change of separator, weights or headings shows here."""
    from playwright.sync_api import Error

    tab = open_page("")
    tab.click(".md-search__input")
    wanted = "() => document.querySelector('.md-search-result__meta').textContent.includes('Type to start')"
    tab.wait_for_function(wanted)
    wrong = []
    for words, places in SEARCHES.items():
        tab.evaluate(ASK, "")
        tab.wait_for_function(wanted)
        tab.evaluate(ASK, words)
        try:
            tab.wait_for_function(f"(places) => ({ANSWERS})().some((one) => places.includes(one))", arg=places)
        except Error:
            wrong.append(f"{words!r}: {tab.evaluate(ANSWERS)}, not one of {places}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_of_the_front_page_is_answered_in_one_click(open_page, question):
    """Shows that the answer's words are in view on a wide screen; whether they are right is for the claims."""
    place, words = QUESTIONS[question]
    tab = open_page("")
    tab.locator(".md-content a", has_text=question).first.click()
    tab.wait_for_url(f"**/{place}")
    tab.wait_for_load_state("load")
    tab.wait_for_function(SEEN, arg=words)


def test_paper_shows_what_disclosures_hold_and_no_navigation(open_page):
    """The print style alone, without the script that opens disclosures: their content is laid out, the frame is not."""
    tab = open_page("claims/TDM-031/")
    inner = "() => document.querySelector('details.cdna-more > dl').getBoundingClientRect().height"
    assert not tab.locator("details.cdna-more > dl").first.is_visible()
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate(inner) > 0
    for part in (".md-header", ".md-tabs", ".md-sidebar", ".md-footer", ".cdna-copy"):
        assert not tab.locator(part).first.is_visible(), part
    assert tab.evaluate("() => getComputedStyle(document.querySelector('.cdna-statement')).color") == "rgb(29, 32, 38)"
    address = "() => getComputedStyle(document.querySelector('.cdna-sources a[href^=http]'), '::after').content"
    assert "https://" in tab.evaluate(address)


def test_the_skip_link_comes_first_and_leads_past_the_navigation(open_page):
    """By keyboard: the first stop leads into the content, and from there the next stop is of the content."""
    tab = open_page("claims/TDM-031/")
    tab.keyboard.press("Tab")
    assert tab.evaluate("() => document.activeElement.classList.contains('md-skip')")
    tab.keyboard.press("Enter")
    tab.keyboard.press("Tab")
    assert tab.evaluate("() => !!document.activeElement.closest('.md-content')")


def test_a_wrong_address_leads_on(open_page):
    """The page for an address without a page names the ways that lead on, and they exist."""
    tab = open_page("404.html")
    links = tab.locator(".md-content a[href]").evaluate_all("(all) => all.map((link) => link.href)")
    assert len(links) >= 4
    for link in links:
        assert tab.request.get(link).ok, link
