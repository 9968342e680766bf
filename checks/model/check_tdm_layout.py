# SPDX-License-Identifier: Apache-2.0
"""Where the model puts elements in LDS."""

from cdna.tdm.descriptor import FieldError, encode, fields_of
from cdna.tdm.transfer import run
from cdna.tdm.walk import lds_map
from cdna_evidence.checks import Check

# Different primes, so that a distance names the fields that made it.
TILE = {"tile_dim0": 5, "tile_dim1": 3, "tile_dim2": 2}
TENSOR = {"tensor_dim0": 7, "tensor_dim1": 11, "tensor_dim2": 13, "tensor_dim0_stride": 101, "tensor_dim1_stride": 1009}


class Packed(Check):
    """A 3D tile of addresses is loaded; the place of each in LDS shows what the next row and plane follow.

    Shows: distances in LDS between neighbours, named by the fields whose product they are.
    Does not show: hardware.
    """

    claim = "TDM-021"
    kind = "model"
    binds = ("next_element", "row_by", "plane_by")

    def observe(self, target, tools):
        fields = dict(TILE, **TENSOR, data_size=3)
        start = 8 * 4096
        fields["global_addr"] = start
        memory = b"".join((start + 8 * i).to_bytes(8, "little") for i in range(1500))
        lds = run(fields, "load", [(start, memory)], bytes(8 * 64)).lds
        slots = [int.from_bytes(lds[8 * i : 8 * i + 8], "little") for i in range(64)]
        # Neighbours in memory: one element, one row pitch and one plane pitch further.
        pitches = (1, TENSOR["tensor_dim0_stride"], TENSOR["tensor_dim1_stride"])
        distances = [slots.index(start + 8 * pitch) - slots.index(start) for pitch in pitches]
        row = [name for name, value in {**TILE, **TENSOR}.items() if value == distances[1]]
        known = list({**TILE, **TENSOR}.items())
        plane = [
            [known[i][0], known[j][0]]
            for i in range(len(known))
            for j in range(i + 1, len(known))
            if known[i][1] * known[j][1] == distances[2]
        ]
        if len(row) != 1 or len(plane) != 1:
            raise ValueError(f"distances {distances} are no field's, or several fields'")
        return {"next_element": distances[0], "row_by": row[0], "plane_by": plane[0]}


class OnlyPaddingOpensGaps(Check):
    """Each field of a dense descriptor is changed, bit by bit, and the places in LDS are compared with a dense row.

    Shows: the only field that takes neighbours apart in LDS, and the step of the innermost dimension on both sides.
    Does not show: hardware; iteration, which is another mode.
    """

    claim = "TDM-022"
    kind = "model"
    binds = ("opens_gaps", "step_in_memory", "step_in_lds")

    def observe(self, target, tools):
        base = dict(TILE, **TENSOR, tile_dim3=1, tile_dim4=1, tensor_dim3=1, tensor_dim4=1, data_size=2, type=2, count=1)
        opening = []
        for field in fields_of("dense"):
            for bit in range(min(field.width, 4)):
                changed = dict(base)
                changed[field.name] = base.get(field.name, 0) ^ 1 << bit
                try:
                    if len(encode(changed)) != 20:
                        raise ValueError("the base is not a full descriptor")
                    places = lds_map(changed)
                except FieldError:
                    continue  # another mode, or no descriptor any more
                if changed.get("iterate_enable") or changed.get("gather_mode"):
                    continue
                size = 1 << changed["data_size"]
                if any(places[i].lds - places[i - 1].lds != size for i in range(1, len(places))):
                    opening.append(field.name)
        opening = sorted(set(opening))
        if len(opening) != 1:
            raise ValueError(f"fields that open gaps: {opening}")
        first = lds_map(base)[:2]
        size = 1 << base["data_size"]
        return {
            "opens_gaps": opening[0],
            "step_in_memory": (first[1].address - first[0].address) // size,
            "step_in_lds": (first[1].lds - first[0].lds) // size,
        }


class PlainCount(Check):
    """A load with tile_dim0 8 into LDS that is full of a mark: which slots change.

    Shows: how many elements move and the first slot that keeps its mark.
    Does not show: hardware.
    """

    claim = "TDM-023"
    kind = "model"
    binds = ("moved", "first_untouched")

    def observe(self, target, tools):
        fields = {"data_size": 2, "tile_dim0": 8, "tensor_dim0": 64}
        lds = run(fields, "load", [(0, b"\x11" * 256)], b"\xee" * 128).lds
        kept = [lds[4 * i : 4 * i + 4] == b"\xee" * 4 for i in range(32)]
        return {"moved": kept.count(False), "first_untouched": kept.index(True)}
