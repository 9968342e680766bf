# SPDX-License-Identifier: Apache-2.0
"""The guide's figures: what they show is what sources and the model say, and the checks read the picture, not the model."""

import importlib.util
import pathlib
import re

import pytest

from cdna_evidence import settings
from cdna_evidence.checks.tools import Tools
from cdna_evidence.register import load
from cdna_evidence.site import figures, figures_gather, figures_pipeline, figures_wgp, marks

ROOT = settings.clone()
GUIDE = ("paths", "wgp", "registers", "multicast", "gather", "pipeline", "bytes")
GALLERY = ("paths", "wgp", "registers", "tile", "edge", "banks", "multicast", "gather", "pipeline", "bytes")


def drawn(name, **options):
    """Return [(drawing, words beside it)] of a figure."""
    panels = figures.FIGURES[name](marks.Loose(), dict(options))
    return [(drawing, "".join(same.itertext())) for _, drawings, same in panels for drawing in drawings]


def site_checks():
    """Return the classes of checks/site/check_figures.py by the name of their claim."""
    path = ROOT / "checks" / "site" / "check_figures.py"
    spec = importlib.util.spec_from_file_location("site_check_figures", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {value.claim: value for value in vars(module).values() if isinstance(value, type) and getattr(value, "claim", None)}


def observed(claim):
    """Return what the site check of a claim reads."""
    return site_checks()[claim]().observe("gfx1250", Tools("site"))


@pytest.mark.parametrize("name", GUIDE)
def test_no_drawing_is_wider_than_a_phone(name):
    assert all(float(re.search(r'width="([0-9.]+)"', drawing).group(1)) <= 350 for drawing, _ in drawn(name))


@pytest.mark.parametrize("name", GUIDE)
def test_words_stay_in_their_boxes_and_apart_from_each_other(name):
    for drawing, _ in drawn(name):
        shapes, placed = marks.read(drawing), []
        for text in [shape for shape in shapes if shape.kind == "text"]:
            start = re.search(r'x="' + re.escape(f"{text.x:g}") + r'" y="' + re.escape(f"{text.y:g}") + r'" text-anchor="(\w+)"', drawing)
            # Class `s` sets letters closer, by 0.04 of 12 pixels.
            width = len(text.words) * (7.25 - 0.48 * ("s" in text.classes))
            left = text.x - {"start": 0, "middle": width / 2, "end": width}[start.group(1)]
            placed.append((left, left + width, text))
            holders = [box for box in shapes if box.kind == "rect" and box.holds((text.x, text.y - 4), 0)]
            if holders and start.group(1) == "middle":
                top = holders[-1]  # what is drawn last lies above
                assert top.x - 1 <= left and left + width <= top.x + top.width + 1, (name, text.words)
        for i, (left, right, text) in enumerate(placed):
            for other_left, other_right, other in placed[:i]:
                clash = abs(text.y - other.y) < 11 and left < other_right - 1 and other_left < right - 1
                assert not clash, (name, text.words, other.words)


@pytest.mark.parametrize("name", GUIDE)
@pytest.mark.parametrize("option", [("colour", "red"), ("rows", "99,1"), ("workgroups", "")])
def test_an_unknown_option_or_a_wrong_value_is_an_error(name, option):
    with pytest.raises(ValueError):
        figures.figure(marks.Loose(), name, {option[0]: option[1]}, "caption")


def test_the_article_s_figure_1_counts_two_one_and_one_instruction_a_chunk():
    """Two per chunk, one per chunk, one in all: a tile of 8 KiB has 16 chunks of 512 bytes."""
    found = observed("FIG-001")["instructions"]
    assert found["round_trip"] == 2 * found["async"] == 2 * (64 * 128 // 512) and found["tdm"] == 1


def test_the_table_of_the_paths_grows_with_the_tile_except_for_the_mover():
    ((_, words),) = drawn("paths")
    assert "16 x 64421" in words and "128 x 256128641" in words


def test_the_block_diagram_agrees_with_the_target():
    from cdna.targets import GFX1250

    found = observed("FIG-002")
    assert found["lds_kib"] * 1024 == GFX1250.lds_bytes and found["banks"] == GFX1250.lds_banks
    assert found["simds"] == figures_wgp.PAIRS * figures_wgp.SIMDS_A_PAIR


def test_iteration_leaves_group_3_without_meaning():
    ((drawing, words),) = drawn("registers")
    iterate = [shape for shape in marks.read(drawing) if shape.data.get("layout") == "iterate" and shape.kind == "rect"]
    names = {shape.data["field"] for shape in iterate}
    assert names == {"tensor_dim2", "lds_addr_increment", "global_addr_increment", "iterate_count", "not used", "reserved"}
    assert "row numbers: 16 of 16 bits each; with 32-bit numbers, 8" in words


def test_sixteen_share_one_read_and_five_at_most_would_make_four():
    """The report that at most five requests merge: sixteen workgroups then take four reads."""
    (_, words), _ = drawn("multicast")
    assert "16 workgroups0xffff1614" in words


@pytest.mark.parametrize("rows", ["9,2,6,2", "0,1,2", "7", "5,5,5,5,0,9,3,1"])
def test_gathered_rows_land_in_list_order(rows):
    ((drawing, words),) = drawn("gather", rows=rows)
    wanted = [int(row) for row in rows.split(",")]
    cells = sorted(marks.marked(marks.read(drawing), "lds-row", "text"), key=lambda text: (text.y, text.x))
    assert [int(text.words) for text in cells] == [10 * row + column for row in wanted for column in range(4)]
    assert f"The list reads {', '.join(map(str, wanted))}." in words


def test_every_compute_starts_when_its_tile_has_landed_and_its_buffer_is_not_being_filled():
    from cdna.tdm import pipeline

    for _, tiles, compute, transfer, latency, buffers, _ in figures_pipeline.PANELS:
        slots = pipeline.timeline(tiles, compute, transfer, latency, buffers)
        for slot in slots:
            for other in slots:
                if other.tile != slot.tile and other.buffer == slot.buffer:
                    assert other.fetch_start >= slot.compute_end or slot.fetch_start >= other.compute_end
            assert slot.compute_start == slot.landed


def test_the_bytes_figure_follows_the_formula():
    """LDS byte = off + off // interval * amount, off counted over the tile with its zeros (facts of two encoders)."""
    ((drawing, _),) = drawn("bytes")
    cells = {int(shape.data["at"]): shape for shape in marks.marked(marks.read(drawing), "lds", "rect")}
    written = {off + off // 16 * 8 for off in range(8 * 4 * 2)}
    assert {at for at, shape in cells.items() if "f-pad" not in shape.classes} == written
    assert set(cells) == set(range(max(written) + 1))


def test_the_site_check_reads_the_picture(monkeypatch):
    """A picture with two arrows exchanged, or with other numbers, is seen; the model is unchanged."""
    values = load().claims["FIG-008"].values_for("gfx1250")
    check = site_checks()["FIG-008"]()
    assert check.judge(check.observe("gfx1250", Tools("site")), values) == []
    monkeypatch.setitem(figures.FIGURES, "gather", lambda here, options: figures_gather.draw(here, {"rows": "9,2,2,6"}))
    assert check.judge(check.observe("gfx1250", Tools("site")), values)
    drawing = figures_gather.draw(marks.Loose(), {})[0][1][0].replace(">90<", ">20<", 1)
    monkeypatch.setitem(figures.FIGURES, "gather", lambda here, options: [(None, [drawing], None)])
    assert check.judge(check.observe("gfx1250", Tools("site")), values)


def test_a_text_of_a_drawing_is_escaped_and_read_back():
    shape = marks.group([marks.box(0, 0, 100, 20, "a < b & c", "f-tile", 'say "x"')], mark='m"n')
    from cdna_evidence.site import svg

    shapes = marks.read(svg.svg("p", 100, 20, "t", "d", [shape]))
    assert [text.words for text in shapes if text.kind == "text"] == ["a < b & c"]
    assert shapes[0].tip == 'say "x"' and shapes[0].data == {"mark": 'm"n'}


def test_the_gallery_shows_each_of_the_ten_once_with_a_caption_and_its_claim():
    page = pathlib.Path(ROOT, "docs/tdm/figures.md").read_text()
    shown = re.findall(r"^::fig (\w+)[^|\n]*\| (.+)$", page, re.M)
    assert tuple(name for name, _ in shown) == GALLERY
    assert all(20 < len(caption) <= 200 and caption.endswith(".") for _, caption in shown)
    assert re.findall(r"\[\[see:(FIG-\d+)\]\]", page) == [f"FIG-{number:03d}" for number in range(1, 11)]
