# SPDX-License-Identifier: Apache-2.0
"""The descriptors of `llvm.amdgcn.tensor.load.to.lds` and `.store.from.lds` calls in LLVM IR text.

Operands are followed through vector constants, constant expressions and the instructions that put vectors together,
inside one function. What depends on an argument, a load or a branch is not constant, and its words stay None.
"""

import re

from . import Found, Unreadable
from .values import BINARY, CASTS, FLAGS, binary, bits_of, bytes_of, cast, fitted, unknown

CALL = re.compile(r"@llvm\.amdgcn\.tensor\.(load\.to|store\.from)\.lds(\.d2)?\s*\(")
WAIT = re.compile(r"@llvm\.amdgcn\.(?:s\.wait\.tensorcnt|wait\.asyncmark)\s*\(")  # newer LLVM waits by marks too
LDS_GLOBAL = re.compile(r"^(@[-\w.$]+|@\"[^\"]*\")\s*=.*\baddrspace\(3\)\s+(?:global|constant)\b", re.MULTILINE)
CLUSTER = re.compile(r'"amdgpu-cluster-dims"="(\d+),(\d+),(\d+)"')
DEEPEST = 64
WIDEST = 4096
LONGEST = 1 << 24

_TOKEN = re.compile(
    r'\s+|;[^\n]*|[%@](?:"[^"]*"|[-\w.$]+)|c?"[^"]*"|[us]?0x[0-9A-Fa-f]+|-?\d+(?:\.\d+(?:e[+-]?\d+)?)?|[A-Za-z_][\w.]*|.'
)
_DEFINED = re.compile(r'^\s*(%(?:"[^"]*"|[-\w.$]+))\s*=\s*(.*)$')
_IDENTITY = re.compile(r'asm\s+(?:sideeffect\s+)?"",\s*"=[sv],0"\s*\(')
_READFIRST = re.compile(r"@llvm\.amdgcn\.readfirstlane(?:\.\w+)?\s*\(")
_ATTRIBUTE = re.compile(r"(?![us]0x)[A-Za-z_][\w.]*")
_WORDS = ("zeroinitializer", "undef", "poison", "null", "splat", "true", "false", "none")
_EXPRESSIONS = tuple(BINARY) + CASTS + ("getelementptr", "extractelement", "insertelement", "shufflevector", "select")


def is_llvm_ir(text):
    """Say whether a text holds calls of the tensor intrinsics (a declaration alone does not count)."""
    return any(not line.lstrip().startswith("declare") and CALL.search(line) for line in text.splitlines())


def descriptors_of_ir(text):
    """Return the descriptor of every tensor call in LLVM IR, in the order of the text.

    Args: text: of a module, of functions, or of single call lines.
    Returns: list of Found. LDS symbols count as address 0 where there is one, else they are not constant.
    Raises: Unreadable: an operand is not a vector of the right length.
    """
    if len(text) > LONGEST:
        raise Unreadable(f"{len(text)} characters of IR: at most {LONGEST}")
    symbols = sorted(set(LDS_GLOBAL.findall(text)))
    symbols = symbols or sorted(set(re.findall(r"ptr addrspace\(3\) (@[-\w.$]+)", text)))
    found, defined, waited = [], {}, []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if bare.startswith(("define ", "}")):
            defined = {}
        definition = _DEFINED.match(line)
        if definition:
            defined[definition.group(1)] = definition.group(2)
        call = None if bare.startswith("declare") else CALL.search(line)
        if call:
            words = _call_words(line[call.end() :], defined, symbols, number)
            op = "load" if call.group(1) == "load.to" else "store"
            found.append([number, words, op])
        if WAIT.search(line) and not bare.startswith("declare"):
            waited.append(number)
    notes = _module_notes(text, found, waited, symbols)
    return [Found(f"line {number}", words, op, tuple(notes.get(number, ()))) for number, words, op in found]


def _call_words(text, defined, symbols, number):
    reader = _Reader(text, defined, symbols)
    words = []
    try:
        for group, size in enumerate((4, 8, 4, 4)):
            start = reader.at
            kind = reader.type()
            if kind == ("int", 32) and group == 2:
                break
            if kind != ("vec", size, ("int", 32)):
                raise Unreadable(f"line {number}: operand {group + 1} of the call is not <{size} x i32>")
            reader.at = start
            words += reader.typed()[1]
            if not reader.take(","):
                raise Unreadable(f"line {number}: the call ends after operand {group + 1}")
    except Unreadable:
        raise
    except (RecursionError, IndexError):
        raise Unreadable(f"line {number}: an operand is nested too deep or ends early") from None
    except (ValueError, TypeError, AttributeError):
        raise Unreadable(f"line {number}: an operand is not LLVM IR of a form that is read here") from None
    return tuple(words)


class _Reader:
    """Read typed values from the tokens of one line."""

    def __init__(self, text, defined, symbols, depth=0, busy=()):
        self.tokens = [piece for piece in _TOKEN.findall(text) if piece.strip() and piece[0] != ";"]
        self.at = 0
        self.defined = defined
        self.symbols = symbols
        self.depth = depth
        self.busy = busy

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, piece):
        if self.peek() == piece:
            self.at += 1
            return True
        return False

    def type(self):
        piece = self.next()
        if piece in ("<", "["):
            count = int(self.next())
            if not 0 < count <= WIDEST:
                raise ValueError("not a vector of a register's kind")
            self.next()  # x
            inner = self.type()
            self.next()  # > or ]
            return ("vec" if piece == "<" else "array", count, inner)
        if re.fullmatch(r"i\d{1,4}", piece):
            return ("int", int(piece[1:]))
        if piece == "ptr":
            space = 0
            if self.take("addrspace"):
                self.next()
                space = int(self.next())
                self.next()
            return ("ptr", space)
        return ("other", piece)

    def typed(self):
        """Read a type, attributes and a value; return (type, value)."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise RecursionError
        kind = self.type()
        self._attributes()
        value = self.value(kind)
        self.depth -= 1
        return kind, value

    def _attributes(self):
        """Skip inreg, noundef, align 4, range(i32 0, 8) and the like."""
        while _ATTRIBUTE.fullmatch(self.peek()) and self.peek() not in _WORDS + _EXPRESSIONS:
            name = self.next()
            if self.peek() == "(":
                self._skip()
            elif name == "align":
                self.next()

    def _skip(self):
        deep = 0
        while True:
            piece = self.next()
            deep += {"(": 1, ")": -1}.get(piece, 0)
            if not deep:
                return

    def value(self, kind):
        """Read the value of a type that was read; return it in the shape of the type."""
        piece = self.next()
        if piece in ("zeroinitializer", "null", "false", "none"):
            return [0] * kind[1] if kind[0] == "vec" else 0
        if piece == "true":
            return 1
        if piece in ("undef", "poison"):
            # Nothing may depend on it; zero is what a reader would print.
            return [0] * kind[1] if kind[0] == "vec" else 0
        if piece == "<":
            items = []
            while not self.take(">"):
                items.append(self.typed()[1])
                self.take(",")
            if kind[0] != "vec" or len(items) != kind[1]:
                raise ValueError("another number of elements than its type has")
            return fitted(kind, items)
        if piece == "splat":
            self.next()
            item = self.typed()[1]
            self.next()
            return fitted(kind, [item] * kind[1]) if kind[0] == "vec" else None
        if piece[0] == "%":
            return fitted(kind, self._local(piece, kind))
        if piece[0] == "@":
            return 0 if self.symbols == [piece] else None
        if piece in _EXPRESSIONS:
            while self.peek() in FLAGS:
                self.next()
            if self.take("("):
                value = self.operation(piece, True)
                self.take(")")
                return fitted(kind, value)
            return unknown(kind)
        if re.fullmatch(r"-?\d+", piece):
            return fitted(kind, int(piece))
        if re.fullmatch(r"[us]0x[0-9A-Fa-f]+", piece):
            return fitted(kind, int(piece[3:], 16))
        return unknown(kind)

    def _local(self, name, kind):
        if name in self.busy or name not in self.defined or len(self.busy) > DEEPEST:
            return unknown(kind)
        text = self.defined[name]
        inner = _Reader(text, self.defined, self.symbols, self.depth, self.busy + (name,))
        identity = _IDENTITY.search(text) or _READFIRST.search(text)
        if identity:
            # An empty inline assembly that ties its result to its operand, and the lane-uniform copy, change nothing.
            inner = _Reader(text[identity.end() :], self.defined, self.symbols, self.depth, self.busy + (name,))
            return inner.typed()[1]
        op = inner.next()
        if op not in _EXPRESSIONS:
            return unknown(kind)
        while inner.peek() in FLAGS:
            inner.next()
        return inner.operation(op, False)

    def operation(self, op, expression):
        """Read the operands of an instruction or constant expression; return its value."""
        if op == "getelementptr":
            return self._pointer()
        kind, value = self.typed()
        if op == "freeze":
            return value
        if op in CASTS:
            self.next()  # to
            return cast(op, kind, value, self.type())
        self.next()  # ,
        if op in BINARY:
            return binary(op, kind, value, self.typed()[1] if expression else self.value(kind))
        second_kind, second = self.typed()
        if op == "extractelement":
            inside = isinstance(value, list) and second is not None and second < len(value)
            return value[second] if inside else None
        self.next()  # ,
        third = self.typed()[1]
        if op == "select":
            return second if value == 1 else third if value == 0 else unknown(second_kind)
        if op == "insertelement":
            if third is None or third >= len(value):
                return unknown(kind)
            return value[:third] + [second] + value[third + 1 :]
        both = value + second  # shufflevector
        return [None if item is None or item >= len(both) else both[item] for item in third]

    def _pointer(self):
        kind = self.type()
        self.next()
        pointer_kind, at = self.typed()
        first = True
        while self.take(","):
            index_kind, index = self.typed()
            if not first:
                kind = kind[2] if kind[0] in ("array", "vec") else ("other", "")
            size = bytes_of(kind)
            if at is None or index is None or size is None:
                at = None
            else:
                width = bits_of(index_kind)
                at += size * (index - (1 << width) if index >> width - 1 & 1 else index)
            first = False
        return fitted(pointer_kind, at)


def _module_notes(text, found, waited, symbols):
    """Return {line: notes} for what the whole text shows: a read without a wait, a read that may be deleted."""
    notes = {}
    loads = [number for number, _, op in found if op == "load"]
    lines = text.splitlines()
    for start in loads:
        # One wait anywhere in the function is taken as the author's plan: in a pipeline it may stand before the load.
        first, last = start, start
        while first > 1 and not lines[first - 2].startswith(("define ", "}")):
            first -= 1
        while last < len(lines) and lines[last].strip() != "}":
            last += 1
        reads = [number for number in range(start + 1, last + 1) if _reads(lines[number - 1])]
        if reads and not any(first <= number <= last for number in waited):
            message = (
                f"LDS is read at line {reads[0]} with no s_wait_tensorcnt in this function, and the compiler adds none. "
                "Fix: call llvm.amdgcn.s.wait.tensorcnt before the read, and a barrier where another wave reads"
            )
            notes.setdefault(start, []).append(("read-without-wait", "warning", message, "TDM-091", None))
            break
    for symbol in symbols:
        pattern = re.escape(symbol) + r"\b"
        private = re.search("^" + pattern + r"\s*=.*\b(?:internal|private)\b", text, re.MULTILINE)
        stored = re.search(r"\b(?:store|atomicrmw|cmpxchg)\b[^\n]*" + pattern, text)
        read = re.search(r"=\s*load\b[^\n]*" + pattern, text)
        if private and read and not stored and loads:
            message = (
                f"{symbol} is read, nothing that the optimizer sees writes it, and the tensor load is not linked to it: "
                "the read may be folded away. Fix: let its address escape, as into an empty inline assembly with a "
                "memory clobber, before the read"
            )
            notes.setdefault(loads[0], []).append(("read-may-be-deleted", "warning", message, "TDM-122", None))
    return notes


def _reads(line):
    return not line.lstrip().startswith(";") and bool(
        re.search(r"=\s*load\b[^\n]*addrspace\(3\)|@llvm\.amdgcn\.ds\.(?:load|read)", line)
    )


def cluster_of_ir(text):
    """Return the number of workgroups in the cluster that the IR's attributes name, or None."""
    dims = [int(x) * int(y) * int(z) for x, y, z in CLUSTER.findall(text)]
    return max(dims) if dims else None
