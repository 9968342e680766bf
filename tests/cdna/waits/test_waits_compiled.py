# SPDX-License-Identifier: Apache-2.0
"""What clang emits for many kernels gets no finding, or one that is explained; and what is cut out of it is found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import wait_kernels as kernels

from cdna.waits.finder import check
from cdna_evidence import witnesses

# A wait that orders stores for other observers, or that guards a replay, protects no register and no LDS of this wave.
NOT_AN_ERROR = ("storecnt", "xcnt")


def findings(text, target):
    return [(item["rule"], item["severity"], item["message"]) for item in check(text, target).findings]


def compiled(clang, target, name):
    done = clang.compile_c(target, kernels.PRELUDE + kernels.C[name], opt=3)
    assert done.accepted, done.diagnostic
    return done.assembly


def test_there_are_enough_kernels():
    assert len(kernels.C) >= 20


@pytest.mark.parametrize("target", kernels.ALL)
@pytest.mark.parametrize("name", sorted(kernels.C))
def test_compiled_code_gets_no_finding(clang, name, target):
    assert findings(compiled(clang, target, name), target) == []


@pytest.mark.parametrize(
    ("name", "target"), [(name, target) for name, (targets, _, _) in kernels.IR.items() for target in targets]
)
def test_compiled_copies_get_no_finding_that_is_not_explained(clang, name, target):
    _, source, explained = kernels.IR[name]
    done = clang.compile_ir(target, source, opt=3)
    assert done.accepted, done.diagnostic
    found = findings(done.assembly, target)
    assert {rule for rule, _, _ in found} <= set(explained)
    errors = {rule for rule, severity, _ in found if severity == "error"}
    assert errors == {rule for rule, why in explained.items() if why.endswith("a true finding")}


@pytest.mark.parametrize("target", kernels.ALL)
@pytest.mark.parametrize(
    "name",
    [
        "copy",
        "loop",
        "pipelined",
        "pointer_chase",
        "scalar_loads",
        "lds_tile",
        "lds_loop",
        "lds_double",
        "flat",
        "branches",
        "half_words",
        "swizzle",
        "nested",
    ],
)
def test_each_wait_that_is_cut_out_is_found(clang, name, target):
    lines = compiled(clang, target, name).split("\n")
    cut = 0
    for number, line in enumerate(lines):
        code = line.strip()
        if code.startswith(("s_waitcnt", "s_wait_")):
            cut += 1
            found = findings("\n".join(lines[:number] + [""] + lines[number + 1 :]), target)
            wanted = "warning" if any(word in code for word in NOT_AN_ERROR) else "error"
            assert any(severity == wanted for _, severity, _ in found), code
    assert cut


def test_the_wait_that_clang_makes_too_weak_is_found(clang):
    source = (
        kernels.D2L
        + """
declare void @llvm.amdgcn.sched.barrier(i32)
define i32 @k(ptr addrspace(3) %l, ptr addrspace(1) %p, ptr addrspace(3) inreg %m) {
  %v = load i32, ptr addrspace(3) %l
  call void @llvm.amdgcn.sched.barrier(i32 0)
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %p, ptr addrspace(3) %m, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.sched.barrier(i32 0)
  %w = add i32 %v, 1
  ret i32 %w
}
"""
    )
    done = clang.compile_ir("gfx950", source, opt=3)
    assert done.accepted, done.diagnostic
    assert "read-before-result" in {
        rule for rule, severity, _ in findings(done.assembly, "gfx950") if severity == "error"
    }


@pytest.mark.parametrize(("target", "lanes", "stages"), [("gfx950", 64, 2), ("gfx950", 64, 3), ("gfx1250", 32, 2)])
def test_a_pipelined_product_of_triton_gets_no_error(tmp_path, target, lanes, stages):
    """Copies into LDS that are skipped, counted and kept in flight over the loop: what is not sure is said as a remark."""
    pytest.importorskip("triton", reason="the Python package triton is not installed")
    script = Path(__file__).with_name("triton_product.py")
    settled = {**os.environ, "TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, str(script), target, str(lanes), str(stages)],
        capture_output=True,
        text=True,
        env=settled,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr[-1000:]
    lines = ran.stdout.split("\n")
    copies = [line for line in lines if "global_load_lds_" in line or "_load_async_to_lds_" in line]
    assert len(copies) >= 16
    assert [item for item in findings(ran.stdout, target) if item[1] != "info"] == []
    # Without the waits for the copies it is an error.
    waits = ("s_waitcnt vmcnt(", "s_wait_asynccnt")
    cut = "\n".join("" if line.strip().startswith(waits) else line for line in lines)
    assert "lds-read-before-copy" in {rule for rule, severity, _ in findings(cut, target) if severity == "error"}
    # Without the barriers, other waves may still read what the next turn's copies overwrite.
    cut = "\n".join("" if line.strip().startswith("s_barrier") else line for line in lines)
    said = [message for rule, _, message in findings(cut, target) if rule == "no-barrier"]
    assert any("still reads what the copy overwrites" in message for message in said)
    assert any("reads what this wave copied" in message for message in said)


ORDERS = ("store", "atomic", "atomic_store", "volatile_store", "load", "atomic_load", "volatile_load")


@pytest.mark.parametrize("newer", [False, True], ids=["clang", "triton"])
@pytest.mark.parametrize("first", ORDERS)
def test_compiled_atomics_get_no_warning(clang, first, newer):
    """Three accesses in each order: where the compiler writes s_wait_xcnt the finder asks for it, and nowhere else."""
    scope = 'syncscope("agent") monotonic'
    lines = {
        "store": " store i32 %t, ptr addrspace(1) %{0}",
        "atomic": " %{0}x = atomicrmw add ptr addrspace(1) %{0}, i32 5 " + scope,
        "atomic_store": " store atomic i32 5, ptr addrspace(1) %{0} " + scope + ", align 4",
        "volatile_store": " store volatile i32 5, ptr addrspace(1) %{0}",
        "load": " %{0}x = load i32, ptr addrspace(1) %{0}\n store i32 %{0}x, ptr addrspace(1) %d",
        "atomic_load": " %{0}x = load atomic i32, ptr addrspace(1) %{0} " + scope + ", align 4",
        "volatile_load": " %{0}x = load volatile i32, ptr addrspace(1) %{0}",
    }
    head = "declare i32 @llvm.amdgcn.workitem.id.x()\ndefine amdgpu_kernel void @k("
    head += (
        ", ".join(f"ptr addrspace(1) %{name}0" for name in "abcd")
        + ") {\n %t = call i32 @llvm.amdgcn.workitem.id.x()\n"
    )
    head += "".join(f" %{name} = getelementptr i32, ptr addrspace(1) %{name}0, i32 %t\n" for name in "abcd")
    witness = clang
    if newer:
        pytest.importorskip("triton", reason="the Python package triton is not installed")
        witness = witnesses.get("triton-llvm")
    warned = 0
    for second in ORDERS:
        body = "\n".join(lines[kind].format(name) for kind, name in zip((first, second, "atomic"), "abc", strict=True))
        done = witness.compile_ir("gfx1250", head + body + "\n ret void\n}\n")
        assert done.accepted, done.diagnostic
        assert [item for item in findings(done.assembly, "gfx1250") if item[1] != "info"] == [], second
        cut = "\n".join("" if "s_wait_xcnt" in line else line for line in done.assembly.split("\n"))
        warned += ("once-before-translation", "warning") in {item[:2] for item in findings(cut, "gfx1250")}
    assert warned


@pytest.mark.parametrize("newer", [False, True], ids=["clang", "triton"])
@pytest.mark.parametrize("high", [False, True], ids=["low", "high"])
def test_the_wait_that_newer_llvm_leaves_out_beside_a_switch_of_register_groups_is_explained(clang, high, newer):
    """A load's address is overwritten; where all registers below v256 are taken, its result stands above them."""
    taken = "".join(f",~{{v{number}}}" for number in ([0, 1, *range(3, 256)] if high else [0, 1]))
    source = (
        "define amdgpu_kernel void @k() #0 {\n"
        ' %q = call ptr addrspace(1) asm sideeffect "; def", "={s[8:9]}"()\n'
        ' %t = call i32 asm sideeffect "; def", "={v2}"()\n'
        ' %p = call ptr addrspace(1) asm sideeffect "; def", "={v[0:1]}"()\n'
        " %v = load i32, ptr addrspace(1) %p\n"
        ' call void asm sideeffect "v_mov_b32 v1, $0", "{v2}' + taken + '"(i32 %t)\n'
        " store i32 %v, ptr addrspace(1) %q\n ret void\n}\n"
        'attributes #0 = { "amdgpu-waves-per-eu"="1,1" "amdgpu-flat-work-group-size"="1,128" }\n'
    )
    witness = clang
    if newer:
        pytest.importorskip("triton", reason="the Python package triton is not installed")
        witness = witnesses.get("triton-llvm")
    done = witness.compile_ir("gfx1250", source)
    assert done.accepted, done.diagnostic
    lines = [line.strip() for line in done.assembly.split("\n")]
    place = f"line {lines.index('v_mov_b32 v1, v2') + 1}: "
    said = [message for _, _, message in findings(done.assembly, "gfx1250") if message.startswith(place)]
    assert bool(said) is ("s_wait_xcnt 0x0" not in lines)
    assert all("overwrites v1, which" in one and "not so if the s_set_vgpr_msb in line" in one for one in said)
