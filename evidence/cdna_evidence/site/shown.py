# SPDX-License-Identifier: Apache-2.0
"""Three lines on a claim's page that are never mixed: what is cited, what was executed, and what was not shown."""

from . import detail
from .tree import h, joined, keyvalues

# What a program did, by the claim's layer: it encodes, inserts, accepts; nothing here ever requires.
VERBS = {"isa": "encodes so", "compiler": "does so", "builtin": "accepts so"}
READ = {"read": "read", "quoted": "quoted by others, not read", "unread": "not read"}


def lines(here, claim):
    """Return the list of the three lines.

    Cited: each source with its locator or pin, read or not. Executed: each program that ran, with version, target,
    date and outcome. Not shown: the hardware, unless a record from hardware exists.
    """
    found = keyvalues(
        [("Cited", _cited(here, claim)), ("Executed", _executed(here, claim)), ("Not shown", _not_shown(here, claim))],
        class_="cdna-shown",
    )
    found.set("data-search-exclude", "data-search-exclude")  # the sources below are found, each with its title
    return found


def _cited(here, claim):
    entries = [*claim.evidence, *(entry for position in claim.positions or () for entry in position.evidence)]
    if not entries:
        return "nothing"
    nodes, seen = [], set()
    for entry in entries:
        source = here.content.register.sources.get(entry.source)
        state = "read" if source is None else detail.state_of(source)
        words = f" at {entry.pin['commit'][:12]}" if entry.pin else ""
        read = f"through {entry.via}, not read" if entry.via else READ.get(state, state)
        key = (entry.source, words, read)
        if key not in seen:
            seen.add(key)
            nodes.append(h("span", detail.source_link(here, entry.source), words, f" ({read})"))
    pinned = ". No commit that is cited was run" if any(entry.pin for entry in entries) else None
    return [*joined(nodes), pinned]


def _executed(here, claim):
    records = [record for record in here.content.records(claim.id) if record["kind"] in ("compiler", "client")]
    ran = [record for record in records if record["outcome"] in ("passed", "failed")]
    if not ran:
        if records:
            return "nothing here: " + (records[0]["reason"] or records[0]["outcome"])
        return "nothing"
    grouped = {}
    for record in ran:
        program = " ".join(part for part in (record["witness"], record["version"]) if part)
        package = next((tool["package"] for tool in record["tools"] if tool["name"] == record["witness"]), None)
        kept = "kept answer" if record.get("cached") else "computed in the run"
        key = (program, package, record["outcome"], record["date"], kept, record["revision"])
        grouped.setdefault(key, []).append(record["target"])
    parts = []
    for (program, package, outcome, date, kept, revision), targets in grouped.items():
        verb = VERBS.get(claim.layer, "agrees") if outcome == "passed" else "does otherwise"
        where = ", ".join(target for target in [*claim.targets, "any"] if target in targets)
        old = "" if revision == claim.revision else f", for revision {revision}"
        parts.append(f"{program}{f' ({package})' if package else ''} {verb} for {where}, {date}, {kept}{old}")
    return "; ".join(parts)


def _not_shown(here, claim):
    if here.content.has(claim, "measured"):
        return "hardware other than that of the record"
    if claim.layer == "site":
        return "nothing about hardware is claimed"
    return "the hardware: no record from a device stands behind this claim"
