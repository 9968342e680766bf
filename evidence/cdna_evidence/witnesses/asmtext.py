# SPDX-License-Identifier: Apache-2.0
"""Put lines of text to an LLVM assembler, one instruction a line, and give each line its own answer.

The lines of a batch go in together, each behind a label of its own, so that bytes and diagnostics cannot slip to
another line. The first statement names the target, so an assembler that fell back to another processor says so.
A batch with a fatal member is halved until the others have their answers.
"""

import re

from .face import answer

# Version of what this module makes of a compiler's output; part of every cache key.
NORMALISER = 1
BATCH = 2000
LONGEST = 2000

_LABEL = "cdna_evidence_line_"
_MNEMONIC = re.compile(r"[ \t]*([A-Za-z_][A-Za-z0-9_]*)(?=[ \t;]|//|/\*|#|$)[ \t]*(.?)")
_SWIZZLE_MASK = re.compile(r'"[01pi]{5}"')
_PLACE = re.compile(r"^(?:/dev/stdin|<stdin>|-):(\d+):(\d+): (fatal error|error|warning|note): (.*)$")
_ENCODING = re.compile(r"[;/]{1,2} encoding: \[([^\]]*)\]")
# With an operating system in the triple, and without one.
_TARGET = re.compile(r'^\s*\.(?:amdgcn_target|amd_amdgpu_isa)\s+"[^"]*--([^"]*)"', re.MULTILINE)
# A variant has a word behind the number (gfx1250-strict), a generic one hyphens inside it (gfx12-5-generic).
_NAME = re.compile(r"gfx[0-9a-f]{1,4}(-[0-9a-z]+)*(:[a-z]+[+-])*\Z")
_UNKNOWN_PROCESSOR = ("is not a recognized processor", "invalid target ID", "unknown target CPU")
_FATAL = ("LLVM ERROR", "PLEASE submit a bug report", "Stack dump:", "Assertion `")


def check_target(target):
    """Raise ValueError unless a target is a processor name such as gfx950 or gfx942:xnack-."""
    if not isinstance(target, str) or not _NAME.match(target):
        raise ValueError(f"target={target!r}: a processor name such as gfx1250")


def check_line(line):
    """Raise ValueError unless a line is one instruction and nothing else.

    Directives (some read files), labels, assignments, line breaks and comments that can swallow the next line are
    not instructions. What the operands are is the assembler's business.
    """
    if len(line) > LONGEST:
        raise ValueError(f"a line of {len(line)} characters: at most {LONGEST}")
    odd = [character for character in line if (ord(character) < 32 and character != "\t") or ord(character) == 127]
    if odd or any(0xD800 <= ord(character) <= 0xDFFF for character in line):
        raise ValueError(f"{line!r}: one instruction a line, no control characters")
    if not line.strip():
        raise ValueError("an empty line: one instruction a line")
    if line.lstrip().startswith("."):
        raise ValueError(f"{line!r}: directives are not allowed, one instruction a line")
    # The mask of a swizzle stands in quotes; a whole one on its line swallows nothing.
    rest = line if "'" in line else _SWIZZLE_MASK.sub("", line)
    if "/*" in line or '"' in rest:
        raise ValueError(f"{line!r}: '/*' and '\"' are not allowed, they can swallow the next line")
    found = _MNEMONIC.match(line)
    if not found or found.group(2) in ("=", ":"):
        raise ValueError(f"{line!r}: not an instruction; labels, assignments and directives are not allowed")


def target_of(text):
    """Return the processor that an assembly text says it is for, or None."""
    found = _TARGET.search(text)
    return found.group(1) if found else None


def unknown_processor(text):
    """Return the line of a compiler's messages that says it does not know the processor, or None."""
    for line in text.splitlines():
        if any(words in line for words in _UNKNOWN_PROCESSOR):
            return line.strip()[:300]
    return None


def died(ran):
    """Return why a run that ended counts as a crash, or None: a signal, or an internal error by its own words."""
    said = ran.err.decode("utf-8", "replace")
    if ran.code is None:
        return None
    if ran.code < 0:
        return f"ended by signal {-ran.code}"
    if ran.code >= 128:
        return f"exit status {ran.code}"
    if any(words in said for words in _FATAL):
        return f"internal error, exit status {ran.code}: {first_error(said)}"
    return None


def first_error(said):
    """Return the line of a compiler's messages that says what is wrong, else the last, at most 300 characters."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    for line in lines:
        if "error:" in line or "ERROR:" in line:
            return line[:300]
    return lines[-1][:300] if lines else "said nothing"


def assemble(lines, target, triple, ask, command):
    """Return one Answer per line, in order.

    Args: lines: instructions, already checked; target, triple: what the assembler was asked for; ask: text -> Ran;
      command: line -> the command that repeats it.
    """
    answers = []
    for start in range(0, len(lines), BATCH):
        part = lines[start : start + BATCH]
        answers += _settle(part, target, triple, ask)
    return [item._replace(command=command(line)) for item, line in zip(answers, lines, strict=True)]


def _settle(lines, target, triple, ask):
    ran = ask(_text(lines, target, triple))
    answers = _read(lines, target, ran)
    if answers is not None:
        return answers
    if len(lines) == 1:
        return [_fatal(lines[0], ran)]
    middle = len(lines) // 2
    return _settle(lines[:middle], target, triple, ask) + _settle(lines[middle:], target, triple, ask)


def _text(lines, target, triple):
    parts = [f'.amdgcn_target "{triple}--{target}"']
    for number, line in enumerate(lines):
        parts += [f"{_LABEL}{number}:", line]
    return "\n".join(parts).encode("utf-8") + b"\n"


def _fatal(line, ran):
    if ran.outcome in ("timeout", "flooded"):
        words = {"timeout": f"no answer within {ran.seconds:.1f} s", "flooded": "more output than the limit allows"}
        return answer(ran.outcome, line, diagnostic=words[ran.outcome])
    said = ran.err.decode("utf-8", "replace")
    if ran.outcome == "not-started":
        return answer("crashed", line, diagnostic=f"did not start: {said[:300]}")
    return answer("crashed", line, diagnostic=died(ran) or f"no answer, exit status {ran.code}: {first_error(said)}")


def _read(lines, target, ran):
    """Return the answers of a batch, or None when the run did not answer every line."""
    if ran.outcome != "ended" or died(ran):
        return None
    out = ran.out.decode("utf-8", "replace")
    said = ran.err.decode("utf-8", "replace")
    messages, general = _messages(said)
    named = target_of(out)
    unknown = unknown_processor(said)
    if unknown or (named is not None and named != target) or 1 in messages:
        words = unknown or (first_error(said) if said.strip() else f"the assembler works for {named}")
        return [answer("unknown-target", line, diagnostic=words) for line in lines]
    failed = any(severity != "warning" and severity != "note" for notes in messages.values() for severity, _ in notes)
    if named is None or (ran.code != 0) != failed:
        return None
    printed = _printed(out)
    answers = []
    for number, line in enumerate(lines):
        notes = messages.get(2 * number + 3, [])
        errors = [text for severity, text in notes if severity in ("error", "fatal error")]
        if errors:
            answers.append(answer("rejected", line, diagnostic="; ".join(errors)))
            continue
        warnings = [text for severity, text in notes if severity == "warning"] + general
        if number not in printed:
            return None
        text, data, symbols = printed[number]
        if symbols:
            warnings.append("the bytes depend on a symbol: " + ", ".join(symbols))
            data = None
        answers.append(answer("accepted", text, data, "; ".join(warnings)))
    return answers


def _messages(said):
    """Return messages by input line as (severity, text), and the warnings that name no line."""
    by_line = {}
    general = []
    for line in said.splitlines():
        found = _PLACE.match(line)
        if found:
            number, column, severity, words = found.groups()
            by_line.setdefault(int(number), []).append((severity, f"{severity}: {words} (column {column})"))
        elif line.startswith("warning: "):
            general.append(line)
    return by_line, general


def _printed(out):
    """Return {line number: (text, bytes, symbols)} from a listing with labels and encodings."""
    printed = {}
    current = None
    for line in out.splitlines():
        label = line.split(";")[0].split("//")[0].strip()
        if label.startswith(_LABEL) and label.endswith(":"):
            number = label[len(_LABEL) : -1]
            current = int(number) if number.isdigit() else None
            continue
        if current is None:
            continue
        found = _ENCODING.search(line)
        if found:
            text, data, symbols = printed.get(current, ("", b"", []))
            more, unknown = _bytes(found.group(1))
            words = re.split(r";|//", line[: found.start()])[0].strip()
            printed[current] = ((text + " " + words).strip(), data + more, symbols + ["unresolved"] * unknown)
        elif "fixup" in line and "value: " in line and current in printed:
            text, data, symbols = printed[current]
            name = line.split("value: ", 1)[1].split(", kind")[0]
            printed[current] = (text, data, [item for item in symbols if item != "unresolved"] + [name])
    return printed


def _bytes(listing):
    """Return the bytes of "0x01,0x00,A" and whether some of them are not known."""
    data = bytearray()
    for item in listing.split(","):
        item = item.strip()
        if not re.fullmatch(r"0x[0-9a-fA-F]{2}", item):
            return b"", True
        data.append(int(item, 16))
    return bytes(data), False


def pack(item):
    """Return an Answer as JSON values, for the cache."""
    return [item.outcome, None if item.bytes is None else item.bytes.hex(), item.text, item.diagnostic]


def unpack(value, command):
    """Return the Answer that `pack` kept, marked as kept."""
    outcome, data, text, diagnostic = value
    return answer(outcome, text, None if data is None else bytes.fromhex(data), diagnostic, command, kept=True)


def keepable(outcome):
    """Return True unless the outcome says more about this machine's load than about the compiler."""
    return outcome != "timeout"
