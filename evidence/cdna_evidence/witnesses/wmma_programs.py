# SPDX-License-Identifier: Apache-2.0
"""Programs of gfx1250 as MIR, with branches and loops, and where LLVM's hazard pass puts V_NOPs into them.

The programs are drawn on few registers, so that nearly everything depends on something. llc turns each into assembly
twice: behind the hazard pass, and without it. The difference is what the pass adds in front of each instruction.
"""

import re

from . import matrix, wmma_mir

_MODE = "implicit $mode, implicit $exec"
_EXEC = "implicit $exec"
# Products of every class of latency: dense and sparse, short and long, the f32 one, formats, scaled.
PRODUCTS = (
    "v_wmma_f32_16x16x4_f32",
    "v_wmma_f32_16x16x32_f16",
    "v_wmma_bf16f32_16x16x32_bf16",
    "v_wmma_f32_16x16x64_fp8_fp8",
    "v_wmma_i32_16x16x64_iu8",
    "v_wmma_f32_16x16x128_f8f6f4 fp8 fp4",
    "v_wmma_f32_16x16x128_f8f6f4 fp6 fp4",
    "v_wmma_f32_16x16x128_f8f6f4 fp4 fp4",
    "v_wmma_scale_f32_16x16x128_f8f6f4 fp8 fp8",
    "v_wmma_scale16_f32_16x16x128_f8f6f4 fp4 fp4",
    "v_swmmac_f32_16x16x64_f16",
    "v_swmmac_f32_16x16x128_fp8_fp8",
    "v_swmmac_i32_16x16x128_iu8",
)


def lines(draw, count, products=PRODUCTS, groups=(0,)):
    """Return some instructions of MIR. Args: draw: random.Random; groups: of 256 registers, one drawn for each operand."""

    def group():
        return 256 * draw.choice(groups)

    found = []
    for _ in range(count):
        even = [group() + 2 * draw.randrange(16) for _ in range(8)]
        v = [f"$vgpr{group() + draw.randrange(40)}" for _ in range(4)]
        pair = matrix.registers(even[0], 2)
        if draw.random() < 0.4:
            c = even[2]
            d = c if draw.random() < 0.5 else even[3]
            # LLVM takes the scales from the lowest 256 registers alone.
            scales = (even[5] % 256, even[6] % 256)
            found.append(wmma_mir.instruction(draw.choice(products), even[0], even[1], c, d, even[4], scales))
            continue
        # The two halves of a dual-issue instruction share their groups; its results are an even and an odd register.
        dual = f"$vgpr{even[0]}, $vgpr{even[0] + 2 * draw.randrange(4) + 1} = V_DUAL_MOV_B32_e32_X_MOV_B32_e32_gfx1250"
        copy = "implicit-def dead $asynccnt, implicit $asynccnt"
        found.append(
            draw.choice(
                [
                    f"{v[0]} = V_ADD_F32_e32 {v[1]}, {v[2]}, {_MODE}",
                    f"{v[0]} = V_MOV_B32_e32 0, {_EXEC}",
                    f"{v[0]} = V_FMAC_F32_e32 {v[1]}, {v[2]}, {v[0]}, {_MODE}",
                    f"{v[0]} = V_EXP_F32_e32 {v[1]}, {_MODE}",
                    f"{v[0]}, {v[1]} = V_PERMLANE16_SWAP_B32_e32 {v[0]}, {v[1]}, {_MODE}",
                    f"{dual} $vgpr{even[1]}, $vgpr{even[1] + 2 * draw.randrange(4) + 1}, {_EXEC}",
                    f"$sgpr0 = V_READFIRSTLANE_B32 {v[1]}, {_EXEC}",
                    f"$vcc_lo = V_CMP_EQ_U32_e64 {v[1]}, {v[2]}, {_EXEC}",
                    f"{v[0]} = GLOBAL_LOAD_DWORD {pair}, 0, 0, {_EXEC}",
                    f"GLOBAL_STORE_DWORD {pair}, {v[1]}, 0, 0, {_EXEC}",
                    f"{v[0]} = DS_READ_B32_gfx9 {v[1]}, 0, 0, {_EXEC}",
                    f"DS_WRITE_B32_gfx9 {v[0]}, {v[1]}, 0, 0, {_EXEC}",
                    f"GLOBAL_LOAD_ASYNC_TO_LDS_B32 $vgpr60, {pair}, 0, 0, {copy}, {_EXEC}",
                    "$sgpr1 = S_MOV_B32 0",
                    "S_NOP 3",
                ]
            )
        )
    return found


def function(name, blocks):
    """Return a function of MIR. Args: blocks: (numbers of the blocks that may follow, lines) each."""
    text = f"---\nname: {name}\nbody: |\n"
    for number, (successors, body) in enumerate(blocks):
        text += f"  bb.{number}:\n"
        if successors:
            text += "    successors: " + ", ".join(f"%bb.{follower}" for follower in successors) + "\n"
        text += "".join(f"    {line}\n" for line in body) + "\n"
    return text + "...\n"


def straight(draw, count, products=PRODUCTS, groups=(0,)):
    """Return the blocks of a program without branches."""
    return [((), [*lines(draw, count, products, groups), "S_ENDPGM 0"])]


def branchy(draw, count, products=PRODUCTS, groups=(0,)):
    """Return the blocks of a loop around a skipped part: entry, head, part, tail that goes back to the head, end."""
    return looped([lines(draw, count, products, groups) for _ in range(5)])


def looped(body):
    """Return the blocks of a loop around a skipped part. Args: body: lines of entry, head, part, tail and end."""
    to = "S_CBRANCH_SCC1 %bb.{}, implicit $scc"
    return [
        ((1,), body[0]),
        ((3, 2), [*body[1], to.format(3)]),
        ((3,), body[2]),
        ((1, 4), [*body[3], to.format(1)]),
        ((), [*body[4], "S_ENDPGM 0"]),
    ]


def assembled(witness, target, programs, more=()):
    """Return {name: (lines with what the pass adds, lines without)} of assembly, labels and code alone.

    Args: witness: llc; programs: {name: blocks}; more: further arguments of llc. Raises: ValueError: llc did not answer.
    """
    text = "".join(function(name, blocks) for name, blocks in programs.items())
    given = [witness.assembly(target, text, when, more) for when in ("before", "after")]
    for answer in given:
        if not answer.accepted:
            raise ValueError(f"{answer.outcome}: {answer.diagnostic}")
    found = {}
    for name in programs:
        inside = re.compile(rf"^{name}:(.*?)^\.Lfunc_end", re.M | re.S)
        found[name] = tuple(code(inside.search(answer.assembly).group(1)) for answer in given)
    return found


def code(text):
    """Return the lines of an assembly text that are labels or instructions; s_delay_alu, which counts nothing, is left out."""
    kept = [line.split(";")[0].strip() for line in text.splitlines()]
    kept = [line for line in kept if line and (line.endswith(":") or not line.startswith("."))]
    return [line for line in kept if not line.startswith("s_delay_alu")]


def added(text):
    """Return [(V_NOPs in front of it, instruction)] of lines of code, labels included.

    `s_set_vgpr_msb` is passed over: LLVM puts it between the V_NOPs and their instruction.
    """
    found, count = [], 0
    for line in text:
        if line == "v_nop":
            count += 1
        elif not line.startswith("s_set_vgpr_msb"):
            found.append((count, line))
            count = 0
    return found


def repaired(text, audit):
    """Insert what an audit misses, from the top down, each place once and as LLVM does.

    Args: text: lines; audit: cdna.wmma.audit.audit. What LLVM does not see (`hidden`) is left as it is.
    """
    text, done = list(text), 0
    while True:
        found = [
            item for item in audit("\n".join(text)).dependencies if not item["hidden"] and item["then"]["line"] > done
        ]
        if not found:
            return text
        place = min(item["then"]["line"] for item in found)
        count = max(item["missing"] for item in found if item["then"]["line"] == place)
        text[place - 1 : place - 1] = ["v_nop"] * count
        done = place + count
