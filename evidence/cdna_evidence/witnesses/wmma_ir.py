# SPDX-License-Identifier: Apache-2.0
"""The pairs of wmma_mir as LLVM IR, for compilers that cannot read MIR: registers are pinned by empty inline assembly.

What the second instruction reads comes out of empty `asm` statements behind the first, so that the two keep their order;
everything else comes before both. What is counted are the V_NOPs that the compiler writes between the two.
"""

import re

from . import matrix_ir, wmma_mir
from .wmma_forms import FORMATS, form, is_form

_SCALAR = {"f32": "float", "f16": "half", "bf16": "bfloat"}
# What a word of a pair becomes in assembly.
_WORDS = {
    "valu": r"v_(add|pk_add)_f32", "trans": r"v_exp_f32", "store": r"(global|flat)_store", "load": r"(global|flat)_load", "ds": r"ds_(store|load)",
}  # fmt: skip
# How a matrix instruction reads the result, and where an instruction reads or writes that is none.
_READS = {"ab": "A", "b": "B", "index": "I", "scale": "S"}
_PLACES = {
    "read": wmma_mir.D, "waw": wmma_mir.D, "ab-war": wmma_mir.A, "b-war": wmma_mir.B, "c-war": wmma_mir.C,
    "index-war": wmma_mir.INDEX, "scale-war": wmma_mir.SCALE_A, "independent": 252,
}  # fmt: skip


def intrinsic(f):
    """Return LLVM's intrinsic of a product: its name, the type of its result, and its arguments.

    Args: f: a Form. Returns: arguments are (type, value); value is a letter as in wmma_forms.operands for a register.
    Raises: ValueError: one of the forms of gfx12, which LLVM does not select for gfx1250.
    """
    if f.older:
        raise ValueError(f"{f.name}: LLVM does not select this form for gfx1250, so no IR gives it")
    a, b = _vector(f.a_type, f.a), _vector(f.b_type, f.b)
    c, d = _vector(f.accumulator, f.c), _vector(f.result, f.d)
    name = "llvm.amdgcn." + f.name[2:].replace("_", ".") + f".{_mangled(d)}"
    if f.sparse:
        name += f".{_mangled(a)}.{_mangled(b)}." + ("i64" if f.index == 2 else "i32")
    elif f.kind in ("f8f6f4", "f4"):
        name += f".{_mangled(a)}.{_mangled(b)}"
    else:
        name += f".{_mangled(a)}" + (f".{_mangled(c)}" if f.result != f.accumulator else "")
    given = [[(a, "A")], [(b, "B")]]
    if f.kind in ("float", "integer"):
        given = [[("i1", "0"), *side] for side in given]
    elif f.kind == "f8f6f4":
        given = [[("i32", str(FORMATS[kind][0])), *side] for kind, side in zip((f.a_type, f.b_type), given, strict=True)]
    arguments = given[0] + given[1]
    if f.sparse:
        arguments += [(d, "D"), ("i64" if f.index == 2 else "i32", "I")]
    else:
        arguments += [(c, "C")] if f.kind == "integer" else [("i16", "0"), (c, "C")]
    if f.scale:
        kind = "i64" if f.scale == 2 else "i32"
        for letter in "ST":
            arguments += [("i32", "0"), ("i32", "0"), (kind, letter)]
    if f.scale or f.kind not in ("f8f6f4", "f4"):
        arguments += [("i1", "0"), ("i1", "0")]
    return name, d, arguments


def pair(builder, name, first, then, via):
    """Add one pair as a function.

    Args: first: a product, see wmma_forms.form; then: a product or valu, trans, store, load or ds; via: as in
      cdna.wmma.hazards, or b, scale, b-war, index-war, scale-war. Raises: ValueError: a pair that cannot be written so.
    """
    one = form(first)
    builder.begin()
    places = {"A": wmma_mir.A, "B": wmma_mir.B, "C": wmma_mir.C, "D": wmma_mir.D, "I": wmma_mir.INDEX}
    places.update(S=wmma_mir.SCALE_A, T=wmma_mir.SCALE_B)
    if via in ("index-war", "scale-war") and not getattr(one, via.split("-")[0]):
        raise ValueError(f"{first} has no {via.split('-')[0]}")
    result, given = _product(builder, one, places, {}, pinned=via != "exact")
    if via == "c-war":
        if "C" not in given:
            raise ValueError(f"C of {first} is its result")
        # C must live on behind the product, or LLVM copies it to D and overwrites nothing.
        builder.put(*given["C"], wmma_mir.C, one.c)
    # From here on every register is read behind the first instruction.
    builder.begin_after(range(256))
    if is_form(then):
        _matrix(builder, one, form(then), via, result)
    else:
        _vector_or_memory(builder, one, then, via)
    builder.end(name)


def _matrix(builder, one, two, via, result):
    places = {"A": wmma_mir.OTHER_A, "B": wmma_mir.OTHER_B, "C": wmma_mir.OTHER_C, "D": wmma_mir.OTHER_D}
    places.update(I=wmma_mir.OTHER_INDEX, S=wmma_mir.OTHER_SCALE, T=wmma_mir.OTHER_SCALE + 2)
    accumulator, known = ("D" if two.sparse else "C"), {}
    if via == "exact":
        if one.d != two.c:
            raise ValueError(f"D has {one.d} registers and C {two.c}: ask for partial")
        known[accumulator] = result
        places["D"] = wmma_mir.D
    elif via == "partial":
        places[accumulator] = wmma_mir.D + 2
    elif via in _READS:
        if via in ("index", "scale") and not getattr(two, via):
            raise ValueError(f"{two.name} has no {via}")
        places[_READS[via]] = wmma_mir.D
    elif via in ("waw", "ab-war", "c-war"):
        places["D"] = _PLACES[via]
    elif via != "independent":
        raise ValueError(f"{two.name} via {via}: no such pair")
    _product(builder, two, places, known)


def _vector_or_memory(builder, one, then, via):
    if then == "salu":
        raise ValueError("no scalar instruction touches a vector register: nothing to ask")
    at = _PLACES.get(via)
    if at is None or then not in _WORDS:
        raise ValueError(f"{then} via {via}: this pair cannot be written in IR")
    if via == "read":
        if then in ("valu", "trans"):
            builder.vector_read(then, at)
        elif then == "load":
            builder.load(250, address=at)
        else:
            builder.store(at, space=1 if then == "store" else 3)
    elif then in ("valu", "trans"):
        builder.vector_write(then, at)
    elif then in ("load", "ds"):
        builder.load(at, space=1 if then == "load" else 3)
    elif via == "independent":
        builder.store(at)
    else:
        raise ValueError(f"{then} via {via}: a store writes no register")


def _product(builder, f, places, known, pinned=True):
    """Add one product; return (type, value) of its result, and of its register operands by letter."""
    name, kind, arguments = intrinsic(f)
    counts = {"A": f.a, "B": f.b, "C": f.c, "D": f.d, "I": f.index, "S": f.scale, "T": f.scale}
    given = {}
    for wanted, letter in arguments:
        if letter not in counts:
            continue
        plain = _vector("i32", counts[letter])
        held = known.get(letter) or (plain, builder.value(plain, places[letter], counts[letter]))
        given[letter] = (wanted, builder.cast(*held, wanted))
    result = builder.call(name, kind, [given.get(value, (wanted, value)) for wanted, value in arguments])
    if pinned:
        plain = _vector("i32", f.d)
        builder.put(plain, builder.cast(kind, result, plain), places["D"], f.d)
    return (kind, result), given


def ask(witness, target, pairs, extra=()):
    """Return the V_NOPs that a compiler puts between the two instructions of each pair.

    Args: witness: with `compile_ir`; target: gfx1250; pairs: (first, then, via), see `pair`;
      extra: options of LLVM, for witnesses that take them.
    Returns: one (slots or None, reason, command) a pair, in order; None where the pair cannot be written in IR, the
      compiler chose other registers or another order, or it did not answer.
    """
    builder, found = matrix_ir.Builder(), []
    for number, (first, then, via) in enumerate(pairs):
        try:
            pair(builder, f"pair{number}", first, then, via)
            found.append(None)
        except ValueError as error:
            found.append((None, str(error), None))
    if None not in found:
        return found
    # One level is enough for the passes that write V_NOPs, and takes half the time of two.
    compiled = witness.compile_ir(target, builder.text, opt=1, extra=extra)
    bodies = functions(compiled.assembly)
    for number, asked in enumerate(pairs):
        if found[number] is not None:
            continue
        try:
            if not compiled.accepted:
                raise ValueError(f"{compiled.outcome}: {compiled.diagnostic}")
            found[number] = (between(bodies.get(f"pair{number}", []), *asked), "", compiled.command)
        except ValueError as error:
            found[number] = (None, str(error), compiled.command)
    return found


def functions(assembly):
    """Return {name: instructions} of the functions of an assembly text, without labels and directives."""
    found, name = {}, None
    for line in assembly.splitlines():
        text = line.split(";")[0].strip()
        if re.match(r"[A-Za-z_]\w*:$", line.split(";")[0].rstrip()):
            name = text[:-1]
            found[name] = []
        elif text.startswith(".Lfunc_end"):
            name = None
        elif name and text and not text.startswith(".") and not text.endswith(":"):
            found[name].append(text)
    return found


def between(lines, first, then, via):
    """Return the V_NOPs between the two instructions of a pair.

    Args: lines: instructions of the pair's function. Raises: ValueError: the two are not there, not on the registers
      that were pinned, or another vector instruction stands between them.
    """
    start = next((i for i, line in enumerate(lines) if re.match(_pattern(first), line)), None)
    behind = range(len(lines) if start is None else start + 1, len(lines))
    stop = next((i for i in behind if re.match(_pattern(then), lines[i])), None)
    if stop is None:
        raise ValueError("the two instructions are not in the assembly in this order")
    at = wmma_mir.D if is_form(then) and via in _READS else _PLACES.get(via, wmma_mir.D)
    for line in () if via in ("exact", "independent") else (lines[start], lines[stop]):
        if not any(re.search(rf"\bv(\[{place}:|{place}\b)", line) for place in (at, at + 2)):
            raise ValueError(f"the compiler chose other registers: {lines[start]}; {lines[stop]}")
    others = [line for line in lines[start + 1 : stop] if line.startswith("v_") and line != "v_nop"]
    if others:
        raise ValueError(f"{others[0]} stands between the two")
    return lines[start + 1 : stop].count("v_nop")


def _pattern(side):
    return re.escape(side.split()[0]) + r"\b" if is_form(side) else _WORDS[side]


def _vector(kind, registers):
    per = 2 if kind in ("f16", "bf16") else 1
    element = _SCALAR.get(kind, "i32")
    return element if registers * per == 1 else f"<{registers * per} x {element}>"


def _mangled(kind):
    """Return a type as the names of overloaded intrinsics write it."""
    words = {"float": "f32", "half": "f16", "bfloat": "bf16", "i32": "i32"}
    found = re.match(r"<(\d+) x (\w+)>", kind)
    return f"v{found.group(1)}{words[found.group(2)]}" if found else words[kind]
