# SPDX-License-Identifier: Apache-2.0
"""Answers kept by everything they depend on, and the digest of a program file.

An entry is one small file named by the SHA-256 of its key. It is written under another name and then moved, so a
reader sees a whole entry or none, whatever was killed and however many runs write at once. An entry that cannot be
read, or whose key is not the one asked for, counts as absent. A cache that cannot be written is no cache, no error.
"""

import hashlib
import json
import os
import tempfile
from pathlib import Path

FORMAT = 1


def default_folder():
    """Return where answers are kept: CDNA_EVIDENCE_CACHE, else build/cache of the clone, else the user's cache."""
    asked = os.environ.get("CDNA_EVIDENCE_CACHE")
    if asked:
        return Path(asked)
    top = Path(__file__).resolve().parents[3]
    if (top / "pyproject.toml").is_file() and (top / "evidence" / "claims").is_dir():
        return top / "build" / "cache"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "cdna-evidence"


class Cache:
    """A folder of answers.

    Args: folder: where; default `default_folder()`; fresh: True reads nothing kept, and still keeps what is found.
    """

    def __init__(self, folder=None, fresh=False):
        self.folder = Path(folder) if folder is not None else default_folder()
        self.fresh = fresh

    def get(self, key):
        """Return the kept value of a key (a dict of JSON values), or None."""
        if self.fresh:
            return None
        try:
            with open(self._path(key), encoding="utf-8") as stream:
                entry = json.load(stream)
        except (OSError, ValueError):
            return None
        if not isinstance(entry, dict) or entry.get("key") != key:
            return None
        return entry.get("value")

    def put(self, key, value):
        """Keep a value (a JSON value, not None) under a key."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    json.dump({"key": key, "value": value}, stream)
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError:
            return

    def _path(self, key):
        name = hashlib.sha256(_canonical([FORMAT, key])).hexdigest()
        return self.folder / "answers" / name[:2] / (name + ".json")


def file_digest(path, cache):
    """Return the SHA-256 of a file, 64 hex digits.

    The digest of a large program costs a tenth of a second or more, so it is kept by path, size, times and inode.
    It is read even when the cache is fresh: those five say that the file is the same.

    Raises: OSError: the file cannot be read.
    """
    status = os.stat(path)
    key = {
        "kind": "digest",
        "path": os.path.realpath(path),
        "size": status.st_size,
        "mtime": status.st_mtime_ns,
        "ctime": status.st_ctime_ns,
        "inode": status.st_ino,
    }
    kept = Cache(cache.folder).get(key)
    if isinstance(kept, str) and len(kept) == 64:
        return kept
    with open(path, "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    cache.put(key, digest)
    return digest


def _canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
