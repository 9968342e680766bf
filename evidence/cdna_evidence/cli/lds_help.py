# SPDX-License-Identifier: Apache-2.0
"""The help of `cdna lds`: a paragraph for each command, printed alone or together."""

HEAD = "usage: cdna lds COMMAND ... --target gfx942|gfx950|gfx1250 [--json]"
FOOT = """Numbers are decimal or 0x; a number in brackets is what holds without the option. A FILE may be `-`.
OP is an LDS load or store such as ds_read_b128 (gfx1250: ds_load_b128). Exit status 3: nobody published what was asked for."""

# Command: (its words, one paragraph).
COMMANDS = {
    "info": (
        "info",
        """capacity, banks, allocation granules and published service groups, each with its basis""",
    ),
    "alloc": (
        "alloc BYTES [--stages N]",
        """what a request becomes and how many workgroups fit
--stages N          that many buffers of BYTES (1)
BYTES may be an expression such as "3*65536". A target not known here gets no yes.""",
    ),
    "conflicts": (
        "conflicts [FILE] --op OP | --bytes N [--write]",
        """how often the busiest bank is asked in each service group (the lanes that are served together)
FILE                {"addresses": [one byte address per lane, null for an inactive lane]}
--expr EXPR         in place of FILE, with the variable lane: "(lane%16)*144+(lane//16)*16"
--bytes N           in place of --op: the loads (with --write the stores) that move N bytes a lane
--assume consecutive:N   groups of N neighbouring lanes, where nobody published groups
--compare           the same --expr on all targets
--svg FILE          writes a drawing""",
    ),
    "search": (
        "search --op OP --row-bytes N [--rows R] [--first K] [--assume consecutive:N]",
        """how to lay out a matrix tile in LDS so that reading it has no conflicts, the best first
The pattern: lane l reads access number l // R of row l % R, so R neighbouring lanes read R rows at one column.
--op OP             the load that reads the tile; its width is one access (ds_read_b128: 16 bytes)
--row-bytes N       bytes of a row without gaps, a multiple of 4
--rows R            rows that neighbouring lanes read, at most 64 (16)
--first K           how many paddings and how many swizzles to print (5)
--assume consecutive:N   as in conflicts
A padding leaves a gap after every so many bytes. A swizzle keeps the size and moves an access within its row:
chunk is the access's number in the row, and it goes to place chunk ^ ((row >> SHIFT) & mask).""",
    ),
    "swizzle": (
        "swizzle --row-elements N --access N --row R --column C,C,... [--bits B] [--shift S]",
        """the place of elements after such a swizzle; needs no --target
--row-elements N    elements of a row, a multiple of 2^B accesses
--access N          elements that one access moves: 8 of two bytes for 16 bytes
--row R             the row of the elements, from 0
--column C,C,...    their columns before the swizzle, from 0
--bits B            bits of the row that are used: the mask is 2^B - 1 (3)
--shift S           which bit of the row is the first of them (0)
Prints the element's index from the start of the tile: the swizzle keeps the row and the place in the access.""",
    ),
    "direct": (
        "direct --size S --lane L",
        """where a lane's direct-to-LDS copy lands (gfx1250: an asynchronous copy)
--size S            bytes that one lane copies
--lane L            the lane, from 0
--base B            where the LDS of the workgroup begins; on gfx1250 the LDS address that the lane gives (0)
--offset O          the instruction's offset, which moves source and destination (0)
--m0 M              M0, a byte offset inside the workgroup's LDS; not on gfx1250 (0)
--form global|buffer|cluster   which instruction (global); only buffer has the next two; cluster is of gfx1250
--soffset N, --voffset N   offsets of the source alone (0)
--interval N        says whether a gap may come after every N bytes of the destination
--svg FILE          writes a drawing""",
    ),
    "transpose": (
        "transpose [--op OP] [--lane L]",
        """what each lane receives from a transposing load: from which lane, which element of what that lane read
--op OP             the load; without it the loads of the target are listed
--lane L            that lane only""",
    ),
}


def text(command=None):
    """Return the help of one command, or of all."""
    parts = [_paragraph(name) for name in (COMMANDS if command is None else (command,))]
    return "\n\n".join([HEAD, *parts, FOOT])


def _paragraph(name):
    words, lines = COMMANDS[name]
    return "\n".join(["  " + words] + ["      " + line for line in lines.splitlines()])
