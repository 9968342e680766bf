# SPDX-License-Identifier: Apache-2.0
"""Waits: the counters of outstanding memory operations, their operands, and a finder of waits that are missing.

counters: names, widths, operands and words. registers, program, graph: assembly or disassembly as instructions with branches.
events: which counter an instruction raises and what it touches. copies: do two copies into LDS go to one buffer.
state, flow, lds, finder, leftovers, texts: what may be outstanding along every path, loops included, and who uses it too early.
"""
