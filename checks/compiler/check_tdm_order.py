# SPDX-License-Identifier: Apache-2.0
"""Waits around tensor instructions, asked of a real assembler and a real code generator."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly

DECLARED = """
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
declare void @llvm.amdgcn.tensor.store.from.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
declare void @llvm.amdgcn.s.wait.tensorcnt(i16 immarg)
"""
STORE_THEN_LOAD = """
define amdgpu_kernel void @%s(ptr addrspace(1) %%p, i32 %%v, <4 x i32> %%a, <8 x i32> %%b) {
  store i32 %%v, ptr addrspace(1) %%p, align 4
  %s
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %%a, <8 x i32> %%b, i32 0)
  ret void
}
"""
BOTH_THEN_WAIT = """
define amdgpu_kernel void @both(<4 x i32> %a, <8 x i32> %b) {
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  call void @llvm.amdgcn.tensor.store.from.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  call void @llvm.amdgcn.s.wait.tensorcnt(i16 0)
  ret void
}
"""


def functions(tools, target, source):
    """{function: its lines of code} of compiled IR."""
    found, name = {}, None
    for line in assembly(tools.clang.compile_ir(target, source)).splitlines():
        label = re.match(r"([a-z_]\w*):", line)
        name = label[1] if label else name
        code = line.split(";")[0].strip()
        if name and code and not code.startswith(".") and not code.endswith(":"):
            found.setdefault(name, []).append(code)
    return found


def encoded(tools, target, lines):
    """The bytes of each line as text; CannotTell when one is not accepted."""
    answers = tools.clang.assemble(target, lines)
    if not all(answer.accepted for answer in answers):
        raise CannotTell("; ".join(f"{answer.text}: {answer.outcome}" for answer in answers))
    return [answer.bytes.hex(" ") for answer in answers]


class WaitEncodings(Check):
    """The wait for tensor transfers is assembled with two operands.

    Shows: the bytes, and where the operand stands.
    Does not show: what the wait does.
    """

    claim = "TDM-089"
    kind = "compiler"
    witness = "clang"
    binds = ("encoding",)

    def observe(self, target, tools):
        zero, one = encoded(tools, target, ["s_wait_tensorcnt 0", "s_wait_tensorcnt 1"])
        return {"encoding": {"limit_zero": zero, "limit_one": one}}


class WaitForZeroEmitted(Check):
    """A load, a store and the builtin for a wait of zero are compiled; the wait is assembled again.

    Shows: that one wait with a zero operand follows both, and its bytes.
    Does not show: what the wait does.
    """

    claim = "TDM-091"
    kind = "compiler"
    witness = "clang"
    binds = ("encoding", "emitted")

    def observe(self, target, tools):
        lines = functions(tools, target, DECLARED + BOTH_THEN_WAIT)["both"]
        last = max((i for i in range(len(lines)) if lines[i].startswith("tensor_")), default=None)
        if last is None:
            raise CannotTell("no tensor instruction in the code")
        waits = [line for line in lines[last + 1 :] if "wait" in line]
        if len(waits) != 1:
            raise CannotTell(f"{len(waits)} waits behind the tensor instructions")
        return {"encoding": encoded(tools, target, waits)[0], "emitted": waits[0].split()[0]}


class NoWaitForStores(Check):
    """A global store and a tensor load, with nothing between and with a release fence between, are compiled.

    Shows: how many waits for the store's counter this code generator puts between the two.
    Does not show: what is required; a compiler that adds none relies on the source.
    """

    claim = "TDM-094"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_storecnt_waits",)

    def observe(self, target, tools):
        fence = 'fence syncscope("agent") release'
        source = DECLARED + STORE_THEN_LOAD % ("plain", "") + STORE_THEN_LOAD % ("release_fence", fence)
        found = functions(tools, target, source)
        return {"clang_storecnt_waits": {name: self._between(found[name]) for name in ("plain", "release_fence")}}

    def _between(self, lines):
        text = "\n".join(lines)
        match = re.search(r"global_store_\w+.*?tensor_load_to_lds", text, re.DOTALL)
        if not match:
            raise CannotTell("the code has no store before a tensor load")
        return len(re.findall(r"s_wait_\w*storecnt\w*", match[0]))


class NoWaitAtTheEnd(Check):
    """A kernel whose last action is a tensor store: the waits that are compiled between the store and the end.

    Shows: that this compiler writes none there.
    Does not show: what the end of a program does.
    """

    claim = "TDM-148"
    kind = "compiler"
    witness = "clang"
    binds = ("waits_before_end",)

    def observe(self, target, tools):
        source = BOTH_THEN_WAIT.replace("@both(", "@last(").replace("call void @llvm.amdgcn.s.wait.tensorcnt(i16 0)", "")
        code = functions(tools, target, DECLARED + source)["last"]
        stores = [i for i, line in enumerate(code) if line.startswith("tensor_store_from_lds")]
        ends = [i for i, line in enumerate(code) if line.startswith("s_endpgm")]
        if len(stores) != 1 or len(ends) != 1 or ends[0] < stores[0]:
            raise CannotTell(f"stores at {stores}, ends at {ends}")
        between = code[stores[0] + 1 : ends[0]]
        return {"waits_before_end": len([line for line in between if line.startswith("s_wait")])}
