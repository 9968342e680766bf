# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx1250 as MIR: one pair of instructions, and the V_NOPs that LLVM's hazard pass puts between.

The same recipe as for MFMA (matrix.py): straight-line code on physical registers, one pass, a count. The unit differs:
on gfx1250 the pass inserts V_NOP instructions, so what is counted here is V_NOPs.
"""

import re

from . import matrix
from .wmma_forms import form, is_form, opcode, operands

# Where the operands of the first instruction stand, and of the second where it is not asked about.
A, B, C, D, INDEX = 0, 16, 32, 64, 226
OTHER_A, OTHER_B, OTHER_C, OTHER_D, OTHER_INDEX = 96, 112, 128, 160, 228
SCALE_A, SCALE_B, OTHER_SCALE = 230, 232, 234

_MODE = "implicit $mode, implicit $exec"
_EXEC = "implicit $exec"


def instruction(name, a, b, c, d, index, scales=(SCALE_A, SCALE_B)):
    """Return one product in MIR; name: see wmma_forms.form; a, b, c, d, index, scales: first register of each operand."""
    f = form(name)
    # The three-address form does not tie C to D; only it lets the two be asked about apart.
    suffix = "_w32_twoaddr" if f.sparse or f.c != f.d else "_w32_threeaddr"
    given = {
        "A": (a, f.a),
        "B": (b, f.b),
        "C": (c, f.c),
        "D": (d, f.d),
        "I": (index, f.index),
        "S": (scales[0], f.scale),
        "T": (scales[1], f.scale),
    }
    words = [matrix.registers(*given[word]) if word in given else word for word in operands(f)]
    return f"early-clobber {matrix.registers(d, f.d)} = {opcode(f)}{suffix} {', '.join(words)}, {_EXEC}"


def first(name):
    """Return the first instruction of a pair."""
    return instruction(name, A, B, C, D, INDEX)


def second(name, via):
    """Return a matrix instruction that depends on the first in one way.

    Args: via: a, b, index, scale, c, c-partial, waw, war-a, war-c, independent. Raises: ValueError: another word, no such operand.
    """
    place = {"a": OTHER_A, "b": OTHER_B, "c": OTHER_C, "d": OTHER_D, "index": OTHER_INDEX, "scale": OTHER_SCALE}
    f = form(name)
    if via in ("index", "scale") and not getattr(f, via):
        raise ValueError(f"{name} has no {via}")
    if via in ("a", "b", "index", "scale"):
        place[via] = D
    elif via in ("c", "c-partial"):
        place["d" if f.sparse else "c"] = D if via == "c" else D + 2
    elif via in ("waw", "war-a", "war-c"):
        place["d"] = {"waw": D, "war-a": A, "war-c": C}[via]
    elif via != "independent":
        raise ValueError(f"via={via!r}: a, b, index, scale, c, c-partial, waw, war-a, war-c, independent")
    scales = (place["scale"], OTHER_SCALE + 2)
    return instruction(name, place["a"], place["b"], place["c"], place["d"], place["index"], scales)


def vector(word, via, producer):
    """Return an instruction that is no matrix instruction and depends on the first in one way.

    Args: word: valu, trans, vopd, store, ds-store, ds-load, load or salu; via: read, waw, war-a, war-b, war-c, war-index,
      war-scale or independent; producer: the first's name, for the registers that it has. Raises: ValueError: no such pair.
    """
    at = {"read": D, "waw": D, "war-a": A, "war-b": B, "war-c": C, "war-index": INDEX, "war-scale": SCALE_A, "independent": 252}
    if via not in at:
        raise ValueError(f"via={via!r}: {', '.join(at)}")
    if via in ("war-index", "war-scale") and not getattr(form(producer), via[4:]):
        raise ValueError(f"{producer} has no {via[4:]}")
    if via == "war-c" and form(producer).sparse:
        raise ValueError(f"C of {producer} is its result")
    r = f"$vgpr{at[via]}"
    pair = matrix.registers(D, 2)
    reads = {
        "valu": f"$vgpr253 = V_ADD_F32_e32 {r}, $vgpr254, {_MODE}",
        "trans": f"$vgpr253 = V_EXP_F32_e32 {r}, {_MODE}",
        "store": f"GLOBAL_STORE_DWORD $vgpr250_vgpr251, {r}, 0, 0, {_EXEC}",
        "ds-store": f"DS_WRITE_B32_gfx9 $vgpr250, {r}, 0, 0, {_EXEC}",
        "load": f"$vgpr253 = GLOBAL_LOAD_DWORD {pair}, 0, 0, {_EXEC}",
        "salu": "$sgpr0 = S_MOV_B32 0",
    }
    writes = {
        "valu": f"{r} = V_ADD_F32_e32 $vgpr253, $vgpr254, {_MODE}",
        "trans": f"{r} = V_EXP_F32_e32 $vgpr253, {_MODE}",
        "ds-load": f"{r} = DS_READ_B32_gfx9 $vgpr250, 0, 0, {_EXEC}",
        "load": f"{r} = GLOBAL_LOAD_DWORD $vgpr250_vgpr251, 0, 0, {_EXEC}",
    }
    table = reads if via == "read" else writes
    if word not in table:
        raise ValueError(f"{word} via {via}: no such pair")
    return table[word]


FILLERS = {
    "s_nop_7": "S_NOP 7",
    "salu": "$sgpr0 = S_MOV_B32 0",
    "valu": f"$vgpr254 = V_MOV_B32_e32 0, {_EXEC}",
    "v_nop": f"V_NOP_e32 {_EXEC}",
    "load": f"$vgpr255 = GLOBAL_LOAD_DWORD $vgpr250_vgpr251, 0, 0, {_EXEC}",
}


def pair(producer, consumer, via, fill=(), count=0):
    """Return the lines of MIR of one pair: producer, `count` fillers, consumer.

    Args: producer: a product, see wmma_forms.form; consumer: the same or a word of `vector`; via: see `second` and
      `vector`; fill: a key of FILLERS, or a product for an independent matrix instruction, or nothing.
    """
    between = []
    if count:
        line = FILLERS[fill] if fill in FILLERS else instruction(fill, 176, 192, 208, 216, 247)
        between = [line] * count
    then = second(consumer, via) if is_form(consumer) else vector(consumer, via, producer)
    return [first(producer), *between, then]


def asked(first, then, via, fill=(), count=0):
    """Return the lines of a pair in the words of `cdna mfma waits`; via: see wmma_ir.pair;
    fill, count: see `pair`.

    Raises: ValueError: a pair that is not written here.
    """
    if is_form(then):
        words = {"exact": "c", "partial": "c-partial", "ab": "a", "ab-war": "war-a", "c-war": "war-c"}
    else:
        words = {"ab-war": "war-a", **{f"{name}-war": f"war-{name}" for name in ("b", "c", "index", "scale")}}
        then = {"ds": "ds-store" if via == "read" else "ds-load"}.get(then, then)
    return pair(first, then, words.get(via, via), fill, count)


def ask(witness, target, pairs):
    """Return what the hazard pass adds to each pair, in order, as wmma_ir.ask: (V_NOPs or None, reason, command).

    Args: witness: llc; target: gfx1250 or gfx1251; pairs: lists of MIR lines, see `pair`.
    """
    text = "".join(matrix.function(f"pair{i}", lines) for i, lines in enumerate(pairs))
    compiled = witness.run_pass(target, text)
    if not compiled.accepted:
        return [(None, f"{compiled.outcome}: {compiled.diagnostic}", compiled.command)] * len(pairs)
    found = {}
    for part in compiled.assembly.split("\n---"):
        name = re.search(r"^name: +(\S+)", part, re.MULTILINE)
        if name and "body:" in part:
            found[name.group(1).strip("'\"")] = len(re.findall(r"\bV_NOP_e32\b", part.partition("body:")[2]))
    told = []
    for i, lines in enumerate(pairs):
        count = found.get(f"pair{i}")
        own = sum(line.startswith("V_NOP_e32") for line in lines)
        told.append((None, "the function is missing in the output", compiled.command) if count is None else (count - own, "", compiled.command))
    return told


def slots(witness, target, pairs):
    """Return the V_NOPs alone, in order; arguments as for `ask`. Raises: ValueError: the pass did not answer."""
    told = ask(witness, target, pairs)
    for count, reason, _ in told:
        if count is None:
            raise ValueError(reason)
    return [count for count, _, _ in told]
