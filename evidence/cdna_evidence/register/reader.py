# SPDX-License-Identifier: Apache-2.0
"""Reads the YAML subset of the register into plain data, and remembers where each value stands.

The subset: mappings with text keys, lists, text, true and false, decimal and 0x integers. What YAML 1.1 and 1.2
read differently (yes, 010, 1:30) is refused, so that an editor, another parser and this one agree on every file.
Aliases and tags are refused, so that no file is larger than it looks.
"""

import re
from typing import NamedTuple

import yaml

from .problem import problem

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml: slower, same events
    from yaml import SafeLoader as _Loader

MAX_BYTES = 4_000_000
MAX_DEPTH = 16

_INT = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_SURPRISES = (
    (re.compile(r"(yes|no|on|off|true|false)\Z", re.I), "text or a truth value: write true or false, or quote it as text"),
    (re.compile(r"[-+]?0[0-9_]+\Z|0o[0-7]+\Z"), "an octal number to some readers: write it decimal or 0x, or quote it as text"),
    (re.compile(r"[-+]?[0-9][0-9_]*_[0-9_]*\Z"), "a number with underscores to some readers: write plain digits, or quote it as text"),
    (re.compile(r"[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?\Z"), "a number in base 60 to some readers: quote it as text"),
    (
        re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?\Z|[-+]?\.(inf|nan)\Z", re.I),
        "a floating-point number: quote it as text",
    ),
    (re.compile(r"0b[01_]+\Z|[-+]0x.*\Z"), "a number to some readers: write it decimal or 0x, or quote it as text"),
)
_WORDS = ("yes", "no", "on", "off", "true", "false", "null")  # the only words that are not text everywhere
_NULL = re.compile(r"(~|null|)\Z", re.I)
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


class Document(NamedTuple):
    """One file: its data, where each value and key stands, and what is wrong with it as YAML.

    Args: data: plain lists, dicts, str, int, bool, or None when nothing could be read; marks: path -> (line, column)
      of the value; keys: path -> (line, column) of its key; bad: paths with a problem that was already reported.
    """

    data: object
    marks: dict
    keys: dict
    bad: set
    problems: list

    def mark(self, path, key=False):
        """Return (line, column) of the value at a path, or of the nearest value around it."""
        path = tuple(path)
        if key and path in self.keys:
            return self.keys[path]
        while path and path not in self.marks:
            path = path[:-1]
        return self.marks.get(path, (1, 1))


def read_document(content, file):
    """Parse the bytes of one register file.

    Args: content: bytes; file: its path for messages.
    Returns: Document; never raises for any content.
    """
    if len(content) > MAX_BYTES:
        return _broken(problem(file, (1, 1), "file", f"{len(content)} bytes", f"at most {MAX_BYTES} bytes"))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8", "replace")
        return _broken(problem(file, _place(before), "file", f"byte 0x{content[error.start]:02x}", "UTF-8 text"))
    found = [
        problem(file, _place(text[: m.start()]), "file", f"U+{ord(m[0]):04X}", "text without control characters")
        for m in _FORBIDDEN.finditer(text)
    ] + [
        problem(file, (n, line.index("\t") + 1), "line", "a tab", "spaces")
        for n, line in enumerate(text.split("\n"), 1)
        if "\t" in line
    ]
    if found:
        return _broken(*found)
    reader = _Reader(file)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        what = ", ".join(part for part in (error.context, error.problem) if part)
        return _broken(*reader.problems, problem(file, place, "file", None, f"not readable as YAML: {what}"))
    except (yaml.YAMLError, RecursionError, ValueError, MemoryError) as error:
        return _broken(*reader.problems, problem(file, (1, 1), "file", None, f"not readable as YAML: {type(error).__name__}"))
    return Document(reader.root, reader.marks, reader.keys, reader.bad, reader.problems)


def _broken(*problems):
    return Document(None, {(): (1, 1)}, {}, {()}, list(problems))


def _place(before):
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def path_text(path):
    """Return a path as people write it: `evidence[1].locator`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else ("." if text else "") + str(part)
    return text


class _Reader:
    """Builds data from parser events with its own stack, so that no nesting can exhaust Python's."""

    def __init__(self, file):
        self.file = file
        self.root = None
        self.marks = {(): (1, 1)}
        self.keys = {}
        self.bad = set()
        self.problems = []
        self.stack = []  # [container or None, path, pending key or None, key wanted, skipped]
        self.documents = 0

    def take(self, event):
        kind = type(event).__name__
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents == 2:
                self.say(event, (), "file", "a second document", "one document per file")
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self.open(event, {} if kind == "MappingStartEvent" else [])
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self.stack.pop()
        elif kind == "ScalarEvent":
            self.scalar(event)
        elif kind == "AliasEvent":
            self.refuse(event, f"*{event.anchor}", "no alias: write the value out")

    def say(self, event, path, field, given, allowed):
        mark = (event.start_mark.line + 1, event.start_mark.column + 1)
        # Nothing is reported inside a subtree that was refused as a whole.
        if not any(path[:n] in self.bad for n in range(len(path))):
            self.problems.append(problem(self.file, mark, field, given, allowed))
        self.bad.add(tuple(path))

    def refuse(self, event, given, allowed):
        """Report a node and put None in its place."""
        if self.key_wanted():
            path = self.stack[-1][1]
            self.say_key(event, path, given, "text as a key; " + allowed)
            self.stack[-1][2:4] = [None, False]
            return
        path = self.path()
        self.say(event, path, path_text(path) or "file", given, allowed)
        self.place(event, path, None)

    def say_key(self, event, path, given, allowed):
        mark = (event.start_mark.line + 1, event.start_mark.column + 1)
        if not any(path[:n] in self.bad for n in range(len(path))):
            self.problems.append(problem(self.file, mark, path_text(path) or "file", given, allowed))

    def key_wanted(self):
        return bool(self.stack) and isinstance(self.stack[-1][0], dict) and self.stack[-1][3]

    def path(self):
        if not self.stack:
            return ()
        container, path, key = self.stack[-1][:3]
        return path + (len(container) if isinstance(container, list) else key,)

    def place(self, event, path, value):
        """Put a value into the container that is open; a key that was refused swallows its value."""
        mark = (event.start_mark.line + 1, event.start_mark.column + 1)
        if not self.stack:
            if self.documents < 2:
                self.root = value
                self.marks[()] = mark
            return
        frame = self.stack[-1]
        if isinstance(frame[0], list):
            frame[0].append(value)
            self.marks[path] = mark
        else:
            if frame[2] is not None:
                frame[0][frame[2]] = value
                self.marks[path] = mark
            frame[2:4] = [None, True]

    def decorated(self, event):
        """Return True when an anchor or a tag was refused (the value itself is still used)."""
        if event.anchor or event.tag:
            given = f"&{event.anchor}" if event.anchor else str(event.tag)
            path = self.path()
            self.say(event, path, path_text(path) or "file", given, "no anchor and no tag: plain values only")
            return True
        return False

    def open(self, event, container):
        if self.key_wanted():
            self.say_key(event, self.stack[-1][1], "a list or mapping", "text as a key")
            self.stack[-1][2:4] = [None, False]
            path = self.stack[-1][1] + (None,)
            self.bad.add(path)
            self.stack.append([container, path, None, isinstance(container, dict)])
            return
        path = self.path()
        if len(self.stack) >= MAX_DEPTH and not any(path[:n] in self.bad for n in range(len(path))):
            self.say(event, path, path_text(path[:4]) + "...", None, f"nested deeper than {MAX_DEPTH} levels")
        self.decorated(event)
        swallowed = bool(self.stack) and isinstance(self.stack[-1][0], dict) and self.stack[-1][2] is None
        self.place(event, path, container)
        if swallowed:
            self.bad.add(path)
        self.stack.append([container, path, None, isinstance(container, dict)])

    def scalar(self, event):
        plain = event.implicit[0] and not event.style
        value = event.value
        if self.key_wanted():
            self.key(event, value, plain)
            return
        path = self.path()
        if self.decorated(event):
            self.place(event, path, None)
            return
        if not plain:
            self.place(event, path, value)
            return
        meaning, refusal = _plain(value)
        if refusal:
            self.say(event, path, path_text(path) or "file", value or None, refusal)
        self.place(event, path, meaning)

    def key(self, event, value, plain):
        frame = self.stack[-1]
        path = frame[1]
        mark = (event.start_mark.line + 1, event.start_mark.column + 1)
        frame[3] = False
        meaning, refusal = _plain(value) if plain else (value, None)
        if event.anchor or event.tag:
            refusal = "text as a key, without anchor or tag"
        if refusal or not isinstance(meaning, str):
            self.say_key(event, path, value, refusal or "text as a key: quote it")
            frame[2] = None
        elif value in frame[0] or path + (value,) in self.keys:
            first = self.keys[path + (value,)][0]
            self.say_key(event, path + (value,), None, f"given twice; the first is in line {first}")
            frame[2] = None
        else:
            frame[2] = value
            self.keys[path + (value,)] = mark


def _plain(value):
    """Return (meaning, None) or (None, why it is refused) of a scalar without quotes."""
    if value in ("true", "false"):
        return value == "true", None
    if value[:1].isalpha() and value.lower() not in _WORDS:
        return value, None
    if _NULL.match(value):
        return None, "empty: give a value or leave the field out"
    if _INT.match(value):
        if len(value) > 100:
            return None, "an integer below 2^64"
        return int(value), None
    if _HEX.match(value):
        if len(value) > 100:
            return None, "an integer below 2^64"
        return int(value, 16), None
    for pattern, refusal in _SURPRISES:
        if pattern.match(value):
            return None, refusal
    return value, None
