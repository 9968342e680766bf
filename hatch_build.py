# SPDX-License-Identifier: Apache-2.0
"""Put the last results into the wheel, where there are any, so that an installed `cdna` can show what ran and when."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LastResults(BuildHookInterface):
    """Named by pyproject.toml; runs for the wheel, not for an editable install, which reads build/results.json itself."""

    def initialize(self, version, build_data):
        """Add build/results.json as package data."""
        results = Path(self.root) / "build" / "results.json"
        if version == "standard" and results.is_file():
            build_data["force_include"][str(results)] = "cdna_evidence/data/results.json"
