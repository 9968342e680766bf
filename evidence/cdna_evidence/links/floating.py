# SPDX-License-Identifier: Apache-2.0
"""Pages that may change without notice: date, title and a digest of the quoted passage, so that a silent rewrite shows.

The passage itself is not kept: its number of words and their digest are enough to find it again. evidence/links.lock
holds one JSON object a line, sorted by address, so that two branches merge line by line.
"""

import json
from typing import NamedTuple

from cdna_evidence.register.files import write_whole

from . import html

HEADER = "# What quoted pages said when they were read; written by `cdna links --record`, one page a line."


class Passage(NamedTuple):
    """A quoted passage: url with fragment, the page's title and its own date, day it was seen, words, sha256."""

    url: str
    title: str
    date: str
    seen: str
    words: int
    sha256: str


def read(path):
    """Return {url: [Passage]} of a lock file; none when there is no file.

    Raises: ValueError: a line that is no record; the text names file and line.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name}: {error}") from None
    found = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            one = Passage(**json.loads(line))
        except (ValueError, TypeError, RecursionError):
            raise ValueError(f"{path.name}:{number}: not a record of {', '.join(Passage._fields)}") from None
        if not (
            isinstance(one.words, int) and one.words > 0 and all(isinstance(v, str) for v in (*one[:4], one.sha256))
        ):
            raise ValueError(f"{path.name}:{number}: words is a number above 0, the rest is text")
        found.setdefault(one.url, []).append(one)
    return found


def write(path, passages):
    """Write a lock file from {url: [Passage]}, whole or not at all."""
    lines = [json.dumps(one._asdict(), ensure_ascii=False) for listed in passages.values() for one in listed]
    write_whole(path, "\n".join([HEADER, *sorted(set(lines))]).encode() + b"\n")


def record(url, quote, page, headers, today):
    """Return the Passage to keep for a quoted text, or None when the page does not hold it.

    Args: page: html.Page read with words; headers: of the answer; today: date in text.
    """
    count, digest = html.passage(quote)
    if not count or not html.holds(page.words, count, digest):
        return None
    return Passage(url, page.title, headers.get("last-modified", ""), today, count, digest)


def compare(passages, page):
    """Return [(rule, message)] of what changed since the passages of a page were recorded."""
    told = []
    for one in passages:
        if not html.holds(page.words, one.words, one.sha256):
            told.append(
                ("link-passage", f"the passage of {one.words} words quoted on {one.seen} no longer stands there")
            )
        if one.title != page.title:
            told.append(("link-title", f"titled {page.title[:80]!r}, on {one.seen} {one.title[:80]!r}"))
    return told
