# SPDX-License-Identifier: Apache-2.0
"""What public encoders write, read from the words that they produced; each position has the words of its own side."""

from cdna_evidence.checks import Check


def words_of(tools, kind):
    """Return the entries of one kind of the words file."""
    return [entry for entry in tools.vector("tdm-words")["descriptor_words"] if entry["kind"] == kind]


def bits_of(word):
    """Return the numbers of the bits that are set."""
    return [bit for bit in range(64) if word >> bit & 1]


def single(values):
    """Return the one value that all share, else the sorted list of them."""
    found = sorted(set(values))
    return found[0] if len(found) == 1 else found


def gather_words(tools, origins):
    """Return what the first words of some encoders say about the two top bits."""
    short, long = [], []
    for entry in words_of(tools, "gather_word0"):
        if entry["origin"] in origins:
            tools.origin(entry["origin"])
            (short if entry["params"]["index_bits"] == 16 else long).append(entry["expected"])
    one, other = single(short), single(long)
    mode = bits_of(int(one, 16) & ~3)
    size = bits_of(int(other, 16) & ~int(one, 16) & ~3)
    return {"mode_bit": single(mode), "index_size_bit": single(size), "word_16_bit": one, "word_32_bit": other}


class GatherModeInBit31(Check):
    """The words that aiter asserts for both index widths put the mode in bit 31 and the size in bit 30.

    Shows: the constants of that library, which reports byte-exact runs on a device.
    Does not show: such a run; no log was seen.
    """

    claim = "TDM-060"
    kind = "vector"
    witness = "tdm-words"
    position = "mode-in-bit-31"
    origins = ("aiter",)
    binds = ("mode_bit", "index_size_bit", "word_16_bit", "word_32_bit")

    def observe(self, target, tools):
        return gather_words(tools, self.origins)


class GatherModeInBit30(GatherModeInBit31):
    """The words that MLIR and IREE emit for both index widths put the mode in bit 30 and the size in bit 31.

    Shows: the constants of these two encoders.
    Does not show: that a device reads them so.
    """

    position = "mode-in-bit-30"
    origins = ("MLIR", "IREE")


def tile_dim3(tools, origins):
    """Return which tile extent some encoders put into the upper half of word 3 of group 2, and the word for 3D."""
    dimensions, rank_3 = [], []
    for entry in words_of(tools, "tile_dim3"):
        if entry["origin"] not in origins:
            continue
        tools.origin(entry["origin"])
        tile, held = entry["params"]["tile_innermost_first"], int(entry["group2_word3"], 16) >> 16
        if entry["params"]["rank"] == 3:
            rank_3.append(entry["group2_word3"])
        if held:
            dimensions.append(tile.index(held))
    return dimensions, rank_3


class TileDim3Fourth(Check):
    """Triton, and the vendor's header, put the fourth extent into the upper half of word 3 of group 2.

    Shows: the words of Triton for 3D to 5D tiles, and of the header for a descriptor with all fields distinct.
    Does not show: hardware.
    """

    claim = "TDM-061"
    kind = "vector"
    witness = "tdm-words"
    position = "fourth-extent"
    binds = ("dimension", "rank_3_word", "group2_word")

    def observe(self, target, tools):
        dimensions, rank_3 = tile_dim3(tools, ("Triton",))
        words = []
        for entry in words_of(tools, "descriptor_words"):
            fields = entry["fields_in_D_order_encoded"]
            if entry["origin"] == "Triton" and "tile_dim3" in fields:
                tile = [fields[f"tile_dim{i}"] for i in range(5)]
                dimensions.append(tile.index(int(entry["words"]["group2"][3], 16) >> 16))
            if entry["id"] == "hip_5d_distinct":
                tools.origin(entry["origin"])
                tile = [fields[f"tile_dim{i}"] for i in range(5)]
                for number, word in enumerate(entry["words"]["group2"]):
                    if int(word, 16) >> 16 in tile:
                        words.append(number)
                        dimensions.append(tile.index(int(word, 16) >> 16))
        return {"dimension": single(dimensions), "rank_3_word": single(rank_3), "group2_word": single(words)}


class TileDim3Third(Check):
    """MLIR and IREE put the third extent into the upper half of word 3 of group 2, for 3D tiles as well.

    Shows: the words of these two encoders for 3D to 5D tiles.
    Does not show: that a device reads them so.
    """

    claim = "TDM-061"
    kind = "vector"
    witness = "tdm-words"
    position = "third-extent"
    binds = ("dimension", "rank_3_word")

    def observe(self, target, tools):
        dimensions, rank_3 = tile_dim3(tools, ("MLIR", "IREE"))
        for entry in words_of(tools, "descriptor_words"):
            emitted = entry.get("mlir_emitted_group2_word3")
            if emitted:
                fields = entry["fields_in_D_order_encoded"]
                dimensions.append([fields[f"tile_dim{i}"] for i in range(5)].index(int(emitted, 16) >> 16))
        return {"dimension": single(dimensions), "rank_3_word": single(rank_3)}


class SecondStrideBits(Check):
    """Strides of a single bit through both setters of Composable Kernel: which bits reach a word, and which word.

    Shows: the compiled header of one revision, bit by bit, and one stride through the vendor's header.
    Does not show: later revisions.
    """

    claim = "TDM-062"
    kind = "vector"
    witness = "tdm-words"
    binds = ("own_setter", "setter_by_index", "harmless_below", "hip_lost_bits")

    def observe(self, target, tools):
        found = {}
        for entry in words_of(tools, "stride_words"):
            tools.origin(entry["origin"])
            lands = []
            for pair in entry["group1_words_6_7"]:
                word6, word7 = (int(word, 16) for word in pair.split())
                lands.append(bits_of(word6 >> 16 | word7 << 16))
            lost = [bit for bit, places in enumerate(lands) if not places]
            moved = [[bit, places[0]] for bit, places in enumerate(lands) if places and places[0] != bit]
            wrong = sorted(lost + [bit for bit, _ in moved])
            gapless = lost == list(range(lost[0], lost[-1] + 1))
            found[entry["id"]] = {
                "lost": [lost[0], lost[-1]] if gapless else lost,
                "moved": [{"bit": bit, "lands_at": place} for bit, place in moved],
                "harmless_below": 1 << wrong[0],
            }
        own, by_index = found["ck_stride1"], found["ck_stride_by_index"]
        header = next(e for e in words_of(tools, "descriptor_words") if e["id"] == "hip_5d_distinct")
        tools.origin(header["origin"])
        words = [int(word, 16) for word in header["words"]["group1"]]
        held = words[6] >> 16 | words[7] << 16
        return {
            "own_setter": {"lost": own["lost"], "moved": own["moved"][0]},
            "setter_by_index": {"lost": by_index["lost"]},
            "harmless_below": single([own["harmless_below"], by_index["harmless_below"]]),
            "hip_lost_bits": len(bits_of(held ^ header["fields_in_D_order_encoded"]["tensor_dim1_stride"])),
        }


class CountIsOne(Check):
    """Every encoder whose group 0 is kept writes the same value into the lowest two bits of its first word.

    Shows: the words of the vendor's header, Triton, MLIR, IREE and aiter.
    Does not show: what the manual asks for.
    """

    claim = "TDM-063"
    kind = "vector"
    witness = "tdm-words"
    binds = ("count",)

    def observe(self, target, tools):
        counts = []
        for entry in words_of(tools, "descriptor_words"):
            # The note of this entry says that its group 0 was not produced by the encoder.
            if entry["id"] != "mlir_5d":
                tools.origin(entry["origin"])
                counts.append(int(entry["words"]["group0"][0], 16) & 3)
        for entry in words_of(tools, "gather_word0"):
            tools.origin(entry["origin"])
            counts.append(int(entry["expected"], 16) & 3)
        return {"count": single(counts) if len(counts) > 5 else -1}
