# SPDX-License-Identifier: Apache-2.0
"""The two bits and the extent on which encoders disagree, as the reference model encodes and decodes them."""

from cdna.tdm.copy import fields_of_copy
from cdna.tdm.descriptor import decode, encode
from cdna_evidence.checks import Check


def shown(word):
    """Return a word as the register writes it."""
    return f"0x{word:08x}"


class GatherBitsOfTheModel(Check):
    """Which single bit of the first word makes the model decode a gather, which one sets the index width.

    Shows: the reference model's field table, bit by bit.
    Does not show: hardware.
    """

    claim = "TDM-060"
    kind = "model"
    position = "mode-in-bit-31"
    binds = ("mode_bit", "index_size_bit", "word_16_bit", "word_32_bit")

    def observe(self, target, tools):
        mode, size = [], []
        for bit in range(2, 32):
            found = decode((1 | 1 << bit, 0, 0, 0x80000000) + (0,) * 8)
            if found.layout.startswith("gather"):
                mode.append(bit)
            if found.fields.get("gather_index_size"):
                size.append(bit)
        short = encode({"gather_mode": 1, "tile_dim0": 4, "tile_dim1": 1, "row_indices": [7]})[0]
        long = encode({"gather_mode": 1, "gather_index_size": 1, "tile_dim0": 4, "tile_dim1": 1, "row_indices": [7]})[0]
        return {
            "mode_bit": mode[0] if len(mode) == 1 else mode,
            "index_size_bit": size[0] if len(size) == 1 else size,
            "word_16_bit": shown(short),
            "word_32_bit": shown(long),
        }


class TileDim3OfTheModel(Check):
    """Which extent of a tile the model puts into the upper half of word 3 of group 2.

    Shows: the copy planner and the encoder, for a 3D and a 4D tile with distinct extents.
    Does not show: hardware.
    """

    claim = "TDM-061"
    kind = "model"
    position = "fourth-extent"
    binds = ("dimension", "rank_3_word", "group2_word")

    def observe(self, target, tools):
        tile, plain = self._group2([16, 8, 4, 2])
        holding = [i for i, word in enumerate(plain) if word >> 16 in tile]
        return {
            "dimension": tile.index(plain[3] >> 16),
            "rank_3_word": shown(self._group2([16, 8, 4])[1][3]),
            "group2_word": holding[0] if len(holding) == 1 else holding,
        }

    def _group2(self, tile):
        strides = [4096 << 8 * i for i in range(len(tile) - 1)]
        copy = {"element_bytes": 4, "global_addr": 4096, "tile": tile, "tensor": [64] * len(tile), "strides": strides}
        return tile, encode(fields_of_copy(copy))[12:16]
