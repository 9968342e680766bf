# SPDX-License-Identifier: Apache-2.0
"""A layout in the words of others: C++ index expressions, Triton linear layout, CuTe layout, CK Tile encoding.

All four are the same digits written down in another order, so none can disagree with the table.
"""

from .layouts import count_items
from .opcodes import LANES, MatrixError

STYLES = ("cpp", "triton", "cute", "ck")
NAMES = {
    "A": ("block", "i", "k"),
    "B": ("block", "k", "j"),
    "index": ("block", "i", "k"),
    "scale_a": ("block", "i", "kb"),
    "scale_b": ("block", "kb", "j"),
}


def copy_as(where, style):
    """Return the text of a layout in one of STYLES.

    Args: where: a Layout without CBSZ, ABID or BLGP moves.
    Raises: MatrixError: another style, or a layout that a modifier moves, which is no longer one to one.
    """
    if style not in STYLES:
        raise MatrixError("as", style, ", ".join(STYLES))
    if where.moved:
        raise MatrixError("as", style, "needs the layout without lane and block modifiers", "MFMA-059")
    return {"cpp": cpp, "triton": triton, "cute": cute, "ck": ck}[style](where)


def names(where):
    """Return the names of the three coordinates of an operand."""
    return NAMES.get(where.matrix, ("block", "i", "j"))


def cpp(where):
    """Return C++ expressions: from lane and item to the element, and from the element to lane and item."""
    said = names(where)
    axes = [axis for axis in range(3) if axis or where.shape[0] > 1]
    lines = ["// " + _title(where), "// the element that item `item` of lane `lane` holds"]
    for axis in axes:
        terms = []
        for variable, digits, total in (("lane", where.lanes, LANES), ("item", where.items, count_items(where))):
            for digit in digits:
                if digit.axis == axis and digit.size > 1:
                    whole = digit.stride * digit.size == total
                    terms.append(
                        (digit.weight, _times(_digit(variable, digit.stride, digit.size, whole), digit.weight))
                    )
        text = " + ".join([term for _, term in sorted(terms, reverse=True)])
        lines.append("int " + said[axis] + " = " + (text or "0") + ";")
    lines.append("// where element (" + ", ".join([said[axis] for axis in axes]) + ") lies")
    for variable, digits in (("lane", where.lanes), ("item", where.items)):
        terms = []
        for digit in digits:
            if digit.size > 1:
                whole = digit.weight * digit.size == where.shape[digit.axis]
                text = _digit(said[digit.axis], digit.weight, digit.size, whole)
                terms.append(_times(text, digit.stride))
        lines.append("int " + variable + " = " + (" + ".join(terms) or "0") + ";")
    first = " + " + str(where.first_bit) if where.first_bit else ""
    lines.append("int bit = item * " + str(where.item_bits) + first + ";")
    lines.append(
        "// the element begins at bit (bit % 32) of register (bit / 32) and has " + str(where.item_bits) + " bits"
    )
    return "\n".join(lines)


def bases(where):
    """Return (register bases, lane bases) of Triton's linear layout.

    Returns: for each bit of the item number and of the lane number, the (row, column) or (block, row, column) that it
      adds; exact, since every digit has a power of two of values.
    """
    axes = [axis for axis in range(3) if axis or where.shape[0] > 1]
    found = []
    for digits in (where.items, where.lanes):
        rows = []
        for digit in sorted(digits, key=_by_stride):
            step = 1
            while step < digit.size:
                rows.append([digit.weight * step if axis == digit.axis else 0 for axis in axes])
                step *= 2
        found.append(rows)
    return found[0], found[1]


def triton(where):
    """Return the layout as Gluon's DistributedLinearLayout of one wave."""
    registers, lanes = bases(where)
    shape = [where.shape[axis] for axis in range(3) if axis or where.shape[0] > 1]
    text = "DistributedLinearLayout(reg_bases=" + str(registers) + ", lane_bases=" + str(lanes)
    return "# " + _title(where) + "\n" + text + ", warp_bases=[], block_bases=[], shape=" + str(shape) + ")"


def cute_modes(where):
    """Return ((sizes, strides) of the thread mode, (sizes, strides) of the value mode).

    The codomain is the operand column by column, as MMA traits want it: (M, K) for A, (N, K) for B, (M, N) for C and D.
    """
    first, second = (2, 1) if where.matrix in ("B", "scale_b") else (1, 2)
    step = {first: 1, second: where.shape[first], 0: where.shape[1] * where.shape[2]}
    found = []
    for digits in (where.lanes, where.items):
        kept = [digit for digit in sorted(digits, key=_by_stride) if digit.size > 1]
        sizes = [digit.size for digit in kept] or [1]
        strides = [digit.weight * step[digit.axis] for digit in kept] or [0]
        found.append((sizes, strides))
    return found[0], found[1]


def cute(where):
    """Return the layout as a CuTe thread-value layout."""
    (threads, thread_steps), (values, value_steps) = cute_modes(where)
    shape = "Shape<" + _mode("Shape", threads) + ", " + _mode("Shape", values) + ">"
    stride = "Stride<" + _mode("Stride", thread_steps) + ", " + _mode("Stride", value_steps) + ">"
    order = "(n, k)" if where.matrix in ("B", "scale_b") else "(m, k)" if where.matrix not in ("C", "D") else "(m, n)"
    return "// " + _title(where) + ", to " + order + " column by column\nLayout<" + shape + ",\n       " + stride + ">"


def ck_parts(where):
    """Return (H sequences, P majors, P minors, Y majors, Y minors) of a CK Tile distribution encoding.

    The first H is M (N for B), the second K (N for C and D); blocks, where there are several, come before both.
    """
    first, second = (2, 1) if where.matrix in ("B", "scale_b") else (1, 2)
    order = [first, second] if where.shape[0] == 1 else [0, first, second]
    results = where.matrix in ("C", "D")
    digits = [(digit, True) for digit in where.lanes] + [(digit, False) for digit in where.items]
    kept = [pair for pair in digits if pair[0].size > 1 or _keeps(pair, where, results)]
    sequences = []
    places = []
    for major, axis in enumerate(order):
        mine = [pair for pair in kept if pair[0].axis == axis]
        mine = sorted(mine, key=_by_weight, reverse=True)
        sequences.append([digit.size for digit, _ in mine] or [1])
        places += [(digit, lane, major + 1, minor) for minor, (digit, lane) in enumerate(mine)]
    lanes = sorted([p for p in places if p[1]], key=_by_place, reverse=True)
    items = sorted([p for p in places if not p[1]], key=_by_place, reverse=True)
    return (
        sequences,
        [place[2] for place in lanes],
        [place[3] for place in lanes],
        [place[2] for place in items],
        [place[3] for place in items],
    )


def ck(where):
    """Return the layout as a CK Tile tile_distribution_encoding of one wave."""
    sequences, p_major, p_minor, y_major, y_minor = ck_parts(where)
    dims = ", ".join([_sequence(sizes) for sizes in sequences])
    parts = [
        "sequence<>",
        "tuple<" + dims + ">",
        "tuple<" + _sequence(p_major) + ">",
        "tuple<" + _sequence(p_minor) + ">",
    ]
    parts += [_sequence(y_major), _sequence(y_minor)]
    return "// " + _title(where) + "\ntile_distribution_encoding<" + ", ".join(parts) + ">"


def _keeps(pair, where, results):
    """CK writes the pieces of the rows of C and D even where there is one; so do we, and one rest of any operand."""
    digit, lane = pair
    if lane or digit.axis == 0:
        return False
    return results or digit is where.items[0]


def _title(where):
    unit = "" if where.per_item == 1 else ", one item stands for " + str(where.per_item) + " values along K"
    return where.op.mnemonic + ", matrix " + where.matrix + unit


def _digit(variable, stride, size, whole):
    text = variable if stride == 1 else variable + " / " + str(stride)
    return text if whole else text + " % " + str(size)


def _times(text, factor):
    if factor == 1:
        return text
    return ("(" + text + ")" if " " in text else text) + " * " + str(factor)


def _mode(word, numbers):
    return word + "<" + ", ".join(["_" + str(number) for number in numbers]) + ">"


def _sequence(numbers):
    return "sequence<" + ", ".join([str(number) for number in numbers]) + ">"


def _by_stride(digit):
    return digit.stride, digit.size


def _by_weight(pair):
    # Where weights are equal one of the two digits has one value only: it is the faster one.
    return pair[0].weight, pair[0].size != 1


def _by_place(place):
    return place[0].stride, place[0].size != 1
