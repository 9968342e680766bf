# SPDX-License-Identifier: Apache-2.0
"""A claim's own page, and the index of all claims."""

from cdna_evidence.register.target_names import stepping_names

from . import card, detail, matrix_page, shown
from .content import FACETS, find_words, present, target_names
from .tree import copy_button, h, joined, rich, table

LAYERS = {
    "isa": "about the instruction set",
    "compiler": "about what a compiler does",
    "builtin": "about a compiler's builtins or an encoder",
    "product": "about a product",
    "format": "about a number or data format",
    "derived": "follows from other claims",
    "site": "a rule of this site",
}


def page(here, name):
    """Return the body of a claim's page: the answer first, then why, then the boundary, then everything behind it."""
    claim = here.claim(name)
    here.once(claim.id)
    nodes = [
        h(
            "p",
            card.status_chip(claim),
            h("span", f"{target_names(claim)}, revision {claim.revision}, {LAYERS[claim.layer]}", class_="cdna-quiet"),
            copy_button(card.permalink(here, claim), "copy link"),
            h("a", "all claims", href=here.link("claims/index.md"), class_="cdna-quiet", data_search_exclude=True),
            class_="cdna-head",
        ),
        _ended(here, claim),
        h("div", *card.body(here, claim)[:-1]),
        _positions_at_once(here, claim),
        card.body(here, claim)[-1],
        card.facet_row(here, claim),
        shown.lines(here, claim),
    ]
    nodes += _section("What stands behind it", "facets", _facet_table(here, claim), found=False)
    if claim.positions:
        nodes += _section("Positions", "positions", detail.positions(here, claim))
    elif detail.values(claim):
        nodes += _section("Published values", "values", [detail.values(claim)])
    nodes += _section("Outcome per target and witness", "checks", detail.checks(here, claim), found=False)
    versions = matrix_page.of_claim(here, claim)
    if versions:
        nodes += _section("By compiler version", "versions", versions)
    nodes += _section("Sources", "evidence", detail.evidence(here, claim, checked=False))
    uses = here.content.uses.get(claim.id)
    if uses:
        links = [h("a", title, href=here.link(path)) for path, title in uses]
        nodes += _section("Used on", "used", [h("p", *joined(links))], found=False)
    nodes += _section("Cite", "cite", detail.cite(here, claim), found=False)
    nodes += _section("History", "history", detail.history(here, claim), found=False)
    nodes += _section("Report a problem", "report", [_report(here, claim)], found=False)
    return h("div", *nodes, class_="cdna-claim-page cdna-" + card.state(claim), id=claim.id)


def _section(title, name, nodes, found=True):
    """A heading and what stands under it; `found` says whether the search looks into it: what repeats on every page is left out."""
    return [h("h2", title, id=name, data_search_exclude=not found), *nodes]


def _ended(here, claim):
    """What a reader of an old link must know first."""
    if claim.status not in ("withdrawn", "superseded"):
        return None
    words = [h("strong", f"This claim is {claim.status}. ")]
    if claim.withdrawn:
        words += [f"{claim.withdrawn.date}: ", *here.rich(claim.withdrawn.reason), " "]
    if claim.superseded_by:
        words += ["See ", *joined([card.see(here, here.claim(name)) for name in claim.superseded_by]), "."]
    return h("p", *words, class_="cdna-safe")


def _positions_at_once(here, claim):
    """The positions in a line each, under the statement: who says what."""
    if not claim.positions:
        return None
    items = []
    for position in claim.positions:
        who = [detail.source_link(here, key) for key in dict.fromkeys(item.source for item in position.evidence)]
        mark = " (this project's reading)" if position.name == claim.reading_name() else ""
        limit = h("strong", "S" + stepping_names(position.stepping)[1:] + ": ") if position.stepping else None
        says = here.rich(claim.statement_text(None, position.name))
        items.append(h("li", limit, says, " ", h("span", *joined(who), mark, class_="cdna-quiet")))
    return h("div", h("p", h("strong", "Sources differ.", class_="cdna-lead")), h("ul", *items), class_="cdna-positions")


def _facet_table(here, claim):
    rows, places = [], here.content.facets(claim)
    several = len(places) > 1
    for facet, where, found in _alike(places):
        place = ["all" if len(where) == len(places) else "; ".join(where)] if several else []
        if found["state"] == "no":
            rows.append([h("span", facet, class_="cdna-quiet"), *place, "no", found["text"]])
            continue
        mark = h("span", facet, class_="cdna-glyph cdna-g-" + (facet if present(found) else found["state"]))
        rows.append([mark, *place, _state(found), found["text"] + (f" ({found['detail']})" if found["detail"] else "")])
    head = ["facet", *(["for"] if several else []), "found", "by what"]
    nodes = [table(head, rows, label=f"facets of {claim.id}", class_="cdna-facet-table", stacked=True)]
    if here.content.results is None:
        nodes.append(h("p", "No run is recorded here, so only the sources are shown. ", h("code", "cdna check"), " makes one."))
    nodes.append(h("p", h("a", "How each facet is obtained, and where it can err", href=here.link("method.md")), class_="cdna-quiet"))
    return nodes


def _alike(places):
    """[(facets, places, found)] in the order of the facets: what is the same for several targets and positions stands once."""
    rows = {}
    for facet in FACETS:
        for target, position, facets in places:
            found = facets[facet]
            key = (facet if found["state"] != "no" else None, found["state"], found["text"], found["detail"])
            rows.setdefault(key, (found, {}))[1].setdefault(", ".join(part for part in (target, position) if part), []).append(facet)
    told = []
    for found, where in rows.values():
        # Facets that nothing gave share a row where they lack the same places.
        groups = {}
        for place, names in where.items():
            groups.setdefault(tuple(names), []).append(place)
        told += [(", ".join(names), group, found) for names, group in groups.items()]
    return sorted(told, key=lambda row: row[2]["state"] == "no")


def _state(found):
    word = {"yes": "yes", "no": "no", "failed": "failed", "stale": "for an older revision", "unread": "not read"}[found["state"]]
    return h("span", word, class_="cdna-glyph cdna-g-failed" if found["state"] == "failed" else None)


def _report(here, claim):
    text = f"Name {claim.id} r{claim.revision}, what is wrong, and the source or the run that shows it. "
    return h("p", text, h("a", "How to report it", href=report_href(here)))


def report_href(here):
    """Return where a problem is reported: the address that was set, else the page that explains it."""
    return here.content.report_url or here.link("report.md")


def index(here, args):
    """Return the table of all claims with a filter; without JavaScript the whole table stands there."""
    rows = []
    # Rules of the site come last; the rest in the order of the ids.
    for claim in sorted(here.content.register.claims.values(), key=lambda claim: (claim.layer == "site", claim.id)):
        found = [facet for facet in FACETS if here.content.has(claim, facet)]
        failed = any(record["outcome"] == "failed" for record in here.content.records(claim.id))
        chips = [h("span", facet, class_=f"cdna-chip cdna-glyph cdna-g-{facet}") for facet in found]
        if failed:
            chips.append(h("span", "failed", class_="cdna-chip cdna-glyph cdna-g-failed"))
        rows.append(
            h(
                "tr",
                h("th", h("a", claim.id, href=here.link(card.page_of(claim)), class_="cdna-mono"), scope="row"),
                h("td", h("a", rich(claim.title), href=here.link(card.page_of(claim))), " ", card.status_chip(claim), data_label="claim"),
                h("td", target_names(claim), data_label="targets"),
                h("td", *joined(chips, " "), data_label="facets"),
                h("td", h("code", claim.key), data_label="key"),
                data_words=find_words(claim),
                data_status=claim.status,
                data_facets=" ".join([*found, "failed"] if failed else found),
            )
        )
    head = h("tr", *[h("th", name, scope="col") for name in ("id", "claim", "targets", "facets of the last run", "key")])
    grid = h("table", h("thead", head), h("tbody", *rows), class_="cdna-table cdna-stacked cdna-claims", id="claims")
    return h(
        "div",
        _filter(here),
        h("div", grid, class_="cdna-scroll", tabindex="0", role="region", aria_label="all claims"),
    )


def _filter(here):
    """The controls of the filter; hidden until cdna.js can serve them."""
    counts = here.content.counts()
    words = ("disputed", "measured", "corroborated", "executed", "modelled", "failed")
    boxes = [
        h("label", h("input", type="checkbox", value=word, data_cdna_facet=True), f" {word} ({counts[word]})") for word in words
    ]
    boxes.append(h("label", h("input", type="checkbox", value="none", data_cdna_facet=True), " nothing ran"))
    field = h("input", type="search", id="claim-filter", placeholder="pad, oob, count ...", autocomplete="off")
    count = h("output", f"{counts['claims']} claims", id="claim-count", for_="claim-filter")
    return h("div", h("label", "Find ", field, for_="claim-filter"), " ", *joined(boxes, " "), " ", count, class_="cdna-filter", hidden=True)

