# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm run`: wrong input gives one message and status 2; what is right is shown for people and programs."""

import json

import pytest

from cdna_evidence.cli import main

GOOD = {
    "fields": {"tile_dim0": 4, "tensor_dim0": 4},
    "op": "load",
    "memory": [{"addr": "0x0", "hex": "01020304"}],
    "lds": {"size": 8, "fill_u32": "0xcafecafe"},
    "read": [{"space": "lds", "addr": 0, "length": 8}],
}


def call(document, tmp_path, capsys, *options):
    """Return (status, standard output, standard error)."""
    path = tmp_path / "in.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    status = main(["tdm", "run", *options, str(path)])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def test_json(tmp_path, capsys):
    status, out, err = call(GOOD, tmp_path, capsys, "--json")
    answer = json.loads(out)
    assert (status, err) == (0, "")
    assert answer["schema"] == 1 and answer["command"] == "tdm run" and answer["target"] == "gfx1250"
    assert answer["result"] == {"reads": ["01020304fecafeca"], "counter": 0, "barrier": [], "faults": []}
    assert answer["disputed"] == []


def test_text_names_reads_and_faults(tmp_path, capsys):
    status, out, err = call(dict(GOOD, memory=[{"addr": 0, "hex": "0102"}]), tmp_path, capsys)
    assert status == 0 and "0102feca fecafeca" in out.replace("  ", " ")
    assert "no memory was given: 2 bytes, the first at 2" in out


def test_standard_input(monkeypatch, capsys):
    import io
    import types

    monkeypatch.setattr("sys.stdin", types.SimpleNamespace(buffer=io.BytesIO(json.dumps(GOOD).encode())))
    assert main(["tdm", "run", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["result"]["reads"] == ["01020304fecafeca"]


def test_numbers_may_be_text_and_words_are_hexadecimal(tmp_path, capsys):
    words = "0x00000001 0 0 80000000, 0 00040000 0 00040000 0 0 0 0"
    fields = {"tile_dim0": "4", "tensor_dim0": "0x4"}
    for source in ({"fields": fields}, {"words": words}, {"words": words.replace(",", "").split()}):
        given = {key: value for key, value in GOOD.items() if key != "fields"}
        given.update(source)
        status, out, err = call(given, tmp_path, capsys, "--json")
        assert status == 0 and json.loads(out)["result"]["reads"] == ["01020304fecafeca"]


def test_several_instructions_in_order(tmp_path, capsys):
    given = dict(GOOD, ops=["store", "load"])
    del given["op"]
    given["read"] = [{"space": "memory", "addr": 1, "length": 2}, {"space": "lds", "addr": 0, "length": 4}]
    status, out, err = call(given, tmp_path, capsys, "--json")
    assert json.loads(out)["result"]["reads"] == ["cafe", "fecafeca"]


def test_memory_in_two_touching_pieces(tmp_path, capsys):
    given = dict(GOOD, memory=[{"addr": 2, "hex": "03 04"}, {"addr": 0, "hex": "0102"}])
    given["read"] = [{"space": "memory", "addr": 1, "length": 3}, {"space": "lds", "addr": 0, "length": 4}]
    status, out, err = call(given, tmp_path, capsys, "--json")
    assert json.loads(out)["result"] == {"reads": ["020304", "01020304"], "counter": 0, "barrier": [], "faults": []}


def test_an_error_finding_gives_status_1_and_still_shows_the_copy(tmp_path, capsys):
    fields = {"tile_dim0": 3, "tensor_dim0": 3, "pad_enable": 1, "pad_interval": 1, "pad_amount": 1}
    status, out, err = call(dict(GOOD, fields=fields), tmp_path, capsys, "--json")
    answer = json.loads(out)
    assert status == 1 and answer["result"]["reads"] == ["010203cafecafeca"]
    assert [item["claim"] for item in answer["findings"] if item["severity"] == "error"] == ["TDM-035"]


@pytest.mark.parametrize("change", [{"count": 2}, {"is_restore": 1}, {"type": 0}])
def test_what_is_not_modelled_is_not_told(change, tmp_path, capsys):
    status, out, err = call(dict(GOOD, fields=dict(GOOD["fields"], **change)), tmp_path, capsys, "--json")
    answer = json.loads(out)
    assert status == 1 and answer["result"]["reads"] is None and answer["disputed"] == []
    assert list(change)[0] in answer["result"]["refused"]
    assert any(item["severity"] == "error" for item in answer["findings"])


def test_stored_padding_and_gather_bits_are_disputed(tmp_path, capsys):
    padded = {"data_size": 2, "tile_dim0": 4, "tensor_dim0": 4, "pad_enable": 1, "pad_interval": 0, "pad_amount": 1}
    given = {"fields": padded, "op": "store", "memory": [{"addr": 0, "hex": "00" * 16}]}
    given.update(lds={"size": 24, "init": [{"offset": 0, "hex": bytes(range(24)).hex()}]})
    given["read"] = [{"space": "memory", "addr": 0, "length": 16}]
    answer = json.loads(call(given, tmp_path, capsys, "--json")[1])
    assert answer["result"]["reads"] == [bytes(range(16)).hex()]
    (other,) = answer["disputed"]
    assert other["claim"] == "TDM-036"
    assert other["result"]["reads"] == [(bytes(range(8)) + bytes(range(16, 24))).hex()]
    plain = "40000001 0 0 80000000 0 00040000 00040000 00040000 00000001 00000004 0 0 2 0 0 0 0 0 0 0"
    given = dict(GOOD, words=plain, memory=[{"addr": 0, "hex": bytes(range(16)).hex()}])
    del given["fields"]
    given["read"] = [{"space": "lds", "addr": 0, "length": 4}]
    answer = json.loads(call(given, tmp_path, capsys, "--json")[1])
    assert answer["result"]["reads"] == ["00010203"]
    assert [(item["claim"], item["result"]["reads"]) for item in answer["disputed"]] == [("TDM-060", ["08090a0b"])]


def test_count_zero_shows_what_the_other_position_means(tmp_path, capsys):
    """One list of fields that must be zero names count: under it, zero is no null tensor."""
    fields = dict(GOOD["fields"], count=0)
    answer = json.loads(call(dict(GOOD, fields=fields), tmp_path, capsys, "--json")[1])
    assert answer["result"]["reads"] == ["fecafecafecafeca"]
    (other,) = answer["disputed"]
    assert (other["claim"], other["result"]["reads"]) == ("TDM-010", ["01020304fecafeca"])


def test_a_no_op_with_a_barrier_says_that_nobody_knows(tmp_path, capsys):
    fields = {"tile_dim0": 0, "atomic_barrier_enable": 1}
    answer = json.loads(call(dict(GOOD, fields=fields), tmp_path, capsys, "--json")[1])
    assert answer["result"]["barrier"] == [0]
    assert "nop-arrive" in [item["rule"] for item in answer["findings"]]


@pytest.mark.parametrize(
    "change, said",
    [
        ("[]", "the file: an object"),
        ("{", "1:2: not JSON"),
        ("\xff", "not JSON"),
        ('{"op": 1, "op": 2}', "twice"),
        ("[" * 100000, "not"),
        ({"extra": 1}, 'unknown key "extra"'),
        ({"words": "1"}, "give one of words, fields and copy"),
        ({"fields": None}, '"fields" must be an object, not null'),
        ({"fields": {"tile_dim9": 1}}, "tile_dim9"),
        ({"op": "move"}, 'op="move"'),
        ({"op": ["load"]}, 'op=["load"]'),
        ({"ops": ["load"]}, "not both"),
        ({"memory": {}}, "memory: a list"),
        ({"memory": [{"addr": 0}]}, "memory[0]: hex is missing"),
        ({"memory": [{"addr": 0, "hex": "123"}]}, "memory[0].hex: 3 digits, two make a byte"),
        ({"memory": [{"addr": 0, "hex": "zz"}]}, 'memory[0].hex="zz"'),
        ({"memory": [{"addr": 0, "hex": 12}]}, "memory[0].hex=12"),
        ({"memory": [{"addr": -1, "hex": "00"}]}, "memory[0].addr=-1"),
        ({"memory": [{"addr": "1e3", "hex": "00"}]}, 'memory[0].addr="1e3"'),
        ({"memory": [{"addr": hex(2**57 - 1), "hex": "0000"}]}, "above 2^57"),
        ({"memory": [{"addr": 0, "hex": "0000"}, {"addr": 1, "hex": "00"}]}, "memory[1] overlaps memory[0]"),
        ({"memory": [{"addr": 0, "hex": "00", "size": 1}]}, 'memory[0]: unknown key "size"'),
        ({"lds": {"size": -1}}, "lds.size=-1"),
        ({"lds": {"size": 327681}}, "lds.size=327681: 0..327680"),
        ({"lds": {"size": 8, "fill_u8": 256}}, "lds.fill_u8=256: 0..255"),
        ({"lds": {"size": 8, "fill_u8": 0, "fill_u32": 0}}, "fill_u8 or fill_u32"),
        ({"lds": {"size": 8, "init": [{"offset": 7, "hex": "0000"}]}}, "lds.init[0]: bytes 7 to 8"),
        ({"read": [{"space": "lds", "addr": 0, "length": 9}]}, "read[0]: LDS bytes 0 to 8: the allocation has 8"),
        ({"read": [{"space": "memory", "addr": 0, "length": 5}]}, "read[0]: no memory was given at 4"),
        ({"read": [{"space": "vgpr", "addr": 0, "length": 1}]}, 'read[0].space="vgpr"'),
        ({"read": [{"space": "lds", "addr": 0}]}, "read[0]: length is missing"),
        ({"null_groups": [1]}, "null_groups=1: 2..3"),
        ({"null_groups": 2}, "null_groups: a list"),
    ],
)
def test_wrong_input_is_one_message(change, said, tmp_path, capsys):
    document = change if isinstance(change, str) else dict(GOOD, **change)
    status, out, err = call(document, tmp_path, capsys)
    assert (status, out) == (2, "")
    assert said in err and err.startswith("cdna tdm") and err.count("\n") == 1


@pytest.mark.parametrize(
    "words, said",
    [
        ("1 2 3", "words: 3 given"),
        (["0x1_0"] * 12, "'0x1_0': not hexadecimal"),
        (["123456789"] * 12, "'123456789': more than 32 bits"),
        ([1 << 32] + [0] * 11, "words[0]=4294967296"),
        ([None] * 12, "words[0]=null"),
        (7, "words: a list"),
    ],
)
def test_wrong_words(words, said, tmp_path, capsys):
    given = {key: value for key, value in GOOD.items() if key != "fields"}
    status, out, err = call(dict(given, words=words), tmp_path, capsys)
    assert (status, out) == (2, "") and said in err


def test_a_run_without_end_is_refused(tmp_path, capsys):
    fields = {"tile_dim0": 65535, "tile_dim1": 65535, "tensor_dim0": 65535, "tensor_dim1": 65535, "iterate_enable": 1}
    fields["iterate_count"] = 65535
    status, out, err = call(dict(GOOD, fields=fields, lds={"size": 327680}), tmp_path, capsys)
    assert status == 2 and "iterate_count=65535" in err


@pytest.mark.parametrize(
    "document, said",
    [
        ({"fields": {"tile_dim0": 65536}}, "tile_dim0=65536: 0..65535"),
        ({"fields": {"tile_dim0": -1}}, "tile_dim0=-1: 0..65535"),
        ({"fields": {"tile_dim0": 1.5}}, "tile_dim0=1.5: an integer"),
        ({"fields": {"tile_dim0": True}}, "tile_dim0=true: an integer"),
        ({"fields": {"tile_dim0": None}}, "tile_dim0=null: an integer"),
        ({"fields": {"tile_dim0": "9" * 5000}}, 'tile_dim0="999'),
        ({"fields": {"iterate_count": 1}}, "iterate_count=1"),
        ({"copy": {"element_bytes": 3, "tile": [4], "tensor": [4]}}, "element_bytes=3"),
    ],
)
def test_encode_and_run_refuse_what_fits_no_field_alike(document, said, tmp_path, capsys):
    """A finding and exit status 1 in both: the file can be read, and what it asks for does not exist."""
    path = tmp_path / "encode.json"
    path.write_text(json.dumps(document))
    assert main(["tdm", "encode", str(path), "--json"]) == 1
    encoded = json.loads(capsys.readouterr().out)
    given = {key: value for key, value in GOOD.items() if key != "fields"}
    status, out, err = call(dict(given, **document), tmp_path, capsys, "--json")
    ran = json.loads(out)
    assert (status, err) == (1, "") and ran["result"]["reads"] is None and said in ran["result"]["refused"]
    assert ran["findings"] == encoded["findings"] and said in ran["findings"][0]["message"]


def test_findings_see_what_a_null_group_makes_of_the_list(tmp_path, capsys):
    """llvm/llvm-project#171540: without index groups each row is row 0, so a scatter writes row 0 each time."""
    fields = {"gather_mode": 1, "tile_dim0": 1, "tile_dim1": 3, "tensor_dim0": 1, "tensor_dim1": 9, "row_indices": [1, 2, 3]}
    document = dict(GOOD, fields=dict(fields, tensor_dim0_stride=1), op="store")
    for groups, rules in (([], []), ([2, 3], ["gather-null-indices", "scatter-repeats"])):
        answer = json.loads(call(dict(document, null_groups=groups), tmp_path, capsys, "--json")[1])
        assert [item["rule"] for item in answer["findings"]] == rules
        assert ("strictly-increasing" in [item["position"] for item in answer["disputed"]]) == bool(groups)


def test_missing_file(capsys):
    assert main(["tdm", "run", "no-such-file.json"]) == 2
    assert "no-such-file.json" in capsys.readouterr().err
