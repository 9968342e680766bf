# SPDX-License-Identifier: Apache-2.0
"""`cdna tdm lint`: the findings of every descriptor in a file, and of what they show together.

A file is JSON (a list of words, or descriptors as lists, strings or objects with `words`, `fields` or `copy`, and `op`
where the direction is known; the file of `cdna tdm run` too, its memory, LDS and reads are passed over), or one such
object a line; a debugger's register dump; LLVM IR or MLIR with calls of the tensor intrinsics, or vector constants of
it; or words as text, one descriptor a line or one a paragraph, as `encode` prints them too. The order of the file counts
as the order of issue.
"""

import re

from .output import Usage, as_json, emit, finding_dict, one_line, read_text
from .tdm import TARGET, decode_words, one_file, op_of, split_options, without_remarks, words_of_text
from .tdm_encode import as_asked, fields_of_document, finding_of_error, number

_CONSTANT = re.compile(
    r"\bi32\s+(-?\d+|poison|undef)\b|<(\d+) x i32>\s+(zeroinitializer|poison|undef|splat \(i32 -?\d+\))(?![\w.])"
)
_DENSE = re.compile(r"dense<(\[[-\d, ]*\]|-?\d+)>\s*:\s*vector<(\d+)xi32>")
_COUNTS = (4, 12, 16, 20)
_RUN_ONLY = ("memory", "lds", "read", "ops")
_GIVEN = {(2, 3): 12, (3,): 16}  # null_groups to the words that are left
# Words that hold the mode (of groups 0 and 1), and those that hold the extents of the tile.
_MODE_WORDS, _RANK_WORDS = (0, 4), (0, 4, 7, 8, 15, 18)
# Rules that weigh several words: with one of these unknown they would judge a guess.
_WEIGHING = (
    "stride-overlap",
    "iterate-past-bound",
    "iterate-overwrites",
    "lds-overflow",
    "barrier-in-tile",
    "pad-interval-cut",
    "pad-row-multiple",
    "pad-on-store",
    "gather-bound-is-list",
    "gather-order",
    "tile-dim3-repeats",
    "zeroed-descriptor",
)


def run_lint(argv):
    """Print the findings of every descriptor of a file; return the exit status."""
    options, rest = split_options(argv, ("--op", "--cluster"))
    cluster = options.get("--cluster")
    if cluster is not None:
        cluster = number(cluster, "--cluster")
        if not 0 <= cluster <= 16:
            raise Usage(f"--cluster {cluster}: 0 or 1 (no cluster) to 16 workgroups")
    return lint(one_file(rest, "lint"), op_of(options), bool(options.get("--json")), cluster)


def lint(name, op, json, cluster=None):
    """Print the findings of every descriptor of a file.

    Args: name: file or "-"; op: "load", "store" or None; json: machine form; cluster: workgroups in the launch's
      cluster, 0 or 1 for none, None when not known.
    Returns: exit status.
    Raises: Usage: nothing in the file reads as a descriptor.
    """
    from cdna.tdm.sequence import sequence_findings

    label = "standard input" if name == "-" else one_line(name)
    described, sequence = [], []
    found, named_cluster = _descriptors(read_text(name), label)
    cluster = named_cluster if cluster is None else cluster
    for item in found:
        entry, fields = _judged(item, op, cluster, label)
        if fields is not None:
            sequence.append((len(described), fields, item.op or op))
        described.append(entry)
    if not described:
        raise Usage(f"{label}: no descriptor found")
    # The texts of a sequence count its descriptors from 1, so it is judged only where the whole file is one.
    if len(sequence) == len(described):
        for position, finding in sequence_findings([(fields, how) for _, fields, how in sequence]):
            described[position]["findings"].append(finding_dict(finding))
    listed = [dict(item, message=f"{e['name']}: {item['message']}") for e in described for item in e["findings"]]
    text = "\n".join(f"{e['name']}: {e['mode'] or _no_mode(e)}, {_count(e['findings'])}" for e in described)
    return emit("tdm lint", TARGET, {"descriptors": described}, listed, (), json, text)


def _no_mode(entry):
    return "mode not constant" if any(item["rule"] == "not-constant" for item in entry["findings"]) else "not encodable"


def _left(null_groups):
    """Return how many words the instruction gives when it names these groups NULL; None for all of them."""
    groups = {str(group) for group in null_groups} if isinstance(null_groups, list) else ()
    return _GIVEN.get(tuple(group for group in (2, 3) if str(group) in groups))


def _judged(item, op, cluster, label):
    """Return (result entry, fields); the fields are None where a sequence cannot be judged with them."""
    from cdna.tdm.descriptor import FieldError, decode, encode
    from cdna.tdm.rules import findings_of

    entry = {"name": item.name, "mode": None, "rank": None, "findings": []}
    own, fields, unknown = [], None, []
    try:
        if isinstance(item.words, dict):
            document = dict(item.words)
            null = document.pop("null_groups", None)
            fields, own = fields_of_document(document)
            descriptor = decode(encode(fields)[: _left(null)])
        else:
            unknown = [i for i in range(len(item.words)) if item.words[i] is None]
            words = [_stand_in(i, unknown) if i in unknown else item.words[i] for i in range(len(item.words))]
            descriptor = decode_words(words, "1" if len(words) == 8 else None)
    except FieldError as error:
        fields, own = None, [finding_of_error(error)]
    except Usage as error:
        raise Usage(f"{label}: {item.name}: {error}") from None
    else:
        judged = as_asked(item.words, findings_of(descriptor, item.op or op, cluster))
        own = list(own) + [each for each in judged if not _rests_on(each, unknown)]
        whole = not unknown and len(descriptor.words) > 8
        entry["mode"] = None if set(unknown) & set(_MODE_WORDS) else descriptor.mode
        entry["rank"] = None if set(unknown) & set(_RANK_WORDS) else descriptor.rank
        fields = descriptor.fields if whole else None
    if unknown:
        listed = ", ".join(str(i) for i in unknown)
        text = f"not constant here: word{'s' if len(unknown) > 1 else ''} {listed}; what rests on them was not judged"
        own.append({"rule": "not-constant", "severity": "info", "message": text, "claim": "TDM-003", "field": None})
    own += [dict(zip(("rule", "severity", "message", "claim", "field"), each, strict=True)) for each in item.notes]
    entry["findings"] = [finding_dict(each) for each in own]
    return entry, fields


def _stand_in(word, unknown):
    """Return an inconspicuous value for a word that is not known: type 2 and count 1, zero elsewhere."""
    return {0: 1, 3: 2 << 30}.get(word, 0)


def _rests_on(finding, unknown):
    """Say whether a finding is about a field that lies in a word which is not known."""
    from cdna.tdm.fields import FIELDS

    if not unknown:
        return False
    if finding.rule in _WEIGHING and any(word > 3 for word in unknown):
        return True
    if finding.rule in ("lds-overflow", "barrier-in-tile") and 1 in unknown:
        return True
    starts = (0, 4, 12, 16)
    names = ("row_index_",) if finding.field == "row_indices" else (finding.field or "-",)
    for field in FIELDS:
        if field.name in names or field.name.startswith("row_index_") and "row_index_" in names:
            first = starts[field.group] + field.lo // 32
            if any(first <= word <= starts[field.group] + (field.lo + field.width - 1) // 32 for word in unknown):
                return True
    return False


def _count(found):
    return f"{len(found)} finding" + ("" if len(found) == 1 else "s")


def _descriptors(text, label):
    """Return (list of Found, workgroups of the cluster or None); the words of a Found may be a JSON document."""
    from cdna_evidence.descriptors import Found, Unreadable

    if text.lstrip()[:1] in ("[", "{"):
        import json

        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            value = _json_lines(text)
            if value is None and '":' in text and isinstance(error, json.JSONDecodeError):
                raise Usage(f"{label}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
        if value is not None:
            return [Found(where, item, op) for where, item, op in _of_json(value, label)], None
    from cdna_evidence.descriptors import llvm_ir, mlir, registers

    try:
        if llvm_ir.is_llvm_ir(text):
            return llvm_ir.descriptors_of_ir(text), llvm_ir.cluster_of_ir(text)
        if mlir.is_mlir(text):
            return mlir.descriptors_of_mlir(text), None
        if registers.is_register_dump(text):
            return registers.descriptors_of_registers(text), None
        if registers.is_assembly(text):
            told = "the instruction names registers and not what they hold; give a register dump, LLVM IR or the words"
            raise Usage(f"{label}: {told}")
    except Unreadable as error:
        raise Usage(f"{label}: {error}") from None
    return [Found(where, words, None) for where, words in _of_text(text, label)], None


def _json_lines(text):
    """Return the objects of a text that has one JSON object a line, else None."""
    import json

    try:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    return found if all(isinstance(item, dict) for item in found) else None


def _of_json(value, label):
    if isinstance(value, dict) and isinstance(value.get("result"), dict) and value["result"].get("groups"):
        value = {"words": value["result"]["groups"]}  # what encode and decode print
    if isinstance(value, dict) and isinstance(value.get("descriptors"), list):
        value = value["descriptors"]
    if isinstance(value, dict):
        value = [value]
    elif value and not any(isinstance(item, (list, dict)) for item in value) and not _lines(value):
        value = [value]
    result = []
    for i in range(len(value)):
        item, where, op, left = value[i], f"descriptor {i + 1}", None, None
        if isinstance(item, dict):
            where = one_line(item.get("name", item.get("id", where)))
            op, left = item.get("op"), _left(item.get("null_groups"))
            ops = item.get("ops")
            if op is None and isinstance(ops, list) and len(ops) > 0 and ops.count(ops[0]) == len(ops):
                op = ops[0]
            if op not in (None, "load", "store"):
                raise Usage(f'{label}: {where}: op={as_json(op, 40)}: "load" or "store"')
            if "words" in item:
                item = item["words"]
            else:
                item = {key: item[key] for key in item if key not in ("name", "id", "op", *_RUN_ONLY)}
        if isinstance(item, dict) and "group0" in item:
            item = [word for key in sorted(item) for word in item[key]] if _lists(item) else item
        if isinstance(item, str):
            item = words_of_text(item)[:left]
        elif isinstance(item, list):
            item = [_word(word, label, where) for word in item][:left]
        elif not isinstance(item, dict):
            raise Usage(f"{label}: {where}: neither words nor an object")
        result.append((where, item, op))
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
    raise Usage(f"{label}: {where}: {as_json(value, 40)} is not a 32-bit word")


def _of_text(text, label):
    result, paragraph, start = [], [], 1
    lines = []
    for at, line in enumerate(without_remarks(text + "\n\n").splitlines() + [""], 1):
        if line.lower().startswith("group0") and lines:
            lines.append((at, ""))  # another one, as `encode` prints it
        lines.append((at, line))
    for i, line in lines:
        bare = line.split("#")[0].split("//")[0].strip()
        if line.lstrip().startswith(";") or not bare and line.strip():
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
    dense = _DENSE.search(line)
    if dense:
        items = [int(item) & 0xFFFFFFFF for item in re.findall(r"-?\d+", dense.group(1))]
        return items * min(int(dense.group(2)), 20) if len(items) == 1 else items
    if _CONSTANT.search(line):
        return _constants(line)
    try:
        return words_of_text(line)
    except Usage as error:
        raise Usage(f"{label}:{number}: {error}") from None


def _constants(line):
    """Return the words of LLVM IR vector constants, without a call around them."""
    words, at = [], 0
    for match in _CONSTANT.finditer(line):
        if match.start() < at:
            continue  # inside a splat that was read
        if match.group(1):
            words.append(int(match.group(1)) & 0xFFFFFFFF if match.group(1) not in ("poison", "undef") else 0)
            continue
        splat = re.search(r"-?\d+\)", match.group(3))
        words += [int(splat.group(0)[:-1]) & 0xFFFFFFFF if splat else 0] * min(int(match.group(2)), 8)
        at = match.end()
    return words
