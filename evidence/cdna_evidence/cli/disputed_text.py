# SPDX-License-Identifier: Apache-2.0
"""What another position answers, as one line for people: what differs from the answer above, and no JSON."""

# Another key stands for them: the worst degree for the degree of each group, a count for the instructions that make it.
_TOLD_BY = {"degree": "worst", "s_nop": "wait_states"}
_LONGEST = 200
_MOST = 8


def line(item, result=None):
    """Return one line for an entry of `disputed`.

    Args: item: claim, position, result; result: the command's own answer, whose equal values are left out.
    """
    return f"disputed: {item['claim']}, position {item['position']}: {_said(item['result'], result)}"


def _said(other, result):
    if not isinstance(other, dict):
        return _cut(str(other))
    here = result if isinstance(result, dict) else {}
    parts = []
    for key, value in other.items():
        if _TOLD_BY.get(key) in other or (key in here and here[key] == value):
            continue
        parts += _part(key.replace("_", " "), value, here.get(key))
    return _cut("; ".join(parts) if any("," in part for part in parts[:-1]) else ", ".join(parts)) or "the same numbers"


def _part(name, value, mine):
    """Return [text] of one value that differs, or [] where nothing short can be said of it."""
    if isinstance(value, dict):
        inner = _said(value, mine)
        return [f"{name} ({inner})"]
    if name in ("note", "text", "op"):
        return [_word(value)]
    if not isinstance(value, list):
        return [f"{name} {_word(value)}" + (f" (here {_word(mine)})" if _plain(mine) else "")]
    if value and all(isinstance(one, list) for one in value) and name == "groups":
        return [f"{name} {_groups(value)}"]
    if value and all(isinstance(one, dict) and {"line", "wait"} <= set(one) for one in value):
        # Of missing waits another position gives those only that differ.
        told = [f"line {one['line']}: {one['wait']}" for one in value[:3]]
        return [f"{name} in " + ", ".join(told) + (f" and {len(value) - 3} more" if len(value) > 3 else "")]
    if len(value) <= _MOST and all(_plain(one) for one in value):
        near = isinstance(mine, list) and len(mine) <= _MOST and all(_plain(one) for one in mine)
        return [f"{name} {_row(value)}" + (f" (here {_row(mine)})" if near else "")]
    if isinstance(mine, list) and len(mine) == len(value):
        differing = [(one, two) for one, two in zip(value, mine, strict=True) if one != two]
        told = f"{name}: {len(differing)} of {len(value)} differ"
        if isinstance(differing[0][0], dict):
            told += ", the first in " + _said(*differing[0])
        return [told]
    if value and len(value) <= 3 and mine is None and all(isinstance(one, dict) for one in value):
        return [f"{name}: " + "; ".join(_said(one, None) for one in value)]
    return [f"{name}: {len(value)}" + (f" (here {len(mine)})" if isinstance(mine, list) else "")]


def _plain(value):
    return isinstance(value, str | int | float)


def _word(value):
    return {True: "yes", False: "no", None: "none"}[value] if value is None or isinstance(value, bool) else str(value)


def _row(values):
    return ", ".join(_word(one) for one in values) or "none"


def _groups(groups):
    from .lds_banks import ranges

    told = [ranges(lanes) for lanes in groups]
    between = "; " if any("," in text for text in told) else ", "
    return between.join(told[:_MOST]) + (" ..." if len(told) > _MOST else "")


def _cut(text):
    return text if len(text) <= _LONGEST else text[: _LONGEST - 20] + "... (all: --json)"
