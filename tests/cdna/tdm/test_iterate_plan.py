# SPDX-License-Identifier: Apache-2.0
"""Gaps after blocks of rows: padding codes up to 1024 bytes, iteration above, and what public problems say of it."""

import pytest

from cdna.tdm.descriptor import FieldError, decode, encode
from cdna.tdm.iterate import gap_plan, passes_left
from cdna.tdm.pad import MAX_INTERVAL_BYTES
from cdna.tdm.rules import findings
from cdna.tdm.transfer import run


def block_of(given):
    """The pad block of TI-01 and TI-02: the bytes that one vector read of a whole depth covers, rounded up."""
    width = given.get("VectorWidth", given.get("VectorWidth_read"))
    size = given["DepthU"] * given["bytes_per_element"] * width
    to = given.get("round_to", 256)
    return -(-size // to) * to


def test_a_block_above_the_largest_interval_iterates(problem):
    case = problem("TI-01")
    given, right = case["input"], case["right_outcome"]
    block = block_of(given)
    assert block == right["pad_block_bytes"]
    assert MAX_INTERVAL_BYTES == right["max_pad_block_without_iterate"]
    row = given["DepthU"] * given["bytes_per_element"]
    plan = gap_plan(row, 64, 4096, given["bytes_per_element"], block, 16)
    assert (plan.mode == "iterate") is right["needs_iterate"]
    assert plan.fields["pad_enable"] == right["pad_enable"]
    assert gap_plan(row, 64, 4096, 2, right["max_pad_block_without_iterate"], 16).mode == "padding"


def test_a_block_cut_to_fit_is_refused(problem):
    case = problem("TI-02")
    given = case["input"]
    assert case["outcome_kind"] == "reject"
    row = given["DepthU"] * given["bytes_per_element"]
    reader = block_of(given)
    assert (reader, given["pad_block_written"]) == (2048, 1024)
    with pytest.raises(FieldError, match="block_bytes=1024.*2048 bytes of the reader"):
        gap_plan(row, 64, 4096, 2, given["pad_block_written"], 16, reader_block_bytes=reader)
    assert gap_plan(row, 64, 4096, 2, reader, 16, reader_block_bytes=reader).mode == "iterate"


def test_a_block_of_nothing_is_refused(problem):
    case = problem("TI-04")
    assert case["outcome_kind"] == "reject"
    with pytest.raises(FieldError, match="block_bytes=0: 1 or more; a block of 0 would make passes of no row"):
        gap_plan(256, 64, 4096, 2, case["input"]["LdsBlockSizePerPad"], 16)


# The last three have no codes: a gap above 512 bytes, a gap of a DWORD and a half, three rows.
BLOCKS = [(64, 16), (128, 8), (1024, 16), (2048, 16), (3072, 4), (512, 600), (512, 6), (384, 16)]


@pytest.mark.parametrize("block, gap", BLOCKS)
def test_blocks_land_where_the_plan_says(block, gap):
    """Both ways of leaving a gap are run: each block of rows starts where the plan says, whole and in order."""
    row_bytes, rows = 64 if block < 128 else 128, 48
    plan = gap_plan(row_bytes, rows, row_bytes // 2, 2, block, gap)
    assert plan.mode == ("padding" if (block, gap) in BLOCKS[:3] else "iterate")
    shape = {"data_size": 1, "tensor_dim0": 1 << 20, "tensor_dim1": rows, "tile_dim0": row_bytes // 2}
    fields = {**shape, "tensor_dim0_stride": row_bytes // 2, "global_addr": 1 << 20, **plan.fields}
    assert decode(encode(fields)).fields["tile_dim1"] == plan.fields["tile_dim1"]
    assert [item for item in findings(fields) if item.severity == "error"] == []
    data = bytes(i * 7 % 251 for i in range(row_bytes * rows))
    landed = run(fields, "load", [(1 << 20, data)], bytes(16384)).lds
    assert len(plan.block_starts) == len(data) // block
    for i, start in enumerate(plan.block_starts):
        assert landed[start : start + block] == data[i * block : (i + 1) * block]
    assert not any(landed[plan.block_starts[0] + block : plan.block_starts[1]])


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"block_bytes": 2000}, "block_bytes"),
        ({"gap_bytes": 3}, "gap_bytes"),
        ({"element_bytes": 3}, "element_bytes"),
        ({"rows": 0}, "rows"),
        ({"row_bytes": 2048, "rows": 257, "block_bytes": 2048}, "iterate_count"),
        ({"block_bytes": 192}, "interval_dwords"),
        ({"block_bytes": 64, "gap_bytes": 600}, "amount_dwords"),
        ({"block_bytes": 64, "gap_bytes": 6}, "gap_bytes"),
        ({"gap_bytes": -4}, "gap_bytes"),
    ],
)
def test_what_no_plan_can_do(changes, field):
    given = {"row_bytes": 128, "rows": 64, "row_stride": 64, "element_bytes": 2, "block_bytes": 2048, "gap_bytes": 16}
    with pytest.raises(FieldError) as refused:
        gap_plan(**{**given, **changes})
    assert refused.value.field == field and refused.value.claim


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"row_bytes": 7, "block_bytes": 7, "gap_bytes": 1}, "row_bytes"),  # three elements and a half
        ({"row_bytes": 131072, "block_bytes": 131072}, "row_bytes"),  # 65536 elements, tile_dim0 has 16 bits
        ({"row_bytes": 6, "block_bytes": 8, "gap_bytes": 4}, "row_bytes"),  # padding needs rows of whole DWORDs
        ({"rows": 65536, "gap_bytes": 0}, "rows"),  # tile_dim1 has 16 bits
        ({"row_stride": 1 << 44}, "global_addr_increment"),  # 16 rows a pass: 2^48 elements
    ],
)
def test_what_fits_no_field(changes, field):
    test_what_no_plan_can_do(changes, field)


def test_rows_of_no_whole_dword_iterate_where_blocks_are_rows():
    """Two rows of six bytes a block: a power of two would not hold them, and padding refuses such rows."""
    plan = gap_plan(6, 4, 3, 2, 12, 4)
    assert (plan.mode, plan.fields["tile_dim1"], plan.fields["lds_addr_increment"]) == ("iterate", 2, 8)
    assert gap_plan(2, 64, 1, 2, 8, 8).mode == "iterate"


def test_without_a_gap_nothing_is_asked_for():
    assert gap_plan(128, 64, 64, 2, 2048, 0) == ("packed", {"tile_dim1": 64}, (0,))


@pytest.mark.parametrize(
    "left, field, past, whole, rest",
    [
        # A tile of 16 rows, 4 a pass. ROCm/rocm-libraries#10935: at least 1 row, at most the tile, then (rows - 1) / 4.
        (16, 3, 0, 4, 0),
        (15, 3, 1, 3, 3),
        (10, 2, 2, 2, 2),
        (5, 1, 3, 1, 1),
        (4, 0, 0, 1, 0),
        (1, 0, 3, 0, 1),
        (0, 0, 0, 0, 0),
        (-48, 0, 0, 0, 0),
        (1000, 3, 0, 4, 0),
    ],
)
def test_the_count_of_a_partial_and_of_an_empty_tile(left, field, past, whole, rest):
    found = passes_left(left, 4, 16)
    rows = min(max(left, 0), 16)
    assert found == (rows, -(-rows // 4), field, past, whole, rest)


def test_passes_that_stay_inside_touch_nothing_past_the_tensor():
    """Ten rows are left: the count for all of them reads past the end where each pass has the whole bound again."""
    memory = [(4096, bytes(range(1, 81)))]  # ten rows of eight bytes, and nothing behind them
    shape = {"tile_dim0": 8, "tensor_dim0": 8, "tensor_dim0_stride": 8, "global_addr": 4096, "iterate_enable": 1}
    shape.update(lds_addr_increment=32, global_addr_increment=32)
    found = passes_left(10, 4)
    all_rows = dict(shape, tile_dim1=4, tensor_dim1=found.rows, iterate_count=found.iterate_count)
    assert run(all_rows, "load", memory, bytes(96)).faults
    moved = run(all_rows, "load", memory, b"\xff" * 96, iterate_bounds="advanced")
    assert moved.faults == () and moved.lds == memory[0][1] + bytes(16)
    inside = run(dict(all_rows, iterate_count=found.whole_passes - 1), "load", memory, bytes(96))
    behind = {"lds_addr": 64, "global_addr": 4096 + 64, "tile_dim1": found.rows_rest, "tensor_dim1": found.rows_rest}
    rest = run({**shape, **behind, "iterate_enable": 0}, "load", memory, inside.lds)
    assert inside.faults == rest.faults == () and rest.lds[:80] == memory[0][1]


@pytest.mark.parametrize(
    "given, field",
    [((8, 0), "rows_per_pass"), ((8, 4, 0), "tile_rows"), ((257, 1), "iterate_count"), ((2.5, 1), "rows_left")],
)
def test_no_passes(given, field):
    with pytest.raises(FieldError) as refused:
        passes_left(*given)
    assert refused.value.field == field and refused.value.claim
