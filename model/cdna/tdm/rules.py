# SPDX-License-Identifier: Apache-2.0
"""What one descriptor may say, and why: a named finding, with its claim and its fix, for what is wrong or doubtful.

The rules of gather, iteration, padding, clusters and LDS stand in `rules_modes`; what only several descriptors
together show stands in `sequence`.
"""

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
from .finding import Finding, error, in_order, note, warning
from .rules_modes import cluster_findings, gather_findings, iterate_findings, lds_findings, padding_findings, tile_bytes

__all__ = ("Finding", "findings", "findings_of", "padding_findings", "tile_bytes")

LARGEST_ADDRESS = (1 << 57) - 1


def findings(fields, groups_given=(0, 1, 2, 3), op=None, reserved=(), cluster=None):
    """Return everything there is to say about a descriptor, errors first.

    Args: fields: raw fields; one not given is 0, except type (2) and count (1); groups_given: the groups that are not
      NULL; op: "load", "store" or None when not known; reserved: of descriptor.Reserved, as decode found them;
      cluster: workgroups in the launch's cluster, 1 for none, or None when not known.
    Returns: list of Finding; empty for an ordinary descriptor.
    Claims: TDM-004 to TDM-013, TDM-019 to TDM-036, TDM-043, TDM-047, TDM-052, TDM-056 to TDM-061, TDM-067 to TDM-083,
      TDM-097, TDM-098, TDM-147
    """
    given = tuple(groups_given)
    found = []
    if 0 in given:
        found += _identity(fields)
    found += [_reserved(bits) for bits in reserved]
    if 1 not in given:
        found.append(note("partial-descriptor", "group 0 alone: mode and rank also rest on group 1", "TDM-003"))
    elif 0 not in given:
        found.append(note("partial-descriptor", "group 1 alone: read as a plain copy, see group 0", "TDM-003"))
    if 1 in given and mode_of(fields) != "null":
        found += _groups(fields, given)
        found += _shape(fields, given)
        found += _reach(fields, given)
        if layout_of(fields) in GATHER_SLOTS:
            found += gather_findings(fields, op)
        elif layout_of(fields) == "iterate":
            found += iterate_findings(fields, op)
        found += padding_findings(fields, op)
        found += cluster_findings(fields, op, cluster)
        found += lds_findings(fields, op)
    return in_order(found)


def findings_of(descriptor, op=None, cluster=None):
    """Return the findings of a decoded descriptor, reserved bits and missing groups included.

    Args: descriptor: what descriptor.decode returned; op: "load", "store" or None; cluster: as for `findings`.
    Returns: list of Finding.
    """
    given = tuple(i for i in range(4) if descriptor.groups[i] is not None)
    return findings(descriptor.fields, given, op, descriptor.reserved, cluster)


def _identity(fields):
    """Group 0: is this a descriptor at all, and one that a shader may write."""
    found = []
    kind = fields.get("type", TYPE_IMAGE)
    if kind != TYPE_IMAGE and not any(fields.get(name) for name in fields):
        text = "every field is zero. Fix: type must be 2 (0x80000000 in word 3) and, to copy, count 1"
        found.append(error("zeroed-descriptor", text, "TDM-013", "type"))
    elif kind != TYPE_IMAGE:
        text = f"type={kind}: only 2 is a descriptor. Fix: OR 0x80000000 into word 3 after clearing its two top bits"
        found.append(error("type-not-image", text, "TDM-011", "type"))
    count = fields.get("count", 1)
    if count > 1:
        text = f"count={count}: values above 1 are reserved for context save and restore. Fix: write 1 to copy, 0 for nothing"
        found.append(error("count-restore", text, "TDM-010", "count"))
    elif count == 0 and fields.get("atomic_barrier_enable", 0):
        text = (
            "count=0 with atomic_barrier_enable=1: no arrive is sent, so waves that wait on the barrier keep waiting. "
            "Fix: lower the barrier's expected count, or let the wave arrive with an ordinary LDS instruction"
        )
        found.append(warning("null-no-arrive", text, "TDM-027", "count"))
    elif count == 0:
        text = "count=0: nothing is copied and no barrier arrive is sent"
        found.append(note("null-descriptor", text, "TDM-027", "count"))
    for name in RESTORE_FIELDS:
        value = fields.get(name, 0)
        if value and name in ("scope", "th"):
            text = f"{name}={value}: for context restore. Fix: write 0 and give {name} with the instruction"
            found.append(warning("restore-field", text, "TDM-009", name))
        elif value and name == "user_null":
            text = f"{name}={value}: says something to a context restore only. Fix: write 0"
            found.append(warning("restore-field", text, "TDM-009", name))
        elif value:
            text = f"{name}={value}: belongs to context save and restore and can change the operation. Fix: write 0"
            found.append(error("restore-field", text, "TDM-009", name))
    if fields.get("gather_index_size", 0) and not fields.get("gather_mode", 0):
        text = (
            "gather_index_size=1 with gather_mode=0: a plain copy; MLIR 22.1.8 and IREE 3.13 write these bits for a "
            "16-bit gather. Fix: 0x80000001 is the first word of a 16-bit gather by every other source"
        )
        found.append(warning("index-size-without-gather", text, "TDM-060", "gather_mode"))
    return found


def _reserved(bits):
    where = f"group {bits.group}, bits {bits.lo + bits.width - 1}:{bits.lo}"
    hint = "; has the address more than 57 bits?" if (bits.group, bits.lo) == (0, 121) else ""
    text = f"reserved bits are not zero ({where} hold 0x{bits.value:x}){hint}. Fix: write 0 there"
    return error("reserved-bits", text, "TDM-147", None)


def _groups(fields, given):
    """Which of groups 2 and 3 are NULL, and who needs them."""
    found = []
    layout, rank = layout_of(fields), rank_of(fields)
    if 0 not in given:
        return found
    fix = "Fix: give both groups, with zeros where nothing is needed"
    if (2 in given) != (3 in given):
        text = f"only one of groups 2 and 3 is given: the manual allows both or neither, an emulator runs it. {fix}"
        found.append(warning("groups-2-3-together", text, "TDM-052"))
    if layout in GATHER_SLOTS and 2 not in given and 3 not in given:
        text = "gathering with groups 2 and 3 NULL: they read as zeros, so every row is row 0. Fix: give both groups"
        found.append(warning("gather-null-indices", text, "TDM-056", "row_indices"))
    elif layout == "iterate" and 2 not in given:
        text = "iterating with group 2 NULL: it reads as zeros, so one pass is made. Fix: give groups 2 and 3"
        found.append(warning("iterate-null-group", text, "TDM-056", "iterate_count"))
    if layout not in GATHER_SLOTS and rank > 2 and 2 not in given:
        text = f"{rank}D with group 2 NULL: tensor_dim2 reads as 0, so every element is out of bounds. {fix}"
        found.append(warning("null-group-empties", text, "TDM-056", "tensor_dim2"))
    elif layout == "dense" and rank > 3 and 3 not in given:
        text = f"{rank}D with group 3 NULL: tensor_dim3_stride and tensor_dim4 read as 0. {fix}"
        found.append(warning("null-group-stride", text, "TDM-056", "tensor_dim3_stride"))
    return found


def _shape(fields, given):
    """Extents, bounds and strides of the dimensions in use."""
    found = []
    layout, rank = layout_of(fields), rank_of(fields)
    if fields.get("tile_dim0", 0) == 0:
        text = (
            "tile_dim0=0: a NOP, nothing is moved. Fix: write the elements of a row; to switch a copy off use count=0"
        )
        return [warning("nop-tile-dim0", text, "TDM-026", "tile_dim0")]
    for i in range(1, rank):
        if fields.get(TILE_DIMS[i], 0) == 0 and layout not in GATHER_SLOTS:
            text = (
                f"{TILE_DIMS[i]}=0 below a used dimension: it is read as unused, not as empty. Fix: write 1, or count=0"
            )
            found.append(warning("rank-hole", text, "TDM-028", TILE_DIMS[i]))
    slip = layout == "dense" and fields.get("tile_dim3", 0) and fields.get("tile_dim3", 0) == fields.get("tile_dim2", 0)
    if slip and rank == 4 and fields.get("tensor_dim3", 0) == 0:
        text = (
            "tile_dim3 repeats tile_dim2 while tensor_dim3 is 0: so MLIR 22.1.8 and IREE 3.13 write a 3D tile; "
            "as it stands every element is out of bounds. Fix: clear the upper half of word 3 of group 2"
        )
        found.append(warning("tile-dim3-repeats", text, "TDM-061", "tile_dim3"))
    for i in range(rank):
        null = i > 1 and 2 not in given  # the finding about the missing group says it
        active = i == 0 or fields.get(TILE_DIMS[i], 0) or layout in GATHER_SLOTS
        bound = fields.get(TENSOR_DIMS[i], 0)
        if active and not null and bound == 0:
            text = (
                f"{TENSOR_DIMS[i]}=0 is an empty tensor, not an unlimited one: a load writes zeros, a store writes "
                "nothing. Fix, if that is not meant: write what is left of the tensor from the tile on"
            )
            found.append(note("empty-tensor", text, "TDM-043", TENSOR_DIMS[i]))
        elif active and bound >> 31:
            text = (
                f"{TENSOR_DIMS[i]}={bound} is {bound - (1 << 32)} as a signed number: the field is unsigned, so nothing "
                "is out of bounds. Fix: write max(0, extent - offset), and 0 for an offset before the tensor"
            )
            found.append(warning("bound-negative", text, "TDM-047", TENSOR_DIMS[i]))
    for i in range(1, rank):
        rows = fields.get(TILE_DIMS[i], 0)
        if rows > 1 and fields.get(STRIDES[i - 1], 0) == 0 and not (i > 1 and 2 not in given):
            text = f"{STRIDES[i - 1]}=0: {rows} copies of the same elements, not a packed tensor"
            found.append(note("zero-stride", text, "TDM-008", STRIDES[i - 1]))
    return found


def inside(fields):
    """Return the extents of the part of a dense tile that is in bounds, and the strides of its dimensions.

    Args: fields: raw fields. Returns: (extents, strides), both of rank length; stride 1 for dimension 0.
    """
    rank = rank_of(fields)
    extents = [min(fields.get(TILE_DIMS[i], 0) or 1, fields.get(TENSOR_DIMS[i], 0)) for i in range(rank)]
    return extents, [1] + [fields.get(STRIDES[i], 0) for i in range(rank - 1)]


def _reach(fields, given):
    """Where the strides lead: over one another, or past the end of the address space."""
    extents, strides = inside(fields)
    layout, rank = layout_of(fields), len(extents)
    if layout in GATHER_SLOTS:
        extents = [extents[0], max(list(fields.get("row_indices", ())) + [0]) + 1]
    if rank == 0 or 0 in extents or rank > 2 and 2 not in given:
        return []
    found = []
    # By rising stride, each dimension must step over everything that the smaller ones reach.
    used = sorted([(strides[i], i, extents[i]) for i in range(rank) if extents[i] > 1 and strides[i]])
    for k in range(1, len(used)):
        (below, inner, count), (stride, outer, _) = used[k - 1], used[k]
        if stride < below * count:
            name = STRIDES[max(inner, outer) - 1]
            text = (
                f"{name}={fields[name]}: the tile's elements overlap in memory (dimension {inner} reaches "
                f"{below * count} elements, dimension {outer} steps {stride}). Was a longer pitch cut? One helper kept 32 "
                "of its 48 bits, another loses bits 16 to 31 of the second stride. Fix: write the whole pitch, in "
                "elements, low bits first; only a sliding window overlaps on purpose"
            )
            found.append(warning("stride-overlap", text, "TDM-008", name))
            break
    size = 1 << fields.get("data_size", 0)
    last = fields.get("global_addr", 0) + size * sum((extents[i] - 1) * strides[i] for i in range(rank))
    if 0 in given and last > LARGEST_ADDRESS:
        text = (
            f"the tile reaches address 0x{last:x}, beyond 57 bits: is a stride or the address negative? Fix: strides "
            "are unsigned elements; start the tile at its lowest address"
        )
        found.append(warning("address-overflow", text, "TDM-019", "global_addr"))
    return found
