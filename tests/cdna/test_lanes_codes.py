# SPDX-License-Identifier: Apache-2.0
"""Codes of DPP controls and patterns of swizzles against the assembler of clang 22."""

import itertools

import pytest

from cdna.lanes import LaneError, check_dpp, swizzle_source
from cdna.lanes_codes import SWIZZLES, control_of_code, swizzle_pattern
from cdna_evidence.witnesses import Cache, get


@pytest.fixture(scope="module")
def clang(tmp_path_factory):
    return get("clang", cache=Cache(tmp_path_factory.mktemp("clang")))


def written(control, amount):
    if amount is None:
        return control
    return f"{control}:[{','.join(map(str, amount))}]" if isinstance(amount, list) else f"{control}:{amount}"


@pytest.mark.parametrize("target", ["gfx942", "gfx950", "gfx1250"])
def test_every_code_stands_for_what_the_assembler_encodes_so(clang, target):
    told = {}
    for code in range(0x200):
        try:
            name, amount = control_of_code(code, target)
            check_dpp(name, amount, target)
        except LaneError:
            continue
        told[code] = written(name, amount)
    # Every control that the assembler takes, asked anew: the codes are its own.
    names = [f"{name}:{n}" for name in ("row_shl", "row_shr", "row_ror") for n in range(1, 16)]
    names += [f"{name}:{n}" for name in ("row_newbcast", "row_share", "row_xmask") for n in range(16)]
    names += [f"{name}:1" for name in ("wave_shl", "wave_shr", "wave_rol", "wave_ror")]
    names += ["row_mirror", "row_half_mirror", "row_bcast:15", "row_bcast:31", "quad_perm:[3,2,1,0]", "quad_perm:[0,0,1,3]"]
    answers = clang.assemble(target, ["v_mov_b32_dpp v0, v1 " + name for name in names])
    encoded = {int.from_bytes(item.bytes[4:8], "little") >> 8 & 0x1FF: name for name, item in zip(names, answers, strict=True) if item.bytes}
    assert {code: told.get(code) for code in encoded} == encoded
    assert set(told) - set(encoded) <= set(range(0x100))


def test_patterns_of_named_swizzles(clang):
    forms = [("quad_perm", [a, b, 3 - a, 3 - b]) for a in range(4) for b in range(4)]
    forms += [("swap", [n]) for n in (1, 2, 4, 8, 16)]
    forms += [(name, [n, *more]) for n in (2, 4, 8, 16, 32) for name, more in (("reverse", []), ("broadcast", [n - 1]), ("broadcast", [0]))]
    forms += [("rotate", [way, n]) for way in (0, 1) for n in range(32)] + [("fft", [n]) for n in range(32)]
    assert {name for name, _ in forms} | {"bitmask_perm"} == {name for name, _ in SWIZZLES}
    texts = [",".join([name.upper(), *map(str, numbers)]) for name, numbers in forms]
    answers = clang.assemble("gfx942", [f"ds_swizzle_b32 v0, v1 offset:swizzle({text})" for text in texts])
    assert [int.from_bytes(item.bytes[:2], "little") for item in answers] == [swizzle_pattern(*form) for form in forms]


def test_five_characters_say_what_becomes_of_each_bit_of_a_lane():
    """LLVM's page on modifiers: 0 and 1 set a bit of the lane's number, p keeps it, i inverts it; the highest bit first."""
    for five in itertools.product("01pi", repeat=5):
        pattern = swizzle_pattern("bitmask_perm", ["".join(five)])
        for lane in range(64):
            bits = [lane >> 4 - i & 1 for i in range(5)]
            wanted = ["01".find(five[i]) if five[i] in "01" else bits[i] ^ (five[i] == "i") for i in range(5)]
            assert swizzle_source(pattern, lane) == lane // 32 * 32 + int("".join(map(str, wanted)), 2)


@pytest.mark.parametrize(
    ("name", "numbers", "words"),
    [
        ("swap", [3], "1, 2, 4, 8, 16"),
        ("swap", [], "1 to give"),
        ("reverse", [64], "2, 4, 8, 16, 32"),
        ("broadcast", [4, 4], "0..3"),
        ("rotate", [2, 1], "0..1"),
        ("rotate", [0, 32], "0..31"),
        ("fft", [32], "0..31"),
        ("quad_perm", [0, 1, 2, 4], "0..3"),
        ("bitmask_perm", ["01p"], "five"),
        ("bitmask_perm", ["01px0"], "five"),
        ("turn", [1], "quad_perm"),
    ],
)
def test_wrong_swizzles(name, numbers, words):
    with pytest.raises(LaneError, match=words):
        swizzle_pattern(name, numbers)
