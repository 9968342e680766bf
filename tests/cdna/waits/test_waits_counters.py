# SPDX-License-Identifier: Apache-2.0
"""Operands and words of waits: every value against clang's assembler, and there and back."""

import re
import subprocess

import pytest

from cdna.waits.counters import (
    WaitError,
    counters_of,
    decode_operand,
    decode_word,
    encode_operand,
    encode_words,
    most_of,
    too_high,
    wait_text,
)

SPLIT = ("loadcnt", "storecnt", "dscnt", "kmcnt", "xcnt", "asynccnt", "tensorcnt")


def assembled(clang, target, lines):
    """Return (text, word) of each line, as clang's assembler prints it; one call, nothing kept."""
    command = [clang.program, "clang", "-cc1as", "-triple", "amdgcn-amd-amdhsa", "-target-cpu", target]
    command += ["-filetype", "asm", "-show-encoding", "/dev/stdin", "-o", "-"]
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[:500]
    found = []
    for line in done.stdout.splitlines():
        match = re.match(r"\s*(s_\S+[^;]*?)\s*;\s*encoding: \[(.*)\]", line)
        if match:
            data = bytes(int(byte, 16) for byte in match[2].split(","))
            found.append((" ".join(match[1].split()), int.from_bytes(data, "little")))
    assert len(found) == len(lines)
    return found


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_every_operand_reads_as_clang_prints_it(clang, target):
    lines = [f"s_waitcnt {hex(value)}" for value in range(0x10000)]
    for value, (text, _) in enumerate(assembled(clang, target, lines)):
        wait = decode_operand(value, target)
        assert wait.text == text
        assert encode_operand(dict(wait.counts), target) == value & 0xCF7F
        assert wait.unused == value & 0x3080


def test_every_combination_encodes_as_clang_does(clang):
    chosen = [(v, e, k) for v in range(64) for e in range(8) for k in range(16)]
    lines = [f"s_waitcnt vmcnt({v}) expcnt({e}) lgkmcnt({k})" for v, e, k in chosen]
    for (v, e, k), (_, word) in zip(chosen, assembled(clang, "gfx942", lines), strict=True):
        counts = {"vmcnt": v, "expcnt": e, "lgkmcnt": k}
        assert encode_words(counts, "gfx942") == (word,)
        assert dict(decode_word(word, "gfx942").counts) == counts


def test_every_split_wait_encodes_and_reads_as_clang_does(clang):
    chosen = [(name, n) for name in SPLIT for n in range(most_of("gfx1250", name) + 1)]
    found = assembled(clang, "gfx1250", [f"s_wait_{name} {n}" for name, n in chosen])
    for (name, n), (text, word) in zip(chosen, found, strict=True):
        assert encode_words({name: n}, "gfx1250") == (word,)
        wait = decode_word(word, "gfx1250")
        assert (wait.text, dict(wait.counts), wait.unused) == (text, {name: n}, 0)
        assert wait_text(name, n, "gfx1250") == text


def test_every_pair_encodes_as_clang_does(clang):
    chosen = [(other, a, b) for other in ("loadcnt", "storecnt") for a in range(64) for b in range(64)]
    lines = [f"s_wait_{other}_dscnt {a << 8 | b}" for other, a, b in chosen]
    for (other, a, b), (_, word) in zip(chosen, assembled(clang, "gfx1250", lines), strict=True):
        assert encode_words({other: a, "dscnt": b}, "gfx1250") == (word,)
        assert dict(decode_word(word, "gfx1250").counts) == {other: a, "dscnt": b}


def test_the_fields_of_s_wait_alu_are_clangs(clang):
    fields = {"va_vdst": 15, "va_sdst": 7, "va_ssrc": 1, "hold_cnt": 1, "vm_vsrc": 7, "va_vcc": 1, "sa_sdst": 1}
    chosen = [(name, n) for name, most in fields.items() for n in range(most)]
    found = assembled(clang, "gfx1250", [f"s_wait_alu depctr_{name}({n})" for name, n in chosen])
    for (name, n), (text, word) in zip(chosen, found, strict=True):
        wait = decode_word(word, "gfx1250")
        assert wait.text == text
        assert dict(wait.counts)[name] == n
        assert sorted(set(fields) - set(wait.free)) == [name]


def test_the_word_of_the_public_report(problem):
    case = problem("WT-07")
    word = int.from_bytes(bytes.fromhex(case["right_outcome"]["bytes"]), "little")
    wait = decode_word(word, "gfx1250")
    assert dict(wait.counts) == {name: case["right_outcome"][name] for name in ("loadcnt", "dscnt")}
    assert wait.text == case["input"]["asm"]


def test_ranges_that_the_assembler_does_not_check_are_checked_here(clang):
    lines = ["s_wait_kmcnt 0x20"] + [
        f"s_wait_{name} 0x40" for name in ("loadcnt", "dscnt", "asynccnt", "xcnt", "tensorcnt")
    ]
    for _, word in assembled(clang, "gfx1250", lines):
        assert len(too_high(decode_word(word, "gfx1250"), "gfx1250")) == 1
    assert too_high(decode_word(0xBFC8403F, "gfx1250"), "gfx1250") == [("loadcnt", 64, 63)]
    assert too_high(decode_word(0xBFC83F3F, "gfx1250"), "gfx1250") == []


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (lambda: encode_operand({"vmcnt": 64}, "gfx942"), "vmcnt=64: 0..63, WAIT-001"),
        (lambda: encode_operand({"lgkmcnt": 16}, "gfx950"), "lgkmcnt=16: 0..15"),
        (lambda: encode_operand({"dscnt": 0}, "gfx950"), "dscnt: gfx950 has vmcnt, expcnt, lgkmcnt"),
        (lambda: encode_words({"kmcnt": 32}, "gfx1250"), "kmcnt=32: 0..31, WAIT-051"),
        (lambda: encode_words({"vmcnt": 0}, "gfx1250"), "vmcnt: gfx1250 has loadcnt"),
        (lambda: decode_operand(0x10000, "gfx942"), "0 to 0xffff"),
        (lambda: decode_operand(0, "gfx1250"), "WAIT-010"),
        (lambda: decode_word(0xBF8C0000, "gfx1250"), "no wait of gfx1250"),
        (lambda: decode_word(0xBFC00000, "gfx942"), "no wait of gfx942"),
        (lambda: decode_word(1 << 32, "gfx942"), "32 bits"),
        (lambda: counters_of("gfx90a"), "gfx942, gfx950, gfx1250"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_is_allowed(work, said):
    with pytest.raises(WaitError, match=re.escape(said)):
        work()
