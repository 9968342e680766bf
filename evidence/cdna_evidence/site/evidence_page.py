# SPDX-License-Identifier: Apache-2.0
"""What ran, with which tools, when, and what came of it; how many claims have which facet, also when it is none."""

import re

from . import card
from .content import FACETS, OUTCOME_WORDS
from .tree import disclosure, h, joined, keyvalues, table

WORDS = {
    "cited": "name a source that says so",
    "modelled": "are reproduced by the reference model",
    "executed": "were run on a real compiler or other independent program",
    "corroborated": "agree with the kept output of an independent program",
    "measured": "have a record from hardware",
}
# What names a program in the words of a kept output: "triton 3.9.0", "mlir-opt 22.1.8", or a repository at a commit.
PROGRAM = re.compile(r"\b(?!section|figure|table)[A-Za-z][\w-]* \d+\.\d+\.\w+\b|\b[\w.-]+/[\w.-]+ (?=[^ ]*\d)[0-9a-f]{8,40}\b")
FALSIFY = {
    "survivors": "no check went red",
    "not_here": "their checks did not run on this machine",
    "model_only": "only the reference model confirms them",
    "exceptions": "excused, with a reason",
}


def counts(here, args):
    """Return how many claims there are and how many have each facet, as a row of figures."""
    found = here.content.counts()
    boxes = [_count(None, found["claims"], "claims", f"{found['disputed']} disputed")]
    for facet in FACETS:
        boxes.append(_count(facet, found[facet], facet, WORDS[facet]))
    note = None
    if here.content.results is None:
        note = h("p", "No run is recorded here, so nothing counts as modelled, executed or corroborated. ", h("code", "cdna check"), " makes one.")
    return h("div", h("ul", *boxes, class_="cdna-counts"), note, class_="cdna-tally")


def _count(kind, number, word, what):
    return h(
        "li",
        h("span", str(number), class_="cdna-count"),
        h("span", word, class_="cdna-glyph" + (f" cdna-g-{kind}" if kind else "")),
        h("span", what, class_="cdna-quiet"),
    )


def run(here, args):
    """Return when the last run was, of what, and how long it took."""
    if here.content.results is None:
        return _nothing()
    about = here.content.results["run"]
    outcome = here.content.outcomes()
    ran = ", ".join(f"{number} {OUTCOME_WORDS.get(name, name)}" for name, number in outcome.items() if number)
    pairs = [
        ("Date", about["date"]),
        ("Version", f"cdna-evidence {about['version']}"),
        ("Commit", h("code", about["commit"]) if about.get("commit") else "not in a repository"),
        ("Records", f"{len(here.content.results['records'])}: {ran}"),
        ("Duration", f"{about['seconds']} s" if about.get("seconds") is not None else None),
        ("Run again", h("code", "cdna check --fresh")),
    ]
    if about.get("partial"):
        pairs.append(("Note", "the last run was of a part; the other records are from earlier runs"))
    return keyvalues(pairs)


def _nothing():
    return h("p", "No run is recorded here. ", h("code", "cdna check"), " makes one; then build the site again.")


def tools(here, args):
    """Return the programs and kept outputs that spoke in the last run, with version and digest."""
    if here.content.results is None:
        return _nothing()
    rows = []
    for tool in here.content.results["run"]["tools"]:
        digest = tool.get("digest") or ""
        code = h("code", digest[:16], title=f"SHA-256 {digest}") if digest else ""
        kind, _, name = tool["name"].partition(" ")
        kept = here.content.register.vectors.get(name) if kind == "vector" else None
        if kept is None:
            version = " ".join(part for part in (tool.get("version"), _revision(tool.get("revision"))) if part)
            rows.append([h("code", tool["name"]), version, tool.get("package") or "", code])
        else:
            said = [f"{origin}: {', '.join(programs)}" if programs else origin for origin, programs in origins(kept).items()]
            rows.append([h("code", tool["name"]), "kept output", [h("div", text) for text in said], code])
    if not rows:
        return h("p", "Only the reference model ran.")
    rows.sort(key=lambda row: row[1] == "kept output")
    head = ["program or kept output", "version", "package, or who gave the output", "SHA-256 (start)"]
    return table(head, rows, label="programs of the last run", stacked=True)


def _revision(revision):
    """A revision as people cite it: the commit cut to twelve digits, the words in front of it kept."""
    return re.sub(r"\b([0-9a-f]{12})[0-9a-f]+\b", r"\1", f"({revision})") if revision else ""


def origins(kept):
    """Return {origin: [programs]} of a file of kept outputs: whose they are, and what gave them, as far as the file names it.

    Args: kept: the file's content; each entry with an `origin` may tell in `source` or `program` where it came from.
    """
    found = {}

    def walk(node):
        if isinstance(node, list):
            for item in node:
                walk(item)
        elif isinstance(node, dict):
            if "origin" in node:
                program = node.get("program")
                package = program.get("package", "") if isinstance(program, dict) else ""
                named = PROGRAM.findall(f"{node.get('source', '')} {package}")
                known = found.setdefault(node["origin"], [])
                known += [name for name in (_revision(text)[1:-1] for text in named) if name not in known]
            for item in node.values():
                walk(item)

    walk(kept)
    return found


def outcomes(here, args):
    """Return the outcomes by kind of check and by program, then whatever did not pass, named."""
    if here.content.results is None:
        return _nothing()
    grid = {}
    for record in here.content.results["records"]:
        who = "reference model" if record["kind"] == "model" else record["witness"] or "register"
        place = grid.setdefault((record["kind"], who, record["target"]), dict.fromkeys(here.content.outcomes(), 0))
        place[record["outcome"]] += 1
    rows = []
    for (kind, who, target), row in sorted(grid.items()):
        numbers = [h("span", str(row[name] or ""), class_="cdna-num") for name, total in here.content.outcomes().items() if total]
        rows.append([kind, who, target, *numbers])
    seen = [name for name, number in here.content.outcomes().items() if number]
    head = ["kind", "by", "target", *[OUTCOME_WORDS.get(name, name) for name in seen]]
    nodes = [table(head, rows, label="outcomes by kind, program and target", class_="cdna-counted")]
    rest = [record for record in here.content.results["records"] if record["outcome"] != "passed"]
    if rest:
        lines = [
            [
                _named(here, record["claim"]),
                h("code", record["check"].rpartition("::")[2]),
                record["target"],
                h("span", OUTCOME_WORDS.get(record["outcome"], record["outcome"]), class_=f"cdna-glyph cdna-o-{record['outcome']}"),
                h("span", record["reason"] or ""),
            ]
            for record in rest
        ]
        nodes.append(h("p", f"{len(rest)} records did not pass:"))
        nodes.append(table(["claim", "check", "target", "outcome", "why"], lines, label="records that did not pass", stacked=True))
    return h("div", *nodes)


def falsify(here, args):
    """Return what became of the values when each was changed on purpose."""
    found = (here.content.results or {}).get("falsify")
    if not found:
        return h("p", "The values were not falsified here. ", h("code", "cdna check --falsify"), " does it.")
    pairs = [
        ("Date", found.get("date")),
        ("Values", f"{found['leaves']}" + (f", changed in {found['mutants']} ways" if "mutants" in found else "")),
        ("Caught", f"{found['killed']} changes made a check go red"),
    ]
    nodes = [keyvalues([*pairs, *[(name.replace("_", " ").capitalize(), f"{len(found[name])}: {why}") for name, why in FALSIFY.items()]])]
    for name in FALSIFY:
        if found[name]:
            fold = disclosure(f"{name.replace('_', ' ').capitalize()} ({len(found[name])})", _leaves(here, found[name]), id_=f"falsify-{name}")
            fold.set("data-search-exclude", "data-search-exclude")  # thousands of values, and no answer to a question
            nodes.append(fold)
    return h("div", *nodes)


def _leaves(here, entries):
    """One line a claim and reason: the values, and of the changes what the checks missed."""
    grouped = {}
    for entry in entries:
        place = (entry["claim"], ", ".join(part for part in (entry["target"], entry.get("position")) if part), entry.get("reason") or entry.get("why") or "")
        grouped.setdefault(place, {}).setdefault(entry["leaf"], []).append(entry["change"])
    rows = []
    for (claim, where, why), leaves in grouped.items():
        values = [h("span", h("code", leaf), h("span", f" {_some(changes)}", class_="cdna-quiet")) for leaf, changes in leaves.items()]
        rows.append([_named(here, claim), where, h("span", *joined(values, "; ")), why])
    return table(["claim", "target", "values and their changes", "why"], rows, label="values", stacked=True)


def _some(changes):
    return ", ".join(changes[:3]) + (f" and {len(changes) - 3} more" if len(changes) > 3 else "")


def report(here, args):
    """Return the link to the place where a wrong claim is reported, when one is set."""
    if here.content.report_url:
        return h("p", "Send it to ", h("a", here.content.report_url, href=here.content.report_url), ".")
    return h("p", "No public address is set for this build of the site, so send it to whoever gave you the site, or to its repository's issue list.")


def _named(here, name):
    """The id of a record's claim as a link; plain where the register has no such claim (any more): the run still shows."""
    return card.see(here, here.claim(name)) if name in here.content.register.claims else name or "no claim"
