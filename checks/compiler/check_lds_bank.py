# SPDX-License-Identifier: Apache-2.0
"""Transposing LDS loads that an assembler takes for each target."""

from cdna_evidence.checks import CannotTell, Check

FORMS = (
    "ds_load_tr4_b64 v[0:1], v4",
    "ds_load_tr6_b96 v[0:2], v4",
    "ds_load_tr8_b64 v[0:1], v4",
    "ds_load_tr16_b128 v[0:3], v4",
    "ds_read_b64_tr_b4 v[0:1], v4",
    "ds_read_b96_tr_b6 v[0:2], v4",
    "ds_read_b64_tr_b8 v[0:1], v4",
    "ds_read_b64_tr_b16 v[0:1], v4",
    "ds_load_b128 v[0:3], v4",
    "ds_read_b128 v[0:3], v4",
)


class TransposingLoads(Check):
    """Eight transposing LDS loads by both naming schemes, with a plain load as a control.

    Shows: which of them this assembler takes for each target.
    Does not show: which lane gets which element, or the time.
    """

    claim = "LDS-004"
    kind = "compiler"
    witness = "clang"
    binds = ("accepted", "result_vgprs")

    def observe(self, target, tools):
        answers = {}
        for form, answer in zip(FORMS, tools.clang.assemble(target, FORMS), strict=True):
            if answer.accepted is None:
                raise CannotTell(f"{form}: {answer.outcome}")
            answers[form.split()[0]] = answer.accepted
        if not answers.pop("ds_load_b128") and not answers.pop("ds_read_b128"):
            raise CannotTell("the control is refused")
        answers.pop("ds_read_b128", None)
        return {"accepted": answers, "result_vgprs": self._widths(target, tools)}

    def _widths(self, target, tools):
        """How many registers the widest transposing load writes, found by trying one to eight."""
        taken = []
        for count in range(1, 9):
            register = f"v[0:{count - 1}]" if count > 1 else "v0"
            forms = [f"{name} {register}, v9" for name in ("ds_load_tr16_b128", "ds_read_b64_tr_b16")]
            if any(answer.accepted for answer in tools.clang.assemble(target, forms)):
                taken.append(count)
        return taken[-1] if taken else 0
