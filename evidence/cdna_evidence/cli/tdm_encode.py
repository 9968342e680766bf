# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm encode` and `cdna tdm pad`: from what is wanted to the words and codes that ask for it."""

from .output import Usage, as_json, emit, one_line, read_json
from .tdm import TARGET, disputed_of, group_words, one_file, op_of, plural, short, shown, split_options


def run_encode(argv):
    """Print the words of a file's fields or copy; return the exit status."""
    options, rest = split_options(argv, ("--op",))
    document = read_json(one_file(rest, "encode"))
    from cdna.tdm.descriptor import FieldError, decode, encode
    from cdna.tdm.readings import other_readings
    from cdna.tdm.rules import findings_of

    found, disputed, result, text = [], [], {"words": None, "groups": None}, None
    try:
        fields, found = fields_of_document(document)
        descriptor = decode(encode(fields))
    except FieldError as error:
        found = [finding_of_error(error)]
    else:
        result = {"words": [f"{word:08x}" for word in descriptor.words], "groups": group_words(descriptor)}
        found = found + as_asked(document, findings_of(descriptor, op_of(options)))
        disputed = disputed_of(other_readings(descriptor), bool(options.get("--json")))
        text = "\n".join(f"{name}  {' '.join(words)}" for name, words in result["groups"].items())
    return emit("tdm encode", TARGET, result, found, disputed, bool(options.get("--json")), text)


def run_pad(argv):
    """Print the pad codes for a gap after every row; return the exit status."""
    known = ("--row-bytes", "--pad-bytes", "--interval-bytes", "--element-bytes", "--rows", "--byte", "--at")
    options, rest = split_options(argv, known)
    if rest:
        raise Usage(f"pad: unexpected {rest[0]!r}; the options are {', '.join(known)}")
    for name in ("--row-bytes", "--pad-bytes"):
        if name not in options:
            raise Usage(f"pad: {name} is missing")
    row, pad = number(options["--row-bytes"], "--row-bytes"), number(options["--pad-bytes"], "--pad-bytes")
    element = number(options.get("--element-bytes", "1"), "--element-bytes")
    rows = number(options.get("--rows", "1"), "--rows")
    interval = number(options["--interval-bytes"], "--interval-bytes") if "--interval-bytes" in options else row
    byte = _byte_asked(options, row, element, rows if "--rows" in options else None)
    from cdna.tdm.descriptor import FieldError
    from cdna.tdm.pad import pad_plan, padded_offset
    from cdna.tdm.readings import pad_readings
    from cdna.tdm.rules import padding_findings

    disputed = []
    names = ("interval_code", "amount_code", "row_stride", "row_starts", "written_bytes", "reserved_bytes")
    try:
        plan = pad_plan(row, pad, element, rows, interval)
    except FieldError as error:
        result, found, text = {name: None for name in names}, [finding_of_error(error)], None
    else:
        result = {name: getattr(plan, name) for name in names}
        result["row_starts"] = list(plan.row_starts)
        found = []
        if pad:
            codes = {"pad_enable": 1, "pad_interval": plan.interval_code, "pad_amount": plan.amount_code}
            found, disputed = padding_findings(codes), disputed_of(pad_readings(codes), True)
        found = found + lds_overflow(plan.written_bytes, "rows")
        text = _pad_text(plan, pad, interval == row)
        if byte is not None:
            result["byte"] = {"packed": byte, "padded": padded_offset(byte, interval if pad else 0, pad)}
            where = f"element {options['--at']}, " if "--at" in options else ""
            text = f"{where}byte {byte} without gaps, lands at {result['byte']['padded']}\n{text}"
    return emit("tdm pad", TARGET, result, found, disputed, bool(options.get("--json")), text)


def _byte_asked(options, row, element, rows):
    """Return the offset in the tile without gaps that --byte or --at asks for, or None.

    Raises: Usage: also for what lies behind the last row, where `rows` is not None.
    """
    if "--byte" in options and "--at" in options:
        raise Usage("pad: give one of --byte and --at")
    if "--at" in options:
        at = [number(item, "--at") for item in options["--at"].split(",")]
        if len(at) != 2 or min(at) < 0 or at[0] * element >= max(row, 1):
            raise Usage(f"--at {shown(options['--at'])}: X,Y, the element X of a row and the row Y, from 0")
        if rows is not None and at[1] >= max(rows, 1):
            raise Usage(f"--at {shown(options['--at'])}: row {at[1]} of {rows}, counted from 0")
        return at[0] * element + at[1] * row
    if "--byte" not in options:
        return None
    byte = number(options["--byte"], "--byte")
    if byte < 0:
        raise Usage(f"--byte {byte}: at least 0, an offset in the tile without gaps")
    if rows is not None and byte >= max(row * rows, 1):
        raise Usage(f"--byte {byte}: the tile without gaps has {row * rows} bytes, counted from 0")
    return byte


def fields_of_document(document):
    """Return the raw fields that a document asks for, and findings about how it asks.

    Args: document: {"fields": {...}} or {"copy": {...}}; a string in it that holds a number is one.
    Returns: (fields, findings).
    Raises: Usage: neither or both, or an unknown key; FieldError: a value does not fit.
    """
    from cdna.tdm.copy import CopyKeyError, plan_copy
    from cdna.tdm.descriptor import NAMES

    if not isinstance(document, dict) or [key for key in document if key not in ("fields", "copy")]:
        given = ", ".join(as_json(key) for key in document) if isinstance(document, dict) else as_json(document)
        raise Usage(f'given {short(given)}: an object with one key, "fields" or "copy"')
    if len(document) != 1:
        raise Usage('one of "fields" and "copy" is needed')
    value = numbers(document.get("fields", document.get("copy")))
    if not isinstance(value, dict):
        raise Usage(f'"{list(document)[0]}" must be an object, not {as_json(value)}')
    if "copy" in document:
        try:
            plan = plan_copy(value)
        except CopyKeyError as error:
            raise Usage(text_of_error(error)) from None
        return plan.fields, plan.findings
    for name in value:
        if name not in NAMES:
            from difflib import get_close_matches

            near = get_close_matches(name.lower(), NAMES, 1, 0.75)
            said = f"did you mean {near[0]}?" if near else f"the fields are {', '.join(NAMES)}"
            raise Usage(f"field {as_json(name)}: unknown; {said}")
    return value, []


def as_asked(document, found):
    """Return findings without those that guess at what a copy says itself: its extents are not negative numbers.

    Args: document: as for `fields_of_document`; found: findings of its fields.
    """
    return [item for item in found if item.rule != "bound-negative"] if "copy" in document else list(found)


def numbers(value):
    """Return a JSON value with every string that holds a number, decimal or 0x, turned into that number.

    Args: value: a JSON value.
    """
    if isinstance(value, dict):
        return {key: numbers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item) for item in value]
    if isinstance(value, str):
        try:
            return number(value, "")
        except Usage:
            return value
    return value


def finding_of_error(error):
    """Return the error finding of a FieldError."""
    from cdna.tdm.descriptor import UnknownField

    rule = "field-not-in-layout" if isinstance(error, UnknownField) else "field-range"
    message = text_of_error(error, False)
    return {"rule": rule, "severity": "error", "message": message, "claim": error.claim, "field": error.field}


def lds_overflow(size, field):
    """Return the finding that a tile of so many bytes, gaps included, is more than a workgroup can have; else none."""
    from cdna.targets import GFX1250

    if size <= GFX1250.lds_bytes:
        return []
    text = f"{field}: the tile takes {size} bytes of LDS, a workgroup has at most {GFX1250.lds_bytes}"
    return [{"rule": "lds-overflow", "severity": "warning", "message": text, "claim": "LDS-001", "field": field}]


def text_of_error(error, with_claim=True):
    """Return a FieldError as one line, what was given as JSON spells it."""
    text = f"{short(one_line(error.field))}={as_json(error.given)}: {error.allowed}"
    return f"{text}, {error.claim}" if with_claim and error.claim else text


def number(text, name):
    """Return a number from the command line: decimal or 0x.

    Raises: Usage: neither.
    """
    digits = text[1:] if text[:1] == "-" else text
    base = 16 if digits[:2] in ("0x", "0X") else 10
    digits = digits[2:] if base == 16 else digits
    if 0 < len(digits) <= 40 and not digits.strip("0123456789abcdefABCDEF" if base == 16 else "0123456789"):
        return -int(digits, base) if text[:1] == "-" else int(digits, base)
    raise Usage(f"{name} {shown(text)}: a number, decimal or 0x")


_LAST_GAP = {True: ", with the gap after the last row", False: ", with the gap after the last full interval"}


def _pad_text(plan, pad, by_row):
    starts = " ".join(str(item) for item in plan.row_starts[:16]) + (" ..." if len(plan.row_starts) > 16 else "")
    lines = [
        ("interval code", "none" if plan.interval_code is None else plan.interval_code),
        ("amount code", "none" if plan.amount_code is None else plan.amount_code),
        ("row stride", "not the same for every row" if plan.row_stride is None else plural(plan.row_stride, "byte")),
        ("row starts", starts),
        ("written", plural(plan.written_bytes, "byte")),
        ("reserved", plural(plan.reserved_bytes, "byte") + (_LAST_GAP[by_row] if pad else "")),
    ]
    return "\n".join(f"{name:13}  {text}" for name, text in lines)
