# SPDX-License-Identifier: Apache-2.0
"""Mutants: every leaf is changed in the ways the design names, and only a verdict kills."""

import pytest

from cdna_evidence.checks import differences, falsify


def labels(value, path=("x",)):
    return [label for label, _ in falsify.variants(path, value)]


def test_integer_is_lowered_raised_and_doubled():
    """An off-by-one in either direction and a wrong unit are tried."""
    assert [other for _, other in falsify.variants(("x",), 7)] == [6, 8, 14]


def test_zero_has_no_double():
    """Doubling zero would change nothing, so it is no mutant."""
    assert [other for _, other in falsify.variants(("x",), 0)] == [-1, 1]


def test_flag_is_flipped_and_not_taken_for_a_number():
    """True is an int in Python; it must be flipped, not doubled."""
    assert [other for _, other in falsify.variants(("x",), True)] == [False]


def test_list_loses_its_last_and_swaps_unequal_neighbours():
    """Swapping equal neighbours would change nothing."""
    assert [other for _, other in falsify.variants(("x",), [1, 1, 2])] == [[1, 1], [1, 2, 1]]


def test_only_item_is_not_dropped():
    """An empty list is not a legal value, so it would be no fair mutant."""
    assert labels([5]) == []


def test_set_loses_one_and_gains_one_but_is_not_reordered():
    """The order of a set means nothing, so a swap would survive rightly."""
    assert labels(["a1", "b2"], ("names_set",)) == ["one dropped", "one added"]


def test_text_becomes_another_name():
    """One letter changes, and the result is still a name."""
    (other,) = [other for _, other in falsify.variants(("x",), "tile_dim0")]

    assert other != "tile_dim0"
    assert len(other) == len("tile_dim0")


def test_every_leaf_of_nested_values_is_reached():
    """Lists count as leaves and are entered as well."""
    values = {"a": {"b": [1, 2]}, "c": True}

    assert [falsify.dotted(path) for path, _ in falsify.leaves(values)] == ["a.b", "a.b[0]", "a.b[1]", "c"]


def test_mutant_leaves_the_original_alone():
    """The next mutant starts from the published values again."""
    values = {"a": [1, 2]}

    list(falsify.mutants(values))

    assert values == {"a": [1, 2]}


def test_only_a_verdict_kills():
    """A judge that raises has said nothing about the value."""

    def judge(observed, values):
        if values["a"] == 2:
            raise KeyError("a")
        return differences("a", observed["a"], values["a"])

    judged = falsify.judge_mutants(judge, {"a": 1}, {"a": 1, "unbound": 9})

    assert judged["a", "1 -> 0"] == "killed"
    assert judged["a", "1 -> 2"].startswith("raised KeyError")
    assert judged["unbound", "9 -> 8"] == "survived"


@pytest.mark.parametrize(
    ("judge", "expected"),
    [
        (lambda observed, values: [], ["empty", "lists empty", "accepts everything", "rejects everything"]),
        (lambda observed, values: [] if all(observed.get("ok", [])) else ["no"], ["empty", "lists empty", "accepts everything"]),
        (lambda observed, values: differences("ok", observed["ok"], [True, False]), []),
    ],
)
def test_check_that_cannot_fail_is_named(judge, expected):
    """An empty observation, one that accepts and one that rejects everything must not pass."""
    assert falsify.vacuous(judge, {"ok": [True, False]}, {}) == expected


@pytest.mark.parametrize(
    ("observed", "expected"),
    [
        ([1, 2], [1, 2, 3]),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 1}),
        (True, 1),
        (1, "1"),
        (None, 0),
    ],
)
def test_difference_in_length_keys_or_type_is_found(observed, expected):
    """zip() would hide a missing tail, and True == 1 in Python."""
    assert differences("x", observed, expected)


def test_no_difference():
    """Tuples and lists are one thing, as in JSON."""
    assert differences("x", {"a": (1, [2])}, {"a": [1, (2,)]}) == []
