# SPDX-License-Identifier: Apache-2.0
"""What the sources of the site say of links, offline: files that the text names, and how each cited address was reached."""

import datetime
import re
import types

from cdna_evidence.checks import Check


class LinksInText(Check):
    """Relative links of the Markdown text, each looked up among the files and the pages that are made.

    Shows: that the file named is there or is one that the site makes.
    Does not show: places inside a page; the check of the built site does.
    """

    claim = "SITE-005"
    kind = "links"
    binds = ("missing_sources", "found_of_two")

    def observe(self, target, tools):
        docs = tools.root / "docs"
        made = {f"claims/{name}.md" for name in tools.register.claims} | {f"sources/{name}.md" for name in tools.register.sources}
        files = {path.relative_to(docs).as_posix() for path in docs.rglob("*") if path.is_file()}
        texts = {path.relative_to(docs).as_posix(): path.read_text("utf-8") for path in docs.rglob("*.md")}
        if len(texts) < 20:
            return {}
        lost = missing(texts, files | made)
        wrong = {"a/b.md": "[x](c.md) [y](../a/b.md) [z](../nothing.md#d) ![w](https://example.org/x.md)"}
        return {"missing_sources": len(lost), "found_of_two": len(missing(wrong, {"a/b.md"}))}


def missing(texts, files):
    """Return [(page, link)] of relative links whose file is not there; code and addresses are left out.

    Args: texts: {path: Markdown}; files: all paths. Pages and documents that the build makes from the model or the
    register (mfma/, wmma/, *.json, feeds) are left to the check of the built site.
    """
    found = []
    for path, text in texts.items():
        text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"[a-z]+:|#", link):
                continue
            parts = path.split("/")[:-1]
            for step in link.split("#")[0].split("/"):
                parts = parts[:-1] if step == ".." else parts + [step]
            if parts[0] not in ("mfma", "wmma") and parts[-1].endswith((".md", ".py", ".png", ".svg", ".css", ".js")) and "/".join(parts) not in files:
                found.append((path, link))
    return found


class Addresses(Check):
    """How each cited address was reached, as the register says it: a word, a date where read, a reason where not.

    Shows: the register as it stands, and that the rule finds three faults made on purpose.
    Does not show: that an address answers now: `cdna links` asks and dates its answer.
    """

    claim = "SITE-006"
    kind = "links"
    binds = ("without_state", "read_without_date", "not_read_without_reason", "from_the_future", "found_of_three")

    def observe(self, target, tools):
        sources = [source for source in tools.register.sources.values() if source.url or source.repository]
        if len(sources) < 20:
            return {}
        today = datetime.datetime.now(datetime.UTC).date()
        found = faults(sources, today)
        day = today + datetime.timedelta(days=2)
        access = [("read", None, None), ("quoted", None, None), ("read", day, None), ("read", today, None), ("unread", None, "why")]
        made_up = [types.SimpleNamespace(access=types.SimpleNamespace(state=state, date=date, note=note)) for state, date, note in access]
        return {**found, "found_of_three": sum(faults(made_up, today).values())}


def faults(sources, today):
    """Return how many sources break each rule."""
    found = {"without_state": 0, "read_without_date": 0, "not_read_without_reason": 0, "from_the_future": 0}
    for source in sources:
        access = source.access
        date = access.date if not isinstance(access.date, str) else datetime.date.fromisoformat(access.date)
        found["without_state"] += access.state not in ("read", "quoted", "unread")
        found["read_without_date"] += access.state == "read" and date is None
        found["not_read_without_reason"] += access.state in ("quoted", "unread") and not access.note
        found["from_the_future"] += date is not None and date > today + datetime.timedelta(days=1)
    return found
