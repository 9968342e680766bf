# SPDX-License-Identifier: Apache-2.0
"""Which lanes of an LDS instruction are served together, as others published it, opcode by opcode.

Two lanes can disturb each other only when they are in one service group ("phase"). No manual gives the groups. What
stands here was measured or stated by the sources named; what nobody published is not here, and `service` refuses it.
"""

from typing import NamedTuple

from cdna.lds.geometry import geometry
from cdna.lds.names import half_of, op_name, width_of


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
    """Nobody published the groups of an opcode on a target. `known`: the opcodes that are published; `assumable`: whether groups may be assumed."""

    def __init__(self, message, known, assumable=True):
        super().__init__(message)
        self.known = known
        self.assumable = assumable


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
        "ds_load_b32",
        4,
        64,
        consecutive(32, 32),
        "stated",
        ("TENSILE-PAD",),
        "the padding search of AMD's TensileLite counts so",
        "LDS-054",
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
    Service(
        "gfx1250",
        "ds_load_tr4_b64",
        8,
        64,
        consecutive(32, 32),
        "stated",
        ("TENSILE-PAD",),
        "the padding search of AMD's TensileLite counts so where every address is a multiple of 8",
        "LDS-054",
    ),
    Service(
        "gfx1250",
        "ds_load_tr8_b64",
        8,
        64,
        consecutive(32, 32),
        "stated",
        ("TENSILE-PAD",),
        "the padding search of AMD's TensileLite counts so where every address is a multiple of 8",
        "LDS-054",
    ),
    Service(
        "gfx1250",
        "ds_load_tr16_b128",
        16,
        64,
        consecutive(16, 32),
        "stated",
        ("TENSILE-PAD", "LDS-MI450"),
        "the padding search of AMD's TensileLite; AMD's article says that these loads meet banks as plain ones do",
        "LDS-054",
    ),
)

# Neighbouring lanes a clock by width, as rocRoller counts the cycles of what nobody measured (LDS-052). Measured groups have
# twice as many lanes, but for ds_read_b32 of gfx950.
_NEIGHBOURS = {4: 16, 8: 8, 12: 4, 16: 4}

# Loads of 64 bits that transpose are served in two halves when some address is no multiple of 8.
_HALVED = ("ds_load_tr4_b64", "ds_load_tr8_b64")
_HALVES = "the padding search of AMD's TensileLite counts two halves where some address is no multiple of 8"


def published(target):
    """Return the published Services of a target, in the order of the table.

    Args: target: "gfx942", "gfx950" or "gfx1250".
    Raises: ValueError: another target.
    """
    geometry(target)
    return tuple([item for item in PUBLISHED if item.target == target])


def service(target, op, assume=None, crooked=False):
    """Return the service groups of an opcode on a target.

    Args: target: such as "gfx950"; op: such as "ds_read_b128"; assume: None, or "consecutive:N" for groups of N
      neighbouring lanes over all banks of the target, which nobody measured; crooked: some address is no multiple of
      the access, which splits the groups of a few opcodes.
    Raises: Unpublished: no publication gives the groups and nothing is assumed; ValueError: unknown target, opcode or
      assumption.
    Claims: LDS-012, LDS-013, LDS-015, LDS-051, LDS-052, LDS-053, LDS-054
    """
    place = geometry(target)
    op = op_name(target, op)
    known = [item.op for item in published(target)]
    width = width_of(op, target)
    if width is None and half_of(op):
        text = f"op={op}: two addresses a lane, and no publication says which lanes are served together on {target}"
        raise Unpublished(f"{text}; {half_of(op)} for each of the two is the nearest that can be asked", known, False)
    if width is None:
        raise ValueError(
            f"op={op!r}: no LDS load or store that {target} has; ds_read_b32, _b64, _b96, _b128, ds_write_b32 ... "
            "(gfx1250: ds_load_, ds_store_, ds_load_tr8_b64 ...)"
        )
    if assume is not None:
        return assumed(target, op, width, assume, place)
    found = [item for item in PUBLISHED if item.target == target and item.op == op]
    if found and crooked and target == "gfx1250" and op in _HALVED:
        halves = consecutive(place.wave_lanes // 2, place.wave_lanes)
        return Service(target, op, width, found[0].banks, halves, "stated", found[0].sources, _HALVES, found[0].claim)
    if found:
        return found[0]
    text = f"op={op}: no publication gives its service groups on {target}; published: {', '.join(known)}"
    if target != "gfx1250" and width in _NEIGHBOURS and "_tr_" not in op:
        claim = "LDS-052" if target == "gfx942" else "LDS-015"
        near = _NEIGHBOURS[width]
        text += f"; an AMD library counts {near} neighbouring lanes a clock over 32 banks, half of what groups have where they were measured ({claim})"
    raise Unpublished(text, known)


def assumed(target, op, width, assume, place):
    """Return groups that the reader assumes: "consecutive:N", 1 to the lanes of a wave."""
    kind, colon, size = assume.partition(":")
    if kind != "consecutive" or not size.isdigit() or not 1 <= int(size) <= place.wave_lanes:
        raise ValueError(f"assume={assume!r}: consecutive:N with N from 1 to {place.wave_lanes}")
    groups = consecutive(int(size), place.wave_lanes)
    return Service(
        target, op, width, place.banks.value, groups, "assumed", (), f"assumed by the reader: {assume}", None
    )


def safest(target, op, assume=None):
    """Return the groups to choose a layout by: another reading's, where each of them holds groups of the reading whole, or has fewer banks.

    What is free by the larger groups is free by the smaller ones. Arguments and errors as in `service`.
    """
    found = service(target, op, assume)
    for _, _, other, _ in alternatives(target, op, assume):
        if assume is not None and other.banks < found.banks:
            found = other  # the same groups; what is free over fewer banks is free over more
        elif other.groups is not None and other.banks == found.banks and _hold(other.groups, found.groups):
            found = other
    return found


def _hold(large, small):
    """Say whether each of the small groups lies whole in a large one."""
    for group in small:
        inside = False
        for other in large:
            if all([lane in other for lane in group]):
                inside = True
        if not inside:
            return False
    return len(large) < len(small)


def alternatives(target, op, assume=None):
    """Return other readings of an opcode's groups or banks that a source has given, as (claim, position, Service, note).

    Groups that a source did not give are None in the Service.

    Args: target, op: as in `service`; assume: as there; then only the number of banks can be read otherwise.
    """
    op = op_name(target, op)
    found = []
    if assume is not None:
        if target == "gfx950" and (op.startswith("ds_write_") or op == "ds_read_b32"):
            mine = service(target, op, assume)
            other = Service(target, op, mine.width, 32, mine.groups, "assumed", ("ROCLIB-3668",), mine.basis, "LDS-015")
            found.append(("LDS-015", "by-opcode", other, "32 banks, as a review says of stores and ds_read_b32"))
        return found
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
        if op == "ds_load_b128":
            other = Service(
                target,
                op,
                16,
                item.banks,
                consecutive(16, 32),
                "stated",
                ("LDS-MI450",),
                "stated by AMD's article on MI450, whose measured rate needs it",
                "LDS-053",
            )
            found.append(("LDS-053", "sixteen", other, "16 neighbouring lanes"))
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
