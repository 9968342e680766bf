# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm lint`: the findings of every descriptor in a file.

A file is JSON (a list of words, or descriptors as lists, strings or objects with `words`, `fields` or `copy`), or text:
one descriptor a line, or one a paragraph. Text may hold register dumps (`s4 = 0x00000001`) and LLVM IR constants.
"""

import re

from .output import Usage, emit, read_text
from .tdm import TARGET, decode_words, one_file, op_of, split_options, words_of_text
from .tdm_encode import fields_of_document, finding_of_error

_IR = re.compile(r"\bi32\s+(-?\d+|poison|undef)\b|<(\d+) x i32>\s+(zeroinitializer|poison|undef)\b")
_REGISTER = re.compile(r"\b(?:s|sgpr|SGPR|ttmp)\[?\d+(?::\d+)?\]?\s*[:=]?")
_COUNTS = (4, 12, 16, 20)


def run_lint(argv):
    """Print the findings of every descriptor of a file; return the exit status."""
    options, rest = split_options(argv, ("--op",))
    return lint(one_file(rest, "lint"), op_of(options), bool(options.get("--json")))


def lint(name, op, json):
    """Print the findings of every descriptor of a file.

    Args: name: file or "-"; op: "load", "store" or None; json: machine form.
    Returns: exit status.
    Raises: Usage: nothing in the file reads as a descriptor.
    """
    from cdna.tdm.descriptor import FieldError, decode, encode
    from cdna.tdm.rules import findings_of

    label = "standard input" if name == "-" else name
    described, found = [], []
    for where, item in _descriptors(read_text(name), label):
        own = []
        entry = {"name": where, "mode": None, "rank": None}
        try:
            if isinstance(item, dict):
                fields, own = fields_of_document(item)
                descriptor = decode(encode(fields))
            else:
                descriptor = decode_words(item, "1" if len(item) == 8 else None)
        except FieldError as error:
            own = [finding_of_error(error)]
        except Usage as error:
            raise Usage(f"{label}: {where}: {error}") from None
        else:
            own = list(own) + findings_of(descriptor, op)
            entry["mode"], entry["rank"] = descriptor.mode, descriptor.rank
        entry["findings"] = [_finding(each, "") for each in own]
        found += [_finding(each, where + ": ") for each in own]
        described.append(entry)
    if not described:
        raise Usage(f"{label}: no descriptor found")
    text = "\n".join(f"{e['name']}: {e['mode'] or 'not encodable'}, {len(e['findings'])} findings" for e in described)
    return emit("tdm lint", TARGET, {"descriptors": described}, found, (), json, text)


def _finding(item, prefix):
    from .output import finding_dict

    result = finding_dict(item)
    result["message"] = prefix + result["message"]
    return result


def _descriptors(text, label):
    """Return (name, words or document) of every descriptor of a text."""
    if text.lstrip()[:1] in ("[", "{"):
        import json

        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = None
        if value is not None:
            return _of_json(value, label)
    return _of_text(text, label)


def _of_json(value, label):
    if isinstance(value, dict) and isinstance(value.get("descriptors"), list):
        value = value["descriptors"]
    if isinstance(value, dict):
        value = [value]
    elif value and not any(isinstance(item, (list, dict)) for item in value) and not _lines(value):
        value = [value]
    result = []
    for i in range(len(value)):
        item, where = value[i], f"descriptor {i + 1}"
        if isinstance(item, dict):
            where = str(item.get("name", item.get("id", where)))
            if "words" in item:
                item = item["words"]
            else:
                item = {key: item[key] for key in item if key not in ("name", "id")}
        if isinstance(item, dict) and "group0" in item:
            item = [word for key in sorted(item) for word in item[key]] if _lists(item) else item
        if isinstance(item, str):
            item = words_of_text(item)
        elif isinstance(item, list):
            item = [_word(word, label, where) for word in item]
        elif not isinstance(item, dict):
            raise Usage(f"{label}: {where}: neither words nor an object")
        result.append((where, item))
    return result


def _lists(item):
    return all(isinstance(item[key], list) for key in item)


def _lines(value):
    """Whether every entry is a string that holds several words: one descriptor each."""
    return all(isinstance(item, str) and len(item.split()) > 1 for item in value)


def _word(value, label, where):
    if isinstance(value, str):
        words = words_of_text(value)
        if len(words) == 1:
            return words[0]
    elif isinstance(value, int) and not isinstance(value, bool) and -(1 << 31) <= value < 1 << 32:
        return value & 0xFFFFFFFF
    raise Usage(f"{label}: {where}: {str(value)[:40]!r} is not a 32-bit word")


def _of_text(text, label):
    result, paragraph, start = [], [], 1
    for i, line in enumerate((text + "\n\n").splitlines(), 1):
        bare = line.split("#")[0].split("//")[0].strip()
        if not bare and line.strip():
            continue  # a comment
        if bare:
            start = start if paragraph else i
            paragraph.append((i, _text_words(bare, label, i)))
        elif paragraph:
            if all(len(words) in _COUNTS for _, words in paragraph):
                result += [(f"line {number}", words) for number, words in paragraph]
            else:
                result.append((f"line {start}", [word for _, words in paragraph for word in words]))
            paragraph = []
    return result


def _text_words(line, label, number):
    constants = list(_IR.finditer(line))
    if constants:
        words = []
        for match in constants:
            if match.group(1):
                plain = match.group(1) not in ("poison", "undef")
                words.append(int(match.group(1)) & 0xFFFFFFFF if plain else 0)
            else:
                words += [0] * min(int(match.group(2)), 8)
        return words
    try:
        return words_of_text(_REGISTER.sub(" ", line))
    except Usage as error:
        raise Usage(f"{label}:{number}: {error}") from None
