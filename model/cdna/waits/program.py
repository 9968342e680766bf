# SPDX-License-Identifier: Apache-2.0
"""Reads assembly text or the output of `llvm-objdump -d` into instructions, basic blocks and loops.

Understood: labels, comments (`;`, `//`, `/* */`, lines with `#`), directives (`.set` and `name = value` are kept as
symbols), encodings in comments or in front, addresses, quoted lines of inline assembly. What is neither is counted as
not read and reported, never passed over in silence.
"""

from typing import NamedTuple

from cdna.waits.graph import back_edges_of, blocks_of
from cdna.waits.registers import is_word, number_of, registers_in, value_of, words_of


class Instruction(NamedTuple):
    """One instruction: place in the list, line in the text (from 1), byte address or None, labels in front of it."""

    index: int
    line: int
    address: object
    labels: tuple
    mnemonic: str  # without encoding suffixes such as _e32
    operands: tuple  # texts
    modifiers: tuple  # words after the operands, lower case: lds, offset:16, sc0, th:th_atomic_return
    text: str


class Program(NamedTuple):
    """Everything read from a text."""

    instructions: tuple
    blocks: tuple
    entries: tuple  # block numbers where execution may begin
    back_edges: tuple  # (from, to) block numbers: one per loop end
    symbols: dict
    unread: tuple  # (line, text)
    unexpanded: tuple  # (line, text) of what an assembler repeats, replaces or leaves out; the lines between are read once
    unknown_targets: tuple  # instruction numbers of branches whose target is not in the text
    one_wave: bool  # the text says that a workgroup is one wave
    split: bool  # the text says that waves of a workgroup may run apart: then it has no LDS


_PREFIXES = (
    "s_",
    "v_",
    "ds_",
    "global_",
    "flat_",
    "buffer_",
    "tbuffer_",
    "scratch_",
    "tensor_",
    "cluster_",
    "image_",
    "exp",
    "lds_",
)
_SUFFIXES = ("_e32", "_e64", "_sdwa", "_dpp", "_e64_dpp")
_CALLS = ("s_call_b64", "s_call_i64")
_REPEATS = (".rept", ".rep", ".irp", ".irpc", ".include")
_HEX = "0123456789abcdefABCDEF"


def read(text, wave_lanes):
    """Return the Program of a text.

    Args: text: assembly or disassembly; wave_lanes: lanes of one wave, to tell a workgroup of one wave.
    """
    symbols, unread, found, labels, addresses = {}, [], [], [], {}
    one_wave, in_comment, number, metadata, split = None, False, 0, False, False
    macros, in_macro, unexpanded, valued = {}, False, [], {}
    for raw in text.replace("\r", "").split("\n"):
        number += 1
        size = _workgroup_size(raw)
        if size is not None:
            one_wave = size <= wave_lanes if one_wave is None else one_wave and size <= wave_lanes
        first = raw.strip().split(" ")[0]
        split = split or (first == ".amdhsa_tg_split" and raw.split()[1:] == ["1"])
        if metadata or first == ".amdgpu_metadata" or first == ".amd_kernel_code_t":
            metadata = first not in (".end_amdgpu_metadata", ".end_amd_kernel_code_t")
            continue
        if raw.strip(" \t;/") == "asyncmark":
            labels.append("asyncmark")  # a compiler's remark: copies in front of it and behind it are two groups
        code, address, in_comment = _code(raw, in_comment)
        words = [word for word in code.replace("\t", " ").replace(",", " ").split(" ") if word] or [""]
        if in_macro or words[0] == ".macro":
            if not in_macro and len(words) > 1:
                macros[words[1]] = True
            in_macro = words[0] not in (".endm", ".endmacro")
            continue
        if words[0] in _REPEATS or words[0][:3] == ".if" or words[0] in macros:
            unexpanded.append((number, code))
            continue
        while True:
            label, code = _label(code)
            if label is None:
                break
            labels.append(label)
        if not code:
            continue
        if _symbol(code, symbols):
            valued = {}
            continue
        mnemonic, operands, modifiers = _split(code)
        if symbols and mnemonic[:9] != "s_cbranch" and mnemonic[:8] != "s_branch":
            operands = tuple([_valued(operand, symbols, valued) for operand in operands])
        if not _known(mnemonic):
            unread.append((number, code))
            continue
        index = len(found)
        if address is not None:
            addresses[address] = index
        found.append(Instruction(index, number, address, tuple(labels), mnemonic, operands, modifiers, code))
        labels = []
    where = {}
    for item in found:
        for label in item.labels:
            where.setdefault(label, item.index)
    targets, unknown = _targets(found, where, addresses)
    blocks, entries = blocks_of(found, targets)
    edges = back_edges_of(blocks, entries)
    unread, unexpanded, one_wave = tuple(unread), tuple(unexpanded), bool(one_wave)
    return Program(tuple(found), blocks, entries, edges, symbols, unread, unexpanded, unknown, one_wave, split)


def said_unexpanded(program):
    """Return the words on what an assembler would repeat, replace or leave out, and its first line; "" and 0 for nothing."""
    if not program.unexpanded:
        return "", 0
    line, text = program.unexpanded[0]
    more = len(program.unexpanded) - 1
    told = f"line {line}: {text}: an assembler repeats, replaces or leaves out lines here, and each line is read once"
    return told + (f" ({more} more such)" if more else "") + ": give a disassembly", line


def operand_registers(instruction, symbols):
    """Return the registers of each operand of an instruction, a list of lists."""
    return [registers_in(operand, symbols) for operand in instruction.operands]


def _known(mnemonic):
    for prefix in _PREFIXES:
        if mnemonic[: len(prefix)] == prefix:
            return True
    return False


def _code(raw, in_comment):
    """Return a line without comments and columns, its address, and whether a block comment goes on."""
    line, address, out, at = raw.strip(), None, "", 0
    if line[:1] == "#":
        return "", None, in_comment
    if line[:1] == '"':
        line = line.strip('", ').replace("\\n", " ").replace("\\t", " ")
    while True:  # from mark to mark: texts are long, and most lines have none
        if in_comment:
            end = line.find("*/", at)
            if end < 0:
                break
            in_comment, at = False, end + 2
            continue
        mark, block = _first_mark(line, at)
        if mark < 0:
            out += line[at:]
            break
        out += line[at:mark]
        if not block:
            address = _address(line[mark:].strip("/; "))
            break
        body = line[mark + 2 :].split("*/")[0].strip()
        out = _renamed(out, body)  # the assembler's remark: which register the high bits make of it
        in_comment, at = True, mark + 2
    return _without_columns(out.strip()), address, in_comment


def _first_mark(line, start):
    """Return where the next comment begins, -1 for none, and whether it is one that ends with a mark of its own."""
    found, block = -1, False
    for mark in (";", "//", "/*"):
        place = line.find(mark, start)
        if place >= 0 and (found < 0 or place < found):
            found, block = place, mark == "/*"
    return found, block


def _renamed(out, remark):
    """Return a text whose last register is replaced by the one that a remark names: v256 for v0, v[258:259] for v[2:3]."""
    end = len(out.rstrip())
    start = end
    while start and out[start - 1] not in " ,|-(":
        start -= 1
    named, meant = _range(out[start:end]), _range(remark)
    if named is None or meant is None or named[1] - named[0] != meant[1] - meant[0] or (meant[0] - named[0]) % 256:
        return out
    return out[:start] + remark


def _range(word):
    """Return the first and last number of v4 or v[4:7], or None."""
    parts = [number_of(part) for part in word[1:].strip("[]").split(":")]
    if word[:1] != "v" or len(parts) > 2 or None in parts:
        return None
    return parts[0], parts[-1]


def _address(comment):
    """Return the address at the start of a disassembler's comment such as 000000001900: C0060002, or None."""
    first = comment.split(" ")[0]
    if first[-1:] == ":" and len(first) >= 9 and all([char in _HEX for char in first[:-1]]):
        return int(first[:-1], 16)
    return None


def _without_columns(code):
    """Drop addresses and encodings in front of an instruction."""
    words = code.replace("\t", " ").split(" ")
    while len(words) > 1:
        word = words[0]
        bare = word[:-1] if word[-1:] == ":" else word
        plain = (
            len(bare) >= 2 and all([char in _HEX for char in bare]) and (len(word) != len(bare) or bare not in ("exp",))
        )
        if not (
            word in ("", "=>")
            or plain
            or (bare[:2] == "0x" and number_of(bare) is not None)
            or (word[:2] == "<+" and word[-1:] == ":")
        ):
            break
        rest = " ".join(words[1:]).strip()
        if rest[:1] == "<" and rest[-2:] == ">:":
            return rest  # a function header of a disassembler
        words = rest.split(" ")
    return " ".join(words).strip()


def _label(code):
    """Return a label in front of the code and the rest, or None and the code."""
    if code[:1] == "<" and code[-2:] == ">:":
        return code[1:-2], ""
    head = ""
    for char in code:
        if char == ":":
            if head and not head[0].isdigit() and " " not in head:
                rest = code[len(head) + 1 :].strip()
                return head.strip('"'), rest
            if head and all([digit in "0123456789" for digit in head]):
                return head, code[len(head) + 1 :].strip()
            return None, code
        if char in " \t[,(=":
            return None, code
        head += char
    return None, code


def _symbol(code, symbols):
    """Keep a symbol; return True when the line is a directive or an assignment."""
    if code[:1] == ".":
        words = code.replace("\t", " ").split(" ")
        if words[0] in (".set", ".equ", ".equiv"):
            name, _, expression = " ".join(words[1:]).partition(",")
            value = value_of(expression, symbols)
            if value is not None:
                symbols[name.strip()] = value
            elif name.strip() in symbols:
                del symbols[name.strip()]  # a value that is not read must not leave the old one behind
        return True
    if code[:19] == "Disassembly of sect" or "file format" in code or code in ("...", "---"):
        return True
    name, equals, expression = code.partition("=")
    if equals and len(words_of(name)) == 1 and expression[:1] != "=":
        value = value_of(expression, symbols)
        if value is not None:
            symbols[name.strip()] = value
            return True
    return False


def _valued(operand, symbols, known):
    """Return an operand with the values that its symbols have here: a later .set may give them others.

    Args: known: a dict that keeps answers until a symbol changes.
    """
    if "[" not in operand and "(" not in operand and operand not in symbols:
        return operand
    if operand not in known:
        out, word = "", ""
        for char in operand + " ":
            if is_word(char):
                word += char
                continue
            value = symbols.get(word) if char not in "[(" else None  # else a register file, or a counter
            out += word if value is None else str(value) if value >= 0 else f"({value})"
            out += char
            word = ""
        known[operand] = out[:-1]
    return known[operand]


def _split(code):
    """Return mnemonic, operands and modifiers of one instruction."""
    code = code.replace("\t", " ")
    mnemonic, _, rest = code.partition(" ")
    mnemonic = mnemonic.lower()
    for suffix in _SUFFIXES:
        if mnemonic[-len(suffix) :] == suffix:
            mnemonic = mnemonic[: -len(suffix)]
            break
    if "::" in rest:  # two instructions in one
        rest = rest.replace("::", ",")
    operands, depth, word = [], 0, None
    for piece in rest.split(","):
        word = piece if word is None else word + "," + piece
        depth += piece.count("[") + piece.count("(") - piece.count("]") - piece.count(")")
        if depth == 0:  # a comma in brackets separates nothing
            operands.append(word.strip())
            word = None
    if word is not None:
        operands.append(word.strip())
    if operands and not operands[-1]:
        operands.pop()
    if mnemonic[:6] == "s_wait":
        return mnemonic, (rest.strip(),) if rest.strip() else (), ()
    modifiers = []
    if operands:
        last, *more = [part for part in _blanks(operands[-1]) if part] or [""]
        # The words after the last operand are modifiers; an expression in brackets stays whole.
        operands[-1] = last
        if ":" in last and "[" not in last.split(":")[0]:
            operands = operands[:-1]
            more = [last] + more
        modifiers = [word.lower() for word in more]
    return mnemonic, tuple(operands), tuple(modifiers)


def _blanks(text):
    """Split at blanks outside of brackets."""
    if not [bracket for bracket in "[]()" if bracket in text]:
        return text.split(" ")
    found, word, depth = [], "", 0
    for char in text:
        if char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        if char == " " and depth == 0:
            found.append(word)
            word = ""
        else:
            word += char
    return found + [word]


def _targets(found, where, addresses):
    """Return {instruction number: target number} of the branches, and the numbers of those whose target is unknown."""
    targets, unknown = {}, []
    for item in found:
        name = item.mnemonic
        if name != "s_branch" and name[:9] != "s_cbranch" and name not in _CALLS:
            continue
        word = item.operands[-1] if item.operands else ""
        number = number_of(word)
        target = None
        if word in where:
            target = where[word]
        elif number is not None and item.address is not None:
            offset = number - 0x10000 if number & 0x8000 else number
            target = addresses.get(item.address + 4 + 4 * offset)
        elif word[-1:] in ("b", "f") and number_of(word[:-1]) is not None:
            target = _numbered(found, item.index, word)
        if target is None:
            unknown.append(item.index)
        else:
            targets[item.index] = target
    return targets, tuple(unknown)


def _numbered(found, index, word):
    """Return the target of a numbered label such as 1b or 1f."""
    if word[-1] == "f":
        order = range(index + 1, len(found))
    else:
        order = [index - step for step in range(0, index + 1)]
    for place in order:
        if word[:-1] in found[place].labels:
            return place
    return None


def _workgroup_size(line):
    """Return the largest workgroup size that a line of metadata states, or None."""
    name, colon, value = line.strip().strip("-; ").partition(":")
    if colon and name.strip().strip(".") == "max_flat_workgroup_size":
        return number_of(value.strip())
    return None
