# SPDX-License-Identifier: Apache-2.0
"""llvmlite behind its worker: real inputs that end the process, and what becomes of the questions around them."""

import os
import subprocess
import sys
import time

import fakes
import pytest

from cdna_evidence.witnesses import elf, get, llvmlite, served, worker
from cdna_evidence.witnesses.cache import Cache
from cdna_evidence.witnesses.isolation import MEMORY, OUTPUT

STORE = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"
TENSOR = (
    "declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)\n"
    "define amdgpu_kernel void @k(<4 x i32> %a, <8 x i32> %b) {\n"
    "  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)\n  ret void\n}\n"
)
UNKNOWN = (
    "declare void @llvm.amdgcn.no.such.thing(i32)\n"
    "define amdgpu_kernel void @k() {\n  call void @llvm.amdgcn.no.such.thing(i32 0)\n  ret void\n}\n"
)


def lds(size):
    return (
        f"@a = internal addrspace(3) global [{size} x i8] poison\n"
        "define amdgpu_kernel void @k() {\n  store volatile i8 1, ptr addrspace(3) @a\n  ret void\n}\n"
    )


@pytest.fixture(scope="module")
def lite(tmp_path_factory):
    """The llvmlite of the locked requirements, with a cache of its own."""
    return get("llvmlite", cache=Cache(tmp_path_factory.mktemp("cache")))


def test_it_tells_what_it_is(lite):
    assert lite.version == "22.1.0" and lite.package == "llvmlite 0.50.0"
    assert len(lite.digest) == 64


@pytest.mark.parametrize(("target", "limit"), [("gfx942", 65536), ("gfx950", 163840), ("gfx1250", 327680)])
def test_one_byte_of_lds_too_many_is_refused(lite, target, limit):
    fits, over = lite.compile_many(target, [lds(limit), lds(limit + 1)])
    assert fits.outcome == "accepted"
    assert over.outcome == "rejected" and f"({limit + 1}) exceeds limit ({limit})" in over.diagnostic


def test_an_intrinsic_that_the_target_lacks_ends_the_process_and_nothing_else(lite):
    first, lacking, last = lite.compile_many("gfx950", [STORE, TENSOR, STORE.replace("i32 1", "i32 2")])
    assert lacking.outcome == "crashed" and "signal 6" in lacking.diagnostic and "Cannot select" in lacking.diagnostic
    assert [first.outcome, last.outcome] == ["accepted", "accepted"]
    assert lite.compile_ir("gfx1250", TENSOR, expect=["tensor_load_to_lds"]).outcome == "accepted"


def test_an_unknown_processor_that_only_warns_is_no_answer(lite):
    """LLVM goes on with a generic processor: it accepts, refuses 40000 bytes of LDS, or aborts on a global store."""
    for source in ("define void @f() {\n  ret void\n}\n", lds(40), lds(40000), STORE, STORE):
        found = lite.compile_ir("gfx9999", source)
        assert found.outcome == "unknown-target" and found.accepted is None
    assert lite.compile_object("gfx9999", "define void @f() {\n  ret void\n}\n").outcome == "unknown-target"
    assert lite.compile_mir("gfx9999", "define void @f() {\n  ret void\n}\n").outcome == "unknown-target"


def test_an_unknown_intrinsic_that_becomes_a_call_is_refused(lite):
    found = lite.compile_ir("gfx950", UNKNOWN)
    assert found.outcome == "rejected" and "became a call" in found.diagnostic


def test_a_mnemonic_that_is_expected_and_absent_is_refused(lite):
    assert lite.compile_ir("gfx950", STORE, expect=["global_store_dword"]).outcome == "accepted"
    assert lite.compile_ir("gfx950", STORE, expect=["tensor_load_to_lds"]).outcome == "rejected"


def test_text_that_is_no_ir_is_refused_and_the_worker_stays(lite):
    lite.compile_ir("gfx950", STORE, opt=1)
    before = worker_of(lite).pid
    assert lite.compile_ir("gfx950", "no IR").outcome == "rejected"
    assert worker_of(lite).pid == before


def worker_of(lite, *extra):
    return served._worker((*lite._argv, *extra), lite._limits, 0)


def test_a_batch_with_fatal_members_answers_the_others(lite):
    """Forty kernels on two workers, every seventh fatal."""
    sources = [lds(163841 + i) if i % 7 == 0 else STORE.replace("i32 1", f"i32 {i}") for i in range(40)]
    found = lite.compile_many("gfx950", sources)
    assert [item.outcome for item in found] == ["rejected" if i % 7 == 0 else "accepted" for i in range(40)]
    for i, item in enumerate(found):
        if i % 7:
            assert f"0x{i:x}" in item.assembly or f" {i}\n" in item.assembly


def test_options_hold_for_a_process_and_are_part_of_the_key(lite):
    """The same module with and without an option: two workers, two answers, neither mixed up by the cache."""
    plain = lite.compile_ir("gfx942", STORE)
    stopped = lite.compile_mir("gfx942", STORE)
    assert "body: " in stopped.assembly and "body: " not in plain.assembly
    assert lite.compile_ir("gfx942", STORE)._replace(kept=False) == plain._replace(kept=False)
    assert lite.compile_mir("gfx942", STORE).kept is True
    assert worker_of(lite).pid != worker_of(lite, "-stop-after=post-RA-hazard-rec").pid


def test_flags_of_objects_are_those_that_clang_writes(lite, clang):
    for target in ("gfx942", "gfx950", "gfx1250"):
        ours, theirs = lite.compile_object(target, STORE), clang.compile_object(target, STORE)
        assert elf.read(ours.data).flags == elf.read(theirs.data).flags != 0


def test_answers_are_kept_also_failures(lite):
    for source in (STORE, lds(163842), TENSOR, UNKNOWN):
        first = lite.compile_ir("gfx950", source)
        again = lite.compile_ir("gfx950", source)
        assert again.kept is True and again == first._replace(kept=True)


def test_a_worker_that_is_killed_is_replaced(lite):
    fresh = llvmlite.Llvmlite(lite.library, lite.package, Cache(lite.cache.folder, fresh=True), lite._argv)
    assert fresh.compile_ir("gfx950", STORE).outcome == "accepted"
    pid = worker_of(fresh).pid
    os.kill(pid, 9)
    assert fakes.gone(pid)
    assert fresh.compile_ir("gfx950", STORE).outcome == "accepted"
    assert worker_of(fresh).pid not in (None, pid)


PARENT = """
import sys, time
from cdna_evidence.witnesses import get, served
from cdna_evidence.witnesses.cache import Cache
lite = get("llvmlite", cache=Cache(sys.argv[1]))
source = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {{ store i32 {}, ptr addrspace(1) %p ret void }}"
lite.compile_ir("gfx950", source.format(1))
print(served._worker(tuple(lite._argv), lite._limits, 0).pid, flush=True)
lite.compile_many("gfx950", [source.format(number) for number in range(2, 30)])
print("first batch", flush=True)
lite.compile_many("gfx950", [source.format(number) for number in range(30, 3000)])
"""


def test_kill_9_loses_no_answer_that_was_given_and_leaves_nothing(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE)
    try:
        pid = int(process.stdout.readline())
        assert process.stdout.readline() == b"first batch\n"
        # The version, the digest, 29 answers, and some of the batch that will be cut.
        deadline = time.monotonic() + 600
        while len(list(tmp_path.rglob("*.json"))) < 40 and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert fakes.gone(pid)
    lite = get("llvmlite", cache=Cache(tmp_path))
    source = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {{ store i32 {}, ptr addrspace(1) %p ret void }}"
    found = lite.compile_many("gfx950", [source.format(number) for number in range(1, 60)])
    assert all(item.outcome == "accepted" for item in found)
    # Everything before the batch that was cut; of that one all but what was in flight on each of two workers.
    assert all(item.kept for item in found[:29])
    assert sum(item.kept for item in found) >= 40 - 2 - 2
    assert len(list(tmp_path.rglob("*.json"))) < 2500, "the batch was not cut, so the test shows nothing"


FAKE = """
    import json, os, sys, time
    print(json.dumps({{"llvm": "99.1.0"}}), flush=True)
    for line in sys.stdin:
        source = json.loads(line)["source"]
        if "hang" in source:
            with open({hangs!r}, "a") as stream:
                stream.write("x")
            print(" ", end="", flush=True)
            time.sleep(600)
        if "flood" in source:
            while True:
                os.write(1, b"y" * 65536)
        if "eat" in source:
            held = [bytearray(1 << 24) for _ in range(1 << 14)]
        if "quit" in source:
            sys.exit(3)
        if "mute" in source:
            os.close(1)
            time.sleep(600)
        if "prose" in source:
            print("this is no JSON", flush=True)
            continue
        print(json.dumps({{"text": '.amdgcn_target "amdgcn-amd-amdhsa--gfx950"'}}), flush=True)
"""


@pytest.mark.parametrize(
    ("word", "outcome"),
    [
        ("hang", "timeout"),
        ("flood", "flooded"),
        ("eat", "crashed"),
        ("quit", "crashed"),
        ("mute", "timeout"),
        ("prose", "crashed"),
    ],
)
def test_a_bad_library_is_an_outcome_of_one_question(tmp_path, monkeypatch, hasty, word, outcome):
    if word == "mute":
        monkeypatch.setattr(worker, "LEAVES", 0.1)
    program = fakes.write(tmp_path / "fake", FAKE.format(hangs=str(tmp_path / "count.hangs")))
    bad = llvmlite.Llvmlite(
        str(program),
        "fake 1",
        Cache(tmp_path / "cache"),
        [str(program)],
        seconds=600.0,
        memory=1 << 28,
        output=1 << 20,
    )
    found = bad.compile_many("gfx950", ["good 1", word, "good 2"])
    assert [item.outcome for item in found] == ["accepted", outcome, "accepted"]
    again = bad.compile_ir("gfx950", word)
    # A time-out says something about this machine now, so it is not kept.
    assert again.kept is (outcome != "timeout")


def test_the_command_repeats_the_answer(lite):
    found = lite.compile_ir("gfx950", STORE)
    environment = dict(os.environ, PATH=os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    done = subprocess.run(["sh", "-c", found.command], capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0 and done.stdout == found.assembly
    over = lite.compile_ir("gfx950", lds(163841))
    done = subprocess.run(["sh", "-c", over.command], capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 1 and "exceeds limit (163840)" in done.stderr


def test_limits_of_the_witness_are_those_of_every_other(lite):
    assert lite._limits[1:] == (MEMORY, OUTPUT)
