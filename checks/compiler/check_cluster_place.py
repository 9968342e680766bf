# SPDX-License-Identifier: Apache-2.0
"""Where a wave reads its place in a cluster, asked of a code generator."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import instructions

KERNEL = """declare i32 @llvm.amdgcn.{0}()
define amdgpu_kernel void @k(ptr addrspace(1) %out) {{
  %value = call i32 @llvm.amdgcn.{0}()
  store i32 %value, ptr addrspace(1) %out
  ret void
}}
"""
TTMP6 = {
    "x": "cluster.workgroup.id.x",
    "y": "cluster.workgroup.id.y",
    "z": "cluster.workgroup.id.z",
    "extent_x": "cluster.workgroup.max.id.x",
    "extent_y": "cluster.workgroup.max.id.y",
    "extent_z": "cluster.workgroup.max.id.z",
    "all": "cluster.workgroup.max.flat.id",
}


def field(line, register):
    """Return (first bit, bits) of what an instruction takes out of a register, or None."""
    found = re.search(r"^s_getreg_b32 \w+, hwreg\(" + register + r", (\d+), (\d+)\)", line)
    if found:
        return int(found.group(1)), int(found.group(2))
    found = re.search(r"^s_bfe_u32 \w+, " + register + r", (0x[0-9a-f]+)", line)
    if found:
        word = int(found.group(1), 16)
        return word & 31, word >> 16 & 127
    found = re.search(r"^s_and_b32 \w+, " + register + r", (\w+)$", line)
    return (0, int(found.group(1), 0).bit_length()) if found else None


class Place(Check):
    """Kernels that ask for their place in the cluster, for its size and for their place in the grid.

    Shows: the bits that clang takes them from, and whether it looks at the number of the cluster before.
    Does not show: what a device writes into these bits.
    """

    claim = "TDM-150"
    kind = "compiler"
    witness = "clang"
    binds = ("field_bits", "cluster_from", "own_number_from", "ttmp6", "asks_first")

    def observe(self, target, tools):
        def code(intrinsic):
            return instructions(tools.clang.compile_ir(target, KERNEL.format(intrinsic)))

        def fields(intrinsic, register):
            return [found for found in (field(line, register) for line in code(intrinsic)) if found]

        place = {name: fields(intrinsic, "ttmp6") for name, intrinsic in TTMP6.items()}
        own = fields("cluster.workgroup.flat.id", "HW_REG_IB_STS2")
        grid = code("workgroup.id.x")
        cluster = [found for found in (field(line, "HW_REG_IB_STS2") for line in grid) if found]
        if [len(item) for item in (*place.values(), own, cluster)] != [1] * (len(place) + 2):
            raise CannotTell("the code reads the place in another way")
        widths = {item[0][1] for item in (*place.values(), own, cluster)}
        if len(widths) != 1:
            raise CannotTell(f"fields of several widths: {sorted(widths)}")
        return {
            "field_bits": widths.pop(),
            "cluster_from": cluster[0][0],
            "own_number_from": own[0][0],
            "ttmp6": {name: item[0][0] for name, item in place.items()},
            "asks_first": {
                "place_in_grid": any(re.fullmatch(r"s_cmp_\w+ s\d+, 0", line) for line in grid),
                "size": any("HW_REG_IB_STS2" in line for line in code(TTMP6["all"])),
            },
        }
