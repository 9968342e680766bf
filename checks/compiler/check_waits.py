# SPDX-License-Identifier: Apache-2.0
"""Waits, asked of a real assembler and a real code generator: encodings, what is accepted, and what is inserted."""

import re

from cdna_evidence.checks import CannotTell, Check

HEAD = """
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
declare void @llvm.amdgcn.load.to.lds.p1(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
declare void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8), ptr addrspace(3), i32, i32, i32, i32, i32)
declare void @llvm.amdgcn.s.barrier()
declare void @llvm.amdgcn.sched.barrier(i32)
declare i32 @llvm.amdgcn.workitem.id.x()
@a = internal addrspace(3) global [1024 x i32] poison, align 16
@b = internal addrspace(3) global [1024 x i32] poison, align 16
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr addrspace(8) %r, ptr addrspace(3) %m) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  %la = getelementptr i32, ptr addrspace(3) @a, i32 %t
  %lb = getelementptr i32, ptr addrspace(3) @b, i32 %t
  %lm = getelementptr i32, ptr addrspace(3) %m, i32 %t
"""
TAIL = "  ret void\n}\n"
COPY = "  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %g, ptr addrspace(3) @a, i32 4, i32 0, i32 0)"
READ = "  %v = load i32, ptr addrspace(3) %la"
KEEP = "  store i32 %v, ptr addrspace(1) %o\n"
SCHED = "  call void @llvm.amdgcn.sched.barrier(i32 0)\n"
BARRIER = "  call void @llvm.amdgcn.s.barrier()\n"
SCOPES = '\n!0 = !{!0, !"d"}\n!1 = !{!1, !0, !"a"}\n!2 = !{!2, !0, !"b"}\n!3 = !{!1}\n!4 = !{!2}\n'
OF_A, OF_B = ", !alias.scope !3, !noalias !4", ", !alias.scope !4, !noalias !3"
SPLIT_HEAD = """
declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32, i32)
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32)
declare void @llvm.amdgcn.sched.barrier(i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare i32 @llvm.amdgcn.s.sendmsg.rtn.i32(i32)
@a = internal addrspace(3) global [1024 x i32] poison
"""


def body(tools, target, source, opt=2, c=False, **more):
    """The lines of code of a compiled function, without its metadata."""
    done = (tools.clang.compile_c if c else tools.clang.compile_ir)(target, source, opt=opt, **more)
    if not done.accepted:
        raise CannotTell(f"{done.outcome}: {done.diagnostic[:200]}")
    lines = []
    for line in done.assembly.splitlines():
        code = line.split(";")[0].strip()
        if code.startswith(".section") and lines:
            break
        if code and not code.startswith(".") and not code.endswith(":"):
            lines.append(code)
    return lines


def kernel(tools, target, text, metadata="", opt=2):
    """The lines of code of a kernel whose body is given."""
    return body(tools, target, HEAD + text + TAIL + metadata, opt)


def between(lines, first, then):
    """The lines between the last line that begins with `first` and the first one behind it that begins with `then`."""
    places = [i for i, line in enumerate(lines) if line.startswith(first)]
    ends = [i for i, line in enumerate(lines) if line.startswith(then) and places and i > places[-1]]
    if not places or not ends:
        raise CannotTell(f"no {first} followed by {then}")
    return lines[places[-1] + 1 : ends[0]]


def counts(lines, counter):
    """The counts that some lines wait for on one counter of s_waitcnt, or with the opcode of gfx1250."""
    found = []
    for line in lines:
        found += [int(n) for n in re.findall(rf"\b{counter}\((\d+)\)", line)]
        if re.match(rf"s_wait_{counter}\b", line):
            found.append(int(line.split()[1], 0))
    return found


def waits(lines, counter):
    """How many lines wait on a counter."""
    return len([line for line in lines if counts([line], counter)])


def encodings(tools, target, lines):
    """Bytes of each line, None where it is refused."""
    answers = tools.clang.assemble(target, lines)
    if any(answer.accepted is None for answer in answers):
        raise CannotTell("; ".join(answer.outcome for answer in answers))
    return [answer.bytes if answer.accepted else None for answer in answers]


def largest(tools, target, text):
    """The largest count up to 100 that the assembler takes in `text`."""
    taken = encodings(tools, target, [text.format(n) for n in range(101)])
    return max((n for n in range(101) if taken[n]), default=-1)


class PackedEncoding(Check):
    """Single counts are assembled: which operand bits change, the largest accepted, the operands for zero; four loads are compiled.

    Shows: clang's encoding and the counter on which clang waits for each class.
    Does not show: what the hardware counts.
    """

    claim = "WAIT-001"
    kind = "compiler"
    witness = "clang"
    binds = ("bits", "most", "operands", "clang_waits_on")

    def observe(self, target, tools):
        names = ("vmcnt", "expcnt", "lgkmcnt")
        most = {name: largest(tools, target, "s_waitcnt " + name + "({0})") for name in names}
        free = self._operand(
            tools, target, [f"s_waitcnt vmcnt({most['vmcnt']}) expcnt({most['expcnt']}) lgkmcnt({most['lgkmcnt']})"]
        )[0]
        zero = dict(zip(names, self._operand(tools, target, [f"s_waitcnt {name}(0)" for name in names]), strict=True))
        bits = {name: [bit for bit in range(16) if (free ^ zero[name]) >> bit & 1] for name in names}
        operands = {f"{name}_zero": zero[name] for name in names}
        return {"bits": bits, "most": most, "operands": operands, "clang_waits_on": self._classes(tools, target)}

    def _operand(self, tools, target, lines):
        found = encodings(tools, target, lines)
        return [int.from_bytes(data[:2], "little") for data in found]

    def _classes(self, tools, target):
        vector = kernel(tools, target, "  %v = load i32, ptr addrspace(1) %g\n" + KEEP)
        lds = kernel(tools, target, "  %v = load i32, ptr addrspace(3) %lm\n" + KEEP)
        fence = '  store i32 %t, ptr addrspace(1) %g\n  fence syncscope("agent") release\n  store i32 %t, ptr addrspace(1) %o\n'
        store = kernel(tools, target, fence)
        found = {
            "vector_load": between(vector, "global_load", "global_store"),
            "lds_load": between(lds, "ds_read", "global_store"),
            "scalar_load": between(vector, "s_load", "global_load"),
            "vector_store": self._after_first(store, "global_store"),
        }
        return {name: self._only(lines) for name, lines in found.items()}

    def _after_first(self, lines, first):
        start = [i for i, line in enumerate(lines) if line.startswith(first)]
        if len(start) != 2:
            raise CannotTell("not two stores")
        return [line for line in lines[start[0] : start[1]] if line.startswith("s_waitcnt")]

    def _only(self, lines):
        named = {name for line in lines if line.startswith("s_waitcnt") for name in re.findall(r"(\w+)\(\d+\)", line)}
        return named.pop() if len(named) == 1 else "none-or-many"


class BarrierBuiltin(Check):
    """An LDS store, the barrier builtin and an LDS load, with nothing more and with a release fence in front.

    Shows: the waits that clang puts before the barrier.
    Does not show: what the barrier does.
    """

    claim = "WAIT-002"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits_before_barrier",)

    def observe(self, target, tools):
        store = "  store i32 %t, ptr addrspace(3) %la\n"
        fence = '  fence syncscope("workgroup") release\n'
        read = (
            "  %x = sub i32 255, %t\n  %lx = getelementptr i32, ptr addrspace(3) @a, i32 %x\n  %v = load i32, ptr addrspace(3) %lx\n"
            + KEEP
        )
        found = {}
        for name, text in (("builtin_alone", store + BARRIER), ("release_fence", store + fence + BARRIER)):
            lines = kernel(tools, target, text + read)
            found[name] = waits(between(lines, "ds_write", "s_barrier"), "lgkmcnt")
        return {"clang_waits_before_barrier": found}


class CopyThenRead(Check):
    """A direct-to-LDS copy and an LDS load of the same array, through three intrinsics.

    Shows: the counter and the count that clang waits for between them.
    Does not show: readers with alias metadata (WAIT-007), inline assembly (WAIT-008), or the hardware.
    """

    claim = "WAIT-003"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_vmcnt", "clang_lgkmcnt_waits")

    def observe(self, target, tools):
        calls = {
            "global_load_lds": COPY,
            "load_to_lds": COPY.replace("global.load.lds", "load.to.lds.p1"),
            "buffer_load_lds": "  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) @a, i32 4, i32 %t, i32 0, i32 0, i32 0)",
        }
        found, others = {}, 0
        for name, call in calls.items():
            lines = kernel(tools, target, call + "\n" + READ + "\n" + KEEP)
            inside = between(lines, "buffer_load" if name[0] == "b" else "global_load_lds", "ds_read")
            found[name] = min(counts(inside, "vmcnt"), default=-1)
            others += waits(inside, "lgkmcnt")
        return {"clang_vmcnt": found, "clang_lgkmcnt_waits": others}


class CopyWidths(Check):
    """The copy of every width that the target has, at each level of optimisation, followed by an LDS load.

    Shows: the smallest and the largest vmcnt that clang waits for, over all of them; -1 would be no wait.
    Does not show: what LLVM's own test holds; that was read by others and not run.
    """

    claim = "WAIT-004"
    kind = "compiler"
    witness = "clang"
    binds = ("widths", "levels", "clang_vmcnt")

    def observe(self, target, tools):
        levels, seen, widths = [], [], []
        for level in (0, 1, 2, 3):
            taken = []
            for size in range(1, 33):
                call = COPY.replace("i32 4", f"i32 {size}")
                done = tools.clang.compile_ir(target, HEAD + call + "\n" + READ + "\n" + KEEP + TAIL, opt=level)
                if done.accepted is None and done.outcome != "crashed":
                    raise CannotTell(f"{size} bytes: {done.outcome}")
                if done.accepted:
                    lines = kernel(tools, target, call + "\n" + READ + "\n" + KEEP, opt=level)
                    seen.append(min(counts(between(lines, "global_load_lds", "ds_read"), "vmcnt"), default=-1))
                    taken.append(size)
            levels.append(level)
            widths.append(taken)
        if any(one != widths[0] for one in widths):
            raise CannotTell("the widths differ between levels of optimisation")
        return {"widths": widths[0], "levels": levels, "clang_vmcnt": {"smallest": min(seen), "largest": max(seen)}}


class SchedBarrier(Check):
    """A copy to LDS and a store to memory, with nothing, with the scheduling barrier, and with fence and barrier between.

    Shows: the waits, barriers and instructions that each adds.
    Does not show: other masks of the builtin, or which order it keeps.
    """

    claim = "WAIT-006"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits", "clang_barriers", "clang_instructions_added")

    def observe(self, target, tools):
        release = '  fence syncscope("workgroup") release\n'
        cases = {"nothing": "", "sched_barrier": SCHED, "fence_and_barrier": release + BARRIER}
        # Nothing in the function needs a wait for the copy.
        found = {
            name: kernel(tools, target, COPY + "\n" + text + "  store i32 %t, ptr addrspace(1) %o\n")
            for name, text in cases.items()
        }
        return {
            "clang_waits": {name: waits(lines, "vmcnt") for name, lines in found.items()},
            "clang_barriers": {
                name: len([line for line in lines if line.startswith("s_barrier")]) for name, lines in found.items()
            },
            "clang_instructions_added": {name: len(lines) - len(found["nothing"]) for name, lines in found.items()},
        }


class AliasMetadata(Check):
    """A copy and a read with no metadata, with scopes on the reader only, and with scopes on both copies and both readers.

    Shows: how many waits clang puts between.
    Does not show: later compilers.
    """

    claim = "WAIT-007"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits",)

    def observe(self, target, tools):
        second = COPY.replace("@a", "@b").replace("%g", "%p")
        other = "  %w = load i32, ptr addrspace(3) %lb"
        both = COPY + OF_A + "\n" + second + OF_B + "\n" + READ + OF_A + "\n" + other + OF_B + "\n"
        cases = {
            "no_metadata": COPY + "\n" + READ + "\n" + KEEP,
            "reader_only": COPY + "\n" + READ + OF_A + "\n" + KEEP,
            "both_with_scopes": both + "  %s = add i32 %v, %w\n  store i32 %s, ptr addrspace(1) %o\n",
        }
        return {
            "clang_waits": {
                name: waits(between(kernel(tools, target, text, SCOPES), "global_load_lds", "ds_read"), "vmcnt")
                for name, text in cases.items()
            }
        }


class AssemblyBoundary(Check):
    """The same copy as a builtin and as inline assembly, and a read that the compiler cannot fold away.

    Shows: how many waits clang puts between.
    Does not show: what a memory clobber promises elsewhere; it is present here.
    """

    claim = "WAIT-008"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits",)

    def observe(self, target, tools):
        hidden = '  call void asm sideeffect "global_load_lds_dword $0, off", "v,~{memory}"(ptr addrspace(1) %g)'
        read = "  %v = load volatile i32, ptr addrspace(3) %la\n" + KEEP
        found = {
            name: kernel(tools, target, first + "\n" + read)
            for name, first in (("builtin", COPY), ("inline_assembly", hidden))
        }
        return {
            "clang_waits": {
                name: waits(between(lines, "global_load_lds", "ds_read"), "vmcnt") for name, lines in found.items()
            }
        }


class WaitInstructions(Check):
    """Waits and barriers of both kinds are assembled.

    Shows: which ones the assembler takes for the target.
    Does not show: that one accepted means what its name says.
    """

    claim = "WAIT-010"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        lines = {
            "s_waitcnt": "s_waitcnt 0",
            "s_barrier": "s_barrier",
            "s_wait_loadcnt": "s_wait_loadcnt 0",
            "s_wait_dscnt": "s_wait_dscnt 0",
            "s_wait_kmcnt": "s_wait_kmcnt 0",
            "s_barrier_signal": "s_barrier_signal -1",
            "s_barrier_wait": "s_barrier_wait 0xffff",
            "s_wait_expcnt": "s_wait_expcnt 0",
        }
        taken = encodings(tools, target, list(lines.values()))
        return {"accepted": {name: data is not None for name, data in zip(lines, taken, strict=True)}}


class SplitEncoding(Check):
    """Each wait of gfx1250 is assembled, with a small count and with one that no counter can hold.

    Shows: the words, and that the assembler takes the count that is too high.
    Does not show: what a device does with it.
    """

    claim = "WAIT-051"
    kind = "compiler"
    witness = "clang"
    binds = ("words", "assembler_takes", "assembler_most")

    def observe(self, target, tools):
        names = ("loadcnt", "storecnt", "dscnt", "kmcnt", "xcnt", "asynccnt", "tensorcnt")
        texts = {name: f"s_wait_{name} 1" for name in names}
        texts.update({"loadcnt_dscnt": "s_wait_loadcnt_dscnt 0x11c", "storecnt_dscnt": "s_wait_storecnt_dscnt 0x11c"})
        found = encodings(tools, target, list(texts.values()))
        words = {name: int.from_bytes(data or b"", "little") for name, data in zip(texts, found, strict=True)}
        beyond = encodings(
            tools, target, ["s_wait_loadcnt 64", "s_wait_kmcnt 32", "s_wait_loadcnt 0x10000", "s_wait_nothing 0"]
        )
        takes = dict(
            zip(
                ("loadcnt_64", "kmcnt_32", "seventeen_bits", "no_such_wait"),
                [data is not None for data in beyond],
                strict=True,
            )
        )
        low, high = 0, 1 << 20
        while high - low > 1:
            middle = (low + high) // 2
            taken = encodings(tools, target, [f"s_wait_loadcnt {middle}"])[0]
            low, high = (middle, high) if taken else (low, middle)
        return {"words": words, "assembler_takes": takes, "assembler_most": low}


class ScalarLoads(Check):
    """Two scalar loads in flight, the older one used.

    Shows: the count that clang waits for.
    Does not show: the order in which a device answers.
    """

    claim = "WAIT-052"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_count", "clang_loads_in_flight")

    def observe(self, target, tools):
        source = (
            "declare void @llvm.amdgcn.sched.barrier(i32)\n"
            "define amdgpu_ps float @k(ptr addrspace(4) inreg %c, ptr addrspace(4) inreg %d) {\n"
            "  %a = load i32, ptr addrspace(4) %c\n" + SCHED + "  %b = load i32, ptr addrspace(4) %d\n" + SCHED
            + "  %x = mul i32 %a, 77\n" + SCHED + "  %s = add i32 %x, %b\n  %f = bitcast i32 %s to float\n  ret float %f\n}\n"
        )  # fmt: skip
        lines = body(tools, target, source, triple="amdgcn--amdpal")
        loads = [i for i, line in enumerate(lines) if line.startswith("s_load")]
        use = min((i for i, line in enumerate(lines) if line.startswith("s_mul")), default=-1)
        counter = "kmcnt" if target == "gfx1250" else "lgkmcnt"
        if len(loads) != 2 or use < loads[1] or any(line.startswith("s_wait") for line in lines[loads[0] : loads[1]]):
            raise CannotTell("not two loads in flight in front of the use")
        return {
            "clang_count": max(counts(lines[loads[1] : use], counter), default=-1),
            "clang_loads_in_flight": len(loads),
        }


class VectorLoads(Check):
    """Two vector loads in flight, the older one used.

    Shows: the count that clang waits for.
    Does not show: the order in which a device answers.
    """

    claim = "WAIT-090"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_count", "clang_loads_in_flight")

    def observe(self, target, tools):
        source = (
            "declare void @llvm.amdgcn.sched.barrier(i32)\n"
            "define float @k(ptr addrspace(1) %c, ptr addrspace(1) %d) {\n"
            "  %a = load float, ptr addrspace(1) %c\n" + SCHED + "  %b = load float, ptr addrspace(1) %d\n" + SCHED
            + "  %x = fmul float %a, %a\n" + SCHED + "  %s = fadd float %x, %b\n  ret float %s\n}\n"
        )  # fmt: skip
        lines = body(tools, target, source)
        loads = [i for i, line in enumerate(lines) if line.startswith("global_load")]
        use = min((i for i, line in enumerate(lines) if line.startswith("v_mul")), default=-1)
        if len(loads) != 2 or use < loads[1]:
            raise CannotTell("not two loads in flight in front of the use")
        return {
            "clang_count": max(counts(lines[loads[1] : use], "vmcnt"), default=-1),
            "clang_loads_in_flight": len(loads),
        }


class LargestCount(Check):
    """Many loads are in flight and the oldest is used: the largest count that clang ever waits for.

    Shows: how far clang goes.
    Does not show: the capacity of the counter; the compiler only avoids the operand that does not wait.
    """

    claim = "WAIT-053"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_largest",)

    def observe(self, target, tools):
        found = {}
        for counter, space, base, number in (("vmcnt", 1, "%g", 90), ("lgkmcnt", 3, "%lm", 40)):
            loads = "".join(
                f"  %g{i} = getelementptr i32, ptr addrspace({space}) {base}, i32 {i * 67}\n  %v{i} = load i32, ptr addrspace({space}) %g{i}\n{SCHED}"
                for i in range(number)
            )
            uses = "".join(
                f"  %o{i} = getelementptr i32, ptr addrspace(1) %o, i32 {i * 41}\n  store i32 %v{i}, ptr addrspace(1) %o{i}\n{SCHED}"
                for i in range(number)
            )
            lines = kernel(tools, target, loads + SCHED + uses)
            found[counter] = max(counts(lines, counter), default=-1)
        return {"clang_largest": found}


class AsyncWithoutWait(Check):
    """An asynchronous copy and a tensor load, each followed by an LDS load of the array.

    Shows: how many waits on their counters clang puts between.
    Does not show: what is required; the source has to wait.
    """

    claim = "WAIT-054"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits",)

    def observe(self, target, tools):
        read = "  %l = getelementptr i32, ptr addrspace(3) @a, i32 %t\n  %v = load volatile i32, ptr addrspace(3) %l\n  store i32 %v, ptr addrspace(1) %q\n  ret void\n}\n"
        head = (
            SPLIT_HEAD
            + "define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, <4 x i32> %d, <8 x i32> %e) {\n  %t = call i32 @llvm.amdgcn.workitem.id.x()\n"
        )
        calls = {
            "asynccnt": (
                "global_load_async",
                "  call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %p, ptr addrspace(3) @a, i32 0, i32 0)\n",
            ),
            "tensorcnt": (
                "tensor_load",
                "  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %d, <8 x i32> %e, i32 0)\n",
            ),
        }
        found, dscnt = {}, 0
        for counter, (first, call) in calls.items():
            lines = body(tools, target, head + call + read)
            found[counter] = waits(between(lines, first, "ds_load"), counter)
            dscnt += waits(between(lines, "ds_load", "global_store"), "dscnt")
        if dscnt != 2:
            raise CannotTell("the reads are not waited for as usual")
        return {"clang_waits": found}


class SplitClassesCompiled(Check):
    """A load of each class and its use: on which counter clang waits.

    Shows: clang's table for gfx1250.
    Does not show: the hardware.
    """

    claim = "WAIT-055"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits_on",)

    def observe(self, target, tools):
        head = (
            SPLIT_HEAD
            + "define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr %f) {\n  %t = call i32 @llvm.amdgcn.workitem.id.x()\n"
        )
        tail = "  store i32 %v, ptr addrspace(1) %o\n  ret void\n}\n"
        out = "  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t\n"
        loads = {
            "vector_load": (
                "global_load",
                "  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t\n  %v = load i32, ptr addrspace(1) %g\n",
            ),
            "message": ("s_sendmsg_rtn", "  %v = call i32 @llvm.amdgcn.s.sendmsg.rtn.i32(i32 131)\n"),
        }
        found = {
            name: self._only(between(body(tools, target, head + out + text + tail), first, "global_store"))
            for name, (first, text) in loads.items()
        }
        lines = body(tools, target, head + out + loads["vector_load"][1] + tail)
        found["scalar_load"] = self._only(between(lines, "s_load", "global_load"))
        function = "define i32 @k(ptr addrspace(3) %l) {\n  %v = load i32, ptr addrspace(3) %l\n  %w = add i32 %v, 1\n  ret i32 %w\n}\n"
        found["lds_load"] = self._only(between(body(tools, target, function), "ds_load", "v_add"))
        return {"clang_waits_on": found}

    def _only(self, lines):
        named = {name for line in lines for name in re.findall(r"^s_wait_(\w+cnt)\b", line) if name != "xcnt"}
        return named.pop() if len(named) == 1 else "none-or-many"


class TranslationWait(Check):
    """A loop that overwrites the address of its load, and one load alone.

    Shows: how many waits for XCNT clang puts in.
    Does not show: that a device replays.
    """

    claim = "WAIT-056"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_xcnt_waits",)

    def observe(self, target, tools):
        kind = "typedef __attribute__((address_space(1))) int gint;\n"
        loop = kind + (
            "__attribute__((amdgpu_kernel)) void k(gint *p, gint *q, int n) { gint *a = p + __builtin_amdgcn_workitem_id_x();\n"
            "  for (int i = 0; i < n; i++) { int v = *a; a += v; *q = v; q += n; } }\n"
        )
        alone = (
            kind
            + "__attribute__((amdgpu_kernel)) void k(gint *p, gint *q) { int t = __builtin_amdgcn_workitem_id_x(); q[t] = p[t]; }\n"
        )
        found = {
            name: waits(body(tools, target, source, c=True), "xcnt") > 0
            for name, source in (("address_overwritten", loop), ("load_and_store", alone))
        }
        return {"clang_xcnt_waits": found}


class RefillCompiled(Check):
    """An LDS load of an array and then a copy into that array.

    Shows: how many waits clang puts between the two.
    Does not show: that none is needed.
    """

    claim = "WAIT-061"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits_between",)

    def observe(self, target, tools):
        text = "  %v = load i32, ptr addrspace(3) %lm\n" + SCHED + COPY.replace("@a", "%m") + "\n" + SCHED + KEEP
        lines = kernel(tools, target, text)
        return {"clang_waits_between": waits(between(lines, "ds_read", "global_load_lds"), "lgkmcnt")}


class WeakWait(Check):
    """An LDS load, a copy to LDS, and a use of what was loaded: through the global and through the buffer form.

    Shows: the lgkmcnt that clang waits for before the use.
    Does not show: newer compilers, in which this is reported mended.
    """

    claim = "WAIT-059"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_lgkmcnt",)

    def observe(self, target, tools):
        buffer = "  call void @llvm.amdgcn.raw.ptr.buffer.load.lds(ptr addrspace(8) %r, ptr addrspace(3) %m, i32 4, i32 %t, i32 0, i32 0, i32 0)"
        use = "  %w = add i32 %v, 1\n  store i32 %w, ptr addrspace(1) %o\n"
        found = {}
        for name, first, call in (
            ("global_form", "global_load_lds", COPY.replace("@a", "%m")),
            ("buffer_form", "buffer_load", buffer),
        ):
            lines = kernel(tools, target, "  %v = load i32, ptr addrspace(3) %lm\n" + SCHED + call + "\n" + SCHED + use)
            found[name] = max(counts(between(lines, first, "v_add"), "lgkmcnt"), default=-1)
        return {"clang_lgkmcnt": found}


class AsyncCountedByClang(Check):
    """A load, an asynchronous copy, and a use of the load.

    Shows: the count that clang 22 waits for on the load counter.
    Does not show: newer compilers, whose table of events has changed.
    """

    claim = "WAIT-060"
    kind = "compiler"
    position = "asynccnt-only"
    witness = "clang"
    binds = ("clang_loadcnt",)

    def observe(self, target, tools):
        source = SPLIT_HEAD + (
            "define i32 @k(ptr addrspace(1) %p, ptr addrspace(1) %r, ptr addrspace(3) %l) {\n"
            "  %v = load i32, ptr addrspace(1) %p\n"
            + SCHED
            + "  call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %r, ptr addrspace(3) %l, i32 0, i32 0)\n"
            + SCHED
            + "  %w = add i32 %v, 1\n  ret i32 %w\n}\n"
        )
        lines = body(tools, target, source)
        return {"clang_loadcnt": max(counts(between(lines, "global_load_async", "v_add"), "loadcnt"), default=-1)}


class ManualStates(Check):
    """Pairs of instructions of the guides' tables, through the pass that inserts wait states.

    Shows: how many LLVM 22 puts between.
    Does not show: how many a device needs; the guide's numbers are quoted.
    """

    claim = "WAIT-086"
    kind = "compiler"
    witness = "llc"
    binds = ("states", "llvm_fewer")

    def observe(self, target, tools):
        scalar = "$sgpr0 = V_READFIRSTLANE_B32 $vgpr0, implicit $exec"
        compare = "V_CMP_EQ_U32_e32 $vgpr0, $vgpr1, implicit-def $vcc, implicit $exec"
        masked = "V_CMPX_EQ_U32_e32 $vgpr0, $vgpr1, implicit-def $exec, implicit-def $vcc, implicit $exec"
        across = "$vgpr2 = V_MOV_B32_dpp $vgpr2, $vgpr0, 0, 15, 15, 0, implicit $exec"
        setreg = "S_SETREG_B32 $sgpr0, 1, implicit-def $mode, implicit $mode"
        store = "GLOBAL_STORE_DWORDX4 $vgpr0_vgpr1, $vgpr2_vgpr3_vgpr4_vgpr5, 0, 0, implicit $exec"
        pairs = {
            "sgpr_vmem": [scalar, "$vgpr1 = GLOBAL_LOAD_DWORD_SADDR $sgpr0_sgpr1, $vgpr2, 0, 0, implicit $exec"],
            "vcc_div_fmas": [
                compare,
                "$vgpr2 = V_DIV_FMAS_F32_e64 0, $vgpr3, 0, $vgpr4, 0, $vgpr5, 0, 0, implicit $mode, implicit $vcc, implicit $exec",
            ],
            "lane_select": [scalar, "$sgpr2 = V_READLANE_B32 $vgpr1, $sgpr0"],
            "vgpr_dpp": ["$vgpr0 = V_MOV_B32_e32 $vgpr1, implicit $exec", across],
            "exec_dpp": [masked, across],
            "exec_constant": [masked, "$vgpr2 = V_MOV_B32_e32 $exec_lo, implicit $exec"],
            "store_data": [store, "$vgpr2 = V_MOV_B32_e32 0, implicit $exec"],
            "m0_sendmsg": ["$m0 = S_MOV_B32 $sgpr0", "S_SENDMSG 1, implicit $exec, implicit $m0"],
            "setreg_getreg": [setreg, "$sgpr1 = S_GETREG_B32 1, implicit $mode"],
            "setreg_setreg": [setreg, "S_SETREG_B32 $sgpr1, 1, implicit-def $mode, implicit $mode"],
            "vccz_data": [compare, "$vgpr2 = V_MOV_B32_e32 $src_vccz, implicit $exec"],
            "execz_data": [masked, "$vgpr2 = V_MOV_B32_e32 $src_execz, implicit $exec"],
            "store_data_loaded": [store, "$vgpr2 = GLOBAL_LOAD_DWORD $vgpr6_vgpr7, 0, 0, implicit $exec"],
        }
        done, found = tools.witness("llc").wait_states(target, pairs.items())
        if not done.accepted:
            raise CannotTell(f"{done.outcome}: {done.diagnostic[:200]}")
        fewer = {name: found.pop(name) for name in ("vccz_data", "execz_data", "store_data_loaded")}
        return {"states": found, "llvm_fewer": fewer}


class FenceSpaces(Check):
    """A store to memory, an LDS store of a loaded value, a release fence of the workgroup and a barrier, in C.

    Shows: whether clang waits for LDS and for memory between the store and the barrier, for each space that the fence names.
    Does not show: other scopes, and agents.
    """

    claim = "WAIT-091"
    kind = "compiler"
    witness = "clang"
    binds = ("both", "local", "global")

    def observe(self, target, tools):
        source = """
__attribute__((loader_uninitialized)) __attribute__((address_space(3))) int l[256];
__attribute__((amdgpu_kernel)) void k(__attribute__((address_space(1))) int *p) {
  int t = __builtin_amdgcn_workitem_id_x(), v = p[t];
  p[t + 64] = t;
  l[t] = v;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"SPACE);
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"SPACE);
  p[t] = l[t ^ 1];
}
"""
        store = "ds_store" if target == "gfx1250" else "ds_write"
        found = {}
        for name, space in (("both", ""), ("local", ', "local"'), ("global", ', "global"')):
            lines = body(tools, target, source.replace("SPACE", space), c=True)
            text = " ".join(line for line in between(lines, store, "s_barrier") if line.startswith("s_wait"))
            found[name] = {
                "lds": "lgkmcnt(" in text or "dscnt" in text,
                "memory": any(counter in text for counter in ("vmcnt(", "loadcnt", "storecnt")),
            }
        return found


class InvalidationInMir(Check):
    """A load, an invalidation of caches and a use of the load as MIR, through the pass that inserts waits.

    Shows: the count on vmcnt that LLVM 22 waits for behind the invalidation.
    Does not show: what the hardware counts.
    """

    claim = "WAIT-092"
    kind = "compiler"
    position = "not-counted"
    witness = "llc"
    binds = ("llvm_vmcnt",)

    def observe(self, target, tools):
        lines = [
            "$vgpr0 = GLOBAL_LOAD_DWORD $vgpr2_vgpr3, 0, 0, implicit $exec",
            "BUFFER_INV 16, implicit $exec",
            "$vgpr6 = V_MOV_B32_e32 $vgpr0, implicit $exec",
            "S_ENDPGM 0",
        ]
        text = "---\nname: k\nbody: |\n  bb.0:\n    " + "\n    ".join(lines) + "\n...\n"
        done = tools.witness("llc").run_pass(target, text, name="si-insert-waitcnts")
        found = re.search(r"BUFFER_INV.*?S_WAITCNT (\d+)", done.assembly, re.DOTALL)
        if not found:
            raise CannotTell(f"{done.outcome}: {done.diagnostic[:200]}")
        operand = int(found.group(1))
        return {"llvm_vmcnt": operand & 15 | operand >> 14 << 4}
