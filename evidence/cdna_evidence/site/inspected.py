# SPDX-License-Identifier: Apache-2.0
"""The built site as checks see it: built once for each state of its sources, read from disk, served, and looked at in Chromium.

The browser looks at a few pages that stand for all; that every page passes is shown by the browser test.
"""

import contextlib
import functools
import hashlib
import http.server
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from html import unescape
from pathlib import Path

from cdna_evidence.checks.api import CannotTell, NotHere

from .build import SAID

WIDTHS = (390, 1440, 1920, 2560)
PAGES = (
    "",
    "cdna/",
    "cdna/lds/",
    "cdna/matrix/",
    "cdna/mfma-audit/",
    "tdm/edges/",
    "claims/",
    "mfma/v_mfma_f32_16x16x16_f16/",
)
INPUTS = ("docs", "mkdocs.yml", "evidence/claims", "evidence/sources", "evidence/cdna_evidence/site", "model")
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 1800  # most that a build may take, on a machine that does much else
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")
TAG = re.compile(r"<[^>]+>")


def digest(root):
    """Return a digest of everything that the site is made from."""
    found = hashlib.sha256()
    for name in INPUTS:
        place = Path(root) / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.suffix != ".pyc":
                found.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return found.hexdigest()


@functools.lru_cache(maxsize=1)
def built(root):
    """Return (directory, exit status, MkDocs' messages) of a strict build of the clone, kept until a source changes.

    Args: root: the folder that holds evidence/. Raises: NotHere: no clone, or the extra `site` is not installed.
    """
    root = Path(root)
    if not (root / "mkdocs.yml").is_file():
        raise NotHere("the site is built from a clone; this is an installed package")
    try:
        import material  # noqa: F401
    except ModuleNotFoundError:
        raise NotHere("the extra `site` is not installed: pip install cdna-evidence[site]") from None
    state = digest(root)
    kept = root / "build" / "check-site"
    place, stamp = kept / state[:16], kept / f"{state[:16]}.json"
    try:
        known = json.loads(stamp.read_text("utf-8"))
        if known["status"] == 0 and (place / "index.html").is_file():
            return place, known["status"], known["messages"]
    except (OSError, ValueError, KeyError):
        pass
    kept.mkdir(parents=True, exist_ok=True)
    # Built aside and moved at the end: another run may be doing the same.
    aside = Path(tempfile.mkdtemp(prefix=".building-", dir=kept))
    code = "import sys; from cdna_evidence.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "site", "build", "--output", str(aside / "site")]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=root, timeout=SECONDS)
    messages = [line for line in ran.stderr.splitlines() if line.startswith(SAID)]
    if ran.returncode == 0:
        with contextlib.suppress(OSError):  # the other run was first, with the same
            (aside / "site").rename(place)
    shutil.rmtree(aside, ignore_errors=True)
    stamp.write_text(json.dumps({"status": ran.returncode, "messages": messages}), "utf-8")
    _forget(kept, state[:16])
    return place, ran.returncode, messages


def _forget(kept, state):
    """Remove builds of earlier states that are no longer in use: they are older than any build takes."""
    for path in kept.iterdir():
        with contextlib.suppress(OSError):  # another run removes it too
            if not path.name.startswith(state) and path.stat().st_mtime < time.time() - SECONDS:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def site(root):
    """Return the directory of the built site. Raises: CannotTell: it does not build; NotHere: as `built`."""
    place, status, messages = built(str(root))
    if status:
        raise CannotTell("the site does not build: " + "; ".join(messages[:2]))
    return place


def pages(place):
    """Return {path below the site, such as "cdna/lds/": text of the page}."""
    return {str(path.relative_to(place)).removesuffix("index.html"): path.read_text("utf-8") for path in sorted(place.rglob("*.html"))}


def ids(text):
    """Return all ids of a page, in order."""
    return [unescape(name) for name in re.findall(r'\sid="?([^"\s>]+)', text)]


def section(text, identity):
    """Return a page's markup from an id to the next heading of the same or a higher level."""
    begin = re.search(rf'<h([1-6])[^>]*\sid="{re.escape(identity)}"', text)
    rest = text[begin.start() :]
    end = re.search(rf"<h[1-{begin.group(1)}][\s>]", rest[4:])
    return rest[: end.start() + 4] if end else rest


def rows(text):
    """Return the rows of all tables in a piece of markup, as lists of texts."""
    found = []
    for line in re.findall(r"<tr[^>]*>(.*?)</tr>", text, re.S):
        found.append([plain(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.S)])
    return found


def plain(markup):
    """Return markup as text."""
    return " ".join(unescape(TAG.sub(" ", markup)).split())


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        """Say nothing."""


class Served:
    """The site at an address of this machine, for as long as the `with` lasts; its value is the address with a slash."""

    def __init__(self, place):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(place)))

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return f"http://127.0.0.1:{self.server.server_port}/"

    def __exit__(self, *problem):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


@functools.lru_cache(maxsize=1)
def looked(root):
    """Return what Chromium sees on PAGES, kept until a source changes: see `look.look`.

    Args: root: as for `built`. Raises: NotHere: no Playwright or no browser; CannotTell: the site does not build.
    """
    root = Path(root)
    place = site(root)
    record = place.with_name(place.name + "-seen.json")
    try:
        return json.loads(record.read_text("utf-8"))
    except (OSError, ValueError):
        pass
    from . import look

    with Served(place) as address:
        seen = look.look(address, PAGES, WIDTHS, root / "build" / "screenshots")
    record.write_text(json.dumps(seen), "utf-8")
    return seen
