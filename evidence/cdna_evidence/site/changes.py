# SPDX-License-Identifier: Apache-2.0
"""What changed since the version before this one, claim by claim, from the two ledgers; and the whole ledger for a build without one."""

from cdna_evidence import export, settings
from cdna_evidence.register import ledger

from . import card
from .content import leaves
from .tree import disclosure, h, joined, keyvalues, rich, table

TEXTS = (
    ("title", "Title"),
    ("statement", "Statement"),
    ("boundary", "Does not say"),
    ("safe", "Safe under every reading"),
)
#: Fields of a record that follow from others or from where the site stands.
DERIVED = (
    "url",
    "checksum",
    "text_sha256",
    "evidence_state",
    "revision",
    "key",
    "was",
    "reviews",
    "withdrawn",
    "superseded_by",
    "values",
    "chapter",
)


def since(old, events):
    """Return {id: [Event]} that a ledger has and an older one has not, in the order of the ledger.

    Args: old: events of the version before; events: of this one.
    """
    known = {event.text() for event in old}
    found = {}
    for event in events:
        if event.text() not in known:
            found.setdefault(event.id, []).append(event)
    return found


def differences(old, new):
    """Return [(field, before, after)] of two records of claims.json, texts first, then values, then other fields by name only.

    Args: old, new: records of one claim.
    """
    found = [(word, old[field], new[field]) for field, word in TEXTS if old[field] != new[field]]
    before, after = dict(leaves(old["values"])), dict(leaves(new["values"]))
    for name in dict.fromkeys([*before, *after]):
        if before.get(name) != after.get(name):
            found.append((f"Value {name}", before.get(name), after.get(name)))
    others = [
        field for field in new if field not in DERIVED and field not in dict(TEXTS) and old.get(field) != new[field]
    ]
    for field in others:
        simple = all(isinstance(record.get(field), (str, type(None))) for record in (old, new))
        found.append((field.capitalize(), old.get(field) if simple else "", new[field] if simple else "(changed)"))
    return found


def event_text(event, keys):
    """Return one event in words. Args: keys: the key before it, or None."""
    if event.event == "stated":
        return f"New, stated on {event.date}."
    if event.event == "issued":
        return f"Issued on {event.date}; nothing is stated yet."
    if event.event == "revised":
        renamed = (
            f" Key `{keys}` became `{event.rest}`; the old one still leads here." if keys and keys != event.rest else ""
        )
        return f"r{event.revision - 1} became r{event.revision} on {event.date}: the meaning changed.{renamed}"
    if event.event == "renamed":
        return (
            f"Key `{keys}` became `{event.rest}` on {event.date}; the old one still leads here."
            if keys
            else f"The key is `{event.rest}`."
        )
    if event.event == "wording":
        return f"Reworded on {event.date}, the meaning stayed: {event.rest}"
    if event.event == "withdrawn":
        return f"Withdrawn on {event.date}: {event.rest}"
    successors, _, reason = event.rest.partition(" ")
    return f"Superseded on {event.date} by {', '.join(successors.split(','))}: {reason}"


def page(here, args):
    """Return the list of changes since the version before, or the whole ledger when there is none."""
    events, _ = ledger.read(here.content.register.root)
    previous = getattr(here.content, "previous", None)
    if previous is None:
        words = "No earlier version is published" if settings.site_version() else "This build is no published version"
        nodes = [
            h("p", words + ", so there is nothing to compare with. The whole ledger follows.", id="since"),
            _ledger(here, events),
        ]
        return h("div", *nodes, class_="cdna-changes")
    changed = since(previous.events, events)
    quiet = _unrecorded(here, previous, changed)
    same = len(here.content.register.claims) - sum(
        identity in here.content.register.claims for identity in {**changed, **quiet}
    )
    nodes = [
        h("h2", f"Since {previous.name}", id="since"),
        h(
            "p",
            f"{len(changed)} claims changed, {len(quiet)} have other sources, status or coverage, {same} are as they were.",
        ),
    ]
    for identity, ours in changed.items():
        nodes += _claim(here, previous, identity, ours)
    for identity, found in quiet.items():
        nodes += _heading(here, identity)
        nodes.append(h("p", "No new revision. ", _difference_list(here, found)))
    nodes.append(disclosure("The whole ledger", _ledger(here, events), id_="ledger"))
    return h("div", *nodes, class_="cdna-changes")


def _unrecorded(here, previous, changed):
    """Return {id: differences} of claims that differ without an event: their sources, status or coverage changed."""
    found = {}
    for claim in here.content.register.claims.values():
        old = previous.claims.get(claim.id)
        if old is not None and claim.id not in changed:
            differs = differences(old, export.claim_record(claim))
            if differs:
                found[claim.id] = differs
    return found


def _heading(here, identity):
    claim = here.content.register.claims.get(identity)
    title = [" ", *rich(claim.title)] if claim else []
    return [h("h3", h("span", identity, class_="cdna-mono"), *title, id=f"changed-{identity}")]


def _claim(here, previous, identity, events):
    claim = here.content.register.claims.get(identity)
    old = previous.claims.get(identity)
    key = old["key"] if old else None
    items = []
    for event in events:
        items.append(h("li", here.rich(event_text(event, key))))
        key = event.rest if event.event in ("stated", "revised", "renamed", "issued") else key
    nodes = [*_heading(here, identity), h("ul", *items)]
    if claim and old:
        found = differences(old, export.claim_record(claim))
        if found:
            nodes.append(_difference_list(here, found))
    links = []
    if claim:
        links.append(h("a", f"r{claim.revision} here", href=here.link(card.page_of(claim))))
    if old:
        words = f"r{old['revision']} in {previous.name}"
        links.append(h("a", words, href=settings.claim_url(identity, previous.name), rel="noopener"))
    if links:
        nodes.append(h("p", *joined(links), class_="cdna-quiet"))
    return nodes


def _difference_list(here, found):
    pairs = []
    for name, before, after in found:
        lines = []
        if before:
            lines += [h("del", *rich(before))]
        if before and after:
            lines.append(h("br"))
        if after:
            lines += [h("ins", *rich(after))]
        pairs.append((name, lines))
    return keyvalues(pairs)


def _ledger(here, events):
    rows = []
    for event in sorted(events, key=lambda item: item.date, reverse=True):
        claim = here.content.register.claims.get(event.id)
        name = h("a", event.id, href=here.link(card.page_of(claim)), class_="cdna-mono") if claim else event.id
        rows.append([name, event.date, f"r{event.revision}", event.event, event.rest])
    return table(["id", "date", "revision", "event", "text"], rows, label="the ledger", stacked=True)


PARTS = {"changes": page}
