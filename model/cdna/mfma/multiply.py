# SPDX-License-Identifier: Apache-2.0
"""A reference matrix multiply through the layouts: scatter the operands into lanes, multiply, gather the result.

Registers of a lane are one integer, bit 32 * vgpr + b being bit b of that register. Operands are codes (the bits of each
element); results are numbers. Sums are exact for integers and rounded by this machine's floats otherwise: the order and
the rounding of a device's sums are not modelled.
Claims: MFMA-001, MFMA-052, MFMA-053, MFMA-055, MFMA-057, MFMA-060.
"""

from cdna.formats import IEEE, Format, decode, format_named, value_of

from .layouts import count_items, layout, table
from .opcodes import BITS, LANES, SCALE_BLOCK, MatrixError, element_type, on_target, takes


def scatter(where, values):
    """Return the registers of 64 lanes that hold an operand.

    Args: where: a Layout; values: codes as values[block][i][j], or values[block][i][slot] of two kept codes or two
      positions where an item stands for four values along K.
    Raises: MatrixError: a code that does not fit its bits, or a shape that is not the operand's.
    """
    lanes = [0] * LANES
    _check_shape(where, values)
    for block, i, j, lane, vgpr, lo, hi in table(where):
        if j % where.per_item:
            continue
        code = values[block][i][j // where.per_item]
        if not 0 <= code < 2 ** (hi - lo + 1):
            raise MatrixError(where.matrix, code, "a code of " + str(hi - lo + 1) + " bits")
        lanes[lane] |= code << (32 * vgpr + lo)
    return lanes


def gather(where, lanes):
    """Return the codes of an operand as values[block][i][j], read from the registers of 64 lanes."""
    blocks, rows, columns = where.shape
    values = [[[0] * (columns // where.per_item) for _ in range(rows)] for _ in range(blocks)]
    for block, i, j, lane, vgpr, lo, hi in table(where):
        if j % where.per_item == 0:
            values[block][i][j // where.per_item] = lanes[lane] >> (32 * vgpr + lo) & (2 ** (hi - lo + 1) - 1)
    return values


def multiply(name, target, a, b, c=None, decode_a=None, decode_b=None, **options):
    """Return D = C + A x B as numbers d[block][i][j], computed from operands that went through their registers.

    Args: name, target: the instruction; a: codes a[block][i][k]; for SMFMAC kept codes a[block][i][K / 2], two of every
      four; b: codes b[block][k][j]; c: numbers c[block][i][j], default zero; decode_a, decode_b: make a number of a
      code, default `decoder`; options: positions[block][i][K / 2] (0 to 3) of the kept codes; scale_a[i][K / 32],
      scale_b[K / 32][j]: E8M0 bytes, default 127; cbsz, abid, blgp, a_format, b_format, other: as in layouts.layout.
    Raises: MatrixError: what does not fit.
    """
    op = on_target(name, target)
    known = ("positions", "scale_a", "scale_b", "cbsz", "abid", "blgp", "a_format", "b_format", "other")
    for word in options:
        if word not in known:
            raise MatrixError("option", word, ", ".join(known))
    given = dict([(word, options[word]) for word in known[3:] if word in options])
    files = _fill(op, target, a, b, options, given)
    left = _numbers(op, "A", target, files, decode_a, given)
    right = _numbers(op, "B", target, files, decode_b, given)
    sign_a = -1 if layout(name, target, "A", **given).negate else 1
    sign_b = -1 if layout(name, target, "B", **given).negate else 1
    where_d = layout(name, target, "D", **given)
    sign_c = 1 if op.sparse or not layout(name, target, "C", **given).negate else -1
    held = [[0] * count_items(where_d) for _ in range(LANES)]
    for block, i, j, lane, vgpr, lo, _ in table(where_d):
        total = sign_c * c[block][i][j] if c else 0
        total += sign_a * sign_b * _dot(op, left[block][i], right[block], j, files, i)
        held[lane][(32 * vgpr + lo) // where_d.item_bits] = total
    d = [[[0] * op.n for _ in range(op.m)] for _ in range(op.blocks)]
    for block, i, j, lane, vgpr, lo, _ in table(where_d):
        d[block][i][j] = held[lane][(32 * vgpr + lo) // where_d.item_bits]
    return d


def compress(row, zero=0):
    """Return (kept codes, positions) of one row of a sparse A: of every four codes the two that are not zero.

    Args: row: codes along K; zero: the code of zero. Where fewer than two are not zero, zeros are kept.
    Raises: MatrixError: three or four codes of a group are not zero.
    """
    kept, positions = [], []
    for first in range(0, len(row), 4):
        group = row[first : first + 4]
        chosen = [at for at in range(4) if group[at] != zero]
        if len(chosen) > 2:
            raise MatrixError("a", group, "at most two of four values that are not zero", "MFMA-057")
        spare = [at for at in range(4) if at not in chosen]
        chosen = sorted(chosen + spare[: 2 - len(chosen)])
        kept += [group[at] for at in chosen]
        positions += chosen
    return kept, positions


def relabelling(one, other):
    """Return [K under `other` for each K under `one`]: how two layouts of an operand name the same places along K.

    Args: one, other: Layouts of the same matrix, A or B (or sparse A, its index).
    Two pairs of layouts give the same product exactly when A, B and index are relabelled alike.
    """
    axis = 1 if one.matrix == "B" else 2
    names = {}
    for row in table(other):
        if row[0] == 0 and row[3 - axis] == 0:
            names[row[3:6]] = min(row[axis], names.get(row[3:6], row[axis]))
    found = []
    for row in table(one):
        if row[0] == 0 and row[3 - axis] == 0:
            found.append((row[axis], names[row[3:6]] + row[axis] % one.per_item))
    return [k for _, k in sorted(found)]


def decoder(kind, target):
    """Return the function that makes a number of a code of an element type, on a target (FP8 differs between them).

    Args: kind: a key of opcodes.BITS; target: gfx942 or gfx950.
    """
    if kind == "i8":
        return _signed_byte
    form = _format(kind, target)

    def make(code):
        return value_of(decode(form, code))

    return make


def signed(code, bits):
    """Return the integer that a code in two's complement stands for."""
    return code - 2**bits if code >= 2 ** (bits - 1) else code


def _fill(op, target, a, b, options, given):
    """Scatter the operands as they lie without modifiers; return {matrix: lanes}."""
    formats = dict([(word, given[word]) for word in ("a_format", "b_format", "other") if word in given])
    for word, code in (("a_format", "cbsz"), ("b_format", "blgp")):
        if ("cbsz", "format") in takes(op) and word not in formats:
            formats[word] = given.get(code, 0)
    files = {"B": scatter(layout(op.mnemonic, target, "B", **formats), b)}
    if op.sparse:
        positions = options.get("positions")
        if positions is None:
            raise MatrixError("positions", None, "two of 0 to 3 for every four values along K", "MFMA-057")
        bits = BITS[op.a_type]
        packed = [[_pairs(row, bits) for row in rows] for rows in a]
        files["A"] = scatter(layout(op.mnemonic, target, "A", **formats), packed)
        kept = dict([(word, given[word]) for word in ("cbsz", "abid") if word in given])
        nibbles = [[_pairs(row, 2) for row in rows] for rows in positions]
        files["index"] = scatter(layout(op.mnemonic, target, "index", **kept), nibbles)
    else:
        files["A"] = scatter(layout(op.mnemonic, target, "A", **formats), a)
    for word in ("scale_a", "scale_b"):
        if op.scaled:
            where = layout(op.mnemonic, target, word)
            plain = [[127] * where.shape[2] for _ in range(where.shape[1])]
            files[word] = gather(where, scatter(where, [options.get(word) or plain]))[0]
        elif options.get(word):
            raise MatrixError(word, "given", op.mnemonic + " reads no scales", "MFMA-060")
    return files


def _numbers(op, matrix, target, files, make, given):
    """Read an operand from its registers through the layout with modifiers; return numbers [block][i][j]."""
    where = layout(op.mnemonic, target, matrix, **given)
    codes = gather(where, files[matrix])
    a_format = given.get("a_format", given.get("cbsz", 0) if ("cbsz", "format") in takes(op) else 0)
    b_format = given.get("b_format", given.get("blgp", 0) if ("blgp", "format") in takes(op) else 0)
    kind = element_type(op, matrix, a_format or 0, b_format or 0)
    bits = BITS[kind]
    if make is None:
        make = decoder(kind, target)
    if not (op.sparse and matrix == "A"):
        return [[[make(code) for code in row] for row in rows] for rows in codes]
    kept = dict([(word, given[word]) for word in ("cbsz", "abid") if word in given])
    index = gather(layout(op.mnemonic, target, "index", **kept), files["index"])
    full = [[0] * op.k for _ in range(op.m)]
    for i in range(op.m):
        for slot in range(op.k // 4):
            for half in range(2):
                position = index[0][i][slot] >> (2 * half) & 3
                full[i][4 * slot + position] += make(codes[0][i][slot] >> (bits * half) & (2**bits - 1))
    return [full]


def _dot(op, row, columns, j, files, i):
    """Sum over K of one row of A and column j of B, block of scales by block of scales."""
    if not op.scaled:
        return sum([row[k] * columns[k][j] for k in range(op.k)])
    total = 0
    for kb in range(op.k // SCALE_BLOCK):
        part = sum([row[k] * columns[k][j] for k in range(kb * SCALE_BLOCK, kb * SCALE_BLOCK + SCALE_BLOCK)])
        total += part * _scale(files["scale_a"][i][kb]) * _scale(files["scale_b"][kb][j])
    return total


def _scale(byte):
    """E8M0: two to the power of the byte less 127; 255 is not a number."""
    return float("nan") if byte == 255 else 2.0 ** (byte - 127)


def _pairs(row, bits):
    return [row[at] | row[at + 1] << bits for at in range(0, len(row), 2)]


def _signed_byte(code):
    return signed(code, 8)


def _format(kind, target):
    if kind == "f32":
        return Format("f32", 32, 8, 23, 127, IEEE, 0, "")
    if kind == "f64":
        return Format("f64", 64, 11, 52, 1023, IEEE, 0, "")
    plain = {"f16": "fp16", "fp6": "e2m3", "bf6": "e3m2", "fp4": "e2m1", "fp8": "e4m3", "bf8": "e5m2"}
    return format_named(plain.get(kind, kind), target)


def _check_shape(where, values):
    wanted = (where.shape[0], where.shape[1], where.shape[2] // where.per_item)
    found = (len(values), len(values[0]), len(values[0][0]))
    if found != wanted or any(
        [len(rows) != wanted[1] or any([len(row) != wanted[2] for row in rows]) for rows in values]
    ):
        raise MatrixError(where.matrix, list(found), "blocks, rows and columns " + str(list(wanted)))
