# SPDX-License-Identifier: Apache-2.0
"""Steppings by the driver's word; the words and names are those of the unit tests of LLVM's offload-arch."""

import pytest

from cdna.steppings import asic_revision, reported_name
from cdna.targets import NEIGHBOURS, STEPPINGS, TARGETS

A0, LATER = 0xF837A280, 0xF877A280


@pytest.mark.parametrize(
    "capability, setting, name",
    [(A0, "0", "gfx1250-strict"), (A0, "1", "gfx1250"), (A0, None, "gfx1250"), (LATER, "0", "gfx1250")],
)
def test_names_as_offload_arch_prints_them(capability, setting, name):
    assert reported_name(asic_revision(capability), setting) == name


@pytest.mark.parametrize("setting, name", [(None, "gfx1250-strict"), ("0", "gfx1250-strict"), ("1", "gfx1250"), ("yes", "gfx1250-strict")])
def test_names_where_the_strict_one_is_on_by_default(setting, name):
    assert reported_name(0, setting, "on-by-default") == name
    assert reported_name(1, setting, "on-by-default") == "gfx1250"


def test_only_a_zero_switches_on_what_is_off_by_default():
    assert {reported_name(0, text) for text in (None, "1", "", "no", "00")} == {"gfx1250"}


def test_the_revision_is_a_field_of_four_bits():
    assert [asic_revision(value << 22) for value in range(16)] == list(range(16))
    assert asic_revision(0xFFFFFFFF) == 15 and asic_revision(~(15 << 22) & 0xFFFFFFFF) == 0


def test_an_unknown_default_is_refused():
    with pytest.raises(KeyError):
        reported_name(0, None, "sometimes")


def test_neighbours_and_steppings_stand_beside_targets():
    known = {target.name for target in TARGETS}
    for name, beside in NEIGHBOURS:
        assert name not in known and beside in known
    for name, of, _ in STEPPINGS:
        assert name not in known and of in known
