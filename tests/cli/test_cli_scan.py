# SPDX-License-Identifier: Apache-2.0
"""`cdna scan`: the citations in somebody's source tree, and what became of each claim."""

import importlib.util
import io
import json
import sys
from pathlib import Path

import pytest

from cdna_evidence.cite import FORMS
from cdna_evidence.cli import main

HERE = Path(__file__).resolve()


@pytest.fixture
def tree(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("register_trees", HERE.parents[1] / "register" / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    tree = module.Tree(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert main(["claim", "lock"]) == 0
    tree.git("init", "-q")
    tree.commit()
    (tmp_path / "src").mkdir()
    return tree


@pytest.fixture
def scan(tree, capsys):
    """Write a text into src/kernel.cpp and return (status, citations, findings) of a scan of src."""

    def run(text, *paths):
        (tree.root / "src" / "kernel.cpp").write_bytes(text if isinstance(text, bytes) else text.encode())
        capsys.readouterr()
        status = main(["scan", *(paths or ("src",)), "--json"])
        document = json.loads(capsys.readouterr().out)
        assert (document["schema"], document["command"], document["target"]) == (1, "scan", None)
        return status, document["result"]["citations"], document["findings"]

    return run


def states(citations):
    return [(item["id"], item["revision"], item["state"]) for item in citations]


def test_a_citation_is_told_with_its_place_and_page(scan):
    status, (item,), findings = scan("int x;\n  // see TDM-001 r1\n")

    assert (status, findings) == (0, [])
    assert (item["line"], item["column"]) == (2, 10)
    assert Path(item["file"]) == Path("src/kernel.cpp")
    assert (item["id"], item["revision"], item["state"], item["current_revision"]) == ("TDM-001", 1, "current", 1)
    assert item["url"].endswith("/claims/TDM-001/")


@pytest.mark.parametrize("form", FORMS)
def test_what_cite_prints_is_found_and_current(scan, capsys, form):
    """The address repeats the id: that is one citation, not two. BibTeX has three lines with an id."""
    assert main(["cite", "TDM-001", "--as", form]) == 0
    status, citations, findings = scan(capsys.readouterr().out)

    assert (status, findings) == (0, [])
    assert {(item["id"], item["state"]) for item in citations} == {("TDM-001", "current")}
    assert len(citations) == (3 if form == "bibtex" else 1)
    assert {item["revision"] for item in citations} >= ({None} if form == "url" else {1})


def test_a_stable_address_tells_the_revision(scan):
    assert states(scan("# https://example.org/c/TDM-001/r1 and /c/TDM-001")[1]) == [("TDM-001", 1, "current")]


def test_a_claim_in_dispute_is_a_warning(scan):
    status, citations, (finding,) = scan("// TDM-002 r1")

    assert (status, states(citations)) == (0, [("TDM-002", 1, "disputed")])
    assert (finding["severity"], finding["claim"], finding["rule"]) == ("warning", "TDM-002", "citation-disputed")


def test_an_old_revision_is_outdated(tree, scan):
    """The meaning changed since: whoever cites r1 has to look again. Whoever cites no revision cannot be told so."""
    tree.change("covers: [tdm.pad.interval]\n  revision: 1", "covers: [tdm.pad.interval]\n  revision: 2")
    status, citations, findings = scan("// TDM-001 r1\n// TDM-001 r2\n// TDM-001\n")

    assert status == 1
    assert states(citations) == [("TDM-001", 1, "outdated"), ("TDM-001", 2, "current"), ("TDM-001", None, "current")]
    assert [(item["rule"], item["severity"]) for item in findings] == [("citation-outdated", "error")]


def test_two_revisions_on_a_line_are_two_citations(tree, scan):
    tree.change("covers: [tdm.pad.interval]\n  revision: 1", "covers: [tdm.pad.interval]\n  revision: 2")

    assert states(scan("TDM-001 r2, before that TDM-001 r1")[1]) == [
        ("TDM-001", 2, "current"),
        ("TDM-001", 1, "outdated"),
    ]


def test_a_withdrawn_claim_says_when_and_why(scan):
    assert main(["claim", "withdraw", "TDM-001", "--reason", "It was wrong."]) == 0
    status, citations, (finding,) = scan("// TDM-001 r1")

    assert (status, states(citations)) == (1, [("TDM-001", 1, "withdrawn")])
    assert "It was wrong." in finding["message"]


def test_a_superseded_claim_names_its_successor(scan):
    assert main(["claim", "withdraw", "TDM-001", "--reason", "Split.", "--successor", "TDM-002"]) == 0
    status, (item,), (finding,) = scan("// TDM-001 r1")

    assert (status, item["state"], item["superseded_by"]) == (1, "superseded", ["TDM-002"])
    assert "TDM-002" in finding["message"]


@pytest.mark.parametrize(
    ("text", "status", "severity"),
    [
        ("TDM-777 r1", 1, "error"),
        ("TDM-001 r9", 1, "error"),
        ("TDM-001 r0", 1, "error"),
        ("the TDM-777 part", 0, "warning"),
    ],
)
def test_what_was_never_issued_is_unknown(scan, text, status, severity):
    """An id alone may be no citation, as GFX-950 is a chip: only with a revision is it an error."""
    got, (item,), (finding,) = scan(text)

    assert (got, item["state"], finding["severity"]) == (status, "unknown", severity)


@pytest.mark.parametrize(
    "text", ["ISO-8601", "xTDM-001", "TDM-001-b", "tdm-001", "TDM-01", "TDM-00001", "MY-TDM-001", ""]
)
def test_what_is_no_citation_is_none(scan, text):
    assert scan(text) == (0, [], [])


def test_a_tree_is_read_without_what_is_hidden_installed_or_no_text(tree, scan, capsys):
    for name in (".git/x", "a/.venv/x.py", "node_modules/x.js", "__pycache__/x"):
        path = tree.root / "src" / name
        path.parent.mkdir(parents=True)
        path.write_text("TDM-777 r1")
    (tree.root / "src" / "a" / "program").write_bytes(b"\xff\xfeTDM-777 r1")
    (tree.root / "src" / "a" / "gone").symlink_to("nowhere")
    status, citations, _ = scan("// TDM-001 r1", "src", "src/kernel.cpp")

    assert (status, states(citations)) == (0, [("TDM-001", 1, "current")])
    assert main(["scan", "src"]) == 0
    assert capsys.readouterr().out == "1 citation in 1 file: 1 current; 1 that are no UTF-8 text were skipped\n"


def test_standard_input(tree, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"TDM-777 r1\r\n")))

    assert main(["scan", "-"]) == 1
    assert "error: standard input:1:1: TDM-777 r1: " in capsys.readouterr().out


@pytest.mark.parametrize("words", [[], ["nowhere"], ["src/binary"], ["--depth", "2", "src"]])
def test_wrong_usage_is_exit_2_and_one_message(tree, capsys, words):
    (tree.root / "src" / "binary").write_bytes(b"\xff")
    capsys.readouterr()
    status = main(["scan", *words])
    out, err = capsys.readouterr()

    assert (status, out) == (2, "")
    assert err.startswith("cdna scan: ")
    assert err.count("\n") == 1
