# SPDX-License-Identifier: Apache-2.0
"""The figures of direct copies and of service groups: sizes for a phone, words in their boxes, wrong options refused."""

import re

import pytest

from cdna_evidence.site import figures, marks


def drawn(name, **options):
    """Return the drawings of a figure."""
    return [drawing for _, drawings, _ in figures.FIGURES[name](marks.Loose(), dict(options)) for drawing in drawings]


ALL = [("direct", {"size": size, "lanes": lanes}) for size in ("1", "2", "4", "12", "16") for lanes in ("1", "4", "8")]
ALL += [
    ("service", {"target": target, "op": op, "row_bytes": row})
    for target, op in (
        ("gfx942", "ds_read_b128"),
        ("gfx950", "ds_read_b128"),
        ("gfx950", "ds_read_b32"),
        ("gfx1250", "ds_load_b128"),
    )
    for row in ("128", "144", "256")
]


@pytest.mark.parametrize("name, options", ALL)
def test_drawings_fit_a_phone_and_words_their_boxes(name, options):
    for drawing in drawn(name, **options):
        assert float(re.search(r'width="([0-9.]+)"', drawing).group(1)) <= 350
        shapes = marks.read(drawing)
        width = float(re.search(r'width="([0-9.]+)"', drawing).group(1))
        for box in [shape for shape in shapes if shape.kind == "rect"]:
            assert box.x >= 0 and box.x + box.width <= width
            for words in marks.words_in(shapes, box):
                assert len(words) * 7.25 <= box.width + 1, (name, words)


def test_records_of_twelve_bytes_and_their_holes():
    (drawing,) = drawn("direct", size="12", lanes="3")
    shapes = marks.read(drawing)
    records, holes = marks.marked(shapes, "record", "rect"), marks.marked(shapes, "hole", "rect")
    assert [shape.data["byte"] for shape in records] == ["0", "16", "32"] and [
        shape.data["byte"] for shape in holes
    ] == ["12", "28", "44"]
    assert {shape.data["count"] for shape in records} == {"12"} and {shape.data["count"] for shape in holes} == {"4"}


def test_one_byte_a_lane_is_followed_by_zeros():
    (drawing,) = drawn("direct", size="1", lanes="4")
    shapes = marks.read(drawing)
    assert len(marks.marked(shapes, "widened", "rect")) == 4 and not marks.marked(shapes, "hole")


def test_degrees_are_those_of_public_problem_lb_01():
    published, adjacent = drawn("service", target="gfx950", row_bytes="144")
    for drawing, degree in ((published, "2"), (adjacent, "1")):
        assert {shape.data["degree"] for shape in marks.marked(marks.read(drawing), "degree", "rect")} == {degree}
    lanes = marks.marked(marks.read(published), "lane", "rect")
    assert [shape.data["lane"] for shape in lanes if shape.data["group"] == "0"] == [
        str(lane) for lane in [*range(4), *range(12, 16), *range(20, 28)]
    ]


@pytest.mark.parametrize(
    "name, options",
    [
        ("direct", {"size": "8"}),
        ("direct", {"lanes": "9"}),
        ("direct", {"target": "gfx1250"}),
        ("service", {"op": "ds_write_b128"}),
        ("service", {"rows": "0"}),
        ("service", {"colour": "red"}),
    ],
)
def test_wrong_options_are_errors(name, options):
    with pytest.raises(ValueError):
        figures.figure(marks.Loose(), name, options, "caption")
