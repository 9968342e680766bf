# SPDX-License-Identifier: Apache-2.0
"""Mistakes in documents, where the reference model takes a side."""

from cdna.formats import decode, native, value_of
from cdna.tdm.descriptor import meaning
from cdna_evidence.checks import Check


class ElementSizeCode(Check):
    """The element size of one code, and where a column then lies under both readings.

    Shows: the model's reading.
    Does not show: hardware.
    """

    claim = "ERR-060"
    kind = "model"
    binds = ("code", "column", "offset_bytes", "other_reading")

    def observe(self, target, tools):
        size = {code: meaning({"data_size": code, "type": 2, "count": 1})["data_size"] for code in range(4)}
        code = next(code for code in size if size[code] == 2)
        column = 10
        return {"code": code, "column": column, "offset_bytes": column * size[code], "other_reading": column * code}


class NativeFamilies(Check):
    """Which FP8 families the model lists as native.

    Shows: the model's list.
    Does not show: hardware.
    """

    claim = "ERR-070"
    kind = "model"
    binds = ("fnuz_native", "ocp_native")

    def observe(self, target, tools):
        held = [name for name, _, _ in native(target)]
        return {"fnuz_native": "e4m3fnuz" in held, "ocp_native": "e4m3fn" in held}


class SmallestBf6(Check):
    """Every code of E3M2: the smallest positive one, and the value of the code that the table prints.

    Shows: the model.
    Does not show: hardware.
    """

    claim = "ERR-073"
    kind = "model"
    binds = ("code", "denominator", "printed_code", "printed_code_sixteenths")

    def observe(self, target, tools):
        values = {code: value_of(decode("e3m2", code)) for code in range(64)}
        smallest = min(values[code] for code in values if values[code] > 0)
        code = next(code for code in values if values[code] == smallest)
        printed = 0b000_11
        return {
            "code": code,
            "denominator": int(1 / smallest),
            "printed_code": printed,
            "printed_code_sixteenths": int(values[printed] * 16),
        }
