# SPDX-License-Identifier: Apache-2.0
"""The parts that pages are built of, by the name of their directive: `::counts`, `::claim-page TDM-031` and so on."""

from . import (
    audit,
    claim_page,
    evidence_page,
    example,
    matrix_page,
    mfma_pages,
    scope_page,
    source_page,
    strides,
    versions_of,
    wmma_pages,
    wmma_slots,
)
from .tree import h

STACK_NEXT = "cdna-stack-next"


def stack(table):
    """Make a table of the text one whose rows are stacked on a phone, each cell with its heading in front."""
    table.set("class", "cdna-table cdna-stacked")
    heads = ["".join(cell.itertext()) for cell in table.iter("th")]
    for row in table.iter("tr"):
        for head, cell in zip(heads[1:], row.findall("td")[1:], strict=False):
            cell.set("data-label", head)
        if row.find("td") is not None:
            row[0].tag = "th"
            row[0].set("scope", "row")


PARTS = {
    "claim-page": claim_page.page,
    "claim-index": claim_page.index,
    "source-page": source_page.page,
    "source-index": source_page.index,
    "counts": evidence_page.counts,
    "run": evidence_page.run,
    "tools": evidence_page.tools,
    "outcomes": evidence_page.outcomes,
    "falsify": evidence_page.falsify,
    "report": evidence_page.report,
    "matrix": matrix_page.page,
    "decode": example.decoded,
    "mfma-audit": audit.page,
    "mfma-index": mfma_pages.index,
    "mfma-instruction": mfma_pages.instruction,
    "strides": strides.shown,
    "scope": scope_page.page,
    "versions": versions_of.shown,
    "wmma-index": wmma_pages.index,
    "wmma-instruction": wmma_pages.instruction,
    "wmma-slots": wmma_slots.shown,
    "stacked": lambda here, args: h("div", class_=STACK_NEXT),
}
