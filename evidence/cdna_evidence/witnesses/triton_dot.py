# SPDX-License-Identifier: Apache-2.0
"""Triton 3.9.0 asked for a matrix product or a conversion of one FP8 type: which instructions it chooses for a target."""

import json
import re
import shlex
from typing import NamedTuple

from . import asmtext
from .encoder import Encoder

NAME = "triton-dot"
TITLE = "Triton (products and conversions of FP8 types)"
ANSWERS = ("instructions chosen",)
VERSION = "3.9.0"
HOW_TO_GET = f"make clients (or pip install triton=={VERSION})"

# Our name -> Triton's; its names say nothing of the family, see the claim on names.
TYPES = {"e4m3fnuz": "fp8e4b8", "e4m3fn": "fp8e4nv", "e5m2fnuz": "fp8e5b16", "e5m2": "fp8e5", "fp32": "fp32"}
KERNELS = 1  # version of the kernels in the worker; part of every cache key
QUESTIONS = ("dot", "tf32", "bf16x3", "ieee", "cast")


class Chosen(NamedTuple):
    """What was chosen: mnemonics, each once, sorted: of matrix instructions, of conversions; mode: the register writes."""

    outcome: str
    matrix: tuple
    conversions: tuple
    mode: tuple
    diagnostic: str
    command: str
    kept: bool = False


def find(cache=None, fresh=False):
    """Return the witness; arguments and errors as in clang.find."""
    return TritonDot("triton", VERSION, "triton/_C/libtriton.so", "triton_dot_worker.py", HOW_TO_GET, cache, fresh)


class TritonDot(Encoder):
    """Triton's compiler, from the language to assembly."""

    name = NAME

    def environment(self):
        """Return variables for the worker: nothing is taken from, or left in, a cache of Triton's own."""
        return {"TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": "triton-cache"}

    def chosen(self, target, names, question="dot"):
        """Return one Chosen per format, in order.

        Args: target: such as gfx942; names: keys of TYPES; question: "dot" (float32 += x * x),
          "tf32", "bf16x3" or "ieee" (the same with that precision of float32 operands) or "cast" (float32 to x).
        Raises: KeyError: a format that is not asked for here; ValueError: the question or target is none.
        """
        asmtext.check_target(target)
        if question not in QUESTIONS:
            raise ValueError(f"question={question!r}: {', '.join(QUESTIONS)}")
        sources = [json.dumps({"target": target, "type": TYPES[name], "question": question}) for name in names]
        keys = [{**self._key(source), "kind": "instructions chosen", "kernels": KERNELS} for source in sources]
        told = self._answers(sources, keys)
        return [
            _read(outcome, text, self._line(source), kept)
            for source, (outcome, text, kept) in zip(sources, told, strict=True)
        ]

    def _line(self, source):
        return "printf '%s' " + shlex.quote(json.dumps([source])) + " | python -m cdna_evidence.witnesses.triton_dot_worker"


def _read(outcome, text, command, kept):
    if outcome != "accepted":
        return Chosen(outcome, (), (), (), text, command, kept)
    code = "\n".join(line.split(";")[0] for line in text.splitlines())
    matrix = sorted(set(re.findall(r"\bv_(?:mfma|wmma)_\w+", code)))
    conversions = sorted(set(re.findall(r"\bv_cvt_\w+", code)))
    mode = sorted(set(re.findall(r"\bs_setreg_imm32_b32 (hwreg\([^)]*\), \d+)", code)))
    return Chosen(outcome, tuple(matrix), tuple(conversions), tuple(mode), "", command, kept)
