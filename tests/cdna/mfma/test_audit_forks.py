# SPDX-License-Identifier: Apache-2.0
"""Ways that meet: the audit takes the shortest, and says where LLVM 22.1.8 may see a longer one alone (MFMA-077)."""

import pytest

from cdna.mfma.audit import audit

PRODUCT = "v_mfma_f32_16x16x16_f16 v[64:67], v[0:1], v[8:9], v[96:99]"
READ = "v_add_f32 v250, v64, v251"
MOVE = "v_mov_b32 v254, 0"
PROGRAMS = {
    "skipped part": (True, [PRODUCT, "s_cbranch_scc1 on", *[MOVE] * 4, "on:", READ]),
    "inner fork, then straight on": (
        True,
        [PRODUCT, "s_cbranch_scc1 a", "s_branch b", "a:", MOVE, "b:", "s_cbranch_scc0 out", READ, "out:"],
    ),
    "read on one side, before the ways meet": (
        False,
        [PRODUCT, "s_cbranch_scc1 a", READ, "s_branch b", "a:", MOVE, "b:", MOVE],
    ),
    "read at the head of a loop, product at its end": (False, ["a:", READ, MOVE, PRODUCT, "s_cbranch_scc1 a"]),
    "read in a loop behind the product": (True, [PRODUCT, "a:", READ, "s_cbranch_scc1 a"]),
    "loop with a fork in front of its end": (
        True,
        ["a:", READ, PRODUCT, "s_cbranch_scc1 b", *[MOVE] * 4, "b:", "s_cbranch_scc0 a"],
    ),
    "fork in front of the product": (
        False,
        ["s_cbranch_scc1 a", MOVE, "a:", PRODUCT, "s_branch b", "b:", READ],
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_message_says_where_ways_meet(name):
    meet, lines = PROGRAMS[name]
    found = [
        item for item in audit("\n".join([*lines, "s_endpgm"]), "gfx942").findings if item["rule"] == "result-read"
    ]
    assert len(found) == 1 and found[0]["severity"] == "error"
    assert ("MFMA-077" in found[0]["message"]) == meet
