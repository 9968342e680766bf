# SPDX-License-Identifier: Apache-2.0
"""What an arrival does to the 64-bit barrier cell in LDS, for each layout that a source gives.

The layout is disputed: the width of the pending count is 16 in one emulator, 29 in what compilers emit, and one of
21, 28, 29, 31 and 32 in the manual as quoted. `arrive` takes the width; it picks none. An arrival lowers the pending
count; when that rolls under, the phase above it goes down by one, wrapping, and the count is reloaded from the upper
half. The roll-over rule for width 32, which leaves no bit for a phase, is contradicted inside the manual.
"""


def arrive(cell, width):
    """Return the cell after one arrival.

    Args: cell: 64-bit value; width: bits of the pending count, 1 to 31; the phase fills the rest of the lower 32 bits.
    Returns: 64-bit value.
    Raises: ValueError: another width.
    """
    if not 1 <= width <= 31:
        raise ValueError(f"width={width}: 1..31")
    mask = (1 << width) - 1
    pending = cell & mask
    phase = (cell >> width) & ((1 << (32 - width)) - 1)
    initial = cell >> 32
    if pending:
        pending -= 1
    else:
        pending = initial & mask
        phase = (phase - 1) & ((1 << (32 - width)) - 1)
    return initial << 32 | phase << width | pending
