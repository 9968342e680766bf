# SPDX-License-Identifier: Apache-2.0
"""Run one check for one target and return its record: what was observed, judged, and with which programs."""

import datetime
import hashlib
import json
import time

from . import falsify
from .api import KINDS, CannotTell, Check, NotHere
from .tools import Tools

# An observation longer than this is kept as its digest only: results are read by people and by pages.
_SHOWN = 6000


def problem_of(check, register):
    """Return why a check is ill-formed, as one text, or None.

    Args: check: a subclass of Check; register: the loaded register.
    """
    if not (vars(check).get("__doc__") or "").strip():
        return "its docstring must say what it shows and what it does not"
    if check.kind not in KINDS:
        return f"kind {check.kind!r}: one of {', '.join(KINDS)}"
    claim = register.claims.get(check.claim)
    if claim is None:
        return f"claim {check.claim!r} is not in the register"
    if claim.status == "withdrawn":
        return f"{claim.id} is withdrawn: a check may not speak for it"
    if check.position is not None and check.position not in claim.position_names():
        return f"position {check.position!r}: {claim.id} has {claim.position_names()}"
    if check.targets is not None and not set(check.targets) <= set(claim.targets):
        return f"targets {check.targets}: {claim.id} is about {claim.targets}"
    if check.observe is Check.observe:
        return "observe is missing"
    if not check.binds and check.judge is Check.judge:
        return "binds is empty: nothing would be judged"
    return None


def run(check, name, target, register, falsifying=False, fresh=False):
    """Run one check and return its record, a JSON-ready dict; never raises.

    Args: check: subclass of Check; name: path::class; target: such as "gfx1250"; register: loaded; falsifying: also
      judge the mutants and the degenerate observations; fresh: ignore kept answers of witnesses.
    """
    started = time.perf_counter()
    record = {
        "claim": check.claim,
        "revision": None,
        "target": target,
        "position": check.position,
        "check": name,
        "kind": check.kind,
        "witness": check.witness,
        "version": None,
        "digest": None,
        "tools": [],
        "origin": [],
        "outcome": "failed",
        "reason": None,
        "differences": [],
        "observed": None,
        "commands": [],
        "cached": None,
        "shows": _sentences(check)[0],
        "not_shows": _sentences(check)[1],
        "binds": list(check.binds),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "seconds": None,
        "mutants": None,
        "vacuous": None,
    }
    problem = problem_of(check, register)
    if problem:
        record["reason"] = f"ill-formed check: {problem}"
        return record
    claim = register.claims[check.claim]
    record["revision"] = claim.revision
    tools = Tools(check.kind, register, fresh=fresh)
    instance = check()
    try:
        observed = json.loads(json.dumps(instance.observe(target, tools)))
    except NotHere as error:
        record.update(outcome="untested", reason=str(error))
    except CannotTell as error:
        record.update(outcome="cantTell", reason=str(error))
    except Exception as error:  # noqa: BLE001 - one broken check must not end the run
        record.update(outcome="failed", reason=f"observe raised {type(error).__name__}: {error}")
    else:
        _judge(record, instance, observed, claim.values_for(target, check.position), tools, falsifying)
    _note_tools(record, tools)
    record["seconds"] = round(time.perf_counter() - started, 4)
    return record


def _judge(record, instance, observed, values, tools, falsifying):
    text = json.dumps(observed, ensure_ascii=False)
    record["observed"] = observed if len(text) <= _SHOWN else "sha256 " + hashlib.sha256(text.encode()).hexdigest()
    wanted = {"compiler": "witness", "client": "witness", "vector": "vector"}.get(record["kind"])
    if wanted == "witness" and not any(not tool["name"].startswith("vector ") for tool in tools.used):
        record["reason"] = f"a {record['kind']} check that drove no program"
        return
    if wanted == "vector" and not any(tool["name"].startswith("vector ") for tool in tools.used):
        record["reason"] = "a vector check that read no vector"
        return
    try:
        found = list(instance.judge(observed, values))
    except Exception as error:  # noqa: BLE001 - as above
        record["reason"] = f"judge raised {type(error).__name__}: {error}"
        return
    record["differences"] = found
    record["outcome"] = "failed" if found else "passed"
    if found:
        record["reason"] = "; ".join(found[:4]) + (f"; and {len(found) - 4} more" if len(found) > 4 else "")
    elif falsifying:
        judged = falsify.judge_mutants(instance.judge, observed, values)
        record["mutants"] = [[leaf, label, how] for (leaf, label), how in judged.items()]
        record["vacuous"] = falsify.vacuous(instance.judge, observed, values)


def _note_tools(record, tools):
    record["tools"] = tools.used
    record["origin"] = tools.origins
    record["commands"] = tools.commands
    if tools.kept:
        record["cached"] = all(tools.kept)
    programs = [tool for tool in tools.used if not tool["name"].startswith("vector ")]
    if programs:
        record["witness"] = programs[0]["name"]
        record["version"] = programs[0]["version"]
        record["digest"] = programs[0]["digest"]
    elif tools.used:
        record["witness"] = record["witness"] or tools.used[0]["name"].removeprefix("vector ")
        record["digest"] = tools.used[0]["digest"]


def _sentences(check):
    """What the docstring says that the check shows, and what it does not; the first line stands for a missing part."""
    lines = [line.strip() for line in (check.__doc__ or "").strip().splitlines()]
    parts = {"": [], "shows": [], "does not show": []}
    current = ""
    for line in lines:
        for head in ("Shows:", "Does not show:"):
            if line.startswith(head):
                current, line = head[:-1].lower(), line[len(head) :].strip()
        parts[current].append(line)
    joined = {key: " ".join(part for part in value if part) for key, value in parts.items()}
    return joined["shows"] or joined[""], joined["does not show"] or None
