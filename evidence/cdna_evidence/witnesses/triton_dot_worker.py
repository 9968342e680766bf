# SPDX-License-Identifier: Apache-2.0
"""Compile a product or a conversion of one type with Triton and answer with the assembly; one process a batch.

Standard input: a JSON list of texts, each JSON: {"target", "type", "question"}. Standard output: one JSON line a text.
"""

import importlib.util
import json
import pathlib
import warnings


def main():
    """Serve the questions on standard input."""
    here = pathlib.Path(__file__).parent
    spec = importlib.util.spec_from_file_location("cdna_triton_serve", here / "serve.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    warnings.simplefilter("ignore")
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    globals().update(tl=tl)
    kernels = {"cast": triton.jit(cast), "dot": triton.jit(dot)}

    def answer(text):
        asked = json.loads(text)
        kind = "*" + asked["type"]
        lanes = 32 if asked["target"].startswith("gfx12") else 64
        target = GPUTarget("hip", asked["target"], lanes)
        if asked["question"] == "cast":
            source = ASTSource(kernels["cast"], {"a": "*fp32", "c": kind}, {})
        else:
            # The other questions are products with one precision of float32 operands each.
            types = {"a": kind, "b": kind, "c": "*fp32", "precision": "constexpr"}
            precision = None if asked["question"] == "dot" else asked["question"]
            source = ASTSource(kernels["dot"], types, {"precision": precision})
        return triton.compile(source, target=target, options={"num_warps": 1}).asm["amdgcn"]

    module.serve(answer)


def dot(a, b, c, precision):
    """A product of a 32x128 and a 128x32 tile."""
    m = tl.arange(0, 32)  # noqa: F821 - the language is put into the globals by main
    k = tl.arange(0, 128)  # noqa: F821
    x = tl.load(a + m[:, None] * 128 + k[None, :])  # noqa: F821
    y = tl.load(b + k[:, None] * 32 + m[None, :])  # noqa: F821
    tl.store(c + m[:, None] * 32 + m[None, :], tl.dot(x, y, input_precision=precision))  # noqa: F821


def cast(a, c):
    """A conversion of 256 float32 numbers."""
    m = tl.arange(0, 256)  # noqa: F821
    tl.store(c + m, tl.load(a + m).to(c.dtype.element_ty))  # noqa: F821


main()
