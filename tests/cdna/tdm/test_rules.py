# SPDX-License-Identifier: Apache-2.0
"""Every rule fires on a descriptor that breaks it, and none on descriptors that compilers write."""

import json
import pathlib
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from cdna.tdm.descriptor import decode, decode_group1, encode
from cdna.tdm.readings import other_readings
from cdna.tdm.rules import findings, findings_of, tile_bytes

ROOT = pathlib.Path(__file__).parents[3]
CASES = ROOT / "tests" / "data" / "cases"
VECTORS = json.loads((CASES / "tdm_descriptor_words.json").read_text())["descriptor_words"]

TILE = {"data_size": 1, "tensor_dim0": 64, "tensor_dim1": 32, "tile_dim0": 16, "tile_dim1": 4, "tensor_dim0_stride": 64}
GATHER = TILE | {"gather_mode": 1, "row_indices": [0, 1, 1, 9]}
PAD = TILE | {"pad_enable": 1, "pad_interval": 4, "pad_amount": 3}
TILE3 = TILE | {"tile_dim2": 2, "tensor_dim2": 2, "tensor_dim1_stride": 4096}
BARRIER = TILE | {"atomic_barrier_enable": 1}
PASSES = TILE | {"iterate_enable": 1, "iterate_count": 3, "lds_addr_increment": 64, "global_addr_increment": 256}
WIDENED = PAD | {"tile_dim0": 72, "tensor_dim0_stride": 512}  # rows of 128 bytes with their gap of 16

ERRORS = [
    ("type-not-image", "TDM-011", TILE | {"type": 0}, {}),
    ("zeroed-descriptor", "TDM-013", {"type": 0, "count": 0}, {}),
    ("count-restore", "TDM-010", TILE | {"count": 2}, {}),
    ("restore-field", "TDM-009", TILE | {"is_restore": 1}, {}),
    ("restore-field", "TDM-009", TILE | {"is_store": 1}, {}),
    ("restore-field", "TDM-009", TILE | {"nv": 1}, {}),
    ("iterate-excludes-4d5d", "TDM-005", TILE3 | {"iterate_enable": 1, "tile_dim4": 2}, {}),
    ("gather-count", "TDM-067", GATHER | {"tile_dim1": 17}, {}),
    ("gather-count", "TDM-067", GATHER | {"tile_dim1": 9, "gather_index_size": 1}, {}),
    ("pad-row-multiple", "TDM-035", PAD | {"tile_dim0": 15}, {}),
    ("mask-without-cluster", "TDM-083", TILE | {"workgroup_mask": 3}, {"cluster": 1}),
    ("mask-outside-cluster", "TDM-083", TILE | {"workgroup_mask": 0x103}, {"cluster": 4}),
]
WARNINGS = [
    ("null-no-arrive", "TDM-027", BARRIER | {"count": 0}, {}),
    ("restore-field", "TDM-009", TILE | {"scope": 2}, {}),
    ("restore-field", "TDM-009", TILE | {"th": 1}, {}),
    ("restore-field", "TDM-009", TILE | {"user_null": 1}, {}),
    ("index-size-without-gather", "TDM-060", TILE | {"gather_index_size": 1}, {}),
    ("groups-2-3-together", "TDM-052", TILE3, {"groups_given": (0, 1, 2)}),
    ("gather-null-indices", "TDM-056", GATHER, {"groups_given": (0, 1)}),
    ("iterate-null-group", "TDM-056", TILE | {"iterate_enable": 1}, {"groups_given": (0, 1)}),
    ("null-group-empties", "TDM-056", TILE3, {"groups_given": (0, 1)}),
    ("null-group-stride", "TDM-056", TILE3 | {"tile_dim3": 3, "tensor_dim3": 3}, {"groups_given": (0, 1, 2)}),
    ("nop-tile-dim0", "TDM-026", TILE | {"tile_dim0": 0}, {}),
    ("rank-hole", "TDM-028", TILE3 | {"tile_dim1": 0}, {}),
    ("tile-dim3-repeats", "TDM-061", TILE3 | {"tile_dim3": 2}, {}),
    ("gather-empty", "TDM-067", GATHER | {"tile_dim1": 0}, {}),
    ("gather-missing-indices", "TDM-067", GATHER | {"tile_dim1": 6}, {}),
    ("gather-order", "TDM-070", GATHER | {"row_indices": [9, 2, 40, 2]}, {}),
    ("scatter-repeats", "TDM-072", GATHER, {"op": "store"}),
    ("iterate-ignored", "TDM-079", GATHER | {"iterate_enable": 1}, {}),
    ("iterate-one-dimension", "TDM-080", TILE | {"iterate_enable": 1, "tile_dim1": 0}, {}),
    ("iterate-count", "TDM-077", TILE | {"iterate_enable": 1, "iterate_count": 256}, {}),
    ("iterate-padding", "TDM-078", PAD | {"iterate_enable": 1}, {}),
    ("pad-on-store", "TDM-036", PAD, {"op": "store"}),
    ("pad-on-store", "TDM-036", WIDENED | {"tensor_dim0": 65}, {"op": "store"}),
    ("stride-overlap", "TDM-008", TILE | {"tensor_dim0_stride": 15}, {}),
    ("stride-overlap", "TDM-008", TILE3 | {"tensor_dim1_stride": 4096 & 0xFFF | 128}, {}),
    ("address-overflow", "TDM-019", TILE | {"global_addr": (1 << 57) - 4}, {}),
    ("bound-negative", "TDM-047", TILE | {"tensor_dim0": (64 - 72) & 0xFFFFFFFF}, {}),
    ("pad-interval-cut", "TDM-031", PAD | {"tile_dim0": 1024, "pad_interval": 8 & 7}, {}),
    ("pad-interval-cut", "TDM-031", PAD | {"tile_dim0": 2048, "pad_interval": 9 & 7}, {}),
    ("gather-bound-is-list", "TDM-073", GATHER | {"tile_dim1": 4, "tensor_dim1": 4}, {}),
    ("iterate-count-wrapped", "TDM-077", PASSES | {"iterate_count": 0xFFFF}, {}),
    ("iterate-past-bound", "TDM-076", PASSES | {"iterate_count": 8}, {}),
    ("iterate-past-bound", "TDM-076", PASSES | {"global_addr_increment": 32}, {}),
    # Two planes of 4096 elements a pass, in a tensor of two planes.
    ("iterate-past-bound", "TDM-076", TILE3 | PASSES | {"global_addr_increment": 8192, "lds_addr_increment": 128}, {}),
    ("iterate-overwrites", "TDM-078", PASSES | {"lds_addr_increment": 63}, {}),
    ("pad-zero-codes", "TDM-033", PAD | {"pad_interval": 0, "pad_amount": 0}, {}),
    ("pad-mixed-codes", "TDM-033", PAD | {"pad_interval": 0}, {}),
    ("pad-mixed-codes", "TDM-033", PAD | {"pad_amount": 0}, {}),
    ("pad-odd-dwords", "TDM-033", PAD | {"pad_amount": 2}, {}),
    ("mask-single", "TDM-083", TILE | {"workgroup_mask": 4}, {}),
    ("lds-overflow", "LDS-001", TILE | {"lds_addr": 327680 - 127}, {}),
    # The second pass of 128 bytes ends one element past the allocation.
    ("lds-overflow", "LDS-001", PASSES | {"lds_addr": 327680 - 254, "iterate_count": 1}, {}),
    ("barrier-beyond-lds", "LDS-001", BARRIER | {"atomic_barrier_address": 327680 // 8}, {}),
    ("barrier-in-tile", "TDM-098", BARRIER | {"atomic_barrier_address": 15}, {}),
    # Passes at bytes 0, 256, 512 and 768; the cell is the first of the last one's.
    ("barrier-in-tile", "TDM-098", BARRIER | PASSES | {"lds_addr_increment": 128, "atomic_barrier_address": 96}, {}),
]
NOTES = [
    ("null-descriptor", "TDM-027", TILE | {"count": 0}, {}),
    ("empty-tensor", "TDM-043", TILE | {"tensor_dim1": 0}, {}),
    ("zero-stride", "TDM-008", TILE | {"tensor_dim0_stride": 0}, {}),
    ("gather-ignores", "TDM-069", GATHER | {"tile_dim2": 1}, {}),
    ("pad-not-enabled", "TDM-030", PAD | {"pad_enable": 0}, {}),
    ("mask-needs-cluster", "TDM-083", TILE | {"workgroup_mask": 3}, {}),
    ("mask-wide", "TDM-081", TILE | {"workgroup_mask": 0x3F}, {}),
    ("mask-on-store", "TDM-082", TILE | {"workgroup_mask": 3}, {"op": "store"}),
    ("early-timeout-alone", "TDM-084", TILE | {"early_timeout": 1}, {}),
    ("pad-on-store", "TDM-036", WIDENED, {"op": "store"}),
    ("pad-inside-row", "TDM-031", PAD | {"tile_dim0": 1024, "pad_interval": 7}, {}),
    ("gather-row-outside", "TDM-073", GATHER | {"row_indices": [0, 1, 2, 32]}, {}),
    ("barrier-not-enabled", "TDM-097", TILE | {"atomic_barrier_address": 286}, {}),
]
BROKEN = [
    (severity, *row) for severity, rows in (("error", ERRORS), ("warning", WARNINGS), ("info", NOTES)) for row in rows
]


@pytest.mark.parametrize("severity, rule, claim, fields, how", BROKEN, ids=lambda v: v if isinstance(v, str) else "")
def test_each_rule_fires(severity, rule, claim, fields, how):
    found = [item for item in findings(fields, **how) if item.rule == rule]
    assert [(item.severity, item.claim) for item in found] == [(severity, claim)] * len(found)
    assert found
    encode(fields)  # legal bits all the same


@pytest.mark.parametrize(
    "fields",
    [
        TILE,
        PAD,
        TILE3,
        GATHER,
        GATHER | {"row_indices": [9, 2, 6, 2]},  # as on hardware, by the author of one article
        PASSES,
        PASSES | {"iterate_count": 255, "tensor_dim1": 1024},
        PASSES | {"iterate_count": 7},  # 8 passes of 4 rows of 32
        TILE3 | PASSES | {"global_addr_increment": 8192, "lds_addr_increment": 128, "tensor_dim2": 8},  # 4 of 2 planes
        TILE3
        | PASSES
        | {"tensor_dim0_stride": 4096, "tensor_dim1_stride": 64}  # the same planes as rows
        | {"global_addr_increment": 16384, "lds_addr_increment": 128, "tensor_dim1": 16},
        PASSES | {"iterate_count": 0, "lds_addr_increment": 0},
        TILE3 | {"tensor_dim0_stride": 4096, "tensor_dim1_stride": 64},  # dimensions in another order
        TILE | {"tensor_dim0_stride": 8, "tensor_dim0": 8},  # a row shorter than the tile
        BARRIER | {"atomic_barrier_address": 16},
        PAD | {"atomic_barrier_enable": 1, "atomic_barrier_address": 16},  # in the gap of the first interval
        TILE | {"lds_addr": 327680 - 128},
        PASSES | {"lds_addr": 327680 - 256, "iterate_count": 1},
        BARRIER | PASSES | {"lds_addr_increment": 128, "atomic_barrier_address": 16},  # between two passes
        TILE | {"tensor_dim0_stride": 1 << 47},
    ],
)
def test_ordinary_descriptors_have_no_findings(fields):
    groups = (0, 1) if len(encode(fields)) == 12 else (0, 1, 2, 3)
    assert findings(fields, groups, "load") == []


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "descriptor_words"], ids=lambda v: v["id"])
def test_words_of_other_programs_raise_no_false_alarm(vector):
    words = encode(vector["fields_in_D_order_encoded"])
    found = findings_of(decode(words), "load")
    assert [item for item in found if item.severity == "error"] == []
    if vector["id"].startswith(("triton", "hip_2d", "mlir")):
        assert found == []


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "group1_words"], ids=lambda v: v["id"])
def test_a_group_alone_says_what_it_does_not_know(vector):
    descriptor = decode_group1([int(word, 16) for word in vector["words"]["group1"]])
    assert [(item.rule, item.severity) for item in findings_of(descriptor)] == [("partial-descriptor", "info")]


def test_reserved_bits_are_errors_that_name_the_bits():
    found = findings_of(decode([1, 0, 0, 2 << 30 | 1 << 25] + [int(x, 16) for x in ["10000"] + ["0"] * 7]))
    assert [(item.rule, item.severity) for item in found if item.rule == "reserved-bits"] == [
        ("reserved-bits", "error")
    ]
    assert "bits 125:121 hold 0x1" in found[0].message and "57 bits" in found[0].message


def test_odd_dword_pad_is_flagged(problem):
    asked = problem("TP-03")["input"]
    fields = PAD | {"tile_dim0": 128, "pad_interval": 5, "pad_amount": asked["pad_bytes"] // 4 - 1}
    assert 8 << fields["pad_interval"] == asked["interval_bytes"]
    assert {item.rule for item in findings(fields)} == {"pad-mixed-codes", "pad-odd-dwords"}
    for pad_bytes in (8, 16):  # called safe by the report
        assert findings(fields | {"pad_amount": pad_bytes // 4 - 1}) == []


def test_extent_zero_is_empty(problem):
    asked = problem("TO-04")["input"]
    fields = {"data_size": 1, "tile_dim0": asked["tile"][0], "tile_dim1": asked["tile"][1], "tensor_dim0_stride": 16}
    fields.update(tensor_dim0=asked["tensor_dim0"], tensor_dim1=asked["tensor_dim1"])
    assert [(item.rule, item.field) for item in findings(fields)] == [("empty-tensor", "tensor_dim1")]
    assert tile_bytes(fields) == 128


def test_tile_bytes():
    assert tile_bytes(TILE) == 128
    assert tile_bytes(TILE3) == 256
    assert tile_bytes(GATHER | {"tile_dim1": 99}) == 16 * 32
    assert tile_bytes(TILE3 | {"tile_dim1": 0}) == 64
    assert tile_bytes({}) == 0


def test_claims_are_in_the_register():
    listed = {
        claim["id"]
        for path in (ROOT / "evidence" / "claims").glob("*.yml")
        for claim in yaml.safe_load(path.read_text())
    }
    assert {row[2] for row in BROKEN} <= listed


def test_a_known_cluster_ends_the_doubt():
    """With the cluster known, a mask inside it needs no remark, and none is made up."""
    assert findings(TILE | {"workgroup_mask": 3}, cluster=2) == []
    assert [item.rule for item in findings(TILE | {"workgroup_mask": 3}, cluster=0)] == ["mask-without-cluster"]
    assert findings(TILE, cluster=1) == []


def test_errors_come_first():
    found = findings(PAD | {"type": 1, "pad_amount": 0, "tile_dim0": 15, "tensor_dim1": 0})
    order = [("error", "warning", "info").index(item.severity) for item in found]
    assert order == sorted(order) and set(order) == {0, 1, 2}


@given(st.lists(st.integers(0, 0xFFFFFFFF), min_size=20, max_size=20), st.sampled_from([4, 12, 16, 20]), st.booleans())
def test_any_words_can_be_judged(words, length, store):
    descriptor = decode(words[:length])
    for item in findings_of(descriptor, "store" if store else None):
        assert re.fullmatch("[a-z0-9-]+", item.rule)
        assert item.severity in ("error", "warning", "info")
        assert re.fullmatch("(TDM|LDS)-[0-9]{3}", item.claim)
        assert item.severity == "info" or " Fix: " in item.message
    other_readings(descriptor)


READINGS = [
    ([0x40000001], ("TDM-060", "mode-in-bit-30"), {"mode": "gather16", "rank": 2}),
    ([0x80000001], ("TDM-060", "mode-in-bit-30"), {"mode": "dense", "rank": 0}),
    (encode(PAD | {"pad_amount": 0}), ("TDM-033", "both-or-neither"), {"pad": "unpredictable"}),
    (encode(PAD | {"pad_interval": 0, "pad_amount": 0}), ("TDM-033", "zero-pair-refused"), {"pad": "reject"}),
    (encode(TILE3)[:16], ("TDM-052", "mixed-executes"), {"missing_group_reads": "zero"}),
    (encode(TILE3 | {"tile_dim3": 2}), ("TDM-061", "third-extent"), {"rank": 3, "tile": [16, 4, 2]}),
]


@pytest.mark.parametrize("words, name, expected", READINGS)
def test_other_positions_answers(words, name, expected):
    words = tuple(words)
    if len(words) == 1:
        words += (0, 0, 2 << 30) + (0,) * 8
    found = {(item.claim, item.position): item.result for item in other_readings(decode(words))}
    assert {key: found[name][key] for key in expected} == expected


def test_a_32_bit_gather_is_the_same_under_both_orders():
    claims = [item.claim for item in other_readings(decode(encode(GATHER | {"gather_index_size": 1})))]
    assert "TDM-060" not in claims


def test_positions_are_those_of_the_register():
    listed = set()
    for path in sorted((ROOT / "evidence" / "claims").glob("*.yml")):
        for claim in yaml.safe_load(path.read_text()):
            listed |= {(claim["id"], position["name"]) for position in claim.get("positions", ())}
    used = set()
    for words in [encode(TILE), encode(TILE | {"count": 0})] + [row[0] for row in READINGS if len(row[0]) > 1]:
        used |= {(item.claim, item.position) for item in other_readings(decode(words))}
    assert used and used | {row[1] for row in READINGS} <= listed
