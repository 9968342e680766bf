# SPDX-License-Identifier: Apache-2.0
"""Descriptor words in text that other programs print: compilers' IR, a debugger's register dump."""

from typing import NamedTuple


class Found(NamedTuple):
    """One descriptor found in a text.

    name: where it stands, such as "line 12"; words: 4, 12, 16 or 20 entries, None where a word is not constant there;
    op: "load", "store" or None; notes: of (rule, severity, message, claim, field), what the text itself shows.
    """

    name: str
    words: tuple
    op: str | None
    notes: tuple = ()


class Unreadable(ValueError):
    """The text looks like one of these forms and cannot be read; the message says where."""
