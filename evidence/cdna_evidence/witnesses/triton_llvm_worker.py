# SPDX-License-Identifier: Apache-2.0
"""Serve questions with the AMD code generator of Triton's libtriton; run as a file, in a process of its own.

Arguments: a folder to import triton from, or ""; then LLVM options, as triton takes them (flags without a dash).
Questions and answers as for llvm_c_worker, without objects. Triton prints an LDS overflow and goes on: what stands on
standard error is the caller's to read.
"""

import json
import os
import sys
import threading
import time


def main():
    """Serve the questions of standard input."""
    folder, options = sys.argv[1], sys.argv[2:]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threading.Thread(target=leave_with, args=(os.getppid(),), daemon=True).start()
    if folder:
        sys.path.insert(0, folder)
    from triton._C.libtriton import llvm
    from triton.backends.amd import compiler as amd

    llvm.init_targets()
    tell(out, {"llvm": "unknown", "revision": amd.get_amd_codegen_revision()})
    for line in sys.stdin:
        question = json.loads(line)
        try:
            tell(out, answer(amd, question, [option.lstrip("-") for option in options]))
        except Exception as error:  # noqa: BLE001 - whatever the library raises is its answer
            tell(out, {"error": " ".join(str(error).split())[:2000]})


def answer(amd, question, flags):
    """Return the answer to one question."""
    cpu = question["target"]
    if question["kind"] == "assemble":
        return {"data": amd.assemble_amdgcn(question["source"] + "\n", cpu, "").hex()}
    triple = amd.get_amd_codegen_target_triple(cpu)
    text = amd.compile_amdgpu(
        question["source"], triple, cpu, "", flags=flags, enable_fp_fusion=True, disable_optimization=False,
        canonicalize_gep=False, disabled_passes="", dump_ir=False, enable_timing=False,
    )  # fmt: skip
    return {"text": text}


def tell(out, value):
    """Write one line."""
    out.write(json.dumps(value) + "\n")
    out.flush()


def leave_with(parent):
    """End this process when its parent is gone."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


main()
