# SPDX-License-Identifier: Apache-2.0
"""Blocks of VGPRs and waves of a SIMD, from the model."""

from cdna.wmma import occupancy
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
