# SPDX-License-Identifier: Apache-2.0
"""The MFMA compiler audit: one list of sections, from which both the page and the file to download are made.

A section has an anchor that never changes, a heading, one line of lead, and the claims that carry it. The words of the
claims stand in the register alone, so page and file cannot differ.
"""

from typing import NamedTuple

from cdna_evidence import cite, settings

from . import card
from .content import leaves
from .tree import disclosure, h, rich

NAME = "mfma-compiler-audit.md"
SOURCE = "cdna/mfma-compiler-audit.text"  # its place among the sources; it is served as NAME beside the page
PLACE = f"cdna/mfma-audit/{NAME}"


class Section(NamedTuple):
    """One section. `folds`: (title, ids) of closed disclosures after the claims, for what is optional to read."""

    anchor: str
    heading: str
    lead: str
    claims: tuple
    folds: tuple = ()


SECTIONS = (
    Section(
        "mfma-target-boundary",
        "Target boundary",
        "A test of one compiler pass on constructed input says nothing about which target has the instruction.",
        ("MFMA-011", "MFMA-022"),
    ),
    Section(
        "mfma-pass-classes",
        "Pass classes",
        "Target, family and passes of the first instruction decide almost everything below. A pass is four clocks.",
        ("MFMA-004", "MFMA-061", "MFMA-062"),
    ),
    Section("mfma-wait-state-unit", "What a wait state is", "What stands between two instructions counts; its kind mostly does not.", ("MFMA-014",)),
    Section(
        "mfma-register-examples",
        "Three overlaps of the same registers",
        "D of the first instruction is v[0:3]; the next reads v[0:3] or v[2:5] as C, or v[2:3] as A.",
        ("MFMA-010",),
    ),
    Section(
        "mfma-exact-accumulator",
        "Accumulator reuse, exact",
        "C of the next instruction is exactly D of this one.",
        ("MFMA-007", "MFMA-008", "MFMA-065", "MFMA-020"),
    ),
    Section(
        "mfma-partial-accumulator",
        "Accumulator reuse, partial",
        "C of the next instruction overlaps D of this one and is not equal to it.",
        ("MFMA-006", "MFMA-064"),
    ),
    Section("mfma-d-to-ab", "Result into A or B", "D of this instruction is read as A or B, as index or as scale.", ("MFMA-005", "MFMA-063")),
    Section("mfma-valu-input", "Preparing an operand", "A vector instruction writes what a matrix instruction reads.", ("MFMA-016",)),
    Section("mfma-exec", "EXEC", "EXEC is written before a matrix instruction.", ("MFMA-017",)),
    Section(
        "mfma-raw-waw",
        "Results read or overwritten (RAW, WAW)",
        "Something that is no matrix instruction reads D, or writes over it.",
        ("MFMA-018", "MFMA-066", "MFMA-067", "MFMA-068", "MFMA-081"),
    ),
    Section("mfma-c-war", "C overwritten (WAR)", "Something writes over C while the instruction may still read it.", ("MFMA-019",)),
    Section(
        "mfma-other-hazards",
        "Other dependencies",
        "The rest of the rules that touch matrix kernels.",
        ("MFMA-009", "MFMA-069", "MFMA-070", "MFMA-071", "MFMA-072", "MFMA-073", "MFMA-074"),
    ),
    Section(
        "mfma-pass-gaps",
        "Where LLVM leaves less than its own rule",
        "Three cases in which the pass does not see the producer that asks for most. The audit of a program counts these states as missing.",
        ("MFMA-077", "MFMA-075", "MFMA-051"),
    ),
    Section("mfma-conditions", "Conditions of the selected numbers", "What must hold for the numbers of the worked example.", ("MFMA-015",)),
    Section("mfma-pipeline-placement", "Where the pass runs", "Which step of the compiler inserts the states.", ("MFMA-023",)),
    Section(
        "mfma-asm-boundary",
        "The inline-assembly boundary",
        "What stands inside inline assembly is yours: the compiler inserts nothing for it.",
        ("MFMA-012",),
        (
            ("Why the compiler cannot see it", ("WAIT-008",)),
            ("Optional scheduling controls", ("WAIT-006",)),
        ),
    ),
    Section(
        "mfma-inspected-regressions",
        "Inspected regressions, and what they do not show",
        "A test that was read shows what its authors expect.",
        ("MFMA-021", "EVI-005", "EVI-003"),
    ),
    Section("mfma-isa-tables", "The manuals' tables", "Why no timing table is copied here.", ("MFMA-024", "EVI-004")),
)
EXPLAINED = (
    "The pass that inserts states walks over machine instructions. Inline assembly is one opaque instruction to it, whose text is parsed later, "
    "so neither its results nor its reads are known when states are counted."
)
CONTROLS = "Scheduling controls order instructions. They insert no wait states, complete no memory operation, and are not needed for correctness."
NOTES = {"Why the compiler cannot see it": EXPLAINED, "Optional scheduling controls": CONTROLS}
TITLE = "MFMA compiler audit"
ANSWER = (
    "Between instructions that it can see, LLVM inserts what its tables ask for, with three known gaps; for what stands inside inline assembly it inserts nothing. "
    "Every number here says what a named LLVM inserts, and none says what hardware needs."
)


def sections(register):
    """Return the Sections with the ids that the register has; a section without any is left out.

    Args: register: a `Register`.
    """
    found = []
    for section in SECTIONS:
        claims = tuple(name for name in section.claims if name in register.claims)
        folds = tuple((title, tuple(name for name in names if name in register.claims)) for title, names in section.folds)
        if claims:
            found.append(section._replace(claims=claims, folds=folds))
    return found


def claim_ids(register):
    """Return the ids of all claims of the audit, in its order, each once."""
    found = []
    for section in sections(register):
        found += section.claims + tuple(name for _, names in section.folds for name in names)
    return list(dict.fromkeys(found))


def page(here, args):
    """Return the audit for a page: `::mfma-audit`. Args: here: the page; args: none."""
    shown = set()
    parts = [h("p", h("strong", ANSWER)), h("p", "The same as a file: ", h("a", NAME, href=here.link(SOURCE), class_="cdna-download"), ".")]
    for section in sections(here.content.register):
        parts += [h("h2", section.heading, id=section.anchor), h("p", section.lead)]
        parts += [_shown(here, name, shown) for name in section.claims]
        for title, names in section.folds:
            inside = [h("p", rich(NOTES[title])), *[_shown(here, name, shown) for name in names]]
            parts.append(disclosure(title, *inside, id_=f"{section.anchor}-{'controls' if 'controls' in title else 'why'}"))
    return h("div", *parts, class_="cdna-audit")


def _shown(here, name, shown):
    claim = here.claim(name)
    if name in shown:
        return h("p", card.see(here, claim))
    shown.add(name)
    return card.full(here, claim)


def markdown(content):
    """Return the file to download: the same sections and claims as the page.

    Args: content: a `Content`.
    """
    register = content.register
    date = (content.results or {}).get("run", {}).get("date", "no run")
    lines = [
        f"# {TITLE}",
        "",
        ANSWER,
        "",
        f"CDNA Evidence {settings.site_version() or settings.version()}, checks of {date}. Text CC BY 4.0. Not affiliated with AMD.",
        "Each claim has a permanent address, given beside it; what ran, and with which compiler, stands there.",
    ]
    for section in sections(register):
        lines += ["", f'<a id="{section.anchor}"></a>', "", f"## {section.heading}", "", section.lead]
        for name in section.claims:
            lines += _claim(content, name)
        for title, names in section.folds:
            lines += ["", f"### {title}", "", NOTES[title]]
            for name in names:
                lines += _claim(content, name)
    return "\n".join(lines) + "\n"


def _claim(content, name):
    claim = content.register.claims[name]
    lines = ["", f"**{claim.id}** r{claim.revision}, {', '.join(claim.targets)}: {claim.title} ({cite.citation(claim, 'url')})", ""]
    if claim.safe:
        lines += [f"Safe under every reading: {card.safe_text(claim)}", ""]
    lines += [card.sentence(claim), "", f"Does not say: {' '.join(claim.fill(claim.boundary).split())}"]
    for position in claim.positions:
        lines += ["", f"Position *{position.name}*: {' '.join(claim.fill(position.says, position=position.name).split())}"]
    for target in claim.targets:
        for position in claim.position_names():
            told = [f"{key} {value}" for key, value in leaves(claim.values_for(target, position))]
            if told:
                lines += ["", f"Values, {target}" + (f", {position}" if position else "") + ": " + "; ".join(told)]
    sources = []
    for entry in [*claim.evidence, *[item for position in claim.positions for item in position.evidence]]:
        where = f"{entry.source} {entry.locator or ''}".strip()
        sources.append(where + (f" (via {entry.via})" if entry.via else "") + f", {entry.stance}")
    return [*lines, "", "Sources: " + "; ".join(dict.fromkeys(sources)) + "."]
