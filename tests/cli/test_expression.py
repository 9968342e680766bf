# SPDX-License-Identifier: Apache-2.0
"""Expressions: Python's own answers, and errors with their place instead of hangs and tracebacks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna_evidence.cli.expression import ExpressionError, parse

LEAF = st.one_of(st.just("lane"), st.integers(0, 999).map(str), st.integers(0, 255).map(hex))


def grow(inner):
    binary = st.tuples(inner, st.sampled_from(("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")), inner).map(
        " ".join
    )
    call = st.tuples(st.sampled_from(("min", "max")), inner, inner).map(lambda part: f"{part[0]}({part[1]}, {part[2]})")
    return st.one_of(binary, call, inner.map("({})".format), st.tuples(st.sampled_from("-+~"), inner).map("".join))


@given(st.recursive(LEAF, grow, max_leaves=8), st.integers(0, 63))
def test_python_agrees(text, lane):
    try:
        value = parse(text).at(lane=lane)
    except ExpressionError:
        return
    assert value == eval(text, {"__builtins__": {}, "lane": lane, "min": min, "max": max})  # noqa: S307 - the text was made here


def test_the_example_of_the_command():
    expression = parse("(lane%16)*144+(lane//16)*16")
    assert [expression.at(lane=lane) for lane in (0, 1, 16, 63)] == [0, 144, 16, 15 * 144 + 48]


@pytest.mark.parametrize(
    "text, said",
    [
        ("", "column 1: a number, lane or ("),
        ("lane +", "column 7"),
        ("lane lane", "column 6: unexpected 'lane'"),
        ("lane.x", "column 5: unexpected '.'"),
        ("__import__('os')", "unknown name '__import__': lane"),
        ("lane/2", "// divides"),
        ("2**64", "there is no"),
        ("1.5", "a whole number"),
        ("0x", "a whole number"),
        ("12lane", "a whole number"),
        ("(lane", "opened at column 1 is not closed"),
        ("lane)", "unexpected ')'"),
        ("9223372036854775808", "does not fit 64 bits"),
        ("9" * 900, "does not fit 64 bits"),
        ("1" * 1001, "at most 1000"),
        ("(" * 60 + "1" + ")" * 60, "nested more than 50"),
        ("-" * 60 + "1", "nested more than 50"),
        ("lane; 1", "unexpected ';'"),
        ("lane, 1", "column 5: unexpected ','"),
        ("min", "column 4: min takes two values"),
        ("min(lane)", "column 9: min takes two values"),
        ("max(1, 2, 3)", "column 9: max takes two values"),
        ("min(" * 60 + "1", "nested more than 50"),
        ("λ", "unexpected"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(text, said):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert said in str(caught.value) and caught.value.column >= 1


@pytest.mark.parametrize(
    "text, said",
    [
        ("1//lane", "division by zero"),
        ("5%lane", "division by zero"),
        ("1<<64", "0..63"),
        ("1>>(0-1)", "0..63"),
        ("(1<<62)*4", "leaves 64 bits"),
    ],
)
def test_what_cannot_be_worked_out_is_named(text, said):
    with pytest.raises(ExpressionError, match=said.replace(".", r"\.")):
        parse(text).at(lane=0)


def test_other_names():
    assert parse("a - b * 2", ("a", "b")).at(a=10, b=3) == 4
