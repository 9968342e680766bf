# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx1250 as a compiler takes them: registers, types and operand order, by rule from the mnemonic.

The mnemonic names shape and types; a wave has 32 lanes, so an operand of R x C values of B bits takes R * C * B / 1024
registers. The order of operands was read from what LLVM 22.1.8's instruction selection makes of the intrinsics.
"""

import re
from typing import NamedTuple

_NAME = re.compile(r"v_(wmma|swmmac)(_scale16|_scale)?_(bf16f32|f32|f16|bf16|i32)_(\d+)x(\d+)x(\d+)_(\w+)\Z")
_BITS = {"f32": 32, "i32": 32, "f16": 16, "bf16": 16, "iu8": 8, "fp8": 8, "bf8": 8, "fp6": 6, "bf6": 6, "fp4": 4, "f4": 4, "iu4": 4}
# Format: its code, and LLVM's word for its width.
FORMATS = {"fp8": (0, "f8"), "bf8": (1, "f8"), "fp6": (2, "f6"), "bf6": (3, "f6"), "fp4": (4, "f4")}


class Form(NamedTuple):
    """One product; a, b, c, d, index, scale: registers of a lane, 0 where it has no such operand.

    kind: types of the operands that decide their order: float, eight, integer, f8f6f4 or f4; a_type, b_type: as the
    mnemonic or the formats say; accumulator, result: types of C and of D; older: one of the forms that gfx12 had.
    """

    name: str
    kind: str
    sparse: bool
    older: bool
    a_type: str
    b_type: str
    accumulator: str
    result: str
    a: int
    b: int
    c: int
    d: int
    index: int
    scale: int


def is_form(text):
    """Say whether a text begins like a matrix instruction of gfx1250."""
    return text.startswith(("v_wmma_", "v_swmmac_"))


def form(text):
    """Return the Form of a product: a mnemonic, for f8f6f4 followed by the formats of A and B (fp8 fp4).

    Raises: ValueError: no mnemonic of this kind, or no format.
    """
    name, *formats = text.split()
    found = _NAME.match(name)
    if not found:
        raise ValueError(f"{text!r}: not a matrix instruction as the assembler prints it")
    head, scaled, result, m, n, k, types = found.groups()
    m, n, k, sparse = int(m), int(n), int(k), head == "swmmac"
    a_type, b_type = types.split("_")[0], types.split("_")[-1]
    kind = {"f8f6f4": "f8f6f4", "f4": "f4", "iu8": "integer", "iu4": "integer"}.get(types)
    kind = kind or ("eight" if a_type in ("fp8", "bf8") else "float")
    if kind == "f8f6f4":
        a_type, b_type = formats or ("fp8", "fp8")
        for given in (a_type, b_type):
            if given not in FORMATS:
                raise ValueError(f"{given!r}: not a format; {', '.join(FORMATS)}")
    bits = {"A": _BITS[a_type], "B": _BITS[b_type]}
    accumulator = "f32" if result == "bf16f32" else result
    # The sparse form of the mixed product has one operand for both.
    out = "bf16" if result == "bf16f32" and not sparse else accumulator
    kept = k // 2 if sparse else k
    return Form(
        name, kind, sparse, older(kind, k, bits["A"], sparse), a_type, b_type, accumulator, out,
        m * kept * bits["A"] // 1024, k * n * bits["B"] // 1024, m * n * _BITS[accumulator] // 1024, m * n * _BITS[out] // 1024,
        max(1, 2 * m * kept // 1024) if sparse else 0, {None: 0, "_scale": 1, "_scale16": 2}[scaled],
    )  # fmt: skip


def older(kind, k, bits, sparse):
    """Say whether a product has one of the lengths that gfx12 had: half the K and less."""
    if kind == "float":
        return k == (32 if sparse else 16) and bits == 16
    return kind in ("eight", "integer") and (k <= 32 or bits == 4)


def opcode(f):
    """Return LLVM's name of a product, without the suffix of its form."""
    head = f.name.upper()
    if f.kind == "f8f6f4":
        head += f"_{FORMATS[f.a_type][1]}_{FORMATS[f.b_type][1]}"
    return head


def operands(f):
    """Return a product's operands in MIR; upper-case letters stand for registers: A, B, C, D, I (index), S and T (scales).

    8 is the modifier word of a source that has modifiers; the zeros behind are reuse, negations, choices and formats.
    """
    inputs = {"float": ["8", "A", "8", "B"], "integer": ["8", "A", "8", "B"]}.get(f.kind, ["A", "B"])
    if f.sparse:
        # Index key, then reuse of A and of B, then two negations; gfx12 has no reuse, eight-bit products no negation.
        # The index of the long four-bit product fills its register, and that one form of gfx12 has no key.
        key = 0 if f.name.endswith("x64_iu4") else 1
        more = key + (0 if f.older else 2) + (0 if f.kind == "eight" else 2)
        return [*inputs, "D", "I", *["0"] * more]
    inputs += ["C"] if f.kind == "integer" else ["8", "C"]
    if f.scale:
        inputs += ["S", "T"]
    if f.kind == "f8f6f4":
        inputs += [str(FORMATS[f.a_type][0]), str(FORMATS[f.b_type][0])]
    if f.scale:
        return [*inputs, *["0"] * 8]
    return [*inputs, *["0"] * (2 if f.older or f.kind in ("f8f6f4", "f4") else 4)]


def example(text):
    """Return one line of assembly of a product, its operands side by side from v0, C in the registers of D where it fits."""
    f = form(text)
    at, found = 0, {}
    counts = [("d", f.d), ("a", f.a), ("b", f.b), ("c", 0 if f.sparse else f.c), ("i", f.index), ("s", f.scale), ("t", f.scale)]
    for name, count in counts:
        if name == "c" and f.c == f.d and not f.sparse:
            found[name] = found["d"]
        elif count:
            at += at % 2  # tuples begin at an even register
            found[name] = f"v[{at}:{at + count - 1}]" if count > 1 else f"v{at}"
            at += count
    return f"{f.name} {', '.join(found.values())}"
