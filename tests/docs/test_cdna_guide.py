# SPDX-License-Identifier: Apache-2.0
"""The porting guide: every command prints what its page shows, every line of a checklist links a claim, every table's links resolve.

When the wording of the command line changed on purpose, `python tests/docs/test_cdna_guide.py` writes the new outputs into the pages.
"""

import importlib.util
import pathlib
import re

import pytest

from cdna.wmma import occupancy
from cdna_evidence import settings
from cdna_evidence.register import load

ROOT = settings.root()
PAGES = sorted((ROOT / "docs" / "cdna").glob("*.md"))
_spec = importlib.util.spec_from_file_location("guide", pathlib.Path(__file__).with_name("test_guide.py"))
guide = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(guide)
SHOWN = [(page.name, command, output) for page in PAGES for command, output in guide.commands(page)]
CLAIM = re.compile(r"\[\[(?:see|claim):([A-Z0-9]+-[0-9]+)\]\]")
SIGNS = re.compile(r"\b(simply|just|obviously|guarantee[sd]?)\b|!(?!\[)")


def test_the_guide_has_its_chapters():
    assert {page.stem for page in PAGES} >= {
        "index", "evidence-rules", "lds", "global-to-lds", "waits", "transpose", "targets", "formats", "matrix",
        "mfma-audit", "inconsistencies", "docs-errors", "porting-350", "porting-450", "mi450",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "command", "shown"), SHOWN, ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(SHOWN)])
def test_a_command_prints_what_its_page_shows(name, command, shown):
    status, printed = guide.run(command)
    if "asm" in command.split() and status == 3:
        pytest.skip(f"no assembler here: {printed}")
    assert guide._kept(printed) == guide._kept(shown), f"{name}: {command}"


@pytest.mark.parametrize("name", ["porting-350.md", "porting-450.md", "mi450.md"])
def test_every_line_of_a_checklist_links_a_claim(name):
    lines = [line for line in (ROOT / "docs" / "cdna" / name).read_text(encoding="utf-8").splitlines() if re.match(r"\d+\. ", line)]
    assert len(lines) >= 15
    assert [line for line in lines if not CLAIM.search(line)] == []


def test_the_example_of_waves_is_what_the_model_counts():
    text = (ROOT / "docs" / "cdna" / "mi450.md").read_text(encoding="utf-8")
    (found,) = re.findall(r"min\((\d+), 1024 div .* min\((\d+), \.\.\.\): (\d+) registers count as (\d+) and leave (\d+) waves, or (\d+)\.", text)
    most, other, count, rounded, waves, fewer = map(int, found)
    assert {"llvm-sixteen": most, "rocisa-ten": other} == dict(occupancy.SLOTS)
    assert (occupancy.blocks(count) + 1) * occupancy.GRANULE == rounded
    assert (occupancy.waves(count), occupancy.waves(count, "rocisa-ten")) == (waves, fewer)


def test_every_mistake_says_what_we_go_by():
    text = (ROOT / "docs" / "cdna" / "docs-errors.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    rows = [row for row in rows if row[0] != "Who says it"]
    assert len(rows) >= 20
    ranks = {"manual", "compiler source", "vendor article", "vendor page", "measurement by others", "comment"}
    assert {row[1] for row in rows} <= ranks
    assert [row for row in rows if len(row) != 4 or not row[3].strip()] == []


def test_claims_of_the_guide_stand():
    register = load()
    named = {(page.name, name) for page in PAGES for name in CLAIM.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 100
    assert [item for item in sorted(named) if item[1] not in register.claims] == []


def test_tone():
    found = []
    for page in PAGES:
        text = re.sub(r"```.*?```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.S)
        found += [f"{page.name}: {match.group()}" for match in SIGNS.finditer(text)]
    assert found == []


if __name__ == "__main__":
    guide.PAGES = PAGES
    guide.refresh()
