# SPDX-License-Identifier: Apache-2.0
"""A small clone of its own with a made-up register, and what a maintainer does to it between two versions."""

import functools
import html.parser
import http.server
import os
import shutil
import subprocess
import sys
import threading
import urllib.parse
import urllib.request

SOURCE = """\
key: BOOK
title: A book
kind: book
publisher: Somebody
url: https://example.org/book
owning_layer: isa
checked_area: All of it.
access: {state: read, date: 2026-12-01}
licence: not stated
errata:
  - {locator: "table 67 & <b>", says: One., correct: Two., basis: The text., date: 2026-12-03, claims: [TDM-001]}
"""
CLAIM = """\
- id: %(id)s
  key: tdm.%(key)s
  title: "About %(key)s"
  targets: [gfx1250]
  layer: isa
  statement: The number of %(key)s is {number}.
  boundary: Nothing about <hardware> & friends.
  values: {gfx1250: {number: %(number)s}}
  evidence: [{source: BOOK, locator: chapter 1, stance: supports}]
  covers: []
  revision: 1
  status: active
  since: "2026.12"

"""
MKDOCS = """\
site_name: Small
docs_dir: docs
strict: true
use_directory_urls: true
theme: {name: material, font: false}
extra: {generator: false}
validation:
  links: { not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: warn }
plugins: [search, cdna-evidence]
markdown_extensions: [attr_list, {toc: {permalink: true}}]
"""
PAGES = {
    "index.md": "# Small\n\n[[claim:TDM-001]]\n",
    "method.md": "# Method\n",
    "report.md": "# Report\n",
    "claims/index.md": "# Claims\n\n::claim-index\n",
    "sources/index.md": "# Sources\n\n::source-index\n",
    "changes.md": "# What changed\n\n::changes\n",
}
FIRST, SECOND = "2026.12", "2027.01"
CHAPTER = "evidence/claims/tdm.yml"


class Clone:
    """The clone. `cdna` runs the command line in it, as a person would."""

    def __init__(self, root):
        self.root = root
        for folder in ("evidence/claims", "evidence/sources", "evidence/vectors", "docs/claims", "docs/sources"):
            (root / folder).mkdir(parents=True)
        self.write("evidence/sources/book.yml", SOURCE)
        words = ("intervals", "counts", "strides", "modes", "gaps")
        claims = [CLAIM % {"id": f"TDM-00{n}", "key": word, "number": n} for n, word in enumerate(words, 1)]
        self.write(CHAPTER, "".join(claims))
        self.write("evidence/ids.lock", "")
        self.write("pyproject.toml", "")
        self.write(".gitignore", "build/\n")
        self.write("mkdocs.yml", MKDOCS)
        for name, text in PAGES.items():
            self.write("docs/" + name, text)
        self.git("init", "-q")

    def copy(self, root):
        """Return a copy of this clone, with its git history, in another place."""
        one = object.__new__(Clone)
        one.root = shutil.copytree(self.root, root)
        return one

    def write(self, name, text):
        (self.root / name).write_text(text, "utf-8")

    def change(self, old, new, within=None):
        """Replace text that stands exactly once, in the whole chapter or in one claim of it."""
        text = (self.root / CHAPTER).read_text("utf-8")
        start = text.index(f"- id: {within}") if within else 0
        end = text.find("\n- id: ", start + 1) if within else -1
        part = text[start : end if end > 0 else len(text)]
        assert part.count(old) == 1, (old, part)
        self.write(CHAPTER, text[:start] + part.replace(old, new) + text[start + len(part) :])

    def add(self, identity, key, number):
        text = (self.root / CHAPTER).read_text("utf-8")
        self.write(CHAPTER, text + CLAIM % {"id": identity, "key": key, "number": number})

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "CDNA_"))}
        kept.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", SOURCE_DATE_EPOCH="1796083200", **more)
        return kept

    def cdna(self, *words, status=0, **environment):
        """Run `cdna` here and return (standard output, standard error)."""
        code = "import sys; from cdna_evidence.cli import main; sys.exit(main())"
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=self.root,
            env=self.environment(**environment),
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == status, (words, done.stdout, done.stderr)
        return done.stdout, done.stderr

    def git(self, *words):
        identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
        done = subprocess.run(
            ["git", *identity, "-C", str(self.root), *words], capture_output=True, text=True, env=self.environment()
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-qm", "x")

    def lock(self):
        """Record in the ledger what is new, and commit."""
        self.cdna("claim", "lock")
        self.commit()


def first_version(clone, site_url):
    """Five claims are stated and published."""
    clone.lock()
    clone.cdna("site", "deploy", "--version", FIRST, CDNA_SITE_URL=site_url)


def between(clone):
    """A rename, a revision, a withdrawal, a split, two revisions of one claim, and an id that never got a claim."""
    clone.change("  key: tdm.intervals\n", "  key: tdm.spacing\n  was: [tdm.intervals]\n", "TDM-001")
    clone.change("number: 2", "number: 22", "TDM-002")
    clone.change("revision: 1", "revision: 2", "TDM-002")
    clone.change("number: 5", "number: 55", "TDM-005")
    clone.change("revision: 1", "revision: 2", "TDM-005")
    clone.lock()
    clone.change("number: 55", "number: 555", "TDM-005")
    clone.change("revision: 2", "revision: 3", "TDM-005")
    clone.add("TDM-006", "modes.load", 6)
    clone.add("TDM-007", "modes.store", 7)
    clone.lock()
    clone.cdna("claim", "withdraw", "TDM-003", "--reason", "The source was misread.")
    successors = ["--successor", "TDM-006", "--successor", "TDM-007"]
    clone.cdna("claim", "withdraw", "TDM-004", "--reason", "Loads and stores differ.", *successors)
    clone.cdna("claim", "new", "--chapter", "tdm", "--key", "tdm.never", "--title", "Never stated")
    clone.cdna("claim", "withdraw", "TDM-008", "--reason", "It said nothing new.")
    clone.lock()


def second_version(clone, site_url):
    clone.cdna("site", "deploy", "--version", SECOND, CDNA_SITE_URL=site_url)


class _Refresh(html.parser.HTMLParser):
    target = None

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "meta" and found.get("http-equiv") == "refresh":
            self.target = found["content"].partition("url=")[2]


class Host:
    """The published tree on a static server of this machine, below /kb/, as a project's site is."""

    def __init__(self):
        host = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *args):
                pass

            def translate_path(self, path):
                plain = urllib.parse.unquote(urllib.parse.urlsplit(path).path)
                return super().translate_path(
                    plain.removeprefix("/kb") if plain.startswith("/kb/") else "/nothing-here"
                )

        self.directory = None
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *a: Handler(*a, directory=str(host.directory))
        )
        self.url = f"http://127.0.0.1:{self.server.server_port}/kb/"
        self.thread = threading.Thread(target=functools.partial(self.server.serve_forever, poll_interval=0.05))
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def get(self, path):
        """Return (path after redirects of the server, body). Raises: urllib.error.HTTPError."""
        with urllib.request.urlopen(self.url + path, timeout=120) as answer:
            return answer.url.removeprefix(self.url), answer.read().decode("utf-8")

    def follow(self, path):
        """Return (path, body) where a reader ends, through the server's redirects and at most one refresh."""
        path, body = self.get(path)
        parser = _Refresh()
        parser.feed(body)
        if parser.target is None:
            return path, body
        end = urllib.parse.urljoin(self.url + path, parser.target)
        assert end.startswith(self.url), end
        path, body = self.get(end.removeprefix(self.url))
        parser = _Refresh()
        parser.feed(body)
        assert parser.target is None, "a redirect leads to a page, not to another redirect"
        return path, body
