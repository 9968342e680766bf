# SPDX-License-Identifier: Apache-2.0
"""What a descriptor may say, and why: one named finding for everything that is wrong or doubtful.

An error is something no source allows. A warning is something that copies other bytes than most people mean, or on
which the sources disagree; its text then says so. Info is worth knowing and changes nothing.
"""

from typing import NamedTuple

from ..targets import GFX1250
from .descriptor import (
    GATHER_SLOTS,
    RESTORE_FIELDS,
    STRIDES,
    TENSOR_DIMS,
    TILE_DIMS,
    TYPE_IMAGE,
    layout_of,
    mode_of,
    rank_of,
)
from .pad import amount_bytes, interval_bytes, written_bytes

LDS_BYTES = GFX1250.lds_bytes  # the most that one workgroup can have: LDS-001
MULTICAST_MERGED = 5  # requests that are merged, by the comments of two public programs; 16 can be encoded
ITERATE_DOCUMENTED = 255  # the largest iterate_count that the manual describes


class Finding(NamedTuple):
    """One thing to say about a descriptor."""

    rule: str  # stable name
    severity: str  # error, warning, info
    message: str
    claim: str
    field: str


def findings(fields, groups_given=(0, 1, 2, 3), op=None, reserved=()):
    """Return everything there is to say about a descriptor, errors first.

    Args: fields: raw fields; one not given is 0, except type (2) and count (1); groups_given: the groups that are not
      NULL; op: "load", "store" or None when not known; reserved: of descriptor.Reserved, as decode found them.
    Returns: list of Finding; empty for an ordinary descriptor.
    Claims: TDM-004 to TDM-013, TDM-023 to TDM-036, TDM-043, TDM-052, TDM-056 to TDM-061
    """
    given = tuple(groups_given)
    found = []
    if 0 in given:
        found += _identity(fields, given)
    found += [_reserved(bits) for bits in reserved]
    if 1 not in given:
        found.append(_note("partial-descriptor", "group 0 alone: mode and rank also rest on group 1", "TDM-003"))
    elif 0 not in given:
        found.append(_note("partial-descriptor", "group 1 alone: read as a plain copy, see group 0", "TDM-003"))
    if 1 in given and mode_of(fields) != "null":
        found += _groups(fields, given)
        found += _shape(fields, given)
        if layout_of(fields) in GATHER_SLOTS:
            found += _gather(fields, given, op)
        elif layout_of(fields) == "iterate":
            found += _iterate(fields, given)
        found += padding_findings(fields, op)
        found += _cluster(fields, op)
        found += _lds(fields, op)
    order = ("error", "warning", "info")
    return [item for severity in order for item in found if item.severity == severity]


def findings_of(descriptor, op=None):
    """Return the findings of a decoded descriptor, reserved bits and missing groups included.

    Args: descriptor: what descriptor.decode returned; op: "load", "store" or None.
    Returns: list of Finding.
    """
    given = tuple(i for i in range(4) if descriptor.groups[i] is not None)
    return findings(descriptor.fields, given, op, descriptor.reserved)


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


def _error(rule, message, claim, field=None):
    return Finding(rule, "error", message, claim, field)


def _warning(rule, message, claim, field=None):
    return Finding(rule, "warning", message, claim, field)


def _note(rule, message, claim, field=None):
    return Finding(rule, "info", message, claim, field)


def _identity(fields, given):
    """Group 0: is this a descriptor at all, and one that a shader may write."""
    found = []
    kind = fields.get("type", TYPE_IMAGE)
    if kind != TYPE_IMAGE and not any(fields.get(name) for name in fields):
        text = "every field is zero: type must be 2, and count 1 to copy"
        found.append(_error("zeroed-descriptor", text, "TDM-013", "type"))
    elif kind != TYPE_IMAGE:
        found.append(_error("type-not-image", f"type={kind}: 2 (OR 0x80000000 into word 3)", "TDM-011", "type"))
    count = fields.get("count", 1)
    if count > 1:
        text = f"count={count}: 1 to copy, 0 for nothing; 2 and 3 are named for context restore only"
        found.append(_error("count-restore", text, "TDM-010", "count"))
    elif count == 0 and fields.get("atomic_barrier_enable", 0):
        text = "count=0 with atomic_barrier_enable=1: no arrive is sent, so waves that wait on the barrier keep waiting"
        found.append(_warning("null-no-arrive", text, "TDM-027", "count"))
    elif count == 0:
        text = "count=0: nothing is copied and no barrier arrive is sent"
        found.append(_note("null-descriptor", text, "TDM-027", "count"))
    for name in RESTORE_FIELDS:
        value = fields.get(name, 0)
        if value and name in ("scope", "th"):
            text = f"{name}={value}: for context restore; the instruction carries its own {name}"
            found.append(_warning("restore-field", text, "TDM-009", name))
        elif value:
            text = f"{name}={value}: 0; it belongs to context save and restore and can change the operation"
            found.append(_error("restore-field", text, "TDM-009", name))
    if fields.get("gather_index_size", 0) and not fields.get("gather_mode", 0):
        text = (
            "gather_index_size=1 with gather_mode=0: a plain copy; MLIR 22.1.8 and IREE 3.13 write these bits for a "
            "16-bit gather, whose word 0 is 0x80000001 by every other source"
        )
        found.append(_warning("index-size-without-gather", text, "TDM-060", "gather_mode"))
    return found


def _reserved(bits):
    where = f"group {bits.group}, bits {bits.lo + bits.width - 1}:{bits.lo}"
    hint = "; has the address more than 57 bits?" if (bits.group, bits.lo) == (0, 121) else ""
    text = f"reserved bits are not zero ({where} hold 0x{bits.value:x}){hint}"
    return _error("reserved-bits", text, "TDM-009", None)


def _groups(fields, given):
    """Which of groups 2 and 3 are NULL, and who needs them."""
    found = []
    layout, rank = layout_of(fields), rank_of(fields)
    if 0 not in given:
        return found
    if (2 in given) != (3 in given):
        text = "only one of groups 2 and 3 is given: the manual allows both or neither, an emulator runs it"
        found.append(_warning("groups-2-3-together", text, "TDM-052"))
    if layout in GATHER_SLOTS and 2 not in given and 3 not in given:
        text = "gathering with groups 2 and 3 NULL: they read as zeros, so every row is row 0"
        found.append(_warning("gather-null-indices", text, "TDM-056", "row_indices"))
    elif layout == "iterate" and 2 not in given:
        text = "iterating with group 2 NULL: it reads as zeros, so one pass is made"
        found.append(_warning("iterate-null-group", text, "TDM-056", "iterate_count"))
    if layout not in GATHER_SLOTS and rank > 2 and 2 not in given:
        text = f"{rank}D with group 2 NULL: tensor_dim2 reads as 0, so every element is out of bounds"
        found.append(_warning("null-group-empties", text, "TDM-056", "tensor_dim2"))
    elif layout == "dense" and rank > 3 and 3 not in given:
        text = f"{rank}D with group 3 NULL: tensor_dim3_stride and tensor_dim4 read as 0"
        found.append(_warning("null-group-stride", text, "TDM-056", "tensor_dim3_stride"))
    return found


def _shape(fields, given):
    """Extents, bounds and strides of the dimensions in use."""
    found = []
    layout, rank = layout_of(fields), rank_of(fields)
    if fields.get("tile_dim0", 0) == 0:
        return [_warning("nop-tile-dim0", "tile_dim0=0: a NOP, nothing is moved", "TDM-026", "tile_dim0")]
    for i in range(1, rank):
        if fields.get(TILE_DIMS[i], 0) == 0 and layout not in GATHER_SLOTS:
            text = f"{TILE_DIMS[i]}=0 below a used dimension: it is read as unused, not as empty"
            found.append(_warning("rank-hole", text, "TDM-028", TILE_DIMS[i]))
    slip = layout == "dense" and fields.get("tile_dim3", 0) and fields.get("tile_dim3", 0) == fields.get("tile_dim2", 0)
    if slip and rank == 4 and fields.get("tensor_dim3", 0) == 0:
        text = (
            "tile_dim3 repeats tile_dim2 while tensor_dim3 is 0: so MLIR 22.1.8 and IREE 3.13 write a 3D tile; "
            "as it stands every element is out of bounds"
        )
        found.append(_warning("tile-dim3-repeats", text, "TDM-061", "tile_dim3"))
    for i in range(rank):
        null = i > 1 and 2 not in given  # the finding about the missing group says it
        active = i == 0 or fields.get(TILE_DIMS[i], 0) or layout in GATHER_SLOTS
        if active and not null and fields.get(TENSOR_DIMS[i], 0) == 0:
            text = f"{TENSOR_DIMS[i]}=0 is an empty tensor: a load writes zeros, a store writes nothing"
            found.append(_note("empty-tensor", text, "TDM-043", TENSOR_DIMS[i]))
    for i in range(1, rank):
        rows = fields.get(TILE_DIMS[i], 0)
        if rows > 1 and fields.get(STRIDES[i - 1], 0) == 0 and not (i > 1 and 2 not in given):
            text = f"{STRIDES[i - 1]}=0: {rows} copies of the same elements, not a packed tensor"
            found.append(_note("zero-stride", text, "TDM-008", STRIDES[i - 1]))
    return found


def _gather(fields, given, op):
    found = []
    slots = GATHER_SLOTS[layout_of(fields)]
    count, rows = fields.get("tile_dim1", 0), list(fields.get("row_indices", ()))
    if count > slots:
        text = f"tile_dim1={count}: at most {slots} indices of {32 if slots == 8 else 16} bits in one instruction"
        found.append(_error("gather-count", text, "TDM-059", "tile_dim1"))
    elif count == 0:
        text = "tile_dim1=0: no index is valid, so no row is moved; an emulator refuses it"
        found.append(_warning("gather-empty", text, "TDM-059", "tile_dim1"))
    elif len(rows) < count:
        text = f"tile_dim1={count} with {len(rows)} row_indices: the others are 0, so row 0 is moved for them"
        found.append(_warning("gather-missing-indices", text, "TDM-059", "row_indices"))
    rows = rows[: min(count, slots)]
    descending = any(rows[i] < rows[i - 1] for i in range(1, len(rows)))
    outside = [row for row in rows if row >= fields.get("tensor_dim1", 0)]
    if descending and outside:
        text = (
            f"row_indices descend and {outside[0]} is outside tensor_dim1={fields.get('tensor_dim1', 0)}: the manual "
            "speaks for the bounds of non-decreasing lists only; sort or check the indices"
        )
        found.append(_warning("gather-order", text, "TDM-059", "row_indices"))
    if op == "store" and any(rows[i] in rows[:i] for i in range(len(rows))):
        text = "a row is scattered to twice: no source says which write wins"
        found.append(_warning("scatter-repeats", text, "TDM-059", "row_indices"))
    if fields.get("iterate_enable", 0):
        text = "iterate_enable=1 is ignored when gathering"
        found.append(_warning("iterate-ignored", text, "TDM-058", "iterate_enable"))
    for name in ("tile_dim2", "tensor_dim1_stride"):
        if fields.get(name, 0):
            found.append(_note("gather-ignores", f"{name} is ignored when gathering", "TDM-059", name))
    return found


def _iterate(fields, given):
    found = []
    if fields.get("tile_dim4", 0):
        text = (
            f"iterate_enable=1 with tile_dim4={fields['tile_dim4']}: iteration is for 2D and 3D tiles, it borrows the "
            "fields of 4D and 5D"
        )
        found.append(_error("iterate-excludes-4d5d", text, "TDM-005", "tile_dim4"))
    count = fields.get("iterate_count", 0)
    if count > ITERATE_DOCUMENTED:
        text = f"iterate_count={count}: sources disagree above 255 (256 passes); write at most 255"
        found.append(_warning("iterate-count", text, "TDM-058", "iterate_count"))
    if fields.get("pad_enable", 0):
        text = "padding while iterating: only an emulator says where the gaps of later passes fall"
        found.append(_warning("iterate-padding", text, "TDM-058", "pad_enable"))
    return found


def padding_findings(fields, op=None):
    """Return what there is to say about the padding of a descriptor; on a store it is ignored, and only that is said.

    Args: fields: raw fields; op: "load", "store" or None.
    Returns: list of Finding.
    Claims: TDM-033, TDM-035, TDM-036
    """
    interval, amount = fields.get("pad_interval", 0), fields.get("pad_amount", 0)
    if not fields.get("pad_enable", 0):
        if interval or amount:
            return [_note("pad-not-enabled", "pad codes without pad_enable=1: no padding", "TDM-030", "pad_enable")]
        return []
    if op == "store":
        text = "pad_enable=1 on a store is ignored: LDS is read packed, so a padded tile is not un-padded"
        return [_warning("pad-on-store", text, "TDM-036", "pad_enable")]
    found = []
    shown = f"pad_interval={interval} and pad_amount={amount} ({2 << interval} and {amount + 1} DWORDs)"
    if interval == 0 and amount == 0:
        text = (
            f"{shown}: sources disagree whether encoded zeros may pad; an emulator and MLIR accept them, a public "
            "library refuses them; write a larger interval and amount, or no padding"
        )
        found.append(_warning("pad-zero-codes", text, "TDM-033", "pad_amount"))
    elif interval == 0 or amount == 0:
        field = "pad_interval" if interval == 0 else "pad_amount"
        text = (
            f"{shown}: the manual calls one zero code without the other unpredictable, compilers emit it all the "
            f"same; write codes that are both not zero ({'at least 4' if interval == 0 else 'such as 2 or 4'} DWORDs)"
        )
        found.append(_warning("pad-mixed-codes", text, "TDM-033", field))
    if amount % 2 == 0:
        text = (
            f"pad_amount={amount} (an odd number of DWORDs): a shipping library avoids them after results that it "
            "could not explain; 2 or 4 DWORDs are used widely"
        )
        found.append(_warning("pad-odd-dwords", text, "TDM-033", "pad_amount"))
    row = fields.get("tile_dim0", 0) << fields.get("data_size", 0)
    if row % 4:
        text = f"padding with rows of {row} bytes: tile_dim0 times the element size must be a multiple of 4 bytes"
        found.append(_error("pad-row-multiple", text, "TDM-035", "tile_dim0"))
    return found


def _cluster(fields, op):
    found = []
    mask = fields.get("workgroup_mask", 0)
    members = len([i for i in range(16) if mask >> i & 1])
    if mask and op == "store":
        found.append(_note("mask-on-store", "workgroup_mask is ignored by a store", "TDM-030", "workgroup_mask"))
    elif members == 1:
        text = f"workgroup_mask=0x{mask:04x} names one workgroup: no gain, and outside a cluster it must be 0"
        found.append(_warning("mask-single", text, "TDM-030", "workgroup_mask"))
    elif members:
        text = f"workgroup_mask=0x{mask:04x}: only for a wave in a cluster, elsewhere it must be 0"
        found.append(_note("mask-needs-cluster", text, "TDM-030", "workgroup_mask"))
    if members > MULTICAST_MERGED and op != "store":
        text = f"{members} workgroups in the mask: public programs say that 5 requests are merged at most"
        found.append(_note("mask-wide", text, "TDM-030", "workgroup_mask"))
    if fields.get("early_timeout", 0) and not mask:
        text = "early_timeout=1 without a workgroup_mask: it is for cluster loads"
        found.append(_note("early-timeout-alone", text, "TDM-030", "early_timeout"))
    return found


def _lds(fields, op):
    """Where the tile and the barrier cell sit in LDS."""
    found = []
    start, size = fields.get("lds_addr", 0), tile_bytes(fields)
    interval = amount = 0
    if fields.get("pad_enable", 0) and op != "store":
        interval, amount = interval_bytes(fields.get("pad_interval", 0)), amount_bytes(fields.get("pad_amount", 0))
    end = start + written_bytes(size, interval, amount)
    if size and end > LDS_BYTES:
        text = f"the tile ends at LDS byte {end}: a workgroup has at most {LDS_BYTES} bytes"
        found.append(_warning("lds-overflow", text, "LDS-001", "lds_addr"))
    cell = fields.get("atomic_barrier_address", 0) << 3
    if not fields.get("atomic_barrier_enable", 0):
        if cell:
            text = "atomic_barrier_address without atomic_barrier_enable=1: no arrive is sent"
            found.append(_note("barrier-not-enabled", text, "TDM-030", "atomic_barrier_enable"))
        return found
    if cell + 8 > LDS_BYTES:
        text = f"the barrier cell is at LDS byte {cell}: a workgroup has at most {LDS_BYTES} bytes"
        found.append(_warning("barrier-beyond-lds", text, "LDS-001", "atomic_barrier_address"))
    hit = False
    for byte in range(max(cell, start), min(cell + 8, end)):
        hit = hit or not interval or (byte - start) % (interval + amount) < interval
    if hit and op != "store" and layout_of(fields) != "iterate":
        text = f"the barrier cell at LDS byte {cell} is inside the tile ({start} to {end - 1}): the load overwrites it"
        found.append(_warning("barrier-in-tile", text, "TDM-030", "atomic_barrier_address"))
    return found
