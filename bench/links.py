# SPDX-License-Identifier: Apache-2.0
"""Internal links of one made-up site of 60 pages: `cdna links SITE` against lychee, both offline and with anchors."""

import pathlib
import shutil
import subprocess
import tempfile

from cdna_evidence.links import internal

PAGES, LINKS = 60, 90


def build(top):
    """Write a site whose pages each link to 90 anchors of the others."""
    for number in range(PAGES):
        folder = top / f"p{number:02}"
        folder.mkdir(parents=True)
        parts = [
            f'<h2 id="s{line}">Section {line}</h2><p>{"Words of a page. " * 12}'
            f'<a href="../p{(number + line) % PAGES:02}/#s{line * 7 % LINKS}">there</a></p>'
            for line in range(LINKS)
        ]
        text = f"<!doctype html><html><head><title>{number}</title></head><body>{''.join(parts)}</body></html>"
        (folder / "index.html").write_text(text)
    (top / "index.html").write_text('<!doctype html><html><body><a href="p00/">start</a></body></html>')


def rows(row, best_of):
    """Return the line of this part."""
    name = "5401 internal links of 61 pages, in lychee of the same"
    with tempfile.TemporaryDirectory() as folder:
        top = pathlib.Path(folder) / "site"
        build(top)

        def ours():
            report = internal.check(top)
            if report.broken or report.links != PAGES * LINKS + 1:
                raise SystemExit(f"{report.links} links, {report.broken[:3]}")

        candidates = [("cdna links SITE", ours)]
        lychee = shutil.which("lychee")
        if lychee:
            words = [
                lychee,
                "--offline",
                "--include-fragments",
                "--no-progress",
                "--root-dir",
                str(top),
                "--index-files",
                "index.html",
                str(top),
            ]

            def theirs():
                done = subprocess.run(words, capture_output=True, text=True)
                if done.returncode:
                    raise SystemExit(done.stdout + done.stderr)

            candidates.append(("lychee", theirs))
        best = best_of(candidates, rounds=3, floor=0)
    if not lychee:
        return [row(name, None, "", None, best, "lychee is not on the path")]
    return [row(name, best["cdna links SITE"] / best["lychee"], "", None, best)]
