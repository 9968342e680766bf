# SPDX-License-Identifier: Apache-2.0
"""Kernels in LLVM IR around one matrix instruction: a loop with a branch that changes the accumulator, and a store."""

from cdna_evidence.witnesses import matrix, matrix_ir

TEXT = """
declare {c} @{name}({types})
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %pa, ptr addrspace(1) %pb, ptr addrspace(1) %pc, i32 %n) {{
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  br label %loop
loop:
  %k = phi i32 [0, %entry], [%k1, %latch]
  %c = phi {c} [zeroinitializer, %entry], [%d3, %latch]
  %j = add i32 %k, %t
  %qa = getelementptr {a}, ptr addrspace(1) %pa, i32 %j
  %qb = getelementptr {b}, ptr addrspace(1) %pb, i32 %j
  %a = load {a}, ptr addrspace(1) %qa
  %b = load {b}, ptr addrspace(1) %qb
  %i = add i32 %j, 7
  %d = call {c} @{name}({first})
  %d2 = call {c} @{name}({second})
  %odd = and i32 %j, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %then, label %latch
then:
{change}
  br label %latch
latch:
  %d3 = phi {c} [%d2, %loop], [%changed, %then]
  %k1 = add i32 %k, 1
  %e = icmp eq i32 %k1, %n
  br i1 %e, label %out, label %loop
out:
  %qc = getelementptr {c}, ptr addrspace(1) %pc, i32 %t
  store {c} %d3, ptr addrspace(1) %qc
  ret void
}}
"""


def kernel(mnemonic):
    """Return the IR of a kernel that uses one matrix instruction."""
    a, b, c, arguments, name = matrix_ir.signature(mnemonic)
    element = c.split("x ")[-1].rstrip(">")
    add = "fadd" if element in ("float", "double") else "add"
    one = "1.0" if add == "fadd" else "1"
    if c.startswith("<"):
        change = [
            f"  %x = extractelement {c} %d2, i64 0",
            f"  %y = {add} {element} %x, {one}",
            f"  %changed = insertelement {c} %d2, {element} %y, i64 0",
        ]
    else:
        change = [f"  %changed = {add} {element} %d2, {one}"]
    given = [("%i" if value == "?" else value) for _, value in arguments]
    types = [kind for kind, _ in arguments]
    calls = [
        ", ".join(f"{kind} {value}" for kind, value in zip(types, ["%a", "%b", old] + given[3:], strict=True))
        for old in ("%c", "%d")
    ]
    words = {"a": a, "b": b, "c": c, "name": name, "types": ", ".join(types), "change": "\n".join(change)}
    assert matrix.shape(mnemonic)
    return TEXT.format(first=calls[0], second=calls[1], **words)
