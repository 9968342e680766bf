# SPDX-License-Identifier: Apache-2.0
"""`cdna check`: run the executable checks, and with --falsify change every published value and see a check go red."""

import contextlib
import io
import os
import sys
import time

from .output import CannotTell, Usage, dumps, emit, parser


def run(argv):
    """Run checks and return the exit status; results are kept in build/results.json."""
    args = _arguments(argv)
    from cdna_evidence.checks import results as store
    from cdna_evidence.register import RegisterError, load

    try:
        register = load()
    except RegisterError as error:
        print(error, file=sys.stderr)
        return 2
    chosen = _chosen(register, args)
    started = time.perf_counter()
    records, failures = _pytest(args, register)
    if not records and not failures:
        raise Usage(f"no check was found for {' '.join(argv) or 'this run'}")
    filtered = bool(args.ids or args.area or args.target or args.kind)
    summary = None
    if args.falsify:
        summary = store.summarise(records, register, chosen, _exceptions(), args.target)
    previous = store.read()
    # A run of a part says nothing about the whole, and a run without --falsify nothing about values.
    falsified = (previous or {}).get("falsify") if filtered or not summary else summary
    if store.keeps():
        seconds = time.perf_counter() - started
        store.write(store.gather(records, previous if filtered else None, falsified, seconds))
    if args.sarif:
        _write(args.sarif, dumps(_sarif(records, register)))
    result = {"outcomes": store.counts(records), "records": [_slim(record) for record in records]}
    if summary:
        result.update({key: summary[key] for key in ("leaves", "mutants", "killed", "survivors", "not_here")})
        result.update({key: summary[key] for key in ("exceptions", "model_only", "vacuous", "unneeded")})
    findings = _findings(records, failures, summary) + ([] if filtered else _ledger_findings(register))
    status = emit(
        "check",
        args.target or None,
        result,
        findings,
        json=args.json,
        text=_text(records, summary, time.perf_counter() - started),
    )
    asked = [record for record in records if args.ids or args.kind]
    if status == 0 and asked and all(record["outcome"] in ("untested", "cantTell") for record in asked):
        raise CannotTell(asked[0]["reason"])
    return status


def _ledger_findings(register):
    """Return as errors what no lock can cure: an id that vanished, a meaning that changed under its revision."""
    from cdna_evidence import settings
    from cdna_evidence.register import ledger

    if settings.clone() is None:
        return []
    broken = [item for item in ledger.ledger_problems(register) if item.field != "ledger"]
    return [
        {"rule": "ledger", "severity": "error", "message": str(item), "claim": item.claim, "field": item.field}
        for item in broken
    ]


def _arguments(argv):
    words = parser("check", "Run the executable checks; results are kept in build/results.json.")
    words.add_argument("ids", nargs="*", metavar="ID", help="claims by id or key; all when none is named")
    words.add_argument("--area", help='claims of one chapter or key prefix, such as "tdm.pad"')
    words.add_argument("--target", choices=("gfx942", "gfx950", "gfx1250", "gfx1251"))
    words.add_argument("--kind", choices=("model", "compiler", "client", "vector", "site", "links"))
    words.add_argument("--fresh", action="store_true", help="ignore kept answers of compilers")
    words.add_argument("--falsify", action="store_true", help="also change every published value and judge again")
    words.add_argument("--junit", metavar="FILE", help="write JUnit XML")
    words.add_argument("--sarif", metavar="FILE", help="write SARIF 2.1.0")
    words.add_argument("--json", action="store_true", help="one JSON document on standard output")
    args = words.parse_args(argv)
    if args.falsify and args.kind:
        raise Usage("--falsify needs every kind of check: a value may be bound by another kind than --kind " + args.kind)
    return args


def _chosen(register, args):
    """Ids of the claims whose values count in this run."""
    from cdna_evidence.checks.plugin import in_area

    ids = []
    for name in args.ids:
        try:
            ids.append(register.by_key(name).id)
        except KeyError:
            raise Usage(f"{name}: no claim has this id or key") from None
    args.ids = ids
    found = [
        claim.id
        for claim in register.claims.values()
        if claim.status != "withdrawn" and not claim.untestable
        and (not ids or claim.id in ids)
        and (not args.area or in_area(claim, args.area))
    ]  # fmt: skip
    if args.area and not found:
        areas = sorted({claim.key.rsplit(".", 1)[0] for claim in register.claims.values()})
        raise Usage(f"--area {args.area}: no claim; areas are {', '.join(areas)}")
    return found


def _pytest(args, register):
    """Run pytest over checks/ with our plugin; return (records, texts of failures that have no record)."""
    import pytest

    from cdna_evidence import settings

    class Collector:
        """Gathers the records as reports arrive, and moves the progress bar."""

        def __init__(self):
            self.records, self.failures, self.total = [], [], 0

        def pytest_collectreport(self, report):
            if report.failed:
                self.failures.append(str(report.longrepr).strip().splitlines()[-1])

        def pytest_collection_finish(self, session):
            progress.start(len(session.items))

        def pytest_runtest_logreport(self, report):
            record = getattr(report, "cdna_record", None)
            if record is not None:
                self.records.append(record)
            elif report.failed:
                self.failures.append(str(report.longrepr).strip())
            if report.when == "call":
                progress.step()

    progress = _Progress(not args.json)
    collector = Collector()
    root = settings.root()
    words = [str(root / "checks"), "--rootdir", str(root), "-c", os.devnull]
    words += ["-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:faulthandler"]
    if "cdna_evidence.checks.plugin" not in _loaded_plugins():
        words += ["-p", "cdna_evidence.checks.plugin"]
    words += ["--cdna-claims", ",".join(args.ids), "--cdna-area", args.area or ""]
    words += ["--cdna-target", args.target or "", "--cdna-kind", args.kind or ""]
    words += ["--cdna-falsify"] * args.falsify + ["--cdna-fresh"] * args.fresh
    if args.junit:
        words += ["--junitxml", os.path.abspath(args.junit)]
    spoken = io.StringIO()
    with progress, contextlib.redirect_stdout(spoken):
        status = pytest.main(words, plugins=[collector])
    if status not in (0, 1, 5) and not collector.failures:
        collector.failures.append(f"pytest ended with {status}: {spoken.getvalue()[-400:]}")
    return collector.records, collector.failures


def _loaded_plugins():
    from importlib.metadata import entry_points

    return {entry.value for entry in entry_points(group="pytest11")}


class _Progress:
    """A bar on standard error while checks run, on a terminal only."""

    def __init__(self, wanted):
        self.bar = None
        if wanted and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (TextColumn("checks"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)

    def __enter__(self):
        if self.bar:
            self.bar.__enter__()
        return self

    def __exit__(self, *exception):
        if self.bar:
            self.bar.__exit__(*exception)

    def start(self, total):
        if self.bar:
            self.task = self.bar.add_task("checks", total=total)

    def step(self):
        if self.bar:
            self.bar.advance(self.task)


def _exceptions():
    """Survivors that are excused, each with claim, leaf and reason: evidence/falsify-exceptions.yml."""
    import yaml

    from cdna_evidence import settings

    path = settings.root() / "evidence" / "falsify-exceptions.yml"
    try:
        found = yaml.safe_load(path.read_text("utf-8")) or []
    except FileNotFoundError:
        return []
    except yaml.YAMLError as error:
        raise Usage(f"{path.name}: {error}") from None
    for i, item in enumerate(found if isinstance(found, list) else [None]):
        if not isinstance(item, dict) or not all(str(item.get(key) or "").strip() for key in ("claim", "leaf", "reason")):
            raise Usage(f"{path.name}: entry {i + 1} needs claim, leaf and reason")
    return found


def _findings(records, failures, summary):
    found = []
    for record in records:
        if record["outcome"] == "failed":
            where = f" ({record['position']})" if record["position"] else ""
            message = f"{record['claim']}{where} on {record['target']}: {record['check']}: {record['reason']}"
            found.append(_finding("check-failed", "error", message, record["claim"], record["check"]))
        elif record["outcome"] in ("untested", "cantTell"):
            message = f"{record['claim']} on {record['target']}: {record['outcome']}: {record['check']}: {record['reason']}"
            found.append(_finding("check-" + record["outcome"].lower(), "info", message, record["claim"], record["check"]))
    found += [_finding("check-broken", "error", text, None, None) for text in failures]
    if summary:
        for entry in summary["survivors"]:
            where = f" ({entry['position']})" if entry["position"] else ""
            message = f"{entry['claim']}{where} on {entry['target']}: {entry['leaf']}: {entry['change']} survived: {entry['why']}"
            found.append(_finding("value-unbound", "error", message, entry["claim"], entry["leaf"]))
        for entry in summary["vacuous"]:
            message = f"{entry['check']} on {entry['target']} lets pass an observation that is or {entry['observation']}"
            found.append(_finding("check-cannot-fail", "error", message, None, entry["check"]))
        for entry in summary["unneeded"]:
            message = f"{entry['claim']}: the exception for {entry['leaf']} is no longer needed: delete it"
            found.append(_finding("exception-unneeded", "error", message, entry["claim"], entry["leaf"]))
    return found


def _finding(rule, severity, message, claim, field):
    return {"rule": rule, "severity": severity, "message": message, "claim": claim, "field": field}


def _slim(record):
    return {key: value for key, value in record.items() if key not in ("mutants", "vacuous")}


def _text(records, summary, seconds):
    from cdna_evidence.checks.results import counts

    outcomes = counts(records)
    claims = len({record["claim"] for record in records})
    words = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items() if number or outcome in ("passed", "failed"))
    lines = [f"{len(records)} checks of {claims} claims: {words} ({seconds:.1f} s)"]
    if summary:
        lines.append(
            f"{summary['leaves']} published values, {summary['mutants']} changes of them: {summary['killed']} killed, "
            f"{len(summary['survivors'])} survived, {len(summary['not_here'])} not falsified here, "
            f"{len(summary['exceptions'])} excused; {len(summary['model_only'])} killed by the reference model alone"
        )
    return "\n".join(lines)


def _sarif(records, register):
    """SARIF 2.1.0 with one rule a claim; the fingerprint stays while claim, target, position and check stay."""
    failed = [record for record in records if record["outcome"] == "failed"]
    rules = sorted({record["claim"] for record in failed if record["claim"]})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "cdna check",
                        "rules": [
                            {"id": name, "shortDescription": {"text": register.claims[name].title}}
                            for name in rules
                            if name in register.claims
                        ],
                    }
                },
                "results": [
                    {
                        "ruleId": record["claim"],
                        "level": "error",
                        "message": {"text": record["reason"] or "failed"},
                        "locations": [
                            {"physicalLocation": {"artifactLocation": {"uri": record["check"].split("::")[0]}}}
                        ],
                        "partialFingerprints": {
                            "cdnaCheck/v1": "|".join(
                                str(record[key]) for key in ("claim", "target", "position", "check")
                            )
                        },
                    }
                    for record in failed
                ],
            }
        ],
    }


def _write(name, text):
    try:
        with open(name, "w", encoding="utf-8") as stream:
            stream.write(text + "\n")
    except OSError as error:
        raise Usage(f"{name}: {error.strerror}") from None
