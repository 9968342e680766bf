# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm decode|encode|pad|lint` as other programs script it, and with input that is wrong on purpose."""

import io
import json
import os
import pathlib
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cdna_evidence.cli import main

CASES = pathlib.Path(__file__).parents[1] / "data" / "cases"
VECTORS = json.loads((CASES / "tdm_descriptor_words.json").read_text())["descriptor_words"]
EXAMPLE = (
    "00000001 00000000 12365680 80007f00 07110000 01b40000 03680000 00400000 00000040 00000200 00000000 00000000"
).split()
DOCUMENT_KEYS = ["schema", "command", "target", "result", "findings", "disputed"]


class Answer:
    """Exit status, output and message of one call."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    @property
    def document(self):
        return json.loads(self.out)

    @property
    def rules(self):
        return [(item["rule"], item["severity"]) for item in self.document["findings"]]


def call(arguments, text=None):
    """Run `cdna tdm ...` in this process; text: standard input."""
    out, err, stdin = io.StringIO(), io.StringIO(), None
    if text is not None:
        data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        stdin = io.TextIOWrapper(io.BytesIO(data))
    saved = sys.stdout, sys.stderr, sys.stdin
    sys.stdout, sys.stderr, sys.stdin = out, err, stdin or saved[2]
    try:
        status = main(["tdm", *arguments])
    finally:
        sys.stdout, sys.stderr, sys.stdin = saved
    return Answer(status, out.getvalue(), err.getvalue())


def encode(document):
    return call(["encode", "--json", "-"], document if isinstance(document, (str, bytes)) else json.dumps(document))


def refused(answer, *mentioned):
    assert answer.status == 2, answer.err
    assert answer.out == ""
    assert answer.err.count("\n") == 1 and "Traceback" not in answer.err
    for text in mentioned:
        assert text in answer.err


def test_the_example_of_the_readme():
    answer = call(["decode", *EXAMPLE, "--json"])
    assert answer.status == 0
    assert list(answer.document) == DOCUMENT_KEYS
    assert [answer.document[key] for key in DOCUMENT_KEYS[:3]] == [1, "tdm decode", "gfx1250"]
    result = answer.document["result"]
    assert list(result) == ["groups", "mode", "rank", "fields", "meaning"]
    assert (result["mode"], result["rank"]) == ("dense", 2)
    assert result["groups"] == {"group0": EXAMPLE[:4], "group1": EXAMPLE[4:]}
    plain = result["meaning"]
    assert plain["element_bytes"] == 2
    assert (plain["tile"], plain["tensor"], plain["strides"]) == ([64, 64], [436, 872], [512])
    assert (plain["pad"]["amount_dwords"], plain["pad"]["interval_dwords"]) == (4, 32)
    assert answer.document["findings"] == []


def test_the_example_for_a_person():
    answer = call(["decode", *EXAMPLE])
    assert answer.status == 0
    said = ("dense, rank 2", "2 bytes", "64 x 64", "436 x 872", "512 elements (1024 bytes)", "4 DWORDs after every 32")
    for text in said:
        assert text in answer.out
    assert "error" not in answer.out and "disputed" not in answer.out


@pytest.mark.parametrize(
    "arguments, text",
    [
        (EXAMPLE, None),
        ([" ".join(EXAMPLE)], None),
        (["[" + ", ".join("0x" + word for word in EXAMPLE) + "]"], None),
        (["{0x" + "u, 0X".join(EXAMPLE) + "u}"], None),
        (["\n".join(word.upper() for word in EXAMPLE)], None),
        (["".join(EXAMPLE)], None),
        ([word.lstrip("0") or "0" for word in EXAMPLE], None),
        (["-"], " ".join(EXAMPLE)),
        (["-"], ";\n".join(EXAMPLE) + "\n"),
        (["--", *EXAMPLE], None),
    ],
)
def test_words_may_come_in_any_dress(arguments, text):
    answer = call(["decode", "--json", *arguments], text)
    assert answer.status == 0
    assert answer.document["result"]["groups"] == {"group0": EXAMPLE[:4], "group1": EXAMPLE[4:]}


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "descriptor_words"], ids=lambda v: v["id"])
def test_vectors_decode_and_encode(vector):
    groups = vector["words"]
    words = [word for group in ("group0", "group1", "group2", "group3") for word in groups[group]]
    answer = call(["decode", "--json", *words])
    assert answer.status == 0
    fields = answer.document["result"]["fields"]
    wanted = {"count": 1, "type": 2} | vector["fields_in_D_order_encoded"]
    assert {name: value for name, value in fields.items() if value} == {n: v for n, v in wanted.items() if v}
    written = encode({"fields": vector["fields_in_D_order_encoded"]})
    assert written.status == 0
    found = written.document["result"]["words"]
    assert ["0x" + word for word in found] + ["0x00000000"] * (20 - len(found)) == words
    assert written.document["result"]["groups"]["group1"] == found[4:12]


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "group1_words"], ids=lambda v: v["id"])
def test_group_one_alone(vector):
    answer = call(["decode", "--json", "--group", "1", *vector["words"]["group1"]])
    assert answer.status == 0
    fields = answer.document["result"]["fields"]
    assert {name: fields[name] for name in vector["fields_in_D_order_encoded"]} == vector["fields_in_D_order_encoded"]
    assert list(answer.document["result"]["groups"]) == ["group1"]


@pytest.mark.parametrize("vector", [v for v in VECTORS if v["kind"] == "index_words"], ids=lambda v: v["id"])
def test_gather_from_the_command_line(vector):
    rows = vector["row_indices"]
    bits = 16 if "16" in vector["id"] else 32
    copy = {"element_bytes": 2, "global_addr": "0x1000", "tensor": [64, 8], "strides": [64], "tile": [16]}
    answer = encode({"copy": copy | {"gather": {"indices": rows, "index_bits": bits}}})
    assert answer.status == 0
    words = answer.document["result"]["words"]
    assert ["0x" + word for word in words[12:16]] == vector["expected"]["group2"]
    decoded = call(["decode", "--json", *words]).document["result"]
    assert (decoded["mode"], decoded["rank"], decoded["fields"]["row_indices"]) == (f"gather{bits}", 2, rows)


def test_a_disputed_word_has_both_answers():
    answer = call(["decode", "--json", "40000001", "0", "0", "80000000"])
    assert answer.status == 0
    assert answer.document["result"]["mode"] == "dense"
    assert answer.document["result"]["rank"] is None
    assert ("index-size-without-gather", "warning") in answer.rules
    other = {item["claim"]: item["result"] for item in answer.document["disputed"]}
    assert other["TDM-060"]["mode"] == "gather16"
    assert list(answer.document["disputed"][0]) == ["claim", "position", "result"]


def test_modes_of_group_zero_alone(problem):
    words = problem("TD-04")["right_outcome"]["group0_words"]
    answer = call(["decode", "--json", *words])
    assert (answer.status, answer.document["result"]["mode"]) == (0, "null")
    assert list(answer.document["result"]["groups"]) == ["group0"]
    assert call(["decode", "--json", "5", "0", "0", "80000000"]).document["result"]["mode"] == "restore"
    assert call(["decode", "--json", "c0000001", "0", "0", "80000000"]).document["result"]["rank"] == 2


def test_an_error_finding_is_status_one():
    answer = call(["decode", "--json", *["0"] * 12])
    assert answer.status == 1
    assert ("zeroed-descriptor", "error") in answer.rules
    assert set(answer.document["findings"][0]) == {"rule", "severity", "message", "claim", "field"}


def test_the_operation_may_be_said():
    words = encode({"fields": {"tile_dim0": 4, "tensor_dim0": 4, "pad_enable": 1, "pad_interval": 2, "pad_amount": 1}})
    words = words.document["result"]["words"]
    assert call(["decode", "--json", *words]).rules == []
    assert call(["decode", "--json", "--op", "store", *words]).rules == [("pad-on-store", "warning")]


@pytest.mark.parametrize(
    "arguments, mentioned",
    [
        ([], "0 words"),
        (["zz"], "'zz'"),
        (["1", "0x"], "'0x'"),
        (["123456789"], "'123456789': more than 32 bits"),
        (["0x1_0"], "'0x1_0'"),
        (["-1"], "'-1'"),
        (EXAMPLE[:11], "11 words"),
        (EXAMPLE[:8], "--group 1"),
        (["--group", "1", *EXAMPLE], "--group 1 takes 8"),
        (["--group", "2", *EXAMPLE[:4]], "'2'"),
        (["--group"], "needs a value"),
        (["--wrong", *EXAMPLE], "'--wrong'"),
        (["--json", "--json", *EXAMPLE], "twice"),
        (["--op", "copy", *EXAMPLE], "'copy'"),
        ([*EXAMPLE[:11], "٣"], "not hexadecimal"),
        (["x" * 100000], "not hexadecimal"),
        (["\udcff\x00"], "not hexadecimal"),
    ],
)
def test_words_that_are_wrong(arguments, mentioned):
    answer = call(["decode", *arguments])
    refused(answer, mentioned)
    assert len(answer.err) < 400


@pytest.mark.parametrize("mark", [":", "/", "-", "_", ".", "+", ":0x"])
def test_any_mark_may_stand_between_words_of_eight_digits(mark):
    assert call(["decode", "--json", mark.join(EXAMPLE)]).document == call(["decode", "--json", *EXAMPLE]).document


@pytest.mark.parametrize("text", ["0x1000: 0x1 0x0 0x0 0x80000000", "8000_0000 0 0 80000000", "s00000001:00000000"])
def test_a_mark_inside_other_numbers_is_refused(text):
    refused(call(["decode", text]), "not hexadecimal")


def test_what_encode_prints_can_be_decoded_with_its_findings():
    printed = call(["encode", "-"], json.dumps({"fields": {"tile_dim0": 4, "pad_enable": 1, "workgroup_mask": 1}}))
    assert "warning: " in printed.out and "info: " in printed.out
    fields = call(["decode", "--json", "-"], printed.out).document["result"]["fields"]
    assert (fields["tile_dim0"], fields["pad_enable"], fields["workgroup_mask"]) == (4, 1, 1)


def test_standard_input_that_is_no_text():
    refused(call(["decode", "-"], b"\xff\xfe"), "UTF-8")
    refused(call(["decode", "-"], ""), "0 words")


@given(st.lists(st.text(max_size=12), max_size=24), st.booleans())
@settings(max_examples=200)
def test_no_command_line_ends_in_a_traceback(words, json_wanted):
    answer = call(["decode", *(["--json"] if json_wanted else []), *words], text="")
    assert answer.status in (0, 1, 2)
    assert (answer.status == 2) == bool(answer.err)


@given(st.lists(st.integers(0, 0xFFFFFFFF), min_size=20, max_size=20), st.sampled_from([4, 12, 16, 20]))
@settings(max_examples=60)
def test_all_words_decode_for_a_person(words, length):
    answer = call(["decode", *[f"{word:x}" for word in words[:length]]])
    assert answer.status in (0, 1)
    assert answer.err == ""


def test_encode_a_negative_offset(problem):
    asked = problem("TO-01")["input"]
    copy = {"element_bytes": 2, "base": 4096, "at": [asked["offset"]], "tensor": [asked["tensor_dim0"]]}
    answer = encode({"copy": copy | {"tile": [asked["tile_dim0"]]}})
    assert answer.status == 0
    assert ("negative-offset", "warning") in answer.rules
    fields = call(["decode", "--json", *answer.document["result"]["words"]]).document["result"]["fields"]
    assert fields["tensor_dim0"] == problem("TO-01")["right_outcome"]["encoded_tensor_dim0"]


@pytest.mark.parametrize(
    "document, field, claim",
    [
        ({"fields": {"pad_interval": 9}}, "pad_interval", "TDM-031"),
        ({"fields": {"tensor_dim0_stride": 1 << 48}}, "tensor_dim0_stride", "TDM-019"),
        ({"fields": {"global_addr": 1 << 57}}, "global_addr", "TDM-019"),
        ({"fields": {"count": True}}, "count", "TDM-010"),
        ({"fields": {"lds_addr": 1.5}}, "lds_addr", "TDM-029"),
        ({"fields": {"lds_addr": "here"}}, "lds_addr", "TDM-029"),
        ({"fields": {"lds_addr": None}}, "lds_addr", "TDM-029"),
        ({"fields": {"lds_addr": {}}}, "lds_addr", "TDM-029"),
        ({"fields": {"iterate_enable": 1, "tile_dim3": 2}}, "tile_dim3", "TDM-004"),
        ({"fields": {"gather_mode": 1, "row_indices": [70000]}}, "row_indices[0]", "TDM-059"),
        ({"fields": {"gather_mode": 1, "row_indices": 7}}, "row_indices", "TDM-059"),
    ],
)
def test_what_does_not_fit_is_an_error_finding(document, field, claim):
    answer = encode(document)
    assert answer.status == 1
    assert answer.document["result"] == {"words": None, "groups": None}
    found = answer.document["findings"]
    assert [(item["severity"], item["field"], item["claim"]) for item in found] == [("error", field, claim)]
    assert found[0]["message"].startswith(field + "=")


def test_two_padding_pairs_from_the_command_line():
    copy = {"element_bytes": 2, "base": 0, "tensor": [64], "tile": [64], "pad": [{}, {}]}
    answer = encode({"copy": copy})
    assert answer.status == 1
    assert "single pair" in answer.document["findings"][0]["message"]


@pytest.mark.parametrize(
    "text, mentioned",
    [
        ("", "not JSON"),
        ("{", ":1:2"),
        ("[]", "an object"),
        ("7", "an object"),
        ("null", "an object"),
        ("{}", "is needed"),
        ('{"fields": {}, "copy": {}}', "is needed"),
        ('{"fields": []}', "must be an object"),
        ('{"copy": null}', "must be an object"),
        ('{"field": {}}', '"field"'),
        ('{"fields": {"pad_intervall": 1}}', '"pad_intervall"'),
        ('{"fields": {"count": 1, "count": 0}}', "twice"),
        ('{"fields": {"count": NaN}}', "NaN"),
        ('{"copy": {"tile": [1], "tensor": [1], "element_bytes": 1, "base": 0, "swizzle": 1}}', "copy.swizzle"),
        ('{"copy": {"element_bytes": 1}}', "tile"),
        ('{"copy": {"tile": [1], "tensor": [1], "element_bytes": 1}}', "global_addr"),
        ("[" * 100000, "not readable"),
        ('{"fields": {"count": ' + "9" * 5000 + "}}", "not readable"),
    ],
)
def test_files_that_are_wrong(text, mentioned):
    refused(encode(text), mentioned)


def test_files_that_are_not_there(tmp_path):
    refused(call(["encode", str(tmp_path / "none.json")]), "none.json")
    refused(call(["encode", str(tmp_path)]), str(tmp_path))
    refused(call(["encode"]), "give one FILE")
    refused(call(["encode", "a", "b"]), "give one FILE")
    refused(call(["lint", str(tmp_path / "none")]), "none")
    (tmp_path / "image").write_bytes(b"\x89PNG\xff")
    refused(call(["encode", str(tmp_path / "image")]), "UTF-8")


def test_numbers_in_a_file_may_be_hexadecimal_text(tmp_path):
    path = tmp_path / "copy.json"
    path.write_text(json.dumps({"fields": {"lds_addr": "0x400", "global_addr": "0x7f0012345600", "count": "0"}}))
    answer = call(["encode", "--json", str(path)])
    assert answer.document["result"]["groups"]["group0"] == ["00000000", "00000400", "12345600", "80007f00"]


def test_pad():
    answer = call(["pad", "--row-bytes", "256", "--pad-bytes", "16", "--element-bytes", "2", "--rows", "128", "--json"])
    assert answer.status == 0
    result = answer.document["result"]
    keys = ("interval_code", "amount_code", "row_starts", "written_bytes", "reserved_bytes")
    assert set(keys) <= set(result)
    assert (result["interval_code"], result["amount_code"]) == (5, 3)
    assert result["row_starts"][:3] == [0, 272, 544] and len(result["row_starts"]) == 128
    assert (result["written_bytes"], result["reserved_bytes"]) == (34800, 34816)
    assert call(["pad", "--row-bytes=0x100", "--pad-bytes=16"]).status == 0


def test_an_extent_beyond_31_bits_is_no_negative_number_where_a_copy_gives_it():
    copy = {"element_bytes": 1, "base": 0, "at": [64], "tensor": [3_000_000_064], "tile": [64]}
    answer = encode({"copy": copy})
    fields = call(["decode", *answer.document["result"]["words"], "--json"])
    assert answer.rules == [] and fields.rules == [("bound-negative", "warning")]
    assert fields.document["result"]["fields"]["tensor_dim0"] == 3_000_000_000
    assert call(["lint", "-"], json.dumps({"copy": copy})).out == "descriptor 1: dense, 0 findings\n"
    assert "signed" not in call(["run", "-"], json.dumps({"copy": copy, "op": "load"})).out


def test_what_encode_prints_is_read_by_the_others():
    copy = {"element_bytes": 2, "global_addr": 4096, "tensor": [64, 64, 4], "tile": [64, 16, 2], "strides": [64, 4096]}
    for small in (copy, copy | {"tensor": [64, 64], "tile": [64, 16], "strides": [64]}):
        document = json.dumps({"copy": small})
        plain, machine = call(["encode", "-"], document).out, call(["encode", "-", "--json"], document)
        words = machine.document["result"]["words"]
        groups = call(["decode", "-", "--json"], plain).document["result"]["groups"]
        assert [word for group in groups.values() for word in group] == words
        assert call(["lint", "-"], plain).out == "line 1: dense, 0 findings\n"
        assert call(["lint", "-"], machine.out).out == "descriptor 1: dense, 0 findings\n"
        runs = [call(["run", "-"], json.dumps({"words": given, "op": "load"})).out for given in (words, groups, plain)]
        assert runs[0] == runs[1] == runs[2] and "no memory was given" in runs[0]
    for groups, said in (
        ({"group0": ["1"], "group1": []}, "words.group0: 1 given, it has 4"),
        ({"group0": ["1", "0", "0", "80000000"]}, "group1 is missing"),
        (dict.fromkeys(("group0", "group1", "group3"), []), "group2 is missing"),
        ({"group0": 1, "group1": []}, "words.group0: a list, not 1"),
    ):
        refused(call(["run", "-"], json.dumps({"words": groups, "op": "load"})), said)


@pytest.mark.parametrize(
    "name, mode, group, bits, coding, unit",
    [
        # The manual's tables 62 to 67.
        ("global_addr", "dense", 0, [64, 120], "literal", "bytes"),
        ("data_size", "dense", 1, [16, 17], "log2", "bytes"),
        ("PAD_INTERVAL", "dense", 1, [22, 24], "power-of-two", "DWORDs"),
        ("pad_amount", "dense", 1, [25, 31], "minus-one", "DWORDs"),
        ("atomic_barrier_address", "dense", 1, [32, 47], "shifted-3", "bytes"),
        ("tensor_dim1_stride", "dense", 1, [208, 255], "literal", "elements"),
        ("tile_dim3", "dense", 2, [112, 127], "literal", "elements"),
        ("iterate_count", "iterate", 2, [112, 127], "minus-one", None),
        ("tile_dim4", "dense", 3, [80, 95], "literal", "elements"),
    ],
)
def test_a_field_by_its_name(name, mode, group, bits, coding, unit):
    result = call(["fields", name, "--json"]).document["result"]
    (field,) = result["fields"]
    assert (result["mode"], field["name"]) == (mode, name.lower())
    assert (field["group"], field["bits"], field["coding"], field["unit"]) == (group, bits, coding, unit)
    assert field["claim"].startswith("TDM-")


def test_which_bits_must_be_zero_and_which_groups_may_be_missing():
    result = call(["fields", "--json"]).document["result"]
    assert result["must_be_zero"]["fields"] == ["is_restore", "is_store", "nv", "scope", "th", "user_null"]
    assert result["must_be_zero"]["reserved"] == [[0, 11, 29], [0, 121, 125], [3, 96, 127]]
    assert "2 and 3 both or neither" in result["groups"][0] and "groups 0 and 1 are never NULL" in result["groups"][0]
    rows = call(["fields", "row_indices", "--mode", "gather32", "--json"]).document["result"]["fields"]
    assert [row["bits"] for row in rows] == [[32 * i, 32 * i + 31] for i in range(4)] * 2
    assert "pad_amount" in call(["fields"]).out and "row_index_15" in call(["fields", "row_indices"]).out
    refused(call(["fields", "pad"]), "'pad': the fields are count,")
    refused(call(["fields", "iterate_count", "--mode", "dense"]), "only with --mode iterate")
    refused(call(["fields", "--mode", "gather"]), "dense, iterate, gather16, gather32")


def test_pad_after_an_interval_that_is_no_row():
    """HazyResearch/HipKittens#57: 16 bytes after every 256; four rows of 64 bytes share a gap. By hand: 320 + 16."""
    words = ["pad", "--row-bytes", "64", "--pad-bytes", "16", "--interval-bytes", "256", "--element-bytes", "2"]
    result = call([*words, "--rows", "6", "--at", "1,5", "--json"]).document["result"]
    assert (result["interval_code"], result["amount_code"], result["row_stride"]) == (5, 3, None)
    assert result["row_starts"] == [0, 64, 128, 192, 272, 336]
    assert result["byte"] == {"packed": 322, "padded": 338}
    # Two gaps in a row: 2048 bytes, 8 after every 1024, so each row takes 2064.
    words = ["pad", "--row-bytes", "2048", "--pad-bytes", "8", "--interval-bytes", "1024", "--rows", "3"]
    result = call([*words, "--json"]).document["result"]
    assert (result["row_starts"], result["row_stride"]) == ([0, 2064, 4128], 2064)
    assert call(words).out.splitlines()[2].endswith("2064 bytes")
    for wrong in ("0", "100", "2048", "-8"):
        answer = call([*words[:5], "--interval-bytes", wrong, "--json"])
        assert answer.status == 1 and answer.document["findings"][0]["claim"] == "TDM-031"


def test_pad_tells_first_where_the_element_lands():
    words = ["pad", "--row-bytes", "128", "--pad-bytes", "16", "--element-bytes", "2", "--rows", "4"]
    assert call([*words, "--at", "3,2"]).out.startswith("element 3,2, byte 262 without gaps, lands at 294\n")
    assert call([*words, "--byte", "262"]).out.startswith("byte 262 without gaps, lands at 294\n")
    # Four rows of 128 bytes: rows 0 to 3, bytes 0 to 511.
    assert call([*words, "--at", "63,3"]).status == call([*words, "--byte", "511"]).status == 0
    refused(call([*words, "--at", "0,4"]), "row 4 of 4")
    refused(call([*words, "--byte", "512"]), "512 bytes")


def test_pad_of_more_than_a_workgroup_can_have():
    """327680 bytes: 315 rows of 1024 with 16 between them take 327584, 316 take 328624; unpadded, 320 rows fit."""
    for pad, rows, rules in (("16", 315, []), ("16", 316, ["lds-overflow"]), ("0", 320, []), ("0", 321, ["lds-overflow"])):
        answer = call(["pad", "--row-bytes", "1024", "--pad-bytes", pad, "--rows", str(rows), "--json"])
        assert answer.status == 0 and [rule for rule, _ in answer.rules] == rules


def test_a_field_with_a_slip_is_told_the_right_name():
    names = (("Tile_Dim0", "did you mean tile_dim0?"), ("tensor_dim_0", "tensor_dim0"), ("what", "the fields are count,"))
    for name, said in names:
        assert said in encode({"fields": {name: 4}}).err


def test_pad_that_sources_disagree_on(problem):
    asked = problem("TP-03")["input"]
    arguments = ["--row-bytes", str(asked["interval_bytes"]), "--pad-bytes", str(asked["pad_bytes"]), "--json"]
    answer = call(["pad", *arguments])
    assert answer.status == 0
    assert set(answer.rules) == {("pad-mixed-codes", "warning"), ("pad-odd-dwords", "warning")}
    assert [item["claim"] for item in answer.document["disputed"]] == ["TDM-033"]


def test_pad_that_cannot_be():
    answer = call(["pad", "--row-bytes", "2048", "--pad-bytes", "16", "--json"])
    assert answer.status == 1
    assert answer.document["result"]["interval_code"] is None
    assert answer.document["findings"][0]["claim"] == "TDM-031"
    plain = call(["pad", "--row-bytes", "2048", "--pad-bytes", "0", "--rows", "2", "--json"])
    assert (plain.status, plain.document["result"]["row_starts"]) == (0, [0, 2048])


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--row-bytes", "256"],
        ["--row-bytes", "many", "--pad-bytes", "16"],
        ["--row-bytes", "2_5", "--pad-bytes", "16"],
        ["--row-bytes", "1e3", "--pad-bytes", "16"],
        ["--row-bytes", "9" * 5000, "--pad-bytes", "16"],
        ["256", "16"],
        ["--row-bytes", "256", "--pad-bytes"],
        ["--rows", "", "--row-bytes", "256", "--pad-bytes", "16"],
    ],
)
def test_pad_options_that_are_wrong(arguments):
    refused(call(["pad", *arguments]))


@pytest.mark.parametrize("value", ["-4", "0", "99999999999999999999"])
def test_pad_numbers_out_of_range(value):
    assert call(["pad", "--row-bytes", value, "--pad-bytes", "16"]).status == 1
    assert call(["pad", "--row-bytes", "256", "--pad-bytes", "16", "--rows", value]).status == 1


LINE = " ".join(EXAMPLE)
SMALL = {"tile_dim0": 1, "tensor_dim0": 1}
ODD = LINE.replace("07110000", "07010000")  # pad off, codes left over


@pytest.mark.parametrize(
    "text, names",
    [
        (f"{LINE}\n{LINE}\n", ["line 1", "line 2"]),
        (f"# two\n{LINE}\n\n// more\n" + "\n".join(EXAMPLE) + "\n", ["line 2", "line 5"]),
        (json.dumps(EXAMPLE), ["descriptor 1"]),
        (json.dumps([LINE, EXAMPLE, [int(word, 16) for word in EXAMPLE]]), [f"descriptor {i}" for i in (1, 2, 3)]),
        (json.dumps([{"name": "a", "words": EXAMPLE}, {"id": "b", "fields": SMALL}]), ["a", "b"]),
        ("\n".join(f"s{i + 4} = 0x{EXAMPLE[i]}" for i in range(12)), ["s[4:15]"]),
        ("s[0:3]: " + " ".join(EXAMPLE[:4]) + "\ns[4:11]: " + " ".join(EXAMPLE[4:]), ["s[0:11]"]),
        (
            "<4 x i32> <i32 1, i32 0, i32 305550976, i32 -2147451136>\n<8 x i32> <i32 118554624, i32 28573696, "
            "i32 57147392, i32 4194304, i32 64, i32 512, i32 0, i32 0>\n",
            ["line 1"],
        ),
    ],
)
def test_lint_reads_many_forms(text, names):
    answer = call(["lint", "--json", "-"], text)
    assert answer.status == 0, answer.err
    listed = answer.document["result"]["descriptors"]
    assert [item["name"] for item in listed] == names
    assert all(item["mode"] == "dense" and item["findings"] == [] for item in listed)


def test_lint_says_which_one():
    answer = call(["lint", "--json", "-"], f"{LINE}\n{ODD}\n" + LINE.replace("80007f00", "00007f00"))
    assert answer.status == 1
    listed = answer.document["result"]["descriptors"]
    rules = [[item["rule"] for item in each["findings"]] for each in listed]
    assert rules == [[], ["pad-not-enabled"], ["type-not-image"]]
    assert answer.document["findings"][0]["message"].startswith("line 2: ")
    answer = call(["lint", "-"], json.dumps([{"fields": {"pad_interval": 8}}]))
    assert answer.status == 1 and "pad_interval=8" in answer.out


NO_DESCRIPTORS = ["", "\n\n", "zz\n", "1 2 3\n", "[1, 2]", "[[1.5]]", '["zz"]', "[null]", '{"words": 7}', "[true]", "{"]
NO_DESCRIPTORS += ["[[]]", "[]", '{"fields": {"x": 1}}', '[{"words": [{}]}]']


@pytest.mark.parametrize("text", NO_DESCRIPTORS)
def test_lint_of_what_is_no_descriptor(text):
    refused(call(["lint", "-"], text))


KEYS = st.sampled_from(["words", "fields", "copy", "name", "tile", "group0"])
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=3),
)


@given(st.text(max_size=60) | JSON_VALUES.map(json.dumps))
@settings(max_examples=200)
def test_no_file_ends_in_a_traceback(text):
    for command in ("lint", "encode"):
        assert call([command, "-"], text).status in (0, 1, 2)


def test_help_and_unknown_commands():
    assert call(["--help"]).status == 0
    assert call(["decode", "--help"]).out.startswith("usage: cdna tdm")
    assert call([]).status == 2
    refused(call(["explode"]), "'explode'")


HEAVY = {"argparse", "json", "pydantic", "yaml", "pytest", "rich", "dataclasses", "inspect", "subprocess", "pathlib", "tempfile", "datetime",
         "decimal", "fractions", "random", "logging", "socket", "threading", "urllib", "importlib.metadata", "cdna_evidence.register"}  # fmt: skip


def test_decode_imports_nothing_heavy():
    """What it imports decides how fast it starts; `python -m bench` measures that, in start-ups of a bare interpreter."""
    program = "import sys; from cdna_evidence.cli import main; main(); print(' '.join(sys.modules))"
    bare, decode = (
        set(subprocess.run([sys.executable, "-c", text, *EXAMPLE], capture_output=True, text=True, check=True).stdout.splitlines()[-1].split())
        for text in ("import sys; print(' '.join(sys.modules))", program.replace("main()", "main(['tdm', 'decode', *sys.argv[1:]])"))
    )
    assert not HEAVY & (decode - bare)
    assert sum(name.startswith("cdna") for name in decode) <= 20


CDNA = [sys.executable, "-c", "import sys; from cdna_evidence.cli import main; sys.exit(main())"]
NAMED = '[{"name": %s, "words": [1,0,0,2147483648,0,0,0,0,0,0,0,0]}]'


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("name", ['"\\ud800"', '"\\ud83d\\udca5"', '"\\u001b[31m\\n"'])
def test_any_name_prints_on_any_output(name, encoding):
    """What the output's encoding lacks is escaped; JSON stays JSON, and no stranger's ESC reaches the terminal."""
    for option in ([], ["--json"]):
        done = subprocess.run(
            [*CDNA, "tdm", "lint", "-", *option],
            input=(NAMED % name).encode(),
            capture_output=True,
            env=dict(os.environ, PYTHONIOENCODING=encoding),
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout
        if option:
            json.loads(done.stdout.decode(encoding))


@pytest.mark.parametrize("command", ["encode", "run"])
@pytest.mark.parametrize("kind", ["fields", "copy"])
def test_a_key_with_control_characters_stays_on_one_line(command, kind):
    """The message quotes the key, the terminal is not steered by it."""
    answer = call([command, "-"], json.dumps({kind: {"a\n\x1b[31m": 1}, "op": "load"} if command == "run" else {kind: {"a\n\x1b[31m": 1}}))

    assert answer.status == 2
    assert answer.err.count("\n") == 1 and "\x1b" not in answer.err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
def test_a_full_disk_and_a_closed_input_are_one_message():
    """Neither ends in a traceback."""
    command = [*CDNA, "tdm", "decode"]
    for words in ([*command, *EXAMPLE], [*CDNA, "--help"], [*CDNA, "--version"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 2 and done.stderr.count(b"\n") == 1
    done = subprocess.run(["sh", "-c", '"$@" - <&-', "sh", *command], capture_output=True)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1


def test_a_message_that_cannot_be_told_does_not_go_to_standard_output():
    """With standard error closed or full, the exit status says it alone."""
    for closed in ("2>&-", "2>/dev/full"):
        if "full" not in closed or os.path.exists("/dev/full"):
            done = subprocess.run(["sh", "-c", '"$@" ' + closed, "sh", *CDNA, "tdm", "decode", "x"], stdout=subprocess.PIPE)
            assert (done.returncode, done.stdout) == (2, b""), closed
