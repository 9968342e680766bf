# SPDX-License-Identifier: Apache-2.0
"""Copies from global memory into LDS that pass by no data register: direct-to-LDS, and gfx1250's asynchronous copies.

On gfx942 and gfx950 the destination is the same base for the whole wave, and each lane has a fixed place after it:
LDS byte = base of the workgroup + M0 + instruction offset + stride * lane. The stride is 4 bytes up to 4 bytes a lane
and 16 above (D2L-003, disputed), so 12-byte records stand 16 bytes apart; of M0 only some bits count (D2L-056). On gfx1250
each lane gives its own LDS address, also in the form that sends data to several workgroups of a cluster (D2L-057).
"""

from typing import NamedTuple

from cdna.lds.geometry import geometry

WAVE_WIDE = ("gfx942", "gfx950")
STRIDES = ("llvm", "four")  # the project's reading first
FORMS = ("global", "buffer", "cluster")
GLOBAL_OFFSETS = (-4096, 4095)  # a signed field of 13 bits
BUFFER_OFFSETS = (0, 4095)  # an unsigned field of 12 bits
ASYNC_OFFSETS = (0, (1 << 23) - 1)  # a signed field of 24 bits of which the hardware takes no negative value

_GFX9 = (
    (1, "ubyte", ("gfx942", "gfx950")),
    (2, "ushort", ("gfx942", "gfx950")),
    (4, "dword", ("gfx942", "gfx950")),
    (12, "dwordx3", ("gfx950",)),
    (16, "dwordx4", ("gfx950",)),
)
_ASYNC = (1, 4, 8, 16)


class Copy(NamedTuple):
    """Where one lane's data goes. Offsets and addresses in bytes; None where something does not exist."""

    target: str
    size: int  # bytes a lane
    lane: int
    accepted: bool
    opcode: object
    lane_stride: object
    lds_address: object  # first byte this lane writes
    written: object  # bytes this lane writes: whole DWORDs
    hole: object  # bytes from there to the next lane's place
    global_offset: object  # what the instruction adds to the lane's own source address
    wave_span: object  # bytes from lane 0's place to the place after the last lane's
    counter: str  # what completion counts down


def sizes(target):
    """Return the bytes a lane that a target can copy.

    Args: target: "gfx942", "gfx950" or "gfx1250".
    Raises: ValueError: another target.
    Claims: D2L-001, D2L-002, D2L-052
    """
    geometry(target)
    if target not in WAVE_WIDE:
        return _ASYNC
    return tuple([size for size, name, targets in _GFX9 if target in targets])


def opcode(target, size, form="global"):
    """Return the opcode of one size, or None where the target has none.

    Args: target: such as "gfx950"; size: bytes a lane; form: "global", "buffer" (which takes the `lds` modifier; not on
      gfx1250) or "cluster" (gfx1250 only).
    Raises: ValueError: unknown target or form, or a form that the target does not have.
    Claims: D2L-057
    """
    if form not in FORMS:
        raise ValueError(f"form={form!r}: {', '.join(FORMS)}")
    allowed = sizes(target)
    if form == "cluster" and target in WAVE_WIDE:
        raise ValueError(f"form=cluster: {target} has no clusters of workgroups, D2L-057")
    if form == "buffer" and target not in WAVE_WIDE:
        raise ValueError(f"form=buffer: {target} has no buffer load to LDS")
    if size not in allowed:
        return None
    if target not in WAVE_WIDE:
        return f"{form}_load_async_to_lds_b{8 * size}"
    for known, name, _ in _GFX9:
        if known == size:
            return f"global_load_lds_{name}" if form == "global" else f"buffer_load_{name}"
    return None


def lane_stride(size, reading="llvm"):
    """Return the bytes from one lane's place to the next on gfx942 and gfx950.

    Args: size: bytes a lane; reading: "llvm" (4 up to 4 bytes, 16 above) or "four" (always 4, one project's text).
    Raises: ValueError: another reading.
    Claims: D2L-003
    """
    if reading not in STRIDES:
        raise ValueError(f"reading={reading!r}: {', '.join(STRIDES)}")
    return 16 if size > 4 and reading == "llvm" else 4


def offset_range(target, form="global"):
    """Return (least, most) of the instruction's offset, bytes.

    Claims: D2L-006, D2L-052, D2L-053
    """
    if target not in WAVE_WIDE:
        return ASYNC_OFFSETS
    return GLOBAL_OFFSETS if form == "global" else BUFFER_OFFSETS


def m0_offset(target, m0, form="global"):
    """Return what a copy takes of M0, bytes: whole DWORDs below 256 KiB in the global form, sixteen or eighteen bits in the buffer form.

    Args: target: gfx942 or gfx950; m0: of 32 bits; form: "global" or "buffer".
    Claims: D2L-056
    """
    if form == "global":
        return m0 & 0x3FFFC
    return m0 & (0xFFFF if target == "gfx942" else 0x3FFFF)


def copy(target, size, lane, base=0, offset=0, m0=0, form="global", soffset=0, voffset=0, reading="llvm"):
    """Return where one lane's data goes.

    Args: target: such as "gfx950"; size: bytes a lane; lane: 0 to 63 (31 on gfx1250); base: where the LDS of the
      workgroup begins (gfx1250: this lane's LDS address), bytes; offset: of the instruction, moves both sides; m0: LDS
      byte inside the workgroup's part, gfx942 and gfx950 only; form: as for `opcode`; soffset, voffset: of the
      buffer form, they move the memory side alone; reading: of the lane stride.
    Returns: Copy; accepted is False, and the rest None, where the target has no such size.
    Raises: ValueError: a lane, offset or form outside what the target has.
    Claims: D2L-003, D2L-004, D2L-009, D2L-056, D2L-057
    """
    place = geometry(target)
    if not 0 <= lane < place.wave_lanes:
        raise ValueError(f"lane={lane}: 0..{place.wave_lanes - 1}")
    low, high = offset_range(target, form)
    if not low <= offset <= high:
        raise ValueError(f"offset={offset}: {low}..{high} on {target}, {form} form")
    if form != "buffer" and (soffset or voffset):
        raise ValueError("soffset, voffset: only the buffer form has them")
    for name, value in (("base", base), ("m0", m0), ("soffset", soffset), ("voffset", voffset)):
        if value < 0:
            raise ValueError(f"{name}={value}: 0 or more bytes")
    name = opcode(target, size, form)
    counter = "vmcnt" if target in WAVE_WIDE else "asynccnt"
    if name is None:
        return Copy(target, size, lane, False, None, None, None, None, None, None, None, counter)
    moved = offset + soffset + voffset
    if target not in WAVE_WIDE:
        if m0:
            part = "M0 holds the mask of workgroups" if form == "cluster" else "M0 has no part in it"
            raise ValueError(f"m0={m0}: {target} takes a LDS address from each lane, {part}")
        address = (base + offset) & 0xFFFFFFFF
        return Copy(target, size, lane, True, name, None, address, size, None, moved, None, counter)
    stride = lane_stride(size, reading)
    written = max(size, 4)
    address = base + m0_offset(target, m0, form) + offset + stride * lane
    return Copy(
        target,
        size,
        lane,
        True,
        name,
        stride,
        address,
        written,
        stride - written,
        moved,
        stride * place.wave_lanes,
        counter,
    )


def lds_image(target, values, size, reading="llvm"):
    """Return what one wave's copy leaves in LDS from the base on: bytes, None where nothing was written.

    Args: target: gfx942 or gfx950; values: the bytes that each lane loaded, `size` each; size: bytes a lane. Less than
      a DWORD is widened with zeros, as the unsigned loads do.
    """
    stride = lane_stride(size, reading)
    image = [None] * (stride * len(values))
    for lane in range(len(values)):
        data = bytes(values[lane]) + bytes(max(size, 4) - size)
        for i in range(len(data)):
            if stride * lane + i < len(image):
                image[stride * lane + i] = data[i]
    return image


def padding_interval(target, size, interval):
    """Say whether a gap may come after every `interval` bytes of the destination: only between whole waves.

    Args: target: gfx942 or gfx950; size: bytes a lane; interval: bytes, more than 0.
    Returns: (allowed, span of one wave in bytes).
    Claims: D2L-051
    """
    known = sizes(target)
    if target not in WAVE_WIDE:
        raise ValueError(f"interval={interval}: none on {target}, where each lane gives its own LDS address")
    if size not in known:
        raise ValueError(f"size={size}: {', '.join([str(item) for item in known])} on {target}")
    span = lane_stride(size) * geometry(target).wave_lanes
    return interval > 0 and interval % span == 0, span


def places_apart(target, size, lanes):
    """Return the bytes that nothing writes after each of the first lanes, before the next lane's place.

    Args: target: gfx942 or gfx950; size: bytes a lane; lanes: how many.
    Claims: D2L-008
    """
    found = []
    for lane in range(lanes):
        here, after = copy(target, size, lane), copy(target, size, lane + 1)
        found.append(after.lds_address - here.lds_address - here.written)
    return tuple(found)
