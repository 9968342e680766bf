# SPDX-License-Identifier: Apache-2.0
"""The event model against a second executor that draws schedules by lot, the article's rules, and public problems."""

import random

import pytest

from cdna.tdm import events
from cdna.tdm.events import (
    async_load,
    async_store,
    barrier,
    ds_read,
    ds_write,
    global_load,
    global_store,
    null_tensor,
    sleep,
    tensor_load,
    tensor_store,
    wait,
)
from cdna.tdm.order import find, idle_waits, issue_stalls, missing_waits, outcomes, outstanding, shrink, surely_moved

MEMORY = [("m0", "tile0"), ("m1", "tile1"), ("m2", "tile2")]

# The rules once more, as pairs (earlier, later) of one wave that finish in order, for the second executor.
FINISH = {
    "tensor_load": "tensor",
    "tensor_store": "tensor",
    "async_load": "async to LDS",
    "async_store": "async from LDS",
    "ds_read": "ds",
    "ds_write": "ds",
    "global_load": "load",
    "global_store": "store",
}


def drawn(program, memory, rng):
    """Run a program once by a drawn schedule, counters falling late or early as the lot has it."""
    memory, lds, seen = dict(memory), {}, []
    places, flights = [0] * len(program), [[] for _ in program]
    cells = {}
    while True:
        steps = []
        alive = [w for w in range(len(program)) if places[w] < len(program[w])]
        if alive and all(program[w][places[w]].kind == "barrier" for w in alive):
            steps.append(("barrier", None, None))
        for w, wave in enumerate(program):
            if places[w] < len(wave):
                op = wave[places[w]]
                held = sum(wave[f["op"]].counter == op.counter for f in flights[w])
                if op.kind == "wait":
                    steps += [("pass", w, None)] if held <= op.limit else []
                elif op.kind == "sleep":
                    steps += [("pass", w, None)] if cells.get(op.cell, 0) >= op.limit else []
                elif op.kind != "barrier":
                    steps.append(("issue", w, None))
            for k, flight in enumerate(flights[w]):
                kind = wave[flight["op"]].kind
                older = [wave[other["op"]].kind for other in flights[w][:k] if other["left"]]
                together = ("ds_read", "ds_write") if kind.startswith("ds_") else ("global_load", "global_store")
                if kind[:3] not in ("ds_", "glo") or not any(name in together for name in older):
                    steps += [("move", w, (flight, piece)) for piece in flight["left"]]
                before = [FINISH[wave[other["op"]].kind] for other in flights[w][:k]]
                if not flight["left"] and FINISH[kind] not in before:
                    steps.append(("done", w, flight))
        if not steps:
            hangs = tuple((w, places[w]) for w in alive)
            return tuple(sorted(seen)), tuple(sorted(memory.items())), hangs
        what, w, more = rng.choice(steps)
        if what == "barrier":
            for other in alive:
                places[other] += 1
        elif what == "pass":
            places[w] += 1
        elif what == "issue":
            flights[w].append({"op": places[w], "left": list(program[w][places[w]].pieces)})
            places[w] += 1
        elif what == "done":
            cell = program[w][more["op"]].cell
            flights[w].remove(more)
            if cell:
                cells[cell] = cells.get(cell, 0) + 1
        else:
            flight, piece = more
            flight["left"].remove(piece)
            near, far = piece
            kind = program[w][flight["op"]].kind
            if kind in ("tensor_load", "async_load"):
                lds[near] = memory.get(far, "")
            elif kind in ("tensor_store", "async_store"):
                memory[far] = lds.get(near, "")
            elif kind == "ds_write":
                lds[near] = far
            elif kind == "global_store":
                memory[near] = far
            else:
                place = lds if kind == "ds_read" else memory
                seen.append((w, flight["op"], near, place.get(near, "")))


def random_program(rng):
    makers = [
        lambda: tensor_load(rng.choice("ab"), rng.choice(["m0", "m1"])),
        lambda: tensor_store(rng.choice("ab"), rng.choice(["m0", "m1"])),
        lambda: async_load(rng.choice("ab"), rng.choice(["m0", "m1"])),
        lambda: async_store(rng.choice("ab"), "m1"),
        lambda: ds_read(rng.choice("ab")),
        lambda: ds_write(rng.choice("ab"), "w"),
        lambda: global_load("m0"),
        lambda: global_store("m0", "n"),
        lambda: wait(rng.choice(["tensor", "async", "ds", "store"]), rng.choice([0, 0, 1])),
        lambda: tensor_load(("a", "b"), ("m0", "m1")),
    ]
    return [[rng.choice(makers)() for _ in range(rng.choice([2, 3, 4]))] for _ in range(rng.choice([1, 1, 2]))]


@pytest.mark.parametrize("seed", range(25))
def test_drawn_schedules_and_the_enumeration_agree(seed):
    """Nothing is drawn that was not enumerated; for small programs everything enumerated is drawn in the end."""
    rng = random.Random(seed)
    program = random_program(rng)
    listed = {tuple(outcome) for outcome in outcomes(program, MEMORY)}
    found, draws = set(), 0
    while draws < 300 or (found != listed and len(listed) < 8 and draws < 20000):
        found.add(drawn(program, MEMORY, rng))
        draws += 1
    assert found <= listed
    assert found == listed or len(listed) >= 8


def test_wait_one_of_two_is_for_the_older():
    """ART-A: waiting for 1 with two copies in flight waits for the older one."""
    two = [tensor_load("a", "m0"), tensor_load("b", "m1")]
    assert surely_moved([two + [wait("tensor", 1)]]) == [0]
    assert surely_moved([two + [wait("tensor", 0)]]) == [0, 1]
    assert surely_moved([two + [wait("tensor", 2)]]) == []
    assert outstanding(two + [wait("tensor", 1), tensor_load("a", "m2"), wait("tensor")]) == [1, 2, 1, 2, 0]


@pytest.mark.parametrize("first", [tensor_load, tensor_store])
@pytest.mark.parametrize("second", [tensor_load, tensor_store])
def test_tensor_transfers_complete_in_order_and_asynchronous_copies_do_not(first, second):
    assert surely_moved([[first("a", "m0"), second("b", "m1"), wait("tensor", 1)]]) == [0]
    copies = {tensor_load: async_load, tensor_store: async_store}
    sure = surely_moved([[copies[first]("a", "m0"), copies[second]("b", "m1"), wait("async", 1)]])
    assert sure == ([0] if first is second else [])


def test_other_counters_do_not_help():
    load = tensor_load("a", "m0")
    for counter in ("async", "ds", "load", "store"):
        assert surely_moved([[load, wait(counter)]]) == []
    assert surely_moved([[load, wait("tensor")], [tensor_load("b", "m1")]]) == [0]
    assert surely_moved([[wait("tensor")], [load]], wave=0) == []


def test_a_missing_wait_is_found_with_the_shortest_run():
    program = [[tensor_load("a", "m0"), ds_read("a")]]
    report = find(program, MEMORY)
    assert [event.what for event in report.trace] == ["issue", "issue", "move"]
    assert report.wrong.seen == ((0, 1, "a", ""),)
    assert missing_waits(program, MEMORY) == [(0, 1, "tensor", 0)]
    assert find([[tensor_load("a", "m0"), wait("tensor"), ds_read("a")]], MEMORY).wrong is None


def test_the_largest_limit_that_mends_is_given():
    program = [[tensor_load("a", "m0"), tensor_load("b", "m1"), ds_read("a")]]
    assert missing_waits(program, MEMORY) == [(0, 1, "tensor", 0), (0, 2, "tensor", 1)]


def test_an_ordinary_store_before_a_tensor_load():
    """ART-A: if an ordinary store has to land before a tensor load reads that memory, wait on the store's own counter."""
    tail = [tensor_load("a", "m0"), wait("tensor"), ds_read("a")]
    assert find([[global_store("m0", "n")] + tail], MEMORY).wrong.seen == ((0, 3, "a", "tile0"),)
    assert find([[global_store("m0", "n"), wait("tensor")] + tail], MEMORY).wrong is not None
    assert find([[global_store("m0", "n"), wait("store")] + tail], MEMORY).wrong is None
    assert missing_waits([[global_store("m0", "n")] + tail], MEMORY) == [(0, 1, "store", 0)]


def test_an_lds_write_before_a_tensor_store():
    program = [[ds_write("a", "w"), tensor_store("a", "m0")]]
    assert ("m0", "") in find(program, MEMORY).wrong.memory
    assert missing_waits(program, MEMORY) == [(0, 1, "ds", 0)]


def test_bytes_of_two_outstanding_transfers_may_cross_unless_they_are_serial():
    program = [[tensor_store("a", "m1"), tensor_load("a", "m0")]]
    assert find(program, MEMORY, [("a", "old")]).wrong is not None
    assert find(program, MEMORY, [("a", "old")], "serial").wrong is None
    with pytest.raises(ValueError, match="free or serial"):
        find(program, MEMORY, data_order="fifo")


def test_one_instruction_of_many_pieces_is_one_step():
    load = tensor_load(("a", "b", "c"), ("m0", "m1", "m2"))
    assert outstanding([load, load]) == [1, 2]
    values = {
        tuple(item[3] for item in outcome.seen) for outcome in outcomes([[load, ds_read("a"), ds_read("c")]], MEMORY)
    }
    assert ("tile0", "") in values and ("", "tile2") in values, "a part of the tile is there before the counter falls"
    waited = outcomes([[load, wait("tensor"), ds_read("a"), ds_read("c")]], MEMORY)
    assert [tuple(item[3] for item in outcome.seen) for outcome in waited] == [("tile0", "tile2")]


def test_another_wave_needs_wait_and_barrier():
    load, read, meet = tensor_load("a", "m0"), ds_read("a"), barrier()
    reads = [[], ["tile0"]]
    assert find([[load, wait("tensor"), meet], [meet, read]], MEMORY, reads=reads).wrong is None
    assert find([[load, meet], [meet, wait("tensor"), read]], MEMORY, reads=reads).wrong is not None
    race = find([[load, wait("tensor")], [read]], MEMORY)
    assert race.race and race.wrong is None, "without a barrier the waves race even when nothing is in flight"


def test_sleepers_wake_on_the_arrival_and_hang_on_a_null_descriptor():
    """ART-A: a count of zero also never signals the barrier that the consumers are asleep on."""
    read = [sleep("c"), ds_read("a")]
    assert find([[tensor_load("a", "m0", "c")], read, read], MEMORY, reads=[[], ["tile0"], ["tile0"]]).wrong is None
    hung = outcomes([[null_tensor("c"), wait("tensor")], read], MEMORY)
    assert [outcome.hangs for outcome in hung] == [((1, 0),)], "the wave that issued goes on, the sleeper does not"


def test_shrink_leaves_only_what_it_takes():
    program = [
        [
            global_store("m2", "x"),
            tensor_load("b", "m1"),
            global_store("m0", "n"),
            wait("ds"),
            tensor_load("a", "m0"),
            wait("tensor"),
            ds_read("b"),
            ds_read("a"),
        ]
    ]
    small = shrink(program, MEMORY)
    kinds = [op.kind for op in small[0]]
    assert kinds == ["global_store", "tensor_load", "wait", "ds_read"]
    assert find(small, MEMORY).wrong is not None
    with pytest.raises(ValueError, match="nothing is wrong"):
        shrink([[tensor_load("a", "m0"), wait("tensor"), ds_read("a")]], MEMORY)


def test_counter_width_and_issue_depth_are_two_things():
    """Facts: six bits, so 63; one library says three at once, and that this is what the counter counts."""
    many = [tensor_load("a", "m0")] * 70
    assert max(outstanding(many)) == 63
    assert issue_stalls(many[:6], 3) == [3, 4, 5]
    assert issue_stalls(many, 63) == list(range(63, 70))
    assert idle_waits(many[:5] + [wait("tensor", 4)]) == []
    assert idle_waits(many[:5] + [wait("tensor", 5)]) == [5]
    assert idle_waits(many + [wait("tensor", 63)]) == [70], "the counter cannot be higher"


def test_a_wait_reads_six_bits_of_its_operand():
    """CDNA5 guide, S_WAIT_TENSORCNT: the counter is compared with bits 5 to 0 of the operand."""
    two = [tensor_load("a", "m0"), tensor_load("b", "m1")]
    assert surely_moved([two + [wait("tensor", 63)]]) == []
    assert surely_moved([two + [wait("tensor", 64)]]) == [0, 1]
    assert surely_moved([two + [wait("tensor", 65)]]) == [0]
    assert surely_moved([two + [wait("tensor", 66)]]) == []
    assert surely_moved([two + [wait("tensor", 65535)]]) == []
    assert idle_waits(two + [wait("tensor", 64)]) == []


def test_problem_tc01_ring_filled_to_the_brim(problem):
    given = problem("TC-01")["input"]
    slots, loads = given["num_buffers"], given["loads_in_prologue"]
    memory = [("m" + str(n), "tile" + str(n)) for n in range(loads + 1)]
    ops = [tensor_load("s" + str(n % slots), "m" + str(n)) for n in range(loads)]
    following = tensor_load("s" + str(given["load_index"] % slots), "m" + str(given["load_index"]))
    full = [ops + [wait("tensor"), following, ds_read("s0")]]
    assert find(full, memory, reads=[["tile0"]]).wrong.seen[0][3] == "tile3"
    one_less = [ops[:-1] + [wait("tensor"), tensor_load("s2", "m2"), ds_read("s0")]]
    assert find(one_less, memory, reads=[["tile0"]]).wrong is None


def test_problem_tc04_rule(problem):
    """The read right after the load is wrong in the model too; the compiler half is a witness's."""
    assert "s_wait_tensorcnt" in problem("TC-04")["right_outcome"]["rule"]
    assert missing_waits([[tensor_load("a", "m0"), ds_read("a")]], MEMORY)[0][2] == "tensor"


def test_refusals():
    with pytest.raises(ValueError, match="as many in LDS as in memory"):
        tensor_load(("a", "b"), ("m0",))
    with pytest.raises(ValueError, match="TDM-089"):
        wait("vm")
    with pytest.raises(ValueError, match="TDM-089"):
        wait("tensor", -1)
    with pytest.raises(ValueError, match="1 values for 2 reads"):
        find([[ds_read("a"), ds_read("a")]], reads=[["x"]])


def test_a_program_too_large_to_enumerate_is_refused(monkeypatch):
    monkeypatch.setattr(events, "STATE_LIMIT", 2000)
    with pytest.raises(ValueError, match="more than 2000 states"):
        outcomes([[tensor_load("abcdefgh"[n], "m0") for n in range(8)]] * 2)
