# SPDX-License-Identifier: Apache-2.0
"""What every witness says, in the same words: answers, compilations, and that a witness is missing."""

from typing import NamedTuple

OUTCOMES = ("accepted", "rejected", "crashed", "timeout", "flooded", "unknown-target")
# Outcomes that say something about the question. The others say that the question was not answered.
TOLD = ("accepted", "rejected")


class Missing(Exception):
    """A witness is not on this machine, or cannot answer this kind of question here.

    Args: reason: one sentence; how_to_get: one command or sentence.
    """

    def __init__(self, reason, how_to_get):
        super().__init__(f"{reason}; to get it: {how_to_get}")
        self.reason = reason
        self.how_to_get = how_to_get


class Answer(NamedTuple):
    """One instruction, assembled or disassembled.

    outcome: one of OUTCOMES; accepted: True, False, or None where the question was not answered.
    bytes: the encoding in memory order, None unless it is known in full.
    text: the instruction as the witness prints it; the given line where it printed nothing.
    diagnostic: what it said, "" for nothing; command: one line to paste that repeats it.
    kept: True when the answer is from the cache and not from this run.
    """

    outcome: str
    accepted: bool | None
    bytes: bytes | None
    text: str
    diagnostic: str
    command: str
    kept: bool = False


class Compiled(NamedTuple):
    """One compilation to assembly text (or to MIR text, where that was asked for).

    outcome: one of OUTCOMES; assembly: the text, "" unless accepted; diagnostic, command, kept: as in Answer.
    """

    outcome: str
    assembly: str
    diagnostic: str
    command: str
    kept: bool = False

    @property
    def accepted(self):
        """True or False where the compiler answered, else None."""
        return accepted_of(self.outcome)


class Object(NamedTuple):
    """One compilation to an object file.

    outcome: one of OUTCOMES; data: the file, empty unless accepted; diagnostic, command, kept: as in Answer.
    """

    outcome: str
    data: bytes
    diagnostic: str
    command: str
    kept: bool = False

    @property
    def accepted(self):
        """True or False where the compiler answered, else None."""
        return accepted_of(self.outcome)


class Words(NamedTuple):
    """The descriptors that a program built for one copy.

    outcome: one of OUTCOMES; descriptors: tuple of descriptors, each a tuple of 12 or 20 words, empty unless accepted;
    diagnostic, command, kept: as in Answer.
    """

    outcome: str
    descriptors: tuple
    diagnostic: str
    command: str
    kept: bool = False

    @property
    def words(self):
        """The words of the only descriptor, or None where there are none or several."""
        return self.descriptors[0] if len(self.descriptors) == 1 else None


class Status(NamedTuple):
    """One line of `cdna witnesses`: what is here, or why not and how to get it.

    answers: the kinds of question, such as "assemble"; digest: SHA-256 of the program file, 64 hex digits.
    """

    name: str
    here: bool
    title: str
    answers: tuple
    version: str | None
    revision: str | None
    digest: str | None
    package: str | None
    reason: str | None
    how_to_get: str


def accepted_of(outcome):
    """Return True for "accepted", False for "rejected", None for every other outcome."""
    return {"accepted": True, "rejected": False}.get(outcome)


def answer(outcome, text, data=None, diagnostic="", command="", kept=False):
    """Return an Answer whose `accepted` follows from its outcome."""
    return Answer(outcome, accepted_of(outcome), data, text, diagnostic, command, kept)


def hex_bytes(data):
    """Return bytes as people write them, in memory order: "01 00 71 d0"; None stays None."""
    return None if data is None else data.hex(" ")
