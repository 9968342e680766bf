# SPDX-License-Identifier: Apache-2.0
"""`cdna mfma layout`: lane, register and bits of an element, the elements of a register, or the whole operand."""

from .output import Usage, emit, parser

COMMAND = "mfma layout"


def run_layout(argv):
    """Answer one question about a register layout; return the exit status.

    Raises: Usage: what does not fit; the message names the field and what is allowed.
    """
    given = _words().parse_args(argv)
    from cdna.mfma.opcodes import MatrixError
    from cdna.targets import TARGETS

    known = [target.name for target in TARGETS]
    if given.target not in known:
        raise Usage(f"target={given.target}: {', '.join(known)}")
    modes = [given.at is not None, given.lane is not None or given.vgpr is not None, given.table]
    if sum(modes) > 1:
        raise Usage("one of --at I,J or --lane L --vgpr V or --table")
    if not any(modes) and not given.svg and not given.style:
        raise Usage("say what is wanted: --at I,J, --lane L --vgpr V, --table, --as or --svg FILE")
    if modes[1] and (given.lane is None or given.vgpr is None):
        raise Usage("--lane and --vgpr go together")
    if given.block is not None and not modes[0]:
        raise Usage("--block goes with --at")
    try:
        layout, other_positions, wanted = _asked(given)
        where = layout(**wanted)
        result = answer(where, given)
        disputed = []
        for claim, position, other in other_positions(where, **wanted):
            try:
                said = answer(other, given, picture=False)
            except MatrixError as error:
                said = {"note": f"it has no such place: {error}"}
            if said != {key: value for key, value in result.items() if key != "svg"}:
                disputed.append({"claim": claim, "position": position, "result": said})
    except MatrixError as error:
        raise Usage(str(error) + (_near(given, str(error)) if error.field == "op" else "")) from None
    findings = []
    if given.target == "gfx1250":
        from .wmma_waits import older_forms

        findings = older_forms([where.op.mnemonic])
    return emit(COMMAND, given.target, result, findings, disputed, given.json, _text(where, result))


def _near(given, message):
    from .near import did_you_mean

    if given.target == "gfx1250":
        from .wmma_waits import selected

        return did_you_mean(message, (given.op,), selected(given.op))
    from cdna.mfma.opcodes import opcodes

    return did_you_mean(message, (given.op,), [op.mnemonic for op in opcodes(given.target)])


def _asked(given):
    """Return (layout, other_positions, arguments) for the target: MFMA, or WMMA on gfx1250.

    Raises: MatrixError: a modifier that the target's instructions do not have.
    """
    wanted = {
        "name": given.op,
        "target": given.target,
        "matrix": {"a": "A", "b": "B", "c": "C", "d": "D"}.get(given.matrix.lower(), given.matrix.lower()),
        "a_format": given.a_format,
        "b_format": given.b_format,
    }
    if given.target == "gfx1250":
        from cdna.wmma import layouts

        from .wmma_waits import refuse_foreign

        for field in ("cbsz", "abid", "blgp", "scale_byte"):
            if getattr(given, field):
                refuse_foreign(field, getattr(given, field))
        wanted.update(index_key=given.index_key, scale_row=given.scale_row)
    else:
        from cdna.mfma import layouts

        for field in ("index_key", "scale_row"):
            if getattr(given, field):
                raise Usage(f"{field}={getattr(given, field)}: only gfx1250 has it, WMMA-001")
        wanted.update(cbsz=given.cbsz, abid=given.abid, blgp=given.blgp, scale_byte=given.scale_byte)
    return layouts.layout, layouts.other_positions, wanted


def answer(where, given, picture=True):
    """Return the JSON-ready result for the parsed words.

    Args: where: a Layout; given: as parsed; picture: also write the file of --svg.
    Raises: MatrixError: outside the operand.
    """
    from cdna.mfma.copy_as import copy_as
    from cdna.mfma.layouts import held, locate, table

    if given.target == "gfx1250":
        from cdna.wmma.layouts import held

    result = {}
    if given.at is not None:
        lane, vgpr, low, high = locate(where, *given.at, block=given.block or 0)
        result = {"lane": lane, "vgpr": vgpr, "bits": [low, high]}
    elif given.lane is not None:
        rows = held(where, given.lane, given.vgpr)
        keys = ("block", "i", "j", "vgpr")
        result = {"elements": [dict(zip(keys, row[:4], strict=True), bits=list(row[4:])) for row in rows]}
    elif given.table:
        result = {"entries": [list(row) for row in table(where)]}
    if where.negate:
        result["negate"] = True
    if given.style:
        result["as"] = given.style
        result["text"] = copy_as(where, given.style)
    if given.svg and picture:
        from .mfma_svg import lane_grid

        _write(given.svg, lane_grid(where))
        result["svg"] = given.svg
    return result


def _words():
    words = parser(COMMAND, "Where each element of a matrix operand lies.")
    words.add_argument("op", metavar="OP", help="mnemonic, builtin or shape such as 16x16x16_f16")
    words.add_argument("--target", required=True, help="gfx942, gfx950 or gfx1250")
    words.add_argument("--matrix", required=True, help="A, B, C, D, index, scale_a or scale_b")
    words.add_argument("--at", type=_pair, metavar="I,J", help="row and column; for B the row is K")
    words.add_argument("--block", type=_number, metavar="B", help="default 0")
    words.add_argument("--lane", type=_number)
    words.add_argument("--vgpr", type=_number, help="register of the operand, from 0")
    words.add_argument("--table", action="store_true", help="every element")
    for name in ("cbsz", "abid", "blgp"):
        words.add_argument("--" + name, type=_number, default=0)
    for name in ("a", "b"):
        words.add_argument(f"--{name}-format", help="fp8, bf8, fp6, bf6 or fp4, of f8f6f4 instructions")
    words.add_argument("--scale-byte", type=_number, default=0, help="byte of the scale register, 0 to 3")
    words.add_argument("--index-key", type=_number, default=0, help="gfx1250: which set of sparse positions")
    words.add_argument("--scale-row", type=_number, default=0, help="gfx1250: 0 or 1, MATRIX_SCALE_ROW of this operand")
    words.add_argument("--svg", metavar="FILE", help="write the picture of who holds what")
    words.add_argument("--as", dest="style", metavar="STYLE", help="cpp, triton, cute or ck")
    words.add_argument("--json", action="store_true", help="one JSON document")
    return words


def _number(text):
    try:
        return int(text, 0)
    except ValueError:
        raise Usage(f"{text!r}: a number, decimal or 0x") from None


def _pair(text):
    parts = text.split(",")
    if len(parts) != 2:
        raise Usage(f"--at {text}: row and column, such as 3,5")
    return tuple(_number(part.strip()) for part in parts)


def _write(name, text):
    try:
        with open(name, "w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise Usage(f"--svg {name}: {error.strerror or error}") from None


def _text(where, result):
    """What a person reads."""
    from cdna.mfma.copy_as import names

    lines = []
    if "lane" in result:
        low, high = result["bits"]
        lines.append(f"lane {result['lane']}, v{result['vgpr']}, bits {low} to {high}")
    if "elements" in result:
        lines += [_element(where, row["block"], row["i"], row["j"], *row["bits"]) for row in result["elements"]]
        lines += [] if lines else ["no element is read from there"]
    if "entries" in result:
        lines.append(f"{where.op.mnemonic}, matrix {where.matrix}: coordinates {', '.join(names(where))}; place")
        for block, i, j, lane, vgpr, low, high in result["entries"]:
            lines.append(f"{_named(where, block, i, j):16} lane {lane:2}  v{vgpr}[{high}:{low}]")
    if result.get("negate"):
        lines.append("the operand's sign is turned")
    if "text" in result:
        lines.append(result["text"])
    if "svg" in result:
        lines.append(f"picture: {result['svg']}")
    return "\n".join(lines)


def _named(where, block, i, j):
    return f"{where.matrix}[{i}][{j}]" + (f" block {block}" if where.shape[0] > 1 else "")


def _element(where, block, i, j, low, high):
    return f"{_named(where, block, i, j)}  bits {low} to {high}"
