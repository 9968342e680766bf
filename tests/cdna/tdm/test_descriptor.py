# SPDX-License-Identifier: Apache-2.0
"""The codec against words that other programs wrote, against a second table of bit positions, and against itself."""

import json
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.tdm.descriptor import (
    FIELDS,
    GROUP_WORDS,
    LAYOUTS,
    FieldError,
    UnknownField,
    decode,
    decode_group1,
    encode,
    fields_of,
    layout_of,
    meaning,
    mode_of,
    rank_of,
    reserved_of,
)

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases"
VECTORS = {v["id"]: v for v in json.loads((CASES / "tdm_descriptor_words.json").read_text())["descriptor_words"]}
WHOLE = [v for v in VECTORS.values() if v["kind"] == "descriptor_words"]
GROUP1 = [v for v in VECTORS.values() if v["kind"] == "group1_words"]

# (name, group, high bit, low bit), read from the vendor's header and the manual's tables as others quote them.
POSITIONS = """
count 0 1 0, is_restore 0 2 2, is_store 0 3 3, nv 0 4 4, scope 0 6 5, th 0 9 7, user_null 0 10 10,
gather_index_size 0 30 30, gather_mode 0 31 31, lds_addr 0 63 32, global_addr 0 120 64, type 0 127 126,
workgroup_mask 1 15 0, data_size 1 17 16, atomic_barrier_enable 1 18 18, iterate_enable 1 19 19, pad_enable 1 20 20,
early_timeout 1 21 21, pad_interval 1 24 22, pad_amount 1 31 25, atomic_barrier_address 1 47 32, tensor_dim0 1 79 48,
tensor_dim1 1 111 80, tile_dim0 1 127 112, tile_dim1 1 143 128, tile_dim2 1 159 144, tensor_dim0_stride 1 207 160,
tensor_dim1_stride 1 255 208, tensor_dim2 2 31 0, tensor_dim3 2 63 32, tensor_dim2_stride 2 111 64,
tile_dim3 2 127 112, tensor_dim3_stride 3 47 0, tensor_dim4 3 79 48, tile_dim4 3 95 80
"""
ITERATE = "tensor_dim2 2 31 0, lds_addr_increment 2 63 32, global_addr_increment 2 111 64, iterate_count 2 127 112"


def positions(text):
    return [(name, int(g), int(hi), int(lo)) for name, g, hi, lo in (item.split() for item in text.split(","))]


def words_of(vector):
    return tuple(int(word, 16) for group in ("group0", "group1", "group2", "group3") for word in vector["words"][group])


def padded(words):
    return tuple(words) + (0,) * (20 - len(words))


@pytest.mark.parametrize("vector", WHOLE, ids=lambda v: v["id"])
def test_whole_vectors(vector):
    given_fields = vector["fields_in_D_order_encoded"]
    words = words_of(vector)
    assert padded(encode(given_fields)) == words
    decoded = decode(words)
    nonzero = {name: value for name, value in decoded.fields.items() if value}
    assert nonzero == {"count": 1, "type": 2} | {name: value for name, value in given_fields.items() if value}
    assert decoded.mode == "dense"
    assert padded(encode(decoded.fields)) == words


@pytest.mark.parametrize("vector", GROUP1, ids=lambda v: v["id"])
def test_group1_vectors(vector):
    words = tuple(int(word, 16) for word in vector["words"]["group1"])
    given_fields = vector["fields_in_D_order_encoded"]
    assert encode(given_fields)[4:12] == words
    decoded = decode_group1(words)
    assert {name: decoded.fields[name] for name in given_fields} == given_fields
    assert decoded.groups == (None, words, None, None)


def test_two_encoders_write_the_third_extent_into_the_fourth_field():
    vector = VECTORS["mlir_5d"]
    words = list(words_of(vector))
    assert words[15] != int(vector["mlir_emitted_group2_word3"], 16)
    words[15] = int(vector["mlir_emitted_group2_word3"], 16)
    emitted = decode(words).fields
    wanted = vector["fields_in_D_order_encoded"]
    assert emitted["tile_dim3"] == wanted["tile_dim2"] != wanted["tile_dim3"]
    assert {name: emitted[name] for name in wanted if name != "tile_dim3"} == {
        name: value for name, value in wanted.items() if name != "tile_dim3"
    }


@pytest.mark.parametrize("name, size", [("mlir_gather16_indices", 0), ("mlir_gather32_indices", 1)])
def test_index_vectors(name, size):
    vector = VECTORS[name]
    rows, expected = vector["row_indices"], vector["expected"]
    words = encode(
        {"gather_mode": 1, "gather_index_size": size, "tile_dim0": 8, "tile_dim1": len(rows), "row_indices": rows}
    )
    assert words[8] == int(expected["group1_word4"], 16)
    assert words[12:16] == tuple(int(word, 16) for word in expected["group2"])
    assert words[16] == int(expected["group3_word0"], 16)
    assert decode(words).fields["row_indices"] == rows
    assert words[0] == (0xC0000001 if size else 0x80000001)


def test_sixteen_indices_fill_both_groups_in_order():
    words = encode({"gather_mode": 1, "tile_dim0": 1, "tile_dim1": 16, "row_indices": list(range(16))})
    # Entries 12 and 13 sit at bits 79:64 and 95:80 of group 3: the printed table has a misprint there.
    assert words[12:20] == tuple(2 * i | (2 * i + 1) << 16 for i in range(8))


def test_pad_word_of_another_compiler():
    vector = VECTORS["flydsl_pad"]
    assert encode(vector["fields_in_D_order_encoded"])[4] == int(vector["expected"], 16)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_positions_agree_with_a_second_table(layout):
    table = {p[0]: p[1:] for p in positions(POSITIONS)}
    if layout == "iterate":
        for gone in ("tensor_dim3", "tensor_dim2_stride", "tile_dim3"):
            del table[gone]
        table.update({p[0]: p[1:] for p in positions(ITERATE)})
    if layout.startswith("gather"):
        table = {name: where for name, where in table.items() if where[0] < 2}
        width = 16 if layout == "gather16" else 32
        for i in range(256 // width):
            low = i * width
            table[f"row_index_{i}"] = (2 + low // 128, low % 128 + width - 1, low % 128)
    assert {f.name: (f.group, f.lo + f.width - 1, f.lo) for f in fields_of(layout)} == table


def test_every_bit_belongs_to_one_field_or_is_reserved():
    for layout in LAYOUTS:
        taken = [(f.group, f.lo + i) for f in fields_of(layout) for i in range(f.width)]
        taken += [(group, low + i) for group, low, width in reserved_of(layout) for i in range(width)]
        assert sorted(taken) == [(group, bit) for group in range(4) for bit in range(32 * GROUP_WORDS[group])]
    assert reserved_of("dense") == ((0, 11, 19), (0, 121, 5), (3, 96, 32))


def values_of(layout):
    """Draw legal values for every field of a layout."""
    plain = [f for f in fields_of(layout) if not f.name.startswith("row_index_")]
    parts = {f.name: st.integers(0, (1 << f.width) - 1) for f in plain}
    parts["gather_mode"] = st.just(int(layout.startswith("gather")))
    if layout in ("dense", "iterate"):
        parts["iterate_enable"] = st.just(int(layout == "iterate"))
    else:
        parts["gather_index_size"] = st.just(int(layout == "gather32"))
        slots, bits = (16, 16) if layout == "gather16" else (8, 32)
        parts["row_indices"] = st.lists(st.integers(0, (1 << bits) - 1), min_size=slots, max_size=slots)
        parts["tile_dim1"] = st.integers(slots, 65535)
    return st.fixed_dictionaries(parts)


@given(st.sampled_from(LAYOUTS).flatmap(lambda layout: st.tuples(st.just(layout), values_of(layout))))
def test_fields_to_words_and_back(drawn):
    layout, values = drawn
    decoded = decode(padded(encode(values)))
    assert decoded.layout == layout
    assert decoded.fields == values
    assert decoded.reserved == ()


@given(st.lists(st.integers(0, 0xFFFFFFFF), min_size=20, max_size=20), st.sampled_from([4, 12, 16, 20]))
def test_any_words_decode_and_lose_no_bit(words, length):
    decoded = decode(words[:length])
    assert decoded.words == tuple(words[:length])
    rest = list(padded(encode(decoded.fields)))[:length]
    for bits in decoded.reserved:
        word = sum(GROUP_WORDS[: bits.group]) + bits.lo // 32
        rest[word] |= bits.value << bits.lo % 32
    if decoded.layout.startswith("gather"):  # indices beyond tile_dim1 stay in `words` only
        rest[12:] = decoded.words[12:]
    assert tuple(rest) == decoded.words


@pytest.mark.parametrize("field", FIELDS, ids=lambda f: f"{f.name}-{f.layouts[0]}")
def test_nothing_is_truncated(field):
    layout = field.layouts[0]
    base = {"gather_mode": int(layout.startswith("gather")), "gather_index_size": int(layout == "gather32")}
    base["iterate_enable"] = int(layout == "iterate")
    for bad in (1 << field.width, -1, True, 1.0, "1", None, [1]):
        if field.name.startswith("row_index_"):
            values, name = base | {"row_indices": [bad]}, "row_indices[0]"
        else:
            values, name = base | {field.name: bad}, field.name
        with pytest.raises(FieldError) as raised:
            encode(values)
        assert raised.value.field == name
        assert raised.value.given == bad
        assert raised.value.claim.startswith("TDM-")
        assert str(raised.value).startswith(f"{name}=")


def test_error_text():
    with pytest.raises(FieldError) as raised:
        encode({"pad_interval": 9})
    assert str(raised.value) == "pad_interval=9: 0..7 (2 to 256 DWORDs), TDM-031"


@pytest.mark.parametrize(
    "values, name",
    [
        ({"iterate_enable": 1, "tensor_dim3": 5}, "tensor_dim3"),
        ({"iterate_count": 1}, "iterate_count"),
        ({"gather_mode": 1, "tile_dim4": 1}, "tile_dim4"),
        ({"row_indices": [1]}, "row_indices"),
        ({"tensor_dim5": 0}, "tensor_dim5"),
        ({"row_index_0": 1}, "row_index_0"),
    ],
)
def test_fields_of_another_layout_are_refused(values, name):
    with pytest.raises(UnknownField) as raised:
        encode(values)
    assert raised.value.field == name


def test_a_zero_of_another_layout_is_no_value():
    assert encode({"iterate_enable": 1, "tile_dim3": 0, "row_indices": []})[12:] == (0,) * 8


@pytest.mark.parametrize("bad", [[1, 2, 3], [0] * 8, [1 << 32] + [0] * 11, [-1] * 12, [True] * 12, ["1"] * 12, 5, None])
def test_words_that_are_none(bad):
    with pytest.raises(FieldError):
        decode(bad)


def test_group_one_alone_takes_eight_words():
    with pytest.raises(FieldError):
        decode_group1([0] * 7)


def test_the_union_reads_the_same_bits_two_ways():
    group2 = (7, 5, 0xF4240, 0x00040000)
    dense = decode((1, 0, 0, 2 << 30) + (0,) * 8 + group2 + (0,) * 4)
    iterating = decode((1, 0, 0, 2 << 30) + (1 << 19,) + (0,) * 7 + group2 + (0,) * 4)
    assert (dense.layout, iterating.layout) == ("dense", "iterate")
    one, two = dense.fields, iterating.fields
    assert [one[name] for name in ("tensor_dim3", "tensor_dim2_stride", "tile_dim3")] == [5, 1000000, 4]
    assert [two[name] for name in ("lds_addr_increment", "global_addr_increment", "iterate_count")] == [5, 1000000, 4]
    assert one["tensor_dim2"] == two["tensor_dim2"] == 7


def test_modes_and_ranks():
    assert mode_of({"count": 0, "gather_mode": 1}) == "null"
    assert mode_of({"is_restore": 1, "count": 0}) == "restore"
    assert mode_of({"gather_mode": 1, "iterate_enable": 1}) == "gather16"
    assert layout_of({"gather_index_size": 1}) == "dense"
    assert rank_of({"tile_dim0": 1}) == 1
    assert rank_of({"tile_dim0": 1, "tile_dim4": 1}) == 5
    assert rank_of({"tile_dim0": 1, "tile_dim1": 1, "iterate_enable": 1, "iterate_count": 9}) == 2
    assert rank_of({"gather_mode": 1, "tile_dim2": 3}) == 2
    assert rank_of({}) == 0


def test_null_groups_read_as_zeros():
    decoded = decode(encode({"gather_mode": 1, "tile_dim0": 4, "tile_dim1": 3, "row_indices": [5, 6, 7]})[:12])
    assert decoded.fields["row_indices"] == [0, 0, 0]


def test_reserved_bits_are_kept():
    decoded = decode([1 | 5 << 11, 0, 0, 2 << 30 | 0x1F << 25] + [0] * 15 + [9])
    assert [tuple(bits) for bits in decoded.reserved] == [(0, 11, 19, 5), (0, 121, 5, 0x1F), (3, 96, 32, 9)]


def test_stride_above_32_bits(problem):
    case = problem("TD-01")
    given_fields = {name: value for name, value in case["input"].items() if name != "tile"}
    given_fields["tile_dim0"], given_fields["tile_dim1"] = case["input"]["tile"]
    words = encode(given_fields)
    assert words[4:12] == tuple(int(word, 16) for word in case["right_outcome"]["group1_words"])
    assert decode_group1(words[4:12]).fields["tensor_dim0_stride"] << 1 == case["right_outcome"]["row1_byte_offset"]


def test_a_switched_off_descriptor(problem):
    case = problem("TD-04")
    given_fields = {name: int(case["input"][name], 16) for name in ("lds_addr", "global_addr")}
    words = encode(given_fields | {"count": 0})
    assert words[:4] == tuple(int(word, 16) for word in case["right_outcome"]["group0_words"])
    assert encode(given_fields)[0] == int(case["right_outcome"]["active_word0"], 16)
    assert decode(words[:4]).mode == "null"


def test_no_padding_leaves_no_padding_bits(problem):
    case = problem("TP-06")
    words = encode({"data_size": 1, "tile_dim0": case["input"]["inner_elements"]})
    assert words[4] >> 20 == int(case["right_outcome"]["group1_word0_bits_20_31"], 16)


def test_meaning_in_literal_units():
    fields = {"data_size": 1, "pad_enable": 1, "pad_interval": 4, "pad_amount": 3, "tile_dim0": 64, "tile_dim1": 16}
    fields.update(tensor_dim0=3968, tensor_dim1=968, tensor_dim0_stride=4096)
    fields.update(atomic_barrier_enable=1, atomic_barrier_address=286, workgroup_mask=5)
    plain = meaning(decode(encode(fields)).fields)
    assert (plain["data_size"], plain["pad_interval"], plain["pad_amount"]) == (2, 32, 4)
    assert plain["atomic_barrier_address"] == plain["barrier_addr"] == 2288  # the compiler's note in tritonc_load_bar
    assert (plain["tile"], plain["tensor"], plain["strides"]) == ([64, 16], [3968, 968], [4096])
    assert plain["workgroups"] == [0, 2]
    off = meaning(decode(encode({"data_size": 3})).fields)
    assert (off["pad_interval"], off["pad"], off["barrier_addr"], off["element_bytes"]) == (None, None, None, 8)
    passes = meaning(decode(encode({"iterate_enable": 1, "iterate_count": 255, "tile_dim0": 1})).fields)
    assert passes["iterate"]["count"] == passes["iterate_count"] == 256
