# SPDX-License-Identifier: Apache-2.0
"""The manual's pseudocode for a load, element by element, as the texts with the keys ART-A and ISA5-TEXT have it.

Written down as printed: a write pointer, a count of bytes since the last gap, one element at a time. What is added,
and nothing else:

1. units: `Laddr += D#.pad_amount` adds 4 * (pad_amount + 1) bytes (claim TDM-041), and the row address multiplies by
   `dataSize`, where the print has the field (claim TDM-012);
2. four loops instead of two around the innermost (the formulas for 4D and 5D), and the list of rows for a gather;
3. the bounds test in front of each access (zero on load, nothing on store);
4. a gap that would run past the allocation is not inserted (claim TDM-037); bytes without memory, or outside LDS,
   do not move;
5. the repetition of an iteration: the write pointer restarts from the stream position of the pass.

It shares no code with `cdna.tdm.transfer` and holds memory as a dict of single bytes.
"""


def transfer(D, op, memory, lds, null_groups=()):
    """Return (lds, memory, faults) after one instruction; memory: dict of address -> byte; faults: set of names."""
    D = dict(D)
    if 2 in null_groups:
        for name in ("tensor_dim2", "tensor_dim3", "tensor_dim2_stride", "tile_dim3"):
            D[name] = 0
        for name in ("lds_addr_increment", "global_addr_increment", "iterate_count"):
            D[name] = 0
    if 3 in null_groups:
        for name in ("tensor_dim3_stride", "tensor_dim4", "tile_dim4"):
            D[name] = 0
    def g(name):
        return D.get(name, 0)

    lds, memory, faults = bytearray(lds), dict(memory), set()
    if D.get("count", 1) == 0 or g("tile_dim0") == 0:
        return bytes(lds), memory, faults

    dataSize = 1 << g("data_size")
    gather = g("gather_mode")
    iterate = g("iterate_enable") and not gather
    if gather:
        per_group = 4 if g("gather_index_size") else 8
        indices = (list(g("row_indices") or []) + [0] * 16)[: 2 * per_group]
        if 2 in null_groups:
            indices = [0] * per_group + indices[per_group:]
        if 3 in null_groups:
            indices = indices[:per_group] + [0] * per_group
        rows = indices[: g("tile_dim1")]
        loops = [(0, 0, 0, y) for y in rows]
        active = [True, True, False, False, False]
    else:
        n3, n4 = (0, 0) if iterate else (g("tile_dim3"), g("tile_dim4"))
        loops = [
            (zzz, zz, z, y)
            for zzz in range(n4 or 1)
            for zz in range(n3 or 1)
            for z in range(g("tile_dim2") or 1)
            for y in range(g("tile_dim1") or 1)
        ]
        active = [True, g("tile_dim1") > 0, g("tile_dim2") > 0, n3 > 0, n4 > 0]

    stream = 0  # bytes of the dense stream before this one
    for step in range(g("iterate_count") + 1 if iterate else 1):
        stream = dataSize * step * g("lds_addr_increment") if iterate else 0
        # the pointer and the count as they stand after `stream` bytes
        Laddr, bytesStored = g("lds_addr"), 0
        for _ in range(stream // dataSize):
            Laddr, bytesStored = advance(D, op, Laddr, bytesStored, dataSize, len(lds))
        for zzz, zz, z, y in loops:
            Maddr = g("global_addr") + dataSize * (
                y * g("tensor_dim0_stride")
                + z * (0 if gather else g("tensor_dim1_stride"))
                + zz * (0 if iterate else g("tensor_dim2_stride"))
                + zzz * g("tensor_dim3_stride")
            )
            if iterate:
                Maddr += dataSize * step * g("global_addr_increment")
            for x in range(g("tile_dim0")):
                place = (x, y, z, zz, zzz)
                dims = ("tensor_dim0", "tensor_dim1", "tensor_dim2", "tensor_dim3", "tensor_dim4")
                inside = all(place[d] < g(dims[d]) for d in range(5) if active[d])
                for byte in range(dataSize):
                    if not Laddr + byte < len(lds):
                        faults.add("lds")
                    elif not inside:
                        if op == "load":
                            lds[Laddr + byte] = 0
                    elif Maddr + byte not in memory:
                        faults.add("memory")
                    elif op == "load":
                        lds[Laddr + byte] = memory[Maddr + byte]
                    else:
                        memory[Maddr + byte] = lds[Laddr + byte]
                Maddr += dataSize
                Laddr, bytesStored = advance(D, op, Laddr, bytesStored, dataSize, len(lds))
    return bytes(lds), memory, faults


def advance(D, op, Laddr, bytesStored, dataSize, size):
    """The last lines of the pseudocode: the pointer and the count after one element."""
    Laddr += dataSize
    bytesStored += dataSize
    if op == "load" and D.get("pad_enable", 0) and (bytesStored >> 3) >= (1 << D.get("pad_interval", 0)):
        bytesStored = 0
        gap = 4 * (D.get("pad_amount", 0) + 1)
        if Laddr + gap <= size:
            Laddr += gap
    return Laddr, bytesStored
