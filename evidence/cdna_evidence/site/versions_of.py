# SPDX-License-Identifier: Apache-2.0
"""`::versions gfx1250`: the questions that compilers answer differently for one target, from the kept answers of the matrix."""

from cdna_evidence.matrix.table import SILENT, answer

from . import card, matrix_page
from .tree import h, rich, table


def shown(here, args):
    """Return a table with a row for each question whose answers differ, and a column for each compiler that knows the target.

    Args: here: a `Here`; args: the target's name. Raises: ValueError: no question was put for it.
    """
    found = matrix_page.kept()
    rows = [row for row in found.rows if row.target == args]
    if not rows:
        raise ValueError(f"{here.page}: ::versions {args}: {', '.join(sorted({row.target for row in found.rows}))}")
    titles = list(dict.fromkeys(column.title for column in found.columns))
    knowing = [title for title in titles if any(_answers(found, row, title) for row in rows)]
    differing = [row for row in rows if len({answer(cell) for cell in row.cells if _tells(cell)}) > 1]
    names = [title for title in titles if title not in knowing]
    note = f"Of {len(rows)} questions about {args} {len(differing)} have more than one answer. "
    note += f"These do not know {args}: {', '.join(names)}." if names else ""
    head = ["asked", *knowing, "claim"]
    body = [_row(here, found, row, knowing) for row in differing]
    return h("div", h("p", note), table(head, body, label=f"{args} by compiler version", stacked=True))


def _tells(cell):
    return cell is not None and cell["state"] not in SILENT


def _answers(found, row, title):
    """What the builds of one version said; mostly there is one."""
    pairs = zip(found.columns, row.cells, strict=True)
    return list(dict.fromkeys(answer(cell) for column, cell in pairs if column.title == title and _tells(cell)))


def _row(here, found, row, titles):
    place = here.link(matrix_page.PAGE) + f"#{row.question.name}-{row.target}"
    unit = f" ({row.question.unit})" if row.question.unit else None
    cells = [" or ".join(_answers(found, row, title)) or h("span", "not run", class_="cdna-quiet") for title in titles]
    claim = card.see(here, here.claim(row.claim))
    return [[h("a", rich(row.question.title), href=place), unit], *cells, claim]
