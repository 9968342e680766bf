# SPDX-License-Identifier: Apache-2.0
"""The clang inside the `ziglang` wheel: assembler text, LLVM IR and C for gfx942, gfx950 and gfx1250.

It has no decoder for machine code. `disassemble` therefore takes the text of a decoder (Debian's llvm-mc 22, or
AMD's LLVM from pip) and lets clang say whether that text has these bytes.
"""

import importlib.metadata
import importlib.util
import os
import re
import shlex

from . import asmtext, isolation, listing
from .cache import Cache, file_digest
from .face import Compiled, Missing, Object, answer

NAME = "clang"
TITLE = "clang in the ziglang wheel"
ANSWERS = ("assemble", "disassemble (with a decoder)", "compile IR", "compile C", "objects", "MIR out")
HOW_TO_GET = "pip install ziglang==0.17.1 (or cdna-evidence[witnesses])"

HSA = "amdgcn-amd-amdhsa"
PAL = "amdgcn--amdpal"
AFTER_HAZARDS = "post-RA-hazard-rec"
_PATHS = re.compile(r"^(/dev/stdin|<stdin>):", re.MULTILINE)
# What the driver adds after the first message of a failed compilation: where it is installed, how to report it.
_AFTERWARDS = re.compile(r"^zig: error: clang frontend command failed.*", re.MULTILINE | re.DOTALL)


def find(cache=None, fresh=False):
    """Return the witness.

    Args: cache: a Cache, default the project's; fresh: True ignores kept answers.
    Raises: Missing: the wheel is not installed, or its program does not run.
    """
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        raise Missing("the Python package ziglang is not installed", HOW_TO_GET)
    folder = list(spec.submodule_search_locations)[0]
    for name in ("zig", "zig.exe"):
        program = os.path.join(folder, name)
        if os.path.isfile(program):
            package = "ziglang " + importlib.metadata.version("ziglang")
            return Clang(program, package, cache or Cache(fresh=fresh))
    raise Missing("the Python package ziglang holds no program for this machine", HOW_TO_GET)


class Clang:
    """One clang program.

    Args: program: path of a `zig` (or of anything that takes `clang ...` as arguments); package: name and version of
      what it came in; cache: a Cache; seconds, memory, output: limits of one call, see isolation.run.
    Raises: Missing: the program does not run or tells no version.
    """

    name = NAME

    def __init__(
        self, program, package, cache, seconds=isolation.SECONDS, memory=isolation.MEMORY, output=isolation.OUTPUT
    ):
        self.program = os.path.abspath(program)
        self.package = package
        self.cache = cache
        self._limits = {"seconds": seconds, "memory": memory, "output": output}
        try:
            self.digest = file_digest(self.program, cache)
        except OSError as error:
            raise Missing(f"the program of {package} cannot be read: {error.strerror}", HOW_TO_GET) from None
        self.version, self.revision = self._ask_version()

    def assemble(self, target, lines, triple=HSA, features=()):
        """Return one Answer per line of assembler text, in order.

        Args: target: such as gfx1250; lines: one instruction each; features: to force, such as "+wavefrontsize32".
        Raises: ValueError: a line is not one instruction, or the target is no processor name.
        """
        asmtext.check_target(target)
        lines = list(lines)
        for line in lines:
            asmtext.check_line(line)
        arguments = self._assembler(target, triple, features)
        keys = [self._key("assemble", target, arguments, line) for line in lines]
        kept = [self.cache.get(key) for key in keys]
        wanted = [line for line, value in zip(lines, kept, strict=True) if value is None]
        found = iter(
            asmtext.assemble(
                wanted, target, triple, lambda text: self._run(arguments, text), lambda line: _paste(arguments, line)
            )
        )
        answers = []
        for line, key, value in zip(lines, keys, kept, strict=True):
            if value is not None:
                answers.append(asmtext.unpack(value, _paste(arguments, line)))
                continue
            item = next(found)
            if asmtext.keepable(item.outcome):
                self.cache.put(key, asmtext.pack(item))
            answers.append(item)
        return answers

    def disassemble(self, target, data):
        """Return one Answer per instruction: a decoder's text, accepted when clang gives that text these bytes.

        Args: target: such as gfx1250; data: machine code in memory order.
        Raises: ValueError: the target is no processor name; Missing: no decoder is here.
        """
        from . import decoder

        source = decoder(cache=self.cache)
        return self.confirm(target, source.disassemble(target, data), f"{source.name} {source.version}")

    def confirm(self, target, decoded, by):
        """Return decoded Answers with clang's verdict: does the text assemble to the same bytes?

        Args: decoded: Answers of a decoder; by: its name and version, for the diagnostics.
        """
        wanted = [item.text for item in decoded if item.accepted]
        found = iter(self.assemble(target, wanted))
        answers = []
        for item in decoded:
            if not item.accepted:
                answers.append(item)
                continue
            own = next(found)
            if own.accepted and own.bytes == item.bytes:
                note = f"text by {by}; assembled back to the same bytes"
                answers.append(own._replace(text=item.text, diagnostic=_join(own.diagnostic, note)))
            elif own.accepted:
                other = "unknown bytes" if own.bytes is None else own.bytes.hex(" ")
                note = f"text by {by}; assembles to {other}"
                answers.append(answer("rejected", item.text, item.bytes, note, own.command, own.kept))
            else:
                note = f"text by {by}: {own.diagnostic}"
                answers.append(answer(own.outcome, item.text, item.bytes, note, own.command, own.kept))
        return answers

    def compile_ir(self, target, ir, opt=2, extra=(), expect=(), triple=HSA):
        """Return LLVM IR as assembly text.

        Args: target: such as gfx950; ir: a module; opt: 0 to 3; extra: more arguments of clang; expect: mnemonics
          that the text must hold; triple: HSA for kernels, PAL for shaders (inreg arguments).
        Returns: Compiled. Exit status 0 alone is not acceptance: the text must name the target, call no unknown
          `llvm.amdgcn` intrinsic as a function, and hold every mnemonic of `expect`.
        Raises: ValueError: the target is no processor name.
        """
        return self._compile("ir", target, ir, opt, extra, expect, triple, mir=False)

    def compile_c(self, target, source, opt=2, extra=(), expect=(), triple=HSA):
        """Return C (with builtins, no headers) as assembly text; arguments and result as for `compile_ir`."""
        return self._compile("c", target, source, opt, extra, expect, triple, mir=False)

    def compile_mir(self, target, ir, opt=2, extra=(), expect=(), triple=HSA, stop_after=AFTER_HAZARDS):
        """Return LLVM IR as the MIR text that stands after one pass; else as for `compile_ir`.

        Args: stop_after: name of the pass; the default is the one that inserts wait states.
        """
        extra = ("-mllvm", "-stop-after=" + stop_after) + tuple(extra)
        return self._compile("ir", target, ir, opt, extra, expect, triple, mir=True)

    def compile_object(self, target, ir, opt=2, extra=(), triple=HSA):
        """Return LLVM IR as an Object; arguments as for `compile_ir`."""
        asmtext.check_target(target)
        arguments = ["clang", "--target=" + triple, "-mcpu=" + target, "-nogpulib", f"-O{opt}", "-Wno-override-module"]
        arguments += [*extra, "-c", "-x", "ir", "-", "-o", "-"]
        command = _paste(arguments, ir) + " | od -An -tx1 -v"
        key = self._key("object", target, arguments, ir)
        kept = self.cache.get(key)
        if kept is not None:
            return Object(kept[0], bytes.fromhex(kept[1]), kept[2], command, kept=True)
        ran = self._run(arguments, ir.encode("utf-8"))
        # The object is no text: what counts is that something was written and nothing was said against it.
        outcome, diagnostic = _verdict(ran._replace(out=b"object" if ran.out else b""), "", (), False)
        if outcome in ("accepted", "rejected") and not self.knows(target):
            outcome, diagnostic = "unknown-target", f"this compiler does not know {target}: {diagnostic}"
        data = ran.out if outcome == "accepted" else b""
        if asmtext.keepable(outcome):
            self.cache.put(key, [outcome, data.hex(), diagnostic])
        return Object(outcome, data, diagnostic, command)

    def knows(self, target):
        """Return True when this compiler knows a processor by name: it assembles `s_nop 0` for it."""
        return self.assemble(target, ["s_nop 0"])[0].outcome == "accepted"

    def _compile(self, language, target, source, opt, extra, expect, triple, mir):
        asmtext.check_target(target)
        arguments = ["clang", "--target=" + triple, "-mcpu=" + target, "-nogpulib", f"-O{opt}"]
        arguments += ["-Wno-override-module"] if language == "ir" else []
        arguments += [*extra, "-S", "-x", language, "-", "-o", "-"]
        command = _paste(arguments, source)
        key = self._key("compile", target, arguments, source, expect=list(expect), mir=mir)
        kept = self.cache.get(key)
        if kept is not None:
            outcome, assembly, diagnostic = kept
            return Compiled(outcome, assembly, diagnostic, command, kept=True)
        ran = self._run(arguments, source.encode("utf-8"))
        outcome, diagnostic = _verdict(ran, source, expect, mir)
        if outcome == "accepted" and not mir:
            outcome, diagnostic = _for_target(ran.out.decode("utf-8", "replace"), target, diagnostic)
        if (outcome == "rejected" or (outcome == "accepted" and mir)) and not self.knows(target):
            # A compiler that does not know the processor may go on with a generic one and refuse what that lacks;
            # MIR text does not name its target.
            outcome, diagnostic = "unknown-target", f"this compiler does not know {target}: {diagnostic}"
        diagnostic = diagnostic.replace(os.path.dirname(self.program), "ziglang")
        assembly = ran.out.decode("utf-8", "replace") if outcome == "accepted" else ""
        if asmtext.keepable(outcome):
            self.cache.put(key, [outcome, assembly, diagnostic])
        return Compiled(outcome, assembly, diagnostic, command)

    def _assembler(self, target, triple, features=()):
        words = ["clang", "-cc1as", "-triple", triple, "-target-cpu", target]
        for feature in features:
            words += ["-target-feature", feature]
        return words + ["-filetype", "asm", "-show-encoding", "/dev/stdin", "-o", "-"]

    def _run(self, arguments, text):
        return isolation.run([self.program, *arguments], text, **self._limits)

    def _key(self, kind, target, arguments, source, **more):
        key = {
            "kind": kind,
            "witness": self.name,
            "package": self.package,
            "version": self.version,
            "revision": self.revision,
            "digest": self.digest,
            "target": target,
            "arguments": list(arguments),
            "source": source,
            "normaliser": asmtext.NORMALISER,
            "memory": self._limits["memory"],
            "output": self._limits["output"],
        }
        key.update(more)
        return key

    def _ask_version(self):
        key = {"kind": "version", "witness": self.name, "digest": self.digest}
        kept = self.cache.get(key)
        if kept is not None:
            return tuple(kept)
        ran = self._run(["clang", "--version"], b"")
        said = ran.out.decode("utf-8", "replace")
        found = re.search(r"clang version (\S+)(?: \(\S+ ([0-9a-f]{7,40})\))?", said)
        if ran.outcome != "ended" or ran.code != 0 or not found:
            words = asmtext.first_error(ran.err.decode("utf-8", "replace"))
            raise Missing(f"the clang of {self.package} tells no version ({ran.outcome}, {words})", HOW_TO_GET)
        self.cache.put(key, [found.group(1), found.group(2)])
        return found.group(1), found.group(2)


def _for_target(text, target, diagnostic):
    """Return outcome and diagnostic once the target is checked that an assembly text names."""
    named = asmtext.target_of(text)
    if named != target:
        return "unknown-target", f"the assembly is for {named or 'no named target'}, not for {target}"
    return "accepted", diagnostic


def _verdict(ran, source, expect, mir):
    """Return outcome and diagnostic of one compilation, before the target in its output is checked."""
    said = _AFTERWARDS.sub("", _PATHS.sub("", ran.err.decode("utf-8", "replace"))).strip()
    if ran.outcome == "timeout":
        return "timeout", f"no answer within {ran.seconds:.1f} s"
    if ran.outcome == "flooded":
        return "flooded", "more output than the limit allows"
    if ran.outcome == "not-started":
        return "crashed", f"did not start: {said[:300]}"
    unknown = asmtext.unknown_processor(said)
    if unknown:
        return "unknown-target", unknown
    died = asmtext.died(ran)
    if died:
        return "crashed", died
    if ran.code != 0:
        if "error:" not in said:
            return "crashed", f"exit status {ran.code}: {asmtext.first_error(said)}"
        return "rejected", said[:2000]
    text = ran.out.decode("utf-8", "replace")
    if not text.strip():
        return "crashed", "exit status 0, but no output"
    objection = listing.objection(text, source, expect, mir)
    if objection:
        return "rejected", objection
    return "accepted", said[:2000]


def _join(*parts):
    return "; ".join(part for part in parts if part)


def _paste(arguments, source):
    """Return one line of POSIX shell that repeats a call; the text goes in through printf."""
    return listing.given(source) + " | python -m ziglang " + " ".join(shlex.quote(word) for word in arguments)
