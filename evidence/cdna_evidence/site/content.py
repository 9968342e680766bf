# SPDX-License-Identifier: Apache-2.0
"""What pages are made from: the register, the last results, and where each claim is used. Nothing here is markup."""

import re

from cdna_evidence.register.target_names import NEIGHBOURS, written
from cdna_evidence.register.text import show

FACETS = ("cited", "modelled", "executed", "corroborated", "measured")
RUN_FACETS = FACETS[1:]
OUTCOMES = ("passed", "failed", "cantTell", "inapplicable", "untested")
OUTCOME_WORDS = {"cantTell": "cannot tell"}
STANCES = {"supports": "supports", "contradicts": "contradicts", "context": "gives context"}
ACCESS = {"read": "read", "quoted": "quoted by others, not read", "unread": "not read"}
REFERENCE = re.compile(r"\[\[(?:claim|see):([^\]\s]+)\]\]|^::claim\s+(\S+)\s*$")


class Content:
    """The register, the results of the last run (or None), and the pages that use each claim.

    Attributes: register; results: as build/results.json, or None; uses: claim id -> list of (page, title);
      report_url: where a wrong claim is reported, or None for the page that explains how.
    """

    def __init__(self, register, results=None, report_url=None):
        self.register = register
        self.results = results if results and results.get("records") else None
        self.report_url = report_url
        self.uses = {}
        self._facets = {}

    def claim(self, name):
        """Return the claim of an id or key. Raises: KeyError: no claim ever had that name."""
        return self.register.by_key(name)

    def records(self, identity):
        """Return the records of a claim, in the order claim target, position, kind, check."""
        found = [record for record in (self.results or {}).get("records", ()) if record["claim"] == identity]
        return sorted(found, key=lambda r: (r["target"], r["position"] or "", r["kind"], r["check"]))

    def facets(self, claim):
        """Return [(target, position or None, {facet: {"state", "text", "detail"}})] for one claim.

        Without results only `cited` is filled: it comes from the register, not from a run.
        """
        if claim.id not in self._facets:
            from cdna_evidence.checks.facets import facets, places

            self._facets[claim.id] = [
                (target, position, facets(claim, target, position, self.results))
                for target, position in places(claim, self.results)
            ]
        return self._facets[claim.id]

    def has(self, claim, facet):
        """Say whether any target and position of a claim has a facet."""
        return any(present(row.get(facet)) for _, _, row in self.facets(claim))

    def counts(self):
        """Return how many claims there are, and how many have each facet in the last run (see `facets.counted`)."""
        from cdna_evidence.checks.facets import counted

        found = counted(self.register, self.results)
        living = [claim for claim in self.register.claims.values() if claim.status != "withdrawn"]
        found["untestable"] = sum(bool(claim.untestable) for claim in living)
        found["sources"] = len(self.register.sources)
        return found

    def outcomes(self):
        """Return how many records of the last run had each outcome."""
        records = (self.results or {}).get("records", ())
        return {name: sum(record["outcome"] == name for record in records) for name in OUTCOMES}

    def note_uses(self, page, title, markdown):
        """Remember which claims a page's source names, outside fences and code spans."""
        fence = None
        for line in markdown.splitlines():
            mark = re.match(r"\s*(`{3,}|~{3,})", line)
            if mark and (fence is None or line.strip().startswith(fence)):
                fence = mark.group(1) if fence is None else None
                continue
            if fence or line.startswith("    "):
                continue
            for name in REFERENCE.findall(re.sub(r"`[^`]*`", "", line)):
                try:
                    claim = self.register.by_key(name[0] or name[1])
                except KeyError:
                    continue  # the extension reports it, with the page
                if (page, title) not in self.uses.setdefault(claim.id, []):
                    self.uses[claim.id].append((page, title))


def present(facet):
    """Say whether a facet was found, and did not fail, go stale or stay empty."""
    return bool(facet) and facet["state"] == "yes"


def target_names(claim):
    """Return the claim's targets as text; `any` reads "every target"."""
    if claim.targets == ["any"]:
        return "every target"
    return written(claim.targets_given)


def find_words(claim):
    """Return the words by which the index of claims finds one, in lower case; steppings and neighbours among them."""
    words = [claim.id, claim.key, claim.title, *claim.targets, claim.status, *claim.covers]
    words += [f"stepping {name}" for name in claim.steppings] + ["neighbour"] * any(name in NEIGHBOURS for name in claim.targets)
    return " ".join(words).lower()


def leaves(values, path=""):
    """Yield (dotted name, text) for each published value; a list of leaves is one entry."""
    for name, value in values.items():
        here = f"{path}.{name}" if path else str(name)
        if isinstance(value, dict):
            yield from leaves(value, here)
        else:
            yield here, show(value)
