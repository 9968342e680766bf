# SPDX-License-Identifier: Apache-2.0
"""A program that answers many questions and may die of any: one process kept alive, replaced when it ends.

One JSON line in, one JSON line out. A question that the process does not survive is told with how it ended and what
was written to standard error since the last answer; the next question goes to a new process. The limits and the
clean-up are those of `isolation`. When this process ends, however it ends, the worker's input closes and it leaves.
"""

import atexit
import json
import os
import selectors
import subprocess
import tempfile
import threading
import time
import uuid
from typing import NamedTuple

from . import isolation

# A worker is replaced after so many answers, so that what a library leaks stays small.
ANSWERS = 5000
# How long a process that closed its output may take to end, in seconds.
LEAVES = 30.0


class Told(NamedTuple):
    """What came of one question.

    outcome: "ended" (it answered, or it ended instead), "timeout", "flooded" or "not-started"; code: exit status,
    negative for a signal, None while it lives; value: the answer, None where there is none; err: bytes written to
    standard error meanwhile; seconds: wall time. `code`, `err` and `outcome` read as those of isolation.Ran.
    """

    outcome: str
    code: int | None
    value: dict | None
    err: bytes
    seconds: float


class Worker:
    """One command line that serves questions.

    Args: argv: program (absolute path) and arguments; seconds: limit of one answer, start-up of the process included;
      memory, output: as for isolation.run, output counted per answer.
    The process writes one line when it is ready: `hello` holds it once a question was asked.
    """

    def __init__(self, argv, seconds=isolation.SECONDS, memory=isolation.MEMORY, output=isolation.OUTPUT):
        self.argv = list(argv)
        self.hello = None
        self._limits = (seconds, memory, output)
        self._lock = threading.Lock()
        self._process = None
        self._owner = None
        atexit.register(self.close)

    def ask(self, question):
        """Return what came of a question (JSON values); never raises for what the program does."""
        with self._lock:
            started = time.monotonic()
            deadline = started + self._limits[0]
            if not self._alive():
                self._stop()
                told = self._start(deadline, started)
                if told is not None:
                    return told
            try:
                self._process.stdin.write(json.dumps(question).encode() + b"\n")
                self._process.stdin.flush()
            except OSError:
                return self._ended(started)
            self._left -= 1
            return self._answer(deadline, started)

    def close(self):
        """End the process and everything it started."""
        with self._lock:
            self._stop()

    @property
    def pid(self):
        """The id of the living process, or None."""
        return self._process.pid if self._alive() else None

    def _alive(self):
        if self._process is None or self._owner != os.getpid():
            return False
        return self._process.poll() is None and self._left > 0

    def _start(self, deadline, started):
        """Start the process and read its first line; return None, or why it does not serve."""
        mark = uuid.uuid4().hex
        folder = tempfile.TemporaryDirectory(prefix="cdna-run-", ignore_cleanup_errors=True)
        said = tempfile.TemporaryFile()
        try:
            process = subprocess.Popen(
                self.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                cwd=folder.name,
                env=isolation._environment(folder.name, mark, None),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            folder.cleanup()
            said.close()
            return Told("not-started", None, None, str(error).encode(), time.monotonic() - started)
        isolation._limit(process.pid, self._limits[1])
        self._process, self._mark, self._folder, self._said = process, mark, folder, said
        self._owner, self._left, self._read, self._rest = os.getpid(), ANSWERS, 0, b""
        os.set_blocking(process.stdout.fileno(), False)
        told = self._answer(deadline, started)
        if told.value is None:
            return told
        self.hello = told.value
        return None

    def _answer(self, deadline, started):
        out = self._process.stdout
        held, size = [self._rest], len(self._rest)
        with selectors.DefaultSelector() as selector:
            selector.register(out, selectors.EVENT_READ)
            while b"\n" not in held[-1]:
                left = deadline - time.monotonic()
                if left <= 0:
                    return self._gave_up("timeout", started)
                if not selector.select(left):
                    continue
                chunk = out.read(1 << 16)
                if chunk is None:
                    continue
                if not chunk:
                    return self._ended(started)
                held.append(chunk)
                size += len(chunk)
                if size > self._limits[2]:
                    return self._gave_up("flooded", started)
        line, _, self._rest = b"".join(held).partition(b"\n")
        err = self._errors()
        try:
            value = json.loads(line)
        except ValueError:
            self._stop()
            return Told("ended", 1, None, b"an answer that is no JSON", time.monotonic() - started)
        return Told("ended", None, value, err, time.monotonic() - started)

    def _errors(self):
        self._said.seek(self._read)
        err = self._said.read(self._limits[2])
        self._read += len(err)
        return err

    def _ended(self, started):
        try:
            code = self._process.wait(LEAVES)
        except subprocess.TimeoutExpired:
            # It closed its output and stays: whatever it is, it does not answer.
            return self._gave_up("timeout", started)
        err = self._errors()
        self._stop()
        return Told("ended", code, None, err, time.monotonic() - started)

    def _gave_up(self, outcome, started):
        err = self._errors()
        self._stop()
        return Told(outcome, None, None, err, time.monotonic() - started)

    def _stop(self):
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        isolation._end(process, self._mark)
        for stream in (process.stdin, process.stdout, self._said):
            try:
                stream.close()
            except OSError:
                # Something was still buffered for a process that has ended.
                continue
        self._folder.cleanup()
