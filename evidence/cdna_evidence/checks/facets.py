# SPDX-License-Identifier: Apache-2.0
"""What stands behind a claim, as the last run found it: five facets, none of which grades the others.

cited: somebody says it, and whether we read them; modelled: our reference model behaves so; executed: a real compiler or
other independent program ran now and did so; corroborated: output of an independent program agrees; measured: a record
from hardware. Only the last three come from outside this project.
"""

FACETS = ("measured", "corroborated", "executed", "modelled", "cited")

# What an executed check of a claim shows, by the claim's layer: a compiler shows what a compiler does, never the hardware.
_VERB = {"isa": "encoded so by", "compiler": "done so by", "builtin": "accepted so by"}


def facets(claim, target, position, results):
    """Return {facet: {"state", "text", "detail"}} for a claim on one target and under one position.

    A check that speaks for no one position of a disputed claim earns nothing for any of them: only for position None.

    Args: claim: of the register; target: such as "gfx1250"; position: name or None; results: document or None.
    Returns: state is "yes", "no", "failed", "stale" or "unread" (cited only); text is a few words; detail says more.
    """
    records = [
        record
        for record in (results or {}).get("records", ())
        if record["claim"] == claim.id and record["target"] == target and record["position"] == position
    ]
    current = [record for record in records if record["revision"] == claim.revision]
    out = {
        "cited": _cited(claim, position),
        "modelled": _from(current, ("model",), lambda record: "the reference model behaves so"),
        "executed": _from(current, ("compiler", "client"), lambda record: _executed(claim, record)),
        "corroborated": _from(current, ("vector", "client"), _corroborated),
        "measured": _no("no hardware record"),
    }
    if records and not current:
        for name in ("modelled", "executed", "corroborated"):
            out[name] = {"state": "stale", "text": "not run for this revision", "detail": ""}
    return out


def places(claim, results):
    """Return [(target, position)] to show for a claim; position None where checks speak for no one position.

    Args: claim: of the register; results: document or None.
    """
    shared = {
        record["target"]
        for record in (results or {}).get("records", ())
        if record["claim"] == claim.id and record["position"] is None
    }
    found = []
    for target in claim.targets:
        names = claim.position_names()
        found += [(target, name) for name in ([None, *names] if None not in names and target in shared else names)]
    return found


def counted(register, results):
    """Return how many claims have each facet on at least one target and position; withdrawn claims do not count.

    Returns: {"claims": n, "measured": n, "corroborated": n, "executed": n, "modelled": n, "cited": n, "disputed": n,
      "failed": n}; JSON-ready.
    """
    out = dict.fromkeys(("claims", *FACETS, "disputed", "failed"), 0)
    for claim in register.claims.values():
        if claim.status == "withdrawn":
            continue
        out["claims"] += 1
        out["disputed"] += claim.status == "disputed"
        states = {name: set() for name in FACETS}
        for target, position in places(claim, results):
            for name, facet in facets(claim, target, position, results).items():
                states[name].add(facet["state"])
        for name in FACETS:
            out[name] += "yes" in states[name]
        out["failed"] += any("failed" in found for found in states.values())
    return out


def _no(why):
    return {"state": "no", "text": why, "detail": ""}


def _from(records, kinds, words):
    """The facet that records of these kinds earn; one failed record outweighs any number that passed."""
    ours = [record for record in records if record["kind"] in kinds]
    failed = [record for record in ours if record["outcome"] == "failed"]
    passed = [record for record in ours if record["outcome"] == "passed"]
    if failed:
        return {"state": "failed", "text": "a check failed", "detail": failed[0]["reason"] or ""}
    texts = list(dict.fromkeys(filter(None, (words(record) for record in passed))))
    if texts:
        dates = sorted({record["date"] for record in passed})
        return {"state": "yes", "text": "; ".join(texts), "detail": f"last run {dates[-1]}"}
    untested = [record for record in ours if record["outcome"] in ("untested", "cantTell")]
    if untested:
        return _no(f"did not run here: {untested[0]['reason']}")
    return _no("no check of this kind")


def _executed(claim, record):
    program = " ".join(part for part in (record["witness"], record["version"]) if part)
    kept = " (kept answer)" if record["cached"] else ""
    return f"{_VERB.get(claim.layer, 'found with')} {program}{kept}"


def _corroborated(record):
    if record["origin"]:
        return "agrees: " + ", ".join(record["origin"])
    return None


def _cited(claim, position):
    entries = list(claim.evidence)
    for place in claim.positions or ():
        if place.name == position or position is None:
            entries += place.evidence
    supports = [entry for entry in entries if entry.stance != "contradicts"]
    direct = [entry.source for entry in supports if not entry.via]
    through = [f"{entry.source} through {entry.via}" for entry in supports if entry.via]
    against = [entry.source for entry in entries if entry.stance == "contradicts"]
    if not supports:
        return _no("no source says so")
    text = "; ".join(dict.fromkeys(direct + through))
    detail = "contradicted by " + ", ".join(dict.fromkeys(against)) if against else ""
    return {"state": "yes", "text": text, "detail": detail}
