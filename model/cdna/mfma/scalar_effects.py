# SPDX-License-Identifier: Apache-2.0
"""What one instruction does beside vector registers: scalar registers, lane numbers, M0, hardware registers; how it reads.

For the pairs without a matrix instruction, see vector_pairs.
"""

from typing import NamedTuple

from cdna.waits.registers import number_of

from . import vector_pairs
from .hazards import starts


class Side(NamedTuple):
    """One instruction, beside its vector registers.

    role: a role of vector_pairs, or ""; vector: it is a vector instruction; copy: it copies from memory to LDS;
    written: scalar registers that a vector instruction writes; data, lane: those that are read, as the number of a lane
    or otherwise; part: its result counts as a part of a register; sets_m0: a scalar instruction that writes M0;
    hardware: name of the hardware register that it sets or reads, or "".
    """

    role: str
    vector: bool
    copy: bool
    written: tuple
    data: tuple
    lane: tuple
    part: bool
    sets_m0: bool
    hardware: str


# Second result is a scalar register: the carry, or whether the division was scaled.
_CARRY = (
    "v_add_co_", "v_sub_co_", "v_subrev_co_", "v_addc_co_", "v_subb_co_", "v_subbrev_co_", "v_div_scale_", "v_mad_u64_", "v_mad_i64_",
)  # fmt: skip
_SCALAR_RESULT = ("v_cmp", "v_readlane", "v_readfirstlane")
_DPP = ("quad_perm:", "row_", "wave_")
# Scalar instructions whose first operand is no result.
_NO_RESULT = ("s_cmp", "s_bitcmp", "s_set", "s_cbranch", "s_load", "s_buffer_load", "s_scratch_load", "s_mem")
_M0_SETTERS = ("s_set_gpr_idx_on", "s_set_gpr_idx_idx", "s_set_gpr_idx_mode")
# Byte of the result: either of the last two bits moves it.
_BYTES = ("_sr_fp8", "_sr_bf8", "_pk_fp4")
_MIXED = ("v_fma_mix", "v_mad_mix")
_HARDWARE = {
    1: "mode",
    2: "status",
    3: "trapsts",
    4: "hw_id",
    5: "gpr_alloc",
    6: "lds_alloc",
    7: "ib_sts",
    15: "sh_mem_bases",
    16: "tba_lo",
    17: "tba_hi",
    18: "tma_lo",
    19: "tma_hi",
    20: "xcc_id",
    21: "sq_perf_snapshot_data",
    22: "sq_perf_snapshot_data1",
    23: "sq_perf_snapshot_pc_lo",
    24: "sq_perf_snapshot_pc_hi",
}
_EXEC = ("exec_lo", "exec_hi")
_VCC = ("vcc_lo", "vcc_hi")


def side_of(item, registers, kind):
    """Return the Side of an instruction.

    Args: item: an Instruction of cdna.waits.program; registers: those of each of its operands; kind: of its Op.
    """
    name = item.mnemonic
    if name[:2] == "v_":
        return _vector(item, registers, kind)
    role = vector_pairs.role(name)
    if name[:2] == "s_":
        first = registers[0] if registers else []
        sets = starts(name, _M0_SETTERS) or (first == ["m0"] and not starts(name, _NO_RESULT))
        return Side(role, False, False, (), (), (), False, sets, _hardware(item, role))
    copy = kind == "load" and (role == vector_pairs.M0_READER or "lds" in item.modifiers)
    data = _scalars(registers) if kind in ("load", "store") else ()
    return Side(role, False, copy, (), data, (), False, False, "")


def _vector(item, registers, kind):
    name, role = item.mnemonic, vector_pairs.role(item.mnemonic)
    if role in ("", vector_pairs.PART) and is_dpp(item):
        role = vector_pairs.DPP
    results = 2 if starts(name, _CARRY) else 1
    written, read = _scalars(registers[:results]), registers[results:]
    lane = ()
    if role in (vector_pairs.LANE_READ, vector_pairs.LANE_WRITE):
        lane = _scalars(registers[2:])
    if name[:6] == "v_cmpx" or kind == "valu-exec":
        written = written + _EXEC
    if not starts(name, _SCALAR_RESULT) and results == 1:
        read = registers
        written = ()
    data = _scalars(read)
    if "vcc_lo" in data or "vcc_hi" in data or role == vector_pairs.FIX_UP:
        data = data + _VCC  # a change of either half counts for both
    return Side(role, True, False, written, data, lane, _writes_part(item), False, "")


def is_dpp(item):
    """Say whether an instruction reads a register of other lanes through DPP."""
    for word in item.modifiers:
        if starts(word, _DPP) and not starts(word, ("row_mask",)):
            return True
    return "_dpp" in item.text.split(" ")[0]


def _writes_part(item):
    """Say whether LLVM 22.1.8 takes the result of a vector instruction for a part of a register. Claims: MFMA-076."""
    name, bits, high, size = item.mnemonic, None, None, None
    for word in item.modifiers:
        if word[:8] == "op_sel:[":
            bits = word[8:-1].replace(" ", "").split(",")
        elif word[:11] == "op_sel_hi:[":
            high = word[11:-1].replace(" ", "").split(",")
        elif word[:8] == "dst_sel:":
            size = word[8:]
    if size is not None:
        return size != "dword"
    if name[:5] == "v_pk_":
        return high is None or high[0] == "1"
    if starts(name, _MIXED):
        return high is not None and high[0] == "1"
    if "_sr_pk_fp4" in name:
        return True
    if name[:5] == "v_dot" or bits is None:
        return False
    for word in _BYTES:
        if word in name:
            return "1" in bits[2:]
    # A bit for each source, and one more for the half of the result.
    return len(bits) >= len(item.operands) and bits[-1] == "1"


def _hardware(item, role):
    """Return the hardware register that a scalar instruction sets or reads, or ""."""
    if role == vector_pairs.RETURN:
        return "trapsts"
    at = 0 if role == vector_pairs.SET else 1
    if role in (vector_pairs.SET, vector_pairs.GET) and len(item.operands) > at:
        return hardware_register(item.operands[at])
    return ""


def hardware_register(operand):
    """Return the name of a hardware register, such as mode, from hwreg(HW_REG_MODE, 0, 4), hwreg(1) or a number."""
    text = operand.lower().replace(" ", "")
    inside = text[6:].split(",")[0].strip("()") if text[:6] == "hwreg(" else text
    number = number_of(inside)
    if number is None:
        return inside[7:] if inside[:7] == "hw_reg_" else inside
    return _HARDWARE.get(number & 63, str(number & 63))


def _scalars(lists):
    found = []
    for names in lists:
        for name in names:
            file = name[:1]
            if name != "scc" and not (file in ("v", "a", "?") and (name[1:].isdigit() or file == "?")):
                found.append(name)
    return tuple(found)
