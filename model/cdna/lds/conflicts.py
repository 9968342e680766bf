# SPDX-License-Identifier: Apache-2.0
"""How often the banks are asked in each service group, for any pattern of addresses.

The degree of a group is the number of different DWORDs that its busiest bank must deliver. Lanes that read one address
count once, as AMD says (LDS-060); that those do which touch different bytes of one DWORD is this project's choice
(LDS-005). A degree is no number of cycles.
"""

from typing import NamedTuple

from cdna.lds.service import alternatives, service


class Conflicts(NamedTuple):
    """What a pattern does. degrees: one a group; least: what the group's own amount of data costs at best."""

    service: object  # Service
    degrees: tuple
    worst: int
    least: tuple
    busiest: tuple  # a bank of the highest degree, one a group, None for a group without active lanes


def group_degree(addresses, width, banks):
    """Return how many DWORDs the busiest bank of one group must deliver.

    Args: addresses: LDS byte address of each lane of the group, None for an inactive lane; width: bytes a lane;
      banks: how many, each 4 bytes wide.
    """
    return _count(addresses, width, banks)[0]


def conflicts(addresses, groups_of):
    """Return the degree of each service group for one pattern.

    Args: addresses: one LDS byte address a lane of the wave, None for an inactive lane; groups_of: a Service.
    Raises: ValueError: another number of addresses than lanes, or an address that is not an integer of 0 or more.
    Claims: LDS-011, LDS-012
    """
    count = max([max(group) for group in groups_of.groups]) + 1
    if len(addresses) != count:
        raise ValueError(f"addresses: {len(addresses)} given, one for each of the {count} lanes of a wave")
    for lane in range(count):
        address = addresses[lane]
        if address is not None and (type(address) is not int or address < 0):
            raise ValueError(f"addresses[{lane}]={address!r}: an integer of 0 or more, or null for an inactive lane")
    degrees, least, busiest = [], [], []
    for group in groups_of.groups:
        degree, words, bank = _count([addresses[lane] for lane in group], groups_of.width, groups_of.banks)
        degrees.append(degree)
        least.append((words + groups_of.banks - 1) // groups_of.banks)
        busiest.append(bank)
    return Conflicts(groups_of, tuple(degrees), max(degrees), tuple(least), tuple(busiest))


def _count(addresses, width, banks):
    """(degree, different DWORDs, busiest bank) of one group."""
    words = set()
    for address in addresses:
        if address is not None:
            words.update(range(address // 4, (address + width - 1) // 4 + 1))
    asked = [0] * banks
    for word in words:
        asked[word % banks] += 1
    degree = max(asked)
    return degree, len(words), asked.index(degree) if words else None


def misaligned(addresses, width):
    """Return the lanes whose address is no multiple of the access: the published groups were found with aligned ones.

    Args: addresses: as for `conflicts`; width: bytes. 12-byte accesses are asked to be multiples of 4.
    """
    step = 4 if width == 12 else width
    return tuple([lane for lane in range(len(addresses)) if addresses[lane] is not None and addresses[lane] % step])


def across_targets(addresses_of, op, targets=("gfx942", "gfx950", "gfx1250"), assume=None):
    """Return the same pattern on several targets: [(target, Conflicts or None, why not)].

    Args: addresses_of: a function from the number of lanes to one address a lane; op: such as "ds_read_b128"; assume:
      as for `service`; a target whose waves are shorter than what is assumed has no answer.
    Claims: LDS-014
    """
    found = []
    for target in targets:
        try:
            groups = service(target, op, assume)
        except ValueError as error:
            found.append((target, None, str(error)))
            continue
        count = sum([len(group) for group in groups.groups])
        found.append((target, conflicts(addresses_of(count), groups), None))
    return found


def other_readings(addresses, target, op, assume=None):
    """Return what other published readings of the same opcode give: [(claim, position, note, Conflicts)]."""
    return [
        (claim, position, note, conflicts(addresses, other))
        for claim, position, other, note in alternatives(target, op, assume)
    ]


def rows_and_chunks(row_bytes, width, count, rows=16):
    """Return the pattern of a matrix operand: lane l reads chunk l // rows of row l % rows.

    Args: row_bytes: bytes from row to row; width: bytes of a chunk; count: lanes; rows: how many.
    """
    return [lane % rows * row_bytes + lane // rows * width for lane in range(count)]
