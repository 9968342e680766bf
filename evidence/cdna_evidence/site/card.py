# SPDX-License-Identifier: Apache-2.0
"""A claim on a page: as a sentence of running text, as a full card, and as the small card that hovers."""

from cdna_evidence import settings

from . import detail
from .content import FACETS, present, target_names
from .tree import copy_button, disclosure, h, joined, rich


def inline(here, claim):
    """Return a claim as its sentence, its id in the margin; where sources differ, what is safe comes first."""
    here.mention(claim)
    safe = None
    if claim.safe:
        safe = [h("span", "Safe under every reading: ", class_="cdna-lead"), here.rich(safe_text(claim)), " "]
    return h(
        "span",
        h("span", safe, here.rich(sentence(claim)), class_="cdna-sentence"),
        " ",
        anchor(here, claim),
        class_="cdna-in cdna-" + state(claim),
    )


def see(here, claim):
    """Return the id of a claim as a link, for a sentence that says it in other words."""
    here.mention(claim)
    return h("span", anchor(here, claim), class_="cdna-in cdna-see cdna-" + state(claim))


def anchor(here, claim):
    """Return the linked id; the small card of the page's end hovers over it."""
    words = [h("span", claim.id, class_="cdna-mono")]
    if claim.status != "active":
        words.append(h("span", claim.status, class_=f"cdna-word cdna-glyph cdna-g-{claim.status}"))
    return h("a", *words, href=here.link(page_of(claim)), class_="cdna-id", data_claim=claim.id)


def page_of(claim):
    """Return the source path of a claim's own page."""
    return f"claims/{claim.id}.md"


def sentence(claim, target=None, position=None):
    """Return the statement with its numbers filled in; it ends in a full stop."""
    text = " ".join(claim.statement_text(target, position).split())
    return text if text.endswith((".", "?", ":")) else text + "."


def safe_text(claim):
    """Return what is safe under every reading, with its numbers filled in."""
    return claim.fill(claim.safe)


def state(claim):
    """Return the word that decides a claim's colour: disputed, withdrawn, superseded or active."""
    return claim.status


def full(here, claim):
    """Return the card of a claim, with closed disclosures; a page may hold it once."""
    here.once(claim.id)
    return h(
        "section",
        heading(here, claim),
        body(here, claim),
        facet_row(here, claim),
        more(here, claim),
        class_="cdna-card cdna-" + state(claim),
        id=claim.id,
        aria_label=f"Claim {claim.id}",
    )


def heading(here, claim):
    """Return the first line of a card: id, title, targets, revision, status."""
    return h(
        "p",
        h("a", claim.id, href=here.link(page_of(claim)), class_="cdna-mono cdna-id-big"),
        copy_button(permalink(here, claim), "copy link"),
        " ",
        h("strong", rich(claim.title), class_="cdna-title"),
        " ",
        h("span", f"{target_names(claim)}, revision {claim.revision}", class_="cdna-quiet"),
        status_chip(claim),
        class_="cdna-head",
    )


def status_chip(claim):
    """Return the mark of a claim that is not simply active, or None."""
    if claim.status == "active":
        return None
    return h("span", claim.status, class_=f"cdna-chip cdna-glyph cdna-g-{claim.status}")


def body(here, claim):
    """Return safe (where sources differ), statement and boundary."""
    parts = []
    if claim.safe:
        lead = h("strong", "Safe under every reading. ", class_="cdna-lead")
        parts.append(h("p", lead, here.rich(safe_text(claim)), class_="cdna-safe"))
    parts.append(h("p", here.rich(sentence(claim)), class_="cdna-statement"))
    lead = h("strong", "Does not say. ", class_="cdna-lead")
    parts.append(h("p", lead, here.rich(claim.fill(claim.boundary)), class_="cdna-boundary"))
    return parts


def facet_row(here, claim):
    """Return one line of facets: a word and a glyph each; hover, focus or tap tells tool, version and date."""
    chips = []
    for facet in FACETS:
        rows = [(target, position, row[facet]) for target, position, row in here.content.facets(claim)]
        chips += _chip(facet, rows)
    if here.content.results is None:
        chips.append(h("span", "no run is recorded here: `cdna check` makes one".replace("`", ""), class_="cdna-quiet"))
    return h("p", *joined(chips, " "), class_="cdna-facets", data_search_exclude=True)


def _chip(facet, rows):
    """The chips of one facet over all targets and positions; a facet that no run gave leaves no chip."""
    good = [row for row in rows if present(row[2])]
    failed = [row for row in rows if row[2]["state"] == "failed"]
    stale = [row for row in rows if row[2]["state"] == "stale"]
    chips = []
    if good:
        partly = "" if len(good) == len(rows) else f" {len(good)} of {len(rows)}"
        chips.append(chip(facet, facet + partly, [_tip(row, len(rows) > 1) for row in good]))
    if failed:
        chips.append(chip("failed", f"{facet}: failed", [_tip(row, len(rows) > 1) for row in failed]))
    if stale and not good:
        chips.append(chip("stale", f"{facet}: older revision", [_tip(row, len(rows) > 1) for row in stale]))
    return chips


def chip(kind, word, lines):
    """Return one chip; the lines are told on hover, focus or tap, and to a screen reader."""
    tip = h("span", *joined(lines, h("br")), class_="cdna-tip") if len(lines) < 2 else None
    if tip is None:
        nodes = []
        for line in lines:
            nodes += [line, h("br")]
        tip = h("span", *nodes[:-1], class_="cdna-tip")
    return h("span", h("span", word, class_=f"cdna-chip cdna-glyph cdna-g-{kind}"), tip, class_="cdna-facet", tabindex="0")


def _tip(row, several):
    target, position, facet = row
    place = ", ".join(part for part in (target, position) if part) + ": " if several else ""
    text = place + facet["text"] + (f" ({facet['detail']})" if facet["detail"] else "")
    return h("span", text)


def more(here, claim):
    """Return the closed disclosures of a card, in one line as far as they fit; each opens by a link to its id."""
    sections = [
        ("positions", "Positions", detail.positions(here, claim) if claim.positions else None),
        ("evidence", "Evidence and sources", detail.evidence(here, claim)),
        ("checks", "Checks and how to run them", detail.checks(here, claim)),
        ("history", "History", detail.history(here, claim)),
        ("cite", "Cite", detail.cite(here, claim)),
    ]
    found = [disclosure(title, nodes, id_=f"{claim.id}-{name}") for name, title, nodes in sections if nodes is not None]
    for node in found:
        node.set("data-search-exclude", "data-search-exclude")  # the claim's own page is found for it
    return h("div", *found, class_="cdna-folds")


def permalink(here, claim):
    """Return the claim's permanent address."""
    return settings.claim_url(claim.id)


def template(here, claim):
    """Return the small card of a claim, inert until cdna.js shows it beside the id; not searched, not read aloud twice."""
    return h(
        "template",
        h(
            "div",
            h("p", h("a", claim.id, href=here.link(page_of(claim)), class_="cdna-mono"), " ", h("strong", rich(claim.title))),
            body(here, claim),
            facet_row(here, claim),
            h("p", h("a", "Sources, checks and history", href=here.link(page_of(claim)))),
        ),
        data_cdna_card=claim.id,
        data_search_exclude=True,
    )
