# SPDX-License-Identifier: Apache-2.0
"""How many slots the CDNA5 guide asks for behind a matrix instruction (§7.12.1), apart from what compilers leave.

The guide names a product by its types and has no stepping. It asks for slots before a vector ALU instruction that reads or
overwrites the result or overwrites A, B or the index, and for one more before the result is A, B or index of a product.
Of C, of block scales, of memory instructions and of the f32 product its table says nothing.
"""

from typing import NamedTuple

from .hazards import operand, waits

CLAIM = "GFX-011"


class Asked(NamedTuple):
    """What the guide asks for: slots, and the claim that carries it."""

    slots: int
    claim: str


def vector_slots(name, a_format="fp8", b_format="fp8"):
    """Return the slots before a vector ALU instruction, or None for a product that the table does not have.

    Args: name: a matrix mnemonic of gfx1250; a_format, b_format: formats of an f8f6f4 product.
    Raises: ValueError: no matrix instruction of gfx1250. Claims: GFX-011.
    """
    op = operand(name, a_format, b_format)
    if op.kind != "matrix":
        raise ValueError("op=" + repr(name) + ": a matrix instruction of gfx1250, " + CLAIM)
    if op.family in ("f32", "older"):
        return None
    integer = op.name[-4:] == "_iu8"
    if op.family == "sparse":
        return 4 if integer else 2
    if integer:
        return 8
    if op.name[-7:] == "_f8f6f4":
        return 1 if a_format == "fp4" and b_format == "fp4" else 3
    if op.name[-3:] == "_f4" or "_16x16x128_" in op.name:
        return 3
    return 1 if "_16x16x64_" in op.name else 4


def asked(first, then, via, a_format="fp8", b_format="fp8"):
    """Return what the guide asks for between two instructions as Asked, or None where its table does not have the case.

    Args: as for `cdna.wmma.hazards.waits`. Raises: ValueError: the pair cannot depend on each other in that way.
    Claims: GFX-011.
    """
    waits(first, then, via, a_format, b_format)  # refuses what cannot be
    slots = vector_slots(first, a_format, b_format)
    if slots is None:
        return None
    two = operand(then)
    if via in ("ab", "index"):
        return None if two.family in ("f32", "older") else Asked(slots + 1, CLAIM)
    if via in ("read", "waw", "ab-war") and two.kind in ("valu", "trans"):
        return Asked(slots, CLAIM)
    return None
