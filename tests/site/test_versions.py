# SPDX-License-Identifier: Apache-2.0
"""Versions on a local branch: selector, latest, banner, what changed, and what a deployment refuses or survives."""

import json
import re

import pytest
import two_versions
from two_versions import CHAPTER, FIRST, SECOND

pytest.importorskip("mike", reason="the extra `site` is not installed")
URL = "https://docs.example.org/kb/"


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """The clone with the first version deployed. No test changes it."""
    clone = two_versions.Clone(tmp_path_factory.mktemp("first"))
    two_versions.first_version(clone, URL)
    return clone


@pytest.fixture(scope="module")
def both(first, tmp_path_factory):
    """The clone with both versions; `pages` is the branch written out. No test changes it."""
    clone = first.copy(tmp_path_factory.mktemp("both") / "clone")
    two_versions.between(clone)
    two_versions.second_version(clone, URL)
    clone.cdna("site", "pages", "build/pages")
    clone.pages = clone.root / "build" / "pages"
    return clone


@pytest.fixture
def deployed(first, tmp_path):
    """A clone of its own with the first version deployed."""
    return first.copy(tmp_path / "clone")


@pytest.fixture
def clone(deployed):
    """A clone of its own with the claims recorded and nothing deployed."""
    deployed.git("update-ref", "-d", "refs/heads/gh-pages")
    return deployed


def deploy(clone, version, status=0, *more, **environment):
    """Deploy and return the JSON document, or the message of a refusal."""
    out, error = clone.cdna(
        "site", "deploy", "--version", version, "--json", *more, status=status, **{"CDNA_SITE_URL": URL, **environment}
    )
    return json.loads(out) if out else error


def read(clone, name):
    return (clone.pages / name).read_text("utf-8")


def selector(page):
    """Return what the theme's script is told about versions."""
    return json.loads(re.search(r'<script id="__config"[^>]*>(.*?)</script>', page)[1])["version"]


def test_a_bare_build_does_not_ask_for_versions(clone):
    clone.cdna("site", "build", "--output", "build/site")
    page = (clone.root / "build/site/index.html").read_text("utf-8")
    assert selector(page) is None
    assert 'data-md-component="outdated"' not in page
    changes = (clone.root / "build/site/changes/index.html").read_text("utf-8")
    assert "This build is no published version" in changes


def test_the_selector_knows_both_versions_and_latest(both):
    listed = json.loads(read(both, "versions.json"))
    assert [(one["version"], one["aliases"]) for one in listed] == [(SECOND, ["latest"]), (FIRST, [])]
    for version in (FIRST, SECOND):
        assert selector(read(both, f"{version}/index.html")) == {"provider": "mike", "default": "latest"}


def test_the_branch_is_on_this_machine_only_and_the_list_names_it(both):
    found = json.loads(both.cdna("site", "versions", "--json")[0])["result"]
    assert found["branch"] == "gh-pages"
    assert [(one["version"], one["claims"], one["ended"]) for one in found["versions"]] == [
        (SECOND, 7, 2),
        (FIRST, 5, 0),
    ]
    assert both.git("for-each-ref", "--format=%(refname)") == "refs/heads/gh-pages\nrefs/heads/main"


def test_the_banner_leads_from_an_old_claim_to_its_newest_page(both):
    page = read(both, f"{FIRST}/claims/TDM-004/index.html")
    banner = page[page.index('data-md-component="outdated"') :]
    link = re.search(r'<a href="([^"]+)"><strong>The newest page of TDM-004', banner)[1]
    assert (both.pages / FIRST / "claims" / "TDM-004" / link).resolve() == (both.pages / "c" / "TDM-004").resolve()
    start = read(both, f"{FIRST}/index.html")
    link = re.search(r'<a href="([^"]+)"><strong>Go to the newest version', start)[1]
    assert (both.pages / FIRST / link).resolve() == both.pages.resolve()


def test_what_changed_is_told_claim_by_claim(both):
    text = re.sub(r"<[^>]+>", "", read(both, f"{SECOND}/changes/index.html"))
    text = " ".join(text.split())
    assert f"Since {FIRST}" in text
    assert "8 claims changed, 0 have other sources, status or coverage, 0 are as they were." in text
    assert "Key tdm.intervals became tdm.spacing" in text
    assert "The number of counts is 2. The number of counts is 22." in text.replace(".The", ". The")
    assert "r1 became r2" in text and "r2 became r3" in text
    assert "The source was misread." in text
    assert "by TDM-006, TDM-007: Loads and stores differ." in text
    page = read(both, f"{SECOND}/changes/index.html")
    assert f'href="{URL}{FIRST}/claims/TDM-002/"' in page
    assert "No earlier version is published" in read(both, f"{FIRST}/changes/index.html")


def test_a_change_without_a_revision_is_told_too(deployed):
    clone = deployed
    clone.change("locator: chapter 1", "locator: chapter 2", "TDM-003")
    clone.commit()
    deploy(clone, SECOND)
    clone.cdna("site", "pages", "build/pages")
    page = (clone.root / "build/pages" / SECOND / "changes/index.html").read_text("utf-8")
    assert "0 claims changed, 1 have other sources, status or coverage, 4 are as they were." in page
    assert 'id="changed-TDM-003"' in page


def test_every_version_cites_itself_in_each_form(both):
    for version in (FIRST, SECOND):
        records = json.loads(read(both, f"{version}/evidence.json"))["claims"]
        for record in records:
            for form, text in record["citations"].items():
                assert f"{URL}{version}/claims/{record['id']}/" in text, form
                assert form == "url" or f"{record['id']} r{record['revision']}" in text
                assert form == "url" or "cited (BOOK)" in text.replace("\\", "")


def test_every_link_of_the_tree_leads_somewhere(both):
    """Pages, redirects and links from one version to another, with the checker that CI uses."""
    from cdna_evidence.links import internal

    found = internal.check(both.pages)
    assert found.links > 500
    assert found.broken == []


def test_pages_load_nothing_from_another_host(both):
    for page in [*both.pages.rglob("*.html")]:
        text = page.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]* src="([^"]+)"', text)
        loaded += re.findall(
            r'<link[^>]* rel="(?:stylesheet|preload|preconnect|dns-prefetch|icon)"[^>]* href="([^"]+)"', text
        )
        loaded += re.findall(
            r'<link[^>]* href="([^"]+)"[^>]* rel="(?:stylesheet|preload|preconnect|dns-prefetch|icon)"', text
        )
        assert not [one for one in loaded if re.match(r"[a-z]+:|//", one) and one != "data:,"], page


def test_the_same_again_changes_nothing(deployed):
    before = deployed.git("rev-parse", "gh-pages")
    again = deploy(deployed, FIRST)["result"]
    assert again["changed"] is False
    assert again["commit"] == before == deployed.git("rev-parse", "gh-pages")


def test_a_published_version_does_not_change(deployed):
    clone = deployed
    before = clone.git("rev-parse", "gh-pages")
    clone.change("number: 2", "number: 22", "TDM-002")
    clone.change("revision: 1", "revision: 2", "TDM-002")
    clone.lock()
    message = deploy(clone, FIRST, 2)
    assert f"{FIRST} is published with TDM-002 r1 active, here it is r2 active" in message
    assert clone.git("rev-parse", "gh-pages") == before
    deploy(clone, FIRST, 0, "--replace")
    assert clone.git("rev-parse", "gh-pages") != before


def test_a_patch_of_an_older_version_is_not_the_latest(clone):
    deploy(clone, SECOND)
    found = deploy(clone, "2026.12.1")["result"]
    assert (found["latest"], found["versions"]) == (SECOND, [SECOND, "2026.12.1"])
    assert clone.git("show", "gh-pages:latest") == SECOND
    assert f"{SECOND}/claims/TDM-001/" in clone.git("show", "gh-pages:c/TDM-001/index.html")


def test_nothing_is_pushed_and_what_origin_has_is_kept(deployed, tmp_path):
    clone = deployed
    clone.git("init", "-q", "--bare", str(tmp_path / "origin"))
    clone.git("remote", "add", "origin", str(tmp_path / "origin"))
    # As after `git clone`: only the remote-tracking branch is here.
    clone.git("update-ref", "refs/remotes/origin/gh-pages", "gh-pages")
    clone.git("update-ref", "-d", "refs/heads/gh-pages")
    assert deploy(clone, SECOND)["result"]["versions"] == [SECOND, FIRST]
    assert clone.git("ls-remote", "origin") == ""


def test_a_failed_deployment_leaves_the_branch_as_it_was(deployed, monkeypatch):
    from cdna_evidence.site import resolver, versions

    clone = deployed
    before = clone.git("rev-parse", "gh-pages")

    def fail(*args):
        raise resolver.ResolverError("c/x: two permanent addresses want this path")

    monkeypatch.chdir(clone.root)
    monkeypatch.setattr(resolver, "files", fail)
    with pytest.raises(versions.VersionError, match="two permanent addresses"):
        versions.deploy(clone.root, SECOND)
    assert clone.git("rev-parse", "gh-pages") == before
    assert "cdna-deploy" not in clone.git("for-each-ref")


def test_the_branch_of_a_killed_deployment_is_swept_away(clone):
    clone.git("update-ref", "refs/heads/cdna-deploy-999999999", "HEAD")
    deploy(clone, FIRST)
    assert "cdna-deploy" not in clone.git("for-each-ref")


def test_properdocs_is_refused(clone, tmp_path):
    """mike builds with ProperDocs, without a word, where it is installed."""
    fake = tmp_path / "fake" / "properdocs-1.6.7.dist-info"
    fake.mkdir(parents=True)
    (fake / "METADATA").write_text("Metadata-Version: 2.1\nName: properdocs\nVersion: 1.6.7\n")
    message = deploy(clone, FIRST, 2, PYTHONPATH=str(fake.parent))
    assert "properdocs 1.6.7 is installed" in message
    assert "gh-pages" not in clone.git("for-each-ref")


def test_pages_are_built_by_mkdocs(both):
    assert re.search(
        '<meta name="generator" content="mkdocs-1[.0-9]+, mkdocs-material-9[.0-9]+">', read(both, f"{FIRST}/index.html")
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["deploy", "--version", "latest"], "version=latest: a date such as 2026.12"),
        (["deploy", "--branch", "main"], "branch=main: another branch than the one that is checked out"),
        (["pages", "build/pages"], "no version is deployed on it"),
        (["pages", "evidence", "--branch", "other"], "no version is deployed on it"),
    ],
)
def test_wrong_use_is_one_message(clone, words, message):
    _, error = clone.cdna("site", *words, status=2)
    assert message in error and error.count("\n") == 1


def test_a_claim_that_the_ledger_does_not_hold_is_not_published(clone):
    clone.add("TDM-006", "extra", 6)
    message = deploy(clone, FIRST, 2)
    assert "cdna claim lock" in message and "TDM-006" in message


def test_a_folder_with_other_files_is_not_replaced(both):
    _, error = both.cdna("site", "pages", "evidence", status=2)
    assert "a new or empty directory" in error
    assert (both.root / CHAPTER).is_file()


def test_warnings_say_what_a_reader_of_the_version_will_miss(clone):
    clone.write("docs/method.md", "# Method\n\nA change that no commit holds.\n")
    found = deploy(clone, FIRST, CDNA_SITE_URL="")["findings"]
    assert {item["rule"] for item in found} == {"uncommitted", "address", "no-results"}
