# SPDX-License-Identifier: Apache-2.0
"""Limits found by bisection, so that a check never asks for the number it expects."""

from .answers import taken
from .api import CannotTell

_ARRAY = """@a = internal addrspace(3) global [{} x i8] poison
define amdgpu_kernel void @k() {{
  store volatile i8 1, ptr addrspace(3) @a
  ret void
}}
"""


def largest(fits, good, bad):
    """Return the largest number that fits, between one that does and one that does not.

    Raises: CannotTell: `good` does not fit, or `bad` does.
    """
    if not fits(good) or fits(bad):
        raise CannotTell("the search for the limit has no bracket")
    while bad - good > 1:
        middle = (good + bad) // 2
        good, bad = (middle, bad) if fits(middle) else (good, middle)
    return good


def largest_lds(clang, target):
    """Return the bytes of the largest array in LDS that compiles; one byte more is refused. Raises: as `largest`."""
    return largest(lambda size: taken(clang.compile_ir(target, _ARRAY.format(size))), 1, 1 << 20)
