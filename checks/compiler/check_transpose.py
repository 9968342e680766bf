# SPDX-License-Identifier: Apache-2.0
"""Transposing loads as a real assembler and compiler take them."""

import re

from cdna_evidence.checks import CannotTell, Check

FORMS = (
    "ds_read_b64 v[0:1], v4",
    "ds_read_b64_tr_b4 v[0:1], v4",
    "ds_read_b96_tr_b6 v[0:2], v4",
    "ds_read_b64_tr_b8 v[0:1], v4",
    "ds_read_b64_tr_b16 v[0:1], v4",
)
TYPES = (
    "typedef int i2 __attribute__((ext_vector_type(2))); typedef int i3 __attribute__((ext_vector_type(3)));"
    "typedef short s4 __attribute__((ext_vector_type(4)));"
)


def taken(answers, forms):
    """Mnemonic -> whether it was taken."""
    found = {}
    for form, answer in zip(forms, answers, strict=True):
        if answer.accepted is None:
            raise CannotTell(f"{form}: {answer.outcome}")
        found[form.split()[0]] = answer.accepted
    return found


class Forms(Check):
    """Four transposing loads and a plain one; where they are taken, also with an odd first register.

    Shows: what this assembler takes for each target.
    Does not show: what a lane receives.
    """

    claim = "TRN-001"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "first_register_odd")

    def observe(self, target, tools):
        found = {"accepted": taken(tools.clang.assemble(target, FORMS), FORMS)}
        odd = ("ds_read_b64_tr_b16 v[1:2], v4", "ds_read_b96_tr_b6 v[1:3], v4")
        if found["accepted"]["ds_read_b64_tr_b16"]:
            found["first_register_odd"] = taken(tools.clang.assemble(target, odd), odd)
        return found

    def judge(self, observed, values):
        both = [key for key in self.binds if key in values or key in observed]
        return [
            f"{key}: observed {observed.get(key)}, published {values.get(key)}"
            for key in both
            if observed.get(key) != values.get(key)
        ]


class NotGlobal(Check):
    """Five transposing loads from global memory, with a direct copy as the control.

    Shows: that this assembler takes none of them for the target.
    Does not show: that no such operation exists elsewhere.
    """

    claim = "TRN-003"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted",)

    def observe(self, target, tools):
        forms = (
            "global_load_tr16_b128 v[0:3], v[4:5], off",
            "global_load_tr8_b64 v[0:1], v[4:5], off",
            "global_load_tr6_b96 v[0:2], v[4:5], off",
            "global_load_tr4_b64 v[0:1], v[4:5], off",
            "global_load_tr_b128 v[0:3], v[4:5], off",
            "global_load_lds_dword v[0:1], off",
        )
        return {"accepted": taken(tools.clang.assemble(target, forms), forms)}


class Wave64(Check):
    """The same loads as they are, and with waves of 32 lanes forced; the plain load is the control.

    Shows: the gate in this assembler.
    Does not show: a device with such waves; there is none.
    """

    claim = "TRN-004"
    kind = "compiler"
    witness = "clang"
    binds = ("wave64", "wave32")

    def observe(self, target, tools):
        forced = ("+wavefrontsize32", "-wavefrontsize64")
        return {
            "wave64": taken(tools.clang.assemble(target, FORMS), FORMS),
            "wave32": taken(tools.clang.assemble(target, FORMS, features=forced), FORMS),
        }


class Names(Check):
    """Four builtins compiled, each in a kernel of its own, and the one LDS instruction found in each.

    Shows: which opcode clang makes of which builtin.
    Does not show: what a lane receives.
    """

    claim = "TRN-005"
    kind = "compiler"
    witness = "clang"
    binds = ("opcode",)

    def observe(self, target, tools):
        found = {}
        for name, vector in (("tr4_b64", "i2"), ("tr6_b96", "i3"), ("tr8_b64", "i2"), ("tr16_b64", "s4")):
            shape = {"i2": "v2i32", "i3": "v3i32", "s4": "v4i16"}[vector]
            source = (
                f"{TYPES} __attribute__((amdgpu_kernel)) void k(__attribute__((address_space(3))) {vector} *p, "
                f"__attribute__((address_space(1))) {vector} *o) {{ *o = __builtin_amdgcn_ds_read_{name}_{shape}(p); }}\n"
            )
            done = tools.clang.compile_c(target, source)
            opcodes = re.findall(r"^\t(ds_\w+)", done.assembly, re.MULTILINE)
            if len(opcodes) != 1:
                raise CannotTell(f"{name}: {done.outcome}, {opcodes}")
            found[f"ds_read_{name}"] = opcodes[0]
        return {"opcode": found}


class GlobalWidths(Check):
    """The four loads of gfx1250 that transpose from global memory, with results of one to eight registers.

    Shows: the widths that the assembler takes.
    Does not show: which lane receives what.
    """

    claim = "TRN-059"
    kind = "compiler"
    witness = "clang"
    binds = ("result_vgprs",)

    def observe(self, target, tools):
        found = {}
        for op in ("global_load_tr16_b128", "global_load_tr8_b64", "global_load_tr6_b96", "global_load_tr4_b64"):
            results = ["v8", *(f"v[8:{7 + count}]" for count in range(2, 9))]
            answers = tools.clang.assemble(target, [f"{op} {result}, v[4:5], off" for result in results])
            widths = [count for count, answer in enumerate(answers, 1) if answer.accepted]
            if len(widths) != 1:
                raise CannotTell(f"{op}: {widths}")
            found[op] = widths[0]
        return {"result_vgprs": found}
