# SPDX-License-Identifier: Apache-2.0
"""Lower MLIR with `convert-amdgpu-to-rocdl` of the flydsl wheel and answer with the lowered text; run as a file.

Standard input: a JSON list of modules. Standard output: one JSON line each, ["accepted", text] or ["rejected", message].
"""

import importlib.util
import pathlib

PIPELINE = "builtin.module(convert-amdgpu-to-rocdl{chipset=gfx1250})"


def main():
    """Serve the modules on standard input."""
    spec = importlib.util.spec_from_file_location("cdna_serve", pathlib.Path(__file__).with_name("serve.py"))
    loop = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loop)
    from flydsl._mlir import ir, passmanager

    def answer(source):
        with ir.Context():
            module = ir.Module.parse(source)
            passmanager.PassManager.parse(PIPELINE).run(module.operation)
            return module.operation.get_asm()

    loop.serve(answer)


main()
