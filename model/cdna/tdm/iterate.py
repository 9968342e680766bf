# SPDX-License-Identifier: Apache-2.0
"""Gaps in LDS after blocks of rows: by the padding fields where they reach, else by repeating a smaller copy.

A gap after every block of more than 1024 bytes has no padding code, nor has one after a block that is no power of two
of DWORDs, or a gap above 512 bytes. The engine then copies one block a pass, and the step of the LDS address leaves the
gap; the padding fields must be clear, or both would act.

At a ragged edge the number of passes follows from the rows that are left, never from the whole tile.
"""

from typing import NamedTuple

from .fields import FieldError, check_value, field_named, is_integer
from .pad import MAX_INTERVAL_BYTES, MAX_ROWS, codes


class GapPlan(NamedTuple):
    """The fields that leave the gaps, and where the blocks then start."""

    mode: str  # "packed", "padding" or "iterate"
    fields: dict  # raw fields: padding or iteration, tile_dim1, and the increments
    block_starts: tuple  # bytes from lds_addr


class Passes(NamedTuple):
    """The passes over the rows that are left of a tile at the edge."""

    rows: int  # rows that are left, at most those of the tile and at least 0
    passes: int  # to reach them all, the last one possibly short; 0 when none is left
    iterate_count: int  # the field for that many passes; 0, the least there is, when none is left
    rows_past: int  # rows of the last pass that are past the tensor, where sources disagree
    whole_passes: int  # passes that lie wholly inside the tensor
    rows_rest: int  # rows behind those, for an instruction of their own


def passes_left(rows_left, rows_per_pass, tile_rows=None):
    """Return how many passes the rows at an edge need, and how many of them stay inside the tensor.

    Args: rows_left: of the tensor from the first row of this wave on; below 0 when it starts past the end;
      rows_per_pass: `tile_dim1` of one pass; tile_rows: rows of a whole tile, None for no limit.
    Returns: Passes. `tensor_dim1` is `rows` in every case; with 0 rows a pass still runs, loads zeros and stores
      nothing; `count` 0 runs none.
    Raises: FieldError: no rows in a pass, or more passes than the field's documented range.
    Claims: TDM-043, TDM-077, TDM-128
    """
    for name, value in (("rows_per_pass", rows_per_pass), ("tile_rows", 1 if tile_rows is None else tile_rows)):
        if not is_integer(value) or value < 1:
            raise FieldError(name, value, "1 or more", "TDM-076")
    if not is_integer(rows_left):
        raise FieldError("rows_left", rows_left, "an integer", "TDM-045")
    rows = max(0, rows_left if tile_rows is None else min(rows_left, tile_rows))
    passes = -(-rows // rows_per_pass)
    if passes > 256:
        raise FieldError("iterate_count", passes - 1, "0..255 (1 to 256 passes)", "TDM-077")
    whole = rows // rows_per_pass
    return Passes(rows, passes, max(passes, 1) - 1, passes * rows_per_pass - rows, whole, rows % rows_per_pass)


def gap_plan(row_bytes, rows, row_stride, element_bytes, block_bytes, gap_bytes, reader_block_bytes=None):
    """Return how to leave a gap after every block of whole rows.

    Args: row_bytes: packed bytes of a row; rows: of the whole tile; row_stride: elements from row to row in memory;
      element_bytes: 1, 2, 4 or 8; block_bytes: packed bytes between gaps; gap_bytes: of the gap, 0 for none;
      reader_block_bytes: the block that the code which reads LDS expects, None for the same.
    Returns: GapPlan.
    Raises: FieldError: neither codes nor whole rows, a block that the reader does not share, or no end of passes.
    Claims: TDM-023, TDM-031, TDM-032, TDM-035, TDM-077, TDM-078
    """
    if element_bytes not in (1, 2, 4, 8):
        raise FieldError("element_bytes", element_bytes, "1, 2, 4 or 8 bytes", "TDM-012")
    for name, value in (("row_bytes", row_bytes), ("rows", rows), ("block_bytes", block_bytes)):
        if not is_integer(value) or value < 1:
            hint = "; a block of 0 would make passes of no row" if name == "block_bytes" else ""
            raise FieldError(name, value, "1 or more" + hint, "TDM-078")
    if rows > MAX_ROWS:
        raise FieldError("rows", rows, f"at most {MAX_ROWS} rows", "TDM-023")
    if row_bytes % element_bytes or row_bytes // element_bytes > MAX_ROWS:
        text = f"a multiple of the {element_bytes}-byte element, at most {MAX_ROWS} of them"
        raise FieldError("row_bytes", row_bytes, text, "TDM-023")
    if not is_integer(gap_bytes) or gap_bytes < 0:
        raise FieldError("gap_bytes", gap_bytes, "0 or more", "TDM-078")
    if reader_block_bytes not in (None, block_bytes):
        text = f"the {reader_block_bytes} bytes of the reader's block; a smaller one moves every gap"
        raise FieldError("block_bytes", block_bytes, text, "TDM-038")
    if gap_bytes == 0:
        return GapPlan("packed", {"tile_dim1": rows}, (0,))
    starts = tuple([i * (block_bytes + gap_bytes) for i in range(-(-row_bytes * rows // block_bytes))])
    try:
        if block_bytes % 4 or gap_bytes % 4:
            raise FieldError("gap_bytes", gap_bytes, "whole DWORDs, as the block", "TDM-034")
        if row_bytes % 4:
            raise FieldError("row_bytes", row_bytes, "a multiple of 4 bytes with padding", "TDM-035")
        return GapPlan("padding", dict(codes(block_bytes // 4, gap_bytes // 4), tile_dim1=rows), starts)
    except FieldError as refused:
        no_code = refused
    if block_bytes % row_bytes or row_bytes * rows % block_bytes:
        if block_bytes <= MAX_INTERVAL_BYTES:
            raise no_code
        text = f"a multiple of the row's {row_bytes} bytes that divides the tile's {row_bytes * rows}"
        raise FieldError("block_bytes", block_bytes, text, "TDM-076")
    if (block_bytes + gap_bytes) % element_bytes:
        raise FieldError("gap_bytes", gap_bytes, f"a multiple of the {element_bytes}-byte element", "TDM-078")
    passes, each = len(starts), block_bytes // row_bytes
    if passes > 256:
        raise FieldError("iterate_count", passes - 1, "0..255 (1 to 256 passes)", "TDM-077")
    fields = {
        "pad_enable": 0,
        "iterate_enable": 1,
        "iterate_count": passes - 1,
        "lds_addr_increment": (block_bytes + gap_bytes) // element_bytes,
        "global_addr_increment": each * row_stride,
        "tile_dim1": each,
    }
    for name in ("lds_addr_increment", "global_addr_increment"):
        check_value(field_named(name, "iterate"), fields[name])
    return GapPlan("iterate", fields, starts)
