# SPDX-License-Identifier: Apache-2.0
"""LDS padding of tensor loads: the two codes, and where a padded byte lands.

The engine leaves a gap of `amount` bytes each time it has stored `interval` bytes, counted over the whole tile from
lds_addr, not per row. Both are DWORDs in the descriptor, whatever the element size. The gap after the last interval
is never written.
"""

from typing import NamedTuple

from .descriptor import FieldError, is_integer

MAX_INTERVAL_BYTES = 1024
MAX_AMOUNT_BYTES = 512
MAX_ROWS = 65535  # what tile_dim1 can hold


class PadPlan(NamedTuple):
    """Padding after every row, or every interval: the codes (None for none) and what they make of the rows in LDS."""

    interval_code: object
    amount_code: object
    row_stride: object  # bytes from one row's start to the next, None where the rows differ
    row_starts: tuple  # bytes from lds_addr
    written_bytes: int  # from the first byte of the tile to the last one written
    reserved_bytes: int  # with the gap after the last row or interval


def interval_code(dwords):
    """Return the pad_interval code for a gap after every so many DWORDs.

    Args: dwords: a power of two, 2 to 256.
    Raises: FieldError: anything else.
    Claims: TDM-031
    """
    for code in range(8):
        if is_integer(dwords) and dwords == 2 << code:
            return code
    raise FieldError("interval_dwords", dwords, "a power of two from 2 to 256 DWORDs", "TDM-031")


def amount_code(dwords):
    """Return the pad_amount code for a gap of so many DWORDs.

    Args: dwords: 1 to 128.
    Raises: FieldError: anything else.
    Claims: TDM-032
    """
    if not is_integer(dwords) or dwords < 1 or dwords > 128:
        raise FieldError("amount_dwords", dwords, "1 to 128 DWORDs", "TDM-032")
    return dwords - 1


def interval_bytes(code):
    """Return how many bytes are stored before each gap.

    Args: code: pad_interval, 0..7.
    Raises: FieldError: another code.
    Claims: TDM-031
    """
    if not is_integer(code) or code < 0 or code > 7:
        raise FieldError("pad_interval", code, "0..7 (2 to 256 DWORDs)", "TDM-031")
    return 8 << code


def amount_bytes(code):
    """Return how many bytes each gap leaves.

    Args: code: pad_amount, 0..127.
    Raises: FieldError: another code.
    Claims: TDM-032, TDM-041
    """
    if not is_integer(code) or code < 0 or code > 127:
        raise FieldError("pad_amount", code, "0..127 (1 to 128 DWORDs)", "TDM-032")
    return 4 * (code + 1)


def padded_offset(byte, interval, amount):
    """Return where a byte of the packed tile lands.

    Args: byte: offset in the packed tile; interval, amount: bytes; an interval of 0 means no padding.
    Returns: offset from lds_addr, in bytes.
    Claims: TDM-038
    """
    return byte + byte // interval * amount if interval else byte


def written_bytes(size, interval, amount):
    """Return how far a padded tile reaches: the offset after the last byte written.

    Args: size: bytes of the packed tile; interval, amount: bytes; an interval of 0 means no padding.
    Claims: TDM-038
    """
    return padded_offset(size - 1, interval, amount) + 1 if size else 0


def reserved_bytes(size, interval, amount):
    """Return the bytes of a padded tile with the gap after its last full interval, which the engine never writes.

    Args: size: bytes of the packed tile; interval, amount: bytes; an interval of 0 means no padding.
    Claims: TDM-038
    """
    return padded_offset(size, interval, amount)


def wave_start(wave, chunk_bytes, interval, amount):
    """Return where one wave's share of a padded tile starts, when the waves cut one tile into equal chunks.

    The gaps are those of the total offset. A chunk's own padding times the wave number is another formula: it is
    wrong as soon as one chunk is no multiple of the interval.

    Args: wave: 0, 1, ...; chunk_bytes: packed bytes of one wave; interval, amount: bytes.
    Returns: offset from the tile's lds_addr, in bytes.
    Claims: TDM-038
    """
    return padded_offset(wave * chunk_bytes, interval, amount)


def codes(interval_dwords, amount_dwords):
    """Return the fields that ask for a gap of so many DWORDs after every so many DWORDs.

    Args: interval_dwords: a power of two, 2 to 256; amount_dwords: 1 to 128.
    Raises: FieldError: not expressible.
    Claims: TDM-031, TDM-032
    """
    interval = interval_code(interval_dwords)
    return {"pad_enable": 1, "pad_interval": interval, "pad_amount": amount_code(amount_dwords)}


def pad_plan(row_bytes, pad_bytes, element_bytes=1, rows=1, interval_bytes=None):
    """Return the codes that leave a gap after every row or after every so many bytes, and where the rows then start.

    Args: row_bytes: packed bytes of a row; pad_bytes: bytes of the gap, 0 for none; element_bytes: 1, 2, 4 or 8;
      rows: 1 to 65535; interval_bytes: packed bytes before each gap, None for a row.
    Returns: PadPlan.
    Raises: FieldError: no single pair of codes does that.
    Claims: TDM-031, TDM-032, TDM-034, TDM-035
    """
    if not is_integer(element_bytes) or element_bytes not in (1, 2, 4, 8):
        raise FieldError("element_bytes", element_bytes, "1, 2, 4 or 8 bytes", "TDM-012")
    if not is_integer(rows) or rows < 1 or rows > MAX_ROWS:
        raise FieldError("rows", rows, "1 to 65535 rows", "TDM-023")
    if not is_integer(row_bytes) or row_bytes < 1 or row_bytes % element_bytes:
        raise FieldError("row_bytes", row_bytes, f"a positive multiple of the {element_bytes}-byte element", "TDM-023")
    if row_bytes // element_bytes > 65535:
        raise FieldError("row_bytes", row_bytes, f"at most 65535 elements of {element_bytes} bytes", "TDM-023")
    if not is_integer(pad_bytes) or pad_bytes < 0 or pad_bytes % 4 or pad_bytes > MAX_AMOUNT_BYTES:
        raise FieldError("pad_bytes", pad_bytes, "0, or a multiple of 4 up to 512 bytes (1 to 128 DWORDs)", "TDM-032")
    if interval_bytes is None:
        interval_bytes = row_bytes
    if pad_bytes and interval_bytes not in [8 << code for code in range(8)]:
        if interval_bytes == row_bytes:
            raise FieldError("row_bytes", row_bytes, _no_interval(row_bytes, pad_bytes), "TDM-031")
        raise FieldError("interval_bytes", interval_bytes, "8, 16, 32 ... or 1024 bytes (2 to 256 DWORDs)", "TDM-031")
    if pad_bytes and row_bytes % 4:
        raise FieldError("row_bytes", row_bytes, "a multiple of 4 bytes with padding", "TDM-035")
    size, interval = row_bytes * rows, interval_bytes if pad_bytes else 0
    even = not pad_bytes or row_bytes % interval == 0
    return PadPlan(
        interval_code(interval // 4) if pad_bytes else None,
        amount_code(pad_bytes // 4) if pad_bytes else None,
        padded_offset(row_bytes, interval, pad_bytes) if even else None,
        tuple(padded_offset(row * row_bytes, interval, pad_bytes) for row in range(rows)),
        written_bytes(size, interval, pad_bytes),
        reserved_bytes(size, interval, pad_bytes),
    )


def _no_interval(row_bytes, pad_bytes):
    text = "a gap after every row needs rows of 8, 16, 32 ... or 1024 bytes (2 to 256 DWORDs)"
    for code in range(7, -1, -1):
        interval = 8 << code
        gaps = row_bytes // interval
        if row_bytes % interval == 0 and pad_bytes % (4 * gaps) == 0:
            within = f"; {gaps} gaps of {pad_bytes // gaps} bytes a row, one after every {interval} bytes, give the "
            return text + within + "same row stride, but cut the row"
    if row_bytes > MAX_INTERVAL_BYTES:
        return text + "; load longer rows unpadded, or one row a pass with iterate"
    return text + "; any other row: one row a pass with iterate"
