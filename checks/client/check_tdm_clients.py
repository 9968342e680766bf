# SPDX-License-Identifier: Apache-2.0
"""Descriptors that Triton builds and that MLIR lowers, now, for copies asked of them in their own language.

Positions are found by probing: one bit of an input is set at a time, and the bits of the words that answer are noted.
"""

from cdna.tdm.descriptor import decode
from cdna_evidence.checks import CannotTell, Check

PLAIN = {
    "element_bits": 16,
    "base": 0x7F0012345600,
    "at": [0, 0],
    "tensor": [500, 1000],
    "strides": [512],
    "tile": [64, 64],
}
DEEP = {
    "element_bits": 32,
    "base": 0x7F0012345600,
    "at": [0, 0, 0, 0, 0],
    "tensor": [64, 9, 7, 5, 3],
    "strides": [640, 4480, 40320, 40000000000],
    "tile": [16, 1, 2, 4, 2],
}
GATHER = {"element_bits": 16, "base": 0x7F0012345600, "at": [0, 0], "tensor": [500, 1000], "strides": [512]}


def asked(tools, name, copies, op="load"):
    """Return the Words that a program builds for each copy."""
    return tools.witness(name).descriptor_words_of(copies, op)


def built(tools, name, copies, op="load"):
    """Return the words of each copy as lists of 20; every one must be accepted and be one instruction."""
    result = []
    for copy, answer in zip(copies, asked(tools, name, copies, op), strict=True):
        if answer.words is None:
            raise CannotTell(f"{copy}: {answer.outcome}, {answer.diagnostic[:200]}")
        result.append(list(answer.words) + [0] * (20 - len(answer.words)))
    return result


def fields(tools, name, copies, op="load"):
    """Return the decoded fields of each copy."""
    return [decode(words).fields for words in built(tools, name, copies, op)]


def bits(words, other):
    """Return the bits in which two descriptors differ, as (group, bit in the group)."""
    found = []
    for index, (one, two) in enumerate(zip(words, other, strict=True)):
        group, first = [(0, 0)] * 4 + [(1, 4)] * 8 + [(2, 12)] * 4 + [(3, 16)] * 4, index
        group, start = group[first]
        found += [(group, 32 * (index - start) + bit) for bit in range(32) if (one ^ two) >> bit & 1]
    return found


def span(places):
    """Return [group, first bit, width] of places in one group without a gap, else all of them."""
    groups = sorted({group for group, _ in places})
    numbers = sorted({bit for _, bit in places})
    if len(groups) == 1 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return [groups[0], numbers[0], len(numbers)]
    return [list(place) for place in places]


def probe(tools, name, copies):
    """Return the bits that tell the first copy from each of the others, for those that the program accepts."""
    answers = asked(tools, name, copies)
    plain = answers[0].words
    if plain is None:
        raise CannotTell(f"{copies[0]}: {answers[0].outcome}, {answers[0].diagnostic[:200]}")
    return [bits(plain, item.words) for item in answers[1:] if item.words is not None]


def landed(tools, name, copies):
    """Return [group, first bit, width] that single-bit inputs reach; the first copy has the input at zero."""
    return span([place for places in probe(tools, name, copies) for place in places])


def changed(copy, key, values, index=None):
    """Return the copy with one input, or one entry of it, set to each value in turn."""
    result = []
    for value in values:
        if index is not None:
            value = copy[key][:index] + [value] + copy[key][index + 1 :]
        result.append({**copy, key: value})
    return result


def single_bits(count):
    """Return 0 and the numbers with one bit set, up to a number of bits."""
    return [0] + [1 << bit for bit in range(count)]


def flipped(count):
    """Return 12288 and numbers that differ from it in one of so many bits; none of them is 0 or 1.

    Some programs take such an extent or stride for something else.
    """
    return [12288] + [12288 ^ 1 << bit for bit in range(count)]


class _TileAddress(Check):
    claim = "TDM-007"
    kind = "client"
    binds = ("element_bytes", "pitch", "row", "column", "offset_bytes")

    def observe(self, target, tools):
        copy = {**PLAIN, "at": [64, 128]}
        found = fields(tools, self.witness, [copy])[0]
        offset, size = found["global_addr"] - copy["base"], 1 << found["data_size"]
        row, column = divmod(offset // size, found["tensor_dim0_stride"])
        pitch = found["tensor_dim0_stride"]
        return {"element_bytes": size, "pitch": pitch, "row": row, "column": column, "offset_bytes": offset}


class TritonTileAddress(_TileAddress):
    """Triton writes the address of the tile, row times pitch plus column elements after that of the tensor.

    Shows: what Triton builds now for a tile at row 128, column 64.
    Does not show: where an engine reads first.
    """

    witness = "triton"


class MlirTileAddress(_TileAddress):
    """MLIR's lowering writes the address of the tile, from the memref and its indices.

    Shows: what the lowering computes now for a tile at row 128, column 64.
    Does not show: where an engine reads first.
    """

    witness = "flydsl"


class TritonBoundOfTile(Check):
    """Triton counts the bound of a tile at column 64 of 500 from the tile on.

    Shows: that an independent compiler computes the bound so; the pitch stays.
    Does not show: hardware.
    """

    claim = "TDM-008"
    kind = "client"
    witness = "triton"
    binds = ("columns", "pitch", "column", "bound")

    def observe(self, target, tools):
        plain, tile = fields(tools, self.witness, [PLAIN, {**PLAIN, "at": [64, 0]}])
        column = (tile["global_addr"] - plain["global_addr"]) >> tile["data_size"]
        columns, pitch = plain["tensor_dim0"], tile["tensor_dim0_stride"]
        return {"columns": columns, "pitch": pitch, "column": column, "bound": tile["tensor_dim0"]}


class _Type(Check):
    claim = "TDM-011"
    kind = "client"
    binds = ("legal",)

    def observe(self, target, tools):
        found = {item["type"] for item in fields(tools, self.witness, [PLAIN, DEEP])}
        if len(found) != 1:
            raise ValueError(f"types {sorted(found)}")
        return {"legal": found.pop()}


class TritonType(_Type):
    """Triton writes one value into type.

    Shows: the value that it writes now.
    Does not show: what another value does.
    """

    witness = "triton"


class MlirType(_Type):
    """MLIR's lowering writes one value into type.

    Shows: the value that it writes now.
    Does not show: what another value does.
    """

    witness = "flydsl"


class _SizeCodes(Check):
    claim = "TDM-012"
    kind = "client"
    binds = ("bytes_by_code",)

    def observe(self, target, tools):
        sizes = (8, 16, 32, 64)
        found = fields(tools, self.witness, changed(PLAIN, "element_bits", sizes))
        by_code = {item["data_size"]: size // 8 for item, size in zip(found, sizes, strict=True)}
        return {"bytes_by_code": [by_code[code] for code in sorted(by_code)]}


class TritonSizeCodes(_SizeCodes):
    """Triton writes codes 0 to 3 for elements of one, two, four and eight bytes.

    Shows: the four codes.
    Does not show: hardware.
    """

    witness = "triton"


class MlirSizeCodes(_SizeCodes):
    """MLIR's lowering writes codes 0 to 3 for elements of one, two, four and eight bytes.

    Shows: the four codes.
    Does not show: hardware.
    """

    witness = "flydsl"


class _Strides(Check):
    claim = "TDM-018"
    kind = "client"
    binds = ("steps",)

    def observe(self, target, tools):
        found = fields(tools, self.witness, [DEEP])[0]
        return {"steps": [found[f"tensor_dim{i}_stride"] for i in range(4)]}


class TritonStrides(_Strides):
    """Triton writes the four strides of a 5D tensor as they are.

    Shows: that a compiler writes each stride whole.
    Does not show: that an engine does not multiply.
    """

    witness = "triton"


class MlirStrides(_Strides):
    """MLIR's lowering writes the four strides of a 5D tensor as they are.

    Shows: that the lowering writes each stride whole.
    Does not show: that an engine does not multiply.
    """

    witness = "flydsl"


class MlirWidths(Check):
    """Of strides and addresses with one bit set, MLIR's lowering lets so many bits through.

    Shows: the widths that the lowering masks to.
    Does not show: hardware.
    """

    claim = "TDM-019"
    kind = "client"
    witness = "flydsl"
    binds = ("stride_fields", "stride_bits", "global_addr_bits")

    def observe(self, target, tools):
        spans = [landed(tools, self.witness, changed(DEEP, "strides", single_bits(62), i)) for i in range(4)]
        widths = {item[2] for item in spans}
        if len(widths) != 1:
            raise ValueError(f"stride widths {sorted(widths)}")
        address = landed(tools, self.witness, changed(PLAIN, "base", single_bits(62)))
        return {"stride_fields": len(spans), "stride_bits": widths.pop(), "global_addr_bits": address[2]}


class TritonGroup0(Check):
    """Triton's words for inputs with one bit set: where the address and the two gather bits stand.

    Shows: the places in the words that it builds now.
    Does not show: fields that its front end does not let be chosen, such as the address in LDS.
    """

    claim = "TDM-029"
    kind = "client"
    witness = "triton"
    binds = ("gather_index_size", "gather_mode")

    def observe(self, target, tools):
        short, long = (
            {**GATHER, "tile": [64, 8], "gather": {"indices": [0] * 8, "index_bits": width}} for width in (16, 32)
        )
        dense, one, other = built(tools, self.witness, [{**PLAIN, "tile": [64, 8]}, short, long])
        mode = [place for place in bits(dense, one) if place[0] == 0]
        size = [place for place in bits(one, other) if place[0] == 0]
        return {"gather_mode": span(mode)[1:], "gather_index_size": span(size)[1:]}


class MlirGroup0(Check):
    """MLIR's words for addresses with one bit set: where the two addresses stand.

    Shows: the places in the words that the lowering computes now.
    Does not show: the gather bits, which it exchanges.
    """

    claim = "TDM-029"
    kind = "client"
    witness = "flydsl"
    binds = ("lds_addr", "global_addr")

    def observe(self, target, tools):
        return {
            "lds_addr": landed(tools, self.witness, changed(PLAIN, "lds_addr", single_bits(32)))[1:],
            "global_addr": landed(tools, self.witness, changed(PLAIN, "base", single_bits(62)))[1:],
        }


class MlirGroup1(Check):
    """MLIR's words for inputs with one bit set, or one code apart: where the fields of group 1 stand.

    Shows: the places in the words that the lowering computes now, found bit by bit.
    Does not show: that a device reads them so. early_timeout: see TDM-140.
    """

    claim = "TDM-030"
    kind = "client"
    witness = "flydsl"
    binds = (
        "workgroup_mask",
        "data_size",
        "atomic_barrier_enable",
        "iterate_enable",
        "pad_enable",
        "pad_interval",
        "pad_amount",
        "atomic_barrier_address",
        "tensor_dim0",
        "tensor_dim1",
        "tile_dim0",
        "tile_dim1",
        "tile_dim2",
        "tensor_dim0_stride",
        "tensor_dim1_stride",
    )

    def observe(self, target, tools):
        name = self.witness
        masks = changed(PLAIN, "workgroup_mask", [0x8000, 0x4000] + [0x8000 | 1 << bit for bit in range(15)])
        mask = [place for places in probe(tools, name, masks) for place in places]
        pads = [{"interval_dwords": interval, "amount_dwords": 1} for interval in (2, 4, 8, 32)]
        amounts = [{"interval_dwords": 2, "amount_dwords": 1 + extra} for extra in single_bits(7)]
        packed, padded = built(tools, name, [PLAIN, {**PLAIN, "pad": pads[0]}])
        unmarked, marked = built(tools, name, [PLAIN, {**PLAIN, "barrier_addr": 0}])
        once = {"count": 1, "lds_increment": 0, "global_increment": 0}
        single, repeated = built(tools, name, [PLAIN, {**PLAIN, "iterate": once}])
        return {
            "workgroup_mask": span(mask)[1:],
            "data_size": landed(tools, name, changed(PLAIN, "element_bits", (8, 16, 32)))[1:],
            "atomic_barrier_enable": span(bits(unmarked, marked))[1:],
            "iterate_enable": span(bits(single, repeated))[1:],
            "pad_enable": span(bits(packed, padded))[1:],
            "pad_interval": landed(tools, name, changed(PLAIN, "pad", pads))[1:],
            "pad_amount": landed(tools, name, changed(PLAIN, "pad", amounts))[1:],
            "atomic_barrier_address": self._barrier(tools),
            "tensor_dim0": landed(tools, name, changed(PLAIN, "tensor", single_bits(32), 0))[1:],
            "tensor_dim1": landed(tools, name, changed(PLAIN, "tensor", single_bits(32), 1))[1:],
            "tile_dim0": landed(tools, name, changed(PLAIN, "tile", flipped(16), 0))[1:],
            "tile_dim1": landed(tools, name, changed(PLAIN, "tile", flipped(16), 1))[1:],
            "tile_dim2": self._third(tools),
            "tensor_dim0_stride": landed(tools, name, changed(PLAIN, "strides", single_bits(62), 0))[1:],
            "tensor_dim1_stride": landed(tools, name, changed(DEEP, "strides", single_bits(62), 1))[1:],
        }

    def _barrier(self, tools):
        cells = [{**PLAIN, "barrier_addr": 8 * cell} for cell in single_bits(16)]
        return landed(tools, self.witness, cells)[1:]

    def _third(self, tools):
        found = probe(tools, self.witness, changed(DEEP, "tile", flipped(16), 2))
        return span([place for places in found for place in places if place[0] == 1])[1:]


class TritonGroup1(Check):
    """Triton's words for inputs with one bit set: where bounds and strides of the first dimensions stand.

    Shows: the places in the words that it builds now; shapes are 31 bits wide in its front end.
    Does not show: the top bit of the bounds, nor widths of the tile's extents.
    """

    claim = "TDM-030"
    kind = "client"
    witness = "triton"
    binds = ("tensor_dim0_stride", "tensor_dim1_stride")

    def observe(self, target, tools):
        return {
            "tensor_dim0_stride": landed(tools, self.witness, changed(PLAIN, "strides", flipped(48), 0))[1:],
            "tensor_dim1_stride": landed(tools, self.witness, changed(DEEP, "strides", flipped(48), 1))[1:],
        }


class _IntervalCodes(Check):
    claim = "TDM-031"
    kind = "client"
    binds = ("codes", "dwords_by_code")

    def observe(self, target, tools):
        asked_for = [1 << power for power in range(11)]
        pads = [{"interval_dwords": interval, "amount_dwords": 4} for interval in asked_for]
        answers = asked(tools, self.witness, [{**PLAIN, "tile": [2048, 4], "pad": pad} for pad in pads])
        by_code = {}
        for interval, answer in zip(asked_for, answers, strict=True):
            found = decode(answer.words).fields if answer.words else {}
            # What does not fit is refused, or cut: then another field is hit, or an earlier code comes again.
            if found.get("pad_enable") and found["pad_amount"] == 3 and found["pad_interval"] not in by_code:
                by_code[found["pad_interval"]] = interval
        return {"codes": len(by_code), "dwords_by_code": [by_code[code] for code in sorted(by_code)]}


class TritonIntervalCodes(_IntervalCodes):
    """Triton's code for a gap after every so many DWORDs, for powers of two from 1 to 1024.

    Shows: the code that it writes for each interval that it can express.
    Does not show: hardware.
    """

    witness = "triton"


class MlirIntervalCodes(_IntervalCodes):
    """The code of MLIR's lowering for a gap after every so many DWORDs, for powers of two from 1 to 1024.

    Shows: the code that it computes for each interval; a larger one spills into the next field and is not counted.
    Does not show: hardware.
    """

    witness = "flydsl"


class MlirAmountCodes(Check):
    """The code of MLIR's lowering for gaps of 1 to 130 DWORDs.

    Shows: how many gaps come back as they were asked for, and that the field is one less.
    Does not show: hardware; the lowering does not refuse what does not fit.
    """

    claim = "TDM-032"
    kind = "client"
    witness = "flydsl"
    binds = ("codes", "first_dwords", "step_dwords", "last_dwords")

    def observe(self, target, tools):
        amounts = list(range(1, 131))
        pads = [{"interval_dwords": 32, "amount_dwords": amount} for amount in amounts]
        by_code = {}
        for amount, found in zip(amounts, fields(tools, self.witness, changed(PLAIN, "pad", pads)), strict=True):
            by_code.setdefault(found["pad_amount"], amount)
        dwords = [by_code[code] for code in sorted(by_code)]
        steps = {other - one for one, other in zip(dwords, dwords[1:], strict=False)}
        step = steps.pop() if len(steps) == 1 else sorted(steps)
        return {"codes": len(dwords), "first_dwords": dwords[0], "step_dwords": step, "last_dwords": dwords[-1]}


class _ZeroCodes(Check):
    claim = "TDM-033"
    kind = "client"
    position = "table-values"
    binds = ("both_zero", "amount_zero", "interval_zero")

    def observe(self, target, tools):
        pairs = [(interval, amount) for interval in (2, 4, 16, 32, 64) for amount in (1, 2, 4, 8)]
        pads = [{"interval_dwords": interval, "amount_dwords": amount} for interval, amount in pairs]
        by_codes = {}
        # Four-byte elements, so that one DWORD is a whole element.
        for pair, found in zip(pairs, fields(tools, self.witness, changed({**PLAIN, "element_bits": 32}, "pad", pads)), strict=True):  # fmt: skip
            by_codes[found["pad_interval"], found["pad_amount"]] = list(pair)
        return {"both_zero": by_codes[0, 0], "amount_zero": by_codes[4, 0], "interval_zero": by_codes[0, 3]}


class TritonZeroCodes(_ZeroCodes):
    """Triton writes zero codes for the gaps that the manual's table gives them, both of them too.

    Shows: which padding it was asked for when it wrote a zero code.
    Does not show: that a device leaves these gaps.
    """

    witness = "triton"


class MlirZeroCodes(_ZeroCodes):
    """MLIR's lowering writes zero codes for the gaps that the manual's table gives them, both of them too.

    Shows: which padding it was asked for when it wrote a zero code.
    Does not show: that a device leaves these gaps.
    """

    witness = "flydsl"


class TritonPadUnits(Check):
    """Triton, whose layouts count elements, writes the code of one DWORD for this many elements of each size.

    Shows: a conversion by an independent compiler; eight-byte elements have no gap of one DWORD.
    Does not show: hardware.
    """

    claim = "TDM-034"
    kind = "client"
    witness = "triton"
    binds = ("unit_bytes", "elements_per_unit")

    def observe(self, target, tools):
        units = {}
        for width in (8, 16, 32):
            copy = {**PLAIN, "element_bits": width, "pad": {"interval_dwords": 32, "amount_dwords": 1}}
            copies = [copy, {**copy, "pad": {"interval_dwords": 32, "amount_dwords": 2}}]
            one, two = fields(tools, self.witness, copies)
            # From one code to the next the layout grows by this many elements: half of what two units are.
            grown = 2 * 32 // width // 2 * (two["pad_amount"] - one["pad_amount"])
            units[f"data_size_{one['data_size']}"] = (grown, grown * width // 8)
        sizes = {size for _, size in units.values()}
        if len(sizes) != 1:
            raise ValueError(f"units of {sorted(sizes)} bytes")
        return {"unit_bytes": sizes.pop(), "elements_per_unit": {name: count for name, (count, _) in units.items()}}


class TritonBoundsOfRaggedTile(Check):
    """Triton's bound for a tile of 16 columns at column 56 of 64.

    Shows: what is left, computed by an independent compiler.
    Does not show: what an engine reads.
    """

    claim = "TDM-045"
    kind = "client"
    witness = "triton"
    binds = ("tile_column", "tile_columns", "rest")

    def observe(self, target, tools):
        copy = {**PLAIN, "tensor": [64, 8], "strides": [64], "tile": [16, 1], "at": [56, 0]}
        found = fields(tools, self.witness, [copy])[0]
        column = (found["global_addr"] - copy["base"]) >> found["data_size"]
        return {"tile_column": column, "tile_columns": found["tile_dim0"], "rest": found["tensor_dim0"]}


class TritonBoundsOfForty(Check):
    """Triton's bounds for tiles of 16 columns over 40.

    Shows: the three bounds.
    Does not show: what an engine reads.
    """

    claim = "TDM-046"
    kind = "client"
    witness = "triton"
    binds = ("tile_columns", "bounds")

    def observe(self, target, tools):
        copy = {**PLAIN, "tensor": [40, 8], "strides": [40], "tile": [16, 1]}
        found = fields(tools, self.witness, changed(copy, "at", ([0, 0], [16, 0], [32, 0])))
        return {"tile_columns": found[0]["tile_dim0"], "bounds": [item["tensor_dim0"] for item in found]}


class TritonBoundBeforeTensor(Check):
    """Triton's bound for a tile of 16 columns that starts 8 columns before the tensor.

    Shows: that it clamps the bound, so that no memory before the tensor is read.
    Does not show: that a device would read it otherwise.
    """

    claim = "TDM-047"
    kind = "client"
    witness = "triton"
    binds = ("tile_columns", "columns_before", "safe_bound")

    def observe(self, target, tools):
        copy = {**PLAIN, "tensor": [64, 8], "strides": [64], "tile": [16, 1], "at": [-8, 0]}
        found = fields(tools, self.witness, [copy])[0]
        before = (copy["base"] - found["global_addr"]) >> found["data_size"]
        return {"tile_columns": found["tile_dim0"], "columns_before": before, "safe_bound": found["tensor_dim0"]}


class MlirGroups2And3(Check):
    """MLIR's words for inputs with one bit set: where the fields of the third to fifth dimension stand.

    Shows: the places in the words that the lowering computes now.
    Does not show: tile_dim3, which it fills wrongly (TDM-061).
    """

    claim = "TDM-057"
    kind = "client"
    witness = "flydsl"
    binds = ("tensor_dim2", "tensor_dim3", "tensor_dim2_stride", "tensor_dim3_stride", "tensor_dim4", "tile_dim4")

    def observe(self, target, tools):
        found = {f"tensor_dim{i}": self._landed(tools, "tensor", i, 32) for i in (2, 3, 4)}
        found.update({f"tensor_dim{i}_stride": self._landed(tools, "strides", i, 62) for i in (2, 3)})
        return {**found, "tile_dim4": self._landed(tools, "tile", 4, 16)}

    def _landed(self, tools, key, index, most):
        return landed(tools, self.witness, changed(DEEP, key, flipped(most), index))


class TritonGroups2And3(Check):
    """Triton's words for strides with one bit set: where those of the fourth and fifth dimension stand.

    Shows: the places in the words that it builds now.
    Does not show: the widths of extents, which its front end limits.
    """

    claim = "TDM-057"
    kind = "client"
    witness = "triton"
    binds = ("tensor_dim2_stride", "tensor_dim3_stride")

    def observe(self, target, tools):
        spans = [landed(tools, self.witness, changed(DEEP, "strides", flipped(48), i)) for i in (2, 3)]
        return {"tensor_dim2_stride": spans[0], "tensor_dim3_stride": spans[1]}


class MlirIterateOverlay(Check):
    """MLIR's words for iteration with one bit set at a time: where the increments and the count stand.

    Shows: the places in the words, and that one pass is written as the field's smallest value.
    Does not show: which counts are legal.
    """

    claim = "TDM-058"
    kind = "client"
    witness = "flydsl"
    binds = ("lds_addr_increment", "global_addr_increment", "iterate_count", "once")

    def observe(self, target, tools):
        step = {"count": 1, "lds_increment": 0, "global_increment": 0}
        spans = {}
        for key, name, most in (
            ("lds_increment", "lds_addr_increment", 31),
            ("global_increment", "global_addr_increment", 62),
            ("count", "iterate_count", 16),
        ):
            values = [value + 1 for value in single_bits(most)] if key == "count" else single_bits(most)
            copies = [{**PLAIN, "iterate": {**step, key: value}} for value in values]
            spans[name] = landed(tools, self.witness, copies)[1:]
        # The 32-bit constant of the lowering is signed: its top bit is asked for as a negative number.
        top = probe(tools, self.witness, [{**PLAIN, "iterate": {**step, "lds_increment": v}} for v in (0, -(1 << 31))])
        first, width = spans["lds_addr_increment"]
        spans["lds_addr_increment"] = span([(2, first + i) for i in range(width)] + top[0])[1:]
        once = fields(tools, self.witness, [{**PLAIN, "iterate": step}])[0]["iterate_count"]
        return {**spans, "once": once}


class TritonIndexPacking(Check):
    """Triton's words for lists of rows in which one index has all its bits set.

    Shows: the place of each index, the two that the printed table misplaces among them.
    Does not show: hardware.
    """

    claim = "TDM-059"
    kind = "client"
    witness = "triton"
    binds = ("per_group_16", "per_group_32", "width_16", "width_32", "entry_12", "entry_13")

    def observe(self, target, tools):
        short, long = self._places(tools, 16, 16), self._places(tools, 32, 8)
        return {
            "per_group_16": sum(place[0] == 2 for place in short),
            "per_group_32": sum(place[0] == 2 for place in long),
            "width_16": self._width(short),
            "width_32": self._width(long),
            "entry_12": short[12][:2],
            "entry_13": short[13][:2],
        }

    def _places(self, tools, width, slots):
        lists = [[0] * slots] + [[0] * i + [-1] + [0] * (slots - i - 1) for i in range(slots)]
        copies = [{**GATHER, "tile": [64, slots], "gather": {"indices": rows, "index_bits": width}} for rows in lists]
        return [span(places) for places in probe(tools, self.witness, copies)]

    def _width(self, places):
        widths = {place[2] for place in places}
        if len(widths) != 1:
            raise ValueError(f"indices of {sorted(widths)} bits")
        return widths.pop()


class _GatherBits(Check):
    claim = "TDM-060"
    kind = "client"
    binds = ("mode_bit", "index_size_bit", "word_16_bit", "word_32_bit")

    def observe(self, target, tools):
        copies = [{**GATHER, "tile": [64, 4], "gather": {"indices": [1, 2, 3, 4], "index_bits": n}} for n in (16, 32)]
        short, long = (words[0] for words in built(tools, self.witness, copies))
        mode = [bit for bit in range(2, 32) if short >> bit & 1]
        size = [bit for bit in range(2, 32) if (long & ~short) >> bit & 1]
        return {
            "mode_bit": mode[0] if len(mode) == 1 else mode,
            "index_size_bit": size[0] if len(size) == 1 else size,
            "word_16_bit": f"0x{short:08x}",
            "word_32_bit": f"0x{long:08x}",
        }


class TritonGatherBits(_GatherBits):
    """Triton asks for gathering in bit 31 and for long indices in bit 30.

    Shows: the first words that it builds now.
    Does not show: hardware.
    """

    witness = "triton"
    position = "mode-in-bit-31"


class MlirGatherBits(_GatherBits):
    """MLIR's lowering asks for gathering in bit 30 and for long indices in bit 31; red on the day that this changes.

    Shows: the first words that the lowering in flydsl computes now.
    Does not show: that a device reads them so.
    """

    witness = "flydsl"
    position = "mode-in-bit-30"


class _TileDim3(Check):
    claim = "TDM-061"
    kind = "client"
    binds = ("dimension", "rank_3_word", "group2_word")

    def observe(self, target, tools):
        # All extents differ, and the third is four, so that a word tells which of them it holds.
        tile, tensor = [16, 1, 4, 8, 2], [64, 9, 7, 50, 3]
        ranks = [
            {**DEEP, "at": [0] * n, "tensor": tensor[:n], "strides": DEEP["strides"][: n - 1], "tile": tile[:n]}
            for n in (3, 4, 5)
        ]
        words = built(tools, self.witness, ranks)
        held = [(index, item[12 + index] >> 16) for item in words[1:] for index in range(4) if item[12 + index] >> 16]
        places = {(index, tile.index(value)) for index, value in held if value in tile}
        if len(places) != 1:
            raise ValueError(f"upper halves of group 2: {sorted(held)}")
        word, dimension = places.pop()
        return {"dimension": dimension, "rank_3_word": f"0x{words[0][15]:08x}", "group2_word": word}


class TritonTileDim3(_TileDim3):
    """Triton writes the fourth extent into tile_dim3, and nothing for a 3D tile.

    Shows: the words that it builds now for 3D to 5D tiles.
    Does not show: hardware.
    """

    witness = "triton"
    position = "fourth-extent"


class MlirTileDim3(_TileDim3):
    """MLIR's lowering writes the third extent into tile_dim3, for 3D tiles too; red on the day that this changes.

    Shows: the words that the lowering in flydsl computes now for 3D to 5D tiles.
    Does not show: that a device reads them so.
    """

    witness = "flydsl"
    position = "third-extent"


class _Count(Check):
    claim = "TDM-063"
    kind = "client"
    binds = ("count",)

    def observe(self, target, tools):
        gather = {**GATHER, "tile": [64, 4], "gather": {"indices": [1, 2, 3, 4], "index_bits": 32}}
        counts = {item["count"] for item in fields(tools, self.witness, [PLAIN, DEEP, gather])}
        return {"count": counts.pop() if len(counts) == 1 else sorted(counts)}


class TritonCount(_Count):
    """Triton writes one value into count, for a plain copy, a 5D one and a gather.

    Shows: the value that it writes now.
    Does not show: what the manual asks for.
    """

    witness = "triton"


class MlirCount(_Count):
    """MLIR's lowering writes one value into count, for a plain copy, a 5D one and a gather.

    Shows: the value that it writes now.
    Does not show: what the manual asks for.
    """

    witness = "flydsl"


class TritonRowsPerInstruction(Check):
    """Triton cuts a list of 32 rows into instructions of so many rows, and writes their number into one field.

    Shows: what an independent compiler takes for the most rows of either width.
    Does not show: hardware.
    """

    claim = "TDM-067"
    kind = "client"
    witness = "triton"
    binds = ("most_rows", "count_field")

    def observe(self, target, tools):
        most, holders = {}, None
        for width in (16, 32):
            rows = {"indices": list(range(32)), "index_bits": width}
            answer = asked(tools, self.witness, [{**GATHER, "tile": [64, 32], "gather": rows}])[0]
            parts = [decode(words) for words in answer.descriptors]
            counts = {32 // len(parts)} if parts and 32 % len(parts) == 0 else set()
            for part in parts:
                named = {name for name, value in part.fields.items() if name != "row_indices" and value in counts}
                holders = named if holders is None else holders & named
            most[f"bits_{width}"] = counts.pop() if counts else 0
        return {"most_rows": most, "count_field": sorted(holders or ["none"])[0]}


class MlirPasses(Check):
    """What MLIR's lowering writes for 1, 2, 7 and 256 passes.

    Shows: that the field is one less than the passes asked for.
    Does not show: how often an engine repeats.
    """

    claim = "TDM-077"
    kind = "client"
    witness = "flydsl"
    binds = ("passes", "asked_passes", "written")

    def observe(self, target, tools):
        passes = (1, 2, 7, 256)
        copies = [{**PLAIN, "iterate": {"count": n, "lds_increment": 4096, "global_increment": 64}} for n in passes]
        written = [item["iterate_count"] for item in fields(tools, self.witness, copies)]
        by_field = {f"field_{field}": count for field, count in zip(written, passes, strict=True)}
        return {"passes": by_field, "asked_passes": passes[2], "written": written[2]}


class MlirMask(Check):
    """MLIR's words for masks of two workgroups, and for workgroups 0, 2, 3 and 15.

    Shows: how many bits of a mask reach the words, and the mask of four workgroups.
    Does not show: which workgroup a bit stands for.
    """

    claim = "TDM-081"
    kind = "client"
    witness = "flydsl"
    binds = ("mask_bits", "mask_of_0_2_3_15")

    def observe(self, target, tools):
        copies = changed(PLAIN, "workgroup_mask", [1 << bit for bit in range(20)])
        answers = [item["workgroup_mask"] for item in fields(tools, self.witness, [c for c in copies if c["workgroup_mask"] < 1 << 16])]  # fmt: skip
        four = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 15
        found = fields(tools, self.witness, [{**PLAIN, "workgroup_mask": four}])[0]
        return {"mask_bits": len(set(answers)), "mask_of_0_2_3_15": f"0x{found['workgroup_mask']:04x}"}


class TritonMasks(Check):
    """Triton's masks for a tile that one workgroup loads, and for one that both workgroups of a cluster load.

    Shows: that it writes no mask without a cluster.
    Does not show: clusters in which a tile is shared by some.
    """

    claim = "TDM-083"
    kind = "client"
    witness = "triton"
    binds = ("mask_of_a_private_tile", "mask_of_the_first_two")

    def observe(self, target, tools):
        private, shared = fields(tools, self.witness, [PLAIN, {**PLAIN, "workgroup_mask": 3}])
        return {"mask_of_a_private_tile": private["workgroup_mask"], "mask_of_the_first_two": shared["workgroup_mask"]}


class MlirBarrierAddress(Check):
    """MLIR's words for barrier cells at addresses with one bit set.

    Shows: which bits of the byte address reach the field, and how far it reaches.
    Does not show: where an engine arrives.
    """

    claim = "TDM-098"
    kind = "client"
    witness = "flydsl"
    binds = ("step_bytes", "lowest_bit", "highest_bit", "last_address")

    def observe(self, target, tools):
        copies = [{**PLAIN, "lds_addr": 1 << bit, "barrier_addr": 1 << bit} for bit in range(24)]
        held = [item["atomic_barrier_address"] for item in fields(tools, self.witness, copies)]
        reached = [bit for bit, value in enumerate(held) if value]
        shift = reached[0] - (held[reached[0]] & -held[reached[0]]).bit_length() + 1
        return {
            "step_bytes": (1 << reached[0]) // held[reached[0]],
            "lowest_bit": reached[0],
            "highest_bit": reached[-1],
            "last_address": sum(held) << shift,
        }


class MlirEarlyTimeout(Check):
    """MLIR's lowering sets early_timeout with every mask, whatever it was asked; red on the day that this changes.

    Shows: the bit for a mask without the option, and without a mask.
    Does not show: what an early time-out does.
    """

    claim = "TDM-140"
    kind = "client"
    witness = "flydsl"
    binds = ("set_without_request", "set_without_mask")

    def observe(self, target, tools):
        masked, plain = fields(tools, self.witness, [{**PLAIN, "workgroup_mask": 5}, PLAIN])
        return {"set_without_request": masked["early_timeout"] == 1, "set_without_mask": plain["early_timeout"] == 1}


class TritonEarlyTimeout(Check):
    """Triton leaves early_timeout clear, with a mask and without.

    Shows: the bit that it writes now.
    Does not show: what an early time-out does.
    """

    claim = "TDM-140"
    kind = "client"
    witness = "triton"
    binds = ("set_by_triton",)

    def observe(self, target, tools):
        found = fields(tools, self.witness, [{**PLAIN, "workgroup_mask": 3}, PLAIN])
        return {"set_by_triton": any(item["early_timeout"] == 1 for item in found)}
