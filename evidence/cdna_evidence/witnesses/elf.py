# SPDX-License-Identifier: Apache-2.0
"""The few facts that are read from an object file: its flags, its sections, the values written for registers."""

import struct
from typing import NamedTuple

# The register whose low bits tell the driver how much LDS a workgroup wants.
RSRC2 = 0xB84C
LDS_SIZE = (15, 9)


class Elf(NamedTuple):
    """One object. flags: e_flags; machine: e_machine; sections: {name: bytes}."""

    flags: int
    machine: int
    sections: dict


def read(data):
    """Return the Elf of an object file. Raises: ValueError: it is not a little-endian 64-bit ELF."""
    if data[:6] != b"\x7fELF\x02\x01" or len(data) < 64:
        raise ValueError("not a 64-bit little-endian ELF file")
    (machine,) = struct.unpack_from("<H", data, 18)
    (table,) = struct.unpack_from("<Q", data, 40)
    (flags,) = struct.unpack_from("<I", data, 48)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = []
    try:
        for i in range(count):
            name, kind, _, _, offset, length = struct.unpack_from("<IIQQQQ", data, table + i * size)
            rows.append((name, b"" if kind == 8 else data[offset : offset + length]))
        strings = rows[names][1]
    except (struct.error, IndexError):
        raise ValueError("an ELF file that ends too early") from None
    return Elf(flags, machine, {strings[at : strings.index(b"\0", at)].decode(): body for at, body in rows})


def registers(elf):
    """Return {register: value} of `.AMDGPU.config`, which objects without an operating system carry."""
    body = elf.sections.get(".AMDGPU.config", b"")
    return dict(struct.iter_unpack("<II", body[: len(body) // 8 * 8]))


def lds_units(elf):
    """Return the LDS size that the program asks for, in units of the target's granule.

    Raises: ValueError: the object does not say.
    """
    found = registers(elf)
    if RSRC2 not in found:
        raise ValueError("the object writes no LDS size")
    lo, width = LDS_SIZE
    return found[RSRC2] >> lo & (1 << width) - 1
