# SPDX-License-Identifier: Apache-2.0
"""Constant values of LLVM types: integers and vectors of them, with parts that are not known.

A scalar is an int, or None where it is not constant; a vector is a list of scalars. Types are tuples:
("int", bits), ("ptr", address space), ("vec", count, element), ("array", count, element), ("other", name).
"""

SIZES = {"half": 2, "bfloat": 2, "float": 4, "double": 8}
FLAGS = ("nuw", "nsw", "exact", "disjoint", "nneg", "inbounds", "nusw", "samesign", "fast")
BINARY = {
    "add": lambda a, b, n: a + b,
    "sub": lambda a, b, n: a - b,
    "mul": lambda a, b, n: a * b,
    "and": lambda a, b, n: a & b,
    "or": lambda a, b, n: a | b,
    "xor": lambda a, b, n: a ^ b,
    "shl": lambda a, b, n: a << b if b < n else None,
    "lshr": lambda a, b, n: a >> b if b < n else None,
    "ashr": lambda a, b, n: signed(a, n) >> b if b < n else None,
    "udiv": lambda a, b, n: a // b if b else None,
    "urem": lambda a, b, n: a % b if b else None,
}
CASTS = ("bitcast", "trunc", "zext", "sext", "ptrtoint", "inttoptr", "addrspacecast", "freeze")


def bits_of(kind):
    """Return the bits of one element of a type; 0 where that is not known."""
    if kind[0] in ("vec", "array"):
        return bits_of(kind[2])
    if kind[0] == "int":
        return kind[1]
    if kind[0] == "ptr":
        return 32 if kind[1] in (3, 5) else 64
    return SIZES.get(kind[1], 0) * 8


def bytes_of(kind):
    """Return the bytes that a type takes in memory, or None where that is not known."""
    if kind[0] in ("vec", "array"):
        inner = bytes_of(kind[2])
        return None if inner is None else inner * kind[1]
    return bits_of(kind) // 8 or None


def unknown(kind):
    """Return a value of a type of which nothing is known."""
    return [None] * kind[1] if kind[0] == "vec" else None


def fitted(kind, value):
    """Return a value cut to the bits of its type, in the shape of its type."""
    if kind[0] == "vec":
        if not isinstance(value, list) or len(value) != kind[1]:
            return unknown(kind)
        return [fitted(kind[2], item) for item in value]
    width = bits_of(kind)
    if value is None or isinstance(value, list) or not width:
        return None
    return value & (1 << width) - 1


def signed(value, width):
    """Return an unsigned value read as two's complement."""
    return value - (1 << width) if value >> width - 1 & 1 else value


def binary(name, kind, one, other):
    """Return one of the operations in BINARY on two values of a type; not known where a part is not."""
    if kind[0] == "vec":
        return [binary(name, kind[2], a, b) for a, b in zip(one, other, strict=True)]
    if name == "and" and 0 in (one, other):
        return 0
    if one is None or other is None:
        return None
    return fitted(kind, BINARY[name](one, other, bits_of(kind)))


def cast(name, given, value, wanted):
    """Return a value of one type as another type, by one of CASTS."""
    if name == "bitcast":
        return _bitcast(given, value, wanted)
    if name == "freeze":
        return fitted(wanted, value)
    if wanted[0] == "vec":
        inner = [cast(name, given[2], item, wanted[2]) for item in value] if given[0] == "vec" else None
        return fitted(wanted, inner)
    if value is None or isinstance(value, list):
        return unknown(wanted)
    return fitted(wanted, signed(value, bits_of(given)) if name == "sext" else value)


def _bitcast(given, value, wanted):
    """Regroup bits, first element lowest; an element is known when all bits that it is made of are."""
    parts = value if given[0] == "vec" else [value]
    width, new = bits_of(given), bits_of(wanted)
    count = wanted[1] if wanted[0] == "vec" else 1
    if not width or not new or width * len(parts) != new * count:
        return unknown(wanted)
    bits = sum(part << width * i for i, part in enumerate(parts) if part is not None)
    result = []
    for i in range(count):
        sources = range(new * i // width, (new * (i + 1) - 1) // width + 1)
        whole = all(parts[source] is not None for source in sources)
        result.append(bits >> new * i & (1 << new) - 1 if whole else None)
    return result if wanted[0] == "vec" else result[0]
