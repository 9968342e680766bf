# SPDX-License-Identifier: Apache-2.0
"""Padding: what programs that were not written here encoded, and what a test suite expects in LDS."""

from cdna_evidence.checks import Check


def entries(tools, stem, key, *names):
    """Return {id: entry} of a vector file."""
    return {entry["id"]: entry for entry in tools.vector(stem)[key] if not names or entry["id"] in names}


def requested(tools):
    """Yield (origin, interval DWORDs, amount DWORDs, interval code, amount code or None) of encoders given lengths."""
    found = entries(tools, "tdm-words", "descriptor_words")
    for entry in found.values():
        if entry["kind"] == "encoded_pad":
            params, codes = entry["params"], entry["expected"]
            interval = params["interval_elements"] * params["element_bytes"] // 4
            amount = params["amount_elements"] * params["element_bytes"] // 4
            yield entry["origin"], interval, amount, codes["pad_interval"], codes.get("pad_amount")
    # Two encoders whose words stand in full; both were asked for 8 elements of 16 bits after every 64.
    for name in ("triton_2d_bf16_pad64_8", "triton_2d_at_128_64"):
        word = int(found[name]["words"]["group1"][0], 16)
        yield found[name]["origin"], 32, 4, word >> 22 & 7, word >> 25
    word = int(found["flydsl_pad"]["expected"], 16)
    yield found["flydsl_pad"]["origin"], 32, 4, word >> 22 & 7, word >> 25


def holes_expected(entry):
    """Return (bytes before the first gap, bytes of the gap) that a test expects in LDS."""
    fill = int(entry["lds_init"]["fill_u32"], 16).to_bytes(4, "little")
    expected = {}
    for item in entry["expected_lds"]:
        if "u8" in item:
            expected[item["offset"]] = item["u8"]
        else:
            for i, byte in enumerate(int(item["u32"], 16).to_bytes(4, "little")):
                expected[item["offset"] + i] = byte
    size = entry["fields_in_D_order_encoded"]["tile_dim0"] << entry["fields_in_D_order_encoded"]["data_size"]
    untouched = [place for place in sorted(expected) if expected[place] == fill[place % 4] and place != fill[0]]
    start = untouched[0]
    length = 1
    while start + length in expected and expected[start + length] == fill[(start + length) % 4]:
        length += 1
    return (start, length) if start < size else (None, None)


class EncodersAgreeOnIntervals(Check):
    """Encoders asked for an interval in elements, and a test of an emulator, use the code that the claim gives.

    Shows: which codes Triton, aiter, FlyDSL and rocJITsu's test connect with which lengths.
    Does not show: every code; these programs were asked for five of the eight.
    """

    claim = "TDM-031"
    kind = "vector"
    witness = "tdm-words"
    binds = ("dwords_by_code",)

    def observe(self, target, tools):
        pairs = []
        for origin, interval, _, code, _ in requested(tools):
            tools.origin(origin)
            pairs.append([code, interval])
        for entry in entries(tools, "tdm-lds", "lds_contents", "rj_pad_min", "rj_pad_u8").values():
            start, _ = holes_expected(entry)
            tools.origin(entry["origin"])
            pairs.append([entry["fields_in_D_order_encoded"]["pad_interval"], start // 4])
        return {"pairs": sorted(pairs)}

    def judge(self, observed, values):
        table = values["dwords_by_code"]
        found = [] if len(observed["pairs"]) > 5 else [f"pairs: {len(observed['pairs'])} read, more expected"]
        for code, dwords in observed["pairs"]:
            given = table[code] if code < len(table) else None
            if given != dwords:
                found.append(f"dwords_by_code[{code}]: written for {dwords} DWORDs, published {given}")
        return found


class EncodersAgreeOnAmounts(Check):
    """Encoders asked for a gap in elements, and a test of an emulator, use a code one below the DWORDs.

    Shows: which codes Triton, aiter, FlyDSL and rocJITsu's test connect with which lengths.
    Does not show: every code; the smallest, the largest and one between are covered.
    """

    claim = "TDM-032"
    kind = "vector"
    witness = "tdm-words"
    binds = ("codes", "first_dwords", "step_dwords", "last_dwords")

    def observe(self, target, tools):
        pairs = []
        for origin, _, amount, _, code in requested(tools):
            if code is not None:
                tools.origin(origin)
                pairs.append([code, amount])
        for entry in entries(tools, "tdm-lds", "lds_contents", "rj_pad_min", "rj_pad_u8").values():
            _, length = holes_expected(entry)
            tools.origin(entry["origin"])
            pairs.append([entry["fields_in_D_order_encoded"]["pad_amount"], length // 4])
        return {"pairs": sorted(pairs)}

    def judge(self, observed, values):
        found = [] if len(observed["pairs"]) > 5 else [f"pairs: {len(observed['pairs'])} read, more expected"]
        for code, dwords in observed["pairs"]:
            published = values["first_dwords"] + code * values["step_dwords"]
            if published != dwords:
                found.append(f"code {code}: written for {dwords} DWORDs, published {published}")
        largest = max((pair for pair in observed["pairs"]), default=[-1, -1])
        if largest != [values["codes"] - 1, values["last_dwords"]]:
            found.append(f"largest: written {largest}, published {values['codes'] - 1} for {values['last_dwords']}")
        return found


class EmulatorTestRunsZeroPair(Check):
    """A test of AMD's emulator loads with both codes zero and expects the smallest gap after the smallest interval.

    Shows: that rocJITsu's test takes zero for a value.
    Does not show: hardware.
    """

    claim = "TDM-033"
    kind = "vector"
    witness = "tdm-lds"
    position = "table-values"
    binds = ("both_zero",)

    def observe(self, target, tools):
        entry = entries(tools, "tdm-lds", "lds_contents", "rj_pad_min")["rj_pad_min"]
        tools.origin(entry["origin"])
        return {"both_zero": [size // 4 for size in holes_expected(entry)]}


class LibraryRefusesZeroPair(Check):
    """A static assertion of aiter refuses both codes zero and lets every other pair pass.

    Shows: what that library accepts, as it was read in its source.
    Does not show: why; the comment says it is the unpredictable case.
    """

    claim = "TDM-033"
    kind = "vector"
    witness = "tdm-words"
    position = "zero-pair-refused"
    binds = ("both_zero_library", "one_zero_library", "no_zero_library")

    def observe(self, target, tools):
        entry = entries(tools, "tdm-words", "descriptor_words", "opus_pad_pairs")["opus_pad_pairs"]
        tools.origin(entry["origin"])
        verdicts = {}
        for pair in entry["pairs"]:
            zeros = [pair["pad_interval"], pair["pad_amount"]].count(0)
            verdicts.setdefault(zeros, set()).add("accept" if pair["accepted"] else "reject")
        names = {2: "both_zero_library", 1: "one_zero_library", 0: "no_zero_library"}
        return {names[zeros]: ", ".join(sorted(words)) for zeros, words in verdicts.items()}


class EmulatorTestCountsDwords(Check):
    """A test of AMD's emulator with one-byte elements expects a gap of four bytes for each unit.

    Shows: the unit that rocJITsu's test uses for the smallest element.
    Does not show: hardware, or other element sizes.
    """

    claim = "TDM-034"
    kind = "vector"
    witness = "tdm-lds"
    binds = ("unit_bytes", "elements_per_unit")

    def observe(self, target, tools):
        entry = entries(tools, "tdm-lds", "lds_contents", "rj_pad_u8")["rj_pad_u8"]
        tools.origin(entry["origin"])
        fields = entry["fields_in_D_order_encoded"]
        unit = holes_expected(entry)[1] // (fields["pad_amount"] + 1)
        return {"unit_bytes": unit, "elements": unit >> fields["data_size"]}

    def judge(self, observed, values):
        found = []
        if observed["unit_bytes"] != values["unit_bytes"]:
            found.append(f"unit_bytes: expected {observed['unit_bytes']}, published {values['unit_bytes']}")
        if observed["elements"] != values["elements_per_unit"]["data_size_0"]:
            found.append(f"elements_per_unit: expected {observed['elements']} one-byte elements")
        return found


class EmulatorTestIgnoresPadOnStore(Check):
    """A test of AMD's emulator stores with the padding bit set and expects consecutive DWORDs in memory.

    Shows: that a later revision of rocJITsu's test takes padding as ignored.
    Does not show: hardware.
    """

    claim = "TDM-036"
    kind = "vector"
    witness = "tdm-lds"
    position = "ignored-on-store"
    binds = ("lds_dwords_read",)

    def observe(self, target, tools):
        entry = entries(tools, "tdm-lds", "lds_contents", "rj_pad_store_ignored")["rj_pad_store_ignored"]
        tools.origin(entry["origin"])
        held = entry["lds_init"]["u32"]
        return {"lds_dwords_read": [held.index(item["u32"]) for item in entry["expected_memory"]]}

    def judge(self, observed, values):
        read = observed["lds_dwords_read"]
        published = values["lds_dwords_read"][: len(read)]
        return [] if len(read) > 2 and read == published else [f"lds_dwords_read: expected {read}, published {published}"]


class EncoderPadsStores(Check):
    """A test of FlyDSL expects the same padding bits in a store's descriptor as in a load's, and the row not widened.

    Shows: what that encoder writes.
    Does not show: what the engine does with it.
    """

    claim = "TDM-036"
    kind = "vector"
    witness = "tdm-words"
    position = "honoured-on-store"
    binds = ("store_word",)

    def observe(self, target, tools):
        found = entries(tools, "tdm-words", "descriptor_words", "flydsl_store_pad", "flydsl_pad")
        store, load = found["flydsl_store_pad"], found["flydsl_pad"]
        tools.origin(store["origin"])
        same = store["group1_word0"] == load["expected"]
        width = int(store["group1_word3"], 16) >> 16
        return {"store_word": store["group1_word0"] if same and width == store["params"]["tile"][0] else "0x00000000"}


class EmulatorTestRunsSmallestPair(Check):
    """A test of AMD's emulator runs the smallest padding and expects one DWORD after every two.

    Shows: that rocJITsu's test takes the pair for legal.
    Does not show: hardware.
    """

    claim = "TDM-040"
    kind = "vector"
    witness = "tdm-lds"
    position = "zero-pair-legal"
    binds = ("interval_dwords", "amount_dwords")

    def observe(self, target, tools):
        entry = entries(tools, "tdm-lds", "lds_contents", "rj_pad_min")["rj_pad_min"]
        tools.origin(entry["origin"])
        start, length = holes_expected(entry)
        return {"interval_dwords": start // 4, "amount_dwords": length // 4}


class LibraryRefusesSmallestPair(Check):
    """A static assertion of aiter refuses the smallest padding and takes the next larger one.

    Shows: what that library accepts, as it was read in its source.
    Does not show: what a device does.
    """

    claim = "TDM-040"
    kind = "vector"
    witness = "tdm-words"
    position = "zero-pair-illegal"
    binds = ("zero_pair", "next_pair")

    def observe(self, target, tools):
        entry = entries(tools, "tdm-words", "descriptor_words", "opus_pad_pairs")["opus_pad_pairs"]
        tools.origin(entry["origin"])
        words = {(p["pad_interval"], p["pad_amount"]): "accept" if p["accepted"] else "reject" for p in entry["pairs"]}
        return {"zero_pair": words[0, 0], "next_pair": words[1, 1]}


class SuiteBytesFitOneSpacing(Check):
    """The bytes that aiter's suite expects in LDS fit one spacing of gaps only, out of all that the fields can ask for.

    Shows: the spacing behind the kept digest of a padded tile, found by trying every interval and the first 32 gaps.
    Does not show: that the suite ran; its authors say so, and no log was seen. Rows are as long as the interval here.
    """

    claim = "TDM-038"
    kind = "vector"
    witness = "tdm-lds"
    binds = ("bytes_per_step",)

    def observe(self, target, tools):
        entry = entries(tools, "tdm-lds", "lds_contents", "opus_pad_u32_64_4")["opus_pad_u32_64_4"]
        tools.origin(entry["origin"])
        fits = [
            (8 << code, gap)
            for code in range(8)
            for gap in range(4, 132, 4)
            if self._digest(entry, 8 << code, gap) == entry["expected_lds_sha256"]
        ]
        code = entry["descriptors"][0]["fields"]["pad_interval"]
        return {"bytes_per_step": fits[0][0] >> code if len(fits) == 1 else -1}

    def _digest(self, entry, interval, gap):
        import hashlib

        lds = bytearray([int(entry["lds_init"]["fill_u8"], 16)]) * entry["lds_init"]["length"]
        for descriptor in entry["descriptors"]:
            fields = descriptor["fields"]
            size = 1 << fields["data_size"]
            offset = 0
            for row in range(fields["tile_dim1"]):
                start = fields["global_addr"] - 65536 + row * fields["tensor_dim0_stride"] * size
                for byte in range(start, start + fields["tile_dim0"] * size):
                    place = fields.get("lds_addr", 0) + offset + offset // interval * gap
                    if place < len(lds):
                        lds[place] = (byte * 2654435761 & 0xFFFFFFFF) >> 16 & 0xFF
                    offset += 1
        return hashlib.sha256(bytes(lds[: entry["expected_lds_length"]])).hexdigest()
