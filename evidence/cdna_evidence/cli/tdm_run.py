# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm run FILE`: what one or several tensor instructions do to a given memory and a given LDS.

The result follows this project's reading. Where a source that disagrees would give other bytes, `disputed` holds what
it would give, worked out by the same model with that source's rule.
"""

import re

from cdna.lds.barrier import arrive
from cdna.tdm.descriptor import GATHER_SLOTS, GROUP_WORDS, FieldError, decode, encode, fields_of, layout_of
from cdna.tdm.readings import gather_readings, pad_readings
from cdna.tdm.rules import Finding, findings, tile_bytes
from cdna.tdm.transfer import run as transfer

from .output import Usage, as_json, emit, parser, read_json
from .tdm import GROUP_NAMES, words_of_text
from .tdm_encode import as_asked, fields_of_document, finding_of_error, text_of_error

KEYS = ("words", "fields", "copy", "null_groups", "op", "ops", "memory", "lds", "read")
LDS_KEYS = ("size", "fill_u8", "fill_u32", "init")
LDS_MOST = 327680  # LDS-001
ADDRESS_END = 1 << 57  # TDM-019
WORK_MOST = 1 << 20  # rows, and units of 256 bytes: keeps an iteration over a whole allocation from taking minutes
READING = {
    "zero_is_active": False,
    "iterate_bounds": "fresh",
    "store_padding": "ignored",
    "edge_reads": "masked",
    "swap_gather_bits": False,
    "cell_width": None,
}
NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|[0-9]+)")


def run_tdm_run(argv):
    """Run the instructions of one JSON file and print what they left; returns the exit status.

    Args: argv: the words after `cdna tdm run`.
    Raises: Usage: unreadable or contradictory input, with the key that is wrong.
    """
    command = parser("tdm run", "Carry out tensor loads and stores on the memory and the LDS that FILE gives.")
    command.add_argument("file", metavar="FILE", help="JSON, or - for standard input; keys: " + ", ".join(KEYS))
    command.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = command.parse_args(argv)
    try:
        case = Case(read_json(arguments.file))
    except FieldError as error:
        return _refused(error, [finding_of_error(error)], arguments.json)
    found = case.findings()
    try:
        result = case.result(READING)
    except FieldError as error:
        if not any(item.severity == "error" for item in found):
            found.append(Finding("not-modelled", "error", str(error), error.claim, error.field))
        return _refused(error, found, arguments.json)
    return emit("tdm run", "gfx1250", result, found, case.disputed(result), arguments.json, _text(case, result))


def _refused(error, found, json):
    """Say that nothing was run, and why: a value that fits no field, or one that nobody models."""
    text = text_of_error(error)
    result = {"reads": None, "counter": None, "barrier": None, "faults": None, "refused": text}
    return emit("tdm run", "gfx1250", result, found, [], json, f"not run: {text}")


class Case:
    """A checked input file: descriptor, instructions, memory, LDS and what to read afterwards."""

    def __init__(self, document):
        """Check everything; nothing is run yet. Raises: Usage; FieldError: a value that fits no field, as in encode."""
        _keys(document, KEYS, "the file")
        self.document, self.reserved, self.own_findings = document, (), []
        self.fields, self.words = self._descriptor(document)
        self.null_groups = _null_groups(document.get("null_groups", []))
        self.absent = tuple(sorted(set(self.null_groups) | {group for group in (2, 3) if not self._has(group)}))
        self.seen = _without_groups(self.fields, self.absent)
        self.ops = _ops(document)
        self.memory = _memory(document.get("memory", []))
        self.lds = _lds(document.get("lds", {}))
        self.reads = [self._read(item, i) for i, item in enumerate(_list(document.get("read", []), "read"))]
        passes = self.fields.get("iterate_count", 0) + 1 if self.fields.get("iterate_enable", 0) else 1
        tile = min(tile_bytes(self.fields), len(self.lds))
        row = max(1, self.fields.get("tile_dim0", 0) << self.fields.get("data_size", 0))
        work = len(self.ops) * (passes * (tile // min(row, 256) + 1) + len(self.lds) // 4096)
        if work > WORK_MOST:
            raise Usage(f"iterate_count={passes - 1}, {len(self.ops)} ops: {work} pieces to move, at most {WORK_MOST}")

    def _descriptor(self, document):
        given = [key for key in ("words", "fields", "copy") if key in document]
        if len(given) != 1:
            raise Usage(f"give one of words, fields and copy, not {' and '.join(given) or 'none of them'}")
        if given == ["words"]:
            words = _words(document["words"])
            descriptor = decode(words)
            self.reserved = descriptor.reserved
            return descriptor.fields, words
        fields, found = fields_of_document({given[0]: document[given[0]]})
        self.own_findings = list(found)
        return fields, encode(fields)

    def _has(self, group):
        return len(self.words) > (12 if group == 2 else 16)

    def _read(self, item, number):
        where = f"read[{number}]"
        _keys(item, ("space", "addr", "length"), where, needed=("space", "addr", "length"))
        space, address = item["space"], _number(item["addr"], where + ".addr", 0, ADDRESS_END)
        length = _number(item["length"], where + ".length", 0, 1 << 30)
        if space == "lds":
            if address + length > len(self.lds):
                last = address + length - 1
                raise Usage(f"{where}: LDS bytes {address} to {last}: the allocation has {len(self.lds)}")
        elif space == "memory":
            missing = _first_missing(self.memory, address, length)
            if missing is not None:
                raise Usage(f"{where}: no memory was given at {missing} (0x{missing:x})")
        else:
            raise Usage(f'{where}.space={as_json(space)}: "lds" or "memory"')
        return space, address, length

    def findings(self):
        """Return what the rules say, once for every instruction, and what this run leaves out."""
        found = list(self.own_findings)
        given = tuple(group for group in range(4) if group not in self.absent)
        for op in self.ops:
            judged = as_asked(self.document, findings(self.seen, given, op, self.reserved))
            found += [item for item in judged if item not in found]
        if self.fields.get("workgroup_mask", 0) and "load" in self.ops:
            text = "workgroup_mask: only the LDS of the issuing workgroup is shown"
            found.append(Finding("one-workgroup", "info", text, "TDM-030", "workgroup_mask"))
        arrives = self.fields.get("atomic_barrier_enable", 0) and self.fields.get("count", 1)
        if arrives and self.fields.get("tile_dim0", 0) == 0:
            text = "tile_dim0=0 with a barrier: no source says whether a no-op sends the arrive; shown as sent"
            found.append(Finding("nop-arrive", "warning", text, "TDM-026", "atomic_barrier_enable"))
        order = ("error", "warning", "info")
        return sorted(found, key=lambda item: order.index(item.severity))

    def result(self, rule):
        """Carry the instructions out by one set of rules and return `reads`, `counter`, `barrier` and `faults`."""
        fields = self._swapped() if rule["swap_gather_bits"] else self.fields
        if rule["zero_is_active"] and fields.get("count", 1) == 0:
            fields = dict(fields, count=1)
        lds, memory, barrier, faults, counter = self.lds, self.memory, [], [], 0
        for number, op in enumerate(self.ops):
            how = (rule["iterate_bounds"], rule["store_padding"], rule["edge_reads"])
            done = transfer(fields, op, memory, lds, self.absent, *how)
            lds, memory, counter = done.lds, done.memory, done.counter
            barrier += done.barrier
            for cell in done.barrier:
                if rule["cell_width"] and cell + 8 <= len(lds):
                    value = arrive(int.from_bytes(lds[cell : cell + 8], "little"), rule["cell_width"])
                    lds = lds[:cell] + value.to_bytes(8, "little") + lds[cell + 8 :]
            for fault in done.faults:
                faults.append({"op": number, "space": fault.space, "addr": fault.address, "length": fault.length})
        reads = [_take(lds if space == "lds" else memory, space, at, length).hex() for space, at, length in self.reads]
        return {"reads": reads, "counter": counter, "barrier": barrier, "faults": faults}

    def disputed(self, result):
        """Return the answers of the other positions where they differ from the result."""
        others = []
        applies = self._applies(result)
        for claim, position, change in POSITIONS:
            if not applies[list(change)[0]]:
                continue
            try:
                other = self.result(dict(READING, **change))
            except FieldError as error:
                other = {"not_told": str(error)}
            if other != result:
                others.append({"claim": claim, "position": position, "result": other})
        if "load" in self.ops:
            others += [item._asdict() for item in pad_readings(self.fields)]
        others += [item._asdict() for item in gather_readings(self.seen)]
        return others

    def _applies(self, result):
        """Say which rules of other positions could matter here, so that the others are not run."""
        get = self.fields.get
        return {
            "zero_is_active": get("count", 1) == 0,
            "iterate_bounds": get("iterate_enable", 0) and get("iterate_count", 0) and not get("gather_mode", 0),
            "store_padding": get("pad_enable", 0) and "store" in self.ops,
            "edge_reads": "load" in self.ops and get("tensor_dim0", 0) < get("tile_dim0", 0),
            "swap_gather_bits": get("gather_mode", 0) != get("gather_index_size", 0),
            "cell_width": bool(result["barrier"]),
        }

    def _swapped(self):
        words = list(self.words)
        bits = words[0] >> 30
        words[0] = words[0] & 0x3FFFFFFF | ((bits & 1) << 31) | ((bits >> 1) << 30)
        return decode(words).fields


# (claim, position, what that position changes).
POSITIONS = (
    ("TDM-010", "must-be-zero", {"zero_is_active": True}),
    ("TDM-128", "advanced", {"iterate_bounds": "advanced"}),
    ("TDM-036", "honoured-on-store", {"store_padding": "applied"}),
    ("TDM-151", "data-only", {"edge_reads": "touched"}),
    ("TDM-060", "mode-in-bit-30", {"swap_gather_bits": True}),
    ("TDM-099", "emulator-16", {"cell_width": 16}),
    ("TDM-099", "compiler-29", {"cell_width": 29}),
)


def _words(value):
    """Return 12, 16 or 20 words from a list of words, one string with any separators, or groups; text is hexadecimal."""
    words = []
    if isinstance(value, dict):
        _keys(value, GROUP_NAMES, "words", needed=GROUP_NAMES[: max(2, len(value))])
        for name, count in zip(GROUP_NAMES, GROUP_WORDS, strict=True):
            if name in value and len(_list(value[name], f"words.{name}")) != count:
                raise Usage(f"words.{name}: {len(value[name])} given, it has {count}, TDM-003")
        value = [word for name in GROUP_NAMES for word in value.get(name, [])]
    for number, item in enumerate([value] if isinstance(value, str) else _list(value, "words")):
        if isinstance(item, str):
            words += words_of_text(item)
        else:
            words.append(_number(item, f"words[{number}]", 0, 0xFFFFFFFF))
    if len(words) not in (12, 16, 20):
        raise Usage(f"words: {len(words)} given, an instruction needs 12 (groups 0 and 1), 16 or 20, TDM-003")
    return words


def _integer(text):
    if len(text) > 64:
        raise Usage(f"{as_json(text)}: a number of {len(text)} digits fits no field")
    return int(text, 16 if "x" in text.lower() else 10)


def _number(value, name, low, high):
    given = value
    if isinstance(value, str) and NUMBER.fullmatch(value):
        value = _integer(value)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Usage(f"{name}={as_json(given)}: {low}..{high}, decimal or 0x")
    return value


def _null_groups(value):
    groups = [_number(group, "null_groups", 2, 3) for group in _list(value, "null_groups")]
    return tuple(sorted(set(groups)))


def _without_groups(fields, absent):
    """Return the fields as the engine sees them: a group that the instruction names NULL reads as zeros (TDM-056)."""
    layout = layout_of(fields)
    homes = {field.name: field.group for field in fields_of(layout)}
    seen = {name: 0 if homes.get(name) in absent else value for name, value in fields.items()}
    half = GATHER_SLOTS.get(layout, 0) // 2
    if half and isinstance(fields.get("row_indices"), (list, tuple)):
        rows = list(fields["row_indices"])
        seen["row_indices"] = [0 if 2 + i // half in absent else rows[i] for i in range(len(rows))]
    return seen


def _ops(document):
    if ("op" in document) == ("ops" in document):
        raise Usage('give op ("load" or "store") or ops (a list of them), and not both')
    ops = [document["op"]] if "op" in document else _list(document["ops"], "ops")
    for op in ops:
        if op not in ("load", "store"):
            raise Usage(f'{"op" if "op" in document else "ops"}={as_json(op)}: "load" or "store"')
    if not ops:
        raise Usage("ops=[]: at least one instruction")
    return tuple(ops)


def _memory(value):
    segments = []
    for number, item in enumerate(_list(value, "memory")):
        where = f"memory[{number}]"
        _keys(item, ("addr", "hex"), where, needed=("addr", "hex"))
        address, data = _number(item["addr"], where + ".addr", 0, ADDRESS_END - 1), _hex(item["hex"], where + ".hex")
        if address + len(data) > ADDRESS_END:
            raise Usage(f"{where}: {len(data)} bytes from {address} end above 2^57, TDM-019")
        segments.append((address, data, where))
    ordered = sorted(segment for segment in segments if segment[1])
    for before, after in zip(ordered, ordered[1:], strict=False):
        if before[0] + len(before[1]) > after[0]:
            raise Usage(f"{after[2]} overlaps {before[2]}: both give byte {after[0]} (0x{after[0]:x})")
    return tuple((address, data) for address, data, where in segments)


def _lds(value):
    _keys(value, LDS_KEYS, "lds")
    size = _number(value.get("size", LDS_MOST), "lds.size", 0, LDS_MOST)
    if "fill_u8" in value and "fill_u32" in value:
        raise Usage("lds: give fill_u8 or fill_u32, not both")
    if "fill_u32" in value:
        pattern = _number(value["fill_u32"], "lds.fill_u32", 0, 0xFFFFFFFF).to_bytes(4, "little")
    else:
        pattern = bytes([_number(value.get("fill_u8", 0), "lds.fill_u8", 0, 255)])
    lds = bytearray((pattern * (size // len(pattern) + 1))[:size])
    for number, item in enumerate(_list(value.get("init", []), "lds.init")):
        where = f"lds.init[{number}]"
        _keys(item, ("offset", "hex"), where, needed=("offset", "hex"))
        offset, data = _number(item["offset"], where + ".offset", 0, size), _hex(item["hex"], where + ".hex")
        if offset + len(data) > size:
            raise Usage(f"{where}: bytes {offset} to {offset + len(data) - 1}: lds.size is {size}")
        lds[offset : offset + len(data)] = data
    return bytes(lds)


def _hex(value, name):
    digits = re.sub(r"\s+", "", value) if isinstance(value, str) else None
    if digits is None or not re.fullmatch(r"[0-9a-fA-F]*", digits):
        raise Usage(f"{name}={as_json(value)}: hexadecimal digits, two a byte")
    if len(digits) % 2:
        raise Usage(f"{name}: {len(digits)} digits, two make a byte")
    return bytes.fromhex(digits)


def _keys(value, allowed, name, needed=()):
    if not isinstance(value, dict):
        raise Usage(f"{name}: an object with the keys {', '.join(allowed)}, not {as_json(value)}")
    for key in value:
        if key not in allowed:
            raise Usage(f"{name}: unknown key {as_json(key)}; the keys are {', '.join(allowed)}")
    for key in needed:
        if key not in value:
            raise Usage(f"{name}: {key} is missing")


def _list(value, name):
    if not isinstance(value, list):
        raise Usage(f"{name}: a list, not {as_json(value)}")
    return value


def _first_missing(memory, address, length):
    at, end = address, address + length
    for low, data in sorted(memory):
        if low <= at < low + len(data):
            at = low + len(data)
    return at if at < end else None


def _take(store, space, address, length):
    if space == "lds":
        return store[address : address + length]
    parts, at, end = [], address, address + length
    for low, data in sorted(store):
        if low <= at < min(end, low + len(data)):
            parts.append(data[at - low : end - low])
            at += len(parts[-1])
    return b"".join(parts)


def _text(case, result):
    lines = [f"{' then '.join(case.ops)}, TENSORcnt afterwards {result['counter']}"]
    for (space, address, length), digits in zip(case.reads, result["reads"], strict=True):
        lines.append(f"{space} {length} bytes at {address} (0x{address:x})")
        for start in range(0, len(digits), 64):
            row = " ".join(digits[i : i + 8] for i in range(start, min(start + 64, len(digits)), 8))
            lines.append(f"  {address + start // 2:>8}  {row}")
    for cell in result["barrier"]:
        lines.append(f"barrier arrive at LDS byte {cell}")
    for fault in result["faults"]:
        what = "no memory was given" if fault["space"] == "memory" else "outside the LDS allocation"
        lines.append(f"fault: {what}: {fault['length']} bytes, the first at {fault['addr']} (0x{fault['addr']:x})")
    return "\n".join(lines)
