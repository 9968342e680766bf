# SPDX-License-Identifier: Apache-2.0
"""`cdna claim`: list, show, issue, review, lock and withdraw claims."""

from .output import CannotTell, Usage, emit, parser


def run(argv):
    """Run `cdna claim ...` and return the exit status (0 fine, 1 problems in the ledger, 2 wrong usage or a register that does not load)."""
    options = _parser().parse_args(argv)
    return options.act(options)


def _parser():
    top = parser("claim", "List, show, issue, review, lock and withdraw claims.")
    acts = top.add_subparsers(dest="what", required=True, metavar="list|show|new|withdraw|review|lock")

    def act(name, function, text):
        sub = acts.add_parser(name, help=text, description=text, allow_abbrev=False)
        sub.set_defaults(act=function)
        sub.add_argument("--json", action="store_true", help="one JSON document")
        return sub

    act("list", _list, "List every claim with its checks of the last run.")
    act("show", _show, "Show one claim.").add_argument("id", help="an id, a key or an old key")
    new = act("new", _new, "Issue the next id and append a skeleton to a chapter.")
    new.add_argument("--chapter", required=True, help="stem of the file in evidence/claims")
    new.add_argument("--key", required=True, help="readable key, such as tdm.pad.interval-encoding")
    new.add_argument("--title", required=True)
    new.add_argument("--prefix", help="of the id, such as TDM; default: that of the chapter's first claim")
    gone = act("withdraw", _withdraw, "Withdraw a claim: it stays in the register with date, reason and successor.")
    gone.add_argument("id")
    gone.add_argument("--reason", required=True, help="why, in one sentence")
    gone.add_argument("--successor", action="append", default=[], help="the id that replaces it; several when it was split")
    review = act("review", _review, "Record that a claim's wording changed and its meaning did not.")
    review.add_argument("id")
    review.add_argument("--wording-only", required=True, metavar="NOTE", dest="note", help="what changed")
    lock = act("lock", _lock, "Record new ids, revisions and reviews in evidence/ids.lock.")
    lock.add_argument("--check", action="store_true", help="change nothing; say what is missing (exit status 1)")
    return top


def load_register():
    """Return the register. Raises: Usage: with every problem, when it does not load."""
    from cdna_evidence.register import RegisterError, load

    try:
        return load()
    except RegisterError as error:
        count = len(error.problems)
        raise Usage(f"{count} problem{'s' if count > 1 else ''} in the register\n{error}") from None


def check_site():
    """Raise Usage when the site's address in the environment is none."""
    from cdna_evidence import settings

    try:
        settings.site_url()
    except ValueError as error:
        raise Usage(str(error)) from None


def find(register, name):
    """Return the Claim of an id, key or old key. Raises: Usage: there is none; it names what is near."""
    upper = name.upper()
    try:
        return register.by_key(upper if upper in register.claims else name)
    except KeyError:
        import difflib

        known = list(register.claims) + [claim.key for claim in register.claims.values()]
        near = difflib.get_close_matches(name, known, 3)
        raise Usage(f"no claim {name!r}: an id or a key" + (f"; near: {', '.join(near)}" if near else "")) from None


def _list(options):
    register = load_register()
    from cdna_evidence.export import claim_entry, read_results

    results = read_results()
    entries = [claim_entry(claim, results.checks(claim)) for claim in register.claims.values()]
    result = {"claims": entries, "results": results.summary()}
    lines = [f"{'id':8} {'rev':>3} {'status':10} {'checks':30} title"]
    for claim, entry in zip(register.claims.values(), entries, strict=True):
        lines.append(f"{claim.id:8} {claim.revision:>3} {claim.status:10} {_counts(claim, entry['checks']):30} {claim.title}")
    lines.append(f"{len(entries)} claims. {results.note}")
    return emit("claim list", None, result, json=options.json, text="\n".join(lines))


def _counts(claim, checks):
    if not checks:
        return "untestable" if claim.untestable else "none ran"
    counted = {}
    for item in checks:
        counted[item["outcome"]] = counted.get(item["outcome"], 0) + 1
    return ", ".join(f"{number} {word}" for word, number in sorted(counted.items(), key=lambda pair: str(pair[0])))


def _show(options):
    check_site()
    register = load_register()
    from cdna_evidence.cite import state_text
    from cdna_evidence.export import claim_entry, claim_record, read_results

    claim = find(register, options.id)
    results = read_results()
    checks = results.checks(claim)
    result = {**claim_record(claim), **claim_entry(claim, checks)}
    return emit("claim show", None, result, json=options.json, text=_show_text(register, claim, checks, state_text(claim, results.document), results.note))


def _show_text(register, claim, checks, state, note):
    from cdna_evidence.register.target_names import stepping_names, written

    lines = [f"{claim.id} r{claim.revision}  {claim.key}  [{written(claim.targets_given)}]  {claim.layer}, {claim.status}", claim.title, ""]
    if claim.withdrawn:
        lines.append(f"{claim.status} {claim.withdrawn.date}: {claim.withdrawn.reason}")
    if claim.superseded_by:
        lines.append("Replaced by: " + ", ".join(claim.superseded_by))
    if claim.safe:
        lines.append("Safe under every reading: " + claim.fill(claim.safe))
    lines.append(claim.statement_text())
    lines.append("Does not say: " + claim.fill(claim.boundary))
    for position in claim.positions:
        mark = " (this project's reading)" if position.name == claim.reading_name() else ""
        limit = f", {stepping_names(position.stepping)} only" if position.stepping else ""
        lines.append(f"Position {position.name}{limit}{mark}: {claim.statement_text(position=position.name)}")
    if claim.reading:
        lines.append("Why this reading: " + claim.fill(claim.reading.why))
    if claim.untestable:
        lines.append("No check: " + claim.untestable)
    lines += ["", "Evidence: " + state]
    for position, item in claim.all_evidence():
        source = register.sources.get(item.source)
        where = item.locator or _pin_text(item.pin)
        via = f", via {item.via}" if item.via else ""
        side = f" [{position}]" if position else ""
        lines.append(f"  {item.stance}{side}: {item.source}, {source.title if source else ''}, {where}{via} ({item.access})")
    lines.append("Checks:" if checks else f"Checks: none ran. {note}")
    for item in checks:
        side = f", {item['position']}" if item["position"] else ""
        lines.append(f"  {item['outcome']}: {item['check']} ({item['kind']}, {item['target']}{side}, {item['witness'] or 'model'})")
    lines.append(f"Defined in {claim.file}:{claim.line}")
    return "\n".join(lines)


def _pin_text(pin):
    return f"{pin['path']} lines {pin['lines'][0]} to {pin['lines'][1]} at {pin['commit'][:12]}" if pin else ""


def _new(options):
    from cdna_evidence.register import edit

    issued = _edit(edit.new_claim, chapter=options.chapter, key=options.key, title=options.title, prefix=options.prefix)
    return emit("claim new", None, issued, json=options.json, text=f"{issued['id']} in {issued['file']}:{issued['line']}; fill it in, then run `cdna claim lock`")


def _withdraw(options):
    from cdna_evidence.register import edit

    done = _edit(edit.withdraw_claim, name=options.id, reason=options.reason, successors=options.successor)
    return emit("claim withdraw", None, done, json=options.json, text=f"{done['id']} is {done['status']}; it keeps its page and its id")


def _review(options):
    from cdna_evidence.register import edit

    done = _edit(edit.review_claim, name=options.id, note=options.note)
    return emit("claim review", None, done, json=options.json, text=f"{done['id']} r{done['revision']}: wording only, recorded")


def _edit(function, **arguments):
    from cdna_evidence import settings
    from cdna_evidence.register.edit import EditError

    if settings.clone() is None:
        raise CannotTell("the register can be changed in a clone of the repository only")
    try:
        return function(settings.root(), **arguments)
    except EditError as error:
        raise Usage(str(error)) from None


def _lock(options):
    from cdna_evidence import settings
    from cdna_evidence.register import ledger

    register = load_register()
    if options.check:
        problems = ledger.ledger_problems(register)
        appended = []
    else:
        if settings.clone() is None:
            raise CannotTell("the ledger can be written in a clone of the repository only")
        appended, problems = ledger.lock(register)
    findings = [
        {"rule": "ledger", "severity": "error", "message": str(item), "claim": item.claim, "field": item.field} for item in problems
    ]
    result = {"recorded": [line.text() for line in appended], "problems": len(problems), "compared_with": ledger.compared_with(register.root)}
    text = "\n".join([line.text() for line in appended] + [f"{len(appended)} lines recorded in {ledger.FILE}"])
    if options.check:
        text = f"{ledger.FILE}: {len(problems)} problems; compared with {result['compared_with'] or 'no earlier version (no git history here)'}"
    return emit("claim lock", None, result, findings, json=options.json, text=text)

