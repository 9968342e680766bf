# SPDX-License-Identifier: Apache-2.0
"""What is asked about gfx1250, row by row: `::scope open` and `::scope met` show evidence/scope-gfx1250.yml.

A row is met by claims of the register, or it is open and says what would settle it.
"""

from cdna_evidence import settings

from . import card
from .tree import disclosure, h, joined, table

STATES = ("open", "met")


def page(here, args):
    """Return the rows of one state as a table (the met ones in a closed disclosure), or both with a column for the state.

    Args: here: a `Here`; args: open, met, or nothing for both. Raises: ValueError: another word, or a row of no state.
    """
    if args and args not in STATES:
        raise ValueError(f"{here.page}: ::scope {args}: {', '.join(STATES)}, or nothing for both")
    rows = read()
    head, last = ["what is asked", "row"], {"open": "what would settle it", "met": "claims"}
    head += [last[args]] if args else ["state", "claims, or what would settle it"]
    chosen = [row for row in rows if args in ("", row["state"])]
    counts = " and ".join(f"{sum(row['state'] == state for row in rows)} are {state}" for state in STATES)
    shown = table(head, [_row(here, row, not args) for row in chosen], label=f"{args} questions".strip(), stacked=True)
    if args == "met":
        return disclosure(f"{len(chosen)} questions that are answered, and by which claims", shown)
    counts = " and ".join(f"{sum(row['state'] == state for row in rows)} are {state}" for state in STATES)
    return h("div", h("p", f"Of {len(rows)} questions {counts}.", class_="cdna-quiet"), shown)


def read(file=None):
    """Return the rows, dicts in the order of the file. Raises: ValueError: a row that is neither open nor met."""
    import yaml

    rows = yaml.safe_load((file or settings.root() / "evidence" / "scope-gfx1250.yml").read_text("utf-8"))
    for row in rows:
        if row.get("state") not in STATES or not row.get("by" if row["state"] == "met" else "settles"):
            raise ValueError(
                f"{row.get('id')}: state={row.get('state')}: met, with claims in by; or open, with settles"
            )
    return rows


def _row(here, row, both):
    by = joined([card.see(here, here.claim(claim)) for claim in row.get("by", ())], " ")
    answer = by if row["state"] == "met" else here.rich(row["settles"])
    return [here.rich(row["say"]), h("code", row["id"]), *([row["state"]] if both else []), answer]
