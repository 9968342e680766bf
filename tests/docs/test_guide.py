# SPDX-License-Identifier: Apache-2.0
"""The guide's pages: every command prints what the page shows, every assembly line is accepted, every rule is in the checklist.

When the wording of the command line changed on purpose, `python tests/docs/test_guide.py` writes the new outputs into the pages.
"""

import os
import re
import subprocess
import sys

import pytest

from cdna_evidence import settings

ROOT = settings.root()
PAGES = sorted((ROOT / "docs" / "tdm").glob("*.md")) + [ROOT / "docs" / "glossary.md"]
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)
ASSEMBLY = re.compile(r"^```asm\n(.*?)^```$", re.S | re.M)
RULE = re.compile(r'\b(?:error|warning|note)\(\s*"([a-z0-9-]+)"')


def rules():
    """Return the names of the linter's rules."""
    home = ROOT / "model" / "cdna" / "tdm"
    texts = [path.read_text(encoding="utf-8") for path in [*home.glob("rules*.py"), home / "sequence.py"]]
    return {name for text in texts for name in RULE.findall(text)}


def commands(page):
    """Return (command, output) of every `$` line of a page's console blocks; a here-document belongs to its command."""
    found = []
    for block in CONSOLE.findall(page.read_text(encoding="utf-8")):
        lines = block.rstrip("\n").split("\n")
        while lines:
            command = [lines.pop(0).removeprefix("$ ")]
            if command[0].endswith("<<'END'"):
                command += lines[: lines.index("END") + 1]
                lines = lines[lines.index("END") + 1 :]
            shown = []
            while lines and not lines[0].startswith("$ "):
                shown.append(lines.pop(0))
            found.append(("\n".join(command), "\n".join(shown)))
    return found


def run(command):
    """Return exit status and output of a shell command in which `cdna` is the one of this environment."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    settled = {**os.environ, "PATH": path, "NO_COLOR": "1"}
    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=600, env=settled)
    return ran.returncode, (ran.stdout + ran.stderr).rstrip("\n")


def refresh():
    """Write what the commands print now into the pages."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for command, shown in commands(page):
            text = text.replace(f"$ {command}\n{shown}\n", f"$ {command}\n{run(command)[1]}\n")
        page.write_text(text, encoding="utf-8")


SHOWN = [(page.name, command, output) for page in PAGES for command, output in commands(page)]


def test_the_guide_shows_commands():
    assert {name for name, _, _ in SHOWN} >= {
        "driving.md",
        "edges.md",
        "padding.md",
        "gather.md",
        "iterate.md",
        "checklist.md",
    }


@pytest.mark.parametrize(
    ("name", "command", "shown"), SHOWN, ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(SHOWN)]
)
def test_a_command_prints_what_its_page_shows(name, command, shown):
    status, printed = run(command)
    if "asm" in command.split() and status == 3:
        pytest.skip(f"no assembler here: {printed}")
    assert _kept(printed) == _kept(shown), f"{name}: {command}"


def _kept(text):
    """Leave out how many answers came from the cache: that differs from run to run."""
    return re.sub(r"\d+ computed now, \d+ kept", "", text)


def test_every_assembly_line_of_the_guide_is_accepted():
    from cdna_evidence.witnesses import Missing, get

    lines = []
    for page in PAGES:
        for block in ASSEMBLY.findall(page.read_text(encoding="utf-8")):
            lines += [line.split(";")[0].strip() for line in block.splitlines()]
    lines = [line for line in lines if line and not line.endswith(":")]
    assert "tensor_load_to_lds s[0:3], s[4:11]" in lines
    try:
        clang = get("clang")
    except Missing as missing:
        pytest.skip(str(missing))
    answers = clang.assemble("gfx1250", lines)
    assert [line for line, answer in zip(lines, answers, strict=True) if answer.accepted is not True] == []


def test_the_checklist_names_every_rule_of_the_linter_and_no_other():
    named = set()
    for line in (ROOT / "docs" / "tdm" / "checklist.md").read_text(encoding="utf-8").splitlines():
        cells = line.split(" | ")
        if line.startswith("| ") and len(cells) == 4:
            named |= set(re.findall(r"`([a-z0-9]+(?:-[a-z0-9]+)+)`", cells[2]))
    assert named == rules()


def test_rules_named_in_running_text_exist():
    for page in PAGES:
        for sentence in re.findall(
            r"(?:lint`|linter) (?:says|mentions it as) ([^.]*)\.", page.read_text(encoding="utf-8")
        ):
            assert set(re.findall(r"`([a-z0-9-]+)`", sentence)) <= rules(), page.name


if __name__ == "__main__":
    refresh()
