# SPDX-License-Identifier: Apache-2.0
"""Gather and scatter, asked of the reference model by moving numbered rows and looking where they land."""

import itertools

from cdna.tdm.descriptor import FieldError, rank_of
from cdna.tdm.gather import order_of
from cdna.tdm.rules import findings
from cdna.tdm.transfer import run
from cdna_evidence.checks import CannotTell, Check

BASE = 4096
PITCH = 8
ROWS = 16


def gather(rows, bits=16, **more):
    """Fields of a gather of DWORDs: rows of four columns from a tensor of 16 rows with a pitch of eight."""
    fields = {"gather_mode": 1, "gather_index_size": 1 if bits == 32 else 0, "row_indices": list(rows)}
    fields.update(global_addr=BASE, data_size=2, tile_dim0=4, tile_dim1=len(rows))
    fields.update(tensor_dim0=PITCH, tensor_dim1=ROWS, tensor_dim0_stride=PITCH)
    fields.update(more)
    return fields


def source(rows=ROWS):
    """A tensor whose row r holds 1000 + 100 * r + column."""
    words = [1000 + 100 * row + column for row in range(rows) for column in range(PITCH)]
    return b"".join(word.to_bytes(4, "little") for word in words)


def dwords(data):
    """Split bytes into DWORDs."""
    return [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]


def loaded(fields, lds_bytes=1024, rows=ROWS):
    """Run a load over marked LDS; return (outcome, LDS DWORDs as numbers, None where nothing was written)."""
    low = run(fields, "load", [(BASE, source(rows))], bytes(lds_bytes))
    high = run(fields, "load", [(BASE, source(rows))], b"\xff" * lds_bytes)
    pairs = zip(dwords(low.lds), dwords(high.lds))
    return low, [one if one == other else None for one, other in pairs]


def landed(content, columns=4):
    """Row number that each written LDS row came from, -1 for zeros; a row of anything else cannot be told."""
    found = []
    for at in range(0, len(content), columns):
        row = content[at : at + columns]
        if None in row:
            break
        if not any(row):
            found.append(-1)
            continue
        number = (row[0] - 1000) // 100
        if row != [1000 + 100 * number + column for column in range(columns)]:
            raise CannotTell(f"LDS row holds {row}")
        found.append(number)
    return found


def most_rows(bits):
    """Largest tile_dim1 that moves rows, found by search from one up."""
    count = 0
    while count < 100:
        try:
            outcome, content = loaded(
                gather([count + 1 - i for i in range(count + 1)], bits, tensor_dim1=200), 4096, 200
            )
        except FieldError:
            break
        if len(landed(content)) != count + 1:
            break
        count += 1
    return count


class GatherList(Check):
    """How many rows of each index width the model moves, found by search, and what an unused entry does.

    Shows: the reference model; a list longer than the width allows is refused.
    Does not show: hardware.
    """

    claim = "TDM-067"
    kind = "model"
    binds = ("most_rows", "count_field", "listed", "valid", "rows_moved", "rows_moved_when_none_valid", "row_elements")

    def observe(self, target, tools):
        rows = [3, 1, 8, 2, 5]
        counting = []
        for name in ("tile_dim1", "tile_dim2", "tile_dim0", "tensor_dim1"):
            fields = gather(rows)
            fields[name] = 3
            if len([word for word in loaded(fields)[1] if word is not None]) == 3 * 4:
                counting.append(name)
        content = loaded(gather(rows, tile_dim1=3))[1]
        return {
            "most_rows": {"bits_16": most_rows(16), "bits_32": most_rows(32)},
            "count_field": counting[0] if len(counting) == 1 else "-".join(counting),
            "listed": len(rows),
            "valid": 3,
            "rows_moved": len(landed(content)),
            "rows_moved_when_none_valid": len(landed(loaded(gather(rows, tile_dim1=0))[1])),
            "row_elements": len([word for word in content if word is not None]) // 3,
        }


class GatherOrder(Check):
    """Rows land in the order of the list, and an index may repeat.

    Shows: the reference model for two lists.
    Does not show: hardware; an article reports a run of the first list on one device.
    """

    claim = "TDM-068"
    kind = "model"
    binds = ("listed", "landed", "emulator_landed")

    def observe(self, target, tools):
        first, second = [9, 2, 6, 2], [7, 0, 3, 6, 1, 4, 2, 5, 7, 3]
        return {
            "listed": first,
            "landed": landed(loaded(gather(first))[1]),
            "emulator_landed": landed(loaded(gather(second))[1]),
        }


class GatherIgnores(Check):
    """Each field of the shape is changed in turn: which of them change what a gather moves.

    Shows: the reference model's load of four rows.
    Does not show: hardware, or what ignored fields do to performance.
    """

    claim = "TDM-069"
    kind = "model"
    binds = ("ignored_set", "used_set")

    def observe(self, target, tools):
        rows = [4, 1, 7, 1]
        plain = loaded(gather(rows))[1]
        changes = {
            "tensor_dim0": 2,
            "tensor_dim1": 5,
            "tensor_dim0_stride": 3,
            "tensor_dim1_stride": 5,
            "tile_dim0": 3,
            "tile_dim1": 2,
            "tile_dim2": 3,
        }
        same = sorted(name for name in changes if loaded(gather(rows, **{name: changes[name]}))[1] == plain)
        return {"ignored_set": same, "used_set": sorted(name for name in changes if name not in same)}


class GatherOutOfBounds(Check):
    """Indices past the tensor give rows of zeros; the linter warns when such a list goes down, and only then.

    Shows: the reference model, which checks each index by itself, and the project's linter.
    Does not show: what a device does with a descending list; the manual promises nothing there.
    """

    claim = "TDM-070"
    kind = "model"
    binds = ("tensor_rows", "listed", "zero_rows", "outside", "faults", "promised")

    def observe(self, target, tools):
        rows, tensor_rows = [1, 3, 12, 15], 10
        outcome, content = loaded(gather(rows, tensor_dim1=tensor_rows))
        found = landed(content)
        zeroed = [place for place, row in enumerate(found) if row == -1]
        others = [row for row in found if row != -1]
        cases = {"sorted_outside": rows, "descending_outside": [12, 1, 15, 3], "descending_inside": [9, 2, 6, 2]}
        promised = {name: not self._warned(cases[name], tensor_rows) for name in cases}
        return {
            "tensor_rows": tensor_rows,
            "listed": rows,
            "zero_rows": zeroed,
            "outside": "zero" if others == [1, 3] and len(found) == len(rows) else "undefined",
            "faults": len(outcome.faults),
            "promised": promised,
        }

    def _warned(self, rows, tensor_rows):
        return any(item.rule == "gather-order" for item in findings(gather(rows, tensor_dim1=tensor_rows)))


class GatherIsFlat(Check):
    """Extents of higher dimensions add nothing to a gather, and multiply a plain tile.

    Shows: the reference model with every higher extent that fits beside a list.
    Does not show: hardware.
    """

    claim = "TDM-071"
    kind = "model"
    binds = ("rank", "rows", "columns", "planes", "gathered_elements", "dense_elements")

    def observe(self, target, tools):
        rows, planes = [6, 0, 3], 5
        fields = gather(rows, tile_dim2=planes, tensor_dim1_stride=PITCH, tensor_dim2=planes)
        gathered = [word for word in loaded(fields)[1] if word is not None]
        plain = {name: fields[name] for name in fields if name not in ("gather_mode", "row_indices")}
        dense = [word for word in loaded(plain)[1] if word is not None]
        return {
            "rank": rank_of(fields),
            "rows": len(rows),
            "columns": fields["tile_dim0"],
            "planes": planes,
            "gathered_elements": len(gathered),
            "dense_elements": len(dense),
        }


class Scatter(Check):
    """The same list on a store puts LDS row i into the row that entry i names, and leaves every other row alone.

    Shows: the reference model, with one index outside the tensor.
    Does not show: which of two stores to one row wins; no source says so.
    """

    claim = "TDM-072"
    kind = "model"
    binds = ("listed", "tensor_rows", "written", "other_elements_changed", "outside")

    def observe(self, target, tools):
        rows, tensor_rows = [5, 1, 12, 4], 10
        lds = b"".join((9000 + 100 * row + column).to_bytes(4, "little") for row in range(4) for column in range(4))
        before = dwords(source())
        outcome = run(gather(rows, tensor_dim1=tensor_rows), "store", [(BASE, source())], lds)
        after = dwords(outcome.memory[0][1])
        written, changed = [], [i for i in range(len(after)) if after[i] != before[i]]
        for row in range(4):
            wanted = [9000 + 100 * row + column for column in range(4)]
            places = [i for i in range(ROWS) if after[i * PITCH : i * PITCH + 4] == wanted]
            written += places
        return {
            "listed": rows,
            "tensor_rows": tensor_rows,
            "written": written,
            "other_elements_changed": len(changed) - 4 * len(written),
            "outside": "drop" if 12 not in written and not outcome.faults else "undefined",
        }


class GatherBound(Check):
    """The last index that is read and the first that is zeroed, found by search; and a bound set to the list's length.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "TDM-073"
    kind = "model"
    binds = ("bound", "last_row_read", "first_row_zero", "listed", "zeroed_by_list_length")

    def observe(self, target, tools):
        bound = 6
        read = [row for row in range(ROWS) if landed(loaded(gather([row], tensor_dim1=bound))[1]) == [row]]
        rows = [9, 2, 6, 2]
        short = landed(loaded(gather(rows, tensor_dim1=len(rows)))[1])
        return {
            "bound": bound,
            "last_row_read": max(read),
            "first_row_zero": min(row for row in range(ROWS) if row not in read),
            "listed": rows,
            "zeroed_by_list_length": [place for place, row in enumerate(short) if row == -1],
        }


class SortOrCheck(Check):
    """Every list of three indices out of six, one of them outside: the linter's warnings against a count by hand.

    Shows: that the linter warns of exactly the lists that go down somewhere and hold an index outside.
    Does not show: what a device does with them.
    """

    claim = "TDM-074"
    kind = "model"
    binds = ("lists", "flagged", "missed", "flagged_without_cause")

    def observe(self, target, tools):
        lists = list(itertools.product(range(6), repeat=3))
        flagged = [rows for rows in lists if self._warned(rows)]
        cause = [rows for rows in lists if 5 in rows and list(rows) != sorted(rows)]
        return {
            "lists": len(lists),
            "flagged": len(flagged),
            "missed": len([rows for rows in cause if rows not in flagged]),
            "flagged_without_cause": len([rows for rows in flagged if rows not in cause]),
        }

    def _warned(self, rows):
        return any(item.rule == "gather-order" for item in findings(gather(rows, tensor_dim1=5)))


def lists_by_order():
    """Every list of three indices out of four, by the model's word for its order."""
    found = {}
    for rows in itertools.product(range(4), repeat=3):
        found.setdefault(order_of(rows), []).append(rows)
    return found


def right(rows):
    """Say whether the model moves the rows of a list in its order."""
    return landed(loaded(gather(rows))[1]) == list(rows)


class AnyOrder(Check):
    """Every list of three indices out of four is moved as written.

    Shows: that the reference model takes this position.
    Does not show: hardware.
    """

    claim = "TDM-129"
    kind = "model"
    position = "any-order"
    binds = ("lists", "allowed")

    def observe(self, target, tools):
        groups = lists_by_order()
        every = [rows for name in sorted(groups) for rows in groups[name]]
        return {"lists": len(every), "allowed": len([rows for rows in every if right(rows)])}


class StrictlyIncreasing(Check):
    """How many of those lists are strictly increasing, by the model's word for their order.

    Shows: how much the stricter rule leaves; these lists are moved alike under both positions.
    Does not show: that a device needs it.
    """

    claim = "TDM-129"
    kind = "model"
    position = "strictly-increasing"
    binds = ("lists", "allowed")

    def observe(self, target, tools):
        groups = lists_by_order()
        allowed = [rows for rows in groups.get("increasing", []) if right(rows)]
        return {"lists": sum(len(group) for group in groups.values()), "allowed": len(allowed)}


class NonDecreasing(Check):
    """How many of those lists never go down, by the model's word for their order.

    Shows: for how many lists the bounds are promised whatever the tensor's height.
    Does not show: that a device does otherwise with the rest.
    """

    claim = "TDM-129"
    kind = "model"
    position = "non-decreasing-for-bounds"
    binds = ("lists", "allowed")

    def observe(self, target, tools):
        groups = lists_by_order()
        allowed = [rows for name in ("increasing", "non-decreasing") for rows in groups.get(name, []) if right(rows)]
        return {"lists": sum(len(group) for group in groups.values()), "allowed": len(allowed)}
