# SPDX-License-Identifier: Apache-2.0
"""One check becomes one record, whatever it does; and what a run says about every value."""

import types

import pytest

from cdna_evidence.checks import CannotTell, Check, results
from cdna_evidence.checks.api import NotHere
from cdna_evidence.checks.run import run


def claim(identity="XX-001", status="active", targets=("gfx1250",), values=None, positions=None, untestable=None):
    """A claim as far as the runner looks at it; `positions` maps names to their own values."""

    def values_for(target, position=None):
        return {**(values or {}), **((positions or {}).get(position) or {})}

    return types.SimpleNamespace(
        id=identity, key="x.y", chapter="x", status=status, revision=3, targets=list(targets), untestable=untestable,
        values_for=values_for, position_names=lambda: list(positions) if positions else [None],
    )  # fmt: skip


def register(*claims):
    return types.SimpleNamespace(claims={item.id: item for item in claims})


class Good(Check):
    """Finds one.

    Shows: that one is one.
    Does not show: anything else.
    """

    claim = "XX-001"
    kind = "model"
    binds = ("a",)

    def observe(self, target, tools):
        return {"a": 1}


def record(check, values=None, **kwargs):
    return run(check, "checks/x.py::X", "gfx1250", register(claim(values=values or {"a": 1}, **kwargs)))


def test_passed_record_names_everything():
    """A record can be read without the check at hand."""
    found = record(Good)

    assert found["outcome"] == "passed"
    assert (found["claim"], found["revision"], found["target"], found["position"]) == ("XX-001", 3, "gfx1250", None)
    assert found["observed"] == {"a": 1}
    assert (found["shows"], found["not_shows"]) == ("that one is one.", "anything else.")


def test_difference_is_a_failure():
    """The reason says what was found and what was published."""
    found = record(Good, {"a": 2})

    assert found["outcome"] == "failed"
    assert "observed 1, published 2" in found["reason"]


@pytest.mark.parametrize(
    ("error", "outcome"),
    [(CannotTell("no"), "cantTell"), (NotHere("no"), "untested"), (ZeroDivisionError("no"), "failed")],
)
def test_what_observe_raises_becomes_an_outcome(error, outcome):
    """One broken check does not end the run."""

    class Raises(Good):
        """Raises."""

        def observe(self, target, tools):
            raise error

    found = record(Raises)

    assert found["outcome"] == outcome
    assert "no" in found["reason"]


def test_judge_that_raises_is_a_failure():
    """A key that is not published is no pass."""

    class Unbound(Good):
        """Binds what is not there."""

        binds = ("b",)

    assert record(Unbound)["outcome"] == "failed"


@pytest.mark.parametrize("kind", ["compiler", "client", "vector"])
def test_check_that_drove_nothing_is_a_failure(kind):
    """A compiler check that ran no compiler would make the page lie."""
    check = type("Idle", (Good,), {"__doc__": "Idle.", "kind": kind})

    assert "drove no program" in record(check)["reason"] or "read no vector" in record(check)["reason"]


@pytest.mark.parametrize(
    ("attributes", "word"),
    [
        ({"kind": "guess"}, "kind"),
        ({"__doc__": " "}, "docstring"),
        ({"claim": "XX-999"}, "not in the register"),
        ({"position": "nobody"}, "position"),
        ({"targets": ("gfx942",)}, "targets"),
        ({"binds": ()}, "binds"),
    ],
)
def test_ill_formed_check_is_a_failure(attributes, word):
    """The reason names the attribute."""
    check = type("Ill", (Good,), {"__doc__": "Ill.", **attributes})

    found = record(check)

    assert found["outcome"] == "failed"
    assert word in found["reason"]


def test_check_of_a_withdrawn_claim_is_a_failure():
    """Nobody speaks for a withdrawn claim."""
    assert "withdrawn" in record(Good, status="withdrawn")["reason"]


def test_model_check_may_not_read_the_register():
    """Its subject is the model; the register holds the answers."""

    class Peeks(Good):
        """Peeks."""

        def observe(self, target, tools):
            return {"a": len(tools.register.claims)}

    assert "only checks of kind links or site" in record(Peeks)["reason"]


def falsified(checks, *claims, exceptions=()):
    reg = register(*claims)
    records = [
        run(check, f"checks/x.py::{check.__name__}", target, reg, falsifying=True)
        for check in checks
        for target in reg.claims[check.claim].targets
    ]
    return results.summarise(records, reg, list(reg.claims), list(exceptions))


def test_bound_values_are_killed():
    """0 and 2 in place of 1 (plus one and doubled are the same): both killed, by the model alone."""
    found = falsified([Good], claim(values={"a": 1}))

    assert (found["leaves"], found["mutants"], found["killed"]) == (1, 2, 2)
    assert found["survivors"] == found["vacuous"] == []
    assert len(found["model_only"]) == 2


def test_unbound_value_survives_and_says_why():
    """The value b is published and no check looks at it."""
    found = falsified([Good], claim(values={"a": 1, "b": True}))

    assert [(entry["leaf"], entry["why"]) for entry in found["survivors"]] == [("b", "every check let it pass")]


def test_claim_without_a_check_survives_whole():
    """No check, no binding."""
    found = falsified([], claim(values={"a": True}))

    assert [entry["why"] for entry in found["survivors"]] == ["no check of this claim, target and position"]


def test_failing_claim_binds_nothing():
    """The unchanged claim must pass first: a check that always fails would kill everything."""
    found = falsified([Good], claim(values={"a": 7}))

    assert found["killed"] == 0
    assert all("fails" in entry["why"] for entry in found["survivors"])


def test_value_whose_check_did_not_run_is_neither_green_nor_a_survivor():
    """A missing compiler says nothing about the value."""

    class Missing(Good):
        """Not here."""

        def observe(self, target, tools):
            raise NotHere("no compiler")

    found = falsified([Missing], claim(values={"a": 1}))

    assert found["killed"] == 0
    assert found["survivors"] == []
    assert len(found["not_here"]) == 2


def test_value_that_no_missing_check_binds_is_a_survivor():
    """A missing compiler excuses only what it would have judged."""

    class Missing(Good):
        """Not here."""

        def observe(self, target, tools):
            raise NotHere("no compiler")

    found = falsified([Missing], claim(values={"a": 1, "b": True}))

    assert {entry["leaf"] for entry in found["not_here"]} == {"a"}
    assert {entry["leaf"] for entry in found["survivors"]} == {"b"}


def test_positions_are_bound_apart():
    """A check of one position does not bind the other's value; common values are bound by any position."""

    class First(Good):
        """First."""

        position = "first"
        binds = ("a", "common")

        def observe(self, target, tools):
            return {"a": 1, "common": True}

    disputed = claim(values={"common": True}, positions={"first": {"a": 1}, "second": {"a": 2}})

    found = falsified([First], disputed)

    assert {(entry["position"], entry["leaf"]) for entry in found["survivors"]} == {("second", "a")}
    assert found["killed"] == 3


def test_exception_excuses_and_a_needless_one_is_named():
    """An exception is an expected failure: when it no longer fails it must go."""
    excuse = {"claim": "XX-001", "leaf": "b", "reason": "seen on hardware only"}
    needless = {"claim": "XX-001", "leaf": "a", "reason": "old"}

    found = falsified([Good], claim(values={"a": 1, "b": True}), exceptions=[excuse, needless])

    assert found["survivors"] == []
    assert [entry["reason"] for entry in found["exceptions"]] == ["seen on hardware only"]
    assert found["unneeded"] == [needless]


def test_untestable_claims_are_left_to_their_reason():
    """They have no values to bind; `cdna check` does not choose them."""
    found = falsified([], claim(values={}, untestable="needs a device"))

    assert found["mutants"] == 0
