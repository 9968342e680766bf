# SPDX-License-Identifier: Apache-2.0
"""The drawing of direct-to-LDS records, read back by place and width, not by asking the model."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.site import figures, marks


class HoleDrawn(Check):
    """The boxes of four 12-byte records: how wide, how far apart, and what is drawn between them.

    Shows: the drawing, read back by the place and width of its boxes against the byte numbers above them.
    Does not show: a device; the drawing is made from the model.
    """

    claim = "D2L-008"
    kind = "site"
    binds = ("records", "record_bytes", "stride", "holes", "hole_bytes", "packed_neighbours")

    def observe(self, target, tools):
        panels = figures.FIGURES["direct"](marks.Loose(), {"size": "12", "lanes": "4", "target": target})
        (drawn,) = [drawing for _, drawings, _ in panels for drawing in drawings]
        shapes = marks.read(drawn)
        byte = self._scale(shapes)
        line = self._lines(shapes)
        records = self._spans(shapes, "record", byte, line)
        holes = self._spans(shapes, "hole", byte, line)
        steps = {later[0] - earlier[0] for earlier, later in zip(records, records[1:])}
        widths = {last - first for first, last in records}
        gaps = {last - first for first, last in holes}
        ends = {last for _, last in records}
        return {
            "records": len(records),
            "record_bytes": widths.pop() if len(widths) == 1 else -1,
            "stride": steps.pop() if len(steps) == 1 else -1,
            "holes": sum(first in ends for first, _ in holes),
            "hole_bytes": gaps.pop() if len(gaps) == 1 else -1,
            "packed_neighbours": sum(first in ends for first, _ in records),
        }

    def _scale(self, shapes):
        """(pixels of byte 0's left edge, pixels a byte), from the numbers above the line."""
        top = min(shape.y for shape in shapes if shape.kind == "rect")
        numbers = {
            int(shape.words): shape.x
            for shape in shapes
            if shape.kind == "text" and shape.words.isdigit() and shape.y < top
        }
        if len(numbers) < 2:
            raise CannotTell("no byte numbers above the drawing")
        low, high = min(numbers), max(numbers)
        pixels = (numbers[high] - numbers[low]) / (high - low)
        return numbers[low] - low * pixels - pixels / 2, pixels

    def _lines(self, shapes):
        """{height: LDS byte at which that line begins}, from the words to the left."""
        rects = sorted({shape.y for shape in shapes if shape.kind == "rect"})
        named = sorted(
            (shape.y, int(shape.words[1:]))
            for shape in shapes
            if shape.kind == "text" and re.fullmatch(r"\+\d+", shape.words)
        )
        if len(rects) != len(named):
            raise CannotTell(f"{len(named)} lines are named, {len(rects)} drawn")
        return {y: start for y, (_, start) in zip(rects, named)}

    def _spans(self, shapes, mark, byte, line):
        """Boxes under a mark as (first byte, byte after the last), in order."""
        left, pixels = byte
        found = []
        for box in marks.marked(shapes, mark, "rect"):
            first = line[box.y] + round((box.x - left) / pixels)
            found.append((first, first + round(box.width / pixels)))
        return sorted(found)
