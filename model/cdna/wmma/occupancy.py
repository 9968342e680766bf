# SPDX-License-Identifier: Apache-2.0
"""How many waves of gfx1250 a SIMD holds for a number of VGPRs, as LLVM 22.1.8 counts and as others say."""

GRANULE = 16
REGISTERS = 1024
# Wave slots of a SIMD: sources differ, VGPR-005.
SLOTS = (("llvm-sixteen", 16), ("rocisa-ten", 10))


def blocks(count):
    """Return the field of the kernel descriptor for a number of VGPRs: blocks less one.

    Args: count: VGPRs, 1 to 1024. Raises: ValueError: out of range. Claims: VGPR-004.
    """
    return _rounded(count) // GRANULE - 1


def waves(count, position="llvm-sixteen"):
    """Return how many waves of `count` VGPRs fit a SIMD under one position.

    Args: count: VGPRs of a wave, 1 to 1024; position: of SLOTS. Raises: ValueError: out of range, or no such position.
    Claims: VGPR-005.
    """
    for name, slots in SLOTS:
        if name == position:
            return min(slots, REGISTERS // _rounded(count))
    raise ValueError("position=" + repr(position) + ": " + ", ".join([name for name, _ in SLOTS]))


def _rounded(count):
    if count < 1 or count > REGISTERS:
        raise ValueError("count=" + str(count) + ": 1 to " + str(REGISTERS) + " VGPRs, VGPR-001")
    return (count + GRANULE - 1) // GRANULE * GRANULE
