# SPDX-License-Identifier: Apache-2.0
"""The two asynchronous loads that the engine may use inside, asked of a real assembler."""

from cdna_evidence.checks import Check
from cdna_evidence.checks.answers import verdict


class AsyncLoads(Check):
    """The cluster form and the global form are assembled for three targets.

    Shows: where the two instructions exist, and their first words.
    Does not show: which of them the engine issues.
    """

    claim = "TDM-085"
    kind = "compiler"
    witness = "clang"
    binds = ("cluster_form", "global_form", "cluster_word", "global_word")

    def observe(self, target, tools):
        lines = {
            "cluster": "cluster_load_async_to_lds_b128 v0, v[2:3], off",
            "global": "global_load_async_to_lds_b128 v0, v[2:3], off",
        }
        found = {"cluster_form": {}, "global_form": {}}
        for name in ("gfx942", "gfx950", "gfx1250"):
            for form, answer in zip(lines, tools.clang.assemble(name, list(lines.values())), strict=True):
                found[form + "_form"][name] = verdict(answer)
                if name == target and answer.accepted:
                    found[form + "_word"] = answer.bytes[:4].hex(" ")
        return found
