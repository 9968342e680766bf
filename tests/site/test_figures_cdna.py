# SPDX-License-Identifier: Apache-2.0
"""The figures of the porting guide, the pages of matrix instructions and the audit, without a browser."""

import re

import pytest

from cdna_evidence.register import load
from cdna_evidence.site import audit, figures, figures_formats, figures_mfma, figures_waits, marks, mfma_pages, strides
from cdna_evidence.site.content import Content


def shapes(name, **options):
    panels = figures.FIGURES[name](marks.Loose(), options)
    return [marks.read(drawing) for _, drawings, _ in panels for drawing in drawings]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("bankmap", {"op": "ds_read_b96"}),
        ("bankmap", {"target": "gfx1"}),
        ("waits", {"target": "gfx1250"}),
        ("permute", {"by": "9"}),
        ("formats", {"names": "fp7"}),
        ("lanegrid", {"op": "v_nothing"}),
        ("lanegrid", {"matrices": "index"}),
    ],
)
def test_what_a_figure_cannot_draw_is_an_error(name, options):
    with pytest.raises(ValueError):
        figures.FIGURES[name](marks.Loose(), dict(options))


def test_a_lane_of_a_grid_holds_every_element_once():
    (one,) = shapes("lanegrid", op="v_mfma_f32_16x16x16_f16", matrices="A")
    cells = marks.marked(one, "held", "rect")
    held = [(cell.data["line"], k) for cell in cells for k in range(int(cell.data["first"]), int(cell.data["last"]) + 1)]
    assert len(held) == len(set(held)) == 256
    assert len({cell.data["lane"] for cell in cells}) == 64


def test_many_blocks_are_drawn_in_part_and_said_so():
    panels = figures.FIGURES["lanegrid"](marks.Loose(), {"op": "v_mfma_f32_4x4x4_16b_f16", "matrices": "D"})
    assert "4 of 16 blocks are drawn" in "".join(panels[0][2].itertext())


def test_the_whole_sequence_has_no_finding_and_each_gap_has_one():
    for target in ("gfx942", "gfx950"):
        for name, _, without in figures_waits.VARIANTS:
            codes = [code for _, code in figures_waits.lines(target, without)]
            assert len(figures_waits.findings(target, codes)) == (0 if name == "whole" else 1)


def test_codes_are_listed_as_runs():
    assert figures_formats.listed([0x7C]) == "7c"
    assert figures_formats.listed([0x7D, 0x7E, 0x7F, 0xFD, 0xFE]) == "7d-7f, fd, fe"
    assert figures_formats.listed([]) == ""


def test_strides_agree_with_the_published_table():
    # facts of the groups, worked out by hand for the two boundary cases: 16 bytes of padding, and 32
    assert strides.degrees(144) == (2, 2, 1, 1)
    assert strides.degrees(288) == (1, 1, 2, 2)


def test_every_instruction_has_one_page():
    pages = dict(mfma_pages.generated())
    names = mfma_pages.mnemonics()
    assert len(names) == len(set(names)) and len(pages) == len(names) + 1
    assert all(mfma_pages.page_of(name) in pages for name in names)


def test_the_file_of_the_audit_holds_the_claims_of_its_sections():
    register = load()
    text = audit.markdown(Content(register))
    assert re.findall(r'^<a id="([^"]+)"></a>$', text, re.M) == [section.anchor for section in audit.sections(register)]
    listed = list(dict.fromkeys(re.findall(r"^\*\*([A-Z]+-[0-9]+)\*\*", text, re.M)))
    assert listed == audit.claim_ids(register)
    assert len(listed) > 20


def test_anchors_of_the_audit_are_unique_and_the_old_one_stays():
    anchors = [section.anchor for section in audit.SECTIONS]
    assert len(anchors) == len(set(anchors)) and "mfma-asm-boundary" in anchors


def test_overlaps_name_the_registers_of_the_audit():
    found = {kind: (first, count) for kind, _, _, first, count, *_ in figures_mfma.overlaps("v_mfma_f32_16x16x16_f16")}
    assert found == {"exact": (0, 4), "partial": (2, 4), "ab": (2, 2)}
