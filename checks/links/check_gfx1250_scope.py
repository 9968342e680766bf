# SPDX-License-Identifier: Apache-2.0
"""The list of questions about gfx1250, against the register and the checks."""

import ast

import yaml

from cdna_evidence.checks import Check, results

# Bases that stand outside the files of checks.
OUTSIDE = {"ClangPairs": "compiler", "LlcPairs": "compiler"}
# A client, a vector and a compiler are programs that were not written here.
PROGRAMS = {"compiler", "client", "vector"}


def word(node, name):
    """Return the text that a class body assigns to a name, or None."""
    for item in node.body:
        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant):
            if any(isinstance(one, ast.Name) and one.id == name for one in item.targets):
                return item.value.value
    return None


def kinds_of(root):
    """Return {claim: set of kinds} of the checks in the files, from their text."""
    found = {}
    for path in sorted((root / "checks").glob("*/check_*.py")):
        classes = [node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ClassDef)]
        by_name = {node.name: node for node in classes}

        def kind(node, by_name=by_name):
            own = word(node, "kind")
            for base in node.bases:
                if own is None and isinstance(base, ast.Name):
                    own = kind(by_name[base.id]) if base.id in by_name else OUTSIDE.get(base.id)
            return own

        for node in classes:
            if word(node, "claim"):
                found.setdefault(word(node, "claim"), set()).add(kind(node))
    return found


def faults(row, claims, kinds, failed):
    """Return what is wrong with a row: words of the claim's values."""
    if row.get("state") == "open":
        return [] if str(row.get("settles") or "").strip() and "by" not in row else ["open_without_settles"]
    by = row.get("by") or []
    found = ["unknown_claims"] if not by or any(name not in claims for name in by) else []
    has = set().union(*[kinds.get(name, set()) for name in by])
    has = has | PROGRAMS if has & PROGRAMS else has
    if row.get("state") != "met" or any(want != "record" and want not in has for want in row.get("want") or ["none"]):
        found.append("met_without_check")
    if any(name in failed for name in by):
        found.append("met_with_failed_check")
    return found


class ScopeRows(Check):
    """Every row of the list: its claims, the kinds of their checks, what would settle it; and rows that were made up.

    Shows: the list as it stands; whether a check failed is read from the last run, where there is one.
    Does not show: that nothing is missing in the list.
    """

    claim = "GFX-001"
    kind = "links"
    binds = (
        "least_rows",
        "long_enough",
        "areas_found",
        "unknown_claims",
        "open_without_settles",
        "met_without_check",
        "met_with_failed_check",
        "repeated_ids",
        "samples_flagged",
    )

    def observe(self, target, tools):
        rows = yaml.safe_load((tools.root / "evidence" / "scope-gfx1250.yml").read_text("utf-8"))
        claims = {name for name, claim in tools.register.claims.items() if claim.live}
        kinds = kinds_of(tools.root)
        last = (results.read() or {}).get("records") or []
        failed = {record.get("claim") for record in last if record.get("outcome") == "failed"} - {self.claim}
        wrong = {row["id"]: faults(row, claims, kinds, failed) for row in rows}
        words = ("unknown_claims", "open_without_settles", "met_without_check", "met_with_failed_check")
        least = 40
        return {
            "least_rows": least,
            "long_enough": len(rows) >= least,
            "areas_found": len({row["area"] for row in rows}),
            **{name: sum(name in found for found in wrong.values()) for name in words},
            "repeated_ids": len(rows) - len(wrong),
            "samples_flagged": {name: bool(faults(row, claims, kinds, failed)) for name, row in self._samples().items()},
            "rows": len(rows),
            "wrong": {name: found for name, found in wrong.items() if found},
        }

    def _samples(self):
        met = {"state": "met", "want": ["compiler"], "by": ["WMMA-050"]}
        return {
            "unknown_claim": {**met, "by": ["WMMA-999"]},
            "open_and_silent": {"state": "open", "want": ["record"]},
            "no_claim": {**met, "want": ["record"], "by": []},
            "wants_a_compiler": {**met, "by": ["WAIT-080"]},
            "good_row": met,
            "open_row": {"state": "open", "want": ["record"], "settles": "a device run"},
        }
