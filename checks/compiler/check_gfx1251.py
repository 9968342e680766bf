# SPDX-License-Identifier: Apache-2.0
"""gfx1251, the neighbour of gfx1250: what compilers take for it and how they number it, beside gfx1250."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import verdict
from cdna_evidence.checks.search import largest_lds
from cdna_evidence.witnesses import elf

EMPTY = "define amdgpu_kernel void @k() {\n  ret void\n}\n"
ROW_SHARE = {
    "v_add_f64_dpp": "v[0:1], v[2:3], v[4:5]",
    "v_mul_f64_dpp": "v[0:1], v[2:3], v[4:5]",
    "v_fma_f64_e64_dpp": "v[0:1], v[2:3], v[4:5], v[6:7]",
    "v_mov_b64_dpp": "v[0:1], v[2:3]",
    "v_add_nc_u64_dpp": "v[0:1], v[2:3], v[4:5]",
    "v_add_f32_dpp": "v0, v1, v2",
}
DOUBLE = {
    "v_wmma_f64_16x16x4_f64": "v[0:15], v[16:19], v[20:23], v[0:15]",
    "v_pk_add_f64": "v[0:3], v[4:7], v[8:11]",
    "v_pk_mul_f64": "v[0:3], v[4:7], v[8:11]",
    "v_pk_fma_f64": "v[0:3], v[4:7], v[8:11], v[12:15]",
    "v_fma_f64": "v[0:1], v[2:3], v[4:5], v[6:7]",
}


def verdicts(witness, target, lines):
    """Return {name: accept or reject} for {name: an instruction}."""
    answers = witness.assemble(target, list(lines.values()))
    return {name: verdict(answer) for name, answer in zip(lines, answers, strict=True)}


class NeighbourTarget(Check):
    """Instructions of 64 bits with lane moves, and three that gfx1250 has, assembled.

    Shows: what clang's assembler takes for the target.
    Does not show: what product the neighbour is.
    """

    claim = "VGPR-011"
    kind = "compiler"
    witness = "clang"
    binds = ("row_share", "other_lane_moves", "shared")

    def observe(self, target, tools):
        shared = {
            "s_set_vgpr_msb": "s_set_vgpr_msb 1",
            "tensor_load_to_lds": "tensor_load_to_lds s[0:3], s[4:11]",
            "v_wmma_f32_16x16x32_f16": "v_wmma_f32_16x16x32_f16 v[0:7], v[8:15], v[16:23], v[0:7]",
        }
        moves = {"row_xmask": "row_xmask:1", "dpp8": "dpp8:[7,6,5,4,3,2,1,0]"}
        moves = {name: f"v_add_f64_dpp v[0:1], v[2:3], v[4:5] {move}" for name, move in moves.items()}
        return {
            "row_share": verdicts(tools.clang, target, {name: f"{name} {rest} row_share:1" for name, rest in ROW_SHARE.items()}),
            "other_lane_moves": verdicts(tools.clang, target, moves),
            "shared": verdicts(tools.clang, target, shared),
        }


class NeighbourDouble(Check):
    """The double-precision product, packed double precision and an old instruction, assembled by the LLVM of the triton wheel.

    Shows: what its assembler takes for the target.
    Does not show: hardware.
    """

    claim = "VGPR-011"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("double",)

    def observe(self, target, tools):
        lines = {name: f"{name} {rest}" for name, rest in DOUBLE.items()}
        return {"double": verdicts(tools.witness("triton-llvm"), target, lines)}


class NeighbourDoubleBefore(Check):
    """The same asked of the LLVM in AMD's wheel, which is one version older.

    Shows: what its assembler takes for the target.
    Does not show: hardware.
    """

    claim = "VGPR-011"
    kind = "compiler"
    witness = "rocm-llvm-c"
    binds = ("double_in_llvm_23",)

    def observe(self, target, tools):
        lines = {name: f"{name} {DOUBLE[name]}" for name in ("v_wmma_f64_16x16x4_f64", "v_pk_fma_f64", "v_fma_f64")}
        return {"double_in_llvm_23": verdicts(tools.witness("rocm-llvm-c"), target, lines)}


class NeighbourNumbers(Check):
    """Version symbols, the machine number in the flags of an object file, the largest array in LDS, and the lanes of a kernel.

    Shows: how clang numbers and limits the target.
    Does not show: hardware.
    """

    claim = "VGPR-013"
    kind = "compiler"
    witness = "clang"
    binds = ("version", "machine", "lds_bytes", "lanes")

    def observe(self, target, tools):
        clang = tools.clang
        parts = [f"s_movk_i32 s0, .amdgcn.gfx_generation_{part}" for part in ("number", "minor", "stepping")]
        words = [answer.bytes for answer in clang.assemble(target, parts)]
        if not all(word and word[2:] == b"\x00\xb0" for word in words):
            raise CannotTell(f"no version symbols: {words}")
        made = clang.compile_object(target, EMPTY)
        if made.outcome != "accepted":
            raise CannotTell(f"{made.outcome}: {made.diagnostic[:160]}")
        lanes = re.search(r"\.wavefront_size: *(\d+)", clang.compile_ir(target, EMPTY).assembly)
        if lanes is None:
            raise CannotTell("no wave size in the metadata")
        return {
            "version": [int.from_bytes(word[:2], "little") for word in words],
            "machine": elf.read(made.data).flags & 0xFF,
            "lds_bytes": largest_lds(clang, target),
            "lanes": int(lanes.group(1)),
        }
