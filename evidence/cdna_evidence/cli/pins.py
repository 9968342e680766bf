# SPDX-License-Identifier: Apache-2.0
"""`cdna pins`: verify the pinned citations, and record what was read."""

import datetime

from .output import CannotTell, Usage, emit, parser


def run(argv):
    """Run `cdna pins verify|lock` and return the exit status (1: a pin is wrong, 3: not to be told from here)."""
    top = parser("pins", "Verify the pinned citations: repository, commit, file, lines, identifiers.")
    acts = top.add_subparsers(dest="what", required=True, metavar="verify|lock")
    verify = acts.add_parser(
        "verify", help="compare register and lock; with --git or --online read the files again", allow_abbrev=False
    )
    verify.add_argument("--against", metavar="REVISION", help="also say what a newer branch, tag or commit has")
    lock = acts.add_parser(
        "lock", help="record the pins that can be read now; take out what nothing cites", allow_abbrev=False
    )
    lock.add_argument(
        "--unread", metavar="REASON", help="list the pins that are still neither read nor listed, with today's date"
    )
    for sub in (verify, lock):
        sub.add_argument(
            "--git", metavar="DIR", action="append", default=[], help="a clone or bare repository; may be given again"
        )
        sub.add_argument("--online", action="store_true", help="read the files from the host, each once")
        sub.add_argument("--raw-url", help="form of the address of a file: {owner} {name} {revision} {path}")
        sub.add_argument(
            "--allow-private", action="store_true", help="for tests: let --online reach addresses of this machine"
        )
    from cdna_evidence import reports

    reports.options(verify)
    lock.add_argument("--json", action="store_true", help="one JSON document")
    options = top.parse_args(argv)
    if options.what == "verify" and options.against and not (options.git or options.online):
        raise Usage("--against needs --git DIR or --online")

    from cdna_evidence import pins

    from .claim import load_register

    register = load_register()
    try:
        kept = pins.Lock.load(register.root)
    except pins.LockError as error:
        raise Usage(str(error)) from None
    return (_verify if options.what == "verify" else _lock)(options, pins.collect(register), kept)


def _readers(options):
    from cdna_evidence.pins import readers

    found = []
    for folder in options.git:
        try:
            found.append(readers.GitReader(folder))
        except ValueError as error:
            raise Usage(f"--git {error}") from None
    if options.online:
        from cdna_evidence.links.client import Client, Limits

        # One host serves all files and is made for it: some at once, a short pause, nothing asked twice.
        limits = Limits(delay=0.05, per_host=4)
        client = Client(limits, allow_private=options.allow_private)
        found.append(readers.OnlineReader(client, options.raw_url or readers.RAW))
    return found


def _read(readers, wanted):
    """Return {one: (File, how, reader)} from the first reader that has it."""
    found = {}
    for reader in readers:
        left = [one for one in wanted if one not in found or found[one][0].data is None]
        for one, file in reader.read(left).items():
            # That a clone lacks the commit says less than what another reader said.
            if one not in found or not file.absent:
                found[one] = (file, reader.how, reader)
    return found


def _verify(options, listed, kept):
    from cdna_evidence import reports
    from cdna_evidence.pins import verify

    readers = _readers(options)
    files = _read(readers, [(pin.repository, pin.commit, pin.path) for pin in listed]) if readers else {}
    texts, verdicts, none = {}, [], None
    for pin in listed:
        entry = kept.entries.get(pin.key)
        file, _how, _reader = files.get((pin.repository, pin.commit, pin.path), (none, "", None))
        # A clone without the commit is a clone of something else: the lock alone then speaks.
        verdicts.append(
            verify.offline(pin, entry) if file is None or file.absent else verify.reading(pin, entry, file, texts)
        )
    told = any(file.data is not None or file.missing for file, _how, _reader in files.values())
    if options.against:
        verdicts, any_newer = _against(options.against, readers, files, verdicts, kept, texts)
        told = told or any_newer
    if readers and listed and not told:
        reasons = {file.why for file, _how, _reader in files.values()}
        raise CannotTell(f"no pinned file could be read: {'; '.join(sorted(reasons))[:300]}")
    items = [item for verdict in verdicts for item in verdict.items] + verify.leftovers(listed, kept)
    reports.write(items, "cdna pins verify", options)
    result = {
        "mode": "+".join(dict.fromkeys(reader.how for reader in readers)) or "offline",
        "against": options.against,
        "outcomes": reports.counts([verdict for verdict in verdicts]),
        "pins": [_row(verdict, kept) for verdict in verdicts],
    }
    findings = [reports.finding(item) for item in items if item.rule and item.rule != "pin-unread"]
    status = emit("pins verify", None, result, findings, json=options.json, text=_text(verdicts, result))
    return status or (3 if any(verdict.outcome == "cantTell" for verdict in verdicts) else 0)


def _against(revision, readers, files, verdicts, kept, texts):
    from cdna_evidence.pins import verify

    wanted = {}
    for reader in readers:
        homes = reader.repositories() if reader.how == "git" else None
        for verdict in verdicts:
            pin = verdict.pin
            file, _how, owner = files[pin.repository, pin.commit, pin.path]
            at_home = homes is None or pin.repository in homes or (owner is reader and file.data is not None)
            if at_home and (pin.repository, pin.path) not in wanted:
                wanted[pin.repository, pin.path] = reader
    found = {}
    for reader in readers:
        mine = [(repository, revision, path) for (repository, path), owner in wanted.items() if owner is reader]
        found.update(reader.read(mine))
    out = []
    for verdict in verdicts:
        pin = verdict.pin
        file = found.get((pin.repository, revision, pin.path))
        if file is None:
            out.append(verdict)
            continue
        out.append(verify.with_newer(verdict, verify.newer(pin, kept.entries.get(pin.key), file, texts), revision))
    if not found or all(file.absent for file in found.values()):
        raise CannotTell(f"--against {revision}: no such revision here")
    return out, any(file.data is not None or file.missing for file in found.values())


def _lock(options, listed, kept):
    from cdna_evidence.pins import Entry, Lock, LockError, verify
    from cdna_evidence.register.files import writing

    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    cited = {pin.key: pin for pin in listed}

    def due(entry, pin):
        return entry is None or not entry.is_read or set(pin.must_contain) != set(entry.must_contain)

    wanted = [pin for pin in listed if due(kept.entries.get(pin.key), pin)]
    readers = _readers(options)
    files = _read(readers, [(pin.repository, pin.commit, pin.path) for pin in wanted]) if readers else {}
    texts, findings, locked, unread = {}, [], 0, 0
    root = kept.path.parent.parent
    with writing(root):
        # Read again under the lock: another command may have written meanwhile.
        try:
            kept = Lock.load(root)
        except LockError as error:
            raise Usage(str(error)) from None
        gone = [key for key in kept.entries if key not in cited]
        for key in gone:
            del kept.entries[key]
        for pin in wanted:
            old = kept.entries.get(pin.key)
            file, how, _reader = files.get((pin.repository, pin.commit, pin.path), (None, "", None))
            entry, why = verify.lock_entry(pin, file, texts, today, how) if file else (None, "")
            if entry and old and old.is_read and old.sha256 != entry.sha256:
                entry, why = (
                    None,
                    f"other bytes than those read on {old.date}; take its line out of the lock if that was wrong",
                )
                findings.append({"rule": "pin-changed", "severity": "error", "message": f"{pin}: {why}"})
            elif entry:
                kept.entries[pin.key] = entry
                locked += 1
                continue
            elif file and (file.data is not None or file.missing):
                rule = "pin-identifier" if file.data is not None else "pin-path"
                findings.append({"rule": rule, "severity": "error", "message": f"{pin}: {why}"})
            if old is None and options.unread:
                kept.entries[pin.key] = Entry(*pin.key, (), "", "", today, "", options.unread)
                unread += 1
        kept.save()
    left = [pin for pin in listed if pin.key not in kept.entries]
    for pin in left:
        findings.append(
            {
                "rule": "pin-unlisted",
                "severity": "warning",
                "message": f"{pin}: still neither read nor listed as unread",
            }
        )
    result = {"locked": locked, "listed_unread": unread, "taken_out": len(gone), "left": [str(pin) for pin in left]}
    told = f"{locked} locked, {unread} listed as unread, {len(gone)} taken out, {len(left)} left"
    text = f"{told}; {len(listed)} pins in all"
    return emit("pins lock", None, result, findings, json=options.json, text=text)


def _row(verdict, kept):
    pin = verdict.pin
    entry = kept.entries.get(pin.key)
    read = entry is not None and entry.is_read
    return {
        "repository": pin.repository,
        "commit": pin.commit,
        "path": pin.path,
        "lines": [pin.first, pin.last],
        "must_contain": list(pin.must_contain),
        "cited_by": [name for _file, _line, name in pin.cited_by],
        "outcome": verdict.outcome,
        "state": verdict.state,
        "message": verdict.message,
        "read": entry.date if read else None,
        "how": entry.how if read else None,
        "blob": entry.blob if read else None,
        "sha256": entry.sha256 if read else None,
        "unread_since": entry.date if entry and not read else None,
        "against": verdict.against,
    }


def _text(verdicts, result):
    lines = []
    for verdict in verdicts:
        if verdict.outcome != "failed" and (verdict.outcome != "passed" or verdict.against):
            lines.append(f"{verdict.outcome:12} {verdict.pin}: {verdict.message}")
    told = ", ".join(f"{count} {outcome}" for outcome, count in result["outcomes"].items() if count)
    again = sum(verdict.state == "read" for verdict in verdicts)
    lines.append(f"{len(verdicts)} pins: {told or 'none'}; {again} read again now ({result['mode']})")
    return "\n".join(lines)
