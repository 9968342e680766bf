# SPDX-License-Identifier: Apache-2.0
"""Settings for every test: hypothesis draws the same examples in every run, and keeps no example database.

What the person or the host that runs the tests has set for themselves, as a deployment does, changes no outcome.
"""

import json
import os
import pathlib

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "derandomised", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("derandomised")

for name in ("CDNA_SITE_URL", "CDNA_SITE_VERSION", "CDNA_SITE_BRANCH", "CDNA_TAG", "CDNA_REPORT_URL", "FORCE_COLOR", "NO_COLOR", "PYTHONUNBUFFERED"):
    os.environ.pop(name, None)
os.environ["COLUMNS"] = "120"  # the width that texts are folded to

CASES = pathlib.Path(__file__).parent / "data" / "cases"


@pytest.fixture(scope="session")
def problem():
    """Return a function from the id of a public problem report to its case."""
    listed = json.loads((CASES / "public_problems.json").read_text())["cases"]
    cases = {case["id"]: case for case in listed}
    return cases.__getitem__
