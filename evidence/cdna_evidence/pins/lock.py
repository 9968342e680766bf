# SPDX-License-Identifier: Apache-2.0
"""evidence/pins.lock: what each cited range held when it was read, and the dated list of those that nobody has read.

One JSON object a line, sorted, so that two branches merge line by line. No line of a source is kept, only digests.

    read:    repository commit path lines must_contain blob sha256 read how
    unread:  repository commit path lines unread reason

`sha256` is that of exactly the bytes of the lines, line ends included, `blob` the git blob id of the whole file, `read`
the date, `how` where the file came from: `git` (an object of that commit in a repository), `https` (the host's raw file)
or `text` (the file's text at that commit as a public index of code keeps it, copied by hand and compared by length; `blob`
is "" where not the whole file was copied).
"""

import json
import re
from typing import NamedTuple

from cdna_evidence import settings
from cdna_evidence.register.files import write_whole

from . import citation

HEADER = "# What each pinned range held when it was read, and which were never read; written by `cdna pins lock`."
_READ = {"repository", "commit", "path", "lines", "must_contain", "blob", "sha256", "read", "how"}
_UNREAD = {"repository", "commit", "path", "lines", "unread", "reason"}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
HOW = ("git", "https", "text")


class LockError(ValueError):
    """The lock is not readable; the text names file, line, what stands there and what is allowed."""


class Entry(NamedTuple):
    """One line of the lock; date is when it was read or listed.

    For a range never read, blob, sha256 and how are "" and reason is text; `line` is that of the file.
    """

    repository: str
    commit: str
    path: str
    first: int
    last: int
    must_contain: tuple
    blob: str
    sha256: str
    date: str
    how: str
    reason: str
    line: int = 0

    @property
    def key(self):
        """The same as of the Pin."""
        return self[:5]

    @property
    def is_read(self):
        """True when the lines were read."""
        return bool(self.sha256)


class PinState(NamedTuple):
    """What a reader may be told of a pin: state read, unread or stale; since when; how it was read; why not, if not."""

    state: str
    date: str
    how: str
    reason: str


class Lock:
    """The lock as loaded: `entries` {key: Entry}, and `path`."""

    def __init__(self, path, entries):
        self.path = path
        self.entries = entries

    @classmethod
    def load(cls, root=None):
        """Return the lock of a root; empty when there is no file. Raises: LockError."""
        path = (root or settings.root()) / "evidence" / "pins.lock"
        try:
            text = path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return cls(path, {})
        except (OSError, UnicodeDecodeError) as error:
            raise LockError(f"evidence/pins.lock: {error}") from None
        entries = {}
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip() or line.startswith("#"):
                continue
            entry = _entry(line, number)
            if entry.key in entries:
                raise LockError(
                    f"evidence/pins.lock:{number}: the same range stands in line {entries[entry.key].line}: keep one"
                )
            entries[entry.key] = entry
        return cls(path, entries)

    def save(self):
        """Write the lock whole or not at all."""
        lines = [_text(self.entries[key]) for key in sorted(self.entries)]
        write_whole(self.path, ("\n".join([HEADER, *lines]) + "\n").encode())

    def state(self, pin):
        """Return the PinState of a pin.

        Args: pin: a Pin, or a register's pin as a dict.
        """
        pin = pin if isinstance(pin, citation.Pin) else citation.of(pin)
        entry = self.entries.get(pin.key)
        if entry is None:
            return PinState("unread", "", "", "neither read nor listed")
        if not entry.is_read:
            return PinState("unread", entry.date, "", entry.reason)
        missing = sorted(set(pin.must_contain) - set(entry.must_contain))
        if missing:
            return PinState("stale", entry.date, entry.how, f"not looked for when it was read: {', '.join(missing)}")
        return PinState("read", entry.date, entry.how, "")


def states(root=None):
    """Return a function pin -> PinState for pages, from the lock of a root. Raises: LockError."""
    return Lock.load(root).state


def _entry(line, number):
    where = f"evidence/pins.lock:{number}"
    if line.startswith(("<<<<<<<", "=======", ">>>>>>>")):
        raise LockError(f"{where}: a merge conflict: keep both sides' lines, or run `cdna pins lock`")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise LockError(f"{where}: not a JSON object") from None
    if not isinstance(found, dict) or set(found) not in (_READ, _UNREAD):
        raise LockError(
            f"{where}: a read range has {' '.join(sorted(_READ))}; an unread one {' '.join(sorted(_UNREAD))}"
        )
    lines = found["lines"]
    right = (
        all(
            isinstance(found[name], str) and (found[name] or name == "blob")
            for name in set(found) - {"lines", "must_contain"}
        )
        and re.match(r"[0-9a-f]{40}\Z", found["commit"])
        and isinstance(lines, list)
        and len(lines) == 2
        and all(type(n) is int for n in lines)
        and 1 <= lines[0] <= lines[1]
    )
    if not right:
        raise LockError(f"{where}: commit is 40 hexadecimal digits, lines are [first, last], the rest is text")
    if "unread" in found:
        if not _DATE.match(found["unread"]):
            raise LockError(f"{where}: unread={found['unread']}: a date such as 2026-12-01")
        return Entry(
            found["repository"],
            found["commit"],
            found["path"],
            *lines,
            (),
            "",
            "",
            found["unread"],
            "",
            found["reason"],
            number,
        )
    names = found["must_contain"]
    if not (isinstance(names, list) and names and all(isinstance(name, str) for name in names)):
        raise LockError(f"{where}: must_contain: a list of identifiers")
    blob = re.match(r"[0-9a-f]{40}\Z", found["blob"]) or (found["how"] == "text" and not found["blob"])
    digests = blob and re.match(r"[0-9a-f]{64}\Z", found["sha256"])
    if not digests or not _DATE.match(found["read"]) or found["how"] not in HOW:
        raise LockError(f"{where}: blob is a git blob id, sha256 a SHA-256, read a date, how one of {', '.join(HOW)}")
    return Entry(
        found["repository"], found["commit"], found["path"], *lines, tuple(sorted(names)),
        found["blob"], found["sha256"], found["read"], found["how"], "", number,
    )  # fmt: skip


def _text(entry):
    found = {
        "repository": entry.repository,
        "commit": entry.commit,
        "path": entry.path,
        "lines": [entry.first, entry.last],
    }
    if entry.is_read:
        found |= {
            "must_contain": sorted(entry.must_contain),
            "blob": entry.blob,
            "sha256": entry.sha256,
            "read": entry.date,
            "how": entry.how,
        }
    else:
        found |= {"unread": entry.date, "reason": entry.reason}
    return json.dumps(found, ensure_ascii=False)
