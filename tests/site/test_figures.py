# SPDX-License-Identifier: Apache-2.0
"""Figures: what they show is what the model says and what the sources' numbers are; each says it in words as well."""

import re
import xml.etree.ElementTree as etree

import pytest

pytest.importorskip("material", reason="the extra `site` is not installed")

from cdna.tdm import descriptor  # noqa: E402
from cdna_evidence.site import figures, figures_banks, figures_bits, figures_tile  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


class Page:
    """The least that a figure needs of a page."""

    count = 0

    def prefix(self):
        """Return a new prefix."""
        self.count += 1
        return f"f{self.count}"


@pytest.fixture(autouse=True)
def no_claims(monkeypatch):
    """Field tables link claims; here there is no register."""
    monkeypatch.setattr(figures_bits, "_claim", lambda here, identity: identity)


def drawn(name, **options):
    """All drawings of a figure, parsed; and its words."""
    panels = figures.FIGURES[name](Page(), dict(options))
    trees = [etree.fromstring(markup) for _, drawings, _ in panels for markup in drawings]
    return trees, ["".join(same.itertext()) for _, _, same in panels]


@pytest.mark.parametrize("name", sorted(figures.FIGURES))
def test_every_drawing_has_title_description_and_words_beside_it(name):
    trees, words = drawn(name)
    ids = []
    for tree in trees:
        title, desc = tree.find(SVG + "title"), tree.find(SVG + "desc")
        assert title.text and desc.text and tree.get("role") == "img"
        assert tree.get("aria-labelledby").split() == [title.get("id"), desc.get("id")]
        ids += [title.get("id"), desc.get("id")]
    assert len(ids) == len(set(ids))
    assert all(len(text) > 20 for text in words)


@pytest.mark.parametrize("name", sorted(figures.FIGURES))
def test_no_colour_but_classes_and_nothing_outside_the_frame(name):
    for tree in drawn(name)[0]:
        width, height = float(tree.get("width")), float(tree.get("height"))
        for node in tree.iter():
            assert not {"fill", "stroke"} & set(node.attrib)
            assert re.fullmatch(r"((fill|stroke):var\(--[\w-]+\);?)*", node.get("style", ""))
            if node.tag == SVG + "rect":
                assert 0 <= float(node.get("x")) and float(node.get("x")) + float(node.get("width")) <= width
                assert float(node.get("y")) + float(node.get("height")) <= height
            if node.tag == SVG + "text" and node.get("x"):
                length = 7.25 * len(node.text)
                left = float(node.get("x")) - {"start": 0, "middle": length / 2, "end": length}[node.get("text-anchor")]
                assert left >= -1 and left + length <= width + 1, node.text


@pytest.mark.parametrize("name", ["tile", "edge", "column56", "ragged", "banks"])
def test_figures_fit_a_phone(name):
    assert all(float(tree.get("width")) <= 358 for tree in drawn(name)[0])


@pytest.mark.parametrize("part", sorted(figures_bits.PANELS))
@pytest.mark.parametrize("per_row", [16, 32])
def test_the_bits_of_a_panel_are_all_there_once(part, per_row):
    """Each bit of each group is drawn by one field or as reserved: no gap, no overlap."""
    _, layout, groups = figures_bits.PANELS[part]
    for group in groups:
        covered = []
        fields = [field for field in descriptor.fields_of(layout) if field.group == group]
        fields += [descriptor.Field("reserved", g, lo, width, "", "literal", (), "") for g, lo, width in descriptor.reserved_of(layout) if g == group]
        for field in fields:
            for row, high, low, bits in figures_bits.pieces(field, per_row):
                assert high - low == bits[0] - bits[1]
                covered += range(row * per_row + low, row * per_row + high + 1)
        assert sorted(covered) == list(range(32 * descriptor.GROUP_WORDS[group]))


def test_the_pad_interval_stands_where_the_manual_puts_it():
    """Group 1, bits 24:22 (table 63 as quoted by two sources): in the table and in the drawing's hover text."""
    trees, words = drawn("bits", part="group1")
    assert re.search(r"24:22pad_interval", words[0])
    tips = [node.find(SVG + "title").text for node in trees[0].iter(SVG + "rect") if node.find(SVG + "title") is not None]
    assert "pad_interval: group 1 bits 24:22, words 0 to 0" in tips
    assert "tensor_dim0: group 1 bits 79:48, words 1 to 2" in tips


def test_labels_of_narrow_fields_do_not_touch():
    for part in figures_bits.PANELS:
        for tree in drawn("bits", part=part)[0]:
            boxes = []
            for node in tree.iter(SVG + "text"):
                length = 7.25 * len(node.text)
                left = float(node.get("x")) - {"start": 0, "middle": length / 2, "end": length}[node.get("text-anchor")]
                boxes.append((float(node.get("y")), left, left + length, node.text))
            for i, one in enumerate(boxes):
                for other in boxes[:i]:
                    near = abs(one[0] - other[0]) < 11 and one[1] < other[2] - 1 and other[1] < one[2] - 1
                    assert not near, (part, one[3], other[3])


def test_column_56():
    """The article's numbers: 56 to 63, then 64 to 71 with the bound left alone, then zeros with the bound moved."""
    _, words = drawn("column56")
    lines = words[0].splitlines()
    assert lines[1].split("|")[0].split() == [str(n) for n in range(56, 64)]
    assert lines[1].split("|")[1].split() == [str(n) for n in range(64, 72)]
    assert lines[3].split("|")[1].split() == ["0"] * 8
    assert "left at 64" in lines[0] and "moved to 8" in lines[2]


def test_ragged_40():
    """The article's numbers: bounds 40, 24, 8; the last tile is 32 to 39 and eight zeros."""
    lines = drawn("ragged")[1][0].splitlines()
    assert [int(line.split("= ")[1]) for line in lines[::2]] == [40, 24, 8]
    assert lines[5].replace("|", "").split() == [str(n) for n in range(32, 40)] + ["0"] * 8
    assert "|" not in lines[1] + lines[3]


def test_banks_of_column_0():
    """The article's figure 6: banks 0, 0, 0, 0 packed and 0, 1, 2, 3 with one DWORD after each row."""
    _, words = drawn("banks")
    assert "banks 0, 0, 0, 0" in words[0] and "banks 0, 1, 2, 3" in words[1]
    assert "4 reads want one bank" in words[0] and "No two reads" in words[1]
    assert figures_banks.BANKS == 64


def test_the_tile_figure_prints_what_the_descriptor_holds():
    text = drawn("tile")[1][0]
    for part in ("global_addr64", "tensor_dim07", "tensor_dim15", "tensor_dim0_stride14"):
        assert part in text


def test_the_edge_figure_counts_what_lies_inside():
    trees, words = drawn("edge")
    assert "12 of 35" in words[0] and "12 of 35" in words[1]
    zeros = [node for node in trees[0].iter(SVG + "text") if node.text == "0"]
    assert len(zeros) == 35 - 12
    assert figures_tile.SENTINEL
