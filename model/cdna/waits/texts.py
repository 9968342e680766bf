# SPDX-License-Identifier: Apache-2.0
"""The words of the findings: which line, what is wrong, which wait would protect it, and the claim it rests on."""

from cdna.waits.counters import PACKED, wait_text

_CLAIMS = {
    "read-before-result": "WAIT-001",
    "overwrite-before-result": "WAIT-001",
    "lds-read-before-copy": "WAIT-003",
    "lds-refill-before-read": "WAIT-057",
    "lds-refill-before-store": "WAIT-057",
    "lds-store-before-write": "WAIT-057",
    "barrier-is-no-drain": "WAIT-002",
    "no-barrier": "WAIT-009",
    "wait-does-nothing": "WAIT-053",
    "count-out-of-range": "WAIT-051",
    "not-on-target": "WAIT-010",
    "unreadable-wait": "WAIT-001",
    "unused-bits": "WAIT-001",
    "no-work-between": "WAIT-005",
    "never-read": "WAIT-005",
    "overwrite-before-translation": "WAIT-056",
    "branch-not-followed": None,
}


def finding_of(rule, severity, facts, index, producer, more):
    """Return a finding as a dict: rule, severity, message, claim, field, line.

    Args: rule: stable name; facts: see finder.facts_of; index: the instruction; producer: another one or None; more: details.
    """
    instructions = facts["program"].instructions
    item = instructions[index]
    message = f"line {item.line}: " + _message(rule, facts, index, producer, more)
    if more.get("why") and rule not in ("not-on-target", "unreadable-wait", "count-out-of-range", "unused-bits"):
        message += f"; {more['why']}"
    claim = _CLAIMS[rule]
    if rule in ("read-before-result", "overwrite-before-result"):
        claim = _register_claim(facts, producer)
    elif rule == "lds-read-before-copy" and facts["effects"][producer].path != "copy":
        claim = "WAIT-054"
    elif rule == "count-out-of-range" and facts["target"] in PACKED:
        claim = "WAIT-001"
    return {
        "rule": rule,
        "severity": severity,
        "message": message,
        "claim": claim,
        "field": f"line {item.line}",
        "line": item.line,
    }


def _register_claim(facts, producer):
    first = facts["effects"][producer].events[0]
    if first.counter in ("kmcnt", "lgkmcnt") and first.order == "":
        return "WAIT-052"
    return "WAIT-001" if facts["target"] in PACKED else "WAIT-055"


def _message(rule, facts, index, producer, more):
    item = facts["program"].instructions[index]
    registers = _list(more.get("registers", ()))
    if rule == "wait-does-nothing":
        return _nothing(item, more)
    if rule == "not-on-target" and "counter" in more:
        what = f"{item.mnemonic} ({facts['effects'][index].what}) does not exist on {facts['target']} in this form"
        return f"{what}: it has no {more['counter']}"
    if rule == "not-on-target":
        instead = (
            more["why"]
            if item.mnemonic == "s_barrier"
            else "s_waitcnt"
            if facts["target"] in PACKED
            else "an opcode for each counter"
        )
        return f"{item.mnemonic} does not exist on {facts['target']}: it has {instead}"
    if rule == "unreadable-wait":
        return more["why"]
    if rule == "count-out-of-range":
        return f"{more['why']}: the counter cannot hold it" + (
            "" if facts["target"] in PACKED else ", though the assembler takes it"
        )
    if rule == "unused-bits":
        return f"{item.mnemonic}: bits {more['why']} of the operand mean nothing"
    if rule == "never-read":
        return f"nothing reads the results of {_lines(facts, more['producers'])}"
    if rule == "branch-not-followed":
        return f"{item.text}: its target is not in the text, so the jump is not followed"
    line = facts["program"].instructions[producer].line
    what = facts["effects"][producer].what
    place = _lines(facts, more.get("producers", ()) or (producer,))
    if rule == "no-work-between":
        return f"waits for the {what} of line {line} at once: no work fills the time it takes"
    if rule == "overwrite-before-translation":
        wait = wait_text("xcnt", more["limits"][0][1], facts["target"])
        return f"{item.mnemonic} overwrites {registers}, which the {what} of {place} may have to read again: {wait} comes first"
    if rule == "no-barrier":
        return f"{item.mnemonic}: no barrier since the {what} of {place} was complete"
    verb = _verb(rule, item, facts["effects"][index], registers)
    text = f"{verb} the {what} of {place} is complete"
    if facts["program"].instructions[producer].line >= item.line:
        text += " (round the loop)"
    return text + _history(facts, more) + _cure(rule, facts, more)


def _verb(rule, item, effect, registers):
    if rule == "read-before-result":
        return f"{item.mnemonic} reads {registers} before"
    if rule == "overwrite-before-result":
        return f"{item.mnemonic} overwrites {registers} before"
    if rule == "barrier-is-no-drain":
        return f"{item.mnemonic} uses LDS behind a barrier that other waves passed before"
    does = "reads LDS" if effect.lds == "read" else "writes LDS" if effect.lds == "write" else "uses LDS"
    return f"{item.mnemonic} {does} before"


def _history(facts, more):
    """Say what stands between that was perhaps taken for the wait."""
    said = []
    instructions = facts["program"].instructions
    if more.get("right", -1) >= 0 and more["limits"]:
        said.append(
            f"{instructions[more['right']].text} in line {instructions[more['right']].line} leaves it outstanding"
        )
    elif more.get("other", -1) >= 0 and more["limits"]:
        said.append(
            f"{instructions[more['other']].text} in line {instructions[more['other']].line} waits on another counter"
        )
    if more.get("barrier", -1) >= 0:
        said.append(f"the barrier in line {instructions[more['barrier']].line} does not wait for it")
    return "; " + "; ".join(said) if said else ""


def _cure(rule, facts, more):
    if not more["limits"]:
        return ". Fix: wait before the barrier" if rule == "barrier-is-no-drain" else ""
    waits = " and ".join([wait_text(name, count, facts["target"]) for name, count in more["limits"]])
    where = " before the barrier" if rule == "barrier-is-no-drain" else ""
    return f". Fix: {waits}{where}"


def _nothing(item, more):
    if more["busy"]:
        parts = [f"{name} {count} with at most {most} outstanding" for name, count, most in more["busy"]]
        return f"{item.text} never waits: " + ", ".join(parts)
    names = _list([name for name, _ in more["given"]])
    return f"{item.text} does nothing: nothing is outstanding on {names}"


def _lines(facts, producers):
    """Return `line 3` or `lines 3 to 6, 9`."""
    lines = sorted([facts["program"].instructions[one].line for one in producers])
    runs = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], line)
        else:
            runs.append((line, line))
    shown = [
        str(first) if first == last else f"{first}, {last}" if last == first + 1 else f"{first} to {last}"
        for first, last in runs
    ]
    return ("line " if len(lines) == 1 else "lines ") + _list(shown)


def _list(names):
    return ", ".join([str(name) for name in names])
