# SPDX-License-Identifier: Apache-2.0
"""The barrier cell in LDS that a finished tensor instruction may signal: where it is, what it holds, and who wakes.

A cell is 64 bits: a pending count in the low bits, a phase above it up to bit 31, and the count to reload in the upper
half. An arrival takes one from the pending count. When the count rolls under, the phase goes down by one, the count is
loaded again and the waves that sleep on the cell wake. So a phase ends with the arrival after the count has reached 0,
and a cell for n arrivals is made with n - 1.

Sources disagree on where the phase begins; `LAYOUTS` holds every layout given, and no function picks one. For a width
of 32 no bit is left for a phase, and the manual gives two rules that exclude each other: such a cell can be
read, but not arrived at.
"""

from typing import NamedTuple

from ..lds.barrier import arrive as _count_down

ADDRESS_STEP = 8  # bytes: the cell is 64-bit aligned, TDM-098
ADDRESS_BITS = 16


class Layout(NamedTuple):
    """Where one source puts the fields of the cell. The phase is what lies between the pending count and bit 31."""

    name: str
    width: int  # bits of the pending count
    reload_bits: int  # bits of the count to reload, from bit 32 up
    says: str  # who says so


LAYOUTS = (
    Layout("emulator-16", 16, 16, "rocJITsu"),
    Layout("compiler-29", 29, 29, "Triton 3.9.0 and MLIR"),
    Layout("manual-21", 21, 16, "the manual's table 70"),
    Layout("manual-28", 28, 16, "the manual's table 70"),
    Layout("manual-29", 29, 16, "the manual's table 70"),
    Layout("manual-31", 31, 16, "the manual's table 70"),
    Layout("manual-32", 32, 16, "the manual's table 70"),
)


class Cell(NamedTuple):
    """The fields of a cell under one layout."""

    pending: int
    phase: int
    reload: int
    rest: int  # what lies above the count to reload


def layout_named(name):
    """Return a layout by name.

    Raises: ValueError: unknown; the message lists the known ones.
    """
    for layout in LAYOUTS:
        if layout.name == name:
            return layout
    raise ValueError(f"layout={name!r}: {', '.join([layout.name for layout in LAYOUTS])}, TDM-099")


def address_of(field):
    """Return the LDS byte address that the field `atomic_barrier_address` stands for.

    Claims: TDM-098
    """
    if not 0 <= field < 1 << ADDRESS_BITS:
        raise ValueError(f"atomic_barrier_address={field!r}: 0..65535, TDM-098")
    return field * ADDRESS_STEP


def field_of(address):
    """Return what to write into `atomic_barrier_address` for an LDS byte address.

    Raises: ValueError: not a multiple of 8 bytes, or out of reach.
    Claims: TDM-098
    """
    if not 0 <= address < ADDRESS_STEP << ADDRESS_BITS or address % ADDRESS_STEP:
        raise ValueError(f"barrier address={address!r}: a multiple of 8 bytes, 0..524280, TDM-098")
    return address // ADDRESS_STEP


def unpack(cell, layout):
    """Return the fields of a 64-bit cell.

    Args: cell: value; layout: a Layout.
    Claims: TDM-099
    """
    if not 0 <= cell < 1 << 64:
        raise ValueError(f"cell={cell!r}: 64 bits")
    low = cell & 0xFFFFFFFF
    high = cell >> 32
    reload = high & ((1 << layout.reload_bits) - 1)
    return Cell(low & ((1 << layout.width) - 1), low >> layout.width, reload, high >> layout.reload_bits)


def pack(pending, phase, reload, layout):
    """Return the 64-bit cell of some fields.

    Raises: ValueError: a field does not fit.
    Claims: TDM-099
    """
    fields = (
        ("pending", pending, layout.width),
        ("phase", phase, 32 - layout.width),
        ("reload", reload, layout.reload_bits),
    )
    for name, value, bits in fields:
        if not 0 <= value < 1 << bits:
            raise ValueError(f"{name}={value!r}: 0..{(1 << bits) - 1} in layout {layout.name}, TDM-099")
    return reload << 32 | phase << layout.width | pending


def make(arrivals, layout):
    """Return a fresh cell in phase 0 whose phase ends with that many arrivals.

    Args: arrivals: 1 or more.
    Claims: TDM-099
    """
    return pack(arrivals - 1, 0, arrivals - 1, layout)


def arrive(cell, layout):
    """Return (cell, woken) after one arrival: woken when the count rolled under and sleepers go on.

    Raises: ValueError: a width of 32, whose roll-over is contradicted.
    Claims: TDM-097, TDM-099
    """
    if layout.width > 31:
        raise ValueError(f"layout={layout.name}: two rules are given for the roll-over of a width of 32, TDM-099")
    before = unpack(cell, layout)
    kept = cell & (1 << 32 + layout.reload_bits) - 1
    after = _count_down(kept, layout.width) | cell >> 32 + layout.reload_bits << 32 + layout.reload_bits
    return after, before.pending == 0


def arrivals(cell, layout, count):
    """Return what a number of arrivals does to a cell, one by one, as a list of (cell, woken)."""
    found = []
    for _ in range(count):
        cell, woken = arrive(cell, layout)
        found.append((cell, woken))
    return found


def phase_bit(layout):
    """Return the number of the bit that flips with every phase, or None where no bit is left for one."""
    return layout.width if layout.width < 32 else None


def seen_phases(cell, layout, bit, phases):
    """Return after how many of the next phase ends a bit of the cell has changed against the phase before, one by one.

    A waiter that watches a bit of another layout sees some changes and misses others, and then sleeps for ever.
    Args: cell: at the start; layout: by which the cell is counted; bit: what the waiter watches; phases: how many.
    Returns: a list of bool, one for each end of a phase.
    Claims: TDM-099
    """
    seen = []
    for _ in range(phases):
        before = cell >> bit & 1
        woken = False
        while not woken:
            cell, woken = arrive(cell, layout)
        seen.append(before != cell >> bit & 1)
    return seen


def side_by_side(cell):
    """Return the same 64 bits read under every layout, as a list of (Layout, Cell)."""
    return [(layout, unpack(cell, layout)) for layout in LAYOUTS]
