# SPDX-License-Identifier: Apache-2.0
"""The slots audit of gfx1250 against compilers: programs with branches and loops, what earns a slot, and what LLVM leaves out."""

import random
import re

from cdna.wmma.audit import audit
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import told
from cdna_evidence.witnesses import wmma_kernels, wmma_mir, wmma_programs

F16, I8 = "v_wmma_f32_16x16x32_f16", "v_wmma_i32_16x16x64_iu8"
EXEC = "implicit $exec"
MODE = "implicit $mode, implicit $exec"
COUNT = "implicit-def dead $asynccnt, implicit $asynccnt, " + EXEC
DUAL = "V_DUAL_MOV_B32_e32_X_MOV_B32_e32_gfx1250"
PRODUCT = wmma_mir.first(F16)
READ = f"$vgpr253 = V_ADD_F32_e32 $vgpr{wmma_mir.D}, $vgpr254, {MODE}"
MOVE = f"$vgpr254 = V_MOV_B32_e32 0, {EXEC}"
BACK, OVER = "S_CBRANCH_SCC1 %bb.1, implicit $scc", "S_CBRANCH_SCC1 %bb.2, implicit $scc"
END = "S_ENDPGM 0"
HIGH = f"$vgpr253 = V_ADD_F32_e32 $vgpr256, $vgpr254, {MODE}"
LOW = HIGH.replace("$vgpr256", "$vgpr0")
PROGRAMS = {
    "straight": [((), [PRODUCT, MOVE, READ, END])],
    "s_nop": [((), [PRODUCT, "S_NOP 7", READ, END])],
    "loop": [((1,), [MOVE]), ((1, 2), [READ, PRODUCT, MOVE, MOVE, BACK]), ((), [END])],
    "part_skipped": [((2, 1), [PRODUCT, OVER]), ((2,), [MOVE, MOVE, MOVE]), ((), [READ, END])],
    "high": [((), [wmma_mir.instruction(F16, 16, 24, 32, 256, 0), HIGH, END])],
    "low_beside_high": [((), [wmma_mir.instruction(F16, 16, 24, 32, 256, 0), LOW, END])],
}


def added(tools, target, programs):
    """Return {name: V_NOPs that the hazard pass adds}."""
    found = told(wmma_programs.assembled, tools.witness("llc"), target, programs)
    return {name: fixed.count("v_nop") - plain.count("v_nop") for name, (fixed, plain) in found.items()}


def straight(tools, target, programs):
    """Return {name: V_NOPs that the hazard pass adds} to lines of MIR."""
    return added(tools, target, {name: [((), [*lines, END])] for name, lines in programs.items()})


def kernels(witness, target, names):
    """Return [(code with V_NOPs, dependencies that the audit reports)] of compiled kernels."""
    found = []
    for name in names:
        done = witness.compile_ir(target, wmma_kernels.kernel(name))
        if not done.accepted:
            raise CannotTell(f"{name}: {done.outcome}: {done.diagnostic[:200]}")
        found.append((wmma_programs.code(done.assembly), audit(done.assembly).dependencies))
    return found


class Programs(Check):
    """Six programs of MIR: a straight one, one with s_nop, a loop, a part that is skipped, and high registers.

    Shows: V_NOPs that LLVM's hazard pass adds, over branches and loops.
    Does not show: hardware.
    """

    claim = "WMMA-070"
    kind = "compiler"
    witness = "llc"
    binds = ("missing",)

    def observe(self, target, tools):
        return {"missing": added(tools, target, PROGRAMS)}


class DrawnPrograms(Check):
    """Programs of MIR drawn on few registers: what the audit misses without V_NOPs is put against what LLVM's pass adds.

    Shows: that the two put the same number in front of every instruction.
    Does not show: ways that meet again behind a fork with code on both sides, where LLVM looks at one way alone (WMMA-073).
    """

    claim = "WMMA-070"
    kind = "compiler"
    witness = "llc"
    binds = ("drawn",)

    def observe(self, target, tools):
        draw = random.Random(1250)  # noqa: S311 - programs to compare, no secret
        asked = {
            "straight": [wmma_programs.straight(draw, 14) for _ in range(60)],
            "loops": [wmma_programs.branchy(draw, 6) for _ in range(20)],
            "high": [wmma_programs.straight(draw, 14, groups=(0, 1, 3)) for _ in range(40)],
        }
        found = {"programs": {}, "agree": {}}
        for name, programs in asked.items():
            given = {f"k{i}": blocks for i, blocks in enumerate(programs)}
            got = told(wmma_programs.assembled, tools.witness("llc"), target, given)
            same = [
                wmma_programs.added(wmma_programs.repaired(plain, audit)) == wmma_programs.added(fixed)
                for fixed, plain in got.values()
            ]
            found["programs"][name], found["agree"][name] = len(same), sum(same)
        return {"drawn": found}


class Kernels(Check):
    """A kernel with a loop and a branch around each product that the compiler selects, compiled from LLVM IR.

    Shows: whether the audit is silent, asks for the same V_NOPs at the same places once they are taken out, and for one
      slot where one of them is taken out.
    Does not show: other kernels.
    """

    claim = "WMMA-070"
    kind = "compiler"
    witness = "clang"
    binds = ("kernels",)

    def observe(self, target, tools):
        found = {"compiled": 0, "clean": 0, "as_many": 0, "v_nops": 0, "one_missing": 0, "spare": 0}
        for code, dependencies in kernels(tools.clang, target, wmma_programs.PRODUCTS):
            bare = [line for line in code if line != "v_nop"]
            found["compiled"] += 1
            found["clean"] += not any(not item["hidden"] for item in dependencies)
            found["as_many"] += wmma_programs.repaired(bare, audit) == code
            for place in [number for number, line in enumerate(code) if line == "v_nop"]:
                gaps = audit("\n".join(code[:place] + code[place + 1 :])).dependencies
                found["v_nops"] += 1
                most = max([item["missing"] for item in gaps if not item["hidden"]], default=0)
                found["one_missing"] += most == 1
                found["spare"] += most == 0
        return {"kernels": found}


class TransResult(Check):
    """A transcendental instruction and one behind it that reads its result, or overwrites its source or result.

    Shows: V_NOPs that LLVM's hazard pass adds.
    Does not show: hardware.
    """

    claim = "WMMA-071"
    kind = "compiler"
    witness = "llc"
    binds = ("slots", "with_one_between")

    def observe(self, target, tools):
        trans = f"$vgpr64 = V_EXP_F32_e32 $vgpr65, {MODE}"
        asked = {
            "read": READ,
            "source_overwritten": f"$vgpr65 = V_MOV_B32_e32 0, {EXEC}",
            "result_overwritten": f"$vgpr64 = V_MOV_B32_e32 0, {EXEC}",
            "read_as_a": wmma_mir.instruction(F16, 64, 96, 112, 128, 0),
            "read_as_c": wmma_mir.instruction(F16, 80, 96, 64, 128, 0),
            "read_by_transcendental": f"$vgpr70 = V_EXP_F32_e32 $vgpr64, {MODE}",
            "stored": f"GLOBAL_STORE_DWORD $vgpr250_vgpr251, $vgpr64, 0, 0, {EXEC}",
        }
        between = {
            "valu": MOVE,
            "transcendental": f"$vgpr70 = V_EXP_F32_e32 $vgpr71, {MODE}",
            "salu": "$sgpr0 = S_MOV_B32 0",
            "s_nop": "S_NOP 3",
        }
        return {
            "slots": straight(tools, target, {name: [trans, line] for name, line in asked.items()}),
            "with_one_between": straight(tools, target, {name: [trans, line, READ] for name, line in between.items()}),
        }


class Earns(Check):
    """An FP16 product, one instruction of some kind, and a vector read of the result.

    Shows: by how much LLVM's hazard pass adds fewer V_NOPs than without that instruction.
    Does not show: whether the hardware takes it for a slot.
    """

    claim = "WMMA-072"
    kind = "compiler"
    witness = "llc"
    binds = ("earned",)

    def observe(self, target, tools):
        lines = {
            "valu": MOVE,
            "v_nop": f"V_NOP_e32 {EXEC}",
            "transcendental": f"$vgpr250 = V_EXP_F32_e32 $vgpr251, {MODE}",
            "product": wmma_mir.instruction(F16, 96, 112, 128, 160, 0),
            "dual": f"$vgpr250, $vgpr249 = {DUAL} $vgpr252, $vgpr253, {EXEC}",
            "compare": f"$vcc_lo = V_CMP_EQ_U32_e64 $vgpr250, $vgpr251, {EXEC}",
            "to_scalar": f"$sgpr4 = V_READFIRSTLANE_B32 $vgpr250, {EXEC}",
            "async_load": f"GLOBAL_LOAD_ASYNC_TO_LDS_B32 $vgpr250, $vgpr252_vgpr253, 0, 0, {COUNT}",
            "async_store": f"GLOBAL_STORE_ASYNC_FROM_LDS_B32 $vgpr252_vgpr253, $vgpr250, 0, 0, {COUNT}",
            "load": f"$vgpr250 = GLOBAL_LOAD_DWORD $vgpr252_vgpr253, 0, 0, {EXEC}",
            "lds_load": f"$vgpr250 = DS_READ_B32_gfx9 $vgpr251, 0, 0, {EXEC}",
            "salu": "$sgpr0 = S_MOV_B32 0",
            "s_nop": "S_NOP 7",
        }
        found = straight(
            tools, target, {"nothing": [PRODUCT, READ], **{k: [PRODUCT, v, READ] for k, v in lines.items()}}
        )
        return {"earned": {name: found["nothing"] - found[name] for name in lines}}


class FirstClass(Check):
    """Two products whose results one instruction reads, a fork with code on both sides, and a loop around the reader.

    Shows: V_NOPs that LLVM's hazard pass adds where its search ends before the producer that asks for most.
    Does not show: that compiled code gets so far; a test finds such a loop in clang's.
    """

    claim = "WMMA-073"
    kind = "compiler"
    witness = "llc"
    binds = ("added",)

    def observe(self, target, tools):
        both = f"$vgpr253 = V_ADD_F32_e32 $vgpr64, $vgpr100, {MODE}"
        slow, quick = wmma_mir.instruction(I8, 0, 16, 32, 64, 0), wmma_mir.instruction(F16, 0, 16, 32, 100, 0)
        programs = {
            "two_classes": [((), [slow, quick, both, END])],
            "one_class": [((), [slow, wmma_mir.instruction(I8, 0, 16, 32, 100, 0), both, END])],
            "fork_long_side_first": self.fork(3, 1),
            "fork_short_side_first": self.fork(1, 3),
            # LLVM knows the ways into a block in the order in which their blocks are written.
            "loop_way_round_first": [
                ((2,), [PRODUCT, "S_BRANCH %bb.2"]),
                ((1, 3), self.around(1, 3)),
                ((1,), ["S_BRANCH %bb.1"]),
                ((), [END]),
            ],
            "loop_way_in_first": [((1,), [PRODUCT]), ((1, 2), self.around(1, 2)), ((), [END])],
        }
        return {"added": added(tools, target, programs)}

    def around(self, head, end):
        """A read and one more vector instruction, again and again."""
        return [READ, MOVE, f"S_CBRANCH_SCC1 %bb.{head}, implicit $scc", f"S_BRANCH %bb.{end}"]

    def fork(self, first, second):
        """A product, a fork with some vector instructions on either side, and a read where the two meet."""
        return [
            ((2, 1), [PRODUCT, OVER]),
            ((3,), [*[MOVE] * first, "S_BRANCH %bb.3"]),
            ((3,), [MOVE] * second),
            ((), [READ, END]),
        ]


class NotLookedAt(Check):
    """An FP16 product, and dual-issue instructions and swaps that read or overwrite its registers.

    Shows: V_NOPs that LLVM's hazard pass adds.
    Does not show: hardware.
    """

    claim = "WMMA-074"
    kind = "compiler"
    witness = "llc"
    binds = ("added",)

    def observe(self, target, tools):
        asked = {
            "single_over_a": f"$vgpr0 = V_MOV_B32_e32 $vgpr250, {EXEC}",
            "dual_reads_d": f"$vgpr250, $vgpr249 = {DUAL} $vgpr64, $vgpr253, {EXEC}",
            "dual_over_d": f"$vgpr64, $vgpr249 = {DUAL} $vgpr252, $vgpr253, {EXEC}",
            "dual_over_a": f"$vgpr0, $vgpr249 = {DUAL} $vgpr252, $vgpr253, {EXEC}",
            "swap_first_is_a": f"$vgpr0, $vgpr250 = V_PERMLANE16_SWAP_B32_e32 $vgpr0, $vgpr250, {MODE}",
            "swap_second_is_a": f"$vgpr250, $vgpr0 = V_PERMLANE16_SWAP_B32_e32 $vgpr250, $vgpr0, {MODE}",
        }
        return {"added": straight(tools, target, {name: [PRODUCT, line] for name, line in asked.items()})}


class _Compiled(Check):
    """What the audit finds in one compiled kernel at places at which LLVM 22.1.8 does not look."""

    claim = "WMMA-074"
    kind = "compiler"

    def places(self, witness, target):
        ((code, dependencies),) = kernels(witness, target, ["v_swmmac_i32_16x16x128_iu8"])
        if not any(re.match("v_dual_", line) for line in code):
            raise CannotTell("the compiler wrote no dual-issue instruction")
        return len({item["then"]["line"] for item in dependencies})


class CompiledByClang(_Compiled):
    """A kernel around a sparse integer product, compiled by clang.

    Shows: instructions that overwrite an input too early by the rule for single instructions.
    Does not show: that the product comes out wrong.
    """

    witness = "clang"
    binds = ("places_llvm_22",)

    def observe(self, target, tools):
        return {"places_llvm_22": self.places(tools.clang, target)}


class CompiledLater(_Compiled):
    """The same kernel through the code generator of the triton wheel.

    Shows: that a later LLVM leaves the slots.
    Does not show: which version began.
    """

    witness = "triton-llvm"
    binds = ("places_llvm_24",)

    def observe(self, target, tools):
        return {"places_llvm_24": self.places(tools.witness("triton-llvm"), target)}
