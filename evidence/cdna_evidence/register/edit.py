# SPDX-License-Identifier: Apache-2.0
"""Changes to claim files by command: new, withdraw, review. Comments and layout of the YAML stay as they are.

Every change is text put in at one place; the new text is read again and must differ from the old data by exactly the
change that was meant, and load. Otherwise nothing is written.
"""

import json
import re
import types
from pathlib import Path

from . import ledger
from .files import write_whole, writing
from .load import load_all
from .models import DATE, DOTTED, ID, KEBAB
from .reader import read_document

TODO = "TODO"
HEADER = "# yaml-language-server: $schema=../schema/claims.schema.json\n# SPDX-License-Identifier: CC-BY-4.0\n"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,()/+-]*[A-Za-z0-9)]\Z")


class EditError(Exception):
    """A change that cannot be made; the message says why and what to do instead. Nothing was written."""


class Place:
    """A claim's text in a chapter: which lines, which indent, block or flow style."""

    def __init__(self, root, path, content, document, number):
        self.path = path
        self.file = path.relative_to(root).as_posix()
        self.text = content.decode("utf-8")
        self.document = document
        self.number = number
        self.data = document.data[number]
        self.end_of_line = "\r\n" if "\r\n" in self.text else "\n"
        self.lines = self.text.split("\n")
        self.first = document.mark((number,))[0]
        following = document.marks.get((number + 1,))
        self.last = following[0] - 1 if following else len(self.lines)
        column = document.mark((number,))[1] - 1
        if self.lines[self.first - 1][column : column + 1] == "{" or not self.lines[self.first - 1][:column].strip() == "-":
            raise EditError(f"{self.file}:{self.first}: claims are lists of fields, one a line; this one is written in another style: edit it by hand")
        self.indent = " " * column

    def key_line(self, field):
        """Return the number of the line where a field of the claim starts, or None."""
        mark = self.document.keys.get((self.number, field))
        return mark[0] if mark else None

    def field_end(self, field):
        """Return the number of the last line of a field's value (blank lines and comments after it left out)."""
        starts = sorted(self.document.keys[(self.number, name)][0] for name in self.data)
        later = [line for line in starts if line > self.key_line(field)]
        last = later[0] - 1 if later else self.last
        while last > self.key_line(field) and (not self.lines[last - 1].strip() or self.lines[last - 1].lstrip().startswith("#")):
            last -= 1
        return last

    def put(self, after, lines):
        """Return the text with lines put in after a line number."""
        tail = "\r" if self.end_of_line == "\r\n" else ""
        new = self.lines[:after] + [line + tail for line in lines] + self.lines[after:]
        if after == len(self.lines) and self.lines[-1] != "":
            new[after - 1] += tail if not new[after - 1].endswith("\r") else ""
            new.append("")
        return "\n".join(new)


def new_claim(root, chapter, key, title, prefix=None):
    """Issue the next id: append a skeleton to the chapter's file and a line to the ledger.

    Args: root: Path; chapter: file stem; key: readable, never used before; title: one line; prefix: of the id, or None
      for that of the chapter's first claim.
    Returns: {"id", "key", "file", "line"}.
    Raises: EditError.
    """
    if not KEBAB.match(chapter):
        raise EditError(f"chapter={chapter}: lower-case words joined by hyphens")
    if not DOTTED.match(key):
        raise EditError(f"key={key}: lower-case words joined by dots, such as tdm.pad.interval-encoding")
    title = _prose("title", title)
    with writing(root):
        places = _documents(root)
        events, problems = ledger.read(root)
        if problems and (Path(root) / ledger.FILE).exists():
            raise EditError("\n".join(str(item) for item in problems))
        known, _ = ledger.states(events)
        path = Path(root) / "evidence" / "claims" / f"{chapter}.yml"
        content, document = places.get(path, (b"", read_document(b"", path.name)))
        claims = document.data or []
        if prefix is None:
            ids = [claim.get("id") for claim in claims if isinstance(claim, dict)]
            first = next((name for name in ids if isinstance(name, str) and ID.match(name)), None)
            if first is None:
                raise EditError(f"prefix: needed for the first claim of a chapter; there are {', '.join(sorted({n.split('-')[0] for n in known})) or 'none yet'}")
            prefix = first.split("-")[0]
        taken, keys = set(known), {name: state.id for state in known.values() for name in state.keys}
        for _, other in places.values():
            for claim in other.data or []:
                if isinstance(claim, dict):
                    taken.add(claim.get("id"))
                    for name in [claim.get("key"), *(claim.get("was") or [])]:
                        keys.setdefault(name, claim.get("id"))
        if key in keys:
            raise EditError(f"key={key}: one that was never used; {keys[key]} has it")
        numbers = [int(name.split("-")[1]) for name in taken if isinstance(name, str) and ID.match(name) and name.split("-")[0] == prefix]
        issued = f"{prefix}-{max(numbers, default=0) + 1:03}"
        if not ID.match(issued):
            raise EditError(f"prefix={prefix}: 2 to 5 capitals")
        text = content.decode("utf-8")
        column = document.mark((0,))[1] - 3 if claims else 0
        eol = "\r\n" if "\r\n" in text else "\n"
        if not text:
            text = HEADER
        if not text.endswith("\n"):
            text += eol
        line = text.count("\n") + 2
        skeleton = _skeleton(issued, key, title)
        new = text + eol + "".join(" " * max(column, 0) + part + eol for part in skeleton)
        again = read_document(new.encode("utf-8"), path.name)
        if again.problems or not isinstance(again.data, list) or again.data[:-1] != claims or again.data[-1].get("id") != issued:
            raise EditError(f"evidence/claims/{path.name}: not a plain list of claims at its end: append the claim by hand")
        # The file first: killed in between, the claim stands without its line, which `cdna claim lock` adds.
        write_whole(path, new.encode("utf-8"))
        ledger.append(root, [ledger.Event(issued, 0, ledger.today(), "issued", "-", key)])
    return {"id": issued, "key": key, "file": f"evidence/claims/{path.name}", "line": line}


def _skeleton(issued, key, title):
    from cdna_evidence import settings

    target = "any" if issued.startswith("REG-") else "gfx1250"
    return [
        f"- id: {issued}",
        f"  key: {key}",
        f"  title: {_text(title)}",
        f"  targets: [{target}]",
        f"  layer: {'site' if target == 'any' else 'isa'}",
        "  statement: >-",
        f"    {TODO} one idea in our own words; every number is a placeholder",
        "  boundary: >-",
        f"    {TODO} what must not be concluded from it",
        f"  values: {{{target}: {{}}}}",
        "  evidence:",
        f"    - {{source: {TODO}, locator: {TODO}, stance: supports}}",
        "  covers: []",
        "  revision: 1",
        "  status: active",
        f"  since: \"{settings.version()}\"",
    ]


def withdraw_claim(root, name, reason, successors=()):
    """Withdraw a claim, or supersede it when it has successors; its id, text and page stay.

    A claim that was taken out of its file comes back from the git history, withdrawn. An id that was issued but never
    stated loses its skeleton and keeps its line in the ledger.
    Args: root: Path; name: id or key; reason: one sentence; successors: ids, most relevant first.
    Returns: {"id", "status", "file"}.
    Raises: EditError.
    """
    reason = _prose("reason", reason)
    root = Path(root)
    with writing(root):
        places, known, identity = _claim_named(root, name)
        state = known.get(identity)
        for successor in successors:
            if _find(places, successor) is None:
                raise EditError(f"successor={successor}: an id in evidence/claims")
            if successor == identity:
                raise EditError(f"successor={successor}: another claim than itself")
        found = _find(places, identity)
        if state is not None and state.ended:
            raise EditError(f"{identity} is {state.ended} already ({ledger.FILE} line {state.line})")
        if state is None:
            raise EditError(f"{identity} is not in {ledger.FILE}: it was never issued; take it out of its file, or run `cdna claim lock` first")
        if state.revision == 0:
            return _withdraw_unstated(root, places, found, state, reason, successors)
        if found is None:
            found = _restored(root, places, identity)
        place = Place(root, *found)
        status = "superseded" if successors else "withdrawn"
        at = place.key_line("status")
        mark = place.document.mark((place.number, "status"))
        old = str(place.data.get("status"))
        row = place.lines[at - 1] if at else ""
        token = next((t for t in (old, f'"{old}"', f"'{old}'") if row[mark[1] - 1 :].startswith(t)), None)
        if at is None or mark[0] != at or token is None:
            raise EditError(f"{place.file}:{place.first}: status stands on a line of its own: edit it by hand")
        place.lines[at - 1] = row[: mark[1] - 1] + status + row[mark[1] - 1 + len(token) :]
        today = ledger.today()
        lines = [f"{place.indent}withdrawn: {{date: {today}, reason: {_quoted(reason)}}}"]
        expected = {**place.data, "status": status, "withdrawn": {"date": today, "reason": reason}}
        if successors:
            lines.append(f"{place.indent}superseded_by: [{', '.join(successors)}]")
            expected["superseded_by"] = list(successors)
        # Its meaning must be the recorded one: a claim is withdrawn as it stood.
        _commit(root, place, place.put(at, lines), expected, state)
    return {"id": identity, "status": status, "file": place.file}


def _claim_named(root, name):
    """Return (documents, states by id, id) for a claim's id or key. Raises: EditError: none, or the ledger is not right."""
    places = _documents(root)
    events, problems = ledger.read(root)
    if problems:
        raise EditError("\n".join(str(item) for item in problems))
    known, _ = ledger.states(events)
    return places, known, _identity(places, known, name)


def review_claim(root, name, note):
    """Record in a claim and in the ledger that its wording changed and its meaning did not.

    Returns: {"id", "revision", "file"}. Raises: EditError: nothing changed since the ledger's last line, among others.
    """
    note = _prose("note", note)
    root = Path(root)
    with writing(root):
        places, known, identity = _claim_named(root, name)
        state, found = known.get(identity), _find(places, identity)
        if state is None or found is None or state.revision == 0:
            raise EditError(f"{identity}: nothing was recorded yet that a review could compare with; run `cdna claim lock`")
        place = Place(root, *found)
        now = _loaded(root, {}, identity)
        sum_ = ledger.checksum(now)
        if now.revision != state.revision:
            raise EditError(f"{identity}: revision is {now.revision}, recorded is {state.revision}: a raised revision needs no review")
        if sum_ == state.checksum:
            raise EditError(f"{identity}: nothing with meaning changed since r{state.revision} was recorded")
        entry = {"date": ledger.today(), "revision": now.revision, "checksum": sum_, "note": note}
        row = f"{place.indent}  - {{date: {entry['date']}, revision: {now.revision}, checksum: \"{sum_}\", note: {_quoted(note)}}}"
        if "reviews" in place.data:
            after, lines = place.field_end("reviews"), [row]
        else:
            after, lines = place.field_end("status"), [f"{place.indent}reviews:", row]
        expected = {**place.data, "reviews": [*place.data.get("reviews", []), entry]}
        _commit(root, place, place.put(after, lines), expected, state)
    return {"id": identity, "revision": now.revision, "file": place.file}


# --- reading and finding ---


def _documents(root):
    """Return {path: (content, Document)} of the claim files. Raises: EditError: one is not readable as YAML."""
    found = {}
    for path in sorted((Path(root) / "evidence" / "claims").glob("*.yml")):
        content = path.read_bytes()
        document = read_document(content, path.relative_to(root).as_posix())
        if document.problems or not isinstance(document.data, (list, type(None))):
            raise EditError("\n".join(map(str, document.problems)) or f"{path.name}: a list of claims")
        found[path] = (content, document)
    return found


def _find(places, identity):
    for path, (content, document) in places.items():
        for number, claim in enumerate(document.data or []):
            if isinstance(claim, dict) and claim.get("id") == identity:
                return path, content, document, number
    return None


def _identity(places, known, name):
    if name in known or _find(places, name):
        return name
    for _, document in places.values():
        for claim in document.data or []:
            if isinstance(claim, dict) and name in [claim.get("key"), *(claim.get("was") or [])]:
                return claim.get("id")
    owner = next((state.id for state in known.values() if name in state.keys), None)
    if owner is None:
        raise EditError(f"{name}: no such id or key")
    return owner


def _restored(root, places, identity):
    """Return the place of a claim that was taken out, put back at the end of its chapter from the git history."""
    commits = ledger.git(root, "log", "--format=%H", f"-S{identity}", "HEAD", "--", "evidence/claims") if ledger.is_top(root) else None
    heads = ["HEAD"] + [side for commit in (commits or b"").decode().split() for side in (commit, commit + "~1")]
    for revision in heads:
        names = ledger.git(root, "ls-tree", "--name-only", "-z", revision, "evidence/claims/")
        for name in (names or b"").decode("utf-8").split("\0"):
            if not name.endswith(".yml"):
                continue
            content = ledger.git(root, "show", f"{revision}:{name}") or b""
            document = read_document(content, name)
            found = _find({Path(root) / name: (content, document)}, identity) if isinstance(document.data, list) else None
            if found is None:
                continue
            block = Place(Path(root), *found)
            lines = block.lines[block.first - 1 : block.last]
            while lines and (not lines[-1].strip() or lines[-1].startswith("#")):
                lines.pop()
            path = Path(root) / name
            now, _ = places.get(path, (HEADER.encode(), None))
            text = now.decode("utf-8")
            text += ("" if text.endswith("\n") else "\n") + "\n" + "\n".join(lines) + "\n"
            again = read_document(text.encode("utf-8"), name)
            back = _find({path: (text.encode("utf-8"), again)}, identity)
            if not again.problems and back is not None:
                return back
    raise EditError(f"{identity} is in no file of evidence/claims and not in the git history here: put its text back, then withdraw it")


def _withdraw_unstated(root, places, found, state, reason, successors):
    if successors:
        raise EditError(f"{state.id} was never stated: nothing can replace it; leave --successor out")
    file = ledger.FILE
    if found is not None:
        path, content, document, number = found
        place = Place(root, path, content, document, number)
        file = place.file
        start, stop = place.first - 1, place.last
        while start and not place.lines[start - 1].strip():
            start -= 1
        text = "\n".join(place.lines[:start] + ([""] if stop >= len(place.lines) else place.lines[stop - 1 : stop] if not place.lines[stop - 1].strip() else []) + place.lines[stop:])
        again = read_document(text.encode("utf-8"), place.file)
        if again.problems or (again.data or []) != document.data[:number] + document.data[number + 1 :]:
            raise EditError(f"{place.file}:{place.first}: take the skeleton of {state.id} out by hand, then run this again")
        write_whole(path, text.encode("utf-8"))
    ledger.append(root, [ledger.Event(state.id, 0, ledger.today(), "withdrawn", "-", reason)])
    return {"id": state.id, "status": "withdrawn", "file": file}


# --- checking a change ---


def _commit(root, place, text, expected, state):
    """Write a claim's file and its lines of the ledger; raise, with nothing written, unless exactly the meant change was made."""
    content = text.encode("utf-8")
    again = read_document(content, place.file)
    wanted = list(place.document.data)
    wanted[place.number] = expected
    if again.problems or again.data != wanted:
        raise EditError(f"{place.file}:{place.first}: the layout of this claim is not one that can be changed by command: edit it by hand")
    claim = _loaded(root, {place.file: content}, expected["id"])
    more, wrong = ledger.pending(types.SimpleNamespace(claims={claim.id: claim}), {claim.id: state})
    if wrong:
        raise EditError("\n".join(str(item) for item in wrong))
    write_whole(place.path, content)
    ledger.append(root, [event for event, _ in more])


def _loaded(root, overlay, identity):
    register, problems = load_all(root, overlay)
    ours = [item for item in problems if item.claim == identity]
    if identity not in register.claims or ours:
        raise EditError("\n".join(str(item) for item in ours or problems))
    return register.claims[identity]


def _prose(field, text):
    text = " ".join(text.split())
    if not text or not text.isprintable():
        raise EditError(f"{field}: one line of text, not empty")
    return text


def _quoted(text):
    return json.dumps(text, ensure_ascii=False)


def _text(text):
    return text if _PLAIN.match(text) and not DATE.match(text) and text.lower() not in ("yes", "no", "on", "off", "true", "false", "null") else _quoted(text)
