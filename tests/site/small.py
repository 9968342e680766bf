# SPDX-License-Identifier: Apache-2.0
"""A register of two claims and one source, and results for one of them, for tests that need no real content."""

from cdna_evidence.register import load

SOURCE = """\
key: SRC-1
title: A source
kind: article
publisher: Somebody
url: https://example.org/source
date: 2026-01-01
owning_layer: isa
checked_area: Two sentences.
access: {state: read, date: 2026-02-01}
licence: not stated
errata:
  - {locator: line one, says: eight, correct: nine, basis: It is counted., date: 2026-02-01, claims: [TST-001]}
"""
CLAIMS = """\
- id: TST-001
  key: test.plain
  title: A plain claim about `count` & <more>
  targets: [gfx1250]
  layer: isa
  statement: >-
    The field `count` holds {number} and *not* _more_.
  boundary: Says nothing about TST-002 or about hardware.
  values: {gfx1250: {number: 7}}
  evidence:
    - {source: SRC-1, locator: "line 1", stance: supports}
  covers: []
  revision: 2
  status: active
  since: "2026.12"
- id: TST-002
  key: test.disputed
  title: A disputed claim
  targets: [gfx1250]
  layer: isa
  statement: It is {number}.
  safe: Write nine.
  boundary: Says nothing about hardware.
  positions:
    - {name: first, says: "It is {number}.", values: {gfx1250: {number: 1}}, evidence: [{source: SRC-1, locator: "p. 1", stance: supports}]}
    - {name: second, says: "It is {number}.", values: {gfx1250: {number: 2}}, evidence: [{source: SRC-1, locator: "p. 2", stance: supports}]}
  reading: {position: first, why: It comes first.}
  covers: []
  revision: 1
  status: disputed
  since: "2026.12"
"""


def register(root):
    """Return the small register, written below a directory."""
    for folder in ("sources", "claims", "vectors"):
        (root / "evidence" / folder).mkdir(parents=True)
    (root / "evidence/sources/src-1.yml").write_text(SOURCE)
    (root / "evidence/claims/test.yml").write_text(CLAIMS)
    return load(root)


def record(**changes):
    """Return one record of a results document, as `cdna check` writes it."""
    one = {
        "claim": "TST-001", "revision": 2, "target": "gfx1250", "position": None, "check": "checks/model/check_t.py::Seven",
        "kind": "model", "witness": None, "version": None, "digest": None, "tools": [], "origin": [], "outcome": "passed",
        "reason": None, "differences": [], "observed": {"number": 7}, "commands": [], "cached": None, "shows": "It is seven.",
        "not_shows": "Hardware.", "binds": ["number"], "date": "2026-11-29", "seconds": 0.1,
    }  # fmt: skip
    return {**one, **changes}


def results(*records):
    """Return a results document that holds these records."""
    about = {"date": "2026-11-29T00:00:00Z", "version": "2026.12", "commit": "abc", "tools": [], "seconds": 1.0, "partial": False}
    return {"schema": 1, "run": about, "records": list(records), "falsify": None}
