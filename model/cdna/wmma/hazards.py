# SPDX-License-Identifier: Apache-2.0
"""How many slots LLVM 22.1.8 leaves between a matrix instruction of gfx1250 and one that depends on it.

The unit is a slot of the vector ALU: a V_NOP, or an instruction of the vector ALU that depends on neither of the two.
`s_nop` earns nothing. The numbers are what one compiler inserts; none is a statement about hardware.
"""

from typing import NamedTuple

from .opcodes import mnemonics, spelled

VIAS = ("exact", "partial", "ab", "index", "read", "waw", "ab-war", "c-war", "scale", "scale-war", "independent")
# Words of the command line for instructions that are no matrix instructions.
CLASSES = ("valu", "trans", "store", "load", "ds", "salu")
FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")
UNIT = "a V_NOP or another vector ALU instruction that depends on neither; s_nop earns nothing"

# rule -> (claim, what it is about)
RULES = (
    ("matrix-input", "WMMA-050", "a matrix result is read as A, B or index of a matrix instruction"),
    ("result-read", "WMMA-051", "a matrix result is read by a vector ALU instruction"),
    ("result-overwritten", "WMMA-052", "a matrix result is overwritten by a vector ALU instruction"),
    ("input-overwritten", "WMMA-053", "A, B or index is overwritten by a vector ALU instruction"),
    ("accumulator", "WMMA-054", "a matrix result is read as C, or two matrix results meet"),
    ("accumulator-overwritten", "WMMA-055", "C is overwritten by a vector ALU instruction"),
    ("other-units", "WMMA-056", "memory, LDS and transcendental instructions after a matrix instruction"),
    ("slow-input", "WMMA-057", "the f32 product, which does not run beside the vector ALU, is read as A or B"),
    ("trans-result", "WMMA-071", "a transcendental result is read, or its source overwritten, by a vector ALU instruction"),
    ("older-form", "WMMA-075", "one of the two is a form of gfx12, which LLVM 22.1.8 assembles and does not select"),
    ("scale", "WMMA-077", "a block scale is a matrix result, or is overwritten"),
    ("permlane-after-cmpx", "LANE-065", "a permlane follows v_cmpx at once; LLVM 22.1.8 puts a vector move between, and counts no v_nop"),
    ("independent", "WMMA-054", "two instructions that do not touch each other's registers"),
)


class Op(NamedTuple):
    """One side of a pair.

    kind: matrix or one of CLASSES; name: mnemonic or class word; family: dense, sparse, f32 or older for matrix, else "";
    cycles: latency that LLVM 22.1.8 has for it, 0 for the forms of gfx12; registers: of the result.
    """

    kind: str
    name: str
    family: str
    cycles: int
    registers: int


class Waits(NamedTuple):
    """An answer: slots, the rule it follows from, and the claim that carries the rule."""

    slots: int
    rule: str
    claim: str


def names():
    """Return every matrix mnemonic of gfx1250 that LLVM 22.1.8 selects, in a fixed order; the forms of gfx12 are not."""
    eight = ("fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8")
    found = ["v_wmma_f32_16x16x4_f32"]
    for head, k in (("v_wmma", "16x16x32"), ("v_swmmac", "16x16x64")):
        for result, types in (("f32", "f16"), ("f16", "f16"), ("f32", "bf16"), ("bf16", "bf16"), ("bf16f32", "bf16")):
            found.append(head + "_" + result + "_" + k + "_" + types)
    for result in ("f32", "f16"):
        for types in eight:
            found.append("v_wmma_" + result + "_16x16x64_" + types)
            found.append("v_wmma_" + result + "_16x16x128_" + types)
            found.append("v_swmmac_" + result + "_16x16x128_" + types)
    found += ["v_wmma_i32_16x16x64_iu8", "v_swmmac_i32_16x16x128_iu8"]
    for scale in ("", "_scale", "_scale16"):
        found.append("v_wmma" + scale + "_f32_16x16x128_f8f6f4")
        found.append("v_wmma" + scale + "_f32_32x16x128_f4")
    return tuple(found)


def is_matrix(name):
    """Say whether a mnemonic is written like a matrix instruction of gfx1250."""
    return name[:7] == "v_wmma_" or name[:9] == "v_swmmac_"


def cycles(name, a_format="fp8", b_format="fp8"):
    """Return the latency in cycles that LLVM 22.1.8 has for a matrix instruction.

    Args: name: a mnemonic of `names`; a_format, b_format: of FORMATS, for f8f6f4. Claims: WMMA-058.
    """
    if name[-4:] == "_iu8":
        return 16
    if name[-7:] == "_f8f6f4":
        return 16 if a_format in ("fp8", "bf8") or b_format in ("fp8", "bf8") else 8
    return 8


def operand(text, a_format="fp8", b_format="fp8"):
    """Return the Op that a word of the command line or a mnemonic names.

    Args: text: one of CLASSES, a mnemonic, or a product's name in clang, LLVM or MLIR; a_format, b_format: formats of an f8f6f4 instruction.
    Raises: ValueError: unknown, or not on gfx1250.
    """
    name = spelled(text)
    for given in (a_format, b_format):
        if given not in FORMATS:
            raise ValueError("format=" + repr(given) + ": " + ", ".join(FORMATS))
    if name in CLASSES:
        return Op(name, name, "", 0, 0)
    if is_matrix(name):
        if name[-4:] == "_f64":
            raise ValueError("op=" + repr(name) + ": no such product on gfx1250; gfx1251 has one, WMMA-002, VGPR-011")
        if name not in mnemonics():
            raise ValueError("op=" + repr(name) + ": not a matrix instruction of gfx1250, WMMA-058")
        if older(name):
            return Op("matrix", name, "older", 0, _registers(name))
        family = "sparse" if _sparse(name) else "f32" if name[-4:] == "_f32" else "dense"
        return Op("matrix", name, family, cycles(name, a_format, b_format), _registers(name))
    return Op(_kind(name), name, "", 0, 0)


def older(name):
    """Return whether a mnemonic is a form of gfx12, which is assembled for gfx1250 and never selected. Claims: WMMA-075"""
    return name in mnemonics() and name not in names()


def matrix_input(op):
    """Return the slots before A, B or index of a matrix instruction may be a result. Args: op: the producer.

    Claims: WMMA-050, WMMA-057, WMMA-075.
    """
    if op.family in ("f32", "older"):
        return 1
    return vector_use(op) + 1


def vector_use(op):
    """Return the slots before a vector ALU instruction may touch what the producer still reads or writes.

    Claims: WMMA-051, WMMA-052, WMMA-053.
    """
    if op.family in ("f32", "older"):
        return 0
    if op.family == "sparse":
        return op.cycles // 4
    return op.cycles // 2


def waits(first, then, via, a_format="fp8", b_format="fp8"):
    """Return what LLVM 22.1.8 inserts between two instructions of which the first is a matrix instruction.

    Args: first, then: see `operand`; via: one of VIAS: exact, partial (the result is C of the second), ab, index, read
      (by an instruction that is no matrix instruction), waw (the result is overwritten), ab-war (A, B or index of the
      first is overwritten), c-war (its C), scale (the result is a block scale of the second), scale-war (a block scale of
      the first is overwritten), independent; a_format, b_format: of the first where it is f8f6f4.
    Returns: Waits. Raises: ValueError: the pair cannot depend on each other in that way.
    """
    if via not in VIAS:
        raise ValueError("via=" + repr(via) + ": " + ", ".join(VIAS))
    one, two = operand(first, a_format, b_format), operand(then)
    if one.kind != "matrix":
        raise ValueError("first=" + repr(first) + ": a matrix instruction of gfx1250; behind a transcendental one stands one slot, WMMA-071, and no permlane at once behind v_cmpx, LANE-065")
    if via == "independent":
        return _answer(0, "independent")
    if via in ("scale", "scale-war"):
        return _scale(one, two, via)
    if two.kind == "matrix":
        return _matrix(one, two, via)
    if via in ("exact", "partial", "ab", "index"):
        raise ValueError("via=" + via + ": " + two.name + " has no A, B, C or index; read, waw, ab-war or c-war")
    if via == "c-war" and _sparse(one.name):
        raise ValueError("via=c-war: C of " + one.name + " is its result; waw")
    if two.kind == "store" and via != "read":
        raise ValueError("via=" + via + ": a store writes no register; name a load, ds or valu")
    if two.kind != "valu":
        return _answer(0, "other-units")
    if one.family == "older":
        return _answer(0, "older-form")
    if via == "c-war":
        return _answer(0, "accumulator-overwritten")
    rule = {"read": "result-read", "waw": "result-overwritten", "ab-war": "input-overwritten"}[via]
    return _answer(vector_use(one), rule)


def other_positions(first, a_format="fp8", b_format="fp8", via="read", then="valu"):
    """Return [(claim, position, slots)] of what other sources say of the pair, where they differ from `waits`.

    Claims: WMMA-055, WMMA-059, WMMA-060, WMMA-068, WMMA-078.
    """
    one, two = operand(first, a_format, b_format), operand(then)
    base = waits(first, then, via, a_format, b_format)
    found = []
    quick = one.name[:7] == "v_wmma_" and "_16x16x64_" in one.name and one.name[-4:] != "_iu8"
    four = one.name[-7:] == "_f8f6f4" and a_format == "fp4" and b_format == "fp4"
    eight = one.name[-7:] == "_f8f6f4" and one.cycles == 16
    if base.slots and (quick or four):
        found.append(("WMMA-059", "rocm-b0", 2 if base.rule == "matrix-input" else 1))
    if base.slots and eight:
        found.append(("WMMA-060", "rocm-b0", 5 if base.rule == "matrix-input" else 4))
    if via == "c-war" and two.kind == "valu" and one.name == "v_wmma_bf16f32_16x16x32_bf16":
        found.append(("WMMA-055", "counted-like-a-and-b", vector_use(one)))
    if via == "read" and two.kind == "trans" and vector_use(one):
        found.append(("WMMA-078", "amd-llvm-23", vector_use(one)))
    if via == "ab-war" and two.kind == "ds" and vector_use(one):
        found.append(("WMMA-068", "kept-apart", vector_use(one)))
    return found


def about(rule):
    """Return what a rule is about, as text."""
    for name, _, text in RULES:
        if name == rule:
            return text
    raise ValueError("rule=" + repr(rule) + ": no such rule")


def _matrix(one, two, via):
    if via in ("ab", "index"):
        if via == "index" and not _sparse(two.name):
            raise ValueError("via=index: " + two.name + ": only SWMMAC instructions have an index")
        if "older" in (one.family, two.family):
            return _answer(1, "older-form")
        if one.family == "f32" or two.family == "f32":
            return _answer(1, "slow-input")
        return _answer(matrix_input(one), "matrix-input")
    accumulator = 8 if two.name == "v_wmma_bf16f32_16x16x32_bf16" else two.registers  # its D is narrower than its C
    if via == "exact" and one.registers != accumulator:
        raise ValueError(f"via=exact: D has {one.registers} registers and C {accumulator}: ask for partial")
    if via in ("exact", "partial", "waw", "ab-war", "c-war"):
        return _answer(0, "accumulator")
    raise ValueError("via=" + via + ": say which operand reads it: exact or partial (C), ab, index")


def _scale(one, two, via):
    scaled = two if via == "scale" else one
    if "_scale" not in scaled.name:
        raise ValueError("via=" + via + ": " + scaled.name + " has no block scales")
    if via == "scale-war" and two.kind in ("matrix", "store", "salu"):
        raise ValueError("via=scale-war: name a vector instruction or a load that overwrites the scale")
    return _answer(0, "scale")


def _sparse(name):
    return name[:8] == "v_swmmac"


def _registers(name):
    if "_32x16x" in name:
        return 16
    result = name.split("_16x16x")[0].split("_")[-1]
    return 4 if result in ("f16", "bf16", "bf16f32") else 8


def _kind(name):
    if name[:9] in ("global_st", "flat_stor", "scratch_s", "buffer_st"):
        return "store"
    if name[:7] == "global_" or name[:5] == "flat_" or name[:8] == "scratch_" or name[:7] == "buffer_":
        return "load"
    if name[:3] == "ds_":
        return "ds"
    if name[:2] == "s_":
        return "salu"
    if name[:2] == "v_" and len(name) > 2:
        word = name.split("_")[1]
        return "trans" if word in ("exp", "log", "rcp", "rsq", "sqrt", "sin", "cos", "tanh") else "valu"
    raise ValueError("op=" + repr(name) + ": a matrix instruction, another mnemonic, or one of " + ", ".join(CLASSES))


def _answer(slots, rule):
    for name, claim, _ in RULES:
        if name == rule:
            return Waits(slots, rule, claim)
    raise ValueError("rule=" + repr(rule) + ": no such rule")
