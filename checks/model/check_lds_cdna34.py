# SPDX-License-Identifier: Apache-2.0
"""Geometry, allocation, banks and service groups of LDS, as the reference model applies them."""

from cdna.lds.allocation import allocate
from cdna.lds.banks import bank_of
from cdna.lds.conflicts import conflicts, rows_and_chunks
from cdna.lds.geometry import geometry
from cdna.lds.search import swizzled_element, swizzles
from cdna.lds.service import Unpublished, alternatives, service
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.search import largest


def most_that_fits(target, position="accounted"):
    """The largest request that the model lets one workgroup have, by bisection."""
    return largest(lambda size: allocate(target, size, position).fits, 1, 1 << 24)


def only(count, addresses):
    """A wave of which only some lanes are active."""
    return [addresses.get(lane) for lane in range(count)]


def wrap(groups_of):
    """The least distance, in DWORDs, at which two lanes of one group meet: the banks that this opcode uses."""
    first, second = groups_of.groups[0][:2]
    count = sum(len(group) for group in groups_of.groups)
    own = groups_of.width // 4
    for distance in range(own, 1025):
        if conflicts(only(count, {first: 0, second: 4 * distance}), groups_of).worst > 1:
            # Wide accesses already meet when their ends overlap, so many DWORDs before the wrap.
            return distance + own - 1
    raise CannotTell("no wrap within 1024 DWORDs")


def bank_width(target):
    """Bytes from byte 0 to the first byte of another bank."""
    banks = geometry(target).banks.value
    return next(byte for byte in range(1, 4096) if bank_of(byte, banks))


class Geometry(Check):
    """Capacity by the largest request that fits, banks by where two lanes of one read meet again, the depth from both.

    Shows: the numbers that the model works with, found through what it does.
    Does not show: hardware; the bank count is that of the published measurements that the model holds.
    """

    kind = "model"
    binds = ("capacity_bytes", "banks", "dwords_per_bank", "bank_bytes")
    op = None

    def observe(self, target, tools):
        capacity, banks, width = most_that_fits(target), wrap(service(target, self.op)), bank_width(target)
        return {
            "capacity_bytes": capacity,
            "banks": banks,
            "bank_bytes": width,
            "dwords_per_bank": capacity // (banks * width),
        }


class GeometryCdna3(Geometry):
    """Capacity, banks and depth of CDNA3, through allocation and a 4-byte read.

    Shows: the numbers that the model works with, found through what it does.
    Does not show: hardware; the bank count is that of the published measurements that the model holds.
    """

    claim = "LDS-006"
    op = "ds_read_b32"


class GeometryCdna4(Geometry):
    """Capacity, banks and depth of CDNA4, through allocation and a 16-byte read.

    Shows: the numbers that the model works with, found through what it does.
    Does not show: hardware; the bank count is that of the published measurements that the model holds.
    """

    claim = "LDS-007"
    op = "ds_read_b128"


class Granule(Check):
    """The step in which the model rounds requests up, found by two sizes whose allocations differ.

    Shows: what the model rounds to under this position.
    Does not show: what a compiler or a device does.
    """

    kind = "model"
    binds = ("granule_bytes",)

    def observe(self, target, tools):
        one = allocate(target, 1, self.position).allocated
        size = next(size for size in range(1, 1 << 16) if allocate(target, size, self.position).allocated > one)
        return {"granule_bytes": size - 1}


class AccountedGranule(Granule):
    """The step in which the model rounds requests up by the accounted unit.

    Shows: what the model rounds to under this position.
    Does not show: what a compiler or a device does.
    """

    claim = "LDS-008"
    position = "accounted"


class EncodedGranule(Granule):
    """The step in which the model rounds requests up by the unit that clang 22.1.8 writes.

    Shows: what the model rounds to under this position.
    Does not show: what a compiler or a device does.
    """

    claim = "LDS-008"
    position = "encoded"


class Shared(Check):
    """The largest request of which two fit, and how many fit at that size, one byte above, and at the whole capacity.

    Shows: the model's division of the capacity among workgroups.
    Does not show: other limits on workgroups.
    """

    claim = "LDS-009"
    kind = "model"
    binds = ("half_bytes", "at_half", "above_half", "at_capacity")

    def observe(self, target, tools):
        whole = most_that_fits(target)
        half = max(size for size in range(0, whole + 1, 512) if allocate(target, size).per_unit in (None, 2) and size)
        return {
            "half_bytes": half,
            "at_half": allocate(target, half).per_unit,
            "above_half": allocate(target, half + 1).per_unit,
            "at_capacity": allocate(target, whole).per_unit,
        }


class BankIndex(Check):
    """The bank of seven bytes around the wraps at 32 and at 64 banks.

    Shows: the model's bank arithmetic for each target.
    Does not show: a conflict.
    """

    claim = "LDS-011"
    kind = "model"
    binds = ("bytes", "banks")

    def observe(self, target, tools):
        asked = [0, 3, 4, 124, 128, 252, 256]
        return {"bytes": asked, "banks": [bank_of(byte, geometry(target).banks.value) for byte in asked]}


class GroupsDecide(Check):
    """Two active lanes on one bank, in one pair and in another, by the published groups and by neighbouring lanes.

    Shows: that the model counts a conflict only inside a group.
    Does not show: which groups a device has.
    """

    claim = "LDS-012"
    kind = "model"
    binds = ("bank", "apart", "together", "degree_apart", "degree_together")

    def observe(self, target, tools):
        published = service(target, "ds_read_b128")
        adjacent = alternatives(target, "ds_read_b128")[0][2]
        found = {"apart": [0, 4], "together": [0, 20]}
        for name in ("apart", "together"):
            wave = only(64, {found[name][0]: 0, found[name][1]: 256})
            found["degree_" + name] = {
                "published": conflicts(wave, published).worst,
                "adjacent": conflicts(wave, adjacent).worst,
            }
        banks = {bank_of(byte, geometry(target).banks.value) for byte in (0, 256)}
        found["bank"] = banks.pop() if len(banks) == 1 else -1
        return found


class FourPhases(Check):
    """The groups of a 16-byte read on gfx950 counted, and the banks found by where two lanes meet again.

    Shows: the groups that the model holds.
    Does not show: the phases of a device.
    """

    claim = "LDS-013"
    kind = "model"
    binds = ("phases", "banks", "lanes_each")

    def observe(self, target, tools):
        groups_of = service(target, "ds_read_b128")
        sizes = {len(group) for group in groups_of.groups}
        return {
            "phases": len(groups_of.groups),
            "banks": wrap(groups_of),
            "lanes_each": sizes.pop() if len(sizes) == 1 else -1,
        }


class OldSwizzle(Check):
    """Rows of 256 bytes with no swizzle, one of three bits and one of four, and the fewest bits that are free.

    Shows: degrees by the published groups, over the whole space of XOR swizzles up to five bits.
    Does not show: time, or other patterns.
    """

    claim = "LDS-014"
    kind = "model"
    binds = ("row_bytes", "degree_by_bits", "fewest_bits")

    def observe(self, target, tools):
        groups_of, row_bytes = service(target, "ds_read_b128"), 256
        found = {
            name: conflicts(swizzled(row_bytes, bits), groups_of).worst
            for name, bits in (("none", 0), ("three", 3), ("four", 4))
        }
        free = [item.bits for item in swizzles(groups_of, row_bytes) if item.worst == 1]
        return {"row_bytes": row_bytes, "degree_by_bits": found, "fewest_bits": min(free)}


def swizzled(row_bytes, bits, rows=16):
    """Addresses of a matrix operand of sixteen rows under an XOR swizzle by the row number."""
    return [swizzled_element(lane % rows, lane // rows * 16, row_bytes, 16, bits) for lane in range(64)]


class BanksByOpcode(Check):
    """Where two lanes of one group meet again, opcode by opcode.

    Shows: the bank counts that the model holds from the published measurements.
    Does not show: hardware.
    """

    claim = "LDS-015"
    kind = "model"
    position = "by-opcode"
    binds = ("banks",)

    def observe(self, target, tools):
        return {
            "banks": {
                op: wrap(service(target, op)) for op in ("ds_read_b64", "ds_read_b96", "ds_read_b128", "ds_write_b64")
            }
        }


class BanksOfAll(Check):
    """Where two lanes meet again when groups are assumed and the target's one bank number is used.

    Shows: the number that the model takes for the target as a whole.
    Does not show: hardware.
    """

    claim = "LDS-015"
    kind = "model"
    position = "one-number"
    binds = ("banks_of_all",)

    def observe(self, target, tools):
        found = {wrap(service(target, op, "consecutive:8")) for op in ("ds_read_b32", "ds_read_b96", "ds_write_b64")}
        return {"banks_of_all": found.pop() if len(found) == 1 else -1}


class Groups(Check):
    """The groups of a 16-byte read under one reading, and the degree of five row strides.

    Shows: the arithmetic under this reading.
    Does not show: which reading is right.
    """

    kind = "model"
    binds = ("groups", "lanes_each", "first_group", "strides", "degrees", "degree_swizzled")

    def observe(self, target, tools):
        groups_of = self._groups(target)
        strides = [128, 144, 256, 272, 288]
        sizes = {len(group) for group in groups_of.groups}
        return {
            "groups": len(groups_of.groups),
            "lanes_each": sizes.pop() if len(sizes) == 1 else -1,
            "first_group": list(groups_of.groups[0]),
            "strides": strides,
            "degrees": [conflicts(rows_and_chunks(stride, 16, 64), groups_of).worst for stride in strides],
            "degree_swizzled": conflicts(swizzled(256, 4), groups_of).worst,
        }


class Interleaved(Groups):
    """The published, interleaved groups of a 16-byte read, and the degree of five row strides.

    Shows: the arithmetic under this reading.
    Does not show: which reading is right.
    """

    claim = "LDS-051"
    position = "interleaved"

    def _groups(self, target):
        return service(target, "ds_read_b128")


class Adjacent(Groups):
    """Neighbouring lanes as the groups of a 16-byte read, and the degree of five row strides.

    Shows: the arithmetic under this reading.
    Does not show: which reading is right.
    """

    claim = "LDS-051"
    position = "adjacent"

    def _groups(self, target):
        return alternatives(target, "ds_read_b128")[0][2]


class OtherGroups(Check):
    """Lanes of each group for three opcodes of gfx942, and which opcodes the model refuses.

    Shows: the groups that the model holds, and that it makes up none.
    Does not show: hardware.
    """

    claim = "LDS-052"
    kind = "model"
    binds = ("lanes_each", "published")

    def observe(self, target, tools):
        sizes, known = {}, {}
        for op in ("ds_read_b32", "ds_read_b64", "ds_write_b128", "ds_write_b64", "ds_read_b96"):
            try:
                groups = service(target, op).groups
            except Unpublished:
                known[op] = False
                continue
            known[op] = True
            neighbours = all(list(group) == list(range(group[0], group[0] + len(group))) for group in groups)
            sizes[op] = len(groups[0]) if neighbours and len({len(group) for group in groups}) == 1 else -1
        return {"lanes_each": sizes, "published": known}


class ShortSwizzle(Check):
    """Sixteen rows of 256 bytes under an XOR by the row modulo eight and modulo sixteen, read by eight bytes a lane.

    Shows: pairs of rows on one bank and the degree, by the published groups.
    Does not show: time.
    """

    claim = "LDS-056"
    kind = "model"
    binds = ("row_bytes", "period", "pairs", "degree")

    def observe(self, target, tools):
        groups_of, row_bytes, bits = service(target, "ds_read_b64"), 256, {"short": 3, "long": 4}
        places = {
            name: [swizzled_element(lane % 16, lane // 16 * 8, row_bytes, 8, bits[name]) for lane in range(64)]
            for name in bits
        }
        return {
            "row_bytes": row_bytes,
            "period": {name: self._period(places[name][:16], row_bytes) for name in bits},
            "pairs": {name: self._pairs([places[name][lane] for lane in groups_of.groups[0]], target) for name in bits},
            "degree": {name: conflicts(places[name], groups_of).worst for name in bits},
        }

    def _period(self, column, row_bytes):
        inside = [byte % row_bytes for byte in column]
        return next(n for n in range(1, 17) if all(inside[i] == inside[i % n] for i in range(16)))

    def _pairs(self, addresses, target):
        banks = [bank_of(byte, geometry(target).banks.value) for byte in addresses]
        return sum(banks[i] == banks[k] for i in range(len(banks)) for k in range(i))


class OneAddress(Check):
    """The lanes of one group of `ds_read_b32` at one address, and at as many addresses of one bank.

    Shows: the model's count.
    Does not show: hardware.
    """

    claim = "LDS-060"
    kind = "model"
    binds = ("lanes", "one_address", "many_addresses")

    def observe(self, target, tools):
        groups_of = service(target, "ds_read_b32")
        apart = wrap(groups_of) * 4
        group, count = groups_of.groups[0], sum(len(group) for group in groups_of.groups)
        return {
            "lanes": len(group),
            "one_address": conflicts(only(count, {lane: 256 for lane in group}), groups_of).worst,
            "many_addresses": conflicts(only(count, {lane: apart * lane for lane in group}), groups_of).worst,
        }
