# SPDX-License-Identifier: Apache-2.0
"""Which lanes of an LDS instruction are served together, as others published it, opcode by opcode.

Two lanes can disturb each other only when they are in one service group ("phase"). No manual gives the groups. What
stands here was measured or stated by the sources named; what nobody published is not here, and `service` refuses it.
"""

from typing import NamedTuple

from cdna.lds.geometry import geometry


class Service(NamedTuple):
    """The groups of one opcode on one target, as one publication or more give them."""

    target: str
    op: str
    width: int  # bytes a lane
    banks: int
    groups: tuple  # of tuples of lanes, in the order of service where one is given
    how: str  # "measured" by someone, "stated" by someone, or "assumed" by the reader
    sources: tuple  # keys of the register
    basis: str
    claim: object  # id, or None for an assumption


class Unpublished(ValueError):
    """Nobody published the groups of this opcode on this target. `known`: the opcodes that are published."""

    def __init__(self, message, known):
        super().__init__(message)
        self.known = known


def lanes(*runs):
    """Return lanes from runs (first, last): lanes((0, 3), (20, 23)) is 0 to 3 and 20 to 23."""
    found = []
    for first, last in runs:
        found += list(range(first, last + 1))
    return tuple(found)


def consecutive(size, count):
    """Return groups of `size` neighbouring lanes over a wave of `count` lanes; the last may be smaller."""
    return tuple([tuple(range(first, min(first + size, count))) for first in range(0, count, size)])


# 16-byte reads of CDNA3 and 12-byte reads of CDNA4: eight groups of eight lanes.
_EIGHT = (
    lanes((0, 3), (20, 23)),
    lanes((32, 35), (52, 55)),
    lanes((4, 7), (16, 19)),
    lanes((36, 39), (48, 51)),
    lanes((8, 11), (28, 31)),
    lanes((40, 43), (60, 63)),
    lanes((12, 15), (24, 27)),
    lanes((44, 47), (56, 59)),
)
# 16-byte reads of CDNA4: four groups of sixteen lanes.
_FOUR = (
    lanes((0, 3), (12, 15), (20, 27)),
    lanes((32, 35), (44, 47), (52, 59)),
    lanes((4, 11), (16, 19), (28, 31)),
    lanes((36, 43), (48, 51), (60, 63)),
)

PUBLISHED = (
    Service(
        "gfx942",
        "ds_read_b32",
        4,
        32,
        consecutive(32, 64),
        "measured",
        ("NOD-LDS",),
        "latency on MI300X, one project",
        "LDS-052",
    ),
    Service(
        "gfx942",
        "ds_read_b64",
        8,
        32,
        consecutive(16, 64),
        "measured",
        ("PYHIP", "NOD-LDS"),
        "time and latency on MI300, two projects",
        "LDS-052",
    ),
    Service(
        "gfx942",
        "ds_read_b128",
        16,
        32,
        _EIGHT,
        "measured",
        ("PYHIP", "NOD-LDS", "TRITON-11365"),
        "time and latency on MI300, two projects; a compiler uses the same",
        "LDS-051",
    ),
    Service(
        "gfx942",
        "ds_write_b128",
        16,
        32,
        consecutive(8, 64),
        "stated",
        ("CK-LDS", "NOD-GUIDE"),
        "stated by AMD's page (no target named) and by a guide for MI300",
        "LDS-052",
    ),
    Service(
        "gfx950",
        "ds_read_b32",
        4,
        64,
        consecutive(64, 64),
        "measured",
        ("NOD-LDS",),
        "latency on MI350X, one project; AMD developers contradict the bank count (LDS-015)",
        "LDS-015",
    ),
    Service(
        "gfx950",
        "ds_read_b64",
        8,
        64,
        consecutive(32, 64),
        "measured",
        ("HK-PHASES", "NOD-LDS"),
        "conflict counter and latency on MI350X, two projects",
        "LDS-015",
    ),
    Service(
        "gfx950",
        "ds_read_b96",
        12,
        32,
        _EIGHT,
        "measured",
        ("HK-PHASES",),
        "conflict counter on gfx950, one project",
        "LDS-015",
    ),
    Service(
        "gfx950",
        "ds_read_b128",
        16,
        64,
        _FOUR,
        "measured",
        ("HK-PHASES", "NOD-LDS", "TRITON-11365"),
        "conflict counter and latency on MI350X, two projects; a compiler uses the same",
        "LDS-051",
    ),
    Service(
        "gfx950",
        "ds_write_b64",
        8,
        32,
        consecutive(16, 64),
        "measured",
        ("HK-PHASES",),
        "conflict counter on gfx950, one project",
        "LDS-015",
    ),
    Service(
        "gfx1250",
        "ds_load_b128",
        16,
        64,
        consecutive(8, 32),
        "stated",
        ("TRITON-11365",),
        "a review reply that quotes AMD's text for GFX12",
        "LDS-053",
    ),
)


def op_name(target, op):
    """Return the name of an LDS opcode as a target spells it: gfx1250 has ds_load and ds_store, the others ds_read and ds_write."""
    pairs = (("ds_read", "ds_load"), ("ds_write", "ds_store"))
    for old, new in pairs:
        if target == "gfx1250" and op.startswith(old + "_"):
            return new + op[len(old) :]
        if target != "gfx1250" and op.startswith(new + "_"):
            return old + op[len(new) :]
    return op


def width_of(op):
    """Return the bytes that one lane moves by a plain LDS opcode such as ds_read_b96, or None for another name."""
    for prefix in ("ds_read_b", "ds_write_b", "ds_load_b", "ds_store_b"):
        if op.startswith(prefix) and op[len(prefix) :] in ("32", "64", "96", "128"):
            return int(op[len(prefix) :]) // 8
    return None


def published(target):
    """Return the published Services of a target, in the order of the table.

    Args: target: "gfx942", "gfx950" or "gfx1250".
    Raises: ValueError: another target.
    """
    geometry(target)
    return tuple([item for item in PUBLISHED if item.target == target])


def service(target, op, assume=None):
    """Return the service groups of an opcode on a target.

    Args: target: such as "gfx950"; op: such as "ds_read_b128"; assume: None, or "consecutive:N" for groups of N
      neighbouring lanes over all banks of the target, which nobody measured.
    Raises: Unpublished: no publication gives the groups and nothing is assumed; ValueError: unknown target, opcode or
      assumption.
    Claims: LDS-012, LDS-013, LDS-015, LDS-051, LDS-052, LDS-053
    """
    place = geometry(target)
    op = op_name(target, op)
    width = width_of(op)
    if width is None:
        raise ValueError(f"op={op!r}: ds_read_b32, _b64, _b96, _b128, ds_write_b32 ... (gfx1250: ds_load_, ds_store_)")
    if assume is not None:
        return assumed(target, op, width, assume, place)
    found = [item for item in PUBLISHED if item.target == target and item.op == op]
    if found:
        return found[0]
    known = [item.op for item in published(target)]
    raise Unpublished(
        f"op={op}: no publication gives its service groups on {target}; published: {', '.join(known)}", known
    )


def assumed(target, op, width, assume, place):
    """Return groups that the reader assumes: "consecutive:N", 1 to the lanes of a wave."""
    kind, colon, size = assume.partition(":")
    if kind != "consecutive" or not size.isdigit() or not 1 <= int(size) <= place.wave_lanes:
        raise ValueError(f"assume={assume!r}: consecutive:N with N from 1 to {place.wave_lanes}")
    groups = consecutive(int(size), place.wave_lanes)
    return Service(
        target, op, width, place.banks.value, groups, "assumed", (), f"assumed by the reader: {assume}", None
    )


def alternatives(target, op):
    """Return other readings of an opcode's groups or banks that a source has given, as (claim, position, Service, note).

    Groups that a source did not give are None in the Service.
    """
    op = op_name(target, op)
    found = []
    for item in published(target):
        if item.op != op:
            continue
        if op == "ds_read_b128":
            size = 16 * item.banks // 64  # lanes whose 16 bytes fill all banks once
            groups = consecutive(size, 64)
            other = Service(
                target,
                op,
                16,
                item.banks,
                groups,
                "stated",
                ("NOD-121",),
                "neighbouring lanes: the simple model, and an early guide for MI300",
                "LDS-051",
            )
            found.append(("LDS-051", "adjacent", other, f"{size} neighbouring lanes"))
        if target == "gfx950" and op == "ds_read_b32":
            other = Service(
                target,
                op,
                4,
                32,
                consecutive(32, 64),
                "stated",
                ("ROCLIB-3668",),
                "32 banks as a review says; the groups are derived: 32 lanes fill 32 banks",
                "LDS-015",
            )
            found.append(("LDS-015", "by-opcode", other, "32 banks"))
    return found
