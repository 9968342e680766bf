# SPDX-License-Identifier: Apache-2.0
"""Waits that code generators of gfx1250 put in front of accesses: before what must be done only once, and before tensor transfers."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import instructions

ONCE = """declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(1) %r, ptr addrspace(7) %f, ptr addrspace(3) %l) {
 %t = call i32 @llvm.amdgcn.workitem.id.x()
 %a = getelementptr i32, ptr addrspace(1) %p, i32 %t
 %b = getelementptr i32, ptr addrspace(1) %q, i32 %t
 %c = getelementptr i32, ptr addrspace(1) %r, i32 %t
"""
BEFORE = " store i32 %t, ptr addrspace(1) %b\n"  # its data stays in use, so that no result takes its register
RMW = ' %x = atomicrmw add ptr addrspace(1) %a, i32 5 syncscope("agent") monotonic\n'
ATOMIC_STORE = ' store atomic i32 5, ptr addrspace(1) %a syncscope("agent") monotonic, align 4\n'
SECOND = r"(?:global|buffer)_(?:atomic|load|store)_\S+"


def waits_between(witness, target, body):
    """Return how many s_wait_xcnt stand right in front of each access to memory of compiled LLVM IR, in order; each access starts anew."""
    found, count = [], 0
    for line in instructions(witness.compile_ir(target, "!0 = !{i32 1}\n" + ONCE + body + " ret void\n}\n")):
        count += line.startswith("s_wait_xcnt")
        if re.match(SECOND, line):
            found.append(count)
            count = 0
    return found


class OnlyOnce(Check):
    """A store and a second access to another place, compiled: thirteen pairs, and two of them at six scopes.

    Shows: in front of which second accesses clang waits for XCNT.
    Does not show: what a device needs.
    """

    claim = "WAIT-088"
    kind = "compiler"
    witness = "clang"
    binds = ("waits", "atomic_by_scope", "store_by_scope")

    def observe(self, target, tools):
        use = " store i32 %x, ptr addrspace(1) %c\n"
        load = " %x = load {0}i32, ptr addrspace(1) %a{1}\n"
        cases = {
            "atomic": BEFORE + RMW,
            "atomic_with_result": BEFORE + RMW + use,
            "compare_and_swap": BEFORE
            + ' %x = cmpxchg ptr addrspace(1) %a, i32 5, i32 6 syncscope("agent") monotonic monotonic\n',
            "buffer_atomic": BEFORE + RMW.replace("ptr addrspace(1) %a", "ptr addrspace(7) %f"),
            "atomic_store": BEFORE + ATOMIC_STORE,
            "volatile_store": BEFORE + " store volatile i32 5, ptr addrspace(1) %a\n",
            "atomic_load": BEFORE + load.format("atomic ", ' syncscope("agent") monotonic, align 4') + use,
            "volatile_load": BEFORE + load.format("volatile ", "") + use,
            "ordinary_store": BEFORE + " store i32 5, ptr addrspace(1) %a\n",
            "nontemporal_store": BEFORE + " store i32 5, ptr addrspace(1) %a, !nontemporal !0\n",
        }
        found = {name: self._second(tools, target, body) for name, body in cases.items()}
        first = waits_between(tools.clang, target, RMW)
        copy = " call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %b, ptr addrspace(3) %l, i32 0, i32 0)\n"
        found["first_access"] = first[0] > 0
        found["result_overwrites"] = self._overwrites(tools, target, BEFORE.replace("%t", "1") + RMW + use)
        found["behind_async_copy"] = self._second(tools, target, copy + RMW)
        scopes = ("singlethread", "wavefront", "workgroup", "cluster", "agent", "system")
        words = {name: "" if name == "system" else f'syncscope("{name}")' for name in scopes}
        by_scope = {
            body: {
                name: self._second(tools, target, BEFORE + body.replace('syncscope("agent")', word))
                for name, word in words.items()
            }
            for body in (RMW, ATOMIC_STORE)
        }
        return {"waits": found, "atomic_by_scope": by_scope[RMW], "store_by_scope": by_scope[ATOMIC_STORE]}

    def _overwrites(self, tools, target, body):
        """Return whether the wait stands there, where the atomic's result goes to the register of the store's data."""
        lines = instructions(tools.clang.compile_ir(target, ONCE + body + " ret void\n}\n"))
        stored = [line.split(",")[1].strip() for line in lines if line.startswith("global_store")]
        result = [line.split()[1].strip(",") for line in lines if line.startswith("global_atomic")]
        if result != stored[:1]:
            raise CannotTell(f"result in {result}, data of the stores in {stored}")
        return self._second(tools, target, body)

    def _second(self, tools, target, body):
        found = waits_between(tools.clang, target, body)
        if len(found) < 2:
            raise CannotTell(f"{len(found)} accesses")
        return found[1] > 0


class BetweenAtomics(Check):
    """A store and two atomics, through clang 22 and the code generator of the triton wheel.

    Shows: how many waits for XCNT stand between the atomics.
    Does not show: what a device needs.
    """

    claim = "WAIT-088"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("between_atomics",)

    def observe(self, target, tools):
        body = BEFORE + RMW + RMW.replace("%x", "%y").replace("%a", "%c")
        found = {}
        for name, witness in (("clang_22", tools.clang), ("triton", tools.witness("triton-llvm"))):
            counts = waits_between(witness, target, body)
            if len(counts) < 3 or not counts[-2]:
                raise CannotTell(f"{name}: {counts}, no wait behind the store")
            found[name] = counts[-1]
        return {"between_atomics": found}


class TensorDrain(Check):
    """Four tensor loads in a row, and four stores, through clang 22 and the code generator of the triton wheel.

    Shows: how many waits for the tensor counter they write, and the count.
    Does not show: why.
    """

    claim = "WAIT-089"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("transfers", "count", "waits")

    def observe(self, target, tools):
        waits, counts, transfers = {}, [], set()
        newer = tools.witness("triton-llvm")
        for kind, name in (("loads", "load.to.lds"), ("stores", "store.from.lds")):
            # The newer intrinsic takes one group of the descriptor more.
            for who, witness, more in (("clang", tools.clang, ""), ("triton", newer, "<8 x i32>")):
                lines = instructions(witness.compile_ir(target, self._text(name, more)))
                transfers.add(sum(line.startswith("tensor_") for line in lines))
                drains = [int(line.split()[1], 0) for line in lines if line.startswith("s_wait_tensorcnt")]
                waits[f"{who}_{kind}"] = len(drains)
                counts += drains
        if len(set(counts)) != 1 or len(transfers) != 1:
            raise CannotTell(f"counts {sorted(set(counts))}, transfers {sorted(transfers)}")
        return {"transfers": transfers.pop(), "count": counts[0], "waits": waits}

    def _text(self, name, more):
        types = ["<4 x i32>", "<8 x i32>", "<4 x i32>", "<4 x i32>"] + ([more] if more else [])
        values = ["<4 x i32> %a", "<8 x i32> %b"] + [f"{one} zeroinitializer" for one in types[2:]]
        call = f" call void @llvm.amdgcn.tensor.{name}({', '.join(values)}, i32 0)\n"
        head = f"declare void @llvm.amdgcn.tensor.{name}({', '.join(types)}, i32)\n"
        return (
            head
            + "define amdgpu_kernel void @k(<4 x i32> inreg %a, <8 x i32> inreg %b) {\n"
            + call * 4
            + " ret void\n}\n"
        )
