# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx1250 as MIR: one pair of instructions, and the V_NOPs that LLVM's hazard pass puts between.

The same recipe as for MFMA (matrix.py): straight-line code on physical registers, one pass, a count. The unit differs:
on gfx1250 the pass inserts V_NOP instructions, so what is counted here is V_NOPs.
"""

import re

from . import matrix

# Where the operands of the first instruction stand, and of the second where it is not asked about.
A, B, C, D, INDEX = 0, 16, 32, 64, 240
OTHER_A, OTHER_B, OTHER_C, OTHER_D, OTHER_INDEX = 96, 112, 128, 160, 244
SCALE_A, SCALE_B = 248, 249

# mnemonic: LLVM's opcode, registers of A, B, C and D, operands in MIR. Upper-case letters stand for registers.
FORMS = {
    "v_wmma_f32_16x16x4_f32": ("V_WMMA_F32_16X16X4_F32", 2, 2, 8, 8, "8, A, 8, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f32_16x16x32_f16": ("V_WMMA_F32_16X16X32_F16", 8, 8, 8, 8, "8, A, 8, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f32_16x16x32_bf16": ("V_WMMA_F32_16X16X32_BF16", 8, 8, 8, 8, "8, A, 8, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f16_16x16x32_f16": ("V_WMMA_F16_16X16X32_F16", 8, 8, 4, 4, "8, A, 8, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_bf16_16x16x32_bf16": ("V_WMMA_BF16_16X16X32_BF16", 8, 8, 4, 4, "8, A, 8, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_bf16f32_16x16x32_bf16": ("V_WMMA_BF16F32_16X16X32_BF16", 8, 8, 8, 4, "8, A, 8, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f32_16x16x64_fp8_fp8": ("V_WMMA_F32_16X16X64_FP8_FP8", 8, 8, 8, 8, "A, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f16_16x16x64_bf8_bf8": ("V_WMMA_F16_16X16X64_BF8_BF8", 8, 8, 4, 4, "A, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f32_16x16x128_fp8_fp8": ("V_WMMA_F32_16X16X128_FP8_FP8", 16, 16, 8, 8, "A, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f16_16x16x128_bf8_bf8": ("V_WMMA_F16_16X16X128_BF8_BF8", 16, 16, 4, 4, "A, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_i32_16x16x64_iu8": ("V_WMMA_I32_16X16X64_IU8", 8, 8, 8, 8, "8, A, 8, B, C, 0, 0, 0, 0"),
    "v_wmma_f32_16x16x128_f8f6f4 f8 f8": ("V_WMMA_F32_16X16X128_F8F6F4_f8_f8", 16, 16, 8, 8, "A, B, 8, C, 0, 0, 0, 0"),
    "v_wmma_f32_16x16x128_f8f6f4 f8 f4": ("V_WMMA_F32_16X16X128_F8F6F4_f8_f4", 16, 8, 8, 8, "A, B, 8, C, 0, 4, 0, 0"),
    "v_wmma_f32_16x16x128_f8f6f4 f6 f6": ("V_WMMA_F32_16X16X128_F8F6F4_f6_f6", 12, 12, 8, 8, "A, B, 8, C, 2, 2, 0, 0"),
    "v_wmma_f32_16x16x128_f8f6f4 f6 f4": ("V_WMMA_F32_16X16X128_F8F6F4_f6_f4", 12, 8, 8, 8, "A, B, 8, C, 2, 4, 0, 0"),
    "v_wmma_f32_16x16x128_f8f6f4 f4 f4": ("V_WMMA_F32_16X16X128_F8F6F4_f4_f4", 8, 8, 8, 8, "A, B, 8, C, 4, 4, 0, 0"),
    "v_wmma_f32_32x16x128_f4": ("V_WMMA_F32_32X16X128_F4", 16, 8, 16, 16, "A, B, 8, C, 0, 0"),
    "v_swmmac_f32_16x16x64_f16": ("V_SWMMAC_F32_16X16X64_F16", 8, 16, 8, 8, "8, A, 8, B, D, I, 0, 0, 0, 0, 0"),
    "v_swmmac_bf16f32_16x16x64_bf16": ("V_SWMMAC_BF16F32_16X16X64_BF16", 8, 16, 8, 8, "8, A, 8, B, D, I, 0, 0, 0, 0, 0"),
    "v_swmmac_f32_16x16x128_fp8_fp8": ("V_SWMMAC_F32_16X16X128_FP8_FP8", 8, 16, 8, 8, "A, B, D, J, 0, 0, 0"),
    "v_swmmac_i32_16x16x128_iu8": ("V_SWMMAC_I32_16X16X128_IU8", 8, 16, 8, 8, "8, A, 8, B, D, J, 0, 0, 0, 0, 0"),
}
_MODE = "implicit $mode, implicit $exec"
_EXEC = "implicit $exec"


def instruction(name, a, b, c, d, index):
    """Return one matrix instruction of FORMS in MIR; a, b, c, d, index: first register of each operand."""
    opcode, na, nb, nc, nd, operands = FORMS[name]
    # The three-address form does not tie C to D; only it lets the two be asked about apart.
    tied = "D" in operands.split(", ")
    suffix = "_w32_twoaddr" if tied or nc != nd else "_w32_threeaddr"
    given = {
        "A": matrix.registers(a, na),
        "B": matrix.registers(b, nb),
        "C": matrix.registers(c, nc),
        "D": matrix.registers(d, nd),
        "I": matrix.registers(index, 1),
        "J": matrix.registers(index, 2),
    }
    words = [given.get(word, word) for word in operands.split(", ")]
    return f"early-clobber {matrix.registers(d, nd)} = {opcode}{suffix} {', '.join(words)}, {_EXEC}"


def first(name):
    """Return the first instruction of a pair."""
    return instruction(name, A, B, C, D, INDEX)


def second(name, via):
    """Return a matrix instruction that depends on the first in one way.

    Args: via: a, b, index, c, c-partial, waw, war-a, independent. Raises: ValueError: another word.
    """
    place = {"a": OTHER_A, "b": OTHER_B, "c": OTHER_C, "d": OTHER_D, "index": OTHER_INDEX}
    sparse = "D" in FORMS[name][5].split(", ")
    if via in ("a", "b", "index"):
        place[via] = D
    elif via in ("c", "c-partial"):
        place["d" if sparse else "c"] = D if via == "c" else D + 2
    elif via in ("waw", "war-a"):
        place["d"] = D if via == "waw" else A
    elif via != "independent":
        raise ValueError(f"via={via!r}: a, b, index, c, c-partial, waw, war-a, independent")
    return instruction(name, place["a"], place["b"], place["c"], place["d"], place["index"])


def vector(word, via, producer):
    """Return an instruction that is no matrix instruction and depends on the first in one way.

    Args: word: valu, trans, vopd, store, ds-store, ds-load, load or salu; via: read, waw, war-a, war-b, war-c, war-index
      or independent; producer: the first's name, for the registers that it has. Raises: ValueError: no such pair.
    """
    at = {"read": D, "waw": D, "war-a": A, "war-b": B, "war-c": C, "war-index": INDEX, "independent": 252}
    if via not in at:
        raise ValueError(f"via={via!r}: {', '.join(at)}")
    if via == "war-index" and FORMS[producer][5].split(", ")[-1] and not re.search(r"\b[IJ]\b", FORMS[producer][5]):
        raise ValueError(f"{producer} has no index")
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

    Args: producer: a key of FORMS; consumer: the same or a word of `vector`; via: see `second` and `vector`;
      fill: a key of FILLERS, or a key of FORMS for an independent matrix instruction, or nothing.
    """
    between = []
    if count:
        line = FILLERS[fill] if fill in FILLERS else instruction(fill, 176, 192, 208, 216, 247)
        between = [line] * count
    then = second(consumer, via) if consumer in FORMS else vector(consumer, via, producer)
    return [first(producer), *between, then]


def slots(witness, target, pairs):
    """Return the V_NOPs that the hazard pass adds to each pair, in order.

    Args: witness: llc; target: gfx1250 or gfx1251; pairs: lists of MIR lines, see `pair`.
    Raises: ValueError: the pass did not answer.
    """
    names = [f"pair{i}" for i in range(len(pairs))]
    text = "".join(matrix.function(name, lines) for name, lines in zip(names, pairs, strict=True))
    compiled = witness.run_pass(target, text)
    if not compiled.accepted:
        raise ValueError(f"{compiled.outcome}: {compiled.diagnostic}")
    found = {}
    for part in compiled.assembly.split("\n---"):
        name = re.search(r"^name: +(\S+)", part, re.MULTILINE)
        if name and "body:" in part:
            body = part.partition("body:")[2]
            found[name.group(1).strip("'\"")] = len(re.findall(r"\bV_NOP_e32\b", body))
    if any(name not in found for name in names):
        raise ValueError("a function is missing in the output")
    own = [sum(line.startswith("V_NOP_e32") for line in lines) for lines in pairs]
    return [found[name] - given for name, given in zip(names, own, strict=True)]
