# SPDX-License-Identifier: Apache-2.0
"""Kernels in C that use what wants wait states without a matrix instruction: lane reads, DPP, divisions, copies to LDS."""

_HEAD = """
#define KERNEL __attribute__((amdgpu_kernel)) void
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))
typedef GLOBAL float *floats;
typedef GLOBAL int *ints;
typedef __fp16 half2 __attribute__((ext_vector_type(2)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef unsigned uint2 __attribute__((ext_vector_type(2)));
typedef GLOBAL half2 *halves;
typedef GLOBAL float2 *floats2;
static inline int lane(void) { return __builtin_amdgcn_workitem_id_x(); }
"""
# name -> (targets, a mnemonic that must appear, code)
_BOTH = ("gfx942", "gfx950")
_KERNELS = {
    "lanes": (_BOTH, "v_readlane_b32", """
KERNEL k(ints p, int n) {
  int t = lane(), x = p[t] * 3;
  for (int i = 0; i < n; i++) {
    int first = __builtin_amdgcn_readfirstlane(x + i);
    x = x * 5 + __builtin_amdgcn_readlane(x, first);
    if (x > first) x ^= __builtin_amdgcn_readlane(x * 7, x & 3);
    x += i;
  }
  p[t] = x;
}
"""),
    "sum": (_BOTH, "row_shr", """
#define ADD(x, control) x += __builtin_bit_cast(float, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, x), control, 15, 15, 1))
KERNEL k(floats p, int n) {
  int t = lane(); float x = p[t], y = p[t + 64] * x;
  for (int i = 0; i < n; i++) {
    ADD(x, 0x111); ADD(y, 0x112); ADD(x, 0x114); ADD(y, 0x118); ADD(x, 0x142); ADD(x, 0x143);
    if (x > y) { y = x * 2; ADD(y, 0x130); }
  }
  p[t] = x + y;
}
"""),
    "divide": (_BOTH, "v_div_fmas_f32", """
KERNEL k(floats p, int n) {
  int t = lane(); float x = p[t], y = p[t + 64];
  for (int i = 0; i < n; i++) { x = x / y + 1.0f; if (x < y) y = y / x; }
  p[t] = x + y;
}
"""),
    "divide64": (_BOTH, "v_div_fmas_f64", """
KERNEL k(GLOBAL double *p) { int t = lane(); p[t] = p[t] / p[t + 64] + __builtin_sqrt(p[t + 128]); }
"""),
    "swizzle": (_BOTH, "ds_swizzle_b32", """
KERNEL k(ints p, int n) {
  int t = lane(), x = p[t];
  for (int i = 0; i < n; i++) {
    x += __builtin_amdgcn_ds_swizzle(x, 0x401f); x ^= __builtin_amdgcn_ds_bpermute(x << 2, t);
    x += __builtin_amdgcn_mov_dpp(x, 0xb1, 15, 15, 1);
  }
  p[t] = x;
}
"""),
    "copies": (_BOTH, "global_load_lds_dword", """
KERNEL k(ints p, LDS int *l, int n) {
  int t = lane();
  for (int i = 0; i < n; i++) {
    __builtin_amdgcn_global_load_lds(p + t, l + 64 * i, 4, 0, 0);
    __builtin_amdgcn_global_load_lds(p + t, l + 64 * i + n, 4, 0, 0);
    __builtin_amdgcn_s_sendmsg(1, i);
    __builtin_amdgcn_s_barrier();
    p[t + i] = l[t] + l[t + 64];
  }
}
"""),
    "uniform": (_BOTH, "v_readfirstlane_b32", """
KERNEL k(GLOBAL ints *p, ints q) {
  int t = lane();
  unsigned long a = (unsigned long)p[t];
  unsigned low = __builtin_amdgcn_readfirstlane((unsigned)a), high = __builtin_amdgcn_readfirstlane((unsigned)(a >> 32));
  ints r = (ints)((unsigned long)high << 32 | low);
  q[t] = r[t] + r[t + 64];
  r[t] = (int)low;
}
"""),
    "packed": (_BOTH, "v_pk_", """
KERNEL k(halves p, floats2 q, int n) {
  int t = lane(); half2 x = p[t]; float2 u = q[t];
  for (int i = 0; i < n; i++) { x = x * x + x; x = x * x; if (x.x > x.y) x += x; }
  p[t] = x;
  for (int i = 0; i < n; i++) { u = u * u + u; u = u * u; if (u.x > u.y) u += u; }
  q[t] = u;
}
"""),
    "bytes": (_BOTH, "v_cvt_pk_fp8_f32", """
KERNEL k(floats p, ints q) {
  int t = lane(), x = 0;
  x = __builtin_amdgcn_cvt_pk_fp8_f32(p[t], p[t + 64], x, 0);
  x = __builtin_amdgcn_cvt_pk_fp8_f32(p[t + 128], p[t + 192], x, 1);
  int y = __builtin_amdgcn_cvt_sr_bf8_f32(p[t + 1], 77, x, 3);
  q[t] = (x ^ y) * 3 + (int)__builtin_amdgcn_cvt_f32_fp8(x, 2);
}
"""),
    "settings": (_BOTH, "s_setreg", """
KERNEL k(floats p, int n) {
  int t = lane(); float x = p[t];
  __builtin_amdgcn_s_setreg(0x1801, n & 15);
  int m = __builtin_amdgcn_s_getreg(0x1801);
  __builtin_amdgcn_s_setreg(0x1801, m | 1);
  __builtin_amdgcn_s_setreg(0x1801, m | 2);
  __builtin_amdgcn_s_sendmsg(1, m);
  p[t] = x / 3.0f + (float)m;
}
"""),
    "spills": (_BOTH, "v_writelane_b32", """
KERNEL k(ints p, int n) {
  int t = lane();
  __asm__ volatile("" ::: "s0","s1","s2","s3","s4","s5","s6","s7");
  int a[96];
  #pragma unroll
  for (int i = 0; i < 96; i++) a[i] = __builtin_amdgcn_readfirstlane(p[t + i]);
  #pragma unroll
  for (int i = 0; i < 96; i++) p[t + (a[95 - i] & 63)] = a[i] + a[95 - i];
  #pragma unroll
  for (int i = 0; i < 96; i++) p[t + i] = a[i] * n;
}
"""),
    "swap": (("gfx950",), "v_permlane32_swap_b32", """
KERNEL k(ints p, int n) {
  int t = lane(); unsigned x = p[t], y = p[t + 64];
  for (int i = 0; i < n; i++) {
    uint2 z = __builtin_amdgcn_permlane16_swap(x + 1, y, 0, 0);
    z = __builtin_amdgcn_permlane32_swap(z.x, z.y + i, 0, 0);
    x = z.x; y = z.y * 3;
  }
  p[t] = x + y;
}
"""),
}  # fmt: skip


def kernels(target):
    """Return {name: (a mnemonic that the code must have, C)} of a target."""
    return {name: (op, _HEAD + code) for name, (targets, op, code) in _KERNELS.items() if target in targets}


def compiled(witness, target):
    """Return {name: lines of code} of every kernel. Args: witness: clang. Raises: ValueError: one was not compiled."""
    from .wmma_programs import code

    found = {}
    for name, (op, source) in kernels(target).items():
        done = witness.compile_c(target, source)
        if not done.accepted:
            raise ValueError(f"{name}: {done.outcome}: {done.diagnostic}")
        found[name] = code(done.assembly.partition("\nk:")[2].partition(".Lfunc_end")[0])
        if not any(op in line for line in found[name]):
            raise ValueError(f"{name}: the compiler wrote no {op}")
    return found
