# SPDX-License-Identifier: Apache-2.0
"""Rules of gather, iteration, padding, clusters, LDS and the barrier: see `rules.findings`."""

from ..targets import GFX1250
from .descriptor import GATHER_SLOTS, STRIDES, TENSOR_DIMS, TILE_DIMS, layout_of, rank_of
from .finding import error, note, warning
from .pad import amount_bytes, interval_bytes, written_bytes

LDS_BYTES = GFX1250.lds_bytes  # the most that one workgroup can have: LDS-001
MULTICAST_MERGED = 5  # requests that are merged, by the comments of two public programs; 16 can be encoded
ITERATE_DOCUMENTED = 255  # the largest iterate_count that the manual describes
ITERATE_ALL_ONES = 65535


def tile_bytes(fields):
    """Return the packed bytes that one pass of a transfer moves.

    Args: fields: raw fields.
    Returns: bytes; 0 for a NOP.
    Claims: TDM-012, TDM-021, TDM-026
    """
    layout = layout_of(fields)
    size = fields.get("tile_dim0", 0) << fields.get("data_size", 0)
    if layout in GATHER_SLOTS:
        return size * min(fields.get("tile_dim1", 0), GATHER_SLOTS[layout])
    for name in TILE_DIMS[1 : max(rank_of(fields), 1)]:
        size *= fields.get(name, 0) or 1
    return size


def gather_findings(fields, op=None):
    """Return what there is to say about a list of rows.

    Args: fields: raw fields of a gathering descriptor; op: "load", "store" or None.
    Claims: TDM-067 to TDM-074, TDM-079
    """
    found = []
    slots = GATHER_SLOTS[layout_of(fields)]
    count, rows = fields.get("tile_dim1", 0), list(fields.get("row_indices", ()))
    bound = fields.get("tensor_dim1", 0)
    if count > slots:
        bits = 32 if slots == 8 else 16
        text = f"tile_dim1={count}: at most {slots} indices of {bits} bits in one instruction. Fix: split the list"
        found.append(error("gather-count", text, "TDM-067", "tile_dim1"))
    elif count == 0:
        text = (
            "tile_dim1=0: no index is valid, so no row is moved; the manual allows it, an emulator refuses it. Fix: write the number of "
            "indices, or count=0 to switch the copy off"
        )
        found.append(warning("gather-empty", text, "TDM-067", "tile_dim1"))
    elif len(rows) < count:
        text = (
            f"tile_dim1={count} with {len(rows)} row_indices: the others are 0. Fix: tile_dim1 is the number of indices"
        )
        found.append(warning("gather-missing-indices", text, "TDM-067", "row_indices"))
    rows = rows[: min(count, slots)]
    descending = any(rows[i] < rows[i - 1] for i in range(1, len(rows)))
    outside = [row for row in rows if row >= bound]
    first = _row(outside[0], 32 if slots == 8 else 16) if outside else ""
    if outside and bound == count:
        text = (
            f"tensor_dim1={bound} is the length of the list, and row {first} is not below it: it comes back as "
            "zeros. Fix: tensor_dim1 is the number of rows of the source"
        )
        found.append(warning("gather-bound-is-list", text, "TDM-073", "tensor_dim1"))
    elif descending and outside:
        text = (
            f"row_indices descend and {first} is outside tensor_dim1={bound}: the manual speaks for the bounds of "
            "non-decreasing lists only. Fix: sort the indices, or check them before"
        )
        found.append(warning("gather-order", text, "TDM-070", "row_indices"))
    elif outside and bound:
        text = f"row {first} is outside tensor_dim1={bound}: it loads as zeros and is not stored"
        found.append(note("gather-row-outside", text, "TDM-073", "row_indices"))
    if op == "store" and any(rows[i] in rows[:i] for i in range(len(rows))):
        text = "a row is scattered to twice: no source says which write wins. Fix: leave one of them out"
        found.append(warning("scatter-repeats", text, "TDM-072", "row_indices"))
    if fields.get("iterate_enable", 0):
        text = "iterate_enable=1 is ignored when gathering. Fix: write 0, and one descriptor for each list of rows"
        found.append(warning("iterate-ignored", text, "TDM-079", "iterate_enable"))
    for name in ("tile_dim2", "tensor_dim1_stride"):
        if fields.get(name, 0):
            found.append(note("gather-ignores", f"{name} is ignored when gathering", "TDM-069", name))
    return found


def _row(index, bits):
    """Return a row number as text; a list that is filled up with -1 shows as the largest number."""
    return f"{index} (-1 in {bits} bits)" if index == (1 << bits) - 1 else str(index)


def iterate_findings(fields, op=None):
    """Return what there is to say about repeated passes.

    Args: fields: raw fields of an iterating descriptor; op: "load", "store" or None.
    Claims: TDM-005, TDM-076 to TDM-080
    """
    found = []
    if fields.get("tile_dim4", 0):
        text = (
            f"iterate_enable=1 with tile_dim4={fields['tile_dim4']}: iteration is for 2D and 3D tiles, it borrows the "
            "fields of 4D and 5D. Fix: write tile_dim4=0, or one descriptor for each pass"
        )
        found.append(error("iterate-excludes-4d5d", text, "TDM-005", "tile_dim4"))
    if rank_of(fields) == 1:
        text = (
            "iterate_enable=1 with tile_dim1=0: iteration is for 2D and 3D tiles, an emulator refuses one dimension. "
            "Fix: write tile_dim1=1"
        )
        found.append(warning("iterate-one-dimension", text, "TDM-080", "tile_dim1"))
    count = fields.get("iterate_count", 0)
    if count == ITERATE_ALL_ONES:
        text = (
            "iterate_count=65535 is one less than zero: a count of 0 passes wrapped when 1 was taken off. Fix: for no "
            "pass write count=0, never iterate_count - 1"
        )
        found.append(warning("iterate-count-wrapped", text, "TDM-077", "iterate_count"))
    elif count > ITERATE_DOCUMENTED:
        text = f"iterate_count={count}: sources disagree above 255 (256 passes). Fix: write at most 255, and split"
        found.append(warning("iterate-count", text, "TDM-077", "iterate_count"))
    if fields.get("pad_enable", 0):
        text = (
            "padding while iterating: only an emulator says where the gaps of later passes fall. Fix: clear pad_enable "
            "and let lds_addr_increment leave the gap"
        )
        found.append(warning("iterate-padding", text, "TDM-078", "pad_enable"))
    step, size = fields.get("lds_addr_increment", 0), tile_bytes(fields) >> fields.get("data_size", 0)
    if count and step < size and op != "store":
        text = (
            f"lds_addr_increment={step} with {size} elements a pass: each pass overwrites the one before. Fix: step by "
            "at least the elements of a pass; the unit is elements, not bytes"
        )
        found.append(warning("iterate-overwrites", text, "TDM-078", "lds_addr_increment"))
    return found + _past_the_bound(fields, count)


def _past_the_bound(fields, count):
    """Say whether later passes begin or end past the bound, which is where sources disagree."""
    step = fields.get("global_addr_increment", 0)
    if not count or not step:
        return []
    # A step of whole planes, else of whole rows, else along the row; a step along two dimensions is not judged.
    dimension, each = 0, step
    outer = [(fields.get(STRIDES[i - 1], 0), i) for i in range(1, max(rank_of(fields), 2))]
    for stride, i in sorted(outer, reverse=True):
        if stride and step % stride == 0:
            dimension, each = i, step // stride
            break
        if stride and step > stride:
            return []
    name = TENSOR_DIMS[dimension]
    extent = fields.get(TILE_DIMS[dimension], 0) or 1
    end, bound = count * each + extent, fields.get(name, 0)
    if bound == 0 or end <= bound:
        return []
    fitting = max(0, bound - extent) // each
    text = (
        f"the last of {count + 1} passes ends at {end} of {name}={bound}: an emulator masks it, a report from hardware "
        f"says that each pass has the whole bound again and reads past the tensor. Fix: iterate_count of at most "
        f"{fitting} here, and a descriptor of its own for the rest"
    )
    return [warning("iterate-past-bound", text, "TDM-076", "iterate_count")]


def padding_findings(fields, op=None):
    """Return what there is to say about the padding of a descriptor; on a store it is ignored, and only that is said.

    Args: fields: raw fields; op: "load", "store" or None.
    Returns: list of Finding.
    Claims: TDM-031 to TDM-036
    """
    interval, amount = fields.get("pad_interval", 0), fields.get("pad_amount", 0)
    if not fields.get("pad_enable", 0):
        if interval or amount:
            text = "pad codes without pad_enable=1: no padding. Fix, if gaps are meant: set bit 20 of group 1"
            return [note("pad-not-enabled", text, "TDM-030", "pad_enable")]
        return []
    row = fields.get("tile_dim0", 0) << fields.get("data_size", 0)
    if op == "store":
        return _padded_store(fields, row, 8 << interval, 4 * (amount + 1))
    found = []
    shown = f"pad_interval={interval} and pad_amount={amount} ({2 << interval} and {amount + 1} DWORDs)"
    if interval == 0 and amount == 0:
        text = (
            f"{shown}: sources disagree whether encoded zeros may pad; an emulator and MLIR accept them, a public "
            "library refuses them. Fix: write a larger interval and amount, or no padding"
        )
        found.append(warning("pad-zero-codes", text, "TDM-033", "pad_amount"))
    elif interval == 0 or amount == 0:
        field = "pad_interval" if interval == 0 else "pad_amount"
        text = (
            f"{shown}: the manual calls one zero code without the other unpredictable, compilers emit it all the "
            f"same. Fix: write codes that are both not zero ({'at least 4' if interval == 0 else 'such as 2 or 4'} DWORDs)"
        )
        found.append(warning("pad-mixed-codes", text, "TDM-033", field))
    if amount % 2 == 0:
        text = (
            f"pad_amount={amount} (an odd number of DWORDs): a shipping library avoids them after results that it "
            "could not explain. Fix: 2 or 4 DWORDs are used widely"
        )
        found.append(warning("pad-odd-dwords", text, "TDM-033", "pad_amount"))
    if row % 4:
        text = (
            f"padding with rows of {row} bytes: tile_dim0 times the element size must be a multiple of 4 bytes. "
            "Fix: widen the row, or load it unpadded"
        )
        found.append(error("pad-row-multiple", text, "TDM-035", "tile_dim0"))
    asked = [code for code in (8, 9, 10) if row == 8 << code]
    if asked and asked[0] & 7 == interval:
        text = (
            f"pad_interval={interval} with rows of {row} bytes: a gap after every row would be code {asked[0]}, which "
            f"has no room in 3 bits and leaves {interval} when it is cut. Fix: 1024 bytes are the largest interval; "
            "load such rows unpadded, or one row a pass with iterate_enable"
        )
        found.append(warning("pad-interval-cut", text, "TDM-031", "pad_interval"))
    elif row > 1024 and interval == 7:
        text = f"rows of {row} bytes with a gap after every 1024, the largest interval: gaps fall inside the rows"
        found.append(note("pad-inside-row", text, "TDM-031", "pad_interval"))
    return found


def _padded_store(fields, row, interval, amount):
    """A store reads LDS packed; a row widened by its gap, and bounded to its old width, is the way around."""
    size = 1 << fields.get("data_size", 0)
    widened = row == interval + amount
    if widened and fields.get("tensor_dim0", 0) * size <= interval:
        text = (
            "pad_enable=1 on a store is ignored; the rows are widened by the gap and bounded to what was there before"
        )
        return [note("pad-on-store", text, "TDM-036", "pad_enable")]
    text = "pad_enable=1 on a store is ignored: LDS is read packed, so a padded tile is not un-padded. Fix: "
    if widened:
        text += (
            f"the rows are widened by the gap, now write tensor_dim0 of at most {interval // size}, or gaps are stored"
        )
    else:
        text += f"widen tile_dim0 by the gap where the interval is a row ({interval} bytes), or clear pad_enable"
    return [warning("pad-on-store", text, "TDM-036", "pad_enable")]


def cluster_findings(fields, op=None, cluster=None):
    """Return what there is to say about multicast.

    Args: fields: raw fields; op: "load", "store" or None; cluster: workgroups in the cluster, 1 for none, or None.
    Claims: TDM-081 to TDM-084
    """
    found = []
    mask = fields.get("workgroup_mask", 0)
    members = [i for i in range(16) if mask >> i & 1]
    if mask and op == "store":
        found.append(note("mask-on-store", "workgroup_mask is ignored by a store", "TDM-082", "workgroup_mask"))
    elif mask and cluster is not None and cluster < 2:
        text = (
            f"workgroup_mask=0x{mask:04x} in a launch without a cluster: it may hang or write elsewhere. Fix: write 0, "
            "or launch a cluster (and see that the launch code was compiled in)"
        )
        found.append(error("mask-without-cluster", text, "TDM-083", "workgroup_mask"))
    elif mask and cluster is not None and members[-1] >= cluster:
        text = (
            f"workgroup_mask=0x{mask:04x} names workgroup {members[-1]} of a cluster of {cluster}. Fix: clear that bit"
        )
        found.append(error("mask-outside-cluster", text, "TDM-083", "workgroup_mask"))
    elif len(members) == 1:
        text = (
            f"workgroup_mask=0x{mask:04x} names one workgroup: no gain, and outside a cluster it can hang. Fix: write 0 "
            "where nobody shares the tile"
        )
        found.append(warning("mask-single", text, "TDM-083", "workgroup_mask"))
    elif members and cluster is None:
        text = f"workgroup_mask=0x{mask:04x}: only for a wave in a cluster, elsewhere it must be 0"
        found.append(note("mask-needs-cluster", text, "TDM-083", "workgroup_mask"))
    if len(members) > MULTICAST_MERGED and op != "store":
        text = (
            f"{len(members)} workgroups in the mask: public programs say that 5 requests are merged at most, one of them "
            "that more are not merged at all. Fix: at most 5 in one mask"
        )
        found.append(note("mask-wide", text, "TDM-081", "workgroup_mask"))
    if fields.get("early_timeout", 0) and not mask:
        text = "early_timeout=1 without a workgroup_mask: it is for cluster loads"
        found.append(note("early-timeout-alone", text, "TDM-084", "early_timeout"))
    return found


def lds_findings(fields, op=None):
    """Return what there is to say about where the tile and the barrier cell sit in LDS.

    Args: fields: raw fields; op: "load", "store" or None.
    Claims: LDS-001, TDM-097, TDM-098
    """
    found = []
    start, size = fields.get("lds_addr", 0), tile_bytes(fields)
    interval = amount = 0
    if fields.get("pad_enable", 0) and op != "store":
        interval, amount = interval_bytes(fields.get("pad_interval", 0)), amount_bytes(fields.get("pad_amount", 0))
    passes, step = 1, 0
    if layout_of(fields) == "iterate":
        passes = fields.get("iterate_count", 0) + 1
        step = fields.get("lds_addr_increment", 0) << fields.get("data_size", 0)
    end = start + written_bytes((passes - 1) * step + size, interval, amount)
    if size and end > LDS_BYTES:
        what, fix = "the tile", "a smaller tile"
        if passes > 1:
            what, fix = f"the last of {passes} passes", "fewer passes, or a smaller lds_addr_increment, in elements"
        text = f"{what} ends at LDS byte {end}: a workgroup has at most {LDS_BYTES} bytes. Fix: {fix}"
        found.append(warning("lds-overflow", text, "LDS-001", "lds_addr"))
    cell = fields.get("atomic_barrier_address", 0) << 3
    if not fields.get("atomic_barrier_enable", 0):
        if cell:
            text = "atomic_barrier_address without atomic_barrier_enable=1: no arrive is sent"
            found.append(note("barrier-not-enabled", text, "TDM-097", "atomic_barrier_enable"))
        return found
    if cell + 8 > LDS_BYTES:
        text = (
            f"the barrier cell is at LDS byte {cell}: a workgroup has at most {LDS_BYTES} bytes. Fix: the field is the "
            "byte address shifted right by 3"
        )
        found.append(warning("barrier-beyond-lds", text, "LDS-001", "atomic_barrier_address"))
    hit = False
    if passes == 1:
        for byte in range(max(cell, start), min(cell + 8, end)):
            hit = hit or not interval or (byte - start) % (interval + amount) < interval
    elif not interval:  # only an emulator says where the gaps of later passes fall
        for i in range(min(passes, ITERATE_DOCUMENTED + 1)):
            hit = hit or max(cell, start + i * step) < min(cell + 8, start + i * step + size)
    if hit and op != "store":
        text = (
            f"the barrier cell at LDS byte {cell} is inside the tile ({start} to {end - 1}): the load overwrites it. "
            f"Fix: a cell at byte {(end + 7) // 8 * 8} or later; the field is the byte address shifted right by 3"
        )
        found.append(warning("barrier-in-tile", text, "TDM-098", "atomic_barrier_address"))
    return found
