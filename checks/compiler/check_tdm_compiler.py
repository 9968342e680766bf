# SPDX-License-Identifier: Apache-2.0
"""What a compiler keeps of LDS reads after a tensor load that it cannot see into, and what one product is made of."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import assembly

LEVELS = (1, 2, 3)
KERNEL = """
@shared = internal addrspace(3) global [64 x i32] poison
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32>, <8 x i32>, i32 immarg)
declare void @llvm.amdgcn.s.wait.tensorcnt(i16 immarg)
define amdgpu_kernel void @k(ptr addrspace(1) %out, <4 x i32> %group0, <8 x i32> %group1) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %slot = getelementptr i32, ptr addrspace(3) @shared, i32 %lane
  %start = ptrtoint ptr addrspace(3) @shared to i32
BODY
  %value = load i32, ptr addrspace(3) %slot
  %place = getelementptr i32, ptr addrspace(1) %out, i32 %lane
  store i32 %value, ptr addrspace(1) %place
  ret void
}
"""
ASM = (
    'call void asm sideeffect "tensor_load_to_lds $0, $1\\0A\\09s_wait_tensorcnt 0", "s,sCLOBBER"'
    "(<4 x i32> %GROUP, <8 x i32> %group1)"
)
BUILTIN = (
    "call void @llvm.amdgcn.tensor.load.to.lds.d2(<4 x i32> %GROUP, <8 x i32> %group1, i32 0)\n"
    "call void @llvm.amdgcn.s.wait.tensorcnt(i16 0)"
)
STORE = "store i32 0, ptr addrspace(3) %slot\n"
POINTED = "%pointed = insertelement <4 x i32> %group0, i32 %start, i32 1\n"
PLAIN = ASM.replace("CLOBBER", "").replace("GROUP", "group0")
CLOBBERED = ASM.replace("CLOBBER", ",~{memory}").replace("GROUP", "group0")


def kept(tools, target, body, level):
    """Compile one variant; return (LDS reads, stores of what was read) in the output."""
    code = assembly(tools.clang.compile_ir(target, KERNEL.replace("BODY", body), opt=level, expect=("tensor_load_to_lds",)))
    names = re.findall(r"^\t([a-z]\w+)", code, re.MULTILINE)
    return [len([name for name in names if name.startswith(kind)]) for kind in ("ds_load", "global_store")]


def reads(tools, target, bodies):
    """LDS reads of each variant; the three levels must agree."""
    found = {}
    for name, body in bodies.items():
        counts = set(kept(tools, target, body, level)[0] for level in LEVELS)
        found[name] = counts.pop() if len(counts) == 1 else -1
    return found


class HiddenWrites(Check):
    """A kernel reads a shared array that only a tensor load fills: LDS reads left in the output at -O0 to -O3.

    Shows: that this compiler folds the reads away, with a memory clobber and with the builtin as well.
    Does not show: other compilers, or arrays whose size the launch decides.
    """

    claim = "TDM-122"
    kind = "compiler"
    witness = "clang"
    binds = ("lds_reads", "lds_reads_unoptimised", "results_stored", "levels")

    def observe(self, target, tools):
        bodies = {"asm": PLAIN, "asm_memory_clobber": CLOBBERED, "builtin": BUILTIN.replace("GROUP", "group0")}
        stored = set(kept(tools, target, bodies["asm_memory_clobber"], level)[1] for level in LEVELS)
        return {
            "lds_reads": reads(tools, target, bodies),
            "lds_reads_unoptimised": kept(tools, target, bodies["asm_memory_clobber"], 0)[0],
            "results_stored": stored.pop() if len(stored) == 1 else -1,
            "levels": list(LEVELS),
        }


class VisibleWrite(Check):
    """The same kernel with nothing, a clobber, a store before the load, and the array's address in the descriptor.

    Shows: which of them keep the reads in this compiler's output.
    Does not show: that the order of the reads is right in every program; each variant waits inside the same statement.
    """

    claim = "TDM-123"
    kind = "compiler"
    witness = "clang"
    binds = ("lds_reads", "levels")

    def observe(self, target, tools):
        pointed = CLOBBERED.replace("%group0", "%pointed")
        bodies = {
            "nothing": PLAIN,
            "memory_clobber": CLOBBERED,
            "visible_write": STORE + PLAIN,
            "visible_write_and_clobber": STORE + CLOBBERED,
            "address_in_descriptor": POINTED + pointed,
            "builtin_address_in_descriptor": POINTED + BUILTIN.replace("GROUP", "pointed"),
        }
        return {"lds_reads": reads(tools, target, bodies), "levels": list(LEVELS)}


GEMM = """
typedef int int8 __attribute__((ext_vector_type(8), aligned(16)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef float float8 __attribute__((ext_vector_type(8)));
#define GLOBAL __attribute__((address_space(1)))
#define LDS __attribute__((address_space(3)))
extern LDS unsigned char tiles[] __attribute__((aligned(16)));

static inline void meet(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* c = a * transposed(b): tiles of 64 x 64 by four waves, 64 bytes of k a step, staged in LDS rows of 80 bytes. */
__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(128, 128)))
void gemm_fp8_64x64(const GLOBAL unsigned char *a, const GLOBAL unsigned char *b, GLOBAL float *c,
                    int k, int lda, int ldb, int ldc) {
  const int thread = __builtin_amdgcn_workitem_id_x(), lane = thread & 31, wave = thread >> 5;
  const int row = __builtin_amdgcn_workgroup_id_y() * 64, column = __builtin_amdgcn_workgroup_id_x() * 64;
  const int down = (wave >> 1) * 32, across = (wave & 1) * 32;
  LDS unsigned char *left = tiles, *right = tiles + 64 * 80;
  float8 sum[2][2] = {};
  for (int at = 0; at < k; at += 64) {
    int4 one[2], other[2];
    for (int i = 0; i < 2; i++) {
      const int chunk = thread + i * 128, r = chunk >> 2, q = (chunk & 3) * 16;
      one[i] = *(const GLOBAL int4 *)(a + (long)(row + r) * lda + at + q);
      other[i] = *(const GLOBAL int4 *)(b + (long)(column + r) * ldb + at + q);
    }
    meet();
    for (int i = 0; i < 2; i++) {
      const int chunk = thread + i * 128, r = chunk >> 2, q = (chunk & 3) * 16;
      *(LDS int4 *)(left + r * 80 + q) = one[i];
      *(LDS int4 *)(right + r * 80 + q) = other[i];
    }
    meet();
    int8 fa[2], fb[2];
    for (int i = 0; i < 2; i++) {
      const int q = (lane >> 4) * 32;
      fa[i] = *(LDS int8 *)(left + (down + i * 16 + (lane & 15)) * 80 + q);
      fb[i] = *(LDS int8 *)(right + (across + i * 16 + (lane & 15)) * 80 + q);
    }
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++)
        sum[i][j] = __builtin_amdgcn_wmma_f32_16x16x64_fp8_fp8(fa[i], fb[j], 0, sum[i][j], 0, 0);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      for (int r = 0; r < 8; r++)
        c[(long)(row + down + i * 16 + (lane >> 4) * 8 + r) * ldc + column + across + j * 16 + (lane & 15)] =
          sum[i][j][r];
}
"""
CLASSES = (
    ("matrix", r"v_wmma_"),
    ("global_memory", r"global_(load|store)_"),
    ("lds", r"ds_(load|store)_"),
    ("wait_and_barrier", r"s_wait_|s_barrier_|s_delay_alu|s_clause|s_nop|v_nop"),
    ("vector_other", r"v_"),
    ("scalar_other", r"s_"),
)


def by_class(names):
    """Count mnemonics by class; every one must belong to one."""
    found = {name: 0 for name, _ in CLASSES}
    for mnemonic in names:
        for name, pattern in CLASSES:
            if re.match(pattern, mnemonic):
                found[name] += 1
                break
        else:
            raise CannotTell(f"no class for {mnemonic}")
    return found


class InstructionMix(Check):
    """One matrix product of eight-bit floats, staged through registers, compiled at -O2: instructions by class.

    Shows: this kernel under this compiler, whole and its inner loop; counts in the text, not in execution.
    Does not show: any other kernel. It was compiled and never run.
    """

    claim = "TDM-127"
    kind = "compiler"
    witness = "clang"
    binds = ("kernel", "loop", "loop_total", "whole_total", "whole_matrix")

    def observe(self, target, tools):
        done = tools.clang.compile_c(target, GEMM, expect=("v_wmma_f32_16x16x64_fp8_fp8",))
        if not done.accepted:
            raise CannotTell(f"{done.outcome}: {done.diagnostic}")
        name = re.search(r"^\t\.globl\t(\w+)", done.assembly, re.MULTILINE)[1]
        loops = re.findall(r"^(\.LBB\d+_\d+):[^\n]*Inner Loop Header(.*?s_cbranch\S+ )\1\n", done.assembly, re.S | re.M)
        if len(loops) != 1:
            raise CannotTell(f"{len(loops)} inner loops")
        loop = re.findall(r"^\t([a-z]\w+)", loops[0][1], re.MULTILINE)
        whole = re.findall(r"^\t([a-z]\w+)", done.assembly, re.MULTILINE)
        mix = by_class(loop)
        return {
            "kernel": name,
            "loop": mix,
            "loop_total": sum(mix.values()),
            "whole_total": len(whole),
            "whole_matrix": by_class(whole)["matrix"],
        }
