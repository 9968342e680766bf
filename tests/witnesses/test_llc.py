# SPDX-License-Identifier: Apache-2.0
"""llc 22 as a witness: exact version, wait states, refusals; and the same pairs through IR."""

import pytest

from cdna_evidence.witnesses import Cache, Missing, get, llc, matrix, matrix_ir

F16 = "v_mfma_f32_16x16x16_f16"


@pytest.fixture
def program(tmp_path):
    """The witness with a cache of its own; skipped with the witness's reason where it is not installed."""
    try:
        return get("llc", cache=Cache(tmp_path))
    except Missing as missing:
        pytest.skip(str(missing))


def test_it_tells_its_version_and_digest(program):
    assert program.version.startswith("22.") and len(program.digest) == 64


def test_another_version_is_missing(tmp_path):
    fake = tmp_path / "llc-22"
    fake.write_text("#!/bin/sh\necho 'LLVM version 14.0.6'\n")
    fake.chmod(0o755)
    with pytest.raises(Missing, match="version 14.0.6, not 22"):
        llc.Llc(str(fake), Cache(tmp_path / "cache"))


def test_wait_states_and_the_cache(program):
    asked = [
        ("read", matrix.pair((F16, 0, 0), "valu", "read")),
        ("free", matrix.pair((F16, 0, 0), (F16, 0, 0), "exact")),
    ]
    first, states = program.wait_states("gfx942", asked)
    assert (first.accepted, first.kept, states) == (True, False, {"read": 7, "free": 0})
    assert "llc-22" in first.command and "post-RA-hazard-rec" in first.command
    again, same = program.wait_states("gfx942", asked)
    assert again.kept and same == states


def test_what_it_refuses_is_an_outcome(program):
    bad = program.run_pass("gfx942", matrix.function("bad", ["$vgpr0 = NO_SUCH_OPCODE"]))
    assert not bad.accepted and bad.diagnostic and bad.assembly == ""
    assert program.wait_states("gfx942", [("bad", ["$vgpr0 = NO_SUCH_OPCODE"])])[1] == {}
    with pytest.raises(ValueError):
        program.run_pass("gfx942; rm", "")


@pytest.mark.parametrize(
    "name, counts",
    [
        ("v_mfma_f32_32x32x4_2b_f16", (2, 2, 32)),
        ("v_smfmac_i32_16x16x64_i8", (2, 4, 4)),
        ("v_mfma_f64_16x16x4_f64", (2, 2, 8)),
        ("v_mfma_scale_f32_32x32x64_f8f6f4", (8, 8, 16)),
        ("v_mfma_f32_16x16x8_xf32", (2, 2, 4)),
    ],
)
def test_registers_follow_from_the_shape(name, counts):
    assert matrix.shape(name)[-3:] == counts


def test_what_ir_cannot_express_is_said():
    builder = matrix_ir.Builder()
    with pytest.raises(ValueError, match="cannot be written in IR"):
        matrix_ir.pair(builder, "p", "valu-exec", (F16, 0, 0), "exec")
    with pytest.raises(ValueError, match="not a matrix instruction"):
        matrix.shape("v_mfma_nonsense")


def test_states_between_need_the_pinned_registers():
    text = "p:\n\tv_mfma_f32_16x16x16_f16 v[64:67], v[0:1], v[8:9], 0\n\ts_nop 6\n\ts_mov_b32 s0, 0\n{}\n.Lfunc_end0:\n"
    first = (F16, 0, 0)
    assert matrix_ir.between(text.format("\tv_add_f32_e32 v1, 1.0, v64"), "p", first, "valu", "read") == 8
    with pytest.raises(ValueError, match="other registers"):
        matrix_ir.between(text.format("\tv_add_f32_e32 v1, 1.0, v2"), "p", first, "valu", "read")
    with pytest.raises(ValueError, match="second instruction"):
        matrix_ir.between(text.format("\ts_endpgm"), "p", first, "valu", "read")
