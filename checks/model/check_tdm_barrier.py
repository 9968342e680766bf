# SPDX-License-Identifier: Apache-2.0
"""The barrier arrival, asked of the reference model: when it is sent, where, what it does to the cell, and who wakes."""

from cdna.tdm.barrier import address_of, arrivals, field_of, layout_named, make, phase_bit, side_by_side, unpack
from cdna.tdm.descriptor import FieldError, encode
from cdna.tdm.events import ds_read, null_tensor, sleep, tensor_load, wait
from cdna.tdm.order import find
from cdna.tdm.transfer import run
from cdna_evidence.checks import Check


class ArrivalSent(Check):
    """Loads with the bit set and clear, with a count of zero and with every element out of bounds.

    Shows: how many arrivals the model's engine reports.
    Does not show: hardware.
    """

    claim = "TDM-097"
    kind = "model"
    binds = ("arrivals",)

    def observe(self, target, tools):
        plain = {"tile_dim0": 4, "tensor_dim0": 4, "atomic_barrier_enable": 1, "atomic_barrier_address": 4}
        cases = {
            "enabled": plain,
            "disabled": dict(plain, atomic_barrier_enable=0),
            "null_descriptor": dict(plain, count=0),
            "all_out_of_bounds": dict(plain, tensor_dim0=0),
        }
        return {
            "arrivals": {name: len(run(f, "load", [(0, bytes(64))], bytes(64)).barrier) for name, f in cases.items()}
        }


class PhaseShows(Check):
    """A cell for two arrivals goes through three phases; a waiting wave compares one bit with what it knew at the start.

    Shows: after how many changes that bit differs, by the model's cell with 29 bits of pending count.
    Does not show: hardware, or how a wave is woken.
    """

    claim = "TDM-146"
    kind = "model"
    binds = ("bit_differs", "most_drift")

    def observe(self, target, tools):
        layout = layout_named("manual-29")
        cell = make(2, layout)
        known = cell >> phase_bit(layout) & 1
        ends = [after for after, woken in arrivals(cell, layout, 6) if woken]
        differs = [(after >> phase_bit(layout) & 1) != known for after in ends]
        drift = 0
        while drift < len(differs) and differs[drift]:
            drift += 1
        names = ("after_one", "after_two", "after_three")
        return {"bit_differs": dict(zip(names, differs, strict=True)), "most_drift": drift}


class BarrierAddress(Check):
    """Every single bit of an address is offered as the barrier's; the cell that the engine then names is read back.

    Shows: which bits of an address the field can hold, by running a load for each.
    Does not show: hardware.
    """

    claim = "TDM-098"
    kind = "model"
    binds = ("step_bytes", "lowest_bit", "highest_bit", "last_address")

    def observe(self, target, tools):
        bits = [bit for bit in range(32) if self._reached(1 << bit) == 1 << bit]
        low, high = min(bits), max(bits)
        last = max(address for address in range(1 << high, 4 << high, 1 << low) if self._reached(address) == address)
        return {"step_bytes": address_of(1), "lowest_bit": low, "highest_bit": high, "last_address": last}

    def _reached(self, address):
        try:
            fields = {
                "tile_dim0": 4,
                "tensor_dim0": 4,
                "atomic_barrier_enable": 1,
                "atomic_barrier_address": field_of(address),
            }
            encode(fields)
        except (FieldError, ValueError):
            return None
        return run(fields, "load", [(0, bytes(64))], bytes(64)).barrier[0]


def fields_of_cell(layout):
    """What a cell for three arrivals does under a layout; its fields are found by setting single bits."""
    cell = make(3, layout)
    steps = arrivals(cell, layout, 7)
    woken = [i + 1 for i in range(len(steps)) if steps[i][1]]
    phases = [unpack(step[0], layout).phase for step in steps]
    return {
        # The second wake comes as many arrivals after the first as a phase has.
        "arrivals_per_phase": woken[1] - woken[0],
        "pending_at_start": unpack(cell, layout).pending,
        "wakes_at_arrival": woken[0],
        "phases_back_per_wake": (phases[woken[0] - 1] - phases[woken[1] - 1]) % (1 << 32 - layout.width),
        "pending_bits": len([bit for bit in range(64) if unpack(1 << bit, layout).pending]),
        "phase_bit": min(bit for bit in range(32) if unpack(1 << bit, layout).phase),
        "reload_bits": len([bit for bit in range(64) if unpack(1 << bit, layout).reload]),
        "phase_after_wake": phases[woken[0] - 1],
    }


class CellOfCompilers(Check):
    """A cell for three arrivals under the layout that compilers emit.

    Shows: what the model makes of a pending count of 29 bits.
    Does not show: that a device has this layout.
    """

    claim = "TDM-099"
    kind = "model"
    position = "compiler-29"
    binds = (
        "arrivals_per_phase",
        "pending_at_start",
        "wakes_at_arrival",
        "phases_back_per_wake",
        "pending_bits",
        "phase_bit",
        "reload_bits",
        "phase_after_wake",
    )

    def observe(self, target, tools):
        return fields_of_cell(layout_named("compiler-29"))


class CellOfEmulator(Check):
    """A cell for three arrivals under the emulator's layout.

    Shows: what the model makes of a pending count of 16 bits.
    Does not show: that a device has this layout.
    """

    claim = "TDM-099"
    kind = "model"
    position = "emulator-16"
    binds = CellOfCompilers.binds

    def observe(self, target, tools):
        return fields_of_cell(layout_named("emulator-16"))


class CellOfManual(Check):
    """A cell for three arrivals under each width of the manual's table that leaves room for a phase.

    Shows: that the counting is the same for all of them, and the widths that the model knows for this source.
    Does not show: the setting of a device, nor what a width of 32 does.
    """

    claim = "TDM-099"
    kind = "model"
    position = "configurable"
    binds = (
        "arrivals_per_phase",
        "pending_at_start",
        "wakes_at_arrival",
        "phases_back_per_wake",
        "widths",
        "reload_bits",
    )

    def observe(self, target, tools):
        manual = [layout for layout, _ in side_by_side(0) if layout.name.startswith("manual")]
        found = [fields_of_cell(layout) for layout in manual if layout.width < 32]
        observed = {"widths": sorted(layout.width for layout in manual)}
        for key in self.binds:
            if key != "widths":
                # One value for all widths, or all of them: then the comparison fails.
                told = sorted({one[key] for one in found})
                observed[key] = told[0] if len(told) == 1 else told
        return observed


class ProducerAndConsumers(Check):
    """One wave loads and three read, with and without a sleep on the cell that the load signals.

    Shows: which programs may read old data or hang, over every execution of the model.
    Does not show: how a device puts waves to sleep.
    """

    claim = "TDM-100"
    kind = "model"
    binds = ("arrivals", "reads_old_data", "hangs")

    def observe(self, target, tools):
        load, read = tensor_load("a", "m0", "cell"), ds_read("a")
        ways = {"sleep_on_the_cell": [sleep("cell")], "no_wait": [], "wait_on_own_counter": [wait("tensor")]}
        right = [count for count in range(4) if self._report(load, [sleep("cell", count), read], 1).wrong is None]
        verdicts = {name: self._report(load, ops + [read], 3).wrong is not None for name, ops in ways.items()}
        hangs = {}
        for name, first in (("live_descriptor", load), ("null_descriptor", null_tensor("cell"))):
            hangs[name] = bool(find([[first], [sleep("cell"), read]], [("m0", "new")]).meant[0].hangs)
        return {"arrivals": min(right), "reads_old_data": verdicts, "hangs": hangs}

    def _report(self, load, consumer, consumers):
        reads = [[]] + [["new"]] * consumers
        return find([[load]] + [consumer] * consumers, [("m0", "new")], reads=reads)
