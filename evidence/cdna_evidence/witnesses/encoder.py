# SPDX-License-Identifier: Apache-2.0
"""Put copies to a program that builds descriptors, in worker processes of its own, and keep its answers.

A worker takes all sources at once and answers each with one line of JSON as soon as it has it. When it dies, the
first source without an answer is the one that killed it: that is its outcome, and a new worker takes the rest.
"""

import importlib.metadata
import json
import mmap
import re
import shlex
import sys
from pathlib import Path

from . import asmtext, isolation
from .cache import Cache, file_digest
from .face import Missing, Words

# Version of what this module and the readers of IR make of a worker's answer; part of every cache key.
NORMALISER = 1
SECONDS = isolation.SECONDS
SECONDS_EACH = 4.0
_LLVM = re.compile(rb"\b(\d+\.\d+\.\d+(?:git)?) \(?([0-9a-f]{40})\b")


class Refused(ValueError):
    """A copy that this program has no words for; the message says what."""


class Encoder:
    """A program that builds descriptors.

    Args: package: name of the wheel; version: the only one that is driven; library: path inside the wheel of the file
      whose digest stands for it; worker: file name of the worker beside this module; how_to_get: one command.
    Raises: Missing: not installed, another version, or the library cannot be read.
    """

    name = None

    def __init__(self, package, version, library, worker, how_to_get, cache=None, fresh=False):
        self.cache = cache or Cache(fresh=fresh)
        try:
            wheel = importlib.metadata.distribution(package)
        except importlib.metadata.PackageNotFoundError:
            raise Missing(f"the Python package {package} is not installed", how_to_get) from None
        if wheel.version != version:
            raise Missing(f"{package} is version {wheel.version}, not {version}", how_to_get)
        self.version = version
        self.package = f"{package} {version}"
        self.library = str(wheel.locate_file(library))
        self.seconds = SECONDS
        self._worker = str(Path(__file__).with_name(worker))
        try:
            self.digest = file_digest(self.library, self.cache)
            self.revision = self._read_revision()
        except OSError as error:
            raise Missing(f"the library of {self.package} cannot be read: {error.strerror}", how_to_get) from None

    def source_of(self, copy, op):
        """Return the source text that asks for a copy. Raises: Refused."""
        raise NotImplementedError

    def words_of(self, answer, copy):
        """Return the descriptors, a tuple of tuples of words, that the program's answer holds."""
        raise NotImplementedError

    def descriptor_words(self, copy, op="load"):
        """Return the Words that this program builds for one copy; see `descriptor_words_of`."""
        return self.descriptor_words_of([copy], op)[0]

    def descriptor_words_of(self, copies, op="load"):
        """Return one Words per copy, in order.

        Args: copies: dicts as `cdna tdm encode` takes them under "copy", with `base` and `at`; op: "load" or "store".
        Raises: ValueError: a copy that this program has no words for.
        """
        copies = list(copies)
        sources = [self.source_of(copy, op) for copy in copies]
        keys = [self._key(source) for source in sources]
        answers = []
        for copy, (outcome, text, kept) in zip(copies, self._answers(sources, keys), strict=True):
            words = ()
            if outcome == "accepted":
                try:
                    words, text = self.words_of(text, copy), ""
                except ValueError as error:
                    outcome, text = "rejected", f"its output was not understood: {error}"
            answers.append(Words(outcome, words, text, self._command(copy, op), kept))
        return answers

    def _answers(self, sources, keys):
        """Return (outcome, text, kept) per source; only what the cache does not hold under its key is asked."""
        found = [self.cache.get(key) for key in keys]
        wanted = [i for i, value in enumerate(found) if value is None]
        fresh = dict(zip(wanted, self._ask([sources[i] for i in wanted]), strict=True))
        for i, (outcome, text) in fresh.items():
            if asmtext.keepable(outcome):
                self.cache.put(keys[i], [outcome, text])
        return [(*fresh[i], False) if i in fresh else (*value, True) for i, value in enumerate(found)]

    def _ask(self, sources):
        """Return (outcome, text) per source: the program's output, or what it said."""
        answers = []
        while len(answers) < len(sources):
            rest = sources[len(answers) :]
            argv = [sys.executable, "-I", self._worker]
            seconds = self.seconds + SECONDS_EACH * len(rest)
            ran = isolation.run(argv, json.dumps(rest).encode(), seconds=seconds, environment=self.environment())
            told = _told(ran.out, len(rest))
            answers += told
            if len(told) < len(rest):
                answers.append(_ended(ran))
        return answers

    def environment(self):
        """Return variables for the worker."""
        return {}

    def _key(self, source):
        return {
            "kind": "descriptor words",
            "witness": self.name,
            "package": self.package,
            "digest": self.digest,
            "source": source,
            "normaliser": NORMALISER,
        }

    def _command(self, copy, op):
        text = json.dumps(copy, sort_keys=True)
        return f"python -m cdna_evidence.witnesses.encoder {self.name} {op} {shlex.quote(text)}"

    def _read_revision(self):
        """Return the LLVM that the library names, found in the file and kept by its digest."""
        key = {"kind": "revision", "witness": self.name, "digest": self.digest}
        kept = Cache(self.cache.folder).get(key)
        if kept is not None:
            return kept
        with open(self.library, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as held:
            found = _LLVM.search(held)
            revision = " ".join(part.decode() for part in (b"LLVM", *found.groups())) if found else "LLVM, unknown"
        self.cache.put(key, revision)
        return revision


def _told(out, most):
    """Return the answers that a worker wrote in full."""
    answers = []
    for line in out.split(b"\n")[:-1][:most]:
        try:
            outcome, text = json.loads(line)
        except ValueError:
            break
        answers.append((outcome, text))
    return answers


def _ended(ran):
    """Return the outcome of the source that a worker did not answer."""
    if ran.outcome in ("timeout", "flooded"):
        return ran.outcome, f"no answer after {ran.seconds:.0f} s"
    said = ran.err.decode("utf-8", "replace")
    return "crashed", asmtext.died(ran) or f"exit status {ran.code}: {asmtext.first_error(said)}"


def extents(copy):
    """Return (tile, tensor, at, strides) of a copy with base and at, all of one length, outermost first.

    Raises: Refused: a copy in another form, or a number that is no integer.
    """
    unknown = sorted(set(copy) - set(_KEYS))
    if unknown:
        raise Refused(f"{unknown[0]}: not part of what this program is asked for")
    for key in ("tile", "tensor", "base"):
        if key not in copy:
            raise Refused(f"{key} is missing")
    tile = list(copy["tile"])
    at = list(copy.get("at", [0] * len(tile)))
    strides = [1] + list(copy.get("strides", ()))
    if not 1 <= len(tile) <= 8 or not len(tile) == len(copy["tensor"]) == len(at) == len(strides):
        raise Refused("tile, tensor and at must have one length, strides one less")
    lists = [[_integer(item) for item in reversed(values)] for values in (tile, copy["tensor"], at, strides)]
    for key in ("base", "lds_addr", "barrier_addr", "workgroup_mask"):
        _integer(copy.get(key, 0))
    return lists


_KEYS = (
    "element_bits",
    "base",
    "at",
    "lds_addr",
    "tensor",
    "strides",
    "tile",
    "pad",
    "gather",
    "iterate",
    "barrier_addr",
    "workgroup_mask",
    "early_timeout",
)


def _integer(value):
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused(f"{value!r} is not an integer")
    return value


def main(argv):
    """Print the words that a program builds for one copy; return the exit status."""
    from . import get

    name, op, copy = argv
    try:
        found = get(name, fresh=True).descriptor_words(json.loads(copy), op)
    except (Missing, ValueError) as error:
        print(error, file=sys.stderr)
        return 3
    for words in found.descriptors:
        print(" ".join(f"{word:08x}" for word in words))
    if found.diagnostic:
        print(f"{found.outcome}: {found.diagnostic}", file=sys.stderr)
    return 0 if found.outcome == "accepted" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
