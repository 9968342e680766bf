# SPDX-License-Identifier: Apache-2.0
"""How much LDS there is, how it is split into banks, and the widths of one access, target by target.

Each number stands with its basis: who says so. A capacity belongs to one compute unit (CU), or to one workgroup
processor (WGP) on gfx1250, and is shared by the workgroups that run there.
"""

from typing import NamedTuple

from cdna.targets import TARGETS

WIDTHS = (4, 8, 12, 16)  # bytes of one lane's access: b32, b64, b96, b128


class Fact(NamedTuple):
    """One number with who says it."""

    value: int
    basis: str
    claim: str


class Geometry(NamedTuple):
    """The LDS of one target."""

    target: str
    unit: str  # what shares it: "CU" or "WGP"
    capacity: Fact  # bytes
    banks: Fact
    bank_bytes: int
    dwords_per_bank: int
    wave_lanes: int
    widths: tuple  # bytes of one lane's access


_BASIS = (
    (
        "gfx942",
        "CU",
        "CDNA3 guide section 11.1 (as the audit reports it), and the largest array that clang 22.1.8 accepts",
        "LDS-001",
        "CDNA3 guide section 11.1 (as the audit reports it), LLVM's feature, two published measurements",
        "LDS-006",
    ),
    (
        "gfx950",
        "CU",
        "CDNA4 guide sections 2.2.1 and 11.1 (as the audit reports it), and the largest array that clang 22.1.8 accepts",
        "LDS-001",
        "CDNA4 guide section 2.2.1 (as the audit reports it), LLVM's feature since September 2026; not every opcode uses all (LDS-015)",
        "LDS-007",
    ),
    (
        "gfx1250",
        "WGP",
        "the article on the mover, and the largest array that clang 22.1.8 accepts",
        "LDS-001",
        "the article on the mover and the CDNA5 guide section 11.1 through it; LLVM's feature agrees",
        "LDS-002",
    ),
)


def geometry(target):
    """Return the LDS of a target.

    Args: target: "gfx942", "gfx950" or "gfx1250".
    Raises: ValueError: another target.
    Claims: LDS-001, LDS-002, LDS-006, LDS-007
    """
    for known in TARGETS:
        if known.name == target:
            for name, unit, capacity, capacity_claim, banks, banks_claim in _BASIS:
                if name == target:
                    return Geometry(
                        target,
                        unit,
                        Fact(known.lds_bytes, capacity, capacity_claim),
                        Fact(known.lds_banks, banks, banks_claim),
                        known.bank_bytes,
                        known.lds_bytes // (known.lds_banks * known.bank_bytes),
                        known.wave_lanes,
                        WIDTHS,
                    )
    raise ValueError(f"target={target!r}: {', '.join([known.name for known in TARGETS])}")


def split(width_bytes, prefix="ds_read", widths=WIDTHS):
    """Return the accesses that a wider one of one lane is made of, widest first.

    Args: width_bytes: bytes that one lane moves, a multiple of 4; prefix: such as "ds_read"; widths: of one access.
    Returns: tuple of (opcode, byte offset): 32 bytes are two of 16.
    Raises: ValueError: not a positive multiple of 4.
    """
    if width_bytes < 4 or width_bytes % 4:
        raise ValueError(f"bytes={width_bytes}: a multiple of 4, at least 4")
    parts, offset = [], 0
    while offset < width_bytes:
        fitting = [width for width in widths if width <= width_bytes - offset]
        width = max(fitting)
        parts.append((f"{prefix}_b{8 * width}", offset))
        offset += width
    return tuple(parts)
