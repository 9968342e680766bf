# SPDX-License-Identifier: Apache-2.0
"""The real clang, with a cache of its own for each test run."""

import sys
from pathlib import Path

import pytest

from cdna_evidence.witnesses import Cache, get

sys.path.insert(0, str(Path(__file__).parent))

import fakes  # noqa: E402


@pytest.fixture(scope="session")
def clang(tmp_path_factory):
    """The clang of the ziglang wheel; it is in the locked requirements, so its absence is a failure."""
    return get("clang", cache=Cache(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def hasty(tmp_path, monkeypatch):
    """The time limit of a fake is over as soon as it says that it hangs."""
    fakes.hasten(monkeypatch, tmp_path / "count.hangs")
