# SPDX-License-Identifier: Apache-2.0
"""Loads from LDS that transpose on the way: which exist, which lanes exchange what, and which K of a tile a call covers.

One lane map is published: that of `ds_read_b64_tr_b16`. An emulator's correction gives it and says that it equals an
existing test made for hardware; two compilers' documents agree with it. The other maps are marked unverified.
"""

from typing import NamedTuple

from cdna.lds.geometry import geometry


class Form(NamedTuple):
    """One transposing LDS load. aliases: other spellings of one opcode; interface: the builtin behind it."""

    target: str
    op: str
    element_bits: int
    result_bits: int  # of one lane
    aliases: tuple
    interface: str
    published: bool
    basis: str


_MAP = (
    "lane map of ROCm/rocm-systems#10175 (which calls it equal to an existing hardware test), in agreement with Mojo's page and "
    "triton-lang/triton#8525; not run on a device by this project"
)
_NONE = "no public lane map that rests on hardware was found"
_B8 = "no public lane map that rests on hardware was found; ROCm/rocm-systems#10325 reports that the emulator has no test of it"
_TR16 = "ROCm/rocm-libraries#11762 says which K a lane owns (column lane % 16, half lane // 16); which lane reads it is not said"

FORMS = (
    Form("gfx950", "ds_read_b64_tr_b4", 4, 64, (), "__builtin_amdgcn_ds_read_tr4_b64_v2i32", False, _NONE),
    Form("gfx950", "ds_read_b96_tr_b6", 6, 96, (), "__builtin_amdgcn_ds_read_tr6_b96_v3i32", False, _NONE),
    Form("gfx950", "ds_read_b64_tr_b8", 8, 64, (), "__builtin_amdgcn_ds_read_tr8_b64_v2i32", False, _B8),
    Form("gfx950", "ds_read_b64_tr_b16", 16, 64, (), "__builtin_amdgcn_ds_read_tr16_b64_v4i16", True, _MAP),
    Form(
        "gfx1250",
        "ds_load_tr4_b64",
        4,
        64,
        ("ds_load_b64_tr_b4",),
        "__builtin_amdgcn_ds_load_tr4_b64_v2i32",
        False,
        _NONE,
    ),
    Form(
        "gfx1250",
        "ds_load_tr6_b96",
        6,
        96,
        ("ds_load_b96_tr_b6",),
        "__builtin_amdgcn_ds_load_tr6_b96_v3i32",
        False,
        _NONE,
    ),
    Form(
        "gfx1250",
        "ds_load_tr8_b64",
        8,
        64,
        ("ds_load_b64_tr_b8", "ds_load_tr_b64"),
        "__builtin_amdgcn_ds_load_tr8_b64_v2i32",
        False,
        _NONE,
    ),
    Form(
        "gfx1250",
        "ds_load_tr16_b128",
        16,
        128,
        ("ds_load_b128_tr_b16", "ds_load_tr_b128"),
        "__builtin_amdgcn_ds_load_tr16_b128_v8i16",
        False,
        _TR16,
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
    """Return the form of an opcode or of one of its other spellings, or None where the target has none."""
    for form in forms(target):
        if op == form.op or op in form.aliases:
            return form
    return None


def receives(lane):
    """Return what one lane of `ds_read_b64_tr_b16` gets: ((source lane, halfword), ...) for its four halfwords.

    Each lane reads 64 bits at its own address; the sixteen lanes around it then exchange halfwords.

    Args: lane: 0 to 63.
    Raises: ValueError: another lane.
    Claims: TRN-051
    """
    if not 0 <= lane <= 63:
        raise ValueError(f"lane={lane}: 0..63")
    first = lane // 16 * 16 + lane % 16 // 4
    return tuple([(first + 4 * n, lane % 4) for n in range(4)])


def transpose(halfwords):
    """Return the four halfwords of each lane after `ds_read_b64_tr_b16`.

    Args: halfwords: 64 lanes of four, as each lane read them.
    """
    return [[halfwords[source][word] for source, word in receives(lane)] for lane in range(64)]


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
