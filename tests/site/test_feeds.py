# SPDX-License-Identifier: Apache-2.0
"""The Atom feeds, read back with an XML parser and held against what RFC 4287 asks for."""

import re
import xml.etree.ElementTree as etree

import pytest

from cdna_evidence import settings
from cdna_evidence.register import ledger, load

feeds = pytest.importorskip("cdna_evidence.site.feeds")
NS = {"a": "http://www.w3.org/2005/Atom"}
LOCK = """\
TDM-001 r1 2026-12-01 stated {0} tdm.one
TDM-001 r1 2026-12-02 renamed {0} tdm.two
TDM-001 r2 2026-12-04 revised {1} tdm.two
TDM-002 r1 2026-12-01 stated {0} tdm.three
TDM-002 r1 2026-12-03 superseded {0} TDM-001,TDM-003 It was & is <two> things.
TDM-003 r0 2026-12-05 issued - tdm.four
TDM-003 r0 2026-12-06 withdrawn - Nothing to say.
""".format("0" * 64, "1" * 64)


@pytest.fixture
def events():
    found, problems = ledger.parse(LOCK)
    assert not problems
    return found


@pytest.fixture(scope="module")
def register():
    return load(settings.root())


class Nothing:
    """A register without claims and sources."""

    claims = {}
    sources = {}


def valid(content):
    """Assert what RFC 4287 asks for, and return the entries."""
    root = etree.fromstring(content)
    assert root.tag == f"{{{NS['a']}}}feed"
    date = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
    entries = root.findall("a:entry", NS)
    assert root.find("a:author/a:name", NS).text
    assert [link.get("href") for link in root.findall("a:link", NS) if link.get("rel") == "self"]
    for element in [root, *entries]:
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"a:{name}", NS)) == 1 and element.find(f"a:{name}", NS).text, name
        assert date.fullmatch(element.find("a:updated", NS).text)
        assert re.match("https?://", element.find("a:id", NS).text)
    ids = [entry.find("a:id", NS).text for entry in entries]
    assert len(set(ids)) == len(ids)
    for entry in entries:
        assert entry.find("a:content", NS).get("type") == "text"
        assert entry.find("a:link", NS).get("rel") == "alternate"
    dates = [entry.find("a:updated", NS).text for entry in entries]
    assert dates == sorted(dates, reverse=True)
    if dates:
        assert root.find("a:updated", NS).text == dates[0]
    return entries


def test_every_event_is_an_entry_newest_first(events):
    entries = valid(feeds.changes(Nothing, events))
    titles = [entry.find("a:title", NS).text for entry in entries]
    assert titles == [
        "TDM-003 r0 withdrawn",
        "TDM-003 r0 issued, nothing stated yet",
        "TDM-001 r2 revised: its meaning changed",
        "TDM-002 r1 superseded",
        "TDM-001 r1 has a new key",
        "TDM-002 r1 stated",
        "TDM-001 r1 stated",
    ]
    texts = [entry.find("a:content", NS).text for entry in entries]
    assert texts[3] == "It was & is <two> things. Read TDM-001, TDM-003 instead."
    assert texts[4] == "The key is tdm.two."


def test_entries_keep_their_ids_from_version_to_version(events, monkeypatch):
    def ids():
        return {entry.find("a:id", NS).text for entry in valid(feeds.changes(Nothing, events))}

    monkeypatch.setenv("CDNA_SITE_VERSION", "2026.12")
    before = ids()
    monkeypatch.setenv("CDNA_SITE_VERSION", "2027.01")
    assert ids() == before


def test_a_version_of_several_links_to_the_permanent_address(events, monkeypatch):
    monkeypatch.setenv("CDNA_SITE_URL", "https://docs.example.org/kb/")
    monkeypatch.setenv("CDNA_SITE_VERSION", "2027.01")
    links = [entry.find("a:link", NS).get("href") for entry in valid(feeds.changes(Nothing, events))]
    assert "https://docs.example.org/kb/c/TDM-001/r2/" in links
    monkeypatch.setenv("CDNA_SITE_VERSION", "")
    links = [entry.find("a:link", NS).get("href") for entry in valid(feeds.changes(Nothing, events))]
    assert not any("/c/" in link for link in links)


def test_the_feeds_of_this_register(register):
    events, _ = ledger.read(register.root)
    found = feeds.files(register, events)
    assert set(found) == {"feed.xml", *(f"sources/{key}/errata.xml" for key in register.sources)}
    assert len(valid(found["feed.xml"])) == min(len(events), feeds.KEPT)
    for key, source in register.sources.items():
        entries = valid(found[f"sources/{key}/errata.xml"])
        assert len(entries) == len(source.errata)
        texts = " ".join(entry.find("a:content", NS).text for entry in entries)
        assert all(name in texts for erratum in source.errata for name in erratum.claims)
    assert any(source.errata for source in register.sources.values())


def test_feeds_stand_where_pages_say(built):
    import pathlib

    top = pathlib.Path(built)
    page = (top / "claims" / "TDM-031" / "index.html").read_text("utf-8")
    link = re.search(r'<link rel="alternate" type="application/atom\+xml"[^>]* href="([^"]+)"', page)[1]
    assert (top / "claims" / "TDM-031" / link).resolve() == (top / "feed.xml").resolve()
    valid((top / "feed.xml").read_bytes())
