# SPDX-License-Identifier: Apache-2.0
"""Kernels in LLVM IR for what C has no word for: atomics, flat, scratch, cluster loads, asynchronous copies, tensor loads."""

ALL = ("gfx942", "gfx950", "gfx1250")
LEGACY = ("gfx942", "gfx950")
NEW = ("gfx1250",)

HEAD = """
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
@a = internal addrspace(3) global [1024 x i32] poison
@b = internal addrspace(3) global [1024 x i32] poison
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q, ptr %f, i32 %n, ptr addrspace(4) %c) {
 %t = call i32 @llvm.amdgcn.workitem.id.x()
 %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
 %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
 %l = getelementptr i32, ptr addrspace(3) @a, i32 %t
 %m = getelementptr i32, ptr addrspace(3) @b, i32 %t
"""
SYNC = ' fence syncscope("workgroup") release\n call void @llvm.amdgcn.s.barrier()\n fence syncscope("workgroup") acquire\n'
ASYNC = "declare void @llvm.amdgcn.global.load.async.to.lds.b{0}(ptr addrspace(1), ptr addrspace(3), i32, i32)\n"
ASYNC_STORE = (
    "declare void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1), ptr addrspace(3), i32, i32)\n"
)
COPY = (
    " call void @llvm.amdgcn.global.load.async.to.lds.b{0}(ptr addrspace(1) %g, ptr addrspace(3) {1}, i32 0, i32 0)\n"
)
WAIT = "declare void @llvm.amdgcn.s.wait.{0}cnt(i16)\n"
DONE = " call void @llvm.amdgcn.s.wait.{0}cnt(i16 {1})\n"
TENSOR = "declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32)\n"
LDS_COPY = "declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)\n"
CLUSTER = "declare i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1), i32, i32)\n"
OUT = " store i32 %v, ptr addrspace(1) %o\n ret void\n}\n"
LOOP = " br label %loop\nloop:\n %i = phi i32 [ 0, %0 ], [ %j, %loop ]\n %s = phi i32 [ 0, %0 ], [ %v, %loop ]\n"
AGAIN = (
    " %v = add i32 %s, %x\n %j = add i32 %i, 1\n %e = icmp ult i32 %j, %n\n br i1 %e, label %loop, label %out\nout:\n"
)
STEP = " %w = getelementptr i32, ptr addrspace(1) %g, i32 %i\n"

# name -> (targets, IR)
KERNELS = {
    "atomic_result": (ALL, HEAD + " %v = atomicrmw add ptr addrspace(1) %g, i32 %n monotonic\n" + OUT),
    "atomic_plain": (
        ALL,
        HEAD
        + " %x = atomicrmw add ptr addrspace(1) %g, i32 %n monotonic\n %v = load volatile i32, ptr addrspace(1) %g\n"
        + OUT,
    ),
    "atomic_seq_cst": (
        ALL,
        HEAD + " store i32 1, ptr addrspace(1) %o\n %v = atomicrmw xchg ptr addrspace(1) %g, i32 %n seq_cst\n" + OUT,
    ),
    "compare_exchange": (
        ALL,
        HEAD
        + " %x = cmpxchg ptr addrspace(1) %g, i32 %n, i32 %t acq_rel monotonic\n %v = extractvalue {i32, i1} %x, 0\n"
        + OUT,
    ),
    "flat_atomic": (
        ALL,
        HEAD
        + ' %v = atomicrmw add ptr %f, i32 %t syncscope("agent") monotonic, !noalias.addrspace !0\n'
        + OUT
        + "!0 = !{i32 5, i32 6}\n",
    ),
    "flat_loop": (
        ALL,
        HEAD
        + LOOP
        + " %w = getelementptr i32, ptr %f, i32 %i\n %x = load volatile i32, ptr %w\n store i32 %x, ptr addrspace(3) %l\n"
        + AGAIN
        + OUT,
    ),
    "scratch": (
        ALL,
        HEAD + " %z = alloca [64 x i32], addrspace(5)\n %y = getelementptr i32, ptr addrspace(5) %z, i32 %n\n"
        " store volatile i32 %t, ptr addrspace(5) %y\n %h = getelementptr i32, ptr addrspace(5) %z, i32 %t\n"
        " %v = load volatile i32, ptr addrspace(5) %h\n" + OUT,
    ),
    "scalar_loop": (
        ALL,
        HEAD + LOOP + " %w = getelementptr i32, ptr addrspace(4) %c, i32 %i\n %x = load i32, ptr addrspace(4) %w\n"
        " %u = load volatile i32, ptr addrspace(1) %g\n store volatile i32 %u, ptr addrspace(1) %o\n" + AGAIN + OUT,
    ),
    "lds_pipeline": (
        ALL,
        HEAD
        + LOOP
        + STEP
        + " %u = load i32, ptr addrspace(1) %w\n store i32 %u, ptr addrspace(3) %l\n"
        + SYNC
        + " %h = getelementptr i32, ptr addrspace(3) @a, i32 %i\n %x = load i32, ptr addrspace(3) %h\n"
        + SYNC
        + AGAIN
        + OUT,
    ),
    "lds_atomics": (
        ALL,
        HEAD
        + ' %x = atomicrmw add ptr addrspace(3) %l, i32 %n syncscope("workgroup") monotonic\n'
        + SYNC
        + ' %v = atomicrmw umax ptr addrspace(3) %m, i32 %x syncscope("workgroup") monotonic\n'
        + OUT,
    ),
    "diamond": (
        ALL,
        HEAD + " %x = load i32, ptr addrspace(1) %g\n %e = icmp ult i32 %t, %n\n br i1 %e, label %yes, label %no\n"
        "yes:\n store i32 %n, ptr addrspace(3) %l\n %y = load i32, ptr addrspace(3) %m\n br label %out\n"
        "no:\n %z = load i32, ptr addrspace(1) %o\n store i32 %z, ptr addrspace(1) %g\n br label %out\n"
        "out:\n %h = phi i32 [ %y, %yes ], [ %z, %no ]\n %v = add i32 %h, %x\n" + OUT,
    ),
    "many_stores": (
        ALL,
        HEAD
        + LOOP
        + " %w = getelementptr i32, ptr addrspace(1) %o, i32 %i\n store volatile i32 %i, ptr addrspace(1) %w\n"
        " %x = load i32, ptr addrspace(1) %w\n" + AGAIN + OUT,
    ),
    "copy_loop": (
        LEGACY,
        LDS_COPY
        + HEAD
        + LOOP
        + STEP
        + " call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %w, ptr addrspace(3) @a, i32 4, i32 0, i32 0)\n"
        + SYNC
        + " %h = getelementptr i32, ptr addrspace(3) @a, i32 %i\n %x = load i32, ptr addrspace(3) %h\n"
        + SYNC
        + AGAIN
        + OUT,
    ),
    "cluster_load": (
        NEW,
        CLUSTER + HEAD + " %x = call i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1) %g, i32 0, i32 %n)\n"
        " %y = call i32 @llvm.amdgcn.cluster.load.b32.i32.p1(ptr addrspace(1) %o, i32 0, i32 7)\n %v = add i32 %x, %y\n"
        + OUT,
    ),
    "async_waited": (
        NEW,
        ASYNC.format(128)
        + WAIT.format("async")
        + HEAD
        + COPY.format(128, "%l")
        + DONE.format("async", 0)
        + SYNC
        + " %v = load volatile i32, ptr addrspace(3) %l\n"
        + OUT,
    ),
    "async_loop": (
        NEW,
        ASYNC.format(32)
        + WAIT.format("async")
        + HEAD
        + LOOP
        + STEP
        + COPY.format(32, "%l").replace("%g", "%w")
        + DONE.format("async", 0)
        + SYNC
        + " %x = load volatile i32, ptr addrspace(3) %l\n"
        + SYNC
        + AGAIN
        + OUT,
    ),
    "async_store": (
        NEW,
        ASYNC_STORE
        + WAIT.format("async")
        + HEAD
        + " store i32 %n, ptr addrspace(3) %l\n"
        + SYNC
        + " call void @llvm.amdgcn.global.store.async.from.lds.b32(ptr addrspace(1) %g, ptr addrspace(3) %l, i32 0, i32 0)\n"
        + DONE.format("async", 0)
        + SYNC
        + " store volatile i32 7, ptr addrspace(3) %l\n %v = add i32 %n, 1\n"
        + OUT,
    ),
    "tensor_waited": (
        NEW,
        TENSOR
        + WAIT.format("tensor")
        + HEAD
        + " %d = load <4 x i32>, ptr addrspace(4) %c\n %h = getelementptr i32, ptr addrspace(4) %c, i32 8\n"
        " %y = load <8 x i32>, ptr addrspace(4) %h\n call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %d, <8 x i32> %y, i32 0)\n"
        + DONE.format("tensor", 0)
        + SYNC
        + " %v = load volatile i32, ptr addrspace(3) %l\n"
        + OUT,
    ),
}
# What the compiler leaves to the programmer: it writes no wait, and the finder has to say so.
UNWAITED = {
    "async": (
        ASYNC.format(128) + HEAD + COPY.format(128, "%l") + " %v = load volatile i32, ptr addrspace(3) %l\n" + OUT,
        "asynccnt",
    ),
    "tensor": (
        KERNELS["tensor_waited"][1]
        .replace(DONE.format("tensor", 0), "")
        .replace(SYNC, "")
        .replace(WAIT.format("tensor"), ""),
        "tensorcnt",
    ),
}
