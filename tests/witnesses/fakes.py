# SPDX-License-Identifier: Apache-2.0
"""Bad compilers for the tests: small programs that speak like clang and misbehave on one word of their input."""

import sys
import textwrap
import time

from cdna_evidence.witnesses import isolation, worker
from cdna_evidence.witnesses.cache import Cache
from cdna_evidence.witnesses.clang import Clang

# What a fake says of one line: the encoding 00 for anything, an error for "bad", and worse for the other words.
BODY = """
    import os, sys, time
    COUNT = {count!r}
    arguments = sys.argv[1:]
    if "--version" in arguments:
        print("clang version 99.1.0 (somewhere 0123456789abcdef)")
        sys.exit(0)
    with open(COUNT, "a") as stream:
        stream.write("x")
    text = sys.stdin.read()
    if "abort" in text:
        os.abort()
    if "segv" in text:
        os.kill(os.getpid(), 11)
    def hang():
        with open(COUNT + ".hangs", "a") as stream:
            stream.write("x")
        time.sleep(600)
    if "hang" in text:
        hang()
    if "forks" in text:
        for leave in (False, True):
            if os.fork() == 0:
                if leave:
                    os.setsid()
                    os.close(1)
                    os.close(2)
                with open(COUNT + ".pids", "a") as stream:
                    stream.write(str(os.getpid()) + " ")
                time.sleep(600)
        while not os.path.exists(COUNT + ".pids") or open(COUNT + ".pids").read().count(" ") < 2:
            time.sleep(0.01)
        hang()
    if "leaves" in text:
        if os.fork() == 0:
            with open(COUNT + ".pids", "a") as stream:
                stream.write(str(os.getpid()) + " ")
            time.sleep(600)
        while not os.path.exists(COUNT + ".pids"):
            time.sleep(0.01)
    if "flood" in text:
        while True:
            os.write(1, b"y" * 65536)
    if "eat" in text:
        held = [bytearray(1 << 24) for _ in range(1 << 14)]
    if "internal" in text:
        sys.stderr.write("LLVM ERROR: something\\n")
        sys.exit(1)
    if "silent" in text:
        sys.exit(0)
    if "statusonly" in text:
        sys.exit(1)
    code = 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(".amdgcn_target"):
            print("\\t" + line)
        elif line.endswith(":"):
            print(line)
        elif "bad" in line:
            sys.stderr.write("/dev/stdin:%d:1: error: bad line\\n" % number)
            code = 1
        else:
            print("\\t%s ; encoding: [0x00,0x01]" % line)
    sys.exit(code)
"""


def write(path, body):
    """Write an executable Python program and return its path."""
    path.write_text(f"#!{sys.executable} -S\n" + textwrap.dedent(body), encoding="utf-8")
    path.chmod(0o755)
    return path


class Clock:
    """The time of this machine, and an hour more for every byte of a file: a fake that hangs writes one.

    So the time of whoever waits for it is over when it hangs, and never before, however slow this machine is.
    """

    sleep = staticmethod(time.sleep)

    def __init__(self, file):
        self.file = file

    def monotonic(self):
        return time.monotonic() + 3600 * (self.file.stat().st_size if self.file.exists() else 0)


def hasten(monkeypatch, file):
    """Give the code that waits for programs a Clock."""
    for module in (isolation, worker):
        monkeypatch.setattr(module, "time", Clock(file))


def clang(folder, cache=None, seconds=600.0, memory=1 << 28, output=1 << 20):
    """Return a witness whose compiler is the fake."""
    program = folder / "fake"
    if not program.exists():
        write(program, BODY.format(count=str(folder / "count")))
    return Clang(str(program), "fake 1", cache or Cache(folder / "cache"), seconds, memory, output)


def calls(folder):
    """Return how often the fake was put a question."""
    path = folder / "count"
    return len(path.read_text(encoding="ascii")) if path.exists() else 0


def alive(pid):
    """Return True while a process runs (a zombie has ended)."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            return stream.read().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def gone(pid):
    """Return True once a process has ended; what was killed ends when the machine comes to it."""
    ends = time.monotonic() + 120
    while alive(pid) and time.monotonic() < ends:
        time.sleep(0.01)
    return not alive(pid)


def left_running(folder):
    """Return the ids that fakes wrote down and that still run."""
    text = (folder / "count.pids").read_text(encoding="ascii")
    pids = [int(word) for word in text.split()]
    assert pids, "the fake started nothing, so the test shows nothing"
    return [pid for pid in pids if not gone(pid)]
