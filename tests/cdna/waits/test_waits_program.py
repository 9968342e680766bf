# SPDX-License-Identifier: Apache-2.0
"""The reader: many ways to write the same instructions, and the shape of the flow."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cdna.waits.program import operand_registers, read
from cdna.waits.registers import registers_in, value_of

DATA = Path(__file__).parents[2] / "data" / "waits"


@pytest.mark.parametrize(
    "line",
    [
        "ds_read_b128 v[4:7], v1 offset:16",
        "\tds_read_b128 v[4:7], v1 offset:16            ; encoding: [0x10,0x00,0xfe,0xd9,0x01,0x00,0x00,0x04]",
        "ds_read_b128 v[4:7], v1 offset:16 // 000000001904: D9FE0010 04000001",
        "  1904:  ds_read_b128 v[4:7], v1 offset:16",
        "D9FE0010 04000001 ds_read_b128 v[4:7], v1 offset:16",
        "=> 0x7f0012345678 <+20>: ds_read_b128 v[4:7], v1 offset:16",
        '"ds_read_b128 v[4:7], v1 offset:16\\n\\t"',
        "/* a remark */ ds_read_b128 v[4:7], /* in the middle */ v1 offset:16",
        "L1: ds_read_b128 v[4:7], v1 offset:16",
        "DS_READ_B128 v[4:7], v1 offset:16",
        "ds_read_b128   v[4:7] ,v1    offset:16\r",
    ],
)
def test_one_instruction_in_many_clothes(line):
    program = read(line, 64)
    assert not program.unread
    (item,) = program.instructions
    assert (item.mnemonic, item.modifiers) == ("ds_read_b128", ("offset:16",))
    assert operand_registers(item, program.symbols) == [["v4", "v5", "v6", "v7"], ["v1"]]


@pytest.mark.parametrize(
    ("operand", "registers"),
    [
        ("v12", ["v12"]),
        ("-v12", ["v12"]),
        ("|v3|", ["v3"]),
        ("abs(v3)", ["v3"]),
        ("v3.h", ["v3"]),
        ("a[0:1]", ["a0", "a1"]),
        ("acc[0:1]", ["a0", "a1"]),
        ("s[2:3]", ["s2", "s3"]),
        ("v[7]", ["v7"]),
        ("ttmp5", ["ttmp5"]),
        ("vcc", ["vcc_lo", "vcc_hi"]),
        ("exec_lo", ["exec_lo"]),
        ("m0", ["m0"]),
        ("0x10", []),
        ("off", []),
        ("null", []),
        ("offset:16", []),
        ("op_sel:[0,1]", []),
        ("hwreg(HW_REG_MODE, 25, 1)", []),
        ("v[base+2:base+2+1]", ["v12", "v13"]),
        ("s[unknown]", ["?s"]),
    ],
)
def test_registers_of_an_operand(operand, registers):
    assert registers_in(operand, {"base": 10}) == registers


def test_symbols_and_expressions():
    assert value_of("2*(a+1)<<2 | 1", {"a": 3}) == 33
    assert value_of("vmcnt(0)", {}) is None
    program = read(".set vgprA, 8\nbias = 4\nds_read_b64 v[vgprA+bias:vgprA+bias+1], v0\n", 64)
    assert operand_registers(program.instructions[0], program.symbols)[0] == ["v12", "v13"]


def test_the_remark_of_the_assembler_names_the_register_above_v255():
    program = read("v_mov_b32_e32 v0 /*v256*/, v1\nglobal_load_b64 v[2:3] /*v[258:259]*/, v[4:5], off\n", 32)
    assert operand_registers(program.instructions[0], {}) == [["v256"], ["v1"]]


def test_flow_of_a_loop_and_two_functions():
    text = """
first:
  s_cbranch_scc0 .LEND
.LTOP:
  s_nop 0
  s_cbranch_scc1 .LTOP
.LEND:
  s_endpgm
  s_nop 0
second:
  s_branch .LEND2
.LEND2:
  s_endpgm
"""
    program = read(text, 64)
    assert program.back_edges == ((1, 1),)
    assert [program.instructions[program.blocks[number].first].mnemonic for number in program.entries] == [
        "s_cbranch_scc0",
        "s_branch",
    ]
    assert not program.unknown_targets


@pytest.mark.parametrize(("name", "loops"), [("lds_loop_gfx950.objdump", 1), ("pipelined_gfx1250.objdump", 1)])
def test_branches_of_a_disassembly_go_by_address(name, loops):
    program = read((DATA / name).read_text(), 64)
    assert not program.unread
    assert not program.unknown_targets
    assert len(program.back_edges) >= loops


def test_a_branch_out_of_the_text_is_named():
    assert read("s_branch nowhere\ns_endpgm\n", 64).unknown_targets == (0,)


def test_numbered_labels():
    program = read("1: s_nop 0\ns_cbranch_scc1 1b\ns_branch 1f\n1: s_endpgm\n", 64)
    assert program.back_edges == ((0, 0),)
    assert not program.unknown_targets


def test_lines_that_are_no_instruction_are_counted():
    program = read("some_macro v0, v1\ns_endpgm\n", 64)
    assert program.unread == ((1, "some_macro v0, v1"),)


def test_metadata_tells_a_workgroup_of_one_wave():
    text = "s_endpgm\n.amdgpu_metadata\n---\n  - .max_flat_workgroup_size: {}\n.end_amdgpu_metadata\n"
    assert read(text.format(64), 64).one_wave
    assert not read(text.format(65), 64).one_wave
    assert not read("s_endpgm\n", 64).one_wave


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception(text):
    read(text, 64)


@given(
    st.lists(
        st.sampled_from(
            ["v", "s", "[", "]", ":", ",", "0", "9", "+", "*", "(", ")", " ", "<", "|", "-", "x", "/", ";"]
        ),
        max_size=40,
    )
)
def test_any_operand_is_read_without_an_exception(parts):
    read("v_mov_b32 " + "".join(parts), 64)
    registers_in("".join(parts), {})


@pytest.mark.parametrize(
    "text",
    [
        "v_mov_b32 v[" + "(" * 5000 + "1" + ")" * 5000 + "], v1\n",
        "v_mov_b32 v[" + "-" * 5000 + "1], v1\n",
        "v_mov_b32 v" + "9" * 5000 + ", v1\n",
        ".set x, 0x" + "f" * 50000 + "\nv_mov_b32 v[x:x], v1\n",
        ".set x, 9999999999\n" + ".set x, x*x\n" * 40 + "v_mov_b32 v[x:x+1], v1\n",
        ".set x, 1\n" + ".set x, x<<64\n" * 2000 + "v_mov_b32 v[x:x], v1\n",
        "v_mov_b32 op_sel:[0 /*v3*/\n",
        "s_waitcnt vmcnt(" + "(" * 5000 + "\n",
    ],
    ids=["brackets", "signs", "register", "hex", "squares", "shifts", "remark", "wait"],
)
def test_text_made_to_hurt_is_read_in_no_time(text):
    program = read(text, 64)
    names = [name for item in program.instructions for one in operand_registers(item, program.symbols) for name in one]
    assert len(program.instructions) == 1 and all(len(name) < 12 for name in names)


def test_a_symbol_whose_new_value_is_not_read_loses_the_old_one():
    program = read(".set x, 4\n.set x, somewhere+1\nv_mov_b32 v[x], v1\n", 64)
    assert operand_registers(program.instructions[0], program.symbols)[0] == ["?v"]


def test_values_stay_inside_64_bits():
    assert value_of("1 << 63", {}) == 1 << 63
    assert value_of("1 << 64", {}) is None
    assert value_of("x * x", {"x": 1 << 40}) is None
    assert value_of("-" * 50 + "1", {}) == 1
    assert value_of("-" * 60 + "1", {}) is None


def test_what_an_assembler_would_expand_is_told_and_read_once():
    """Bodies of macros are no code where they stand; a repeated line counts once."""
    text = ".macro drain n\n s_waitcnt vmcnt(\\n)\n.endm\n.rept 3\nv_nop\n.endr\n drain 0\n.if 0\ns_nop 0\n.endif\ns_endpgm\n"
    program = read(text, 64)
    assert [item.mnemonic for item in program.instructions] == ["v_nop", "s_nop", "s_endpgm"]
    assert program.unexpanded == ((4, ".rept 3"), (7, "drain 0"), (8, ".if 0"))
    assert not program.unread


def test_a_symbol_has_the_value_of_its_place():
    """As an assembler reads it; libraries name the same registers anew for each buffer, and undefine names at the end."""
    lines = [
        ".set base, 4", ".set v, 9", "ds_read_b64 v[base:base+1], v[late]", "s_waitcnt lgkmcnt(base)",
        ".set base, base+8", "ds_read_b64 v[base:base+1], v0", "late = 3", ".set base, UNDEF", "v_mov_b32 v[base], v0", "s_endpgm",
    ]  # fmt: skip
    program = read("\n".join(lines), 64)
    named = [operand_registers(item, program.symbols) for item in program.instructions]
    assert named[0] == [["v4", "v5"], ["v3"]] and named[2] == [["v12", "v13"], ["v0"]] and named[3] == [["?v"], ["v0"]]
    assert program.instructions[1].operands == ("lgkmcnt(4)",)
