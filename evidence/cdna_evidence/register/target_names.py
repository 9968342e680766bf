# SPDX-License-Identifier: Apache-2.0
"""The targets of a claim: which names there are, which stand beside another, and how a target is limited to steppings.

A list of names, or the long form {gfx1250: {stepping: [B0]}}. A neighbour (gfx1251) stands beside the target that it is
compared with, never alone.
"""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from cdna import targets as known

NEIGHBOURS = dict(known.NEIGHBOURS)
TARGETS = (*[target.name for target in known.TARGETS], *NEIGHBOURS, "any")
STEPPING = re.compile(r"[A-Z][0-9]\Z")


def written(targets):
    """Return targets as a reader sees them. Args: targets: {name: None or {"stepping": [...]}}."""
    notes = {name: stepping_names(condition["stepping"]) for name, condition in targets.items() if condition}
    notes.update({name: "neighbour of " + NEIGHBOURS[name] for name in targets if name in NEIGHBOURS})
    return ", ".join(f"{name} ({notes[name]})" if name in notes else name for name in targets)


def stepping_names(steppings):
    """Return "stepping B0", or "steppings A0, B0"."""
    return ("stepping " if len(steppings) == 1 else "steppings ") + ", ".join(steppings)


def _targets(value):
    # The long form {gfx1250: {stepping: [B0]}} keeps its conditions; a list means no conditions.
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        value = {name: None for name in value} if len(set(value)) == len(value) else None
    if not isinstance(value, dict) or not value:
        raise PydanticCustomError("targets", "{allowed}", {"allowed": "a list of targets, each once, or {target: {stepping: [B0]}}"})
    allowed = "targets: " + ", ".join(TARGETS)
    for name, condition in value.items():
        if name not in TARGETS:
            raise PydanticCustomError("targets", "{allowed}", {"allowed": allowed, "given": name})
        steppings = condition.get("stepping") if isinstance(condition, dict) and set(condition) == {"stepping"} else None
        if condition is not None and not _are_steppings(steppings):
            raise PydanticCustomError("targets", "{allowed}", {"allowed": "{stepping: [B0, ...]} after a target", "given": str(condition)})
        if name in NEIGHBOURS and NEIGHBOURS[name] not in value:
            raise PydanticCustomError("targets", "{allowed}", {"allowed": f"{name} beside {NEIGHBOURS[name]}, whose neighbour it is", "given": name})
    if "any" in value and len(value) > 1:
        raise PydanticCustomError("targets", "{allowed}", {"allowed": "`any` stands alone"})
    return value


def _are_steppings(value):
    listed = isinstance(value, list) and value and all(isinstance(item, str) and STEPPING.match(item) for item in value)
    return bool(listed) and len(set(value)) == len(value)


def _steppings(value):
    if not _are_steppings(value):
        raise PydanticCustomError("steppings", "{allowed}", {"allowed": "a list of steppings, each once, such as [B0]"})
    return value


_STEPPINGS_JSON = {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "string", "pattern": "^" + STEPPING.pattern.replace(r"\Z", "") + "$"}}
Steppings = Annotated[list[str], BeforeValidator(_steppings), WithJsonSchema(_STEPPINGS_JSON)]
Targets = Annotated[
    dict[str, Any],
    BeforeValidator(_targets),
    WithJsonSchema(
        {
            "oneOf": [
                {"type": "array", "items": {"enum": list(TARGETS)}, "minItems": 1, "uniqueItems": True},
                {
                    "type": "object",
                    "propertyNames": {"enum": list(TARGETS)},
                    "minProperties": 1,
                    "additionalProperties": {
                        "type": "object",
                        "required": ["stepping"],
                        "additionalProperties": False,
                        "properties": {"stepping": _STEPPINGS_JSON},
                    },
                },
            ]
        }
    ),
]
