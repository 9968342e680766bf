# SPDX-License-Identifier: Apache-2.0
"""The style sheet and the configuration: contrast of every badge, one palette, nothing from another host."""

import pathlib
import re

import pytest
import yaml

from cdna_evidence import settings
from cdna_evidence.site import marks, svg

ROOT = settings.clone()
CSS = (ROOT / "docs/assets/cdna.css").read_text() if ROOT else ""
WORDS = ("measured", "corroborated", "executed", "modelled", "cited", "disputed", "failed", "withdrawn", "quiet", "md-typeset-a-color")
FILLS = ("f-tile", "f-tensor", "f-pad", "f-addr", "f-stride", "f-mode")


def palette(scheme):
    """The custom properties of one colour scheme."""
    block = re.search(r'\[data-md-color-scheme="' + scheme + r'"\] \{(.*?)\n\}', CSS, re.S).group(1)
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", block))


def luminance(colour):
    """Relative luminance of #rrggbb (WCAG 2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """Contrast ratio of two colours (WCAG 2)."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_computed_as_wcag_says():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("word", WORDS)
def test_words_are_readable(scheme, word):
    colours = palette(scheme)
    assert contrast(colours[word], colours["md-default-bg-color"]) >= 6.3


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("fill", FILLS)
def test_ink_on_figure_fills_is_readable(scheme, fill):
    colours = palette(scheme)
    assert contrast(colours["ink"], colours[fill]) >= 6.8


@pytest.mark.parametrize("scheme", ["default", "slate"])
def test_hot_cells_are_readable(scheme):
    colours = palette(scheme)
    assert contrast(colours["f-hot-ink"], colours["f-hot"]) >= 6


def test_a_word_on_a_hot_cell_has_its_ink():
    """The ink of the other fills is unreadable on this one, so whoever draws a box need not remember it."""
    (word,) = [shape for shape in marks.read(svg.svg("t", 20, 20, "a", "b", [marks.box(0, 0, 20, 20, "2", "f-hot")])) if shape.kind == "text"]
    assert "h" in word.classes
    colours = palette("default")
    assert contrast(colours["ink"], colours["f-hot"]) < 3 < 6 < contrast(colours["f-hot-ink"], colours["f-hot"])


def test_paper_is_light():
    """A dark page must not print light text: the dark colours are of the screen alone."""
    before = CSS[: CSS.index('[data-md-color-scheme="slate"] {')]
    assert before.count("{") - before.count("}") == 1
    assert before[before.rindex("@media") :].startswith("@media screen {")


def test_both_schemes_name_the_same_colours():
    assert set(palette("default")) == set(palette("slate"))


def test_nothing_is_fetched_from_another_host():
    for path in (ROOT / "docs/assets").iterdir():
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|url\((?!\s*['\"]?data:)", text), path.name


def test_the_configuration_is_strict_and_offline():
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    assert config["strict"] is True and config["theme"]["font"] is False
    assert "navigation.instant" not in config["theme"]["features"]
    assert {level for part in config["validation"].values() for level in part.values()} == {"warn"}
    plugins = {next(iter(plugin)) if isinstance(plugin, dict) else plugin for plugin in config["plugins"]}
    assert {"search", "cdna-evidence"} <= plugins
    assert not plugins & {"privacy", "social", "gen-files", "literate-nav", "macros"}


def test_the_pages_name_no_machine_path():
    for path in (ROOT / "docs").rglob("*.md"):
        assert not re.search(r"(?<![\w./])/(work|tmp|root|home)/", path.read_text()), path.name
    assert pathlib.Path(ROOT / "docs/licences.md").is_file()
