# SPDX-License-Identifier: Apache-2.0
"""Change each published value and see whether some check goes red: the proof that values are bound to checks.

A mutant is one claim's values with one leaf changed. Only `judge` runs again: the observation is kept. Killed means that
`judge` said so; an exception is a survivor, since it says nothing about the value.
"""

import copy

from cdna_evidence.register import models


def leaves(values, path=()):
    """Yield (path, value) for each leaf and each list of nested values.

    Args: values: a claim's values for one target and position; path: where they stand, a tuple of keys and indices.
    """
    if isinstance(values, dict):
        for key in values:
            yield from leaves(values[key], path + (key,))
        return
    yield path, values
    if isinstance(values, list):
        for i, item in enumerate(values):
            yield from leaves(item, path + (i,))


def variants(path, value):
    """Yield (label, changed value) for one leaf: what a typing error or a wrong source would put there.

    Args: path: where the leaf stands; value: int, bool, text or list.
    """
    if isinstance(value, bool):
        yield f"{value} -> {not value}", not value
    elif isinstance(value, int):
        for other in dict.fromkeys((value - 1, value + 1, value * 2)):
            if other != value:
                yield f"{value} -> {other}", other
    elif isinstance(value, str):
        for other in _texts(value):
            yield f"{value} -> {other}", other
    elif isinstance(value, list):
        # An empty list would not be a legal value, so the only item of a list cannot be dropped.
        if is_set(path):
            if len(value) > 1:
                yield "one dropped", value[:-1]
            yield "one added", value + [_unlike(value[-1])]
            return
        if len(value) > 1:
            yield "last dropped", value[:-1]
        for i in range(len(value) - 1):
            if value[i] != value[i + 1]:
                yield f"[{i}] and [{i + 1}] swapped", value[:i] + [value[i + 1], value[i]] + value[i + 2 :]
                break


def is_set(path):
    """Say whether the list at this path is a set: its name ends in `_set`, its order means nothing."""
    names = [part for part in path if isinstance(part, str)]
    return bool(names) and names[-1].endswith("_set")


def changed(values, path, value):
    """Return a deep copy of the values with one leaf replaced."""
    result = copy.deepcopy(values)
    place = result
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return result


def dotted(path):
    """Return a path as people write it: `dwords_by_code[3]`, `positions.type[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + part
    return text


def mutants(values):
    """Yield (leaf, label, mutant) for every leaf of a claim's values; leaf is the dotted path."""
    for path, value in leaves(values):
        for label, other in variants(path, value):
            yield dotted(path), label, changed(values, path, other)


def judge_mutants(judge, observed, values):
    """Return {(leaf, label): "killed" | "survived" | "raised ..."} for one check.

    Args: judge: the check's bound `judge`; observed: its kept observation; values: the unchanged values.
    """
    found = {}
    for leaf, label, mutant in mutants(values):
        try:
            found[leaf, label] = "killed" if judge(observed, mutant) else "survived"
        except Exception as error:  # noqa: BLE001 - whatever judge raises, the mutant was not killed by a verdict
            found[leaf, label] = f"raised {type(error).__name__}: {error}"
    return found


def vacuous(judge, observed, values):
    """Return the degenerate observations that this check lets pass: a check that cannot fail is a defect.

    Args: as for `judge_mutants`. Returns: names out of "empty", "lists empty", "accepts everything", "rejects everything".
    """
    found = []
    for name, other in _degenerate(observed):
        try:
            passed = not judge(other, values)
        except Exception:  # noqa: BLE001 - an exception is not a pass
            passed = False
        if passed:
            found.append(name)
    return found


def _degenerate(observed):
    yield "empty", type(observed)() if isinstance(observed, (dict, list, str)) else None
    for name, change in (
        ("lists empty", lambda leaf: [] if isinstance(leaf, list) else leaf),
        ("accepts everything", lambda leaf: True if isinstance(leaf, bool) else leaf),
        ("rejects everything", lambda leaf: False if isinstance(leaf, bool) else leaf),
    ):
        other = _mapped(observed, change)
        if other != observed:
            yield name, other


def _mapped(value, change):
    new = change(value)
    if isinstance(new, dict):
        return {key: _mapped(item, change) for key, item in new.items()}
    if isinstance(new, list):
        return [_mapped(item, change) for item in new]
    return new


def _texts(value):
    """Other members of the leaf's enumeration, or the same name with one letter changed."""
    for members in models.ENUMERATIONS.values():
        if value in members:
            yield from (other for other in members if other != value)
            return
    for i in range(len(value) - 1, -1, -1):
        if value[i].isalnum():
            yield value[:i] + _next(value[i]) + value[i + 1 :]
            return


def _next(letter):
    """The next letter or digit of the same kind, so that the mutant is still a name."""
    for alphabet in ("0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
        if letter in alphabet:
            return alphabet[(alphabet.index(letter) + 1) % len(alphabet)]
    return "x"


def _unlike(item):
    if isinstance(item, bool):
        return not item
    if isinstance(item, int):
        return item * 2 + 1
    if isinstance(item, str):
        return next(iter(_texts(item)), item + "x")
    return [item]
