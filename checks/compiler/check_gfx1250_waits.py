# SPDX-License-Identifier: Apache-2.0
"""Waits of gfx1250, asked of assemblers and code generators."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, instructions, verdict

ASYNC = """
declare void @llvm.amdgcn.asyncmark()
declare void @llvm.amdgcn.wait.asyncmark(i16)
declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32, i32)
define void @k(ptr addrspace(1) %p, ptr addrspace(3) %l, ptr addrspace(3) %m) {
"""
COPY = " call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %p, ptr addrspace(3) %l, i32 {0}, i32 0)\n"
MARK = " call void @llvm.amdgcn.asyncmark()\n"
VECTOR = "$vgpr1 = GLOBAL_LOAD_DWORD $vgpr2_vgpr3, 0, 0, implicit $exec"
BASED = "$vgpr1 = GLOBAL_LOAD_DWORD_SADDR $sgpr2_sgpr3, $vgpr2, 0, 0, implicit $exec"
SCALAR = "$sgpr1 = S_LOAD_DWORD_IMM $sgpr2_sgpr3, 0, 0"
STORE = "GLOBAL_STORE_DWORD $vgpr2_vgpr3, $vgpr1, 0, 0, implicit $exec"
CLUSTER = "$vgpr1 = CLUSTER_LOAD_B32 $vgpr2_vgpr3, 0, 0, implicit $m0, implicit $exec"


def move(register):
    """Return MIR that writes a vector register."""
    return f"$vgpr{register} = V_MOV_B32_e32 0, implicit $exec"


def through(tools, target, cases, passes):
    """Return what passes make of each list of MIR lines, by name: the text of its body."""
    text = ""
    for name, lines in cases.items():
        body = "".join(f"    {line}\n" for line in [*lines, "S_ENDPGM 0"])
        text += f"---\nname: {name}\nmachineFunctionInfo:\n  isEntryFunction: true\nbody: |\n  bb.0:\n{body}...\n"
    found = {}
    for part in assembly(tools.witness("llc").run_pass(target, text, passes)).split("\n---"):
        name = re.search(r"^name: +(\S+)", part, re.MULTILINE)
        if name and "body:" in part:
            found[name.group(1)] = part.partition("body:")[2]
    return {name: found[name] for name in cases}


def xcnt(tools, target, cases, passes="si-insert-waitcnts"):
    """Return how many s_wait_xcnt passes put into each list of MIR lines, by name; the default is the pass that inserts waits."""
    return {name: len(re.findall(r"\bS_WAIT_XCNT\b", body)) for name, body in through(tools, target, cases, passes).items()}


class Opcodes(Check):
    """Fifteen waits are assembled.

    Shows: which ones the assembler takes, and the upper half of their words.
    Does not show: what they wait for.
    """

    claim = "WAIT-070"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "upper_half")

    def observe(self, target, tools):
        counters = ("load", "store", "ds", "km", "x", "async", "tensor", "sample", "bvh", "exp")
        names = [f"s_wait_{one}cnt" for one in counters] + ["s_wait_loadcnt_dscnt", "s_wait_storecnt_dscnt", "s_wait_idle", "s_wait_alu", "s_waitcnt"]
        answers = tools.clang.assemble(target, [name if name == "s_wait_idle" else name + " 0" for name in names])
        words = {name: answer.bytes for name, answer in zip(names, answers, strict=True) if answer.accepted}
        return {
            "accepted": {name: verdict(answer) for name, answer in zip(names, answers, strict=True)},
            "upper_half": {name: int.from_bytes(data, "little") >> 16 for name, data in words.items()},
        }


class ClusterLoad(Check):
    """A cluster load and a store of what it brought.

    Shows: the counter on which clang waits.
    Does not show: the hardware.
    """

    claim = "WAIT-071"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_waits_on",)

    def observe(self, target, tools):
        text = (
            "declare i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1), i32, i32)\n"
            "define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %m) {\n"
            " %a = call i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1) %p, i32 0, i32 %m)\n"
            " store i32 %a, ptr addrspace(1) %p\n ret void\n}\n"
        )
        lines = instructions(tools.clang.compile_ir(target, text))
        start = next((i for i, line in enumerate(lines) if line.startswith("cluster_load")), len(lines))
        stop = next((i for i in range(start, len(lines)) if lines[i].startswith("global_store")), start)
        named = [match.group(1) for line in lines[start:stop] if (match := re.match(r"s_wait_(\w+cnt)\b", line))]
        if len(named) != 1:
            raise CannotTell(f"waits between: {named}")
        return {"clang_waits_on": named[0]}


class Translation(Check):
    """Eleven accesses followed by a reuse of their registers, or not, through the pass that inserts waits.

    Shows: where LLVM 22 waits for XCNT.
    Does not show: that a device replays.
    """

    claim = "WAIT-072"
    kind = "compiler"
    witness = "llc"
    binds = ("waits",)

    def observe(self, target, tools):
        cases = {
            "vector_address": [VECTOR, move(2)],
            "scalar_base": [BASED, "$sgpr2 = S_MOV_B32 0"],
            "exec": [VECTOR, "$exec_lo = S_MOV_B32 0"],
            "store_data": [STORE, move(1)],
            "scalar_load_base": [SCALAR, "$sgpr2 = S_MOV_B32 0"],
            "next_vector_load": [VECTOR, "$vgpr2 = GLOBAL_LOAD_DWORD $vgpr4_vgpr5, 0, 0, implicit $exec"],
            "load_waited_for": [VECTOR, "$vgpr6 = V_MOV_B32_e32 $vgpr1, implicit $exec", move(2)],
            "lds_load": ["$vgpr1 = DS_READ_B32_gfx9 $vgpr2, 0, 0, implicit $exec", move(2)],
            "unrelated": [VECTOR, move(9)],
            "other_half": [VECTOR, "$vgpr2 = GLOBAL_LOAD_DWORD $vgpr4_vgpr5, 0, 0, implicit $exec", move(3)],
            "scalar_then_vector": [SCALAR, VECTOR, "$sgpr2 = S_MOV_B32 0"],
        }
        return {"waits": {name: count > 0 for name, count in xcnt(tools, target, cases).items()}}


class BehindBarrier(Check):
    """A load with its address overwritten: behind a barrier signal, and where the result's register is above v255.

    Shows: how many waits for XCNT LLVM 22 puts in, and that it keeps them where it puts s_set_vgpr_msb.
    Does not show: whether the barrier or s_set_vgpr_msb drains.
    """

    claim = "WAIT-073"
    kind = "compiler"
    position = "wait-stays"
    witness = "llc"
    binds = ("waits",)

    def observe(self, target, tools):
        high = VECTOR.replace("$vgpr1 ", "$vgpr256 ")
        cases = {"barrier": [VECTOR, "S_BARRIER_SIGNAL_IMM -1", move(2)], "vgpr_msb": [high, move(2)]}
        bodies = through(tools, target, cases, "si-insert-waitcnts,amdgpu-lower-vgpr-encoding")
        if "S_SET_VGPR_MSB" not in bodies["vgpr_msb"].partition("GLOBAL_LOAD")[2]:
            raise CannotTell("no S_SET_VGPR_MSB behind the load")
        return {"waits": {name: len(re.findall(r"\bS_WAIT_XCNT\b", body)) for name, body in bodies.items()}}


class BehindBarrierLater(Check):
    """A load with its address overwritten, through the code generator of the triton wheel: behind a barrier signal, and above v255.

    Shows: how many waits for XCNT the newer LLVM puts where a barrier signal or s_set_vgpr_msb stands between.
    Does not show: whether they drain.
    """

    claim = "WAIT-073"
    kind = "compiler"
    position = "barrier-drains"
    witness = "triton-llvm"
    binds = ("waits",)

    def observe(self, target, tools):
        text = (
            "declare void @llvm.amdgcn.s.barrier.signal(i32)\n"
            "define void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {\n"
            " %v = load volatile i32, ptr addrspace(1) %p\n"
            "{0}"
            ' call void asm sideeffect "; clobber", "~{v0},~{v1}"()\n'
            " store volatile i32 %v, ptr addrspace(1) %q\n ret void\n}\n"
        )
        barrier = " call void @llvm.amdgcn.s.barrier.signal(i32 -1)\n"
        behind = [self._between(tools, target, text.replace("{0}", middle)) for middle in ("", barrier)]
        # The same registers are overwritten; with all below v256 taken, the result has to stand above.
        high = [self._between(tools, target, self._kernel([0, 1, *more])) for more in ((), range(3, 256))]
        if not self._waits(behind[0]) or not self._waits(high[0]):
            raise CannotTell("in the plain case there is no wait either")
        if not any(line.startswith("s_set_vgpr_msb") for line in high[1]):
            raise CannotTell("no s_set_vgpr_msb behind the load")
        return {"waits": {"barrier": self._waits(behind[1]), "vgpr_msb": self._waits(high[1])}}

    def _kernel(self, overwritten):
        return (
            "define amdgpu_kernel void @k() #0 {\n"
            ' %q = call ptr addrspace(1) asm sideeffect "; def", "={s[8:9]}"()\n'
            ' %t = call i32 asm sideeffect "; def", "={v2}"()\n'
            ' %p = call ptr addrspace(1) asm sideeffect "; def", "={v[0:1]}"()\n'
            " %v = load i32, ptr addrspace(1) %p\n"
            ' call void asm sideeffect "; clobber", "{v2}' + "".join(f",~{{v{n}}}" for n in overwritten) + '"(i32 %t)\n'
            " store i32 %v, ptr addrspace(1) %q\n ret void\n}\n"
            'attributes #0 = { "amdgpu-waves-per-eu"="1,1" "amdgpu-flat-work-group-size"="1,128" }\n'
        )

    def _between(self, tools, target, text):
        lines = instructions(tools.witness("triton-llvm").compile_ir(target, text))
        start = next((i for i, line in enumerate(lines) if "_load_b32" in line), len(lines))
        return lines[start : next((i for i in range(start, len(lines)) if "_store_b32" in lines[i]), start)]

    def _waits(self, lines):
        return sum(line.startswith("s_wait_xcnt") for line in lines)


class MaskRegister(Check):
    """A cluster load and an ordinary load, each followed by a write of M0.

    Shows: how many waits for XCNT LLVM 22 puts between.
    Does not show: replay.
    """

    claim = "WAIT-074"
    kind = "compiler"
    witness = "llc"
    binds = ("waits",)

    def observe(self, target, tools):
        write = "$m0 = S_MOV_B32 0"
        return {"waits": xcnt(tools, target, {"cluster_load": [CLUSTER, write], "ordinary_load": [VECTOR, write]})}


class BehindAsyncCopies(Check):
    """Copies into and from LDS, a load and a store, each followed by a write of its address.

    Shows: how many waits for XCNT LLVM 22 puts between.
    Does not show: replay.
    """

    claim = "WAIT-082"
    kind = "compiler"
    witness = "llc"
    binds = ("waits",)

    def observe(self, target, tools):
        count = ", implicit-def dead $asynccnt, implicit $exec, implicit $asynccnt"
        cases = {
            "async_load": ["GLOBAL_LOAD_ASYNC_TO_LDS_B32 $vgpr1, $vgpr2_vgpr3, 0, 0" + count, move(2)],
            "async_store": ["GLOBAL_STORE_ASYNC_FROM_LDS_B32 $vgpr2_vgpr3, $vgpr1, 0, 0" + count, move(2)],
            "ordinary_load": [VECTOR, move(2)],
            "ordinary_store": [STORE, move(2)],
        }
        return {"waits": xcnt(tools, target, cases)}


class BeforePrefetchAndSleep(Check):
    """A load, then a scalar prefetch or a sleep without an end; and the load with its address overwritten.

    Shows: how many waits for XCNT LLVM 22 puts between.
    Does not show: what a device needs.
    """

    claim = "WAIT-085"
    kind = "compiler"
    witness = "llc"
    binds = ("llvm_waits",)

    def observe(self, target, tools):
        cases = {
            "prefetch": [VECTOR, "S_PREFETCH_DATA $sgpr0_sgpr1, 0, $sgpr_null, 0"],
            "endless_sleep": [VECTOR, "S_SLEEP 32768"],
            "reuse": [VECTOR, move(2)],
        }
        found = xcnt(tools, target, cases)
        if not found.pop("reuse"):
            raise CannotTell("no wait behind a reuse either")
        return {"llvm_waits": found}


class Marks(Check):
    """Five copies, two marks and waits for marks, through clang 22 and the code generator of the triton wheel.

    Shows: who knows the marks, and the counts that come of them.
    Does not show: completion on a device.
    """

    claim = "WAIT-075"
    kind = "compiler"
    witness = "triton-llvm"
    binds = ("known", "younger_copies", "counts", "leave_two_waits")

    def observe(self, target, tools):
        younger = 3
        copies = "".join(COPY.format(64 * i) for i in range(2)) + MARK + "".join(COPY.format(128 + 64 * i) for i in range(younger)) + MARK
        wait = " call void @llvm.amdgcn.wait.asyncmark(i16 {0})\n store volatile i32 1, ptr addrspace(3) %m\n"
        both = ASYNC + copies + wait.format(1) + wait.format(0) + " ret void\n}\n"
        newer = tools.witness("triton-llvm")
        known = {"clang_22": tools.clang.compile_ir(target, both).accepted, "triton": newer.compile_ir(target, both).accepted}
        found = self._counts(newer, target, both)
        if len(found) != 2:
            raise CannotTell(f"waits: {found}")
        none = self._counts(newer, target, ASYNC + copies + wait.format(2) + " ret void\n}\n")
        return {
            "known": {name: "accept" if value else "reject" for name, value in known.items()},
            "younger_copies": younger,
            "counts": {"leave_one": found[0], "leave_none": found[1]},
            "leave_two_waits": len(none),
        }

    def _counts(self, witness, target, text):
        return [int(line.split()[1], 0) for line in instructions(witness.compile_ir(target, text)) if line.startswith("s_wait_asynccnt")]


class ExpertMode(Check):
    """One kernel with and without the option.

    Shows: the write of the mode and the waits for the vector ALU that clang adds.
    Does not show: what goes wrong without them.
    """

    claim = "WAIT-076"
    kind = "compiler"
    witness = "clang"
    binds = ("mode_bits", "expert", "default")

    def observe(self, target, tools):
        text = (
            "declare i32 @llvm.amdgcn.workitem.id.x()\n"
            "define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {\n"
            " %t = call i32 @llvm.amdgcn.workitem.id.x()\n %g = getelementptr float, ptr addrspace(1) %p, i32 %t\n"
            " %v = load float, ptr addrspace(1) %g\n %w = fadd float %v, 1.0\n"
            " %h = getelementptr float, ptr addrspace(1) %q, i32 %t\n store float %w, ptr addrspace(1) %h\n ret void\n}\n"
        )
        option = ("-mllvm", "-amdgpu-expert-scheduling-mode")
        expert, width, mode = self._look(instructions(tools.clang.compile_ir(target, text, extra=option)))
        expert["mode"] = mode
        return {"mode_bits": width, "expert": expert, "default": self._look(instructions(tools.clang.compile_ir(target, text)))[0]}

    def _look(self, lines):
        found = [re.match(r"s_setreg_imm32_b32 hwreg\(HW_REG_WAVE_SCHED_MODE, 0, (\d+)\), (\d+)", line) for line in lines]
        found = [match for match in found if match]
        start = next((i for i, line in enumerate(lines) if line.startswith("v_add_f32")), None)
        if start is None:
            raise CannotTell("no addition")
        stop = next(i for i in range(start, len(lines)) if lines[i].startswith("global_store"))
        waits = sum(line.startswith("s_wait_alu") for line in lines[start:stop])
        width, mode = (int(found[0].group(1)), int(found[0].group(2))) if found else (-1, -1)
        return {"alu_waits": waits, "sets_mode": bool(found)}, width, mode


class AluFields(Check):
    """Each field of s_wait_alu alone: the largest value that is taken, and the lowest bit that it moves.

    Shows: the assembler's fields.
    Does not show: what the hardware counts.
    """

    claim = "WAIT-077"
    kind = "compiler"
    witness = "clang"
    binds = ("most", "lowest_bit")

    def observe(self, target, tools):
        most, lowest = {}, {}
        for name in ("va_vdst", "va_sdst", "vm_vsrc", "va_ssrc", "sa_sdst", "va_vcc", "hold_cnt"):
            answers = tools.clang.assemble(target, [f"s_wait_alu depctr_{name}({n})" for n in range(40)])
            taken = [n for n, answer in enumerate(answers) if answer.accepted]
            if not taken:
                raise CannotTell(f"{name} is not taken")
            most[name] = max(taken)
            words = [int.from_bytes(answers[n].bytes, "little") for n in (0, max(taken))]
            moved = words[0] ^ words[1]
            lowest[name] = min(bit for bit in range(16) if moved >> bit & 1)
        return {"most": most, "lowest_bit": lowest}


class ReplayMode(Check):
    """An empty kernel and a function.

    Shows: the write of the mode register at entry.
    Does not show: what the bit does.
    """

    claim = "WAIT-079"
    kind = "compiler"
    witness = "clang"
    binds = ("bit", "bits", "value", "writes")

    def observe(self, target, tools):
        texts = {"kernel": "define amdgpu_kernel void @k() {\n ret void\n}\n", "function": "define void @k() {\n ret void\n}\n"}
        pattern = r"s_setreg_imm32_b32 hwreg\(HW_REG_WAVE_MODE, (\d+), (\d+)\), (\d+)"
        found = {name: [re.match(pattern, line) for line in instructions(tools.clang.compile_ir(target, text))] for name, text in texts.items()}
        found = {name: [match for match in matches if match] for name, matches in found.items()}
        if not found["kernel"]:
            raise CannotTell("no write of the mode register")
        bit, bits, value = (int(word) for word in found["kernel"][0].groups())
        return {"bit": bit, "bits": bits, "value": value, "writes": {name: len(matches) for name, matches in found.items()}}


class OnlyOnceByPasses(Check):
    """A store and a second access as MIR, through the memory legalizer and the pass that inserts waits.

    Shows: in front of which second accesses LLVM 22 waits for XCNT.
    Does not show: what a device needs.
    """

    claim = "WAIT-088"
    kind = "compiler"
    witness = "llc"
    binds = ("llc_waits",)

    def observe(self, target, tools):
        first = STORE + " :: (store (s32), addrspace 1)"
        scope = 'syncscope("agent") monotonic (s32), addrspace 1)'
        load = "$vgpr7 = GLOBAL_LOAD_DWORD $vgpr4_vgpr5, 0, 0, implicit $exec"
        store = "GLOBAL_STORE_DWORD $vgpr4_vgpr5, $vgpr6, 0, 0, implicit $exec"
        seconds = {
            "atomic": "GLOBAL_ATOMIC_ADD $vgpr4_vgpr5, $vgpr6, 0, 0, implicit $exec :: (load store " + scope,
            "atomic_with_result": "$vgpr7 = GLOBAL_ATOMIC_ADD_RTN $vgpr4_vgpr5, $vgpr6, 0, 1, implicit $exec :: (load store " + scope,
            "atomic_store": store + " :: (store " + scope,
            "volatile_store": store + " :: (volatile store (s32), addrspace 1)",
            "atomic_load": load + " :: (load " + scope,
            "volatile_load": load + " :: (volatile load (s32), addrspace 1)",
            "ordinary_store": store + " :: (store (s32), addrspace 1)",
        }
        found = xcnt(tools, target, {name: [first, line] for name, line in seconds.items()}, "si-memory-legalizer,si-insert-waitcnts")
        return {"llc_waits": {name: count > 0 for name, count in found.items()}}
