# SPDX-License-Identifier: Apache-2.0
"""What is read from the IR of transposed reads: made texts, and the program itself where it is here."""

import pytest

from cdna_evidence import witnesses
from cdna_evidence.witnesses import Missing, lane_ir, triton_tr

START = "define amdgpu_kernel void @kernel() {\n  %1 = tail call i32 @llvm.amdgcn.workitem.id.x(), !dbg !9\n"
MADE = (
    START
    + """  %2 = shl nuw nsw i32 %1, 3
  %3 = xor i32 %2, 8
  %4 = getelementptr inbounds nuw i8, ptr addrspace(3) @global_smem, i32 %3, !dbg !9
  %5 = tail call <2 x i32> @llvm.amdgcn.ds.load.tr8.b64.v2i32(ptr addrspace(3) nonnull %4), !dbg !9
  %6 = bitcast <2 x i32> %5 to <8 x i8>, !dbg !9
  %7 = zext nneg i32 %1 to i64
  %8 = getelementptr [2 x i8], ptr addrspace(1) inttoptr (i64 65536 to ptr addrspace(1)), i64 %7
  %9 = shufflevector <8 x i8> %6, <8 x i8> poison, <2 x i32> <i32 7, i32 0>
  store <2 x i8> %9, ptr addrspace(1) %8, align 2, !dbg !9
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x() #1
"""
)


def test_addresses_and_stores_of_a_lane_are_followed():
    loads, stores = lane_ir.follow(MADE, 5)
    assert loads == (("tr8.b64", 5 * 8 ^ 8),)
    assert stores == {65536 + 10: (0, 7), 65536 + 11: (0, 0)}


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("%3 = xor i32 %2, 8", "%3 = load i32, ptr %0", "%3"),
        ("  ret void", "  br label %10\n", "branch"),
        ("%9 = shuffle", "%9 = other", "not from a transposing load"),
        ("store <2 x i8> %9", "store <2 x i8> splat (i8 1)", "store of another form"),
        ("%6 = bitcast <2 x i32> %5", "%6 = fptosi <2 x float> %5", "not from a transposing load"),
    ],
)
def test_what_is_not_followed_is_said(old, new, message):
    assert old in MADE
    with pytest.raises(lane_ir.Unreadable, match=message):
        lane_ir.follow(MADE.replace(old, new), 5)


def test_a_kernel_that_stores_too_little_gives_no_map():
    with pytest.raises(ValueError, match="not stored"):
        triton_tr.lane_map(MADE, "gfx1250", "b8")
    with pytest.raises(ValueError, match="no transposing load"):
        triton_tr.lane_map(START + "  ret void\n}\n", "gfx1250", "b8")
    same = MADE.replace("shl nuw nsw i32 %1, 3", "and i32 %1, 0")
    with pytest.raises(ValueError, match="same element"):
        triton_tr.lane_map(same, "gfx1250", "b8")


@pytest.mark.parametrize(
    "target, name, opcode, lane, sources",
    [
        # rocm-systems#10175: source lane (l & ~15 | l >> 2 & 3) + 4 * n.
        ("gfx950", "b16", "tr16.b64", 17, [16, 20, 24, 28]),
        # AMD's article on the LDS of MI450: figures 1a and 1b.
        ("gfx1250", "b16", "tr16.b128", 8, [8, 9, 10, 11, 12, 13, 14, 15]),
        ("gfx1250", "b8", "tr8.b64", 7, [0, 1, 2, 3, 8, 9, 10, 11]),
        # TensileLite: lanes 0 to 7 and 16 to 23 read the K that lane 0 holds.
        ("gfx1250", "b4", "tr4.b64", 0, [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]),
    ],
)
def test_the_program_s_own_answer(target, name, opcode, lane, sources):
    try:
        program = witnesses.get("triton-tr")
    except Missing as missing:
        assert "triton" in missing.how_to_get
        return
    moved = program.moved(target, name)
    assert (moved.outcome, moved.opcode, moved.diagnostic) == ("accepted", opcode, "")
    assert [source for source, _ in moved.receives[lane]] == sources and "triton_worker" in moved.command
    with pytest.raises(KeyError):
        program.moved(target, "b6")
