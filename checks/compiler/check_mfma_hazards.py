# SPDX-License-Identifier: Apache-2.0
"""Wait states around four-pass matrix instructions, classes and conditions, as compilers insert them."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, told
from cdna_evidence.checks.pairs import ClangPairs, LlcPairs, in_mir
from cdna_evidence.witnesses import matrix, matrix_ir
from cdna_evidence.witnesses import matrix_pairs as pairs


def body(tools, target, ir, extra=matrix_ir.OPTIONS):
    """Compile IR and return the instructions of its function k, one text each."""
    code = assembly(tools.clang.compile_ir(target, ir, extra=extra))
    text = re.search(r"^k:(.*?)^\.Lfunc_end", code, re.MULTILINE | re.DOTALL).group(1)
    lines = [line.split(";")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(".") and not line.endswith(":")]


def gap(lines, first, then):
    """Wait states between the first line that matches one pattern and the next that matches the other."""
    start = next((i for i, line in enumerate(lines) if re.match(first, line)), None)
    stop = next((i for i in range((start or 0) + 1, len(lines)) if re.match(then, lines[i])), None)
    if start is None or stop is None:
        raise CannotTell(f"{first} and {then} are not both in the assembly")
    return sum(matrix_ir.states(line) for line in lines[start + 1 : stop])


class PassClass(Check):
    """The states before C of the 16x16x16 FP16 instruction is overwritten, which the rule makes passes less one, plus one.

    Shows: the pass count this compiler computes with, seen through one rule.
    Does not show: cycles of a device.
    """

    claim = "MFMA-004"
    kind = "compiler"
    witness = "clang"
    binds = ("passes",)

    def observe(self, target, tools):
        return {"passes": 1 + told(pairs.by_clang, tools.clang, target, (pairs.F16, "valu", "c-war"))}


class DToAB(ClangPairs):
    """Two 16x16x16 FP16 instructions, A of the second is a part of D of the first.

    Shows: the states that this compiler puts between them.
    Does not show: what hardware needs.
    """

    claim = "MFMA-005"
    binds = ("wait_states",)


class PartialC(ClangPairs):
    """Two 16x16x16 FP16 instructions, C of the second starts in the middle of D of the first.

    Shows: the states that this compiler puts between them.
    Does not show: what hardware needs.
    """

    claim = "MFMA-006"
    binds = ("wait_states",)


class ExactC(ClangPairs):
    """Two 16x16x16 FP16 instructions, C of the second is D of the first.

    Shows: the states that this compiler puts between them.
    Does not show: what hardware needs.
    """

    claim = "MFMA-007"
    binds = ("wait_states",)


class SelfChains(ClangPairs):
    """Exact chains of one opcode: a two-pass one, and the f64 4x4x4 one.

    Shows: the states that this compiler puts between them.
    Does not show: what hardware needs.
    """

    claim = "MFMA-008"
    binds = ("two_pass", "f64_4x4x4")


class OtherClasses(ClangPairs):
    """The classes that IR can express, for 2, 8 and 16 passes.

    Shows: the states that this compiler inserts, class by class.
    Does not show: what hardware needs; EXEC (a check with llc does).
    """

    claim = "MFMA-009"
    binds = ("vector_input", "result_read", "result_overwritten", "c_overwritten")


class OtherClassesExec(LlcPairs):
    """A vector compare that writes EXEC before instructions of 2, 8 and 16 passes, as MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-009"
    binds = ("exec_input",)


class RegisterExamples(Check):
    """The three pairs of the example on exactly its registers, pinned in IR.

    Shows: the states that this compiler inserts, and that it kept the registers.
    Does not show: what hardware needs.
    """

    claim = "MFMA-010"
    kind = "compiler"
    witness = "clang"
    binds = ("c_exact", "c_partial", "a_operand")

    def observe(self, target, tools):
        found = {}
        name = "v_mfma_f32_16x16x16_f16"
        for key, a, c in (("c_exact", 24, 0), ("c_partial", 24, 2), ("a_operand", 2, 32)):
            builder = matrix_ir.Builder()
            builder.begin()
            result = builder.matrix(name, 0, 8, 10, 12, 40, (42, 44), pinned=key != "c_exact")
            builder.begin_after(range(4))
            builder.matrix(name, 0 if key == "c_exact" else 20, a, 26, result if key == "c_exact" else c, 40, (42, 44))
            builder.end("k")
            lines = body(tools, target, builder.text)
            matrices = [line for line in lines if line.startswith(name)]
            wanted = {
                "c_exact": r".*, v\[0:3\]$",
                "c_partial": r".*, v\[2:5\]$",
                "a_operand": r"\S+ v\[\d+:\d+\], v\[2:3\],",
            }
            if (
                len(matrices) != 2
                or not re.match(name + r" v\[0:3\],", matrices[0])
                or not re.match(wanted[key], matrices[1])
            ):
                raise CannotTell(f"other registers: {matrices}")
            found[key] = gap(lines, name, name)
        return found


class IsolatedPass(LlcPairs):
    """An instruction of gfx950 alone is given to the assembler and the code generator for gfx942, and to the hazard pass.

    Shows: the first two refuse it and the pass, which never asks, inserts states for it.
    Does not show: a sequence that could run on gfx942; there is none.
    """

    claim = "MFMA-011"
    binds = ("pass_inserts",)


class NotAvailable(Check):
    """An instruction of gfx950 alone is given to the assembler and the code generator.

    Shows: both refuse it for gfx942, and take the 16x16x16 one.
    Does not show: hardware.
    """

    claim = "MFMA-011"
    kind = "compiler"
    witness = "clang"
    binds = ("assembled", "selected", "control")

    def observe(self, target, tools):
        operands = "v[0:3], v[4:7], v[8:11], 0"
        answers = tools.clang.assemble(
            target, ["v_mfma_f32_16x16x32_f16 " + operands, "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0"]
        )
        words = {True: "accept", False: "reject"}
        builder = matrix_ir.Builder()
        matrix_ir.pair(builder, "k", ("v_mfma_f32_16x16x32_f16", 0, 0), "valu", "read")
        compiled = tools.clang.compile_ir(target, builder.text, extra=matrix_ir.OPTIONS)
        refused = not compiled.accepted and "Cannot select" in compiled.diagnostic
        return {
            "assembled": words.get(answers[0].accepted, answers[0].outcome),
            "selected": "accept" if compiled.accepted else "reject" if refused else compiled.outcome,
            "control": words.get(answers[1].accepted, answers[1].outcome),
        }


class AsmBoundary(Check):
    """The same instruction once as intrinsic and once hidden in inline assembly; a vector instruction reads its result.

    Shows: the states that this compiler puts in front of the reader in both cases.
    Does not show: that the result would be wrong on a device.
    """

    claim = "MFMA-012"
    kind = "compiler"
    witness = "clang"
    binds = ("intrinsic", "inline_asm")

    def observe(self, target, tools):
        intrinsic = told(pairs.by_clang, tools.clang, target, (pairs.F16, "valu", "read"))
        hidden = """
define amdgpu_kernel void @k() {
  %d = call <4 x float> asm sideeffect "v_mfma_f32_16x16x16_f16 $0, v[4:5], v[6:7], 0", "={v[0:3]}"()
  %e = extractelement <4 x float> %d, i64 2
  %f = fadd float %e, 1.0
  call void asm sideeffect "", "{v20}"(float %f)
  ret void
}
"""
        lines = body(tools, target, hidden)
        return {"intrinsic": intrinsic, "inline_asm": gap(lines, "v_mfma", "v_add_f32")}


class Unit(Check):
    """Fillers are put between a 4-pass instruction and a reader until the compiler inserts nothing more.

    Shows: the smallest s_nop that is enough, and how many scalar instructions are.
    Does not show: how long an instruction takes on a device.
    """

    claim = "MFMA-014"
    kind = "compiler"
    witness = "clang"
    binds = ("smallest_nop", "fewest_scalar")

    def observe(self, target, tools):
        nop = "declare void @llvm.amdgcn.s.nop(i16)"
        sleep = "declare void @llvm.amdgcn.s.sleep(i32)"
        fillers = {
            "smallest_nop": (nop, lambda n: [f"call void @llvm.amdgcn.s.nop(i16 {n})"], 0),
            "fewest_scalar": (sleep, lambda n: ["call void @llvm.amdgcn.s.sleep(i32 0)"] * n, 1),
        }
        return {key: self._least(target, tools, *fillers[key]) for key in fillers}

    def _least(self, target, tools, declared, filler, start):
        for count in range(start, 16):
            builder = matrix_ir.Builder()
            builder.begin()
            kind, result = builder.matrix("v_mfma_f32_16x16x16_f16", 64, 0, 8, 96, 40, (42, 44))
            for line in filler(count):
                builder.line(line)
            builder.line(f"%one = extractelement {kind} {result}, i64 1")
            builder.line("%two = fadd float %one, 1.0")
            builder.put("float", "%two", 250, 1)
            builder.end("k")
            lines = body(tools, target, builder.text + declared + "\n")
            first = next(i for i, line in enumerate(lines) if line.startswith("v_mfma"))
            last = next(i for i, line in enumerate(lines) if line.startswith("v_add"))
            if last - first - 1 == len(filler(count)):
                return count
        raise CannotTell("no filler was enough")


class UnitEvery(Check):
    """Independent instructions of four kinds are put between the two in MIR until the pass inserts nothing more.

    Shows: how many of each are enough.
    Does not show: how long an instruction takes on a device.
    """

    claim = "MFMA-014"
    kind = "compiler"
    witness = "llc"
    binds = ("fewest",)

    def observe(self, target, tools):
        fillers = {
            "vector": "$vgpr250 = V_MOV_B32_e32 $vgpr251, implicit $exec",
            "scalar": "$sgpr20 = S_MOV_B32 0",
            "wait": "S_WAITCNT 0",
            "matrix": matrix.consumer("v_mfma_f32_16x16x16_f16"),
        }
        first, last = matrix.pair(("v_mfma_f32_16x16x16_f16", 0, 0), "valu", "read")
        asked = {f"{key}{n}": [first] + [line] * n + [last] for key, line in fillers.items() for n in range(16)}
        states = in_mir(tools, target, asked)
        found = {}
        for key in fillers:
            enough = [n for n in range(16) if states[f"{key}{n}"] == 0]
            found[key] = min(enough) if enough else None
        return {"fewest": found}


class Conditions(ClangPairs):
    """One condition at a time is changed: passes, and the family of the consumer.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-015"
    binds = ("read_by_passes", "two_pass_consumer")


class ConditionsBank(Check):
    """The accumulator stands once in VGPRs and once in AGPRs, in MIR.

    Shows: the states before one register of the result is read.
    Does not show: what hardware needs.
    """

    claim = "MFMA-015"
    kind = "compiler"
    witness = "llc"
    binds = ("read_by_bank",)

    def observe(self, target, tools):
        name = "v_mfma_f32_16x16x16_f16"
        accumulators = matrix.instruction(name, matrix.D, matrix.A, matrix.B, matrix.C, bank="agpr")
        asked = {
            "vgpr": [matrix.producer(name), "$vgpr250 = V_MOV_B32_e32 $vgpr65, implicit $exec"],
            "agpr": [accumulators, "$vgpr250 = V_ACCVGPR_READ_B32_e64 $agpr65, implicit $exec"],
        }
        return {"read_by_bank": in_mir(tools, target, asked)}


class VectorInput(ClangPairs):
    """An addition or an exponential writes a register that a matrix instruction then reads as A or C.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs; dot products (a check with llc does).
    """

    claim = "MFMA-016"
    binds = ("a", "c", "transcendental")


class DotInput(LlcPairs):
    """A dot product writes a register that a matrix instruction then reads as A, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-016"
    binds = ("dot",)


class ExecInput(LlcPairs):
    """A vector compare or a scalar move writes EXEC before a matrix instruction, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-017"
    binds = ("vector", "scalar")


class ResultUse(ClangPairs):
    """A 4-pass result is read or overwritten by vector and memory instructions.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-018"
    binds = ("vector_read", "store_read", "lds_read", "vector_overwrite", "load_overwrite")


class COverwritten(ClangPairs):
    """C of a 4-pass instruction is overwritten by a vector instruction or a load.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-019"
    binds = ("vector", "load")
