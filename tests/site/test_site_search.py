# SPDX-License-Identifier: Apache-2.0
"""The search in a real browser, by keyboard alone: what kernel engineers type leads to the page that answers it."""

from cdna_evidence import settings
from cdna_evidence.site import words

# Questions of the issues and of public threads, mnemonics and ids, each with the page that answers it.
ASKED = {
    "bank conflict": "cdna/lds/",
    "ds_read_b128 bank conflict": "cdna/lds/",
    "lds size gfx950": "cdna/lds/",
    "s_wait_xcnt": "cdna/mi450/",
    "do i need s_wait_xcnt here": "cdna/mi450/",
    "who signals the cluster barrier": "cdna/mi450/",
    "which counter protects this async copy": "cdna/mi450/",
    "how many slots after this wmma": "cdna/mi450/",
    "fp8 fnuz vs ocp": "cdna/formats/",
    "s_waitcnt vmcnt(0)": "cdna/waits/",
    "ds_read_b64_tr_b16": "cdna/transpose/",
    "dpp row_bcast": "cdna/transpose/",
    "buffer_load lds dwordx4": "cdna/global-to-lds/",
    "gfx942 to gfx950": "cdna/porting-350/",
    "wait states mfma": "mfma/",
    "out of bounds": "tdm/edges/",
    "s_wait_tensorcnt": "tdm/ordering/",
    "tensor_load_to_lds": "tdm/driving/",
    "tdm padding": "tdm/padding/",
    "v_mfma_f32_16x16x16_f16": "mfma/v_mfma_f32_16x16x16_f16/",
    "v_wmma_f32_16x16x32_f16": "wmma/v_wmma_f32_16x16x32_f16/",
    "TDM-031": "claims/TDM-031/",
    "LDS-012": "claims/LDS-012/",
    "WAIT-072": "claims/WAIT-072/",
}
FIRST = "() => new URL(document.querySelector('.md-search-result__item > a')?.href ?? location.href).pathname.slice(1)"


def test_what_people_type_finds_the_page_that_answers_first(open_page):
    from playwright.sync_api import Error

    tab = open_page("glossary/")
    tab.keyboard.press("/")
    wrong = []
    for query, page in ASKED.items():
        tab.keyboard.press("Control+A")
        tab.keyboard.type(query)
        try:
            tab.wait_for_function(f"(page) => ({FIRST})() === page", arg=page)
        except Error:
            wrong.append(f"{query}: {tab.evaluate(FIRST)}, not {page}")
    assert not wrong, "\n".join(wrong)
    # A link of the list takes the focus, and Enter follows it.
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    tab.wait_for_url("**/claims/WAIT-072/**")
    assert not open_page.complaints


def test_words_are_those_of_pages_that_exist():
    """A page that was renamed would lose its words without a sound."""
    assert {path for path in words.WORDS if not (settings.clone() / "docs" / path).is_file()} == {"mfma/index.md", "wmma/index.md"}
    assert words.of("claims/TDM-031.md") == ["TDM-031"] and not words.of("claims/index.md") and not words.of("licences.md")
