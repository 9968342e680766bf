# SPDX-License-Identifier: Apache-2.0
"""The ledger evidence/ids.lock: every id ever issued and what became of it. It only grows.

One event a line, sorted by id, each id's events in order of time:

    TDM-031 r1 2026-12-01 stated 5f0c...64 hexadecimal digits... tdm.pad.interval-encoding

id, revision, date, event, checksum of what has meaning ("-" when nothing was stated yet), and the event's text:
issued KEY, stated KEY, revised KEY, renamed KEY, wording NOTE, withdrawn REASON, superseded ID[,ID] REASON.
Two branches that add lines to different ids merge without conflict (.gitattributes: merge=union); two that issue one id
both stay, and that is reported. A line that any commit of the history added must still be there.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from .files import write_whole, writing
from .problem import problem

FILE = "evidence/ids.lock"
HEADER = "# Every id ever issued, one event a line; only `cdna claim` writes here, and no line ever leaves. 1\n"
EVENTS = ("issued", "stated", "revised", "renamed", "wording", "withdrawn", "superseded")
_LINE = re.compile(r"([A-Z][A-Z0-9]{1,4}-[0-9]{3,4}) r([0-9]{1,4}) ([0-9]{4}-[0-9]{2}-[0-9]{2}) ([a-z]+) (-|[0-9a-f]{64}) (\S.*)\Z")


class Event(NamedTuple):
    """One line of the ledger; `line` is its number in the file (0 when it is new)."""

    id: str
    revision: int
    date: str
    event: str
    checksum: str
    rest: str
    line: int = 0

    def text(self):
        """Return the line without its end."""
        return f"{self.id} r{self.revision} {self.date} {self.event} {self.checksum} {self.rest}"


class State(NamedTuple):
    """What the ledger knows of one id after all its events.

    Args: revision: 0 when nothing was stated; checksum: "-" likewise; key: the present one; keys: all; ended: None,
      "withdrawn" or "superseded"; issued: date; line: of the last event.
    """

    id: str
    revision: int
    checksum: str
    key: str
    keys: tuple
    ended: str | None
    issued: str
    line: int


def checksum(claim):
    """Return the SHA-256 (64 hexadecimal digits) of what has meaning in a claim.

    That is targets, layer, SKUs, statement, boundary, values, what each position says, its values and steppings, the reading and
    `safe`; white space does not count, nor do title, key, evidence, covers and status.
    """
    meaning = {
        "targets": claim.targets_given,
        "layer": claim.layer,
        "sku": claim.sku,
        "statement": claim.statement,
        "boundary": claim.boundary,
        "values": claim.values,
        "positions": [[item.name, item.says, item.values, *([item.stepping] if item.stepping else [])] for item in claim.positions],
        "reading": claim.reading.position if claim.reading else None,
        "safe": claim.safe,
    }
    text = json.dumps(meaning, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def today():
    """Return the date that new lines carry (UTC)."""
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")


def parse(text, file=FILE):
    """Return ([Event], [Problem]) of a ledger's text; a line that is none is a problem, not a crash."""
    events, problems = [], []
    seen = {}
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if not match or match[4] not in EVENTS:
            problems.append(problem(file, (number, 1), "line", line, "ID rN DATE EVENT CHECKSUM TEXT, as `cdna claim lock` writes it"))
            continue
        event = Event(match[1], int(match[2]), match[3], match[4], match[5], match[6], number)
        if line in seen:
            problems.append(problem(file, (number, 1), "line", event.id, f"each line once; it stands in line {seen[line]}", event.id))
            continue
        seen[line] = number
        events.append(event)
    return events, problems


def read(root):
    """Return ([Event], [Problem]) of the ledger below a root; a missing file is a problem."""
    try:
        content = (Path(root) / FILE).read_bytes()
    except OSError as error:
        return [], [problem(FILE, (1, 1), "file", None, f"not readable: {error.strerror}")]
    try:
        return parse(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        return [], [problem(FILE, (1, 1), "file", f"byte {error.start}", "UTF-8 text")]


def states(events):
    """Return ({id: State}, [Problem]) after all events: revisions rise by one, nothing follows an end."""
    found, problems = {}, []
    for event in events:
        old = found.get(event.id)
        key = event.rest if event.event in ("issued", "stated", "revised", "renamed") else old.key if old else ""
        allowed = _out_of_order(old, event)
        if allowed:
            problems.append(problem(FILE, (event.line, 1), "event", f"{event.event} r{event.revision}", allowed, event.id))
            if old:
                continue
        ended = event.event if event.event in ("withdrawn", "superseded") else None
        keys = old.keys if old else ()
        found[event.id] = State(
            event.id,
            event.revision,
            event.checksum,
            key,
            keys if key in keys or not key else keys + (key,),
            ended,
            old.issued if old else event.date,
            event.line,
        )
    return found, problems


def _out_of_order(old, event):
    """Return what is allowed when an event cannot follow the state, or None."""
    if old is None:
        right = (event.event, event.revision, event.checksum == "-") in (("issued", 0, True), ("stated", 1, False))
        return None if right else "an id begins with `issued` r0 or `stated` r1"
    if old.ended:
        return f"nothing after `{old.ended}` in line {old.line}"
    if event.event == "issued" or (event.event == "stated" and old.revision):
        return f"an id is issued once; see line {old.line}: if two branches issued it, one of them takes a new id"
    if event.event == "stated":
        return None if event.revision == 1 and event.checksum != "-" else "r1 with a checksum"
    if event.event == "revised":
        return None if event.revision == old.revision + 1 and event.checksum != "-" else f"r{old.revision + 1}, one more than line {old.line}"
    if event.revision != old.revision:
        return f"r{old.revision}, as in line {old.line}"
    if event.event in ("renamed", "wording") and not old.revision:
        return "`stated` before it"
    return None


def ledger_problems(register, git=True):
    """Return the problems between the register and its ledger: vanished ids, changed meanings, lines not yet recorded.

    Args: register: as loaded; git: compare with the history too, where there is one.
    """
    events, problems = read(register.root)
    known, found = states(events)
    problems += found
    new, found = pending(register, known)
    problems += found
    for event, claim in new:
        allowed = f"`cdna claim lock` records it ({event.event} r{event.revision})"
        problems.append(problem(claim.file, (claim.line, 1), "ledger", None, allowed, claim.id))
    if git:
        problems += _history_problems(register.root, events)
    return problems


def pending(register, known):
    """Return ([(Event, Claim)] that the ledger lacks, [Problem] that no lock can cure).

    Args: known: {id: State}.
    """
    new, problems = [], []
    unknown = {claim.key: claim.id for claim in register.claims.values() if claim.id not in known}
    for state in known.values():
        if state.id not in register.claims:
            if state.ended and not state.revision:
                continue
            renamed = next((unknown[key] for key in state.keys if key in unknown), None)
            word = f"renamed to {renamed}" if renamed else "removed"
            command = f"cdna claim withdraw {state.id} --reason \"...\"" + (f" --successor {renamed}" if renamed else "")
            allowed = f"no id may vanish; `{command}` brings it back and withdraws it"
            problems.append(problem(FILE, (state.line, 1), "id", f"{state.id} was {word}", allowed))
    for claim in register.claims.values():
        events, found = _claim_pending(claim, known.get(claim.id))
        new += [(event, claim) for event in events]
        problems += found
    return new, problems


def _claim_pending(claim, state):
    date, sum_ = today(), checksum(claim)

    def wrong(field, given, allowed):
        return [], [problem(claim.file, (claim.line, 1), field, given, allowed, claim.id)]

    events = []
    if state is None or state.revision == 0:
        if state is not None and state.ended:
            return wrong("id", claim.id, f"a new id (`cdna claim new`); this one was withdrawn before anything was stated, {FILE} line {state.line}")
        if claim.revision != 1:
            return wrong("revision", claim.revision, "1 for a claim that is new")
        events.append(Event(claim.id, 1, date, "stated", sum_, claim.key))
    else:
        # An id is reused when it comes back with another key and another meaning.
        missing = [key for key in state.keys if key not in (claim.key, *claim.was)]
        if missing and sum_ != state.checksum and claim.revision == state.revision:
            return wrong("id", claim.id, f"a new id (`cdna claim new`); this one means {state.key}, {FILE} line {state.line}")
        if missing:
            return wrong("was", ", ".join(claim.was) or None, f"every key the claim ever had stays in was; missing: {', '.join(missing)}")
        if state.ended and claim.live:
            return wrong("status", claim.status, f"{state.ended}, as in {FILE} line {state.line}; what comes back takes a new id (`cdna claim new`)")
        if claim.revision < state.revision:
            return wrong("revision", claim.revision, f"{state.revision} or {state.revision + 1}; a revision never goes down")
        if claim.revision > state.revision + 1:
            return wrong("revision", claim.revision, f"{state.revision + 1}; revisions are raised by one")
        if state.ended:
            if sum_ != state.checksum or claim.revision != state.revision:
                return wrong("statement", None, f"what was {state.ended} stays as it was; take the change back")
            if claim.status != state.ended:
                return wrong("status", claim.status, f"{state.ended}, as in {FILE} line {state.line}")
            return [], []
        if claim.revision == state.revision + 1:
            if sum_ == state.checksum:
                return wrong("revision", claim.revision, f"{state.revision}: nothing with meaning changed")
            events.append(Event(claim.id, claim.revision, date, "revised", sum_, claim.key))
        else:
            if sum_ != state.checksum:
                note = next((r.note for r in reversed(claim.reviews) if r.checksum == sum_ and r.revision == claim.revision), None)
                if note is None:
                    allowed = (
                        f"changed since r{state.revision} was recorded: raise revision to {state.revision + 1} if the meaning changed, else "
                        f"`cdna claim review {claim.id} --wording-only \"what changed\"`"
                    )
                    return wrong("revision", claim.revision, allowed)
                events.append(Event(claim.id, claim.revision, date, "wording", sum_, note))
            if claim.key != state.key:
                events.append(Event(claim.id, claim.revision, date, "renamed", sum_, claim.key))
    if not claim.live:
        rest = claim.withdrawn.reason
        if claim.status == "superseded":
            rest = ",".join(claim.superseded_by) + " " + rest
        events.append(Event(claim.id, claim.revision, claim.withdrawn.date, claim.status, sum_, rest))
    return events, []


def lock(register):
    """Record in the ledger what is new: ids, revisions, reviews, keys, ends.

    Returns: ([Event] appended, [Problem] that stand against it); nothing is written while there is a problem.
    """
    with writing(register.root):
        events, problems = read(register.root)
        if not (register.root / FILE).exists():
            problems = []
        known, found = states(events)
        new, more = pending(register, known)
        problems = problems + found + more
        if problems:
            return [], problems
        append(register.root, [event for event, _ in new])
    return [event for event, _ in new], []


def append(root, new):
    """Write the ledger with new events behind those of their ids (the caller holds `writing`)."""
    path = Path(root) / FILE
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    comments = [line for line in lines if line.startswith("#")] or [HEADER.rstrip("\n")]
    entries = [line for line in lines if line and not line.startswith("#")] + [event.text() for event in new]
    entries.sort(key=_order)
    if new or not path.exists() or not lines:
        write_whole(path, ("\n".join(comments + entries) + "\n").encode("utf-8"))


def _order(line):
    # A stable sort: lines of one id keep their order of time.
    prefix, _, number = line.split(" ", 1)[0].partition("-")
    return prefix, int(number) if number.isdigit() else 0


# --- history ---


def git(root, *arguments):
    """Return the output (bytes) of git in a root, or None where there is no git, no repository or no such thing."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(GIT_OPTIONAL_LOCKS="0", LC_ALL="C")
    command = ["git", "-c", "core.quotePath=false", "-c", "log.showSignature=false", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def is_top(root):
    """Return True when a root is the top of a git work tree with at least one commit."""
    prefix = git(root, "rev-parse", "--show-prefix", "--verify", "HEAD")
    return prefix is not None and prefix.split(b"\n")[0] == b""


def compared_with(root):
    """Return what the ledger is compared with, such as "12 commits up to 1a2b3c4d5e6f", or None without a history."""
    if not is_top(root):
        return None
    head = git(root, "rev-parse", "--short=12", "HEAD")
    count = git(root, "rev-list", "--count", "HEAD", "--", FILE)
    if head is None or count is None:
        return None
    return f"{count.decode().strip()} commits of {FILE} up to {head.decode().strip()}"


def ever(root):
    """Return every ledger line that a commit reachable from HEAD added, in order of first sight; [] without a history."""
    if not is_top(root):
        return []
    out = git(root, "log", "--full-history", "--reverse", "--no-color", "--no-ext-diff", "--no-textconv", "--format=", "-p", "-U0", "HEAD", "--", FILE)
    lines = {}
    for line in (out or b"").decode("utf-8", "replace").split("\n"):
        if line.startswith("+") and _LINE.match(line[1:].rstrip("\r")):
            lines[line[1:].rstrip("\r")] = None
    return list(lines)


def _history_problems(root, events):
    here = {event.text() for event in events}
    gone = [line for line in ever(root) if line not in here]
    return [
        problem(FILE, (1, 1), "line", line, f"no line may leave or change; put it back: `git log -S'{line[:40]}' -- {FILE}` finds it", line.split(" ")[0])
        for line in gone
    ]
