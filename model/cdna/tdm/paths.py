# SPDX-License-Identifier: Apache-2.0
"""What a tile costs on each of the three ways from global memory to LDS: instructions, waits and registers.

A chunk is what one per-lane instruction of a wave moves: lanes times bytes per lane. The round trip through registers
needs two instructions a chunk, the asynchronous copy one; the Tensor Data Mover needs one for the whole tile.

Boundary: counts of the copy alone, for one wave. Arithmetic on addresses, loop control and barriers are left out, since
they depend on the loop that a program writes; nothing here is a time. Addresses are counted as one 32-bit offset a lane
from a scalar base, the smallest form; a full 64-bit address takes one register more.
"""

from typing import NamedTuple

PATHS = ("round-trip", "async", "tdm")
LANE_BYTES = (1, 4, 8, 16)  # what both per-lane paths can move in one instruction


class Cost(NamedTuple):
    """One tile on one path. Registers are those that hold something while the copy is under way."""

    path: str
    chunks: int  # per-lane instructions that one pass over the tile takes; 1 for the engine
    loads: int  # instructions that read global memory
    lds_stores: int  # instructions that write LDS from registers
    waits: int  # least waits on a counter
    data_vgprs: int  # VGPRs a lane that hold tile data in transit
    address_vgprs: int  # VGPRs a lane that hold addresses: a global offset, an LDS address
    descriptor_sgprs: int
    addresses_by: str  # "lane" or "engine": who computes an address for every element
    loops_by: str  # "program" or "engine": who walks the dimensions
    counters: tuple  # the counters that the copy is waited on with


def chunk_bytes(lane_bytes=16, lanes=32):
    """Return the bytes that one per-lane instruction of a wave moves at most.

    Args: lane_bytes: bytes a lane, one of LANE_BYTES; lanes: lanes of a wave, each with an address of its own.
    Raises: ValueError: another width.
    Claims: TDM-117
    """
    if lane_bytes not in LANE_BYTES:
        raise ValueError(f"lane_bytes={lane_bytes!r}: 1, 4, 8 or 16, TDM-117")
    return lane_bytes * lanes


def chunks_of(rows, row_bytes, lane_bytes=16, lanes=32):
    """Return how many per-lane instructions one pass over a tile takes; the last may leave lanes idle.

    Args: rows: rows of the tile; row_bytes: bytes of a row, a multiple of lane_bytes, so that no lane crosses a row.
    Raises: ValueError: an empty tile, or rows that do not divide into lanes.
    Claims: TDM-117, TDM-119
    """
    if rows < 1 or row_bytes < 1:
        raise ValueError(f"tile of {rows} rows of {row_bytes} bytes: at least 1 row of 1 byte, TDM-119")
    chunk = chunk_bytes(lane_bytes, lanes)
    if row_bytes % lane_bytes:
        raise ValueError(f"row_bytes={row_bytes}: a multiple of {lane_bytes} bytes a lane, TDM-117")
    return -(-rows * row_bytes // chunk)


def cost(path, rows, row_bytes, lane_bytes=16, lanes=32, in_flight=None, full=False):
    """Return what a path spends on a two-dimensional tile.

    Args: path: one of PATHS; rows, row_bytes: the tile; lane_bytes, lanes: of a per-lane instruction; in_flight: chunks
      that the round trip keeps in registers at once, all of them when None; full: the descriptor with all four groups.
    Returns: a Cost.
    Raises: ValueError: an unknown path, or a tile as in `chunks_of`.
    Claims: TDM-003, TDM-116, TDM-119
    """
    if path == "tdm":
        if rows < 1 or row_bytes < 1:
            raise ValueError(f"tile of {rows} rows of {row_bytes} bytes: at least 1 row of 1 byte, TDM-119")
        sgprs = 20 if full else 12
        return Cost(path, 1, 1, 0, 1, 0, 0, sgprs, "engine", "engine", ("TENSORcnt",))
    if path not in PATHS:
        raise ValueError(f"path={path!r}: {', '.join(PATHS)}")
    chunks = chunks_of(rows, row_bytes, lane_bytes, lanes)
    if path == "async":
        return Cost(path, chunks, chunks, 0, 1, 0, 2, 0, "lane", "program", ("ASYNCcnt",))
    kept = chunks if in_flight is None else in_flight
    if not 1 <= kept <= chunks:
        raise ValueError(f"in_flight={in_flight!r}: 1..{chunks}, the chunks of the tile")
    batches = -(-chunks // kept)
    data = kept * (-(-lane_bytes // 4))
    # One wait for each batch of loads, and one for the last stores into LDS.
    return Cost(path, chunks, chunks, chunks, batches + 1, data, 2, 0, "lane", "program", ("LOADcnt", "DScnt"))


def instructions(spent):
    """Return the copy instructions of a Cost, waits not counted.

    Claims: TDM-116
    """
    return spent.loads + spent.lds_stores


def vgprs(spent):
    """Return the VGPRs a lane of a Cost, data and addresses together.

    Claims: TDM-116, TDM-120
    """
    return spent.data_vgprs + spent.address_vgprs


def table(tiles, lane_bytes=16, lanes=32):
    """Return, for each tile, the three costs side by side.

    Args: tiles: (rows, row_bytes) of each tile.
    Returns: a list of ((rows, row_bytes), (Cost, Cost, Cost)) in the order of PATHS.
    Claims: TDM-116, TDM-119
    """
    return [
        ((rows, size), tuple([cost(path, rows, size, lane_bytes, lanes) for path in PATHS])) for rows, size in tiles
    ]
