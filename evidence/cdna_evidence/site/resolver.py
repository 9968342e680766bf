# SPDX-License-Identifier: Apache-2.0
"""Permanent addresses at the site's root, outside every version folder: `/c/TDM-031`, `/c/TDM-031/r2`, `/c/KEY`, each also as JSON.

A pure function from what is published (the claims.json and ledger.json of every version) to files. They are static pages,
so that any host serves them: `c/TDM-031/index.html` answers `/c/TDM-031/`, and `c/TDM-031.json` stands beside it.
An id leads to its newest page; a revision leads to the newest version in which it was current. What no version ever
published says so instead of leading somewhere else.
"""

import html
import json
import posixpath
import urllib.parse
from typing import NamedTuple

from cdna_evidence import settings

SCHEMA = 1
LIVE = ("active", "disputed")
#: Paths of the root that this module writes anew at every deployment.
OWNED = ("c", "claims", "sources", "index.html", "404.html")


class Version(NamedTuple):
    """One published version. Args: name: such as "2026.12"; claims: {id: record of claims.json}; sources: keys; events: of its ledger."""

    name: str
    claims: dict
    sources: tuple
    events: tuple


class ResolverError(Exception):
    """Two permanent addresses want the same file; the message names both."""


def order(name):
    """Return the sort key of a version's name: "2026.12" comes before "2026.12.1" and "2027.01"."""
    return tuple(int(part) for part in name.split("."))


def address(claim, revision=None):
    """Return the permanent address of a claim or of one revision of it, as cited from anywhere.

    Args: claim: id or key; revision: number, or None for the newest page.
    """
    return settings.site_url() + f"c/{claim}/" + (f"r{revision}/" if revision else "")


class Known(NamedTuple):
    """All that was ever issued under one id. Args: revisions: {number: Revision}; events: in order of the ledger."""

    id: str
    keys: tuple
    revisions: dict
    events: tuple
    newest: tuple | None


class Revision(NamedTuple):
    """One revision. Args: date, checksum: of the ledger (None when unknown); versions: that published it, newest first; best: the one it leads to."""

    number: int
    date: str | None
    checksum: str | None
    versions: tuple
    best: tuple | None


def known(versions):
    """Return {id: Known} of every id that any version's ledger or claims name, sorted by id.

    Args: versions: Version list in any order.
    """
    versions = sorted(versions, key=lambda item: order(item.name), reverse=True)
    events = {}
    for version in versions:
        for event in version.events:
            events.setdefault(event.id, {}).setdefault(event.text(), event)
    ids = dict.fromkeys([*events, *(identity for version in versions for identity in version.claims)])
    return {identity: _known(identity, versions, tuple(events.get(identity, {}).values())) for identity in sorted(ids)}


def _known(identity, versions, events):
    pages = [(version.name, version.claims[identity]) for version in versions if identity in version.claims]
    dates = {event.revision: event for event in events if event.event in ("stated", "revised")}
    numbers = {record["revision"] for _, record in pages} | set(dates)
    revisions = {}
    for number in sorted(numbers):
        with_it = [(name, record) for name, record in pages if record["revision"] == number]
        # Where a claim has ended, the revision was last current in the version before that.
        living = [page for page in with_it if page[1]["status"] in LIVE]
        event = dates.get(number)
        revisions[number] = Revision(
            number,
            event.date if event else None,
            event.checksum if event else with_it[0][1].get("checksum"),
            tuple(name for name, _ in with_it),
            (living or with_it or [None])[0],
        )
    keys = [event.rest for event in events if event.event in ("issued", "stated", "revised", "renamed")]
    for _, record in reversed(pages):
        keys += [*record["was"], record["key"]]
    return Known(identity, tuple(dict.fromkeys(keys)), revisions, events, pages[0] if pages else None)


def files(versions, latest=None):
    """Return {path from the site's root: bytes} of the whole resolver.

    Args: versions: Version list, not empty; latest: folder or alias that the root's index leads to (default: the newest version).
    Raises: ResolverError: two addresses want one path.
    """
    newest = max(versions, key=lambda item: order(item.name))
    out = _Files()
    ids = known(versions)
    for one in ids.values():
        _write_id(out, one, newest.name)
    owners = _owners(ids)
    for key, identity in owners.items():
        one = ids[identity]
        out.put(f"c/{key}/index.html", _page(f"c/{key}/", one, newest.name, title=key))
        out.put(f"c/{key}.json", _dump(_document(one)))
    # Citations that were made without a version (the command line outside of a site) lead on as well.
    for identity in newest.claims:
        out.put(
            f"claims/{identity}/index.html",
            _redirect(f"claims/{identity}/", f"{newest.name}/claims/{identity}/", identity),
        )
    for key in newest.sources:
        out.put(f"sources/{key}/index.html", _redirect(f"sources/{key}/", f"{newest.name}/sources/{key}/", key))
    names = sorted((item.name for item in versions), key=order, reverse=True)
    out.put("c/index.html", _index(ids))
    out.put("c/index.json", _dump(_listing(ids, owners, names)))
    out.put("index.html", _redirect("", f"{latest or newest.name}/", "CDNA Evidence"))
    out.put("404.html", _lost())
    return out.files


def _owners(ids):
    """Return {key: id}: whoever has a key in the newest version, else the first that ever had it."""
    owners = {}
    for one in ids.values():
        for key in one.keys:
            owners.setdefault(key, one.id)
    for one in ids.values():
        if one.newest:
            owners[one.newest[1]["key"]] = one.id
    return dict(sorted(owners.items()))


class _Files:
    """Paths and contents; a path can be a file or a folder, never both, and is written once."""

    def __init__(self):
        self.files = {}
        self.folders = set()

    def put(self, path, content):
        parents = [path[:at] for at, letter in enumerate(path) if letter == "/"]
        if path in self.files or path in self.folders or any(parent in self.files for parent in parents):
            raise ResolverError(
                f"{path}: two permanent addresses want this path; one of the two keys must change before it is published"
            )
        self.folders.update(parents)
        self.files[path] = content


def _write_id(out, one, newest):
    out.put(f"c/{one.id}/index.html", _page(f"c/{one.id}/", one, newest, title=one.id))
    out.put(f"c/{one.id}.json", _dump(_document(one)))
    for revision in one.revisions.values():
        here = f"c/{one.id}/r{revision.number}"
        name = f"{one.id} r{revision.number}"
        if revision.best:
            page = _redirect(here + "/", _path(revision.best[0], one.id), name)
        else:
            page = _unpublished(here + "/", one, revision)
        out.put(here + "/index.html", page)
        out.put(here + ".json", _dump(_revision_document(one, revision)))


def _path(version, identity):
    return f"{version}/{settings.claim_path(identity)}"


# --- JSON ---


def _dump(value):
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def _place(page, identity):
    """Return where one page of a claim stands; `path` counts from the site's root."""
    if page is None:
        return None
    name, record = page
    path = _path(name, identity)
    return {
        "version": name,
        "revision": record["revision"],
        "status": record["status"],
        "path": path,
        "url": settings.site_url() + path,
    }


def _document(one):
    record = one.newest[1] if one.newest else None
    last = one.events[-1] if one.events else None
    return {
        "schema": SCHEMA,
        "id": one.id,
        "status": record["status"] if record else last.event if last else None,
        "keys": list(one.keys),
        "newest": _place(one.newest, one.id),
        "revisions": [_revision(one, revision) for revision in one.revisions.values()],
        "superseded_by": record["superseded_by"] if record else [],
        "withdrawn": record["withdrawn"] if record else None,
        "events": [event.text() for event in one.events],
        "record": record,
    }


def _revision(one, revision):
    return {
        "revision": revision.number,
        "date": revision.date,
        "checksum": revision.checksum,
        "current": bool(one.newest)
        and one.newest[1]["revision"] == revision.number
        and one.newest[1]["status"] in LIVE,
        "versions": list(revision.versions),
        "page": _place(revision.best, one.id),
    }


def _revision_document(one, revision):
    record = revision.best[1] if revision.best else None
    return {
        "schema": SCHEMA,
        "id": one.id,
        **_revision(one, revision),
        "newest": _place(one.newest, one.id),
        "record": record,
    }


def _listing(ids, owners, names):
    entries = {}
    for one in ids.values():
        record = one.newest[1] if one.newest else None
        entries[one.id] = {
            "status": record["status"] if record else one.events[-1].event,
            "revisions": list(one.revisions),
            "path": _path(one.newest[0], one.id) if one.newest else None,
        }
    return {"schema": SCHEMA, "versions": names, "ids": entries, "keys": owners}


# --- HTML ---

_STYLE = "body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}"


def _html(title, body, head=""):
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f'<title>{html.escape(title)}</title>\n<link rel="icon" href="data:,">\n{head}<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n'
    ).encode()


def relative(here, target):
    """Return the link from a folder of the site to another one. Args: here: "" or "c/TDM-031/"; target: "2026.12/claims/TDM-031/"."""
    link = posixpath.relpath("/" + target, "/" + here)
    return urllib.parse.quote(link + ("/" if target.endswith("/") else ""))


def _redirect(here, target, title):
    """Return a page that leads on at once; the script keeps query and fragment, the refresh works without scripts."""
    link = relative(here, target)
    quoted = html.escape(link)
    head = (
        '<meta name="robots" content="noindex">\n'
        f'<link rel="canonical" href="{html.escape(settings.site_url() + (target if here else ""))}">\n'
        f"<script>location.replace({json.dumps(link)} + location.search + location.hash)</script>\n"
        f'<meta http-equiv="refresh" content="0; url={quoted}">\n'
    )
    return _html(title, f'<p>{html.escape(title)} is at <a href="{quoted}">{html.escape(target)}</a>.</p>', head)


def _page(here, one, newest, title):
    if one.newest:
        return _redirect(here, _path(one.newest[0], one.id), title)
    return _html(title, _unstated(one, newest))


def _unstated(one, newest):
    last = one.events[-1]
    issued = html.escape(one.events[0].date)
    if last.event == "withdrawn":
        words = f"It was withdrawn on {html.escape(last.date)} before any version of this site published it: {html.escape(last.rest)}"
    else:
        words = f"No version of this site up to {html.escape(newest)} states anything under it."
    return f"<h1>{one.id}</h1>\n<p>This id was issued on {issued}. {words}</p>\n<p>An id is never used again.</p>"


def _unpublished(here, one, revision):
    """Say that a revision came and went between two versions, and where the claim stands now."""
    name = f"{one.id} r{revision.number}"
    link = ""
    if one.newest:
        target = _path(one.newest[0], one.id)
        link = f'<p>The newest page is <a href="{html.escape(relative(here, target))}">{one.id} r{one.newest[1]["revision"]}</a>.</p>'
    body = (
        f"<h1>{name}</h1>\n<p>This revision was recorded on {html.escape(revision.date or 'an unknown day')} and replaced before a version "
        f"of this site was published. Its text is in the history of the repository; its checksum is <code>{revision.checksum}</code>.</p>\n{link}"
    )
    return _html(name, body, '<meta name="robots" content="noindex">\n')


def _index(ids):
    rows = []
    for one in ids.values():
        title = html.escape(one.newest[1]["title"]) if one.newest else "nothing published"
        links = ", ".join(f'<a href="{one.id}/r{number}/">r{number}</a>' for number in one.revisions)
        rows.append(f'<li><a href="{one.id}/">{one.id}</a> {title} ({links or "no revision"})</li>')
    body = (
        "<h1>Every id ever issued</h1>\n<p>An id leads to its newest page, a revision to the version in which it was current. "
        'As JSON: <a href="index.json">index.json</a>.</p>\n<ul>\n' + "\n".join(rows) + "\n</ul>"
    )
    return _html("Every id ever issued", body)


def _lost():
    """Return the page that hosts show for an unknown address; it may be shown at any depth, so its links count from the root."""
    root = html.escape(urllib.parse.urlsplit(settings.site_url()).path)
    body = (
        "<h1>Not found</h1>\n<p>Nothing was published at this address. "
        f'<a href="{root}c/">Every id ever issued</a> is listed, with each of its revisions; <a href="{root}">the start</a> is here.</p>'
    )
    return _html("Not found", body, '<meta name="robots" content="noindex">\n')
