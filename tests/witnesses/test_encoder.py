# SPDX-License-Identifier: Apache-2.0
"""Workers that build descriptors: their answers in order, and workers that die, hang or talk nonsense."""

import json
import sys

import fakes
import pytest

from cdna_evidence.witnesses import Cache, encoder
from cdna_evidence.witnesses.encoder import Encoder, Refused, extents

WORKER = """
import importlib.util, os, sys, time
spec = importlib.util.spec_from_file_location("serve", {serve!r})
loop = importlib.util.module_from_spec(spec)
spec.loader.exec_module(loop)

def answer(source):
    print("chatter of a library")
    if source == "abort":
        os.abort()
    if source == "exit":
        os._exit(3)
    if source == "hang":
        with open({hangs!r}, "a") as stream:
            stream.write("x")
        time.sleep(600)
    if source == "raise":
        raise RuntimeError("no\\nsuch thing")
    return source.upper()

loop.serve(answer)
"""


class Fake(Encoder):
    """An encoder of nothing, whose worker is written here."""

    name = "fake"

    def __init__(self, folder, cache):
        self.cache = cache
        self.package, self.digest, self.seconds = "fake 1", "0" * 64, 600.0
        self._worker = str(folder / "worker.py")
        serve = encoder.__file__.replace("encoder.py", "serve.py")
        (folder / "worker.py").write_text(WORKER.format(serve=serve, hangs=str(folder / "hangs")))

    def source_of(self, copy, op):
        return copy["say"]

    def words_of(self, answer, copy):
        if answer == "STRANGE":
            raise ValueError("what is this")
        return ((1, 2, 3, 4),)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    fakes.hasten(monkeypatch, tmp_path / "hangs")
    return Fake(tmp_path, Cache(tmp_path / "cache"))


def outcomes(fake, *sources):
    return [item.outcome for item in fake.descriptor_words_of([{"say": source} for source in sources])]


def test_answers_come_in_order_whatever_happens(fake):
    asked = ["a", "abort", "b", "raise", "exit", "exit", "c", "strange"]
    expected = ["accepted", "crashed", "accepted", "rejected", "crashed", "crashed", "accepted", "rejected"]
    assert outcomes(fake, *asked) == expected
    answers = fake.descriptor_words_of([{"say": source} for source in asked])
    assert all(item.kept for item in answers)
    assert "signal 6" in answers[1].diagnostic
    assert answers[3].diagnostic == "RuntimeError: no such thing"
    assert "exit status 3" in answers[4].diagnostic
    assert answers[7].diagnostic == "its output was not understood: what is this"
    assert answers[0].words == (1, 2, 3, 4) and answers[1].words is None


def test_a_hang_is_not_kept(fake):
    assert outcomes(fake, "a", "hang") == ["accepted", "timeout"]
    answers = fake.descriptor_words_of([{"say": "a"}, {"say": "hang"}])
    assert [item.kept for item in answers] == [True, False]


def test_nothing_asked_starts_nothing(fake, monkeypatch):
    monkeypatch.setattr(encoder.isolation, "run", lambda *a, **k: pytest.fail("started"))
    assert fake.descriptor_words_of([]) == []


def test_the_command_repeats_the_question(fake, capsys, monkeypatch):
    import shlex

    from cdna_evidence import witnesses

    (answer,) = fake.descriptor_words_of([{"say": "it's"}])
    python, flag, module, *arguments = shlex.split(answer.command)
    assert (python, flag, module) == ("python", "-m", "cdna_evidence.witnesses.encoder")
    monkeypatch.setattr(witnesses, "get", lambda name, fresh: fake)
    assert encoder.main(arguments) == 0
    assert capsys.readouterr().out == "00000001 00000002 00000003 00000004\n"
    assert encoder.main(["fake", "load", json.dumps({"say": "exit"})]) == 1


COPY = {"element_bits": 16, "base": 0, "at": [1, 2], "tensor": [8, 9], "strides": [8], "tile": [4, 5]}


def test_extents_come_outermost_first():
    assert extents(COPY) == [[5, 4], [9, 8], [2, 1], [8, 1]]


@pytest.mark.parametrize(
    "changes",
    [
        {"tile": [4]},
        {"tensor": None},
        {"strides": []},
        {"base": "0"},
        {"at": [1, True]},
        {"what": 1},
        {"tile": [], "at": []},
    ],
)
def test_copies_that_no_program_is_asked_for(changes):
    copy = {key: value for key, value in {**COPY, **changes}.items() if value is not None}
    with pytest.raises(Refused):
        extents(copy)


@pytest.mark.parametrize("name", ["triton", "flydsl"])
def test_a_missing_program_says_how_to_get_it(name, monkeypatch, tmp_path):
    import importlib.metadata

    from cdna_evidence.witnesses import Missing, get

    def absent(package):
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(importlib.metadata, "distribution", absent)
    with pytest.raises(Missing, match=f"{name} is not installed; to get it: make clients"):
        get(name, cache=Cache(tmp_path))


def test_the_worker_runs_isolated(fake):
    """Neither the caller's folder nor its environment reaches the worker."""
    assert sys.executable and fake.environment() == {}
