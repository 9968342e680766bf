# SPDX-License-Identifier: Apache-2.0
"""LLVM's own assembler and disassembler, `llvm-mc`, of exactly version 22, where it is installed.

Never another version that happens to be on the path: an older one does not know gfx1250. The digest is that of
the small program; Debian keeps the LLVM library beside it in a package of the same version.
"""

import re
import shlex

from . import asmtext, isolation, llvm22
from .cache import Cache
from .face import answer

NAME = "llvm-mc"
TITLE = "llvm-mc 22 (Debian package llvm-22)"
ANSWERS = ("assemble", "disassemble")
HOW_TO_GET = llvm22.HOW_TO_GET

HSA = "amdgcn-amd-amdhsa"
_WARNING = re.compile(r"^<stdin>:1:(\d+): (warning|error): (.*)$", re.MULTILINE)
_LISTED = re.compile(r"^\s*(.*?)\s*[;/]{1,2} encoding: \[([^\]]*)\]", re.MULTILINE)


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    return LlvmMc(llvm22.find(NAME), cache or Cache(fresh=fresh))


class LlvmMc(llvm22.Program):
    """One llvm-mc program."""

    name = NAME

    def assemble(self, target, lines, triple=HSA):
        """Return one Answer per line; as Clang.assemble."""
        asmtext.check_target(target)
        lines = list(lines)
        for line in lines:
            asmtext.check_line(line)
        arguments = ["-triple=" + triple, "-mcpu=" + target, "-show-encoding", "-"]
        ask = lambda text: isolation.run([self.program, *arguments], text, **self._limits)  # noqa: E731
        return asmtext.assemble(lines, target, triple, ask, lambda line: _paste(arguments, line))

    def disassemble(self, target, data):
        """Return one Answer per instruction of machine code in memory order.

        What is no instruction is a rejected Answer that holds the bytes passed over.
        Raises: ValueError: the target is no processor name.
        """
        asmtext.check_target(target)
        data = bytes(data)
        if not data:
            return []
        arguments = ["-triple=" + HSA, "-mcpu=" + target, "-disassemble", "-show-encoding"]
        given = " ".join(f"0x{byte:02x}" for byte in data)
        ran = isolation.run([self.program, *arguments], given.encode() + b"\n", **self._limits)
        said = ran.err.decode("utf-8", "replace")
        command = _paste(arguments, given)
        unknown = asmtext.unknown_processor(said)
        if unknown:
            return [answer("unknown-target", "", data, unknown, command)]
        if ran.outcome != "ended" or asmtext.died(ran):
            outcome = ran.outcome if ran.outcome in ("timeout", "flooded") else "crashed"
            return [answer(outcome, "", data, asmtext.died(ran) or asmtext.first_error(said), command)]
        return self._read(ran.out.decode("utf-8", "replace"), said, data, arguments)

    def _read(self, out, said, data, arguments):
        """Put decoded instructions and warnings back in the order of their offsets."""
        bad = {(int(column) - 1) // 5: words for column, _, words in _WARNING.findall(said)}
        stops = sorted(bad) + [len(data)]
        listed = iter(_LISTED.findall(out))
        answers = []
        offset = 0
        while offset < len(data):
            if offset in bad:
                end = min(offset + 4, len(data))
                given = _hex(data[offset:end])
                answers.append(answer("rejected", "", data[offset:end], bad[offset], _paste(arguments, given)))
                offset = end
                continue
            text, listing = next(listed, (None, ""))
            size = len(listing.split(",")) if text is not None else 0
            if not size or offset + size > min(stop for stop in stops if stop > offset):
                rest = data[offset:]
                words = "the listing does not account for these bytes"
                answers.append(answer("crashed", "", rest, words, _paste(arguments, _hex(rest))))
                break
            part = data[offset : offset + size]
            answers.append(answer("accepted", " ".join(text.split()), part, "", _paste(arguments, _hex(part))))
            offset += size
        return answers


def _hex(data):
    return " ".join(f"0x{byte:02x}" for byte in data)


def _paste(arguments, source):
    return f"printf '%s\\n' {shlex.quote(source)} | llvm-mc-22 " + " ".join(shlex.quote(word) for word in arguments)
