# SPDX-License-Identifier: Apache-2.0
"""A source's page with its errata and the claims that cite it, and the index of all sources."""

from . import card
from .content import ACCESS, STANCES
from .tree import h, joined, keyvalues, rich, table


def page(here, key):
    """Return the body of a source's page."""
    source = here.content.register.sources[key]
    repository = None
    if source.repository:
        words = source.repository + (f" at {source.commit}" if source.commit else "")
        repository = [*rich(words), h("br") if source.path else None, h("code", source.path) if source.path else None]
    nodes = [
        h("p", *rich(_read(source)), class_="cdna-statement"),
        keyvalues(
            [
                ("Kind", source.kind),
                ("Publisher", source.publisher),
                ("Address", rich(source.url) if source.url else None),
                ("Repository", repository),
                ("Date", str(source.date) if source.date else None),
                ("Speaks about", source.owning_layer),
                ("What was checked", rich(source.checked_area)),
                ("Licence", source.licence),
            ]
        ),
        h("h2", "Errata", id="errata"),
        *_errata(here, source),
        h("h2", "Claims that cite it", id="claims"),
        *_citing(here, key),
    ]
    return h("div", *nodes, class_="cdna-source-page", id=key)


def _read(source):
    word = ACCESS[source.access.state]
    text = word[0].upper() + word[1:]
    if source.access.date:
        text += f" on {source.access.date}"
    return text + ". " + (source.access.note or "")


def _errata(here, source):
    if not source.errata:
        return [h("p", "No error in this source is recorded here. That is not a statement that it has none.")]
    found = []
    for erratum in source.errata:
        claims = joined([card.see(here, here.claim(name)) for name in erratum.claims])
        found.append(
            h(
                "div",
                h("p", h("strong", rich(erratum.locator))),
                keyvalues(
                    [
                        ("It says", here.rich(erratum.says)),
                        ("Correct is", here.rich(erratum.correct)),
                        ("Because", here.rich(erratum.basis)),
                        ("Found", str(erratum.date)),
                        ("Claims", claims or None),
                    ]
                ),
                class_="cdna-position",
            )
        )
    return found


def _citing(here, key):
    rows = []
    for claim, position, entry in here.content.register.citing(key):
        where = [*rich(entry.locator)] if entry.locator else []
        if entry.pin:
            first, last = entry.pin["lines"]
            where += ["; " if where else "", h("code", entry.pin["path"]), f" lines {first} to {last}"]
        role = STANCES[entry.stance] if entry.source == key else f"quotes {entry.source}"
        rows.append(
            [
                h("a", claim.id, href=here.link(card.page_of(claim)), class_="cdna-mono"),
                [h("span", *rich(claim.title)), h("span", f" ({position})", class_="cdna-quiet") if position else None],
                role,
                h("span", *where),
            ]
        )
    if not rows:
        return [h("p", "No claim cites it.")]
    return [table(["claim", "title", "it", "where"], rows, label=f"claims that cite {key}", stacked=True)]


def index(here, args):
    """Return the table of all sources."""
    rows = []
    for key, source in here.content.register.sources.items():
        claims = {claim.id for claim, _, _ in here.content.register.citing(key)}
        rows.append(
            [
                h("a", key, href=here.link(f"sources/{key}.md"), class_="cdna-mono"),
                [*rich(source.title), f", {source.publisher}"],
                source.kind,
                ACCESS[source.access.state],
                h("span", str(len(claims)), class_="cdna-num"),
                h("span", str(len(source.errata)), class_="cdna-num"),
            ]
        )
    return table(["key", "source", "kind", "access", "claims", "errata"], rows, label="all sources", stacked=True)
