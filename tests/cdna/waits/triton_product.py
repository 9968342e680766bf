# SPDX-License-Identifier: Apache-2.0
"""Compile a pipelined matrix product with Triton and print the assembly: python triton_product.py TARGET LANES STAGES."""

import sys
import warnings

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def product(a, b, c, k, row_a, row_b, row_c, size: tl.constexpr, deep: tl.constexpr):
    m = tl.program_id(0) * size + tl.arange(0, size)
    n = tl.program_id(1) * size + tl.arange(0, size)
    inner = tl.arange(0, deep)
    left = a + m[:, None] * row_a + inner[None, :]
    right = b + inner[:, None] * row_b + n[None, :]
    total = tl.zeros((size, size), tl.float32)
    for _ in range(0, tl.cdiv(k, deep)):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += deep
        right += deep * row_b
    tl.store(c + m[:, None] * row_c + n[None, :], total)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    target, lanes, stages = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    kinds = {name: "*fp16" for name in "ab"} | {"c": "*fp32"} | dict.fromkeys(("k", "row_a", "row_b", "row_c"), "i32")
    source = ASTSource(
        product,
        kinds | {"size": "constexpr", "deep": "constexpr"},
        {(7,): 128, (8,): 64},
        attrs={(place,): [["tt.divisibility", 16]] for place in range(7)},
    )
    options = {"num_warps": 4, "num_stages": stages}
    print(triton.compile(source, target=GPUTarget("hip", target, lanes), options=options).asm["amdgcn"])
