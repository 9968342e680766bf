# SPDX-License-Identifier: Apache-2.0
"""`cdna asm`, `cdna disasm`, `cdna witnesses` as other people script them."""

import io
import json
import os
import subprocess
import sys

import pytest

from cdna_evidence import witnesses
from cdna_evidence.cli import main
from cdna_evidence.witnesses import Missing
from cdna_evidence.witnesses.face import answer

LOAD = "tensor_load_to_lds s[0:3], s[4:11]"
# LLVM's own test of this instruction, and llvm-mc 22.1.8.
LOAD_BYTES = "01 00 71 d0 00 00 00 7c 00 04 7c 7c"


@pytest.fixture(scope="module")
def cache_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(cache_folder, monkeypatch):
    """One cache for these tests: hashing the compiler costs a quarter of a second."""
    monkeypatch.setenv("CDNA_EVIDENCE_CACHE", str(cache_folder))


class Decoder:
    """Stands in for a decoder: knows one instruction, by the bytes and text of llvm-mc 22.1.8."""

    name, version, package = "llvm-mc", "22.1.8", "recorded"
    text = LOAD

    def disassemble(self, target, data):
        answers = []
        while data:
            if data.hex(" ").startswith(LOAD_BYTES):
                answers.append(answer("accepted", self.text, data[:12], "", "command"))
                data = data[12:]
            else:
                answers.append(answer("rejected", "", data[:4], "invalid instruction encoding", "command"))
                data = data[4:]
        return answers


class Module:
    """A witness module whose `find` gives one object, or raises it."""

    TITLE, ANSWERS, HOW_TO_GET = "a stand-in", ("disassemble",), "apt-get install it"

    def __init__(self, found):
        self.found = found

    def find(self, cache=None, fresh=False):
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.fixture
def stand_in():
    """Replace witnesses by name for one test."""
    names = []

    def replace(name, found):
        witnesses.register(name, Module(found))
        names.append(name)

    yield replace
    for name in names:
        witnesses.unregister(name)


@pytest.fixture
def decoder(stand_in):
    stand_in("llvm-mc", Decoder())


def run(capsys, *argv):
    status = main(list(argv))
    said = capsys.readouterr()
    return status, said.out, said.err


def document(capsys, *argv):
    status, out, err = run(capsys, *argv)
    assert err == ""
    return status, json.loads(out)


def test_asm_json(capsys):
    status, found = document(capsys, "asm", "--target", "gfx1250", "--fresh", "--json", LOAD, "s_wait_tensorcnt 0x3f")
    assert status == 0
    assert (found["schema"], found["command"], found["target"]) == (1, "asm", "gfx1250")
    assert set(found) == {"schema", "command", "target", "result", "findings", "disputed"}
    first, second = found["result"]["lines"]
    assert (first["text"], first["accepted"], first["bytes"], first["diagnostic"]) == (LOAD, True, LOAD_BYTES, None)
    assert (first["witness"], first["version"], first["kept"]) == ("clang", "22.1.8", False)
    assert second["bytes"] == "3f 00 cb bf"
    assert found["findings"] == []


def test_asm_rejected(capsys):
    status, found = document(capsys, "asm", "--target", "gfx950", "--json", "s_nop 0", LOAD)
    assert status == 1
    good, bad = found["result"]["lines"]
    assert good["accepted"] is True and good["bytes"] == "00 00 80 bf"
    assert bad["accepted"] is False and bad["bytes"] is None and "not supported on this GPU" in bad["diagnostic"]
    (finding,) = found["findings"]
    assert finding["severity"] == "error" and finding["rule"] == "asm-rejected" and "line 2" in finding["message"]


def test_asm_text(capsys):
    status, out, err = run(capsys, "asm", "--target", "gfx1250", LOAD, "s_nope")
    assert status == 1 and err == ""
    assert LOAD_BYTES in out and "clang 22.1.8 (ziglang 0.17.1)" in out and "rejected" in out


def test_asm_standard_input_skips_blank_lines_and_comments(capsys, monkeypatch):
    given = io.TextIOWrapper(io.BytesIO(b"; a kernel\n\n  s_nop 1\n// the end\ns_endpgm ; done\n"))
    monkeypatch.setattr(sys, "stdin", given)
    status, found = document(capsys, "asm", "--target", "gfx942", "--json", "-")
    assert status == 0
    assert [row["bytes"] for row in found["result"]["lines"]] == ["01 00 80 bf", "00 00 81 bf"]


def test_asm_keeps_answers_and_fresh_asks_again(capsys):
    arguments = ("asm", "--target", "gfx942", "--json", "s_nop 7")
    kept = [document(capsys, *arguments)[1]["result"]["lines"][0]["kept"] for _ in range(2)]
    assert kept == [False, True]
    assert document(capsys, *arguments, "--fresh")[1]["result"]["lines"][0]["kept"] is False


def test_asm_takes_the_neighbour_and_says_where_the_strict_name_is_known(capsys):
    line = "v_add_f64_dpp v[0:1], v[2:3], v[4:5] row_share:1"
    outcomes = [document(capsys, "asm", "--target", name, "--json", line)[1]["result"]["lines"][0]["outcome"] for name in ("gfx1250", "gfx1251")]
    assert outcomes == ["rejected", "accepted"]
    status, found, *_ = document(capsys, "asm", "--target", "gfx1250-strict", "--json", "s_nop 0")
    assert status == 3 and found["result"]["lines"][0]["outcome"] == "unknown-target"
    assert "--witness triton-llvm" in found["findings"][0]["message"]


@pytest.mark.parametrize(
    "argv, says",
    [
        (["asm", "--target", "gfx1250"], "TEXT"),
        (["asm", LOAD], "--target"),
        (["asm", "--target", "gfx9999", "s_nop 0"], "gfx942, gfx950, gfx1250"),
        (["asm", "--target", "gfx1252", "s_nop 0"], "gfx1251 (neighbour of gfx1250), gfx1250-strict (stepping A0 of gfx1250)"),
        (["asm", "--target", "gfx950", '.include "/etc/hostname"'], "directives are not allowed"),
        (["asm", "--target", "gfx950", '.incbin "/etc/hostname"'], "directives are not allowed"),
        (["asm", "--target", "gfx950", "s_nop 0\n.incbin x"], "one instruction a line"),
        (["asm", "--target", "gfx950", "--witness", "gcc", "s_nop 0"], "clang"),
        (["asm", "--target", "gfx950", "--witness", "rocm-llvm", "s_nop 0"], "cannot assemble"),
        (["asm", "--target", "gfx950", ""], "empty line"),
        (["disasm", "--target", "gfx950"], "BYTES"),
        (["disasm", "--target", "gfx9", "00"], "gfx942, gfx950, gfx1250"),
        (["disasm", "--target", "gfx950", "0g"], "hexadecimal"),
        (["disasm", "--target", "gfx950", "000"], "pairs"),
        (["disasm", "--target", "gfx950", " , "], "no bytes"),
        (["witnesses", "more"], "more"),
    ],
)
def test_wrong_usage_is_one_message_and_status_2(capsys, stand_in, argv, says):
    stand_in("rocm-llvm", object())
    status, out, err = run(capsys, *argv)
    assert (status, out) == (2, "")
    assert says in err and err.count("\n") == 1


def test_a_missing_witness_is_status_3(capsys, stand_in):
    for name in witnesses.names():
        stand_in(name, Missing(f"{name} is not here", f"get {name}"))
    for argv in (
        ["asm", "--target", "gfx950", "s_nop 0"],
        ["asm", "--target", "gfx950", "--witness", "clang", "s_nop 0"],
        ["disasm", "--target", "gfx950", "00 00 80 bf"],
        ["disasm", "--target", "gfx950", "--witness", "llvm-mc", "00 00 80 bf"],
    ):
        status, out, err = run(capsys, *argv)
        assert (status, out) == (3, "") and "get " in err and err.count("\n") == 1


@pytest.mark.parametrize("outcome", ["crashed", "timeout", "flooded", "unknown-target"])
def test_a_question_without_an_answer_is_status_3(capsys, stand_in, outcome):
    class Assembler:
        name, version, package = "clang", "1", "fake"

        def assemble(self, target, lines):
            return [answer(outcome, line, diagnostic="why") for line in lines]

    stand_in("clang", Assembler())
    status, found = document(capsys, "asm", "--target", "gfx950", "--json", "s_nop 0")
    assert status == 3
    assert found["result"]["lines"][0]["accepted"] is None and found["result"]["lines"][0]["outcome"] == outcome
    assert [item["severity"] for item in found["findings"]] == ["warning"]


@pytest.mark.parametrize(
    "words",
    [
        [LOAD_BYTES],
        LOAD_BYTES.split(),
        [LOAD_BYTES.replace(" ", "")],
        ["0x" + LOAD_BYTES.replace(" ", ",0x")],
        ["[" + LOAD_BYTES.upper().replace(" ", ", ") + "]"],
    ],
)
def test_disasm_takes_any_way_of_writing_bytes(capsys, decoder, words):
    status, found = document(capsys, "disasm", "--target", "gfx1250", "--json", *words)
    (row,) = found["result"]["lines"]
    assert status == 0
    assert (row["text"], row["bytes"], row["accepted"], row["offset"]) == (LOAD, LOAD_BYTES, True, 0)
    assert (row["witness"], row["version"]) == ("llvm-mc", "22.1.8")
    assert row["assembled_back"]["witness"] == "clang" and row["assembled_back"]["same_bytes"] is True


def test_disasm_says_where_there_is_no_instruction(capsys, decoder):
    status, found = document(capsys, "disasm", "--target", "gfx1250", "--json", LOAD_BYTES, "ff ff ff ff", LOAD_BYTES)
    assert status == 1
    assert [(row["offset"], row["accepted"]) for row in found["result"]["lines"]] == [
        (0, True),
        (12, False),
        (16, True),
    ]
    (finding,) = found["findings"]
    assert "offset 12" in finding["message"]


def test_disasm_by_clang_takes_only_text_that_has_these_bytes(capsys, stand_in):
    lying = Decoder()
    lying.text = "tensor_store_from_lds s[0:3], s[4:11]"
    stand_in("llvm-mc", lying)
    status, found = document(capsys, "disasm", "--target", "gfx1250", "--witness", "clang", "--json", LOAD_BYTES)
    (row,) = found["result"]["lines"]
    assert status == 1 and row["accepted"] is False
    assert "assembles to 01 40 71 d0" in row["diagnostic"]


def test_disasm_standard_input(capsys, decoder, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOAD_BYTES.encode() + b"\n")))
    status, out, _ = run(capsys, "disasm", "--target", "gfx1250", "-")
    assert status == 0 and LOAD in out and "same bytes" in out


def test_witnesses(capsys, stand_in):
    stand_in("llvm-mc", Missing("not installed", "apt-get install llvm-22"))
    status, found = document(capsys, "witnesses", "--json")
    rows = {row["name"]: row for row in found["result"]["witnesses"]}
    assert status == 0 and list(rows) == witnesses.names()
    assert rows["clang"]["here"] is True and rows["clang"]["version"] == "22.1.8" and len(rows["clang"]["digest"]) == 64
    assert rows["llvm-mc"]["here"] is False and rows["llvm-mc"]["how_to_get"] == "apt-get install llvm-22"
    status, out, _ = run(capsys, "witnesses")
    assert status == 0 and "22.1.8 (ziglang 0.17.1)" in out and "to get it: apt-get install llvm-22" in out


def test_from_a_shell():
    """The installed command, with nothing but its own process."""
    command = os.path.join(os.path.dirname(sys.executable), "cdna")
    ran = subprocess.run([command, "asm", "--target", "gfx1250", LOAD], capture_output=True, text=True, timeout=600)
    assert (ran.returncode, ran.stderr) == (0, "") and LOAD_BYTES in ran.stdout
