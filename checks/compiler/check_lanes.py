# SPDX-License-Identifier: Apache-2.0
"""Cross-lane operations as clang 22 knows them: which exist for a target, and how they are encoded."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import accepted, taken

BUILTINS = {
    "mov_dpp": "__builtin_amdgcn_mov_dpp(a, 0x101, 0xf, 0xf, 0)",
    "update_dpp": "__builtin_amdgcn_update_dpp(b, a, 0x101, 0xf, 0xf, 0)",
    "ds_swizzle": "__builtin_amdgcn_ds_swizzle(a, 0x401f)",
    "ds_permute": "__builtin_amdgcn_ds_permute(b, a)",
    "ds_bpermute": "__builtin_amdgcn_ds_bpermute(b, a)",
    "mov_dpp8": "__builtin_amdgcn_mov_dpp8(a, 1)",
}
KERNEL = "__attribute__((amdgpu_kernel)) void k(__attribute__((address_space(1))) int *p, int a, int b) {{ *p = {call}; }}"
CONTROLS = {
    "quad_perm": "quad_perm:[3,2,1,0]",
    "row_shl": "row_shl:1",
    "row_shr": "row_shr:1",
    "row_ror": "row_ror:1",
    "row_mirror": "row_mirror",
    "row_half_mirror": "row_half_mirror",
    "row_bcast": "row_bcast:15",
    "row_newbcast": "row_newbcast:3",
    "row_share": "row_share:3",
    "row_xmask": "row_xmask:3",
    "wave_shl": "wave_shl:1",
    "wave_shr": "wave_shr:1",
    "wave_rol": "wave_rol:1",
    "wave_ror": "wave_ror:1",
    "dpp8": "dpp8:[7,6,5,4,3,2,1,0]",
}
PULL = """
declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
@word = internal addrspace(3) global i32 poison
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %a) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %index = mul i32 %lane, %a
  %v = call i32 @llvm.amdgcn.ds.bpermute(i32 %index, i32 %lane)
  %place = getelementptr i32, ptr addrspace(1) %p, i32 %lane
  store i32 %v, ptr addrspace(1) %place
  STORE
  ret void
}
"""
SIZE = """
declare i32 @llvm.amdgcn.wavefrontsize()
define amdgpu_kernel void @k(ptr addrspace(1) %p) {
  %n = call i32 @llvm.amdgcn.wavefrontsize()
  store i32 %n, ptr addrspace(1) %p
  ret void
}
"""


class Availability(Check):
    """Builtins in C, register swaps and DPP controls in assembler text, each accepted or refused.

    Shows: what clang 22 takes for the target by default.
    Does not show: what an operation does.
    """

    claim = "LANE-001"
    kind = "compiler"
    witness = "clang"
    binds = ("builtins", "instructions", "dpp")

    def observe(self, target, tools):
        clang = tools.clang
        builtins = {n: taken(clang.compile_c(target, KERNEL.format(call=call))) for n, call in BUILTINS.items()}
        instructions = {
            "v_permlane16_swap_b32": "v_permlane16_swap_b32 v0, v1",
            "v_permlane32_swap_b32": "v_permlane32_swap_b32 v0, v1",
            "ds_bpermute_fi_b32": "ds_bpermute_fi_b32 v0, v1, v2",
            "v_permlane64_b32": "v_permlane64_b32 v0, v1",
        }
        dpp = {name: "v_mov_b32_dpp v0, v1 " + text for name, text in CONTROLS.items()}
        return {
            "builtins": builtins,
            "instructions": accepted(clang, target, instructions),
            "dpp": accepted(clang, target, dpp),
        }


class PermuteWithoutStorage(Check):
    """A kernel that permutes, with and without a word in LDS: the bytes in its metadata, and the wait before the result.

    Shows: that clang 22 gives a permute no LDS and waits on the counter of LDS instructions.
    Does not show: hardware.
    """

    claim = "LANE-003"
    kind = "compiler"
    witness = "clang"
    binds = ("instruction", "lds_bytes", "lds_bytes_with_a_word", "counter", "counter_value")

    def observe(self, target, tools):
        bare, text = self._bytes(tools.clang, target, "")
        word, _ = self._bytes(tools.clang, target, "store volatile i32 1, ptr addrspace(3) @word")
        used = re.findall(r"^\s+(ds_\w+)", text, re.MULTILINE)
        waits = re.findall(r"s_waitcnt .*?(lgkmcnt)\((\d+)\)", text[text.index(used[0]) :] if used else "")
        if len(used) != 1 or not waits:
            raise CannotTell(f"LDS instructions {used}, waits {waits}")
        return {
            "instruction": used[0],
            "lds_bytes": bare,
            "lds_bytes_with_a_word": word,
            "counter": waits[0][0],
            "counter_value": int(waits[0][1]),
        }

    def _bytes(self, clang, target, store):
        done = clang.compile_ir(target, PULL.replace("STORE", store))
        if not taken(done):
            raise CannotTell(done.diagnostic[:200])
        return int(re.search(r"\.group_segment_fixed_size:\s+(\d+)", done.assembly)[1]), done.assembly


class SwizzlePatterns(Check):
    """The patterns that the assembler makes of symbolic swizzles.

    Shows: the encoding of clang 22.
    Does not show: what a pattern does.
    """

    claim = "LANE-053"
    kind = "compiler"
    witness = "clang"
    binds = ("patterns",)

    def observe(self, target, tools):
        forms = {
            "quad_reversed": "QUAD_PERM,3,2,1,0",
            "swap_16": "SWAP,16",
            "reverse_8": "REVERSE,8",
            "broadcast_lane_1_of_4": "BROADCAST,4,1",
            "rotate_left_3": "ROTATE,0,3",
            "fft_3": "FFT,3",
        }
        lines = [f"ds_swizzle_b32 v0, v1 offset:swizzle({form})" for form in forms.values()]
        answers = tools.clang.assemble(target, lines)
        return {"patterns": {n: int.from_bytes((a.bytes or b"")[:2], "little") for n, a in zip(forms, answers)}}


class DppCodes(Check):
    """The nine-bit code of each DPP control.

    Shows: the encoding of clang 22, bits 16:8 of the second word.
    Does not show: what a control does.
    """

    claim = "LANE-055"
    kind = "compiler"
    witness = "clang"
    binds = ("codes",)

    def observe(self, target, tools):
        forms = {
            "quad_perm_3210": "quad_perm:[3,2,1,0]",
            "row_mirror": "row_mirror",
            "row_half_mirror": "row_half_mirror",
            "row_bcast_15": "row_bcast:15",
            "row_bcast_31": "row_bcast:31",
            "row_newbcast_3": "row_newbcast:3",
        }
        for name in ("row_shl", "row_shr", "row_ror", "wave_shl", "wave_shr", "wave_rol", "wave_ror"):
            forms[name + "_1"] = name + ":1"
        answers = tools.clang.assemble(target, ["v_mov_b32_dpp v0, v1 " + form for form in forms.values()])
        words = {name: int.from_bytes((item.bytes or b"")[4:8], "little") for name, item in zip(forms, answers)}
        return {"codes": {name: word >> 8 & 0x1FF for name, word in words.items()}}


class WaveSize(Check):
    """The wave size that clang folds into code and writes into metadata.

    Shows: that this compiler makes waves of one size for the target.
    Does not show: hardware.
    """

    claim = "LANE-054"
    kind = "compiler"
    witness = "clang"
    binds = ("lanes",)

    def observe(self, target, tools):
        done = tools.clang.compile_ir(target, SIZE)
        if not taken(done):
            raise CannotTell(done.diagnostic[:200])
        written = {int(size) for size in re.findall(r"\.wavefront_size:\s+(\d+)", done.assembly)}
        folded = {int(value, 0) for value in re.findall(r"v_mov_b32_e32 v\d+, (0x[0-9a-f]+|\d+)\n", done.assembly)}
        if len(written) != 1 or not written <= folded:
            raise CannotTell(f"written {written}, folded {folded}")
        return {"lanes": written.pop()}


PERMLANES = {
    "bcast": "v_permlane_bcast_b32 v5, v1, s2, s3",
    "up": "v_permlane_up_b32 v5, v1, s2, s3",
    "down": "v_permlane_down_b32 v5, v1, s2, s3",
    "xor": "v_permlane_xor_b32 v5, v1, s2, s3",
    "v_permlane_idx_gen_b32": "v_permlane_idx_gen_b32 v5, v1, s2",
    "v_permlane16_b32": "v_permlane16_b32 v5, v1, s2, s3",
    "v_permlanex16_b32": "v_permlanex16_b32 v5, v1, s2, s3",
    "v_permlane16_var_b32": "v_permlane16_var_b32 v5, v1, v2",
    "v_permlanex16_var_b32": "v_permlanex16_var_b32 v5, v1, v2",
}
UP = """
declare i32 @llvm.amdgcn.permlane.up(i32, i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %a, i32 %b) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %v = call i32 @llvm.amdgcn.permlane.up(i32 ARGUMENTS)
  %place = getelementptr i32, ptr addrspace(1) %p, i32 %lane
  store i32 %v, ptr addrspace(1) %place
  ret void
}
"""


def opcodes(clang, target, names):
    """Return the opcode of each permlane: bits 25 to 16 of the first word."""
    answers = clang.assemble(target, [PERMLANES[name] for name in names])
    words = {name: int.from_bytes((item.bytes or b"")[:4], "little") for name, item in zip(names, answers)}
    return {name: word >> 16 & 0x3FF for name, word in words.items()}


class GroupedPermlaneCodes(Check):
    """The opcodes of the grouped permlanes, the places of their operands, and what becomes of an amount that differs.

    Shows: the encoding and the code of clang 22.
    Does not show: what an instruction does.
    """

    claim = "LANE-060"
    kind = "compiler"
    witness = "clang"
    binds = ("opcodes", "operands", "readfirstlane_of_divergent")

    def observe(self, target, tools):
        clang = tools.clang
        plain = self._compiled(clang, target, "%lane, i32 %a, i32 16")
        divergent = self._compiled(clang, target, "%lane, i32 %lane, i32 16")
        form = re.search(r"v_permlane_up_b32 v\d+, (\w+), (\w+), (\w+)", plain)
        kinds = ["width" if word == "16" else "amount" if word[0] == "s" else "value" for word in form.groups()]
        return {
            "opcodes": opcodes(clang, target, ("bcast", "up", "down", "xor")),
            "operands": {name: kinds.index(name) for name in ("value", "amount", "width")},
            "readfirstlane_of_divergent": divergent.count("v_readfirstlane_b32") - plain.count("v_readfirstlane_b32"),
        }

    def _compiled(self, clang, target, arguments):
        done = clang.compile_ir(target, UP.replace("ARGUMENTS", arguments))
        if not taken(done):
            raise CannotTell(done.diagnostic[:200])
        return done.assembly


class IndexGenCode(Check):
    """The opcode of the instruction that makes indices.

    Shows: the encoding of clang 22.
    Does not show: what the instruction does.
    """

    claim = "LANE-061"
    kind = "compiler"
    witness = "clang"
    binds = ("opcode",)

    def observe(self, target, tools):
        return {"opcode": opcodes(tools.clang, target, ("v_permlane_idx_gen_b32",))["v_permlane_idx_gen_b32"]}


class RowPermlaneCodes(Check):
    """The opcodes of the four permlanes over rows.

    Shows: the encoding of clang 22.
    Does not show: what an instruction does.
    """

    claim = "LANE-062"
    kind = "compiler"
    witness = "clang"
    binds = ("opcodes",)

    def observe(self, target, tools):
        return {"opcodes": opcodes(tools.clang, target, [name for name in PERMLANES if "16" in name])}


class DppBits(Check):
    """Which bit of the second word the two modifiers of a DPP move set.

    Shows: the encoding of clang 22.
    Does not show: what a bit does.
    """

    claim = "LANE-064"
    kind = "compiler"
    witness = "clang"
    binds = ("bound_control_bit", "fetch_inactive_bit")

    def observe(self, target, tools):
        move = "v_mov_b32_dpp v0, v1 row_shl:1"
        answers = tools.clang.assemble(target, [move, move + " bound_ctrl:1", move + " fi:1"])
        plain, bound, fetch = [int.from_bytes((item.bytes or b"")[4:8], "little") for item in answers]
        return {"bound_control_bit": (plain ^ bound).bit_length() - 1, "fetch_inactive_bit": (plain ^ fetch).bit_length() - 1}


CMPX = """---
name: k
body: |
  bb.0:
    V_CMPX_EQ_U32_nosdst_e32 $vgpr6, $vgpr7, implicit-def $exec, implicit $exec
    BETWEEN
    THEN
    S_ENDPGM 0
...
"""
THEN = {
    "v_permlane16_b32": "$vgpr5 = V_PERMLANE16_B32_e64 0, $vgpr1, 0, $sgpr2, 0, $sgpr3, $vgpr5, 0, implicit $exec",
    "v_permlanex16_b32": "$vgpr5 = V_PERMLANEX16_B32_e64 0, $vgpr1, 0, $sgpr2, 0, $sgpr3, $vgpr5, 0, implicit $exec",
    "v_permlane16_var_b32": "$vgpr5 = V_PERMLANE16_VAR_B32_e64 0, $vgpr1, 0, $vgpr2, $vgpr5, 0, implicit $exec",
    "v_permlane_up_b32": "$vgpr5 = V_PERMLANE_UP_B32_e64 $vgpr1, $sgpr2, $sgpr3, implicit $exec",
    "v_permlane_bcast_b32": "$vgpr5 = V_PERMLANE_BCAST_B32_e64 $vgpr1, $sgpr2, $sgpr3, implicit $exec",
    "v_permlane_idx_gen_b32": "$vgpr5 = V_PERMLANE_IDX_GEN_B32_e64 $vgpr1, $sgpr2, implicit $exec",
    "v_permlane16_swap_b32": "$vgpr1, $vgpr2 = V_PERMLANE16_SWAP_B32_e32 killed $vgpr1, killed $vgpr2, implicit $exec",
    "v_readlane_b32": "$sgpr5 = V_READLANE_B32 $vgpr1, 3",
}
BETWEEN = {
    "nothing": "",
    "s_nop": "S_NOP 4",
    "s_mov": "$sgpr9 = S_MOV_B32 0",
    "v_mov": "$vgpr9 = V_MOV_B32_e32 $vgpr8, implicit $exec",
    "v_nop": "V_NOP_e32 implicit $exec",
}


def added(llc, target, between, then):
    """Return (instructions that the hazard pass adds between v_cmpx and another, their MIR opcodes)."""
    lines = CMPX.replace("BETWEEN", BETWEEN[between]).replace("THEN", THEN[then])
    given = "\n".join(line for line in lines.splitlines() if line.strip())
    done = llc.run_pass(target, given + "\n")
    if not done.accepted:
        raise CannotTell(f"{done.outcome}: {done.diagnostic[:200]}")
    before, after = [re.findall(r"\b([VS]_[A-Z0-9]\w+|DS_\w+)\b", text.split("bb.0:")[1]) for text in (given, done.assembly)]
    more = list(after)
    for word in before:
        more.remove(word)
    return len(more), more


class PermlaneAfterCmpx(Check):
    """v_cmpx, nothing or another instruction, then a permlane, through the pass that mends hazards.

    Shows: what the pass of LLVM 22 adds to MIR.
    Does not show: what hardware needs.
    """

    claim = "LANE-065"
    kind = "compiler"
    witness = "llc"
    binds = ("what", "inserted", "before")

    def observe(self, target, tools):
        llc = tools.witness("llc")
        between = ("nothing", "s_nop", "s_mov", "v_mov")
        _, words = added(llc, target, "nothing", "v_permlane16_b32")
        return {
            "what": words[0].lower() if len(words) == 1 else str(words),
            "inserted": {name: added(llc, target, name, "v_permlane16_b32")[0] for name in between},
            "before": {name: added(llc, target, "nothing", name)[0] for name in THEN},
        }


class PermlaneAfterNop(Check):
    """The same with v_nop between the two.

    Shows: that the pass of LLVM 22 does not count it.
    Does not show: what hardware needs.
    """

    claim = "LANE-065"
    kind = "compiler"
    witness = "llc"
    position = "llvm"
    binds = ("inserted_after_v_nop",)

    def observe(self, target, tools):
        return {"inserted_after_v_nop": added(tools.witness("llc"), target, "v_nop", "v_permlane16_b32")[0]}
