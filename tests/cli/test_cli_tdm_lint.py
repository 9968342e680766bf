# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm lint` over the traps that public problems report, and over the forms in which descriptors are found."""

import json
import pathlib
import random

import pytest

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import encode
from cdna_evidence.cli import main
from cdna_evidence.cli.output import SCHEMA

FIELDS = {
    "data_size": 1,
    "tensor_dim0": 100,
    "tensor_dim1": 64,
    "tile_dim0": 64,
    "tile_dim1": 16,
    "tensor_dim0_stride": 512,
}
GATHER = FIELDS | {"gather_mode": 1, "tile_dim1": 4, "row_indices": [1, 7, 9, 12]}
PADDED = FIELDS | {"pad_enable": 1, "pad_interval": 4, "pad_amount": 3}
PASSES = FIELDS | {"iterate_enable": 1, "iterate_count": 3, "lds_addr_increment": 1024, "global_addr_increment": 8192}


def run(monkeypatch, capsys, text, *options):
    """Return (status, document) of a lint of standard input."""
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))
    status = main(["tdm", "lint", "--json", "-", *options])
    out = capsys.readouterr()
    return status, json.loads(out.out) if out.out else out.err


def lines(*descriptors):
    """One descriptor a line, as words."""
    return "\n".join(" ".join(f"{word:08x}" for word in encode(fields)) for fields in descriptors)


def moved(fields, columns=0, rows=0, **changes):
    """The descriptor of another tile of the same tensor, its bounds left as they were."""
    step = (columns + rows * fields["tensor_dim0_stride"]) << fields["data_size"]
    return fields | {"global_addr": fields.get("global_addr", 1 << 40) + step} | changes


HERE = FIELDS | {"global_addr": 1 << 40}
CUT = HERE | {"tensor_dim0_stride": 64, "tensor_dim0": 64}
# Each of the twelve traps of the facts, as far as descriptors show it: the slip, the rule, and the same done right.
TRAPS = [
    (
        "1 stride cut",
        [CUT, moved(CUT, 0, 1, global_addr=(1 << 40) + 2 * (2**32 + 64), tensor_dim1=63)],
        "stride-cut",
        "TDM-019",
    ),
    ("1 stride cut, overlap", [FIELDS | {"tensor_dim0_stride": 4096 * 17 & 0xFFF | 32}], "stride-overlap", "TDM-008"),
    ("2 interval cut", [PADDED | {"tile_dim0": 1024, "pad_interval": 0}], "pad-interval-cut", "TDM-031"),
    (
        "2 interval spilt",
        [PADDED | {"tile_dim0": 1024, "pad_interval": 0, "pad_amount": 3 | 1}],
        "pad-interval-cut",
        "TDM-031",
    ),
    ("3 odd amount", [PADDED | {"pad_amount": 2}], "pad-odd-dwords", "TDM-033"),
    ("3 half a DWORD", [PADDED | {"tile_dim0": 63}], "pad-row-multiple", "TDM-035"),
    ("5 negative offset", [HERE, moved(HERE, -8, tensor_dim0=108)], "near-edge", "TDM-047"),
    ("5 past the end", [FIELDS | {"tensor_dim0": -28 & 0xFFFFFFFF}], "bound-negative", "TDM-047"),
    ("6 bound left", [HERE, moved(HERE, 64)], "bound-not-moved", "TDM-024"),
    ("6 row bound left", [HERE, moved(HERE, 0, 56)], "bound-not-moved", "TDM-025"),
    ("7 extent zero", [FIELDS | {"tensor_dim1": 0}], "empty-tensor", "TDM-043"),
    ("8 length of the list", [GATHER | {"tensor_dim1": 4}], "gather-bound-is-list", "TDM-073"),
    ("8 column bound left", [GATHER | {"global_addr": 1 << 40}, moved(GATHER, 64)], "bound-not-moved", "TDM-024"),
    ("9 past the tensor", [PASSES | {"iterate_count": 4}], "iterate-past-bound", "TDM-076"),
    ("9 wrapped", [PASSES | {"iterate_count": 65535}], "iterate-count-wrapped", "TDM-077"),
    (
        "10 ring",
        [HERE, moved(HERE, 0, 16, lds_addr=4096, tensor_dim1=48), moved(HERE, 0, 32, tensor_dim1=32)],
        "lds-reuse",
        "TDM-106",
    ),
    ("12 mask of one", [FIELDS | {"workgroup_mask": 2}], "mask-single", "TDM-083"),
    (
        "carry",
        [HERE | {"global_addr": 0x7F00FFFFFF80}, HERE | {"global_addr": 0x7F0000000000, "tensor_dim0": 36}],
        "address-carry-lost",
        "TDM-020",
    ),
]


@pytest.mark.parametrize("name, descriptors, rule, claim", TRAPS, ids=[trap[0] for trap in TRAPS])
def test_each_trap_is_named_with_its_claim_and_its_fix(name, descriptors, rule, claim, monkeypatch, capsys):
    status, document = run(monkeypatch, capsys, lines(*descriptors))
    hits = [item for item in document["findings"] if item["rule"] == rule]
    assert [item["claim"] for item in hits] == [claim]
    assert hits[0]["message"].startswith(f"line {len(descriptors)}: ")
    assert "Fix" in hits[0]["message"]
    assert set(hits[0]) == {"rule", "severity", "message", "claim", "field"}
    assert status == (1 if any(item["severity"] == "error" for item in document["findings"]) else 0)
    assert document["schema"] == SCHEMA and document["command"] == "tdm lint"


def test_trap_4_the_start_of_each_wave(monkeypatch, capsys):
    rows = [PADDED | {"tile_dim1": 1, "pad_interval": 5, "tensor_dim0_stride": 64, "tensor_dim0": 64} for _ in range(3)]
    parts = [moved(each, 0, k, lds_addr=128 * k, tensor_dim1=64 - k) for k, each in enumerate(rows)]
    _, document = run(monkeypatch, capsys, lines(*parts))
    assert [(item["rule"], item["claim"]) for item in document["findings"]] == [("wave-start", "TDM-038")]


def test_trap_12_a_mask_without_a_cluster(monkeypatch, capsys):
    text = lines(FIELDS | {"workgroup_mask": 0x8003})
    assert run(monkeypatch, capsys, text)[1]["findings"][0]["rule"] == "mask-needs-cluster"
    for cluster, rule in (("1", "mask-without-cluster"), ("0", "mask-without-cluster"), ("4", "mask-outside-cluster")):
        status, document = run(monkeypatch, capsys, text, "--cluster", cluster)
        assert status == 1 and [item["rule"] for item in document["findings"]] == [rule]
    assert run(monkeypatch, capsys, text, "--cluster=16")[1]["findings"] == []
    assert run(monkeypatch, capsys, text, "--cluster", "17")[0] == 2


@pytest.mark.parametrize(
    "copy, rule, words",
    [
        (
            {"pad": [{"interval_dwords": 32, "amount_dwords": 4}, {"interval_dwords": 256, "amount_dwords": 8}]},
            "field-range",
            "single pair",
        ),
        ({"pad": {"interval_dwords": 512, "amount_dwords": 4}}, "field-range", "2 to 256"),
        ({"pad": {"interval_dwords": 48, "amount_dwords": 4}}, "field-range", "power of two"),
        ({"pad": {"interval_dwords": 32, "amount_dwords": 129}}, "field-range", "1 to 128"),
        ({"strides": [1 << 48]}, "field-range", "0..281474976710655"),
        ({"at": [-8, 0]}, "negative-offset", "before the tensor"),
        ({"iterate": {"count": 0}}, "field-range", "1 to 256 passes"),
    ],
)
def test_what_a_copy_asks_for_in_vain(copy, rule, words, monkeypatch, capsys):
    asked = {"element_bits": 16, "base": 1 << 40, "at": [0, 0], "tensor": [500, 64], "strides": [512], "tile": [64, 16]}
    _, document = run(monkeypatch, capsys, json.dumps([{"name": "mine", "copy": asked | copy}]))
    (item,) = [each for each in document["findings"] if each["severity"] != "info"]
    assert item["rule"] == rule and words in item["message"] and item["message"].startswith("mine: ") and item["claim"]


def test_a_debuggers_dump_of_several_descriptors(monkeypatch, capsys):
    stale = moved(HERE, 64, lds_addr=2048)
    words = list(encode(HERE)) + list(encode(stale)) + list(encode(GATHER | {"tensor_dim1": 4}))
    dumped = [f"s{n:<14} 0x{word:08x}          {word}" for n, word in enumerate(words)]
    random.Random(3).shuffle(dumped)
    _, document = run(monkeypatch, capsys, "(gdb) info registers s0-s43\n" + "\n".join(dumped))
    assert [item["name"] for item in document["result"]["descriptors"]] == ["s[0:11]", "s[12:23]", "s[24:43]"]
    assert [item["rule"] for item in document["findings"]] == ["bound-not-moved", "gather-bound-is-list"]
    assert document["findings"][0]["message"].startswith("s[12:23]: ")


def ir(words, verb="load.to", mask="2,1,1"):
    """LLVM IR with one call of the two-group form."""
    groups = [
        ", ".join(f"i32 {word - (1 << 32) if word >> 31 else word}" for word in part)
        for part in (words[:4], words[4:12])
    ]
    call = f"call void @llvm.amdgcn.tensor.{verb}.lds.d2(<4 x i32> <{groups[0]}>, <8 x i32> <{groups[1]}>, i32 0)"
    return f'define amdgpu_kernel void @k() #0 {{\n  {call}\n  ret void\n}}\nattributes #0 = {{ "amdgpu-cluster-dims"="{mask}" }}\n'


def test_a_compilers_constants(monkeypatch, capsys):
    masked = encode(FIELDS | {"workgroup_mask": 3})
    assert run(monkeypatch, capsys, ir(masked))[1]["findings"] == []
    status, document = run(monkeypatch, capsys, ir(masked, mask="1,1,1"))
    assert status == 1 and [item["rule"] for item in document["findings"]] == ["mask-without-cluster"]
    _, document = run(monkeypatch, capsys, ir(encode(PADDED), "store.from"))
    assert [item["rule"] for item in document["findings"]] == ["pad-on-store"]
    assert document["result"]["descriptors"][0]["name"] == "line 2"


def test_words_that_are_not_constant_are_not_judged(monkeypatch, capsys):
    """A kernel argument as the address and a loop's bound: the rest is judged all the same."""
    text = ir(encode(PADDED | {"tile_dim0": 63, "tensor_dim0": 0, "global_addr": 0}))
    text = text.replace("<4 x i32> <i32 1, i32 0, i32 0, i32 -2147483648>", "<4 x i32> %address")
    status, document = run(monkeypatch, capsys, text)
    assert status == 1
    assert [item["rule"] for item in document["findings"]] == ["pad-row-multiple", "empty-tensor", "not-constant"]
    assert "words 0, 1, 2, 3" in document["findings"][-1]["message"]
    assert not [item for item in document["findings"] if item["field"] in ("type", "count", "global_addr", "lds_addr")]


def test_mlir_constants(monkeypatch, capsys):
    words = encode(FIELDS | {"type": 0})
    text = "".join(
        f"  %{n} = llvm.mlir.constant(dense<{[w - (1 << 32) if w >> 31 else w for w in part]}> : vector<{len(part)}xi32>) : vector<{len(part)}xi32>\n"
        for n, part in enumerate((words[:4], words[4:12]))
    )
    status, document = run(monkeypatch, capsys, text)
    assert status == 1 and [item["rule"] for item in document["findings"]] == ["type-not-image"]
    text += "  %2 = llvm.mlir.zero : vector<4xi32>\n  rocdl.tensor.load.to.lds %0, %1, %2, %2, 0 : vector<4xi32>, vector<8xi32>\n"
    status, document = run(monkeypatch, capsys, text)
    assert status == 1 and [item["rule"] for item in document["findings"]] == ["type-not-image"]


@pytest.mark.parametrize("text", ["s0 0x1 1\n", "s0 0x1 1\nwhat\n", ir((1, 2, 3))])
def test_text_that_holds_no_descriptor(text, monkeypatch, capsys):
    status, message = run(monkeypatch, capsys, text)
    assert status == 2 and "standard input" in message and "\n" not in message.strip()


def test_a_dump_in_capitals_and_comments_of_an_assembler(monkeypatch, capsys):
    words = (1, 0, 0x1000, 0x80000000, 0x00010000, 0x400000, 0x400000, 0x400000, 0x10, 0x40, 0, 0)
    text = "".join(f"S{n}: 0X{word:08X}\r\n" for n, word in enumerate(words)) + "EXEC 0xFFFFFFFF\r\n"
    status, document = run(monkeypatch, capsys, text)
    (found,) = document["result"]["descriptors"]
    assert (status, found["name"], found["mode"]) == (0, "s[0:11]", "dense")
    text = "; of an assembler\n" + " ".join(f"{word:x}" for word in words) + "\n; end\n"
    assert [item["name"] for item in run(monkeypatch, capsys, text)[1]["result"]["descriptors"]] == ["line 2"]


def test_an_instruction_alone_tells_no_words(monkeypatch, capsys):
    text = "; of a compiler\ntensor_load_to_lds s[0:3], s[4:11]\ns_wait_tensorcnt 0x0\n"
    status, message = run(monkeypatch, capsys, text)
    assert status == 2 and "names registers and not what they hold" in message


def test_what_the_other_commands_read_and_print_can_be_linted(monkeypatch, capsys):
    """A file for `run`, with its list of instructions and NULL groups; what `encode` printed, twice; one object a line."""
    document = {"fields": GATHER, "null_groups": [2, 3], "ops": ["store", "store"], "memory": [], "lds": {}, "read": []}
    for text in (json.dumps(document), json.dumps(dict(document, fields=None, words=list(encode(GATHER)))).replace('"fields": null, ', "")):
        found = run(monkeypatch, capsys, text)[1]["result"]["descriptors"]
        assert [(item["mode"], [each["rule"] for each in item["findings"]]) for item in found] == [("gather16", ["gather-null-indices", "scatter-repeats"])]
    assert main(["tdm", "encode", str(_file(monkeypatch, {"fields": FIELDS | {"tile_dim0": 0}}))]) == 0
    printed = capsys.readouterr().out
    assert "warning: " in printed
    for text in (printed + printed, "\n".join(2 * [json.dumps({"fields": FIELDS | {"tile_dim0": 0}})])):
        found = run(monkeypatch, capsys, text)[1]["result"]["descriptors"]
        assert [[each["rule"] for each in item["findings"]] for item in found] == [["nop-tile-dim0"]] * 2
    assert run(monkeypatch, capsys, '{"fields": {"tile_dim0": 4,}}')[1].startswith("cdna tdm: standard input:1:28: not JSON")


def _file(monkeypatch, document):
    """Put a document on standard input and return the name of that."""
    import io
    import sys

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(document).encode()), encoding="utf-8"))
    return "-"


def test_mode_and_rank_are_told_only_where_their_words_are_constant(monkeypatch, capsys):
    """Word 4 says whether passes are made, word 8 holds two of the tile's extents; word 5 says neither."""
    words = [str(word) for word in encode(FIELDS)]
    call = "call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> <{}>, <8 x i32> {}, i32 0)\n"
    for word, mode, rank in ((4, None, None), (8, "dense", None), (5, "dense", 2)):
        typed = [f"i32 {text}" for text in words]
        typed[word] = "i32 0"
        body = f"%a = insertelement <8 x i32> <{', '.join(typed[4:])}>, i32 %x, i64 {word - 4}\n"
        text = "define void @k(i32 %x) {\n" + body + call.format(", ".join(typed[:4]), "%a") + "ret void\n}\n"
        (found,) = run(monkeypatch, capsys, text)[1]["result"]["descriptors"]
        assert (found["mode"], found["rank"]) == (mode, rank)


def test_a_walk_over_a_whole_matrix_is_silent(monkeypatch, capsys):
    copy = {"element_bits": 16, "base": 1 << 40, "tensor": [200, 100], "strides": [256], "tile": [64, 32]}
    tiles = [{**copy, "at": [x, y], "lds_addr": 0} for y in range(0, 100, 32) for x in range(0, 200, 64)]
    _, document = run(monkeypatch, capsys, lines(*[fields_of_copy(tile) for tile in tiles]))
    assert document["findings"] == []


def test_every_rule_is_explained_by_a_claim_of_the_register():
    import yaml

    root = pathlib.Path(__file__).parents[2] / "evidence" / "claims"
    listed = {claim["id"] for path in root.glob("*.yml") for claim in yaml.safe_load(path.read_text("utf-8"))}
    assert {trap[3] for trap in TRAPS} | {"TDM-038", "TDM-083", "TDM-091", "TDM-122", "TDM-003"} <= listed
