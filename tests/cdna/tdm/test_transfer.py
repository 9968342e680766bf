# SPDX-License-Identifier: Apache-2.0
"""The transfer against the manual's pseudocode, written down literally, and against what must hold for every copy."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pseudocode import transfer as pseudocode
from random_cases import random_case

from cdna.tdm.descriptor import FieldError
from cdna.tdm.transfer import Fault, run
from cdna.tdm.walk import lds_map, origin_of


@pytest.mark.parametrize("seed", range(8))
def test_equals_the_pseudocode(seed):
    rng = random.Random(seed)
    seen = {"memory": 0, "lds": 0, "clean": 0}
    for _ in range(400):
        fields, op, memory, lds, nulls = random_case(rng)
        outcome = run(fields, op, memory, lds, nulls)
        cells = {address + i: byte for address, data in memory for i, byte in enumerate(data)}
        want_lds, want_cells, want_faults = pseudocode(fields, op, cells, lds, nulls)
        case = (fields, op, len(lds), nulls)
        assert outcome.lds == want_lds, case
        assert {a + i: b for a, data in outcome.memory for i, b in enumerate(data)} == want_cells, case
        assert {fault.space for fault in outcome.faults} == want_faults, case
        assert [a for a, data in outcome.memory] == [a for a, data in memory]
        for name in want_faults or ("clean",):
            seen[name] += 1
    assert min(seen.values()) > 20, "the random cases must reach faults and clean copies alike"


@pytest.mark.parametrize("seed", range(2))
def test_map_lists_what_the_transfer_moves(seed):
    rng = random.Random(1000 + seed)
    for _ in range(150):
        fields, op, memory, lds, nulls = random_case(rng)
        given = {address + i: byte for address, data in memory for i, byte in enumerate(data)}
        want = bytearray(lds)
        for landing in lds_map(fields, "load", len(lds), nulls) if fields["tile_dim0"] else ():
            for byte in range(1 << fields["data_size"]):
                at = landing.lds + byte
                if at < len(lds) and landing.address is None:
                    want[at] = 0
                elif at < len(lds) and landing.address + byte in given:
                    want[at] = given[landing.address + byte]
        assert run(fields, "load", memory, lds, nulls).lds == bytes(want), fields


tiles = st.fixed_dictionaries(
    {
        "data_size": st.integers(0, 3),
        "tile_dim0": st.integers(1, 24),
        "tile_dim1": st.integers(1, 6),
        "tile_dim2": st.integers(0, 3),
        "tensor_dim0": st.integers(0, 26),
        "tensor_dim1": st.integers(0, 7),
        "tensor_dim2": st.integers(0, 4),
        "tensor_dim0_stride": st.integers(24, 30),
        "tensor_dim1_stride": st.integers(180, 200),
        "lds_addr": st.integers(0, 64),
        "global_addr": st.integers(0, 2**40),
    }
)


@settings(deadline=None)
@given(tiles, st.binary(min_size=1, max_size=64))
def test_store_then_load_brings_the_tile_back(fields, seed):
    """Rows that do not overlap: what a store wrote, a load reads, and what was out of bounds reads as zero."""
    area = [(fields["global_addr"], bytes(8 * 700))]
    lds = (seed * 8192)[:8192]
    stored = run(fields, "store", area, lds)
    loaded = run(fields, "load", stored.memory, bytes(8192))
    assert stored.lds == lds and loaded.memory == stored.memory
    assert not stored.faults and not loaded.faults
    for landing in lds_map(fields):
        piece = slice(landing.lds, landing.lds + (1 << fields["data_size"]))
        want = lds[piece] if landing.address is not None else bytes(1 << fields["data_size"])
        assert loaded.lds[piece] == want


@settings(deadline=None)
@given(tiles, st.integers(0, 7), st.integers(0, 127))
def test_padding_moves_bytes_and_changes_none(fields, interval, amount):
    """Without its gaps the padded tile is the dense one, and gaps keep what was there."""
    area = [(fields["global_addr"], bytes(range(1, 251)) * 23)]
    dense = run(fields, "load", area, bytes([255]) * 40000).lds
    padded_fields = dict(fields, pad_enable=1, pad_interval=interval, pad_amount=amount)
    outcome = run(padded_fields, "load", area, bytes([255]) * 400000)
    length = fields["tile_dim0"] * fields["tile_dim1"] * (fields["tile_dim2"] or 1) << fields["data_size"]
    step = 4 * 2 ** (interval + 1)
    rest = outcome.lds[fields["lds_addr"] :]
    squeezed, gaps = b"", b""
    while len(squeezed) < length:
        squeezed += rest[:step]
        gaps += rest[step : step + 4 * (amount + 1)]
        rest = rest[step + 4 * (amount + 1) :]
    assert squeezed[:length] == dense[fields["lds_addr"] :][:length]
    assert set(gaps) == {255}


def test_inputs_are_untouched():
    lds, data = bytearray(64), bytearray(range(64))
    memory = [(0, data)]
    fields = {"tile_dim0": 8, "tensor_dim0": 8}
    loaded = run(fields, "load", memory, lds)
    run(fields, "store", memory, b"\xff" * 64)
    assert lds == bytearray(64) and data == bytearray(range(64))
    assert loaded.lds[:8] == bytes(range(8)) and isinstance(loaded.lds, bytes)


def test_a_fault_is_reported_once_and_the_rest_moves():
    fields = {"tile_dim0": 4, "tile_dim1": 4, "tensor_dim0": 4, "tensor_dim1": 4, "tensor_dim0_stride": 8}
    memory = [(0, b"\1" * 4), (16, b"\3" * 4)]
    outcome = run(fields, "load", memory, b"\xee" * 16)
    assert outcome.lds == b"\1" * 4 + b"\xee" * 4 + b"\3" * 4 + b"\xee" * 4
    assert outcome.faults == (Fault("memory", 8, 8),)
    assert outcome.counter == 0


def test_lds_outside_the_allocation_is_a_fault_but_a_gap_is_not():
    row = {"data_size": 2, "tile_dim0": 2, "tensor_dim0": 2, "pad_enable": 1, "pad_interval": 0, "pad_amount": 127}
    fits = run(row, "load", [(0, b"12345678")], bytes(8))
    assert fits.lds == b"12345678" and fits.faults == ()
    past = run(dict(row, lds_addr=4), "load", [(0, b"12345678")], bytes(8))
    assert past.lds == b"\0\0\0\x001234" and past.faults == (Fault("lds", 8, 4),)


def test_a_gap_past_the_allocation_is_left_out():
    """The rest of the tile then lies differently, without an error: the reading of claim TDM-037."""
    fields = {"tile_dim0": 24, "tensor_dim0": 24, "pad_enable": 1, "pad_interval": 0, "pad_amount": 3}
    outcome = run(fields, "load", [(0, bytes(range(1, 25)))], bytes(44))
    assert outcome.lds == bytes(range(1, 9)) + bytes(16) + bytes(range(9, 25)) + bytes(4)
    assert outcome.faults == ()


def test_addresses_do_not_wrap_at_57_bits():
    fields = {"tile_dim0": 4, "tensor_dim0": 4, "global_addr": 2**57 - 2}
    outcome = run(fields, "load", [(2**57 - 2, b"ab"), (0, b"cdef")], bytes(4))
    assert outcome.lds == b"ab\0\0"
    assert outcome.faults == (Fault("memory", 2**57, 2),)
    with pytest.raises(ValueError, match="2\\^57"):
        run(fields, "load", [(2**57 - 2, b"abc")], bytes(4))


def test_a_huge_tile_ends_with_the_allocation():
    fields = {f"tile_dim{d}": 65535 for d in range(5)}
    fields.update({f"tensor_dim{d}": 2**32 - 1 for d in range(5)})
    fields.update({f"tensor_dim{d}_stride": 2**48 - 1 for d in range(4)})
    fields["data_size"] = 3
    outcome = run(fields, "load", [(0, bytes(64))], bytes(327680))
    assert [fault.space for fault in outcome.faults] == ["memory", "lds"]
    assert outcome.faults[1] == Fault("lds", 327680, 8 * 65535**5 - 327680)


def test_null_copies_nothing_and_sends_no_arrival():
    fields = {"count": 0, "tile_dim0": 4, "tensor_dim0": 4, "atomic_barrier_enable": 1, "atomic_barrier_address": 1}
    outcome = run(fields, "load", [(0, b"abcd")], bytes(16))
    assert (outcome.lds, outcome.barrier, outcome.counter, outcome.faults) == (bytes(16), (), 0, ())
    active = run(dict(fields, count=1), "load", [(0, b"abcd")], bytes(16))
    assert (active.lds[:4], active.barrier) == (b"abcd", (8,))


def test_an_arrival_outside_the_allocation_is_a_fault():
    fields = {"tile_dim0": 1, "tensor_dim0": 1, "atomic_barrier_enable": 1, "atomic_barrier_address": 1}
    assert run(fields, "load", [(0, b"a")], bytes(8)).faults == (Fault("lds", 8, 8),)


def test_nop_moves_nothing():
    fields = {"tile_dim0": 0, "tile_dim1": 4, "tensor_dim0": 4, "tensor_dim1": 4}
    outcome = run(fields, "load", [(0, b"abcd")], b"\xaa" * 16)
    assert outcome.lds == b"\xaa" * 16 and outcome.faults == ()


def test_iterate_bounds_are_the_callers_choice():
    """Ten rows, three passes of four: afresh all twelve are read, counted from the start the last two are not."""
    fields = {"tile_dim0": 1, "tile_dim1": 4, "tensor_dim0": 1, "tensor_dim1": 10, "tensor_dim0_stride": 1}
    fields.update(iterate_enable=1, iterate_count=2, global_addr_increment=4, lds_addr_increment=4)
    memory = [(0, bytes(range(1, 13)))]
    assert run(fields, "load", memory, b"\xee" * 12).lds == bytes(range(1, 13))
    advanced = run(fields, "load", memory, b"\xee" * 12, iterate_bounds="advanced")
    assert advanced.lds == bytes(range(1, 11)) + bytes(2)


def test_passes_over_one_place_need_no_origin():
    """An emulator's rule places only passes that move: without a global increment overlapping rows are no obstacle."""
    fields = {"tile_dim0": 4, "tile_dim1": 2, "tensor_dim0": 4, "tensor_dim1": 2, "tensor_dim0_stride": 2}
    fields.update(iterate_enable=1, iterate_count=1, lds_addr_increment=8)
    done = run(fields, "load", [(0, b"abcdef")], b"." * 16, iterate_bounds="advanced")
    assert done.lds == b"abcdcdef" * 2
    with pytest.raises(FieldError, match="tensor_dim0_stride"):
        run(dict(fields, global_addr_increment=2), "load", [(0, b"abcdef")], b"." * 16, iterate_bounds="advanced")


def test_elements_past_the_edge_that_are_asked_for_all_the_same():
    """Two of ten columns are inside; the tile's last row ends five bytes behind the memory. The numbers are by hand."""
    fields = {"tile_dim0": 10, "tile_dim1": 2, "tensor_dim0": 2, "tensor_dim1": 2, "tensor_dim0_stride": 8}
    for memory, fault in (
        ([(64, bytes(13))], Fault("memory", 77, 5)),
        ([(64, bytes(10)), (74, bytes(3))], Fault("memory", 77, 5)),
        ([(64, bytes(8)), (72, bytes(10))], None),
        ([(64, bytes(2)), (72, bytes(2))], Fault("memory", 66, 14)),
    ):
        masked = run(dict(fields, global_addr=64), "load", memory, b"." * 20)
        touched = run(dict(fields, global_addr=64), "load", memory, b"." * 20, edge_reads="touched")
        assert masked.faults == () and touched.faults == ((fault,) if fault else ())
        assert masked.lds == touched.lds == bytes(20)
    stored = run(dict(fields, global_addr=64), "store", [(64, bytes(13))], bytes(20), edge_reads="touched")
    assert stored.faults == ()


def test_origin_of_a_linear_offset():
    assert origin_of(0, (4, 4), (1, 10)) == (0, 0)
    assert origin_of(23, (4, 4), (1, 10)) == (3, 2)
    assert origin_of(27, (4, 4), (1, 10)) == (7, 2), "between rows: past the end of the row"
    assert origin_of(5, (1, 4), (1, 2)) == (1, 2), "an axis of extent one keeps the remainder"
    assert origin_of(5, (4, 4), (1, 2)) is None, "overlapping rows"


def test_store_padding_as_one_encoder_reads_it():
    fields = {"data_size": 2, "tile_dim0": 4, "tensor_dim0": 4, "pad_enable": 1, "pad_interval": 0, "pad_amount": 0}
    lds = b"aaaabbbbGAP!ccccddddGAP!"
    assert run(fields, "store", [(0, bytes(16))], lds).memory == ((0, b"aaaabbbbGAP!cccc"),)
    applied = run(fields, "store", [(0, bytes(16))], lds, store_padding="applied")
    assert applied.memory == ((0, b"aaaabbbbccccdddd"),)


@pytest.mark.parametrize(
    "fields, field",
    [
        ({"count": 2}, "count"),
        ({"count": 3}, "count"),
        ({"is_restore": 1}, "is_restore"),
        ({"is_restore": 1, "count": 0}, "is_restore"),
        ({"type": 1}, "type"),
        ({"gather_mode": 1, "tile_dim0": 1, "tile_dim1": 17}, "tile_dim1"),
        ({"gather_mode": 1, "gather_index_size": 1, "tile_dim0": 1, "tile_dim1": 9}, "tile_dim1"),
    ],
)
def test_what_is_not_modelled_is_refused(fields, field):
    with pytest.raises(FieldError) as caught:
        run(fields, "load", [], bytes(8))
    assert caught.value.field == field and caught.value.claim


@pytest.mark.parametrize(
    "change",
    [{"op": "copy"}, {"iterate_bounds": "x"}, {"store_padding": "x"}, {"memory": [(0, b"ab"), (1, b"cd")]}],
)
def test_unknown_choices_and_overlaps_are_refused(change):
    arguments = {"fields": {}, "op": "load", "memory": [], "lds": b""}
    arguments.update(change)
    with pytest.raises(ValueError):
        run(**arguments)


def test_the_faults_of_a_run_and_the_reports_of_the_engine_agree_on_lds():
    """Every tile address outside the allocation counts, of elements in bounds or not, on loads and on stores."""
    from cdna.tdm.faults import report

    generator = random.Random(20261129)
    seen = set()
    for _ in range(400):
        rank = generator.randint(1, 4)
        fields = {"data_size": generator.randint(0, 3), "lds_addr": generator.randint(0, 40), "global_addr": 1000}
        for d in range(rank):
            fields[f"tile_dim{d}"] = generator.randint(1, 4)
            fields[f"tensor_dim{d}"] = generator.randint(0, 5)
        for d in range(rank - 1):
            fields[f"tensor_dim{d}_stride"] = generator.randint(0, 9)
        op, size, element = generator.choice(["load", "store"]), generator.choice([0, 16, 64, 96]), 1 << fields["data_size"]
        outside = [max(0, min(element, place.lds + element - size)) for place in lds_map(fields, op, size)]
        found = [fault for fault in run(fields, op, [(0, bytes(4096))], bytes(size)).faults if fault.space == "lds"]

        assert sum(fault.length for fault in found) == sum(outside), fields
        assert len(found) == report(fields, op, size).memviol, fields
        seen.add((op, len(found)))
    assert seen == {(op, count) for op in ("load", "store") for count in (0, 1)}
