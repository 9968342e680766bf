# SPDX-License-Identifier: Apache-2.0
"""Decode machine code with one libLLVM, in a process of its own; standard library only, run as a file.

Arguments: the library, then libraries to load before it. Standard input: {"triple", "target", "data"} as JSON.
Standard output: [[offset, size, text or null], ...] as JSON. A library may abort: that is the caller's to notice.
"""

import ctypes
import json
import os
import sys


def main():
    """Answer one question."""
    library, first = sys.argv[1], sys.argv[2:]
    # What LLVM prints goes to standard error, so that it cannot mix with the answer.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    question = json.load(sys.stdin)
    for path in first:
        ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    llvm = ctypes.CDLL(library)
    for part in ("TargetInfo", "Target", "TargetMC", "Disassembler"):
        getattr(llvm, "LLVMInitializeAMDGPU" + part)()
    llvm.LLVMCreateDisasmCPU.restype = ctypes.c_void_p
    llvm.LLVMCreateDisasmCPU.argtypes = [
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_void_p,
    ]
    llvm.LLVMDisasmInstruction.restype = ctypes.c_size_t
    llvm.LLVMDisasmInstruction.argtypes = [
        ctypes.c_void_p,
        ctypes.c_char_p,
        ctypes.c_uint64,
        ctypes.c_uint64,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    context = llvm.LLVMCreateDisasmCPU(question["triple"].encode(), question["target"].encode(), None, 0, None, None)
    if not context:
        sys.exit("error: no disassembler for " + question["target"])
    json.dump(decode(llvm, context, bytes.fromhex(question["data"])), out)
    out.close()


def decode(llvm, context, data):
    """Return [offset, size, text or None] for each instruction, and for each four bytes that are none."""
    steps = []
    offset = 0
    while offset < len(data):
        rest = data[offset:]
        text = ctypes.create_string_buffer(1024)
        size = llvm.LLVMDisasmInstruction(context, rest, len(rest), 0, text, len(text))
        if size:
            steps.append([offset, size, " ".join(text.value.decode("utf-8", "replace").split())])
        else:
            size = min(4, len(rest))
            steps.append([offset, size, None])
        offset += size
    return steps


main()
