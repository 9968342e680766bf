# SPDX-License-Identifier: Apache-2.0
"""Padding codes handed to a real compiler: what it makes of pairs that sources call wrong."""

import re

from cdna_evidence.checks import CannotTell, Check


def kernel(data_size, interval, amount):
    """Return C that packs the padding codes as bit-fields and calls the builtin of the two-group load."""
    return f"""
typedef int v4 __attribute__((ext_vector_type(4)));
typedef int v8 __attribute__((ext_vector_type(8)));
union word {{
  struct {{ unsigned mask : 16, data_size : 2, barrier : 1, iterate : 1, pad : 1, early : 1, interval : 3, amount : 7; }} f;
  unsigned w;
}};
__attribute__((amdgpu_kernel)) void k(void) {{
  union word x = {{ .w = 0 }};
  x.f.data_size = {data_size};
  x.f.pad = 1;
  x.f.interval = {interval};
  x.f.amount = {amount};
  v4 g0 = {{1, 0, 0, (int)0x80000000}};
  v8 g1 = {{(int)x.w, 0x00400000, 0x00400000, 0x00400000, 0x40, 0x200, 0, 0}};
  __builtin_amdgcn_tensor_load_to_lds_d2(g0, g1, 0);
}}
"""


def emitted(clang, target, data_size, interval, amount):
    """Return (first word of group 1 as compiled, number of diagnostics)."""
    done = clang.compile_c(target, kernel(data_size, interval, amount), expect=("tensor_load_to_lds",))
    if done.outcome != "accepted":
        raise CannotTell(f"the kernel did not compile: {done.outcome}, {done.diagnostic[:200]}")
    call = re.search(r"tensor_load_to_lds s\[\d+:\d+\], s\[(\d+):\d+\]", done.assembly)
    moves = re.findall(rf"s_mov\w* s{call[1]}, (\S+)", done.assembly) if call else []
    if len(moves) != 1:
        raise CannotTell("the register that holds the first word of group 1 was not found in the assembly")
    diagnostics = len(re.findall(r"\b(?:warning|error):", done.diagnostic))
    return f"0x{int(moves[0], 0) & 0xFFFFFFFF:08x}", diagnostics


class ClangEmitsMixedCodes(Check):
    """clang compiles padding codes of which one is zero into the descriptor, unchanged and without a word.

    Shows: what a compiler emits for three pairs; that no diagnostic guards the rule.
    Does not show: whether such a pair is right; a compiler does not look into descriptor constants.
    """

    claim = "TDM-033"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_words", "clang_diagnostics")

    def observe(self, target, tools):
        pairs = {"amount_zero": (4, 0), "interval_zero": (0, 3), "neither_zero": (4, 3)}
        found = {name: emitted(tools.clang, target, 1, *pair) for name, pair in pairs.items()}
        return {
            "clang_words": {name: word for name, (word, _) in found.items()},
            "clang_diagnostics": sum(count for _, count in found.values()),
        }


class ClangEmitsZeroPair(Check):
    """clang compiles both padding codes as zero into the descriptor, unchanged and without a word.

    Shows: what a compiler emits for the smallest padding; that no diagnostic guards it.
    Does not show: whether the pair is legal.
    """

    claim = "TDM-040"
    kind = "compiler"
    witness = "clang"
    binds = ("clang_word", "clang_diagnostics")

    def observe(self, target, tools):
        word, diagnostics = emitted(tools.clang, target, 2, 0, 0)
        return {"clang_word": word, "clang_diagnostics": diagnostics}
