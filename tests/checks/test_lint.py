# SPDX-License-Identifier: Apache-2.0
"""The lint that keeps constants out of observe, and the world out of judge."""

import pytest

from cdna_evidence.checks import lint

HEAD = '''
from cdna import targets
from cdna.tdm import descriptor
from cdna.tdm.descriptor import FIELDS, decode
from cdna_evidence.checks import Check, differences
import subprocess
import json

def helper():
    return descriptor.FIELDS

TABLE = descriptor.FIELDS

class One(Check):
    """Shows something."""
'''


def found(body):
    text = HEAD + "\n".join("    " + line for line in body.splitlines()) + "\n"
    # What HEAD holds is a problem by itself; that is tested below.
    return [line for line in lint.problems(text, "check_x.py") if "One." in line]


@pytest.mark.parametrize(
    "expression",
    ["targets.GFX942", "targets.gfx942", "FIELDS", "descriptor.FIELDS[0]", "helper()", "TABLE", "self.also()"],
)
def test_constant_of_the_model_in_observe_is_refused(expression):
    """Directly, through a helper, a module-level name or another method."""
    body = f"def observe(self, target, tools):\n    return {expression}\ndef also(self):\n    return FIELDS"

    assert any("One.observe reads the constant cdna" in line for line in found(body))


def test_behaviour_of_the_model_in_observe_is_fine():
    """Functions on input data are what observe is for."""
    assert found("def observe(self, target, tools):\n    return decode([1, 2]), descriptor.decode([3])") == []


@pytest.mark.parametrize("expression", ["decode([1])", "subprocess.run(['true'])"])
def test_judge_that_looks_at_the_world_is_refused(expression):
    """Judge has all it needs in its two arguments."""
    body = f"def observe(self, target, tools):\n    return 1\ndef judge(self, observed, values):\n    return {expression}"

    assert any("One.judge uses" in line for line in found(body))


def test_judge_that_compares_is_fine():
    """Helpers of the framework and of the language are not the world."""
    body = (
        "def observe(self, target, tools):\n    return 1\n"
        "def judge(self, observed, values):\n    return differences('a', json.loads(observed), values['a'])"
    )

    assert found(body) == []


@pytest.mark.parametrize("line", ["import cdna.targets", "from cdna import targets", "from cdna_evidence.register import load"])
def test_forbidden_import(line):
    """A check cannot read the numbers that it is to test."""
    assert any("may not import" in text for text in lint.problems(line + "\n", "check_x.py"))


@pytest.mark.parametrize(
    "lines",
    [
        "from cdna.tdm.fields import *",
        "from cdna.tdm import fields\nX: tuple = fields.FIELDS",
        "from cdna.tdm import fields\nX, Y = fields.FIELDS, 1",
        "from cdna.tdm import fields\nfor X in [fields.FIELDS]: pass",
        "from cdna.tdm import fields\nother = fields\nX = other.FIELDS",
        "from cdna.tdm import fields\nX = getattr(fields, 'FIELDS')",
        "from cdna.tdm import fields\nX = fields.__dict__['FIELDS']",
        "import sys\nX = sys.modules['cdna.targets']",
        "import importlib",
        "from cdna_evidence.cli import main",
        "X = open('evidence/claims/lds.yml').read()",
    ],
)
def test_a_way_around_the_rules_is_refused(lines):
    """Wherever in the module it stands, observe could pick it up."""
    assert lint.problems(lines + "\n", "checks/model/check_x.py")


def test_a_check_about_the_site_may_use_the_site():
    """Its subject is this project's own files."""
    assert lint.problems("from cdna_evidence.site import figures\n", "checks/site/check_x.py") == []
