# SPDX-License-Identifier: Apache-2.0
"""Results of a run: one record per claim, target, position, check, witness and version, kept in build/results.json."""

import datetime
import json
import pathlib

from cdna_evidence import __version__, settings
from cdna_evidence.register import ledger
from cdna_evidence.register.files import write_whole

from . import falsify as falsifier
from .api import OUTCOMES

SCHEMA = 1


def keeps():
    """Say whether a run's results are kept: in a clone; an installed package is not written into."""
    return settings.clone() is not None


def read():
    """Return the last results, or None when nothing has run here."""
    try:
        found = json.loads(settings.results_path().read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("schema") == SCHEMA else None


def write(results, target=None):
    """Write results whole or not at all."""
    target = pathlib.Path(target or settings.results_path())
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, json.dumps(results, ensure_ascii=False, indent=0).encode())


def key(record):
    """Return what makes a record the same record in a later run."""
    return tuple(record.get(part) for part in ("claim", "target", "position", "check", "kind"))


def gather(records, previous=None, falsify_summary=None, seconds=None):
    """Return the results document of a run.

    Args: records: of this run; previous: earlier results whose other records are kept (a run of a part), or None;
      falsify_summary: of `summarise`, or None; seconds: of the run.
    """
    kept = []
    if previous:
        new = {key(record) for record in records}
        kept = [record for record in previous["records"] if key(record) not in new]
    slim = [{name: value for name, value in record.items() if name not in ("mutants", "vacuous")} for record in records]
    everything = sorted(kept + slim, key=lambda record: [str(part) for part in key(record)])
    tools = []
    for record in everything:
        tools += [tool for tool in record["tools"] if tool not in tools]
    return {
        "schema": SCHEMA,
        "run": {
            "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "version": __version__,
            "commit": _commit(),
            "tools": tools,
            "seconds": None if seconds is None else round(seconds, 2),
            "partial": bool(previous),
        },
        "records": everything,
        "falsify": falsify_summary,
    }


def counts(records):
    """Return how many records had each outcome."""
    return {outcome: sum(record["outcome"] == outcome for record in records) for outcome in OUTCOMES}


def summarise(records, register, chosen, exceptions, target=None):
    """Merge what the checks of a run did to every mutant of the chosen claims.

    Args: records: of this run, with `mutants`; register: loaded; chosen: claims that count, by id;
      exceptions: list of {claim, target, leaf, reason}; target: only values of this target (and of "any"), or None.
    Returns: leaves, mutants, killed, survivors, not_here, model_only, exceptions, vacuous, unneeded; JSON-ready.
    """
    killed, seen, by_check = {}, {}, {}
    for record in records:
        place = (record["claim"], record["target"])
        by_check.setdefault(place, []).append(record)
        for leaf, label, how in record["mutants"] or ():
            seen.setdefault((*place, record["position"], leaf, label), []).append(how)
            if how == "killed":
                killed.setdefault((*place, record["position"], leaf, label), set()).add(record["kind"])
    out = {
        "leaves": 0,
        "mutants": 0,
        "killed": 0,
        "survivors": [],
        "not_here": [],
        "model_only": [],
        "exceptions": [],
        "vacuous": [
            {"check": record["check"], "target": record["target"], "observation": name}
            for record in records
            for name in record["vacuous"] or ()
        ],
        "unneeded": [],
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
    }
    used = set()
    for claim, place, position, leaf, label in _all_mutants(register, chosen, target):
        if label is None:
            out["leaves"] += 1
            continue
        out["mutants"] += 1
        names = [position] if position else [None, *[name for name in claim.position_names() if name]]
        kinds = set().union(*(killed.get((claim.id, place, name, leaf, label), set()) for name in names))
        entry = {"claim": claim.id, "target": place, "position": position, "leaf": leaf, "change": label}
        if kinds:
            out["killed"] += 1
            if kinds == {"model"}:
                out["model_only"].append(entry)
            continue
        excuse = _excuse(exceptions, claim.id, place, leaf)
        if excuse is not None:
            used.add(excuse)
            out["exceptions"].append({**entry, "reason": exceptions[excuse]["reason"]})
            continue
        ours = [r for r in by_check.get((claim.id, place), ()) if position is None or r["position"] == position]
        if any(record["outcome"] in ("untested", "cantTell") and _may_bind(record, leaf) for record in ours):
            out["not_here"].append(entry)
            continue
        hows = [how for name in names for how in seen.get((claim.id, place, name, leaf, label), ())]
        failed = [record["check"] for record in ours if record["outcome"] == "failed"]
        entry["why"] = (
            "no check of this claim, target and position"
            if not ours
            else f"the unchanged claim fails {failed[0]}"
            if failed
            else next((how for how in hows if how.startswith("raised")), "every check let it pass")
        )
        out["survivors"].append(entry)
    out["unneeded"] = [item for i, item in enumerate(exceptions) if i not in used and item["claim"] in chosen]
    return out


def _all_mutants(register, chosen, only):
    """Yield (claim, target, owner position, leaf, label); label None once for each leaf, to be counted."""
    for identity in chosen:
        claim = register.claims[identity]
        for target in claim.targets:
            if only not in (None, target) and target != "any":
                continue
            common = claim.values_for(target)
            for position in claim.position_names():
                values = claim.values_for(target, position)
                # Values that stand outside the positions are common to all: they are counted once, under no position.
                own = values if position is None else {k: v for k, v in values.items() if common.get(k) != v}
                for path, value in falsifier.leaves(own):
                    if not isinstance(value, list):
                        yield claim, target, position, falsifier.dotted(path), None
                for leaf, label, _ in falsifier.mutants(own):
                    yield claim, target, position, leaf, label
            if claim.position_names() != [None]:
                for path, value in falsifier.leaves(common):
                    if not isinstance(value, list):
                        yield claim, target, None, falsifier.dotted(path), None
                for leaf, label, _ in falsifier.mutants(common):
                    yield claim, target, None, leaf, label


def _may_bind(record, leaf):
    """Say whether a check that did not run would have judged this leaf; one that names no keys might judge any."""
    return not record["binds"] or leaf.split(".")[0].split("[")[0] in record["binds"]


def _excuse(exceptions, claim, target, leaf):
    for i, item in enumerate(exceptions):
        if item["claim"] == claim and item.get("target", target) == target and item["leaf"] == leaf:
            return i
    return None


def _commit():
    described = ledger.git(settings.root(), "describe", "--always", "--dirty", "--abbrev=12")
    return described.decode().strip() or None if described else None
