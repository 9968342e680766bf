# SPDX-License-Identifier: Apache-2.0
"""Loads from LDS that transpose on the way: which exist, which lanes exchange what, and which K of a tile a call covers.

Each lane reads at an address of its own; then lanes exchange elements by a fixed pattern. A pattern is a routing: the
low bits of the receiving lane choose the element, every other bit of the lane and of the place in its registers
chooses one bit of the lane that read it. A form without a routing has no lane map that this project would repeat.
"""

from typing import NamedTuple

from cdna.lds.geometry import geometry


class Routing(NamedTuple):
    """Who receives what. elements: of one lane and of its group; lane_bits, place_bits: a bit of the source lane each.

    lane_bits are those of the receiving lane above log2(elements) bits, lowest first; place_bits those of the place.
    """

    elements: int  # the low lane bits choose among so many; a power of two
    lane_bits: tuple
    place_bits: tuple


class Form(NamedTuple):
    """One transposing LDS load. aliases: other spellings of one opcode; interface: the builtin behind it."""

    target: str
    op: str
    element_bits: int
    result_bits: int  # of one lane
    aliases: tuple
    interface: str
    routing: object  # Routing, or None where this project gives no lane map
    origins: int  # how many independent origins give the routing
    basis: str
    claim: str


_MAP = (
    "lane map of ROCm/rocm-systems#10175 (which calls it equal to an existing hardware test), in agreement with Mojo's page and "
    "triton-lang/triton#8525; not run on a device by this project"
)
_NONE = "no public lane map that rests on hardware was found"
_B8 = (
    "no public lane map that rests on hardware was found; an emulator's own is tested since August 2026 "
    "(ROCm/rocm-systems#10589, which names no device); what a compiler takes it to be is TRN-058"
)
_BLOG = "lane map of AMD's article on the LDS of MI450 (28 August 2026), in agreement with Triton 3.9.0 and an emulator; not run on a device by this project"
_TR4 = "lane map by Triton 3.9.0, which agrees with the addresses of TensileLite and with an emulator; not run on a device by this project"
_TR6 = "lane map of one emulator alone; the figure of the CDNA5 guide fits it and does not prove it"

FORMS = (
    Form("gfx950", "ds_read_b64_tr_b4", 4, 64, (), "__builtin_amdgcn_ds_read_tr4_b64_v2i32", None, 0, _NONE, "TRN-052"),
    Form("gfx950", "ds_read_b96_tr_b6", 6, 96, (), "__builtin_amdgcn_ds_read_tr6_b96_v3i32", None, 0, _NONE, "TRN-052"),
    Form("gfx950", "ds_read_b64_tr_b8", 8, 64, (), "__builtin_amdgcn_ds_read_tr8_b64_v2i32", None, 0, _B8, "TRN-052"),
    Form(
        "gfx950",
        "ds_read_b64_tr_b16",
        16,
        64,
        (),
        "__builtin_amdgcn_ds_read_tr16_b64_v4i16",
        Routing(4, (1, 2, 16, 32), (4, 8)),
        3,
        _MAP,
        "TRN-051",
    ),
    Form(
        "gfx1250",
        "ds_load_tr4_b64",
        4,
        64,
        ("ds_load_b64_tr_b4",),
        "__builtin_amdgcn_ds_load_tr4_b64_v2i32",
        Routing(16, (8,), (1, 2, 4, 16)),
        3,
        _TR4,
        "TRN-055",
    ),
    Form(
        "gfx1250",
        "ds_load_tr6_b96",
        6,
        96,
        ("ds_load_b96_tr_b6",),
        "__builtin_amdgcn_ds_load_tr6_b96_v3i32",
        Routing(16, (4,), (1, 2, 8, 16)),
        1,
        _TR6,
        "TRN-056",
    ),
    Form(
        "gfx1250",
        "ds_load_tr8_b64",
        8,
        64,
        ("ds_load_b64_tr_b8", "ds_load_tr_b64"),
        "__builtin_amdgcn_ds_load_tr8_b64_v2i32",
        Routing(8, (4, 16), (1, 2, 8)),
        4,
        _BLOG,
        "TRN-054",
    ),
    Form(
        "gfx1250",
        "ds_load_tr16_b128",
        16,
        128,
        ("ds_load_b128_tr_b16", "ds_load_tr_b128"),
        "__builtin_amdgcn_ds_load_tr16_b128_v8i16",
        Routing(8, (8, 16), (1, 2, 4)),
        3,
        _BLOG,
        "TRN-053",
    ),
)


def forms(target):
    """Return the transposing LDS loads of a target; gfx942 has none.

    Raises: ValueError: another target.
    Claims: LDS-004, TRN-001
    """
    geometry(target)
    return tuple([form for form in FORMS if form.target == target])


def form_named(target, op):
    """Return the form of an opcode, of one of its other spellings or of its builtin, or None where the target has none.

    Args: op: such as ds_read_b64_tr_b16, ds_read_tr16_b64 or llvm.amdgcn.ds.read.tr16.b64.v4i16.
    Claims: TRN-005
    """
    for form in forms(target):
        if _names(form, op):
            return form
    return None


def counterpart(target, op):
    """Return the form that a target has for the elements of another target's opcode or builtin, or None.

    Claims: LDS-004
    """
    for form in FORMS:
        if _names(form, op):
            for own in forms(target):
                if own.element_bits == form.element_bits:
                    return own
    return None


def _names(form, op):
    """Say whether a name is that of a form: its opcode, an alias, or its builtin or intrinsic with or without the type."""
    if op == form.op or op in form.aliases:
        return True
    name = op.replace(".", "_")
    for prefix in ("__builtin_amdgcn_", "llvm_amdgcn_", "rocdl_"):
        if name.startswith(prefix):
            name = name[len(prefix) :]
    stem = form.interface[len("__builtin_amdgcn_") :].rsplit("_", 1)[0]
    return name == stem or name.startswith(stem + "_v")


def receives(lane, form=None):
    """Return what one lane gets: ((source lane, element of what that lane read), ...) for each of its elements.

    Args: lane: 0 to 63, on gfx1250 to 31; form: of `FORMS`, None for `ds_read_b64_tr_b16` of gfx950.
    Raises: ValueError: another lane, or a form without a lane map.
    Claims: TRN-051, TRN-053, TRN-054, TRN-055, TRN-056
    """
    form = form or form_named("gfx950", "ds_read_b64_tr_b16")
    routing = form.routing
    if routing is None:
        raise ValueError(f"op={form.op}: {form.basis}")
    last = geometry(form.target).wave_lanes - 1
    if not 0 <= lane <= last:
        raise ValueError(f"lane={lane}: 0..{last}")
    first = _picked(lane // routing.elements, routing.lane_bits)
    element = lane % routing.elements
    places = 2 ** len(routing.place_bits)
    return tuple([(first + _picked(place, routing.place_bits), element) for place in range(places)])


def _picked(number, bits):
    """The sum of those bits whose place in `number` is set."""
    return sum([bits[i] for i in range(len(bits)) if number >> i & 1])


def transpose(read, form=None):
    """Return the elements of each lane after a transposing load.

    Args: read: one list a lane, of the elements that it read; form: as for `receives`.
    """
    return [[read[source][element] for source, element in receives(lane, form)] for lane in range(len(read))]


def k_sets(k, rows, elements=4):
    """Return which K of a tile each call covers when every call gives `elements` neighbouring K to a lane.

    The lanes that share one row of the operand split K among them: k // (64 // rows) each, in order; each call fetches
    the next `elements` of every lane's part.

    Args: k: of the tile; rows: of the operand tile, 16 or 32; elements: K of one lane and call, 4 for 16-bit elements
      in 64 bits.
    Returns: tuple of tuples, one a call.
    Raises: ValueError: the lanes' part is no multiple of the elements.
    Claims: TRN-002
    """
    lanes = 64 // rows
    part = k // lanes
    if k % lanes or part % elements or not part:
        raise ValueError(f"k={k}: a multiple of {lanes * elements} for {rows} rows")
    calls = []
    for call in range(part // elements):
        found = []
        for lane in range(lanes):
            first = lane * part + call * elements
            found += list(range(first, first + elements))
        calls.append(tuple(found))
    return tuple(calls)


def tile_addresses(row_bytes, base=0):
    """Return the LDS byte that each of sixteen lanes reads so that lane c receives column c of a 4 x 16 tile.

    The tile lies row after row, sixteen halfwords each; the lanes of a quarter read the four parts of one row.

    Args: row_bytes: from row to row; base: of the tile.
    """
    return tuple([base + lane // 4 * row_bytes + lane % 4 * 8 for lane in range(16)])
