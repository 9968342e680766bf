# SPDX-License-Identifier: Apache-2.0
"""The finder against a machine of its own (`wait_paths`), which walks every path: on compiled code with each wait taken
out or made weaker by one, and on listings made at random. Where they differ, one of the two is wrong."""

import random
import re

import pytest
import wait_ir
import wait_kernels
from wait_paths import hazards

from cdna.waits.finder import check

KIND = {
    "read-before-result": "register",
    "overwrite-before-result": "register",
    "lds-read-before-copy": "lds",
    "lds-refill-before-read": "lds",
    "lds-refill-before-store": "lds",
    "lds-store-before-write": "lds",
    "barrier-is-no-drain": "barrier",
}
EXPERT = ("-mllvm", "-amdgpu-expert-scheduling-mode")
COMPILED = [
    *[("ir", name, target, ()) for name, (targets, _) in wait_ir.KERNELS.items() for target in targets],
    *[("ir", name, "gfx1250", EXPERT) for name, (targets, _) in wait_ir.KERNELS.items() if "gfx1250" in targets],
    *[("c", name, target, ()) for name in wait_kernels.C for target in wait_kernels.ALL],
]
# Behind an asynchronous copy the compiler guards no register: the finder remarks on it, and says that the compiler does not.
UNGUARDED = ("async_store",)


def found(text, target):
    """What the finder reports, as the machine tells it: registers by user and producer, LDS by producer (it says it once)."""
    report, out = check(text, target), set()
    for item in report.missing:
        if item["rule"] != "no-barrier":
            out |= {(KIND[item["rule"]], item["line"], line) for line in item["producer_lines"]}
    for item in report.findings:
        if item["rule"] == "overwrite-before-translation":
            for part in re.search(r"of lines? ([\d, to]+) may", item["message"])[1].split(","):
                ends = [int(word) for word in part.split("to")]
                out |= {("translation", item["line"], line) for line in range(ends[0], ends[-1] + 1)}
    return coarse(out)


def coarse(hits):
    return {hit if hit[0] in ("register", "translation") else (hit[0], hit[2]) for hit in hits}


def weaker(line):
    """Return a wait line with its count one higher, or None where it has more than one or none."""
    counts = re.findall(r"vmcnt\((\d+)\)|lgkmcnt\((\d+)\)|(?:load|store|ds|x|async|tensor|km)cnt (0x[0-9a-f]+)", line)
    if len(counts) != 1 or "_dscnt" in line and "s_wait_dscnt" not in line:
        return None
    old = "".join(counts[0])
    new = hex(int(old, 16) + 1) if old.startswith("0x") else str(int(old) + 1)
    return line.replace(f"({old})", f"({new})").replace(f"cnt {old}", f"cnt {new}")


@pytest.mark.parametrize(
    ("kind", "name", "target", "extra"), COMPILED, ids=lambda one: one if isinstance(one, str) else str(len(one))
)
def test_compiled_code_passes_and_each_wait_that_it_needs_is_missed(clang, kind, name, target, extra):
    if kind == "ir":
        done = clang.compile_ir(target, wait_ir.KERNELS[name][1], opt=2, extra=extra)
    else:
        done = clang.compile_c(target, wait_kernels.PRELUDE + wait_kernels.C[name], opt=3, extra=extra)
    assert done.accepted, done.diagnostic
    whole = coarse(hazards(done.assembly, target))
    assert found(done.assembly, target) == whole
    assert not whole or (name in UNGUARDED and {hit[0] for hit in whole} == {"translation"})
    assert [item for item in check(done.assembly, target).findings if item["severity"] == "error"] == []
    lines = done.assembly.split("\n")
    for number, line in enumerate(lines):
        if line.strip().startswith(("s_waitcnt", "s_wait_")) and "s_wait_alu" not in line:
            for other in ("", weaker(line)):
                if other is not None:
                    text = "\n".join(lines[:number] + [other] + lines[number + 1 :])
                    assert found(text, target) == coarse(hazards(text, target)), (number + 1, line, other)


def test_each_counter_of_a_kernel_is_needed_somewhere(clang):
    """The machine does miss waits: one of each counter that guards this wave, over all kernels."""
    missed = set()
    for name, target in [
        ("scalar_loop", "gfx1250"),
        ("lds_pipeline", "gfx1250"),
        ("async_waited", "gfx1250"),
        ("tensor_waited", "gfx1250"),
        ("copy_loop", "gfx950"),
        ("cluster_load", "gfx1250"),
    ]:
        lines = clang.compile_ir(target, wait_ir.KERNELS[name][1], opt=2).assembly.split("\n")
        for number, line in enumerate(lines):
            if match := re.match(r"\s*(s_wait_(\w+)|s_waitcnt (\w+))", line):
                if hazards("\n".join(lines[:number] + [""] + lines[number + 1 :]), target):
                    missed |= set((match[2] or match[3]).split("_"))
    assert missed >= {"kmcnt", "loadcnt", "dscnt", "xcnt", "asynccnt", "tensorcnt", "vmcnt", "lgkmcnt"}


@pytest.mark.parametrize("name", sorted(wait_ir.UNWAITED))
def test_a_wait_that_the_compiler_leaves_to_the_source_is_named_as_such(clang, name):
    source, counter = wait_ir.UNWAITED[name]
    done = clang.compile_ir("gfx1250", source, opt=2)
    assert done.accepted, done.diagnostic
    (error,) = [item for item in check(done.assembly, "gfx1250").findings if item["severity"] == "error"]
    assert (error["rule"], error["claim"]) == ("lds-read-before-copy", "WAIT-054")
    assert f"s_wait_{counter} 0x0" in error["message"]
    assert "the compiler leaves this wait to the source" in error["message"]


OLDER = [
    "global_load_dword v{}, v[2:3], off", "global_store_dword v[2:3], v{}, off", "ds_read_b32 v{}, v0", "ds_write_b32 v0, v{}",
    "s_load_dword s{}, s[0:1], 0x0", "v_add_u32 v{}, v0, v1", "s_add_u32 s{}, s4, s4", "s_waitcnt vmcnt(1)", "s_waitcnt lgkmcnt(0)",
    "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(2)", "s_barrier", "global_load_lds_dword v[2:3], off", "s_mov_b32 m0, s{}",
    "flat_load_dword v{}, v[2:3]", "ds_add_rtn_u32 v{}, v1, v2", "buffer_load_dword v{}, s[0:3], 0 offen lds", "s_cbranch_scc1 L{}", "L{}:",
    "global_atomic_add v{}, v[2:3], v1, off sc0",
]  # fmt: skip
NEWER = [
    "global_load_b32 v{}, v[2:3], off", "global_store_b32 v[2:3], v{}, off", "ds_load_b32 v{}, v0", "ds_store_b32 v0, v{}",
    "s_load_b32 s{}, s[0:1], 0x0", "v_add_nc_u32 v{}, v0, v1", "s_add_co_u32 s{}, s4, s4", "s_wait_loadcnt 0x1", "s_wait_dscnt 0x0",
    "s_wait_loadcnt 0x0", "s_wait_xcnt 0x0", "s_wait_xcnt 0x1", "s_wait_asynccnt 0x0", "s_wait_tensorcnt 0x1", "s_wait_kmcnt 0x0",
    "s_barrier_signal -1", "s_barrier_wait -1", "global_load_async_to_lds_b32 v{}, v[2:3], off", "global_store_async_from_lds_b32 v[2:3], v{}, off",
    "tensor_load_to_lds s[0:3], s[4:11]", "s_cbranch_scc1 L{}", "L{}:", "flat_load_b32 v{}, v[2:3]", "s_mov_b32 m0, s{}", "v_mov_b32 v{}, v1",
    "cluster_load_b32 v{}, v[2:3], off", "v_cmpx_lt_f32 v{}, v1", "v_dual_mov_b32 v{0}, v1 :: v_dual_mov_b32 v{0}, v2",
    "global_atomic_add_u32 v{}, v[2:3], v1, off th:TH_ATOMIC_RETURN",
]  # fmt: skip


def listing(source, lines):
    """Return a listing of up to 14 lines; branches only to labels that are there."""
    out = []
    for _ in range(source.randrange(2, 14)):
        line = source.choice(lines).format(source.randrange(4))
        if not (line.endswith(":") and line in out):
            out.append(line)
    labels = [line[:-1] for line in out if line.endswith(":")]
    return "\n".join(
        [line for line in out if not line.startswith("s_cbranch") or line.split()[-1] in labels] + ["s_endpgm", ""]
    )


@pytest.mark.parametrize(
    ("target", "lines", "seed"),
    [(t, lines, seed) for t, lines in (("gfx942", OLDER), ("gfx950", OLDER), ("gfx1250", NEWER)) for seed in range(4)],
)
def test_random_listings_are_judged_as_the_machine_judges_them(target, lines, seed):
    source, judged, wrong = random.Random(seed), 0, 0
    for _ in range(100):
        text = listing(source, lines)
        try:
            machine = coarse(hazards(text, target))
        except OverflowError:
            continue
        judged, wrong = judged + 1, wrong + bool(machine)
        assert found(text, target) == machine, text
    assert judged > 80 and wrong > 20
