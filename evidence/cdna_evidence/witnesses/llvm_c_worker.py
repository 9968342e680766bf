# SPDX-License-Identifier: Apache-2.0
"""Serve questions with one libLLVM through LLVM's C interface; standard library only, run as a file.

Arguments: the library, the names of libraries to load before it joined by ":" (or ""), then LLVM options.
Questions and answers as for llvmlite_worker; "assemble" puts one line of text through the assembler: {"data"} is the
object, as for "object". What LLVM reports as an error is {"error"}; it may also end the process.
"""

import ctypes
import json
import os
import re
import sys
import threading
import time

HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
ERROR = 0
LAST_OPT = 3


def main():
    """Serve the questions of standard input."""
    library, first, *options = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threading.Thread(target=leave_with, args=(os.getppid(),), daemon=True).start()
    for path in filter(None, first.split(":")):
        ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
    llvm = Llvm(ctypes.CDLL(library), options)
    numbers = [ctypes.c_uint() for _ in range(3)]
    llvm.lib.LLVMGetVersion(*[ctypes.byref(number) for number in numbers])
    tell(out, {"llvm": ".".join(str(number.value) for number in numbers)})
    for line in sys.stdin:
        tell(out, llvm.answer(json.loads(line)))


class Llvm:
    """The functions of one library that are used here."""

    def __init__(self, lib, options):
        self.lib = lib
        pointer, text = ctypes.c_void_p, ctypes.c_char_p
        for name, result, arguments in (
            ("LLVMContextCreate", pointer, []),
            ("LLVMContextDispose", None, [pointer]),
            ("LLVMContextSetDiagnosticHandler", None, [pointer, HANDLER, pointer]),
            ("LLVMGetDiagInfoDescription", pointer, [pointer]),
            ("LLVMGetDiagInfoSeverity", ctypes.c_int, [pointer]),
            ("LLVMCreateMemoryBufferWithMemoryRangeCopy", pointer, [text, ctypes.c_size_t, text]),
            ("LLVMParseIRInContext", ctypes.c_int, [pointer, pointer, pointer, pointer]),
            ("LLVMModuleCreateWithNameInContext", pointer, [text, pointer]),
            ("LLVMAppendModuleInlineAsm", None, [pointer, text, ctypes.c_size_t]),
            ("LLVMSetTarget", None, [pointer, text]),
            ("LLVMSetDataLayout", None, [pointer, text]),
            ("LLVMCreateTargetDataLayout", pointer, [pointer]),
            ("LLVMCopyStringRepOfTargetData", pointer, [pointer]),
            ("LLVMGetTargetFromTriple", ctypes.c_int, [text, pointer, pointer]),
            ("LLVMCreateTargetMachine", pointer, [pointer, text, text, text] + [ctypes.c_int] * 3),
            ("LLVMDisposeTargetMachine", None, [pointer]),
            ("LLVMTargetMachineEmitToMemoryBuffer", ctypes.c_int, [pointer, pointer, ctypes.c_int, pointer, pointer]),
            ("LLVMGetBufferStart", pointer, [pointer]),
            ("LLVMGetBufferSize", ctypes.c_size_t, [pointer]),
            ("LLVMDisposeMemoryBuffer", None, [pointer]),
        ):
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
        for part in ("TargetInfo", "Target", "TargetMC", "AsmParser", "AsmPrinter"):
            getattr(lib, "LLVMInitializeAMDGPU" + part)()
        if options:
            words = [b"cdna", *[option.encode() for option in options]]
            lib.LLVMParseCommandLineOptions(len(words), (text * len(words))(*words), None)

    def answer(self, question):
        """Return the answer to one question."""
        lib, said = self.lib, []

        def hear(info, _):
            if lib.LLVMGetDiagInfoSeverity(info) == ERROR:
                words = ctypes.cast(lib.LLVMGetDiagInfoDescription(info), ctypes.c_char_p).value or b""
                said.append(words.decode("utf-8", "replace"))

        handler = HANDLER(hear)
        context = lib.LLVMContextCreate()
        lib.LLVMContextSetDiagnosticHandler(context, handler, None)
        triple = question["triple"].encode()
        target, message, module, buffer = (ctypes.c_void_p() for _ in range(4))
        if lib.LLVMGetTargetFromTriple(triple, ctypes.byref(target), ctypes.byref(message)):
            return {"error": words_of(message)}
        machine = lib.LLVMCreateTargetMachine(
            target, triple, question["target"].encode(), b"", min(question["opt"], LAST_OPT), 2, 0
        )
        if question["kind"] == "assemble":
            module.value = lib.LLVMModuleCreateWithNameInContext(b"m", context)
            line = b'.section .cdna_line,"ax",@progbits\n' + question["source"].encode() + b"\n"
            lib.LLVMAppendModuleInlineAsm(module, line, len(line))
        else:
            source = question["source"].encode()
            given = lib.LLVMCreateMemoryBufferWithMemoryRangeCopy(source, len(source), b"-")
            if lib.LLVMParseIRInContext(context, given, ctypes.byref(module), ctypes.byref(message)):
                return {"error": words_of(message)}
        lib.LLVMSetTarget(module, triple)
        layout = lib.LLVMCopyStringRepOfTargetData(lib.LLVMCreateTargetDataLayout(machine))
        lib.LLVMSetDataLayout(module, ctypes.cast(layout, ctypes.c_char_p))
        kind = 0 if question["kind"] == "assembly" else 1
        failed = lib.LLVMTargetMachineEmitToMemoryBuffer(
            machine, module, kind, ctypes.byref(message), ctypes.byref(buffer)
        )
        if failed or said:
            return {"error": "; ".join(said) or words_of(message)}
        data = ctypes.string_at(lib.LLVMGetBufferStart(buffer), lib.LLVMGetBufferSize(buffer))
        lib.LLVMDisposeMemoryBuffer(buffer)
        lib.LLVMDisposeTargetMachine(machine)
        if question["kind"] == "assembly":
            return {"text": data.decode("utf-8", "replace")}
        return {"data": data.hex()}


def words_of(message):
    """Return the text of a message that LLVM handed over."""
    if not message.value:
        return "LLVM gave no reason"
    text = ctypes.cast(message, ctypes.c_char_p).value.decode("utf-8", "replace")
    return re.sub(r"\s+", " ", text)[:2000]


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
