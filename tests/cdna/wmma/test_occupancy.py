# SPDX-License-Identifier: Apache-2.0
"""Blocks and waves. Expected numbers are those in the remarks of clang 22.1.8 and of the runtime's formula."""

import pytest

from cdna.wmma import occupancy


@pytest.mark.parametrize(("count", "blocks", "waves"), [(1, 0, 16), (16, 0, 16), (17, 1, 16), (96, 5, 10), (97, 6, 9), (129, 8, 7), (256, 15, 4)])
def test_as_clang_remarks(count, blocks, waves):
    assert (occupancy.blocks(count), occupancy.waves(count)) == (blocks, waves)


def test_the_other_position_only_caps():
    assert occupancy.waves(1, "rocisa-ten") == 10 and occupancy.waves(129, "rocisa-ten") == 7


@pytest.mark.parametrize("count", [0, -1, 1025])
def test_out_of_range(count):
    with pytest.raises(ValueError, match="1 to 1024 VGPRs, VGPR-001"):
        occupancy.waves(count)


def test_unknown_position():
    with pytest.raises(ValueError, match="position="):
        occupancy.waves(1, "nobody")
