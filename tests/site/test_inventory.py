# SPDX-License-Identifier: Apache-2.0
"""What programs read: the documents against their schemas, the inventory through sphobjinv, llms.txt, CITATION.cff."""

import hashlib
import json
import pathlib
import re
import tomllib
import zlib

import pytest
import yaml

from cdna_evidence import __version__, settings
from cdna_evidence.register import load

pytest.importorskip("material", reason="the extra `site` is not installed")
jsonschema = pytest.importorskip("jsonschema")
sphobjinv = pytest.importorskip("sphobjinv")
DOCUMENTS = ("claims.json", "sources.json", "ledger.json", "evidence.json")


@pytest.fixture(scope="module")
def register():
    return load(settings.root())


@pytest.fixture
def top(built):
    return pathlib.Path(built)


def document(top, name):
    return json.loads((top / name).read_text("utf-8"))


def schema(top, name):
    return document(top, "schema/" + name)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_fits_its_schema_and_names_it(top, name):
    one = schema(top, name)
    jsonschema.Draft202012Validator.check_schema(one)
    found = document(top, name)
    jsonschema.Draft202012Validator(one).validate(found)
    assert found["$schema"] == one["$id"]
    assert found["$schema"].endswith("/schema/" + name)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("claims.json", ("claims", 0, "revision"), 0),
        ("claims.json", ("claims", 0, "id"), "tdm-1"),
        ("claims.json", ("claims", 0, "text_sha256"), "00"),
        ("claims.json", ("claims", 0, "boundary"), ""),
        ("claims.json", ("claims", 0, "status"), "fine"),
        ("claims.json", ("claims", 0, "more"), 1),
        ("sources.json", ("sources", 0, "kind"), "rumour"),
        ("ledger.json", ("events", 0), "TDM-001 stated"),
        ("evidence.json", ("claims", 0, "citations", "bibtex"), None),
        ("evidence.json", ("results",), None),
    ],
)
def test_a_schema_refuses_what_is_wrong(top, name, path, value):
    found = document(top, name)
    place = found
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema(top, name)).validate(found)


def test_every_claim_is_there_with_checksums_that_can_be_computed_again(top, register):
    """The rule is applied here from its words in the schema, not with our function."""
    records = document(top, "claims.json")["claims"]
    assert [record["id"] for record in records] == list(register.claims)
    assert len({record["text_sha256"] for record in records}) == len(records)
    for record in records:
        digest = hashlib.sha256()
        for text in (record["title"], record["statement"], record["boundary"], record["safe"]):
            if text is not None:
                digest.update(text.encode("utf-8") + b"\n")
        for position in record["positions"]:
            digest.update(position["name"].encode("utf-8") + b"\n" + position["says"].encode("utf-8") + b"\n")
        assert record["text_sha256"] == digest.hexdigest(), record["id"]
        assert "{" not in record["statement"]


def test_checksums_are_those_of_the_ledger(top):
    last = {}
    for line in document(top, "ledger.json")["events"]:
        identity, _, _, event, checksum, _ = line.split(" ", 5)
        if checksum != "-":
            last[identity] = checksum
    assert {record["id"]: record["checksum"] for record in document(top, "claims.json")["claims"]} == last
    lock = (settings.root() / "evidence" / "ids.lock").read_text("utf-8").splitlines()
    assert document(top, "ledger.json")["events"] == [line for line in lock if line and not line.startswith("#")]


def test_the_offline_file_holds_everything(top, register):
    everything = document(top, "evidence.json")
    for record, full in zip(document(top, "claims.json")["claims"], everything["claims"], strict=True):
        assert {name: full[name] for name in record} == record
        for form in ("markdown", "rst", "bibtex", "comment"):
            assert f"{record['id']} r{record['revision']}" in full["citations"][form]
            assert record["url"] in full["citations"][form]
    assert everything["sources"] == document(top, "sources.json")["sources"]
    assert everything["events"] == document(top, "ledger.json")["events"]
    assert everything["vectors"] == register.vectors
    assert {source["key"] for source in everything["sources"]} == set(register.sources)


def test_the_inventory_goes_through_sphobjinv_and_back(top, tmp_path):
    path = top / "objects.inv"
    read = sphobjinv.Inventory(str(path))
    assert (read.project, read.version) == ("CDNA Evidence", settings.version())
    again = tmp_path / "again.inv"
    sphobjinv.writebytes(str(again), sphobjinv.compress(read.data_file()))
    back = sphobjinv.Inventory(str(again))
    one, two = (
        sorted(
            (item.name, item.domain, item.role, item.priority, item.uri_expanded, item.dispname_expanded)
            for item in inventory.objects
        )
        for inventory in (read, back)
    )
    # Read by hand as well: sphobjinv leaves out a line that it cannot parse.
    body = zlib.decompress(path.read_bytes().split(b"\n", 4)[4]).decode("utf-8")
    assert one == two and len(one) == len(set(one)) == body.count("\n") > 0
    assert sphobjinv.readbytes(str(path)).startswith(b"# Sphinx inventory version 2\n")


def test_the_inventory_leads_to_places_that_exist(top, register):
    read = sphobjinv.Inventory(str(top / "objects.inv"))
    names = {item.name: item for item in read.objects}
    for claim in register.claims.values():
        for name in (claim.id, claim.id.lower(), claim.key, *claim.was):
            assert names[name].uri_expanded == f"claims/{claim.id}/#{claim.id}"
            assert (names[name].domain, names[name].role) == ("std", "label")
    for key in register.sources:
        assert names["source-" + key.lower()].uri_expanded == f"sources/{key}/#{key}"
    for item in read.objects:
        path, _, anchor = item.uri_expanded.partition("#")
        assert f'id="{anchor}"' in (top / path / "index.html").read_text("utf-8"), item.name


def test_llms_txt_has_the_form_and_every_claim(top, register):
    lines = (top / "llms.txt").read_text("utf-8").splitlines()
    assert lines[0] == "# CDNA Evidence" and lines[2].startswith("> ")
    assert sum(line.startswith("# ") for line in lines) == 1
    links = [re.match(r"- \[(?:\\.|[^\]\\])+\]\((\S+)\): .", line) for line in lines if line.startswith("- [")]
    assert all(links)
    base = settings.site_url()
    for match in links:
        path = top / match[1].removeprefix(base)
        assert match[1].startswith(base) and (path.is_file() or (path / "index.html").is_file()), match[1]
    for claim in register.claims.values():
        assert any(line.startswith(f"- [{claim.id} r{claim.revision}](") for line in lines)


def test_citation_cff_is_in_step():
    root = settings.clone()
    found = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert found["cff-version"] == "1.2.0"
    assert found["version"] == project["version"] == __version__
    released = re.search(
        rf"^## \[{re.escape(__version__)}\] - ([0-9-]+)$", (root / "CHANGELOG.md").read_text("utf-8"), re.M
    )
    assert str(found["date-released"]) == released[1]
    assert [author["name"] for author in found["authors"]] == [author["name"] for author in project["authors"]]
    assert set(found["license"]) == set(project["license"].split(" AND "))
    for name in ("message", "title", "abstract", "type", "keywords"):
        assert found[name]
