# SPDX-License-Identifier: Apache-2.0
"""Columns of a tile and the banks they meet in, from where the reference model puts the rows."""

from cdna.lds.banks import bank_of, conflict_degree
from cdna.tdm.walk import lds_map
from cdna_evidence.checks import Check


def column(rows, row_dwords, interval=None, amount=None):
    """LDS byte of column 0 of each row, as the engine model places the tile."""
    fields = {"data_size": 2, "tile_dim0": row_dwords, "tile_dim1": rows, "tensor_dim0": row_dwords}
    fields.update(tensor_dim1=rows, tensor_dim0_stride=row_dwords)
    if interval is not None:
        fields.update(pad_enable=1, pad_interval=interval, pad_amount=amount)
    return [landing.lds for landing in lds_map(fields) if landing.at[0] == 0]


class ColumnConflict(Check):
    """Four rows of 64 and of 128 DWORDs, packed, and the first with a gap of one DWORD after each row.

    Shows: bank numbers of column 0 over 64 banks.
    Does not show: which lanes are served together, so no time.
    """

    claim = "LDS-003"
    kind = "model"
    binds = ("banks", "rows", "row_dwords", "pad_dwords", "packed", "padded", "packed_double_row")

    def observe(self, target, tools):
        banks, rows, width = 64, 4, 64
        packed, padded = column(rows, width), column(rows, width, 5, 0)
        return {
            "banks": banks,
            "rows": rows,
            "row_dwords": width,
            "pad_dwords": (padded[1] - packed[1]) // 4,
            "packed": [bank_of(byte, banks) for byte in packed],
            "padded": [bank_of(byte, banks) for byte in padded],
            "packed_double_row": [bank_of(byte, banks) for byte in column(rows, 2 * width)],
        }


class SimpleRule(Check):
    """How often the busiest bank is asked by the simple rule: one column packed, one padded, and one word for all.

    Shows: what the simple rule says about three cases, in the reference model.
    Does not show: a number of cycles; for that, opcode, width and service groups decide.
    """

    claim = "LDS-005"
    kind = "model"
    binds = ("turns",)

    def observe(self, target, tools):
        banks = 64
        return {
            "turns": {
                "one_bank": conflict_degree(column(4, 64), banks),
                "different_banks": conflict_degree(column(4, 64, 5, 0), banks),
                "one_address": conflict_degree([256, 256, 256, 256], banks),
            }
        }
