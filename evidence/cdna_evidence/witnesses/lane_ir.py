# SPDX-License-Identifier: Apache-2.0
"""What one lane does in straight-line LLVM IR: which LDS bytes its transposing loads name, and where their bytes go.

Only integer arithmetic, addresses, casts, vectors and stores are followed. A line of another kind that yields a value
is left unknown; where a followed value needs it, `Unreadable` is raised.
"""

import re

SIZES = {"i8": 1, "i16": 2, "half": 2, "bfloat": 2, "i32": 4, "float": 4, "i64": 8}
LOAD = re.compile(
    r"call <(\d+) x (\w+)> @llvm\.amdgcn\.ds\.(?:load|read)\.(tr\w+\.b\w+?)\.\w+\(ptr addrspace\(3\) (?:nonnull )?(.+)\)"
)
_BINARY = re.compile(r"(shl|lshr|and|or|xor|add|sub|mul) (?:(?:nuw|nsw|exact|disjoint) )*i(\d+) (\S+), (\S+)")
_CAST = re.compile(r"(?:zext|trunc|sext) (?:(?:nneg|nuw|nsw) )*i(\d+) (\S+) to i(\d+)")
_ADDRESS = re.compile(
    r"getelementptr (?:(?:inbounds|nuw|nusw) )*(\w+|\[\d+ x i8\]), ptr addrspace\(\d\) (%\S+|@\S+|inttoptr \(i64 (\d+) to ptr addrspace\(1\)\)), i\d+ (\S+)"
)
_SHUFFLE = re.compile(r"shufflevector <\d+ x (\w+)> (\S+), .*, <(\d+) x i32> (zeroinitializer|<.*>)")
_EXTRACT = re.compile(r"extractelement <\d+ x (\w+)> (\S+), i\d+ (\d+)")
_BITCAST = re.compile(r"bitcast \S.*? (%\S+) to ")
_STORE = re.compile(
    r"store (?:<(\d+) x (\w+)>|(\w+)) (%\S+), ptr addrspace\(1\) (%\S+|inttoptr \(i64 (\d+) to ptr addrspace\(1\)\))"
)


class Unreadable(ValueError):
    """The IR holds a form that is not followed here."""


def follow(text, lane):
    """Return (loads, stores) of one lane of a one-wave kernel.

    Args: text: LLVM IR of one kernel without branches; lane: its number.
    Returns: loads: ((opcode part such as tr8.b64, LDS byte), ...) in order; stores: {global address: (load, byte)},
      byte counted inside what that load gave this lane.
    Raises: Unreadable: a stored byte, an address or a branch is not of a form that is followed.
    """
    values, loads, stores = {}, [], {}
    for line in text.split("define ", 1)[-1].split("\n}", 1)[0].splitlines()[1:]:
        code = re.sub(r"(, (?:align \d+|!\w+ !\d+))+$", "", line.strip())
        name, _, body = code.partition(" = ") if code.startswith("%") else ("", "", code)
        if body.startswith(("br ", "switch ")):
            raise Unreadable("a branch")
        if name:
            values[name] = _value(body.replace("tail call", "call"), values, loads, lane)
        elif body.startswith("store "):
            _store(body, values, stores)
    return tuple(loads), stores


def _value(body, values, loads, lane):
    """The value of one right side: an int, a list of (load, byte), or None."""
    if "@llvm.amdgcn.workitem.id.x(" in body:
        return lane
    found = LOAD.match(body)
    if found:
        count, kind, opcode, where = found.groups()
        loads.append((opcode, _number(where, values)))
        return [(len(loads) - 1, byte) for byte in range(int(count) * SIZES[kind])]
    found = _BINARY.match(body)
    if found:
        return _binary(
            found.group(1), int(found.group(2)), _number(found.group(3), values), _number(found.group(4), values)
        )
    found = _CAST.match(body)
    if found:
        if body.startswith("sext") and _number(found.group(2), values) >> int(found.group(1)) - 1:
            raise Unreadable("a negative number is widened")
        return _number(found.group(2), values) % (1 << int(found.group(3)))
    found = _ADDRESS.match(body)
    if found:
        kind, base, constant, index = found.groups()
        size = int(kind[1:].split()[0]) if kind.startswith("[") else SIZES.get(kind)
        if size is None:
            raise Unreadable(f"steps of {kind}")
        start = int(constant) if constant else 0 if base.startswith("@") else _number(base, values)
        return start + size * _number(index, values)
    return _vector(body, values)


def _vector(body, values):
    found = _SHUFFLE.match(body)
    if found:
        kind, source, count, places = found.groups()
        places = [0] * int(count) if places == "zeroinitializer" else [int(n) for n in re.findall(r"i32 (\d+)", places)]
        return _elements(values.get(source), SIZES.get(kind), places)
    found = _EXTRACT.match(body)
    if found:
        return _elements(values.get(found.group(2)), SIZES.get(found.group(1)), [int(found.group(3))])
    found = _BITCAST.match(body)
    return values.get(found.group(1)) if found else None


def _elements(source, size, places):
    if not isinstance(source, list) or size is None:
        return None
    return [byte for place in places for byte in source[place * size : place * size + size]]


def _store(body, values, stores):
    found = _STORE.match(body)
    if not found:
        raise Unreadable(f"a store of another form: {body[:60]}")
    bytes_of = values.get(found.group(4))
    if not isinstance(bytes_of, list):
        raise Unreadable(f"{found.group(4)}: not from a transposing load")
    address = int(found.group(6)) if found.group(6) else _number(found.group(5), values)
    for i, byte in enumerate(bytes_of):
        stores[address + i] = byte


def _number(text, values):
    if text.startswith("@"):
        return 0
    value = values.get(text) if text.startswith("%") else int(text) if re.fullmatch(r"-?\d+", text) else None
    if not isinstance(value, int):
        raise Unreadable(f"{text}: not a number that is followed")
    return value


def _binary(operation, width, left, right):
    if operation == "shl":
        value = left << right
    elif operation == "lshr":
        value = left >> right
    else:
        value = {
            "and": left & right,
            "or": left | right,
            "xor": left ^ right,
            "add": left + right,
            "sub": left - right,
            "mul": left * right,
        }[operation]
    return value % (1 << width)
