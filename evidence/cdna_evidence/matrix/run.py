# SPDX-License-Identifier: Apache-2.0
"""Ask the compilers that are here, and keep what they answered in evidence/matrix.json: versions, digests and dates."""

import datetime
import hashlib
import json
from pathlib import Path

from cdna_evidence import settings
from cdna_evidence.register.files import write_whole
from cdna_evidence.witnesses.cache import Cache

from . import columns
from .questions import ALL, QUESTIONS, put

SCHEMA = 1


def path():
    """Return where the answers are kept."""
    return settings.root() / "evidence" / "matrix.json"


def read(file=None):
    """Return the kept document; an empty one where nothing was kept.

    Raises: ValueError: the file is not such a document.
    """
    file = Path(file or path())
    if not file.is_file():
        return {"schema": SCHEMA, "columns": {}, "texts": {}}
    found = json.loads(file.read_text("utf-8"))
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise ValueError(f"{file.name}: not answers of the matrix, schema {SCHEMA}")
    return found


def ask(column, cache=None, questions=QUESTIONS):
    """Return the answers of one compiler, JSON-ready: who answered, when, and a cell per question and target.

    Raises: witnesses.Missing: the compiler is not here.
    """
    compiler = columns.get(column, cache or Cache())
    cells = {}
    for question in questions:
        for target in ALL:
            if target in question.claims:
                cell = put(question, compiler, target)
                cells.setdefault(question.name, {})[target] = {**cell._asdict(), "asked": list(cell.asked)}
    return {
        "witness": compiler.name,
        "version": compiler.version,
        "revision": compiler.revision,
        "digest": compiler.digest,
        "package": compiler.package,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "cells": cells,
    }


def merge(document, answers):
    """Return the document with the answers of some columns put in place of the older ones.

    Args: document: of `read`; answers: {column name: answers of `ask`}.
    """
    found = {name: unfold(document, name) for name in document["columns"]}
    found.update(answers)
    texts, held = {}, {}
    for name in columns.NAMES:
        if name in found:
            held[name] = {**found[name], "cells": _folded(found[name]["cells"], texts)}
    return {"schema": SCHEMA, "columns": held, "texts": dict(sorted(texts.items()))}


def unfold(document, name):
    """Return the answers of one column with the texts in their places."""
    texts = document["texts"]
    column = document["columns"][name]
    cells = {
        question: {
            target: {**cell, "asked": [{key: texts[text] for key, text in entry.items()} for entry in cell["asked"]]}
            for target, cell in row.items()
        }
        for question, row in column["cells"].items()
    }
    return {**column, "cells": cells}


def _folded(cells, texts):
    """Inputs and outputs repeat from column to column: each text is kept once, under the start of its digest."""

    def fold(text):
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        texts[key] = text
        return key

    return {
        question: {
            target: {**cell, "asked": [{key: fold(text) for key, text in entry.items()} for entry in cell["asked"]]}
            for target, cell in row.items()
        }
        for question, row in cells.items()
    }


def write(document, file=None):
    """Write the document whole or not at all."""
    write_whole(file or path(), (json.dumps(document, ensure_ascii=False, indent=0) + "\n").encode())
