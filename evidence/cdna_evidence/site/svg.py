# SPDX-License-Identifier: Apache-2.0
"""Shapes as text: every colour is a class of cdna.css, so that a figure follows the page's palette and prints well.

Units are pixels at the page's own scale (a figure is never shrunk; where it is wider than the page it scrolls), so a label
of 12 is a label of 12 on a phone.
"""

from html import escape

CHAR = 7.25  # width of one monospace character at 12 px


def svg(prefix, width, height, title, desc, body, class_=""):
    """Return one drawing with a title and a description for screen readers.

    Args: prefix: makes its ids unique on the page; width, height: pixels; body: list of shapes.
    """
    kind = ("cdna-svg " + class_).strip()
    return (
        f'<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" width="{number(width)}" height="{number(height)}" '
        f'viewBox="0 0 {number(width)} {number(height)}" role="img" data-search-exclude="" aria-labelledby="{prefix}-t {prefix}-d">'
        f'<title id="{prefix}-t">{escape(title)}</title><desc id="{prefix}-d">{escape(desc)}</desc>{"".join(body)}</svg>'
    )


def rect(x, y, width, height, class_="", title=None):
    """Return a rectangle; its title is told on hover."""
    tip = f"<title>{escape(title)}</title>" if title else ""
    place = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
    return f'<rect class="{class_}" {place}>{tip}</rect>' if tip else f'<rect class="{class_}" {place}/>'


def text(x, y, words, class_="", anchor="start"):
    """Return one line of text; y is its baseline."""
    return f'<text class="{class_}" x="{number(x)}" y="{number(y)}" text-anchor="{anchor}">{escape(str(words))}</text>'


def upright(x, y, words, class_=""):
    """Return a text that reads downwards, centred on a point."""
    place = f'transform="translate({number(x)} {number(y)}) rotate(90)"'
    return f'<text class="{class_}" {place} text-anchor="middle">{escape(str(words))}</text>'


def line(x1, y1, x2, y2, class_="l"):
    """Return a straight line."""
    return f'<path class="{class_}" d="M{number(x1)} {number(y1)}L{number(x2)} {number(y2)}"/>'


def path(points, class_="l"):
    """Return a line through points [(x, y), ...]."""
    return f'<path class="{class_}" d="M{"L".join(f"{number(x)} {number(y)}" for x, y in points)}"/>'


def measure(x1, y1, x2, y2, size=4):
    """Return a dimension line with a stop at both ends, horizontal or vertical."""
    if y1 == y2:
        stops = [line(x1, y1 - size, x1, y1 + size), line(x2, y2 - size, x2, y2 + size)]
    else:
        stops = [line(x1 - size, y1, x1 + size, y1), line(x2 - size, y2, x2 + size, y2)]
    return "".join([line(x1, y1, x2, y2), *stops])


def cross(x, y, width, height, class_="l"):
    """Return the two diagonals of a cell: something that does not happen."""
    return line(x, y, x + width, y + height, class_) + line(x, y + height, x + width, y, class_)


def number(value):
    """Return a coordinate in as few characters as it needs."""
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}".rstrip("0").rstrip(".")
