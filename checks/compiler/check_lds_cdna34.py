# SPDX-License-Identifier: Apache-2.0
"""The LDS that a real compiler accepts, and the unit in which it writes its size."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.search import largest, largest_lds

KERNEL = """@a = internal addrspace(3) global [{size} x i8] poison
define amdgpu_kernel void @k() {{
  store volatile i8 1, ptr addrspace(3) @a
  ret void
}}
"""
MESA = "amdgcn--mesa3d"


class Largest(Check):
    """The largest array in address space 3 that compiles, by bisection.

    Shows: the most LDS that clang lets one workgroup have.
    Does not show: banks; no compiler output holds them.
    """

    kind = "compiler"
    witness = "clang"
    binds = ("capacity_bytes",)

    def observe(self, target, tools):
        return {"capacity_bytes": largest_lds(tools.clang, target)}


class LargestCdna3(Largest):
    """The largest array in address space 3 that compiles for gfx942, by bisection.

    Shows: the most LDS that clang lets one workgroup have.
    Does not show: banks; no compiler output holds them.
    """

    claim = "LDS-006"


class LargestCdna4(Largest):
    """The largest array in address space 3 that compiles for gfx950, by bisection.

    Shows: the most LDS that clang lets one workgroup have.
    Does not show: banks; no compiler output holds them.
    """

    claim = "LDS-007"


class EncodedStep(Check):
    """The first sizes at which the LDS size field of a Mesa kernel goes from one to two and from two to three.

    Shows: the step of the field that clang writes.
    Does not show: what the hardware allocates, or what an HSA dispatch writes.
    """

    claim = "LDS-008"
    kind = "compiler"
    witness = "clang"
    position = "encoded"
    binds = ("granule_bytes",)

    def observe(self, target, tools):
        one, two = self._first_above(tools, target, 1), self._first_above(tools, target, 2)
        if two - one != one - 1:
            raise CannotTell(f"uneven steps: {one}, {two}")
        return {"granule_bytes": two - one}

    def _first_above(self, tools, target, count):
        return 1 + largest(lambda size: self._field(tools, target, size) <= count, 1, 1 << 14)

    def _field(self, tools, target, size):
        done = tools.clang.compile_ir(target, KERNEL.format(size=size), triple=MESA)
        found = re.findall(r"granulated_lds_size = (\d+)", done.assembly)
        if len(found) != 1:
            raise CannotTell(f"{size} bytes: {done.outcome}, {len(found)} size fields")
        return int(found[0])
