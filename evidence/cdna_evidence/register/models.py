# SPDX-License-Identifier: Apache-2.0
"""What a claim and a source are made of.

A claim file (evidence/claims/CHAPTER.yml) is a list of claims:

    id key was title targets layer sku statement boundary values evidence positions reading safe covers revision
    status since untestable reviews superseded_by withdrawn

`id` is opaque and permanent, `key` readable; old keys stay in `was`. `values` is {target: {name: leaf, list or dict}} and
holds every number of the statement, which names them as {name}, {name[0]} or {name.sub}. A disputed claim has
`positions` (each with says, values, evidence, and the steppings it speaks of where a source limits it), `reading` (the
position this project goes by, and why) and `safe` (what is right under all of them). A target may be limited to steppings,
{gfx1250: {stepping: [B0]}}; a neighbour (gfx1251) stands beside the target that it is compared with, never alone. `untestable` is the reason why no check can exist. `revision` is raised when the meaning changes.
A source file (evidence/sources/KEY.yml) is one mapping:

    key title kind publisher url repository commit path unlinked date owning_layer checked_area access pins errata licence

The models hold the shapes; validate.py holds the rules between fields, claims and sources; both feed the JSON Schema.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, PrivateAttr, Tag, WithJsonSchema
from pydantic_core import PydanticCustomError

from .target_names import TARGETS, Steppings, Targets

LAYERS = ("isa", "compiler", "builtin", "product", "format", "derived", "site")
STATUSES = ("active", "disputed", "superseded", "withdrawn")
STANCES = ("supports", "contradicts", "context")
KINDS = ("isa", "compiler", "emulator", "encoder", "library", "book", "article", "documentation", "test")
ACCESS = ("read", "quoted", "unread")

# The words a text leaf may be when it has letters only. A word stands in one enumeration: falsify swaps it with every
# other member of that enumeration. Mnemonics, field names, versions, paths and hex bytes need no entry.
ENUMERATIONS = {
    "bound": ("zero", "drop", "clamp", "wrap", "ignore", "fault", "unpredictable", "invalid", "undefined", "unspecified"),
    "verdict": ("accept", "reject", "crash"),
    "state": ("legal", "illegal", "reserved"),
    "unit": ("bit", "byte", "DWORD", "element", "row", "lane", "wave", "workgroup"),
    "units": ("bits", "bytes", "DWORDs", "elements", "rows", "lanes", "waves", "workgroups"),
    "coding": ("literal", "flag", "power-of-two", "minus-one", "shifted", "code"),
    "operation": ("load", "store", "both", "neither"),
    "space": ("global", "lds", "memory", "register"),
    "layout": ("dense", "iterate", "gather", "restore", "image"),
    "movement": ("skip", "noop", "transfer", "stop"),
    "edge": ("near", "far"),
    "extent": ("tile", "tensor", "stride"),
    "encoding": ("VIMAGE", "VGLOBAL", "VFLAT", "VSCRATCH", "VBUFFER", "MUBUF", "SOPP", "SOPK", "FLAT", "GLOBAL", "DS"),
    "operand": ("VGPR", "SGPR", "null", "off"),
    "counter": ("vmcnt", "expcnt", "lgkmcnt", "loadcnt", "storecnt", "dscnt", "kmcnt", "xcnt", "asynccnt", "tensorcnt"),
    "layer": LAYERS,
    "kind": tuple(word for word in KINDS if word not in LAYERS),
    "access": ACCESS,
    "stance": STANCES,
    "status": STATUSES,
}
# Raw field names with letters only (design: the command line): they are names, not members of an enumeration.
FIELD_WORDS = ("count", "nv", "scope", "th", "type")

ID = re.compile(r"[A-Z][A-Z0-9]{1,4}-(?!000)[0-9]{3,4}\Z")
SOURCE_KEY = re.compile(r"[A-Z][A-Z0-9]*(-[A-Z0-9]+)*\Z")
DOTTED = re.compile(r"[a-z0-9]+([-_][a-z0-9]+)*(\.[a-z0-9]+([-_][a-z0-9]+)*)+\Z")
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")
SNAKE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
COMMIT = re.compile(r"[0-9a-f]{40}\Z")
DATE = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\Z")
VERSION = re.compile(r"[0-9]{4}\.(0[1-9]|1[0-2])(\.[0-9]+)?\Z")
URL = re.compile(r"https?://[^\s/?#@\\]+(:[0-9]+)?([/?#][^\s\\]*)?\Z")


def _shape(pattern, allowed):
    """Return a text type that a pattern must match; `allowed` is what the message says."""

    def check(value):
        if not isinstance(value, str) or not pattern.match(value):
            raise PydanticCustomError("shape", "{allowed}", {"allowed": allowed})
        return value

    return Annotated[str, BeforeValidator(check), WithJsonSchema({"type": "string", "pattern": "^(" + _ecma(pattern) + ")$", "description": allowed})]


def _ecma(pattern):
    return pattern.pattern.replace(r"\Z", "")


def _prose(value):
    if not isinstance(value, str) or not value.strip():
        raise PydanticCustomError("prose", "{allowed}", {"allowed": "text, not empty"})
    return " ".join(value.split())


def _lines(value):
    pair = [value, value] if type(value) is int else value
    if not (isinstance(pair, list) and len(pair) == 2 and all(type(n) is int for n in pair)) or not 1 <= pair[0] <= pair[1]:
        raise PydanticCustomError("lines", "{allowed}", {"allowed": "[first, last] with 1 <= first <= last, or one line number"})
    if pair[1] > 10_000_000:
        raise PydanticCustomError("lines", "{allowed}", {"allowed": "line numbers up to 10000000"})
    return pair


def _ids(value):
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not value or not all(isinstance(v, str) and ID.match(v) for v in value):
        raise PydanticCustomError("ids", "{allowed}", {"allowed": "one id or a list of ids, most relevant first"})
    return value


Prose = Annotated[str, BeforeValidator(_prose), WithJsonSchema({"type": "string", "pattern": r"\S"})]
Id = _shape(ID, "a prefix of 2 to 5 capitals (digits after the first), a hyphen and 3 or 4 digits, such as TDM-031")
SourceKey = _shape(SOURCE_KEY, "a source key in capitals, such as HIP-TDM")
Key = _shape(DOTTED, "lower-case words joined by dots, such as tdm.pad.interval-encoding")
RowId = _shape(DOTTED, "a row id of the inventory, such as tdm.pad.interval-encoding")
Kebab = _shape(KEBAB, "lower-case words joined by hyphens")
Commit = _shape(COMMIT, "40 hexadecimal digits in lower case")
Date = _shape(DATE, "a date such as 2026-12-01")
SourceDate = _shape(re.compile(r"[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?\Z"), 'a date such as 2026-12-01, "2026-12" or "2026"')
Version = _shape(VERSION, 'a site version in quotes, such as "2026.12"')
Url = _shape(URL, "an http or https address (a source without one: leave it out and say why in `unlinked`)")
Path = _shape(re.compile(r"(?!\.{0,2}/)(?!.*/\.\.?(/|\Z))[^\s\\]+(?<!/)\Z"), "a path inside the repository, with slashes")
Checksum = _shape(re.compile(r"[0-9a-f]{64}\Z"), "a SHA-256 in hexadecimal")
Lines = Annotated[
    list[int],
    BeforeValidator(_lines),
    WithJsonSchema({"oneOf": [{"type": "integer", "minimum": 1}, {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 2, "maxItems": 2}]}),
]
_LEAF = {"anyOf": [{"type": "integer"}, {"type": "boolean"}, {"type": "string", "minLength": 1}, {"type": "array", "minItems": 1}, {"type": "object", "minProperties": 1}]}
_SNAKE_JSON = "^" + _ecma(SNAKE) + "$"
Values = Annotated[
    dict[str, dict[str, Any]],
    WithJsonSchema(
        {
            "type": "object",
            "description": "{target: {name: leaf, list or dict}}",
            "propertyNames": {"enum": list(TARGETS)},
            "additionalProperties": {"type": "object", "propertyNames": {"pattern": _SNAKE_JSON}, "additionalProperties": _LEAF},
        }
    ),
]
Ids = Annotated[
    list[str],
    BeforeValidator(_ids),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Pin(_Model):
    """A range of lines in one file at one commit, and identifiers that must stand in it."""

    repository: Url | None = None
    commit: Commit | None = None
    path: Path | None = None
    lines: Lines
    must_contain: list[Prose] = Field(min_length=1)


class Evidence(_Model):
    """One source on one claim or position: where it says so, through whom it was read, and which way it points."""

    source: SourceKey
    locator: Prose | None = None
    pin_given: Annotated[
        Annotated[Kebab, Tag("name")] | Annotated[Pin, Tag("pin")],
        Discriminator(lambda value: "pin" if isinstance(value, (dict, Pin)) else "name"),
    ] | None = Field(default=None, alias="pin")
    via: SourceKey | None = None
    stance: Literal["supports", "contradicts", "context"]
    note: Prose | None = None
    _pin: dict | None = PrivateAttr(None)
    _access: str = PrivateAttr("unread")

    @property
    def pin(self):
        """The pin as a dict (name, repository, commit, path, lines, must_contain), or None."""
        return self._pin

    @property
    def access(self):
        """`read`, `via` (quoted by a source that was read) or `unread`."""
        return self._access


class Position(_Model):
    """What one side of a disagreement says, with its values and evidence; `stepping` where it speaks of some steppings only."""

    name: Kebab
    says: Prose
    stepping: Steppings = Field(default_factory=list)
    values: Values = Field(default_factory=dict)
    evidence: list[Evidence] = Field(min_length=1)


class Reading(_Model):
    """The position that this project goes by, and why."""

    position: Kebab
    why: Prose


class Review(_Model):
    """A recorded review: the wording changed and the meaning did not."""

    date: Date
    revision: int = Field(ge=1)
    checksum: Checksum
    note: Prose


class Withdrawal(_Model):
    """When and why a claim stopped to stand; what replaces it is in `superseded_by`."""

    date: Date
    reason: Prose


class Claim(_Model):
    """One claim: a statement with a boundary, values, evidence and a status."""

    id: Id
    key: Key
    was: list[Key] = Field(default_factory=list)
    title: Prose
    targets_given: Targets = Field(alias="targets")
    layer: Literal["isa", "compiler", "builtin", "product", "format", "derived", "site"]
    sku: list[Prose] = Field(default_factory=list)
    statement: Prose
    boundary: Prose
    values: Values = Field(default_factory=dict)
    evidence: list[Evidence] = Field(default_factory=list)
    positions: list[Position] = Field(default_factory=list)
    reading: Reading | None = None
    safe: Prose | None = None
    covers: list[RowId]
    revision: int = Field(ge=1, le=9999)
    status: Literal["active", "disputed", "superseded", "withdrawn"]
    since: Version
    untestable: Prose | None = None
    reviews: list[Review] = Field(default_factory=list)
    superseded_by: Ids = Field(default_factory=list)
    withdrawn: Withdrawal | None = None
    _chapter: str = PrivateAttr("")
    _file: str = PrivateAttr("")
    _line: int = PrivateAttr(0)

    @property
    def targets(self):
        """The names of the targets, in order."""
        return list(self.targets_given)

    @property
    def conditions(self):
        """{target: {"stepping": [...]}} for the targets where the claim is limited to steppings."""
        return {name: condition for name, condition in self.targets_given.items() if condition}

    @property
    def steppings(self):
        """The steppings that the claim or one of its positions is limited to, each once."""
        found = [step for condition in self.conditions.values() for step in condition["stepping"]]
        return list(dict.fromkeys(found + [step for item in self.positions for step in item.stepping]))

    @property
    def chapter(self):
        """The stem of the file that holds the claim."""
        return self._chapter

    @property
    def file(self):
        """The path of that file from the root."""
        return self._file

    @property
    def line(self):
        """The line where the claim starts, from 1."""
        return self._line

    @property
    def live(self):
        """True while the claim stands (active or disputed)."""
        return self.status in ("active", "disputed")

    def position(self, name):
        """Return the Position of that name. Raises: KeyError."""
        for item in self.positions:
            if item.name == name:
                return item
        raise KeyError(name)

    def position_names(self):
        """Return the names of the positions, or [None] for a claim without positions."""
        return [item.name for item in self.positions] or [None]

    def reading_name(self):
        """Return the name of the position this project goes by, or None."""
        return self.reading.position if self.reading else None

    def values_for(self, target, position=None):
        """Return the values for one target: the claim's own, overlaid by those of a position.

        Args: target: one of the claim's targets; position: its name, or None.
        """
        merged = dict(self.values.get(target, {}))
        if position is not None:
            merged.update(self.position(position).values.get(target, {}))
        return merged

    def all_evidence(self):
        """Return [(position name or None, Evidence)] of the whole claim."""
        return [(None, item) for item in self.evidence] + [(p.name, item) for p in self.positions for item in p.evidence]

    def statement_text(self, target=None, position=None):
        """Return the statement, or what a position says, with its placeholders filled.

        Args: target: one target, or None for all of them; position: its name, or None for the claim's statement
          (a disputed claim's statement is filled from the position of its reading).
        """
        text = self.position(position).says if position is not None else self.statement
        return self.fill(text, target, position)

    def fill(self, text, target=None, position=None):
        """Return a text with its placeholders filled from the values; see `statement_text`."""
        from .text import fill

        use = position if position is not None else self.reading_name()
        return fill(text, {name: self.values_for(name, use) for name in ([target] if target else self.targets)})


class Access(_Model):
    """Whether somebody of this project read the source, and when."""

    state: Literal["read", "quoted", "unread"]
    date: Date | None = None
    note: Prose | None = None


class Erratum(_Model):
    """A mistake found in a source."""

    locator: Prose
    says: Prose
    correct: Prose
    basis: Prose
    date: Date
    claims: list[Id] = Field(default_factory=list)


class Source(_Model):
    """Who said it, where it is, whether it was read, and what is wrong in it."""

    key: SourceKey
    title: Prose
    kind: Literal["isa", "compiler", "emulator", "encoder", "library", "book", "article", "documentation", "test"]
    publisher: Prose
    url: Url | None = None
    repository: Url | None = None
    commit: Commit | None = None
    path: Path | None = None
    unlinked: Prose | None = None
    date: SourceDate | None = None
    owning_layer: Literal["isa", "compiler", "builtin", "product", "format", "derived", "site"]
    checked_area: Prose
    access: Access
    pins: dict[str, Pin] = Field(default_factory=dict)
    errata: list[Erratum] = Field(default_factory=list)
    licence: Prose
    _file: str = PrivateAttr("")

    @property
    def file(self):
        """The path of the source's file from the root."""
        return self._file


def enumeration_of(word):
    """Return the name of the enumeration that holds a word, or None."""
    for name, words in ENUMERATIONS.items():
        if word in words:
            return name
    return None
