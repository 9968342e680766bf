# SPDX-License-Identifier: Apache-2.0
"""A small machine of its own, to judge the finder by: it walks every path of a listing, one concrete queue at a time.

It shares no code with the finder. A state is the queue of operations that may be outstanding, in the order of their
issue; every state that can be reached at an instruction is visited once. What the finder merges, this keeps apart.
"""

import re
from typing import NamedTuple

PACKED = ("gfx942", "gfx950")
LIMIT = 4000  # states; a listing with more is not for this machine
ENOUGH = 5  # rounds of a loop: no count in the listings is higher


def hazards(text, target):
    """Return {(kind, line of the user, line of the producer)}; kind is "register", "lds", "barrier" or "translation"."""
    code, labels = parse(text)
    acts = [act_of(words, target) for _, words in code]
    found, seen, stack = set(), set(), [(0, ((), ()))]
    while stack:
        at, state = stack.pop()
        if at >= len(code) or (at, state) in seen:
            continue
        seen.add((at, state))
        if len(seen) > LIMIT:
            raise OverflowError("too many states")
        state = step(at, state, acts[at], code, found, target)
        name, last = code[at][1][0], code[at][1][-1]
        if name in ("s_endpgm", "s_setpc_b64", "s_set_pc_i64"):
            continue
        if name == "s_branch" or name.startswith("s_cbranch"):
            stack.append((labels[last], state))
        if name != "s_branch":
            stack.append((at + 1, state))
    return found


def parse(text):
    """Return [(line, [mnemonic, operand, ...])] and {label: place in that list}."""
    code, labels = [], {}
    for number, raw in enumerate(text.split("\n"), 1):
        line = re.split(r";|//", raw)[0].strip()
        if match := re.match(r"([\w.$]+):$", line):
            labels[match[1]] = len(code)
        elif match := re.match(r"((?:s|v|ds|global|flat|buffer|scratch|tensor|cluster)_\w+)\s*(.*)$", line):
            code.append((number, [re.sub(r"_e(32|64)$|_e64_dpp$|_dpp$", "", match[1])] + split(match[2])))
        else:
            assert line[:1] in ("", ".", "-", "<") or "=" in line or in_metadata(line), line
    return code, labels


def in_metadata(line):
    """Say whether a line is of the notes behind the code, where nothing is executed."""
    return bool(re.match(r"[\w.]+:|\w", line)) and not re.match(r"[sv]_", line)


def split(text):
    """Return the operands: cut at commas outside brackets."""
    return [part.strip() for part in re.split(r",(?![^\[(]*[\])])", text.replace("::", ","))] if text else []


def registers(operand):
    """Return the set of registers that an operand names."""
    found = set()
    for kind, first, last in re.findall(r"\b([vsa])\[(\d+):(\d+)\]", operand):
        found |= {f"{kind}{n}" for n in range(int(first), int(last) + 1)}
    found |= set(re.findall(r"\b[vsa]\d+\b", operand)) | set(
        re.findall(r"\b(?:m0|scc|exec_lo|vcc_lo|vcc_hi)\b", operand)
    )
    for pair in ("vcc", "exec"):
        if re.search(rf"\b{pair}\b", operand):
            found |= {pair + "_lo", pair + "_hi"}
    return found


class Act:
    """What one instruction does: counters it raises as (counter, class), its late results, what it reads and writes."""

    def __init__(self, raises=(), late=(), reads=(), writes=(), lds="", road="", waits=None, group="", held=()):
        self.raises, self.late, self.reads, self.writes = (
            tuple(raises),
            frozenset(late),
            frozenset(reads),
            frozenset(writes),
        )
        self.lds, self.road, self.waits, self.group, self.held = lds, road, waits, group, frozenset(held)


def act_of(words, target):
    """Return the Act of an instruction, from the names of its family and the place of its operands."""
    name, ops = words[0], [registers(word) for word in words[1:]]
    everything = frozenset().union(*ops) if ops else frozenset()
    rest = frozenset().union(*ops[1:]) if len(ops) > 1 else frozenset()
    first = ops[0] if ops else frozenset()
    packed, last = target in PACKED, words[-1]
    if name.startswith("s_wait"):
        return Act(waits=waits_of(words, target))
    if name.startswith(("s_load", "s_buffer_load")):
        return Act([("lgkmcnt" if packed else "kmcnt", "")], first, rest, group="" if packed else "scalar", held=rest)
    if name.startswith(("s_memtime", "s_get_barrier", "s_sendmsg_rtn")):
        return Act([("lgkmcnt" if packed else "kmcnt", "")], first, rest)
    if name.startswith("s_sendmsg"):
        return Act([("lgkmcnt" if packed else "kmcnt", "")])
    if name == "s_barrier_signal_isfirst":
        return Act([("kmcnt", "")], ["scc"])
    if name.startswith("tensor_"):
        return Act([("tensorcnt", "t")], (), everything, lds="w" if "load" in name else "r", road="tensor")
    if name.startswith("ds_"):
        return lds_act(name, first, rest, everything, packed)
    if name.startswith(("global_", "buffer_", "flat_", "scratch_", "cluster_")):
        return memory_act(name, last, first, rest, everything, packed, words)
    if name.startswith(("s_cbranch", "s_branch", "s_barrier", "s_nop", "s_endpgm", "s_setreg", "s_set_vgpr")):
        reads = {"vcc_lo", "vcc_hi"} if "vcc" in name else {"scc"} if "scc" in name else set()
        return Act(reads=reads)
    if name.startswith(("s_cmp", "s_bitcmp")):
        return Act(reads=everything, writes=["scc"])
    writes = set(first).union(*[one for one, word in zip(ops, words[1:]) if word.startswith("v_dual")])
    if "saveexec" in name or name.startswith("v_cmpx"):
        writes = {"exec_lo"} if "cmpx" in name and len(ops) < 3 else writes | {"exec_lo"}
    return Act(
        reads=rest | (first if name.startswith(("v_fmac", "v_cmpx", "v_mfma", "v_swap")) else set()), writes=writes
    )


def lds_act(name, first, rest, everything, packed):
    """Return the Act of an LDS instruction."""
    counter = [("lgkmcnt" if packed else "dscnt", "ds")]
    if "permute" in name or "swizzle" in name:
        return Act(counter, first, rest)
    if name.startswith(("ds_read", "ds_load")):
        return Act(counter, first, rest | (first if "d16" in name else set()), lds="r", road="ds")
    if "_rtn" in name:
        return Act(counter, first, rest, lds="rw", road="ds")
    return Act(counter, (), everything, lds="w" if name.startswith(("ds_write", "ds_store")) else "rw", road="ds")


def memory_act(name, last, first, rest, everything, packed, words):
    """Return the Act of a vector access: load, store, atomic or copy."""
    held = everything | {"exec_lo"}
    group = "" if packed else "vector"
    mask = {"m0"} if name.startswith("cluster_load") else set()
    if "_async_" in name:
        kind = "load" if "load" in name else "store"
        return Act(
            [("asynccnt", kind)],
            (),
            everything,
            lds="w" if kind == "load" else "r",
            road="async",
            group=group,
            held=held | mask,
        )
    if "_lds" in name or last.endswith(" lds"):
        return Act([("vmcnt", "vm")], (), everything, lds="w", road="copy")
    if name == "global_inv":  # by the CDNA5 guide with the loads
        return Act([("loadcnt", "vm")])
    if name.endswith(("_inv", "_wb", "_wbl2", "_wbinv")) or "prefetch" in name:
        return Act()
    atomic = "_atomic" in name
    gives = "_load" in name or (
        atomic and ("sc0" in last.split() or "TH_ATOMIC_RETURN" in last or (packed and " glc" in last))
    )
    if atomic and not gives:
        gives = "return" in last.lower()
    counter = "vmcnt" if packed else "loadcnt" if gives else "storecnt"
    raises = [(counter, "" if packed and name.startswith("flat") else "vm")]
    if name.startswith("flat"):
        raises.append(("lgkmcnt", "") if packed else ("dscnt", "ds"))
    late = first if gives else frozenset()
    reads = everything if not gives or (atomic and name.startswith("buffer")) or ("d16" in name and not packed) else rest
    held = (reads if gives else everything) | {"exec_lo"} | mask
    return Act(raises, late, reads, group=group, held=held)


def waits_of(words, target):
    """Return {counter: most that may stay outstanding} of a wait."""
    name, text = words[0], words[1] if len(words) > 1 else ""
    if name == "s_waitcnt":
        found = {counter: int(count) for counter, count in re.findall(r"(\w+)\((\d+)\)", text)}
        full = {"vmcnt": 63, "lgkmcnt": 15, "expcnt": 7}
        return {counter: count for counter, count in found.items() if count < full[counter]}
    if name in ("s_wait_alu", "s_wait_event"):
        return {}
    if name == "s_wait_idle":
        return dict.fromkeys(("loadcnt", "storecnt", "dscnt", "kmcnt", "asynccnt", "tensorcnt", "xcnt"), 0)
    value, counters = int(text, 0), name[len("s_wait_") :].split("_")
    return {counters[0]: value} if len(counters) == 1 else {counters[0]: value >> 8, counters[1]: value & 255}


class Op(NamedTuple):
    """One operation in the queue: what of it is not sure yet."""

    place: int  # in the code; -1 for an older round of a loop, of which only the count matters
    late: frozenset  # registers whose result is on its way
    pending: tuple  # (counter, class) on which it may be outstanding
    held: frozenset  # registers that it may read again
    lds: str
    road: str
    group: str  # "vector" or "scalar" while its address may not be translated
    crossed: bool  # the wave passed a barrier while it was outstanding


def step(at, state, act, code, found, target):
    """Return the state behind an instruction; note what it uses too early."""
    queue, crossed = state
    line, name = code[at][0], code[at][1][0]
    if act.waits is not None:
        return tidy(wait(queue, act.waits), crossed)
    for counter, order in act.raises:
        if order:  # a full counter holds the next operation back
            full = {"lgkmcnt": 15, "kmcnt": 31}.get(counter, 63)
            queue, crossed = tidy(wait(queue, {counter: full - 1}), crossed)
    for op in queue:
        where = code[op.place][0]
        late = op.late & (act.reads | act.writes | (frozenset() if in_order(op, act, target) else act.late))
        if late:
            found.add(("register", line, where))
        if (
            op.place != at
            and op.held & (act.writes | act.late)
            and act.group in ("", op.group if op.group == "scalar" else "")
        ):
            found.add(("translation", line, where))
        if op.place == at:
            continue  # an instruction and itself, a round later: atomics of one kind need no order
        if op.pending and collide(op.lds, act.lds) and (op.road, act.road) != ("ds", "ds"):
            found.add(("lds", line, where))
        elif op.crossed and collide(op.lds, act.lds):
            found.add(("barrier", line, where))
    for place, lds in crossed:
        if collide(lds, act.lds):
            found.add(("barrier", line, code[place][0]))
    if name in ("s_barrier", "s_barrier_signal", "s_barrier_signal_isfirst"):
        queue, crossed = tuple(op._replace(crossed=True) for op in queue), ()
    scc = {"scc"} if name == "s_barrier_wait" else set()
    gone = act.writes | act.late
    queue = tuple(op._replace(late=op.late - gone - scc, held=op.held - act.writes) for op in queue)
    if act.raises:
        queue = tuple(aged(op) if op.place == at else op for op in queue)
        if act.group:  # vector and scalar translations are not outstanding together
            queue = tuple(
                op if op.group in ("", act.group) else op._replace(group="", held=frozenset()) for op in queue
            )
        held = act.held if act.group else frozenset()
        queue += (Op(at, act.late, act.raises, held, act.lds, act.road, act.group, False),)
        crossed = tuple(one for one in crossed if one[0] != at)
    return tidy(queue, crossed)


def tidy(queue, crossed):
    """Drop what is complete, keeping of it that it crossed a barrier, and old rounds in front that nothing counts from."""
    done = {(op.place, op.lds) for op in queue if not op.pending and op.crossed and op.lds}
    kept = []
    for op in queue:
        plain = not (op.late or op.lds or op.held)
        if op.pending and not (plain and (not kept or kept[-ENOUGH:] == [op] * ENOUGH)):
            kept.append(op)
    return tuple(kept), tuple(sorted(set(crossed) | done))


def aged(op):
    """Return what counts of an older round of a loop: the younger stands for both, but the number of rounds still tells."""
    pending = tuple(one for one in op.pending if one[1])
    return Op(-1, frozenset(), pending, frozenset(), "", "", op.group, False)


def in_order(op, act, target):
    """Say whether a load may follow a load into its register: the older targets write such results in order."""
    return target in PACKED and op.pending == (("vmcnt", "vm"),) and act.raises == (("vmcnt", "vm"),)


def collide(one, other):
    """Say whether two accesses to LDS exclude each other: one writes and one reads."""
    return ("w" in one and "r" in other) or ("r" in one and "w" in other)


def wait(queue, counts):
    """Return the queue behind a wait: an operation is sure when its counter cannot be so low with it outstanding."""
    ops = list(queue)
    for counter, most in counts.items():
        for number in range(len(ops)):
            for raised in [one for one in ops[number].pending if one[0] == counter]:
                younger = sum(raised in op.pending for op in ops[number + 1 :]) if raised[1] else 0
                if most <= younger:
                    left = tuple(one for one in ops[number].pending if one != raised)
                    ops[number] = ops[number]._replace(pending=left, late=ops[number].late if left else frozenset())
                    translated(ops, number)
        if counter == "xcnt":
            open_ = [number for number, op in enumerate(ops) if op.group]
            for rank, number in enumerate(open_):
                if most == 0 or (ops[number].group == "vector" and most <= len(open_) - 1 - rank):
                    ops[number] = ops[number]._replace(group="", held=frozenset())
    return tuple(ops)


def translated(ops, number):
    """What a counter is sure of has its address translated, and so have older vector accesses."""
    group = ops[number].group
    for place in range(number + 1) if group == "vector" else [number]:
        if group and ops[place].group == group:
            ops[place] = ops[place]._replace(group="", held=frozenset())
