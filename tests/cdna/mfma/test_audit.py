# SPDX-License-Identifier: Apache-2.0
"""The audit of programs: branches, loops, inline assembly, disassembly, and that compiled kernels are clean."""

import random
import re
import shutil

import matrix_kernels as kernels
import pytest

from cdna.mfma import passes
from cdna.mfma.audit import asm_regions, audit
from cdna_evidence.witnesses import Missing, get, matrix, matrix_ir

BOTH = ("gfx942", "gfx950")
F16 = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], 0"


def gaps(text, target="gfx942"):
    """What an audit finds: (line of the first, line of the second, via, missing)."""
    found = audit(text, target).dependencies
    return [(item["first"]["line"], item["then"]["line"], item["via"], item["missing"]) for item in found]


def errors(text, target):
    return [item["message"] for item in audit(text, target).findings if item["severity"] != "info"]


def test_states_are_counted_and_the_rest_is_missing():
    assert gaps(f"{F16}\ns_nop 3\nv_add_f32 v10, v2, v2\ns_endpgm") == [(1, 3, "read", 3)]
    assert gaps(f"{F16}\ns_nop 3\nv_add_f32 v10, v2, v2\ns_endpgm", "gfx950") == [(1, 3, "read", 4)]
    assert gaps(f"{F16}\ns_nop 6\nv_add_f32 v10, v2, v2\ns_endpgm") == []
    assert gaps(f"{F16}\ns_nop 6\nv_add_f32 v10, v2, v2\ns_endpgm", "gfx950") == [(1, 3, "read", 1)]
    assert gaps(f"{F16}\nv_add_f32 v10, v8, v9\ns_endpgm") == []


@pytest.mark.parametrize(
    "then, via, missing",
    [
        ("v_mfma_f32_16x16x16_f16 v[20:23], v[8:9], v[10:11], v[0:3]", None, 0),
        ("v_mfma_f32_16x16x16_f16 v[20:23], v[8:9], v[10:11], v[2:5]", "partial", 5),
        ("v_mfma_f32_16x16x16_f16 v[20:23], v[2:3], v[10:11], v[24:27]", "ab", 7),
        ("v_smfmac_f32_16x16x32_f16 v[20:23], v[8:9], v[10:13], v3", "index", 7),
        ("v_smfmac_f32_16x16x32_f16 v[0:3], v[8:9], v[10:13], v14", None, 0),
        ("global_store_dwordx4 v[20:21], v[0:3], off", "read", 7),
        ("buffer_store_dword v1, v20, s[0:3], 0 offen", "read", 7),
        ("global_load_dword v1, v[20:21], off", "waw", 7),
        ("ds_read_b32 v20, v3", "read", 7),
        ("ds_write_b64 v20, v[2:3]", "read", 7),
        ("v_mov_b32 v3, 0", "waw", 7),
        ("v_mov_b32_e32 v4, 0", None, 0),
        ("s_mov_b32 s0, 0", None, 0),
    ],
)
def test_ways_to_depend(then, via, missing):
    expected = [(1, 2, via, missing)] if via else []
    assert gaps(f"{F16}\n{then}\ns_endpgm") == expected


def test_c_overwritten_and_fma64():
    product = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[8:11]"
    assert gaps(f"{product}\nv_mov_b32 v9, 0") == [(1, 2, "c-war", 3)]
    assert gaps(f"{product}\ns_nop 2\nv_mov_b32 v9, 0") == []
    product = "v_mfma_f64_4x4x4_4b_f64 v[0:1], v[4:5], v[6:7], 0"
    assert gaps(f"{product}\nv_fma_f64 v[20:21], v[22:23], v[24:25], v[26:27]") == [(1, 2, "independent", 2)]


def test_vector_input_and_exec():
    assert gaps(f"v_mov_b32 v4, 0\n{F16}") == [(1, 2, "read", 2)]
    assert gaps(f"v_mov_b32 v4, 0\ns_nop 1\n{F16}") == []
    assert gaps(f"v_cmpx_eq_u32 vcc, v20, v21\ns_nop 2\n{F16}") == [(1, 3, "exec", 1)]
    assert gaps(f"s_mov_b64 exec, -1\n{F16}") == []


def test_mh_06_store_in_a_masked_branch(problem):
    right = problem("MH-06")["right_outcome"]
    text = """
    s_cbranch_execz .Lout
    global_store_dwordx4 v[20:21], v[0:3], off
.Lout:
    s_or_b64 exec, exec, s[0:1]
    v_mov_b32 v0, 0
    s_endpgm
"""
    for target in BOTH:
        found = audit(text, target).dependencies
        assert [item["missing"] for item in found] == [right["s_nop_needed_after_the_s_or"]]
        assert [item["needed"] for item in found] == [right["states_needed"]]
        assert gaps(text.replace("    v_mov", "    s_nop 0\n    v_mov"), target) == []


def test_mh_07_lane_swap():
    assert gaps("v_mov_b32 v0, 1\nv_permlane16_swap_b32 v0, v1\ns_endpgm", "gfx950") == [(1, 2, "read", 2)]


def test_mh_01_inline_assembly_is_marked(problem):
    needed = problem("MH-01")["right_outcome"]["needed"]
    text = f"\t;APP\n\t{F16}\n\t;NO_APP\n\ts_nop 0\n\tv_add_f32_e32 v10, v2, v2\n\ts_endpgm\n"
    for target in BOTH:
        (found,) = audit(text, target).dependencies
        assert (found["needed"], found["present"], found["inline_asm"]) == (needed[target], 1, "first")
        assert "MFMA-012" in audit(text, target).findings[0]["message"]
    assert asm_regions(text) == ((1, 3),)
    assert asm_regions("\t;;#ASMSTART\n\tv_nop\n\t;;#ASMEND\n") == ((1, 3),)


def test_the_shortest_path_counts():
    text = f"{F16}\ns_cbranch_scc1 .Lshort\ns_nop 7\n.Lshort:\nv_mov_b32 v20, v1\ns_endpgm"
    assert gaps(text) == [(1, 5, "read", 6)]
    around = f".Lloop:\nv_mov_b32 v20, v1\n{F16}\ns_nop 3\ns_cbranch_scc1 .Lloop\ns_endpgm"
    assert gaps(around) == [(3, 2, "read", 2)]
    apart = f"s_cbranch_scc1 .Lother\n{F16}\ns_endpgm\n.Lother:\nv_mov_b32 v20, v1\ns_endpgm"
    assert gaps(apart) == []


def test_f8f6f4_formats_are_read():
    product = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], 0"
    small = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:7], v[12:15], 0 cbsz:4 blgp:4"
    assert gaps(f"{product}\nv_mov_b32 v20, v1", "gfx950") == [(1, 2, "read", 12)]
    assert gaps(f"{small}\nv_mov_b32 v20, v1", "gfx950") == [(1, 2, "read", 8)]


def test_nineteen_states_back_is_a_warning():
    product = "v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], 0"
    text = f"{product}\ns_nop 7\ns_nop 7\ns_nop 2\nv_mov_b32 v50, v1\ns_endpgm"
    (found,) = audit(text, "gfx950").findings
    assert found["severity"] == "warning" and "MFMA-051" in found["message"]
    assert gaps(text.replace("s_nop 2", "s_nop 1"), "gfx950") == [(1, 5, "read", 2)]
    assert audit(text.replace("s_nop 2", "s_nop 1"), "gfx950").findings[0]["severity"] == "error"


def test_states_may_be_named_by_a_symbol():
    text = f".set count, 3\n{F16}\ns_nop count\n.set count, 2\ns_nop count\nv_add_f32 v10, v2, v2\ns_endpgm"
    assert gaps(text, "gfx942") == [] and gaps(text, "gfx950") == [(2, 6, "read", 1)]


def test_what_is_not_understood_is_said():
    found = audit("v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], 0\ns_endpgm", "gfx942").findings
    assert [item["rule"] for item in found] == ["matrix-unknown"] and "only on gfx950" in found[0]["message"]
    found = audit("!!!\ns_branch nowhere\ns_endpgm", "gfx942").findings
    assert {item["rule"] for item in found} == {"not-read", "branch-unknown"}
    for operands in ("v[vgprC:vgprC+3], v[4:5], v[6:7], 0", "acc, a, b, acc"):
        (found,) = audit(f"v_mfma_f32_16x16x16_f16 {operands}\ns_endpgm", "gfx942").findings
        assert found["rule"] == "register-not-known" and found["severity"] == "warning"
    (found,) = audit("v_mfma_f32_16x16x16_f16 v[0:3], v[4:5]\ns_endpgm", "gfx942").findings
    assert found["severity"] == "error" and "4 operands, 2 are given" in found["message"]
    (found,) = audit(f"{F16}\n.rept 8\nv_nop\n.endr\ns_endpgm", "gfx942").findings
    assert found["rule"] == "not-expanded" and "line 2: .rept 8" in found["message"]
    with pytest.raises(ValueError, match="gfx942, gfx950"):
        audit("s_endpgm", "gfx1250")


def test_chains_of_two_opcodes_are_disputed():
    chain = "v_mfma_f32_16x16x32_bf8_bf8 v[0:3], v[4:5], v[6:7], v[0:3]"
    found = audit(f"{F16}\n{chain}\ns_endpgm", "gfx950")
    assert found.dependencies == () and [item["claim"] for item in found.disputed] == ["MFMA-020"]
    assert found.disputed[0]["result"]["missing"] == 6


def _clang():
    try:
        return get("clang")
    except Missing as missing:
        pytest.skip(str(missing))


def _names(target):
    return [row.mnemonic for row in passes.MATRIX if passes.has(target, row.mnemonic)]


@pytest.mark.parametrize("target", BOTH)
def test_compiled_kernels_are_clean_and_without_their_nops_are_not(target):
    """Loops with branches over every second instruction of a target, accumulators in AGPRs and in VGPRs."""
    clang, dirty, compiled = _clang(), 0, 0
    for number, name in enumerate(_names(target)[::2]):
        found = clang.compile_ir(
            target, kernels.kernel(name), extra=matrix_ir.OPTIONS if number % 2 else (), expect=[name]
        )
        assert found.accepted, (name, found.diagnostic)
        compiled += 1
        assert errors(found.assembly, target) == [], name
        without = re.sub(r"^\s*s_nop \d+$", "", found.assembly, flags=re.MULTILINE)
        dirty += bool(gaps(without, target))
        assert bool(gaps(without, target)) == ("s_nop" in found.assembly), name
    assert compiled >= 20 and dirty >= 20


def test_each_removed_nop_is_found_with_the_states_it_had():
    found = _clang().compile_ir("gfx950", kernels.kernel("v_mfma_f32_16x16x32_f16"), extra=matrix_ir.OPTIONS)
    lines = found.assembly.splitlines()
    places = [i for i, line in enumerate(lines) if re.match(r"\s*s_nop \d+$", line)]
    assert places
    for place in places:
        states = int(lines[place].split()[1]) + 1
        without = "\n".join(lines[:place] + [""] + lines[place + 1 :])
        assert max(item["missing"] for item in audit(without, "gfx950").dependencies) == states


def test_disassembly_reads_like_assembly(tmp_path):
    """The reason of a skip is the program: llvm-objdump of LLVM 22 comes with Debian's llvm-22 only."""
    objdump, assembler = shutil.which("llvm-objdump-22"), shutil.which("llvm-mc-22")
    if objdump is None or assembler is None:
        pytest.skip("llvm-objdump of LLVM 22 is not installed; on Debian, apt-get install llvm-22")
    import subprocess

    found = _clang().compile_ir("gfx942", kernels.kernel("v_mfma_f32_16x16x16_f16"))
    for text in (found.assembly, re.sub(r"^\s*s_nop \d+$", "", found.assembly, flags=re.MULTILINE)):
        source, built = tmp_path / "k.s", tmp_path / "k.o"
        source.write_text(text)
        words = [assembler, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "-o", str(built), str(source)]
        subprocess.run(words, check=True)
        shown = subprocess.run([objdump, "-d", str(built)], check=True, capture_output=True, text=True).stdout
        one, two = audit(text, "gfx942"), audit(shown, "gfx942")
        brief = [[(item["via"], item["missing"]) for item in found.dependencies] for found in (one, two)]
        assert brief[0] == brief[1]
        assert two.program.unknown_targets == ()


def _random_lines(draw, names, count):
    """A straight program in MIR on few registers, so that everything depends on everything."""
    lines = []
    for _ in range(count):
        even = [2 * draw.randrange(20) for _ in range(6)]
        v = [f"$vgpr{draw.randrange(44)}" for _ in range(4)]
        pair = matrix.registers(even[0], 2)
        if draw.random() < 0.45:
            c = even[3]
            d = c if draw.random() < 0.5 else even[0]
            lines.append(matrix.instruction(draw.choice(names), d, even[1], even[2], c, even[4], (even[5], even[4])))
            continue
        lines.append(
            draw.choice(
                [
                    f"{v[0]} = V_ADD_F32_e32 {v[1]}, {v[2]}, implicit $mode, implicit $exec",
                    f"{v[0]} = V_EXP_F32_e32 {v[1]}, implicit $mode, implicit $exec",
                    f"{v[0]} = V_DOT4_I32_I8 8, {v[1]}, 8, {v[2]}, 8, {v[3]}, 0, 0, 0, implicit $exec",
                    f"{v[0]} = GLOBAL_LOAD_DWORD {pair}, 0, 0, implicit $exec",
                    f"GLOBAL_STORE_DWORDX4 {pair}, {matrix.registers(even[1], 4)}, 0, 0, implicit $exec",
                    f"{v[0]} = DS_READ_B32_gfx9 {v[1]}, 0, 0, implicit $exec",
                    f"DS_WRITE_B32_gfx9 {v[0]}, {v[1]}, 0, 0, implicit $exec",
                    "$sgpr0 = S_MOV_B32 0",
                ]
            )
        )
    return lines


def _code(text):
    lines = [line.split(";")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith(".") and not line.endswith(":")]


def _repaired(lines, target):
    """Insert what the audit misses, from the top down, as a compiler would."""
    while True:
        found = audit("\n".join(lines), target).dependencies
        found = [item for item in found if not item["hidden"] and (item["needed"], item["missing"]) != (20, 1)]
        if not found:
            return lines
        place = min(item["then"]["line"] for item in found)
        states = max(item["missing"] for item in found if item["then"]["line"] == place)
        while states > 0:
            lines.insert(place - 1, f"s_nop {min(states, 8) - 1}")
            states -= 8


def _layout(lines):
    """[(states of s_nop before it, instruction)]."""
    found, states = [], 0
    for line in lines:
        if line.startswith("s_nop"):
            states += int(line.split()[1]) + 1
        else:
            found.append((states, line))
            states = 0
    return found


@pytest.mark.parametrize("target", BOTH)
def test_random_programs_repaired_by_the_audit_equal_llvm(target):
    """The reason of a skip is the witness, as above."""
    try:
        llc = get("llc")
    except Missing as missing:
        pytest.skip(str(missing))
    draw = random.Random(7)
    names = [name for name in _names(target) if passes.result_registers(name) <= 16]
    programs = [(f"k{i}", _random_lines(draw, names, 12)) for i in range(60)]
    text = "".join(matrix.function(name, lines) for name, lines in programs)
    found = [llc.assembly(target, text, when, ("-mattr=-xnack",)) for when in ("before", "after")]
    assert all(item.accepted for item in found), [item.diagnostic for item in found]
    for name, _ in programs:
        inside = rf"^{name}:(.*?)^\.Lfunc_end"
        fixed, plain = [_code(re.search(inside, item.assembly, re.M | re.S).group(1)) for item in found]
        assert _layout(_repaired(plain, target)) == _layout(fixed), name


@pytest.mark.parametrize("nop, states", [(7, 8), (15, 16), (16, 1), (99, 4)])
def test_an_s_nop_gets_credit_for_four_bits(nop, states):
    text = f"v_mfma_f32_32x32x4_2b_f16 v[0:31], v[40:41], v[42:43], v[0:31]\ns_nop {nop}\nv_add_f32 v50, v2, v2\n"
    assert audit(text, "gfx942").dependencies[0]["present"] == states


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        # Table 11 of both guides: two states before an SGPR is read as a constant, none as a carry-in; kernels of
        # hipBLASLt leave none before a mask.
        ("v_cmp_ne_u32_e64 vcc, v9, 0\nv_addc_co_u32_e64 v6, vcc, v6, 0, vcc", "warning"),
        ("v_cmp_gt_u32_e64 s[6:7], v0, v1\nv_cndmask_b32_e64 v2, v3, v4, s[6:7]", "warning"),
        ("v_cmp_gt_u32_e64 s[6:7], v0, v1\nv_cndmask_b32_e64 v2, s6, v4, vcc", "error"),
        ("v_readlane_b32 s4, v0, 3\nv_add_f32 v1, s4, v2", "error"),
        # The same table: behind SDWA where the result changes its place.
        ("v_cvt_f16_f32_sdwa v0, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\nv_add_f32 v2, v0, v0", "warning"),
        ("v_cvt_f16_f32_sdwa v0, v1 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD\nv_add_f32 v2, v0, v0", "error"),
    ],
)
@pytest.mark.parametrize("target", BOTH)
def test_where_the_guides_ask_for_nothing_the_audit_warns(target, text, severity):
    (found,) = audit(f"{text}\ns_endpgm", target).findings
    assert found["severity"] == severity and ("; the guides ask for" in found["message"]) == (severity == "warning")


WIDE = "v_mfma_f64_16x16x4_f64 v[0:7], v[10:11], v[12:13], v[0:7]"
F32_TO_XDL = "v_mfma_f32_16x16x4_f32 v[0:3], v10, v11, v[0:3]\n{}v_mfma_f32_16x16x16_f16 v[4:7], v[12:13], v[14:15], v[{}]"
STORE = "global_store_dwordx4 v[20:21], v[22:25], off\n{}global_load_dword v{}, v[30:31], off"


@pytest.mark.parametrize(
    ("target", "text", "claim"),
    [
        # The guides' tables as converted: MFMA-084 8 passes, MFMA-081 19 before an overwrite, WAIT-086 one state.
        ("gfx942", F32_TO_XDL.format("s_nop 6\n", "2:5"), "MFMA-084"),
        ("gfx942", F32_TO_XDL.format("s_nop 7\n", "2:5"), None),
        ("gfx942", F32_TO_XDL.format("", "0:3"), None),  # exactly the registers that were written
        ("gfx942", F32_TO_XDL.format("", "30:33"), None),
        ("gfx950", F32_TO_XDL.format("", "2:5"), None),
        ("gfx950", f"{WIDE}\ns_nop 15\ns_nop 1\nv_mov_b32 v0, v40", "MFMA-081"),
        ("gfx950", f"{WIDE}\ns_nop 15\ns_nop 2\nv_mov_b32 v0, v40", None),
        ("gfx942", f"{WIDE}\ns_nop 10\nv_mov_b32 v0, v40", None),
        ("gfx942", STORE.format("", "22"), "WAIT-086"),
        ("gfx950", STORE.format("", "22"), "WAIT-086"),
        ("gfx950", STORE.format("s_nop 0\n", "22"), None),
        ("gfx950", STORE.format("", "40"), None),
    ],
)
def test_where_a_guide_asks_for_more_than_llvm_the_audit_warns(target, text, claim):
    found = audit(text, target)
    assert not found.dependencies
    assert [(item["claim"], item["severity"]) for item in found.findings] == ([(claim, "warning")] if claim else [])
