# SPDX-License-Identifier: Apache-2.0
"""What a version publishes beside its pages: documents for programs with their schemas, the inventory, llms.txt and the feeds."""

import hashlib
import json
from pathlib import Path

from cdna_evidence import cite, export, settings
from cdna_evidence.register import ledger

from . import changes, extension, feeds, inventory, llms, schemas, tombstone, versions

OVERRIDES = Path(__file__).resolve().parent / "overrides"


def files(content):
    """Return {path below the version: text or bytes} of every file that is no page.

    Args: content: a `Content`.
    """
    events, problems = ledger.read(content.register.root)
    if problems:
        raise extension.SiteError("; ".join(str(item) for item in problems))
    found = {name: _dump(document) for name, document in documents(content, events).items()}
    for name, schema in schemas.schemas().items():
        found[f"schema/{name}"] = _dump({"$id": feeds.here(f"schema/{name}"), **schema})
    found["objects.inv"] = inventory.objects_inv(content.register, version())
    found["llms.txt"] = llms.llms_txt(content)
    found.update(feeds.files(content.register, events))
    return found


def version():
    """Return the version that files name: that of the site being built, or that of this distribution."""
    return settings.site_version() or settings.version()


def text_sha256(record):
    """Return the checksum of the published texts of a claim's record; `schemas.TEXT_RULE` says what it covers."""
    parts = [record["title"], record["statement"], record["boundary"], *([record["safe"]] if record["safe"] else [])]
    for position in record["positions"]:
        parts += [position["name"], position["says"]]
    return hashlib.sha256("".join(part + "\n" for part in parts).encode("utf-8")).hexdigest()


def documents(content, events):
    """Return {name: JSON-ready document} of claims.json, sources.json, ledger.json and evidence.json.

    Args: content: a `Content`; events: of the ledger.
    """
    register = content.register
    results = export.Results(content.results)
    claims, full = [], []
    for claim in register.claims.values():
        record = export.claim_record(claim)
        state = cite.state_text(claim, content.results)
        record = {**record, "text_sha256": text_sha256(record), "evidence_state": state}
        claims.append(record)
        full.append({**record, "citations": cite.citations(claim, content.results), "checks": results.checks(claim)})
    sources = json.loads(json.dumps(export.sources_document(register)["sources"], default=str))
    lines = [event.text() for event in events]
    return {
        "claims.json": _headed("claims.json", claims=claims),
        "sources.json": _headed("sources.json", sources=sources),
        "ledger.json": _headed("ledger.json", events=lines),
        "evidence.json": _headed(
            "evidence.json",
            claims=full,
            sources=sources,
            events=lines,
            vectors=register.vectors,
            results=results.summary(),
        ),
    }


def configure(config, content):
    """Set what MkDocs needs: the theme's overrides and, for a version of several, the selector.

    A bare build leaves the selector out, because it would ask for a versions.json that only a deployment has.
    Args: config: of MkDocs; content: a `Content`, which learns what the version before this one said.
    """
    extension.DIRECTIVES.update(tombstone.PARTS)
    extension.DIRECTIVES.update(changes.PARTS)
    config.theme.dirs.insert(0, str(OVERRIDES))
    content.previous = None
    if settings.site_version():
        config.extra["version"] = {"provider": "mike", "default": versions.LATEST}
        try:
            content.previous = versions.previous(content.register.root)
        except versions.VersionError as error:
            raise extension.SiteError(str(error)) from None


def pages(content, generated):
    """Return the generated pages with tombstones in place of what has ended, and for ids that never had a page.

    Args: content: a `Content`; generated: [(source path, Markdown)].
    """
    return list({**dict(generated), **dict(tombstone.generated(content))}.items())


def _headed(name, **parts):
    return {
        "$schema": feeds.here(f"schema/{name}"),
        "schema": export.SCHEMA,
        "version": version(),
        "licence": export.LICENCE,
        **parts,
    }


def _dump(document):
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
