# SPDX-License-Identifier: Apache-2.0
"""Names and operands of the tensor instructions, by a compiler."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, verdict

IR = """
declare void @llvm.amdgcn.tensor.load.to.lds(<4 x i32>, <8 x i32>, <4 x i32>, <4 x i32>, i32 immarg)
declare void @llvm.amdgcn.tensor.store.from.lds(<4 x i32>, <8 x i32>, <4 x i32>, <4 x i32>, i32 immarg)
define amdgpu_kernel void @load(<4 x i32> %a, <8 x i32> %b, <4 x i32> %c, <4 x i32> %d) {
  call void @llvm.amdgcn.tensor.load.to.lds(<4 x i32> %a, <8 x i32> %b, <4 x i32> %c, <4 x i32> %d, i32 0)
  ret void
}
define amdgpu_kernel void @store(<4 x i32> %a, <8 x i32> %b, <4 x i32> %c, <4 x i32> %d) {
  call void @llvm.amdgcn.tensor.store.from.lds(<4 x i32> %a, <8 x i32> %b, <4 x i32> %c, <4 x i32> %d, i32 0)
  ret void
}
"""
BRANCHES = """
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
declare void @llvm.amdgcn.tensor.store.from.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
define void @tensor_load(i32 %x, <4 x i32> inreg %a, <8 x i32> inreg %b) {
  %c = icmp ugt i32 %x, 5
  br i1 %c, label %then, label %end
then:
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  br label %end
end:
  ret void
}
define void @tensor_store(i32 %x, <4 x i32> inreg %a, <8 x i32> inreg %b) {
  %c = icmp ugt i32 %x, 5
  br i1 %c, label %then, label %end
then:
  call void @llvm.amdgcn.tensor.store.from.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  br label %end
end:
  ret void
}
define void @lds_store(i32 %x, ptr addrspace(3) %p, i32 %v) {
  %c = icmp ugt i32 %x, 5
  br i1 %c, label %then, label %end
then:
  store i32 %v, ptr addrspace(3) %p
  br label %end
end:
  ret void
}
"""


def emitted(tools, target):
    """{function: operands of its tensor instruction, mnemonic first} of the IR above."""
    found, function = {}, None
    for line in assembly(tools.clang.compile_ir(target, IR)).splitlines():
        label = re.match(r"(\w+):", line)
        function = label[1] if label else function
        code = line.split(";")[0].split()
        if code and code[0].startswith("tensor_"):
            found[function] = [code[0]] + " ".join(code[1:]).split(", ")
    return found


class Names(Check):
    """What clang emits for its load and store intrinsics, and on which targets its assembler takes that text.

    Shows: mnemonics, and acceptance on three targets.
    Does not show: what the instructions do.
    """

    claim = "TDM-001"
    kind = "compiler"
    witness = "clang"
    binds = ("load", "store", "assembles")

    def observe(self, target, tools):
        found = emitted(tools, target)
        lines = [f"{items[0]} {', '.join(items[1:])}" for items in found.values()]
        verdicts = {}
        for other in ("gfx942", "gfx950", "gfx1250"):
            words = {verdict(answer) for answer in tools.clang.assemble(other, lines)}
            if len(words) != 1:
                raise CannotTell(f"{other}: load and store are treated differently")
            verdicts[other] = words.pop()
        return {"load": found["load"][0], "store": found["store"][0], "assembles": verdicts}


class NoDataOperand(Check):
    """Operands of the instructions that clang emits, and what its assembler says to vector registers as groups.

    Shows: that the text names scalar registers only, and how many blocks it can name.
    Does not show: that nothing is done per lane.
    """

    claim = "TDM-002"
    kind = "compiler"
    witness = "clang"
    binds = ("vector_operands", "groups_most", "vgpr_group", "sgpr_group")

    def observe(self, target, tools):
        operands = [operand for items in emitted(tools, target).values() for operand in items[1:]]
        vectors = [operand for operand in operands if re.match(r"[av](\d|\[)", operand)]
        blocks = ["s[0:3]", "s[4:11]", "s[12:15]", "s[16:19]", "s[20:27]", "s[28:31]"]
        texts = ["tensor_load_to_lds " + ", ".join(blocks[:n]) for n in range(1, 7)]
        taken = [n for n, answer in enumerate(tools.clang.assemble(target, texts), 1) if verdict(answer) == "accept"]
        full = blocks[:4]
        swapped = []
        for i in range(4):
            mixed = list(full)
            mixed[i] = mixed[i].replace("s", "v")
            swapped.append("tensor_load_to_lds " + ", ".join(mixed))
        words = {verdict(answer) for answer in tools.clang.assemble(target, swapped)}
        whole = verdict(tools.clang.assemble(target, ["tensor_load_to_lds " + ", ".join(full)])[0])
        if len(words) != 1 or not taken:
            raise CannotTell(f"vector registers: {words}; group counts: {taken}")
        return {
            "vector_operands": len(vectors),
            "groups_most": max(taken),
            "vgpr_group": words.pop(),
            "sgpr_group": whole,
        }


class BranchedAround(Check):
    """A tensor load, a tensor store and an LDS store, each behind a condition on a lane's value, are compiled.

    Shows: around which of them this compiler leaves a branch on an empty EXEC.
    Does not show: what the instructions do with an empty EXEC.
    """

    claim = "TDM-144"
    kind = "compiler"
    witness = "clang"
    binds = ("branches",)

    def observe(self, target, tools):
        code = assembly(tools.clang.compile_ir(target, BRANCHES))
        found = {}
        for name, body in re.findall(r"^(\w+):[^\n]*\n(.*?)^\.Lfunc_end", code, re.MULTILINE | re.DOTALL):
            wanted = {"tensor_load": "tensor_load_to_lds", "tensor_store": "tensor_store_from_lds", "lds_store": "ds_store_b32"}
            if wanted[name] not in body:
                raise CannotTell(f"{name}: no {wanted[name]}")
            found[name] = body.count("s_cbranch_execz")
        return {"branches": found}
