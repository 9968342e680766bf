# SPDX-License-Identifier: Apache-2.0
"""From a document to claims and sources: the shapes (models.py), then the rules between fields, claims and sources."""

import datetime
import difflib

from pydantic import ValidationError

from . import models
from .leaves import values_problems
from .models import Claim
from .problem import problem
from .reader import path_text
from .text import bare_numbers, references, resolve

# The model behind each field that holds one, to name the allowed fields of an unknown one.
_INSIDE = {
    "evidence": models.Evidence,
    "positions": models.Position,
    "pin": models.Pin,
    "pins": models.Pin,
    "reading": models.Reading,
    "reviews": models.Review,
    "withdrawn": models.Withdrawal,
    "access": models.Access,
    "errata": models.Erratum,
}
_TYPES = {
    "dict_type": "a mapping of fields",
    "model_type": "a mapping of fields",
    "list_type": "a list",
    "string_type": "text (quote it)",
    "int_type": "an integer",
    "bool_type": "true or false",
}


class Entry:
    """A claim or source with the document it came from, so that a rule can say where."""

    def __init__(self, value, file, document, path):
        self.value = value
        self.file = file
        self.document = document
        self.path = path

    def problem(self, path, given, allowed, key=False):
        """Return a Problem at a path inside this entry."""
        name = self.value.id if isinstance(self.value, Claim) else self.value.key
        return problem(self.file, self.document.mark(self.path + tuple(path), key), path_text(path), given, allowed, name)


def build(model, document, file, path, data):
    """Return (Entry or None, problems) for one mapping of a document.

    Args: model: Claim or Source; path: where the mapping stands in the document; data: the mapping.
    """
    label = data.get("id" if model is Claim else "key") if isinstance(data, dict) else None
    label = label if isinstance(label, str) and len(label) < 40 else None
    if any(spot[: len(path)] == path for spot in document.bad):
        hurt = True  # something inside was refused as YAML: its field holds None and must not be reported again
    else:
        hurt = False
    try:
        value = model.model_validate(data)
    except ValidationError as error:
        found = []
        for item in error.errors(include_url=False):
            spot, extra = _spot(path, item["loc"], document)
            if any(spot[:n] in document.bad for n in range(len(path), len(spot) + 1)):
                continue
            found.append(_translate(model, document, file, path, spot, extra, item, label))
        return None, found
    if hurt:
        return None, []
    value._file = file
    if model is Claim:
        value._line = document.mark(path)[0]
    return Entry(value, file, document, path), []


def _spot(path, loc, document):
    """Return (path in the document, what is left of loc): tags of unions are no part of the document."""
    spot = path
    rest = []
    for part in loc:
        if spot + (part,) in document.marks or spot + (part,) in document.keys:
            spot += (part,)
        else:
            rest.append(part)
    return spot, rest


def _translate(model, document, file, path, spot, extra, item, label):
    kind = item["type"]
    field = path_text(spot[len(path) :])
    if kind == "missing":
        field = path_text(spot[len(path) :] + (extra[-1],))
        return problem(file, document.mark(spot), field, None, "required", label)
    if kind == "extra_forbidden":
        inside = [part for part in spot[len(path) : -1] if part in _INSIDE]
        known = _INSIDE[inside[-1]] if inside else model
        names = [info.alias or name for name, info in known.model_fields.items()]
        near = difflib.get_close_matches(str(spot[-1]), names, 1)
        hint = f"no such field; did you mean {near[0]}?" if near else "no such field; there are " + ", ".join(names)
        return problem(file, document.mark(spot, True), field, None, hint, label)
    given = item.get("input")
    context = item.get("ctx") or {}
    if kind == "literal_error":
        allowed = context["expected"].replace("'", "").replace(" or ", ", ")
    elif "allowed" in context:
        allowed = context["allowed"]
        given = context.get("given", given)
    elif kind == "too_short":
        allowed = f"at least {context.get('min_length', 1)}"
    elif kind in ("greater_than_equal", "less_than_equal"):
        allowed = item["msg"].replace("Input should be ", "")
    else:
        allowed = _TYPES.get(kind, item["msg"])
    if isinstance(given, (dict, list)):
        given = "a mapping" if isinstance(given, dict) else "a list" if given else "[]"
    return problem(file, document.mark(spot), field or "file", given if given is not None else "nothing", allowed, label)


def claim_problems(entry, sources, lost=()):
    """Return the problems of one claim that need no other claim.

    Args: entry: Entry of a Claim; sources: {key: Source}; lost: keys of sources that did not load.
    """
    claim = entry.value
    found = []
    found += _status(entry, claim)
    found += _positions(entry, claim)
    found += _values(entry, claim)
    found += _texts(entry, claim)
    for where, items in [((), claim.evidence)] + [(("positions", n), p.evidence) for n, p in enumerate(claim.positions)]:
        for number, item in enumerate(items):
            found += _evidence(entry, where + ("evidence", number), item, sources, lost)
    for field in ("title", "statement", "boundary"):
        if getattr(claim, field).startswith("TODO"):
            found.append(entry.problem((field,), getattr(claim, field), "what the claim says, in place of the skeleton's text"))
    for number, review in enumerate(claim.reviews):
        found += _date(entry, ("reviews", number, "date"), review.date)
        if review.revision > claim.revision:
            found.append(entry.problem(("reviews", number, "revision"), review.revision, f"1..{claim.revision}, the claim's revision"))
    for field in ("was", "covers", "sku"):
        items = getattr(claim, field)
        for number, item in enumerate(items):
            if item in items[:number]:
                found.append(entry.problem((field, number), item, "each once"))
    if claim.key in claim.was:
        found.append(entry.problem(("was",), claim.key, "old keys only; this is the present key"))
    if (claim.layer == "product") != bool(claim.sku):
        allowed = "a claim of layer product names its SKUs" if claim.layer == "product" else "only with layer product"
        found.append(entry.problem(("sku",), ", ".join(claim.sku) or None, allowed, key=True))
    return found


def half_read_problems(document, file, path, data, sources, lost=()):
    """Return what else is wrong with a claim whose shape is: unknown sources and numbers in its statements.

    Args: document, file: where it stands; path: of the claim in the document; data: its mapping; sources, lost: as for
      `claim_problems`.
    """
    label = data.get("id") if isinstance(data.get("id"), str) and len(data["id"]) < 40 else None
    found = []

    def say(spot, given, allowed):
        if not any((path + spot)[:n] in document.bad for n in range(len(path), len(path + spot) + 1)):
            found.append(problem(file, document.mark(path + spot), path_text(spot), given, allowed, label))

    parts = data.get("positions") if isinstance(data.get("positions"), list) else []
    parts = [((), data, "statement")] + [(("positions", n), part, "says") for n, part in enumerate(parts)]
    for where, part, text in parts:
        if not isinstance(part, dict):
            continue
        if isinstance(part.get(text), str):
            for number in bare_numbers(part[text]):
                say(where + (text,), number.rstrip(".,"), "a number in a statement must be a placeholder, {name}, from values")
        for number, item in enumerate(part["evidence"] if isinstance(part.get("evidence"), list) else []):
            for field in ("source", "via"):
                key = item.get(field) if isinstance(item, dict) else None
                if isinstance(key, str) and key not in sources and key not in lost:
                    say(where + ("evidence", number, field), key, _known(key, sources))
    return found


def _date(entry, path, date):
    try:
        datetime.date.fromisoformat(date)
    except ValueError:
        return [entry.problem(path, date, "a day that exists")]
    return []


def _status(entry, claim):
    found = []
    ended = not claim.live
    if ended and claim.withdrawn is None:
        found.append(entry.problem(("status",), claim.status, f"withdrawn: {{date, reason}} with it; `cdna claim withdraw {claim.id} --reason \"...\"` writes both"))
    if not ended and claim.withdrawn is not None:
        found.append(entry.problem(("withdrawn",), None, f"only with status withdrawn or superseded, this is {claim.status}", key=True))
    if claim.withdrawn is not None:
        found += _date(entry, ("withdrawn", "date"), claim.withdrawn.date)
    if claim.status == "superseded" and not claim.superseded_by:
        found.append(entry.problem(("status",), "superseded", "superseded_by: [the ids that replace it]"))
    if claim.status != "superseded" and claim.superseded_by:
        found.append(entry.problem(("superseded_by",), ", ".join(claim.superseded_by), f"only with status superseded, this is {claim.status}"))
    return found


def _positions(entry, claim):
    found = []
    names = [position.name for position in claim.positions]
    for number, name in enumerate(names):
        if name in names[:number]:
            found.append(entry.problem(("positions", number, "name"), name, "each position's name once"))
    if claim.status == "disputed":
        if len(names) < 2:
            found.append(entry.problem(("positions",), f"{len(names)} positions", "at least 2 for a disputed claim"))
        if claim.reading is None:
            found.append(entry.problem(("reading",), None, "required for a disputed claim: {position, why}"))
        if claim.safe is None:
            found.append(entry.problem(("safe",), None, "required for a disputed claim: what is right under every position"))
    elif claim.status == "active":
        for field in ("positions", "reading", "safe"):
            if getattr(claim, field):
                found.append(entry.problem((field,), None, "only for a disputed claim, this is active", key=True))
    for number, position in enumerate(claim.positions):
        if position.stepping and len([target for target in claim.targets if target != "any"]) != 1:
            found.append(entry.problem(("positions", number, "stepping"), ", ".join(position.stepping), "in a claim about one target"))
    if claim.reading is not None and claim.reading.position not in names:
        found.append(entry.problem(("reading", "position"), claim.reading.position, "one of the positions: " + (", ".join(names) or "none")))
    if not claim.positions and not claim.evidence:
        found.append(entry.problem(("evidence",), None, "at least one entry"))
    return found


def _values(entry, claim):
    found = []
    targets = ", ".join(claim.targets)
    for where, values in [(("values",), claim.values)] + [(("positions", n, "values"), p.values) for n, p in enumerate(claim.positions)]:
        for target, named in values.items():
            if target not in claim.targets:
                found.append(entry.problem(where + (target,), target, f"one of the claim's targets: {targets}", key=True))
            for path, given, allowed in values_problems(named):
                found.append(entry.problem(where + (target,) + path, given, allowed))
    if claim.live and claim.untestable is None:
        for name in _unique_positions(claim):
            for target in claim.targets:
                if not claim.values_for(target, name):
                    what = f", position {name}" if name else ""
                    found.append(
                        entry.problem(("values",), None, f"no value for {target}{what}: at least one, or `untestable:` with the reason")
                    )
    return found


def _unique_positions(claim):
    return list(dict.fromkeys(claim.position_names()))


def _texts(entry, claim):
    """Placeholders must name something; a statement's numbers must be placeholders."""
    reading = claim.reading_name()
    reading = reading if reading in claim.position_names() else claim.position_names()[0]
    found = []
    for path, text, position, strict in (
        [(("statement",), claim.statement, reading, True), (("boundary",), claim.boundary, reading, False)]
        + ([(("safe",), claim.safe, reading, False)] if claim.safe else [])
        + [(("positions", n, "says"), p.says, p.name, True) for n, p in enumerate(claim.positions)]
    ):
        for reference, _ in references(text):
            missing = [target for target in claim.targets if not _resolves(claim.values_for(target, position), reference)]
            if claim.live and claim.untestable is None:
                missing = [target for target in missing if claim.values_for(target, position)]  # none at all is said already
            if missing:
                names = sorted({name for target in claim.targets for name in claim.values_for(target, position)})
                allowed = f"names no value for {', '.join(missing)}; values: {', '.join(names) or 'none'}; a brace itself is {{{{ or }}}}"
                found.append(entry.problem(path, "{" + reference + "}", allowed))
        if strict:
            for number in bare_numbers(text):
                found.append(entry.problem(path, number.rstrip(".,"), "a number in a statement must be a placeholder, {name}, from values"))
    return found


def _resolves(values, reference):
    try:
        return not isinstance(resolve(values, reference), dict)
    except KeyError:
        return False


def _evidence(entry, path, item, sources, lost):
    found = []
    source = sources.get(item.source)
    if source is None and item.source not in lost:
        found.append(entry.problem(path + ("source",), item.source, _known(item.source, sources)))
    if item.locator is None and item.pin_given is None:
        found.append(entry.problem(path, None, "locator or pin: where the source says so"))
    if item.via is not None:
        via = sources.get(item.via)
        if via is None and item.via in lost:
            pass
        elif via is None:
            found.append(entry.problem(path + ("via",), item.via, _known(item.via, sources)))
        elif item.via == item.source:
            found.append(entry.problem(path + ("via",), item.via, "another source than `source`"))
        elif via.access.state != "read":
            found.append(entry.problem(path + ("via",), item.via, f"a source that was read; {item.via} is {via.access.state}"))
    if source is None:
        return found
    item._access = "read" if source.access.state == "read" else "via" if item.via is not None else "unread"
    pin = item.pin_given
    if isinstance(pin, str):
        if pin not in source.pins:
            found.append(entry.problem(path + ("pin",), pin, f"a pin of {source.key}: {', '.join(source.pins) or 'it has none'}"))
            return found
        item._pin = pin_dict(pin, source.pins[pin], source)
    elif pin is not None:
        item._pin = pin_dict(None, pin, source)
    if item._pin is not None:
        missing = [field for field in ("repository", "commit", "path") if item._pin[field] is None]
        if missing and not isinstance(pin, str):
            found.append(entry.problem(path + ("pin",), None, f"{', '.join(missing)} required: neither the pin nor {source.key} has it"))
    return found


def pin_dict(name, pin, source):
    """Return a pin as a dict; repository, commit and path come from the source where the pin has none."""
    return {
        "name": name,
        "repository": pin.repository or source.repository,
        "commit": pin.commit or source.commit,
        "path": pin.path or source.path,
        "lines": list(pin.lines),
        "must_contain": list(pin.must_contain),
    }


def _known(key, sources):
    near = difflib.get_close_matches(key, list(sources), 1)
    return f"no such source; did you mean {near[0]}?" if near else "no such source in evidence/sources"


def source_problems(entry, ids):
    """Return the problems of one source. Args: ids: every claim id in the files, for its errata."""
    source = entry.value
    found = []
    linked = source.url is not None or source.repository is not None
    if not linked and source.unlinked is None:
        found.append(entry.problem(("url",), None, "url, or repository and commit, or `unlinked:` with the reason why there is no address"))
    if linked and source.unlinked is not None:
        found.append(entry.problem(("unlinked",), None, "only for a source without url and repository", key=True))
    if (source.repository is None) != (source.commit is None):
        found.append(entry.problem(("commit" if source.commit is None else "repository",), None, "repository and commit stand together"))
    if source.path is not None and source.repository is None:
        found.append(entry.problem(("path",), source.path, "only with a repository"))
    if source.access.state == "read" and source.access.date is None:
        found.append(entry.problem(("access", "date"), None, "required when state is read"))
    if source.access.state != "read" and source.access.note is None:
        found.append(entry.problem(("access", "note"), None, f"required when state is {source.access.state}: why it was not read"))
    if source.access.date is not None:
        found += _date(entry, ("access", "date"), source.access.date)
    if source.date is not None and len(source.date) == 10:
        found += _date(entry, ("date",), source.date)
    for name, pin in source.pins.items():
        if not models.KEBAB.match(name):
            found.append(entry.problem(("pins", name), name, "a name of lower-case words joined by hyphens", key=True))
        missing = [field for field, value in pin_dict(name, pin, source).items() if value is None]
        if missing and (source.repository is None) == (source.commit is None):
            found.append(entry.problem(("pins", name), None, f"{', '.join(missing)} required: neither the pin nor the source has it"))
    for number, erratum in enumerate(source.errata):
        found += _date(entry, ("errata", number, "date"), erratum.date)
        for place, claim in enumerate(erratum.claims):
            if claim not in ids:
                found.append(entry.problem(("errata", number, "claims", place), claim, "no such claim in evidence/claims"))
    return found


def register_problems(entries, named):
    """Return the problems between claims: ids, keys, successors.

    Args: entries: [Entry] of all claims, in the order of the files; named: every id in the files, loaded or not.
    """
    found = []
    ids, keys = {}, {}
    for entry in entries:
        claim = entry.value
        if claim.id in ids:
            found.append(entry.problem(("id",), claim.id, f"each id once; it stands in {ids[claim.id].file}:{ids[claim.id].value.line}"))
        ids.setdefault(claim.id, entry)
    for entry in entries:
        for path, key in [(("key",), entry.value.key)] + [(("was", n), key) for n, key in enumerate(entry.value.was)]:
            owner = keys.setdefault(key, entry)
            if owner is not entry:
                found.append(entry.problem(path, key, f"each key once, old keys included; {owner.value.id} has it in {owner.file}:{owner.value.line}"))
    for entry in entries:
        for successor in entry.value.superseded_by:
            if successor == entry.value.id:
                found.append(entry.problem(("superseded_by",), successor, "another claim than itself"))
            elif successor not in named:
                found.append(entry.problem(("superseded_by",), successor, "no such claim in evidence/claims"))
            elif _leads_to(successor, entry.value.id, ids):
                found.append(entry.problem(("superseded_by",), successor, "no circle: it is superseded by this claim in the end"))
    return found


def _leads_to(start, goal, ids):
    seen, todo = set(), [start]
    while todo:
        claim = todo.pop()
        if claim == goal:
            return True
        if claim not in seen and claim in ids:
            seen.add(claim)
            todo += ids[claim].value.superseded_by
    return False
