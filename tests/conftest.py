# SPDX-License-Identifier: Apache-2.0
"""Settings for every test: hypothesis draws the same examples in every run, and keeps no example database."""

import json
import pathlib

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "derandomised", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("derandomised")

CASES = pathlib.Path(__file__).parent / "data" / "cases"


@pytest.fixture(scope="session")
def problem():
    """Return a function from the id of a public problem report to its case."""
    listed = json.loads((CASES / "public_problems.json").read_text())["cases"]
    cases = {case["id"]: case for case in listed}
    return cases.__getitem__
