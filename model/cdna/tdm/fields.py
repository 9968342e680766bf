# SPDX-License-Identifier: Apache-2.0
"""The fields of the descriptor (D#): the one table of names, bits, units and codes, and what fits them.

`FIELDS` is the only place that knows where a field sits. Bits are counted inside the group: word = bit // 32.
Dimension 0 is the innermost one. Groups 2 and 3 are a union: a field lists the layouts that read its bits so.
"""

from typing import NamedTuple

LAYOUTS = ("dense", "iterate", "gather16", "gather32")
MODES = LAYOUTS + ("null", "restore")
GROUP_WORDS = (4, 8, 4, 4)
GATHER_SLOTS = {"gather16": 16, "gather32": 8}
RESTORE_FIELDS = ("is_restore", "is_store", "nv", "scope", "th", "user_null")
STRIDES = ("tensor_dim0_stride", "tensor_dim1_stride", "tensor_dim2_stride", "tensor_dim3_stride")
TENSOR_DIMS = ("tensor_dim0", "tensor_dim1", "tensor_dim2", "tensor_dim3", "tensor_dim4")
TILE_DIMS = ("tile_dim0", "tile_dim1", "tile_dim2", "tile_dim3", "tile_dim4")
TYPE_IMAGE = 2


class Field(NamedTuple):
    """One field: its bits `lo` to `lo + width - 1` inside `group`, how they encode a value, and who says so."""

    name: str
    group: int
    lo: int
    width: int
    unit: str  # "", "bytes", "elements", "rows", "DWORDs", "workgroups": what the decoded value counts
    coding: str  # literal, flag, log2, minus-one, power-of-two (2 << n), shifted-3 (value >> 3), code
    layouts: tuple  # the layouts in which these bits mean this
    claim: str


class FieldError(ValueError):
    """A value that does not fit: `.field`, `.given`, `.allowed` and `.claim` say which, what, and by whose word."""

    def __init__(self, field, given, allowed, claim):
        """Make the one-line message of the parts."""
        shown = repr(given)
        if len(shown) > 60:
            shown = shown[:57] + "..."
        name = repr(field)[1:-1] if isinstance(field, str) else str(field)  # a stranger's key may hold anything
        if len(name) > 60:
            name = name[:57] + "..."
        super().__init__(f"{name}={shown}: {allowed}, {claim}" if claim else f"{name}={shown}: {allowed}")
        self.field = field
        self.given = given
        self.allowed = allowed
        self.claim = claim


class UnknownField(FieldError):
    """A field name that no layout has, or that the layout asked for does not have."""


_ALL = LAYOUTS
_DENSE = ("dense",)
_ITERATE = ("iterate",)
_NO_GATHER = ("dense", "iterate")

# The descriptor, field by field. Reserved bits are the gaps; `reserved_of` lists them.
FIELDS = (
    # Group 0: what, and where it starts.
    Field("count", 0, 0, 2, "", "code", _ALL, "TDM-010"),
    Field("is_restore", 0, 2, 1, "", "flag", _ALL, "TDM-009"),
    Field("is_store", 0, 3, 1, "", "flag", _ALL, "TDM-009"),
    Field("nv", 0, 4, 1, "", "flag", _ALL, "TDM-009"),
    Field("scope", 0, 5, 2, "", "code", _ALL, "TDM-009"),
    Field("th", 0, 7, 3, "", "code", _ALL, "TDM-009"),
    Field("user_null", 0, 10, 1, "", "flag", _ALL, "TDM-009"),
    Field("gather_index_size", 0, 30, 1, "", "code", _ALL, "TDM-060"),
    Field("gather_mode", 0, 31, 1, "", "flag", _ALL, "TDM-060"),
    Field("lds_addr", 0, 32, 32, "bytes", "literal", _ALL, "TDM-029"),
    Field("global_addr", 0, 64, 57, "bytes", "literal", _ALL, "TDM-019"),
    Field("type", 0, 126, 2, "", "code", _ALL, "TDM-011"),
    # Group 1: the shape, the row pitch, padding, the barrier.
    Field("workgroup_mask", 1, 0, 16, "workgroups", "literal", _ALL, "TDM-030"),
    Field("data_size", 1, 16, 2, "bytes", "log2", _ALL, "TDM-012"),
    Field("atomic_barrier_enable", 1, 18, 1, "", "flag", _ALL, "TDM-030"),
    Field("iterate_enable", 1, 19, 1, "", "flag", _ALL, "TDM-030"),
    Field("pad_enable", 1, 20, 1, "", "flag", _ALL, "TDM-030"),
    Field("early_timeout", 1, 21, 1, "", "flag", _ALL, "TDM-030"),
    Field("pad_interval", 1, 22, 3, "DWORDs", "power-of-two", _ALL, "TDM-031"),
    Field("pad_amount", 1, 25, 7, "DWORDs", "minus-one", _ALL, "TDM-032"),
    Field("atomic_barrier_address", 1, 32, 16, "bytes", "shifted-3", _ALL, "TDM-030"),
    Field("tensor_dim0", 1, 48, 32, "elements", "literal", _ALL, "TDM-030"),
    Field("tensor_dim1", 1, 80, 32, "elements", "literal", _ALL, "TDM-030"),
    Field("tile_dim0", 1, 112, 16, "elements", "literal", _ALL, "TDM-023"),
    Field("tile_dim1", 1, 128, 16, "elements", "literal", _ALL, "TDM-023"),
    Field("tile_dim2", 1, 144, 16, "elements", "literal", _ALL, "TDM-023"),
    Field("tensor_dim0_stride", 1, 160, 48, "elements", "literal", _ALL, "TDM-019"),
    Field("tensor_dim1_stride", 1, 208, 48, "elements", "literal", _ALL, "TDM-019"),
    # Group 2, unless gathering: the third dimension, then the fourth or the increments of iteration.
    Field("tensor_dim2", 2, 0, 32, "elements", "literal", _NO_GATHER, "TDM-057"),
    Field("tensor_dim3", 2, 32, 32, "elements", "literal", _DENSE, "TDM-057"),
    Field("lds_addr_increment", 2, 32, 32, "elements", "literal", _ITERATE, "TDM-058"),
    Field("tensor_dim2_stride", 2, 64, 48, "elements", "literal", _DENSE, "TDM-019"),
    Field("global_addr_increment", 2, 64, 48, "elements", "literal", _ITERATE, "TDM-058"),
    Field("tile_dim3", 2, 112, 16, "elements", "literal", _DENSE, "TDM-023"),
    Field("iterate_count", 2, 112, 16, "", "minus-one", _ITERATE, "TDM-058"),
    # Group 3, unless gathering: the fifth dimension. Iteration keeps the bits but has no use for them.
    Field("tensor_dim3_stride", 3, 0, 48, "elements", "literal", _NO_GATHER, "TDM-019"),
    Field("tensor_dim4", 3, 48, 32, "elements", "literal", _NO_GATHER, "TDM-057"),
    Field("tile_dim4", 3, 80, 16, "elements", "literal", _NO_GATHER, "TDM-023"),
    # Groups 2 and 3 when gathering: row indices, packed in order.
) + tuple(
    Field("row_index_%d" % i, 2 + i // 8, 16 * (i % 8), 16, "rows", "literal", ("gather16",), "TDM-059")
    for i in range(16)
) + tuple(
    Field("row_index_%d" % i, 2 + i // 4, 32 * (i % 4), 32, "rows", "literal", ("gather32",), "TDM-059")
    for i in range(8)
)

NAMES = tuple(field.name for field in FIELDS if not field.name.startswith("row_index_")) + ("row_indices",)


def fields_of(layout):
    """Return the fields of a layout in bit order.

    Args: layout: one of LAYOUTS.
    Returns: tuple of Field; index lists come as row_index_0, row_index_1, ...
    Raises: FieldError: no such layout.
    Claims: TDM-004, TDM-029, TDM-030, TDM-057, TDM-058, TDM-059
    """
    if layout not in LAYOUTS:
        raise FieldError("layout", layout, "one of " + ", ".join(LAYOUTS), "TDM-004")
    return tuple(field for field in FIELDS if layout in field.layouts)


def reserved_of(layout):
    """Return the bits that no field of a layout owns, as (group, lo, width), in bit order.

    Args: layout: one of LAYOUTS.
    Claims: TDM-009
    """
    gaps = []
    for group in range(4):
        at = 0
        for field in fields_of(layout):
            if field.group == group:
                if field.lo > at:
                    gaps.append((group, at, field.lo - at))
                at = field.lo + field.width
        if at < 32 * GROUP_WORDS[group]:
            gaps.append((group, at, 32 * GROUP_WORDS[group] - at))
    return tuple(gaps)


def allowed(field):
    """Return what a field may hold, as one phrase: the encoded range and what it stands for.

    Args: field: a Field.
    """
    top = (1 << field.width) - 1
    text = f"0..{top}"
    if field.coding in ("literal", "code", "flag"):
        return text + (f" ({field.unit})" if field.unit else "")
    if field.coding == "shifted-3":
        return f"{text} (byte address / 8: {literal(field, 0)} to {literal(field, top)})"
    return f"{text} ({literal(field, 0)} to {literal(field, top)} {field.unit or 'times'})"


def literal(field, value):
    """Return an encoded value in the field's own unit.

    Args: field: a Field; value: the encoded integer.
    Returns: int; bool for a flag.
    Claims: TDM-012, TDM-031, TDM-032
    """
    if field.coding == "flag":
        return value == 1
    if field.coding == "log2":
        return 1 << value
    if field.coding == "power-of-two":
        return 2 << value
    if field.coding == "minus-one":
        return value + 1
    if field.coding == "shifted-3":
        return value << 3
    return value


def field_named(name, layout):
    """Return the Field of that name in a layout, or None.

    Args: name: a raw field name; layout: one of LAYOUTS.
    """
    for field in FIELDS:
        if field.name == name and layout in field.layouts:
            return field
    return None


def check_value(field, value, name=None):
    """Refuse a value that a field cannot hold.

    Args: field: a Field; value: what was given; name: what to call it, default the field's name.
    Raises: FieldError: not an integer, or out of range.
    """
    if not is_integer(value) or value < 0 or value >> field.width:
        hint = "" if is_integer(value) else "an integer, "
        raise FieldError(name or field.name, value, hint + allowed(field), field.claim)


def is_integer(value):
    """Return whether a value is an integer that may go into a field: True and False are not.

    Args: value: anything.
    """
    return isinstance(value, int) and value is not True and value is not False
