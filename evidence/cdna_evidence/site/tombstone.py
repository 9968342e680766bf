# SPDX-License-Identifier: Apache-2.0
"""The page of a claim that has ended: that it ended, why, what replaces it, and what it said. It never goes away."""

from cdna_evidence import settings
from cdna_evidence.register import ledger

from . import card, detail
from .content import target_names
from .tree import copy_button, h, rich, table

WORDS = {"withdrawn": "This claim was withdrawn", "superseded": "This claim was superseded"}


def generated(content):
    """Return [(source path, Markdown)]: a page for each claim that has ended, and for each id that never had a claim.

    Args: content: a `Content`.
    """
    found = []
    for claim in content.register.claims.values():
        if not claim.live:
            found.append((card.page_of(claim), _page(claim.id, f"{claim.id}, {claim.status}")))
    for identity in _unstated(content):
        found.append((f"claims/{identity}.md", _page(identity, f"{identity}, nothing stated")))
    return found


def _page(identity, title):
    head = f'---\ntitle: "{title}"\nsearch: {{ boost: 0.04 }}\n---\n\n'
    return f"{head}# {title}\n\n[All claims](index.md)\n\n::tombstone {identity}\n"


def _unstated(content):
    """Return {id: [Event]} of the ids that the ledger knows and no file states."""
    events, _ = ledger.read(content.register.root)
    found = {}
    for event in events:
        if event.id not in content.register.claims:
            found.setdefault(event.id, []).append(event)
    return found


def page(here, name):
    """Return the body of a tombstone. Args: here: of the extension; name: id."""
    if name not in here.content.register.claims:
        return _never_stated(here, name)
    claim = here.claim(name)
    here.once(claim.id)
    nodes = [
        h(
            "p",
            h("span", claim.id, class_="cdna-mono cdna-id-big"),
            copy_button(settings.claim_url(claim.id), "copy link"),
            h("span", f" {target_names(claim)}, revision {claim.revision} ", class_="cdna-quiet"),
            card.status_chip(claim),
            class_="cdna-head",
        ),
        h(
            "p",
            h("strong", f"{WORDS[claim.status]} on {claim.withdrawn.date}."),
            " Do not rely on what it said.",
            class_="cdna-safe",
        ),
        h("h2", "Why", id="why"),
        h("p", here.rich(claim.withdrawn.reason)),
        h("h2", "What replaces it", id="successors"),
        *_successors(here, claim),
        h("h2", "What it said", id="said"),
        h("p", h("strong", rich(claim.title))),
        *card.body(here, claim),
    ]
    if claim.positions:
        nodes += [h("h2", "Positions", id="positions"), *detail.positions(here, claim)]
    elif detail.values(claim):
        nodes += [h("h2", "Published values", id="values"), detail.values(claim)]
    nodes += [h("h2", "Sources", id="evidence"), *detail.evidence(here, claim)]
    nodes += [h("h2", "Cite", id="cite"), *detail.cite(here, claim)]
    nodes += [h("h2", "History", id="history"), _events(here, claim.id), *detail.history(here, claim)]
    return h("div", *nodes, class_=f"cdna-claim-page cdna-tombstone cdna-{claim.status}", id=claim.id)


def _successors(here, claim):
    if not claim.superseded_by:
        return [h("p", "Nothing does.")]
    items = []
    for name in claim.superseded_by:
        other = here.claim(name)
        items.append(h("li", h("strong", rich(other.title)), " ", card.see(here, other)))
    return [h("ul", *items)]


def _events(here, identity):
    """The ledger's lines of one id as a table."""
    events, _ = ledger.read(here.content.register.root)
    rows = [[event.date, f"r{event.revision}", event.event, event.rest] for event in events if event.id == identity]
    return table(["date", "revision", "event", "text"], rows, label=f"ledger of {identity}", stacked=True)


def _never_stated(here, name):
    events = _unstated(here.content)[name]
    last = events[-1]
    words = f"This id was issued on {events[0].date}. Nothing was ever published under it."
    nodes = [h("p", h("strong", words), class_="cdna-safe")]
    if last.event == "withdrawn":
        nodes.append(h("p", f"It was withdrawn on {last.date}: ", *here.rich(last.rest)))
    nodes += [h("p", "An id is never used again."), _events(here, name)]
    return h("div", *nodes, class_="cdna-claim-page cdna-tombstone cdna-withdrawn", id=name)


PARTS = {"tombstone": page}
