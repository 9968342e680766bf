# SPDX-License-Identifier: Apache-2.0
"""Mistakes in documents, where clang 22 can show the other side."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import taken
from cdna_evidence.checks.search import largest_lds

SCALED = {
    "v_mfma_scale_f32_16x16x128_f8f6f4": "v[0:3], v[4:11], v[12:19], v[0:3], v20, v21 op_sel_hi:[0,0,0]",
    "v_mfma_scale_f32_32x32x64_f8f6f4": "v[0:15], v[16:23], v[24:31], v[0:15], v32, v33 op_sel_hi:[0,0,0]",
}


class ScalePrefix(Check):
    """The bytes of both scaled matrix instructions: the upper halves of their first and third words.

    Shows: the encoding of clang 22.
    Does not show: hardware, and what the machine-readable ISA says.
    """

    claim = "ERR-058"
    kind = "compiler"
    witness = "clang"
    binds = ("prefix_opcode", "prefix_half", "prefix_halves", "main_halves")

    def observe(self, target, tools):
        answers = tools.clang.assemble(target, [f"{name} {text}" for name, text in SCALED.items()])
        if not all(taken(item) and len(item.bytes) == 16 for item in answers):
            raise CannotTell("not sixteen bytes")
        data = {name: item.bytes for name, item in zip(SCALED, answers)}
        words = {int.from_bytes(item[:4], "little") >> 16 & 0x7F for item in data.values()}
        halves = {name: item[2:4].hex(" ") for name, item in data.items()}
        if len(words) != 1 or len(set(halves.values())) != 1:
            raise CannotTell(f"prefixes {halves}")
        return {
            "prefix_opcode": words.pop(),
            "prefix_half": next(iter(halves.values())),
            "prefix_halves": halves,
            "main_halves": {name: item[10:12].hex(" ") for name, item in data.items()},
        }


class ScaleRegisters(Check):
    """How many registers a lane the scale operands of both scaled forms take, and what that is per scale.

    Shows: the operand width in clang 22; K and the block come from the mnemonic.
    Does not show: hardware, or the format of a scale.
    """

    claim = "ERR-062"
    kind = "compiler"
    witness = "clang"
    binds = ("registers", "plain_registers", "k", "block", "scales", "bits")

    def observe(self, target, tools):
        name = "v_wmma_scale16_f32_16x16x128_f8f6f4"
        wide, plain = self._width(tools.clang, target, name), self._width(tools.clang, target, name.replace("16_f", "_f", 1))
        k, block = int(name.split("x")[2].split("_")[0]), int(re.search(r"scale(\d+)", name)[1])
        return {
            "registers": wide,
            "plain_registers": plain,
            "k": k,
            "block": block,
            "scales": k // block,
            "bits": 32 * wide // (k // block),
        }

    def _width(self, clang, target, name):
        scales = {1: "v40, v44", 2: "v[40:41], v[44:45]", 4: "v[40:43], v[44:47]"}
        lines = [f"{name} v[0:7], v[8:23], v[24:39], v[0:7], {text}" for text in scales.values()]
        found = [width for width, item in zip(scales, clang.assemble(target, lines)) if taken(item)]
        if len(found) != 1:
            raise CannotTell(f"{name}: {found}")
        return found[0]


class DoublePrecision(Check):
    """Whether the processor is known, and whether a matrix instruction on double and on single precision is accepted.

    Shows: what clang 22 assembles.
    Does not show: hardware.
    """

    claim = "ERR-063"
    kind = "compiler"
    witness = "clang"
    binds = ("known", "double_precision", "single_precision")

    def observe(self, target, tools):
        lines = {
            "double_precision": [
                "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]",
                "v_wmma_f64_16x16x4_f64 v[0:15], v[16:17], v[18:19], v[0:15]",
            ],
            "single_precision": [
                "v_mfma_f32_16x16x4_f32 v[0:3], v4, v5, v[0:3]",
                "v_wmma_f32_16x16x4_f32 v[0:7], v[8:9], v[10:11], v[0:7]",
            ],
        }
        found = {name: any(taken(i) for i in tools.clang.assemble(target, text)) for name, text in lines.items()}
        return {"known": tools.clang.knows(target), **found}


class OnePool(Check):
    """A kernel that touches one vector and one accumulation register by number: what the compiler counts.

    Shows: clang 22's count of registers and waves.
    Does not show: hardware.
    """

    claim = "ERR-064"
    kind = "compiler"
    witness = "clang"
    binds = ("vector", "accumulation", "total", "occupancy", "separate_files")

    def observe(self, target, tools):
        one, two = self._counts(tools.clang, target, "a31"), self._counts(tools.clang, target, None)
        if two["NumAgprs"]:
            raise CannotTell("accumulation registers without asking for one")
        # Two files: each alone decides, and the smaller number of waves holds. Half of the pool is one file's part.
        most = one["TotalNumVgprs"] // 8 * 8 + (8 if one["TotalNumVgprs"] % 8 else 0)
        pool = one["Occupancy"] * most
        larger = max(one["NumVgprs"], one["NumAgprs"])
        file = 512 // 2
        if not pool <= 512 < pool + most:
            raise CannotTell(f"{one} does not fit a pool of 512")
        return {
            "vector": one["NumVgprs"],
            "accumulation": one["NumAgprs"],
            "total": one["TotalNumVgprs"],
            "occupancy": one["Occupancy"],
            "separate_files": file // (-(-larger // 8) * 8),
        }

    def _counts(self, clang, target, accumulation):
        clobbers = '"v35"' + (f', "{accumulation}"' if accumulation else "")
        source = (
            "__attribute__((amdgpu_kernel)) void k(__attribute__((address_space(1))) int *p)"
            f' {{ __asm__ volatile("" ::: {clobbers}); *p = 1; }}'
        )
        done = clang.compile_c(target, source)
        if not taken(done):
            raise CannotTell(done.diagnostic[:200])
        names = ("NumVgprs", "NumAgprs", "TotalNumVgprs", "Occupancy")
        return {name: int(re.search(rf"; {name}: (\d+)", done.assembly)[1]) for name in names}


class ProcessorNames(Check):
    """Which of three processor names the compiler knows.

    Shows: the names of clang 22.
    Does not show: which product has which.
    """

    claim = "ERR-068"
    kind = "compiler"
    witness = "clang"
    binds = ("processor_known",)

    def observe(self, target, tools):
        return {"processor_known": {name: tools.clang.knows(name) for name in ("gfx940", "gfx941", "gfx942")}}


class CapacityRatio(Check):
    """The largest array in LDS for both targets, found by bisection, and their ratio.

    Shows: the limits of clang 22.
    Does not show: what a device has.
    """

    claim = "ERR-069"
    kind = "compiler"
    witness = "clang"
    binds = ("bytes_before", "bytes", "tenths")

    def observe(self, target, tools):
        before, now = (largest_lds(tools.clang, one) for one in ("gfx942", target))
        if now * 10 % before:
            raise CannotTell(f"{now} of {before} is no number of tenths")
        return {"bytes_before": before, "bytes": now, "tenths": now * 10 // before}
