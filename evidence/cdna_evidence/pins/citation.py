# SPDX-License-Identifier: Apache-2.0
"""The pinned citations of the register: lines of a file at a commit, and the identifiers that must stand in them."""

import re
from typing import NamedTuple


class Pin(NamedTuple):
    """One cited range: repository, commit, path, first and last line (from 1), identifiers, and who cites it.

    cited_by: ((file, line, claim id or source key), ...), in order.
    """

    repository: str
    commit: str
    path: str
    first: int
    last: int
    must_contain: tuple
    cited_by: tuple = ()

    @property
    def key(self):
        """What makes a pin the same pin: everything but the identifiers and those who cite it."""
        return self[:5]

    def __str__(self):
        home = self.repository.removeprefix("https://github.com/")
        return f"{home}@{self.commit[:12]}:{self.path}#L{self.first}-L{self.last}"


def of(pin):
    """Return the Pin of a register's pin: a dict with repository, commit, path, lines and must_contain."""
    first, last = pin["lines"]
    return Pin(
        re.sub(r"(\.git)?/*\Z", "", pin["repository"]),
        pin["commit"],
        pin["path"],
        first,
        last,
        tuple(sorted(set(pin["must_contain"]))),
    )


def collect(register):
    """Return every Pin of the register, sorted; a range that several cite is one Pin with all their identifiers."""
    found = {}

    def add(pin, cited):
        one = of(pin)
        known = found.get(one.key)
        names = one.must_contain + (known.must_contain if known else ())
        by = (known.cited_by if known else ()) + (cited,)
        found[one.key] = one._replace(must_contain=tuple(sorted(set(names))), cited_by=tuple(sorted(set(by))))

    for key, source in register.sources.items():
        for name, pin in source.pins.items():
            whole = {
                "repository": pin.repository or source.repository,
                "commit": pin.commit or source.commit,
                "path": pin.path or source.path,
                "lines": pin.lines,
                "must_contain": pin.must_contain,
            }
            add(whole, (source.file, _line(register.root, source.file, name), key))
    for claim in register.claims.values():
        for _position, evidence in claim.all_evidence():
            if evidence.pin:
                add(evidence.pin, (claim.file, claim.line, claim.id))
    return [found[key] for key in sorted(found)]


def _line(root, file, name):
    try:
        lines = (root / file).read_text("utf-8").split("\n")
    except OSError:
        return 0
    pattern = re.compile(r"\s+[\"']?" + re.escape(name) + r"[\"']?\s*:")
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), 0)
