# SPDX-License-Identifier: Apache-2.0
"""Wait states around matrix instructions: public problems, the table of the pull requests, and compilers that are here."""

import pytest

from cdna.mfma import hazards, passes
from cdna.mfma.audit import audit
from cdna.mfma.hazards import waits
from cdna_evidence.witnesses import Missing, get, matrix, matrix_pairs

BOTH = ("gfx942", "gfx950")
F16 = "v_mfma_f32_16x16x16_f16"


def both(first, then, via):
    return [waits(target, first, then, via).states for target in BOTH]


def test_mh_01_inline_assembly_hides_the_producer(problem):
    needed = problem("MH-01")["right_outcome"]["needed"]
    assert both(F16, "valu", "read") == [needed["gfx942"], needed["gfx950"]]


def test_mh_02_one_more_state_on_gfx950(problem):
    right = problem("MH-02")["right_outcome"]
    assert both("4x4x4f16", F16, "ab") == right["4x4x4f16 D->A"]
    assert both("16x16x16f16", F16, "ab") == right["16x16x16f16 D->A"]
    assert both("32x32x8f16", F16, "ab") == right["32x32x8f16 D->A"]
    assert both("32x32x4f16", F16, "ab") == right["32x32x4f16 D->A"]
    assert both("16x16x16f16", F16, "partial") == right["16x16x16f16 partial D->C"]
    assert both("16x16x16f16", F16, "exact") == right["exact D->C"]
    assert both("16x16x16f16", "valu", "c-war") == right["C WAR"]


def test_mh_03_double_precision(problem):
    op, right = problem("MH-03")["input"]["op"], problem("MH-03")["right_outcome"]
    assert both(op, "valu", "read") == right["D->VALU"]
    assert both(op, F16, "ab") == right["D->A/B"]
    assert both(op, op, "ab") == right["D->A/B"]
    assert both(op, "v_mfma_f32_32x32x2_f32", "partial") == right["partial D->C"]
    assert both(op, "store", "read") == right["D->store data"]


def test_mh_06_store_then_overwrite(problem):
    assert both("global_store_dwordx4", "valu", "c-war") == [problem("MH-06")["right_outcome"]["states_needed"]] * 2


def test_mh_07_lane_swap(problem):
    right = problem("MH-07")["right_outcome"]
    assert waits("gfx950", "v_mov_b32", "v_permlane16_swap_b32", "read").states == right["gfx950"]
    with pytest.raises(ValueError, match="not on gfx942"):
        waits("gfx942", "v_mov_b32", "v_permlane16_swap_b32", "read")


# The rows of a table measured elsewhere: dependency -> [gfx942, gfx950] by producer.
@pytest.mark.parametrize(
    "producer, ab, memory, overwritten, c_war",
    [
        ("v_mfma_f32_4x4x4_16b_f16", (5, 5), (5, 5), (5, 5), 1),
        ("v_smfmac_i32_16x16x64_i8", (7, 8), (7, 8), (7, 8), None),  # its C is its result: waw
        ("v_mfma_f32_32x32x16_bf8_fp8", (11, 12), (11, 12), (11, 12), 7),
        ("v_mfma_i32_32x32x4_2b_i8", (19, 20), (19, 20), (19, 20), 15),
        ("v_mfma_f32_4x4x1_16b_f32", (4, 4), (4, 4), (4, 4), 0),
        ("v_mfma_f32_16x16x4_f32", (10, 10), (10, 10), (10, 10), 0),
        ("v_mfma_f32_32x32x1_2b_f32", (18, 18), (18, 18), (18, 18), 0),
        ("v_mfma_f64_4x4x4_4b_f64", (6, 6), (9, 9), (6, 6), 0),
        ("v_mfma_f64_16x16x4_f64", (11, 19), (18, 18), (11, 11), 0),
    ],
)
def test_the_table(producer, ab, memory, overwritten, c_war):
    assert both(producer, F16, "ab") == list(ab)
    assert both(producer, "valu", "read") == list(ab)
    assert both(producer, "v_smfmac_f32_16x16x32_f16", "index") == list(ab)
    assert both(producer, "ds", "read") == both(producer, "store", "read") == list(memory)
    assert both(producer, "valu", "waw") == both(producer, "load", "waw") == list(overwritten)
    if c_war is not None:
        assert both(producer, "valu", "c-war") == [c_war, c_war]


def test_consumer_family_counts_for_a_partial_overlap():
    two = "v_mfma_f32_4x4x4_16b_f16"
    assert both(two, two, "partial") == [3, 4]
    assert both(two, "v_mfma_f32_32x32x2_f32", "partial") == [3, 3]
    assert both("v_mfma_f32_32x32x2_f32", F16, "partial") == [0, 0]
    assert both("v_mfma_f32_32x32x2_f32", "v_mfma_f64_16x16x4_f64", "partial") == [16, 16]


def test_f8f6f4_passes_follow_from_the_formats():
    small, large = "v_mfma_f32_16x16x128_f8f6f4", "v_mfma_scale_f32_32x32x64_f8f6f4"
    assert [passes.passes("gfx950", small, a, b) for a, b in ((0, 0), (4, 1), (4, 4), (2, 3))] == [8, 8, 4, 4]
    assert [passes.passes("gfx950", large, a, b) for a, b in ((0, 0), (4, 1), (4, 4), (2, 3))] == [16, 16, 8, 8]
    assert waits("gfx950", small + " cbsz:4 blgp:4", "valu", "read").states == 8
    assert waits("gfx950", small, "valu", "read").states == 12
    assert waits("gfx950", "v_mfma_i32_16x16x64_i8", large, "scale").states == 8


def test_exec_and_vector_input():
    assert both("valu-exec", F16, "exec") == both("v_cmpx_eq_u32", F16, "exec") == [4, 4]
    assert both("salu-exec", F16, "exec") == [0, 0]
    for via in ("ab", "exact", "partial", "read"):
        assert both("valu", F16, via) == both("trans", F16, via) == [2, 2]
    assert both("v_dot4_i32_i8", F16, "ab") == [0, 0]
    assert both("v_mfma_f64_4x4x4_4b_f64", "v_fma_f64", "independent") == [2, 2]


def test_another_opcode_is_disputed():
    answer = waits("gfx950", "v_mfma_f32_16x16x32_f16", F16, "exact")
    assert answer.states == 0
    assert hazards.other_positions("gfx950", "v_mfma_f32_16x16x32_f16", F16, "exact") == [
        ("MFMA-020", "like-partial-overlap", 6)
    ]
    assert hazards.other_positions("gfx950", F16, F16, "exact") == []


@pytest.mark.parametrize(
    "spelling",
    ["v_mfma_f32_32x32x8bf16_1k", "llvm.amdgcn.mfma.f32.32x32x8bf16.1k", "__builtin_amdgcn_mfma_f32_32x32x8bf16_1k"],
)
def test_spellings_of_all_ages(spelling):
    assert passes.canonical(spelling) == "v_mfma_f32_32x32x8_bf16"


def test_an_intrinsic_is_known_with_the_types_it_is_overloaded_with():
    name = "@llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.v8i32.v6i32"
    assert passes.canonical(name) == "v_mfma_scale_f32_16x16x128_f8f6f4"


def test_an_old_intrinsic_is_not_taken_for_the_two_block_product():
    """ROCm/rocm-systems#7272: without _1k 32x32x4 is of one block; clang cannot select it for gfx942, while the mnemonic is an alias."""
    for name in ("v_mfma_f32_32x32x4bf16", "v_mfma_f32_32x32x4bf16_1k", "__builtin_amdgcn_mfma_f32_32x32x4bf16_1k"):
        assert passes.canonical(name) == "v_mfma_f32_32x32x4_2b_bf16"
    for name in ("__builtin_amdgcn_mfma_f32_32x32x4bf16", "llvm.amdgcn.mfma.f32.32x32x4bf16", "rocdl.mfma.f32.32x32x4bf16"):
        with pytest.raises(ValueError, match="no matrix instruction"):
            passes.canonical(name)


@pytest.mark.parametrize(
    "first, then, via, said",
    [
        (F16, "valu", "exact", "read, waw, c-war or independent"),
        # The accumulator of a sparse product is its result, so overwriting it waits for the result.
        ("v_smfmac_f32_16x16x32_f16", "valu", "c-war", "waw"),
        ("v_pk_mul_f32", F16, "exec", "writes no EXEC"),
        (F16, F16, "read", "which operand"),
        (F16, F16, "index", "only SMFMAC"),
        (F16, F16, "scale", "only v_mfma_scale"),
        (F16, "v_mfma_f32_32x32x8_f16", "exact", "D has 4 registers and C 16"),
        (F16, "store", "waw", "a store writes no register"),
        (F16, "valu", "sideways", "exact, partial"),
        ("v_mfma_f32_16x16x32_f16", "valu", "read", "only on gfx950"),
        ("v_mfma_f32_17x17x17_f16", "valu", "read", "no matrix instruction"),
        ("bogus", "valu", "read", "op='bogus'"),
        ("ds", F16, "exec", "writes no EXEC"),
        ("", "valu", "read", "op=''"),
        (F16, "v_cmpx_eq_u32", "waw", "writes no vector register"),
        ("load", "load", "partial", "read, waw or exec"),
        ("store", "v_smfmac_f32_16x16x32_f16", "exact", "a store writes no register"),
    ],
)
def test_what_cannot_be_is_refused(first, then, via, said):
    with pytest.raises(ValueError, match=said):
        waits("gfx942", first, then, via)


def test_every_rule_has_one_claim_and_a_text():
    names = [rule for rule, _, _ in hazards.RULES]
    assert len(set(names)) == len(names)
    assert all(claim.startswith("MFMA-") and text for _, claim, text in hazards.RULES)


def _questions(target):
    """Every instruction of a target with every way of depending that MIR can express."""
    names = [row.mnemonic for row in passes.MATRIX if passes.has(target, row.mnemonic)]
    consumers = (F16, "v_mfma_f32_32x32x2_f32", "v_mfma_f64_16x16x4_f64", "v_smfmac_i32_16x16x64_i8")
    for name in names:
        for then in {*consumers, name}:
            yield name, then, "ab"
            if passes.result_registers(name) == passes.result_registers(then):
                yield name, then, "exact"
            if passes.result_registers(name) != passes.result_registers(then) or passes.result_registers(name) > 2:
                yield name, then, "partial"
            if passes.is_sparse(then):
                yield name, then, "index"
            yield name, then, "independent"
        if passes.is_scaled(name):
            yield name, name, "scale"
        for word in ("valu", "trans", "store", "ds", "load", "valu-exec"):
            yield name, word, "read"
        for word in ("valu", "load", "ds"):
            yield name, word, "waw"
            if not passes.is_sparse(name):
                yield name, word, "c-war"
        yield "valu", name, "ab"
        yield "trans", name, "exact"
        yield "valu-exec", name, "exec"
        yield "salu-exec", name, "exec"


@pytest.mark.parametrize("target", BOTH)
def test_every_instruction_agrees_with_the_hazard_pass(target):
    """The reason of a skip is the witness: llc reads MIR, and only Debian's package of LLVM 22 brings one."""
    try:
        llc = get("llc")
    except Missing as missing:
        pytest.skip(str(missing))
    asked = list(dict.fromkeys(_questions(target)))
    lines = [matrix.pair(matrix_pairs.side(first), matrix_pairs.side(then), via) for first, then, via in asked]
    compiled, states = llc.wait_states(target, [(f"pair{i}", item) for i, item in enumerate(lines)])
    assert compiled.accepted, compiled.diagnostic
    wrong = []
    for number, (first, then, via) in enumerate(asked):
        expected = waits(target, first, then, via).states
        if states[f"pair{number}"] != expected:
            wrong.append((first, then, via, states[f"pair{number}"], expected))
    assert wrong == [] and len(asked) > 1000


@pytest.mark.parametrize("target", BOTH)
def test_a_selection_agrees_with_clang(target):
    try:
        clang = get("clang")
    except Missing as missing:
        pytest.skip(str(missing))
    asked = {
        f"{family} {key} {then} {via}": pair
        for then, via in ((F16, "ab"), ("valu", "read"), ("ds", "read"), ("load", "waw"))
        for family, row in matrix_pairs.every(then, via).items()
        for key, pair in row.items()
    }
    found = matrix_pairs.by_clang(clang, target, asked)
    assert found == {key: waits(target, *pair).states for key, pair in asked.items()}


WIDTHS = [
    # What the audit reads, mnemonic, the instruction as MIR.
    ("global_store_dword v[8:9], v0, off", "GLOBAL_STORE_DWORD $vgpr8_vgpr9, $vgpr0, 0, 0"),
    ("global_store_dwordx2 v[8:9], v[0:1], off", "GLOBAL_STORE_DWORDX2 $vgpr8_vgpr9, $vgpr0_vgpr1, 0, 0"),
    ("global_store_dwordx3 v[8:9], v[0:2], off", "GLOBAL_STORE_DWORDX3 $vgpr8_vgpr9, $vgpr0_vgpr1_vgpr2, 0, 0"),
    (
        "buffer_store_dwordx4 v[0:3], v8, s[0:3], 0 offen",
        "BUFFER_STORE_DWORDX4_OFFEN_exact $vgpr0_vgpr1_vgpr2_vgpr3, $vgpr8, $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0, 0",
    ),
    (
        "buffer_store_format_d16_xyzw v[0:1], v8, s[0:3], 0 offen",
        "BUFFER_STORE_FORMAT_D16_XYZW_OFFEN_exact $vgpr0_vgpr1, $vgpr8, $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0, 0",
    ),
    ("global_atomic_cmpswap v[8:9], v[0:1], off", "GLOBAL_ATOMIC_CMPSWAP $vgpr8_vgpr9, $vgpr0_vgpr1, 0, 0"),
    (
        "global_atomic_cmpswap_x2 v[8:9], v[0:3], off",
        "GLOBAL_ATOMIC_CMPSWAP_X2 $vgpr8_vgpr9, $vgpr0_vgpr1_vgpr2_vgpr3, 0, 0",
    ),
    (
        "global_atomic_cmpswap_x2 v[20:21], v[8:9], v[0:3], off sc0",
        "$vgpr20_vgpr21 = GLOBAL_ATOMIC_CMPSWAP_X2_RTN $vgpr8_vgpr9, $vgpr0_vgpr1_vgpr2_vgpr3, 0, 1",
    ),
    (
        "buffer_atomic_cmpswap_x2 v[0:3], v8, s[0:3], 0 offen",
        "BUFFER_ATOMIC_CMPSWAP_X2_OFFEN $vgpr0_vgpr1_vgpr2_vgpr3, $vgpr8, $sgpr0_sgpr1_sgpr2_sgpr3, 0, 0, 0",
    ),
    ("ds_write_b128 v8, v[0:3]", "DS_WRITE_B128_gfx9 $vgpr8, $vgpr0_vgpr1_vgpr2_vgpr3, 0, 0"),
]


@pytest.mark.parametrize("target", BOTH)
def test_only_data_of_more_than_eight_bytes_is_kept(target):
    """llvm/llvm-project#202333 and #197267 speak of wide stores; the width is in the mnemonic, so the answer must follow it."""
    try:
        llc = get("llc")
    except Missing as missing:
        pytest.skip(str(missing))
    move = "$vgpr0 = V_MOV_B32_e32 1, implicit $exec"
    functions = [(f"pair{at}", [mir + ", implicit $exec", move]) for at, (_, mir) in enumerate(WIDTHS)]
    compiled, states = llc.wait_states(target, functions)
    assert compiled.accepted, compiled.diagnostic
    theirs = [states[f"pair{at}"] for at in range(len(WIDTHS))]
    assert set(theirs) == {0, 2}
    assert [waits(target, text.split()[0], "valu", "c-war").states for text, _ in WIDTHS] == theirs
    audited = [audit(f"{text}\nv_mov_b32 v0, 1\ns_endpgm\n", target).dependencies for text, _ in WIDTHS]
    assert [sum(item["missing"] for item in found) for found in audited] == theirs
    assert waits(target, "store", "valu", "c-war").states == 2


def test_a_compare_that_writes_exec_waits_for_a_product_whatever_is_asked():
    for via in ("exec", "ab", "exact", "c-war"):
        assert both("v_cmpx_eq_u32", F16, via) == [4, 4]
    assert both("v_cmp_eq_u32", F16, "exec") == [4, 4]


@pytest.mark.parametrize("target", BOTH)
def test_what_a_sparse_product_overwrites_it_reads(target):
    """Its accumulator is its result: llc keeps two states behind the vector instruction, none before a dense product."""
    sparse = "v_smfmac_i32_16x16x64_i8"
    assert waits(target, "valu", sparse, "waw").states == 2 and waits(target, "valu", F16, "waw").states == 0
    try:
        llc = get("llc")
    except Missing as missing:
        pytest.skip(str(missing))
    lines = [matrix.pair("valu", matrix_pairs.side(then), "waw") for then in (sparse, F16)]
    compiled, states = llc.wait_states(target, [(f"pair{i}", item) for i, item in enumerate(lines)])
    assert compiled.accepted and states == {"pair0": 2, "pair1": 0}
    wide = "v_smfmac_f32_32x32x16_f16"
    lines = [matrix.pair(matrix_pairs.side(one), matrix_pairs.side(two), "waw") for one, two in ((F16, wide), (F16, sparse), (wide, F16))]
    compiled, states = llc.wait_states(target, [(f"pair{i}", item) for i, item in enumerate(lines)])
    assert states == {"pair0": 5 if target == "gfx942" else 6, "pair1": 0, "pair2": 0}
    told = [waits(target, one, two, "waw").states for one, two in ((F16, wide), (F16, sparse), (wide, F16))]
    assert told == [states["pair0"], 0, 0]
    # So the disputes and guides on reading hold as well.
    assert hazards.other_positions(target, F16, sparse, "waw") == hazards.other_positions(target, F16, sparse, "exact") != []
    guides = [hazards.guide_asks(target, "v_mfma_f32_16x16x4_f32", wide, via) for via in ("waw", "partial")]
    assert guides[0] == guides[1] and (guides[0] is not None) == (target == "gfx942")
