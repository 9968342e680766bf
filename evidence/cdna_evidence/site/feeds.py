# SPDX-License-Identifier: Apache-2.0
"""Atom feeds (RFC 4287): one of every change that the ledger records, one of each source's errata.

Ids of feeds and entries do not name the version, so that a reader who subscribed through `latest` sees each entry once.
"""

import hashlib
import urllib.parse
import xml.etree.ElementTree as etree

from cdna_evidence import settings

ATOM = "http://www.w3.org/2005/Atom"
AUTHOR = "The CDNA Evidence developers"
KEPT = 500
WORDS = {
    "issued": "issued, nothing stated yet",
    "stated": "stated",
    "revised": "revised: its meaning changed",
    "renamed": "has a new key",
    "wording": "reworded, the meaning stayed",
    "withdrawn": "withdrawn",
    "superseded": "superseded",
}


def here(path=""):
    """Return the address of a path of the version that is being built."""
    folder = settings.site_version()
    return settings.site_url() + (folder + "/" if folder else "") + path


def changes(register, events):
    """Return the change feed (bytes): the newest events of the ledger first.

    Args: register; events: of the ledger, in its order.
    """
    dated = sorted(enumerate(events), key=lambda item: (item[1].date, item[0]), reverse=True)[:KEPT]
    entries = []
    for _, event in dated:
        claim = register.claims.get(event.id)
        title = f"{event.id} r{event.revision} {WORDS[event.event]}" + (f": {plain(claim.title)}" if claim else "")
        entries.append((entry_id(event), title, event.date, _address(event, claim), _summary(event, claim)))
    return _feed("feed.xml", "CDNA Evidence: changes, claim by claim", "claims/", entries, _first(events))


def entry_id(event):
    """Return the id of an event's entry: an address below the permanent one of its revision, the same in every version."""
    digest = hashlib.sha256(event.text().encode("utf-8")).hexdigest()[:12]
    return settings.site_url() + f"c/{event.id}/r{event.revision}/#{event.event}-{digest}"


def errata(source, fallback):
    """Return the feed (bytes) of one source's errata; a source without any has a feed without entries.

    Args: source: of the register; fallback: date for a feed that has none.
    """
    entries = []
    for erratum in sorted(source.errata, key=lambda item: item.date, reverse=True):
        digest = hashlib.sha256(f"{erratum.locator}\n{erratum.says}".encode()).hexdigest()[:12]
        claims = f" Claims: {', '.join(erratum.claims)}." if erratum.claims else ""
        text = f"It says: {plain(erratum.says)} Correct is: {plain(erratum.correct)} Because: {plain(erratum.basis)}{claims}"
        identity = settings.site_url() + f"sources/{source.key}/#erratum-{digest}"
        page = here(settings.source_path(source.key)) + "#errata"
        entries.append((identity, f"{source.key}, {plain(erratum.locator)}", erratum.date, page, text))
    page = settings.source_path(source.key)
    return _feed(
        page + "errata.xml",
        f"CDNA Evidence: errors found in {source.key}",
        page,
        entries,
        source.access.date or fallback,
    )


def files(register, events):
    """Return {path: bytes} of every feed."""
    first = _first(events)
    found = {"feed.xml": changes(register, events)}
    for source in register.sources.values():
        found[settings.source_path(source.key) + "errata.xml"] = errata(source, first)
    return found


def plain(text):
    """Return a register text without its backticks, on one line."""
    return " ".join(text.replace("`", "").split())


def _first(events):
    return min((event.date for event in events), default=None)


def _address(event, claim):
    if settings.site_version() and event.revision:
        return settings.site_url() + f"c/{event.id}/r{event.revision}/"
    return here(settings.claim_path(event.id)) if claim or event.event == "withdrawn" else here("claims/")


def _summary(event, claim):
    detail = {"renamed": f"The key is {event.rest}.", "wording": event.rest, "withdrawn": event.rest}
    if event.event == "superseded":
        successors, _, reason = event.rest.partition(" ")
        return f"{reason} Read {', '.join(successors.split(','))} instead."
    if event.event in detail:
        return plain(detail[event.event])
    if claim is None or claim.revision != event.revision:
        return f"Key {event.rest}."
    return plain(f"{claim.statement_text()} Does not say: {claim.fill(claim.boundary)}")


def _feed(path, title, page, entries, fallback):
    etree.register_namespace("", ATOM)
    root = etree.Element(f"{{{ATOM}}}feed")
    _add(root, "id", settings.site_url() + path)
    _add(root, "title", title)
    days = [date for _, _, date, _, _ in entries] or [fallback or settings.version()[:7].replace(".", "-") + "-01"]
    _add(root, "updated", _stamp(max(days)))
    _add(root, "link", rel="self", type="application/atom+xml", href=here(path))
    _add(root, "link", rel="alternate", type="text/html", href=here(page))
    _add(root, "rights", "CC BY 4.0")
    _add(_add(root, "author"), "name", AUTHOR)
    for identity, name, date, address, text in entries:
        entry = _add(root, "entry")
        _add(entry, "id", identity)
        _add(entry, "title", name)
        _add(entry, "updated", _stamp(date))
        _add(entry, "link", rel="alternate", type="text/html", href=urllib.parse.quote(address, safe=":/#%"))
        _add(entry, "content", text, type="text")
    etree.indent(root, " ")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + etree.tostring(root, encoding="utf-8") + b"\n"


def _add(parent, name, text=None, **attributes):
    element = etree.SubElement(parent, f"{{{ATOM}}}{name}", attributes)
    # XML has no place for control characters; the register's texts are one line, so nothing is lost.
    element.text = "".join(letter for letter in text if letter >= " ") if text is not None else None
    return element


def _stamp(date):
    return f"{date}T00:00:00Z"
