# SPDX-License-Identifier: Apache-2.0
"""A small register in a temporary folder, to break in one place at a time."""

import os
import subprocess
from pathlib import Path

import pytest

SOURCE = """\
# yaml-language-server: $schema=../schema/source.schema.json
key: BOOK
title: A book
kind: book
publisher: Somebody
url: https://example.org/book
owning_layer: isa
checked_area: All of it.
access: {state: read, date: 2026-12-01}
licence: not stated
"""
MANUAL = """\
key: MANUAL
title: The manual
kind: isa
publisher: A vendor
repository: https://example.org/repo
commit: 0123456789abcdef0123456789abcdef01234567
path: docs/manual.txt
owning_layer: isa
checked_area: Section 10.
access: {state: quoted, note: Not public.}
licence: not stated
pins:
  table-one: {lines: [10, 24], must_contain: [pad_interval]}
errata:
  - {locator: table 67, says: One., correct: Two., basis: The text., date: 2026-12-01, claims: [TDM-001]}
"""
CLAIMS = """\
# yaml-language-server: $schema=../schema/claims.schema.json
# A comment that stays.
- id: TDM-001
  key: tdm.pad.interval
  title: The interval is a code
  targets: [gfx1250]
  layer: isa
  statement: >-
    The smallest code pads after {dwords[0]} DWORDs
    and the largest after {dwords[2]}.
  boundary: Says nothing about hardware.   # a comment behind a value
  values: {gfx1250: {dwords: [2, 4, 8]}}
  evidence:
    - {source: MANUAL, locator: table 63, via: BOOK, stance: supports}
    - {source: MANUAL, pin: table-one, stance: supports}
  covers: [tdm.pad.interval]
  revision: 1
  status: active
  since: "2026.12"

# Between the claims.
- id: TDM-002
  key: tdm.count
  title: What count must hold
  targets: [gfx942, gfx950]
  layer: isa
  statement: Sources disagree; this project reads {one}.
  safe: Write count {one}.
  boundary: Does not say what a device does.
  positions:
    - name: must-be-one
      says: It must be {one}.
      values: {gfx942: {one: 1}, gfx950: {one: 1}}
      evidence: [{source: BOOK, locator: chapter 1, stance: supports}]
    - name: any-number
      says: It may be up to {one}.
      values: {gfx942: {one: 3}, gfx950: {one: 7}}
      evidence: [{source: BOOK, locator: chapter 2, stance: supports}]
  reading: {position: must-be-one, why: It is safe.}
  covers: []
  revision: 1
  status: disputed
  since: "2026.12"
"""


class Tree:
    """A register on disk."""

    chapter = "evidence/claims/tdm.yml"
    manual = "evidence/sources/manual.yml"

    def __init__(self, root):
        self.root = Path(root)
        for folder in ("sources", "claims", "vectors"):
            (self.root / "evidence" / folder).mkdir(parents=True)
        self.write("evidence/sources/book.yml", SOURCE)
        self.write(self.manual, MANUAL)
        self.write(self.chapter, CLAIMS)
        self.write("evidence/ids.lock", "")
        self.write("pyproject.toml", "")

    def write(self, name, content):
        (self.root / name).write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))

    def read(self, name=None):
        return (self.root / (name or self.chapter)).read_text("utf-8")

    def change(self, old, new, name=None):
        """Replace text that stands exactly once."""
        text = self.read(name)
        assert text.count(old) == 1, (text.count(old), old)
        self.write(name or self.chapter, text.replace(old, new))

    def problems(self):
        """Return every problem as its line, sorted as people see them."""
        from cdna_evidence.register import RegisterError, load

        try:
            load(self.root)
        except RegisterError as error:
            return str(error).split("\n")
        return []

    def git(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
        identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main"]
        done = subprocess.run(["git", *identity, "-C", str(self.root), *arguments], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def commit(self, message="x"):
        self.git("add", "-A")
        self.git("commit", "-qm", message)


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)


@pytest.fixture
def locked(tree):
    """A register whose ledger is written and committed."""
    from cdna_evidence.register import ledger, load

    _, problems = ledger.lock(load(tree.root))
    assert problems == []
    tree.git("init", "-q")
    tree.commit()
    return tree
