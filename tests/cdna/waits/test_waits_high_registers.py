# SPDX-License-Identifier: Apache-2.0
"""VGPRs above v255: the slots as LLVM's disassembler prints them, the setting along the paths, and what cannot be known."""

import re
from pathlib import Path

import pytest

from cdna.waits.finder import check
from cdna.waits.high_registers import ANY, START, after, high_registers, modes_of, registers_of
from cdna.waits.program import operand_registers, read

DATA = Path(__file__).parents[2] / "data" / "waits"
END = "\ns_endpgm\n"
REMARK = re.compile(r"\s*/\*.*?\*/")


def followed(text):
    """The registers of each instruction, by the settings alone."""
    program = read(text, 32)
    modes = modes_of(program)
    return [registers_of(item, program.symbols, modes[item.index]) for item in program.instructions]


def remarked(text):
    """The registers of each instruction, by the remarks of the disassembler alone."""
    program = read(text, 32)
    return [operand_registers(item, program.symbols) for item in program.instructions]


def test_every_operand_of_every_kind_has_the_slot_that_the_disassembler_says():
    text = (DATA / "high_slots_gfx1250.objdump").read_text()
    assert text.count("/*v") > 150
    assert len(read(text, 32).instructions) > 80
    assert followed(REMARK.sub("", text)) == remarked(text)
    assert followed(text) == remarked(text)


def test_compiled_code_with_five_hundred_registers(clang):
    places = "".join(f" %p{i} = getelementptr float, ptr addrspace(1) %p, i32 {i * 64}\n" for i in range(500))
    loads = "".join(f" %v{i} = load volatile float, ptr addrspace(1) %p{i}\n" for i in range(500))
    stores = "".join(f" store volatile float %v{i}, ptr addrspace(1) %p{i}\n" for i in range(500))
    source = "define amdgpu_kernel void @k(ptr addrspace(1) %p) #0 {\n" + places + loads + stores + " ret void\n}\n"
    source += 'attributes #0 = { "amdgpu-flat-work-group-size"="1,32" "amdgpu-waves-per-eu"="1,1" }\n'
    text = clang.compile_ir("gfx1250", source).assembly
    assert max(int(word) for word in re.findall(r"/\*v(\d+)\*/", text)) > 400
    assert followed(REMARK.sub("", text)) == remarked(text)
    for one in (text, REMARK.sub("", text)):
        assert check(one, "gfx1250").findings == ()


LOAD = "global_load_b32 v1, v[2:3], off\n"


@pytest.mark.parametrize(
    ("before", "between", "missed"),
    [
        ("s_set_vgpr_msb 64", "s_set_vgpr_msb 1", ["v257"]),
        ("s_set_vgpr_msb 64", "s_set_vgpr_msb 0", []),
        ("s_set_vgpr_msb 0xc0", "s_set_vgpr_msb 0xc003", ["v769"]),
        ("s_nop 0", "s_nop 0", ["v1"]),
        ("s_nop 0", "s_set_vgpr_msb 1", []),
        ("s_set_vgpr_msb 64", "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 12, 8), 4", ["v257"]),
        ("s_set_vgpr_msb 64", "s_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 12, 8), 0", []),
        ("s_set_vgpr_msb 64", "s_swap_pc_i64 s[30:31], s[4:5]", []),
    ],
)
def test_one_name_means_the_register_that_the_setting_says(before, between, missed):
    found = check(f"{before}\n{LOAD}{between}\nv_mov_b32 v9, v1{END}", "gfx1250").missing
    assert [name for item in found for name in item["registers"]] == missed


def rules(text):
    return [
        (item["rule"], item["severity"], item["claim"])
        for item in check(text + END, "gfx1250").findings
        if item["rule"] not in ("never-read",)
    ]


def test_where_paths_differ_both_are_taken_and_it_is_said():
    text = "s_cbranch_scc1 skip\ns_set_vgpr_msb 1\nskip:\nv_mov_b32 v9, v1"
    assert followed(text)[2] == [["v9"], ["v1", "v257"]]
    assert rules(text) == [("register-not-known", "warning", "VGPR-002")]
    assert rules(text.replace("skip:", "skip:\ns_set_vgpr_msb 0")) == []


def test_a_loop_takes_its_setting_round():
    text = "top:\nv_mov_b32 v9, v1\ns_set_vgpr_msb 2\ns_cbranch_scc1 top"
    assert followed(text)[0] == [["v9"], ["v1", "v513"]]


def test_a_setting_behind_a_write_of_the_mode_register_may_be_dropped():
    setreg = "s_setreg_{}b32 hwreg(HW_REG_WAVE_MODE, 0, 4), {}\n{}s_set_vgpr_msb 1\nv_mov_b32 v9, v1"
    found = rules(setreg.format("imm32_", "3", ""))
    assert ("setting-dropped", "error", "VGPR-008") in found
    assert ("register-not-known", "warning", "VGPR-002") in found
    assert ("setting-dropped", "error", "VGPR-008") in rules(setreg.format("", "s0", ""))
    assert rules(setreg.format("imm32_", "3", "s_nop 0\n")) == []


def test_a_write_of_the_mode_register_on_which_sources_differ():
    write = "s_set_vgpr_msb 64\ns_setreg_imm32_b32 hwreg(HW_REG_WAVE_MODE, 25, 1), {}\nv_mov_b32 v9, v1"
    assert followed(write.format("0x1001"))[2][0] == [
        "v265"
    ]  # both readings: the write leaves the group, or repeats it
    assert followed(write.format("1"))[2][0] == ["v9", "v265"]
    assert rules(write.format("1")) == [("register-not-known", "warning", "VGPR-002")]


def test_a_value_that_is_not_readable_makes_every_group_possible():
    (setting,) = read("s_set_vgpr_msb somewhere\n", 32).instructions
    assert after(setting, START, {}) == ANY
    (write,) = read("s_setreg_b32 hwreg(HW_REG_WAVE_MODE), s0\n", 32).instructions
    assert after(write, START, {}) == ANY
    (other,) = read("s_setreg_imm32_b32 hwreg(HW_REG_WAVE_SCHED_MODE, 0, 2), 2\n", 32).instructions
    assert after(other, START, {}) == START


def test_a_remark_that_the_settings_contradict_is_named():
    assert followed("v_mov_b32 v0 /*v256*/, v1")[0] == [["v0", "v256"], ["v1"]]
    (found,) = check("v_mov_b32 v0 /*v256*/, v1" + END, "gfx1250").findings
    assert (found["rule"], "a remark names another VGPR" in found["message"]) == ("register-not-known", True)


@pytest.mark.parametrize("remark", ["a remark", "v2", "v[256:257]", "s256", "v257", "v"])
def test_other_remarks_name_no_register(remark):
    assert remarked(f"v_mov_b32 v0 /*{remark}*/, v1")[0] == [["v0"], ["v1"]]


def test_the_whole_program_at_once():
    program = read(
        "s_set_vgpr_msb 1\nv_mov_b32 v9, v1\ns_cbranch_scc1 skip\ns_set_vgpr_msb 0\nskip:\nv_mov_b32 v9, v1\n", 32
    )
    found, unknown = high_registers(program, [operand_registers(item, {}) for item in program.instructions])
    assert found[1] == [["v9"], ["v257"]]
    assert found[4] == [["v9"], ["v1", "v257"]]
    assert unknown == (4,)


def test_older_targets_have_one_group():
    assert [
        item["registers"]
        for item in check(
            f"s_set_vgpr_msb 64\nglobal_load_dword v1, v[2:3], off\nv_mov_b32 v9, v1{END}", "gfx950"
        ).missing
    ] == [["v1"]]
