# SPDX-License-Identifier: Apache-2.0
"""Judging pins: against the lock, against the file at the pinned commit, and against a newer revision."""

import hashlib
from typing import NamedTuple

from cdna_evidence.reports import Item

from .lock import Entry


class Text:
    """A file cut into lines at each line feed, once for all its pins."""

    def __init__(self, data):
        self.data = data
        self.lines = data.split(b"\n")
        if self.lines[-1] == b"":
            self.lines.pop()
            self.ended = True
        else:
            self.ended = False

    def bytes_of(self, first, last):
        """Return exactly the bytes of some lines, line ends included, or None when the file has fewer lines."""
        if last > len(self.lines):
            return None
        end = b"\n" if last < len(self.lines) or self.ended else b""
        return b"\n".join(self.lines[first - 1 : last]) + end


class Verdict(NamedTuple):
    """What became of a pin: outcome and state for programs, items for reports.

    state: locked (consistent with the lock, not read again), read (read again and the same), unread, unlisted, stale,
    changed, unreachable. against: None, or {"state": same|moved|changed|gone|unknown, "lines": [first, last] or None}.
    """

    pin: object
    outcome: str
    state: str
    message: str
    items: tuple
    against: dict | None = None


def offline(pin, entry):
    """Return the Verdict of a pin from the lock alone.

    Args: entry: of the lock, or None.
    """
    if entry is None:
        return _verdict(
            pin,
            "failed",
            "unlisted",
            "pin-unlisted",
            "neither read nor listed as unread: `cdna pins lock --git DIR`, or `--unread REASON`",
        )
    if not entry.is_read:
        return _verdict(pin, "untested", "unread", "pin-unread", f"never read; since {entry.date}: {entry.reason}")
    missing = sorted(set(pin.must_contain) - set(entry.must_contain))
    if missing:
        return _verdict(
            pin,
            "failed",
            "stale",
            "pin-stale",
            f"not looked for when it was read on {entry.date}: {', '.join(missing)}; lock it again",
        )
    return _verdict(pin, "passed", "locked", "", f"read on {entry.date} ({entry.how}); not read again now")


def reading(pin, entry, file, texts):
    """Return the Verdict of a pin whose file was asked for.

    Args: entry: of the lock, or None; file: readers.File; texts: {blob: Text}, shared by the pins of a file.
    """
    before = offline(pin, entry)
    if file.data is None:
        if file.missing:
            return _verdict(pin, "failed", "changed", "pin-path", file.why)
        return (
            _verdict(pin, "cantTell", "unreachable", "pin-unreachable", file.why)
            if before.outcome == "passed"
            else before
        )
    text = texts.get(file.blob) or texts.setdefault(file.blob, Text(file.data))
    rule, message = _wrong(pin, text)
    if rule:
        return _verdict(pin, "failed", "changed", rule, message)
    if entry is None or not entry.is_read:
        note = "; it can be read now: `cdna pins lock`" if entry else ""
        return before._replace(message=before.message + note)
    if before.outcome == "failed":
        return before
    digest = hashlib.sha256(text.bytes_of(pin.first, pin.last)).hexdigest()
    if digest != entry.sha256:
        return _verdict(
            pin,
            "failed",
            "changed",
            "pin-changed",
            f"other bytes than those read on {entry.date}: {digest[:12]}, locked {entry.sha256[:12]}",
        )
    if entry.blob and file.blob != entry.blob:
        return _verdict(
            pin,
            "failed",
            "changed",
            "pin-blob",
            f"the lines are the same, the file is not: blob {file.blob[:12]}, locked {entry.blob[:12]}",
        )
    return _verdict(pin, "passed", "read", "", f"as read on {entry.date}")


def lock_entry(pin, file, texts, today, how):
    """Return (Entry, "") for a pin that could be read, else (None, why).

    Args: file: readers.File; today: date in text; how: of the reader.
    """
    if file.data is None:
        return None, file.why
    text = texts.get(file.blob) or texts.setdefault(file.blob, Text(file.data))
    rule, message = _wrong(pin, text)
    if rule:
        return None, message
    digest = hashlib.sha256(text.bytes_of(pin.first, pin.last)).hexdigest()
    return Entry(*pin.key, pin.must_contain, file.blob, digest, today, how, ""), ""


def _wrong(pin, text):
    block = text.bytes_of(pin.first, pin.last)
    if block is None:
        return "pin-range", f"the file has {len(text.lines)} lines"
    missing = [name for name in pin.must_contain if name.encode() not in block]
    if missing:
        return "pin-identifier", f"not in these lines: {', '.join(missing)}"
    return "", ""


def newer(pin, entry, file, texts):
    """Return {"state", "lines"} of a pin in a newer revision.

    State: same, moved (the same lines, elsewhere), changed (every identifier is in the file; lines: the shortest stretch
    that holds them all), gone, unknown (never read, or no file to be had). Needs only the lock, not the pinned file.
    """
    if entry is None or not entry.is_read or (file.data is None and not file.missing):
        return {"state": "unknown", "lines": None}
    if file.data is None:
        return {"state": "gone", "lines": None}
    text = texts.get(file.blob) or texts.setdefault(file.blob, Text(file.data))
    length = pin.last - pin.first + 1
    starts = range(1, len(text.lines) - length + 2)
    # Nearest first, so that of several equal stretches the likeliest is named.
    for start in sorted(starts, key=lambda line: abs(line - pin.first)):
        if hashlib.sha256(text.bytes_of(start, start + length - 1)).hexdigest() == entry.sha256:
            return {"state": "same" if start == pin.first else "moved", "lines": [start, start + length - 1]}
    stretch = _stretch([name.encode() for name in pin.must_contain], text.lines)
    return {"state": "changed" if stretch else "gone", "lines": stretch}


def _stretch(names, lines):
    """Return [first, last] of the shortest run of lines that holds every name, or None."""
    last_seen, best = {}, None
    for number, line in enumerate(lines, 1):
        hit = False
        for name in names:
            if name in line:
                last_seen[name] = number
                hit = True
        if hit and len(last_seen) == len(names):
            first = min(last_seen.values())
            if best is None or number - first < best[1] - best[0]:
                best = [first, number]
    return best


_AGAINST = {
    "same": ("", "passed", "still says it, on the same lines"),
    "moved": ("pin-moved", "passed", "still says it, now at"),
    "changed": ("pin-drift-changed", "passed", "changed; its identifiers are now at"),
    "gone": ("pin-drift-gone", "passed", "gone"),
    "unknown": ("pin-unreachable", "cantTell", "could not be told"),
}


def with_newer(verdict, found, revision):
    """Return a Verdict that also says what a newer revision does. A newer revision never makes a pin wrong."""
    rule, outcome, says = _AGAINST[found["state"]]
    where = f" L{found['lines'][0]}-L{found['lines'][1]}" if found["lines"] and found["state"] != "same" else ""
    message = f"{revision}: {says}{where}"
    severity = "info" if found["state"] in ("same", "moved", "unknown") else "warning"
    items = tuple(verdict.items)
    if rule:
        items += (_item(verdict.pin, rule, severity, outcome, message),)
    outcome = "cantTell" if found["state"] == "unknown" and verdict.outcome == "passed" else verdict.outcome
    return verdict._replace(
        outcome=outcome, message=f"{verdict.message}; {message}", items=items, against={"revision": revision, **found}
    )


def leftovers(pins, lock):
    """Return the Items about the lock itself: lines that nothing cites, and one file with two contents."""
    cited = {pin.key for pin in pins}
    items, blobs = [], {}
    for key, entry in lock.entries.items():
        name = f"{entry.path}#L{entry.first}-L{entry.last}"
        if key not in cited:
            rule = "pin-lock-unneeded" if entry.is_read else "pin-list-unneeded"
            items.append(
                Item(
                    rule,
                    "error",
                    "failed",
                    name,
                    "nothing cites it: `cdna pins lock` takes it out",
                    "evidence/pins.lock",
                    entry.line,
                )
            )
        if entry.blob:
            other = blobs.setdefault(key[:3], entry)
            if other.blob != entry.blob:
                message = f"blob {entry.blob[:12]}, in line {other.line} {other.blob[:12]}: lock both again"
                items.append(Item("pin-conflict", "error", "failed", name, message, "evidence/pins.lock", entry.line))
    return items


def _verdict(pin, outcome, state, rule, message):
    severity = {"failed": "error", "cantTell": "warning"}.get(outcome, "info")
    return Verdict(pin, outcome, state, message, (_item(pin, rule, severity, outcome, message),))


def _item(pin, rule, severity, outcome, message):
    file, line, claim = pin.cited_by[0] if pin.cited_by else ("", 0, None)
    return Item(rule, severity, outcome, str(pin), message, file, line, claim)
