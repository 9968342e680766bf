# SPDX-License-Identifier: Apache-2.0
"""What a matrix instruction of gfx942 or gfx950 multiplies: shape, blocks, types, registers of each operand.

Which instructions a target has, and their passes, stand in passes.py; shape and types are read from the mnemonic, which
names them: v_mfma_D_MxNxK[_BLOCKSb]_A[_B].
Claims: MFMA-054, MFMA-056, MFMA-058.
"""

from typing import NamedTuple

from .passes import MATRIX, canonical, check_target, family, has, is_f8f6f4, is_scaled, is_sparse, passes

LANES = 64
SCALE_BLOCK = 32  # values along K that share one scale byte
# Element types and their bits in a register.
BITS = {
    "f64": 64,
    "f32": 32,
    "xf32": 32,
    "i32": 32,
    "f16": 16,
    "bf16": 16,
    "i8": 8,
    "fp8": 8,
    "bf8": 8,
    "fp6": 6,
    "bf6": 6,
    "fp4": 4,
}
# Formats of an f8f6f4 operand; the place in this tuple is the code in CBSZ (for A) or BLGP (for B).
FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")
# The same by their bits, as the formats' page and as ml_dtypes name them; the FNUZ formats are none of them.
_ELEMENTS = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "e4m3fn", "e5m2", "e2m3fn", "e3m2fn", "e2m1fn")
MATRICES = ("A", "B", "C", "D", "index", "scale_a", "scale_b")


class Opcode(NamedTuple):
    """One matrix instruction.

    mnemonic: as the assembler prints it; m, n, k: rows of A, columns of B, values summed, each of one block;
    blocks: products side by side; a_type, b_type, d_type: keys of BITS, or "f8f6f4" where the instruction chooses;
    family: XDL, SGEMM or DGEMM; sparse: A keeps two of four values; scaled: reads scale bytes; targets: that have it.
    """

    mnemonic: str
    m: int
    n: int
    k: int
    blocks: int
    a_type: str
    b_type: str
    d_type: str
    family: str
    sparse: bool
    scaled: bool
    targets: tuple


class MatrixError(ValueError):
    """A question about a matrix instruction that has no answer.

    Attributes: field: what is wrong; given; allowed: text; claim: the id of the claim that says so, or None.
    """

    def __init__(self, field, given, allowed, claim=None):
        text = field + "=" + str(given) + ": " + allowed
        ValueError.__init__(self, text + (", " + claim if claim else ""))
        self.field = field
        self.given = given
        self.allowed = allowed
        self.claim = claim


def opcode(name):
    """Return the Opcode of a matrix instruction.

    Args: name: a mnemonic in any of its spellings, see passes.canonical.
    Raises: MatrixError: it names none.
    """
    try:
        mnemonic = canonical(name)
    except ValueError as error:
        raise MatrixError("op", name, str(error).split(": ", 1)[-1]) from None
    words = mnemonic.replace("v_mfma_scale_", "v_mfma_").split("_")[2:]
    shape = [int(part) for part in words[1].split("x")]
    types = words[2:]
    blocks = 1
    if types[0].endswith("b") and types[0][:-1].isdigit():
        blocks = int(types[0][:-1])
        types = types[1:]
    targets = tuple([target for target in ("gfx942", "gfx950") if has(target, mnemonic)])
    return Opcode(
        mnemonic,
        shape[0],
        shape[1],
        shape[2],
        blocks,
        types[0],
        types[-1],
        words[0],
        family(mnemonic),
        is_sparse(mnemonic),
        is_scaled(mnemonic),
        targets,
    )


def opcodes(target):
    """Return every matrix instruction of a target, in the order of the table in passes.py.

    Raises: ValueError: no such target.
    """
    check_target(target)
    return [opcode(row.mnemonic) for row in MATRIX if has(target, row.mnemonic)]


def on_target(name, target):
    """Return the Opcode of an instruction that a target has.

    Raises: MatrixError: it names none, there is no such target, or the target does not have it.
    """
    if target not in ("gfx942", "gfx950"):
        raise MatrixError("target", target, "gfx942 or gfx950")
    op = opcode(name)
    if target not in op.targets:
        raise MatrixError("op", op.mnemonic, "only on " + " and ".join(op.targets), "MFMA-054")
    return op


def format_of(name, field):
    """Return the name of an operand format of f8f6f4: one of FORMATS; also by its code 0 to 4, its element or LLVM's word.

    Raises: MatrixError: another value; field names it.
    """
    text = str(name).lower().replace("matrix_fmt_", "")
    if text in FORMATS:
        return text
    if text in _ELEMENTS:
        return FORMATS[_ELEMENTS.index(text) % len(FORMATS)]
    if text.isdigit() and int(text) < len(FORMATS):
        return FORMATS[int(text)]
    raise MatrixError(field, name, "fp8 (0), bf8 (1), fp6 (2), bf6 (3) or fp4 (4)", "MFMA-056")


def element_type(op, matrix, a_format="fp8", b_format="fp8"):
    """Return the element type of an operand.

    Args: op: Opcode; matrix: "A", "B", "C" or "D"; a_format, b_format: used by f8f6f4 instructions.
    Raises: MatrixError: another matrix.
    """
    if matrix == "A":
        return format_of(a_format, "a_format") if op.a_type == "f8f6f4" else op.a_type
    if matrix == "B":
        return format_of(b_format, "b_format") if op.b_type == "f8f6f4" else op.b_type
    if matrix in ("C", "D"):
        return op.d_type
    raise MatrixError("matrix", matrix, "A, B, C or D")


def matrices(op):
    """Return the operands that hold a matrix: A, B, C and D; for SMFMAC no C, which is D, but the index; scales."""
    if op.sparse:
        return ("A", "B", "D", "index")
    return ("A", "B", "C", "D", "scale_a", "scale_b") if op.scaled else ("A", "B", "C", "D")


def registers(op, matrix, a_format="fp8", b_format="fp8"):
    """Return how many 32-bit registers of each lane an operand takes.

    Args: as for element_type; matrix may also be "index", "scale_a" or "scale_b".
    Raises: MatrixError: the instruction has no such operand.
    Claims: MFMA-054.
    """
    if matrix not in matrices(op):
        raise MatrixError("matrix", matrix, op.mnemonic + " has " + ", ".join(matrices(op)))
    if matrix in ("index", "scale_a", "scale_b"):
        return 1
    bits = BITS[element_type(op, matrix, a_format, b_format)]
    count = {"A": op.m * op.k, "B": op.k * op.n}.get(matrix, op.m * op.n) * op.blocks
    if op.sparse and matrix == "A":
        count //= 2
    return count * bits // (LANES * 32)


def index_sets(op):
    """Return (sets, bits): how many sets of positions the index register of an SMFMAC holds, and the bits of one.

    Args: op: a sparse Opcode. Raises: MatrixError: it is not sparse.
    Claims: MFMA-057.
    """
    if not op.sparse:
        raise MatrixError("matrix", "index", op.mnemonic + " has no index register")
    # Each kept value of A has a position of two bits.
    bits = 2 * op.m * op.k // 2 // LANES
    return 32 // bits, bits


def operations(op):
    """Return the operations of one instruction of one wave: two for each product, sparse ones counted as if dense."""
    return 2 * op.m * op.n * op.k * op.blocks


def operations_per_cycle(op, target):
    """Return the operations of a compute unit in one cycle, or None where no source gives a number.

    Four matrix cores, each with an instruction every four cycles a pass. A source gives these for gfx942 only.
    Claims: MFMA-058.
    """
    return operations(op) // passes(target, op.mnemonic) if target == "gfx942" else None


def takes(op, every_dense=False):
    """Return which modifiers mean something, as (field, meaning) pairs.

    Meanings: broadcast (A blocks), lanes (B lanes), negate (signs of A, B, C), index-set, format.
    Args: every_dense: follow the manual's general rule that BLGP moves the lanes of every dense instruction, not the
      list of AMD's calculator.
    Claims: MFMA-056.
    """
    if is_f8f6f4(op.mnemonic):
        return (("cbsz", "format"), ("blgp", "format"))
    if op.sparse:
        return (("cbsz", "index-set"), ("abid", "index-set")) if index_sets(op)[0] > 1 else ()
    if op.d_type == "f64":
        return (("blgp", "negate"),)
    found = ()
    if op.blocks > 1:
        found = (("cbsz", "broadcast"), ("abid", "broadcast"))
    listed = op.blocks > 1 or op.a_type == "f32" or every_dense
    return found + ((("blgp", "lanes"),) if listed else ())
