# SPDX-License-Identifier: Apache-2.0
"""`cdna site build`: where it says the site is, what it refuses, and how a broken page fails."""

import json
import pathlib
import shutil

import pytest

from cdna_evidence import settings
from cdna_evidence.cli import main

pytest.importorskip("material", reason="the extra `site` is not installed")


def test_wrong_usage(capsys, tmp_path):
    for argv, word in (
        ([], "action"),
        (["destroy"], "invalid choice"),
        (["serve", "--port", "0"], "1..65535"),
        (["serve", "--json"], "neither"),
        (["build", "--output", str(pathlib.Path(settings.clone()))], "a new or empty directory"),
    ):
        assert main(["site", *argv]) == 2
        assert word in capsys.readouterr().err


def test_a_directory_with_other_files_is_not_emptied(capsys, tmp_path):
    (tmp_path / "mine.txt").write_text("keep")
    assert main(["site", "build", "--output", str(tmp_path)]) == 2
    assert (tmp_path / "mine.txt").read_text() == "keep"
    capsys.readouterr()


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A copy of what a build needs, as the working directory."""
    root = settings.clone()
    shutil.copytree(root / "docs", tmp_path / "docs")
    shutil.copytree(root / "evidence", tmp_path / "evidence", ignore=shutil.ignore_patterns("cdna_evidence"))
    shutil.copy(root / "pyproject.toml", tmp_path)
    # The notebooks have tests of their own, and running them takes longer than the rest of a build.
    settled = (root / "mkdocs.yml").read_text().replace("execute: true", "execute: false")
    (tmp_path / "mkdocs.yml").write_text(settled)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_build_without_results_says_so_and_shows_no_badge(clone, capsys):
    assert main(["site", "build", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["result"]
    assert result["results"] is False and result["pages"] > 20
    page = pathlib.Path(result["page"])
    assert page == clone / "build/site/index.html" and page.is_file()
    for path in page.parent.rglob("*.html"):
        html = path.read_text()
        for facet in ("modelled", "executed", "corroborated", "measured"):
            assert f"cdna-chip cdna-glyph cdna-g-{facet}" not in html, path


@pytest.mark.parametrize(
    ("page", "old", "new", "word"),
    [
        ("tdm/descriptor.md", "[[claim:TDM-031]]", "[[claim:TDM-999]]", "unknown claim 'TDM-999'"),
        ("tdm/descriptor.md", "::claim TDM-033", "::claim TDM-010", "stands twice"),
        ("tdm/descriptor.md", "(#edges)", "(#edgez)", "edgez"),
        ("index.md", "(evidence.md)", "(nowhere.md)", "nowhere.md"),
        ("index.md", "tdm/descriptor.md#the-registers", "claims/TDM-031.md#nowhere", "nowhere"),
    ],
)
def test_a_broken_page_fails_the_build_with_a_message(clone, capfd, page, old, new, word):
    text = (clone / "docs" / page).read_text()
    assert old in text
    (clone / "docs" / page).write_text(text.replace(old, new, 1))
    assert main(["site", "build"]) == 1
    out, err = capfd.readouterr()
    assert word in out + err
    assert "Traceback" not in out + err


def test_outside_a_clone(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(settings, "clone", lambda: None)
    assert main(["site", "build"]) == 3
    assert "clone" in capsys.readouterr().err
