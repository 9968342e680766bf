# SPDX-License-Identifier: Apache-2.0
"""Kept answers: by everything that matters, whole or absent, also failures, and the reader can tell."""

import subprocess
import sys
import time

import fakes
import pytest

from cdna_evidence.witnesses.cache import Cache, default_folder, file_digest

WRITER = """
import sys
from cdna_evidence.witnesses.cache import Cache
cache = Cache(sys.argv[1])
for number in range(int(sys.argv[2])):
    cache.put({"question": 1}, str(number % 10) * 300000)
    found = cache.get({"question": 1})
    assert found is not None and len(found) == 300000 and len(set(found)) == 1
    if number == 0:
        print("ready", flush=True)
"""


def test_put_and_get(tmp_path):
    cache = Cache(tmp_path)
    assert cache.get({"a": 1}) is None
    cache.put({"a": 1, "b": "é"}, [1, "x", None])
    assert cache.get({"b": "é", "a": 1}) == [1, "x", None]
    assert cache.get({"a": 2, "b": "é"}) is None
    assert Cache(tmp_path, fresh=True).get({"a": 1, "b": "é"}) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"key": {"a": 2}, "value": 7}', b"\xff\xfe"])
def test_a_spoiled_entry_counts_as_absent(tmp_path, content):
    cache = Cache(tmp_path)
    cache.put({"a": 1}, 5)
    (path,) = tmp_path.rglob("*.json")
    path.write_bytes(content)
    assert cache.get({"a": 1}) is None
    cache.put({"a": 1}, 6)
    assert cache.get({"a": 1}) == 6


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "below")
    cache.put({"a": 1}, 5)
    assert cache.get({"a": 1}) is None


def test_killed_writers_leave_whole_entries(tmp_path):
    for number in range(4):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), "1000000"], stdout=subprocess.PIPE)
        try:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(0.02 + 0.03 * number)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        found = Cache(tmp_path).get({"question": 1})
        assert found is not None and len(found) == 300000 and len(set(found)) == 1


def test_parallel_writers_and_readers(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path), "150"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(3)]
    assert [process.wait(timeout=600) for process in running] == [0, 0, 0]
    assert not list(tmp_path.rglob(".new-*"))


def test_an_answer_says_whether_it_was_kept(tmp_path):
    first = fakes.clang(tmp_path).assemble("gfx950", ["s_good 1", "s_bad 2"])
    assert [item.kept for item in first] == [False, False] and fakes.calls(tmp_path) == 1
    again = fakes.clang(tmp_path).assemble("gfx950", ["s_bad 2", "s_good 3", "s_good 1"])
    assert [item.kept for item in again] == [True, False, True] and fakes.calls(tmp_path) == 2
    assert again[0]._replace(kept=False) == first[1] and again[2]._replace(kept=False) == first[0]


def test_failures_are_kept_but_not_a_timeout(tmp_path, hasty):
    """A time-out says something about this machine now; everything else says something about the compiler."""
    for word, kept in (("abort", True), ("flood", True), ("hang", False)):
        fakes.clang(tmp_path).assemble("gfx950", [f"s_{word}"])
        before = fakes.calls(tmp_path)
        (item,) = fakes.clang(tmp_path).assemble("gfx950", [f"s_{word}"])
        assert item.kept is kept and (fakes.calls(tmp_path) == before) is kept


def test_compilations_are_kept(tmp_path):
    first = fakes.clang(tmp_path).compile_ir("gfx950", "abort")
    again = fakes.clang(tmp_path).compile_ir("gfx950", "abort")
    assert (first.kept, again.kept) == (False, True) and first == again._replace(kept=False)


def test_fresh_asks_again(tmp_path):
    fakes.clang(tmp_path).assemble("gfx950", ["s_good 1"])
    before = fakes.calls(tmp_path)
    fresh = Cache(tmp_path / "cache", fresh=True)
    (item,) = fakes.clang(tmp_path, cache=fresh).assemble("gfx950", ["s_good 1"])
    assert item.kept is False and fakes.calls(tmp_path) == before + 1


@pytest.mark.parametrize("change", ["target", "line", "program", "triple"])
def test_everything_that_matters_is_in_the_key(tmp_path, change):
    fakes.clang(tmp_path).assemble("gfx950", ["s_good 1"])
    if change == "program":
        program = tmp_path / "fake"
        program.write_text(program.read_text() + "\n# another compiler\n")
    target = "gfx942" if change == "target" else "gfx950"
    line = "s_good 2" if change == "line" else "s_good 1"
    more = {"triple": "amdgcn--amdpal"} if change == "triple" else {}
    (item,) = fakes.clang(tmp_path).assemble(target, [line], **more)
    assert item.kept is False


def test_the_key_of_a_compilation_holds_its_options(tmp_path):
    witness = fakes.clang(tmp_path)
    assert not witness.compile_ir("gfx950", "abort").kept
    assert not witness.compile_ir("gfx950", "abort", opt=1).kept
    assert not witness.compile_ir("gfx950", "abort", extra=("-g0",)).kept
    assert not witness.compile_ir("gfx950", "abort", expect=("x",)).kept
    assert not witness.compile_c("gfx950", "abort").kept
    assert witness.compile_ir("gfx950", "abort").kept


def test_digest_follows_the_file(tmp_path):
    """SHA-256 of "abc" is the standard's example (FIPS 180-4)."""
    path = tmp_path / "program"
    path.write_bytes(b"abc")
    cache = Cache(tmp_path / "cache")
    wanted = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert [file_digest(path, cache) for _ in range(2)] == [wanted, wanted]
    path.write_bytes(b"abcd")
    assert file_digest(path, cache) != wanted


def test_where_answers_are_kept(tmp_path, monkeypatch):
    monkeypatch.delenv("CDNA_EVIDENCE_CACHE", raising=False)
    assert default_folder().parts[-2:] == ("build", "cache")
    monkeypatch.setenv("CDNA_EVIDENCE_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
