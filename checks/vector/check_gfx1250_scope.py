# SPDX-License-Identifier: Apache-2.0
"""Cycles of products of gfx1250: AMD's peaks of MI455X shared out, beside the table of AMD's GEMM model."""

from cdna.wmma.opcodes import opcode, operations
from cdna_evidence.checks import CannotTell, Check

STEM = "wmma-cycles"
# The feature summary of MI455X in the white paper: operations a second, WGPs, MHz; four SIMDs to a WGP.
PEAKS = {"f32": 315e12, "f16": 5.03e15, "fp8": 20.13e15, "fp6": 20.13e15, "fp4": 40.26e15}
WGPS, SIMDS, CLOCK_MHZ = 256, 4, 2400
# What to call a product, the peak that it belongs to, and its place in the table.
PRODUCTS = {
    "f32": ("v_wmma_f32_16x16x4_f32", "f32", "f32"),
    "f16": ("v_wmma_f32_16x16x32_f16", "f16", "f16"),
    "fp8_k64": ("v_wmma_f32_16x16x64_fp8_fp8", "fp8", "fp8"),
    "fp8_k128": ("v_wmma_f32_16x16x128_fp8_fp8", "fp8", "fp8"),
    "f8": ("v_wmma_f32_16x16x128_f8f6f4", "fp8", "fp8"),
    "f6": ("v_wmma_f32_16x16x128_f8f6f4", "fp6", "fp6"),
    "f4": ("v_wmma_f32_16x16x128_f8f6f4", "fp4", "fp4"),
    "f4_32x16": ("v_wmma_f32_32x16x128_f4", "fp4", "fp4"),
}


def table(tools):
    """Return {(m, n, k, type): cycles} of the GEMM model."""
    data = tools.vector(STEM)
    tools.origin(data["origin"])
    return {(row["m"], row["n"], row["k"], row["type"]): row["cycles"] for row in data["cycles"]}


class Throughput(Check):
    """Each peak divided by matrix units and clock; the operations of a product divided by that; and the GEMM model's table.

    Shows: that peaks, shapes and the table agree.
    Does not show: a measurement.
    """

    claim = "GFX-006"
    kind = "vector"
    witness = STEM
    binds = ("units", "clock_mhz", "per_cycle", "cycles")

    def observe(self, target, tools):
        listed = table(tools)
        units = WGPS * SIMDS
        per_cycle = {name: self._power(peak / (units * CLOCK_MHZ * 1e6)) for name, peak in PEAKS.items()}
        cycles = {}
        for name, (mnemonic, peak, kind) in PRODUCTS.items():
            op = opcode(mnemonic)
            cycles[name] = operations(op) // per_cycle[peak]
            if listed[op.m, op.n, op.k, kind] != cycles[name]:
                raise CannotTell(f"{name}: {cycles[name]} by the peak, {listed[op.m, op.n, op.k, kind]} in the table")
        return {"units": units, "clock_mhz": CLOCK_MHZ, "per_cycle": per_cycle, "cycles": cycles}

    def _power(self, number):
        """A peak has three or four digits: the power of two within one in a hundred."""
        near = 1 << round(number).bit_length() - 1
        near = near if abs(number / near - 1) < abs(number / (2 * near) - 1) else 2 * near
        if abs(number / near - 1) > 0.01:
            raise CannotTell(f"{number} operations in a cycle are near no power of two")
        return near


class IntegerCycles(Check):
    """The cycles of the integer product and of FP8 with twice the K in the GEMM model's table.

    Shows: what that table has.
    Does not show: hardware.
    """

    claim = "GFX-009"
    kind = "vector"
    position = "eight-cycles"
    witness = STEM
    binds = ("cycles", "cycles_fp8_k128")

    def observe(self, target, tools):
        listed = table(tools)
        return {"cycles": listed[16, 16, 64, "i8"], "cycles_fp8_k128": listed[16, 16, 128, "fp8"]}
