# SPDX-License-Identifier: Apache-2.0
"""Where each element of a matrix operand lies: lane, register and bits, and back.

One family of formulas serves every operand. Each coordinate (block, row, column) is cut into digits; some digits make up
the lane, the others the item inside the lane, and an item is a fixed number of bits. A and B cut K into (piece, lane
group, rest): the group is in the lane. C and D cut the row the same way, with four rows (one for f64) to a rest. The
positions of a sparse index and the scale bytes are the same cut with smaller items.

CBSZ and ABID choose another block of A, BLGP another lane for B: they change from where an element is read.
Claims: MFMA-001, MFMA-002, MFMA-013, MFMA-080, MFMA-052, MFMA-053, MFMA-055, MFMA-057, MFMA-059, MFMA-060.
"""

from typing import NamedTuple

from .opcodes import (
    BITS,
    LANES,
    MATRICES,
    SCALE_BLOCK,
    MatrixError,
    element_type,
    format_of,
    index_sets,
    matrices,
    on_target,
    takes,
)

# The positions that this project does not follow, where sources disagree; see `layout`.
OTHER = {"MFMA-053": "contiguous", "MFMA-059": "lane-blocks"}
COORDINATES = ("block", "i", "j")


class Digit(NamedTuple):
    """One digit of a coordinate: (coordinate // weight) % size, times stride in the lane or item number."""

    axis: int  # 0 block, 1 row (i), 2 column (j)
    weight: int
    size: int
    stride: int


class Layout(NamedTuple):
    """The places of one operand.

    op: Opcode; matrix: one of MATRICES; shape: (blocks, rows, columns) of the coordinates; lanes, items: Digits;
    item_bits: bits of one item; per_item: coordinates along K in one item (4 for sparse A and its index, else 1);
    first_bit: bit of item 0 in the lane's registers; moved: how a modifier moves the reading: () or
    ("broadcast", cbsz, abid), ("lane-blocks", cbsz, abid) or ("lanes", blgp); negate: the operand's sign is turned.
    """

    op: object
    matrix: str
    shape: tuple
    lanes: tuple
    items: tuple
    item_bits: int
    per_item: int
    first_bit: int
    moved: tuple
    negate: bool


def layout(name, target, matrix, cbsz=0, abid=0, blgp=0, a_format=None, b_format=None, scale_byte=0, other=()):
    """Return the Layout of one operand.

    Args: name: of the instruction; target: gfx942 or gfx950; matrix: one of MATRICES; cbsz, abid, blgp: modifiers;
      a_format, b_format: of f8f6f4 operands (also given as cbsz and blgp); scale_byte: which byte of the scale
      register, 0 to 3; other: claims (MFMA-053, MFMA-056, MFMA-059) whose other position is followed.
    Raises: MatrixError: field, what was given, what is allowed.
    """
    op = on_target(name, target)
    if matrix not in matrices(op):
        allowed = op.mnemonic + " has " + ", ".join(matrices(op))
        raise MatrixError("matrix", matrix, allowed if matrix in MATRICES else ", ".join(MATRICES))
    meanings = dict(takes(op, "MFMA-056" in other))
    formats = _formats(op, meanings, cbsz, abid, blgp, a_format, b_format)
    if not 0 <= scale_byte <= 3:
        raise MatrixError("scale_byte", scale_byte, "0 to 3", "MFMA-060")
    if matrix in ("scale_a", "scale_b"):
        return _scales(op, matrix, scale_byte)
    if matrix in ("C", "D"):
        return _results(op, matrix, bool(blgp & 4) and matrix == "C" and op.d_type == "f64")
    if op.sparse and matrix != "B":
        return _sparse(op, matrix, cbsz, abid)
    bits = BITS[element_type(op, matrix, formats[0], formats[1])]
    pieces = _pieces(op, matrix, bits, other)
    negate = op.d_type == "f64" and bool(blgp & (1 if matrix == "A" else 2))
    moved = ()
    if matrix == "A" and meanings.get("cbsz") == "broadcast" and cbsz:
        moved = ("lane-blocks" if "MFMA-059" in other else "broadcast", cbsz, abid)
    if matrix == "B" and meanings.get("blgp") == "lanes" and blgp:
        moved = ("lanes", blgp)
    lanes, items = _k_digits(op, matrix, pieces)
    shape = (op.blocks, op.m, op.k) if matrix == "A" else (op.blocks, op.k, op.n)
    return Layout(op, matrix, shape, lanes, items, bits, 1, 0, moved, negate)


def locate(where, i, j, block=0):
    """Return (lane, vgpr, lo, hi): the place from which an element is read.

    Args: where: a Layout; i, j: row and column of the operand as a matrix (B: i is K; index: j is K; scales: blocks of
      32 along K for K); block.
    Returns: vgpr: register in which the element begins; lo, hi: first and last bit, counted from that register's bit 0,
      so hi is beyond 31 for 64-bit elements and for 6-bit elements that cross into the next register.
    Raises: MatrixError: outside the operand.
    """
    at = (block, i, j)
    for axis in range(3):
        if not 0 <= at[axis] < where.shape[axis]:
            raise MatrixError(COORDINATES[axis], at[axis], "0 to " + str(where.shape[axis] - 1))
    at = (_moved_block(where, block), i, j)
    lane = sum([at[digit.axis] // digit.weight % digit.size * digit.stride for digit in where.lanes])
    item = sum([at[digit.axis] // digit.weight % digit.size * digit.stride for digit in where.items])
    return (_moved_lane(where, lane),) + place(where, item)


def place(where, item):
    """Return (vgpr, lo, hi) of one item of a lane."""
    bit = where.first_bit + item * where.item_bits
    return bit // 32, bit % 32, bit % 32 + where.item_bits - 1


def table(where):
    """Return every element as (block, i, j, lane, vgpr, lo, hi), in the order of block, i, j.

    Each digit reads one coordinate only, so lane and item are sums of one number a coordinate.
    """
    lane_of = _sums(where.lanes, where.shape)
    item_of = _sums(where.items, where.shape)
    places = [place(where, item) for item in range(count_items(where))]
    turned = [_moved_lane(where, lane) for lane in range(LANES)]
    found = []
    for block in range(where.shape[0]):
        source = _moved_block(where, block)
        for i in range(where.shape[1]):
            lane_i = lane_of[0][source] + lane_of[1][i]
            item_i = item_of[0][source] + item_of[1][i]
            for j in range(where.shape[2]):
                found.append((block, i, j, turned[lane_i + lane_of[2][j]]) + places[item_i + item_of[2][j]])
    return found


def held(where, lane, vgpr, lanes=LANES):
    """Return the elements that a register of a lane holds or helps to hold, as (block, i, j, vgpr, lo, hi).

    Args: where: a Layout; lane: 0 to 63; vgpr: number of the operand's register; lanes: of a wave.
    Returns: in the order of bits; empty where a modifier keeps the register from being read; a place that several
      elements are read from stands once for each.
    Raises: MatrixError: no such lane or register.
    """
    if not 0 <= lane < lanes:
        raise MatrixError("lane", lane, "0 to " + str(lanes - 1))
    last = (where.first_bit + count_items(where) * where.item_bits - 1) // 32
    if not 0 <= vgpr <= last:
        raise MatrixError("vgpr", vgpr, "0 to " + str(last))
    found = []
    for row in table(where):
        first = row[4] * 32 + row[5]
        if row[3] == lane and first < 32 * vgpr + 32 and row[4] * 32 + row[6] >= 32 * vgpr:
            found.append((first, row[:3] + row[4:]))
    return [item for _, item in sorted(found)]


def count_items(where):
    """Return how many items one lane holds."""
    count = 1
    for digit in where.items:
        count *= digit.size
    return count


def other_positions(where, **given):
    """Return [(claim, position, Layout)]: the same operand under the positions that this project does not follow.

    Args: where: what `layout` returned; given: the arguments it was given, but `other`.
    Returns: only those that differ.
    """
    found = []
    for claim, position in sorted(OTHER.items()):
        again = layout(other=(claim,), **given)
        if again != where and table(again) != table(where):
            found.append((claim, position, again))
    return found


def _formats(op, meanings, cbsz, abid, blgp, a_format, b_format):
    """Check the modifiers against what the instruction takes; return the formats of A and B."""
    given = (("cbsz", cbsz, 7), ("abid", abid, 15), ("blgp", blgp, 7))
    for field, value, most in given:
        if not 0 <= value <= most:
            raise MatrixError(field, value, "0 to " + str(most), "MFMA-056")
        if value and field not in meanings:
            why = ""
            if field == "blgp" and not op.sparse:
                why = " by the list of AMD's calculator; the manual's general rule has no such limit"
            raise MatrixError(field, value, op.mnemonic + " takes no " + field + why, "MFMA-056")
    if meanings.get("cbsz") == "format":
        formats = []
        for field, chosen, code_field, code in (
            ("a_format", a_format, "cbsz", cbsz),
            ("b_format", b_format, "blgp", blgp),
        ):
            name = format_of(code if chosen is None else chosen, code_field if chosen is None else field)
            if chosen is not None and code and format_of(code, code_field) != name:
                raise MatrixError(field, chosen, code_field + " " + str(code) + " says another format", "MFMA-056")
            formats.append(name)
        return formats
    for field, value in (("a_format", a_format), ("b_format", b_format)):
        if value is not None:
            raise MatrixError(field, value, op.mnemonic + " has no choice of formats", "MFMA-056")
    if meanings.get("cbsz") == "broadcast" and 2**cbsz > op.blocks:
        raise MatrixError("cbsz", cbsz, "2 to its power must not exceed the " + str(op.blocks) + " blocks", "MFMA-059")
    if meanings.get("cbsz") == "broadcast" and abid >= 2**cbsz:
        raise MatrixError("abid", abid, "below 2 to the power of cbsz, here " + str(2**cbsz), "MFMA-059")
    if meanings.get("cbsz") == "index-set" and cbsz > 3:
        raise MatrixError("cbsz", cbsz, "0 to 3 for " + op.mnemonic, "MFMA-057")
    if meanings.get("cbsz") == "index-set" and abid >= index_sets(op)[0]:
        raise MatrixError("abid", abid, "0 to " + str(index_sets(op)[0] - 1), "MFMA-057")
    return ["fp8", "fp8"]


def _pieces(op, matrix, bits, other):
    """Return into how many pieces K is cut, each spread over all lane groups."""
    if op.a_type == "f8f6f4":
        return 2 if bits == 8 and "MFMA-053" not in other else 1
    # The wide SMFMAC instructions read B as two registers' worth of halves; see MFMA-055.
    return 2 if op.sparse and matrix == "B" and op.targets == ("gfx950",) else 1


def _cut(axis, unit, rest, groups, pieces, lane_stride):
    """Cut an axis into (piece, group, rest): return the lane's digit and the item's digits. The one formula."""
    lane = Digit(axis, unit * rest, groups, lane_stride)
    return lane, (Digit(axis, unit, rest, 1), Digit(axis, unit * rest * groups, pieces, rest))


def _k_digits(op, matrix, pieces):
    """Digits of A or B: the other coordinate, then the block, then the group of K make up the lane."""
    size = op.m if matrix == "A" else op.n
    other, k = (1, 2) if matrix == "A" else (2, 1)
    groups = LANES // (size * op.blocks)
    lane, items = _cut(k, 1, op.k // groups // pieces, groups, pieces, size * op.blocks)
    return (Digit(other, 1, size, 1), Digit(0, 1, op.blocks, size), lane), items


def _results(op, matrix, negate):
    """C and D: the column, the blocks that fit beside each other, and the group of rows make up the lane."""
    rest = 1 if op.d_type == "f64" else 4
    beside = max(1, LANES * rest // (op.m * op.n))
    groups = LANES // (op.n * beside)
    pieces = op.m // (rest * groups)
    lane, items = _cut(1, 1, rest, groups, pieces, op.n * beside)
    lanes = (Digit(2, 1, op.n, 1), Digit(0, 1, beside, op.n), lane)
    items = items + (Digit(0, beside, op.blocks // beside, rest * pieces),)
    return Layout(op, matrix, (op.blocks, op.m, op.n), lanes, items, BITS[op.d_type], 1, 0, (), negate)


def _sparse(op, matrix, cbsz, abid):
    """Sparse A and its index: an item stands for four values along K, of which two are kept."""
    groups = LANES // op.m
    lane, items = _cut(2, 4, op.k // groups // 4, groups, 1, op.m)
    lanes = (Digit(1, 1, op.m, 1), lane)
    if matrix == "A":
        return Layout(op, matrix, (1, op.m, op.k), lanes, items, 2 * BITS[op.a_type], 4, 0, (), False)
    sets, set_bits = index_sets(op)
    first = abid * set_bits if sets > 1 and not cbsz else 0
    return Layout(op, matrix, (1, op.m, op.k), lanes, items, 4, 4, first, (), False)


def _scales(op, matrix, scale_byte):
    """Scales: one byte a lane, for one row of A or column of B and 32 values along K."""
    size = op.m if matrix == "scale_a" else op.n
    other, k = (1, 2) if matrix == "scale_a" else (2, 1)
    count = op.k // SCALE_BLOCK
    lane, items = _cut(k, 1, 1, count, 1, size)
    shape = (1, size, count) if matrix == "scale_a" else (1, count, size)
    return Layout(op, matrix, shape, (Digit(other, 1, size, 1), lane), items, 8, 1, 8 * scale_byte, (), False)


def _sums(digits, shape):
    """For each axis, the number that each coordinate adds to a lane or an item."""
    found = []
    for axis in range(3):
        mine = [digit for digit in digits if digit.axis == axis]
        found.append([sum([at // d.weight % d.size * d.stride for d in mine]) for at in range(shape[axis])])
    return found


def _moved_block(where, block):
    """CBSZ and ABID: of every 2**cbsz neighbouring blocks the one numbered abid is read for all of them."""
    if not where.moved or where.moved[0] != "broadcast":
        return block
    return block - block % 2 ** where.moved[1] + where.moved[2]


def _moved_lane(where, lane):
    """BLGP, and CBSZ as one manual words it: from which lane the value that a lane would give is read."""
    if not where.moved or where.moved[0] == "broadcast":
        return lane
    if where.moved[0] == "lane-blocks":
        size = LANES >> where.moved[1]
        return lane % size + size * where.moved[2]
    blgp = where.moved[1]
    if blgp < 3:
        return lane % 32 + 32 * (blgp - 1)
    if blgp == 3:
        return (lane + 16) % LANES
    return lane % 16 + 16 * (blgp - 4)
