# SPDX-License-Identifier: Apache-2.0
"""The two witnesses of number formats: ml_dtypes in this process, and Triton's choice of instructions in a worker."""

import json
import shlex
import subprocess
import sys

import pytest

from cdna_evidence import witnesses
from cdna_evidence.witnesses import Missing, triton_dot
from cdna_evidence.witnesses import ml_dtypes as module


@pytest.fixture(scope="module")
def ml_dtypes():
    return witnesses.get("ml_dtypes")


def test_ml_dtypes_says_what_it_is(ml_dtypes):
    assert ml_dtypes.package == "ml_dtypes " + ml_dtypes.version
    assert len(ml_dtypes.digest) == 64


@pytest.mark.parametrize("name", list(module.TYPES))
def test_every_format_has_all_its_codes(ml_dtypes, name):
    answer = ml_dtypes.values(name)
    assert answer.outcome == "accepted" and len(answer.values) == 1 << module.BITS.get(name, 8)


def test_values_are_exact_texts(ml_dtypes):
    values = ml_dtypes.values("e4m3fn").values
    assert (values[0x38], values[0x80], values[0x7F]) == ("0x1.0000000000000p+0", "-0x0.0p+0", "nan")


def test_a_number_that_would_be_rounded_on_the_way_is_refused(ml_dtypes):
    assert ml_dtypes.codes("e4m3fn", [1.0625]).codes == (0x38,)
    with pytest.raises(ValueError, match="no float32"):
        ml_dtypes.codes("e4m3fn", [1.0625 + 2.0**-40])
    with pytest.raises(KeyError):
        ml_dtypes.values("xf32")


@pytest.mark.parametrize("what", ["values", "codes"])
def test_the_command_repeats_the_answer(ml_dtypes, what):
    answer = ml_dtypes.values("e2m1") if what == "values" else ml_dtypes.codes("e5m2", [1.5, -448.0])
    words = shlex.split(answer.command)
    assert words[:2] == ["python", "-c"]
    done = subprocess.run([sys.executable, *words[1:]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    numbers = done.stdout.replace("np.uint8(", "").replace(")", "").strip("[]\n").replace(",", " ").split()
    if what == "codes":
        assert tuple(int(text) for text in numbers) == answer.codes
    else:
        assert [float(text) for text in numbers] == [float.fromhex(text) for text in answer.values]


def test_triton_dot_reads_assembly():
    text = "\tv_mfma_f32_32x32x16_fp8_fp8 a[0:15], v[0:1], v[2:3], 0 ; v_mfma_in_a_comment\n"
    text += "\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n\tv_cvt_pk_fp8_f32 v0, v1, v2\n"
    found = triton_dot._read("accepted", text, "", False)
    assert found.matrix == ("v_mfma_f32_32x32x16_fp8_fp8",) and found.conversions == ("v_cvt_pk_fp8_f32",)
    assert found.mode == ("hwreg(HW_REG_MODE, 23, 1), 1",)
    assert triton_dot._read("rejected", "said so", "", True).diagnostic == "said so"


def test_triton_dot_refuses_what_it_does_not_ask():
    try:
        program = witnesses.get("triton-dot")
    except Missing as missing:
        assert "triton" in missing.how_to_get
        return
    with pytest.raises(ValueError, match="question"):
        program.chosen("gfx942", ["e5m2"], "sum")
    with pytest.raises(KeyError):
        program.chosen("gfx942", ["e2m1"])
    answer = program.chosen("gfx942", ["e4m3fnuz"])[0]
    assert answer.matrix and all("fp8" in name for name in answer.matrix)
    assert json.loads(shlex.split(answer.command)[2])
