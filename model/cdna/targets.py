# SPDX-License-Identifier: Apache-2.0
"""The three targets as values. Every number stands next to the id of the claim that carries it.

A claim of None means that no claim carries the number yet: it must not be quoted as evidence.
The steppings of gfx1250 share one target; what tells them apart is in steppings.py.
"""

from typing import NamedTuple


class Target(NamedTuple):
    """One instruction-set target. `claims` names, field by field, what each number rests on."""

    name: str  # as compilers spell it
    isa: str
    architecture: str
    wave_lanes: int
    lds_bytes: int  # most LDS of one workgroup, bytes
    lds_banks: int
    bank_bytes: int
    claims: tuple  # (field, claim id or None)


GFX942 = Target(
    "gfx942",
    "CDNA3",
    "MI300",
    64,
    65536,
    32,
    4,
    (("wave_lanes", "LANE-054"), ("lds_bytes", "LDS-001"), ("lds_banks", "LDS-006"), ("bank_bytes", "LDS-006")),
)
GFX950 = Target(
    "gfx950",
    "CDNA4",
    "MI350",
    64,
    163840,
    64,
    4,
    (("wave_lanes", "LANE-054"), ("lds_bytes", "LDS-001"), ("lds_banks", "LDS-007"), ("bank_bytes", "LDS-007")),
)
GFX1250 = Target(
    "gfx1250",
    "CDNA5",
    "MI450",
    32,
    327680,
    64,
    4,
    (("wave_lanes", "ARCH-001"), ("lds_bytes", "LDS-001"), ("lds_banks", "LDS-002"), ("bank_bytes", "LDS-002")),
)
TARGETS = (GFX942, GFX950, GFX1250)
# Targets of their own of which little is said here, each beside the one that it is compared with. The model has no numbers
# for them: claims and compilers take their names, formulas do not.
NEIGHBOURS = (("gfx1251", "gfx1250"),)
# (name that newer compilers have for one stepping, the target it is a stepping of, the stepping)
STEPPINGS = (("gfx1250-strict", "gfx1250", "A0"),)


def target_named(name):
    """Return the target of that name.

    Raises: ValueError: unknown; the message lists the known ones.
    """
    for target in TARGETS:
        if target.name == name:
            return target
    raise ValueError(f"target={name!r}: {', '.join([target.name for target in TARGETS])}")


def claim_of(target, field):
    """Return the id of the claim that carries a number of a target, or None when there is none yet.

    Args: target: a Target; field: a field name such as "lds_bytes".
    """
    for name, claim in target.claims:
        if name == field:
            return claim
    return None
