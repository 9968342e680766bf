# SPDX-License-Identifier: Apache-2.0
"""The LDS that one workgroup can have, as the reference model applies it."""

from cdna.tdm.rules import findings
from cdna_evidence.checks import Check
from cdna_evidence.checks.search import largest


class LintKnowsTheEnd(Check):
    """The linter warns of a tile that ends past the capacity, and of none that ends at it.

    Shows: the limit that this project's linter applies, found by search over where a tile ends.
    Does not show: hardware, or what a compiler accepts.
    """

    claim = "LDS-001"
    kind = "model"
    targets = ("gfx1250",)
    binds = ("capacity_bytes",)

    def observe(self, target, tools):
        return {"capacity_bytes": largest(lambda end: not self._warns(end), 256, 1 << 24)}

    def _warns(self, end):
        fields = {"tile_dim0": 256, "tensor_dim0": 256, "lds_addr": end - 256}
        return any(item.field == "lds_addr" for item in findings(fields))
