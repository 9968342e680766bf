# SPDX-License-Identifier: Apache-2.0
"""Missing waits, found: what a program may see beyond what was meant, and the wait that would mend it.

`find` enumerates everything a program may see under the rules of `events` and compares it with what was meant: either
the values that its reads must see, or the same program with every operation finished before the next. The first
difference comes with the fewest events that lead to it. `shrink` makes the program small, `missing_waits` mends it.

Boundary: a program without loops, with at most a few dozen operations. "Not found" holds for that program alone.
"""

from typing import NamedTuple

from .events import COUNTER_MOST, COUNTERS, is_mover, search, wait


class Report(NamedTuple):
    """The answer of `find`: nothing is wrong when `wrong` is None."""

    meant: tuple  # Outcomes with every operation finished before the next; empty when reads were given
    race: bool  # more than one of them: the waves race even when nothing is in flight, a barrier is missing
    wrong: object  # an Outcome beyond what was meant, or None
    trace: tuple  # the fewest Events that lead to the wrong read, or to the wrong end
    states: int  # how many states were looked at


def outcomes(program, memory=(), lds=(), data_order="free"):
    """Return every Outcome that the rules allow, sorted.

    Args: as for `events.search`.
    Claims: TDM-089 to TDM-095
    """
    return search(program, memory, lds, data_order)[0]


def find(program, memory=(), lds=(), data_order="free", reads=None):
    """Look for an outcome that was not meant.

    Args: program, memory, lds, data_order: as for `events.search`; reads: for each wave the values that its reads must
      see, in the order of the program; when None, whatever the program gives with every operation finished before its
      wave goes on is meant.
    Returns: a Report with the fewest events to the wrong outcome. A program that hangs where it was not meant to is wrong.
    Claims: TDM-089 to TDM-095, TDM-105, TDM-106
    """
    if reads is None:
        meant = search(program, memory, lds, data_order, True)[0]
        wanted = meant[0].seen if len(meant) == 1 else None
    else:
        meant = []
        wanted = _wanted(program, reads)

    def is_right(outcome):
        return outcome in meant if reads is None else not outcome.hangs and outcome.seen == wanted

    def is_off(seen):
        return any([item not in wanted for item in seen])

    found, trace, states = search(
        program, memory, lds, data_order, False, is_right, is_off if wanted is not None else None
    )
    wrong = None if trace is None else found[0]
    return Report(tuple(meant), len(meant) > 1, wrong, trace or (), states)


def shrink(program, memory=(), lds=(), data_order="free"):
    """Return a smaller program that still goes wrong: no operation that moves data can be left out any more.

    Waits stay as long as they have something to wait for. Args: as for `find`.
    Raises: ValueError: nothing is wrong with the program.
    """
    kept = [list(wave) for wave in program]
    if find(kept, memory, lds, data_order).wrong is None:
        raise ValueError("program: nothing is wrong with it, so there is nothing to make smaller")
    changed = True
    while changed:
        changed = False
        for w in range(len(kept)):
            for i in range(len(kept[w]) - 1, -1, -1):
                if not is_mover(kept[w][i]):
                    continue
                less = kept[:w] + [kept[w][:i] + kept[w][i + 1 :]] + kept[w + 1 :]
                wrong = find(less, memory, lds, data_order).wrong
                if wrong is not None and not wrong.hangs:
                    kept, changed = less, True
    return [
        [wave[i] for i in range(len(wave)) if wave[i].kind != "wait" or _raised(wave[:i], wave[i].counter)]
        for wave in kept
    ]


def missing_waits(program, memory=(), lds=(), data_order="free", reads=None):
    """Return the single waits that would mend a program, as (wave, before which operation, counter, limit).

    Of each place and counter only the largest limit is given: it holds the wave least. Args: as for `find`.
    Claims: TDM-089, TDM-094
    """
    mends = []
    for w in range(len(program)):
        wave = list(program[w])
        for i in range(1, len(wave) + 1):
            for counter in COUNTERS:
                for limit in range(_raised(wave[:i], counter) - 1, -1, -1):
                    mended = list(program[:w]) + [wave[:i] + [wait(counter, limit)] + wave[i:]] + list(program[w + 1 :])
                    if find(mended, memory, lds, data_order, reads).wrong is None:
                        mends.append((w, i, counter, limit))
                        break
    return mends


def surely_moved(program, wave=0, data_order="free"):
    """Return the operations of a wave that have moved all their data whenever it gets to its end, as places in its list.

    Claims: TDM-089, TDM-090, TDM-092, TDM-095
    """
    unsure = []

    def look(state):
        if state[0][wave] == len(program[wave]):
            unsure.extend([op for op, moved, whole in state[1][wave] if moved != whole and op not in unsure])

    search(program, (), (), data_order, look=look)
    return [i for i in range(len(program[wave])) if is_mover(program[wave][i]) and i not in unsure]


def outstanding(ops, counter="tensor"):
    """Return, after each operation of a wave, the most that a counter can be; the least is always 0.

    Args: ops: a wave; counter: one of COUNTERS.
    Claims: TDM-065, TDM-089
    """
    most, found = 0, []
    for op in ops:
        if op.kind == "wait" and op.counter == counter:
            most = min(most, op.limit)
        elif is_mover(op) and op.counter == counter:
            most = min(most + 1, COUNTER_MOST)
        found.append(most)
    return found


def idle_waits(ops, counter="tensor"):
    """Return the waits of a wave that can never hold it, as places in its list: so many cannot be outstanding there.

    A limit of 63 is always one of them; one of 64 is a wait for 0 (TDM-141).
    Args: ops: a wave; counter: one of COUNTERS.
    Claims: TDM-065, TDM-091, TDM-141
    """
    before = [0] + outstanding(ops, counter)
    return [
        i for i in range(len(ops)) if ops[i].kind == "wait" and ops[i].counter == counter and ops[i].limit >= before[i]
    ]


def issue_stalls(ops, depth, counter="tensor"):
    """Return the operations of a wave that may have to wait for room, as places in its list.

    Args: ops: a wave; depth: how many the hardware takes before the issue itself stalls. No public number is known, and
      it is another thing than the width of the counter; counter: one of COUNTERS.
    Claims: TDM-065
    """
    before = [0] + outstanding(ops, counter)
    return [i for i in range(len(ops)) if is_mover(ops[i]) and ops[i].counter == counter and before[i] >= depth]


def _wanted(program, reads):
    """Return the `seen` of an Outcome in which every read sees its value."""
    wanted = []
    for w in range(len(program)):
        at = [i for i in range(len(program[w])) if program[w][i].kind in ("ds_read", "global_load")]
        if len(at) != len(reads[w]):
            raise ValueError(f"reads of wave {w}: {len(reads[w])} values for {len(at)} reads")
        wanted.extend([(w, at[n], program[w][at[n]].pieces[0][0], reads[w][n]) for n in range(len(at))])
    return tuple(sorted(wanted))


def _raised(ops, counter):
    return len([op for op in ops if is_mover(op) and op.counter == counter])
