# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm`: Tensor Data Mover descriptors on the command line; here `decode`, the other commands next door.

Starts fast: argparse and JSON are not imported for a plain `decode`. Words are hexadecimal, all other numbers decimal
or 0x.
"""

from .output import Usage, emit, read_text

TARGET = "gfx1250"
COMMANDS = ("decode", "encode", "run", "pad", "plan", "lint", "fields")
GROUP_NAMES = ("group0", "group1", "group2", "group3")
REMARKS = ("error: ", "warning: ", "info: ", "disputed: ")
USAGE = """usage: cdna tdm COMMAND ... [--json]

  decode WORD...   what descriptor words say: 4, 12, 16 or 20 words, or 8 with --group 1; `-` reads them
                   options: --group 0|1, --op load|store
  encode FILE      the words of {"fields": {...}} or {"copy": {...}}; option: --op load|store
  run FILE         what one or several transfers do to memory and LDS
  pad --row-bytes N --pad-bytes M [--interval-bytes I] [--element-bytes E] [--rows R] [--byte B | --at X,Y]
                   the codes for a gap after every row, or after every I bytes, and where the rows start;
                   --byte: where byte B of the tile lands, counted without gaps; --at: where element X of row Y lands
  plan             questions before there is a descriptor; one or several in a call
                   --gather-rows N [--index-bits 16|32] [--waves W]: how many instructions a gather takes
                   --stages N [--tile-bytes B] [--loads-per-tile L] [--shape after|before|between] [--prologue P]:
                     the number to wait for in a ring of N buffers, and its LDS; P: tiles fetched before the first wait
                   --cluster X,Y [--share rows|columns|all|none|N,N,...] [--grid X,Y]: the multicast masks;
                     rows: the workgroups of one y share a tile; columns: those of one x
                   --row-bytes R --rows N --block-bytes B --gap-bytes G [--element-bytes E] [--row-stride ELEMENTS]
                     [--reader-block-bytes B]: a gap after every B bytes, by padding or by iteration
                   --rows-left N --rows-per-pass P [--tile-rows R]: the passes of an iteration at an edge
  lint FILE        the findings of one or many descriptors: words, a register dump, LLVM IR, MLIR, JSON;
                   options: --op load|store, --cluster N (workgroups in the cluster, 0 for none)
  fields [NAME...] [--mode dense|iterate|gather16|gather32]
                   where each field sits, its unit and its code; which bits must be zero, which groups may be NULL

A WORD is always hexadecimal, with or without 0x; every other number is decimal or 0x. FILE may be `-`.
A value that fits no field is an error finding, exit status 1; input that cannot be read is exit status 2."""


def run(argv):
    """Run one `cdna tdm` command.

    Args: argv: the words after `cdna tdm`.
    Returns: exit status.
    Raises: Usage: wrong usage or unreadable input.
    """
    if not argv:
        raise Usage(f"say which: {', '.join(COMMANDS)}; --help explains them")
    if argv[0] in ("-h", "--help", "help"):
        print(USAGE)
        return 0
    if argv[0] not in COMMANDS:
        raise Usage(f"unknown command {argv[0]!r}: {', '.join(COMMANDS)}")
    if any(word in ("-h", "--help") for word in argv[1:]):
        print(USAGE)
        return 0
    if argv[0] == "decode":
        return run_decode(argv[1:])
    if argv[0] == "run":
        from .tdm_run import run_tdm_run

        return run_tdm_run(argv[1:])
    if argv[0] == "lint":
        from .tdm_lint import run_lint

        return run_lint(argv[1:])
    if argv[0] == "fields":
        from .tdm_fields import run_fields

        return run_fields(argv[1:])
    if argv[0] == "plan":
        from .tdm_plan import run_plan

        return run_plan(argv[1:])
    from . import tdm_encode

    return (tdm_encode.run_encode if argv[0] == "encode" else tdm_encode.run_pad)(argv[1:])


def run_decode(argv):
    """Say what descriptor words mean; return the exit status."""
    options, rest = split_options(argv, ("--group", "--op"))
    descriptor = decode_words(words_of_args(rest), options.get("--group"))
    return emit_decoded("tdm decode", descriptor, op_of(options), bool(options.get("--json")))


def words_of_args(args):
    """Return the words given on the command line: separate, in one string, or on standard input.

    Args: args: strings; "-" alone reads standard input.
    Raises: Usage: not a hexadecimal word; it is named.
    """
    if list(args) == ["-"]:
        return words_of_text(without_remarks(read_text("-")))
    return words_of_text("\n".join(args))


def without_remarks(text):
    """Return a text without the findings and other positions that `encode` prints below its words."""
    return "\n".join("" if line.startswith(REMARKS) else line for line in text.splitlines())


def words_of_text(text):
    """Return the hexadecimal 32-bit words of a text with any separators.

    Args: text: words, 0x optional, between blanks, commas, semicolons, quotes, bars or brackets; any other mark may
      stand between words of 8 digits each. Also whole groups written as one run of 32, 64, 96 ... digits. The names
      group0 to group3 before them are passed over.
    Raises: Usage: not a hexadecimal word; it is named.
    """
    for mark in ",;|()[]{}<>\"'`":
        text = text.replace(mark, " ")
    words = []
    for token in [part for joined in text.split() for part in _parts(joined)]:
        if token.lower().rstrip(":=") in GROUP_NAMES:
            continue  # as `encode` prints them
        digits = token[2:] if token[:2] in ("0x", "0X") else token
        digits = digits.rstrip("uUlL") if token[:2] in ("0x", "0X") else digits
        if not digits or digits.strip("0123456789abcdefABCDEF"):
            raise Usage(f"word {shown(token)}: not hexadecimal")
        if len(digits) > 8 and digits is token and len(digits) % 32 == 0 and len(digits) <= 160:
            words += [int(digits[i : i + 8], 16) for i in range(0, len(digits), 8)]
            continue
        if len(digits.lstrip("0")) > 8:
            raise Usage(f"word {shown(token)}: more than 32 bits as a hexadecimal number")
        words.append(int(digits, 16))
    return words


def _parts(token):
    """Return the words of 8 digits that other marks join, such as 00000001:00000000; else the token as it is.

    Fewer digits may be one number: 8000_0000, or an address before a colon.
    """
    parts = "".join(mark if mark.isalnum() else " " for mark in token).split()
    digits = [part[2:] if part[:2] in ("0x", "0X") else part for part in parts]
    return parts if len(parts) > 1 and all(len(item) == 8 for item in digits) and parts[0][0] == token[0] else [token]


def decode_words(words, group=None):
    """Return the Descriptor of words from the command line.

    Args: words: integers; group: "0", "1" or None, which group they are.
    Raises: Usage: another number of words.
    """
    from cdna.tdm.descriptor import decode, decode_group1

    if group not in (None, "0", "1"):
        raise Usage(f"--group {shown(group)}: 0 or 1")
    if group == "1":
        if len(words) != 8:
            raise Usage(f"{len(words)} words: --group 1 takes 8")
        return decode_group1(words)
    if group == "0" and len(words) != 4:
        raise Usage(f"{len(words)} words: --group 0 takes 4")
    if len(words) == 8:
        raise Usage("8 words: say --group 1 if they are group 1 alone; a whole descriptor has 12, 16 or 20")
    if len(words) not in (4, 12, 16, 20):
        counts = "4 (group 0), 8 (with --group 1), 12 (groups 0 and 1), 16 (0 to 2) or 20 (0 to 3)"
        raise Usage(f"{len(words)} words: {counts}")
    return decode(words)


def emit_decoded(command, descriptor, op, json):
    """Print what a descriptor says; return the exit status."""
    from cdna.tdm.descriptor import meaning
    from cdna.tdm.readings import other_readings
    from cdna.tdm.rules import findings_of

    plain = meaning(descriptor.fields)
    result = {
        "groups": group_words(descriptor),
        "mode": descriptor.mode,
        "rank": descriptor.rank,
        "fields": descriptor.fields,
        "meaning": plain,
    }
    text = None if json else _decoded_text(descriptor, plain)
    return emit(
        command, TARGET, result, findings_of(descriptor, op), disputed_of(other_readings(descriptor), json), json, text
    )


def group_words(descriptor):
    """Return the words of each given group: {"group0": [8 hex digits, ...], ...}."""
    given = [i for i in range(4) if descriptor.groups[i] is not None]
    return {GROUP_NAMES[i]: [f"{word:08x}" for word in descriptor.groups[i]] for i in given}


def split_options(argv, with_value):
    """Return ({option: value}, the other words); `--name=value` works as well."""
    options, rest = {}, []
    queue = list(argv)
    while queue:
        word = queue.pop(0)
        if word == "--":
            return options, rest + queue
        if not word.startswith("-") or word == "-":
            rest.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in options:
            raise Usage(f"option {name} is given twice")
        if name == "--json" and not equals:
            options[name] = True
        elif name in with_value:
            if not equals:
                if not queue:
                    raise Usage(f"option {name} needs a value")
                value = queue.pop(0)
            options[name] = value
        else:
            raise Usage(f"unknown option {shown(word)}: {', '.join(('--json',) + tuple(with_value))}")
    return options, rest


def op_of(options):
    """Return --op: "load", "store" or None."""
    op = options.get("--op")
    if op not in (None, "load", "store"):
        raise Usage(f"--op {shown(op)}: load or store")
    return op


def one_file(rest, command):
    """Return the only positional argument, a file name. Raises: Usage."""
    if len(rest) != 1:
        raise Usage(f"{command}: give one FILE, or - for standard input ({len(rest)} given)")
    return rest[0]


def disputed_of(readings, json):
    """Return readings for `emit`; a person is not told on every copy that one list calls count=1 wrong."""
    usual = {"mode": None, "allowed_count": 0}
    return [
        {"claim": item.claim, "position": item.position, "result": item.result}
        for item in readings
        if json or item.result != usual
    ]


def _decoded_text(descriptor, plain):
    from cdna.tdm.descriptor import fields_of

    given = [i for i in range(4) if descriptor.groups[i] is not None]
    lines = [f"{descriptor.mode}, rank {'unknown' if descriptor.rank is None else descriptor.rank}"]
    if "tile" in plain:
        lines += ["", *_summary(descriptor, plain)]
    rows = [("field", "bits", "raw", "meaning")]
    for field in fields_of(descriptor.layout):
        value = descriptor.fields.get(field.name, 0)
        if field.group in given and value:
            bits = f"{field.group}: {field.lo}"
            if field.width > 1:
                bits = f"{field.group}: {field.lo + field.width - 1}:{field.lo}"
            rows.append((field.name, bits, str(value), _field_meaning(field, value, plain)))
    if descriptor.fields.get("row_indices"):
        listed = " ".join(str(row) for row in descriptor.fields["row_indices"])
        rows.append(("row_indices", "2, 3", str(len(descriptor.fields["row_indices"])), listed))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines.append("")
    for name, bits, raw, text in rows:
        lines.append(f"{name:{widths[0]}}  {bits:{widths[1]}}  {raw:>{widths[2]}}  {text}".rstrip())
    lines.append("all other fields are 0; bits are counted inside the group")
    return "\n".join(lines)


def _summary(descriptor, plain):
    size = plain["element_bytes"]
    lines = [("element size", plural(size, "byte"))]
    if descriptor.layout.startswith("gather"):
        lines.append(("tile", f"{plural(plain['gather']['rows'], 'row')} of {plain['tile'][0]} elements"))
        lines.append(("tensor", f"{plain['tensor'][0]} columns x {plain['tensor'][1]} rows"))
    elif plain["tile"]:
        lines.append(("tile", " x ".join(str(item) for item in plain["tile"]) + "  (innermost first)"))
        lines.append(("tensor left", " x ".join(str(item) for item in plain["tensor"]) + "  from the tile's start"))
    for i in range(len(plain["strides"])):
        stride = plain["strides"][i]
        lines.append(("row stride" if i == 0 else f"stride {i}", f"{stride} elements ({stride * size} bytes)"))
    if plain["pad"]:
        amount = plain["pad"]["amount_dwords"]
        lines.append(("padding", f"{plural(amount, 'DWORD')} after every {plain['pad']['interval_dwords']}"))
    if plain["iterate"]:
        step = plain["iterate"]
        steps = f"LDS +{step['lds_increment']}, global +{step['global_increment']} elements"
        lines.append(("passes", f"{step['count']}, {steps}"))
    if plain["barrier_addr"] is not None:
        lines.append(("barrier", f"arrive at LDS byte {plain['barrier_addr']}"))
    if plain["workgroups"]:
        lines.append(("workgroups", " ".join(str(item) for item in plain["workgroups"])))
    return [f"{name:12}  {text}" for name, text in lines]


def _field_meaning(field, value, plain):
    name = field.name
    if name == "type":
        return "image (valid)" if value == 2 else "not valid, 2 is"
    if name == "count":
        return "one tile" if value == 1 else "context restore"
    if name == "global_addr":
        return f"0x{value:x}"
    if name == "lds_addr":
        return f"byte {value} (0x{value:x})"
    if name in ("scope", "th", "gather_index_size"):
        return "32-bit indices" if name == "gather_index_size" else ""
    if name == "workgroup_mask":
        return f"0x{value:04x}"
    if field.coding == "flag":
        return "on"
    meaning = plain.get(name)
    if meaning is None:
        return "off"
    unit = field.unit or "passes"
    return f"{meaning} {unit[:-1] if meaning == 1 and unit.endswith('s') else unit}"


def plural(count, noun):
    """Return a count with its noun: 1 byte, 2 bytes."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shown(text):
    """Return what was given, quoted and cut to one short line."""
    return short(repr(text))


def short(text):
    """Return a text cut to 60 characters."""
    return text if len(text) <= 60 else text[:57] + "..."
