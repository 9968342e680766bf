# SPDX-License-Identifier: Apache-2.0
"""Clusters of gfx1250, asked of an assembler and a code generator."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly, instructions, verdict

BARRIER = "declare void @llvm.amdgcn.s.cluster.barrier()\ndefine amdgpu_kernel void @k() {0}{{\n call void @llvm.amdgcn.s.cluster.barrier()\n ret void\n}}\n"
EMPTY = "define amdgpu_kernel void @k() {0}{{\n ret void\n}}\n"


def dims(words):
    """Return the attribute."""
    return f'"amdgpu-cluster-dims"="{words}" '


class Size(Check):
    """Kernels with cluster dimensions within and beyond sixteen workgroups, and one with words instead of numbers.

    Shows: what clang takes.
    Does not show: what a launch takes.
    """

    claim = "CLU-001"
    kind = "compiler"
    witness = "clang"
    binds = ("taken",)

    def observe(self, target, tools):
        asked = {"sixteen": "16,1,1", "seventeen": "17,1,1", "thirty_two": "8,4,1", "words": "a,b,c"}
        found = {name: tools.clang.compile_ir(target, EMPTY.format(dims(words))) for name, words in asked.items()}
        return {"taken": {name: "accept" if done.accepted else "reject" for name, done in found.items()}}


class Dimensions(Check):
    """Kernels with fixed dimensions, with zeros and without the attribute.

    Shows: the metadata that clang writes.
    Does not show: a launch.
    """

    claim = "CLU-002"
    kind = "compiler"
    witness = "clang"
    binds = ("metadata", "numbers")

    def observe(self, target, tools):
        texts = {"fixed": dims("4,2,1"), "zeros": dims("0,0,0"), "absent": ""}
        codes = {name: assembly(tools.clang.compile_ir(target, EMPTY.format(words))) for name, words in texts.items()}
        found = {name: re.search(r"\.cluster_dims:\s*((?:-\s*\d+\s*)+)", code) for name, code in codes.items()}
        numbers = [int(word) for word in re.findall(r"\d+", found["fixed"].group(1))] if found["fixed"] else []
        return {"metadata": {name: match is not None for name, match in found.items()}, "numbers": numbers}


class BarrierNumbers(Check):
    """Barrier instructions with the numbers of the workgroup's and the cluster's barrier.

    Shows: what the assembler takes and how it encodes the number.
    Does not show: what the numbers do.
    """

    claim = "CLU-003"
    kind = "compiler"
    witness = "clang"
    binds = ("operand", "cluster_accepted")

    def observe(self, target, tools):
        lines = {
            "s_barrier_signal": "s_barrier_signal -3",
            "s_barrier_wait": "s_barrier_wait -3",
            "s_barrier_signal_isfirst": "s_barrier_signal_isfirst -3",
            "s_get_barrier_state": "s_get_barrier_state s0, -3",
            "s_barrier": "s_barrier",
        }
        answers = tools.clang.assemble(target, [*lines.values(), "s_barrier_signal -1"])
        return {
            "operand": {"workgroup": answers[-1].bytes[0], "cluster": answers[0].bytes[0]},
            "cluster_accepted": {name: verdict(answer) for name, answer in zip(lines, answers, strict=False)},
        }


class NamedBarriers(Check):
    """Barrier instructions with the number of a named barrier, as a constant and in M0.

    Shows: what the assembler takes.
    Does not show: how many a workgroup has.
    """

    claim = "CLU-012"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "largest_join")

    def observe(self, target, tools):
        lines = {
            "s_barrier_init": "s_barrier_init 1",
            "s_barrier_join": "s_barrier_join 1",
            "s_barrier_leave": "s_barrier_leave",
            "s_barrier_signal": "s_barrier_signal 1",
            "s_barrier_wait": "s_barrier_wait 1",
            "s_barrier_wait_m0": "s_barrier_wait m0",
            "s_barrier_signal_isfirst_m0": "s_barrier_signal_isfirst m0",
        }
        answers = tools.clang.assemble(target, [*lines.values(), *(f"s_barrier_join {n}" for n in range(200))])
        joined = [n for n, answer in enumerate(answers[len(lines) :]) if answer.accepted]
        return {
            "accepted": {name: verdict(answer) for name, answer in zip(lines, answers, strict=False)},
            "largest_join": max(joined),
        }


class OneSignal(Check):
    """The cluster barrier's code, in a workgroup of several waves and in one of a single wave.

    Shows: who signals and who waits in clang's code.
    Does not show: what happens when every wave signals.
    """

    claim = "CLU-004"
    kind = "compiler"
    witness = "clang"
    binds = ("steps", "signals_behind_branch", "single_wave_steps")

    def observe(self, target, tools):
        lines = instructions(tools.clang.compile_ir(target, BARRIER.format("")))
        steps = ["_".join(line.split()) for line in lines if line.startswith("s_barrier")]
        branch = next((i for i, line in enumerate(lines) if line.startswith("s_cbranch")), len(lines))
        wait = next((i for i in range(branch, len(lines)) if lines[i] == "s_barrier_wait -3"), len(lines))
        single = instructions(tools.clang.compile_ir(target, BARRIER.format('"amdgpu-flat-work-group-size"="1,32" ')))
        return {
            "steps": steps,
            "signals_behind_branch": sum(line == "s_barrier_signal -3" for line in lines[branch:wait]),
            "single_wave_steps": sum(line.startswith("s_barrier") for line in single),
        }


class Election(Check):
    """The instructions around the signal that elects a wave.

    Shows: that clang sets SCC before and reads it after.
    Does not show: whether other signals touch SCC.
    """

    claim = "CLU-005"
    kind = "compiler"
    witness = "clang"
    binds = ("sets_scc_before", "reads_scc_after")

    def observe(self, target, tools):
        lines = instructions(tools.clang.compile_ir(target, BARRIER.format("")))
        at = next((i for i, line in enumerate(lines) if line.startswith("s_barrier_signal_isfirst")), None)
        if at is None:
            raise CannotTell("no election")
        readers = ("s_cselect", "s_cbranch_scc")
        return {
            "sets_scc_before": at > 0 and lines[at - 1].startswith("s_cmp"),
            "reads_scc_after": any(line.startswith(readers) for line in lines[at + 1 : at + 4]),
        }


class LoadWidths(Check):
    """Cluster loads of six widths into registers and into LDS, and a store.

    Shows: which ones the assembler takes.
    Does not show: what they do.
    """

    claim = "CLU-006"
    kind = "compiler"
    witness = "clang"
    binds = ("registers", "lds", "store")

    def observe(self, target, tools):
        widths = (8, 16, 32, 64, 96, 128)
        data = {8: "v4", 16: "v4", 32: "v4", 64: "v[4:5]", 96: "v[4:6]", 128: "v[4:7]"}
        lines = [f"cluster_load_b{n} {data[n]}, v[2:3], off" for n in widths]
        lines += [f"cluster_load_async_to_lds_b{n} v1, v[2:3], off" for n in widths]
        lines += [f"cluster_store_{kind}b{n} v[2:3], v4, off" for kind in ("", "async_from_lds_") for n in (8, 32)]
        words = [verdict(answer) for answer in tools.clang.assemble(target, lines)]
        return {
            "registers": [n for n, word in zip(widths, words[:6], strict=True) if word == "accept"],
            "lds": [n for n, word in zip(widths, words[6:12], strict=True) if word == "accept"],
            "store": "accept" if "accept" in words[12:] else "reject",
        }


class LoadMask(Check):
    """A cluster load into registers and one into LDS, the mask an argument of the kernel.

    Shows: where clang puts the mask.
    Does not show: what the mask does.
    """

    claim = "CLU-007"
    kind = "compiler"
    witness = "clang"
    binds = ("mask_register", "written_before", "lds_form_written_before")

    def observe(self, target, tools):
        head = "define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %m, ptr addrspace(3) %l) {\n"
        plain = "declare i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1), i32, i32)\n" + head
        plain += " %a = call i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1) %p, i32 0, i32 %m)\n store i32 %a, ptr addrspace(1) %p\n ret void\n}\n"
        name = "@llvm.amdgcn.cluster.load.async.to.lds.b32(ptr addrspace(1)"
        lds = f"declare void {name}, ptr addrspace(3), i32, i32, i32)\n" + head
        lds += f" call void {name} %p, ptr addrspace(3) %l, i32 0, i32 0, i32 %m)\n ret void\n}}\n"
        found = [self._written(instructions(tools.clang.compile_ir(target, text))) for text in (plain, lds)]
        return {"mask_register": found[0], "written_before": found[0] == "m0", "lds_form_written_before": found[1] == "m0"}

    def _written(self, lines):
        at = next((i for i, line in enumerate(lines) if line.startswith("cluster_load")), None)
        if at is None:
            raise CannotTell("no cluster load")
        masks = [line.split()[1].strip(",") for line in lines[:at] if line.startswith("s_mov_b32")]
        return masks[-1] if masks else "none-found"


class EarlyEnd(Check):
    """A cluster load whose mask names workgroups 0 and 1 and has the bit above the mask set.

    Shows: that clang puts the whole number into M0.
    Does not show: what the bit does.
    """

    claim = "CLU-011"
    kind = "compiler"
    witness = "clang"
    binds = ("m0_two_workgroups_early",)

    def observe(self, target, tools):
        mask = 0b11 | 1 << 16
        text = "declare i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1), i32, i32)\n"
        text += "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n"
        text += f" %a = call i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1) %p, i32 0, i32 {mask})\n"
        lines = instructions(tools.clang.compile_ir(target, text + " store i32 %a, ptr addrspace(1) %p\n ret void\n}\n"))
        given = [line.split(",")[1].strip() for line in lines if re.match(r"s_mov_b32 m0,", line)]
        if len(given) != 1:
            raise CannotTell(f"M0 is written {len(given)} times")
        return {"m0_two_workgroups_early": int(given[0], 0)}
