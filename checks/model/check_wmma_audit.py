# SPDX-License-Identifier: Apache-2.0
"""The slots audit of gfx1250 asked for small programs in assembly."""

from cdna.wmma.audit import audit
from cdna_evidence.checks import Check

PRODUCT = "v_wmma_f32_16x16x32_f16 v[64:71], v[0:7], v[16:23], v[64:71]"
READ = "v_add_f32 v253, v64, v254"
MOVE = "v_mov_b32 v254, 0"
TRANS = "v_exp_f32 v64, v65"


def missing(*lines):
    """Slots that the audit finds missing, the most of any one dependency."""
    return max([item["missing"] for item in audit("\n".join(lines) + "\ns_endpgm\n").dependencies], default=0)


class Programs(Check):
    """Six programs of assembly: a straight one, one with s_nop, a loop, a part that is skipped, and high registers.

    Shows: slots that the audit finds missing.
    Does not show: that a compiler agrees; a compiler check of the same claim does.
    """

    claim = "WMMA-070"
    kind = "model"
    binds = ("missing",)

    def observe(self, target, tools):
        high = PRODUCT.replace("v[64:71]", "v[0:7]").replace("v[0:7], v[0:7]", "v[0:7], v[16:23]")
        high = ["s_set_vgpr_msb 0x50", high, "s_set_vgpr_msb {}", "v_mul_f32 v254, v0, v255"]
        return {
            "missing": {
                "straight": missing(PRODUCT, MOVE, READ),
                "s_nop": missing(PRODUCT, "s_nop 7", READ),
                "loop": missing(MOVE, "again:", READ, PRODUCT, MOVE, MOVE, "s_cbranch_scc1 again"),
                "part_skipped": missing(PRODUCT, "s_cbranch_scc1 on", MOVE, MOVE, MOVE, "on:", READ),
                "high": missing(*high[:2], "s_set_vgpr_msb 1", high[3]),
                "low_beside_high": missing(*high[:2], "s_set_vgpr_msb 0", high[3]),
            }
        }


class TransResult(Check):
    """A transcendental instruction and one behind it that reads its result, or overwrites its source or result.

    Shows: slots that the audit finds missing.
    Does not show: that a compiler agrees.
    """

    claim = "WMMA-071"
    kind = "model"
    binds = ("slots", "with_one_between")

    def observe(self, target, tools):
        product = "v_wmma_f32_16x16x32_f16 v[128:135], {}, v[96:103], {}"
        asked = {
            "read": READ,
            "source_overwritten": "v_mov_b32 v65, 0",
            "result_overwritten": "v_mov_b32 v64, 0",
            "read_as_a": product.format("v[64:71]", "v[112:119]"),
            "read_as_c": product.format("v[80:87]", "v[64:71]"),
            "read_by_transcendental": "v_exp_f32 v70, v64",
            "stored": "global_store_b32 v[250:251], v64, off",
        }
        between = {"valu": MOVE, "transcendental": "v_exp_f32 v70, v71", "salu": "s_mov_b32 s0, 0", "s_nop": "s_nop 3"}
        return {
            "slots": {name: missing(TRANS, line) for name, line in asked.items()},
            "with_one_between": {name: missing(TRANS, line, READ) for name, line in between.items()},
        }


class Earns(Check):
    """An FP16 product, one instruction of some kind, and a vector read of the result.

    Shows: by how much the audit finds fewer slots missing than without that instruction.
    Does not show: that a compiler agrees.
    """

    claim = "WMMA-072"
    kind = "model"
    binds = ("earned",)

    def observe(self, target, tools):
        lines = {
            "valu": MOVE,
            "v_nop": "v_nop",
            "transcendental": "v_exp_f32 v250, v251",
            "product": "v_wmma_f32_16x16x32_f16 v[160:167], v[96:103], v[112:119], v[128:135]",
            "dual": "v_dual_mov_b32 v250, v252 :: v_dual_mov_b32 v249, v253",
            "compare": "v_cmp_eq_u32 vcc_lo, v250, v251",
            "to_scalar": "v_readfirstlane_b32 s4, v250",
            "async_load": "global_load_async_to_lds_b32 v250, v[252:253], off",
            "async_store": "global_store_async_from_lds_b32 v[252:253], v250, off",
            "load": "global_load_b32 v250, v[252:253], off",
            "lds_load": "ds_load_b32 v250, v251",
            "salu": "s_mov_b32 s0, 0",
            "s_nop": "s_nop 7",
        }
        alone = missing(PRODUCT, READ)
        return {"earned": {name: alone - missing(PRODUCT, line, READ) for name, line in lines.items()}}


AROUND = ("again:", READ, MOVE, "s_cbranch_scc1 again", "s_branch end")


class FirstClass(Check):
    """Two products whose results one instruction reads, a fork with code on both sides, and a loop around the reader.

    Shows: slots that the audit finds missing, by the rule for each producer and the shortest way.
    Does not show: what a compiler writes; a compiler check of the same claim does.
    """

    claim = "WMMA-073"
    kind = "model"
    binds = ("by_the_rule",)

    def observe(self, target, tools):
        both = "v_add_f32 v253, v64, v100"
        slow = "v_wmma_i32_16x16x64_iu8 v[{}], v[0:7], v[16:23], v[32:39]"
        quick = PRODUCT.replace("v[64:71]", "v[100:107]")
        return {
            "by_the_rule": {
                "two_classes": missing(slow.format("64:71"), quick, both),
                "one_class": missing(slow.format("64:71"), slow.format("100:107"), both),
                "fork_long_side_first": self.fork(3, 1),
                "fork_short_side_first": self.fork(1, 3),
                "loop_way_round_first": missing(PRODUCT, "s_branch in", *AROUND, "in:", "s_branch again", "end:"),
                "loop_way_in_first": missing(PRODUCT, *AROUND, "end:"),
            }
        }

    def fork(self, first, second):
        sides = [MOVE] * first, [MOVE] * second
        return missing(PRODUCT, "s_cbranch_scc1 other", *sides[0], "s_branch on", "other:", *sides[1], "on:", READ)


class NotLookedAt(Check):
    """An FP16 product, and dual-issue instructions and swaps that read or overwrite its registers.

    Shows: slots that the audit finds missing, and whether it says that LLVM 22.1.8 leaves them out.
    Does not show: what a compiler writes.
    """

    claim = "WMMA-074"
    kind = "model"
    binds = ("by_the_rule", "left_out")

    def observe(self, target, tools):
        asked = {
            "single_over_a": "v_mov_b32 v0, v250",
            "dual_reads_d": "v_dual_mov_b32 v250, v64 :: v_dual_mov_b32 v249, v253",
            "dual_over_d": "v_dual_mov_b32 v64, v252 :: v_dual_mov_b32 v249, v253",
            "dual_over_a": "v_dual_mov_b32 v0, v252 :: v_dual_mov_b32 v249, v253",
            "swap_first_is_a": "v_permlane16_swap_b32 v0, v250",
            "swap_second_is_a": "v_permlane16_swap_b32 v250, v0",
        }
        found = {name: audit(f"{PRODUCT}\n{line}\n").dependencies for name, line in asked.items()}
        return {
            "by_the_rule": {name: missing(PRODUCT, line) for name, line in asked.items()},
            "left_out": {name: all(item["hidden"] for item in found[name]) for name in asked},
        }
