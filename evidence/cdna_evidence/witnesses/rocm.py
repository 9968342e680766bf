# SPDX-License-Identifier: Apache-2.0
"""AMD's own LLVM, from the wheel rocm-bindings-compiler: a decoder for all three targets.

Its library wants two compression libraries that no wheel carries. Decoding never calls them, so stand-ins that
hold the names and nothing else are built once with the C compiler of the ziglang wheel and kept in the cache.
"""

import importlib.metadata
import json
import mmap
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from . import asmtext, isolation
from .cache import Cache, file_digest
from .face import Missing, answer

NAME = "rocm-llvm"
TITLE = "AMD's LLVM in the rocm-bindings-compiler wheel"
ANSWERS = ("disassemble",)
HOW_TO_GET = "pip install rocm-bindings-compiler==10.0.0.0.1.2 (Linux on x86-64)"

WHEEL = "rocm-bindings-compiler"
HSA = "amdgcn-amd-amdhsa"
WORKER = Path(__file__).with_name("rocm_worker.py")
SYMBOL_VERSION = "AMDROCM_SYSDEPS_1.0"
STAND_INS = {
    "librocm_sysdeps_z.so.1": ("uncompress", "compress2", "compressBound", "crc32"),
    "librocm_sysdeps_zstd.so.1": (
        "ZSTD_freeCCtx",
        "ZSTD_isError",
        "ZSTD_decompress",
        "ZSTD_createCCtx",
        "ZSTD_compressBound",
        "ZSTD_getErrorName",
        "ZSTD_compress2",
        "ZSTD_CCtx_setParameter",
    ),
}
_VERSION = re.compile(rb"\b(\d+\.\d+\.\d+(?:git)?) ([0-9a-f]{40})\b")


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    from . import clang

    # The file is found through the wheel's own list: importing the package would run code that is not needed.
    try:
        wheel = importlib.metadata.distribution(WHEEL)
    except importlib.metadata.PackageNotFoundError:
        raise Missing(f"the Python package {WHEEL} is not installed", HOW_TO_GET) from None
    library = str(wheel.locate_file("rocm/bindings/llvm/libLLVM.so"))
    if not os.path.isfile(library):
        raise Missing(f"the Python package {WHEEL} holds no library for this machine", HOW_TO_GET)
    cache = cache or Cache(fresh=fresh)
    package = f"{WHEEL} {wheel.version}"
    try:
        compiler = clang.find(cache).program
    except Missing as missing:
        raise Missing(f"it needs a C compiler once: {missing.reason}", clang.HOW_TO_GET) from None
    return RocmLlvm(library, package, cache, _stand_ins(compiler, cache))


class RocmLlvm:
    """The decoder of one libLLVM.

    Args: library: path; package: name and version of its wheel; stand_ins: libraries to load first.
    Raises: Missing: the library cannot be read, or it does not load in a process of its own.
    """

    name = NAME

    def __init__(self, library, package, cache, stand_ins=(), seconds=isolation.SECONDS, memory=isolation.MEMORY):
        self.library = os.path.abspath(library)
        self.package = package
        self.cache = cache
        self._stand_ins = [str(path) for path in stand_ins]
        self._limits = {"seconds": seconds, "memory": memory}
        try:
            self.digest = file_digest(self.library, cache)
            self.version, self.revision = self._read_version()
        except OSError as error:
            raise Missing(f"the library of {package} cannot be read: {error.strerror}", HOW_TO_GET) from None

    def disassemble(self, target, data):
        """Return one Answer per instruction of machine code in memory order; as LlvmMc.disassemble."""
        asmtext.check_target(target)
        data = bytes(data)
        if not data:
            return []
        key = {
            "kind": "disassemble",
            "witness": self.name,
            "package": self.package,
            "version": self.version,
            "revision": self.revision,
            "digest": self.digest,
            "target": target,
            "source": data.hex(),
            "normaliser": asmtext.NORMALISER,
        }
        kept = self.cache.get(key)
        if kept is not None:
            return [asmtext.unpack(value, _command(target, value[1])) for value in kept]
        answers = self._ask(target, data)
        if all(asmtext.keepable(item.outcome) for item in answers):
            self.cache.put(key, [asmtext.pack(item) for item in answers])
        return answers

    def _ask(self, target, data):
        argv = [sys.executable, "-I", "-S", str(WORKER), self.library, *self._stand_ins]
        question = json.dumps({"triple": HSA, "target": target, "data": data.hex()})
        ran = isolation.run(argv, question.encode(), **self._limits)
        said = ran.err.decode("utf-8", "replace")
        command = _command(target, data.hex())
        if ran.outcome in ("timeout", "flooded"):
            return [answer(ran.outcome, "", data, f"ended after {ran.seconds:.1f} s", command)]
        unknown = asmtext.unknown_processor(said)
        if unknown:
            return [answer("unknown-target", "", data, unknown, command)]
        try:
            steps = json.loads(ran.out) if ran.code == 0 else None
        except ValueError:
            steps = None
        if steps is None:
            words = asmtext.died(ran) or f"exit status {ran.code}: {asmtext.first_error(said)}"
            return [answer("crashed", "", data, words, command)]
        answers = []
        for offset, size, text in steps:
            part = data[offset : offset + size]
            command = _command(target, part.hex())
            if text is None:
                answers.append(answer("rejected", "", part, "not an instruction of this target", command))
            else:
                answers.append(answer("accepted", text, part, "", command))
        return answers

    def _read_version(self):
        key = {"kind": "version", "witness": self.name, "digest": self.digest}
        kept = Cache(self.cache.folder).get(key)
        if kept is not None:
            return tuple(kept)
        with open(self.library, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as held:
            found = _VERSION.search(held)
            if found is None:
                raise Missing(f"the library of {self.package} names no LLVM version", HOW_TO_GET)
            version, revision = found.group(1).decode(), found.group(2).decode()
        self.cache.put(key, [version, revision])
        return version, revision


def _stand_ins(compiler, cache):
    """Return the paths of the two stand-ins, built on first use.

    Raises: Missing: they could not be built or kept.
    """
    kept = cache.folder / "stand-ins" / SYMBOL_VERSION
    names = list(STAND_INS)
    if all((kept / name).is_file() for name in names):
        return [kept / name for name in names]
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".new-", dir=kept.parent) as folder:
            built = Path(folder) / "built"
            built.mkdir()
            for name in names:
                _build(compiler, built, name)
            try:
                os.rename(built, kept)
            except OSError:
                # Another run was first, or left a part: keep the whole one.
                if not all((kept / name).is_file() for name in names):
                    shutil.rmtree(kept, ignore_errors=True)
                    os.rename(built, kept)
    except OSError as error:
        raise Missing(
            f"its stand-in libraries could not be kept: {error.strerror}", "a cache folder that can be written"
        ) from None
    return [kept / name for name in names]


def _build(compiler, folder, name):
    versions = folder / (name + ".map")
    versions.write_text(SYMBOL_VERSION + " { global: *; };\n", encoding="ascii")
    source = "".join(f"void {function}(void) {{}}\n" for function in STAND_INS[name])
    argv = [compiler, "cc", "-shared", "-nostdlib", "-fno-builtin", "-w", "-Wl,-soname," + name]
    argv += ["-Wl,--version-script=" + str(versions), "-x", "c", "-", "-o", str(folder / name)]
    ran = isolation.run(argv, source.encode())
    if ran.code != 0 or not (folder / name).is_file():
        words = asmtext.first_error(ran.err.decode("utf-8", "replace"))
        raise Missing(f"its stand-in library {name} could not be built ({words})", HOW_TO_GET)


def _command(target, data):
    return f"cdna disasm --target {target} --witness {NAME} {data}"
