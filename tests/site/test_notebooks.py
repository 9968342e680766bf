# SPDX-License-Identifier: Apache-2.0
"""Notebooks: what they show agrees with the register, a failing one fails the build, and kernels leave nothing behind."""

import html
import json
import os
import pathlib
import re
import shutil
import sys

import pytest
import yaml

from cdna_evidence import settings
from cdna_evidence.cli import main
from cdna_evidence.register import load

pytest.importorskip("mkdocs_jupyter", reason="the extra `site` is not installed")

from cdna_evidence.site import notebooks
from cdna_evidence.site.extension import SiteError

ROOT = settings.clone()
NAMES = ("ragged", "padding", "depth")


def kernels():
    """The processes of this test run that are kernels."""
    import psutil

    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if "ipykernel_launcher" in process.cmdline():
                found.append(process.pid)
        except psutil.NoSuchProcess:
            continue
    return found


@pytest.fixture(scope="module")
def results(built):
    """The printed results of each notebook page."""
    found = {}
    for name in NAMES:
        page = (pathlib.Path(built) / "notebooks" / name / "index.html").read_text()
        blocks = re.findall(r'<div class="cdna-output cdna-result"[^>]*>\s*<pre>(.*?)</pre>', page, re.S)
        found[name] = html.unescape("\n".join(blocks))
    return found


@pytest.fixture(scope="module")
def values():
    """The values that a claim publishes for gfx1250."""
    register = load(ROOT)
    return lambda identity: register.claims[identity].values_for("gfx1250")


def test_every_notebook_is_a_page(built):
    sources = {path.stem for path in (ROOT / "docs/notebooks").glob("*.py")}
    assert sources == set(NAMES)
    assert kernels() == []


def test_ragged_shows_the_bounds_of_the_article(results, values):
    rows = re.findall(r"^ *(\d+) +0 +0x[0-9a-f]+ +(\d+) +10$", results["ragged"], re.M)
    published = values("TDM-046")
    assert [int(bound) for _, bound in rows] == published["bounds"]
    assert [int(column) for column, _ in rows] == [0, 16, 32]
    # The last tile of row 8: eight columns of the matrix, then zeros, as the article's last tile has them in row 0.
    last = [value + 800 if value else 0 for value in published["last_tile"]]
    assert " ".join(f"{value:4}" for value in last) in results["ragged"]
    # The forgotten bound reads the next row: its elements 0 to 7 are 100 to 107.
    assert " ".join(f"{value:4}" for value in [*range(32, 40), *range(100, 108)]) in results["ragged"]
    assert "group 1 word 1: 00180000 -> 00080000" in results["ragged"]  # 24 and 8 in the upper half


def test_padding_shows_the_numbers_of_the_claims(results, values):
    published = values("TDM-039")
    code = values("TDM-031")["dwords_by_code"].index(published["row_bytes"] // 4)
    text = results["padding"]
    assert f"pad_interval code {code}  pad_amount code 7" in text and "row stride 288 bytes" in text
    banks = published["start_banks"]
    assert f"{published['rows']} rows start in {banks['packed']} bank packed, in 8 banks padded" in text
    # triton-lang/triton 9741: pad by twice the elements of a lane, here 2 * 8 halfwords, so that two groups of eight lanes are apart.
    assert "smallest gap with the least degree: 8 DWORDs" in text
    # 16 rows in the same eight of 64 banks; spread evenly, 32 lanes of 16 bytes are 128 DWORDs over 64 banks, 16 lanes fill them once.
    rows = re.findall(r"^ *(\d+) +(\d+) +(\d+) +(\d+) +\d+$", text, re.M)
    found = {int(gap): tuple(int(n) for n in rest) for gap, *rest in rows}
    assert (found[0], found[4], found[8]) == ((256, 16, 8), (272, 2, 2), (288, 2, 1))
    assert "product equal to the triple loop for all 128 columns" in text


def test_padding_says_that_the_groups_are_not_measured():
    text = (ROOT / "docs/notebooks/padding.py").read_text()
    assert "nobody has published a measurement of them" in text and "**stated and not measured**" in text


def test_depth_shows_the_example_of_the_guide(results, values):
    guide = (ROOT / "docs/tdm/pipeline.md").read_text()
    needed, two = re.search(r"3300 / 1000, so (\d+) slots\. With two slots the same step takes (\d+)", guide).groups()
    text = results["depth"]
    assert f"buffers needed: {needed}\n" in text
    assert re.search(rf"^2 buffers: +{two} from tile to tile", text, re.M)
    # K = 32: 16384 bytes at 32 a cycle and 128 * 128 * 32 multiply-adds at 1024 a cycle are 512 cycles each.
    assert re.search(r"^ 32 +16384 +20480 +512 +512 +16$", text, re.M)
    table = dict(re.findall(r"^ *(\d+) +(\d+) +\d+ +\d+ *$", text, re.M))
    assert table["0"] == "2" and table["8000"] == str(-(-(8000 + 1024) // 512))


def test_pages_are_as_light_and_plain_as_others(built):
    for name in NAMES:
        page = (pathlib.Path(built) / "notebooks" / name / "index.html").read_text()
        assert len(page) < 200_000
        for word in ("jp-Cell", "MathJax", "mathjax", "mermaid", "cell-id=", "SPDX", "clipboard-copy", "[[claim", "[[see"):
            assert word not in page, (name, word)
        assert (pathlib.Path(built) / "notebooks" / name / f"{name}.py").is_file()
        assert page.count('class="cdna-svg"') >= 1 and page.count("<title id=") == page.count("<desc id=") >= 1
    claim = (pathlib.Path(built) / "claims/TDM-046/index.html").read_text()
    assert 'href="../../notebooks/ragged/"' in claim, "a claim's page says which notebook uses it"


def test_the_configuration_executes_and_tolerates_nothing():
    plugins = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["plugins"]
    names = [next(iter(plugin)) if isinstance(plugin, dict) else plugin for plugin in plugins]
    assert names.index("mkdocs-jupyter") < names.index("cdna-evidence")
    options = plugins[names.index("mkdocs-jupyter")]["mkdocs-jupyter"]
    assert options["include"] == ["notebooks/*.py"]
    assert options["execute"] is True and options["allow_errors"] is False and options["cache"] is False
    assert options["custom_mathjax_url"].startswith("data:")


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A copy of what a build needs, as the working directory."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copytree(ROOT / "evidence", tmp_path / "evidence", ignore=shutil.ignore_patterns("cdna_evidence"))
    for name in ("mkdocs.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_failing_notebook_fails_the_build(clone, capfd):
    path = clone / "docs/notebooks/ragged.py"
    path.write_text(path.read_text().replace("COLUMNS, ROWS = 40, 10", "COLUMNS, ROWS = 40, 10\nassert COLUMNS == 41, 'forty'"))
    assert main(["site", "build"]) == 1
    error = capfd.readouterr().err
    assert "notebooks/ragged.py" in error and "AssertionError: forty" in error
    assert "mkdocs" not in error.split("AssertionError")[-1].lower(), "no traceback of the machinery"
    assert "\x1b[" not in error
    assert kernels() == []


def run(tmp_path, source):
    """The page that mkdocs-jupyter makes of one code cell, in the environment of a build."""
    from mkdocs_jupyter import convert

    path = tmp_path / "one.py"
    path.write_text("# %%\n" + source)
    with notebooks.environment():
        page = convert.nb2html(str(path), execute=True, allow_errors=False, custom_mathjax_url="data:text/javascript,")
    return html.unescape(re.sub(r"<[^>]*>", "", notebooks.plain(page, "notebooks/one.py", lambda source: None)))


def test_an_endless_cell_ends_and_its_kernel_too(tmp_path, monkeypatch):
    monkeypatch.setattr(notebooks, "SECONDS", 1)
    with pytest.raises(Exception) as caught:
        run(tmp_path, "while True:\n    pass\n")
    assert "a notebook failed" in notebooks.failure(caught.value)
    assert kernels() == []


def test_the_kernel_is_this_python_whatever_the_home_says(tmp_path, monkeypatch):
    home = tmp_path / "home"
    spec = home / ".local/share/jupyter/kernels/python3/kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text(json.dumps({"argv": ["false", "{connection_file}"], "display_name": "x", "language": "python"}))
    startup = home / ".ipython/profile_default/startup/00.py"
    startup.parent.mkdir(parents=True)
    startup.write_text("raise SystemExit('the user said so')")
    before = sorted(home.rglob("*"))
    monkeypatch.setenv("HOME", str(home))
    for name in ("JUPYTER_PATH", "JUPYTER_DATA_DIR", "IPYTHONDIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    text = run(tmp_path, "import sys, cdna\nprint('kernel', sys.executable, cdna.__file__)\n")
    import cdna

    assert f"kernel {sys.executable} {cdna.__file__}" in text
    assert sorted(home.rglob("*")) == before
    assert kernels() == []


def test_a_home_that_cannot_be_written(tmp_path, monkeypatch):
    """The home is below a file, so that nobody can make it, not even root."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "file/home"))
    assert "two 2" in run(tmp_path, "print('two', 1 + 1)\n")


def test_the_environment_is_put_back(monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", "mine")
    monkeypatch.delenv("IPYTHONDIR", raising=False)
    with notebooks.environment():
        place = os.environ["IPYTHONDIR"]
        assert os.environ["JUPYTER_PATH"] != "mine" and os.path.isdir(place)
    assert os.environ["JUPYTER_PATH"] == "mine" and "IPYTHONDIR" not in os.environ
    assert not os.path.exists(place)


def test_plain_keeps_content_and_drops_the_rest():
    known = {"tdm/edges.md": "../../tdm/edges/", "claims/TDM-046.md": "../../claims/TDM-046/"}
    made = notebooks.plain(
        '<style>a{}</style><script>1 < 2</script><div class="jupyter-wrapper"><div class="jp-Cell" id="cell-id=1">'
        '<div class="jp-InputPrompt jp-x">In [1]:<br></div><h2 id="a-b">A &lt; B &#8212; C<a class="anchor-link" href="#a-b">¶</a></h2>'
        '<p><a href="../tdm/edges.md#the-rule">edges</a> <a href="https://example.org/x.md">x</a></p></div>'
        '<div class="highlight-ipynb hl-python"><pre><span class="n">x</span></pre></div></div>'
        '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg><table><tr><td>1</td></tr></table>',
        "notebooks/one.py",
        known.get,
    )
    assert made.startswith('<h2 id="a-b">A &lt; B &#8212; C<a class="headerlink" href="#a-b" title="Permanent link">¶</a></h2>')
    assert 'href="../../tdm/edges/#the-rule"' in made and 'href="https://example.org/x.md"' in made
    assert '<div class="highlight"><pre><code><span class="n">x</span></code></pre></div>' in made
    assert '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>' in made and '<table class="cdna-table">' in made
    assert 'href="one.py"' in made
    for word in ("style>", "script", "jp-", "cell-id", "In [1]"):
        assert word not in made


@pytest.mark.parametrize(
    ("markup", "word"),
    [
        ('<p><a href="../tdm/nowhere.md">x</a></p>', "there is no page tdm/nowhere.md"),
        ('<p><a href="../../tdm/edges/">x</a></p>', "there is no page"),
        ("<p>[[claim:TDM-031]]</p>", "do nothing in a notebook"),
        ("<p>x</div>", "closes nothing"),
    ],
)
def test_plain_refuses_what_would_be_wrong_on_the_page(markup, word):
    with pytest.raises(SiteError) as caught:
        notebooks.plain(markup, "notebooks/one.py", {}.get)
    assert word in str(caught.value) and "notebooks/one.py" in str(caught.value)


def test_folded_code_is_shown_on_demand():
    cell = '<div class="jp-Cell celltag_fold"><div class="highlight-ipynb"><pre>a</pre></div></div>'
    made = notebooks.plain(cell + cell.replace(" celltag_fold", ""), "notebooks/one.py", {}.get)
    assert made.count("<details") == made.count("</details>") == 1
    assert made.index("</details>") < made.rindex('<div class="highlight">')
