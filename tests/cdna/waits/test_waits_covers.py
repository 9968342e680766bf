# SPDX-License-Identifier: Apache-2.0
"""Which wait covers an instruction: asked of the model, and of clang, which assembles the names and writes the waits."""

import pytest
import wait_ir
import wait_kernels

from cdna.waits.counters import decode_operand, split_wait
from cdna.waits.covers import covers
from cdna.waits.program import read
from cdna.waits.state import wait_of
from cdna_evidence.register import load

TARGETS = ("gfx942", "gfx950", "gfx1250")
# Instructions of every family, in the spellings of both generations; clang says which target takes which.
SPELLINGS = """
ds_read_b128 v[0:3], v4
ds_load_b128 v[0:3], v4
ds_write_b32 v0, v1
ds_store_b32 v0, v1
ds_add_u32 v0, v1
ds_add_rtn_u32 v0, v1, v2
ds_append v0
ds_bpermute_b32 v0, v1, v2
ds_read_b64_tr_b16 v[0:1], v2
ds_read_b96_tr_b6 v[0:2], v4
ds_load_tr16_b128 v[0:3], v4
ds_atomic_async_barrier_arrive_b64 v0
global_load_dword v0, v[2:3], off
global_load_b32 v0, v[2:3], off
global_load_ubyte v0, v[2:3], off
global_load_u8 v0, v[2:3], off
global_load_tr16_b128 v[0:3], v[4:5], off
global_store_dword v[2:3], v0, off
global_store_b32 v[2:3], v0, off
global_atomic_add v[2:3], v0, off
global_atomic_add v4, v[2:3], v0, off sc0
global_atomic_add_u32 v[2:3], v0, off
global_atomic_add_u32 v4, v[2:3], v0, off th:TH_ATOMIC_RETURN
global_atomic_add_f32 v[2:3], v0, off
flat_load_dword v0, v[2:3]
flat_load_b32 v0, v[2:3]
flat_atomic_add_u32 v[2:3], v0
scratch_load_dword v0, v1, off
scratch_load_b32 v0, v1, off
scratch_store_b32 v1, v0, off
buffer_load_b32 v0, v1, s[0:3], null offen
buffer_load_dword v0, s[0:3], 0 offen lds
buffer_load_dwordx4 v0, s[0:3], 0 offen lds
global_load_lds_dword v[0:1], off
global_load_lds_dwordx4 v[0:1], off
global_load_async_to_lds_b128 v0, v[2:3], off
global_store_async_from_lds_b32 v[2:3], v0, off
cluster_load_b128 v[0:3], v[4:5], off
cluster_load_async_to_lds_b32 v0, v[2:3], off
tensor_load_to_lds s[0:3], s[4:11]
tensor_store_from_lds s[0:3], s[4:11]
s_load_dwordx2 s[4:5], s[0:1], 0x0
s_load_b64 s[4:5], s[0:1], 0x0
s_load_u8 s4, s[0:1], 0x0
s_buffer_load_b32 s4, s[0:3], 0x0
s_store_dword s4, s[0:1], 0x0
s_atomic_add s4, s[0:1], 0x0
s_memtime s[4:5]
s_dcache_inv
s_prefetch_data s[0:1], 0x0, s2, 0
buffer_wbl2 sc1
buffer_inv sc1
global_inv scope:SCOPE_SYS
global_wb scope:SCOPE_SYS
global_prefetch_b8 v[0:1], off
s_sendmsg sendmsg(MSG_INTERRUPT)
s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_REALTIME)
s_barrier
s_barrier_signal_isfirst -1
s_get_barrier_state s4, -1
s_waitcnt vmcnt(0)
s_wait_asynccnt 0x0
v_mfma_f32_4x4x1f32 a[0:3], v1, v2, a[0:3]
v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[16:23], v[64:71]
v_add_f32 v0, v1, v2
""".strip().split("\n")


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_assembler_refuses_is_said_to_be_missing(clang, target):
    answers = clang.assemble(target, SPELLINGS)
    taken = {text: answer.accepted for text, answer in zip(SPELLINGS, answers, strict=True)}
    assert 10 < sum(taken.values()) < len(SPELLINGS)
    assert {text: not covers(text, target).missing for text in SPELLINGS} == taken


def waits_before(assembly, target, reader, producer):
    """The counters that a compiler waits for at zero between the last of some producers and the first reader behind it."""
    program = read(assembly, 64)
    items = program.instructions
    first = max(item.index for item in items if item.mnemonic == producer)
    last = next(item.index for item in items if item.index > first and reader(item))
    found = [wait_of(item, target, program.symbols) for item in items[first + 1 : last]]
    return {name for wait in found if wait for name, count in wait.counts if count == 0 and name not in wait.free}


# A function has its arguments in registers: between the load and the return stands no wait but the one for the load.
HEAD = "define i32 @k(ptr addrspace(1) %g, ptr addrspace(3) %l, ptr %f, i32 %n) {\n"
LOADS = {
    "global": " %v = load i32, ptr addrspace(1) %g\n",
    "flat": " %v = load i32, ptr %f\n",
    "lds": " %v = load i32, ptr addrspace(3) %l\n",
    "atomic": ' %v = atomicrmw add ptr addrspace(1) %g, i32 %n syncscope("agent") monotonic\n',
    "scratch": " %z = alloca [64 x i32], addrspace(5)\n %y = getelementptr i32, ptr addrspace(5) %z, i32 %n\n"
    " store volatile i32 %n, ptr addrspace(5) %y\n %v = load volatile i32, ptr addrspace(5) %y\n",
}
HEADS = {
    "global": ("global_load",),
    "flat": ("flat_load",),
    "lds": ("ds_load", "ds_read"),
    "atomic": ("global_atomic",),
    "scratch": ("scratch_load", "buffer_load"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sorted(LOADS))
def test_the_wait_is_the_one_that_clang_writes(clang, name, target):
    done = clang.compile_ir(target, HEAD + LOADS[name] + " ret i32 %v\n}\n", opt=2)
    assert done.accepted, done.diagnostic
    loads = [item for item in read(done.assembly, 64).instructions if item.mnemonic.startswith(HEADS[name])]
    one = covers(loads[-1].text, target)
    assert one.when == "use"
    wanted = waits_before(done.assembly, target, lambda item: item.mnemonic.startswith("s_set"), loads[-1].mnemonic)
    assert {item["counter"] for item in one.counters} == wanted


@pytest.mark.parametrize("target", TARGETS)
def test_a_scalar_load_too(clang, target):
    done = clang.compile_c(target, wait_kernels.PRELUDE + "KERNEL k(cint *c, gint *q) { q[TID] = c[7]; }")
    assert done.accepted, done.diagnostic
    (load,) = [item for item in read(done.assembly, 64).instructions if item.text.endswith(", 0x1c")]
    one = covers(load.text, target)
    found = waits_before(done.assembly, target, lambda item: "_store" in item.mnemonic, load.mnemonic)
    assert {item["counter"] for item in one.counters} == found - {"xcnt"}
    assert [item["in_order"] for item in one.counters] == [False]


@pytest.mark.parametrize("target", TARGETS)
def test_a_store_waits_at_the_release_fence(clang, target):
    fenced = wait_ir.SYNC.replace('"workgroup"', '"agent"')
    source = wait_ir.HEAD + " store i32 %n, ptr addrspace(1) %g\n" + fenced + " ret void\n}\n"
    done = clang.compile_ir(target, source, opt=2)
    assert done.accepted, done.diagnostic
    store = next(item for item in read(done.assembly, 64).instructions if item.mnemonic.startswith("global_store"))
    one = covers(store.text, target)
    assert one.when == "fence"
    found = waits_before(done.assembly, target, lambda item: item.mnemonic.startswith("s_barrier"), store.mnemonic)
    assert {item["counter"] for item in one.counters} <= found


@pytest.mark.parametrize("target", ("gfx942", "gfx950"))
def test_a_copy_to_lds_gets_the_compilers_wait(clang, target):
    done = clang.compile_ir(target, wait_kernels.IR["copy_to_lds"][1], opt=3)
    assert done.accepted, done.diagnostic
    copy = next(item for item in read(done.assembly, 64).instructions if "_load_lds_" in item.mnemonic)
    one = covers(copy.text, target)
    found = waits_before(done.assembly, target, lambda item: item.mnemonic.startswith("ds_read"), copy.mnemonic)
    assert [item["counter"] for item in one.counters] == ["vmcnt"]
    assert "vmcnt" in found
    assert one.when == "read"


@pytest.mark.parametrize("name", sorted(wait_ir.UNWAITED))
def test_what_the_compiler_leaves_to_the_source_is_said_so(clang, name):
    source, counter = wait_ir.UNWAITED[name]
    done = clang.compile_ir("gfx1250", source, opt=3)
    assert done.accepted, done.diagnostic
    copy = next(item for item in read(done.assembly, 32).instructions if "_to_lds" in item.mnemonic)
    found = waits_before(done.assembly, "gfx1250", lambda item: item.mnemonic.startswith("ds_load"), copy.mnemonic)
    one = covers(copy.text, "gfx1250")
    assert [item["counter"] for item in one.counters] == [counter]
    assert counter not in found
    assert one.when == "never"


@pytest.mark.parametrize("target", TARGETS)
def test_the_wait_assembles_and_waits_for_nothing_else(clang, target):
    waits = sorted({item["wait"] for text in SPELLINGS for item in covers(text, target).counters})
    assert all(answer.accepted for answer in clang.assemble(target, waits))
    for text in SPELLINGS:
        for item in covers(text, target).counters:
            program = read(item["wait"], 64)
            wait = wait_of(program.instructions[0], target, program.symbols)
            assert [name for name, count in wait.counts if name not in wait.free] == [item["counter"]]
            assert dict(wait.counts)[item["counter"]] == 0


# What LLVM guards and what not, as WAIT-072, WAIT-074 and WAIT-082 have it; the manual of WAIT-085.
@pytest.mark.parametrize(
    ("text", "kind", "registers", "guarded", "in_front"),
    [
        ("global_load_b32 v0, v2, s[4:5]", "vector", {"v2", "s4", "s5", "exec_lo"}, True, None),
        ("global_store_b32 v[2:3], v7, off", "vector", {"v2", "v3", "v7", "exec_lo"}, True, None),
        ("s_load_b64 s[4:5], s[8:9], 0x0", "scalar", {"s8", "s9"}, True, None),
        ("global_atomic_add_u32 v[2:3], v7, off", "vector", {"v2", "v3", "v7", "exec_lo"}, True, "s_wait_xcnt 0x0"),
        ("cluster_load_b32 v0, v[2:3], off", "vector", {"v2", "v3", "m0", "exec_lo"}, True, None),
        ("global_load_async_to_lds_b32 v0, v[2:3], off", "vector", {"v0", "v2", "v3", "exec_lo"}, False, None),
        ("ds_load_b32 v0, v1", None, set(), None, None),
        ("tensor_load_to_lds s[0:3], s[4:11]", None, set(), None, None),
        ("s_prefetch_data s[0:1], 0x0, s2, 0", None, set(), None, "s_wait_xcnt 0x0"),
        ("s_sleep 0x8000", None, set(), None, "s_wait_xcnt 0x0"),
        ("s_sleep 0x4", None, set(), None, None),
    ],
)
def test_registers_of_an_address(text, kind, registers, guarded, in_front):
    xcnt = covers(text, "gfx1250").xcnt
    assert (xcnt["kind"], set(xcnt["before_overwriting"]), xcnt["compiler_waits"]) == (kind, registers, guarded)
    assert xcnt["wait_in_front"] == in_front
    assert xcnt["wait"] == ("s_wait_xcnt 0x0" if kind else None)


@pytest.mark.parametrize("name", ["global_load_asynk_to_lds_b128", "ds_laod_b32", "global_lod_b32"])
def test_a_misspelt_memory_instruction_is_not_known(name):
    assert covers(name, "gfx1250") is None


def test_the_older_targets_have_no_translation_counter():
    assert covers("global_load_dword v0, v[2:3], off", "gfx950").xcnt is None


@pytest.mark.parametrize("target", TARGETS)
def test_every_claim_is_one_of_the_target(target):
    claims = load().claims
    for text in SPELLINGS:
        one = covers(text, target)
        assert one.missing or one.claims or not one.counters
        for name in one.claims:
            assert target in claims[name].targets, (text, name)


@pytest.mark.parametrize(
    ("bare", "whole", "target"),
    [
        ("global_load_async_to_lds_b128", "global_load_async_to_lds_b128 v0, v[2:3], off", "gfx1250"),
        ("ds_read_b128", "ds_read_b128 v[0:3], v4", "gfx942"),
        ("buffer_load_dwordx4 lds", "buffer_load_dwordx4 v0, s[0:3], 0 offen lds", "gfx950"),
        (
            "global_atomic_add_u32 th:TH_ATOMIC_RETURN",
            "global_atomic_add_u32 v4, v[2:3], v0, off th:TH_ATOMIC_RETURN",
            "gfx1250",
        ),
        ("global_atomic_add sc0", "global_atomic_add v4, v[2:3], v0, off sc0", "gfx942"),
        ("s_load_b64", "s_load_b64 s[4:5], s[0:1], 0x0", "gfx1250"),
    ],
)
def test_a_name_alone_is_answered_as_the_whole(bare, whole, target):
    one, other = covers(bare, target), covers(whole, target)
    assert (one.counters, one.when, one.what) == (other.counters, other.when, other.what)
    assert one.counters


def test_orders_of_a_shared_or_split_counter():
    order = {text: [item["in_order"] for item in covers(text, "gfx950").counters] for text in SPELLINGS}
    assert order["flat_load_dword v0, v[2:3]"] == [False, False]  # it may come back on either road
    assert order["global_load_dword v0, v[2:3], off"] == [True]
    assert {item["counter"] for item in covers("flat_load_b32 v0, v[2:3]", "gfx1250").counters} == {"loadcnt", "dscnt"}


@pytest.mark.parametrize(
    "text", ["v_foo v0", "frobnicate", "v[0:3],", "", "ds_foo v0", "global_foo v0", "v_nop\nv_nop"]
)
def test_what_is_not_known_is_not_answered(text):
    assert covers(text, "gfx950") is None


def test_the_operand_of_a_wait_is_what_the_codec_says():
    assert decode_operand(0x0F70, "gfx942").text == covers("global_load_dword", "gfx942").counters[0]["wait"]
    assert (
        split_wait("s_wait_asynccnt", 0, "gfx1250").text
        == covers("global_load_async_to_lds_b8", "gfx1250").counters[0]["wait"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "global_load_async_lds_b128 v0, v[2:3], off",
        "global_load_async_to_lds_b96 v0, v[2:3], off",
        "global_load_async_to_lds_b16 v0, v[2:3], off",
        "buffer_load_async_to_lds_b32 v0, v1, s[0:3], null offen",
        "flat_store_async_from_lds_b32 v[0:1], v2",
        "cluster_load_b96 v[0:2], v[4:5], off",
    ],
)
def test_a_copy_that_clang_refuses_is_not_answered(clang, text):
    (answer,) = clang.assemble("gfx1250", [text])
    assert answer.accepted is False
    assert covers(text, "gfx1250") is None
    assert covers(text.split()[0], "gfx1250") is None


def test_the_builtin_without_its_width_is_a_copy():
    for name in ("global_load_lds", "buffer_load_lds"):
        assert covers(name, "gfx950").what == covers("global_load_lds_dword", "gfx950").what
