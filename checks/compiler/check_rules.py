# SPDX-License-Identifier: Apache-2.0
"""What the audit cites LLVM's lines for, asked of a compiler that runs here; the cited commit itself is not run."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import taken
from cdna_evidence.checks.search import largest_lds

TWO = ("gfx942", "gfx950")
MATRIX_TYPES = """
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef short s4 __attribute__((ext_vector_type(4)));
"""


def assembled(clang, lines):
    """Return {name: {target: accepted}} for some instructions, each as {name: text}."""
    found = {name: {} for name in lines}
    for target in TWO:
        for name, answer in zip(lines, clang.assemble(target, list(lines.values()))):
            found[name][target] = taken(answer)
    return found


def body(done):
    """Return the instruction lines of a compiled function."""
    if not taken(done):
        raise CannotTell(f"did not compile: {done.diagnostic[:200]}")
    lines = [line.split(";")[0].strip() for line in done.assembly.splitlines()]
    return [line for line in lines if line and not line.startswith(".") and not line.endswith(":")]


class FeatureLines(Check):
    """The largest LDS array and an FP8 conversion on both targets (GCNFeatures.td).

    Shows: two things that the cited feature lists decide, as clang 22 decides them.
    Does not show: that the cited lines hold them.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("lds_bytes", "fp8_conversion")

    def observe(self, target, tools):
        sizes = {one: largest_lds(tools.clang, one) for one in TWO}
        conversion = assembled(tools.clang, {"fp8": "v_cvt_pk_fp8_f32 v0, v1, v2", "none": "v_cvt_pk_fp9_f32 v0, v1, v2"})
        if any(conversion["none"].values()):
            raise CannotTell("an instruction that does not exist was accepted")
        return {"lds_bytes": sizes, "fp8_conversion": conversion["fp8"]}


class ProcessorLines(Check):
    """Both processors are known by name, and a made-up one is not (GCNProcessors.td).

    Shows: that the names bind to targets in clang 22.
    Does not show: which ISA version number each has.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("processor_known",)

    def observe(self, target, tools):
        return {"processor_known": {one: tools.clang.knows(one) for one in (*TWO, "gfx959")}}


class FlatLines(Check):
    """Direct-to-LDS loads of one, three and four DWORDs: who takes them, and the opcode in their bytes (FLATInstructions.td).

    Shows: the gate and the opcode field, bits 24:18 of the first DWORD, as clang 22 encodes it.
    Does not show: that the cited lines hold them.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("direct_to_lds",)

    def observe(self, target, tools):
        lines = {name: f"global_load_lds_{name} v[0:1], off" for name in ("dword", "dwordx3", "dwordx4")}
        found = assembled(tools.clang, lines)
        answers = tools.clang.assemble("gfx950", list(lines.values())[1:])
        for name, answer in zip(("opcode_dwordx3", "opcode_dwordx4"), answers):
            word = int.from_bytes((answer.bytes or b"")[:4], "little")
            found[name] = f"0x{word >> 18 & 0x7F:02x}"
        return {"direct_to_lds": found}


class WaitcntLines(Check):
    """After a direct-to-LDS copy and before the LDS read that may see it, the compiler waits on the vector-memory counter
    (SIInsertWaitcnts.cpp, llvm.amdgcn.load.to.lds.ll).

    Shows: the count that clang 22 waits for, with a reader that carries no alias metadata; and the lowered instruction.
    Does not show: readers with alias metadata, for which the wait may be left out.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("vmcnt_before_lds_read", "load_to_lds")

    def observe(self, target, tools):
        waits, lowered = {}, {}
        for one in TWO:
            lines = body(tools.clang.compile_ir(one, self._source("global.load.lds", "")))
            waits[one] = self._count(lines)
            lines = body(tools.clang.compile_ir(one, self._source("load.to.lds.p1", "")))
            if self._count(lines) != waits[one]:
                raise CannotTell(f"the two intrinsics wait differently on {one}")
            copies = [line.split()[0] for line in lines if line.startswith("global_load_lds")]
            lowered[one] = copies[0] if len(copies) == 1 else "0"
        return {"vmcnt_before_lds_read": waits, "load_to_lds": lowered}

    def _source(self, intrinsic, metadata):
        return (
            f"declare void @llvm.amdgcn.{intrinsic}(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)\n"
            "define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(3) %l, ptr addrspace(1) %q) {\n"
            f"  call void @llvm.amdgcn.{intrinsic}(ptr addrspace(1) %p, ptr addrspace(3) %l, i32 4, i32 0, i32 0)\n"
            f"  %v = load i32, ptr addrspace(3) %l{metadata}\n"
            "  store i32 %v, ptr addrspace(1) %q\n"
            "  ret void\n"
            "}\n"
        )

    def _count(self, lines):
        """Return the smallest vmcnt waited for between the copy and the LDS read, -1 for none."""
        copy = next((i for i, line in enumerate(lines) if line.startswith("global_load_lds")), None)
        read = next((i for i, line in enumerate(lines) if line.startswith("ds_read")), None)
        if copy is None or read is None or read < copy:
            raise CannotTell("no copy followed by an LDS read in the assembly")
        counts = [int(n) for line in lines[copy:read] for n in re.findall(r"vmcnt\((\d+)\)", line)]
        return min(counts, default=-1)


class TransposeLines(Check):
    """The transpose loads from LDS by element width, and the one an intrinsic becomes (DSInstructions.td).

    Shows: the gate in clang 22's assembler, and one selection from an intrinsic.
    Does not show: the gate on wave64, or what a lane receives.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("transpose_load", "transpose_intrinsic")

    def observe(self, target, tools):
        lines = {f"ds_read_b64_tr_b{bits}": f"ds_read_b64_tr_b{bits} v[0:1], v2" for bits in (4, 8, 16)}
        lines["ds_read_b96_tr_b6"] = "ds_read_b96_tr_b6 v[0:2], v4"
        source = (
            "declare <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3))\n"
            "define <4 x i16> @k(ptr addrspace(3) %p) {\n"
            "  %v = call <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3) %p)\n"
            "  ret <4 x i16> %v\n"
            "}\n"
        )
        reads = [line.split()[0] for line in body(tools.clang.compile_ir("gfx950", source)) if line.startswith("ds_read")]
        return {
            "transpose_load": assembled(tools.clang, lines),
            "transpose_intrinsic": {"gfx950": reads[0] if len(reads) == 1 else "0"},
        }


class MatrixLines(Check):
    """Four matrix instructions on both targets (VOP3PInstructions.td).

    Shows: the gates in clang 22's assembler for the common FP16, the wider-K, the mixed 8/6/4-bit and the XF32 form.
    Does not show: throughput or results.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("matrix",)

    def observe(self, target, tools):
        lines = {
            "v_mfma_f32_16x16x16_f16": "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[8:9], v[0:3]",
            "v_mfma_f32_16x16x32_f16": "v_mfma_f32_16x16x32_f16 v[0:3], v[4:7], v[8:11], v[0:3]",
            "v_mfma_f32_16x16x128_f8f6f4": "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[0:3]",
            "v_mfma_f32_16x16x8_xf32": "v_mfma_f32_16x16x8_xf32 v[0:3], v[4:5], v[8:9], v[0:3]",
        }
        return {"matrix": assembled(tools.clang, lines)}


class BuiltinLines(Check):
    """Three builtins on both targets, and the sizes that the direct-to-LDS builtin takes (BuiltinsAMDGPU.td).

    Shows: what the C front end of clang 22 accepts; the sizes are found by trying 1 to 32.
    Does not show: other front ends.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("builtin", "builtin_sizes")

    def observe(self, target, tools):
        calls = {
            "mfma_f32_16x16x16f16": "f4 k(h4 a, h4 b, f4 c) { return __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0); }",
            "mfma_f32_16x16x32_f16": "f4 k(h8 a, h8 b, f4 c) { return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0); }",
            "ds_read_tr16_b64_v4i16": "s4 k(__attribute__((address_space(3))) s4 *p) { return __builtin_amdgcn_ds_read_tr16_b64_v4i16(p); }",
        }
        found = {name: {} for name in calls}
        sizes = {}
        for one in TWO:
            for name, call in calls.items():
                found[name][one] = taken(tools.clang.compile_c(one, MATRIX_TYPES + call + "\n"))
            sizes[one] = [size for size in range(1, 33) if self._takes(tools.clang, one, size)]
        return {"builtin": found, "builtin_sizes": sizes}

    def _takes(self, clang, target, size):
        source = (
            "__attribute__((amdgpu_kernel)) void k(__attribute__((address_space(1))) int *p, "
            "__attribute__((address_space(3))) int *l) {\n"
            f"  __builtin_amdgcn_global_load_lds(p, l, {size}, 0, 0);\n"
            "}\n"
        )
        done = clang.compile_c(target, source)
        return taken(done) and any(line.startswith("global_load_lds") for line in body(done))


class HazardLines(Check):
    """Wait states between a matrix result and its use as an A input, 16x16x16 FP16 (mai-hazards-gfx942.mir).

    Shows: how many states clang 22 inserts.
    Does not show: how many the hardware requires.
    """

    claim = "REG-008"
    kind = "compiler"
    witness = "clang"
    binds = ("wait_states_d_to_a",)

    def observe(self, target, tools):
        mfma = "@llvm.amdgcn.mfma.f32.16x16x16f16"
        tail = "<4 x half> %b, <4 x float> %c, i32 0, i32 0, i32 0)"
        source = (
            f"declare <4 x float> {mfma}(<4 x half>, <4 x half>, <4 x float>, i32, i32, i32)\n"
            "define <4 x float> @k(<4 x half> %a, <4 x half> %b, <4 x float> %c) {\n"
            f"  %d = call <4 x float> {mfma}(<4 x half> %a, {tail}\n"
            "  %t = bitcast <4 x float> %d to <8 x half>\n"
            "  %x = shufflevector <8 x half> %t, <8 x half> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>\n"
            f"  %e = call <4 x float> {mfma}(<4 x half> %x, {tail}\n"
            "  ret <4 x float> %e\n"
            "}\n"
        )
        states = {}
        for one in TWO:
            lines = body(tools.clang.compile_ir(one, source))
            places = [i for i, line in enumerate(lines) if line.startswith("v_mfma")]
            between = lines[places[0] + 1 : places[1]]
            if len(places) != 2 or not all(line.startswith("s_nop") for line in between):
                raise CannotTell(f"something else than s_nop stands between the two instructions: {between}")
            states[one] = sum(int(line.split()[1]) + 1 for line in between)
        return {"wait_states_d_to_a": states}
