# SPDX-License-Identifier: Apache-2.0
"""Shapes that say what they stand for, and the way back: a drawing read as a person reads it, by place, class and text.

A check of a figure must not ask the code that drew it. So shapes are grouped under names (`data-mark="lds-row"`), and
`read` returns each shape with its place, its words and the names of all groups around it.
"""

import math
import re
import xml.etree.ElementTree as etree
from html import escape
from typing import NamedTuple

from . import svg

NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class Shape(NamedTuple):
    """One shape of a drawing. Places are pixels; a line has its points, everything else a box."""

    kind: str  # "rect", "text", "line" or "dot"
    classes: tuple
    x: float
    y: float
    width: float
    height: float
    points: tuple  # of a line: ((x, y), ...)
    words: str  # of a text
    tip: str  # what it tells on hover
    data: dict  # names of the groups around it, the innermost wins

    @property
    def middle(self):
        """The centre of the box, (x, y)."""
        return self.x + self.width / 2, self.y + self.height / 2

    def holds(self, point, slack=1.5):
        """Say whether a point lies in the box or on its edge."""
        across = self.x - slack <= point[0] <= self.x + self.width + slack
        return across and self.y - slack <= point[1] <= self.y + self.height + slack


def group(body, **data):
    """Return shapes under names: `group(body, mark="row", row=3)` writes data-mark and data-row."""
    names = "".join(f' data-{name}="{escape(str(value))}"' for name, value in data.items())
    return f"<g{names}>{''.join(body)}</g>"


def box(x, y, width, height, words, fill, title=None, class_="m"):
    """Return a rectangle with one or more lines of text in its middle.

    Args: words: a text, or a list of texts one below the other; fill: class (on "f-hot" the text has that colour's ink);
      title: told on hover.
    """
    if fill == "f-hot" and "h" not in class_.split():
        class_ += " h"
    lines = [words] if isinstance(words, str) else list(words)
    top = y + height / 2 + 4 - 8 * (len(lines) - 1)
    drawn = [svg.text(x + width / 2, top + 16 * i, line, class_, "middle") for i, line in enumerate(lines)]
    return svg.rect(x, y, width, height, fill, title) + "".join(drawn)


def arrow(points, both=False, colour=None):
    """Return a line with an open head at its last point, and at its first where `both`.

    Args: points: [(x, y), ...]; colour: a variable of cdna.css such as "--executed", the line colour where None.
    """
    style = f' style="stroke:var({colour})"' if colour else ""
    ends = [(points[-2], points[-1])] + ([(points[1], points[0])] if both else [])
    heads = "".join(_head(before, tip) for before, tip in ends)
    track = "L".join(f"{svg.number(x)} {svg.number(y)}" for x, y in points)
    return f'<path class="l"{style} d="M{track}"/><path class="l head"{style} d="{heads}"/>'


def _head(before, tip, size=6):
    angle = math.atan2(tip[1] - before[1], tip[0] - before[0])
    sides = [(tip[0] - size * math.cos(angle + turn), tip[1] - size * math.sin(angle + turn)) for turn in (0.5, -0.5)]
    points = [sides[0], tip, sides[1]]
    return "M" + "L".join(f"{svg.number(x)} {svg.number(y)}" for x, y in points)


def read(drawing):
    """Return the shapes of one drawing in the order in which they were drawn; titles and heads of arrows are left out.

    Args: drawing: the text of one <svg>.
    """
    root = etree.fromstring(drawing)  # noqa: S314 - a drawing that this package made
    shapes = []
    _read(root, {}, shapes)
    return shapes


def _read(element, data, shapes):
    for child in element:
        kind = child.tag.rpartition("}")[2]
        named = {name[5:]: value for name, value in child.attrib.items() if name.startswith("data-")}
        around = {**data, **named}
        if kind == "g":
            _read(child, around, shapes)
            continue
        get = child.attrib.get
        classes = tuple(get("class", "").split())
        tip = next((part.text or "" for part in child if part.tag.endswith("title")), "")
        if kind == "rect":
            place = [float(get(name)) for name in ("x", "y", "width", "height")]
            shapes.append(Shape("rect", classes, *place, (), "", tip, around))
        elif kind == "text":
            turned = NUMBER.findall(get("transform") or "")  # an upright text stands where it is moved to
            x, y = turned[:2] if turned else (get("x"), get("y"))
            shapes.append(Shape("text", classes, float(x), float(y), 0, 0, (), child.text or "", tip, around))
        elif kind == "circle":
            r = float(get("r"))
            shapes.append(Shape("dot", classes, float(get("cx")) - r, float(get("cy")) - r, 2 * r, 2 * r, (), "", tip, around))
        elif kind == "path" and "head" not in classes:
            numbers = [float(part) for part in NUMBER.findall(get("d"))]
            points = tuple(zip(numbers[::2], numbers[1::2], strict=True))
            across, down = [x for x, _ in points], [y for _, y in points]
            size = (min(across), min(down), max(across) - min(across), max(down) - min(down))
            shapes.append(Shape("line", classes, *size, points, "", tip, around))


def marked(shapes, mark, kind=None):
    """Return the shapes under a group of that mark, of one kind where given."""
    return [shape for shape in shapes if shape.data.get("mark") == mark and kind in (None, shape.kind)]


def words_in(shapes, rect):
    """Return the texts that stand in a box, from top to bottom."""
    inside = [shape for shape in shapes if shape.kind == "text" and rect.holds((shape.x, shape.y))]
    return [shape.words for shape in sorted(inside, key=lambda shape: shape.y)]


def first_number(text):
    """Return the first whole number of a text, or None."""
    found = re.search(r"[0-9]+", text)
    return int(found.group()) if found else None


class Loose:
    """A page that stands alone, for drawing a figure outside the site: it keeps markup as text.

    Attributes: claims: a function from an id to a claim, for figures that link to one.
    """

    def __init__(self, claims=None):
        self.claims, self.count = claims, 0

    def raw(self, markup):
        """Return the markup as it is."""
        return markup

    def prefix(self):
        """Return a prefix that makes the ids inside the next drawing unique."""
        self.count += 1
        return f"loose{self.count}"

    def link(self, target):
        """Return the target as it is."""
        return target

    def claim(self, name):
        """Return the claim of an id."""
        return self.claims(name)

    def mention(self, claim):
        """A page of its own has no cards."""
