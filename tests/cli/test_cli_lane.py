# SPDX-License-Identifier: Apache-2.0
"""`cdna lane` as other programs script it: public cases, and input that is wrong on purpose."""

import contextlib
import io
import json
import pathlib

import pytest

from cdna_evidence.cli import main

CASES = {
    case["id"]: case
    for case in json.loads(
        (pathlib.Path(__file__).parents[1] / "data" / "cases" / "public_problems.json").read_text()
    )["cases"]
}


def call(*arguments):
    """Run `cdna lane ...` in this process; return (exit status, output, message)."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["lane", *arguments])
    return status, out.getvalue(), err.getvalue()


def asked(*arguments, status=0):
    """Return the JSON document of a call that must end so."""
    found, out, err = call(*arguments, "--json")
    assert (found, err) == (status, "")
    return json.loads(out)


def entry(document, lane):
    return next(item for item in document["result"]["entries"] if item["lane"] == lane)


def rules(document):
    return [(item["rule"], item["severity"], item["claim"]) for item in document["findings"]]


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_case_shift_wraps(target):
    case = CASES["PM-01"]
    lane = case["input"]["lane"]
    document = asked("bpermute", "--target", target, "--index", f"4*(lane+{case['input']['offset']})")
    assert list(document) == ["schema", "command", "target", "result", "findings", "disputed"]
    found = entry(document, lane)
    assert found["byte_index"] == case["right_outcome"]["byte_index"]
    assert found["reads_lane"] == case["right_outcome"]["reads_lane"]
    assert rules(document) == [("index-wraps", "warning", "LANE-051")]
    assert entry(document, 0) == {"lane": 0, "byte_index": 4, "reads_lane": 1, "value": 1}
    # What other platforms do must be asked for.
    clamped = asked("bpermute", "--target", target, "--index", "4*(lane+1-((lane+1)//64))", "--lane", str(lane))
    assert clamped["result"]["values"][lane] == int(case["right_outcome"]["clamped_semantics"].split()[1])


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_case_five_bit_index(target):
    case = CASES["PM-02"]
    lane, right = case["input"]["target_lane"], case["right_outcome"]
    found = entry(asked("bpermute", "--target", target, "--index", f"4*{lane}"), 50)
    assert (found["byte_index"], found["reads_lane"]) == (right["byte_index"], lane)
    wrong = entry(asked("bpermute", "--target", target, "--index", f"4*({lane}&31)"), 50)
    assert (wrong["byte_index"], wrong["reads_lane"]) == (right["wrong_masked_index"], right["wrong_lane"])


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize("lanes", ["0..39", "0-39", "0-9,10-39", "39,0-38", CASES["PM-03"]["right_outcome"]["mask"]])
def test_case_ballot(target, lanes):
    right = CASES["PM-03"]["right_outcome"]
    document = asked("ballot", "--target", target, "--active", lanes)
    assert document["result"] == {"mask": right["mask"], "count": right["count"], "low_32_bits_count": right["wrong"]}
    assert rules(document) == [("mask-of-64-bits", "info", "LANE-054")]


@pytest.mark.parametrize("target, lane, claim", [("gfx942", 40, None), ("gfx1250", 8, "LANE-058")])
def test_an_index_of_a_long_wave_names_another_lane_of_a_short_one(target, lane, claim):
    """ROCm/legacy-rocm-build#6025: code for 64 lanes on a wave of 32; the guide counts bits 6 to 2 of an index there."""
    document = asked("bpermute", "--target", target, "--index", "160", "--lane", "0")
    assert entry(document, 0)["reads_lane"] == entry(document, 0)["value"] == lane
    assert {item["claim"] for item in document["findings"]} == ({claim} if claim else set())


def test_ballot_of_a_small_wave():
    assert asked("ballot", "--target", "gfx1250")["result"]["mask"] == "0xffffffff"


def test_a_clamped_shift_keeps_the_last_lane():
    """Genesis-Embodied-AI/quadrants#510: other platforms give the last lane its own value; the index must be clamped for that."""
    document = asked("bpermute", "--target", "gfx942", "--index", "4*min(lane+1,63)")
    assert document["result"]["values"] == [*range(1, 64), 63] and document["findings"] == []


def test_push_and_pull_directions():
    pushed = asked("permute", "--target", "gfx942", "--index", "4*((lane+1)%64)")["result"]
    pulled = asked("bpermute", "--target", "gfx942", "--index", "4*((lane+1)%64)")["result"]
    assert pushed["values"] == [63] + list(range(63)) and pulled["values"] == list(range(1, 64)) + [0]
    assert entry({"result": pushed}, 5) == {
        "lane": 5,
        "byte_index": 24,
        "writes_lane": 6,
        "from_lane": 4,
        "value": 4,
    }


def test_offset_is_added():
    document = asked("bpermute", "--target", "gfx950", "--index", "4*(lane%32)", "--offset", "8", "--lane", "0")
    assert entry(document, 0)["reads_lane"] == 2


def test_several_writers_are_an_error():
    document = asked("permute", "--target", "gfx950", "--index", "4*(lane//2)", status=1)
    assert rules(document)[0] == ("several-writers", "error", "LANE-052")
    assert len(document["findings"]) == 3 and "more lanes" in document["findings"][-1]["message"]
    assert document["result"]["values"][0] == 1 and document["result"]["values"][63] == 0


def test_inactive_lanes():
    document = asked("bpermute", "--target", "gfx950", "--index", "4*((lane+1)%64)", "--active", "0-9")
    assert document["result"]["values"][8] == 9 and document["result"]["values"][9] == 0
    assert document["result"]["values"][10] is None
    assert [item["lane"] for item in document["result"]["entries"]] == list(range(10))
    assert [rule for rule, _, _ in rules(document)] == ["inactive-lane", "inactive-source"]


def test_strict_refuses():
    for more in (["--active", "0-9"], ["--offset", "4"]):
        status, _, err = call("bpermute", "--target", "gfx950", "--index", "4*lane", "--strict", *more)
        assert status == 2 and "LANE-004" in err


def test_values_may_be_an_expression():
    document = asked("bpermute", "--target", "gfx942", "--index", "4*(lane^1)", "--value", "-lane*3")
    assert document["result"]["values"][:4] == [-3, 0, -9, -6]


def test_dpp():
    found = asked("dpp", "--target", "gfx950", "--control", "row_shl:1", "--old", "-1")["result"]
    assert found["values"][:16] == list(range(1, 16)) + [-1]
    assert entry({"result": found}, 15)["reads_lane"] is None
    quad = asked("dpp", "--target", "gfx1250", "--control", "quad_perm:[3,2,1,0]")["result"]
    assert quad["lanes"] == 32 and quad["values"][:4] == [3, 2, 1, 0]
    assert asked("dpp", "--target", "gfx1250", "--control", "row_xmask:1")["result"]["values"][:4] == [1, 0, 3, 2]


def test_dpp_masks():
    """The steps of the reduction in triton-lang/triton#5019: rows 1 and 3 take lane 15 of the row before, then the upper half lane 31."""
    words = ("dpp", "--target", "gfx942", "--old", "-1", "--control")
    step = asked(*words, "row_bcast:15", "--row-mask", "0xa")["result"]["values"]
    assert step == [-1] * 16 + [15] * 16 + [-1] * 16 + [47] * 16
    assert asked(*words, "row_bcast:31", "--row-mask", "0xc")["result"]["values"] == [-1] * 32 + [31] * 32
    fours = asked(*words, "quad_perm:[0,0,0,0]", "--bank-mask", "0x2")["result"]["values"]
    assert fours[:16] == [-1] * 4 + [4] * 4 + [-1] * 8
    kept = asked(*words, "row_shl:1", "--row-mask", "0xe", "--bound-zero")["result"]["values"]
    assert (kept[15], kept[31]) == (-1, 0)


def test_swizzle_and_swap():
    assert asked("swizzle", "--target", "gfx942", "--pattern", "0x401f")["result"]["values"][:2] == [16, 17]
    swapped = asked("swap", "--target", "gfx950", "--rows", "32", "--value", "lane", "--second", "100+lane")["result"]
    assert swapped["first"] == [*range(32), *range(100, 132)] and swapped["second"] == [*range(32, 64), *range(132, 164)]


@pytest.mark.parametrize("rows", [16, 32])
def test_a_swap_of_one_value_with_itself_needs_both_results(rows):
    """llvm/llvm-project#157586: an exchange by xor took the first result for every lane, which is right for half of them."""
    words = ("swap", "--target", "gfx950", "--rows", str(rows), "--value", "lane", "--second", "lane")
    found = asked(*words)["result"]
    pairs = list(zip(found["first"], found["second"], strict=True))
    assert [pairs[lane][0 if lane & rows else 1] for lane in range(64)] == [lane ^ rows for lane in range(64)]
    assert [pairs[lane][1 if lane & rows else 0] for lane in range(64)] == list(range(64))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "say which"),
        (("permute", "--target", "gfx942"), "--index"),
        (("permute", "--index", "lane"), "--target"),
        (("permute", "--target", "mi300", "--index", "lane"), "gfx942, gfx950, gfx1250"),
        (("permute", "--target", "gfx942", "--index", "__import__('os')"), "--index"),
        (("permute", "--target", "gfx942", "--index", "thread"), "thread"),
        (("permute", "--target", "gfx942", "--index", "lane//0"), "zero"),
        (("permute", "--target", "gfx942", "--index", "1<<99"), "--index"),
        (("permute", "--target", "gfx942", "--index", "4*lane", "--offset", "70000"), "0..65535"),
        (("permute", "--target", "gfx942", "--index", "4*lane", "--active", "60-70"), "0..63"),
        (("permute", "--target", "gfx942", "--index", "4*lane", "--active", "most"), "lane numbers"),
        (("ballot", "--target", "gfx1250", "--active", "0x100000000"), "32 bits"),
        (("permute", "--target", "gfx942", "--index", "4*lane", "--lane", "64"), "0..63"),
        (("dpp", "--target", "gfx942", "--control", "dpp8:[0,1,2,3,4,5,6,7]"), "not on gfx942"),
        (("dpp", "--target", "gfx1250", "--control", "row_bcast:15"), "not on gfx1250"),
        (("dpp", "--target", "gfx950", "--control", "row_shl:0"), "1..15"),
        (("dpp", "--target", "gfx950", "--control", "row_shl"), "1..15"),
        (("dpp", "--target", "gfx950", "--control", "row_shl:1", "--row-mask", "16"), "row_mask=16: 0..15"),
        (("dpp", "--target", "gfx1250", "--control", "dpp8:[0,1,2,3,4,5,6,7]", "--bank-mask", "1"), "no masks"),
        (("dpp", "--target", "gfx950", "--control", "row_shl:x"), "--control"),
        (("swap", "--target", "gfx942", "--rows", "16"), "not on gfx942"),
        (("swap", "--target", "gfx1250", "--rows", "32"), "not on gfx1250"),
        (("swap", "--target", "gfx950", "--rows", "16", "--active", "0"), "active"),
        (("swizzle", "--target", "gfx950", "--pattern", "0x10000"), "65535"),
        (("shuffle",), "unknown command"),
    ],
)
def test_wrong_usage_is_one_message(arguments, words):
    status, out, err = call(*arguments)
    assert status == 2 and words in err and out == ""
    assert err.count("\n") <= 1 and "Traceback" not in err


def test_text_for_people():
    status, out, _ = call("bpermute", "--target", "gfx942", "--index", "160", "--lane", "3")
    assert status == 0 and out.splitlines()[1].split() == ["3", "160", "40", "40"]
    for arguments in (["swap", "--target", "gfx950", "--rows", "16"], ["ballot", "--target", "gfx950"], ["--help"]):
        assert call(*arguments)[0] == 0


# ---- what people write


@pytest.mark.parametrize(
    ("command", "more", "same"),
    [
        ("ds_bpermute_b32", ("--index", "160"), "bpermute"),
        ("__builtin_amdgcn_ds_bpermute", ("--index", "160"), "bpermute"),
        ("llvm.amdgcn.ds.permute", ("--index", "4*lane"), "permute"),
        ("llvm.amdgcn.update.dpp.i32", ("--control", "0x111"), "dpp"),
        ("llvm.amdgcn.readlane.i32", ("--from", "3"), "readlane"),
        ("llvm.amdgcn.ballot.i64", (), "ballot"),
        ("__builtin_amdgcn_ballot_w64", (), "ballot"),
        ("__ballot", (), "ballot"),
        ("DS_SWIZZLE_B32", ("--pattern", "0x401f"), "swizzle"),
        ("v_mov_b32_dpp", ("--control", "row_shl:1"), "dpp"),
        ("update_dpp", ("--control", "row_shl:1"), "dpp"),
        ("V_READLANE_B32", ("--from", "3"), "readlane"),
        ("v_readfirstlane_b32", (), "readfirstlane"),
    ],
)
def test_an_instruction_is_a_command(command, more, same):
    assert asked(command, "--target", "gfx950", *more) == asked(same, "--target", "gfx950", *more)


def test_a_swap_by_its_name_knows_its_rows():
    for rows in ("16", "32"):
        found = asked(f"v_permlane{rows}_swap_b32", "--target", "gfx950")
        assert found == asked("swap", "--target", "gfx950", "--rows", rows)


@pytest.mark.parametrize(
    ("target", "control", "same"),
    [
        ("gfx942", "0xb1", "quad_perm:[1,0,3,2]"),
        ("gfx942", "0x111", "row_shr:1"),
        ("gfx942", "322", "row_bcast:15"),
        ("gfx950", "0x153", "row_newbcast:3"),
        ("gfx1250", "0x153", "row_share:3"),
        ("gfx1250", "0x161", "row_xmask:1"),
        ("gfx942", "ROW_MIRROR", "row_mirror"),
        ("gfx942", "row_shr 1", "row_shr:1"),
        ("gfx942", "quad_perm:1,0,3,2", "quad_perm:[1,0,3,2]"),
    ],
)
def test_a_control_in_other_words(target, control, same):
    """rocm-libraries#7944 and LLVM's update_dpp write controls as codes: 0xb1 exchanges pairs, 0x142 is row_bcast:15."""
    found = asked("dpp", "--target", target, "--control", control)
    assert found["result"]["control"] == same
    assert found == asked("dpp", "--target", target, "--control", same)


def test_a_named_swizzle():
    for pattern in ("swizzle(SWAP,16)", "offset:swizzle(SWAP, 16)", "offset:0x401f", "16415"):
        found = asked("swizzle", "--target", "gfx942", "--pattern", pattern)["result"]
        assert (found["pattern"], found["values"][:2]) == (0x401F, [16, 17])


# ---- permlanes


def test_a_shuffle_up_keeps_the_edge_and_an_emulator_does_not():
    document = asked("up", "--target", "gfx1250", "--by", "2", "--width", "8", "--value", "100+lane")
    assert document["result"]["values"][:10] == [100, 101, 100, 101, 102, 103, 104, 105, 108, 109]
    assert [(item["claim"], item["position"]) for item in document["disputed"]] == [("LANE-060", "emulator")]
    assert document["disputed"][0]["result"]["values"][:3] == [0, 0, 100]
    assert rules(document)[0] == ("outside-group", "warning", "LANE-060")
    inside = asked("xor", "--target", "gfx1250", "--by", "5", "--width", "8")
    assert inside["disputed"] == [] and inside["findings"] == []
    assert inside["result"]["values"] == [lane ^ 5 for lane in range(32)]


def test_indices_for_a_pull():
    made = asked("index-gen", "--target", "gfx1250", "--index", "3*lane+1", "--width", "8")["result"]["values"]
    assert made == [4 * ((lane & ~7) + (3 * lane + 1) % 8) for lane in range(32)]


def test_row_permlanes():
    """The rotation of the CDNA5 guide's V_PERMLANE16_B32 and V_PERMLANEX16_B32."""
    words = ("--target", "gfx1250", "--select", "0x87654321,0x0fedcba9")
    assert asked("permlane16", *words)["result"]["values"] == [*range(1, 16), 0, *range(17, 32), 16]
    assert asked("v_permlanex16_b32", *words)["result"]["values"][15] == 16
    each = asked("permlanex16", "--target", "gfx1250", "--index", "lane")["result"]["values"]
    assert each == [*range(16, 32), *range(16)]


def test_a_pull_may_read_inactive_lanes():
    words = ("--target", "gfx1250", "--index", "20", "--active", "0-3")
    assert asked("bpermute", *words)["result"]["values"][0] == 0
    assert asked("ds_bpermute_fi_b32", *words)["result"]["values"][0] == 5


def test_one_lane_as_a_scalar():
    assert asked("readlane", "--target", "gfx942", "--from", "40")["result"] == {"lanes": 64, "reads_lane": 40, "value": 40}
    short = asked("readlane", "--target", "gfx1250", "--from", "40")
    assert short["result"]["reads_lane"] == 8 and rules(short) == [("lane-wraps", "warning", "LANE-063")]
    assert asked("readfirstlane", "--target", "gfx942", "--active", "0xf0")["result"]["value"] == 4
    assert rules(asked("readfirstlane", "--target", "gfx942", "--active", "none"))[0][0] == "no-lane"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("up", "--target", "gfx950", "--by", "1"), "on gfx1250, not on gfx950, which has bpermute, LANE-060"),
        (("permlanex16", "--target", "gfx942", "--select", "0,0"), "LANE-062"),
        (("index-gen", "--target", "gfx942", "--index", "lane"), "LANE-061"),
        (("up", "--target", "gfx1250"), "--by"),
        (("up", "--target", "gfx1250", "--by", "1", "--width", "24"), "1, 2, 4, 8, 16 or 32"),
        (("permlane16", "--target", "gfx1250"), "--select"),
        (("permlane16", "--target", "gfx1250", "--select", "1"), "two words"),
        (("permlane16", "--target", "gfx1250", "--select", "0,0", "--index", "lane"), "--select"),
        (("ds_bpermute_fi_b32", "--target", "gfx950", "--index", "0"), "not on gfx950"),
        (("dpp", "--target", "gfx950", "--control", "row_shl:1", "--fetch-inactive"), "not on gfx950"),
        (("dpp", "--target", "gfx1250", "--control", "0x142"), "not on gfx1250"),
        (("dpp", "--target", "gfx950", "--control", "0x100"), "0x101 to 0x10f"),
        (("swizzle", "--target", "gfx950", "--pattern", "swizzle(SWAP,3)"), "1, 2, 4, 8, 16"),
        (("swizzle", "--target", "gfx950", "--pattern", "swizzle(SWAP"), "such as swizzle(SWAP,16)"),
        (("v_permlane64_b32", "--target", "gfx1250"), "no model"),
        (("__shfl_up", "--target", "gfx950"), "a shuffle is bpermute"),
        (("readlane", "--target", "gfx950"), "--from"),
    ],
)
def test_wrong_permlanes_are_one_message(arguments, words):
    status, out, err = call(*arguments)
    assert status == 2 and words in err and out == "" and err.count("\n") <= 1
