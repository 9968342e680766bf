# SPDX-License-Identifier: Apache-2.0
"""Loads the register: every file of evidence/sources, evidence/claims and evidence/vectors, once."""

import json
import re
from pathlib import Path

from .models import Claim, Source
from .problem import RegisterError, problem
from .reader import read_document
from .validate import Entry, build, claim_problems, half_read_problems, register_problems, source_problems


class Register:
    """The register as loaded: claims, sources and vectors, each in the order of the files.

    Attributes: root: Path; claims: {id: Claim}; sources: {key: Source}; vectors: {file stem: parsed JSON}.
    """

    def __init__(self, root, claims, sources, vectors):
        self.root = root
        self.claims = claims
        self.sources = sources
        self.vectors = vectors
        self._keys = {old: claim for claim in claims.values() for old in claim.was}
        self._keys.update({claim.key: claim for claim in claims.values()})

    def by_key(self, name):
        """Return the Claim of an id, a key or an old key. Raises: KeyError."""
        return self.claims[name] if name in self.claims else self._keys[name]

    def chapters(self):
        """Return {chapter: [Claim, ...]}, in the order of the files."""
        found = {}
        for claim in self.claims.values():
            found.setdefault(claim.chapter, []).append(claim)
        return found

    def citing(self, key):
        """Return [(Claim, position name or None, Evidence)] that cite a source, directly or through `via`."""
        return [
            (claim, position, item)
            for claim in self.claims.values()
            for position, item in claim.all_evidence()
            if key in (item.source, item.via)
        ]


def load(root=None):
    """Load and validate the register.

    Args: root: the directory that holds evidence/; default: settings.root().
    Returns: Register.
    Raises: RegisterError: with every problem of every file; the ledger is compared apart (ledger.ledger_problems).
    """
    register, problems = load_all(root)
    if problems:
        raise RegisterError(problems)
    return register


def load_all(root=None, overlay=None):
    """Return (Register of what is right, [Problem] of what is not); never raises for what a file holds.

    Args: root: as for `load`; overlay: {path from the root: bytes} that stand in for files, to try a change.
    """
    if root is None:
        from cdna_evidence import settings

        root = settings.root()
    root = Path(root)
    problems = []
    source_entries, named = [], set()
    for path in _files(root, "sources", ".yml", problems):
        source_entries += _read(Source, root, path, problems, named, overlay)
    sources = {}
    for entry in source_entries:
        key = entry.value.key
        if key in sources:
            problems.append(entry.problem(("key",), key, f"each source once; it stands in {sources[key].file}"))
        elif Path(entry.file).stem != key.lower():
            problems.append(entry.problem(("key",), key, f"the file's name in capitals; this file would be {key.lower()}.yml"))
        sources.setdefault(key, entry.value)
    entries, ids, unread = [], set(), []
    for path in _files(root, "claims", ".yml", problems):
        entries += _read(Claim, root, path, problems, ids, overlay, unread)
    # What stands in a file but did not load is reported there, not again wherever it is named.
    lost = named - set(sources)
    for document, file, place, data in unread:
        problems += half_read_problems(document, file, place, data, sources, lost)
    for entry in entries:
        problems += claim_problems(entry, sources, lost)
    problems += register_problems(entries, ids)
    claims = {}
    for entry in entries:
        claims.setdefault(entry.value.id, entry.value)
    for entry in source_entries:
        problems += source_problems(entry, ids)
    vectors = {path.stem: _vector(root, path, problems) for path in _files(root, "vectors", ".json", problems)}
    return Register(root, claims, sources, vectors), problems


def _files(root, folder, suffix, problems):
    """Return the files of a folder in order; a file with another suffix is a problem, not silently left out."""
    base = root / "evidence" / folder
    if not base.is_dir():
        problems.append(problem(f"evidence/{folder}", (1, 1), "folder", None, "no such folder"))
        return []
    found = []
    for path in sorted(base.iterdir()):
        if path.name.startswith(".") or path.name.startswith("README"):
            continue
        if path.suffix != suffix or not path.is_file():
            problems.append(problem(_name(root, path), (1, 1), "file", path.name, f"files ending in {suffix} only"))
        else:
            found.append(path)
    return found


def _name(root, path):
    return path.relative_to(root).as_posix()


def _read(model, root, path, problems, names, overlay, unread=None):
    """Return the entries of one file; `names` collects every id or key in it, also of what does not load, and `unread`
    the mappings that did not load."""
    file = _name(root, path)
    if model is Source:
        names.add(path.stem.upper())
    try:
        content = overlay[file] if overlay and file in overlay else path.read_bytes()
    except OSError as error:
        problems.append(problem(file, (1, 1), "file", None, f"not readable: {error.strerror}"))
        return []
    document = read_document(content, file)
    problems += document.problems
    if () in document.bad:
        if model is Claim:
            names.update(_ids_in(content))
        return []
    if model is Source:
        items, shape, word = [((), document.data)], dict, "a mapping: one source per file"
    elif document.data is None and not document.problems:
        return []  # a chapter without claims yet
    else:
        items, shape, word = [((), document.data)], list, "a list of claims"
    if not isinstance(document.data, shape):
        problems.append(problem(file, document.mark(()), "file", type(document.data).__name__, word))
        return []
    if shape is list:
        items = [((number,), item) for number, item in enumerate(document.data)]
    entries: list[Entry] = []
    for place, data in items:
        name = data.get("id" if model is Claim else "key") if isinstance(data, dict) else None
        if isinstance(name, str):
            names.add(name)
        entry, found = build(model, document, file, place, data)
        problems += found
        if entry is not None:
            if model is Claim:
                entry.value._chapter = path.stem
            entries.append(entry)
        elif unread is not None and isinstance(data, dict):
            unread.append((document, file, place, data))
    return entries


def _ids_in(content):
    """Return what looks like the id of a claim in a file that is not readable as YAML."""
    return re.findall(r"^-\s+id:\s*([A-Z0-9-]+)", content.decode("utf-8", "replace"), re.MULTILINE)


def _vector(root, path, problems):
    try:
        with open(path, "rb") as stream:
            data = json.loads(stream.read().decode("utf-8"))
    except json.JSONDecodeError as error:
        problems.append(problem(_name(root, path), (error.lineno, error.colno), "file", None, f"not JSON: {error.msg}"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        problems.append(problem(_name(root, path), (1, 1), "file", None, f"not readable as JSON: {error}"))
    else:
        if isinstance(data, dict):
            return data
        problems.append(problem(_name(root, path), (1, 1), "file", type(data).__name__, "a JSON object"))
    return {}
