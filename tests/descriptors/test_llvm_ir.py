# SPDX-License-Identifier: Apache-2.0
"""Reading descriptor words out of LLVM IR: the forms that compilers print, and text that is wrong on purpose."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cdna_evidence.descriptors import Unreadable
from cdna_evidence.descriptors.llvm_ir import cluster_of_ir, descriptors_of_ir, is_llvm_ir

PLAIN = (
    "call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> <i32 1, i32 0, i32 305550976, i32 -2147451136>, "
    "<8 x i32> <i32 118554624, i32 28573696, i32 57147392, i32 4194304, i32 64, i32 512, i32 0, i32 0>, i32 0)"
)
WORDS = (1, 0, 0x12365680, 0x80007F00, 0x07110000, 0x01B40000, 0x03680000, 0x00400000, 0x40, 0x200, 0, 0)
# As Triton 3.9.0 prints it: an LDS symbol inside, taken apart and put together as 64-bit halves.
NESTED = """
@global_smem = external addrspace(3) global [0 x i8], align 16
define amdgpu_kernel void @k0(ptr addrspace(1) %0) #0 {
  %8 = lshr exact i32 ptrtoint (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) @global_smem, i32 9200) to i32), 3
  %9 = and i32 %8, 65534
  %10 = or disjoint i32 %9, 28573696
  %11 = insertelement <8 x i32> <i32 118816768, i32 poison, i32 57147392, i32 4194304, i32 64, i32 512, i32 1, i32 0>, i32 %10, i64 1
  tail call void @llvm.amdgcn.tensor.load.to.lds(<4 x i32> bitcast (<2 x i64> <i64 extractelement (<2 x i64> bitcast (<4 x i32> <i32 1, i32 ptrtoint (ptr addrspace(3) @global_smem to i32), i32 305550976, i32 -2147451136> to <2 x i64>), i32 0), i64 extractelement (<2 x i64> bitcast (<4 x i32> <i32 1, i32 ptrtoint (ptr addrspace(3) @global_smem to i32), i32 305550976, i32 -2147451136> to <2 x i64>), i32 1)> to <4 x i32>), <8 x i32> %11, <4 x i32> zeroinitializer, <4 x i32> splat (i32 7), <8 x i32> zeroinitializer, i32 0), !dbg !9
  ret void
}
declare void @llvm.amdgcn.tensor.load.to.lds(<4 x i32>, <8 x i32>, <4 x i32>, <4 x i32>, <8 x i32>, i32 immarg) #1
attributes #0 = { "amdgpu-cluster-dims"="2,2,1" }
"""


def only(text):
    """The words and the direction of the only descriptor of a text."""
    (found,) = descriptors_of_ir(text)
    return found.words, found.op


def operand(value, before=""):
    """The words of group 0 where it is written as `value`, after some lines."""
    rest = "<8 x i32> zeroinitializer, i32 0)"
    call = f"call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> {value}, {rest}"
    return only(f"{before}\n{call}")[0][:4]


def test_constant_vectors():
    assert only(PLAIN) == (WORDS, "load")
    assert only(PLAIN.replace("load.to", "store.from")) == (WORDS, "store")
    assert descriptors_of_ir(PLAIN + "\n" + PLAIN)[1].name == "line 2"


def test_what_triton_prints():
    (found,) = descriptors_of_ir(NESTED)
    expected = list(WORDS) + [0] * 4 + [7] * 4
    expected[4], expected[5], expected[10] = 118816768, 0x01B40000 | 9200 >> 3, 1
    assert (found.words, found.op, found.notes) == (tuple(expected), "load", ())
    assert cluster_of_ir(NESTED) == 4 and cluster_of_ir(PLAIN) is None


@pytest.mark.parametrize(
    "value, words",
    [
        ("zeroinitializer", (0, 0, 0, 0)),
        ("splat (i32 -1)", (0xFFFFFFFF,) * 4),
        ("inreg noundef <i32 1, i32 2, i32 3, i32 u0xFF>", (1, 2, 3, 255)),
        ("<i32 1, i32 poison, i32 undef, i32 -2>", (1, 0, 0, 0xFFFFFFFE)),
        ("bitcast (<2 x i64> <i64 4294967297, i64 -9223372036854775808> to <4 x i32>)", (1, 1, 0, 0x80000000)),
        (
            "bitcast (<8 x i16> <i16 1, i16 0, i16 2, i16 -1, i16 0, i16 0, i16 9, i16 0> to <4 x i32>)",
            (1, 0xFFFF0002, 0, 9),
        ),
        ("<i32 trunc (i64 4294967298 to i32), i32 add (i32 2, i32 3), i32 0, i32 0>", (2, 5, 0, 0)),
    ],
)
def test_forms_of_a_constant(value, words):
    assert operand(value) == words


LINES = """
%a = insertelement <4 x i32> poison, i32 1, i64 0
%b = insertelement <4 x i32> %a, i32 %unknown, i64 1
%s = shl nuw i64 17, 32
%t = lshr i64 %s, 31
%u = trunc i64 %t to i32
%c = insertelement <4 x i32> %b, i32 %u, i64 2
%f = call i32 @llvm.amdgcn.readfirstlane.i32(i32 -5)
%d = insertelement <4 x i32> %c, i32 %f, i64 3
%e = tail call <4 x i32> asm sideeffect "", "=s,0"(<4 x i32> %d)
%g = shufflevector <4 x i32> %e, <4 x i32> zeroinitializer, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
%h = select i1 true, i32 6, i32 7
%i = insertelement <4 x i32> %g, i32 %h, i64 1
%loop = add i32 %loop, 1
%j = insertelement <4 x i32> %g, i32 %loop, i64 0
%p = phi <4 x i32> [ %g, %x ], [ %i, %y ]
"""


def test_values_are_followed_inside_a_function():
    assert operand("%d", LINES) == (1, None, 34, 0xFFFFFFFB)
    assert operand("%e", LINES) == (1, None, 34, 0xFFFFFFFB)
    assert operand("%i", LINES) == (0xFFFFFFFB, 6, None, 1)
    assert operand("%j", LINES)[0] is None
    assert operand("%p", LINES) == (None,) * 4
    assert operand("%nowhere", LINES) == (None,) * 4
    assert operand("%d", LINES + "\n}\ndefine void @g() {") == (None,) * 4


def test_one_lds_symbol_counts_as_zero_and_two_do_not():
    value = "<i32 1, i32 ptrtoint (ptr addrspace(3) @a to i32), i32 0, i32 0>"
    one = "@a = internal addrspace(3) global [64 x i8] poison"
    assert operand(value, one) == (1, 0, 0, 0)
    assert operand(value, one + "\n@b = internal addrspace(3) global [64 x i8] poison") == (1, None, 0, 0)


READ = "\n%v = load i32, ptr addrspace(3) @a, align 4\n"
PRIVATE = "@a = internal addrspace(3) global [64 x i32] poison\n"
WAIT = "\ncall void @llvm.amdgcn.s.wait.tensorcnt(i16 0)\n"


@pytest.mark.parametrize(
    "text, rules",
    [
        (PLAIN, []),
        (PRIVATE + PLAIN + WAIT + READ, ["read-may-be-deleted"]),
        (PRIVATE + PLAIN + READ, ["read-without-wait", "read-may-be-deleted"]),
        (PRIVATE + "store i32 0, ptr addrspace(3) @a\n" + PLAIN + READ, ["read-without-wait"]),
        (PRIVATE.replace("internal", "external") + PLAIN + WAIT + READ, []),
        (PRIVATE + PLAIN.replace("load.to", "store.from") + READ, []),
        (PLAIN + "\n}\n" + READ, []),
        (PRIVATE.replace("internal", "external") + WAIT + PLAIN + READ, []),  # a pipeline: wait, issue, compute
        (WAIT + "}\ndefine void @k() {\n" + PLAIN + READ, ["read-without-wait"]),  # another function's wait
    ],
)
def test_reads_of_lds_after_a_load(text, rules, problem):
    """What public problem TC-04 and its sources report: no wait is inserted, and the read may be deleted."""
    assert "give the optimizer a visible write" in problem("TC-04")["right_outcome"]["rule"]
    notes = [note for found in descriptors_of_ir(text) for note in found.notes]
    assert [note[0] for note in notes] == rules
    assert all(note[1] == "warning" and "Fix: " in note[2] for note in notes)


@pytest.mark.parametrize(
    "text, words",
    [
        (PLAIN.replace("<8 x i32>", "<4 x i32>"), "operand 2 of the call is not <8 x i32>"),
        (PLAIN[:120], "line 1"),
        ("call void @llvm.amdgcn.tensor.load.to.lds(", "ends early"),
        ("call void @llvm.amdgcn.tensor.load.to.lds(<4 x i32> " + "bitcast (<4 x i32> " * 200, "nested too deep"),
        (PLAIN.replace("<8 x i32> <", "<99999999999 x i32> <"), "not LLVM IR of a form"),
    ],
)
def test_text_that_is_wrong(text, words):
    with pytest.raises(Unreadable, match=words):
        descriptors_of_ir(text)


@given(st.lists(st.sampled_from(PLAIN.replace("(", " ( ").replace(",", " , ").split() + ["%x =", "\n"]), max_size=60))
@example(["<i32"])
def test_no_text_ends_in_anything_else(parts):
    text = "call void @llvm.amdgcn.tensor.load.to.lds(" + " ".join(parts)
    try:
        descriptors_of_ir(text)
    except Unreadable:
        pass


def test_a_declaration_is_no_call():
    assert not is_llvm_ir("declare void @llvm.amdgcn.tensor.load.to.lds(<4 x i32>, <8 x i32>, i32)")
    assert is_llvm_ir(PLAIN)
