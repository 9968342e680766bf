# SPDX-License-Identifier: Apache-2.0
"""Wait states where sources or versions differ, and where the hazard pass stands, as compilers insert them."""

import re

from cdna.mfma.audit import audit
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, told
from cdna_evidence.checks.pairs import ClangPairs, LlcPairs, in_mir
from cdna_evidence.witnesses import matrix, wmma_programs
from cdna_evidence.witnesses import matrix_pairs as pairs


class OtherOpcode(ClangPairs):
    """An exact chain of two opcodes: 16x16x32 BF8, then 16x16x16 FP16 on the same four registers.

    Shows: the states that this compiler inserts.
    Does not show: what the silicon needs, which is what the sources disagree on.
    """

    claim = "MFMA-020"
    position = "llvm-22"
    binds = ("wait_states",)


class OtherOpcodeTriton(OtherOpcode):
    """The same chain, put to the LLVM inside Triton 3.9.0.

    Shows: the states that this newer compiler inserts.
    Does not show: what the silicon needs.
    """

    position = "llvm-24git"
    witness = "triton-llvm"


class Int8Evidence(ClangPairs):
    """Exact chains of one opcode, once INT8 and once FP16.

    Shows: the states that this compiler inserts for each.
    Does not show: what hardware needs.
    """

    claim = "MFMA-021"
    binds = ("int8", "fp16")


class BothTargetsWhole(ClangPairs):
    """A pair goes through the whole code generator.

    Shows: what the whole compiler inserts.
    Does not show: the regression test of the row, which was not run.
    """

    claim = "MFMA-022"
    binds = ("whole_compiler",)


class BothTargetsPass(LlcPairs):
    """The same pair goes through the post-RA hazard pass alone.

    Shows: what the pass inserts by itself.
    Does not show: the regression test of the row, which was not run.
    """

    claim = "MFMA-022"
    binds = ("isolated_pass",)


class Placement(Check):
    """One kernel is stopped after each of four passes, and its instructions are looked at.

    Shows: when registers are physical, when waits appear and when S_NOPs appear.
    Does not show: passes between those four.
    """

    claim = "MFMA-023"
    kind = "compiler"
    witness = "clang"
    binds = ("register_allocation", "scheduling", "wait_insertion", "hazard_pass")

    def observe(self, target, tools):
        ir = """
declare <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %p, <4 x half> %a, <4 x half> %b) {
  %c = load <4 x float>, ptr addrspace(1) %p
  %d = call <4 x float> @llvm.amdgcn.mfma.f32.16x16x16f16(<4 x half> %a, <4 x half> %b, <4 x float> %c, i32 0, i32 0, i32 0)
  store <4 x float> %d, ptr addrspace(1) %p
  ret void
}
"""
        passes = {
            "register_allocation": "virtregrewriter,2",
            "scheduling": "postmisched",
            "wait_insertion": "si-insert-waitcnts",
            "hazard_pass": "post-RA-hazard-rec",
        }
        found = {}
        for key, name in passes.items():
            compiled = tools.clang.compile_mir(target, ir, stop_after=name)
            if not compiled.accepted:
                raise CannotTell(f"{name}: {compiled.outcome}: {compiled.diagnostic}")
            text = compiled.assembly.partition("body:")[2]
            line = next((row for row in text.splitlines() if "V_MFMA" in row), "")
            found[key] = {
                "physical_result": bool(re.search(r"\$[av]gpr\d+_[av]gpr\d+_[av]gpr\d+_[av]gpr\d+ = ", line)),
                "waits": "S_WAITCNT" in text,
                "nops": "S_NOP" in text,
            }
        return found


class LookBack(Check):
    """Independent vector instructions are put between a 16-pass instruction and a reader, in MIR.

    Shows: what the pass still inserts after none and after nineteen.
    Does not show: what hardware needs.
    """

    claim = "MFMA-051"
    position = "llvm-22"
    kind = "compiler"
    witness = "llc"
    binds = ("adjacent", "after_eighteen", "after_nineteen")

    def observe(self, target, tools):
        filler = "$vgpr250 = V_MOV_B32_e32 $vgpr251, implicit $exec"
        first, last = matrix.pair(("v_mfma_f32_32x32x4_2b_f16", 0, 0), "valu", "read")
        asked = {name: [first] + [filler] * n + [last] for name, n in zip(self.binds, (0, 18, 19), strict=True)}
        return in_mir(tools, target, asked)


class NearestWriter(Check):
    """C of sixteen registers, of which two instructions wrote different parts, in MIR; and the farther writer alone.

    Shows: what the hazard pass inserts for both, and for the farther writer with an independent instruction between.
    Does not show: what hardware needs.
    """

    claim = "MFMA-075"
    kind = "compiler"
    witness = "llc"
    binds = ("inserted", "inserted_without_nearer")

    def observe(self, target, tools):
        far = matrix.producer("v_mfma_f32_16x16x16_f16")
        near = matrix.instruction("v_mfma_f64_4x4x4_4b_f64", matrix.D + 8, 0, 8, 96)
        apart = matrix.instruction("v_mfma_f64_4x4x4_4b_f64", 240, 0, 8, 96)
        last = matrix.consumer("v_mfma_f32_32x32x8_f16", c=matrix.D)
        asked = {"inserted": [far, near, last], "inserted_without_nearer": [far, apart, last]}
        return in_mir(tools, target, asked)


class Fork(Check):
    """A four-pass product, a branch with four moves on one side and one on the other, and a read where the two meet; in MIR.

    Shows: what the hazard pass inserts in front of the read, with the longer side written first and with the shorter.
    Does not show: that compiled code gets so far, which the next checks do; what hardware needs.
    """

    claim = "MFMA-077"
    kind = "compiler"
    witness = "llc"
    binds = ("added",)

    def observe(self, target, tools):
        sides = {"long_side_first": (4, 1), "short_side_first": (1, 4)}
        text = "".join(wmma_programs.function(name, self.blocks(*moves)) for name, moves in sides.items())
        return {"added": matrix.inserted(assembly(tools.witness("llc").run_pass(target, text)), sides)}

    def blocks(self, first, second):
        """Blocks as wmma_programs.function takes them; the first side ends with a branch over the second."""
        move = "$vgpr254 = V_MOV_B32_e32 0, implicit $exec"
        read = "$vgpr250 = V_ADD_F32_e32 $vgpr64, $vgpr251, implicit $mode, implicit $exec"
        return [
            ((2, 1), [matrix.producer(pairs.F16), "S_CBRANCH_SCC1 %bb.2, implicit $scc"]),
            ((3,), [*[move] * first, "S_BRANCH %bb.3"]),
            ((3,), [move] * second),
            ((), [read, "S_ENDPGM 0"]),
        ]


class _CompiledFork(Check):
    """What the audit misses in a compiled kernel: an eight-pass product, some LDS stores on either side of a branch, a read."""

    claim = "MFMA-077"
    kind = "compiler"

    def missing(self, witness, target):
        """The most states that a dependency lacks, with one store and eight on the two sides, and with eight and one."""
        found = {}
        for name, stores in (("one_first", (1, 8)), ("eight_first", (8, 1))):
            code = assembly(witness.compile_ir(target, self.kernel(*stores), expect=["v_mfma_f32_32x32x8_f16"]))
            text = re.search(r"^k:(.*?)^\.Lfunc_end", code, re.MULTILINE | re.DOTALL).group(1)
            found[name] = max([item["missing"] for item in audit(text, target).dependencies], default=0)
        return found

    def kernel(self, first, second):
        """LLVM IR; the sides store other values, so that they stay two."""
        sides = ["\n".join([f"  store volatile i32 {n}, ptr addrspace(3) %l"] * n) for n in (first, second)]
        return f"""
declare <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half>, <4 x half>, <16 x float>, i32, i32, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %l, <4 x half> %a, <4 x half> %b, i32 %n) {{
  %c = load <16 x float>, ptr addrspace(1) %p
  %d = call <16 x float> @llvm.amdgcn.mfma.f32.32x32x8f16(<4 x half> %a, <4 x half> %b, <16 x float> %c, i32 0, i32 0, i32 0)
  %zero = icmp eq i32 %n, 0
  br i1 %zero, label %x, label %y
x:
{sides[0]}
  br label %on
y:
{sides[1]}
  br label %on
on:
  %e = fadd <16 x float> %d, splat (float 1.0)
  store <16 x float> %e, ptr addrspace(1) %p
  ret void
}}
"""


class ForkByClang(_CompiledFork):
    """The kernel, compiled by clang 22.1.8.

    Shows: states that the code lacks on the shorter way by LLVM's own rule, as the audit counts them.
    Does not show: that the result comes out wrong.
    """

    witness = "clang"
    binds = ("missing_llvm_22",)

    def observe(self, target, tools):
        return {"missing_llvm_22": self.missing(tools.clang, target)}


class ForkByAmd(_CompiledFork):
    """The kernel, compiled by the LLVM in AMD's wheel.

    Shows: as ForkByClang.
    Does not show: that the result comes out wrong.
    """

    witness = "rocm-llvm-c"
    binds = ("missing_amd_llvm_23",)

    def observe(self, target, tools):
        return {"missing_amd_llvm_23": self.missing(tools.witness("rocm-llvm-c"), target)}


class ForkByTriton(_CompiledFork):
    """The kernel, compiled by the code generator of the triton wheel.

    Shows: as ForkByClang.
    Does not show: that the result comes out wrong.
    """

    witness = "triton-llvm"
    binds = ("missing_llvm_24",)

    def observe(self, target, tools):
        return {"missing_llvm_24": self.missing(tools.witness("triton-llvm"), target)}


class _Generic(Check):
    """The states between a product and a vector instruction that reads its result, compiled for gfx9-4-generic."""

    claim = "MFMA-085"
    kind = "compiler"

    def states(self, witness, target="gfx9-4-generic"):
        return told(pairs.by_clang, witness, target, pairs.PAIRS[self.claim])


class GenericByClang(_Generic):
    """The pairs, compiled by clang 22.1.8 for the generic target and for the target by its name.

    Shows: what this compiler inserts for either.
    Does not show: what hardware needs.
    """

    witness = "clang"
    binds = ("by_name", "llvm_22")

    def observe(self, target, tools):
        return {"by_name": self.states(tools.clang, target), "llvm_22": self.states(tools.clang)}


class GenericByAmd(_Generic):
    """The pairs, compiled by the LLVM in AMD's wheel for the generic target.

    Shows: as GenericByClang.
    Does not show: what hardware needs.
    """

    witness = "rocm-llvm-c"
    binds = ("amd_llvm_23",)

    def observe(self, target, tools):
        return {"amd_llvm_23": self.states(tools.witness("rocm-llvm-c"))}


class GenericByTriton(_Generic):
    """The pairs, compiled by the code generator of the triton wheel for the generic target.

    Shows: as GenericByClang.
    Does not show: what hardware needs.
    """

    witness = "triton-llvm"
    binds = ("llvm_24",)

    def observe(self, target, tools):
        return {"llvm_24": self.states(tools.witness("triton-llvm"))}
