# SPDX-License-Identifier: Apache-2.0
"""What checks share: a compiler's answer, and a limit found by search."""

import pytest

from cdna_evidence.checks import CannotTell
from cdna_evidence.checks.answers import assembly, instructions, taken, told, verdict
from cdna_evidence.checks.search import largest
from cdna_evidence.witnesses.face import Compiled, answer


def test_accepted_and_refused_are_answers_and_a_crash_is_none():
    """A crash says nothing about what was asked."""
    assert [verdict(answer(word, "")) for word in ("accepted", "rejected")] == ["accept", "reject"]
    with pytest.raises(CannotTell, match="crashed"):
        taken(answer("crashed", ""))


def test_code_is_read_from_what_was_compiled():
    """Labels, directives and comments are no instructions; a refusal has none."""
    text = "k:\n\t.p2align 8\n\ts_nop 0 ; a comment\n\ts_endpgm\n.Lend:\n"

    assert instructions(Compiled("accepted", text, "", "")) == ["s_nop 0", "s_endpgm"]
    with pytest.raises(CannotTell, match="rejected: no such processor"):
        assembly(Compiled("rejected", "", "no such processor", ""))


def test_what_a_witness_could_not_answer_cannot_be_told():
    """Functions of witnesses raise ValueError for want of an answer."""
    assert told(int, "12") == 12
    with pytest.raises(CannotTell, match="invalid literal"):
        told(int, "twelve")


@pytest.mark.parametrize("limit", (1, 2, 99, 1023))
def test_the_largest_that_fits(limit):
    assert largest(lambda size: size <= limit, 1, 1024) == limit


@pytest.mark.parametrize("fits", (True, False))
def test_no_limit_without_a_bracket(fits):
    """Everything fits, or nothing does: there is no limit to be found."""
    with pytest.raises(CannotTell, match="no bracket"):
        largest(lambda _: fits, 1, 1024)
