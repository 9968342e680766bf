# SPDX-License-Identifier: Apache-2.0
"""Checks that put pairs of instructions to a compiler or to the model and read the wait states or slots between them.

Which pairs a claim asks about stands in tables, matrix_pairs and wmma_pairs of the witnesses; here stands who is asked.
"""

from cdna.mfma.audit import audit
from cdna.mfma.hazards import waits
from cdna_evidence.witnesses import matrix_pairs, wmma_pairs

from .answers import told
from .api import CannotTell, Check

# What the model calls by its mnemonic and the table by a word.
_MNEMONICS = {"dot": "v_dot4_i32_i8", "fma64": "v_fma_f64", "lane-swap": "v_permlane32_swap_b32"}


def by_model(target, asked):
    """Return the model's states for a nested dict of pairs."""

    def states(pair):
        return waits(target, *(_MNEMONICS.get(word, word) for word in pair)).states

    return matrix_pairs.answered(asked, states)


def in_mir(tools, target, programs):
    """Return {name: wait states} that llc's hazard pass adds to programs, given as {name: lines of MIR}.

    Raises: CannotTell: the pass gave none.
    """
    compiled, states = tools.witness("llc").wait_states(target, list(programs.items()))
    if not states:
        raise CannotTell(f"{compiled.outcome}: {compiled.diagnostic}")
    return states


def slots(witness, target, asked, extra=()):
    """Return a nested dict of pairs of gfx1250 as V_NOPs. Raises: CannotTell: a pair was not told."""
    return told(wmma_pairs.by, witness, target, asked, extra)


def missing(target, *lines):
    """Return the states that the model's audit finds missing in front of the last line."""
    found = audit("\n".join(lines) + "\ns_endpgm\n", target)
    return max([item["missing"] for item in found.dependencies if item["then"]["line"] == len(lines)], default=0)


class _Pairs(Check):
    def asked(self):
        """Return those of the claim's pairs whose states are bound."""
        return {key: matrix_pairs.PAIRS[self.claim][key] for key in self.binds}


class ModelPairs(_Pairs):
    """Base: asks the model."""

    kind = "model"

    def observe(self, target, tools):
        return by_model(target, self.asked())


class ClangPairs(_Pairs):
    """Base: asks clang, or another compiler of LLVM IR."""

    kind = "compiler"
    witness = "clang"

    def observe(self, target, tools):
        return told(matrix_pairs.by_clang, tools.witness(self.witness), target, self.asked())


class LlcPairs(_Pairs):
    """Base: asks llc through MIR."""

    kind = "compiler"
    witness = "llc"

    def observe(self, target, tools):
        return told(matrix_pairs.by_llc, tools.witness(self.witness), target, self.asked())
