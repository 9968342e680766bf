# SPDX-License-Identifier: Apache-2.0
"""Waits, asked of the model: codec of the operands, and the finder on small listings with one thing changed at a time."""

from cdna.waits.counters import WaitError, decode_operand, encode_operand, encode_words, split_wait, too_high
from cdna.waits.finder import check
from cdna_evidence.checks import Check

LEGACY = {
    "vector_load": ("global_load_dword v0, v[2:3], off", "v_mov_b32 v9, v0"),
    "vector_atomic": ("global_atomic_add v0, v[2:3], v4, off sc0", "v_mov_b32 v9, v0"),
    "lds_load": ("ds_read_b32 v0, v1", "v_mov_b32 v9, v0"),
    "lds_exchange": ("ds_bpermute_b32 v0, v1, v2", "v_mov_b32 v9, v0"),
    "scalar_load": ("s_load_dword s4, s[0:1], 0x0", "s_mov_b32 s9, s4"),
    "copy_to_lds": ("global_load_lds_dword v[0:1], off", "ds_read_b32 v8, v9"),
}
SPLIT = {
    "vector_load": ("global_load_b32 v0, v[2:3], off", "v_mov_b32 v9, v0"),
    "vector_atomic": ("global_atomic_add_u32 v0, v[2:3], v4, off th:TH_ATOMIC_RETURN", "v_mov_b32 v9, v0"),
    "lds_load": ("ds_load_b32 v0, v1", "v_mov_b32 v9, v0"),
    "lds_exchange": ("ds_bpermute_b32 v0, v1, v2", "v_mov_b32 v9, v0"),
    "scalar_load": ("s_load_b32 s4, s[0:1], 0x0", "s_mov_b32 s9, s4"),
    "message": ("s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_REALTIME)", "s_mov_b32 s9, s4"),
    "async_load": ("global_load_async_to_lds_b32 v0, v[2:3], off", "ds_load_b32 v8, v9"),
    "async_store": ("global_store_async_from_lds_b32 v[2:3], v0, off", "tensor_load_to_lds s[0:3], s[4:11]"),
    "tensor_load": ("tensor_load_to_lds s[0:3], s[4:11]", "ds_load_b32 v8, v9"),
}
SIX = (
    ("copy", "buffer_load_dword v0, s[0:3], 0 offen lds"),
    ("independent_work", "v_add_u32 v10, v11, v12"),
    ("vmem_wait", "s_waitcnt vmcnt(0)"),
    ("barrier", "s_barrier"),
    ("lds_loads", "ds_read_b64 v[2:3], v1"),
    ("register_wait", "s_waitcnt lgkmcnt(0)"),
    ("mfma", "v_mfma_f32_16x16x16_f16 v[20:23], v[2:3], v[2:3], v[20:23]"),
)


def rules(lines, target, **options):
    """Every (rule, severity) that the finder reports on a listing."""
    found = check("\n".join(lines) + "\n", target, **options).findings
    return [(item["rule"], item["severity"]) for item in found]


def errors(lines, target, **options):
    """How many errors the finder reports on a listing."""
    return len([one for one in rules(lines, target, **options) if one[1] == "error"])


def counters(first, then, target):
    """The counters of the wait that the finder asks for between two instructions."""
    found = check("\n".join([first, then, "s_endpgm"]), target).missing
    return [item["counter"] for item in found[0]["counters"]] if found else []


def largest(accepts):
    """The largest number up to 300 that is accepted, and -1 for none."""
    good = [number for number in range(301) if accepts(number)]
    return max(good, default=-1)


def fits(target, counter, count):
    """Whether the encoder takes a count."""
    try:
        encode_words({counter: count}, target)
    except WaitError:
        return False
    return True


class PackedOperand(Check):
    """The packed operand is taken apart bit by bit, limits are found by trying, and classes by asking what they need.

    Shows: the model's codec and its table of classes.
    Does not show: the hardware; the compiler half is another check.
    """

    claim = "WAIT-001"
    kind = "model"
    binds = ("bits", "most", "operands", "completes")

    def observe(self, target, tools):
        names = ("vmcnt", "expcnt", "lgkmcnt")
        bits = {name: [] for name in names}
        for bit in range(16):
            for name, count in decode_operand(1 << bit, target).counts:
                bits[name] += [bit] if count else []
        return {
            "bits": bits,
            "most": {name: largest(lambda n, name=name: fits(target, name, n)) for name in names},
            "operands": {f"{name}_zero": encode_operand({name: 0}, target) for name in names},
            "completes": {name: counters(first, then, target)[0] for name, (first, then) in LEGACY.items()},
        }


class BarrierOfTheModel(Check):
    """An LDS store, a barrier and an LDS load: with no wait, with the wait behind the barrier, with the wait in front.

    Shows: what the finder says of the three orders.
    Does not show: the hardware.
    """

    claim = "WAIT-002"
    kind = "model"
    binds = ("reported",)

    def observe(self, target, tools):
        store, load = "ds_write_b32 v0, v1", "ds_read_b32 v2, v3"
        tail = ["s_waitcnt lgkmcnt(0)", "v_mov_b32 v4, v2", "s_endpgm"]
        orders = {
            "no_wait": [store, "s_barrier", load],
            "wait_behind": [store, "s_barrier", "s_waitcnt lgkmcnt(0)", load],
            "wait_in_front": [store, "s_waitcnt lgkmcnt(0)", "s_barrier", load],
        }
        named = {name: [rule for rule, _ in rules(lines + tail, target)] for name, lines in orders.items()}
        return {"reported": {name: "barrier-is-no-drain" in found for name, found in named.items()}}


class CopyNeedsVmcnt(Check):
    """A direct-to-LDS copy and an LDS load, with each wait in turn between them.

    Shows: which wait satisfies the finder.
    Does not show: the hardware.
    """

    claim = "WAIT-003"
    kind = "model"
    binds = ("protects",)

    def observe(self, target, tools):
        copy, load = "global_load_lds_dword v[0:1], off", "ds_read_b32 v2, v3"
        tail = ["s_waitcnt lgkmcnt(0)", "v_mov_b32 v4, v2", "s_endpgm"]
        waits = {
            "none": [],
            "lgkmcnt": ["s_waitcnt lgkmcnt(0)"],
            "barrier": ["s_barrier"],
            "vmcnt": ["s_waitcnt vmcnt(0)"],
        }
        return {
            "protects": {name: errors([copy] + lines + [load] + tail, target) == 0 for name, lines in waits.items()}
        }


class SixSteps(Check):
    """The sequence of the audit passes; each step is left out once.

    Shows: which rule reports each missing step, and whether as an error.
    Does not show: that the sequence is the fastest, or that a device needs all of it.
    """

    claim = "WAIT-005"
    kind = "model"
    binds = ("lines", "findings_whole", "without", "as_error")

    def observe(self, target, tools):
        def run(leave_out):
            return rules([line for name, line in SIX if name != leave_out] + ["s_endpgm"], target)

        return {
            "lines": len(SIX),
            "findings_whole": len(run(None)),
            "without": {name: run(name)[0][0] for name, _ in SIX},
            "as_error": {name: run(name)[0][1] == "error" for name, _ in SIX},
        }


class BarrierOnlyIfShared(Check):
    """The sequence without its barrier and without its wait, for one wave, for several, and where sharing is certain.

    Shows: when the finder asks for the barrier, and that it always asks for the wait.
    Does not show: who reads what; the text does not say it.
    """

    claim = "WAIT-009"
    kind = "model"
    binds = ("error_without_barrier", "error_without_wait")

    def observe(self, target, tools):
        one_wave = ["  - .max_flat_workgroup_size: 64"]
        cases = {"one_wave": (one_wave, {}), "not_known": ([], {}), "other_waves_read": ([], {"shared": True})}

        def run(name, leave_out):
            extra, options = cases[name]
            lines = [line for step, line in SIX if step != leave_out] + ["s_endpgm"]
            return errors(lines + extra, target, **options) > 0

        return {
            "error_without_barrier": {name: run(name, "barrier") for name in cases},
            "error_without_wait": {name: run(name, "vmem_wait") for name in cases},
        }


class SplitCounters(Check):
    """Each counter of gfx1250: the largest count that the encoder takes, and from where on the reader reports the operand.

    Shows: the model's ranges.
    Does not show: what a device does with an operand beyond them.
    """

    claim = "WAIT-051"
    kind = "model"
    binds = ("most", "words")

    def observe(self, target, tools):
        names = ("loadcnt", "storecnt", "dscnt", "kmcnt", "xcnt", "asynccnt", "tensorcnt")
        most = {}
        for name in names:
            limit = largest(lambda n, name=name: fits(target, name, n))
            reported = largest(lambda n, name=name: not too_high(split_wait("s_wait_" + name, n, target), target))
            most[name] = limit if limit == reported else -1
        words = {name: encode_words({name: 1}, target)[0] for name in names}
        words["loadcnt_dscnt"] = encode_words({"loadcnt": 1, "dscnt": 28}, target)[0]
        words["storecnt_dscnt"] = encode_words({"storecnt": 1, "dscnt": 28}, target)[0]
        return {"most": most, "words": words}


class ScalarLoadsKeepNoOrder(Check):
    """Two scalar loads and a reader of the older: which counts satisfy the finder.

    Shows: that the model takes scalar loads to complete in any order.
    Does not show: the hardware.
    """

    claim = "WAIT-052"
    kind = "model"
    binds = ("enough",)

    def observe(self, target, tools):
        split = target == "gfx1250"
        load = "s_load_b32 s{0}, s[0:1], 0x0" if split else "s_load_dword s{0}, s[0:1], 0x0"
        wait = "s_wait_kmcnt {0}" if split else "s_waitcnt lgkmcnt({0})"

        def enough(count):
            lines = [load.format(4), load.format(5), wait.format(count), "s_mov_b32 s9, s4", "s_endpgm"]
            return "read-before-result" not in [rule for rule, _ in rules(lines, target)]

        return {"enough": {"zero": enough(0), "one": enough(1)}}


class VectorAccessesKeepOrder(Check):
    """Two vector loads, or a load and a store, and a reader of the older: which counts satisfy the finder.

    Shows: that the model takes vector accesses to complete in the order of their issue.
    Does not show: the hardware.
    """

    claim = "WAIT-090"
    kind = "model"
    binds = ("enough", "enough_before_store")

    def observe(self, target, tools):
        load = "global_load_dword v{0}, v[2:3], off"

        def enough(younger, count):
            lines = [load.format(0), younger, f"s_waitcnt vmcnt({count})", "v_mov_b32 v9, v0", "s_endpgm"]
            return "read-before-result" not in [rule for rule, _ in rules(lines, target)]

        found = {}
        for name, younger in (
            ("enough", load.format(1)),
            ("enough_before_store", "global_store_dword v[4:5], v6, off"),
        ):
            found[name] = {word: enough(younger, count) for count, word in enumerate(("zero", "one", "two"))}
        return found


class FullCounters(Check):
    """How many younger operations of the same class make sure of a result without any wait, and which operand waits for nothing.

    Shows: the model's capacity, found by trying.
    Does not show: the hardware; the model follows what AMD's developers wrote of it.
    """

    claim = "WAIT-053"
    kind = "model"
    binds = ("holds", "waits_for_nothing")

    def observe(self, target, tools):
        producer = {"vmcnt": "global_load_dword v{0}, v[2:3], off", "lgkmcnt": "ds_read_b32 v{0}, v1"}

        def sure(counter, younger, wait=()):
            lines = [producer[counter].format(9)] + [producer[counter].format(10 + i) for i in range(younger)]
            found = rules(lines + list(wait) + ["v_mov_b32 v8, v9", "s_endpgm"], target)
            return "read-before-result" not in [rule for rule, _ in found]

        holds = {name: min(n for n in range(100) if sure(name, n)) for name in producer}
        nothing = {}
        for name in producer:
            counts = [n for n in range(300) if fits(target, name, n)]
            nothing[name] = min(
                n for n in counts if name in decode_operand(encode_operand({name: n}, target), target).free
            )
        return {"holds": holds, "waits_for_nothing": nothing}


class AsyncNeedsItsOwnWait(Check):
    """An asynchronous copy, or a tensor load, and an LDS load, with each wait of the target between.

    Shows: which one wait satisfies the finder.
    Does not show: the hardware.
    """

    claim = "WAIT-054"
    kind = "model"
    binds = ("protecting_wait",)

    def observe(self, target, tools):
        names = ("loadcnt", "storecnt", "dscnt", "kmcnt", "xcnt", "asynccnt", "tensorcnt")

        def waits(first):
            tail = [
                "s_barrier_signal -1",
                "s_barrier_wait -1",
                "ds_load_b32 v8, v9",
                "s_wait_dscnt 0x0",
                "v_mov_b32 v7, v8",
                "s_endpgm",
            ]
            good = [
                name
                for name in names
                if "lds-read-before-copy"
                not in [rule for rule, _ in rules([first, f"s_wait_{name} 0x0"] + tail, target)]
            ]
            return good[0] if len(good) == 1 else "none-or-many"

        return {"protecting_wait": {name: waits(SPLIT[name][0]) for name in ("async_load", "tensor_load")}}


class SplitClasses(Check):
    """A producer and its consumer of each class on gfx1250: which counter the finder asks for.

    Shows: the model's table.
    Does not show: the hardware.
    """

    claim = "WAIT-055"
    kind = "model"
    binds = ("completes", "flat_load", "store_does_not_count_for_load")

    def observe(self, target, tools):
        flat = counters("flat_load_b32 v0, v[2:3]", "v_mov_b32 v9, v0", target)
        lines = [
            "global_load_b32 v0, v[2:3], off",
            "global_store_b32 v[4:5], v6, off",
            "s_wait_loadcnt 0x1",
            "v_mov_b32 v9, v0",
            "s_endpgm",
        ]
        return {
            "completes": {name: counters(first, then, target)[0] for name, (first, then) in SPLIT.items()},
            "flat_load": sorted(flat),
            "store_does_not_count_for_load": "read-before-result" in [rule for rule, _ in rules(lines, target)],
        }


class Translation(Check):
    """An address register is overwritten behind a load and behind a store, with and without a wait for XCNT.

    Shows: when the finder warns.
    Does not show: that a replay happens; it needs an unmapped page and a mode.
    """

    claim = "WAIT-056"
    kind = "model"
    binds = ("warns",)

    def observe(self, target, tools):
        load, move = "global_load_b32 v0, v[2:3], off", "v_mov_b32 v2, v9"
        cases = {
            "no_wait": [load, move],
            "xcnt_wait": [load, "s_wait_xcnt 0x0", move],
            "load_wait": [load, "s_wait_loadcnt 0x0", move],
            "tensor_load": ["tensor_load_to_lds s[0:3], s[4:11]", "s_mov_b32 s0, s20"],
        }
        found = {
            name: rules(lines + ["s_wait_loadcnt 0x0", "v_mov_b32 v8, v0", "s_endpgm"], target)
            for name, lines in cases.items()
        }
        return {
            "warns": {
                name: "overwrite-before-translation" in [rule for rule, _ in all_] for name, all_ in found.items()
            }
        }


class RefillBeforeRead(Check):
    """A buffer is refilled behind a read of it and behind a store from it, with and without the wait.

    Shows: what the finder reports where all copies go to one place.
    Does not show: how likely the copy is to overtake the read.
    """

    claim = "WAIT-057"
    kind = "model"
    binds = ("reported",)

    def observe(self, target, tools):
        if target == "gfx1250":
            first, then, wait = (
                "global_store_async_from_lds_b32 v[2:3], v0, off",
                "tensor_load_to_lds s[0:3], s[4:11]",
                "s_wait_asynccnt 0x0",
            )
        else:
            first, then, wait = (
                "ds_read_b128 v[4:7], v1",
                "buffer_load_dword v0, s[0:3], 0 offen lds",
                "s_waitcnt lgkmcnt(0)",
            )
        tail = ["s_endpgm"]
        return {
            "reported": {
                "no_wait": errors([first, then] + tail, target) > 0,
                "wait_between": errors([first, wait, then] + tail, target) > 0,
            }
        }


class RefillNeedsTheOthers(Check):
    """A read of LDS, its wait and a copy into LDS: without a barrier, with one, for one wave, and where sharing is certain.

    Shows: when the finder asks for the barrier, and how loudly.
    Does not show: that another wave still reads; the text does not say it.
    """

    claim = "WAIT-087"
    kind = "model"
    binds = ("warned", "error")

    def observe(self, target, tools):
        split = target == "gfx1250"
        read = ["ds_load_b32 v4, v1", "s_wait_dscnt 0x0"] if split else ["ds_read_b32 v4, v1", "s_waitcnt lgkmcnt(0)"]
        copy = "global_load_async_to_lds_b32 v0, v[2:3], off" if split else "buffer_load_dword v0, s[0:3], 0 offen lds"
        barrier = ["s_barrier_signal -1", "s_barrier_wait -1"] if split else ["s_barrier"]
        rest = ["v_mov_b32 v5, v4", "s_endpgm"]
        cases = {
            "no_barrier": [*read, copy, *rest],
            "barrier_between": [*read, *barrier, copy, *rest],
            "one_wave": [*read, copy, *rest, "  - .max_flat_workgroup_size: 32"],
            "several_places": [*read, copy, copy + " offset:1024", *rest],
        }
        if split:
            cases["no_barrier_before_tensor_load"] = [*read, "tensor_load_to_lds s[0:3], s[4:11]", *rest]
        shared = rules(cases["no_barrier"], target, shared=True)
        return {
            "warned": {name: ("no-barrier", "warning") in rules(lines, target) for name, lines in cases.items()},
            "error": {
                "not_known": ("no-barrier", "error") in rules(cases["no_barrier"], target),
                "other_waves_read": ("no-barrier", "error") in shared,
            },
        }


class LoadsIntoOneRegister(Check):
    """Two vector loads into one register with nothing between.

    Shows: whether the finder lets the second follow.
    Does not show: the hardware.
    """

    claim = "WAIT-058"
    kind = "model"
    binds = ("wait_needed",)

    def observe(self, target, tools):
        load = "global_load_b32 v0, v[{0}:{1}], off" if target == "gfx1250" else "global_load_dword v0, v[{0}:{1}], off"
        found = rules([load.format(2, 3), load.format(4, 5), "s_endpgm"], target)
        return {"wait_needed": "overwrite-before-result" in [rule for rule, _ in found]}


class WeakWaitIsFound(Check):
    """The code that clang 22 makes of an LDS load, a copy and a use is written down as a listing and judged.

    Shows: that the finder reports the wait as too weak.
    Does not show: that a compiler emits it; the compiler check does.
    """

    claim = "WAIT-059"
    kind = "model"
    binds = ("needed_count",)

    def observe(self, target, tools):
        lines = ["ds_read_b32 v1, v1", "global_load_lds_dword v0, s[2:3]", "v_add_u32 v1, 1, v1", "s_endpgm"]
        found = [item for item in check("\n".join(lines), target).missing if item["rule"] == "read-before-result"]
        return {"needed_count": found[0]["counters"][0]["at_most"]}


class AsyncOnOneCounter(Check):
    """A load, an asynchronous copy and a use of the load, where the copy raises only its own counter.

    Shows: the count that the finder then asks for.
    Does not show: which reading is right.
    """

    claim = "WAIT-060"
    kind = "model"
    position = "asynccnt-only"
    binds = ("at_most_for_the_load",)
    unsure = False

    def observe(self, target, tools):
        lines = [
            "global_load_b32 v0, v[2:3], off",
            SPLIT["async_load"][0].replace("v0", "v8"),
            "v_mov_b32 v9, v0",
            "s_endpgm",
        ]
        found = check("\n".join(lines), target, unsure_counts=self.unsure).missing
        return {
            "at_most_for_the_load": [item for item in found if item["rule"] == "read-before-result"][0]["counters"][0][
                "at_most"
            ]
        }


class AsyncOnBothCounters(AsyncOnOneCounter):
    """The same listing, where the copy raises the ordinary counter too.

    Shows: the count that the finder then asks for.
    Does not show: which reading is right.
    """

    position = "counted-on-both"
    unsure = True


class InvalidationNotCounted(Check):
    """A load, an invalidation of caches and a use of the load, given to the finder without a wait.

    Shows: the count that the finder asks for.
    Does not show: which reading is right.
    """

    claim = "WAIT-092"
    kind = "model"
    position = "not-counted"
    binds = ("at_most_for_the_load",)
    unsure = False

    def observe(self, target, tools):
        text = "global_load_dword v0, v[2:3], off\nbuffer_inv sc1\nv_mov_b32 v9, v0\ns_endpgm"
        (found,) = check(text, target, unsure_counts=self.unsure).missing
        return {"at_most_for_the_load": found["counters"][0]["at_most"]}


class InvalidationCounted(InvalidationNotCounted):
    """The same listing, where the invalidation raises the counter.

    Shows: the count that the finder then asks for.
    Does not show: which reading is right.
    """

    position = "counted"
    unsure = True
