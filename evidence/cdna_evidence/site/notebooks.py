# SPDX-License-Identifier: Apache-2.0
"""Notebook pages: kernels of this very Python that leave nothing behind, and pages as plain and light as all others.

mkdocs-jupyter executes a notebook and writes the look of JupyterLab into each page: half a megabyte of styles, scripts
and random ids. `plain` keeps the text, the code and the results, in the markup that the other pages have, and resolves
the links, which mkdocs-jupyter leaves as they are written.
"""

import contextlib
import html
import json
import os
import posixpath
import re
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

from .extension import SiteError

FOLDER = "notebooks/"
SECONDS = 300  # most of one cell; an endless loop ends the build, not the patience
START = 300  # most that a kernel may take to start, on a machine that does much else
CLAIM_LINK = re.compile(r"\]\(\.\./claims/([A-Z][A-Z0-9]*-[0-9]+)\.md")
_MARKS = re.compile(r"\[\[(?:claim|see):")
_VOID = ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
_DROPPED = {
    "jp-InputPrompt",
    "jp-OutputPrompt",
    "jp-Collapser",
    "celltoolbar",
    "zeroclipboard-container",
    "clipboard-copy-txt",
}
_FRAMES = re.compile(r"(^| )(jp-|jupyter-wrapper|CodeMirror)")
_LICENCE = re.compile(r'<div class="highlight"><pre><code>(?:<[^>]*>|\s)*# SPDX-[^<]*(?:<[^>]*>|\s)*</code></pre></div>')
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#|/", re.I)


@contextlib.contextmanager
def environment():
    """Let kernels run with this interpreter, without any setting of the user's, and without a trace in a home directory.

    The name python3 could lead to another Python: a kernel that somebody once installed for it. Everything that Jupyter
    and IPython read or write lies in a directory that is gone afterwards.
    """
    with tempfile.TemporaryDirectory(prefix="cdna-notebooks-", ignore_cleanup_errors=True) as name:
        top = Path(name)
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        kernel = {"argv": argv, "display_name": "Python 3", "language": "python"}
        # A kernel on this machine warns of its unencrypted loopback connection each time; no history is kept.
        quiet = "c.IPKernelApp.log_level = 40\nc.HistoryManager.enabled = False\nc.InteractiveShell.colors = 'nocolor'\n"
        wanted = {
            "share/kernels/python3/kernel.json": json.dumps(kernel),
            "config/jupyter_nbconvert_config.json": json.dumps({"NotebookClient": {"timeout": SECONDS, "startup_timeout": START}}),
            "ipython/profile_default/ipython_kernel_config.py": quiet,
            "runtime/.keep": "",
        }
        for path, text in wanted.items():
            (top / path).parent.mkdir(parents=True, exist_ok=True)
            (top / path).write_text(text)
        values = {
            "JUPYTER_PATH": "share",
            "JUPYTER_DATA_DIR": "share",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTER_CONFIG_PATH": "config",
            "JUPYTER_RUNTIME_DIR": "runtime",
            "IPYTHONDIR": "ipython",
        }
        before = {key: os.environ.get(key) for key in values}
        os.environ.update({key: str(top / path) for key, path in values.items()})
        try:
            yield
        finally:
            for key, value in before.items():
                if value is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = value


def is_notebook(source):
    """Say whether a source path is that of a notebook.

    Args: source: path below docs/, such as "notebooks/ragged.py".
    """
    return source.startswith(FOLDER) and source.endswith(".py")


def title_and_uses(text):
    """Return the title of a notebook, and its claims in the marks that pages use.

    Args: text: of the percent file.
    """
    title = next((line[4:].strip() for line in text.splitlines() if line.startswith("# # ")), "")
    return title, "\n".join(f"[[see:{identity}]]" for identity in CLAIM_LINK.findall(text))


def failure(error):
    """Return the message of a cell that failed, ran too long or lost its kernel; None for any other error."""
    try:
        from nbclient import exceptions
    except ModuleNotFoundError:
        return None
    kinds = (exceptions.CellExecutionError, exceptions.CellTimeoutError, exceptions.DeadKernelError)
    return f"a notebook failed: {str(error).strip().splitlines()[-1]}" if isinstance(error, kinds) else None


def plain(markup, source, resolve):
    """Return a notebook page in the markup of the other pages.

    Args: markup: what mkdocs-jupyter made; source: path below docs/; resolve: a function from a source path to the
      link from this page, or None where there is no such page.
    Raises: SiteError: a link to no page, or a claim's mark, which notebooks do not have.
    """
    if _MARKS.search(markup):
        raise SiteError(f"{source}: [[claim:...]] and [[see:...]] do nothing in a notebook; link ../claims/TDM-001.md")
    parser = _Plain(source, resolve)
    parser.feed(markup)
    parser.close()
    name = posixpath.basename(source)
    note = f'Everything above was computed when this site was built, from <a href="{name}" download>{name}</a>'
    return _LICENCE.sub("", "".join(parser.out), count=1) + f'<p class="cdna-quiet">{note}, with the package <code>cdna</code>.</p>'


class _Plain(HTMLParser):
    """Copies a notebook page and leaves out what belongs to JupyterLab."""

    def __init__(self, source, resolve):
        super().__init__(convert_charrefs=False)
        self.source, self.resolve = source, resolve
        self.out, self.ends = [], []  # ends: (tag, what closes it) of all open elements
        self.skipped = 0  # open elements inside one that is left out
        self.folded = False  # the next code is shown on demand

    def handle_starttag(self, tag, attrs):
        if self.skipped:
            self.skipped += tag not in _VOID
            return
        given = dict(attrs)
        classes = given.get("class") or ""
        if tag in ("style", "script") or _DROPPED & set(classes.split()):
            self.skipped = 1
            return
        start, end = self._element(tag, given, classes)
        self.out.append(start)
        if tag not in _VOID:
            self.ends.append((tag, end))

    def _element(self, tag, given, classes):
        end = f"</{tag}>"
        if "celltag_fold" in classes:
            self.folded = True
        if tag == "div" and "highlight-ipynb" in classes:
            if self.folded:
                self.folded = False
                more = '<details class="cdna-more"><summary>The code of the drawing</summary>'
                return more + '<div class="highlight">', end + "</details>"
            return '<div class="highlight">', end
        if tag == "pre" and self.out[-1].endswith('<div class="highlight">'):
            return "<pre><code>", "</code></pre>"
        if tag == "div" and "jp-RenderedText" in classes:
            return '<div class="cdna-output cdna-result" tabindex="0" role="region" aria-label="Output of the code above">', end
        if tag == "div" and _FRAMES.search(classes):
            return "", ""
        if tag == "table" and not classes:
            box = '<div class="cdna-scroll" tabindex="0" role="region" aria-label="table">'
            return box + '<table class="cdna-table">', end + "</div>"
        if tag == "a" and "anchor-link" in classes:
            return f'<a class="headerlink" href="{html.escape(given["href"])}" title="Permanent link">', end
        if tag == "a" and given.get("href") and not _ELSEWHERE.match(given["href"]):
            kind = ' class="cdna-mono"' if CLAIM_LINK.match(f"]({given['href']}") else ""
            return f'<a href="{html.escape(self._link(given["href"]))}"{kind}>', end
        return self.get_starttag_text(), end

    def _link(self, href):
        path, hash_, anchor = href.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self.source), path))
        found = self.resolve(target)
        if found is None:
            raise SiteError(f"{self.source}: link to {href}: there is no page {target}")
        return found + hash_ + anchor

    def handle_startendtag(self, tag, attrs):
        if not self.skipped:
            self.out.append(self.get_starttag_text())

    def handle_endtag(self, tag):
        if self.skipped:
            self.skipped -= tag not in _VOID
        elif self.ends and self.ends[-1][0] == tag:
            self.out.append(self.ends.pop()[1])
        else:
            raise SiteError(f"{self.source}: </{tag}> closes nothing")

    def handle_data(self, data):
        self._copy(data)

    def handle_entityref(self, name):
        self._copy(f"&{name};")

    def handle_charref(self, name):
        self._copy(f"&#{name};")

    def _copy(self, text):
        if not self.skipped:
            self.out.append(text)
