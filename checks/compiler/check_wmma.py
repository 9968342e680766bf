# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions of gfx1250 asked of clang's assembler: which exist, how wide operands are, which modifiers pass."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import instructions, taken, verdict

PREFIXES = ("v_wmma_", "v_wmma_scale_", "v_wmma_scale16_", "v_swmmac_")
RESULTS = ("f64", "f32", "f16", "bf16", "bf16f32", "i32")
SHAPES = [f"16x16x{k}" for k in (4, 8, 16, 32, 64, 128)] + ["32x16x128", "32x32x64"]
TYPES = ("f64", "f32", "f16", "bf16", "iu8", "iu4", "fp8_fp8", "fp8_bf8", "bf8_fp8", "bf8_bf8", "f8f6f4", "f4")
NOT_THERE = ("invalid instruction", "instruction not supported")
COUNTS = (1, 2, 4, 6, 8, 12, 16)
F8 = "v_wmma_f32_16x16x128_f8f6f4"
SCALED = "v_wmma_scale_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[0:7], v40, v41"
SCALED16 = "v_wmma_scale16_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[0:7], v[40:41], v[42:43]"
INTEGER = "v_wmma_i32_16x16x64_iu8 v[16:23], v[0:7], v[8:15], v[16:23]"
SIGNS = """declare <8 x i32> @llvm.amdgcn.wmma.i32.16x16x64.iu8.v8i32.v8i32(i1, <8 x i32>, i1, <8 x i32>, <8 x i32>, i1, i1)
define <8 x i32> @k(<8 x i32> %a, <8 x i32> %b, <8 x i32> %c) {{
 %r = call <8 x i32> @llvm.amdgcn.wmma.i32.16x16x64.iu8.v8i32.v8i32(i1 {0}, <8 x i32> %a, i1 {1}, <8 x i32> %b, <8 x i32> %c, i1 0, i1 0)
 ret <8 x i32> %r
}}
"""
WIDE = "v_wmma_scale_f32_32x16x128_f4 v[0:15], v[16:31], v[32:39], v[0:15], v40, v41"


def ask(tools, target, lines):
    """Return for each line whether the assembler takes it."""
    return [taken(answer) for answer in tools.clang.assemble(target, lines)]


def candidates():
    """Return every mnemonic that the parts of the known ones can be put together to."""
    return [
        f"{start}{result}_{shape}_{kind}"
        for start in PREFIXES
        for result in RESULTS
        for shape in SHAPES
        for kind in TYPES
    ]


def known(tools, target, names):
    """Return those names of which the assembler says something else than that the target has no such instruction."""
    answers = tools.clang.assemble(target, [name + " v0, v0, v0, v0" for name in names])
    return [
        name
        for name, answer in zip(names, answers)
        if taken(answer) or not any(text in answer.diagnostic for text in NOT_THERE)
    ]


def span(first, count):
    """Return a register tuple as the assembler writes it."""
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def line(name, a, b, d, beside=0, c=None):
    """Return one instruction with operands of these widths; beside: of the index or of each scale."""
    text = f"{name} {span(0, d)}, {span(32, a)}, {span(64, b)}, "
    if name.startswith("v_swmmac"):
        return text + span(96, beside)
    text += span(128, d if c is None else c)
    return text + (f", {span(96, beside)}, {span(104, beside)}" if beside else "")


def has_beside(name):
    """Return whether an instruction has an index or scales."""
    return name.startswith("v_swmmac") or "_scale" in name


def written(name, counts):
    """Return an instruction with these widths; C is FP32 where the mnemonic says so."""
    return line(name, *counts, c=8 if "wmma_bf16f32" in name else None)


def widths(tools, target, names):
    """Return {name: [A, B, D] or [A, B, D, index or scale]} of the widths that the assembler takes.

    C is as wide as D, or of eight registers where the mnemonic names an FP32 accumulator.
    """
    tries = []
    for name in names:
        for a in COUNTS:
            for b in (a, 2 * a, a // 2):
                for d in (4, 8, 16) if b else ():
                    tries += [(name, [a, b, d, n]) for n in (1, 2)] if has_beside(name) else [(name, [a, b, d])]
    found = {}
    for (name, counts), good in zip(tries, ask(tools, target, [written(*pair) for pair in tries])):
        if good:
            found.setdefault(name, []).append(counts)
    return {name: counts[0] if len(counts) == 1 else counts for name, counts in found.items()}


class Registers(Check):
    """Which matrix instructions the assembler knows for gfx1250, and with how many registers an operand.

    Shows: every mnemonic put together of known parts, and every width tried; operands of f8f6f4 without format modifiers.
    Does not show: which element lies where, nor what hardware accepts.
    """

    claim = "WMMA-001"
    kind = "compiler"
    witness = "clang"
    binds = ("instructions", "refused", "registers")

    def observe(self, target, tools):
        tried = candidates()
        found = known(tools, target, tried)
        return {
            "instructions": len(found),
            "refused": len(tried) - len(found),
            "registers": widths(tools, target, found),
        }


class Gate(Check):
    """How many of the mnemonics each target has, whether any is of double precision, and an MFMA for contrast.

    Shows: clang's gate.
    Does not show: hardware, nor newer compilers.
    """

    claim = "WMMA-002"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "mfma", "f64")

    def observe(self, target, tools):
        here = known(tools, target, candidates())
        mfma = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]"
        double = any("_f64" in name for name in here)
        return {"accepted": len(here), "mfma": ask(tools, target, [mfma])[0], "f64": double}


class Neighbour(Check):
    """Which of the mnemonics the neighbour gfx1251 has more or less than gfx1250, and whether widths are the same.

    Shows: clang's gate and widths.
    Does not show: hardware, nor newer compilers.
    """

    claim = "WMMA-002"
    kind = "compiler"
    witness = "clang"
    targets = ("gfx1250",)
    binds = ("neighbour",)

    def observe(self, target, tools):
        names = candidates()
        here, there = known(tools, target, names), known(tools, "gfx1251", names)
        both = [name for name in here if name in there]
        same = widths(tools, target, both) == widths(tools, "gfx1251", both)
        return {
            "neighbour": {
                "shared": len(both),
                "only_here": len(here) - len(both),
                "only_there": len(there) - len(both),
                "same_registers": same,
                "other_registers": not same,
            }
        }


class FormatRegisters(Check):
    """The registers that go with each format code of A in the f8f6f4 instruction, and how many codes are taken.

    Shows: the assembler's widths.
    Does not show: hardware.
    """

    claim = "WMMA-008"
    kind = "compiler"
    witness = "clang"
    binds = ("registers_by_code", "codes")

    def observe(self, target, tools):
        found = []
        for code in range(8):
            lines = [f"{F8} v[0:7], {span(32, n)}, v[64:79], v[0:7] matrix_a_fmt:{code}" for n in COUNTS]
            good = [n for n, taken in zip(COUNTS, ask(tools, target, lines)) if taken]
            if len(good) == 1:
                found.append(good[0])
        return {"registers_by_code": found, "codes": len(found)}


class IndexKeys(Check):
    """How many values of index_key the assembler takes for SWMMAC instructions, and with how many index registers.

    Shows: the assembler's limits, by trying 0 to 7.
    Does not show: what the key does where the index fills its registers.
    """

    claim = "WMMA-010"
    kind = "compiler"
    witness = "clang"
    binds = ("keys", "index_registers")

    def observe(self, target, tools):
        keys, counts = {}, {}
        forms = {
            "v_swmmac_f32_16x16x32_f16": (4, 8, 8),
            "v_swmmac_f32_16x16x64_f16": (8, 16, 8),
            "v_swmmac_f32_16x16x128_fp8_fp8": (8, 16, 8),
            "v_swmmac_i32_16x16x64_iu4": (2, 4, 8),
        }
        for name, form in forms.items():
            counts[name] = [n for n in (1, 2, 4) if ask(tools, target, [line(name, *form, n)])[0]][0]
            text = line(name, *form, counts[name])
            # A key of zero is not printed and need not be written: the plain form counts as one.
            keys[name] = sum(ask(tools, target, [text] + [f"{text} index_key:{key}" for key in range(1, 8)]))
        return {"keys": keys, "index_registers": counts}


class ScaleRows(Check):
    """How many rows of scales the assembler lets one select for A and for B, and how wide a scale operand is.

    Shows: the assembler's names ROW0, ROW1, ... and operand widths.
    Does not show: which lanes a device reads.
    """

    claim = "WMMA-013"
    kind = "compiler"
    witness = "clang"
    binds = ("selectable", "bytes_per_lane")

    def observe(self, target, tools):
        rows = {}
        for side in ("a", "b"):
            rows[side] = sum(
                ask(tools, target, [f"{SCALED} matrix_{side}_scale:MATRIX_SCALE_ROW{n}" for n in range(4)])
            )
        size = {}
        for word in ("scale", "scale16"):
            name = f"v_wmma_{word}_f32_16x16x128_f8f6f4"
            size[word] = [4 * n for n in (1, 2, 4) if ask(tools, target, [line(name, 16, 16, 8, n)])[0]][0]
        return {"selectable": rows, "bytes_per_lane": size}


class RowOfWide(Check):
    """Whether the assembler takes ROW1 and ROW2 for the thirty-two rows of the FP4 form.

    Shows: what clang's assembler lets pass.
    Does not show: what it does.
    """

    claim = "WMMA-014"
    kind = "compiler"
    witness = "clang"
    position = "ignored"
    binds = ("assembler_takes",)

    def observe(self, target, tools):
        row1, row2 = ask(tools, target, [f"{WIDE} matrix_a_scale:MATRIX_SCALE_ROW{n}" for n in (1, 2)])
        return {"assembler_takes": {"row1": row1, "row2": row2}}


class RowOfWideToo(RowOfWide):
    """The same under the other position, which shares what the assembler says.

    Shows: what clang's assembler lets pass.
    Does not show: what it does.
    """

    position = "reserved"


class ScaleSixteenOperand(Check):
    """How many bits of scales a lane gives to a scale16 instruction.

    Shows: the operand's width in the assembler: room for eight bytes.
    Does not show: how the bits are cut.
    """

    claim = "WMMA-015"
    kind = "compiler"
    witness = "clang"
    position = "one-byte"
    binds = ("operand_bits",)

    def observe(self, target, tools):
        name = "v_wmma_scale16_f32_16x16x128_f8f6f4"
        return {"operand_bits": [32 * n for n in (1, 2, 4) if ask(tools, target, [line(name, 16, 16, 8, n)])[0]][0]}


class ScaleSixteenOperandToo(ScaleSixteenOperand):
    """The same width under the other position.

    Shows: the operand's width in the assembler.
    Does not show: how the bits are cut.
    """

    position = "two-bytes"


class ScaleFormats(Check):
    """Which names and codes of scale formats the assembler takes, for both kinds of scaled instructions.

    Shows: the assembler's list.
    Does not show: which pairs of formats hardware multiplies.
    """

    claim = "WMMA-016"
    kind = "compiler"
    witness = "clang"
    binds = ("taken", "codes")

    def observe(self, target, tools):
        names = ("E8", "E5M3", "E4M3", "E5M2", "E2M1")
        taken, codes = {}, {}
        for word, text in (("scale", SCALED), ("scale16", SCALED16)):
            answers = ask(tools, target, [f"{text} matrix_a_scale_fmt:MATRIX_SCALE_FMT_{name}" for name in names])
            taken[word] = dict(zip([name.lower() for name in names], answers))
            codes[word] = sum(ask(tools, target, [f"{text} matrix_b_scale_fmt:{code}" for code in range(4)]))
        return {"taken": taken, "codes": codes}


class MixedAccumulator(Check):
    """Registers of C and of D where the mnemonic names BF16 results of an FP32 accumulator.

    Shows: the assembler's widths; for SWMMAC C and D are one operand.
    Does not show: how results are rounded.
    """

    claim = "WMMA-019"
    kind = "compiler"
    witness = "clang"
    binds = ("wmma", "swmmac")

    def observe(self, target, tools):
        found = []
        for c in (4, 8):
            for d in (4, 8):
                if ask(tools, target, [line("v_wmma_bf16f32_16x16x32_bf16", 8, 8, d, c=c)])[0]:
                    found.append({"c": c, "d": d})
        sparse = [d for d in (4, 8) if ask(tools, target, [line("v_swmmac_bf16f32_16x16x64_bf16", 8, 16, d, 1)])[0]]
        if len(found) != 1 or len(sparse) != 1:
            raise CannotTell(f"{found} and {sparse}")
        return {"wmma": found[0], "swmmac": {"d": sparse[0]}}


class IndexKeyBit(Check):
    """A long SWMMAC with a key of zero and of one.

    Shows: which bit of the word the key is.
    Does not show: what hardware makes of it.
    """

    claim = "WMMA-010"
    kind = "compiler"
    witness = "clang"
    binds = ("key_bit",)

    def observe(self, target, tools):
        line = "v_swmmac_f32_16x16x64_f16 v[24:31], v[0:7], v[8:23], v32 index_key:{}"
        words = [int.from_bytes(answer.bytes or b"", "little") for answer in tools.clang.assemble(target, [line.format(0), line.format(1)])]
        bits = [bit for bit in range(64) if (words[0] ^ words[1]) >> bit & 1]
        if len(bits) != 1:
            raise CannotTell(f"bits {bits}")
        return {"key_bit": bits[0]}


class SignsOfIntegers(Check):
    """An integer product with each place of neg_lo, with neg_hi and clamp, assembled; LLVM's intrinsic with its flags, compiled.

    Shows: which bits neg_lo sets, and which flags of the intrinsic set it.
    Does not show: that the bits mean a sign; that is the manual's.
    """

    claim = "WMMA-084"
    kind = "compiler"
    witness = "clang"
    binds = ("sign_bits", "taken", "neg_lo_of_intrinsic")

    def observe(self, target, tools):
        ends = {"neg_lo_a_b": "neg_lo:[1,1,0]", "neg_lo_c": "neg_lo:[0,0,1]", "neg_hi": "neg_hi:[1,0,0]", "clamp": "clamp"}
        answers = tools.clang.assemble(target, [f"{INTEGER} {end}" for end in ends.values()])
        flags = {"none": (0, 0), "a": (1, 0), "b": (0, 1), "both": (1, 1)}
        return {
            "sign_bits": {"a": self._bit(tools, target, "neg_lo:[1,0,0]"), "b": self._bit(tools, target, "neg_lo:[0,1,0]")},
            "taken": {name: verdict(answer) for name, answer in zip(ends, answers, strict=True)},
            "neg_lo_of_intrinsic": {name: self._written(tools, target, *pair) for name, pair in flags.items()},
        }

    def _bit(self, tools, target, end):
        pair = tools.clang.assemble(target, [INTEGER, f"{INTEGER} {end}"])
        if not all(taken(answer) for answer in pair):
            raise CannotTell("the product is not assembled")
        differs = int.from_bytes(pair[0].bytes, "little") ^ int.from_bytes(pair[1].bytes, "little")
        return [bit for bit in range(64) if differs >> bit & 1].pop()

    def _written(self, tools, target, a, b):
        lines = [line for line in instructions(tools.clang.compile_ir(target, SIGNS.format(a, b))) if line.startswith("v_wmma")]
        if len(lines) != 1:
            raise CannotTell(f"{len(lines)} products")
        found = re.search(r"neg_lo:\[([\d,]+)\]", lines[0])
        return [int(item) for item in found[1].split(",")] if found else [0, 0, 0]
