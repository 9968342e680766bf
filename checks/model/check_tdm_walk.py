# SPDX-License-Identifier: Apache-2.0
"""Which fields change from one tile to the next, by the model's planner of copies."""

from cdna.tdm.copy import fields_of_copy
from cdna_evidence.checks import Check


def changed(first, second):
    """Names of the fields that differ between tiles at two places of one tensor, sorted."""
    copy = {"element_bits": 16, "base": 1 << 20, "tensor": [1000, 700], "strides": [1024], "tile": [64, 32]}
    one, other = fields_of_copy(dict(copy, at=first)), fields_of_copy(dict(copy, at=second))
    return sorted(name for name in {**one, **other} if one.get(name, 0) != other.get(name, 0))


class AlongARow(Check):
    """Two tiles of one tensor, neighbours along a row, planned by the model: the fields that differ.

    Shows: descriptors made from a tensor and an offset.
    Does not show: what happens when a field is left as it was.
    """

    claim = "TDM-024"
    kind = "model"
    binds = ("changed_set",)

    def observe(self, target, tools):
        return {"changed_set": changed([64, 0], [128, 0])}


class DownTheRows(Check):
    """Two tiles of one tensor, one below the other, and two that are neighbours on the diagonal.

    Shows: descriptors made from a tensor and an offset.
    Does not show: what happens when a field is left as it was.
    """

    claim = "TDM-025"
    kind = "model"
    binds = ("down_set", "diagonal_count")

    def observe(self, target, tools):
        return {"down_set": changed([64, 0], [64, 32]), "diagonal_count": len(changed([64, 0], [128, 32]))}
