# SPDX-License-Identifier: Apache-2.0
"""`cdna lds conflicts`, `search` and `swizzle`: which lanes disturb each other, and what helps."""

from .lds_words import (
    expression_of,
    integer,
    lists,
    nothing_else,
    number,
    required,
    table,
    target_of,
    wave_lanes,
    write_file,
)
from .output import Usage, as_json, emit


def run_conflicts(options, rest):
    """Print the degree of a pattern in each service group."""
    from cdna.lds import conflicts, geometry, service

    target = target_of(options)
    place = geometry.geometry(target)
    parts = _parts(options, target)
    addresses = _addresses(options, rest, place.wave_lanes)
    assume = options.get("--assume")
    if any(service.width_of(op) is None for op, _ in parts):
        service.service(target, parts[0][0], assume)
    found, findings, disputed = [], [], []
    for op, offset in parts:
        groups_of = service.service(target, op, assume)
        mine = [None if address is None else address + offset for address in addresses]
        found.append((offset, conflicts.conflicts(mine, groups_of)))
        crooked = conflicts.misaligned(mine, groups_of.width)
        split = service.service(target, op, assume, crooked=bool(crooked))
        if split.groups != groups_of.groups:
            found[-1] = (offset, conflicts.conflicts(mine, split))
        if crooked:
            message = _crooked(crooked, target, split.basis if split.groups != groups_of.groups else None)
            findings.append(
                {
                    "rule": "misaligned",
                    "severity": "warning",
                    "message": message,
                    "claim": "LDS-012" if split.groups == groups_of.groups else split.claim,
                    "field": "addresses",
                }
            )
        if _verb(groups_of.op) == "writes":
            findings += _one_word(found[-1][1].service, mine)
        for claim, position, note, other in conflicts.other_readings(mine, target, op, assume):
            answer = {
                "worst": other.worst,
                "degree": list(other.degrees),
                "note": note,
                "banks": other.service.banks,
                "groups": lists(other.service.groups),
            }
            if len(parts) > 1:
                answer.update(op=op, offset=offset)
            disputed.append({"claim": claim, "position": position, "result": answer})
            if other.worst > found[-1][1].worst and (assume or other.service == service.safest(target, op)):
                findings.append(_safer(claim, position, note, other.worst))
    limit = place.capacity.value
    size = max(offset + service.width_of(op) for op, offset in parts)
    beyond = [lane for lane in range(len(addresses)) if addresses[lane] is not None and addresses[lane] + size > limit]
    if beyond:
        message = f"addresses[{beyond[0]}]={addresses[beyond[0]]}: {size} bytes from there leave 0..{limit - 1} of {target}, LDS-001"
        findings.append(
            {"rule": "beyond-lds", "severity": "warning", "message": message, "claim": "LDS-001", "field": "addresses"}
        )
    result = _answer(found[0][1])
    result["instructions"] = [op for op, _ in parts]
    if len(found) > 1:
        result["parts"] = [dict(_answer(one), offset=offset) for offset, one in found]
        result["worst"] = max(one.worst for _, one in found)
    if options.get("--compare"):
        result["targets"] = _compare(options, parts, target)
    text = _conflict_text(found, result)
    if options.get("--svg"):
        from cdna_evidence.site import figures_service

        write_file(options["--svg"], figures_service.drawing(found[0][1], addresses))
    return emit("lds conflicts", target, result, findings, disputed, bool(options.get("--json")), text)


def _one_word(groups_of, addresses):
    """A remark where lanes of one group store into one DWORD: it is counted once, and not everybody counts so."""
    for group in groups_of.groups:
        seen = {}
        for lane in group:
            if addresses[lane] is None:
                continue
            for word in range(addresses[lane] // 4, (addresses[lane] + groups_of.width - 1) // 4 + 1):
                if word in seen:
                    message = (
                        f"lanes {seen[word]} and {lane} store into the DWORD at byte {4 * word}: it is counted once, as for loads, which no "
                        "source says of stores; ROCm/composable_kernel#3646 takes neighbouring halfwords for a conflict"
                    )
                    return [{"rule": "one-word-stores", "severity": "info", "message": message, "claim": "LDS-060", "field": "addresses"}]
                seen[word] = lane
    return []


def _crooked(lanes, target, basis):
    """What to know of addresses that are no multiple of their access."""
    more = f"lane {lanes[0]} and {len(lanes) - 1} more" if len(lanes) > 1 else f"lane {lanes[0]}"
    if target == "gfx1250":
        hardware = "unless its mode is unaligned the hardware clears the low bits, so it goes elsewhere (LDS-057)"
    else:
        hardware = "the guide counts that among memory violations (LDS-059)"
    return f"{more}: the address is no multiple of the access; {basis or 'published groups were found with aligned ones'}; {hardware}"


def _safer(claim, position, note, worst):
    message = f"by {note} the worst is {worst}: choose a layout that is free by these, then it is free by both"
    return {"rule": "safe-under-all", "severity": "warning", "message": message, "claim": claim, "field": position}


def _answer(one):
    groups_of = one.service
    return {
        "op": groups_of.op,
        "banks": groups_of.banks,
        "groups": lists(groups_of.groups),
        "degree": list(one.degrees),
        "worst": one.worst,
        "least": list(one.least),
        "busiest_bank": list(one.busiest),
        "how": groups_of.how,
        "basis": groups_of.basis,
        "sources": list(groups_of.sources),
        "claim": groups_of.claim,
    }


def _compare(options, parts, target):
    """The same expression on every target: an old pattern may meet on other banks."""
    from cdna.lds import conflicts, service

    if not options.get("--expr"):
        raise Usage("--compare: needs --expr, because waves have 64 or 32 lanes")
    expression = expression_of(options["--expr"], "--expr")
    rows = []
    for name, one, why in conflicts.across_targets(
        lambda count: [expression.at(lane=lane) for lane in range(count)],
        service.op_name(target, parts[0][0]),
        assume=options.get("--assume"),
    ):
        rows.append(
            {
                "target": name,
                "worst": one.worst if one else None,
                "banks": one.service.banks if one else None,
                "why_not": why,
            }
        )
    return rows


def _conflict_text(found, result):
    lines = []
    for offset, one in found:
        groups_of = one.service
        where = f", byte {offset} of each lane" if len(found) > 1 else ""
        lines.append(
            f"{groups_of.op} on {groups_of.target}: {groups_of.banks} banks, {len(groups_of.groups)} groups, {groups_of.how} ({groups_of.basis}){where}"
        )
        rows = []
        for i in range(len(groups_of.groups)):
            bank = one.busiest[i]
            note = f"bank {bank} is asked for {one.degrees[i]} DWORDs"
            if one.degrees[i] <= max(1, one.least[i]):
                note = "free" if one.degrees[i] else "no lane is active"
            rows.append((ranges(groups_of.groups[i]), f"{one.degrees[i]}-way", note))
        lines.append(table([("lanes", "degree", "")] + rows))
    lines.append(f"worst: {result['worst']}")
    for row in result.get("targets", ()):
        lines.append(
            f"{row['target']:8}  "
            + (f"worst {row['worst']} over {row['banks']} banks" if row["worst"] else row["why_not"])
        )
    return "\n".join(lines)


def run_search(options, rest):
    """Print the best paddings and swizzles of one row length."""
    from cdna.lds import search, service

    nothing_else(rest)
    target = target_of(options)
    groups_of = service.safest(target, required(options, "--op"), options.get("--assume"))
    if groups_of.width < 4:
        raise Usage(f"--op {groups_of.op}: search lays out whole DWORDs; judge one layout by `cdna lds conflicts`")
    row_bytes = number(options, "--row-bytes", None, least=groups_of.width)
    rows = number(options, "--rows", 16, least=1)
    first = number(options, "--first", 5, least=1)
    if row_bytes % 4 or rows > 64:
        raise Usage(f"--row-bytes {row_bytes}, --rows {rows}: a multiple of 4, and at most 64 rows")
    pads = search.paddings(groups_of, row_bytes, rows)
    swizzles = search.swizzles(groups_of, row_bytes, rows)
    plain = max(
        search.conflicts(search.pattern(row_bytes, groups_of.width, wave_lanes(target), rows), groups_of).degrees
    )
    result = {
        "op": groups_of.op,
        "banks": groups_of.banks,
        "pattern": f"lane l {_verb(groups_of.op)} {groups_of.width} bytes at (l % {rows}) * {row_bytes} + (l // {rows}) * {groups_of.width}",
        "worst_without": plain,
        "paddings_tried": len(pads),
        "paddings": [item._asdict() for item in pads[:first]],
        "swizzles_tried": len(swizzles),
        "swizzles": [item._asdict() for item in swizzles[:first]],
        "basis": groups_of.basis,
        "claim": groups_of.claim,
    }
    lines = [f"{result['pattern']}: worst {plain} without either ({groups_of.basis})"]
    lines.append(
        table(
            [("padding", "worst", "more LDS")]
            + [
                (
                    f"{item.amount_bytes} bytes after every {item.interval_bytes}",
                    str(item.worst),
                    f"{item.extra_bytes} bytes",
                )
                for item in pads[:first]
            ]
        )
    )
    lines.append(
        table(
            [("swizzle", "worst", "more LDS")]
            + [
                (
                    f"chunk ^ (row >> {item.shift} & {(1 << item.bits) - 1})" if item.bits else "none",
                    str(item.worst),
                    "0 bytes",
                )
                for item in swizzles[:first]
            ]
        )
    )
    findings = []
    if not pads:
        message = f"row_bytes={row_bytes}: no gap puts every access of {groups_of.width} bytes on a multiple of it, and published groups cover no others"
        findings = [{"rule": "misaligned", "severity": "warning", "message": message, "claim": "LDS-012", "field": "row_bytes"}]
    return emit("lds search", target, result, findings, (), bool(options.get("--json")), "\n".join(lines))


def _verb(op):
    return "writes" if op.startswith(("ds_write", "ds_store")) else "reads"


def run_swizzle(options, rest):
    """Print element indices after an XOR swizzle."""
    from cdna.lds import search

    nothing_else(rest)
    row_elements = number(options, "--row-elements", None, least=1)
    access = number(options, "--access", None, least=1)
    row = number(options, "--row", None)
    bits = number(options, "--bits", 3)
    shift = number(options, "--shift", 0)
    columns = [integer(word, "--column") for word in required(options, "--column").split(",")]
    swizzled = [search.swizzled_element(row, column, row_elements, access, bits, shift) for column in columns]
    formula = f"row*{row_elements} + ((col//{access}) ^ ((row>>{shift})&{(1 << bits) - 1}))*{access} + col%{access}"
    result = {"swizzled": swizzled, "formula": formula}
    rows = [("column", "element")] + [
        (str(column), str(place)) for column, place in zip(columns, swizzled, strict=True)
    ]
    return emit("lds swizzle", None, result, (), (), bool(options.get("--json")), formula + "\n" + table(rows))


def _parts(options, target):
    """[(opcode, byte offset)]: one instruction for --op, several where --bytes is wider than one can move."""
    from cdna.lds import geometry, service

    if ("--op" in options) == ("--bytes" in options):
        raise Usage("give --op OP or --bytes N")
    if "--op" in options:
        op = options["--op"]
        word = op.rpartition("_b")[2]
        if (
            service.width_of(op) is None
            and op.startswith("ds_")
            and word.isdigit()
            and int(word) > 128
            and int(word) % 32 == 0
        ):
            split = geometry.split(int(word) // 8, service.op_name(target, op.rpartition("_b")[0] + "_").rstrip("_"))
            raise Usage(
                f"op={op}: one lane moves at most 16 bytes at once; {' and '.join(name for name, _ in split)} do it (--bytes {int(word) // 8})"
            )
        return [(op, 0)]
    size = number(options, "--bytes", None, least=1)
    if size % 4:
        raise Usage(f"--bytes {size}: a multiple of 4")
    if size > 1024:
        raise Usage(f"--bytes {size}: at most 1024")
    prefix = service.op_name(target, "ds_write_" if options.get("--write") else "ds_read_").rstrip("_")
    return list(geometry.split(size, prefix))


def _addresses(options, rest, count):
    if "--expr" in options:
        if rest:
            raise Usage("give FILE or --expr, not both")
        expression = expression_of(options["--expr"], "--expr")
        try:
            addresses = [expression.at(lane=lane) for lane in range(count)]
        except ValueError as error:
            raise Usage(f"--expr: {error}") from None
    else:
        from .output import read_json

        if len(rest) != 1:
            raise Usage(f"lds conflicts: give one FILE, - for standard input, or --expr ({len(rest)} files given)")
        document = read_json(rest[0])
        addresses = document.get("addresses") if isinstance(document, dict) else document
        if not isinstance(addresses, list):
            raise Usage(f'{rest[0]}: {{"addresses": [one byte address per lane]}} must stand here')
        addresses = [_number_of(item) for item in addresses]
    for lane, address in enumerate(addresses):
        if address is not None and (
            isinstance(address, bool) or not isinstance(address, int) or not 0 <= address < 1 << 32
        ):
            raise Usage(
                f"addresses[{lane}]={as_json(address)}: an integer of 0 to 4294967295, or null for an inactive lane"
            )
    if len(addresses) != count:
        raise Usage(f"addresses: {len(addresses)} given, one for each of the {count} lanes of a wave")
    return addresses


def _number_of(item):
    """Return the number that a text of a JSON file holds, or the item as it is."""
    try:
        return integer(item, "addresses") if isinstance(item, str) else item
    except Usage:
        return item


def ranges(lanes):
    """Return lanes as text: 0-3, 20-23."""
    runs = []
    for lane in lanes:
        if runs and lane == runs[-1][1] + 1:
            runs[-1][1] = lane
        else:
            runs.append([lane, lane])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
