# SPDX-License-Identifier: Apache-2.0
"""Which operands of a computing instruction (v_, s_) are results, and which registers it reads."""

# Instructions that also read the register which they write, or keep a part of it.
_TIED = (
    "v_fmac_", "v_mac_", "v_pk_fmac_", "v_dot2c_", "v_dot4c_", "v_dot8c_", "v_dot2acc_", "v_writelane_", "v_fma_mix", "v_mad_mix",
    "v_smfmac_", "v_swmmac_", "v_swap", "v_permlane16_", "v_permlanex16_", "v_permlane32_swap", "v_movrel", "s_movrel",
    "s_cmov", "s_addk_", "s_mulk_", "s_fmac_",
)  # fmt: skip
_TWO = ("v_div_sca", "v_mad_u64", "v_mad_i64")  # the second operand is a result too
_PARTS = ("_sr_fp8", "_sr_bf8", "_pk_fp8", "_pk_bf8", "_pk_fp4")  # the result is a part of a register
_KEEPS = ("dst_sel:", "dst_unused:", "row_", "quad_perm:", "wave_", "dpp8:")  # what a lane or byte held may stay


def results_of(item, registers):
    """Return the registers that an instruction computes at once: its first operand, where that is a result, and more.

    Args: item: an Instruction; registers: those of each of its operands.
    """
    name = item.mnemonic
    if name[:6] == "v_cmpx":
        return ("exec_lo",) + (tuple(registers[0]) if len(registers) > 2 else ())
    places = _places(item, registers)
    found = [one for place in places for one in registers[place]]
    return tuple(found) + (("exec_lo",) if places and "saveexec" in name else ())


def read_by(item, registers):
    """Return the registers that a computing instruction reads: every one that it names, but for what it only overwrites."""
    places = _places(item, registers)
    found = []
    for place in range(len(registers)):
        name = item.operands[place] if place and place in places else item.mnemonic
        if place in places and not _ties(name, item):
            continue
        for one in registers[place]:
            if one not in found:
                found.append(one)
    return tuple(found)


def _places(item, registers):
    """Return the numbers of the operands that are results."""
    name = item.mnemonic
    if (
        not registers
        or name[:2] not in ("v_", "s_")
        or name[:6] == "v_cmpx"
        or name[:5] in ("s_cmp", "s_bit", "s_set", "s_bar", "s_sle", "s_cbr", "s_sen")
    ):
        return (0,) if name[:6] == "v_cmpx" and len(registers) > 2 else ()
    if name[:6] in ("s_load", "s_buff", "s_scra", "s_stor", "s_atom", "s_dcac", "s_pref", "s_wait"):
        return ()
    more = []
    if name[:6] == "v_dual":  # two instructions: the second begins with its own name
        more = [place for place in range(1, len(item.operands)) if item.operands[place][:6] == "v_dual"]
    elif name[:6] == "v_swap" or (name[:2] == "v_" and "_co_" in name) or name[:9] in _TWO:
        more = [1] if len(registers) > 1 else []
    return tuple([0] + more)


def _ties(name, item):
    """Return True where a result may be read too, or a part of it kept."""
    bare = "v_" + name[7:] if name[:7] == "v_dual_" else name
    for head in _TIED:
        if bare[: len(head)] == head:
            return True
    for part in _PARTS:
        if part in bare:
            return True
    for word in item.modifiers:
        for keeps in _KEEPS:
            if word[: len(keeps)] == keeps:
                return True
        if word[:7] == "op_sel:" and name[:5] != "v_pk_":
            return True
    return ".l" in item.operands[0] or ".h" in item.operands[0]  # half of a register
