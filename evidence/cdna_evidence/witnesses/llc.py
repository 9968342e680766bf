# SPDX-License-Identifier: Apache-2.0
"""LLVM's `llc`, of exactly version 22, where it is installed: the only program here that reads MIR.

It runs one pass on instructions with physical registers, so a question about wait states has an exact answer. Never
another version that happens to be on the path. The digest is that of the small program; Debian keeps the LLVM library
beside it in a package of the same version.
"""

import re
import shlex

from . import asmtext, isolation, listing, llvm22, matrix
from .cache import Cache
from .face import Compiled

NAME = "llc"
TITLE = "llc 22 (Debian package llvm-22)"
ANSWERS = ("MIR through one pass", "wait states")
HOW_TO_GET = llvm22.HOW_TO_GET

TRIPLE = "amdgcn"
HAZARDS = "post-RA-hazard-rec"


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    return Llc(llvm22.find(NAME), cache or Cache(fresh=fresh))


class Llc(llvm22.Program):
    """One llc program."""

    name = NAME

    def run_pass(self, target, mir, name=HAZARDS):
        """Return MIR as it stands after one pass, a Compiled whose `assembly` is the MIR text.

        Args: target: such as gfx950; mir: functions in MIR; name: the pass; the default inserts wait states.
        Raises: ValueError: the target is no processor name.
        """
        asmtext.check_target(target)
        arguments = ["-mtriple=" + TRIPLE, "-mcpu=" + target, "-run-pass=" + name, "-x", "mir", "-", "-o", "-"]
        return self._run(target, arguments, mir, "mir")

    def wait_states(self, target, functions):
        """Return the wait states that the hazard pass adds to functions of straight-line MIR.

        Args: target: such as gfx950; functions: (name, lines) each, see matrix.function; no line is an S_NOP.
        Returns: (Compiled, {name: states}); the dict is empty unless the outcome is "accepted".
        """
        functions = list(functions)
        text = "".join(matrix.function(name, lines) for name, lines in functions)
        compiled = self.run_pass(target, text)
        if not compiled.accepted:
            return compiled, {}
        try:
            return compiled, matrix.inserted(compiled.assembly, [name for name, _ in functions])
        except ValueError as error:
            return compiled._replace(outcome="crashed", assembly="", diagnostic=str(error)), {}

    def assembly(self, target, mir, when, more=()):
        """Return MIR as assembly text.

        Args: target: such as gfx950; mir: functions in MIR; when: "before" runs the hazard pass and what follows,
          "after" only what follows it; more: further arguments.
        """
        asmtext.check_target(target)
        arguments = ["-mtriple=amdgcn-amd-amdhsa", "-mcpu=" + target, *more]
        return self._run(target, [*arguments, f"-start-{when}={HAZARDS}", "-x", "mir", "-", "-o", "-"], mir, "assembly")

    def _run(self, target, arguments, text, kind):
        command = listing.given(text) + " | llc-22 " + " ".join(shlex.quote(word) for word in arguments)
        key = {"kind": "llc " + kind, "witness": self.name, "version": self.version, "digest": self.digest}
        key.update(target=target, arguments=arguments, source=text)
        kept = self.cache.get(key)
        if kept is not None:
            return Compiled(*kept, command, kept=True)
        ran = isolation.run([self.program, *arguments], text.encode("utf-8"), **self._limits)
        said = ran.err.decode("utf-8", "replace")
        out = ran.out.decode("utf-8", "replace")
        outcome, diagnostic = _verdict(ran, said)
        result = Compiled(outcome, out if outcome == "accepted" else "", diagnostic, command)
        if asmtext.keepable(outcome):
            self.cache.put(key, [result.outcome, result.assembly, result.diagnostic])
        return result


def _verdict(ran, said):
    if ran.outcome != "ended":
        outcome = ran.outcome if ran.outcome in ("timeout", "flooded") else "crashed"
        return outcome, f"{ran.outcome} after {ran.seconds:.1f} s"
    unknown = asmtext.unknown_processor(said)
    if unknown:
        return "unknown-target", unknown
    if ran.code != 0:
        # llc reports an instruction that a target cannot select, or malformed MIR, by ending with an error.
        refused = "Cannot select" in said or re.search(r"^(?:<stdin>|llc\S*): ?.*error:", said, re.MULTILINE)
        return ("rejected" if refused else "crashed"), asmtext.first_error(said)
    return "accepted", ""
