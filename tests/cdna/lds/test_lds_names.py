# SPDX-License-Identifier: Apache-2.0
"""Names of LDS loads and stores: what the model takes for an opcode of a target, an assembler takes too, and no more."""

import pytest

from cdna.lds.names import half_of, op_name, width_of
from cdna_evidence.witnesses import get
from cdna_evidence.witnesses.cache import Cache

WORDS = (
    "b32 b64 b96 b128 u8 i8 u16 i16 u8_d16 u8_d16_hi i8_d16 i8_d16_hi u16_d16 u16_d16_hi b8 b16 b8_d16_hi b16_d16_hi"
)
WORDS += " i16_d16 b8_d16 f16 u32 b64_tr_b4 b96_tr_b6 b64_tr_b8 b64_tr_b16"
DATA = {1: "v0", 2: "v0", 4: "v0", 8: "v[0:1]", 12: "v[0:2]", 16: "v[0:3]"}


def lines(op):
    """The instruction with data of every width: one of them is right when the opcode exists."""
    return [f"{op} v8, {data}" if "write" in op or "store" in op else f"{op} {data}, v8" for data in DATA.values()]


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
def test_an_opcode_has_the_width_at_which_the_assembler_takes_it(target, tmp_path):
    clang = get("clang", cache=Cache(tmp_path))
    given = [f"ds_{kind}_{word}" for kind in ("read", "write") for word in WORDS.split()]
    names = sorted({op_name(target, op) for op in given})
    answers = clang.assemble(target, [line for op in names for line in lines(op)])
    size = {"v0": 4, "v[0:1]": 8, "v[0:2]": 12, "v[0:3]": 16}
    for i, op in enumerate(names):
        mine = answers[i * len(DATA) : (i + 1) * len(DATA)]
        taken = {size[data] for data, answer in zip(DATA.values(), mine, strict=True) if answer.accepted}
        width = width_of(op, target)
        assert taken == ({max(width, 4)} if width else set()), op


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
def test_opcodes_of_two_addresses(target, tmp_path):
    clang = get("clang", cache=Cache(tmp_path))
    for given, data, half in [
        ("ds_read2_b32", "v[0:1], v8", "ds_read_b32"),
        ("ds_read2st64_b64", "v[0:3], v8", "ds_read_b64"),
        ("ds_write2_b64", "v8, v[0:1], v[2:3]", "ds_write_b64"),
        ("ds_write2st64_b32", "v8, v0, v1", "ds_write_b32"),
    ]:
        op = op_name(target, given)
        (answer,) = clang.assemble(target, [f"{op} {data} offset0:1 offset1:2"])
        assert answer.accepted, answer.diagnostic
        # The bytes are those of the older spelling, where the target takes both.
        assert clang.assemble(target, [f"{given} {data} offset0:1 offset1:2"])[0].bytes == answer.bytes
        assert width_of(op, target) is None and half_of(op) == op_name(target, half)
    assert half_of("ds_read_b32") is None and half_of("ds_read2_b128") is None
