# SPDX-License-Identifier: Apache-2.0
"""The words of the findings: which line, what is wrong, which wait would protect it, and the claim it rests on."""

from cdna.waits.counters import PACKED, wait_text
from cdna.waits.events import left_to_source

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
    "once-before-translation": "WAIT-088",
    "tensor-drain": "WAIT-089",
    "wait-not-known": "WAIT-070",
    "drain-before": "WAIT-085",
    "branch-not-followed": None,
    "setting-dropped": "VGPR-008",
    "register-not-known": "VGPR-002",
    "expert-mode": "WAIT-080",
}


# Their message is the reason itself.
_SAY_WHY = ("not-on-target", "unreadable-wait", "wait-not-known", "count-out-of-range", "unused-bits")


def finding_of(rule, severity, facts, index, producer, more):
    """Return a finding as a dict: rule, severity, message, claim, field, line.

    Args: rule: stable name; facts: see finder.facts_of; index: the instruction; producer: another one or None; more: details.
    """
    instructions = facts["program"].instructions
    item = instructions[index]
    message = f"line {item.line}: " + _message(rule, facts, index, producer, more)
    if more.get("why") and rule not in _SAY_WHY:
        message += f"; {more['why']}"
    claim = _CLAIMS[rule]
    if rule == "register-not-known" and more["kind"] == "text":
        claim = None
    if rule in ("read-before-result", "overwrite-before-result"):
        claim = _register_claim(facts, producer)
    elif rule == "overwrite-before-translation" and "m0" in more["registers"]:
        claim = "WAIT-074"
    elif rule == "no-barrier" and facts["effects"][index].lds == "write":
        claim = "WAIT-087"  # a refill; else a read of what was written
    elif rule == "lds-read-before-copy" and facts["effects"][producer].path != "copy":
        claim = "WAIT-054"
    elif rule == "count-out-of-range" and facts["target"] in PACKED:
        claim = "WAIT-001"
    elif rule in ("unreadable-wait", "unused-bits") and facts["target"] not in PACKED:
        claim = "WAIT-051"
    elif rule == "wait-not-known" and facts["target"] in PACKED:
        claim = "WAIT-010"
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
        return f"{what}: it has no {more['counter']}" + _also(facts, more)
    if rule == "not-on-target" and "gone" in more:
        return f"{item.mnemonic}: {more['gone']}" + _also(facts, more)
    if rule == "not-on-target":
        instead = (
            more["why"]
            if item.mnemonic == "s_barrier"
            else "s_waitcnt"
            if facts["target"] in PACKED
            else "an opcode for each counter"
        )
        return f"{item.mnemonic} does not exist on {facts['target']}: it has {instead}" + _also(facts, more)
    if rule in ("unreadable-wait", "wait-not-known"):
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
    if rule == "expert-mode":
        return f"{item.text} switches expert scheduling mode on: what the vector ALU then needs s_wait_alu for is not judged here"
    if rule == "register-not-known":
        places = _lines(facts, more["producers"])
        if more["kind"] == "text":
            return f"a register of {item.mnemonic} is not readable ({places}): nothing is said about it"
        if more["kind"] == "paths":
            return f"which VGPRs {item.mnemonic} names is not known ({places}): the paths, or the sources on a write of the mode register, differ on the group; every possible one is taken"
        return f"{item.mnemonic}: a remark names another VGPR than the settings of s_set_vgpr_msb in this text ({places}); both are taken"
    if rule == "tensor-drain":
        return f"{item.text} does not wait here, as too few are outstanding: the LLVM of triton 3.9.0 writes such waits in front of tensor transfers"
    line = facts["program"].instructions[producer].line
    if rule == "setting-dropped":
        before = facts["program"].instructions[producer].text
        return f"{item.text} right behind {before} may be lost: the manual asks for any instruction between them"
    what = facts["effects"][producer].what
    place = _lines(facts, more.get("producers", ()) or (producer,))
    if rule == "no-work-between":
        return f"waits for the {what} of line {line} at once: no work fills the time it takes"
    if rule == "overwrite-before-translation":
        return _translation(facts, item, registers, f"the {what} of {place}", more)
    if rule == "drain-before":
        return f"{item.mnemonic} while the address of {place} may not be translated: the manual asks for s_wait_xcnt 0x0 first; LLVM writes none"
    if rule == "once-before-translation":
        return _once(facts, item, place, more)
    if rule == "no-barrier":
        return f"{item.mnemonic}: no barrier since the {what} of {place} was complete"
    verb = _verb(rule, item, facts["effects"][index], more)
    text = f"{verb} the {what} of {place} is complete"
    if facts["program"].instructions[producer].line >= item.line:
        text += " (round the loop)"
    text += _history(facts, more)
    if more.get("mixed") and more.get("right", -1) >= 0:
        text += "; asynchronous loads and stores complete in any order against each other, so only zero tells (TDM-095)"
    text += _cure(rule, facts, more)
    if more["limits"] and left_to_source(facts["effects"][producer]):
        text += "; the compiler leaves this wait to the source"
    return text


def _once(facts, item, place, more):
    """Say of what must be done only once that an older access may make it be issued again."""
    what = item.mnemonic if len(more["users"]) == 1 else f"{item.mnemonic} ({_lines(facts, more['users'])})"
    text = f"{what} while the address of {place} may not be translated: if that access is issued again, so is this one"
    if more["once"] == "store":
        text += ". Is it an atomic or a volatile store? Then LLVM writes s_wait_xcnt 0x0 first"
    elif more["once"] == "behind-copies":
        text += "; LLVM writes s_wait_xcnt 0x0 before an atomic, but none for asynchronous copies (WAIT-082)"
    elif more["once"] == "overwrites":
        text += "; LLVM writes s_wait_xcnt 0x0 before an atomic, but leaves it out where the result overwrites a register of that access"
    else:
        text += ". Fix: s_wait_xcnt 0x0 first, as LLVM writes it"
    text += _drained(facts, more["drain"])
    if not more["replay"]:
        text += "; only where replay is on, which this text does not switch on (WAIT-079)"
    return text


def _drained(facts, drain):
    """Say what may have drained the translations by itself. Claims: WAIT-073"""
    if drain < 0:
        return ""
    item = facts["program"].instructions[drain]
    name = "barrier" if item.mnemonic[:9] == "s_barrier" else "jump"
    name = item.mnemonic if item.mnemonic == "s_set_vgpr_msb" else name
    return f"; not so if the {name} in line {item.line} drains the counter, on which sources differ (WAIT-073)"


def _also(facts, more):
    """Say in how many more lines the same mnemonic stands."""
    others = more.get("others", 0)
    return f" ({others} more such lines: is this text for {facts['target']}?)" if others else ""


def _translation(facts, item, registers, what, more):
    """Say what is overwritten too early, and what makes that certain or not."""
    wait = wait_text("xcnt", more["limits"][0][1], facts["target"])
    text = f"{item.mnemonic} overwrites {registers}, which {what} may have to read again: {wait} comes first"
    if all([facts["effects"][pc].path == "async" for pc in more["producers"]]):
        text += "; LLVM writes no such wait behind asynchronous copies (WAIT-082)"
    if more["taken"]:
        text += "; LLVM writes none, as a younger vector access overwrote a register of it (WAIT-072)"
    text += _drained(facts, more["drain"])
    if not more["replay"]:
        text += "; only where replay is on, which this text does not switch on (WAIT-079)"
    return text


def _verb(rule, item, effect, more):
    if rule in ("read-before-result", "overwrite-before-result"):
        lost = more["overwritten"]
        kept = [name for name in more["registers"] if name not in lost]
        said = ([f"reads {_list(kept)}"] if kept else []) + ([f"overwrites {_list(lost)}"] if lost else [])
        return f"{item.mnemonic} {' and '.join(said)} before"
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
