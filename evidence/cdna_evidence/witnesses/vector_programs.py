# SPDX-License-Identifier: Apache-2.0
"""Programs of gfx942 and gfx950 as MIR, of vector, scalar and memory instructions that want wait states of each other.

They are drawn on few registers, so that nearly everything depends on something. Two texts of a program are compared by
how many wait states of s_nop stand in front of each instruction.
"""

from . import matrix, wmma_programs

_MODE = "implicit $mode, implicit $exec"
_EXEC = "implicit $exec"
# LLVM also parts memory instructions that could not be replayed together; that is no dependency, and goes with XNACK.
NO_XNACK = ("-mattr=-xnack",)
_DPP = "257, 15, 15, 0"


def lines(draw, count, target, loop=False):
    """Return some instructions of MIR. Args: draw: random.Random; target: gfx942 or gfx950; loop: they stand in a loop.

    Behind a dot product LLVM looks so far back that a loop hides the shorter way from it (MFMA-077), so none is drawn there.
    """
    found = []
    for _ in range(count):
        v = [f"$vgpr{draw.randrange(6)}" for _ in range(4)]
        pairs = [matrix.registers(2 * draw.randrange(3), 2) for _ in range(3)]
        four = matrix.registers(2 * draw.randrange(2), 4)
        s = [f"$sgpr{draw.randrange(6)}" for _ in range(2)]
        mask = draw.choice(["$vcc", "$sgpr0_sgpr1", "$sgpr2_sgpr3"])
        size, first_half, copy = draw.choice([4, 5, 6]), draw.choice([0, 8]), f"implicit $m0, {_EXEC}"
        register = draw.choice([1, 2, 3])
        asked = [
            f"{v[0]} = V_ADD_F32_e32 {v[1]}, {v[2]}, {_MODE}",
            f"{v[0]} = V_MOV_B32_e32 {draw.choice([*s, '$vcc_lo', '$vcc_hi', '$exec_lo', '$m0', '0'])}, {_EXEC}",
            f"{v[0]} = V_EXP_F32_e32 {v[1]}, {_MODE}",
            f"{v[0]} = V_DOT4_I32_I8 8, {v[1]}, 8, {v[2]}, 8, {v[3]}, 0, 0, 0, {_EXEC}",
            f"{v[0]} = V_FMAC_F32_e32 {v[1]}, {v[2]}, {v[0]}, {_MODE}",
            f"{s[0]} = V_READFIRSTLANE_B32 {v[1]}, {_EXEC}",
            f"$vcc_lo = V_READFIRSTLANE_B32 {v[1]}, {_EXEC}",
            f"{s[0]} = V_READLANE_B32 {v[1]}, {s[1]}",
            f"{s[0]} = V_READLANE_B32 {v[1]}, $m0",
            f"{v[0]} = V_WRITELANE_B32 {s[0]}, {draw.choice([s[0], '3'])}, {v[0]}",
            f"{v[0]} = V_MOV_B32_dpp {v[0]}, {v[1]}, {_DPP}, {_EXEC}",
            f"{v[0]} = V_ADD_F32_dpp {v[0]}, 0, {v[1]}, 0, {v[2]}, {_DPP}, {_MODE}",
            f"{v[0]} = V_ADD_U16_sdwa 0, {v[1]}, 0, {v[2]}, 0, {size}, 2, 4, 4, {_EXEC}, implicit {v[0]}(tied-def 0)",
            f"{v[0]} = V_PK_ADD_F16 {first_half}, {v[1]}, 8, {v[2]}, 0, 0, 0, 0, 0, {_MODE}",
            f"{pairs[0]} = V_PK_ADD_F32 {first_half}, {pairs[1]}, 8, {pairs[2]}, 0, 0, 0, 0, 0, {_MODE}",
            f"{v[0]} = V_FMA_MIX_F32 {first_half}, {v[1]}, 0, {v[2]}, 0, {v[3]}, 0, 0, 0, {_MODE}",
            f"{v[0]} = V_CVT_PK_FP8_F32_e64 {first_half}, {v[1]}, 0, {v[2]}, {v[0]}, 0, {_MODE}",
            f"{v[0]} = V_CVT_SR_FP8_F32_e64 {first_half}, {v[1]}, 0, {v[2]}, {draw.choice([0, 4])}, {v[0]}, 0, {_MODE}",
            f"V_CMP_EQ_U32_e32 {v[0]}, {v[1]}, implicit-def $vcc, {_EXEC}",
            f"{draw.choice([mask, '$exec'])} = V_CMP_EQ_U32_e64 {v[0]}, {v[1]}, {_EXEC}",
            f"V_CMPX_EQ_U32_e32 {v[0]}, {v[1]}, implicit-def $vcc, implicit-def $exec, {_EXEC}",
            f"{v[0]} = V_CNDMASK_B32_e32 {v[1]}, {v[2]}, implicit $vcc, {_EXEC}",
            f"{v[0]} = V_CNDMASK_B32_e64 0, {v[1]}, 0, {v[2]}, {mask}, {_EXEC}",
            f"{v[0]} = V_ADD_CO_U32_e32 {v[1]}, {v[2]}, implicit-def $vcc, {_EXEC}",
            f"{v[0]}, {mask} = V_ADD_CO_U32_e64 {v[1]}, {v[2]}, 0, {_EXEC}",
            f"{v[0]} = V_ADDC_U32_e32 {v[1]}, {v[2]}, implicit-def $vcc, implicit $vcc, {_EXEC}",
            f"{pairs[0]}, {mask} = V_MAD_U64_U32_e64 {v[1]}, {v[2]}, {pairs[1]}, 0, {_EXEC}",
            f"{v[0]} = V_DIV_FMAS_F32_e64 0, {v[1]}, 0, {v[2]}, 0, {v[3]}, 0, 0, implicit $mode, implicit $vcc, {_EXEC}",
            f"{v[0]} = GLOBAL_LOAD_DWORD {pairs[0]}, 0, 0, {_EXEC}",
            f"{v[0]} = GLOBAL_LOAD_DWORD_SADDR $sgpr{2 * draw.randrange(3)}_sgpr{{}}, {v[1]}, 0, 0, {_EXEC}",
            f"GLOBAL_STORE_DWORD {pairs[0]}, {v[1]}, 0, 0, {_EXEC}",
            f"GLOBAL_STORE_DWORDX4 {pairs[0]}, {four}, 0, 0, {_EXEC}",
            f"{v[0]} = BUFFER_LOAD_DWORD_OFFEN {v[1]}, $sgpr0_sgpr1_sgpr2_sgpr3, $sgpr5, 0, 0, 0, {_EXEC}",
            f"GLOBAL_LOAD_LDS_DWORD {pairs[0]}, 0, 0, {copy}",
            f"BUFFER_LOAD_DWORD_LDS_OFFEN {v[0]}, $sgpr0_sgpr1_sgpr2_sgpr3, $sgpr5, 0, 0, 0, {copy}",
            f"{v[0]} = DS_READ_B32_gfx9 {v[1]}, 0, 0, {_EXEC}",
            f"DS_WRITE_B32_gfx9 {v[0]}, {v[1]}, 0, 0, {_EXEC}",
            f"{v[0]} = DS_READ_ADDTID_B32 0, 0, {copy}",
            f"DS_GWS_SEMA_V 0, {copy}",
            f"{draw.choice([*s, '$m0'])} = S_MOV_B32 {s[1]}",
            "$exec = S_MOV_B64 -1",
            f"{s[0]} = S_MOVRELS_B32 {s[1]}, implicit $m0",
            f"S_SENDMSG 1, {_EXEC}, implicit $m0",
            f"S_SETREG_B32 {s[0]}, {register}, implicit-def $mode, implicit $mode",
            f"{s[0]} = S_GETREG_B32 {register}, implicit $mode",
            "S_NOP 0",
        ]
        if loop:
            asked = [line for line in asked if "V_DOT4" not in line]
        if target == "gfx950":
            asked.append(f"{v[0]}, $vgpr7 = V_PERMLANE32_SWAP_B32_e32 {v[0]}, $vgpr7, {_MODE}")
        line = draw.choice(asked)
        if "{}" in line:
            first = int(line.partition("$sgpr")[2].partition("_")[0])
            line = line.format(first + 1)
        found.append(line)
    return found


def straight(draw, count, target):
    """Return the blocks of a program without branches."""
    return [((), [*lines(draw, count, target), "S_ENDPGM 0"])]


def branchy(draw, count, target):
    """Return the blocks of a loop around a skipped part."""
    return wmma_programs.looped([lines(draw, count, target, loop=True) for _ in range(5)])


def mixed(draw, count, target, products):
    """Return the blocks of a program in which every other instruction is a product. Args: products: mnemonics, small results."""
    body = []
    for _ in range(count):
        d, a, b, c, index, scale = [2 * draw.randrange(8) for _ in range(6)]
        d = c if draw.random() < 0.5 else d
        body.append(matrix.instruction(draw.choice(products), d, a, b, c, index, (scale, index)))
        body += lines(draw, 1, target)
    return [((), [*body, "S_ENDPGM 0"])]


def layout(text):
    """Return [(wait states of s_nop in front of it, instruction)] of lines of code, labels included."""
    found, count = [], 0
    for line in text:
        if line.startswith("s_nop"):
            count += int(line.split()[1]) + 1
        else:
            found.append((count, line))
            count = 0
    return found


def repaired(text, audit, target):
    """Insert what an audit misses, from the top down, each place once and as LLVM does.

    Args: audit: cdna.mfma.audit.audit. What LLVM does not see (MFMA-051, MFMA-075) is left as it is.
    """
    text, done = list(text), 0
    while True:
        found = [item for item in audit("\n".join(text), target).dependencies if item["then"]["line"] > done]
        found = [item for item in found if not item["hidden"] and (item["needed"], item["missing"]) != (20, 1)]
        if not found:
            return text
        place = min(item["then"]["line"] for item in found)
        states = max(item["missing"] for item in found if item["then"]["line"] == place)
        added = [f"s_nop {min(states - past, 8) - 1}" for past in range(0, states, 8)]
        text[place - 1 : place - 1] = added
        done = place + len(added)
