# SPDX-License-Identifier: Apache-2.0
"""llms.txt: what this site is, how to cite it without saying too much, and where the data stands, for programs that read prose."""

from cdna_evidence import cite, settings

from .feeds import here

RULES = (
    "Cite a claim by id and revision, for example `TDM-031 r1`; the revision is raised when the meaning changes.",
    "A statement holds inside its boundary only; quote the boundary with it.",
    "Where a claim is disputed, follow `safe`: it is right under every position. Do not pick a position silently.",
    "The evidence state says what stands behind a claim. A compiler shows what that compiler does, not what a device does.",
    "Withdrawn and superseded claims keep their page. Do not use what they said.",
)
FILES = (
    ("claims.json", "every claim with statement, boundary, values, positions, sources, checksums and evidence state"),
    ("sources.json", "every source with its pins and errata"),
    (
        "evidence.json",
        "one file for use without a network: claims with citations and outcomes of checks, sources, ledger, vectors",
    ),
    ("ledger.json", "every id ever issued and what became of it"),
    ("objects.inv", "link targets for Sphinx and MyST"),
    ("feed.xml", "Atom feed of changes, claim by claim"),
)


def llms_txt(content):
    """Return the text of llms.txt. Args: content: a `Content`."""
    register = content.register
    lines = [
        "# CDNA Evidence",
        "",
        "> Facts about AMD CDNA3 (gfx942), CDNA4 (gfx950) and CDNA5 (gfx1250): each with a permanent id, its sources, and a check that anyone can run.",
        "",
        *[f"- {rule}" for rule in RULES],
        "",
        "## Data",
        "",
        *[f"- [{name}]({here(name)}): {what}" for name, what in FILES],
    ]
    for chapter, claims in register.chapters().items():
        lines += ["", f"## Claims: {chapter}", ""]
        for claim in claims:
            note = cite.state_text(claim, content.results)
            lines.append(
                f"- [{claim.id} r{claim.revision}]({settings.claim_url(claim.id)}): {_text(claim.title)} ({note})"
            )
    return "\n".join(lines) + "\n"


def _text(title):
    return title.replace("[", "\\[").replace("]", "\\]")
