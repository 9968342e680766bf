# SPDX-License-Identifier: Apache-2.0
"""The largest static LDS array that a real compiler accepts for each target."""

from cdna_evidence.checks import CannotTell, Check


class LargestStaticArray(Check):
    """The largest array in address space 3 that compiles, found by bisection; one byte more is refused.

    Shows: the most LDS that clang lets one workgroup have.
    Does not show: what a device has, or how an allocation is rounded.
    """

    claim = "LDS-001"
    kind = "compiler"
    witness = "clang"
    binds = ("capacity_bytes",)

    def observe(self, target, tools):
        good, bad = 1, 1 << 20
        if not self._fits(tools.clang, target, good) or self._fits(tools.clang, target, bad):
            raise CannotTell("the search for the limit has no bracket")
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._fits(tools.clang, target, middle):
                good = middle
            else:
                bad = middle
        return {"capacity_bytes": good}

    def _fits(self, clang, target, size):
        done = clang.compile_ir(
            target,
            f"@a = internal addrspace(3) global [{size} x i8] poison\n"
            "define amdgpu_kernel void @k() {\n"
            "  store volatile i8 1, ptr addrspace(3) @a\n"
            "  ret void\n"
            "}\n",
        )
        if done.accepted is None:
            raise CannotTell(f"{size} bytes: {done.outcome}")
        return done.accepted
