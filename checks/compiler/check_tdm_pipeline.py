# SPDX-License-Identifier: Apache-2.0
"""The body of a double-buffered loop, as a real code generator writes it."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly

LOOP = """
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
declare void @llvm.amdgcn.s.wait.tensorcnt(i16 immarg)
declare void @llvm.amdgcn.s.barrier()
define amdgpu_kernel void @walk(i32 %n, i64 %step, i32 %lds0, i32 %lds1, i64 %start, <8 x i32> %shape) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %addr = phi i64 [ %start, %entry ], [ %onward, %body ]
  %lds = phi i32 [ %lds0, %entry ], [ %other, %body ]
  %other = phi i32 [ %lds1, %entry ], [ %lds, %body ]
  call void @llvm.amdgcn.s.wait.tensorcnt(i16 1)
  call void @llvm.amdgcn.s.barrier()
  %low = trunc i64 %addr to i32
  %up = lshr i64 %addr, 32
  %high = trunc i64 %up to i32
  %typed = or i32 %high, -2147483648
  %d0 = insertelement <4 x i32> <i32 1, i32 poison, i32 poison, i32 poison>, i32 %lds, i32 1
  %d1 = insertelement <4 x i32> %d0, i32 %low, i32 2
  %d2 = insertelement <4 x i32> %d1, i32 %typed, i32 3
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %d2, <8 x i32> %shape, i32 0)
  %onward = add i64 %addr, %step
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, %n
  br i1 %more, label %body, label %end
end:
  call void @llvm.amdgcn.s.wait.tensorcnt(i16 0)
  ret void
}
"""


class LoopBody(Check):
    """A loop with a wait for one, a barrier, an alternating LDS address, a 64-bit add and a tensor load is compiled.

    Shows: what stands between the loop's label and its branch.
    Does not show: the computing, the bound at the end of a row, or time.
    """

    claim = "TDM-102"
    kind = "compiler"
    witness = "clang"
    binds = (
        "limit_in_loop",
        "tensor_loads_in_loop",
        "waits_in_loop",
        "wide_adds_in_loop",
        "vector_instructions_in_loop",
    )

    def observe(self, target, tools):
        code = assembly(tools.clang.compile_ir(target, LOOP))
        body = re.search(r"^(\.LBB\w+):(.*?)s_cbranch_\w+ \1", code, re.DOTALL | re.MULTILINE)
        if not body:
            raise CannotTell("no loop in the code")
        lines = [line.split(";")[0].split() for line in body[2].splitlines()]
        words = [line for line in lines if line]
        waits = [line for line in words if line[0] == "s_wait_tensorcnt"]
        return {
            "limit_in_loop": int(waits[0][1], 16) if waits else -1,
            "tensor_loads_in_loop": len([line for line in words if line[0] == "tensor_load_to_lds"]),
            "waits_in_loop": len(waits),
            "wide_adds_in_loop": len([line for line in words if line[0] == "s_add_nc_u64"]),
            "vector_instructions_in_loop": len([line for line in words if re.match(r"v_|global_|ds_|flat_", line[0])]),
        }
