# SPDX-License-Identifier: Apache-2.0
"""Steppings of gfx1250 by the driver's word, and what the reference multiply does at the edges of numbers."""

import math

from cdna.steppings import asic_revision, reported_name
from cdna.wmma import manual, multiply
from cdna_evidence.checks import CannotTell, Check
from cdna_evidence.witnesses import wmma_pairs

# Capability words of the two tests that LLVM's offload-arch has for gfx1250.
WORD_OF = {"A0": 0xF837A280, "B0": 0xF877A280}
SETTINGS = {"not_set": None, "zero": "0", "one": "1"}
PRODUCT = "v_wmma_f32_16x16x32_f16"
# FP16: one, the smallest denormal, infinity, a NaN.
ONE, DENORMAL, INFINITY, NAN = 0x3C00, 0x0001, 0x7C00, 0x7E00


class Revision(Check):
    """The revision in two words that a test of LLVM has for A0 and for another stepping, and which bits change it.

    Shows: the model's field.
    Does not show: a device.
    """

    claim = "GFX-003"
    kind = "model"
    position = "off-by-default"
    binds = ("field", "revision")

    def observe(self, target, tools):
        bits = [bit for bit in range(64) if asic_revision(1 << bit)]
        if bits != list(range(bits[0], bits[0] + len(bits))):
            raise CannotTell(f"bits {bits}")
        return {
            "field": {"lowest_bit": bits[0], "bits": len(bits)},
            "revision": {name: asic_revision(word) for name, word in WORD_OF.items()},
        }


class RevisionToo(Revision):
    """The same for the other position.

    Shows: the model's field.
    Does not show: a device.
    """

    position = "on-by-default"


class Reported(Check):
    """The name that the model reports for the two words under three settings.

    Shows: the model's rule, as merged.
    Does not show: a runtime.
    """

    claim = "GFX-003"
    kind = "model"
    position = "off-by-default"
    binds = ("reported",)

    def observe(self, target, tools):
        first, later = [asic_revision(WORD_OF[name]) for name in ("A0", "B0")]
        found = {name: reported_name(first, text, self.position) for name, text in SETTINGS.items()}
        return {"reported": {**found, "b0_zero": reported_name(later, "0", self.position)}}


class ReportedToo(Reported):
    """The same under the other default.

    Shows: the model's rule, as the open change wants it.
    Does not show: a runtime.
    """

    position = "on-by-default"


class EdgesOfNumbers(Check):
    """One element of A times one of B, the others zero or one: a denormal, NaN, and infinity with one and with zero.

    Shows: the reference multiply.
    Does not show: rounding, sums, or a device.
    """

    claim = "GFX-005"
    kind = "model"
    binds = ("denormals_kept", "nan_in_gives_nan", "zero_times_infinity_gives_nan", "infinity_kept")

    def observe(self, target, tools):
        return {
            "denormals_kept": self._product(DENORMAL, ONE) == 2.0**-24,
            "nan_in_gives_nan": math.isnan(self._product(NAN, ONE)),
            "zero_times_infinity_gives_nan": math.isnan(self._product(INFINITY, 0)),
            "infinity_kept": self._product(INFINITY, ONE) == math.inf and self._product(ONE, ONE) == 1.0,
        }

    def _product(self, a, b):
        left = [[0] * 32 for _ in range(16)]
        right = [[ONE] * 16 for _ in range(32)]
        left[3][5], right[5][7] = a, b
        return multiply.multiply(PRODUCT, [left], [right])[0][3][7]


class ManualSlots(Check):
    """What the model hands on of the guide's table, product by product.

    Shows: the model's numbers.
    Does not show: that the guide was read right, nor a device.
    """

    claim = "GFX-011"
    kind = "model"
    binds = ("vector", "matrix", "three")
    three = ("fp8_k128", "f8_f8", "f8_f4", "f6_f6", "f6_f4", "f4_32x16")

    def observe(self, target, tools):
        found = {"vector": {}, "matrix": {}, "three": {"vector": {}, "matrix": {}}}
        for kind, words in wmma_pairs.CLASSES.items():
            name, *formats = words.split()
            into = found["three"] if kind in self.three else found
            into["vector"][kind] = manual.asked(name, "valu", "read", *formats).slots
            into["matrix"][kind] = manual.asked(name, PRODUCT, "ab", *formats).slots
        return found
