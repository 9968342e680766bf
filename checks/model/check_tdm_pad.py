# SPDX-License-Identifier: Apache-2.0
"""Padding of tensor loads, asked of the reference model by running loads and looking for the holes they leave."""

from cdna.lds.banks import bank_of
from cdna.tdm.descriptor import FieldError, encode
from cdna.tdm.pad import padded_offset
from cdna.tdm.rules import findings
from cdna.tdm.transfer import run
from cdna_evidence.checks import Check


def written(fields, lds_bytes):
    """Load a tile twice, over all-zero and over all-one LDS; return (faults, byte or None for each LDS byte)."""
    size = fields["tile_dim0"] << fields.get("data_size", 0)
    rows = fields.get("tile_dim1", 0) or 1
    memory = [(4096, bytes((i * 7 + i // 256) % 251 + 1 for i in range(size * rows)))]
    whole = dict(fields, global_addr=4096, tensor_dim0=fields["tile_dim0"], tensor_dim1=rows)
    whole["tensor_dim0_stride"] = fields["tile_dim0"]
    low = run(whole, "load", memory, bytes(lds_bytes))
    high = run(whole, "load", memory, b"\xff" * lds_bytes)
    pairs = zip(low.lds, high.lds)
    return len(low.faults) + len(high.faults), [one if one == other else None for one, other in pairs]


def holes(content):
    """Return [(start, length)] of the runs of bytes that were not written and lie before the last written byte."""
    last = max((i for i, byte in enumerate(content) if byte is not None), default=-1)
    found, start = [], None
    for i in range(last + 1):
        if content[i] is None and start is None:
            start = i
        if content[i] is not None and start is not None:
            found.append((start, i - start))
            start = None
    return found


def first_hole(interval, amount, data_size=2, elements=600):
    """Return (bytes before the first gap, bytes of the gap) that a load leaves for two codes."""
    fields = {"tile_dim0": elements, "data_size": data_size, "pad_enable": 1}
    fields.update(pad_interval=interval, pad_amount=amount)
    return holes(written(fields, (elements << data_size + 3) + 8192)[1])[0]


def codes_accepted(field):
    """Return how many values of a field, from zero up, the encoder takes."""
    count = 0
    while count < 1000:
        try:
            encode({"tile_dim0": 4, "pad_enable": 1, field: count})
        except FieldError:
            break
        count += 1
    return count


class PadIntervalSpacing(Check):
    """The engine model leaves its first gap where each interval code says, and the encoder takes these codes only.

    Shows: the reference model's stores, code by code.
    Does not show: hardware.
    """

    claim = "TDM-031"
    kind = "model"
    binds = ("codes", "dwords_by_code")

    def observe(self, target, tools):
        codes = codes_accepted("pad_interval")
        return {"codes": codes, "dwords_by_code": [first_hole(code, 1)[0] // 4 for code in range(codes)]}


class PadAmountLength(Check):
    """The engine model leaves a gap as long as each amount code says, and the encoder takes these codes only.

    Shows: the reference model's stores for every code.
    Does not show: hardware.
    """

    claim = "TDM-032"
    kind = "model"
    binds = ("codes", "first_dwords", "step_dwords", "last_dwords")

    def observe(self, target, tools):
        codes = codes_accepted("pad_amount")
        lengths = [first_hole(1, code, elements=8)[1] // 4 for code in range(codes)]
        steps = sorted(set(b - a for a, b in zip(lengths, lengths[1:])))
        return {
            "codes": codes,
            "first_dwords": lengths[0],
            "step_dwords": steps[0] if len(steps) == 1 else steps,
            "last_dwords": lengths[-1],
        }


class PadPairsAsValues(Check):
    """The engine model treats a zero code as a value like any other.

    Shows: where the model leaves gaps for three pairs that hold a zero.
    Does not show: that a device does so; sources disagree.
    """

    claim = "TDM-033"
    kind = "model"
    position = "table-values"
    binds = ("both_zero", "amount_zero", "interval_zero")

    def observe(self, target, tools):
        pairs = {"both_zero": (0, 0), "amount_zero": (4, 0), "interval_zero": (0, 3)}
        return {name: [size // 4 for size in first_hole(*pair)] for name, pair in pairs.items()}


def lint(rule, pairs):
    """Return whether a rule of the linter speaks of each pair of codes."""
    base = {"tile_dim0": 64, "tensor_dim0": 64, "data_size": 1, "pad_enable": 1}
    said = [findings(dict(base, pad_interval=one, pad_amount=other)) for one, other in pairs]
    return [any(item.rule == rule for item in found) for found in said]


class PadMixedPairLint(Check):
    """The linter calls exactly the pairs with one zero code unpredictable by this rule.

    Shows: that the project's linter carries this position as a warning of its own.
    Does not show: what a device does with such a pair.
    """

    claim = "TDM-033"
    kind = "model"
    position = "both-or-neither"
    binds = ("both_zero_codes", "one_zero_code", "no_zero_code")

    def observe(self, target, tools):
        words = {True: "unpredictable", False: "legal"}
        both, amount, interval, none = lint("pad-mixed-codes", [(0, 0), (4, 0), (0, 3), (4, 3)])
        return {
            "both_zero_codes": words[both],
            "one_zero_code": words[amount] if amount == interval else "undefined",
            "no_zero_code": words[none],
        }


class PadUnits(Check):
    """One step of the amount code is the same number of bytes for every element size.

    Shows: the reference model's stores for elements of 1, 2, 4 and 8 bytes.
    Does not show: hardware.
    """

    claim = "TDM-034"
    kind = "model"
    binds = ("unit_bytes", "elements_per_unit")

    def observe(self, target, tools):
        units = []
        for data_size in range(4):
            units.append(first_hole(1, 4, data_size, 64)[1] - first_hole(1, 3, data_size, 64)[1])
        unit = units[0] if len(set(units)) == 1 else units
        return {"unit_bytes": unit, "elements_per_unit": {f"data_size_{n}": units[n] >> n for n in range(3)}}


class PadRowMultiple(Check):
    """The linter refuses padded rows of exactly these lengths as errors, and none without padding.

    Shows: the rule as this project's linter applies it to rows of 1 to 12 bytes.
    Does not show: what a device does with such a row.
    """

    claim = "TDM-035"
    kind = "model"
    binds = ("row_multiple_bytes", "refused_rows", "refused_without_padding")

    def observe(self, target, tools):
        import math

        lengths = list(range(1, 13))
        padded = [length for length in lengths if self._refused(length, 1)]
        accepted = [length for length in lengths if length not in padded]
        return {
            "row_multiple_bytes": math.gcd(*accepted),
            "refused_rows": padded,
            "refused_without_padding": sum(self._refused(length, 0) for length in lengths),
        }

    def _refused(self, length, enable):
        fields = {"tile_dim0": length, "tensor_dim0": length, "pad_enable": enable}
        fields.update(pad_interval=enable, pad_amount=enable)
        return any(item.severity == "error" and item.field == "tile_dim0" for item in findings(fields))


def stored(store_padding):
    """Store a tile of eight numbered DWORDs with padding bits set; return the numbers that reach memory."""
    fields = {"global_addr": 4096, "data_size": 2, "tile_dim0": 8, "tensor_dim0": 8}
    fields.update(pad_enable=1, pad_interval=1, pad_amount=1)
    lds = b"".join((100 + i).to_bytes(4, "little") for i in range(16))
    after = run(fields, "store", [(4096, bytes(64))], lds, store_padding=store_padding).memory[0][1]
    words = [int.from_bytes(after[i : i + 4], "little") for i in range(0, 64, 4)]
    return [word - 100 for word in words if word]


class PadStoreIgnored(Check):
    """A store with the padding bits set takes its tile from consecutive DWORDs of LDS.

    Shows: the reference model's default.
    Does not show: hardware.
    """

    claim = "TDM-036"
    kind = "model"
    position = "ignored-on-store"
    store_padding = "ignored"
    binds = ("lds_dwords_read", "tile_dwords")

    def observe(self, target, tools):
        found = stored(self.store_padding)
        return {"lds_dwords_read": found, "tile_dwords": len(found)}


class PadStoreHonoured(PadStoreIgnored):
    """With the other position chosen, a store steps over the gaps.

    Shows: what that position means, in the reference model.
    Does not show: that a device does so.
    """

    position = "honoured-on-store"
    store_padding = "applied"


class PadPastAllocation(Check):
    """A gap that finds no room is left out without a fault; data that finds no room is a fault.

    Shows: the reference model on an allocation with room and on one that ends with the data.
    Does not show: hardware; only one article says so.
    """

    claim = "TDM-037"
    kind = "model"
    binds = ("faults", "fifth_dword", "data_past_end")

    def observe(self, target, tools):
        fields = {"tile_dim0": 5, "data_size": 2, "pad_enable": 1, "pad_interval": 1, "pad_amount": 1}
        some_faults, roomy = written(fields, 64)
        more_faults, tight = written(fields, 20)
        plain = dict(fields, pad_enable=0)
        fifth = written(plain, 64)[1][16:20]
        short_faults, _ = written(plain, 16)
        return {
            "faults": some_faults + more_faults,
            "fifth_dword": {"with_room": self._place(roomy, fifth), "without_room": self._place(tight, fifth)},
            "data_past_end": "fault" if short_faults else "ignore",
        }

    def _place(self, content, wanted):
        for i in range(0, len(content), 4):
            if content[i : i + 4] == wanted:
                return i // 4
        return -1


class PadCountsOverRows(Check):
    """Gaps follow the bytes stored over the whole tile, across rows that are no multiple of the interval.

    Shows: the reference model's stores for six rows of three DWORDs, and the step for every interval code.
    Does not show: hardware.
    """

    claim = "TDM-038"
    kind = "model"
    binds = ("bytes_per_step", "rows", "row_bytes", "interval_bytes", "gap_bytes", "gap_starts", "last_byte_written")

    def observe(self, target, tools):
        rows, columns = 6, 3
        fields = {"tile_dim0": columns, "tile_dim1": rows, "data_size": 2, "pad_enable": 1}
        content = written(dict(fields, pad_interval=1, pad_amount=1), 256)[1]
        found = holes(content)
        lengths = sorted(set(length for _, length in found))
        steps = sorted(set(first_hole(code, 1)[0] >> code for code in range(8)))
        return {
            "bytes_per_step": steps[0] if len(steps) == 1 else steps,
            "rows": rows,
            "row_bytes": 4 * columns,
            "interval_bytes": found[0][0],
            "gap_bytes": lengths[0] if len(lengths) == 1 else lengths,
            "gap_starts": [start for start, _ in found],
            "last_byte_written": max(i for i, byte in enumerate(content) if byte is not None),
        }


class PadOffsetFormula(Check):
    """The closed formula for padded offsets gives the same gaps as the loads.

    Shows: that `cdna.tdm.pad` and the transfer agree with the claim separately.
    Does not show: hardware.
    """

    claim = "TDM-038"
    kind = "model"
    binds = ("gap_starts", "last_byte_written")

    def observe(self, target, tools):
        places = [padded_offset(byte, 16, 8) for byte in range(72)]
        starts = [one + 1 for one, other in zip(places, places[1:]) if other != one + 1]
        return {"gap_starts": starts, "last_byte_written": places[-1]}


class PadSpreadsRows(Check):
    """Rows of 64 DWORDs start in one bank when packed, and in as many as there are rows with a gap of four DWORDs.

    Shows: bank arithmetic on where the reference model puts the rows.
    Does not show: which lanes a transposing load serves together, so no time.
    """

    claim = "TDM-039"
    kind = "model"
    binds = ("banks", "rows", "row_bytes", "pad_dwords", "row_stride_bytes", "start_banks")

    def observe(self, target, tools):
        banks, rows, columns = 64, 16, 64
        fields = {"tile_dim0": columns, "tile_dim1": rows, "data_size": 2}
        packed = written(fields, 8192)[1]
        content = written(dict(fields, pad_enable=1, pad_interval=5, pad_amount=3), 8192)[1]
        gap = holes(content)[0]
        stride = sum(gap)
        return {
            "banks": banks,
            "rows": rows,
            "row_bytes": gap[0],
            "pad_dwords": gap[1] // 4,
            "row_stride_bytes": stride,
            "start_banks": {
                "packed": self._banks(packed, packed, rows, 4 * columns, banks),
                "padded": self._banks(content, packed, rows, stride, banks),
            },
        }

    def _banks(self, content, packed, rows, stride, banks):
        """Count the banks of the row starts, after looking that each row's first bytes are where the stride says."""
        starts = []
        for row in range(rows):
            if content[row * stride : row * stride + 4] == packed[row * 256 : row * 256 + 4]:
                starts.append(row * stride)
        return len(set(bank_of(start, banks) for start in starts)) if len(starts) == rows else -1


class PadSmallestPair(Check):
    """With both codes zero the engine model leaves the smallest gap after the smallest interval.

    Shows: that the model takes the pair and what it then stores.
    Does not show: hardware.
    """

    claim = "TDM-040"
    kind = "model"
    position = "zero-pair-legal"
    binds = ("interval_dwords", "amount_dwords")

    def observe(self, target, tools):
        interval, amount = first_hole(0, 0)
        return {"interval_dwords": interval // 4, "amount_dwords": amount // 4}


class PadSmallestPairLint(Check):
    """The linter warns of the pair of zero codes and not of the next larger pair.

    Shows: that the project's linter carries this position as a warning of its own.
    Does not show: what a device does.
    """

    claim = "TDM-040"
    kind = "model"
    position = "zero-pair-illegal"
    binds = ("zero_pair", "next_pair")

    def observe(self, target, tools):
        words = {True: "reject", False: "accept"}
        zero, following = lint("pad-zero-codes", [(0, 0), (1, 1)])
        return {"zero_pair": words[zero], "next_pair": words[following]}


class PadPseudocodeUnits(Check):
    """The published pseudocode, taken literally, moves on by the code itself; the engine model by whole DWORDs.

    Shows: a literal transcription of the loop beside the reference model's stores.
    Does not show: what the unpublished pseudocode of the manual says; the article's copy is transcribed.
    """

    claim = "TDM-041"
    kind = "model"
    binds = ("code", "literal_bytes", "gap_bytes", "unit_bytes")

    def observe(self, target, tools):
        code = 3
        places, address, stored_bytes, data_size = [], 0, 0, 4
        for _ in range(16):
            places.append(address)
            address += data_size
            stored_bytes += data_size
            if (stored_bytes >> 3) >= (1 << 1):
                stored_bytes = 0
                address += code
        literal = [b - a - data_size for a, b in zip(places, places[1:]) if b - a != data_size]
        gap = first_hole(1, code, elements=16)[1]
        return {
            "code": code,
            "literal_bytes": literal[0],
            "gap_bytes": gap,
            "unit_bytes": gap // (code + 1),
        }


class PadOneIsNotOne(Check):
    """With one in both fields the engine model leaves two DWORDs after every four.

    Shows: the reference model's stores.
    Does not show: hardware.
    """

    claim = "TDM-042"
    kind = "model"
    binds = ("code", "interval_dwords", "amount_dwords")

    def observe(self, target, tools):
        code = 1
        interval, amount = first_hole(code, code)
        return {"code": code, "interval_dwords": interval // 4, "amount_dwords": amount // 4}
