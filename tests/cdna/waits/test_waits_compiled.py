# SPDX-License-Identifier: Apache-2.0
"""What clang emits for many kernels gets no finding, or one that is explained; and what is cut out of it is found."""

import pytest
import wait_kernels as kernels

from cdna.waits.finder import check

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
