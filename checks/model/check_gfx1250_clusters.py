# SPDX-License-Identifier: Apache-2.0
"""Clusters of gfx1250 in the models: the mover's mask, and barriers in the finder of missing waits."""

from cdna.tdm.descriptor import FieldError, encode
from cdna.waits.finder import check
from cdna_evidence.checks import CannotTell, Check


class MaskWidth(Check):
    """The mover's mask of workgroups, set bit by bit until the encoder refuses.

    Shows: how many workgroups a descriptor can name.
    Does not show: how many a launch takes.
    """

    claim = "CLU-001"
    kind = "model"
    binds = ("most_workgroups",)

    def observe(self, target, tools):
        count = 0
        while count < 64 and self._takes(1 << count):
            count += 1
        return {"most_workgroups": count}

    def _takes(self, mask):
        try:
            encode({"workgroup_mask": mask})
        except FieldError:
            return False
        return True


class BarrierIsNoWait(Check):
    """An asynchronous cluster load, a cluster barrier and a read of LDS, with and without the wait.

    Shows: what the finder reports as an error.
    Does not show: data of other workgroups.
    """

    claim = "CLU-010"
    kind = "model"
    binds = ("reported",)

    def observe(self, target, tools):
        text = "cluster_load_async_to_lds_b32 v1, v[2:3], off\n{0}s_barrier_signal -3\ns_barrier_wait -3\nds_load_b32 v5, v6\ns_wait_dscnt 0\nv_mov_b32 v7, v5\n"
        cases = {"barrier_alone": "", "wait_and_barrier": "s_wait_asynccnt 0\n"}
        return {
            "reported": {
                name: any(item["severity"] == "error" for item in check(text.format(wait), target).missing)
                for name, wait in cases.items()
            }
        }


class EarlyEndBit(Check):
    """The bit of the descriptor's second group that the flag for an early end sets.

    Shows: the model's encoder.
    Does not show: the mover.
    """

    claim = "CLU-011"
    kind = "model"
    binds = ("descriptor_bit",)

    def observe(self, target, tools):
        off, on = [encode({"early_timeout": flag}) for flag in (0, 1)]
        # Group 0 has four words; what follows is group 1.
        changed = [32 * (i - 4) + bit for i in range(4, 12) for bit in range(32) if (off[i] ^ on[i]) >> bit & 1]
        if len(changed) != 1 or off[:4] != on[:4]:
            raise CannotTell(f"bits {changed} of group 1 change")
        return {"descriptor_bit": changed[0]}
