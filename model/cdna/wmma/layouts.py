# SPDX-License-Identifier: Apache-2.0
"""Where each element of an operand of a gfx1250 matrix instruction lies: lane, register and bits, and back.

The digits are those of cdna.mfma.layouts, for 32 lanes. The row of A, the column of B and of C and D make up lanes 0 to 15;
a run of K (A, B) or of eight rows (C, D) chooses between lanes 0 to 15 and 16 to 31. How long a run of K is cannot be told
from a product (WMMA-005): it is a claim of its own, and where sources disagree the other position can be asked for.
Claims: WMMA-003, WMMA-004, WMMA-005, WMMA-006, WMMA-009, WMMA-011, WMMA-012, WMMA-013, WMMA-014, WMMA-015, WMMA-017.
"""

from cdna.mfma import layouts as mfma_layouts
from cdna.mfma.layouts import Digit, Layout, count_items, locate, place, table
from cdna.mfma.opcodes import MatrixError, format_of

from .opcodes import (
    BITS,
    LANES,
    MATRICES,
    TARGET,
    chosen,
    element_type,
    index_bits,
    index_sets,
    matrices,
    on_target,
    registers,
)

__all__ = ["OTHER", "count_items", "held", "layout", "locate", "other_positions", "place", "run_of_k", "table"]
# The positions that this project does not follow, where sources disagree; see `layout`.
OTHER = {
    "WMMA-006": "runs-of-eight",
    "WMMA-009": "runs-of-four",
    "WMMA-011": "as-dense",
    "WMMA-012": "with-the-values",
    "WMMA-014": "reserved",
    "WMMA-015": "two-bytes",
}


def layout(name, target=TARGET, matrix="A", a_format=None, b_format=None, index_key=0, scale_row=0, other=()):
    """Return the Layout of one operand.

    Args: name: of the instruction; target: gfx1250; matrix: one of MATRICES; a_format, b_format: of f8f6f4 operands,
      default fp8; index_key: which set of positions, where the index register holds two; scale_row: 0 or 1, which half of
      the lanes holds the scales; other: claims of OTHER whose other position is followed.
    Raises: MatrixError: field, what was given, what is allowed.
    """
    op = on_target(name, target)
    if matrix not in matrices(op):
        allowed = op.mnemonic + " has " + ", ".join(matrices(op))
        raise MatrixError("matrix", matrix, allowed if matrix in MATRICES else ", ".join(MATRICES))
    for field, value in (("a_format", a_format), ("b_format", b_format)):
        if value is not None and not chosen(op):
            raise MatrixError(field, value, op.mnemonic + " has no choice of formats", "WMMA-008")
        if value is not None:
            format_of(value, field)
    sets = index_sets(op) if op.sparse else 1
    if not 0 <= index_key < sets:
        raise MatrixError("index_key", index_key, "0 to " + str(sets - 1) + " for " + op.mnemonic, "WMMA-010")
    if scale_row not in (0, 1) or (scale_row and not op.scale_block):
        raise MatrixError("scale_row", scale_row, "0 or 1, of scaled instructions", "WMMA-013")
    if matrix in ("scale_a", "scale_b"):
        return _scales(op, matrix, scale_row, other)
    if matrix in ("C", "D"):
        return _results(op, matrix)
    bits = BITS[element_type(op, "B" if matrix == "B" else "A", a_format or "fp8", b_format or "fp8")]
    run = run_of_k(op, matrix, bits, other)
    if op.sparse and matrix != "B":
        return _sparse(op, matrix, run, index_key)
    axis, across, size = (2, 1, op.m) if matrix == "A" else (1, 2, op.n)
    lanes = (Digit(across, 1, 16, 1), Digit(axis, run, 2, 16))
    pieces = op.k // (2 * run)
    items = (Digit(axis, 1, run, 1), Digit(axis, 2 * run, pieces, run), Digit(across, 16, size // 16, run * pieces))
    shape = (1, op.m, op.k) if matrix == "A" else (1, op.k, op.n)
    return Layout(op, matrix, shape, lanes, items, bits, 1, 0, (), False)


def run_of_k(op, matrix, bits, other=()):
    """Return how many values along K lie in one lane before K goes on in the other half of the lanes.

    Args: op: Opcode; matrix: A, B or index; bits: of an element; other: as for `layout`.
    Returns: values of the full K, also for the kept values of a sparse A.
    Claims: WMMA-006, WMMA-007, WMMA-009, WMMA-011, WMMA-012.
    """
    if op.sparse and matrix == "index" and op.k * bits == 1024 and "WMMA-012" not in other:
        return op.k // 2
    if op.sparse:
        if matrix == "B" and op.k == 128 and "WMMA-011" in other:
            return 16
        return 8 if op.k == 32 and bits == 16 else min(32, max(16, op.k // 4))
    if bits == 8 and op.k >= 64:
        return 8 if "WMMA-006" in other else 16
    if op.k == 128:
        return 4 if "WMMA-009" in other else 32
    return min(8, op.k // 2)


def held(where, lane, vgpr):
    """Return the elements that a register of a lane, 0 to 31, holds or helps to hold; as cdna.mfma.layouts.held."""
    return mfma_layouts.held(where, lane, vgpr, LANES)


def other_positions(where, **given):
    """Return [(claim, position, Layout)]: the same operand under the positions that this project does not follow.

    Args: where: what `layout` returned; given: the arguments it was given, but `other`.
    Returns: only those that differ and that have an answer.
    """
    found = []
    for claim, position in sorted(OTHER.items()):
        try:
            again = layout(other=(claim,), **given)
        except MatrixError:
            continue
        if again != where and (again.item_bits != where.item_bits or table(again) != table(where)):
            found.append((claim, position, again))
    return found


def _results(op, matrix):
    """C and D: lanes count the column, then every second run of eight rows; rows 16 to 31 follow in later registers."""
    lanes = (Digit(2, 1, op.n, 1), Digit(1, 8, 2, 16))
    items = (Digit(1, 1, 8, 1), Digit(1, 16, op.m // 16, 8))
    return Layout(op, matrix, (1, op.m, op.n), lanes, items, BITS[element_type(op, matrix)], 1, 0, (), False)


def _sparse(op, matrix, run, index_key):
    """Sparse A and its index: an item stands for four values along K, of which two are kept."""
    lanes = (Digit(1, 1, 16, 1), Digit(2, run, 2, 16))
    items = (Digit(2, 4, run // 4, 1), Digit(2, 2 * run, op.k // (2 * run), run // 4))
    shape = (1, op.m, op.k)
    if matrix == "A":
        return Layout(op, matrix, shape, lanes, items, 2 * BITS[op.a_type], 4, 0, (), False)
    return Layout(op, matrix, shape, lanes, items, 4, 4, index_key * index_bits(op), (), False)


def _scales(op, matrix, scale_row, other):
    """Scales: for one row of A or column of B, a lane holds the bytes of all blocks along K, lowest first."""
    size, across, axis = (op.m, 1, 2) if matrix == "scale_a" else (op.n, 2, 1)
    count = op.k // op.scale_block
    if scale_row and size == 32 and "WMMA-014" in other:
        raise MatrixError("scale_row", 1, "reserved for thirty-two rows of A", "WMMA-014")
    bits = 16 if "WMMA-015" in other and op.scale_block == 16 else 8
    if bits * count > 32 * registers(op, matrix):
        count = 32 * registers(op, matrix) // bits
    shape = (1, size, count) if matrix == "scale_a" else (1, count, size)
    # With ROW1 every lane of the lower half reads what its neighbour sixteen lanes up holds.
    moved = ("lanes", 5) if scale_row and size == 16 else ()
    return Layout(
        op, matrix, shape, (Digit(across, 1, size, 1),), (Digit(axis, 1, count, 1),), bits, 1, 0, moved, False
    )
