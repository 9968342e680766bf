# SPDX-License-Identifier: Apache-2.0
"""Allocation: public problems LC-02, LC-05 and LC-07, and the numbers of the audit and of LLVM's feature file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.lds.allocation import POSITIONS, allocate, granules, round_up, smallest_limit
from cdna.lds.geometry import geometry, split

TARGETS = ("gfx942", "gfx950", "gfx1250")


@pytest.mark.parametrize(
    "target, capacity, banks, depth, unit",
    [("gfx942", 65536, 32, 512, "CU"), ("gfx950", 163840, 64, 640, "CU"), ("gfx1250", 327680, 64, 1280, "WGP")],
)
def test_geometry_of_the_audit_and_the_article(target, capacity, banks, depth, unit):
    place = geometry(target)
    assert (place.capacity.value, place.banks.value, place.dwords_per_bank, place.unit) == (
        capacity,
        banks,
        depth,
        unit,
    )
    assert place.capacity.basis and place.banks.basis and place.bank_bytes == 4


@pytest.mark.parametrize(
    "target, accounted, encoded", [("gfx942", 512, 512), ("gfx950", 1280, 2048), ("gfx1250", 2048, 2048)]
)
def test_granules_name_their_basis(target, accounted, encoded):
    assert [(item.position, item.bytes) for item in granules(target)] == [
        ("accounted", accounted),
        ("encoded", encoded),
    ]
    assert all(len(item.basis) > 20 for item in granules(target))


def test_problem_lc_07():
    done = allocate("gfx942", 32769)
    assert (done.allocated, done.per_unit, done.fits) == (33280, 1, True)


@pytest.mark.parametrize("target, fits", [("gfx942", False), ("gfx950", True), ("gfx1250", True)])
def test_problem_lc_02(target, fits):
    assert allocate(target, 100000).fits is fits


def test_problem_lc_05():
    stage = (256 * 64 + 256 * 64) * 2
    assert allocate("gfx950", 2 * stage).fits and not allocate("gfx950", 3 * stage).fits


def test_nothing_asked_is_no_limit():
    assert allocate("gfx950", 0)[2:] == (0, 163840, True, None, "CU")


@given(st.sampled_from(TARGETS), st.sampled_from(POSITIONS), st.integers(1, 400000))
def test_what_is_allocated_is_the_next_multiple(target, position, requested):
    done = allocate(target, requested, position)
    assert done.allocated % done.granule == 0 and 0 <= done.allocated - requested < done.granule
    assert done.fits == (requested <= geometry(target).capacity.value)
    assert done.per_unit * done.allocated <= done.limit < (done.per_unit + 1) * done.allocated


def test_wrong_input_is_named():
    assert round_up(1, 512) == 512 and smallest_limit() == 65536
    with pytest.raises(ValueError, match="gfx942, gfx950, gfx1250"):
        allocate("gfx1100", 1)
    with pytest.raises(ValueError, match="requested=-1"):
        allocate("gfx942", -1)
    with pytest.raises(ValueError, match="accounted, encoded"):
        allocate("gfx942", 1, "guessed")


def test_wide_accesses_are_split():
    assert split(32) == (("ds_read_b128", 0), ("ds_read_b128", 16))
    assert split(20, "ds_load") == (("ds_load_b128", 0), ("ds_load_b32", 16))
    with pytest.raises(ValueError, match="multiple of 4"):
        split(6)
