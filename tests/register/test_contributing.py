# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING, "Add a claim in ten minutes": followed word for word in a copy of the register."""

import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CDNA = [sys.executable, "-c", "import sys; from cdna_evidence.cli import main; sys.exit(main())"]


def blocks():
    """Return the code blocks of the walk, in order."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    text = text[text.index("## Add a claim in ten minutes") : text.index("## Change, split")]
    return [textwrap.dedent(body) for body in re.findall(r"^ *```\w+\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)]


def cdna(line, folder):
    words = shlex.split(line, comments=True)
    assert words[0] == ".venv/bin/cdna"
    done = subprocess.run([*CDNA, *words[1:]], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_the_walk_works_as_written(tmp_path):
    """Issue an id, say one thing, say who says so, write a check, run it, falsify it."""
    issue, statement, source, check, run = blocks()
    shutil.copytree(ROOT / "evidence", tmp_path / "evidence", ignore=shutil.ignore_patterns("cdna_evidence"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "checks" / "model").mkdir(parents=True)

    status, out, err = cdna(issue.replace("\\\n", " "), tmp_path)
    assert status == 0, err
    claim = re.match(r"TDM-\d+", out)[0]

    chapter = tmp_path / "evidence" / "claims" / "tdm-padding.yml"
    before, skeleton = chapter.read_text("utf-8").split(f"- id: {claim}")
    start, end = skeleton.index("  statement:"), skeleton.index("  covers:")
    filled = skeleton[:start] + textwrap.indent(statement, "  ") + textwrap.indent(source, "  ") + skeleton[end:]
    chapter.write_text(before + f"- id: {claim}" + filled, "utf-8")
    named = re.search(r'claim = "(TDM-\d+)"', check)[1]
    (tmp_path / "checks" / "model" / "check_practice.py").write_text(check.replace(named, claim), "utf-8")

    passes, falsify, lock, *_ = run.replace(named, claim).splitlines()
    status, out, err = cdna(passes, tmp_path)
    assert (status, "1 passed, 0 failed" in out) == (0, True), out + err
    status, out, err = cdna(falsify, tmp_path)
    assert (status, "3 killed, 0 survived" in out) == (0, True), out + err
    assert lock.startswith(".venv/bin/cdna claim lock")
