# SPDX-License-Identifier: Apache-2.0
"""The same pairs as LLVM IR, for compilers that cannot read MIR: registers are pinned by empty inline assembly.

Operands come out of empty `asm` statements that name their registers, and results go into some. What does not depend on
the first instruction comes before it: LLVM keeps one state between an `asm` that defines a register and a vector
instruction that reads it, and that state must not stand in the count. Nothing else stands between the two.
"""

import re

from . import matrix

# Through the VGPR form of the accumulator; kernels may use every register.
OPTIONS = ("-mllvm", "-amdgpu-mfma-vgpr-form=1")
_ATTRIBUTES = '"amdgpu-agpr-alloc"="0" "amdgpu-flat-work-group-size"="64,64" "amdgpu-waves-per-eu"="1,1"'
_ELEMENT = {"f64": "double", "f32": "float", "xf32": "float", "f16": "half", "bf16": "i16"}


class Builder:
    """One IR module of pair functions; `function` adds one, `text` is the module."""

    def __init__(self):
        self._declared = {}
        self._functions = []
        self._early = []
        self._lines = []
        self._hot = ()
        self._count = 0

    @property
    def text(self):
        """The module."""
        declared = "\n".join(self._declared[name] for name in sorted(self._declared))
        return "\n".join(self._functions) + "\n" + declared + "\nattributes #0 = { " + _ATTRIBUTES + " }\n"

    def begin(self, hot=()):
        """Start a function; hot: registers that the first instruction of the pair writes, read only after it."""
        self._early = []
        self._lines = []
        self._hot = hot

    def begin_after(self, hot):
        """From here on, values in these registers are read after what has been added so far."""
        self._hot = hot

    def end(self, name):
        """Finish a function and name it."""
        body = "\n".join("  " + line for line in self._early + self._lines)
        self._functions.append(f"define amdgpu_kernel void @{name}() #0 {{\n{body}\n  ret void\n}}")

    def value(self, kind, first, count):
        """Return a value that stands in given registers."""
        late = any(first <= register < first + count for register in self._hot)
        return self._let(f'call {kind} asm sideeffect "", "={_pin(first, count)}"()', early=not late)

    def put(self, kind, value, first, count):
        """Say that a value must stand in given registers."""
        self._lines.append(f'call void asm sideeffect "", "{_pin(first, count)}"({kind} {value})')

    def line(self, text):
        """Add one line of IR."""
        self._lines.append(text)

    def matrix(self, mnemonic, d, a, b, c, index, scales, cbsz=0, blgp=0, pinned=True):
        """Add one matrix instruction and return type and value of its result; the arguments are first registers.

        c may instead be a pair (type, value); pinned: False leaves the registers of D to the compiler.
        """
        s = matrix.shape(mnemonic, cbsz, blgp)
        ta, tb, tc, arguments, name = signature(mnemonic, cbsz, blgp)
        va, vb = self.value(ta, a, s.a), self.value(tb, b, s.b)
        if isinstance(c, tuple):
            vc = self.cast(*c, tc)
        else:
            vc = self.value(tc, d if s.kind == "smfmac" else c, s.d)
        given = [va, vb, vc] + [value for _, value in arguments[3:]]
        places = [index] if s.kind == "smfmac" else list(scales)
        for number, value in enumerate(given):
            if value == "?":
                given[number] = self.value("i32", places.pop(0), 1)
        arguments = [(kind, value) for (kind, _), value in zip(arguments, given, strict=True)]
        result = self.call(name, tc, arguments)
        if pinned:
            self.put(tc, result, d, s.d)
        return tc, result

    def cast(self, kind, value, wanted):
        """Return a value as another type of the same size."""
        return value if kind == wanted else self._let(f"bitcast {kind} {value} to {wanted}")

    def call(self, name, kind, arguments):
        """Add a call of an intrinsic and return its value."""
        types = ", ".join(item[0] for item in arguments)
        self._declared[name] = f"declare {kind} @{name}({types})"
        return self._let(f"call {kind} @{name}({', '.join(f'{t} {v}' for t, v in arguments)})")

    def vector_write(self, word, first):
        """Add a vector instruction that writes one register, valu or trans; return its type and value."""
        return self._vector(word, self.value("float", 250, 1), first)

    def vector_read(self, word, first):
        """Add a vector instruction that reads one register."""
        if word == "fma64":
            self.fma64(first)
            return
        self._vector(word, self.value("float", first, 1), 250)

    def fma64(self, first=None):
        """Add a 64-bit multiply-add; first: the register pair that it reads beside its own, or None."""
        given = [("double", self.value("double", 240 + 2 * i, 2)) for i in range(3)]
        if first is not None:
            given[0] = ("double", self.value("double", first, 2))
        self.put("double", self.call("llvm.fma.f64", "double", given), 246, 2)

    def store(self, first, space=1, count=1):
        """Add a store of registers to global memory (1) or LDS (3)."""
        kind = "float" if count == 1 else f"<{count} x float>"
        address = self._pointer(space, 240)
        self._lines.append(f"store {kind} {self.value(kind, first, count)}, ptr addrspace({space}) {address}")

    def load(self, first, space=1, address=240):
        """Add a load into one register from global memory (1) or LDS (3)."""
        pointer = self._pointer(space, address)
        self.put("float", self._let(f"load float, ptr addrspace({space}) {pointer}"), first, 1)

    def _vector(self, word, given, first):
        if word == "trans":
            value = self.call("llvm.amdgcn.exp2.f32", "float", [("float", given)])
        else:
            value = self._let(f"fadd float {given}, 1.0")
        self.put("float", value, first, 1)
        return "float", value

    def _pointer(self, space, first):
        kind = "i64" if space == 1 else "i32"
        number = self.value(kind, first, 2 if space == 1 else 1)
        return self._let(f"inttoptr {kind} {number} to ptr addrspace({space})")

    def _let(self, text, early=False):
        self._count += 1
        (self._early if early else self._lines).append(f"%v{self._count} = {text}")
        return f"%v{self._count}"


def intrinsic(mnemonic):
    """Return the name of LLVM's intrinsic for a matrix instruction, without overload suffix."""
    s = matrix.shape(mnemonic)
    head = "llvm.amdgcn." + s.kind.replace("_", ".") + f".{s.result}."
    dims = f"{s.m}x{s.n}x{s.k}"
    if s.types == "f8f6f4":
        return f"llvm.amdgcn.mfma.scale.{s.result}.{dims}.f8f6f4"
    if s.kind == "smfmac" or "_" in s.types or s.types == "xf32":
        return head + dims + "." + s.types.replace("_", ".")
    if s.types == "bf16" and s.b == 2:
        return head + dims + "bf16.1k"
    if s.b == 4 or s.types == "i8" and s.b == 2:
        return head + dims + "." + s.types
    return head + dims + s.types


def signature(mnemonic, cbsz=0, blgp=0):
    """Return types of A, B and C, all arguments as (type, value) with "?" for a register, and the intrinsic's name.

    Args: mnemonic: as the assembler prints it; cbsz, blgp: formats of an f8f6f4 instruction.
    """
    s = matrix.shape(mnemonic, cbsz, blgp)
    a, b, c = _type(s, s.a), _type(s, s.b), _accumulator(s)
    name = intrinsic(mnemonic)
    if s.kind == "smfmac":
        more = ["?", "0", "0"]
    elif s.types == "f8f6f4":
        name += f".v{s.a}i32.v{s.b}i32"
        scale = "?" if s.kind == "mfma_scale" else "0"
        more = [str(cbsz), str(blgp), "0", scale, "0", scale]
    else:
        more = ["0"] * 3
    return a, b, c, [(a, "?"), (b, "?"), (c, "?")] + [("i32", value) for value in more], name


def pair(builder, name, first, then, via):
    """Add one pair as a function.

    Args: first, then: (mnemonic, cbsz, blgp) of a matrix instruction, or a word: valu, trans, fma64, store, load,
      ds; via: as in cdna.mfma.hazards. Raises: ValueError: a pair that cannot be written so.
    """
    builder.begin(range(matrix.D, matrix.D + 32))
    length, result = _first(builder, first, then, via)
    _second(builder, first, then, via, length, result)
    builder.end(name)


def _first(builder, first, then, via):
    """Add the first instruction; return how many registers it is about, and its value where it has one."""
    if isinstance(first, tuple):
        s = matrix.shape(*first)
        # With sixteen registers and more, LLVM prefers the form that accumulates in place: a C of zero avoids it.
        zero = s.d >= 16 and via != "c-war" and s.kind != "smfmac"
        c = (_accumulator(s), "zeroinitializer") if zero else matrix.C
        places = [matrix.D, matrix.A, matrix.B, c, matrix.INDEX]
        places.append((matrix.SCALE_A, matrix.SCALE_B))
        builder.begin()
        result = builder.matrix(first[0], *places, first[1], first[2], pinned=via != "exact")
        builder.begin_after(range(matrix.D, matrix.D + 32))
        return s.d, result
    if first in ("valu", "trans"):
        return 1, builder.vector_write(first, _written(then, via))
    if first == "store":
        builder.begin()
        builder.store(matrix.D, count=4)
        return 4, None
    raise ValueError(f"{first}: this pair cannot be written in IR")


def _written(then, via):
    """Where the producing vector instruction writes: the consumer's own place for waw and independent pairs."""
    return matrix.OTHER if via == "waw" else matrix.D


def _second(builder, first, then, via, length, result):
    if isinstance(then, tuple):
        place = {"d": 128, "a": 160, "b": 168, "c": 192, "index": 176}
        scales = [178, 180]
        s = matrix.shape(*then)
        accumulator = "d" if s.kind == "smfmac" else "c"
        if via == "exact" and isinstance(first, tuple):
            place["c"] = result
            place["d"] = matrix.D
        elif via in ("exact", "partial"):
            if isinstance(first, tuple) and _slow(first[0]) and not _slow(then[0]):
                raise ValueError("LLVM inserts nothing here, so the state after an asm would stand in the count")
            same = via == "partial" and s.d == length
            place[accumulator] = matrix.D + 2 if same else matrix.D
        elif via == "waw":
            place["d"] = matrix.D
        elif via == "c-war":
            place["d"] = matrix.C if isinstance(first, tuple) else matrix.D
        elif via == "scale":
            scales[0] = matrix.D
        elif via != "independent":
            place["a" if via in ("ab", "read") else via] = matrix.D
        builder.matrix(then[0], place["d"], place["a"], place["b"], place["c"], place["index"], scales, *then[1:])
        return
    at = matrix.C if via == "c-war" and isinstance(first, tuple) else matrix.D
    if via == "read":
        if not isinstance(first, tuple) and then not in ("store", "load", "ds"):
            raise ValueError("the state after the asm that pins the register would stand in the count")
        if then == "store":
            builder.store(at)
        elif then == "load":
            builder.load(250, address=at)
        elif then == "ds":
            builder.store(at, space=3)
        else:
            builder.vector_read(then, at)
    elif then == "fma64" and via == "independent":
        builder.fma64()
    elif then in ("load", "ds") and via in ("waw", "c-war"):
        builder.load(at, space=1 if then == "load" else 3)
    elif then in ("valu", "trans") and via == "waw" and length >= 16:
        raise ValueError("LLVM copies a result this large before it is overwritten: this pair cannot be written in IR")
    elif then in ("valu", "trans") and via in ("waw", "c-war", "independent"):
        builder.vector_write(then, 252 if via == "independent" else at)
    else:
        raise ValueError(f"{then} via {via}: this pair cannot be written in IR")


def ask(witness, target, pairs):
    """Return the wait states that a compiler puts between the two instructions of each pair.

    Args: witness: with `compile_ir`; target: gfx942 or gfx950; pairs: (first, then, via), see `pair`.
    Returns: one (states or None, reason, command) a pair, in order; None where the pair cannot be written in IR, the
      compiler chose other registers, or it did not answer.
    """
    builder, names, found = Builder(), [], []
    for number, (first, then, via) in enumerate(pairs):
        try:
            pair(builder, f"pair{number}", first, then, via)
            names.append(f"pair{number}")
            found.append(None)
        except ValueError as error:
            names.append(None)
            found.append((None, str(error), None))
    if any(names):
        compiled = witness.compile_ir(target, builder.text, extra=OPTIONS)
        for number, (first, then, via) in enumerate(pairs):
            if names[number] is None:
                continue
            if not compiled.accepted:
                found[number] = (None, f"{compiled.outcome}: {compiled.diagnostic}", compiled.command)
                continue
            try:
                count = between(compiled.assembly, names[number], first, then, via)
                found[number] = (count, "", compiled.command)
            except ValueError as error:
                found[number] = (None, str(error), compiled.command)
    return found


def between(assembly, name, first, then, via):
    """Return the wait states between the two instructions of a pair function.

    Args: assembly: text of the compiler; name: the function; first, then, via: as in `pair`.
    Returns: states: S_NOP N counts N + 1, every other instruction 1.
    Raises: ValueError: the two are not there, or not on the registers that were pinned.
    """
    body = re.search(rf"^{re.escape(name)}:(.*?)^\.Lfunc_end", assembly, re.MULTILINE | re.DOTALL)
    if not body:
        raise ValueError(f"no function {name} in the assembly")
    lines = []
    for line in body.group(1).splitlines():
        code = line.split(";")[0].split("//")[0].strip()
        if code and not code.startswith(".") and not code.endswith(":"):
            lines.append(code)
    start = next((i for i, line in enumerate(lines) if re.match(pattern(first), line)), None)
    if start is None:
        raise ValueError(f"{name}: the first instruction is not in the assembly")
    stop = next((i for i in range(start + 1, len(lines)) if re.match(pattern(then), lines[i])), None)
    if stop is None:
        raise ValueError(f"{name}: the second instruction is not in the assembly")
    if via not in ("exact", "independent"):
        at = matrix.C if via == "c-war" and isinstance(first, tuple) else matrix.D
        for line, places in ((lines[start], (at,)), (lines[stop], (at, at + 2))):
            if not any(re.search(rf"\bv(\[{place}:|{place}\b)", line) for place in places):
                raise ValueError(f"{name}: the compiler chose other registers: {lines[start]}; {lines[stop]}")
    return sum(states(line) for line in lines[start + 1 : stop])


def states(line):
    """Return the wait states of one instruction: N + 1 for s_nop N, else 1."""
    found = re.match(r"s_nop\s+(\S+)", line)
    return int(found.group(1), 0) + 1 if found else 1


def pattern(side):
    """Return the pattern of what a side of a pair becomes in assembly."""
    if isinstance(side, tuple):
        return re.escape(side[0]) + r"\b"
    words = {"valu": r"v_(add|pk_add)_f32", "trans": r"v_exp_f32", "fma64": r"v_fmac?_f64"}
    if side not in words and side not in ("store", "load", "ds"):
        raise ValueError(f"{side}: this pair cannot be written in IR")
    words.update(store=r"(global|flat)_store", load=r"(global|flat)_load", ds=r"ds_(read|write)")
    return words[side]


def _slow(mnemonic):
    """Say whether the products are of f32 or f64."""
    return matrix.shape(mnemonic).types in ("f32", "f64")


def _pin(first, count):
    return f"{{v{first}}}" if count == 1 else f"{{v[{first}:{first + count - 1}]}}"


def _accumulator(s):
    kind = {"f32": "float", "i32": "i32", "f64": "double"}[s.result]
    count = s.d // 2 if s.result == "f64" else s.d
    return kind if count == 1 else f"<{count} x {kind}>"


def _type(s, dwords):
    if s.types == "f8f6f4":
        return f"<{dwords} x i32>"
    if s.types in ("f32", "f64"):
        return _ELEMENT[s.types]
    if s.types == "xf32":
        return "<2 x float>"
    if s.types in ("f16", "bf16"):
        wide = s.b == 4 and s.kind != "smfmac" or s.b == 8
        element = "bfloat" if s.types == "bf16" and wide else _ELEMENT[s.types]
        return f"<{dwords * 2} x {element}>"
    # Eight-bit types: a scalar for dense operands of up to two registers.
    if s.kind == "smfmac":
        return f"<{dwords} x i32>"
    return {1: "i32", 2: "i64", 4: "<4 x i32>"}[dwords]
