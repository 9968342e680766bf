# SPDX-License-Identifier: Apache-2.0
"""What a matrix instruction of gfx1250 multiplies: shape, types, registers of each operand, and what it reads beside.

Shape and types are read from the mnemonic, which names them: v_wmma[_scale|_scale16]_D_MxNxK_A[_B]. Waves have 32 lanes.
Claims: WMMA-001, WMMA-002, WMMA-008, WMMA-010, WMMA-016, WMMA-019.
"""

from typing import NamedTuple

from cdna.mfma.opcodes import FORMATS, MatrixError, format_of

LANES = 32
TARGET = "gfx1250"
# Element types and their bits in a register; iu8 and iu4 are signed or unsigned by a modifier.
BITS = {
    "f32": 32,
    "i32": 32,
    "f16": 16,
    "bf16": 16,
    "iu8": 8,
    "fp8": 8,
    "bf8": 8,
    "fp6": 6,
    "bf6": 6,
    "fp4": 4,
    "iu4": 4,
}
MATRICES = ("A", "B", "C", "D", "index", "scale_a", "scale_b")
# Formats of a scale byte; the place is the code in the scale-format field.
SCALE_FORMATS = ("e8m0", "e5m3", "e4m3")
EIGHT = ("fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8")
# (prefix, results and shape, operand types): every mnemonic is a prefix, one of the results and one of the types.
FAMILIES = (
    ("v_wmma_", ("f32_16x16x4",), ("f32",)),
    ("v_wmma_", ("f32_16x16x16",), ("f16", "bf16") + EIGHT),
    ("v_wmma_", ("f16_16x16x16", "f16_16x16x32"), ("f16",)),
    ("v_wmma_", ("bf16_16x16x16", "bf16_16x16x32", "bf16f32_16x16x32"), ("bf16",)),
    ("v_wmma_", ("f32_16x16x32",), ("f16", "bf16")),
    ("v_wmma_", ("f32_16x16x64", "f16_16x16x64", "f32_16x16x128", "f16_16x16x128"), EIGHT),
    ("v_wmma_", ("i32_16x16x16",), ("iu4", "iu8")),
    ("v_wmma_", ("i32_16x16x32",), ("iu4",)),
    ("v_wmma_", ("i32_16x16x64",), ("iu8",)),
    ("v_wmma_", ("f32_16x16x128",), ("f8f6f4",)),
    ("v_wmma_", ("f32_32x16x128",), ("f4",)),
    ("v_wmma_scale_", ("f32_16x16x128",), ("f8f6f4",)),
    ("v_wmma_scale_", ("f32_32x16x128",), ("f4",)),
    ("v_wmma_scale16_", ("f32_16x16x128",), ("f8f6f4",)),
    ("v_wmma_scale16_", ("f32_32x16x128",), ("f4",)),
    ("v_swmmac_", ("f32_16x16x32",), ("f16", "bf16") + EIGHT),
    ("v_swmmac_", ("f16_16x16x32", "f16_16x16x64"), ("f16",)),
    ("v_swmmac_", ("bf16_16x16x32", "bf16_16x16x64", "bf16f32_16x16x64"), ("bf16",)),
    ("v_swmmac_", ("f32_16x16x64",), ("f16", "bf16")),
    ("v_swmmac_", ("f32_16x16x128", "f16_16x16x128"), EIGHT),
    ("v_swmmac_", ("i32_16x16x32",), ("iu4", "iu8")),
    ("v_swmmac_", ("i32_16x16x64",), ("iu4",)),
    ("v_swmmac_", ("i32_16x16x128",), ("iu8",)),
)


class Opcode(NamedTuple):
    """One matrix instruction.

    mnemonic: as the assembler prints it; m, n, k: rows of A, columns of B, values summed; a_type, b_type, c_type, d_type:
    keys of BITS, or "f8f6f4" where the instruction chooses; family: WMMA or SWMMAC; sparse: A keeps two of four values;
    scale_block: values along K that share a scale byte, 0 where nothing is scaled; targets: that have it.
    """

    mnemonic: str
    m: int
    n: int
    k: int
    a_type: str
    b_type: str
    c_type: str
    d_type: str
    family: str
    sparse: bool
    scale_block: int
    targets: tuple


def mnemonics():
    """Return every mnemonic, in the order of FAMILIES."""
    found = []
    for prefix, results, types in FAMILIES:
        for result in results:
            for kinds in types:
                found.append(prefix + result + "_" + kinds)
    return found


def spelled(name):
    """Return a name in lower case; that of a product in clang, LLVM or MLIR as its mnemonic."""
    given = text = str(name).strip().lower()
    for prefix in ("@", "__builtin_amdgcn_", "llvm.amdgcn.", "rocdl.", "v_"):
        if text.startswith(prefix):
            text = text[len(prefix) :]
    words = text.replace(".", "_").split("_")
    if words[0] not in ("wmma", "swmmac"):
        return given
    for at, word in enumerate(words):
        if word == "e64" or (word[:1] == "v" and word[1:2].isdigit()):  # v8f32: a type that an intrinsic is overloaded with
            words = words[:at]
            break
    return "v_" + "_".join(words)


def opcode(name):
    """Return the Opcode of a matrix instruction.

    Args: name: a mnemonic, with or without v_, v_wmma_, the result type f32 or i32, and _e64, or the name of clang's
      builtin, LLVM's intrinsic or MLIR's operation.
    Raises: MatrixError: it names none.
    """
    text = spelled(name)
    if text.endswith("_e64"):
        text = text[:-4]
    known = mnemonics()
    found = [start + text for start in ("", "v_", "v_wmma_", "v_wmma_f32_", "v_wmma_i32_") if start + text in known]
    if not found and text[-4:] == "_f64":
        raise MatrixError("op", name, "no such product on gfx1250; gfx1251 has one, WMMA-002", "VGPR-011")
    if not found:
        raise MatrixError("op", name, "no matrix instruction of " + TARGET + "; `mfma list` names them", "WMMA-001")
    text = found[0]
    block = 0
    for prefix, size in (("v_wmma_scale16_", 16), ("v_wmma_scale_", 32)):
        if text.startswith(prefix):
            block = size
    words = text.replace("_scale16_", "_").replace("_scale_", "_").split("_")[1:]
    shape = [int(part) for part in words[2].split("x")]
    types = ["fp4" if word == "f4" else word for word in words[3:]]
    c_type, d_type = ("f32", "bf16") if words[1] == "bf16f32" else (words[1], words[1])
    sparse = words[0] == "swmmac"
    if sparse and words[1] == "bf16f32":
        d_type = "f32"  # the accumulator is C and D at once
    family = "SWMMAC" if sparse else "WMMA"
    return Opcode(
        text, shape[0], shape[1], shape[2], types[0], types[-1], c_type, d_type, family, sparse, block, (TARGET,)
    )


def opcodes(target=TARGET):
    """Return every matrix instruction of gfx1250, in the order of FAMILIES.

    Raises: MatrixError: another target.
    """
    _check_target(target)
    return [opcode(name) for name in mnemonics()]


def on_target(name, target=TARGET):
    """Return the Opcode of an instruction that a target has.

    Raises: MatrixError: it names none, or the target is not gfx1250.
    """
    _check_target(target)
    return opcode(name)


def chosen(op):
    """Return whether the instruction chooses the formats of A and B."""
    return op.a_type == "f8f6f4"


def element_type(op, matrix, a_format="fp8", b_format="fp8"):
    """Return the element type of A, B, C or D.

    Args: op: Opcode; matrix; a_format, b_format: used by f8f6f4 instructions.
    Raises: MatrixError: another matrix or format.
    """
    if matrix == "A":
        return format_of(a_format, "a_format") if chosen(op) else op.a_type
    if matrix == "B":
        return format_of(b_format, "b_format") if chosen(op) else op.b_type
    if matrix in ("C", "D"):
        return op.c_type if matrix == "C" else op.d_type
    raise MatrixError("matrix", matrix, "A, B, C or D")


def matrices(op):
    """Return the operands that hold a matrix: A, B, C and D; for SWMMAC no C, which is D, but the index; scales."""
    if op.sparse:
        return ("A", "B", "D", "index")
    return ("A", "B", "C", "D", "scale_a", "scale_b") if op.scale_block else ("A", "B", "C", "D")


def registers(op, matrix, a_format="fp8", b_format="fp8"):
    """Return how many 32-bit registers of each lane an operand takes.

    Args: as for element_type; matrix may also be "index", "scale_a" or "scale_b".
    Raises: MatrixError: the instruction has no such operand.
    Claims: WMMA-001, WMMA-008.
    """
    if matrix not in matrices(op):
        raise MatrixError("matrix", matrix, op.mnemonic + " has " + ", ".join(matrices(op)))
    if matrix == "index":
        return max(1, index_bits(op) // 32)
    if matrix in ("scale_a", "scale_b"):
        return op.k // op.scale_block // 4
    bits = BITS[element_type(op, matrix, a_format, b_format)]
    count = {"A": op.m * op.k, "B": op.k * op.n}.get(matrix, op.m * op.n)
    if op.sparse and matrix == "A":
        count //= 2
    return count * bits // (LANES * 32)


def index_bits(op):
    """Return how many bits of positions one instruction needs of each lane: two for each kept value of A.

    Args: op: a sparse Opcode. Raises: MatrixError: it is not sparse.
    Claims: WMMA-010.
    """
    if not op.sparse:
        raise MatrixError("matrix", "index", op.mnemonic + " has no index register")
    return 2 * op.m * op.k // 2 // LANES


def index_sets(op):
    """Return how many sets of positions the index operand holds: two where one takes half a register.

    Claims: WMMA-010.
    """
    return max(1, 32 // index_bits(op))


def operations(op):
    """Return the operations of one instruction of one wave: two for each product, sparse ones counted as if dense."""
    return 2 * op.m * op.n * op.k


def formats(op):
    """Return the formats that A and B may have: those of f8f6f4, or none where the mnemonic names the type."""
    return FORMATS if chosen(op) else ()


def _check_target(target):
    if target != TARGET:
        raise MatrixError("target", target, "WMMA of this family is on gfx1250", "WMMA-002")
