# SPDX-License-Identifier: Apache-2.0
"""Every public problem report about the Tensor Data Mover is bound to a test that reads it and asserts its outcome."""

import ast
import json
import pathlib

import pytest

from cdna_evidence.witnesses import Cache, get

TESTS = pathlib.Path(__file__).parents[1]
CASES = {
    case["id"]: case
    for case in json.loads((TESTS / "data" / "cases" / "public_problems.json").read_text("utf-8"))["cases"]
    if case["area"].startswith("tdm-") or case["area"] in ("tensorcnt", "multicast")
}
OURS = "cases/test_public_problems.py::"
# Case, the tests that read it, what they assert together.
BOUND = [
    ("MC-01", ["cdna/tdm/test_multicast.py::test_problem_mc01_masks"], "the mask of a private and of a shared tile"),
    (
        "MC-03",
        ["cdna/tdm/test_multicast.py::test_problem_mc03_grid"],
        "a grid that the cluster does not divide is an error",
    ),
    (
        "TC-01",
        [
            "cdna/tdm/test_order.py::test_problem_tc01_ring_filled_to_the_brim",
            "cdna/tdm/test_pipeline.py::test_problem_tc01",
        ],
        "a full ring lets the next load overwrite the slot that is read; one load less does not",
    ),
    (
        "TC-03",
        ["cdna/tdm/test_barrier.py::test_problem_tc03_cell_as_the_emulator_reads_it"],
        "the cell's fields, as the position of the emulator and of nobody else",
    ),
    (
        "TC-04",
        [
            OURS + "test_tc_04_no_wait_is_inserted_and_the_read_is_deleted",
            "cdna/tdm/test_order.py::test_problem_tc04_rule",
            "descriptors/test_llvm_ir.py::test_reads_of_lds_after_a_load",
        ],
        "clang emits no tensor wait and deletes the read; the model finds the wait missing; the linter names both in IR",
    ),
    (
        "TD-01",
        [
            "cdna/tdm/test_descriptor.py::test_stride_above_32_bits",
            "cdna/tdm/test_sequence.py::test_a_stride_cut_to_32_bits",
        ],
        "the eight words, the byte offset of row 1, and a finding for the cut stride",
    ),
    ("TD-03", ["cdna/tdm/test_copy.py::test_fewer_elements_than_waves"], "share of a wave and waves left over"),
    (
        "TD-04",
        [
            "cdna/tdm/test_descriptor.py::test_a_switched_off_descriptor",
            "cdna/tdm/test_transfer_cases.py::test_td_04_count_zero",
        ],
        "the words, no byte copied, no arrive, the counter back at zero",
    ),
    (
        "TD-06",
        ["witnesses/test_clang_assembler.py::test_td06_vaddr4_is_null"],
        "the twelve bytes, 7c in the fifth slot",
    ),
    (
        "TD-08",
        ["cdna/tdm/test_copy.py::test_sub_byte_elements_are_rewritten_in_bytes"],
        "data_size and tile_dim0 of four element types",
    ),
    (
        "TG-01",
        ["cdna/tdm/test_gather_lists.py::test_the_index_width_decides_how_many_instructions"],
        "instructions and rows per instruction of both index widths, and the largest short index",
    ),
    (
        "TG-02",
        ["cdna/tdm/test_gather_lists.py::test_rows_are_spread_over_the_waves"],
        "instructions of a wave, spread and not",
    ),
    (
        "TG-05",
        ["cdna/tdm/test_transfer_cases.py::test_tg_05_null_groups_gather_row_zero"],
        "row 0 for every valid index",
    ),
    (
        "TI-01",
        ["cdna/tdm/test_iterate_plan.py::test_a_block_above_the_largest_interval_iterates"],
        "the block, that it iterates with padding off, and the largest block that does not",
    ),
    (
        "TI-02",
        ["cdna/tdm/test_iterate_plan.py::test_a_block_cut_to_fit_is_refused"],
        "a block that the reader does not share",
    ),
    (
        "TI-04",
        ["cdna/tdm/test_iterate_plan.py::test_a_block_of_nothing_is_refused"],
        "a block of zero bytes is refused",
    ),
    (
        "TI-06",
        ["cdna/tdm/test_transfer_cases.py::test_ti_06_bounds_while_iterating_are_disputed"],
        "rows copied and zeroed under the emulator's position, told beside our reading",
    ),
    (
        "TO-01",
        [
            "cdna/tdm/test_copy.py::test_negative_offset_gives_an_empty_tensor",
            "cdna/tdm/test_transfer_cases.py::test_to_01_negative_offset",
            "cdna/tdm/test_sequence.py::test_a_negative_offset_that_enlarged_the_bound",
            "cli/test_cli_tdm.py::test_encode_a_negative_offset",
            "witnesses/test_triton.py::test_before_the_tensor_the_bound_is_clamped",
        ],
        "the bound is 0, sixteen zeros are loaded, the naive bound is a finding, and Triton clamps as well",
    ),
    (
        "TO-03",
        [
            "cdna/tdm/test_copy.py::test_cluster_member_moves_address_and_bound",
            "cdna/tdm/test_transfer_cases.py::test_to_03_cluster_member",
            "cdna/tdm/test_sequence.py::test_a_cluster_member_whose_bound_was_forgotten",
        ],
        "the member's bound, the columns stored, and a finding for the bound that was left",
    ),
    (
        "TO-04",
        [
            "cdna/tdm/test_rules.py::test_extent_zero_is_empty",
            "cdna/tdm/test_transfer_cases.py::test_to_04_extent_zero_is_empty",
        ],
        "zeros loaded, nothing stored, a remark of the linter",
    ),
    (
        "TP-03",
        [
            "cdna/tdm/test_rules.py::test_odd_dword_pad_is_flagged",
            "cdna/tdm/test_transfer_cases.py::test_tp_03_odd_dword_padding_is_flagged",
            "cli/test_cli_tdm.py::test_pad_that_sources_disagree_on",
        ],
        "both warnings for four bytes, none for eight and sixteen",
    ),
    ("TP-05", ["cdna/tdm/test_copy.py::test_two_padding_pairs_are_refused"], "two pairs are refused"),
    (
        "TP-06",
        [
            "cdna/tdm/test_descriptor.py::test_no_padding_leaves_no_padding_bits",
            "witnesses/test_triton.py::test_a_row_longer_than_the_largest_interval_unpadded",
        ],
        "accepted, with all padding bits clear, by our encoder and by Triton",
    ),
    (
        "TP-07",
        [
            "cdna/tdm/test_pad.py::test_wave_start_when_a_chunk_is_smaller_than_the_interval",
            "cdna/tdm/test_transfer_cases.py::test_tp_07_and_tp_08_padding_arithmetic",
            "cdna/tdm/test_sequence.py::test_the_start_of_each_wave",
        ],
        "the start of wave 2, and a finding for the other formula",
    ),
    (
        "TP-08",
        [
            "cdna/tdm/test_pad.py::test_growth_of_the_allocation",
            "cdna/tdm/test_transfer_cases.py::test_tp_08_where_the_last_byte_lands",
        ],
        "bytes reserved, and bytes written",
    ),
]


def functions(path):
    """{name: source} of the test functions of a file."""
    text = path.read_text("utf-8")
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {node.name: ast.get_source_segment(text, node) for node in nodes if node.name.startswith("test_")}


def test_every_case_of_these_areas_is_bound_once():
    assert len(CASES) == 25
    assert sorted(row[0] for row in BOUND) == sorted(CASES)


@pytest.mark.parametrize("case, tests, asserted", BOUND, ids=[row[0] for row in BOUND])
def test_the_bound_tests_exist_read_the_case_and_can_fail(case, tests, asserted):
    assert asserted and tests
    for name in tests:
        file, function = name.split("::")
        source = functions(TESTS / file).get(function)
        assert source, f"{name} does not exist"
        assert f'"{case}"' in source or case in ast.get_docstring(ast.parse(source).body[0]), f"{name} does not read it"
        assert "assert " in source or "pytest.raises" in source, f"{name} cannot fail"


def test_nothing_that_must_be_rejected_is_bound_to_a_value():
    """A report whose right outcome is a refusal is bound to a test that sees a refusal or a finding."""
    for case, tests, _ in BOUND:
        if CASES[case]["outcome_kind"] == "reject":
            sources = [functions(TESTS / name.split("::")[0])[name.split("::")[1]] for name in tests]
            words = ("raises", "finding", "rule", "error", "check_ring", "wrong")
            assert any(word in source for source in sources for word in words), case


IR = """
@tile = internal addrspace(3) global [64 x i32] poison
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
define amdgpu_kernel void @k(<4 x i32> inreg %g0, <8 x i32> inreg %g1, ptr addrspace(1) %out) {
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %g0, <8 x i32> %g1, i32 0)
  %value = load i32, ptr addrspace(3) @tile
  store i32 %value, ptr addrspace(1) %out
  ret void
}
"""


def test_tc_04_no_wait_is_inserted_and_the_read_is_deleted(problem, tmp_path):
    right = problem("TC-04")["right_outcome"]
    assert "no s_wait_tensorcnt" in right["llc"] and "load and store removed" in right["opt_O3"]
    clang = get("clang", cache=Cache(tmp_path))
    plain = clang.compile_ir("gfx1250", IR, opt=0, expect=("tensor_load_to_lds", "ds_load_b32"))
    assert plain.accepted, plain.diagnostic
    between = plain.assembly.split("tensor_load_to_lds", 1)[1].split("global_store", 1)[0]
    assert "ds_load_b32" in between and "s_wait_dscnt" in between
    assert "s_wait_tensorcnt" not in plain.assembly
    deleted = clang.compile_ir("gfx1250", IR, opt=3, expect=("tensor_load_to_lds",))
    assert deleted.accepted, deleted.diagnostic
    assert "ds_load" not in deleted.assembly and "global_store" not in deleted.assembly
