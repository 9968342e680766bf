# SPDX-License-Identifier: Apache-2.0
"""Lane maps of transposing LDS loads as Triton needs them for its addresses to be right."""

from cdna_evidence.checks import CannotTell, Check


class _TritonMap(Check):
    """A tile whose columns lie together in LDS, wanted by rows: addresses and stores of the compiled kernel."""

    kind = "client"
    witness = "triton-tr"
    binds = ("lane_0", "lane_9", "lane_20", "one_to_one")
    lanes = (0, 9, 20)
    element = "element"
    name = opcode = None

    def observe(self, target, tools):
        moved = tools.witness("triton-tr").moved(target, self.name)
        if moved.outcome != "accepted" or moved.opcode != self.opcode:
            raise CannotTell(f"{moved.outcome}, {moved.opcode or moved.diagnostic[:120]}")
        every = sorted(pair for lane in moved.receives for pair in lane)
        read = [(lane, place) for lane in range(len(moved.receives)) for place in range(len(moved.receives[0]))]
        found = {f"lane_{lane}": self._lane(lane, moved.receives[lane]) for lane in self.lanes}
        return dict(found, one_to_one=every == read)

    def _lane(self, lane, pairs):
        elements = {element for _, element in pairs}
        return {
            "lane": lane,
            self.element: elements.pop() if len(elements) == 1 else -1,
            "sources": [source for source, _ in pairs],
        }


class TritonB16Map(_TritonMap):
    """A tile of 32 x 8 halfwords whose columns lie together in LDS, wanted by rows.

    Shows: the lane map that makes Triton 3.9.0's addresses right, all 32 lanes.
    Does not show: hardware.
    """

    claim = "TRN-053"
    name, opcode = "b16", "tr16.b128"


class TritonB8Map(_TritonMap):
    """A tile of 32 x 8 bytes whose columns lie together in LDS, wanted by rows.

    Shows: the lane map that makes Triton 3.9.0's addresses right, all 32 lanes.
    Does not show: hardware.
    """

    claim = "TRN-054"
    name, opcode = "b8", "tr8.b64"


class TritonB4Map(_TritonMap):
    """128 K of sixteen columns, packed by columns in LDS, wanted packed by K as a matrix instruction takes them.

    Shows: the lane map that makes Triton 3.9.0's addresses right, all 32 lanes.
    Does not show: hardware.
    """

    claim = "TRN-055"
    name, opcode = "b4", "tr4.b64"


class TritonCdna4B16Map(_TritonMap):
    """A tile of 64 x 4 halfwords whose columns lie together in LDS, wanted by rows, on gfx950.

    Shows: the lane map that makes Triton 3.9.0's addresses right, all 64 lanes.
    Does not show: hardware.
    """

    claim = "TRN-051"
    name, opcode = "b16", "tr16.b64"
    lanes, element = (0, 5, 17), "halfword"
    binds = ("lane_0", "lane_5", "lane_17", "one_to_one")


class TritonCdna4B8Map(_TritonMap):
    """A tile of 64 x 8 bytes whose columns lie together in LDS, wanted by rows, on gfx950.

    Shows: the lane map that makes Triton 3.9.0's addresses right, all 64 lanes.
    Does not show: hardware.
    """

    claim = "TRN-058"
    name, opcode = "b8", "tr8.b64"
