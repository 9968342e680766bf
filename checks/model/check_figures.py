# SPDX-License-Identifier: Apache-2.0
"""What the figures must show, asked of the model without the code that draws them."""

from cdna import formats, lanes
from cdna.lds import conflicts, service
from cdna.lds.banks import bank_of
from cdna.mfma import hazards, layouts
from cdna.tdm import descriptor, multicast, paths, pipeline
from cdna.tdm.copy import fields_of_copy
from cdna.tdm.transfer import run
from cdna.tdm.walk import lds_map
from cdna.waits import finder
from cdna_evidence.checks import Check


def elements(data, size=2):
    """Return bytes as numbers of `size` bytes."""
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, len(data), size)]


class Paths(Check):
    """The cost of one tile on each path.

    Shows: the counting model.
    Does not show: what a compiler emits, or any time.
    """

    claim = "FIG-001"
    kind = "model"
    binds = ("instructions", "vgprs", "sgprs", "stops_in_registers", "waits_on")

    def observe(self, target, tools):
        found = {"instructions": {}, "vgprs": {}, "sgprs": {}, "stops_in_registers": {}, "waits_on": {}}
        for path, name in (("round-trip", "round_trip"), ("async", "async"), ("tdm", "tdm")):
            spent = paths.cost(path, 64, 128)
            found["instructions"][name] = paths.instructions(spent)
            found["vgprs"][name] = paths.vgprs(spent)
            if spent.descriptor_sgprs:
                found["sgprs"][name] = spent.descriptor_sgprs
            found["stops_in_registers"][name] = spent.data_vgprs > 0
            found["waits_on"][name] = ["s_wait_" + counter.lower() for counter in spent.counters]
        return found


class Registers(Check):
    """Words of encoded descriptors, and what the mode bits make of the last eight.

    Shows: the codec.
    Does not show: that a device decodes so.
    """

    claim = "FIG-003"
    kind = "model"
    binds = ("registers", "always", "last", "readings", "row_numbers")

    def observe(self, target, tools):
        flat = {"tile_dim0": 4, "tile_dim1": 4, "tensor_dim0": 4, "tensor_dim1": 4, "tensor_dim0_stride": 4}
        deep = dict(flat, tile_dim2=1, tile_dim3=1, tile_dim4=1)
        short, whole = len(descriptor.encode(flat)), len(descriptor.encode(deep))
        modes = [descriptor.layout_of(fields) for fields in (deep, dict(flat, iterate_enable=1), dict(flat, gather_mode=1))]
        slots = [field for field in descriptor.fields_of(modes[-1]) if field.group > 1]
        return {
            "registers": whole,
            "always": short,
            "last": whole - short,
            "readings": [mode.rstrip("0123456789") for mode in modes],
            "row_numbers": len(slots),
        }


class TensorTile(Check):
    """A copy in plain terms, and where its elements land; the bounds are found with a tile that is too large.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "FIG-004"
    kind = "model"
    binds = ("stride", "tensor_columns", "gap_columns", "tile", "tile_start", "bound", "address_points_at")

    def observe(self, target, tools):
        copy = {"element_bytes": 2, "base": 0, "at": [4, 2], "tensor": [11, 7], "strides": [14], "tile": [5, 3]}
        places = lds_map(fields_of_copy(copy))
        address = {place.at: place.address for place in places}
        large = [place.at for place in lds_map(fields_of_copy(dict(copy, tile=[20, 20]))) if place.address is not None]
        bound = {"columns": len({x for x, _ in large}), "rows": len({y for _, y in large})}
        stride = (address[0, 1] - address[0, 0]) // 2
        row, column = divmod(address[0, 0] // 2, stride)
        start = {"column": column, "row": row}
        pointed = fields_of_copy(copy)["global_addr"] // 2
        return {
            "stride": stride,
            "tensor_columns": column + bound["columns"],
            "gap_columns": stride - column - bound["columns"],
            "tile": {"columns": len({x for x, _ in address}), "rows": len({y for _, y in address})},
            "tile_start": start,
            "bound": bound,
            "address_points_at": {"column": pointed % stride, "row": pointed // stride},
        }


class Edge(Check):
    """The edge tile run as a load over marked LDS and as a store over marked memory.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "FIG-005"
    kind = "model"
    binds = ("tile_elements", "inside", "load_zeros", "store_writes", "store_drops")

    def observe(self, target, tools):
        copy = {"element_bytes": 2, "base": 0, "at": [8, 2], "tensor": [12, 5], "strides": [12], "tile": [7, 5]}
        fields = fields_of_copy(copy)
        memory, lds = b"\x11\x11" * 12 * 8, b"\x22\x22" * 7 * 5
        loaded = elements(run(fields, "load", [(0, memory)], lds).lds)
        stored = elements(run(fields, "store", [(0, memory)], lds).memory[0][1])
        written = sum(value == 0x2222 for value in stored)
        return {
            "tile_elements": len(loaded),
            "inside": sum(value == 0x1111 for value in loaded),
            "load_zeros": sum(value == 0 for value in loaded),
            "store_writes": written,
            "store_drops": len(loaded) - written,
        }


class Banks(Check):
    """The banks of the first column of a tile, packed and padded by one DWORD.

    Shows: the transfer model and bank arithmetic with 64 banks of 4 bytes.
    Does not show: how lanes are served.
    """

    claim = "FIG-006"
    kind = "model"
    binds = ("rows", "row_dwords", "pad_dwords", "packed_banks", "padded_banks")

    def observe(self, target, tools):
        copy = {"element_bytes": 4, "global_addr": 0, "tensor": [64, 4], "strides": [64], "tile": [64, 4]}
        packed, padded = [
            [place.lds for place in lds_map(fields_of_copy(asked)) if place.at[0] == 0]
            for asked in (copy, dict(copy, pad={"interval_dwords": 64, "amount_dwords": 1}))
        ]
        return {
            "rows": len(packed),
            "row_dwords": (packed[1] - packed[0]) // 4,
            "pad_dwords": (padded[1] - padded[0] - packed[1] + packed[0]) // 4,
            "packed_banks": [bank_of(byte, 64) for byte in packed],
            "padded_banks": [bank_of(byte, 64) for byte in padded],
        }


class Multicast(Check):
    """Reads and receivers of one tile that four, and sixteen, workgroups share.

    Shows: the multicast model, when all ask in time and nothing limits merging.
    Does not show: what a device merges.
    """

    claim = "FIG-007"
    kind = "model"
    binds = ("workgroups", "reads", "copies", "masks", "reads_apart")

    def observe(self, target, tools):
        found = {"workgroups": [], "reads": [], "copies": [], "masks": [], "reads_apart": []}
        for count in (4, 16):
            mask = multicast.mask_of(list(range(count)))
            sent = multicast.rendezvous(mask, [(number, 0) for number in range(count)], 1)
            found["workgroups"].append(len(multicast.members_of(mask)))
            found["reads"].append(len(sent))
            found["copies"].append(sum(len(broadcast.receivers) for broadcast in sent))
            found["masks"].append(f"{mask:#06x}")
            found["reads_apart"].append(multicast.reads(count, False))
        return found


class Gather(Check):
    """A gather of rows 9, 2, 6, 2 run over a tensor whose elements tell their row.

    Shows: the reference model.
    Does not show: hardware; the article's author reports a run of this list.
    """

    claim = "FIG-008"
    kind = "model"
    binds = ("tensor_rows", "list", "lds_rows", "lds_bytes", "lds_holds_rows")

    def observe(self, target, tools):
        copy = {"element_bytes": 2, "global_addr": 0, "tensor": [4, 10], "strides": [4], "tile": [4, 4]}
        fields = fields_of_copy(dict(copy, gather={"indices": [9, 2, 6, 2], "index_bits": 16}))
        memory = b"".join((100 + row).to_bytes(2, "little") * 4 for row in range(64))
        got = elements(run(fields, "load", [(0, memory)], bytes(8 * 4)).lds)
        rows = [got[i : i + 4] for i in range(0, len(got), 4)]
        starts = [place.lds for place in lds_map(fields) if place.at[0] == 0]
        # A list that names every row of memory shows where the tensor ends: rows past it become zero.
        inside = 0
        for row in range(64):
            probe = fields_of_copy(dict(copy, tile=[4, 1], gather={"indices": [row], "index_bits": 16}))
            inside += any(run(probe, "load", [(0, memory)], bytes(8)).lds)
        return {
            "tensor_rows": inside,
            "list": list(descriptor.decode(descriptor.encode(fields)).fields["row_indices"])[: len(rows)],
            "lds_rows": len(rows),
            "lds_bytes": starts,
            "lds_holds_rows": [row[0] - 100 if len(set(row)) == 1 else -1 for row in rows],
        }


class Pipeline(Check):
    """The time slots of two loops, the waits, and that every execution of such a loop sees its own tiles.

    Shows: the pipeline and the event model.
    Does not show: times of a device.
    """

    claim = "FIG-009"
    kind = "model"
    binds = ("tiles", "each_waits_for_its_tile", "two_buffers", "three_buffers")

    def observe(self, target, tools):
        found, right = {"tiles": 5}, []
        for name, buffers, latency, at in (("two_buffers", 2, 0, 2), ("three_buffers", 3, 1, 3)):
            slots = pipeline.timeline(found["tiles"], 1, 1, latency, buffers)
            together = [
                (slot.tile, other.tile)
                for slot in slots
                for other in slots
                if slot.compute_start <= other.fetch_start < slot.compute_end
            ]
            found[name] = {
                "buffer_of_tile": [slot.buffer for slot in slots],
                "waits": [pipeline.wait_limit(buffers, "after", len(slots) - 1 - slot.tile) for slot in slots],
                "ahead": max(fetched - computed for computed, fetched in together),
                "framed": {
                    "computed": [slot.tile for slot in slots if slot.compute_start == at][0],
                    "fetched": [slot.tile for slot in slots if slot.fetch_start == at][0],
                },
            }
            right.append(all(slot.landed <= slot.compute_start for slot in slots))
            right.append(pipeline.check(pipeline.loop(len(slots), buffers)).wrong is None)
            right.append(pipeline.check(pipeline.loop(len(slots), buffers, without=("drain",))).wrong is not None)
        found["each_waits_for_its_tile"] = all(right)
        return found


class Bytes(Check):
    """A padded tile over two edges, run over memory in which every byte holds its address.

    Shows: the reference model.
    Does not show: hardware.
    """

    claim = "FIG-010"
    kind = "model"
    binds = ("lds_bytes", "from_memory", "zeros", "gap_bytes", "gaps_at", "row_starts", "first_memory_bytes")

    def observe(self, target, tools):
        copy = {"element_bytes": 2, "global_addr": 16, "tensor": [6, 3], "strides": [12], "tile": [8, 4]}
        fields = fields_of_copy(dict(copy, pad={"interval_dwords": 4, "amount_dwords": 2}))
        size = max(place.lds for place in lds_map(fields)) + 2
        lds = run(fields, "load", [(0, bytes(range(112)))], b"\xee" * size).lds
        gaps = [i for i, byte in enumerate(lds) if byte == 0xEE]
        starts = [place.lds for place in lds_map(fields) if place.at[0] == 0]
        return {
            "lds_bytes": len(lds),
            "from_memory": sum(byte not in (0, 0xEE) for byte in lds),
            "zeros": sum(byte == 0 for byte in lds),
            "gap_bytes": len(gaps),
            "gaps_at": [i for i in gaps if i - 1 not in gaps],
            "row_starts": starts,
            "first_memory_bytes": [lds[start] for start in starts if lds[start]],
        }


class Porting(Check):
    """The numbers that the figures of the porting guide show, asked of the model.

    Shows: the models of banks, waits, lanes, formats, layouts and hazards.
    Does not show: that a device or a compiler does so; each has its own claim.
    """

    claim = "FIG-011"
    kind = "model"
    binds = ("groups", "degrees", "too_early", "pushed_to", "pulled_from", "largest", "result_lane", "states")

    def observe(self, target, tools):
        groups = service.service(target, "ds_read_b128")
        rows = [(lane % 16, lane // 16 * 16) for lane in range(64)]
        packed = [row * 256 + column for row, column in rows]
        padded = [row * 288 + column for row, column in rows]
        swizzled = [row * 256 + (column ^ row % 8 * 16) for row, column in rows]
        ways = (("packed", packed), ("padded", padded), ("swizzled", swizzled))
        native = next(name for name, use, _ in formats.native(target) if use == "matrix")
        indices = [4 * ((lane + 1) % 64) for lane in range(64)]
        mnemonic = "v_mfma_f32_16x16x16_f16"
        result = layouts.layout(mnemonic, target, "D")
        fmt = formats.format_named(native)
        return {
            "groups": len(groups.groups),
            "degrees": {name: conflicts.conflicts(places, groups).worst for name, places in ways},
            "too_early": {name: self._early(without) for name, without in (("no_copy_wait", 1), ("no_barrier", 2), ("no_read_wait", 4))},
            "pushed_to": lanes.permute(list(range(64)), indices).sources.index(3),
            "pulled_from": lanes.bpermute(list(range(64)), indices).sources[3],
            "largest": int(formats.value_of(formats.decode(fmt, formats.largest(fmt)))),
            "result_lane": layouts.locate(result, 5, 3)[0],
            "states": {via: hazards.waits(target, mnemonic, mnemonic, via).states for via in ("exact", "partial", "ab")},
        }

    def _early(self, without):
        """The instruction that the finder blames when one line is left out."""
        lines = ["global_load_lds_dword v[0:1], off", "s_waitcnt vmcnt(0)", "s_barrier", "ds_read_b128 v[4:7], v2"]
        lines += ["s_waitcnt lgkmcnt(0)", "v_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[6:7], v[16:31]"]
        del lines[without]
        report = finder.check("\n".join(lines), "gfx942", shared=True)
        blamed = {lines[item["line"] - 1].split()[0] for item in report.findings if item["severity"] == "error"}
        return "/".join(sorted(blamed))
