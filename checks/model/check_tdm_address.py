# SPDX-License-Identifier: Apache-2.0
"""Where the model reads: memory in which every 8 bytes hold their own address, so that LDS shows where it came from."""

from array import array
from sys import byteorder

from cdna.tdm.descriptor import FieldError, decode, encode, fields_of
from cdna.tdm.transfer import run
from cdna_evidence.checks import Check

# One prime for each stride field, in the order of the dimensions: a step names the field that made it.
STRIDES = (
    ("tensor_dim0_stride", 101),
    ("tensor_dim1_stride", 1009),
    ("tensor_dim2_stride", 10007),
    ("tensor_dim3_stride", 100003),
)
START = 1 << 20


def little(words):
    """Bytes of a list of 64-bit numbers, low byte first."""
    data = array("Q", words)
    if byteorder == "big":
        data.byteswap()
    return data.tobytes()


def steps(rank):
    """Elements between two neighbours of each dimension, as a load by the model shows them, innermost first."""
    fields = {"data_size": 3, "global_addr": START}
    for d in range(rank):
        fields.update({f"tile_dim{d}": 2, f"tensor_dim{d}": 2})
    fields.update(STRIDES)
    last = 2 + sum(pitch for _, pitch in STRIDES)
    memory = little(range(START, START + 8 * last, 8))
    after = run(fields, "load", [(START, memory)], bytes(8 << rank))
    if after.faults:
        raise ValueError(f"the load left the memory it was given: {after.faults}")
    seen = [int.from_bytes(after.lds[8 * i : 8 * i + 8], "little") for i in range(1 << rank)]
    return [(seen[1 << d] - seen[0]) // 8 for d in range(rank)]


def named(step):
    """The stride field that holds this number of elements."""
    found = [name for name, pitch in STRIDES if pitch == step]
    if len(found) != 1:
        raise ValueError(f"a step of {step} elements is no stride field's")
    return found[0]


class Address2d(Check):
    """Steps of a 2D load by the model, and the address of a second row for every element size.

    Shows: which stride field a step in y follows, that x steps by one element, and the factor of each size code.
    Does not show: hardware.
    """

    claim = "TDM-014"
    kind = "model"
    binds = ("next_element", "row_by", "bytes_by_code")

    def observe(self, target, tools):
        found = steps(2)
        factors = []
        for code in range(4):
            # Two rows of one element, three elements apart: the second starts at 3 times the size.
            fields = {"data_size": code, "tile_dim0": 1, "tile_dim1": 2, "tensor_dim0": 1, "tensor_dim1": 2}
            fields["tensor_dim0_stride"] = 3
            lds = run(fields, "load", [(0, bytes(range(64)))], bytes(16)).lds
            factors.append(max(lds[i] for i in range(16) if i and lds[i] != lds[i - 1] + 1 and lds[i]) // 3)
        return {"next_element": found[0], "row_by": named(found[1]), "bytes_by_code": factors}


class Address3d(Check):
    """Steps of a 3D load by the model.

    Shows: which stride field a step in each dimension follows.
    Does not show: hardware.
    """

    claim = "TDM-015"
    kind = "model"
    binds = ("plane_by", "row_by")

    def observe(self, target, tools):
        return dict(zip(("row_by", "plane_by"), [named(step) for step in steps(3)[1:]], strict=True))


class Address4d(Check):
    """Steps of a 4D load by the model.

    Shows: which stride field a step in each dimension follows.
    Does not show: hardware.
    """

    claim = "TDM-016"
    kind = "model"
    binds = ("fourth_by", "plane_by", "row_by")

    def observe(self, target, tools):
        return dict(zip(("row_by", "plane_by", "fourth_by"), [named(step) for step in steps(4)[1:]], strict=True))


class Address5d(Check):
    """Steps of a 5D load by the model.

    Shows: which stride field a step in each dimension follows.
    Does not show: hardware.
    """

    claim = "TDM-017"
    kind = "model"
    binds = ("fifth_by", "fourth_by", "plane_by", "row_by")

    def observe(self, target, tools):
        places = ("row_by", "plane_by", "fourth_by", "fifth_by")
        return dict(zip(places, [named(step) for step in steps(5)[1:]], strict=True))


class StridesAsTheyAre(Check):
    """Where the model finds the second element of each dimension of the 5D tensor that Triton was asked for.

    Shows: that each step is the stride that was asked for, not a product of several.
    Does not show: hardware.
    """

    claim = "TDM-018"
    kind = "model"
    binds = ("steps",)

    def observe(self, target, tools):
        asked = [item for item in tools.vector("tdm-asked")["asked"] if item["id"] == "tritonc_5d"][0]
        size = asked["element_bits"] // 8
        strides = {f"tensor_dim{d}_stride": pitch for d, pitch in enumerate(asked["strides"])}
        candidates = {1}
        for pitch in asked["strides"]:
            # Products of two strides are given memory as well, so that a model that multiplies would be seen.
            candidates |= {pitch} | {pitch * other for other in asked["strides"] if pitch * other < 1 << 50}
        places = sorted(candidates)
        memory = [(0, b"\xaa" * size)] + [(size * place, (n + 1).to_bytes(size, "little")) for n, place in enumerate(places)]
        found = []
        for d in range(1, 5):
            fields = dict(strides, data_size=size.bit_length() - 1)
            for e in range(5):
                fields.update({f"tile_dim{e}": 2 if e == d else 1, f"tensor_dim{e}": 2})
            after = run(fields, "load", memory, bytes(2 * size))
            number = int.from_bytes(after.lds[size : 2 * size], "little")
            if after.faults or not 1 <= number <= len(places):
                raise ValueError(f"dimension {d}: the second element came from nowhere known")
            found.append(places[number - 1])
        return {"steps": found}


class Widths(Check):
    """The largest single bit that the model's encoder takes in each stride field and in the address.

    Shows: widths found by search, and that what was encoded decodes to the same.
    Does not show: which addresses hardware can reach.
    """

    claim = "TDM-019"
    kind = "model"
    binds = ("stride_fields", "stride_bits", "global_addr_bits")

    def observe(self, target, tools):
        fields = [name for name in [field.name for field in fields_of("dense")] if name.endswith("_stride")]
        widths = sorted({self.width(name) for name in fields})
        if len(widths) != 1:
            raise ValueError(f"stride fields of different widths: {widths}")
        return {"stride_fields": len(fields), "stride_bits": widths[0], "global_addr_bits": self.width("global_addr")}

    def width(self, name):
        """Number of bits that the encoder takes for a field, from the lowest on."""
        bits = 0
        while True:
            try:
                words = encode({name: 1 << bits})
            except FieldError:
                return bits
            if decode(words).fields[name] != 1 << bits:
                raise ValueError(f"{name}: bit {bits} does not come back")
            bits += 1


class LostCarry(Check):
    """A step across the end of the low address word, added to that word only and added to the pair.

    Shows: by how much the short add is wrong, which words hold the address, and that the pair leaves the type alone.
    Does not show: any compiler or device.
    """

    claim = "TDM-020"
    kind = "model"
    binds = ("address_words", "lost_bytes", "type_after_pair_add")

    def observe(self, target, tools):
        none, full = encode({"global_addr": 0}), encode({"global_addr": (1 << 57) - 1})
        words = [i for i in range(4) if none[i] != full[i]]
        if len(words) != 2:
            raise ValueError(f"the address is in the words {words}")
        low, high = words
        start, step = (5 << 32) - 64, 128
        short = list(encode({"global_addr": start}))
        pair = list(short)
        short[low] = (short[low] + step) & 0xFFFFFFFF
        total = (pair[high] << 32 | pair[low]) + step
        pair[low], pair[high] = total & 0xFFFFFFFF, total >> 32
        right = decode(pair).fields
        if right["global_addr"] != start + step:
            raise ValueError("the add on the pair is wrong as well")
        return {
            "address_words": words,
            "lost_bytes": right["global_addr"] - decode(short).fields["global_addr"],
            "type_after_pair_add": right["type"],
        }
