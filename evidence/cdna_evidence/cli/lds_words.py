# SPDX-License-Identifier: Apache-2.0
"""Options, numbers and tables of the `cdna lds` commands."""

from .output import Usage


def options_of(argv, with_value, flags=()):
    """Return ({option: value}, other words); `--name=value` works as well.

    Args: with_value: options that take one; flags: further ones that take none, besides --json.
    Raises: Usage: an unknown option, one given twice, or one without its value.
    """
    flags = ("--json",) + tuple(flags)
    options, rest, queue = {}, [], list(argv)
    while queue:
        word = queue.pop(0)
        if word == "--":
            return options, rest + queue
        if not word.startswith("-") or word == "-" or word[1:2].isdigit():
            rest.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in options:
            raise Usage(f"option {name} is given twice")
        if name in flags and not equals:
            options[name] = True
        elif name in with_value:
            if not equals:
                if not queue:
                    raise Usage(f"option {name} needs a value")
                value = queue.pop(0)
            options[name] = value
        else:
            raise Usage(f"unknown option {word[:40]!r}: {', '.join(flags + with_value)}")
    return options, rest


def target_of(options):
    """Return the name of the target. Raises: Usage: none given, or an unknown one."""
    from cdna.targets import target_named

    name = required(options, "--target")
    try:
        return target_named(name).name
    except ValueError as error:
        raise Usage(str(error)) from None


def wave_lanes(target):
    """Return the lanes of a wave of a target."""
    from cdna.targets import target_named

    return target_named(target).wave_lanes


def required(options, name):
    """Return the value of an option. Raises: Usage: it is not given."""
    if not options.get(name):
        raise Usage(f"{name} is needed")
    return options[name]


def number(options, name, default, least=0):
    """Return the whole number of an option.

    Args: options: as `options_of` gives; name: of the option; default: None where it must be given; least: None for no limit.
    Raises: Usage: not given, no number, or too small.
    """
    if name not in options:
        if default is None:
            raise Usage(f"{name} is needed")
        return default
    value = integer(options[name], name)
    if least is not None and value < least:
        raise Usage(f"{name} {value}: at least {least}")
    return value


def integer(text, name):
    """Return the whole number that a text holds, decimal or 0x. Raises: Usage: it holds none."""
    digits = text[1:] if text[:1] == "-" else text
    base = 16 if digits[:2] in ("0x", "0X") else 10
    digits = digits[2:] if base == 16 else digits
    allowed = "0123456789abcdefABCDEF" if base == 16 else "0123456789"
    if not digits or digits.strip(allowed) or len(digits) > 20:
        raise Usage(f"{name} {text[:40]!r}: a whole number, decimal or 0x")
    return -int(digits, base) if text[:1] == "-" else int(digits, base)


def expression_of(text, name, names=("lane",)):
    """Return the parsed expression of a text. Raises: Usage: it cannot be read; the message says where."""
    from .expression import ExpressionError, parse

    try:
        return parse(text, names)
    except ExpressionError as error:
        raise Usage(f"{name}: {error}") from None


def nothing_else(rest):
    """Raises: Usage: words are left that this command has no use for."""
    if rest:
        raise Usage(f"unexpected {rest[0][:40]!r}")


def lists(groups):
    """Return groups as lists, for JSON."""
    return [list(group) for group in groups]


def table(rows):
    """Return rows of texts as columns."""
    if not rows:
        return ""
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(len(row) for row in rows))]
    return "\n".join("  ".join(cell.ljust(widths[i]) for i, cell in enumerate(row)).rstrip() for row in rows)


def write_file(name, text):
    """Write a text to a file. Raises: Usage: it cannot be written."""
    try:
        with open(name, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise Usage(f"{name}: {error.strerror or error}") from None
