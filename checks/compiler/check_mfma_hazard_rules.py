# SPDX-License-Identifier: Apache-2.0
"""The rules for wait states, one claim each, and the passes they follow from, as compilers insert them."""

from cdna_evidence.checks import Check
from cdna_evidence.checks.answers import assembly, told
from cdna_evidence.checks.pairs import ClangPairs, LlcPairs
from cdna_evidence.witnesses import matrix
from cdna_evidence.witnesses import matrix_pairs as pairs


def _text(s):
    """One matrix instruction in assembly."""

    def at(first, count):
        return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"

    tail = {"smfmac": "v40", "mfma": at(96, s.d), "mfma_scale": at(96, s.d) + ", v40, v42"}[s.kind]
    return f"{s.mnemonic} {at(64, s.d)}, {at(0, s.a)}, {at(8, s.b)}, {tail}"


class PassTable(Check):
    """Every matrix instruction that the assembler takes is followed by a reader of its result; the states are counted.

    Shows: how many instructions there are, and how many get each number of states.
    Does not show: the passes themselves, of which the states are a function.
    """

    claim = "MFMA-061"
    kind = "compiler"
    witness = "clang"
    binds = ("instructions", "by_read_states")

    def observe(self, target, tools):
        names = self._names(target, tools)
        states = told(pairs.by_clang, tools.clang, target, {name: (name, "valu", "read") for name in names})
        counted = {}
        for count in states.values():
            counted[str(count)] = counted.get(str(count), 0) + 1
        return {"instructions": len(names), "by_read_states": counted}

    def _names(self, target, tools):
        """Ask the assembler for every shape and type: which of them are instructions."""
        blocks = {"4x4": ("16b_", "4b_"), "16x16": ("", "4b_"), "32x32": ("", "2b_")}
        pair = [f"{a}_{b}" for a in ("fp8", "bf8") for b in ("fp8", "bf8")]
        types = [("f32", name) for name in ["f32", "f16", "bf16", "xf32", "f8f6f4", *pair]] + [
            ("i32", "i8"),
            ("f64", "f64"),
        ]
        names = []
        for head in ("mfma", "smfmac", "mfma_scale"):
            for side, counts in blocks.items():
                for k in (1, 2, 4, 8, 16, 32, 64, 128):
                    for count in counts:
                        names += [f"v_{head}_{result}_{side}x{k}_{count}{name}" for result, name in types]
        lines, kept = [], []
        for name in names:
            s = matrix.shape(name)
            if min(s.a, s.b, s.d) >= 1 and max(s.a, s.b) <= 8 and s.d <= 32:
                kept.append(name)
                lines.append(_text(s))
        answers = tools.clang.assemble(target, lines)
        return [name for name, answer in zip(kept, answers, strict=True) if answer.accepted]


class F8f6f4(Check):
    """The states before C is overwritten, which the rule makes passes less one, plus one, for four pairs of formats.

    Shows: the passes this compiler computes with.
    Does not show: cycles of a device.
    """

    claim = "MFMA-062"
    kind = "compiler"
    witness = "clang"
    binds = ("k128", "k64")

    def observe(self, target, tools):
        codes = {"fp8_fp8": (0, 0), "bf8_fp4": (1, 4), "fp4_fp4": (4, 4), "fp6_bf6": (2, 3)}
        shapes = {"k128": "v_mfma_f32_16x16x128_f8f6f4", "k64": "v_mfma_scale_f32_32x32x64_f8f6f4"}
        asked = {
            key: {name: (f"{op} cbsz:{a} blgp:{b}", "valu", "c-war") for name, (a, b) in codes.items()}
            for key, op in shapes.items()
        }
        found = told(pairs.by_clang, tools.clang, target, asked)
        return {key: {name: 1 + count for name, count in row.items()} for key, row in found.items()}


class MatrixInput(ClangPairs):
    """A of a 4-pass instruction is a part of a result, family by family.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-063"
    binds = ("xdl", "sgemm", "dgemm")


class Overlap(ClangPairs):
    """C overlaps a result in part, where the compiler inserts something.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs; the pairs where nothing is inserted (a check with llc does).
    """

    claim = "MFMA-064"
    binds = ("xdl_to_xdl", "xdl_to_others", "sgemm_to_others", "dgemm_to_others")


class OverlapNothing(LlcPairs):
    """C of an XDL instruction overlaps an f32 or f64 result in part, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-064"
    binds = ("sgemm_to_xdl", "dgemm_to_xdl")


class Exact(ClangPairs):
    """Exact chains of one opcode, family by family.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-065"
    binds = ("xdl", "sgemm", "dgemm")


class ResultRead(ClangPairs):
    """A vector instruction reads a result, family by family.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-066"
    binds = ("xdl", "sgemm", "dgemm")


class ResultMemoryRead(ClangPairs):
    """A store reads a result, family by family.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-067"
    binds = ("xdl", "sgemm", "dgemm")


class ResultOverwritten(ClangPairs):
    """A load overwrites a result, family by family.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-068"
    binds = ("xdl", "sgemm", "dgemm")


class Fma64(ClangPairs):
    """A 64-bit multiply-add that shares no register follows an f64 matrix instruction.

    Shows: the states that this compiler inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-069"
    binds = ("small", "large")


class MatrixOrder(LlcPairs):
    """Matrix instructions that overwrite each other's D or C, or share nothing, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-070"
    binds = ("overwrites_result", "overwrites_c", "independent")


class TransResult(LlcPairs):
    """An addition reads what an exponential wrote, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-071"
    binds = ("wait_states",)


class VectorPairs(LlcPairs):
    """Lane reads, DPP, divide fix-up, vector and memory instructions behind the vector instruction that they read, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs; instructions of other names that the pass treats alike.
    """

    claim = "MFMA-076"
    binds = ("vector", "scalar", "exec")


class StoreData(Check):
    """A 16-byte store and a vector instruction that overwrites its data, with a scalar instruction and a branch between.

    Shows: what the hazard pass inserts in each case.
    Does not show: what hardware needs.
    """

    claim = "MFMA-072"
    kind = "compiler"
    witness = "llc"
    binds = ("adjacent", "after_one_scalar", "behind_a_branch")

    def observe(self, target, tools):
        store = "GLOBAL_STORE_DWORDX4 $vgpr20_vgpr21, $vgpr0_vgpr1_vgpr2_vgpr3, 0, 0, implicit $exec"
        move = "$vgpr0 = V_MOV_B32_e32 0, implicit $exec"
        scalar = "$exec = S_OR_B64 $exec, killed $sgpr0_sgpr1, implicit-def $scc"
        mir = matrix.function("adjacent", [store, move]) + matrix.function("after_one_scalar", [store, scalar, move])
        mir += f"""---
name: behind_a_branch
body: |
  bb.0:
    successors: %bb.1, %bb.2
    S_CBRANCH_EXECZ %bb.2, implicit $exec

  bb.1:
    successors: %bb.2
    {store}

  bb.2:
    {scalar}
    {move}
    S_ENDPGM 0
...
"""
        return matrix.inserted(assembly(tools.witness("llc").run_pass(target, mir)), list(self.binds))


class LaneSwap(LlcPairs):
    """A lane swap follows a vector write of its operand, or a vector compare that writes EXEC, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-073"
    binds = ("after_vector", "after_exec")


class DotResult(LlcPairs):
    """An addition reads or overwrites what a dot product wrote, in MIR.

    Shows: the states that the hazard pass inserts.
    Does not show: what hardware needs.
    """

    claim = "MFMA-074"
    binds = ("read", "overwritten")
