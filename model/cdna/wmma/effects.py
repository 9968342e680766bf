# SPDX-License-Identifier: Apache-2.0
"""What one instruction of a gfx1250 program reads, writes and earns, as far as slots around matrix instructions care."""

from typing import NamedTuple

from cdna.mfma.effects import flat
from cdna.mfma.hazards import starts
from cdna.waits.events import effect_of

from .hazards import FORMATS, Op, is_matrix, operand


class Effect(NamedTuple):
    """One instruction.

    op: an Op (kind "other" for what has no rule); group: class of a product, such as "dense 8"; slots: slots it earns; writes: results that LLVM 22.1.8 looks at;
    unseen: results that it does not look at; reads: registers read; ab, index, c: registers of a matrix instruction's
    operands; problem: why a matrix instruction was not understood.
    """

    op: Op
    group: str
    slots: int
    writes: tuple
    unseen: tuple
    reads: tuple
    ab: tuple
    index: tuple
    c: tuple
    problem: str


_OTHER = Op("other", "", "", 0, 0)
# Instructions that are no vector ALU instructions by name and which LLVM 22.1.8 takes for such. Claims: WMMA-072.
_COPIES = ("_load_async_to_lds", "_store_async_from_lds")
_TENSOR = ("tensor_load_to_lds", "tensor_store_from_lds")
# Vector instructions that also read the register they write.
_TIED = (
    "v_fmac_",
    "v_pk_fmac_",
    "v_dot2c_",
    "v_dual_fmac_",
    "v_dual_dot2acc_",
    "v_writelane_",
    "v_fma_mix",
    "v_permlane",
)
_SWAPS = ("v_swap_", "v_swaprel_", "v_permlane16_swap", "v_permlane32_swap")


def effect(item, registers, known):
    """Return the Effect of an instruction.

    Args: item: an Instruction of cdna.waits.program; registers: those of each of its operands, high ones by their number;
      known: a dict that keeps what was looked up.
    """
    operands = [tuple([name for name in names if _counts(name)]) for names in registers]
    name = item.mnemonic
    if is_matrix(name):
        return _matrix(item, operands, known)
    if name[:2] == "v_":
        return _vector(item, operands)
    for part in _COPIES:
        if part in name:
            return _made(Op("valu", name, "", 0, 0), 1, reads=flat(operands))
    if name in _TENSOR:
        return _made(_OTHER, 1)
    if name[:3] == "ds_" or name[:2] != "s_":
        found = effect_of(item, registers, "gfx1250")
        kind = "ds" if name[:3] == "ds_" else "load"
        return _made(Op(kind, name, "", 0, 0), 0, tuple([one for one in found.written if _counts(one)]))
    return _made(_OTHER)


def formats_of(modifiers):
    """Return the formats of A and B that the modifiers of an f8f6f4 instruction name or number; without one it is FP8.

    Raises: ValueError: neither a code nor a name that begins with MATRIX_FMT_; assemblers refuse the short names.
    """
    found = ["fp8", "fp8"]
    for number, head in enumerate(("matrix_a_fmt:", "matrix_b_fmt:")):
        for word in modifiers:
            if word[: len(head)] == head:
                text = word[len(head) :]
                found[number] = text[11:] if text[:11] == "matrix_fmt_" else _by_code(word, text)
    return found


def _by_code(word, text):
    """Return the format that a code names, as assemblers take it too (0 is FP8, 4 is FP4)."""
    try:
        code = int(text, 0)
    except ValueError:
        code = -1
    if 0 <= code < len(FORMATS):
        return FORMATS[code]
    names = ", ".join(["MATRIX_FMT_" + name.upper() for name in FORMATS])
    raise ValueError(word + ": not understood; " + names + ", WMMA-008")


def _matrix(item, operands, known):
    try:
        formats = formats_of(item.modifiers)
        key = (item.mnemonic, formats[0], formats[1])
        if key not in known:
            known[key] = operand(key[0], key[1], key[2])
        op = known[key]
    except ValueError as error:
        return _made(_OTHER, 1, problem=str(error))
    given = operands + [()] * 6
    d, ab, third = given[0], given[1] + given[2], given[3]
    if op.family == "sparse":
        return _made(op, 1, d, (), ab + third + d, ab, third, d)
    return _made(op, 1, d, (), ab + third + given[4] + given[5], ab, (), third)


def _vector(item, operands):
    name = item.mnemonic
    if name[:7] == "v_dual_":
        return _dual(item, operands)
    kind = "trans" if _is_trans(name) else "valu"
    op = Op(kind, name, "", 0, 0)
    first, rest = operands[0] if operands else (), flat(operands[1:])
    if name[:5] == "v_cmp":
        # The compared bits go to a scalar register, which LLVM does not look at; v_cmpx has no result of its own.
        return _made(op, 1, reads=first + rest if name[:6] == "v_cmpx" else rest)
    if "_co_" in name or name[:11] == "v_div_scale":
        rest = flat(operands[2:])
    if starts(name, _SWAPS):
        return _made(op, 1, first, rest, first + rest)
    tied = starts(name, _TIED) or "_dpp" in item.text.split(" ")[0] or "op_sel" in item.text
    return _made(op, 1, first, (), rest + first if tied else rest)


def _dual(item, operands):
    """Return the Effect of a dual-issue instruction: LLVM 22.1.8 sees what it reads, not its results."""
    results, reads, name = (), (), ""
    for number in range(len(operands)):
        text = item.operands[number]
        if number and "v_dual_" not in text:
            reads += operands[number]
            continue
        name = text if number else item.mnemonic
        results += operands[number]
        if starts(name, _TIED):
            reads += operands[number]
    return _made(Op("valu", item.mnemonic, "", 0, 0), 1, (), results, reads)


def _is_trans(name):
    """Say whether a vector instruction is a transcendental one, also the forms on scalar registers (v_s_exp_f32)."""
    words = name.split("_")
    word = words[2] if words[1] == "s" and len(words) > 2 else words[1]
    return word in ("exp", "log", "rcp", "rsq", "sqrt", "sin", "cos", "tanh")


def _made(op, slots=0, writes=(), unseen=(), reads=(), ab=(), index=(), c=(), problem=""):
    group = op.family + " " + str(op.cycles) if op.kind == "matrix" else ""
    return Effect(op, group, slots, writes, unseen, reads, ab, index, c, problem)


def _counts(name):
    return name[:1] in ("v", "s") and name[1:].isdigit()
