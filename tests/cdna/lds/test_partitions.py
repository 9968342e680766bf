# SPDX-License-Identifier: Apache-2.0
"""Partitions of the LDS of gfx1250: the cases of AMD's article on MI450."""

import pytest

from cdna.lds.partitions import cycles, pair_of, partition_of


def test_five_partitions_of_64_kib():
    assert [partition_of(byte) for byte in (0, 65535, 65536, 131072, 262144, 327679)] == [0, 0, 1, 2, 4, 4]
    with pytest.raises(ValueError, match="byte=327680"):
        partition_of(327680)


def test_even_waves_are_one_pair():
    """Wave N runs on SIMD N mod 4; SIMDs 0 and 2 are one pair, 1 and 3 the other."""
    assert [pair_of(wave) for wave in range(6)] == [0, 1, 0, 1, 0, 1]


def test_the_microbenchmark_of_the_article():
    """Four waves, a row each: in one partition half the bandwidth; rows in turn in two partitions, all of it."""
    plain = [(wave, wave * 16384) for wave in range(4)]
    apart = [(wave, wave % 2 * 65536 + wave // 2 * 16384) for wave in range(4)]
    assert (cycles(plain), cycles(apart)) == (4, 2)


def test_the_standard_layout_meets_on_one_operand():
    """Waves 0 and 1 read the same rows of A: they meet whatever the partition. Waves 0 and 2 are of one pair."""
    assert cycles([(0, 0), (1, 0)]) == 2 and cycles([(0, 0), (2, 65536)]) == 2 and cycles([]) == 0
