# SPDX-License-Identifier: Apache-2.0
"""Reading cited files whole: from a git repository on disk, or from the host over https, each file once."""

import hashlib
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from cdna_evidence.links import address, schedule
from cdna_evidence.links.external import retry_after

#: Files above this many bytes are not read.
CAP = 50_000_000
RAW = "https://raw.githubusercontent.com/{owner}/{name}/{revision}/{path}"


class File(NamedTuple):
    """A file as read: data (bytes) and blob (its git id), or data None and why.

    missing: the commit was there and had no such file; absent: the commit itself was not there (ask elsewhere).
    """

    data: bytes | None
    blob: str
    why: str = ""
    missing: bool = False
    absent: bool = False


def blob_id(data):
    """Return the git blob id of a file's bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


class GitReader:
    """Reads files from one repository on disk, bare or not, with one `git cat-file --batch`. Nothing is fetched.

    Args: folder: of the clone or the bare repository.
    Raises: ValueError: it is no git repository.
    """

    how = "git"

    def __init__(self, folder):
        folder = Path(folder)
        self._git = folder / ".git" if (folder / ".git").exists() else folder
        self._environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        self._environment |= {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C",
        }
        if not ((self._git / "objects").exists() or self._git.is_file()):
            raise ValueError(f"{folder}: no git repository")

    def read(self, wanted):
        """Return {(repository, revision, path): File} for some (repository, revision, path).

        Args: wanted: revisions are commit ids, or names of branches and tags; the repository is not looked at, since a
          commit id names its content wherever it is kept.
        """
        wanted = list(dict.fromkeys(wanted))
        revisions = [
            revision
            for revision in dict.fromkeys(revision for _repository, revision, _path in wanted)
            if _fits(revision)
        ]
        kinds = self._batch([f"{revision}^{{commit}}" for revision in revisions], "--batch-check")
        there = {revision for revision, (kind, _data) in zip(revisions, kinds, strict=True) if kind == "commit"}
        pairs = list(dict.fromkeys((revision, path) for _repository, revision, path in wanted if revision in there))
        read = zip(pairs, self._batch([f"{revision}:{path}" for revision, path in pairs], "--batch"), strict=True)
        files = {pair: self._file(pair, kind, data) for pair, (kind, data) in read}
        absent = File(None, "", "no such commit in the repository", absent=True)
        return {one: files.get(one[1:], absent) for one in wanted}

    def _file(self, pair, kind, data):
        if kind == "blob":
            return File(data, blob_id(data)) if data is not None else File(None, "", f"larger than {CAP} bytes")
        if kind != "missing":
            return File(None, "", f"is a {kind}, not a file", missing=True)
        if self._listed(*pair):
            # A partial clone has the tree and not the file.
            return File(None, "", "the repository holds the commit but not the file's content")
        return File(None, "", "no such file in the commit", missing=True)

    def repositories(self):
        """Return the addresses of the repository's remotes, in the form that the register uses."""
        done = self._run(["config", "--get-regexp", r"^remote\..*\.url$"])
        urls = [line.split(" ", 1)[1] for line in done.stdout.decode("utf-8", "replace").splitlines() if " " in line]
        return {
            re.sub(r"(\.git)?/*\Z", "", re.sub(r"\A(ssh://)?git@github\.com[:/]", "https://github.com/", url))
            for url in urls
        }

    def _listed(self, revision, path):
        done = self._run(["ls-tree", "-z", revision, "--", path])
        # When the tree itself is not here, git fails: then nothing is known either.
        return done.returncode != 0 or bool(done.stdout)

    def _run(self, words):
        return subprocess.run(
            [*self._command(), *words], capture_output=True, env=self._environment, timeout=60, check=False
        )

    def _command(self):
        return ["git", f"--git-dir={self._git}", "-c", "protocol.allow=never", "-c", "core.commitGraph=false"]

    def _batch(self, names, mode):
        """Return [(type or "missing", data)] for some object names; data only with --batch, and None when too large."""
        if not names:
            return []
        # The questions come from a file, so that neither side can wait for the other.
        with tempfile.TemporaryFile() as questions:
            questions.write("".join(name + "\n" for name in names).encode())
            questions.seek(0)
            process = subprocess.Popen(
                [*self._command(), "cat-file", mode],
                stdin=questions,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self._environment,
            )
        found = []
        with process:
            for _name in names:
                head = process.stdout.readline()
                words = head.split()
                if not head.endswith(b"\n"):
                    break
                if len(words) == 3 and words[2].isdigit() and re.match(rb"[0-9a-f]{40,64}\Z", words[0]):
                    found.append(
                        (words[1].decode(), self._take(process.stdout, int(words[2])) if mode == "--batch" else None)
                    )
                else:
                    found.append(("missing", None))
        # git gave up half-way, as on an object that a partial clone promised: the rest is not known to be there.
        return found + [("missing", None)] * (len(names) - len(found))

    @staticmethod
    def _take(stream, size):
        if size <= CAP:
            data = stream.read(size)
            stream.read(1)
            return data
        left = size + 1
        while left:
            left -= len(stream.read(min(left, 1 << 20))) or left
        return None


class OnlineReader:
    """Reads files over https, each once, however many ranges cite it.

    Args: client: links.client.Client; raw: form of the address of a file, with {owner}, {name}, {revision} and {path}.
    """

    how = "https"

    def __init__(self, client, raw=RAW):
        self._client = client
        self._raw = raw

    def read(self, wanted):
        """Return {(repository, revision, path): File} for some (repository, revision, path)."""
        wanted = list(dict.fromkeys(wanted))
        found, jobs = {}, []
        for one in wanted:
            url = self._address(*one)
            if url is None:
                found[one] = File(None, "", "no raw form of this repository's files is known")
                continue
            try:
                target = address.target(url)
            except address.Refused as refusal:
                found[one] = File(None, "", str(refusal))
                continue
            jobs.append((target.site, [one, target.url, target.site, 0]))
        for one, file in schedule.run(
            jobs, self._step, lambda job, why: (job[0], File(None, "", why)), self._client.limits
        ):
            found[one] = file
        return found

    def _address(self, repository, revision, path):
        match = re.match(r"https://github\.com/([A-Za-z0-9-]+)/([A-Za-z0-9._-]+)\Z", repository)
        if not match or not _fits(revision):
            return None
        return self._raw.format(owner=match[1], name=match[2], revision=revision, path=quote(path))

    def _step(self, job):
        one, url, site, tries = job
        answer = self._client.ask("GET", url, body=True)
        if answer.status == 200 and not answer.error:
            if answer.cut:
                return schedule.Done((one, File(None, "", f"larger than {self._client.limits.body} bytes")))
            return schedule.Done((one, File(answer.body, blob_id(answer.body))))
        if answer.status in (404, 410):
            return schedule.Done((one, File(None, "", f"{answer.status}: no such file at that commit", missing=True)))
        why = f"{answer.error}: {answer.detail}" if answer.error else f"status {answer.status}"
        again = answer.error in ("connect", "dns", "timeout", "protocol") or answer.status in (429, 500, 502, 503, 504)
        if again and tries < self._client.limits.retries:
            asked = retry_after(answer.headers.get("retry-after", ""), time.time()) or 0.0
            if asked <= self._client.limits.retry_after:
                job[3] += 1
                return schedule.Again(site, max(asked, self._client.limits.backoff * 2**tries))
        return schedule.Done((one, File(None, "", why)), shut=f"the host could not be asked: {why}" if again else "")


def _fits(revision):
    """Return True for a commit id or a plain name of a branch or tag."""
    return bool(re.match(r"[A-Za-z0-9_][A-Za-z0-9_./+-]{0,200}\Z", revision)) and ".." not in revision
