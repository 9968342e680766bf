# SPDX-License-Identifier: Apache-2.0
"""Compile an attention kernel for gfx1250 with Triton and print the assembly: python triton_attention.py TYPE WAVES."""

import sys
import warnings

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def attention(q, k, v, o, n):
    m = tl.arange(0, 64)
    x = tl.load(q + m[:, None] * 64 + m[None, :])
    total = tl.zeros((64, 64), tl.float32)
    weight, most = tl.zeros((64,), tl.float32), tl.full((64,), -1e30, tl.float32)
    for i in range(0, n):
        keys = tl.load(k + i * 4096 + m[:, None] + m[None, :] * 64)
        values = tl.load(v + i * 4096 + m[:, None] * 64 + m[None, :])
        score = tl.dot(x, keys)
        larger = tl.maximum(most, tl.max(score, 1))
        shrink, power = tl.exp(most - larger), tl.exp(score - larger[:, None])
        weight = weight * shrink + tl.sum(power, 1)
        total = tl.dot(power.to(x.dtype), values, total * shrink[:, None])
        most = larger
    tl.store(o + m[:, None] * 64 + m[None, :], total / weight[:, None])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kind = "*" + sys.argv[1]
    source = ASTSource(attention, {"q": kind, "k": kind, "v": kind, "o": "*fp32", "n": "i32"}, {})
    print(
        triton.compile(source, target=GPUTarget("hip", "gfx1250", 32), options={"num_warps": int(sys.argv[2])}).asm[
            "amdgcn"
        ]
    )
