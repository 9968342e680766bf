# SPDX-License-Identifier: Apache-2.0
"""Service groups and partitions of the LDS of gfx1250, as the reference model applies them."""

from cdna.lds.conflicts import conflicts, misaligned, rows_and_chunks
from cdna.lds.partitions import cycles, partition_of
from cdna.lds.service import Unpublished, alternatives, safest, service
from cdna_evidence.checks import CannotTell, Check


class _Gfx1250Groups(Check):
    """The groups of a 16-byte load on gfx1250 under one reading, and the degree of five row strides."""

    claim = "LDS-053"
    kind = "model"
    binds = ("groups", "lanes_each", "strides", "degrees", "degree_144")

    def observe(self, target, tools):
        groups_of = self._groups(target)
        lanes = [lane for group in groups_of.groups for lane in group]
        if lanes != sorted(lanes):
            raise CannotTell("the lanes are not in order")
        sizes, strides = {len(group) for group in groups_of.groups}, [128, 144, 256, 272, 288]
        degrees = [conflicts(rows_and_chunks(stride, 16, 32), groups_of).worst for stride in strides]
        return {
            "groups": len(groups_of.groups),
            "lanes_each": sizes.pop() if len(sizes) == 1 else -1,
            "strides": strides,
            "degrees": degrees,
            "degree_144": degrees[strides.index(144)],
        }


class Sixteen(_Gfx1250Groups):
    """Groups of sixteen lanes in order, and the degree of five row strides.

    Shows: the arithmetic under this reading.
    Does not show: which reading is right.
    """

    position = "sixteen"

    def _groups(self, target):
        return alternatives(target, "ds_load_b128")[0][2]


class Eight(_Gfx1250Groups):
    """Groups of eight lanes in order, and the degree of five row strides.

    Shows: the arithmetic under this reading.
    Does not show: which reading is right.
    """

    position = "eight"

    def _groups(self, target):
        return service(target, "ds_load_b128")


class OtherLoads(Check):
    """Lanes of each group for four loads of gfx1250, when a group splits, and which opcodes the model refuses.

    Shows: the groups that the model holds, and that it makes up none.
    Does not show: hardware.
    """

    claim = "LDS-054"
    kind = "model"
    binds = ("lanes_each", "aligned_bytes", "lanes_misaligned", "published")

    def observe(self, target, tools):
        loads = ("ds_load_b32", "ds_load_tr8_b64", "ds_load_tr4_b64", "ds_load_tr16_b128")
        found = {
            op: self._size(target, op)
            for op in (*loads, "ds_load_b64", "ds_load_b96", "ds_load_tr6_b96", "ds_store_b128")
        }
        steps = [step for step in (1, 2, 4, 8, 16, 32) if not misaligned([lane * step for lane in range(32)], 8)]
        split = {self._size(target, op, True) for op in ("ds_load_tr8_b64", "ds_load_tr4_b64")}
        return {
            "lanes_each": {op: found[op] for op in loads},
            "aligned_bytes": min(steps),
            "lanes_misaligned": split.pop() if len(split) == 1 else -1,
            "published": {op: size is not None for op, size in found.items()},
        }

    def _size(self, target, op, crooked=False):
        try:
            groups = service(target, op, crooked=crooked).groups
        except Unpublished:
            return None
        return len(groups[0]) if len({len(group) for group in groups}) == 1 else -1


class Partitions(Check):
    """Every partition of LDS counted, where the second begins, and requests of two pairs and of one in a cycle.

    Shows: the model's rule of partitions.
    Does not show: a device; how often waves meet.
    """

    claim = "LDS-055"
    kind = "model"
    binds = ("partitions", "partition_bytes", "cycles", "bytes_a_cycle")

    def observe(self, target, tools):
        other = 1
        while partition_of(other) == 0:
            other *= 2
        taken = {
            "one_partition": cycles([(0, 0), (1, 1024)]),
            "two_partitions": cycles([(0, 0), (1, other)]),
            "one_pair": cycles([(0, 0), (2, other)]),
        }
        both = 2 * 16 * len(safest(target, "ds_load_b128").groups[0])  # two ports, as the article has it
        return {
            "partitions": self._count(other),
            "partition_bytes": other,
            "cycles": taken,
            "bytes_a_cycle": {name: both // taken[name] for name in ("one_partition", "two_partitions")},
        }

    def _count(self, size):
        """How many partitions there are before the model says that LDS ends."""
        for number in range(1000):
            try:
                if partition_of(number * size) != number:
                    raise CannotTell("partitions are not in order")
            except ValueError:
                return number
        raise CannotTell("LDS has no end")
