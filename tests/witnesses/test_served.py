# SPDX-License-Identifier: Apache-2.0
"""The LLVM libraries that also assemble: AMD's own and Triton's; each judged by what the clang wheel says."""

import pytest

from cdna_evidence.witnesses import Missing, get, triton_llvm
from cdna_evidence.witnesses.cache import Cache
from cdna_evidence.witnesses.face import TOLD

LINES = [
    "v_mov_b32 v0, v1",
    "tensor_load_to_lds s[0:3], s[4:11]",
    "v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]",
    "global_load_lds_dwordx4 v[0:1], off",
    "s_waitcnt vmcnt(0)",
    "v_foo v0",
]


@pytest.fixture(scope="module", params=["rocm-llvm-c", "triton-llvm"])
def library(request, tmp_path_factory):
    """AMD's LLVM is in the locked requirements; Triton is an extra, 1 GB."""
    try:
        return get(request.param, cache=Cache(tmp_path_factory.mktemp("cache")))
    except Missing as missing:
        if request.param == "rocm-llvm-c":
            raise
        pytest.skip(str(missing))


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
def test_acceptance_and_bytes_are_those_of_clang(library, clang, target):
    ours, theirs = library.assemble(target, LINES), clang.assemble(target, LINES)
    assert [(item.outcome, item.bytes) for item in ours] == [(item.outcome, item.bytes) for item in theirs]
    assert {item.outcome for item in ours} == set(TOLD)


def test_one_byte_of_lds_too_many_is_refused_although_the_library_goes_on(library):
    source = (
        "@a = internal addrspace(3) global [{} x i8] poison\n"
        "define amdgpu_kernel void @k() {{\n  store volatile i8 1, ptr addrspace(3) @a\n  ret void\n}}\n"
    )
    assert library.compile_ir("gfx950", source.format(163840)).outcome == "accepted"
    over = library.compile_ir("gfx950", source.format(163841))
    assert over.outcome == "rejected" and "exceeds limit (163840)" in over.diagnostic


def test_an_unknown_processor_is_no_answer(library):
    assert library.assemble("gfx9999", ["s_nop 0"])[0].outcome == "unknown-target"
    assert library.compile_ir("gfx9999", "define void @f() {\n  ret void\n}\n").outcome == "unknown-target"


def test_an_unknown_intrinsic_that_becomes_a_call_is_refused(library):
    source = (
        "declare void @llvm.amdgcn.no.such.thing(i32)\n"
        "define amdgpu_kernel void @k() {\n  call void @llvm.amdgcn.no.such.thing(i32 0)\n  ret void\n}\n"
    )
    found = library.compile_ir("gfx950", source)
    assert found.outcome == "rejected" and "became a call" in found.diagnostic


def test_the_version_is_one_that_the_library_names(library):
    known = {"rocm-llvm-c": ("23.0.0git", "8f497e0992fb"), "triton-llvm": ("24.0.0git", "6bc4aaf6641c")}
    version, revision = known[library.name]
    assert library.version == version and library.revision.startswith(revision)


def test_a_folder_without_the_wheel_is_told(tmp_path):
    with pytest.raises(Missing, match="not installed"):
        triton_llvm.in_folder(tmp_path, Cache(tmp_path))
