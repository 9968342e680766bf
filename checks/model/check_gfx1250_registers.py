# SPDX-License-Identifier: Apache-2.0
"""Blocks of VGPRs and waves of a SIMD, from the model."""

from cdna.wmma import occupancy
from cdna.wmma.audit import audit
from cdna_evidence.checks import Check


class GranuleModel(Check):
    """The model's blocks for six numbers of registers, and where the number of blocks first grows.

    Shows: the model's formula.
    Does not show: the hardware.
    """

    claim = "VGPR-004"
    kind = "model"
    binds = ("granule", "blocks")

    def observe(self, target, tools):
        step = next(n for n in range(1, 40) if occupancy.blocks(n + 1) > occupancy.blocks(1))
        return {"granule": step, "blocks": {f"r{n}": occupancy.blocks(n) for n in (1, 16, 17, 32, 33, 256)}}


class OccupancyModel(Check):
    """The model's waves under LLVM's position.

    Shows: the model's formula.
    Does not show: a device.
    """

    claim = "VGPR-005"
    kind = "model"
    position = "llvm-sixteen"
    binds = ("most_waves", "waves")

    def observe(self, target, tools):
        found = {f"r{n}": occupancy.waves(n, self.position) for n in (64, 65, 96, 97, 128, 129, 256)}
        return {"most_waves": occupancy.waves(1, self.position), "waves": found}


class OccupancyLibraryModel(Check):
    """The model's waves under the library's position.

    Shows: what the model passes on.
    Does not show: a device.
    """

    claim = "VGPR-005"
    kind = "model"
    position = "rocisa-ten"
    binds = ("most_waves",)

    def observe(self, target, tools):
        return {"most_waves": max(occupancy.waves(n, self.position) for n in range(1, 1025))}


class CrossingModel(Check):
    """A product whose A begins at v254, and a move into each register from v256 to v271 behind it, audited.

    Shows: which of these registers the audit takes for part of A.
    Does not show: what a device reads.
    """

    claim = "VGPR-016"
    kind = "model"
    binds = ("above", "beyond", "asks_for_slots")

    def observe(self, target, tools):
        product = "v_wmma_f32_16x16x64_fp8_fp8 v[0:7], v[254:261], v[16:23], v[0:7]\ns_set_vgpr_msb 0x40\n"
        asked = {256 + n: bool(audit(product + f"v_mov_b32 v{n}, v40\ns_endpgm\n").dependencies) for n in range(16)}
        above = max(register for register, found in asked.items() if found)
        return {"above": above, "beyond": above + 1, "asks_for_slots": {"above": asked[above], "beyond": asked[above + 1]}}
