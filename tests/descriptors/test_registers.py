# SPDX-License-Identifier: Apache-2.0
"""Reading descriptor words out of register dumps."""

import random

import pytest

from cdna.tdm.descriptor import encode
from cdna_evidence.descriptors import Unreadable
from cdna_evidence.descriptors.registers import descriptors_of_registers, is_register_dump

SMALL = {
    "data_size": 1,
    "tensor_dim0": 100,
    "tensor_dim1": 64,
    "tile_dim0": 64,
    "tile_dim1": 16,
    "tensor_dim0_stride": 512,
}
PLAIN = encode(SMALL)
DEEP = encode(SMALL | {"tile_dim2": 2, "tensor_dim2": 2, "tensor_dim1_stride": 1 << 20})
GATHER = encode(SMALL | {"gather_mode": 1, "tile_dim1": 4, "row_indices": [9, 2, 6, 2]})


def dump(first, words, style="s{n:<14} 0x{w:08x}          {w}"):
    """Lines as a debugger prints them."""
    return [style.format(n=first + i, w=word) for i, word in enumerate(words)]


def names(text):
    """{name: words} of what is found."""
    return {found.name: found.words for found in descriptors_of_registers(text)}


def test_one_descriptor_in_any_order():
    lines = dump(4, PLAIN)
    random.Random(1).shuffle(lines)
    header = "(gdb) info registers s4-s15"
    assert names("\n".join([header, *lines, "exec           0xffffffff          4294967295"])) == {"s[4:15]": PLAIN}


def test_several_descriptors_are_told_apart_by_register_number():
    lines = dump(0, PLAIN) + dump(12, DEEP) + dump(32, GATHER) + dump(52, PLAIN)
    random.Random(2).shuffle(lines)
    expected = {"s[0:11]": PLAIN, "s[12:31]": DEEP, "s[32:51]": GATHER, "s[52:63]": PLAIN}
    assert names("\n".join(lines)) == expected


def test_other_registers_stand_between_descriptors():
    lines = dump(1, [0xDEAD, 7, 0]) + dump(4, PLAIN) + dump(16, [1, 2, 3, 4]) + dump(24, DEEP)
    assert names("\n".join(lines)) == {"s[4:15]": PLAIN, "s[24:43]": DEEP}


def test_the_instruction_says_which_registers_are_which_group():
    words = dict(enumerate(GATHER[:4], 40)) | dict(enumerate(GATHER[4:12], 8)) | dict(enumerate(GATHER[12:], 60))
    lines = [f"s{n} = 0x{w:x}" for n, w in words.items()]
    lines.append("=> 0x7ffff0: tensor_store_from_lds s[40:43], s[8:15], s[60:63], s[64:67]")
    (found,) = descriptors_of_registers("\n".join(lines))
    assert (found.words, found.op, found.name) == (GATHER, "store", "s[40:43], s[8:15], s[60:63], s[64:67]")


def test_a_register_told_again_begins_the_next_dump():
    other = encode(SMALL | {"tensor_dim0": 36, "global_addr": 128})
    text = "\n".join(dump(0, PLAIN) + dump(0, other))
    assert names(text) == {"dump 1, s[0:11]": PLAIN, "dump 2, s[0:11]": other}


@pytest.mark.parametrize(
    "style", ["s{n} = 0x{w:x}", "s{n}: {w:08x}", "$s{n} = {w}", "sgpr[{n}] 0x{w:08x}", "ttmp{n} 0x{w:x} {w}"]
)
def test_styles(style):
    bank = "ttmp" if style.startswith("ttmp") else "s"
    assert names("\n".join(dump(0, PLAIN, style))) == {f"{bank}[0:11]": PLAIN}


@pytest.mark.parametrize("style", ["s{n} = {w}", "s{n} {w:x}", "S[{n}]: {w:X}"])
def test_numbers_without_0x_are_of_one_base(style):
    """200 columns make word 5 13107200, eight decimal digits; in hexadecimal 10000 and c80000 stand beside 80000000."""
    words = (1, 0, 4096, 0x80000000, 0x10000, 200 << 16, 64 << 16, 64 << 16, 16, 512, 0, 0)
    assert words == encode(SMALL | {"tensor_dim0": 200, "global_addr": 4096})
    assert names("\n".join(dump(0, words, style))) == {"s[0:11]": words}


def test_groups_a_line():
    groups = " ".join(f"{w:08x}" for w in PLAIN[:4]), " ".join(f"{w:x}" for w in PLAIN[4:])
    assert names(f"s[0:3]: {groups[0]}\ns[4:11]: {groups[1]}") == {"s[0:11]": PLAIN}


def test_a_broken_descriptor_of_a_right_length_is_still_one():
    assert names("\n".join(dump(0, encode(SMALL | {"type": 0})))) != {}


@pytest.mark.parametrize(
    "lines, words",
    [
        (dump(0, [1, 2, 3]), "no run of 12"),
        (dump(0, range(30)), "no run of 12"),
        ([*dump(0, PLAIN), "hello"], "'hello' is not a register"),
        ([*dump(0, [*PLAIN[:5], 200 << 16, *PLAIN[6:]], "s{n} {w:x}"), "s12 -5"], "hexadecimal and -5 decimal"),
        ([*dump(0, PLAIN[:11]), "s11 0x100000000"], "s11 holds more than 32 bits"),
    ],
)
def test_text_that_is_wrong(lines, words):
    with pytest.raises(Unreadable, match=words):
        descriptors_of_registers("\n".join(lines))


def test_words_alone_are_no_dump():
    assert not is_register_dump("00000001 00000000 12365680 80007f00")
