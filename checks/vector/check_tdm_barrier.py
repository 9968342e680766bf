# SPDX-License-Identifier: Apache-2.0
"""The barrier address and the barrier cell: what programs that were not written here wrote, or expect in LDS."""

import re

from cdna_evidence.checks import CannotTell, Check


def entry(tools, stem, key, name):
    """Return one entry of a vector file by id, its origin noted."""
    for item in tools.vector(stem)[key]:
        if item["id"] == name:
            tools.origin(item["origin"])
            return item
    raise CannotTell(f"{stem}: no entry {name}")


def named_byte(item):
    """The LDS byte address of the cell that an entry's note names."""
    return int(re.search(r"(?:mbarrier|u64|barrier cell) (?:\(u64 )?at LDS (?:byte )?(\d+)", item["note"])[1])


class EncodersShiftTheAddress(Check):
    """MLIR was asked for cell 3 of an array, Triton put a cell behind a tile, tests of an emulator name byte 64.

    Shows: which field value three programs connect with which LDS byte.
    Does not show: what a device does with the field.
    """

    claim = "TDM-098"
    kind = "vector"
    witness = "tdm-words"
    binds = ("step_bytes", "lowest_bit")

    def observe(self, target, tools):
        mlir = entry(tools, "tdm-words", "descriptor_words", "mlir_barrier")
        asked = mlir["params"]["barrier_base"] + mlir["params"]["index"] * mlir["params"]["cell_bytes"]
        pairs = [[int(mlir["group1_words_0_1"][1], 16) & 0xFFFF, asked]]
        triton = entry(tools, "tdm-words", "descriptor_words", "tritonc_load_bar")
        pairs.append([int(triton["words"]["group1"][1], 16) & 0xFFFF, named_byte(triton)])
        test = entry(tools, "tdm-lds", "lds_contents", "rj_barrier")
        pairs.append([int(test["words"]["group1"][1], 16) & 0xFFFF, named_byte(test)])
        return {"pairs": pairs}

    def judge(self, observed, values):
        found = [] if len(observed["pairs"]) == 3 else ["pairs: three expected"]
        for field, byte in observed["pairs"]:
            if field * values["step_bytes"] != byte:
                found.append(f"step_bytes: field {field} written for byte {byte}")
            if byte >> values["lowest_bit"] != field:
                found.append(f"lowest_bit: byte {byte} written as {field}")
        return found


class EmulatorTestCell(Check):
    """A test of AMD's emulator arrives once at a cell of zeros and expects a certain cell.

    Shows: what rocJITsu's test expects: the phase that one roll-under leaves, and where it begins.
    Does not show: hardware; two other sources give other layouts.
    """

    claim = "TDM-099"
    kind = "vector"
    witness = "tdm-lds"
    position = "emulator-16"
    binds = ("phase_bit", "phase_after_wake")

    def observe(self, target, tools):
        note = entry(tools, "tdm-lds", "lds_contents", "rj_barrier")["note"]
        start, end = re.search(r"initially (\w+) becomes (0x[0-9a-f]+)", note).groups()
        if int(start, 0):
            raise CannotTell("the cell does not start with zeros")
        low = int(end, 16) & 0xFFFFFFFF
        bit = min(b for b in range(32) if low >> b & 1)
        return {"phase_bit": bit, "phase_after_wake": low >> bit}
