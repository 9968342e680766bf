# SPDX-License-Identifier: Apache-2.0
"""Every id, key and revision ever issued leads somewhere right after a rename, a revision, a withdrawal and a split."""

import json
import re
import urllib.error

import pytest
import two_versions
from two_versions import CHAPTER, FIRST, SECOND

pytest.importorskip("mike", reason="the extra `site` is not installed")


@pytest.fixture(scope="module")
def host():
    one = two_versions.Host()
    yield one
    one.close()


@pytest.fixture(scope="module")
def clone(tmp_path_factory, host):
    """The clone after both versions were deployed; the host serves the branch."""
    one = two_versions.Clone(tmp_path_factory.mktemp("small"))
    two_versions.first_version(one, host.url)
    one.first_tree = one.git("rev-parse", f"gh-pages:{FIRST}")
    two_versions.between(one)
    two_versions.second_version(one, host.url)
    host.directory = one.root / "build" / "pages"
    one.cdna("site", "pages", "build/pages")
    return one


def page(version, identity):
    return f"{version}/claims/{identity}/"


# Written by hand from what `two_versions.between` does, not from what the resolver made.
ENDS = {
    "c/TDM-001": page(SECOND, "TDM-001"),
    "c/TDM-001/r1": page(SECOND, "TDM-001"),  # renamed only: r1 is still current
    "c/TDM-002": page(SECOND, "TDM-002"),
    "c/TDM-002/r1": page(FIRST, "TDM-002"),
    "c/TDM-002/r2": page(SECOND, "TDM-002"),
    "c/TDM-003": page(SECOND, "TDM-003"),  # the tombstone
    "c/TDM-003/r1": page(FIRST, "TDM-003"),
    "c/TDM-004": page(SECOND, "TDM-004"),  # the tombstone of what was split
    "c/TDM-004/r1": page(FIRST, "TDM-004"),
    "c/TDM-005": page(SECOND, "TDM-005"),
    "c/TDM-005/r1": page(FIRST, "TDM-005"),
    "c/TDM-005/r2": "c/TDM-005/r2/",  # came and went between the versions: says so
    "c/TDM-005/r3": page(SECOND, "TDM-005"),
    "c/TDM-006": page(SECOND, "TDM-006"),
    "c/TDM-006/r1": page(SECOND, "TDM-006"),
    "c/TDM-007": page(SECOND, "TDM-007"),
    "c/TDM-007/r1": page(SECOND, "TDM-007"),
    "c/TDM-008": "c/TDM-008/",  # issued, never stated
    "c/tdm.intervals": page(SECOND, "TDM-001"),  # the old key
    "c/tdm.spacing": page(SECOND, "TDM-001"),
    "c/tdm.counts": page(SECOND, "TDM-002"),
    "c/tdm.strides": page(SECOND, "TDM-003"),
    "c/tdm.modes": page(SECOND, "TDM-004"),
    "c/tdm.gaps": page(SECOND, "TDM-005"),
    "c/tdm.modes.load": page(SECOND, "TDM-006"),
    "c/tdm.modes.store": page(SECOND, "TDM-007"),
    "c/tdm.never": "c/tdm.never/",
}


@pytest.mark.parametrize("path", ENDS)
def test_it_leads_to_the_right_page(clone, host, path):
    where, body = host.follow(path)
    assert where == ENDS[path]
    identity = path.split("/")[1]
    if re.fullmatch(r"TDM-[0-9]{3}", identity):
        assert identity in body


def test_nothing_that_the_ledger_or_a_version_holds_is_left_out(clone):
    """The table above names every id, revision and key; the ledger's own lines are the list, split here without our parser."""
    asked = set()
    for line in (clone.root / "evidence" / "ids.lock").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        identity, revision, _, event, _, rest = line.split(" ", 5)
        asked.add(f"c/{identity}")
        if revision != "r0":
            asked.add(f"c/{identity}/{revision}")
        if event in ("issued", "stated", "revised", "renamed"):
            asked.add(f"c/{rest}")
    assert asked == set(ENDS)


def test_json_stands_beside_every_address(clone, host):
    for path, end in ENDS.items():
        _, text = host.get(path + ".json")
        found = json.loads(text)
        assert found["schema"] == 1
        place = found["page"] if "/r" in path else found["newest"]
        if end.startswith("c/"):
            assert place is None
        else:
            assert (place["path"], place["url"]) == (end, host.url + end)
            assert host.get(place["path"])[0] == end
            assert found["record"]["id"] == found["id"]


def test_json_of_a_revision_holds_what_it_said(clone, host):
    one = json.loads(host.get("c/TDM-002/r1.json")[1])
    two = json.loads(host.get("c/TDM-002/r2.json")[1])
    assert (one["record"]["statement"], one["current"]) == ("The number of counts is 2.", False)
    assert (two["record"]["statement"], two["current"]) == ("The number of counts is 22.", True)
    assert one["versions"] == [FIRST] and two["versions"] == [SECOND]
    lost = json.loads(host.get("c/TDM-005/r2.json")[1])
    assert lost["record"] is None and lost["versions"] == [] and re.fullmatch("[0-9a-f]{64}", lost["checksum"])


def test_json_of_an_id_tells_its_whole_life(clone, host):
    split = json.loads(host.get("c/TDM-004.json")[1])
    assert split["status"] == "superseded"
    assert split["superseded_by"] == ["TDM-006", "TDM-007"]
    assert [line.split()[3] for line in split["events"]] == ["stated", "superseded"]
    assert json.loads(host.get("c/tdm.intervals.json")[1])["keys"] == ["tdm.intervals", "tdm.spacing"]
    assert json.loads(host.get("c/TDM-003.json")[1])["withdrawn"]["reason"] == "The source was misread."


def test_the_list_of_every_id(clone, host):
    listed = json.loads(host.get("c/index.json")[1])
    assert listed["versions"] == [SECOND, FIRST]
    assert list(listed["ids"]) == [f"TDM-00{n}" for n in range(1, 9)]
    assert listed["ids"]["TDM-005"]["revisions"] == [1, 2, 3]
    assert listed["keys"]["tdm.intervals"] == "TDM-001"
    for identity in listed["ids"]:
        assert f'href="{identity}/"' in host.get("c/")[1]


def test_tombstones_say_what_why_and_what_instead(clone, host):
    _, gone = host.follow("c/TDM-003")
    assert (
        "This claim was withdrawn" in gone
        and "The source was misread." in gone
        and "The number of strides is 3." in gone
    )
    _, split = host.follow("c/TDM-004")
    assert (
        "This claim was superseded" in split
        and "Loads and stores differ." in split
        and "The number of modes is 4." in split
    )
    assert "../TDM-006/" in split and "../TDM-007/" in split
    _, before = host.follow("c/TDM-003/r1")
    assert "This claim was withdrawn" not in before
    never = host.get(f"{SECOND}/claims/TDM-008/")[1]
    assert "Nothing was ever published under it." in never and "It said nothing new." in never


def test_versioned_addresses_never_change(clone, host):
    """The folder of the first version is the same git tree after the second deployment, and its pages cite themselves."""
    assert clone.git("rev-parse", f"gh-pages:{FIRST}") == clone.first_tree
    for version in (FIRST, SECOND):
        records = json.loads(host.get(f"{version}/claims.json")[1])["claims"]
        assert records and all(record["url"] == f"{host.url}{version}/claims/{record['id']}/" for record in records)
        for record in records:
            where, body = host.get(f"{version}/claims/{record['id']}/")
            assert f'data-clipboard-text="{record["url"]}"' in body


def test_latest_the_root_and_addresses_without_a_version(clone, host):
    assert host.follow("")[0] == "latest/"
    assert host.get("latest/claims/TDM-006/")[1] == host.get(f"{SECOND}/claims/TDM-006/")[1]
    assert host.follow("claims/TDM-002/")[0] == page(SECOND, "TDM-002")
    assert host.follow("sources/BOOK/")[0] == f"{SECOND}/sources/BOOK/"
    assert "/kb/c/" in host.get("404.html")[1]


def test_what_was_never_issued_leads_nowhere(clone, host):
    for path in ("c/TDM-009", "c/TDM-001/r2", "c/TDM-003/r2.json", "c/tdm.nothing"):
        with pytest.raises(urllib.error.HTTPError) as caught:
            host.get(path)
        assert caught.value.code == 404
        caught.value.close()


def test_redirects_keep_fragments_and_ask_nothing_of_other_hosts(clone, host):
    _, body = host.get("c/TDM-001/")
    assert "location.search + location.hash" in body
    for file in (host.directory / "c").rglob("*.html"):
        addresses = re.findall(r'(?:href|src)="([^"]+)"', file.read_text("utf-8"))
        assert all(not re.match("[a-z]+:", one) or one.startswith((host.url, "data:,")) for one in addresses), file


def test_an_id_deleted_from_the_register_is_not_published(clone):
    text = (clone.root / CHAPTER).read_text("utf-8")
    start = text.index("- id: TDM-002")
    try:
        clone.write(CHAPTER, text[:start] + text[text.index("- id: TDM-003") :])
        _, error = clone.cdna("site", "deploy", "--version", "2027.02", status=2)
        assert "cdna claim withdraw TDM-002" in error
    finally:
        clone.write(CHAPTER, text)
