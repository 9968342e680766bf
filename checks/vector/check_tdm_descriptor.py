# SPDX-License-Identifier: Apache-2.0
"""Descriptor words that programs not written here produced, against what the claims publish."""

from cdna.tdm.descriptor import decode, decode_group1, encode, fields_of
from cdna_evidence.checks import Check

GROUPS = ("group0", "group1", "group2", "group3")


def entries(tools):
    """{id: entry} of the kept descriptor words."""
    return {entry["id"]: entry for entry in tools.vector("tdm-words")["descriptor_words"]}


def asked(tools, name):
    """What was asked of the program that wrote one entry's words."""
    return [entry for entry in tools.vector("tdm-asked")["asked"] if entry["id"] == name][0]


def words_of(entry, count=4):
    """All words of an entry as integers, groups 0 to 3."""
    return [int(word, 16) for group in GROUPS[:count] for word in entry["words"][group]]


def whole(tools):
    """Entries that hold all four groups and the fields that were asked for, without known defects in group 2."""
    return [entry for entry in entries(tools).values() if set(GROUPS) <= set(entry.get("words", {}))]


def names(layout, group=None):
    """Field names of a layout, of one group or of all."""
    return [field.name for field in fields_of(layout) if group in (None, field.group)]


def number(words):
    """A list of hexadecimal words as one number, first word lowest."""
    return sum(int(word, 16) << 32 * i for i, word in enumerate(words))


def dense_names_of(tools, entry):
    """The dense fields that hold what MLIR was asked to write for iteration, in the order step, step, passes."""
    group1 = [int(entry["group1_word0"], 16)] + [0] * 7
    flags = [name for name in names("dense", 1) if decode_group1(group1).fields.get(name) == 1]
    plain = list(encode({})) + [int(word, 16) for word in entry["group2"]] + [0] * 4
    fields = decode(plain).fields
    wanted = (entry["params"]["lds_step"], entry["params"]["global_step"], entry["params"]["times"] - 1)
    found = []
    for value in wanted:
        holders = [name for name in names("dense", 2) if fields[name] == value]
        if len(holders) != 1:
            raise ValueError(f"{value} stands in {holders}")
        found.append(holders[0])
    tools.origin(entry["origin"])
    return flags, found


class UnionWords(Check):
    """MLIR's words for iteration and aiter's first word for gather: which flag is set, which dense fields are taken.

    Shows: that two programs not written here use these bits so.
    Does not show: how many row numbers fit; no kept list is full.
    """

    claim = "TDM-004"
    kind = "vector"
    witness = "tdm-words"
    binds = ("iterate_bit", "iterate_takes", "gather_bit")

    def observe(self, target, tools):
        known = entries(tools)
        flags, taken = dense_names_of(tools, known["mlir_iterate"])
        word = int(known["opus_gather16_word0"]["expected"], 16)
        fields = decode([word, 0, 0, 2 << 30]).fields
        gather = [name for name in names("dense", 0) if fields.get(name) == 1 and name not in ("count", "type")]
        tools.origin(known["opus_gather16_word0"]["origin"])
        if len(flags) != 1 or len(gather) != 1:
            raise ValueError(f"flags {flags}, {gather}")
        return {"iterate_bit": flags[0], "iterate_takes": taken, "gather_bit": gather[0]}


class BorrowedFields(Check):
    """MLIR's words for iteration, read as a dense descriptor.

    Shows: which fields of a 4D tile the increments and the count occupy.
    Does not show: that anyone refuses the combination; MLIR does not.
    """

    claim = "TDM-005"
    kind = "vector"
    witness = "tdm-words"
    binds = ("borrowed",)

    def observe(self, target, tools):
        return {"borrowed": dense_names_of(tools, entries(tools)["mlir_iterate"])[1]}


class RankOfWords(Check):
    """The largest rank among words of AMD's header, Triton and MLIR, and the largest that MLIR's verifier accepted.

    Shows: that five dimensions are written by three programs and that one of them refuses six.
    Does not show: hardware.
    """

    claim = "TDM-006"
    kind = "vector"
    witness = "tdm-words"
    binds = ("most",)

    def observe(self, target, tools):
        ranks = {}
        for entry in whole(tools):
            ranks[entry["id"]] = decode(words_of(entry)).rank
            tools.origin(entry["origin"])
        answers = tools.vector("tdm-asked")["verdicts"]["dense_rank"]
        accepted = max(int(rank) for rank, answer in answers.items() if answer == "accepted")
        refused = min(int(rank) for rank, answer in answers.items() if answer == "rejected")
        if refused != accepted + 1 or max(ranks.values()) != accepted:
            raise ValueError(f"words reach {max(ranks.values())}, accepted {accepted}, refused {refused}")
        return {"most": accepted}


class AddressOfTile(Check):
    """The address that Triton's compiler wrote for a tile at row 128, column 64.

    Shows: how far it lies from the tensor's address, and that this is row times pitch plus column.
    Does not show: where an engine reads first.
    """

    claim = "TDM-007"
    kind = "vector"
    witness = "tdm-words"
    binds = ("element_bytes", "pitch", "row", "column", "offset_bytes")

    def observe(self, target, tools):
        entry = entries(tools)["triton_2d_at_128_64"]
        fields = decode(words_of(entry, 2)).fields
        offset = fields["global_addr"] - int(asked(tools, entry["id"])["base"], 16)
        size = 1 << fields["data_size"]
        row, column = divmod(offset // size, fields["tensor_dim0_stride"])
        tools.origin(entry["origin"])
        return {
            "element_bytes": size,
            "pitch": fields["tensor_dim0_stride"],
            "row": row,
            "column": column,
            "offset_bytes": offset,
        }


class BoundOfTile(Check):
    """Pitch and bound that Triton's compiler wrote for a tile at column 64 of 500.

    Shows: that an independent compiler counts the bound from the tile.
    Does not show: hardware.
    """

    claim = "TDM-008"
    kind = "vector"
    witness = "tdm-words"
    binds = ("columns", "pitch", "column", "bound")

    def observe(self, target, tools):
        entry = entries(tools)["triton_2d_at_128_64"]
        request = asked(tools, entry["id"])
        fields = decode(words_of(entry, 2)).fields
        tools.origin(entry["origin"])
        return {
            "columns": request["tensor"][0],
            "pitch": fields["tensor_dim0_stride"],
            "column": request["at"][0],
            "bound": fields["tensor_dim0"],
        }


class TypeWritten(Check):
    """The type in every kept group 0.

    Shows: that every encoder writes the same value.
    Does not show: what another value does.
    """

    claim = "TDM-011"
    kind = "vector"
    witness = "tdm-words"
    binds = ("legal",)

    def observe(self, target, tools):
        found = set()
        for entry in entries(tools).values():
            if "group0" in entry.get("words", {}):
                found.add(decode(words_of(entry, 1)).fields["type"])
                tools.origin(entry["origin"])
        if len(found) != 1:
            raise ValueError(f"types {sorted(found)}")
        return {"legal": found.pop()}


class SizeCodes(Check):
    """The code that MLIR writes for elements of 8, 16, 32 and 64 bits, and Triton for 16 and 32.

    Shows: one code for each width, from two programs.
    Does not show: hardware.
    """

    claim = "TDM-012"
    kind = "vector"
    witness = "tdm-asked"
    binds = ("bytes_by_code",)

    def observe(self, target, tools):
        codes = {}
        types = tools.vector("tdm-asked")["element_types"]
        for bits, word in types["group1_word0"].items():
            codes[int(bits)] = decode_group1([int(word, 16)] + [0] * 7).fields["data_size"]
        tools.origin(types["origin"])
        known = entries(tools)
        for name in ("triton_2d_at_128_64", "tritonc_5d"):
            code = decode(words_of(known[name], 2)).fields["data_size"]
            if codes[asked(tools, name)["element_bits"]] != code:
                raise ValueError(f"{name}: Triton and MLIR write different codes")
            tools.origin(known[name]["origin"])
        by_code = {code: bits // 8 for bits, code in codes.items()}
        return {"bytes_by_code": [by_code[code] for code in sorted(by_code)]}


class StridesWritten(Check):
    """The four strides in the words that Triton's compiler wrote for a 5D tensor.

    Shows: that a compiler writes each stride whole, in the order of the dimensions.
    Does not show: that an engine does not multiply.
    """

    claim = "TDM-018"
    kind = "vector"
    witness = "tdm-words"
    binds = ("steps",)

    def observe(self, target, tools):
        entry = entries(tools)["tritonc_5d"]
        fields = decode(words_of(entry)).fields
        tools.origin(entry["origin"])
        return {"steps": [fields[name] for name in names("dense") if name.endswith("_stride")]}


class WidthsWritten(Check):
    """The highest bit that any kept words use in a stride and in the address.

    Shows: that encoders not written here fill these widths.
    Does not show: that no wider value exists.
    """

    claim = "TDM-019"
    kind = "vector"
    witness = "tdm-words"
    binds = ("stride_bits", "global_addr_bits")

    def observe(self, target, tools):
        strides = addresses = 0
        for entry in whole(tools):
            fields = decode(words_of(entry)).fields
            strides = max([strides] + [fields[name].bit_length() for name in names("dense") if name.endswith("_stride")])
            addresses = max(addresses, fields["global_addr"].bit_length())
            tools.origin(entry["origin"])
        return {"stride_bits": strides, "global_addr_bits": addresses}


def recorded(tools, groups):
    """[[{field: value}, number of each group]] of entries that say which fields were asked for."""
    found = []
    for entry in entries(tools).values():
        fields, words = entry.get("fields_in_D_order_encoded"), entry.get("words", {})
        if fields and set(groups) <= set(words):
            found.append([dict(fields), {group: number(words[group]) for group in groups}])
            tools.origin(entry["origin"])
    return found


def misplaced(observed, places, read):
    """Differences between recorded fields and what stands at the published places; at least one must be compared."""
    found, compared = [], set()
    for fields, numbers in observed:
        for name, place in places.items():
            group, lo, width = read(place)
            value = fields.get(name, 0) if name not in ("count", "type") else fields.get(name, (1, 2)[name == "type"])
            if numbers[group] >> lo & (1 << width) - 1 != value:
                found.append(f"{name}: {value} was asked for, another number stands at bit {lo} of {group}")
            elif value:
                compared.add(name)
    if not compared:
        found.append("nothing was compared")
    return found


class Group0Written(Check):
    """Group 0 as AMD's header, Triton and MLIR wrote it for known fields, read at the published positions.

    Shows: that fields which are not zero in the kept words stand where the claim says.
    Does not show: fields that no kept descriptor uses.
    """

    claim = "TDM-029"
    kind = "vector"
    witness = "tdm-words"
    binds = ("lds_addr", "global_addr", "type", "count")

    def observe(self, target, tools):
        return recorded(tools, ("group0",))

    def judge(self, observed, values):
        return misplaced(observed, values, lambda place: ("group0", *place))


class Group1Written(Check):
    """Group 1 as AMD's header, Triton, MLIR and aiter wrote it for known fields, read at the published positions.

    Shows: that fields which are not zero in the kept words stand where the claim says.
    Does not show: fields that no kept descriptor uses.
    """

    claim = "TDM-030"
    kind = "vector"
    witness = "tdm-words"
    binds = ("data_size", "pad_interval", "tensor_dim0", "tile_dim0", "tensor_dim0_stride")

    def observe(self, target, tools):
        return recorded(tools, ("group1",))

    def judge(self, observed, values):
        return misplaced(observed, values, lambda place: ("group1", *place))


class Group23Written(Check):
    """Groups 2 and 3 as AMD's header, Triton and MLIR wrote them for known fields, read at the published positions.

    Shows: that every dense field there stands where the claim says, in at least one program's words.
    Does not show: MLIR's own tile_dim3, which is wrong and corrected in the kept words.
    """

    claim = "TDM-057"
    kind = "vector"
    witness = "tdm-words"
    binds = ("tensor_dim2", "tensor_dim3", "tile_dim3", "tensor_dim4")

    def observe(self, target, tools):
        return recorded(tools, ("group2", "group3"))

    def judge(self, observed, values):
        return misplaced(observed, values, lambda place: (f"group{place[0]}", *place[1:]))


class IterateWritten(Check):
    """Group 2 as MLIR wrote it for an LDS step, a global step and seven passes, read at the published positions.

    Shows: places of the increments and of the count, and that one pass is written as zero.
    Does not show: hardware.
    """

    claim = "TDM-058"
    kind = "vector"
    witness = "tdm-words"
    binds = ("lds_addr_increment", "global_addr_increment", "iterate_count", "once")

    def observe(self, target, tools):
        entry = entries(tools)["mlir_iterate"]
        tools.origin(entry["origin"])
        return {"asked": entry["params"], "group2": number(entry["group2"])}

    def judge(self, observed, values):
        wanted = {
            "lds_addr_increment": observed["asked"]["lds_step"],
            "global_addr_increment": observed["asked"]["global_step"],
            "iterate_count": observed["asked"]["times"] - 1 + values["once"],
        }
        found = []
        for name, value in wanted.items():
            lo, width = values[name]
            if observed["group2"] >> lo & (1 << width) - 1 != value:
                found.append(f"{name}: {value} was asked for, another number stands at bit {lo}")
        return found


class GatherWritten(Check):
    """Index lists as MLIR packed them and as a test of AMD's emulator wrote them, read as published.

    Shows: order, width and number of entries of the first group, and the start of the second.
    Does not show: entries twelve and thirteen; no kept list is long enough.
    """

    claim = "TDM-059"
    kind = "vector"
    witness = "tdm-words"
    binds = ("per_group_16", "per_group_32", "width_16", "width_32")

    def observe(self, target, tools):
        known = entries(tools)
        lists = []
        for name, bits in (("mlir_gather16_indices", 16), ("mlir_gather32_indices", 32)):
            entry = known[name]
            second = number([entry["expected"]["group3_word0"]])
            # The second group was kept as one word: as many entries as it holds.
            lists.append([bits, entry["row_indices"], number(entry["expected"]["group2"]), second])
            tools.origin(entry["origin"])
        for entry in tools.vector("tdm-lds")["lds_contents"]:
            if entry["id"] == "rj_gather16":
                rows = entry["fields_in_D_order_encoded"]["row_indices"]
                lists.append([16, rows, number(entry["words"]["group2"]), number(entry["words"]["group3"])])
                tools.origin(entry["origin"])
        return lists

    def judge(self, observed, values):
        found = [] if len(observed) == 3 else [f"{len(observed)} lists, three expected"]
        for bits, rows, group2, group3 in observed:
            per_group, width = values[f"per_group_{bits}"], values[f"width_{bits}"]
            for i, row in enumerate(rows):
                where = (group2, group3)[i // per_group] if i // per_group < 2 else 0
                if where >> width * (i % per_group) & (1 << width) - 1 != row:
                    found.append(f"{bits} bits: entry {i} is not {row}")
            if len(rows) < per_group:
                found.append(f"{bits} bits: the list is shorter than one group")
        return found
