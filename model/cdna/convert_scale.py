# SPDX-License-Identifier: Apache-2.0
"""Which byte of which lane scales a conversion from FP4, FP6 or FP8 on gfx1250, by its `scale_sel`."""

from cdna.formats import FormatError, format_named


def scale_byte(fmt, selection, lane):
    """Return (lane, byte): where the E8M0 scale of a lane's numbers stands in the scale register.

    Args: fmt: the Format converted from, or its name; selection: 0 to 15; lane: 0 to 31. As the guide's tables have it:
      bit 0 chooses the half of the wave that holds the scales; bit 2 with FP4 and FP6, bit 3 with FP8, blocks of 16.
    Raises: FormatError: no such format, selection or lane, or a selection that the guide reserves.
    Claims: FMT-071, FMT-072
    """
    fmt = format_named(fmt) if isinstance(fmt, str) else fmt
    if fmt.name not in ("e4m3fn", "e5m2", "e2m3", "e3m2", "e2m1"):
        raise FormatError("format", fmt.name, "e4m3fn, e5m2, e2m3, e3m2 or e2m1", "FMT-071")
    if not 0 <= selection <= 15:
        raise FormatError("scale_sel", selection, "0 to 15", "FMT-072")
    if not 0 <= lane <= 31:
        raise FormatError("lane", lane, "0 to 31", "FMT-071")
    bit = [selection >> place & 1 for place in range(4)]
    upper, row = lane // 16, lane % 16
    if fmt.bits < 8:
        return 16 * bit[0] + row, bit[1] + 2 * upper if bit[2] else 2 * bit[1] + upper
    if not bit[3]:
        return 16 * bit[0] + row, 2 * bit[1] + bit[2]
    if bit[2]:
        raise FormatError("scale_sel", selection, "reserved for FP8 in blocks of 16", "FMT-072")
    return 16 * bit[1] + row, 2 * bit[1] + upper  # as printed, where bit 0 does nothing
