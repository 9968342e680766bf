# SPDX-License-Identifier: Apache-2.0
"""Kept contents of LDS and memory that programs not written here produced or assert, and public problem reports.

Every case runs twice: through the model, and through `cdna tdm run` as a user would type it.
"""

import hashlib
import json
import pathlib

import pytest

from cdna.lds.barrier import arrive
from cdna.tdm.copy import remaining
from cdna.tdm.descriptor import decode
from cdna.tdm.pad import padded_offset, reserved_bytes, wave_start, written_bytes
from cdna.tdm.transfer import run
from cdna_evidence.cli import main

CASES = pathlib.Path(__file__).parents[2] / "data" / "cases"
CONTENTS = json.loads((CASES / "tdm_lds_contents.json").read_text())["lds_contents"]
BYTE_RULES = {
    "byte i = i & 0xff": lambda i: i & 0xFF,
    "byte i = ((i*2654435761 mod 2^32) >> 16) & 0xff": lambda i: (i * 2654435761 % 2**32 >> 16) & 0xFF,
}


def problems(prefix):
    """Return the public problem reports whose id starts so."""
    found = []
    stack = [json.loads((CASES / "public_problems.json").read_text())]
    while stack:
        item = stack.pop()
        if isinstance(item, dict) and str(item.get("id", "")).startswith(prefix):
            found.append(item)
        elif isinstance(item, (dict, list)):
            stack += item.values() if isinstance(item, dict) else item
    return {item["id"]: item for item in found}


def words32(values):
    return b"".join(int(value, 16).to_bytes(4, "little") for value in values)


def unpack(case):
    """Return (fields, words, memory, lds) of a kept case."""
    if "descriptors" in case:
        fields, words = case["descriptors"][0]["fields"], case["descriptors"][0]["words"]
    else:
        fields, words = case["fields_in_D_order_encoded"], case["words"]
    flat = [int(word, 16) for group in ("group0", "group1", "group2", "group3") for word in words[group]]
    memory = []
    for item in case["memory_init"]:
        if "u32" in item:
            data = words32(item["u32"])
        else:
            data = bytes(BYTE_RULES[item["bytes_rule"]](i) for i in range(item["length"]))
        memory.append((int(item["addr"], 16), data))
    init = case["lds_init"]
    if "length" in init:
        lds = bytes([int(init["fill_u8"], 16)]) * init["length"]
    else:
        lds = words32(init["u32"]) + words32([init["fill_u32"]]) * (256 - len(init["u32"]))
    return fields, flat, memory, lds


def expected(case):
    """Return [(space, address, bytes)] of a kept case."""
    reads = []
    for space, key, where in (("lds", "expected_lds", "offset"), ("memory", "expected_memory", "addr")):
        for item in case.get(key, ()):
            at = item[where] if space == "lds" else int(item[where], 16)
            data = words32([item["u32"]]) if "u32" in item else bytes([item["u8"]])
            reads.append((space, at, data))
    return reads


def command(document, tmp_path, capsys, status=0):
    """Run `cdna tdm run` on a document and return what it prints as JSON."""
    path = tmp_path / "case.json"
    path.write_text(json.dumps(document))
    assert main(["tdm", "run", "--json", str(path)]) == status
    return json.loads(capsys.readouterr().out)


def document(fields, memory, lds, **more):
    init = [{"offset": 0, "hex": lds.hex()}]
    given = [{"addr": hex(address), "hex": data.hex()} for address, data in memory]
    return {"fields": fields, "memory": given, "lds": {"size": len(lds), "init": init}, **more}


def test_the_file_is_whole():
    assert len(CONTENTS) == 17
    assert sum("disputed" in case and case["disputed"] for case in CONTENTS) == 3


@pytest.mark.parametrize("case", CONTENTS, ids=lambda case: case["id"])
def test_kept_contents_through_the_model(case):
    """A disputed case is kept as its source's position: here every one of them agrees with this project's reading."""
    fields, words, memory, lds = unpack(case)
    nulls = (2, 3) if case.get("groups2_3_null") else ()
    for given in (fields, decode(words).fields):
        outcome = run(given, case["kind"], memory, lds, nulls)
        assert outcome.faults == () and outcome.counter == 0
        if "expected_lds_sha256" in case:
            assert outcome.lds[:32].hex() == case["expected_lds_first32"]
            assert len(outcome.lds) == case["expected_lds_length"]
            assert hashlib.sha256(outcome.lds).hexdigest() == case["expected_lds_sha256"]
        after = {"lds": outcome.lds, "memory": outcome.memory[0][1]}
        for space, at, data in expected(case):
            at -= 0 if space == "lds" else outcome.memory[0][0]
            assert after[space][at : at + len(data)] == data, (space, at)


@pytest.mark.parametrize("case", CONTENTS, ids=lambda case: case["id"])
def test_kept_contents_through_the_command(case, tmp_path, capsys):
    fields, words, memory, lds = unpack(case)
    wanted = expected(case)
    if "expected_lds_sha256" in case:
        wanted = [("lds", 0, bytes.fromhex(case["expected_lds_first32"]))]
    reads = [{"space": space, "addr": at, "length": len(data)} for space, at, data in wanted]
    reads.append({"space": "lds", "addr": 0, "length": len(lds)})
    nulls = [2, 3] if case.get("groups2_3_null") else []
    for source in ({"fields": fields}, {"words": [f"{word:08x}" for word in words]}):
        given = document(fields, memory, lds, op=case["kind"], read=reads, null_groups=nulls)
        del given["fields"]
        result = command({**given, **source}, tmp_path, capsys)["result"]
        assert result["reads"][:-1] == [data.hex() for space, at, data in wanted]
        assert (result["counter"], result["faults"]) == (0, [])
        if "expected_lds_sha256" in case:
            assert hashlib.sha256(bytes.fromhex(result["reads"][-1])).hexdigest() == case["expected_lds_sha256"]


@pytest.mark.parametrize("name", ["rj_barrier", "rj_rank3_null_g2"])
def test_the_barrier_cell_is_a_position_of_its_source(name, tmp_path, capsys):
    """The emulator's cell goes from 0 to 0x00000000ffff0000; compilers assume another layout: the result shows none."""
    case = next(case for case in CONTENTS if case["id"] == name)
    assert case["disputed"] and "0x00000000ffff0000" in case["note"]
    fields, words, memory, lds = unpack(case)
    given = document(fields, memory, bytes(128), op="load", null_groups=[2, 3])
    given["read"] = [{"space": "lds", "addr": 64, "length": 8}]
    answer = command(given, tmp_path, capsys)
    assert answer["result"]["barrier"] == [64]
    others = {item["position"]: item["result"]["reads"][0] for item in answer["disputed"]}
    assert others == {"emulator-16": "0000ffff00000000", "compiler-29": "000000e000000000"}
    assert arrive(0, 16) == 0x00000000FFFF0000


def test_column_56_of_64(tmp_path, capsys):
    """Width left at 64: the next row. Width 8, what remains: zeros."""
    memory = [(4096, b"".join(i.to_bytes(2, "little") for i in range(128)))]
    fields = {"data_size": 1, "tile_dim0": 16, "tensor_dim0": 64, "global_addr": 4096 + 2 * 56}
    for width, last in ((64, list(range(64, 72))), (8, [0] * 8)):
        given = document(dict(fields, tensor_dim0=width), memory, bytes([255]) * 32, op="load")
        given["read"] = [{"space": "lds", "addr": 0, "length": 32}]
        loaded = bytes.fromhex(command(given, tmp_path, capsys)["result"]["reads"][0])
        assert [int.from_bytes(loaded[i : i + 2], "little") for i in range(0, 32, 2)] == list(range(56, 64)) + last


@pytest.mark.parametrize("column, bound", [(0, 40), (16, 24), (32, 8)])
def test_ragged_40_columns(column, bound, tmp_path, capsys):
    memory = [(4096, b"".join(i.to_bytes(2, "little") for i in range(40)))]
    copy = {"element_bytes": 2, "base": 4096, "at": [column], "tensor": [40], "tile": [16]}
    given = document({}, memory, bytes([255]) * 32, op="load", read=[{"space": "lds", "addr": 0, "length": 32}])
    del given["fields"]
    result = command({**given, "copy": copy}, tmp_path, capsys)["result"]
    loaded = bytes.fromhex(result["reads"][0])
    want = [i if i < 40 else 0 for i in range(column, column + 16)]
    assert [int.from_bytes(loaded[i : i + 2], "little") for i in range(0, 32, 2)] == want
    assert remaining(40, column) == bound and result["faults"] == []


def test_to_01_negative_offset():
    problem = problems("TO-01")["TO-01"]
    given, right = problem["input"], problem["right_outcome"]
    assert remaining(given["tensor_dim0"], given["offset"]) == right["encoded_tensor_dim0"]
    fields = {"tile_dim0": given["tile_dim0"], "tensor_dim0": right["encoded_tensor_dim0"], "global_addr": 64}
    outcome = run(fields, "load", [(56, b"\xff" * 72)], b"\xee" * 16)
    assert outcome.lds == bytes(16) and outcome.faults == ()
    naive = run(dict(fields, tensor_dim0=right["naive_bound"], global_addr=56), "load", [(56, b"\xff" * 72)], bytes(16))
    assert naive.lds == b"\xff" * 16, "the bound that grew lets the engine read memory before the tensor"


def test_to_01_through_the_command(tmp_path, capsys):
    copy = {"element_bytes": 1, "base": 64, "at": [-8], "tensor": [64], "tile": [16]}
    read = [{"space": "lds", "addr": 0, "length": 16}]
    given = document({}, [(56, b"\xff" * 72)], b"\xee" * 16, op="load", read=read)
    del given["fields"]
    answer = command({**given, "copy": copy}, tmp_path, capsys)
    assert answer["result"]["reads"] == ["00" * 16]
    assert [item["rule"] for item in answer["findings"] if item["severity"] == "warning"] == ["negative-offset"]


def test_to_03_cluster_member(tmp_path, capsys):
    problem = problems("TO-03")["TO-03"]
    given, right = problem["input"], problem["right_outcome"]
    start = given["block_per_member"] * given["member"]
    assert remaining(given["columns"], start) == right["tensor_dim0"]
    fields = {"tile_dim0": given["block_per_member"], "tensor_dim0": right["tensor_dim0"], "global_addr": start}
    lds, memory = b"\x11" * 64, [(0, bytes(256))]
    stored = run(fields, "store", memory, lds).memory[0][1]
    assert stored.count(0x11) == right["stored_columns"] and stored[96:] == bytes(160)
    read = [{"space": "memory", "addr": 0, "length": 256}]
    answer = command(document(fields, memory, lds, op="store", read=read), tmp_path, capsys)
    assert answer["result"]["reads"] == [stored.hex()]


def test_to_04_extent_zero_is_empty(tmp_path, capsys):
    problem = problems("TO-04")["TO-04"]
    given, right = problem["input"], problem["right_outcome"]
    fields = {"data_size": 1, "tile_dim0": given["tile"][0], "tile_dim1": given["tile"][1]}
    fields.update(tensor_dim0=given["tensor_dim0"], tensor_dim1=given["tensor_dim1"], tensor_dim0_stride=16)
    memory = [(0, b"\x77" * 128)]
    loaded = run(fields, "load", memory, b"\xee" * 130)
    assert loaded.lds == bytes(128) + b"\xee" * 2 and loaded.counter == right["tensorcnt_after"]
    stored = run(fields, "store", memory, b"\xee" * 130)
    assert stored.memory == tuple(memory) and stored.counter == right["tensorcnt_after"]
    read = [{"space": "lds", "addr": 0, "length": 130}, {"space": "memory", "addr": 0, "length": 128}]
    answer = command(document(fields, memory, b"\xee" * 130, ops=["store", "load"], read=read), tmp_path, capsys)
    assert answer["result"]["reads"] == ["00" * 128 + "ee" * 2, "77" * 128]
    assert answer["result"]["counter"] == right["tensorcnt_after"]


def test_td_04_count_zero(tmp_path, capsys):
    problem = problems("TD-04")["TD-04"]
    right = problem["right_outcome"]
    words = [int(word, 16) for word in right["group0_words"]] + [0x00040000, 0x00100001, 0, 0x00100000, 0, 0, 0, 0]
    base = int(problem["input"]["global_addr"], 16)
    given = {"words": [f"{word:08x}" for word in words], "op": "load", "memory": [{"addr": base, "hex": "77" * 16}]}
    given.update(lds={"size": 2048, "fill_u8": 0xEE}, read=[{"space": "lds", "addr": 1024, "length": 16}])
    off = command(given, tmp_path, capsys)["result"]
    assert off["reads"] == ["ee" * 16] and len(off["barrier"]) == right["barrier_arrivals"]
    assert off["counter"] == right["tensorcnt_after"]
    given["words"][0] = right["active_word0"]
    on = command(given, tmp_path, capsys)["result"]
    assert on["reads"] == ["77" * 16] and on["barrier"] == [8]


def test_tp_07_and_tp_08_padding_arithmetic():
    found = problems("TP-")
    given, right = found["TP-07"]["input"], found["TP-07"]["right_outcome"]
    interval, amount = given["pad_block_bytes"], given["pad_bytes"]
    start = wave_start(given["wave"], given["chunk_bytes"], interval, amount)
    assert start == right["lds_start"] == padded_offset(given["wave"] * given["chunk_bytes"], interval, amount)
    given, right = found["TP-08"]["input"], found["TP-08"]["right_outcome"]
    size, interval, amount = given["unpadded_bytes"], given["interval_bytes"], given["pad_bytes"]
    assert reserved_bytes(size, interval, amount) == right["padded_bytes"]
    assert written_bytes(size, interval, amount) == right["padded_bytes"] - amount


def test_tp_08_where_the_last_byte_lands():
    given = problems("TP-08")["TP-08"]["input"]
    fields = {"data_size": 0, "tile_dim0": 256, "tile_dim1": 128, "tensor_dim0": 256, "tensor_dim1": 128}
    fields.update(tensor_dim0_stride=256, pad_enable=1, pad_interval=5, pad_amount=3)
    outcome = run(fields, "load", [(0, b"\x11" * given["unpadded_bytes"])], bytes(40000))
    assert outcome.lds.rindex(0x11) + 1 == 34800, "the report's note: reserved 34816, written 34800"
    assert outcome.lds.count(0x11) == given["unpadded_bytes"]


def test_tp_03_odd_dword_padding_is_flagged(tmp_path, capsys):
    """Interval code 5 with amount code 0: shown as the table decodes it, the prose calls it unpredictable."""
    given = problems("TP-03")["TP-03"]["input"]
    fields = {"data_size": 2, "tile_dim0": 128, "tensor_dim0": 128, "pad_enable": 1, "pad_interval": 5, "pad_amount": 0}
    read = [{"space": "lds", "addr": 0, "length": 520}]
    area = document(fields, [(0, b"\x11" * 512)], bytes(520), op="load", read=read)
    answer = command(area, tmp_path, capsys)
    loaded = bytes.fromhex(answer["result"]["reads"][0])
    assert loaded == b"\x11" * given["interval_bytes"] + bytes(given["pad_bytes"]) + b"\x11" * 256 + bytes(4)
    assert any(item["claim"] == "TDM-033" and item["severity"] == "warning" for item in answer["findings"])
    assert any(item["claim"] == "TDM-033" for item in answer["disputed"])


def test_tg_05_null_groups_gather_row_zero(tmp_path, capsys):
    problem = problems("TG-05")["TG-05"]
    right = problem["right_outcome"]["lds_rows"]
    fields = {"gather_mode": 1, "tile_dim0": 4, "tile_dim1": len(right), "tensor_dim0": 4, "tensor_dim1": 8}
    fields.update(tensor_dim0_stride=4, row_indices=[5, 6, 7, 3])
    rows = [bytes([16 * i + j for j in range(4)]) for i in range(8)]
    read = [{"space": "lds", "addr": 0, "length": 16}]
    given = document(fields, [(0, b"".join(rows))], bytes(16), op="load", null_groups=[2, 3], read=read)
    assert command(given, tmp_path, capsys)["result"]["reads"] == [b"".join(rows[row] for row in right).hex()]
    del given["null_groups"]
    want = b"".join(rows[row] for row in (5, 6, 7, 3)).hex()
    assert command(given, tmp_path, capsys)["result"]["reads"] == [want]


def test_ti_06_bounds_while_iterating_are_disputed(tmp_path, capsys):
    """The report states an emulator's rule; this project's reading is the other one, and both answers are given."""
    problem = problems("TI-06")["TI-06"]
    given, right = problem["input"], problem["right_outcome"]
    assert problem["confidence"] == "disputed"
    fields = {"tile_dim0": 4, "tile_dim1": given["tile_rows"], "tensor_dim0": 4, "tensor_dim1": given["tensor_rows"]}
    fields.update(tensor_dim0_stride=4, iterate_enable=1, iterate_count=given["iterations"] - 1)
    fields.update(global_addr_increment=16, lds_addr_increment=16)
    area = document(fields, [(0, b"\x11" * 48)], bytes([0xEE]) * 48, op="load")
    area["read"] = [{"space": "lds", "addr": 0, "length": 48}]
    answer = command(area, tmp_path, capsys)
    assert answer["result"]["reads"] == ["11" * 48]
    (other,) = [item for item in answer["disputed"] if item["position"] == "advanced"]
    assert other["result"]["reads"] == ["11" * 4 * right["rows_copied"] + "00" * 4 * right["rows_zero"]]
