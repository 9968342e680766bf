# SPDX-License-Identifier: Apache-2.0
"""Links inside a built site: each planted fault is found, each right form passes."""

import os

import pytest

from cdna_evidence.links import internal

HEAD = '<html><head><link rel="canonical" href="https://site.org/kb/"></head><body>'
GOOD = HEAD + (
    '<a href="two/">t</a><a href="two/#part">p</a><a href="/kb/two/#Part%20B">b</a><a href="https://site.org/kb/two/">own</a>'
    '<a href="#top">top</a><a href="#">top</a><a href="">self</a><a href="?q=1">query</a><img src="pic.svg"><img srcset="pic.svg 1x, pic.svg 2x">'
    '<svg><a xlink:href="two/#part"></a><use href="pic.svg#shape"/></svg><a href="mailto:a@site.org">m</a><a href="data:,x">d</a>'
    '<a href="https://elsewhere.org/x">e</a><code>[x][y]</code><meta http-equiv="refresh" content="0; url=two/">'
)


def site(tmp_path, index=GOOD, **files):
    (tmp_path / "two").mkdir(exist_ok=True)
    (tmp_path / "index.html").write_text(index)
    (tmp_path / "two" / "index.html").write_text(
        '<p id="part"></p><p id="Part B"></p><a href="..">up</a><a href="../style.css">s</a>'.replace('".."', '"../"')
    )
    (tmp_path / "pic.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><g id="shape"/><a href="two/"/></svg>')
    (tmp_path / "style.css").write_text(
        "a { background: url('pic.svg') } /* url(gone.png) */ b { background: url(data:x) }"
    )
    (tmp_path / "404.html").write_text('<a href="/kb/two/">t</a>')
    return tmp_path


def test_right_site_has_no_broken_link(tmp_path):
    report = internal.check(site(tmp_path))

    assert report.broken == []
    assert [url for url, _file, _line in report.external] == ["https://elsewhere.org/x"]
    # Counted by hand: 15 in index.html with the canonical link, 2 in two/, 1 in the picture, 1 in the style sheet, 1 in 404.html.
    assert (report.pages, report.links) == (5, 20)


@pytest.mark.parametrize(
    ("planted", "rule"),
    [
        ('<a href="three/">x</a>', "internal-missing"),
        ('<a href="two">x</a>', "internal-missing"),
        ('<a href="two/index.htm">x</a>', "internal-missing"),
        ('<a href="Two/">x</a>', "internal-missing"),
        ('<a href="pic.svg/">x</a>', "internal-missing"),
        ('<a href="two/#nope">x</a>', "internal-anchor"),
        ('<a href="two/#Part">x</a>', "internal-anchor"),
        ('<a href="#nope">x</a>', "internal-anchor"),
        ('<img src="gone.png">', "internal-missing"),
        ('<img srcset="pic.svg 1x, gone.png 2x">', "internal-missing"),
        ('<script src="gone.js"></script>', "internal-missing"),
        ('<link rel="stylesheet" href="gone.css">', "internal-missing"),
        ('<svg><a href="#nope"/></svg>', "internal-anchor"),
        ('<svg><use xlink:href="pic.svg#nope"/></svg>', "internal-anchor"),
        ('<a href="https://site.org/kb/two/#nope">x</a>', "internal-anchor"),
        ('<a href="/two/">x</a>', "internal-outside"),
        ('<a href="../../etc/passwd">x</a>', "internal-outside"),
        ('<a href="../kbx/">x</a>', "internal-outside"),
        ('<a href="ftp://site.org/kb/">x</a>', "internal-missing"),
        ('<a href="http://[bad/">x</a>', "internal-missing"),
        ("<p>see [the text][ref]</p>", "internal-reference"),
        ('<meta http-equiv="refresh" content="0; url=three/">', "internal-missing"),
    ],
)
def test_planted_fault_is_found(tmp_path, planted, rule):
    report = internal.check(site(tmp_path, GOOD + "\n" + planted))

    assert [(one.rule, one.file, one.line) for one in report.broken] == [(rule, "index.html", 2)]


def test_fault_in_style_sheet_and_picture_is_found(tmp_path):
    top = site(tmp_path)
    (top / "style.css").write_text('\nb { background: url("gone.png") }')
    (top / "pic.svg").write_text('<svg><g id="shape"/><a href="three/"/></svg>')

    assert sorted((one.file, one.line) for one in internal.check(top).broken) == [("pic.svg", 1), ("style.css", 2)]


def test_exception_that_is_not_needed_is_an_error(tmp_path):
    top = site(tmp_path, GOOD + '<a href="three/">x</a>')

    assert internal.check(top, ignore=("three/",)).broken == []
    assert [one.rule for one in internal.check(top, ignore=("three/", "four/")).broken] == ["internal-exception"]


def test_versions_and_alias_are_one_tree(tmp_path):
    for version in ("2026.12", "2027.01"):
        (tmp_path / version).mkdir()
        (tmp_path / version / "index.html").write_text('<a id="x" href="/latest/#x">l</a><a href="../2026.12/">old</a>')
    os.symlink("2027.01", tmp_path / "latest")
    os.symlink("/etc", tmp_path / "outside")
    (tmp_path / "index.html").write_text('<a href="latest/">l</a><a href="outside/passwd">o</a>')

    report = internal.check(tmp_path)

    assert [(one.link, one.rule) for one in report.broken] == [("outside/passwd", "internal-missing")]
    assert report.pages == 3
