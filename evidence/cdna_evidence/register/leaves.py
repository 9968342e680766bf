# SPDX-License-Identifier: Apache-2.0
"""The leaves of a claim's values: what may stand there, and a walk over them."""

import re

from .models import FIELD_WORDS, SNAKE, enumeration_of

_INNER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*\Z")
_HEX_BYTES = re.compile(r"[0-9a-f]{2}( [0-9a-f]{2})+\Z|[0-9a-f]{8}( [0-9a-f]{8})+\Z")
_TOKEN = re.compile(r"[A-Za-z0-9_./:+\[\]-]{1,100}\Z")
_NAMED = re.compile(r"[0-9_]|[A-Za-z][./:-][A-Za-z]")  # what tells a name from a word of English
_HYPHENS = re.compile(r"[a-z]+(-[a-z]+){6,}\Z")

TEXT_ALLOWED = (
    "one word: a mnemonic, field name, path, version or hex bytes, or a member of a declared enumeration (register/models.py, ENUMERATIONS)"
)


def leaves(values, path=()):
    """Yield (path, leaf) for every int, bool and text in nested dicts and lists, in order."""
    if isinstance(values, dict):
        for name, item in values.items():
            yield from leaves(item, path + (name,))
    elif isinstance(values, list):
        for index, item in enumerate(values):
            yield from leaves(item, path + (index,))
    else:
        yield path, values


def leaf_problem(leaf):
    """Return what is allowed when a leaf is wrong, or None when it is right."""
    if isinstance(leaf, bool):
        return None
    if isinstance(leaf, int):
        return None if -(2**64) < leaf < 2**64 else "an integer below 2^64"
    if not isinstance(leaf, str):
        return "an integer, true, false or text"
    return None if text_leaf(leaf) else TEXT_ALLOWED


def text_leaf(word):
    """Return True when a text may stand in values: a name or a declared word, never prose."""
    if enumeration_of(word) or word in FIELD_WORDS or _HEX_BYTES.match(word):
        return True
    named = _TOKEN.match(word) and _NAMED.search(word)
    return bool(named) and not _HYPHENS.match(word)


def values_problems(values, path=()):
    """Return [(path, given, allowed)] of one target's values (a dict of names)."""
    found = []
    for name, item in values.items():
        if not SNAKE.match(name):
            found.append((path + (name,), name, "a name in lower case with underscores"))
        found += _item_problems(item, path + (name,))
    return found


def _item_problems(item, path):
    if isinstance(item, dict):
        found = [] if item else [(path, "{}", "not empty")]
        for name, inner in item.items():
            if not _INNER.match(name):
                found.append((path + (name,), name, "a name of letters, digits, _ . -"))
            found += _item_problems(inner, path + (name,))
        return found
    if isinstance(item, list):
        found = [] if item else [(path, "[]", "not empty")]
        for index, inner in enumerate(item):
            found += _item_problems(inner, path + (index,))
        return found
    allowed = leaf_problem(item)
    return [(path, item, allowed)] if allowed else []
