# SPDX-License-Identifier: Apache-2.0
"""Which wait makes sure of one instruction: the counters that it raises, and when its registers may be used again.

What is said here is what the finder goes by: the same effects, the same rules of address translation.
"""

from typing import NamedTuple

from cdna.targets import target_named
from cdna.waits.counters import PACKED, counters_of, wait_text
from cdna.waits.events import UNKNOWN, all_sure, effect_of, foreign_counter, left_to_source, unsure, without_events
from cdna.waits.names import known_compute, known_memory, missing_on
from cdna.waits.program import Instruction, operand_registers, read
from cdna.waits.state import translation_of
from cdna.waits.translation import done_once, wants_drain

_BARE = ("lds", "sc0", "glc", "gds")  # words that may follow a mnemonic without operands


class Covered(NamedTuple):
    """One instruction.

    counters: a dict for each; xcnt: a dict, None for gfx942 and gfx950; when: where a compiler writes the wait itself:
    "use" of a result, "read" of what was copied, "fence", "never", or "" for what is not known; missing: why the target
    does not have the instruction, or ""; unsure: counters as `counters`, as other sources have them, empty where none differs.
    """

    text: str
    what: str
    counters: tuple
    xcnt: object
    when: str
    claims: tuple
    missing: str
    unsure: tuple


def covers(text, target):
    """Return the Covered of one instruction, or None for what is no instruction that is known here.

    Args: text: an instruction, or its mnemonic and modifiers; target: gfx942, gfx950 or gfx1250.
    Raises: ValueError: unknown target.
    Claims: WAIT-001, WAIT-003, WAIT-052, WAIT-054, WAIT-055, WAIT-071, WAIT-090
    """
    program = read(text, target_named(target).wave_lanes)
    if len(program.instructions) != 1 or program.unread:
        return None
    item = _with_modifiers(program.instructions[0])
    effect = effect_of(item, operand_registers(item, program.symbols), target)
    if effect.what == UNKNOWN or not (known_compute(item.mnemonic) and known_memory(item.mnemonic)):
        return None
    missing = missing_on(item, target)
    other = foreign_counter(effect, [counter.name for counter in counters_of(target)])
    if other is not None and not missing:
        missing = f"{target} does not have it: it has no {other}"
    if missing:
        gone = without_events(effect)
        return Covered(item.text, gone.what or item.mnemonic, (), None, "", ("WAIT-010",), missing, ())
    counters = tuple([_counter(event, item, effect, target) for event in effect.events if event.sure])
    both = [_counter(event, item, all_sure(effect), target) for event in effect.events] if unsure(effect) else []
    xcnt = None if target in PACKED else _xcnt(item, effect, program.symbols)
    claims = []
    for entry in list(counters) + ([xcnt] if xcnt else []):
        for claim in entry["claims"] if "claims" in entry else [entry["claim"], entry["order_claim"]]:
            if claim and claim not in claims:
                claims.append(claim)
    when = _when(effect) if counters else ""
    for claim in when_claims(when, target) + (("WAIT-060",) if counters and both else ()):
        if claim not in claims:
            claims.append(claim)
    return Covered(item.text, effect.what or item.mnemonic, counters, xcnt, when, tuple(claims), "", tuple(both))


def _with_modifiers(item):
    """Return an instruction whose only operands are modifiers, as in `buffer_load_dwordx4 lds`, with them as modifiers."""
    if len(item.operands) != 1 or item.operands[0].lower() not in _BARE:
        return item
    modifiers = (item.operands[0].lower(),) + item.modifiers
    return Instruction(item.index, item.line, item.address, item.labels, item.mnemonic, (), modifiers, item.text)


def _counter(event, item, effect, target):
    """Return what one counter does for an instruction: the wait for the newest, and whether a count above zero tells."""
    order = None
    if not event.order:
        order = "WAIT-052" if effect.what[:6] == "scalar" else None
    elif event.counter == "vmcnt":
        order = "WAIT-090"
    elif event.counter == "asynccnt":
        order = "TDM-095"
    elif event.counter == "tensorcnt":
        order = "TDM-092"
    return {
        "counter": event.counter,
        "wait": wait_text(event.counter, 0, target),
        "in_order": bool(event.order),
        "claim": _claim(item, effect, event, target),
        "order_claim": order,
    }


def _claim(item, effect, event, target):
    if item.mnemonic[:8] == "cluster_":
        return "WAIT-071"
    if effect.path == "copy":
        return "WAIT-003"
    if event.counter in ("asynccnt", "tensorcnt"):
        return "WAIT-054"
    return "WAIT-001" if target in PACKED else "WAIT-055"


def when_claims(when, target):
    """Return the claims on where a compiler writes the wait: of a copy those that say where its own wait is missing."""
    if when == "fence":
        return ("WAIT-002",) if target in PACKED else ()
    return {"read": ("WAIT-007", "WAIT-008"), "never": ("WAIT-054",)}.get(when, ())


def _when(effect):
    """Return where a compiler writes the wait of itself."""
    if left_to_source(effect):
        return "never"
    if effect.path == "copy":
        return "read"
    result = effect.what[-4:] == "load" or effect.what[-8:] in ("a result", "exchange") or effect.what[-6:] == "answer"
    if effect.written or result:  # of a mnemonic alone no register is known
        return "use"
    stores = effect.what[-5:] == "store" or effect.what[-6:] == "atomic"
    return "fence" if stores and effect.what[:6] != "scalar" else ""


def _xcnt(item, effect, symbols):
    """Return what address translation asks for: of the instruction itself, and before its registers are overwritten."""
    kind = translation_of(effect)
    names = []
    for name in effect.used + (("exec_lo",) if kind == "vector" else ()) if kind else ():
        if name[:1] != "?" and name not in names:
            names.append(name)
    asked, once = wants_drain(item, symbols), done_once(item, effect) == "atomic"
    claims = []
    if kind:
        claims = ["WAIT-056", "WAIT-072"]
        if effect.path == "async":
            claims = ["WAIT-056", "WAIT-082"]
        if "m0" in names:
            claims.append("WAIT-074")
    elif effect.path == "tensor":
        claims = ["WAIT-056"]
    elif effect.events and effect.path == "ds":
        claims = ["WAIT-072"]
    if asked or once:
        claims.append("WAIT-085" if asked else "WAIT-088")
    return {
        "kind": kind or None,
        "wait": wait_text("xcnt", 0, "gfx1250") if kind else None,
        "before_overwriting": names,
        "compiler_waits": effect.path != "async" if kind else None,
        "wait_in_front": wait_text("xcnt", 0, "gfx1250") if asked or once else None,
        "claims": claims,
    }
