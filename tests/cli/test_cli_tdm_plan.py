# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm plan`: what users ask before there is a descriptor, with the numbers of the public cases."""

import json

import pytest

from cdna_evidence.cli import main


@pytest.fixture
def plan(capsys):
    """Return a function that runs `cdna tdm plan ...` and returns (status, document or None, output, message)."""

    def run(*words):
        status = main(["tdm", "plan", *[str(word) for word in words]])
        out, err = capsys.readouterr()
        return status, json.loads(out) if "--json" in words and out else None, out, err

    return run


def errors(document):
    return [(item["rule"], item["claim"]) for item in document["findings"] if item["severity"] == "error"]


def test_tg_01_index_width_and_instructions(problem, plan):
    case = problem("TG-01")
    right = case["right_outcome"]
    status, document, _, _ = plan("--gather-rows", case["input"]["rows"], "--json")
    found = document["result"]["gather"]["by_index_bits"]
    assert status == 0 and [item["index_bits"] for item in found] == case["input"]["index_bits"]
    for item in found:
        assert item["instructions"] == right[f"instructions_{item['index_bits']}bit"]
        assert item["rows_per_instruction"] == right["rows_per_instruction"][str(item["index_bits"])]
    assert found[0]["largest_index"] == right["limit_16bit_index"]
    assert document["result"]["ring"] is None and document["command"] == "tdm plan"


def test_tg_02_rows_spread_over_waves(problem, plan):
    given, right = problem("TG-02")["input"], problem("TG-02")["right_outcome"]
    words = ("--gather-rows", given["rows"], "--waves", given["warps"], "--index-bits", given["index_bits"])
    (found,) = plan(*words, "--json")[1]["result"]["gather"]["by_index_bits"]
    assert found["instructions_per_wave"] == right["instructions_per_warp"]
    assert found["instructions"] == right["replicated_layout_instructions_on_one_warp"]
    assert "4 instructions of 16 rows" in plan(*words)[2] and "1 a wave" in plan(*words)[2]


def test_tc_01_ring_filled_to_the_brim(problem, plan):
    case = problem("TC-01")
    given = case["input"]
    assert case["outcome_kind"] == "reject" and "num_buffers-1 = 2" in case["right_outcome"]
    words = ("--stages", given["num_buffers"], "--tile-bytes", 16384, "--json", "--prologue")
    status, document, _, _ = plan(*words, given["loads_in_prologue"])
    assert status == 1 and errors(document) == [("ring-overfilled", "TDM-106")]
    message = document["findings"][0]["message"]
    assert "at most 2; load 3 goes into buffer 0" in message
    # "A cross-wave reader also needs a barrier after s_wait_tensorcnt."
    assert ("barrier-after-wait", "TDM-093") in [(item["rule"], item["claim"]) for item in document["findings"]]
    assert plan(*words, 2)[0] == 0
    # A loop that issues after it computed has the slot free again.
    assert plan(*words, 3, "--shape", "after")[0] == 0
    status, document, _, _ = plan(*words, 4)
    assert status == 1 and "--shape after" not in document["findings"][0]["message"]


def test_a_ring_s_bytes_and_the_number_to_wait_for(plan):
    status, document, _, _ = plan("--stages", 2, "--tile-bytes", 16384, "--json")
    ring = document["result"]["ring"]
    # TDM-102: with two buffers, two loads before the loop and a wait for one; LDS-001: 327680 bytes.
    assert (status, ring["lds_bytes"], ring["fits"], ring["most_stages"]) == (0, 32768, True, 20)
    assert ring["shapes"][0] == {"shape": "after", "tiles_before_first_wait": 2, "wait_tensorcnt": 1}
    assert ring["wait_tensorcnt_last"] == 0 and "TDM-105" in ring["claims"]
    four = plan("--stages", 2, "--tile-bytes", 16384, "--loads-per-tile", 4, "--json")[1]["result"]["ring"]
    assert four["shapes"][0]["wait_tensorcnt"] == 4
    status, document, _, _ = plan("--stages", 21, "--tile-bytes", 16384, "--json")
    assert status == 1 and errors(document) == [("lds-too-large", "LDS-001")]
    # TDM-065: the counter has six bits.
    assert plan("--stages", 64, "--tile-bytes", 4, "--shape", "after", "--json")[0] == 0
    status, document, _, _ = plan("--stages", 65, "--tile-bytes", 4, "--shape", "after", "--json")
    assert status == 1 and errors(document) == [("wait-beyond-counter", "TDM-065")]


def test_mc_01_masks_of_a_private_and_of_a_shared_tile(problem, plan):
    case = problem("MC-01")
    right = case["right_outcome"]
    for group, name in zip(case["input"]["shared_by"], ("private tile", "shared by workgroups 0 and 1"), strict=True):
        words = ("--cluster", ",".join(map(str, case["input"]["cluster"])), "--share", ",".join(map(str, group)))
        status, document, _, _ = plan(*words, "--json")
        (found,) = document["result"]["multicast"]["masks"]
        assert (status, found["workgroups"], found["mask"]) == (0, group, right[name])
        assert right[name] in plan(*words)[2]


def test_mc_03_a_grid_that_the_cluster_does_not_divide(problem, plan):
    case = problem("MC-03")
    assert case["outcome_kind"] == "reject"
    cluster, grid = (",".join(map(str, case["input"][name])) for name in ("cluster", "grid"))
    status, document, _, _ = plan("--cluster", cluster, "--grid", grid, "--json")
    assert status == 1 and errors(document) == [("grid-not-divisible", "TDM-088")]
    assert "121" in document["findings"][0]["message"] and "2" in document["findings"][0]["message"]
    assert plan("--cluster", cluster, "--grid", "120")[0] == 0


def test_the_wait_of_a_ring_needs_no_size(plan):
    status, document, _, _ = plan("--stages", 3, "--json")
    ring = document["result"]["ring"]
    assert status == 0 and [one["wait_tensorcnt"] for one in ring["shapes"]] == [2, 2, 1]
    assert (ring["tile_bytes"], ring["lds_bytes"], ring["fits"], ring["most_stages"]) == (None, None, None, None)
    assert "--tile-bytes" in plan("--stages", 3)[2]


def test_a_ring_deeper_than_newer_llvm_lets_run(plan):
    """llvm/llvm-project#214885: a wait for 10 in front of each further transfer."""
    for stages, told in ((11, False), (12, True)):
        document = plan("--stages", stages, "--shape", "after", "--json")[1]
        assert ("tensor-drain" in [item["rule"] for item in document["findings"]]) is told, stages


def test_a_cluster_as_it_is_written_of_a_launch(plan):
    for written in ("4x2", "4X2", "4x2x1", "4,2"):
        masks = plan("--cluster", written, "--share", "rows", "--json")[1]["result"]["multicast"]["masks"]
        assert [item["mask"] for item in masks] == ["0x000f", "0x00f0"]
    assert plan("--cluster", "0x2", "--json")[1]["result"]["multicast"]["cluster"] == [2, 1, 1]


def test_masks_of_rows_and_columns_of_a_cluster(plan):
    """TDM-081: in a cluster four wide the workgroup one to the right has bit 1, the one below bit 4."""
    masks = plan("--cluster", "4,2", "--share", "rows", "--json")[1]["result"]["multicast"]["masks"]
    assert [item["mask"] for item in masks] == ["0x000f", "0x00f0"]
    masks = plan("--cluster", "4,2", "--share", "columns", "--json")[1]["result"]["multicast"]["masks"]
    assert [item["workgroups"] for item in masks] == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert [item["mask"] for item in masks] == ["0x0011", "0x0022", "0x0044", "0x0088"]


def test_more_than_five_in_a_mask_is_disputed_and_the_safe_number_is_told(plan):
    """TDM-087: sixteen workgroups take one read by the manual, four by a library, sixteen by triton#11078."""
    status, document, _, _ = plan("--cluster", "4,4", "--share", "all", "--json")
    assert status == 0 and document["result"]["multicast"]["masks"][0]["reads"] == 1
    assert document["result"]["multicast"]["safe"] == {"claim": "TDM-087", "most_workgroups_in_one_mask": 5}
    others = {item["position"]: item["result"]["masks"] for item in document["disputed"] if item["claim"] == "TDM-087"}
    assert others == {
        "five-merge": [{"mask": "0xffff", "reads": 4}],
        "none-above-five": [{"mask": "0xffff", "reads": 16}],
    }
    assert [(item["rule"], item["claim"]) for item in document["findings"]] == [("multicast-over-merge", "TDM-087")]
    document = plan("--cluster", "5,1", "--share", "all", "--json")[1]
    assert document["disputed"] == [] and document["findings"] == []
    assert len(plan("--cluster", "6,1", "--share", "all", "--json")[1]["disputed"]) == 2


def test_a_cluster_of_three_dimensions_has_no_known_numbering(plan):
    words = ("--cluster", "2,2,2", "--share")
    status, document, _, err = plan(*words, "rows", "--json")
    assert status == 3 and document["result"]["multicast"]["masks"] is None and "third dimension" in err
    assert (plan(*words, "rows")[0], plan(*words, "rows")[2]) == (3, "")
    assert plan(*words, "all", "--json")[1]["result"]["multicast"]["masks"][0]["mask"] == "0x00ff"
    status, document, _, _ = plan("--cluster", "17", "--share", "all", "--json")
    assert status == 1 and errors(document) == [("cluster-size", "TDM-081")]


def gap_words(given, block):
    row = given["DepthU"] * given["bytes_per_element"]
    words = ("--row-bytes", row, "--rows", 64, "--element-bytes", given["bytes_per_element"], "--gap-bytes", 16)
    return (*words, "--block-bytes", block, "--json")


def test_ti_01_a_block_above_the_largest_interval_iterates(problem, plan):
    given, right = problem("TI-01")["input"], problem("TI-01")["right_outcome"]
    block = given["DepthU"] * given["bytes_per_element"] * given["VectorWidth"]
    assert block == right["pad_block_bytes"]
    status, document, _, _ = plan(*gap_words(given, block))
    found = document["result"]["gap"]
    assert (status, found["mode"]) == (0, "iterate")
    assert found["needs_iterate"] is right["needs_iterate"] and found["fields"]["pad_enable"] == right["pad_enable"]
    assert found["largest_padded_block_bytes"] == right["max_pad_block_without_iterate"]
    assert ("iterate-bounds", "TDM-128") in [(item["rule"], item["claim"]) for item in document["findings"]]
    found = plan(*gap_words(given, right["max_pad_block_without_iterate"]))[1]["result"]["gap"]
    assert (found["mode"], found["needs_iterate"]) == ("padding", False)


def test_ti_02_a_block_that_the_reader_does_not_share(problem, plan):
    case = problem("TI-02")
    given = case["input"]
    reader = given["DepthU"] * given["bytes_per_element"] * given["VectorWidth_read"]
    assert case["outcome_kind"] == "reject" and f"reader block {reader} B" in case["right_outcome"]
    status, document, _, _ = plan(*gap_words(given, given["pad_block_written"]), "--reader-block-bytes", reader)
    assert status == 1 and [item["field"] for item in document["findings"]] == ["block_bytes"]
    assert plan(*gap_words(given, reader), "--reader-block-bytes", reader)[1]["result"]["gap"]["mode"] == "iterate"


def test_ti_04_a_block_of_nothing(problem, plan):
    case = problem("TI-04")
    assert case["outcome_kind"] == "reject"
    given = {"DepthU": 128, "bytes_per_element": 2}
    status, document, _, _ = plan(*gap_words(given, case["input"]["LdsBlockSizePerPad"]))
    assert status == 1 and document["result"]["gap"]["mode"] is None
    assert [(item["rule"], item["field"]) for item in document["findings"]] == [("field-range", "block_bytes")]


def test_rows_that_padding_has_no_code_for(plan):
    """A row of 48 DWORDs: no interval fits, one row a pass with a step of 208 bytes leaves the gap all the same."""
    words = ("--row-bytes", 192, "--rows", 16, "--block-bytes", 192, "--gap-bytes", 16, "--element-bytes", 2, "--json")
    status, document, _, _ = plan(*words)
    found = document["result"]["gap"]
    assert (status, found["mode"], found["block_starts"][:3]) == (0, "iterate", [0, 208, 416])
    assert (found["fields"]["lds_addr_increment"], found["fields"]["iterate_count"]) == (104, 15)


def test_passes_at_an_edge(plan):
    """ROCm/rocm-libraries#10935: the count was that of a full tile, so partial tiles read past the tensor."""
    words = ("--rows-per-pass", 4, "--tile-rows", 16, "--json", "--rows-left")
    status, document, _, _ = plan(*words, 10)
    found = document["result"]["passes"]
    assert (status, found["passes"], found["iterate_count"], found["rows"]) == (0, 3, 2, 10)
    (finding,) = document["findings"]
    assert (finding["rule"], finding["claim"]) == ("iterate-bounds", "TDM-128")
    assert "iterate_count 1, and 2 rows by an instruction of their own" in finding["message"]
    assert plan(*words, 16)[1]["findings"] == []
    # An empty wave must not wrap below zero.
    for left in (0, -48):
        document = plan(*words, left)[1]
        assert (document["result"]["passes"]["passes"], document["result"]["passes"]["iterate_count"]) == (0, 0)
        assert [item["rule"] for item in document["findings"]] == ["no-pass"]
    status, document, _, _ = plan("--rows-left", 300, "--rows-per-pass", 1, "--json")
    assert status == 1 and errors(document) == [("field-range", "TDM-077")]


def test_several_questions_in_one_call(plan):
    words = ("--gather-rows", 9, "--stages", 2, "--tile-bytes", 64, "--cluster", "2,1", "--share", "all")
    status, document, _, _ = plan(*words, "--json")
    assert status == 0 and [name for name in document["result"] if document["result"][name]] == [
        *("gather", "ring", "multicast")
    ]
    out = plan(*words)[2]
    assert all(text in out for text in ("gather", "ring", "cluster", "0x0003", "TDM-067", "TDM-105", "TDM-081"))


def test_a_tile_with_its_gaps_fits_the_largest_allocation(plan):
    """327680 bytes: 158 rows of 2048 with 16 between them end at 326096, one more row at 328160."""
    for rows, rules in ((158, ["iterate-bounds"]), (159, ["lds-overflow", "iterate-bounds"])):
        words = ("--row-bytes", 2048, "--rows", rows, "--block-bytes", 2048, "--gap-bytes", 16, "--json")
        status, document, _, _ = plan(*words)
        assert status == 0 and [item["rule"] for item in document["findings"]] == rules


@pytest.mark.parametrize(
    "words, said",
    [
        ((), "ask something"),
        (("more",), "unexpected 'more'"),
        (("--waves", "2"), "--gather-rows is missing"),
        (("--tile-bytes", "64"), "--stages is missing"),
        (("--rows", "2"), "--block-bytes, --gap-bytes, --row-bytes are missing"),
        (("--gather-rows", "0"), "--gather-rows 0: 1.."),
        (("--gather-rows", "x"), "a number, decimal or 0x"),
        (("--gather-rows", "8", "--index-bits", "8"), "16 or 32"),
        (("--gather-rows", "8", "--index-bits"), "needs a value"),
        (("--stages", "2", "--tile-bytes", "64", "--shape", "round"), "after, before, between"),
        (("--stages", "1", "--tile-bytes", "64", "--shape", "before"), "2 or more"),
        (("--cluster", "2,0"), "at least 1"),
        (("--cluster", "2,2,2,2"), "1 to 3 extents"),
        (("--cluster", "two"), "1 to 3 extents of at least 1, such as 4,2"),
        (("--cluster", "2*2"), "1 to 3 extents of at least 1, such as 4,2"),
        (("--cluster", "2,2", "--share", "half"), "rows, columns, all, none, or different numbers of 0..3"),
        (("--cluster", "2,2", "--share", "0,0"), "0..3"),
        (("--cluster", "2,2", "--share", "4"), "0..3"),
        (("--rows-left", "4"), "--rows-per-pass is missing"),
        (("--rows-left", "four", "--rows-per-pass", "4"), "a number"),
        (("--rows-left", "4", "--rows-per-pass", "0"), "--rows-per-pass 0: 1.."),
        (("--row-bytes", "4", "--rows", "0xffffffff", "--block-bytes", "4", "--gap-bytes", "4"), "at most 65536"),
    ],
)
def test_wrong_usage_is_one_message(plan, words, said):
    status, _, out, err = plan(*words)
    assert (status, out) == (2, "") and said in err and err.count("\n") == 1


def test_help_names_every_option(plan):
    from cdna_evidence.cli.tdm_plan import OPTIONS

    status, _, out, _ = plan("--help")
    assert status == 0
    assert [name for group in OPTIONS.values() for name in group if name not in out] == []
