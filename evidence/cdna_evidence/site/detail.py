# SPDX-License-Identifier: Apache-2.0
"""The parts of a claim below its statement: positions, published values, sources, checks, history, citation."""

from cdna_evidence import cite as citation
from cdna_evidence.register.target_names import stepping_names

from . import card, explorer
from .content import ACCESS, OUTCOME_WORDS, STANCES, leaves, target_names
from .tree import copy_button, disclosure, h, joined, keyvalues, rich, table


def positions(here, claim):
    """Return each position with what it says, its values and its sources, then the reading that this project follows."""
    nodes = []
    for position in claim.positions:
        taken = claim.reading and claim.reading.position == position.name
        says = claim.statement_text(None, position.name)
        nodes.append(
            h(
                "div",
                h(
                    "p",
                    h("strong", position.name, class_="cdna-mono"),
                    f", {stepping_names(position.stepping)} only" if position.stepping else None,
                    " (this project reads it so)" if taken else None,
                ),
                h("p", here.rich(says)),
                values(claim, position.name),
                sources(here, position.evidence),
                class_="cdna-position",
            )
        )
    if claim.reading:
        why = h("strong", "Why this reading: ")
        nodes.append(h("p", why, here.rich(claim.fill(claim.reading.why))))
    return nodes


def values(claim, position=None):
    """Return a table of the published values, one column per target, or None when there is none."""
    columns = {str(target): dict(leaves(claim.values_for(target, position) or {})) for target in claim.targets}
    names = list(dict.fromkeys(name for column in columns.values() for name in column))
    if not names:
        return None
    rows = [[h("code", name), *[h("code", column.get(name, "")) for column in columns.values()]] for name in names]
    return table(["value", *columns], rows, label="published values", stacked=True)


def evidence(here, claim, checked=True):
    """Return the sources of a claim (those of its positions stand with the positions).

    Args: checked: say here, too, why no check can exist; a claim's own page says it above.
    """
    found = []
    if claim.evidence:
        found.append(sources(here, claim.evidence))
    if claim.positions:
        found.append(h("p", "Each position names its own sources, above."))
    if claim.untestable and checked:
        found.append(h("p", h("strong", "No check can exist. "), here.rich(claim.untestable)))
    return found or [h("p", "No source is named.")]


def sources(here, entries):
    """Return a list of evidence entries: stance, source, locator, how it was read."""
    return h("ul", *[h("li", *_entry(here, entry)) for entry in entries], class_="cdna-sources")


def _entry(here, entry):
    source = here.content.register.sources.get(entry.source)
    nodes = [
        h("span", STANCES.get(entry.stance, entry.stance), class_=f"cdna-stance cdna-stance-{entry.stance}"),
        " ",
        source_link(here, entry.source),
    ]
    if source is not None:
        nodes += [" ", rich(source.title)]
    if entry.locator:
        nodes += [", ", rich(entry.locator)]
    if entry.pin:
        nodes += [", ", _pin(here, entry)]
    if entry.via:
        nodes += [". Quoted through ", source_link(here, entry.via), ", not read here"]
    elif source is not None and state_of(source) != "read":
        nodes += [". ", ACCESS.get(state_of(source), state_of(source)).capitalize()]
    nodes.append(". ")
    if entry.note:
        nodes += here.rich(entry.note)
    return nodes


def state_of(source):
    """Return "read", "quoted" or "unread"."""
    return source.access.state


def _pin(here, entry):
    pin = entry.pin
    first, last = pin["lines"]
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    words = [h("code", pin["path"]), f" {lines} at {pin['commit'][:12]}"]
    address = pin_url(pin)
    return h("a", *words, href=address, rel="noopener") if address else h("span", *words)


def pin_url(pin):
    """Return the address of the pinned lines on GitHub, or None."""
    if not pin["repository"].startswith("https://github.com/"):
        return None
    first, last = pin["lines"]
    return f"{pin['repository']}/blob/{pin['commit']}/{pin['path']}#L{first}-L{last}"


def source_link(here, key):
    """Return the linked key of a source."""
    return h("a", key, href=here.link(f"sources/{key}.md"), class_="cdna-mono")


def checks(here, claim):
    """Return what ran for this claim: outcome per target and witness, then each check with what it shows and does not."""
    records = here.content.records(claim.id)
    if not records:
        if claim.untestable:
            return [h("p", h("strong", "No check can exist. "), here.rich(claim.untestable))]
        return [h("p", "Nothing has run here for this claim. Run ", h("code", f"cdna check {claim.id}"), ".")]
    rows = [
        [
            record["target"],
            record["position"] or "",
            record["kind"],
            witness_text(record),
            outcome(record),
            f"r{record['revision']}",
        ]
        for record in records
    ]
    head = ["target", "position", "kind", "witness", "outcome", "revision"]
    if not any(record["position"] for record in records):
        head.remove("position")
        rows = [row[:1] + row[2:] for row in rows]
    nodes = [
        table(head, rows, label=f"outcomes of the checks of {claim.id}", stacked=True),
        h("p", "Run them again: ", h("code", f"cdna check {claim.id}"), copy_button(f"cdna check {claim.id}")),
    ]
    seen = {}
    for record in records:
        seen.setdefault(record["check"], []).append(record)
    return nodes + [_check(name, ours) for name, ours in seen.items()]


def _check(name, records):
    first = records[0]
    path, _, symbol = name.rpartition("::")
    pairs = [
        ("Shows", rich(first["shows"] or "")),
        ("Does not show", rich(first["not_shows"]) if first["not_shows"] else None),
        ("File", h("code", path) if path else None),
        ("Values it judges", [h("code", ", ".join(first.get("binds") or ()))] if first.get("binds") else None),
        ("Output from", ", ".join(dict.fromkeys(o for r in records for o in r.get("origin") or ())) or None),
    ]
    for record in records:
        if record["reason"]:
            pairs.append((f"On {record['target']}", rich(record["reason"])))
    commands = list(dict.fromkeys(c for r in records for c in (r.get("commands") or ()) if isinstance(c, str)))
    if commands:
        # No `pre`: the theme would give each an id made of the card's, the same for all of them.
        shown = [h("div", h("code", command, class_="cdna-block"), copy_button(command), _explorer(command), class_="cdna-reproduce") for command in commands[:4]]
        rest = h("p", f"and {len(commands) - 4} more commands of the same form") if len(commands) > 4 else None
        pairs.append(("Commands", [shown, rest]))
    return disclosure(h("span", h("code", symbol or name), f" ({first['kind']})"), keyvalues(pairs))


def _explorer(command):
    address = explorer.link(command)
    return None if address is None else [" ", h("a", explorer.TITLE, href=address, rel="noopener nofollow", class_="cdna-quiet")]


def outcome(record):
    """Return the outcome of one record as word and glyph."""
    word = OUTCOME_WORDS.get(record["outcome"], record["outcome"])
    return h("span", word, class_=f"cdna-glyph cdna-o-{record['outcome']}")


def witness_text(record):
    """Return which program or file spoke, with its version and the start of its digest."""
    if record["kind"] == "model":
        return "reference model"
    words = [part for part in (record["witness"], record["version"]) if part]
    text = " ".join(words) or "none"
    return text + (" (kept answer)" if record.get("cached") else "")


def history(here, claim):
    """Return what happened to the claim: since when, which revision, which reviews, former keys, what replaced it."""
    reviews = [h("li", f"{review.date}, revision {review.revision}: ", here.rich(review.note)) for review in claim.reviews]
    successors = [card.see(here, here.claim(name)) for name in claim.superseded_by]
    withdrawn = claim.withdrawn and [f"{claim.withdrawn.date}: ", *here.rich(claim.withdrawn.reason)]
    pairs = [
        ("Key", h("code", claim.key)),
        ("Former keys", h("code", ", ".join(claim.was)) if claim.was else None),
        ("Since", str(claim.since)),
        ("Revision", f"{claim.revision}; it is raised when the meaning changes, not for wording"),
        ("Status", claim.status),
        ("Reviews", h("ul", *reviews) if reviews else None),
        ("Superseded by", joined(successors) if successors else None),
        ("Withdrawn", withdrawn or None),
        ("Kind of statement", claim.layer),
        ("Targets", target_names(claim)),
    ]
    return [keyvalues(pairs)]


def cite(here, claim):
    """Return the citation in each form, each with a button that copies it."""
    rows = []
    for form, text in citation.citations(claim, here.content.results).items():
        rows.append(h("div", h("p", h("strong", form), " ", copy_button(text)), h("code", text, class_="cdna-block"), class_="cdna-cite"))
    return rows
