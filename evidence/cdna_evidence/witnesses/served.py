# SPDX-License-Identifier: Apache-2.0
"""An LLVM that is a library: asked through a worker process that is replaced when LLVM ends it.

LLVM options hold for a whole process: they are fixed when the worker starts and are part of every key. The question is
{"kind": "assembly", "object" or "assemble", "target", "triple", "opt", "source"}; the answer {"text"}, {"data"} or
{"error"}. The first line of a worker tells the version: {"llvm": ...}.
"""

import os
import re
import shlex
import sys
import threading

from . import asmtext, elf, isolation, listing
from .cache import Cache, file_digest
from .face import Compiled, Missing, Object, answer
from .worker import Worker

HSA = "amdgcn-amd-amdhsa"
PAL = "amdgcn--amdpal"
AFTER_HAZARDS = "post-RA-hazard-rec"
# More questions than this are shared among workers, one a core, two at most.
SHARED = 32
# Version of what this module makes of an answer; part of every key.
RULES = 2
KILLED = -9
# What is answered in bytes.
BINARY = ("object", "assemble")
# Where a worker may put an assembled line: LLVM fills up .text behind what stands in it.
LINE_SECTION = ".cdna_line"
_EMPTY = "; is this processor known?\ndefine void @f() {\n  ret void\n}\n"

_workers = {}
_lock = threading.Lock()


class Served:
    """One LLVM library behind a worker. A subclass sets `name`, and `how_to_get`.

    Args: library: path of the shared library, for its digest; package: name and version of its wheel; cache: a Cache;
      argv: the worker's command line, before LLVM options; seconds, memory, output: limits of one answer.
    Raises: Missing: it cannot be read, or does not load.
    """

    name = None
    how_to_get = ""
    revision = None

    def __init__(
        self, library, package, cache, argv, seconds=isolation.SECONDS, memory=isolation.MEMORY,
        output=isolation.OUTPUT,
    ):  # fmt: skip
        self.library = library
        self.package = package
        self.cache = cache
        self._limits = (seconds, memory, output)
        self._argv = list(argv)
        try:
            self.digest = file_digest(library, cache)
        except OSError as error:
            raise Missing(f"the library of {package} cannot be read: {error.strerror}", self.how_to_get) from None
        self.version, self.revision = self._ask_version()

    def compile_ir(self, target, ir, opt=2, extra=(), expect=(), triple=HSA):
        """Return LLVM IR as assembly text; as Clang.compile_ir, `extra` being options of LLVM itself."""
        return self.compile_many(target, [ir], opt, extra, expect, triple)[0]

    def compile_mir(self, target, ir, opt=2, extra=(), expect=(), triple=HSA, stop_after=AFTER_HAZARDS):
        """Return LLVM IR as the MIR text that stands after one pass; as Clang.compile_mir."""
        extra = ("-stop-after=" + stop_after, *extra)
        return self._many("mir", target, [ir], opt, extra, expect, triple)[0]

    def compile_many(self, target, sources, opt=2, extra=(), expect=(), triple=HSA):
        """Return one Compiled per module, in order; arguments as for `compile_ir`."""
        return self._many("assembly", target, list(sources), opt, extra, expect, triple)

    def compile_object(self, target, ir, opt=2, extra=(), triple=HSA):
        """Return LLVM IR as an Object; arguments as for `compile_ir`."""
        return self._many("object", target, [ir], opt, extra, (), triple)[0]

    def _assemble(self, target, lines, triple):
        """Return one Answer per line of assembler text; for libraries that have an assembler."""
        lines = list(lines)
        for line in lines:
            asmtext.check_line(line)
        answers = []
        for line, item in zip(lines, self._many("assemble", target, lines, 0, (), (), triple), strict=True):
            data = item.data if item.accepted else None
            answers.append(answer(item.outcome, line, data, item.diagnostic, item.command, item.kept))
        return answers

    def knows(self, target):
        """Return True when this LLVM knows a processor by name."""
        return self.compile_ir(target, _EMPTY).outcome == "accepted"

    def _many(self, kind, target, sources, opt, extra, expect, triple):
        asmtext.check_target(target)
        make = Object if kind in BINARY else Compiled
        keys = [self._key(kind, target, source, opt, extra, expect, triple) for source in sources]
        answers = [self.cache.get(key) for key in keys]
        wanted = [i for i, value in enumerate(answers) if value is None]

        def settle(i, number):
            found = self._one(kind, target, sources[i], opt, extra, expect, triple, number)
            # Kept at once: whoever is killed loses no more than the answer in flight.
            if asmtext.keepable(found[0]) and f"signal {-KILLED}" not in found[2]:
                self.cache.put(keys[i], list(found))
            return found

        fresh = dict(zip(wanted, _shared(settle, wanted), strict=True))
        told = []
        for i, source in enumerate(sources):
            outcome, output, diagnostic = fresh.get(i) or answers[i]
            if kind in BINARY:
                output = bytes.fromhex(output)
            command = self._paste(kind, target, source, opt, extra, triple)
            told.append(make(outcome, output, diagnostic, command, i not in fresh))
        return told

    def _one(self, kind, target, source, opt, extra, expect, triple, number):
        """Return (outcome, output, diagnostic) of one module."""
        wanted = kind if kind in BINARY else "assembly"
        question = {"target": target, "triple": triple, "opt": opt, "source": source, "kind": wanted}
        worker = _worker((*self._argv, *extra), self._limits, number)
        ran = worker.ask(question)
        if ran.code == KILLED:
            # Somebody else ended it (a person, or a machine short of memory): that says nothing about the question.
            ran = worker.ask(question)
        outcome, diagnostic = _verdict(ran)
        # A processor that LLVM does not know is told of once a worker; it then goes on with a generic one, refuses
        # what that lacks or aborts. Objects and MIR do not name their target.
        if (outcome in ("rejected", "crashed") or kind != "assembly") and source != _EMPTY and not self.knows(target):
            return "unknown-target", "", f"this LLVM does not know {target}: {diagnostic}"
        if outcome != "accepted":
            return outcome, "", diagnostic
        if kind == "assemble":
            found = elf.read(bytes.fromhex(ran.value["data"])).sections
            return "accepted", found.get(LINE_SECTION, found.get(".text", b"")).hex(), diagnostic
        if kind == "object":
            return "accepted", ran.value["data"], diagnostic
        text = ran.value["text"]
        if kind == "assembly" and self.target_of(text) != target:
            return "unknown-target", "", f"the assembly is for {self.target_of(text) or 'no named target'}"
        objection = listing.objection(text, source, expect, mir=kind == "mir")
        if objection:
            return "rejected", "", objection
        return "accepted", text, diagnostic

    def target_of(self, text):
        """Return the processor that an assembly text says it is for, or None."""
        return asmtext.target_of(text)

    def _key(self, kind, target, source, opt, extra, expect, triple):
        return {
            "kind": "served " + kind,
            "rules": RULES,
            "witness": self.name,
            "package": self.package,
            "version": self.version,
            "digest": self.digest,
            "target": target,
            "triple": triple,
            "opt": opt,
            "options": list(extra),
            "source": source,
            "expect": list(expect),
            "normaliser": asmtext.NORMALISER,
            "limits": list(self._limits[1:]),
        }

    def _paste(self, kind, target, source, opt, extra, triple):
        """Return one line of POSIX shell that repeats a question in a process of its own."""
        words = ["python", "-m", "cdna_evidence.witnesses.served", self.name, target, triple, str(opt), kind, *extra]
        return listing.given(source) + " | " + " ".join(shlex.quote(word) for word in words)

    def _ask_version(self):
        key = {"kind": "served version", "witness": self.name, "digest": self.digest, "package": self.package}
        kept = Cache(self.cache.folder).get(key)
        if kept is not None:
            return tuple(kept)
        worker = _worker(tuple(self._argv), self._limits, 0)
        ran = worker.ask({"target": "gfx942", "triple": HSA, "opt": 0, "source": _EMPTY, "kind": "assembly"})
        if not worker.hello or "llvm" not in worker.hello:
            words = asmtext.first_error(ran.err.decode("utf-8", "replace"))
            raise Missing(f"{self.package} does not load ({words})", self.how_to_get)
        told = self.named(worker.hello["llvm"], worker.hello.get("revision"))
        self.cache.put(key, list(told))
        return told

    def named(self, version, revision):
        """Return (version, revision): what the worker told, or better what the library's file says."""
        return version, revision


def _verdict(ran):
    """Return outcome and diagnostic of one question, before the text is looked at."""
    said = ran.err.decode("utf-8", "replace")
    if ran.outcome in ("timeout", "flooded"):
        words = {"timeout": f"no answer within {ran.seconds:.1f} s", "flooded": "more output than the limit allows"}
        return ran.outcome, words[ran.outcome]
    if ran.outcome == "not-started":
        return "crashed", f"did not start: {said[:300]}"
    # It says so once, when the machine is made; a process that goes on works for a generic processor.
    unknown = asmtext.unknown_processor(said)
    if unknown:
        return "unknown-target", unknown
    if ran.value is None:
        died = asmtext.died(ran)
        if died:
            words = asmtext.first_error(said)
            return "crashed", died if words in died or words == "said nothing" else f"{died}: {words}"
        if ran.code == 1 and "error:" in said:
            # An error that LLVM reports and ends its process for, such as too much LDS.
            return "rejected", asmtext.first_error(said)
        return "crashed", f"exit status {ran.code}: {asmtext.first_error(said)}"
    if "error" in ran.value or re.search(r"^\S*\s*error:", said, re.MULTILINE):
        # A library may print what is wrong and answer all the same.
        words = asmtext.first_error(said) if "error:" in said else ran.value["error"]
        return "rejected", " ".join(words.split())
    return "accepted", said.strip()[:2000]


def _shared(settle, wanted):
    """Settle questions in order; many of them on several workers."""
    cores = min(2, os.cpu_count() or 1)
    if len(wanted) < SHARED or cores < 2:
        return [settle(i, 0) for i in wanted]
    from concurrent.futures import ThreadPoolExecutor

    free = list(range(cores))
    held = threading.local()

    def take():
        held.number = free.pop()

    with ThreadPoolExecutor(cores, initializer=take) as pool:
        return list(pool.map(lambda i: settle(i, held.number), wanted))


def _worker(argv, limits, number):
    """Return the worker of a command line; it is kept for the life of this process."""
    with _lock:
        key = (argv, limits, number)
        if key not in _workers:
            _workers[key] = Worker(argv, *limits)
        return _workers[key]


def main(argv):
    """Put standard input to a witness as `Served._paste` asks, keep nothing; return the exit status."""
    from . import get

    name, target, triple, opt, kind, *extra = argv
    found = get(name, fresh=True)
    source = sys.stdin.read()
    source = source.strip() if kind == "assemble" else source
    (told,) = found._many(kind, target, [source], int(opt), tuple(extra), (), triple)
    if told.outcome != "accepted":
        print(f"{told.outcome}: {told.diagnostic}", file=sys.stderr)
        return 1
    sys.stdout.write(told.data.hex(" ") + "\n" if kind in BINARY else told.assembly)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
