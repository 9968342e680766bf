# SPDX-License-Identifier: Apache-2.0
"""Bounds of a tensor tile, asked of the reference model by running loads and stores with guards around them."""

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import decode, encode
from cdna.tdm.transfer import run
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.search import largest


def numbered(count, first=0, guard_before=0):
    """Return DWORDs that count up from `first`, after some guard DWORDs that hold 1000000 and up."""
    values = [1000000 + i for i in range(guard_before)] + [first + i for i in range(count)]
    return b"".join(value.to_bytes(4, "little") for value in values)


def dwords(data):
    """Return the DWORDs of some bytes."""
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def loaded(fields, memory, count):
    """Load a tile of DWORDs over all-one LDS; return (its DWORDs, number of faults)."""
    outcome = run(dict(fields, data_size=2), "load", memory, b"\xff" * (4 * count))
    return dwords(outcome.lds), len(outcome.faults)


class LoadWritesZero(Check):
    """A load writes zeros for the columns past the bound and reads no memory for them.

    Shows: the reference model, with memory given for the inside only and LDS full of ones.
    Does not show: hardware.
    """

    claim = "TDM-043"
    kind = "model"
    binds = ("outside", "tile_columns", "bound_columns", "zeroed_columns", "zeroed_with_bound_zero", "faults")

    def observe(self, target, tools):
        tile, bound, rows = 6, 4, 3
        shape = {"global_addr": 4096, "tile_dim0": tile, "tile_dim1": rows, "tensor_dim0_stride": 16}
        memory = [(4096 + 64 * row, numbered(bound, 100 * row + 1)) for row in range(rows)]
        got, faults = loaded(dict(shape, tensor_dim0=bound, tensor_dim1=rows), memory, tile * rows)
        outside = [got[row * tile + column] for row in range(rows) for column in range(bound, tile)]
        inside = [got[row * tile + column] for row in range(rows) for column in range(bound)]
        empty, more_faults = loaded(dict(shape, tensor_dim0=tile, tensor_dim1=0), [], tile * rows)
        words = {(0,): "zero", (0xFFFFFFFF,): "ignore"}
        zeros = [sum(value == 0 for value in got[row * tile : row * tile + tile]) for row in range(rows)]
        return {
            "outside": words.get(tuple(sorted(set(outside))), "undefined"),
            "tile_columns": len(got) // rows,
            "bound_columns": len(inside) // rows if 0 not in inside else -1,
            "zeroed_columns": zeros[0] if len(set(zeros)) == 1 else zeros,
            "zeroed_with_bound_zero": sum(value == 0 for value in empty),
            "faults": faults + more_faults,
        }


def changed_by_store(fields, columns, rows, tile):
    """Store numbered DWORDs into a marked array; return ({(column, row): value} that changed, other bytes, faults)."""
    marker = b"\xee" * (4 * columns * rows)
    guard = b"\xdd" * 256
    memory = [(4096 - 256, guard + marker + guard)]
    outcome = run(dict(fields, global_addr=4096, data_size=2), "store", memory, numbered(tile, 1))
    after = outcome.memory[0][1]
    changed = {}
    for i, value in enumerate(dwords(after[256:-256])):
        if value != 0xEEEEEEEE:
            changed[i % columns, i // columns] = value
    foreign = sum(byte != 0xDD for byte in after[:256] + after[-256:])
    return changed, foreign, len(outcome.faults)


class StoreDrops(Check):
    """A store over the corner of a tensor changes the inside only; guards around it stay as they were.

    Shows: the reference model, with marked memory around the tensor.
    Does not show: hardware.
    """

    claim = "TDM-044"
    kind = "model"
    binds = ("outside", "tile_elements", "bound", "written_elements", "foreign_bytes_changed", "faults")

    def observe(self, target, tools):
        fields = {"tile_dim0": 3, "tile_dim1": 3, "tensor_dim0": 2, "tensor_dim1": 2, "tensor_dim0_stride": 8}
        changed, foreign, faults = changed_by_store(fields, 8, 8, 9)
        columns = sorted(set(column for column, _ in changed))
        rows = sorted(set(row for _, row in changed))
        spilled = [place for place in changed if place[0] > 1 or place[1] > 1]
        full, _, _ = changed_by_store(dict(fields, tensor_dim0=8, tensor_dim1=8), 8, 8, 9)
        return {
            "outside": "ignore" if spilled else "drop",
            "tile_elements": len(full),
            "bound": {"columns": len(columns), "rows": len(rows)},
            "written_elements": len(changed),
            "foreign_bytes_changed": foreign + 4 * len(spilled),
            "faults": faults,
        }


class BoundCountsFromTile(Check):
    """A tile near the right edge: with the bound left at the full width it runs into the next row.

    Shows: the article's example, run in the reference model.
    Does not show: hardware; the article's author reports a run of it.
    """

    claim = "TDM-045"
    kind = "model"
    binds = ("array_columns", "tile_column", "tile_columns", "rest", "left_at_full", "set_to_rest")

    def observe(self, target, tools):
        array, column, tile = 64, 56, 16
        copy = {"element_bytes": 4, "base": 4096, "at": [column, 0], "tensor": [array, 4], "tile": [tile, 1]}
        fields = fields_of_copy(copy)
        memory = [(4096, numbered(4 * array))]
        right, _ = loaded(fields, memory, tile)
        wrong, _ = loaded(dict(fields, tensor_dim0=array), memory, tile)
        return {
            "array_columns": array,
            "tile_column": (fields["global_addr"] - 4096) // 4,
            "tile_columns": len(right),
            "rest": fields["tensor_dim0"],
            "left_at_full": wrong,
            "set_to_rest": right,
        }


class RaggedForty(Check):
    """Three tiles of sixteen columns over an array of forty.

    Shows: the article's second example: bounds from the copy planner, contents from the reference model.
    Does not show: hardware; the article's author reports a run of it.
    """

    claim = "TDM-046"
    kind = "model"
    binds = ("array_columns", "tile_columns", "bounds", "first_tile", "last_tile")

    def observe(self, target, tools):
        array, tile = 40, 16
        bounds, tiles = [], []
        for column in range(0, array, tile):
            copy = {"element_bytes": 4, "base": 4096, "at": [column, 0], "tensor": [array, 1], "tile": [tile, 1]}
            fields = fields_of_copy(copy)
            bounds.append(fields["tensor_dim0"])
            tiles.append(loaded(fields, [(4096, numbered(array))], tile)[0])
        return {
            "array_columns": array,
            "tile_columns": len(tiles[0]),
            "bounds": bounds,
            "first_tile": tiles[0],
            "last_tile": tiles[-1],
        }


class NearEndUnprotected(Check):
    """A tile that starts before the tensor reads what lies there; only the bound zero keeps it from that.

    Shows: the reference model with guard values in front of the tensor, for every bound up to the naive one.
    Does not show: hardware, or an address below the aperture.
    """

    claim = "TDM-047"
    kind = "model"
    binds = ("tensor_columns", "columns_before", "tile_columns", "naive_bound", "foreign_elements", "safe_bound")

    def observe(self, target, tools):
        tensor, before, tile = 64, 8, 16
        memory = [(4096, numbered(tensor, 1, guard_before=before))]
        foreign = {}
        for bound in range(tensor + before + 1):
            fields = {"global_addr": 4096, "tile_dim0": tile, "tensor_dim0": bound}
            got, _ = loaded(fields, memory, tile)
            foreign[bound] = sum(value >= 1000000 and value != 0xFFFFFFFF for value in got)
        naive = tensor - (-before)
        return {
            "tensor_columns": tensor,
            "columns_before": before,
            "tile_columns": tile,
            "naive_bound": naive,
            "foreign_elements": foreign[naive],
            "safe_bound": max((bound for bound in foreign if foreign[bound] == 0), default=-1),
        }


class NearEndPlanned(Check):
    """The copy planner gives a tile that starts before the tensor a bound that reads nothing in front of it.

    Shows: what this project's planner writes for a negative offset.
    Does not show: hardware.
    """

    claim = "TDM-047"
    kind = "model"
    binds = ("safe_bound",)

    def observe(self, target, tools):
        copy = {"element_bytes": 4, "base": 4096, "at": [-8, 0], "tensor": [64, 1], "tile": [16, 1]}
        return {"safe_bound": fields_of_copy(copy)["tensor_dim0"]}


class NotClamped(Check):
    """Past the edge a load gives zeros, not the last element again, and a store changes nothing.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "TDM-048"
    kind = "model"
    position = "zero-and-drop"
    binds = ("array_columns", "tile_column", "tile_columns", "loaded", "stored_past_edge")

    def observe(self, target, tools):
        array, column, tile = 40, 38, 4
        copy = {"element_bytes": 4, "base": 4096, "at": [column, 0], "tensor": [array, 1], "tile": [tile, 1]}
        fields = fields_of_copy(copy)
        got, _ = loaded(fields, [(4096, numbered(2 * array))], tile)
        outcome = run(fields, "store", [(4096, b"\xee" * (8 * array))], numbered(tile, 1))
        after = dwords(outcome.memory[0][1])
        return {
            "array_columns": array,
            "tile_column": (fields["global_addr"] - 4096) // 4,
            "tile_columns": len(got),
            "loaded": got,
            "stored_past_edge": sum(value != 0xEEEEEEEE for value in after[array:]),
        }


def asked_past_the_array(edge_reads):
    """Load the last tile of a packed array whose memory is all there; give more until it asks for nothing else."""
    element, array, columns, rows, tile = 2, 26, 10, 4, 16
    fields = {"data_size": 1, "tile_dim0": tile, "tile_dim1": rows, "tensor_dim0_stride": array}
    fields.update(tensor_dim0=columns, tensor_dim1=rows, global_addr=4096 + element * (array - columns))
    size = element * array * rows
    first = None
    for more in range(element * tile + 1):
        memory, lds = [(4096, b"\x11" * (size + more))], b"\xff" * (element * tile * rows)
        done = run(fields, "load", memory, lds, edge_reads=edge_reads)
        first = done if first is None else first
        if not done.faults:
            return first, more, fields, done.lds.count(0)
    raise CannotTell("the tile faults even with a whole row of memory behind the array")


class EdgeReads(Check):
    """A tile over the right edge of a packed array asks for no memory behind the array.

    Shows: the reference model, by giving it more and more memory behind the array until nothing faults.
    Does not show: hardware.
    """

    claim = "TDM-151"
    kind = "model"
    position = "masked"
    reads = "masked"
    binds = ("tile_columns", "bound_columns", "rows", "asked_past_the_array", "faults")

    def observe(self, target, tools):
        first, more, fields, zeroed = asked_past_the_array(self.reads)
        rows = len(first.lds) // 2 // fields["tile_dim0"]
        return {
            "tile_columns": len(first.lds) // 2 // rows,
            "bound_columns": len(first.lds) // 2 // rows - zeroed // 2 // rows,
            "rows": rows,
            "asked_past_the_array": more,
            "faults": len(first.faults),
        }


class EdgeReadsTouch(EdgeReads):
    """The same tile, with addresses that go out for elements past the innermost bound.

    Shows: the reference model under this position: LDS holds the same, the last row asks for memory behind the array.
    Does not show: that a device does so.
    """

    position = "data-only"
    reads = "touched"


class LimitedAccess(Check):
    """In the one sense in which an edge tile is clamped, fewer elements are touched in memory.

    Shows: how much memory the reference model needs for the tile, found by giving it less and less.
    Does not show: that the summary's author meant this.
    """

    claim = "TDM-048"
    kind = "model"
    position = "clamped"
    binds = ("memory_elements_touched", "array_columns", "tile_column", "tile_columns")

    def observe(self, target, tools):
        array, column, tile = 40, 38, 4
        copy = {"element_bytes": 4, "base": 4096, "at": [column, 0], "tensor": [array, 1], "tile": [tile, 1]}
        fields = fields_of_copy(copy)
        for given in range(tile + 1):
            got, faults = loaded(fields, [(fields["global_addr"], numbered(given, column))], tile)
            if not faults:
                return {
                    "memory_elements_touched": given,
                    "array_columns": array,
                    "tile_column": (fields["global_addr"] - 4096) // 4,
                    "tile_columns": len(got),
                }
        raise CannotTell("the tile faults even with all of its memory given")


class BothEdges(Check):
    """A tile over the right and the bottom edge, loaded and stored without a predicate.

    Shows: the reference model: what becomes zero, what is dropped, and that nothing faults.
    Does not show: hardware.
    """

    claim = "TDM-049"
    kind = "model"
    binds = ("tile_elements", "inside_elements", "zeroed_elements", "dropped_elements", "foreign_elements_changed", "faults")

    def observe(self, target, tools):
        fields = {"tile_dim0": 5, "tile_dim1": 4, "tensor_dim0": 3, "tensor_dim1": 2, "tensor_dim0_stride": 8}
        memory = [(4096 + 32 * row, numbered(3, 10 * row + 1)) for row in range(2)]
        got, load_faults = loaded(dict(fields, global_addr=4096), memory, 20)
        changed, foreign, store_faults = changed_by_store(fields, 8, 8, 20)
        inside = [place for place in changed if place[0] < 3 and place[1] < 2]
        return {
            "tile_elements": len(got),
            "inside_elements": sum(value != 0 for value in got),
            "zeroed_elements": sum(value == 0 for value in got),
            "dropped_elements": len(got) - len(inside),
            "foreign_elements_changed": len(changed) - len(inside) + foreign,
            "faults": {"load": load_faults, "store": store_faults},
        }


class SubtractWalksTheBound(Check):
    """How far a bound can be walked down by subtracting from one word of group 1, and by two with a borrow.

    Shows: plain 32-bit arithmetic on encoded words, decoded again after every step.
    Does not show: time.
    """

    claim = "TDM-050"
    kind = "model"
    binds = ("first_word", "first_bit", "last_word", "one_subtract_below", "subtracts_with_borrow")

    def observe(self, target, tools):
        base = encode({"tile_dim0": 16})
        low = self._bits(base, encode({"tile_dim0": 16, "tensor_dim0": 1}))
        high = self._bits(base, encode({"tile_dim0": 16, "tensor_dim0": 1 << 31}))
        walked = largest(lambda bound: self._walks(bound, 1), 1, 1 << 20)
        enough = [count for count in (1, 2) if self._walks(1 << 20, count) and self._walks((1 << 20) + 12345, count)]
        return {
            "first_word": low[0],
            "first_bit": low[1],
            "last_word": high[0],
            "one_subtract_below": walked + 1,
            "subtracts_with_borrow": min(enough) if enough else -1,
        }

    def _bits(self, one, other):
        for i in range(8):
            difference = one[4 + i] ^ other[4 + i]
            if difference:
                return i, len(bin(difference)) - 3
        return -1, -1

    def _walks(self, bound, subtracts, step=4096):
        """Say whether the bound reaches zero by right steps, subtracting in so many words from word 1 of group 1."""
        words = list(encode({"tile_dim0": 16, "tensor_dim0": bound, "tensor_dim1": 77}))
        left = bound
        while left:
            take = min(step, left)
            borrow = 0
            for i, part in ((5, take << 16 & 0xFFFFFFFF), (6, take >> 16))[:subtracts]:
                value = words[i] - part - borrow
                words[i], borrow = value & 0xFFFFFFFF, int(value < 0)
            left -= take
            fields = decode(words).fields
            if fields["tensor_dim0"] != left or fields["tensor_dim1"] != 77:
                return False
        return True
