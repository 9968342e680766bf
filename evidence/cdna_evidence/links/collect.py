# SPDX-License-Identifier: Apache-2.0
"""Every external address that the register and the text cite, with the places that cite it."""

import re
from typing import NamedTuple

from . import html

_PLAIN = r"[^\s<>\"'`\\\])}(]"
_MARKDOWN = re.compile(rf"https?://{_PLAIN}+(?:\([^\s<>\"'`()]*\){_PLAIN}*)*")
_FENCE = re.compile(r"\s*(```+|~~~+)")


class Cited(NamedTuple):
    """One citation of an address: url, file from the root, line from 1 (0: not known), by (source key, or "")."""

    url: str
    file: str
    line: int
    by: str


def from_register(register, root):
    """Return the Cited addresses of sources: where they are, and their repositories."""
    found = []
    for key, source in sorted(register.sources.items()):
        for url in (source.url, source.repository):
            if url:
                found.append(Cited(url, source.file, line_of(root / source.file, url), key))
    return found


def from_texts(root):
    """Return the Cited addresses of the Markdown and HTML in docs/ and of the Markdown beside it; code is left out."""
    found = []
    paths = [
        *sorted(root.glob("*.md")),
        *sorted((root / "docs").rglob("*.md")),
        *sorted((root / "docs").rglob("*.html")),
    ]
    for path in paths:
        name = path.relative_to(root).as_posix()
        text = path.read_text("utf-8", errors="replace")
        if path.suffix == ".html":
            page = html.read(text)
            found += [Cited(url, name, line, "") for url, line in page.links if re.match(r"https?://", url)]
        else:
            found += [Cited(url, name, line, "") for url, line in _addresses(text)]
    return found


def _addresses(text):
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
            continue
        if fence is None:
            for found in _MARKDOWN.finditer(re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", line)):
                yield found[0].rstrip(".,;:!?*_"), number


def line_of(path, text):
    """Return the first line of a file that holds a text, from 1, or 0."""
    try:
        for number, line in enumerate(path.read_text("utf-8", errors="replace").split("\n"), 1):
            if text in line:
                return number
    except OSError:
        pass
    return 0
