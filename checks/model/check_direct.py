# SPDX-License-Identifier: Apache-2.0
"""Direct-to-LDS copies in the reference model: sizes, what lands where, and which offset moves which side."""

from cdna.lds.direct import copy, lds_image, opcode, padding_interval, places_apart
from cdna_evidence.checks import CannotTell, Check

SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 32)


class Sizes(Check):
    """Which of nine sizes the model has an opcode for.

    Shows: what the model accepts and refuses.
    Does not show: what a compiler accepts.
    """

    kind = "model"
    binds = ("accepted",)

    def observe(self, target, tools):
        return {"accepted": {f"b{size}": opcode(target, size) is not None for size in SIZES}}


class SizesCdna3(Sizes):
    """Which of nine sizes the model has an opcode for on gfx942.

    Shows: what the model accepts and refuses.
    Does not show: what a compiler accepts.
    """

    claim = "D2L-001"


class SizesCdna4(Sizes):
    """Which of nine sizes the model has an opcode for on gfx950.

    Shows: what the model accepts and refuses.
    Does not show: what a compiler accepts.
    """

    claim = "D2L-002"


def landed(target, size, reading):
    """(distance from lane 2's first byte to lane 3's, bytes between lane 2's last and lane 3's first) in an image of a wave."""
    values = [bytes([lane + 1] * size) for lane in range(64)]
    image = lds_image(target, values, size, reading)
    first = {}
    last = {}
    for byte in range(len(image)):
        if image[byte]:
            first.setdefault(image[byte], byte)
            last[image[byte]] = byte
    if 3 not in first or 4 not in first:
        raise CannotTell("lanes 2 and 3 left nothing")
    hole = len([byte for byte in range(first[3], first[4]) if image[byte] is None])
    return first[4] - first[3], hole


class Stride(Check):
    """What a whole wave leaves in LDS: where lane 2's and lane 3's bytes begin, size by size.

    Shows: the lane stride of this reading, found in the image that the model makes.
    Does not show: a device.
    """

    kind = "model"
    binds = ("stride", "hole_after_12")

    def observe(self, target, tools):
        known = [size for size in SIZES if opcode(target, size)]
        found = {"stride": {f"b{size}": landed(target, size, self.position)[0] for size in known}}
        if 12 in known:
            found["hole_after_12"] = landed(target, 12, self.position)[1]
        return found

    def judge(self, observed, values):
        both = {key: values.get(key) for key in self.binds if key in values or key in observed}
        return [
            f"{key}: observed {observed.get(key)}, published {both[key]}"
            for key in both
            if observed.get(key) != both[key]
        ]


class StrideLlvm(Stride):
    """What a whole wave leaves in LDS by LLVM's rule: where lane 2's and lane 3's bytes begin, size by size.

    Shows: the lane stride of this reading, found in the image that the model makes.
    Does not show: a device.
    """

    claim = "D2L-003"
    position = "llvm"


class StrideFour(Stride):
    """What a whole wave leaves in LDS when every lane follows four bytes after the last, size by size.

    Shows: the lane stride of this reading, found in the image that the model makes.
    Does not show: a device.
    """

    claim = "D2L-003"
    position = "four"


class Destination(Check):
    """One lane's address from base, M0 and lane, and that the source is moved by none of them.

    Shows: the model's address rule on one example.
    Does not show: hardware.
    """

    claim = "D2L-004"
    kind = "model"
    binds = ("example",)

    def observe(self, target, tools):
        given = {"base": 0x4000, "m0": 0x100}
        done = copy(target, 4, 3, **given)
        if done.global_offset:
            raise CannotTell("base or M0 moved the source")
        return {"example": dict(given, lane=done.lane, lds_address=done.lds_address)}


class Hole(Check):
    """Four 12-byte records in the model: how far apart they begin, and what lies between them.

    Shows: the model that the figure is drawn from.
    Does not show: the figure; that is the other check of this claim.
    """

    claim = "D2L-008"
    kind = "model"
    binds = ("records", "record_bytes", "stride", "holes", "hole_bytes", "packed_neighbours")

    def observe(self, target, tools):
        records, size = 4, 12
        stride, hole = landed(target, size, "llvm")
        apart = places_apart(target, size, records)
        return {
            "records": records,
            "record_bytes": size,
            "stride": stride,
            "holes": sum(gap > 0 for gap in apart),
            "hole_bytes": hole,
            "packed_neighbours": sum(gap == 0 for gap in apart),
        }


class Offset(Check):
    """The same lane with offset zero and with offset sixteen.

    Shows: that the model's offset moves both sides.
    Does not show: hardware.
    """

    claim = "D2L-009"
    kind = "model"
    binds = ("zero", "shifted")

    def observe(self, target, tools):
        found = {}
        for name, offset in (("zero", 0), ("shifted", 16)):
            done = copy(target, 4, 1, m0=512, offset=offset)
            found[name] = {
                "offset": offset,
                "m0": 512,
                "lane": 1,
                "lds_address": done.lds_address,
                "source_moves": done.global_offset,
            }
        return found


class Between(Check):
    """The span of one wave for two sizes, and three intervals of padding.

    Shows: the model's rule.
    Does not show: hardware.
    """

    claim = "D2L-051"
    kind = "model"
    binds = ("span", "refused", "taken")

    def observe(self, target, tools):
        tried = (512, 1024, 2048)
        taken = [interval for interval in tried if padding_interval(target, 16, interval)[0]]
        refused = [interval for interval in tried if interval not in taken]
        spans = {f"b{size}": padding_interval(target, size, 4096)[1] for size in (4, 16)}
        return {"span": spans, "refused": refused[0] if len(refused) == 1 else -1, "taken": taken}


class BufferOffsets(Check):
    """Each offset of the buffer form raised by 64, and which side moved.

    Shows: the model's address rule.
    Does not show: hardware, or bounds.
    """

    claim = "D2L-054"
    kind = "model"
    binds = ("lds", "memory")

    def observe(self, target, tools):
        plain = copy(target, 4, 5, form="buffer")
        found = {"lds": {}, "memory": {}}
        for name in ("offset", "soffset", "voffset", "m0"):
            moved = copy(target, 4, 5, form="buffer", **{name: 64})
            found["lds"][name] = moved.lds_address != plain.lds_address
            found["memory"][name] = moved.global_offset != plain.global_offset
        return found


class BitsOfM0(Check):
    """One bit of M0 after the other, and whether the address of a lane moves.

    Shows: which bits the model counts in each form.
    Does not show: hardware.
    """

    claim = "D2L-056"
    kind = "model"
    binds = ("global", "buffer")

    def observe(self, target, tools):
        found = {}
        for form in ("global", "buffer"):
            still = copy(target, 4, 0, form=form).lds_address
            moves = [1 << bit for bit in range(32) if copy(target, 4, 0, m0=1 << bit, form=form).lds_address != still]
            wrong = [bit for bit in moves if copy(target, 4, 0, m0=bit, form=form).lds_address - still != bit]
            if wrong or not moves or sum(moves) != 2 * moves[-1] - moves[0]:
                raise CannotTell(f"{form}: bits {moves}, of which {wrong} move by another amount")
            found[form] = {"step": moves[0], "below": 2 * moves[-1]}
        return found


class ClusterCopies(Check):
    """Cluster copies of nine sizes in the model, and which side an offset of 64 moves.

    Shows: what the model accepts, and its address rule.
    Does not show: which workgroups receive.
    """

    claim = "D2L-057"
    kind = "model"
    binds = ("offset_moves",)

    def observe(self, target, tools):
        known = [size for size in SIZES if opcode(target, size, "cluster")]
        found = {"memory": [], "lds": []}
        for size in known:
            plain, moved = [copy(target, size, 5, base=256, offset=offset, form="cluster") for offset in (0, 64)]
            found["memory"].append(moved.global_offset - plain.global_offset)
            found["lds"].append(moved.lds_address - plain.lds_address)
        for side, moves in found.items():
            if len(set(moves)) != 1 or moves[0] not in (0, 64):
                raise CannotTell(f"{side} moves by {moves}")
        return {"offset_moves": {side: moves[0] == 64 for side, moves in found.items()}}
