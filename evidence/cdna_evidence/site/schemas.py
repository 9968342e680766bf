# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of what a version publishes; each stands at schema/NAME below the version."""

from cdna_evidence.register import models

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ID = "^" + models.ID.pattern.replace(r"\Z", "$")
VERSION = "^" + models.VERSION.pattern.replace(r"\Z", "$")
DATE = "^" + models.DATE.pattern.replace(r"\Z", "$")
SHA256 = "^[0-9a-f]{64}$"
TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT}
IDS = {"type": "array", "items": {"type": "string", "pattern": ID}}
TEXT_OR_NULL = {"type": ["string", "null"]}


def schemas():
    """Return {file name: JSON Schema} of claims.json, sources.json, ledger.json and evidence.json."""
    claims = _document("claims", _object(_claim()))
    sources = _document("sources", _source())
    ledger = _document(
        "events", {"type": "string", "pattern": ID[:-1] + " r[0-9]+ [0-9-]{10} [a-z]+ (-|[0-9a-f]{64}) "}
    )
    everything = _document(
        "claims", _object({**_claim(), "citations": _citations(), "checks": {"type": "array", "items": _check()}})
    )
    everything["properties"] |= {
        "sources": {"type": "array", "items": _source()},
        "events": ledger["properties"]["events"],
        "vectors": {"type": "object", "additionalProperties": {"type": "object"}},
        "results": {"type": "object", "required": ["note", "date", "records"]},
    }
    everything["required"] += ["sources", "events", "vectors", "results"]
    return {"claims.json": claims, "sources.json": sources, "ledger.json": ledger, "evidence.json": everything}


def _document(name, item):
    properties = {
        "$schema": TEXT,
        "schema": {"const": 1},
        "version": {"type": "string", "pattern": VERSION},
        "licence": TEXT,
        name: {"type": "array", "items": item},
    }
    return {
        "$schema": DIALECT,
        "title": f"CDNA Evidence: {name}",
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _object(properties):
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _or_null(schema):
    return {"anyOf": [{"type": "null"}, schema]}


def _evidence():
    required = {
        "source": TEXT,
        "locator": TEXT_OR_NULL,
        "via": TEXT_OR_NULL,
        "stance": {"enum": list(models.STANCES)},
        "access": {"enum": ["read", "via", "unread", "quoted"]},
    }
    pin = {
        "type": "object",
        "required": ["repository", "commit", "path", "lines", "must_contain"],
        "properties": {
            "commit": {"type": "string", "pattern": "^[0-9a-f]{40}$"},
            "lines": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2},
        },
    }
    schema = _object(required)
    schema["properties"] = {**required, "pin": pin, "note": TEXT}
    return schema


def _claim():
    values = {
        "type": "object",
        "propertyNames": {"enum": list(models.TARGETS)},
        "additionalProperties": {"type": "object"},
    }
    position = _object(
        {
            "name": TEXT,
            "says": TEXT,
            "stepping": TEXTS,
            "values": values,
            "evidence": {"type": "array", "items": _evidence(), "minItems": 1},
        }
    )
    review = _object(
        {
            "date": {"type": "string", "pattern": DATE},
            "revision": {"type": "integer", "minimum": 1},
            "checksum": {"type": "string", "pattern": SHA256},
            "note": TEXT,
        }
    )
    return {
        "id": {"type": "string", "pattern": ID},
        "revision": {"type": "integer", "minimum": 1},
        "status": {"enum": list(models.STATUSES)},
        "url": {"type": "string", "pattern": "^https?://"},
        "checksum": {"type": "string", "pattern": SHA256},
        "text_sha256": {"type": "string", "pattern": SHA256, "description": TEXT_RULE},
        "evidence_state": {"type": "string"},
        "key": TEXT,
        "was": TEXTS,
        "title": TEXT,
        "chapter": TEXT,
        "targets": {"type": "array", "items": {"enum": list(models.TARGETS)}, "minItems": 1, "uniqueItems": True},
        "conditions": {"type": "object"},
        "layer": {"enum": list(models.LAYERS)},
        "sku": TEXTS,
        "statement": TEXT,
        "boundary": TEXT,
        "safe": TEXT_OR_NULL,
        "values": values,
        "positions": {"type": "array", "items": position},
        "reading": _or_null(_object({"position": TEXT, "why": TEXT})),
        "evidence": {"type": "array", "items": _evidence()},
        "covers": TEXTS,
        "since": {"type": "string", "pattern": VERSION},
        "untestable": TEXT_OR_NULL,
        "reviews": {"type": "array", "items": review},
        "superseded_by": IDS,
        "withdrawn": _or_null(_object({"date": {"type": "string", "pattern": DATE}, "reason": TEXT})),
    }


TEXT_RULE = (
    "SHA-256 of these texts in UTF-8, each followed by a line feed: title, statement, boundary, safe (when there is one), and for each "
    "position its name and what it says"
)


def _source():
    erratum = {
        "type": "object",
        "required": ["locator", "says", "correct", "basis", "date"],
        "properties": {"date": {"type": "string", "pattern": DATE}, "claims": IDS},
    }
    properties = {
        "key": TEXT,
        "title": TEXT,
        "kind": {"enum": list(models.KINDS)},
        "publisher": TEXT,
        "owning_layer": {"enum": list(models.LAYERS)},
        "checked_area": TEXT,
        "access": {"type": "object", "required": ["state"], "properties": {"state": {"enum": list(models.ACCESS)}}},
        "errata": {"type": "array", "items": erratum},
        "licence": TEXT,
        "cited_by": IDS,
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _citations():
    return _object({form: TEXT for form in ("url", "markdown", "rst", "bibtex", "comment")})


def _check():
    outcome = {"enum": ["passed", "failed", "cantTell", "inapplicable", "untested"]}
    return {
        "type": "object",
        "required": ["check", "kind", "target", "position", "witness", "outcome"],
        "properties": {"check": TEXT, "kind": TEXT, "target": {"enum": list(models.TARGETS)}, "outcome": outcome},
    }
