# SPDX-License-Identifier: Apache-2.0
"""Everything the model knows of one matrix instruction of gfx1250, as one plain dict in the shape of cdna.mfma.describe."""

from cdna.mfma.copy_as import names

from .layouts import OTHER, layout
from .opcodes import BITS, TARGET, chosen, element_type, formats, index_sets, matrices, on_target, operations, registers


def describe(name, target=TARGET):
    """Return what the model knows of an instruction, as a dict of plain values.

    Args: name: a mnemonic; target: gfx1250.
    Returns: the keys of cdna.mfma.describe; passes is None (no source gives passes), blocks 1, family WMMA or SWMMAC;
      beside them wave_lanes, c_type and scale_block.
    Raises: MatrixError: no such instruction on the target.
    """
    op = on_target(name, target)
    claims = ["WMMA-001", "WMMA-002", "WMMA-003", "WMMA-004", "WMMA-005"] + _about(op)
    return {
        "mnemonic": op.mnemonic,
        "target": target,
        "targets": list(op.targets),
        "shape": [op.m, op.n, op.k],
        "blocks": 1,
        "types": {"A": op.a_type, "B": op.b_type, "D": op.d_type},
        "family": op.family,
        "sparse": op.sparse,
        "scaled": op.scale_block > 0,
        "passes": None,
        "operations": operations(op),
        "operations_per_cycle": None,
        "operands": [_operand(op, matrix) for matrix in matrices(op)],
        "modifiers": _modifiers(op),
        "index_sets": index_sets(op) if op.sparse else 0,
        "wave_lanes": 32,
        "c_type": op.c_type,
        "scale_block": op.scale_block,
        "claims": claims,
        "disputed": [{"claim": claim, "position": OTHER[claim]} for claim in claims if claim in OTHER],
    }


def _about(op):
    """The claims that concern this instruction beyond those of all."""
    eight = op.a_type in ("fp8", "bf8", "iu8")
    found = ["WMMA-006"] if op.k >= 64 and not op.sparse and (eight or chosen(op)) else []
    found += ["WMMA-007"] if op.k == 32 and op.a_type in ("f16", "bf16") and not op.sparse else []
    found += ["WMMA-008"] if chosen(op) else []
    found += ["WMMA-009"] if chosen(op) or op.a_type == "fp4" else []
    found += ["WMMA-010"] if op.sparse else []
    found += ["WMMA-011"] if op.sparse and op.k == 128 else []
    found += ["WMMA-012"] if op.sparse and op.k * BITS.get(op.a_type, 8) == 1024 else []
    found += ["WMMA-013", "WMMA-016", "WMMA-081", "WMMA-083"] if op.scale_block else []
    found += ["WMMA-014"] if op.scale_block and op.m == 32 else []
    found += ["WMMA-015"] if op.scale_block == 16 else []
    found += ["WMMA-017", "WMMA-020"] if op.m == 32 else []
    found += ["WMMA-018"]
    found += ["WMMA-019"] if op.c_type != op.d_type else []
    found += ["WMMA-084"] if op.c_type == "i32" else []
    return found


def _modifiers(op):
    found = {}
    if chosen(op):
        found.update({"matrix_a_fmt": "format", "matrix_b_fmt": "format"})
    if op.c_type == "i32":
        found["neg_lo"] = "sign"
    if op.sparse and index_sets(op) > 1:
        found["index_key"] = "index-set"
    if op.scale_block:
        found.update({"matrix_a_scale": "scale-row", "matrix_b_scale": "scale-row"})
        found.update({"matrix_a_scale_fmt": "scale-format", "matrix_b_scale_fmt": "scale-format"})
    return found


def _operand(op, matrix):
    where = layout(op.mnemonic, TARGET, matrix)
    found = {
        "matrix": matrix,
        "rows": where.shape[1],
        "columns": where.shape[2],
        "coordinates": list(names(where)),
        "bits": where.item_bits,
        "registers": registers(op, matrix),
    }
    if matrix in ("A", "B", "C", "D"):
        found["bits"] = BITS[element_type(op, matrix)]
    if chosen(op) and matrix in ("A", "B"):
        found["formats"] = [
            {"format": kind, "bits": BITS[kind], "registers": registers(op, matrix, kind, kind)} for kind in formats(op)
        ]
    return found
