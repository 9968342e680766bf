# SPDX-License-Identifier: Apache-2.0
"""The compiler matrix: who was asked, what changed between versions, the table, and each cell's input and output.

Everything here is kept output (evidence/matrix.json) and says so. A claim's page shows the rows that speak to it.
"""

import functools

from cdna_evidence.matrix import run, table
from cdna_evidence.witnesses.listing import given

from . import card
from .tree import copy_button, disclosure, h, joined, rich
from .tree import table as grid

PAGE = "matrix.md"


def page(here, args):
    """Return one part of the page: `columns`, `news`, `table` or `cells`."""
    found = kept()
    if not found.columns:
        return h("p", "No compiler has been asked. ", h("code", "cdna matrix --run"), " asks those that are here.")
    return {"columns": _columns, "news": _news, "table": _table, "cells": _cells}[args](here, found)


def of_claim(here, claim):
    """Return nodes that say since which compiler version a claim's answers hold, and until when others did; [] for none."""
    found = kept()
    rows = []
    for row in found.of_claim(claim.id):
        told = found.since(row)
        if told is None:
            continue
        now, first, last, before, old = told
        unit = f" {row.question.unit}" if row.question.unit and now[:1].isdigit() else ""
        since = f"since {first.title}" + ("" if before else ", the first that was asked")
        until = f"until {before.title}: {old}" if before else ""
        title = h("a", rich(row.question.title), href=here.link(PAGE) + "#" + _anchor(row))
        rows.append([title, row.target, now + unit, f"{since}, seen up to {last.title}", until])
    if not rows:
        return []
    note = (
        "Kept output of the compilers, not of this run. A compiler shows what that compiler does, never the hardware."
    )
    return [
        grid(["asked", "target", "answer", "since", "before"], rows, label="by compiler version"),
        h("p", note, class_="cdna-quiet"),
    ]


def kept():
    """Return the Table of the kept answers; it is read once for every state of the file."""
    try:
        stamp = run.path().stat().st_mtime_ns
    except OSError:
        stamp = None
    return _kept(stamp)


@functools.lru_cache(maxsize=1)
def _kept(stamp):
    return table.load()


def _anchor(row):
    return f"{row.question.name}-{row.target}"


def _claim(here, identity):
    # The table of questions may be ahead of the register by a claim.
    if identity in here.content.register.claims:
        return card.see(here, here.claim(identity))
    return identity


def _columns(here, found):
    rows = []
    for column in found.columns:
        told = found.answers[column.name]
        rows.append(
            [
                h("code", column.name),
                column.title,
                column.release,
                told["version"],
                h("code", (told["revision"] or "")[:12]),
                h("code", told["digest"][:16], title=f"SHA-256 {told['digest']}"),
                told["date"],
            ]
        )
    head = ["name", "compiler", "release it belongs to", "its own version", "revision", "SHA-256 (start)", "asked on"]
    return grid(head, rows, label="compilers of the matrix", stacked=True)


def _news(here, found):
    rows, known = [], []
    for item in found.news():
        why = "not known here"
        if item.change:
            why = [item.change["short"], *_link(item.change)]
            known += [item.change] if item.change not in known else []
        place = h("a", rich(item.row.question.title), href="#" + _anchor(item.row))
        rows.append(
            [
                place,
                item.row.target,
                [h("span", f"{item.before.title}:", class_="cdna-version"), " ", item.old],
                [h("span", f"{item.after.title}:", class_="cdna-version"), " ", item.new],
                why,
                _claim(here, item.row.claim),
            ]
        )
    nodes = [
        grid(
            ["asked", "target", "until", "since", "what explains it", "claim"],
            rows,
            label="changes between versions",
            stacked=True,
        )
    ]
    nodes += [h("p", rich(change["text"]), *_link(change)) for change in known]
    for row in found.rows:
        change = table.change_of(row.question.name, row.target)
        if change:
            place = h("a", rich(row.question.title), href="#" + _anchor(row))
            nodes.append(h("p", place, f", {row.target}: ", rich(change["text"]), *_link(change)))
    return h("div", *nodes)


def _link(change):
    if not change["link"]:
        return []
    number = change["link"].rpartition("/")[2]
    return [" ", h("a", f"llvm-project #{number}", href=change["link"], rel="noopener")]


def _table(here, found):
    head = [
        "asked",
        "target",
        "claim",
        *[column.title for column in found.columns],
    ]
    titles = [h("span", text) for text in head]
    for title, column in zip(titles[3:], found.columns, strict=True):
        title.set("title", column.release)
    rows = []
    for row in found.rows:
        news = {item.after.name: item for item in found.news_of(row)}
        cells = [_cell(cell, news.get(column.name)) for column, cell in zip(found.columns, row.cells, strict=True)]
        title = h("a", rich(row.question.title), href="#" + _anchor(row))
        unit = f" ({row.question.unit})" if row.question.unit else ""
        rows.append([[title, unit], row.target, _claim(here, row.claim), *cells])
    body = []
    for cells in rows:
        line = [h("th", cells[0], scope="row")] + [h("td", cell) for cell in cells[1:]]
        body.append(h("tr", *line))
    heads = h("tr", *[h("th", title, scope="col") for title in titles])
    whole = h("table", h("thead", heads), h("tbody", *body), class_="cdna-table cdna-matrix")
    return h("div", whole, class_="cdna-scroll", tabindex="0", role="region", aria_label="claims by compiler version")


def _cell(cell, news):
    if cell is None:
        return ""
    said = table.answer(cell)
    quiet = "cdna-quiet" if cell["state"] in table.SILENT else None
    mark = (
        h("span", "changed", class_="cdna-chip cdna-changed", title=f"{news.before.title}: {news.old}")
        if news
        else None
    )
    return [h("span", said, class_=quiet, title=cell["note"] or None), " " if mark is not None else None, mark]


def _cells(here, found):
    nodes = []
    for row in found.rows:
        unit = f", in {row.question.unit}" if row.question.unit else ""
        parts = [disclosure(_who(group, cell), *_shown(group[0], cell)) for group, cell in _groups(found, row)]
        claim = h("p", f"{row.target}{unit}. Claim ", _claim(here, row.claim), class_="cdna-quiet")
        nodes.append(
            disclosure(
                [rich(row.question.title), f", {row.target}"],
                claim,
                h("div", *parts, class_="cdna-versions"),
                id_=_anchor(row),
            )
        )
    return h("div", *nodes)


def _groups(found, row):
    """Return [(columns, cell)]: neighbours that said the same stand together, so that two different ones can be opened."""
    groups = []
    for column, cell in zip(found.columns, row.cells, strict=True):
        if cell is None:
            continue
        outputs = [(entry["input"], entry["outcome"], entry["output"]) for entry in cell["asked"]]
        same = next(
            (group for group in groups if group[2] == (cell["state"], cell["value"], outputs, cell["note"])), None
        )
        if same:
            same[0].append(column)
        else:
            groups.append(([column], cell, (cell["state"], cell["value"], outputs, cell["note"])))
    return [(columns, cell) for columns, cell, _ in groups]


def _who(columns, cell):
    names = ", ".join(dict.fromkeys(column.title for column in columns))
    return [h("strong", table.answer(cell)), f": {names}"]


def _shown(column, cell):
    """Return note, inputs, outputs and commands of one cell; the command is that of the first compiler of its group."""
    nodes = [h("p", rich(cell["note"]))] if cell["note"] else []
    for entry in cell["asked"][-3:]:
        command = f"{given(entry['input'])} | {entry['command']}"
        nodes += [
            h("p", "Input", class_="cdna-quiet"),
            h("div", h("code", entry["input"].rstrip(), class_="cdna-block")),
            h("p", f"Output ({entry['outcome']})", class_="cdna-quiet"),
            h("div", h("code", entry["output"].rstrip() or "nothing but success", class_="cdna-block")),
            h(
                "p",
                *joined([f"With {column.release}: ", copy_button(command, "Copy the command")], ""),
                class_="cdna-reproduce",
            ),
        ]
    return nodes
