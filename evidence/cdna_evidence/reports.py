# SPDX-License-Identifier: Apache-2.0
"""Reports of pins and links for programs: JUnit and SARIF, with rule ids and fingerprints that stay from run to run."""

import hashlib
import json
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from cdna_evidence import __version__, settings
from cdna_evidence.cli.output import Usage
from cdna_evidence.register.files import write_whole

OUTCOMES = ("passed", "failed", "cantTell", "inapplicable", "untested")
#: Every rule id, once issued, keeps its meaning. rule -> what it says.
RULES = {
    "pin-unlisted": "A pinned citation was neither read nor listed as unread.",
    "pin-unread": "A pinned citation was never read; the list says since when and why.",
    "pin-stale": "The register asks for other identifiers than those found when the lines were read.",
    "pin-changed": "The pinned lines are not those that were read.",
    "pin-blob": "The pinned file is not the one that was read.",
    "pin-identifier": "An identifier that must stand in the pinned lines does not.",
    "pin-range": "The pinned file has fewer lines than the citation names.",
    "pin-path": "The pinned commit has no such file.",
    "pin-unreachable": "The pinned file could not be read from here.",
    "pin-conflict": "Two entries of the lock give one file two contents.",
    "pin-lock-unneeded": "The lock holds lines that nothing cites.",
    "pin-list-unneeded": "The list of unread pins names something that is cited by nothing, or was read.",
    "pin-moved": "The newer revision still says it, on other lines.",
    "pin-drift-changed": "The newer revision has the identifiers, but other lines.",
    "pin-drift-gone": "The newer revision does not have it any more.",
    "link-broken": "The host answers that the page is not there.",
    "link-refused": "The address may not be asked: it leads inward, or is not a plain web address.",
    "link-tls": "The host's certificate is not right.",
    "link-redirect": "Redirects lead nowhere.",
    "link-fragment": "The page has no such anchor.",
    "link-passage": "The quoted passage no longer stands in the page.",
    "link-title": "The page has another title than when it was quoted.",
    "link-moved": "The page has moved for good.",
    "link-rate-limited": "The host rations requests.",
    "link-unreachable": "The host could not be reached or does not work.",
    "link-timeout": "The host did not finish in time.",
    "link-walled": "The host does not show the page to programs.",
    "link-too-large": "The page is larger than what is read.",
    "internal-missing": "A link leads to a page or file that is not there.",
    "internal-anchor": "A link leads to an anchor that is not there.",
    "internal-outside": "A link leaves the site by its path.",
    "internal-reference": "A Markdown reference was not resolved.",
    "internal-exception": "An exception to the link rules is not needed.",
}


class Item(NamedTuple):
    """One outcome about one thing.

    rule: of RULES, "" when passed; severity: error, warning or info; outcome: of OUTCOMES; subject: what it is about, the
    same text in every run; message: without the subject; file, line: where it is cited ("" and 0: nowhere); claim: id or
    key, or None.
    """

    rule: str
    severity: str
    outcome: str
    subject: str
    message: str
    file: str = ""
    line: int = 0
    claim: str | None = None

    @property
    def fingerprint(self):
        """Rule, subject and citing file, without line and message, which change from run to run."""
        return hashlib.sha256(f"{self.rule}\n{self.subject}\n{self.file}".encode()).hexdigest()


def finding(item):
    """Return an Item as a finding of the command line."""
    return {
        "rule": item.rule,
        "severity": item.severity,
        "message": f"{_place(item)}{item.subject}: {item.message}",
        "claim": item.claim,
        "field": None,
    }


def counts(items):
    """Return {outcome: how many}, every outcome named."""
    return {outcome: sum(item.outcome == outcome for item in items) for outcome in OUTCOMES}


def junit(items, suite):
    """Return the JUnit XML of a run: failed errors as failures; what could not be told or was not tested as skipped."""
    cases, failures, skipped = [], 0, 0
    for item in items:
        inner = ""
        if item.severity == "error":
            failures += 1
            head = f"<failure type={_attribute(item.rule)} message={_attribute(item.message)}>"
            inner = f"{head}{_text(_place(item) + item.message)}</failure>"
        elif item.outcome != "passed":
            skipped += 1
            why = _attribute(f"{item.outcome}: {item.message}")
            inner = f"<skipped type={_attribute(item.rule or item.outcome)} message={why}/>"
        cases.append(
            f'<testcase classname={_attribute(suite)} name={_attribute(item.subject)} time="0">{inner}</testcase>'
        )
    numbers = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}" time="0"'
    head = f"<testsuite name={_attribute(suite)} {numbers}>"
    return "\n".join(
        ['<?xml version="1.0" encoding="utf-8"?>', "<testsuites>", head, *cases, "</testsuite>", "</testsuites>", ""]
    )


def sarif(items):
    """Return the SARIF 2.1.0 document of a run, as a value: every item that has a rule."""
    rules = list(RULES)
    results = []
    for item in items:
        if not item.rule:
            continue
        result = {
            "ruleId": item.rule,
            "ruleIndex": rules.index(item.rule),
            "level": {"error": "error", "warning": "warning"}.get(item.severity, "note"),
            "message": {"text": f"{item.subject}: {item.message}"},
            "partialFingerprints": {"cdnaEvidence/v1": item.fingerprint},
        }
        if item.file:
            place = {"artifactLocation": {"uri": item.file}}
            if item.line:
                place["region"] = {"startLine": item.line}
            result["locations"] = [{"physicalLocation": place}]
        results.append(result)
    described = [{"id": rule, "shortDescription": {"text": RULES[rule]}} for rule in rules]
    driver = {"name": "cdna", "version": __version__, "informationUri": settings.site_url(), "rules": described}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "utf16CodeUnits", "results": results}],
    }


def options(parser):
    """Add --json, --junit and --sarif to a parser."""
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.add_argument("--junit", metavar="FILE", help="also write JUnit XML")
    parser.add_argument("--sarif", metavar="FILE", help="also write SARIF 2.1.0")


def write(items, suite, given):
    """Write the reports that the command line asked for. Raises: Usage: a file cannot be written."""
    for name, text in (
        (given.junit, lambda: junit(items, suite)),
        (given.sarif, lambda: json.dumps(sarif(items), indent=1) + "\n"),
    ):
        if name:
            try:
                write_whole(Path(name), text().encode())
            except OSError as error:
                raise Usage(f"{name}: {error.strerror or error}") from None


def _place(item):
    return (f"{item.file}:{item.line}: " if item.line else f"{item.file}: ") if item.file else ""


def _clean(text):
    return "".join(c if c in "\t\n" or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF) else "?" for c in text)


def _attribute(text):
    return quoteattr(_clean(text))


def _text(text):
    return escape(_clean(text))
