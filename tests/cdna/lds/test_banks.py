# SPDX-License-Identifier: Apache-2.0
"""Banks: the four column-0 reads of the article ART-A (figure 6), packed and with one DWORD of padding."""

import pytest

from cdna.lds.banks import bank_of, banks_of_column, banks_touched, column_addresses, conflict_degree
from cdna.lds.barrier import arrive
from cdna.targets import GFX1250, TARGETS, claim_of, target_named


def test_bank_is_the_dword_modulo_the_banks():
    assert [bank_of(byte, 64) for byte in (0, 3, 4, 255, 256)] == [0, 0, 1, 63, 0]
    assert bank_of(128, 32) == 0 and bank_of(128, 64) == 32


def test_column_zero_packed_and_padded():
    assert banks_of_column(4, 256, 64) == (0, 0, 0, 0)
    assert banks_of_column(4, 256, 64, interval_bytes=256, amount_bytes=4) == (0, 1, 2, 3)
    packed = column_addresses(4, 256)
    padded = column_addresses(4, 256, interval_bytes=256, amount_bytes=4)
    assert packed == (0, 256, 512, 768) and padded == (0, 260, 520, 780)
    assert conflict_degree(packed, 64) == 4 and conflict_degree(padded, 64) == 1


def test_one_address_is_counted_once():
    assert conflict_degree([0, 1, 3, 0], 64) == 1
    assert conflict_degree([], 64) == 0


def test_a_wide_access_touches_neighbours():
    assert banks_touched(252, 16, 64) == (63, 0, 1, 2)
    assert banks_touched(2, 4, 64) == (0, 1)


@pytest.mark.parametrize(
    "width, before, after",
    [
        (16, 0, 0x00000000FFFF0000),  # one emulator's test (cases rj_barrier, rj_rank3_null_g2)
        (29, 0, 0x00000000E0000000),  # the same in the layout that compilers assume: phase in bits 29 to 31
        (16, 0x0000000300020001, 0x0000000300020000),  # public problem TC-03: pending 1, phase 2, initial 3
        (16, 0x0000000300020000, 0x0000000300010003),
    ],
)
def test_arrival_by_layout(width, before, after):
    assert arrive(before, width) == after


@pytest.mark.parametrize("width", [0, 32])
def test_no_room_for_a_phase(width):
    with pytest.raises(ValueError, match="1..31"):
        arrive(0, width)


def test_targets_name_a_claim_for_every_number():
    for target in TARGETS:
        numbers = {name for name in target._fields if isinstance(getattr(target, name), int)}
        assert {name for name, claim in target.claims} == numbers
        assert None not in dict(target.claims).values()
        assert target_named(target.name) is target
    assert claim_of(GFX1250, "lds_banks") == "LDS-002" and claim_of(GFX1250, "name") is None
    with pytest.raises(ValueError, match="gfx1250"):
        target_named("gfx1200")
