# SPDX-License-Identifier: Apache-2.0
"""Iteration, asked of the reference model by moving numbered rows in several passes."""

from cdna.tdm.descriptor import FieldError, encode, fields_of, rank_of
from cdna.tdm.rules import findings
from cdna.tdm.transfer import run
from cdna_evidence.checks import CannotTell, Check

BASE = 4096
PITCH = 8
COLUMNS = 4


def iterate(rows, passes, row_step, **more):
    """Fields of an iteration over DWORD rows: so many rows a pass, so many rows on after each."""
    fields = {"iterate_enable": 1, "iterate_count": passes - 1, "global_addr": BASE, "data_size": 2}
    fields.update(tile_dim0=COLUMNS, tile_dim1=rows, tensor_dim0=PITCH, tensor_dim1=1000, tensor_dim0_stride=PITCH)
    fields.update(global_addr_increment=row_step * PITCH, lds_addr_increment=rows * COLUMNS)
    fields.update(more)
    return fields


def source(rows):
    """A tensor whose row r holds 1000 + 100 * r + column."""
    words = [1000 + 100 * row + column for row in range(rows) for column in range(PITCH)]
    return b"".join(word.to_bytes(4, "little") for word in words)


def rows_of(lds):
    """Row number that each written LDS row came from, -1 for zeros; stops at the first row that was not written."""
    words = [int.from_bytes(lds[i : i + 4], "little") for i in range(0, len(lds), 4)]
    found = []
    for at in range(0, len(words), COLUMNS):
        row = words[at : at + COLUMNS]
        if row == [0xFFFFFFFF] * COLUMNS:
            break
        number = (row[0] - 1000) // 100 if any(row) else -1
        if any(row) and row != [1000 + 100 * number + column for column in range(COLUMNS)]:
            raise CannotTell(f"LDS row holds {row}")
        found.append(number)
    return found


def loaded(fields, tensor_rows=400, lds_bytes=16384, **choices):
    """Run a load over LDS full of ones; return the rows that landed."""
    outcome = run(fields, "load", [(BASE, source(tensor_rows))], b"\xff" * lds_bytes, **choices)
    return rows_of(outcome.lds)


class EveryNthRow(Check):
    """One row a pass, three rows on after each: the rows that land, packed.

    Shows: the reference model's load in four passes.
    Does not show: hardware.
    """

    claim = "TDM-076"
    kind = "model"
    binds = ("every", "passes", "landed", "wide_stride_landed")

    def observe(self, target, tools):
        every, passes = 3, 4
        plain = {"global_addr": BASE, "data_size": 2, "tile_dim0": COLUMNS, "tile_dim1": passes, "tensor_dim0": PITCH}
        plain.update(tensor_dim1=1000, tensor_dim0_stride=every * PITCH)
        return {
            "every": every,
            "passes": passes,
            "landed": loaded(iterate(1, passes, every)),
            "wide_stride_landed": loaded(plain),
        }


class PassesByField(Check):
    """How many passes the model makes for a value of iterate_count, and up to where the linter is silent.

    Shows: the reference model, and the limit of the project's linter, found by search.
    Does not show: what a device does above that limit; sources disagree.
    """

    claim = "TDM-077"
    kind = "model"
    binds = ("passes", "most_documented")

    def observe(self, target, tools):
        found = {f"field_{count}": len(loaded(iterate(1, count + 1, 1))) for count in (0, 1, 6, 255)}
        silent = 0
        while silent < 1000 and not self._warned(silent + 1):
            silent += 1
        return {"passes": found, "most_documented": silent}

    def _warned(self, count):
        return any(item.field == "iterate_count" for item in findings(iterate(1, count + 1, 1)))


class FieldsTaken(Check):
    """Which dense fields share bits with the fields of iteration, and how many bytes one step of each is.

    Shows: the table of fields, and how far the model moves for elements of one to eight bytes.
    Does not show: hardware.
    """

    claim = "TDM-078"
    kind = "model"
    binds = ("taken", "bytes_per_step", "rank_with_count")

    def observe(self, target, tools):
        dense = {(field.group, field.lo): field.name for field in fields_of("dense")}
        taken = {}
        for field in fields_of("iterate"):
            name = dense.get((field.group, field.lo))
            if name is not None and name != field.name:
                taken[name] = field.name
        ranks = {rank_of(dict(iterate(2, count + 1, 1))) for count in (0, 1, 200)}
        return {
            "rank_with_count": ranks.pop() if len(ranks) == 1 else -1,
            "taken": taken,
            "bytes_per_step": {f"data_size_{size}": self._step(size) for size in range(4)},
        }

    def _step(self, size):
        """Bytes between two passes of one element, in memory and in LDS, when both must be equal."""
        unit = 1 << size
        memory = bytes(range(1, 65))
        fields = {"iterate_enable": 1, "iterate_count": 1, "global_addr": BASE, "data_size": size}
        fields.update(tile_dim0=1, tile_dim1=1, tensor_dim0=1, tensor_dim1=1, tensor_dim0_stride=1)
        fields.update(global_addr_increment=1, lds_addr_increment=2)
        lds = run(fields, "load", [(BASE, memory)], bytes(64)).lds
        places = [i for i in range(64) if lds[i]]
        second = places[unit]
        global_step = memory.index(lds[second])
        lds_step = second // 2
        return global_step if global_step == lds_step else -1


class IgnoredInGather(Check):
    """The same gather and the same plain tile, each with the iteration bit clear and set.

    Shows: how many LDS bytes the bit changes in the reference model.
    Does not show: hardware.
    """

    claim = "TDM-079"
    kind = "model"
    binds = ("gather_bytes_changed", "dense_bytes_changed", "lint_rule")

    def observe(self, target, tools):
        rows = {"gather_mode": 1, "row_indices": [5, 2, 7], "tile_dim1": 3}
        overlay = {"iterate_count": 2, "global_addr_increment": PITCH, "lds_addr_increment": 64}
        base = dict(iterate(3, 1, 0), iterate_enable=0)
        gathering = dict(base, **rows)
        silent = [item.rule for item in findings(gathering)]
        rules = [item.rule for item in findings(dict(gathering, iterate_enable=1)) if item.rule not in silent]
        return {
            "gather_bytes_changed": self._changed(gathering, {}),
            "dense_bytes_changed": self._changed(base, overlay),
            "lint_rule": rules[0] if len(rules) == 1 else "-".join(rules),
        }

    def _changed(self, fields, overlay):
        results = []
        for enable in (0, 1):
            asked = dict(fields, iterate_enable=enable, **(overlay if enable else {}))
            results.append(run(asked, "load", [(BASE, source(40))], b"\xff" * 1024).lds)
        return sum(one != other for one, other in zip(*results))


class RanksThatIterate(Check):
    """Tiles of two to five dimensions with the iteration bit: what the encoder and the linter take.

    Shows: the project's encoder and linter.
    Does not show: that a device refuses; MLIR 22.1.8 does not.
    """

    claim = "TDM-080"
    kind = "model"
    binds = ("verdict",)

    def observe(self, target, tools):
        found = {}
        for rank in (2, 3, 4, 5):
            fields = iterate(2, 3, 2)
            for name in ("tile_dim2", "tile_dim3", "tile_dim4")[: rank - 2]:
                fields[name] = 2
            found[f"rank_{rank}"] = "reject" if self._refused(fields) else "accept"
        return {"verdict": found}

    def _refused(self, fields):
        try:
            encode(fields)
        except FieldError:
            return True
        return any(item.severity == "error" for item in findings(fields))


def ragged(iterate_bounds):
    """Ten rows, walked in three passes of four: (rows in LDS that hold data, zero rows, rows past the tensor)."""
    fields = iterate(4, 3, 4, tensor_dim1=10)
    found = loaded(fields, tensor_rows=12, iterate_bounds=iterate_bounds)
    return found


class BoundsAdvanced(Check):
    """Later passes tested with the position they have reached.

    Shows: what this position means, in the reference model.
    Does not show: that a device does so.
    """

    claim = "TDM-128"
    kind = "model"
    position = "advanced"
    binds = ("tensor_rows", "tile_rows", "passes", "data_rows", "zero_rows", "foreign_rows")

    def observe(self, target, tools):
        return counted(ragged("advanced"))


class BoundsFresh(Check):
    """Every pass tested with the same bounds, counted from that pass's own start.

    Shows: that the reference model does so by default, and what it means.
    Does not show: that a device does so; reported page faults fit it.
    """

    claim = "TDM-128"
    kind = "model"
    position = "fresh"
    binds = ("tensor_rows", "tile_rows", "passes", "data_rows", "zero_rows", "foreign_rows")

    def observe(self, target, tools):
        default = loaded(iterate(4, 3, 4, tensor_dim1=10), tensor_rows=12)
        found = ragged("fresh")
        if default != found:
            raise CannotTell("the default is another choice")
        return counted(found)


class BoundsOpen(Check):
    """The rows of LDS on which the two other positions differ.

    Shows: how much rests on the open question, and that all else does not.
    Does not show: which is right.
    """

    claim = "TDM-128"
    kind = "model"
    position = "unspecified"
    binds = ("tensor_rows", "tile_rows", "passes", "disputed_rows", "disputed_rows_inside", "later_passes")

    def observe(self, target, tools):
        one, other = ragged("advanced"), ragged("fresh")
        shape = counted(one)
        differ = [i for i in range(len(one)) if one[i] != other[i]]
        # Two passes lie inside the tensor; the bound counts all rows from the first tile.
        whole = iterate(4, 2, 4, tensor_dim1=10)
        inside = [loaded(whole, tensor_rows=12, iterate_bounds=name) for name in ("advanced", "fresh")]
        if len(inside[0]) != 8:
            raise CannotTell(f"{len(inside[0])} rows landed")
        return {
            "tensor_rows": shape["tensor_rows"],
            "tile_rows": shape["tile_rows"],
            "passes": shape["passes"],
            "disputed_rows": len(differ),
            "disputed_rows_inside": sum(a != b for a, b in zip(*inside)),
            "later_passes": "unspecified" if differ else "zero",
        }


def counted(found):
    """What landed, counted, with the shape that was asked for."""
    return {
        "tensor_rows": 10,
        "tile_rows": 4,
        "passes": len(found) // 4,
        "data_rows": len([row for row in found if 0 <= row < 10]),
        "zero_rows": found.count(-1),
        "foreign_rows": len([row for row in found if row >= 10]),
    }
