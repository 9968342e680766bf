# SPDX-License-Identifier: Apache-2.0
"""The slots audit of gfx1250 against compilers: kernels that are clean, V_NOPs taken out, and drawn programs.

The reason of a skip is the witness that is not installed.
"""

import os
import pathlib
import random
import re
import subprocess
import sys

import pytest

from cdna.wmma import hazards
from cdna.wmma.audit import audit
from cdna_evidence.witnesses import Missing, get, llvm22, wmma_kernels, wmma_programs


def witness(name):
    try:
        return get(name)
    except Missing as missing:
        pytest.skip(str(missing))


def products():
    found = []
    for name in hazards.names():
        found += [f"{name} {pair}" for pair in ("fp8 fp8", "fp6 fp4", "fp4 fp4")] if name.endswith("f8f6f4") else [name]
    return found


def compiled(asked, name):
    done = asked.compile_ir("gfx1250", wmma_kernels.kernel(name))
    assert done.accepted, (name, done.diagnostic)
    return done.assembly


def test_kernels_of_every_product_are_clean_and_get_back_the_nops_that_are_taken_out():
    clang, nops, places = witness("clang"), 0, 0
    for name in products():
        text = compiled(clang, name)
        assert [item for item in audit(text).findings if item["severity"] == "error"] == [], name
        code = wmma_programs.code(text)
        bare = [line for line in code if line != "v_nop"]
        assert wmma_programs.repaired(bare, audit) == code, name
        nops += code.count("v_nop")
        places += any(item["hidden"] for item in audit(text).dependencies)
    # Enough of both to say something: V_NOPs, and kernels in which clang overwrites an input by a dual-issue instruction.
    assert nops > 200 and places > 3


def test_each_nop_taken_out_is_one_missing_slot():
    code = wmma_programs.code(compiled(witness("clang"), "v_wmma_f32_16x16x32_f16"))
    places = [number for number, line in enumerate(code) if line == "v_nop"]
    assert len(places) > 5
    for place in places:
        assert max(item["missing"] for item in audit("\n".join(code[:place] + code[place + 1 :])).dependencies) == 1


def test_a_later_llvm_is_clean_where_sources_agree_and_follows_the_other_position_where_they_do_not():
    later, disputed = witness("triton-llvm"), 0
    for name in products():
        found = audit(compiled(later, name))
        quick = "_16x16x64_" in name and "wmma" in name and "iu8" not in name
        if not quick and not name.endswith(("fp8 fp8", "fp4 fp4")):
            assert [item["message"] for item in found.findings if item["severity"] != "info"] == [], name
            continue
        missing = [item["result"]["missing"] for item in found.disputed if item["position"] == "rocm-b0"]
        assert missing == [0] * len(found.dependencies), name
        disputed += len(missing)
    assert disputed > 10


@pytest.mark.parametrize(
    "seed, count, length, draw, groups",
    [
        (1, 60, 16, wmma_programs.straight, (0,)),
        (2, 20, 7, wmma_programs.branchy, (0,)),
        (3, 40, 14, wmma_programs.straight, (0, 1, 2)),
        (4, 10, 7, wmma_programs.branchy, (0, 3)),
    ],
)
def test_drawn_programs_get_the_nops_of_llvm(seed, count, length, draw, groups):
    rng = random.Random(seed)
    programs = {f"k{number}": draw(rng, length, groups=groups) for number in range(count)}
    for name, (fixed, plain) in wmma_programs.assembled(witness("llc"), "gfx1250", programs).items():
        assert wmma_programs.added(wmma_programs.repaired(plain, audit)) == wmma_programs.added(fixed), name
        # Without the assembler's remarks the groups are followed, and the answer is the same.
        bare = [re.sub(r" ?/\*.*?\*/", "", line) for line in plain]
        brief = [
            [(item["via"], item["registers"], item["missing"]) for item in audit("\n".join(text)).dependencies]
            for text in (plain, bare)
        ]
        assert brief[0] == brief[1], name


def test_forks_with_code_on_both_sides_never_get_fewer_than_llvm():
    """LLVM looks at one of the two ways (WMMA-073), the audit at the shorter."""
    rng, programs = random.Random(5), {}
    for number in range(80):
        side = [wmma_programs.lines(rng, count) for count in (3, 4, 1, 3)]
        programs[f"k{number}"] = [
            ((2, 1), [*side[0], "S_CBRANCH_SCC1 %bb.2, implicit $scc"]),
            ((3,), [*side[1], "S_BRANCH %bb.3"]),
            ((3,), side[2]),
            ((), [*side[3], "S_ENDPGM 0"]),
        ]
    more = 0
    for name, (fixed, _) in wmma_programs.assembled(witness("llc"), "gfx1250", programs).items():
        again = wmma_programs.added(wmma_programs.repaired(fixed, audit))
        assert all(ours >= theirs for (ours, _), (theirs, _) in zip(again, wmma_programs.added(fixed), strict=True)), (
            name
        )
        more += again != wmma_programs.added(fixed)
    assert more


LOOPS = """
typedef _Float16 h16 __attribute__((ext_vector_type(16)));
typedef float f8 __attribute__((ext_vector_type(8)));
typedef __attribute__((address_space(1))) float out;
typedef __attribute__((address_space(1))) h16 in;
__attribute__((amdgpu_kernel)) void k(out *p, in *a, int n) {
  int t = __builtin_amdgcn_workitem_id_x();
  f8 c = 0;
  for (int i = 0; i < n; i++) c = __builtin_amdgcn_wmma_f32_16x16x32_f16(0, a[t], 0, a[t + 99 + 32 * i], 0, c, 0, 0);
  for (int i = 0; i < 8; i++) p[i * 32 + t] = c[i];
}
"""


def test_a_loop_around_the_reader_in_compiled_code():
    """clang looks back round the loop first and leaves no V_NOP, two slots behind the product (WMMA-073)."""
    done = witness("clang").compile_c("gfx1250", LOOPS, opt=1)
    assert done.accepted, done.diagnostic
    text = done.assembly.split("v_wmma_f32_16x16x32_f16", 1)[1].split("v_movrels_b32", 1)[0]
    assert "v_nop" not in text
    found = audit(done.assembly).findings
    assert {item["rule"] for item in found} == {"result-read", "input-overwritten"}  # it also writes over an A that is done with
    assert all("2 missing" in item["message"] and "(WMMA-073)" in item["message"] for item in found)


def test_disassembly_reads_like_assembly(tmp_path):
    text = compiled(witness("clang"), "v_wmma_f32_16x16x128_f8f6f4 fp8 fp4")
    try:
        assembler, objdump = llvm22.find("llvm-mc"), llvm22.find("llvm-objdump")
    except Missing as missing:
        pytest.skip(str(missing))
    for number, given in enumerate((text, re.sub(r"^\s*v_nop$", "", text, flags=re.MULTILINE))):
        source, built = tmp_path / f"{number}.s", tmp_path / f"{number}.o"
        source.write_text(given)
        words = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx1250", "-filetype=obj", "-o", str(built), str(source)]
        subprocess.run([assembler, *words], check=True)
        shown = subprocess.run([objdump, "-d", str(built)], check=True, capture_output=True, text=True).stdout
        found = [audit(one) for one in (given, shown)]
        brief = [[(item["via"], item["missing"]) for item in one.dependencies] for one in found]
        assert brief[0] == brief[1] and bool(brief[0]) == bool(number)
        assert found[1].program.unknown_targets == ()


@pytest.mark.parametrize("kind, waves, high", [("fp16", 1, True), ("bf16", 4, False), ("fp8e4nv", 4, False)])
def test_attention_by_triton(tmp_path, kind, waves, high):
    """Products, exponentials and, in one wave, registers above v255; FP8 has the products on which sources differ."""
    pytest.importorskip("triton", reason="the Python package triton is not installed")
    script = pathlib.Path(__file__).with_name("triton_attention.py")
    settled = {**os.environ, "TRITON_ALWAYS_COMPILE": "1", "TRITON_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, str(script), kind, str(waves)], capture_output=True, text=True, env=settled, timeout=300
    )
    assert ran.returncode == 0, ran.stderr[-1000:]
    found = audit(ran.stdout)
    assert sum(item.mnemonic.startswith("v_wmma") for item in found.program.instructions) >= 16
    assert "v_exp_f32" in ran.stdout and ("/*v" in ran.stdout) == high
    if kind == "fp8e4nv":
        missing = [item["result"]["missing"] for item in found.disputed if item["position"] == "rocm-b0"]
        assert missing == [0] * len(found.dependencies) and missing
    else:
        assert [item for item in found.findings if item["severity"] != "info"] == []
