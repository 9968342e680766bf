# SPDX-License-Identifier: Apache-2.0
"""Placeholders in statements: finding them, filling them, and finding numbers that are none."""

import re

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
REFERENCE = re.compile(r"([a-z][a-z0-9_]*)((?:\.[A-Za-z0-9_-]+|\[[0-9]{1,4}\])*)\Z")
_STEP = re.compile(r"\.([A-Za-z0-9_-]+)|\[([0-9]+)\]")

# Digits that are part of a name, not a number: removed before looking for numbers.
_NAMES = re.compile(
    r"`[^`]*\[[0-9]+(:[0-9]+)?\][^`]*`"  # s[0:3], in code
    r"|(?<![A-Za-z0-9_-])[A-Z][A-Z0-9]{1,4}-[0-9]{3,4}(?![0-9])"  # TDM-031
    r"|[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]*[A-Za-z_][A-Za-z0-9_]*)*"  # tile_dim0, CDNA5
    r"|(?<![\w.])[1-9]D\b"  # 2D to 5D
    r"|(?<![\w.])[0-9]+(\.[0-9]+){2,}\b"  # a version: 22.1.8
    r"|§ ?[A-Z0-9]+(\.[0-9]+)*"
)
_NUMBERED = re.compile(
    r"\b(?:groups?|dimensions?) [0-4](?:(?:, and |, | and | or | to )[0-4])*\b|\b(?:tables?|sections?|chapters?|figures?) [0-9]+(?:\.[0-9]+)*\b", re.I
)
_DIGITS = re.compile(r"[0-9][0-9.,x]*")


def references(text):
    """Return [(reference as written, offset)] of the placeholders of a text; a lone brace gives its character."""
    found = []
    for match in PLACEHOLDER.finditer(text):
        if match[0] not in ("{{", "}}"):
            found.append((match[1] if match[1] is not None else match[0], match.start()))
    return found


def resolve(values, reference):
    """Return the value that a reference such as `codes[0]` or `banks.count` names.

    Raises: KeyError: it names nothing.
    """
    match = REFERENCE.match(reference)
    if not match or match[1] not in values:
        raise KeyError(reference)
    value = values[match[1]]
    for name, index in _STEP.findall(match[2]):
        if name and isinstance(value, dict) and name in value:
            value = value[name]
        elif index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        else:
            raise KeyError(reference)
    return value


def bare_numbers(text):
    """Return the numbers of a text that are neither placeholders nor part of a name."""
    text = PLACEHOLDER.sub(" ", text)
    text = _NUMBERED.sub(" ", text)
    return _DIGITS.findall(_NAMES.sub(_blank, text))


def _blank(match):
    # In code only the register range is a name; other digits of the same span still count.
    if match[0].startswith("`"):
        inside = re.sub(r"[A-Za-z_]\w*\[[0-9]+(:[0-9]+)?\]", " ", match[0])
        return " ".join(bare_numbers(inside.replace("`", " ")))
    return " "


def show(value):
    """Return a value of the register as a reader sees it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        nested = any(isinstance(item, (list, tuple, dict)) for item in value)
        return ("; " if nested else ", ").join(show(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {show(item)}" for name, item in value.items())
    return str(value)


def fill(text, values):
    """Return a text with its placeholders filled.

    Args: text: with {name}, {name[0]}, {name.sub}; values: {target: {name: value}}. Where targets differ, each value
      is followed by its targets: `65536 (gfx942), 163840 (gfx950)`, and inside parentheses of its own
      `65536 on gfx942; 163840 on gfx950`. A reference to nothing stays as written.
    """

    def one(match):
        if match[0] in ("{{", "}}"):
            return match[0][0]
        if match[1] is None:
            return match[0]
        shown = []
        for target, known in values.items():
            try:
                word = show(resolve(known, match[1]))
            except KeyError:
                continue
            for item in shown:
                if item[0] == word:
                    item[1].append(target)
                    break
            else:
                shown.append((word, [target]))
        if len(shown) == 1 and len(shown[0][1]) == len(values):
            return shown[0][0]
        form = "{} on {}" if text[: match.start()].endswith("(") and text.startswith(")", match.end()) else "{} ({})"
        between = "; " if form == "{} on {}" else ", "
        return between.join(form.format(word, ", ".join(targets)) for word, targets in shown) or match[0]

    return PLACEHOLDER.sub(one, text)
