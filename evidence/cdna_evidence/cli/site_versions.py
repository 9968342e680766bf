# SPDX-License-Identifier: Apache-2.0
"""`cdna site deploy|versions|pages`: put a version on a local branch, list what is there, write the branch out. Nothing is pushed."""

import os
import time

from .output import CannotTell, Usage, emit, parser
from .site import _root, _site


def run(argv):
    """Run one of the three and return the exit status. Args: argv: the words after `cdna site`."""
    action = argv[0]
    _site()
    try:
        from cdna_evidence.site import versions
    except ModuleNotFoundError as error:
        raise CannotTell(f"{error.name} is missing: pip install 'cdna-evidence[site]'") from None
    words = parser(f"site {action}", HELP[action])
    words.add_argument(
        "--branch", metavar="B", help="the local branch that holds the versions (CDNA_SITE_BRANCH, else gh-pages)"
    )
    words.add_argument("--json", action="store_true", help="one JSON document on standard output")
    if action == "deploy":
        words.add_argument("--version", metavar="V", help="the version to deploy (that of this distribution)")
        words.add_argument("--output", metavar="DIR", help="where it is built (build/versions/V)")
        words.add_argument("--replace", action="store_true", help="also when the published version says something else")
    elif action == "pages":
        words.add_argument(
            "directory", metavar="DIR", help="where the branch is written to: new, empty, or a former copy"
        )
    args = words.parse_args(argv[1:])
    root = _root()
    try:
        return ACTIONS[action](versions, root, args)
    except versions.VersionError as error:
        raise Usage(str(error)) from None


def _deploy(versions, root, args):
    from cdna_evidence import settings
    from cdna_evidence.checks import results
    from cdna_evidence.site.build import BuildFailed

    try:
        import mike  # noqa: F401
    except ModuleNotFoundError:
        raise CannotTell("mike is missing: pip install 'cdna-evidence[site]'") from None
    version = args.version or settings.version()
    tag = os.environ.get("CDNA_TAG")
    if tag and tag != version:
        raise Usage(f"CDNA_TAG={tag}: {version}, the version in pyproject.toml")
    findings = []
    if versions.dirty(root):
        findings.append(
            _warning(
                "uncommitted", "the work tree has changes that no commit holds: this version can not be built again"
            )
        )
    if settings.site_url() == settings.SITE_URL:
        findings.append(
            _warning("address", f"CDNA_SITE_URL is not set: the citations of this version name {settings.SITE_URL}")
        )
    if not results.read():
        findings.append(
            _warning("no-results", "no results were found: pages show sources only; `cdna check` makes results")
        )
    started = time.perf_counter()
    try:
        found = versions.deploy(root, version, args.branch, args.replace, args.output)
    except BuildFailed as error:
        findings = [{"rule": "site-build", "severity": "error", "message": str(error), "claim": None, "field": None}]
        return emit("site deploy", None, {"version": version}, findings, json=args.json)
    found["seconds"] = round(time.perf_counter() - started, 2)
    verb = "is on" if found["changed"] else "was already, and is unchanged, on"
    text = (
        f"{version} {verb} the local branch {found['branch']} ({found['commit'][:12]}), with {', '.join(found['versions'])}; "
        f"latest is {found['latest']}. Nothing was pushed. To look at it: `cdna site pages build/pages`"
    )
    return emit("site deploy", None, found, findings, json=args.json, text=text)


def _versions(versions, root, args):
    name = args.branch or versions.branch()
    entries = []
    for version in versions.published(root, name):
        ended = sum(record["status"] in ("withdrawn", "superseded") for record in version.claims.values())
        entries.append(
            {"version": version.name, "claims": len(version.claims), "ended": ended, "events": len(version.events)}
        )
    lines = [
        f"{item['version']}: {item['claims']} claims, {item['ended']} of them ended; {item['events']} events"
        for item in entries
    ]
    text = "\n".join(lines) or f"No version is deployed on {name}; `cdna site deploy` makes one."
    return emit("site versions", None, {"branch": name, "versions": entries}, json=args.json, text=text)


def _pages(versions, root, args):
    count = versions.write_out(root, args.directory, args.branch)
    text = f"{count} files in {args.directory}. To look at them: python3 -m http.server --bind 127.0.0.1 --directory {args.directory}"
    return emit("site pages", None, {"directory": args.directory, "files": count}, json=args.json, text=text)


def _warning(rule, message):
    return {"rule": rule, "severity": "warning", "message": message, "claim": None, "field": None}


HELP = {
    "deploy": "Build a version and put it on a local branch with mike, with the resolver of every id. Nothing is pushed.",
    "versions": "List the versions on the local branch.",
    "pages": "Write the branch into a directory, as a host would serve it.",
}
ACTIONS = {"deploy": _deploy, "versions": _versions, "pages": _pages}
