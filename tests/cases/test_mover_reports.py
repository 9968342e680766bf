# SPDX-License-Identifier: Apache-2.0
"""More public reports about the Tensor Data Mover, asked as a script asks, with the outcome of the thread.

Numbers come from the thread, or follow by hand from what it states and from the bit positions of the manual's tables.
"""

import io
import json
import sys

import pytest

from cdna.tdm.copy import member_offset, remaining, wave_share
from cdna.tdm.gather import batches
from cdna.tdm.multicast import check_launch, mask_of
from cdna.tdm.pad import codes, padded_offset
from cdna.tdm.pipeline import check, loop, omissions, wait_limit
from cdna_evidence.cli import main


@pytest.fixture
def asked(capsys, monkeypatch):
    """Return ask(words, document, status): the JSON document of one `cdna` command, or its error message."""

    def ask(words, document=None, status=0):
        text = document if isinstance(document, str) else json.dumps(document)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        found = main([*words.split(), "--json"])
        out, err = capsys.readouterr()
        assert status is None or found == status, err or out
        return json.loads(out) if out else err

    return ask


def rules(document):
    return [item["rule"] for item in document["findings"]]


def message(document, rule):
    (found,) = [item["message"] for item in document["findings"] if item["rule"] == rule]
    return found


def encoded(asked, copy, status=0):
    """Return (document, fields of the words)."""
    document = asked("tdm encode -", {"copy": copy}, status)
    if status:
        return document, None
    return document, asked("tdm decode " + " ".join(document["result"]["words"]))["result"]["fields"]


ROWS = {"element_bits": 16, "global_addr": 4096, "lds_addr": 0, "tensor": [64, 64], "tile": [64, 16], "strides": [64]}

# ---- descriptor


def test_the_upper_half_of_a_stride_shares_its_word(asked):
    """triton-lang/triton#10287: word 6 holds bits 32 to 47 of the first stride below bits 0 to 15 of the second."""
    first, second = 0x0000_1234_5678_9ABC, 0x0000_FEDC_BA98_7654
    fields = {"tile_dim0": 1, "tensor_dim0_stride": first, "tensor_dim1_stride": second}
    words = asked("tdm encode -", {"fields": fields})["result"]["groups"]["group1"]
    assert words[5:] == ["56789abc", "76541234", "fedcba98"]
    found = asked("tdm decode " + " ".join(words) + " --group 1")["result"]["fields"]
    assert (found["tensor_dim0_stride"], found["tensor_dim1_stride"]) == (first, second)
    for stride in (1 << 48, -1):
        document = asked("tdm encode -", {"fields": {"tensor_dim0_stride": stride}}, status=1)
        assert "0..281474976710655" in message(document, "field-range")


def test_the_row_pitch_is_not_the_stride_of_the_innermost_dimension(asked):
    """llvm/llvm-project#174008: tensor_dim0_stride was always 1, the stride within a row."""
    _, fields = encoded(asked, ROWS | {"strides": [1, 512]})
    assert fields["tensor_dim0_stride"] == 512
    slip = asked("tdm encode -", {"fields": fields | {"tensor_dim0_stride": 1}})
    assert "dimension 1 steps 1" in message(slip, "stride-overlap")


def test_a_column_major_tensor_is_described_with_its_unit_stride_first(asked):
    """triton-lang/triton#9730: some dimension must have stride 1, and it must be the engine's innermost one."""
    document, _ = encoded(asked, ROWS | {"strides": [64, 1]}, status=1)
    assert "begin tile, tensor, at and strides with the dimension of stride 1" in message(document, "field-range")
    document, _ = encoded(asked, ROWS | {"strides": [128, 256]}, status=1)
    assert message(document, "field-range") == "strides[0]=128: 1: dimension 0 is contiguous"
    assert encoded(asked, ROWS | {"strides": [1, 64]})[1]["tensor_dim0_stride"] == 64


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        # llvm/llvm-project#200911: null for groups 2 and 3 came after LLVM 22; never for groups 0 and 1.
        ("tensor_load_to_lds s[0:3], s[4:11], null, null", False),
        ("tensor_load_to_lds null, s[4:11]", False),
        ("tensor_load_to_lds s[0:3], s[4:11]", True),
    ],
)
def test_null_is_not_written_for_a_group(asked, text, accepted):
    from cdna_evidence.witnesses import Missing, get

    try:
        clang = get("clang")
    except Missing as missing:
        pytest.skip(str(missing))
    (answer,) = clang.assemble("gfx1250", [text])
    assert answer.accepted is accepted


def test_a_wave_s_share_at_the_edge():
    """ROCm/rocm-libraries#9210: every wave took its full share of rows, past the edge of a partial tile."""
    share, used = wave_share(64, 4)
    assert (share, used) == (16, 4)
    # 40 rows are left: the waves have 16, 16, 8 and none.
    assert [min(share, remaining(40, wave * share)) for wave in range(4)] == [16, 16, 8, 0]


# ---- padding


@pytest.mark.parametrize("dwords", [0, 1, 3, 48, 512])
def test_an_interval_that_is_no_code(asked, dwords):
    """ROCm/rocm-libraries#7393: the block between gaps is a positive power of two of DWORDs."""
    document, _ = encoded(asked, ROWS | {"pad": {"interval_dwords": dwords, "amount_dwords": 4}}, status=1)
    assert message(document, "field-range").startswith(f"interval_dwords={dwords}: a power of two from 2 to 256")


def test_rows_of_no_power_of_two_may_iterate(asked):
    document = asked("tdm pad --row-bytes 192 --pad-bytes 16", status=1)
    assert "one row a pass with iterate" in message(document, "field-range")


def test_a_gap_at_the_wrap_of_the_banks():
    """triton-lang/triton#9780: 64 banks of 4 bytes wrap after 256 bytes, so rows of 64 bytes share one gap."""
    assert codes(256 // 4, 16 // 4) == {"pad_enable": 1, "pad_interval": 5, "pad_amount": 3}
    assert [padded_offset(64 * row, 256, 16) for row in range(6)] == [0, 64, 128, 192, 272, 336]


def test_gaps_of_two_operands_of_one_kernel(asked):
    """ROCm/rocm-libraries#11470: K with 16 bytes after every 256, V with 32; and what they reserve of LDS."""
    for gap, code, reserved in ((16, 3, 34816), (32, 7, 36864)):
        found = asked(f"tdm pad --row-bytes 256 --pad-bytes {gap} --element-bytes 2 --rows 128")["result"]
        assert (found["interval_code"], found["amount_code"], found["reserved_bytes"]) == (5, code, reserved)


def test_where_an_element_lands(asked):
    """HazyResearch/HipKittens#57: flat + flat / interval * amount, here element 5 of row 3, 16 bytes every 256."""
    words = "tdm pad --row-bytes 256 --pad-bytes 16 --element-bytes 2 --rows 8 --at "
    assert asked(words + "5,3")["result"]["byte"] == {"packed": 778, "padded": 778 + 3 * 16}
    for wrong in ("128,0", "5", "5,-1", "5,3 --byte 4"):
        assert "--at" in asked(words + wrong, status=2)


def test_gaps_run_on_over_rows(asked):
    """ROCm/rocm-libraries#12350: the interval counts the whole stream. Rows of 12 bytes, 4 bytes after every 16."""
    job = {
        "copy": {"element_bytes": 4, "global_addr": 0, "tensor": [3, 4], "strides": [3], "tile": [3, 4]}
        | {"pad": {"interval_dwords": 4, "amount_dwords": 1}},
        "op": "load",
        "memory": [{"addr": 0, "hex": "".join(f"{i:02x}000000" for i in range(12))}],
        "lds": {"size": 64, "fill_u8": 255},
        "read": [{"space": "lds", "addr": 0, "length": 60}],
    }
    landed = bytes.fromhex(asked("tdm run -", job)["result"]["reads"][0])
    assert [landed[4 * i] for i in range(15)] == [0, 1, 2, 3, 255, 4, 5, 6, 7, 255, 8, 9, 10, 11, 255]


def test_parts_that_begin_inside_an_interval(asked):
    """ROCm/rocm-libraries#12351: a component restarts the padding at its own base, the reader goes by the whole tile.

    Parts of 192 bytes, 16 after every 256: byte 256 of the tile is byte 64 of part 2, and stays at 192 + 64.
    """
    part = {"tile_dim0": 192, "tile_dim1": 1, "tensor_dim0": 192, "tensor_dim0_stride": 192}
    part |= {"pad_enable": 1, "pad_interval": 5, "pad_amount": 3}

    def parts(size, starts):
        moved = part | {"tile_dim0": size, "tensor_dim0": size, "tensor_dim0_stride": size}
        count = len(starts)
        return [
            {"fields": moved | {"global_addr": 4096 + size * k, "lds_addr": start, "tensor_dim1": count - k}, "op": "load"}
            for k, start in enumerate(starts)
        ]

    document = asked("tdm lint -", parts(192, [0, 192, 400]))
    assert "part 2 begins inside an interval" in message(document, "wave-part-crosses")
    assert "wave-part-crosses" in rules(asked("tdm lint -", parts(384, [0, 400, 816])))
    # Halves and multiples of the interval agree with the whole tile; tiles of their own lie back to back.
    for size, starts in ((128, [0, 128, 272, 400]), (512, [0, 544, 1088]), (384, [0, 400, 800])):
        assert rules(asked("tdm lint -", parts(size, starts))) == [], size
    # What it does: the model's second part against the whole tile, which has its gap at byte 256.
    landed = {}
    for name, start, at, size in (("whole", 0, 0, 384), ("part", 192, 192, 192)):
        fields = part | {"tile_dim0": size, "tensor_dim0": size, "tensor_dim1": 1, "global_addr": at, "lds_addr": start}
        memory = [{"addr": 0, "hex": bytes(i % 251 for i in range(384)).hex()}]
        read = [{"space": "lds", "addr": 256, "length": 32}]
        job = {"fields": fields, "op": "load", "memory": memory, "lds": {"size": 512, "fill_u8": 255}, "read": read}
        landed[name] = bytes.fromhex(asked("tdm run -", job)["result"]["reads"][0])
    assert landed["whole"] == b"\xff" * 16 + bytes(range(5, 21)) and landed["part"] == bytes(range(5, 37))


# ---- iterate


@pytest.mark.parametrize("count", [0, 257])
def test_the_passes_that_a_count_can_say(asked, count):
    """ROCm/FlyDSL#1013: at most 256 passes, stored less one."""
    iterate = {"count": count, "lds_increment": 64, "global_increment": 64}
    document, _ = encoded(asked, ROWS | {"tile": [64, 1], "iterate": iterate}, status=1)
    assert "1 to 256 passes" in message(document, "field-range")


def test_planes_may_iterate_and_single_rows_are_told(asked):
    """ROCm/FlyDSL#1013: one place stopped at two dimensions, the other at three, which is what the manual says."""
    iterate = {"count": 2, "lds_increment": 256, "global_increment": 8192}
    planes = {"tensor": [64, 64, 4], "tile": [64, 2, 2], "strides": [64, 4096], "iterate": iterate}
    document, fields = encoded(asked, ROWS | planes)
    assert document["findings"] == [] and (fields["iterate_count"], fields["tile_dim2"]) == (1, 2)
    line = {"tensor": [4096], "tile": [64], "strides": [], "iterate": {"count": 2, "lds_increment": 64}}
    document, _ = encoded(asked, ROWS | line)
    assert "write tile_dim1=1" in message(document, "iterate-one-dimension")


def test_increments_of_four_bit_elements_are_bytes(asked):
    """ROCm/rocm-libraries#7976: sub-byte types need their increments in bytes. 2048 and 2080 elements of 4 bits."""
    iterate = {"count": 10, "lds_increment": 2080, "global_increment": 2048}
    four = {"element_bits": 4, "tensor": [2048, 10], "tile": [2048, 1], "strides": [2048], "iterate": iterate}
    _, fields = encoded(asked, ROWS | four)
    assert (fields["lds_addr_increment"], fields["global_addr_increment"]) == (1040, 1024)


# ---- bounds


def test_an_advanced_descriptor_loses_what_it_advanced(asked):
    """triton-lang/triton#10587: each bound is max(0, extent - offset), a negative offset gives zero."""
    base = {"element_bits": 16, "base": 0, "lds_addr": 0, "tensor": [100, 64], "tile": [64, 16], "strides": [128]}
    for at, bounds in (([64, 48], (36, 16)), ([128, 0], (0, 64)), ([-64, 0], (0, 64)), ([0, 64], (100, 0))):
        _, fields = encoded(asked, base | {"at": at})
        assert (fields["tensor_dim0"], fields["tensor_dim1"]) == bounds


def test_the_tail_of_a_walk_keeps_its_bound(asked):
    """ROCm/rocm-systems#9935: each step of the tail moved the base by a whole depth and left the bounds at [127, 64]."""
    tile = {"data_size": 1, "tile_dim0": 128, "tile_dim1": 64, "tensor_dim0": 127, "tensor_dim1": 64}
    tile["tensor_dim0_stride"] = 127
    steps = [{"fields": tile | {"global_addr": 4096 + 256 * i, "lds_addr": 16384 * i}} for i in range(2)]
    assert "bound-not-moved" in rules(asked("tdm lint -", steps))


def test_a_bound_that_every_step_of_k_takes_anew(asked):
    """AMD-AGI/Primus-Turbo#508: 100 tokens in tiles of 64; the second step kept the bound and read the next expert's."""
    step = {"tile_dim0": 256, "tile_dim1": 64, "tensor_dim0": 256, "tensor_dim0_stride": 512, "tensor_dim1": 100}
    steps = [{"fields": step | {"global_addr": 4096 + 64 * 512 * k, "lds_addr": 16384 * k}} for k in range(2)]
    assert "tensor_dim1=36" in message(asked("tdm lint -", steps), "bound-not-moved")
    steps[1]["fields"]["tensor_dim1"] = 36
    assert "bound-not-moved" not in rules(asked("tdm lint -", steps))


def test_the_second_half_of_a_split_tile(asked):
    """ROCm/rocm-libraries#8658: a tile of 128 rows by two loads of 64; the second bound is what is left, at least 0."""
    half = {"element_bits": 16, "base": 4096, "lds_addr": 0, "tile": [64, 64], "strides": [64]}
    for rows, bounds in ((128, (128, 64)), (100, (100, 36)), (64, (64, 0)), (20, (20, 0))):
        found = [encoded(asked, half | {"tensor": [64, rows], "at": [0, at]})[1]["tensor_dim1"] for at in (0, 64)]
        assert tuple(found) == bounds, rows
    wrapped = {"data_size": 1, "tile_dim0": 64, "tile_dim1": 64, "tensor_dim0": 64, "tensor_dim0_stride": 64}
    document = asked("tdm lint -", {"fields": wrapped | {"tensor_dim1": (20 - 64) & 0xFFFFFFFF}})
    assert "is -44 as a signed number" in message(document, "bound-negative")


def test_addresses_behind_a_row_at_the_edge(asked):
    """AMD-AGI/Primus-Turbo#508: a load's innermost bound blanked the data, and the address walked off the allocation.

    Two rows of 10 in a packed array, a tile of 16: the last row would end 6 elements of 2 bytes behind the array.
    """
    copy = {"element_bytes": 2, "global_addr": 4096, "tensor": [10, 2], "strides": [10], "tile": [16, 2]}
    job = {"copy": copy, "op": "load", "memory": [{"addr": 4096, "hex": "11" * 40}], "lds": {"size": 64}}
    document = asked("tdm run -", job | {"read": [{"space": "lds", "addr": 0, "length": 64}]})
    assert document["result"]["reads"] == [("11" * 20 + "00" * 12) * 2] and document["result"]["faults"] == []
    (other,) = [item["result"] for item in document["disputed"] if item["claim"] == "TDM-151"]
    assert other["reads"] == document["result"]["reads"]
    assert other["faults"] == [{"op": 0, "space": "memory", "addr": 4136, "length": 12}]
    for other_job in (job | {"op": "store"}, job | {"copy": copy | {"tensor": [16, 2], "strides": [16]}}):
        memory = [{"addr": 4096, "hex": "11" * 64}]
        assert asked("tdm run -", other_job | {"memory": memory})["disputed"] == []


def test_rows_of_a_scale_tile_that_are_left(asked):
    """ROCm/aiter#4988: M = 400 in tiles of 256; the inner extent of the second one's scales is 144, not 256."""
    scales = {"element_bits": 8, "base": 0, "at": [256, 0], "lds_addr": 0, "tensor": [400, 8], "strides": [400]}
    assert encoded(asked, scales | {"tile": [256, 8]})[1]["tensor_dim0"] == 144


def test_the_second_member_of_a_cluster():
    """triton-lang/triton#9341, with other numbers: 200 columns, three members of 80."""
    assert [remaining(200, member_offset(0, member, 80)) for member in range(4)] == [200, 120, 40, 0]


# ---- gather

TOKENS = {"element_bits": 16, "global_addr": 4096, "lds_addr": 0, "tensor": [64, 100], "tile": [64], "strides": [64]}


def test_the_bound_of_a_gather_is_the_source_s_rows(asked):
    """ROCm/aiter#3907: the length of the list as bound makes valid rows zeros."""
    rows = {"gather": {"indices": [3, 17, 50, 99], "index_bits": 16}}
    assert encoded(asked, TOKENS | rows)[1]["tensor_dim1"] == 100
    document, _ = encoded(asked, TOKENS | {"tensor": [64, 4]} | rows)
    assert "tensor_dim1 is the number of rows of the source" in message(document, "gather-bound-is-list")


def test_an_entry_without_a_row(asked):
    """ROCm/aiter#3907: its index map is filled up with -1, which is no row number; as a word it is the largest one."""
    document, _ = encoded(asked, TOKENS | {"gather": {"indices": [3, -1], "index_bits": 32}}, status=1)
    assert "a row number is unsigned" in message(document, "field-range")
    for bits, largest in ((16, 0xFFFF), (32, 0xFFFFFFFF)):
        document, _ = encoded(asked, TOKENS | {"gather": {"indices": [3, largest], "index_bits": bits}})
        assert f"row {largest} (-1 in {bits} bits) is outside" in message(document, "gather-row-outside")
        document, _ = encoded(asked, TOKENS | {"gather": {"indices": [largest, 3], "index_bits": bits}})
        assert f"{largest} (-1 in {bits} bits)" in message(document, "gather-order")


def test_a_row_number_beyond_its_width_takes_the_wide_list(asked):
    """lightseekorg/tokenspeed#1503: the width follows from the largest row number."""
    document, _ = encoded(asked, TOKENS | {"gather": {"indices": [65536], "index_bits": 16}}, status=1)
    assert message(document, "field-range") == "gather.indices[0]=65536: 0..65535 (rows)"
    assert [batch.index_bits for batch in batches(list(range(65536 - 8, 65536)))] == [16]
    assert [len(batch.rows) for batch in batches(list(range(65536 - 8, 65537)))] == [8, 1]


def test_a_scatter_drops_rows_and_columns_outside(asked):
    """triton-lang/triton#9371, stored: the last block has two columns left, and row 3 does not exist."""
    job = {
        "copy": {"element_bytes": 1, "base": 0, "at": [4, 0], "tensor": [6, 3], "strides": [6], "tile": [4]}
        | {"gather": {"indices": [0, 2, 3], "index_bits": 16}},
        "op": "store",
        "memory": [{"addr": 0, "hex": "00" * 18}],
        "lds": {"size": 16, "init": [{"offset": 0, "hex": "a0a1a2a3b0b1b2b3c0c1c2c3"}]},
        "read": [{"space": "memory", "addr": 0, "length": 18}],
    }
    found = asked("tdm run -", job)["result"]
    assert found["reads"] == ["00000000a0a1" + "00" * 6 + "00000000b0b1"] and found["faults"] == []


# ---- TENSORcnt


def test_the_wait_counts_instructions():
    """triton-lang/triton#9352: a gather may be several instructions, and the wait counts those, not source operations."""
    parts = len(batches(list(range(64)), 16))
    assert parts == 4
    # Three buffers, refilled after reading: two younger tiles of four instructions may be outstanding.
    assert wait_limit(3, "after", None, parts) == 8
    assert wait_limit(3, "between", None, parts) == 4


def test_a_wait_counts_the_transfers_of_its_own_wave(asked):
    """AMD-AGI/Primus-Turbo#508: A and B by two waves; a budget of both in one wave's wait never waits.

    Three buffers, refilled before reading: one tile of this wave may be under way, not two.
    """
    assert (wait_limit(3, "between", None, 1), wait_limit(3, "between", None, 2)) == (1, 2)
    text = """
      tensor_load_to_lds s[0:3], s[4:11]
      tensor_load_to_lds s[12:15], s[4:11]
      s_wait_tensorcnt {limit}
      s_barrier_signal -1
      s_barrier_wait -1
      tensor_load_to_lds s[16:19], s[4:11]
      ds_load_b128 v[0:3], v8
      s_wait_tensorcnt 0x0
      s_wait_dscnt 0x0
      s_endpgm
    """
    document = asked("waits check - --target gfx1250", text.format(limit=2), status=1)
    assert any("s_wait_tensorcnt 2 never waits" in item["message"] for item in document["findings"])
    said = asked("waits check - --target gfx1250", text.format(limit=1), status=None)["findings"]
    assert not any("never waits" in item["message"] for item in said)


def test_a_wait_for_a_mark_is_a_wait(asked):
    """llvm/llvm-project#200775: newer LLVM tracks tensor loads by marks, and `wait.asyncmark` waits for them."""
    text = """
define void @f(<4 x i32> inreg %a, <8 x i32> inreg %b) {{
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  {wait}
  %v = load i32, ptr addrspace(3) null
  ret void
}}
"""
    for wait, told in (
        ("", True),
        ("call void @llvm.amdgcn.s.wait.tensorcnt(i16 0)", False),
        ("call void @llvm.amdgcn.asyncmark()\n  call void @llvm.amdgcn.wait.asyncmark(i16 0)", False),
    ):
        assert ("read-without-wait" in rules(asked("tdm lint -", text.format(wait=wait)))) is told, wait


def test_a_third_buffer_takes_no_barrier_away():
    """ROCm/rocm-libraries#11779: with three buffers the fill of one trip lands in what another wave still reads."""
    for buffers in (2, 3):
        left_out = {item.part for item in omissions(loop(6, buffers, 2, "after"))}
        assert {"read_barrier", "landed_barrier", "lds_wait"} <= left_out, buffers
    assert check(loop(6, 3, 2, "after")).wrong is None


REUSE = """
  tensor_load_to_lds s[0:3], s[4:11]
  s_wait_tensorcnt 0x0
  s_barrier_signal -1
  s_barrier_wait -1
  ds_load_b128 v[0:3], v8
{wait}
  s_barrier_signal -1
  s_barrier_wait -1
  tensor_load_to_lds s[0:3], s[4:11]
  s_wait_dscnt 0x0
  v_add_f32 v0, v0, v1
  s_endpgm
"""


def test_reads_are_drained_before_the_barrier(asked):
    """ROCm/rocm-libraries#8760: no wait for the LDS reads stood before the barrier that gives the buffer back."""
    document = asked("waits check - --target gfx1250", REUSE.format(wait=""), status=1)
    assert "lds-refill-before-read" in rules(document)
    assert "lds-refill-before-read" not in rules(
        asked("waits check - --target gfx1250", REUSE.format(wait="  s_wait_dscnt 0x0"))
    )


# ---- multicast


def test_a_launch_that_lost_its_cluster(asked):
    """ROCm/FlyDSL#750: the cluster attribute was compiled out, the mask was not."""
    tile = {"workgroup_mask": 3, "tile_dim0": 4, "tensor_dim0": 4}
    for cluster, status, rule in ((0, 1, "mask-without-cluster"), (1, 1, "mask-without-cluster"), (2, 0, None)):
        document = asked(f"tdm lint - --cluster {cluster}", {"fields": tile}, status)
        assert rules(document) == ([rule] if rule else [])
    assert [item.name for item in check_launch(3, (1, 1, 1))] == ["mask-without-cluster"]


def test_the_bits_that_a_cluster_is_known_by():
    """ROCm/rocm-systems#8824: an emulator left at zero what compilers read the number in the cluster and the x from."""
    import pathlib

    import yaml

    claims = yaml.safe_load(
        (pathlib.Path(__file__).parents[2] / "evidence/claims/tdm-multicast.yml").read_text("utf-8")
    )
    (values,) = [claim["values"]["gfx1250"] for claim in claims if claim["id"] == "TDM-150"]
    # Bits 24:21, and the low four of TTMP6, as the report names them.
    assert values["own_number_from"] + values["field_bits"] - 1 == 24
    assert (values["ttmp6"]["x"], values["field_bits"]) == (0, 4)


def test_masks_of_two_operands(asked):
    """ROCm/rocm-libraries#10189: A is shared along one axis, B along the other; with one workgroup there is no sharer."""
    found = asked("tdm plan --cluster 2,2 --share rows")["result"]["multicast"]["masks"]
    assert [item["mask"] for item in found] == ["0x0003", "0x000c"]
    found = asked("tdm plan --cluster 2,2 --share columns")["result"]["multicast"]["masks"]
    assert [item["mask"] for item in found] == ["0x0005", "0x000a"]
    assert {
        item["mask"] for item in asked("tdm plan --cluster 4,1 --share columns")["result"]["multicast"]["masks"]
    } == {"0x0000"}
    assert mask_of([2]) == 0 and mask_of([2, 2]) == 0


def test_a_mask_wider_than_five(asked):
    """triton-lang/triton#11078: a load with more than five bits set is not multicast at all, so groups are split."""
    document = asked("tdm plan --cluster 8,1 --share all")
    found = {item["position"]: item["result"]["masks"][0]["reads"] for item in document["disputed"]}
    assert found["none-above-five"] == 8 and document["result"]["multicast"]["safe"]["most_workgroups_in_one_mask"] == 5
    wide = {"fields": {"tile_dim0": 4, "tensor_dim0": 4, "workgroup_mask": 255}}
    assert "not merged at all" in message(asked("tdm lint -", wide), "mask-wide")
    assert asked("tdm plan --cluster 4,1 --share all")["disputed"] == []


# ---- the linter's input


def test_a_file_of_the_runner_is_linted_with_its_direction(asked):
    fields = {"tile_dim0": 64, "tensor_dim0": 64, "pad_enable": 1, "pad_interval": 4, "pad_amount": 3}
    job = {"fields": fields, "op": "store", "memory": [], "lds": {"size": 64}, "read": []}
    assert rules(asked("tdm lint -", job)) == ["pad-on-store"]
    assert rules(asked("tdm lint -", job | {"op": "load"})) == []
    assert '"load" or "store"' in asked("tdm lint -", job | {"op": "both"}, status=2)
