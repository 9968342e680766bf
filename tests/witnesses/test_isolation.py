# SPDX-License-Identifier: Apache-2.0
"""A compiler that aborts, hangs, floods, eats memory or forks is an outcome, and nothing of it stays."""

import os
import sys

import fakes
import pytest

from cdna_evidence.witnesses import isolation


def python(code, *arguments, **limits):
    return isolation.run([sys.executable, "-I", "-S", "-c", code, *arguments], **limits)


def test_a_program_that_ends():
    ran = python("import sys; print(sys.stdin.read()[::-1]); sys.stderr.write('e'); sys.exit(3)", stdin=b"abc")
    assert ran[:4] == ("ended", 3, b"cba\n", b"e")


def test_large_input_and_output_do_not_block():
    data = b"x" * 3_000_000
    ran = python("import sys; sys.stdout.write(sys.stdin.read())", stdin=data)
    assert ran.outcome == "ended" and ran.out == data


def test_no_environment_and_a_folder_that_goes():
    os.environ["CDNA_TEST_SECRET"] = "1"
    try:
        ran = python("import os; open('left', 'w').close(); print(os.getcwd()); print(sorted(os.environ))")
    finally:
        del os.environ["CDNA_TEST_SECRET"]
    folder, names = ran.out.decode().splitlines()
    assert not os.path.exists(folder)
    assert "CDNA_TEST_SECRET" not in names


def test_a_program_that_is_not_there(tmp_path):
    assert isolation.run([str(tmp_path / "nothing")]).outcome == "not-started"
    (tmp_path / "text").write_text("no program")
    (tmp_path / "text").chmod(0o755)
    assert isolation.run([str(tmp_path / "text")]).outcome == "not-started"


def test_time_limit_holds_even_for_a_trickle():
    ran = python("import time\nwhile True: print('.', flush=True); time.sleep(0.01)", seconds=0.5)
    assert ran.outcome == "timeout" and ran.code is None


def test_time_limit_holds_after_output_is_closed():
    ran = python("import os, time; os.close(1); os.close(2); time.sleep(600)", seconds=0.5)
    assert ran.outcome == "timeout"


def test_output_limit():
    ran = python("import os\nwhile True: os.write(2, b'y' * 65536)", output=100_000)
    assert ran.outcome == "flooded" and len(ran.out) + len(ran.err) == 100_000


@pytest.mark.skipif(sys.platform != "linux", reason="the memory limit is set from outside, which only Linux offers")
def test_memory_limit():
    ran = python("held = [bytearray(1 << 24) for _ in range(1 << 14)]", memory=1 << 28)
    assert ran.outcome == "ended" and ran.code != 0
    assert b"MemoryError" in ran.err


def test_a_signal_is_told():
    assert python("import os; os.kill(os.getpid(), 11)").code == -11


@pytest.mark.skipif(sys.platform != "linux", reason="strays are found through /proc, which only Linux has")
@pytest.mark.parametrize("word, outcome", [("forks", "timeout"), ("leaves", "accepted")])
def test_nothing_is_left_running(tmp_path, hasty, word, outcome):
    """`forks` hangs with two children, one in a session of its own; `leaves` ends and leaves a child on the pipe."""
    (item,) = fakes.clang(tmp_path).assemble("gfx950", [f"s_nop {word}"])
    assert item.outcome == outcome
    assert fakes.left_running(tmp_path) == []


@pytest.mark.parametrize(
    "word, outcome, says",
    [
        ("abort", "crashed", "signal 6"),
        ("segv", "crashed", "signal 11"),
        ("hang", "timeout", "no answer within"),
        ("flood", "flooded", "output"),
        ("eat", "crashed", "MemoryError"),
        ("internal", "crashed", "LLVM ERROR"),
        ("silent", "crashed", "no answer"),
        ("statusonly", "crashed", "exit status 1"),
    ],
)
def test_a_fatal_line_leaves_the_others_their_answers(tmp_path, hasty, word, outcome, says):
    if word == "eat" and sys.platform != "linux":
        pytest.skip("the memory limit is set from outside, which only Linux offers")
    lines = ["s_good 1", "s_good 2", f"s_{word} 3", "s_bad 4", "s_good 5"]
    answers = fakes.clang(tmp_path).assemble("gfx950", lines)
    assert [item.outcome for item in answers] == ["accepted", "accepted", outcome, "rejected", "accepted"]
    assert [item.accepted for item in answers] == [True, True, None, False, True]
    assert says in answers[2].diagnostic
    assert answers[2].bytes is None and answers[4].bytes == b"\x00\x01"


@pytest.mark.parametrize(
    "word, outcome", [("abort", "crashed"), ("hang", "timeout"), ("flood", "flooded"), ("silent", "crashed")]
)
def test_a_fatal_compilation_is_an_outcome(tmp_path, hasty, word, outcome):
    result = fakes.clang(tmp_path).compile_ir("gfx950", word)
    assert result.outcome == outcome and result.assembly == "" and result.accepted is None


def test_a_compiler_that_works_for_another_target(tmp_path):
    """It answers every line, but its own target line names another processor."""
    program = tmp_path / "fake"
    fakes.write(
        program,
        fakes.BODY.format(count=str(tmp_path / "count")).replace('"\\t" + line', 'line.replace("gfx950", "gfx000")'),
    )
    (item,) = fakes.clang(tmp_path).assemble("gfx950", ["s_good 1"])
    assert item.outcome == "unknown-target" and "gfx000" in item.diagnostic
