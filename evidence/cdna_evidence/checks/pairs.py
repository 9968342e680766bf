# SPDX-License-Identifier: Apache-2.0
"""Checks that put pairs of instructions to a compiler and read the wait states between them."""

from cdna_evidence.witnesses import matrix_pairs

from .api import CannotTell, Check


def told(ask, witness, target, asked):
    """Return by_clang or by_llc of matrix_pairs for a nested dict of pairs.

    Raises: CannotTell: a pair got no answer.
    """
    try:
        return ask(witness, target, asked)
    except ValueError as error:
        raise CannotTell(str(error)) from None


class ClangPairs(Check):
    """Base: asks clang through LLVM IR what `asked` returns, a nested dict of (first, then, via)."""

    kind = "compiler"
    witness = "clang"

    def asked(self, target):
        """Return the pairs, a nested dict with the shape of the claim's values."""
        raise NotImplementedError

    def observe(self, target, tools):
        return told(matrix_pairs.by_clang, tools.clang, target, self.asked(target))


class LlcPairs(ClangPairs):
    """Base: asks llc through MIR."""

    witness = "llc"

    def observe(self, target, tools):
        return told(matrix_pairs.by_llc, tools.witness("llc"), target, self.asked(target))
