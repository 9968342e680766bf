# SPDX-License-Identifier: Apache-2.0
"""The real clang, with a cache of its own for each test run."""

import sys
from pathlib import Path

import pytest

from cdna_evidence.witnesses import Cache, get

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def clang(tmp_path_factory):
    """The clang of the ziglang wheel; it is in the locked requirements, so its absence is a failure."""
    return get("clang", cache=Cache(tmp_path_factory.mktemp("cache")))
