# SPDX-License-Identifier: Apache-2.0
"""Public reports on lanes, LDS and copies into it: a small input each, asked as a script asks, and the outcome of the thread.

The name of a case is the thread. Numbers come from the thread, or follow by arithmetic from what it states.
"""

import json

import pytest

from cdna_evidence.cli import main


@pytest.fixture
def asked(capsys):
    """Return ask(words, status): the JSON document of one command, or its error message."""

    def ask(words, status=0):
        found = main([*(words.split() if isinstance(words, str) else words), "--json"])
        out, err = capsys.readouterr()
        assert found == status, err or out
        return json.loads(out) if out else err

    return ask


def named(*rows):
    """Return rows as parameters; the first word of each, the thread, is its name."""
    return [pytest.param(*row[1:], id=row[0]) for row in rows]


def rules(document):
    return [item["rule"] for item in document["findings"]]


# ---- lanes


@pytest.mark.parametrize(
    ("words", "wanted"),
    named(
        # A shuffle down reads a higher lane: its instruction is row_shl.
        ("Genesis-Embodied-AI/quadrants#770", "dpp --target gfx942 --control row_shl:4", {0: 4, 11: 15, 16: 20}),
        # Rotations of a row are told from the first lane: it reads lane 16 - N.
        ("llvm/llvm-project#192246", "dpp --target gfx950 --control row_ror:3", {0: 13, 3: 0, 16: 29}),
        # A broadcast of lane 31 in place of the last lane of the wave.
        ("ORNL/HeCBench#177", "bpermute --target gfx942 --index 4*63", {0: 63, 31: 63, 63: 63}),
        # A source lane of -1 wraps instead of falling out.
        ("ROCm/HIP-CPU#14", "bpermute --target gfx942 --index 4*(lane-1)", {0: 63, 1: 0, 63: 62}),
        # Every lane reads lane 3 of 32.
        ("KytyPS5/KytyPS5#380", "bpermute --target gfx1250 --index 12 --value 100+lane", {0: 103, 31: 103}),
        # Lane 2 of a group of four asks five lanes down: it keeps its own value.
        ("ROCm/hipamd#2", "up --target gfx1250 --by 5 --width 4", {2: 2, 5: 5, 31: 31}),
        # Inside the group the lane delta below, at its edge the own value.
        ("alpaka-group/alpaka#1924", "up --target gfx1250 --by 3 --width 8", {2: 2, 3: 0, 8: 8, 11: 8, 31: 28}),
        # The steps of a reduction, by the codes that the helper gives; 0x1e0 spreads lane 15 of 32.
        ("ROCm/rocm-libraries#7944", "dpp --target gfx942 --control 0x4e", {0: 2, 1: 3, 2: 0, 3: 1}),
        ("ROCm/rocm-libraries#7944", "dpp --target gfx942 --control 0x124", {0: 12, 4: 0, 15: 11}),
        ("ROCm/rocm-libraries#7944", "dpp --target gfx942 --control 0x142", {16: 15, 31: 15, 48: 47}),
        ("ROCm/rocm-libraries#7944", "swizzle --target gfx942 --pattern 0x1e0", {0: 15, 16: 15, 31: 15, 40: 47}),
    ),
)
def test_which_lane_is_read(asked, words, wanted):
    values = asked("lane " + words)["result"]["values"]
    assert {lane: values[lane] for lane in wanted} == wanted


@pytest.mark.parametrize(("mask", "code"), [(1, 0xB1), (2, 0x4E), (3, 0x1B), (7, 0x141), (15, 0x140)])
def test_the_exchanges_that_dpp_has_before_row_xmask(asked, mask, code):
    """HIP's __shfl_xor on gfx942: five masks are a DPP control; any mask below 32 is the swizzle (mask << 10) | 0x1f."""
    moved = asked(f"lane dpp --target gfx942 --control {code}")["result"]["values"]
    assert moved == [lane ^ mask for lane in range(64)]
    assert asked(f"lane swizzle --target gfx942 --pattern {mask << 10 | 0x1F}")["result"]["values"] == moved


@pytest.mark.parametrize(
    ("lanes", "mask", "low"),
    named(
        # A literal of 32 bits, shifted by 36, has lost the group before it is widened.
        ("GPUOpen-LibrariesAndSDKs/HIPRT#68", "36-39", "0x000000f000000000", 0),
        ("ORNL/HeCBench#167", "32-63", "0xffffffff00000000", 0),
        ("tile-ai/tilelang#1858", "0,31,32,63", "0x8000000180000001", 2),
    ),
)
def test_a_vote_of_64_lanes(asked, lanes, mask, low):
    found = asked(f"lane ballot --target gfx942 --active {lanes}")
    assert (found["result"]["mask"], found["result"]["low_32_bits_count"]) == (mask, low)
    assert rules(found) == ["mask-of-64-bits"]


def test_the_last_steps_of_a_scan_leave_other_lanes_without_the_sum(asked):
    """llvm/llvm-project#141825: one in lane 0, zeros elsewhere: the masks of a scan give the total to the last rows only."""
    held = [1] * 16 + [0] * 48  # after four steps inside the rows
    for control, mask in ((15, "0xa"), (31, "0xc")):
        words = ["lane", "dpp", "--target", "gfx942", "--control", f"row_bcast:{control}", "--row-mask", mask]
        sources = [entry["reads_lane"] for entry in asked(words)["result"]["entries"]]
        held = [held[lane] + (0 if sources[lane] is None else held[sources[lane]]) for lane in range(64)]
    assert [held[lane] for lane in (0, 16, 32, 48, 63)] == [1, 1, 1, 1, 1]
    ones = [0] * 32 + [1] * 16 + [0] * 16  # the one in row 2: rows 0 and 1 never see it
    for control, mask in ((15, "0xa"), (31, "0xc")):
        words = ["lane", "dpp", "--target", "gfx942", "--control", f"row_bcast:{control}", "--row-mask", mask]
        sources = [entry["reads_lane"] for entry in asked(words)["result"]["entries"]]
        ones = [ones[lane] + (0 if sources[lane] is None else ones[sources[lane]]) for lane in range(64)]
    assert [ones[lane] for lane in (0, 16, 32, 63)] == [0, 0, 1, 1]


@pytest.mark.parametrize(("bound", "value"), [([], 7), (["--bound-zero"], 0)])
def test_bound_control_decides_what_a_lane_gets_from_an_inactive_one(asked, bound, value):
    """GPUOpen-Drivers/llpc#1782: with it a zero is written, without it the lane is left unchanged."""
    words = "lane dpp --target gfx1250 --control quad_perm:[1,0,3,2] --old 7 --active 0,2,3".split()
    found = asked([*words, *bound])
    assert found["result"]["values"][0] == value and "inactive-source" in rules(found)


def test_broadcasts_end_with_gfx950(asked):
    """ROCm/rocPRIM#180: dpp_ctrl 322 is refused: no broadcasts from GFX10 on."""
    assert "not on gfx1250" in asked("lane dpp --target gfx1250 --control 322", 2)


def test_two_swaps_turn_three_bits_around(asked):
    """triton-lang/triton#7825, #7861: a swap of 32 exchanges the register's bit with lane bit 5, then that of 16 with bit 4."""

    def swapped(rows, first, second):
        words = ["lane", "swap", "--target", "gfx950", "--rows", str(rows), "--value", first, "--second", second]
        found = asked(words)["result"]
        return found["first"] + found["second"]

    once = swapped(32, "lane", "64+lane")  # the register is bit 6 of a value
    assert once == [(place & 31) | (place >> 5 & 1) << 6 | (place >> 6) << 5 for place in range(128)]
    twice = swapped(16, "lane%32+64*(lane//32)", "lane%32+32+64*(lane//32)")
    assert twice == [(at & 15) | (at >> 4 & 1) << 5 | (at >> 5 & 1) << 6 | (at >> 6) << 4 for at in range(128)]


# ---- banks


@pytest.mark.parametrize(
    ("pattern", "degree"),
    named(
        # A column of 32 rows over 32 banks of four bytes: row strides of 32, 64, 16 and 33 words, then swizzles of the first.
        ("NVlabs/cuda-oxide#544", "lane%32*128", 32),
        ("NVlabs/cuda-oxide#544", "lane%32*256", 32),
        ("NVlabs/cuda-oxide#544", "lane%32*64", 16),
        ("NVlabs/cuda-oxide#544", "lane%32*132", 1),
        ("NVlabs/cuda-oxide#544", "lane%32*128+(lane&31)*4", 1),
        ("NVlabs/cuda-oxide#544", "lane%32*128+(lane&7)*4", 4),
        ("NVlabs/cuda-oxide#544", "lane%32*128+(lane&3)*4", 8),
    ),
)
def test_a_column_of_words(asked, pattern, degree):
    """The counts are for 32 lanes over 32 banks, which is how ds_read_b32 of gfx942 is served."""
    words = ["lds", "conflicts", "--target", "gfx942", "--op", "ds_read_b32", "--expr", pattern]
    assert asked(words)["result"]["worst"] == degree


def test_a_pad_between_slabs_of_two_rows(asked):
    """ROCm/rocm-libraries#9260: rows of 512 bytes, 32 bytes after each pair of them, which is what one wave copies."""
    worst = []
    for pad in (0, 32):
        pattern = f"lane%16//2*{1024 + pad}+lane%2*512+lane//16*16"
        words = ["lds", "conflicts", "--target", "gfx950", "--op", "ds_read_b128", "--expr", pattern]
        worst.append(asked(words)["result"]["worst"])
    assert worst == [8, 2]  # by an independent count over the groups of triton-lang/triton#11365
    copy = "lds direct --target gfx950 --size 16 --lane 0 --interval "
    assert rules(asked(copy + "1024")) == [] and rules(asked(copy + "512", 1)) == ["pad-interval"]


@pytest.mark.parametrize(
    ("rows", "total", "worst"),
    named(
        # Rows of 128 and 64 halfwords, padded by 8 after each row, and rows of 64 padded after each pair.
        ("ROCm/rocm-libraries#10102", "lane%32*256", 32, 16),
        ("ROCm/rocm-libraries#10102", "lane%32*272", 4, 1),
        ("ROCm/rocm-libraries#10102", "lane%32*128", 16, 8),
        ("ROCm/rocm-libraries#10102", "lane%32//2*272+lane%2*128", 4, 1),
        # Pads of 8, 16 and 24 tie when the whole wave is counted; the groups tell the one that was slower.
        ("ROCm/rocm-libraries#11222", "lane%32//2*288+lane%2*128", 4, 2),
        ("ROCm/rocm-libraries#11222", "lane%32//2*304+lane%2*128", 4, 1),
    ),
)
def test_a_count_over_the_whole_wave_is_too_coarse(asked, rows, total, worst):
    """The threads count lanes on the busiest bank over all 64, of which 4 are the least; here each group is counted alone."""
    counted = [0] * 64
    for lane in range(64):
        first = (eval(rows, {"__builtins__": {}}, {"lane": lane}) + lane // 32 * 16) // 4
        for word in range(first, first + 4):
            counted[word % 64] += 1
    words = ["lds", "conflicts", "--target", "gfx950", "--op", "ds_read_b128", "--expr", rows + "+lane//32*16"]
    assert (max(counted), asked(words)["result"]["worst"]) == (total, worst)


def test_the_swizzle_of_a_page(asked):
    """Mojo's make_mma_swizzle, FP8 16x16x128 on MI355X: four-way without, and three bits from bit 8 onto bit 4 free it."""
    plain = "(lane%16*128+lane//16*16)"
    for expr, worst in ((plain, 4), (f"{plain}^{plain}>>4&112", 1)):
        words = ["lds", "conflicts", "--target", "gfx950", "--op", "ds_read_b128", "--expr", expr]
        assert asked(words)["result"]["worst"] == worst


def test_four_steps_of_32_lanes_would_conflict(asked):
    """ROCm/composable_kernel, bank_rules_interactive.html: lanes 16 bytes apart are free, though not for the reason given there."""
    found = asked("lds conflicts --target gfx942 --op ds_read_b128 --expr lane*16")["result"]
    assert found["worst"] == 1 and {len(group) for group in found["groups"]} == {8}
    assert asked("lds conflicts --target gfx942 --op ds_read_b32 --expr lane*16")["result"]["worst"] == 4


# ---- capacity


@pytest.mark.parametrize(
    ("target", "size", "groups"),
    named(
        ("ROCm/rocm-jax#404", "gfx942", 73728, 0),
        ("ROCm/rocm-jax#404", "gfx950", 73728, 2),
        # In units of 256 bytes 85 of them fit three times, and 53 fit twelve times; the units are 512 and 1280.
        ("ROCm/rocm-libraries#10078", "gfx942", 85 * 256, 2),
        ("ROCm/rocm-libraries#10078", "gfx950", 53 * 256, 11),
        # 65 KB is within the 80 KB that keep two workgroups on a compute unit.
        ("ROCm/rocm-libraries#9260", "gfx950", 65 * 1024, 2),
        ("ROCm/rocm-libraries#9260", "gfx950", 80 * 1024, 2),
        ("ROCm/rocm-libraries#9260", "gfx950", 80 * 1024 + 1, 1),
    ),
)
def test_how_many_workgroups_fit(asked, target, size, groups):
    found = asked(f"lds alloc {size} --target {target}", 0 if groups else 1)["result"]
    assert (found["workgroups_per_cu"], found["fits"]) == (groups, groups > 0)


# ---- copies and transposing loads


def test_two_bytes_a_lane_are_widened(asked):
    """gem5/gem5#2766: a copy of halfwords into LDS writes a DWORD for each lane."""
    found = asked("lds direct --target gfx942 --size ushort --lane 5")["result"]
    assert (found["written_bytes"], found["lds_address"], found["lane_stride"]) == (4, 20, 4)


@pytest.mark.parametrize("size, accepted", [(1, True), (2, False), (4, True), (8, True), (12, False), (16, True)])
def test_asynchronous_copies(asked, size, accepted):
    """llvm/llvm-project#189279: b8, b32, b64 and b128."""
    found = asked(f"lds direct --target gfx1250 --size {size} --lane 0", 0 if accepted else 1)["result"]
    assert found["accepted"] is accepted


@pytest.mark.parametrize(
    ("target", "name", "op"),
    named(
        ("ROCm/FlyDSL#256", "gfx950", "DS_READ_B96_TR_B6", "ds_read_b96_tr_b6"),
        ("ROCm/aiter#2480", "gfx950", "__builtin_amdgcn_ds_read_tr16_b64_v4f16", "ds_read_b64_tr_b16"),
        ("iree-org/iree#22538", "gfx950", "rocdl.ds.read.tr16.b64", "ds_read_b64_tr_b16"),
        ("llvm/llvm-project#198354", "gfx1250", "rocdl.ds.load.tr8.b64", "ds_load_tr8_b64"),
    ),
)
def test_a_transposing_load_by_any_name(asked, target, name, op):
    unverified = op == "ds_read_b96_tr_b6"
    found = asked(["lds", "transpose", "--target", target, "--op", name, "--lane", "0"], 3 if unverified else 0)[
        "result"
    ]
    assert found["op"] == op and (found["receives"] is None) is unverified


def test_the_other_generation_has_its_own(asked):
    """llvm/llvm-project#198354: close to the loads of gfx950, and not the same."""
    found = asked("lds transpose --target gfx1250 --op ds_read_b64_tr_b16", 1)
    assert "ds_load_tr16_b128" in found["findings"][0]["message"]


@pytest.mark.parametrize("interval, status", [(256, 1), (512, 1), (1024, 0), (1536, 1), (2048, 0)])
def test_a_pad_only_at_the_end_of_a_wave(asked, interval, status):
    """triton-lang/triton#9149, #8365: 64 lanes of 16 bytes are 1024, and only a multiple of that takes a pad."""
    found = asked(f"lds direct --target gfx950 --size 16 --lane 0 --interval {interval}", status)
    assert any("1024" in item["message"] for item in found["findings"]) is bool(status)


def test_only_the_swap_of_sixteen_was_carried_on(asked):
    """llvm/llvm-project#149518 adds v_permlane16_swap_b32 to gfx1250; the swap of 32 needs 64 lanes."""
    assert asked("lane swap --target gfx1250 --rows 16")["result"]
    assert "not on gfx1250" in asked("lane v_permlane32_swap_b32 --target gfx1250", 2)


@pytest.mark.parametrize("name", ["global_load_async_to_lds_b32", "cluster_load_async_to_lds_b32"])
def test_the_offset_moves_both_sides_of_an_asynchronous_copy(asked, name):
    """ROCm/rocm-systems#8829, #10199: in memory and in LDS, in the ordinary and the cluster form."""
    found = asked(f"lds direct --target gfx1250 --size {name} --lane 1 --base 4 --offset 4")["result"]
    assert (found["opcode"], found["lds_address"], found["global_offset"]) == (name, 8, 4)


def test_a_negative_register_and_an_offset(asked):
    """ROCm/rocm-systems#10575: -64 in the register and an offset of 64 are LDS byte 0."""
    found = asked(f"lds direct --target gfx1250 --size 4 --lane 0 --base {2**32 - 64} --offset 64")
    assert found["result"]["lds_address"] == 0 and rules(found) == ["address-wraps"]


@pytest.mark.parametrize(
    "expr", ["lane%32*256+2*(lane//32*4^lane%32*4)", "lane%32*128+2*(lane//32*4^lane%16*4)"], ids=["row 128", "row 64"]
)
def test_the_narrower_key_is_enough_for_32_banks(asked, expr):
    """ROCm/rocm-libraries#10845: the fifth bit of the key lands above the banks, so rows of 64 halfwords do as well as of 128."""
    assert asked(["lds", "conflicts", "--target", "gfx942", "--op", "ds_read_b64", "--expr", expr])["result"]["worst"] == 1
