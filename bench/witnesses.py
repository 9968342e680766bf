# SPDX-License-Identifier: Apache-2.0
"""Five hundred small kernels through the llvmlite witness, against one `llc` (or clang) process for each."""

import shutil
import subprocess
import tempfile
import time

KERNELS = 500
# Processes are measured on a part and scaled: each costs the same.
PART = 50


def kernel(number):
    """Return one small kernel; no two are the same."""
    return (
        f"define amdgpu_kernel void @k{number}(ptr addrspace(1) %p, i32 %n) {{\n"
        f"  %x = mul i32 %n, {number + 3}\n  %q = getelementptr i32, ptr addrspace(1) %p, i32 %x\n"
        f"  store i32 {number}, ptr addrspace(1) %q\n  ret void\n}}\n"
    )


def rows(row):
    """Return the lines of this part."""
    from cdna_evidence.witnesses import Missing, get
    from cdna_evidence.witnesses.cache import Cache

    name = f"one process each, in batches of {KERNELS} kernels by llvmlite"
    sources = [kernel(number) for number in range(KERNELS)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            lite = get("llvmlite", cache=Cache(folder))
            started = time.perf_counter()
            found = lite.compile_many("gfx950", sources)
            cold = time.perf_counter() - started
            started = time.perf_counter()
            lite.compile_many("gfx950", sources)
            kept = time.perf_counter() - started
        clang = get("clang")
    except Missing as missing:
        return [row(name, None, "at least", 10, {}, str(missing))]
    if not all(item.accepted for item in found):
        raise SystemExit("a kernel was not accepted: nothing to compare")
    llc = shutil.which("llc-22")
    words = [llc, "-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx950", "-O2", "-", "-o", "-"]
    if not llc:
        words = [clang.program, "clang", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx950", "-nogpulib", "-O2", "-S"]
        words += ["-Wno-override-module", "-x", "ir", "-", "-o", "-"]
    started = time.perf_counter()
    for source, item in zip(sources[:PART], found, strict=False):
        done = subprocess.run(words, input=source, capture_output=True, text=True, check=True)
        if f"k{sources.index(source)}:" not in done.stdout or not item.assembly:
            raise SystemExit("the two did not compile the same")
    each = (time.perf_counter() - started) / PART * KERNELS
    detail = {"llvmlite, cold": cold, "llvmlite, kept": kept, "processes, scaled": each}
    note = f"{'llc-22' if llc else 'zig clang'}, {PART} processes scaled to {KERNELS}; two workers"
    return [
        row(name, each / cold, "at least", 10, detail, note),
        row(f"the same {KERNELS} kernels cold, in answers from the cache", cold / kept, "", None, detail),
    ]
