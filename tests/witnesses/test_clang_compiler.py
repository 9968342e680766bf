# SPDX-License-Identifier: Apache-2.0
"""clang 22.1.8 as a compiler: limits found by search, and the ways in which exit status 0 is no acceptance."""

import subprocess
import sys

import pytest

from cdna_evidence.witnesses.clang import PAL

TENSOR = """declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
define amdgpu_ps void @k(<4 x i32> inreg %a, <8 x i32> inreg %b) {
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  ret void
}
"""
LDS = """@l = addrspace(3) global [%d x i8] poison
define amdgpu_kernel void @k() {
  store volatile i8 1, ptr addrspace(3) @l
  ret void
}
"""
DIRECT = """typedef __attribute__((address_space(1))) void *G;
typedef __attribute__((address_space(3))) void *L;
void k(G p, L l) { __builtin_amdgcn_global_load_lds(p, l, %d, 0, 0); }
"""
MFMA = """declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)
define <4 x float> @k(<4 x half> %a, <4 x half> %b, <4 x float> %c) {
  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(
    <4 x half> %a, <4 x half> %b, <4 x float> %c, i32 0, i32 0, i32 0)
  ret <4 x float> %d
}
"""


@pytest.mark.parametrize("target, limit", [("gfx942", 65536), ("gfx950", 163840), ("gfx1250", 327680)])
def test_largest_lds_found_by_search(clang, target, limit):
    """The limits were measured with llc 22.1.8; the search starts from 1 and 1 MiB and knows none of them."""
    low, high = 1, 1 << 20
    assert clang.compile_ir(target, LDS % low).outcome == "accepted"
    assert clang.compile_ir(target, LDS % high).outcome == "rejected"
    while high - low > 1:
        middle = (low + high) // 2
        outcome = clang.compile_ir(target, LDS % middle).outcome
        assert outcome in ("accepted", "rejected")
        low, high = (middle, high) if outcome == "accepted" else (low, middle)
    assert low == limit


def test_tensor_intrinsic(clang):
    result = clang.compile_ir("gfx1250", TENSOR, triple=PAL, expect=["tensor_load_to_lds"])
    assert result.outcome == "accepted" and result.accepted is True
    assert "tensor_load_to_lds s[0:3], s[4:11]" in result.assembly


def test_an_intrinsic_that_cannot_be_selected(clang):
    result = clang.compile_ir("gfx942", TENSOR, triple=PAL)
    assert result.outcome == "rejected" and result.assembly == ""
    assert "Cannot select" in result.diagnostic


def test_an_unknown_intrinsic_becomes_a_call_with_exit_status_0(clang):
    source = TENSOR.replace(".d2", ".d7")
    result = clang.compile_ir("gfx1250", source, triple=PAL)
    assert result.outcome == "rejected"
    assert "llvm.amdgcn.tensor.load.to.lds.d7" in result.diagnostic


def test_a_mnemonic_that_is_not_there(clang):
    result = clang.compile_ir("gfx1250", TENSOR, triple=PAL, expect=["tensor_load_to_lds", "tensor_store_from_lds"])
    assert result.outcome == "rejected" and "tensor_store_from_lds" in result.diagnostic
    # A mnemonic counts whole: a part of a longer name is not enough.
    assert clang.compile_ir("gfx1250", TENSOR, triple=PAL, expect=["tensor_load"]).outcome == "rejected"


@pytest.mark.parametrize("triple", ["amdgcn-amd-amdhsa", PAL, "amdgcn--"])
@pytest.mark.parametrize("source", [LDS % 16, LDS % 70000, TENSOR])
def test_an_unknown_processor(clang, triple, source):
    """Only some triples make the driver refuse; with the others a generic processor compiles, or refuses."""
    result = clang.compile_ir("gfx9999", source, triple=triple)
    assert result.outcome == "unknown-target" and result.accepted is None


def test_a_triple_without_an_operating_system(clang):
    result = clang.compile_ir("gfx950", LDS % 65537, triple="amdgcn--")
    assert result.outcome == "accepted" and ".AMDGPU.config" in result.assembly


@pytest.mark.parametrize(
    "size, marks", [(1, "YY-"), (2, "YY-"), (3, "---"), (4, "YY-"), (8, "---"), (12, "-Y-"), (16, "-Y-")]
)
def test_direct_to_lds_sizes(clang, size, marks):
    """The builtin's width gate as measured with clang 22.1.8."""
    got = [clang.compile_c(target, DIRECT % size) for target in ("gfx942", "gfx950", "gfx1250")]
    assert "".join("Y" if item.accepted else "-" for item in got) == marks
    assert {item.outcome for item in got} <= {"accepted", "rejected"}


def test_mir_out(clang):
    result = clang.compile_mir("gfx942", MFMA, expect=["V_MFMA_F32_16X16X16F16_vgprcd_e64"])
    assert result.outcome == "accepted" and "body:" in result.assembly
    assert clang.compile_mir("gfx942", MFMA, expect=["S_NOP_THAT_IS_NOT"]).outcome == "rejected"
    assert clang.compile_mir("gfx942", MFMA.replace("mfma", "mfnope")).outcome == "rejected"
    assert clang.compile_mir("gfx9999", MFMA, triple="amdgcn--").outcome == "unknown-target"


def test_source_that_does_not_parse(clang):
    assert clang.compile_ir("gfx950", "this is no IR").outcome == "rejected"
    result = clang.compile_c("gfx950", "int f(void) { return undeclared; }")
    assert result.outcome == "rejected" and "undeclared" in result.diagnostic


def test_diagnostics_hold_no_path_of_this_machine(clang):
    for result in (clang.compile_ir("gfx942", TENSOR, triple=PAL), clang.compile_c("gfx950", '#include "no.h"\n')):
        assert "site-packages" not in result.diagnostic and "InstalledDir" not in result.diagnostic


@pytest.mark.parametrize("source", [TENSOR, TENSOR + "; \\n %d 'quoted' \t $x `y`\n"])
def test_the_command_repeats_a_compilation(clang, source):
    result = clang.compile_ir("gfx1250", source, triple=PAL)
    line = result.command.replace("python -m", sys.executable + " -m", 1)
    ran = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=600)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == result.assembly
    assert "\n" not in result.command
