# SPDX-License-Identifier: Apache-2.0
"""Which witnesses there are, which are here, and what is said of one that is not."""

import importlib.metadata
import importlib.util

import fakes
import pytest

from cdna_evidence import witnesses
from cdna_evidence.witnesses import Cache, Missing, llvm_mc, rocm


def test_clang_is_here_and_every_witness_says_how_to_get_it(tmp_path):
    states = {state.name: state for state in witnesses.available(Cache(tmp_path))}
    assert list(states) == witnesses.names()
    assert states["clang"].here and states["clang"].version == "22.1.8"
    for state in states.values():
        assert state.how_to_get and state.answers
        assert (state.version is None) == (not state.here) == (state.reason is not None)


def test_a_missing_wheel(monkeypatch, tmp_path):
    def gone(name, *rest):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None)
    monkeypatch.setattr(importlib.metadata, "distribution", gone)
    for name in ("clang", "rocm-llvm"):
        with pytest.raises(Missing) as caught:
            witnesses.get(name, cache=Cache(tmp_path))
        assert "pip install" in caught.value.how_to_get and "not installed" in caught.value.reason


def test_an_unknown_name():
    with pytest.raises(KeyError):
        witnesses.get("gcc")


@pytest.mark.parametrize("body", ["import sys; sys.exit(1)", "print('hello')", "import os; os.abort()"])
def test_a_program_that_tells_no_version_is_missing(tmp_path, body):
    fakes.write(tmp_path / "fake", body)
    with pytest.raises(Missing):
        fakes.clang(tmp_path)


def test_a_fake_takes_part_once_it_is_registered(tmp_path):
    class Module:
        TITLE, ANSWERS, HOW_TO_GET = "a fake", ("assemble",), "write it"

        @staticmethod
        def find(cache=None, fresh=False):
            return fakes.clang(tmp_path)

    witnesses.register("fake", Module)
    try:
        assert witnesses.get("fake").version == "99.1.0"
        assert witnesses.get("fake").revision == "0123456789abcdef"
        assert [state.here for state in witnesses.available(Cache(tmp_path)) if state.name == "fake"] == [True]
    finally:
        witnesses.unregister("fake")
    assert "fake" not in witnesses.names()


@pytest.mark.parametrize(
    "says, reason",
    [
        ("Debian LLVM version 14.0.6\\n  amdgcn - AMD", "14.0.6"),
        ("LLVM version 22.1.8\\n  x86 - X86", "without AMD"),
        ("nothing", "no version"),
    ],
)
def test_llvm_mc_of_another_kind_is_missing(tmp_path, says, reason):
    program = fakes.write(tmp_path / "llvm-mc-22", f'print("{says}")')
    with pytest.raises(Missing) as caught:
        llvm_mc.LlvmMc(str(program), Cache(tmp_path / "cache"))
    assert reason in caught.value.reason


# What llvm-mc 22.1.8 (Debian llvm-22) wrote for these 19 bytes with -disassemble -show-encoding on gfx1250.
DATA = bytes.fromhex("010071d00000007c00047c7c" + "ffffffff" + "010071")
LISTING = (
    "\ttensor_load_to_lds s[0:3], s[4:11]      "
    "; encoding: [0x01,0x00,0x71,0xd0,0x00,0x00,0x00,0x7c,0x00,0x04,0x7c,0x7c]"
)
WARNINGS = [
    "<stdin>:1:61: warning: invalid instruction encoding",
    "<stdin>:1:81: warning: invalid instruction encoding",
]


def recorded(tmp_path, warnings):
    body = f"""
    import sys
    if "--version" in sys.argv:
        print("Debian LLVM version 22.1.8\\n    amdgcn - AMD GCN GPUs")
        sys.exit(0)
    print({LISTING!r})
    sys.stderr.write({chr(10).join(warnings)!r} + "\\n")
    """
    return llvm_mc.LlvmMc(str(fakes.write(tmp_path / "llvm-mc-22", body)), Cache(tmp_path / "cache"))


def test_llvm_mc_listing_and_warnings_are_put_in_order(tmp_path):
    answers = recorded(tmp_path, WARNINGS).disassemble("gfx1250", DATA)
    assert [(item.outcome, item.bytes, item.text) for item in answers] == [
        ("accepted", DATA[:12], "tensor_load_to_lds s[0:3], s[4:11]"),
        ("rejected", DATA[12:16], ""),
        ("rejected", DATA[16:], ""),
    ]


def test_llvm_mc_listing_that_leaves_bytes_out_is_no_answer(tmp_path):
    answers = recorded(tmp_path, WARNINGS[1:]).disassemble("gfx1250", DATA)
    assert [item.outcome for item in answers] == ["accepted", "crashed"]
    assert answers[1].bytes == DATA[12:]


DECODED = [
    ("gfx1250", "010071d00000007c00047c7c", "tensor_load_to_lds s[0:3], s[4:11]"),
    ("gfx1250", "010071d00000007c00040c10", "tensor_load_to_lds s[0:3], s[4:11], s[12:15], s[16:19]"),
    ("gfx950", "0080f4dd00000000", "global_load_lds_dwordx4 v0, s[0:1]"),
    ("gfx942", "000081bf", "s_endpgm"),
]


def decoders():
    """The real decoders that are on this machine."""
    found = []
    for module in (llvm_mc, rocm):
        try:
            found.append(module.find())
        except Missing:
            continue
    return found


@pytest.mark.parametrize("name", ["llvm-mc", "rocm-llvm"])
def test_real_decoders(clang, name):
    """The bytes and texts are LLVM's own (its tests, llvm-mc 22.1.8); clang assembles each text back."""
    found = [item for item in decoders() if item.name == name]
    if not found:
        pytest.skip(f"{name} is not on this machine; `cdna witnesses` says how to get it")
    (decoder,) = found
    for target, data, text in DECODED:
        (item,) = decoder.disassemble(target, bytes.fromhex(data))
        assert (item.outcome, item.bytes.hex(), item.text) == ("accepted", data, text)
        (verdict,) = clang.confirm(target, [item], decoder.name)
        assert verdict.accepted is True
    outcomes = [item.outcome for item in decoder.disassemble("gfx942", bytes.fromhex("010071d0ff"))]
    assert "rejected" in outcomes and "accepted" not in outcomes
    assert [item.outcome for item in decoder.disassemble("gfx9999", bytes(4))] == ["unknown-target"]


def test_clang_refuses_a_text_that_has_other_bytes(clang):
    from cdna_evidence.witnesses.face import answer

    right, wrong = bytes.fromhex("000080bf"), bytes.fromhex("010080bf")
    verdicts = clang.confirm(
        "gfx942", [answer("accepted", "s_nop 0", right), answer("accepted", "s_nop 0", wrong)], "x"
    )
    assert [item.accepted for item in verdicts] == [True, False]
    assert "assembles to 00 00 80 bf" in verdicts[1].diagnostic
    # What no decoder could read stays as it was.
    unread = answer("rejected", "", b"\xff" * 4)
    assert clang.confirm("gfx942", [unread], "x") == [unread]


def test_the_worker_of_a_library_that_does_not_load(tmp_path):
    (tmp_path / "libLLVM.so").write_bytes(b"22.1.8 " + b"0" * 40 + b" not a library")
    witness = rocm.RocmLlvm(str(tmp_path / "libLLVM.so"), "fake 1", Cache(tmp_path / "cache"))
    assert (witness.version, witness.revision) == ("22.1.8", "0" * 40)
    (item,) = witness.disassemble("gfx950", bytes(4))
    assert item.outcome == "crashed" and item.bytes == bytes(4)
