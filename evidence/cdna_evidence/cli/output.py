# SPDX-License-Identifier: Apache-2.0
"""How every command speaks: one JSON document or text, one line on standard error, one exit status."""

import os
import sys

SCHEMA = 1


class Usage(Exception):
    """Wrong usage or unreadable input: one message on standard error, exit status 2."""


class CannotTell(Exception):
    """Something asked for by name could not be told (a witness is missing): exit status 3."""


def parser(command, description, **kwargs):
    """Return an ArgumentParser whose errors are `Usage` errors, so that every command fails alike.

    An option given twice is an error, unless it collects what it is given: one of the two would be dropped silently.
    Args: command: the words after `cdna`, such as "tdm decode"; description: one sentence for --help.
    """
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message):
            raise Usage(message)

        def parse_known_args(self, args=None, namespace=None):
            words = list(sys.argv[1:] if args is None else args)
            words = words[: words.index("--")] if "--" in words else words
            single = [name for name, action in self._option_string_actions.items() if not _collects(action)]
            for name in single:
                if sum(word == name or word.startswith(name + "=") for word in words) > 1:
                    raise Usage(f"option {name} is given twice")
            return super().parse_known_args(args, namespace)

    def _collects(action):
        return isinstance(action, argparse._AppendAction | argparse._HelpAction)

    return Parser(prog="cdna " + command, description=description, allow_abbrev=False, **kwargs)


def ready():
    """Make the output streams print whatever they are given: what their encoding lacks comes out as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def say(text):
    """Print a message on standard error, as far as there is one: the exit status says the same."""
    try:
        if sys.stderr is not None:
            print(printable(text), file=sys.stderr)
    except OSError:
        drop(sys.stderr)


def drop(stream):
    """Send a stream nowhere: what it still holds could not be written, and Python would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def printable(text):
    """Return a text with escapes for what would steer a terminal, such as ESC; lines stay lines.

    Args: text: one or several lines that may quote what somebody gave.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode("ascii") for c in text)


def one_line(name):
    """Return a name that somebody gave as one printable line."""
    return printable(str(name)).replace("\n", "\\n").replace("\t", " ")


def read_text(name):
    """Return the text of a file, or of standard input for `-`, without the mark that some editors put first.

    Raises: Usage: the file cannot be read or is not UTF-8 text.
    """
    if name == "-" and sys.stdin is None:
        raise Usage("standard input is closed")
    label = "standard input" if name == "-" else one_line(name)
    try:
        if name == "-":
            return sys.stdin.buffer.read().decode("utf-8-sig")
        with open(name, "rb") as stream:
            return stream.read().decode("utf-8-sig")
    except OSError as error:
        raise Usage(f"{label}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise Usage(f"{label}: not UTF-8 text (byte {error.start})") from None


def read_json(name):
    """Return the JSON value of a file, or of standard input for `-`.

    Raises: Usage: unreadable, not JSON, or a key given twice; the message names file, line and column.
    """
    import json

    def pairs(items):
        seen = {}
        for key, value in items:
            if key in seen:
                raise Usage(f"{label}: key {as_json(key)} is given twice")
            seen[key] = value
        return seen

    def constant(word):
        raise Usage(f"{label}: {word} is not a JSON number")

    label = "standard input" if name == "-" else one_line(name)
    try:
        return json.loads(read_text(name), object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise Usage(f"{label}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise Usage(f"{label}: not readable JSON: {error}") from None


def as_json(value, most=60):
    """Return a value of a JSON file as JSON spells it, on one printable line: true and null, not True and None.

    Args: value: as `read_json` gives it; most: characters; a longer text is cut and ends in "...".
    """
    import json

    try:
        text = printable(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):
        text = repr(value)  # no JSON value, or a number of thousands of digits
    return text if len(text) <= most else text[: most - 3] + "..."


def cannot_tell(command, target, result, finding, json=False):
    """Give up on something that was asked for by name: the document where one is asked for, one message in any case.

    Args: as for `emit`; finding: the one that says why, of severity error.
    Raises: CannotTell: always, with the finding's message.
    """
    if json:
        emit(command, target, result, [finding], json=True)
    raise CannotTell(finding["message"])


def finding_dict(finding):
    """Return a finding (NamedTuple or dict) with exactly the keys of the scripted interface."""
    keys = ("rule", "severity", "message", "claim", "field")
    if isinstance(finding, dict):
        return {key: finding.get(key) for key in keys}
    return {key: getattr(finding, key, None) for key in keys}


def emit(command, target, result, findings=(), disputed=(), json=False, text=None):
    """Print one result and return the exit status.

    Args: command: such as "tdm decode"; target: gfx942, gfx950, gfx1250 or None; result: JSON-ready value;
      findings: of rules; disputed: other positions' answers; json: machine form; text: what a person reads.
    Returns: 1 when a finding is an error, else 0.
    """
    findings = [finding_dict(item) for item in findings]
    disputed = list(disputed)
    if json:
        document = {
            "schema": SCHEMA,
            "command": command,
            "target": target,
            "result": result,
            "findings": findings,
            "disputed": disputed,
        }
        print(dumps(document))
    else:
        if text:
            print(printable(text))
        for item in findings:
            claim = f"  [{item['claim']}]" if item["claim"] else ""
            print(printable(f"{item['severity']}: {item['message']}{claim}"))
        if disputed:
            from .disputed_text import line

            for item in disputed:
                print(printable(line(item, result)))
    return 1 if any(item["severity"] == "error" for item in findings) else 0


def dumps(value):
    """Return a JSON text with stable layout; integers stay integers, text stays readable."""
    import json

    text = json.dumps(value, indent=1, ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return json.dumps(value, indent=1)
    return text
