# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma waits` and `cdna mfma audit`: answers, their shape, exit statuses and refusals."""

import json

import pytest

from cdna_evidence import witnesses
from cdna_evidence.cli import main
from cdna_evidence.cli.mfma_waits import nops

F16 = "v_mfma_f32_16x16x16_f16"


@pytest.fixture
def call(capsys):
    """Return a function that runs `cdna mfma ...` and returns (status, document or None, output, error)."""

    def run(*words):
        status = main(["mfma", *words])
        printed = capsys.readouterr()
        document = json.loads(printed.out) if "--json" in words and printed.out else None
        return status, document, printed.out, printed.err

    return run


def asked(target, first, then, via, *more):
    return ["waits", "--target", target, "--first", first, "--then", then, "--via", via, *more]


@pytest.mark.parametrize(
    "target, first, then, via, states",
    [
        ("gfx942", F16, F16, "ab", 7),
        ("gfx950", F16, F16, "ab", 8),
        ("gfx942", F16, F16, "partial", 5),
        ("gfx950", F16, F16, "partial", 6),
        ("gfx950", F16, F16, "exact", 0),
        ("gfx942", F16, "valu", "c-war", 3),
        ("gfx950", F16, "ds", "read", 8),
        ("gfx950", "v_mfma_f64_16x16x4_f64", "store", "read", 18),
        ("gfx942", "valu", F16, "ab", 2),
        ("gfx942", "trans", F16, "exact", 2),
        ("gfx942", "valu-exec", F16, "exec", 4),
        ("gfx942", "salu-exec", F16, "exec", 0),
        ("gfx950", F16, "v_smfmac_i32_16x16x64_i8", "index", 8),
        ("gfx950", F16, "v_mfma_scale_f32_16x16x128_f8f6f4", "scale", 8),
        ("gfx950", "store", "valu", "c-war", 2),
        ("gfx950", "global_store_dwordx2", "valu", "c-war", 0),
        # M0 in front of a copy to LDS, of either kind; a load into registers does not read it.
        ("gfx942", "s_mov_b32", "buffer_load_dword_lds", "read", 1),
        ("gfx942", "s_mov_b32", "buffer_load_dword", "read", 0),
        ("gfx950", "v_mov_b32", "v_permlane16_swap_b32", "read", 2),
    ],
)
def test_answers(call, target, first, then, via, states):
    status, document, _, _ = call(*asked(target, first, then, via, "--json", "--no-run"))
    assert (status, document["command"], document["target"]) == (0, "mfma waits", target)
    assert document["result"]["wait_states"] == states
    assert document["result"]["rule"] and document["result"]["claim"].startswith("MFMA-")
    assert document["result"]["by_compiler"] == []


def test_the_formats_of_f8f6f4_may_be_given_four_ways(call):
    op = "v_mfma_f32_16x16x128_f8f6f4"
    ways = (
        [op + " cbsz:4 blgp:4"],
        [op, "--cbsz", "4", "--blgp", "4"],
        [op, "--a-format", "fp4", "--b-format", "fp4"],
        [op, "--a-format", "fp4", "--blgp", "4"],
    )
    for first, *more in ways:
        status, document, _, _ = call(*asked("gfx950", first, "valu", "read", "--json", "--no-run", *more))
        assert (status, document["result"]["wait_states"], document["result"]["first"]["passes"]) == (0, 8, 4)
    _, document, _, _ = call(*asked("gfx950", op, "valu", "read", "--json", "--no-run"))
    assert (document["result"]["wait_states"], document["result"]["first"]["passes"]) == (12, 8)


def test_compilers_answer_for_themselves(call):
    here = [item.name for item in witnesses.available() if item.here]
    status, document, _, _ = call(*asked("gfx950", F16, F16, "partial", "--json"))
    entries = {item["compiler"]: item for item in document["result"]["by_compiler"]}
    assert status == 0 and list(entries) == ["clang", "llc"] and document["findings"] == []
    for name, item in entries.items():
        if name in here:
            assert (item["wait_states"], item["reason"]) == (6, "") and item["version"] and item["command"]
        else:
            assert item["wait_states"] is None and "get it" in item["reason"]


def test_a_missing_compiler_is_said_and_nothing_more(call):
    class Absent:
        TITLE, ANSWERS, HOW_TO_GET = "llc", (), "apt-get install llvm-22"

        def find(self, cache=None, fresh=False):
            raise witnesses.Missing("llc of LLVM 22 is not installed", self.HOW_TO_GET)

    witnesses.register("llc", Absent())
    try:
        status, document, _, _ = call(*asked("gfx942", F16, "valu", "read", "--json"))
    finally:
        witnesses.unregister("llc")
    assert (status, document["result"]["wait_states"]) == (0, 7)
    assert "apt-get" in document["result"]["by_compiler"][1]["reason"]


def test_another_opcode_is_disputed(call):
    _, document, _, _ = call(*asked("gfx950", "v_mfma_f32_16x16x32_f16", F16, "exact", "--json", "--no-run"))
    assert document["result"]["wait_states"] == 0
    (other,) = document["disputed"]
    assert (other["claim"], other["position"], other["result"]["wait_states"]) == (
        "MFMA-020",
        "like-partial-overlap",
        6,
    )


def test_text_gives_the_answer_first(call):
    status, _, out, _ = call(*asked("gfx942", F16, F16, "ab", "--no-run"))
    assert status == 0 and out.splitlines()[0] == "7 wait states: s_nop 6"
    _, _, out, _ = call(*asked("gfx942", F16, F16, "exact", "--no-run"))
    assert out.splitlines()[0] == "0 wait states: nothing to insert"
    assert nops(20) == ["s_nop 7", "s_nop 7", "s_nop 3"] and nops(0) == []


@pytest.mark.parametrize(
    "words, said",
    [
        (asked("gfx1250", F16, "valu", "read"), "gfx942, gfx950"),
        (asked("gfx942", "v_mfma_f32_16x16x32_f16", "valu", "read"), "only on gfx950"),
        (asked("gfx942", F16, "valu", "sideways"), "via='sideways'"),
        (asked("gfx942", "nonsense", "valu", "read"), "op='nonsense'"),
        (asked("gfx950", "v_mfma_f32_16x16x128_f8f6f4", "valu", "read", "--cbsz", "7"), "cbsz=7"),
        (asked("gfx950", "v_mfma_f32_16x16x128_f8f6f4", "valu", "read", "--a-format", "fp5"), "fp8 (0), bf8 (1)"),
        (["waits", "--target", "gfx942"], "required"),
        (["audit", "no-such-file", "--target", "gfx942"], "no-such-file"),
    ],
)
def test_wrong_usage_is_one_message(call, words, said):
    status, _, out, err = call(*words)
    assert status == 2 and out == "" and said in err and len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "target, then, via, warned",
    [("gfx950", "valu", "waw", ["19"]), ("gfx950", "valu", "read", []), ("gfx942", "valu", "waw", [])],
)
def test_where_the_cdna4_guide_asks_for_more_than_llvm_inserts(call, target, then, via, warned):
    """Table 38 of the CDNA4 guide, overlapped reads and overwrites of a large FP64 product: 19."""
    status, document, _, _ = call(*asked(target, "v_mfma_f64_16x16x4_f64", then, via, "--json", "--no-run"))
    found = [item for item in document["findings"] if item["rule"] == "guide-asks-more"]
    assert status == 0 and [item["claim"] for item in found] == ["MFMA-081"] * len(warned)
    assert all(number in item["message"] for item, number in zip(found, warned, strict=True))


@pytest.mark.parametrize(
    "target, first, states",
    [
        ("gfx942", "v_mfma_f32_4x4x1_16b_f32", 2),
        ("gfx942", "v_mfma_f32_16x16x4_f32", 8),
        ("gfx942", "v_mfma_f32_32x32x2_f32", 16),
        ("gfx950", "v_mfma_f32_16x16x4_f32", None),
    ],
)
def test_where_the_cdna3_guide_asks_for_more_than_llvm_inserts(call, target, first, states):
    """Table 37 of the CDNA3 guide, SGEMM, then an XDL product whose C overlaps; the CDNA4 guide asks for none there."""
    status, document, _, _ = call(*asked(target, first, "v_mfma_f32_16x16x16_f16", "partial", "--json", "--no-run"))
    found = [item["claim"] for item in document["findings"] if item["rule"] == "guide-asks-more"]
    assert status == 0 and found == (["MFMA-084"] if states else [])
    assert document["result"]["wait_states"] == 0 and document["result"]["safe"]["wait_states"] == (states or 0)


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(
    ("first", "then", "states"),
    [("global_store_dwordx4", "global_load_dword", 1), ("global_store_dwordx4", "ds_read_b32", 1), ("global_store_dwordx2", "load", 0)],
)
def test_the_guides_keep_a_load_from_the_data_of_a_wide_store(call, target, first, then, states):
    """Table 11 of both guides: one state before whatever writes that data."""
    status, document, _, _ = call(*asked(target, first, then, "waw", "--json", "--no-run"))
    assert status == 0 and document["result"]["wait_states"] == 0
    assert document["result"]["safe"]["wait_states"] == states


def test_behind_a_load_a_counter_is_waited_for(call):
    """The states of a pair are not all that a result of memory needs."""
    status, document, _, _ = call(*asked("gfx950", "ds_read_b128", "v_mfma_f32_16x16x16_f16", "ab", "--json", "--no-run"))
    assert status == 0 and document["result"]["wait_states"] == 0
    (found,) = document["findings"]
    assert found["severity"] == "info" and "cdna waits covers ds_read_b128" in found["message"]


def test_audit_of_a_file(call, tmp_path):
    path = tmp_path / "k.s"
    path.write_text(f"{F16} v[0:3], v[4:5], v[6:7], 0\ns_nop 3\nv_add_f32 v10, v2, v2\ns_endpgm\n")
    status, document, _, _ = call("audit", str(path), "--target", "gfx942", "--json")
    assert (status, document["command"]) == (1, "mfma audit")
    (found,) = document["result"]["dependencies"]
    assert (found["first"]["line"], found["then"]["line"], found["missing"], found["needed"]) == (1, 3, 3, 7)
    assert document["findings"][0]["severity"] == "error" and "3 missing" in document["findings"][0]["message"]
    assert (document["result"]["instructions"], document["result"]["matrix_instructions"]) == (4, 1)
    path.write_text(path.read_text().replace("s_nop 3", "s_nop 6"))
    status, _, out, _ = call("audit", str(path), "--target", "gfx942")
    assert status == 0 and "every dependency is protected" in out


def test_code_of_the_generic_target_is_audited_for_both(call, tmp_path):
    """clang 22.1.8 leaves seven states in it behind a product of four passes, and eight where gfx950 is named (MFMA-085)."""
    path = tmp_path / "k.s"
    path.write_text(
        '.amdgcn_target "amdgcn-amd-amdhsa--gfx9-4-generic"\n'
        "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\ns_nop 6\nv_add_f32 v8, v0, v0\ns_endpgm\n"
    )
    status, document, _, _ = call("audit", str(path), "--target", "gfx942", "--json")
    assert status == 0 and [item["claim"] for item in document["findings"]] == ["MFMA-085"]
    status, document, _, _ = call("audit", str(path), "--target", "gfx950", "--json")
    assert status == 1 and [item["missing"] for item in document["result"]["dependencies"]] == [1]


def test_audit_of_nothing_is_wrong_usage(call, tmp_path):
    path = tmp_path / "empty.s"
    for content in (b"", b"; nothing\n", b"\x7fELF\x00\xff\xfe"):
        path.write_bytes(content)
        status, _, _, err = call("audit", str(path), "--target", "gfx942")
        assert status == 2 and len(err.strip().splitlines()) == 1


def test_a_compiler_that_was_asked_about_another_width_is_not_quoted(call):
    status, document, _, _ = call(*asked("gfx942", "global_store_dword", "valu", "c-war", "--json"))
    assert status == 0 and document["result"]["wait_states"] == 0 and document["findings"] == []
    for entry in document["result"]["by_compiler"]:
        assert entry["wait_states"] is None and entry["reason"]
