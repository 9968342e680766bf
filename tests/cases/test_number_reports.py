# SPDX-License-Identifier: Apache-2.0
"""Public reports about number formats, block scales and products of gfx1250: a small input each, and the outcome of the thread.

The name of a case is the thread. Numbers come from the thread, or follow by arithmetic from what it states.
"""

import io
import json
import sys

import pytest

from cdna_evidence.cli import main


@pytest.fixture
def asked(capsys, monkeypatch):
    """Return ask(words, text, status): the JSON document of one command; status: the exit status that it must have."""

    def ask(words, text="", status=0):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        found = main([*words.split(), "--json"] if isinstance(words, str) else list(words))
        out, err = capsys.readouterr()
        assert found == status, err or out
        return json.loads(out) if out else err

    return ask


def named(*rows):
    """Return rows as parameters; the first word of each, the thread, is its name."""
    return [pytest.param(*row[1:], id=row[0]) for row in rows]


@pytest.mark.parametrize(
    ("name", "wanted"),
    named(
        # The codes that are not numbers came out as 480, 65536 and more.
        ("intel/intel-xpu-backend-for-triton#7772", "e4m3fn", {"0x7f": "nan", "0xff": "nan", "0x7e": 448.0}),
        ("intel/intel-xpu-backend-for-triton#7772", "e5m2", {"0x7c": "inf", "0xfc": "-inf", "0x7d": "nan", "0xff": "nan"}),
        # Zero and subnormal codes were lost.
        ("apache/tvm#20315", "e5m2", {"0x00": 0.0, "0x01": 2.0**-16, "0x03": 3 * 2.0**-16, "0x04": 2.0**-14}),
        # An exponent field of zero was taken for a normal number.
        ("tile-ai/tilelang#2704", "e2m1", {"0x0": 0.0, "0x1": 0.5, "0x8": -0.0, "0x9": -0.5}),
        ("local-inference-lab/b12x#388", "e4m3fn", {"0x01": 0.001953125, "0x80": -0.0}),
        # A subnormal is m / 8 * 2^-6.
        ("1bit-MONSTER/1bit-MONSTER#300", "e4m3fn", {f"0x0{m}": m / 8 * 2.0**-6 for m in range(1, 8)}),
    ),
)
def test_what_a_byte_means(asked, name, wanted):
    assert asked(f"format decode {name} {' '.join(wanted)}")["result"]["values"] == list(wanted.values())


@pytest.mark.parametrize(
    ("name", "wanted"),
    named(
        # A shift beyond the word gave up to 2^-14 for numbers that become zero.
        ("ROCm/rocm-systems#10591", "e5m2", {"4.14e-25": 0.0, "8.27e-25": 0.0, "1.65e-24": 0.0, "3.31e-24": 0.0}),
        # From E5M3 to half: beyond the range is infinity, subnormal numbers stay.
        ("llvm/llvm-project#224984", "fp16", {"114688": "inf", "2^-17": 2.0**-17}),
        # The top binade is no overflow, and ties go to even: 272 lies between 256 and 288, 304 between 288 and 320.
        ("sgl-project/sglang#37140", "e4m3fn", {"256": 256.0, "272": 256.0, "304": 320.0, "447": 448.0}),
    ),
)
def test_what_a_number_becomes(asked, name, wanted):
    assert asked(["format", "encode", name, "--json", "--", *wanted])["result"]["values"] == list(wanted.values())


@pytest.mark.parametrize(
    ("target", "name", "status"),
    named(
        # The pull request says that gfx950 reads FNUZ as gfx942 does.
        ("vllm-project/vllm#33179", "gfx950", "torch.float8_e4m3fnuz", 1),
        ("vllm-project/vllm#33179", "gfx950", "torch.float8_e4m3fn", 0),
        ("ROCm/ROCm#6019", "gfx942", "hipblaslt_f8", 1),
        ("ROCm/ROCm#6019", "gfx950", "hipblaslt_f8_fnuz", 1),
        ("triton-lang/triton#6542", "gfx942", "fp8e4b8", 0),
        ("triton-lang/triton#6542", "gfx942", "fp8e4nv", 1),
        # No FP4 on the MI300 series; it came with the MI350.
        ("ROCm/ROCm#6561", "gfx942", "fp4", 1),
        ("ROCm/ROCm#6561", "gfx950", "fp4", 0),
    ),
)
def test_what_a_target_takes(asked, target, name, status):
    assert asked(f"format native --target {target} {name}", status=status)["result"]["asked"][0]["native"] is not bool(status)


def test_the_largest_number_of_a_family(asked):
    """vllm-project/vllm#50467: 240 was used on gfx950, whose format has 448; byte 0x7e is 448 there and 224 in FNUZ."""
    most = {target: asked(f"format table fp8 --target {target}")["result"]["format"]["max"] for target in ("gfx942", "gfx950")}
    assert most == {"gfx942": 240.0, "gfx950": 448.0}
    assert [asked(f"format decode {name} 0x7e")["result"]["values"] for name in ("e4m3fn", "e4m3fnuz")] == [[448.0], [224.0]]


@pytest.mark.parametrize("name", ["e4m3fn", "e4m3fnuz", "e5m2fnuz"])
def test_formats_without_infinity(asked, name):
    """tinygrad/tinygrad#18274."""
    assert asked(f"format table {name}")["result"]["format"]["infinity"] is None


# ---- block scales


@pytest.mark.parametrize(
    ("name", "mode", "wanted"),
    named(
        ("ROCm/aiter#3212", "e2m1", "RoundUp", {"6": 127, "6.01": 128, "12": 128, "3": 126}),
        ("pytorch/ao#2035", "e4m3fn", "rceil", {"150": 126}),
        ("pytorch/ao#2035", "e4m3fn", "ceil", {"150": 127}),
        ("vllm-project/vllm#43557", "e2m1", "even", {"6.99": 127, "7": 128}),
        ("microsoft/onnxruntime#32122", "e4m3fn", "rceil", {"896": 128, "448": 127, "449": 128}),
        # Exponent and guard bit were added past the field: NaN became the smallest scale.
        ("ROCm/aiter#4748", "e2m1", "even", {"nan": 255, "inf": 255}),
    ),
)
def test_the_scale_of_a_block(asked, name, mode, wanted):
    found = asked(["format", "scale", name, "--mode", mode, "--json", "--", *wanted])["result"]
    entries = [item[found["modes"][0]] for item in found["entries"]]
    assert [int(item["byte"], 16) for item in entries] == list(wanted.values())


def test_a_quotient_rounded_to_the_nearest_power_is_a_step_low(asked):
    """ROCm/FlyDSL#590: 1 / 7.5 lies below a power of two, so most scales came out one lower than Quark's."""
    for number, step in ((4.0, 1), (5.0, 1), (7.5, 0)):
        nearest = asked(["format", "encode", "e8m0", "--json", "--", f"{number}/7.5"])["result"]["bytes"]
        even = asked(["format", "scale", "e2m3", "--mode", "even", "--json", str(number)])["result"]["entries"][0]["even"]
        assert int(even["byte"], 16) - int(nearest[0], 16) == step


def test_rounding_of_a_scale_is_a_choice(asked):
    """jax-ml/ml_dtypes#298: libraries round to the nearest or up."""
    found = {way: asked(f"format encode e8m0 --rounding {way} 1.25")["result"]["bytes"] for way in ("rne", "up", "rtz")}
    assert found == {"rne": ["0x7f"], "up": ["0x80"], "rtz": ["0x7f"]}


def test_the_ends_of_a_scale(asked):
    """NVIDIA/TransformerEngine#3262: byte 0 gave 0 and byte 255 infinity; E4M3's byte 56 is 1."""
    values = [asked(f"format decode e4m3fn --scale {byte} 56")["result"]["values"] for byte in (0, 255)]
    assert values == [[2.0**-127], ["nan"]]


def test_scales_that_are_subnormal_in_half(asked):
    """1CatAI/1Cat-vLLM#222: bytes 103 to 112 were flushed to zero; half holds 2^-24 to 2^-15 as its subnormal numbers."""
    powers = asked(f"format decode e8m0 {' '.join(str(byte) for byte in range(103, 113))}")["result"]["entries"]
    found = asked(["format", "encode", "fp16", "--json", "--", *[item["exact"] for item in powers]])["result"]
    assert [int(code, 16) for code in found["bytes"]] == [1 << step for step in range(10)]


@pytest.mark.parametrize(("row", "lane"), [(0, 3), (1, 19)])
def test_half_of_the_lanes_give_the_scales(asked, row, lane):
    """triton-lang/triton#8576: the product of sixteen rows reads scales from sixteen lanes, opSel chooses which."""
    words = "mfma layout v_wmma_scale_f32_16x16x128_f8f6f4 --target gfx1250 --matrix scale_a --at 3,2 --scale-row"
    assert asked(f"{words} {row}")["result"] == {"lane": lane, "vgpr": 0, "bits": [16, 23]}


# ---- products of gfx1250


@pytest.mark.parametrize("op", ["v_wmma_i32_16x16x64_iu8", "v_wmma_i32_16x16x32_iu4", "v_wmma_f32_16x16x32_f16"])
def test_rows_of_a_result_lie_in_blocks_of_eight(asked, op):
    """warpfront/hipfire#140: acc[lane l, slot j] is C[8 * (l >> 4) + j][l & 15], found with three patterns on a device."""
    for lane, slot in ((0, 0), (5, 7), (16, 0), (31, 7)):
        (held,) = asked(f"mfma layout {op} --target gfx1250 --matrix D --lane {lane} --vgpr {slot}")["result"]["elements"]
        assert (held["i"], held["j"]) == (8 * (lane >> 4) + slot, lane & 15)


@pytest.mark.parametrize(("register", "read"), [("v1", True), ("v2", False)])
def test_an_operand_that_crosses_v255(asked, register, read):
    """ROCm/llvm-project#3413: v[250:257] ends in the second group of registers, where v257 is called v1."""
    text = f"""v_wmma_f32_16x16x64_fp8_fp8 v[162:169], v[250:257], v[114:121], 0
s_set_vgpr_msb 0x40
v_mov_b32 {register}, v40
s_endpgm
"""
    found = asked("mfma audit - --target gfx1250", text, status=1 if read else 0)["result"]["dependencies"]
    assert bool(found) is read
