# SPDX-License-Identifier: Apache-2.0
"""Groups that an instruction leaves out, by the model."""

from cdna.tdm.transfer import run
from cdna_evidence.checks import Check


def loaded(fields, null_groups=()):
    """LDS of 64 marked bytes after a load from memory full of 0x11."""
    memory = [(4096, b"\x11" * 4096)]
    after = run(dict(fields, global_addr=4096), "load", memory, b"\xee" * 64, null_groups=null_groups)
    if after.faults:
        raise ValueError(f"faults: {after.faults}")
    return after.lds


class NullReadsZero(Check):
    """A 3D tile with group 2, and the same tile with groups 2 and 3 left out.

    Shows: how many elements the model loads and how many it fills with zero, and that absent means zeroed.
    Does not show: hardware.
    """

    claim = "TDM-056"
    kind = "model"
    binds = ("elements", "loaded", "zeroed", "loaded_with_group2", "null_reads")

    def observe(self, target, tools):
        fields = {"data_size": 2, "tile_dim0": 3, "tile_dim1": 2, "tile_dim2": 1, "tensor_dim0": 3, "tensor_dim1": 2}
        fields.update(tensor_dim0_stride=4, tensor_dim1_stride=8, tensor_dim2=5)
        given, absent = loaded(fields), loaded(fields, (2, 3))
        zeroed = loaded(dict(fields, tensor_dim2=0))
        counts = {mark: [absent[4 * i : 4 * i + 4] for i in range(16)].count(bytes([mark]) * 4) for mark in (0x11, 0)}
        with_group = [given[4 * i : 4 * i + 4] for i in range(16)].count(b"\x11" * 4)
        return {
            "elements": sum(counts.values()),
            "loaded": counts[0x11],
            "zeroed": counts[0],
            "loaded_with_group2": with_group,
            "null_reads": "zero" if absent == zeroed else "undefined",
        }


class MixedPair(Check):
    """A 5D tile with group 3 left out, compared with the same tile and group 3 full of zeros.

    Shows: that the model gives a mixed pair the meaning that this position gives it.
    Does not show: that a device accepts one.
    """

    claim = "TDM-052"
    kind = "model"
    position = "mixed-executes"
    binds = ("missing_group_reads",)

    def observe(self, target, tools):
        fields = {"data_size": 2, "tile_dim0": 2, "tensor_dim0": 2, "tensor_dim0_stride": 2}
        fields.update({f"tile_dim{d}": 1 for d in range(1, 5)})
        fields.update({f"tensor_dim{d}": 1 for d in range(1, 5)})
        fields.update(tile_dim3=2, tensor_dim3=2, tensor_dim2_stride=16, tile_dim4=2, tensor_dim4=2, tensor_dim3_stride=64)
        whole, mixed = loaded(fields), loaded(fields, (3,))
        zeroed = loaded(dict(fields, tensor_dim3_stride=0, tensor_dim4=0, tile_dim4=0))
        if whole == zeroed:
            raise ValueError("group 3 makes no difference to this tile")
        return {"missing_group_reads": "zero" if mixed == zeroed else "undefined"}
