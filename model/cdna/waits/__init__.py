# SPDX-License-Identifier: Apache-2.0
"""Waits: the counters of outstanding memory operations, their operands, and a finder of waits that are missing.

counters: names, widths, operands and words. registers, program, graph: assembly or disassembly as instructions with branches.
names: which names are known, and to which generation. results: what a computing instruction reads and overwrites.
events: which counter an instruction raises and what it touches. covers: the wait for one instruction.
copies: do two copies into LDS go to one buffer.
high_registers: which VGPRs above v255 the operands name. translation: registers that an access may read again.
state, flow, lds, finder, leftovers, texts: what may be outstanding along every path, loops included, and who uses it too early.
"""
