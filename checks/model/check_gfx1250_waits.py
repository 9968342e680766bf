# SPDX-License-Identifier: Apache-2.0
"""Waits of gfx1250 in the finder of missing waits."""

from cdna.waits.finder import check
from cdna_evidence.checks import Check

COUNTERS = ("loadcnt", "storecnt", "dscnt", "kmcnt", "xcnt", "asynccnt", "tensorcnt")


class ClusterLoadProtected(Check):
    """A cluster load into registers and one into LDS, with each wait in turn in front of the use.

    Shows: the one wait with which the finder is content.
    Does not show: the hardware.
    """

    claim = "WAIT-071"
    kind = "model"
    binds = ("protecting_wait",)

    def observe(self, target, tools):
        cases = {
            "cluster_load": "cluster_load_b32 v1, v[2:3], off\n{0}v_add_f32 v4, v1, v1\n",
            "cluster_load_async": "cluster_load_async_to_lds_b32 v1, v[2:3], off\n{0}ds_load_b32 v5, v6\ns_wait_dscnt 0\nv_mov_b32 v7, v5\n",
        }
        found = {}
        for name, text in cases.items():
            quiet = [one for one in COUNTERS if not self._errors(text.format(f"s_wait_{one} 0\n"), target)]
            if self._errors(text.format(""), target) == 0 or len(quiet) != 1:
                quiet = ["none-or-many"]
            found[name] = quiet[0]
        return {"protecting_wait": found}

    def _errors(self, text, target):
        return sum(item["severity"] == "error" for item in check(text, target).missing)


class RangeLinter(Check):
    """Each wait with growing counts: the largest without a report of its range.

    Shows: where the finder begins to report.
    Does not show: the counter's real width.
    """

    claim = "WAIT-081"
    kind = "model"
    binds = ("largest_clean",)

    def observe(self, target, tools):
        found = {}
        for name in COUNTERS:
            clean = [n for n in range(130) if not check(f"s_wait_{name} {n}\n", target).out_of_range]
            found[name] = max(clean)
        return {"largest_clean": found}
