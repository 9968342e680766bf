# SPDX-License-Identifier: Apache-2.0
"""What an instruction does to the counters: which ones it raises, in what order it completes, what it writes and reads.

Two operations of one ordered class complete in the order of their issue. Classes that share a counter complete in any
order against each other, and scalar loads in any order among themselves: while they are outstanding only a count of zero
tells.
"""

from typing import NamedTuple

from cdna.waits.counters import PACKED
from cdna.waits.results import read_by


class Event(NamedTuple):
    """One step of one counter."""

    counter: str
    order: str  # name of the ordered class, or "" for an operation that keeps no order
    sure: bool  # False: sources differ on whether the counter counts it


class Effect(NamedTuple):
    """What an instruction does beside computing."""

    events: tuple
    written: tuple  # registers that hold a result only once the counters say so
    merged: bool  # the written registers keep a part of what they held
    used: tuple  # registers read at issue
    lds: str  # "", "read", "write" or "both": what it does to LDS
    path: str  # "ds", "copy", "async", "tensor": the road to LDS
    what: str  # words for a message


UNKNOWN = "unknown"  # what an instruction does whose name says nothing that is known here
# Words of which an LDS instruction that is neither load nor store has one in its name.
_LDS_WORDS = (
    "add", "sub", "inc", "dec", "min", "max", "and", "or", "xor", "wrxchg", "wrap", "cmpst", "cmpstore", "storexchg", "append", "consume",
    "wrxchg2st64", "count", "stack", "arrive", "condxchg", "init", "rsub", "mskor",
)  # fmt: skip
_NO_LDS = ("ds_bpermute", "ds_permute", "ds_swizzle", "ds_gws", "ds_nop", "ds_sub_gs", "ds_add_gs")


def effect_of(item, registers, target):
    """Return the Effect of one instruction.

    Args: item: an Instruction; registers: the registers of each of its operands; target: gfx942, gfx950 or gfx1250.
    Claims: WAIT-001, WAIT-003, WAIT-054
    """
    name = item.mnemonic
    everything = _flat(registers)
    if _starts(name, "s_"):
        return _scalar(item, registers, everything, target)
    if _starts(name, "v_"):
        return Effect((), (), False, read_by(item, registers), "", "", "")
    if _starts(name, "ds_"):
        return _ds(item, registers, everything, target)
    if _starts(name, "tensor_load"):
        return Effect(
            (Event("tensorcnt", "tensor", True),), (), False, everything, "write", "tensor", "tensor load to LDS"
        )
    if _starts(name, "tensor_store"):
        return Effect(
            (Event("tensorcnt", "tensor", True),), (), False, everything, "read", "tensor", "tensor store from LDS"
        )
    mask = ("m0",) if _starts(name, "cluster_") else ()  # which workgroups receive the data. Claims: WAIT-074
    if "_load_async_to_lds" in name:
        events = (Event("asynccnt", "async-load", True), Event("loadcnt", "vm", False))
        return Effect(events, (), False, everything + mask, "write", "async", "asynchronous load to LDS")
    if "_store_async_from_lds" in name:
        events = (Event("asynccnt", "async-store", True), Event("storecnt", "store", False))
        return Effect(events, (), False, everything, "read", "async", "asynchronous store from LDS")
    for family in ("global_", "buffer_", "tbuffer_", "scratch_", "flat_", "cluster_"):
        if _starts(name, family):
            return _vector(item, registers, everything, target, family)
    return Effect((), (), False, everything, "", "", UNKNOWN)


def is_copy(effect):
    """Return True for what fills LDS on another road than the LDS instructions of the wave."""
    return effect.lds == "write" and effect.path in ("copy", "async", "tensor")


def left_to_source(effect):
    """Return True for what a compiler writes no wait for: asynchronous copies and tensor transfers. Claims: WAIT-054"""
    return any([event.counter in ("asynccnt", "tensorcnt") for event in effect.events])


def foreign_counter(effect, counters):
    """Return the first counter that an Effect raises and that is none of a target's, or None.

    Args: counters: names of the target's counters. An instruction of another target is what such an Effect comes from.
    """
    for event in effect.events:
        if event.counter not in counters:
            return event.counter
    return None


def without_events(effect):
    """Return an Effect that raises no counter and touches no LDS: of an instruction that the target does not have."""
    return Effect((), (), False, effect.used, "", "", effect.what)


def all_sure(effect):
    """Return an Effect with every step taken as made, also those on which sources differ."""
    events = tuple([Event(event.counter, event.order, True) for event in effect.events])
    return Effect(events, effect.written, effect.merged, effect.used, effect.lds, effect.path, effect.what)


def in_memory(effect):
    """Return an Effect whose flat access can only be one to memory: it comes back in order, and nothing comes from LDS.

    Where the threadgroup may be split over compute units there is no LDS, and compilers wait for the memory counter alone.
    """
    if effect.what[:5] != "flat ":
        return effect
    memory = effect.events[0]
    events = (Event(memory.counter, memory.order or "vm", memory.sure),)
    return Effect(events, effect.written, effect.merged, effect.used, effect.lds, effect.path, effect.what)


def unsure(effect):
    """Return the counters of an Effect on which sources differ."""
    return [event.counter for event in effect.events if not event.sure]


def _scalar(item, registers, everything, target):
    name = item.mnemonic
    counter = "lgkmcnt" if target in PACKED else "kmcnt"
    first, rest = _halves(registers)
    scalar = (Event(counter, "", True),)
    if _starts(name, "s_load") or _starts(name, "s_buffer_load") or _starts(name, "s_scratch_load"):
        return Effect(scalar, first, False, rest, "", "", "scalar load")
    if name in ("s_memtime", "s_memrealtime", "s_get_barrier_state", "s_get_waveid_in_workgroup"):
        return Effect(scalar, first, False, rest, "", "", name)
    if _starts(name, "s_store") or _starts(name, "s_buffer_store") or _starts(name, "s_scratch_store"):
        return Effect(scalar, (), False, everything, "", "", "scalar store")
    if _starts(name, "s_atomic") or _starts(name, "s_buffer_atomic"):
        gives = "glc" in item.modifiers
        return Effect(scalar, first if gives else (), gives, everything, "", "", "scalar atomic")
    if _starts(name, "s_dcache") or name == "s_atc_probe" or _starts(name, "s_prefetch"):
        return Effect((Event(counter, "", False),), (), False, everything, "", "", name)
    if _starts(name, "s_sendmsg_rtn"):
        return Effect((Event(counter, "", True),), first, False, rest, "", "", "message with an answer")
    if _starts(name, "s_sendmsg"):
        return Effect((Event(counter, "", True),), (), False, ("m0",), "", "", "message")
    if name == "s_barrier_signal_isfirst":
        return Effect((Event("kmcnt", "", True),), ("scc",), False, everything, "", "", name)
    if _starts(name, "s_wait") or _starts(name, "s_branch"):
        return Effect((), (), False, (), "", "", "")
    if _starts(name, "s_cbranch_vcc"):
        return Effect((), (), False, ("vcc_lo", "vcc_hi"), "", "", "")
    read = read_by(item, registers)
    if _starts(name, "s_cbranch_scc") or _starts(name, "s_cselect"):
        read += ("scc",)
    return Effect((), (), False, read, "", "", "")


def _ds(item, registers, everything, target):
    name = item.mnemonic
    counter = "lgkmcnt" if target in PACKED else "dscnt"
    first, rest = _halves(registers)
    if name == "ds_nop":
        return Effect((), (), False, (), "", "", "")
    if name == "ds_atomic_async_barrier_arrive_b64":
        return Effect(
            (Event("asynccnt", "async-load", True),), (), False, everything, "", "", "asynchronous barrier arrive"
        )
    if _starts(name, "ds_gws"):
        return Effect(
            (Event(counter, "gds", True), Event("expcnt", "gds", True)),
            (),
            False,
            everything + ("m0",),
            "",
            "",
            "GDS operation",
        )
    events = (Event(counter, "ds", True),)
    if not _is_any(name, _NO_LDS):
        if _starts(name, "ds_read") or _starts(name, "ds_load"):
            return Effect(events, first, "_d16" in name, rest, "read", "ds", "LDS load")
        if _starts(name, "ds_write") or _starts(name, "ds_store"):
            return Effect(events, (), False, everything, "write", "ds", "LDS store")
        if not [word for word in name.split("_") if word.strip("0123456789fbiu") in _LDS_WORDS or word in _LDS_WORDS]:
            return Effect((), (), False, everything, "", "", UNKNOWN)
        if "_rtn" in name or name in ("ds_append", "ds_consume", "ds_ordered_count"):
            return Effect(events, first, False, rest, "both", "ds", "LDS atomic with a result")
        return Effect(events, (), False, everything, "both", "ds", "LDS atomic")
    return Effect(events, first, False, rest, "", "", "LDS lane exchange")


def _vector(item, registers, everything, target, family):
    name, packed = item.mnemonic, target in PACKED
    first, rest = _halves(registers)
    load, store = ("vmcnt", "vmcnt") if packed else ("loadcnt", "storecnt")
    if name in (
        "buffer_inv",
        "global_inv",
        "buffer_wbl2",
        "buffer_wbinvl1",
        "buffer_wbinvl1_vol",
        "buffer_wbinvl1_sc",
        "buffer_gl0_inv",
    ):
        # The CDNA5 guide counts it with the loads, and LLVM does; for the older ones sources differ. Claims: WAIT-092
        return Effect((Event(load, "vm", not packed),), (), False, (), "", "", name)
    if name in ("global_wb", "global_wbinv"):
        return Effect((Event(store, "wb", False),), (), False, (), "", "", name)
    if "_prefetch" in name:
        return Effect((Event(load, "vm", False),), (), False, everything, "", "", name)
    buffer = _starts(family, "buffer_") and ("lds" in item.modifiers or name[-4:] == "_lds")
    if "_load_lds_" in name or name[-9:] == "_load_lds" or buffer:
        return Effect((Event("vmcnt", "vm", True),), (), False, everything + ("m0",), "write", "copy", "copy to LDS")
    words = {"flat_": "flat", "scratch_": "scratch"}.get(family, "global")
    if "_load" in name:
        events = _with_flat(family, load, packed, "vm")
        if family == "cluster_":
            return Effect(events, first, "_d16" in name, rest + ("m0",), "", "", "cluster load")
        return Effect(events, first, "_d16" in name, rest, "", "", words + " load")
    if "_atomic" in name:
        gives = _gives_result(item, family)
        events = _with_flat(family, load if gives else store, packed, "vm" if gives or packed else "store")
        if not gives:
            return Effect(events, (), False, everything, "", "", words + " atomic")
        merged = family == "buffer_"  # the result comes back in the register of the operand
        return Effect(events, first, merged, everything if merged else rest, "", "", words + " atomic with a result")
    if "_store" not in name:
        return Effect((), (), False, everything, "", "", UNKNOWN)
    order = "vm" if packed else "scratch-store" if family == "scratch_" else "store"
    return Effect(_with_flat(family, store, packed, order), (), False, everything, "", "", words + " store")


def _with_flat(family, counter, packed, order):
    if family != "flat_":
        return (Event(counter, order, True),)
    if packed:
        return (Event(counter, "", True), Event("lgkmcnt", "", True))  # may come back early on either road
    return (Event(counter, order, True), Event("dscnt", "ds", True))


def _gives_result(item, family):
    for word in item.modifiers:
        if word in ("sc0", "glc") or (word[:3] == "th:" and "return" in word):
            return True
    return family in ("global_", "scratch_") and len(item.operands) == 4


def _halves(registers):
    first = tuple(registers[0]) if registers else ()
    return first, _flat(registers[1:])


def _flat(lists):
    found = []
    for registers in lists:
        for name in registers:
            if name not in found:
                found.append(name)
    return tuple(found)


def _starts(text, head):
    return text[: len(head)] == head


def _is_any(text, heads):
    for head in heads:
        if _starts(text, head):
            return True
    return False
