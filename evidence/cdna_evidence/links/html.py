# SPDX-License-Identifier: Apache-2.0
"""What a static HTML page holds: anchors, title, words and links, read in bounded time from pages of strangers."""

import hashlib
import re
import time
import unicodedata
from html.parser import HTMLParser

PIECE = 1 << 14
BUFFER = 1 << 18
#: attributes that lead somewhere, by element; `srcset` is taken apart.
LINKS = {
    "a": ("href", "xlink:href"),
    "area": ("href",),
    "audio": ("src",),
    "embed": ("src",),
    "form": ("action",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
_QUIET = ("script", "style", "template", "noscript")
_CODE = ("code", "pre", "script", "style", "textarea", "kbd", "samp")
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_REFRESH = re.compile(r"\s*[0-9.]+\s*[;,]\s*(?:url\s*=\s*)?['\"]?([^'\"]+)", re.I)
_REFERENCE = re.compile(r"\]\[[^\]\n]{0,80}\]")


class Page(HTMLParser):
    """One page: `ids`, `links` [(address, line)], `title`, `words`, `scripts`, `base`, `references` and `complete`.

    Args: want_words: keep the words of the text, for quoted passages.
    """

    def __init__(self, want_words=False):
        super().__init__(convert_charrefs=True)
        self.ids = set()
        self.links = []
        self.title = ""
        self.words = []
        self.scripts = 0
        self.canonical = None
        self.base = None
        self.references = []
        self.complete = True
        self._open = []
        self._want = want_words

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        line = self.getpos()[0]
        if given.get("id"):
            self.ids.add(given["id"])
        if tag == "a" and given.get("name"):
            self.ids.add(given["name"])
        if tag == "base" and given.get("href") and self.base is None:
            self.base = given["href"]
        if tag == "script":
            self.scripts += 1
        if tag == "link" and given.get("href"):
            relation = (given.get("rel") or "").lower().split()
            if "canonical" in relation:
                self.canonical = given["href"]
            if {"preconnect", "dns-prefetch"} & set(relation):
                return
        if tag == "meta" and (given.get("http-equiv") or "").lower() == "refresh":
            found = _REFRESH.match(given.get("content") or "")
            if found:
                self.links.append((found[1].strip(), line))
        for name in LINKS.get(tag, ()):
            value = given.get(name)
            if value is None:
                continue
            if name == "srcset":
                self.links += [(part.split()[0], line) for part in value.split(",") if part.split()]
            elif not (name == "action" and not value):
                self.links.append((value.strip(), line))
        if tag not in _VOID and tag in ("title", *_QUIET, *_CODE) and len(self._open) < 100:
            self._open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def handle_data(self, data):
        if "title" in self._open and "svg" not in self._open:
            if len(self.title) < 1000 and not self.words:
                self.title += data
            return
        if any(tag in _QUIET for tag in self._open):
            return
        if self._want:
            self.words += words(data)
        if not any(tag in _CODE for tag in self._open):
            self.references += [(found[0], self.getpos()[0]) for found in _REFERENCE.finditer(data)]


def read(data, content_type="", want_words=False, seconds=10.0):
    """Return the Page of some HTML.

    Args: data: bytes or text; content_type: header, for the charset; want_words: keep the words; seconds: time for it.
      `complete` is False when time or the buffer ran out, so that absence proves nothing then.
    """
    text = data if isinstance(data, str) else data.decode(_charset(data, content_type), errors="replace")
    page = Page(want_words)
    ends = time.monotonic() + seconds
    for start in range(0, len(text), PIECE):
        page.feed(text[start : start + PIECE])
        # A tag or comment that never ends would be scanned again for each piece.
        if len(page.rawdata) > BUFFER or time.monotonic() > ends:
            page.complete = False
            break
    else:
        if page.rawdata and not page.rawdata.lstrip().startswith("<"):
            page.handle_data(page.rawdata)
    page.title = " ".join(page.title.split())[:300]
    return page


def _charset(data, content_type):
    found = re.search(r"charset=[\"']?([A-Za-z0-9_:.-]+)", content_type) or re.search(
        rb"charset=[\"']?([A-Za-z0-9_:.-]+)", data[:2048]
    )
    name = found[1] if found else "utf-8"
    name = name.decode("ascii") if isinstance(name, bytes) else name
    try:
        "".encode(name)
        b"".decode(name)
    except (LookupError, UnicodeError):
        return "utf-8"
    return name


def words(text):
    """Return the words of a text, in one normal form, so that line breaks and widths of space do not matter."""
    return unicodedata.normalize("NFKC", text).split()


def passage(text):
    """Return (number of words, SHA-256) of a quoted passage: enough to find it again, without keeping it."""
    listed = words(text)
    return len(listed), _digest(listed)


def holds(page_words, count, digest):
    """Return True when some `count` words in a row have this digest."""
    return any(_digest(page_words[i : i + count]) == digest for i in range(len(page_words) - count + 1))


def _digest(listed):
    return hashlib.sha256(" ".join(listed).encode()).hexdigest()
