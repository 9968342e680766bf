# SPDX-License-Identifier: Apache-2.0
"""Reading descriptor words out of MLIR text that `convert-amdgpu-to-rocdl` prints."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna_evidence.descriptors import Unreadable
from cdna_evidence.descriptors.mlir import descriptors_of_mlir, is_mlir

TEXT = """
  func.func @f(%arg0: memref<1000x512xf16, 1>, %arg1: memref<64x64xf16, #gpu.address_space<workgroup>>) {
    %0 = builtin.unrealized_conversion_cast %arg1 : memref<64x64xf16, #gpu.address_space<workgroup>> to !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
    %1 = builtin.unrealized_conversion_cast %arg0 : memref<1000x512xf16, 1> to !llvm.struct<(ptr<1>, ptr<1>, i64, array<2 x i64>, array<2 x i64>)>
    %c3 = arith.constant 3 : index
    %3 = builtin.unrealized_conversion_cast %c3 : index to i64
    %c32_i32 = arith.constant 32 : i32
    %true = arith.constant true
    %4 = llvm.mlir.constant(0 : i32) : i32
    %5 = llvm.mlir.constant(1 : i32) : i32
    %6 = llvm.mlir.constant(2 : i32) : i32
    %7 = llvm.mlir.constant(3 : i32) : i32
    %8 = llvm.extractvalue %0[1] : !llvm.struct<(ptr<3>, ptr<3>, i64, array<2 x i64>, array<2 x i64>)>
    %13 = llvm.extractvalue %1[1] : !llvm.struct<(ptr<1>, ptr<1>, i64, array<2 x i64>, array<2 x i64>)>
    %17 = llvm.getelementptr %13[%3] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f16
    %18 = llvm.ptrtoint %8 : !llvm.ptr<3> to i32
    %19 = llvm.ptrtoint %17 : !llvm.ptr<1> to i64
    %20 = llvm.trunc %19 : i64 to i32
    %21 = llvm.mlir.constant(32 : i64) : i64
    %22 = llvm.lshr %19, %21 : i64
    %23 = llvm.trunc %22 : i64 to i32
    %26 = llvm.mlir.constant(30 : i32) : i32
    %27 = llvm.shl %6, %26 : i32
    %28 = llvm.or disjoint %23, %27 : i32
    %29 = llvm.mlir.poison : vector<4xi32>
    %30 = llvm.insertelement %5, %29[%4 : i32] : vector<4xi32>
    %31 = llvm.insertelement %18, %30[%5 : i32] : vector<4xi32>
    %32 = llvm.insertelement %20, %31[%6 : i32] : vector<4xi32>
    %33 = llvm.insertelement %28, %32[%7 : i32] : vector<4xi32>
    %cst = arith.constant dense<[true, false, true, true, false, false, false, false, false, false, false, false, false, false, false, true]> : vector<16xi1>
    %42 = llvm.bitcast %cst : vector<16xi1> to i16
    %43 = llvm.zext %42 : i16 to i32
    %47 = "llvm.intr.cttz"(%c32_i32) <{is_zero_poison = false}> : (i32) -> i32
    %rows = arith.constant dense<[9, 2, -1, 2]> : vector<4xi16>
    %50 = llvm.extractelement %rows[%6 : i32] : vector<4xi16>
    %51 = llvm.zext %50 : i16 to i32
    %79 = llvm.mlir.poison : vector<8xi32>
    %80 = llvm.insertelement %43, %79[%4 : i32] : vector<8xi32>
    %81 = llvm.insertelement %47, %80[%5 : i32] : vector<8xi32>
    %82 = llvm.insertelement %51, %81[%6 : i32] : vector<8xi32>
    %83 = llvm.insertelement %unknown, %82[%7 : i32] : vector<8xi32>
    %88 = llvm.mlir.zero : vector<4xi32>
    %89 = llvm.mlir.constant(dense<7> : vector<4xi32>) : vector<4xi32>
    %91 = llvm.mlir.zero : vector<8xi32>
    rocdl.tensor.load.to.lds %33, %83, %88, %89, %91, 0 : vector<4xi32>, vector<8xi32>
    rocdl.tensor.store.from.lds.d2 %33, %91, 0 : vector<4xi32>, vector<8xi32>
    return
  }
"""


def test_the_words_for_the_addresses_of_a_copy():
    load, store = descriptors_of_mlir(TEXT, {1: 0x7F0012345600, 3: 0x1000})
    assert (load.op, store.op) == ("load", "store")
    assert load.words[:4] == (1, 0x1000, 0x12345606, 0x80007F00)
    assert load.words[4:12] == (0x800D, 5, 0xFFFF, None, 0, 0, 0, 0)
    assert load.words[12:] == (0, 0, 0, 0, 7, 7, 7, 7)
    assert store.words == load.words[:4] + (0,) * 8


def test_addresses_that_are_not_given_stay_unknown():
    assert descriptors_of_mlir(TEXT)[0].words[:4] == (1, None, None, None)


def test_what_is_no_descriptor():
    assert is_mlir(TEXT) and not is_mlir("rocdl.barrier")
    with pytest.raises(Unreadable, match="operand 2 is not vector<8xi32>"):
        descriptors_of_mlir(TEXT.replace("lds.d2 %33, %91", "lds.d2 %33, %88"))
    with pytest.raises(Unreadable, match="has 1 operands"):
        descriptors_of_mlir(TEXT.replace("lds.d2 %33, %91, 0", "lds.d2 %33"))


@given(st.lists(st.sampled_from(TEXT.split() + ["\n"]), max_size=80))
def test_no_text_ends_in_anything_else(parts):
    try:
        descriptors_of_mlir(" ".join(parts) + "\n    rocdl.tensor.load.to.lds %33, %83, 0", {1: 0, 3: 0})
    except Unreadable:
        pass


def test_any_line_may_be_cut():
    for at in range(0, len(TEXT), 37):
        text = TEXT[:at] + "\n" + TEXT[at + 9 :]
        try:
            descriptors_of_mlir(text)
        except Unreadable:
            pass
