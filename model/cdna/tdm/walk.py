# SPDX-License-Identifier: Apache-2.0
"""How a descriptor is walked: which element lies where in memory, and where in LDS.

Dimension 0 is the fastest. Element (x0, x1, ...) lies at global_addr + size * (x0 + x1 * stride0 + x2 * stride1 + ...);
in LDS the elements form one dense stream from `lds_addr` on, and padding opens gaps in that stream.
`transfer` moves whole rows by these numbers; `lds_map` lists every element, for figures and for checks.
"""

from typing import NamedTuple

from .descriptor import GATHER_SLOTS, STRIDES, TENSOR_DIMS, TILE_DIMS, FieldError, layout_of, rank_of

GROUP2 = (
    "tensor_dim2",
    "tensor_dim3",
    "tensor_dim2_stride",
    "tile_dim3",
    "lds_addr_increment",
    "global_addr_increment",
    "iterate_count",
)
GROUP3 = ("tensor_dim3_stride", "tensor_dim4", "tile_dim4")
MAP_LIMIT = 1 << 20


class Landing(NamedTuple):
    """One element: its place in the tile, in memory and in LDS."""

    step: int  # pass of an iteration, 0 otherwise
    at: tuple  # coordinates in the tile, innermost first; gathering: (column, place in the list)
    address: object  # global byte address, None when out of bounds
    lds: int  # LDS byte address of its first byte


class Walk(NamedTuple):
    """The descriptor as bytes and counts, dimensions innermost first."""

    element: int
    counts: tuple
    bounds: tuple
    pitches: tuple
    indices: tuple  # gathering: row numbers in list order, else ()
    base: int
    lds_addr: int
    passes: int
    global_step: int
    lds_step: int
    interval: int  # stream bytes between two gaps, 0 without padding
    amount: int


def lds_map(fields, op="load", lds_size=None, null_groups=(), iterate_bounds="fresh", store_padding="ignored"):
    """Say for every element of the tile where it lies in memory and where in LDS, in the order of the walk.

    Args: as for `run`; lds_size: bytes of the allocation, None for one without end.
    Returns: a tuple of Landing; empty when nothing is copied.
    Raises: FieldError as `run`; ValueError: more than 1048576 elements.
    Claims: TDM-014 to TDM-017, TDM-021, TDM-038
    """
    if is_null(fields):
        return ()
    walk = walk_of(fields, op, null_groups, store_padding)
    total = walk.passes
    for count in walk.counts:
        total *= count
    if total > MAP_LIMIT:
        raise ValueError(f"{total} elements: at most {MAP_LIMIT} are listed one by one")
    gaps = None if lds_size is None else gaps_that_fit(walk, lds_size)
    landings = []
    for step in range(walk.passes):
        bounds = bounds_of_pass(walk, step, iterate_bounds)
        stream = step * walk.lds_step
        for number in range(total // walk.passes):
            at, rest = [], number
            for count in walk.counts:
                at.append(rest % count)
                rest //= count
            place = list(at)
            if walk.indices:
                place[1] = walk.indices[at[1]]
            address = walk.base + step * walk.global_step
            inside = True
            for index in range(len(at)):
                address += place[index] * walk.pitches[index]
                inside = inside and place[index] < bounds[index]
            byte = walk.lds_addr + padded(stream, walk.interval, walk.amount, gaps)
            landings.append(Landing(step, tuple(at), address if inside else None, byte))
            stream += walk.element
    return tuple(landings)


def walk_of(fields, op="load", null_groups=(), store_padding="ignored"):
    """Turn encoded fields into counts, bounds and byte distances.

    Returns: a Walk; `counts[0]` is 0 for a no-op.
    Raises: FieldError: as `run`.
    Claims: TDM-008, TDM-012, TDM-018, TDM-026, TDM-028, TDM-056
    """
    refuse(fields)
    fields = _without_groups(fields, null_groups)
    get = fields.get
    layout = layout_of(fields)
    gather = layout in GATHER_SLOTS
    iterate = layout == "iterate"
    element = 1 << get("data_size", 0)
    rank = max(1, rank_of(fields))
    counts = [get(name, 0) for name in TILE_DIMS[:rank]]
    indices = _indices(fields, counts[1], GATHER_SLOTS[layout], null_groups) if gather else ()
    # A higher dimension of extent 0 is unused: one step, and no bound of its own.
    unused = [d > 0 and not gather and counts[d] == 0 for d in range(rank)]
    bounds = tuple([1 if unused[d] else get(TENSOR_DIMS[d], 0) for d in range(rank)])
    counts = tuple([1 if unused[d] else counts[d] for d in range(rank)])
    pitches = (element,) + tuple([element * get(name, 0) for name in STRIDES[: rank - 1]])
    interval = amount = 0
    if get("pad_enable", 0) and (op == "load" or store_padding == "applied"):
        interval = 8 << get("pad_interval", 0)
        amount = 4 * (get("pad_amount", 0) + 1)
    return Walk(
        element,
        counts,
        bounds,
        pitches,
        indices,
        get("global_addr", 0),
        get("lds_addr", 0),
        get("iterate_count", 0) + 1 if iterate else 1,
        element * get("global_addr_increment", 0) if iterate else 0,
        element * get("lds_addr_increment", 0) if iterate else 0,
        interval,
        amount,
    )


def padded(offset, interval, amount, gaps=None):
    """Return where a byte of the dense stream lies, counted from `lds_addr`.

    Args: offset: byte in the stream; interval, amount: bytes, interval 0 without padding; gaps: most gaps inserted.
    Claims: TDM-034, TDM-037, TDM-038
    """
    if not interval:
        return offset
    count = offset // interval
    return offset + (count if gaps is None or count < gaps else gaps) * amount


def gaps_that_fit(walk, lds_size):
    """Return how many gaps end inside the allocation; one that would run past it is not inserted.

    Claims: TDM-037
    """
    if not walk.interval:
        return 0
    return max(0, lds_size - walk.lds_addr) // (walk.interval + walk.amount)


def origin_of(offset, counts, strides):
    """Return the coordinates of a linear element offset, or None when the strides do not determine them.

    Args: offset: elements from the tensor's first element; counts: extents of the tensor; strides: elements, the first
      is 1. Axes of extent one take no room. The rule is an emulator's, not the manual's.
    """
    axes = sorted([(strides[d], d) for d in range(len(counts)) if counts[d] > 1])
    span = 1
    for stride, d in axes:
        if stride < span:
            return None
        span += stride * (counts[d] - 1)
    origin = [0] * len(counts)
    rest = offset
    for i in range(len(axes) - 1, -1, -1):
        stride, d = axes[i]
        origin[d] = rest // stride
        rest %= stride
    origin[0] += rest
    return tuple(origin)


def bounds_of_pass(walk, step, iterate_bounds):
    """Return how many elements of each dimension are in bounds in one pass of an iteration.

    Args: walk: a Walk; step: the pass, from 0; iterate_bounds: "fresh" or "advanced", see `transfer`.
    Raises: FieldError: "advanced" with strides that do not place a later pass.
    """
    if step == 0 or iterate_bounds == "fresh" or walk.global_step == 0 or 0 in walk.bounds:
        return walk.bounds
    strides = [pitch // walk.element for pitch in walk.pitches]
    origin = origin_of(step * walk.global_step // walk.element, walk.bounds, strides)
    if origin is None:
        raise FieldError("tensor_dim0_stride", strides[1], "rows that do not overlap, to place a later pass", None)
    return tuple([max(0, walk.bounds[d] - origin[d]) for d in range(len(origin))])


def _without_groups(fields, null_groups):
    if not null_groups:
        return fields
    absent = (GROUP2 if 2 in null_groups else ()) + (GROUP3 if 3 in null_groups else ())
    return {name: fields[name] for name in fields if name not in absent}


def _indices(fields, count, slots, null_groups):
    if count > slots:
        raise FieldError("tile_dim1", count, f"0..{slots} row indices of this width", "TDM-059")
    given = list(fields.get("row_indices", ()))[:slots]
    given += [0] * (slots - len(given))
    half = slots // 2
    first = [0] * half if 2 in null_groups else given[:half]
    second = [0] * half if 3 in null_groups else given[half:]
    return tuple((first + second)[:count])


def is_null(fields):
    """Return whether `count` switches the transfer off.

    Claims: TDM-027
    """
    return fields.get("count", 1) == 0 and not fields.get("is_restore", 0)


def refuse(fields):
    """Raise a FieldError for what is no transfer of a shader: context restore, or a wrong type.

    Claims: TDM-009, TDM-010, TDM-011
    """
    if fields.get("is_restore", 0):
        raise FieldError("is_restore", 1, "0; what a context restore moves is not modelled", "TDM-009")
    if fields.get("count", 1) not in (0, 1):
        raise FieldError("count", fields["count"], "0 (nothing) or 1; 2 and 3 are for context restore", "TDM-010")
    if fields.get("type", 2) != 2:
        raise FieldError("type", fields["type"], "2", "TDM-011")
