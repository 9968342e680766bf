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


def rules(text, target):
    """Return the rules that the finder reports on a listing, results that nothing reads left aside."""
    return [item["rule"] for item in check(text + "\ns_endpgm\n", target).findings if item["rule"] != "never-read"]


def single(found):
    """Return the one rule, or a word for none or many."""
    return "no-finding" if not found else found[0] if len(found) == 1 else "many"


class TranslationFindings(Check):
    """An access and an instruction that writes what it may read again, case by case.

    Shows: the finder's rule.
    Does not show: a replay.
    """

    claim = "WAIT-083"
    kind = "model"
    binds = ("reported",)

    def observe(self, target, tools):
        on = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n"
        load, cluster = "global_load_b32 v0, v[2:3], off\n", "cluster_load_b32 v0, v[2:3], off\n"
        copy = "{}_load_async_to_lds_b32 v0, v[2:3], off\n"
        cases = {
            "m0_behind_cluster_load": cluster + "s_mov_b32 m0, s4",
            "m0_behind_async_cluster_load": copy.format("cluster") + "s_mov_b32 m0, s4",
            "m0_behind_load": load + "s_mov_b32 m0, s4",
            "m0_behind_async_load": copy.format("global") + "s_mov_b32 m0, s4",
            "exec_by_compare": load + "v_cmpx_lt_f32 v8, v9",
            "second_result_of_a_pair": load + "v_dual_mov_b32 v8, v9 :: v_dual_mov_b32 v3, v10",
            "atomic_behind_load": load + "global_atomic_add_u32 v[4:5], v6, off",
            "atomic_behind_wait": load + "s_wait_xcnt 0x0\nglobal_atomic_add_u32 v[4:5], v6, off",
        }
        return {"reported": {name: single(rules(on + text, target)) for name, text in cases.items()}}


class HighRegisters(Check):
    """A load under a setting of the high registers, and readers under the same, another and an unknown one.

    Shows: which registers the finder takes the names for.
    Does not show: what a device does with a dropped setting.
    """

    claim = "WAIT-084"
    kind = "model"
    binds = ("group", "register", "misses", "reported")

    def observe(self, target, tools):
        load, read = "s_set_vgpr_msb 64\nglobal_load_b32 v1, v[2:3], off\n", "v_mov_b32 v9, v1"
        texts = {
            "same_group": load + "s_set_vgpr_msb 1\n" + read,
            "other_group": load + "s_set_vgpr_msb 2\n" + read,
            "paths_differ": load + "s_set_vgpr_msb 0\ns_cbranch_scc1 on\ns_set_vgpr_msb 1\non:\n" + read,
        }
        found = {name: check(text + "\ns_endpgm\n", target).missing for name, text in texts.items()}
        name = found["same_group"][0]["registers"][0] if found["same_group"] else "v0"
        waits = {
            case: rules(text.replace(read, "s_wait_loadcnt 0x0\n" + read), target)
            for case, text in texts.items()
            if case != "other_group"
        }
        waits["behind_mode_write"] = rules(
            "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 0, 4), 3\ns_set_vgpr_msb 0\n", target
        )
        number = int(name[1:])
        return {
            "group": number // 256,
            "register": number,
            "misses": {case: bool(missing) for case, missing in found.items()},
            "reported": {case: single(named) for case, named in waits.items()},
        }


class ManualDrains(Check):
    """A load and a scalar prefetch, with waits of growing count between; and a load and sleeps with one bit set each.

    Shows: where the finder warns.
    Does not show: what a device needs.
    """

    claim = "WAIT-085"
    kind = "model"
    binds = ("count", "endless_bit", "warns")

    def observe(self, target, tools):
        load, prefetch = "global_load_b32 v0, v[2:3], off\n", "s_prefetch_data s[0:1], 0x0, null, 4"

        def warns(text):
            return "drain-before" in rules(load + text, target)

        quiet = [n for n in range(3) if not warns(f"s_wait_xcnt {n}\n" + prefetch)]
        endless = [bit for bit in range(16) if warns(f"s_sleep {1 << bit}") and warns(f"s_monitor_sleep {1 << bit}")]
        return {
            "count": max(quiet, default=-1),
            "endless_bit": endless[0] if len(endless) == 1 else -1,
            "warns": {
                "prefetch": warns(prefetch),
                "prefetch_behind_wait": warns("s_wait_xcnt 0\n" + prefetch),
                "endless_sleep": warns("s_sleep 0x8000"),
                "short_sleep": warns("s_sleep 0x7f"),
            },
        }


class OnlyOnceFindings(Check):
    """An access and an atomic or a store behind it, with replay switched on.

    Shows: where the finder warns, and where it remarks.
    Does not show: what a device needs.
    """

    claim = "WAIT-088"
    kind = "model"
    binds = ("warns", "remarks")

    def observe(self, target, tools):
        on = "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), 1\n"
        store, atomic = "global_store_b32 v[2:3], v0, off", "global_atomic_add_u32 v[4:5], v6, off"
        copy = "global_load_async_to_lds_b32 v0, v[2:3], off"

        takes_over = (
            "global_atomic_add_u32 v0, v[4:5], v6, off th:TH_ATOMIC_RETURN\ns_wait_loadcnt 0x0\nv_mov_b32 v8, v0"
        )

        def told(first, second, severity):
            found = check(on + first + "\n" + second + "\ns_endpgm\n", target).findings
            return ("once-before-translation", severity) in [(item["rule"], item["severity"]) for item in found]

        return {
            "warns": {
                "behind_store": told(store, atomic, "warning"),
                "behind_scalar_load": told("s_load_b32 s4, s[2:3], 0x0", atomic, "warning"),
                "behind_wait": told(store + "\ns_wait_xcnt 0x0", atomic, "warning"),
                "behind_atomic": told(atomic, atomic, "warning"),
                "behind_async_copy": told(copy, atomic, "warning"),
                "result_overwrites": told(store, takes_over, "warning"),
                "lds_atomic": told(store, "ds_add_u32 v4, v6", "warning"),
            },
            "remarks": {
                "scoped_store": told(store, "global_store_b32 v[4:5], v6, off scope:SCOPE_DEV", "info"),
                "workgroup_store": told(store, "global_store_b32 v[4:5], v6, off", "info"),
                "behind_async_copy": told(copy, atomic, "info"),
                "result_overwrites": told(store, takes_over, "info"),
            },
        }


class TensorDrainFindings(Check):
    """A wait that leaves more transfers than are outstanding, in front of a transfer and elsewhere.

    Shows: the finder's rule.
    Does not show: why a compiler writes the wait.
    """

    claim = "WAIT-089"
    kind = "model"
    binds = ("reported",)

    def observe(self, target, tools):
        transfer = "tensor_load_to_lds s[0:3], s[4:11]\n"
        wait = transfer + "s_wait_tensorcnt 0xa\n"
        return {
            "reported": {
                "before_transfer": single(rules(wait + transfer, target)),
                "elsewhere": single(rules(wait + "v_mov_b32 v0, v1", target)),
            }
        }
