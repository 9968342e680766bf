# SPDX-License-Identifier: Apache-2.0
"""Which matrix instructions a target has, to which family each belongs, and how many passes it takes.

A pass is four clocks. What LLVM inserts around a matrix instruction follows from target, family and passes alone.
Claims: MFMA-004, MFMA-061, MFMA-062.
"""

from typing import NamedTuple

TARGETS = ("gfx942", "gfx950")
# XDL: everything but the other two. SGEMM: products of f32. DGEMM: products of f64.
FAMILIES = ("XDL", "SGEMM", "DGEMM")
_PAIRS = ("bf8_bf8", "bf8_fp8", "fp8_bf8", "fp8_fp8")


class Matrix(NamedTuple):
    """One matrix instruction.

    mnemonic: as the assembler prints it; family: one of FAMILIES; gfx942, gfx950: passes, 0 where the target does not
    have the instruction. An f8f6f4 instruction with an operand of 8 bits takes twice the passes given here.
    """

    mnemonic: str
    family: str
    gfx942: int
    gfx950: int


def _rows(family, gfx942, gfx950, names):
    return [Matrix("v_" + name, family, gfx942, gfx950) for name in names]


def _pairs(stem):
    return [stem + "_" + pair for pair in _PAIRS]


def _table():
    rows = _rows("XDL", 2, 2, ("mfma_f32_4x4x4_16b_f16", "mfma_f32_4x4x4_16b_bf16", "mfma_i32_4x4x4_16b_i8"))
    rows += _rows("XDL", 4, 4, ("mfma_f32_16x16x16_f16", "mfma_f32_16x16x16_bf16", "mfma_i32_16x16x32_i8"))
    rows += _rows("XDL", 4, 4, _pairs("mfma_f32_16x16x32"))
    rows += _rows("XDL", 4, 4, ("smfmac_f32_16x16x32_f16", "smfmac_f32_16x16x32_bf16", "smfmac_i32_16x16x64_i8"))
    rows += _rows("XDL", 4, 4, _pairs("smfmac_f32_16x16x64"))
    rows += _rows("XDL", 8, 8, ("mfma_f32_16x16x4_4b_f16", "mfma_f32_16x16x4_4b_bf16", "mfma_i32_16x16x4_4b_i8"))
    rows += _rows("XDL", 8, 8, ("mfma_f32_32x32x8_f16", "mfma_f32_32x32x8_bf16", "mfma_i32_32x32x16_i8"))
    rows += _rows("XDL", 8, 8, _pairs("mfma_f32_32x32x16"))
    rows += _rows("XDL", 8, 8, ("smfmac_f32_32x32x16_f16", "smfmac_f32_32x32x16_bf16", "smfmac_i32_32x32x32_i8"))
    rows += _rows("XDL", 8, 8, _pairs("smfmac_f32_32x32x32"))
    rows += _rows("XDL", 16, 16, ("mfma_f32_32x32x4_2b_f16", "mfma_f32_32x32x4_2b_bf16", "mfma_i32_32x32x4_2b_i8"))
    rows += _rows("XDL", 4, 0, ("mfma_f32_16x16x8_xf32",)) + _rows("XDL", 8, 0, ("mfma_f32_32x32x4_xf32",))
    rows += _rows("XDL", 0, 4, ("mfma_f32_16x16x32_f16", "mfma_f32_16x16x32_bf16", "mfma_i32_16x16x64_i8"))
    rows += _rows("XDL", 0, 4, ("smfmac_f32_16x16x64_f16", "smfmac_f32_16x16x64_bf16", "smfmac_i32_16x16x128_i8"))
    rows += _rows("XDL", 0, 4, _pairs("smfmac_f32_16x16x128"))
    rows += _rows("XDL", 0, 8, ("mfma_f32_32x32x16_f16", "mfma_f32_32x32x16_bf16", "mfma_i32_32x32x32_i8"))
    rows += _rows("XDL", 0, 8, ("smfmac_f32_32x32x32_f16", "smfmac_f32_32x32x32_bf16", "smfmac_i32_32x32x64_i8"))
    rows += _rows("XDL", 0, 8, _pairs("smfmac_f32_32x32x64"))
    rows += _rows("XDL", 0, 4, ("mfma_f32_16x16x128_f8f6f4", "mfma_scale_f32_16x16x128_f8f6f4"))
    rows += _rows("XDL", 0, 8, ("mfma_f32_32x32x64_f8f6f4", "mfma_scale_f32_32x32x64_f8f6f4"))
    rows += _rows("SGEMM", 2, 2, ("mfma_f32_4x4x1_16b_f32",))
    rows += _rows("SGEMM", 8, 8, ("mfma_f32_16x16x1_4b_f32", "mfma_f32_16x16x4_f32"))
    rows += _rows("SGEMM", 16, 16, ("mfma_f32_32x32x1_2b_f32", "mfma_f32_32x32x2_f32"))
    rows += _rows("DGEMM", 4, 4, ("mfma_f64_4x4x4_4b_f64",)) + _rows("DGEMM", 8, 16, ("mfma_f64_16x16x4_f64",))
    return tuple(rows)


MATRIX = _table()


def canonical(name):
    """Return the mnemonic that today's assembler prints for a matrix instruction.

    Args: name: a mnemonic of any age (v_mfma_f32_16x16x16f16, v_mfma_f32_16x16x16_f16), a builtin or an intrinsic of
      that name, or only shape and type (16x16x16_f16).
    Raises: ValueError: it names no matrix instruction, or the bare shape names more than one.
    """
    found = _lookup(name)
    if len(found) != 1:
        known = ": one of " + ", ".join(sorted(found)) if found else ": no matrix instruction of gfx942 or gfx950"
        raise ValueError("op=" + repr(name) + known)
    return found[0]


def is_matrix(name):
    """Say whether a word names a matrix instruction of gfx942 or gfx950, in any of its spellings."""
    return len(_lookup(name)) == 1


def family(name):
    """Return XDL, SGEMM or DGEMM. Raises: ValueError: no matrix instruction."""
    return _row(name).family


def eight_bits(cbsz, blgp):
    """Say whether an f8f6f4 instruction has an operand of eight bits: format code 0 (fp8) or 1 (bf8).

    Args: cbsz, blgp: the format codes of A and B, 0 to 4. Raises: ValueError: another code.
    """
    for name, code in (("cbsz", cbsz), ("blgp", blgp)):
        if code not in (0, 1, 2, 3, 4):
            raise ValueError(f"{name}={code}: 0 fp8, 1 bf8, 2 fp6, 3 bf6, 4 fp4, MFMA-062")
    return cbsz < 2 or blgp < 2


def passes(target, name, cbsz=0, blgp=0):
    """Return the passes of a matrix instruction.

    Args: target: gfx942 or gfx950; name: see `canonical`; cbsz, blgp: format codes, read for f8f6f4 only.
    Raises: ValueError: the target does not have it, or a format code is out of range.
    Claims: MFMA-004, MFMA-061, MFMA-062.
    """
    check_target(target)
    row = _row(name)
    count = row.gfx942 if target == "gfx942" else row.gfx950
    if count == 0:
        other = "gfx950" if target == "gfx942" else "gfx942"
        raise ValueError(f"op={row.mnemonic}: not on {target}, only on {other}, MFMA-061")
    if is_f8f6f4(row.mnemonic) and eight_bits(cbsz, blgp):
        return 2 * count
    return count


def has(target, name):
    """Say whether a target has a matrix instruction. Raises: ValueError: no such target or no matrix instruction."""
    check_target(target)
    row = _row(name)
    return (row.gfx942 if target == "gfx942" else row.gfx950) > 0


def result_registers(name):
    """Return how many registers D holds, and C as many: DWORDs per lane, from the shape in the mnemonic."""
    mnemonic = canonical(name)
    parts = mnemonic.split("_")
    rows, columns = [int(size) for size in _shape_part(parts).split("x")[:2]]
    blocks = 1
    for part in parts:
        if part.endswith("b") and part[:-1].isdigit():
            blocks = int(part[:-1])
    return rows * columns * blocks * (2 if "f64" in parts else 1) // 64


def is_f8f6f4(mnemonic):
    """Say whether the operand formats of a matrix instruction are chosen by cbsz and blgp."""
    return mnemonic.endswith("_f8f6f4")


def is_scaled(mnemonic):
    """Say whether a matrix instruction reads two scale registers."""
    return mnemonic.startswith("v_mfma_scale_")


def is_sparse(mnemonic):
    """Say whether a matrix instruction reads an index register (SMFMAC)."""
    return mnemonic.startswith("v_smfmac_")


def check_target(target):
    """Raise ValueError unless a target is one this module knows."""
    if target not in TARGETS:
        raise ValueError(f"target={target!r}: {', '.join(TARGETS)}")


def _shape_part(parts):
    for part in parts:
        if part[:1].isdigit() and "x" in part:
            return part
    raise ValueError("_".join(parts) + ": no shape in this name")


def _row(name):
    mnemonic = canonical(name)
    for row in MATRIX:
        if row.mnemonic == mnemonic:
            return row
    raise ValueError("op=" + repr(name) + ": no matrix instruction")


def _key(name):
    """Fold the spellings of one instruction into one text: no prefix, no block count, no separators."""
    text = name.strip().lower().replace(".", "_")
    for prefix in ("@", "__builtin_amdgcn_", "llvm_amdgcn_", "rocdl_", "amdgcn_", "v_"):
        if text.startswith(prefix):
            text = text[len(prefix) :]
    for suffix in ("_e64", "_vgprcd", "_1k"):
        if text.endswith(suffix):
            text = text[: -len(suffix)]
    parts = []
    for part in text.split("_"):
        if part[:1] == "v" and part[1:2].isdigit():
            break  # the types that an intrinsic is overloaded with
        if not (part.endswith("b") and part[:-1].isdigit()):
            parts.append(part)
    return "".join(parts)


_KEYS = tuple([(_key(row.mnemonic), row.mnemonic) for row in MATRIX])


def _lookup(name):
    key = _key(name)
    # Intrinsics of this shape without _1k are another product, of one block, which only older targets have.
    plain = name.strip().lower().replace(".", "_")
    if not key or (plain[-11:] == "32x32x4bf16" and ("amdgcn_mfma" in plain or "rocdl_mfma" in plain)):
        return []
    found = [mnemonic for text, mnemonic in _KEYS if text == key]
    if found or not key[0].isdigit():
        return found
    # A shape and a type alone: the dense instruction, since a sparse or scaled one has a name of its own.
    return [mnemonic for text, mnemonic in _KEYS if text in ("mfmaf32" + key, "mfmai32" + key, "mfmaf64" + key)]
