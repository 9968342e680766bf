# SPDX-License-Identifier: Apache-2.0
"""Compile LLVM IR with llvmlite for as long as questions come; run as a file, in a process of its own.

Arguments: a folder to import llvmlite from, or "" for the environment's own; then LLVM options, which hold for the
whole process. One JSON line in: {"target", "triple", "opt", "source", "kind": "assembly" or "object"}; one JSON line
out: {"text"} or {"data"} (hexadecimal), or {"error"} for what llvmlite reports. LLVM may end the process instead.
"""

import json
import os
import sys
import threading
import time


def main():
    """Serve the questions of standard input."""
    folder, options = sys.argv[1], sys.argv[2:]
    # What LLVM prints goes to standard error, so that it cannot mix with the answers.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threading.Thread(target=leave_with, args=(os.getppid(),), daemon=True).start()
    if folder:
        sys.path.insert(0, folder)
    import llvmlite
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    for option in options:
        llvm.set_option("cdna", option)
    version = ".".join(str(part) for part in llvm.llvm_version_info)
    tell(out, {"llvm": version, "llvmlite": llvmlite.__version__})
    machines = {}
    for line in sys.stdin:
        question = json.loads(line)
        try:
            tell(out, answer(llvm, machines, question))
        except RuntimeError as error:
            tell(out, {"error": str(error)[:2000]})


def answer(llvm, machines, question):
    """Return the answer to one question. Raises: RuntimeError: the IR is not valid."""
    key = (question["triple"], question["target"], question["opt"])
    # The machine comes first: an unknown processor is told once, when it is made.
    if key not in machines:
        triple = llvm.Target.from_triple(question["triple"])
        machines[key] = triple.create_target_machine(cpu=question["target"], features="", opt=question["opt"])
    module = llvm.parse_assembly(question["source"])
    module.verify()
    if question["kind"] == "object":
        return {"data": machines[key].emit_object(module).hex()}
    return {"text": machines[key].emit_assembly(module)}


def tell(out, value):
    """Write one line."""
    out.write(json.dumps(value) + "\n")
    out.flush()


def leave_with(parent):
    """End this process when its parent is gone: it may be deep in LLVM, where no input is read."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


main()
