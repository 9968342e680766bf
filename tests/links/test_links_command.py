# SPDX-License-Identifier: Apache-2.0
"""`cdna links`: outcomes, exit statuses and reports, as a script sees them."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from hostile import PAGE

from cdna_evidence import cli, reports
from cdna_evidence.links import collect
from cdna_evidence.links.client import Limits


@pytest.fixture
def command(capsys, monkeypatch, server, tmp_path):
    """Run `cdna links`; {server} in a word is the hostile server, whose address this test flag alone lets it reach."""
    # Nothing is kept in the clone.
    monkeypatch.setattr("cdna_evidence.settings.root", lambda: tmp_path)
    monkeypatch.setattr(
        "cdna_evidence.links.client.Limits.__new__.__defaults__",
        tuple(Limits()._replace(retries=0, delay=0.0)),
    )

    def run(*words):
        filled = [word.replace("{server}", f"http://127.0.0.1:{server.port}") for word in words]
        status = cli.main(["links", *filled])
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["--url", "{server}/page"], 0),
        (["--url", "{server}/missing"], 0),
        (["--url", "{server}/missing", "--strict"], 1),
        (["--url", "{server}/status/503"], 3),
        (["--url", "{server}/page", "--url", "{server}/status/503"], 3),
    ],
)
def test_exit_status(command, words, status):
    assert command("--allow-private", "--json", *words)[0] == status


def test_without_the_test_flag_this_machine_is_out_of_reach(command, server):
    status, out, _err = command("--url", "{server}/page", "--strict", "--json")

    assert status == 1 and json.loads(out)["result"]["links"][0]["rule"] == "link-refused" and not server.log


@pytest.mark.parametrize(
    "words",
    [
        ["--nonsense"],
        ["no/such/folder"],
        ["x", "--url", "http://host.org/"],
        ["--record", "words"],
        ["--base", "http://x/"],
        ["--record", "w", "--url", "file:///x"],
    ],
)
def test_wrong_usage(command, words):
    status, out, err = command(*words)

    assert status == 2 and not out and err.count("\n") == 1


def test_reports_have_stable_fingerprints(command, tmp_path):
    def fingerprints(extra):
        name = tmp_path / "r.sarif"
        command(
            "--allow-private",
            "--strict",
            *extra,
            "--url",
            "{server}/missing",
            "--sarif",
            str(name),
            "--junit",
            str(tmp_path / "r.xml"),
        )
        run = json.loads(name.read_text())["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
        return {result["ruleId"]: result["partialFingerprints"]["cdnaEvidence/v1"] for result in run["results"]}

    first = fingerprints([])
    suite = ElementTree.parse(tmp_path / "r.xml").getroot()[0]

    assert set(first) == {"link-broken"} == set(fingerprints(["--url", "{server}/page"]))
    assert first == fingerprints(["--no-cache"])
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1") and suite[0][0].get("type") == "link-broken"


def test_junit_survives_any_text():
    text = reports.junit([reports.Item("link-broken", "error", "failed", "a<b>&\"'\x00\x1b\ud800", "]]>\x07")], "s<")

    assert ElementTree.fromstring(text.encode()).find(".//failure").get("type") == "link-broken"


def test_every_rule_has_one_meaning():
    assert all(meaning.endswith(".") for meaning in reports.RULES.values())
    assert len(set(reports.RULES.values())) == len(reports.RULES)


def test_site_command_blocks(command, tmp_path):
    (tmp_path / "index.html").write_bytes(PAGE)

    assert command(str(tmp_path))[0] == 0

    (tmp_path / "index.html").write_bytes(PAGE + b"\n<a href='gone.html'>x</a>")
    status, out, _err = command(str(tmp_path))

    assert status == 1 and "index.html:3: gone.html" in out


def test_empty_site_is_wrong_usage(command, tmp_path):
    assert command(str(tmp_path))[0] == 2


def test_addresses_of_texts(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(
        "See <https://a.org/x>, [b](https://b.org/y_(z)) and https://c.org/w.\n"
        "```\nhttps://in.code.org/\n```\n`https://also.code.org` ~~~ [d]: https://d.org/#f\n"
    )
    (tmp_path / "docs" / "b.html").write_text('<p>\n<a href="https://e.org/">e</a><a href="x">f</a>')

    found = [(one.url, one.file, one.line) for one in collect.from_texts(tmp_path)]

    assert found == [
        ("https://a.org/x", "docs/a.md", 1),
        ("https://b.org/y_(z)", "docs/a.md", 1),
        ("https://c.org/w", "docs/a.md", 1),
        ("https://d.org/#f", "docs/a.md", 5),
        ("https://e.org/", "docs/b.html", 2),
    ]
