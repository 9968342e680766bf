# SPDX-License-Identifier: Apache-2.0
"""Public reports beyond the kept cases: a small input each, asked as a script asks, and the outcome of the thread.

The name of a case is the thread. Numbers come from the thread, or follow by arithmetic from what it states.
"""

import io
import json
import sys

import pytest

from cdna_evidence.cli import main


@pytest.fixture
def asked(capsys, monkeypatch):
    """Return ask(words, text, status): the JSON document of one command, or its error message.

    text: its standard input; status: the exit status that it must have, None for any.
    """

    def ask(words, text="", status=0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        found = main([*words.split(), "--json"] if isinstance(words, str) else list(words))
        out, err = capsys.readouterr()
        assert status is None or found == status, err or out
        return json.loads(out) if out else err

    return ask


def named(*rows):
    """Return rows as parameters; the first word of each, the thread, is its name."""
    return [pytest.param(*row[1:], id=row[0]) for row in rows]


def messages(document, severity=None):
    return [item["message"] for item in document["findings"] if severity in (None, item["severity"])]


def encoded(asked, name, values, *options):
    return asked(["format", "encode", name, *options, "--json", "--", *values])["result"]


# ---- number formats


@pytest.mark.parametrize(
    ("name", "wanted"),
    named(
        # The one NaN of each FNUZ format was decoded as minus zero.
        ("triton-lang/triton#10745", "e4m3fnuz", {"0x80": "nan"}),
        ("triton-lang/triton#10745", "e5m2fnuz", {"0x80": "nan"}),
        # Either sign is NaN in E4M3, and the codes below the first normal number are subnormal.
        ("ROCm/rocm-libraries#7439", "e4m3fn", {"0x7f": "nan", "0xff": "nan", "0x01": 2**-9, "0x07": 7 * 2**-9}),
        # A scale of zero does not exist: byte 0 is the smallest power.
        ("uxlfoundation/oneDNN#4218", "e8m0", {"0x00": 2.0**-127}),
    ),
)
def test_what_a_byte_means(asked, name, wanted):
    found = asked(f"format decode {name} {' '.join(wanted)}")["result"]["values"]
    assert found == list(wanted.values())


@pytest.mark.parametrize(
    ("name", "wanted"),
    named(
        # Small negative numbers became the code of minus zero, which is NaN in this format.
        ("onnx/onnx#5764", "e4m3fnuz", {"-0.00001": 0.0, "-0.0000001": 0.0}),
        # Ties went away from zero at four of the seven midpoints of FP4.
        (
            "ROCm/aiter#3992",
            "e2m1",
            {"0.25": 0.0, "1.25": 1.0, "2.5": 2.0, "5.0": 4.0, "0.75": 1.0, "1.75": 2.0, "3.5": 4.0},
        ),
        # A cast took the whole top binade of E4M3 for overflow.
        ("tile-ai/tilelang-metax#140", "e4m3fn", {"256": 256.0, "288": 288.0, "416": 416.0, "448": 448.0}),
        # Rounding through FP16 first put a number just above a midpoint onto it.
        ("triton-lang/triton#10846", "e4m3fn", {"1.0625": 1.0, "1.0625001": 1.125}),
        ("triton-lang/triton#11753", "e5m2", {"1.125": 1.0}),
        # The hardware's conversion rounds and does not saturate: 448 + 18, and 57344 + 4096.
        ("ROCm/rocm-systems#9556", "e4m3fn", {"466": "nan"}),
        ("ROCm/rocm-systems#9556", "e5m2", {"61440": "inf"}),
        # Truncation in place of rounding gave 224.
        ("scott-griffiths/bitstring#342", "e4m3fn", {"232.03683398099045": 240.0}),
        # 449 is not NaN: it rounds to the largest number, without saturation.
        ("jax-ml/ml_dtypes#147", "e4m3fn", {"449": 448.0}),
    ),
)
def test_what_a_number_becomes(asked, name, wanted):
    assert encoded(asked, name, wanted)["values"] == list(wanted.values())


def test_a_saturated_sum(asked):
    """ROCm/rocm-systems#9556: sums of finite numbers are expected at the largest one."""
    assert encoded(asked, "e4m3fn", ["466"], "--saturate")["bytes"] == ["0x7e"]
    assert encoded(asked, "e5m2", ["61440"], "--saturate")["values"] == [57344.0]


def test_a_scale_beyond_the_largest_is_not_called_a_zero(asked):
    """iree-org/iree#20847: what a scale cannot hold differs: no zero and no sign, but also an upper end."""
    large = asked("format encode e8m0 --json -- 2^128 inf".split())
    assert large["result"]["bytes"] == ["0xff", "0xff"]
    assert all("beyond the range" in text for text in messages(large, "warning"))
    small = asked("format encode e8m0 --json -- 0 -1".split())
    assert all("no zero and no sign" in text for text in messages(small, "warning"))
    assert encoded(asked, "e8m0", ["2^128"], "--saturate")["bytes"] == ["0xfe"]


def test_the_mode_bit_is_told_of_the_formats_of_each_target(asked):
    """triton-lang/triton#7337 speaks of gfx950; the CDNA3 guide (§7.2) has the same table for the FNUZ formats of gfx942."""
    told = {"e4m3fn": "gfx950", "e5m2": "gfx950", "e4m3fnuz": "gfx942", "e5m2fnuz": "gfx942", "bf16": None}
    for name, target in told.items():
        found = [text for text in messages(asked(["format", "encode", name, "--json", "--", "1e39"])) if "FP16_OVFL" in text]
        assert [target in text for text in found] == [True] * (target is not None), name


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
def test_hip_names_both_families(asked, target):
    """ROCm/hip#3741: the FNUZ types say so in their names; those without the suffix are OCP, whatever the target."""
    for name, value in (("__hip_fp8_e4m3", 1.0), ("__hip_fp8_e4m3_fnuz", 0.5)):
        assert asked(f"format decode {name} 0x38 --target {target}")["result"]["values"] == [value]


@pytest.mark.parametrize(
    ("ocp", "fnuz", "changed"),
    [("e4m3fn", "e4m3fnuz", [0x7F, 0x80, 0xFF]), ("e5m2", "e5m2fnuz", [*range(0x7C, 0x81), *range(0xFC, 0x100)])],
)
def test_weights_keep_their_bytes_and_double_their_scale(asked, ocp, fnuz, changed):
    """ROCm/AMDMIGraphX#2717: the same byte is half the value, but for minus zero, NaN and the infinities."""
    other = [asked(f"format table {name}")["result"]["entries"] for name in (ocp, fnuz)]
    kept = [code for code in range(256) if code not in changed]
    assert all(other[0][code]["value"] == 2 * other[1][code]["value"] for code in kept)
    assert {other[0][code]["class"] for code in changed} <= {"zero", "nan", "infinity"}


# ---- Tensor Data Mover

COPY = {"element_bytes": 2, "base": 65536, "lds_addr": 0}


@pytest.mark.parametrize(
    ("copy", "wanted"),
    named(
        # The last block of a gather kept the whole row as its bound.
        (
            "triton-lang/triton#9371",
            {"at": [64, 0], "tensor": [100, 64], "tile": [64, 4], "strides": [100]}
            | {"gather": {"indices": [3, 1, 7, 2], "index_bits": 16}},
            [36, 64],
        ),
        # max(0, extent - offset) in every dimension, up to five.
        (
            "triton-lang/triton#10587",
            {"at": [1, 2, 3, 4, 5], "tensor": [8] * 5, "tile": [4] * 5, "strides": [8, 64, 512, 4096]},
            [7, 6, 5, 4, 3],
        ),
        (
            "triton-lang/triton#10587",
            {"at": [1, -2, 9], "tensor": [8] * 3, "tile": [4] * 3, "strides": [8, 64]},
            [7, 0, 0],
        ),
    ),
)
def test_the_bound_moves_with_the_tile(asked, copy, wanted):
    words = asked("tdm encode -", json.dumps({"copy": COPY | copy}))["result"]["words"]
    assert asked(f"tdm decode {' '.join(words)}")["result"]["meaning"]["tensor"] == wanted


@pytest.mark.parametrize(("groups", "last"), [(6, "00"), (7, "47")])
def test_a_partial_group_of_scales_needs_the_rounded_up_bound(asked, groups, last):
    """triton-lang/triton#10962: K=196 has seven groups of 32; a bound of 196 // 32 loads the seventh as zero."""
    job = {
        "copy": {"element_bytes": 1, "global_addr": 4096, "lds_addr": 0, "tensor": [groups], "tile": [8]},
        "op": "load",
        "memory": [{"addr": 4096, "hex": "41424344454647"}],
        "lds": {"size": 8, "fill_u8": 255},
        "read": [{"space": "lds", "addr": 6, "length": 1}],
    }
    assert asked("tdm run -", json.dumps(job))["result"]["reads"] == [last]


def test_an_interval_beyond_the_field_is_refused_not_cut(asked):
    """triton-lang/triton#10097: above 1024 bytes the interval was cut silently."""
    assert asked("tdm pad --row-bytes 1024 --pad-bytes 16")["result"]["interval_code"] == 7
    refused = asked("tdm pad --row-bytes 2048 --pad-bytes 16", status=1)
    assert refused["result"]["interval_code"] is None and "1024" in messages(refused, "error")[0]


def test_the_start_of_a_wave_counts_the_gaps_before_it(asked):
    """ROCm/rocm-libraries#7687: wave 2 of 128 bytes each, 16 bytes of gap after every 256, starts at 272 and not at 256."""
    words = "tdm pad --row-bytes 256 --pad-bytes 16 --byte "
    assert asked(words + str(2 * 128))["result"]["byte"] == {"packed": 256, "padded": 272}
    assert asked(words + "255")["result"]["byte"]["padded"] == 255
    assert "--byte -1" in asked(words + "-1", status=2)


def test_a_padded_tile_is_stored_through_its_bound(asked):
    """triton-lang/triton#9360: a store takes no padding; the tile is as wide as the padded row, the bound as the data."""
    rows = [bytes(range(16 * row, 16 * row + 16)) + b"\xee" * 8 for row in range(2)]
    fields = {"data_size": 2, "tile_dim0": 6, "tile_dim1": 2, "tensor_dim0": 4, "tensor_dim1": 2}
    job = {
        "fields": fields | {"tensor_dim0_stride": 4, "global_addr": 4096},
        "op": "store",
        "memory": [{"addr": 4096, "hex": "00" * 32}],
        "lds": {"size": 64, "init": [{"offset": 0, "hex": b"".join(rows).hex()}]},
        "read": [{"space": "memory", "addr": 4096, "length": 32}],
    }
    found = asked("tdm run -", json.dumps(job))["result"]
    assert found["reads"] == [(rows[0][:16] + rows[1][:16]).hex()] and found["faults"] == []


# ---- LDS


@pytest.mark.parametrize(
    ("target", "sizes"),
    named(
        # Three and four DWORDs came with gfx950; two were skipped.
        ("llvm/llvm-project#116680", "gfx950", {4: True, 8: False, 12: True, 16: True}),
        ("llvm/llvm-project#147496", "gfx950", {1: True, 2: True, 4: True, 12: True, 16: True}),
        ("ROCm/composable_kernel#2576", "gfx942", {4: True, 12: False, 16: False}),
    ),
)
def test_widths_of_a_direct_copy(asked, target, sizes):
    for size, accepted in sizes.items():
        found = asked(f"lds direct --target {target} --size {size} --lane 0", status=0 if accepted else 1)
        assert found["result"]["accepted"] is accepted, size


@pytest.mark.parametrize(
    ("target", "given", "fits"),
    named(
        ("lightseekorg/tokenspeed#119", "gfx950", 160 * 1024, 1),
        ("iree-org/iree#22760", "gfx1250", 320 * 1024, 1),
        # A twelfth of the pool, 13653 bytes, is no multiple of the granule: twelve workgroups need 12800 at most.
        ("llvm/llvm-project#219172", "gfx950", 13653, 11),
        ("llvm/llvm-project#219172", "gfx950", 12800, 12),
    ),
)
def test_what_fits(asked, target, given, fits):
    assert asked(f"lds alloc {given} --target {target}")["result"]["workgroups_per_cu"] == fits


@pytest.mark.parametrize(("period", "degree"), [(8, 2), (16, 1)])
def test_a_swizzle_whose_period_is_too_short(asked, period, degree):
    """AMD-Ecosystem/flashinfer#207: rows of 256 bytes, 8-byte reads of 16 rows: i and i + 8 meet with a period of 8."""
    pattern = f"((lane%16)*32+((lane//16)^(lane%{period})))*8"
    found = asked(["lds", "conflicts", "--target", "gfx942", "--op", "ds_read_b64", "--expr", pattern, "--json"])
    assert found["result"]["worst"] == degree


# ---- lanes


@pytest.mark.parametrize(
    ("words", "wanted"),
    named(
        # Rotate mode: lane i of 32 reads lane (i + n) % 32.
        ("llvm/llvm-project#199004", "swizzle --target gfx942 --pattern 0xc020", {0: 1, 31: 0, 32: 33, 63: 32}),
        # The last step of a reduction by DPP brings lane 31 to lanes 32 to 63.
        ("triton-lang/triton#5019", "dpp --target gfx942 --control row_bcast:31", {32: 31, 63: 31}),
        ("llvm/llvm-project#194565", "dpp --target gfx1250 --control row_xmask:1", {0: 1, 1: 0, 16: 17}),
    ),
)
def test_lanes(asked, words, wanted):
    values = asked("lane " + words)["result"]["values"]
    assert {lane: values[lane] for lane in wanted} == wanted


@pytest.mark.parametrize(
    ("words"),
    named(
        ("ROCm/rocm-examples#110", "dpp --target gfx1250 --control row_bcast:15"),
        ("llvm/llvm-project#194565", "dpp --target gfx950 --control row_xmask:1"),
    ),
)
def test_controls_of_another_generation_are_refused(asked, words):
    assert "not on" in asked("lane " + words, status=2)


# ---- matrix instructions


@pytest.mark.parametrize(
    ("words", "wanted"),
    named(
        # Row and column of a 32x32 result were exchanged: column lane % 32, row (lane // 32) * 4 + r % 4 + r // 4 * 8.
        (
            "tile-ai/tilelang#2105",
            "v_mfma_i32_32x32x32_i8 --target gfx950 --matrix D --lane 33 --vgpr 5",
            {"elements": [{"block": 0, "i": 13, "j": 1, "vgpr": 5, "bits": [0, 31]}]},
        ),
        # The modifier bits of an f64 product negate.
        (
            "ROCm/rocm-systems#7847",
            "v_mfma_f64_16x16x4_f64 --target gfx942 --matrix A --at 0,0 --blgp 1",
            {"lane": 0, "vgpr": 0, "bits": [0, 63], "negate": True},
        ),
    ),
)
def test_layouts(asked, words, wanted):
    assert asked("mfma layout " + words)["result"] == wanted


@pytest.mark.parametrize(
    ("op", "target", "sets"),
    [
        ("v_smfmac_f32_16x16x32_f16", "gfx942", 4),
        ("v_smfmac_i32_16x16x64_i8", "gfx942", 2),
        ("v_smfmac_f32_16x16x64_f16", "gfx950", 2),
        ("v_smfmac_i32_16x16x128_i8", "gfx950", 1),
    ],
)
def test_sets_of_sparse_positions(asked, op, target, sets):
    """llvm/llvm-project#193541: twice the K takes twice the bits, so half as many sets fit one register."""
    words = f"mfma layout {op} --target {target} --matrix index --at 0,0 --abid "
    assert asked(words + str(sets - 1))["result"]["bits"][0] == 32 - 32 // sets
    assert "abid" in asked(words + str(sets), status=2)


def test_a_product_that_the_next_generation_dropped(asked):
    """ggml-org/llama.cpp#21570: xf32 is not on gfx950."""
    assert "only on gfx942" in asked("mfma layout 16x16x8_xf32 --target gfx950 --matrix A --at 0,0", status=2)


PRODUCT = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], v[0:31]\n"
STORE = "buffer_store_dwordx4 v[4:7], v0, s[0:3], {} offen\n{}v_pk_mul_f32 v[4:5], v[8:9], v[10:11]\n"


@pytest.mark.parametrize(
    ("text", "missing"),
    named(
        # Nineteen instructions back was beyond the window, and twenty states are needed.
        ("llvm/llvm-project#222040", PRODUCT + "v_mov_b32 v98, v99\n" * 19 + "v_add_f32 v60, v1, v1\n", [1]),
        ("llvm/llvm-project#222040", PRODUCT + "v_mov_b32 v98, v99\n" * 20 + "v_add_f32 v60, v1, v1\n", []),
        # A scalar offset needs one state, a literal one two.
        ("llvm/llvm-project#197267", STORE.format("s8", ""), [1]),
        ("llvm/llvm-project#197267", STORE.format("s8", "s_nop 0\n"), []),
        ("llvm/llvm-project#197267", STORE.format("0", ""), [2]),
        # What a transcendental instruction wrote, one instruction on.
        ("iree-org/wave#1112", "v_rcp_f32 v0, v1\nv_add_f32 v2, v0, v3\n", [1]),
        ("iree-org/wave#1112", "v_rcp_f32 v0, v1\ns_nop 0\nv_add_f32 v2, v0, v3\n", []),
    ),
)
def test_states_missing_on_gfx950(asked, text, missing):
    found = asked("mfma audit - --target gfx950", text, status=None)
    assert [item["missing"] for item in found["result"]["dependencies"]] == missing


# ---- waits

COPY_950 = (
    "global_load_lds_dword v[0:1], off\n{}s_barrier\nds_read_b32 v2, v3\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v4, v2\n"
)
COPY_1250 = (
    "global_load_async_to_lds_b128 v0, v[2:3], off\n{}s_barrier_signal -1\ns_barrier_wait -1\n"
    "ds_load_b32 v4, v5\ns_wait_dscnt 0x0\nv_mov_b32 v6, v4\n"
)
OVERWRITE = "ds_read_b128 v[0:3], v8\n{}s_barrier\nds_write_b128 v8, v[12:15]\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v9, v0\n"
REFILL = (
    "ds_load_b128 v[0:3], v8\n{}s_barrier_signal -1\ns_barrier_wait -1\n"
    "tensor_load_to_lds s[0:3], s[4:11]\ns_wait_dscnt 0x0\nv_mov_b32 v9, v0\n"
)


@pytest.mark.parametrize(
    ("target", "text", "wait"),
    named(
        # A copy to LDS counts on vmcnt alone.
        ("llvm/llvm-project#179305", "gfx950", COPY_950, "s_waitcnt vmcnt(0)"),
        # Nobody waits for the copies of this counter unless the program does.
        ("llvm/llvm-project#185810", "gfx1250", COPY_1250, "s_wait_asynccnt 0x0"),
        # A bare barrier lets the other waves overwrite what is still being read.
        ("triton-lang/triton#11765", "gfx950", OVERWRITE, "s_waitcnt lgkmcnt(0)"),
        ("ROCm/rocm-libraries#8406", "gfx1250", REFILL, "s_wait_dscnt 0x0"),
    ),
)
def test_a_wait_before_the_barrier(asked, target, text, wait):
    other = "s_waitcnt lgkmcnt(0)\n" if wait == "s_waitcnt vmcnt(0)" else ""
    missing = asked(f"waits check - --target {target}", text.format(other), status=1)["result"]["missing"]
    assert [item["wait"] for item in missing if item["severity"] == "error"] == [wait]
    mended = asked(f"waits check - --target {target}", text.format(wait + "\n"))["result"]["missing"]
    assert [item for item in mended if item["severity"] == "error"] == []


def test_a_wait_written_as_a_number(asked):
    """ROCm/composable_kernel#2509: 3952 waits for every vector memory operation and for nothing else."""
    counters = asked("waits decode 3952 --target gfx942")["result"]
    assert counters["counters"]["vmcnt"] == 0 and counters["waits_for"] == ["vmcnt"]
