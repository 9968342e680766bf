# SPDX-License-Identifier: Apache-2.0
"""The register for other programs: claims.json, sources.json, and what the last run found about a claim."""

from cdna_evidence import settings
from cdna_evidence.register.ledger import checksum

SCHEMA = 1
LICENCE = "CC-BY-4.0"


class Results:
    """The last run of the checks, read defensively; `note` says in one sentence what it is."""

    def __init__(self, document):
        self.document = document
        self.records = [record for record in (document or {}).get("records") or () if isinstance(record, dict)]
        run = (document or {}).get("run") or {}
        if document is None:
            self.note = "No results here: `cdna check` has not run."
        else:
            self.note = f"Results of {run.get('date') or 'an undated run'}."

    def checks(self, claim):
        """Return the checks of one claim as the command line lists them.

        A record of another revision of the claim is `untested` and marked outdated: it says nothing about this one.
        """
        found = []
        for record in self.records:
            if record.get("claim") != claim.id:
                continue
            item = {name: record.get(name) for name in ("check", "kind", "target", "position", "witness", "outcome")}
            if record.get("version") and item["witness"]:
                item["version"] = record["version"]
            if record.get("revision") not in (claim.revision, None):
                item["outcome"] = "untested"
                item["outdated"] = f"ran against r{record['revision']}"
            found.append(item)
        return found

    def summary(self):
        """Return {"note", "date", "records"}; JSON-ready."""
        run = (self.document or {}).get("run") or {}
        return {"note": self.note, "date": run.get("date"), "records": len(self.records)}


def read_results():
    """Return the Results of the last run (empty when there is none)."""
    from cdna_evidence.checks import results

    return Results(results.read())


def evidence_record(item):
    """Return one Evidence as a JSON-ready dict, with `access` (read, via, unread) and the pin written out."""
    record = {"source": item.source, "locator": item.locator, "via": item.via, "stance": item.stance, "access": item.access}
    if item.pin:
        record["pin"] = item.pin
    if item.note:
        record["note"] = item.note
    return record


def claim_entry(claim, checks):
    """Return a claim as `cdna claim list --json` gives it. Args: checks: of `Results.checks`."""
    return {
        "id": claim.id,
        "key": claim.key,
        "title": claim.title,
        "targets": claim.targets,
        "steppings": claim.steppings,
        "status": claim.status,
        "revision": claim.revision,
        "covers": list(claim.covers),
        "boundary": claim.fill(claim.boundary),
        "untestable": claim.untestable,
        "evidence": [{**evidence_record(item), "position": position} for position, item in claim.all_evidence()],
        "checks": checks,
    }


def claim_record(claim, version=None):
    """Return a claim as claims.json holds it: texts filled, values as data, address and checksum.

    Args: version: of the site, for the address; None for the present setting.
    """
    record = {
        "id": claim.id,
        "revision": claim.revision,
        "status": claim.status,
        "url": settings.claim_url(claim.id, version),
        "checksum": checksum(claim),
        "key": claim.key,
        "was": list(claim.was),
        "title": claim.title,
        "chapter": claim.chapter,
        "targets": claim.targets,
        "conditions": claim.conditions,
        "layer": claim.layer,
        "sku": list(claim.sku),
        "statement": claim.statement_text(),
        "boundary": claim.fill(claim.boundary),
        "safe": claim.fill(claim.safe) if claim.safe else None,
        "values": claim.values,
        "positions": [
            {
                "name": position.name,
                "says": claim.statement_text(position=position.name),
                "stepping": list(position.stepping),
                "values": position.values,
                "evidence": [evidence_record(item) for item in position.evidence],
            }
            for position in claim.positions
        ],
        "reading": {"position": claim.reading.position, "why": claim.fill(claim.reading.why)} if claim.reading else None,
        "evidence": [evidence_record(item) for item in claim.evidence],
        "covers": list(claim.covers),
        "since": claim.since,
        "untestable": claim.untestable,
        "reviews": [review.model_dump() for review in claim.reviews],
        "superseded_by": list(claim.superseded_by),
        "withdrawn": claim.withdrawn.model_dump() if claim.withdrawn else None,
    }
    return record


def claims_document(register, version=None):
    """Return claims.json: every claim of the register, withdrawn ones included, in the order of the files."""
    return {
        "schema": SCHEMA,
        "version": settings.version(),
        "licence": LICENCE,
        "claims": [claim_record(claim, version) for claim in register.claims.values()],
    }


def sources_document(register):
    """Return sources.json: every source with its pins, errata and the claims that cite it."""
    records = []
    for source in register.sources.values():
        record = source.model_dump(exclude_none=True)
        record["cited_by"] = list(dict.fromkeys(claim.id for claim, _, _ in register.citing(source.key)))
        records.append(record)
    return {"schema": SCHEMA, "version": settings.version(), "licence": LICENCE, "sources": records}
