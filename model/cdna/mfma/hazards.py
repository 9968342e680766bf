# SPDX-License-Identifier: Apache-2.0
"""How many wait states LLVM 22.1.8 puts between two instructions of which one is a matrix instruction.

Everything follows from the target, the family and passes of the producer, the family of the consumer, and the way the
second depends on the first. The numbers are what one compiler inserts; none is a statement about hardware.
Each rule has one claim. Where sources differ, `other_positions` gives what the others say.
"""

from typing import NamedTuple

from . import vector_pairs
from .passes import canonical, check_target, family, is_matrix, is_scaled, is_sparse, passes, result_registers

VIAS = ("exact", "partial", "ab", "index", "scale", "read", "waw", "c-war", "exec", "independent")
# Words of the command line for instructions that are no matrix instructions.
CLASSES = ("valu", "trans", "store", "load", "ds", "salu", "salu-exec", "valu-exec")

# rule -> (claim, what it is about)
RULES = (
    ("matrix-input", "MFMA-063", "a matrix result is read as A or B, index or scale of a matrix instruction"),
    ("accumulator-overlap", "MFMA-064", "a matrix result is read as C from other registers than it was written to"),
    ("accumulator-exact", "MFMA-065", "a matrix result is read as C from exactly the registers it was written to"),
    ("result-read", "MFMA-066", "a matrix result is read by a vector instruction"),
    ("result-memory-read", "MFMA-067", "a matrix result is read by a memory instruction, as data or address"),
    ("result-overwritten", "MFMA-068", "a matrix result is overwritten by a vector or memory instruction"),
    ("accumulator-overwritten", "MFMA-019", "C of a matrix instruction is overwritten while it may still be read"),
    ("vector-input", "MFMA-016", "a vector instruction writes an operand of a matrix instruction"),
    ("exec-input", "MFMA-017", "EXEC is written before a matrix instruction"),
    ("fma64-after-dgemm", "MFMA-069", "a 64-bit multiply-add follows an f64 matrix instruction"),
    ("matrix-order", "MFMA-070", "matrix instructions that only overwrite or do not touch each other's registers"),
    ("trans-result", "MFMA-071", "a vector instruction reads what a transcendental one wrote"),
    ("store-data-overwritten", "MFMA-072", "a vector instruction overwrites the data of a store of more than 8 bytes"),
    ("lane-swap", "MFMA-073", "a lane swap follows the vector instruction that wrote its operand, or EXEC"),
    ("dot-result", "MFMA-074", "a vector instruction reads or overwrites what a dot product wrote"),
    ("vector-pair", "MFMA-076", "a lane read, DPP, memory or vector instruction needs what a vector one wrote"),
    ("scalar-setting", "MFMA-078", "an instruction needs M0 or a hardware register that a scalar instruction set"),
    ("no-rule", "MFMA-070", "LLVM 22.1.8 has no rule of this kind for the pair"),
)


class Op(NamedTuple):
    """One side of a pair.

    kind: matrix, or one of valu, trans, dot, fma64, lane-swap, store, load, ds, salu, salu-exec, valu-exec;
    name: the mnemonic or the class word; family, passes, registers: of a matrix instruction, else "", 0, 0.
    """

    kind: str
    name: str
    family: str
    passes: int
    registers: int


class Waits(NamedTuple):
    """An answer: wait states, the rule it follows from, and the claim that carries the rule."""

    states: int
    rule: str
    claim: str


_TRANS = ("exp", "log", "rcp", "rsq", "sqrt", "sin", "cos")
_STORES = ("global_store", "flat_store", "scratch_store", "buffer_store", "tbuffer_store")
_LOADS = ("global_", "flat_", "scratch_", "buffer_", "tbuffer_", "image_")
_FMA64 = ("v_fma_f64", "v_fmac_f64")
_VECTOR = ("valu", "trans", "dot", "fma64", "lane-swap", "valu-exec")
_MEMORY = ("store", "load", "ds")


def operand(target, text, cbsz=0, blgp=0):
    """Return the Op that a word of the command line or a mnemonic names.

    Args: target: gfx942 or gfx950; text: one of CLASSES, a mnemonic, or a mnemonic followed by cbsz:N and blgp:N;
      cbsz, blgp: format codes of an f8f6f4 instruction, when `text` has none.
    Raises: ValueError: unknown, or not on the target.
    """
    check_target(target)
    words = text.replace(",", " ").split()
    if not words:
        raise ValueError("op='': a matrix instruction, another mnemonic, or one of " + ", ".join(CLASSES))
    formats = {"cbsz": cbsz, "blgp": blgp}
    for word in words[1:]:
        name, _, value = word.partition(":")
        if name not in formats or not value.isdigit():
            raise ValueError(f"op={text!r}: after the mnemonic only cbsz:N and blgp:N")
        formats[name] = int(value)
    name = words[0].lower()
    if name in CLASSES:
        return plain(name, name)
    if is_matrix(name):
        name = canonical(name)
        count = passes(target, name, formats["cbsz"], formats["blgp"])
        return Op("matrix", name, family(name), count, result_registers(name))
    return plain(kind_of(target, name), name)


def plain(kind, name):
    """Return the Op of an instruction that is no matrix instruction."""
    return Op(kind, name, "", 0, 0)


def kind_of(target, name):
    """Return the kind of an instruction that is no matrix instruction, by its mnemonic.

    Raises: ValueError: no instruction of gfx942 and gfx950 starts so, or the target lacks it.
    """
    if starts(name, ("v_mfma", "v_smfmac", "v_wmma")):
        raise ValueError(f"op={name!r}: no matrix instruction of gfx942 or gfx950")
    if name.startswith("v_cmpx"):
        return "valu-exec"
    if "permlane" in name:
        if target != "gfx950" or not starts(name, ("v_permlane16_swap", "v_permlane32_swap")):
            raise ValueError(f"op={name!r}: not on {target}; v_permlane16_swap_b32 and v_permlane32_swap_b32 on gfx950")
        return "lane-swap"
    if starts(name, _FMA64):
        return "fma64"
    if name.startswith("v_dot"):
        return "dot"
    if name.startswith("v_") and name.split("_")[1] in _TRANS:
        return "trans"
    if name.startswith("v_"):
        return "valu"
    if name.startswith("ds_"):
        return "ds"
    if starts(name, _STORES):
        return "store"
    if starts(name, _LOADS):
        return "load"
    if name.startswith("s_"):
        return "salu"
    raise ValueError(f"op={name!r}: a matrix instruction, another mnemonic, or one of " + ", ".join(CLASSES))


def matrix_input(target, kind, count):
    """Return the states before A, B, index or scale may be a result. Args: kind: family; count: passes.

    Claims: MFMA-005, MFMA-063.
    """
    if kind == "DGEMM":
        return 6 if count == 4 else _by_target(target, 11, 19)
    if kind == "SGEMM":
        return count + 2
    return count + 3 + _longer(target, count)


def accumulator_overlap(target, kind, count, reader):
    """Return the states before C may overlap a result it is not equal to. Args: reader: family of the consumer.

    Claims: MFMA-006, MFMA-064.
    """
    if kind == "XDL":
        return count + 1 + (_by_target(target, 0, 1) if reader == "XDL" else _longer(target, count))
    if reader == "XDL":
        return 0
    if kind == "SGEMM":
        return count
    return 4 if count == 4 else _by_target(target, 9, 17)


def accumulator_exact(first, then):
    """Return the states before C may be exactly a result, from the two mnemonics' family and passes (two Ops).

    Claims: MFMA-007, MFMA-008, MFMA-065.
    """
    if first.family == "DGEMM":
        return 4 if first.passes == 4 and then.name == first.name else 0
    return 2 if first.passes == 2 else 0


def result_read(target, kind, count):
    """Return the states before a vector instruction may read a result. Claims: MFMA-018, MFMA-066."""
    return matrix_input(target, kind, count)


def result_memory_read(target, kind, count):
    """Return the states before a memory instruction may read a result. Claims: MFMA-018, MFMA-067."""
    if kind == "DGEMM":
        return 9 if count == 4 else 18
    return matrix_input(target, kind, count)


def result_overwritten(target, kind, count):
    """Return the states before a vector or memory instruction may overwrite a result. Claims: MFMA-018, MFMA-068."""
    if kind == "DGEMM":
        return 6 if count == 4 else 11
    return matrix_input(target, kind, count)


def accumulator_overwritten(kind, count):
    """Return the states before a vector or memory instruction may overwrite C. Claims: MFMA-019."""
    return count - 1 if kind == "XDL" else 0


class Asked(NamedTuple):
    """What a guide asks for: wait states, the guide's name, and the claim."""

    states: int
    guide: str
    claim: str


def guide_asks(target, first, then, via):
    """Return what the target's own guide asks for where LLVM 22.1.8 inserts fewer, as Asked, or None.

    Args: as for `waits`, of which the pair is one. Claims: MFMA-081, MFMA-084, WAIT-086.
    """
    return guide_asks_of(target, operand(target, first), operand(target, then), via)


def guide_asks_of(target, one, two, via):
    """Return what `guide_asks` does, of two Ops."""
    if wide_store(one.name) and via == "waw" and two.kind in ("load", "ds"):
        # The guides keep every instruction away from the data of a wide store, LLVM the vector ones.
        return Asked(1, _by_target(target, "CDNA3", "CDNA4"), "WAIT-086")
    if (
        target == "gfx950"
        and via == "waw"
        and (one.family, one.passes) == ("DGEMM", 16)
        and two.kind not in ("matrix", "store", "load", "ds")
    ):
        # The guide has one row for reading and overwriting.
        return Asked(result_read(target, one.family, one.passes), "CDNA4", "MFMA-081")
    if target == "gfx942" and as_read(one, two, via) == "partial" and (one.family, two.family) == ("SGEMM", "XDL"):
        return Asked(one.passes, "CDNA3", "MFMA-084")
    return None


def waits(target, first, then, via):
    """Return what LLVM 22.1.8 inserts between two instructions that depend on each other in one way.

    Args: target: gfx942 or gfx950; first, then: see `operand`; via: one of VIAS. For a matrix producer: exact, partial
      (its result is C of the second), ab, index, scale, read (by a vector or memory instruction), waw (its result is
      overwritten), c-war (its C is overwritten), independent. For a vector producer: exact, partial, ab, index, scale
      or read (an operand is what it wrote), exec (it wrote EXEC).
    Returns: Waits. Raises: ValueError: the pair cannot depend on each other in that way.
    """
    if via not in VIAS:
        raise ValueError(f"via={via!r}: {', '.join(VIAS)}")
    one, two = operand(target, first), operand(target, then)
    if via == "exec":
        return _after_exec(one, two)
    if via == "independent":
        return _independent(one, two)
    if one.kind == "matrix":
        return _matrix_matrix(target, one, two, via) if two.kind == "matrix" else _matrix_other(target, one, two, via)
    return _other(one, two, via)


def other_positions(target, first, then, via):
    """Return [(claim, position, states)] of the positions that differ from `waits`. Claims: MFMA-020, MFMA-051."""
    one, two = operand(target, first), operand(target, then)
    found, via = [], as_read(one, two, via)
    if via == "exact" and one.kind == "matrix" and two.kind == "matrix" and one.name != two.name:
        states = accumulator_overlap(target, one.family, one.passes, two.family)
        if states != accumulator_exact(one, two):
            found.append(("MFMA-020", "like-partial-overlap", states))
    return found


def wide_store(name):
    """Say whether a memory instruction takes data of more than eight bytes. Args: name: a mnemonic, or the word store.

    Claims: MFMA-072.
    """
    if name == "store":
        return True  # the word alone: as if wide, which is enough for every store
    if starts(name, _STORES):
        return "_d16_" not in name and (name[-2:] in ("x3", "x4") or name[-4:] == "_xyz" or name[-5:] == "_xyzw")
    return "atomic_cmpswap_x2" in name


def starts(text, heads):
    """Say whether a text starts with one of several others."""
    for head in heads:
        if text.startswith(head):
            return True
    return False


def _by_target(target, gfx942, gfx950):
    return gfx942 if target == "gfx942" else gfx950


def _longer(target, count):
    """The one state more of gfx950, which its two-pass instructions do not have."""
    return 1 if target == "gfx950" and count != 2 else 0


def _answer(states, rule):
    for name, claim, _ in RULES:
        if name == rule:
            return Waits(states, rule, claim)
    raise ValueError(f"rule={rule!r}: no such rule")


def _refuse(one, two, via, why):
    raise ValueError(f"via={via}: {one.name} then {two.name}: {why}")


def _check_operand(one, two, via):
    if via == "index" and not is_sparse(two.name):
        _refuse(one, two, via, "only SMFMAC instructions have an index")
    if via == "scale" and not is_scaled(two.name):
        _refuse(one, two, via, "only v_mfma_scale instructions read scale registers")


def as_read(one, two, via):
    """Return the way in which a product reads a result: what a sparse one overwrites it reads too, as its accumulator.

    Args: one, two: Ops; via: as in `waits`.
    """
    if via == "waw" and one.kind == "matrix" and is_sparse(two.name):
        return "exact" if one.registers == two.registers else "partial"
    return via


def _matrix_matrix(target, one, two, via):
    via = as_read(one, two, via)
    if via in ("ab", "index", "scale"):
        _check_operand(one, two, via)
        return _answer(matrix_input(target, one.family, one.passes), "matrix-input")
    if via == "partial":
        return _answer(accumulator_overlap(target, one.family, one.passes, two.family), "accumulator-overlap")
    if via == "exact":
        if one.registers != two.registers:
            why = f"D has {one.registers} registers and C {two.registers}, so they cannot be equal; ask for partial"
            _refuse(one, two, via, why)
        return _answer(accumulator_exact(one, two), "accumulator-exact")
    if via in ("waw", "c-war"):
        return _answer(0, "matrix-order")
    return _refuse(one, two, via, "say which operand reads it: exact or partial (C), ab, index, scale")


def _matrix_other(target, one, two, via):
    if two.kind in ("salu", "salu-exec"):
        return _answer(0, "no-rule")
    if via == "read":
        if two.kind in _MEMORY:
            return _answer(result_memory_read(target, one.family, one.passes), "result-memory-read")
        return _answer(result_read(target, one.family, one.passes), "result-read")
    if via in ("waw", "c-war"):
        if two.kind == "store":
            _refuse(one, two, via, "a store writes no register; name a load, ds or valu")
        if two.kind == "valu-exec":
            _refuse(one, two, via, "v_cmpx writes no vector register; name a load, ds or valu")
        if via == "c-war" and is_sparse(one.name):
            _refuse(one, two, via, "C of the first is its result; waw")
        if via == "waw":
            return _answer(result_overwritten(target, one.family, one.passes), "result-overwritten")
        if two.kind == "fma64" and one.family == "DGEMM":
            return _independent(one, two)
        return _answer(accumulator_overwritten(one.family, one.passes), "accumulator-overwritten")
    return _refuse(one, two, via, "read, waw, c-war or independent, since the second is no matrix instruction")


def _after_exec(one, two):
    if one.kind not in ("valu", "valu-exec", "salu", "salu-exec"):
        raise ValueError(f"via=exec: {one.name} writes no EXEC: valu-exec (v_cmpx) or salu-exec (s_mov_b64 exec)")
    if one.kind == "valu" and one.name != "valu" and not starts(one.name, ("v_cmp", "v_readlane", "v_readfirstlane")):
        raise ValueError(f"via=exec: {one.name} writes no EXEC: valu-exec (v_cmpx) or salu-exec (s_mov_b64 exec)")
    vector = one.kind in ("valu", "valu-exec")
    if two.kind == "matrix":
        return _answer(4 if vector else 0, "exec-input")
    if two.kind == "lane-swap":
        return _answer(4 if vector else 0, "lane-swap")
    states = vector_pairs.states(one.name, two.name, two.kind, "exec") if vector else 0
    return _answer(states, "vector-pair") if states else _answer(0, "no-rule")


def _independent(one, two):
    if one.family == "DGEMM" and two.kind == "fma64":
        return _answer(2, "fma64-after-dgemm")
    if one.kind == "valu-exec":
        return _after_exec(one, two)  # the second needs EXEC, whatever else it shares
    if one.kind == "matrix" and two.kind == "matrix":
        return _answer(0, "matrix-order")
    return _answer(0, "no-rule")


def _other(one, two, via):
    """A producer that is no matrix instruction."""
    if one.kind == "valu-exec" and two.kind == "matrix":
        return _after_exec(one, two)  # whatever else it writes
    if two.kind != "matrix" and via not in ("read", "waw", "c-war"):
        _refuse(one, two, via, "read, waw or exec, since neither is a matrix instruction")
    if one.kind == "valu-exec":
        # It writes a scalar register as well: the longer of the two waits.
        by_exec = _after_exec(one, two)
        states = vector_pairs.states(one.name, two.name, two.kind, via)
        return _answer(states, "vector-pair") if states > by_exec.states else by_exec
    if one.kind == "store" and via not in ("read", "waw", "c-war"):
        _refuse(one, two, via, "a store writes no register; waw or c-war, its data is overwritten")
    if one.kind not in _VECTOR:
        stores = one.kind == "store" or wide_store(one.name)
        if stores and via in ("c-war", "waw") and (two.kind in _VECTOR or two.kind == "matrix"):
            return _answer(2 if wide_store(one.name) else 0, "store-data-overwritten")
        if via == "read" and one.kind in ("load", "ds") and vector_pairs.after_load(two.name):
            return _answer(vector_pairs.after_load(two.name), "vector-pair")
        states = vector_pairs.scalar_states(one.name, two.name) if via == "read" else 0
        return _answer(states, "scalar-setting") if states else _answer(0, "no-rule")
    if two.kind == "matrix":
        if via in ("waw", "c-war") and not is_sparse(two.name):
            return _answer(0, "no-rule")
        # What a sparse product overwrites it reads too, as its accumulator.
        _check_operand(one, two, via)
        return _answer(0 if one.kind == "dot" else 2, "vector-input")
    if via == "read":
        if two.kind == "lane-swap":
            return _answer(2, "lane-swap")
        if one.kind == "dot" and (two.kind in _VECTOR or two.kind in _MEMORY):
            return _answer(3, "dot-result")
        states = vector_pairs.states(one.name, two.name, two.kind, via)
        vector = two.kind in _VECTOR or vector_pairs.is_copy(two.name)
        if one.kind == "trans" and vector and two.kind != "trans" and states < 2:
            return _answer(1, "trans-result")
        return _answer(states, "vector-pair") if states else _answer(0, "no-rule")
    if via == "waw" and one.kind == "dot" and (two.kind in _VECTOR or two.kind in _MEMORY) and one.name != two.name:
        return _answer(3, "dot-result")
    return _answer(0, "no-rule")
