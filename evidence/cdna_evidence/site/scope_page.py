# SPDX-License-Identifier: Apache-2.0
"""What this project set out to say about gfx1250, row by row: `::scope` renders evidence/scope-gfx1250.yml as tables.

A row has an id and says what is to be known. It is met when claims of the register say it; otherwise it says what would settle it.
"""

from cdna_evidence import settings

from . import card
from .tree import h, joined, table

NAME = "scope-gfx1250.yml"


def page(here, args):
    """Return the rows of one state: `::scope open`, `::scope met`, or both under one heading line for `::scope`."""
    rows = read()
    if args not in ("", "open", "met"):
        raise ValueError(f"{here.page}: ::scope {args}: open, met, or nothing for both")
    chosen = [row for row in rows if not args or _met(row) == (args == "met")]
    if not chosen:
        return h("p", "No row.")
    return h("div", _counted(rows), _table(here, chosen, args))


def path():
    """Return where the rows stand."""
    return settings.root() / "evidence" / NAME


def read(file=None):
    """Return the rows, dicts in file order. Raises: ValueError: the file is not a list of rows."""
    import yaml

    file = file or path()
    if not file.is_file():
        return []
    found = yaml.safe_load(file.read_text("utf-8"))
    rows = found.get("rows") if isinstance(found, dict) else found
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.get("id") for row in rows):
        raise ValueError(f"{file.name}: a list of rows, each with an id")
    return rows


def _met(row):
    return row["state"] == "met"


def _counted(rows):
    met = sum(map(_met, rows))
    return h("p", f"{len(rows)} rows in all: {met} met, {len(rows) - met} open.", class_="cdna-quiet")


def _table(here, rows, args):
    head = ["row", "what is to be known"]
    head += [] if args else ["state"]
    head += [{"open": "what would settle it", "met": "claims"}.get(args, "claims, or what would settle it")]
    made = []
    for row in rows:
        claims = joined([card.see(here, here.claim(claim)) for claim in row.get("claims") or ()], " ")
        settle = here.rich(row["settle"]) if row.get("settle") else None
        last = [claims, " " if claims and settle else None, settle]
        made.append([h("code", row["id"]), here.rich(row["say"]), *([] if args else [row["state"]]), last])
    return table(head, made, label="what this project set out to say about gfx1250", stacked=True)
