# SPDX-License-Identifier: Apache-2.0
"""Multicast, asked of the reference model: bits of the mask, who takes part, and how many reads it takes."""

from cdna.tdm.descriptor import FieldError, encode
from cdna.tdm.multicast import check_launch, mask_of, reads, receivers, rendezvous, workgroup_number
from cdna_evidence.checks import Check


def mask_word(mask):
    """The low half of the first word of group 1 for a mask, None when it is refused."""
    try:
        return encode({"tile_dim0": 4, "tensor_dim0": 4, "workgroup_mask": mask})[4] & 0xFFFF
    except FieldError:
        return None


class MaskBits(Check):
    """Single-bit masks are encoded until one is refused; workgroups of a cluster four wide are turned into bits.

    Shows: the width of the model's field and its numbering.
    Does not show: that a device numbers them so.
    """

    claim = "TDM-081"
    kind = "model"
    binds = ("mask_bits", "bit_in_a_cluster_four_wide", "mask_of_0_2_3_15")

    def observe(self, target, tools):
        bits = 0
        while bits < 64 and mask_word(1 << bits) == 1 << bits:
            bits += 1
        places = {"x0_y0": (0, 0), "x1_y0": (1, 0), "x0_y1": (0, 1), "x3_y3": (3, 3)}
        return {
            "mask_bits": bits,
            "bit_in_a_cluster_four_wide": {name: workgroup_number(x, y, 4) for name, (x, y) in places.items()},
            "mask_of_0_2_3_15": f"0x{mask_word(mask_of([0, 2, 3, 15])):04x}",
        }


class LoadsOnly(Check):
    """One mask with a load and with a store.

    Shows: how many workgroups take part in the model.
    Does not show: hardware.
    """

    claim = "TDM-082"
    kind = "model"
    binds = ("workgroups_that_take_part",)

    def observe(self, target, tools):
        return {"workgroups_that_take_part": {op: len(receivers(0b1111, op, 2)) for op in ("load", "store")}}


class OutsideCluster(Check):
    """Masks are judged for launches with and without a cluster.

    Shows: which the model's rules refuse, and the masks it builds for private and for shared tiles.
    Does not show: what a device does with a refused one.
    """

    claim = "TDM-083"
    kind = "model"
    binds = ("verdict", "mask_of_a_private_tile", "mask_of_the_first_two")

    def observe(self, target, tools):
        cases = {
            "zero_without_cluster": (0, (1, 1, 1)),
            "mask_without_cluster": (3, (1, 1, 1)),
            "mask_in_cluster": (3, (2, 2, 1)),
            "mask_beyond_cluster": (0b10001, (2, 2, 1)),
        }
        verdicts = {}
        for name, (mask, cluster) in cases.items():
            verdicts[name] = "reject" if check_launch(mask, cluster) else "accept"
        return {"verdict": verdicts, "mask_of_a_private_tile": mask_of([0]), "mask_of_the_first_two": mask_of([0, 1])}


class Rendezvous(Check):
    """Four workgroups ask at given times, once all in time, once with one late, once with the early time-out.

    Shows: how many broadcasts the model makes and how many the first serves.
    Does not show: the lengths of the time-outs of a device.
    """

    claim = "TDM-084"
    kind = "model"
    binds = ("broadcasts", "first_receivers")

    def observe(self, target, tools):
        together = [(0, 0), (1, 2), (2, 4), (3, 6)]
        late = together[:3] + [(3, 50)]
        cases = {
            "all_in_time": rendezvous(0b1111, together, 10, 3),
            "one_after_the_time_out": rendezvous(0b1111, late, 10, 3),
            "early_timeout": rendezvous(0b1111, together, 10, 3, early_timeout=True),
        }
        return {
            "broadcasts": {name: len(found) for name, found in cases.items()},
            "first_receivers": {name: len(found[0].receivers) for name, found in cases.items()},
        }


def counted(merge_most, wider="split"):
    """Reads and bytes of a tile of 64 rows of 128 bytes."""
    tile = 64 * 128
    with_mask = reads(16, True, merge_most, wider)
    return {
        "tile_bytes": tile,
        "bytes_one_by_one": tile * reads(16, False, merge_most),
        "reads_for_sixteen": with_mask,
        "reads_for_five": reads(5, True, merge_most, wider),
        "bytes_read": tile * with_mask,
    }


class OneRead(Check):
    """The reads of sixteen workgroups are counted without a limit on merging.

    Shows: the model's count under this position.
    Does not show: what a device merges.
    """

    claim = "TDM-087"
    kind = "model"
    position = "one-read"
    binds = ("tile_bytes", "bytes_one_by_one", "reads_for_sixteen", "reads_for_five", "bytes_read")

    def observe(self, target, tools):
        return counted(None)


class FiveMerge(Check):
    """The reads of sixteen workgroups are counted with the limit that two encoders keep to.

    Shows: the model's count under this position, and the most that one read serves, by counting up.
    Does not show: what a device merges; the limit is an input of the model.
    """

    claim = "TDM-087"
    kind = "model"
    position = "five-merge"
    binds = ("tile_bytes", "bytes_one_by_one", "reads_for_sixteen", "reads_for_five", "bytes_read", "most_merged")

    def observe(self, target, tools):
        one_read = [number for number in range(1, 17) if reads(number, True, 5) == 1]
        return dict(counted(5), most_merged=max(one_read))


class NoneAboveFive(Check):
    """The reads of sixteen workgroups are counted where a mask of more than five is not multicast at all.

    Shows: the model's count under this position, and the widest mask that one read serves, by counting up.
    Does not show: what a device does; the limit is an input of the model.
    """

    claim = "TDM-087"
    kind = "model"
    position = "none-above-five"
    binds = ("tile_bytes", "bytes_one_by_one", "reads_for_sixteen", "reads_for_five", "bytes_read", "most_merged")

    def observe(self, target, tools):
        one_read = [number for number in range(1, 17) if reads(number, True, 5, "none") == 1]
        return dict(counted(5, "none"), most_merged=max(one_read))
