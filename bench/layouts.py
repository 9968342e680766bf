# SPDX-License-Identifier: Apache-2.0
"""Every register layout of every matrix instruction, against one calculator process a layout."""

import os
import subprocess
import sys

from cdna.mfma.layouts import layout, table
from cdna.mfma.opcodes import FORMATS, matrices, opcodes

CALCULATOR = "CDNA_BENCH_CALCULATOR"  # path of AMD's matrix_calculator.py, which needs the package tabulate


def every():
    """Return (number of layouts, number of entries) after building each table of both targets."""
    count = entries = 0
    for target in ("gfx942", "gfx950"):
        for op in opcodes(target):
            for matrix in matrices(op):
                chosen = FORMATS if op.a_type == "f8f6f4" and matrix in ("A", "B") else (None,)
                for kind in chosen:
                    rows = table(layout(op.mnemonic, target, matrix, a_format=kind, b_format=kind))
                    count, entries = count + 1, entries + len(rows)
    return count, entries


def rows(row, best_of):
    """Return the line of this part: the calculator where its path is given, else a bare interpreter start."""
    count, entries = every()
    path = os.environ.get(CALCULATOR)
    words = [sys.executable, "-c", "pass"]
    if path:
        words = [sys.executable, path, "-a", "cdna3", "-i", "v_mfma_f32_16x16x16_f16", "-R", "-A", "-c"]

    def process():
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(done.stderr[-500:])

    best = best_of([("every layout", every), ("one process", process)], rounds=5, floor=0)
    best.update(layouts=count, entries=entries)
    what = "one calculator process a layout" if path else "one bare interpreter start a layout"
    note = "" if path else f"set {CALCULATOR} to the path of matrix_calculator.py for the real peer"
    ratio = best["one process"] * count / best["every layout"]
    # The target that the project set itself speaks of the calculator; without it the ratio stands alone.
    return [row(f"{what}, in our {count} layouts", ratio, "at least", 100 if path else None, best, note)]
