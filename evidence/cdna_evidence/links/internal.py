# SPDX-License-Identifier: Apache-2.0
"""Internal links of a built site, on disk and offline: pages, anchors, images, raw HTML, notebooks, SVG and CSS.

Every link that stays on the site must lead to a file of the tree, and every anchor to an element of that file. A tree with
several versions is checked as one, so a link from one version to another counts as well.
"""

import os
import posixpath
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from . import html

_ELSEWHERE = ("mailto:", "tel:", "data:", "javascript:", "blob:", "about:")
_CSS = re.compile(r"/\*.*?\*/|url\(\s*(?:\"([^\"]*)\"|'([^']*)'|([^)\"'\s]*))\s*\)", re.S)


class Broken(NamedTuple):
    """A link that leads nowhere: rule, file of the tree, line, the link as written, what is wrong."""

    rule: str
    file: str
    line: int
    link: str
    message: str


class Report(NamedTuple):
    """What a tree came to: files read, links followed inside it, Broken ones, external addresses [(url, file, line)]."""

    pages: int
    links: int
    broken: list
    external: list


def check(site, base=None, ignore=(), otherwise="/"):
    """Check a built tree.

    Args: site: its directory; base: the address that its top is published at (default: the canonical link of its index
      page, else `otherwise`); ignore: links as written that may lead nowhere; one that is not needed is itself an error.
    Returns: Report.
    Raises: OSError: the directory cannot be read.
    """
    tree = _Tree(Path(site))
    return tree.check(base if base is not None else tree.canonical() or otherwise, ignore)


class _Tree:
    def __init__(self, top):
        self.top = top
        self.files = set()
        self.folders = {""}
        self.pages = {}
        if not top.is_dir():
            raise NotADirectoryError("not a directory")
        real = os.path.realpath(top)
        for folder, names, files in os.walk(top, followlinks=True):
            relative = os.path.relpath(folder, top).replace(os.sep, "/")
            relative = "" if relative == "." else relative
            # `latest` is a link to a version; a link that leads out of the tree, or round in it, is not walked.
            names[:] = [
                name
                for name in sorted(names)
                if name != ".git" and self._inside(os.path.join(folder, name), folder, real)
            ]
            self.folders.update(posixpath.join(relative, name) for name in names)
            self.files.update(posixpath.join(relative, name) for name in files)

    @staticmethod
    def _inside(path, folder, real):
        if not os.path.islink(path):
            return True
        place = os.path.realpath(path)
        here = os.path.realpath(folder)
        return place.startswith(real + os.sep) and not (here + os.sep).startswith(place + os.sep)

    def canonical(self):
        page = self.page("index.html") if "index.html" in self.files else None
        return page.canonical if page and page.canonical and page.canonical.endswith("/") else None

    def page(self, name):
        """Return the html.Page of a file, read once also when two names lead to it."""
        real = os.path.realpath(self.top / name)
        if real not in self.pages:
            # Our own build, trusted to end: all the time it needs.
            self.pages[real] = html.read(Path(real).read_bytes(), seconds=3600.0)
        return self.pages[real]

    def check(self, base, ignore):
        parts = urlsplit(base)
        self.origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else "http://site.invalid"
        self.prefix = parts.path if parts.path.endswith("/") else parts.path + "/"
        broken, external, count, pages, used, done = [], [], 0, 0, set(), set()
        for name in sorted(self.files):
            if not name.endswith((".html", ".htm", ".svg", ".css")):
                continue
            real = os.path.realpath(self.top / name)
            if os.path.islink(self.top / name) or real in done:
                continue  # another name of a file that was checked
            done.add(real)
            pages += 1
            for link, line in self._links(name):
                if link in ignore:
                    if self._follow(name, link) is not None:
                        used.add(link)
                    continue
                if self._leaves(name, link):
                    external.append((link, name, line))
                    continue
                count += 1
                wrong = self._follow(name, link)
                if wrong:
                    broken.append(Broken(wrong[0], name, line, link, wrong[1]))
            if name.endswith((".html", ".htm")):
                for text, line in self.page(name).references:
                    broken.append(
                        Broken("internal-reference", name, line, text, "a Markdown reference that was not resolved")
                    )
        for link in sorted(set(ignore) - used):
            broken.append(Broken("internal-exception", "", 0, link, "the exception is not needed: take it out"))
        return Report(pages, count, broken, external)

    def _links(self, name):
        if name.endswith(".css"):
            text = (self.top / name).read_text("utf-8", errors="replace")
            found = []
            for match in _CSS.finditer(text):
                link = match[1] or match[2] or match[3]
                if link and not link.lower().startswith(_ELSEWHERE):
                    found.append((link, text.count("\n", 0, match.start()) + 1))
            return found
        return [(link, line) for link, line in self.page(name).links if not link.lower().startswith(_ELSEWHERE)]

    def _address(self, name, link):
        here = self.origin + self.prefix + name
        base = self.page(name).base if name.endswith((".html", ".htm")) else None
        return urlsplit(urljoin(urljoin(here, base) if base else here, link))

    def _leaves(self, name, link):
        try:
            parts = self._address(name, link)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and f"{parts.scheme}://{parts.netloc}" != self.origin

    def _follow(self, name, link):
        """Return None when a link leads somewhere, else (rule, message)."""
        try:
            parts = self._address(name, link)
        except ValueError as error:
            return "internal-missing", f"not a link: {error}"
        if parts.scheme not in ("http", "https"):
            return "internal-missing", f"scheme {parts.scheme}: not one that a page may use"
        path = unquote(parts.path)
        if not (path + "/").startswith(self.prefix):
            return "internal-outside", f"leaves the site, whose top is {self.prefix}"
        inside = path[len(self.prefix) :]
        target = inside.rstrip("/")
        if target in self.folders:
            if inside and not inside.endswith("/"):
                return "internal-missing", f"{inside} is a folder: end the link with a slash"
            target = posixpath.join(target, "index.html")
        elif inside.endswith("/"):
            return "internal-missing", f"no folder {inside}"
        if target not in self.files:
            return "internal-missing", f"no file {target}"
        fragment = unquote(parts.fragment.split(":~:", 1)[0])
        if fragment in ("", "top") or not target.endswith((".html", ".htm", ".svg")):
            return None
        if fragment not in self.page(target).ids and parts.fragment not in self.page(target).ids:
            near = [one for one in self.page(target).ids if one.lower() == fragment.lower()]
            return "internal-anchor", f"no anchor #{fragment} in {target}" + (f"; there is #{near[0]}" if near else "")
        return None
