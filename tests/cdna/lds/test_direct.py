# SPDX-License-Identifier: Apache-2.0
"""Direct-to-LDS copies: public problems DL-04, DL-05, DL-06 and DL-09, and the rules of LLVM's page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.lds import direct


@pytest.mark.parametrize(
    "target, sizes", [("gfx942", (1, 2, 4)), ("gfx950", (1, 2, 4, 12, 16)), ("gfx1250", (1, 4, 8, 16))]
)
def test_sizes(target, sizes):
    assert direct.sizes(target) == sizes
    for size in range(1, 33):
        assert direct.copy(target, size, 0).accepted is (size in sizes)
        assert (direct.opcode(target, size) is None) is (size not in sizes)


@pytest.mark.parametrize("size", range(1, 33))
def test_cluster_copies_have_the_sizes_of_the_global_form(size):
    done = direct.copy("gfx1250", size, 31, base=8, offset=16, form="cluster")
    assert done.accepted is (size in direct.sizes("gfx1250"))
    assert not done.accepted or (done.lds_address, done.global_offset, done.written) == (24, 16, size)
    with pytest.raises(ValueError, match="no clusters"):
        direct.opcode("gfx950", size, "cluster")
    with pytest.raises(ValueError, match="no buffer load"):
        direct.opcode("gfx1250", size, "buffer")


def test_problem_dl_04():
    image = direct.lds_image("gfx942", [[lane] for lane in range(64)], 1)
    assert image[:13] == [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] and len(image) == 256
    assert direct.copy("gfx942", 1, 5).wave_span == 256 and direct.copy("gfx942", 1, 5).lds_address == 20


def test_problem_dl_05():
    assert direct.copy("gfx950", 4, 3, base=0x4000, m0=0x100).lds_address == 0x410C


@pytest.mark.parametrize("interval, allowed", [(512, False), (1024, True), (2048, True)])
def test_problem_dl_06(interval, allowed):
    assert direct.padding_interval("gfx950", 16, interval) == (allowed, 1024)


def test_problem_dl_09():
    done = direct.copy("gfx942", 4, 0, base=0x200, offset=16)
    assert 0x1000 + done.global_offset == 0x1010 and done.lds_address == 0x210


def test_twelve_bytes_leave_a_hole_of_four():
    image = direct.lds_image("gfx950", [[lane + 1] * 12 for lane in range(3)], 12)
    assert image == [1] * 12 + [None] * 4 + [2] * 12 + [None] * 4 + [3] * 12 + [None] * 4
    done = direct.copy("gfx950", 12, 1)
    assert (done.lane_stride, done.written, done.hole, done.wave_span) == (16, 12, 4, 1024)
    assert direct.places_apart("gfx950", 12, 2) == (4, 4) and direct.places_apart("gfx950", 16, 2) == (0, 0)


@given(
    st.sampled_from(("gfx942", "gfx950")),
    st.sampled_from((1, 2, 4, 12, 16)),
    st.integers(0, 62),
    st.integers(0, 4095),
    st.integers(0, 65535),
)
def test_neighbouring_lanes_are_one_stride_apart(target, size, lane, offset, m0):
    here, after = (
        direct.copy(target, size, lane, offset=offset, m0=m0),
        direct.copy(target, size, lane + 1, offset=offset, m0=m0),
    )
    if here.accepted:
        assert after.lds_address - here.lds_address == (16 if size > 4 else 4) == here.lane_stride
        assert here.written + here.hole == here.lane_stride and here.global_offset == after.global_offset == offset


def test_offsets_of_the_buffer_form():
    plain = direct.copy("gfx942", 4, 2, form="buffer")
    moved = direct.copy("gfx942", 4, 2, form="buffer", soffset=64, voffset=8, offset=16)
    assert moved.lds_address - plain.lds_address == 16 and moved.global_offset == 88
    assert moved.opcode == "buffer_load_dword"


def test_gfx1250_has_an_address_for_each_lane_and_a_counter_of_its_own():
    done = direct.copy("gfx1250", 8, 31, base=1000, offset=8)
    assert (done.opcode, done.lds_address, done.lane_stride, done.wave_span, done.counter) == (
        "global_load_async_to_lds_b64",
        1008,
        None,
        None,
        "asynccnt",
    )


@pytest.mark.parametrize(
    "given_, said",
    [
        ({"lane": 64}, r"lane=64: 0\.\.63"),
        ({"offset": 4096}, r"offset=4096: -4096\.\.4095"),
        ({"offset": -1, "form": "buffer"}, r"offset=-1: 0\.\.4095"),
        ({"form": "flat"}, "global, buffer"),
        ({"voffset": 4}, "only the buffer form"),
        ({"base": -4}, "base=-4"),
        ({"reading": "packed"}, "llvm, four"),
        ({"target": "gfx1250", "m0": 4}, "M0 has no part"),
        ({"target": "gfx1250", "form": "buffer"}, "no buffer load"),
        ({"target": "gfx1250", "offset": -8}, r"offset=-8: 0\.\."),
        ({"target": "gfx1250", "lane": 32}, r"0\.\.31"),
        ({"target": "gfx90a"}, "gfx942, gfx950, gfx1250"),
    ],
)
def test_wrong_input_is_named(given_, said):
    arguments = dict({"target": "gfx950", "size": 4, "lane": 0}, **given_)
    with pytest.raises(ValueError, match=said):
        direct.copy(**arguments)


def test_an_interval_needs_a_size_that_exists():
    with pytest.raises(ValueError, match="1, 2, 4 on gfx942"):
        direct.padding_interval("gfx942", 16, 1024)
    with pytest.raises(ValueError, match="interval=512: none on gfx1250"):
        direct.padding_interval("gfx1250", 16, 512)
