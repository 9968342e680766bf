# SPDX-License-Identifier: Apache-2.0
"""`cdna site build|serve`: the site, from the register, the last results and the pages under docs/; `versions` is a module of its own."""

import time

from .output import CannotTell, Usage, emit, parser


def run(argv):
    """Build or serve the site and return the exit status."""
    if argv[:1] and argv[0] in ("deploy", "versions", "pages"):
        from . import site_versions

        return site_versions.run(argv)
    words = parser("site", "Build or serve the site; run `cdna check` first, since pages show only what a run produced.")
    words.add_argument("action", choices=("build", "serve"), help="also: deploy, versions, pages (`cdna site deploy --help`)")
    words.add_argument("--output", metavar="DIR", help="where the built site goes (build/site)")
    words.add_argument("--port", type=int, default=8000, help="port of `serve` (8000)")
    words.add_argument("--json", action="store_true", help="one JSON document on standard output")
    args = words.parse_args(argv)
    if not 1 <= args.port <= 65535:
        raise Usage(f"--port {args.port}: 1..65535")
    if args.action == "serve" and (args.output or args.json):
        raise Usage("serve takes neither --output nor --json")
    return _serve(args) if args.action == "serve" else _build(args)


def _root():
    from cdna_evidence import settings

    root = settings.clone()
    if root is None or not (root / "mkdocs.yml").is_file():
        raise CannotTell("the pages under docs/ are in a clone, and this is none")
    return root


def _site():
    try:
        import material  # noqa: F401
        import mkdocs  # noqa: F401
    except ModuleNotFoundError as error:
        raise CannotTell(f"{error.name} is missing: pip install 'cdna-evidence[site]'") from None
    from cdna_evidence.site import build

    return build


def _build(args):
    import os
    import pathlib

    from cdna_evidence.checks import results

    root, site = _root(), _site()
    output = pathlib.Path(args.output).resolve() if args.output else None
    if output and (output == root or root.is_relative_to(output) or (output.exists() and not _ours(output))):
        raise Usage(f"--output {args.output}: a new or empty directory, or one that holds a built site")
    started = time.perf_counter()
    try:
        where = site.build(root, output)
    except site.BuildFailed as error:
        finding = {"rule": "site-build", "severity": "error", "message": str(error), "claim": None, "field": None}
        return emit("site build", None, {"directory": None}, [finding], json=args.json)
    page = os.path.join(where, "index.html")
    pages = sum(name.endswith(".html") for _, _, names in os.walk(where) for name in names)
    seconds = time.perf_counter() - started
    found = results.read()
    text = f"{pages} pages in {seconds:.1f} s. Open {page} in a browser, or run `cdna site serve` (search needs it)."
    if not found:
        text += "\nNo results were found: pages show sources only. `cdna check` makes results."
    result = {"directory": where, "page": page, "pages": pages, "seconds": round(seconds, 2), "results": bool(found)}
    return emit("site build", None, result, json=args.json, text=text)


def _ours(directory):
    """Whether a directory may be emptied: MkDocs clears the directory it builds into."""
    if not directory.is_dir():
        return False
    return not any(directory.iterdir()) or ((directory / "sitemap.xml").is_file() and (directory / "index.html").is_file())


def _serve(args):
    root, site = _root(), _site()
    print(f"http://127.0.0.1:{args.port}/ (Control-C ends it)")
    try:
        site.serve(root, args.port)
    except site.BuildFailed as error:
        raise CannotTell(str(error)) from None
    except OSError as error:
        raise Usage(f"--port {args.port}: {error.strerror or error}") from None
    return 0
