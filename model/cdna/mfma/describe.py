# SPDX-License-Identifier: Apache-2.0
"""Everything the model knows of one matrix instruction, as one plain dict: what a page about it shows."""

from .copy_as import names
from .layouts import OTHER, layout
from .opcodes import (
    BITS,
    FORMATS,
    element_type,
    index_sets,
    matrices,
    on_target,
    operations,
    operations_per_cycle,
    registers,
    takes,
)
from .passes import passes

TYPES = ("A", "B", "C", "D")


def describe(name, target):
    """Return what the model knows of an instruction on a target, as a dict of plain values.

    Args: name: a mnemonic in any spelling; target: gfx942 or gfx950.
    Returns: mnemonic, target, targets, shape [m, n, k], blocks, types {A, B, D}, family, sparse, scaled, passes (a number,
      or {"without 8-bit operand", "with 8-bit operand"}), operations, operations_per_cycle (None: no source),
      operands [{matrix, rows, columns, coordinates, bits, registers, formats}], modifiers {field: meaning}, index_sets,
      claims, disputed [{claim, position}].
    Raises: MatrixError: no such instruction on the target.
    """
    op = on_target(name, target)
    chosen = op.a_type == "f8f6f4"
    count = passes(target, op.mnemonic, 4, 4) if chosen else passes(target, op.mnemonic)
    if chosen:
        count = {"without_8_bit_operand": count, "with_8_bit_operand": passes(target, op.mnemonic, 0, 0)}
    claims = ["MFMA-080", "MFMA-054", "MFMA-004", "MFMA-061"]
    claims += ["MFMA-001"] if op.mnemonic == "v_mfma_f32_16x16x16_f16" else []
    claims += ["MFMA-002"] if op.mnemonic == "v_mfma_f32_16x16x32_f16" else []
    claims += ["MFMA-052"] + (["MFMA-053", "MFMA-062"] if chosen else []) + (["MFMA-057"] if op.sparse else [])
    claims += ["MFMA-055"] if op.sparse and op.targets == ("gfx950",) else []
    claims += ["MFMA-056"] + (["MFMA-058"] if target == "gfx942" else []) + (["MFMA-060"] if op.scaled else [])
    meanings = takes(op)
    disputed = []
    if chosen:
        disputed.append({"claim": "MFMA-053", "position": OTHER["MFMA-053"]})
    if ("cbsz", "broadcast") in meanings:
        claims.append("MFMA-059")
        disputed.append({"claim": "MFMA-059", "position": OTHER["MFMA-059"]})
    return {
        "mnemonic": op.mnemonic,
        "target": target,
        "targets": list(op.targets),
        "shape": [op.m, op.n, op.k],
        "blocks": op.blocks,
        "types": {"A": op.a_type, "B": op.b_type, "D": op.d_type},
        "family": op.family,
        "sparse": op.sparse,
        "scaled": op.scaled,
        "passes": count,
        "operations": operations(op),
        "operations_per_cycle": operations_per_cycle(op, target),
        "operands": [_operand(op, target, matrix, chosen) for matrix in matrices(op)],
        "modifiers": dict(meanings),
        "index_sets": index_sets(op)[0] if op.sparse else 0,
        "claims": claims,
        "disputed": disputed,
    }


def _operand(op, target, matrix, chosen):
    where = layout(op.mnemonic, target, matrix)
    found = {
        "matrix": matrix,
        "rows": where.shape[1],
        "columns": where.shape[2],
        "coordinates": list(names(where)),
        "bits": where.item_bits,
        "registers": registers(op, matrix),
    }
    if matrix in TYPES:
        found["bits"] = BITS[element_type(op, matrix)]
    if chosen and matrix in ("A", "B"):
        found["formats"] = [
            {"format": kind, "bits": BITS[kind], "registers": registers(op, matrix, kind, kind)} for kind in FORMATS
        ]
    return found
