# SPDX-License-Identifier: Apache-2.0
"""The kept answers as a table: which cells differ from their neighbour, and since and until which version."""

from typing import NamedTuple

from . import columns, run
from .questions import ALL, QUESTIONS, change_of

# What says nothing about the question is passed over when neighbours are compared.
SILENT = ("not-run", "unknown-cpu")
WORDS = {"unknown-cpu": "CPU unknown", "not-run": "not run"}


class Row(NamedTuple):
    """One question for one target. cells: one per column of the table, None where it was never asked."""

    question: object
    target: str
    claim: str
    cells: tuple


class News(NamedTuple):
    """A cell that differs from its neighbour. before, after: columns; old, new: their answers; change: or None."""

    row: Row
    before: object
    after: object
    old: str
    new: str
    change: dict | None


class Table(NamedTuple):
    """columns: the Columns that have answers, in order; answers: {name: answers}; rows: Rows."""

    columns: tuple
    answers: dict
    rows: tuple

    def news(self):
        """Return every News, row by row."""
        return [item for row in self.rows for item in self.news_of(row)]

    def news_of(self, row):
        """Return the News of one row: within a line of compilers, each cell against the last one that told something."""
        found, last = [], {}
        for column, cell in zip(self.columns, row.cells, strict=True):
            if cell is None or cell["state"] in SILENT:
                continue
            before = last.get(column.line)
            if before and answer(before[1]) != answer(cell):
                change = change_of(row.question.name, row.target, column.name)
                found.append(News(row, before[0], column, answer(before[1]), answer(cell), change))
            last[column.line] = (column, cell)
        return found

    def of_claim(self, identity):
        """Return the rows that speak to a claim."""
        return [row for row in self.rows if row.claim == identity]

    def since(self, row):
        """Return (answer, first column with it, last column, last column before or None, its answer or None).

        It is told of the line LLVM: the answer of its newest column, how far back it holds, and what it was before.
        None where no column of that line told anything.
        """
        told = [
            (column, answer(cell))
            for column, cell in zip(self.columns, row.cells, strict=True)
            if cell is not None and column.line == "LLVM" and cell["state"] not in SILENT
        ]
        if not told:
            return None
        first = len(told) - 1
        while first and told[first - 1][1] == told[-1][1]:
            first -= 1
        before = told[first - 1] if first else (None, None)
        return told[-1][1], told[first][0], told[-1][0], before[0], before[1]


def answer(cell):
    """Return what a cell says, as text: its value, or its state in words."""
    return cell["value"] if cell["state"] == "value" else WORDS.get(cell["state"], cell["state"])


def load(file=None):
    """Return the Table of the kept answers. Raises: ValueError: the file is not such a document."""
    document = run.read(file)
    held = tuple(column for column in columns.COLUMNS if column.name in document["columns"])
    answers = {column.name: run.unfold(document, column.name) for column in held}
    rows = []
    for question in QUESTIONS:
        for target in ALL:
            if target in question.claims:
                cells = tuple(answers[column.name]["cells"].get(question.name, {}).get(target) for column in held)
                rows.append(Row(question, target, question.claims[target], cells))
    return Table(held, answers, tuple(rows))
