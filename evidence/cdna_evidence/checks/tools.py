# SPDX-License-Identifier: Apache-2.0
"""What a check may reach for while it observes, and a record of what it did reach for."""

import functools
import json

from cdna_evidence import settings

from .api import NotHere


class Tools:
    """Handed to `observe`: witnesses, vectors and, for kinds links and site, the register.

    Every use is noted, so that a compiler check that ran no compiler, or a vector check that read no vector, fails.
    """

    def __init__(self, kind, register=None, fresh=False):
        self._kind = kind
        self._register = register
        self._fresh = fresh
        self.used = []  # dicts: name, version, revision, digest, package
        self.origins = []  # whose output a vector is
        self.commands = []  # one line each, to be repeated by a reader
        self.kept = []  # one bool an answer: True where it came from the cache

    @property
    def clang(self):
        """The clang inside the `ziglang` wheel."""
        return self.witness("clang")

    def witness(self, name):
        """Return a program that was not written here, by name.

        Raises: NotHere: it is not on this machine; the text says how to get it.
        """
        from cdna_evidence import witnesses

        try:
            program = witnesses.get(name, fresh=self._fresh) if self._fresh else witnesses.get(name)
        except witnesses.Missing as error:
            raise NotHere(str(error)) from None
        entry = {key: getattr(program, key, None) for key in ("name", "version", "revision", "digest", "package")}
        if entry not in self.used:
            self.used.append(entry)
        return _Recorded(program, self)

    def vector(self, stem):
        """Return the parsed file evidence/vectors/<stem>.json: what programs not written here produced."""
        data = _vector(str(settings.root() / "evidence" / "vectors" / (stem + ".json")))
        entry = {"name": "vector " + stem, "version": None, "revision": None, "digest": data[1], "package": None}
        if entry not in self.used:
            self.used.append(entry)
        return json.loads(data[0])

    def rows(self, stem, part, **wanted):
        """Return the rows of one part of a vector file that have these values, and note whose they are."""
        data = self.vector(stem)[part]
        found = [row for row in data["rows"] if all(row.get(key) == value for key, value in wanted.items())]
        if found:
            self.origin(data["origin"])
        return found

    def origin(self, whose):
        """Note whose output agreed (a vector check calls this once for each origin that it used)."""
        if whose not in self.origins:
            self.origins.append(whose)

    @property
    def register(self):
        """The whole register; only for checks of kind links or site, whose subject it is."""
        if self._kind not in ("links", "site"):
            raise PermissionError("only checks of kind links or site may read the register")
        return self._register

    @property
    def root(self):
        """The folder that holds evidence/ and checks/; only for checks of kind links or site."""
        if self._kind not in ("links", "site"):
            raise PermissionError("only checks of kind links or site may read the project's files")
        return settings.root()


class _Recorded:
    """A witness whose answers are noted as they pass."""

    def __init__(self, program, tools):
        self._program = program
        self._tools = tools

    def __getattr__(self, name):
        value = getattr(self._program, name)
        if not callable(value):
            return value

        @functools.wraps(value)
        def call(*args, **kwargs):
            result = value(*args, **kwargs)
            # A NamedTuple with a command is an answer; a plain list or tuple holds several.
            several = isinstance(result, (list, tuple)) and not hasattr(result, "command")
            for answer in result if several else [result]:
                command = getattr(answer, "command", None)
                if command and command not in self._tools.commands and len(self._tools.commands) < 12:
                    self._tools.commands.append(command)
                kept = getattr(answer, "kept", None)
                if kept is not None:
                    self._tools.kept.append(bool(kept))
            return result

        return call


@functools.cache
def _vector(path):
    import hashlib

    with open(path, "rb") as stream:
        data = stream.read()
    return data, hashlib.sha256(data).hexdigest()
