# SPDX-License-Identifier: Apache-2.0
"""Small kernels of many kinds, for a real compiler: what it emits must satisfy the finder, or be explained."""

ALL = ("gfx942", "gfx950", "gfx1250")
LEGACY = ("gfx942", "gfx950")

PRELUDE = """
typedef __attribute__((address_space(1))) int gint;
typedef __attribute__((address_space(1))) float gfloat;
typedef __attribute__((address_space(1))) short gshort;
typedef __attribute__((address_space(3))) int lint;
typedef __attribute__((address_space(4))) const int cint;
typedef float f4 __attribute__((ext_vector_type(4)));
typedef __attribute__((address_space(1))) f4 gf4;
typedef int i4 __attribute__((ext_vector_type(4)));
#define KERNEL __attribute__((amdgpu_kernel)) void
#define TID __builtin_amdgcn_workitem_id_x()
#define BID __builtin_amdgcn_workgroup_id_x()
#define SYNC do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \\
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
__attribute__((loader_uninitialized)) static lint buf[512];
__attribute__((loader_uninitialized)) static lint other[512];
"""

# name -> C source; each is compiled for every target.
C = {
    "copy": "KERNEL k(gint *p, gint *q) { q[TID] = p[TID]; }",
    "axpy": "KERNEL k(gfloat *x, gfloat *y, float a) { y[BID*256+TID] += a * x[BID*256+TID]; }",
    "vector": "KERNEL k(gf4 *x, gf4 *y, gf4 *z) { int t = TID; z[t] = x[t] * y[t] + x[t+64]; }",
    "many_loads": """KERNEL k(gf4 *x, gf4 *y) { int t = TID; f4 s = 0;
      for (int i = 0; i < 24; i++) s += x[t + 64*i] * (float)i; y[t] = s; }""",
    "loop": "KERNEL k(gint *p, gint *q, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= p[i*64 + TID]; q[TID] = s; }",
    "pipelined": """KERNEL k(gint *p, gint *q, int n) { int t = TID, a = p[t];
      for (int i = 1; i < n; i++) { int b = p[i*64+t]; q[i*64+t] = a * 3; a = b; } q[t] = a; }""",
    "pointer_chase": "KERNEL k(gint *p, gint *q, int n) { int i = TID; while (n--) i = p[i]; q[TID] = i; }",
    "scalar_loads": "KERNEL k(cint *c, gint *q) { q[TID] = c[0] + c[5] * c[17] - c[BID]; }",
    "scalar_loop": "KERNEL k(cint *c, gint *q, int n) { int s = 0; for (int i = 0; i < n; i++) s += c[i*8]; q[TID] = s; }",
    "store_then_load": "KERNEL k(volatile gint *p, gint *q) { p[TID] = 1; int a = p[TID+1]; p[TID+2] = a; q[TID] = p[TID+3]; }",
    "atomics": """KERNEL k(gint *p, gint *q) { int a = __scoped_atomic_fetch_add((int __attribute__((address_space(1)))*)p, TID, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
      q[TID] = a; __scoped_atomic_fetch_max((int __attribute__((address_space(1)))*)(p + 4), a, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }""",
    "atomic_order": """KERNEL k(gint *p, gint *q) { q[TID] = 7; __scoped_atomic_store_n((int __attribute__((address_space(1)))*)p, 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
      while (!__scoped_atomic_load_n((int __attribute__((address_space(1)))*)(p+1), __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM)); q[TID+64] = q[TID+1]; }""",
    "lds_tile": "KERNEL k(gint *p, gint *q) { int t = TID; buf[t] = p[t]; SYNC; q[t] = buf[255 - t]; }",
    "lds_loop": """KERNEL k(gint *p, gint *q, int n) { int t = TID, s = 0;
      for (int i = 0; i < n; i++) { buf[t] = p[i*256+t]; SYNC; s += buf[255-t] + buf[(t*7)&255]; SYNC; } q[t] = s; }""",
    "lds_double": """KERNEL k(gint *p, gint *q, int n) { int t = TID, s = 0; buf[t] = p[t]; SYNC;
      for (int i = 1; i < n; i++) { int next = p[i*256+t]; s += buf[((i-1)&1)*256 + (255-t)]; buf[(i&1)*256+t] = next; SYNC; }
      q[t] = s; }""",
    "lds_reduce": """KERNEL k(gint *p, gint *q) { int t = TID; buf[t] = p[t]; SYNC;
      for (int s = 128; s; s >>= 1) { if (t < s) buf[t] += buf[t+s]; SYNC; } if (!t) q[BID] = buf[0]; }""",
    "lds_atomic": """KERNEL k(gint *p, gint *q) { int t = TID; buf[t] = 0; SYNC;
      __scoped_atomic_fetch_add((int __attribute__((address_space(3)))*)&buf[p[t] & 255], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP); SYNC; q[t] = buf[t]; }""",
    "lds_private": "KERNEL k(gint *p, gint *q) { int t = TID; buf[t] = p[t]; other[t] = p[t+64]; q[t] = buf[t] + other[t]; }",
    "flat": "KERNEL k(int *p, int *q, int n) { int t = TID; int a = p[t]; if (n > t) a += p[t+n]; q[t] = a; }",
    "flat_and_lds": "KERNEL k(int *p, gint *q) { int t = TID; buf[t] = q[t]; SYNC; int a = p[t]; q[t] = a + buf[t^1]; }",
    "branches": """KERNEL k(gint *p, gint *q, int n) { int t = TID, a = p[t]; if (a & 1) { a = p[t+64]; if (a > n) a += p[t+128]; }
      else q[t+64] = p[t+192]; q[t] = a; }""",
    "divergent_loop": "KERNEL k(gint *p, gint *q) { int t = TID, s = 0, i = p[t]; while (i > 0) { s += p[i]; i = p[i+1]; } q[t] = s; }",
    "half_words": "KERNEL k(gshort *p, gshort *q) { int t = TID; short a = p[t], b = p[t+64]; q[t] = a * b; q[t+64] = a - b; }",
    "clock": "KERNEL k(gint *p, gint *q) { unsigned long a = __builtin_readcyclecounter(); int v = p[TID]; q[TID] = v + (int)a; }",
    "swizzle": "KERNEL k(gint *p, gint *q) { int v = p[TID]; q[TID] = __builtin_amdgcn_ds_bpermute(TID * 4 ^ 4, v) + __builtin_amdgcn_ds_swizzle(v, 0x401f); }",
    "private_array": "KERNEL k(gint *p, gint *q, int n) { volatile int a[16]; for (int i = 0; i < 16; i++) a[i] = p[i*64+TID]; q[TID] = a[n & 15] + a[(n+3) & 15]; }",
    "nested": """KERNEL k(gfloat *a, gfloat *b, gfloat *c, int n) { int t = TID; for (int i = 0; i < n; i++) { float s = 0;
      for (int j = 0; j < n; j++) s += a[i*n+j] * b[j*n+t]; c[i*n+t] = s; } }""",
    "switch": """KERNEL k(gint *p, gint *q, int m) { int t = TID, a = p[t]; switch (m) { case 0: a += p[t+1]; break; case 1: a *= buf[t]; break;
      case 2: q[t+9] = a; break; default: a = q[t]; } q[t] = a; }""",
    "reuse": """KERNEL k(gint *p, gint *q, int n) { int t = TID; gint *a = p + t; for (int i = 0; i < n; i++) { int v = *a; a += v; *q = v; q += n; } }""",
}

D2L = """
declare void @llvm.amdgcn.global.load.lds(ptr addrspace(1), ptr addrspace(3), i32, i32, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
@a = internal addrspace(3) global [1024 x i32] poison
@b = internal addrspace(3) global [1024 x i32] poison
"""
ASYNC = """
declare void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1), ptr addrspace(3), i32, i32)
declare void @llvm.amdgcn.s.wait.asynccnt(i16)
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32)
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
@a = internal addrspace(3) global [1024 x i32] poison
"""

# name -> (targets, IR, rules of findings that are expected, and why)
IR = {
    "copy_to_lds": (
        LEGACY,
        D2L
        + """
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %g, ptr addrspace(3) @a, i32 4, i32 0, i32 0)
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %l = getelementptr i32, ptr addrspace(3) @a, i32 %t
  %v = load i32, ptr addrspace(3) %l
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %v, ptr addrspace(1) %o
  ret void
}
""",
        {"no-work-between": "the source has no work between"},
    ),
    "copy_to_lds_own": (
        LEGACY,
        D2L
        + """
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %g, ptr addrspace(3) @a, i32 4, i32 0, i32 0)
  call void @llvm.amdgcn.global.load.lds(ptr addrspace(1) %q, ptr addrspace(3) @b, i32 4, i32 0, i32 0)
  %l = getelementptr i32, ptr addrspace(3) @a, i32 %t
  %v = load i32, ptr addrspace(3) %l
  %m = getelementptr i32, ptr addrspace(3) @b, i32 %t
  %w = load i32, ptr addrspace(3) %m
  %s = add i32 %v, %w
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %s, ptr addrspace(1) %o
  ret void
}
""",
        {
            "no-barrier": "the source has no barrier: each wave reads its own copy",
            "no-work-between": "the source has no work between",
            "lds-read-before-copy": "info only: the compiler knows that the second copy goes to another array, the text does not say so",
        },
    ),
    "async_without_wait": (
        ("gfx1250",),
        ASYNC
        + """
define amdgpu_kernel void @k(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %g = getelementptr i32, ptr addrspace(1) %p, i32 %t
  call void @llvm.amdgcn.global.load.async.to.lds.b32(ptr addrspace(1) %g, ptr addrspace(3) @a, i32 0, i32 0)
  %l = getelementptr i32, ptr addrspace(3) @a, i32 %t
  %v = load volatile i32, ptr addrspace(3) %l
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %v, ptr addrspace(1) %o
  ret void
}
""",
        {
            "lds-read-before-copy": "clang 22.1.8 waits for no asynchronous copy by itself (WAIT-054): a true finding",
            "overwrite-before-translation": "a remark: neither clang 22.1.8 nor the LLVM of triton 3.9.0 guards a register of an asynchronous copy (WAIT-082)",
        },
    ),
    "tensor_without_wait": (
        ("gfx1250",),
        ASYNC
        + """
define amdgpu_kernel void @k(<4 x i32> inreg %a, <8 x i32> inreg %b, ptr addrspace(1) %q) {
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %a, <8 x i32> %b, i32 0)
  %l = getelementptr i32, ptr addrspace(3) @a, i32 %t
  %v = load volatile i32, ptr addrspace(3) %l
  %o = getelementptr i32, ptr addrspace(1) %q, i32 %t
  store i32 %v, ptr addrspace(1) %o
  ret void
}
""",
        {"lds-read-before-copy": "clang 22.1.8 waits for no tensor load by itself (WAIT-054): a true finding"},
    ),
}
