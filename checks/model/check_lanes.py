# SPDX-License-Identifier: Apache-2.0
"""Cross-lane operations, asked of the reference model by moving a different number in every lane."""

from cdna.lanes import LaneError, ballot, bpermute, dpp, permute, swap, swizzle
from cdna.permlanes import grouped, index_for, permlane16, read_first_lane, read_lane
from cdna_evidence.checks import CannotTell, Check

LANES = 64
NUMBERS = list(range(100, 100 + LANES))
STRAIGHT = [4 * lane for lane in range(LANES)]


def landed(result, value):
    """Return the lane that holds a value; it must be one."""
    found = [lane for lane in range(len(result)) if result[lane] == value]
    if len(found) != 1:
        raise CannotTell(f"{value} stands in lanes {found}")
    return found[0]


def exchanged(lane, byte_index):
    """Return indices that go straight but for one lane, and the lane that it collides with, which takes its place."""
    indices = list(STRAIGHT)
    indices[lane] = byte_index
    other = byte_index // 4 % LANES
    indices[other] = 4 * lane
    return indices


def named(byte_index, offset=0):
    """Return the lane whose value a pull with one byte index gives, whatever the model notes about it."""
    return landed(NUMBERS, bpermute(NUMBERS, [byte_index] * LANES, offset, strict=False).values[7])


def refused(operation, *arguments, **named_arguments):
    """Return whether the model refuses an example."""
    try:
        operation(*arguments, **named_arguments)
    except LaneError:
        return True
    return False


class PermuteDirections(Check):
    """One lane's index is changed, and the model's results say where its value went and whose value it got.

    Shows: the direction of both permutes, the bytes from one lane to the next, and that an offset is added.
    Does not show: hardware.
    """

    claim = "LANE-002"
    kind = "model"
    binds = (
        "bytes_per_lane",
        "byte_index",
        "offset",
        "lane",
        "from_lane",
        "push_lands_in",
        "pull_takes_from",
        "lane_with_offset_8",
    )

    def observe(self, target, tools):
        wanted, mover = NUMBERS[40], 3
        bytes_to = [index for index in range(4 * LANES) if named(index) == landed(NUMBERS, wanted)]
        step = min(index for index in range(1, 4 * LANES) if named(index) != named(0))
        index = bytes_to[0]
        pushed = permute(NUMBERS, exchanged(mover, index)).values
        pulled = bpermute(NUMBERS, exchanged(mover, index)).values
        no_offset = [offset for offset in range(4) if named(index, offset) == named(index) and not offset]
        return {
            "bytes_per_lane": step,
            "byte_index": index,
            "offset": no_offset[0],
            "lane": named(index),
            "from_lane": landed(NUMBERS, pushed[named(index)]),
            "push_lands_in": landed(pushed, NUMBERS[mover]),
            "pull_takes_from": landed(NUMBERS, pulled[mover]),
            "lane_with_offset_8": named(index, 8),
        }


class ExampleConditions(Check):
    """Examples that break one condition each are refused, one that breaks none is not; for both permutes alike.

    Shows: the model's refusals.
    Does not show: what an operation does outside the conditions.
    """

    claim = "LANE-004"
    kind = "model"
    binds = ("refused",)

    def observe(self, target, tools):
        past, between, double = list(STRAIGHT), list(STRAIGHT), list(STRAIGHT)
        past[63], between[5], double[9] = 256, 21, 12
        asked = {
            "all_conditions_met": (STRAIGHT, None),
            "inactive_lane": (STRAIGHT, [lane != 5 for lane in range(LANES)]),
            "index_past_the_wave": (past, None),
            "index_between_lanes": (between, None),
        }
        found = {}
        for name, (indices, active) in asked.items():
            push = refused(permute, NUMBERS, indices, active=active)
            if push != refused(bpermute, NUMBERS, indices, active=active):
                raise CannotTell(f"{name}: the two permutes differ")
            found[name] = push
        return {"refused": {**found, "two_writers": refused(permute, NUMBERS, double)}}


class IndexWraps(Check):
    """Byte indices past the wave, between lanes and below zero, and the lanes that they name.

    Shows: the model's arithmetic.
    Does not show: hardware.
    """

    claim = "LANE-051"
    kind = "model"
    binds = (
        "bytes_per_lane",
        "past_the_end",
        "past_the_end_lane",
        "between_lanes",
        "between_lanes_lane",
        "minus_four_lane",
    )

    def observe(self, target, tools):
        first = min(index for index in range(1, 2048) if named(index) == named(0) and named(index - 1) != named(0))
        of_40 = [index for index in range(first) if named(index) == 40]
        return {
            "bytes_per_lane": len(of_40),
            "past_the_end": first,
            "past_the_end_lane": named(first),
            "between_lanes": of_40[-1],
            "between_lanes_lane": named(of_40[-1]),
            "minus_four_lane": named(0xFFFFFFFC),
        }


class SeveralWritersHighest(Check):
    """Two lanes push to one, and the value that is there says who won.

    Shows: the model's reading.
    Does not show: hardware; the guide contradicts itself.
    """

    claim = "LANE-052"
    kind = "model"
    position = "highest-lane"
    binds = ("writers", "winner")

    def observe(self, target, tools):
        indices = [4 * lane if lane not in (3, 9) else 80 for lane in range(LANES)]
        moved = permute(NUMBERS, indices, strict=False)
        clash = [lane for lane in range(LANES) if indices[lane] == 80 and lane != 20]
        indices[20] = 12  # lane 20 itself goes elsewhere, so that two writers are left
        moved = permute(NUMBERS, indices, strict=False)
        return {"writers": clash, "winner": landed(NUMBERS, moved.values[20])}


class SeveralWritersRefused(Check):
    """Two lanes push to one in an example: refused; one writer each: taken.

    Shows: that the model keeps to what is right under both readings unless it is asked for more.
    Does not show: hardware.
    """

    claim = "LANE-052"
    kind = "model"
    position = "arbitration"
    binds = ("two_writers_refused", "one_writer_refused", "writers")

    def observe(self, target, tools):
        double = [4 * lane if lane != 9 else 12 for lane in range(LANES)]
        found = [lane for lane in range(LANES) if double[lane] == 12]
        return {
            "writers": found,
            "two_writers_refused": refused(permute, NUMBERS, double),
            "one_writer_refused": refused(permute, NUMBERS, STRAIGHT),
        }


class SwizzleReads(Check):
    """What lanes 0 to 3 read under patterns of each mode, where the modes begin, and how wide a group is.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-053"
    kind = "model"
    binds = ("group", "first", "reads")

    def observe(self, target, tools):
        patterns = {
            "quad_reversed": 0x801B,
            "swap_16": 0x401F,
            "reverse_8": 0x1C1F,
            "broadcast_lane_1_of_4": 0x003C,
            "rotate_left_3": 0xC060,
            "fft_0": 0xE000,
        }
        reads = {name: self._sources(pattern)[:4] for name, pattern in patterns.items()}
        # The same low bits mean something else in each mode: the borders are where lane 1 begins to read another lane.
        borders = [
            pattern
            for pattern in range(0x4000, 0x10000, 0x2000)
            if self._mode(pattern) != self._mode(pattern - 0x2000) and pattern >= 0x8000
        ]
        reverse = self._sources(0x7C1F)
        group = max(abs(reverse[lane] - lane) for lane in range(LANES)) + 1
        return {
            "group": group,
            "first": {"fft": borders[2], "rotate": borders[1], "four_lanes": borders[0]},
            "reads": reads,
        }

    def _sources(self, pattern):
        return [landed(NUMBERS, value) for value in swizzle(NUMBERS, pattern).values]

    def _mode(self, pattern):
        """Which rule a pattern follows, told by how lanes 1 and 33 read under two low parts."""
        first, second = self._sources(pattern | 0x0021), self._sources(pattern | 0x00E4)
        same_in_fours = all(second[lane] == lane for lane in range(LANES))
        masked = first[3] == first[1] and first[2] == first[0]
        turned = first[0] == 0 and first[1] == 3
        return (same_in_fours, masked, turned)


class DppReads(Check):
    """Which lane each control reads, for lanes at the edges of rows and of the wave; minus one where a lane keeps its own.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-055"
    kind = "model"
    binds = ("row", "lanes_asked", "reads")

    def observe(self, target, tools):
        asked = [0, 1, 15, 16, 31, 32, 63]
        controls = {"quad_perm_3210": ("quad_perm", [3, 2, 1, 0])}
        for name in ("row_shl_1", "row_shr_1", "row_ror_1", "row_bcast_15", "row_bcast_31", "row_newbcast_3"):
            controls[name] = (name.rpartition("_")[0], int(name.rpartition("_")[2]))
        for name in ("wave_shl_1", "wave_shr_1", "wave_rol_1", "wave_ror_1"):
            controls[name] = (name[:-2], 1)
        controls.update(row_mirror=("row_mirror", None), row_half_mirror=("row_half_mirror", None))
        reads = {name: self._reads(*control, target) for name, control in controls.items()}
        mirror = self._reads("row_mirror", None, target)
        return {
            "row": mirror[0] + 1,
            "lanes_asked": asked,
            "reads": {name: [lanes[lane] for lane in asked] for name, lanes in reads.items()},
        }

    def _reads(self, control, amount, target):
        kept = [-1] * LANES
        moved = dpp(NUMBERS, control, amount, target, old=kept).values
        return [-1 if value == -1 else landed(NUMBERS, value) for value in moved]


class SwapRows(Check):
    """The rows of two registers after each swap, every lane of a row alike.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-056"
    kind = "model"
    binds = ("rows_16", "rows_32")

    def observe(self, target, tools):
        return {f"rows_{rows}": self._after(rows, target) for rows in (16, 32)}

    def _after(self, rows, target):
        first = [lane // 16 for lane in range(LANES)]
        second = [10 + lane // 16 for lane in range(LANES)]
        found = {}
        for name, lanes in zip(("first", "second"), swap(first, second, rows, target)):
            found[name] = [lanes[row * 16] for row in range(4)]
            if any(lanes[lane] != found[name][lane // 16] for lane in range(LANES)):
                raise CannotTell("a row is not whole")
        return found


class InactiveLanes(Check):
    """A pull from an inactive lane, a push from it, and what it holds itself.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-057"
    kind = "model"
    binds = ("inactive", "pulled", "not_pushed", "inactive_written", "active_written")

    def observe(self, target, tools):
        active = [lane != 5 for lane in range(LANES)]
        # Every lane reads the one before; lane 5 would have pushed to lane 6.
        pulled = bpermute(NUMBERS, [4 * ((lane - 1) % LANES) for lane in range(LANES)], active=active, strict=False)
        pushed = permute(NUMBERS, [4 * ((lane + 1) % LANES) for lane in range(LANES)], active=active, strict=False)
        zero = [lane for lane in range(LANES) if pulled.values[lane] == 0]
        if zero != [lane for lane in range(LANES) if pushed.values[lane] == 0] or len(zero) != 1:
            raise CannotTell(f"zeros in lanes {zero}")
        return {
            "inactive": zero[0] - 1,
            "pulled": pulled.values[zero[0]],
            "not_pushed": pushed.values[zero[0]],
            "inactive_written": pulled.values[zero[0] - 1] is not None or pushed.values[zero[0] - 1] is not None,
            "active_written": pulled.values[0] is not None and pushed.values[0] is not None,
        }


class BallotOfForty(Check):
    """The mask of forty active lanes, its count, and the count of its low half.

    Shows: that the model's masks are as wide as a wave.
    Does not show: hardware.
    """

    claim = "LANE-054"
    kind = "model"
    binds = ("lanes", "active_count", "low_half_count")

    def observe(self, target, tools):
        widths = [lanes for lanes in (16, 32, 64, 128) if not refused(ballot, [True] * lanes, target)]
        if len(widths) != 1:
            raise CannotTell(f"waves of {widths} lanes")
        mask, count = ballot([lane < 40 for lane in range(widths[0])], target)
        return {
            "lanes": widths[0],
            "active_count": count,
            "low_half_count": bin(mask & (1 << widths[0] // 2) - 1).count("1"),
        }


class Wave32Permutes(Check):
    """Pulls over 32 lanes with one byte index for all, and one pull from an inactive lane.

    Shows: the model's arithmetic on a wave of 32 lanes, and that it takes no longer one for this target.
    Does not show: hardware.
    """

    claim = "LANE-058"
    kind = "model"
    binds = (
        "lanes",
        "bytes_per_lane",
        "past_the_end",
        "past_the_end_lane",
        "old_index",
        "old_lane",
        "old_index_lane",
        "pulled",
    )

    def observe(self, target, tools):
        widths = [lanes for lanes in (16, 32, 64, 128) if not refused(ballot, [True] * lanes, target)]
        if len(widths) != 1:
            raise CannotTell(f"waves of {widths} lanes")
        lanes = widths[0]
        first = min(byte for byte in range(1, 2048) if self._named(byte, lanes) < self._named(byte - 1, lanes))
        of_8 = [byte for byte in range(first) if self._named(byte, lanes) == 8]
        active = [lane != 5 for lane in range(lanes)]
        (old,) = [byte for byte in range(first, 2 * first, len(of_8)) if self._named(byte, lanes) == 8]
        (index,) = {named(old)}
        return {
            "lanes": lanes,
            "bytes_per_lane": len(of_8),
            "past_the_end": first,
            "past_the_end_lane": self._named(first, lanes),
            "old_index": old,
            "old_lane": index,
            "old_index_lane": self._named(old, lanes),
            "pulled": bpermute(NUMBERS[:lanes], [20] * lanes, active=active, strict=False).values[0],
        }

    def _named(self, byte, lanes):
        return landed(NUMBERS[:lanes], bpermute(NUMBERS[:lanes], [byte] * lanes, strict=False).values[7])


class DppMasks(Check):
    """A rotation of every row under one row mask and under one bank mask, with old values that tell which lanes were written.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-059"
    kind = "model"
    binds = ("row_mask", "rows", "bank_mask", "places", "kept_where_masked", "zero_where_masked")

    def observe(self, target, tools):
        lanes = [count for count in (32, 64) if not refused(ballot, [True] * count, target)][0]
        by_row, row_mask = self._written(target, lanes, row_mask=0b1010)
        by_bank, bank_mask = self._written(target, lanes, bank_mask=0b0010)
        rows = sorted({lane // 16 for lane in by_row})
        places = sorted({lane % 16 for lane in by_bank})
        if by_row != [lane for lane in range(lanes) if lane // 16 in rows]:
            raise CannotTell("a row is written in part")
        if by_bank != [lane for lane in range(lanes) if lane % 16 in places]:
            raise CannotTell("rows are written unlike")
        # Lanes whose source is the edge of a row: a zero for a missing source must not reach lanes that a mask keeps.
        edge = dpp(NUMBERS[:lanes], "row_shl", 1, target, [7] * lanes, bound_zero=True, row_mask=0b1010).values[15]
        return {
            "row_mask": row_mask,
            "rows": rows,
            "bank_mask": bank_mask,
            "places": places,
            "kept_where_masked": edge == 7,
            "zero_where_masked": edge == 0,
        }

    def _written(self, target, lanes, **masks):
        moved = dpp(NUMBERS[:lanes], "row_ror", 1, target, [-1] * lanes, **masks)
        written = [lane for lane in range(lanes) if moved.values[lane] != -1]
        read = [NUMBERS[lane // 16 * 16 + (lane - 1) % 16] for lane in written]
        if [moved.values[lane] for lane in written] != read:
            raise CannotTell("a written lane holds another lane's number than without a mask")
        return written, list(masks.values())[0]


SHORT = NUMBERS[:32]
ASKED = [0, 1, 2, 7, 8, 9, 15]


def reads(op, amount, width, reading="guide"):
    """Return the lanes that the asked lanes read by a grouped permlane, minus one where they get zero."""
    moved = grouped(op, SHORT, amount, width, reading=reading).values
    return [-1 if moved[lane] == 0 else landed(SHORT, moved[lane]) for lane in ASKED]


class GroupedPermlanes(Check):
    """A broadcast and an exchange in groups of eight, every lane with a number of its own.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-060"
    kind = "model"
    binds = ("width", "amount", "bcast_index", "lanes_asked", "bcast", "xor")

    def observe(self, target, tools):
        # The width shows in how many neighbours a broadcast gives one value.
        widths = []
        for width in (2, 4, 8, 16):
            got = grouped("bcast", SHORT, 10, width).values
            same = min([lane for lane in range(1, 32) if got[lane] != got[0]])
            widths.append(same)
        amounts = [amount for amount in range(32) if reads("xor", amount, 8)[0] == 2]
        return {
            "width": widths[2],
            "amount": amounts[0],
            "bcast_index": 10,
            "lanes_asked": ASKED,
            "bcast": reads("bcast", 10, widths[2]),
            "xor": reads("xor", amounts[0], widths[2]),
        }


class BeyondTheGroupByGuide(Check):
    """Moves that ask beyond groups of eight, by the reading of the guide.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-060"
    kind = "model"
    position = "guide"
    binds = ("up", "down", "mask_beyond", "xor_beyond")
    reading = "guide"

    def observe(self, target, tools):
        inside = [mask for mask in range(32) if mask % 4 == 0 and -1 not in reads("xor", mask, 8, "emulator")]
        return {
            "up": reads("up", 2, 8, self.reading),
            "down": reads("down", 2, 8, self.reading),
            "mask_beyond": inside[-1] + 8,
            "xor_beyond": reads("xor", inside[-1] + 8, 8, self.reading),
        }


class BeyondTheGroupByEmulator(BeyondTheGroupByGuide):
    """The same by the reading of the emulator.

    Shows: the model's other reading.
    Does not show: the emulator, which was not run, nor hardware.
    """

    position = "emulator"
    reading = "emulator"


class IndexByGuide(Check):
    """The index that one lane gets, and the lane that a pull by it reads.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-061"
    kind = "model"
    position = "guide"
    binds = ("lane", "width", "index", "made", "reads_lane")

    def observe(self, target, tools):
        lane, index = 9, 28
        # The width is the number of lanes that pull from one group.
        made = [index_for(one, index, 8) for one in range(32)]
        width = len([one for one in made if one == made[lane]])
        pulled = bpermute(SHORT, made).values
        return {"lane": lane, "width": width, "index": index, "made": made[lane], "reads_lane": landed(SHORT, pulled[lane])}


class IndexByEmulator(Check):
    """The same by the reading of the emulator.

    Shows: the model's other reading.
    Does not show: the emulator, which was not run, nor hardware.
    """

    claim = "LANE-061"
    kind = "model"
    position = "emulator"
    binds = ("made",)

    def observe(self, target, tools):
        return {"made": index_for(9, 28, 8, "emulator")}


class RowPermlanes(Check):
    """The guide's example of a rotation, in the same row and in the other, and a source that is switched off.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-062"
    kind = "model"
    binds = ("words", "lanes_asked", "same_row", "other_row", "inactive_source")

    def observe(self, target, tools):
        words, asked = [0x87654321, 0x0FEDCBA9], [0, 1, 14, 15, 16, 30, 31]
        here = permlane16(SHORT, words).values
        across = permlane16(SHORT, words, True).values
        active = [lane != 1 for lane in range(32)]
        seven = [7] * 32
        off = {
            "plain": permlane16(SHORT, words, False, seven, active).values[0],
            "bound_control": permlane16(SHORT, words, False, seven, active, bound_zero=True).values[0],
            "fetched": permlane16(SHORT, words, False, seven, active, True).values[0],
        }
        return {
            "words": words,
            "lanes_asked": asked,
            "same_row": [landed(SHORT, here[lane]) for lane in asked],
            "other_row": [landed(SHORT, across[lane]) for lane in asked],
            "inactive_source": {
                "old": seven[0],
                "plain": off["plain"],
                "bound_control": off["bound_control"],
                "fetch_inactive_reads": off["fetched"] == SHORT[1],
            },
        }


class LanesAsScalars(Check):
    """Lane numbers inside and past a wave, an inactive lane, and the lowest active lane of some and of none.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-063"
    kind = "model"
    binds = ("asked", "reads", "inactive_is_read", "lowest_of_5_to_9", "first_of_none")

    def observe(self, target, tools):
        lanes = [count for count in (32, 64) if not refused(ballot, [True] * count, target)][0]
        held = NUMBERS[:lanes]
        some = [5 <= lane <= 9 for lane in range(lanes)]
        return {
            "asked": [5, 40, 70],
            "reads": [landed(held, read_lane(held, number, target)[0]) for number in (5, 40, 70)],
            "inactive_is_read": read_first_lane(held, target, [False] * lanes)[0] == held[0],
            "lowest_of_5_to_9": landed(held, read_first_lane(held, target, some)[0]),
            "first_of_none": landed(held, read_first_lane(held, target, [False] * lanes)[0]),
        }


class DppFromInactive(Check):
    """A row shift and dpp8 from a lane that is switched off.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-064"
    kind = "model"
    binds = ("old", "plain", "bound_control", "fetch_inactive_reads", "dpp8", "dpp8_fetch_inactive_reads")

    def observe(self, target, tools):
        active, seven = [lane != 1 for lane in range(32)], [7] * 32
        eight = [1, 0, 2, 3, 4, 5, 6, 7]

        def got(control, amount, **more):
            return dpp(SHORT, control, amount, target, seven, active, False, **more).values[0]

        return {
            "old": seven[0],
            "plain": got("row_shl", 1),
            "bound_control": got("row_shl", 1, bound_zero=True),
            "fetch_inactive_reads": got("row_shl", 1, fetch_inactive=True) == SHORT[1],
            "dpp8": got("dpp8", eight),
            "dpp8_fetch_inactive_reads": got("dpp8", eight, fetch_inactive=True) == SHORT[1],
        }


class SwapRowsOfShortWaves(Check):
    """The rows of two registers of 32 lanes after the swap, and a swap with one lane of each row switched off.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "LANE-066"
    kind = "model"
    binds = ("first", "second", "inactive_is_read", "inactive_is_kept")

    def observe(self, target, tools):
        first, second = [lane // 16 for lane in range(32)], [10 + lane // 16 for lane in range(32)]
        rows = []
        for lanes in swap(first, second, 16, target):
            if len(set(lanes[:16])) != 1 or len(set(lanes[16:])) != 1:
                raise CannotTell("a row is not whole")
            rows.append([lanes[0], lanes[16]])
        mine, other = SHORT, [value + 50 for value in SHORT]
        active = [lane not in (3, 20) for lane in range(32)]
        one, two = swap(mine, other, 16, target, active)
        return {
            "first": rows[0],
            "second": rows[1],
            "inactive_is_read": one[19] == other[3] and two[4] == mine[20],
            "inactive_is_kept": two[3] == other[3] and one[20] == mine[20],
        }
