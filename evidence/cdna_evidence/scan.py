# SPDX-License-Identifier: Apache-2.0
"""Citations of claims in the texts of others, such as `TDM-031 r1` in a source comment, and what became of each claim."""

import os
import re
from typing import NamedTuple

# An id as the register issues it, by itself or in an address (`/claims/TDM-031/`), with its revision if one is told:
# `TDM-031 r1`, `TDM-031, r1`, `/c/TDM-031/r1`, or `TDM-031-r1` as BibTeX names its entry.
_CITATION = re.compile(
    r"(?<![A-Za-z0-9_-])([A-Z][A-Z0-9]{1,4})-([0-9]{3,4})(?:(?:,? |[/-])r([0-9]{1,4})(?![A-Za-z0-9_])|(?![A-Za-z0-9_-]))"
)
_SKIPPED_DIRECTORIES = ("node_modules", "__pycache__")


class Citation(NamedTuple):
    """One mention of a claim; line and column count from 1, `revision` is None where the text tells none."""

    line: int
    column: int
    id: str
    revision: int | None


def citations(text, prefixes):
    """Return each Citation in a text; an id that a line names again, as its address does, is one citation.

    Args: text: of any kind; prefixes: of the ids that the register issues, such as {"TDM", "LDS"}: `ISO-8601` is none.
    """
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        here = {}
        for match in _CITATION.finditer(line):
            prefix, digits, revision = match.groups()
            if prefix in prefixes:
                here.setdefault(f"{prefix}-{digits}", []).append(
                    (match.start() + 1, int(revision) if revision else None)
                )
        for name, places in here.items():
            told = {revision: column for column, revision in reversed(places)}  # the first place of each revision
            if len(told) > 1:
                told.pop(None, None)
            found += [Citation(number, column, name, revision) for revision, column in told.items()]
    return sorted(found, key=lambda item: item[:2])


def state(citation, register):
    """Return (state, sentence) of a citation: current, outdated, withdrawn, superseded, disputed or unknown.

    Args: citation: Citation; register: of claims. The sentence is None for a current one.
    """
    claim = register.claims.get(citation.id)
    if claim is None:
        return "unknown", "the register has no such claim"
    told = citation.revision
    if told is not None and not 1 <= told <= claim.revision:
        return "unknown", f"there is no revision {told}; the claim is at revision {claim.revision}"
    successors = f"; look at {', '.join(claim.superseded_by)}" if claim.superseded_by else ""
    if claim.status == "withdrawn":
        why = f" on {claim.withdrawn.date}: {claim.withdrawn.reason}" if claim.withdrawn else ""
        return "withdrawn", f"withdrawn{why}{successors}"
    if claim.status == "superseded":
        return "superseded", f"superseded{successors}"
    if told is not None and told < claim.revision:
        return (
            "outdated",
            f"revision {told} is cited and the claim is at revision {claim.revision}: its meaning changed",
        )
    if claim.status == "disputed":
        return "disputed", "sources differ: quote what is safe under every reading"
    return "current", None


def files(path):
    """Return the files of a path, a file itself or all below a directory; hidden and installed directories are left out."""
    if not os.path.isdir(path):
        return [path]
    found = []
    for top, directories, names in os.walk(path):
        directories[:] = sorted(
            name for name in directories if not name.startswith(".") and name not in _SKIPPED_DIRECTORIES
        )
        found += [os.path.join(top, name) for name in sorted(names) if os.path.isfile(os.path.join(top, name))]
    return found
