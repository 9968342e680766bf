# SPDX-License-Identifier: Apache-2.0
"""A copy in plain terms (base, offset, extents, strides, tile) to the fields of a descriptor.

The engine knows the tile's start and what is left of the tensor from there, nothing else. So both move with the tile:
the address by the offset, every bound by the offset of its dimension. Only the far ends are checked: a bound never
goes below 0, and an offset before the tensor gives an empty tensor, which touches no memory.
"""

from typing import NamedTuple

from .descriptor import (
    GATHER_SLOTS,
    STRIDES,
    TENSOR_DIMS,
    TILE_DIMS,
    FieldError,
    check_value,
    field_named,
    is_integer,
)
from .pad import codes
from .rules import Finding

COPY_KEYS = (
    "element_bits",
    "element_bytes",
    "base",
    "at",
    "global_addr",
    "lds_addr",
    "tensor",
    "strides",
    "tile",
    "pad",
    "gather",
    "iterate",
    "barrier_addr",
    "workgroup_mask",
    "early_timeout",
)
PAD_KEYS = ("interval_dwords", "amount_dwords")
GATHER_KEYS = ("indices", "index_bits")
ITERATE_KEYS = ("count", "lds_increment", "global_increment")
ELEMENT_BITS = (4, 6, 8, 16, 32, 64)
DATA_SIZES = {1: 0, 2: 1, 4: 2, 8: 3}  # element bytes to data_size: TDM-012


class Plan(NamedTuple):
    """The fields of a copy, and what there is to say about how it was asked for."""

    fields: dict
    findings: list


class CopyKeyError(FieldError):
    """A key that a copy does not have, or lacks, or that excludes another one."""


def fields_of_copy(copy):
    """Return the raw fields of a copy in plain terms.

    Args: copy: see `plan_copy`.
    Returns: dict of raw fields.
    Raises: FieldError: a value does not fit; CopyKeyError: an unknown, missing or contradictory key.
    """
    return plan_copy(copy).fields


def plan_copy(copy):
    """Return the raw fields of a copy in plain terms, and findings about how it was asked for.

    Args: copy: dict. `element_bits` (4, 6, 8, 16, 32, 64) or `element_bytes` (1, 2, 4, 8); `base` (byte address of
      the tensor) and `at` (the tile's offset, elements, one a dimension) with whole extents in `tensor`, or
      `global_addr` (byte address of the tile) with the extents that are left from there; `tile` (extents); `strides`
      (elements, of dimension 1 and up; a leading 1 for dimension 0 is understood; with `base` they default to a packed
      tensor); `lds_addr` (bytes); `pad`, `gather`, `iterate`, `barrier_addr` (bytes), `workgroup_mask`,
      `early_timeout`. Lists are innermost first. Elements of 4 and 6 bits are rewritten in bytes along dimension 0.
    Returns: Plan.
    Raises: FieldError: a value does not fit; CopyKeyError: an unknown, missing or contradictory key.
    Claims: TDM-007, TDM-008, TDM-012, TDM-018, TDM-045, TDM-047
    """
    if not isinstance(copy, dict):
        raise CopyKeyError("copy", copy, "an object with the keys " + ", ".join(COPY_KEYS), None)
    _only(copy, COPY_KEYS, "copy")
    bits = _element_bits(copy)
    tile, tensor, at = _extents(copy)
    rank = len(tile)
    gather = copy.get("gather")
    strides = _strides(copy, rank, tensor)
    found = []

    for i in range(rank):
        if at is not None and at[i] < 0:
            found.append(_before(i, at[i], tensor[i]))

    # Everything along dimension 0, in units of the element size that the engine has.
    tile = [_units(bits, tile[0], "tile[0]")] + tile[1:]
    tensor = [_units(bits, tensor[0], "tensor[0]")] + tensor[1:]
    strides = [_units(bits, strides[i], "strides[%d]" % i) for i in range(rank - 1)]
    fields = {"count": 1, "type": 2, "data_size": DATA_SIZES[_unit_bytes(bits)], "lds_addr": copy.get("lds_addr", 0)}

    if at is None:
        fields["global_addr"] = copy["global_addr"]
    else:
        at = [_units(bits, at[0], "at[0]")] + at[1:]
        if gather is not None and at[1]:
            raise FieldError("at[1]", at[1], "0 when gathering: an index is the row itself", "TDM-059")
        steps = [1] + strides
        inside = [max(offset, 0) for offset in at]
        _address(copy["base"], "base")
        fields["global_addr"] = copy["base"] + _unit_bytes(bits) * sum(inside[i] * steps[i] for i in range(rank))
        for i in range(rank):
            tensor[i] = remaining(tensor[i], at[i])
    for i in range(rank):
        if tile[i] is not None:  # gathering, the number of indices is the second extent
            _put(fields, TILE_DIMS[i], tile[i], "tile[%d]" % i)
        _put(fields, TENSOR_DIMS[i], tensor[i], "tensor[%d]" % i)
    for i in range(rank - 1):
        _put(fields, STRIDES[i], strides[i], "strides[%d]" % i)
    _address(fields["global_addr"], "global_addr")
    _put(fields, "lds_addr", fields["lds_addr"], "lds_addr")
    if copy.get("pad") is not None:
        fields.update(_pad(copy["pad"]))
    if gather is not None:
        fields.update(_gather(gather, tile, copy))
    if copy.get("iterate") is not None:
        fields.update(_iterate(copy["iterate"], rank, bits))
    if copy.get("barrier_addr") is not None:
        fields.update(_barrier(copy["barrier_addr"]))
    if copy.get("workgroup_mask") is not None:
        _put(fields, "workgroup_mask", copy["workgroup_mask"], "workgroup_mask")
    early = copy.get("early_timeout")
    if early is not None:
        _put(fields, "early_timeout", (1 if early else 0) if isinstance(early, bool) else early, "early_timeout")
    return Plan(fields, found)


def remaining(extent, offset):
    """Return the bound to write: what is left of an extent from an offset.

    Args: extent: whole extent; offset: of the tile, the cluster member's part included; both in elements.
    Returns: elements; 0 past the end, and 0 before the start, where extent - offset would let the engine read memory
      that is not the tensor's.
    Claims: TDM-045, TDM-047
    """
    return 0 if offset < 0 else max(0, extent - offset)


def member_offset(offset, member, block):
    """Return where one workgroup of a cluster starts, which must move the address and the bound alike.

    Args: offset: of the cluster's tile; member: 0, 1, ... along the dimension; block: extent of one member.
    Claims: TDM-024, TDM-045
    """
    return offset + member * block


def wave_share(extent, waves):
    """Return how to cut an extent among waves: what each takes, and how many have anything to take.

    The waves left over get a descriptor with count 0: no copy, no barrier arrive.

    Args: extent: elements or rows, below 0 as 0; waves: 1 or more.
    Returns: (extent of one wave, rounded up; number of waves that copy).
    Raises: FieldError: no wave.
    Claims: TDM-027
    """
    if not is_integer(waves) or waves < 1:
        raise FieldError("waves", waves, "1 or more", None)
    extent = max(0, extent)
    share = -(-extent // waves)
    return share, -(-extent // share) if share else 0


def _unit_bytes(bits):
    return max(bits // 8, 1)


def _units(bits, count, name):
    """Return a count along dimension 0 in elements of the engine: bytes for widths below 8 bits."""
    if not is_integer(count):
        raise FieldError(name, count, "an integer", None)
    if bits >= 8:
        return count
    if count * bits % 8:
        step = 2 if bits == 4 else 4
        raise FieldError(name, count, f"a multiple of {step}: {bits}-bit elements must fill whole bytes", "TDM-012")
    return count * bits // 8


def _only(value, keys, name):
    for key in sorted(value, key=str):
        if key not in keys:
            raise CopyKeyError(f"{name}.{key}", value[key], "no such key; the keys are " + ", ".join(keys), None)


def _element_bits(copy):
    given = [key for key in ("element_bits", "element_bytes") if copy.get(key) is not None]
    if len(given) != 1:
        text = "give one of element_bits and element_bytes"
        raise CopyKeyError("element_bits", copy.get("element_bits"), text, "TDM-012")
    value = copy[given[0]]
    if given[0] == "element_bytes":
        if not is_integer(value) or value not in (1, 2, 4, 8):
            raise FieldError("element_bytes", value, "1, 2, 4 or 8 bytes", "TDM-012")
        return 8 * value
    if not is_integer(value) or value not in ELEMENT_BITS:
        raise FieldError("element_bits", value, "4, 6, 8, 16, 32 or 64 bits", "TDM-012")
    return value


def _numbers(copy, key):
    value = copy.get(key)
    if not isinstance(value, (list, tuple)):
        raise CopyKeyError(key, value, "a list of integers, innermost first", None)
    for i in range(len(value)):
        if not is_integer(value[i]):
            raise FieldError("%s[%d]" % (key, i), value[i], "an integer", None)
    return list(value)


def _extents(copy):
    """Return tile, tensor and at (None with global_addr), all of one length."""
    tile, tensor = _numbers(copy, "tile"), _numbers(copy, "tensor")
    if copy.get("gather") is not None:
        if len(tensor) != 2 or len(tile) not in (1, 2):
            raise FieldError("tensor", tensor, "columns and rows when gathering, and a tile of columns", "TDM-059")
        tile = tile if len(tile) == 2 else tile + [None]
    if not 1 <= len(tile) <= 5:
        raise FieldError("tile", tile, "1 to 5 extents", "TDM-006")
    if len(tensor) != len(tile):
        raise FieldError("tensor", tensor, f"{len(tile)} extents, as many as the tile has", "TDM-006")
    for i in range(len(tile)):
        if tile[i] is not None and tile[i] < 1:
            raise FieldError("tile[%d]" % i, tile[i], "1 or more; 0 would mean a NOP or an unused dimension", "TDM-028")
        if tensor[i] < 0:
            raise FieldError("tensor[%d]" % i, tensor[i], "0 or more; write max(0, extent - offset)", "TDM-045")
    placed = [key for key in ("base", "at", "global_addr") if copy.get(key) is not None]
    if placed == ["global_addr"]:
        return tile, tensor, None
    if placed not in (["base", "at"], ["base"]):
        raise CopyKeyError("global_addr", copy.get("global_addr"), "give base and at, or global_addr", "TDM-007")
    at = _numbers(copy, "at") if "at" in placed else [0] * len(tile)
    if len(at) != len(tile):
        raise FieldError("at", at, f"{len(tile)} offsets, as many as the tile has extents", "TDM-006")
    return tile, tensor, at


def _strides(copy, rank, tensor):
    """Return the strides of dimension 1 and up, in elements."""
    if copy.get("strides") is None:
        if rank > 1 and copy.get("base") is None:
            raise CopyKeyError("strides", None, f"{rank - 1} strides in elements, of dimension 1 and up", "TDM-008")
        strides = []
        for i in range(rank - 1):
            strides.append(tensor[i] * (strides[-1] if strides else 1))
        return strides
    strides = _numbers(copy, "strides")
    if len(strides) == rank:
        if strides[0] != 1:
            text = "1: dimension 0 is contiguous"
            if 1 in strides:
                text += ". Lists are innermost first: begin tile, tensor, at and strides with the dimension of stride 1"
            raise FieldError("strides[0]", strides[0], text, "TDM-022")
        strides = strides[1:]
    if len(strides) != rank - 1:
        raise FieldError("strides", strides, f"{rank - 1} strides, of dimension 1 and up", "TDM-008")
    return strides


def _put(fields, name, value, label):
    """Set a field after checking it under the name that the caller used."""
    check_value(field_named(name, "dense"), value, label)
    fields[name] = value


def _address(value, label):
    check_value(field_named("global_addr", "dense"), value, label)


def _before(dimension, offset, extent):
    text = (
        f"at[{dimension}]={offset} lies before the tensor, where the engine checks nothing: the bound is written as 0, "
        f"so the whole tile loads as zeros and a store writes nothing (extent - offset = {extent - offset} would read "
        "memory before the tensor)"
    )
    return Finding("negative-offset", "warning", text, "TDM-047", TENSOR_DIMS[dimension])


def _pad(pad):
    if isinstance(pad, (list, tuple)):
        if len(pad) != 1:
            raise FieldError("pad", pad, "one interval and one amount: a descriptor holds a single pair", "TDM-031")
        pad = pad[0]
    if not isinstance(pad, dict):
        raise CopyKeyError("pad", pad, "an object with the keys " + ", ".join(PAD_KEYS), "TDM-031")
    _only(pad, PAD_KEYS, "pad")
    return codes(pad.get("interval_dwords"), pad.get("amount_dwords"))


def _gather(gather, tile, copy):
    if not isinstance(gather, dict):
        raise CopyKeyError("gather", gather, "an object with the keys " + ", ".join(GATHER_KEYS), "TDM-059")
    _only(gather, GATHER_KEYS, "gather")
    bits = gather.get("index_bits", 16)
    if not is_integer(bits) or bits not in (16, 32):
        raise FieldError("gather.index_bits", bits, "16 or 32", "TDM-059")
    rows = _numbers(gather, "indices")
    slots = GATHER_SLOTS["gather%d" % bits]
    if not 1 <= len(rows) <= slots:
        text = f"1 to {slots} rows an instruction with {bits}-bit indices"
        raise FieldError("gather.indices", len(rows), text, "TDM-059")
    for i in range(len(rows)):
        if rows[i] < 0:
            text = f"0..{(1 << bits) - 1}: a row number is unsigned. Leave out an entry that names no row, such as -1"
            raise FieldError("gather.indices[%d]" % i, rows[i], text, "TDM-059")
        check_value(field_named("row_index_0", "gather%d" % bits), rows[i], "gather.indices[%d]" % i)
    if tile[1] not in (None, len(rows)):
        raise FieldError("tile[1]", tile[1], f"{len(rows)}, the number of indices", "TDM-059")
    if copy.get("iterate") is not None:
        raise CopyKeyError("iterate", copy["iterate"], "not with gather, which ignores it", "TDM-058")
    return {
        "gather_mode": 1,
        "gather_index_size": 1 if bits == 32 else 0,
        "tile_dim1": len(rows),
        "row_indices": rows,
    }


def _iterate(iterate, rank, bits):
    if not isinstance(iterate, dict):
        raise CopyKeyError("iterate", iterate, "an object with the keys " + ", ".join(ITERATE_KEYS), "TDM-058")
    _only(iterate, ITERATE_KEYS, "iterate")
    if rank > 3:
        text = "at most 3 dimensions with iterate, which borrows the fields of 4D and 5D"
        raise FieldError("tile", rank, text, "TDM-005")
    count = iterate.get("count")
    if not is_integer(count) or not 1 <= count <= 256:
        raise FieldError("iterate.count", count, "1 to 256 passes; for none write a descriptor with count 0", "TDM-058")
    result = {"iterate_enable": 1, "iterate_count": count - 1}
    for key, name in (("lds_increment", "lds_addr_increment"), ("global_increment", "global_addr_increment")):
        value = _units(bits, iterate.get(key, 0), "iterate." + key)
        check_value(field_named(name, "iterate"), value, "iterate." + key)
        result[name] = value
    return result


def _barrier(address):
    if not is_integer(address) or address < 0 or address % 8 or address >> 3 > 65535:
        raise FieldError("barrier_addr", address, "an LDS byte address, a multiple of 8 from 0 to 524280", "TDM-030")
    return {"atomic_barrier_enable": 1, "atomic_barrier_address": address >> 3}
