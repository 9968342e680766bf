# SPDX-License-Identifier: Apache-2.0
"""`cdna matrix`: claims against compiler versions, as they were asked; --run asks again, --fetch gets a compiler."""

from .output import CannotTell, Usage, emit, parser


def run(argv):
    """Print the kept answers, or ask the compilers that are here.

    Returns: 0. Raises: Usage: no such version; CannotTell: a version asked for by name is not here.
    """
    options = parser("matrix", "Claims against compiler versions. Without an option: the answers that are kept.")
    options.add_argument("--run", action="store_true", help="ask the compilers that are here, and keep what they say")
    options.add_argument("--versions", metavar="LIST", help="only these, separated by commas: clang-21 or 21.1.0")
    options.add_argument("--fetch", metavar="VERSION", action="append", default=[], help="install one with pip, apart")
    options.add_argument("--fresh", action="store_true", help="ask again, whatever answers of compilers are kept")
    options.add_argument("--json", action="store_true", help="one JSON document")
    given = options.parse_args(argv)
    from cdna_evidence.matrix import columns, table

    for name in given.fetch:
        _fetch(_column(columns, name))
    chosen = [_column(columns, name) for name in given.versions.split(",")] if given.versions else list(columns.COLUMNS)
    if given.fetch and not given.run:
        return 0
    if given.run:
        _run(given, chosen)
    try:
        found = table.load()
    except (OSError, ValueError) as error:
        raise Usage(f"evidence/matrix.json: {error}") from None
    wanted = {column.name for column in chosen}
    absent = [column.name for column in chosen if column.name not in found.answers]
    if given.versions and absent:
        raise CannotTell(
            f"no answers of {', '.join(absent)} are kept; to ask it: cdna matrix --run --versions {absent[0]}"
        )
    return emit("matrix", None, _result(found, wanted), json=given.json, text=_text(table, found, wanted))


def _column(columns, name):
    for column in columns.COLUMNS:
        if name in (column.name, column.version, column.title.split()[-1]):
            return column
    raise Usage(f"version={name!r}: {', '.join(columns.NAMES)}")


def _fetch(column):
    import subprocess

    from cdna_evidence.matrix import columns
    from cdna_evidence.witnesses import Missing

    if columns.folder(column).is_dir():
        return
    try:
        columns.fetch(column)
    except Missing as missing:
        raise CannotTell(str(missing)) from None
    except (OSError, subprocess.CalledProcessError) as error:
        raise CannotTell(f"pip could not install {column.wheel} {column.version}: {error}") from None


def _run(given, chosen):
    from cdna_evidence import settings
    from cdna_evidence.matrix import run as asking
    from cdna_evidence.witnesses import Cache, Missing

    if settings.clone() is None:
        raise Usage("--run keeps its answers in evidence/matrix.json of a clone, and this is none")
    answers = {}
    for column in chosen:
        try:
            answers[column.name] = asking.ask(column, Cache(fresh=given.fresh))
        except Missing as missing:
            # One that was asked for by name and is not here cannot be told; the others are only left as they were.
            if given.versions:
                raise CannotTell(f"{column.name}: {missing}") from None
    if not answers:
        raise CannotTell("no compiler of the matrix is here")
    try:
        asking.write(asking.merge(asking.read(), answers))
    except (OSError, ValueError) as error:
        raise Usage(f"evidence/matrix.json: {error}") from None


def _result(found, wanted):
    shown = [(i, column) for i, column in enumerate(found.columns) if column.name in wanted]
    about = ("witness", "version", "revision", "digest", "package", "date")
    rows = []
    for row in found.rows:
        cells = {
            column.name: {key: row.cells[i][key] for key in ("state", "value", "note")}
            for i, column in shown
            if row.cells[i] is not None
        }
        news = [
            {"before": item.before.name, "after": item.after.name, "old": item.old, "new": item.new,
             "change": item.change and {key: item.change[key] for key in ("text", "link")}}
            for item in found.news_of(row)
        ]  # fmt: skip
        rows.append(
            {"question": row.question.name, "title": row.question.title, "unit": row.question.unit,
             "target": row.target, "claim": row.claim, "cells": cells, "news": news}
        )  # fmt: skip
    head = [
        {"name": column.name, "title": column.title, "release": column.release,
         **{key: found.answers[column.name][key] for key in about}}
        for _, column in shown
    ]  # fmt: skip
    return {"columns": head, "rows": rows}


def _text(table, found, wanted):
    shown = [(i, column) for i, column in enumerate(found.columns) if column.name in wanted]
    lines = []
    for _, column in shown:
        told = found.answers[column.name]
        lines.append(
            f"{column.name:12} {told['version']:12} {told['package']}, sha256 {told['digest'][:16]}, {told['date']}"
        )
    for row in found.rows:
        lines.append(f"\n{row.question.title}, {row.target} [{row.claim}]")
        news = {item.after.name for item in found.news_of(row)}
        for i, column in shown:
            if row.cells[i] is not None:
                mark = "*" if column.name in news else " "
                unit = f" {row.question.unit}" if row.cells[i]["state"] == "value" and row.question.unit else ""
                lines.append(f"  {mark} {column.name:12} {table.answer(row.cells[i])}{unit}")
    lines.append("\n* differs from the version before it")
    return "\n".join(lines)
