# SPDX-License-Identifier: Apache-2.0
"""Compile Gluon kernels with Triton and answer with their LLVM IR; run as a file, one process a batch.

Standard input: a JSON list of kernel sources, each a module with one kernel `kernel` and a constant `CTAS`; for another
target than gfx1250 also `TARGET` and `LANES`.
Standard output: one JSON line a source, ["accepted", IR] or ["rejected", message].
"""

import importlib.util
import os
import pathlib
import sys
import warnings


def main():
    """Serve the sources on standard input."""
    # The file stands in a package, but runs alone: only its neighbour is loaded, by path.
    here = pathlib.Path(__file__).parent
    serve = _module("cdna_triton_serve", here / "serve.py").serve
    warnings.simplefilter("ignore")
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.experimental.gluon._runtime import GluonASTSource

    count = 0

    def answer(source):
        # A kernel must stand in a real file: Triton reads its text back.
        nonlocal count
        count += 1
        path = pathlib.Path(os.getcwd(), f"kernel_{count}.py")
        path.write_text(source, encoding="ascii")
        module = _module(path.stem, path)
        options = {"num_warps": 1, "num_ctas": module.CTAS}
        target = GPUTarget("hip", getattr(module, "TARGET", "gfx1250"), getattr(module, "LANES", 32))
        return triton.compile(GluonASTSource(module.kernel, {}, {}), target=target, options=options).asm["llir"]

    serve(answer)


def _module(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


main()
