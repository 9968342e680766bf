# SPDX-License-Identifier: Apache-2.0
"""A problem in the register: where it is, what was given, what is allowed."""

from typing import NamedTuple


class Problem(NamedTuple):
    """One problem of the register; `str()` gives the line that people and editors read.

    Args: file: path from the root, with slashes; line, column: from 1; field: dotted; given: as text or None;
      allowed: what would be right; claim: id or source key or None; message: the text without the place.
    """

    file: str
    line: int
    column: int
    field: str
    given: str | None
    allowed: str
    claim: str | None
    message: str

    def __str__(self):
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class RegisterError(Exception):
    """The register does not load; `problems` holds every problem of the run, in the order of the files."""

    def __init__(self, problems):
        self.problems = sorted(set(problems), key=lambda p: (p.file, p.line, p.column, p.field, p.message))
        super().__init__(str(self))

    def __str__(self):
        return "\n".join(str(problem) for problem in self.problems)


def problem(file, mark, field, given, allowed, claim=None):
    """Return a Problem whose message reads `field=given: allowed, claim`.

    Args: mark: (line, column) from 1; given: any value, shown shortened, or None when nothing was given.
    """
    shown = None if given is None else shorten(given)
    message = f"{field}={shown}: {allowed}" if shown is not None else f"{field}: {allowed}"
    if claim:
        message += f", {claim}"
    return Problem(file, mark[0], mark[1], field, shown, allowed, claim, message)


def shorten(value, limit=60):
    """Return a value as one short line of printable text."""
    text = value if isinstance(value, str) else repr(value) if not isinstance(value, int) else _int_text(value)
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))
    return text if len(text) <= limit else text[: limit - 3] + "..."


def _int_text(value):
    # An integer of many thousand digits cannot be printed by Python: say how large it is.
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value.bit_length() <= 128 else f"an integer of {value.bit_length()} bits"
