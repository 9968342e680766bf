# SPDX-License-Identifier: Apache-2.0
"""Waves and registers of gfx1250, as a compiler handles them."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import verdict

EMPTY = "define amdgpu_kernel void @k() { ret void }\n"
SIZE = """
declare i32 @llvm.amdgcn.wavefrontsize()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {
  %size = call i32 @llvm.amdgcn.wavefrontsize()
  store i32 %size, ptr addrspace(1) %out
  ret void
}
"""
PRODUCTS = """
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %a, i32 %b) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %product = mul i32 %FACTOR, %b
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %product, ptr addrspace(1) %place
  ret void
}
"""


class WaveSize(Check):
    """The wave size that clang folds into code and writes into metadata, and what it says to each size as an option.

    Shows: that this compiler makes waves of one size only for this target.
    Does not show: hardware.
    """

    claim = "ARCH-001"
    kind = "compiler"
    witness = "clang"
    binds = ("lanes", "wave32_option", "wave64_option")

    def observe(self, target, tools):
        done = tools.clang.compile_ir(target, SIZE)
        if verdict(done) == "reject":
            raise CannotTell(done.diagnostic)
        stored = re.search(r"global_store_b32 v\d+, (v\d+)", done.assembly)
        folded = re.findall(rf"v_(?:dual_)?mov_b32(?:_e32)? {stored[1]}, (\w+)", done.assembly)
        values = set(int(value, 0) for value in folded)
        written = set(int(size) for size in re.findall(r"\.wavefront_size:\s+(\d+)", done.assembly))
        if len(values) != 1 or values != written:
            raise CannotTell(f"folded {values}, written {written}")
        options = {size: f"-m{'no-' if size == 32 else ''}wavefrontsize64" for size in (32, 64)}
        return {
            "lanes": values.pop(),
            "wave32_option": verdict(tools.clang.compile_ir(target, EMPTY, extra=(options[32],))),
            "wave64_option": verdict(tools.clang.compile_ir(target, EMPTY, extra=(options[64],))),
        }


class RegisterFiles(Check):
    """One product of two kernel arguments, one of the lane number and an argument: the file of each result.

    Shows: where this compiler puts a value that all lanes share and one that each lane has for itself.
    Does not show: hardware; a compiler may also keep a shared value in a vector register.
    """

    claim = "ARCH-003"
    kind = "compiler"
    witness = "clang"
    binds = ("uniform_value", "divergent_value", "lanes_per_vgpr", "vgpr_bytes")

    def observe(self, target, tools):
        found = {}
        for name, factor in (("uniform", "a"), ("divergent", "lane")):
            done = tools.clang.compile_ir(target, PRODUCTS.replace("FACTOR", factor))
            if verdict(done) == "reject":
                raise CannotTell(done.diagnostic)
            results = re.findall(r"^\s+[sv]_mul_\w+ ([sv])\d+,", done.assembly, re.MULTILINE)
            if len(results) != 1:
                raise CannotTell(f"{name}: products in {results}")
            found[name] = {"s": "SGPR", "v": "VGPR"}[results[0]]
        size = re.findall(r"\.wavefront_size:\s+(\d+)", done.assembly)
        # One store of one register: so many bits a lane.
        stores = re.findall(r"global_store_b(\d+)", done.assembly)
        if len(size) != 1 or len(stores) != 1:
            raise CannotTell(f"wave sizes {size}, stores {stores}")
        return {
            "uniform_value": found["uniform"],
            "divergent_value": found["divergent"],
            "lanes_per_vgpr": int(size[0]),
            "vgpr_bytes": int(size[0]) * int(stores[0]) // 8,
        }
