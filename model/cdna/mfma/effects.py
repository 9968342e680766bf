# SPDX-License-Identifier: Apache-2.0
"""What one instruction of a program reads and writes, as far as wait states care."""

from typing import NamedTuple

from cdna.waits.events import effect_of
from cdna.waits.registers import number_of

from .hazards import Op, kind_of, operand, plain, starts, wide_store
from .passes import is_matrix, is_scaled, is_sparse
from .scalar_effects import Side, is_dpp, side_of


class Effect(NamedTuple):
    """One instruction.

    op: an Op (kind "other" for what has no rule); states: wait states it counts for; writes, reads: vector registers;
    ab, c, index, scale: registers of a matrix instruction's operands, c in order; exec_by: "vector", "scalar" or "";
    store_data: vector registers of a store of more than two DWORDs; scalar_offset: such a store adds a scalar register
    to its address, for which LLVM 22.1.8 has no rule; operands: registers read, operand by operand;
    problem: why a matrix instruction was not understood; side: what it does beside vector registers.
    """

    op: Op
    states: int
    writes: tuple
    reads: tuple
    ab: tuple
    c: tuple
    index: tuple
    scale: tuple
    exec_by: str
    store_data: tuple
    scalar_offset: bool
    operands: tuple
    problem: str
    side: Side


# Vector instructions that also read the register they write.
_ACCUMULATE = ("v_fmac_", "v_mac_", "v_pk_fmac_", "v_dot2c_", "v_dot4c_", "v_dot8c_", "v_writelane_")
# Conversions and products that keep the rest of the register they write.
_KEEP = (
    "v_cvt_pk_fp8", "v_cvt_pk_bf8", "v_cvt_sr_fp8", "v_cvt_sr_bf8", "v_cvt_scalef32_pk_fp8", "v_cvt_scalef32_pk_bf8",
    "v_cvt_scalef32_sr_fp8", "v_cvt_scalef32_sr_bf8", "v_cvt_scalef32_pk_fp4", "v_cvt_scalef32_sr_pk_fp4",
    "v_cvt_scalef32_f16_", "v_fma_mixlo", "v_fma_mixhi",
)  # fmt: skip
_MATRIX = ("v_mfma", "v_smfm", "v_wmma", "v_swmm")
_SWAPS = ("v_swap_", "v_permlane16_swap", "v_permlane32_swap")
_NO_VECTOR_RESULT = ("v_cmp", "v_readlane", "v_readfirstlane", "v_nop")


def effect(item, registers, target, known):
    """Return the Effect of an instruction.

    Args: item: an Instruction of cdna.waits.program; registers: those of each of its operands; target: gfx942, gfx950;
      known: a dict that keeps what was looked up for one target.
    """
    found = _effect(item, registers, target, known)
    return Effect(*(tuple(found)[:-1] + (side_of(item, registers, found.op.kind),)))


def _effect(item, registers, target, known):
    """Return the Effect without what is beside vector registers."""
    operands = tuple([_vector(names) for names in registers])
    name = item.mnemonic
    if name == "s_nop":
        # LLVM credits N + 1 for any N. Credit is given here for four bits of N, the most that LLVM itself relies on.
        count = number_of(item.operands[0]) if item.operands else None
        return _made(plain("other", name), states=1 if count is None else (count & 15) + 1)
    if name[:2] == "s_":
        by = "scalar" if _writes_exec(registers) or "saveexec" in name else ""
        return _made(plain("salu", name), exec_by=by)
    if name[:6] in _MATRIX:
        if name not in known:
            known[name] = is_matrix(name)
        if known[name]:
            return _matrix(item, operands, target, known)
        problem = f"op={name!r}: no matrix instruction of gfx942 or gfx950"
        return _made(plain("other", name), reads=flat(operands), problem=problem)
    try:
        kind = kind_of(target, name)
    except ValueError:
        return _made(plain("other", name), reads=flat(operands))
    if kind in ("store", "load", "ds"):
        return _memory(item, registers, operands, target, kind)
    return _valu(item, registers, operands, plain(kind, name))


def _made(
    op,
    states=1,
    writes=(),
    reads=(),
    ab=(),
    c=(),
    index=(),
    scale=(),
    exec_by="",
    store_data=(),
    scalar_offset=False,
    operands=(),
    problem="",
):
    values = (op, states, writes, reads, ab, c, index, scale, exec_by, store_data, scalar_offset, operands, problem)
    return Effect(*values, None)


def _matrix(item, operands, target, known):
    words = [word for word in item.modifiers if word[:5] in ("cbsz:", "blgp:")]
    formats = {"cbsz": 0, "blgp": 0}
    for word in words:
        value = number_of(word[5:])
        if value is not None:
            formats[word[:4]] = value
    try:
        # Only f8f6f4 instructions read these two as formats.
        codes = formats if "f8f6f4" in item.mnemonic else {"cbsz": 0, "blgp": 0}
        key = (item.mnemonic, codes["cbsz"], codes["blgp"])
        if key not in known:
            known[key] = operand(target, key[0], key[1], key[2])
        op = known[key]
    except ValueError as error:
        return _made(plain("other", item.mnemonic), problem=str(error))
    wanted = 6 if is_scaled(op.name) else 4
    if len(operands) < wanted:
        problem = f"{item.mnemonic} has {wanted} operands, {len(operands)} are given"
        return _made(plain("other", item.mnemonic), problem=problem)
    given = list(operands) + [()] * 6
    d, ab, third = given[0], given[1] + given[2], given[3]
    if is_sparse(op.name):
        return _made(op, writes=d, reads=ab + third + d, ab=ab, c=d, index=third, operands=operands)
    scale = given[4] + given[5] if is_scaled(op.name) else ()
    return _made(op, writes=d, reads=ab + third + scale, ab=ab, c=third, scale=scale, operands=operands)


def _memory(item, registers, operands, target, kind):
    found = effect_of(item, registers, target)
    writes, reads = _vector(found.written), _vector(found.used)
    if found.merged:
        reads = reads + writes
    data, scalar = (), False
    if kind == "store" or wide_store(item.mnemonic):
        # The data is the first operand of a buffer store and the second of the others; an atomic may have a result in front.
        buffer = "buffer_" in item.mnemonic
        at = 0 if buffer else 1
        data = operands[at] if len(operands) > at else ()
        if kind != "store" and not buffer:
            data = ([given for given in operands if len(given) > 2] or [()])[0]
        scalar = buffer and len(registers) > 3 and bool(registers[3])
    data = data if len(data) > 2 else ()
    op = plain(kind, item.mnemonic)
    return _made(op, writes=writes, reads=reads, store_data=data, scalar_offset=scalar, operands=operands)


def _valu(item, registers, operands, op):
    name = item.mnemonic
    by = "vector" if op.kind == "valu-exec" or _writes_exec(registers) else ""
    first, rest = operands[0] if operands else (), flat(operands[1:])
    if starts(name, _NO_VECTOR_RESULT):
        return _made(op, reads=first + rest, exec_by=by, operands=operands)
    if starts(name, _SWAPS):
        return _made(op, writes=first + rest, reads=first + rest, exec_by=by, operands=operands)
    if op.kind == "dot" and len(operands) > 3:
        ab = operands[1] + operands[2]
        return _made(op, writes=first, reads=rest, ab=ab, c=operands[3], exec_by=by, operands=operands)
    # LLVM takes what DPP may leave as it was for an input, and what SDWA leaves for a part of the result.
    tied = starts(name, _ACCUMULATE + _KEEP) or is_dpp(item)
    return _made(op, writes=first, reads=rest + first if tied else rest, exec_by=by, operands=operands)


def _writes_exec(registers):
    return bool(registers) and ("exec_lo" in registers[0] or "exec_hi" in registers[0])


def _vector(names):
    return tuple([name for name in names if name[:1] in ("v", "a") and name[1:].isdigit()])


def flat(lists):
    """Return the items of several lists as one tuple."""
    return tuple([name for names in lists for name in names])
