# SPDX-License-Identifier: Apache-2.0
"""When a tensor instruction reports MEMVIOL: addresses outside the LDS allocation, or outside the global aperture.

The engine goes on to the end of the descriptor and reports once for the whole operation, so a report says neither
which transfer nor which field was wrong. An LDS address outside the allocation counts only while
`LDS_CONFIG.ADDR_OUT_OF_RANGE_REPORTING` is set. Where scratch, LDS and the hole lie in the address space depends on
the system, so the caller gives the ranges.

Boundary: from one article's quotations of the manual; page faults (XNACK) are another matter and not modelled.
"""

from typing import NamedTuple

from .walk import lds_map


class Report(NamedTuple):
    """What comes back from one operation."""

    memviol: int  # reports of the operation: 0 or 1
    causes: tuple  # "lds" and names of the ranges touched, each once, in the order in which they were met
    elements: int  # elements with an address that counts


def report(fields, op, lds_size, apertures=(), lds_reporting=True, null_groups=()):
    """Say what an operation reports.

    Args: fields: raw encoded descriptor fields; op: "load" or "store"; lds_size: bytes of the allocation; apertures:
      (name, first byte, byte after the last) of what is not global memory; lds_reporting: whether addresses outside the
      allocation are reported; null_groups: as for `transfer.run`.
    Returns: a Report. Elements out of the tensor's bounds touch no memory and count for LDS only.
    Raises: FieldError: as `transfer.run`; ValueError: more elements than `walk.lds_map` lists.
    Claims: TDM-109, TDM-110
    """
    size = 1 << fields.get("data_size", 0)
    causes = []
    elements = 0
    for landing in lds_map(fields, op, lds_size, null_groups):
        met = []
        # The quotation speaks of a tile address, in bounds of the tensor or not: an element that a store drops has one.
        if lds_reporting and landing.lds + size > lds_size:
            met.append("lds")
        if landing.address is not None:
            for name, low, high in apertures:
                if landing.address < high and landing.address + size > low:
                    met.append(name)
        if met:
            elements += 1
        causes += [name for name in met if name not in causes]
    return Report(1 if causes else 0, tuple(causes), elements)
