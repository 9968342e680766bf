# SPDX-License-Identifier: Apache-2.0
"""`cdna links`: external pages that the register and the text cite, or the internal links of a built site."""

import datetime
from pathlib import Path

from .output import CannotTell, Usage, emit, parser


def run(argv):
    """Run `cdna links [SITE]` and return the exit status.

    With SITE: offline, 1 when a link inside it is broken. Without: 0 whatever outsiders do (1 with --strict), 3 when
    nothing could be told, or not about a page named with --url.
    """
    top = parser(
        "links", "Check the external pages that are cited, or with SITE the links inside a built site (offline)."
    )
    top.add_argument("site", nargs="?", metavar="SITE", help="a built site, such as build/site: check it on disk")
    top.add_argument(
        "--base",
        metavar="URL",
        help="with SITE: the address that its top is published at (default: its canonical link)",
    )
    top.add_argument(
        "--ignore",
        metavar="LINK",
        action="append",
        default=[],
        help="with SITE: a link as written that may lead nowhere",
    )
    top.add_argument(
        "--url", metavar="URL", action="append", default=[], help="check this page instead of all; may be given again"
    )
    top.add_argument("--strict", action="store_true", help="exit status 1 when an external link is broken")
    top.add_argument("--no-cache", action="store_true", help="ask even what was found good within the last day")
    top.add_argument(
        "--record",
        metavar="QUOTE",
        help="with one --url: keep title, date and a digest of this quoted passage of the page",
    )
    top.add_argument(
        "--environment-proxies",
        action="store_true",
        help="use HTTP_PROXY and its kin; the proxy then resolves the names",
    )
    top.add_argument(
        "--allow-private", action="store_true", help="for tests: let requests reach addresses of this machine"
    )
    from cdna_evidence import reports

    reports.options(top)
    options = top.parse_args(argv)
    if options.site:
        if options.url or options.record:
            raise Usage("SITE is checked on disk; --url and --record are for external pages")
        return _internal(options)
    if options.base or options.ignore:
        raise Usage("--base and --ignore need SITE")
    if options.record is not None:
        return _record(options)
    return _external(options)


def _internal(options):
    from cdna_evidence import reports, settings
    from cdna_evidence.links import internal

    site = Path(options.site)
    try:
        report = internal.check(site, options.base, tuple(options.ignore), settings.site_url())
    except OSError as error:
        raise Usage(f"{options.site}: {error.strerror or error}") from None
    if not report.pages:
        raise Usage(f"{options.site}: no page in it: build the site first (`cdna site build`)")
    items = [
        reports.Item(one.rule, "error", "failed", one.link or "(empty)", one.message, one.file, one.line)
        for one in report.broken
    ]
    passed = reports.Item("", "info", "passed", f"{report.links} internal links", f"of {report.pages} files")
    reports.write(items or [passed], "cdna links SITE", options)
    result = {
        "site": options.site,
        "files": report.pages,
        "links": report.links,
        "external": len({url for url, _file, _line in report.external}),
        "outcomes": {
            "passed": report.links
            - sum(one.rule in ("internal-missing", "internal-anchor", "internal-outside") for one in report.broken),
            "failed": len(report.broken),
        },
        "broken": [one._asdict() for one in report.broken],
    }
    told = f"{report.links} internal links of {report.pages} files: {len(report.broken)} broken"
    text = f"{told}; {result['external']} external addresses not asked"
    return emit("links", None, result, [reports.finding(item) for item in items], json=options.json, text=text)


def _checker(options, root):
    from cdna_evidence.links import cache, client, external, floating

    try:
        passages = floating.read(root / "evidence" / "links.lock")
    except ValueError as error:
        raise Usage(f"evidence/{error}") from None
    asker = client.Client(allow_private=options.allow_private, environment_proxies=options.environment_proxies)
    # In an installed package the root is not ours to write in: nothing is kept there.
    place = root / ".cache" / "links.json" if (root / "pyproject.toml").is_file() else None
    kept = cache.Cache(place, fresh=0.0 if options.no_cache or options.url else cache.FRESH)
    return external.Checker(asker, kept, passages), kept


def _external(options):
    from cdna_evidence import reports, settings
    from cdna_evidence.links import collect

    root = settings.root()
    if options.url:
        cited = [collect.Cited(url, "", 0, "") for url in options.url]
    else:
        from .claim import load_register

        cited = collect.from_register(load_register(), root) + collect.from_texts(root)
    places = {}
    for one in cited:
        places.setdefault(one.url, []).append(one)
    checker, kept = _checker(options, root)
    results = checker.check(list(places))
    kept.save()
    items = []
    for result in results:
        place = places[result.url][0]
        severity = {"failed": "error" if options.strict else "warning", "cantTell": "warning"}.get(
            result.outcome, "info"
        )
        at = (place.file, place.line, place.by or None)
        items.append(reports.Item(result.rule, severity, result.outcome, result.url, result.message, *at))
        items += [
            reports.Item(rule, "info", result.outcome, result.url, message, *at) for rule, message in result.notes
        ]
    reports.write(items, "cdna links", options)
    rows = [
        {**result._asdict(), "notes": [{"rule": rule, "message": message} for rule, message in result.notes],
         "cited_at": [f"{one.file}:{one.line}" for one in places[result.url] if one.file]}
        for result in results
    ]  # fmt: skip
    told = reports.counts(results)
    text = "\n".join(
        [
            f"{result.outcome:12} {result.url}: {result.message}"
            for result in results
            if result.outcome in ("passed", "inapplicable") and options.url
        ]
        + [
            f"{len(results)} external links: "
            + (", ".join(f"{count} {name}" for name, count in told.items() if count) or "none")
        ]
    )
    findings = [reports.finding(item) for item in items if item.rule]
    status = emit("links", None, {"outcomes": told, "links": rows}, findings, json=options.json, text=text)
    asked = [result for result in results if result.outcome != "inapplicable"]
    unknown = [result for result in asked if result.outcome == "cantTell"]
    return status or (3 if unknown and (options.url or len(unknown) == len(asked)) else 0)


def _record(options):
    from cdna_evidence import settings
    from cdna_evidence.links import address, client, floating, html

    if len(options.url) != 1:
        raise Usage("--record needs exactly one --url")
    url = options.url[0]
    path = settings.root() / "evidence" / "links.lock"
    try:
        known = floating.read(path)
        target = address.target(url)
    except ValueError as error:
        raise Usage(f"evidence/{error}") from None
    except address.Refused as refusal:
        raise Usage(f"{url}: {refusal}") from None
    answer = client.Client(allow_private=options.allow_private, environment_proxies=options.environment_proxies).ask(
        "GET", target.url, body=True
    )
    if answer.error or answer.status != 200:
        raise CannotTell(
            f"{url}: {answer.error + ': ' + answer.detail if answer.error else 'status ' + str(answer.status)}"
        )
    page = html.read(answer.body, answer.headers.get("content-type", ""), want_words=True)
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    passage = floating.record(url, options.record, page, answer.headers, today)
    if passage is None:
        finding = {
            "rule": "link-passage",
            "severity": "error",
            "message": f"{url}: the page does not hold this passage",
        }
        return emit("links", None, {"recorded": None}, [finding], json=options.json)
    others = [one for one in known.get(url, []) if one.sha256 != passage.sha256]
    floating.write(path, {**known, url: [*others, passage]})
    return emit(
        "links",
        None,
        {"recorded": passage._asdict()},
        json=options.json,
        text=f"recorded {passage.words} words of {url}",
    )
