# SPDX-License-Identifier: Apache-2.0
"""kill -9 while a file is written leaves the old or the new one, whole.

Where the kill falls is chance in the first test. In the second the kernel ends the process at a chosen byte of the write.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

WRITERS = {
    "cache": """
from cdna_evidence.links.cache import Cache
def write(name, mark):
    one = Cache(name)
    for n in range(4000):
        one.good(f"https://host.org/{n}", "", "https://host.org/" + mark * 200, {})
    one.save()
""",
    "pins": """
import pathlib
from cdna_evidence.pins import Entry, Lock
def write(name, mark):
    key = ("https://github.com/a/b", "0" * 40, mark * 200)
    entries = [Entry(*key, n, n, ("x",), "0" * 40, "0" * 64, "2026-11-29", "git", "") for n in range(1, 4000)]
    Lock(pathlib.Path(name), {entry.key: entry for entry in entries}).save()
""",
    "floating": """
import pathlib
from cdna_evidence.links import floating
def write(name, mark):
    one = [floating.Passage("https://host.org/", mark * 200, "", "2026-11-29", n, "0" * 64) for n in range(1, 4000)]
    floating.write(pathlib.Path(name), {"https://host.org/": one})
""",
    "report": """
import types
from cdna_evidence import reports
def write(name, mark):
    items = [reports.Item("link-broken", "error", "failed", f"{n}", mark * 200) for n in range(4000)]
    reports.write(items, "s", types.SimpleNamespace(junit=name, sarif=None))
""",
}


@pytest.mark.parametrize("kind", WRITERS)
def test_kill_during_write(tmp_path, kind):
    place = tmp_path / "file"
    code = (
        WRITERS[kind]
        + f"write({str(place)!r}, 'a'); print('ready', flush=True)\nwhile True:\n    write({str(place)!r}, 'b')\n    write({str(place)!r}, 'a')\n"
    )
    sizes = set()
    for pause in (0.01, 0.09):
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        try:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(pause)
        finally:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()
        text = place.read_text()
        sizes.add(len(text))
        assert text.endswith("\n")
        marks = {mark for mark in "ab" if mark * 200 in text}
        assert len(marks) == 1, "a mixture of two versions"
    # Every version of a file has one size, times of the cache apart.
    assert kind == "cache" or len(sizes) == 1


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
"""


@pytest.mark.parametrize("kind", WRITERS)
def test_death_at_a_chosen_byte(tmp_path, kind):
    place = tmp_path / "file"
    first, second = f"write({str(place)!r}, 'a')\n", f"write({str(place)!r}, 'b')\n"
    subprocess.run([sys.executable, "-c", WRITERS[kind] + first], check=True)
    before = place.read_bytes()

    for byte in (1, len(before) // 2, len(before) - 100):
        done = subprocess.run([sys.executable, "-c", WRITERS[kind] + LIMITED + second, str(byte)])

        assert done.returncode == -signal.SIGXFSZ
        assert place.read_bytes() == before
