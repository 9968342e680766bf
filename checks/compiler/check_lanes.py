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
