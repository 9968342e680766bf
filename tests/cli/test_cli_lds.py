# SPDX-License-Identifier: Apache-2.0
"""`cdna lds`: the public problems through the command, refusals, and one message for wrong input."""

import json
import pathlib

import pytest

from cdna_evidence.cli import main

CASES = pathlib.Path(__file__).parents[1] / "data" / "cases" / "public_problems.json"
PROBLEMS = {case["id"]: case for case in json.loads(CASES.read_text("utf-8"))["cases"]}


@pytest.fixture
def call(capsys):
    """Return a function that runs `cdna lds ...` and returns (status, document or None, standard output, standard error)."""

    def run(*words):
        status = main(["lds", *[str(word) for word in words]])
        printed = capsys.readouterr()
        document = json.loads(printed.out) if "--json" in words and printed.out else None
        return status, document, printed.out, printed.err

    return run


@pytest.mark.parametrize(
    "target, capacity, banks, granules",
    [("gfx942", 65536, 32, [512, 512]), ("gfx950", 163840, 64, [1280, 2048]), ("gfx1250", 327680, 64, [2048, 2048])],
)
def test_info_gives_a_basis_for_each_number(call, target, capacity, banks, granules):
    status, document, _, _ = call("info", "--target", target, "--json")
    result = document["result"]
    assert (status, result["capacity"], result["banks"]) == (0, capacity, banks)
    assert [item["bytes"] for item in result["granules"]] == granules
    assert (
        all(item["basis"] for item in result["granules"])
        and result["basis"]["capacity"]["text"]
        and result["basis"]["banks"]["text"]
    )
    disputed = {"gfx942": {"LDS-051"}, "gfx950": {"LDS-008", "LDS-015", "LDS-051"}, "gfx1250": {"LDS-053"}}[target]
    assert {item["claim"] for item in document["disputed"]} == disputed
    partitions = {"count": 5, "bytes": 65536, "claim": "LDS-055"} if target == "gfx1250" else None
    assert result.get("partitions") == partitions


def test_problem_lc_07(call):
    status, document, _, _ = call("alloc", 32769, "--target", "gfx942", "--json")
    assert status == 0 and document["result"]["requested"] == 32769
    assert (document["result"]["allocated"], document["result"]["workgroups_per_cu"], document["result"]["fits"]) == (
        33280,
        1,
        True,
    )


@pytest.mark.parametrize("target, status", [("gfx942", 1), ("gfx950", 0), ("gfx1250", 0)])
def test_problem_lc_02(call, target, status):
    found, document, _, _ = call("alloc", 100000, "--target", target, "--json")
    assert found == status and document["result"]["fits"] is (status == 0)
    assert ("65536" in json.dumps(document["findings"])) is (target == "gfx942")


@pytest.mark.parametrize("requested, fits", [(131072, False), (65536, None)])
def test_problem_lc_04_an_unknown_target_gets_no_yes(call, requested, fits):
    status, document, _, _ = call("alloc", requested, "--target", "gfx1100", "--json")
    assert status == 1 and document["result"]["fits"] is fits and document["result"]["limit"] == 65536
    assert document["findings"][0]["rule"] == "unknown-target"


@pytest.mark.parametrize("target", ["GFX950", "mi355x", "gfx950:xnack-", "CDNA4"])
def test_another_spelling_of_a_target_is_not_an_unknown_one(call, target):
    """131072 bytes fit the 163840 of gfx950: the smallest known limit would say that they do not."""
    status, document, _, err = call("alloc", "131072", "--target", target, "--json")
    assert status == 2 and document is None and "gfx950" in err


def test_problem_lc_05(call):
    wanted = PROBLEMS["LC-05"]["right_outcome"]
    _, before, _, _ = call("alloc", "(256*64+256*64)*2", "--stages", 2, "--target", "gfx950", "--json")
    status, after, _, _ = call("alloc", "(256*64+256*64)*2", "--stages", 3, "--target", "gfx950", "--json")
    assert (after["result"]["per_stage"], before["result"]["requested"], after["result"]["requested"]) == (
        wanted["per_stage"],
        wanted["before"],
        wanted["after"],
    )
    assert before["result"]["fits"] and not after["result"]["fits"] and status == 1


def test_the_unit_of_gfx950_is_disputed(call):
    _, document, _, _ = call("alloc", 1281, "--target", "gfx950", "--json")
    assert document["result"]["allocated"] == 2560
    assert [(item["claim"], item["position"], item["result"]["allocated"]) for item in document["disputed"]] == [
        ("LDS-008", "encoded", 2048)
    ]


@pytest.mark.parametrize("stride", PROBLEMS["LB-01"]["input"]["strides"])
@pytest.mark.parametrize("target, size", [("gfx942", 8), ("gfx950", 16)])
def test_problem_lb_01(call, stride, target, size):
    wanted = PROBLEMS["LB-01"]["right_outcome"]["worst_degree"][str(stride)]
    words = [
        "conflicts",
        "--target",
        target,
        "--op",
        "ds_read_b128",
        "--expr",
        f"(lane%16)*{stride}+(lane//16)*16",
        "--json",
    ]
    status, document, _, _ = call(*words)
    assert status == 0 and document["result"]["worst"] == max(document["result"]["degree"]) == wanted[target]
    assert document["result"]["banks"] == (32 if target == "gfx942" else 64) and document["result"]["basis"]
    assert document["disputed"][0]["result"]["worst"] == wanted["if_consecutive_" + target]
    _, document, _, _ = call(*words, "--assume", f"consecutive:{size}")
    assert (
        document["result"]["worst"] == wanted["if_consecutive_" + target]
        and document["result"]["how"] == "assumed"
        and not document["disputed"]
    )


def test_addresses_from_a_file(call, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"addresses": [lane * 128 for lane in range(63)] + [None]}))
    status, document, _, _ = call("conflicts", "--target", "gfx942", "--op", "ds_read_b32", "--json", path)
    assert status == 0 and document["result"]["degree"] == [32, 31]
    assert document["result"]["groups"] == [list(range(32)), list(range(32, 64))]


@pytest.mark.parametrize("pad", ["16", "32"])
def test_problem_lb_05(call, pad):
    wanted = PROBLEMS["LB-05"]["right_outcome"]["pad " + pad]
    words = (
        "conflicts",
        "--target",
        "gfx942",
        "--op",
        "ds_read_b128",
        "--assume",
        "consecutive:8",
        "--expr",
        f"lane*{wanted['stride']}",
        "--json",
    )
    assert (call(*words)[1]["result"]["worst"] == 1) is wanted["ok"]


def test_problem_lb_06(call):
    wanted = PROBLEMS["LB-06"]["right_outcome"]
    _, document, _, _ = call("conflicts", "--target", "gfx950", "--bytes", 32, "--expr", "lane*32", "--json")
    assert document["result"]["instructions"] == wanted["instructions"]
    assert [len(part["groups"]) for part in document["result"]["parts"]] == [wanted["phases_each"]] * 2
    status, _, _, err = call("conflicts", "--target", "gfx950", "--op", "ds_read_b256", "--expr", "lane*32")
    assert status == 2 and "ds_read_b128 and ds_read_b128" in err


def test_problem_lb_07(call):
    _, document, _, _ = call("conflicts", "--target", "gfx1250", "--op", "ds_load_b128", "--expr", "lane*16", "--json")
    assert [[group[0], group[-1]] for group in document["result"]["groups"]] == PROBLEMS["LB-07"]["right_outcome"]


def test_a_pattern_that_the_other_reading_finds_worse_is_warned_of(call):
    words = ("--target", "gfx1250", "--op", "ds_load_b128", "--json")
    status, document, _, _ = call("conflicts", *words, "--expr", "(lane%16)*256")
    (other,) = document["disputed"]
    assert (other["claim"], other["position"]) == ("LDS-053", "sixteen")
    assert [[group[0], group[-1]] for group in other["result"]["groups"]] == [[0, 15], [16, 31]]
    # Rows of all 64 banks: every row of a group asks the same banks.
    assert (status, document["result"]["worst"], other["result"]["worst"]) == (0, 8, 16)
    assert [(item["rule"], item["field"]) for item in document["findings"]] == [("safe-under-all", "sixteen")]
    assert call("conflicts", *words, "--expr", "(lane%16)*144")[1]["findings"] == []
    assert [item["position"] for item in call("info", "--target", "gfx1250", "--json")[1]["disputed"]] == ["sixteen"]
    found = call("search", *words, "--row-bytes", 256)[1]["result"]
    assert found["worst_without"] == 16 and found["paddings"][0]["worst"] == 1


@pytest.mark.parametrize("step, groups", [(8, 1), (12, 2)])
def test_a_transposing_load_splits_when_an_address_is_no_multiple_of_eight(call, step, groups):
    words = ("--target", "gfx1250", "--op", "ds_load_tr8_b64", "--expr", f"lane*{step}", "--json")
    status, document, _, _ = call("conflicts", *words)
    assert status == 0 and len(document["result"]["groups"]) == groups
    assert [item["claim"] for item in document["findings"]] == ["LDS-054"] * (groups - 1)


@pytest.mark.parametrize(
    "op, sources",
    [
        ("ds_load_tr16_b128", range(8)),
        ("ds_load_b128_tr_b16", range(8)),
        ("ds_load_tr8_b64", (0, 1, 2, 3, 8, 9, 10, 11)),
    ],
)
def test_lane_3_of_the_article_s_first_group(call, op, sources):
    status, document, text, _ = call("transpose", "--target", "gfx1250", "--op", op, "--lane", 3, "--json")
    assert (status, document["result"]["receives"]) == (0, [[source, 3] for source in sources])
    assert document["result"]["origins"] > 1 and not document["findings"]
    assert len(call("transpose", "--target", "gfx1250", "--op", op, "--json")[1]["result"]["receives"]) == 32


def test_a_lane_map_of_one_emulator_is_warned_of(call):
    status, document, _, _ = call("transpose", "--target", "gfx1250", "--op", "ds_load_tr6_b96", "--lane", 17, "--json")
    assert status == 0 and [item["rule"] for item in document["findings"]] == ["one-origin"]
    assert "test it" in document["findings"][0]["message"] and document["findings"][0]["claim"] == "TRN-056"
    text = call("transpose", "--target", "gfx1250", "--op", "ds_load_tr6_b96", "--lane", 17)[2]
    assert "element 1 of lanes 4-7, 12-15, 20-23, 28-31" in text


@pytest.mark.parametrize(
    "words, question",
    [
        (("conflicts", "--op", "ds_write_b128", "--expr", "lane*16"), "worst"),
        (("search", "--op", "ds_write_b128", "--row-bytes", 256), "paddings"),
        (("transpose", "--op", "ds_read_b64_tr_b8"), "receives"),
    ],
)
def test_what_nobody_published_is_said_alike(call, words, question):
    """One message on standard error; with --json one document too, whose answer is null."""
    words = (*words, "--target", "gfx950")
    status, _, out, err = call(*words)
    assert (status, out) == (3, "") and err.startswith("cdna lds: could not tell: ") and err.count("\n") == 1
    status, document, _, with_document = call(*words, "--json")
    assert status == 3 and with_document == err and document["result"][question] is None
    assert document["command"] == "lds " + words[0] and document["target"] == "gfx950"
    (finding,) = document["findings"]
    assert finding["severity"] == "error" and finding["message"] in err and finding["field"] == "op"


# llvm-mc 22.1.8 takes each of these for the target.
@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
@pytest.mark.parametrize(
    "op",
    [
        *("ds_read_u8", "ds_read_i8", "ds_read_u16", "ds_read_i16", "ds_read_u8_d16_hi", "ds_read_u16_d16"),
        *("ds_write_b8", "ds_write_b16", "ds_write_b8_d16_hi", "ds_read2_b32", "ds_read2_b64", "ds_read2st64_b32"),
        *("ds_write2_b64", "ds_write2st64_b64"),
    ],
)
def test_instructions_that_exist_and_that_nobody_timed_are_no_wrong_usage(call, target, op):
    status, _, _, err = call("conflicts", "--target", target, "--op", op, "--expr", "lane*2")
    assert status == 3 and "no publication" in err
    status, document, _, err = call(
        "conflicts", "--target", target, "--op", op, "--expr", "lane*2", "--assume", "consecutive:32", "--json"
    )
    if "2_" in op or "2st64" in op:
        assert status == 3 and "two addresses a lane" in err and "--assume" not in err
    else:
        # Two lanes of two bytes share a DWORD, and 16 DWORDs lie in 16 banks.
        assert status == 0 and document["result"]["how"] == "assumed" and document["result"]["worst"] == 1


@pytest.mark.parametrize(
    "target, op", [("gfx942", "ds_read_b64_tr_b16"), ("gfx950", "ds_read_b8"), ("gfx1250", "ds_read_b64_tr_b16")]
)
def test_instructions_that_a_target_lacks_are_wrong_usage(call, target, op):
    status, _, out, err = call("conflicts", "--target", target, "--op", op, "--expr", "lane*8")
    assert (status, out) == (2, "") and f"no LDS load or store that {target} has" in err


def test_another_spelling_of_a_transposing_load_is_the_same(call):
    words = ("conflicts", "--target", "gfx1250", "--expr", "lane*8", "--json", "--op")
    assert call(*words, "ds_load_b64_tr_b8")[1]["result"] == {
        **call(*words, "ds_load_tr8_b64")[1]["result"],
        "instructions": ["ds_load_b64_tr_b8"],
    }


def test_search_takes_whole_dwords_only(call):
    words = ("search", "--target", "gfx950", "--op", "ds_read_u8", "--row-bytes", 64, "--assume", "consecutive:32")
    status, _, out, err = call(*words)
    assert (status, out) == (2, "") and "whole DWORDs" in err


@pytest.mark.parametrize("option", ["--base", "--offset"])
def test_a_base_that_is_no_whole_dword_is_warned_of(call, option):
    words = ("direct", "--target", "gfx950", "--size", 16, "--lane", 1, "--json", option)
    status, document, _, _ = call(*words, 2)
    # No source says what happens, so no claim is named.
    assert (status, [(item["rule"], item["claim"]) for item in document["findings"]]) == (0, [("unaligned-lds", None)])
    assert call(*words, 4)[1]["findings"] == []


@pytest.mark.parametrize(
    "target, form, m0, counted",
    [
        # M0[17:2] * 4 in §10.3 of both guides; §9.1.9 of CDNA3 has M0[15:0], that of CDNA4 M0[17:0].
        ("gfx942", "global", 0x103, 0x100),
        ("gfx950", "global", 0x103, 0x100),
        ("gfx950", "global", 0x40104, 0x104),
        ("gfx942", "buffer", 0x10104, 0x104),
        ("gfx950", "buffer", 0x10104, 0x10104),
        ("gfx950", "buffer", 0x40104, 0x104),
    ],
)
def test_bits_of_m0_that_do_not_count_are_warned_of(call, target, form, m0, counted):
    words = ("direct", "--target", target, "--size", 4, "--lane", 2, "--form", form, "--m0", m0, "--json")
    status, document, _, _ = call(*words)
    assert (status, document["result"]["lds_address"]) == (0, counted + 8)
    told = [(item["rule"], item["claim"], item["field"]) for item in document["findings"]]
    assert told == ([] if m0 == counted else [("m0-bits", "D2L-056", "m0")])


@pytest.mark.parametrize("text", ["true", "null, -1", '"x"', "1.5", "{}"])
def test_an_address_is_told_as_json_spells_it(call, tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(f"[{text}]")
    _, _, _, err = call("conflicts", "--target", "gfx950", "--op", "ds_read_b128", path)
    given = text.rpartition(" ")[2]
    assert f"]={given}: an integer of 0 to" in err


def test_unknown_groups_are_refused_with_status_3(call):
    status, _, out, err = call("conflicts", "--target", "gfx950", "--op", "ds_write_b128", "--expr", "lane*16")
    assert (status, out) == (3, "") and "--assume consecutive:N" in err and "ds_read_b128" in err
    assert (
        call(
            "conflicts", "--target", "gfx950", "--op", "ds_write_b128", "--expr", "lane*16", "--assume", "consecutive:8"
        )[0]
        == 0
    )


def test_assumed_groups_of_a_store_are_asked_over_32_banks_too(call):
    """ROCm/rocm-libraries#3668: on gfx950 stores act as if there were 32 banks; a stride of 128 bytes is 8-way then, not 4-way."""
    words = ("conflicts", "--target", "gfx950", "--expr", "lane*128", "--assume", "consecutive:8", "--json", "--op")
    _, document, _, _ = call(*words, "ds_write_b128")
    assert (document["result"]["banks"], document["result"]["worst"]) == (64, 4)
    assert [(item["claim"], item["result"]["banks"], item["result"]["worst"]) for item in document["disputed"]] == [
        ("LDS-015", 32, 8)
    ]
    assert [item["rule"] for item in document["findings"]] == ["safe-under-all"]
    assert call(*words, "ds_read_b128")[1]["disputed"] == []
    search = ("search", "--target", "gfx950", "--row-bytes", 256, "--assume", "consecutive:8", "--json", "--op")
    assert call(*search, "ds_write_b128")[1]["result"]["banks"] == 32
    assert call(*search, "ds_read_b128")[1]["result"]["banks"] == 64


@pytest.mark.parametrize("row_bytes, told", [(100, ["misaligned"]), (112, [])])
def test_rows_that_no_gap_can_align_are_warned_of(call, row_bytes, told):
    words = ("search", "--target", "gfx950", "--op", "ds_read_b128", "--row-bytes", row_bytes, "--json")
    document = call(*words)[1]
    assert [item["rule"] for item in document["findings"]] == told
    assert bool(document["result"]["paddings"]) is not bool(told)


def test_a_search_for_a_store_says_so(call):
    _, document, _, _ = call("search", "--target", "gfx950", "--op", "ds_write_b64", "--row-bytes", 128, "--json")
    assert document["result"]["pattern"].startswith("lane l writes 8 bytes")


def test_the_same_pattern_on_every_target(call):
    expr = "(lane%16)*256+((lane//16)^(lane%8))*16"
    _, document, _, _ = call(
        "conflicts", "--target", "gfx942", "--op", "ds_read_b128", "--expr", expr, "--compare", "--json"
    )
    assert [(row["target"], row["worst"]) for row in document["result"]["targets"]][:2] == [
        ("gfx942", 1),
        ("gfx950", 2),
    ]


def test_misaligned_addresses_are_warned_of(call):
    status, document, _, _ = call(
        "conflicts", "--target", "gfx950", "--op", "ds_read_b128", "--expr", "lane*20", "--json"
    )
    assert status == 0 and [item["rule"] for item in document["findings"]] == ["misaligned"]


def test_search_finds_a_free_layout(call):
    status, document, _, _ = call("search", "--target", "gfx950", "--op", "ds_read_b128", "--row-bytes", 256, "--json")
    result = document["result"]
    assert status == 0 and result["worst_without"] == 8 and result["paddings"][0]["worst"] == 1
    assert result["swizzles"][0] == {"bits": 4, "shift": 0, "worst": 1, "extra_bytes": 0}
    assert "worst 8 without" in call("search", "--target", "gfx950", "--op", "ds_read_b128", "--row-bytes", 256)[2]


def test_problem_dl_08(call):
    _, document, _, _ = call(
        "swizzle", "--row-elements", 64, "--access", 8, "--row", 1, "--column", "0,2,4,6", "--json"
    )
    assert document["result"]["swizzled"] == PROBLEMS["DL-08"]["right_outcome"]["swizzled"]


def test_problem_dl_04(call):
    _, document, _, _ = call("direct", "--target", "gfx942", "--size", 1, "--lane", 3, "--json")
    assert (document["result"]["lane_stride"], document["result"]["lds_address"], document["result"]["wave_span"]) == (
        4,
        12,
        256,
    )


def test_problem_dl_05(call):
    _, document, _, _ = call(
        "direct", "--target", "gfx942", "--size", 4, "--lane", 3, "--base", "0x4000", "--m0", "0x100", "--json"
    )
    assert document["result"]["lds_address"] == 0x410C and document["result"]["accepted"] is True


def test_problem_dl_06(call):
    for interval, outcome in PROBLEMS["DL-06"]["right_outcome"].items():
        status, document, _, _ = call(
            "direct", "--target", "gfx950", "--size", 16, "--lane", 0, "--interval", interval, "--json"
        )
        assert document["result"]["wave_span"] == 1024 and (status == 0) is (outcome == "ok")


def test_problem_dl_09(call):
    _, document, _, _ = call(
        "direct", "--target", "gfx950", "--size", 4, "--lane", 0, "--base", "0x200", "--offset", 16, "--json"
    )
    assert (document["result"]["lds_address"], document["result"]["global_offset"]) == (0x210, 16)


def test_a_size_that_does_not_exist(call):
    status, document, _, _ = call("direct", "--target", "gfx942", "--size", 12, "--lane", 0, "--json")
    assert status == 1 and document["result"]["accepted"] is False and document["result"]["opcode"] is None
    assert document["findings"][0]["message"] == "size=12: 1, 2, 4 bytes a lane on gfx942, D2L-001"


def test_the_stride_of_wide_copies_is_disputed(call):
    _, document, out, _ = call("direct", "--target", "gfx950", "--size", 12, "--lane", 2, "--json")
    assert document["result"]["lds_address"] == 32 and document["result"]["hole_bytes"] == 4
    assert [(item["position"], item["result"]["lds_address"]) for item in document["disputed"]] == [("four", 8)]


def test_problem_tl_01(call):
    for lane in PROBLEMS["TL-01"]["input"]["lanes"]:
        status, document, _, _ = call(
            "transpose", "--target", "gfx950", "--op", "ds_read_b64_tr_b16", "--lane", lane, "--json"
        )
        assert (
            status == 0
            and document["result"]["receives"] == PROBLEMS["TL-01"]["right_outcome"][str(lane)]
            and document["result"]["basis"]
        )
    _, document, _, _ = call("transpose", "--target", "gfx950", "--op", "ds_read_b64_tr_b16", "--json")
    assert len(document["result"]["receives"]) == 64


@pytest.mark.parametrize("op", ["ds_read_b64_tr_b8", "ds_read_b64_tr_b4", "ds_read_b96_tr_b6"])
def test_problem_tl_02(call, op):
    status, document, _, _ = call("transpose", "--target", "gfx950", "--op", op, "--lane", 0, "--json")
    assert status == 3 and document["result"]["published"] is False and document["result"]["receives"] is None
    assert "unverified" in document["findings"][0]["message"]


def test_problem_tl_03_one_opcode_under_three_names(call):
    names = [text.split()[0] for text in PROBLEMS["TL-03"]["input"]["asm"]]
    found = {call("transpose", "--target", "gfx1250", "--op", name, "--json")[1]["result"]["op"] for name in names}
    assert found == {"ds_load_tr8_b64"}


def test_a_form_of_another_target(call):
    status, document, _, _ = call("transpose", "--target", "gfx942", "--op", "ds_read_b64_tr_b16", "--json")
    assert status == 1 and document["result"]["accepted"] is False


@pytest.mark.parametrize(
    "target, op, wanted",
    [
        # The width of the element stays, the names do not (LDS-004): FlyDSL#256, triton#8461.
        ("gfx1250", "ds_read_b64_tr_b16", "ds_load_tr16_b128"),
        ("gfx1250", "ds_read_b96_tr_b6", "ds_load_tr6_b96"),
        ("gfx1250", "ds_read_tr4_b64", "ds_load_tr4_b64"),
        ("gfx950", "ds_load_tr16_b128", "ds_read_b64_tr_b16"),
        ("gfx950", "ds_load_tr_b64", "ds_read_b64_tr_b8"),
        ("gfx1250", "global_load_tr16_b128", "TRN-059"),
        ("gfx950", "global_load_tr16_b128", "TRN-003"),
    ],
)
def test_a_form_of_another_target_names_this_one_s(call, target, op, wanted):
    status, document, _, _ = call("transpose", "--target", target, "--op", op, "--json")
    (finding,) = document["findings"]
    assert status == 1 and wanted in finding["message"].rpartition("; ")[2]


@pytest.mark.parametrize(
    "target, name, op",
    [
        ("gfx950", "ds_read_tr16_b64", "ds_read_b64_tr_b16"),
        ("gfx950", "__builtin_amdgcn_ds_read_tr16_b64_v4bf16", "ds_read_b64_tr_b16"),
        ("gfx950", "llvm.amdgcn.ds.read.tr16.b64.v4i16", "ds_read_b64_tr_b16"),
        ("gfx950", "rocdl.ds.read.tr16.b64", "ds_read_b64_tr_b16"),
        ("gfx950", "DS_READ_B64_TR_B16", "ds_read_b64_tr_b16"),
        ("gfx1250", "llvm.amdgcn.ds.load.tr8.b64.v2i32", "ds_load_tr8_b64"),
    ],
)
def test_builtins_and_capitals_are_the_opcode(call, target, name, op):
    status, document, _, _ = call("transpose", "--target", target, "--op", name, "--lane", 0, "--json")
    assert (status, document["result"]["op"]) == (0, op)


def test_an_opcode_in_the_guide_s_capitals_is_the_same(call):
    words = ("conflicts", "--target", "gfx950", "--expr", "(lane%16)*144+(lane//16)*16", "--json", "--op")
    assert call(*words, "DS_READ_B128")[1] == call(*words, "ds_read_b128")[1]
    assert "did you mean ds_read_b128" in call(*words, "DS_READ_B182")[3]


@pytest.mark.parametrize(
    "words",
    [
        ("conflicts", "--target", "gfx950", "--op", "ds_read_b128", "--expr", "lane*16"),
        ("direct", "--target", "gfx950", "--size", 12, "--lane", 0),
    ],
)
def test_a_drawing_is_written(call, tmp_path, words):
    path = tmp_path / "out.svg"
    assert call(*words, "--svg", path)[0] == 0
    assert path.read_text("utf-8").startswith("<svg") and "<title" in path.read_text("utf-8")


@pytest.mark.parametrize(
    "words, said",
    [
        (("nothing",), "unknown command"),
        (("info",), "--target is needed"),
        (("info", "--target", "gfx90a"), "gfx942, gfx950, gfx1250"),
        (("info", "--target", "gfx942", "more"), "unexpected 'more'"),
        (("alloc", "--target", "gfx942"), "one number of BYTES"),
        (("alloc", "lane", "--target", "gfx942"), "BYTES: column 1: unknown name"),
        (("alloc", "0-1", "--target", "gfx942"), "0 or more"),
        (("conflicts", "--target", "gfx942", "--expr", "lane"), "--op OP or --bytes N"),
        (("conflicts", "--target", "gfx942", "--op", "ds_read_b128"), "FILE"),
        (("conflicts", "--target", "gfx942", "--op", "ds_read_b128", "--expr", "lane/4"), "// divides"),
        (("conflicts", "--target", "gfx942", "--op", "ds_read_b128", "--expr", "1//lane"), "division by zero"),
        (("conflicts", "--target", "gfx942", "--op", "ds_read_b128", "--expr", "lane-1"), "addresses[0]=-1"),
        (("conflicts", "--target", "gfx942", "--op", "v_add_f32", "--expr", "lane"), "ds_read_b32"),
        (("conflicts", "--target", "gfx942", "--bytes", "6", "--expr", "lane"), "a multiple of 4"),
        (
            ("conflicts", "--target", "gfx942", "--op", "ds_read_b128", "--expr", "lane*16", "--assume", "odd"),
            "consecutive:N",
        ),
        (("conflicts", "--target", "gfx942", "--op", "ds_read_b128", "missing.json"), "missing.json"),
        (("direct", "--target", "gfx942", "--size", "4"), "--lane is needed"),
        (("direct", "--target", "gfx942", "--size", "4", "--lane", "64"), "lane=64: 0..63"),
        (("direct", "--target", "gfx942", "--size", "4", "--lane", "x"), "a whole number"),
        (("direct", "--target", "gfx942", "--size", "4", "--lane", "0", "--offset", "4096"), "offset=4096"),
        (("direct", "--target", "gfx942", "--size", "4", "--lane"), "needs a value"),
        (("direct", "--target", "gfx942", "--size", "4", "--lane", "0", "--lane", "1"), "given twice"),
        (("transpose", "--target", "gfx950", "--op", "ds_read_b64_tr_b16", "--lane", "64"), "lane=64"),
        (("transpose", "--target", "gfx1250", "--op", "ds_load_tr8_b64", "--lane", "32"), "0..31"),
        (("search", "--target", "gfx950", "--op", "ds_read_b128"), "--row-bytes is needed"),
        (("swizzle", "--row-elements", "60", "--access", "8", "--row", "0", "--column", "0"), "multiple of 8 accesses"),
    ],
)
def test_wrong_usage_is_one_message(call, words, said):
    status, _, out, err = call(*words)
    assert (status, out) == (2, "") and said in err and err.count("\n") == 1


@pytest.mark.parametrize("text", ["[1, 2]", '{"addresses": 3}', '{"addresses": [true]}', "{"])
def test_an_unreadable_file_is_one_message(call, tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    status, _, _, err = call("conflicts", "--target", "gfx950", "--op", "ds_read_b128", path)
    assert status == 2 and err.count("\n") == 1


def test_help_explains_every_option_of_every_command(call):
    from cdna_evidence.cli.lds import COMMANDS, FLAGS

    status, _, whole, _ = call("--help")
    assert status == 0
    for command, options in COMMANDS.items():
        status, _, out, _ = call(command, "--help")
        assert status == 0 and "  " + command in out and len(out) < len(whole)
        assert [name for name in (*options, *FLAGS.get(command, ())) if name not in out] == []
        assert all(line in whole for line in out.splitlines())


def test_text_for_people(call):
    _, _, out, _ = call(
        "conflicts", "--target", "gfx950", "--op", "ds_read_b128", "--expr", "(lane%16)*144+(lane//16)*16"
    )
    assert "0-3, 12-15, 20-27" in out and "worst: 2" in out and "disputed: LDS-051" in out
    assert "65536 bytes per CU" in call("info", "--target", "gfx942")[2]
    assert "hole" not in call("direct", "--target", "gfx950", "--size", 16, "--lane", 1)[2]
    assert "4 are not written" in call("direct", "--target", "gfx950", "--size", 12, "--lane", 1)[2]
    assert "each lane gives its own LDS address" in call("direct", "--target", "gfx1250", "--size", 16, "--lane", 1)[2]
    assert "no transposing LDS load" in call("transpose", "--target", "gfx942")[2]


@pytest.mark.parametrize("option", ["--bits", "--shift"])
def test_a_swizzle_of_absurd_size_is_refused(call, option):
    words = ("--row-elements", 64, "--access", 8, "--row", 1, "--column", 0)
    status, _, _, err = call("swizzle", *words, option, 99999999999999)
    assert status == 2 and err.strip().endswith("0..31")


def test_a_copy_beyond_the_lds_is_warned_of(call):
    words = ("direct", "--target", "gfx950", "--size", 16, "--lane", 0, "--json")
    status, document, _, _ = call(*words, "--base", 163840 - 1024)
    assert (status, document["findings"]) == (0, [])
    # facebookexperimental/triton#2801: lane 0 lies inside, but every active lane of the wave writes.
    status, document, _, _ = call(*words, "--base", 163840 - 1008)
    assert (status, [item["rule"] for item in document["findings"]]) == (0, ["wave-past-lds"])
    status, document, _, _ = call(*words, "--base", 163840 - 12)
    assert (status, [item["rule"] for item in document["findings"]]) == (0, ["past-lds"])
    assert call(*words, "--m0", "0x100000000")[0] == 2


def test_each_target_names_the_claim_it_rests_on(call):
    claims = {}
    for target in ("gfx950", "gfx1250"):
        claims[target] = call("direct", "--target", target, "--size", 4, "--lane", 1, "--json")[1]["result"]["claim"]
    assert claims == {"gfx950": "D2L-003", "gfx1250": "D2L-052"}


@pytest.mark.parametrize(
    ("size", "given"),
    [(1, "ubyte"), (2, "USHORT"), (4, "dword"), (12, "dwordx3"), (16, "global_load_lds_dwordx4"), (16, "B128")],
)
def test_a_copy_by_the_name_of_its_width(call, size, given):
    named, numbered = [call("direct", "--target", "gfx950", "--size", word, "--lane", 3, "--json")[1] for word in (given, size)]
    assert named == numbered and named["result"]["written_bytes"] == max(size, 4)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("gfx950", "global_load_lds_dwordx4"),
        ("gfx950", "buffer_load_dwordx4"),
        ("gfx1250", "global_load_async_to_lds_b128"),
        ("gfx1250", "cluster_load_async_to_lds_b128"),
    ],
)
def test_the_name_of_an_instruction_tells_its_form(call, target, name):
    form = name.partition("_")[0]
    named = call("direct", "--target", target, "--size", name, "--lane", 3, "--json")[1]
    assert named == call("direct", "--target", target, "--size", 16, "--form", form, "--lane", 3, "--json")[1]
    assert named["result"]["opcode"] == name
    other = "cluster" if form == "global" else "global"
    status, _, out, err = call("direct", "--target", target, "--size", name, "--form", other, "--lane", 3)
    assert status == 2 and out == "" and f"the {form} form" in err


@pytest.mark.parametrize(
    ("target", "name", "own"),
    [
        ("gfx950", "global_load_async_to_lds_b128", "global_load_lds_* and buffer_load_*"),
        ("gfx942", "global_load_dword", "global_load_lds_* and buffer_load_*"),
        ("gfx1250", "global_load_lds_dwordx4", "global_load_async_to_lds_* and cluster_load_async_to_lds_*"),
        ("gfx1250", "global_store_async_from_lds_b128", "global_load_async_to_lds_* and cluster_load_async_to_lds_*"),
    ],
)
def test_the_name_of_another_instruction_is_refused(call, target, name, own):
    status, _, out, err = call("direct", "--target", target, "--size", name, "--lane", 0)
    assert status == 2 and out == "" and own in err


def test_cluster_copies(call):
    words = ("direct", "--target", "gfx1250", "--form", "cluster", "--lane", 3)
    status, found, out, _ = call(*words, "--size", 4, "--base", 4096, "--offset", 64, "--json")
    assert (status, found["result"]["lds_address"], found["result"]["global_offset"]) == (0, 4160, 64)
    assert found["result"]["claim"] == "D2L-057"
    assert "mask in M0" in call(*words, "--size", 4)[2]
    assert "D2L-057" in call(*words, "--size", 12)[2]
    assert "mask of workgroups" in call(*words, "--size", 4, "--m0", 3)[3]
    for size in (4, 8):
        assert "no clusters" in call("direct", "--target", "gfx942", "--size", size, "--lane", 0, "--form", "cluster")[3]


def test_an_address_that_wraps_is_told(call):
    words = ("direct", "--target", "gfx1250", "--size", 4, "--lane", 0, "--json")
    wrapped = call(*words, "--base", "0xffffffc0", "--offset", 68)[1]
    assert wrapped["result"]["lds_address"] == 4 and [item["rule"] for item in wrapped["findings"]] == ["address-wraps"]
    assert [item["rule"] for item in call(*words, "--base", "0xffffffff", "--offset", 0)[1]["findings"]] == ["past-lds"]


@pytest.mark.parametrize(("text", "hint"), [("64KB", "64*1024"), ("64 KiB", "64*1024"), ("160k", "160*1024"), ("2M", "2*1048576")])
def test_a_unit_is_answered_by_what_to_write(call, text, hint):
    status, _, out, err = call("alloc", text, "--target", "gfx950")
    assert status == 2 and hint in err and out == ""


def test_a_negative_request_is_no_option(call):
    assert "0 or more" in call("alloc", "-1", "--target", "gfx950")[3]


@pytest.mark.parametrize(("target", "claim"), [("gfx942", "LDS-059"), ("gfx950", "LDS-059"), ("gfx1250", "LDS-057")])
def test_crooked_addresses_say_what_the_guide_says(call, target, claim):
    """§3.3.4.1 of the CDNA5 guide clears low bits; §3.11 of the older ones counts it among violations."""
    document = call("conflicts", "--target", target, "--op", "ds_read_b128", "--expr", "lane*20", "--json")[1]
    assert [claim in item["message"] for item in document["findings"] if item["rule"] == "misaligned"] == [True]


def test_halfwords_of_one_dword_are_counted_once_and_that_is_said(call):
    """ROCm/composable_kernel#3646 takes two FP16 columns in one bank for a conflict of their stores."""
    words = ("conflicts", "--target", "gfx950", "--assume", "consecutive:32", "--json", "--expr", "lane*2", "--op")
    for op, told in (("ds_write_b16", True), ("ds_read_u16", False), ("ds_write_b8", True)):
        document = call(*words, op)[1]
        assert any(item["rule"] == "one-word-stores" for item in document["findings"]) is told, op
        assert document["result"]["worst"] == 1
    document = call("conflicts", "--target", "gfx950", "--op", "ds_write_b64", "--expr", "lane*8", "--json")[1]
    assert not [item for item in document["findings"] if item["rule"] == "one-word-stores"]


@pytest.mark.parametrize(
    ("target", "op", "lanes"),
    [("gfx950", "ds_write_b32", 16), ("gfx942", "ds_write_b64", 8), ("gfx942", "ds_read_b96", 4), ("gfx950", "ds_write_b128", 4)],
)
def test_what_a_library_counts_is_named_where_nobody_published(call, target, op, lanes):
    """rocRoller's LDSBankModel.cpp, getThreadsPerClock and getNumLDSBanks."""
    status, _, _, err = call("conflicts", "--target", target, "--op", op, "--expr", "lane*16")
    assert status == 3 and f"{lanes} neighbouring lanes a clock over 32 banks" in err


@pytest.mark.parametrize("first, beyond", [(63488, False), (63504, True)])
def test_the_last_byte_counts_against_the_capacity(call, first, beyond):
    """63 * 32 + 63504 + 32 is 65552, and gfx942 has 65536 bytes."""
    expr = f"lane*32+{first}"
    _, document, _, _ = call("conflicts", "--target", "gfx942", "--bytes", "32", "--expr", expr, "--json")
    assert ("beyond-lds" in [item["rule"] for item in document["findings"]]) is beyond


def test_a_group_without_an_active_lane_is_named(call, tmp_path):
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"addresses": [None] * 63 + [4]}))
    _, _, out, _ = call("conflicts", "--target", "gfx942", "--op", "ds_read_b32", str(file))
    assert [line.split("  ")[-1].strip() for line in out.splitlines() if line[:1].isdigit()] == ["no lane is active", "free"]


@pytest.mark.parametrize(
    ("size", "opcode"),
    [
        ("sbyte", "global_load_lds_sbyte"),
        ("global_load_lds_sshort", "global_load_lds_sshort"),
        ("buffer_load_sbyte", "buffer_load_sbyte"),
        ("buffer_load_ubyte", "buffer_load_ubyte"),
    ],
)
def test_a_sign_extending_copy_lands_where_the_other_does(call, size, opcode):
    """clang 22 assembles global_load_lds_sbyte, _sshort and buffer_load_sbyte with lds for gfx942."""
    status, document, _, _ = call("direct", "--target", "gfx942", "--size", size, "--lane", "3", "--json")
    result = document["result"]
    assert (status, result["opcode"], result["lds_address"], result["written_bytes"]) == (0, opcode, 12, 4)


def test_a_name_that_is_no_size(call):
    status, _, out, err = call("direct", "--target", "gfx942", "--size", "float4", "--lane", "0")
    assert (status, out) == (2, "") and "'float4': bytes a lane, or one of ubyte" in err
