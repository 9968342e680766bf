# SPDX-License-Identifier: Apache-2.0
"""How far a request for LDS is rounded up, and how many workgroups then fit beside each other by LDS alone.

The unit of rounding on gfx950 is disputed (LDS-008): LLVM accounts in 1280 bytes, LLVM 20 to 22 write the size in
units of 2048 bytes. The reading of this project is the accounted one; `POSITIONS` names both.
"""

from typing import NamedTuple

from cdna.lds.geometry import geometry

POSITIONS = ("accounted", "encoded")
READING = "accounted"


class Granule(NamedTuple):
    """A unit of rounding, bytes, with who uses it."""

    position: str
    bytes: int
    basis: str


class Allocation(NamedTuple):
    """What a request becomes. per_unit: workgroups that fit in one CU or WGP by LDS alone, None for no LDS at all."""

    requested: int
    granule: int
    allocated: int
    limit: int
    fits: bool
    per_unit: object
    unit: str


_GRANULES = (
    (
        "gfx942",
        "accounted",
        512,
        "CDNA3 guide 3.6.5 as a program converted it; LLVM's GCNFeatures.td agrees (the audit's pin and a later state)",
    ),
    ("gfx942", "encoded", 512, "step of the LDS size that clang 22.1.8 writes for a Mesa kernel"),
    (
        "gfx950",
        "accounted",
        1280,
        "CDNA4 guide 3.6.5 as a program converted it; LLVM's GCNFeatures.td agrees, its size field follows since July 2026",
    ),
    ("gfx950", "encoded", 2048, "step of the LDS size that clang 22.1.8 writes for a Mesa kernel"),
    (
        "gfx1250",
        "accounted",
        2048,
        "allocation granularity in LLVM's GCNFeatures.td; the CDNA5 guide 3.3.4 as a note quotes it",
    ),
    ("gfx1250", "encoded", 2048, "step of the LDS size that clang 22.1.8 writes for a Mesa kernel"),
)


def granules(target):
    """Return the units of rounding of a target, the project's reading first.

    Args: target: "gfx942", "gfx950" or "gfx1250".
    Raises: ValueError: another target.
    Claims: LDS-008
    """
    geometry(target)
    return tuple([Granule(position, size, basis) for name, position, size, basis in _GRANULES if name == target])


def round_up(requested, granule):
    """Return the smallest multiple of a unit that holds a request; both in bytes."""
    return (requested + granule - 1) // granule * granule


def allocate(target, requested, position=READING):
    """Return what a workgroup's request for LDS becomes.

    Args: target: such as "gfx950"; requested: bytes, 0 or more; position: of POSITIONS.
    Returns: Allocation. What does not fit is rounded all the same, with per_unit 0.
    Raises: ValueError: unknown target or position, or a negative request.
    Claims: LDS-001, LDS-008, LDS-009
    """
    if requested < 0:
        raise ValueError(f"requested={requested}: 0 or more bytes")
    if position not in POSITIONS:
        raise ValueError(f"position={position!r}: {', '.join(POSITIONS)}")
    place = geometry(target)
    granule = [item.bytes for item in granules(target) if item.position == position][0]
    allocated = round_up(requested, granule)
    limit = place.capacity.value
    # 65536, 163840 and 327680 are multiples of every unit, so what fits unrounded also fits rounded.
    per_unit = limit // allocated if allocated else None
    return Allocation(requested, granule, allocated, limit, allocated <= limit, per_unit, place.unit)


def smallest_limit():
    """Return the least LDS, bytes, that one workgroup can have on any target known here: the one safe guess elsewhere."""
    return min([geometry(name).capacity.value for name in ("gfx942", "gfx950", "gfx1250")])
