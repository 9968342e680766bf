# SPDX-License-Identifier: Apache-2.0
"""Kernels of gfx1250 in LLVM IR around one product: a loop in which its result is added to, branched over and fed back."""

from . import wmma_ir
from .wmma_forms import form

TEXT = """
declare {d} @{name}({types})
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %pa, ptr addrspace(1) %pb, ptr addrspace(1) %pc, ptr addrspace(1) %pd, i32 %n) {{
entry:
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %qb = getelementptr {b}, ptr addrspace(1) %pb, i32 %t
  %qc = getelementptr {c}, ptr addrspace(1) %pc, i32 %t
  %b = load {b}, ptr addrspace(1) %qb
  %c = load {c}, ptr addrspace(1) %qc
  br label %loop
loop:
  %k = phi i32 [0, %entry], [%k1, %latch]
  %o = phi {d} [{start}, %entry], [%d3, %latch]
  %j = add i32 %k, %t
  %j64 = zext i32 %j to i64
  %qa = getelementptr {a}, ptr addrspace(1) %pa, i32 %j
  %a = load {a}, ptr addrspace(1) %qa
  %d1 = call {d} @{name}({first})
{back}
  %d2 = call {d} @{name}({second})
  %odd = and i32 %j, 1
  %even = icmp eq i32 %odd, 0
  br i1 %even, label %then, label %latch
then:
  %x = extractelement {d} %d2, i64 0
  %y = {add} {element} %x, {one}
  %changed = insertelement {d} %d2, {element} %y, i64 0
  br label %latch
latch:
  %d3 = phi {d} [%d2, %loop], [%changed, %then]
  %k1 = add i32 %k, 1
  %e = icmp eq i32 %k1, %n
  br i1 %e, label %out, label %loop
out:
  %qd = getelementptr {d}, ptr addrspace(1) %pd, i32 %t
  store {d} %d3, ptr addrspace(1) %qd
  ret void
}}
"""


def kernel(text):
    """Return the IR of a kernel around one product. Args: text: see wmma_forms.form.

    The first product's result goes bit by bit into A of the second, where the two have as many registers.
    """
    f = form(text)
    name, d, arguments = wmma_ir.intrinsic(f)
    kinds = {value: kind for kind, value in arguments}
    a, b, c = kinds["A"], kinds["B"], kinds.get("C", d)
    element = d.split("x ")[1].rstrip(">")
    add, one = ("add", "1") if element == "i32" else ("fadd", "1.0")
    back, second_a = f"  %back = bitcast {d} %d1 to {a}", "%back"
    if f.a != f.d:
        back, second_a = "", "%a"
    same = c == d

    def call(first, accumulator):
        words = {"A": first, "B": "%b", "C": accumulator if same else "%c", "D": accumulator}
        index = {"i32": "%j", "i64": "%j64"}
        words.update({letter: index[kinds[letter]] for letter in "IST" if letter in kinds})
        return ", ".join(f"{kind} {words.get(value, value)}" for kind, value in arguments)

    return TEXT.format(
        name=name, types=", ".join(kind for kind, _ in arguments), a=a, b=b, c=c, d=d, start="zeroinitializer",
        first=call("%a", "%o"), second=call(second_a, "%d1" if not back else "%o"), back=back,
        element=element, add=add, one=one,
    )  # fmt: skip
