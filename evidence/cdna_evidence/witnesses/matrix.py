# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions as code for a compiler: LLVM IR and MIR for a pair, and the wait states it put between the two.

The register counts follow from the shape: M*K*blocks elements of A over 64 lanes, and so on. A pair in MIR stands on
physical registers: the producer reads A v[0:7], B v[8:15], C v[96:127] and writes D v[64:95]; the consumer uses
v[128:...] for everything but the operand that is asked about.
"""

import re
from typing import NamedTuple

_NAME = re.compile(r"v_(mfma|smfmac|mfma_scale)_(f32|i32|f64)_(\d+)x(\d+)x(\d+)_(?:(\d+)b_)?(\w+)\Z")
_BITS = {"f64": 64, "f32": 32, "xf32": 32, "f16": 16, "bf16": 16, "i8": 8}
_FORMATS = ("f8", "f8", "f6", "f6", "f4")
_FORMAT_DWORDS = {"f8": 8, "f6": 6, "f4": 4}
# Where the operands of a pair stand.
D, A, B, C, INDEX, SCALE_A, SCALE_B = 64, 0, 8, 96, 40, 42, 44
OTHER = 128


class Shape(NamedTuple):
    """A matrix instruction as its mnemonic tells it; a, b, d: registers of one operand, DWORDs per lane."""

    mnemonic: str
    kind: str
    result: str
    m: int
    n: int
    k: int
    blocks: int
    types: str
    a: int
    b: int
    d: int


def shape(mnemonic, cbsz=0, blgp=0):
    """Return the Shape of a matrix instruction. Raises: ValueError: not a mnemonic as the assembler prints it."""
    found = _NAME.match(mnemonic)
    if not found:
        raise ValueError(f"{mnemonic!r}: not a matrix instruction as the assembler prints it")
    kind, result, m, n, k, blocks, types = found.groups()
    m, n, k, blocks = int(m), int(n), int(k), int(blocks or 1)
    if types == "f8f6f4":
        a, b = _FORMAT_DWORDS[_FORMATS[cbsz]], _FORMAT_DWORDS[_FORMATS[blgp]]
    else:
        bits = _BITS.get(types, 8)
        b = n * k * blocks * bits // (64 * 32)
        a = b // 2 if kind == "smfmac" else b
    d = m * n * blocks * (2 if result == "f64" else 1) // 64
    return Shape(mnemonic, kind, result, m, n, k, blocks, types, a, b, d)


def opcode(mnemonic, cbsz=0, blgp=0, agpr=False):
    """Return LLVM's name of a matrix instruction, VGPR or AGPR form of the accumulator."""
    s = shape(mnemonic, cbsz, blgp)
    dims = f"{s.m}X{s.n}X{s.k}"
    types = s.types.upper()
    if s.kind == "smfmac":
        return f"V_SMFMAC_{s.result.upper()}_{dims}_{types}_e64"
    if s.types == "f8f6f4":
        types = f"_F8F6F4_{_FORMATS[cbsz]}_{_FORMATS[blgp]}"
    elif s.types == "bf16" and s.b == 2:
        types = "BF16_1K"
    elif "_" in s.types or s.b == 4:
        types = "_" + types
    head = "V_MFMA_SCALE" if s.kind == "mfma_scale" else "V_MFMA"
    return f"{head}_{s.result.upper()}_{dims}{types}{'' if agpr else '_vgprcd'}_e64"


def registers(start, count, bank="vgpr"):
    """Return a register tuple as MIR writes it."""
    return "$" + "_".join(f"{bank}{start + i}" for i in range(count))


def instruction(mnemonic, d, a, b, c, index=INDEX, scales=(SCALE_A, SCALE_B), cbsz=0, blgp=0, bank="vgpr"):
    """Return one matrix instruction in MIR; d, a, b, c, index, scales: first register of each operand."""
    s = shape(mnemonic, cbsz, blgp)
    tail = "implicit $mode, implicit $exec"
    to, ra, rb = registers(d, s.d, bank), registers(a, s.a), registers(b, s.b)
    name = opcode(mnemonic, cbsz, blgp, agpr=bank == "agpr")
    if s.kind == "smfmac":
        # The accumulator of a sparse instruction is its result register.
        return f"{to} = {name} {ra}, {rb}, {registers(index, 1)}, 0, 0, {to}, {tail}"
    if s.kind == "mfma_scale":
        given = f"{cbsz}, {blgp}, {registers(scales[0], 1)}, {registers(scales[1], 1)}, 0, 0"
        return f"{to} = {name} {ra}, {rb}, {registers(c, s.d, bank)}, {given}, {tail}"
    given = f"{cbsz}, {blgp}" if s.types == "f8f6f4" else "0, 0, 0"
    return f"{to} = {name} {ra}, {rb}, {registers(c, s.d, bank)}, {given}, {tail}"


def producer(mnemonic, cbsz=0, blgp=0, bank="vgpr"):
    """Return the first instruction of a pair, D at v64."""
    return instruction(mnemonic, D, A, B, C, cbsz=cbsz, blgp=blgp, bank=bank)


def consumer(mnemonic, cbsz=0, blgp=0, **operands):
    """Return the second instruction of a pair: every operand far away but those given by first register."""
    place = {"d": OTHER, "a": OTHER + 32, "b": OTHER + 40, "c": OTHER + 64, "index": OTHER + 48}
    scales = [OTHER + 50, OTHER + 52]
    for number, name in enumerate(("scale_a", "scale_b")):
        if name in operands:
            scales[number] = operands.pop(name)
    place.update(operands)
    return instruction(mnemonic, scales=tuple(scales), cbsz=cbsz, blgp=blgp, **place)


def function(name, lines):
    """Return one MIR function of straight-line code on physical registers."""
    body = "".join(f"    {line}\n" for line in lines)
    return f"---\nname: {name}\nbody: |\n  bb.0:\n{body}    S_ENDPGM 0\n...\n"


def inserted(mir, names):
    """Return {function: wait states that the pass added}: the sum of N + 1 over every S_NOP N.

    Args: mir: the text after the hazard pass; names: the functions asked for, none of which held an S_NOP before.
    Raises: ValueError: a function is missing.
    """
    found = {}
    for part in mir.split("\n---"):
        name = re.search(r"^name: +(\S+)", part, re.MULTILINE)
        if name and "body:" in part:
            body = part.partition("body:")[2]
            found[name.group(1).strip("'\"")] = sum(int(n) + 1 for n in re.findall(r"\bS_NOP (\d+)", body))
    missing = [name for name in names if name not in found]
    if missing:
        raise ValueError(f"no function {missing[0]} in the output")
    return {name: found[name] for name in names}


_EXEC = "implicit $exec"
_MODE = "implicit $mode, implicit $exec"
_PAIR = "$vgpr240_vgpr241"


def pair(first, then, via):
    """Return the two lines of MIR of one pair.

    Args: first, then: (mnemonic, cbsz, blgp) of a matrix instruction, or a word: valu, trans, dot, fma64, lane-swap,
      store, load, ds, salu-exec, valu-exec, or a role of cdna.mfma.vector_pairs; via: as in cdna.mfma.hazards.
    Raises: ValueError: a pair that is not written here.
    """
    hot = D
    if isinstance(first, tuple):
        one = producer(*first)
        hot = C if via == "c-war" else D
    elif first == "store":
        one = f"GLOBAL_STORE_DWORDX4 $vgpr250_vgpr251, {registers(D, 4)}, 0, 0, {_EXEC}"
    elif first == "compare" and then == "div-fmas":
        one = f"V_CMP_EQ_U32_e32 $vgpr250, $vgpr251, implicit-def $vcc, {_EXEC}"
    else:
        one = _writes(first, D)
    if isinstance(then, tuple):
        return [one, _reader(first, then, via, hot)]
    if first in ("scalar", "compare"):
        return [one, _reads_scalar(then, first)]
    if then == "lane-write" and via == "read":
        raise ValueError("lane-write: reads no vector register but its own")
    if via in ("waw", "c-war"):
        return [one, _writes(then, hot)]
    if via == "independent":
        return [one, _writes(then, 250)]
    return [one, _reads(then, hot + 1 if isinstance(first, tuple) and shape(*first).d > 1 else hot)]


def _reader(first, then, via, hot):
    s = shape(*then)
    accumulator = "d" if s.kind == "smfmac" else "c"
    if via in ("exact", "partial"):
        same = isinstance(first, tuple) and shape(*first).d == s.d
        if via == "partial" and same and s.d <= 2:
            raise ValueError("a tuple of two registers cannot overlap another in part, tuples start at even registers")
        place = {accumulator: hot + 2 if via == "partial" and same else hot}
    elif via in ("waw", "c-war"):
        place = {"d": hot}
    elif via in ("exec", "independent"):
        place = {}
    else:
        place = {{"ab": "a", "read": "a", "scale": "scale_a"}.get(via, via): hot}
    return consumer(then[0], then[1], then[2], **place)


def _writes(word, at):
    """One instruction that writes a register, or EXEC."""
    lines = {
        "valu": f"$vgpr{at} = V_ADD_F32_e32 $vgpr250, $vgpr251, {_MODE}",
        "trans": f"$vgpr{at} = V_EXP_F32_e32 $vgpr250, {_MODE}",
        "dot": f"$vgpr{at} = V_DOT4_I32_I8 8, $vgpr240, 8, $vgpr241, 8, $vgpr242, 0, 0, 0, {_EXEC}",
        "fma64": f"{registers(at, 2)} = V_FMA_F64_e64 0, {_PAIR}, 0, {_PAIR}, 0, {_PAIR}, 0, 0, {_MODE}",
        "load": f"$vgpr{at} = GLOBAL_LOAD_DWORD {_PAIR}, 0, 0, {_EXEC}",
        "ds": f"$vgpr{at} = DS_READ_B32_gfx9 $vgpr240, 0, 0, {_EXEC}",
        "salu-exec": "$exec = S_MOV_B64 -1",
        "valu-exec": f"V_CMPX_EQ_U32_e32 $vgpr250, $vgpr251, implicit-def $vcc, implicit-def $exec, {_EXEC}",
        "scalar": f"$sgpr{at} = V_READFIRSTLANE_B32 $vgpr250, {_EXEC}",
        "compare": f"$sgpr{at}_sgpr{at + 1} = V_CMP_EQ_U32_e64 $vgpr250, $vgpr251, {_EXEC}",
        "sdwa": f"$vgpr{at} = V_ADD_U16_sdwa 0, $vgpr250, 0, $vgpr251, 0, 5, 2, 4, 4, {_EXEC}, "
        f"implicit $vgpr{at}(tied-def 0)",
    }
    if word not in lines:
        raise ValueError(f"{word}: writes nothing that a pair here asks about")
    return lines[word]


def _reads(word, at):
    """One instruction that reads a register."""
    even = registers(at - at % 2, 2)
    swap = f"$vgpr{at}, $vgpr245 = V_PERMLANE32_SWAP_B32_e32 $vgpr{at}, $vgpr245, {_MODE}"
    lines = {
        "valu": f"$vgpr250 = V_ADD_F32_e32 $vgpr{at}, $vgpr251, {_MODE}",
        "trans": f"$vgpr250 = V_EXP_F32_e32 $vgpr{at}, {_MODE}",
        "dot": f"$vgpr250 = V_DOT4_I32_I8 8, $vgpr{at}, 8, $vgpr241, 8, $vgpr242, 0, 0, 0, {_EXEC}",
        "fma64": f"$vgpr250_vgpr251 = V_FMA_F64_e64 0, {even}, 0, {_PAIR}, 0, {_PAIR}, 0, 0, {_MODE}",
        "store": f"GLOBAL_STORE_DWORD {_PAIR}, $vgpr{at}, 0, 0, {_EXEC}",
        "load": f"$vgpr250 = GLOBAL_LOAD_DWORD {even}, 0, 0, {_EXEC}",
        "ds": f"DS_WRITE_B32_gfx9 $vgpr240, $vgpr{at}, 0, 0, {_EXEC}",
        "valu-exec": f"V_CMPX_EQ_U32_e32 $vgpr{at}, $vgpr251, implicit-def $vcc, implicit-def $exec, {_EXEC}",
        "lane-swap": swap,
        "salu-exec": "$exec = S_MOV_B64 -1",
        "lane-read": f"$sgpr70 = V_READLANE_B32 $vgpr{at}, 0",
        "first-lane": f"$sgpr70 = V_READFIRSTLANE_B32 $vgpr{at}, {_EXEC}",
        "lane-write": "$vgpr240 = V_WRITELANE_B32 0, $sgpr70, $vgpr240",
        "dpp": f"$vgpr250 = V_MOV_B32_dpp $vgpr250, $vgpr{at}, 257, 15, 15, 0, {_EXEC}",
    }
    if word not in lines:
        raise ValueError(f"{word}: reads nothing that a pair here asks about")
    return lines[word]


def _reads_scalar(word, first):
    """One instruction that reads a scalar register or VCC that a vector instruction wrote; a compare writes a pair."""
    one, two = "$sgpr64", "$sgpr64_sgpr65"
    fixed = "$vgpr250 = V_DIV_FMAS_F32_e64 0, $vgpr1, 0, $vgpr2, 0, $vgpr3, 0, 0"
    lines = {
        "lane-read": f"$sgpr70 = V_READLANE_B32 $vgpr240, {one}",
        "lane-write": f"$vgpr240 = V_WRITELANE_B32 0, {one}, $vgpr240",
        "load": f"$vgpr250 = GLOBAL_LOAD_DWORD_SADDR {two}, $vgpr241, 0, 0, {_EXEC}",
        "store": f"GLOBAL_STORE_DWORD_SADDR $vgpr241, $vgpr242, {two}, 0, 0, {_EXEC}",
        "valu": f"$vgpr250 = V_MOV_B32_e32 {one}, {_EXEC}",
        "trans": f"$vgpr250 = V_EXP_F32_e32 {one}, {_MODE}",
        "div-fmas": f"{fixed}, implicit $mode, implicit $vcc, {_EXEC}",
    }
    if word not in lines or (word == "div-fmas" and first != "compare"):
        raise ValueError(f"{word}: reads no scalar register that a pair here asks about")
    return lines[word]
