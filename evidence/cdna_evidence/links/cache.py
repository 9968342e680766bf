# SPDX-License-Identifier: Apache-2.0
"""What was found good lately, so that it need not be asked again: only good answers are kept, never a failure."""

import json
import time
from pathlib import Path

from cdna_evidence.register.files import write_whole

SCHEMA = 1
FRESH = 24 * 3600.0
KEPT = 90 * 24 * 3600.0


class Cache:
    """Good answers by URL with fragment.

    Args: path: of the file, or None to keep nothing; fresh: seconds during which nothing is asked; clock: seconds since
      1970.
    An unreadable file counts as empty: the cache may cost a request, never an answer.
    """

    def __init__(self, path=None, fresh=FRESH, clock=time.time):
        self.path = Path(path) if path else None
        self.fresh = fresh
        self.clock = clock
        self.entries = {}
        try:
            found = json.loads(self.path.read_text("utf-8")) if self.path else None
            if isinstance(found, dict) and found.get("schema") == SCHEMA and isinstance(found.get("good"), dict):
                self.entries = {url: entry for url, entry in found["good"].items() if _right(entry)}
        except (OSError, ValueError, RecursionError):
            pass

    def fresh_entry(self, url, subject):
        """Return the entry when it is young enough to stand without asking, and answers the same question.

        Args: subject: text that names the question (fragment, recorded passage); another question is another entry.
        """
        entry = self.entry(url, subject)
        age = self.clock() - entry["checked"] if entry else None
        return entry if entry and 0 <= age < self.fresh else None

    def entry(self, url, subject):
        """Return the entry of whatever age, or None."""
        entry = self.entries.get(url)
        return entry if entry and entry["subject"] == subject else None

    def good(self, url, subject, final, headers, title=""):
        """Keep a good answer with its validators."""
        self.entries[url] = {
            "subject": subject,
            "final": final,
            "etag": headers.get("etag", "")[:500],
            "modified": headers.get("last-modified", "")[:100],
            "checked": self.clock(),
            "title": title,
        }

    def bad(self, url):
        """Forget a URL: what stood before stands no longer."""
        self.entries.pop(url, None)

    def save(self):
        """Write the cache whole or not at all."""
        if not self.path:
            return
        now = self.clock()
        kept = {url: entry for url, entry in sorted(self.entries.items()) if now - entry["checked"] < KEPT}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(
            self.path, (json.dumps({"schema": SCHEMA, "good": kept}, ensure_ascii=False, indent=0) + "\n").encode()
        )


def _right(entry):
    texts = ("subject", "final", "etag", "modified", "title")
    return (
        isinstance(entry, dict)
        and all(isinstance(entry.get(name), str) for name in texts)
        and isinstance(entry.get("checked"), (int, float))
        and not isinstance(entry.get("checked"), bool)
    )
