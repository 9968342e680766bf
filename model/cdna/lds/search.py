# SPDX-License-Identifier: Apache-2.0
"""Paddings and XOR swizzles searched over a whole space, with what each costs.

The pattern is a matrix operand: lane l reads chunk l // rows of row l % rows. A padding puts so many bytes into LDS
after every so many (as the Tensor Data Mover does: codes of TDM-031 and TDM-032); a swizzle exchanges the chunks of a
row among themselves. The padding search is fast because the degree depends on a gap only through its DWORDs modulo the
banks, and on a group only through how its lanes lie relative to its first: one big-integer addition a lane counts
all banks for all gaps at once.
"""

from typing import NamedTuple

from cdna.lds.conflicts import conflicts

INTERVALS = tuple([8 << code for code in range(8)])  # bytes: 2 to 256 DWORDs
AMOUNTS = tuple([4 * (code + 1) for code in range(128)])  # bytes: 1 to 128 DWORDs


class Padding(NamedTuple):
    """One padding. worst: the highest degree over all groups; extra_bytes: what the gaps of all rows add to the tile."""

    interval_code: int
    amount_code: int
    interval_bytes: int
    amount_bytes: int
    worst: int
    extra_bytes: int
    aligned: bool  # every lane's address is a multiple of its access, in whatever part of the row it reads


class Swizzle(NamedTuple):
    """One XOR swizzle: chunk ^ ((row >> shift) & (2 ** bits - 1)). It costs address arithmetic and no LDS."""

    bits: int
    shift: int
    worst: int
    extra_bytes: int


def padded(byte, interval, amount):
    """Return where a byte of the packed tile lies with a gap of `amount` bytes after every `interval`."""
    return byte + byte // interval * amount


def swizzled_element(row, column, row_elements, access, bits=3, shift=0):
    """Return the element index after an XOR swizzle of whole accesses; the place inside the access is kept.

    Args: row, column: of the element; row_elements: elements a row; access: elements of one access; bits, shift: the
      swizzle: chunk ^ ((row >> shift) & (2 ** bits - 1)).
    Raises: ValueError: the column is outside the row, a row is no multiple of 2 ** bits accesses, or bits or shift
      is outside 0 to 31.
    """
    for name, value in (("bits", bits), ("shift", shift)):
        if not 0 <= value <= 31:
            raise ValueError(f"{name}={value}: 0..31")
    if access < 1 or row_elements % (access << bits):
        raise ValueError(f"row_elements={row_elements}: a multiple of {1 << bits} accesses of {access} elements")
    if not 0 <= column < row_elements:
        raise ValueError(f"column={column}: 0..{row_elements - 1}")
    chunk = column // access ^ (row >> shift & ((1 << bits) - 1))
    return row * row_elements + chunk * access + column % access


def pattern(row_bytes, width, count, rows, place=None):
    """Return the LDS byte of each lane: chunk l // rows of row l % rows.

    Args: row_bytes: of a packed row; width: bytes of a chunk; count: lanes; rows: how many; place: a function from the
      packed byte to where it lies, None for packed.
    """
    bytes_ = [lane % rows * row_bytes + lane // rows * width for lane in range(count)]
    return bytes_ if place is None else [place(byte) for byte in bytes_]


def one_padding(groups_of, row_bytes, interval, amount, rows=16):
    """Return the worst degree of one padding by the one-pattern function, or None where a gap would split an access.

    Args: groups_of: a Service; row_bytes: of a packed row; interval, amount: bytes; rows: as for `pattern`.
    """
    width = groups_of.width
    packed = pattern(row_bytes, width, _lanes(groups_of), rows)
    if _splits(packed, width, interval):
        return None
    return conflicts([padded(byte, interval, amount) for byte in packed], groups_of).worst


def padding_degrees(groups_of, row_bytes, interval, rows=16, memory=None):
    """Return the worst degree for each of the 128 amount codes at once, as bytes, or None where a gap splits an access.

    Args: groups_of: a Service; row_bytes, interval: bytes, multiples of 4; rows: as for `pattern`; memory: a dict that
      keeps what is found from call to call.
    Claims: LDS-012
    """
    memory = {} if memory is None else memory
    width, banks = groups_of.width, groups_of.banks
    name = (groups_of.groups, width, row_bytes, rows)
    kept = memory.get(name)
    if kept is None:
        kept = memory[name] = _by_group(groups_of, row_bytes, rows)
    packed, sets, apart = kept
    if _splits(packed, width, interval):
        return None
    if not apart:
        # Lanes overlap in part: words must be told apart one by one.
        return bytes([one_padding(groups_of, row_bytes, interval, amount, rows) for amount in AMOUNTS])
    tops = _tops(banks, memory)
    most = 0
    for mine in sets:
        first = mine[0]
        before = first // interval
        key = (banks, width) + tuple([((b - first) // 4 % banks, (b // interval - before) % banks) for b in mine])
        degrees = memory.get(key)
        if degrees is None:
            degrees = memory[key] = _all_gaps(key, memory)
        most = _larger(most, degrees, tops)
    by_gap = most.to_bytes(banks, "little")
    # Class g is a gap of g DWORDs modulo the banks; code c is a gap of c + 1.
    return ((by_gap[1:] + by_gap[:1]) * (128 // banks + 1))[:128]


def padding_space(services, row_lengths, rows=16):
    """Return the worst degree of every padding code, row length and service.

    Args: services: Services; row_lengths: bytes; rows: as for `pattern`.
    Returns: dict (target, op, row length, interval code) -> bytes of 128 degrees by amount code, or None where a gap
      would split an access.
    """
    memory, found = {}, {}
    for groups_of in services:
        for row_bytes in row_lengths:
            for code in range(len(INTERVALS)):
                name = (groups_of.target, groups_of.op, row_bytes, code)
                found[name] = padding_degrees(groups_of, row_bytes, INTERVALS[code], rows, memory)
    return found


def paddings(groups_of, row_bytes, rows=16, aligned_only=True):
    """Return all paddings of one row length, the best first: lowest degree, then fewest bytes, then shortest interval.

    Args: groups_of: a Service; row_bytes: of a packed row; rows: as for `pattern`; aligned_only: leave out those where
      a lane's address is no multiple of its access, in the pattern or further on in the row (no published groups cover them).
    """
    width = groups_of.width
    step = 4 if width == 12 else width
    packed = pattern(row_bytes, width, _lanes(groups_of), rows)
    total = rows * row_bytes
    found, memory = [], {}
    for code in range(len(INTERVALS)):
        interval = INTERVALS[code]
        degrees = padding_degrees(groups_of, row_bytes, interval, rows, memory)
        if degrees is None:
            continue
        gaps = (total - 1) // interval  # the last gap is never written
        for amount_code in range(128):
            amount = AMOUNTS[amount_code]
            aligned = not [byte for byte in packed if padded(byte, interval, amount) % step]
            if row_bytes % step == 0 and gaps and amount % step:
                aligned = False  # the lanes of another part of the row read behind one gap more
            if aligned or not aligned_only:
                extra = gaps * amount
                found.append(Padding(code, amount_code, interval, amount, degrees[amount_code], extra, aligned))
    found.sort(key=lambda item: (item.worst, item.extra_bytes, item.interval_code, item.amount_code))
    return found


def swizzles(groups_of, row_bytes, rows=16, most_bits=5, most_shift=4):
    """Return all XOR swizzles of one row length, the best first: lowest degree, then fewest bits, then least shift.

    Args: groups_of: a Service; row_bytes: of a row, a multiple of the access; rows: as for `pattern`; most_bits,
      most_shift: the space. A swizzle that would leave its row is left out.
    """
    width, count = groups_of.width, _lanes(groups_of)
    found = []
    for bits in range(most_bits + 1):
        if row_bytes % (width << bits):
            continue
        for shift in range(most_shift + 1 if bits else 1):
            addresses = []
            for lane in range(count):
                row, chunk = lane % rows, lane // rows
                column = (chunk * width) % row_bytes
                addresses.append(swizzled_element(row, column, row_bytes, width, bits, shift))
            found.append(Swizzle(bits, shift, conflicts(addresses, groups_of).worst, 0))
    found.sort(key=lambda item: (item.worst, item.bits, item.shift))
    return found


def pad_parity(row_bytes, access_bytes, pad_bytes):
    """Return (row stride, whether it is an odd multiple of the access): the test for groups of neighbouring lanes.

    Neighbouring lanes that each read one access from neighbouring rows, as many lanes as fill the banks once, meet no
    bank twice exactly when the stride is an odd multiple of the access. Interleaved groups follow no such rule.

    Args: row_bytes, access_bytes, pad_bytes: bytes; the access is 4, 8 or 16.
    """
    stride = row_bytes + pad_bytes
    return stride, stride % access_bytes == 0 and stride // access_bytes % 2 == 1


def _lanes(groups_of):
    return sum([len(group) for group in groups_of.groups])


def _by_group(groups_of, row_bytes, rows):
    """(packed addresses without repetition, those of each group from low to high, whether no two lanes overlap in part)."""
    packed = pattern(row_bytes, groups_of.width, _lanes(groups_of), rows)
    sets = [sorted(set([packed[lane] for lane in group])) for group in groups_of.groups]
    ordered = sorted(set(packed))
    apart = not [i for i in range(1, len(ordered)) if ordered[i] - ordered[i - 1] < groups_of.width]
    return ordered, sets, apart


def _splits(packed, width, interval):
    """Say whether a gap lies inside some lane's access."""
    for byte in packed:
        if byte // interval != (byte + width - 1) // interval:
            return True
    return False


def _all_gaps(key, memory):
    """Degree of one group for each gap of 0 to banks - 1 DWORDs, as an integer of one byte a gap.

    All counters are one integer: byte bank * banks + gap. Sums stay below 128, so no byte runs over.
    """
    banks, width = key[0], key[1]
    total = 0
    for place in key[2:]:
        name = (banks, width) + place
        counters = memory.get(name)
        if counters is None:
            counters = memory[name] = _counters(banks, width, place[0], place[1], memory)
        total += counters
    size = banks * banks
    while size > banks:
        # The upper half of the banks against the lower half, bank by bank and gap by gap.
        size //= 2
        total = _larger(total >> 8 * size, total & ((1 << 8 * size) - 1), _tops(size, memory))
    return total


def _counters(banks, width, word, gaps, memory):
    """One access in all banks for all gaps: byte bank * banks + gap is 1 where the access touches that bank."""
    bits = 8 * banks
    full = (1 << bits * banks) - 1
    name = (banks, gaps)
    one = memory.get(name)
    if one is None:
        one = 0
        for gap in range(banks):
            one |= 1 << bits * (gap * gaps % banks) + 8 * gap
        memory[name] = one
    counters = 0
    for i in range(width // 4):
        turn = bits * ((word + i) % banks)
        counters += (one << turn | one >> (bits * banks - turn)) & full
    return counters


def _tops(size, memory):
    """The highest bit of each of so many bytes."""
    found = memory.get(size)
    if found is None:
        found = memory[size] = int.from_bytes(b"\x80" * size, "little")
    return found


def _larger(x, y, tops):
    """The larger of two integers byte by byte; every byte is below 128."""
    if x == y:
        return x
    won = ((x | tops) - y) & tops
    mask = (won - (won >> 7)) | won
    return y ^ ((x ^ y) & mask)
