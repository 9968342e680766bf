# SPDX-License-Identifier: Apache-2.0
"""One thing to say about a descriptor, and how loud to say it.

An error is something no source allows. A warning is something that copies other bytes than most people mean, or on
which the sources disagree; its text then says so. Info is worth knowing and changes nothing. Where something can be
done about it, the text ends with "Fix:" and what to write instead.
"""

from typing import NamedTuple


class Finding(NamedTuple):
    """One thing to say about a descriptor."""

    rule: str  # stable name
    severity: str  # error, warning, info
    message: str
    claim: str
    field: object  # raw field name, or None


def error(rule, message, claim, field=None):
    """Return a Finding of severity error."""
    return Finding(rule, "error", message, claim, field)


def warning(rule, message, claim, field=None):
    """Return a Finding of severity warning."""
    return Finding(rule, "warning", message, claim, field)


def note(rule, message, claim, field=None):
    """Return a Finding of severity info."""
    return Finding(rule, "info", message, claim, field)


def in_order(found):
    """Return findings with errors first, then warnings, otherwise as they came."""
    return [item for severity in ("error", "warning", "info") for item in found if item.severity == severity]
