# SPDX-License-Identifier: Apache-2.0
"""Which LDS bank a byte lies in, and how often one bank is asked.

The simple rule: different banks are free, one bank takes turns. It is a simplification. Whether two lanes meet in one
turn is decided by the opcode, the width of the access and the service groups of that opcode; a degree counted here
over all lanes at once is therefore no number of cycles. Reads of one and the same address are counted once.
"""


def bank_of(byte_address, banks, bank_bytes=4):
    """Return the bank that holds a byte.

    Args: byte_address: LDS byte; banks: how many the target has; bank_bytes: width of one bank.
    Returns: 0 to banks - 1.
    Claims: LDS-002
    """
    return byte_address // bank_bytes % banks


def banks_touched(byte_address, length, banks, bank_bytes=4):
    """Return the banks of one access, in address order.

    Args: byte_address: first LDS byte; length: bytes; banks, bank_bytes: as for `bank_of`.
    """
    first = byte_address // bank_bytes
    last = (byte_address + length - 1) // bank_bytes
    return tuple([word % banks for word in range(first, last + 1)])


def column_addresses(rows, row_bytes, column_byte=0, interval_bytes=0, amount_bytes=0, lds_addr=0):
    """Return where one column of a tile lies in LDS, row by row, packed or padded.

    Args: rows: how many; row_bytes: bytes of one packed row; column_byte: offset inside the row; interval_bytes and
      amount_bytes: a gap of so many bytes after so many, 0 without padding; lds_addr: start of the tile.
    Returns: tuple of LDS byte addresses.
    Claims: TDM-021, TDM-034, TDM-038
    """
    addresses = []
    for row in range(rows):
        byte = row * row_bytes + column_byte
        if interval_bytes:
            byte += byte // interval_bytes * amount_bytes
        addresses.append(lds_addr + byte)
    return tuple(addresses)


def banks_of_column(rows, row_bytes, banks, column_byte=0, interval_bytes=0, amount_bytes=0, lds_addr=0):
    """Return the bank of each row's element of one column.

    Args: as for `column_addresses`; banks: of the target.
    Returns: tuple of bank numbers, one a row.
    Claims: LDS-002, TDM-039
    """
    addresses = column_addresses(rows, row_bytes, column_byte, interval_bytes, amount_bytes, lds_addr)
    return tuple([bank_of(address, banks) for address in addresses])


def conflict_degree(addresses, banks, bank_bytes=4):
    """Return how many different words the busiest bank is asked for, by the simple rule of this module.

    Args: addresses: LDS byte addresses asked for together; banks, bank_bytes: as for `bank_of`.
    Returns: 1 when no bank is asked for two words, 0 for no address. Boundary: opcode, width and service groups decide
      on hardware.
    """
    words = {}
    for address in addresses:
        word = address // bank_bytes
        words.setdefault(word % banks, set()).add(word)
    return max([len(held) for held in words.values()]) if words else 0
