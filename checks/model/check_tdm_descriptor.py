# SPDX-License-Identifier: Apache-2.0
"""What this project's model makes of descriptor words: positions, widths, codes, modes, and what it refuses."""

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import FieldError, decode, encode, fields_of, mode_of
from cdna.tdm.rules import findings, findings_of
from cdna.tdm.transfer import run
from cdna_evidence.checks import Check

ONE_TILE = {"data_size": 2, "tensor_dim0": 4, "tile_dim0": 4}


def names(layout, group=None):
    """Field names of a layout, of one group or of all, without the slots of an index list."""
    return [f.name for f in fields_of(layout) if group in (None, f.group) and not f.name.startswith("row_index_")]


def words_with(group, bit):
    """Twenty words of zeros with one bit set, counted inside a group."""
    words = [0] * 20
    words[(0, 4, 12, 16)[group] + bit // 32] = 1 << bit % 32
    return words


def found_by_flipping(group, mode_word=None, known=None):
    """{field: [first bit, width]}: set one bit of a group after the other and see which field of `decode` counts it."""
    bits = {}
    for bit in range(256 if group == 1 else 128):
        words = words_with(group, bit)
        if mode_word is not None:
            words[mode_word[0]] |= mode_word[1]
        fields = decode(words).fields
        for name in known or names("dense", group):
            value = fields.get(name, 0)
            if value:
                bits.setdefault(name, []).append((bit, value))
    found = {}
    for name, pairs in bits.items():
        lo = pairs[0][0]
        if [(bit - lo, value) for bit, value in pairs] != [(i, 1 << i) for i in range(len(pairs))]:
            raise ValueError(f"{name}: its bits are not in a row: {pairs[:4]}")
        found[name] = [lo, len(pairs)]
    return found


def verdict(errors):
    """Return the word for a list of error findings."""
    return "reject" if errors else "accept"


def errors_of(fields):
    """Names of the fields about which the rules report an error."""
    return [item.field for item in findings(fields) if item.severity == "error"]


class Sgprs(Check):
    """The model's encoder returns 12 words for up to two dimensions and 20 where a mode or a rank needs them.

    Shows: lengths of encoded descriptors for every mode, and how the decoder cuts 20 words into groups.
    Does not show: how many registers an instruction reads.
    """

    claim = "TDM-003"
    kind = "model"
    binds = ("group_sgprs", "sgprs_2d", "sgprs_full")

    def observe(self, target, tools):
        small = [dict(ONE_TILE), dict(ONE_TILE, tile_dim1=3, tensor_dim1=3)]
        large = [
            dict(ONE_TILE, tile_dim1=1, tile_dim2=2, tensor_dim1=1, tensor_dim2=2),
            dict(ONE_TILE, tile_dim4=1),
            dict(ONE_TILE, tile_dim1=1, iterate_enable=1),
            dict(ONE_TILE, gather_mode=1, tile_dim1=1, row_indices=[0]),
        ]
        lengths = [sorted({len(encode(fields)) for fields in group}) for group in (small, large)]
        if [len(item) for item in lengths] != [1, 1]:
            raise ValueError(f"descriptors of one kind have different lengths: {lengths}")
        groups = [len(group) for group in decode([0] * lengths[1][0]).groups]
        return {"group_sgprs": groups, "sgprs_2d": lengths[0][0], "sgprs_full": lengths[1][0]}


def takes(fields, layout_bit):
    """The dense fields whose bits a field of another mode holds: encode it, clear the mode bit, decode."""
    words = list(encode(fields))
    words[layout_bit[0]] &= ~layout_bit[1]
    plain = decode(words).fields
    base = decode(encode({})).fields
    return [name for name in names("dense") if plain.get(name, 0) != base.get(name, 0)]


class Union(Check):
    """Setting one bit after the other, the model reads groups 2 and 3 in three ways.

    Shows: which flag changes the reading, which dense fields iteration takes, and how many row numbers fit.
    Does not show: what a device does with mixed modes.
    """

    claim = "TDM-004"
    kind = "model"
    binds = ("iterate_bit", "iterate_takes", "gather_bit", "rows_16", "rows_32")

    def observe(self, target, tools):
        plain = names("dense", 2)
        iterate, gather = [], []
        for field in fields_of("dense"):
            if field.width == 1 and field.group < 2:
                words = words_with(field.group, field.lo)
                words[8] = 0xFFFF  # tile_dim1, as the number of rows
                read = decode(words).fields
                if "row_indices" in read:
                    gather.append(field.name)
                elif [name for name in names("dense") + names("iterate") if name in read and name not in plain] and any(
                    name not in read for name in plain
                ):
                    iterate.append(field.name)
        if len(iterate) != 1 or len(gather) != 1:
            raise ValueError(f"flags that change the reading: {iterate}, {gather}")
        only = [name for name in names("iterate", 2) if name not in plain]
        bit = encode({iterate[0]: 1})
        at = [i for i in range(12) if bit[i] != encode({})[i]][0]
        mask = bit[at] ^ encode({})[at]
        taken = [takes({iterate[0]: 1, name: 1}, (at, mask)) for name in only]
        if [len(item) for item in taken] != [1, 1, 1]:
            raise ValueError(f"iteration takes {taken}")
        rows = []
        for size in (0, 1):
            words = list(encode({gather[0]: 1, "gather_index_size": size, "tile_dim1": 0xFFFF}))
            rows.append(len(decode(words).fields["row_indices"]))
        return {
            "iterate_bit": iterate[0],
            "iterate_takes": [item[0] for item in taken],
            "gather_bit": gather[0],
            "rows_16": rows[0],
            "rows_32": rows[1],
        }


class IterateRank(Check):
    """The model accepts iteration on tiles of up to three dimensions and refuses more.

    Shows: encoder and rules, dimension by dimension.
    Does not show: what a device does with a fifth dimension while iterating.
    """

    claim = "TDM-005"
    kind = "model"
    binds = ("largest_rank", "first_excluded")

    def observe(self, target, tools):
        accepted, refused = [], []
        for rank in range(2, 6):
            fields = {"iterate_enable": 1, "data_size": 2}
            for d in range(rank):
                fields.update({f"tile_dim{d}": 2, f"tensor_dim{d}": 2})
            try:
                encode(fields)
            except FieldError:
                refused.append(rank)
                continue
            (refused if errors_of(fields) else accepted).append(rank)
        if not accepted or not refused:
            raise ValueError(f"accepted {accepted}, refused {refused}")
        return {"largest_rank": max(accepted), "first_excluded": min(refused)}


class MostDimensions(Check):
    """The model's descriptor has room for five dimensions and no field for a sixth.

    Shows: encoder and decoder with one more dimension at a time, until the encoder refuses.
    Does not show: hardware.
    """

    claim = "TDM-006"
    kind = "model"
    binds = ("most",)

    def observe(self, target, tools):
        fields, rank = {}, 0
        while rank < 9:
            fields[f"tile_dim{rank}"] = 1
            try:
                reached = decode(encode(fields)).rank
            except FieldError:
                return {"most": rank}
            if reached != rank + 1:
                raise ValueError(f"{rank + 1} extents decode as rank {reached}")
            rank += 1
        raise ValueError("no end of dimensions found")


class PlacedTile(Check):
    """The fields that the model makes of a tile at row 128, column 64, and where it then reads the first element.

    Shows: address and bound of a planned copy, and the first element of a load by the model.
    Does not show: that an engine reads there.
    """

    claim = "TDM-007"
    kind = "model"
    binds = ("first_element_offset", "element_bytes", "pitch", "row", "column", "offset_bytes")

    def observe(self, target, tools):
        asked = [item for item in tools.vector("tdm-asked")["asked"] if item["id"] == "triton_2d_at_128_64"][0]
        base = int(asked["base"], 16)
        copy = {key: asked[key] for key in ("element_bits", "at", "tensor", "strides", "tile")}
        fields = fields_of_copy(dict(copy, base=base))
        size = 1 << fields["data_size"]
        offset = fields["global_addr"] - base
        row, column = divmod(offset // size, fields["tensor_dim0_stride"])
        return {
            "first_element_offset": first_element(dict(fields, data_size=3)) - fields["global_addr"],
            "element_bytes": size,
            "pitch": fields["tensor_dim0_stride"],
            "row": row,
            "column": column,
            "offset_bytes": offset,
        }


def first_element(fields):
    """Load from memory in which each 8 bytes hold their own address; return what arrives first."""
    start = fields["global_addr"] - 64
    memory = b"".join((start + 8 * i).to_bytes(8, "little") for i in range(64))
    one = dict(fields, tile_dim0=1, tile_dim1=1, pad_enable=0)
    after = run(one, "load", [(start, memory)], bytes(8))
    return int.from_bytes(after.lds[:8], "little")


class BoundAndPitch(Check):
    """How many elements of a row the model loads before zeros begin, and how far apart two rows are in memory.

    Shows: behaviour of a load that is wider than what is left of the tensor.
    Does not show: hardware.
    """

    claim = "TDM-008"
    kind = "model"
    binds = ("columns", "pitch", "column", "bound")

    def observe(self, target, tools):
        asked = [item for item in tools.vector("tdm-asked")["asked"] if item["id"] == "triton_2d_at_128_64"][0]
        columns, pitch, wide = asked["tensor"][0], asked["strides"][0], asked["strides"][0] + asked["tile"][0]
        copy = {"element_bits": 64, "base": 1 << 20, "at": asked["at"], "tensor": asked["tensor"], "strides": asked["strides"]}
        fields = fields_of_copy(dict(copy, tile=[wide, 2]))
        start = fields["global_addr"]
        memory = b"".join((start + 8 * i).to_bytes(8, "little") for i in range(2 * pitch + wide))
        lds = run(fields, "load", [(start, memory)], bytes(16 * wide)).lds
        row = [int.from_bytes(lds[8 * i : 8 * i + 8], "little") for i in range(wide + 1)]
        loaded = row.index(0)
        if any(row[loaded:wide]):
            raise ValueError("zeros and elements alternate")
        offset = (row[0] - (1 << 20)) // 8
        step = (row[wide] - row[0]) // 8
        return {"columns": columns, "pitch": step, "column": offset % step, "bound": loaded}


class RestoreFields(Check):
    """The rules report something for each restore field that is set, and one of them changes the mode.

    Shows: which one-valued fields of group 0 the model refuses in a shader's descriptor, and of which it warns.
    Does not show: what stale bits do on a device.
    """

    claim = "TDM-009"
    kind = "model"
    binds = ("must_be_zero", "restore_only", "direction_override")

    def observe(self, target, tools):
        base = decode(encode(dict(ONE_TILE, tile_dim1=1, tensor_dim1=1))).fields
        refused, warned, overriding = [], [], []
        for name in names("dense", 0):
            if base[name]:
                continue
            changed = dict(base)
            changed[name] = 1
            if name in errors_of(changed):
                refused.append(name)
            elif any(item.field == name and item.severity == "warning" for item in findings(changed)):
                warned.append(name)
            if mode_of(changed) == "restore":
                overriding.append(name)
        if len(overriding) != 1:
            raise ValueError(f"fields that change the mode: {overriding}")
        return {"must_be_zero": refused, "restore_only": warned, "direction_override": overriding[0]}


class OddAddresses(Check):
    """A tile of eight-byte elements is loaded from an odd address to an odd place in LDS.

    Shows: that the model moves every byte, and that the linter has nothing to say.
    Does not show: hardware.
    """

    claim = "TDM-149"
    kind = "model"
    binds = ("bytes_moved_odd", "findings_odd")

    def observe(self, target, tools):
        fields = {"data_size": 3, "tile_dim0": 4, "tensor_dim0": 4, "global_addr": 4097, "lds_addr": 3}
        content = bytes(range(1, 65))
        lds = run(fields, "load", [(4096, content)], bytes(64)).lds
        moved = [i for i in range(64) if lds[i] and lds[i] == content[i - 3 + 1]]
        return {"bytes_moved_odd": len(moved), "findings_odd": len(findings(fields, op="load"))}


class ReservedBits(Check):
    """One bit of each group after the other is set: which of them the linter reports as reserved.

    Shows: the linter over decoded words, bit by bit, in dense mode.
    Does not show: what a device does with them.
    """

    claim = "TDM-147"
    kind = "model"
    binds = ("runs", "bits")

    def observe(self, target, tools):
        found = {}
        for group, size in ((0, 128), (1, 256), (2, 128), (3, 128)):
            for bit in range(size):
                rules = [item.rule for item in findings_of(decode(words_with(group, bit)))]
                if "reserved-bits" in rules:
                    key = f"group_{group}" if group else f"word_{bit // 32}"
                    found.setdefault(key, []).append(bit)
        for key, bits in found.items():
            if bits != list(range(bits[0], bits[0] + len(bits))):
                raise ValueError(f"{key}: bits {bits} are not in a row")
        return {
            "runs": {key: [bits[0], len(bits)] for key, bits in found.items()},
            "bits": sum(len(bits) for bits in found.values()),
        }


class CountThatMoves(Check):
    """Of the four values of count, the model moves data for exactly one, and reports no error for zero.

    Shows: transfer and rules of the model, value by value.
    Does not show: what a device does with 2 and 3.
    """

    claim = "TDM-010"
    kind = "model"
    position = "one-for-a-transfer"
    binds = ("one_transfer", "nothing_moved")

    def observe(self, target, tools):
        moving, quiet = [], []
        for count in range(4):
            fields = decode(encode(dict(ONE_TILE, count=count, global_addr=4096))).fields
            if errors_of(fields):
                continue
            after = run(fields, "load", [(4096, bytes(range(1, 17)))], bytes(16))
            (moving if any(after.lds) else quiet).append(count)
        if len(moving) != 1 or len(quiet) != 1:
            raise ValueError(f"moving {moving}, quiet {quiet}")
        return {"one_transfer": moving[0], "nothing_moved": quiet[0]}


class TypeValue(Check):
    """Of the four values of type, the model carries out exactly one; its two bits are found by setting bits.

    Shows: the transfer's own refusal and the decoder's position.
    Does not show: what a device does with another type.
    """

    claim = "TDM-011"
    kind = "model"
    binds = ("legal", "position")

    def observe(self, target, tools):
        carried_out = []
        for value in range(4):
            try:
                run(dict(ONE_TILE, type=value), "load", [(0, bytes(16))], bytes(16))
            except FieldError:
                continue
            carried_out.append(value)
        if len(carried_out) != 1:
            raise ValueError(f"carried out: {carried_out}")
        return {"legal": carried_out[0], "position": found_by_flipping(0)["type"]}


class ElementBytes(Check):
    """How many bytes of LDS one element fills, code by code.

    Shows: a load of one element by the model.
    Does not show: hardware.
    """

    claim = "TDM-012"
    kind = "model"
    binds = ("bytes_by_code",)

    def observe(self, target, tools):
        sizes = []
        for code in range(4):
            fields = {"data_size": code, "tile_dim0": 1, "tensor_dim0": 1}
            lds = run(fields, "load", [(0, b"\xff" * 32)], bytes(32)).lds
            sizes.append(len(lds.rstrip(b"\0")))
        return {"bytes_by_code": sizes}


class Zeroed(Check):
    """The rules refuse twenty words of zeros and accept the words that the encoder makes of nothing but defaults.

    Shows: the verdicts of the rules, and the type that zeros read as.
    Does not show: what a device does first with such words.
    """

    claim = "TDM-013"
    kind = "model"
    binds = ("zeroed", "typed", "type_when_zeroed")

    def observe(self, target, tools):
        zeros, typed = decode([0] * 20), decode(encode({}))
        kinds = [
            verdict([item for item in findings_of(one) if item.severity == "error"]) for one in (zeros, typed)
        ]
        return {"zeroed": kinds[0], "typed": kinds[1], "type_when_zeroed": zeros.fields["type"]}


class _Positions(Check):
    kind = "model"

    def judge(self, observed, values):
        """Every published position must have been found, and nothing else."""
        found = [f"{name}: observed at {place}, not published" for name, place in observed.items() if name not in values]
        for name, place in values.items():
            if observed.get(name) != place:
                found.append(f"{name}: observed {observed.get(name)}, published {place}")
        return found


class Group0Positions(_Positions):
    """One bit of group 0 after the other is set; the decoder shows whose it is.

    Shows: position, width and order of the bits of every field of group 0, and that no other bit is owned.
    Does not show: that hardware reads them so.
    """

    claim = "TDM-029"
    binds = (
        "count", "is_restore", "is_store", "nv", "scope", "th", "user_null", "gather_index_size", "gather_mode",
        "lds_addr", "global_addr", "type",
    )  # fmt: skip

    def observe(self, target, tools):
        return found_by_flipping(0)


class Group1Positions(_Positions):
    """One bit of group 1 after the other is set; the decoder shows whose it is.

    Shows: position, width and order of the bits of every field of group 1.
    Does not show: that hardware reads them so.
    """

    claim = "TDM-030"
    binds = ("tensor_dim0", "tile_dim0", "tensor_dim1_stride")

    def observe(self, target, tools):
        return found_by_flipping(1)


class Group23Positions(_Positions):
    """One bit of groups 2 and 3 after the other is set in dense mode.

    Shows: group, position and width of every dense field there.
    Does not show: that hardware reads them so.
    """

    claim = "TDM-057"
    binds = ("tensor_dim2", "tensor_dim3", "tile_dim3", "tensor_dim3_stride")

    def observe(self, target, tools):
        return {name: [group, *place] for group in (2, 3) for name, place in found_by_flipping(group).items()}


class IterateOverlay(Check):
    """One bit of group 2 after the other is set in iterate mode; the count is searched that makes one pass.

    Shows: position and width of the borrowed fields, and the field value of one pass in a load by the model.
    Does not show: bounds of later passes.
    """

    claim = "TDM-058"
    kind = "model"
    binds = ("lds_addr_increment", "global_addr_increment", "iterate_count", "once")

    def observe(self, target, tools):
        plain, marked = encode({}), encode({"iterate_enable": 1})
        word = [i for i in range(12) if plain[i] != marked[i]][0]
        only = [name for name in names("iterate", 2) if name not in names("dense", 2)]
        found = found_by_flipping(2, (word, plain[word] ^ marked[word]), only)
        passes = []
        for count in range(3):
            fields = dict(ONE_TILE, tile_dim1=1, tensor_dim1=9, tensor_dim0_stride=4, iterate_enable=1)
            fields.update(iterate_count=count, lds_addr_increment=4, global_addr_increment=4)
            lds = run(fields, "load", [(0, b"\x01" * 64)], bytes(64)).lds
            passes.append(lds.count(1) // 16)
        if passes != list(range(passes[0], passes[0] + 3)):
            raise ValueError(f"passes for the fields 0, 1 and 2: {passes}")
        return dict(found, once=1 - passes[0])


class GatherPacking(Check):
    """One bit of groups 2 and 3 after the other is set in gather mode; the decoded list shows whose it is.

    Shows: how many row numbers a group holds, their width, and where entries twelve and thirteen start.
    Does not show: that hardware agrees where the printed table does not.
    """

    claim = "TDM-059"
    kind = "model"
    binds = ("per_group_16", "per_group_32", "width_16", "width_32", "entry_12", "entry_13")

    def observe(self, target, tools):
        short, long = self.packing(0), self.packing(1)
        return {
            "per_group_16": sum(entry[0] == 2 for entry in short),
            "per_group_32": sum(entry[0] == 2 for entry in long),
            "width_16": short[0][2],
            "width_32": long[0][2],
            "entry_12": list(short[12][:2]),
            "entry_13": list(short[13][:2]),
        }

    def packing(self, size):
        """[(group, first bit, width)] of each entry of the list, found by setting bits."""
        entries = {}
        for group in (2, 3):
            for bit in range(128):
                words = list(encode({"gather_mode": 1, "gather_index_size": size, "tile_dim1": 0xFFFF}))
                words[(12, 16)[group - 2] + bit // 32] = 1 << bit % 32
                rows = decode(words).fields["row_indices"]
                hit = [i for i in range(len(rows)) if rows[i]]
                if len(hit) != 1:
                    raise ValueError(f"bit {bit} of group {group} belongs to the entries {hit}")
                entries.setdefault(hit[0], []).append((group, bit, rows[hit[0]]))
        found = []
        for number in range(len(entries)):
            bits = entries[number]
            if [value for _, _, value in bits] != [1 << i for i in range(len(bits))]:
                raise ValueError(f"entry {number}: bits out of order")
            found.append((bits[0][0], bits[0][1], len(bits)))
        return found
