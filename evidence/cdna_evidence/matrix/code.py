# SPDX-License-Identifier: Apache-2.0
"""The inputs of the matrix, as LLVM IR that every version from 18 on reads, and what is read off the assembly."""

import re

_RANGE = re.compile(r"\b([av])(?:\[(\d+):(\d+)\]|(\d+)\b)")
_TYPES = {
    "16x16x16f16": ("<4 x half>", 4),
    "32x32x8f16": ("<4 x half>", 16),
    "4x4x4f16": ("<4 x half>", 4),
    "32x32x4f16": ("<4 x half>", 32),
    "16x16x32.f16": ("<8 x half>", 4),
}
EMPTY = "define amdgpu_kernel void @k(ptr addrspace(1) %p) {\n  store i32 1, ptr addrspace(1) %p\n  ret void\n}\n"
VMCNT = """@tile = internal addrspace(3) global [64 x i32] poison
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %p, ptr addrspace(3) @tile, i32 4, i32 0, i32 0)
  %v = load i32, ptr addrspace(3) @tile
  store i32 %v, ptr addrspace(1) %q
  ret void
}
"""
TENSOR = {
    "two groups": ("llvm.amdgcn.tensor.load.to.lds.d2", ("<4 x i32>", "<8 x i32>")),
    "four groups": ("llvm.amdgcn.tensor.load.to.lds", ("<4 x i32>", "<8 x i32>", "<4 x i32>", "<4 x i32>")),
    "five groups": (
        "llvm.amdgcn.tensor.load.to.lds",
        ("<4 x i32>", "<8 x i32>", "<4 x i32>", "<4 x i32>", "<8 x i32>"),
    ),
}


def lds(size):
    """Return a kernel with a static LDS array of so many bytes."""
    return (
        f"@a = internal addrspace(3) global [{size} x i8] poison\n"
        "define amdgpu_kernel void @k() {\n  store volatile i8 1, ptr addrspace(3) @a\n  ret void\n}\n"
    )


def tensor(form, reads=False):
    """Return a kernel with one tensor load by one form of the intrinsic; `reads` adds an LDS read behind it."""
    name, groups = TENSOR[form]
    arguments = ", ".join(f"{kind} %g{i}" for i, kind in enumerate(groups))
    given = ", ".join(f"{kind} %g{i}" for i, kind in enumerate(groups))
    after = "  %v = load volatile i32, ptr addrspace(3) @tile\n" if reads else ""
    return (
        "@tile = internal addrspace(3) global [64 x i32] poison\n"
        f"declare void @{name}({', '.join(groups)}, i32 immarg)\n"
        f"define amdgpu_kernel void @k({arguments}) {{\n"
        "  store volatile i32 0, ptr addrspace(3) @tile\n"
        f"  call void @{name}({given}, i32 0)\n{after}  ret void\n}}\n"
    )


def pair(first, then, via):
    """Return a function with two matrix instructions; via: "ab" (D is A of the second) or "exact" (D is C)."""
    (a, d), (b, e) = _TYPES[first], _TYPES[then]
    one, two = f"llvm.amdgcn.mfma.f32.{first}", f"llvm.amdgcn.mfma.f32.{then}"
    lines = [_declare(first)] + ([_declare(then)] if then != first else [])
    lines.append(f"define <{e} x float> @f({a} %a, {a} %b, <{d} x float> %c, {b} %g, {b} %h, <{e} x float> %i) {{")
    lines.append(f"  %d = call <{d} x float> @{one}({a} %a, {a} %b, <{d} x float> %c, i32 0, i32 0, i32 0)")
    operand, last = "%g", "%i"
    if via == "ab":
        floats = 2 if b == "<4 x half>" else 4
        chosen = ", ".join(f"i32 {i}" for i in range(floats))
        lines.append(f"  %s = shufflevector <{d} x float> %d, <{d} x float> poison, <{floats} x i32> <{chosen}>")
        lines.append(f"  %t = bitcast <{floats} x float> %s to {b}")
        operand = "%t"
    else:
        last = "%d"
    lines.append(f"  %e = call <{e} x float> @{two}({b} {operand}, {b} %h, <{e} x float> {last}, i32 0, i32 0, i32 0)")
    return "\n".join([*lines, f"  ret <{e} x float> %e", "}"]) + "\n"


def late(fillers):
    """Return a function: a 16-pass matrix instruction, so many one-state instructions, then an addition that reads D."""
    call = "  call void @llvm.amdgcn.s.setprio(i16 0)\n  call void @llvm.amdgcn.sched.barrier(i32 0)\n"
    return (
        _declare("32x32x4f16") + "\ndeclare void @llvm.amdgcn.s.setprio(i16)\n"
        "declare void @llvm.amdgcn.sched.barrier(i32)\n"
        "define float @f(<4 x half> %a, <4 x half> %b, <32 x float> %c) {\n"
        "  %d = call <32 x float> @llvm.amdgcn.mfma.f32.32x32x4f16(<4 x half> %a, <4 x half> %b, <32 x float> %c, i32 0, i32 0, i32 0)\n"
        "  call void @llvm.amdgcn.sched.barrier(i32 0)\n" + call * fillers +
        "  %x = extractelement <32 x float> %d, i32 0\n  %y = fadd float %x, 1.0\n  ret float %y\n}\n"
    )  # fmt: skip


def _declare(name):
    kind, d = _TYPES[name]
    return f"declare <{d} x float> @llvm.amdgcn.mfma.f32.{name}({kind}, {kind}, <{d} x float>, i32, i32, i32)"


def instructions(text):
    """Return the instructions of an assembly text, one string each, without comments, labels and directives."""
    found = []
    for line in text.splitlines():
        line = line.split(";")[0].split("//")[0].strip()
        if line and not line.startswith(".") and not line.endswith(":") and re.match(r"[a-z]", line):
            found.append(line)
    return found


def distance(text):
    """Return wait states from the first matrix instruction to the first that reads or overwrites its result.

    Every instruction counts one, `s_nop N` counts N + 1. Raises: ValueError: there is no such pair.
    """
    result, states = None, 0
    for line in instructions(text):
        if result is None:
            if line.startswith("v_mfma"):
                result = _registers(line.split(",")[0])
            continue
        if _registers(line) & result:
            return states
        nop = re.match(r"s_nop (\d+)", line)
        states += int(nop.group(1)) + 1 if nop else 1
    raise ValueError("no instruction reads the result")


def _registers(text):
    found = set()
    for bank, lo, hi, single in _RANGE.findall(text):
        found |= {(bank, n) for n in range(int(lo or single), int(hi or single) + 1)}
    return found


def between(text, first, then):
    """Return the instructions between the first that starts with `first` and the next that starts with `then`.

    Raises: ValueError: there is no such pair.
    """
    lines = instructions(text)
    start = next((i for i, line in enumerate(lines) if line.startswith(first)), None)
    end = None if start is None else next((i for i in range(start, len(lines)) if lines[i].startswith(then)), None)
    if end is None:
        raise ValueError(f"no {first} followed by {then}")
    return lines[start + 1 : end]
