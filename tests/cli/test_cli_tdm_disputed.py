# SPDX-License-Identifier: Apache-2.0
"""Every position that the command line names in `disputed` is one of the register's, and is no one's reading."""

import io
import json
import sys

import pytest

from cdna_evidence.cli import main
from cdna_evidence.register import load

GATHER = {"gather_mode": 1, "tile_dim0": 4, "tensor_dim0": 4, "tensor_dim1": 8, "tensor_dim0_stride": 4}
CASES = {
    "count zero": ({"count": 0, "tile_dim0": 4, "tensor_dim0": 4}, {("TDM-010", "must-be-zero")}),
    "zero pad codes": ({"tile_dim0": 4, "tensor_dim0": 4, "pad_enable": 1}, {("TDM-033", "zero-pair-refused")}),
    "one zero pad code": ({"tile_dim0": 4, "tensor_dim0": 4, "pad_enable": 1, "pad_amount": 3}, {("TDM-033", "both-or-neither")}),
    "a later pass past the bound": (
        {"tile_dim0": 4, "tile_dim1": 4, "tensor_dim0": 4, "tensor_dim1": 6, "tensor_dim0_stride": 4, "iterate_enable": 1}
        | {"iterate_count": 1, "global_addr_increment": 16, "lds_addr_increment": 16},
        {("TDM-128", "advanced")},
    ),
    "a list that repeats": (GATHER | {"tile_dim1": 2, "row_indices": [3, 3]}, {("TDM-129", "strictly-increasing")}),
    "a list that goes down past the bound": (
        GATHER | {"tile_dim1": 2, "row_indices": [9, 3]},
        {("TDM-129", "strictly-increasing"), ("TDM-129", "non-decreasing-for-bounds")},
    ),
    "a list that rises": (GATHER | {"tile_dim1": 2, "row_indices": [3, 4]}, set()),
    "a row at the end of the memory": (
        {"tile_dim0": 8, "tensor_dim0": 4, "global_addr": 508},
        {("TDM-151", "data-only")},
    ),
    "a barrier": (
        {"tile_dim0": 4, "tensor_dim0": 4, "atomic_barrier_enable": 1, "atomic_barrier_address": 4},
        {("TDM-099", "emulator-16"), ("TDM-099", "compiler-29")},
    ),
}


def ran(fields, monkeypatch, capsys):
    words = {"fields": fields, "op": "load", "memory": [{"addr": 0, "hex": "5a" * 512}], "lds": {"size": 256}}
    words["read"] = [{"space": "lds", "addr": 0, "length": 256}]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(words).encode())))
    assert main(["tdm", "run", "-", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["disputed"]


@pytest.mark.parametrize("name", CASES)
def test_other_positions_are_named_as_in_the_register(name, monkeypatch, capsys):
    fields, expected = CASES[name]
    register = load()
    found = {(item["claim"], item["position"]) for item in ran(fields, monkeypatch, capsys)}

    assert expected <= found
    for claim, position in found:
        assert position in register.claims[claim].position_names()
        assert position != register.claims[claim].reading_name()
    if name == "a list that rises":
        assert not any(claim == "TDM-129" for claim, _ in found)
