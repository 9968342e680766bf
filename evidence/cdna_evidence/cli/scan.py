# SPDX-License-Identifier: Apache-2.0
"""`cdna scan`: which claims a source tree cites, and whether each citation still stands."""

from .output import Usage, emit, one_line, parser, read_text

_ERRORS = ("unknown", "withdrawn", "superseded", "outdated")
STATES = ("current", "outdated", "withdrawn", "superseded", "disputed", "unknown")


def run(argv):
    """Run `cdna scan PATH...` and return the exit status: 1 when a citation does not stand any more."""
    top = parser(
        "scan",
        "Find the claims that source trees cite, such as `TDM-031 r1` in a comment, and say whether each still stands.",
    )
    top.add_argument("path", nargs="+", help="a file, a directory, or - for standard input")
    top.add_argument("--json", action="store_true", help="one JSON document")
    options = top.parse_args(argv)

    from cdna_evidence import scan, settings

    from .claim import check_site, load_register

    check_site()
    register = load_register()
    prefixes = {name.rsplit("-", 1)[0] for name in register.claims}
    read, skipped = 0, []
    entries, findings = [], []
    for name, text in _texts(options.path, scan.files, skipped):
        read += 1
        for item in scan.citations(text, prefixes):
            state, why = scan.state(item, register)
            claim = register.claims.get(item.id)
            entries.append(
                {
                    "file": name,
                    "line": item.line,
                    "column": item.column,
                    "id": item.id,
                    "revision": item.revision,
                    "state": state,
                    "current_revision": claim.revision if claim else None,
                    "superseded_by": list(claim.superseded_by) if claim else [],
                    "url": settings.claim_url(item.id) if claim else None,
                }
            )
            if state != "current":
                cited = item.id if item.revision is None else f"{item.id} r{item.revision}"
                findings.append(
                    {
                        "rule": f"citation-{state}",
                        "severity": _severity(item, state),
                        "message": f"{one_line(name)}:{item.line}:{item.column}: {cited}: {why}",
                        "claim": item.id if claim else None,
                    }
                )
    counts = {state: sum(entry["state"] == state for entry in entries) for state in STATES}
    result = {"citations": entries, "counts": counts, "files": read, "skipped": skipped}
    return emit("scan", None, result, findings, json=options.json, text=_summary(counts, read, len(skipped)))


def _severity(item, state):
    if state == "unknown" and item.revision is None:
        return "warning"  # perhaps no citation at all: GFX-950 is a chip in the words of many
    return "error" if state in _ERRORS else "warning"


def _texts(paths, files, skipped):
    """Yield (name, text) of each file once; what is no text below a directory goes into the list `skipped`.

    Raises: Usage: a path is missing, or a file that was named is no text.
    """
    import os

    seen = set()
    for path in paths:
        tree = path != "-" and os.path.isdir(path)
        for name in files(path) if path != "-" else ["-"]:
            if (key := name if name == "-" else os.path.realpath(name)) in seen:
                continue
            seen.add(key)
            try:
                text = read_text(name)
            except Usage:
                if not tree:
                    raise
                skipped.append(name)
                continue
            yield ("standard input" if name == "-" else name), text


def _summary(counts, files, skipped):
    total = sum(counts.values())
    states = ", ".join(f"{number} {state}" for state, number in counts.items() if number)
    left = f"; {skipped} that are no UTF-8 text were skipped" if skipped else ""
    return (
        f"{total} citation{'s' * (total != 1)} in {files} file{'s' * (files != 1)}"
        + (f": {states}" if states else "")
        + left
    )
