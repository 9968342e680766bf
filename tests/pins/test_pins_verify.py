# SPDX-License-Identifier: Apache-2.0
"""Pins against a repository made here: what is the same passes, one changed character is caught, a newer revision is told."""

import hashlib
import json
import os
import subprocess

import pytest

from cdna_evidence import cli, pins
from cdna_evidence.pins import readers

TEXT = (
    "".join(f"line {number}\n" for number in range(1, 11))
    + "  field_a = 1;\n  field_b = 2;\n  field_c = 3;\n"
    + "end\n" * 5
)


@pytest.fixture
def git(tmp_path):
    """Run git in a fresh repository `repo`, without the user's configuration."""
    folder = tmp_path / "repo"
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(tmp_path)}
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {
            f"GIT_{who}_NAME": "t",
            f"GIT_{who}_EMAIL": "t@host.org",
            f"GIT_{who}_DATE": "2026-11-29T00:00:00Z",
        }

    def run(*words, **kwargs):
        return subprocess.run(
            ["git", *words], cwd=folder, env=environment, check=True, capture_output=True, text=True, **kwargs
        ).stdout.strip()

    def commit(text, name="src/a_file.h", message="m"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        run("add", "-A")
        run("commit", "-q", "-m", message)
        return run("rev-parse", "HEAD")

    run("init", "-q", "-b", "main")
    run.commit, run.folder = commit, folder
    return run


@pytest.fixture
def house(tmp_path, monkeypatch, capsys):
    """A register with one source; `house.pin(commit, lines, names)` writes it, `house(words...)` runs `cdna pins`."""
    top = tmp_path / "house"
    for name in ("claims", "sources", "vectors"):
        (top / "evidence" / name).mkdir(parents=True)
    (top / "pyproject.toml").write_text("")
    (top / "evidence" / "ids.lock").write_text("")
    monkeypatch.chdir(top)

    def pin(commit, lines, names=("field_a", "field_b"), path="src/a_file.h", **more):
        listed = {"main": {"lines": list(lines), "must_contain": list(names)}, **more}
        source = {
            "key": "S-ONE", "title": "A header", "kind": "encoder", "publisher": "P", "repository": "https://github.com/owner/name",
            "commit": commit, "path": path, "owning_layer": "isa", "checked_area": "All.", "licence": "MIT",
            "access": {"state": "read", "date": "2026-11-29"}, "pins": listed,
        }  # fmt: skip
        # JSON is YAML.
        (top / "evidence" / "sources" / "s-one.yml").write_text(json.dumps(source))

    def run(*words):
        status = cli.main(["pins", *words, "--json"])
        out, err = capsys.readouterr()
        return status, json.loads(out) if out else None, err

    run.pin, run.top, run.lock = pin, top, top / "evidence" / "pins.lock"
    return run


def states(document):
    return [(one["lines"], one["outcome"], one["state"]) for one in document["result"]["pins"]]


def rules(document):
    return [one["rule"] for one in document["findings"]]


def test_lock_records_blob_and_lines(git, house):
    commit = git.commit(TEXT)
    house.pin(commit, [11, 13])

    status, document, _err = house("lock", "--git", str(git.folder))
    entry = json.loads(house.lock.read_text().split("\n")[1])

    assert (status, document["result"]["locked"]) == (0, 1)
    # Both expected values come from elsewhere: git's own hash of the file, and the lines cut by sed.
    assert entry["blob"] == git("rev-parse", "HEAD:src/a_file.h")
    cut = subprocess.run(
        ["sed", "-n", "11,13p", str(git.folder / "src" / "a_file.h")], capture_output=True, check=True
    ).stdout
    assert entry["sha256"] == hashlib.sha256(cut).hexdigest()
    assert entry["how"] == "git" and "field_a = 1" not in house.lock.read_text()


def test_verify_offline_git_and_bare(git, house, tmp_path):
    house.pin(git.commit(TEXT), [11, 13])
    house("lock", "--git", str(git.folder))
    git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))

    assert states(house("verify")[1]) == [([11, 13], "passed", "locked")]
    for folder in (git.folder, git.folder / ".git", tmp_path / "bare.git"):
        status, document, _err = house("verify", "--git", str(folder))
        assert (status, states(document)) == (0, [([11, 13], "passed", "read")])


@pytest.mark.parametrize("place", range(0, len(TEXT.split("\n")[10] + "\n"), 5))
def test_one_changed_character_is_caught(git, house, place):
    """The same commit id cannot hold other bytes, so the lock is changed: the bytes it was read from had one other character."""
    commit = git.commit(TEXT)
    house.pin(commit, [11, 13])
    house("lock", "--git", str(git.folder))
    entry = json.loads(house.lock.read_text().split("\n")[1])
    cut = "".join(TEXT.splitlines(keepends=True)[10:13])
    other = cut[:place] + chr(ord(cut[place]) ^ 1) + cut[place + 1 :]
    entry["sha256"] = hashlib.sha256(other.encode()).hexdigest()
    house.lock.write_text(json.dumps(entry) + "\n")

    status, document, _err = house("verify", "--git", str(git.folder))

    assert (status, rules(document)) == (1, ["pin-changed"])


def test_change_outside_of_the_lines_is_told_apart(git, house):
    commit = git.commit(TEXT)
    house.pin(commit, [11, 13])
    house("lock", "--git", str(git.folder))
    house.lock.write_text(house.lock.read_text().replace(git("rev-parse", "HEAD:src/a_file.h"), "0" * 40))

    status, document, _err = house("verify", "--git", str(git.folder))

    assert (status, rules(document)) == (1, ["pin-blob"])


@pytest.mark.parametrize(
    ("lines", "names", "path", "rule"),
    [
        ([11, 13], ["field_a", "field_z"], "src/a_file.h", "pin-identifier"),
        ([12, 13], ["field_a"], "src/a_file.h", "pin-identifier"),
        ([11, 99], ["field_a"], "src/a_file.h", "pin-range"),
        ([11, 13], ["field_a"], "src/gone.h", "pin-path"),
        ([1, 1], ["x"], "src", "pin-path"),
    ],
)
def test_wrong_citation_is_never_locked(git, house, lines, names, path, rule):
    house.pin(git.commit(TEXT), lines, names, path)

    status, document, _err = house("lock", "--git", str(git.folder))

    assert status == 1 and document["result"]["locked"] == 0
    status, document, _err = house("verify", "--git", str(git.folder))
    assert (status, rules(document)) == (1, [rule])


def test_unread_pin_never_passes(git, house):
    house.pin(git.commit(TEXT), [11, 13])

    assert rules(house("verify")[1]) == ["pin-unlisted"] and house("verify")[0] == 1

    house("lock", "--unread", "The repository could not be read.")
    status, document, _err = house("verify")

    assert (status, states(document)) == (0, [([11, 13], "untested", "unread")])
    assert document["result"]["pins"][0]["unread_since"]
    # Also when the file can be seen now: it passes only after `lock` has recorded it.
    assert states(house("verify", "--git", str(git.folder))[1]) == [([11, 13], "untested", "unread")]
    house("lock", "--git", str(git.folder))
    assert states(house("verify", "--git", str(git.folder))[1]) == [([11, 13], "passed", "read")]


def test_page_state(git, house):
    commit = git.commit(TEXT)
    house.pin(commit, [11, 13])
    pin = {
        "repository": "https://github.com/owner/name",
        "commit": commit,
        "path": "src/a_file.h",
        "lines": [11, 13],
        "must_contain": ["field_a"],
    }

    assert pins.states(house.top)(pin)[0::3] == ("unread", "neither read nor listed")
    house("lock", "--unread", "Not now.")
    assert pins.states(house.top)(pin)[0::3] == ("unread", "Not now.")
    house("lock", "--git", str(git.folder))
    assert pins.states(house.top)(pin).state == "read"
    assert pins.states(house.top)({**pin, "must_contain": ["other"]}).state == "stale"


def test_register_and_lock_drift_apart(git, house):
    commit = git.commit(TEXT)
    house.pin(commit, [11, 13])
    house("lock", "--git", str(git.folder))

    house.pin(commit, [11, 13], ["field_a", "field_c"])
    assert rules(house("verify")[1]) == ["pin-stale"]
    house("lock", "--git", str(git.folder))
    assert rules(house("verify")[1]) == []

    house.pin(commit, [11, 14], ["field_a", "field_c"])
    assert sorted(rules(house("verify")[1])) == ["pin-lock-unneeded", "pin-unlisted"]
    assert house("lock", "--git", str(git.folder))[1]["result"]["taken_out"] == 1
    assert house("verify")[0] == 0


def test_one_file_with_two_contents_is_a_conflict(git, house):
    commit = git.commit(TEXT)
    house.pin(commit, [11, 13], other={"lines": [1, 2], "must_contain": ["line 1"]})
    house("lock", "--git", str(git.folder))
    lines = house.lock.read_text().split("\n")
    entry = json.loads(lines[1])
    house.lock.write_text(house.lock.read_text().replace(lines[1], json.dumps({**entry, "blob": "1" * 40})))

    assert rules(house("verify")[1]) == ["pin-conflict"]


@pytest.mark.parametrize(
    ("newer", "state", "lines"),
    [
        (TEXT, "same", [11, 13]),
        ("new\n" * 3 + TEXT, "moved", [14, 16]),
        (TEXT.replace("line 1\n", ""), "moved", [10, 12]),
        (TEXT + TEXT, "same", [11, 13]),
        (TEXT.replace("= 2", "= 4"), "changed", [11, 12]),
        (TEXT.replace("  field_a = 1;\n", "") + "\n".join(["field_a", ""] * 2), "changed", [11, 18]),
        (TEXT.replace("field_b", "field_x"), "gone", None),
        (TEXT[: TEXT.index("  field_a")], "gone", None),
        (None, "gone", None),
    ],
)
def test_newer_revision(git, house, newer, state, lines):
    house.pin(git.commit(TEXT), [11, 13])
    house("lock", "--git", str(git.folder))
    if newer is None:
        git("mv", "src/a_file.h", "src/b_file.h")
        git("commit", "-q", "-m", "renamed")
    elif newer != TEXT:
        git.commit(newer)

    status, document, _err = house("verify", "--git", str(git.folder), "--against", "main")

    one = document["result"]["pins"][0]
    assert (one["outcome"], one["against"]) == ("passed", {"revision": "main", "state": state, "lines": lines})
    assert status == 0, "what a newer revision says never makes a pin wrong"


def test_newer_revision_needs_only_the_lock(git, house, tmp_path):
    """A shallow clone of the newest revision, without the pinned commit, is enough."""
    house.pin(git.commit(TEXT), [11, 13])
    house("lock", "--git", str(git.folder))
    git.commit("new\n" + TEXT)
    git("clone", "-q", "--depth", "1", "--bare", git.folder.as_uri(), str(tmp_path / "new.git"))
    git("--git-dir", str(tmp_path / "new.git"), "remote", "set-url", "origin", "git@github.com:owner/name.git")

    one = house("verify", "--git", str(tmp_path / "new.git"), "--against", "HEAD")[1]["result"]["pins"][0]

    assert (one["state"], one["against"]["state"], one["against"]["lines"]) == ("locked", "moved", [12, 14])


@pytest.mark.parametrize("revision", ["nowhere", "--upload-pack=x", "HEAD:src", "a..b", "main\nHEAD"])
def test_unknown_revision_cannot_tell(git, house, revision):
    house.pin(git.commit(TEXT), [11, 13])
    house("lock", "--git", str(git.folder))

    status, document, err = house("verify", "--git", str(git.folder), f"--against={revision}")

    assert status == 3 and document is None and "revision" in err


def test_clone_of_something_else_cannot_tell(git, house):
    git.commit(TEXT)
    house.pin("0" * 40, [11, 13])
    house("lock", "--unread", "Not here.")

    assert house("verify", "--git", str(git.folder))[0] == 3


def test_two_clones(git, house, tmp_path):
    git.commit("other\n")
    git("clone", "-q", "--bare", ".", str(tmp_path / "older.git"))
    house.pin(git.commit(TEXT), [11, 13])

    assert house("lock", "--git", str(tmp_path / "older.git"), "--git", str(git.folder))[1]["result"]["locked"] == 1
    assert house("verify", "--git", str(tmp_path / "older.git"), "--git", str(git.folder))[0] == 0


def test_no_repository_is_wrong_usage(house, tmp_path):
    house.pin("0" * 40, [1, 1])

    assert house("verify", "--git", str(tmp_path))[0] == 2
    assert house("verify", "--against", "main")[0] == 2


@pytest.mark.parametrize(
    "data",
    [
        b"a\r\nb\rc\r\nfield_a\r\n",
        b"a\nb\nc\nfield_a",
        b"\xff\xfe\nx\n\n\x00field_a\x0c\x85\n",
        "é\n\u2028\n\nfield_a ü\n".encode(),
    ],
)
def test_lines_are_bytes_between_line_feeds(git, house, data):
    house.pin(
        git.commit(data), [len(data.rstrip(b"\n").split(b"\n")), len(data.rstrip(b"\n").split(b"\n"))], ["field_a"]
    )
    house("lock", "--git", str(git.folder))
    entry = json.loads(house.lock.read_text().split("\n")[1])

    cut = subprocess.run(
        ["tail", "-n", "1", str(git.folder / "src" / "a_file.h")], capture_output=True, check=True
    ).stdout
    assert entry["sha256"] == hashlib.sha256(cut).hexdigest()


def test_blob_id_is_gits(git):
    data = os.urandom(5000)
    git.commit(data)

    assert readers.blob_id(data) == git("rev-parse", "HEAD:src/a_file.h")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("x", "not a JSON object"), ("[]", "a read range has"), ("<<<<<<< HEAD", "merge conflict"),
        ('{"repository": "r", "commit": "c", "path": "p", "lines": [1, 2], "unread": "2026-11-29", "reason": "r"}', "40 hexadecimal digits"),
        ('{"repository": "r", "commit": "%s", "path": "p", "lines": [2, 1], "unread": "2026-11-29", "reason": "r"}' % ("0" * 40), "first, last"),
        ('{"repository": "r", "commit": "%s", "path": "p", "lines": [1, 2], "unread": "soon", "reason": "r"}' % ("0" * 40), "a date"),
        ('{"repository": "r", "commit": "%s", "path": "p", "lines": [1, 2], "unread": "2026-11-29", "reason": ""}' % ("0" * 40), "text"),
        ('{"repository": "r", "commit": "%s", "path": "p", "lines": [1, 2], "must_contain": ["a"], "blob": "", "sha256": "", "read": "2026-11-29", "how": "git"}' % ("0" * 40), "text"),
    ],
)  # fmt: skip
def test_unreadable_lock_names_the_line(house, line, says):
    house.pin("0" * 40, [1, 1])
    house.lock.write_text("# head\n" + line + "\n")

    status, document, err = house("verify")

    assert (status, document) == (2, None) and "evidence/pins.lock:2" in err and says in err and "Traceback" not in err


def test_same_range_twice_is_refused(git, house):
    house.pin(git.commit(TEXT), [11, 13])
    house("lock", "--git", str(git.folder))
    house.lock.write_text(house.lock.read_text() * 2)

    assert house("verify")[0] == 2
