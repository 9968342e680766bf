# SPDX-License-Identifier: Apache-2.0
"""The three ways from global memory to LDS, compiled: instructions and registers of each."""

import re

from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.checks.answers import taken

TYPES = """
typedef int int4 __attribute__((vector_size(16)));
typedef int words4 __attribute__((vector_size(16)));
typedef int words8 __attribute__((vector_size(32)));
typedef __attribute__((address_space(1))) int4 from_t;
typedef __attribute__((address_space(3))) int4 to_t;
"""
ROUND_TRIP = """
__attribute__((amdgpu_kernel)) void k(const from_t *restrict from, to_t *restrict to, unsigned pitch) {
  const unsigned lane = __builtin_amdgcn_workitem_id_x() & 31;
  int4 held[CHUNKS];
#pragma unroll
  for (int i = 0; i < CHUNKS; i++) held[i] = from[lane + i * pitch];
#pragma unroll
  for (int i = 0; i < CHUNKS; i++) to[lane + i * 32] = held[i];
}
"""
ASYNC = """
__attribute__((amdgpu_kernel)) void k(from_t *from, to_t *to, unsigned pitch) {
  const unsigned lane = __builtin_amdgcn_workitem_id_x() & 31;
#pragma unroll
  for (int i = 0; i < CHUNKS; i++)
    __builtin_amdgcn_global_load_async_to_lds_b128(from + lane + i * pitch, to + lane + i * 32, 0, 0);
  __builtin_amdgcn_s_wait_asynccnt(0);
}
"""
TDM = """
__attribute__((amdgpu_kernel)) void k(words4 group0, words8 group1) {
  group1[3] = (group1[3] & 0xffff) | 128 << 16;
  group1[4] = CHUNKS;
  __builtin_amdgcn_tensor_load_to_lds_d2(group0, group1, 0);
  __builtin_amdgcn_s_wait_tensorcnt(0);
}
"""
SOURCES = {"round_trip": ROUND_TRIP, "async": ASYNC, "tdm": TDM}
COPIES = ("global_load_", "ds_store_", "tensor_load_")
WAITS = ("s_wait_loadcnt", "s_wait_dscnt", "s_wait_asynccnt", "s_wait_tensorcnt")
WIDTHS = {"b8": 1, "b16": 2, "b32": 4, "b64": 8, "b96": 12, "b128": 16, "b256": 32}


def compiled(tools, target, path, chunks):
    """Compile one copy of so many chunks of 512 bytes; return (mnemonics, VGPRs of the kernel)."""
    done = tools.clang.compile_c(target, TYPES + SOURCES[path], extra=(f"-DCHUNKS={chunks}",))
    if not done.accepted:
        raise CannotTell(f"{path}: {done.outcome}: {done.diagnostic}")
    count = re.findall(r"\.vgpr_count:\s+(\d+)", done.assembly)
    if len(count) != 1:
        raise CannotTell(f"{path}: VGPR counts {count}")
    return re.findall(r"^\t([a-z]\w+)", done.assembly, re.MULTILINE), int(count[0])


def copies(mnemonics):
    """Number of instructions that move data of the tile."""
    return len([name for name in mnemonics if name.startswith(COPIES)])


class CompiledCost(Check):
    """One tile of 16 chunks, copied in three ways: copy instructions, waits and VGPRs in clang's code.

    Shows: what this compiler makes of three small kernels.
    Does not show: hardware, or the least that a person could write.
    """

    claim = "TDM-116"
    kind = "compiler"
    witness = "clang"
    binds = ("tile_chunks", "instructions", "compiled_waits", "compiled_vgprs")

    def observe(self, target, tools):
        chunks = 16
        found = {path: compiled(tools, target, path, chunks) for path in SOURCES}
        return {
            "tile_chunks": chunks,
            "instructions": {path: copies(found[path][0]) for path in found},
            "compiled_waits": {path: len([name for name in found[path][0] if name in WAITS]) for path in found},
            "compiled_vgprs": {path: found[path][1] for path in found},
        }


class CompiledScaling(Check):
    """Tiles of 4, 16 and 64 chunks in three ways: copy instructions in clang's code.

    Shows: which of them grow with the tile.
    Does not show: hardware.
    """

    claim = "TDM-119"
    kind = "compiler"
    witness = "clang"
    binds = ("chunks", "instructions")

    def observe(self, target, tools):
        sizes = (4, 16, 64)
        counts = {path: [copies(compiled(tools, target, path, size)[0]) for size in sizes] for path in SOURCES}
        return {"chunks": list(sizes), "instructions": counts}


class RegisterPressure(Check):
    """VGPRs of the three kernels for a tile of 16 chunks of four DWORDs a lane.

    Shows: what this compiler gives to a copy that keeps all its loads in flight, and to the two other forms.
    Does not show: the least possible; a round trip in smaller batches takes fewer registers and waits more often.
    """

    claim = "TDM-120"
    kind = "compiler"
    witness = "clang"
    binds = ("tile_chunks", "vgprs", "data_vgprs")

    def observe(self, target, tools):
        chunks = 16
        return {
            "tile_chunks": chunks,
            "vgprs": {path: compiled(tools, target, path, chunks)[1] for path in SOURCES},
            "data_vgprs": 4 * chunks,
        }


class AsyncForms(Check):
    """Asynchronous loads of every width, with vector and scalar registers tried in each place.

    Shows: widths and operands that this assembler takes, and the wave size of the same compiler.
    Does not show: hardware.
    """

    claim = "TDM-117"
    kind = "compiler"
    witness = "clang"
    binds = ("lanes", "bytes_per_lane", "most_bytes", "operands", "address_vgprs")

    def observe(self, target, tools):
        form = "global_load_async_to_lds_{} v0, v[2:3], off"
        taken = [name for name in WIDTHS if self._takes(tools, target, form.format(name))]
        widths = [WIDTHS[name] for name in taken]
        lanes = self._lanes(tools, target)
        wide = "global_load_async_to_lds_b128 {}, {}, {}"
        places = {
            "lds_in_vgpr": wide.format("v0", "v[2:3]", "off"),
            "lds_in_sgpr": wide.format("s0", "v[2:3]", "off"),
            "global_in_vgprs": wide.format("v0", "v[2:3]", "off"),
            "global_in_sgprs": wide.format("v0", "s[2:3]", "off"),
            "offset_in_vgpr_base_in_sgprs": wide.format("v0", "v2", "s[0:1]"),
        }
        lengths = [n for n in range(1, 5) if self._takes(tools, target, wide.format("v0", span(2, n), "off"))]
        return {
            "lanes": lanes,
            "bytes_per_lane": widths,
            "most_bytes": lanes * max(widths),
            "operands": {name: self._takes(tools, target, places[name]) for name in places},
            "address_vgprs": {
                "full_address": lengths[0] if len(lengths) == 1 else 0,
                "beside_scalar_base": min(
                    n for n in range(1, 5) if self._takes(tools, target, wide.format("v0", span(2, n), "s[0:1]"))
                ),
            },
        }

    def _takes(self, tools, target, text):
        return taken(tools.clang.assemble(target, [text])[0])

    def _lanes(self, tools, target):
        done = tools.clang.compile_ir(target, "define amdgpu_kernel void @k() { ret void }\n")
        sizes = re.findall(r"\.wavefront_size:\s+(\d+)", done.assembly)
        if len(sizes) != 1:
            raise CannotTell(f"wave sizes {sizes}")
        return int(sizes[0])


def span(first, count):
    """Text of so many vector registers."""
    return f"v{first}" if count == 1 else f"v[{first}:{first + count - 1}]"
