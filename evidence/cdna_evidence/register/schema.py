# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas that editors use, generated from the models: `python -m cdna_evidence.register.schema` writes them."""

import json
import sys
from pathlib import Path

from pydantic import TypeAdapter

from .files import write_whole
from .models import Claim, Source

FOLDER = "evidence/schema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas():
    """Return {file name: text}: claims.schema.json (a chapter: a list of claims) and source.schema.json (one source)."""
    documents = {
        "claims.schema.json": ("A chapter of claims", TypeAdapter(list[Claim]).json_schema(by_alias=True)),
        "source.schema.json": ("A source", Source.model_json_schema(by_alias=True)),
    }
    found = {}
    for name, (title, document) in documents.items():
        document.pop("title", None)
        document = {"$schema": DIALECT, "title": title, **document}
        if "Claim" in document.get("$defs", {}):
            document["$defs"]["Claim"]["allOf"] = _conditions()
        if name == "source.schema.json":
            document["dependentRequired"] = {"repository": ["commit"], "commit": ["repository"], "path": ["repository"]}
            document["anyOf"] = [{"required": [field]} for field in ("url", "repository", "unlinked")]
        found[name] = json.dumps(document, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    return found


def _conditions():
    """The rules between fields of one claim that JSON Schema can say; validate.py has all of them."""
    status = {"properties": {"status": {"const": "disputed"}}, "required": ["status"]}
    product = {"properties": {"layer": {"const": "product"}}, "required": ["layer"]}
    ended = {"properties": {"status": {"enum": ["withdrawn", "superseded"]}}, "required": ["status"]}
    replaced = {"properties": {"status": {"const": "superseded"}}, "required": ["status"]}
    return [
        {
            "if": status,
            "then": {"required": ["positions", "reading", "safe"], "properties": {"positions": {"minItems": 2}}},
        },
        {"if": product, "then": {"required": ["sku"]}, "else": {"not": {"required": ["sku"]}}},
        {"if": ended, "then": {"required": ["withdrawn"]}, "else": {"not": {"required": ["withdrawn"]}}},
        {"if": replaced, "then": {"required": ["superseded_by"]}, "else": {"not": {"required": ["superseded_by"]}}},
        {"anyOf": [{"required": ["evidence"]}, {"required": ["positions"]}]},
    ]


def stale(root):
    """Return the names of the schema files below a root that differ from the models."""
    found = []
    for name, text in schemas().items():
        path = Path(root) / FOLDER / name
        if not path.is_file() or path.read_bytes() != text.encode("utf-8"):
            found.append(name)
    return found


def write(root):
    """Write the schema files below a root."""
    folder = Path(root) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in schemas().items():
        write_whole(folder / name, text.encode("utf-8"))


if __name__ == "__main__":
    from cdna_evidence import settings

    if "--check" in sys.argv[1:]:
        sys.exit(", ".join(stale(settings.root())) + ": run `python -m cdna_evidence.register.schema`" if stale(settings.root()) else 0)
    write(settings.root())
