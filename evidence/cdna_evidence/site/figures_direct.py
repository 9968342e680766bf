# SPDX-License-Identifier: Apache-2.0
"""Where the lanes of a direct-to-LDS copy put their data: byte by byte, with the hole after each 12-byte record."""

from cdna.lds import direct

from . import svg
from .marks import box, group
from .tree import h, table

CELL, HIGH, LABEL, TOP = 15, 24, 62, 34
PER_LINE = 16  # bytes a line: two lines of 12-byte records stay readable on a phone


def places(size, target, lanes):
    """Return what the model says of the first lanes: [(lane, first LDS byte, bytes written, bytes of hole after them)].

    Args: size: bytes a lane; target: gfx942 or gfx950; lanes: how many.
    Raises: ValueError: the target has no such size.
    """
    found = []
    for lane in range(lanes):
        done = direct.copy(target, size, lane)
        if not done.accepted:
            allowed = ", ".join(str(item) for item in direct.sizes(target))
            raise ValueError(f"size={size}: {allowed} on {target}")
        found.append((lane, done.lds_address, done.written, done.hole))
    return found


def drawing(prefix, size, target, lanes):
    """Return the drawing: one line of LDS for every 16 bytes, each byte with the lane that wrote it."""
    rows = places(size, target, lanes)
    owner = {}
    for lane, first, written, hole in rows:
        for i in range(written):
            owner[first + i] = (lane, i < size)
        for i in range(written, written + hole):
            owner[first + i] = (None, False)
    end = max(owner) + 1
    body = [svg.text(0, 14, "LDS byte", "m q")]
    body += [svg.text(LABEL + (i + 0.5) * CELL, TOP - 8, i, "m s", "middle") for i in range(0, PER_LINE, 4)]
    for start in range(0, end, PER_LINE):
        y = TOP + start // PER_LINE * (HIGH + 4)
        body.append(svg.text(0, y + 16, f"+{start}", "m q"))
        body += _line(rows, owner, start, y)
    height = TOP + (end + PER_LINE - 1) // PER_LINE * (HIGH + 4)
    title = f"{lanes} lanes of {size} bytes each"
    return svg.svg(prefix, LABEL + PER_LINE * CELL + 2, height, title, _words(rows, size), body)


def _line(rows, owner, start, y):
    """One line of sixteen bytes: a box for every run that one lane wrote, widened or left alone."""
    shapes, at = [], start
    while at < start + PER_LINE and at in owner:
        lane, data = owner[at]
        last = at
        while last + 1 < start + PER_LINE and owner.get(last + 1) == (lane, data):
            if lane is not None and last + 1 in [first for _, first, _, _ in rows]:
                break
            last += 1
        mark = "hole" if lane is None else "record" if data else "widened"
        fill = {"hole": "f-pad", "record": "f-tile" if (lane or 0) % 2 == 0 else "f-mode", "widened": "f-tensor"}[mark]
        words = {"hole": "hole", "record": f"lane {lane}", "widened": "zeros"}[mark]
        count = last - at + 1
        if len(words) * 7.25 > count * CELL:
            words = {"hole": "", "record": str(lane), "widened": "0"}[mark]
        tip = (
            f"LDS bytes {at} to {last}: "
            + {"hole": "not written", "record": f"lane {lane}", "widened": f"zeros of lane {lane}"}[mark]
        )
        shapes.append(
            group(
                [box(LABEL + (at - start) * CELL, y, count * CELL, HIGH, words, fill, tip)],
                mark=mark,
                byte=at,
                count=count,
                **({} if lane is None else {"lane": lane}),
            )
        )
        at = last + 1
    return shapes


def _words(rows, size):
    _, first, written, hole = rows[0]
    stride = written + hole
    text = f"Each lane has {stride} bytes of its own and writes {written} of them."
    if hole:
        text += f" After each {size}-byte record come {hole} bytes that nothing writes: the records do not stand side by side."
    elif written > size:
        text += f" {size} of them hold data, the other {written - size} are zeros."
    return text


def draw(here, options):
    """`::fig direct size=12 lanes=4 target=gfx950`: the LDS that the first lanes of a copy fill."""
    size = int(options.pop("size", "12"))
    lanes = int(options.pop("lanes", "4"))
    target = options.pop("target", "gfx950")
    if not 1 <= lanes <= 8:
        raise ValueError(f"lanes={lanes}: 1..8")
    if target not in direct.WAVE_WIDE:
        raise ValueError(f"target={target}: {', '.join(direct.WAVE_WIDE)}")
    rows = places(size, target, lanes)
    lines = [[f"lane {lane}", str(first), str(first + written - 1), str(hole)] for lane, first, written, hole in rows]
    words = _words(rows, size)
    same = h(
        "div",
        h("p", words),
        table(["lane", "first byte", "last byte", "hole after it"], lines, label=words, class_="cdna-numbers"),
    )
    return [(None, [drawing(here.prefix(), size, target, lanes)], same)]
