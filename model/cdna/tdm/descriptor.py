# SPDX-License-Identifier: Apache-2.0
"""The descriptor (D#) of the Tensor Data Mover: words to fields and back.

The table of fields is `fields.FIELDS`; its names can be imported from here as well. `fields` is a dict from a raw field
name to the encoded integer, exactly as the bits hold it; when gathering it also has `row_indices`, a list.
`layout_of` says how groups 2 and 3, a union, are read.
"""

from typing import NamedTuple

from .fields import (  # noqa: F401 - the table's names are offered here as well
    FIELDS,
    GATHER_SLOTS,
    GROUP_WORDS,
    LAYOUTS,
    MODES,
    NAMES,
    RESTORE_FIELDS,
    STRIDES,
    TENSOR_DIMS,
    TILE_DIMS,
    TYPE_IMAGE,
    Field,
    FieldError,
    UnknownField,
    allowed,
    check_value,
    field_named,
    fields_of,
    is_integer,
    literal,
    reserved_of,
)


class Reserved(NamedTuple):
    """Bits that no field of the layout owns, with the non-zero value found there."""

    group: int
    lo: int
    width: int
    value: int


class Descriptor(NamedTuple):
    """What a list of words says: see `decode`."""

    words: tuple  # the words as given
    groups: tuple  # four entries, one a group: its words, or None where the group was not given
    layout: str
    mode: str
    rank: object  # int, or None where group 1 was not given
    fields: dict
    reserved: tuple  # of Reserved: never lost, never re-encoded


def layout_of(fields):
    """Return how groups 2 and 3 are to be read: gathering wins over iterating.

    Args: fields: raw fields.
    Returns: one of LAYOUTS.
    Claims: TDM-004, TDM-060
    """
    if fields.get("gather_mode", 0):
        return "gather32" if fields.get("gather_index_size", 0) else "gather16"
    return "iterate" if fields.get("iterate_enable", 0) else "dense"


def mode_of(fields):
    """Return what the descriptor asks for: its layout, or null (count 0), or restore (is_restore).

    Args: fields: raw fields; count not given is 1.
    Returns: one of MODES.
    Claims: TDM-009, TDM-027
    """
    if fields.get("is_restore", 0):
        return "restore"
    if fields.get("count", 1) == 0:
        return "null"
    return layout_of(fields)


def rank_of(fields):
    """Return the number of dimensions: the highest one whose tile extent is not zero; 2 when gathering.

    Args: fields: raw fields.
    Returns: 0 (every tile extent is zero) to 5; while iterating at most 3, as tile_dim3 is borrowed.
    Claims: TDM-005, TDM-006, TDM-028
    """
    layout = layout_of(fields)
    if layout in GATHER_SLOTS:
        return 2
    rank = 0
    for i in range(3 if layout == "iterate" else 5):
        if fields.get(TILE_DIMS[i], 0):
            rank = i + 1
    return rank


def meaning(fields):
    """Return the fields in literal units, under their own names, and the copy they describe in plain terms.

    Args: fields: raw fields, of all groups or of some.
    Returns: dict. Own names: bytes for data_size, DWORDs for the pad codes (None while padding is off), a byte address
      for the barrier, the number of passes for iterate_count, bool for flags. Plain terms, when group 1 is there:
      element_bytes, tile, tensor (remaining extents), strides (elements; of dimension 1 and up), pad, gather, iterate,
      barrier_addr, workgroups.
    Claims: TDM-008, TDM-012, TDM-023, TDM-031, TDM-032, TDM-034
    """
    layout = layout_of(fields)
    result = {}
    for field in fields_of(layout):
        if field.name in fields:
            result[field.name] = literal(field, fields[field.name])
    if not fields.get("pad_enable", 0):
        for name in ("pad_interval", "pad_amount"):
            if name in result:
                result[name] = None
    if "row_indices" in fields:
        result["row_indices"] = list(fields["row_indices"])
    if "data_size" not in fields:
        return result
    rank = rank_of(fields)
    result["element_bytes"] = 1 << fields["data_size"]
    result["tile"] = [fields.get(name, 0) for name in TILE_DIMS[:rank]]
    result["tensor"] = [fields.get(name, 0) for name in TENSOR_DIMS[:rank]]
    result["strides"] = [fields.get(name, 0) for name in STRIDES[: max(rank - 1, 0)]]
    result["pad"] = None
    if fields.get("pad_enable", 0):
        interval, amount = 2 << fields.get("pad_interval", 0), fields.get("pad_amount", 0) + 1
        result["pad"] = {
            "interval_dwords": interval,
            "amount_dwords": amount,
            "interval_bytes": 4 * interval,
            "amount_bytes": 4 * amount,
        }
    result["gather"] = None
    if layout in GATHER_SLOTS:
        result["gather"] = {
            "index_bits": 32 if layout == "gather32" else 16,
            "rows": fields.get("tile_dim1", 0),
            "indices": list(fields.get("row_indices", ())),
        }
    result["iterate"] = None
    if layout == "iterate":
        result["iterate"] = {
            "count": fields.get("iterate_count", 0) + 1,
            "lds_increment": fields.get("lds_addr_increment", 0),
            "global_increment": fields.get("global_addr_increment", 0),
        }
    barrier = fields.get("atomic_barrier_enable", 0)
    result["barrier_addr"] = fields.get("atomic_barrier_address", 0) << 3 if barrier else None
    mask = fields.get("workgroup_mask", 0)
    result["workgroups"] = [i for i in range(16) if mask >> i & 1]
    return result


def decode(words):
    """Return what descriptor words say; every list of 32-bit words of a right length decodes.

    Args: words: 4 (group 0), 12 (groups 0 and 1), 16 (and 2) or 20 (and 3) integers of 32 bits. A group that is not
      given is NULL and reads as zeros, except that group 0 alone gives the fields of group 0 only.
    Returns: Descriptor. `row_indices` holds the first tile_dim1 indices; the other slots stay in `words`.
    Raises: FieldError: another number of words, or a word that is not 0..4294967295.
    Claims: TDM-003, TDM-029, TDM-030, TDM-056, TDM-057, TDM-058, TDM-059
    """
    words = _checked_words(words)
    if len(words) not in (4, 12, 16, 20):
        raise FieldError("words", len(words), "4, 12, 16 or 20 words (group 0; 0 and 1; 0 to 2; 0 to 3)", "TDM-003")
    groups = (
        words[0:4],
        words[4:12] if len(words) > 4 else None,
        words[12:16] if len(words) > 12 else None,
        words[16:20] if len(words) > 16 else None,
    )
    return _decode_groups(words, groups)


def decode_group1(words):
    """Return what the 8 words of group 1 alone say, read as if group 0 asked for a plain copy.

    Args: words: 8 integers of 32 bits.
    Returns: Descriptor with the fields of group 1; mode and rank hold if the other groups ask for nothing more.
    Raises: FieldError: not 8 words, or a word that is not 0..4294967295.
    Claims: TDM-030
    """
    words = _checked_words(words)
    if len(words) != 8:
        raise FieldError("words", len(words), "8 words (group 1)", "TDM-030")
    return _decode_groups(words, (None, words, None, None))


def encode(fields):
    """Return the words of a descriptor; nothing is truncated.

    Args: fields: raw fields; one not given is 0, except type (2) and count (1). A field of another layout may be
      given as 0 only. `row_indices`: at most 16 (16-bit) or 8 (32-bit) row numbers; slots not given are 0.
    Returns: tuple of 12 words, or of 20 where the layout, the rank or a non-zero field needs groups 2 and 3.
    Raises: FieldError: a value does not fit its bits; UnknownField: a name that the layout does not have.
    Claims: TDM-003, TDM-029, TDM-030, TDM-057, TDM-058, TDM-059
    """
    values = {"type": TYPE_IMAGE, "count": 1}
    values.update(fields)
    _check_names(values)
    for name in ("gather_mode", "gather_index_size", "iterate_enable"):
        check_value(field_named(name, "dense"), values.get(name, 0))
    layout = layout_of(values)
    if layout in GATHER_SLOTS:
        _spread_rows(values, layout)
    table = fields_of(layout)
    known = [field.name for field in table]
    for name in sorted(values):
        if name not in known and values[name] not in (0, [], ()):
            raise UnknownField(name, values[name], _elsewhere(name, layout), "TDM-004")
    groups = [0, 0, 0, 0]
    for field in table:
        value = values.get(field.name, 0)
        check_value(field, value)
        groups[field.group] |= value << field.lo
    wide = layout != "dense" or rank_of(values) > 2 or groups[2] or groups[3]
    words = []
    for group in range(4 if wide else 2):
        for word in range(GROUP_WORDS[group]):
            words.append(groups[group] >> 32 * word & 0xFFFFFFFF)
    return tuple(words)


def _checked_words(words):
    try:
        words = tuple(words)
    except TypeError:
        raise FieldError("words", words, "a list of 32-bit integers", "TDM-003") from None
    for i in range(len(words)):
        if not is_integer(words[i]) or words[i] < 0 or words[i] >> 32:
            raise FieldError("words[%d]" % i, words[i], "0..4294967295 (32 bits)", "TDM-003")
    return words


def _decode_groups(words, groups):
    values = []
    for group in range(4):
        value = 0
        for i in range(len(groups[group] or ())):
            value |= groups[group][i] << 32 * i
        values.append(value)
    partial = groups[0] is None or groups[1] is None
    layout = layout_of({name: _bits(values, field_named(name, "dense")) for name in _MODE_FIELDS})
    fields, rows = {}, []
    for field in fields_of(layout):
        if field.name.startswith("row_index_"):
            rows.append(_bits(values, field))
        elif not partial or groups[field.group] is not None:
            fields[field.name] = _bits(values, field)
    if rows and not partial:
        fields["row_indices"] = rows[: min(fields["tile_dim1"], len(rows))]
    reserved = []
    for group, lo, width in reserved_of(layout):
        value = values[group] >> lo & (1 << width) - 1
        if value:
            reserved.append(Reserved(group, lo, width, value))
    rank = rank_of(fields) if groups[1] is not None or layout in GATHER_SLOTS else None
    return Descriptor(words, groups, layout, mode_of(fields), rank, fields, tuple(reserved))


_MODE_FIELDS = ("gather_mode", "gather_index_size", "iterate_enable")


def _bits(values, field):
    return values[field.group] >> field.lo & (1 << field.width) - 1


def _check_names(values):
    for name in sorted(values, key=str):
        if name not in NAMES:
            raise UnknownField(name, values[name], "no such field; the fields are " + ", ".join(NAMES), "TDM-004")


def _spread_rows(values, layout):
    rows = values.pop("row_indices", ())
    if not isinstance(rows, (list, tuple)):
        raise FieldError("row_indices", rows, "a list of row numbers", "TDM-059")
    slots = GATHER_SLOTS[layout]
    if len(rows) > slots:
        raise FieldError("row_indices", len(rows), f"at most {slots} rows in {layout}", "TDM-059")
    for i in range(len(rows)):
        check_value(field_named("row_index_0", layout), rows[i], "row_indices[%d]" % i)
        values["row_index_%d" % i] = rows[i]


def _elsewhere(name, layout):
    if name == "row_indices":
        return f"only when gathering, this descriptor is {layout}"
    homes = [field for field in FIELDS if field.name == name]
    layouts = ", ".join(homes[0].layouts)
    taken = [f.name for f in fields_of(layout) if f.group == homes[0].group and f.lo <= homes[0].lo < f.lo + f.width]
    holder = f"; its bits hold {taken[0]} here" if taken else ""
    return f"only in {layouts}, this descriptor is {layout}{holder}"
