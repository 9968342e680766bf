# SPDX-License-Identifier: Apache-2.0
"""The name gfx1250-strict, the slots behind integer products, and the low bits of wait operands, asked of compilers."""

import re

from cdna.wmma.opcodes import mnemonics
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly
from cdna_evidence.checks.pairs import slots
from cdna_evidence.witnesses import wmma_pairs

STRICT = "gfx1250-strict"
WIDE = {
    "v_wmma_f32_32x16x128_f4": "v[0:15], v[16:31], v[32:39], v[0:15]",
    "v_wmma_scale_f32_32x16x128_f4": "v[0:15], v[16:31], v[32:39], v[0:15], v40, v41",
    "v_wmma_scale16_f32_32x16x128_f4": "v[0:15], v[16:31], v[32:39], v[0:15], v[40:41], v[42:43]",
}
OTHERS = {
    "v_wmma_f32_16x16x32_f16": "v[0:7], v[8:15], v[16:23], v[0:7]",
    "v_wmma_f32_16x16x4_f32": "v[0:7], v[8:9], v[10:11], v[0:7]",
    "v_swmmac_f32_16x16x64_f16": "v[0:7], v[8:15], v[16:31], v32",
    "tensor_load_to_lds": "s[0:3], s[4:11]",
    "cluster_load_b32": "v1, v[2:3], off",
}
NOT_THERE = ("invalid instruction", "instruction not supported")
# Products after which the manual asks for three slots.
THREE = ("fp8_k128", "f8_f8", "f8_f4", "f6_f6", "f6_f4", "f4_32x16")
ACCESSES = {
    "sc0": "global_load_dwordx4 v[0:3], v[4:5], off sc0",
    "sc1": "global_load_dwordx4 v[0:3], v[4:5], off sc1",
    "nt": "global_load_dwordx4 v[0:3], v[4:5], off nt",
    "scope": "global_load_dwordx4 v[0:3], v[4:5], off scope:SCOPE_DEV",
    "th": "global_load_dwordx4 v[0:3], v[4:5], off th:TH_LOAD_NT",
    "buffer_inv": "buffer_inv sc1",
    "buffer_wbl2": "buffer_wbl2 sc1",
    "global_inv": "global_inv scope:SCOPE_DEV",
    "global_wb": "global_wb scope:SCOPE_DEV",
    "old_name": "global_load_dwordx4 v[0:3], v[4:5], off",
    "new_name": "global_load_b128 v[0:3], v[4:5], off",
    "zero_offset": "buffer_load_dword v0, v4, s[0:3], 0 offen",
    "null_offset": "buffer_load_dword v0, v4, s[0:3], null offen",
}
FENCE = """define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %v) {{
 store i32 %v, ptr addrspace(1) %p
 fence syncscope("agent") {0}
 %x = load i32, ptr addrspace(1) %p
 store i32 %x, ptr addrspace(1) %p
 ret void
}}
"""
FEATURE = 'attributes #0 = { "target-features"="+wmma-n16-insts" }\n'
READS = {
    "f16": ("<16 x half>", "<8 x float>", "float", "llvm.amdgcn.wmma.f32.16x16x32.f16.v8f32.v16f16", "i1 0, {t} %a, i1 0, {t} %b, i16 0, {c} %c, i1 0, i1 0"),
    "fp8": ("<8 x i32>", "<8 x float>", "float", "llvm.amdgcn.wmma.f32.16x16x64.fp8.fp8.v8f32.v8i32", "{t} %a, {t} %b, i16 0, {c} %c, i1 0, i1 0"),
    "iu8": ("<8 x i32>", "<8 x i32>", "i32", "llvm.amdgcn.wmma.i32.16x16x64.iu8.v8i32.v8i32", "i1 0, {t} %a, i1 0, {t} %b, {c} %c, i1 0, i1 0"),
}  # fmt: skip


def verdict(answer):
    """Return accept or reject; a processor that is not known is a refusal too."""
    if answer.outcome == "unknown-target":
        return "reject"
    if answer.accepted is None:
        raise CannotTell(answer.outcome)
    return "accept" if answer.accepted else "reject"


def verdicts(witness, target, lines):
    """Return {mnemonic: accept or reject} for {mnemonic: operands}."""
    answers = witness.assemble(target, [f"{name} {rest}" for name, rest in lines.items()])
    return {name: verdict(answer) for name, answer in zip(lines, answers, strict=True)}


def slots_before_read(witness, target, kind, feature=""):
    """Return the V_NOPs between a product and a vector addition that reads its result."""
    types, result, element, name, arguments = READS[kind]
    given = arguments.format(t=types, c=result)
    add = "fadd float %e, 1.0" if element == "float" else "add i32 %e, 1"
    declared = re.sub(r" (%\w|\d)\b", "", given)
    text = (
        f"declare {result} @{name}({declared})\n"
        f"define {element} @k({types} %a, {types} %b, {result} %c) {'#0 ' if feature else ''}{{\n"
        f" %r = call {result} @{name}({given})\n %e = extractelement {result} %r, i32 0\n %q = {add}\n ret {element} %q\n}}\n"
    )
    code = assembly(witness.compile_ir(target, text + feature))
    lines = [line.strip() for line in code.splitlines() if re.match(r"\s+v_", line)]
    start = next((i for i, line in enumerate(lines) if line.startswith("v_wmma")), None)
    stop = None if start is None else next((i for i in range(start + 1, len(lines)) if "_add_" in lines[i]), None)
    if stop is None or set(lines[start + 1 : stop]) - {"v_nop"}:
        raise CannotTell(f"the pair is not as written: {lines[:12]}")
    return stop - start - 1


class StrictKnown(Check):
    """`v_nop` assembled for gfx1250-strict by three compilers.

    Shows: which of them know the name.
    Does not show: that it is fit to be used.
    """

    claim = "GFX-004"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("known",)

    def observe(self, target, tools):
        found = {}
        for name in ("clang", "rocm-llvm-c", "triton-llvm"):
            found[name.replace("-", "_")] = verdicts(tools.witness(name), STRICT, {"v_nop": ""})["v_nop"]
        return {"known": found}


class StrictRefuses(Check):
    """The wide FP4 products and five other instructions for gfx1250-strict, the wide ones for gfx1250 too, and all products by name.

    Shows: what the assembler in the triton wheel takes.
    Does not show: what A0 has.
    """

    claim = "GFX-004"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("wide_fp4", "wide_fp4_of_gfx1250", "others", "products")

    def observe(self, target, tools):
        newer = tools.witness("triton-llvm")
        return {
            "wide_fp4": verdicts(newer, STRICT, WIDE),
            "wide_fp4_of_gfx1250": verdicts(newer, target, WIDE),
            "others": verdicts(newer, STRICT, OTHERS),
            "products": {"gfx1250": self._there(newer, target), "strict": self._there(newer, STRICT)},
        }

    def _there(self, witness, target):
        answers = witness.assemble(target, [name + " v0, v0, v0, v0" for name in mnemonics()])
        return sum(answer.accepted or not any(text in answer.diagnostic for text in NOT_THERE) for answer in answers)


class StrictSlots(Check):
    """Two products read by a vector addition for gfx1250-strict, with the feature that the name lacks there forced on.

    Shows: V_NOPs of LLVM 24.
    Does not show: what A0 needs.
    """

    claim = "GFX-004"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("slots_when_forced",)

    def observe(self, target, tools):
        newer = tools.witness("triton-llvm")
        return {"slots_when_forced": {kind: slots_before_read(newer, STRICT, kind, FEATURE) for kind in ("f16", "fp8")}}


class IntegerSlots(Check):
    """The integer product and the FP16 one read by a vector addition, through clang; and how many times longer the first is.

    Shows: V_NOPs, and the cycles that follow from eight for FP16.
    Does not show: hardware.
    """

    claim = "GFX-009"
    kind = "compiler"
    position = "sixteen-cycles"
    witness = "clang"
    binds = ("cycles", "slots", "slots_f16")

    def observe(self, target, tools):
        slots, half = [slots_before_read(self._compiler(tools), target, kind) for kind in ("iu8", "f16")]
        return {"slots": slots, "slots_f16": half, "cycles": 8 * slots // half}

    def _compiler(self, tools):
        return tools.clang


class IntegerSlotsLater(IntegerSlots):
    """The same through the code generator of the triton wheel.

    Shows: V_NOPs of LLVM 24.
    Does not show: hardware.
    """

    witness = "triton-llvm"

    def _compiler(self, tools):
        return tools.witness("triton-llvm")


class ManualSlots(Check):
    """Fourteen products through the code generator of the triton wheel, each read by a vector addition; eight of them as A too.

    Shows: that LLVM 24 leaves what the manual asks for, or one more.
    Does not show: the manual's text, or what hardware needs.
    """

    claim = "GFX-011"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("vector", "matrix", "triton_llvm_where_three")

    def observe(self, target, tools):
        exact = {kind: op for kind, op in wmma_pairs.CLASSES.items() if kind not in THREE}
        asked = {
            "vector": {kind: (op, "valu", "read") for kind, op in exact.items()},
            "matrix": {kind: (op, wmma_pairs.F16, "ab") for kind, op in exact.items()},
            "triton_llvm_where_three": {kind: (wmma_pairs.CLASSES[kind], "valu", "read") for kind in THREE},
        }
        return slots(tools.witness(self.witness), target, asked)


class LowBits(Check):
    """Waits with counts beyond the range, assembled; of the operand in the word the low six bits, for kmcnt the low five.

    Shows: what the field that the manual compares holds.
    Does not show: a device.
    """

    claim = "GFX-008"
    kind = "compiler"
    position = "low-bits"
    witness = "clang"
    binds = ("acts_like",)
    width = {"kmcnt": 5}
    otherwise = 6
    counts = ("loadcnt_64", "loadcnt_65", "storecnt_64", "dscnt_64", "asynccnt_64", "tensorcnt_64", "xcnt_64", "kmcnt_32", "kmcnt_33")

    def observe(self, target, tools):
        asked = [name.split("_") for name in self.counts]
        answers = tools.clang.assemble(target, [f"s_wait_{counter} {count}" for counter, count in asked])
        found = {}
        for name, (counter, _), answer in zip(self.counts, asked, answers, strict=True):
            if not answer.accepted:
                raise CannotTell(f"{name}: {answer.diagnostic[:120]}")
            bits = self.width.get(counter, self.otherwise)
            found[name] = int.from_bytes(answer.bytes[:2], "little") & (1 << bits) - 1
        return {"acts_like": found}


class WholeOperand(LowBits):
    """The same with all sixteen bits of the operand.

    Shows: what an emulator hands on.
    Does not show: a device, or what the emulator makes of it.
    """

    position = "whole-operand"
    width = {}
    otherwise = 16
    counts = ("loadcnt_64", "kmcnt_32")


class ReuseFlags(Check):
    """A product with each reuse flag, behind the same product and behind another; and a flag that does not exist.

    Shows: that the assembler does not look at the instruction before, and where the flags stand.
    Does not show: what a wrong flag does.
    """

    claim = "GFX-012"
    kind = "compiler"
    witness = "clang"
    binds = ("taken", "bit")

    def observe(self, target, tools):
        line = "v_wmma_f32_16x16x32_f16 v[24:31], v[0:7], v[8:15], v[24:31]"
        other = "v_wmma_f32_16x16x32_bf16 v[24:31], v[0:7], v[8:15], v[24:31]"
        asked = [line, f"{line} matrix_a_reuse", f"{line} matrix_b_reuse", other, f"{line} matrix_a_reuse", f"{line} matrix_c_reuse"]
        answers = tools.clang.assemble(target, asked)
        words = [int.from_bytes(answer.bytes or b"", "little") for answer in answers]
        bits = {side: (words[at] ^ words[0]).bit_length() - 1 for side, at in (("a", 1), ("b", 2))}
        if any(words[at] != words[0] | 1 << bits[side] for side, at in (("a", 1), ("b", 2))):
            raise CannotTell("a flag moves more than one bit")
        return {
            "taken": {"behind_the_same": verdict(answers[1]), "behind_another": verdict(answers[4]), "not_a_flag": verdict(answers[5])},
            "bit": bits,
        }


class CodePadding(Check):
    """What stands behind the code of an empty kernel.

    Shows: how many bytes of s_code_end clang writes.
    Does not show: how far the hardware fetches.
    """

    claim = "GFX-014"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_bytes",)

    def observe(self, target, tools):
        done = tools.clang.compile_ir(target, "define amdgpu_kernel void @k() {\n ret void\n}\n")
        code = int.from_bytes(tools.clang.assemble(target, ["s_code_end"])[0].bytes, "little")
        found = re.search(r"\.fill (\d+), (\d+), (\d+)", done.assembly)
        if not found or int(found.group(3)) != code:
            raise CannotTell("no padding found")
        return {"clang_bytes": int(found.group(1)) * int(found.group(2))}


class MemoryModifiers(Check):
    """Modifiers, names and cache instructions one line each, and a fence over the device compiled.

    Shows: what clang 22 takes for a target, and what a fence becomes.
    Does not show: what a cache does.
    """

    claim = "GFX-015"
    kind = "compiler"
    witness = "clang"
    binds = ("taken", "fence")

    def observe(self, target, tools):
        answers = tools.clang.assemble(target, list(ACCESSES.values()))
        taken = {name: verdict(answer) for name, answer in zip(ACCESSES, answers, strict=True)}
        return {"taken": taken, "fence": {order: self._cache(target, tools, order) for order in ("acquire", "release")}}

    def _cache(self, target, tools, order):
        lines = assembly(tools.clang.compile_ir(target, FENCE.format(order))).splitlines()
        found = [line.split() for line in lines if re.match(r"\s+(buffer|global)_(inv|wb)", line)]
        if len(found) != 1:
            raise CannotTell(f"{len(found)} cache instructions")
        return found[0]


DOT = "v_dot4_i32_{0} v0, v1, v2, v3"


class DotNames(Check):
    """The signed dot product of the older targets and the one with flags, assembled.

    Shows: which of the two names clang 22 takes for a target.
    Does not show: what hardware multiplies.
    """

    claim = "GFX-016"
    kind = "compiler"
    witness = "clang"
    binds = ("taken",)

    def observe(self, target, tools):
        names = ("i8", "iu8")
        answers = tools.clang.assemble(target, [DOT.format(name) for name in names])
        return {"taken": {"v_dot4_i32_" + name: verdict(answer) for name, answer in zip(names, answers, strict=True)}}


class DotSigns(Check):
    """The bytes of the old name, of the new one, and of the new one with flags.

    Shows: which of the other two the old name is.
    Does not show: that the flags mean a sign; that is the manual's.
    """

    claim = "GFX-016"
    kind = "compiler"
    witness = "clang"
    binds = ("as_unsigned", "as_signed")
    targets = ("gfx1250",)

    def observe(self, target, tools):
        lines = [DOT.format("i8"), DOT.format("iu8"), DOT.format("iu8") + " neg_lo:[1,1,0]"]
        answers = tools.clang.assemble(target, lines)
        if any(verdict(answer) == "reject" for answer in answers):
            raise CannotTell("one of the three is not assembled")
        old, plain, flagged = (answer.bytes for answer in answers)
        return {"as_unsigned": old == plain, "as_signed": old == flagged}
