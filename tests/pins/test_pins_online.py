# SPDX-License-Identifier: Apache-2.0
"""Pins over HTTP: each file is asked once, and a silent host cannot make a pin wrong or right."""

import hashlib

import hostile
import pytest

from cdna_evidence.pins import Entry, Pin, readers, verify

REPOSITORY, COMMIT = "https://github.com/owner/name", "a" * 40
RAW = f"http://{hostile.NAME}/file/{{owner}}/{{name}}/{{revision}}/{{path}}"
LIMITS = hostile.SMALL._replace(retries=1, per_host=4)
HASTY = LIMITS._replace(connect=2.0, read=0.4, request=0.6)


@pytest.fixture
def server():
    one = hostile.Server()
    yield one
    one.shutdown()
    one.server_close()


def read(server, paths, raw=RAW, limits=LIMITS, **kwargs):
    reader = readers.OnlineReader(hostile.client(server, limits=limits, **kwargs), raw)
    return reader.read([(REPOSITORY, COMMIT, path) for path in paths])


def test_each_file_once_for_many_ranges(server):
    data = {
        f"dir/file {n}.h".replace(" ", "_"): "".join(f"name_{n} {line}\n" for line in range(200)).encode()
        for n in range(12)
    }
    server.files = {f"owner/name/{COMMIT}/{path}": text for path, text in data.items()}
    listed = [
        Pin(REPOSITORY, COMMIT, path, first, first + 3, (path[9:-2] and f"name_{path[9:-2]}",))
        for path in data
        for first in range(1, 100, 9)
    ]
    texts = {}
    found = read(server, [pin.path for pin in listed])

    for pin in listed:
        file = found[pin[:3]]
        entry, why = verify.lock_entry(pin, file, texts, "2026-11-29", "https")
        assert not why
        assert (
            entry.sha256
            == hashlib.sha256(b"\n".join(data[pin.path].split(b"\n")[pin.first - 1 : pin.last]) + b"\n").hexdigest()
        )
        assert verify.reading(pin, entry, file, texts).state == "read"
    assert sorted(server.paths()) == sorted("/file/" + name for name in server.files)


@pytest.mark.parametrize(
    ("way", "missing"),
    [("status/404", True), ("status/500", False), ("status/403", False), ("drip-head", False), ("drip-body", False), ("endless", False), ("bomb", False), ("hang-up", False),
     ("loop/a", False), ("to/" + b"http://127.0.0.1/".hex(), False)],
)  # fmt: skip
def test_bad_host(server, way, missing):
    limits = HASTY if way.startswith("drip") else LIMITS
    found = read(server, ["a.h"], f"http://{hostile.NAME}/{way}?{{path}}", limits)[REPOSITORY, COMMIT, "a.h"]

    assert found.data is None and found.missing == missing and found.why
    pin = Pin(REPOSITORY, COMMIT, "a.h", 1, 1, ("x",))
    entry = Entry(*pin.key, ("x",), "0" * 40, "0" * 64, "2026-11-29", "git", "")
    assert verify.reading(pin, entry, found, {}).outcome == ("failed" if missing else "cantTell")
    assert verify.reading(pin, entry._replace(sha256="", reason="r"), found, {}).outcome == (
        "failed" if missing else "untested"
    )
    assert verify.lock_entry(pin, found, {}, "2026-11-29", "https")[0] is None


def test_online_cannot_reach_inside(server):
    dialled = []

    found = read(server, ["a.h"], names={hostile.NAME: ["127.0.0.1"]}, dialled=dialled)

    assert "loopback" in found[REPOSITORY, COMMIT, "a.h"].why and not dialled


@pytest.mark.parametrize(
    "repository", ["https://gitlab.com/owner/name", "https://github.com/owner", "https://github.com/../x", "file:///x"]
)
def test_host_without_a_raw_form_is_not_asked(server, repository):
    reader = readers.OnlineReader(hostile.client(server, limits=LIMITS))

    assert "no raw form" in reader.read([(repository, COMMIT, "a.h")])[repository, COMMIT, "a.h"].why and not server.log
