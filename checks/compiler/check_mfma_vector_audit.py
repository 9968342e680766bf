# SPDX-License-Identifier: Apache-2.0
"""Wait states without a matrix instruction, and the audit of whole programs against what LLVM 22.1.8 inserts into them."""

import random

from cdna.mfma.audit import audit
from cdna_evidence.checks import Check
from cdna_evidence.checks.answers import told
from cdna_evidence.checks.pairs import in_mir
from cdna_evidence.witnesses import matrix_pairs, vector_kernels, vector_programs, wmma_programs

EXEC = "implicit $exec"
MODE = "implicit $mode, implicit $exec"
READ = f"$vgpr8 = V_MOV_B32_e32 $vgpr0, {EXEC}"
M0 = "$m0 = S_MOV_B32 0"
SET = "S_SETREG_B32 $sgpr0, {}, implicit-def $mode, implicit $mode"
BY_M0 = f"implicit $m0, {EXEC}"


class _Lines(Check):
    """Programs of two or three lines of MIR, and the states that the hazard pass adds to each."""

    kind = "compiler"
    witness = "llc"


class Parts(_Lines):
    """Packed instructions and conversions that write an upper or a lower half, and a vector instruction or a store behind; in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-076"
    binds = ("part",)

    def observe(self, target, tools):
        packed = f"$vgpr0 = V_PK_ADD_F16 {{}}, $vgpr1, 8, $vgpr2, 0, 0, 0, 0, 0, {MODE}"
        half = f"$vgpr0 = V_CVT_PK_FP8_F32_e64 {{}}, $vgpr1, 0, $vgpr2, $vgpr0, 0, {MODE}"
        asked = {
            "packed": [packed.format(8), READ],
            "packed_low_half_twice": [packed.format(0), READ],
            "packed_overwritten": [packed.format(8), f"$vgpr0 = V_MOV_B32_e32 0, {EXEC}"],
            "packed_stored": [packed.format(8), f"GLOBAL_STORE_DWORD $vgpr2_vgpr3, $vgpr0, 0, 0, {EXEC}"],
            "upper_half": [half.format(8), READ],
            "lower_half": [half.format(0), READ],
        }
        return {"part": in_mir(tools, target, asked)}


class Loaded(_Lines):
    """A load from memory and one from LDS, and DPP of the result; in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: the wait counter between them, which a program needs as well.
    """

    claim = "MFMA-076"
    binds = ("loaded",)

    def observe(self, target, tools):
        moved = f"$vgpr50 = V_MOV_B32_dpp $vgpr50, $vgpr0, 257, 15, 15, 0, {EXEC}"
        asked = {
            "dpp": [f"$vgpr0 = GLOBAL_LOAD_DWORD $vgpr2_vgpr3, 0, 0, {EXEC}", moved],
            "dpp_from_lds": [f"$vgpr0 = DS_READ_B32_gfx9 $vgpr2, 0, 0, {EXEC}", moved],
            "vector": [f"$vgpr0 = GLOBAL_LOAD_DWORD $vgpr2_vgpr3, 0, 0, {EXEC}", READ],
        }
        return {"loaded": in_mir(tools, target, asked)}


class CarryIn(_Lines):
    """An addition or a compare that writes VCC, and an addition or a selection that takes VCC as carry or mask; in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: that they are needed; the CDNA4 guide asks for none before a carry-in.
    """

    claim = "MFMA-076"
    binds = ("carry_in",)

    def observe(self, target, tools):
        carry = f"$vgpr0 = V_ADD_CO_U32_e32 $vgpr1, $vgpr2, implicit-def $vcc, {EXEC}"
        mask = f"V_CMP_EQ_U32_e32 $vgpr1, $vgpr2, implicit-def $vcc, {EXEC}"
        asked = {
            "add": [carry, f"$vgpr3 = V_ADDC_U32_e32 $vgpr4, $vgpr5, implicit-def $vcc, implicit $vcc, {EXEC}"],
            "select": [mask, f"$vgpr3 = V_CNDMASK_B32_e32 $vgpr4, $vgpr5, implicit $vcc, {EXEC}"],
        }
        return {"carry_in": in_mir(tools, target, asked)}


class Settings(_Lines):
    """M0 or a hardware register written by a scalar instruction, and the instruction that needs it; in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-078"
    binds = ("m0", "hardware")

    def observe(self, target, tools):
        m0 = {
            "copy_to_lds": f"GLOBAL_LOAD_LDS_DWORD $vgpr0_vgpr1, 0, 0, {BY_M0}",
            "lds_by_thread": f"DS_WRITE_ADDTID_B32 $vgpr0, 0, 0, {BY_M0}",
            "message": f"S_SENDMSG 1, {EXEC}, implicit $m0",
            "indexed_move": "$sgpr0 = S_MOVRELS_B32 $sgpr1, implicit $m0",
            "semaphore": f"DS_GWS_SEMA_V 0, {BY_M0}",
            "vector": f"$vgpr0 = V_MOV_B32_e32 $m0, {EXEC}",
        }
        hardware = {
            "read": [SET.format(1), "$sgpr1 = S_GETREG_B32 1, implicit $mode"],
            "read_another": [SET.format(1), "$sgpr1 = S_GETREG_B32 3, implicit $mode"],
            "set_again": [SET.format(1), "S_SETREG_IMM32_B32 0, 1, implicit-def $mode, implicit $mode"],
            "trap_return": [SET.format(3), "S_RFE_B64 $sgpr0_sgpr1"],
            "vector": [SET.format(1), f"$vgpr0 = V_ADD_F32_e32 $vgpr1, $vgpr2, {MODE}"],
        }
        return {
            "m0": in_mir(tools, target, {name: [M0, line] for name, line in m0.items()}),
            "hardware": in_mir(tools, target, hardware),
        }


class VectorDrawn(Check):
    """Drawn programs of MIR: what the audit misses without wait states is put against what LLVM's pass inserts.

    Shows: that the two put the same number in front of every instruction.
    Does not show: forks with code on both sides, where LLVM looks at one way alone (MFMA-077).
    """

    claim = "MFMA-079"
    kind = "compiler"
    witness = "llc"
    binds = ("drawn",)

    def observe(self, target, tools):
        draw = random.Random(942)  # noqa: S311 - programs to compare, no secret
        asked = {
            "straight": [vector_programs.straight(draw, 16, target) for _ in range(60)],
            "loops": [vector_programs.branchy(draw, 6, target) for _ in range(20)],
            "with_products": [
                vector_programs.mixed(draw, 7, target, (matrix_pairs.F16, matrix_pairs.F64)) for _ in range(40)
            ],
        }
        found = {"programs": {}, "agree": {}, "states": {}}
        for name, programs in asked.items():
            given = {f"k{i}": blocks for i, blocks in enumerate(programs)}
            got = told(wmma_programs.assembled, tools.witness("llc"), target, given, vector_programs.NO_XNACK)
            theirs = [vector_programs.layout(fixed) for fixed, _ in got.values()]
            ours = [vector_programs.layout(vector_programs.repaired(plain, audit, target)) for _, plain in got.values()]
            found["programs"][name] = len(theirs)
            found["agree"][name] = sum(one == other for one, other in zip(ours, theirs, strict=True))
            found["states"][name] = sum(count for lines in theirs for count, _ in lines)
        return {"drawn": found}


class VectorKernels(Check):
    """Kernels in C with lane reads, DPP, divisions, copies to LDS, packed instructions and settings, compiled by clang.

    Shows: whether the audit is silent, asks for the same states at the same places once they are taken out, and for all
      states of an s_nop that is taken out alone.
    Does not show: other kernels.
    """

    claim = "MFMA-079"
    kind = "compiler"
    witness = "clang"
    binds = ("kernels",)

    def observe(self, target, tools):
        codes = told(vector_kernels.compiled, tools.clang, target).values()
        found = {"compiled": len(codes), "clean": 0, "as_many": 0, "s_nops": 0, "found_missing": 0}
        for code in codes:
            found["clean"] += not audit("\n".join(code), target).dependencies
            bare = [line for line in code if not line.startswith("s_nop")]
            found["as_many"] += vector_programs.repaired(bare, audit, target) == code
            for place in [number for number, line in enumerate(code) if line.startswith("s_nop")]:
                gaps = audit("\n".join(code[:place] + code[place + 1 :]), target).dependencies
                found["s_nops"] += 1
                most = max([item["missing"] for item in gaps], default=0)
                found["found_missing"] += most == int(code[place].split()[1]) + 1
        return {"kernels": found}
