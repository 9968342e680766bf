# SPDX-License-Identifier: Apache-2.0
"""Direct-to-LDS copies as a real compiler takes, encodes and prints them."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, taken

GLOBAL = "__attribute__((address_space(1))) int"
LDS = "__attribute__((address_space(3))) int"
SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 32)
IR = """
declare void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1), ptr addrspace(3), i32 immarg, i32 immarg, i32 immarg)
declare void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8), ptr addrspace(3), i32 immarg, i32, i32, i32 immarg, i32 immarg)
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @k(ptr addrspace(1) %g, ptr addrspace(3) %l, ptr addrspace(8) %r, i32 %v, i32 %s) {
BODY
  ret void
}
"""


def kernel(body):
    """C of a kernel with a source g, a destination l and a variable n."""
    return f"__attribute__((amdgpu_kernel)) void k({GLOBAL} *g, {LDS} *l, int n) {{ {body} }}\n"


def lines(done):
    """The instructions of an assembly text."""
    return [line.strip() for line in assembly(done).splitlines() if re.match(r"\t[a-z]", line)]


class BuiltinSizes(Check):
    """The builtin with nine sizes, each a kernel of its own.

    Shows: which sizes clang takes for this target.
    Does not show: where the bytes land.
    """

    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        found = {}
        for size in SIZES:
            done = tools.clang.compile_c(target, kernel(f"__builtin_amdgcn_global_load_lds(g, l, {size}, 0, 0);"))
            found[f"b{size}"] = taken(done) and "global_load_lds" in done.assembly
        return {"accepted": found}


class BuiltinSizesCdna3(BuiltinSizes):
    """The builtin with nine sizes for gfx942, each a kernel of its own.

    Shows: which sizes clang takes for this target.
    Does not show: where the bytes land.
    """

    claim = "D2L-001"


class BuiltinSizesCdna4(BuiltinSizes):
    """The builtin with nine sizes for gfx950, each a kernel of its own.

    Shows: which sizes clang takes for this target.
    Does not show: where the bytes land.
    """

    claim = "D2L-002"


class UniformDestination(Check):
    """A copy to an LDS pointer that all lanes share, and one to a pointer that depends on the work-item.

    Shows: that clang puts one value into M0, of one lane where they differ, and the source into a register of each lane.
    Does not show: what the hardware adds to M0.
    """

    claim = "D2L-004"
    kind = "compiler"
    witness = "clang"
    binds = ("uniform_pointer", "divergent_pointer", "address_vgprs")

    def observe(self, target, tools):
        load = "  call void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1) %g, ptr addrspace(3) POINTER, i32 4, i32 0, i32 0)"
        place = "  %t = call i32 @llvm.amdgcn.workitem.id.x()\n  %p = getelementptr i32, ptr addrspace(3) %l, i32 %t\n"
        uniform = lines(tools.clang.compile_ir(target, IR.replace("BODY", load.replace("POINTER", "%l"))))
        divergent = lines(tools.clang.compile_ir(target, IR.replace("BODY", place + load.replace("POINTER", "%p"))))
        (copy,) = [line for line in uniform if line.startswith("global_load_lds")]
        return {
            "uniform_pointer": self._counts(uniform),
            "divergent_pointer": self._counts(divergent),
            "address_vgprs": len(re.findall(r"\bv\d+\b", copy)),
        }

    def _counts(self, text):
        writes = sum(bool(re.match(r"s_\w+ m0,", line)) for line in text)
        return {"readfirstlane": sum(line.startswith("v_readfirstlane") for line in text), "m0_writes": writes}


class NoDataRegisters(Check):
    """Four copies of a DWORD into LDS and one read back: as direct copies, and as loads and stores.

    Shows: registers that hold copied data, and what remains on the direct path, in clang's output.
    Does not show: time.
    """

    claim = "D2L-005"
    kind = "compiler"
    witness = "clang"
    binds = ("direct", "through_registers")

    def observe(self, target, tools):
        count = 4
        fence = '__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); g[n] = l[n];'
        copies = "".join(
            f"__builtin_amdgcn_global_load_lds(g + {64 * i}, l + {64 * i}, 4, 0, 0);" for i in range(count)
        )
        moves = "int t = __builtin_amdgcn_workitem_id_x();" + "".join(
            f"l[t + {64 * i}] = g[t + {64 * i}];" for i in range(count)
        )
        direct = lines(tools.clang.compile_c(target, kernel(copies + fence)))
        staged = lines(tools.clang.compile_c(target, kernel(moves + fence)))
        loads = [line for line in direct if line.startswith("global_load_lds")]
        # A load to registers names its destination first; a direct copy names only its address.
        data = {re.match(r"\S+ (v\d+),", line).group(1) for line in staged if line.startswith("global_load_dword ")}
        return {
            "direct": {
                "copies": len(loads),
                "data_vgprs": sum(line.startswith("global_load_dword ") for line in direct),
                "address_vgprs": max(len(re.findall(r"\bv\d+\b", line)) for line in loads),
                "ds_writes": sum(line.startswith("ds_write") for line in direct),
                "ds_reads": sum(line.startswith("ds_read") for line in direct),
            },
            "through_registers": {
                "copies": sum(line.startswith("global_load_dword ") for line in staged),
                "data_vgprs": len(data),
            },
        }


class Constants(Check):
    """The flat builtin with variable size and offset, and the buffer intrinsic with each of its three offsets variable.

    Shows: which arguments must be constants for this compiler.
    Does not show: what the offsets do.
    """

    claim = "D2L-006"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        found = {}
        for name, size, offset in (
            ("flat_constants", "4", "16"),
            ("flat_variable_size", "n", "16"),
            ("flat_variable_offset", "4", "n"),
        ):
            done = tools.clang.compile_c(
                target, kernel(f"__builtin_amdgcn_global_load_lds(g, l, {size}, {offset}, 0);")
            )
            found[name] = taken(done) and "global_load_lds" in done.assembly
        forms = (("voffset", "%v", "0", "16"), ("soffset", "0", "%s", "16"), ("offset", "0", "0", "%v"))
        for name, voffset, soffset, offset in forms:
            body = (
                "  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) %l, i32 4, "
                f"i32 {voffset}, i32 {soffset}, i32 {offset}, i32 0)"
            )
            done = tools.clang.compile_ir(target, IR.replace("BODY", body))
            found[f"buffer_variable_{name}"] = taken(done) and "buffer_load_dword" in done.assembly
        return {"accepted": found}


class OpcodeGate(Check):
    """Four opcodes of the global form, and the opcode field of those that are taken.

    Shows: what this assembler takes and encodes.
    Does not show: what a device executes.
    """

    claim = "D2L-007"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "opcode")

    def observe(self, target, tools):
        names = [f"global_load_lds_dword{suffix}" for suffix in ("", "x2", "x3", "x4")]
        accepted, opcode = {}, {}
        for name, answer in zip(
            names, tools.clang.assemble(target, [f"{name} v[0:1], off" for name in names]), strict=True
        ):
            accepted[name] = taken(answer)
            if accepted[name]:
                opcode[name] = int.from_bytes(answer.bytes[:4], "little") >> 18 & 0x7F
        return {"accepted": accepted, "opcode": opcode}


class CacheBits(Check):
    """The builtin with 0, 1, 2 and 16 as its last argument, and the modifiers behind the opcode.

    Shows: how clang prints them for this target.
    Does not show: what they do.
    """

    claim = "D2L-010"
    kind = "compiler"
    witness = "clang"
    binds = ("aux_0", "aux_1", "aux_2", "aux_16")

    def observe(self, target, tools):
        found = {}
        for aux in (0, 1, 2, 16):
            text = lines(tools.clang.compile_c(target, kernel(f"__builtin_amdgcn_global_load_lds(g, l, 4, 0, {aux});")))
            (copy,) = [line for line in text if line.startswith("global_load_lds")]
            found[f"aux_{aux}"] = {name: name in copy.split() for name in ("sc0", "nt", "sc1")}
        return found


class Asynchronous(Check):
    """Asynchronous copies of six widths, an older copy, a negative offset, and the waits.

    Shows: what this assembler takes for gfx1250.
    Does not show: what the hardware allows.
    """

    claim = "D2L-052"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "older_form", "lds_address_vgprs", "negative_offset", "counter_wait")

    def observe(self, target, tools):
        widths = ("b8", "b16", "b32", "b64", "b96", "b128")
        asked = [f"global_load_async_to_lds_{width} v1, v[2:3], off" for width in widths]
        others = [
            "global_load_lds_dword v[0:1], off",
            "global_load_async_to_lds_b32 v1, v[2:3], off offset:-8",
            "s_wait_asynccnt 0x0",
            "s_waitcnt vmcnt(0)",
        ]
        answers = [taken(answer) for answer in tools.clang.assemble(target, asked + others)]
        older, negative, own, common = answers[len(widths) :]
        registers = [f"global_load_async_to_lds_b32 {one}, v[8:9], off" for one in ("v1", "v[1:2]", "v[1:3]")]
        by_registers = [taken(answer) for answer in tools.clang.assemble(target, registers)]
        return {
            "accepted": dict(zip(widths, answers, strict=False)),
            "older_form": older,
            "lds_address_vgprs": by_registers.index(True) + 1 if sum(by_registers) == 1 else -1,
            "negative_offset": negative,
            "counter_wait": {"s_wait_asynccnt": own, "s_waitcnt": common},
        }


class ClusterCopies(Check):
    """Cluster copies of six widths in assembly, and where the builtin's mask goes.

    Shows: what this compiler takes for gfx1250, and the register that it fills before the copy.
    Does not show: which workgroups receive, or where.
    """

    claim = "D2L-057"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "mask_register")

    def observe(self, target, tools):
        widths = ("b8", "b16", "b32", "b64", "b96", "b128")
        asked = [f"cluster_load_async_to_lds_{width} v1, v[2:3], off" for width in widths]
        answers = [taken(answer) for answer in tools.clang.assemble(target, asked)]
        body = "__builtin_amdgcn_cluster_load_async_to_lds_b32(g, l, 0, 0, n);"
        listing = lines(tools.clang.compile_c(target, kernel(body)))
        at = [number for number, line in enumerate(listing) if line.startswith("cluster_load_async_to_lds_b32")]
        moves = [re.match(r"s_mov_b32 (m0), s\d+$", line) for line in listing[: at[0] if at else 0]]
        filled = [move.group(1) for move in moves if move]
        if len(at) != 1 or len(filled) != 1:
            raise CannotTell(f"copies {at}, moves into M0 {filled}")
        return {"accepted": dict(zip(widths, answers, strict=True)), "mask_register": filled[0]}


class OffsetWraps(Check):
    """Offsets around the end of the field: of the buffer and the global form in assembly, and a large one in the intrinsic.

    Shows: where this assembler stops checking, and what this compiler prints for an offset that does not fit.
    Does not show: other versions.
    """

    claim = "D2L-053"
    kind = "compiler"
    witness = "clang"
    binds = ("buffer", "global")

    def observe(self, target, tools):
        buffer = self._most(tools, target, "buffer_load_dword off, s[0:3], 0 offset:{} lds", True)
        plain = self._most(tools, target, "global_load_lds_dword v[0:1], off offset:{}", False)
        (wrapped,) = tools.clang.assemble(target, [f"buffer_load_dword off, s[0:3], 0 offset:{buffer + 1} lds"])
        if not taken(wrapped):
            raise CannotTell(f"offset {buffer + 1} is refused")
        large = 8192
        body = f"  call void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1) %g, ptr addrspace(3) %l, i32 4, i32 {large}, i32 0)"
        (copy,) = [
            line
            for line in lines(tools.clang.compile_ir(target, IR.replace("BODY", body)))
            if line.startswith("global_load_lds")
        ]
        printed = re.search(r"offset:(-?\d+)", copy)
        return {
            "buffer": {"most": buffer, "too_large": buffer + 1, "encoded": self._field(wrapped)},
            "global": {"most": plain, "too_large": large, "printed": int(printed[1]) if printed else 0},
        }

    def _field(self, answer):
        return int.from_bytes(answer.bytes[:4], "little") & 0xFFF

    def _most(self, tools, target, form, by_encoding):
        """The largest offset that is taken, or that is encoded as given."""
        good, bad = 0, 1 << 16
        while bad - good > 1:
            middle = (good + bad) // 2
            (answer,) = tools.clang.assemble(target, [form.format(middle)])
            if taken(answer) and (not by_encoding or self._field(answer) == middle):
                good = middle
            else:
                bad = middle
        return good
