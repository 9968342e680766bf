# SPDX-License-Identifier: Apache-2.0
"""How a compiler advances a 64-bit address in scalar registers."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, verdict

IR = """
define amdgpu_kernel void @k(ptr addrspace(1) %out, i64 %a, i64 %b) {
  %c = add i64 %a, %b
  store i64 %c, ptr addrspace(1) %out
  ret void
}
"""


class PairAdd(Check):
    """A 64-bit add of two kernel arguments is compiled, and the add that clang chose is put on words 2 and 3.

    Shows: the instruction that this compiler uses for a carry across two words, and that it takes such a pair.
    Does not show: that the sum leaves the type alone; that is arithmetic.
    """

    claim = "TDM-020"
    kind = "compiler"
    witness = "clang"
    binds = ("pair_add", "pair_add_on_group0")

    def observe(self, target, tools):
        adds = re.findall(r"^\s+([sv]_add\w*) (s\[\d+:\d+\]|\S+),", assembly(tools.clang.compile_ir(target, IR)), re.MULTILINE)
        if len(adds) != 1:
            raise CannotTell(f"adds in the output: {adds}")
        answer = tools.clang.assemble(target, [f"{adds[0][0]} s[2:3], s[2:3], 0x80"])[0]
        return {"pair_add": adds[0][0], "pair_add_on_group0": verdict(answer)}
