# SPDX-License-Identifier: Apache-2.0
"""How lists of rows split into instructions and over waves, as two public problems ask."""

import pytest

from cdna.tdm.copy import wave_share
from cdna.tdm.descriptor import decode, encode
from cdna.tdm.gather import batches, slots


def test_the_index_width_decides_how_many_instructions(problem):
    case = problem("TG-01")
    rows, right = list(range(case["input"]["rows"])), case["right_outcome"]
    for bits in case["input"]["index_bits"]:
        assert slots(bits) == right["rows_per_instruction"][str(bits)]
        assert len(batches(rows, bits)) == right[f"instructions_{bits}bit"]
    limit = right["limit_16bit_index"]
    assert batches([limit])[0].index_bits == 16
    assert batches([limit + 1])[0].index_bits == 32
    with pytest.raises(ValueError, match="65536: 0..65535 with 16 bits"):
        batches([limit + 1], 16)


def test_rows_are_spread_over_the_waves(problem):
    case = problem("TG-02")
    given, right = case["input"], case["right_outcome"]
    rows = list(range(given["rows"]))
    share, active = wave_share(len(rows), given["warps"])
    assert active == given["warps"]
    each = [batches(rows[w * share : (w + 1) * share], given["index_bits"]) for w in range(active)]
    assert [len(part) for part in each] == [right["instructions_per_warp"]] * given["warps"]
    assert sorted(row for part in each for batch in part for row in batch.rows) == rows
    assert len(batches(rows, given["index_bits"])) == right["replicated_layout_instructions_on_one_warp"]


@pytest.mark.parametrize("bits", [16, 32])
def test_every_batch_is_a_descriptor(bits):
    for batch in batches(list(range(37)), bits):
        fields = {"gather_mode": 1, "gather_index_size": bits // 32, "tile_dim0": 8, "tile_dim1": len(batch.rows)}
        decoded = decode(encode({**fields, "tensor_dim0": 8, "tensor_dim1": 64, "row_indices": list(batch.rows)}))
        assert decoded.fields["row_indices"] == list(batch.rows)
