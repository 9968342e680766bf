# SPDX-License-Identifier: Apache-2.0
"""A reference matrix multiply through the layouts of gfx1250: scatter into lanes, multiply, gather the result.

Operands may be laid out under one position and read under another: what a kernel would see that goes by the wrong one.
Sums are exact for integers and rounded by this machine's floats otherwise; a device's order of sums is not modelled.
Claims: WMMA-005, WMMA-018.
"""

from cdna.mfma.multiply import compress, decoder, gather, scatter, signed
from cdna.mfma.opcodes import MatrixError

from .layouts import count_items, layout, table
from .opcodes import BITS, LANES, TARGET, element_type, on_target

__all__ = ["compress", "multiply"]
OPTIONS = ("positions", "scale_a", "scale_b", "a_format", "b_format", "index_key", "other", "loaded")


def multiply(name, a, b, c=None, decode_a=None, decode_b=None, **options):
    """Return D = C + A x B as numbers d[0][i][j], computed from operands that went through their registers.

    Args: name: the instruction; a: codes a[0][i][k]; for SWMMAC kept codes a[0][i][K / 2], two of every four; b: codes
      b[0][k][j]; c: numbers c[0][i][j], default zero; decode_a, decode_b: make a number of a code, default by type;
      options: positions[0][i][K / 2] (0 to 3) of the kept codes; scale_a[i][block], scale_b[block][j]: E8M0 bytes,
      default 127; a_format, b_format, index_key, other: as in layouts.layout; loaded: like other, for laying out only.
    Raises: MatrixError: what does not fit.
    """
    op = on_target(name)
    for word in options:
        if word not in OPTIONS:
            raise MatrixError("option", word, ", ".join(OPTIONS))
    read = dict([(word, options[word]) for word in ("a_format", "b_format", "index_key", "other") if word in options])
    laid = dict(read)
    laid["other"] = options.get("loaded", read.get("other", ()))
    left = _operand(op, "A", a, decode_a, options, read, laid)
    right = _operand(op, "B", b, decode_b, options, read, laid)
    scales = _scales(op, options, read, laid)
    where = layout(name, TARGET, "D", **read)
    held = [[0] * count_items(where) for _ in range(LANES)]
    for _, i, j, lane, vgpr, lo, _ in table(where):
        total = c[0][i][j] if c else 0
        total += _dot(op, left[i], right, j, scales, i)
        held[lane][(32 * vgpr + lo) // where.item_bits] = total
    d = [[0] * op.n for _ in range(op.m)]
    for _, i, j, lane, vgpr, lo, _ in table(where):
        d[i][j] = held[lane][(32 * vgpr + lo) // where.item_bits]
    return [d]


def _operand(op, matrix, values, make, options, read, laid):
    """Scatter A or B as it was laid out, gather it as the instruction reads it; return numbers [i][j]."""
    kind = element_type(op, matrix, options.get("a_format") or "fp8", options.get("b_format") or "fp8")
    make = make or _decoder(kind)
    bits = BITS[kind]
    where = layout(op.mnemonic, TARGET, matrix, **read)
    first = layout(op.mnemonic, TARGET, matrix, **laid)
    if not (op.sparse and matrix == "A"):
        codes = gather(where, scatter(first, values))
        return [[make(code) for code in row] for row in codes[0]]
    positions = options.get("positions")
    if positions is None:
        raise MatrixError("positions", None, "two of 0 to 3 for every four values along K", "WMMA-010")
    kept = gather(where, scatter(first, [[_pairs(row, bits) for row in values[0]]]))[0]
    at = scatter(layout(op.mnemonic, TARGET, "index", **laid), [[_pairs(row, 2) for row in positions[0]]])
    index = gather(layout(op.mnemonic, TARGET, "index", **read), at)[0]
    full = [[0] * op.k for _ in range(op.m)]
    for i in range(op.m):
        for slot in range(op.k // 4):
            for half in range(2):
                code = kept[i][slot] >> (bits * half) & (2**bits - 1)
                full[i][4 * slot + (index[i][slot] >> (2 * half) & 3)] += make(code)
    return full


def _scales(op, options, read, laid):
    """Return (scale bytes of A [i][block], of B [block][j]) as the instruction reads them, or None."""
    found = []
    for word in ("scale_a", "scale_b"):
        if not op.scale_block:
            if options.get(word):
                raise MatrixError(word, "given", op.mnemonic + " reads no scales", "WMMA-013")
            continue
        where = layout(op.mnemonic, TARGET, word, **_no_formats(read))
        plain = [[127] * where.shape[2] for _ in range(where.shape[1])]
        first = layout(op.mnemonic, TARGET, word, **_no_formats(laid))
        found.append(gather(where, scatter(first, [options.get(word) or plain]))[0])
    return found or None


def _dot(op, row, columns, j, scales, i):
    """Sum over K of one row of A and column j of B, block of scales by block of scales."""
    if not scales:
        return sum([row[k] * columns[k][j] for k in range(op.k)])
    total = 0
    for block in range(op.k // op.scale_block):
        first = block * op.scale_block
        part = sum([row[k] * columns[k][j] for k in range(first, first + op.scale_block)])
        total += part * _scale(scales[0][i][block]) * _scale(scales[1][block][j])
    return total


def _scale(byte):
    """E8M0: two to the power of the byte less 127; 255 is not a number."""
    return float("nan") if byte == 255 else 2.0 ** (byte - 127)


def _decoder(kind):
    """Return the function that makes a number of a code; iu8 and iu4 are taken as signed."""
    if kind in ("iu8", "iu4"):
        return lambda code: signed(code, BITS[kind])
    return decoder(kind, TARGET)


def _pairs(row, bits):
    return [row[at] | row[at + 1] << bits for at in range(0, len(row), 2)]


def _no_formats(given):
    return dict([(word, given[word]) for word in given if word not in ("a_format", "b_format")])
