# SPDX-License-Identifier: Apache-2.0
"""Run one program that may hang, flood, crash, eat memory or fork, and leave nothing of it behind.

No shell, a minimal environment, a folder of its own that is removed afterwards, a session of its own that is
killed as a whole, limits on time, memory, file size and output. On Linux, processes that left the session are
found by a mark in their environment. Elsewhere the memory limit and that last step are not available.
"""

import os
import selectors
import signal
import subprocess
import tempfile
import time
import uuid
from typing import NamedTuple

# It ends what hangs. Reading a library of 1 GB from a cold disk, on a machine that does much else, has taken 20.
SECONDS = 180.0
MEMORY = 6 << 30
OUTPUT = 32 << 20
FILE_SIZE = 256 << 20
# How long after the end of a program its pipes may stay open (a grandchild holds them) before it counts as a stray.
GRACE = 0.2
MARK = "CDNA_EVIDENCE_RUN"


class Ran(NamedTuple):
    """How one program ended.

    outcome: "ended", "timeout", "flooded" or "not-started"; code: exit status, negative for a signal, None unless
    ended; out, err: what it wrote, cut at the limit; seconds: wall time.
    """

    outcome: str
    code: int | None
    out: bytes
    err: bytes
    seconds: float


def run(argv, stdin=b"", seconds=SECONDS, memory=MEMORY, output=OUTPUT, environment=None):
    """Run a program to its end, or end it, with everything it started.

    Args: argv: program (absolute path) and arguments; stdin: bytes; seconds: wall-clock limit; memory: bytes of
      address space per process; output: bytes of standard output and error together; environment: more variables.
    Returns: Ran. A failure of the program is an outcome and never an exception.
    """
    mark = uuid.uuid4().hex
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="cdna-run-", ignore_cleanup_errors=True) as folder:
        with tempfile.TemporaryFile() as given:
            given.write(stdin)
            given.seek(0)
            try:
                process = subprocess.Popen(
                    list(argv),
                    stdin=given,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    cwd=folder,
                    env=_environment(folder, mark, environment),
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                return Ran("not-started", None, b"", str(error).encode(), time.monotonic() - started)
        try:
            _limit(process.pid, memory)
            outcome, out, err = _listen(process, started + seconds, output)
        finally:
            _end(process, mark)
            process.stdout.close()
            process.stderr.close()
    code = process.returncode if outcome == "ended" else None
    return Ran(outcome, code, out, err, time.monotonic() - started)


def _environment(folder, mark, more):
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": folder,
        "TMPDIR": folder,
        "LANG": "C",
        "LC_ALL": "C",
        "ZIG_GLOBAL_CACHE_DIR": os.path.join(folder, "zig"),
        "ZIG_LOCAL_CACHE_DIR": os.path.join(folder, "zig"),
        MARK: mark,
    }
    environment.update(more or {})
    return environment


def _limit(pid, memory):
    """Set the limits from outside: a function run between fork and exec is not safe where there are threads."""
    try:
        from resource import RLIMIT_AS, RLIMIT_CORE, RLIMIT_FSIZE, prlimit
    except ImportError:
        return
    for which, value in ((RLIMIT_AS, memory), (RLIMIT_CORE, 0), (RLIMIT_FSIZE, FILE_SIZE)):
        try:
            prlimit(pid, which, (value, value))
        except (OSError, ValueError):
            # The program has ended already, or a lower limit is in force.
            continue


def _listen(process, deadline, limit):
    """Read both pipes until they close, the time is over or the limit is passed; return outcome, out, err."""
    chunks = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    size = 0
    outcome = "ended"
    ended = None
    with selectors.DefaultSelector() as selector:
        for descriptor in chunks:
            os.set_blocking(descriptor, False)
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and outcome == "ended":
            now = time.monotonic()
            if now >= deadline:
                outcome = "timeout"
                break
            if ended is None and process.poll() is not None:
                ended = now
            if ended is not None and now - ended > GRACE:
                break
            for key, _ in selector.select(min(0.05, deadline - now)):
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fd)
                    continue
                room = limit - size
                chunks[key.fd].append(chunk[:room])
                size += len(chunk)
                if size > limit:
                    outcome = "flooded"
                    break
    if outcome == "ended":
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            outcome = "timeout"
    out, err = (b"".join(parts) for parts in chunks.values())
    return outcome, out, err


def _end(process, mark):
    """Kill the whole session, then whatever of this run has left it."""
    born = _born(process.pid)
    _kill_group(process.pid)
    process.wait()
    for _ in range(50):
        strays = _strays(mark, born)
        if not strays:
            return
        for pid in strays:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        time.sleep(0.01)


def _kill_group(pid):
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        # Nothing of the group is left.
        return


def _born(pid):
    """Return the start time of a process in clock ticks since boot; 0 where that cannot be read."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            return int(stream.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0


def _strays(mark, born):
    """Return the ids of living processes that carry this run's mark; only processes as young as the run are read."""
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    wanted = f"{MARK}={mark}".encode()
    found = []
    for number in numbers:
        if _born(number) < born:
            continue
        try:
            with open(f"/proc/{number}/environ", "rb") as stream:
                if wanted in stream.read().split(b"\0"):
                    found.append(int(number))
        except OSError:
            continue
    return found
