# SPDX-License-Identifier: Apache-2.0
"""What checks make of a compiler's answer: a crash, a time-out, or a refusal where code was wanted, tells nothing."""

import re

from .api import CannotTell


def taken(answer):
    """Return whether something was accepted. Raises: CannotTell: neither accepted nor refused."""
    if answer.accepted is None:
        raise CannotTell(f"{answer.outcome}: {answer.diagnostic[:200]}")
    return answer.accepted


def verdict(answer):
    """Return "accept" or "reject". Raises: as `taken`."""
    return "accept" if taken(answer) else "reject"


def accepted(clang, target, lines):
    """Return {name: whether the assembler takes it} for instructions given as {name: text}. Raises: as `taken`."""
    return {name: taken(answer) for name, answer in zip(lines, clang.assemble(target, list(lines.values())), strict=True)}


def assembly(compiled):
    """Return the text of compiled code. Raises: CannotTell: it was not compiled."""
    if not compiled.accepted:
        raise CannotTell(f"{compiled.outcome}: {compiled.diagnostic[:200]}")
    return compiled.assembly


def instructions(compiled):
    """Return the instructions of compiled code, without comments. Raises: as `assembly`."""
    lines = assembly(compiled).splitlines()
    return [line.split(";")[0].strip() for line in lines if re.match(r"\s+[a-z]\w+", line)]


def told(ask, *given):
    """Return ask(*given). Raises: CannotTell: it raised a ValueError, as functions of witnesses do for want of an answer."""
    try:
        return ask(*given)
    except ValueError as error:
        raise CannotTell(str(error)) from None
