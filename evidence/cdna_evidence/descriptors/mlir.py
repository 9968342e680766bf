# SPDX-License-Identifier: Apache-2.0
"""The descriptors of `rocdl.tensor.load.to.lds` and `.store.from.lds` operations in MLIR text.

An integer interpreter over the `llvm` operations that put descriptor words together, for one function at a time and
in the order of the text. A value of any other operation is not known, and its words stay None.
"""

import re

from . import Found, Unreadable
from .values import BINARY, binary, cast, fitted, unknown

CALL = re.compile(r"^\s*\"?rocdl\.tensor\.(load\.to|store\.from)\.lds(?:\.d2)?\"?[\s(]+(.*)$")
LONGEST = 1 << 24

_NAME = r"%[\w$.-]+(?:#\d+)?"
_RESULT = re.compile(rf"^\s*({_NAME})\s*=\s*\"?([\w.]+)\"?(.*)$")
_VECTOR = re.compile(r"vector<(\d{1,4})x(i\d{1,4}|index)>")
_POINTER = re.compile(r"!llvm\.ptr(?:<(\d+)>)?")
_STRUCT_POINTER = re.compile(r"\[[01]\]\s*:\s*!llvm\.struct<\(ptr(?:<(\d+)>)?,")
_ELEMENT = re.compile(r"\bb?[fi](\d+)(?:E\w+)?$")


def is_mlir(text):
    """Say whether a text holds these operations."""
    return any(CALL.match(line) for line in text.splitlines())


def descriptors_of_mlir(text, addresses=None):
    """Return the descriptor of every tensor operation in MLIR text, in the order of the text.

    Args: text: of a module; addresses: {address space: byte address} that a memref argument's pointer stands for;
      one that is not given is not known.
    Returns: list of Found.
    Raises: Unreadable: an operand is no vector of the right length.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"{len(text)} characters of MLIR: at most {LONGEST}")
    known, found = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        if "func.func" in line or "llvm.func" in line:
            known = {}
        call = CALL.match(line)
        if call:
            words = _words(call.group(2), known, number)
            found.append(Found(f"line {number}", words, "load" if call.group(1) == "load.to" else "store"))
            continue
        result = _RESULT.match(line)
        if result:
            try:
                known[result.group(1)] = _value(result.group(2), result.group(3), known, addresses or {})
            except (TypeError, ValueError, IndexError):
                known[result.group(1)] = (("other", ""), None)  # operands of other types than the operation has
    return found


def _words(rest, known, number):
    names = re.findall(_NAME, rest.split(" : ")[0])
    words = []
    for group, size in enumerate((4, 8, 4, 4)):
        if group >= len(names):
            if group == 2:
                break
            raise Unreadable(f"line {number}: the operation has {len(names)} operands")
        kind, value = known.get(names[group], (("vec", size, ("int", 32)), [None] * size))
        if kind != ("vec", size, ("int", 32)) or not isinstance(value, list) or len(value) != size:
            raise Unreadable(f"line {number}: operand {group + 1} is not vector<{size}xi32>")
        words += value
    return tuple(words)


def _type(text):
    """Return the type that a text begins with."""
    text = text.strip()
    vector = _VECTOR.match(text)
    if vector:
        return ("vec", int(vector.group(1)), _type(vector.group(2)))
    pointer = _POINTER.match(text)
    if pointer:
        return ("ptr", int(pointer.group(1) or 0))
    integer = re.match(r"i(\d{1,4})\b", text)
    if integer:
        return ("int", int(integer.group(1)))
    return ("int", 64) if text.startswith("index") else ("other", text[:40])


def _value(op, rest, known, addresses):
    """Return (type, value) of one operation's result."""
    head, _, types = rest.rpartition(" : ")
    kind = _type(types)
    operands = [known.get(name, (("other", ""), None)) for name in re.findall(_NAME, head)]
    name = op.removeprefix("llvm.").removeprefix("arith.")
    if name in ("mlir.constant", "constant"):
        return _constant(head, kind, rest)
    if name in ("mlir.zero", "mlir.undef", "mlir.poison"):
        return kind, [0] * kind[1] if kind[0] == "vec" else 0
    if name == "extractvalue":
        pointer = _STRUCT_POINTER.search(rest)
        if pointer is None:
            return ("other", ""), None
        space = int(pointer.group(1) or 0)
        return ("ptr", space), addresses.get(space)
    if name == "getelementptr":
        return _pointer(rest, head, operands)
    if name == "intr.cttz":
        given, value = operands[0] if operands else (kind, None)
        if value is None or given[0] != "int":
            return given, unknown(given)
        return given, given[1] if not value else (value & -value).bit_length() - 1
    if name == "insertelement" and len(operands) == 3:
        item, vector, index = operands[0][1], operands[1], operands[2][1]
        if vector[0][0] != "vec" or index is None or index >= vector[0][1]:
            return kind, unknown(kind)
        return vector[0], vector[1][:index] + [item] + vector[1][index + 1 :]
    if name == "extractelement" and len(operands) == 2 and kind[0] == "vec":
        index = operands[1][1]
        return kind[2], None if index is None or index >= kind[1] else operands[0][1][index]
    if name in BINARY and len(operands) == 2 and operands[0][0] == operands[1][0] == kind:
        return kind, binary(name, kind, operands[0][1], operands[1][1])
    if len(operands) == 1 and " to " in types:
        given, value = operands[0]
        wanted = _type(types.rpartition(" to ")[2])
        if op == "builtin.unrealized_conversion_cast":
            return wanted, fitted(wanted, value)
        if name in ("bitcast", "trunc", "zext", "sext", "ptrtoint", "inttoptr", "addrspacecast"):
            return wanted, cast(name, given, value, wanted)
    return kind, unknown(kind)


def _constant(head, kind, rest):
    dense = re.search(r"dense<(.*?)>\s*:\s*", rest)
    if dense:
        kind = _type(rest[dense.end() :])
        items = [_number(item) for item in dense.group(1).strip("[]").split(",")]
        if kind[0] != "vec":
            return kind, None
        return kind, fitted(kind, items * kind[1] if len(items) == 1 else items)
    plain = re.match(r"[\s(]*(-?\d+|true|false)\b", head or rest)
    if kind[0] not in ("int", "vec") and plain and plain.group(1) in ("true", "false"):
        kind = ("int", 1)  # `arith.constant true` names no type
    return kind, fitted(kind, _number(plain.group(1))) if plain else unknown(kind)


def _number(text):
    text = text.strip()
    if text in ("true", "false"):
        return int(text == "true")
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _pointer(rest, head, operands):
    """Return the pointer of `%base[%index] : (...) -> !llvm.ptr<n>, element`."""
    kind = _type(rest.rpartition("->")[2])
    element = _ELEMENT.search(rest.strip())
    static = re.search(r"\[(-?\d+)\]", head)
    at = operands[0][1] if operands else None
    index = int(static.group(1)) if static else operands[1][1] if len(operands) > 1 else None
    if at is None or index is None or element is None:
        return kind, None
    index = index - (1 << 64) if index >> 63 & 1 else index
    return kind, fitted(kind, at + index * (int(element.group(1)) // 8))
