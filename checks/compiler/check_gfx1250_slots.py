# SPDX-License-Identifier: Apache-2.0
"""Slots of gfx1250 beyond single pairs: every product, forms of gfx12, loops, steppings, dual issue and tensor loads."""

import re

from cdna.wmma import hazards, opcodes
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly
from cdna_evidence.checks.pairs import slots
from cdna_evidence.witnesses import matrix, wmma_forms, wmma_mir, wmma_pairs

PRODUCT = "@llvm.amdgcn.wmma.f32.16x16x32.f16.v8f32.v16f16"
HEAD = f"declare <8 x float> {PRODUCT}(i1, <16 x half>, i1, <16 x half>, i16, <8 x float>, i1, i1)\n"
CALL = f"call <8 x float> {PRODUCT}(i1 0, <16 x half> %a, i1 0, <16 x half> %b, i16 0, <8 x float> %c, i1 0, i1 0)"
# A, B, C and D are asked for again behind the loop, so that nothing takes their registers in front of it.
LOOP = (
    HEAD
    + f"""define amdgpu_kernel void @k(i32 %n) {{
entry:
  %a = call <16 x half> asm sideeffect "", "={{v[0:7]}}"()
  %b = call <16 x half> asm sideeffect "", "={{v[16:23]}}"()
  %c = call <8 x float> asm sideeffect "", "={{v[32:39]}}"()
  %x = call float asm sideeffect "", "={{v250}}"()
  %d = {CALL}
  %e = extractelement <8 x float> %d, i32 3
  br label %loop
loop:
  %i = phi i32 [0, %entry], [%j, %loop]
  %s = phi float [%x, %entry], [%t, %loop]
  %t = fadd float %s, %e
  call void asm sideeffect "", "v"(float %t)
  %j = add i32 %i, 1
  %q = icmp slt i32 %j, %n
  br i1 %q, label %loop, label %out
out:
  call void asm sideeffect "", "{{v[0:7]}},{{v[16:23]}},{{v[32:39]}},{{v[64:71]}}"(<16 x half> %a, <16 x half> %b, <8 x float> %c, <8 x float> %d)
  ret void
}}
"""
)
# The scalar that the tensor load reads: computed right in front of it.
SCALARS = {"add": "%w = add i32 %x, 3", "mov": "%w = bitcast i32 77 to i32"}
TENSOR = """declare void @llvm.amdgcn.tensor.load.to.lds(<4 x i32>, <8 x i32>, <4 x i32>, <4 x i32>MORE_TYPE, i32 immarg)
define amdgpu_kernel void @k() {
  %g0 = call <4 x i32> asm sideeffect "", "={s[8:11]}"()
  %g1 = call <8 x i32> asm sideeffect "", "={s[16:23]}"()
  %x = call i32 asm sideeffect "", "={s30}"()
  SCALAR
  %h = insertelement <4 x i32> %g0, i32 %w, i64 1
  call void @llvm.amdgcn.tensor.load.to.lds(<4 x i32> %h, <8 x i32> %g1, <4 x i32> zeroinitializer, <4 x i32> zeroinitializerMORE, i32 0)
  ret void
}
"""
STEPPING = "-amdgpu-gfx1250-b0-specific"
EMPTY = "define amdgpu_kernel void @k() {\n  ret void\n}\n"


def code(witness, target, text):
    """Return the instructions and labels of a kernel's assembly. Raises: CannotTell: it was not compiled."""
    lines = [line.split(";")[0].strip() for line in assembly(witness.compile_ir(target, text)).partition("\nk:")[2].splitlines()]
    return [line for line in lines if line and (line.endswith(":") or not line.startswith("."))]


def place(lines, start, after=0):
    """Return where the first line begins so. Raises: CannotTell: none does."""
    found = next((i for i in range(after, len(lines)) if re.match(start, lines[i])), None)
    if found is None:
        raise CannotTell(f"no {start} in {lines[:20]}")
    return found


def older():
    """Return the mnemonics of the forms that gfx12 had."""
    return [name for name in opcodes.mnemonics() if wmma_forms.form(name).older]


class OlderForms(Check):
    """Every form of gfx12 as the first of a pair, and as A's reader behind an FP16 product.

    Shows: V_NOPs that LLVM's hazard pass adds to MIR.
    Does not show: what the hardware does with such a form, or whether it has it.
    """

    claim = "WMMA-075"
    kind = "compiler"
    witness = "llc"
    binds = ("forms", "slots")

    def observe(self, target, tools):
        names = older()
        asked = {
            "read": [(name, "valu", "read") for name in names],
            "overwritten": [(name, "valu", "waw") for name in names],
            "a_overwritten": [(name, "valu", "ab-war") for name in names],
            "next_a": [(name, wmma_pairs.F16, "ab") for name in names],
            "into_a": [(wmma_pairs.F16, name, "ab") for name in names],
        }
        found = {}
        for key, pairs in asked.items():
            told = slots(tools.witness("llc"), target, dict(enumerate(pairs)))
            if len(set(told.values())) != 1:
                raise CannotTell(f"{key}: the forms differ: {sorted(set(told.values()))}")
            found[key] = told[0]
        return {"forms": len(names), "slots": found}


class OlderFormsLater(Check):
    """Every form of gfx12, dense and sparse, through the assembler of the triton wheel; the long forms as control.

    Shows: what the assembler of LLVM 24 takes for the target.
    Does not show: hardware.
    """

    claim = "WMMA-075"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("llvm_24_takes",)

    def observe(self, target, tools):
        witness, found = tools.witness("triton-llvm"), {}
        for key, names in (
            ("dense", [name for name in older() if name.startswith("v_wmma")]),
            ("sparse", [name for name in older() if name.startswith("v_swmmac")]),
            ("long", [name for name in opcodes.mnemonics() if name not in older()]),
        ):
            answers = witness.assemble(target, [wmma_forms.example(name) for name in names])
            found[key] = {"asked": len(names), "taken": sum(answer.accepted is True for answer in answers)}
        return {"llvm_24_takes": found}


class EveryProduct(Check):
    """Every product that LLVM selects, with every pair of formats, as MIR beside the rule of the model.

    Shows: V_NOPs that LLVM's hazard pass adds, and how many pairs are as the rule says.
    Does not show: hardware.
    """

    claim = "WMMA-076"
    kind = "compiler"
    witness = "llc"
    binds = ("products", "read", "next_a", "llc")

    def observe(self, target, tools):
        asked = wmma_pairs.every(hazards.names())
        told = slots(tools.witness(self.witness), target, {key: dict(enumerate(pairs)) for key, pairs in asked.items()})
        found = {"products": len(asked["read"]), self.witness: _compared(asked, told)}
        for key in ("read", "next_a"):
            found[key] = _counted(told[key].values())
        return found


class EveryProductCompiled(EveryProduct):
    """The same pairs as LLVM IR.

    Shows: V_NOPs in clang's assembly, and how many pairs are as the rule says.
    Does not show: hardware.
    """

    witness = "clang"
    binds = ("products", "read", "next_a", "clang")


def _counted(counts):
    words = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    counts = list(counts)
    return {f"slots_{words[count]}": counts.count(count) for count in sorted(set(counts))}


def _compared(asked, told):
    """How many pairs were asked, and of how many the compiler's answer is that of the model's rule."""
    pairs = [(pair, told[key][i]) for key in asked for i, pair in enumerate(asked[key])]
    return {"asked": len(pairs), "as_the_rule": sum(_rule(*pair) == count for pair, count in pairs)}


def _rule(first, then, via):
    name, *formats = first.split()
    return hazards.waits(name, then.split()[0], via, *formats).slots


class LoopByClang(Check):
    """An FP16 product in front of a loop that reads its result: V_NOPs in front of the loop and inside.

    Shows: where clang 22 writes them.
    Does not show: hardware.
    """

    claim = "WMMA-079"
    kind = "compiler"
    witness = "clang"
    binds = ("llvm_22",)

    def observe(self, target, tools):
        lines = code(tools.witness(self.witness), target, LOOP)
        product = place(lines, "v_wmma")
        loop = place(lines, r"\.LBB", product)
        read = place(lines, "v_(dual_)?add_f32", loop)
        found = {"in_front": lines[product:loop].count("v_nop"), "inside": lines[loop:read].count("v_nop")}
        # A copy that stands between the two is a slot as well.
        found["copies"] = sum(line.startswith("v_mov") for line in lines[product:read])
        return {self.binds[0]: found}


class LoopByRocm(LoopByClang):
    """The same loop through the LLVM in AMD's wheel.

    Shows: where AMD's LLVM 23 writes them.
    Does not show: hardware.
    """

    witness = "rocm-llvm-c"
    binds = ("amd_llvm_23",)


class LoopByTriton(LoopByClang):
    """The same loop through the code generator of the triton wheel.

    Shows: where LLVM 24 writes them.
    Does not show: hardware.
    """

    witness = "triton-llvm"
    binds = ("llvm_24",)


class ScalarTensorMir(Check):
    """A scalar move and a scalar addition that write the descriptor of a tensor load right behind, as MIR.

    Shows: instructions that LLVM's hazard pass adds between the two.
    Does not show: what the hardware needs.
    """

    claim = "WMMA-080"
    kind = "compiler"
    witness = "llc"
    binds = ("added_by_llc",)

    def observe(self, target, tools):
        def sgpr(start, count):
            return matrix.registers(start, count, "sgpr")

        load = f"TENSOR_LOAD_TO_LDS {sgpr(8, 4)}, {sgpr(16, 8)}, {sgpr(24, 4)}, {sgpr(28, 4)}, 0, 0"
        load += ", implicit-def dead $tensorcnt, implicit $exec, implicit $tensorcnt"
        lines = {"mov": "$sgpr9 = S_MOV_B32 77", "add": "$sgpr9 = S_ADD_I32 $sgpr40, 3, implicit-def dead $scc"}
        text = "".join(matrix.function(name, [line, load]) for name, line in lines.items())
        # The same run on a pair that has slots shows that the pass ran.
        text += matrix.function("control", wmma_mir.asked(wmma_pairs.F16, "valu", "read"))
        code = assembly(tools.witness("llc").run_pass(target, text))
        found = {}
        for name in (*lines, "control"):
            body = code.partition(f"name:            {name}\n")[2].partition("body:")[2].partition("...")[0]
            found[name] = len(re.findall(r"^    \S", body, re.MULTILINE)) - 3
        return {"added_by_llc": found}


class ScalarTensorClang(Check):
    """The same two as LLVM IR, and what clang writes between them.

    Shows: what stands in the assembly: a hint for the scheduler of the hardware, or nothing.
    Does not show: what the hardware needs.
    """

    claim = "WMMA-080"
    kind = "compiler"
    witness = "clang"
    binds = ("llvm_22",)
    more = ("", "")

    def observe(self, target, tools):
        found = {}
        for name, scalar in SCALARS.items():
            text = TENSOR.replace("SCALAR", scalar).replace("MORE_TYPE", self.more[0]).replace("MORE", self.more[1])
            lines = code(tools.witness(self.witness), target, text)
            load = place(lines, "tensor_load_to_lds")
            write = max(i for i in range(load) if re.match(r"s_(add|mov)\w* s9,", lines[i]))
            words = [line.split()[0] for line in lines[write + 1 : load]]
            found[name] = {"hints": words.count("s_delay_alu"), "others": sum(word != "s_delay_alu" for word in words)}
        return {self.binds[0]: found}


class ScalarTensorRocm(ScalarTensorClang):
    """The same through the LLVM in AMD's wheel, whose intrinsic has one group more.

    Shows: what AMD's LLVM 23 writes between.
    Does not show: what the hardware needs.
    """

    witness = "rocm-llvm-c"
    binds = ("amd_llvm_23",)
    more = (", <8 x i32>", ", <8 x i32> zeroinitializer")


class ScalarTensorTriton(ScalarTensorRocm):
    """The same through the code generator of the triton wheel.

    Shows: what LLVM 24 writes between.
    Does not show: what the hardware needs.
    """

    witness = "triton-llvm"
    binds = ("llvm_24",)


class SteppingOption(Check):
    """Three products read by a vector addition, with AMD's option for the stepping on and off, and what the metadata says.

    Shows: V_NOPs of AMD's LLVM 23, and the revision that it writes into the code object.
    Does not show: what a stepping needs, or what later versions write.
    """

    claim = "WMMA-082"
    kind = "compiler"
    witness = "rocm-llvm-c"
    binds = ("revision", "slots")

    def observe(self, target, tools):
        witness = tools.witness("rocm-llvm-c")
        options = {"without": (), "off": (STEPPING + "=0",), "on": (STEPPING + "=1",)}
        found = {"revision": {}, "slots": {}}
        for key, extra in options.items():
            done = witness.compile_ir(target, EMPTY, extra=extra)
            said = re.search(r"\.gfx1250_revision: *(\w+)", done.assembly)
            if said is None:
                raise CannotTell(f"no revision in the metadata: {done.diagnostic[:200]}")
            found["revision"][key] = said.group(1)
            found["slots"][key] = slots(witness, target, wmma_pairs.PAIRS[self.claim]["slots"], extra)
        return found


class DualIssue(Check):
    """An FP16 product whose whole result is moved by dual-issue instructions, and one that a single addition reads.

    Shows: the V_NOPs in clang's assembly.
    Does not show: other releases.
    """

    claim = "WMMA-062"
    kind = "compiler"
    witness = "clang"
    binds = ("slots", "single")

    def observe(self, target, tools):
        text = f"{HEAD}define <8 x float> @k(<16 x half> %a, <16 x half> %b, <8 x float> %c) {{\n %r = {CALL}\n ret <8 x float> %r\n}}\n"
        lines = [line for line in code(tools.clang, target, text) if line.startswith("v_")]
        product = place(lines, "v_wmma")
        dual = place(lines, "v_dual_mov_b32", product)
        if any(line != "v_nop" for line in lines[product + 1 : dual]):
            raise CannotTell(f"the pair is not as written: {lines[:12]}")
        single = slots(tools.clang, target, (wmma_pairs.F16, "valu", "read"))
        return {"slots": dual - product - 1, "single": single}
