# SPDX-License-Identifier: Apache-2.0
"""Lists of row numbers for gather and scatter: in what order they stand, how they split, what bounds promise for them.

The list is read from its first entry on, and row i of the tile is the row that entry i names; an index may repeat.
What the bounds do with an index outside the tensor is promised for non-decreasing lists only, so an index that comes
from data is either sorted or checked before use.
"""

from typing import NamedTuple

ORDERS = ("increasing", "non-decreasing", "descending")
INDEX_BITS = (16, 32)


class Batch(NamedTuple):
    """The rows of one instruction."""

    index_bits: int
    rows: tuple


def order_of(rows):
    """Say how a list of row numbers is ordered.

    Args: rows: row numbers in list order.
    Returns: "increasing" when each is greater than the one before, "non-decreasing" when none is smaller, else
      "descending"; a list of fewer than two rows is increasing.
    Claims: TDM-068, TDM-129
    """
    found = "increasing"
    for i in range(1, len(rows)):
        if rows[i] < rows[i - 1]:
            return "descending"
        if rows[i] == rows[i - 1]:
            found = "non-decreasing"
    return found


def bounds_promised(rows, tensor_rows):
    """Say whether the manual promises what happens at the bounds for a list.

    Args: rows: row numbers in list order; tensor_rows: `tensor_dim1`.
    Returns: False for a list that goes down somewhere and holds an index outside the tensor, else True.
    Claims: TDM-070, TDM-074
    """
    outside = [row for row in rows if row >= tensor_rows]
    return not outside or order_of(rows) != "descending"


def slots(index_bits):
    """Return how many row numbers one descriptor holds: its last eight registers, full of indices.

    Args: index_bits: 16 or 32.
    Raises: ValueError: another width.
    Claims: TDM-067
    """
    if index_bits not in INDEX_BITS:
        raise ValueError(f"index_bits={index_bits!r}: 16 or 32, TDM-067")
    return 8 * 32 // index_bits


def batches(rows, index_bits=None):
    """Split a list of any length into instructions, order kept.

    Args: rows: row numbers; index_bits: 16 or 32; None takes 16 when every row fits and 32 otherwise.
    Returns: a list of Batch.
    Raises: ValueError: a row that does not fit, or another width.
    Claims: TDM-067, TDM-068
    """
    rows = list(rows)
    if index_bits is None:
        index_bits = 16 if all(row < 1 << 16 for row in rows) else 32
    size = slots(index_bits)
    for row in rows:
        if not 0 <= row < 1 << index_bits:
            raise ValueError(f"row_indices: {row}: 0..{(1 << index_bits) - 1} with {index_bits} bits, TDM-067")
    return [Batch(index_bits, tuple(rows[at : at + size])) for at in range(0, len(rows), size)]
