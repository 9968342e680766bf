# SPDX-License-Identifier: Apache-2.0
"""The instruction that a finished transfer stands for, asked of a real assembler."""

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import verdict


class ArriveInstruction(Check):
    """The arrival is assembled for three targets, and disassembled again.

    Shows: where the instruction exists, its name and its first word.
    Does not show: that the engine sends it.
    """

    claim = "TDM-097"
    kind = "compiler"
    witness = "clang"
    binds = ("mnemonic", "assembles", "word")

    def observe(self, target, tools):
        line = "ds_atomic_async_barrier_arrive_b64 v0"
        verdicts, whole = {}, None
        for name in ("gfx942", "gfx950", "gfx1250"):
            answer = tools.clang.assemble(name, [line])[0]
            verdicts[name] = verdict(answer)
            if name == target and answer.accepted:
                whole = answer.bytes
        if whole is None:
            raise CannotTell(f"{target} does not take it")
        again = tools.clang.disassemble(target, whole)
        return {"mnemonic": again[0].text.split()[0], "assembles": verdicts, "word": whole[:4].hex(" ")}
