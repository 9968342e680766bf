# SPDX-License-Identifier: Apache-2.0
"""Matrix instructions asked of clang: which a target has, how wide their operands are, and what the builtins take."""

import re

from cdna.mfma.opcodes import opcodes
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import taken

TARGETS = ("gfx942", "gfx950")
TYPES = "\n".join(
    [f"typedef _Float16 h{n} __attribute__((ext_vector_type({n})));" for n in (2, 4, 8, 16)]
    + [f"typedef float f{n} __attribute__((ext_vector_type({n})));" for n in (2, 4, 8, 16)]
    + ["typedef short s4 __attribute__((ext_vector_type(4)));"]
    + [f"typedef int i{n} __attribute__((ext_vector_type({n})));" for n in (2, 3, 4, 6, 8)]
)
# Builtin: (types of A, B and C, further arguments, result), where n stands for the length under test.
BUILTINS = {
    "f16": ("mfma_f32_16x16x16f16", "h", "0, 0, 0"),
    "wide_f16": ("mfma_f32_16x16x32_f16", "h", "0, 0, 0"),
    "scaled": ("mfma_scale_f32_16x16x128_f8f6f4", "i", "0, 0, 0, s, 0, s"),
}
TRANSPOSING = {
    "tr4": ("ds_read_tr4_b64_v2i32", "i2"),
    "tr6": ("ds_read_tr6_b96_v3i32", "i3"),
    "tr8": ("ds_read_tr8_b64_v2i32", "i2"),
    "tr16": ("ds_read_tr16_b64_v4i16", "s4"),
}


def names():
    """Return every mnemonic to try: the union of both targets' lists of the model."""
    found = []
    for target in TARGETS:
        found += [op.mnemonic for op in opcodes(target) if op.mnemonic not in found]
    return found


def span(first, count):
    """Return a register tuple as the assembler writes it."""
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"


def line(name, a, b, d):
    """Return one instruction with operands of these widths, other operands as small as they can be."""
    middle = f"{name} {span(0, d)}, {span(64, a)}, {span(96, b)}, "
    if name.startswith("v_smfmac"):
        return middle + "v128"
    if name.startswith("v_mfma_scale"):
        return middle + f"{span(0, d)}, v128, v129"
    return middle + span(0, d)


def tries(name):
    """Return the operand widths (A, B, D) to try for an instruction."""
    if name.endswith("f8f6f4"):
        return [(a, a, d) for a in (4, 6, 7, 8) for d in (4, 16)]
    if name.startswith("v_smfmac"):
        return [(a, b, d) for a in (2, 4) for b in (2, 4, 8) for d in (4, 16)]
    return [(a, a, d) for a in (1, 2, 4) for d in (2, 4, 8, 16, 32)]


class OperandWidths(Check):
    """Which matrix instructions the assembler takes for a target, and with how many registers for A, B and D.

    Shows: the gate and the operand widths of clang's assembler, found by trying widths; FP8 operands of f8f6f4.
    Does not show: which element lies where, nor what hardware accepts.
    """

    claim = "MFMA-054"
    kind = "compiler"
    witness = "clang"
    binds = ("instructions", "refused", "registers")

    def observe(self, target, tools):
        listed = names()
        lines = [(name, widths, line(name, *widths)) for name in listed for widths in tries(name)]
        found = {}
        for (name, widths, _), answer in zip(lines, tools.clang.assemble(target, [text for *_, text in lines])):
            if taken(answer):
                found.setdefault(name, []).append(list(widths))
        one = {name: widths[0] if len(widths) == 1 else widths for name, widths in found.items()}
        # Without format modifiers an f8f6f4 operand is FP8: its widest form is the one that counts.
        return {"instructions": len(found), "refused": len(listed) - len(found), "registers": one}


class FormatWidths(Check):
    """The operand registers that go with each format of f8f6f4, by format code, and that other widths are refused.

    Shows: the assembler's widths.
    Does not show: hardware.
    """

    claim = "MFMA-056"
    kind = "compiler"
    witness = "clang"
    targets = ("gfx950",)
    binds = ("registers_by_code",)

    def observe(self, target, tools):
        found = []
        for code in range(8):
            lines = [
                f"v_mfma_f32_16x16x128_f8f6f4 v[0:3], {span(64, width)}, v[96:103], v[0:3] cbsz:{code}"
                for width in (4, 6, 8)
            ]
            good = [width for width, answer in zip((4, 6, 8), tools.clang.assemble(target, lines)) if taken(answer)]
            if len(good) == 1:
                found.append(good[0])
        return {"registers_by_code": found}


class LaneModifierAccepted(Check):
    """Whether the assembler takes blgp on a dense instruction of one block and on an f64 one, neg there, and a fourth bit.

    Shows: what clang's assembler lets pass.
    Does not show: that the field does anything there.
    """

    claim = "MFMA-056"
    kind = "compiler"
    witness = "clang"
    binds = ("assembler_takes_blgp",)

    def observe(self, target, tools):
        lines = {
            "f16_one_block": "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] blgp:1",
            "f64_as_blgp": "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] blgp:1",
            "f64_as_neg": "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7] neg:[1,0,0]",
            "four_bits": "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3] blgp:8",
        }
        answers = tools.clang.assemble(target, list(lines.values()))
        return {"assembler_takes_blgp": {name: taken(answer) for name, answer in zip(lines, answers)}}


def compiled(tools, target, body):
    """Return whether a C function with this body compiles."""
    return tools.clang.compile_c(target, TYPES + "\n" + body)


def widths_of(tools, target, name):
    """Return the vector lengths of A and of C that a builtin takes, or None where the target refuses all."""
    builtin, kind, rest = BUILTINS[name]
    found = {}
    for c in (4, 8, 16):
        for n in (2, 4, 8, 16) if kind == "h" else (4, 6, 8):
            if kind == "i" and n == 6:
                continue
            body = f"f{c} k({kind}{n} a, {kind}{n} b, f{c} c, int s) {{ return __builtin_amdgcn_{builtin}(a, b, c, {rest}); }}"
            if taken(compiled(tools, target, body)):
                found = {"a": n, "b": n, "c": c}
    return found


class BuiltinSignatures(Check):
    """The vector lengths that clang's builtins take, that their modifiers must be constants, and what a target refuses.

    Shows: clang's own signatures, found by compiling with several lengths.
    Does not show: what the instructions do, nor the signatures of other compilers.
    """

    claim = "MFMA-003"
    kind = "compiler"
    witness = "clang"
    binds = ("f16", "wide_f16", "scaled", "transposing", "variable_modifier")

    def observe(self, target, tools):
        found = {}
        for name in BUILTINS:
            lengths = widths_of(tools, target, name)
            found[name] = dict(lengths, accepted=True) if lengths else {"accepted": False}
        loads = {}
        for name, (builtin, kind) in TRANSPOSING.items():
            body = f"{kind} k(__attribute__((address_space(3))) {kind} *p) {{ return __builtin_amdgcn_{builtin}(p); }}"
            loads[name] = taken(compiled(tools, target, body))
        found["transposing"] = loads
        body = "f4 k(h4 a, h4 b, f4 c, int s) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, s, 0, 0); }"
        found["variable_modifier"] = taken(compiled(tools, target, body))
        return found


class OperandCounts(Check):
    """How many registers clang gives A, B, C and D of the 16x16x16 FP16 builtin.

    Shows: operand counts of the compiled instruction; two FP16 values fit a register.
    Does not show: which value lies where.
    """

    claim = "MFMA-001"
    kind = "compiler"
    witness = "clang"
    binds = ("registers",)

    def observe(self, target, tools):
        body = "f4 k(h4 a, h4 b, f4 c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); }"
        done = compiled(tools, target, body)
        if not taken(done):
            raise CannotTell(done.diagnostic[:200])
        found = re.search(r"v_mfma_f32_16x16x16_f16 (\S+), (\S+), (\S+), (\S+)", done.assembly)
        if not found:
            raise CannotTell("no v_mfma_f32_16x16x16_f16 in the output")
        return {"registers": dict(zip(("D", "A", "B", "C"), [_width(text) for text in found.groups()]))}


def _width(text):
    """Return the number of registers of an operand text such as a[0:3]."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    return numbers[-1] - numbers[0] + 1


class ScaleOperands(Check):
    """A scaled product with each kind of scale assembled, and the intrinsic with constant and unknown scales compiled.

    Shows: what clang takes and makes.
    Does not show: what a device makes of a constant.
    """

    claim = "MFMA-082"
    kind = "compiler"
    witness = "clang"
    binds = ("taken", "made_of")
    IR = """
declare <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32>, <8 x i32>, <4 x float>, i32 immarg, i32 immarg, i32 immarg, i32, i32 immarg, i32)
define <4 x float> @k(<8 x i32> %a, <8 x i32> %b, <4 x float> %c, i32 %sa, i32 %sb) {
  %d = call <4 x float> @llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v8i32(<8 x i32> %a, <8 x i32> %b, <4 x float> %c, i32 0, i32 0, i32 0, i32 FIRST, i32 0, i32 SECOND)
  ret <4 x float> %d
}
"""

    def observe(self, target, tools):
        line = "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], v24, "
        kinds = {"vgpr": "v25", "constant": "9", "float_constant": "1.0", "sgpr": "s25"}
        answers = tools.clang.assemble(target, [line + scale for scale in kinds.values()])
        pairs = {"both_zero": "00", "one_zero": ("0", "127"), "both_one": ("127", "127"), "unknown": ("%sa", "%sb")}
        made = {}
        for name, (first, second) in pairs.items():
            done = tools.clang.compile_ir(target, self.IR.replace("FIRST", first).replace("SECOND", second))
            found = re.findall(r"v_mfma_\w+", done.assembly)
            if len(found) != 1:
                raise CannotTell(f"{name}: {done.outcome}, {len(found)} products")
            made[name] = found[0]
        return {
            "taken": {name: "accept" if taken(item) else "reject" for name, item in zip(kinds, answers, strict=True)},
            "made_of": made,
        }
