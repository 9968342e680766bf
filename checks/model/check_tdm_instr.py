# SPDX-License-Identifier: Apache-2.0
"""What a tensor load and a tensor store read and write, by the model."""

from cdna.tdm.transfer import run
from cdna_evidence.checks import Check

FIELDS = {"data_size": 2, "tile_dim0": 4, "tensor_dim0": 4}


class Directions(Check):
    """Memory and LDS are changed in turn, to see what each operation reads and what it writes.

    Shows: for load and store of the model, the space whose contents matter and the space that changes.
    Does not show: hardware.
    """

    claim = "TDM-001"
    kind = "model"
    binds = ("load_reads", "load_writes", "store_reads", "store_writes")

    def observe(self, target, tools):
        found = {}
        for op in ("load", "store"):
            results = {}
            for name, memory, lds in (("base", 1, 2), ("global", 3, 2), ("lds", 1, 4)):
                before = bytes([memory]) * 16, bytes([lds]) * 16
                after = run(FIELDS, op, [(0, before[0])], before[1])
                results[name] = before, (after.memory[0][1], after.lds)
            before, after = results["base"]
            writes = [space for i, space in enumerate(("global", "lds")) if before[i] != after[i]]
            place = ("global", "lds").index(writes[0]) if len(writes) == 1 else None
            if place is None:
                raise ValueError(f"{op} writes {writes}")
            reads = [space for space in ("global", "lds") if results[space][1][place] != after[place]]
            if len(reads) != 1:
                raise ValueError(f"{op} depends on {reads}")
            found.update({op + "_reads": reads[0], op + "_writes": writes[0]})
        return found
