# SPDX-License-Identifier: Apache-2.0
"""The barrier cell under every layout, against an emulator's test, compilers' bit and public problems."""

import json
import pathlib

import pytest

from cdna.tdm.barrier import (
    LAYOUTS,
    address_of,
    arrivals,
    arrive,
    field_of,
    layout_named,
    make,
    pack,
    phase_bit,
    seen_phases,
    side_by_side,
    unpack,
)

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases"
COUNTED = [layout for layout in LAYOUTS if layout.width < 32]


def test_problem_tc03_cell_as_the_emulator_reads_it(problem):
    case = problem("TC-03")
    cell = int(case["input"]["cell"], 16)
    told = case["right_outcome"]
    assert unpack(cell, layout_named("emulator-16")) == (told["pending"], told["phase"], told["init"], 0)
    others = {tuple(read) for layout, read in side_by_side(cell) if layout.name != "emulator-16"}
    assert (told["pending"], told["phase"], told["init"], 0) not in others, "a position, not the answer"


def test_emulator_test_of_one_arrival():
    """rocJITsu's test: a cell of zeros becomes 0x00000000ffff0000."""
    contents = json.loads((CASES / "tdm_lds_contents.json").read_text())["lds_contents"]
    note = next(item for item in contents if item["id"] == "rj_barrier")["note"]
    assert "0x00000000ffff0000" in note
    assert arrive(0, layout_named("emulator-16")) == (0x00000000FFFF0000, True)


def test_bit_29_is_the_parity_of_the_compilers_layout():
    """Triton 3.9.0 tests a cell with 0x20000000."""
    layout = layout_named("compiler-29")
    assert 1 << phase_bit(layout) == 0x20000000
    assert seen_phases(make(4, layout), layout, 29, 4) == [True] * 4


@pytest.mark.parametrize("layout", COUNTED, ids=[layout.name for layout in COUNTED])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_phase_ends_with_the_last_of_its_arrivals(layout, count):
    steps = arrivals(make(count, layout), layout, 3 * count)
    assert [woken for _, woken in steps] == ([False] * (count - 1) + [True]) * 3
    phases = [unpack(cell, layout).phase for cell, woken in steps if woken]
    size = 1 << 32 - layout.width
    assert phases == [(size - 1) % size, (size - 2) % size, (size - 3) % size]
    assert all(unpack(cell, layout).reload == count - 1 for cell, _ in steps)


def test_a_waiter_on_another_layouts_bit_sleeps_on():
    """The kernels of TC-03 never saw the phase change."""
    emulator = layout_named("emulator-16")
    assert seen_phases(make(1, emulator), emulator, 29, 4) == [True, False, False, False]
    assert seen_phases(make(1, emulator), emulator, 16, 4) == [True] * 4


def test_upper_bits_survive_an_arrival():
    layout = layout_named("manual-29")
    cell = 0xABCD << 48 | pack(0, 3, 7, layout)
    after, woken = arrive(cell, layout)
    assert woken and after >> 48 == 0xABCD and unpack(after, layout)[:3] == (7, 2, 7)


def test_width_32_is_read_and_not_counted():
    layout = layout_named("manual-32")
    assert phase_bit(layout) is None
    assert unpack(0x0001_0000_0005, layout).pending == 5
    with pytest.raises(ValueError, match="two rules are given"):
        arrive(5, layout)


@pytest.mark.parametrize("layout", LAYOUTS, ids=[layout.name for layout in LAYOUTS])
def test_pack_and_unpack(layout):
    fields = (3, 0 if layout.width == 32 else (1 << 32 - layout.width) - 1, 9)
    assert unpack(pack(*fields, layout), layout)[:3] == fields
    with pytest.raises(ValueError, match="TDM-099"):
        pack(0, 1 << 32 - layout.width, 0, layout)


def test_address_field():
    """MLIR wrote 0x403 for cell 3 of an array at byte 8192; Triton 286 for byte 2288."""
    assert field_of(8192 + 3 * 8) == 0x403
    assert field_of(2288) == 286
    assert address_of(0xFFFF) == 512 * 1024 - 8
    for address in (4, 512 * 1024, -8):
        with pytest.raises(ValueError, match="multiple of 8"):
            field_of(address)
    with pytest.raises(ValueError, match="0..65535"):
        address_of(65536)


def test_layout_names_are_told():
    with pytest.raises(ValueError, match="emulator-16, compiler-29"):
        layout_named("hopper")
