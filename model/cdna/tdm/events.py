# SPDX-License-Identifier: Apache-2.0
"""Operations of waves as events, and everything that may come of them.

A program is a list of waves, a wave is a list of operations. An operation that moves data is issued at once and raises
its counter; its pieces move later, at any time; when all have moved, and every older one that it must follow has done
so, the counter falls by one. A wait holds a wave until at most so many are outstanding.

What follows what: tensor loads and stores of one wave finish in order of issue. Asynchronous per-lane copies finish in
order among loads and among stores, not between the two. LDS operations keep their order, and so do ordinary loads and
stores among themselves. Nothing else is ordered: not other waves, not one kind against another.

Choices of the model: finishing in order says when the counter falls, not when bytes move, so two outstanding transfers
may move in any order (`data_order="free"`); "serial" moves them one after the other. The manual says that of the LDS
side of asynchronous copies, and that their memory accesses keep their order; the model lets those cross as well. Every
counter has six bits, and a wave waits at an issue that would be the 64th. An arrival at a barrier cell comes together with the fall of the counter.
Boundary: a place holds one value, so a value torn between two transfers is not shown.
"""

from typing import NamedTuple

COUNTERS = ("tensor", "async", "ds", "load", "store")
DATA_ORDERS = ("free", "serial")
COUNTER_MOST = 63  # six bits, TDM-065
STATE_LIMIT = 200000

# kind: (counter, finishes in order with, moves in order with)
_MOVERS = {
    "tensor_load": ("tensor", "tensor", ""),
    "tensor_store": ("tensor", "tensor", ""),
    "async_load": ("async", "async load", ""),
    "async_store": ("async", "async store", ""),
    "ds_read": ("ds", "ds", "ds"),
    "ds_write": ("ds", "ds", "ds"),
    "global_load": ("load", "load", "global"),
    "global_store": ("store", "store", "global"),
}


class Op(NamedTuple):
    """One operation of a wave."""

    kind: str
    pieces: tuple  # copies: (LDS place, memory place); writes: (place, value); reads: (place, "")
    counter: str  # what it raises, or waits on
    limit: int  # wait: how many may stay outstanding; sleep: arrivals to wait for
    cell: str  # barrier cell that a copy signals when it has finished, or that a wave sleeps on


class Event(NamedTuple):
    """One step of an execution."""

    wave: int
    op: int  # place in the wave's list
    what: str  # "issue", "move" or "pass"
    text: str


class Outcome(NamedTuple):
    """What a program leaves behind: everything it read, the memory, and the operation that each stuck wave hangs at."""

    seen: tuple  # (wave, op, place, value) of every read
    memory: tuple  # (place, value)
    hangs: tuple  # (wave, op)


def tensor_load(lds, memory, cell=""):
    """Return a tensor load; several places make several pieces of one instruction.

    Args: lds, memory: a name, or a tuple of names; cell: barrier cell that it signals, "" for none.
    Claims: TDM-089, TDM-090, TDM-097
    """
    return Op("tensor_load", _pieces(lds, memory), "tensor", 0, cell)


def tensor_store(lds, memory, cell=""):
    """Return a tensor store, arguments as for `tensor_load`."""
    return Op("tensor_store", _pieces(lds, memory), "tensor", 0, cell)


def null_tensor(cell=""):
    """Return a tensor instruction whose descriptor has a count of zero: it counts, moves nothing and signals nothing.

    Args: cell: what the descriptor names; it is not signalled.
    Claims: TDM-027
    """
    return Op("tensor_load", (), "tensor", 0, "")


def async_load(lds, memory):
    """Return an asynchronous per-lane copy to LDS."""
    return Op("async_load", _pieces(lds, memory), "async", 0, "")


def async_store(lds, memory):
    """Return an asynchronous per-lane copy from LDS."""
    return Op("async_store", _pieces(lds, memory), "async", 0, "")


def ds_read(lds):
    """Return a read of LDS into registers; what it sees is part of the outcome."""
    return Op("ds_read", ((lds, ""),), "ds", 0, "")


def ds_write(lds, value):
    """Return a write of LDS from registers."""
    return Op("ds_write", ((lds, value),), "ds", 0, "")


def global_load(memory):
    """Return an ordinary load into registers; what it sees is part of the outcome."""
    return Op("global_load", ((memory, ""),), "load", 0, "")


def global_store(memory, value):
    """Return an ordinary store."""
    return Op("global_store", ((memory, value),), "store", 0, "")


def wait(counter, limit=0):
    """Return a wait until at most so many operations of a counter are outstanding.

    Args: counter: one of COUNTERS; limit: the operand, 0 or more. Six bits of it are read, so 64 holds as 0 does.
    Claims: TDM-089, TDM-091, TDM-141
    """
    if counter not in COUNTERS or limit < 0:
        raise ValueError(f"wait({counter!r}, {limit!r}): {', '.join(COUNTERS)}; 0 or more, TDM-089")
    return Op("wait", (), counter, limit & COUNTER_MOST, "")


def barrier():
    """Return a workgroup barrier: no wave passes before all have reached theirs. It waits for no counter."""
    return Op("barrier", (), "", 0, "")


def sleep(cell, arrivals=1):
    """Return a wait for a barrier cell in LDS, until it has been signalled so many times in all.

    Claims: TDM-100
    """
    return Op("sleep", (), "", arrivals, cell)


def is_mover(op):
    """Return whether an operation moves data and raises a counter."""
    return op.kind in _MOVERS


def _pieces(lds, memory):
    if isinstance(lds, str):
        lds, memory = (lds,), (memory,)
    if isinstance(memory, str) or len(lds) != len(memory):
        raise ValueError(f"places {lds!r} and {memory!r}: as many in LDS as in memory")
    return tuple([(lds[i], memory[i]) for i in range(len(lds))])


def _set(pairs, place, value):
    """Return sorted (place, value) pairs with one place set."""
    return tuple(sorted([pair for pair in pairs if pair[0] != place] + [(place, value)]))


def _get(pairs, place):
    for name, value in pairs:
        if name == place:
            return value
    return ""


def search(program, memory=(), lds=(), data_order="free", whole=False, is_right=None, is_off=None, look=None):
    """Walk all states that a program can be in, nearest first.

    Args: program: a list of waves, each a list of Op; memory, lds: (place, value) at the start, "" elsewhere;
      data_order: "free" or "serial"; whole: every operation finishes as it is issued; is_right: function of an Outcome,
      the walk ends at the first one for which it is false; is_off: function of what has been read so far, the walk ends
      where it is true; look: function called with every state.
    Returns: (list of Outcomes, tuple of Events or None, states seen). When the walk ended early the one Outcome is as far
      as it got and the events are the fewest that lead there; else all Outcomes are there, sorted, and no events.
    Raises: ValueError: more than 200000 states, or an unknown data_order.
    """
    if data_order not in DATA_ORDERS:
        raise ValueError(f"data_order={data_order!r}: {' or '.join(DATA_ORDERS)}")
    waves = range(len(program))
    start = (tuple([0] * len(program)), tuple([()] * len(program)), tuple(sorted(memory)), tuple(sorted(lds)), (), ())
    came = {start: None}
    queue, at, found = [start], 0, []
    while at < len(queue):
        state = queue[at]
        at += 1
        if look:
            look(state)
        if is_off and is_off(state[4]):
            return [Outcome(state[4], state[2], ())], _trace(came, state), len(queue)
        steps = _steps(program, waves, state, data_order, whole)
        if not steps:
            hangs = tuple([(w, state[0][w]) for w in waves if state[0][w] < len(program[w])])
            end = Outcome(state[4], state[2], hangs)
            if is_right and not is_right(end):
                return [end], _trace(came, state), len(queue)
            if end not in found:
                found.append(end)
        for event, after in steps:
            if after not in came:
                came[after] = (state, event)
                queue.append(after)
        if len(queue) > STATE_LIMIT:
            raise ValueError(f"program: more than {STATE_LIMIT} states; make it shorter")
    return sorted(found), None, len(queue)


def _trace(came, state):
    events = []
    while came[state] is not None:
        state, event = came[state]
        events.append(event)
    return tuple([events[i] for i in range(len(events) - 1, -1, -1)])


def _steps(program, waves, state, data_order, whole):
    """Return the (Event, state) pairs that may come next."""
    places, flights = state[0], state[1]
    steps = []
    ready = [w for w in waves if places[w] < len(program[w]) and program[w][places[w]].kind == "barrier"]
    if ready and len(ready) == len([w for w in waves if places[w] < len(program[w])]):
        moved = tuple([places[w] + 1 if w in ready else places[w] for w in waves])
        steps.append((Event(ready[0], places[ready[0]], "pass", "all waves pass the barrier"), (moved,) + state[1:]))
    for w in waves:
        if places[w] < len(program[w]):
            steps.extend(_next_op(program, w, state, whole))
        for k in range(len(flights[w])):
            op, moved, size = flights[w][k]
            if not _may_move(program[w], flights[w][:k], op, data_order):
                continue
            for piece in range(len(program[w][op].pieces)):
                if not moved >> piece & 1:
                    steps.append(_move(program, w, k, piece, state))
    return steps


def _next_op(program, w, state, whole):
    i = state[0][w]
    op = program[w][i]
    onward = state[0][:w] + (i + 1,) + state[0][w + 1 :]
    held = len([1 for other, moved, size in state[1][w] if program[w][other].counter == op.counter])
    if op.kind in _MOVERS:
        if held >= COUNTER_MOST:
            return []
        flight = (i, 0, (1 << len(op.pieces)) - 1)
        flights = state[1][:w] + (state[1][w] + (flight,),) + state[1][w + 1 :]
        after = _settle(program, (onward, flights) + state[2:])
        if whole:
            for piece in range(len(op.pieces)):
                after = _move(program, w, len(state[1][w]), piece, after)[1]
        return [(Event(w, i, "issue", _name(op)), after)]
    passes = (
        held <= op.limit if op.kind == "wait" else op.kind == "sleep" and (_get(state[5], op.cell) or 0) >= op.limit
    )
    return [(Event(w, i, "pass", _name(op)), (onward,) + state[1:])] if passes else []


def _may_move(wave, older, op, data_order):
    counter, done_with, moves_with = _MOVERS[wave[op].kind]
    if data_order == "serial" and counter == "tensor":
        moves_with = "tensor"
    for other, moved, size in older:
        key = _MOVERS[wave[other].kind]
        if moves_with and moves_with in (key[2], key[0]) and moved != size:
            return False
    return True


def _move(program, w, k, piece, state):
    """Return (Event, state) where one piece of the k-th operation in flight has moved."""
    places, flights, memory, lds, seen, cells = state
    i, moved, size = flights[w][k]
    op = program[w][i]
    near, far = op.pieces[piece]
    if op.kind in ("tensor_load", "async_load"):
        value = _get(memory, far)
        lds = _set(lds, near, value)
        text = f"{value!r} arrives in LDS {near}"
    elif op.kind in ("tensor_store", "async_store"):
        value = _get(lds, near)
        memory = _set(memory, far, value)
        text = f"{value!r} arrives in memory {far}"
    elif op.kind == "ds_write":
        lds = _set(lds, near, far)
        text = f"{far!r} is written to LDS {near}"
    elif op.kind == "global_store":
        memory = _set(memory, near, far)
        text = f"{far!r} arrives in memory {near}"
    else:
        value = _get(lds if op.kind == "ds_read" else memory, near)
        seen = tuple(sorted(seen + ((w, i, near, value),)))
        text = f"{op.kind} {near} sees {value!r}"
    flight = (i, moved | 1 << piece, size)
    flights = flights[:w] + (flights[w][:k] + (flight,) + flights[w][k + 1 :],) + flights[w + 1 :]
    return Event(w, i, "move", text), _settle(program, (places, flights, memory, lds, seen, cells))


def _settle(program, state):
    """Let every counter fall that may: an earlier fall only lets more happen, so no outcome is lost."""
    flights, cells = [], state[5]
    for w in range(len(program)):
        kept, open_keys = [], []
        for flight in state[1][w]:
            op = program[w][flight[0]]
            key = _MOVERS[op.kind][1]
            if flight[1] == flight[2] and key not in open_keys:
                if op.cell:
                    cells = _set(cells, op.cell, (_get(cells, op.cell) or 0) + 1)
            else:
                open_keys.append(key)
                kept.append(flight)
        flights.append(tuple(kept))
    return (state[0], tuple(flights)) + state[2:5] + (cells,)


def _name(op):
    if op.kind == "wait":
        return f"wait {op.counter} {op.limit}"
    if op.kind in ("sleep", "barrier"):
        return (op.kind + " " + op.cell).strip()
    return f"{op.kind} {', '.join([piece[0] for piece in op.pieces])}".strip()
